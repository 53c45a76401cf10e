// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What there is: schemas, disciplines, experiments, scenarios; equal to what the commands print as JSON.
//!
//! What it does not do: `airtab_lab::catalogue` makes them.

use std::sync::Arc;

use airtab_lab::catalogue;
use airtab_lab::experiment::{self, FindError};
use airtab_scenario::HOME;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use crate::answer::{Refusal, aside, json, json_text};
use crate::server::Shared;

/// As the commands print it.
fn printed(value: &Value) -> Response {
    json_text(StatusCode::OK, format!("{value:#}\n"))
}

/// `GET schema/NAME`.
pub async fn schema(Path(name): Path<String>) -> Result<Response, Refusal> {
    aside(move || match catalogue::schema(&name) {
        Some(schema) => Ok(printed(&schema)),
        None => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            format!("there is no schema '{name}': there are {}", catalogue::SCHEMAS.join(", ")),
        )),
    })
    .await
}

/// `GET disciplines`.
pub async fn disciplines() -> Response {
    printed(&catalogue::disciplines())
}

/// `GET experiments`.
pub async fn experiments() -> Result<Response, Refusal> {
    aside(|| Ok(printed(&catalogue::experiments()))).await
}

/// `GET experiments/ID`. No file is one here, as it would be on a command line.
pub async fn experiment(Path(id): Path<String>) -> Result<Response, Refusal> {
    aside(move || match experiment::find(id.trim_end_matches(".toml")) {
        Ok(experiment) => Ok(printed(&catalogue::experiment(&experiment))),
        Err(FindError::Unknown(message)) => Err(Refusal::new(StatusCode::NOT_FOUND, message)),
        Err(FindError::File(e)) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, e.to_string())),
    })
    .await
}

/// `GET scenarios`: the built-in home first.
pub async fn scenarios(State(shared): State<Arc<Shared>>) -> Response {
    let home = [("home", HOME)];
    let one = |(name, text): &(&str, &str)| json!({ "name": name, "text": text });
    json(StatusCode::OK, &home.iter().chain(shared.scenarios).map(one).collect::<Value>())
}
