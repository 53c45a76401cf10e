// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab airsim`, with their help.

use airtab_core::Unit;
use clap::{Args, Parser, Subcommand};

use crate::args::whole;
use crate::form::Printed;

/// A virtual Wi-Fi cell of network devices: try queueing on Wi-Fi without a radio
///
/// The kernel's module airsim makes the devices of an access point and its stations, which share one
/// channel by the rules of 802.11. Queue disciplines, namespaces, and programs are used on them as on any
/// device. Needs root, or CAP_NET_ADMIN in the network namespace.
#[derive(Parser)]
#[command(after_help = "A session:
  make -C kernel install && modprobe airsim            once
  airtab airsim new air0 --phy std-11g                 the access point's device
  airtab airsim station air0 fast --rate 54Mb/s        a station's
  airtab airsim station air0 slow --rate 6Mb/s --fer 0.1
  ip link set air0 up && ip addr add 10.7.0.1/24 dev air0
  ip netns add fast && ip link set fast netns fast     each station on a machine of its own
  ip -n fast link set fast up && ip -n fast addr add 10.7.0.2/24 dev fast
  ip netns add slow && ip link set slow netns slow
  ip -n slow link set slow up && ip -n slow addr add 10.7.0.3/24 dev slow
  tc qdisc replace dev air0 root chap                  what is tried
  ip netns exec fast iperf3 -s -D; ip netns exec slow iperf3 -s -D
  iperf3 -c 10.7.0.2 -t 30 & iperf3 -c 10.7.0.3 -t 30 &
  ping 10.7.0.2
  airtab airsim show                                   who had how much of the air
  airtab airsim del air0                               with its stations
docs/airsim.md has more.")]
pub struct Airsim {
    #[command(subcommand)]
    pub command: AirsimCommand,
}

#[derive(Subcommand)]
pub enum AirsimCommand {
    New(New),
    Set(Set),
    Station(Station),
    Del(Del),
    Show(Show),
}

/// Make a cell: the device of its access point
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab airsim new air0
  airtab airsim new air0 --phy std-11n --ampdu 64 --ring 512
  airtab airsim new air0 --stop off --completions 32 --completion-delay 1ms")]
pub struct New {
    /// Name of the access point's device
    #[arg(value_name = "DEVICE")]
    pub device: String,
    /// Profile of 802.11 constants; `airtab airtime` lists them [default: std-11g]
    #[arg(long, value_name = "PROFILE")]
    pub phy: Option<String>,
    /// Seed of backoffs and losses [default: a random one]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..=u64::MAX))]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub driver: Driver,
}

/// Change a cell while it runs; what is not named stays
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab airsim set air0 --ring 64
  airtab airsim set air0 --orphan on")]
pub struct Set {
    /// The access point's device
    #[arg(value_name = "DEVICE")]
    pub device: String,
    #[command(flatten)]
    pub driver: Driver,
}

/// The access point's driver, and how frames are sent.
#[derive(Args, Default)]
pub struct Driver {
    /// Packets that the driver takes from the queue until they are sent or given up [default: 1000]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=u32::MAX.into()))]
    pub ring: Option<u32>,
    /// Whether it stops its queue when the ring is full; `off`: what comes then is dropped [default: on]
    #[arg(long, value_name = "on|off", value_parser = on_off)]
    pub stop: Option<u32>,
    /// MPDUs of an aggregate, up to the profile's window; 1: none are made [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=u32::MAX.into()))]
    pub ampdu: Option<u32>,
    /// How long an aggregate may take [default: 4ms]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub ampdu_time: Option<u32>,
    /// Times that a frame is sent before it is given up [default: 7]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=u32::MAX.into()))]
    pub attempts: Option<u32>,
    /// Completions come so many at once; 0: by their delay alone [default: 0]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=u32::MAX.into()))]
    pub completions: Option<u32>,
    /// ... or so long after the first of them [default: 0ns]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub completion_delay: Option<u32>,
    /// Whether the driver lets packets go as it gets them, so that nobody learns when they were sent [default: off]
    #[arg(long, value_name = "on|off", value_parser = on_off)]
    pub orphan: Option<u32>,
}

/// Add a station, a device, to a cell; or change one
///
/// A new one is made in this network namespace and can be moved to another: it stays in its cell.
/// `ip link del` takes it away.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab airsim station air0 fast --rate 54Mb/s
  airtab airsim station air0 far --mcs 3 --fer 0.1     with a profile that has MCS
  airtab airsim station air0 far --asleep on           nothing is sent to it until it is off")]
pub struct Station {
    /// The access point's device
    #[arg(value_name = "DEVICE")]
    pub device: String,
    /// Name of the station, which is that of its device
    #[arg(value_name = "STATION")]
    pub name: String,
    /// Its rate, both ways: one of the profile's in Mb/s
    #[arg(long, value_name = "RATE", value_parser = kbps)]
    pub rate: Option<u32>,
    /// Or its MCS, of each stream
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=u32::MAX.into()))]
    pub mcs: Option<u32>,
    /// Spatial streams [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=u32::MAX.into()))]
    pub streams: Option<u32>,
    /// MHz [default: the profile's]
    #[arg(long, value_name = "MHZ", value_parser = whole::<u32>(0..=u32::MAX.into()))]
    pub width: Option<u32>,
    /// Guard interval [default: 800ns]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub gi: Option<u32>,
    /// Share of frames, and of their acknowledgements, that are lost, 0 to 1 [default: 0]
    #[arg(long, value_name = "RATIO", value_parser = ppm)]
    pub fer: Option<u32>,
    /// Whether it sleeps: the driver keeps what is for it [default: off]
    #[arg(long, value_name = "on|off", value_parser = on_off)]
    pub asleep: Option<u32>,
}

/// Remove a cell with its stations
#[derive(Parser)]
pub struct Del {
    /// The access point's device
    #[arg(value_name = "DEVICE")]
    pub device: String,
}

/// Show the cells of this network namespace: how they are set, and where the airtime went
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab airsim show
  airtab airsim show air0 --json | jq '.cells[0].stations[] | {name, air: .down.air_ns}'")]
pub struct Show {
    /// The access point's device [default: all]
    #[arg(value_name = "DEVICE")]
    pub device: Option<String>,
    #[command(flatten)]
    pub form: Printed,
}

/// A value of 32 bits, whose range the module has.
fn word(unit: Unit, text: &str, divide: u64) -> Result<u32, String> {
    let value = unit.parse(text).map_err(|e| e.to_string())?;
    u32::try_from(value / divide).map_err(|_| format!("{text} is too much"))
}

fn time(text: &str) -> Result<u32, String> {
    word(Unit::Ns, text, 1)
}

fn kbps(text: &str) -> Result<u32, String> {
    word(Unit::Bps, text, 1000)
}

fn on_off(text: &str) -> Result<u32, String> {
    word(Unit::Bool, text, 1)
}

fn ppm(text: &str) -> Result<u32, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok((share * 1e6).round() as u32),
        _ => Err("give a share from 0 to 1".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_everywhere() {
        assert_eq!(time("4ms"), Ok(4_000_000));
        assert_eq!(kbps("54Mb/s"), Ok(54_000));
        assert_eq!(kbps("5.5Mb/s"), Ok(5_500));
        assert_eq!((on_off("on"), on_off("off")), (Ok(1), Ok(0)));
        assert_eq!((ppm("0.1"), ppm("1"), ppm("0.0000004")), (Ok(100_000), Ok(1_000_000), Ok(0)));
        // To the nearest millionth.
        assert_eq!((ppm("0.0000006"), ppm("0"), ppm("0.9999996")), (Ok(1), Ok(0), Ok(1_000_000)));
        // As much as 32 bits hold.
        assert_eq!((time("4294967295ns"), kbps("4294967295kb/s")), (Ok(u32::MAX), Ok(u32::MAX)));
        assert_eq!(time("4294967296ns"), Err("4294967296ns is too much".into()));
        for wrong in ["1.1", "-0.1", "nan", "10%", ""] {
            assert!(ppm(wrong).is_err(), "{wrong}");
        }
        assert!(
            time("5").is_err() && time("10s").is_err() && kbps("54Mbps").is_err() && on_off("yes!").is_err()
        );
    }
}
