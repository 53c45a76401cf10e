// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Scenarios and drivers that several tests share.
#![allow(dead_code)] // each test file uses its own part

pub use airtab_core::time::{MS, SECOND as S};
use airtab_core::{Discipline, Handle, Key, Meta, Params, Phy, Pool, Qdisc, Tx};
use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::video::{Fec, Frames};
use airtab_sim::traffic::web::{Client, Pages};
use airtab_sim::traffic::{
    Download, Game, Http, Mpeg, P2p, Points, Proshare, Streaming, Udp, Upload, Video, Voip, Web,
};
use airtab_sim::wifi::{Category, CellConfig, Loss, Medium, MediumConfig, Output, Speed};
use airtab_sim::{App, AppKind, Latency, Scenario, Servers, Station, Users, Wired};

pub fn phy(name: &str) -> Phy {
    Phy::named(name).expect("a profile of the core")
}

/// The names of all disciplines that there are.
pub fn disciplines() -> impl Iterator<Item = &'static str> {
    airtab_core::disciplines().map(Discipline::name)
}

/// Parameters of a discipline with a limit of `limit` packets.
pub fn queue(name: &str, limit: u32) -> Params {
    let mut params = Params::new(Discipline::named(name).expect("registered"));
    params.set("limit", &limit.to_string()).expect("in range");
    // Where stations or classes have limits of their own, the common one decides.
    let own = |name: &str| name == "station_limit" || name == "class_limit";
    if let Some(own) = params.discipline().params().iter().find(|p| own(p.name)) {
        params.set(own.name, &u64::from(limit).min(own.max).to_string()).expect("in range");
    }
    params
}

/// The same where nothing is dropped before that limit is reached.
pub fn roomy(name: &str, limit: u32) -> Params {
    let mut params = queue(name, limit);
    if name == "fred" {
        // Of each flow it takes no more than `min`.
        params.set("min", "65535").expect("in range");
        params.set("max", "65535").expect("in range");
    }
    if name == "cbt" {
        // A class with no more packets than that is not looked at.
        params.set("guard", "65535").expect("in range");
    }
    // Limits that follow the link, or are a class's own, are out of reach.
    let beyond: &[(&str, &str)] = match name {
        "wqm" => &[("least", "65535")],
        "dnb" => &[("limits", "65535")],
        "astar" => &[("law", "ebdp"), ("burst", "65535")],
        _ => &[],
    };
    for (key, value) in beyond {
        params.set(key, value).expect("in range");
    }
    params
}

pub fn station(name: &str, rate_kbps: u32, distance_m: f64) -> Station {
    Station {
        name: name.into(),
        speed: rate_kbps.into(),
        loss: Loss::at(distance_m),
        uplink: None,
        asleep: None,
        walk: None,
        access: None,
    }
}

/// The cell of a scenario that has one.
pub fn cell(scenario: &mut Scenario) -> &mut CellConfig {
    match &mut scenario.medium {
        MediumConfig::Dcf(cell) => cell,
        other => panic!("{other:?} is no cell"),
    }
}

/// The CHAP study's home: game, call and one CUBIC download at 1 m.
pub fn home() -> Scenario {
    let app = |name: &str, kind, station, active_ns, class| App {
        name: name.into(),
        kind,
        station,
        active_ns,
        class,
        users: Users::ONE,
        measure_ns: None,
        servers: Servers::Own(Latency::both(MS)),
        access: Category::default(),
        computer: 1,
        tunnel: false,
        arrivals: false,
        phase_ns: None,
        requirement: None,
        tcp: None,
    };
    let download = AppKind::Download(Download::endless(Algorithm::Cubic));
    Scenario {
        name: "home".into(),
        duration_ns: 330 * S,
        measure_ns: 90 * S..270 * S,
        medium: CellConfig::new(phy("phy-a")).into(),
        wired: Wired::default(),
        servers: Vec::new(),
        tcp: Config::home(),
        scored: Default::default(),
        windows: Vec::new(),
        changes: Vec::new(),
        stations: ["console", "phone", "laptop"].map(|name| station(name, 54_000, 1.0)).to_vec(),
        apps: vec![
            app("game", AppKind::Game(Game), 0, 30 * S..330 * S, 0),
            app("call", AppKind::Voip(Voip), 1, 30 * S..330 * S, 0),
            app("download", download, 2, 90 * S..270 * S, 1),
        ],
    }
}

/// [`quick_home`] over the emulated link; the download loses a quarter of its frames.
pub fn emulated_home() -> Scenario {
    let mut home = quick_home();
    home.medium = MediumConfig::emulator(phy("d7.1"), 0);
    for station in &mut home.stations {
        station.loss = Loss::None;
    }
    home.stations[2].loss = Loss::Fer(0.25);
    home
}

/// [`home`] with a video, web pages and a peer-to-peer client on three more
/// stations.
pub fn whole_home() -> Scenario {
    let mut home = home();
    let kinds = [
        AppKind::Video(Video { frames: Frames::synthetic(), fec: Fec::Small }),
        AppKind::Web(Web { pages: Pages::Drawn, client: Client::Loader }),
        AppKind::P2p(P2p { flows: 3, congestion: Algorithm::NewReno, upload: false }),
    ];
    for kind in kinds {
        let (name, active_ns) = (kind.name(), 30 * S..330 * S);
        let station_number = home.stations.len();
        home.stations.push(station(name, 54_000, 1.0));
        home.apps.push(App {
            name: name.into(),
            kind,
            station: station_number,
            active_ns,
            class: 0,
            users: Users::ONE,
            measure_ns: None,
            servers: Servers::Own(Latency::both(MS)),
            access: Category::default(),
            computer: 1,
            tunnel: false,
            arrivals: false,
            phase_ns: None,
            requirement: None,
            tcp: None,
        });
    }
    home
}

/// The kinds of applications that [`whole_home`] has not, on a station each.
pub fn other_home() -> Scenario {
    let mut home = home();
    let congestion = Algorithm::Cubic;
    let kinds = [
        AppKind::Udp(Udp {
            rate: Rate::Mean(2_000_000),
            bytes: 1500,
            gaps: Gaps::Exponential,
            upload: false,
        }),
        AppKind::Upload(Upload::endless(congestion)),
        AppKind::P2p(P2p { flows: 3, congestion, upload: true }),
        AppKind::Streaming(Streaming {
            ladder: [500_000, 1_000_000, 2_000_000, 4_000_000].into(),
            segment_ns: S,
            buffer_ns: 20 * S,
            congestion,
        }),
    ];
    home.stations = kinds.iter().map(|kind| station(kind.name(), 54_000, 1.0)).collect();
    home.apps = (0..)
        .zip(kinds)
        .map(|(station, kind)| App {
            name: kind.name().into(),
            kind,
            station,
            active_ns: 30 * S..330 * S,
            class: 0,
            users: Users::ONE,
            measure_ns: None,
            servers: Servers::Own(Latency::both(MS)),
            access: Category::default(),
            computer: 1,
            tunnel: false,
            arrivals: false,
            phase_ns: None,
            requirement: None,
            tcp: None,
        })
        .collect();
    home
}

/// The traffic of the CBT study, on a station each, beside a download.
pub fn study_home() -> Scenario {
    let mut home = home();
    home.apps.retain(|app| app.name == "download");
    home.tcp = Config::bsd44();
    let course = Points::new([(60 * S, 0), (120 * S, 2_000_000), (180 * S, 0), (240 * S, 1_000_000)]);
    let blast = Udp { rate: Rate::Course(course), bytes: 1061, gaps: Gaps::Jitter(100_000), upload: false };
    let kinds = [
        AppKind::Proshare(Proshare::STUDY),
        AppKind::Mpeg(Mpeg::study()),
        AppKind::Udp(blast),
        AppKind::Http(Http { browsers: 60, connections: 8, think_ns: 3 * S, ..Http::STUDY }),
    ];
    for kind in kinds {
        let (name, station_number) = (kind.name(), home.stations.len());
        home.stations.push(station(name, 54_000, 1.0));
        let app = App {
            name: name.into(),
            kind,
            station: station_number,
            active_ns: 30 * S..330 * S,
            ..home.apps[0].clone()
        };
        home.apps.push(app);
    }
    home
}

/// A tenth of [`home`]'s schedule.
pub fn quick_home() -> Scenario {
    quick(home())
}

/// A tenth of a schedule.
pub fn quick(mut home: Scenario) -> Scenario {
    let scale = |r: &std::ops::Range<u64>| r.start / 10..r.end / 10;
    home.duration_ns /= 10;
    home.measure_ns = scale(&home.measure_ns);
    for app in &mut home.apps {
        app.active_ns = scale(&app.active_ns);
    }
    home
}

/// A medium whose stations (or access point) always have a packet to send.
pub struct Saturated {
    pub cell: Medium,
    pool: Pool<u32>,
    bytes: u32,
    /// By station.
    categories: Vec<Category>,
    now: u64,
    /// Per sender, since the last reset: contender 0 is the access point.
    pub reports: Vec<Vec<Tx>>,
    /// Packets that arrived, per sender.
    pub arrived: Vec<u64>,
}

impl Saturated {
    /// `down`: the access point sends to station 0; else every station sends.
    pub fn new(
        config: impl Into<MediumConfig>,
        stations: &[(u32, Loss)],
        bytes: u32,
        down: bool,
        seed: u64,
    ) -> Saturated {
        Saturated::deep(config, stations, bytes, down, seed, 2, Category::BestEffort)
    }

    /// The same with `depth` packets of a category at each sender.
    pub fn deep<S: Into<Speed> + Copy>(
        config: impl Into<MediumConfig>,
        stations: &[(S, Loss)],
        bytes: u32,
        down: bool,
        seed: u64,
        depth: usize,
        category: Category,
    ) -> Saturated {
        Saturated::of_categories(config, stations, bytes, down, seed, depth, &vec![category; stations.len()])
    }

    /// [`Saturated::deep`] with a category for each station.
    pub fn of_categories<S: Into<Speed> + Copy>(
        config: impl Into<MediumConfig>,
        stations: &[(S, Loss)],
        bytes: u32,
        down: bool,
        seed: u64,
        depth: usize,
        categories: &[Category],
    ) -> Saturated {
        let names: Vec<String> = (0..stations.len()).map(|i| format!("sta{i}")).collect();
        let with_names: Vec<_> =
            names.iter().zip(stations).map(|(name, &(speed, loss))| (name.as_str(), speed, loss)).collect();
        let mut pool = Pool::new();
        let qdisc = Qdisc::new(&pool, &queue("fifo", 10 + depth as u32), 0, 0);
        let mut cell = Medium::new(config.into(), &with_names, qdisc, seed);
        for (i, category) in categories.iter().enumerate() {
            for _ in 0..depth {
                let packet = new_packet(&mut pool, i, bytes, *category);
                if down {
                    cell.send_down(&mut pool, packet, 0);
                } else {
                    cell.send_up(&mut pool, i, packet, 0);
                }
            }
        }
        let senders = stations.len() + 1;
        let (reports, arrived) = (vec![Vec::new(); senders], vec![0; senders]);
        let categories = categories.to_vec();
        Saturated { cell, pool, bytes, categories, now: 0, reports, arrived }
    }

    /// Runs until `until`, ns.
    pub fn run(&mut self, until: u64) {
        while self.cell.next_event() <= until {
            self.now = self.cell.next_event();
            self.cell.advance(&mut self.pool, self.now);
            while let Some(output) = self.cell.poll() {
                match output {
                    Output::Down(p) => self.arrived(0, p),
                    Output::Up(p) => self.arrived(usize::from(self.pool.sta(p)) + 1, p),
                    Output::Lost(p) => {
                        self.pool.remove(p);
                    }
                    Output::Sent { down, label, tx, .. } => {
                        self.reports[if down { 0 } else { label as usize + 1 }].push(tx);
                        let category = self.categories[label as usize];
                        let packet = new_packet(&mut self.pool, label as usize, self.bytes, category);
                        if down {
                            self.cell.send_down(&mut self.pool, packet, self.now);
                        } else {
                            self.cell.send_up(&mut self.pool, label as usize, packet, self.now);
                        }
                    }
                    Output::Dequeued(_) => {}
                    other => panic!("nothing else happens here: {other:?}"),
                }
            }
        }
        self.now = until;
    }

    fn arrived(&mut self, sender: usize, packet: Handle) {
        self.arrived[sender] += 1;
        self.pool.remove(packet);
    }
}

/// A packet to or from station `i`; flow and label are its station's number.
fn new_packet(pool: &mut Pool<u32>, i: usize, bytes: u32, category: Category) -> Handle {
    let key = Key { dscp: category.dscp(), ..Key::default() };
    pool.insert(Meta { bytes, flow: i as u32, sta: i as u16, key: Some(key), ..Meta::default() }, i as u32)
}
