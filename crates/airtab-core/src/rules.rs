// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Rules that say of which class a packet is, as text and as the core's words (`classify.h`): `tcp=0`,
//! `udp:6000-6010=1`, `dscp:ef=1`, `station:7=2`, `*=2`, `host`. A port may be the source's or the
//! destination's, since of a download the known port is the source's.
//!
//! What it does not do: it classifies no packets; the core and whoever reads captures do.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Its number among IP's protocols.
pub const TCP: u8 = 6;
/// The same.
pub const UDP: u8 = 17;

/// Numbers that a rule can give.
const CLASSES: u8 = 16;

const HOST: u64 = 0;
const ANY: u64 = 1;
const PROTO: u64 = 2;
const PORTS: u64 = 3;
const DSCP: u64 = 4;
const STATION: u64 = 5;

/// What a rule takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Everything, of which the host's own classifier says the class.
    Host,
    /// Everything.
    All,
    /// TCP or UDP, by its number, whatever its ports.
    Protocol(u8),
    /// The same, from or to one of these ports.
    Ports(u8, RangeInclusive<u16>),
    /// A code point.
    Dscp(u8),
    /// What is for a station.
    Station(u16),
}

/// What is of which class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it takes.
    pub pattern: Pattern,
    /// Of what class that is; 0 of [`Pattern::Host`].
    pub class: u8,
}

/// What is wrong with a text, and what would do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(pub String);

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

impl Rule {
    /// The core's word for it.
    pub fn word(&self) -> u64 {
        let class = u64::from(self.class);
        class
            | match &self.pattern {
                Pattern::Host => HOST << 4,
                Pattern::All => ANY << 4,
                Pattern::Protocol(protocol) => PROTO << 4 | u64::from(*protocol) << 8,
                Pattern::Ports(protocol, ports) => {
                    let ends = u64::from(*ports.start()) << 16 | u64::from(*ports.end()) << 32;
                    PORTS << 4 | u64::from(*protocol) << 8 | ends
                }
                Pattern::Dscp(dscp) => DSCP << 4 | u64::from(*dscp) << 8,
                Pattern::Station(station) => STATION << 4 | u64::from(*station) << 16,
            }
    }

    /// What a word of the core means; nothing if it is no rule.
    pub fn of(word: u64) -> Option<Rule> {
        let (value, first, last) = ((word >> 8) as u8, (word >> 16) as u16, (word >> 32) as u16);
        let known = [TCP, UDP].contains(&value);
        let pattern = match word >> 4 & 15 {
            HOST => Pattern::Host,
            ANY => Pattern::All,
            PROTO if known => Pattern::Protocol(value),
            PORTS if known && first > 0 && first <= last => Pattern::Ports(value, first..=last),
            DSCP if value < 64 => Pattern::Dscp(value),
            STATION => Pattern::Station(first),
            _ => return None,
        };
        let rule = Rule { pattern, class: (word & 15) as u8 };
        (rule.word() == word && (rule.pattern != Pattern::Host || rule.class == 0)).then_some(rule)
    }
}

impl Pattern {
    /// Whether it takes all that the other would.
    pub fn covers(&self, other: &Pattern) -> bool {
        match (self, other) {
            (Pattern::All | Pattern::Host, _) => true,
            (Pattern::Protocol(a), Pattern::Protocol(b) | Pattern::Ports(b, _)) => a == b,
            (Pattern::Ports(a, wide), Pattern::Ports(b, narrow)) => {
                a == b && wide.contains(narrow.start()) && wide.contains(narrow.end())
            }
            (Pattern::Dscp(a), Pattern::Dscp(b)) => a == b,
            (Pattern::Station(a), Pattern::Station(b)) => a == b,
            _ => false,
        }
    }
}

/// For each rule that the ones before leave nothing to: its place, and that of the first that takes all of it.
pub fn unreached(rules: &[Rule]) -> impl Iterator<Item = (usize, usize)> + '_ {
    rules.iter().enumerate().filter_map(|(i, rule)| {
        let before = rules[..i].iter().position(|other| other.pattern.covers(&rule.pattern))?;
        Some((i, before))
    })
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Rule, RuleError> {
        let example = "write PATTERN=CLASS, such as udp:6000-6010=1";
        let text = text.trim();
        if text == "host" {
            return Ok(Rule { pattern: Pattern::Host, class: 0 });
        }
        let error = |what| Err(RuleError(what));
        let Some((pattern, class)) = text.rsplit_once('=') else {
            return error(format!("'{text}' names no class; {example}"));
        };
        let Ok(number) = class.trim().parse::<u8>() else {
            return error(format!("'{class}' is no number of a class; {example}"));
        };
        if number >= CLASSES {
            return error(format!("there is no class {number}: they are 0 to {}", CLASSES - 1));
        }
        let pattern = pattern_of(pattern.trim()).map_err(RuleError)?;
        Ok(Rule { pattern, class: number })
    }
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
        ("station", Some(number)) => {
            let station = number.trim().parse().map(Pattern::Station);
            station.map_err(|_| format!("'{number}' is no number of a station: 0 to 65535"))
        }
        _ => Err(format!(
            "'{text}' is no pattern: tcp, udp, tcp:PORTS, udp:PORTS, dscp:NAME, station:NUMBER or *"
        )),
    }
}

fn range(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let port = |text: &str| {
        let wrong = || format!("'{text}' is no port: 1 to 65535, or two with a dash, such as 6000-6010");
        text.trim().parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(wrong)
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

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = |number: &u8| if *number == TCP { "tcp" } else { "udp" };
        match &self.pattern {
            Pattern::Host => return write!(f, "host"),
            Pattern::All => write!(f, "*")?,
            Pattern::Protocol(number) => write!(f, "{}", protocol(number))?,
            Pattern::Ports(number, ports) => {
                write!(f, "{}:{}", protocol(number), ports.start())?;
                if ports.start() < ports.end() {
                    write!(f, "-{}", ports.end())?;
                }
            }
            Pattern::Dscp(value) => match CODE_POINTS.iter().find(|(_, known)| known == value) {
                Some((name, _)) => write!(f, "dscp:{name}")?,
                None => write!(f, "dscp:{value}")?,
            },
            Pattern::Station(number) => write!(f, "station:{number}")?,
        }
        write!(f, "={}", self.class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_the_same_as_text_and_as_a_word() {
        for (text, word) in [
            ("host", 0),
            ("*=2", 0x12),
            ("tcp=0", 0x620),
            ("udp=15", 0x112f),
            ("udp:6000-6010=1", 0x177a_1770_1131),
            ("tcp:80=3", 0x50_0050_0633),
            ("dscp:ef=1", 0x2e41),
            ("dscp:63=1", 0x3f41),
            ("station:65535=2", 0xffff_0052),
        ] {
            let rule: Rule = text.parse().unwrap();
            assert_eq!(rule.word(), word, "{text}");
            assert_eq!(Rule::of(word), Some(rule.clone()));
            assert_eq!(rule.to_string(), text);
        }
        assert_eq!("dscp:AF41=0".parse::<Rule>().unwrap().to_string(), "dscp:af41=0");
        assert_eq!("dscp:0=0".parse::<Rule>().unwrap().to_string(), "dscp:be=0");
    }

    #[test]
    fn what_is_no_rule() {
        for (text, said) in [
            ("tcp", "'tcp' names no class; write PATTERN=CLASS"),
            ("tcp=x", "'x' is no number of a class"),
            ("tcp=16", "there is no class 16: they are 0 to 15"),
            ("udp:10-5=1", "its ports are reversed; write 5-10"),
            ("udp:0=1", "'0' is no port: 1 to 65535"),
            ("udp:65536=1", "'65536' is no port"),
            ("dscp:64=1", "'64' is no code point"),
            ("station:65536=1", "'65536' is no number of a station"),
            ("sctp=1", "'sctp' is no pattern: tcp, udp,"),
            ("host=1", "'host' is no pattern"),
        ] {
            let error = text.parse::<Rule>().unwrap_err().to_string();
            assert!(error.starts_with(said), "{text}: {error}");
        }
        for word in [1, 0x60, 0x0005_000a_1130, 0x1_0000_0000_0012, 0x4041, 0x1_0010, 0x720, 0x50_0050_0730] {
            assert_eq!(Rule::of(word), None, "{word:x}");
        }
    }

    #[test]
    fn who_is_never_reached() {
        let rules: Vec<Rule> = "udp:7-9=0,udp:8=1,tcp=0,tcp:80=1,dscp:ef=1,station:1=0,host,udp=2"
            .split(',')
            .map(|rule| rule.parse().unwrap())
            .collect();
        assert_eq!(unreached(&rules).collect::<Vec<_>>(), [(1, 0), (3, 2), (7, 6)]);
    }
}
