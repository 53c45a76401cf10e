// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The radio links: how fast frames go, how long they take, which are lost.
//!
//! Rates in kb/s have a table of durations each; those by MCS are computed, and chosen
//! for each attempt (`rate`). What is lost depends on rate and length where the signal
//! is known (`snr`, `errors`), else on nothing.
//!
//! Limits: each direction has a rate control of its own, but the same signal. RTS and CTS at a rate of their own are lost as
//! if sent at the ACK's.

use std::sync::Arc;

use airtab_core::{Control, Format, Link, Phy, Rate, ampdu_bytes};

use super::aggregate::{Bounds, Length};
use super::config::{Aggregation, CONTROL_KBPS, CellConfig, Loss, Speed};
use super::errors::{Coding, ErrorTable};
use super::links::{FULL, Links};
use super::rate::{Ask, Candidate, Outcome, RateAlgorithm, RateControl};
use super::snr::Snr;
use crate::engine::{Chance, Stream};

/// Longest packet whose duration is looked up instead of computed.
const TABLE: u32 = 2304;

/// How a frame goes out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    /// PHY rate, kb/s.
    pub(super) kbps: u32,
    /// The same by MCS; None: it has none.
    pub(super) mcs: Option<Rate>,
    /// Probability that one of its DATA is lost, and one of the frames around it.
    pub(super) loss: Chance,
    pub(super) control_loss: Chance,
    /// By what MPDUs are lost instead of `loss`; and the place of its rate among those to choose from.
    pub(super) signal: Option<Reception>,
    pub(super) choice: usize,
    pub(super) data_ns: u64,
    /// SIFS and ACK, or the wait for it; 0 if nobody acknowledges.
    pub(super) ack_ns: u32,
    /// RTS; RTS, SIFS and CTS. 0: there is none.
    pub(super) rts_ns: u64,
    pub(super) cts_ns: u64,
    /// SIFS between CTS and DATA; 0 without RTS.
    pub(super) gap_ns: u64,
}

impl Frame {
    /// Until its DATA is over, from its first bit.
    #[inline]
    pub(super) fn on_air_ns(&self) -> u64 {
        self.cts_ns + self.gap_ns + self.data_ns
    }

    /// A frame like this one without RTS and CTS.
    pub(super) fn unguarded(self) -> Frame {
        Frame { rts_ns: 0, cts_ns: 0, gap_ns: 0, ..self }
    }

    /// What an attempt takes of the channel.
    #[inline]
    pub(super) fn known_ns(&self) -> u64 {
        self.on_air_ns() + u64::from(self.ack_ns)
    }
}

/// How well a frame is heard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reception {
    coding: Coding,
    /// Signal-to-noise ratio of its streams, dB.
    stream_db: f64,
}

/// What the next attempt may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) rate: Rate,
    choice: usize,
    /// At most so many MPDUs, beside what bounds aggregates anyway.
    mpdus: usize,
}

impl Plan {
    /// What an aggregate may be that is bounded so otherwise.
    pub(super) fn bounded(&self, bounds: Bounds) -> Bounds {
        Bounds { frames: bounds.frames.min(self.mpdus), ..bounds }
    }
}

/// Durations at one PHY rate in kb/s.
struct Table {
    phy: Phy,
    kbps: u32,
    data_ns: Vec<u32>,
    /// SIFS and ACK, ns: also how long a sender waits for the ACK.
    ack_ns: u32,
}

impl Table {
    fn new(phy: Phy, kbps: u32) -> Table {
        let data_ns = (0..=TABLE)
            .map(|bytes| u32::try_from(phy.data_ns(kbps, bytes)).expect("a frame lasts less than 4 s"))
            .collect();
        let ack_ns = phy.sifs_ns() + phy.ack_ns(kbps);
        Table { phy, kbps, data_ns, ack_ns: ack_ns.try_into().expect("an ACK lasts less than 4 s") }
    }

    #[inline]
    fn data_ns(&self, ip_bytes: u32) -> u64 {
        match self.data_ns.get(ip_bytes as usize) {
            Some(&ns) => ns.into(),
            None => self.phy.data_ns(self.kbps, ip_bytes),
        }
    }
}

/// The mandatory OFDM rate whose error rate the frames around DATA have, kb/s: the fastest that is not above the rate at
/// which they are sent.
pub(super) fn answer_kbps(phy: &Phy, data: &Rate) -> u32 {
    match phy.control_kbps(data) {
        ..12_000 => 6_000,
        12_000..CONTROL_KBPS => 12_000,
        _ => CONTROL_KBPS,
    }
}

/// The links between the access point and its stations, the same both ways.
pub(super) struct Radios {
    phy: Phy,
    aggregation: Option<Aggregation>,
    rts_bytes: Option<u32>,
    /// Profile with the rate of RTS and CTS.
    rts_phy: Phy,
    /// Mean wait before an attempt, by which rate controls compare rates, ns.
    wait_ns: u32,
    seed: u64,
    names: Vec<String>,
    /// Of the rates in kb/s; first that of frames to all: the profile's lowest.
    tables: Vec<Table>,
    /// A frame to all, but for how long it lasts.
    to_all: Frame,
    /// Where somebody's losses follow from the signal.
    errors: Option<Arc<ErrorTable>>,
    stations: Vec<Radio>,
}

struct Radio {
    rate: Rate,
    speed: Option<Speed>,
    /// Index of its table; 0 of a rate by MCS. And a frame of one packet by it, but for how long it lasts.
    table: usize,
    single: Frame,
    /// Probability that DATA is lost, and that a control frame is.
    loss: Chance,
    control_loss: Chance,
    draws: Stream,
    snr: Option<Snr>,
    /// Down and up; None: the one rate.
    controls: Option<[Controlled; 2]>,
}

/// A rate control, and the rate that it took last but for trying.
struct Controlled {
    control: RateControl,
    current: usize,
}

impl Radios {
    /// Stations with name, speed and losses each.
    pub(super) fn new(config: &CellConfig, stations: &[(&str, Speed, Loss)], seed: u64) -> Radios {
        let phy = config.phy;
        let radio = |(name, speed, _): &(&str, Speed, Loss)| Radio {
            rate: speed.rate,
            speed: None,
            table: 0,
            single: Frame::default(),
            loss: Chance::NONE,
            control_loss: Chance::NONE,
            draws: Stream::new(seed, &format!("radio/{name}")),
            snr: None,
            controls: None,
        };
        let by_signal = |s: &(&str, Speed, Loss)| matches!(s.2, Loss::Signal(_));
        let mut radios = Radios {
            phy,
            aggregation: config.aggregation,
            rts_bytes: config.rts_bytes,
            rts_phy: config.rts_phy(),
            wait_ns: config.wait_ns() as u32,
            tables: vec![Table::new(phy, phy.base_kbps())],
            to_all: Frame { kbps: phy.base_kbps(), ..Frame::default() },
            errors: stations.iter().any(by_signal).then(|| Arc::new(ErrorTable::new())),
            seed,
            names: stations.iter().map(|s| s.0.to_string()).collect(),
            stations: stations.iter().map(radio).collect(),
        };
        for (i, &(_, speed, loss)) in stations.iter().enumerate() {
            radios.set(i, speed, loss, 0);
        }
        radios
    }

    /// Another speed and other losses for a station.
    pub(super) fn set(&mut self, station: usize, speed: Speed, loss: Loss, now: u64) {
        let table = if speed.rate.format() == Format::Legacy { self.table(speed.rate.kbps()) } else { 0 };
        if matches!(loss, Loss::Signal(_)) && self.errors.is_none() {
            self.errors = Some(Arc::new(ErrorTable::new()));
        }
        let another = self.stations[station].speed != Some(speed);
        let controls = if another { self.controls(station, speed) } else { None };
        let name = &self.names[station];
        let radio = &mut self.stations[station];
        if another {
            (radio.speed, radio.controls) = (Some(speed), controls);
        }
        (radio.rate, radio.table) = (speed.rate, table);
        radio.loss = Chance::new(loss.data_error_rate());
        radio.control_loss = Chance::new(loss.frame_error_rate());
        let Table { kbps, ack_ns, .. } = self.tables[table];
        let &mut Radio { loss: of_data, control_loss, .. } = radio;
        radio.single = Frame { kbps, loss: of_data, control_loss, ack_ns, ..Frame::default() };
        match (loss, &mut radio.snr) {
            (Loss::Signal(signal), Some(snr)) => snr.set(signal, now),
            (Loss::Signal(signal), none) => *none = Some(Snr::new(signal, self.seed, name)),
            (_, snr) => *snr = None,
        }
    }

    /// The rate controls of a station, if it has any.
    fn controls(&self, station: usize, speed: Speed) -> Option<[Controlled; 2]> {
        if speed.control == RateAlgorithm::Fixed {
            return None;
        }
        let rates = Candidate::all(&self.phy, &speed.rate, self.aggregation.as_ref(), self.wait_ns);
        let table = || self.errors.clone().unwrap_or_else(|| Arc::new(ErrorTable::new()));
        let control = |way| {
            let rates = rates.clone();
            let control = match speed.control {
                RateAlgorithm::Fixed => RateControl::fixed(rates, 0),
                RateAlgorithm::Ideal => RateControl::ideal(rates, table()),
                RateAlgorithm::Aarf => RateControl::aarf(rates, &table()),
                RateAlgorithm::Minstrel => {
                    RateControl::minstrel(rates, self.seed, &format!("{}/{way}", self.names[station]))
                }
            };
            Controlled { control, current: 0 }
        };
        Some([control("down"), control("up")])
    }

    /// Index of a rate's table.
    fn table(&mut self, kbps: u32) -> usize {
        if let Some(place) = self.tables.iter().position(|table| table.kbps == kbps) {
            return place;
        }
        // In the place of one that nobody uses any more, so that there are never many.
        let used = |i: &usize| self.stations.iter().any(|s| s.table == *i);
        let place = (1..self.tables.len()).find(|i| !used(i)).unwrap_or(self.tables.len());
        let table = Table::new(self.phy, kbps);
        if place == self.tables.len() {
            self.tables.push(table);
        } else {
            self.tables[place] = table;
        }
        place
    }

    /// A frame of one packet at a rate in kb/s, to or from a station (None: to all), of so many bytes of IP.
    pub(super) fn frame(&self, station: Option<u16>, ip_bytes: u32) -> Frame {
        let mut frame = Frame::default();
        self.set_frame(&mut frame, station, ip_bytes);
        frame
    }

    /// [`Radios::frame`], made where it stays.
    #[inline(always)]
    pub(super) fn set_frame(&self, frame: &mut Frame, station: Option<u16>, ip_bytes: u32) {
        let radio = station.map(|s| &self.stations[usize::from(s)]);
        let (table, single) = radio.map_or((0, &self.to_all), |radio| (radio.table, &radio.single));
        *frame = *single;
        frame.data_ns = self.tables[table].data_ns(ip_bytes);
        if self.rts_bytes.is_some() && radio.is_some() {
            self.guard(frame, ip_bytes + self.phy.mac_bytes());
        }
    }

    /// The rate of what is made ready to (`down`) or from a station.
    pub(super) fn rate(&self, station: u16, down: bool) -> Rate {
        let radio = &self.stations[usize::from(station)];
        let own = radio.controls.as_ref().map(|controls| &controls[usize::from(!down)]);
        own.map_or(radio.rate, |own| own.control.rates()[own.current].rate)
    }

    /// How the next attempt goes out; `failures`: of it so far, in succession.
    pub(super) fn plan(&mut self, station: u16, down: bool, mpdus: usize, failures: u32, now: u64) -> Plan {
        let radio = &mut self.stations[usize::from(station)];
        let Some(controls) = &mut radio.controls else {
            return Plan { rate: radio.rate, choice: 0, mpdus: usize::MAX };
        };
        let own = &mut controls[usize::from(!down)];
        let snr_db = radio.snr.as_mut().map_or(f64::INFINITY, |snr| snr.db(now));
        let ask = Ask { attempt: failures + 1, mpdus: mpdus as u32, snr_db, now };
        let choice = own.control.choose(&ask);
        let candidate = &own.control.rates()[choice.rate];
        // A rate that is tried has one MPDU; else the cell knows the lengths of its packets better.
        let tried = choice.mpdus < candidate.most;
        if !tried {
            own.current = choice.rate;
        }
        let mpdus = if tried { choice.mpdus as usize } else { usize::MAX };
        Plan { rate: candidate.rate, choice: choice.rate, mpdus }
    }

    /// How it ended.
    pub(super) fn ended(&mut self, station: u16, down: bool, frame: &Frame, sent: u32, acked: u32, now: u64) {
        if let Some(controls) = &mut self.stations[usize::from(station)].controls {
            let outcome = Outcome { rate: frame.choice, sent, acked, now };
            controls[usize::from(!down)].control.result(&outcome);
        }
    }

    /// Bounds of an aggregate to or from a station; `txop_ns`: limit of the exchange, RTS included, 0: none.
    pub(super) fn bounds(&self, rate: &Rate, txop_ns: u64) -> Bounds {
        let single = Bounds::single(self.phy.mac_bytes());
        let mcs = rate.format() != Format::Legacy;
        let Some(aggregation) = self.aggregation.filter(|_| mcs) else { return single };
        let answer = self.phy.sifs_ns() + self.phy.control_ns(rate, Control::BlockAck(aggregation.window));
        let beside = |around_ns: u64| {
            let txop_ns = if txop_ns == 0 { u64::MAX } else { txop_ns.saturating_sub(around_ns) };
            self.phy.psdu_within(rate, txop_ns.min(aggregation.time_ns.into()) as u32).min(aggregation.bytes)
        };
        let plain = beside(answer);
        let psdu = match self.rts_bytes {
            Some(bytes) if plain > bytes => {
                let [cts_ns, gap_ns] = [self.guard_ns(rate).1, self.phy.sifs_ns()];
                beside(answer + cts_ns + gap_ns).max(bytes)
            }
            _ => plain,
        };
        Bounds { frames: aggregation.frames.into(), psdu, amsdu: aggregation.amsdu_bytes, ..single }
    }

    /// [`Radios::aggregate`] as it goes out at `now`.
    pub(super) fn aimed(
        &mut self,
        station: u16,
        plan: &Plan,
        length: &Length,
        ip_bytes: u32,
        now: u64,
    ) -> Frame {
        let mut frame = self.aggregate(station, &plan.rate, length, ip_bytes);
        frame.choice = plan.choice;
        self.heard(station, frame, &plan.rate, now)
    }

    /// DATA of one of several stations in a PPDU, on its resource unit, as it goes out at `now`; `data_ns` and
    /// `ack_ns` are those of all.
    pub(super) fn on_unit(
        &mut self,
        station: u16,
        plan: &Plan,
        unit: &Rate,
        [data_ns, ack_ns]: [u64; 2],
        now: u64,
    ) -> Frame {
        let Radio { loss, control_loss, .. } = self.stations[usize::from(station)];
        let frame = Frame {
            kbps: unit.kbps(),
            mcs: Some(*unit),
            loss,
            control_loss,
            choice: plan.choice,
            data_ns,
            ack_ns: ack_ns as u32,
            ..Frame::default()
        };
        self.heard(station, frame, unit, now)
    }

    /// A frame at a rate by what it is lost, where the signal is known.
    fn heard(&mut self, station: u16, mut frame: Frame, rate: &Rate, now: u64) -> Frame {
        let (Some(errors), Some(snr)) = (&self.errors, &mut self.stations[usize::from(station)].snr) else {
            return frame;
        };
        let db = snr.db(now);
        let (coding, share_db) = match rate.format() {
            Format::Legacy => (Coding::ofdm(rate.kbps()), 0.0),
            _ => (Coding::mcs(rate.mcs()), Snr::share_db(rate.width_mhz(), rate.streams())),
        };
        frame.signal = coding.map(|coding| Reception { coding, stream_db: db - share_db });
        let control = Coding::ofdm(answer_kbps(&self.phy, rate)).expect("a rate of 802.11a");
        frame.control_loss = Chance::new(errors.error_rate(control, db, Control::Ack.bytes()));
        frame
    }

    /// Probability that an MPDU of so many bytes is lost.
    #[inline(never)]
    pub(super) fn mpdu_loss(&self, heard: &Reception, bytes: u32) -> Chance {
        let errors = self.errors.as_ref().expect("there is a signal");
        Chance::new(errors.error_rate(heard.coding, heard.stream_db, bytes))
    }

    /// A frame of MPDUs at a rate, to or from a station; `ip_bytes`: of the packet, where there is one.
    pub(super) fn aggregate(&self, station: u16, rate: &Rate, length: &Length, ip_bytes: u32) -> Frame {
        if !self.phy.has_mcs() {
            return self.frame(Some(station), ip_bytes);
        }
        let Radio { loss, control_loss, .. } = self.stations[usize::from(station)];
        let answer = match (length.mpdus, self.aggregation) {
            (2.., Some(aggregation)) => Control::BlockAck(aggregation.window),
            _ => Control::Ack,
        };
        let psdu = length.sent(rate.format() <= Format::Ht);
        let mut frame = Frame {
            kbps: rate.kbps(),
            mcs: (rate.format() != Format::Legacy).then_some(*rate),
            loss,
            control_loss,
            data_ns: self.phy.ppdu_ns(rate, psdu),
            ack_ns: (self.phy.sifs_ns() + self.phy.control_ns(rate, answer)) as u32,
            ..Frame::default()
        };
        self.guard(&mut frame, psdu);
        frame
    }

    /// A block ACK request to a station that gets DATA at that rate.
    pub(super) fn bar(&self, station: u16, rate: &Rate) -> Frame {
        let control_loss = self.stations[usize::from(station)].control_loss;
        let window = self.aggregation.map_or(0, |aggregation| aggregation.window);
        let ns = |frame| self.phy.control_ns(rate, frame);
        Frame {
            kbps: self.phy.control_kbps(rate),
            loss: control_loss,
            control_loss,
            data_ns: ns(Control::Bar),
            ack_ns: (self.phy.sifs_ns() + ns(Control::BlockAck(window))) as u32,
            ..Frame::default()
        }
    }

    /// An RTS goes before a frame, if it is long enough.
    #[inline(never)]
    fn guard(&self, frame: &mut Frame, psdu: u32) {
        if self.rts_bytes.is_none_or(|bytes| psdu <= bytes) {
            return;
        }
        let rate = frame.mcs.unwrap_or_else(|| Rate::legacy(frame.kbps));
        (frame.rts_ns, frame.cts_ns) = self.guard_ns(&rate);
        frame.gap_ns = self.phy.sifs_ns();
    }

    /// An RTS before DATA at that rate; and RTS, SIFS and CTS, ns.
    fn guard_ns(&self, rate: &Rate) -> (u64, u64) {
        let ns = |control| self.rts_phy.control_ns(rate, control);
        let rts_ns = ns(Control::Rts);
        (rts_ns, rts_ns + self.phy.sifs_ns() + ns(Control::Cts))
    }

    /// Draws whether one frame to or from a station is lost.
    #[inline]
    pub(super) fn loses(&mut self, station: u16, loss: Chance) -> bool {
        loss != Chance::NONE && self.stations[usize::from(station)].draws.happens(loss)
    }

    /// What a discipline is told of all stations.
    pub(super) fn links(&self) -> Links {
        Links::new(self.phy, (0..self.stations.len()).map(|station| self.link(station)).collect())
    }

    /// The same of those whose rate is chosen anew for each attempt.
    pub(super) fn moving_links(&self) -> impl Iterator<Item = Link> {
        let stations = self.stations.iter().enumerate();
        stations.filter(|(_, radio)| radio.controls.is_some()).map(|(station, _)| self.link(station))
    }

    /// What a discipline is told of a station.
    pub(super) fn link(&self, station: usize) -> Link {
        let rate = self.rate(station as u16, true);
        let bounds = self.bounds(&rate, 0);
        let mpdu = FULL + bounds.mac;
        let fits = |n: &usize| ampdu_bytes(*n as u32, mpdu) <= bounds.psdu;
        let frames = (2..=bounds.frames).take_while(fits).last().unwrap_or(1);
        let length = Length::equal(frames, mpdu);
        let known_ns = self.aggregate(station as u16, &rate, &length, FULL).known_ns();
        Link {
            sta: station as u16,
            here: true,
            phy: self.phy.number(),
            nss: rate.streams().max(1),
            rate_kbps: rate.kbps(),
            ampdu_frames: frames as u32,
            ampdu_ns: u32::try_from(known_ns).expect("an exchange lasts less than 4 s"),
            ..Link::default()
        }
    }
}

#[cfg(test)]
mod tests;
