// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which class a packet is of: `tcp=0,udp:6000-6010=1,dscp:ef=1,*=2`. The first rule that matches decides; a port may be
//! the source's or the destination's, since of a download the known port is the source's. What no rule takes is of the last
//! class.
//!
//! What it does not do: stations. A capture knows no numbers of them.

use std::ops::RangeInclusive;

use super::headers::{Key, TCP, UDP};

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {number}, '{written}': {what}")]
pub struct RuleError {
    /// From 1.
    pub number: usize,
    /// As it was written.
    pub written: String,
    /// What, and what would do.
    pub what: String,
}

/// Rules, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    rules: Vec<Rule>,
    classes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    written: String,
    pattern: Pattern,
    class: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    All,
    Protocol(u8),
    Ports(u8, RangeInclusive<u16>),
    Dscp(u8),
}

/// Names of code points (RFC 2474, 2597, 3246, 5865, 8622).
const CODE_POINTS: [(&str, u8); 24] = [
    ("be", 0),
    ("le", 1),
    ("cs0", 0),
    ("cs1", 8),
    ("cs2", 16),
    ("cs3", 24),
    ("cs4", 32),
    ("cs5", 40),
    ("cs6", 48),
    ("cs7", 56),
    ("af11", 10),
    ("af12", 12),
    ("af13", 14),
    ("af21", 18),
    ("af22", 20),
    ("af23", 22),
    ("af31", 26),
    ("af32", 28),
    ("af33", 30),
    ("af41", 34),
    ("af42", 36),
    ("af43", 38),
    ("ef", 46),
    ("va", 44),
];

impl Rules {
    /// Reads rules for classes of these names, which are numbered from 0.
    ///
    /// # Errors
    /// The first rule that is none.
    pub fn parse(text: &str, classes: &[&str]) -> Result<Rules, RuleError> {
        let rule = |(i, written): (usize, &str)| {
            let written = written.trim();
            let error = |what| RuleError { number: i + 1, written: written.into(), what };
            rule(written, classes).map_err(error)
        };
        let rules = text.split(',').enumerate().map(rule).collect::<Result<_, _>>()?;
        Ok(Rules { rules, classes: classes.len() })
    }

    /// How many there are.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The first that matches, from 0.
    pub(super) fn first(&self, key: &Key) -> Option<usize> {
        self.rules.iter().position(|rule| rule.pattern.matches(key))
    }

    /// Of which class what it takes is.
    pub(super) fn class(&self, rule: Option<usize>) -> usize {
        rule.map_or(self.classes - 1, |rule| self.rules[rule].class)
    }

    /// For each rule that took none of `matched`, why.
    pub fn unreached(&self, matched: &[u64]) -> Vec<String> {
        let idle = self.rules.iter().enumerate().filter(|(i, _)| matched[*i] == 0);
        let why = |(i, rule): (usize, &Rule)| {
            let before = self.rules[..i].iter().position(|other| other.pattern.covers(&rule.pattern));
            let number = i + 1;
            match before {
                Some(before) => format!(
                    "rule {number}, '{}', is never reached: rule {}, '{}', takes all that it would; put it before that one",
                    rule.written,
                    before + 1,
                    self.rules[before].written
                ),
                None => format!("rule {number}, '{}', took no packet", rule.written),
            }
        };
        idle.map(why).collect()
    }
}

fn rule(written: &str, classes: &[&str]) -> Result<Rule, String> {
    let example = "write PATTERN=CLASS, such as udp:6000-6010=1";
    let (pattern, class) = written.rsplit_once('=').ok_or_else(|| format!("it names no class; {example}"))?;
    let number = class.trim().parse::<usize>().ok();
    let number = number.ok_or_else(|| format!("'{class}' is no number of a class; {example}"))?;
    if number >= classes.len() {
        let (last, names) = (classes.len() - 1, classes.join(", "));
        return Err(format!("there is no class {number}: they are 0 to {last} ({names}); name more classes"));
    }
    Ok(Rule { written: written.into(), pattern: pattern_of(pattern.trim())?, class: number })
}

fn pattern_of(text: &str) -> Result<Pattern, String> {
    let (kind, rest) = text.split_once(':').map_or((text, None), |(kind, rest)| (kind, Some(rest)));
    match (kind, rest) {
        ("*", None) => Ok(Pattern::All),
        ("tcp", None) => Ok(Pattern::Protocol(TCP)),
        ("udp", None) => Ok(Pattern::Protocol(UDP)),
        ("tcp", Some(ports)) => Ok(Pattern::Ports(TCP, range(ports)?)),
        ("udp", Some(ports)) => Ok(Pattern::Ports(UDP, range(ports)?)),
        ("dscp", Some(name)) => code_point(name).map(Pattern::Dscp),
        ("station", Some(_)) => Err("a capture knows no numbers of stations; use ports or dscp".into()),
        _ => Err(format!("'{text}' is no pattern: tcp, udp, tcp:PORTS, udp:PORTS, dscp:NAME or *")),
    }
}

fn range(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let port = |text: &str| {
        let wrong = || format!("'{text}' is no port: 0 to 65535, or two with a dash, such as 6000-6010");
        text.trim().parse::<u16>().map_err(|_| wrong())
    };
    let (low, high) = (port(low)?, port(high)?);
    if low > high {
        return Err(format!("its ports are reversed; write {high}-{low}"));
    }
    Ok(low..=high)
}

fn code_point(text: &str) -> Result<u8, String> {
    let named = CODE_POINTS.iter().find(|(name, _)| *name == text.to_lowercase()).map(|(_, value)| *value);
    let number = || text.parse().ok().filter(|value| *value < 64);
    named.or_else(number).ok_or_else(|| {
        format!("'{text}' is no code point: ef, af11 to af43, cs0 to cs7, be, le, va or 0 to 63")
    })
}

impl Pattern {
    fn matches(&self, key: &Key) -> bool {
        match self {
            Pattern::All => true,
            Pattern::Protocol(protocol) => key.protocol == Some(*protocol),
            Pattern::Ports(protocol, ports) => {
                let either = |(a, b): (u16, u16)| ports.contains(&a) || ports.contains(&b);
                key.protocol == Some(*protocol) && key.ports.is_some_and(either)
            }
            Pattern::Dscp(dscp) => key.dscp == Some(*dscp),
        }
    }

    /// Whether it takes all that the other would.
    fn covers(&self, other: &Pattern) -> bool {
        match (self, other) {
            (Pattern::All, _) => true,
            (Pattern::Protocol(a), Pattern::Protocol(b) | Pattern::Ports(b, _)) => a == b,
            (Pattern::Ports(a, wide), Pattern::Ports(b, narrow)) => {
                a == b && wide.contains(narrow.start()) && wide.contains(narrow.end())
            }
            (Pattern::Dscp(a), Pattern::Dscp(b)) => a == b,
            _ => false,
        }
    }
}
