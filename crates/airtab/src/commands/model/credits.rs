// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model chap credits`.

use std::process::ExitCode;

use airtab_core::Unit;
use airtab_lab::draw::{Axis, Content, Figure, Kind, Line, Look, Panel, Plot, Point};
use airtab_lab::table;
use airtab_model::chap::credit::Credits;
use airtab_model::chap::overlap::outranks;
use serde_json::json;

use super::{Answer, args, ms, wrong_usage};
use crate::output;

/// Ranges, means and bursts of every flow.
pub fn credits(args: &args::Credits) -> anyhow::Result<ExitCode> {
    let rates = &args.rates.0;
    let costs = args.costs.as_ref().map_or_else(|| vec![1.0; rates.len()], |c| c.0.clone());
    let credits = match Credits::with_costs(rates, &costs, args.increment as f64) {
        Ok(credits) => credits,
        Err(e) => return wrong_usage(e),
    };
    if let Some(path) = &args.form.out {
        output::Drawing::open(path)?.write(&figure(&credits))?;
    }
    answer(args, &credits, &costs).print(args.form.printed.is_json())
}

fn answer(args: &args::Credits, credits: &Credits, costs: &[f64]) -> Answer {
    let rates = &args.rates.0;
    let increment = Unit::Ns.format(args.increment);
    let mut text = format!(
        "I = {increment}. Flow {} drains fastest: it triggers a boost every {} ms of airtime.\n\n",
        credits.fastest() + 1,
        ms(credits.boost_interval()),
    );
    let headings = [
        "\nflow",
        "\nrate",
        "\ncost",
        "air\n%",
        "low\nms",
        "mean\nms",
        "high\nms",
        "burst\nms",
        "above all\nfaster",
    ]
    .map(String::from);
    let rows: Vec<Vec<String>> = (0..rates.len())
        .map(|i| {
            let range = credits.range(i);
            let burst = credits.burst(i).map_or("-".into(), ms);
            vec![
                (i + 1).to_string(),
                rates[i].to_string(),
                costs[i].to_string(),
                format!("{:.1}", credits.drain_rate(i) * 100.0),
                ms(range.low),
                ms(credits.mean(i)),
                ms(range.high),
                burst,
                format!("{:.4}", outranks(credits, i)),
            ]
        })
        .collect();
    let style = output::stdout_style();
    text += &table::figures(&headings, &rows, style);
    text += "\n";
    for note in [
        "low, high: just before and after a boost (eq. 5.12); mean: halfway (5.13).",
        "burst: what the flow has more than the next faster one, on average (5.14).",
        "above all faster: the probability of it, if credits were independent (5.36).",
    ] {
        text += &(table::wrap(note, style.width) + "\n");
    }
    let flows: Vec<_> = (0..rates.len())
        .map(|i| {
            json!({
                "rate": rates[i],
                "cost": costs[i],
                "air_share": credits.drain_rate(i),
                "low_ns": credits.low(i),
                "mean_ns": credits.mean(i),
                "high_ns": credits.high(i),
                "burst_ns": credits.burst(i),
                "p_above_all_faster": outranks(credits, i),
            })
        })
        .collect();
    let json = json!({
        "model": "chap credits",
        "increment_ns": args.increment,
        "boost_interval_ns": credits.boost_interval(),
        "triggered_by_flow": credits.fastest() + 1,
        "flows": flows,
    });
    Answer { text, json }
}

/// Credits over four boosts.
fn figure(credits: &Credits) -> Figure {
    const BOOSTS: u32 = 4;
    let period = credits.boost_interval() / 1e6;
    let line = |i: usize| {
        let saw = |b: u32| {
            let start = f64::from(b) * period;
            [(start, credits.high(i) / 1e6), (start + period, credits.low(i) / 1e6)]
        };
        let points = (0..BOOSTS).flat_map(saw).map(|(x, y)| Some(Point::new(x, y))).collect();
        Line { name: format!("flow {}", i + 1), look: Look::of_app(i), kind: Kind::Course, points }
    };
    let lines: Vec<Line> = (0..credits.flows()).map(line).collect();
    let most = (0..credits.flows()).map(|i| credits.high(i) / 1e6);
    let x = Axis::new("time, ms").exact().covering([0.0, f64::from(BOOSTS) * period]);
    let y = Axis::new("credit, ms").covering([0.0]).covering(most);
    let title = "Credits between boosts, by equation 5.12";
    let content = Content::Plot(Plot { x, y, lines, mark: None });
    let panel = Panel { name: String::new(), caption: String::new(), alt: title.into(), content };
    Figure::new("credits", title, "", vec![panel])
}
