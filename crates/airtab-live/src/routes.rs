// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which congestion control TCP uses towards whom: attributes of routes, so that
//! no program needs the right to choose one, and the machine's defaults do not
//! matter.
//!
//! Default routes have CUBIC (`tun`). An application that wants another one has
//! it on the routes between its server and its station: there by a rule for the
//! server's address, here by a route to it.
//!
//! What it does not do: UDP has none, and IPv6 keeps CUBIC (no application uses it).

use std::fs;

use airtab_sim::tcp::Algorithm;

use crate::house::{self, House, Port};

/// The number of the first application's routing table.
const TABLES: usize = 1000;

/// What `ip -batch` has to be told for the device of a port.
pub fn lines(house: &House, port: Port, device: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let default = house.file.scenario.tcp.congestion;
    for (i, app) in house.file.scenario.apps.iter().enumerate() {
        // One that this kernel has not is refused when its application is started.
        let Some(name) = app.kind.congestion(default).and_then(|wanted| linux_name(wanted).ok()) else {
            continue;
        };
        if name == "cubic" {
            continue;
        }
        let server = house::server(i as u16);
        match port {
            Port::Internet => {
                let table = TABLES + i;
                lines.push(format!("route add default dev {device} congctl {name} table {table}"));
                lines.push(format!("rule add from {server} lookup {table}"));
            }
            Port::Station(station) if usize::from(station) == app.station => {
                lines.push(format!("route add {server}/32 dev {device} congctl {name}"));
            }
            Port::Station(_) | Port::AccessPoint => {}
        }
    }
    lines
}

/// What Linux calls a congestion control.
///
/// # Errors
/// If this kernel has none such.
pub(crate) fn linux_name(algorithm: Algorithm) -> Result<&'static str, String> {
    let name = match algorithm {
        Algorithm::NewReno => "reno",
        other => other.name(),
    };
    let file = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let known = fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    if known.split_whitespace().any(|one| one == name) {
        return Ok(name);
    }
    let known = known.trim();
    Err(format!(
        "congestion {name}: this kernel has {known}; `modprobe tcp_{name}` loads it, unless only the simulator has it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtab_scenario::ScenarioFile;

    #[test]
    fn only_what_is_not_cubic_needs_a_route() {
        let text = "name = \"x\"\nduration = \"1s\"\n[[station]]\nname = \"a\"\n[[station]]\nname = \"b\"\n\
            [[app]]\nname = \"get\"\nkind = \"download\"\nstation = \"a\"\n\
            [[app]]\nname = \"put\"\nkind = \"upload\"\nstation = \"b\"\ncongestion = \"newreno\"\n\
            [[app]]\nname = \"web\"\nkind = \"web\"\nstation = \"a\"\n\
            [[app]]\nname = \"game\"\nkind = \"game\"\nstation = \"a\"\n\
            [[app]]\nname = \"none\"\nkind = \"download\"\nstation = \"a\"\ncongestion = \"compound\"\n";
        let house = House::new(ScenarioFile::parse("x.toml", text).unwrap()).unwrap();
        let lines = |port| lines(&house, port, "d0");
        assert_eq!(
            lines(Port::Internet),
            [
                "route add default dev d0 congctl reno table 1001",
                "rule add from 198.18.0.2 lookup 1001",
                "route add default dev d0 congctl reno table 1002",
                "rule add from 198.18.0.3 lookup 1002",
            ]
        );
        assert_eq!(lines(Port::Station(0)), ["route add 198.18.0.3/32 dev d0 congctl reno"]);
        assert_eq!(lines(Port::Station(1)), ["route add 198.18.0.2/32 dev d0 congctl reno"]);
        assert_eq!(lines(Port::AccessPoint), [] as [&str; 0]);
    }
}
