// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Houses over HTTP: those that the server was started with, and no others.
//!
//! - [`house`]: one; [`history`]: what it showed; [`events`]: for readers
//! - [`replay`]: from a recording; [`running`]: from one that runs (Linux)
//!
//! What it does not do: no house is started here.

mod events;
mod history;
mod house;
mod replay;
#[cfg(has_live)]
mod running;

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde_json::Value;

use crate::answer::{Refusal, aside, json, last_event, read};
use crate::server::Shared;
use house::House;
pub use replay::Replay;

/// Where snapshots come from.
enum Source {
    Recording(Replay),
    #[cfg(has_live)]
    Running,
}

/// All houses that are shown.
#[derive(Default)]
pub struct Houses(Vec<(String, Arc<Source>, Arc<House>)>);

impl Houses {
    /// Recordings, and houses that run here.
    ///
    /// # Errors
    /// Two of one name, or none can run here.
    pub fn new(recordings: Vec<Replay>, running: &[String]) -> Result<Houses, String> {
        #[cfg(not(has_live))]
        if let Some(name) = running.first() {
            return Err(format!(
                "--live {name}: not in this build of airtab: it needs Linux, and to be built with the feature `live`"
            ));
        }
        let mut all = Houses::default();
        for recording in recordings {
            all.0.push((
                recording.house.clone(),
                Arc::new(Source::Recording(recording)),
                Arc::new(House::new()),
            ));
        }
        #[cfg(has_live)]
        for name in running {
            all.0.push((name.clone(), Arc::new(Source::Running), Arc::new(House::new())));
        }
        let twice =
            all.0.iter().enumerate().find(|(i, (name, ..))| all.0[..*i].iter().any(|of| of.0 == *name));
        match twice {
            Some((_, (name, ..))) => Err(format!("house {name} is there twice, by --live or --replay")),
            None => Ok(all),
        }
    }

    /// Takes snapshots from now on.
    pub fn start(&self) -> Vec<JoinHandle<()>> {
        let one = |(_name, source, house): &(String, Arc<Source>, Arc<House>)| {
            let (source, house) = (source.clone(), house.clone());
            #[cfg(has_live)]
            let name = _name.clone();
            thread::spawn(move || match &*source {
                Source::Recording(recording) => recording.play(&house),
                #[cfg(has_live)]
                Source::Running => running::watch(&name, &house),
            })
        };
        self.0.iter().map(one).collect()
    }

    /// Ends that.
    pub fn close(&self) {
        self.0.iter().for_each(|(_, _, house)| house.close());
    }

    /// Whether there is none.
    #[cfg(has_live)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The last snapshot of the first house, and when it came.
    #[cfg(has_live)]
    pub fn latest(&self) -> Option<(Arc<str>, std::time::Instant)> {
        self.0.first().and_then(|(_, _, house)| house.latest())
    }

    fn find(&self, name: &str) -> Result<(Arc<Source>, Arc<House>), Refusal> {
        let found = self.0.iter().find(|(own, ..)| own == name);
        found.map(|(_, source, house)| (source.clone(), house.clone())).ok_or_else(|| {
            let message = format!("no house '{name}' is shown here: `airtab serve --live {name}` shows it");
            Refusal::new(StatusCode::NOT_FOUND, message)
        })
    }
}

/// `GET live`.
pub async fn list(State(shared): State<Arc<Shared>>) -> Response {
    json(StatusCode::OK, &shared.houses.0.iter().map(|(name, ..)| name).collect::<Vec<_>>())
}

/// `GET live/HOUSE/events`.
pub async fn events(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, house) = shared.houses.find(&name)?;
    Ok(events::stream(house, last_event(&headers)?))
}

/// `POST live/HOUSE`.
pub async fn ask(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, Refusal> {
    let (source, _house) = shared.houses.find(&name)?;
    let _request: Value = read(body).await?;
    aside(move || match &*source {
        Source::Recording(_) => Err(Refusal::new(
            StatusCode::CONFLICT,
            format!("{name} is a recording: nothing can be changed in it"),
        )),
        #[cfg(has_live)]
        Source::Running => {
            let (status, answer) = running::ask(&name, &_house, _request);
            Ok(json(status, &answer))
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A house is found by its whole name, whatever its place; the first one is the one of `/metrics`.
    #[test]
    fn houses_are_found_by_their_whole_names() {
        let folder = tempfile::tempdir().unwrap();
        let recording = |name: &str| {
            let path = folder.path().join(name);
            let line = format!("{{\"house\":\"{name}\",\"queue\":\"q\",\"now_s\":1,\"stations\":[]}}\n");
            std::fs::write(&path, line).unwrap();
            Replay::open(&path, 1.0).unwrap()
        };
        let names = ["ab", "a", "abc"];
        let houses = Houses::new(names.map(recording).into(), &[]).unwrap_or_else(|e| panic!("{e}"));
        let own: Vec<&str> = houses.0.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(own, names);
        for name in names {
            let (source, house) = houses.find(name).unwrap_or_else(|e| panic!("{e:?}"));
            assert!(matches!(&*source, Source::Recording(replay) if replay.house == name), "{name}");
            let own = houses.0.iter().find(|(own, ..)| own == name).unwrap();
            assert!(Arc::ptr_eq(&house, &own.2), "{name}");
        }
        assert!(["b", "abcd", "", "A"].iter().all(|name| houses.find(name).is_err()));
        let twice = Houses::new(["a", "b", "b"].map(recording).into(), &[]).err();
        assert_eq!(twice.as_deref(), Some("house b is there twice, by --live or --replay"));
    }
}
