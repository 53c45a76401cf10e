// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab classes`, with their help.

use std::path::PathBuf;

use clap::Parser;

use crate::commands::model::args::Form;

/// Rules of the study that `airtab model cbt` is of.
pub const RULES: &str = "tcp=0,udp:6000-6010=1,*=2";

/// Say what classes of packets send: load, throughput, goodput, packet sizes, peaks, from a capture of Ethernet or IP
///
/// A capture behind a queue has the throughput of each class; with --before, one of the same time in front of it has
/// what was sent to it. Rules are PATTERN=CLASS with commas; the first that matches decides. Patterns: tcp, udp,
/// tcp:PORT, udp:PORT-PORT (either end's), dscp:NAME, and * for all. Classes are numbered from 0, as --names has them.
#[derive(Parser)]
#[command(after_help = "Examples:
  tcpdump -i eth0 -s 128 -w after.pcap         a capture, behind the queue
  airtab classes after.pcap
  tcpdump -i eth0 -c 100000 -w - | airtab classes -    ends after 100000 packets
  airtab classes after.pcap --before before.pcap --out figures
  airtab classes after.pcap --names bulk,call,rest --rules 'tcp=0,udp:443=0,dscp:ef=1,*=2' --json
  airtab model cbt plan --from after.pcap --link 10Mb/s --latency 30ms --class tcp=rest \\
      --class mm=peak --class other=1Mb/s")]
pub struct Classes {
    /// Capture of one interface, pcap or pcapng; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which class a packet is of
    #[arg(long, value_name = "RULES", default_value = RULES)]
    pub rules: String,
    /// Names of the classes, from 0 on
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "tcp,mm,other")]
    pub names: Vec<String>,
    /// Capture of the same time in front of the queue
    #[arg(long, value_name = "FILE")]
    pub before: Option<PathBuf>,
    #[command(flatten)]
    pub form: Form,
}
