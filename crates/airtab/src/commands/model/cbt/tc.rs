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
}
