// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Scenarios while they are written: what is wrong in a text, what a form shows of it, and one value of it set.
//!
//! Problems are those of the command line: one reader (`airtab-scenario`).
//!
//! What it does not do: nothing is run, nothing is kept.

use std::sync::Arc;

use airtab_lab::scenario_hash;
use airtab_scenario::reader::Problem;
use airtab_scenario::{FileError, ScenarioFile, set};
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{Refusal, aside, json, problems, read};
use crate::files::Named;
use crate::form;
use crate::server::Shared;

/// Largest scenario, bytes.
pub const MOST_TEXT: usize = 256 << 10;
/// What a text is called in messages, and in commands that repeat its results.
pub const FILE: &str = "scenario.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    text: String,
    path: String,
    value: Option<Value>,
    #[serde(default)]
    remove: bool,
}

/// Refuses a text that is too long.
///
/// # Errors
/// Says how long one may be.
pub fn within_limits(text: &str) -> Result<(), Refusal> {
    match text.len() {
        ..=MOST_TEXT => Ok(()),
        n => Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a scenario of {n} bytes: at most {MOST_TEXT} ({} KiB)", MOST_TEXT >> 10),
        )),
    }
}

/// Reads a scenario; what it names is looked for in `files`.
///
/// # Errors
/// Everything that is wrong in it.
pub fn scenario(text: &str, files: &Named) -> Result<ScenarioFile, Vec<Problem>> {
    ScenarioFile::parse_with(FILE, text, &|path, what| files.open(path, what)).map_err(|e| match e {
        FileError::Wrong(problems) => problems,
        FileError::Unreadable { file, reason } => vec![Problem::of_file(&file, reason)],
    })
}

/// `POST check`.
pub async fn check(State(shared): State<Arc<Shared>>, body: Body) -> Result<Response, Refusal> {
    let Text { text } = read(body).await?;
    within_limits(&text)?;
    aside(move || {
        let mut answer = json!({ "form": form::of(&text) });
        let (problems_of, warnings) = match scenario(&text, &shared.files) {
            Ok(file) => {
                answer["hash"] = scenario_hash(&file.scenario).into();
                (Vec::new(), file.warnings)
            }
            Err(problems) => (problems, Vec::new()),
        };
        answer["problems"] = problems(&problems_of);
        answer["warnings"] = problems(&warnings);
        Ok(json(StatusCode::OK, &answer))
    })
    .await
}

/// `POST edit`.
pub async fn edit(body: Body) -> Result<Response, Refusal> {
    let Edit { text, path, value, remove } = read(body).await?;
    within_limits(&text)?;
    aside(move || {
        let changed = match (value, remove) {
            (Some(value), false) => {
                form::literal(&value).and_then(|value| set(&text, &path, &value).map_err(|e| e.to_string()))
            }
            (None, true) => airtab_scenario::remove(&text, &path).map_err(|e| e.to_string()),
            _ => return Err(Refusal::new(StatusCode::BAD_REQUEST, "give a value, or remove = true")),
        };
        let changed = changed.map_err(|message| Refusal::wrong(vec![Problem::of_file(FILE, message)]))?;
        within_limits(&changed)?;
        Ok(json(StatusCode::OK, &json!({ "text": changed })))
    })
    .await
}
