// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What scenario files mean.

use airtab_core::time::{MS, SECOND};
use airtab_scenario::{FileError, HOME, QueueSpec, ScenarioFile, tcp_settings};
use airtab_sim::tcp::congestion::{Form, TcpApConfig, TcpDConfig, VegasConfig, WestwoodFilter};
use airtab_sim::tcp::{Algorithm, Config, Recovery};
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::video::{Fec, Frames};
use airtab_sim::traffic::web::{Client, Pages, Site};
use airtab_sim::traffic::{
    Constant, Cut, Download, Game, Http, Mpeg, P2p, Ping, Points, Proshare, Streaming, Sweep, Udp, Upload,
    Video, Voip, Volume, Web,
};
use airtab_sim::wifi::{
    AccessMethod, AccessRule, Backoff, DeliverOn, IdleWindow, Loss, MediumConfig, Shadowing, SlotLaw, Windows,
};
use airtab_sim::{Access, AppKind, Latency, Scored, Servers, Users};

#[test]
fn the_built_in_home() {
    let file = ScenarioFile::parse("any.toml", HOME).unwrap();
    let s = &file.scenario;
    assert_eq!((s.name.as_str(), s.duration_ns), ("home", 330 * SECOND));
    assert_eq!(s.measure_ns, 90 * SECOND..270 * SECOND);
    assert_eq!((s.medium.phy().unwrap().name(), s.medium.attempts()), ("phy-a", 7));
    assert_eq!((s.wired.rate_bps, s.wired.trunk), (100_000_000, Latency::both(MS)));
    assert_eq!(s.tcp, Config::home());
    assert!(s.stations.iter().all(|s| s.speed.kbps() == 54_000));
    assert!(s.stations.iter().all(|s| s.loss == Loss::at(1.0)));
    let apps: Vec<_> = s.apps.iter().map(|a| (a.name.as_str(), a.kind.clone(), a.station, a.class)).collect();
    let video = AppKind::Video(Video { frames: Frames::synthetic(), fec: Fec::None });
    let download = AppKind::Download(Download::endless(Algorithm::Cubic));
    assert_eq!(
        apps,
        [
            ("game", AppKind::Game(Game), 0, 0),
            ("call", AppKind::Voip(Voip), 1, 0),
            ("video", video, 2, 0),
            ("web", AppKind::Web(Web { pages: Pages::Drawn, client: Client::Loader }), 3, 0),
            ("download", download, 4, 1)
        ]
    );
    assert_eq!(s.apps[0].active_ns, 30 * SECOND..330 * SECOND);
    assert_eq!(s.apps[4].active_ns, 90 * SECOND..270 * SECOND);
    assert!(s.apps.iter().all(|a| a.servers == Servers::Own(Latency::both(MS))));
    for name in ["spq", "chap", "fifo"] {
        let spec: QueueSpec = name.parse().unwrap();
        assert_eq!(spec.build(&file.queues).unwrap().get("limit"), Some(&[35][..]), "{name}");
    }
    let linux: QueueSpec = "fq_codel".parse().unwrap();
    let params = linux.build(&file.queues).unwrap();
    assert_eq!(params.get("limit"), Some(&[10_240][..]), "Linux's default stays");
}

#[test]
fn the_least_that_a_file_must_say() {
    let text = "duration = \"10s\"\n[[station]]\nname = \"a\"\n[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"a\"";
    let s = ScenarioFile::parse("dir/small.toml", text).unwrap().scenario;
    assert_eq!((s.name.as_str(), s.measure_ns), ("small", 0..10 * SECOND));
    assert_eq!((s.apps[0].active_ns.clone(), s.apps[0].class), (0..10 * SECOND, 0));
    assert_eq!((s.apps[0].servers, s.apps[0].phase_ns), (Servers::Own(Latency::both(MS)), None));
    assert_eq!((s.stations[0].speed.kbps(), s.stations[0].loss), (54_000, Loss::at(1.0)));
}

/// What is to differ from a profile, and what a distance means.
#[test]
fn constants_of_the_cell() {
    let read = |wifi: &str| {
        let station = "[[station]]\nname = \"s\"\ndistance = 10\nrate = \"11Mb/s\"\n";
        let app = "[[app]]\nname = \"v\"\nkind = \"voip\"\nstation = \"s\"\n";
        ScenarioFile::parse("w.toml", &format!("duration = \"1s\"\n[wifi]\n{wifi}\n{station}{app}")).unwrap()
    };
    let file = read(
        r#"
        phy = "std-11b"
        slot = "9us"
        sifs = "16us"
        preamble = "96us"
        cw_min = 15
        cw_max = 255
        ack_rate = "11Mb/s"
        eifs_rate = "2Mb/s"
        beacon_rate = "5.5Mb/s"
        path_loss_exponent = 2.5
        shadowing_deviation = 4
        link_margin = 29
    "#,
    );
    let cell = file.scenario.medium.cell().unwrap();
    let phy = cell.phy;
    assert_eq!((phy.slot_ns(), phy.sifs_ns(), phy.difs_ns()), (9_000, 16_000, 34_000));
    assert_eq!((phy.cw_min(), phy.cw_max()), (15, 255));
    // 96 us and 112 bits at 11 and at 2 Mb/s.
    assert_eq!((phy.ack_ns(1_000), phy.eifs_ns()), (106_182, 16_000 + 152_000 + 34_000));
    assert_eq!(cell.beacon.unwrap().kbps, 5_500);
    let by = Shadowing { exponent: 2.5, deviation_db: 4.0, margin_db: 29.0 };
    assert_eq!(file.scenario.stations[0].loss, Loss::Shadowing { distance_m: 10.0, by });
    // One deviation above the threshold at 10 m.
    assert!((file.scenario.stations[0].loss.frame_error_rate() - 0.158_655).abs() < 1e-6);
    let change = airtab_scenario::station_change(&file, 0, (11_000.into(), Loss::None), "distance", "20m");
    assert_eq!(
        change,
        Ok((11_000.into(), Loss::Shadowing { distance_m: 20.0, by })),
        "also in a running house"
    );
    let mixed = read("phy = \"std-11bg\"");
    assert_eq!(mixed.scenario.medium.cell().unwrap().beacon.unwrap().kbps, 1_000);
    assert_eq!(mixed.scenario.stations[0].speed.kbps(), 11_000);
}

#[test]
fn every_key_arrives() {
    let text = r#"
        name = "all"
        duration = "1min"
        measure = ["500ms", "59s"]
        mos_direction = "down"
        [wifi]
        phy = "std-11b"
        backoff = "bianchi"
        eifs = false
        deliver_on = "ack"
        attempts = 5
        beacon_interval = "50ms"
        beacon_bytes = 200
        uplink_packets = 77
        [wired]
        rate = "1Gb/s"
        trunk_latency = "2.5ms"
        queue = 88
        [tcp]
        profile = "linux"
        [queue]
        limit = 50
        chap = { increment = "10ms", profile = "faithful" }
        spq.classes = 3
        spq.limit = 60
        [[station]]
        name = "far away"
        rate = "5.5Mb/s"
        distance = "12.5 m"
        [[station]]
        name = "lossy"
        fer = 0.25
        [[app]]
        name = "d"
        kind = "download"
        congestion = "bic"
        reconnect = "1500ms"
        station = "lossy"
        start = "1s"
        stop = "50s"
        class = 4
        latency = "150ms"
        [[app]]
        name = "v"
        kind = "video"
        fec = "large"
        trace = "synthetic-two-phase"
        station = "lossy"
        [[app]]
        name = "p"
        kind = "p2p"
        congestion = "compound"
        flows = 7
        station = "lossy"
        [[app]]
        name = "q"
        kind = "p2p"
        station = "lossy"
        [[app]]
        name = "u"
        kind = "udp"
        rate = "13.5Mb/s"
        bytes = 1528
        gaps = "exponential"
        station = "lossy"
        measure = ["2s", "2500ms"]
        [[app]]
        name = "w"
        kind = "udp"
        rate = "64kb/s"
        station = "lossy"
        [[app]]
        name = "up"
        kind = "upload"
        congestion = "newreno"
        station = "lossy"
        [[app]]
        name = "both"
        kind = "p2p"
        flows = 2
        upload = true
        station = "lossy"
        [[app]]
        name = "film"
        kind = "streaming"
        ladder = ["1Mb/s", "2.5Mb/s"]
        segment = "2s"
        buffer = "30s"
        congestion = "newreno"
        station = "lossy"
        [[app]]
        name = "film 2"
        kind = "streaming"
        station = "lossy"
        [[app]]
        name = "front page"
        kind = "web"
        site = "cnn"
        reading = "3s"
        client = "chromium"
        station = "lossy"
        [[app]]
        name = "other page"
        kind = "web"
        site = "yahoo"
        station = "lossy"
        users = 40
        within = "20s"
        [[app]]
        name = "host"
        kind = "ping"
        interval = "250ms"
        bytes = 60
        station = "lossy"
        [[app]]
        name = "other host"
        kind = "ping"
        station = "lossy"
    "#;
    let file = ScenarioFile::parse("all.toml", text).unwrap();
    let s = &file.scenario;
    assert_eq!((s.duration_ns, s.measure_ns.clone()), (60 * SECOND, 500 * MS..59 * SECOND));
    assert_eq!(s.scored, Scored::Down);
    let cell = s.medium.cell().unwrap();
    assert_eq!((cell.phy.name(), cell.backoff), ("std-11b", Backoff::Bianchi));
    assert_eq!((cell.eifs, cell.deliver_on, cell.attempts), (false, DeliverOn::Ack, 5));
    let beacon = cell.beacon.unwrap();
    assert_eq!((beacon.interval_ns, beacon.bytes, cell.uplink_packets), (50 * MS, 200, 77));
    assert_eq!(
        (s.wired.rate_bps, s.wired.trunk, s.wired.queue_packets),
        (1_000_000_000, Latency::both(2_500_000), 88)
    );
    assert_eq!((s.tcp, s.tcp.initial_window), (Config::linux(), 10));
    assert_eq!((s.stations[0].speed.kbps(), s.stations[0].loss), (5_500, Loss::at(12.5)));
    assert_eq!(s.stations[1].loss, Loss::Fer(0.25));
    let app = &s.apps[0];
    assert_eq!(
        app.kind,
        AppKind::Download(Download { reconnect_ns: Some(1_500 * MS), ..Download::endless(Algorithm::Bic) })
    );
    assert_eq!((app.station, app.active_ns.clone()), (1, SECOND..50 * SECOND));
    assert_eq!((app.class, app.servers), (4, Servers::Own(Latency::both(150 * MS))));
    let AppKind::Video(Video { frames, fec }) = &s.apps[1].kind else { panic!("no video") };
    assert_eq!((frames, *fec), (&Frames::synthetic_two_phase(), Fec::Large));
    assert_eq!(
        s.apps[2].kind,
        AppKind::P2p(P2p { flows: 7, congestion: Algorithm::Compound, upload: false })
    );
    assert_eq!(s.apps[3].kind, AppKind::P2p(P2p { flows: 10, congestion: Algorithm::Cubic, upload: false }));
    let udp = |bps, bytes, gaps| AppKind::Udp(Udp { rate: Rate::Mean(bps), bytes, gaps, upload: false });
    assert_eq!(s.apps[4].kind, udp(13_500_000, 1528, Gaps::Exponential));
    assert_eq!(s.apps[5].kind, udp(64_000, 1500, Gaps::Constant));
    assert_eq!(s.apps[6].kind, AppKind::Upload(Upload::endless(Algorithm::NewReno)));
    assert_eq!(s.apps[7].kind, AppKind::P2p(P2p { flows: 2, congestion: Algorithm::Cubic, upload: true }));
    assert_eq!(
        s.apps[8].kind,
        AppKind::Streaming(Streaming {
            ladder: [1_000_000, 2_500_000].into(),
            segment_ns: 2 * SECOND,
            buffer_ns: 30 * SECOND,
            congestion: Algorithm::NewReno
        })
    );
    let AppKind::Streaming(Streaming { ladder, segment_ns, buffer_ns, .. }) = &s.apps[9].kind else {
        panic!("no stream")
    };
    assert_eq!((ladder.len(), ladder[0], ladder[9]), (10, 235_000, 5_800_000));
    assert_eq!((*segment_ns, *buffer_ns), (4 * SECOND, 30 * SECOND));
    let visits = |i: usize, reading_ns| Pages::Site { site: Site::ALL[i], reading_ns };
    let web = |pages, client| AppKind::Web(Web { pages, client });
    assert_eq!(s.apps[10].kind, web(visits(3, 3 * SECOND), Client::Chromium));
    assert_eq!(s.apps[11].kind, web(visits(1, 10 * SECOND), Client::Loader));
    assert_eq!(s.apps[12].kind, AppKind::Ping(Ping { interval_ns: 250 * MS, bytes: 60 }));
    assert_eq!(s.apps[13].kind, AppKind::Ping(Ping { interval_ns: SECOND, bytes: 84 }));
    assert_eq!(
        (s.apps[10].users, s.apps[11].users),
        (Users::at_one(1, 10 * MS), Users::at_one(40, 20 * SECOND))
    );
    assert_eq!((&s.apps[3].measure_ns, &s.apps[4].measure_ns), (&None, &Some(2 * SECOND..2500 * MS)));
    let get = |spec: &str, param: &str| {
        let params = spec.parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        params.get(param).unwrap()[0]
    };
    assert_eq!((get("fifo", "limit"), get("spq", "limit"), get("spq", "classes")), (50, 60, 3));
    assert_eq!((get("chap", "limit"), get("chap", "increment"), get("chap", "profile")), (50, 10 * MS, 1));
    assert_eq!(get("chap:increment=40ms", "increment"), 40 * MS, "the command line wins");
}

/// The applications of the CBT study: the study's values, and every key in its place.
#[test]
fn the_traffic_of_the_study() {
    let read = |app: &str| {
        let app = format!("[[app]]\nname = \"a\"\nstation = \"s\"\n{app}\n");
        let text = format!("duration = \"400s\"\n[[station]]\nname = \"s\"\n{app}");
        ScenarioFile::parse("study.toml", &text).unwrap().scenario.apps.swap_remove(0)
    };
    assert_eq!(read("kind = \"proshare\"").kind, AppKind::Proshare(Proshare::STUDY));
    let own = read(
        "kind = \"proshare\"\nvoice_bytes = 160\nvoice_interval = \"20ms\"\nframe_rate = 30\nframe_bytes = 900\n\
         frame_deviation = 50\nsplit = 500\nspacing = \"2ms\"\nphase = \"3ms\"\nusers = 6",
    );
    let expected = Proshare {
        voice: Constant { period_ns: 20 * MS, bytes: 188 },
        frames_per_second: 30,
        frame_bytes: 900,
        deviation_bytes: 50,
        cut: Cut { payload: 500, spacing_ns: 2 * MS },
    };
    assert_eq!((own.kind, own.phase_ns, own.users), (expected.into(), Some(3 * MS), Users::at_one(6, 0)));
    assert_eq!(read("kind = \"mpeg\"").kind, AppKind::Mpeg(Mpeg::study()));
    let own = read(
        "kind = \"mpeg\"\ni_bytes = 9000\np_bytes = 900\nb_bytes = 90\nsigma = 0.125\nframe_rate = 25\nsplit = 1000\n\
         spacing = \"0s\"\ncourse = [[\"10s\", 1], [\"20s\", 0.5]]",
    );
    let expected = Mpeg {
        frame_bytes: [9000, 900, 90],
        scale: Points::new([(10 * SECOND, 1_000_000), (20 * SECOND, 500_000)]),
        sigma_ppm: 125_000,
        frames_per_second: 25,
        cut: Cut { payload: 1000, spacing_ns: 0 },
    };
    assert_eq!(own.kind, expected.into());
    let AppKind::Mpeg(own) = read("kind = \"mpeg\"\nscale = 0.8").kind else { panic!("no video") };
    assert_eq!(own.scale, Points::constant(800_000));
    assert_eq!(read("kind = \"http\"").kind, AppKind::Http(Http::STUDY));
    let few = Http { browsers: 500, connections: 500, ..Http::STUDY };
    assert_eq!(read("kind = \"http\"\nbrowsers = 500").kind, few.into(), "a connection for each");
    let own = read(
        "kind = \"http\"\nbrowsers = 20\nconnections = 9\nthink = \"7s\"\nobjects = 2.5\nparallel = 6\nobject_bytes = 900\n\
         object_most = 50000\nobject_header = 100\nsigma = 1.25\nrequest = 400",
    );
    let expected = Http {
        browsers: 20,
        connections: 9,
        think_ns: 7 * SECOND,
        objects_ppm: 2_500_000,
        parallel: 6,
        median_bytes: 900,
        sigma_ppm: 1_250_000,
        largest_bytes: 50_000,
        header_bytes: 100,
        request_bytes: 400,
    };
    assert_eq!(own.kind, expected.into());
    // The load of "other" in the study's run of changing loads: five points, in bytes a second 0, 500,000, 800,000, 500,000, 0.
    let blast = read(
        "kind = \"udp\"\nbytes = 1061\njitter = \"10%\"\n\
         course = [[\"90s\", \"0b/s\"], [\"176s\", \"4Mb/s\"], [\"240s\", \"6.4Mb/s\"], [\"304s\", \"4Mb/s\"], [\"390s\", \"0b/s\"]]",
    );
    let points = [(90, 0), (176, 4_000_000), (240, 6_400_000), (304, 4_000_000), (390, 0)];
    let course = Points::new(points.map(|(s, bps)| (s * SECOND, bps)));
    let expected =
        Udp { rate: Rate::Course(course), bytes: 1061, gaps: Gaps::Jitter(100_000), upload: false };
    assert_eq!(blast.kind, expected.into());
}

/// Whoever has a limit of its own needs not take the common one; whoever has none is refused at it.
#[test]
fn an_own_limit_goes_before_the_common_one() {
    let with = |queue: &str| {
        let text = format!("duration = \"1s\"\n[queue]\n{queue}\n[[station]]\nname = \"s\"\n");
        ScenarioFile::parse(
            "q.toml",
            &format!("{text}[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\n"),
        )
    };
    let file = with("limit = 65000\nchap.limit = 70\nchap.increment = \"10ms\"").unwrap();
    let limit = |spec: &str| {
        let params = spec.parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        params.get("limit").unwrap()[0]
    };
    assert_eq!([limit("chap"), limit("chap:limit=40"), limit("fifo")], [70, 40, 65_000]);
    let told = with("limit = 100000\nchap.limit = 70").err().map_or(String::new(), |e| e.to_string());
    assert!(!told.contains("limit: chap: "), "{told}");
    for own in ["", "\nchap.increment = \"10ms\""] {
        let refused = with(&format!("limit = 100000{own}")).unwrap_err().to_string();
        let expected = "q.toml:3:9: [queue] limit: chap: limit: '100000' is outside 1 to 65535";
        assert_eq!(refused.lines().next(), Some(expected), "{own}");
    }
}

/// Latencies by direction, a server that two applications have in common, and fixed phases.
#[test]
fn where_servers_are_and_when_streams_begin() {
    let text = r#"
        duration = "10s"
        [wired]
        rate = "50Mb/s"
        trunk_latency_up = "7ms"
        [[server]]
        name = "far"
        latency = "20ms"
        latency_up = "3ms"
        [[server]]
        name = "thin"
        rate = "2Mb/s"
        [[station]]
        name = "s"
        [[app]]
        name = "game"
        kind = "game"
        station = "s"
        server = "far"
        phase = "3ms"
        [[app]]
        name = "call"
        kind = "voip"
        station = "s"
        latency = "5ms"
        phase = "0ms"
        [[app]]
        name = "film"
        kind = "streaming"
        station = "s"
        latency_up = "9ms"
        [[app]]
        name = "peers"
        kind = "p2p"
        flows = 3
        station = "s"
        server = "thin"
    "#;
    let s = ScenarioFile::parse("servers.toml", text).unwrap().scenario;
    assert_eq!(s.wired.trunk, Latency { down_ns: MS, up_ns: 7 * MS });
    let access = |server: usize| (s.servers[server].name.as_str(), s.servers[server].access);
    let far = Access { rate_bps: 50_000_000, latency: Latency { down_ns: 20 * MS, up_ns: 3 * MS }, hop: 0 };
    let thin = Access { rate_bps: 2_000_000, latency: Latency::both(MS), hop: 0 };
    assert_eq!([access(0), access(1)], [("far", far), ("thin", thin)]);
    let servers: Vec<_> = s.apps.iter().map(|app| app.servers).collect();
    let (call, film) = (Latency::both(5 * MS), Latency { down_ns: MS, up_ns: 9 * MS });
    assert_eq!(servers, [Servers::Shared(0), Servers::Own(call), Servers::Own(film), Servers::Shared(1)]);
    let phases: Vec<_> = s.apps.iter().map(|app| app.phase_ns).collect();
    assert_eq!(phases, [Some(3 * MS), Some(0), None, None]);
    // Those in common first, then each application's own.
    let (links, first) = s.access_links(|app| app.flows());
    let own = |latency| Access { rate_bps: 50_000_000, latency, hop: 0 };
    assert_eq!((links, first), (vec![far, thin, own(call), own(film)], vec![0, 2, 3, 1]));
}

/// As on the command line; what `[queue]` says is about the access point's.
#[test]
fn a_station_may_have_a_discipline_of_its_own() {
    let text = "duration = \"1s\"\nqueue.limit = 50\n[[station]]\nname = \"s\"\n\
        [[station]]\nname = \"t\"\nuplink = \"fq_codel\"\n\
        [[station]]\nname = \"u\"\nuplink = \"chap:limit=70:increment=10ms\"\n\
        [[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\n";
    let stations = ScenarioFile::parse("own.toml", text).unwrap().scenario.stations;
    assert!(stations[0].uplink.is_none());
    let get = |i: usize, name: &str| {
        let own = stations[i].uplink.as_ref().unwrap();
        (own.discipline().name(), own.get(name).unwrap()[0])
    };
    assert_eq!((get(1, "limit"), get(2, "limit")), (("fq_codel", 10240), ("chap", 70)));
    assert_eq!(get(2, "increment"), ("chap", 10 * MS));
}

#[test]
fn beacons_can_be_switched_off() {
    let text = HOME.replace("attempts = 7", "beacon_interval = \"off\"");
    assert!(
        ScenarioFile::parse("quiet.toml", &text).unwrap().scenario.medium.cell().unwrap().beacon.is_none()
    );
}

#[test]
fn the_emulated_link_can_be_chosen() {
    let medium = |wifi: &str| {
        let text = HOME.replace("phy = \"phy-a\"\nattempts = 7", wifi);
        assert_ne!(text, HOME);
        ScenarioFile::parse("emulated.toml", &text).unwrap().scenario.medium
    };
    let emulated = |wifi: &str| match medium(wifi) {
        MediumConfig::Emulator(link) => (link.extra_ns, link.phy.name(), link.attempts),
        other => panic!("{wifi}: {other:?}"),
    };
    assert_eq!(emulated("medium = \"emulator\""), (0, "d7.1", 5));
    assert_eq!(emulated("medium = \"emulator\"\nattempts = 3"), (0, "d7.1", 3));
    let slow = "medium = \"emulator\"\nphy = \"phy-a\"\nattempts = 7\nextra_delay = \"2ms\"";
    assert_eq!(emulated(slow), (2 * MS, "phy-a", 7));
    assert_eq!(medium("medium = \"dcf\"").cell().unwrap().attempts, 7);
}

#[test]
fn the_examples_are_right() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let files: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_file()).collect();
    assert!(files.len() >= 2);
    for file in files {
        ScenarioFile::load(&file).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn the_rates_of_each_profile() {
    let file = |phy: &str, rate: &str| {
        let station = format!("[[station]]\nname = \"s\"\n{rate}\n");
        let app = "[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\n";
        ScenarioFile::parse("rates.toml", &format!("duration = \"1s\"\nwifi.phy = \"{phy}\"\n{station}{app}"))
            .map(|file| file.scenario.stations[0].speed.kbps())
    };
    let ofdm = "6 9 12 18 24 36 48 54";
    let dsss = "1 2 5.5 11";
    // Any between the ends; a few of them.
    let ht = "6.5 13 19.5 65 72.2 150 300 600";
    for (phy, rates, wrong) in [
        ("phy-a", ofdm, "5.5 11 55"),
        ("std-11g", ofdm, "1 11 108"),
        ("std-11a", ofdm, "0 7"),
        ("std-11b", dsss, "6 22 54"),
        ("std-11bg", "1 2 5.5 6 9 11 12 18 24 36 48 54", "5 22"),
        ("d6.3", ofdm, "1"),
        ("d7.1", ofdm, "1"),
        ("starzetz-11b", dsss, "3"),
        ("dnb-11b", dsss, "0.5"),
        ("wqm-11n", ht, "6 600.001 6.5001"),
    ] {
        for rate in rates.split(' ') {
            let kbps = (rate.parse::<f64>().unwrap() * 1e3) as u32;
            assert_eq!(file(phy, &format!("rate = \"{rate}Mb/s\"")).unwrap(), kbps, "{phy}");
        }
        for rate in wrong.split(' ') {
            let message = file(phy, &format!("rate = \"{rate}Mb/s\"")).unwrap_err().to_string();
            assert!(message.contains(&format!("'{rate}Mb/s' is no rate of {phy}: ")), "{message}");
        }
        let highest = rates.split(' ').next_back().unwrap();
        assert_eq!(file(phy, "").unwrap(), highest.parse::<u32>().unwrap() * 1000, "{phy}: the default");
    }
}

/// What differs from a profile, key by key.
#[test]
fn a_profile_can_be_changed() {
    let tcp = |keys: &str| {
        let text = format!(
            "name = \"x\"\nduration = \"10s\"\n[tcp]\n{keys}\n[[station]]\nname = \"a\"\n\
             [[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"a\"\n"
        );
        ScenarioFile::parse("x.toml", &text).map(|file| file.scenario.tcp)
    };
    let home = Config::home();
    let all =
        "pacing = true\ninitial_window = 10\ninitial_ssthresh = 64\ninitial_rto = \"3s\"\nmin_rto = \"1s\"";
    let expected = Config {
        pacing: true,
        initial_window: 10,
        initial_ssthresh: Some(64),
        initial_rto_ns: 3_000 * MS,
        min_rto_ns: 1_000 * MS,
        ..home
    };
    assert_eq!(tcp(all).unwrap(), expected);
    assert_eq!(tcp("rtt = \"timestamps\"").unwrap(), home.with_timestamps());
    assert_eq!(tcp("rtt = \"segment\"").unwrap(), home);
    let all = "mss = 1200\nreceive_window = 64\nack_every = 1\ndelayed_ack = \"100ms\"\nprr = false\ncubic_beta = 0.8";
    let expected = Config {
        mss: 1200,
        receive_window_segments: 64,
        ack_every: 1,
        delayed_ack_ns: 100 * MS,
        prr: false,
        cubic_beta_percent: 80,
        ..home
    };
    assert_eq!(tcp(all).unwrap(), expected);
    let newreno = Config { recovery: Recovery::NewReno, prr: false, ..home };
    assert_eq!(tcp("recovery = \"newreno\"").unwrap(), newreno);
    let timed = Config { mss: 1188, hystart: true, ..home.with_timestamps() };
    assert_eq!(tcp("rtt = \"timestamps\"\nmss = 1200\nhystart = true").unwrap(), timed);
    let untimed = tcp("profile = \"linux\"\nrtt = \"segment\"").unwrap();
    assert_eq!((untimed.mss, untimed.hystart), (1448, false), "the bytes stay");
    assert_eq!(tcp("profile = \"linux\"\nrtt = \"segment\"\nmss = 1200").unwrap().mss, 1188);
    let bsd44 = Config::bsd44();
    assert!(bsd44.recovery != Recovery::Sack && !bsd44.prr);
    let sacked = tcp("profile = \"bsd44\"\nrecovery = \"sack\"").unwrap();
    assert_eq!((sacked.recovery, sacked.prr), (Recovery::Sack, false), "the profile has none");
    let bsd44 = Config { pacing: true, ..Config::bsd44().with_timestamps() };
    assert_eq!(tcp("profile = \"bsd44\"\nrtt = \"timestamps\"\npacing = true").unwrap(), bsd44);
    assert_eq!(tcp("ecn = true").unwrap(), Config { ecn: true, ..Config::home() });
    let unlimited = Config { limited_transmit: false, ..newreno };
    assert_eq!(tcp("recovery = \"newreno\"\nlimited_transmit = false").unwrap(), unlimited);
    assert!(tcp("profile = \"stz\"\nlimited_transmit = true").unwrap().limited_transmit);
    for (profile, form, grid_ns) in [
        ("home", "linux", 0),
        ("home", "rfc6298", 1),
        ("home", "bsd", 500 * MS),
        ("bsd44", "linux", 0),
        ("stz", "bsd", 500 * MS),
    ] {
        let changed = tcp(&format!("profile = \"{profile}\"\nrto = \"{form}\"")).unwrap();
        let whole = tcp(&format!("profile = \"{profile}\"")).unwrap();
        assert_eq!(changed, Config { rto_grid_ns: grid_ns, ..whole }, "{profile}, {form}");
    }
    // ns-2 has one number for the receive window and the first threshold.
    let thresholds = ["", "receive_window = 50", "receive_window = 50\ninitial_ssthresh = 30"]
        .map(|keys| tcp(&format!("profile = \"ns2.35\"\n{keys}")).unwrap().initial_ssthresh);
    assert_eq!(thresholds, [20, 50, 30].map(Some));
    let own = "profile = \"stz\"\nwestwood = { filter = \"round_trip\" }\n\
               vegas = { alpha = 1, beta = 3, gamma = 2, initial_window = 3 }\n\
               tcp_d = { k = 8, eps = 0.9, q = 0.2, form = \"max\", initial_window = 9 }\ntcp_ap = { hops = 4, rate = \"11Mb/s\" }";
    let stz = Config::stz();
    let expected = Config {
        vegas: VegasConfig { alpha: 1, beta: 3, gamma: 2, initial_window: Some(3) },
        westwood: WestwoodFilter::RoundTrip,
        tcp_d: TcpDConfig { k: 8, eps_percent: 90, q_percent: 20, form: Form::Max, initial_window: Some(9) },
        tcp_ap: TcpApConfig { hops: Some(4), rate_bps: Some(11_000_000) },
        ..stz
    };
    assert_eq!(tcp(own).unwrap(), expected);
    // What stz and home have the other way round.
    let own = "recovery = \"reno\"\nwestwood = { filter = \"each_ack\" }\ntcp_d = { initial_window = 9, form = \"min\" }";
    let expected = Config {
        recovery: Recovery::Reno,
        prr: false,
        westwood: WestwoodFilter::EachAck,
        tcp_d: TcpDConfig { initial_window: Some(9), form: Form::Min, ..home.tcp_d },
        ..home
    };
    assert_eq!(tcp(own).unwrap(), expected);
    for bad in ["initial_ssthresh = 0", "min_rto = \"61s\"", "pacing = 1", "ecn = \"yes\"", "rtt = \"karn\""]
    {
        let error = tcp(bad).unwrap_err().to_string();
        assert!(error.contains(bad.split(' ').next().unwrap()), "{bad}: {error}");
    }
}

/// What a command line says is what `[tcp]` says, right or wrong; only quotes are left out.
#[test]
fn tcp_settings_of_a_command_line_are_those_of_a_file() {
    let file = |settings: &[&str]| {
        let text = settings.join("\n");
        let home = HOME.replacen("[wired]", &format!("[tcp]\n{text}\n[wired]"), 1);
        ScenarioFile::parse("x.toml", &home).map(|file| file.scenario.tcp).map_err(|error| match error {
            FileError::Wrong(problems) => problems.into_iter().map(|p| p.message).collect::<Vec<_>>(),
            other => panic!("{other}"),
        })
    };
    for settings in [
        &[][..],
        &["prr = false", "cubic_beta = 0.8", "mss = 1200"],
        &["profile = \"bsd44\"", "min_rto = \"200ms\"", "initial_ssthresh = 64"],
        &["rtt = \"timestamps\"", "hystart = true", "recovery = \"sack\"", "receive_window = 1_000"],
        &["profile = \"stz\"", "vegas.alpha = 3", "tcp_d.eps = 0.9", "tcp_d.form = \"max\""],
        &["vegas.alpha = 5", "vegas.delta = 1"],
        &["min_rot = \"200ms\""],
        &["hystart = true", "prr = 1", "min_rto = 200", "mss = \"a \\\"b\""],
        &["recovery = \"newreno\"", "prr = true"],
        &["cubic_beta = \"most\"", "profile = \"lniux\"", "ack_every = 0"],
    ] {
        let given = |setting: &&str| {
            let (key, value) = setting.split_once(" = ").unwrap();
            format!("{key}={}", value.trim_matches('"').replace("\\\"", "\""))
        };
        let given: Vec<String> = settings.iter().map(given).collect();
        assert_eq!(tcp_settings(&given), file(settings), "{given:?}");
    }
    let wrong = |settings: &[&str]| {
        tcp_settings(&settings.iter().map(|s| s.to_string()).collect::<Vec<_>>()).unwrap_err().join("; ")
    };
    assert_eq!(wrong(&["prr"]), "'prr' is not KEY=VALUE, such as prr=false");
    assert!(
        wrong(&["min_rot=1s"]).starts_with("[tcp] min_rot: no such key; did you mean `min_rto`? (known: ")
    );
    assert_eq!(wrong(&["mss=900", "prr=false", "mss=1000"]), "\"mss\" = 1000: duplicate key");
}

/// Connections have the congestion control of the profile, unless the application says otherwise.
#[test]
fn a_profile_has_its_congestion_control() {
    let text = |profile: &str| {
        format!(
            "name = \"x\"\nduration = \"10s\"\n[tcp]\nprofile = \"{profile}\"\n[[station]]\nname = \"a\"\n\
             [[app]]\nname = \"d\"\nkind = \"download\"\nstation = \"a\"\n\
             [[app]]\nname = \"c\"\nkind = \"upload\"\nstation = \"a\"\ncongestion = \"cubic\"\n"
        )
    };
    let profiles = [
        ("home", Config::home()),
        ("linux", Config::linux()),
        ("bsd44", Config::bsd44()),
        ("stz", Config::stz()),
        ("ns2", Config::ns2()),
        ("ns2.35", Config::ns2_35()),
        ("testbed", Config::testbed()),
    ];
    for (name, config) in profiles {
        let scenario = ScenarioFile::parse("x.toml", &text(name)).unwrap().scenario;
        assert_eq!(scenario.tcp, config);
        let AppKind::Download(Download { congestion, .. }) = scenario.apps[0].kind else {
            panic!("a download")
        };
        assert_eq!(congestion, config.congestion, "{name}");
        assert_eq!(scenario.apps[1].kind, AppKind::Upload(Upload::endless(Algorithm::Cubic)));
    }
}

/// An application has the file's TCP, what it says instead, or a profile of its own with its congestion control.
#[test]
fn an_application_can_have_its_own_tcp() {
    let text = "name = \"x\"\nduration = \"10s\"\ntcp = { profile = \"stz\", ack_every = 3 }\n\
                station = [{ name = \"a\" }]\napp = [\n\
                { name = \"file's\", kind = \"download\", station = \"a\" },\n\
                { name = \"some\", kind = \"download\", station = \"a\", tcp = { recovery = \"reno\", rto = \"bsd\", \
                limited_transmit = true } },\n\
                { name = \"own\", kind = \"web\", station = \"a\", tcp = { profile = \"ns2.35\" } },\n\
                { name = \"mixed\", kind = \"upload\", station = \"a\", tcp = { profile = \"bsd44\" }, congestion = \"bic\" },\n]\n";
    let scenario = ScenarioFile::parse("x.toml", text).unwrap_or_else(|e| panic!("{e}")).scenario;
    let stz = Config { ack_every: 3, ..Config::stz() };
    let some = Config { recovery: Recovery::Reno, rto_grid_ns: 500 * MS, limited_transmit: true, ..stz };
    assert_eq!(scenario.tcp, stz);
    let own: Vec<_> = scenario.apps.iter().map(|app| app.tcp.as_deref().copied()).collect();
    assert_eq!(own, [None, Some(some), Some(Config::ns2_35()), Some(Config::bsd44())]);
    let congestion: Vec<_> = scenario.apps.iter().map(|app| app.congestion(&scenario.tcp)).collect();
    let expected = [Algorithm::NewReno, Algorithm::NewReno, Algorithm::Reno, Algorithm::Bic];
    assert_eq!(congestion, expected.map(Some));
}

/// A transfer of a volume, and a stream whose rate rises: steps of an equal size, the last one to the largest rate.
#[test]
fn volumes_and_rising_rates() {
    let kind = |of: &str| {
        let app = format!("[[app]]\nname = \"a\"\nstation = \"s\"\n{of}");
        let text = format!("duration = \"9s\"\n[[station]]\nname = \"s\"\n{app}");
        ScenarioFile::parse("x.toml", &text).unwrap().scenario.apps[0].kind.clone()
    };
    let download = |volume| AppKind::Download(Download { volume, ..Download::endless(Algorithm::Cubic) });
    let once = kind("kind = \"download\"\nvolume = \"10MB\"");
    assert_eq!(once, download(Volume::Once(10_000_000)));
    assert_eq!(airtab_scenario::words(&once), "download of 10MB (cubic)");
    assert_eq!(kind("kind = \"download\"\nvolume = \"1kB\"\nrepeat = false"), download(Volume::Once(1000)));
    let again = kind("kind = \"upload\"\nvolume = \"10MB\"\nrepeat = true");
    let volume = Volume::Repeated(10_000_000);
    assert_eq!(again, AppKind::Upload(Upload { volume, ..Upload::endless(Algorithm::Cubic) }));
    assert_eq!(airtab_scenario::words(&again), "upload of 10MB, again and again (cubic)");
    for (rest, add_bps) in [("steps = 16", 60_000), ("steps = 7", 137_143), ("add = \"64kb/s\"", 64_000)] {
        let of = format!("rates = {{ start = \"64kb/s\", max = \"1024kb/s\", each = \"60s\", {rest} }}");
        let sweep = Sweep { start_bps: 64_000, max_bps: 1_024_000, add_bps, each_ns: 60 * SECOND };
        let udp = Udp { rate: Rate::Sweep(sweep), bytes: 92, gaps: Gaps::Constant, upload: true };
        let read = kind(&format!("kind = \"udp\"\nupload = true\nbytes = \"92B\"\n{of}"));
        assert_eq!(read, AppKind::Udp(udp));
    }
}

/// Stations that are equal, and applications at some of them.
#[test]
fn stations_in_numbers() {
    let text = |count: &str, rest: &str| {
        format!(
            "duration = \"9s\"\n[[station]]\nname = \"a 3\"\n[[station]]\nname = \"a\"\nrate = \"6Mb/s\"\n{count}\n\
             [[app]]\nname = \"up\"\nkind = \"udp\"\nrate = \"max\"\nupload = true\nstation = \"a\"\n{rest}"
        )
    };
    let parse =
        |count: &str, rest: &str| ScenarioFile::parse("many.toml", &text(count, rest)).map(|f| f.scenario);
    let two = parse("count = 2", "stations = 2").unwrap();
    let names: Vec<&str> = two.stations.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["a 3", "a", "a 2"]);
    assert_eq!(two.stations[2].speed.to_string(), "6 Mb/s");
    assert_eq!((two.apps[0].stations(), two.apps[0].users.count), (1..3, 2));
    let busy = parse("count = 2", "stations = 2\nusers = 5").unwrap();
    assert_eq!((busy.apps[0].stations(), busy.apps[0].users.count), (1..3, 5));
    let refused = |count: &str| parse(count, "").unwrap_err().to_string();
    assert!(refused("count = 3").contains("count: there is a station 'a 3' already; names must differ"));
    assert!(refused("count = 2007").contains("count: '2007' is outside 1 to 2006"));
    assert!(refused("count = 0").contains("count: '0' is outside 1 to 2006"));
}

/// A packet must fit into its TXOP at each station where its application is, not at the first one alone.
#[test]
fn each_station_of_an_application_is_looked_at() {
    let parse = |mcs: u8| {
        let text = format!(
            "duration = \"9s\"\n[wifi]\nphy = \"std-11n\"\naggregation = \"off\"\n[[station]]\nname = \"near\"\nmcs = 7\n[[station]]\nname = \"far\"\nmcs = {mcs}\n\
             [[app]]\nname = \"u\"\nkind = \"udp\"\nrate = \"1Mb/s\"\naccess = \"vo\"\nstation = \"near\"\nstations = 2"
        );
        ScenarioFile::parse("txop.toml", &text).map(|file| file.scenario)
    };
    let mut fits = parse(1).unwrap();
    assert_eq!(fits.check(), Ok(()));
    assert!(
        parse(0).unwrap_err().to_string().contains("[[app]] access: vo: a packet of 1500 bytes takes 1996us")
    );
    fits.stations[1].speed.rate = ScenarioFile::parse("slow.toml", "duration = \"9s\"\n[wifi]\nphy = \"std-11n\"\n[[station]]\nname = \"s\"\nmcs = 0\n[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"")
        .unwrap()
        .scenario
        .stations[0]
        .speed
        .rate;
    assert!(
        fits.check()
            .unwrap_err()
            .starts_with("application u: access: vo: a packet of 1500 bytes takes 1996us")
    );
}

/// Of all, of the access point, of one station; by name, and with keys.
#[test]
fn everybody_may_contend_in_another_way() {
    let with = |wifi: &str, station: &str| {
        let text = format!(
            "duration = \"1s\"\n[wifi]\nphy = \"std-11b\"\n{wifi}\n[[station]]\nname = \"s\"\n{station}\n\
             [[app]]\nname = \"a\"\nkind = \"voip\"\nstation = \"s\"\n"
        );
        let file = ScenarioFile::parse("access.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        (file.scenario.medium.cell().unwrap().clone(), file.scenario.stations[0].access.clone())
    };
    let plain = |rule| AccessMethod { rule, ifs_ns: None };
    let (cell, station) = with("", "");
    assert_eq!((cell.access, cell.ap_access, station), (AccessMethod::default(), None, None));
    assert!(!cell.winners);
    let (cell, station) = with("access = \"tcf\"\nwinners = true", "");
    assert_eq!((cell.access, station, cell.winners), (plain(AccessRule::Tcf), None, true));
    let keys = |written: &str| {
        let (cell, station) = with("ap_access = \"h\"", &format!("access = {written}"));
        assert_eq!(cell.access, AccessMethod::default());
        assert_eq!(cell.ap_access, Some(plain(AccessRule::H { slots: None })));
        station.unwrap()
    };
    let windows = Windows { least: Some(15), most: Some(31) };
    assert_eq!(
        keys("{ rule = \"dcf\", cw_min = 15, cw_max = 31, ifs = \"30us\" }"),
        AccessMethod { rule: AccessRule::Dcf(windows), ifs_ns: Some(30_000) }
    );
    let offset = AccessRule::DcfM { windows: Windows { least: None, ..windows }, offset: Some(12) };
    assert_eq!(keys("{ rule = \"dcf-m\", offset = 12, cw_max = 31 }"), plain(offset));
    let idle = |window| plain(AccessRule::IdleSense(window));
    assert_eq!(keys("\"idle-sense\""), idle(IdleWindow::Optimum));
    assert_eq!(keys("{ rule = \"idle-sense\" }"), idle(IdleWindow::Optimum));
    assert_eq!(keys("{ rule = \"idle-sense\", cw = 60.7 }"), idle(IdleWindow::Fixed(60.7)));
    assert_eq!(keys("{ rule = \"idle-sense\", cw = \"adapt\" }"), idle(IdleWindow::Adapt(5.68)));
    assert_eq!(keys("{ rule = \"idle-sense\", cw = \"adapt\", target = 4 }"), idle(IdleWindow::Adapt(4.0)));
    assert_eq!(keys("{ rule = \"h\", c = 32 }"), plain(AccessRule::H { slots: Some(32) }));
    assert_eq!(keys("{ rule = \"hash1\", c = 64 }"), plain(AccessRule::Hash1 { slots: Some(64) }));
    assert_eq!(
        keys("{ rule = \"geometric\", hazard = 0.05 }"),
        plain(AccessRule::Geometric { hazard: Some(0.05) })
    );
    let law = |residual, doubles, counter| {
        plain(AccessRule::Slots(SlotLaw { weights: vec![3.0, 0.0, 1.5], residual, doubles, counter }))
    };
    assert_eq!(keys("{ rule = \"slots\", weights = [3, 0, 1.5] }"), law(true, true, false));
    let one = |key: &str| keys(&format!("{{ rule = \"slots\", weights = [3, 0, 1.5], {key} = false }}"));
    assert_eq!((one("residual"), one("doubles")), (law(false, true, false), law(true, false, false)));
    assert_eq!(
        keys(
            "{ rule = \"slots\", weights = [3, 0, 1.5], residual = false, doubles = false, order = \"counter\" }"
        ),
        law(false, false, true)
    );
}

/// The cards that a fingerprint tells apart: each in the air alone, and with two others.
#[test]
fn the_cards_are_read() {
    let file = ScenarioFile::parse("cards.toml", include_str!("../../../../scenarios/cards.toml")).unwrap();
    let own = |name: &str| {
        let station = file.scenario.stations.iter().find(|station| station.name == name);
        station.unwrap_or_else(|| panic!("{name}")).access.clone()
    };
    assert_eq!((file.scenario.stations.len(), own("conformant")), (6, None));
    let slots = |name| match own(name).map(|access| access.rule) {
        Some(AccessRule::Slots(law)) => law,
        other => panic!("{name}: {other:?}"),
    };
    let missing = slots("missing");
    let lacking = missing.weights.iter().filter(|weight| **weight == 0.0).count();
    assert_eq!((missing.weights.len(), lacking, missing.counter), (32, 4, false));
    let counter = slots("counter");
    assert_eq!((counter.weights, counter.counter), (vec![1.0; 32], true));
    let dcf = |name| match own(name).map(|access| (access.rule, access.ifs_ns)) {
        Some((AccessRule::Dcf(windows), ifs_ns)) => (windows.least, windows.most, ifs_ns),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(dcf("cwmin-15"), (Some(15), None, None));
    assert_eq!(dcf("no-doubling"), (None, Some(31), None));
    assert_eq!(dcf("short-ifs"), (None, None, Some(10_000)));
}

/// Bulk transfers and saturated streams take all that they get in the directions of their data; no other kind does.
#[test]
fn who_takes_all_that_there_is_takes_it_in_the_directions_of_its_data() {
    use airtab_scenario::{Direction, greedy};
    for (keys, expected) in [
        ("kind = \"download\"", [true, false]),
        ("kind = \"download\"\nvolume = \"1MB\"", [true, false]),
        ("kind = \"upload\"", [false, true]),
        ("kind = \"p2p\"", [true, false]),
        ("kind = \"p2p\"\nupload = true", [true, true]),
        ("kind = \"udp\"\nrate = \"max\"", [true, false]),
        ("kind = \"udp\"\nrate = \"max\"\nupload = true", [false, true]),
        ("kind = \"udp\"\nrate = \"9Mb/s\"", [false, false]),
        ("kind = \"udp\"\nrate = \"9Mb/s\"\nupload = true", [false, false]),
        ("kind = \"streaming\"", [false, false]),
        ("kind = \"responsiveness\"", [false, false]),
        ("kind = \"web\"", [false, false]),
        ("kind = \"voip\"", [false, false]),
        ("kind = \"video\"", [false, false]),
    ] {
        let app = format!("[[app]]\nname = \"a\"\nstation = \"s\"\n{keys}");
        let text = format!("duration = \"9s\"\n[[station]]\nname = \"s\"\n{app}");
        let file = ScenarioFile::parse("x.toml", &text).unwrap_or_else(|e| panic!("{keys}: {e}"));
        let kind = &file.scenario.apps[0].kind;
        assert_eq!(Direction::BOTH.map(|direction| greedy(kind, direction)), expected, "{keys}");
    }
}

/// Switches of an application are its own, and off where it says nothing; stations are counted from its own on.
#[test]
fn switches_of_applications_are_their_own() {
    let app = |name: &str, keys: &str| {
        format!("[[app]]\nname = \"{name}\"\nkind = \"ping\"\nstation = \"a 2\"\n{keys}\n")
    };
    let parse = |keys: &str| {
        let apps = [app("one", "tunnel = true"), app("two", keys), app("three", "")].concat();
        let text = format!("duration = \"9s\"\n[[station]]\nname = \"a\"\ncount = 4\n{apps}");
        ScenarioFile::parse("x.toml", &text).map(|file| file.scenario.apps).map_err(|e| e.to_string())
    };
    let apps = parse("arrivals = true\nclass = 3\naccess = \"vi\"").unwrap();
    let of: Vec<_> = apps.iter().map(|app| (app.tunnel, app.arrivals, app.class, app.access)).collect();
    use airtab_sim::wifi::Category::{BestEffort, Video};
    assert_eq!(of, [(true, false, 0, BestEffort), (false, true, 3, Video), (false, false, 0, BestEffort)]);
    // Three are left from the second on.
    assert_eq!(parse("stations = 3").unwrap()[1].stations(), 1..4);
    assert!(parse("stations = 4").unwrap_err().contains("stations: '4' is outside 1 to 3"));
    let several = parse("arrivals = true\nusers = 2").unwrap_err();
    assert!(several.contains("arrivals: not with several users"), "{several}");
    assert!(parse("arrivals = false\nusers = 2").is_ok());
}

/// An application is measured in a part of its time: one that only touches it is refused at either end.
#[test]
fn a_measured_part_lies_within_the_time_of_its_application() {
    let with = |measure: &str| {
        let app = "[[app]]\nname = \"a\"\nkind = \"ping\"\nstation = \"s\"\nstart = \"2s\"\nstop = \"5s\"\n";
        let text = format!("duration = \"9s\"\n[[station]]\nname = \"s\"\n{app}measure = {measure}\n");
        ScenarioFile::parse("x.toml", &text).err().map(|e| e.to_string())
    };
    for measure in ["[\"1s\", \"2s\"]", "[\"5s\", \"6s\"]"] {
        let told = with(measure).expect(measure);
        assert!(told.contains("measure: nothing is sent then: it sends from 2s to 5s"), "{told}");
    }
    for measure in ["[\"1s\", \"2001ms\"]", "[\"4999ms\", \"9s\"]", "[\"0s\", \"9s\"]"] {
        assert_eq!(with(measure), None, "{measure}");
    }
}

/// Bounds of rates and ladders: each must be above the one before.
#[test]
fn equal_rates_do_not_rise() {
    let told = |keys: &str| {
        let app = format!("[[app]]\nname = \"a\"\nstation = \"s\"\n{keys}\n");
        let text = format!("duration = \"9s\"\n[[station]]\nname = \"s\"\n{app}");
        ScenarioFile::parse("x.toml", &text).err().map_or(String::new(), |e| e.to_string())
    };
    let rates = |max: &str, by: &str| {
        told(&format!(
            "kind = \"udp\"\nrates = {{ start = \"1Mb/s\", max = \"{max}\", each = \"1s\", {by} }}"
        ))
    };
    assert_eq!(rates("1000001b/s", "steps = 1"), "");
    assert!(
        rates("1Mb/s", "steps = 1").contains("rates] max: '1Mbit' is not above start, 1Mbit"),
        "{}",
        rates("1Mb/s", "steps = 1")
    );
    assert!(rates("2Mb/s", "steps = 2, add = \"1Mb/s\"").contains("add: not with steps"));
    let ladder = |rates: &[u32]| {
        let rates: Vec<String> = rates.iter().map(|kbps| format!("\"{kbps}kb/s\"")).collect();
        told(&format!("kind = \"streaming\"\nladder = [{}]", rates.join(", ")))
    };
    let steps = |n: u32| (1..=n).map(|i| 100 * i).collect::<Vec<u32>>();
    assert_eq!([ladder(&[500]), ladder(&steps(30)), ladder(&[1, 2])], ["", "", ""]);
    for wrong in [&[500, 500][..], &steps(31), &[100, 300, 200]] {
        assert!(ladder(wrong).contains("is not a list of 1 to 30 ascending rates"), "{wrong:?}");
    }
    assert!(ladder(&[2, 1_000_001]).contains("'1000001kb/s' is outside 1kbit to 1Gbit"));
}

/// TCP-AP outside of a mesh goes by hops and rate together, whether an application or the profile chooses it.
#[test]
fn tcp_ap_wants_both_hops_and_rate() {
    let with = |tcp: &str, congestion: &str| {
        let app = |name: &str, more: &str| {
            format!("[[app]]\nname = \"{name}\"\nkind = \"download\"\nstation = \"s\"\n{more}\n")
        };
        let apps = [app("plain", ""), app("paced", congestion)].concat();
        let text = format!("duration = \"9s\"\n{tcp}\n[[station]]\nname = \"s\"\n{apps}");
        ScenarioFile::parse("x.toml", &text).err().map_or(String::new(), |e| e.to_string())
    };
    let paced = "congestion = \"tcp_ap\"";
    for tcp in ["", "[tcp.tcp_ap]\nhops = 3", "[tcp.tcp_ap]\nrate = \"11Mb/s\""] {
        let told = with(tcp, paced);
        assert!(told.contains("application 'paced': tcp_ap goes by the hops"), "{tcp}: {told}");
        assert!(!told.contains("application 'plain'"), "{told}");
        assert_eq!(with(tcp, "congestion = \"bic\""), "");
    }
    assert_eq!(with("[tcp.tcp_ap]\nhops = 3\nrate = \"11Mb/s\"", paced), "");
}

/// Parameters of a discipline that are lists keep their order; each discipline has its own.
#[test]
fn parameters_of_disciplines_are_told_apart() {
    let text = "duration = \"1s\"\n[queue]\nvfq = { weight = [3, 1, 2], limit = 40 }\nspq.classes = 3\n\
                [[station]]\nname = \"s\"\n[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\n";
    let file = ScenarioFile::parse("q.toml", text).unwrap_or_else(|e| panic!("{e}"));
    let get = |spec: &str, param: &str| {
        spec.parse::<QueueSpec>().unwrap().build(&file.queues).unwrap().get(param).unwrap().to_vec()
    };
    let weights = [3, 1, 2].map(|weight| weight << 16);
    assert_eq!(get("vfq", "weight")[..3], weights);
    assert_eq!(get("vfq:limit=50", "weight")[..3], weights, "the file's, beside the command line's");
    assert_eq!((get("vfq", "limit"), get("vfq:limit=50", "limit")), (vec![40], vec![50]));
    assert_eq!(get("spq", "classes"), [3]);
    let usual = QueueSpec::build(&"spq".parse().unwrap(), &Default::default()).unwrap();
    assert_eq!(get("spq", "limit"), usual.get("limit").unwrap(), "of vfq alone");
}

/// Descriptions and notes of each kind, as lists print them.
#[test]
fn each_kind_says_what_it_is() {
    for (keys, words, notes) in [
        ("kind = \"game\"", "online game", &[][..]),
        ("kind = \"ping\"\ninterval = \"250ms\"", "requests to a distant host, one each 250ms", &[]),
        ("kind = \"p2p\"\nflows = 7", "7 endless downloads (cubic)", &[]),
        ("kind = \"p2p\"\nflows = 7\nupload = true", "7 endless downloads and uploads (cubic)", &[]),
        ("kind = \"udp\"\nrate = \"3Mb/s\"", "UDP packets, 3 Mb/s", &[]),
        ("kind = \"udp\"\nrate = \"1500kb/s\"\nupload = true", "UDP packets up, 1.5 Mb/s", &[]),
        ("kind = \"udp\"\nrate = \"max\"\nupload = true", "UDP packets up, always one more", &[]),
        (
            "kind = \"udp\"\nrates = { start = \"64kb/s\", max = \"1024kb/s\", each = \"60s\", steps = 16 }",
            "UDP packets, 0.064 to 1.024 Mb/s, more each 60s",
            &[],
        ),
        // The largest rate is in the middle of the course.
        (
            "kind = \"udp\"\ncourse = [[\"0s\", \"1Mb/s\"], [\"1s\", \"4Mb/s\"], [\"2s\", \"2Mb/s\"]]",
            "UDP packets, a course of up to 4 Mb/s",
            &[],
        ),
        (
            "kind = \"proshare\"\nvoice_interval = \"20ms\"\nframe_rate = 30\nframe_bytes = 900",
            "a conference over UDP: 50 voice packets and 30 frames of 900 bytes a second",
            &[],
        ),
        // A group of I, P and four B frames has 9000 + 900 + 4 * 90 bytes: 0.342 Mb/s at 25 frames a second, times the scale.
        (
            "kind = \"mpeg\"\ni_bytes = 9000\np_bytes = 900\nb_bytes = 90\nframe_rate = 25\nscale = 2\nsplit = 1000",
            "MPEG-1 video over UDP, 25 frames a second",
            &[(9, Some("0.68 Mb/s of frames on the mean, cut at 1000 bytes"))],
        ),
        (
            "kind = \"mpeg\"\ni_bytes = 9000\np_bytes = 900\nb_bytes = 90\nframe_rate = 25\nsplit = 900\n\
             course = [[\"0s\", 1], [\"1s\", 0.5], [\"2s\", 2], [\"3s\", 1.5]]",
            "MPEG-1 video over UDP, 25 frames a second",
            &[(9, Some("0.17 to 0.68 Mb/s of frames on the mean, cut at 900 bytes"))],
        ),
        ("kind = \"download\"", "endless download (cubic)", &[]),
        (
            "kind = \"download\"\nreconnect = \"2s\"\ncongestion = \"bic\"",
            "endless download (bic, a new connection each 2s)",
            &[],
        ),
        (
            "kind = \"streaming\"\nladder = [\"1Mb/s\", \"2.5Mb/s\", \"4Mb/s\"]",
            "streamed video, 1 to 4 Mb/s",
            &[],
        ),
        (
            "kind = \"responsiveness\"",
            "test of responsiveness, down, then up (cubic)",
            &[
                (45, None),
                (44, Some("it has 44 s, and may need 45: what is not over by then is told as it is")),
            ],
        ),
        (
            "kind = \"responsiveness\"\ndirection = \"down\"",
            "test of responsiveness, down (cubic)",
            &[
                (25, None),
                (24, Some("it has 24 s, and may need 25: what is not over by then is told as it is")),
            ],
        ),
        (
            "kind = \"responsiveness\"\ndirection = \"up\"",
            "test of responsiveness, up (cubic)",
            &[(25, None)],
        ),
        (
            "kind = \"http\"\nbrowsers = 30\nthink = \"6s\"\nobjects = 4\nconnections = 2",
            "30 web browsers",
            &[(9, Some("at most 20 objects a second, over up to 2 connections"))],
        ),
    ] {
        let app = format!("[[app]]\nname = \"a\"\nstation = \"s\"\n{keys}");
        let text = format!("duration = \"9s\"\n[[station]]\nname = \"s\"\n{app}");
        let file = ScenarioFile::parse("x.toml", &text).unwrap_or_else(|e| panic!("{keys}: {e}"));
        let kind = &file.scenario.apps[0].kind;
        assert_eq!(airtab_scenario::words(kind), words, "{keys}");
        for (seconds, note) in notes {
            assert_eq!(airtab_scenario::note(kind, seconds * SECOND).as_deref(), *note, "{keys}");
        }
    }
}

/// The default rate of wires by profile: 1 Gb/s for those of 802.11ac and ax; the file's own goes before.
#[test]
fn fast_cells_have_fast_wires() {
    let rates = |phy: &str, wired: &str| {
        let text = format!(
            "duration = \"1s\"\n{wired}\n[wifi]\nphy = \"{phy}\"\n[[server]]\nname = \"far\"\n[[station]]\nname = \"s\"\n\
             [[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"s\"\nserver = \"far\"\n"
        );
        let scenario = ScenarioFile::parse("x.toml", &text).unwrap_or_else(|e| panic!("{e}")).scenario;
        let both = [scenario.wired.rate_bps, scenario.servers[0].access.rate_bps];
        assert_eq!(scenario.wired.trunk, Latency::both(MS));
        both.map(|bps| bps / 1_000_000)
    };
    for (phy, mbps) in [
        ("phy-a", 100),
        ("std-11g", 100),
        ("std-11n", 100),
        ("std-11ac", 1000),
        ("std-11ax", 1000),
        ("std-11ax-2g4", 1000),
    ] {
        assert_eq!(rates(phy, ""), [mbps; 2], "{phy}");
        assert_eq!(rates(phy, "[wired]\nqueue = 7"), [mbps; 2], "{phy}");
        assert_eq!(rates(phy, "[wired]\nrate = \"50Mb/s\""), [50; 2], "{phy}");
    }
}

/// A minute of the default player on an idle link of 54 Mb/s: it plays the highest rate from the end of its start on, and never stands
/// still. With the source's buffer of 240 s it would stay at the lowest for 90 s.
#[test]
fn a_short_film_on_an_idle_link_has_the_highest_rate() {
    let rate = |keys: &str| {
        let text = format!(
            "duration = \"60s\"\nmeasure = [\"40s\", \"60s\"]\n[wifi]\nphy = \"std-11g\"\n[[station]]\nname = \"s\"\nrate = \"54Mb/s\"\n\
             fer = 0\n[[app]]\nname = \"film\"\nkind = \"streaming\"\nstation = \"s\"\n{keys}"
        );
        let file = ScenarioFile::parse("x.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        let params = airtab_core::Params::new(airtab_core::Discipline::named("fifo").expect("registered"));
        let f = airtab_scenario::measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1))
            .apps
            .remove(0);
        use airtab_scenario::Metric::{BitRate, Stalled};
        (f[&BitRate], f[&Stalled])
    };
    assert_eq!(rate(""), (5.8e6, 0.0));
    assert_eq!(rate("buffer = \"240s\""), (0.235e6, 0.0));
}
