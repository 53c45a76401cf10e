// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What can go wrong between a house file and a running access point.

use std::io;

/// Why the live access point cannot do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// Not root.
    #[error("a live house needs root: run it with sudo")]
    NotRoot,
    /// The house asks for what only the simulator has.
    #[error("{0}")]
    House(String),
    /// iproute2 refused.
    #[error("{command}: {said}")]
    Ip {
        /// What was run.
        command: String,
        /// What it said.
        said: String,
    },
    /// Another access point of that name is up.
    #[error("house {house} is up already (process {pid}); `airtab live down {house}` ends it")]
    Up {
        /// Its name.
        house: String,
        /// Who runs it.
        pid: u32,
    },
    /// No access point of that name is up.
    #[error("house {house} is not up; start it with `airtab live up`")]
    Down {
        /// Its name.
        house: String,
    },
    /// The running access point refused a request.
    #[error("{0}")]
    Refused(String),
    /// A program that an application needs is missing.
    #[error("{program} is missing: install the package {package}, or run tools/require live")]
    Missing {
        /// What was looked for.
        program: String,
        /// Where it is in.
        package: String,
    },
    /// An application failed, or a program that it runs.
    #[error("application {app}: {said}")]
    App {
        /// Its name in the house.
        app: String,
        /// What went wrong, in the program's words where it has some.
        said: String,
    },
    /// The operating system refused.
    #[error("{what}: {cause}")]
    System {
        /// What was tried.
        what: String,
        /// Why it failed; said in the message, so it is no source.
        cause: io::Error,
    },
}

impl LiveError {
    /// For `map_err`: names what was tried.
    pub fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> LiveError {
        let what = what.into();
        move |cause| LiveError::System { what, cause }
    }
}
