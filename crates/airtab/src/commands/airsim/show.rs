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
}
