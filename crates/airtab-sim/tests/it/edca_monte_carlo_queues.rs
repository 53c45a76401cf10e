// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! All access categories of an access point and a station against a slot-by-slot Monte Carlo with queues, which shares no
//! code with the cell. Its rules are those of IEEE 802.11-2020 10.23.2.4: a counter goes down on each slot boundary after
//! its AIFS, that on which another contender begins included. Of two of one radio the higher sends, and the other doubles
//! its window. Parameters are hostapd's. If voice and video always have a packet, best effort and background starve.

use std::collections::VecDeque;

use crate::common;

use airtab_core::RateSpec;
use airtab_sim::traffic::Udp;
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::wifi::{Category, CellConfig, Edca, Loss};
use airtab_sim::{App, Scenario, run};
use common::{S, phy, queue};

/// ns: a slot, SIFS and a slot (the shortest AIFS), a PPDU of 1500 bytes at HT20 MCS 7, SIFS and the ACK.
const SLOT: u64 = 9_000;
const AIFS: u64 = 25_000;
const PPDU: u64 = 228_000;
const ANSWER: u64 = 16_000 + 28_000;

/// By radio (access point, station) and category (background, best effort, video, voice): slots of AIFS beyond the first,
/// least and largest window.
const ACCESS: [[(u64, u64, u64); 4]; 2] = [
    [(6, 15, 1023), (2, 15, 63), (0, 7, 15), (0, 3, 7)],
    [(6, 15, 1023), (2, 15, 1023), (1, 7, 15), (1, 3, 7)],
];

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn up_to(&mut self, window: u64) -> u64 {
        self.next() % (window + 1)
    }

    fn exponential(&mut self, mean: f64) -> u64 {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        (-mean * (1.0 - unit).ln()) as u64
    }
}

/// One category of one radio.
struct Contender {
    radio: usize,
    aifs: u64,
    least: u64,
    most: u64,
    window: u64,
    counter: u64,
    /// Slots until it counts its own in this idle period.
    wait: u64,
    /// True if its packet came in AIFS, on an idle channel, and needs no backoff.
    bare: bool,
    /// Arrivals: mean time between them, ns; None: it always has a packet.
    gap: Option<f64>,
    next: u64,
    queue: VecDeque<u64>,
    served: u64,
    delay: u64,
}

impl Contender {
    fn has(&self) -> bool {
        self.gap.is_none() || !self.queue.is_empty()
    }

    /// Takes in what comes until `now`; the channel has been idle since `idle`.
    fn arrive(&mut self, now: u64, idle: u64, dice: &mut Dice) {
        let Some(gap) = self.gap else { return };
        while self.next <= now {
            if self.queue.is_empty() && self.counter == 0 {
                match self.next <= idle {
                    true => self.counter = dice.up_to(self.window),
                    false => self.bare = self.wait > 0,
                }
            }
            self.queue.push_back(self.next);
            self.next += dice.exponential(gap);
        }
    }

    fn collide(&mut self, dice: &mut Dice) {
        self.window = (2 * self.window + 1).min(self.most);
        self.counter = dice.up_to(self.window);
    }
}

/// Packets that arrive each second at each radio's categories, None: always one more. Packets served and the sum of their
/// delays, ns, by radio and category.
fn monte_carlo(rates: [Option<f64>; 4], ns: u64) -> Vec<(u64, u64)> {
    let mut dice = Dice(7);
    let mut all: Vec<Contender> = Vec::new();
    for (radio, own) in ACCESS.iter().enumerate() {
        for ((aifs, least, most), rate) in own.iter().copied().zip(rates) {
            let gap = rate.map(|rate| 1e9 / rate);
            let next = gap.map_or(0, |gap| dice.exponential(gap));
            let (counter, queue) = (dice.up_to(least), VecDeque::new());
            let (window, wait, bare, served, delay) = (least, aifs, false, 0, 0);
            all.push(Contender {
                radio,
                aifs,
                least,
                most,
                window,
                counter,
                wait,
                bare,
                gap,
                next,
                queue,
                served,
                delay,
            });
        }
    }
    let (mut now, mut idle) = (AIFS, 0);
    while now < ns {
        all.iter_mut().for_each(|own| own.arrive(now, idle, &mut dice));
        let due: Vec<usize> =
            (0..all.len()).filter(|i| all[*i].wait == 0 && all[*i].counter == 0 && all[*i].has()).collect();
        for (i, own) in all.iter_mut().enumerate() {
            match own.wait {
                0 if due.contains(&i) => {}
                0 => own.counter = own.counter.saturating_sub(1),
                _ if due.is_empty() => own.wait -= 1,
                // Its packet found the channel idle, and it is busy before AIFS is over.
                _ if own.bare => own.counter = dice.up_to(own.window),
                _ => {}
            }
        }
        if due.is_empty() {
            now += SLOT;
            continue;
        }
        // In ascending order: the last one of a radio is its highest.
        let first = |i: &usize| !due.iter().any(|j| j > i && all[*j].radio == all[*i].radio);
        let senders: Vec<usize> = due.iter().copied().filter(|i| first(i)).collect();
        due.iter().filter(|i| !senders.contains(i)).for_each(|i| all[*i].collide(&mut dice));
        if let [sender] = senders[..] {
            let own = &mut all[sender];
            own.served += 1;
            own.delay += own.queue.pop_front().map_or(0, |came| now + PPDU - came);
            own.window = own.least;
            own.counter = dice.up_to(own.window);
        } else {
            senders.iter().for_each(|i| all[*i].collide(&mut dice));
        }
        idle = now + PPDU + ANSWER;
        now = idle + AIFS;
        all.iter_mut().for_each(|own| (own.wait, own.bare) = (own.aifs, false));
    }
    all.iter().map(|own| (own.served, own.delay)).collect()
}

/// Packets and delays of the cell, with datagrams of 1500 bytes in both directions.
fn cell(rates: [Option<f64>; 4], ns: u64) -> Vec<(u64, u64)> {
    let profile = phy("std-11n");
    let mcs_7 =
        profile.rate(&RateSpec { mcs: 7, width: Some(20), ..RateSpec::default() }).expect("a rate of it");
    let mut home: Scenario = common::home();
    home.duration_ns = ns;
    home.measure_ns = 0..ns;
    home.stations.truncate(1);
    (home.stations[0].speed, home.stations[0].loss) = (mcs_7.into(), Loss::None);
    home.medium = CellConfig {
        beacon: None,
        attempts: u8::MAX,
        edca: Edca::Hostapd,
        uplink_packets: 10_000,
        ..CellConfig::new(profile)
    }
    .into();
    let like = home.apps[0].clone();
    let app = |upload: bool, category: Category| {
        let rate = rates[category as usize].map_or(Rate::Max, |rate| Rate::Mean((rate * 12_000.0) as u64));
        let kind = Udp { rate, bytes: 1500, gaps: Gaps::Exponential, upload };
        let name = format!("{upload} {}", Category::NAMES[category as usize]);
        App { name, kind: kind.into(), active_ns: 0..ns, access: category, station: 0, ..like.clone() }
    };
    home.apps = [false, true].iter().flat_map(|up| Category::ALL.map(|own| app(*up, own))).collect();
    let trace = run(&home, &queue("fifo", 10_000), 1);
    let of = |app: &airtab_sim::AppTrace| {
        let up = app.name.starts_with("true");
        let (stream, path) = if up { (&app.up, &app.paths[1]) } else { (&app.down, &app.paths[0]) };
        (stream.bytes / 1500, path.total.queue_ns + path.total.channel_ns)
    };
    trace.apps.iter().map(of).collect()
}

/// Packets and their mean delay in each category at 75 % of the link capacity.
#[test]
fn delays_of_queues_by_category() {
    let rates = [250.0, 350.0, 250.0, 150.0];
    let (expected, seen) = (monte_carlo(rates.map(Some), 600 * S), cell(rates.map(Some), 600 * S));
    for (i, ((n, sum), (packets, ns))) in expected.into_iter().zip(seen).enumerate() {
        let name = format!("{} of radio {}", Category::NAMES[i % 4], i / 4);
        let offered = 600.0 * rates[i % 4];
        for n in [n, packets] {
            assert!((n as f64 - offered).abs() < 5.0 * offered.sqrt(), "{name}: {n} packets of {offered}");
        }
        let [delay, other] = [sum as f64 / n as f64, ns as f64 / packets as f64].map(|ns| ns * 1e-6);
        println!("{name}: {other:.3} ms, Monte Carlo {delay:.3} ms");
        assert!((other / delay - 1.0).abs() < 0.06, "{name}: {other} ms, Monte Carlo {delay} ms");
    }
}

/// If all always have a packet, voice and video have the channel.
#[test]
fn lower_categories_starve_beside_saturated_higher_ones() {
    let (expected, seen) = (monte_carlo([None; 4], 600 * S), cell([None; 4], 600 * S));
    for (i, ((n, _), (packets, _))) in expected.iter().zip(&seen).enumerate() {
        let name = format!("{} of radio {}", Category::NAMES[i % 4], i / 4);
        let off = (*packets as f64 - *n as f64).abs();
        let error = 5.0 * ((n + packets) as f64).sqrt();
        println!("{name}: {:.1} packets/s, Monte Carlo {:.1}", *packets as f64 / 600.0, *n as f64 / 600.0);
        assert!(off <= 0.01 * *n as f64 + error, "{name}: {packets} packets, Monte Carlo {n}");
    }
    let of =
        |category: Category| seen.iter().skip(category as usize).step_by(4).map(|own| own.0).sum::<u64>();
    let [background, best, video, voice] = Category::ALL.map(of);
    assert!(voice > video && video > 10 * best && best >= background, "{seen:?}");
}
