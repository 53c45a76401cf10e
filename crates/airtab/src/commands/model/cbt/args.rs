// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab model cbt`, with their help.

use std::path::PathBuf;

use airtab_model::cbt::study::Mix;
use airtab_model::cbt::wire;
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::super::args::{Form, size, time};
use super::values::{self, Allocation, Loss, Named, named};
use crate::args::whole;
use crate::commands::classes::args::RULES;

/// Class-Based Thresholds: one FIFO queue, each class limited by its average (M. Parris, dissertation, UNC 2001)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt plan --link 10Mb/s --latency 30ms --class tcp=rest --class call=2Mb/s
  airtab model cbt thresholds --mix bulk-mpeg --latency 100ms,30ms
  airtab model cbt borrow --load other=0,100KB/s,500KB/s
  airtab model cbt latency --wire ethernet

KB/s are 1000 bytes, KiB/s 1024. The study's allocations are KiB/s where thresholds come of them
(thresholds, shares, latency, burst), and KB/s where its rates are compared (borrow).")]
pub struct Cbt {
    #[command(subcommand)]
    pub command: CbtCommand,
}

#[derive(Subcommand)]
pub enum CbtCommand {
    Plan(Plan),
    Thresholds(Thresholds),
    Shares(Shares),
    Borrow(Borrow),
    Latency(Latency),
    Burst(Burst),
    Red(Red),
    Fred(Fred),
    Frames(Frames),
    Rate(Rate),
}

/// Which classes there are.
#[derive(Args)]
pub struct Classes {
    /// Classes tcp, mm and other of the study: http-mpeg, bulk-mpeg, http-proshare, bulk-proshare or ramp
    #[arg(long, value_name = "NAME", conflicts_with = "class", value_parser = values::mix)]
    pub mix: Option<&'static Mix>,
    /// A class of your own, with what it is to have: a rate, a percentage of --link, or rest
    #[arg(long, value_name = "NAME=RATE", value_parser = named(values::allocation))]
    pub class: Vec<Named<Allocation>>,
    /// A class's mean packet [default: the study's; 1500B of your own]
    #[arg(long, value_name = "NAME=SIZE", value_parser = named(size))]
    pub packet: Vec<Named<u64>>,
}

/// What they send.
#[derive(Args)]
pub struct Loads {
    /// What a class sends, or several such rates with commas; 0 if it is silent, busy if it always has a packet
    /// [default: busy]
    #[arg(long, value_name = "NAME=RATE", value_parser = named(values::loads))]
    pub load: Vec<Named<Vec<f64>>>,
}

/// What a frame is on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Wire {
    /// Its bytes.
    None,
    /// 24 bytes more: FCS, preamble, gap.
    Ethernet,
}

impl Wire {
    /// Bytes beside a frame.
    pub fn overhead(self) -> f64 {
        match self {
            Wire::None => 0.0,
            Wire::Ethernet => wire::ETHERNET,
        }
    }
}

/// Thresholds for rates and a latency, of any link: may a queue have them, what do they guarantee, what comes of loads
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt plan --link 10Mb/s --latency 30ms --class tcp=rest --class call=2Mb/s \\
      --class other=1Mb/s --load call=1.6Mb/s
  airtab model cbt plan --link 100Mb/s --latency 5ms --class tcp=rest --class video=20%
  airtab model cbt plan --link 10Mb/s --latency 30ms --class tcp=rest --class mm=peak \\
      --class other=1Mb/s --from after.pcap
  airtab model cbt plan --link 10Mb/s --latency 30ms --class tcp=rest --class call=2Mb/s \\
      --class other=1Mb/s --rules tcp=0,dscp:ef=1,*=2 --tc eth0

Thresholds are in bytes, as the link counts them: B L, for which no packet size need be known.
Refused, with the least that works: less than the full packets that a class may always hold, more
than the link, bursts that the queue does not hold.")]
pub struct Plan {
    /// What the link carries
    #[arg(long, value_name = "RATE", value_parser = values::rate)]
    pub link: f64,
    /// How long a packet may wait on average when all classes are busy
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub latency: u64,
    /// A class, with what it is to have: a rate, a percentage of the link, rest (what others leave), or peak (its
    /// largest mean of 2 s in the capture)
    #[arg(long, value_name = "NAME=RATE", required = true, value_parser = named(values::planned))]
    pub class: Vec<Named<Allocation>>,
    /// A capture whose packets and mean loads are taken where nothing is said of them, as 'airtab classes' shows them;
    /// - for standard input
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Which class a packet of the capture, or of --tc's device, is of: 0 is the first --class; see 'airtab classes'
    #[arg(long, value_name = "RULES", default_value = RULES)]
    pub rules: String,
    /// Show commands of Linux for this network device: cbt behind tbf, and the same wish as HTB with fq_codel and as CAKE
    #[arg(long, value_name = "DEVICE", value_parser = values::device)]
    pub tc: Option<String>,
    /// Run each situation in the simulator and show measured beside predicted; the exit code is 1 if any is off by
    /// more than 10 %
    #[arg(long)]
    pub verify: bool,
    /// What a frame of the capture is on the wire
    #[arg(long, value_enum, default_value_t = Wire::Ethernet, requires = "from")]
    pub wire: Wire,
    /// A class's mean packet, for drain rates and bursts [default: a full one]
    #[arg(long, value_name = "NAME=SIZE", value_parser = named(size))]
    pub packet: Vec<Named<u64>>,
    /// Weight of a new sample in a class's average; a larger one lets in less at once [default: 1/256]
    #[arg(long, value_name = "NAME=W", value_parser = named(values::weight))]
    pub weight: Vec<Named<f64>>,
    #[command(flatten)]
    pub loads: Loads,
    /// A full packet as the link counts it
    #[arg(long, value_name = "SIZE", default_value = "1538B", value_parser = size)]
    pub full: u64,
    /// Packets that a class may hold before its average is asked
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u32>(0..=10_000))]
    pub guard: u32,
    /// Packets that the queue holds
    #[arg(long, value_name = "N", default_value_t = 240, value_parser = whole::<u32>(1..=1_000_000))]
    pub limit: u32,
    #[command(flatten)]
    pub form: Form,
}

/// Thresholds for rates and a latency (eq. 4.1, B.4, B.5; tables 4.3, 5.2, 5.3)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt thresholds --mix http-mpeg
  airtab model cbt thresholds --class mm=185KiB/s --packet mm=889B --latency 100ms
  airtab model cbt thresholds --mix bulk-mpeg --latency 20ms,40ms,60ms,80ms,100ms --out figures

Thresholds are real numbers: rounded, they are other rates.")]
pub struct Thresholds {
    #[command(flatten)]
    pub classes: Classes,
    /// L, how long a packet may wait on average when all classes are busy
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "100ms,30ms", value_parser = time)]
    pub latency: Vec<u64>,
    /// What the link carries, for percentages and rest
    #[arg(long, value_name = "RATE", value_parser = values::rate)]
    pub link: Option<f64>,
    #[command(flatten)]
    pub form: Form,
}

/// Shares and rates that thresholds make when all classes are busy (eq. 4.2, 4.3, 6.1, 6.2)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt shares --mix bulk-mpeg --wire ethernet
  airtab model cbt shares --mix bulk-mpeg --sends mm=400B
  airtab model cbt shares --threshold a=10 --threshold b=10 --packet a=1000B --packet b=500B

A class whose packets are longer than its threshold was made for gets more (V.2.1.2).")]
pub struct Shares {
    #[command(flatten)]
    pub classes: Classes,
    /// A class by its threshold, packets, in place of a rate
    #[arg(long, value_name = "NAME=N", conflicts_with_all = ["mix", "class"],
        value_parser = named(values::packets))]
    pub threshold: Vec<Named<f64>>,
    /// Mean packet that a class really sends [default: the one of its threshold]
    #[arg(long, value_name = "NAME=SIZE", value_parser = named(size))]
    pub sends: Vec<Named<u64>>,
    /// L, for which thresholds are made
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = time)]
    pub latency: u64,
    /// What the link carries [default: the sum of the rates or, of thresholds and with --wire ethernet, 10Mb/s]
    #[arg(long, value_name = "RATE", value_parser = values::rate)]
    pub link: Option<f64>,
    /// What a frame is on the wire
    #[arg(long, value_enum, default_value_t = Wire::None)]
    pub wire: Wire,
    #[command(flatten)]
    pub form: Form,
}

/// What classes get of what others leave (eq. 4.12 to 4.18; tables 4.6 to 4.8)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt borrow
  airtab model cbt borrow --load mm=340KB/s --load other=0,100KB/s,300KB/s,500KB/s --out figures
  airtab model cbt borrow --class tcp=935KB/s --class mm=140KB/s --class other=150KB/s \\
      --load tcp=700KB/s --load mm=160KB/s --load other=1000KB/s --steps

Without anything said it is the run whose load changes: 575, 150 and 500 KB/s, 340 KB/s of
multimedia, and 0 to 800 of the rest.")]
pub struct Borrow {
    #[command(flatten)]
    pub classes: Classes,
    #[command(flatten)]
    pub loads: Loads,
    /// What the link carries, if the rates do not sum to it
    #[arg(long, value_name = "RATE", value_parser = values::rate)]
    pub link: Option<f64>,
    /// Every iteration, of one load for each class
    #[arg(long)]
    pub steps: bool,
    #[command(flatten)]
    pub form: Form,
}

/// How long packets wait: all classes busy, and with loads (eq. 4.2, 4.26, 4.27; tables 4.5, 4.9)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt latency --wire ethernet
  airtab model cbt latency --wire ethernet --path 2.5ms --out figures
  airtab model cbt latency --mix ramp --latency 100ms --wire ethernet \\
      --load mm=340KB/s --load other=0,200KB/s,500KB/s

All classes wait the same: it is one queue. Beside it is what a queue of its own would make each
class wait, of 60 packets (CBQ): nothing while it gets all it sends.")]
pub struct Latency {
    #[command(flatten)]
    pub classes: Classes,
    #[command(flatten)]
    pub loads: Loads,
    /// L, for which thresholds are made
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "20ms,40ms,60ms,80ms,100ms",
        value_parser = time)]
    pub latency: Vec<u64>,
    /// What a frame is on the wire
    #[arg(long, value_enum, default_value_t = Wire::None)]
    pub wire: Wire,
    /// What the link carries [default: the sum of the rates; with --wire ethernet 10Mb/s]
    #[arg(long, value_name = "RATE", value_parser = values::rate)]
    pub link: Option<f64>,
    /// The way and the hosts beside the queue, added
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub path: Option<u64>,
    #[command(flatten)]
    pub form: Form,
}

/// What a class lets in at once, empty and idle until then (IV.3.2, eq. B.2)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt burst --mix http-mpeg
  airtab model cbt burst --class video=200KB/s --packet video=889B --weight video=1/64 --latency 30ms
  airtab model cbt burst --mix bulk-mpeg --every 500ms")]
pub struct Burst {
    #[command(flatten)]
    pub classes: Classes,
    /// Weight of a new sample in a class's average [default: the study's; 1/256 of your own]
    #[arg(long, value_name = "NAME=W", value_parser = named(values::weight))]
    pub weight: Vec<Named<f64>>,
    /// L, for which thresholds are made
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "100ms,30ms", value_parser = time)]
    pub latency: Vec<u64>,
    /// Packets that a class may hold before its average is asked
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u32>(0..=10_000))]
    pub guard: u32,
    /// Packets that the queue holds
    #[arg(long, value_name = "N", default_value_t = 240, value_parser = whole::<u32>(1..=1_000_000))]
    pub limit: u32,
    /// What the link carries
    #[arg(long, value_name = "RATE", default_value = "10Mb/s", value_parser = values::rate)]
    pub link: f64,
    /// How often such a burst comes: what that asks of the link
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub every: Option<u64>,
    #[command(flatten)]
    pub form: Form,
}

/// One queue of whole packets, and its link
#[derive(Args)]
pub struct Queue {
    /// Mean packet
    #[arg(long, value_name = "SIZE", default_value = "1500B", value_parser = size)]
    pub packet: u64,
    /// Packets that the queue holds
    #[arg(long, value_name = "N", default_value_t = 240, value_parser = whole::<u32>(1..=1_000_000))]
    pub limit: u32,
    /// What the link carries
    #[arg(long, value_name = "RATE", default_value = "10Mb/s", value_parser = values::rate)]
    pub link: f64,
}

/// Random Early Detection: when it drops, and how long packets wait (III.3.2, eq. B.1 to B.3)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt red
  airtab model cbt red --average 22.5 --count 0,10,18,19
  airtab model cbt red --average 5,10,20,30,40 --count 0,5 --out figures
  airtab model cbt red --th-max 120 --packet 1000B

A class between two thresholds drops like this, too.")]
pub struct Red {
    /// Averages of the queue, packets
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "5.35,12,22.5,40",
        value_parser = values::packets)]
    pub average: Vec<f64>,
    /// Packets that came since the last drop
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0,8",
        value_parser = whole::<u64>(0..=1_000_000_000))]
    pub count: Vec<u64>,
    /// Lower threshold, packets; 0 is one
    #[arg(long, value_name = "N", default_value = "5", value_parser = values::packets_or_none)]
    pub th_min: f64,
    /// Upper threshold, packets
    #[arg(long, value_name = "N", default_value = "40", value_parser = values::packets)]
    pub th_max: f64,
    /// Probability of a drop at the upper threshold
    #[arg(long, value_name = "P", default_value = "0.1", value_parser = values::weight)]
    pub max_p: f64,
    /// Weight of a new sample in the average
    #[arg(long, value_name = "W", default_value = "1/256", value_parser = values::weight)]
    pub weight: f64,
    #[command(flatten)]
    pub queue: Queue,
    #[command(flatten)]
    pub form: Form,
}

/// Flow Random Early Drop: what a flow that does not yield gets (III.3.3)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt fred
  airtab model cbt fred --th-min 2,5,15 --th-max 40,60,80,120,180 --out figures

With more active flows than half of the limit, two packets of each fill the queue, and only the
limit bounds the wait.")]
pub struct Fred {
    /// Lower thresholds, packets: the most that a flow holds
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "3,4,5",
        value_parser = values::packets)]
    pub th_min: Vec<f64>,
    /// Upper thresholds, packets
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "40,60,120,180",
        value_parser = values::packets)]
    pub th_max: Vec<f64>,
    #[command(flatten)]
    pub queue: Queue,
    #[command(flatten)]
    pub form: Form,
}

/// Frames of an MPEG video whose packets are lost: whole ones, and playable ones (A.3.3.2)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt frames
  airtab model cbt frames --loss 0,1,2,5,10,20,30 --out figures
  airtab model cbt frames --loss 1%,5%,20%

Of the study's video: 30 frames/s, I B B P B B of 5.26, 1.69 and 1 packets, 54.75 packets/s. Losses
are independent.")]
pub struct Frames {
    /// Packets that are lost, in a second, or as a percentage
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0.62,1.1,2.6,8.2,9.2,10.2,13.7,19,33.1",
        value_parser = values::loss)]
    pub loss: Vec<Loss>,
    #[command(flatten)]
    pub form: Form,
}

/// What TCP gets by its losses and its window, and what the study's browsers ask for (eq. 2.1, 3.1; A.3.4)
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab model cbt rate
  airtab model cbt rate --rtt 20ms,50ms,100ms,200ms --loss 0.1%,1%,5% --out figures
  airtab model cbt rate --rtt 220ms --window 16KiB --browsers 1500")]
pub struct Rate {
    /// Round trips
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "50ms,126ms,220ms", value_parser = time)]
    pub rtt: Vec<u64>,
    /// Share of packets that are lost
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0.1%,1%,5%",
        value_parser = values::part)]
    pub loss: Vec<f64>,
    /// Payload of a segment
    #[arg(long, value_name = "SIZE", default_value = "1460B", value_parser = size)]
    pub segment: u64,
    /// Window of a flow
    #[arg(long, value_name = "SIZE", default_value = "16KiB", value_parser = size)]
    pub window: u64,
    /// What the link carries
    #[arg(long, value_name = "RATE", default_value = "10Mb/s", value_parser = values::rate)]
    pub link: f64,
    /// Simulated browsers
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = whole::<u32>(0..=10_000_000))]
    pub browsers: u32,
    #[command(flatten)]
    pub form: Form,
}
