// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A plan as commands of Linux's `tc`: `cbt` behind `tbf`, and for whoever wants to compare, the same wish as HTB with
//! `fq_codel` and as tins of CAKE. Bytes are those of the plan's link: of a frame on Ethernet 38 more than its IP packet.
//!
//! What it does not do: nothing is run. Rules by station have no filter of `tc`; `Rules` has none.

use airtab_core::{Discipline, Params, Pattern, Rule, TCP, Unit};
use airtab_lab::class_load::Rules;
use airtab_lab::table::wrap;
use airtab_model::cbt::plan::Queue;
use serde_json::{Map, Value, json};

/// Bytes of Ethernet around an IP packet, and of these what `tc` does not count by itself: header 14 of 38.
pub const AROUND: u32 = 38;
const UNCOUNTED: u32 = 24;
/// CAKE's tins of diffserv4, by the numbers that filters give: who bears losses first, what has all, a half, a quarter.
const BULK: usize = 1;
const BEST_EFFORT: usize = 2;
const VIDEO: usize = 3;
const VOICE: usize = 4;

/// A class as the commands need it.
pub struct Class {
    /// Bytes/s on the link.
    pub rate: f64,
    /// Mean IP packet, bytes.
    pub packet: f64,
}

/// Commands under a heading.
pub struct Block {
    key: &'static str,
    about: &'static str,
    lines: Vec<String>,
}

/// All blocks for a device.
pub fn blocks(dev: &str, queue: &Queue, classes: &[Class], rules: &Rules) -> Vec<Block> {
    vec![
        Block {
            key: "cbt",
            about: "cbt, behind tbf, which makes the link:",
            lines: cbt(dev, queue, classes, rules),
        },
        Block {
            key: "htb",
            about: "The same wish as HTB with fq_codel; each class waits for itself, about 5 ms:",
            lines: htb(dev, queue, classes, rules),
        },
        Block {
            key: "cake",
            about: "As tins of CAKE, whose shares are its own, 1/16, all, 1/2 and 1/4:",
            lines: cake(dev, queue, classes, rules),
        },
    ]
}

/// As text, each command a line.
pub fn text(blocks: &[Block], width: usize) -> String {
    let block = |block: &Block| format!("\n{}\n\n  {}\n", wrap(block.about, width), block.lines.join("\n  "));
    blocks.iter().map(block).collect()
}

/// As JSON: lists of lines by name.
pub fn json(blocks: &[Block]) -> Value {
    blocks.iter().map(|block| (block.key.to_string(), json!(block.lines))).collect::<Map<_, _>>().into()
}

fn bits(bytes_per_s: f64) -> String {
    format!("{}bit", (bytes_per_s * 8.0).floor())
}

fn list(values: impl Iterator<Item = String>) -> String {
    values.collect::<Vec<_>>().join(",")
}

/// Parameters of `cbt`, as all front ends read them. All classes are deterministic, as the plan takes them: with early
/// drops one of TCP stays below its threshold, and so below its rate.
fn values(queue: &Queue, classes: &[Class], rules: Option<&Rules>) -> [(&'static str, String); 11] {
    let threshold = |class: &Class| ((class.rate * 8.0).floor() * queue.latency_s / 8.0).floor().to_string();
    let rules = rules.map_or(&[][..], Rules::all);
    [
        ("classes", classes.len().to_string()),
        ("limit", queue.limit.to_string()),
        ("mode", "byte".into()),
        ("latency", Unit::Ns.format((queue.latency_s * 1e9).round() as u64)),
        ("rate", bits(queue.link)),
        ("overhead", AROUND.to_string()),
        ("bandwidth", list(classes.iter().map(|class| bits(class.rate)))),
        ("th_min", list(classes.iter().map(threshold))),
        ("packet", list(classes.iter().map(|class| class.packet.round().to_string()))),
        ("guard", queue.guard.to_string()),
        ("rules", if rules.is_empty() { "host".into() } else { list(rules.iter().map(Rule::to_string)) }),
    ]
}

/// The same, of a discipline. Without rules the host says of which class a packet is.
///
/// # Errors
/// What `cbt` does not take.
pub fn params(queue: &Queue, classes: &[Class], rules: Option<&Rules>) -> Result<Params, String> {
    let mut params = Params::new(Discipline::named("cbt").expect("a discipline of the core"));
    for (key, value) in values(queue, classes, rules) {
        params.set(key, &value).map_err(|e| e.to_string())?;
    }
    params.check().map_err(|e| e.to_string())?;
    Ok(params)
}

fn cbt(dev: &str, queue: &Queue, classes: &[Class], rules: &Rules) -> Vec<String> {
    // what tbf may send at once: two frames, or 2 ms of a fast link
    let burst = (2.0 * queue.full_packet).max(queue.link * 0.002).ceil();
    let values = values(queue, classes, Some(rules));
    let quoted = |value: &str| if value.contains('*') { format!("'{value}'") } else { value.into() };
    let values: Vec<String> = values.iter().map(|(key, value)| format!("{key} {}", quoted(value))).collect();
    vec![
        format!(
            "tc qdisc replace dev {dev} root handle 1: tbf rate {} burst {burst}b limit 100kb overhead {UNCOUNTED}",
            bits(queue.link)
        ),
        format!("tc qdisc add dev {dev} parent 1:1 handle 10: cbt {}", values.join(" ")),
    ]
}

fn htb(dev: &str, queue: &Queue, classes: &[Class], rules: &Rules) -> Vec<String> {
    let id = |class: usize| format!("{:x}", 0x10 + class);
    let (link, last) = (bits(queue.link), id(classes.len() - 1));
    let class = |(parent, own, rate): (&str, &str, &str)| {
        format!(
            "tc class add dev {dev} parent {parent} classid 1:{own} htb rate {rate} ceil {link} overhead {UNCOUNTED}"
        )
    };
    let mut lines = vec![
        format!("tc qdisc replace dev {dev} root handle 1: htb default {last}"),
        class(("1:", "1", &link)),
    ];
    for (i, own) in classes.iter().enumerate() {
        lines.push(class(("1:1", &id(i), &bits(own.rate))));
        lines.push(format!("tc qdisc add dev {dev} parent 1:{} fq_codel", id(i)));
    }
    lines.extend(filters(dev, rules, |class| format!("classid 1:{}", id(class))));
    lines
}

fn cake(dev: &str, queue: &Queue, classes: &[Class], rules: &Rules) -> Vec<String> {
    let tin = |class: usize| match class {
        0 => BEST_EFFORT,
        _ if class + 1 == classes.len() && class > 1 => BULK,
        _ if classes[class].rate <= queue.link / 4.0 => VOICE,
        _ => VIDEO,
    };
    let mut lines = vec![format!(
        "tc qdisc replace dev {dev} root handle 1: cake bandwidth {} diffserv4 overhead {AROUND}",
        bits(queue.link)
    )];
    lines.extend(filters(dev, rules, |class| format!("action skbedit priority 1:{}", tin(class))));
    lines
}

/// Each rule as filters, the first rule asked first; what none takes goes where the qdisc sends it.
fn filters(dev: &str, rules: &Rules, to: impl Fn(usize) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    let mut prio = 0;
    for rule in rules.all() {
        let to = to(rule.class.into());
        let matches: Vec<String> = match &rule.pattern {
            Pattern::All | Pattern::Host => {
                prio += 1;
                lines.push(format!(
                    "tc filter add dev {dev} parent 1: protocol all prio {prio} matchall {to}"
                ));
                continue;
            }
            Pattern::Protocol(protocol) => vec![format!("ip_proto {}", name(*protocol))],
            Pattern::Ports(protocol, ports) => {
                let (first, last) = (ports.start(), ports.end());
                let ports = if first == last { first.to_string() } else { format!("{first}-{last}") };
                let end = |end| format!("ip_proto {} {end} {ports}", name(*protocol));
                vec![end("dst_port"), end("src_port")]
            }
            Pattern::Dscp(dscp) => vec![format!("ip_tos 0x{:02x}/0xfc", dscp << 2)],
            Pattern::Station(_) => Vec::new(),
        };
        // filters of one preference are of one protocol
        for protocol in ["ip", "ipv6"] {
            prio += 1;
            let line = |what: &String| {
                format!(
                    "tc filter add dev {dev} parent 1: protocol {protocol} prio {prio} flower {what} {to}"
                )
            };
            lines.extend(matches.iter().map(line));
        }
    }
    lines
}

fn name(protocol: u8) -> &'static str {
    if protocol == TCP { "tcp" } else { "udp" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue() -> Queue {
        Queue { link: 1_250_000.0, latency_s: 0.03, full_packet: 1538.0, guard: 1, limit: 240 }
    }

    fn classes() -> Vec<Class> {
        [875_000.0, 250_000.0, 125_000.0].map(|rate| Class { rate, packet: 1500.0 }).into()
    }

    #[test]
    fn commands_say_what_was_planned() {
        let rules = Rules::parse("tcp=0,udp:6000-6010=1,dscp:ef=1,*=2", &["tcp", "call", "other"]).unwrap();
        let blocks = blocks("eth0", &queue(), &classes(), &rules);
        insta::assert_snapshot!(text(&blocks, 100));
    }

    #[test]
    fn what_cbt_does_not_take_is_told() {
        let rules = Rules::parse("*=0", &["all"]).unwrap();
        let fast = Queue { link: 1e9, ..queue() };
        let error = params(&fast, &[Class { rate: 1e9, packet: 1500.0 }], Some(&rules)).unwrap_err();
        assert!(error.contains("rate: '8000000000bit' is outside"), "{error}");
    }

    #[test]
    fn tins_are_by_share() {
        let rules = Rules::parse("udp:53=1,*=0", &["all", "dns"]).unwrap();
        let two: Vec<Class> = [750_000.0, 500_000.0].map(|rate| Class { rate, packet: 100.0 }).into();
        let lines = cake("wlan0", &queue(), &two, &rules);
        assert!(
            lines[1].ends_with("flower ip_proto udp dst_port 53 action skbedit priority 1:3"),
            "{}",
            lines[1]
        );
        assert!(
            lines[5].ends_with("protocol all prio 3 matchall action skbedit priority 1:2"),
            "{}",
            lines[5]
        );
    }

    /// The first class is best effort, the last of three or more bulk; of the others those of a quarter of the link or less
    /// are voice.
    #[test]
    fn a_tin_is_that_of_a_share() {
        let rules = Rules::parse("udp:1=0,udp:2=1,udp:3=2,udp:4=3,*=4", &["a", "b", "c", "d", "e"]).unwrap();
        let rates = [100_000.0, 312_500.0, 312_501.0, 400_000.0, 1_000.0];
        let classes: Vec<Class> = rates.map(|rate| Class { rate, packet: 100.0 }).into();
        let lines = cake("eth0", &queue(), &classes, &rules);
        let tins: Vec<&str> =
            lines.iter().filter_map(|line| line.rsplit_once("priority 1:")).map(|(_, tin)| tin).collect();
        // Four filters of each port: both ends, IPv4 and IPv6.
        assert_eq!(tins.concat(), ["2222", "4444", "3333", "3333", "1"].concat());
        let two: Vec<Class> = [900_000.0, 350_000.0].map(|rate| Class { rate, packet: 100.0 }).into();
        let rules = Rules::parse("tcp=0,*=1", &["a", "b"]).unwrap();
        let lines = cake("eth0", &queue(), &two, &rules);
        assert!(
            lines.last().is_some_and(|line| line.ends_with("priority 1:3")),
            "the last of two is not bulk: {lines:?}"
        );
    }

    /// Thresholds are the rate times the latency, in whole bytes; the link's burst is two frames, or 2 ms if that is more.
    #[test]
    fn parameters_are_those_of_the_plan() {
        let two: Vec<Class> =
            [(500_000.0, 999.6), (123_456.0, 300.0)].map(|(rate, packet)| Class { rate, packet }).into();
        let queue = Queue { latency_s: 0.025, guard: 3, limit: 99, ..queue() };
        let values = values(&queue, &two, None);
        let of = |key: &str| values.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
        for (key, value) in [
            ("classes", "2"),
            ("limit", "99"),
            ("mode", "byte"),
            ("latency", "25ms"),
            ("rate", "10000000bit"),
            ("overhead", "38"),
            ("bandwidth", "4000000bit,987648bit"),
            ("th_min", "12500,3086"),
            ("packet", "1000,300"),
            ("guard", "3"),
            ("rules", "host"),
        ] {
            assert_eq!(of(key), Some(value), "{key}");
        }
        let rules = Rules::parse("tcp=0,*=1", &["a", "b"]).unwrap();
        let burst = |link: f64| cbt("eth0", &Queue { link, ..queue }, &two, &rules)[0].clone();
        assert!(
            burst(1_250_000.0).contains(" rate 10000000bit burst 3076b limit 100kb overhead 24"),
            "{}",
            burst(1_250_000.0)
        );
        assert!(burst(12_500_000.0).contains(" rate 100000000bit burst 25000b "), "{}", burst(12_500_000.0));
    }

    /// Each class has a queue of its own, and what no rule takes is of the last class.
    #[test]
    fn htb_has_a_class_for_each() {
        let rules = Rules::parse("udp:7-9=1,dscp:ef=2,*=0", &["a", "b", "c"]).unwrap();
        let lines = htb("eth0", &queue(), &classes(), &rules);
        assert_eq!(lines[0], "tc qdisc replace dev eth0 root handle 1: htb default 12");
        let rates = ["7000000bit", "2000000bit", "1000000bit"];
        for (i, rate) in rates.iter().enumerate() {
            let class = format!(
                "tc class add dev eth0 parent 1:1 classid 1:1{i} htb rate {rate} ceil 10000000bit overhead 24"
            );
            assert_eq!(lines[2 + 2 * i], class);
            assert_eq!(lines[3 + 2 * i], format!("tc qdisc add dev eth0 parent 1:1{i} fq_codel"));
        }
        let filters: Vec<&str> = lines[8..]
            .iter()
            .filter_map(|line| line.strip_prefix("tc filter add dev eth0 parent 1: "))
            .collect();
        assert_eq!(
            filters,
            [
                "protocol ip prio 1 flower ip_proto udp dst_port 7-9 classid 1:11",
                "protocol ip prio 1 flower ip_proto udp src_port 7-9 classid 1:11",
                "protocol ipv6 prio 2 flower ip_proto udp dst_port 7-9 classid 1:11",
                "protocol ipv6 prio 2 flower ip_proto udp src_port 7-9 classid 1:11",
                "protocol ip prio 3 flower ip_tos 0xb8/0xfc classid 1:12",
                "protocol ipv6 prio 4 flower ip_tos 0xb8/0xfc classid 1:12",
                "protocol all prio 5 matchall classid 1:10",
            ]
        );
    }
}
