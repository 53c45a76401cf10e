// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A plan held against runs: `cbt` with the plan's parameters before a wire of its rate, and for each situation sources that
//! do not slow down, each packet up to half a gap early or late. Measured beside predicted.
//!
//! What it does not do: TCP. A class of TCP gets its part as far as it keeps its average up; experiments have that.

use airtab_core::Params;
use airtab_model::cbt::plan::Queue;
use airtab_sim::traffic::Udp;
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::wifi::{Category, Loss, MediumConfig, WireConfig};
use airtab_sim::{App, AppTrace, Latency, Scenario, Servers, Station, Users, Wired, run};

use super::plan::When;
use super::sheet::{Column, Sheet, column};
use super::tc::{AROUND, Class};

const S: u64 = 1_000_000_000;
/// Before it is measured: ten times the averages' time constant.
const WARM_UP_NS: u64 = 2 * S;
/// Measured of a link of 10 Mb/s; of a faster one as many packets, 3 s at least.
const MEASURED_NS: u64 = 40 * S;
const LEAST_NS: u64 = 3 * S;
const SLOW: f64 = 1_250_000.0;
/// What differs by more is told apart.
pub const TOLERANCE: f64 = 0.1;

/// A situation as it was measured.
pub struct Measured {
    /// Bytes/s of each class on the link, and of what is predicted.
    pub rates: Vec<(f64, f64)>,
    /// Mean time in the queue, s, and what is predicted; None: no queue is.
    pub wait_s: Option<(f64, f64)>,
}

impl Measured {
    /// The largest distance between what was measured and what is predicted, as a part of the latter.
    pub fn off(&self) -> f64 {
        let pairs = self.rates.iter().chain(&self.wait_s).filter(|(_, predicted)| *predicted > 0.0);
        pairs.map(|(measured, predicted)| (measured / predicted - 1.0).abs()).fold(0.0, f64::max)
    }
}

/// Runs each situation.
pub fn measure(queue: &Queue, classes: &[Class], params: &Params, whens: &[When]) -> Vec<Measured> {
    whens.iter().map(|when| one(queue, classes, params, when)).collect()
}

fn one(queue: &Queue, classes: &[Class], params: &Params, when: &When) -> Measured {
    let measured_ns = ((MEASURED_NS as f64 * SLOW / queue.link) as u64).clamp(LEAST_NS, MEASURED_NS);
    let end_ns = WARM_UP_NS + measured_ns;
    let frame = |class: &Class| class.packet.round() + f64::from(AROUND);
    let sends: Vec<usize> = (0..classes.len()).filter(|i| when.loads[*i] > 0.0).collect();
    let app = |&i: &usize| {
        let packet = classes[i].packet.round();
        // who always has a packet sends more than early drops can hold below its threshold
        let on_link = when.loads[i].min(2.0 * queue.link);
        App {
            name: format!("class {i}"),
            kind: Udp {
                rate: Rate::Mean((on_link * 8.0 * packet / frame(&classes[i])).round() as u64),
                bytes: packet as u32,
                gaps: Gaps::Jitter(500_000),
                upload: false,
            }
            .into(),
            users: Users::ONE,
            station: 0,
            active_ns: 0..end_ns,
            measure_ns: None,
            class: i as u8,
            access: Category::default(),
            computer: 1,
            tunnel: false,
            arrivals: false,
            servers: Servers::Own(Latency::both(0)),
            phase_ns: None,
            requirement: None,
            tcp: None,
        }
    };
    let scenario = Scenario {
        name: "plan".into(),
        duration_ns: end_ns,
        measure_ns: WARM_UP_NS..end_ns,
        windows: Vec::new(),
        changes: Vec::new(),
        medium: MediumConfig::Wire(WireConfig {
            rate_bps: (queue.link * 8.0).round() as u64,
            overhead: AROUND,
        }),
        wired: Wired { rate_bps: (queue.link * 800.0) as u64, ..Wired::default() },
        servers: Vec::new(),
        stations: vec![Station {
            name: "sink".into(),
            speed: 54_000.into(),
            loss: Loss::None,
            uplink: None,
            asleep: None,
            walk: None,
            access: None,
        }],
        apps: sends.iter().map(app).collect(),
        tcp: airtab_sim::tcp::Config::home(),
        scored: Default::default(),
    };
    let trace = run(&scenario, params, 1);
    let seconds = measured_ns as f64 / S as f64;
    let of = |app: &AppTrace, class: &Class| {
        let packets = app.down.bytes as f64 / class.packet.round();
        packets * frame(class) / seconds
    };
    let mut rates: Vec<(f64, f64)> = when.rates.iter().map(|predicted| (0.0, *predicted)).collect();
    let (mut waited_ns, mut arrived) = (0u64, 0u64);
    for (app, &i) in trace.apps.iter().zip(&sends) {
        rates[i].0 = of(app, &classes[i]);
        let path = &app.paths[0];
        waited_ns += path.total.queue_ns;
        arrived += path.arrived;
    }
    let wait_s = waited_ns as f64 / arrived.max(1) as f64 / 1e9;
    Measured { rates, wait_s: (when.wait_s > 0.0).then_some((wait_s, when.wait_s)) }
}

/// Measured beside predicted.
pub fn sheet(names: &[&str], whens: &[When], measured: &[Measured]) -> Sheet {
    let mut columns: Vec<Column> = vec![column("when", "when", 0)];
    for name in names {
        columns.push(column(format!("rate_{name}_bytes_per_s"), format!("{name}\npredicted"), 3).times(8e-6));
        columns.push(column(format!("measured_{name}_bytes_per_s"), "Mb/s\nmeasured", 3).times(8e-6));
    }
    columns.push(column("wait_s", "wait\npredicted", 2).times(1e3));
    columns.push(column("measured_wait_s", "ms\nmeasured", 2).times(1e3));
    columns.push(column("off_ratio", "off by\n%", 1).times(100.0));
    let about = "The same in runs of cbt with these parameters, before a wire of that rate; the sources do not slow down.";
    let mut sheet = Sheet::new("plan", about, 1, columns);
    for (when, measured) in whens.iter().zip(measured) {
        let rates =
            measured.rates.iter().flat_map(|(measured, predicted)| [Some(*predicted), Some(*measured)]);
        let waits =
            [measured.wait_s.map(|wait| wait.1), measured.wait_s.map(|wait| wait.0), Some(measured.off())];
        let figures = rates.chain(waits).map(Into::into);
        sheet.rows.push([when.name.as_str().into()].into_iter().chain(figures).collect());
    }
    for (when, measured) in whens.iter().zip(measured).filter(|(_, measured)| measured.off() > TOLERANCE) {
        sheet.notes.push(format!(
            "{}: off by {:.0} %, more than {:.0}.",
            when.name,
            measured.off() * 100.0,
            TOLERANCE * 100.0
        ));
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_distance_counts_and_nothing_predicted_does_not() {
        let rates = vec![(95.0, 100.0), (0.0, 0.0), (3.0, 0.0)];
        assert_eq!(Measured { rates: rates.clone(), wait_s: None }.off(), 0.050000000000000044);
        let wait_s = Some((0.0125, 0.01));
        assert_eq!(Measured { rates, wait_s }.off(), 0.25);
    }

    /// Predictions stand before what was measured, rates in Mb/s, waits in ms; what is off by more than 10 % is told.
    #[test]
    fn measured_stands_beside_predicted() {
        let when = |name: &str| When { name: name.into(), loads: Vec::new(), rates: Vec::new(), wait_s: 0.0 };
        let whens = ["all busy", "a silent", "b silent"].map(when);
        let measured = [
            Measured {
                rates: vec![(240_000.0, 250_000.0), (62_000.0, 62_500.0)],
                wait_s: Some((0.0315, 0.03)),
            },
            Measured { rates: vec![(0.0, 0.0), (130_000.0, 100_000.0)], wait_s: None },
            Measured { rates: vec![(125_000.0, 100_000.0), (0.0, 0.0)], wait_s: Some((0.02, 0.02)) },
        ];
        let sheet = sheet(&["a", "b"], &whens, &measured);
        let rows = sheet.json_rows();
        let of = |row: usize, key: &str| rows[row][key].as_f64();
        assert_eq!(rows[1]["when"], "a silent");
        assert_eq!(
            (of(0, "rate_a_bytes_per_s"), of(0, "measured_a_bytes_per_s")),
            (Some(250_000.0), Some(240_000.0))
        );
        assert_eq!(
            (of(1, "rate_b_bytes_per_s"), of(1, "measured_b_bytes_per_s")),
            (Some(100_000.0), Some(130_000.0))
        );
        assert_eq!(
            (of(0, "wait_s"), of(0, "measured_wait_s"), of(1, "wait_s")),
            (Some(0.03), Some(0.0315), None)
        );
        assert!((of(0, "off_ratio").expect("a ratio") - 0.05).abs() < 1e-9);
        assert_eq!(
            sheet.notes,
            ["a silent: off by 30 %, more than 10.", "b silent: off by 25 %, more than 10."]
        );
        let text = sheet.table(airtab_lab::table::Style { width: 120, colour: false });
        let row = text.lines().find(|line| line.trim_start().starts_with("all busy")).expect("a row");
        let words: Vec<&str> = row.split_whitespace().skip(2).collect();
        assert_eq!(words, ["2.000", "1.920", "0.500", "0.496", "30.00", "31.50", "5.0"]);
    }

    /// Two classes of packets of different lengths, one of which is silent: what is sent comes through.
    #[test]
    fn a_class_below_its_rate_gets_what_it_sends() {
        let queue =
            Queue { link: 125_000_000.0, latency_s: 0.001, full_packet: 1538.0, guard: 1, limit: 1_000 };
        let class = |rate, packet| Class { rate, packet };
        let classes = [class(50_000_000.0, 1000.0), class(50_000_000.0, 500.0), class(25_000_000.0, 700.0)];
        let params = super::super::tc::params(&queue, &classes, None).expect("parameters");
        let loads = [10_000_000.0, 20_000_000.0, 0.0];
        let when =
            When { name: "two".into(), loads: loads.into(), rates: vec![10e6, 20e6, 0.0], wait_s: 0.0 };
        let found = &measure(&queue, &classes, &params, &[when])[0];
        assert_eq!((found.rates[2], found.wait_s), ((0.0, 0.0), None));
        for ((measured, predicted), load) in found.rates.iter().zip(loads) {
            assert_eq!(*predicted, load);
            assert!((measured - load).abs() < 0.01 * load.max(1.0), "{measured} {load}");
        }
    }
}
