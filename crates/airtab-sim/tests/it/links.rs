// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a discipline is told of the stations' links, on both media: who, when and
//! what; by the core's `links`, which keeps what it is told.

use crate::common;

use airtab_core::{Link, Meta, Phy, Pool, Qdisc, RateSpec};
use airtab_sim::NEVER;
use airtab_sim::wifi::{
    CellConfig, Loss, Mean, Medium, MediumConfig, Output, RateAlgorithm, Signal, Speed, Walk,
};
use common::{MS, S, phy, queue};

const STATIONS: [(&str, u32, Loss); 3] =
    [("near", 54_000, Loss::None), ("far", 6_000, Loss::None), ("middle", 24_000, Loss::None)];

struct Host {
    medium: Medium,
    pool: Pool<u32>,
    phy: Phy,
    now: u64,
    /// Calls looked at already.
    seen: usize,
    /// What came out, and when.
    outputs: Vec<(u64, Output)>,
}

impl Host {
    fn new(config: &MediumConfig, discipline: &str) -> Host {
        Host::of(config, &STATIONS, discipline)
    }

    fn of<S: Into<Speed> + Copy>(
        config: &MediumConfig,
        stations: &[(&str, S, Loss)],
        discipline: &str,
    ) -> Host {
        let pool = Pool::new();
        let qdisc = Qdisc::new(&pool, &queue(discipline, 5), 1, 0);
        let medium = Medium::new(config.clone(), stations, qdisc, 1);
        Host { medium, pool, phy: config.phy().unwrap(), now: 0, seen: 0, outputs: Vec::new() }
    }

    fn advance(&mut self, until: u64) {
        self.poll();
        while self.medium.next_event() <= until {
            self.now = self.medium.next_event();
            self.medium.advance(&mut self.pool, self.now);
            self.poll();
        }
        self.now = until;
    }

    fn poll(&mut self) {
        while let Some(output) = self.medium.poll() {
            self.outputs.push((self.now, output));
        }
    }

    fn send(&mut self, station: u16, bytes: u32) {
        let packet = self.pool.insert(Meta { bytes, sta: station, ..Meta::default() }, 0);
        self.medium.send_down(&mut self.pool, packet, self.now);
    }

    fn send_up(&mut self, station: u16, bytes: u32) {
        let packet = self.pool.insert(Meta { bytes, sta: station, ..Meta::default() }, 0);
        self.medium.send_up(&mut self.pool, station.into(), packet, self.now);
    }

    /// Calls since the last look: when, and what was said.
    fn told(&mut self) -> Vec<(u64, Link)> {
        let rows = self.medium.queue().rows(&self.pool, self.now).split_off(self.seen);
        self.seen += rows.len();
        let call = |row: Vec<u64>| {
            let link = Link {
                sta: row[1] as u16,
                here: row[2] == 1,
                phy: row[3] as u8,
                nss: row[4] as u8,
                rate_kbps: row[5] as u32,
                ampdu_frames: row[6] as u32,
                ampdu_ns: row[7] as u32,
                free_ppm: row[8] as u32,
                below_bytes: row[9] as u32,
                below_ns: row[10] as u32,
            };
            (row[0], link)
        };
        rows.into_iter().map(call).collect()
    }

    /// DATA, SIFS and ACK, ns.
    fn exchange(&self, kbps: u32, bytes: u32) -> u32 {
        (self.phy.data_ns(kbps, bytes) + self.phy.sifs_ns() + self.phy.ack_ns(kbps)) as u32
    }

    fn link(&self, sta: u16, kbps: u32, free_ppm: u32) -> Link {
        Link {
            sta,
            here: true,
            phy: self.phy.number(),
            nss: 1,
            rate_kbps: kbps,
            ampdu_frames: 1,
            ampdu_ns: self.exchange(kbps, 1500),
            free_ppm,
            ..Link::default()
        }
    }
}

fn media() -> [MediumConfig; 2] {
    let dcf = CellConfig { beacon: None, ..CellConfig::new(phy("phy-a")) };
    [dcf.into(), MediumConfig::emulator(phy("std-11g"), 0)]
}

#[test]
fn at_the_start_at_every_change_and_every_100_ms() {
    for config in media() {
        let mut host = Host::new(&config, "links");
        let all = |at: u64, rates: [u32; 3], free_ppm: u32, host: &Host| -> Vec<(u64, Link)> {
            (0..).zip(rates).map(|(sta, kbps)| (at, host.link(sta, kbps, free_ppm))).collect()
        };
        assert_eq!(host.told(), all(0, [54_000, 6_000, 24_000], 0, &host), "the start");
        host.advance(250 * MS);
        let mut both = all(100 * MS, [54_000, 6_000, 24_000], 1_000_000, &host);
        both.extend(all(200 * MS, [54_000, 6_000, 24_000], 1_000_000, &host));
        assert_eq!(host.told(), both, "every 100 ms");

        host.medium.set_station(1, 12_000, Loss::Fer(0.5), 260 * MS);
        assert_eq!(host.told(), [(260 * MS, host.link(1, 12_000, 1_000_000))], "another rate");
        host.medium.end_station(0, 270 * MS);
        assert_eq!(host.told(), [(270 * MS, Link::default())], "who left");
        host.medium.set_station(0, 12_000, Loss::None, 280 * MS);
        assert_eq!(host.told(), [], "stays away");
        host.advance(300 * MS);
        let rest = [(300 * MS, host.link(1, 12_000, 1_000_000)), (300 * MS, host.link(2, 24_000, 1_000_000))];
        assert_eq!(host.told(), rest, "those that are there");
    }
}

#[test]
fn another_discipline_is_told_anew() {
    for config in media() {
        let mut host = Host::new(&config, "fifo");
        host.advance(30 * MS);
        host.medium.set_station(0, 36_000, Loss::None, 30 * MS);
        host.medium.end_station(1, 40 * MS);
        host.advance(130 * MS);
        host.medium.swap_queue(&mut host.pool, &queue("links", 5), 1, 130 * MS);
        let links = [host.link(0, 36_000, 0), host.link(2, 24_000, 0)];
        assert_eq!(host.told(), links.map(|link| (130 * MS, link)));
        host.advance(299 * MS);
        assert_eq!(host.told(), links.map(|link| (230 * MS, Link { free_ppm: 1_000_000, ..link })));
        host.medium.swap_queue(&mut host.pool, &queue("links", 5), 1, 299 * MS);
        host.seen = 0;
        assert_eq!(host.told(), links.map(|link| (299 * MS, link)), "and each time");
        // One takes over that does not want to know, while a frame is on the air at the time of a sample.
        host.advance(398 * MS + 900_000);
        host.send(2, 1500);
        host.advance(398 * MS + 950_000);
        host.medium.swap_queue(&mut host.pool, &queue("fifo", 5), 1, host.now);
        host.advance(500 * MS);
        assert!(host.outputs.iter().any(|(at, o)| *at > 399 * MS && matches!(o, Output::Down(_))));
    }
}

#[test]
fn how_free_the_medium_was_and_what_is_below_the_queue() {
    for config in media() {
        let mut host = Host::new(&config, "links");
        host.advance(10 * MS);
        host.send(2, 1000);
        host.advance(50 * MS);
        host.send_up(0, 700);
        host.advance(100 * MS - 1);
        host.told();
        // A channel's by its own account, of which the access point's own frames are not others'. On the emulated
        // link stations take no time, and all that is served counts.
        let is_cell = config.cell().is_some();
        let air = host.medium.air(host.now);
        let used = if is_cell { air.up_ns } else { 99_999_999 - air.idle_ns };
        let (kbps, bytes) = if is_cell { (54_000, 700) } else { (24_000, 1000) };
        assert!(used >= u64::from(host.exchange(kbps, bytes)) && used < 2 * MS, "{used}");
        host.advance(100 * MS);
        let free = ((100 * MS - used) * 1_000_000 / (100 * MS)) as u32;
        assert_eq!(host.told()[2].1, host.link(2, 24_000, free), "nothing is below any more");

        // A long frame at the MAC when the sample comes, and one in the queue.
        host.advance(199 * MS + MS / 2);
        host.send(1, 2000);
        host.send(1, 700);
        host.advance(200 * MS);
        let told: Vec<Link> = host.told().into_iter().map(|(_, link)| link).collect();
        let below = |link: &Link| (link.below_bytes, link.below_ns);
        assert_eq!(
            told.iter().map(below).collect::<Vec<_>>(),
            [(0, 0), (2000, host.exchange(6_000, 2000)), (0, 0)]
        );
        host.medium.set_station(1, 12_000, Loss::None, host.now);
        assert_eq!(below(&host.told()[0].1), (2000, host.exchange(12_000, 2000)));

        // All the time busy, with its own: as little as there is, and never "not known"; in a cell nobody else's.
        let mut busy = |until: u64, send: fn(&mut Host, u16, u32)| {
            while host.now < until {
                send(&mut host, 1, 1500);
                host.advance(host.now + MS / 2);
            }
            host.told().pop().expect("it is told").1.free_ppm
        };
        let down = busy(400 * MS, Host::send);
        if is_cell {
            assert_eq!(down, 1_000_000);
            assert!((1..200_000).contains(&busy(600 * MS, Host::send_up)));
        } else {
            assert!((1..200_000).contains(&down), "{down}");
        }
    }
}

/// Who does not want to know is not woken for it, and who is told sees nothing else change.
#[test]
fn telling_disturbs_nothing() {
    for config in media() {
        let mut idle = Host::new(&config, "fifo");
        assert_eq!(idle.medium.next_event(), NEVER);
        idle.medium.swap_queue(&mut idle.pool, &queue("links", 5), 1, 0);
        assert_eq!(idle.medium.next_event(), 100 * MS);
        idle.medium.swap_queue(&mut idle.pool, &queue("fifo", 5), 1, 0);
        assert_eq!(idle.medium.next_event(), NEVER);

        let config =
            if config.cell().is_some() { CellConfig::new(config.phy().unwrap()).into() } else { config };
        let [told, not] = ["links", "fifo"].map(|discipline| {
            let mut host = Host::new(&config, discipline);
            for i in 0..2000 {
                host.send((i % 3) as u16, 1500);
                let packet = host.pool.insert(Meta { bytes: 300, sta: 0, ..Meta::default() }, 0);
                host.medium.send_up(&mut host.pool, 0, packet, host.now);
                host.advance(host.now + S / 2000);
            }
            host.outputs
        });
        assert!(told.len() > 2000);
        assert!(told == not, "{} and {} outputs", told.len(), not.len());
    }
}

/// A station's own discipline is told of no links, and no event is spent on it.
#[test]
fn a_discipline_at_a_station_is_told_nothing() {
    let config: MediumConfig = CellConfig { beacon: None, ..CellConfig::new(phy("phy-a")) }.into();
    let mut host = Host::new(&config, "fifo");
    host.medium.set_uplink(1, Qdisc::new(&host.pool, &queue("links", 5), 1, 0));
    assert_eq!(host.medium.next_event(), NEVER);
    let packet = host.pool.insert(Meta { bytes: 1500, ..Meta::default() }, 0);
    host.medium.send_up(&mut host.pool, 1, packet, 0);
    host.advance(S);
    let up = host.outputs.iter().filter(|(_, output)| *output == Output::Up(packet)).count();
    assert_eq!((up, host.medium.next_event()), (1, NEVER));
}

/// With rate control each sample has the rate of the last attempt, and a medium says it; a fixed rate stays.
#[test]
fn a_rate_control_is_followed() {
    let phy = phy("std-11n");
    let config: MediumConfig = CellConfig { beacon: None, ..CellConfig::new(phy) }.into();
    let rate = phy.rate(&RateSpec { mcs: 7, ..RateSpec::default() }).expect("a rate of it");
    let loss = Loss::Signal(Signal::steady(Mean::Given(60.0)));
    let stations =
        [("moves", Speed { rate, control: RateAlgorithm::Aarf }, loss), ("stays", Speed::from(rate), loss)];
    let mut host = Host::of(&config, &stations, "links");
    let rates = |host: &mut Host| host.told().iter().map(|(_, link)| link.rate_kbps).collect::<Vec<_>>();
    assert_eq!(rates(&mut host), [6_500, 65_000], "it begins with the slowest");
    // Ten successes are a step up: the eleventh goes out one faster.
    for (packets, kbps) in [(11, 13_000), (10, 19_500), (50, 65_000), (20, 65_000)] {
        for _ in 0..packets {
            host.send(0, 1500);
            host.advance(host.now + MS * 5);
        }
        host.advance(host.now.next_multiple_of(100 * MS));
        assert_eq!(rates(&mut host).rchunks(2).next(), Some(&[kbps, 65_000][..]));
        assert_eq!(
            [0, 1].map(|station| host.medium.rate(station).map(|rate| rate.kbps())),
            [Some(kbps), Some(65_000)]
        );
    }
    let told = host.told();
    host.medium.end_station(0, host.now);
    host.advance(host.now + 100 * MS);
    assert_eq!((told.len(), rates(&mut host)), (0, vec![0, 65_000]), "who left, and who is there");
}

/// At each step, and at the end; who stands is told of with the samples alone.
#[test]
fn a_walk_changes_the_link_every_100_ms() {
    let config: MediumConfig = CellConfig { beacon: None, ..CellConfig::new(phy("phy-a")) }.into();
    let loss = Loss::at(1.0);
    let stations = [("walks", 54_000, loss), ("stands", 54_000, loss), ("walks too", 54_000, loss)];
    let mut host = Host::of(&config, &stations, "links");
    let walk = Walk::new(vec![(150 * MS, 1.0), (430 * MS, 29.0)]).expect("it is one");
    for number in [0, 2] {
        host.medium.set_walk(number, (54_000.into(), loss), walk.clone());
    }
    host.advance(900 * MS);
    let told = host.told();
    let steps = |sta| {
        let own = told.iter().filter(|(at, link)| link.sta == sta && at % (100 * MS) != 0);
        own.map(|(at, _)| at / MS).collect::<Vec<_>>()
    };
    assert_eq!([0, 1, 2].map(steps), [vec![250, 350, 430], vec![], vec![250, 350, 430]]);
    // Where nothing else happens, and nobody is told.
    let mut host = Host::of(&config, &stations, "fifo");
    host.medium.set_walk(0, (54_000.into(), loss), walk);
    let mut steps = Vec::new();
    while host.medium.next_event() < NEVER {
        steps.push(host.medium.next_event() / MS);
        host.advance(host.medium.next_event());
    }
    assert_eq!(steps, [250, 350, 430]);
}
