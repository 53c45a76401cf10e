// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the scores by Quality of Outcome cost the packet thread, a packet: an access point whose game is judged beside
//! one whose game is not, in turns. `cargo bench -p airtab-live --bench outcome`.
//!
//! Measured is the CPU time of the thread, and the least of all rounds counts: what is left of the difference is what the
//! scores take. It must be below [`MOST`].

#[path = "../tests/it/common/mod.rs"]
mod common;

use std::time::Duration;

use airtab_live::{AccessPoint, House, Port, house};
use airtab_scenario::ScenarioFile;
use common::{Inner, packet, queue};
use rustix::time::{ClockId, clock_gettime};

/// Packets of a round.
const PACKETS: u32 = 20_000;
/// Rounds of each.
const ROUNDS: usize = 60;
/// Between two packets, ns: one of 60 bytes takes less of the line.
const GAP_NS: u64 = 400_000;
/// What a packet's part in the scores may take.
const MOST: Duration = Duration::from_nanos(20);

fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

struct Live {
    ap: AccessPoint,
    now: u64,
    packet: Vec<u8>,
    least: Duration,
}

impl Live {
    fn new(requirement: &str) -> Live {
        let text = format!(
            "name = \"outcome-{requirement}\"\nduration = \"1s\"\n[wifi]\nmedium = \"emulator\"\n[[station]]\nname = \"s\"\n\
             fer = 0\n[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\nrequirement = \"{requirement}\"\n"
        );
        let house =
            House::new(ScenarioFile::parse("house.toml", &text).expect("a good file")).expect("a good house");
        let ap = AccessPoint::new(house, &queue("fifo"), 1).expect("it fits");
        let (from, to) = (house::server(0).into(), house::station(0).into());
        Live { ap, now: 0, packet: packet(from, to, Inner::Udp, 1, 0, 60, 0), least: Duration::MAX }
    }

    /// So many packets come and go; what each took.
    fn round(&mut self) {
        let start = cpu();
        for _ in 0..PACKETS {
            self.now += GAP_NS;
            self.ap.advance(self.now);
            while self.ap.transmit().is_some() {}
            self.ap.receive(Port::Internet, &self.packet, self.now);
        }
        self.least = self.least.min((cpu() - start) / PACKETS);
        self.ap.snapshot();
    }
}

fn main() {
    let [mut judged, mut plain] = ["competitive-game", "none"].map(Live::new);
    for _ in 0..ROUNDS {
        judged.round();
        plain.round();
    }
    let scores = |live: &mut Live| -> Vec<bool> {
        live.ap.snapshot().outcomes.iter().map(|own| own.last_10_s.is_some()).collect()
    };
    assert_eq!([scores(&mut judged), scores(&mut plain)], [vec![true], vec![]], "one of them is judged");
    let more = judged.least.saturating_sub(plain.least);
    println!("a packet: judged {:?}, not judged {:?}: {more:?} more", judged.least, plain.least);
    assert!(more < MOST, "scores cost too much");
}
