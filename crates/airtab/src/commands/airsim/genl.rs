// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Numbers of the generic netlink family "airsim". Source: `kernel/airsim/genl.h`, whose numbers these are
//! (a test reads that file).
//!
//! What it does not do: it asks nobody, and knows no ranges; the module has them.

/// The family's name.
pub const FAMILY: &str = "airsim";
/// Its version.
pub const VERSION: u8 = 1;

macro_rules! numbers {
    ($(#[$doc:meta])* $type:ident: $($name:ident = $number:literal $word:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum $type { $($name = $number,)* }

        impl From<$type> for u16 {
            fn from(number: $type) -> u16 {
                number as u16
            }
        }

        #[cfg(test)]
        impl $type {
            /// Every one, with its name in C.
            const ALL: &[(&str, u16)] = &[$(($word, $number),)*];
        }
    };
}

numbers! {
    /// What the module is asked to do.
    Verb:
    New = 1 "NEW",
    Set = 2 "SET",
    Del = 3 "DEL",
    Station = 4 "STATION",
    Get = 5 "GET",
}

numbers! {
    /// What is said of a cell or a station.
    Key:
    Dev = 1 "DEV",
    Phy = 2 "PHY",
    Ring = 3 "RING",
    Stop = 4 "STOP",
    Ampdu = 5 "AMPDU",
    AmpduNs = 6 "AMPDU_NS",
    Attempts = 7 "ATTEMPTS",
    DoneFrames = 8 "DONE_FRAMES",
    DoneNs = 9 "DONE_NS",
    Orphan = 10 "ORPHAN",
    Seed = 11 "SEED",
    Name = 12 "NAME",
    Kbps = 13 "KBPS",
    Mcs = 14 "MCS",
    Streams = 15 "STREAMS",
    Width = 16 "WIDTH",
    Gi = 17 "GI",
    Fer = 18 "FER",
    Asleep = 19 "ASLEEP",
    Held = 20 "HELD",
    Dropped = 21 "DROPPED",
    Down = 22 "DOWN",
    Up = 23 "UP",
    NsDown = 24 "NS_DOWN",
    NsUp = 25 "NS_UP",
    NsCollision = 26 "NS_COLLISION",
    NsIdle = 27 "NS_IDLE",
    Ifindex = 28 "IFINDEX",
}

numbers! {
    /// What is counted of one way.
    WayKey:
    Frames = 1 "FRAMES",
    Bytes = 2 "BYTES",
    Failed = 3 "FAILED",
    Attempts = 4 "ATTEMPTS",
    Exchanges = 5 "EXCHANGES",
    Collided = 6 "COLLIDED",
    Air = 7 "AIR",
    Waiting = 8 "WAITING",
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER_FILE: &str = include_str!("../../../../../kernel/airsim/genl.h");

    /// The names of an enum of C behind AIRSIM_ and a prefix, with their numbers.
    fn enumerators(name: &str, prefix: &str) -> Vec<(String, u16)> {
        let (_, rest) = HEADER_FILE.split_once(&format!("enum {name} {{")).expect("it is there");
        let (body, _) = rest.split_once("};").expect("it ends");
        let mut next = 0;
        let mut all = Vec::new();
        for line in body.lines() {
            let code = line.split("/*").next().expect("a part").trim().trim_end_matches(',');
            let Some(code) = code.strip_prefix("AIRSIM_").filter(|code| !code.is_empty()) else { continue };
            let (name, number) = code
                .split_once(" = ")
                .map_or((code, next), |(name, number)| (name, number.parse().expect("a number")));
            next = number + 1;
            all.push((name.strip_prefix(prefix).unwrap_or(name).to_string(), number));
        }
        all
    }

    fn assert_same(of_c: Vec<(String, u16)>, here: &[(&str, u16)]) {
        let of_c: Vec<_> =
            of_c.iter().map(|(n, i)| (&n[..], *i)).filter(|(n, _)| !["PAD", "ATTRS"].contains(n)).collect();
        assert_eq!(of_c, here);
    }

    #[test]
    fn numbers_are_those_of_the_module() {
        assert_same(enumerators("airsim_command", ""), Verb::ALL);
        assert_same(enumerators("airsim_attr", ""), Key::ALL);
        assert_same(enumerators("airsim_way_attr", "WAY_"), WayKey::ALL);
        assert!(HEADER_FILE.contains(&format!("#define AIRSIM_FAMILY \"{FAMILY}\"\n")));
        assert!(HEADER_FILE.contains(&format!("#define AIRSIM_VERSION {VERSION}\n")));
    }
}
