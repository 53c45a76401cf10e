// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Studies over HTTP: a comparison is asked for, read while it grows, and taken along as files.
//!
//! - [`board`]: all of them, and how many may be; [`study`]: one; [`work`]: makes it
//! - [`log`], [`events`]: what happens in one, for readers who come, go and come again
//!
//! What it does not do: sweeps and experiments are the command line's.

pub mod board;
mod events;
mod log;
pub mod study;
pub mod work;

use std::sync::Arc;

use airtab_core::Params;
use airtab_scenario::reader::Problem;
use airtab_scenario::{QueueList, ScenarioFile};
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use crate::answer::{Refusal, aside, json, json_text, last_event, read};
use crate::check::{self, FILE, within_limits};
use crate::server::Shared;
pub use events::BEAT;
use study::{Files, Study, Task};

/// Seeds of a study at most: as on the command line.
const MOST_SEEDS: u64 = 100_000;
/// Disciplines of a study at most.
const MOST_QUEUES: usize = 64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    text: String,
    queues: Vec<String>,
    seeds: u64,
    #[serde(default)]
    short: bool,
}

/// `POST runs`.
pub async fn add(State(shared): State<Arc<Shared>>, body: Body) -> Result<Response, Refusal> {
    let Asked { text, queues, seeds, short } = read(body).await?;
    within_limits(&text)?;
    let added = shared.clone();
    aside(move || {
        let file = check::scenario(&text, &added.files).map_err(Refusal::wrong)?;
        let wrong = |message| Refusal::wrong(vec![Problem::of_file(FILE, message)]);
        if !(1..=MOST_SEEDS).contains(&seeds) {
            return Err(wrong(format!("seeds: {seeds}: give 1 to {MOST_SEEDS}")));
        }
        let queues = disciplines(&queues, &file).map_err(wrong)?;
        let study = added.board.add(Task { file, queues, seeds, short }).ok_or_else(|| {
            let limits = &added.limits;
            let message =
                format!("{} studies run and {} wait: ask again later", limits.running, limits.waiting);
            Refusal::new(StatusCode::TOO_MANY_REQUESTS, message)
        })?;
        Ok(json(StatusCode::ACCEPTED, &json!({ "id": study.id, "total": study.task.total() })))
    })
    .await
}

/// Disciplines by their labels, as the command line builds them.
fn disciplines(labels: &[String], file: &ScenarioFile) -> Result<Vec<(String, Params)>, String> {
    if labels.is_empty() || labels.len() > MOST_QUEUES {
        return Err(format!("queues: {}: give 1 to {MOST_QUEUES}", labels.len()));
    }
    let list: QueueList = labels.join(",").parse().map_err(|e| format!("queues: {e}"))?;
    let mut queues: Vec<(String, Params)> = Vec::new();
    for spec in list.iter() {
        if queues.iter().any(|(label, _)| *label == spec.label) {
            return Err(format!("queues: names {} twice", spec.label));
        }
        let params = spec.build(&file.queues).map_err(|e| format!("queues: {}: {e}", spec.label))?;
        queues.push((spec.label.clone(), params));
    }
    Ok(queues)
}

fn find(shared: &Shared, id: u64) -> Result<Arc<Study>, Refusal> {
    let study = shared.board.get(id).ok_or_else(|| {
        Refusal::new(
            StatusCode::NOT_FOUND,
            format!("there is no study {id}, or it is forgotten: ask for it anew"),
        )
    })?;
    study.looked();
    Ok(study)
}

/// `GET runs/N`.
pub async fn get(State(shared): State<Arc<Shared>>, Path(id): Path<u64>) -> Result<Response, Refusal> {
    let study = find(&shared, id)?;
    let progress = study.progress();
    let head = json!({
        "id": id,
        "state": progress.state.name(),
        "done": progress.done,
        "total": study.task.total(),
        "seeds": study.task.seeds,
    });
    let (head, results) = (head.to_string(), progress.log.results().cloned());
    drop(progress);
    // The results are JSON already.
    let results = results.as_deref().unwrap_or("null");
    Ok(json_text(StatusCode::OK, format!("{},\"results\":{results}}}", &head[..head.len() - 1])))
}

/// `DELETE runs/N`.
pub async fn delete(State(shared): State<Arc<Shared>>, Path(id): Path<u64>) -> Result<StatusCode, Refusal> {
    shared.board.stop(&*find(&shared, id)?);
    Ok(StatusCode::NO_CONTENT)
}

/// `GET runs/N/events`.
pub async fn events(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<u64>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let study = find(&shared, id)?;
    let last = last_event(&headers)?.unwrap_or(0);
    Ok(events::stream(study, last))
}

/// `GET runs/N/FILE`.
pub async fn file(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(u64, String)>,
) -> Result<Response, Refusal> {
    let study = find(&shared, id)?;
    let file: (&str, fn(&Files) -> &Bytes) = match name.as_str() {
        "report.html" => ("text/html; charset=utf-8", |files| &files.report),
        "results.parquet" => ("application/vnd.apache.parquet", |files| &files.parquet),
        "results.csv" => ("text/csv; charset=utf-8", |files| &files.csv),
        "results.json" => ("application/json", |files| &files.json),
        _ => {
            let message = format!("a study has no '{name}': report.html and results.parquet, .csv and .json");
            return Err(Refusal::new(StatusCode::NOT_FOUND, message));
        }
    };
    let (kind, of) = file;
    let progress = study.progress();
    let Some(files) = &progress.files else {
        let message = format!("study {id} is {}: files are there when it is done", progress.state.name());
        return Err(Refusal::new(StatusCode::CONFLICT, message));
    };
    let disposition = format!("attachment; filename=\"{name}\"");
    Ok(([(CONTENT_TYPE, kind.to_string()), (CONTENT_DISPOSITION, disposition)], of(files).clone())
        .into_response())
}
