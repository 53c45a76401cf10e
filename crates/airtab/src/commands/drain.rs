// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab drain`: how long the queue of a real Wi-Fi interface takes to drain, T = (BL / R) / F (Showail 2016, eq. 5.2), and
//! what it takes to know: R and F by nl80211, K by the model, BL by tc. With `--apply` a `wqm` there is told R, K and F, which
//! no kernel tells a discipline.
//!
//! What it does not do: no queue is made or resized here; `wqm` does that by what it is told.

pub mod args;
mod queue;
mod radio;

use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use airtab_model::sizing::aggregate::{ATH9K, Bounds};
use airtab_model::sizing::wqm::FREE_FLOOR;
use airtab_model::sizing::wqm::radio::{Waiting, drain_of_one_us};
use anyhow::bail;
use serde_json::{Value, json};

use self::args::Drain;
use self::queue::{Queues, Told};
use self::radio::{Format, Radio, Station};
use crate::args::USAGE;
use crate::output;

/// Shows it until it is interrupted, or so often.
pub fn drain(args: &Drain) -> anyhow::Result<ExitCode> {
    match watch(args) {
        Err(e) if !output::is_broken_pipe(&e) => {
            output::error(&output::message(&e));
            Ok(ExitCode::from(USAGE))
        }
        said => said.map(|()| ExitCode::SUCCESS),
    }
}

fn watch(args: &Drain) -> anyhow::Result<()> {
    let index = queue::index_of(&args.device)?;
    let mut radio = Radio::find(&args.device, index)?;
    let mut queues = Queues::open(&args.device, index)?;
    if args.apply && queues.look()?.wqm.is_empty() {
        let device = &args.device;
        bail!("{device} has no wqm to be told: tc qdisc replace dev {device} root wqm");
    }
    let (mut told, mut looks) = (None, 0);
    loop {
        let (seen, waits) = (radio.look()?, queues.look()?);
        let look = Look::of(seen.station.as_ref(), seen.free, [waits.above, seen.below]);
        let news = look.news(told.as_ref()).filter(|_| args.apply);
        let applies = news.is_some();
        if let Some(own) = news {
            queues.tell(&waits.wqm, &own)?;
            told = Some(own);
        }
        output::print(&match args.form.is_json() {
            true => format!("{}\n", look.json(&args.device, applies)),
            false => format!("{}\n", look.text(applies)),
        })?;
        looks += 1;
        if args.count == looks {
            return Ok(());
        }
        sleep(Duration::from_nanos(args.interval));
    }
}

/// What waits somewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

/// R and K.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link {
    /// Bits/s.
    bits: u64,
    frames: u32,
    address: [u8; 6],
}

/// One look at an interface.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Look {
    /// None: nobody is associated, or nothing was sent yet.
    link: Option<Link>,
    /// None: the driver does not say.
    free: Option<f64>,
    /// In the qdisc, and between it and the radio.
    waits: [Backlog; 2],
}

impl Look {
    fn of(station: Option<&Station>, free: Option<f64>, waits: [Backlog; 2]) -> Look {
        let link = station.map(|own| Link {
            bits: own.bits,
            frames: frames(own.format, own.bits),
            address: own.address,
        });
        Look { link, free: free.map(|free| free.clamp(FREE_FLOOR, 1.0)), waits }
    }

    /// F, 1 where the driver does not say.
    fn free_or_all(&self) -> f64 {
        self.free.unwrap_or(1.0)
    }

    /// R, K and F for a `wqm` whose last values are `told`; None if they are the same, or there are none.
    fn news(&self, told: Option<&Told>) -> Option<Told> {
        let link = self.link?;
        let own = Told { bits: link.bits, frames: link.frames, free: self.free_or_all() };
        Some(own).filter(|own| told.is_none_or(|before| own.differs(before)))
    }

    /// T, s.
    fn drain_s(&self) -> Option<f64> {
        let bytes: u64 = self.waits.iter().map(|waits| waits.bytes).sum();
        let waiting = Waiting { backlog_bits: bytes as f64 * 8.0, rate_mbps: self.link?.bits as f64 / 1e6 };
        drain_of_one_us(&waiting, self.free_or_all(), 1.0).ok().map(|us| us / 1e6)
    }

    /// A line.
    fn text(&self, applied: bool) -> String {
        let [above, below] = self.waits;
        let queue =
            format!("{} + {} packets, {} bytes", above.packets, below.packets, above.bytes + below.bytes);
        let free = self.free.map_or("F ?".into(), |free| format!("F {:.0} %", free * 100.0));
        let Some(Link { bits, frames, .. }) = self.link else {
            return format!("R ? (nobody to send to)   BL {queue}   {free}");
        };
        let drains = self.drain_s().map_or("?".into(), |s| format!("{:.2} ms", s * 1e3));
        let told = if applied { "   wqm told" } else { "" };
        format!("R {:.1} Mb/s   K {frames}   BL {queue}   {free}   T {drains}{told}", bits as f64 / 1e6)
    }

    /// The same on a line of JSON.
    fn json(&self, device: &str, applied: bool) -> Value {
        let [above, below] = self.waits;
        let station = self.link.map(|link| link.address.map(|byte| format!("{byte:02x}")).join(":"));
        json!({
            "schema": 1,
            "device": device,
            "station": station,
            "rate_bits_per_second": self.link.map(|link| link.bits),
            "frames": self.link.map(|link| link.frames),
            "queue_packets": above.packets,
            "queue_bytes": above.bytes,
            "below_packets": below.packets,
            "below_bytes": below.bytes,
            "free_ratio": self.free,
            "drain_seconds": self.drain_s(),
            "applied": applied,
        })
    }
}

/// K: 4 ms and what a format allows; 802.11n as ath9k has it.
fn frames(format: Format, bits: u64) -> u32 {
    let of = |window, bytes| Bounds { window, driver: None, bytes, alone_mbps: 0.0, ..ATH9K };
    let bounds = match format {
        Format::Legacy => return 1,
        Format::Ht => ATH9K,
        Format::Vht => of(64, 1_048_575),
        Format::He => of(256, 4_194_303),
    };
    bounds.frames(bits as f64 / 1e6).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(format: Format, bits: u64, free: Option<f64>, waits: [Backlog; 2]) -> Look {
        let station = Station { address: [2, 0, 0, 0, 0xab, 1], bits, format, packets: 7, silent_ms: 0 };
        Look::of(Some(&station), free, waits)
    }

    /// K at the rates of the dissertation, and of later formats.
    #[test]
    fn frames_by_format_and_rate() {
        let at = |format, mbps: &[f64]| -> Vec<u32> {
            mbps.iter().map(|mbps| frames(format, (mbps * 1e6) as u64)).collect()
        };
        let ht = [6.5, 13.0, 26.0, 52.0, 65.0, 78.0, 130.0, 300.0];
        assert_eq!(at(Format::Ht, &ht), [1, 4, 8, 16, 21, 25, 32, 32]);
        assert_eq!(at(Format::Legacy, &[54.0]), [1]);
        assert_eq!(at(Format::Vht, &[6.5, 866.7]), [2, 64]);
        assert_eq!(at(Format::He, &[8.6, 1201.0]), [2, 256]);
    }

    /// V-WQM: 45 packets of 1500 bytes at 300 Mb/s drain in 1.8 ms, in twice that where half of the air is others'.
    #[test]
    fn drain_times() {
        let full = Backlog { packets: 45, bytes: 45 * 1500 };
        let t = |free, waits| look(Format::Ht, 300_000_000, free, waits).drain_s().expect("it has a rate");
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(t(None, [full, Backlog::default()]), 1.8e-3);
        close(t(Some(0.5), [full, Backlog::default()]), 3.6e-3);
        close(t(Some(0.5), [full, full]), 7.2e-3);
        close(t(Some(0.01), [full, Backlog::default()]), 36e-3);
        close(t(Some(1.7), [full, Backlog::default()]), 1.8e-3);
        assert_eq!(t(None, [Backlog::default(); 2]), 0.0);
        assert_eq!(Look::of(None, Some(0.5), [full; 2]).drain_s(), None);
    }

    /// A `wqm` is told what it does not know; without a station nothing, without a count of the channel that all is free.
    #[test]
    fn a_wqm_is_told_what_is_new() {
        let waits = [Backlog::default(); 2];
        let at = |bits, free| look(Format::Ht, bits, free, waits);
        let first = at(65_000_000, Some(0.5)).news(None).expect("it is new");
        assert_eq!(first, Told { bits: 65_000_000, frames: 21, free: 0.5 });
        assert_eq!(at(65_000_000, None).news(None).map(|told| told.free), Some(1.0));
        assert_eq!(at(65_000_000, Some(0.001)).news(None).map(|told| told.free), Some(FREE_FLOOR));
        assert_eq!(Look::of(None, Some(0.5), waits).news(None), None);
        for (bits, free, told) in [
            (65_000_000, Some(0.5), false),
            (65_000_000, Some(0.504), false),
            (65_000_000, Some(0.506), true),
            (65_000_000, None, true),
            (65_000_001, Some(0.5), true),
        ] {
            assert_eq!(at(bits, free).news(Some(&first)).is_some(), told, "{bits} {free:?}");
        }
        assert_eq!(Look::of(None, Some(0.5), waits).news(Some(&first)), None);
    }

    /// An unknown rate, and an unknown free part of the channel.
    #[test]
    fn what_is_unknown_is_a_question_mark() {
        let waits = [Backlog { packets: 1, bytes: 1_500 }, Backlog { packets: 2, bytes: 3_000 }];
        let link = look(Format::Legacy, 36_000_000, None, waits);
        // 4,500 bytes at 36 Mb/s take 1 ms.
        assert_eq!(
            link.text(true),
            "R 36.0 Mb/s   K 1   BL 1 + 2 packets, 4500 bytes   F ?   T 1.00 ms   wqm told"
        );
        let json = link.json("w", false);
        assert!(json["free_ratio"].is_null(), "{json}");
        let none = Look::of(None, Some(0.25), waits);
        assert_eq!(none.text(true), "R ? (nobody to send to)   BL 1 + 2 packets, 4500 bytes   F 25 %");
        let mut json = none.json("w", false);
        assert_eq!(json["free_ratio"].take(), 0.25);
        for key in ["station", "rate_bits_per_second", "frames", "drain_seconds"] {
            assert!(json[key].is_null(), "{key}: {json}");
        }
        assert_eq!((&json["queue_packets"], &json["below_bytes"]), (&json!(1), &json!(3_000)));
    }

    #[test]
    fn what_is_shown() {
        let waits = [Backlog { packets: 12, bytes: 18_000 }, Backlog { packets: 3, bytes: 4_500 }];
        let own = look(Format::Ht, 144_400_000, Some(0.874), waits);
        assert_eq!(
            own.text(true),
            "R 144.4 Mb/s   K 32   BL 12 + 3 packets, 22500 bytes   F 87 %   T 1.43 ms   wqm told"
        );
        assert_eq!(
            Look::of(None, None, waits).text(false),
            "R ? (nobody to send to)   BL 12 + 3 packets, 22500 bytes   F ?"
        );
        let json = own.json("wlan0", false);
        assert_eq!(json["station"], "02:00:00:00:ab:01");
        assert_eq!((&json["rate_bits_per_second"], &json["frames"]), (&json!(144_400_000), &json!(32)));
        assert_eq!((&json["free_ratio"], &json["applied"]), (&json!(0.874), &json!(false)));
        assert!(Look::of(None, None, waits).json("wlan0", false)["drain_seconds"].is_null());
    }

    /// All keys, each with a value of its own.
    #[test]
    fn each_figure_of_a_look_has_its_key() {
        let waits = [Backlog { packets: 12, bytes: 18_000 }, Backlog { packets: 3, bytes: 4_500 }];
        let own = look(Format::Ht, 90_000_000, Some(0.5), waits);
        // 22,500 bytes at 90 Mb/s take 2 ms, and half of the time is free.
        let mut json = own.json("wlan7", true);
        let drain = json["drain_seconds"].take().as_f64().expect("a time");
        assert!((drain - 4e-3).abs() < 1e-12, "{drain}");
        assert_eq!(
            json,
            json!({ "schema": 1, "device": "wlan7", "station": "02:00:00:00:ab:01",
                "rate_bits_per_second": 90_000_000, "frames": 29, "queue_packets": 12, "queue_bytes": 18_000,
                "below_packets": 3, "below_bytes": 4_500, "free_ratio": 0.5, "drain_seconds": null, "applied": true })
        );
        assert_eq!(
            own.text(false),
            "R 90.0 Mb/s   K 29   BL 12 + 3 packets, 22500 bytes   F 50 %   T 4.00 ms"
        );
    }
}
