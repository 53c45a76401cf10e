// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Quality of Outcome of late, by station and kind of application, from the access point's own books: what each packet
//! took from where it came in to where it was handed out, and what was lost. No probe is sent.
//!
//! Source: draft-ietf-ippm-qoo-10 (`airtab_quality::qoo`); docs/measures.md. Packets are counted by interval in
//! [`BUCKETS`] steps between the least latency that is optimal and the greatest that is unusable, so a score is that of
//! the draft but for half a per cent of that distance, never better. A packet counts when it ends.
//!
//! What it does not do: throughput is judged only of kinds that take all they can get; packets that no application of
//! the house has are in none.

use std::sync::Arc;

use airtab_quality::qoo::{Part, Percentile, Requirement, Seen};
use airtab_scenario::{Direction, greedy};
use airtab_sim::Scenario;

use crate::snapshot::{OutcomeView, ScoreOfLate};

/// Steps of latency.
const BUCKETS: usize = 200;
/// The longer of the two times that scores are about, intervals of a second.
const LONG: usize = 60;
/// The shorter one.
const SHORT: usize = 10;

const SECONDS: f64 = 1e-9;

/// One direction in one interval.
#[derive(Clone)]
struct Way {
    lost: u32,
    bytes: u64,
    /// Packets that took at most the least of the scale, each step of it, and more than its greatest.
    took: [u32; BUCKETS + 2],
}

impl Default for Way {
    fn default() -> Way {
        Way { lost: 0, bytes: 0, took: [0; BUCKETS + 2] }
    }
}

/// Applications of one kind at one station that have the same requirement.
struct Group {
    station: usize,
    kind: &'static str,
    requirement: Arc<Requirement>,
    /// Whether they take all that they can get down and up: their rate there says something of the network.
    greedy: [bool; 2],
    /// The least latency that is told apart, ns, and a step from there.
    least_ns: u64,
    step_ns: u64,
    /// Down and up in each interval, in a ring; the one under way is at `Outcomes::now`.
    intervals: Vec<[Way; 2]>,
    /// Intervals since the one of the first packet, that one included; at most `LONG` count.
    age: usize,
}

impl Group {
    fn new(station: usize, kind: &'static str, greedy: [bool; 2], requirement: Arc<Requirement>) -> Group {
        let spans = || requirement.latency.iter().map(|(_, span)| span);
        let least = spans().map(|span| span.optimal()).fold(f64::INFINITY, f64::min);
        let most = spans().map(|span| span.unusable()).fold(0.0, f64::max);
        let (least, most) = if least <= most { (least, most) } else { (0.0, 1.0) };
        let step_ns = ((most - least) / SECONDS / BUCKETS as f64).ceil().max(1.0) as u64;
        Group {
            station,
            kind,
            greedy,
            least_ns: (least / SECONDS) as u64,
            step_ns,
            intervals: vec![<[Way; 2]>::default(); LONG + 1],
            age: 0,
            requirement,
        }
    }

    fn bucket(&self, took_ns: u64) -> usize {
        let above = took_ns.saturating_sub(self.least_ns).div_ceil(self.step_ns);
        (above as usize).min(BUCKETS + 1)
    }

    /// The greatest latency of a bucket, s: of the last one it is beyond all that is usable.
    fn latency_s(&self, bucket: usize) -> f64 {
        (self.least_ns + bucket as u64 * self.step_ns) as f64 * SECONDS
    }

    /// The score of the last `n` intervals before the one at `now`, which has just begun.
    fn score(&self, now: usize, n: usize) -> Option<ScoreOfLate> {
        let mut worst: Option<ScoreOfLate> = None;
        let mut few = false;
        for (direction, way) in Direction::BOTH.into_iter().zip([0, 1]) {
            let mut sum = Way::default();
            for back in 1..=n {
                let of = &self.intervals[(now + self.intervals.len() - back) % self.intervals.len()][way];
                sum.lost += of.lost;
                sum.bytes += of.bytes;
                sum.took.iter_mut().zip(of.took).for_each(|(sum, took)| *sum += took);
            }
            let arrived: u64 = sum.took.iter().map(|n| u64::from(*n)).sum();
            let ended = arrived + u64::from(sum.lost);
            if ended == 0 {
                continue;
            }
            let latency_s = |percentile: Percentile| {
                let rank = percentile.rank(arrived).unwrap_or(0);
                let mut before = 0;
                let reached = |n: &u32| {
                    before += u64::from(*n);
                    before >= rank
                };
                self.latency_s(sum.took.iter().position(reached).unwrap_or(0))
            };
            let seen = Seen {
                samples: arrived,
                latency_s: &latency_s,
                loss: Some(f64::from(sum.lost) / ended as f64),
                // Of the time since there is something of it.
                rate_bps: self.greedy[way].then(|| sum.bytes as f64 * 8.0 / self.age.clamp(1, n) as f64),
            };
            let outcome = self.requirement.outcome(&seen).ok();
            few |= outcome.is_none();
            let Some(outcome) = outcome else { continue };
            if worst.as_ref().is_none_or(|worst| outcome.score < worst.score) {
                let decided = match outcome.decided {
                    Part::Latency(percentile) => format!("{} p{percentile}", direction.word()),
                    Part::Loss => format!("{} loss", direction.word()),
                    Part::Rate => format!("{} rate", direction.word()),
                };
                // To a tenth: it is no more exact, and as text it reads the same again.
                worst = Some(ScoreOfLate { score: (outcome.score * 10.0).round() / 10.0, decided });
            }
        }
        // With too few packets in one direction only a 0 of the other is known to be the score.
        worst.filter(|worst| !few || worst.score == 0.0)
    }
}

/// Those of all applications that have a requirement.
pub(super) struct Outcomes {
    groups: Vec<Group>,
    /// The group of each application.
    of_app: Vec<Option<usize>>,
    now: usize,
}

impl Outcomes {
    /// Of the applications of a house.
    pub(super) fn new(scenario: &Scenario) -> Outcomes {
        let mut groups: Vec<Group> = Vec::new();
        let of_app = scenario.apps.iter().map(|app| {
            let requirement = app.requirement.clone()?;
            let kind = app.kind.name();
            let greedy = Direction::BOTH.map(|direction| greedy(&app.kind, direction));
            let same = |g: &Group| {
                (g.station, g.kind, g.greedy, &g.requirement) == (app.station, kind, greedy, &requirement)
            };
            let known = groups.iter().position(same);
            Some(known.unwrap_or_else(|| {
                groups.push(Group::new(app.station, kind, greedy, requirement));
                groups.len() - 1
            }))
        });
        let of_app = of_app.collect();
        Outcomes { groups, of_app, now: 0 }
    }

    /// A packet of an application arrived.
    pub(super) fn passed(&mut self, app: u16, up: bool, took_ns: u64, bytes: u32) {
        let Some(&Some(group)) = self.of_app.get(usize::from(app)) else { return };
        let group = &mut self.groups[group];
        let bucket = group.bucket(took_ns);
        let way = &mut group.intervals[self.now][usize::from(up)];
        way.took[bucket] += 1;
        way.bytes += u64::from(bytes);
    }

    /// One ended on its way.
    pub(super) fn lost(&mut self, app: u16, up: bool) {
        let Some(&Some(group)) = self.of_app.get(usize::from(app)) else { return };
        self.groups[group].intervals[self.now][usize::from(up)].lost += 1;
    }

    /// The interval under way ends, and the oldest one is forgotten.
    pub(super) fn end_interval(&mut self) {
        let before = self.now;
        self.now = (before + 1) % (LONG + 1);
        for group in &mut self.groups {
            let ended = &group.intervals[before];
            let seen = ended.iter().any(|way| way.lost > 0 || way.bytes > 0);
            if group.age > 0 || seen {
                group.age = (group.age + 1).min(LONG);
            }
            group.intervals[self.now] = <[Way; 2]>::default();
        }
    }

    /// What is to be shown, after [`Outcomes::end_interval`].
    pub(super) fn views(&self, scenario: &Scenario) -> Vec<OutcomeView> {
        let view = |group: &Group| OutcomeView {
            station: scenario.stations[group.station].name.clone(),
            kind: group.kind.into(),
            requirement: group.requirement.name.clone(),
            last_10_s: group.score(self.now, SHORT),
            last_60_s: group.score(self.now, LONG),
        };
        self.groups.iter().map(view).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtab_quality::qoo::Span;

    const MS: u64 = 1_000_000;

    /// p50 from 100 to 300 ms, losses from 0 to 10 %.
    fn outcomes() -> Outcomes {
        let requirement = Requirement {
            name: "r".into(),
            latency: vec![(Percentile::of_percent(50.0).unwrap(), Span::new(0.1, 0.3).unwrap())],
            loss: Span::new(0.0, 0.1),
            rate_bps: None,
        };
        let groups = vec![Group::new(0, "game", [false; 2], requirement.into())];
        Outcomes { groups, of_app: vec![Some(0), None], now: 0 }
    }

    fn scores(o: &Outcomes) -> [Option<(f64, String)>; 2] {
        [SHORT, LONG].map(|n| o.groups[0].score(o.now, n).map(|s| (s.score, s.decided)))
    }

    #[test]
    fn the_median_and_losses_of_the_worse_direction() {
        let mut o = outcomes();
        assert_eq!(scores(&o), [None, None]);
        for took in [50, 100, 199, 301, 9000] {
            o.passed(0, false, took * MS, 100);
        }
        (0..5).for_each(|_| o.passed(0, true, 90 * MS, 100));
        // Not of the group.
        o.passed(1, true, 900 * MS, 100);
        o.passed(u16::MAX, true, 900 * MS, 100);
        assert_eq!(scores(&o), [None, None], "an interval counts when it is over");
        o.end_interval();
        let [short, long] = scores(&o);
        let (score, decided) = short.clone().expect("it has a score");
        assert!((score - 50.5).abs() < 1e-6 && decided == "down p50", "{score} {decided}");
        assert_eq!(short, long);
        // One of 25 lost upwards: 4 % of 10 %.
        (0..19).for_each(|_| o.passed(0, true, 90 * MS, 100));
        (0..9).for_each(|_| o.passed(0, false, 100 * MS, 100));
        o.lost(0, true);
        o.end_interval();
        let (score, decided) = scores(&o)[0].clone().expect("it has a score");
        assert!((score - 60.0).abs() < 1e-6 && decided == "up loss", "{score} {decided}");
    }

    #[test]
    fn ten_and_sixty_intervals_and_then_nothing() {
        let mut o = outcomes();
        for up in [false, true] {
            (0..2).for_each(|_| o.passed(0, up, MS, 100));
        }
        for i in 1..=60 {
            o.end_interval();
            let [short, long] = scores(&o);
            assert_eq!(short.is_some(), i <= 10, "{i}");
            assert!(long.is_some(), "{i}");
        }
        // Nor is it found again when the ring has come round.
        for _ in 0..3 {
            o.end_interval();
            assert_eq!(scores(&o), [None, None]);
        }
    }

    /// After ten seconds in time and one in which all came late, of a group of the second station.
    #[test]
    fn views_have_names_and_the_scores_of_both_times() {
        let scenario = airtab_scenario::ScenarioFile::home().scenario;
        let mut o = outcomes();
        o.groups.push(Group::new(1, "call", [false; 2], o.groups[0].requirement.clone()));
        o.of_app[1] = Some(1);
        (0..30).for_each(|_| o.passed(1, false, MS, 100));
        (0..SHORT).for_each(|_| o.end_interval());
        (0..20).for_each(|_| o.passed(1, false, 900 * MS, 100));
        o.end_interval();
        let views = o.views(&scenario);
        let [quiet, call] = &views[..] else { panic!("{views:?}") };
        for (view, station, kind) in [(quiet, 0, "game"), (call, 1, "call")] {
            let named = (&*view.station, &*view.kind, &*view.requirement);
            assert_eq!(named, (&*scenario.stations[station].name, kind, "r"));
        }
        assert_eq!((&quiet.last_10_s, &quiet.last_60_s), (&None, &None));
        let score = |of: &Option<crate::snapshot::ScoreOfLate>| of.as_ref().map(|score| score.score);
        assert_eq!((score(&call.last_10_s), score(&call.last_60_s)), (Some(0.0), Some(100.0)));
    }

    /// Steps are of the whole scale, from the least optimal latency to the greatest unusable one, in whatever order and
    /// of whichever percentile these are.
    #[test]
    fn each_percentile_has_its_own_scale() {
        let percentile = |percent| Percentile::of_percent(percent).unwrap();
        let spans = [(50.0, 0.1, 0.3), (75.0, 0.2, 2.2)]
            .map(|(percent, optimal, unusable)| (percentile(percent), Span::new(optimal, unusable).unwrap()));
        for swap in [false, true] {
            let mut latency = spans.to_vec();
            if swap {
                latency.reverse();
            }
            let mut o = outcomes();
            let requirement = Requirement { latency, ..(*o.groups[0].requirement).clone() };
            o.groups = vec![Group::new(0, "game", [false; 2], requirement.into())];
            // The median is 100 ms, which is optimal; the 75 % point 1.201 s is half-way to unusable, up to a step.
            [100, 100, 1201, 9000].into_iter().for_each(|ms| o.passed(0, false, ms * MS, 100));
            o.end_interval();
            let (score, decided) = scores(&o)[0].clone().expect("it has a score");
            assert!((49.4..=50.0).contains(&score) && decided == "down p75", "{score} {decided}");
            // A median of 150 ms is in the fifth step of 10.5 ms from 100 ms on: 152.5 of 100 to 300.
            (0..10).for_each(|_| o.end_interval());
            [100, 150, 200, 200].into_iter().for_each(|ms| o.passed(0, false, ms * MS, 100));
            o.end_interval();
            let (score, decided) = scores(&o)[0].clone().expect("it has a score");
            assert!((score - 73.75).abs() < 0.06 && decided == "down p50", "{score} {decided}");
        }
        // Below the scale all is as good, above it all as bad.
        let group = &outcomes().groups[0];
        assert_eq!(
            [0, 100, 101, 102, 299, 300, 301, 9000].map(|ms| group.bucket(ms * MS)),
            [0, 0, 1, 2, 199, 200, 201, 201]
        );
    }

    /// Applications of one kind at one station that need the same are one; what has no requirement is none.
    #[test]
    fn groups_are_by_station_kind_and_requirement() {
        let app = |name, kind, station, more| {
            format!("[[app]]\nname = \"{name}\"\nkind = \"{kind}\"\nstation = \"{station}\"\n{more}\n")
        };
        let apps = [
            ("a", "web", "pc", ""),
            ("b", "web", "tv", ""),
            ("c", "game", "pc", "requirement = \"none\""),
            ("d", "web", "pc", ""),
            ("e", "game", "pc", "requirement = \"cloud-game\""),
            ("f", "web", "pc", "requirement = \"voice\""),
            ("g", "game", "pc", "requirement = \"voice\""),
        ];
        let stations = ["pc", "tv"].map(|name| format!("[[station]]\nname = \"{name}\"\n")).concat();
        let apps: String = apps.map(|(name, kind, station, more)| app(name, kind, station, more)).concat();
        let text = format!("name = \"x\"\nduration = \"1s\"\n{stations}{apps}");
        let scenario = airtab_scenario::ScenarioFile::parse("x.toml", &text).expect("a good file").scenario;
        let mut o = Outcomes::new(&scenario);
        assert_eq!(o.of_app, [Some(0), Some(1), None, Some(0), Some(2), Some(3), Some(4)]);
        // Of one application alone each, in another direction, lost altogether.
        for (app, up) in [(1, true), (2, true), (3, false), (6, true)] {
            o.lost(app, up);
        }
        o.end_interval();
        let told: Vec<_> = o
            .views(&scenario)
            .into_iter()
            .map(|view| {
                let decided = view.last_10_s.map(|score| score.decided);
                (view.station, view.kind, view.requirement, decided)
            })
            .collect();
        let all = [
            ("pc", "web", "web", Some("down p50")),
            ("tv", "web", "web", Some("up p50")),
            ("pc", "game", "cloud-game", None),
            ("pc", "web", "voice", None),
            ("pc", "game", "voice", Some("up loss")),
        ];
        let all = all.map(|(station, kind, requirement, decided)| {
            (station.into(), kind.into(), requirement.into(), decided.map(String::from))
        });
        assert_eq!(told, all);
    }

    /// Percentiles are of packets that arrived, and losses have their own part, if any.
    #[test]
    fn what_is_lost_has_no_latency() {
        let mut o = outcomes();
        let requirement = Requirement { loss: None, ..(*o.groups[0].requirement).clone() };
        o.groups = vec![Group::new(0, "game", [false; 2], requirement.into())];
        [100, 100, 300, 300].into_iter().for_each(|ms| o.passed(0, true, ms * MS, 100));
        (0..3).for_each(|_| o.lost(0, true));
        o.end_interval();
        assert_eq!(scores(&o)[0], Some((100.0, "up p50".into())));
    }

    /// 8 kb in each second of the 3 that there were is enough, and the ACKs that come down are not asked; after a silence
    /// that is as long as what is looked at it is too little.
    #[test]
    fn a_rate_is_of_its_own_direction_and_time() {
        let mut o = outcomes();
        let requirement = Requirement { rate_bps: Some(8000.0), ..(*o.groups[0].requirement).clone() };
        o.groups = vec![Group::new(0, "upload", [false, true], requirement.into())];
        (0..20).for_each(|_| o.end_interval());
        for _ in 0..3 {
            (0..10).for_each(|_| o.passed(0, true, MS, 100));
            (0..10).for_each(|_| o.passed(0, false, MS, 4));
            o.end_interval();
            let full = Some((100.0, "down p50".into()));
            assert_eq!(scores(&o), [full.clone(), full]);
        }
        o.end_interval();
        let slow = Some((0.0, "up rate".into()));
        assert_eq!(scores(&o), [slow.clone(), slow]);
    }

    /// The time of a rate begins with the first packet, also if that was lost.
    #[test]
    fn a_rate_counts_from_a_lost_packet_on() {
        let mut o = outcomes();
        let requirement =
            Requirement { rate_bps: Some(8000.0), loss: None, ..(*o.groups[0].requirement).clone() };
        o.groups = vec![Group::new(0, "upload", [false, true], requirement.into())];
        o.lost(0, true);
        o.end_interval();
        (0..10).for_each(|_| o.passed(0, true, MS, 100));
        o.end_interval();
        assert_eq!(scores(&o)[0], Some((0.0, "up rate".into())), "8 kb in two seconds");
        (0..20).for_each(|_| o.passed(0, true, MS, 100));
        o.end_interval();
        assert_eq!(scores(&o)[0], Some((100.0, "up p50".into())), "24 kb in three");
    }

    /// Too few packets upwards for a median: nothing is said, whatever came down.
    #[test]
    fn too_few_is_no_score() {
        let mut o = outcomes();
        (0..100).for_each(|_| o.passed(0, false, MS, 100));
        o.passed(0, true, MS, 100);
        o.end_interval();
        assert_eq!(scores(&o), [None, None]);
        // The same downwards.
        let mut down = outcomes();
        down.passed(0, false, MS, 100);
        (0..100).for_each(|_| down.passed(0, true, MS, 100));
        down.end_interval();
        assert_eq!(scores(&down), [None, None]);
        // A direction that is 0 decides, whatever the other is.
        (0..10).for_each(|_| o.passed(0, false, 9000 * MS, 100));
        (0..100).for_each(|_| o.passed(0, false, 9000 * MS, 100));
        o.end_interval();
        assert_eq!(scores(&o)[0], Some((0.0, "down p50".into())));
        // Nearly all lost.
        let mut o = outcomes();
        o.passed(0, false, MS, 100);
        (0..9).for_each(|_| o.lost(0, false));
        o.end_interval();
        assert_eq!(scores(&o)[0], Some((0.0, "down loss".into())));
        // Lost altogether is known.
        let mut o = outcomes();
        o.lost(0, false);
        o.end_interval();
        assert_eq!(scores(&o)[0], Some((0.0, "down loss".into())));
    }
}
