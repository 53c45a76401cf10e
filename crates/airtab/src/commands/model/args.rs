// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab model`, with their help.

use std::path::PathBuf;
use std::str::FromStr;

use airtab_core::Unit;
use airtab_scenario::QueueSpec;
use clap::{Args, Parser, Subcommand};

use crate::args::whole;
use crate::form::Printed;

/// What the literature's formulas predict, and the disciplines beside them
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model chap credits --rates 2:3:5      between which bounds credits move
  airtab model chap delay --engine             waiting times: the formula, and the discipline itself
  airtab model chap burst                      how long bursts hold up a flow without credit
  airtab model chap increment                  why I is 25 ms
  airtab model bianchi                         what n busy stations get through
  airtab model blockack --error 0.1            how long aggregates are when frames are lost
  airtab model anomaly                         what a slow station leaves of the others
  airtab model contention access --method dcf,idle-sense,hash1   how often stations collide, how long they wait
  airtab model cbt borrow                      what classes of one FIFO queue get of what others leave
  airtab model size bdp                        how many packets a queue needs, by several rules
  airtab model wqm --rate 300Mb/s --ticks 60   a limit that follows how long the queue takes to drain
  airtab model dnb --rates 11,5.5,2,11         one buffer for all hops that share a channel")]
pub struct Model {
    #[command(subcommand)]
    pub command: ModelCommand,
}

#[derive(Subcommand)]
pub enum ModelCommand {
    Chap(Chap),
    Bianchi(Bianchi),
    Blockack(Blockack),
    Anomaly(Anomaly),
    Contention(Contention),
    Cbt(super::cbt::args::Cbt),
    Size(super::sizing::args::Size),
    Wqm(super::sizing::args::Wqm),
    Dnb(super::sizing::args::Dnb),
}

/// Credits, delays and bursts under CHAP (C.-S. Lee, dissertation, WPI 2010, chapter 5)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model chap credits --rates 2:3:5 --out figures
  airtab model chap delay --rho 0.2,0.5,0.8 --out figures")]
pub struct Chap {
    #[command(subcommand)]
    pub command: ChapCommand,
}

#[derive(Subcommand)]
pub enum ChapCommand {
    Credits(Credits),
    Delay(Delay),
    Burst(Burst),
    Increment(Increment),
}

/// Between which bounds credits move, and how often a flow has more than all faster ones
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model chap credits --rates 2:3:5
  airtab model chap credits --rates 2:3:5 --costs 15:3:5 --increment 10ms
  airtab model chap credits --rates 0.1:0.9 --out figures

All flows are backlogged and share the link in these rates. Only their ratios
count; with costs, rate times cost does.")]
pub struct Credits {
    /// Packets of each flow in a unit of time
    #[arg(long, value_name = "RATE:RATE:...", default_value = "2:3:5")]
    pub rates: Numbers,
    /// What a packet of each flow costs, in any unit [default: all the same]
    #[arg(long, value_name = "COST:COST:...")]
    pub costs: Option<Numbers>,
    /// I, what a boost adds
    #[arg(long, value_name = "TIME", default_value = "25ms", value_parser = time)]
    pub increment: u64,
    #[command(flatten)]
    pub form: Form,
}

/// Mean waiting times of a slow and a fast flow (figures 5.4 and 6.5)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model chap delay
  airtab model chap delay --kappa 1/9,5/9,8/9,1 --engine
  airtab model chap delay --rho 0.8 --kappa 8/9 --engine=chap:increment=1ms,chap:increment=100ms,fifo
  airtab model chap delay --rho 0.2,0.5,0.8 --out figures

Waits are in services. The formula assumes that credits are independent and
does not conserve work: --engine shows what the discipline itself does.")]
pub struct Delay {
    /// Loads: the share of time that the server is busy
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0.5")]
    pub rho: Vec<Load>,
    /// Ratios of the slow flow's rate to the fast one's, as 0.5 or 1/2
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"
    )]
    pub kappa: Vec<Kappa>,
    /// Also run the discipline itself before a server of fixed times: Poisson arrivals, parameters as in
    /// `airtab compare` [default: chap:profile=faithful]
    #[arg(long, value_name = "LIST", value_delimiter = ',', num_args = 0..=1, require_equals = true,
        default_missing_value = "chap:profile=faithful")]
    pub engine: Vec<QueueSpec>,
    /// What the server takes for a packet
    #[arg(long, value_name = "TIME", default_value = "306us", value_parser = time, requires = "engine")]
    pub service: u64,
    /// Simulated time of a run
    #[arg(long = "duration", value_name = "TIME", default_value = "400s", value_parser = time, requires = "engine")]
    pub length: u64,
    /// Runs for each figure, with seeds 1 to N; 2 or more give intervals
    #[arg(long, value_name = "N", default_value_t = 5, requires = "engine",
        value_parser = whole::<u64>(1..=10_000))]
    pub seeds: u64,
    #[command(flatten)]
    pub form: Form,
}

/// How long bursts of idle flows hold up a flow without credit: 2nI, and the discipline itself
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model chap burst
  airtab model chap burst --flows 5 --queue chap:increment=10ms")]
pub struct Burst {
    /// Up to so many idle flows burst together
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u16>(1..=100))]
    pub flows: u16,
    /// What a packet costs; at most the increment
    #[arg(long, value_name = "TIME", default_value = "444us", value_parser = time)]
    pub service: u64,
    /// The discipline: chap, with parameters as in `airtab compare`
    #[arg(long, value_name = "NAME", default_value = "chap:profile=faithful")]
    pub queue: QueueSpec,
    #[command(flatten)]
    pub form: Printed,
}

/// The bounds of I: a burst must fit in, and bursts must not be felt
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model chap increment
  airtab model chap increment --throughput 300Mb/s --page 2MB")]
pub struct Increment {
    /// Delay that users notice
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = time)]
    pub noticed: u64,
    /// Bursts that must stay within it
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = whole::<u16>(1..=65_535))]
    pub bursts: u16,
    /// A burst that I must cover: a mean web page
    #[arg(long, value_name = "SIZE", default_value = "74172B", value_parser = size)]
    pub page: u64,
    /// What applications get of the link
    #[arg(long, value_name = "RATE", default_value = "27Mb/s", value_parser = rate)]
    pub throughput: u64,
    #[command(flatten)]
    pub form: Printed,
}

/// Throughput and collisions of stations that always have a frame to send (G. Bianchi, JSAC 2000)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model bianchi
  airtab model bianchi --profile std-11b --rate 11Mb/s --stations 1,5,50
  airtab model bianchi --profile std-11n --frames 28

With rates by MCS, stations contend as best effort of EDCA does.")]
pub struct Bianchi {
    /// How many stations contend; the access point is one
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,3,5,10,20,50",
        value_parser = whole::<u32>(1..=1000))]
    pub stations: Vec<u32>,
    /// 802.11 constants, by the name of their profile
    #[arg(long, visible_alias = "phy", value_name = "PROFILE", default_value = "phy-a")]
    pub profile: String,
    /// Rate of data frames, one of the profile's [default: its highest]
    #[arg(long, value_name = "RATE")]
    pub rate: Option<String>,
    #[command(flatten)]
    pub mcs: Mcs,
    /// Frames of an aggregate [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=256))]
    pub frames: Option<u32>,
    /// Length of an IP packet
    #[arg(long, value_name = "SIZE", default_value = "1500B", value_parser = size)]
    pub size: u64,
    #[command(flatten)]
    pub form: Printed,
}

/// Lengths of aggregates and goodput of one sender whose frames are lost (block-ack window of IEEE 802.11)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model blockack --error 0.1,0.3,0.5
  airtab model blockack --profile std-11ac --mcs 9 --error 0.1
  airtab model blockack --window 8 --frames 8 --error 0.3 --attempts 4

Windows of at most 10 are solved exactly. For wider ones the chain is close:
docs/model-aggregates.md says how close.")]
pub struct Blockack {
    /// Sequence numbers from the oldest unacknowledged on [default: the profile's]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=256))]
    pub window: Option<u32>,
    /// Frames of an aggregate, at most [default: the most that the standard lets into one]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=256))]
    pub frames: Option<u32>,
    /// Probabilities that a frame is lost
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0.1")]
    pub error: Vec<ErrorRate>,
    /// How often a frame is sent before it is given up [default: until it is through]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=250))]
    pub attempts: Option<u32>,
    /// 802.11 constants, by the name of a profile that has rates by MCS
    #[arg(long, value_name = "PROFILE", default_value = "std-11n")]
    pub profile: String,
    #[command(flatten)]
    pub mcs: Mcs,
    /// Length of an IP packet
    #[arg(long, value_name = "SIZE", default_value = "1500B", value_parser = size)]
    pub size: u64,
    #[command(flatten)]
    pub form: Printed,
}

/// A rate by MCS.
#[derive(Args, Debug, PartialEq)]
pub struct Mcs {
    /// MCS of each stream [default: the highest]
    #[arg(long, value_name = "N", value_parser = whole::<u8>(0..=11))]
    pub mcs: Option<u8>,
    /// Spatial streams [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u8>(1..=8))]
    pub streams: Option<u8>,
    /// Width of the channel, MHz [default: the profile's]
    #[arg(long, value_name = "MHZ", value_parser = whole::<u16>(20..=160))]
    pub width: Option<u16>,
    /// Guard interval, ns [default: 800]
    #[arg(long, value_name = "NS", value_parser = whole::<u16>(400..=3200))]
    pub gi: Option<u16>,
}

/// What a slow station leaves of a cell that sends aggregates in turn, and what equal air would give
/// (T. Hoiland-Jorgensen et al., USENIX ATC 2017)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model anomaly
  airtab model anomaly --rates 65Mb/s,6.5Mb/s --aggregates 12kB,3kB --fair-aggregates 30kB,3kB

Aggregates are means, in bytes of IP: what waits when a station's turn comes.
They are measured or assumed; a station with less air has shorter ones.")]
pub struct Anomaly {
    /// Rate at which each station's data is sent
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "144.4Mb/s,144.4Mb/s,7.2Mb/s",
        value_parser = rate)]
    pub rates: Vec<u64>,
    /// Mean aggregate of each station when each sends one in turn
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "6892B,7833B,2914B",
        value_parser = size)]
    pub aggregates: Vec<u64>,
    /// Mean aggregate of each station with equal air
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "28434B,28557B,2914B",
        value_parser = size)]
    pub fair_aggregates: Vec<u64>,
    /// Preamble of an aggregate
    #[arg(long, value_name = "TIME", default_value = "32us", value_parser = time)]
    pub preamble: u64,
    /// Interframe spaces, mean backoff and acknowledgement of an aggregate
    #[arg(long, value_name = "TIME", default_value = "150us", value_parser = time)]
    pub overhead: u64,
    #[command(flatten)]
    pub form: Printed,
}

/// Contention of saturated stations: collisions, waits, short-term fairness, costs (P. Starzetz, thesis, INPG 2006)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model contention access --method dcf,idle-sense,hash1
  airtab model contention fairness --method dcf,dcf-m,idle-sense --n 15 --k 1,10,100
  airtab model contention waste --out figures

A parameter takes a list: every combination is a row. --out draws over the parameter that has most values.")]
pub struct Contention {
    #[command(subcommand)]
    pub asked: super::contention::Asked,
}

/// Where the answer goes.
#[derive(Args)]
pub struct Form {
    #[command(flatten)]
    pub printed: Printed,
    /// Also draw it, as an SVG for light and dark pages with its data as CSV beside it, into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// `2:3:5`.
#[derive(Clone, Debug)]
pub struct Numbers(pub Vec<f64>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Numbers, String> {
        let number = |part: &str| {
            let parsed = part.trim().parse().ok().filter(|x: &f64| x.is_finite());
            parsed.ok_or_else(|| format!("'{part}' is not a number; write numbers with colons, as 2:3:5"))
        };
        Ok(Numbers(text.split(':').map(number).collect::<Result<_, _>>()?))
    }
}

/// From 0 to below 1.
#[derive(Clone, Copy, Debug)]
pub struct ErrorRate(pub f64);

impl FromStr for ErrorRate {
    type Err = String;

    fn from_str(text: &str) -> Result<ErrorRate, String> {
        let rate = text.parse().ok().filter(|x: &f64| (0.0..1.0).contains(x));
        rate.map(ErrorRate)
            .ok_or_else(|| format!("'{text}' is no error rate: from 0 to below 1, such as 0.1"))
    }
}

/// A load above 0 and below 1.
#[derive(Clone, Copy, Debug)]
pub struct Load(pub f64);

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> Result<Load, String> {
        let load = text.parse().ok().filter(|x: &f64| *x > 0.0 && *x < 1.0);
        load.map(Load).ok_or_else(|| format!("'{text}' is no load: above 0 and below 1, such as 0.5"))
    }
}

/// A ratio above 0, at most 1, as it was written.
#[derive(Clone, Debug)]
pub struct Kappa {
    pub written: String,
    pub value: f64,
}

impl FromStr for Kappa {
    type Err = String;

    fn from_str(text: &str) -> Result<Kappa, String> {
        let (above, below) = text.split_once('/').unwrap_or((text, "1"));
        let number = |part: &str| part.trim().parse::<f64>().ok();
        let ratio = number(above).zip(number(below)).map(|(a, b)| a / b).filter(|x| *x > 0.0 && *x <= 1.0);
        ratio
            .map(|value| Kappa { written: text.trim().into(), value })
            .ok_or_else(|| format!("'{text}' is no ratio: above 0 and at most 1, such as 0.5 or 8/9"))
    }
}

/// At least 1 of a unit.
fn some(unit: Unit, text: &str) -> Result<u64, String> {
    match unit.parse(text) {
        Ok(0) => Err(format!("'{text}' is nothing; give more than 0")),
        Ok(value) => Ok(value),
        Err(e) => Err(e.to_string()),
    }
}

pub(super) fn time(text: &str) -> Result<u64, String> {
    some(Unit::Ns, text)
}

pub(super) fn size(text: &str) -> Result<u64, String> {
    some(Unit::Bytes, text)
}

fn rate(text: &str) -> Result<u64, String> {
    some(Unit::Bps, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_values() {
        let load = |text: &str| text.parse::<Load>().ok().map(|load| load.0);
        let error = |text: &str| text.parse::<ErrorRate>().ok().map(|rate| rate.0);
        let kappa = |text: &str| text.parse::<Kappa>().ok().map(|kappa| (kappa.written, kappa.value));
        for (text, as_load, as_error, as_ratio) in [
            ("0", None, Some(0.0), None),
            ("0.25", Some(0.25), Some(0.25), Some(0.25)),
            ("0.999", Some(0.999), Some(0.999), Some(0.999)),
            ("1", None, None, Some(1.0)),
            ("1.001", None, None, None),
            ("-0.5", None, None, None),
            ("nan", None, None, None),
            ("x", None, None, None),
            ("2/8", None, None, Some(0.25)),
            ("8/2", None, None, None),
            ("1/0", None, None, None),
        ] {
            assert_eq!((load(text), error(text)), (as_load, as_error), "{text}");
            assert_eq!(kappa(text), as_ratio.map(|ratio| (text.to_string(), ratio)), "{text}");
        }
        assert_eq!(kappa(" 8/9 ").map(|kappa| kappa.0).as_deref(), Some("8/9"));
        let numbers = |text: &str| text.parse::<Numbers>().map(|numbers| numbers.0);
        assert_eq!(numbers("2: 0.5:-1"), Ok(vec![2.0, 0.5, -1.0]));
        assert_eq!(numbers("7"), Ok(vec![7.0]));
        assert!(numbers("2:inf").is_err() && numbers("2::3").is_err());
        assert_eq!((time("3ms"), size("2kB"), rate("27Mb/s")), (Ok(3_000_000), Ok(2_000), Ok(27_000_000)));
    }
}
