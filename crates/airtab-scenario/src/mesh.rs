// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A mesh as a file says it: `medium = "mesh"` in `[wifi]` with `[mesh]`, `[[node]]`, `[[link]]` and `[[route]]`, or one of
//! the sources' by its name (`topology = "chain-4"`), which the same tables change.
//!
//! Who decodes, senses and is disturbed by whom follows from places and ranges, or from lists: a `[[link]]` between all
//! who decode each other, and pairs of those who sense or disturb each other beside.
//!
//! What it does not do: applications between two nodes are `apps`'s, the MAC of all nodes `wifi`'s; who is next on the
//! way is the simulator's (`wifi/ways`).

use airtab_core::Unit;
use airtab_sim::wifi::{
    CellConfig, Edca, Layout, Loss, MAX_NODES, MeshConfig, MeshLink, MeshNode, Ranges, Reach, Speed, Ways,
};
use airtab_sim::{Shape, Station};

use crate::dnb;
use crate::links::measure;
use crate::mac;
use crate::queues::{QueueSettings, QueueSpec};
use crate::reader::{Section, Value, choice, instead, number, quantity, text, unused};
use crate::speed::Speeds;

/// Farther than any node, metres.
const FARTHEST_M: f64 = 1e6;
/// Where only the range of transmission is given, frames are sensed so much farther: 550 m of 250, as in the sources'
/// simulator.
const SENSED_FARTHER: f64 = 2.2;
/// The tables of a mesh.
pub(crate) const TABLES: [&str; 4] = ["mesh", "node", "link", "route"];

/// A mesh and its nodes. None: it has a problem without which it cannot be.
pub(crate) type Read = Option<(MeshConfig, Vec<Station>)>;

/// All of it; `cell` is what `[wifi]` says of every node.
pub(crate) fn read_mesh(top: &Section, cell: CellConfig, shape: Option<Shape>) -> Read {
    if top.get("station").is_some() {
        top.problem_of("station", "a mesh has nodes in place of stations: write [[node]]");
    }
    let m = top.section("mesh");
    let m = m.as_ref();
    let speeds = Speeds::of(&cell.phy);
    let speed = m.map_or_else(|| speeds.fastest(), |m| Speeds::read(Some(&speeds), m));
    let named = shape.is_some();
    let nodes = read_nodes(top, shape.as_ref(), &cell)?;
    let names: Vec<&str> = nodes.iter().map(|node| node.station.name.as_str()).collect();
    let links = read_links(top, &names, (&speeds, speed));
    let places: Option<Vec<(f64, f64)>> = nodes.iter().map(|node| node.place).collect();
    let names_of_mac = vec![("dcf", false), ("rfd", true)];
    let duplex = m.and_then(|m| m.read("mac", choice(names_of_mac))).unwrap_or(false);
    if let (Some(m), true) = (m, duplex) {
        if cell.phy.has_mcs() {
            let message = format!(
                "full duplex has a packet in each frame, and {} has aggregates: a phy with rates in Mb/s such as \"phy-a\"",
                cell.phy.name()
            );
            m.problem_of("mac", &message);
        }
        if cell.rts_bytes.is_some() {
            m.problem_of("mac", "full duplex has no RTS before DATA: leave rts of [wifi] out");
        }
    }
    let reach = read_reach((top, m), &names, (places.as_deref(), shape.map(|shape| shape.ranges)), &links);
    let dnb = m.and_then(|m| m.section("dnb")).and_then(|s| dnb::read(&s, &cell));
    if let Some(m) = m {
        m.finish();
    }
    let (reach, layout) = reach?;
    let links = all_links(top, &reach, (links, speed), (&names, places.as_deref()));
    let config = MeshConfig {
        cell: CellConfig { beacon: None, edca: Edca::Off, txop: false, ..cell },
        routes: Vec::new(),
        duplex,
        nodes: nodes.iter().map(|node| node.own).collect(),
        reach,
        links,
        layout,
        dnb,
    };
    // What is wrong with a route says nothing about who reaches whom.
    let fine = top.is_fine();
    let config = MeshConfig { routes: read_routes(top, &names, &config), ..config };
    // A topology by name may have two parts; whether an application's nodes are of one is the simulator's rule.
    if let (Ok(ways), true, false) = (Ways::new(&config), fine, named) {
        for (number, node) in nodes.iter().enumerate().skip(1) {
            if ways.next(0, number as u16).is_none() {
                let message = format!(
                    "node '{}': no way leads there from '{}': put it nearer, make tx_range longer, or give it a [[link]]",
                    node.station.name, names[0]
                );
                top.problem_in("node", node.entry, message);
            }
        }
    }
    let stations = nodes.into_iter().map(|node| Station { speed, ..node.station }).collect();
    Some((config, stations))
}

/// Where nodes are, m, if all are somewhere.
type Places<'a> = Option<&'a [(f64, f64)]>;

/// A node as far as its own table goes.
struct Node {
    station: Station,
    place: Option<(f64, f64)>,
    own: MeshNode,
    /// Place of its table among the others, if it has one.
    entry: Option<usize>,
}

fn read_nodes(top: &Section, shape: Option<&Shape>, cell: &CellConfig) -> Option<Vec<Node>> {
    let node = |name: &str, place| Node {
        station: Station {
            name: name.into(),
            speed: Speed::from(1_000),
            loss: Loss::None,
            uplink: None,
            asleep: None,
            walk: None,
            access: None,
        },
        place,
        own: MeshNode::default(),
        entry: None,
    };
    let mut nodes: Vec<Node> = Vec::new();
    if let Some(Shape { names, places, .. }) = shape {
        nodes.extend(names.iter().zip(places).map(|(name, place)| node(name, Some(*place))));
    } else if top.lacks("node") {
        top.problem("no node: a mesh has two [[node]]s at least, or a topology by name".into());
    }
    let sections = top.sections("node");
    if sections.len() > MAX_NODES {
        top.problem_of("node", &format!("{} nodes: at most {MAX_NODES}; leave some out", sections.len()));
        sections.iter().for_each(|s| s.ignore());
        return None;
    }
    let mut given: Vec<String> = Vec::new();
    for (entry, s) in sections.iter().enumerate() {
        let name = s.require("name", |v| unused(v, &given, |name| name)).unwrap_or_default();
        let [x, y] = ["x", "y"]
            .map(|key| s.read(key, number(-FARTHEST_M..=FARTHEST_M, "a number of metres such as 200")));
        let found = nodes.iter().position(|node| node.station.name == name);
        match (shape, found) {
            (Some(_), None) if !name.is_empty() => {
                let names: Vec<&str> = nodes.iter().map(|node| node.station.name.as_str()).collect();
                s.problem_of("name", &format!("the topology has no node '{name}'{}", instead(&name, &names)));
            }
            (Some(_), Some(_)) => {
                for key in ["x", "y"].into_iter().filter(|key| s.get(key).is_some()) {
                    s.problem_of(
                        key,
                        "the topology says where its nodes are; leave it out, or leave topology out",
                    );
                }
            }
            _ => {}
        }
        // A place that is wrong is problem enough.
        let [has_x, has_y] = ["x", "y"].map(|key| s.get(key).is_some());
        if has_x != has_y {
            s.problem("give both x and y, or neither".into());
        }
        let place = (has_x || has_y).then(|| (x.unwrap_or(0.0), y.unwrap_or(0.0)));
        let uplink = s.read("queue", |v| {
            let spec: QueueSpec = text(v)?.parse()?;
            spec.build(&QueueSettings::default()).map_err(|e| e.to_string())
        });
        let ring = s.read("ring", quantity(Unit::Count, 1..=1_000_000)).map(|n| n as usize);
        let aggregates = s.read("aggregation", choice(vec![("off", false), ("ampdu", true)]));
        if aggregates == Some(true) && cell.aggregation.is_none() {
            s.problem_of("aggregation", "[wifi] says that nobody aggregates: give its aggregation there, and \"off\" to the other nodes");
        }
        s.finish();
        given.push(name.clone());
        let at = if shape.is_some() { found } else { Some(nodes.len()) };
        let Some(at) = at else { continue };
        if at == nodes.len() {
            nodes.push(node(&name, place));
        }
        let own = &mut nodes[at];
        own.station.uplink = uplink;
        own.own = MeshNode { aggregates: aggregates.unwrap_or(true), ring };
        own.entry = Some(entry);
    }
    if shape.is_none() && nodes.len() == 1 {
        top.problem_of("node", "one node alone: a mesh has two [[node]]s at least");
    }
    let places = nodes.iter().filter(|node| node.place.is_some()).count();
    if let Some(lost) = nodes.iter().position(|node| node.place.is_none()).filter(|_| places > 0) {
        let message =
            format!("node '{}' has no place, and others have: give it x and y", nodes[lost].station.name);
        top.problem_in("node", nodes[lost].entry, message);
        return None;
    }
    let named = nodes.iter().all(|node| !node.station.name.is_empty());
    (named && nodes.len() >= 2).then_some(nodes)
}

/// Which node has that name.
fn node_of(written: &str, names: &[&str]) -> Result<u16, String> {
    let found = names.iter().position(|name| *name == written);
    let known: Vec<&str> = names.iter().copied().take(20).collect();
    found.map(|node| node as u16).ok_or_else(|| format!("no node '{written}'{}", instead(written, &known)))
}

/// `["a", "b"]`: the lower number first.
pub(crate) fn pair<'s, 'a>(
    s: &Section<'s, 'a>,
    v: &Value<'s, 'a>,
    names: &[&str],
) -> Result<(u16, u16), String> {
    let wrong =
        || format!("{} is not a pair of nodes such as [\"{}\", \"{}\"]", v.written, names[0], names[1]);
    v.value.as_array().ok_or_else(wrong)?;
    let [a, b]: [String; 2] = s.items(v).try_into().map_err(|_| wrong())?;
    let (a, b) = (node_of(&a, names)?, node_of(&b, names)?);
    if a == b {
        return Err(format!("'{}' and itself: a link has two ends", names[usize::from(a)]));
    }
    Ok((a.min(b), a.max(b)))
}

/// A `[[link]]` with its place among the others.
struct Link {
    link: MeshLink,
    entry: usize,
}

fn read_links(top: &Section, names: &[&str], (speeds, usual): (&Speeds, Speed)) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for (entry, s) in top.sections("link").iter().enumerate() {
        let ends = s.require("between", |v| {
            let ends = pair(s, v, names)?;
            match links.iter().any(|link| link.link.ends == ends) {
                true => Err(format!("{} has a [[link]] already: one says both ways", v.written)),
                false => Ok(ends),
            }
        });
        let own = Speeds::KEYS.into_iter().any(|key| s.get(key).is_some());
        let speed = if own { Speeds::read(Some(speeds), s) } else { usual };
        let fer = s.read("fer", number(0.0..=1.0, "a share of frames such as 0.1")).unwrap_or(0.0);
        s.finish();
        let loss = if fer == 0.0 { Loss::None } else { Loss::Fer(fer) };
        links.extend(ends.map(|ends| Link { link: MeshLink { ends, speed, loss }, entry }));
    }
    links
}

/// By places and ranges, or by lists.
fn read_reach(
    (top, m): (&Section, Option<&Section>),
    names: &[&str],
    (places, usual): (Places, Option<Ranges>),
    links: &[Link],
) -> Option<(Reach, Option<Layout>)> {
    let metres = |key| m.and_then(|m| m.read(key, metres));
    let [tx, sense, interference] = ["tx_range", "sense_range", "interference_range"].map(metres);
    let capture = m.and_then(|m| m.read("capture", mac::capture));
    let lists = ["sense", "interference"]
        .map(|key| m.map_or(Vec::new(), |m| m.read(key, |v| pairs(m, v, names)).unwrap_or_default()));
    let Some(places) = places else {
        if let Some(m) = m {
            for key in ["tx_range", "sense_range", "interference_range"] {
                if m.get(key).is_some() {
                    m.problem_of(key, "ranges want places: give x and y of every [[node]]");
                }
            }
            if capture.flatten().is_some() {
                m.problem_of(
                    "capture",
                    "how much stronger a frame is follows from places: give x and y of every [[node]]",
                );
            }
        }
        let ends: Vec<(u16, u16)> = links.iter().map(|link| link.link.ends).collect();
        return Some((Reach::of_lists(names.len(), &ends, &lists[0], &lists[1]), None));
    };
    if let Some(m) = m {
        for key in ["sense", "interference"].into_iter().filter(|key| m.get(key).is_some()) {
            m.problem_of(key, "a list is for nodes without places; with them it is a range");
        }
    }
    let Some(tx_m) = tx.or(usual.map(|ranges| ranges.tx_m)) else {
        let lacks =
            "[mesh] lacks the key `tx_range`: nodes have places, so say how far frames are decoded, metres";
        match m {
            Some(m) if m.get("tx_range").is_none() => m.problem(lacks.into()),
            Some(_) => {}
            None => top.problem(lacks.into()),
        }
        return None;
    };
    let sense_m = sense.or(usual.map(|ranges| ranges.sense_m)).unwrap_or(tx_m * SENSED_FARTHER);
    let interference_m = interference.unwrap_or(sense_m.max(tx_m));
    for (key, range, what) in [
        ("sense_range", sense_m, "who decodes a frame senses it"),
        ("interference_range", interference_m, "a frame that is decoded disturbs others"),
    ] {
        if let Some(m) = m.filter(|_| range < tx_m) {
            let key = if m.get(key).is_some() { key } else { "tx_range" };
            m.problem_of(
                key,
                &format!(
                    "{range} m to sense or to disturb, and {tx_m} m to decode: {what}; give {tx_m} at least"
                ),
            );
        }
    }
    let ranges = Ranges { tx_m, sense_m, interference_m };
    let capture_db = capture.flatten();
    let layout = Layout { places: places.to_vec(), ranges, capture_db };
    Some((Reach::of_positions(places, &ranges, capture_db), Some(layout)))
}

/// `[["a", "b"], ["a", "c"]]`.
fn pairs<'s, 'a>(s: &Section<'s, 'a>, v: &Value<'s, 'a>, names: &[&str]) -> Result<Vec<(u16, u16)>, String> {
    let list = v.value.as_array().ok_or_else(|| format!("{} is not a list of pairs of nodes", v.written))?;
    let one = |item: &'s toml::Spanned<toml::de::DeValue<'a>>| {
        let own = Value::part(item, v.written.clone());
        pair(s, &own, names)
    };
    list.iter().map(one).collect()
}

/// `250` or `"250 m"`.
fn metres(v: &Value) -> Result<f64, String> {
    let wrong = || {
        format!(
            "'{}' is not a distance in metres above 0 and up to 1000000, such as 250 or \"250 m\"",
            v.written
        )
    };
    let distance = measure(&v.written, "m").ok_or_else(wrong)?;
    (distance > 0.0 && distance <= FARTHEST_M).then_some(distance).ok_or_else(wrong)
}

/// All that decode each other have a link; a `[[link]]` says what is different of it.
fn all_links(
    top: &Section,
    reach: &Reach,
    (given, speed): (Vec<Link>, Speed),
    (names, places): (&[&str], Places),
) -> Vec<MeshLink> {
    for Link { link: MeshLink { ends: (a, b), .. }, entry } in &given {
        let (a, b) = (usize::from(*a), usize::from(*b));
        if let (Some(places), false) = (places, reach.decodes(a).has(b)) {
            let ((x, y), (u, v)) = (places[a], places[b]);
            let apart = ((x - u).powi(2) + (y - v).powi(2)).sqrt();
            let message = format!(
                "link between '{}' and '{}': they are {apart:.0} m apart, beyond tx_range: put them nearer, or make tx_range longer",
                names[a], names[b]
            );
            top.problem_in("link", Some(*entry), message);
        }
    }
    let nodes = 0..names.len() as u16;
    let pairs = nodes.clone().flat_map(|a| nodes.clone().filter(move |b| a < *b).map(move |b| (a, b)));
    let near = pairs.filter(|(a, b)| reach.decodes((*a).into()).has((*b).into()));
    let one = |ends| {
        let own = given.iter().find(|link| link.link.ends == ends);
        own.map_or(MeshLink { ends, speed, loss: Loss::None }, |own| own.link)
    };
    near.map(one).collect()
}

fn read_routes(top: &Section, names: &[&str], config: &MeshConfig) -> Vec<Vec<u16>> {
    let mut routes: Vec<(usize, Vec<u16>)> = Vec::new();
    for (entry, s) in top.sections("route").iter().enumerate() {
        let path = s.require("path", |v| {
            v.value.as_array().ok_or_else(|| format!("{} is not a list of nodes", v.written))?;
            s.items(v).iter().map(|name| node_of(name, names)).collect::<Result<Vec<u16>, String>>()
        });
        s.finish();
        routes.extend(path.map(|path| (entry, path)));
    }
    let (entries, routes): (Vec<usize>, Vec<Vec<u16>>) = routes.into_iter().unzip();
    let tried = MeshConfig { routes: routes.clone(), ..config.clone() };
    match Ways::new(&tried) {
        Ok(_) => routes,
        Err(errors) => {
            for error in errors {
                let said = error.said(|node| format!("'{}'", names[usize::from(node)]));
                top.problem_in("route", Some(entries[error.route()]), format!("route: {said}"));
            }
            Vec::new()
        }
    }
}
