// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A contest as tables of Markdown, for a terminal and for `docs/contest.md`.

use std::collections::BTreeMap;

use airtab_scenario::Metric;
use airtab_scenario::digits::count;

use super::{Against, Contest, Judged, Means, UnderDriver};
use crate::change::Verdict;

impl Contest<'_> {
    /// For each driver the counts and means, then the applications that are worse.
    pub fn page(&self) -> String {
        let (homes, applications) = (count(self.homes, "home"), count(self.applications, "application"));
        let seeds = count(self.seeds.len(), "seed");
        let mut text = format!("{homes}, {applications}, {seeds}\n");
        self.drivers.iter().for_each(|driver| text += &driver.counts());
        self.drivers.iter().for_each(|driver| text += &driver.losses());
        text
    }
}

impl UnderDriver {
    fn counts(&self) -> String {
        let mut text = format!(
            "\n### Driver {}\n\n| {} against | worse | of these by airtime share | same | better | homes without a loss | goodput, Mb/s | worst call, ms | game, MOS | page, s |\n",
            self.driver.title(),
            self.disciplines[0].discipline
        );
        text += &format!("|{}\n", "---|".repeat(10));
        let row = |means: &Means, counts: String| {
            format!("| {} | {counts} | {} |\n", means.discipline, means.cells())
        };
        text += &row(&self.disciplines[0], [""; 5].join(" | "));
        for (means, against) in self.disciplines[1..].iter().zip(&self.against) {
            text += &row(means, against.cells());
        }
        text
    }

    /// A row for each application that is worse than under one of the others; the null test is left out.
    fn losses(&self) -> String {
        let rivals: Vec<&Against> = self.against.iter().filter(|against| !against.null).collect();
        let mut lost: BTreeMap<(usize, Metric), Vec<String>> = BTreeMap::new();
        for (column, against) in rivals.iter().enumerate() {
            for (place, app) in
                against.applications.iter().enumerate().filter(|(_, app)| app.verdict == Verdict::Worse)
            {
                let cells =
                    lost.entry((place, app.metric)).or_insert_with(|| vec![String::new(); rivals.len()]);
                cells[column] = app.cell();
            }
        }
        if lost.is_empty() {
            return String::new();
        }
        let names: Vec<&str> = rivals.iter().map(|against| against.discipline.as_str()).collect();
        let subject = &self.disciplines[0].discipline;
        let mut text = format!(
            "\n### Losses, driver {}\n\n| home | application | figure | {subject} | {} |\n|{}\n",
            self.driver.title(),
            names.join(" | "),
            "---|".repeat(4 + names.len())
        );
        for ((place, metric), cells) in lost {
            let app = &rivals[0].applications[place];
            let own =
                rivals.iter().map(|against| &against.applications[place]).find(|app| app.metric == metric);
            let own = own.and_then(|app| app.means[0]);
            text += &format!(
                "| {} | {} | {} | {} | {} |\n",
                app.home,
                app.name,
                metric.label(),
                shown(metric, own),
                cells.join(" | ")
            );
        }
        text
    }
}

impl Against {
    fn cells(&self) -> String {
        let Against { worse, by_airtime_share, same, better, homes_without_loss, .. } = self;
        [worse, by_airtime_share, same, better, homes_without_loss].map(ToString::to_string).join(" | ")
    }
}

impl Means {
    fn cells(&self) -> String {
        let cell = |value: Option<f64>, factor: f64, decimals: usize| {
            value.map_or("-".into(), |value| format!("{:.decimals$}", value * factor))
        };
        [
            cell(self.goodput_bits_per_second, 1e-6, 1),
            cell(self.worst_call_p99_seconds, 1e3, 1),
            cell(self.game_mos, 1.0, 2),
            cell(self.page_seconds, 1.0, 2),
        ]
        .join(" | ")
    }
}

impl Judged {
    /// Mean of the other discipline, and `(share)` if the loss is one by airtime share.
    fn cell(&self) -> String {
        shown(self.metric, self.means[1]) + if self.by_airtime_share { " (share)" } else { "" }
    }
}

fn shown(metric: Metric, value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{:.*}", metric.decimals(), metric.shown(value)))
}
