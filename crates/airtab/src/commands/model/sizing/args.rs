// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab model size`, `wqm` and `dnb`, with their help.

use airtab_model::sizing::dnb::{Origin, Rounding};
use airtab_model::sizing::exchange::{Constants, DNB_11B, WQM_11N};
use airtab_model::sizing::split::Split;
use airtab_model::sizing::wqm::law::{Law, Params};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::super::args::{Form, size, time};
use super::values;
use crate::args::whole;

/// How many packets a queue needs: fixed rules, and rules that follow the service time (A. Showail, dissertation,
/// KAUST 2016, 2.3)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model size bdp --rate 6.5,65,600 --rtt 200ms
  airtab model size sqrt --flows 1,10,100
  airtab model size astar --service 2ms --size 100 --idle 300ms

The first three are of wired links: their rates are constant. The others follow what an access
point sees of its queue. None knows aggregates; `airtab model wqm` does.")]
pub struct Size {
    #[command(subcommand)]
    pub command: SizeCommand,
}

#[derive(Subcommand)]
pub enum SizeCommand {
    Bdp(Bdp),
    Sqrt(Sqrt),
    Tiny(Tiny),
    Ebdp(Ebdp),
    Alt(Alt),
    Astar(Astar),
}

/// A bottleneck.
#[derive(Args)]
pub struct Pipe {
    /// What the bottleneck carries; a plain number is Mb/s
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "54Mb/s", value_parser = values::mbps)]
    pub rate: Vec<f64>,
    /// Round trips, without a queue
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "200ms", value_parser = time)]
    pub rtt: Vec<u64>,
    /// A packet
    #[arg(long, value_name = "SIZE", default_value = "1500B", value_parser = size)]
    pub packet: u64,
}

/// Round trip times capacity: for one TCP flow, or several that halve their windows together
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model size bdp
  airtab model size bdp --rate 6.5,13,65,144.4,300,600 --rtt 20ms,200ms --out figures")]
pub struct Bdp {
    #[command(flatten)]
    pub pipe: Pipe,
    #[command(flatten)]
    pub form: Form,
}

/// The same over the square root of the flows: for many whose windows have nothing to do with each other
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model size sqrt
  airtab model size sqrt --rate 300Mb/s --rtt 40ms --flows 1,4,16,64 --out figures")]
pub struct Sqrt {
    #[command(flatten)]
    pub pipe: Pipe,
    /// Flows
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,10,100",
        value_parser = whole::<u32>(1..=1_000_000))]
    pub flows: Vec<u32>,
    #[command(flatten)]
    pub form: Form,
}

/// Tiny buffers: the logarithm of a flow's window, for a part of the link
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model size tiny
  airtab model size tiny --window 8,64,512 --utilisation 80%,90%,95% --out figures

Packets must come spread out: paced, or from many slow links.")]
pub struct Tiny {
    /// Largest window of a flow, packets
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "16,64,256",
        value_parser = whole::<u32>(1..=1_000_000))]
    pub window: Vec<u32>,
    /// Part of the link that is to be used
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "85%,90%", value_parser = values::part)]
    pub utilisation: Vec<f64>,
    /// What all flows send at their largest windows, as a part of the link
    #[arg(long, value_name = "PART", default_value = "50%", value_parser = values::part)]
    pub load: f64,
    #[command(flatten)]
    pub form: Form,
}

/// What a queue's head waits.
#[derive(Args)]
pub struct Served {
    /// Mean time of a packet from the head of the queue until it is delivered
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0.5ms,2ms", value_parser = time)]
    pub service: Vec<u64>,
    /// T_max, how long packets may wait
    #[arg(long, value_name = "TIME", default_value = "200ms", value_parser = time)]
    pub wait: u64,
    /// c, packets that are added for bursts
    #[arg(long, value_name = "N", default_value = "5", value_parser = values::packets)]
    pub burst: f64,
    /// Q_max, packets
    #[arg(long, value_name = "N", default_value = "400", value_parser = values::packets)]
    pub most: f64,
}

/// How a queue was used.
#[derive(Args)]
pub struct Used {
    /// Packets that the queue may hold now
    #[arg(long, value_name = "N", default_value = "100", value_parser = values::packets)]
    pub size: f64,
    /// How long the queue is empty in an interval; the rest of it, it is not
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "300ms", value_parser = values::time_or_none)]
    pub idle: Vec<u64>,
    /// Between two adjustments
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = time)]
    pub interval: u64,
    /// a, packets that a second without a packet adds
    #[arg(long, value_name = "N", default_value = "10", value_parser = values::gain)]
    pub grow: f64,
    /// b, packets that a second with one takes
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::gain)]
    pub shrink: f64,
    /// Adjustments, one after the other
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<usize>(1..=10_000))]
    pub steps: usize,
}

/// eBDP: what the measured service time lets through in 200 ms (eq. 2.1)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model size ebdp
  airtab model size ebdp --service 0.3ms,1ms,2ms,5ms,20ms --out figures")]
pub struct Ebdp {
    #[command(flatten)]
    pub served: Served,
    #[command(flatten)]
    pub form: Form,
}

/// ALT: more while the queue is empty, less while it is not (eq. 2.2)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model size alt
  airtab model size alt --size 350 --idle 0,50ms,100ms --steps 250 --out figures

Where the queue is never empty it loses a packet in a second: that is slow.")]
pub struct Alt {
    #[command(flatten)]
    pub used: Used,
    #[command(flatten)]
    pub form: Form,
}

/// A*: the smaller of eBDP and ALT (eq. 2.3)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model size astar --service 2ms
  airtab model size astar --service 0.5ms --size 350 --idle 0 --steps 250 --out figures")]
pub struct Astar {
    #[command(flatten)]
    pub served: Served,
    #[command(flatten)]
    pub used: Used,
    #[command(flatten)]
    pub form: Form,
}

/// Constants of 802.11, by the name of their profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Frames {
    /// The bytes that a rate sends in 4 ms, as the source has it: the preamble is left out.
    #[value(name = "wqm-11n")]
    Formula,
    /// Exact times of 802.11n, preamble and symbols.
    #[value(name = "std-11n")]
    Exact,
}

/// Which law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// For access points of today: room for an aggregate, a largest limit of 5 ms, no growth of what is not used.
    Hardened,
    /// As the dissertation has it: 2.5 ms, 95 packets at most.
    Faithful,
}

impl Profile {
    pub fn params(self) -> Params {
        match self {
            Profile::Hardened => Params::HARDENED,
            Profile::Faithful => Params::FAITHFUL,
        }
    }
}

/// WQM: a limit from rate and aggregate that follows how long the queue takes to drain (A. Showail, dissertation,
/// KAUST 2016, 5.3)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model wqm --rate 300Mb/s --frames 32 --ticks 60 --out figures
  airtab model wqm --rate 300Mb/s --queue 45 --ticks 60 --free 0.5
  airtab model wqm --rate 6.5,13,26,52,65,78,104,130,144.4,300,600
  airtab model wqm --rate 130 --phy std-11n
  airtab model wqm --rate 6.5,600 --queue 1000         how long 1000 packets take

Every 100 ms the queue's drain time T = (BL / R) / F is held against the aim. Above it twice in a
row, the limit B is halved, but never below an aggregate (K); below it twice, it gains a packet.
BL is what waits, R the rate, F the free share of time.")]
pub struct Wqm {
    /// R, at which data is sent; a plain number is Mb/s
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "300Mb/s", value_parser = values::mbps)]
    pub rate: Vec<f64>,
    /// K, frames of an aggregate [default: what the rate sends in 4 ms]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1024), conflicts_with_all = ["phy", "cap"])]
    pub frames: Option<u32>,
    /// Where K comes from
    #[arg(long, value_enum, default_value = "wqm-11n")]
    pub phy: Frames,
    /// Frames that the driver puts into one aggregate
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = whole::<u32>(1..=64))]
    pub cap: u32,
    /// Which law
    #[arg(long, value_enum, default_value = "hardened")]
    pub profile: Profile,
    /// Packets that wait, of which at each look as many as the limit lets [default: the limit]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=1_000_000))]
    pub queue: Option<u32>,
    /// F, the share of time that the channel is free for this sender: 1 over those who contend
    #[arg(long, value_name = "F", default_value = "1", value_parser = values::free)]
    pub free: f64,
    /// Looks, one every 100 ms [default: 12 of one rate, none of several]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..=10_000))]
    pub ticks: Option<usize>,
    /// The drain time that is aimed at [default: 2.5ms, or an aggregate's if that is longer and the law hardened]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub drain: Option<u64>,
    /// Smallest limit, packets [default: K]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    pub least: Option<u32>,
    /// Largest limit, packets [default: 5 ms at the rate; faithful 95]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    pub most: Option<u32>,
    /// First limit, packets [default: R ARTT]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    pub first: Option<u32>,
    /// Looks in a row until the limit moves
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = whole::<u32>(1..=1000))]
    pub confirm: u32,
    /// How the limit rises and falls: aimd (+1, half), aiad (+1, -1), miad (twice, -1), mimd (twice, half)
    #[arg(long, value_name = "LAW", default_value = "aimd", value_parser = values::law)]
    pub law: Law,
    /// Also count what is around aggregates, which have so many frames on average
    #[arg(long, value_name = "N", value_parser = values::mean_frames)]
    pub kavg: Option<f64>,
    #[command(flatten)]
    pub form: Form,
}

/// What exchanges take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Exchange {
    /// 802.11b of the study's chapter 4: up to 11 Mb/s.
    #[value(name = "dnb-11b")]
    B,
    /// 802.11n of its chapter 5, without aggregates.
    #[value(name = "wqm-11n")]
    N,
}

impl Exchange {
    pub fn constants(self) -> Constants {
        match self {
            Exchange::B => DNB_11B,
            Exchange::N => WQM_11N,
        }
    }
}

/// To whole packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Round {
    /// As the study.
    Nearest,
    /// No less than the bound.
    Up,
}

impl From<Round> for Rounding {
    fn from(round: Round) -> Rounding {
        match round {
            Round::Nearest => Rounding::Nearest,
            Round::Up => Rounding::Up,
        }
    }
}

/// Which queue is node 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum First {
    /// The sender's.
    Queue,
    /// The first relay's: the sender keeps its own.
    Relay,
}

impl From<First> for Origin {
    fn from(first: First) -> Origin {
        match first {
            First::Queue => Origin::FirstQueue,
            First::Relay => Origin::FirstRelay,
        }
    }
}

/// DNB: one buffer for all hops that share a channel, and how they share it (A. Showail, dissertation, KAUST 2016, 4.3)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model dnb --rates 11,5.5,2,11
  airtab model dnb --rates 11,11,11,11 --split ratio,greedy,equal --out figures
  airtab model dnb --rates 65,65,65,65 --phy wqm-11n --buffer 85 --split greedy
  airtab model dnb --rates 11,11,11,11 --load 1Mb/s --idle 0.25

The rates are of one collision domain's links, in the order of the flow: of a chain, of five links
at most. The domain holds B = RTT lambda; a later node gets more of it, because what is dropped
there was carried farther.")]
pub struct Dnb {
    /// Rate of each hop; plain numbers are Mb/s
    #[arg(long, value_name = "LIST", value_delimiter = ',', required = true, value_parser = values::mbps)]
    pub rates: Vec<f64>,
    /// How the hops share B: ratio, greedy, exact, equal
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "ratio", value_parser = values::split)]
    pub split: Vec<Split>,
    /// B, packets [default: RTT lambda]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    pub buffer: Option<u32>,
    /// 802.11 constants
    #[arg(long, value_enum, default_value = "dnb-11b")]
    pub phy: Exchange,
    /// L, a packet in lambda: the slowest rate over it
    #[arg(long, value_name = "SIZE", default_value = "1460B", value_parser = size)]
    pub packet: u64,
    /// To whole packets
    #[arg(long, value_enum, default_value = "nearest")]
    pub rounding: Round,
    /// Whose queue is the first that shares B
    #[arg(long, value_enum, default_value = "queue")]
    pub origin: First,
    /// Fixed delay beside the domain, such as an access line's
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = values::time_or_none)]
    pub extra: u64,
    /// RTS and CTS before data
    #[arg(long)]
    pub rts: bool,
    /// At least so many packets for each hop: an aggregate (not in the study)
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1024))]
    pub least: Option<u32>,
    /// Rate of the flow, for the domain's utilisation
    #[arg(long, value_name = "RATE", value_parser = values::mbps)]
    pub load: Option<f64>,
    /// Probability that a node has nothing to send, for contention
    #[arg(long, value_name = "P", default_value = "0", value_parser = values::idle)]
    pub idle: f64,
    #[command(flatten)]
    pub form: Form,
}
