// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Floods of new flows at one station: goodput of the other flows, and waiting time of the first
//! packet of a new flow.

use crate::common;

use std::collections::BTreeMap;
use std::net::IpAddr;

use airtab_live::{AccessPoint, FlowView, House, Port, house};
use airtab_scenario::ScenarioFile;
use common::{Inner, MS, S, packet, queue};

/// A line of some 10 Mb/s. The tv is flooded, the laptop downloads, and the
/// console is whose new flows count.
pub fn home(name: &str) -> House {
    let mut text = format!("name = \"{name}\"\nduration = \"60s\"\n");
    for station in ["console", "laptop", "tv"] {
        text += &format!("[[station]]\nname = \"{station}\"\nrate = \"12Mb/s\"\nfer = 0\n");
    }
    for (app, station) in [("game", "console"), ("get", "laptop"), ("film", "tv")] {
        text += &format!(
            "[[app]]\nname = \"{app}\"\nkind = \"download\"\nstation = \"{station}\"\nlatency = \"2ms\"\n"
        );
    }
    House::new(ScenarioFile::parse("house.toml", &text).expect("a good file")).expect("a good house")
}

/// What came of a flood in virtual time.
struct Flooded {
    /// Bits a second of the one flow that was there before.
    known_bps: f64,
    /// From the sending of each new flow's packet to its arrival, ns.
    new_ns: Vec<u64>,
    lost: usize,
}

/// From 1 s to 6 s: a known flow of 12 Mb/s to the laptop, `flood` new flows a
/// second of 1400 bytes each to the tv, ten new flows a second to the console.
fn flooded(discipline: &str, flood: u64) -> Flooded {
    let mut ap = AccessPoint::new(home("qa-virtual"), &queue(discipline), 1).expect("it fits");
    let from = |i| IpAddr::V4(house::server(i));
    let to = |i| IpAddr::V4(house::station(i));
    let (mut known, mut sent, mut new_ns) = (0, BTreeMap::new(), Vec::new());
    let mut floods = 0u64;
    for ms in 0..6_000u64 {
        let now = ms * MS;
        ap.advance(now);
        while let Some((port, at, bytes)) = ap.transmit() {
            match port {
                Port::Station(1) if at > S => known += bytes.len() as u64,
                Port::Station(0) => {
                    let id = u32::from_be_bytes(bytes[bytes.len() - 4..].try_into().expect("four"));
                    new_ns.push(at - sent.remove(&id).expect("it was sent"));
                }
                _ => {}
            }
        }
        let mut send = |app, port, bytes, id| {
            ap.receive(Port::Internet, &packet(from(app), to(app), Inner::Udp, port, 0, bytes, id), now);
        };
        send(1, 9, 1500, 0);
        if ms < 1_000 {
            continue;
        }
        while floods * S < (now - S) * flood {
            send(2, floods as u16, 1400, 0);
            floods += 1;
        }
        if ms % 100 == 50 && ms < 5_500 {
            send(0, ms as u16, 60, ms as u32);
            sent.insert(ms as u32, now);
        }
    }
    assert!(ap.books().balanced());
    Flooded { known_bps: 8.0 * known as f64 / 5.0, new_ns, lost: sent.len() }
}

/// Of new flows at a second station the flood at the first one takes nothing but
/// their turn, and of the known flow no more than another bulk flow would.
#[test]
fn a_flood_displaces_itself_under_chap() {
    let alone = flooded("chap", 0);
    assert!((9e6..11e6).contains(&alone.known_bps), "{}", alone.known_bps);
    for flood in [1_000, 5_000] {
        let under = flooded("chap", flood);
        let worst = under.new_ns.iter().max().copied().unwrap_or(0);
        println!(
            "{flood} new flows/s: known {:.2} Mb/s, new at most {} ms",
            under.known_bps / 1e6,
            worst / MS
        );
        assert_eq!((under.new_ns.len(), under.lost), (45, 0), "every new flow is served");
        assert!(worst < 100 * MS, "{flood}: {worst} ns");
        assert!(under.known_bps > 0.45 * alone.known_bps, "{flood}: {}", under.known_bps);
    }
}

/// In the flood, and a moment after it, a new flow still has a line of its own.
#[test]
fn a_new_flow_is_seen_by_name_in_a_flood_and_after_it() {
    let mut ap = AccessPoint::new(home("qa-names"), &queue("chap"), 1).expect("it fits");
    let pass = |ap: &mut AccessPoint, now: u64, app: u16, port: u16| {
        ap.advance(now);
        while ap.transmit().is_some() {}
        let (from, to) = (house::server(app).into(), house::station(app).into());
        ap.receive(Port::Internet, &packet(from, to, Inner::Udp, port, 0, 60, 0), now);
    };
    // The line carries 3 packets a millisecond; the flood has more flows than there are records.
    for port in 0..6_000 {
        let now = u64::from(port) * 400_000;
        pass(&mut ap, now, 2, port);
        if port % 100 == 0 {
            pass(&mut ap, now, 1, 9);
        }
    }
    pass(&mut ap, 2_400 * MS, 0, 7);
    ap.advance(4 * S);
    let seen = |views: &[FlowView], tuple: &str| views.iter().any(|flow| flow.tuple == tuple);
    let snapshot = ap.snapshot();
    assert_eq!(snapshot.books.given, 6_061, "{:?}", snapshot.books);
    // It shows twenty; sums are of all.
    let stations: u64 = snapshot.stations.iter().map(|s| s.totals.down_bytes).sum();
    assert_eq!(stations, 60 * 6_061);
    pass(&mut ap, 4 * S, 0, 8);
    pass(&mut ap, 4 * S, 1, 9);
    ap.advance(5 * S);
    let views = ap.snapshot().flows;
    assert!(seen(&views, "udp 10.0.0.1:8 198.18.0.1:5000"), "{views:?}");
    let known = views.iter().find(|flow| flow.tuple == "udp 10.0.0.2:9 198.18.0.2:5000");
    assert_eq!(known.map(|flow| flow.totals.down_bytes), Some(60 * 61), "it kept its record: {views:?}");
    assert!(!seen(&views, "many other flows"), "{views:?}");
}
