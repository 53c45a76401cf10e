// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab serve`, with their help.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use airtab_serve::DEFAULT_PORT;
use clap::Parser;

use crate::args::whole;

/// Serve a page for browsers on this machine: write scenarios, compare disciplines, see results grow
///
/// Prints the page's address, which has a token in it: whoever has it may run studies. Nobody else may, and only this
/// machine is served unless --listen says otherwise.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab serve --open                          in a browser of this machine
  airtab serve --files traces                  scenarios may name files of the folder traces
  airtab serve --replay evening.jsonl          a house as it was
  ssh -L 8080:127.0.0.1:8080 lab airtab serve  from another machine, without a door for anybody else")]
pub struct Serve {
    /// Port to listen on; 0 takes one that is free
    #[arg(long, value_name = "PORT", default_value_t = DEFAULT_PORT)]
    pub port: u16,
    /// Open the page in a browser
    #[arg(long)]
    pub open: bool,
    /// Address to listen on; another than the loopback's needs --allow-host, and a proxy that does TLS
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub listen: IpAddr,
    /// Name by which browsers may ask, besides localhost; once for each
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Folder of files that scenarios may name [default: they may name none]
    #[arg(long, value_name = "DIR")]
    pub files: Option<PathBuf>,
    /// Show a house that runs on this machine, and let it be changed; as root, once for each
    #[arg(long, value_name = "HOUSE")]
    pub live: Vec<String>,
    /// Show a recorded house: what `airtab live watch --json` wrote, played by its own times from when somebody looks; -
    /// for standard input
    #[arg(long, value_name = "FILE.jsonl")]
    pub replay: Vec<PathBuf>,
    /// How many times as fast
    #[arg(long, value_name = "N", default_value_t = 1.0, requires = "replay", value_parser = speed)]
    pub speed: f64,
    /// Runs of a study at the same time; the results do not depend on it [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub jobs: Option<u16>,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed| (0.1..=1e6).contains(speed));
    speed.ok_or_else(|| "give a number from 0.1 to 1000000".into())
}
