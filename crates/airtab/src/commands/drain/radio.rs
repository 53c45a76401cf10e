// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A Wi-Fi interface by nl80211: rates of its stations, how busy the channel is, and what waits in mac80211 below the
//! queue discipline. Source: `linux/nl80211.h`.
//!
//! What it does not do: nothing is set; rates are those of the last frames, as the driver has them.

use std::io;

use anyhow::{Context, anyhow, bail};
use netlink_packet_core::{NLM_F_ACK, NLM_F_DUMP};
use netlink_sys::{Socket, protocols::NETLINK_GENERIC};

use super::Backlog;
use crate::netlink::message::{Attribute, Attributes, Generic};
use crate::netlink::socket::{ENODEV, EPERM, Problem, ask, family, open};

const FAMILY: &str = "nl80211";

const GET_INTERFACE: u8 = 5;
const GET_STATION: u8 = 17;
const GET_SURVEY: u8 = 50;

const IFINDEX: u16 = 3;
const ADDRESS: u16 = 6;
const STATION: u16 = 21;
const SURVEY: u16 = 84;
const BELOW: u16 = 265;

const SILENT_MS: u16 = 1;
const TX_RATE: u16 = 8;
const TX_PACKETS: u16 = 10;

/// In units of 100 kb/s, of 16 and of 32 bits; and what tells the format.
const RATE: u16 = 1;
const RATE_WIDE: u16 = 5;
const HT_MCS: u16 = 2;
const VHT_MCS: u16 = 6;
const HE_MCS: u16 = 13;
const EHT_MCS: u16 = 19;

/// Of the channel in use, ms.
const IN_USE: u16 = 3;
const ACTIVE: u16 = 4;
const BUSY: u16 = 5;
const SENDING: u16 = 8;

const BELOW_BYTES: u16 = 1;
const BELOW_PACKETS: u16 = 2;

/// Of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 802.11a, b, g.
    Legacy,
    /// 802.11n.
    Ht,
    /// 802.11ac.
    Vht,
    /// 802.11ax and be.
    He,
}

/// Who is sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Station {
    pub address: [u8; 6],
    /// Rate of the last frame to it, bits/s.
    pub bits: u64,
    pub format: Format,
    /// Sent to it so far.
    pub packets: u64,
    /// Nothing was heard of it for so long.
    pub silent_ms: u64,
}

impl Station {
    /// None: nothing was sent to it yet.
    fn of(attributes: &Attributes) -> Option<Station> {
        let info = attributes.nest(STATION)?;
        let rate = info.nest(TX_RATE)?;
        let hundreds = rate.number(RATE_WIDE).or(rate.number(RATE)).filter(|rate| *rate > 0)?;
        let format = match () {
            () if rate.has(EHT_MCS) || rate.has(HE_MCS) => Format::He,
            () if rate.has(VHT_MCS) => Format::Vht,
            () if rate.has(HT_MCS) => Format::Ht,
            () => Format::Legacy,
        };
        Some(Station {
            address: attributes.value(ADDRESS)?.try_into().ok()?,
            bits: hundreds * 100_000,
            format,
            packets: info.number(TX_PACKETS).unwrap_or(0),
            silent_ms: info.number(SILENT_MS).unwrap_or(0),
        })
    }
}

/// The channel's time so far, ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Survey {
    active: u64,
    busy: u64,
    sending: u64,
}

impl Survey {
    /// Of the channel that is in use; None: the driver does not say.
    fn of(all: &[Attributes]) -> Option<Survey> {
        let infos = all.iter().filter_map(|attributes| attributes.nest(SURVEY));
        let own = infos.into_iter().find(|info| info.has(IN_USE))?;
        Some(Survey {
            active: own.number(ACTIVE)?,
            busy: own.number(BUSY)?,
            sending: own.number(SENDING).unwrap_or(0),
        })
    }

    /// F from one to the next: what is not busy with others, of all time. None: no time passed, or counts began anew.
    fn free_since(&self, before: &Survey) -> Option<f64> {
        let active = self.active.checked_sub(before.active).filter(|ms| *ms > 0)?;
        let busy = self.busy.checked_sub(before.busy)?;
        let own = self.sending.checked_sub(before.sending)?;
        Some(1.0 - busy.saturating_sub(own) as f64 / active as f64)
    }
}

/// What is known of an interface now.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Who is sent to most.
    pub station: Option<Station>,
    /// F since the look before; while the driver counts no time, as it was.
    pub free: Option<f64>,
    /// In mac80211, below the queue discipline.
    pub below: Backlog,
}

/// What was seen before.
#[derive(Default)]
struct Memory {
    /// Packets to each station.
    packets: Vec<([u8; 6], u64)>,
    station: Option<[u8; 6]>,
    survey: Option<Survey>,
    free: Option<f64>,
}

impl Memory {
    /// The station to which most was sent since the look before; if nothing was, the same as then; at first the one heard last.
    fn station(&mut self, all: &[Station]) -> Option<Station> {
        let before =
            |own: &Station| self.packets.iter().find(|seen| seen.0 == own.address).map(|seen| seen.1);
        let sent = |own: &Station| own.packets.saturating_sub(before(own).unwrap_or(own.packets));
        let most = all.iter().filter(|own| sent(own) > 0).max_by_key(|own| sent(own));
        let same = || all.iter().find(|own| Some(own.address) == self.station);
        let chosen = most.or_else(same).or_else(|| all.iter().min_by_key(|own| own.silent_ms)).cloned();
        self.packets = all.iter().map(|own| (own.address, own.packets)).collect();
        self.station = chosen.as_ref().map(|own| own.address);
        chosen
    }

    fn free(&mut self, survey: Option<Survey>) -> Option<f64> {
        let free = survey.and_then(|now| now.free_since(&self.survey?));
        // A driver that counts once a second says nothing in between.
        if free.is_some() || self.survey.is_none() || survey.is_none() || counts_anew(self.survey, survey) {
            (self.survey, self.free) = (survey, free.or(self.free).filter(|_| survey.is_some()));
        }
        self.free
    }
}

/// Whether counts went back.
fn counts_anew(before: Option<Survey>, now: Option<Survey>) -> bool {
    before.zip(now).is_some_and(|(before, now)| {
        now.active < before.active || now.busy < before.busy || now.sending < before.sending
    })
}

/// An interface.
pub struct Radio {
    socket: Socket,
    family: u16,
    index: u32,
    memory: Memory,
}

impl Radio {
    /// # Errors
    /// There is no nl80211, or it does not know the device.
    pub fn find(device: &str, index: u32) -> anyhow::Result<Radio> {
        let socket = open(NETLINK_GENERIC).context("no socket for netlink")?;
        let Some(family) = family(&socket, FAMILY).map_err(|problem| words(problem, device))? else {
            bail!("{device}: this kernel has no nl80211, for no Wi-Fi driver is loaded (cfg80211)");
        };
        let radio = Radio { socket, family, index, memory: Memory::default() };
        radio.ask(GET_INTERFACE, NLM_F_ACK).map_err(|problem| words(problem, device))?;
        Ok(radio)
    }

    /// Looks at it.
    ///
    /// # Errors
    /// It is gone.
    pub fn look(&mut self) -> anyhow::Result<Seen> {
        let said = |problem| words(problem, "the interface");
        let below = self.ask(GET_INTERFACE, NLM_F_ACK).map_err(said)?;
        let stations = self.ask(GET_STATION, NLM_F_DUMP).map_err(said)?;
        // A driver that has none refuses.
        let surveys = self.ask(GET_SURVEY, NLM_F_DUMP).unwrap_or_default();
        let stations: Vec<Station> = stations.iter().filter_map(Station::of).collect();
        Ok(Seen {
            station: self.memory.station(&stations),
            free: self.memory.free(Survey::of(&surveys)),
            below: below.iter().find_map(waits_below).unwrap_or_default(),
        })
    }

    fn ask(&self, command: u8, flags: u16) -> Result<Vec<Attributes>, Problem> {
        let device = Attribute::word(IFINDEX, self.index);
        let request = Generic::command(self.family, command, 0, vec![device]);
        Ok(ask(&self.socket, request, flags)?.into_iter().map(|message| message.attributes).collect())
    }
}

/// What waits in mac80211; None: the driver has no queues there.
fn waits_below(attributes: &Attributes) -> Option<Backlog> {
    let own = attributes.nest(BELOW)?;
    Some(Backlog { packets: own.number(BELOW_PACKETS)?, bytes: own.number(BELOW_BYTES)? })
}

fn words(problem: Problem, device: &str) -> anyhow::Error {
    match problem {
        Problem::Other(e) => e.context("nl80211"),
        Problem::Refused { errno: ENODEV, .. } => {
            anyhow!(
                "{device} is no Wi-Fi interface: nl80211 does not know it; `iw dev` lists those that there are"
            )
        }
        Problem::Refused { errno: EPERM, .. } => {
            anyhow!("{device}: nl80211 says nothing without root, or CAP_NET_ADMIN in this network namespace")
        }
        Problem::Refused { errno, words } => {
            anyhow!("nl80211: {}", words.unwrap_or_else(|| io::Error::from_raw_os_error(errno).to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As they are read from a message: the kernel marks those that hold others.
    fn received(attributes: &[Attribute]) -> Attributes {
        Attributes(vec![Attribute::nested(1, attributes)]).nest(1).expect("it is there")
    }

    fn station(last: u8, rate: &[Attribute], packets: u32, silent: u32) -> Attributes {
        let info = [
            Attribute::word(SILENT_MS, silent),
            Attribute::nested(TX_RATE | 0x8000, rate),
            Attribute::word(TX_PACKETS, packets),
        ];
        received(&[
            Attribute::word(IFINDEX, 3),
            Attribute::raw(ADDRESS, &[2, 0, 0, 0, 0, last]),
            Attribute::nested(STATION | 0x8000, &info),
        ])
    }

    fn tenths(rate: u16) -> Attribute {
        Attribute::raw(RATE, &rate.to_ne_bytes())
    }

    /// 144.4 Mb/s as iw shows it: `tx bitrate: 144.4 MBit/s MCS 15 short GI`; the wide count where there is one.
    #[test]
    fn rates() {
        let of = |rate: &[Attribute]| Station::of(&station(1, rate, 5, 0)).map(|own| (own.bits, own.format));
        let mcs = |kind| Attribute::raw(kind, &[7]);
        let wide = Attribute::word(RATE_WIDE, 12_010);
        assert_eq!(of(&[tenths(1444), mcs(HT_MCS), Attribute::raw(4, &[])]), Some((144_400_000, Format::Ht)));
        assert_eq!(of(&[tenths(540)]), Some((54_000_000, Format::Legacy)));
        assert_eq!(of(&[tenths(8667), mcs(VHT_MCS)]), Some((866_700_000, Format::Vht)));
        assert_eq!(of(&[wide.clone(), mcs(HE_MCS)]), Some((1_201_000_000, Format::He)));
        assert_eq!(of(&[wide, tenths(0), mcs(EHT_MCS)]), Some((1_201_000_000, Format::He)));
        assert_eq!(of(&[tenths(0)]), None, "nothing was sent");
        assert_eq!(of(&[]), None);
        assert_eq!(Station::of(&Attributes::default()), None);
    }

    /// Who is sent to most between two looks; if nobody is, the one before; at first the one heard last.
    #[test]
    fn which_station() {
        let all = |packets: [u32; 3]| -> Vec<Station> {
            let one = |(last, packets): (u8, u32)| {
                Station::of(&station(last, &[tenths(60 * u16::from(last))], packets, 10 - u32::from(last)))
            };
            (1..).zip(packets).filter_map(one).collect()
        };
        let mut memory = Memory::default();
        let mut chosen = |packets| memory.station(&all(packets)).map(|own| own.address[5]);
        assert_eq!(chosen([100, 5, 5]), Some(3), "heard last");
        assert_eq!(chosen([101, 9, 5]), Some(2));
        assert_eq!(chosen([101, 9, 5]), Some(2), "nothing was sent");
        assert_eq!(chosen([150, 9, 6]), Some(1));
        assert_eq!(memory.station(&[]), None);
    }

    /// As the kernel sends them, by the numbers of `linux/nl80211.h`: 90 Mb/s of 802.11ac in both counts, 77 packets sent, heard
    /// 12 ms ago; 1000 ms on a channel, 600 busy of which 250 were sending; 5 packets of 7,500 bytes in mac80211.
    #[test]
    fn a_dump_is_read_by_the_numbers_of_the_kernel() {
        let word = |kind: u16, value: u32| Attribute::word(kind, value);
        let rate = [
            Attribute::raw(1, &900_u16.to_ne_bytes()),
            word(5, 900),
            Attribute::raw(6, &[9]),
            Attribute::raw(7, &[2]),
        ];
        // Signal, packets received and failures beside those that are looked for.
        let info = [
            word(1, 12),
            Attribute::raw(7, &[200]),
            Attribute::nested(8 | 0x8000, &rate),
            word(9, 1_000),
            word(10, 77),
            word(12, 3),
            Attribute::nested(14 | 0x8000, &[word(5, 10)]),
        ];
        let station = received(&[
            word(3, 7),
            Attribute::raw(6, &[2, 0, 0, 0, 0xab, 9]),
            word(46, 5),
            Attribute::nested(21 | 0x8000, &info),
        ]);
        let expected = Station {
            address: [2, 0, 0, 0, 0xab, 9],
            bits: 90_000_000,
            format: Format::Vht,
            packets: 77,
            silent_ms: 12,
        };
        assert_eq!(Station::of(&station), Some(expected));
        let times: Vec<_> = [(4_u16, 1_000), (5, 600), (6, 1), (7, 2), (8, 250), (9, 3)]
            .map(|(kind, ms)| Attribute::long(kind, ms))
            .into();
        let info = [&[word(1, 2412), Attribute::raw(2, &[160]), Attribute::raw(3, &[])], &times[..]].concat();
        let own = received(&[word(3, 7), Attribute::nested(84 | 0x8000, &info)]);
        assert_eq!(Survey::of(&[own]), Some(Survey { active: 1_000, busy: 600, sending: 250 }));
        let queues: Vec<_> = [(1_u16, 7_500), (2, 5), (3, 900), (4, 4)].map(|(kind, n)| word(kind, n)).into();
        let own = received(&[word(3, 7), Attribute::nested(265 | 0x8000, &queues)]);
        assert_eq!(waits_below(&own), Some(Backlog { packets: 5, bytes: 7_500 }));
        assert_eq!([GET_INTERFACE, GET_STATION, GET_SURVEY], [5, 17, 50]);
        assert_eq!((FAMILY, IFINDEX), ("nl80211", 3));
    }

    /// A station that is new has sent nothing since the look before, one that is gone is forgotten.
    #[test]
    fn stations_come_and_go() {
        let all = |stations: &[(u8, u32, u32)]| -> Vec<Station> {
            let one = |(last, packets, silent): &(u8, u32, u32)| {
                Station::of(&self::station(*last, &[tenths(60)], *packets, *silent))
            };
            stations.iter().filter_map(one).collect()
        };
        let mut memory = Memory::default();
        let mut chosen = |stations| memory.station(&all(stations)).map(|own| own.address[5]);
        assert_eq!(chosen(&[(1, 10, 5), (2, 10, 4)]), Some(2), "heard last");
        assert_eq!(chosen(&[(1, 11, 5), (2, 10, 4), (3, 900, 0)]), Some(1), "the new one has sent before");
        assert_eq!(chosen(&[(1, 11, 5), (2, 10, 4), (3, 901, 0)]), Some(3));
        assert_eq!(chosen(&[(1, 0, 5), (2, 10, 4), (3, 901, 9)]), Some(3), "counts of another begin anew");
        assert_eq!(chosen(&[(1, 0, 5), (2, 10, 4)]), Some(2), "the one before is gone: heard last");
        assert_eq!(chosen(&[(1, 3, 5), (2, 12, 4)]), Some(1), "3 packets against 2");
    }

    fn survey(in_use: bool, times: &[(u16, u64)]) -> Attributes {
        let times = times.iter().map(|(kind, ms)| Attribute::long(*kind, *ms));
        let info: Vec<_> = times.chain(in_use.then(|| Attribute::raw(IN_USE, &[]))).collect();
        received(&[Attribute::nested(SURVEY | 0x8000, &info)])
    }

    /// Of 1000 ms, 700 are busy and 200 of those its own: half of the time is free.
    #[test]
    fn how_free_the_channel_is() {
        let of = |active, busy, sending| {
            let other = survey(false, &[(ACTIVE, 9), (BUSY, 9)]);
            Survey::of(&[other, survey(true, &[(ACTIVE, active), (BUSY, busy), (SENDING, sending)])])
        };
        let mut memory = Memory::default();
        assert_eq!(memory.free(of(5000, 1000, 500)), None, "the first look");
        assert_eq!(memory.free(of(6000, 1700, 700)), Some(0.5));
        assert_eq!(memory.free(of(6000, 1700, 700)), Some(0.5), "nothing new");
        assert_eq!(memory.free(of(6500, 1700, 700)), Some(1.0));
        assert_eq!(memory.free(of(10, 10, 0)), Some(1.0), "counts began anew");
        assert_eq!(memory.free(of(110, 110, 0)), Some(0.0));
        assert_eq!(memory.free(None), None);
        // After a pause without counts the first look says nothing again.
        assert_eq!(memory.free(of(300, 150, 40)), None);
        assert_eq!(memory.free(of(400, 200, 70)), Some(0.8));
        // Each count alone may begin anew; what was known stays until the next look.
        // 100 ms later 40 more are busy.
        for (active, busy, sending) in [(399, 200, 70), (600, 20, 70), (800, 70, 5)] {
            let before = memory.free;
            assert_eq!(memory.free(of(active, busy, sending)), before, "{active}");
            assert_eq!(memory.free(of(active + 100, busy + 40, sending)), Some(0.6), "{active}");
            assert_eq!(memory.free(of(active + 150, busy + 40, sending)), Some(1.0), "{active}");
        }
        // The look before is that at which time was counted last: 100 ms, 75 busy, none its own.
        assert_eq!(memory.free(of(950, 150, 5)), Some(1.0));
        assert_eq!(memory.free(of(1_050, 185, 5)), Some(0.25));
        let before = Survey { active: 0, busy: 0, sending: 0 };
        let quick = Survey { active: 100, busy: 10, sending: 40 };
        assert_eq!(quick.free_since(&before), Some(1.0), "its own time beyond the busy one");
        assert_eq!(Survey::of(&[survey(true, &[(ACTIVE, 7)])]), None);
        assert_eq!(Survey::of(&[survey(false, &[(ACTIVE, 7), (BUSY, 1)])]), None);
        let unsent = Survey { active: 7, busy: 1, sending: 0 };
        assert_eq!(Survey::of(&[survey(true, &[(ACTIVE, 7), (BUSY, 1)])]), Some(unsent));
    }

    #[test]
    fn what_waits_in_mac80211() {
        let own = [Attribute::word(BELOW_BYTES, 4_500), Attribute::word(BELOW_PACKETS, 3)];
        let said = received(&[Attribute::nested(BELOW | 0x8000, &own)]);
        assert_eq!(waits_below(&said), Some(Backlog { packets: 3, bytes: 4_500 }));
        assert_eq!(waits_below(&Attributes::default()), None);
    }

    #[test]
    fn refusals() {
        let said = |errno| words(Problem::Refused { errno, words: None }, "eth0").to_string();
        assert!(said(ENODEV).starts_with("eth0 is no Wi-Fi interface"));
        assert!(said(EPERM).contains("without root"));
        assert!(said(95).starts_with("nl80211: "));
    }
}
