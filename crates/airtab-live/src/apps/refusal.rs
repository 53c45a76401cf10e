// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a scenario may ask of its applications that only the simulator has. Source:
//! the programs of `docs/live-apps.md`.
//!
//! What it does not do: whether this machine has the programs, and its kernel the
//! congestion control, is found out when they are started.

use airtab_sim::tcp::Algorithm;
use airtab_sim::traffic::video::HEADERS;
use airtab_sim::traffic::{Download, P2p, Ping, Replay, Udp, Upload, Volume};
use airtab_sim::{App, AppKind};

use super::udp;
use crate::packet::MTU;

/// Connections that iperf3 makes at most.
const MAX_FLOWS: u16 = 128;
/// The shortest packet that holds what ours carry.
const LEAST_BYTES: u32 = HEADERS + udp::HEADER as u32;

/// Why an application cannot be run in real time, and what to do; `default`: the
/// congestion control of a scenario's TCP.
pub(super) fn refusal(app: &App, default: Algorithm) -> Option<String> {
    if app.users.count > 1 {
        let users = app.users.count;
        return Some(format!(
            "{users} users: more than one is the simulator's; leave `users` and `stations` out to run this house live"
        ));
    }
    if app.computer > 1 {
        return Some("`computer` is the simulator's; leave the key out to run this scenario live".into());
    }
    if app.tunnel {
        return Some("`tunnel` is the simulator's; leave the key out to run this house live".into());
    }
    match &app.kind {
        AppKind::Download(Download { reconnect_ns: Some(_), .. }) => Some(
            "`reconnect` is the simulator's: iperf3 keeps its connection; leave the key out to run this house live"
                .into(),
        ),
        AppKind::Download(Download { volume, .. }) | AppKind::Upload(Upload { volume, .. })
            if *volume != Volume::Endless =>
        {
            Some(
                "`volume` is the simulator's: iperf3 sends for a time here; leave the key out to run this house live"
                    .into(),
            )
        }
        AppKind::P2p(P2p { flows, .. }) if *flows > MAX_FLOWS => {
            Some(format!("{flows} flows: iperf3 takes at most {MAX_FLOWS}"))
        }
        AppKind::Download(_)
        | AppKind::Upload(_)
        | AppKind::P2p(_)
        | AppKind::Web(_)
        | AppKind::Streaming(_)
        | AppKind::Responsiveness(_) => None,
        kind if kind.congestion(default).is_some() => {
            Some("no program loads this kind here; only the simulator has it".into())
        }
        kind if kind.is_saturated() => Some(
            "rate = \"max\": only the simulator sees when a packet is over; give a rate to run this house live"
                .into(),
        ),
        AppKind::Udp(Udp { bytes, .. }) | AppKind::Ping(Ping { bytes, .. }) if *bytes < LEAST_BYTES => {
            Some(format!("bytes = {bytes}: its packets carry their time, at least {LEAST_BYTES} bytes"))
        }
        AppKind::Replay(Replay { packets, .. }) if packets.longest() as usize > MTU => Some(format!(
            "its capture has packets of {} bytes: the links here carry at most {MTU}",
            packets.longest()
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use airtab_scenario::ScenarioFile;
    use airtab_sim::traffic::trace::{Packet, Packets};

    use super::*;

    /// Each limit on both sides of it.
    #[test]
    fn what_only_the_simulator_has_is_refused() {
        for (keys, told) in [
            ("kind = \"game\"", None),
            ("kind = \"game\"\nusers = 1", None),
            ("kind = \"game\"\nusers = 3", Some("3 users: more than one is the simulator's; ")),
            ("kind = \"game\"\ncomputer = 1", None),
            ("kind = \"game\"\ncomputer = 2", Some("`computer` is the simulator's; ")),
            ("kind = \"download\"", None),
            ("kind = \"download\"\nreconnect = \"1s\"", Some("`reconnect` is the simulator's: ")),
            ("kind = \"download\"\nvolume = \"1MB\"", Some("`volume` is the simulator's: ")),
            ("kind = \"upload\"", None),
            ("kind = \"upload\"\nvolume = \"1MB\"", Some("`volume` is the simulator's: ")),
            ("kind = \"p2p\"\nflows = 128", None),
            ("kind = \"p2p\"\nflows = 129", Some("129 flows: iperf3 takes at most 128")),
            ("kind = \"web\"", None),
            ("kind = \"streaming\"", None),
            ("kind = \"responsiveness\"", None),
            ("kind = \"http\"", Some("no program loads this kind here; ")),
            ("kind = \"udp\"\nrate = \"max\"", Some("rate = \"max\": only the simulator sees")),
            ("kind = \"udp\"\nrate = \"1Mb/s\"\nbytes = 44", None),
            (
                "kind = \"udp\"\nrate = \"1Mb/s\"\nbytes = 43",
                Some("bytes = 43: its packets carry their time, at least 44 bytes"),
            ),
            ("kind = \"ping\"\nbytes = 44", None),
            (
                "kind = \"ping\"\nbytes = 43",
                Some("bytes = 43: its packets carry their time, at least 44 bytes"),
            ),
        ] {
            let ends = super::super::fixture::ends(keys);
            let said = refusal(&ends.app, Algorithm::Cubic);
            assert_eq!(said.is_some(), told.is_some(), "{keys}: {said:?}");
            assert!(
                told.is_none_or(|told| said.as_ref().is_some_and(|said| said.starts_with(told))),
                "{said:?}"
            );
        }
    }

    #[test]
    fn a_capture_has_to_fit_through_the_links() {
        let of = |bytes| {
            let packets =
                vec![Packet { at_ns: 0, bytes: 60, up: true }, Packet { at_ns: 5, bytes, up: false }];
            let kind = Replay::once(Packets::new(packets).unwrap()).into();
            let app = App { kind, ..ScenarioFile::home().scenario.apps[0].clone() };
            refusal(&app, Algorithm::Cubic)
        };
        assert_eq!(of(1500), None);
        let said = "its capture has packets of 1501 bytes: the links here carry at most 1500";
        assert_eq!(of(1501).as_deref(), Some(said));
    }
}
