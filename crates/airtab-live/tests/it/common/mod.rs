// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Houses and packets that several tests share.
#![allow(dead_code, unused_imports)] // each test file uses its own part

pub mod deadline;
pub mod frames;

use std::net::IpAddr;

pub use airtab_core::time::{MS, SECOND as S};
use airtab_live::{House, house};
use airtab_scenario::{QueueSpec, ScenarioFile};
use frames::{Ip, TcpHeader};

/// Two stations and two servers; `wifi` and `wired` are the tables' lines. What
/// is recorded of applications' packets ends with the schedule: after a second.
pub fn house(name: &str, wifi: &str, wired: &str) -> House {
    let text = format!(
        r#"name = "{name}"
duration = "1s"
[wifi]
{wifi}
[wired]
{wired}
[[station]]
name = "console"
fer = 0
[[station]]
name = "laptop"
fer = 0
[[app]]
name = "game"
kind = "game"
station = "console"
latency = "1ms"
[[app]]
name = "download"
kind = "download"
station = "laptop"
latency = "10ms"
class = 1
"#
    );
    House::new(ScenarioFile::parse("house.toml", &text).expect("a good file")).expect("a good house")
}

pub const EMULATOR: &str = "medium = \"emulator\"";

/// A discipline as `--queue` takes it.
pub fn queue(spec: &str) -> QueueSpec {
    spec.parse().expect("a good discipline")
}

/// Packets that each station can have, where a discipline bounds that.
pub fn station_limit(spec: &str) -> Option<u64> {
    let name = spec.split(':').next().expect("a name");
    let params = airtab_core::Discipline::named(name).expect("a discipline").params();
    params.iter().find(|p| p.name == "station_limit").map(|p| p.default)
}

/// The same of a station, a class or a flow.
pub fn own_limit(spec: &str) -> Option<u64> {
    let fred = airtab_core::Discipline::named("fred").expect("a discipline");
    let flow = || fred.params().iter().find(|p| p.name == "min").map(|p| p.default >> 16);
    let cbq = airtab_core::Discipline::named("cbq").expect("a discipline");
    let class = || cbq.params().iter().find(|p| p.name == "class_limit").map(|p| p.default);
    let cbt = airtab_core::Discipline::named("cbt").expect("a discipline");
    let guard = || cbt.params().iter().find(|p| p.name == "guard").map(|p| p.default + 1);
    match spec.split(':').next() {
        Some("fred") => flow(),
        Some("cbq") => class(),
        Some("cbt") => guard(),
        Some("wqm") => Some(1),
        Some("dnb") => Some(10),
        Some("astar") => Some(1),
        _ => station_limit(spec),
    }
}

/// What a discipline is told so that it drops nothing while its queue is not full.
pub fn roomy(name: &str) -> &'static str {
    match name {
        "red" | "fred" => ":min=65535:max=65535",
        "cbq" => ":class_limit=65535",
        "cbt" => ":guard=65535",
        "wqm" => ":least=65535",
        "dnb" => ":limits=65535",
        "astar" => ":law=ebdp:burst=65535",
        _ => "",
    }
}

/// Every discipline of the core.
pub fn disciplines() -> Vec<&'static str> {
    airtab_core::disciplines().map(|d| d.name()).collect()
}

/// The addresses that a packet may be from or to, in one family: servers,
/// stations, the access point, a server and a station that the house has not, a
/// stranger, a group.
pub fn address(which: usize, six: bool) -> IpAddr {
    let pair: [IpAddr; 2] = match which {
        i @ 0..=1 => [house::server(i as u16).into(), house::server6(i as u16).into()],
        i @ 2..=3 => [house::station(i as u16 - 2).into(), house::station6(i as u16 - 2).into()],
        4 => [house::ACCESS_POINT.into(), house::ACCESS_POINT6.into()],
        5 => [house::server(77).into(), house::server6(77).into()],
        6 => [house::station(77).into(), house::station6(77).into()],
        7 => ["192.0.2.1".parse().expect("one"), "2001:db8::1".parse().expect("one")],
        _ => ["224.0.0.5".parse().expect("one"), "ff02::5".parse().expect("one")],
    };
    pair[usize::from(six)]
}

/// How many addresses [`address`] knows.
pub const ADDRESSES: usize = 9;

/// What is in a packet behind its IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inner {
    Udp,
    Tcp,
    Icmp,
    /// Of a datagram in the middle.
    Fragment,
    /// A protocol that nobody knows.
    Other,
}

/// A valid packet of `bytes`, whose last four are `id`; a bit longer if that is
/// too little for its headers. `ecn`: its two bits.
pub fn packet(from: IpAddr, to: IpAddr, inner: Inner, port: u16, ecn: u8, bytes: usize, id: u32) -> Vec<u8> {
    let headers = if from.is_ipv6() { 40 } else { 20 };
    let inner_header = match inner {
        Inner::Udp | Inner::Icmp | Inner::Fragment => 8,
        Inner::Tcp => 20,
        Inner::Other => 0,
    };
    let mut payload = vec![0x5a; bytes.saturating_sub(headers + inner_header).max(4)];
    let end = payload.len() - 4;
    payload[end..].copy_from_slice(&id.to_be_bytes());
    let ip = Ip::new(from, to).octet(ecn & 3);
    match inner {
        Inner::Udp => ip.udp(5000, port, &payload),
        Inner::Tcp => {
            let header = TcpHeader {
                from: 80,
                to: port,
                seq: id,
                ack: 1,
                flags: 0x10,
                window: 1000,
                ..TcpHeader::default()
            };
            ip.tcp(&header, &payload)
        }
        Inner::Icmp => ip.echo(&payload),
        Inner::Fragment if from.is_ipv4() => {
            Ip { fragment: frames::MORE_FRAGMENTS | 100, ..ip }.around(frames::UDP, &payload)
        }
        Inner::Fragment => {
            let header = frames::fragment_header(frames::UDP, 100, true);
            ip.around(frames::FRAGMENT, &[&header[..], &payload].concat())
        }
        Inner::Other => ip.around(253, &payload),
    }
}

/// Makes sure that network namespaces can be made.
///
/// # Panics
///
/// Without root, iproute2 or the kernel's network namespaces.
pub fn require_houses() {
    assert!(
        rustix::process::geteuid().is_root(),
        "this test makes network namespaces, which needs root: run it with sudo"
    );
    let name = format!("qa-probe-{}-{:?}", std::process::id(), std::thread::current().id());
    let name = name.replace(['(', ')'], "");
    for what in ["add", "del"] {
        let ran = std::process::Command::new("ip").args(["netns", what, &name]).output();
        let output = ran.unwrap_or_else(|e| panic!("iproute2 is missing: {e}: tools/require live"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "no network namespaces here: ip netns {what}: {}", said.trim());
    }
}

/// Builds a house for real.
pub fn up(house: House, discipline: &str) -> airtab_live::Running {
    airtab_live::Running::up(house, &queue(discipline), 1, &mut |_| ()).expect("a house is up")
}

/// Memory of this process that is resident, kB: counted page by page, as what
/// `/proc/self/status` says may be some pages off for each processor.
pub fn resident_kb() -> u64 {
    let sums = std::fs::read_to_string("/proc/self/smaps_rollup").expect("it is ours");
    let line = sums.lines().find_map(|l| l.strip_prefix("Rss:")).expect("it is there");
    line.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
}

/// Runs a program in a namespace and gives what it printed.
pub fn run_in(netns: &str, line: &str) -> String {
    let output = std::process::Command::new("ip")
        .args(["netns", "exec", netns])
        .args(line.split_whitespace())
        .output()
        .expect("iproute2 is there");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{line}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}
