// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A station that is out of reach for 30 s, from the middle of an aggregate on. Its TCP comes back, no packet is passed up
//! twice, and the other stations lose no packet. The station loses some block acks before and after, so that it gets
//! packets twice.

use std::collections::{BTreeMap, BTreeSet};

use airtab_core::time::{MS, SECOND as S};
use airtab_core::{Discipline, Params};
use airtab_scenario::ScenarioFile;
use airtab_sim::wifi::{End, Loss};
use airtab_sim::{Change, Changed, Content, Leg, Simulation};

const STATIONS: usize = 5;
/// Timeouts double from some 0.2 s on: the first one after 30 s comes before twice that time.
const END: u64 = 80 * S;

/// Share of MPDUs and of block acks that the first station loses before and after its outage.
const FER: f64 = 0.02;

/// Five stations of 802.11n at MCS 7, each with an application of that kind.
fn home(kind: &str) -> ScenarioFile {
    let mut text =
        "duration = \"80s\"\nwired.rate = \"1Gb/s\"\n[wifi]\nphy = \"std-11n\"\nerrors = \"fer\"\nattempts = 30\n"
            .to_string();
    for i in 0..STATIONS {
        let fer = if i == 0 { FER } else { 0.0 };
        text += &format!(
            "[[station]]\nname = \"s{i}\"\nmcs = 7\nfer = {fer}\n\
             [[app]]\nname = \"{kind} {i}\"\nkind = \"{kind}\"\nstation = \"s{i}\"\nlatency = \"10ms\"\n"
        );
    }
    ScenarioFile::parse("outage.toml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The middle of an aggregate from or to the first station, some time after 10 s.
fn within_an_aggregate(file: &ScenarioFile, params: &Params, down: bool) -> u64 {
    let mut simulation = Simulation::new(&file.scenario, params, 1);
    simulation.advance(10 * S);
    simulation.watch_air(true);
    simulation.advance(11 * S);
    let mut mpdus: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    for frame in simulation.frames().filter(|frame| frame.down == down && frame.station == Some(0)) {
        *mpdus.entry((frame.start_ns, frame.data_ns)).or_default() += 1;
    }
    let ((start, lasts), _) = mpdus.into_iter().find(|(_, n)| *n >= 4).expect("an aggregate of four");
    start + lasts / 2
}

#[test]
fn downloads_survive_an_outage_of_30_s() {
    survive("download");
}

#[test]
fn uploads_survive_an_outage_of_30_s() {
    survive("upload");
}

fn survive(kind: &str) {
    let (mut file, up) = (home(kind), kind == "upload");
    let params = Params::new(Discipline::named("fq_codel").expect("registered"));
    let lost_at = within_an_aggregate(&file, &params, !up);
    let back_at = lost_at + 30 * S;
    let speed = file.scenario.stations[0].speed;
    let change = |at_ns, fer| Change { at_ns, link: Changed::Station(0), speed, loss: Loss::Fer(fer) };
    file.scenario.changes = vec![change(lost_at, 1.0), change(back_at, FER)];
    let mut simulation = Simulation::new(&file.scenario, &params, 1);
    simulation.watch_air(true);
    // Numbers that were received, by station and direction, and bytes of each application, by 10 ms.
    let mut received: BTreeSet<(usize, bool, u64)> = BTreeSet::new();
    let mut repeated = 0;
    let mut bytes: Vec<Vec<u64>> = vec![Vec::new(); STATIONS];
    for now in (1..=END / (10 * MS)).map(|step| step * 10 * MS) {
        simulation.advance(now);
        for frame in simulation.frames().filter(|frame| matches!(frame.content, Content::Packet(_))) {
            if matches!(frame.end, End::Acked | End::AckLost) {
                let sequence = frame.sequence.expect("an agreement for all");
                let own = (frame.station.expect("it is for one"), frame.down, sequence);
                repeated += usize::from(!received.insert(own));
            }
        }
        for (app, bytes) in bytes.iter_mut().enumerate() {
            bytes.push(simulation.received_bytes(app, up));
        }
    }
    assert!(repeated > 100, "{repeated} MPDUs were received twice");
    assert!(simulation.packets().balanced());
    let trace = simulation.finish();
    let step = |at: u64| (at / (10 * MS)) as usize;
    let mut others = [0.0; 2];
    for (app, seen) in trace.apps.iter().enumerate() {
        let name = &seen.name;
        let mbps = |from: u64, to: u64| {
            8e3 * (bytes[app][step(to)] - bytes[app][step(from)]) as f64 / (to - from) as f64
        };
        if app > 0 {
            let lost: u64 = seen.paths.iter().map(|path| path.lost[Leg::Channel as usize]).sum();
            assert_eq!(lost, 0, "{name}: packets that the air lost");
            others = [others[0] + mbps(2 * S, 10 * S), others[1] + mbps(lost_at + S, back_at)];
            continue;
        }
        let before = mbps(2 * S, 10 * S);
        // Packets in flight arrive, and then none.
        assert_eq!(mbps(lost_at + S, back_at), 0.0, "{name}");
        let silent = bytes[app][step(back_at)];
        let first =
            bytes[app].iter().position(|bytes| *bytes > silent).expect("it comes back") as u64 * 10 * MS;
        assert!(first < lost_at + 62 * S, "{name}: back after {} s", (first - lost_at) / S);
        let after = mbps(first + S, first + 4 * S);
        println!("{name}: {before:.2} Mb/s, back after {} ms, {after:.2} Mb/s", (first - back_at) / MS);
        assert!(after > 0.5 * before, "{name}: {after} of {before} Mb/s");
    }
    let [before, meanwhile] = others;
    assert!(meanwhile > 0.95 * before, "the others: {meanwhile} of {before} Mb/s");
    // Each number that was received is passed up once, except those that wait for an earlier one at the end.
    for station in 0..STATIONS {
        for down in [true, false] {
            let app = &trace.apps[station];
            let stream = if down { &app.down } else { &app.up };
            let on_air = received.iter().filter(|own| (own.0, own.1) == (station, down)).count() as u64;
            let passed = stream.received;
            assert!(passed <= on_air, "s{station}, down {down}: {passed} packets of {on_air} numbers");
            let waits = 64 + stream.under_way;
            assert!(
                passed + waits >= on_air,
                "s{station}, down {down}: {passed} packets of {on_air} numbers"
            );
        }
    }
}
