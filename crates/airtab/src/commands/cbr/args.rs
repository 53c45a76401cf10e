// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab cbr`, with their help. Short ones are those of the tool that it is after (Starzetz
//! 6.3.1); `-h` is a host there.

use std::net::IpAddr;
use std::path::PathBuf;

use airtab_core::Unit;
use clap::{ArgAction, ArgGroup, Parser};

use crate::form::Printed;

/// Send UDP at a constant rate and measure what arrives, and how long it takes
///
/// Run a receiver (-L) on one machine and a sender on another. What a sender sends
/// means little on a network that drops packets: with -R on both ends some packets
/// come back, which gives round-trip times, and they carry the rate at which the
/// receiver gets data. If the way back is another network, such as a cable beside a
/// radio, the round-trip time is as good as that of the way there.
#[derive(Parser)]
#[command(
    override_usage = "airtab cbr -h HOST -p PORT -r RATE [OPTIONS]\n       airtab cbr -L -s PORT [OPTIONS]"
)]
#[command(disable_help_flag = true, group = ArgGroup::new("step").args(["steps", "add"]))]
#[command(after_help = "Examples:
  airtab cbr -L -s 9000 -R                                the receiver; it answers PINGs
  airtab cbr -h 192.0.2.1 -p 9000 -r 5Mb/s -R             5 Mb/s to it, with round-trip times
  airtab cbr -h 192.0.2.1 -p 9000 -r 10Gb/s -l 1024       as fast as the network takes it
  airtab cbr -h 192.0.2.1 -p 9000 -l 64 -r 64kb/s -M 1024kb/s -a 64kb/s -T 60
                                                          a sweep: 16 rates, a minute each
  airtab cbr -6 -h ::1 -p 9000 -r 1Mb/s -R -F rtt.txt --duration 30s
                                                          IPv6, and every sample in a file
  airtab cbr -L -s 9000 --arrivals gaps.txt               when each packet came, for 'airtab fingerprint'

Rates have units (300kb/s, 5.5Mb/s); plain numbers are seconds in times and bytes in
sizes. Ctrl-C ends it with the summary.")]
pub struct Cbr {
    /// IPv6
    #[arg(short = '6', long)]
    pub ipv6: bool,
    /// Where to send: an address or a name
    #[arg(short = 'h', long, value_name = "HOST", required_unless_present = "listen")]
    pub host: Option<String>,
    /// Port to send to
    #[arg(short, long, value_name = "PORT", required_unless_present = "listen")]
    pub port: Option<u16>,
    /// Port to send from; with -L the port to receive on
    #[arg(short, long, value_name = "PORT", required_if_eq("listen", "true"))]
    pub source_port: Option<u16>,
    /// Local address, on machines with several
    #[arg(long, value_name = "ADDRESS")]
    pub bind: Option<IpAddr>,
    /// Average rate; the first one of a sweep
    #[arg(short, long, value_name = "RATE", value_parser = rate, required_unless_present = "listen")]
    pub rate: Option<u64>,
    /// Peak rate: how fast packets may follow each other at most [default: as fast as can be]
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub peak: Option<u64>,
    /// Sweep: the last rate
    #[arg(short = 'M', long, value_name = "RATE", value_parser = rate, requires_all = ["step_time", "step"])]
    pub max_rate: Option<u64>,
    /// Sweep: how long each rate is kept
    #[arg(short = 'T', long, value_name = "TIME", value_parser = time, requires = "max_rate")]
    pub step_time: Option<u64>,
    /// Sweep: number of steps between the first and the last rate
    #[arg(short = 'n', long, value_name = "N", requires = "max_rate")]
    pub steps: Option<u32>,
    /// Sweep: or what each step adds
    #[arg(short, long, value_name = "RATE", value_parser = rate, requires = "max_rate")]
    pub add: Option<u64>,
    /// UDP payload of each packet; at least the 40 bytes of its header
    #[arg(short, long, value_name = "BYTES", value_parser = size, default_value = "1000")]
    pub length: u64,
    /// Bucket depth: what may be made up for after a pause [default: 50 ms at the rate, at least 4 packets]
    #[arg(short, long, value_name = "BYTES", value_parser = size)]
    pub burst: Option<u64>,
    /// Rates with IP and UDP headers (28 bytes, IPv6 48)
    #[arg(short = 'H', long)]
    pub headers: bool,
    /// From one report to the next
    #[arg(short = 'u', long, value_name = "TIME", value_parser = time, default_value = "2s")]
    pub interval: u64,
    /// Round-trip times; must be given on both ends
    #[arg(short = 'R', long)]
    pub rtt: bool,
    /// PINGs at random instead of regular distances, the same share
    #[arg(short = 'U', long, requires = "rtt")]
    pub random: bool,
    /// Share of the packets that are PINGs
    #[arg(short = 'N', long, value_name = "RATIO", default_value_t = 0.1)]
    pub ratio: f64,
    /// PINGs to wait for at the same time; none is what 10 s hold
    #[arg(short = 'P', long, value_name = "N|none", value_parser = depth, default_value = "none")]
    pub depth: Depth,
    /// Save every round-trip time in this file
    #[arg(short = 'F', long, value_name = "FILE", requires = "rtt")]
    pub rtt_file: Option<PathBuf>,
    /// No line with the names of the columns
    #[arg(short = 'S', long)]
    pub no_header: bool,
    /// Receive
    #[arg(short = 'L', long, conflicts_with_all = [
        "host", "port", "rate", "peak", "max_rate", "add", "steps", "burst", "random", "rtt_file",
    ])]
    pub listen: bool,
    /// With -L: write the time at which the kernel took each datagram, in s since 1970, a line each, into this file;
    /// 'airtab fingerprint FILE.txt' reads it
    #[arg(long, value_name = "FILE", requires = "listen", conflicts_with = "host")]
    pub arrivals: Option<PathBuf>,
    /// End after this time [default: a sweep's last step, else Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub duration: Option<u64>,
    #[command(flatten)]
    pub form: Printed,
    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
}

/// PINGs to wait for; none: automatic.
#[derive(Clone, Copy)]
pub struct Depth(pub Option<usize>);

fn depth(text: &str) -> Result<Depth, String> {
    match (text, text.parse()) {
        ("none", _) => Ok(Depth(None)),
        (_, Ok(n)) => Ok(Depth(Some(n))),
        _ => Err("a number, or none".into()),
    }
}

fn rate(text: &str) -> Result<u64, String> {
    Unit::Bps.parse(text).map_err(|e| e.to_string())
}

fn size(text: &str) -> Result<u64, String> {
    Unit::Bytes.parse(text).map_err(|e| e.to_string())
}

/// With a unit, or in seconds. ns.
fn time(text: &str) -> Result<u64, String> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let text = if plain { format!("{text}s") } else { text.into() };
    Unit::Ns.parse(&text).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_are_seconds_and_bytes() {
        for (text, ns) in
            [("5", 5_000_000_000), ("0.25", 250_000_000), ("1.5", 1_500_000_000), ("7ms", 7_000_000)]
        {
            assert_eq!(time(text), Ok(ns), "{text}");
        }
        for wrong in ["", ".", "1,5", "x", "-1"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
        assert_eq!([size("700"), size("9kB")], [Ok(700), Ok(9_000)]);
        assert!(rate("5").is_err(), "a rate has a unit");
        assert_eq!(rate("5.5Mb/s"), Ok(5_500_000));
        let depths = ["none", "0", "77"].map(|text| depth(text).map(|depth| depth.0));
        assert_eq!(depths, [Ok(None), Ok(Some(0)), Ok(Some(77))]);
        assert_eq!(depth("many").map(|depth| depth.0), Err("a number, or none".into()));
    }

    /// Options of one end are refused at the other; a sweep needs all of its options.
    #[test]
    fn options_of_one_end_are_refused_at_the_other() {
        let read =
            |words: &str| Cbr::try_parse_from(["cbr"].into_iter().chain(words.split_whitespace())).is_ok();
        let (send, listen) = ("-h x -p 9 -r 1Mb/s ", "-L -s 9 ");
        for right in [
            "",
            "-s 7",
            "--bind 192.0.2.1",
            "-R -U",
            "-R -F f",
            "-M 2Mb/s -T 1 -n 3",
            "-M 2Mb/s -T 1 -a 1kb/s",
        ] {
            assert!(read(&format!("{send}{right}")), "{right}");
        }
        for wrong in [
            "-L",
            "-U",
            "-F f",
            "-M 2Mb/s",
            "-M 2Mb/s -T 1",
            "-T 1",
            "-n 3",
            "-M 2Mb/s -T 1 -n 3 -a 1kb/s",
            "--arrivals f",
        ] {
            assert!(!read(&format!("{send}{wrong}")), "{wrong}");
        }
        for right in ["", "-R", "-6", "-H -u 3", "--arrivals f", "--duration 3", "--bind ::1", "--json"] {
            assert!(read(&format!("{listen}{right}")), "{right}");
        }
        for wrong in ["-h x", "-p 9", "-r 1Mb/s", "--peak 1Mb/s", "-b 9", "-T 1", "-n 3", "-R -U", "-R -F f"]
        {
            assert!(!read(&format!("{listen}{wrong}")), "{wrong}");
        }
        assert!(!read("-L") && !read("-h x -p 9") && !read("-h x -r 1Mb/s") && !read("-p 9 -r 1Mb/s"));
    }
}
