// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Packets that arrive of both senders, step by step, and the verdict.
//!
//! Time is cut into slices; the first packet of the expedited sender begins the first step. The first slice of each
//! step is left out: the sender's queue still has packets of the rate before. A step is *saturated* if less
//! than [`CARRIED`] of what is offered arrives. All saturated steps are judged together: the last one alone is good to a
//! hundredth only (derived: of 60 s at 450 packets a second each, each won by either, the ratio has a standard
//! deviation of 0.9 %).
//!
//! A state machine; times as in [`crate::cbr::receiver`].

use std::net::SocketAddr;

use airtab_quality::Interval;

use super::plan::Plan;
use crate::cbr::listener::Sink;
use crate::cbr::payload::{Header, Kind};

/// Share of the offered packets that a step carries at least if it is not saturated.
pub const CARRIED: f64 = 0.95;
/// How far from 1 the ratio of equal senders may be beside its interval: collisions and retries are not shared alike.
pub const EQUAL: f64 = 0.02;
/// Slices that a verdict needs.
const ENOUGH: usize = 10;
/// A slice, ns, but at most a fifth of a step.
const SLICE_NS: u64 = 1_000_000_000;
/// Slices that are kept before the expedited sender begins.
const ALONE: usize = 3600;

/// Packets of both in a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of the best-effort sender.
    pub best_effort: u64,
    /// Of the expedited one.
    pub expedited: u64,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepFigures {
    /// What the expedited sender offers, packets a second.
    pub offered: f64,
    /// What arrives of it, packets a second.
    pub expedited: f64,
    /// What arrives of the other, packets a second.
    pub best_effort: f64,
    /// Whether the channel was full.
    pub saturated: bool,
}

/// The end of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The interval of the ratio reaches 1, or comes as near as [`EQUAL`].
    Equal,
    /// It does not.
    Unequal,
    /// Every step carried what was offered: the channel was never full.
    NotSaturated,
    /// One of the senders was not heard, or too short.
    TooFew {
        /// Slices in saturated steps in which both were heard.
        slices: usize,
        /// How many it takes.
        needed: usize,
    },
}

/// What arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Steps that were whole.
    pub steps: Vec<StepFigures>,
    /// Packets a second of the best-effort sender before the other began.
    pub alone: Option<f64>,
    /// Packets a second of both together in saturated steps.
    pub together: Option<f64>,
    /// Expedited packets for each best-effort one in saturated steps, with its 95 % interval.
    pub ratio: Option<Interval>,
    /// Datagrams of neither.
    pub foreign: u64,
    /// What it comes to.
    pub verdict: Verdict,
}

/// Takes in what arrives.
#[derive(Debug)]
pub struct Judge {
    plan: Plan,
    slice_ns: u64,
    now_ns: u64,
    slice_end_ns: u64,
    end_ns: Option<u64>,
    current: Counts,
    alone: Vec<Counts>,
    /// By step, then by slice.
    steps: Vec<Vec<Counts>>,
    foreign: u64,
}

impl Judge {
    /// That begins at `now_ns`.
    pub fn new(plan: Plan, now_ns: u64) -> Judge {
        let slice_ns = SLICE_NS.min(plan.step_ns / 5).max(1);
        Judge {
            plan,
            slice_ns,
            now_ns,
            slice_end_ns: now_ns.saturating_add(slice_ns),
            end_ns: None,
            current: Counts::default(),
            alone: Vec::new(),
            steps: Vec::new(),
            foreign: 0,
        }
    }

    /// The step that is under way, from 0; `None` before the first.
    pub fn step(&self) -> Option<usize> {
        self.end_ns.map(|_| self.steps.len().saturating_sub(1))
    }

    /// Figures of all whole steps.
    pub fn report(&self) -> Report {
        let per_step = self.slices_in_step();
        let whole = self.steps.iter().filter(|slices| slices.len() >= per_step);
        let steps: Vec<StepFigures> =
            whole.clone().enumerate().map(|(step, slices)| self.figures(step, slices)).collect();
        let full: Vec<Counts> = whole
            .zip(&steps)
            .filter(|(_, figures)| figures.saturated)
            .flat_map(|(slices, _)| slices[1..].iter().copied())
            .filter(|slice| slice.best_effort > 0)
            .collect();
        let ratios: Vec<f64> = full.iter().map(|s| s.expedited as f64 / s.best_effort as f64).collect();
        // A slice's ratio is skewed; the ratio of the sums is not.
        let sums = sum(&full);
        let ratio = Interval::of(&ratios)
            .map(|interval| Interval { mean: sums.expedited as f64 / sums.best_effort as f64, ..interval });
        // The first slice has the start of the sender in it.
        let begun = self.alone.iter().position(|slice| slice.best_effort > 0).map_or(0, |first| first + 1);
        let alone = self
            .alone
            .get(begun..)
            .filter(|slices| !slices.is_empty())
            .map(|slices| self.rate(sum(slices).best_effort, slices.len()));
        Report {
            verdict: self.verdict(&steps, ratio.as_ref()),
            together: (!full.is_empty()).then(|| self.rate(sums.best_effort + sums.expedited, full.len())),
            steps,
            alone,
            ratio,
            foreign: self.foreign,
        }
    }

    fn slices_in_step(&self) -> usize {
        (self.plan.step_ns / self.slice_ns).max(2) as usize
    }

    fn rate(&self, packets: u64, slices: usize) -> f64 {
        packets as f64 * 1e9 / (slices as u64 * self.slice_ns) as f64
    }

    fn figures(&self, step: usize, slices: &[Counts]) -> StepFigures {
        let (counts, n) = (sum(&slices[1..]), slices.len() - 1);
        let (offered, expedited) = (self.plan.offered(step), self.rate(counts.expedited, n));
        let best_effort = self.rate(counts.best_effort, n);
        StepFigures { offered, expedited, best_effort, saturated: expedited < CARRIED * offered }
    }

    fn verdict(&self, steps: &[StepFigures], ratio: Option<&Interval>) -> Verdict {
        let slices = ratio.map_or(0, |ratio| ratio.n);
        if steps.iter().any(|step| step.saturated) || steps.is_empty() {
            return match ratio.filter(|ratio| ratio.n >= ENOUGH) {
                None => Verdict::TooFew { slices, needed: ENOUGH },
                Some(r) if (r.mean - 1.0).abs() <= EQUAL + r.half_width.unwrap_or(0.0) => Verdict::Equal,
                Some(_) => Verdict::Unequal,
            };
        }
        Verdict::NotSaturated
    }

    /// A slice is over.
    fn close(&mut self) {
        let slice = std::mem::take(&mut self.current);
        match (self.end_ns, self.steps.last_mut()) {
            (None, _) if self.alone.len() < ALONE => self.alone.push(slice),
            (None, _) => {}
            (Some(_), Some(step)) => step.push(slice),
            (Some(_), None) => self.steps.push(vec![slice]),
        }
        let full = self.steps.last().is_some_and(|step| step.len() >= self.slices_in_step());
        if full && self.steps.len() < self.plan.steps() {
            self.steps.push(Vec::new());
        }
        self.slice_end_ns = self.slice_end_ns.saturating_add(self.slice_ns);
    }
}

fn sum(slices: &[Counts]) -> Counts {
    slices.iter().fold(Counts::default(), |all, slice| Counts {
        best_effort: all.best_effort + slice.best_effort,
        expedited: all.expedited + slice.expedited,
    })
}

impl Sink for Judge {
    fn advance(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
        while now_ns >= self.slice_end_ns && !self.is_done() {
            self.close();
        }
    }

    fn deadline_ns(&self) -> u64 {
        self.slice_end_ns
    }

    fn is_done(&self) -> bool {
        self.end_ns.is_some_and(|end_ns| self.slice_end_ns > end_ns)
    }

    fn handle(&mut self, _arrived_ns: u64, _from: SocketAddr, datagram: &mut [u8]) -> bool {
        let ours = Header::parse(datagram).is_ok_and(|header| header.kind == Kind::Data);
        match datagram.len() {
            n if ours && n == self.plan.best_effort_bytes => self.current.best_effort += 1,
            n if ours && n == self.plan.expedited_bytes => {
                if self.end_ns.is_none() {
                    self.current = Counts::default();
                    self.slice_end_ns = self.now_ns.saturating_add(self.slice_ns);
                    let slices = self.slices_in_step() as u64 * self.plan.steps() as u64;
                    self.end_ns = Some(self.now_ns.saturating_add(slices.saturating_mul(self.slice_ns)));
                }
                self.current.expedited += 1;
            }
            _ => self.foreign += 1,
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtab_core::time::SECOND;

    fn plan() -> Plan {
        Plan { step_ns: 6 * SECOND, ..Plan::default() }
    }

    fn packet(bytes: usize) -> Vec<u8> {
        let mut payload = vec![0; bytes];
        let header = Header { kind: Kind::Data, flow: 1, seq: 0, sent_ns: 0, rx_bps: 0, echo_rx_ns: 0 };
        header.write(&mut payload);
        payload
    }

    /// Best effort alone for 5 s, then both; `share`: packets a second of both senders where that much is offered.
    fn run(share: impl Fn(f64) -> (f64, f64)) -> Report {
        let plan = plan();
        let mut judge = Judge::new(plan, 1_000);
        let (mut be, mut ef) = (0.0, 0.0);
        let from: SocketAddr = "192.0.2.1:9".parse().unwrap();
        for ms in 0u64.. {
            let now = 1_000 + ms * 1_000_000;
            judge.advance(now);
            if judge.is_done() {
                break;
            }
            let sweep_ms = ms.checked_sub(5_000);
            let (a, b) = sweep_ms.map_or((680.0, 0.0), |ms| share(plan.offered((ms / 6_000) as usize)));
            (be, ef) = (be + a / 1e3, ef + b / 1e3);
            while be >= 1.0 {
                judge.handle(0, from, &mut packet(768));
                be -= 1.0;
            }
            while ef >= 1.0 {
                judge.handle(0, from, &mut packet(64));
                ef -= 1.0;
            }
        }
        judge.handle(0, from, &mut [1, 2, 3]);
        judge.report()
    }

    /// Shares of a channel that carries 907 packets a second (802.11b by the constants, Starzetz 2006, figure 6.4).
    #[test]
    fn ideal_cards_are_equal() {
        let report = run(|offered| {
            let ef = offered.min(453.5);
            (907.0 - ef, ef)
        });
        assert_eq!((report.steps.len(), report.foreign, report.verdict), (16, 1, Verdict::Equal));
        let saturated = report.steps.iter().filter(|step| step.saturated).count();
        assert_eq!(saturated, 13, "from 500 offered on");
        assert!((report.alone.unwrap() - 680.0).abs() < 2.0, "{:?}", report.alone);
        assert!((report.together.unwrap() - 907.0).abs() < 2.0);
        let ratio = report.ratio.unwrap();
        assert!((ratio.mean - 1.0).abs() < 0.005 && ratio.n == 13 * 5, "{ratio:?}");
    }

    /// The thesis's own cards: a fifth apart at the end.
    #[test]
    fn a_card_that_takes_more_is_found() {
        let report = run(|offered| {
            let ef = offered.min(495.0);
            (907.0 - ef, ef)
        });
        assert_eq!(report.verdict, Verdict::Unequal);
        assert!((report.ratio.unwrap().mean - 495.0 / 412.0).abs() < 0.01);
    }

    #[test]
    fn a_channel_that_is_never_full_and_a_sender_that_is_not_heard() {
        assert_eq!(run(|offered| (900.0, offered)).verdict, Verdict::NotSaturated);
        assert_eq!(run(|_| (0.0, 100.0)).verdict, Verdict::TooFew { slices: 0, needed: 10 });
        let judge = Judge::new(plan(), 0);
        assert_eq!(judge.report().verdict, Verdict::TooFew { slices: 0, needed: 10 });
        assert_eq!((judge.step(), judge.is_done()), (None, false));
    }

    /// Slices of 1 s in steps of 3 s: the first slice of a step, and that in which the first sender begins, are left out.
    #[test]
    fn slices_are_counted_by_hand() {
        let plan = Plan { step_ns: 15 * SECOND, rates_bps: (64_000, 128_000), ..Plan::default() };
        let mut judge = Judge::new(plan, 50);
        let from: SocketAddr = "192.0.2.1:9".parse().expect("an address");
        let second = |judge: &mut Judge, at: u64, best_effort: u32, expedited: u32| {
            judge.advance(50 + at * SECOND);
            for (n, bytes) in [(expedited, 64), (best_effort, 768)] {
                (0..n).for_each(|_| assert!(!judge.handle(0, from, &mut packet(bytes))));
            }
            judge.step()
        };
        // Silence, the sender's start, then 30, 40 and 80 packets a second.
        for (at, n) in [(0, 0), (1, 7), (2, 30), (3, 40), (4, 80)] {
            assert_eq!(second(&mut judge, at, n, 0), None);
        }
        // Offered: 125 packets a second of 64 bytes, then 250. The first step is carried.
        assert_eq!(second(&mut judge, 5, 100, 1), Some(0));
        for at in 6..20 {
            assert_eq!(second(&mut judge, at, 10 + at as u32, 120), Some(0));
        }
        assert_eq!(second(&mut judge, 20, 1000, 1000), Some(1), "left out");
        for at in 21..35 {
            assert_eq!(second(&mut judge, at, 60 + 2 * (at as u32 % 2), 90), Some(1));
            assert!(!judge.is_done());
        }
        judge.advance(50 + 35 * SECOND);
        assert!(judge.is_done());
        // A PING and a length of neither sender are of neither.
        let mut ping = packet(64);
        Header { kind: Kind::Ping, flow: 1, seq: 0, sent_ns: 0, rx_bps: 0, echo_rx_ns: 0 }.write(&mut ping);
        judge.handle(0, from, &mut ping);
        judge.handle(0, from, &mut packet(100));
        let report = judge.report();
        assert_eq!(report.foreign, 2);
        assert_eq!(report.alone, Some(50.0), "of 30, 40 and 80");
        // 16 to 29: a mean of 22.5.
        let first = StepFigures { offered: 125.0, expedited: 120.0, best_effort: 22.5, saturated: false };
        let second = StepFigures { offered: 250.0, expedited: 90.0, best_effort: 61.0, saturated: true };
        assert_eq!(report.steps, [first, second]);
        assert_eq!(report.together, Some(151.0));
        let ratio = report.ratio.expect("14 slices");
        assert_eq!((ratio.n, ratio.mean), (14, 90.0 / 61.0));
        assert_eq!(report.verdict, Verdict::Unequal);
    }

    /// Below 95 % of what is offered a step is saturated; the verdict takes 10 slices, and a ratio within 2 % and its interval.
    #[test]
    fn verdicts_at_their_bounds() {
        let judge = Judge::new(plan(), 0);
        let saturated = |expedited| {
            // 125 packets a second are offered; of 8 slices the first is left out.
            let counts = |n| Counts { best_effort: 9, expedited: n };
            let slices: Vec<Counts> = [counts(0), counts(expedited), counts(expedited)].into();
            judge.figures(0, &slices).saturated
        };
        assert_eq!([118, 119].map(saturated), [true, false], "118.75");
        let step = StepFigures { offered: 1.0, expedited: 0.5, best_effort: 0.5, saturated: true };
        let verdict = |n, mean, half_width| judge.verdict(&[step], Some(&Interval { mean, half_width, n }));
        assert_eq!(verdict(9, 1.0, None), Verdict::TooFew { slices: 9, needed: 10 });
        assert_eq!(verdict(10, 1.0, None), Verdict::Equal);
        assert_eq!([1.019, 0.981].map(|mean| verdict(10, mean, None)), [Verdict::Equal; 2]);
        assert_eq!([1.021, 0.979].map(|mean| verdict(10, mean, None)), [Verdict::Unequal; 2]);
        assert_eq!([1.049, 0.951].map(|mean| verdict(10, mean, Some(0.03))), [Verdict::Equal; 2]);
        assert_eq!([1.051, 0.949].map(|mean| verdict(10, mean, Some(0.03))), [Verdict::Unequal; 2]);
        let carried = StepFigures { saturated: false, ..step };
        assert_eq!(judge.verdict(&[carried], None), Verdict::NotSaturated);
        // A step of a fifth of the slice's second and less: five slices.
        let quick = Judge::new(Plan { step_ns: SECOND / 2, ..plan() }, 0);
        assert_eq!((quick.slice_ns, quick.slices_in_step()), (SECOND / 10, 5));
        assert_eq!((judge.slice_ns, judge.slices_in_step()), (SECOND, 6));
    }
}
