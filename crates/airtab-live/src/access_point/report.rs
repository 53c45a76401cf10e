// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What an access point shows of itself: [`Snapshot`]s.
//!
//! What it does not do: the driver adds how well the clock was kept, and the
//! applications what they feel.

use std::collections::BTreeMap;

use airtab_core::{FLOW, Reason};
use airtab_quality::jain;
use airtab_sim::Scored;
use airtab_sim::wifi::{AirTrace, Medium};

use super::AccessPoint;
use super::classes::Counted;
use super::paths::Paths;
use crate::flows::Tally;
use crate::snapshot::{
    AirTotals, AirView, AppView, ColumnView, FlowView, Hops, QdiscView, Snapshot, StatView, StationView,
};

/// What the last snapshot was taken of.
#[derive(Default)]
pub(super) struct Last {
    at: u64,
    air: AirTrace,
    pub(super) classes: Counted,
}

const SECONDS: f64 = 1e-9;
/// The packet by whose frame a station's losses are shown where they depend on the length, bytes.
const FULL_PACKET: u32 = 1500;

impl AccessPoint {
    /// The access point at this time; rates and quantiles are of the time since
    /// the last call.
    pub fn snapshot(&mut self) -> Snapshot {
        let interval_ns = (self.world.now() - self.last.at).max(1);
        let interval_s = interval_ns as f64 * SECONDS;
        let stations = self.station_views(interval_s);
        let air = self.air_view(interval_ns, &stations);
        self.last.at = self.world.now();
        self.outcomes.end_interval();
        let snapshot = Snapshot {
            house: self.house.name().into(),
            queue: self.queue.clone(),
            medium: match self.world.medium(0) {
                Medium::Cell(_) => "dcf",
                Medium::Emulator(_) => "emulator",
                Medium::Wire(_) => "wire",
            }
            .into(),
            now_s: self.world.now() as f64 * SECONDS,
            interval_s,
            qdisc: self.qdisc_view(interval_s),
            air,
            air_totals: AirTotals {
                down_ns: self.last.air.down_ns,
                up_ns: self.last.air.up_ns,
                collision_ns: self.last.air.collision_ns,
                beacon_ns: self.last.air.beacon_ns,
                idle_ns: self.last.air.idle_ns,
            },
            stations,
            flows: self.flow_views(interval_s),
            hops: Hops {
                server: self.spreads.server.take(),
                wired: self.spreads.wired.take(),
                queue: self.spreads.queue.take(),
                ring: self.spreads.ring.take(),
                air: self.spreads.air.take(),
                uplink_queue: self.spreads.uplink_queue.take(),
                uplink_air: self.spreads.uplink_air.take(),
                uplink_wired: self.spreads.uplink_wired.take(),
            },
            books: self.books(),
            outcomes: self.outcomes.views(&self.house.file.scenario),
            ..Snapshot::default()
        };
        self.paths.iter_mut().for_each(Paths::end_interval);
        self.flows.sweep(self.world.now());
        snapshot
    }

    /// Says of the applications of the house what their packets met up to the last snapshot.
    pub fn put_paths(&self, apps: &mut [AppView]) {
        let down_alone = self.house.file.scenario.scored == Scored::Down;
        for (app, paths) in apps.iter_mut().zip(&self.paths) {
            app.down_alone = down_alone;
            [app.down, app.up] = paths.views();
        }
    }

    fn air_view(&mut self, interval_ns: u64, stations: &[StationView]) -> AirView {
        let now = self.world.medium(0).air(self.world.now());
        let before = std::mem::replace(&mut self.last.air, now);
        let share = |now: u64, before: u64| now.saturating_sub(before) as f64 / interval_ns as f64;
        let used = stations.iter().map(|s| s.rates.down_air_ratio + s.rates.up_air_ratio);
        let used: Vec<f64> = used.filter(|ratio| *ratio > 0.0).collect();
        AirView {
            down_ratio: share(now.down_ns, before.down_ns),
            up_ratio: share(now.up_ns, before.up_ns),
            collision_ratio: share(now.collision_ns, before.collision_ns),
            beacon_ratio: share(now.beacon_ns, before.beacon_ns),
            idle_ratio: share(now.idle_ns, before.idle_ns),
            stations_jain_ratio: jain(&used).filter(|_| used.len() > 1),
            won_again_ratio: self.world.medium(0).winners().and_then(|w| w.self_correlation.first().copied()),
        }
    }

    fn qdisc_view(&mut self, interval_s: f64) -> QdiscView {
        let classes = self.classes(interval_s);
        let queue = self.world.medium(0).queue();
        let counters = self.world.medium(0).counters();
        let dropped = Reason::ALL.iter().zip(counters.dropped).filter(|(_, n)| *n > 0);
        let stats = queue.discipline().stats().into_iter().zip(queue.stats(self.world.now()));
        QdiscView {
            packets: counters.queued,
            bytes: counters.bytes,
            dropped: dropped.map(|(why, n)| (format!("{why:?}").to_lowercase(), n)).collect(),
            stats: stats.map(|(stat, value)| StatView::new(&stat, value)).collect(),
            columns: queue.discipline().flow_columns().iter().map(ColumnView::new).collect(),
            classes,
        }
    }

    fn station_views(&mut self, interval_s: f64) -> Vec<StationView> {
        let scenario = &self.house.file.scenario;
        let full_mpdu = FULL_PACKET + scenario.medium.phy().map_or(0, |phy| phy.mac_bytes());
        let view = |(number, tally): (usize, &mut Tally)| {
            let (speed, loss) = self.radios[number];
            let rate = self.world.medium(0).rate(number).unwrap_or(speed.rate);
            StationView {
                name: scenario.stations[number].name.clone(),
                rate_kbps: rate.kbps(),
                frame_error_rate: loss.mpdu_error_rate(&rate, full_mpdu),
                backlog_packets: tally.backlog,
                totals: tally.totals,
                rates: tally.rates(interval_s),
                ended: self.ended[number].clone(),
            }
        };
        self.stations.iter_mut().enumerate().map(view).collect()
    }

    /// The busiest flows of the interval, which ends.
    fn flow_views(&mut self, interval_s: f64) -> Vec<FlowView> {
        let numbers = self.flows.busiest(Snapshot::FLOWS);
        let columns = self.flow_columns(&numbers);
        let scenario = &self.house.file.scenario;
        let mut views = Vec::with_capacity(numbers.len());
        for (number, columns) in numbers.into_iter().zip(columns) {
            let flow = self.flows.seen(number);
            let station = scenario.stations.get(usize::from(flow.station));
            views.push(FlowView {
                app: flow.app.and_then(|i| Some(scenario.apps.get(usize::from(i))?.name.clone())),
                tuple: flow.key.map_or_else(|| "many other flows".into(), |key| key.to_string()),
                station: station.map_or_else(String::new, |s| s.name.clone()),
                columns,
                backlog_packets: flow.tally.backlog,
                totals: flow.tally.totals,
                rates: flow.tally.rates(interval_s),
            });
        }
        views
    }

    /// What the discipline's table says of these flows, of each by the keys of its columns.
    fn flow_columns(&mut self, numbers: &[u32]) -> Vec<BTreeMap<String, Option<f64>>> {
        let mut hashes: Vec<(i64, usize)> =
            numbers.iter().enumerate().map(|(i, number)| (self.flows.seen(*number).hash.into(), i)).collect();
        hashes.sort_unstable();
        let queue = self.world.medium(0).queue();
        let shown: Vec<_> =
            queue.discipline().flow_columns().into_iter().map(|c| (ColumnView::new(&c).key(), c)).collect();
        let unknown: BTreeMap<_, _> = shown.iter().map(|(key, _)| (key.clone(), None)).collect();
        let mut columns = vec![unknown; numbers.len()];
        let Some(flow) = queue.discipline().column(FLOW).filter(|_| !shown.is_empty()) else {
            return columns;
        };
        // A flow is in the table of its access category's discipline.
        for queue in self.world.medium(0).queues() {
            queue.for_each_row(self.world.pool(), self.world.now(), |row| {
                let Ok(place) = hashes.binary_search_by_key(&flow.value(row), |(hash, _)| *hash) else {
                    return;
                };
                for (key, column) in &shown {
                    let value = column.value(row) as f64 * column.unit.scale();
                    columns[hashes[place].1].insert(key.clone(), Some(value));
                }
            });
        }
        columns
    }
}
