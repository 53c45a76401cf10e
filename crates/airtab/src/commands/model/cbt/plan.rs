// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt plan`: thresholds, what they guarantee, and what comes of loads.
//!
//! What it does not do: whether a queue can keep an allocation is `airtab_model::cbt::plan`'s to say.

use std::process::ExitCode;

use airtab_core::Unit;
use airtab_lab::draw::{Content, Figure, Look, Panel, Part, Shares};
use airtab_lab::table::wrap;
use airtab_model::cbt::plan::{Queue, Wanted, plan as checked};
use airtab_model::cbt::share::{Busy, Held};
use airtab_model::cbt::threshold;
use airtab_model::cbt::{CbtError, borrow, burst, wait};
use serde_json::json;

use super::super::{Answer, wrong_usage};
use super::args;
use super::captured::{Captured, captured, completed, with_peaks};
use super::classes::{Members, mbps};
use super::sheet::{Column, Sheet, column};
use super::values::Named;
use super::{tc, verify};
use crate::commands::classes::{read, rules};
use crate::output;

/// From bytes/s to Mb/s.
const MBPS: f64 = 8e-6;

/// A queue that can keep what it promises.
struct Plan {
    members: Members,
    queue: Queue,
    allocation: threshold::Allocation,
    busy: Busy,
    whens: Vec<When>,
}

/// What classes get in a situation.
pub(super) struct When {
    pub name: String,
    /// Bytes/s that classes offer; infinite: always a packet.
    pub loads: Vec<f64>,
    /// Bytes/s that they get.
    pub rates: Vec<f64>,
    pub wait_s: f64,
}

/// Makes a plan and shows it.
pub fn plan(args: &args::Plan) -> anyhow::Result<ExitCode> {
    let names: Vec<&str> = args.class.iter().map(|class| class.name.as_str()).collect();
    let asked = args.from.is_some() || args.tc.is_some();
    let rules = match asked.then(|| rules(&args.rules, &names)).transpose() {
        Ok(rules) => rules,
        Err(message) => return wrong_usage(message),
    };
    let captured = match (&args.from, &rules) {
        (Some(path), Some(rules)) => captured(&names, &read(path, rules)?, args.wire.overhead()),
        _ => Vec::new(),
    };
    let plan = match made(args, &captured) {
        Ok(plan) => plan,
        Err(message) => return wrong_usage(message),
    };
    if let Some(path) = &args.form.out {
        output::Drawing::open(path)?.write(&figure(&plan))?;
    }
    let classes: Vec<tc::Class> = plan
        .members
        .all
        .iter()
        .map(|member| tc::Class {
            rate: member.class.rate,
            packet: member.class.packet - f64::from(tc::AROUND),
        })
        .collect();
    let cbt = |rules| tc::params(&plan.queue, &classes, rules);
    let commands = match args.tc.as_ref().zip(rules.as_ref()) {
        Some((dev, rules)) => match cbt(Some(rules)) {
            Ok(_) => Some(tc::blocks(dev, &plan.queue, &classes, rules)),
            Err(message) => return wrong_usage(format!("--tc: {message}")),
        },
        None => None,
    };
    let measured = match args.verify.then(|| cbt(None)).transpose() {
        Ok(params) => params.map(|params| verify::measure(&plan.queue, &classes, &params, &plan.whens)),
        Err(message) => return wrong_usage(format!("--verify: {message}")),
    };
    let off = measured.iter().flatten().any(|measured| measured.off() > verify::TOLERANCE);
    let shown = answer(&plan, measured.as_deref(), commands.as_deref()).print(args.form.printed.is_json())?;
    Ok(if off { ExitCode::FAILURE } else { shown })
}

fn made(args: &args::Plan, captured: &[Captured]) -> Result<Plan, String> {
    let packets = completed(&args.packet, captured, |class| class.packet);
    let mut members = Members::planned(&with_peaks(&args.class, captured)?, &packets, args.link, args.full)?;
    members.weigh(&args.weight)?;
    let queue = Queue {
        link: args.link,
        latency_s: args.latency as f64 / 1e9,
        full_packet: args.full as f64,
        guard: args.guard,
        limit: args.limit,
    };
    let wanted = |member: &super::classes::Member| Wanted {
        name: member.name.clone(),
        class: member.class,
        weight: member.weight,
    };
    let wanted: Vec<Wanted> = members.all.iter().map(wanted).collect();
    let allocation = checked(&queue, &wanted).map_err(|e| e.to_string())?;
    let held = |(i, class): (usize, &threshold::Class)| Held {
        threshold: allocation.threshold(i),
        packet: class.packet,
    };
    let held: Vec<Held> = allocation.classes().iter().enumerate().map(held).collect();
    let busy = Busy::new(&held, queue.link).map_err(|e| e.to_string())?;
    let given = completed(&args.loads.load, captured, |class| Some(vec![class.load]));
    let whens = whens(&given, &members, &busy)?;
    Ok(Plan { members, queue, allocation, busy, whens })
}

/// All classes busy, the loads that were given, and each class silent while the others are busy.
fn whens(given: &[Named<Vec<f64>>], members: &Members, busy: &Busy) -> Result<Vec<When>, String> {
    let all = vec![f64::INFINITY; members.all.len()];
    let mut loads = vec![("all busy".to_string(), all.clone())];
    if !given.is_empty() {
        for offered in members.offered(given)?.loads {
            let said = members.names().into_iter().zip(&offered).filter(|(_, load)| load.is_finite());
            let said: Vec<String> = said.map(|(name, load)| format!("{name} {}", mbps(*load))).collect();
            loads.push((if said.is_empty() { "all busy".into() } else { said.join(", ") }, offered));
        }
    }
    if members.all.len() > 1 {
        for (i, name) in members.names().into_iter().enumerate() {
            let mut silent = all.clone();
            silent[i] = 0.0;
            loads.push((format!("{name} silent"), silent));
        }
    }
    let rates: Vec<f64> = (0..members.all.len()).map(|i| busy.rate(i)).collect();
    let when = |(name, loads): (String, Vec<f64>)| {
        let rates = borrow::predict(&rates, &loads)?;
        let wait_s = wait::by_rates(busy, &rates, &loads)?;
        Ok(When { name, loads, rates, wait_s })
    };
    loads.into_iter().map(when).collect::<Result<_, CbtError>>().map_err(|e| e.to_string())
}

fn answer(plan: &Plan, measured: Option<&[verify::Measured]>, commands: Option<&[tc::Block]>) -> Answer {
    let style = output::stdout_style();
    let (classes, predictions) = (classes(plan), predictions(plan));
    let mut text = format!("{}\n\n{}", wrap(&classes.about, style.width), classes.table(style));
    text += &format!("{}\n\n{}", wrap(&predictions.about, style.width), predictions.table(style));
    for note in classes.notes.iter().chain(&predictions.notes) {
        text += &(wrap(note, style.width) + "\n");
    }
    let verified = measured.map(|measured| verify::sheet(&plan.members.names(), &plan.whens, measured));
    if let Some(sheet) = &verified {
        text += &format!("\n{}\n\n{}", wrap(&sheet.about, style.width), sheet.table(style));
        text.extend(sheet.notes.iter().map(|note| wrap(note, style.width) + "\n"));
    }
    text += &commands.map_or_else(String::new, |blocks| tc::text(blocks, style.width));
    let mut json = json!({
        "model": "cbt",
        "subject": "plan",
        "link_bytes_per_s": plan.queue.link,
        "latency_s": plan.busy.latency_s(),
        "classes": classes.json_rows(),
        "predictions": predictions.json_rows(),
    });
    if let Some(sheet) = verified {
        json["verified"] = sheet.json_rows().into();
    }
    if let Some(blocks) = commands {
        json["tc"] = tc::json(blocks);
    }
    Answer { text, json }
}

fn classes(plan: &Plan) -> Sheet {
    let columns = vec![
        column("class", "class", 0),
        column("rate_bytes_per_s", "guarantee\nMb/s", 3).times(MBPS),
        column("share", "share\n%", 1).times(1e2),
        column("threshold_bytes", "threshold\nbytes", 0),
        column("threshold_packets", "\npackets", 2),
        column("drain_packets_per_s", "drain\npackets/s", 1),
        column("burst_packets", "at once\npackets", 0),
    ];
    let sum = plan.allocation.capacity();
    let about = format!(
        "{} for classes whose packets wait {:.2} ms on average when all are busy.",
        mbps(plan.queue.link),
        plan.busy.latency_s() * 1e3
    );
    let mut sheet = Sheet::new("plan", about, 1, columns);
    for (i, member) in plan.members.all.iter().enumerate() {
        let packets = burst::accepted(member.weight, plan.allocation.threshold(i), plan.queue.guard);
        sheet.rows.push(vec![
            member.name.as_str().into(),
            plan.busy.rate(i).into(),
            plan.busy.share(i).into(),
            plan.allocation.threshold_bytes(i).into(),
            plan.allocation.threshold(i).into(),
            plan.allocation.drain_rate(i).into(),
            packets.ok().map(|packets| packets as f64).into(),
        ]);
    }
    if sum < plan.queue.link * (1.0 - 1e-9) {
        sheet.notes.push(format!(
            "The classes sum to {}: what is left is shared in proportion, and the queue is shorter than {}.",
            mbps(sum),
            Unit::Ns.format((plan.queue.latency_s * 1e9) as u64)
        ));
    }
    sheet.notes.push(
        "threshold in bytes: B L, of an average in bytes. at once: what a class lets in, empty until then. A guarantee holds \
         over tenths of seconds and longer."
            .into(),
    );
    sheet
}

fn predictions(plan: &Plan) -> Sheet {
    let rate = |name: &str| -> Column {
        column(format!("rate_{name}_bytes_per_s"), format!("{name}\nMb/s"), 3).times(MBPS)
    };
    let mut columns = vec![column("when", "when", 0)];
    columns.extend(plan.members.names().into_iter().map(rate));
    columns.push(column("wait_s", "wait\nms", 2).times(1e3));
    let mut sheet =
        Sheet::new("plan", "What they get; a class that is not named always has a packet.", 1, columns);
    for when in &plan.whens {
        let figures = when.rates.iter().copied().chain([when.wait_s]);
        sheet.rows.push([when.name.as_str().into()].into_iter().chain(figures.map(Into::into)).collect());
    }
    if plan.whens.iter().any(|when| when.wait_s == 0.0) {
        sheet.notes.push("wait 0: the link is not full, and no queue forms.".into());
    }
    sheet
}

/// A bar for each situation.
fn figure(plan: &Plan) -> Figure {
    let bar = |when: &When| {
        let part = |(i, rate): (usize, &f64)| Part {
            name: plan.members.all[i].name.clone(),
            look: Look::of_app(i),
            pale: false,
            share: rate / plan.queue.link,
        };
        let parts = when.rates.iter().enumerate().map(part).collect();
        (format!("{}: wait {:.2} ms", when.name, when.wait_s * 1e3), parts)
    };
    let title = format!("What classes get of {}", mbps(plan.queue.link));
    let content = Content::Shares(Shares { bars: plan.whens.iter().map(bar).collect() });
    let panel = Panel { name: String::new(), caption: String::new(), alt: title.clone(), content };
    Figure::new("plan", title, "", vec![panel])
}

#[cfg(test)]
mod tests {
    use super::super::super::args::ModelCommand;
    use super::super::super::given;
    use super::super::args::{Cbt, CbtCommand};
    use super::*;

    fn of(words: &[&str]) -> Plan {
        let base = ["cbt", "plan", "--link", "10Mb/s", "--latency", "30ms"];
        match given::command(&[&base[..], words].concat()) {
            ModelCommand::Cbt(Cbt { command: CbtCommand::Plan(args) }) => {
                made(&args, &[]).unwrap_or_else(|e| panic!("{e}"))
            }
            _ => panic!("another model"),
        }
    }

    const TWO: [&str; 4] = ["--class", "a=rest", "--class", "b=4Mb/s"];

    /// Guarantees, thresholds and what comes in at once of two classes of 6 and 4 Mb/s for 30 ms.
    #[test]
    fn each_class_has_its_figures() {
        let own = ["--packet", "b=500B", "--weight", "b=1/16", "--guard", "3"];
        let plan = of(&[&TWO[..], &own].concat());
        let sheet = classes(&plan);
        let rows = sheet.json_rows();
        for (row, name, rate, packet) in [(0, "a", 750_000.0, 1538.0), (1, "b", 500_000.0, 500.0)] {
            assert_eq!(rows[row]["class"], name);
            for (key, expected) in [
                ("rate_bytes_per_s", rate),
                ("share", rate / 1.25e6),
                ("threshold_bytes", rate * 0.03),
                ("threshold_packets", rate * 0.03 / packet),
                ("drain_packets_per_s", rate / packet),
            ] {
                let found = rows[row][key].as_f64().expect("a number");
                assert!((found / expected - 1.0).abs() < 1e-9, "{key}: {found} {expected}");
            }
        }
        // An average of b grows by 1/16 of what it lacks with each packet, and is above 30 packets never, or late.
        assert!(rows[0]["burst_packets"].as_f64() > rows[1]["burst_packets"].as_f64(), "{rows:?}");
        assert_eq!((plan.queue.guard, plan.queue.limit, plan.members.all[1].weight), (3, 240, 1.0 / 16.0));
        assert!(
            sheet.about.starts_with("10Mb/s for classes whose packets wait 30.00 ms on average"),
            "{}",
            sheet.about
        );
        assert_eq!(sheet.notes.len(), 1, "the classes sum to the link");
        // Packets of which nothing is said are full ones, as the link counts them.
        let plan = of(&[&TWO[..], &["--full", "800B", "--limit", "300"]].concat());
        let packets: Vec<f64> = plan.members.classes().iter().map(|class| class.packet).collect();
        assert_eq!((plan.queue.full_packet, plan.queue.limit, packets), (800.0, 300, vec![800.0, 800.0]));
    }

    /// Loads that are given stand between the case of all busy classes and those of one that is silent, in their order.
    #[test]
    fn situations_are_told_in_order() {
        let plan = of(&[&TWO[..], &["--load", "b=1Mb/s,busy"]].concat());
        let names: Vec<&str> = plan.whens.iter().map(|when| when.name.as_str()).collect();
        assert_eq!(names, ["all busy", "b 1Mb/s", "all busy", "a silent", "b silent"]);
        let rates: Vec<Vec<f64>> = plan
            .whens
            .iter()
            .map(|when| when.rates.iter().map(|rate| (rate * 8e-6 * 1e3).round()).collect())
            .collect();
        assert_eq!(
            rates,
            [[6000.0, 4000.0], [9000.0, 1000.0], [6000.0, 4000.0], [0.0, 10_000.0], [10_000.0, 0.0]]
        );
        // A class alone waits for what it holds: its threshold of 30 ms at its rate, at that of the link.
        for (i, wait_s) in [0.03, 0.02, 0.03, 0.03 * 0.4, 0.03 * 0.6].into_iter().enumerate() {
            assert!((plan.whens[i].wait_s - wait_s).abs() < 1e-9, "{i}: {}", plan.whens[i].wait_s);
        }
        let rows = predictions(&plan).json_rows();
        assert_eq!(rows[3]["when"], "a silent");
        assert!((rows[1]["rate_a_bytes_per_s"].as_f64().expect("a rate") - 1.125e6).abs() < 1.0);
        assert!((rows[3]["wait_s"].as_f64().expect("s") - 0.012).abs() < 1e-9);
        let drawn = figure(&plan);
        let Content::Shares(shares) = &drawn.panels()[0].content else { panic!("shares") };
        let bars: Vec<&str> = shares.bars.iter().map(|(label, _)| label.as_str()).collect();
        let waits = ["30.00", "20.00", "30.00", "12.00", "18.00"];
        let expected: Vec<String> =
            names.iter().zip(waits).map(|(name, ms)| format!("{name}: wait {ms} ms")).collect();
        assert_eq!(bars, expected);
        let parts: Vec<(&str, f64)> =
            shares.bars[1].1.iter().map(|part| (part.name.as_str(), (part.share * 100.0).round())).collect();
        assert_eq!(parts, [("a", 90.0), ("b", 10.0)]);
        assert!(shares.bars.iter().flat_map(|(_, parts)| parts).all(|part| !part.pale));
        assert_eq!(drawn.title, "What classes get of 10Mb/s");
        // A class alone is never silent.
        let alone = of(&["--class", "a=rest"]);
        assert_eq!(alone.whens.iter().map(|when| when.name.as_str()).collect::<Vec<_>>(), ["all busy"]);
    }

    #[test]
    fn what_the_classes_leave_is_told() {
        let plan = of(&["--class", "a=3Mb/s", "--class", "b=2Mb/s"]);
        let sheet = classes(&plan);
        let said = "The classes sum to 5Mb/s: what is left is shared in proportion, and the queue is shorter than 30ms.";
        assert_eq!((sheet.notes.len(), sheet.notes[0].as_str()), (2, said));
        let rows = sheet.json_rows();
        let rates: Vec<f64> =
            rows.iter().filter_map(|row| row["rate_bytes_per_s"].as_f64()).map(f64::round).collect();
        assert_eq!(rates, [750_000.0, 500_000.0]);
        let thresholds: Vec<f64> =
            rows.iter().filter_map(|row| row["threshold_bytes"].as_f64()).map(f64::round).collect();
        assert_eq!(thresholds, [11_250.0, 7_500.0]);
        assert!(predictions(&plan).notes.is_empty());
        let idle = of(&[&TWO[..], &["--load", "a=1Mb/s", "--load", "b=1Mb/s"]].concat());
        assert_eq!(predictions(&idle).notes, ["wait 0: the link is not full, and no queue forms."]);
    }
}
