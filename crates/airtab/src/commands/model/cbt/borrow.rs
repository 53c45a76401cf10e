// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt borrow`.

use std::process::ExitCode;

use airtab_model::cbt::study::RAMP;
use airtab_model::cbt::{KB, borrow};

use super::classes::{Members, Offered};
use super::sheet::{Cell, Column, Drawn, Sheet, column};
use super::values::Named;
use super::{args, show};

/// A row for each combination of loads, or for each iteration.
pub fn borrow(args: &args::Borrow) -> anyhow::Result<ExitCode> {
    let (made, drawn) = match given(args) {
        Ok((members, offered)) => {
            let over = offered.over().filter(|_| !args.steps).unwrap_or_default();
            let lines = members.names().into_iter().map(rate_name).collect();
            let made =
                if args.steps { steps(args, &members, &offered) } else { sheet(args, &members, &offered) };
            (made, (over, lines))
        }
        Err(message) => (Err(message), Default::default()),
    };
    let drawn = Drawn {
        over: drawn.0,
        lines: drawn.1,
        label: "rate, KB/s".into(),
        cure: "a class several loads, such as --load other=0,100KB/s,500KB/s, without --steps",
    };
    show(made, &args.form, &drawn)
}

/// Without anything said it is the study's run whose load changes.
fn given(args: &args::Borrow) -> Result<(Members, Offered), String> {
    let members = Members::of(&args.classes, args.link, RAMP, KB)?;
    let nothing = args.classes.mix.is_none() && args.classes.class.is_empty() && args.loads.load.is_empty();
    let load = |name: &str, kb: &[u32]| Named {
        name: name.into(),
        value: kb.iter().map(|kb| f64::from(*kb) * KB).collect(),
    };
    let usual = [load("mm", &[340]), load("other", &[0, 100, 200, 300, 400, 500, 800])];
    let offered = members.offered(if nothing { &usual } else { &args.loads.load })?;
    Ok((members, offered))
}

/// Allocations on the link: they share what they leave of it in proportion.
fn rates(args: &args::Borrow, members: &Members) -> Vec<f64> {
    let rates = members.rates();
    let sum: f64 = rates.iter().sum();
    let scale = args.link.map_or(1.0, |link| link / sum);
    rates.iter().map(|rate| rate * scale).collect()
}

fn rate_name(class: &str) -> String {
    format!("rate_{class}_bytes_per_s")
}

fn rate_columns(members: &Members) -> impl Iterator<Item = Column> {
    let one = |name: &str| column(rate_name(name), format!("{name}\nKB/s"), 1).times(1.0 / KB);
    members.names().into_iter().map(one).collect::<Vec<_>>().into_iter()
}

fn sheet(args: &args::Borrow, members: &Members, offered: &Offered) -> Result<Sheet, String> {
    let rates = rates(args, members);
    let stub = offered.columns();
    let about = "What classes get of what others leave (eq. 4.12 to 4.18).";
    let mut columns = [stub.clone(), rate_columns(members).collect()].concat();
    columns.push(column("spare_bytes_per_s", "unused\nKB/s", 1).times(1.0 / KB));
    columns.push(column("iterations", "\niterations", 0));
    let mut sheet = Sheet::new("borrow", about, stub.len(), columns);
    for loads in &offered.loads {
        let steps = borrow::steps(&rates, loads).map_err(|e| e.to_string())?;
        let got = &steps[steps.len() - 1].rates;
        let spare = rates.iter().sum::<f64>() - got.iter().sum::<f64>();
        let figures = got.iter().copied().chain([spare.max(0.0), (steps.len() - 1) as f64]);
        sheet.rows.push(offered.cells(loads).into_iter().chain(figures.map(Cell::from)).collect());
    }
    Ok(sheet)
}

fn steps(args: &args::Borrow, members: &Members, offered: &Offered) -> Result<Sheet, String> {
    let [loads] = offered.loads.as_slice() else {
        return Err("--steps: of one load for each class; give one, not a list".into());
    };
    let excess = |name: &str| {
        column(format!("excess_{name}_bytes_per_s"), format!("excess\n{name}"), 1).times(1.0 / KB)
    };
    let columns = [column("iteration", "\niteration", 0)].into_iter().chain(rate_columns(members));
    let columns = columns.chain(members.names().into_iter().map(excess)).collect();
    let mut sheet = Sheet::new("borrow", "Iterations of what classes get (eq. 4.14 to 4.18).", 1, columns);
    let steps = borrow::steps(&rates(args, members), loads).map_err(|e| e.to_string())?;
    for (i, step) in steps.iter().enumerate() {
        let figures = step.rates.iter().chain(&step.excess).copied();
        sheet.rows.push([i as f64].into_iter().chain(figures).map(Cell::from).collect());
    }
    Ok(sheet)
}

#[cfg(test)]
mod tests {
    use super::super::super::args::ModelCommand;
    use super::super::super::given;
    use super::super::args::{Cbt, CbtCommand};
    use super::*;

    fn of(words: &[&str]) -> (args::Borrow, Members, Offered) {
        let ModelCommand::Cbt(Cbt { command: CbtCommand::Borrow(args) }) =
            given::command(&[&["cbt", "borrow"], words].concat())
        else {
            panic!("another model")
        };
        let (members, offered) = super::given(&args).unwrap_or_else(|e| panic!("{e}"));
        (args, members, offered)
    }

    fn rows(words: &[&str]) -> Vec<serde_json::Value> {
        let (args, members, offered) = of(words);
        let sheet =
            if args.steps { steps(&args, &members, &offered) } else { sheet(&args, &members, &offered) };
        sheet.unwrap_or_else(|e| panic!("{e}")).json_rows()
    }

    fn of_row(row: &serde_json::Value, classes: &[&str]) -> Vec<f64> {
        classes.iter().map(|class| row[rate_name(class)].as_f64().expect("a rate").round()).collect()
    }

    const OWN: [&str; 6] = ["--class", "a=200KB/s", "--class", "b=100KB/s", "--class", "c=100KB/s"];

    /// Bandwidth that a class leaves goes to the others in proportion to their rates; the rest is unused.
    #[test]
    fn others_share_what_a_class_leaves() {
        for (more, rates, spare) in [
            (&["--load", "a=busy"][..], [200e3, 100e3, 100e3], 0.0),
            (&["--load", "c=40KB/s"], [240e3, 120e3, 40e3], 0.0),
            (&["--load", "a=50KB/s"], [50e3, 175e3, 175e3], 0.0),
            (&["--load", "a=50KB/s", "--load", "b=110KB/s"], [50e3, 110e3, 240e3], 0.0),
            (&["--load", "a=50KB/s", "--load", "b=30KB/s", "--load", "c=20KB/s"], [50e3, 30e3, 20e3], 300e3),
            // Of a link of twice the sum, rates are twice as high.
            (&["--link", "800KB/s", "--load", "c=40KB/s"], [507e3, 253e3, 40e3], 0.0),
        ] {
            let found = rows(&[&OWN[..], more].concat());
            let row = &found[0];
            // Some KB/s: the source's rule shares in proportion to allocations.
            for (found, expected) in of_row(row, &["a", "b", "c"]).into_iter().zip(rates) {
                assert!((found - expected).abs() < 400.0, "{more:?}: {row}");
            }
            let unused = row["spare_bytes_per_s"].as_f64().expect("a rate");
            assert!((unused - spare).abs() < 1.0, "{more:?}: {row}");
        }
    }

    /// Iterations begin with the allocations; what a class has more than it sends is its excess.
    #[test]
    fn iterations_begin_with_what_is_allocated() {
        let rows = rows(&[&OWN[..], &["--load", "a=50KB/s", "--load", "b=110KB/s", "--steps"]].concat());
        let numbers: Vec<f64> = rows.iter().map(|row| row["iteration"].as_f64().expect("a number")).collect();
        assert_eq!(numbers, (0..rows.len()).map(|i| i as f64).collect::<Vec<_>>());
        assert!(rows.len() > 1);
        assert_eq!(of_row(&rows[0], &["a", "b", "c"]), [200e3, 100e3, 100e3]);
        let excess =
            ["a", "b", "c"].map(|c| rows[0][format!("excess_{c}_bytes_per_s")].as_f64().expect("a rate"));
        assert_eq!(excess, [150e3, 0.0, 0.0]);
    }

    /// Without classes and loads, the loads are those of the study's run; with either, a class is busy unless a load is given.
    #[test]
    fn the_usual_loads_are_those_of_a_bare_command() {
        let loads = |words: &[&str]| of(words).2.loads;
        let busy = f64::INFINITY;
        let usual = loads(&[]);
        assert_eq!(
            (usual.len(), &usual[1], &usual[6]),
            (7, &vec![busy, 340e3, 100e3], &vec![busy, 340e3, 800e3])
        );
        assert_eq!(loads(&["--mix", "ramp"]), [vec![busy; 3]]);
        assert_eq!(loads(&OWN), [vec![busy; 3]]);
        assert_eq!(loads(&["--load", "mm=7KB/s"]), [vec![busy, 7e3, busy]]);
    }
}
