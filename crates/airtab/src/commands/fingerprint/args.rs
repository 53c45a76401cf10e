// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab fingerprint`, with their help.

use std::path::PathBuf;

use airtab_core::{Phy, Unit};
use airtab_lab::fingerprint::address;
use clap::Parser;

use crate::form::Printed;

/// Say of Wi-Fi cards whether they wait as the standard wants it, from a monitor's capture or from arrival times
///
/// A card that always has a frame leaves gaps of an interframe space and a whole number of slots: the backoff that
/// it drew. A capture (pcap, pcapng: 802.11 behind radiotap) shows those of every transmitter at once; what others
/// send in between is taken off. A file of arrival times (.txt, a time in s on each line, as 'airtab cbr -L --arrivals'
/// writes it) shows those of one card that sends packets of one length while nobody else does.
///
/// Named are: slots that are never drawn, a window of another length, slots that are not equally likely, draws that
/// count or repeat themselves, a window that does not double after a failure, an interframe space that is too short.
/// Fewer draws than 30 for each slot of the window are too few, and nothing is said then. Conformant cards
/// are accused once in a thousand captures or less often.
#[derive(Parser)]
#[command(after_help = "Examples:
  tcpdump -i mon0 -y IEEE802_11_RADIO -s 256 -w air.pcap      a capture, on a monitor interface
  airtab fingerprint air.pcap --phy std-11g
  airtab fingerprint air.pcap --station 02:61:74:01:00:00 --json
  airtab compare scenarios/anomaly.toml --short --queues fifo --out d --pcap=6s
  airtab fingerprint d/air-fifo.pcapng                        it names its profile
  zcat air.pcap.gz | airtab fingerprint - --phy std-11g
  airtab cbr -L -s 9000 --arrivals gaps.txt                   at the receiver; a lone sender: cbr -r 1Gb/s -l 1024
  airtab fingerprint gaps.txt --phy std-11b --exchange 1297.27us

Exit code 1: something is held against a card, or nothing could be said of any.")]
pub struct Fingerprint {
    /// Captures, or files of arrival times whose names end in .txt; - for standard input, which may be either
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Only this transmitter
    #[arg(long, value_name = "MAC", value_parser = address)]
    pub station: Option<[u8; 6]>,
    /// Constants of 802.11, as 'airtab airtime' lists them; without them a guess by rates or slots accuses no card
    /// [default: the profile that a capture of airtab names, else a guess]
    #[arg(long, value_name = "NAME", value_parser = phy)]
    pub phy: Option<Phy>,
    /// Of arrival times: what a packet takes from its first bit to the last of its ACK ('airtab airtime' says it); a short
    /// interframe space shows then
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub exchange: Option<u64>,
    #[command(flatten)]
    pub form: Printed,
}

fn phy(text: &str) -> Result<Phy, String> {
    let known = || Phy::all().map(|phy| phy.name()).collect::<Vec<_>>().join(", ");
    Phy::named(text).ok_or_else(|| format!("no such profile; known: {}", known()))
}

/// ns.
fn time(text: &str) -> Result<u64, String> {
    match Unit::Ns.parse(text) {
        Ok(ns @ 1..=1_000_000_000) => Ok(ns),
        Ok(_) => Err("more than 0ns, at most 1s".into()),
        Err(e) => Err(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_takes_at_most_a_second() {
        for (text, ns) in [("1ns", 1), ("1297.27us", 1_297_270), ("1s", 1_000_000_000)] {
            assert_eq!(time(text), Ok(ns), "{text}");
        }
        for wrong in ["0us", "1000000001ns", "2s"] {
            assert_eq!(time(wrong), Err("more than 0ns, at most 1s".into()), "{wrong}");
        }
    }

    #[test]
    fn each_option_is_read() {
        let read = |words: &[&str]| Fingerprint::try_parse_from([&["fingerprint"], words].concat());
        let plain = read(&["a.pcap", "b.txt"]).expect("right");
        assert_eq!(plain.files, [PathBuf::from("a.pcap"), "b.txt".into()]);
        assert!(plain.station.is_none() && plain.phy.is_none() && plain.exchange.is_none());
        let all = ["a", "--station", "02:61:74:01:00:09", "--phy", "std-11g", "--exchange", "2ms"];
        let all = read(&all).expect("right");
        assert_eq!(all.station, Some([2, 0x61, 0x74, 1, 0, 9]));
        assert_eq!((all.phy.map(|phy| phy.name()), all.exchange), (Some("std-11g"), Some(2_000_000)));
        let said = read(&["a", "--phy", "11g"]).map(|_| ()).expect_err("none").to_string();
        let names: Vec<_> = Phy::all().map(|phy| phy.name()).collect();
        assert!(said.contains(&format!("no such profile; known: {}", names.join(", "))), "{said}");
    }
}
