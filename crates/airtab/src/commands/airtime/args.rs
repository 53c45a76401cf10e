// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab airtime`, with their help.

use airtab_core::Unit;
use clap::Parser;

use crate::args::whole;
use crate::form::Printed;

/// How long a frame exchange takes, and what a lone sender gets through with it
///
/// One frame, or an aggregate of several, under a profile of 802.11 constants: the wait before it, the
/// frame, its acknowledgement. Nobody else sends, nothing is lost.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab airtime                                       the profiles
  airtab airtime std-11n --mcs 7 --frames 28
  airtab airtime std-11ac --mcs 9 --streams 2 --gi 400ns --frames 64
  airtab airtime std-11ax --mcs 11 --ru 242 --frames 16 --json
  airtab airtime std-11g --rate 54Mb/s")]
pub struct Airtime {
    /// Profile; without one, a list of all
    #[arg(value_name = "PROFILE")]
    pub profile: Option<String>,
    /// MCS of each stream, of 802.11n, ac and ax: 802.11n's MCS 15 is 7 with 2 streams [default: the highest]
    #[arg(long, value_name = "N", value_parser = whole::<u8>(0..=255))]
    pub mcs: Option<u8>,
    /// Spatial streams [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u8>(0..=255))]
    pub streams: Option<u8>,
    /// Guard interval: 400ns or 800ns; of 802.11ax 800ns, 1.6us or 3.2us [default: 800ns]
    #[arg(long, value_name = "TIME", value_parser = guard_interval)]
    pub gi: Option<u16>,
    /// Width of the channel, MHz [default: the profile's: 20, of 802.11ac and ax at 5 GHz 80]
    #[arg(long, value_name = "MHZ", value_parser = whole::<u16>(0..=65_535))]
    pub width: Option<u16>,
    /// Tones of a resource unit of 802.11ax [default: the whole width]
    #[arg(long, value_name = "TONES", value_parser = whole::<u16>(1..=65_535))]
    pub ru: Option<u16>,
    /// Rate of a profile without MCS, one of its own [default: its highest]
    #[arg(long, value_name = "RATE")]
    pub rate: Option<String>,
    /// Frames in an aggregate
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u32>(1..=65_535))]
    pub frames: u32,
    /// Length of each IP packet; with LLC it is at most the 2304 bytes of an MSDU
    #[arg(long, value_name = "BYTES", default_value_t = 1500, value_parser = whole::<u32>(1..=2296))]
    pub bytes: u32,
    #[command(flatten)]
    pub form: Printed,
}

fn guard_interval(text: &str) -> Result<u16, String> {
    let ns = Unit::Ns.parse(text).map_err(|e| e.to_string())?;
    u16::try_from(ns).map_err(|_| format!("{text} is no guard interval: 400ns to 3.2us"))
}
