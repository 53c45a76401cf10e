// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What there is: schemas, disciplines, experiments, scenarios; equal to what the commands print as JSON.
//!
//! What it does not do: `airtab_lab::catalogue` makes them.

use std::sync::{Arc, OnceLock};

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

/// Schemas as they are printed, each made once: it takes a tenth of a second, and the page waits for one.
#[derive(Debug, Default)]
pub struct Schemas([OnceLock<String>; catalogue::SCHEMAS.len()]);

impl Schemas {
    /// The text of one; None if there is none of that name.
    pub fn text(&self, name: &str) -> Option<&str> {
        let place = catalogue::SCHEMAS.iter().position(|known| *known == name)?;
        let text = || format!("{:#}\n", catalogue::schema(name).expect("each of SCHEMAS has one"));
        Some(self.0[place].get_or_init(text))
    }
}

/// `GET schema/NAME`.
pub async fn schema(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    aside(move || match shared.schemas.text(&name) {
        Some(text) => Ok(json_text(StatusCode::OK, text.to_string())),
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
