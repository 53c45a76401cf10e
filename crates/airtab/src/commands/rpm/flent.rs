// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A measurement as a data file of flent: goodput while there is a load, and TCP handshakes, before it and beside it, as
//! pings.
//!
//! Series have the names that flent's test `rrul` gives its pair of best effort and its ICMP, so that a plot of both has the
//! same curves. flent's plots leave out the first and the last 5 s: the load begins 5 s after the file does and ends 5 s before it.
//!
//! What it does not do: answers to requests have no series, as flent's plots would average them with round trips of
//! packets; they are in the round trips a minute, and these in the file's note.

use airtab_lab::flent::{Document, IDLE_NS, Series, Sort};
use airtab_probe::rpm::Way;
use airtab_probe::rpm::client::{Event, Report};

/// Takes down a measurement while it runs. Times are ns from its start.
#[derive(Default)]
pub struct Recorder {
    /// When each handshake was over, and what it took.
    handshakes: Vec<(u64, u64)>,
    /// Of each direction: when so many bytes were moved since its start.
    moved: Vec<(Way, Vec<(u64, u64)>)>,
    /// When the last load ended.
    end: u64,
}

impl Recorder {
    /// Something happened.
    pub fn note(&mut self, now: u64, event: &Event) {
        match event {
            Event::Idle(_, probe) | Event::Foreign(probe) => self.handshakes.push((now, probe.tcp_ns)),
            Event::Moved(way, bytes) => match self.moved.last_mut() {
                Some((of, points)) if of == way => points.push((now, *bytes)),
                _ => self.moved.push((*way, vec![(now, *bytes)])),
            },
            Event::End(_) => self.end = now,
            Event::Interval(..) => {}
        }
    }

    /// The file, of a measurement that began then, ns since 1970; None: it was over before there was a load.
    pub fn document(&self, report: &Report, began_unix_ns: u64) -> Option<Document> {
        let load = self.moved.first()?.1.first()?.0;
        // In the file, s; None: before it begins.
        let at = |now: u64| Some((now + IDLE_NS).checked_sub(load)? as f64 / 1e9);
        let (host, _) = report.server.split_once(' ').unwrap_or((&report.server, ""));
        let pings = self.handshakes.iter().filter_map(|(now, ns)| Some((at(*now)?, *ns as f64 / 1e6)));
        let pings =
            Series { sort: Sort::Ping, name: format!("{} ICMP", Sort::Ping.word()), points: pings.collect() };
        let goodput = self.moved.iter().map(|(way, points)| {
            let sort = match way {
                Way::Down => Sort::Download,
                Way::Up => Sort::Upload,
            };
            let rate = |pair: &[(u64, u64)]| {
                let ((from, before), (until, bytes)) = (pair[0], pair[1]);
                Some((at(until)?, bytes.saturating_sub(before) as f64 * 8e3 / (until - from) as f64))
            };
            let name = format!("{} BE", sort.word());
            Series { sort, name, points: points.windows(2).filter_map(rate).collect() }
        });
        let rpm = [("down", &report.down), ("up", &report.up)].into_iter().filter_map(|(way, measured)| {
            Some(format!("{:.0} RPM {way}", measured.as_ref()?.outcome.rpm().ok()?.both()))
        });
        let loaded = self.end.max(load) - load;
        Some(Document {
            test: "rrul",
            host: host.into(),
            hosts: vec![host.into()],
            title: format!("{host}, rpm"),
            note: rpm.collect::<Vec<String>>().join(", "),
            start_unix_ns: (began_unix_ns + load).saturating_sub(IDLE_NS),
            loaded_s: loaded as f64 / 1e9,
            total_s: (loaded + 2 * IDLE_NS) as f64 / 1e9,
            series: goodput.chain([pings]).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use airtab_probe::rpm::client::Measured;
    use airtab_quality::rpm::{Confidence, Foreign, Outcome};

    use super::*;

    const S: u64 = 1_000_000_000;
    const MS: u64 = 1_000_000;

    fn probe(tcp_ms: u64) -> Foreign {
        Foreign { tcp_ns: tcp_ms * MS, tls_ns: Some(MS), http_ns: 900 * MS }
    }

    /// A measurement that is stopped has a load without an end; bytes that are counted anew are none.
    #[test]
    fn stopped_under_load() {
        let report = Report { server: "192.0.2.1:443".into(), ..Report::default() };
        let mut recorder = Recorder::default();
        for (ms, bytes) in [(0, 0), (500, 1_000_000), (1_000, 400_000), (1_250, 900_000)] {
            recorder.note(3 * S + ms * MS, &Event::Moved(Way::Up, bytes));
        }
        let document = recorder.document(&report, 10 * S).expect("there was a load");
        assert_eq!((document.start_unix_ns, document.loaded_s, document.total_s), (8 * S, 0.0, 10.0));
        assert_eq!(document.series[0].points, [(5.5, 16.0), (6.0, 0.0), (6.25, 16.0)]);
        assert!(document.series[1].points.is_empty());
        assert_eq!(document.host, "192.0.2.1:443");
    }

    /// Idle for 6 s, 2 s down, 1 s of calm, 1 s up.
    #[test]
    fn exact() {
        let foreign = vec![probe(20)];
        let outcome = Outcome {
            took_ns: 2 * S,
            connections: 1,
            goodput_bps: 0,
            goodput: Confidence::Low,
            responsiveness: Confidence::Low,
            foreign,
            own_ns: vec![60 * MS],
            kept_percent: 95,
        };
        let down = Some(Measured { outcome, failed: 0 });
        let server = "example.org:443 (192.0.2.1)".into();
        let report = Report { server, down, ..Report::default() };
        let mut recorder = Recorder::default();
        assert_eq!(recorder.document(&report, 0), None, "nothing happened");
        recorder.note(S / 2, &Event::Idle(1, probe(7)));
        assert_eq!(recorder.document(&report, 0), None, "no load");
        recorder.note(5 * S, &Event::Idle(2, probe(8)));
        for (at, event) in [
            (6 * S, Event::Moved(Way::Down, 0)),
            (6 * S + 200 * MS, Event::Moved(Way::Down, 50_000)),
            (6 * S + 700 * MS, Event::Moved(Way::Down, 1_050_000)),
            (7 * S, Event::Foreign(probe(30))),
            (8 * S, Event::End(Way::Down)),
            (9 * S, Event::Moved(Way::Up, 0)),
            (9 * S + 250 * MS, Event::Moved(Way::Up, 1_000_000)),
            (10 * S, Event::End(Way::Up)),
        ] {
            recorder.note(at, &event);
        }
        let document = recorder.document(&report, 100 * S).expect("there was a load");
        let series: Vec<(&str, &[(f64, f64)])> =
            document.series.iter().map(|s| (s.name.as_str(), s.points.as_slice())).collect();
        assert_eq!(
            series,
            [
                ("TCP download BE", &[(5.2, 2.0), (5.7, 16.0)][..]),
                ("TCP upload BE", &[(8.25, 32.0)]),
                // The first handshake was before the file's start.
                ("Ping (ms) ICMP", &[(4.0, 8.0), (6.0, 30.0)]),
            ]
        );
        assert_eq!((document.start_unix_ns, document.loaded_s, document.total_s), (101 * S, 4.0, 14.0));
        assert_eq!(document.hosts, ["example.org:443"]);
        // Handshakes of 20, of 1, answers of 900 ms; 60 ms on loaded connections: 195 and 1000.
        assert_eq!(
            (document.title.as_str(), document.note.as_str()),
            ("example.org:443, rpm", "598 RPM down")
        );
        assert_eq!((document.test, document.host.as_str()), ("rrul", "example.org:443"));
        let sorts: Vec<Sort> = document.series.iter().map(|series| series.sort).collect();
        assert!(matches!(sorts[..], [Sort::Download, Sort::Upload, Sort::Ping]), "{sorts:?}");
        // Up, 30 ms on loaded connections: 2000; down was not measured.
        let mut up = report.down.clone();
        up.as_mut().expect("measured").outcome.own_ns = vec![30 * MS];
        let both = Report { up: up.clone(), ..report.clone() };
        let note = |report: &Report| recorder.document(report, 0).expect("there was a load").note;
        assert_eq!(note(&both), "598 RPM down, 1098 RPM up");
        assert_eq!(note(&Report { down: None, ..both }), "1098 RPM up");
        assert_eq!(note(&Report { up: None, down: None, ..report }), "");
    }
}
