// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A house: a scenario whose stations and servers are real network namespaces.
//!
//! House files are scenario files (`docs/scenarios.md`): the same file can be
//! simulated. Every application has a server of its own with an address of its
//! own, whose latency is inside the medium; all servers live in one namespace,
//! `internet`. The access point has an address, too: a ping to it takes the
//! Wi-Fi hop alone.
//!
//! What it does not do: it makes nothing (`netns`, `tun`), it starts nothing (`apps`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use airtab_scenario::ScenarioFile;
use airtab_sim::{Scenario, address};

use crate::error::LiveError;

/// Stations of a house: namespaces and devices for more than this take long.
pub(crate) const MAX_STATIONS: usize = 200;
/// Beginning of the names of all namespaces of all houses.
pub(crate) const PREFIX: &str = "airtab-";

/// What is run.
#[derive(Clone, Debug)]
pub struct House {
    /// Stations, applications, disciplines.
    pub file: ScenarioFile,
}

/// An end of the access point's wires: one namespace, one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Port {
    /// All servers.
    Internet,
    /// The access point's own address.
    AccessPoint,
    /// One station, by its index.
    Station(u16),
}

impl Port {
    /// The name of its device.
    pub fn device(self) -> &'static str {
        match self {
            Port::Internet => "eth0",
            Port::AccessPoint => "br0",
            Port::Station(_) => "wlan0",
        }
    }
}

impl House {
    /// A house of a scenario.
    ///
    /// # Errors
    /// The first of its [`House::refusals`].
    pub fn new(file: ScenarioFile) -> Result<House, LiveError> {
        match House::refusals(&file.scenario).into_iter().next() {
            Some(refused) => Err(refused),
            None => Ok(House { file }),
        }
    }

    /// Why a scenario cannot be a house: it is too large, or names cannot name
    /// namespaces. None: it can.
    pub fn refusals(scenario: &Scenario) -> Vec<LiveError> {
        let n = scenario.stations.len();
        let large = (n > MAX_STATIONS)
            .then(|| LiveError::House(format!("{n} stations: a live house takes at most {MAX_STATIONS}")));
        let names = [&scenario.name].into_iter().chain(scenario.stations.iter().map(|s| &s.name));
        let bad: Vec<&str> = names.filter(|name| check_name(name).is_err()).map(String::as_str).collect();
        let named = match bad.as_slice() {
            [] => None,
            [one] => check_name(one).err(),
            more => Some(LiveError::House(format!("names {}: {NAMES}", some_of(more)))),
        };
        let walkers: Vec<&str> =
            scenario.stations.iter().filter(|s| s.walk.is_some()).map(|s| s.name.as_str()).collect();
        let walks = walkers.first().map(|first| {
            let which = match walkers.as_slice() {
                [one] => format!("station {one}"),
                more => format!("stations {}", some_of(more)),
            };
            LiveError::House(format!(
                "{which}: a walk is the simulator's; leave `walk` out, and move it with airtab live set {first} distance"
            ))
        });
        let wire = scenario.medium.wire().map(|_| {
            LiveError::House("a dumbbell is the simulator's: a live house has a cell; leave `topology` and [bottleneck] out".into())
        });
        let mesh = scenario.medium.mesh().map(|_| {
            LiveError::House("a mesh is the simulator's: a live house has one access point; write medium = \"dcf\" and [[station]]s".into())
        });
        large.into_iter().chain(wire).chain(mesh).chain(named).chain(walks).collect()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.file.scenario.name
    }

    /// Beginning of the names of its namespaces.
    pub fn prefix(&self) -> String {
        prefix(self.name())
    }

    /// The namespace of a port.
    pub fn netns(&self, port: Port) -> String {
        let prefix = self.prefix();
        match port {
            Port::Internet => format!("{prefix}internet"),
            Port::AccessPoint => format!("{prefix}ap"),
            Port::Station(i) => format!("{prefix}sta-{}", self.file.scenario.stations[usize::from(i)].name),
        }
    }

    /// Every port, servers first.
    pub fn ports(&self) -> impl Iterator<Item = Port> {
        let stations = self.file.scenario.stations.len() as u16;
        [Port::Internet, Port::AccessPoint].into_iter().chain((0..stations).map(Port::Station))
    }

    /// Addresses of a port.
    pub fn addresses(&self, port: Port) -> Vec<IpAddr> {
        let both = |v4: Ipv4Addr, v6: Ipv6Addr| vec![v4.into(), v6.into()];
        match port {
            Port::Internet => {
                (0..self.file.scenario.apps.len() as u16).flat_map(|i| both(server(i), server6(i))).collect()
            }
            Port::AccessPoint => both(ACCESS_POINT, ACCESS_POINT6),
            Port::Station(i) => both(station(i), station6(i)),
        }
    }
}

/// Whether a house or a station can have that name: it becomes part of names of
/// files and namespaces, which must not be another house's.
///
/// # Errors
/// Names it, and what is allowed.
pub(crate) fn check_name(name: &str) -> Result<(), LiveError> {
    let known = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let good = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= 40
        && name.chars().all(known)
        && !format!("{name}-").contains("-sta-");
    good.then_some(()).ok_or_else(|| LiveError::House(format!("name {name:?}: {NAMES}")))
}

/// Rule for the names of a scenario and its stations, which become names of network namespaces.
const NAMES: &str = "a live house names namespaces with it: letters, digits, '-', '_' and '.', at most 40, a letter or \
                     digit first, and no '-sta-'";

/// The first three in quotes, and how many more there are.
fn some_of(names: &[&str]) -> String {
    let first: Vec<String> = names.iter().take(3).map(|name| format!("{name:?}")).collect();
    match names.len().saturating_sub(3) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Whether a namespace of that name is one of the house of that name.
pub fn owns(house: &str, netns: &str) -> bool {
    let part = netns.strip_prefix(&prefix(house));
    part.is_some_and(|part| part == "internet" || part == "ap" || part.starts_with("sta-"))
}

/// Beginning of the names of the namespaces of the house of that name.
pub(crate) fn prefix(house: &str) -> String {
    format!("{PREFIX}{house}-")
}

/// The access point's own addresses.
pub const ACCESS_POINT: Ipv4Addr = Ipv4Addr::new(10, 0, 255, 1);
/// The same in IPv6.
pub const ACCESS_POINT6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xa1b, 0, 0, 0, 0, 0, 1);

/// Address of the server of application `i`.
pub fn server(i: u16) -> Ipv4Addr {
    address::server(i + 1)
}

/// The same in IPv6.
pub fn server6(i: u16) -> Ipv6Addr {
    Ipv6Addr::new(0xfd00, 0xa1b, 2, 0, 0, 0, 0, i + 1)
}

/// Address of station `i`.
pub fn station(i: u16) -> Ipv4Addr {
    address::station(i + 1)
}

/// The same in IPv6.
pub fn station6(i: u16) -> Ipv6Addr {
    Ipv6Addr::new(0xfd00, 0xa1b, 1, 0, 0, 0, 0, i + 1)
}

/// Whose address it is: an application's server, a station, the access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The server of an application, by its index.
    Server(u16),
    /// A station, by its index.
    Station(u16),
    /// The access point.
    AccessPoint,
}

/// Looks up an address; None if it is nobody's. The index may be past the end
/// of the house's list.
pub(crate) fn owner(address: IpAddr) -> Option<Owner> {
    if address == IpAddr::V4(ACCESS_POINT) || address == IpAddr::V6(ACCESS_POINT6) {
        return Some(Owner::AccessPoint);
    }
    match address {
        IpAddr::V4(a) => match a.octets() {
            [198, 18, high, low] => u16::from_be_bytes([high, low]).checked_sub(1).map(Owner::Server),
            [10, 0, high, low] => u16::from_be_bytes([high, low]).checked_sub(1).map(Owner::Station),
            _ => None,
        },
        IpAddr::V6(a) => match a.segments() {
            [0xfd00, 0xa1b, 1, 0, 0, 0, 0, i] => i.checked_sub(1).map(Owner::Station),
            [0xfd00, 0xa1b, 2, 0, 0, 0, 0, i] => i.checked_sub(1).map(Owner::Server),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_of_a_house_has_its_owner() {
        let house = House::new(ScenarioFile::home()).unwrap();
        for port in house.ports() {
            for (i, address) in house.addresses(port).into_iter().enumerate() {
                let expected = match port {
                    Port::Internet => Owner::Server(i as u16 / 2),
                    Port::AccessPoint => Owner::AccessPoint,
                    Port::Station(i) => Owner::Station(i),
                };
                assert_eq!(owner(address), Some(expected), "{address}");
            }
        }
        assert_eq!(owner("192.0.2.1".parse().unwrap()), None);
        assert_eq!(owner("10.0.0.0".parse().unwrap()), None);
        assert_eq!(house.netns(Port::Station(0)), "airtab-home-sta-console");
    }

    #[test]
    fn names_that_cannot_name_a_namespace_are_refused() {
        for name in ["../x", "..", ".", "", "/etc", "-n", "a b", "a-sta", "a-sta-b"] {
            let mut file = ScenarioFile::home();
            file.scenario.name = name.into();
            assert!(House::new(file).unwrap_err().to_string().contains(&format!("{name:?}")));
        }
    }

    /// 40 characters, ASCII alone, and every name of the house.
    #[test]
    fn names_may_be_of_forty_characters() {
        let longest = "a".repeat(40);
        for good in [&*longest, "1", "a.b_c-D9", "sta-x"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in [&*"a".repeat(41), "stühle", "_a", ".a"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
        let mut file = ScenarioFile::home();
        file.scenario.stations[1].name = "a b".into();
        file.scenario.stations[2].name = "c/d".into();
        let told: Vec<String> = House::refusals(&file.scenario).iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("names \"a b\", \"c/d\": "), "{told:?}");
        file.scenario.stations[1].name = "a".into();
        let told: Vec<String> = House::refusals(&file.scenario).iter().map(ToString::to_string).collect();
        assert!(told.len() == 1 && told[0].starts_with("name \"c/d\": "), "{told:?}");
        // 19 copies of a station.
        let text = "name = \"x\"\nduration = \"1s\"\n[[station]]\nname = \"s\"\ncount = 20\nwalk = [[\"0s\", 1], [\"1s\", 9]]\n\
                    [[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"s\"\n";
        let file = ScenarioFile::parse("x.toml", text).unwrap();
        let told: Vec<String> = House::refusals(&file.scenario).iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].starts_with("names \"s 2\", \"s 3\", \"s 4\" and 16 more: "), "{told:?}");
        assert!(told[1].starts_with("stations \"s\", \"s 2\", \"s 3\" and 17 more: a walk is "), "{told:?}");
    }

    #[test]
    fn two_hundred_stations_fit() {
        let of = |n: u32| {
            let stations: String = (0..n).map(|i| format!("[[station]]\nname = \"s{i}\"\n")).collect();
            let app = "[[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"s0\"\n";
            let text = format!("name = \"x\"\nduration = \"1s\"\n{stations}{app}");
            House::new(ScenarioFile::parse("x.toml", &text).unwrap()).map(|house| house.ports().count())
        };
        assert_eq!(of(200).unwrap(), 202);
        assert_eq!(of(201).unwrap_err().to_string(), "201 stations: a live house takes at most 200");
    }

    /// Addresses as `docs/live.md` has them, from 1 on, both families, past a byte.
    #[test]
    fn addresses_are_numbered_from_one() {
        let told = |i| {
            let all: [IpAddr; 4] =
                [server(i).into(), server6(i).into(), station(i).into(), station6(i).into()];
            all.map(|address| address.to_string())
        };
        assert_eq!(told(0), ["198.18.0.1", "fd00:a1b:2::1", "10.0.0.1", "fd00:a1b:1::1"]);
        assert_eq!(told(299), ["198.18.1.44", "fd00:a1b:2::12c", "10.0.1.44", "fd00:a1b:1::12c"]);
        for i in [0, 299] {
            let [a, b, c, d] = told(i).map(|address| owner(address.parse().unwrap()));
            assert_eq!((a, b), (Some(Owner::Server(i)), Some(Owner::Server(i))));
            assert_eq!((c, d), (Some(Owner::Station(i)), Some(Owner::Station(i))));
        }
        for nobody in
            ["fd00:a1b:1::", "fd00:a1b:2::", "198.18.0.0", "198.19.0.1", "fd00:a1b:3::1", "10.1.0.1"]
        {
            assert_eq!(owner(nobody.parse().unwrap()), None, "{nobody}");
        }
    }

    #[test]
    fn a_dumbbell_is_no_house() {
        let mut file = ScenarioFile::home();
        let wire = airtab_sim::wifi::WireConfig { rate_bps: 10_000_000, overhead: 38 };
        file.scenario.medium = airtab_sim::wifi::MediumConfig::Wire(wire);
        let told = House::new(file).unwrap_err().to_string();
        assert!(told.contains("a dumbbell is the simulator's"), "{told}");
    }

    #[test]
    fn who_walks_by_himself_is_refused() {
        let mut file = ScenarioFile::home();
        file.scenario.stations[0].walk = airtab_sim::wifi::Walk::new(vec![(0, 1.0)]).ok();
        let told = House::new(file).unwrap_err().to_string();
        assert!(told.contains("station console: a walk is the simulator's"), "{told}");
    }

    #[test]
    fn a_house_owns_its_namespaces_and_no_other_houses() {
        let mut other = ScenarioFile::home();
        other.scenario.name = "home-2".into();
        let (home, other) = (House::new(ScenarioFile::home()).unwrap(), House::new(other).unwrap());
        for port in home.ports() {
            assert!(owns("home", &home.netns(port)) && !owns("home-2", &home.netns(port)));
            assert!(owns("home-2", &other.netns(port)) && !owns("home", &other.netns(port)));
        }
    }
}
