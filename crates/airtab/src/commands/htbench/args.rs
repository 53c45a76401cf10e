// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab htbench`, with their help.

use std::net::SocketAddr;
use std::path::PathBuf;

use airtab_core::Unit;
use clap::Parser;

use crate::form::Printed;

/// Download and upload over HTTP, many at a time, and keep each connection's volume over time
///
/// The configuration names classes of requests: server, path, GET or PUT, how many at
/// the same time and in all. Each request leaves a file with two columns, t in s and V
/// in bytes: received of a download, acknowledged of an upload. The summary has figures
/// of each class, and Jain's fairness index over time. A client only; any server will do.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab htbench --example > bench.toml        a configuration to start from
  airtab htbench bench.toml --out results      run it; results/dl-0001.txt and so on
  airtab htbench bench.toml --duration 10s --json
  airtab htbench --trigger 192.0.2.255:9999    start all machines that wait with
                                               'start = \"broadcast:9999\"'
  airtab htbench --merge laptop1 laptop2 --out all       their results as one
  airtab htbench --convert bench.ini > bench.toml        a configuration of earlier versions

Plot a connection: gnuplot -p -e \"plot 'results/dl-0001.txt' with steps\"")]
pub struct Htbench {
    /// Configuration
    #[arg(value_name = "CONFIG.toml", required_unless_present_any = ["convert", "example", "trigger", "merge"])]
    pub config: Option<PathBuf>,
    /// Where results go, a new or empty directory [default: the configuration's `outdir`]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// End after this time [default: the configuration's duration]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub duration: Option<u64>,
    /// Put results of several machines on one clock: one Jain curve over all flows, in --out
    #[arg(long, value_name = "DIR", num_args = 2.., requires = "out", conflicts_with_all = ["config", "duration"])]
    pub merge: Vec<PathBuf>,
    #[command(flatten)]
    pub form: Printed,
    /// Print a configuration to start from
    #[arg(long, exclusive = true)]
    pub example: bool,
    /// Print a configuration in INI, as earlier versions had them, as TOML
    #[arg(long, value_name = "CONFIG.ini", exclusive = true)]
    pub convert: Option<PathBuf>,
    /// Send the datagram that other machines wait for
    #[arg(long, value_name = "ADDRESS:PORT", exclusive = true)]
    pub trigger: Option<SocketAddr>,
}

/// ns.
fn time(text: &str) -> Result<u64, String> {
    match Unit::Ns.parse(text) {
        Ok(0) => Err("more than 0s".into()),
        result => result.map_err(|e| e.to_string()),
    }
}
