// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Transmitters and their contenders: who has a queue, and who takes part in the
//! contention for it.
//!
//! A [`Transmitter`] is the access point or a station: a queue, and beacons if
//! it sends any. A [`Contender`] has a rule, a random stream and the exchange it
//! is at. Each names the other by number.
//!
//! Under EDCA the access point is four transmitters, and so is a station: one for each
//! category.
//!
//! What it does not do: no association: the cell has one access point.

use airtab_core::Phy;

use super::config::{Beacon, CellConfig, DriverConfig};
use super::driver::Driver;
use super::egress::Egress;
use super::exchange::{Answer, Exchange};
use super::ofdma::Division;
use super::output::Side;
use super::phy::{Frame, Radios};
use super::rule::Rule;
use crate::engine::{NEVER, Stream};

/// The access point, or a station.
pub(super) struct Transmitter {
    pub(super) side: Side,
    pub(super) egress: Egress,
    /// What it holds below its queue; None: nothing but the packet that it is sending.
    pub(super) driver: Option<Box<Driver>>,
    /// Number of its contender.
    pub(super) contender: usize,
    pub(super) beacons: Option<Beacons>,
}

impl Transmitter {
    /// `receivers`: how many it sends to. `beacons`: the draws of its beacons, if it sends those of an access point.
    pub(super) fn new(
        side: Side,
        egress: Egress,
        contender: usize,
        receivers: usize,
        beacons: Option<Stream>,
        config: &CellConfig,
    ) -> Transmitter {
        let beacons = config.beacon.zip(beacons);
        let aggregation = config.aggregation.filter(|a| a.frames > 1 || a.amsdu_bytes > 0);
        // A station's driver has a ring, and nobody above it that cares.
        let own = match side {
            Side::AccessPoint | Side::Node(_) => config.driver,
            Side::Station(_) => {
                let DriverConfig { ring, aggregates, order, lifetime_ns, .. } = config.driver;
                DriverConfig { ring, aggregates, order, lifetime_ns, ..DriverConfig::default() }
            }
        };
        let driver = || Box::new(Driver::new(&own, aggregation.as_ref(), receivers));
        Transmitter {
            side,
            egress,
            driver: config.needs(&own).then(driver),
            contender,
            beacons: beacons.map(|(beacon, draws)| Beacons::new(&beacon, &config.phy, draws)),
        }
    }

    /// Whether it has events of its own.
    #[inline]
    pub(super) fn is_timed(&self) -> bool {
        self.beacons.is_some() || self.egress.managed().is_some() || self.driver.is_some()
    }

    /// When something is due that nobody else tells it of.
    #[inline]
    pub(super) fn next_event(&self) -> u64 {
        let beacon = self.beacons.as_ref().map_or(NEVER, |b| b.next_ns);
        let driver = self.driver.as_ref().map_or(NEVER, |driver| driver.deadline());
        beacon.min(driver).min(self.egress.next_event())
    }

    /// The beacon that waits to be sent, if there is one.
    #[inline]
    pub(super) fn take_beacon(&mut self) -> Option<Frame> {
        let beacons = self.beacons.as_mut().filter(|b| b.waits)?;
        beacons.waits = false;
        Some(beacons.frame)
    }
}

/// A transmitter's beacons: one at a time waits before its packets.
pub(super) struct Beacons {
    frame: Frame,
    interval_ns: u64,
    next_ns: u64,
    waits: bool,
}

impl Beacons {
    /// The first one comes at its time, or at one that is drawn.
    fn new(beacon: &Beacon, phy: &Phy, mut draws: Stream) -> Beacons {
        let data_ns = phy.data_ns(beacon.kbps, beacon.bytes.saturating_sub(phy.mac_bytes()));
        Beacons {
            frame: Frame { kbps: beacon.kbps, data_ns, ..Frame::default() },
            interval_ns: beacon.interval_ns,
            next_ns: beacon.first_ns.unwrap_or_else(|| draws.below(beacon.interval_ns)),
            waits: false,
        }
    }

    /// Whether one comes at `now`: then it waits from here on.
    pub(super) fn come(&mut self, now: u64) -> bool {
        let comes = self.next_ns == now;
        if comes {
            self.next_ns += self.interval_ns;
            self.waits = true;
        }
        comes
    }
}

/// One that sends by the rules of contention.
pub(super) struct Contender {
    /// Number of the transmitter whose packets it sends.
    pub(super) transmitter: usize,
    pub(super) rule: Rule,
    /// How long it may go on once it has the channel, ns, 0: one exchange; and until when it has it.
    pub(super) txop_ns: u64,
    pub(super) txop_until: u64,
    /// True if an RTS has reserved the channel in its TXOP.
    pub(super) guarded: bool,
    random: Stream,
    /// What it is trying to send.
    pub(super) exchange: Exchange,
    /// What goes out with it, in one PPDU to several stations: the first so many of these, on such units.
    pub(super) others: Vec<Exchange>,
    pub(super) joined: usize,
    pub(super) division: Option<Division>,
}

impl Contender {
    /// With nothing to send.
    pub(super) fn new(transmitter: usize, rule: Rule, txop_ns: u64, random: Stream) -> Contender {
        Contender {
            transmitter,
            rule,
            txop_ns,
            txop_until: 0,
            guarded: false,
            random,
            exchange: Exchange::none(),
            others: Vec::new(),
            joined: 0,
            division: None,
        }
    }

    /// All that goes out together.
    #[inline]
    pub(super) fn together(&self) -> impl Iterator<Item = &Exchange> {
        std::iter::once(&self.exchange).chain(&self.others[..self.joined])
    }

    /// [`Contender::together`], to change it.
    #[inline]
    pub(super) fn together_mut(&mut self) -> impl Iterator<Item = &mut Exchange> {
        std::iter::once(&mut self.exchange).chain(&mut self.others[..self.joined])
    }

    /// How many go out together.
    #[inline]
    pub(super) fn users(&self) -> usize {
        1 + self.joined
    }

    /// Whether a packet of an exchange is promoted.
    pub(super) fn promotes(&self) -> bool {
        self.together().any(|own| own.parts.iter().any(|part| part.promoted))
    }

    /// The one with this number of those that go out together.
    #[inline]
    pub(super) fn user(&mut self, number: usize) -> &mut Exchange {
        if number == 0 { &mut self.exchange } else { &mut self.others[number - 1] }
    }

    /// An attempt begins, at `now`: as [`Exchange::begin`], of all that goes out together.
    #[inline]
    pub(super) fn begin(&mut self, radios: &mut Radios, collided: bool, now: u64) {
        self.exchange.begin(radios, collided, now);
        self.others[..self.joined].iter_mut().for_each(|own| own.begin(radios, collided, now));
    }

    /// What follows the DATA of the attempt under way: one that answers is enough.
    #[inline]
    pub(super) fn answer(&self) -> Answer {
        self.others[..self.joined].iter().fold(self.exchange.answer, |answer, own| answer.max(own.answer))
    }

    /// All is over.
    #[inline]
    pub(super) fn close(&mut self) {
        self.exchange.close();
        self.others[..self.joined].iter_mut().for_each(Exchange::close);
        self.joined = 0;
    }

    /// Slots of its next backoff.
    #[inline]
    pub(super) fn draw(&mut self) -> u64 {
        self.rule.draw(&mut self.random)
    }
}
