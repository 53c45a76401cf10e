// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures of a dumbbell's applications in the units of M. Parris, "Class-Based Thresholds" (UNC 2001), A.7: Ethernet frames
//! as its monitor sees them before and behind the router, lost packets of one flow, one-way latency.
//!
//! Packets are counted when they are sent in the measured time, and bytes that arrive when they arrive in it. Goodput counts
//! the frames that bring payload for the first time.
//!
//! Efficiency is what arrives by what is sent, data that was sent again included, as appendix B has it (B.4).

use airtab_core::time::SECOND;
use airtab_quality::Window;
use airtab_sim::{App, AppTrace};

use crate::measure::Figures;
use crate::metric::Metric;

/// Ethernet's header, bytes: its checksum is not captured.
const HEADER: f64 = 14.0;

/// Adds them.
pub(crate) fn add(f: &mut Figures, app: &App, seen: &AppTrace, window: Window) {
    let seconds = (window.until_ns() - window.from_ns()) as f64 / SECOND as f64;
    let of = |bytes: u64, packets: u64| (bytes as f64 + HEADER * packets as f64) / seconds;
    let load = of(seen.down.sent_bytes, seen.down.sent);
    let throughput = of(seen.down.bytes, seen.down.received);
    f.insert(Metric::Load, load);
    f.insert(Metric::LoadPackets, seen.down.sent as f64 / seconds);
    f.insert(Metric::Throughput, throughput);
    f.insert(Metric::FrameGoodput, of(seen.down.new_bytes, seen.down.new_packets));
    f.extend((load > 0.0).then(|| (Metric::Efficiency, throughput / load)));
    // What became of those on their way nobody knows.
    let lost = seen.down.sent.saturating_sub(seen.down.under_way).saturating_sub(seen.down.received);
    f.insert(Metric::LossRate, lost as f64 / seconds / f64::from(app.users.count));
    let path = &seen.paths[0];
    if path.arrived > 0 {
        f.insert(Metric::Latency, path.total.sum_ns() as f64 / path.arrived as f64 / SECOND as f64);
    }
}

#[cfg(test)]
mod tests {
    use airtab_sim::{Legs, PathTrace};

    use super::*;
    use crate::{QueueSpec, ScenarioFile, measure};

    /// Wires, queue and channel together, of the packets down that arrived; those up have no part in it.
    #[test]
    fn latency_is_the_mean_of_the_whole_way_down() {
        let text = "duration = \"1s\"\ntopology = \"dumbbell\"\nbottleneck = { rate = \"10Mb/s\" }\n\
                    station = [{ name = \"s\" }]\napp = [{ name = \"x\", kind = \"download\", station = \"s\" }]\n";
        let file = ScenarioFile::parse("bell.toml", text).unwrap();
        let params = "fifo".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        let mut trace = airtab_sim::run(&file.scenario, &params, 1);
        let path = |arrived, wires_ns, queue_ns, channel_ns| PathTrace {
            arrived,
            total: Legs { wires_ns, queue_ns, channel_ns },
            ..PathTrace::default()
        };
        let mut latency = |down: PathTrace| {
            trace.apps[0].paths = [down, path(2, 7_000_000, 0, 0)];
            measure(&file.scenario, &trace).apps[0].get(&Metric::Latency).copied()
        };
        // 2, 30 and 8 ms of four packets.
        let seen = latency(path(4, 2_000_000, 30_000_000, 8_000_000)).unwrap();
        assert!((seen - 0.010).abs() < 1e-12, "{seen}");
        assert_eq!(latency(path(0, 2_000_000, 0, 0)), None, "nothing arrived");
    }
}
