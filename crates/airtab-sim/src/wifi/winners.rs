// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Who wins after whom, in bounded memory: the self-correlation index p_s (Starzetz 2006, 8.2) and Jain's index
//! of the wins in short windows (his equation 7.1 over the winner sequence).
//!
//! p_s(d) is the share of wins after which their contender wins again within the next d: of each win all of the
//! next 8 N are looked at, so that the last 8 N wins of a run are not counted. J(k) is the mean over all windows of
//! k N wins. N is the number of contenders, whether or not they have something to send.
//!
//! What it does not do: no variant that is not cumulative; J for k in [`WinnersTrace::WINDOWS`] alone.

use std::collections::VecDeque;

/// p_s is known up to so many wins for each contender.
const AHEAD: usize = 8;

/// What is told of the winners of a cell's contentions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WinnersTrace {
    /// N: contenders that there are.
    pub contenders: usize,
    /// p_s(d), d = 1 to 8 N; nothing where fewer than that won.
    pub self_correlation: Vec<f64>,
    /// J(k) by [`WinnersTrace::WINDOWS`]; None where fewer won than a window has.
    pub jain: [Option<f64>; WinnersTrace::WINDOWS.len()],
}

impl WinnersTrace {
    /// k: windows have k N wins.
    pub const WINDOWS: [usize; 7] = [1, 2, 5, 10, 20, 50, 100];
}

/// The last winners, and what is counted of all of them.
pub(super) struct Winners {
    contenders: usize,
    /// Contenders that won so far.
    wins: u64,
    /// The last of them, the newest one last: as many as the widest window has.
    last: VecDeque<u16>,
    /// By contender, when it won last: after so many wins; None: never.
    before: Vec<Option<u64>>,
    /// Of the last 8 N wins, after how many more their contender won again, 0: not yet.
    again: VecDeque<u16>,
    /// Of all earlier ones, how many did after 1, 2, ... 8 N.
    recurrences: Vec<u64>,
    /// Of those, all.
    looked_at: u64,
    windows: [Window; WinnersTrace::WINDOWS.len()],
}

/// A window that slides.
struct Window {
    wins: usize,
    /// Wins of each contender in it, and the sum of their squares.
    own: Vec<u32>,
    squares: u64,
    /// Sum of J, and over how many places of the window.
    jain: f64,
    places: u64,
}

impl Winners {
    pub(super) fn new(contenders: usize) -> Winners {
        let ahead = AHEAD * contenders;
        let widest = WinnersTrace::WINDOWS[WinnersTrace::WINDOWS.len() - 1] * contenders;
        let window = |k: usize| Window {
            wins: k * contenders,
            own: vec![0; contenders],
            squares: 0,
            jain: 0.0,
            places: 0,
        };
        Winners {
            contenders,
            wins: 0,
            last: VecDeque::with_capacity(widest + 1),
            before: vec![None; contenders],
            again: VecDeque::with_capacity(ahead + 1),
            recurrences: vec![0; ahead],
            looked_at: 0,
            windows: WinnersTrace::WINDOWS.map(window),
        }
    }

    /// A contender won.
    pub(super) fn won(&mut self, contender: usize) {
        self.recur(contender);
        self.last.push_back(contender as u16);
        let newest = self.last.len() - 1;
        for window in &mut self.windows {
            window.enter(contender);
            if let Some(oldest) = newest.checked_sub(window.wins) {
                window.leave(self.last[oldest].into());
            }
            if newest + 1 >= window.wins {
                window.look(self.contenders);
            }
        }
        if newest == self.windows[self.windows.len() - 1].wins {
            self.last.pop_front();
        }
    }

    fn recur(&mut self, contender: usize) {
        let ahead = self.recurrences.len() as u64;
        let since = self.before[contender].replace(self.wins).map(|before| self.wins - before);
        if let Some(since) = since.filter(|since| *since <= ahead) {
            let place = self.again.len() - since as usize;
            self.again[place] = since as u16;
        }
        self.wins += 1;
        self.again.push_back(0);
        if self.again.len() as u64 > ahead {
            self.looked_at += 1;
            match self.again.pop_front() {
                None | Some(0) => {}
                Some(since) => self.recurrences[usize::from(since) - 1] += 1,
            }
        }
    }

    /// All of it so far.
    pub(super) fn trace(&self) -> WinnersTrace {
        let mut sum = 0;
        let up_to = self.recurrences.iter().map(|n| {
            sum += n;
            sum as f64 / self.looked_at as f64
        });
        WinnersTrace {
            contenders: self.contenders,
            self_correlation: if self.looked_at > 0 { up_to.collect() } else { Vec::new() },
            jain: self.windows.each_ref().map(|w| (w.places > 0).then(|| w.jain / w.places as f64)),
        }
    }
}

impl Window {
    fn enter(&mut self, contender: usize) {
        let own = &mut self.own[contender];
        self.squares += 2 * u64::from(*own) + 1;
        *own += 1;
    }

    fn leave(&mut self, contender: usize) {
        let own = &mut self.own[contender];
        *own -= 1;
        self.squares -= 2 * u64::from(*own) + 1;
    }

    fn look(&mut self, contenders: usize) {
        let wins = self.wins as f64;
        self.jain += wins * wins / (contenders as f64 * self.squares as f64);
        self.places += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Stream;

    /// p_s and J as they are defined, over the whole sequence.
    fn by_definition(sequence: &[usize], n: usize) -> WinnersTrace {
        let ahead = AHEAD * n;
        let origins = sequence.len() - ahead;
        let again = |d: usize| {
            let recurs = |k: &usize| sequence[k + 1..=k + d].contains(&sequence[*k]);
            (0..origins).filter(recurs).count() as f64 / origins as f64
        };
        let jain = |k: usize| {
            let windows: Vec<_> = sequence.windows(k * n).collect();
            let one = |window: &&[usize]| {
                let own = (0..n).map(|i| window.iter().filter(|w| **w == i).count() as f64);
                let (sum, squares) = own.fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
                sum * sum / (n as f64 * squares)
            };
            (!windows.is_empty()).then(|| windows.iter().map(one).sum::<f64>() / windows.len() as f64)
        };
        WinnersTrace {
            contenders: n,
            self_correlation: (1..=ahead).map(again).collect(),
            jain: WinnersTrace::WINDOWS.map(jain),
        }
    }

    #[test]
    fn it_is_what_the_definitions_say() {
        let mut random = Stream::new(1, "winners");
        for (n, length) in [(1, 250), (3, 40), (3, 700), (5, 1200)] {
            // Unequal, so that some do not win again for long.
            let sequence: Vec<usize> =
                (0..length).map(|_| random.below(n).min(random.below(n)) as usize).collect();
            let mut winners = Winners::new(n as usize);
            sequence.iter().for_each(|winner| winners.won(*winner));
            let (got, expected) = (winners.trace(), by_definition(&sequence, n as usize));
            assert_eq!(got.self_correlation.len(), expected.self_correlation.len());
            for (got, expected) in got.self_correlation.iter().zip(&expected.self_correlation) {
                assert!((got - expected).abs() < 1e-12, "{n}, {length}: {got} for {expected}");
            }
            for (got, expected) in got.jain.iter().zip(&expected.jain) {
                assert_eq!(got.is_some(), expected.is_some(), "{n}, {length}");
                assert!((got.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < 1e-9, "{n}, {length}");
            }
        }
    }

    #[test]
    fn who_take_turns_come_again_after_all_others() {
        let mut winners = Winners::new(4);
        (0..1000).for_each(|k| winners.won(k % 4));
        let trace = winners.trace();
        let steps: Vec<f64> = (1..=32).map(|d| if d < 4 { 0.0 } else { 1.0 }).collect();
        assert_eq!(trace.self_correlation, steps, "TCF's step at d = N, which is t = 1/8");
        assert_eq!(trace.jain, [Some(1.0); 7]);
        assert_eq!(Winners::new(4).trace().self_correlation, []);
    }
}
