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
    /// Configuration, or - for standard input
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
    /// Print a configuration in INI, as earlier versions had them, as TOML; - for standard input
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_above_0() {
        assert_eq!([time("1ns"), time("300ms")], [Ok(1), Ok(300_000_000)]);
        assert_eq!(time("0s"), Err("more than 0s".into()));
        assert!(time("3").is_err_and(|e| e.contains("'3' is not a time with its unit")));
    }

    /// Actions exclude each other; a merge needs two directories to read and one to write.
    #[test]
    fn one_thing_is_asked_for_at_a_time() {
        let read = |words: &[&str]| Htbench::try_parse_from([&["htbench"], words].concat());
        for right in [
            &["b.toml"][..],
            &["b.toml", "--out", "d", "--duration", "3s", "--json"],
            &["--example"],
            &["--convert", "b.ini"],
            &["--trigger", "192.0.2.255:9"],
            &["--merge", "a", "b", "c", "--out", "d"],
        ] {
            assert!(read(right).is_ok(), "{right:?}");
        }
        for wrong in [
            &[][..],
            &["--out", "d"],
            &["b.toml", "--example"],
            &["b.toml", "--convert", "b.ini"],
            &["b.toml", "--trigger", "192.0.2.255:9"],
            &["--trigger", "192.0.2.255"],
            &["--merge", "a", "b"],
            &["--merge", "a", "--out", "d"],
            &["--merge", "a", "b", "--out", "d", "--duration", "3s"],
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
        let merged = read(&["--merge", "a", "b", "c", "--out", "d"]).expect("right");
        assert_eq!(merged.merge, [PathBuf::from("a"), "b".into(), "c".into()]);
    }
}
