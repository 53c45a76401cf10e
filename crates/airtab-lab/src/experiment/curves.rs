// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Samples of a run to curves: what is shown of each application, each class or the access point, in which unit.
//!
//! What it does not do: no run, no panel (`course`).

use airtab_core::{Column, Unit};
use airtab_scenario::{column_unit, volume_jain};
use airtab_sim::address::Protocol;
use airtab_sim::wifi::Category;
use airtab_sim::{App, Quantity, Scenario, Series};

use crate::draw::Point;

/// Between two samples of all but columns of flows, ns.
pub(super) const STEP_NS: u64 = 1_000_000_000;

type Points = Vec<Option<Point>>;

/// What a panel shows.
#[derive(Debug, PartialEq)]
pub(super) struct Curves {
    /// Of the axis, with the unit.
    pub(super) label: String,
    /// Name and points of each.
    pub(super) of: Vec<(String, Points)>,
}

/// A curve for each application, each class, or one of the access point. `all`: what is shown; of a figure of classes also
/// which class each value is of, and the discipline's unit.
pub(super) fn curves(scenario: &Scenario, at_ns: &[u64], all: &[Series]) -> Curves {
    let series = &all[0];
    // What is shown of the access point is one curve; what grows is shown as it grows in each second.
    let (label, of, grows, factor, divisor) = match series.quantity {
        Quantity::FlowVolumes => {
            let of = vec![evenness(scenario, at_ns, series)];
            return Curves { label: "Jain's index of a second".into(), of };
        }
        Quantity::Class(column) => return of_classes(scenario, at_ns, column, all),
        Quantity::Unit => ("unit".into(), Some("unit"), false, 1.0, 1.0),
        Quantity::Volume => ("acknowledged, MB".into(), None, false, 1.0, 1e6),
        Quantity::Srtt => ("smoothed round-trip time, ms".into(), None, false, 1e3, 1.0),
        Quantity::Received => ("received, Mb/s".into(), None, true, 8.0, 1e6),
        Quantity::Uploaded => ("received from the station, Mb/s".into(), None, true, 8.0, 1e6),
        Quantity::UplinkAir => ("uplink, % of the air".into(), Some("uplink"), true, 1e2, STEP_NS as f64),
        Quantity::Queue => ("packets in the queue".into(), Some("queue"), false, 1.0, 1.0),
        Quantity::Limit => ("limit, packets".into(), Some("limit"), false, 1.0, 1.0),
        Quantity::Drain => ("drain time, ms".into(), Some("drain time"), false, 1e3, 1.0),
        Quantity::Average => ("average queue, packets".into(), Some("average"), false, 1.0, 1.0),
        Quantity::Window => ("window, segments".into(), None, false, 1.0, f64::from(scenario.tcp.mss)),
        Quantity::Column(column) => {
            let (unit, factor, _) = column_unit(column.unit);
            let unit = if unit.is_empty() { String::new() } else { format!(", {unit}") };
            (format!("{}{unit}", column.name), None, false, factor, 1.0)
        }
    };
    let curve = |(i, values): (usize, &Vec<Option<f64>>)| {
        let name = match (of, series.values.len()) {
            (None, _) => scenario.apps[i].name.clone(),
            (Some(name), 1) => name.into(),
            (Some(_), _) => queue_name(scenario, i),
        };
        let mut before = 0.0;
        let points = values.iter().zip(at_ns).map(|(value, at)| {
            let value = (*value)?;
            let shown = value - std::mem::replace(&mut before, if grows { value } else { 0.0 });
            Some(Point::new(*at as f64 / 1e9, shown * factor / divisor))
        });
        (name, points.collect())
    };
    Curves { label, of: series.values.iter().enumerate().map(curve).collect() }
}

/// The access point's queue of that number where there are several: of a mesh's node, or of an access category.
fn queue_name(scenario: &Scenario, i: usize) -> String {
    match scenario.medium.mesh() {
        Some(_) => scenario.stations[i].name.clone(),
        None => Category::NAMES[i].into(),
    }
}

/// What averages and thresholds are counted in, by the statistic `unit`: its name, and how many of it one is.
const COUNTED: [(&str, f64); 3] = [("packets", 1.0), ("kB", 1e-3), ("ms of airtime", 1e-6)];

/// A curve for each class. Where what is counted changed in the run, all is shown that is counted as at its end.
fn of_classes(scenario: &Scenario, at_ns: &[u64], column: Column, all: &[Series]) -> Curves {
    let (numbers, units) = (&all[1].values, &all[2].values);
    let by_unit = column.unit == Unit::Q16;
    let unit_at = |queue: usize, sample: usize| match by_unit {
        true => units[queue][sample].map_or(0, |unit| unit as usize),
        false => 0,
    };
    let last = at_ns.len().saturating_sub(1);
    let (unit, factor) = COUNTED[unit_at(0, last)];
    let label = match column.name {
        "average" => format!("average queue, {unit}"),
        "th_max" => format!("threshold, {unit}"),
        "mode" => "mode (0: no drops, 1: above th_min, 2: above th_max)".into(),
        "backlog" => "packets in the queue".into(),
        other => other.into(),
    };
    // A queue's classes begin with its first one.
    let number = |i: usize| numbers[i].first().copied().flatten().unwrap_or(0.0);
    let first = |i: &usize| number(*i) == number(0);
    let several = (0..numbers.len()).filter(first).count() > 1;
    let curve = |(i, values): (usize, &Vec<Option<f64>>)| {
        let queue = (0..=i).filter(first).count() - 1;
        let points = values.iter().zip(at_ns).enumerate().map(|(sample, (value, at))| {
            let same = unit_at(queue, sample) == unit_at(0, last);
            value.filter(|_| same).map(|value| Point::new(*at as f64 / 1e9, value * factor))
        });
        let name = match several {
            true => format!("{}, class {}", queue_name(scenario, queue), number(i)),
            false => format!("class {}", number(i)),
        };
        (name, points.collect())
    };
    Curves { label, of: all[0].values.iter().enumerate().map(curve).collect() }
}

/// Of all bulk flows: Jain's index of what was acknowledged from one sample to the next.
fn evenness(scenario: &Scenario, at_ns: &[u64], flows: &Series) -> (String, Points) {
    let connected = scenario.apps.iter().filter(|app| app.kind.protocol() == Protocol::Tcp);
    let apps: Vec<&App> = connected.flat_map(|app| std::iter::repeat_n(app, app.flows())).collect();
    let mut before = (0, vec![0.0; apps.len()]);
    let point = |(i, at): (usize, &u64)| {
        let now: Vec<f64> = flows.values.iter().map(|flow| flow[i].unwrap_or(0.0)).collect();
        let (from, was) = std::mem::replace(&mut before, (*at, now.clone()));
        let gained = now.iter().zip(was).map(|(now, was)| now - was);
        let index = volume_jain(&(from..*at), apps.iter().copied().zip(gained))?;
        Some(Point::new(*at as f64 / 1e9, index))
    };
    ("flows".into(), at_ns.iter().enumerate().map(point).collect())
}

#[cfg(test)]
mod tests {
    use airtab_core::{CLASS, Discipline};
    use airtab_scenario::ScenarioFile;

    use super::*;

    fn column(discipline: &str, name: &str) -> Quantity {
        Quantity::named(name, Discipline::named(discipline).unwrap()).unwrap()
    }

    #[test]
    fn samples_are_at_their_times_and_in_their_units() {
        let text = "duration = \"10ms\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \"ping\"\nstation = \"s\"\n";
        let scenario = ScenarioFile::parse("short.toml", text).unwrap().scenario;
        let at_ns = [1_000_000_000, 2_000_000_000, 3_500_000_000];
        let of = |quantity, values: [Option<f64>; 3]| {
            let Curves { label, of } =
                curves(&scenario, &at_ns, &[Series { quantity, values: vec![values.to_vec()] }]);
            let [(name, points)] = of.as_slice() else { panic!("{of:?}") };
            (label, name.clone(), points.iter().map(|p| p.map(|p| p.y)).collect::<Vec<_>>())
        };
        let expected = |label: &str, name: &str, values: [Option<f64>; 3]| {
            (label.to_string(), name.to_string(), values.to_vec())
        };
        // 1, 2 and no Mbit in a second each: bytes received so far.
        assert_eq!(
            of(Quantity::Received, [Some(125_000.0), Some(375_000.0), Some(375_000.0)]),
            expected("received, Mb/s", "a", [Some(1.0), Some(2.0), Some(0.0)])
        );
        assert_eq!(
            of(Quantity::UplinkAir, [Some(0.25e9), Some(0.25e9), Some(0.75e9)]),
            expected("uplink, % of the air", "uplink", [Some(25.0), Some(0.0), Some(50.0)])
        );
        let packets = [Some(0.0), Some(7.0), Some(3.0)];
        assert_eq!(of(Quantity::Queue, packets), expected("packets in the queue", "queue", packets));
        assert_eq!(
            of(Quantity::Window, [None, Some(2920.0), Some(14_600.0)]),
            expected("window, segments", "a", [None, Some(2.0), Some(10.0)])
        );
        let mut bsd44 = scenario.clone();
        bsd44.tcp = airtab_sim::tcp::Config::bsd44();
        let series = Series { quantity: Quantity::Window, values: vec![vec![Some(14_480.0)]] };
        assert_eq!(
            curves(&bsd44, &at_ns, &[series]).of[0].1,
            [Some(Point::new(1.0, 10.0))],
            "segments of 1448 bytes"
        );
        let left = [Some(0.020), None, Some(-0.005)];
        let shown = [Some(20.0), None, Some(-5.0)];
        let name = airtab_core::disciplines().find(|d| d.name() == "chap").unwrap().flow_columns()[0].name;
        assert_eq!(of(column("chap", name), left), expected(&format!("{name}, ms"), "a", shown));
        assert_eq!(of(column("fq_codel", "sojourn"), left), expected("sojourn, ms", "a", shown));
        assert_eq!(
            of(Quantity::Volume, [Some(1e6), None, Some(4e6)]),
            expected("acknowledged, MB", "a", [Some(1.0), None, Some(4.0)])
        );
        assert_eq!(
            of(Quantity::Srtt, [None, Some(0.146), Some(0.5)]),
            expected("smoothed round-trip time, ms", "a", [None, Some(146.0), Some(500.0)])
        );
        assert_eq!(of(Quantity::Limit, packets), expected("limit, packets", "limit", packets));
        let drain = [Some(0.0025), None, Some(0.001)];
        let shown = [Some(2.5), None, Some(1.0)];
        assert_eq!(of(Quantity::Drain, drain), expected("drain time, ms", "drain time", shown));
        let names = |discipline: &str| {
            let discipline = Discipline::named(discipline).unwrap();
            ["limit", "drain", "average", "mode", "th_max", "backlog"]
                .map(|name| Quantity::named(name, discipline).is_some())
        };
        let known = [
            ("wqm", [true, true, false, false, false, false]),
            ("astar", [true, false, false, false, false, false]),
            ("cbt", [false, false, true, true, true, true]),
            ("cbq", [false, false, true, false, false, true]),
            ("red", [false, false, true, false, false, false]),
            ("fred", [false, false, true, false, false, false]),
            ("fifo", [false; 6]),
        ];
        for (discipline, expected) in known {
            assert_eq!(names(discipline), expected, "{discipline}");
        }
        let queue = Series { quantity: Quantity::Queue, values: vec![packets.to_vec()] };
        let times = curves(&scenario, &at_ns, &[queue]);
        assert_eq!(times.of[0].1.iter().map(|p| p.unwrap().x).collect::<Vec<_>>(), [1.0, 2.0, 3.5]);
    }
    /// A curve for each class of each queue, in what is counted at the end.
    #[test]
    fn classes_are_shown_in_their_unit() {
        let text = "duration = \"10ms\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \"ping\"\nstation = \"s\"\n";
        let scenario = ScenarioFile::parse("short.toml", text).unwrap().scenario;
        let at_ns = [1_000_000_000, 2_000_000_000];
        let class = |name| Discipline::named("cbt").unwrap().class_column(name).map(Quantity::Class).unwrap();
        let list = |values: &[[f64; 2]]| values.iter().map(|v| v.map(Some).to_vec()).collect::<Vec<_>>();
        let of = |name, values: &[[f64; 2]], numbers: &[f64], units: &[[Option<f64>; 2]]| {
            let numbers: Vec<[f64; 2]> = numbers.iter().map(|n| [*n; 2]).collect();
            let units = units.iter().map(|unit| unit.to_vec()).collect();
            let all = [
                Series { quantity: class(name), values: list(values) },
                Series { quantity: class(CLASS), values: list(&numbers) },
                Series { quantity: Quantity::Unit, values: units },
            ];
            let Curves { label, of } = curves(&scenario, &at_ns, &all);
            let shown = |(name, points): &(String, Points)| {
                (name.clone(), [0, 1].map(|i| points[i].map(|p| (p.x * 10.0).round() / 10.0 + 1000.0 * p.y)))
            };
            (label, of.iter().map(shown).collect::<Vec<_>>())
        };
        // At 1 and 2 s; a value of 1 is 1000 here.
        let curve = |name: &str, shown: [Option<f64>; 2]| (name.to_string(), shown);
        let (label, shown) = of("average", &[[2.0, 3.0], [0.5, 0.0]], &[0.0, 1.0], &[[None; 2]]);
        assert_eq!(label, "average queue, packets");
        assert_eq!(
            shown,
            [curve("class 0", [Some(2001.0), Some(3002.0)]), curve("class 1", [Some(501.0), Some(2.0)])]
        );
        // Bytes at first, airtime at the end.
        let (label, shown) = of("th_max", &[[9000.0, 3e6]], &[0.0], &[[Some(1.0), Some(2.0)]]);
        assert_eq!(
            (label.as_str(), shown),
            ("threshold, ms of airtime", vec![curve("class 0", [None, Some(3002.0)])])
        );
        let (label, shown) = of("average", &[[9000.0, 3000.0]], &[0.0], &[[Some(1.0); 2]]);
        assert_eq!(
            (label.as_str(), shown),
            ("average queue, kB", vec![curve("class 0", [Some(9001.0), Some(3002.0)])])
        );
        // Not counted in it; two queues of two classes.
        let modes = [[0.0, 1.0], [2.0, 0.0], [1.0, 1.0], [0.0, 0.0]];
        let (label, shown) = of("mode", &modes, &[0.0, 1.0, 0.0, 1.0], &[[Some(2.0); 2], [Some(1.0); 2]]);
        assert!(label.starts_with("mode (0: no drops"), "{label}");
        let names: Vec<&str> = shown.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["bk, class 0", "bk, class 1", "be, class 0", "be, class 1"]);
        assert_eq!(shown[1].1, [Some(2001.0), Some(2.0)]);
    }

    /// Of TCP flows alone; those that are not active throughout are left out.
    #[test]
    fn evenness_of_each_second() {
        let mut text = "duration = \"4s\"\n[[station]]\nname = \"s\"\n".to_string();
        for (name, kind, start) in
            [("call", "voip", 0), ("down", "download", 0), ("up", "upload", 0), ("late", "download", 2500)]
        {
            text += &format!(
                "[[app]]\nname = \"{name}\"\nkind = \"{kind}\"\nstation = \"s\"\nstart = \"{start}ms\"\n"
            );
        }
        let scenario = ScenarioFile::parse("even.toml", &text).unwrap().scenario;
        let flow = |volumes: [f64; 4]| volumes.map(Some).to_vec();
        let values =
            vec![flow([5.0, 5.0, 15.0, 45.0]), flow([5.0, 5.0, 25.0, 25.0]), flow([0.0, 0.0, 9.0, 39.0])];
        let at_ns = [1, 2, 3, 4].map(|s| s * 1_000_000_000);
        let series = Series { quantity: Quantity::FlowVolumes, values };
        let Curves { of, .. } = curves(&scenario, &at_ns, &[series]);
        // 5 and 5; nothing; 10 and 20; 30, 0 and 30.
        let expected = [Some((1.0, 1.0)), None, Some((3.0, 0.9)), Some((4.0, 2.0 / 3.0))];
        let points = expected.map(|p| p.map(|(x, y)| Point::new(x, y)));
        assert_eq!(of, [("flows".to_string(), points.to_vec())]);
    }

    /// Each application and each queue has its own curve, which begins at nothing.
    #[test]
    fn curves_are_told_apart() {
        let text = "duration = \"10ms\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \"ping\"\nstation = \"s\"\n\
                    [[app]]\nname = \"b\"\nkind = \"ping\"\nstation = \"s\"\n";
        let cell = ScenarioFile::parse("short.toml", text).unwrap().scenario;
        let mesh = "duration = \"10ms\"\ntopology = \"chain-2\"\n[wifi]\nphy = \"std-11b\"\n\
                    [[app]]\nname = \"load\"\nkind = \"download\"\nfrom = \"n0\"\nto = \"n2\"\n";
        let mesh = ScenarioFile::parse("mesh.toml", mesh).unwrap_or_else(|e| panic!("{e}")).scenario;
        let of = |scenario: &Scenario, quantity, values: &[[f64; 2]]| {
            let values = values.iter().map(|v| v.map(Some).to_vec()).collect();
            let Curves { label, of } =
                curves(scenario, &[1_000_000_000, 2_000_000_000], &[Series { quantity, values }]);
            let ys = |points: &Points| points.iter().map(|p| p.unwrap().y).collect::<Vec<_>>();
            (label, of.iter().map(|(name, points)| (name.clone(), ys(points))).collect::<Vec<_>>())
        };
        let curve = |name: &str, ys: [f64; 2]| (name.to_string(), ys.to_vec());
        let two = [[125_000.0, 375_000.0], [250_000.0, 250_000.0]];
        let rates = vec![curve("a", [1.0, 2.0]), curve("b", [2.0, 0.0])];
        assert_eq!(of(&cell, Quantity::Received, &two), ("received, Mb/s".into(), rates.clone()));
        assert_eq!(of(&cell, Quantity::Uploaded, &two), ("received from the station, Mb/s".into(), rates));
        let volumes = vec![curve("a", [2.0, 3.0]), curve("b", [4.0, 4.0])];
        assert_eq!(
            of(&cell, Quantity::Volume, &[[2e6, 3e6], [4e6, 4e6]]),
            ("acknowledged, MB".into(), volumes)
        );
        let one = [[3.0, 4.5]];
        assert_eq!(
            of(&cell, Quantity::Average, &one),
            ("average queue, packets".into(), vec![curve("average", one[0])])
        );
        assert_eq!(of(&cell, Quantity::Unit, &one), ("unit".into(), vec![curve("unit", one[0])]));
        // Of several queues each has a name of its own.
        let three = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let named =
            |names: [&str; 3]| names.iter().zip(three).map(|(name, ys)| curve(name, ys)).collect::<Vec<_>>();
        assert_eq!(of(&cell, Quantity::Queue, &three).1, named(["bk", "be", "vi"]));
        assert_eq!(of(&mesh, Quantity::Limit, &three).1, named(["n0", "n1", "n2"]));
    }

    /// Each flow of an application counts as one, and each queue goes by its own unit.
    #[test]
    fn flows_and_queues_are_counted_one_by_one() {
        let text = "duration = \"4s\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"peers\"\nkind = \"p2p\"\nflows = 2\nstation = \"s\"\n\
                    start = \"0s\"\n[[app]]\nname = \"down\"\nkind = \"download\"\nstation = \"s\"\nstart = \"0s\"\n";
        let scenario = ScenarioFile::parse("even.toml", text).unwrap_or_else(|e| panic!("{e}")).scenario;
        assert_eq!(scenario.apps.iter().map(App::flows).collect::<Vec<_>>(), [2, 1]);
        let at_ns = [1_000_000_000, 2_000_000_000];
        let list = |values: &[[f64; 2]]| values.iter().map(|v| v.map(Some).to_vec()).collect::<Vec<_>>();
        let volumes =
            Series { quantity: Quantity::FlowVolumes, values: list(&[[4.0, 8.0], [4.0, 4.0], [4.0, 12.0]]) };
        let of = curves(&scenario, &at_ns, &[volumes]).of;
        // 4, 4 and 4; then 4, 0 and 8: 12 x 12 / (3 x 80).
        assert_eq!(of[0].1, [Some(Point::new(1.0, 1.0)), Some(Point::new(2.0, 0.6))]);
        let class = |name| Discipline::named("cbt").unwrap().class_column(name).map(Quantity::Class).unwrap();
        let all = [
            Series { quantity: class("average"), values: list(&[[2e6, 3e6], [4000.0, 5e6]]) },
            Series { quantity: class(CLASS), values: list(&[[0.0; 2]; 2]) },
            Series { quantity: Quantity::Unit, values: list(&[[2.0, 2.0], [1.0, 2.0]]) },
        ];
        let Curves { label, of } = curves(&scenario, &at_ns, &all);
        assert_eq!(label, "average queue, ms of airtime");
        assert_eq!(of[0].1, [Some(Point::new(1.0, 2.0)), Some(Point::new(2.0, 3.0))]);
        assert_eq!(of[1].1, [None, Some(Point::new(2.0, 5.0))], "bytes at first");
    }
}
