//! The application half of a run: what applications do when, and their TCP.
//!
//! What it does not do: what becomes of packets under way (`simulation`).

use super::{Event, Simulation};
use crate::engine::NEVER;
use crate::meter::constant;
use crate::running::plan;
use crate::tcp::Algorithm;
use crate::trace::FrameTrace;
use crate::traffic::download::Connection;
use crate::traffic::streaming::Player;
use crate::traffic::udp::Source;
use crate::traffic::video;
use crate::traffic::web::Visit;
use crate::traffic::{AppKind, Download, P2p, Streaming, Udp, Upload, Video, Web};

impl Simulation {
    pub(super) fn start(&mut self, app: u16) {
        self.note(1, app.into());
        let running = &mut self.apps[usize::from(app)];
        running.active = true;
        self.world.timer(running.app.active_ns.end, Event::Stop { app });
        match running.app.kind {
            AppKind::Game(_) | AppKind::Voip(_) => {
                for up in [false, true] {
                    let at = self.now + running.phase[usize::from(up)];
                    self.world.timer(at, Event::Tick { app, up });
                }
            }
            AppKind::Video(_) => {
                self.world.timer(self.now + running.phase[0], Event::Tick { app, up: false });
            }
            AppKind::Udp(Udp { rate_bps, bytes, gaps }) => {
                let mut source = Source::start(rate_bps, bytes, gaps, self.seed, &running.app.name, self.now);
                self.world.timer(source.next_ns(self.now), Event::Tick { app, up: false });
                running.source = Some(source);
            }
            AppKind::Web(_) => self.open_page(app),
            AppKind::Ping(_) => {
                self.world.timer(self.now + running.phase[1], Event::Tick { app, up: true });
            }
            AppKind::Download(_) => self.download(app),
            AppKind::Upload(Upload { congestion }) => self.transfer(app, congestion, false, true),
            AppKind::P2p(P2p { congestion, upload, .. }) => self.transfer(app, congestion, true, upload),
            AppKind::Streaming(Streaming { congestion, .. }) => {
                let mut connection = Connection::open(self.tcp.with_congestion(congestion), 0);
                let plan = plan(&running.app.kind).expect("it streams");
                running.player = Some(Player::start(&plan, self.now, &mut connection));
                let flow = running.flows.start;
                self.flows[usize::from(flow)].reopen(connection, self.flow_key);
                self.pump(flow, false);
            }
        }
    }

    pub(super) fn stop(&mut self, app: u16) {
        self.note(2, app.into());
        let running = &mut self.apps[usize::from(app)];
        running.active = false;
        running.visit = None;
        running.player = None;
        for flow in running.flows.clone() {
            self.flows[usize::from(flow)].connection = None;
        }
    }

    /// Opens a download's connection in the place of the one before, if there is one.
    fn download(&mut self, app: u16) {
        let AppKind::Download(Download { congestion, reconnect_ns }) = self.apps[usize::from(app)].app.kind
        else {
            return;
        };
        if let Some(ns) = reconnect_ns {
            self.world.timer(self.now + ns, Event::Tick { app, up: false });
        }
        self.transfer(app, congestion, true, false);
    }

    /// Opens endless transfers on all flows of an application.
    fn transfer(&mut self, app: u16, congestion: Algorithm, down: bool, up: bool) {
        let bytes = |endless| if endless { u64::MAX } else { 0 };
        for flow in self.apps[usize::from(app)].flows.clone() {
            let mut connection = Connection::open(self.tcp.with_congestion(congestion), bytes(down));
            connection.client.endpoint.write(bytes(up));
            self.flows[usize::from(flow)].reopen(connection, self.flow_key);
            self.pump(flow, false);
        }
    }

    pub(super) fn tick(&mut self, app: u16, up: bool) {
        let running = &mut self.apps[usize::from(app)];
        if !running.active {
            return;
        }
        let flow = running.flows.start;
        match &running.app.kind {
            AppKind::Web(_) => self.open_page(app),
            AppKind::Download(_) => self.download(app),
            AppKind::Streaming(_) => {
                let connection = self.flows[usize::from(flow)].connection.as_mut();
                if let (Some(player), Some(connection)) = (&mut running.player, connection) {
                    let plan = plan(&running.app.kind).expect("it streams");
                    player.request(&plan, self.now, connection);
                    self.pump(flow, false);
                }
            }
            AppKind::Video(Video { frames, fec }) => {
                let number = running.frames.len();
                let frame = frames.0[number % frames.0.len()];
                let (fec, (needed, _)) = (*fec, fec.packets(frame));
                running.frames.push(FrameTrace {
                    sent_ns: self.now,
                    kind: frame.kind,
                    needed: needed as u16,
                    received: 0,
                });
                self.world.timer(self.now + video::PERIOD_NS, Event::Tick { app, up });
                for payload in fec.payloads(frame) {
                    self.send(flow, up, payload + video::HEADERS, number as u32, None);
                }
            }
            AppKind::Udp(Udp { bytes, .. }) => {
                let bytes = *bytes;
                let source = running.source.as_mut().expect("made at the start");
                self.world.timer(source.next_ns(self.now), Event::Tick { app, up });
                self.send(flow, up, bytes, 0, None);
            }
            kind => {
                let stream = constant(kind, up).expect("nothing else ticks");
                self.world.timer(self.now + stream.period_ns, Event::Tick { app, up });
                self.send(flow, up, stream.bytes, 0, None);
            }
        }
    }

    /// The next page of a web application, over a connection of its own.
    fn open_page(&mut self, app: u16) {
        let running = &mut self.apps[usize::from(app)];
        let AppKind::Web(Web { pages, .. }) = &running.app.kind else { return };
        let page = pages.page(self.seed, &running.app.name, running.page);
        let mut connection = Connection::open(self.tcp.for_pages(), 0);
        running.visit = Some(Visit::open(page, running.page, self.now, &mut connection));
        running.page += 1;
        let flow = running.flows.start;
        self.flows[usize::from(flow)].reopen(connection, self.flow_key);
        self.pump(flow, false);
    }

    /// Looks whether a page made progress.
    pub(super) fn browse(&mut self, flow: u16) {
        let app = self.flows[usize::from(flow)].app;
        let running = &mut self.apps[usize::from(app)];
        let Some(visit) = &mut running.visit else { return };
        let connection = self.flows[usize::from(flow)].connection.as_mut();
        let connection = connection.expect("a visit has a connection");
        let Some(page) = visit.progress(self.now, connection) else {
            self.pump(flow, true);
            self.pump(flow, false);
            return;
        };
        self.world.timer(self.now + visit.reading_ns(), Event::Tick { app, up: false });
        running.pages.push(page);
        running.visit = None;
    }

    /// Looks whether a streamed video made progress.
    pub(super) fn stream(&mut self, flow: u16) {
        let app = self.flows[usize::from(flow)].app;
        let running = &mut self.apps[usize::from(app)];
        let connection = self.flows[usize::from(flow)].connection.as_mut();
        let (Some(player), Some(connection)) = (&mut running.player, connection) else { return };
        let plan = plan(&running.app.kind).expect("it streams");
        if let Some((segment, next_ns)) = player.progress(&plan, self.now, connection) {
            running.segments.push(segment);
            self.world.timer(next_ns, Event::Tick { app, up: false });
        }
        self.pump(flow, true);
    }

    pub(super) fn timer(&mut self, flow: u16, server: bool) {
        let Some(connection) = &mut self.flows[usize::from(flow)].connection else { return };
        let socket = connection.socket(server);
        if socket.timer_at != self.now {
            return; // an earlier one took its place
        }
        socket.timer_at = NEVER;
        // The deadline may have moved on since the event was made.
        if socket.endpoint.next_timeout().is_some_and(|at| at <= self.now) {
            socket.endpoint.on_timeout(self.now);
        }
        self.pump(flow, server);
    }

    /// Sends what an endpoint has to send and sees to its timer.
    pub(super) fn pump(&mut self, flow: u16, server: bool) {
        let now = self.now;
        loop {
            let Some(connection) = &mut self.flows[usize::from(flow)].connection else { return };
            let socket = connection.socket(server);
            let Some(segment) = socket.endpoint.poll_transmit(now) else {
                if let Some(at) = socket.endpoint.next_timeout()
                    && at < socket.timer_at
                {
                    socket.timer_at = at.max(now);
                    self.world.timer(socket.timer_at, Event::Timer { flow, server });
                }
                return;
            };
            self.send(flow, !server, segment.ip_bytes(), 0, Some(segment));
        }
    }
}
