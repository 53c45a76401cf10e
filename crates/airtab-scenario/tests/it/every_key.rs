// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Every key of `[wifi]` and `[[station]]` under every PHY profile: a value changes a figure of a short run, or the
//! reader refuses it. The keys are those of the generated schema, so a new key without a case fails.
//!
//! Limits: one value of each key, or a few; the other tables do not depend on the profile.

use std::collections::{BTreeMap, BTreeSet};

use airtab_core::{Discipline, Params, Phy};
use airtab_scenario::{ScenarioFile, measure, remove, schema, set};
use serde_json::Value;

/// A cell with losses, traffic in all access categories and both directions.
const BASE: &str = r#"
duration = "800ms"
[wifi]
errors = "fer"
[wired]
rate = "1Gb/s"
[[station]]
name = "s"
fer = 0.2
[[station]]
name = "t"
fer = 0.3
[[station]]
name = "u"
[[app]]
name = "load"
kind = "download"
station = "s"
users = 2
[[app]]
name = "other"
kind = "download"
station = "u"
[[app]]
name = "sent"
kind = "upload"
station = "t"
[[app]]
name = "call"
kind = "udp"
station = "t"
rate = "300kbit"
bytes = 200
access = "vo"
upload = true
[[app]]
name = "reply"
kind = "udp"
station = "s"
rate = "300kbit"
bytes = 200
access = "vo"
[[app]]
name = "film"
kind = "udp"
station = "u"
rate = "4Mb/s"
access = "vi"
users = 2
[[app]]
name = "camera"
kind = "udp"
station = "u"
rate = "4Mb/s"
access = "vi"
upload = true
[[app]]
name = "backup"
kind = "udp"
station = "s"
rate = "2Mb/s"
access = "bk"
[[app]]
name = "store"
kind = "udp"
station = "u"
rate = "2Mb/s"
access = "bk"
upload = true
"#;

/// `key | profiles | what is set before | values`: edits of the base, several of them joined by ` & `, values by ` ; `; `-key` removes one.
/// Profiles: all, those with rates by MCS (`mcs`), the others (`mbps`).
const CASES: &str = r#"
wifi.phy | all | | wifi.phy=std-11b & wifi.edca=off ; wifi.phy=std-11a
wifi.medium | mbps | | wifi.medium=emulator ; wifi.medium=dcf
wifi.medium | mcs | | wifi.medium=emulator ; wifi.medium=mesh
wifi.extra_delay | all | | wifi.extra_delay=5ms
wifi.extra_delay | all | wifi.medium=emulator | wifi.extra_delay=5ms
wifi.backoff | all | | wifi.backoff=bianchi
wifi.backoff | all | wifi.edca=off | wifi.backoff=bianchi
wifi.access | all | | wifi.access=geometric
wifi.access | all | wifi.edca=off | wifi.access=geometric
wifi.access.rule | all | wifi.edca=off | wifi.access={ rule = "h" }
wifi.access.c | all | wifi.edca=off & wifi.access={ rule = "h" } | wifi.access={ rule = "h", c = 5 }
wifi.access.cw | all | wifi.edca=off & wifi.access={ rule = "idle-sense" } | wifi.access={ rule = "idle-sense", cw = 9 }
wifi.access.target | all | wifi.edca=off & wifi.access={ rule = "idle-sense", cw = "adapt" } | wifi.access={ rule = "idle-sense", cw = "adapt", target = 2 }
wifi.access.cw_min | all | wifi.edca=off & wifi.access={ rule = "dcf" } | wifi.access={ rule = "dcf", cw_min = 3 }
wifi.access.cw_max | all | wifi.edca=off & wifi.access={ rule = "dcf" } | wifi.access={ rule = "dcf", cw_max = 31 }
wifi.access.ifs | all | wifi.edca=off & wifi.access={ rule = "dcf" } | wifi.access={ rule = "dcf", ifs = "43us" } ; wifi.access={ rule = "dcf", ifs = "37us" } ; wifi.access={ rule = "dcf", ifs = "70us" }
wifi.access.offset | all | wifi.edca=off & wifi.access={ rule = "dcf-m" } | wifi.access={ rule = "dcf-m", offset = 3 }
wifi.access.hazard | all | wifi.edca=off & wifi.access={ rule = "geometric" } | wifi.access={ rule = "geometric", hazard = 0.3 }
wifi.access.weights | all | wifi.edca=off & wifi.access={ rule = "slots", weights = [1, 1, 1, 1] } | wifi.access={ rule = "slots", weights = [1, 2, 3, 4] }
wifi.access.residual | all | wifi.edca=off & wifi.access={ rule = "slots", weights = [1, 1, 1, 1] } | wifi.access={ rule = "slots", weights = [1, 1, 1, 1], residual = false }
wifi.access.doubles | all | wifi.edca=off & wifi.access={ rule = "slots", weights = [1, 1, 1, 1] } | wifi.access={ rule = "slots", weights = [1, 1, 1, 1], doubles = false }
wifi.access.order | all | wifi.edca=off & wifi.access={ rule = "slots", weights = [1, 1, 1, 1] } | wifi.access={ rule = "slots", weights = [1, 1, 1, 1], order = "counter" }
wifi.ap_access | all | | wifi.ap_access=geometric
wifi.ap_access | all | wifi.edca=off | wifi.ap_access=geometric
wifi.winners | all | | wifi.winners=true
wifi.eifs | all | | wifi.eifs=false
wifi.eifs_rate | all | | wifi.eifs_rate=2Mb/s
wifi.deliver_on | all | | wifi.deliver_on=ack
wifi.attempts | all | | wifi.attempts=2
wifi.uplink_packets | all | wifi.driver.ring=20 | wifi.uplink_packets=3
wifi.beacon_interval | all | | wifi.beacon_interval=11ms
wifi.beacon_phase | all | | wifi.beacon_phase=7ms
wifi.beacon_bytes | all | | wifi.beacon_bytes=1500
wifi.beacon_rate | all | | wifi.beacon_rate=2Mb/s
wifi.slot | all | | wifi.slot=14us
wifi.sifs | all | | wifi.sifs=12us
wifi.preamble | all | | wifi.preamble=50us
wifi.cw_min | all | | wifi.cw_min=63
wifi.cw_min | all | wifi.edca=off | wifi.cw_min=63
wifi.cw_max | all | | wifi.cw_max=31
wifi.cw_max | all | wifi.edca=off | wifi.cw_max=31
wifi.ack_rate | all | | wifi.ack_rate=1Mb/s ; wifi.ack_rate=6Mb/s
wifi.control_rate | all | | wifi.control_rate=6Mb/s
wifi.ccmp | all | | wifi.ccmp=true
wifi.rts | all | | wifi.rts=100
wifi.rts_rate | all | | wifi.rts_rate=6Mb/s ; wifi.rts_rate=1Mb/s
wifi.rts_rate | all | wifi.rts=100 | wifi.rts_rate=6Mb/s ; wifi.rts_rate=1Mb/s
wifi.capture | all | | wifi.capture=3
wifi.capture | all | -station.s.fer & -station.t.fer & wifi.errors=shadowing & wifi.link_margin=60 & station.u.distance=8 | wifi.capture=3
wifi.errors | all | | wifi.errors=shadowing & wifi.link_margin=1
wifi.path_loss_exponent | all | | wifi.path_loss_exponent=4
wifi.path_loss_exponent | all | wifi.errors=shadowing & station.u.distance=8 | wifi.path_loss_exponent=4
wifi.shadowing_deviation | all | wifi.errors=shadowing & station.u.distance=8 | wifi.shadowing_deviation=3
wifi.shadowing_deviation | all | | wifi.shadowing_deviation=3
wifi.shadowing_deviation | mcs | wifi.errors=snr & wifi.coherence=50ms & station.u.mcs=3 & station.u.snr=18 | wifi.shadowing_deviation=2
wifi.link_margin | all | | wifi.link_margin=25
wifi.link_margin | all | wifi.errors=shadowing & station.u.distance=8 | wifi.link_margin=25
wifi.coherence | all | | wifi.coherence=50ms
wifi.coherence | mcs | wifi.errors=snr & station.u.mcs=3 & station.u.snr=18 | wifi.coherence=50ms
wifi.aggregation | all | | wifi.aggregation=ampdu+amsdu
wifi.aggregation | mcs | | wifi.aggregation=off
wifi.block_ack_window | all | | wifi.block_ack_window=8
wifi.ampdu_frames | all | | wifi.ampdu_frames=4
wifi.ampdu_bytes | all | | wifi.ampdu_bytes=4000B
wifi.ampdu_time | all | | wifi.ampdu_time=500us
wifi.amsdu | all | | wifi.amsdu=3839
wifi.amsdu | mcs | wifi.aggregation=ampdu+amsdu | wifi.amsdu=7935
wifi.bar | all | | wifi.bar=true
wifi.lost_bar | all | wifi.bar=true | wifi.lost_bar=data
wifi.edca | all | | wifi.edca=hostapd
wifi.edca | all | | wifi.edca=ieee2016
wifi.edca | mcs | | wifi.edca=off
wifi.category.bk.aifsn | all | | wifi.category={ bk = { aifsn = 2 } }
wifi.category.bk.cw_min | all | | wifi.category={ bk = { cw_min = 3 } }
wifi.category.bk.cw_max | all | | wifi.category={ bk = { cw_max = 15 } }
wifi.category.bk.txop | all | | wifi.category={ bk = { txop = "2ms" } }
wifi.category.be.aifsn | all | | wifi.category={ be = { aifsn = 2 } }
wifi.category.be.cw_min | all | | wifi.category={ be = { cw_min = 3 } }
wifi.category.be.cw_max | all | | wifi.category={ be = { cw_max = 15 } }
wifi.category.be.txop | all | | wifi.category={ be = { txop = "2ms" } }
wifi.category.vi.aifsn | all | | wifi.category={ vi = { aifsn = 7 } }
wifi.category.vi.cw_min | all | | wifi.category={ vi = { cw_min = 3 } }
wifi.category.vi.cw_max | all | | wifi.category={ vi = { cw_max = 255 } }
wifi.category.vi.txop | all | | wifi.category={ vi = { txop = "0us" } }
wifi.category.vo.aifsn | all | | wifi.category={ vo = { aifsn = 7 } }
wifi.category.vo.cw_min | all | | wifi.category={ vo = { cw_min = 1 } }
wifi.category.vo.cw_max | all | | wifi.category={ vo = { cw_max = 255 } }
wifi.category.vo.txop | all | app.call.rate=8Mb/s | wifi.category={ vo = { txop = "0us" } }
wifi.announced.adapt | all | duration=3s & app.load.kind=upload & station.s.fer=0 & station.t.fer=0 | wifi.announced={ adapt = true }
wifi.announced.bk.aifsn | all | | wifi.announced={ bk = { aifsn = 2 } }
wifi.announced.bk.cw_min | all | | wifi.announced={ bk = { cw_min = 3 } }
wifi.announced.bk.cw_max | all | | wifi.announced={ bk = { cw_max = 15 } }
wifi.announced.bk.txop | all | app.store.rate=60Mb/s | wifi.announced={ bk = { txop = "1ms" } }
wifi.announced.be.aifsn | all | | wifi.announced={ be = { aifsn = 2 } }
wifi.announced.be.cw_min | all | | wifi.announced={ be = { cw_min = 3 } }
wifi.announced.be.cw_max | all | | wifi.announced={ be = { cw_max = 15 } }
wifi.announced.be.txop | all | | wifi.announced={ be = { txop = "2ms" } }
wifi.announced.vi.aifsn | all | | wifi.announced={ vi = { aifsn = 7 } }
wifi.announced.vi.cw_min | all | | wifi.announced={ vi = { cw_min = 3 } }
wifi.announced.vi.cw_max | all | | wifi.announced={ vi = { cw_max = 255 } }
wifi.announced.vi.txop | all | | wifi.announced={ vi = { txop = "0us" } }
wifi.announced.vo.aifsn | all | | wifi.announced={ vo = { aifsn = 7 } }
wifi.announced.vo.cw_min | all | | wifi.announced={ vo = { cw_min = 1 } }
wifi.announced.vo.cw_max | all | | wifi.announced={ vo = { cw_max = 255 } }
wifi.announced.vo.txop | all | app.call.rate=8Mb/s | wifi.announced={ vo = { txop = "0us" } }
wifi.txop | mcs | | wifi.txop=false
wifi.txop | mbps | | wifi.txop=true
wifi.ofdma | all | | wifi.ofdma=4
wifi.driver.ring | all | | wifi.driver.ring=3
wifi.driver.aggregates | all | | wifi.driver.aggregates=3
wifi.driver.aggregates | all | wifi.driver.ring=20 | wifi.driver.aggregates=5
wifi.driver.order | mbps | | wifi.driver.order=fifo
wifi.driver.order | all | wifi.driver.ring=20 | wifi.driver.order=fifo
wifi.driver.lifetime | all | | wifi.driver.lifetime=5ms
wifi.driver.lifetime | all | wifi.driver.ring=300 | wifi.driver.lifetime=5ms
wifi.driver.stop | all | wifi.driver.ring=20 | wifi.driver.stop=false
wifi.driver.completions | mbps | | wifi.driver.completions=aggregate
wifi.driver.completions | mbps | wifi.driver.ring=20 | wifi.driver.completions=aggregate
wifi.driver.completions | mcs | wifi.driver.ring=20 & wifi.ampdu_frames=8 | wifi.driver.completions=aggregate
wifi.driver.completion_delay | all | wifi.driver.ring=20 | wifi.driver.completion_delay=3ms
wifi.driver.completions_lost | all | wifi.driver.ring=20 | wifi.driver.completions_lost=0.5
wifi.driver.orphan | all | wifi.driver.ring=20 | wifi.driver.orphan=true
wifi.driver.inflight | all | | wifi.driver.inflight=1ms
wifi.driver.inflight | all | wifi.driver.ring=50 | wifi.driver.inflight=1ms
wifi.driver.inflight_station | all | | wifi.driver.inflight_station=300us
wifi.driver.inflight_station | mbps | wifi.driver.ring=50 & wifi.driver.inflight=8ms | wifi.driver.inflight_station=300us
wifi.driver.inflight_station | mcs | wifi.driver.ring=50 & wifi.ampdu_frames=2 & wifi.driver.inflight=8ms | wifi.driver.inflight_station=300us
wifi.driver.stale | all | | wifi.driver.stale=9ms
wifi.driver.stale | mcs | wifi.driver.ring=50 & wifi.driver.inflight=1ms & wifi.driver.completion_delay=20ms | wifi.driver.stale=2ms
station.count | all | station.u.fer=0.2 | station.u.count=2 & app.film.stations=2
station.rate | all | | station.s.rate=6Mb/s ; station.s.rate=1Mb/s ; station.s.rate=6500kbit
station.mcs | all | | station.s.mcs=1
station.streams | all | | station.s.streams=2
station.gi | all | | station.s.gi=400ns ; station.s.gi=1600ns
station.width | all | | station.s.width=40
station.rate_control | all | | station.u.rate_control=minstrel
station.rate_control | mcs | wifi.errors=snr & station.u.snr=15 | station.u.rate_control=minstrel
station.distance | all | | station.u.distance=15
station.distance | all | wifi.errors=shadowing | station.u.distance=15
station.walk | all | | station.u.walk=[["0s", 1], ["800ms", 30]]
station.walk | all | wifi.errors=shadowing | station.u.walk=[["0s", 1], ["800ms", 30]]
station.fer | all | | station.u.fer=0.4
station.mpdu_error_rate | all | | station.u.mpdu_error_rate=0.4
station.snr | all | | station.u.snr=14
station.snr | mcs | wifi.errors=snr | station.u.snr=14
station.asleep | all | | station.s.asleep=["100ms", "500ms"]
station.access | all | | station.t.access=geometric
station.access | all | wifi.edca=off | station.t.access=geometric
station.uplink | all | wifi.driver.ring=3 | station.t.uplink=fq_codel:limit=4
"#;

/// Labels, and tables whose keys are in the schema themselves.
const NO_CASE: [&str; 12] = [
    "station.name",
    "wifi.driver",
    "wifi.category",
    "wifi.category.bk",
    "wifi.category.be",
    "wifi.category.vi",
    "wifi.category.vo",
    "wifi.announced",
    "wifi.announced.bk",
    "wifi.announced.be",
    "wifi.announced.vi",
    "wifi.announced.vo",
];

/// Tables and keys of scenarios except `wifi` and `station`, none of which depends on the PHY profile.
const OTHER_TABLES: [&str; 18] = [
    "app",
    "bottleneck",
    "change",
    "duration",
    "link",
    "measure",
    "mesh",
    "mos_direction",
    "name",
    "node",
    "queue",
    "requirements",
    "route",
    "server",
    "tcp",
    "topology",
    "windows",
    "wired",
];

struct Case<'a> {
    key: &'a str,
    profiles: &'a str,
    before: Vec<&'a str>,
    values: Vec<Vec<&'a str>>,
}

fn cases() -> Vec<Case<'static>> {
    let edits = |text: &'static str| text.split(" & ").map(str::trim).filter(|e| !e.is_empty()).collect();
    let case = |line: &'static str| {
        let [key, profiles, before, values] =
            line.split(" | ").map(str::trim).collect::<Vec<_>>().try_into().expect(line);
        Case { key, profiles, before: edits(before), values: values.split(" ; ").map(edits).collect() }
    };
    // An empty field leaves one space between its bars.
    let lines = CASES.lines().filter(|line| !line.is_empty());
    lines.map(|line| case(line.replace("| |", "|  |").leak())).collect()
}

/// Every key below a part of a schema.
fn keys(schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    for list in ["anyOf", "allOf"] {
        schema[list].as_array().into_iter().flatten().for_each(|part| keys(part, path, found));
    }
    for inside in ["then", "items"].into_iter().filter(|key| schema[*key].is_object()) {
        keys(&schema[inside], path, found);
    }
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        keys(value, &path, found);
        found.insert(path);
    }
}

/// A scenario with further values.
fn with(text: &str, edits: &[&str]) -> String {
    edits.iter().fold(text.to_string(), |text, edit| {
        if let Some(path) = edit.strip_prefix('-') {
            return remove(&text, path).unwrap_or_else(|e| panic!("{edit}: {e}"));
        }
        let (path, value) = edit.split_once('=').expect(edit);
        set(&text, path, value).unwrap_or_else(|e| panic!("{edit}: {e}"))
    })
}

/// All figures of a run under `chap`; None: the reader refuses the text.
fn figures(text: &str) -> Option<String> {
    let file = ScenarioFile::parse("key.toml", text).ok()?;
    let chap = Params::new(Discipline::named("chap").expect("registered"));
    Some(format!("{:?}", measure(&file.scenario, &airtab_sim::run(&file.scenario, &chap, 1))))
}

#[test]
fn every_key_of_a_cell_has_a_case() {
    let schema = schema::scenario();
    let top: BTreeSet<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let known: BTreeSet<&str> = OTHER_TABLES.into_iter().chain(["wifi", "station"]).collect();
    assert_eq!(top, known, "a table is new, or gone: does it depend on the PHY profile?");
    let mut of_schema = BTreeSet::new();
    for table in ["wifi", "station"] {
        keys(&schema["properties"][table], table, &mut of_schema);
    }
    let of_cases: BTreeSet<String> =
        cases().iter().map(|case| case.key.to_string()).chain(NO_CASE.map(String::from)).collect();
    assert_eq!(of_schema, of_cases, "each key needs a line in CASES");
}

/// A value that is accepted and changes nothing is ignored.
#[test]
fn no_profile_ignores_a_key() {
    let cases = cases();
    let media = Phy::all().map(|phy| (phy, "dcf"));
    let emulated = ["d7.1", "phy-a"].map(|name| (Phy::named(name).expect("a profile"), "emulator"));
    let (mut ignored, mut changing) = (String::new(), BTreeSet::new());
    for (phy, medium) in media.chain(emulated) {
        let name = phy.name();
        let base = with(BASE, &[&format!("wifi.phy={name}"), &format!("wifi.medium={medium}")]);
        let mut bases: BTreeMap<&[&str], Option<String>> = BTreeMap::new();
        for Case { key, profiles, before, values } in &cases {
            if *profiles != "all" && (*profiles == "mcs") != phy.has_mcs() {
                continue;
            }
            let text = with(&base, before);
            // What cannot be set before is refused with or without the key.
            let Some(plain) = bases.entry(before).or_insert_with(|| figures(&text)) else { continue };
            let accepted = values.iter().filter_map(|value| figures(&with(&text, value)));
            let changes: Vec<bool> = accepted.map(|figures| figures != *plain).collect();
            if changes.contains(&true) {
                changing.insert(*key);
            } else if !changes.is_empty() {
                ignored += &format!("{name}, {medium}: {key}: {before:?} {values:?}\n");
            }
        }
    }
    assert!(ignored.is_empty(), "{ignored}");
    let never: Vec<_> = cases.iter().map(|case| case.key).filter(|key| !changing.contains(key)).collect();
    assert!(never.is_empty(), "refused everywhere: {never:?}");
}
