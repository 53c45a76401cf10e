// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What to simulate, as plain data. Files and units are `airtab-scenario`'s; the
//! rules that a scenario must satisfy are [`Scenario::check`]'s.

mod rules;

use std::ops::Range;
use std::sync::Arc;

use airtab_core::{Params, Unit};
use airtab_quality::qoo::Requirement;

use crate::net::address::Protocol;
use crate::tcp;
use crate::traffic::{AppKind, Broken};
use crate::wifi::{AccessMethod, Category, CellConfig, Loss, Medium, MediumConfig, Speed, Walk};
pub use rules::{Change, Changed};

/// A home: servers behind wired links, one access point, its stations, and
/// one application per entry of `apps`. Of a dumbbell, whose medium is a wire, the
/// access point is the router before it and the stations are the hosts behind it.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name, for reports.
    pub name: String,
    /// Simulated time, ns.
    pub duration_ns: u64,
    /// The part of it that is measured, ns.
    pub measure_ns: Range<u64>,
    /// What is between the access point and its stations.
    pub medium: MediumConfig,
    /// Wired part between servers and access point.
    pub wired: Wired,
    /// Servers that several applications may have in common ([`Servers::Shared`]).
    pub servers: Vec<Server>,
    /// Stations, in the order of their numbers.
    pub stations: Vec<Station>,
    /// Applications.
    pub apps: Vec<App>,
    /// TCP at both ends of every connection whose application has none of its own. Congestion control is the application's.
    pub tcp: tcp::Config,
    /// What scores of calls and games are about.
    pub scored: Scored,
    /// Other parts of the run in which every application is measured, too.
    pub windows: Vec<MeasureWindow>,
    /// Links that become others while it runs.
    pub changes: Vec<Change>,
}

/// A part of the run in which every application is measured beside [`Scenario::measure_ns`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasureWindow {
    /// Name, in results.
    pub name: String,
    /// From when to when, ns.
    pub part_ns: Range<u64>,
    /// Also keeps what is received in each step of it ([`crate::CourseTrace`]), ns.
    pub step_ns: Option<u64>,
}

/// Which directions opinion scores of calls and games are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scored {
    /// Both: what the worse off of the two ends feels.
    #[default]
    Both,
    /// The downlink alone, as the CHAP studies have it.
    Down,
}

impl Scored {
    /// Every variant with its name in scenario files.
    pub const NAMES: [(&'static str, Scored); 2] = [("both", Scored::Both), ("down", Scored::Down)];
}

/// A Wi-Fi station.
#[derive(Clone, Debug)]
pub struct Station {
    /// Name, for reports and as the name of its random stream.
    pub name: String,
    /// How fast frames to and from it go.
    pub speed: Speed,
    /// Which frames to and from it are lost.
    pub loss: Loss,
    /// The discipline of its own queue; None: first in, first out, as many packets as the cell says.
    pub uplink: Option<Params>,
    /// When it sleeps, ns; the access point's driver keeps what is for it.
    pub asleep: Option<Range<u64>>,
    /// How far it is when, instead of the distance of `loss`; None: it stays.
    pub walk: Option<Walk>,
    /// How it gets at the channel; None: as the cell says.
    pub access: Option<AccessMethod>,
}

impl Station {
    /// What it, number `number` of a medium, does by itself while it runs.
    pub(crate) fn plan(&self, number: usize, medium: &mut Medium) {
        if let Some(time) = &self.asleep {
            medium.set_asleep(number, time.clone());
        }
        if let Some(walk) = &self.walk {
            medium.set_walk(number, (self.speed, self.loss), walk.clone());
        }
    }
}

impl Station {
    /// What it may not have behind a wire.
    fn check_wired(&self) -> Result<(), String> {
        let Station { uplink, asleep, walk, access, .. } = self;
        let none = uplink.is_none() && asleep.is_none() && walk.is_none() && access.is_none();
        match none && self.loss == Loss::None {
            true => Ok(()),
            false => Err("behind a wire it has no radio, loses nothing, and has no queue of its own".into()),
        }
    }
}

/// One application: servers on the wired side and clients on a station.
#[derive(Clone, Debug)]
pub struct App {
    /// Name, unique in its scenario.
    pub name: String,
    /// What it sends.
    pub kind: AppKind,
    /// For how many users it runs at once.
    pub users: Users,
    /// Index of its station, or of the first of them.
    pub station: usize,
    /// Number of the computer behind its station that its client is on, 1 to 255; each has an address of its own.
    pub computer: u8,
    /// When it sends, ns.
    pub active_ns: Range<u64>,
    /// The part of the run in which it is measured, ns, if not the scenario's.
    pub measure_ns: Option<Range<u64>>,
    /// Class for disciplines that want one, 0 first.
    pub class: u8,
    /// Access category of its packets, both ways: their DSCP says it.
    pub access: Category,
    /// All of it is inside a tunnel: queues see one UDP flow, whatever is in it. Its own bytes are not counted.
    pub tunnel: bool,
    /// Each packet's arrival is kept, whatever its kind: what the gaps between them say of how its sender waits.
    pub arrivals: bool,
    /// Where its servers are.
    pub servers: Servers,
    /// When the first packet of its streams is sent, ns after each user's start, where it is not to be a
    /// random time: kinds that draw such a phase only.
    pub phase_ns: Option<u64>,
    /// What it needs of the network, for its score by that: plays no part in a run.
    pub requirement: Option<Arc<Requirement>>,
    /// TCP at both ends of its connections, if not the scenario's.
    pub tcp: Option<Box<tcp::Config>>,
}

/// Where the servers of an application are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Servers {
    /// Each flow has a server of its own, behind an access link of its own of that latency.
    Own(Latency),
    /// All flows share the access link of that server, by its number in [`Scenario::servers`].
    Shared(usize),
    /// As [`Servers::Own`], behind that node of a mesh.
    Behind(u16, Latency),
}

/// A server that several applications have in common: one access link for all of their flows.
#[derive(Clone, Debug)]
pub struct Server {
    /// Name, for applications to be at.
    pub name: String,
    /// Its access link.
    pub access: Access,
}

/// The access link of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// bit/s of IP packets, both ways.
    pub rate_bps: u64,
    /// From and to the switch.
    pub latency: Latency,
    /// Which narrow wire of [`Wired::hops`] is the first that it sends over, 0 the farthest; as many: the last one alone.
    /// Of a mesh: the node that it is behind.
    pub hop: u16,
}

/// One-way latency of a wire, by direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Towards the stations, ns.
    pub down_ns: u64,
    /// Towards the servers, ns.
    pub up_ns: u64,
}

impl Latency {
    /// The same both ways, ns.
    pub const fn both(ns: u64) -> Latency {
        Latency { down_ns: ns, up_ns: ns }
    }
}

/// Those who use an application: each has flows, servers and random streams of his own, so that one
/// more changes nothing that the others draw. All of them are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Users {
    /// How many.
    pub count: u32,
    /// Each begins at a random time within this time from the application's start, ns; 0: all of them at once.
    pub within_ns: u64,
    /// They are at so many stations, one after the other in turn, from the application's on; at most `count`.
    pub stations: u32,
}

impl Users {
    /// One alone, from the start on.
    pub const ONE: Users = Users::at_one(1, 0);

    /// So many at one station, who begin within that time, ns.
    pub const fn at_one(count: u32, within_ns: u64) -> Users {
        Users { count, within_ns, stations: 1 }
    }
}

/// The wired part: every server has an access link of its own to a switch; one
/// trunk leads from the switch to the access point. All links full duplex.
#[derive(Clone, Debug)]
pub struct Wired {
    /// Rate of each link, bit/s.
    pub rate_bps: u64,
    /// Latency of the trunk.
    pub trunk: Latency,
    /// Packets that the queue of each link holds.
    pub queue_packets: usize,
    /// Of a dumbbell: so many more narrow wires in a row before the medium's, of its rate and overhead, each with the
    /// access point's discipline and the trunk's latency.
    pub hops: u16,
}

impl Default for Wired {
    /// 100 Mb/s, 1 ms, 1000 packets.
    fn default() -> Self {
        Wired { rate_bps: 100_000_000, trunk: Latency::both(1_000_000), queue_packets: 1000, hops: 0 }
    }
}

impl App {
    /// The part of a run of `scenario` in which it is measured, ns.
    pub fn measured(&self, scenario: &Scenario) -> Range<u64> {
        self.measure_ns.as_ref().unwrap_or(&scenario.measure_ns).clone()
    }

    /// Latency of its servers' access links in `scenario`, whose application it is.
    pub fn latency(&self, scenario: &Scenario) -> Latency {
        match self.servers {
            Servers::Own(latency) | Servers::Behind(_, latency) => latency,
            Servers::Shared(server) => scenario.servers[server].access.latency,
        }
    }

    /// The stations where its users are.
    pub fn stations(&self) -> Range<usize> {
        self.station..self.station + self.users.stations as usize
    }

    /// Congestion control of its connections in a scenario with that TCP; None: it sends UDP.
    pub fn congestion(&self, tcp: &tcp::Config) -> Option<tcp::Algorithm> {
        self.kind.congestion(self.tcp.as_deref().unwrap_or(tcp).congestion)
    }

    /// The longest IP packet that it sends, where TCP's segments carry so much, bytes.
    pub fn longest_packet(&self, mss: u32) -> u32 {
        match (self.kind.protocol(), &self.kind) {
            (Protocol::Tcp, _) => self.tcp.as_ref().map_or(mss, |own| own.mss) + TCP_HEADERS,
            (Protocol::Udp, AppKind::Udp(udp)) => udp.bytes,
            (Protocol::Udp, AppKind::Replay(replay)) => replay.packets.longest(),
            (Protocol::Udp, kind) => {
                let constant = [false, true].map(|up| kind.constant(up).map(|stream| stream.bytes));
                constant.into_iter().flatten().max().unwrap_or(MTU)
            }
        }
    }

    /// Whether its longest packet fits into the TXOP of its access category, at the fastest that its station's
    /// frames go in that cell, with segments of TCP that carry `mss` bytes.
    ///
    /// # Errors
    /// Says how far it does not, and what is allowed.
    pub fn fits_txop(&self, cell: &CellConfig, speed: Speed, mss: u32) -> Result<(), Broken> {
        let bytes = self.longest_packet(mss);
        let Some((frame_ns, txop_ns)) = cell.beyond_txop(self.access, speed.rate, bytes) else {
            return Ok(());
        };
        let [frame, txop] = [frame_ns, txop_ns].map(|ns| Unit::Ns.format(ns));
        let name = Category::NAMES[self.access as usize];
        let message = format!(
            "{name}: a packet of {bytes} bytes takes {frame} at {speed}, and its TXOP is {txop}: a faster rate, smaller packets, another category, or txop = false in [wifi]"
        );
        Err(Broken { key: "access", message })
    }

    /// Flows of all of its users at a time.
    pub fn flows(&self) -> usize {
        self.users.count as usize * usize::from(self.kind.flows())
    }
}

impl App {
    /// The rules about it alone that it breaks.
    pub fn broken(&self) -> impl Iterator<Item = Broken> {
        let Range { start, end } = self.active_ns;
        let (from, to) = (Unit::Ns.format(start), Unit::Ns.format(end));
        let active_ns = end.saturating_sub(start);
        let Users { count, within_ns, stations } = self.users;
        let rules = [
            Broken::unless(
                start < end,
                "stop",
                format!("from {from} to {to} is no time: stop must be after start"),
            ),
            Broken::unless((1..=MAX_USERS).contains(&count), "users", format!("{count}: 1 to {MAX_USERS}")),
            Broken::unless(
                (1..=count).contains(&stations),
                "stations",
                format!("{stations}: 1 to as many as it has users, which are {count}"),
            ),
            Broken::unless(self.computer > 0, "computer", "0: 1 to 255"),
            Broken::unless(
                within_ns == 0 || within_ns < active_ns,
                "within",
                format!("its users must begin before it stops: less than {}", Unit::Ns.format(active_ns)),
            ),
            self.kind.check(),
        ];
        rules.into_iter().filter_map(Result::err)
    }
}

impl Scenario {
    /// The access links of all servers: first of those that applications share, then the applications' own, of
    /// each as many as `own` says; and of each application the number of its first server.
    pub fn access_links(&self, own: impl Fn(&App) -> usize) -> (Vec<Access>, Vec<u16>) {
        let mut links: Vec<_> = self.servers.iter().map(|server| server.access).collect();
        let first = |app: &App| match app.servers {
            Servers::Shared(server) => server as u16,
            Servers::Own(latency) | Servers::Behind(_, latency) => {
                let hop = if let Servers::Behind(node, _) = app.servers { node } else { 0 };
                let access = Access { rate_bps: self.wired.rate_bps, latency, hop };
                let first = links.len() as u16;
                links.extend(std::iter::repeat_n(access, own(app)));
                first
            }
        };
        let firsts = self.apps.iter().map(first).collect();
        (links, firsts)
    }

    /// What must hold before a scenario can run.
    ///
    /// # Errors
    /// Says which entry is wrong and what is allowed.
    pub fn check(&self) -> Result<(), String> {
        let unless = |ok: bool, message: String| if ok { Ok(()) } else { Err(message) };
        let inside = |r: &Range<u64>| r.start < r.end && r.end <= self.duration_ns;
        unless(inside(&self.measure_ns), "the measured part must lie inside the run".into())?;
        for MeasureWindow { name, part_ns, step_ns } in &self.windows {
            unless(inside(part_ns), format!("window {name}: must lie inside the run"))?;
            unless(*step_ns != Some(0), format!("window {name}: its steps must not be empty"))?;
        }
        self.check_changes()?;
        let stations = self.stations.len();
        unless((1..=MAX_STATIONS).contains(&stations), format!("{stations} stations: 1 to {MAX_STATIONS}"))?;
        unless(!self.apps.is_empty(), "at least one application is needed".into())?;
        let flows: usize = self.apps.iter().map(App::flows).sum();
        unless(flows <= usize::from(u16::MAX), format!("{flows} flows of all applications: at most 65535"))?;
        let servers = self.servers.len();
        let many = format!("{flows} flows of all applications and {servers} servers: together at most 65535");
        unless(flows + servers <= usize::from(u16::MAX), many)?;
        let rates = self.servers.iter().map(|server| server.access.rate_bps);
        let wires = rates.chain([self.wired.rate_bps]).all(|rate| rate > 0);
        unless(wires, "the rate of wired links must not be 0".into())?;
        let hops = self.wired.hops;
        unless(
            hops == 0 || self.medium.wire().is_some(),
            "only a dumbbell has narrow wires in a row".into(),
        )?;
        if let Some(mesh) = self.medium.mesh() {
            self.check_mesh(mesh)?;
        }
        for Server { name, access } in &self.servers {
            let hop = access.hop;
            let told =
                format!("server {name}: {hops} narrow wires are before the last one, and it is behind {hop}");
            unless(hop <= hops || self.medium.mesh().is_some(), told)?;
        }
        unless(self.medium.attempts() > 0, "a frame needs at least one attempt".into())?;
        self.medium.check()?;
        for station in &self.stations {
            let p = station.loss.data_error_rate();
            unless(
                (0.0..=1.0).contains(&p),
                format!("station {}: frame error rate {p}: 0 to 1", station.name),
            )?;
            let name = &station.name;
            let Some(phy) = self.medium.phy() else {
                station.check_wired().map_err(|e| format!("station {name}: {e}"))?;
                continue;
            };
            station.check_link(self.medium.cell(), &phy).map_err(|e| format!("station {name}: {e}"))?;
            unless(
                station.asleep.is_none() || self.medium.cell().is_some_and(CellConfig::has_driver),
                format!("station {name}: asleep: only where the access point's driver has a ring above 1"),
            )?;
            unless(
                station.walk.is_none()
                    || station.loss.at_distance(1.0).is_some() && self.medium.cell().is_some(),
                format!("station {name}: walk: only in a cell where frames are lost by a distance"),
            )?;
            if let Some(access) = &station.access {
                let no_cell = || Err("access: nobody contends on the emulated link: only in a cell".into());
                let checked = self.medium.cell().map_or_else(no_cell, |cell| cell.check_access(access));
                checked.map_err(|e: String| format!("station {name}: {e}"))?;
            }
            let Some(uplink) = &station.uplink else { continue };
            uplink.check().map_err(|e| format!("station {name}: uplink: {e}"))?;
            unless(
                self.medium.cell().is_some(),
                format!(
                    "station {name}: uplink: the emulated link passes on at once what a station sends: no queue"
                ),
            )?;
        }
        unless(
            self.takes_turns_together(),
            "access: tcf: only where every contender has it, the access point too: say it in [wifi] alone"
                .into(),
        )?;
        for (i, app) in self.apps.iter().enumerate() {
            let name = &app.name;
            let last = app.stations().end.saturating_sub(1).max(app.station);
            unless(last < stations, format!("application {name}: no station number {last}"))?;
            let behind = matches!(app.servers, Servers::Behind(..));
            let meshed = self.medium.mesh().is_some();
            unless(
                behind == meshed,
                format!("application {name}: its servers are behind a node, in a mesh, and only there"),
            )?;
            if let Servers::Shared(server) = app.servers {
                unless(server < servers, format!("application {name}: no server number {server}"))?;
            }
            app.broken().next().map_or(Ok(()), |e| Err(format!("application {name}: {e}")))?;
            for station in &self.stations[app.stations()] {
                let fits = |cell| app.fits_txop(cell, station.speed, self.tcp.mss);
                self.medium.cell().map_or(Ok(()), fits).map_err(|e| format!("application {name}: {e}"))?;
            }
            unless(
                self.medium.cell().is_some() || !app.kind.saturates(true),
                format!(
                    "application {name}: rate: {} has no uplink queue that could be kept full",
                    if self.medium.wire().is_some() { "the wire" } else { "the emulated link" }
                ),
            )?;
            unless(
                app.measure_ns.as_ref().is_none_or(inside),
                format!("application {name}: its measured part must lie inside the run"),
            )?;
            unless(
                self.apps[..i].iter().all(|a| a.name != *name),
                format!("application {name}: the name is taken"),
            )?;
        }
        Ok(())
    }
}

/// Of TCP and IPv4, bytes.
const TCP_HEADERS: u32 = 40;
/// The longest packet of what sends them full, bytes.
const MTU: u32 = 1500;
/// Stations that one cell takes: association numbers of 802.11 end there.
pub const MAX_STATIONS: usize = 2007;
/// Users of one application.
pub const MAX_USERS: u32 = 10_000;
