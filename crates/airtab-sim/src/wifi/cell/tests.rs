// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Several transmitters with a discipline each, and draws of their own.

use airtab_core::time::{MS, SECOND};
use airtab_core::{Discipline, Meta, Phy};

use super::*;
use crate::wifi::output::End;

const BYTES: u32 = 1500;
const TRANSMITTERS: usize = 3;

/// An access point and two stations under a discipline each. All have always
/// three packets of one flow, in class 0, and two of another, in class 1.
struct Saturated {
    cell: Cell,
    pool: Pool<u32>,
    attempts: Vec<Attempt>,
    /// Packets sent, of both flows of each transmitter.
    sent: [[u64; 2]; TRANSMITTERS],
    /// Channel time that their reports tell, ns.
    air: [u64; TRANSMITTERS],
    dequeued: u64,
    now: u64,
}

impl Saturated {
    fn new(disciplines: [&str; TRANSMITTERS]) -> Saturated {
        let pool: Pool<u32> = Pool::new();
        let phy = Phy::named("phy-a").expect("a profile of the core");
        let queue = |name| {
            let mut params = Params::new(Discipline::named(name).expect("registered"));
            if name == "chap" {
                params.set("target", "0ns").expect("it drops nothing but what is too much");
            }
            Egress::Managed(Managed::new(Qdisc::new(&pool, &params, 0, 0), Links::new(phy, Vec::new())))
        };
        // No frame is given up, however often it collides.
        let config = CellConfig { beacon: None, attempts: u8::MAX, ..CellConfig::new(phy) };
        let stations = ["a", "b"].map(|name| (name, Speed::from(54_000), Loss::None));
        let radios = Radios::new(&config, &stations, 1);
        let mut cell = Cell::with_queues(config, &stations, radios, disciplines.map(queue).into(), 1);
        cell.tap(true);
        let (attempts, sent, air) = (Vec::new(), [[0; 2]; TRANSMITTERS], [0; TRANSMITTERS]);
        let mut run = Saturated { cell, pool, attempts, sent, air, dequeued: 0, now: 0 };
        for transmitter in 0..TRANSMITTERS as u32 {
            [0, 0, 0, 1, 1].into_iter().for_each(|flow| run.send(2 * transmitter + flow));
        }
        run
    }

    fn send(&mut self, flow: u32) {
        let meta = Meta { bytes: BYTES, flow, class: (flow % 2) as u8, ..Meta::default() };
        let packet = self.pool.insert(meta, flow);
        let station = (flow / 2).checked_sub(1);
        let side = station.map_or(Side::AccessPoint, |station| Side::Station(station as u16));
        self.cell.send(&mut self.pool, side, packet, self.now);
    }

    /// Runs past `until`, to the end of an exchange.
    fn run(&mut self, until: u64) {
        while self.now < until || self.cell.channel.is_busy() {
            self.now = self.cell.next_event();
            self.cell.advance(&mut self.pool, self.now);
            self.attempts.extend(self.cell.attempts().expect("the tap is on"));
            while let Some(output) = self.cell.poll() {
                match output {
                    Output::Down(packet) | Output::Up(packet) => {
                        let flow = self.pool.remove(packet);
                        assert_eq!(matches!(output, Output::Down(_)), flow < 2);
                    }
                    Output::Sent { down, label, tx, .. } => {
                        assert!(tx.acked && down == (label < 2));
                        let transmitter = label as usize / 2;
                        self.sent[transmitter][label as usize % 2] += 1;
                        self.air[transmitter] += tx.air;
                        self.send(label);
                    }
                    Output::Dequeued(_) => self.dequeued += 1,
                    other => panic!("nothing is lost here: {other:?}"),
                }
            }
        }
    }
}

/// The channel is shared by the rules of contention, each transmitter's part of it by its own discipline.
#[test]
fn each_transmitter_shares_by_its_own_discipline() {
    let mut run = Saturated::new(["spq", "chap", "fifo"]);
    run.run(60 * SECOND);
    let total = run.sent.as_flattened().iter().sum::<u64>() as f64;
    for [a, b] in run.sent {
        let share = (a + b) as f64 / total;
        assert!((share * 3.0 - 1.0).abs() < 0.01, "a third of the frames: {:?}", run.sent);
    }
    let [spq, chap, fifo] = run.sent;
    assert!(100 * chap[0].abs_diff(chap[1]) < chap[0], "flow by flow: {chap:?}");
    assert!((2 * fifo[0]).abs_diff(3 * fifo[1]) <= 6, "as they came: {fifo:?}");
    assert!(spq[0] > 10_000 && spq[1] <= 2, "class by class: {spq:?}");
    // Each knows its own packets: those that were sent, and the one at its MAC.
    for (transmitter, sent) in run.cell.transmitters.iter().zip(run.sent) {
        let counters = transmitter.egress.managed().expect("a discipline").queue().counters();
        assert_eq!((counters.given, counters.queued), (sent[0] + sent[1] + 1, 4));
    }
    // And what they took; the one at the MAC is charged an estimate.
    let queue = run.cell.transmitters[1].egress.managed().expect("a discipline").queue();
    let column = queue.discipline().row_stats().iter().position(|c| c.name == "airtime");
    let rows = queue.rows(&run.pool, run.now);
    let charged: u64 = rows.iter().map(|row| row[column.expect("a column of chap")]).sum();
    assert!((1..MS).contains(&(charged - run.air[1])), "{charged} of {}", run.air[1]);
    assert_eq!(run.dequeued, spq[0] + spq[1] + 1, "the access point's alone");
    // Three at the MACs, and what waits at the stations.
    assert_eq!(run.cell.held(), 3 + 2 * 4);
}

/// Each transmitter's account is the sum of its exchanges; with collisions and
/// the idle time that is the clock.
#[test]
fn the_ledger_has_an_account_for_each_transmitter() {
    let phy = Phy::named("phy-a").expect("a profile of the core");
    let exchange_ns = phy.data_ns(54_000, BYTES) + phy.sifs_ns() + phy.ack_ns(54_000);
    let mut run = Saturated::new(["fifo", "fifo", "fifo"]);
    for step in 1..=100 {
        run.run(step * SECOND / 10);
        let ns = |used| run.cell.channel.ledger().ns(used, run.now);
        let mut sum = ns(Use::Idle) + ns(Use::Collision);
        for transmitter in 0..TRANSMITTERS {
            let own = run.attempts.iter().filter(|a| usize::from(a.sender) == transmitter);
            let frames = own.filter(|a| a.end == End::Acked).count() as u64;
            assert_eq!(ns(Use::Frame(transmitter)), frames * exchange_ns);
            assert_eq!(ns(Use::Beacon(transmitter)), 0);
            sum += ns(Use::Frame(transmitter));
        }
        assert_eq!(sum, run.now);
        let mut collisions: Vec<u64> =
            run.attempts.iter().filter(|a| a.end == End::Collision).map(|a| a.start_ns).collect();
        collisions.dedup();
        assert_eq!(ns(Use::Collision), collisions.len() as u64 * exchange_ns);
        let air = run.cell.air(run.now);
        let collided = run.attempts.iter().filter(|a| a.end == End::Collision).count();
        assert_eq!((air.attempts, air.collided), (run.attempts.len() as u64, collided as u64));
        assert_eq!((air.down_ns, air.up_ns), (ns(Use::Frame(0)), ns(Use::Frame(1)) + ns(Use::Frame(2))));
    }
}

/// Stations of one error rate do not miss the same frames.
#[test]
fn each_station_overhears_by_its_own_draws() {
    let mut cell = Saturated::new(["fifo", "fifo", "fifo"]).cell;
    (0..2).for_each(|station| cell.overhearing.set(station, Loss::Fer(0.5)));
    let (frames, mut erred, mut both) = (10_000, [0; 2], 0);
    for _ in 0..frames {
        let mut who = Vec::new();
        if cell.overhearing.frame() {
            cell.overhearing.in_error(|station| who.push(station));
        }
        who.iter().for_each(|station| erred[*station] += 1);
        both += i32::from(who.len() == 2);
    }
    // Five standard deviations of a count of halves and of quarters.
    assert!(erred.iter().all(|n: &i32| (n - frames / 2).abs() <= 250), "{erred:?}");
    assert!((both - frames / 4).abs() <= 217, "{both}");
}
