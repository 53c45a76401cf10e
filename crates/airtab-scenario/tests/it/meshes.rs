// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Scenario files of meshes: what they say, and every way to get one wrong. The messages are frozen in `snapshots/`.

use airtab_core::Phy;
use airtab_model::sizing::dnb::{Origin, Rounding, Rule};
use airtab_model::sizing::split::Split;
use airtab_scenario::{Direction, Errors, Metric, OfPath, QueueSpec, ScenarioFile, measure};
use airtab_sim::wifi::{DnbConfig, Interference, Layout, Loss, MediumConfig, MeshConfig};
use airtab_sim::{Change, Changed, Latency, Servers, Shape};

/// The mesh that the cases spoil.
const RIGHT: &str = r#"
name = "mesh"
duration = "20s"

[wifi]
medium = "mesh"
phy = "dnb-11b"

[mesh]
tx_range = 250
sense_range = "550 m"
capture = 10

[[node]]
name = "a"
x = 0
y = 0

[[node]]
name = "b"
x = 200
y = 0
queue = "fifo:limit=7"

[[node]]
name = "c"
x = 400
y = 0
ring = 3

[[link]]
between = ["b", "a"]
rate = "2Mb/s"
fer = 0.1

[[route]]
path = ["a", "b", "c"]

[[app]]
name = "tcp"
kind = "download"
from = "a"
to = "c"
"#;

fn mesh(file: &ScenarioFile) -> &MeshConfig {
    match &file.scenario.medium {
        MediumConfig::Mesh(mesh) => mesh,
        other => panic!("{other:?} is no mesh"),
    }
}

#[test]
fn a_mesh_is_what_it_says() {
    let file = ScenarioFile::parse("mesh.toml", RIGHT).unwrap_or_else(|e| panic!("{e}"));
    let (own, scenario) = (mesh(&file), &file.scenario);
    assert_eq!(scenario.stations.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(own.links.iter().map(|link| link.ends).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    assert_eq!(own.links.iter().map(|link| link.speed.kbps()).collect::<Vec<_>>(), [2_000, 11_000]);
    assert_eq!([own.links[0].loss, own.links[1].loss], [Loss::Fer(0.1), Loss::None]);
    assert!(own.cell.beacon.is_none());
    assert!(own.reach.senses(0).has(2) && !own.reach.decodes(0).has(2));
    // From 200 and 400 m the signals are 12.04 dB apart: more than 10.
    assert!(!own.reach.loses(0, 2).is_empty() && !own.reach.is_one_domain());
    assert_eq!(own.nodes[2].ring, Some(3));
    assert_eq!(own.routes, [[0, 1, 2]]);
    assert!(scenario.stations[1].uplink.is_some() && scenario.stations[0].uplink.is_none());
    assert_eq!(
        (scenario.apps[0].station, scenario.apps[0].servers),
        (2, Servers::Behind(0, Latency::both(0)))
    );
    assert_eq!((scenario.wired.rate_bps, scenario.wired.trunk), (1_000_000_000, Latency::both(0)));
    // One key of [wired] leaves the others what they are in a mesh.
    let text = RIGHT.replace("[mesh]\n", "[wired]\nrate = \"50Mb/s\"\n[mesh]\n");
    let wired = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{e}")).scenario.wired;
    assert_eq!((wired.rate_bps, wired.trunk, wired.queue_packets), (50_000_000, Latency::both(0), 1000));
    for (mac, duplex) in [("dcf", false), ("rfd", true)] {
        let text = RIGHT.replace("capture = 10", &format!("mac = \"{mac}\""));
        let file = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(mesh(&file).duplex, duplex);
    }
    assert!(!own.duplex);
    assert_eq!(file.errors, Errors::Fer);
}

#[test]
fn a_mesh_by_its_name_is_what_the_tables_change() {
    for name in Shape::NAMES {
        let Shape { names, .. } = Shape::named(name).expect("it has a name");
        let (first, last) = (&names[0], &names[names.len() - 1]);
        let app =
            format!("[[app]]\nname = \"tcp\"\nkind = \"download\"\nfrom = \"{first}\"\nto = \"{first}\"\n");
        let text = format!("duration = \"9s\"\ntopology = \"{name}\"\n[wifi]\nphy = \"dnb-11b\"\n{app}");
        let told =
            ScenarioFile::parse("mesh.toml", &text).expect_err("it comes from where it goes").to_string();
        assert!(told.contains("is where it comes from"), "{name}: {told}");
        let mut last = last;
        if name == "disjoint" {
            // The two chains do not lead to each other.
            let across = text.replace(&format!("to = \"{first}\""), &format!("to = \"{last}\""));
            let told = ScenarioFile::parse("mesh.toml", &across).expect_err("no way").to_string();
            assert!(told.contains("no way leads from 'a0' to 'b4'"), "{told}");
            last = &names[3];
        }
        let text = text.replace(&format!("to = \"{first}\""), &format!("to = \"{last}\""));
        let file = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(mesh(&file).reach.nodes(), names.len());
    }
    let text = RIGHT.split("[[node]]").next().unwrap().replace("name = \"mesh\"", "topology = \"chain-3\"");
    let text = text.replace("tx_range = 250\nsense_range = \"550 m\"\ncapture = 10", "rate = \"5.5Mb/s\"");
    let text = format!(
        "{text}[[node]]\nname = \"n2\"\nqueue = \"fifo:limit=3\"\n[[link]]\nbetween = [\"n3\", \"n2\"]\nrate = \"1Mb/s\"\n[[app]]\nname = \"tcp\"\nkind = \"download\"\nfrom = \"n0\"\nto = \"n3\"\nlatency = \"5ms\"\n"
    );
    let file = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        mesh(&file).links.iter().map(|link| link.speed.kbps()).collect::<Vec<_>>(),
        [5_500, 5_500, 1_000]
    );
    assert!(mesh(&file).reach.is_one_domain());
    assert_eq!(file.errors, Errors::Fer);
    assert!(file.scenario.stations[2].uplink.is_some());
    assert_eq!(file.scenario.apps[0].servers, Servers::Behind(0, Latency::both(5_000_000)));
}

/// By default the sense range is 2.2 times the transmit range, and the interference range equals it. Each key sets its
/// own range.
#[test]
fn each_range_has_its_place() {
    let of = |keys: &str| {
        let text = RIGHT.replace("tx_range = 250\nsense_range = \"550 m\"\ncapture = 10", keys);
        let file = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{keys}: {e}"));
        let Layout { places, ranges, capture_db } = mesh(&file).layout.clone().expect("nodes have places");
        assert_eq!(places, [(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)]);
        ([ranges.tx_m, ranges.sense_m, ranges.interference_m], capture_db)
    };
    assert_eq!(of("tx_range = 250"), ([250.0, 550.0, 550.0], None));
    assert_eq!(of("tx_range = \"300 m\"\ncapture = \"off\""), ([300.0, 660.0, 660.0], None));
    assert_eq!(of("tx_range = 250\nsense_range = 300"), ([250.0, 300.0, 300.0], None));
    assert_eq!(
        of("tx_range = 250\ninterference_range = 700\ncapture = 6"),
        ([250.0, 550.0, 700.0], Some(6.0))
    );
    let all = "tx_range = 250\nsense_range = 600\ninterference_range = 350";
    assert_eq!(of(all), ([250.0, 600.0, 350.0], None));
    // A topology has its own, which the table changes one by one.
    let named = |mesh_keys: &str| {
        let app = "[[app]]\nname = \"tcp\"\nkind = \"download\"\nfrom = \"n0\"\nto = \"n3\"\n";
        let text = format!(
            "duration = \"9s\"\ntopology = \"chain-3\"\n[wifi]\nphy = \"dnb-11b\"\n[mesh]\n{mesh_keys}\n{app}"
        );
        let file = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{mesh_keys}: {e}"));
        mesh(&file).layout.clone().expect("nodes have places").ranges
    };
    let usual = Shape::named("chain-3").expect("it has a name").ranges;
    assert_eq!(named(""), usual);
    let sense_m = usual.sense_m + 50.0;
    let changed = named(&format!("sense_range = {sense_m}"));
    assert_eq!((changed.tx_m, changed.sense_m, changed.interference_m), (usual.tx_m, sense_m, sense_m));
}

/// Nodes that reach each other are told all the same where no way leads to them from the first.
#[test]
fn each_node_beyond_reach_is_told() {
    let node = |name: &str, x: u32| format!("[[node]]\nname = \"{name}\"\nx = {x}\ny = 0\n");
    let nodes = [node("a", 0), node("b", 200), node("c", 2000), node("d", 2200)].concat();
    let app = "[[app]]\nname = \"tcp\"\nkind = \"download\"\nfrom = \"a\"\nto = \"b\"\n";
    let text = format!("duration = \"1s\"\n[wifi]\nmedium = \"mesh\"\n[mesh]\ntx_range = 250\n{nodes}{app}");
    let told = ScenarioFile::parse("mesh.toml", &text).expect_err("two parts").to_string();
    for (name, is_told) in [("a", false), ("b", false), ("c", true), ("d", true)] {
        let message = format!("node '{name}': no way leads there from 'a'");
        assert_eq!(told.contains(&message), is_told, "{name}: {told}");
    }
}

/// A table of one link or node applies to that one; the others keep `[mesh]` and `[wifi]`.
#[test]
fn links_and_nodes_differ_one_by_one() {
    let text = RIGHT
        .replace("phy = \"dnb-11b\"", "phy = \"std-11n\"")
        .replace("capture = 10", "capture = 10\nmcs = 3")
        .replace("rate = \"2Mb/s\"\n", "")
        .replace("ring = 3", "aggregation = \"off\"");
    let file = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    let own = mesh(&file);
    let links: Vec<_> = own.links.iter().map(|link| (link.speed.to_string(), link.loss)).collect();
    let usual = "HT20 MCS 3, 26 Mb/s".to_string();
    assert_eq!(
        links,
        [(usual.clone(), Loss::Fer(0.1)), (usual, Loss::None)],
        "a link that says its losses alone"
    );
    let nodes: Vec<_> = own.nodes.iter().map(|node| (node.aggregates, node.ring)).collect();
    assert_eq!(nodes, [(true, None), (true, None), (false, None)]);
    assert!(own.cell.aggregation.is_some());
}

/// `[mesh.dnb]`: what the study has, each key, and none.
#[test]
fn limits_may_follow() {
    let read = |table: &str| {
        let text = RIGHT.replace("capture = 10\n", &format!("capture = 10\n{table}\n"));
        let file = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{table}: {e}"));
        mesh(&file).dnb
    };
    assert_eq!(read(""), None);
    assert_eq!(read("[mesh.dnb]\ncontrol = false\nsplit = \"equal\""), None);
    let usual = DnbConfig::new(&Phy::named("dnb-11b").expect("a profile of the core"));
    assert_eq!(read("[mesh.dnb]"), Some(usual));
    let (rule, second) = (usual.rule, 1_000_000_000);
    assert_eq!((usual.threshold, usual.split, usual.interval_ns), (0.9, Split::Ratio, second));
    assert_eq!(
        (rule.packet_bytes, rule.rounding, rule.origin),
        (1460.0, Rounding::Nearest, Origin::FirstQueue)
    );
    let other = read(
        "[mesh.dnb]\ninterference = \"measured\"\nthreshold = 0.8\npacket = \"1000B\"\nrounding = \"up\"\norigin = \"relay\"\nextra = \"3ms\"\nbuffer = 12\nsplit = \"greedy\"\nfloor_to_ampdu = true\ninterval = \"2s\"",
    );
    let (packet_bytes, extra_us) = (1000.0, 3000.0);
    let rule = Rule { packet_bytes, extra_us, rounding: Rounding::Up, origin: Origin::FirstRelay, ..rule };
    let expected = DnbConfig {
        interference: Interference::Measured,
        threshold: 0.8,
        rule,
        buffer: Some(12),
        split: Split::Greedy,
        floor_to_ampdu: true,
        interval_ns: 2 * second,
    };
    assert_eq!(other, Some(expected));
    // Data with RTS takes longer, and B is larger.
    let text = RIGHT.replace("phy = \"dnb-11b\"", "phy = \"dnb-11b\"\nrts = \"1B\"");
    let text = text.replace("capture = 10\n", "capture = 10\n[mesh.dnb]\n");
    let file = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    assert!(mesh(&file).dnb.expect("it is there").rule.exchange.rts_cts);
}

#[test]
fn lists_say_what_places_say() {
    let mut text =
        RIGHT.replace("tx_range = 250\nsense_range = \"550 m\"\ncapture = 10", "sense = [[\"a\", \"c\"]]");
    for place in ["x = 0\ny = 0\n", "x = 200\ny = 0\n", "x = 400\ny = 0\n"] {
        text = text.replace(place, "");
    }
    let text = text.replace("[[route]]", "[[link]]\nbetween = [\"b\", \"c\"]\n\n[[route]]");
    let (lists, places) = (ScenarioFile::parse("mesh.toml", &text), RIGHT.replace("capture = 10\n", ""));
    let lists = lists.unwrap_or_else(|e| panic!("{e}"));
    let places = ScenarioFile::parse("mesh.toml", &places).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(mesh(&lists).reach, mesh(&places).reach);
    assert_eq!(mesh(&lists).links, mesh(&places).links);
    // Who is disturbed, and does not sense it, is in the other list.
    let disturbed = text.replace("sense = ", "interference = ");
    let disturbed = ScenarioFile::parse("mesh.toml", &disturbed).unwrap_or_else(|e| panic!("{e}"));
    let near = RIGHT.replace("\"550 m\"\ncapture = 10\n", "250\ninterference_range = 400\n");
    let near = ScenarioFile::parse("mesh.toml", &near).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(mesh(&disturbed).reach, mesh(&near).reach);
    assert_ne!(mesh(&disturbed).reach, mesh(&lists).reach);
}

/// Changes of a link, one after the other, whatever their order in the file.
/// Pings behind datagrams over four hops. Two links of 1 Gb/s take 12 us each for 1500 bytes, and a packet may wait there for
/// one other. Each of four frames has a preamble of 192 us and its bytes at 11 Mb/s.
#[test]
fn delay_by_part_is_the_sum_over_hops() {
    let text = "duration = \"12s\"\nmeasure = [\"2s\", \"12s\"]\ntopology = \"chain-4\"\nwifi.phy = \"dnb-11b\"\n\
                [queue]\nfifo.limit = 50\n\
                [[app]]\nname = \"ping\"\nkind = \"ping\"\nfrom = \"n0\"\nto = \"n4\"\n\
                [[app]]\nname = \"udp\"\nkind = \"udp\"\nrate = \"3Mb/s\"\nfrom = \"n0\"\nto = \"n4\"\n";
    let file = ScenarioFile::parse("mesh.toml", text).unwrap_or_else(|e| panic!("{e}"));
    let params = "fifo".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
    let measured = measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1));
    for (app, direction, delay) in [
        (0, Direction::Down, Some(Metric::Delay)),
        (0, Direction::Up, Some(Metric::UplinkDelay)),
        (1, Direction::Down, None),
    ] {
        let figures = &measured.apps[app];
        let of = |part| figures[&Metric::of_path(direction, part)];
        let [wires, queue, channel] = [OfPath::Wires, OfPath::Queue, OfPath::Channel].map(of);
        assert!((0.0..50e-6).contains(&wires), "{app} {direction:?}: {wires} s on links of 24 us");
        assert!(channel > 4.0 * 192e-6, "{app} {direction:?}: {channel} s on the air of four frames");
        if let Some(delay) = delay {
            let sum = wires + queue + channel;
            assert!((sum / figures[&delay] - 1.0).abs() < 1e-9, "{sum} of {}", figures[&delay]);
        }
        for part in [OfPath::WiresJitter, OfPath::QueueJitter, OfPath::ChannelJitter] {
            assert!(of(part) >= 0.0, "{app} {direction:?} {part:?}: {}", of(part));
        }
        if app == 1 {
            assert!(channel > 4.0 * (192e-6 + 1500.0 * 8.0 / 11e6), "{channel}");
            assert!(queue > 0.1, "more is offered than four hops of 11 Mb/s carry: {queue}");
        }
    }
}

#[test]
fn links_change() {
    let change = |at: &str, key: &str, value: &str| {
        format!("[[change]]\nat = \"{at}\"\nlink = [\"c\", \"b\"]\nkey = \"{key}\"\nvalue = {value}\n")
    };
    let text = [RIGHT, &change("9s", "fer", "0.5"), &change("5s", "rate", "\"1Mb/s\"")].concat();
    let file = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    let of = |at_ns, loss| Change { at_ns, link: Changed::Link(1), speed: 1_000.into(), loss };
    assert_eq!(file.scenario.changes, [of(5_000_000_000, Loss::None), of(9_000_000_000, Loss::Fer(0.5))]);
    let cell = "duration = \"9s\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\n[[change]]\nat = \"1s\"\nstation = \"s\"\nkey = \"rate\"\nvalue = \"6Mb/s\"\n";
    let file = ScenarioFile::parse("cell.toml", cell).unwrap_or_else(|e| panic!("{e}"));
    let Change { at_ns, link, speed, .. } = file.scenario.changes[0];
    assert_eq!((at_ns, link, speed.kbps()), (1_000_000_000, Changed::Station(0), 6_000));
    let short = airtab_scenario::short(&file.scenario);
    assert_eq!(short.changes[0].at_ns, 100_000_000);
}

/// Name of the case, text of the mesh to replace, its replacement.
const CASES: &[(&str, &str, &str)] = &[
    ("a node out of reach", "x = 400", "x = 4000"),
    ("a route over a missing link", "[\"a\", \"b\", \"c\"]", "[\"a\", \"c\"]"),
    ("a route that comes back", "[\"a\", \"b\", \"c\"]", "[\"a\", \"b\", \"a\", \"b\", \"c\"]"),
    ("a route of one node", "[\"a\", \"b\", \"c\"]", "[\"a\"]"),
    ("a route to nobody", "[\"a\", \"b\", \"c\"]", "[\"a\", \"b\", \"d\"]"),
    ("a route that is no list", "[\"a\", \"b\", \"c\"]", "\"a\""),
    ("from is to", "to = \"c\"", "to = \"a\""),
    ("from nobody", "from = \"a\"", "from = \"aa\""),
    ("to nobody", "to = \"c\"", "to = \"d\""),
    ("neither from nor to", "from = \"a\"\nto = \"c\"", ""),
    ("sensed less far than decoded", "\"550 m\"", "200"),
    ("disturbs less far than decoded", "sense_range = \"550 m\"", "interference_range = 249"),
    ("a range of nothing", "tx_range = 250", "tx_range = 0"),
    ("no range", "tx_range = 250\n", ""),
    ("a range with another unit", "tx_range = 250", "tx_range = \"250 km\""),
    ("a MAC that is none", "capture = 10", "mac = \"rdf\""),
    (
        "full duplex and aggregates",
        "phy = \"dnb-11b\"\n\n[mesh]",
        "phy = \"std-11n\"\n\n[mesh]\nmac = \"rfd\"",
    ),
    (
        "full duplex and RTS",
        "phy = \"dnb-11b\"\n\n[mesh]",
        "phy = \"dnb-11b\"\nrts = 500\n\n[mesh]\nmac = \"rfd\"",
    ),
    ("capture by a word", "capture = 10", "capture = \"on\""),
    ("capture of too much", "capture = 10", "capture = 100"),
    ("a list beside places", "capture = 10", "sense = [[\"a\", \"c\"]]"),
    ("a station in a mesh", "from = \"a\"\nto = \"c\"", "station = \"a\""),
    ("stations in a mesh", "[[route]]", "[[station]]\nname = \"phone\"\n\n[[route]]"),
    ("a server in a mesh", "to = \"c\"", "to = \"c\"\nserver = \"far\"\nstations = 2"),
    ("a cell with nodes", "medium = \"mesh\"", "medium = \"dcf\""),
    ("a node of no place", "x = 400\ny = 0", ""),
    ("half a place", "x = 400\n", ""),
    ("a place as text", "x = 400", "x = \"far\""),
    ("two nodes of one name", "name = \"b\"", "name = \"a\""),
    ("a queue that is none", "\"fifo:limit=7\"", "\"fife\""),
    ("a ring of nothing", "ring = 3", "ring = 0"),
    ("aggregates where there are none", "ring = 3", "aggregation = \"ampdu\""),
    ("a link to itself", "[\"b\", \"a\"]", "[\"b\", \"b\"]"),
    ("a link of one", "[\"b\", \"a\"]", "[\"b\"]"),
    ("a link too far", "[\"b\", \"a\"]", "[\"a\", \"c\"]"),
    ("a link twice", "[[route]]", "[[link]]\nbetween = [\"a\", \"b\"]\n\n[[route]]"),
    ("a link that loses too much", "fer = 0.1", "fer = 1.1"),
    ("a link of no rate", "\"2Mb/s\"", "\"3Mb/s\""),
    (
        "a change after the end",
        "[[route]]",
        "[[change]]\nat = \"21s\"\nlink = [\"a\", \"b\"]\nkey = \"rate\"\nvalue = \"1Mb/s\"\n[[route]]",
    ),
    (
        "a change of no link",
        "[[route]]",
        "[[change]]\nat = \"1s\"\nlink = [\"a\", \"c\"]\nkey = \"rate\"\nvalue = \"1Mb/s\"\n[[route]]",
    ),
    (
        "a change of a station",
        "[[route]]",
        "[[change]]\nat = \"1s\"\nstation = \"a\"\nkey = \"rate\"\nvalue = \"1Mb/s\"\n[[route]]",
    ),
    (
        "a change to nothing",
        "[[route]]",
        "[[change]]\nat = \"1s\"\nlink = [\"a\", \"b\"]\nkey = \"distance\"\nvalue = 3\n[[change]]\nat = \"2s\"\nlink = [\"a\", \"b\"]\nkey = \"rate\"\nvalue = \"3Mb/s\"\n[[route]]",
    ),
    ("unknown keys", "ring = 3", "rings = 3\n[mesh.more]\na = 1"),
    (
        "a controller of wrong values",
        "capture = 10",
        "[mesh.dnb]\ninterference = \"three_hop\"\nthreshold = 0\npacket = \"0B\"\nrounding = \"down\"\norigin = \"node\"\nextra = \"1h\"\nbuffer = 0\nsplit = \"half\"\nfloor_to_ampdu = 1\ninterval = \"500ms\"\ncontrol = \"on\"\ncost = \"linear\"",
    ),
    ("a controller that is no table", "capture = 10", "dnb = true"),
    ("a topology and places", "name = \"mesh\"", "topology = \"chain-3\""),
    ("a topology that is none", "name = \"mesh\"", "topology = \"chain-7\""),
    (
        "beacons and categories",
        "phy = \"dnb-11b\"",
        "phy = \"std-11n\"\nbeacon_interval = \"100ms\"\nedca = \"ieee2012\"\nerrors = \"snr\"",
    ),
];

#[test]
fn every_message() {
    let mut all = String::new();
    for (case, from, to) in CASES {
        assert!(RIGHT.contains(from), "{case}: '{from}' is not in the mesh");
        let message = match ScenarioFile::parse("mesh.toml", &RIGHT.replacen(from, to, 1)) {
            Ok(_) => panic!("{case}: accepted"),
            Err(e) => e.to_string(),
        };
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    let of = |nodes: usize| {
        let nodes: String =
            (0..nodes).map(|i| format!("[[node]]\nname = \"n{i}\"\nx = {i}\ny = 0\n")).collect();
        let app = "[[app]]\nname = \"tcp\"\nkind = \"download\"\nfrom = \"n0\"\nto = \"n1\"\n";
        format!("duration = \"1s\"\n[wifi]\nmedium = \"mesh\"\n[mesh]\ntx_range = 2\n{nodes}{app}")
    };
    assert!(ScenarioFile::parse("mesh.toml", &of(256)).is_ok());
    let square = "duration = \"1s\"\n[wifi]\nmedium = \"mesh\"\n[mesh]\ntx_range = 1.2\n";
    let corner = |name: &str, x: u8, y: u8| format!("[[node]]\nname = \"{name}\"\nx = {x}\ny = {y}\n");
    let nodes = [corner("a", 0, 0), corner("b", 1, 0), corner("c", 0, 1), corner("d", 1, 1)].concat();
    let app = "[[app]]\nname = \"tcp\"\nkind = \"download\"\nfrom = \"a\"\nto = \"d\"\n";
    let route = |path: &str| format!("[[route]]\npath = {path}\n");
    for (case, text) in [
        ("257 nodes", of(257)),
        ("no nodes", of(0)),
        ("one node", of(1)),
        (
            "a node out of reach and no route",
            RIGHT.replace("x = 400", "x = 4000").replace("[[route]]\npath = [\"a\", \"b\", \"c\"]\n", ""),
        ),
        ("two ways to one node", format!("{square}{nodes}{}{}{app}", route(r#"["a", "b", "d"]"#), route(r#"["a", "c", "d"]"#))),
        ("a node between in a cell", "duration = \"1s\"\n[[station]]\nname = \"s\"\n[[node]]\nname = \"n\"\n[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\nfrom = \"n\"\nto = \"s\"\n".into()),
    ] {
        let message = ScenarioFile::parse("mesh.toml", &text).expect_err(case).to_string();
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    insta::assert_snapshot!(all);
}
