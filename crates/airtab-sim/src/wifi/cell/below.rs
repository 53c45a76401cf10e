// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the access point's discipline does not see by itself: who sleeps, how free the channel is, and what its governor has to be told
//! of the channel.
//!
//! What it does not do: a station that sleeps goes on sending, and the exchange with it that is under way ends.

use airtab_core::{GovernorNow, GovernorStats, Rate};

use std::ops::Range;

use super::*;
use crate::wifi::exchange::Answer;

/// A station falls asleep or wakes.
#[derive(Clone, Copy)]
pub(super) struct Nap {
    pub(super) at_ns: u64,
    station: usize,
    asleep: bool,
}

impl Cell {
    /// How long the channel was not used by others than the access point's frames, ns.
    pub(super) fn free_ns(&self, now: u64) -> u64 {
        let own = (0..self.categories).map(Use::Frame);
        own.chain([Use::Idle]).map(|used| self.channel.ledger().ns(used, now)).sum()
    }

    /// A station falls asleep or wakes: nothing new is sent to it while it sleeps, and what the driver has for it
    /// waits there. To be called once everything is done that is due by `now`.
    ///
    /// # Panics
    /// If there is no such station, or the access point has no driver: one packet at a time, no rates by MCS.
    pub fn sleep(&mut self, station: usize, asleep: bool, now: u64) {
        for number in 0..self.categories {
            let Transmitter { driver, contender, .. } = &mut self.transmitters[number];
            let contender = *contender;
            let driver = driver.as_mut().expect("the access point has a driver");
            driver.sleep(station, asleep);
            self.prepare(number);
            self.withdraw_empty(number);
            if !self.contenders[contender].exchange.is_under_way() && self.load_next(number, now) {
                self.channel.ready(contender, now, || self.contenders[contender].draw());
            }
        }
        self.look_ahead();
    }

    /// [`Cell::sleep`] at the start of that time and at its end, ns.
    ///
    /// # Panics
    /// As that does.
    pub fn set_asleep(&mut self, station: usize, time: Range<u64>) {
        assert!(self.config.has_driver(), "the access point has a driver");
        self.naps.push(Nap { at_ns: time.start, station, asleep: true });
        self.naps.push(Nap { at_ns: time.end, station, asleep: false });
        self.naps.sort_by_key(|nap| std::cmp::Reverse(nap.at_ns));
        self.set_alarm();
        self.look_ahead();
    }

    /// Does what [`Cell::set_asleep`] has planned for now. False: nothing.
    pub(super) fn nap(&mut self, now: u64) -> bool {
        let Some(nap) = self.naps.pop_if(|nap| nap.at_ns == now) else { return false };
        self.sleep(nap.station, nap.asleep, now);
        self.set_alarm();
        true
    }

    /// What the governors of the access point count and have outstanding; of the one discipline, or one for
    /// each access category. None where there is no governor.
    pub fn governors(&self) -> impl Iterator<Item = (GovernorStats, GovernorNow)> {
        let down = self.transmitters[..self.categories].iter();
        down.filter_map(|transmitter| transmitter.egress.managed()?.below()?.governor())
    }

    /// An attempt is over, and the reports of its packets are sent: the governors hear its airtime. `promotes`: some of these
    /// go to best effort's.
    pub(super) fn tell_governors(&mut self, sender: usize, promotes: bool, now: u64) {
        let Contender { exchange, transmitter, .. } = &self.contenders[sender];
        let ns = exchange.known_ns();
        match self.transmitters[*transmitter].side {
            Side::Node(node) => self.tell_nodes(node, ns, now),
            Side::Station(_) if exchange.answer == Answer::Missing => {}
            Side::Station(_) => self.access_points().for_each(|queue| queue.overheard(ns, now)),
            Side::AccessPoint => {
                let own = *transmitter;
                let promoted = promotes.then_some(Category::BestEffort as usize);
                let others = self.access_points().enumerate();
                let others = others.filter(|(number, _)| *number != own && Some(*number) != promoted);
                others.for_each(|(_, queue)| queue.overheard(ns, now));
                for number in 0..=self.contenders[sender].joined {
                    if let Some(station) = self.contenders[sender].user(number).link {
                        self.estimate_by_rate(station, now);
                    }
                }
            }
        }
        self.set_alarm();
    }

    /// The rate of what goes down to a station now: that of its speed, or of the rate control's choice.
    ///
    /// # Panics
    /// If there is no such station.
    pub fn rate(&self, station: usize) -> Rate {
        self.radios.rate(station as u16, true)
    }

    /// A rate control may send to a station at another rate than before: what is estimated follows.
    fn estimate_by_rate(&mut self, station: u16, now: u64) {
        let below = self.transmitters[0].egress.managed().and_then(Managed::below);
        let kbps = below.and_then(|below| below.kbps(station)).filter(|kbps| *kbps > 0);
        if kbps.is_some_and(|kbps| kbps != self.radios.rate(station, true).kbps()) {
            let link = self.radios.link(station.into());
            self.access_points().for_each(|queue| queue.estimate(&link, now));
        }
    }
}
