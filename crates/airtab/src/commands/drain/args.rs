// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab drain`, with their help.

use airtab_core::Unit;
use clap::Parser;

use crate::args::whole;
use crate::form::Printed;

/// Show how long the queue of a Wi-Fi interface takes to drain, and tell its wqm what that takes to know
///
/// A line for each look: R, the rate of frames to the station that is sent to most; K, the frames of an aggregate of
/// 4 ms at that rate; BL, what waits in the queue discipline and below it; F, the share of time in which others
/// leave the channel free ("?": the driver does not say, and it counts as all); T = (BL / R) / F, how long BL takes.
/// The kernel tells no queue discipline of R, K and F; with --apply this does, whenever one of them changes.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab drain wlan0                             until Ctrl-C
  airtab drain wlan0 --count 1 --json | jq .drain_seconds
  tc qdisc replace dev wlan0 root wqm            as root; its limit follows what it is told of the link
  airtab drain wlan0 --apply --interval 1s       as root: rate, frames and free of that wqm follow the link
docs/drain.md has more.")]
pub struct Drain {
    /// The Wi-Fi interface; `iw dev` lists them
    #[arg(value_name = "DEVICE")]
    pub device: String,
    /// Give R, K and F to each wqm of the interface (needs root, or CAP_NET_ADMIN)
    #[arg(long)]
    pub apply: bool,
    /// From one look to the next, 10ms to 60s
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = interval)]
    pub interval: u64,
    /// Looks; 0: until it is interrupted
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>(0..=u64::MAX))]
    pub count: u64,
    #[command(flatten)]
    pub form: Printed,
}

fn interval(text: &str) -> Result<u64, String> {
    match Unit::Ns.parse(text) {
        Ok(ns @ 10_000_000..=60_000_000_000) => Ok(ns),
        Ok(_) => Err("give a time from 10ms to 60s".into()),
        Err(e) => Err(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_both_ends_of_its_range() {
        assert_eq!(
            [interval("10ms"), interval("60s"), interval("1min")],
            [Ok(10_000_000), Ok(60_000_000_000), Ok(60_000_000_000)]
        );
        for wrong in ["9ms", "9999999ns", "60001ms", "0s"] {
            assert_eq!(interval(wrong), Err("give a time from 10ms to 60s".into()), "{wrong}");
        }
        assert!(interval("5").is_err_and(|e| e.contains("'5' is not a time with its unit")));
    }

    #[test]
    fn it_looks_ten_times_a_second_until_it_is_interrupted() {
        let read = |words: &[&str]| {
            let own = Drain::try_parse_from([&["drain", "wlan0"], words].concat()).expect("right");
            (own.device, own.apply, own.interval, own.count, own.form.is_json())
        };
        assert_eq!(read(&[]), ("wlan0".into(), false, 100_000_000, 0, false));
        let all = ["--apply", "--interval", "2s", "--count", "7", "--json"];
        assert_eq!(read(&all), ("wlan0".into(), true, 2_000_000_000, 7, true));
    }
}
