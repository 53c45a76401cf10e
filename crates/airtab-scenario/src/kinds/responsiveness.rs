// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A test of responsiveness, round trips a minute while transfers fill the way: `responsiveness`.
//!
//! Its score is the RPM of the worse direction (draft-ietf-ippm-responsiveness), of several users the mean. A test is told
//! as a whole: a part of it may lie outside the measured time.
//!
//! What it does not do: how a test runs is `airtab_sim::traffic::responsiveness`'s, its figures are `airtab_quality::rpm`'s.

use airtab_core::time::SECOND;
use airtab_quality::Window;
use airtab_quality::rpm::{Parameters, median};
use airtab_sim::traffic::Responsiveness;
use airtab_sim::{AppTrace, TestTrace};

use super::reason::{SILENT, mean_ms};
use super::{Context, Described, Score, congestion};
use crate::measure::{Figures, add_upload, mean};
use crate::metric::Metric;
use crate::reader::{Section, choice};
use crate::scores::{QueueScores, Scores};

/// Idle probes and the calm between directions, at most, ns.
const BESIDE_NS: u64 = 5 * SECOND;

impl Described for Responsiveness {
    const KEYS: &'static [&'static str] = &["congestion", "direction"];
    const COLUMNS: &'static [Metric] = &[
        Metric::Rpm,
        Metric::RpmDown,
        Metric::RpmUp,
        Metric::IdleLatency,
        Metric::LoadedLatency,
        Metric::LoadedGoodput,
        Metric::UplinkLoadedGoodput,
    ];
    const SCORE: Score = Score {
        caption: "round trips a minute under load (more is better)",
        axis: (0.0, 1.0),
        unit: Some("RPM"),
        unit_of_reason: "RPM",
        gain: ("", " has"),
        unit_of_gain: " RPM",
    };
    const DATA: (&'static [Metric], Metric) = (&[Metric::Goodput, Metric::UplinkGoodput], Metric::Loss);

    fn read(s: &Section, context: &Context) -> Option<Responsiveness> {
        let ways = vec![("down", (true, false)), ("up", (false, true)), ("both", (true, true))];
        let (down, up) = s.read("direction", choice(ways)).unwrap_or((true, true));
        Some(Responsiveness { down, up, congestion: congestion(s, context) })
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        if self.up {
            add_upload(f, seen, window);
        }
        let of = |up: bool, figure: &dyn Fn(&TestTrace) -> Option<f64>| {
            mean(seen.tests.iter().filter(|test| test.up == up).filter_map(figure))
        };
        let rpm = |test: &TestTrace| test.outcome.rpm().ok().map(|rpm| rpm.both());
        let loaded = |test: &TestTrace| test.outcome.loaded_ns().map(|ns| ns as f64 * 1e-9);
        let goodput = |test: &TestTrace| Some(test.outcome.goodput_bps as f64);
        let (down, up) = (of(false, &rpm), of(true, &rpm));
        let worse = down.into_iter().chain(up).min_by(f64::total_cmp);
        let latency = of(false, &loaded).into_iter().chain(of(true, &loaded)).max_by(f64::total_cmp);
        let idle =
            mean(seen.tests.iter().filter_map(|test| median(&test.idle_ns)).map(|ns| ns as f64 * 1e-9));
        let figures = [
            (Metric::Rpm, worse),
            (Metric::RpmDown, down),
            (Metric::RpmUp, up),
            (Metric::IdleLatency, idle),
            (Metric::LoadedLatency, latency),
            (Metric::LoadedGoodput, of(false, &goodput)),
            (Metric::UplinkLoadedGoodput, of(true, &goodput)),
        ];
        f.extend(figures.into_iter().filter_map(|(metric, figure)| Some((metric, figure?))));
    }

    fn reason(_: &QueueScores, app: &Scores) -> String {
        match (app.mean(Metric::LoadedLatency), app.mean(Metric::Rpm)) {
            (Some(_), Some(_)) => format!(
                "a handshake takes {} beside its transfers, and {} without them",
                mean_ms(app, Metric::LoadedLatency),
                mean_ms(app, Metric::IdleLatency)
            ),
            _ if app.mean(Metric::Goodput).is_some_and(|bps| bps > 0.0) => {
                "not one probe of each sort was answered under load".into()
            }
            _ => SILENT.into(),
        }
    }

    fn words(&self) -> String {
        let ways = match (self.down, self.up) {
            (true, true) => "down, then up",
            (true, false) => "down",
            _ => "up",
        };
        format!("test of responsiveness, {ways} ({})", self.congestion.name())
    }

    /// What its time is too short for.
    fn note(&self, active_ns: u64) -> Option<String> {
        let ways = u64::from(self.down) + u64::from(self.up);
        let needed = ways * Parameters::DRAFT.limit_ns + BESIDE_NS;
        (active_ns < needed).then(|| {
            let (has, needs) = (active_ns / SECOND, needed / SECOND);
            format!("it has {has} s, and may need {needs}: what is not over by then is told as it is")
        })
    }
}
