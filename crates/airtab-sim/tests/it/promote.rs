// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Light flows of chap in a better access category. Frames of a call leave in video or voice, those of downloads in best effort. A
//! mark has priority, and each flow arrives in order. The driver has a ring or a governor.

use crate::common;

use airtab_core::{Handle, Key, Meta, Pool, Qdisc, RateSpec};
use airtab_sim::wifi::{
    Aggregation, Category, Cell, CellConfig, DriverConfig, Edca, FrameBody, GovernorConfig, Loss, Output,
    Speed,
};
use common::{MS, S, phy, queue};

const DOWNLOADS: u32 = 2;
const CALL: u32 = 2;
/// A call with a DSCP of video.
const MARKED: u32 = 3;
const UPLOADS: u32 = 4;
/// Flows of stations that upload.
const FIRST_UPLOAD: u32 = 4;
const CALL_NS: u64 = 20 * MS;
/// Packets of each download and upload that are in the cell.
const DEPTH: u32 = 80;

struct Host {
    cell: Cell,
    pool: Pool<u32>,
    now: u64,
    next_call: u64,
    /// Packets sent, and last one that arrived, by flow.
    sent: Vec<u32>,
    arrived: Vec<u32>,
    /// Frames of each flow and category.
    frames: Vec<[u32; 4]>,
    sent_at: Vec<u64>,
    /// One-way delays of the call, ns.
    delays: Vec<u64>,
}

/// 802.11n with `edca`; every station has MCS 4.
fn cell(edca: Edca, driver: DriverConfig) -> CellConfig {
    let aggregation =
        Aggregation { frames: 32, bytes: 65_535, time_ns: 4_000_000, window: 64, amsdu_bytes: 0, bar: true };
    let txop = edca != Edca::Off;
    CellConfig {
        beacon: None,
        aggregation: Some(aggregation),
        driver,
        edca,
        txop,
        uplink_packets: 1000,
        ..CellConfig::new(phy("std-11n"))
    }
}

fn ring() -> DriverConfig {
    DriverConfig { ring: 64, aggregates: 2, ..DriverConfig::default() }
}

fn governed() -> DriverConfig {
    DriverConfig { stop: false, governor: Some(GovernorConfig::default()), ..DriverConfig::default() }
}

impl Host {
    fn new(config: CellConfig, promote: &str) -> Host {
        let pool = Pool::new();
        let mut params = queue("chap", 3000);
        params.set("share", "station").expect("a value");
        params.set("promote", promote).expect("a value");
        let qdisc = Qdisc::new(&pool, &params, 1, 0);
        let speed: Speed =
            phy("std-11n").rate(&RateSpec { mcs: 4, ..RateSpec::default() }).expect("a rate").into();
        let names = ["a", "b", "c", "d", "e", "f"];
        let stations: Vec<_> = names.iter().map(|name| (*name, speed, Loss::None)).collect();
        let mut cell = Cell::new(config, &stations, qdisc, 1);
        cell.tap(true);
        let flows = (FIRST_UPLOAD + UPLOADS) as usize;
        let mut host = Host {
            cell,
            pool,
            now: 0,
            next_call: MS,
            sent: vec![0; flows],
            arrived: vec![0; flows],
            frames: vec![[0; 4]; flows],
            sent_at: Vec::new(),
            delays: Vec::new(),
        };
        for _ in 0..DEPTH {
            (0..DOWNLOADS).chain(FIRST_UPLOAD..FIRST_UPLOAD + UPLOADS).for_each(|flow| host.send(flow));
        }
        host
    }

    fn send(&mut self, flow: u32) {
        let is_call = flow == CALL || flow == MARKED;
        let dscp = if flow == MARKED { Category::Video.dscp() } else { 0 };
        // Calls and downloads have the first two stations, uploads those behind.
        let sta = if flow < FIRST_UPLOAD { flow % 2 } else { flow - FIRST_UPLOAD + 2 } as u16;
        let meta = Meta {
            bytes: if is_call { 200 } else { 1500 },
            flow,
            sta,
            key: Some(Key { dscp, ..Key::default() }),
            ..Meta::default()
        };
        self.sent[flow as usize] += 1;
        let packet = self.pool.insert(meta, flow << 24 | self.sent[flow as usize]);
        if flow < FIRST_UPLOAD {
            self.cell.send_down(&mut self.pool, packet, self.now);
        } else {
            self.cell.send_up(&mut self.pool, sta.into(), packet, self.now);
        }
    }

    fn gone(&mut self, packet: Handle) {
        let flow = *self.pool.body(packet) >> 24;
        self.pool.remove(packet);
        if flow != CALL && flow != MARKED {
            self.send(flow);
        }
    }

    fn run(&mut self, until: u64) {
        while self.now < until {
            self.now = self.cell.next_event().min(self.next_call).min(until);
            self.cell.advance(&mut self.pool, self.now);
            if self.now == self.next_call {
                self.sent_at.push(self.now);
                self.send(CALL);
                self.send(MARKED);
                self.next_call += CALL_NS;
            }
            for attempt in self.cell.attempts().unwrap_or_default() {
                if let FrameBody::Packet(packet) = attempt.carried {
                    // A call is followed after its first second.
                    let flow = *self.pool.body(packet) >> 24;
                    if self.now > 2 * S {
                        self.frames[flow as usize][attempt.category as usize] += 1;
                    }
                }
            }
            while let Some(output) = self.cell.poll() {
                match output {
                    Output::Down(packet) | Output::Up(packet) => self.arrive(packet),
                    Output::Lost(packet) | Output::Dropped(packet, _) | Output::UplinkDropped(packet, _) => {
                        self.gone(packet);
                    }
                    _ => {}
                }
            }
        }
    }

    fn arrive(&mut self, packet: Handle) {
        let label = *self.pool.body(packet);
        let (flow, number) = (label >> 24, label & 0xff_ffff);
        assert!(number > self.arrived[flow as usize], "flow {flow}: {number} came late");
        self.arrived[flow as usize] = number;
        if flow == CALL && self.now > 2 * S {
            self.delays.push(self.now - self.sent_at[number as usize - 1]);
        }
        self.gone(packet);
    }

    fn stat(&self, name: &str) -> f64 {
        let queue = self.cell.queue();
        let place = queue.discipline().stats().iter().position(|stat| stat.name == name);
        queue.stats(self.now)[place.expect("a statistic")] as f64
    }

    /// Frames of a flow in a category, of all.
    fn ratio(&self, flow: u32, category: Category) -> f64 {
        let frames = self.frames[flow as usize];
        f64::from(frames[category as usize]) / f64::from(frames.iter().sum::<u32>())
    }
}

#[test]
fn frames_of_a_light_flow_are_in_the_chosen_category() {
    for driver in [ring(), governed()] {
        for (promote, category) in
            [("off", Category::BestEffort), ("video", Category::Video), ("voice", Category::Voice)]
        {
            let mut host = Host::new(cell(Edca::Hostapd, driver), promote);
            host.run(6 * S);
            let about = format!("{promote}, {driver:?}: {:?}", host.frames);
            assert!(host.ratio(CALL, category) > 0.95, "{about}");
            assert_eq!(host.ratio(MARKED, Category::Video), 1.0, "{about}");
            for flow in (0..DOWNLOADS).chain(FIRST_UPLOAD..FIRST_UPLOAD + UPLOADS) {
                assert_eq!(host.ratio(flow, Category::BestEffort), 1.0, "{about}");
            }
            assert!(host.delays.len() > 190, "{} packets of the call", host.delays.len());
            // A frame of 200 bytes and its ACK take 126 us of MCS 4; a frame of the marked call may be in the aggregate.
            let each = host.stat("promoted_airtime") / host.stat("promoted");
            assert!(promote == "off" || each > 63_000.0, "{about}: {each} ns");
        }
    }
}

/// Without EDCA nothing changes but the hint.
#[test]
fn one_category_ignores_the_hint() {
    let run = |promote| {
        let mut host = Host::new(cell(Edca::Off, ring()), promote);
        host.run(4 * S);
        (host.delays, host.sent)
    };
    assert_eq!(run("off"), run("voice"));
}
