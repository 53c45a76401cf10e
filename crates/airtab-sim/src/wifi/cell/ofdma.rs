// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Several stations in one PPDU of the access point (`ofdma`): who goes together, at what rates, and what
//! becomes of it.
//!
//! As many go as are backlogged when the next exchange is made: the largest of 2, 4, 8, 16 that is not above
//! [`CellConfig::ofdma`], all of the first one's width and guard interval. Who could not send a single MPDU on
//! so small a unit does not go; fewer stations have larger units. Each has its own rate, aggregate, BLOCK ACK
//! and losses. What one of them misses goes back to the driver and comes first in its next aggregate; if
//! nobody answers, the sender backs off as after any failure, and what goes then is chosen anew.
//!
//! What it does not do: no RTS before it (MU-RTS), no BAR after it (MU-BAR); the channel is divided alike
//! whatever waits for whom. A rate control that chooses a narrower channel has its MCS and streams on the unit.

use airtab_core::{Phy, Rate, ampdu_add};

use super::busy::Again;
use super::*;
use crate::wifi::config::Aggregation;
use crate::wifi::driver::Driver;
use crate::wifi::exchange::Answer;
use crate::wifi::ofdma::{Division, Share, USERS};
use crate::wifi::phy::Plan;

/// Room for the most stations in a PPDU.
const MOST: usize = USERS[0] as usize;

/// How one of them goes out.
#[derive(Clone, Copy)]
struct Aim {
    plan: Plan,
    unit: Rate,
    length: Length,
}

impl Cell {
    /// Others join the exchange with a station that is set out, if enough are backlogged.
    pub(super) fn gather(&mut self, transmitter: usize) {
        let Transmitter { side, driver: Some(driver), contender, .. } = &mut self.transmitters[transmitter]
        else {
            return;
        };
        let contender = &mut self.contenders[*contender];
        let (Some(most), Some(aggregation)) = (self.config.ofdma, self.config.aggregation) else { return };
        let (true, Some(first)) = (side.is_down(), contender.exchange.link) else { return };
        contender.exchange.failures = driver.take_failures(first.into());
        let (phy, radios, txop_ns) = (&self.config.phy, &self.radios, contender.txop_ns);
        let rate = |station: usize| radios.rate(station as u16, true);
        let bounds = |division: &Division, station: usize| {
            let unit = division.unit(phy, &rate(station));
            let answer_ns = division.answer_ns(phy, &unit, aggregation.window);
            let around = [division.preamble_ns(phy, &unit), answer_ns];
            division.bounds(phy, &aggregation, &unit, around, txop_ns)
        };
        let fits = |division: &Division, station: usize, mpdu: u32| {
            division.suits(&rate(station)) && ampdu_add(0, mpdu) <= bounds(division, station).psdu
        };
        let own_mpdu = contender.exchange.parts[0].mpdu_bytes;
        let joins = |driver: &Driver, division: &Division, station: usize| {
            let mpdu = driver.first_mpdu(station, phy.mac_bytes());
            station != first.into() && mpdu.is_some_and(|mpdu| fits(division, station, mpdu))
        };
        let enough = |division: &Division| {
            let all = (0..driver.receivers()).filter(|station| joins(driver, division, *station));
            let users = division.users.into();
            fits(division, first.into(), own_mpdu) && all.take(users - 1).count() + 1 == users
        };
        let sizes = USERS.into_iter().filter(|users| *users <= most);
        let divisions = sizes.filter_map(|users| Division::new(&rate(first.into()), users));
        let Some(division) = divisions.into_iter().find(enough) else { return };
        contender.others.resize_with(contender.others.len().max(division.users.into()), Exchange::none);
        while contender.joined + 1 < division.users.into() {
            let (joined, rest) = contender.others.split_at_mut(contender.joined);
            let is_new = |station| joined.iter().all(|own| own.link != Some(station as u16));
            let suits = |driver: &Driver, to| is_new(to) && joins(driver, &division, to);
            let Some(to) = driver.next_of(&mut rest[0], suits, |to| bounds(&division, to)) else { break };
            rest[0].set_out(Kind::Data, Some(to as u16), Some((to + 1) * self.categories));
            rest[0].failures = driver.take_failures(to);
            contender.joined += 1;
        }
        contender.division = Some(division);
    }

    /// Chooses the rates of all that are sent together, and how long that takes; what would take too long goes
    /// back to the driver. False: there is one.
    pub(super) fn aim_together(&mut self, transmitter: usize, now: u64) -> bool {
        let Transmitter { driver, contender, .. } = &mut self.transmitters[transmitter];
        let contender = &mut self.contenders[*contender];
        let (Some(division), Some(aggregation)) = (contender.division, self.config.aggregation) else {
            return false;
        };
        let (1.., Some(driver)) = (contender.joined, driver) else { return false };
        let phy = self.config.phy;
        let mut aims: [Option<Aim>; MOST] = [None; MOST];
        for (own, aim) in contender.together_mut().zip(&mut aims) {
            let length = Length::of(&own.parts, &Bounds::single(phy.mac_bytes()));
            let station = own.link.expect("each is for a station");
            let plan = self.radios.plan(station, true, length.mpdus, own.failures, now);
            *aim = Some(Aim { plan, unit: division.unit(&phy, &plan.rate), length });
        }
        let around = around(&phy, &division, &aggregation, &aims);
        let txop_ns = contender.txop_ns;
        let mut number = 0;
        while number <= contender.joined {
            let aim = aims[number].as_mut().expect("each has one");
            let bounds = aim.plan.bounded(division.bounds(&phy, &aggregation, &aim.unit, around, txop_ns));
            let own = contender.user(number);
            let receiver = own.link.map_or(0, usize::from);
            aim.length = driver.trim(receiver, own, aim.length, &bounds);
            if aim.length.is_within(&bounds) {
                number += 1;
                continue;
            }
            if number == 0 {
                // It goes alone.
                (1..=contender.joined).for_each(|other| leave(driver, contender.user(other)));
                contender.joined = 0;
                return false;
            }
            leave(driver, own);
            contender.others.swap(number - 1, contender.joined - 1);
            aims.swap(number, contender.joined);
            aims[contender.joined] = None;
            contender.joined -= 1;
        }
        if contender.joined == 0 {
            return false;
        }
        let [preamble_ns, answer_ns] = self::around(&phy, &division, &aggregation, &aims);
        let ppdu_ns = |aim: &Aim| division.ppdu_ns(&phy, &aim.unit, aim.length.psdu, preamble_ns);
        let data_ns = aims.iter().flatten().map(ppdu_ns).max().expect("there are some");
        let of = contender.joined + 1;
        for (number, (own, aim)) in contender.together_mut().zip(aims.iter().flatten()).enumerate() {
            let station = own.link.expect("each is for a station");
            own.frame = self.radios.on_unit(station, &aim.plan, &aim.unit, [data_ns, answer_ns], now);
            own.share = Share::new(number, of);
        }
        true
    }

    /// Says to everybody what became of an attempt of several, and whether it failed: nobody answered.
    pub(super) fn decide_together(&mut self, sender: usize, now: u64) -> Again {
        (0..=self.contenders[sender].joined).for_each(|user| {
            self.report(sender, user, now);
        });
        let contender = &mut self.contenders[sender];
        let over = contender.together().all(Exchange::is_empty);
        if !over && contender.answer() != Answer::Ack {
            return Again::Failed;
        }
        self.take_back_all(sender);
        Again::Done
    }

    /// Several failed together: they pay for the wait, and go their own ways.
    pub(super) fn disband(&mut self, sender: usize, wait_ns: u64) {
        let contender = &mut self.contenders[sender];
        let of = contender.together().filter(|own| !own.is_empty()).count();
        for (number, own) in contender.together_mut().filter(|own| !own.is_empty()).enumerate() {
            own.share = Share::new(number, of);
            own.charge(wait_ns);
        }
        self.take_back_all(sender);
        self.contenders[sender].close();
    }

    /// What is not over goes back to the driver.
    fn take_back_all(&mut self, sender: usize) {
        let contender = &mut self.contenders[sender];
        let driver = self.transmitters[contender.transmitter].driver.as_mut().expect("it made them");
        for own in contender.together_mut().filter(|own| !own.is_empty()) {
            let receiver = own.link.map_or(0, usize::from);
            match own.answer {
                Answer::Ack => driver.answered(receiver),
                // A rate that was not on the air has not failed.
                _ => driver.failed(receiver, own.failures + u32::from(own.on_air_ns() > 0)),
            }
            own.give_back(|part| driver.take_back(receiver, part));
        }
    }
}

/// Of a PPDU of several: what it takes beside its symbols, and SIFS and BLOCK ACKs, ns.
fn around(phy: &Phy, division: &Division, with: &Aggregation, aims: &[Option<Aim>]) -> [u64; 2] {
    let units = || aims.iter().flatten().map(|aim| &aim.unit);
    let preamble_ns = units().map(|unit| division.preamble_ns(phy, unit)).max();
    let answer_ns = units().map(|unit| division.answer_ns(phy, unit, with.window)).max();
    [preamble_ns, answer_ns].map(|ns| ns.expect("there are some"))
}

/// One of several is not sent with them.
fn leave(driver: &mut Driver, own: &mut Exchange) {
    let receiver = own.link.map_or(0, usize::from);
    driver.failed(receiver, own.failures);
    own.give_back(|part| driver.take_back(receiver, part));
    own.close();
}
