// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Cells in which all have always a frame, by every contention rule, against what is worked out without the cell: the
//! closed forms of memoryless laws (Starzetz 2006, 8.1.1), and for the others the contention automaton (8.2),
//! written out here. Nothing is lost but by collisions, and nobody gives up; with `starzetz-11b` and frames of one
//! length all count from the same moment after a collision, since EIFS is as long as the wait for an ACK.

use crate::common;

use airtab_core::{Meta, Pool, Qdisc};
use airtab_sim::wifi::{
    AccessMethod, AccessRule, Attempt, Backoff, Cell, CellConfig, ContentionTrace, IdleWindow, Loss, Output,
    SlotLaw, Windows,
};
use common::{S, phy, queue};

const BYTES: u32 = 1500;

fn config(access: AccessRule) -> CellConfig {
    let phy = phy("starzetz-11b");
    let (timeout, eifs) = (phy.sifs_ns() + phy.ack_ns(11_000), phy.eifs_ns() - phy.difs_ns());
    assert_eq!(timeout, eifs, "all go on together");
    CellConfig {
        backoff: Backoff::Bianchi,
        beacon: None,
        attempts: u8::MAX,
        access: AccessMethod { rule: access, ifs_ns: None },
        winners: true,
        ..CellConfig::new(phy)
    }
}

/// An access point and stations that always have a packet for each other.
struct Saturated {
    cell: Cell,
    pool: Pool<u32>,
}

impl Saturated {
    fn new(config: CellConfig, contenders: usize, access: &[(usize, AccessMethod)], seed: u64) -> Saturated {
        let names: Vec<String> = (1..contenders).map(|i| format!("sta{i}")).collect();
        let stations: Vec<_> = names.iter().map(|name| (name.as_str(), 11_000, Loss::None)).collect();
        let pool = Pool::new();
        let mut cell = Cell::new(config, &stations, Qdisc::new(&pool, &queue("fifo", 10), 0, 0), seed);
        access.iter().for_each(|(station, own)| cell.set_access(*station, own));
        let mut run = Saturated { cell, pool };
        (0..contenders).for_each(|sender| (0..2).for_each(|_| run.send(sender as u32, 0)));
        run
    }

    fn send(&mut self, sender: u32, now: u64) {
        let sta = sender.saturating_sub(1);
        let meta = Meta { bytes: BYTES, flow: sender, sta: sta as u16, ..Meta::default() };
        let packet = self.pool.insert(meta, sender);
        match sender {
            0 => self.cell.send_down(&mut self.pool, packet, now),
            _ => self.cell.send_up(&mut self.pool, sta as usize, packet, now),
        }
    }

    fn step(&mut self) -> u64 {
        let now = self.cell.next_event();
        self.cell.advance(&mut self.pool, now);
        while let Some(output) = self.cell.poll() {
            match output {
                Output::Down(packet) | Output::Up(packet) | Output::Lost(packet) => {
                    self.pool.remove(packet);
                }
                Output::Sent { label, .. } => self.send(label, now),
                _ => {}
            }
        }
        now
    }

    /// Until so many won.
    fn run(&mut self, successes: u64) -> ContentionTrace {
        loop {
            let now = self.step();
            let trace = self.cell.air(now).contention;
            if trace.successes >= successes {
                return trace;
            }
        }
    }
}

/// Collisions for each success, and idle slots before either: R, W_T, W_C.
type Figures = [f64; 3];

fn figures(of: &ContentionTrace) -> Figures {
    let [successes, collisions] = [of.successes, of.collisions].map(|n| n as f64);
    [
        collisions / successes,
        of.slots_before_successes as f64 / successes,
        of.slots_before_collisions as f64 / collisions,
    ]
}

/// Of n who draw anew each time by the law p.
fn closed(p: &[f64], n: i32) -> Figures {
    let (mut success, mut collision, mut before) = (0.0, 0.0, [0.0; 2]);
    let mut behind: f64 = p.iter().sum();
    assert!((behind - 1.0).abs() < 1e-12);
    for (i, p) in p.iter().enumerate() {
        let from = behind;
        behind -= p;
        let wins = f64::from(n) * p * behind.max(0.0).powi(n - 1);
        let ties = from.powi(n) - behind.max(0.0).powi(n) - wins;
        (success, collision) = (success + wins, collision + ties);
        before = [before[0] + i as f64 * wins, before[1] + i as f64 * ties];
    }
    [collision / success, before[0] / success, before[1] / collision]
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A station of the automaton: its window, and the law behind it.
#[derive(Clone, Copy)]
enum Law {
    /// CWmin, CWmax, offset.
    Exponential(f64, f64, u64),
    /// A window that stays.
    Fixed(f64),
    /// One that is found.
    Aimd,
    /// DCF by weights 2, 1, 0, 1 in turn, 32 slots.
    Gaps,
}

/// The automaton of 8.2: who loses keeps b - m - 1.
fn automaton(law: Law, n: usize) -> Figures {
    let successes = if n == 2 { 6_000_000 } else { 2_000_000 };
    let mut dice = Dice(n as u64);
    let least = match law {
        Law::Exponential(least, ..) => least,
        Law::Fixed(window) => window,
        Law::Aimd | Law::Gaps => 32.0,
    };
    let draw = |dice: &mut Dice, window: f64| match law {
        Law::Exponential(.., offset) => (dice.unit() * window) as u64 + offset,
        Law::Fixed(_) | Law::Aimd => (dice.unit() * window) as u64,
        Law::Gaps => {
            let four = (dice.unit() * window / 4.0) as u64;
            4 * four + [0, 0, 1, 3][(dice.unit() * 4.0) as usize]
        }
    };
    let mut window = vec![least; n];
    let mut left: Vec<u64> = (0..n).map(|_| draw(&mut dice, least)).collect();
    let (mut of, mut heard) = (ContentionTrace::default(), (0, 0));
    while of.successes < successes {
        let m = *left.iter().min().expect("there are some");
        let alone = left.iter().filter(|b| **b == m).count() == 1;
        match alone {
            true => {
                (of.successes, of.slots_before_successes) = (of.successes + 1, of.slots_before_successes + m)
            }
            false => {
                (of.collisions, of.slots_before_collisions) =
                    (of.collisions + 1, of.slots_before_collisions + m);
            }
        }
        heard = (heard.0 + 1, heard.1 + m);
        if let (Law::Aimd, (5, idle)) = (law, heard) {
            let more = (idle as f64 / 5.0) < 5.68;
            window
                .iter_mut()
                .for_each(|cw| *cw = if more { 1.0666 * *cw } else { 2.0 * *cw / (2.0 + 0.001 * *cw) });
            heard = (0, 0);
        }
        for (b, cw) in left.iter_mut().zip(&mut window) {
            if *b > m {
                *b -= m + 1;
                continue;
            }
            let most = match law {
                Law::Exponential(_, most, _) => most,
                Law::Gaps => 1024.0,
                Law::Fixed(_) | Law::Aimd => *cw,
            };
            if most > *cw || matches!(law, Law::Exponential(..) | Law::Gaps) {
                *cw = if alone { least } else { (2.0 * *cw).min(most) };
            }
            *b = draw(&mut dice, *cw);
        }
    }
    figures(&of)
}

/// The cell by a rule within 1 % of what is expected, as many successes as it takes to tell.
fn agrees(rule: AccessRule, n: usize, expected: Figures) {
    let successes = match n {
        2 => 4_000_000,
        5 => 1_500_000,
        _ => 1_000_000,
    };
    let name = rule.name();
    let got = figures(&Saturated::new(config(rule), n, &[], 1).run(successes));
    for (what, (got, expected)) in ["R", "W_T", "W_C"].iter().zip(got.iter().zip(expected)) {
        if std::env::var_os("AIRTAB_SHOW").is_some() {
            println!(
                "{name:>10} {n:>3} {what:>4} {got:>9.5} {expected:>9.5} {:+.2} %",
                100.0 * (got / expected - 1.0)
            );
        }
        assert!((got / expected - 1.0).abs() < 0.01, "{name}, {n} contenders: {what} {got} for {expected}");
    }
}

const CROWDS: [usize; 3] = [2, 5, 15];

#[test]
fn dcf() {
    for n in CROWDS {
        agrees(AccessRule::default(), n, automaton(Law::Exponential(32.0, 1024.0, 0), n));
    }
}

#[test]
fn dcf_m() {
    for n in CROWDS {
        let rule = AccessRule::DcfM { windows: Windows::default(), offset: None };
        agrees(rule, n, automaton(Law::Exponential(32.0, 1024.0, 2 * n as u64), n));
    }
}

#[test]
fn idle_sense() {
    for n in CROWDS {
        let window = 12.33 * n as f64 - 1.0;
        let rule = |window| AccessRule::IdleSense(window);
        agrees(rule(IdleWindow::Fixed(window)), n, automaton(Law::Fixed(window), n));
        agrees(rule(IdleWindow::ADAPT), n, automaton(Law::Aimd, n));
    }
}

#[test]
fn h_and_hash1() {
    for (n, c) in CROWDS.into_iter().zip([16u32, 32, 92]) {
        agrees(AccessRule::H { slots: Some(c) }, n, closed(&vec![1.0 / f64::from(c); c as usize], n as i32));
        let ramp: Vec<f64> = (0..c).map(|i| f64::from(2 * (c - i) - 1) / f64::from(c).powi(2)).collect();
        agrees(AccessRule::Hash1 { slots: Some(c) }, n, closed(&ramp, n as i32));
    }
}

/// The best of all memoryless laws: hazards where T = 68 slots are lost with a collision.
#[test]
fn geometric() {
    for (n, hazard) in CROWDS.into_iter().zip([0.10815, 0.03565, 0.01114]) {
        let law: Vec<f64> = (0..4000).map(|i| hazard * (1.0f64 - hazard).powi(i)).collect();
        agrees(AccessRule::Geometric { hazard: Some(hazard) }, n, closed(&law, n as i32));
    }
}

#[test]
fn slots() {
    for n in CROWDS {
        let gaps: Vec<f64> = [2.0, 1.0, 0.0, 1.0].repeat(8);
        let law = |residual| SlotLaw { weights: gaps.clone(), residual, doubles: residual, counter: false };
        agrees(AccessRule::Slots(law(true)), n, automaton(Law::Gaps, n));
        let p: Vec<f64> = gaps.iter().map(|weight| weight / 32.0).collect();
        agrees(AccessRule::Slots(law(false)), n, closed(&p, n as i32));
    }
}

/// Nobody waits, nobody collides, and everybody has his turn.
#[test]
fn tcf() {
    for n in CROWDS {
        let mut run = Saturated::new(config(AccessRule::Tcf), n, &[], 1);
        let of = run.run(20_000);
        assert_eq!((of.collisions, of.slots_before_successes), (0, 0), "{n} contenders");
        let winners = run.cell.winners().expect("they are watched");
        let step: Vec<f64> = (1..=8 * n).map(|d| if d < n { 0.0 } else { 1.0 }).collect();
        assert_eq!((winners.self_correlation, winners.jain), (step, [Some(1.0); 7]), "{n} contenders");
    }
}

/// Of memoryless laws p_s is a closed form; J at 10 N = 150 wins is that of the automaton, 1e6 successes.
#[test]
fn who_wins_after_whom() {
    let n = 15;
    let winners = |rule| {
        let mut run = Saturated::new(config(rule), n, &[], 2);
        run.run(1_000_000);
        run.cell.winners().expect("they are watched")
    };
    let h = winners(AccessRule::H { slots: None });
    for d in [1, 7, 15, 30, 60, 120] {
        let (got, expected) = (h.self_correlation[d - 1], 1.0 - (1.0 - 1.0 / n as f64).powi(d as i32));
        assert!((got - expected).abs() < 0.002, "p_s({d}): {got} for {expected}");
    }
    for (rule, expected) in [
        (AccessRule::default(), 0.744),
        (AccessRule::DcfM { windows: Windows::default(), offset: None }, 0.934),
        (AccessRule::IdleSense(IdleWindow::Optimum), 0.961),
        (AccessRule::H { slots: None }, 0.916),
        (AccessRule::Hash1 { slots: None }, 0.916),
    ] {
        let name = rule.name();
        let jain = winners(rule).jain[3].expect("a window of 150");
        assert!((jain - expected).abs() < 0.003, "{name}: {jain} for {expected}");
    }
}

/// Who forgets beside who does not: each has its own rule. A steep law against a flat one.
#[test]
fn rules_mix() {
    let law = |weights: Vec<f64>| {
        let law = SlotLaw { weights, residual: false, doubles: false, counter: false };
        AccessMethod { rule: AccessRule::Slots(law), ifs_ns: None }
    };
    // Slot 0 or 1 against slot 1 or 2: of four draws one is a tie, and the first one wins the others.
    let access = [(0, law(vec![1.0, 1.0])), (1, law(vec![0.0, 1.0, 1.0]))];
    let mut run = Saturated::new(config(AccessRule::H { slots: Some(60_000) }), 3, &access, 1);
    run.cell.tap(true);
    let mut won = [0u64; 3];
    while won.iter().sum::<u64>() < 100_000 {
        run.step();
        for attempt in run.cell.attempts().expect("the tap is on") {
            won[usize::from(attempt.sender)] += u64::from(attempt.end == airtab_sim::wifi::End::Acked);
        }
    }
    let of = run.cell.air(run.cell.next_event()).contention;
    assert!(won[1] > 99_900 && won[2] < 50, "{won:?}");
    let ties = of.collisions as f64 / (of.collisions + of.successes) as f64;
    assert!((ties - 0.25).abs() < 0.005, "{ties}");
}

/// The shortest time from the end of an exchange to the next one of the same station, which is alone.
fn shortest_gap(access: AccessMethod, backoff: Backoff) -> u64 {
    let config = CellConfig { backoff, access, ..config(AccessRule::default()) };
    let phy = config.phy;
    let exchange = phy.data_ns(11_000, BYTES) + phy.sifs_ns() + phy.ack_ns(11_000);
    let mut run = Saturated::new(config, 2, &[], 1);
    run.cell.tap(true);
    let mut attempts: Vec<Attempt> = Vec::new();
    while run.step() < 10 * S {
        attempts.extend(run.cell.attempts().expect("the tap is on"));
    }
    attempts
        .windows(2)
        .filter(|two| two[1].start_ns > two[0].start_ns)
        .map(|two| two[1].start_ns - two[0].start_ns - exchange)
        .min()
        .expect("many")
}

#[test]
fn a_short_interframe_space_is_waited() {
    for backoff in [Backoff::Standard, Backoff::Bianchi] {
        for ifs_us in [10, 30, 50, 110] {
            let access = AccessMethod { ifs_ns: Some(ifs_us * 1000), ..AccessMethod::default() };
            assert_eq!(shortest_gap(access, backoff), ifs_us * 1000);
        }
    }
}

/// Beside a card of the standard: it begins two slots earlier, also when it lost.
#[test]
fn who_waits_less_wins_more() {
    for backoff in [Backoff::Standard, Backoff::Bianchi] {
        let short = AccessMethod { ifs_ns: Some(10_000), ..AccessMethod::default() };
        let config = CellConfig { backoff, ..config(AccessRule::default()) };
        let mut run = Saturated::new(config, 3, &[(1, short)], 1);
        run.cell.tap(true);
        let mut won = [0f64; 3];
        while run.step() < 300 * S {
            for attempt in run.cell.attempts().expect("the tap is on") {
                won[usize::from(attempt.sender)] += 1.0;
            }
        }
        // The first two are alike.
        assert!((won[0] / won[1] - 1.0).abs() < 0.01, "{won:?}");
        assert!(won[2] > 1.15 * won[1], "{won:?}");
    }
}
