// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What becomes of one application's packets: counted at both ends, in the
//! access point's queue and on the air.
//!
//! Every host that drives an access point (the simulator here, the live one)
//! tells a meter what happened, in order of time, and gets an [`AppTrace`].
//!
//! What it does not do: it knows no frames of a video, no pages, no segments
//! and no TCP; who runs the application adds them to the trace.

use std::ops::Range;

use airtab_core::Tx;
use airtab_core::time::SECOND;

use crate::scenario::{App, Scenario, Scored};
use crate::trace::{
    AppTrace, AttemptTrace, BelowTrace, CourseTrace, Delivery, Leg, Legs, PathTrace, QueueTrace, SecondTrace,
    StreamTrace, delays,
};
use crate::traffic::{AppKind, ROOM};
use crate::wifi::Way;

/// IP and UDP headers of a datagram, bytes.
const DATAGRAM_HEADERS: u32 = 28;

/// Payload of a datagram that is an IP packet of `bytes`.
pub fn datagram_payload(bytes: u32) -> u64 {
    bytes.saturating_sub(DATAGRAM_HEADERS).into()
}

/// The packets of one application over a run.
pub struct AppMeter {
    name: String,
    kind: AppKind,
    /// Down and up: each delivery is worth a record of its own.
    records: [bool; 2],
    measure: Range<u64>,
    scored: Scored,
    streams: [StreamTrace; 2],
    paths: [PathTrace; 2],
    queue: QueueMeter,
    below: Option<BelowTrace>,
    air_ns: [u64; 2],
    attempts: AttemptTrace,
    seconds: Vec<SecondTrace>,
    received_bytes: [u64; 2],
    course: Option<CourseTrace>,
    /// The same in other windows of the run ([`Scenario::windows`]).
    windows: Vec<AppMeter>,
}

impl AppMeter {
    /// For one application of `scenario`, with room for the deliveries of its users
    /// that have a record each, up to a million packets each way. The times in the queue
    /// make room for themselves, at the first one.
    pub fn new(app: &App, scenario: &Scenario) -> AppMeter {
        let windows = scenario.windows.iter().map(|window| {
            let steps = |step_ns| {
                let n = (window.part_ns.end - window.part_ns.start).div_ceil(step_ns) as usize;
                CourseTrace { step_ns, payload_bytes: [vec![0; n], vec![0; n]] }
            };
            let course = window.step_ns.map(steps);
            AppMeter { course, ..AppMeter::of(app, scenario, window.part_ns.clone()) }
        });
        AppMeter { windows: windows.collect(), ..AppMeter::of(app, scenario, app.measured(scenario)) }
    }

    /// For that part of the run alone.
    fn of(app: &App, scenario: &Scenario, measure: Range<u64>) -> AppMeter {
        let measured = measure.end - measure.start;
        let stream = |up| {
            let of_one = app.kind.recorded(up, measured).unwrap_or(0);
            let room = of_one.saturating_mul(app.users.count.into()).min(ROOM);
            StreamTrace { deliveries: Vec::with_capacity(room as usize), ..StreamTrace::default() }
        };
        AppMeter {
            name: app.name.clone(),
            kind: app.kind.clone(),
            records: [false, true].map(|up| app.arrivals || app.kind.recorded(up, 0).is_some()),
            streams: [false, true].map(stream),
            paths: Default::default(),
            queue: QueueMeter::new(measure.clone(), &scenario.measure_ns),
            measure,
            scored: scenario.scored,
            below: scenario.medium.has_driver().then(BelowTrace::default),
            air_ns: [0; 2],
            attempts: AttemptTrace::up_to(scenario.medium.attempts()),
            seconds: vec![SecondTrace::default(); scenario.duration_ns.div_ceil(SECOND) as usize],
            received_bytes: [0; 2],
            course: None,
            windows: Vec::new(),
        }
    }

    /// One end sent a packet of `bytes`: the server, or with `up` the station.
    #[inline(always)]
    pub fn sent(&mut self, up: bool, bytes: u32, now: u64) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.sent(up, bytes, now));
        }
        if self.measure.contains(&now) {
            let stream = &mut self.streams[usize::from(up)];
            stream.sent += 1;
            stream.sent_bytes += u64::from(bytes);
        }
        if !up && let Some(second) = self.second(now) {
            second.sent_bytes += u64::from(bytes);
        }
    }

    /// A packet came to the access point's queue.
    #[inline(always)]
    pub fn arrived(&mut self, now: u64) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.arrived(now));
        }
        self.queue.change(now, self.queue.held + 1);
        if self.measure.contains(&now) {
            self.queue.trace.arrived += 1;
        }
    }

    /// The discipline dropped one that had arrived.
    pub fn dropped(&mut self, now: u64) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.dropped(now));
        }
        self.queue.change(now, self.queue.held - 1);
        if self.measure.contains(&now) {
            self.queue.trace.dropped += 1;
        }
    }

    /// One left the queue for the MAC that had arrived at `queued_ns`.
    #[inline]
    pub fn dequeued(&mut self, queued_ns: u64, now: u64) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.dequeued(queued_ns, now));
        }
        self.queue.change(now, self.queue.held - 1);
        if self.measure.contains(&queued_ns) {
            self.queue.trace.delay_ns.record(now - queued_ns);
        }
    }

    /// A frame of its downlink, or with `up` of its uplink, is over.
    #[inline(always)]
    pub fn transmitted(&mut self, up: bool, tx: Tx, now: u64) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.transmitted(up, tx, now));
        }
        if self.measure.contains(&now) {
            self.air_ns[usize::from(up)] += tx.air;
            let path = &mut self.paths[usize::from(up)];
            path.frames += 1;
            path.attempts += u64::from(tx.attempts);
            if !up {
                self.attempts.count(tx.attempts, tx.acked);
            }
        }
    }

    /// A frame is over, and how it went out.
    #[inline(always)]
    pub fn went_out(&mut self, up: bool, way: Way, now: u64) {
        // Else none of the windows has one, either.
        if self.below.is_some() {
            self.went_below(up, way, now);
        }
    }

    #[inline(never)]
    fn went_below(&mut self, up: bool, way: Way, now: u64) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.went_below(up, way, now));
        }
        let Some(below) = &mut self.below else { return };
        if !self.measure.contains(&now) {
            return;
        }
        if up {
            if way.mpdus > 0 {
                below.up_packets += 1;
                below.up_frames += 1.0 / f64::from(way.mpdus);
            }
            return;
        }
        below.delay_ns.record(way.below_ns);
        if way.mpdus > 0 {
            below.packets += 1;
            below.frames += 1.0 / f64::from(way.mpdus);
            below.kbps += u64::from(way.kbps);
        }
    }

    /// The other end has a packet of `bytes` that was sent at `sent_ns` and brought `payload` bytes for the first time.
    pub fn received(&mut self, up: bool, (bytes, payload): (u32, u64), sent_ns: u64, now: u64) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.received(up, (bytes, payload), sent_ns, now));
        }
        self.received_bytes[usize::from(up)] += u64::from(bytes);
        if !up && let Some(second) = self.second(now) {
            second.received_bytes += u64::from(bytes);
        }
        let (now_counts, sent_counts) = (self.measure.contains(&now), self.measure.contains(&sent_ns));
        let records = self.records[usize::from(up)];
        let stream = &mut self.streams[usize::from(up)];
        if now_counts {
            stream.bytes += u64::from(bytes);
        }
        if now_counts && payload > 0 {
            stream.payload_bytes += payload;
            stream.new_packets += 1;
            stream.new_bytes += u64::from(bytes);
            if let Some(course) = &mut self.course {
                let step = (now - self.measure.start) / course.step_ns;
                course.payload_bytes[usize::from(up)][step as usize] += payload;
            }
        }
        if sent_counts {
            stream.received += 1;
            if records {
                stream.deliveries.push(Delivery { sent_ns, received_ns: now });
            } else {
                stream.delay_ns.record(now - sent_ns);
            }
        }
    }

    /// One that was sent at `sent_ns` came through, and where it spent its time.
    #[inline(always)]
    pub fn passed(&mut self, up: bool, sent_ns: u64, legs: Legs) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.passed(up, sent_ns, legs));
        }
        if !self.measure.contains(&sent_ns) {
            return;
        }
        let path = &mut self.paths[usize::from(up)];
        path.least = if path.arrived == 0 { legs } else { path.least.least(&legs) };
        path.arrived += 1;
        path.total.wires_ns += legs.wires_ns;
        path.total.queue_ns += legs.queue_ns;
        path.total.channel_ns += legs.channel_ns;
    }

    /// One that was sent at `sent_ns` ended on its way.
    pub fn lost(&mut self, up: bool, sent_ns: u64, at: Leg) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.lost(up, sent_ns, at));
        }
        self.paths[usize::from(up)].lost[at as usize] += u64::from(self.measure.contains(&sent_ns));
    }

    /// A packet that was sent at `sent_ns` went no further: another one says what it said.
    pub fn merged(&mut self, up: bool, sent_ns: u64) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.merged(up, sent_ns));
        }
        self.streams[usize::from(up)].received += u64::from(self.measure.contains(&sent_ns));
    }

    /// The run ends, and a packet that was sent at `sent_ns` is still on its way.
    pub fn under_way(&mut self, up: bool, sent_ns: u64) {
        if !self.windows.is_empty() {
            self.in_windows(move |window| window.under_way(up, sent_ns));
        }
        self.streams[usize::from(up)].under_way += u64::from(self.measure.contains(&sent_ns));
    }

    /// IP bytes of the downlink, or with `up` of the uplink, received so far.
    pub fn received_bytes(&self, up: bool) -> u64 {
        self.received_bytes[usize::from(up)]
    }

    /// Whether what happens now is in the measured part.
    pub(crate) fn measures(&self, now: u64) -> bool {
        self.measure.contains(&now)
    }

    /// The trace at the end of the run, and the mean number of places held in
    /// the scenario's measured part (that in the application's own is in the
    /// trace).
    pub fn finish(mut self, now: u64) -> (AppTrace, f64) {
        let mean_packets = self.queue.close(now);
        let [down, up] = self.streams;
        let trace = AppTrace {
            name: self.name,
            kind: self.kind,
            measure_ns: self.measure,
            scored: self.scored,
            down,
            up,
            queue: self.queue.trace,
            below: self.below,
            paths: self.paths,
            tcp: Default::default(),
            round_trips_ns: delays(2),
            acked: Vec::new(),
            air_ns: self.air_ns[0],
            up_air_ns: self.air_ns[1],
            attempts: self.attempts,
            seconds: self.seconds,
            frames: Vec::new(),
            pages: Vec::new(),
            segments: Vec::new(),
            course: self.course,
            tests: Vec::new(),
            windows: self.windows.into_iter().map(|window| window.finish(now).0).collect(),
        };
        (trace, mean_packets)
    }

    /// What was told is told to the other windows: few runs have any.
    #[cold]
    fn in_windows(&mut self, tell: impl Fn(&mut AppMeter)) {
        self.windows.iter_mut().for_each(tell);
    }

    /// The second that `now` lies in; None at the end of the run.
    fn second(&mut self, now: u64) -> Option<&mut SecondTrace> {
        self.seconds.get_mut((now / SECOND) as usize)
    }
}

/// An application's places in the access point's queue over time.
struct QueueMeter {
    trace: QueueTrace,
    held: u64,
    since: u64,
    own: Area,
    /// In the scenario's measured part, if that is another one.
    common: Option<Area>,
}

/// Places held, times how long, within a part of the run.
struct Area {
    part: Range<u64>,
    area: u64,
}

impl Area {
    fn new(part: Range<u64>) -> Area {
        Area { part, area: 0 }
    }

    fn add(&mut self, held: u64, since: u64, now: u64) {
        let (from, to) = (since.max(self.part.start), now.min(self.part.end));
        self.area += held * to.saturating_sub(from);
    }

    fn mean(&self) -> f64 {
        self.area as f64 / (self.part.end - self.part.start) as f64
    }
}

impl QueueMeter {
    fn new(own: Range<u64>, common: &Range<u64>) -> QueueMeter {
        QueueMeter {
            trace: QueueTrace::default(),
            held: 0,
            since: 0,
            common: (own != *common).then(|| Area::new(common.clone())),
            own: Area::new(own),
        }
    }

    fn close(&mut self, now: u64) -> f64 {
        self.change(now, 0);
        self.trace.mean_packets = self.own.mean();
        self.common.as_ref().map_or(self.trace.mean_packets, Area::mean)
    }

    fn change(&mut self, now: u64, held: u64) {
        self.own.add(self.held, self.since, now);
        if let Some(common) = &mut self.common {
            common.add(self.held, self.since, now);
        }
        self.held = held;
        self.since = now;
    }
}
