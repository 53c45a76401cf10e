// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Snapshots for Prometheus: names and text. `airtab-serve` serves them.
//!
//! The text is OpenMetrics 1.0, or Prometheus' text format 0.0.4. Names are built the same way everywhere:
//! `airtab_`, the part, what is counted, the base unit, `_total` for counters.
//! Statistics of a discipline come from its table in the core, as
//! `airtab_qdisc_NAME`, with the table's help; what it says of a flow as
//! `airtab_flow_NAME`, or `airtab_flow_qdisc_NAME` if the access point measures a NAME itself. Scores are named after their
//! metric: `airtab_app_game_mos`.
//!
//! At a time there are at most [`Snapshot::FLOWS`] flows; over time every
//! flow that was among them is a series of its own, so for long storage drop
//! `airtab_flow_.*` when scraping (`docs/live-view.md`).
//!
//! What it does not do: no rates that a query can compute, no push, no global registry.

mod table;

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, LabelSetEncoder, MetricEncoder, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::exemplar::Exemplar;
use prometheus_client::registry::{Registry, Unit};

use crate::snapshot::{ClassView, Classes, FlowView, Snapshot};

use table::Row;

/// Format of a scrape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// OpenMetrics 1.0.0, also as 0.0.1.
    OpenMetrics,
    /// Prometheus' text format 0.0.4.
    Text,
}

/// Text of a scrape. Before the first snapshot it has no metrics.
pub fn encode(snapshot: Option<Arc<Snapshot>>, format: Format) -> String {
    let mut registry = Registry::with_prefix("airtab");
    if let Some(snapshot) = snapshot {
        registry.register_collector(Box::new(Scrape(snapshot)));
    }
    let mut out = String::new();
    text::encode(&mut out, &registry).expect("a string takes everything");
    match format {
        Format::OpenMetrics => out,
        Format::Text => text_format(&out),
    }
}

/// An OpenMetrics text in the text format 0.0.4. A counter's family is named as its samples are, with `_total`, and quantiles
/// are those of a summary. There are neither units nor an end.
fn text_format(open: &str) -> String {
    let mut out = String::with_capacity(open.len());
    // HELP comes first in a family, then TYPE, UNIT, and the samples.
    for family in format!("\n{open}").split("\n# HELP ").skip(1) {
        let mut lines = family.lines();
        let (name, help) = lines.next().and_then(|line| line.split_once(' ')).unwrap_or_default();
        let kind = lines.next().and_then(|line| line.rsplit_once(' ')).map_or("", |(_, kind)| kind);
        let samples: Vec<&str> = lines.filter(|line| !line.starts_with('#')).collect();
        let quantiles = samples.iter().any(|sample| sample.contains("quantile=\""));
        let (total, kind) = match kind {
            "counter" => ("_total", kind),
            "gauge" if quantiles => ("", "summary"),
            _ => ("", kind),
        };
        out += &format!("# HELP {name}{total} {help}\n# TYPE {name}{total} {kind}\n");
        samples.iter().for_each(|sample| out += &format!("{sample}\n"));
    }
    out
}

#[derive(Debug)]
struct Scrape(Arc<Snapshot>);

/// Labels of a sample.
#[derive(Clone, Default)]
struct Labels(Vec<(&'static str, String)>);

impl EncodeLabelSet for Labels {
    fn encode(&self, encoder: &mut LabelSetEncoder) -> fmt::Result {
        self.0.as_slice().encode(encoder)
    }
}

impl Labels {
    fn with(&self, key: &'static str, value: &str) -> Labels {
        let mut labels = self.clone();
        if !key.is_empty() {
            labels.0.push((key, value.into()));
        }
        labels
    }
}

/// One name with its samples.
struct Family<'a> {
    name: &'a str,
    help: &'a str,
    unit: &'a str,
    counter: bool,
    samples: Vec<(Labels, f64)>,
}

impl Family<'_> {
    fn encode(&self, encoder: &mut DescriptorEncoder) -> fmt::Result {
        if self.samples.is_empty() {
            return Ok(());
        }
        let kind = if self.counter { MetricType::Counter } else { MetricType::Gauge };
        let unit = (!self.unit.is_empty()).then(|| Unit::Other(self.unit.into()));
        let mut family = encoder.encode_descriptor(self.name, self.help, unit.as_ref(), kind)?;
        for (labels, value) in &self.samples {
            let put = |sample: &mut MetricEncoder| match self.counter {
                true => sample.encode_counter(value, None::<&Exemplar<Labels, f64>>),
                false => sample.encode_gauge(value),
            };
            match labels.0.is_empty() {
                true => put(&mut family)?,
                false => put(&mut family.encode_family(labels)?)?,
            }
        }
        Ok(())
    }
}

/// All names of a table, with a sample for each item and value.
fn encode_rows<T>(
    e: &mut DescriptorEncoder,
    part: &str,
    rows: &[Row<T>],
    items: &[(Labels, &T)],
) -> fmt::Result {
    for row in rows {
        let name = [part, row.name].into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join("_");
        let samples = items.iter().flat_map(|(labels, item)| {
            let of = |(value, get): &(&str, fn(&T) -> Option<f64>)| {
                get(item).map(|x| (labels.with(row.label, value), x))
            };
            row.values.iter().filter_map(of).collect::<Vec<_>>()
        });
        let samples = samples.collect();
        Family { name: &name, help: row.help, unit: row.unit, counter: row.counter, samples }.encode(e)?;
    }
    Ok(())
}

/// Counts by reason.
fn by_reason<'a>(reasons: impl IntoIterator<Item = (&'a String, &'a u64)>) -> Vec<(Labels, f64)> {
    reasons.into_iter().map(|(reason, n)| (Labels::default().with("reason", reason), *n as f64)).collect()
}

/// Letters, digits and underscores: what a name may hold.
fn name_of(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

/// Base unit and factor to it.
fn base_unit(unit: &str) -> (&str, f64) {
    match unit {
        "ns" => ("seconds", 1e-9),
        "bytes" => ("bytes", 1.0),
        "bit/s" => ("bits_per_second", 1.0),
        "ratio" => ("ratio", 1.0),
        _ => ("", 1.0),
    }
}

/// Metrics of scores end with their unit already: `page_seconds`.
fn score_unit(metric: &str) -> (&str, &str) {
    for unit in ["bits_per_second", "seconds", "ratio", "bytes", "packets"] {
        if let Some(name) = metric.strip_suffix(unit).and_then(|n| n.strip_suffix('_')) {
            return (name, unit);
        }
    }
    (metric, "")
}

impl Collector for Scrape {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let (s, e) = (&*self.0, &mut encoder);
        let none = Labels::default();
        let info = none.with("house", &s.house).with("queue", &s.queue).with("medium", &s.medium);
        encode_rows(e, "", table::INFO, &[(info, s)])?;
        encode_rows(e, "", table::HOUSE, &[(none, s)])?;
        let dropped = by_reason(&s.qdisc.dropped);
        let help = "Packets that the access point's queue dropped, by reason";
        Family { name: "queue_dropped_packets", help, unit: "", counter: true, samples: dropped }
            .encode(e)?;
        let refused = by_reason(&s.books.refused);
        let help = "Packets read and not sent on, by reason";
        Family { name: "refused_packets", help, unit: "", counter: true, samples: refused }.encode(e)?;
        for stat in &s.qdisc.stats {
            let name = format!("qdisc_{}", name_of(&stat.name));
            let (unit, factor) = base_unit(&stat.unit);
            let samples = vec![(Labels::default(), stat.value * factor)];
            let help = discipline_help(&stat.help);
            Family { name: &name, help: &help, unit, counter: stat.counter, samples }.encode(e)?;
        }
        classes(&s.qdisc.classes, e)?;
        let label = |name: &str| Labels::default().with("station", name);
        let stations: Vec<_> = s.stations.iter().map(|st| (label(&st.name), st)).collect();
        encode_rows(e, "station", table::STATION, &stations)?;
        let stations: Vec<_> = s.stations.iter().map(|st| (label(&st.name), &st.totals)).collect();
        encode_rows(e, "station", table::TOTALS, &stations)?;
        let stations: Vec<_> = s.stations.iter().map(|st| (label(&st.name), &st.rates)).collect();
        encode_rows(e, "station", table::RATES, &stations)?;
        let label = |f: &FlowView| {
            let app = f.app.as_deref().unwrap_or_default();
            Labels::default().with("flow", &f.tuple).with("station", &f.station).with("app", app)
        };
        let flows: Vec<_> = s.flows.iter().map(|f| (label(f), f)).collect();
        columns(s, e, &flows)?;
        encode_rows(e, "flow", table::FLOW, &flows)?;
        let flows: Vec<_> = s.flows.iter().map(|f| (label(f), &f.totals)).collect();
        encode_rows(e, "flow", table::TOTALS, &flows)?;
        let flows: Vec<_> = s.flows.iter().map(|f| (label(f), &f.rates)).collect();
        encode_rows(e, "flow", table::RATES, &flows)?;
        let hops = [
            ("server", s.hops.server),
            ("wired", s.hops.wired),
            ("queue", s.hops.queue),
            ("ring", s.hops.ring),
            ("air", s.hops.air),
            ("uplink_queue", s.hops.uplink_queue),
            ("uplink_air", s.hops.uplink_air),
            ("uplink_wired", s.hops.uplink_wired),
        ];
        let hops: Vec<_> = hops.iter().map(|(hop, q)| (Labels::default().with("hop", hop), q)).collect();
        encode_rows(e, "hop", table::HOP, &hops)?;
        scores(s, e)?;
        outcomes(s, e)
    }
}

fn discipline_help(help: &str) -> String {
    format!("Discipline: {}", help.replace(['\n', '\\'], " "))
}

/// What the discipline's table says of flows. Flows that it does not know have no such series.
fn columns(s: &Snapshot, e: &mut DescriptorEncoder, flows: &[(Labels, &FlowView)]) -> fmt::Result {
    for column in &s.qdisc.columns {
        let name = name_of(&column.name);
        let part = if table::of_flows().any(|own| own == name) { "flow_qdisc" } else { "flow" };
        let key = column.key();
        let value = |(labels, flow): &(Labels, &FlowView)| {
            Some((labels.clone(), flow.columns.get(&key).copied().flatten()?))
        };
        let samples = flows.iter().filter_map(value).collect();
        let (name, help) = (format!("{part}_{name}"), discipline_help(&column.help));
        let unit = base_unit(&column.unit).0;
        Family { name: &name, help: &help, unit, counter: false, samples }.encode(e)?;
    }
    Ok(())
}

/// What the discipline's table says of its classes.
fn classes(of: &Classes, e: &mut DescriptorEncoder) -> fmt::Result {
    for (place, column) in of.columns.iter().enumerate() {
        let (unit, factor) = base_unit(&column.unit);
        let name = name_of(&column.name);
        let name = format!("class_{}", name.strip_suffix(&format!("_{unit}")).unwrap_or(&name));
        let sample = |class: &ClassView| {
            let labels = Labels::default().with("class", &class.class);
            let category = if class.category.is_empty() { "" } else { "category" };
            (labels.with(category, &class.category), class.values[place] * factor)
        };
        let samples = of.classes.iter().map(sample).collect();
        let help = discipline_help(&column.help);
        Family { name: &name, help: &help, unit, counter: column.counter, samples }.encode(e)?;
    }
    Ok(())
}

/// One name for each metric that some application has.
fn scores(s: &Snapshot, e: &mut DescriptorEncoder) -> fmt::Result {
    let scored = || s.apps.iter().filter_map(|app| Some((app, app.score.as_ref()?)));
    let mut metrics: Vec<String> = scored().map(|(_, score)| name_of(&score.metric)).collect();
    metrics.sort();
    metrics.dedup();
    for metric in metrics {
        let (name, unit) = score_unit(&metric);
        let of_metric = scored().filter(|(_, score)| name_of(&score.metric) == metric);
        let samples = of_metric.map(|(app, score)| {
            let labels = Labels::default().with("app", &app.name).with("kind", &app.kind);
            (labels.with("station", &app.station), score.value)
        });
        let help = format!("What the application's user feels, as airtab compare computes {metric}");
        let name = format!("app_{name}");
        Family { name: &name, help: &help, unit, counter: false, samples: samples.collect() }.encode(e)?;
    }
    Ok(())
}

/// Quality of Outcome of those of which it can be said.
fn outcomes(s: &Snapshot, e: &mut DescriptorEncoder) -> fmt::Result {
    let samples = s.outcomes.iter().flat_map(|of| {
        let labels = Labels::default().with("station", &of.station).with("kind", &of.kind);
        let labels = labels.with("requirement", &of.requirement);
        let windows = of.windows().into_iter();
        windows.filter_map(move |(window, score)| Some((labels.with("window", window), score?.score)))
    });
    let help =
        "Quality of Outcome of late (draft-ietf-ippm-qoo), 0 to 100: how near to what such applications need";
    let samples = samples.collect();
    Family { name: "qoo_score", help, unit: "", counter: false, samples }.encode(e)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod values;
