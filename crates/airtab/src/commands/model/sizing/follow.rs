// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model size ebdp`, `alt` and `astar`: sizes that follow what an access point sees of its queue.

use std::process::ExitCode;

use airtab_core::Unit;
use airtab_model::sizing::{SizingError, adaptive};

use super::super::sheet::{Column, Drawn, Sheet, column};
use super::size::packets;
use super::{args, cells, checked, show_size, us};

impl args::Served {
    fn ebdp(&self, service_ns: u64) -> Result<f64, SizingError> {
        adaptive::ebdp(us(service_ns), us(self.wait), self.burst, self.most)
    }

    fn column() -> Column {
        column("service_s", "service\nms", 0).times(1e3).whole()
    }
}

impl args::Used {
    /// Sizes before and after each adjustment of a queue that is empty so long in each interval.
    fn sizes(&self, idle_ns: u64) -> Result<Vec<f64>, String> {
        let busy = self.interval.checked_sub(idle_ns).ok_or_else(|| {
            let [idle, interval] = [idle_ns, self.interval].map(|ns| Unit::Ns.format(ns));
            format!("--idle {idle}: an interval is {interval}; give at most that, or a longer --interval")
        })?;
        let mut sizes = vec![self.size];
        for _ in 0..self.steps {
            let last = sizes[sizes.len() - 1];
            let next = adaptive::alt(last, us(idle_ns), us(busy), self.grow, self.shrink);
            sizes.push(next.map_err(|e| e.to_string())?);
        }
        Ok(sizes)
    }

    fn columns(&self) -> [Column; 2] {
        [column("idle_s", "empty for\nms", 0).times(1e3).whole(), column("time_s", "after\ns", 0).whole()]
    }

    /// Where it is after so many steps: empty so long in each interval, at that time.
    fn at(&self, idle_ns: u64, step: usize) -> [f64; 2] {
        [idle_ns as f64 / 1e9, step as f64 * self.interval as f64 / 1e9]
    }
}

/// A row for each service time.
pub fn ebdp(args: &args::Ebdp) -> anyhow::Result<ExitCode> {
    let drawn = Drawn {
        over: "service_s".into(),
        lines: vec!["buffer_packets".into()],
        label: "buffer, packets".into(),
        cure: "several service times, such as --service 0.5ms,1ms,2ms,5ms",
    };
    let made = || -> Result<Sheet, String> {
        let served = &args.served;
        checked(served.service.len())?;
        let about = format!(
            "What is served in {}, and {} packets for bursts, {} at most (eq. 2.1).",
            Unit::Ns.format(served.wait),
            served.burst,
            served.most
        );
        let columns = vec![args::Served::column(), packets("buffer_packets", "buffer\npackets")];
        let mut sheet = Sheet::new("ebdp", about, 1, columns);
        for ns in &served.service {
            let size = served.ebdp(*ns).map_err(|e| e.to_string())?;
            sheet.rows.push(cells([*ns as f64 / 1e9, size]));
        }
        Ok(sheet)
    };
    show_size(made(), &args.form, &drawn)
}

/// A row for each adjustment.
pub fn alt(args: &args::Alt) -> anyhow::Result<ExitCode> {
    let drawn = Drawn {
        over: "time_s".into(),
        lines: vec!["buffer_packets".into()],
        label: "buffer, packets".into(),
        cure: "several adjustments, such as --steps 100",
    };
    let made = || -> Result<Sheet, String> {
        let used = &args.used;
        checked(used.idle.len() * (used.steps + 1))?;
        let about = format!(
            "Every {}: {} packets more for a second in which the queue is empty, and {} fewer for one in which it is not \
             (eq. 2.2).",
            Unit::Ns.format(used.interval),
            used.grow,
            used.shrink
        );
        let columns = [&used.columns()[..], &[packets("buffer_packets", "buffer\npackets")]].concat();
        let mut sheet = Sheet::new("alt", about, 2, columns);
        for idle in &used.idle {
            for (step, size) in used.sizes(*idle)?.into_iter().enumerate() {
                let [idle, at] = used.at(*idle, step);
                sheet.rows.push(cells([idle, at, size]));
            }
        }
        Ok(sheet)
    };
    show_size(made(), &args.form, &drawn)
}

/// A row for each service time and adjustment.
pub fn a_star(args: &args::Astar) -> anyhow::Result<ExitCode> {
    let over = if args.used.steps > 1 || args.served.service.len() < 2 { "time_s" } else { "service_s" };
    let drawn = Drawn {
        over: over.into(),
        lines: vec!["buffer_packets".into()],
        label: "buffer, packets".into(),
        cure: "several adjustments, such as --steps 100, or service times",
    };
    let made = || -> Result<Sheet, String> {
        let (served, used) = (&args.served, &args.used);
        checked(served.service.len() * used.idle.len() * (used.steps + 1))?;
        let columns = [
            &[args::Served::column()],
            &used.columns()[..],
            &[
                packets("ebdp_packets", "eBDP\npackets"),
                packets("alt_packets", "ALT\npackets"),
                column("buffer_packets", "A*\npackets", 0),
            ],
        ]
        .concat();
        let mut sheet =
            Sheet::new("astar", "The smaller of eBDP and ALT, in whole packets (eq. 2.3).", 3, columns);
        for service in &served.service {
            let ebdp = served.ebdp(*service).map_err(|e| e.to_string())?;
            for idle in &used.idle {
                for (step, alt) in used.sizes(*idle)?.into_iter().enumerate() {
                    let [idle, at] = used.at(*idle, step);
                    let size = adaptive::a_star(ebdp, alt).map_err(|e| e.to_string())?;
                    sheet.rows.push(cells([*service as f64 / 1e9, idle, at, ebdp, alt, size.into()]));
                }
            }
        }
        Ok(sheet)
    };
    show_size(made(), &args.form, &drawn)
}
