// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt latency`.

use std::process::ExitCode;

use airtab_model::cbt::share::Held;
use airtab_model::cbt::study::{BULK_MPEG, LINK};
use airtab_model::cbt::threshold::Allocation;
use airtab_model::cbt::{CbtError, KIB, borrow, cbq, wait, wire};

use super::classes::Members;
use super::sheet::{Cell, Drawn, Sheet, column};
use super::{args, show};

/// A row for each latency and combination of loads.
pub fn latency(args: &args::Latency) -> anyhow::Result<ExitCode> {
    let wait = if args.loads.load.is_empty() { "busy_s" } else { "wait_s" };
    let drawn = Drawn {
        over: "latency_s".into(),
        lines: [wait].into_iter().chain(args.path.map(|_| "with_path_s")).map(String::from).collect(),
        label: "mean wait, ms".into(),
        cure: "several latencies, such as --latency 20ms,40ms",
    };
    show(sheet(args), &args.form, &drawn)
}

pub(super) fn sheet(args: &args::Latency) -> Result<Sheet, String> {
    let members = Members::of(&args.classes, args.link, BULK_MPEG, KIB)?;
    let offered = members.offered(&args.loads.load)?;
    let loaded = !args.loads.load.is_empty();
    let ms = |name: &str, heading: &str| column(name, heading, 2).times(1e3);
    let mut columns = vec![ms("latency_s", "L\nms").whole()];
    columns.extend(offered.columns());
    let stub = columns.len();
    columns.push(column("queued_bytes", "queued\nbytes", 0));
    columns.push(ms("busy_s", "all busy\nms"));
    if loaded {
        columns.push(ms("wait_s", "so loaded\nms"));
    }
    if args.path.is_some() {
        columns.push(ms("with_path_s", "with path\nms"));
    }
    if loaded {
        let own = |name: &str| ms(&format!("own_queue_{name}_s"), &format!("own queue\n{name}, ms"));
        columns.extend(members.names().into_iter().map(own));
    }
    let about = "How long packets wait on average: all classes busy (eq. 4.2)";
    let about = format!("{about}{}.", if loaded { ", and with these loads (eq. 4.27)" } else { "" });
    let mut sheet = Sheet::new("latency", about, stub, columns);
    for ns in &args.latency {
        for loads in &offered.loads {
            let found = found(args, &members, *ns, loads).map_err(|e| e.to_string())?;
            let mut row = vec![(*ns as f64 / 1e9).into()];
            row.extend(offered.cells(loads));
            row.extend([found.queued.into(), found.busy_s.into()]);
            row.extend(loaded.then_some(Cell::from(found.wait_s)));
            row.extend(args.path.map(|path| Cell::from(found.wait_s + path as f64 / 1e9)));
            row.extend(found.own_s.into_iter().filter(|_| loaded).map(Cell::from));
            sheet.rows.push(row);
        }
    }
    if loaded {
        let limit = cbq::LIMIT;
        sheet.notes.push(format!(
            "own queue: what a class would wait in one of its own of {limit} packets (CBQ); 0 while it gets all it sends."
        ));
    }
    Ok(sheet)
}

/// What comes of a latency and loads.
struct Found {
    queued: f64,
    busy_s: f64,
    wait_s: f64,
    own_s: Vec<f64>,
}

/// On the wire, where every frame has its overhead.
fn found(args: &args::Latency, members: &Members, ns: u64, loads: &[f64]) -> Result<Found, CbtError> {
    let overhead = args.wire.overhead();
    let allocation = Allocation::new(&members.classes(), ns as f64 / 1e9)?;
    let sum = allocation.capacity();
    let link = args.link.unwrap_or(if args.wire == args::Wire::None { sum } else { LINK });
    let held = (0..loads.len())
        .map(|i| Held { threshold: allocation.threshold(i), packet: allocation.classes()[i].packet })
        .collect::<Vec<_>>();
    let queue = wire::busy(&held, link, overhead)?;
    let rates: Vec<f64> = (0..loads.len()).map(|i| queue.rate(i)).collect();
    let on_wire = |(load, held): (&f64, &Held)| wire::on_wire(*load, held.packet, overhead);
    let loads: Vec<f64> = loads.iter().zip(&held).map(on_wire).collect();
    let got = borrow::predict(&rates, &loads)?;
    let own = |i: usize| cbq::latency_s(loads[i], got[i], queue.held()[i].packet, cbq::LIMIT);
    Ok(Found {
        queued: queue.bytes(),
        busy_s: queue.latency_s(),
        wait_s: wait::by_rates(&queue, &got, &loads)?,
        own_s: (0..loads.len()).map(own).collect::<Result<_, _>>()?,
    })
}
