// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Keys of stored runs: each key of a scenario, each parameter of a discipline, the seed and the short schedule change the
//! key; names and labels do not. The store of these tests has every run; none is simulated.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use airtab_core::{Discipline, Param, Params, Unit};
use airtab_lab::plan::RunKey;
use airtab_lab::store::Store;
use airtab_lab::{Options, compare};
use airtab_scenario::{Figures, Measured, ScenarioFile, assignment, set};
use airtab_sim::Scenario;

/// Has every run, with no figures; notes what it was asked for.
struct Asked {
    apps: usize,
    keys: Mutex<Vec<RunKey>>,
}

impl Store for Asked {
    fn get(&self, run: RunKey) -> Option<Measured> {
        self.keys.lock().unwrap().push(run);
        let (apps, none) = (vec![Figures::new(); self.apps], Figures::new());
        let pages = vec![Vec::new(); self.apps];
        Some(Measured { apps, pages, seconds: Vec::new(), ap: none, nodes: Vec::new() })
    }

    fn has(&self, _: RunKey) -> bool {
        true
    }

    fn put(&self, _: RunKey, _: &Measured) {
        panic!("every run is there");
    }
}

/// Keys of a comparison's runs: queue by queue, seed by seed.
fn keys(scenario: &Scenario, queues: &[(String, Params)], seeds: &[u64], short: bool) -> Vec<RunKey> {
    let apps = scenario.apps.len() * (1 + scenario.windows.len());
    let store = Asked { apps, keys: Mutex::default() };
    let stop = AtomicBool::new(false);
    compare(
        scenario,
        queues,
        &Options { seeds, short, jobs: 1, stop: &stop, store: &store, progress: &|_| () },
    )
    .unwrap();
    store.keys.into_inner().unwrap()
}

fn queue(name: &str) -> (String, Params) {
    (name.into(), Params::new(Discipline::named(name).unwrap()))
}

/// The files beside a scenario.
fn open(path: &Path, what: &str) -> Result<Box<dyn Read>, String> {
    let text = match path.file_name().unwrap().to_str().unwrap() {
        "a.frames" => "1 I 100\n2 P 200\n",
        "b.frames" => "1 I 100\n2 P 201\n",
        other => return Err(format!("no {what} {other}")),
    };
    Ok(Box::new(Cursor::new(text.as_bytes().to_vec())))
}

fn key_of(text: &str) -> Result<RunKey, String> {
    let file = ScenarioFile::parse_with("mine.toml", text, &open).map_err(|e| e.to_string())?;
    Ok(keys(&file.scenario, &[queue("fifo")], &[1], false)[0])
}

/// A text with `PATH=VALUE` set, or with `OLD => NEW` replaced.
fn edited(text: &str, edit: &str) -> Result<String, String> {
    if let Some((old, new)) = edit.split_once(" => ") {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        return Ok(text.replace(old, new));
    }
    let (path, value) = assignment(edit)?;
    set(text, &path, &value).map_err(|e| e.to_string())
}

/// Every edit of a text leads to a key of its own.
#[track_caller]
fn all_differ(text: &str, edits: &str) {
    let mut seen = BTreeMap::from([(key_of(text).unwrap_or_else(|e| panic!("{e}")).0, "no edit")]);
    let mut wrong = String::new();
    for edit in edits.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match edited(text, &edit.replace("\\n", "\n")).and_then(|text| key_of(&text)) {
            Err(e) => wrong += &format!("{edit}: {e}\n"),
            Ok(key) => {
                if let Some(other) = seen.insert(key.0, edit) {
                    wrong += &format!("{edit}: the same run as with {other}\n");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

const CELL: &str = r#"
duration = "60s"
measure = ["10s", "50s"]
[wifi]
phy = "std-11g"
[wired]
rate = "100Mb/s"
[[server]]
name = "far"
latency = "7ms"
[[server]]
name = "near"
latency = "8ms"
[[station]]
name = "s"
distance = 3
[[station]]
name = "t"
distance = 3
[[app]]
name = "a"
kind = "game"
station = "s"
[[change]]
at = "30s"
station = "t"
key = "distance"
value = 4
"#;

#[test]
fn each_key_of_a_cell_is_in_the_key_of_its_runs() {
    all_differ(
        CELL,
        r#"
        duration=61s
        measure=["11s", "50s"]
        measure=["10s", "51s"]
        mos_direction=down
        windows.early=["1s", "5s"]
        windows.early=["2s", "5s"]
        windows.early=["1s", "6s"]
        windows.late=["1s", "5s"]
        wifi.phy=std-11a
        wifi.backoff=bianchi
        wifi.access=dcf-m
        wifi.access={ rule = "dcf-m", offset = 12 }
        wifi.access={ rule = "dcf-m", cw_min = 31 }
        wifi.access={ rule = "dcf-m", cw_max = 511 }
        wifi.access={ rule = "dcf", cw_min = 31 }
        wifi.access={ rule = "dcf", cw_max = 511 }
        wifi.access={ rule = "dcf", ifs = "37us" }
        wifi.access=idle-sense
        wifi.access={ rule = "idle-sense", cw = 60.7 }
        wifi.access={ rule = "idle-sense", cw = 60.8 }
        wifi.access={ rule = "idle-sense", cw = "adapt", target = 5 }
        wifi.access={ rule = "idle-sense", cw = "adapt", target = 5.5 }
        wifi.access={ rule = "h", c = 32 }
        wifi.access={ rule = "h", c = 33 }
        wifi.access={ rule = "hash1", c = 32 }
        wifi.access={ rule = "geometric", hazard = 0.05 }
        wifi.access={ rule = "geometric", hazard = 0.06 }
        wifi.access={ rule = "slots", weights = [1, 2] }
        wifi.access={ rule = "slots", weights = [1, 3] }
        wifi.access={ rule = "slots", weights = [1, 2], residual = false }
        wifi.access={ rule = "slots", weights = [1, 2], doubles = false }
        wifi.access={ rule = "slots", weights = [1, 2], order = "counter" }
        wifi.access=tcf
        wifi.ap_access=dcf-m
        wifi.winners=true
        wifi.eifs=false
        wifi.deliver_on=ack
        wifi.attempts=6
        wifi.uplink_packets=999
        wifi.beacon_interval=101ms
        wifi.beacon_interval=off
        wifi.beacon_bytes=101
        wifi.beacon_rate=12Mb/s
        wifi.slot=10us
        wifi.sifs=11us
        wifi.preamble=30us
        wifi.cw_min=31
        wifi.cw_max=511
        wifi.ack_rate=12Mb/s
        wifi.ccmp=true
        wifi.rts=500
        wifi.rts=501
        wifi.eifs_rate=12Mb/s
        wifi.path_loss_exponent=3.1
        wifi.shadowing_deviation=7.1
        wifi.link_margin=33
        wifi.driver.ring=2
        wired.rate=99Mb/s
        wired.trunk_latency=2ms
        wired.trunk_latency_up=2ms
        wired.queue=999
        tcp.profile=linux
        tcp.initial_window=5
        tcp.mss=1400B
        tcp.receive_window=1999
        tcp.ack_every=3
        tcp.delayed_ack=41ms
        tcp.recovery=newreno
        tcp.recovery=reno
        tcp.prr=false
        tcp.rtt=timestamps
        tcp.cubic_beta=0.8
        tcp.initial_ssthresh=20
        tcp.initial_rto=2s
        tcp.min_rto=300ms
        tcp.pacing=true
        tcp.ecn=true
        tcp.rto=rfc6298
        tcp.rto=bsd
        tcp.vegas.alpha=1
        tcp.vegas.beta=5
        tcp.vegas.gamma=2
        tcp.vegas.initial_window=4
        tcp.tcp_d.k=5
        tcp.tcp_d.eps=0.4
        tcp.tcp_d.q=0.3
        tcp.tcp_d.form=max
        tcp.tcp_d.initial_window=4
        tcp.westwood.filter=each_ack
        server.far.latency=9ms
        server.far.latency_up=9ms
        server.far.rate=50Mb/s
        server.near.latency=9ms
        station.s.distance=4
        station.t.distance=4
        station.s.count=2
        station.s.rate=24Mb/s
        station.t.rate=24Mb/s
        station.s.access=dcf-m
        station.s.uplink=fifo
        station.s.uplink=fifo:limit=7
        station.s.uplink=fq_codel
        distance = 3\n[[app]] => fer = 0.1\n[[app]]
        distance = 3\n[[app]] => fer = 0.2\n[[app]]
        distance = 3\n[[app]] => walk = [["0s", 1], ["60s", 9]]\n[[app]]
        distance = 3\n[[app]] => walk = [["0s", 1], ["60s", 8]]\n[[app]]
        distance = 3\n[[app]] => walk = [["0s", 1], ["50s", 9]]\n[[app]]
        at = "30s" => at = "31s"
        station = "t" => station = "s"
        key = "distance"\nvalue = 4 => key = "fer"\nvalue = 0.4
        value = 4 => value = 5
        "#,
    );
    let near = CELL.split("[[change]]").next().unwrap().replace("distance = 3\n", "");
    all_differ(&near, "wifi.errors=fer\nname = \"t\" => name = \"u\"");
}

const MODERN: &str = r#"
duration = "60s"
[wifi]
phy = "std-11ax"
errors = "snr"
coherence = "2s"
aggregation = "ampdu+amsdu"
[[station]]
name = "s"
mcs = 5
distance = 3
[[app]]
name = "a"
kind = "ping"
station = "s"
"#;

#[test]
fn each_key_of_a_cell_with_aggregates_is_in_the_key_of_its_runs() {
    all_differ(
        MODERN,
        r#"
        wifi.phy=std-11ac
        wifi.coherence=3s
        wifi.shadowing_deviation=4
        wifi.aggregation=ampdu
        wifi.aggregation=off
        wifi.ampdu_frames=63
        wifi.ampdu_bytes=65535B
        wifi.ampdu_time=3ms
        wifi.bar=true
        wifi.lost_bar=data
        wifi.lost_bar=after_success
        wifi.edca=off
        wifi.edca=hostapd
        wifi.edca=ieee2016
        wifi.category={ be = { aifsn = 2 } }
        wifi.category={ be = { cw_min = 7 } }
        wifi.category={ be = { cw_max = 15 } }
        wifi.category={ be = { txop = "1ms" } }
        wifi.category={ bk = { aifsn = 2 } }
        wifi.txop=false
        wifi.block_ack_window=64
        coherence = "2s" => coherence = "2s"\nrts = 500\nrts_rate = "6Mb/s"
        coherence = "2s" => coherence = "2s"\nrts = 500\nrts_rate = "12Mb/s"
        wifi.capture=10
        wifi.driver.lifetime=50ms
        wifi.ofdma=2
        wifi.ofdma=4
        wifi.control_rate=12Mb/s
        wifi.driver.ring=600
        wifi.driver.aggregates=3
        wifi.driver.order=fifo
        wifi.driver.stop=false
        wifi.driver.completions=aggregate
        wifi.driver.completion_delay=1ms
        wifi.driver.completions_lost=0.1
        wifi.driver.orphan=true
        wifi.driver.inflight=8ms
        wifi.driver.inflight=9ms
        wifi.driver.inflight_station=5ms
        wifi.driver.stale=30ms
        station.s.mcs=4
        station.s.streams=2
        station.s.gi=1600ns
        station.s.width=40
        station.s.rate_control=ideal
        station.s.rate_control=aarf
        station.s.rate_control=minstrel
        station.s.asleep=["5s", "8s"]
        station.s.asleep=["5s", "9s"]
        station.s.asleep=["4s", "8s"]
        distance = 3 => mpdu_error_rate = 0.1
        distance = 3 => mpdu_error_rate = 0.2
        mcs = 5 => rate = "54Mb/s"
        distance = 3 => snr = 20
        distance = 3 => snr = 21
        "#,
    );
    let of_11n = MODERN.replace("std-11ax", "std-11n");
    all_differ(&of_11n, "wifi.phy=std-11n-2g4\nstation.s.gi=400ns");
}

/// An application of each kind.
const APPS: &str = r#"
duration = "60s"
[[server]]
name = "far"
[[station]]
name = "s"
count = 3
[[app]]
name = "game"
kind = "game"
station = "s"
[[app]]
name = "call"
kind = "voip"
station = "s"
[[app]]
name = "film"
kind = "video"
station = "s"
[[app]]
name = "site"
kind = "web"
station = "s"
site = "cnn"
[[app]]
name = "stream"
kind = "streaming"
station = "s"
[[app]]
name = "ping"
kind = "ping"
station = "s"
[[app]]
name = "udp"
kind = "udp"
station = "s"
rate = "1Mb/s"
[[app]]
name = "load"
kind = "download"
station = "s"
volume = "10MB"
[[app]]
name = "sent"
kind = "upload"
station = "s"
[[app]]
name = "peers"
kind = "p2p"
station = "s"
[[app]]
name = "share"
kind = "proshare"
station = "s"
[[app]]
name = "mpeg"
kind = "mpeg"
station = "s"
[[app]]
name = "http"
kind = "http"
station = "s"
[[app]]
name = "rpm"
kind = "responsiveness"
station = "s"
"#;

#[test]
fn each_key_of_an_application_is_in_the_key_of_its_runs() {
    all_differ(
        APPS,
        r#"
        app.game.name=other
        app.game.kind=voip
        app.game.station=s 2
        app.game.start=1s
        app.game.start=2s
        app.game.stop=50s
        app.game.stations=2
        app.game.users=2
        app.call.users=2
        app.game.measure=["5s", "9s"]
        app.game.measure=["5s", "8s"]
        app.game.class=1
        app.call.class=1
        app.game.access=vo
        app.game.access=vi
        app.game.access=bk
        app.game.computer=2
        app.game.tunnel=true
        app.game.arrivals=true
        app.game.requirement=none
        app.game.requirement=voice
        app.game.latency=2ms
        app.game.latency=3ms
        app.game.latency_up=2ms
        app.game.server=far
        app.game.phase=1ms
        app.game.phase=2ms
        app.site.site=yahoo
        app.site.reading=9s
        app.site.client=chromium
        site = "cnn"\n => \n
        app.stream.ladder=["300kbit", "600kbit"]
        app.stream.ladder=["300kbit", "700kbit"]
        app.stream.segment=3s
        app.stream.buffer=200s
        app.stream.congestion=reno
        app.ping.bytes=85
        app.ping.interval=2s
        app.udp.rate=2Mb/s
        app.udp.rate=max
        app.udp.upload=true
        app.udp.bytes=1400
        app.udp.gaps=exponential
        app.udp.jitter=10%
        app.udp.jitter=11%
        rate = "1Mb/s" => rates = { start = "1Mb/s", max = "5Mb/s", steps = 3, each = "2s" }
        rate = "1Mb/s" => rates = { start = "2Mb/s", max = "5Mb/s", steps = 3, each = "2s" }
        rate = "1Mb/s" => rates = { start = "1Mb/s", max = "6Mb/s", steps = 3, each = "2s" }
        rate = "1Mb/s" => rates = { start = "1Mb/s", max = "5Mb/s", steps = 2, each = "2s" }
        rate = "1Mb/s" => rates = { start = "1Mb/s", max = "5Mb/s", steps = 3, each = "3s" }
        rate = "1Mb/s" => rates = { start = "1Mb/s", max = "5Mb/s", add = "700kbit", each = "2s" }
        rate = "1Mb/s" => rates = { start = "1Mb/s", max = "5Mb/s", add = "800kbit", each = "2s" }
        rate = "1Mb/s" => course = [["0s", "1Mb/s"], ["9s", "2Mb/s"]]
        rate = "1Mb/s" => course = [["0s", "1Mb/s"], ["9s", "3Mb/s"]]
        app.load.volume=11MB
        app.load.repeat=true
        volume = "10MB"\n => \n
        volume = "10MB" => reconnect = "5s"
        volume = "10MB" => reconnect = "6s"
        app.load.congestion=reno
        app.load.congestion=newreno
        app.load.congestion=bic
        app.load.congestion=compound
        app.load.congestion=westwood
        app.load.congestion=vegas
        app.load.congestion=tcp_d
        app.sent.congestion=reno
        app.sent.volume=11MB
        app.peers.flows=9
        app.peers.upload=true
        app.peers.congestion=reno
        app.film.fec=small
        app.film.fec=large
        app.film.trace=synthetic-two-phase
        app.film.trace=a.frames
        app.film.trace=b.frames
        kind = "video" => kind = "video"\ntrace = "a.frames"\ntrace_sizes = "bits"
        app.share.voice_bytes=201
        app.share.voice_interval=101ms
        app.share.frame_bytes=1538
        app.share.frame_deviation=106
        app.share.frame_rate=16
        app.share.split=1400
        app.share.spacing=1400us
        app.mpeg.frame_rate=31
        app.mpeg.split=1400
        app.mpeg.spacing=1400us
        app.mpeg.i_bytes=6917
        app.mpeg.p_bytes=1647
        app.mpeg.b_bytes=242
        app.mpeg.scale=0.94
        app.mpeg.course=[["0s", 0.93], ["9s", 0.75]]
        app.mpeg.course=[["0s", 0.93], ["9s", 0.76]]
        app.mpeg.course=[["0s", 0.93], ["8s", 0.75]]
        app.mpeg.sigma=0.26
        app.http.browsers=2999
        app.http.connections=100
        app.http.think=44s
        app.http.objects=4
        app.http.parallel=5
        app.http.object_bytes=1701
        app.http.object_most=200001
        app.http.object_header=251
        app.http.sigma=1.46
        app.http.request=351
        app.rpm.direction=down
        app.rpm.direction=up
        app.rpm.congestion=reno
        "#,
    );
    let later = APPS.replace("name = \"game\"\n", "name = \"game\"\nusers = 3\n");
    all_differ(&later, "app.game.within=1s\napp.game.within=2s\napp.game.stations=3");
}

#[test]
fn each_key_of_other_networks_is_in_the_key_of_its_runs() {
    let app = "[[app]]\nname = \"a\"\nkind = \"download\"\n";
    let emulated = format!(
        "duration = \"60s\"\n[wifi]\nmedium = \"emulator\"\n[[station]]\nname = \"s\"\n{app}station = \"s\"\n"
    );
    all_differ(
        &emulated,
        "wifi.medium=dcf\nwifi.extra_delay=1ms\nwifi.extra_delay=2ms\nwifi.attempts=4\nwifi.phy=phy-a\nstation.s.fer=0.1",
    );
    let dumbbell = format!(
        "duration = \"60s\"\ntopology = \"dumbbell\"\n[bottleneck]\nrate = \"10Mb/s\"\nhops = 3\n\
         [[server]]\nname = \"far\"\n[[station]]\nname = \"s\"\n{app}station = \"s\"\nserver = \"far\"\n"
    );
    all_differ(
        &dumbbell,
        "bottleneck.rate=11Mb/s\nbottleneck.overhead=39\nbottleneck.overhead=40\nbottleneck.hops=2\nwired.trunk_latency=3ms\n\
         server.far.hop=2\nserver.far.hop=3\nwired.queue=99",
    );
    let mesh = format!(
        "duration = \"60s\"\n[wifi]\nmedium = \"mesh\"\nphy = \"std-11b\"\n[mesh]\ntx_range = \"100 m\"\n\
         [[node]]\nname = \"n0\"\nx = 0\ny = 0\n[[node]]\nname = \"n1\"\nx = 90\ny = 0\n\
         [[node]]\nname = \"n2\"\nx = 90\ny = 90\n\
         [[link]]\nbetween = [\"n0\", \"n1\"]\nrate = \"2Mb/s\"\n\
         {app}from = \"n0\"\nto = \"n2\"\n"
    );
    all_differ(
        &mesh,
        r#"
        mesh.tx_range=130 m
        mesh.sense_range=150 m
        mesh.sense_range=151 m
        mesh.interference_range=150 m
        mesh.capture=20
        mesh.rate=1Mb/s
        mesh.mac=rfd
        node.n1.x=91
        node.n1.y=1
        node.n1.queue=fifo
        node.n1.queue=fifo:limit=9
        node.n1.ring=2
        rate = "2Mb/s" => rate = "1Mb/s"
        rate = "2Mb/s" => rate = "2Mb/s"\nfer = 0.1
        between = ["n0", "n1"] => between = ["n1", "n2"]
        from = "n0" => from = "n1"
        to = "n2" => to = "n1"
        "#,
    );
}

/// Parameters of which one has another value.
fn other(params: &Params, param: &Param) -> Params {
    let now = params.get(param.name).unwrap();
    let near = [param.default + 1, param.default.saturating_sub(1), param.min, param.max];
    let texts = near.map(|x| param.format(x.clamp(param.min, param.max)));
    let differing = texts.iter().filter_map(|text| {
        let mut changed = params.clone();
        changed.set(param.name, text).ok()?;
        (changed.get(param.name).unwrap() != now).then_some(changed)
    });
    differing.into_iter().next().unwrap_or_else(|| panic!("{} of {texts:?}", param.name))
}

#[test]
fn each_parameter_and_each_seed_is_in_the_key_of_a_run() {
    let scenario = ScenarioFile::home().scenario;
    let mut queues = Vec::new();
    for discipline in airtab_core::disciplines() {
        let params = Params::new(discipline);
        for param in discipline.params().iter().filter(|param| param.unit != Unit::Rule) {
            queues.push((format!("{} {}", discipline.name(), param.name), other(&params, param)));
        }
        queues.push((discipline.name().to_string(), params));
    }
    let seeds = [1, 2, (1 << 40) + 1];
    let all = keys(&scenario, &queues, &seeds, false);
    let mut seen = BTreeMap::new();
    for (i, key) in all.iter().enumerate() {
        let what = (&queues[i / seeds.len()].0, seeds[i % seeds.len()]);
        assert_eq!(seen.insert(key.0, what), None, "{what:?}");
    }
    // Labels and the names of a scenario are in no figure; places of queues and seeds are in no key.
    let label = ("mine".to_string(), queues[1].1.clone());
    let named = Scenario { name: "mine".into(), ..scenario.clone() };
    assert_eq!(keys(&named, &[label], &[2, 1], false), [all[seeds.len() + 1], all[seeds.len()]]);
    // The short schedule is the run of a scenario of its times.
    let short = keys(&scenario, &queues[..1], &[1], true);
    assert!(!all.contains(&short[0]));
    assert_eq!(short, keys(&airtab_scenario::short(&scenario), &queues[..1], &[1], false));
}
