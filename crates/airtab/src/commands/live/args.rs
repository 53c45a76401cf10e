// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab live`, with their help.

use std::path::PathBuf;

use airtab_scenario::{QueueList, QueueSpec};
use clap::{Args, Parser, Subcommand};

use crate::args::{Reasons, flent_file};
use crate::form::{Form, Printed};

/// A house on this machine: real sockets in network namespaces, behind an access point in real time
///
/// The access point runs the same disciplines over the same Wi-Fi cell as the
/// simulator, by the wall clock. Needs root (namespaces), and touches no network
/// device that it did not make.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab live up home.toml --queue fifo        build the house and stay; Ctrl-C takes it down
  ip netns exec airtab-home-sta-laptop ping 10.0.255.1
                                               in a second terminal: ping over the Wi-Fi hop alone
  airtab live run home.toml --queue chap       with its applications, and judge them at the end
  airtab live queue chap                       another discipline, under traffic
  airtab live set laptop distance 12           the laptop walks away
  airtab live down                             take it down from anywhere, or clean up after a kill")]
pub struct Live {
    #[command(subcommand)]
    pub command: LiveCommand,
}

#[derive(Subcommand)]
pub enum LiveCommand {
    Up(Up),
    Run(RunHouse),
    Watch(Watch),
    Down(Down),
    Set(Set),
    Queue(Queue),
}

/// Build a house and run its access point until Ctrl-C or `airtab live down`
#[derive(Parser)]
pub struct Up {
    /// House file: a scenario file (see `airtab scenario show`), or - for standard input
    #[arg(value_name = "HOUSE.toml")]
    pub house: PathBuf,
    #[command(flatten)]
    pub access_point: AccessPoint,
}

/// How its access point runs.
#[derive(Args)]
pub struct AccessPoint {
    /// Discipline of the access point, with parameters as in `airtab compare`
    #[arg(long, value_name = "NAME", default_value = "chap")]
    pub queue: QueueSpec,
    /// Seed of backoffs and losses
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub show: Show,
    /// Serve Prometheus metrics on this port of the loopback, such as 9130
    #[arg(long, value_name = "PORT")]
    pub metrics_port: Option<u16>,
}

/// What one sees of a running house.
#[derive(Args)]
pub struct Show {
    #[command(flatten)]
    pub form: Printed,
    /// Print plain text each second, also on a terminal
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub plain: bool,
}

/// Build a house, run its applications by their schedule, and judge what they felt
///
/// Real programs: iperf3, nginx, a page loader, games and calls over UDP. The
/// figures are those of `airtab run`, which simulates the same file.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab live run home.toml --queue fifo
  airtab live run home.toml --queues fifo,chap --json
  airtab live run rrul --queues fifo,fq_codel --flent rrul.flent.gz")]
pub struct RunHouse {
    /// House file: a scenario file (see `airtab scenario show`), or the name of one that airtab brings, such as rrul; or
    /// the id of a live experiment, as `airtab experiment run` takes it, which brings its own disciplines and seeds
    #[arg(value_name = "HOUSE.toml|NAME|ID")]
    pub house: PathBuf,
    /// Disciplines to run it with, one after the other
    #[arg(long, value_name = "LIST", default_value = "chap", alias = "queue")]
    pub queues: QueueList,
    /// Seed of backoffs, losses, pages and phases
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Divide all times of the schedule by 10: fast, and good for a first look only
    #[arg(long, conflicts_with = "quick")]
    pub short: bool,
    /// Of an experiment: only the points that verdicts need, with fewer seeds
    #[arg(long)]
    pub quick: bool,
    #[command(flatten)]
    pub form: Form,
    #[command(flatten)]
    pub reasons: Reasons,
    /// Also write it for flent, whose plots draw it beside real networks; under several disciplines a file for each,
    /// FILE-chap.flent.gz and so on
    #[arg(long, value_name = "FILE.flent.gz", value_parser = flent_file())]
    pub flent: Option<PathBuf>,
    /// Serve Prometheus metrics on this port of the loopback, such as 9130
    #[arg(long, value_name = "PORT")]
    pub metrics_port: Option<u16>,
}

/// See what a running house does: who uses the air, what waits where, who suffers
#[derive(Parser)]
pub struct Watch {
    #[command(flatten)]
    pub show: Show,
    #[command(flatten)]
    pub of: Of,
}

/// Take a house down, or remove what a killed run left
#[derive(Parser)]
pub struct Down {
    /// Its name [default: every house that is up]
    #[arg(value_name = "HOUSE")]
    pub house: Option<String>,
}

/// Change a station of a running house
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab live set laptop distance 12
  airtab live set laptop fer 0.25
  airtab live set tv rate 12Mb/s
  airtab live set tv mcs 3
  airtab live set tv rate_control minstrel")]
pub struct Set {
    /// Its name in the house file
    pub station: String,
    /// What to change: distance, fer, rate, or where rates are by MCS: mcs, streams, gi, width, snr, rate_control
    pub key: String,
    /// To what, as in house files
    #[arg(allow_hyphen_values = true)]
    pub value: String,
    #[command(flatten)]
    pub of: Of,
}

/// Replace the discipline of a running house; queued packets are handed over
#[derive(Parser)]
pub struct Queue {
    /// The new one, with parameters as in `airtab compare`
    #[arg(value_name = "NAME")]
    pub queue: QueueSpec,
    #[command(flatten)]
    pub of: Of,
}

/// Which running house.
#[derive(Args)]
pub struct Of {
    /// Name of the house [default: the one that is up]
    #[arg(long, value_name = "HOUSE")]
    pub house: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> LiveCommand {
        let words = ["live"].into_iter().chain(line.split_whitespace());
        Live::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).command
    }

    #[test]
    fn each_option_of_an_access_point_is_read() {
        let up = |line: &str| match parsed(line) {
            LiveCommand::Up(Up { house, access_point: point }) => (
                house,
                point.queue.label,
                point.seed,
                point.show.plain,
                point.show.form.is_json(),
                point.metrics_port,
            ),
            _ => panic!("it is up"),
        };
        assert_eq!(up("up h.toml"), ("h.toml".into(), "chap".into(), 1, false, false, None));
        assert_eq!(
            up("up h.toml --queue fifo:limit=9 --seed 7 --plain --metrics-port 9130"),
            ("h.toml".into(), "fifo:limit=9".into(), 7, true, false, Some(9130))
        );
        assert!(up("up h.toml --json").4);
        let run = |line: &str| match parsed(line) {
            LiveCommand::Run(run) => {
                let labels: Vec<String> = run.queues.iter().map(|queue| queue.label.clone()).collect();
                (labels.join(" "), run.seed, run.short, run.quick, run.flent, run.metrics_port)
            }
            _ => panic!("it is run"),
        };
        assert_eq!(run("run h.toml"), ("chap".into(), 1, false, false, None, None));
        assert_eq!(run("run h.toml --queue fifo").0, "fifo", "as in `live up`");
        assert_eq!(
            run("run h.toml --queues fifo,chap:limit=9 --seed 5 --short --flent a.flent.gz --metrics-port 8"),
            ("fifo chap:limit=9".into(), 5, true, false, Some("a.flent.gz".into()), Some(8))
        );
        assert!(run("run chap/fair --quick").3);
        let both = ["live", "run", "h.toml", "--quick", "--short"];
        assert!(Live::try_parse_from(both).is_err());
    }

    #[test]
    fn a_house_is_named_or_the_one_that_is_up() {
        let house = |line: &str| match parsed(line) {
            LiveCommand::Down(down) => down.house,
            LiveCommand::Watch(watch) => watch.of.house,
            LiveCommand::Set(set) => set.of.house,
            LiveCommand::Queue(queue) => queue.of.house,
            _ => panic!("it has none"),
        };
        for (line, named) in [
            ("down", "down home"),
            ("watch", "watch --house home"),
            ("set tv fer 0.5", "set tv fer 0.5 --house home"),
            ("queue fifo", "queue fifo --house home"),
        ] {
            assert_eq!((house(line), house(named)), (None, Some("home".into())), "{line}");
        }
        match parsed("set tv snr -3") {
            LiveCommand::Set(set) => {
                assert_eq!([set.station, set.key, set.value], ["tv", "snr", "-3"]);
            }
            _ => panic!("it is set"),
        }
    }
}
