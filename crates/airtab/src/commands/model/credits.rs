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

#[cfg(test)]
mod tests {
    use super::super::args::{Chap, ChapCommand, ModelCommand};
    use super::super::given;
    use super::*;

    fn of(words: &[&str]) -> (args::Credits, Credits) {
        let ModelCommand::Chap(Chap { command: ChapCommand::Credits(args) }) = given::command(words) else {
            panic!("another model")
        };
        let costs = args.costs.as_ref().map_or_else(|| vec![1.0; args.rates.0.len()], |c| c.0.clone());
        let credits = Credits::with_costs(&args.rates.0, &costs, args.increment as f64).expect("credits");
        (args, credits)
    }

    /// Of rates 2:3:5 the third flow uses half of the airtime: it triggers a boost of 10 ms every 20 ms. The others keep 2 and 5
    /// tenths of it, and each falls by its share of 20 ms.
    #[test]
    fn credits_fall_from_boost_to_boost() {
        let (args, credits) = of(&["chap", "credits", "--rates", "2:3:5", "--increment", "10ms"]);
        let figure = figure(&credits);
        let lines = given::lines(&figure, 0);
        let expected = [("flow 1", 16.0, 12.0), ("flow 2", 14.0, 8.0), ("flow 3", 10.0, 0.0)];
        assert_eq!(lines.len(), 3);
        for ((name, points), (of, high, low)) in lines.iter().zip(expected) {
            assert_eq!(name, of);
            let saw: Vec<(f64, f64)> =
                (0..4).flat_map(|b| [(20.0 * f64::from(b), high), (20.0 * f64::from(b + 1), low)]).collect();
            assert_eq!(points.len(), saw.len());
            assert!(
                points.iter().zip(&saw).all(|(a, b)| (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9),
                "{points:?}"
            );
        }
        let answer = answer(&args, &credits, &[1.0; 3]);
        let first = "I = 10ms. Flow 3 drains fastest: it triggers a boost every 20.00 ms of airtime.\n";
        assert!(answer.text.starts_with(first), "{}", answer.text);
        assert!((answer.json["boost_interval_ns"].as_f64().expect("a time") - 20e6).abs() < 1e-3);
        assert_eq!(
            (&answer.json["increment_ns"], &answer.json["flows"][1]["cost"]),
            (&json!(10_000_000), &json!(1.0))
        );
        // With costs 15:3:5 the first one drains fastest: 30 of 64.
        let (args, credits) = of(&["chap", "credits", "--rates", "2:3:5", "--costs", "15:3:5"]);
        let answer = super::answer(&args, &credits, &[15.0, 3.0, 5.0]);
        let interval = answer.json["boost_interval_ns"].as_f64().expect("a time");
        assert!((interval - 25e6 * 64.0 / 30.0).abs() < 1e-3, "{interval}");
        assert!(
            answer.text.starts_with("I = 25ms. Flow 1 drains fastest: it triggers a boost every 53.33 ms")
        );
    }
}
