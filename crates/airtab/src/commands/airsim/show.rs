// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the module says of its cells, as values, as text, and as JSON.

use std::fmt::Write;

use serde::Serialize;

use super::genl::{Key, WayKey};
use crate::netlink::message::Attributes;

/// A cell, by its access point.
#[derive(Debug, PartialEq, Serialize)]
pub struct Cell {
    pub device: String,
    pub ifindex: u64,
    pub phy: String,
    pub ring_packets: u64,
    pub stop: bool,
    pub ampdu_frames: u64,
    pub ampdu_ns: u64,
    pub attempts: u64,
    pub completions: u64,
    pub completion_delay_ns: u64,
    pub orphan: bool,
    pub held_packets: u64,
    pub dropped_packets: u64,
    pub medium: Medium,
    /// To all stations at once.
    pub group: Way,
    pub stations: Vec<Station>,
}

/// Where the channel's time went.
#[derive(Debug, PartialEq, Serialize)]
pub struct Medium {
    pub down_ns: u64,
    pub up_ns: u64,
    pub collision_ns: u64,
    pub idle_ns: u64,
}

/// A station. Its device may be in another namespace, where it has this number.
#[derive(Debug, PartialEq, Serialize)]
pub struct Station {
    pub name: String,
    pub ifindex: u64,
    pub kbps: u64,
    #[serde(flatten)]
    pub by_mcs: Option<ByMcs>,
    pub fer: f64,
    pub asleep: bool,
    pub held_packets: u64,
    pub dropped_packets: u64,
    pub down: Way,
    pub up: Way,
}

/// A rate by MCS.
#[derive(Debug, PartialEq, Serialize)]
pub struct ByMcs {
    pub mcs: u64,
    pub streams: u64,
    pub width_mhz: u64,
    pub gi_ns: u64,
}

/// What went from one radio to another.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Way {
    pub packets: u64,
    pub bytes: u64,
    pub failed_packets: u64,
    pub attempts: u64,
    pub exchanges: u64,
    pub collided_exchanges: u64,
    pub air_ns: u64,
    pub waiting_packets: u64,
}

fn number(device: &Attributes, key: Key) -> u64 {
    device.number(key as u16).unwrap_or(0)
}

fn text(device: &Attributes, key: Key) -> String {
    device.text(key as u16).unwrap_or_default()
}

fn way(device: &Attributes, key: Key) -> Way {
    let nest = device.nest(key as u16).unwrap_or_default();
    let number = |key: WayKey| nest.number(key as u16).unwrap_or(0);
    Way {
        packets: number(WayKey::Frames),
        bytes: number(WayKey::Bytes),
        failed_packets: number(WayKey::Failed),
        attempts: number(WayKey::Attempts),
        exchanges: number(WayKey::Exchanges),
        collided_exchanges: number(WayKey::Collided),
        air_ns: number(WayKey::Air),
        waiting_packets: number(WayKey::Waiting),
    }
}

impl Cell {
    fn of(device: &Attributes) -> Cell {
        let number = |key| number(device, key);
        Cell {
            device: text(device, Key::Dev),
            ifindex: number(Key::Ifindex),
            phy: text(device, Key::Phy),
            ring_packets: number(Key::Ring),
            stop: number(Key::Stop) != 0,
            ampdu_frames: number(Key::Ampdu),
            ampdu_ns: number(Key::AmpduNs),
            attempts: number(Key::Attempts),
            completions: number(Key::DoneFrames),
            completion_delay_ns: number(Key::DoneNs),
            orphan: number(Key::Orphan) != 0,
            held_packets: number(Key::Held),
            dropped_packets: number(Key::Dropped),
            medium: Medium {
                down_ns: number(Key::NsDown),
                up_ns: number(Key::NsUp),
                collision_ns: number(Key::NsCollision),
                idle_ns: number(Key::NsIdle),
            },
            group: way(device, Key::Down),
            stations: Vec::new(),
        }
    }

    /// All cells: the message of each access point is followed by those of its stations.
    pub fn all(devices: &[Attributes]) -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::new();
        for device in devices {
            match cells.last_mut() {
                Some(cell) if device.text(Key::Name as u16).is_some() => {
                    cell.stations.push(Station::of(device))
                }
                _ => cells.push(Cell::of(device)),
            }
        }
        cells
    }

    /// As text.
    pub fn text(&self) -> String {
        let mut text =
            format!("{}: {}, {} attempts, {}\n", self.device, self.phy, self.attempts, self.aggregates());
        let _ = writeln!(text, "  driver: {}", self.driver());
        let Medium { down_ns, up_ns, collision_ns, idle_ns } = self.medium;
        let all = down_ns + up_ns + collision_ns + idle_ns;
        let percent = |ns: u64| ns as f64 * 100.0 / all.max(1) as f64;
        let _ = writeln!(
            text,
            "  medium: {:.1} s: {:.1} % down, {:.1} % up, {:.1} % collisions, {:.1} % idle",
            all as f64 / 1e9,
            percent(down_ns),
            percent(up_ns),
            percent(collision_ns),
            percent(idle_ns)
        );
        let _ = writeln!(
            text,
            "\n  {:15} {:26} {:4} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9}",
            "station", "rate", "", "packets", "MB", "given up", "collided", "air, s", "waiting"
        );
        text += &self.group.line("all", "", "down");
        for station in &self.stations {
            text += &station.down.line(&station.name, &station.rate(), "down");
            text += &station.up.line("", "", "up");
        }
        text
    }

    fn aggregates(&self) -> String {
        match self.ampdu_frames {
            1 => "no aggregates".into(),
            n => format!("aggregates of at most {n} in {} ms", self.ampdu_ns as f64 / 1e6),
        }
    }

    fn driver(&self) -> String {
        let mut text = format!("{} packets of {} held", self.held_packets, self.ring_packets);
        text += if self.stop { ", its queue stops then" } else { ", more are dropped" };
        let _ = write!(text, "; {} dropped", self.dropped_packets);
        match (self.completions, self.completion_delay_ns) {
            (_, 0) => {}
            (0, ns) => drop(write!(text, "; completions {} us late", ns as f64 / 1e3)),
            (n, ns) => drop(write!(text, "; {n} completions at once, or {} us late", ns as f64 / 1e3)),
        }
        text + if self.orphan { "; lets packets go as it gets them" } else { "" }
    }
}

impl Station {
    fn of(device: &Attributes) -> Station {
        let number = |key| number(device, key);
        let by_mcs = device.number(Key::Mcs as u16).map(|mcs| ByMcs {
            mcs,
            streams: number(Key::Streams),
            width_mhz: number(Key::Width),
            gi_ns: number(Key::Gi),
        });
        Station {
            name: text(device, Key::Name),
            ifindex: number(Key::Ifindex),
            kbps: number(Key::Kbps),
            by_mcs,
            fer: number(Key::Fer) as f64 / 1e6,
            asleep: number(Key::Asleep) != 0,
            held_packets: number(Key::Held),
            dropped_packets: number(Key::Dropped),
            down: way(device, Key::Down),
            up: way(device, Key::Up),
        }
    }

    /// Its rate, and what else is said of it.
    fn rate(&self) -> String {
        let mut text = match &self.by_mcs {
            Some(ByMcs { mcs, streams, width_mhz, .. }) => format!("MCS {mcs} x{streams} {width_mhz} MHz"),
            None => format!("{} Mb/s", self.kbps as f64 / 1e3),
        };
        if self.fer > 0.0 {
            let _ = write!(text, ", fer {}", self.fer);
        }
        text + if self.asleep { ", asleep" } else { "" }
    }
}

impl Way {
    fn line(&self, name: &str, rate: &str, way: &str) -> String {
        format!(
            "  {name:15} {rate:26} {way:4} {:>9} {:>9.3} {:>8} {:>9} {:>9.3} {:>9}\n",
            self.packets,
            self.bytes as f64 / 1e6,
            self.failed_packets,
            self.collided_exchanges,
            self.air_ns as f64 / 1e9,
            self.waiting_packets
        )
    }
}

#[cfg(test)]
mod tests {
    use netlink_packet_core::Emitable;
    use serde_json::json;

    use super::*;
    use crate::netlink::message::Attribute;

    fn nest(key: Key, values: &[(WayKey, u64)]) -> Attribute {
        let inner: Vec<_> =
            values.iter().map(|(key, value)| Attribute::raw(*key as u16, &value.to_ne_bytes())).collect();
        let mut bytes = vec![0; inner.as_slice().buffer_len()];
        inner.as_slice().emit(&mut bytes);
        Attribute::raw(key as u16, &bytes)
    }

    /// Two cells, the first with two stations, as the module dumps them.
    fn dump() -> Vec<Attributes> {
        let access_point = |name: &str| {
            Attributes(vec![
                Attribute::text(Key::Dev, name),
                Attribute::text(Key::Phy, "std-11n"),
                Attribute::word(Key::Ring, 512),
                Attribute::word(Key::Stop, 1),
                Attribute::word(Key::Ampdu, 64),
                Attribute::word(Key::AmpduNs, 4_000_000),
                Attribute::word(Key::Attempts, 7),
                Attribute::word(Key::DoneFrames, 32),
                Attribute::word(Key::DoneNs, 1_500_000),
                Attribute::long(Key::Held, 12),
                Attribute::long(Key::NsDown, 500_000_000),
                Attribute::long(Key::NsIdle, 1_500_000_000),
            ])
        };
        let station = |name: &str, rate: Vec<Attribute>| {
            let way = nest(
                Key::Down,
                &[(WayKey::Frames, 1000), (WayKey::Bytes, 1_500_000), (WayKey::Air, 300_000_000)],
            );
            let said = vec![
                Attribute::text(Key::Dev, "air0"),
                Attribute::text(Key::Name, name),
                Attribute::word(Key::Fer, 100_000),
                Attribute::word(Key::Asleep, 1),
                way,
                nest(Key::Up, &[(WayKey::Failed, 3)]),
            ];
            Attributes([said, rate].concat())
        };
        let by_mcs = vec![
            Attribute::word(Key::Kbps, 65_000),
            Attribute::word(Key::Mcs, 7),
            Attribute::word(Key::Streams, 1),
            Attribute::word(Key::Width, 20),
            Attribute::word(Key::Gi, 800),
        ];
        let in_mbps = vec![Attribute::word(Key::Kbps, 5_500)];
        vec![access_point("air0"), station("far", by_mcs), station("near", in_mbps), access_point("air1")]
    }

    #[test]
    fn stations_follow_their_access_point() {
        let cells = Cell::all(&dump());
        assert_eq!(cells.iter().map(|cell| cell.device.as_str()).collect::<Vec<_>>(), ["air0", "air1"]);
        let stations: Vec<_> = cells[0].stations.iter().map(|station| station.name.as_str()).collect();
        assert_eq!(stations, ["far", "near"]);
        assert!(cells[1].stations.is_empty());
        assert!(Cell::all(&[]).is_empty());
    }

    #[test]
    fn as_json() {
        let cells = serde_json::to_value(Cell::all(&dump())).expect("JSON");
        let cell = &cells[0];
        assert_eq!(cell["ring_packets"], 512);
        assert_eq!(cell["stop"], true);
        assert_eq!(
            cell["medium"],
            json!({ "down_ns": 500_000_000, "up_ns": 0, "collision_ns": 0, "idle_ns": 1_500_000_000 })
        );
        let far = &cell["stations"][0];
        assert_eq!((&far["mcs"], &far["gi_ns"], &far["kbps"]), (&json!(7), &json!(800), &json!(65_000)));
        assert_eq!((&far["fer"], &far["asleep"]), (&json!(0.1), &json!(true)));
        assert_eq!((&far["down"]["bytes"], &far["up"]["failed_packets"]), (&json!(1_500_000), &json!(3)));
        assert_eq!(cell["stations"][1].get("mcs"), None, "a rate in Mb/s has none");
    }

    #[test]
    fn as_text() {
        let text = Cell::all(&dump())[0].text();
        let expected = "\
air0: std-11n, 7 attempts, aggregates of at most 64 in 4 ms
  driver: 12 packets of 512 held, its queue stops then; 0 dropped; 32 completions at once, or 1500 us late
  medium: 2.0 s: 25.0 % down, 0.0 % up, 0.0 % collisions, 75.0 % idle

  station         rate                              packets        MB given up  collided    air, s   waiting
  all                                        down         0     0.000        0         0     0.000         0
  far             MCS 7 x1 20 MHz, fer 0.1, asleep down      1000     1.500        0         0     0.300         0
                                             up           0     0.000        3         0     0.000         0
  near            5.5 Mb/s, fer 0.1, asleep  down      1000     1.500        0         0     0.300         0
                                             up           0     0.000        3         0     0.000         0
";
        assert_eq!(text, expected);
    }

    /// Completions come together, late, or neither; rates and losses are told where there are some.
    #[test]
    fn what_is_not_set_is_not_told() {
        let cell = |words: &[(Key, u32)]| {
            let words = words.iter().map(|(key, value)| Attribute::word(*key, *value));
            let head = [Attribute::text(Key::Dev, "air0"), Attribute::text(Key::Phy, "std-11g")];
            Cell::all(&[Attributes(head.into_iter().chain(words).collect())]).remove(0)
        };
        let driver = |words: &[(Key, u32)]| cell(words).driver();
        let start = "0 packets of 0 held, more are dropped; 0 dropped";
        for (words, end) in [
            (&[][..], ""),
            (&[(Key::DoneFrames, 9)], ""),
            (&[(Key::DoneNs, 2_500)], "; completions 2.5 us late"),
            (&[(Key::DoneNs, 2_500), (Key::DoneFrames, 9)], "; 9 completions at once, or 2.5 us late"),
            (&[(Key::Orphan, 1)], "; lets packets go as it gets them"),
        ] {
            assert_eq!(driver(words), format!("{start}{end}"));
        }
        // Without a medium nothing is divided by 0.
        assert!(cell(&[]).text().contains("medium: 0.0 s: 0.0 % down"), "{}", cell(&[]).text());
        let aggregates = |frames| cell(&[(Key::Ampdu, frames), (Key::AmpduNs, 1_500_000)]).aggregates();
        assert_eq!([1, 2].map(aggregates), ["no aggregates", "aggregates of at most 2 in 1.5 ms"]);
        let rate = |words: &[(Key, u32)]| {
            let words = words.iter().map(|(key, value)| Attribute::word(*key, *value));
            Station::of(&Attributes(words.collect())).rate()
        };
        for (words, said) in [
            (&[(Key::Kbps, 5_500)][..], "5.5 Mb/s"),
            (&[(Key::Kbps, 54_000), (Key::Fer, 250_000)], "54 Mb/s, fer 0.25"),
            (&[(Key::Kbps, 54_000), (Key::Asleep, 1)], "54 Mb/s, asleep"),
            (&[(Key::Kbps, 6_500), (Key::Mcs, 0), (Key::Streams, 2), (Key::Width, 40)], "MCS 0 x2 40 MHz"),
        ] {
            assert_eq!(rate(words), said);
        }
    }

    /// Each counter of the module has a value of its own, which is found under its key and in its column.
    #[test]
    fn each_counter_has_its_place() {
        let ways = |from: u64| {
            use WayKey::{Air, Attempts, Bytes, Collided, Exchanges, Failed, Frames, Waiting};
            let keys = [Frames, Bytes, Failed, Attempts, Exchanges, Collided, Air, Waiting];
            let values: Vec<(WayKey, u64)> = keys.into_iter().zip(from..).collect();
            values.into_iter().map(|(key, value)| (key, value * 1_000_000)).collect::<Vec<_>>()
        };
        let way = |from: u64| {
            let [packets, bytes, failed, attempts, exchanges, collided, air, waiting] =
                [0, 1, 2, 3, 4, 5, 6, 7].map(|k| (from + k) * 1_000_000);
            json!({ "packets": packets, "bytes": bytes, "failed_packets": failed, "attempts": attempts,
                "exchanges": exchanges, "collided_exchanges": collided, "air_ns": air, "waiting_packets": waiting })
        };
        let cell = Attributes(vec![
            Attribute::text(Key::Dev, "air3"),
            Attribute::word(Key::Ifindex, 41),
            Attribute::text(Key::Phy, "std-11g"),
            Attribute::word(Key::Ring, 42),
            Attribute::word(Key::Stop, 0),
            Attribute::word(Key::Ampdu, 1),
            Attribute::word(Key::AmpduNs, 43),
            Attribute::word(Key::Attempts, 44),
            Attribute::word(Key::DoneFrames, 45),
            Attribute::word(Key::DoneNs, 46_000),
            Attribute::word(Key::Orphan, 1),
            Attribute::long(Key::Held, 47),
            Attribute::long(Key::Dropped, 48),
            Attribute::long(Key::NsDown, 1_000_000_000),
            Attribute::long(Key::NsUp, 2_000_000_000),
            Attribute::long(Key::NsCollision, 500_000_000),
            Attribute::long(Key::NsIdle, 6_500_000_000),
            nest(Key::Down, &ways(100)),
        ]);
        let station = Attributes(vec![
            Attribute::text(Key::Dev, "air3"),
            Attribute::text(Key::Name, "far"),
            Attribute::word(Key::Ifindex, 51),
            Attribute::word(Key::Kbps, 52_000),
            Attribute::word(Key::Mcs, 5),
            Attribute::word(Key::Streams, 2),
            Attribute::word(Key::Width, 40),
            Attribute::word(Key::Gi, 400),
            Attribute::word(Key::Fer, 0),
            Attribute::word(Key::Asleep, 0),
            Attribute::long(Key::Held, 57),
            Attribute::long(Key::Dropped, 58),
            nest(Key::Down, &ways(200)),
            nest(Key::Up, &ways(300)),
        ]);
        let cells = Cell::all(&[cell, station]);
        assert_eq!(
            serde_json::to_value(&cells[0]).expect("JSON"),
            json!({ "device": "air3", "ifindex": 41, "phy": "std-11g", "ring_packets": 42, "stop": false,
                "ampdu_frames": 1, "ampdu_ns": 43, "attempts": 44, "completions": 45, "completion_delay_ns": 46_000,
                "orphan": true, "held_packets": 47, "dropped_packets": 48,
                "medium": { "down_ns": 1_000_000_000u64, "up_ns": 2_000_000_000u64,
                    "collision_ns": 500_000_000u64, "idle_ns": 6_500_000_000u64 },
                "group": way(100),
                "stations": [{ "name": "far", "ifindex": 51, "kbps": 52_000, "mcs": 5, "streams": 2,
                    "width_mhz": 40, "gi_ns": 400, "fer": 0.0, "asleep": false, "held_packets": 57,
                    "dropped_packets": 58, "down": way(200), "up": way(300) }] })
        );
        let text = cells[0].text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "air3: std-11g, 44 attempts, no aggregates");
        assert_eq!(
            lines[1],
            "  driver: 47 packets of 42 held, more are dropped; 48 dropped; 45 completions at once, or 46 us late; \
             lets packets go as it gets them"
        );
        assert_eq!(lines[2], "  medium: 10.0 s: 10.0 % down, 20.0 % up, 5.0 % collisions, 65.0 % idle");
        let row = |line: &str| line.split_whitespace().rev().take(7).map(String::from).collect::<Vec<_>>();
        for (line, from) in [(lines[5], 100u64), (lines[6], 200), (lines[7], 300)] {
            let millions = |k: u64| format!("{}000000", from + k);
            let units = |k: u64, scale: u64| {
                format!("{}.{:03}", (from + k) / scale, (from + k) % scale * 1000 / scale)
            };
            // The last columns from right to left, and the direction.
            let way = if from == 300 { "up" } else { "down" };
            assert_eq!(
                row(line),
                [millions(7), units(6, 1000), millions(5), millions(2), units(1, 1), millions(0), way.into()]
            );
        }
        assert!(lines[6].starts_with("  far             MCS 5 x2 40 MHz            down"), "{text}");
    }
}
