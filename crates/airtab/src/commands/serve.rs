// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab serve`.
//!
//! What it does not do: the server itself is a crate of its own (`airtab-serve`).

pub mod args;

use std::io::{self, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use airtab_lab::store::{NoStore, Packs, Store};
use airtab_serve::{Limits, Options, Server};
use tempfile::NamedTempFile;

use super::kept;
use super::progress::stop_on_interrupt;
use crate::output;
use args::Serve;

/// Serves until Ctrl-C.
pub fn serve(args: &Serve) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let server = Server::bind(Options {
        listen: args.listen,
        port: args.port,
        names: args.allow_host.clone(),
        files: args.files.clone(),
        scenarios: super::SHIPPED,
        version: env!("CARGO_PKG_VERSION").into(),
        git: env!("AIRTAB_GIT").into(),
        live: args.live.clone(),
        replay: args.replay.iter().map(|file| (file.clone(), args.speed)).collect(),
        store: store(),
        jobs: args.jobs.map_or(0, usize::from),
        limits: Limits::default(),
    })?;
    output::print(&format!("{}\n", server.link()))?;
    output::note("Whoever has this address may run studies here. Ctrl-C ends it.");
    let page = args.open.then(|| open(&server.link())).transpose();
    if let Err(e) = &page {
        output::warn(&format!("no browser could be asked ({e}): open the address above"));
    }
    server.run(&stop)?;
    output::note("ended");
    Ok(ExitCode::SUCCESS)
}

/// The runs of the folder that the environment names.
fn store() -> Arc<dyn Store + Send + Sync> {
    let folder = kept::packs(&kept::folder());
    match Packs::open(&folder) {
        Ok(packs) => Arc::new(packs),
        Err(e) => {
            output::warn(&format!(
                "finished runs cannot be kept in {}: {e}; AIRTAB_CACHE names another folder",
                folder.display()
            ));
            Arc::new(NoStore)
        }
    }
}

/// Asks the system to show an address: by a page that leads there, which only its owner may read. What stands in a command
/// line everybody on the machine can see, and the address has a token in it. The page is there until it is dropped.
fn open(address: &str) -> io::Result<NamedTempFile> {
    let mut page = tempfile::Builder::new().prefix("airtab-").suffix(".html").tempfile()?;
    write!(page, "<!DOCTYPE html>\n<meta http-equiv=\"refresh\" content=\"0; url={address}\">\n")?;
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(page.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn()?;
    Ok(page)
}
