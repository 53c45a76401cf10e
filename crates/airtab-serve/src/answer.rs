// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the server answers where something is wrong, and JSON in both directions.
//!
//! What it does not do: no header that is the same for all answers ([`crate::guard`]).

use std::time::Duration;

use airtab_scenario::reader::Problem;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Longest body of a request, bytes: a scenario of the largest size, each of its characters written `\u0000`.
const MOST_BODY: usize = 6 * crate::check::MOST_TEXT + (64 << 10);
/// For a body to arrive.
const PATIENCE: Duration = Duration::from_secs(10);
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Why a request is not answered as asked.
#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    error: String,
    problems: Vec<Problem>,
}

impl Refusal {
    /// For one reason.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Refusal {
        Refusal { status, error: error.into(), problems: Vec::new() }
    }

    /// A scenario that cannot be used.
    pub fn wrong(problems: Vec<Problem>) -> Refusal {
        let error = problems.iter().map(|p| p.message.as_str()).collect::<Vec<_>>().join("\n");
        Refusal { status: StatusCode::UNPROCESSABLE_ENTITY, error, problems }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut body = json!({ "error": self.error });
        if !self.problems.is_empty() {
            body["problems"] = problems(&self.problems);
        }
        (self.status, [(CONTENT_TYPE, JSON)], body.to_string()).into_response()
    }
}

/// Problems of a scenario, in the order of its text. `path` is the file, if it is another one that the scenario names.
pub fn problems(all: &[Problem]) -> Value {
    let one = |p: &Problem| {
        json!({
            "path": (p.file != crate::check::FILE).then_some(&p.file),
            "line": p.line,
            "column": p.column,
            "width": p.width,
            "key": p.key(),
            "message": p.message,
            "hint": p.hint(),
        })
    };
    all.iter().map(one).collect()
}

/// An answer of JSON.
pub fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(text) => json_text(status, text),
        Err(e) => Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()).into_response(),
    }
}

/// The same of what is JSON already.
pub fn json_text(status: StatusCode, text: String) -> Response {
    (status, [(CONTENT_TYPE, JSON)], text).into_response()
}

/// The body of a request.
///
/// # Errors
/// It is too long, does not arrive, or is not what was asked for.
pub async fn read<T: DeserializeOwned>(body: Body) -> Result<T, Refusal> {
    let whole = async {
        let (mut bytes, mut parts) = (Vec::new(), body.into_data_stream());
        while let Some(part) = parts.next().await {
            let part = part.map_err(|e| Refusal::new(StatusCode::BAD_REQUEST, e.to_string()))?;
            if bytes.len() + part.len() > MOST_BODY {
                return Err(Refusal::new(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    format!("the request is longer than {} KiB", MOST_BODY >> 10),
                ));
            }
            bytes.extend_from_slice(&part);
        }
        Ok(bytes)
    };
    let late =
        |_| Refusal::new(StatusCode::REQUEST_TIMEOUT, format!("no request within {} s", PATIENCE.as_secs()));
    let bytes = tokio::time::timeout(PATIENCE, whole).await.map_err(late)??;
    serde_json::from_slice(&bytes)
        .map_err(|e| Refusal::new(StatusCode::BAD_REQUEST, format!("the request cannot be read: {e}")))
}

/// Does what takes processor time, and lets others be answered meanwhile.
///
/// # Errors
/// Those of `work`, or that it failed by itself.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug of airtab's: see its terminal"))
    })
}

/// The number of the last event that a reader saw.
///
/// # Errors
/// It is none.
pub fn last_event(headers: &HeaderMap) -> Result<Option<u64>, Refusal> {
    let number = |last: &HeaderValue| last.to_str().ok().and_then(|last| last.parse().ok());
    let wrong = || Refusal::new(StatusCode::BAD_REQUEST, "Last-Event-ID is no number that an event had");
    headers.get("last-event-id").map(|last| number(last).ok_or_else(wrong)).transpose()
}
