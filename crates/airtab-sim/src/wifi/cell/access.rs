// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Contenders that are not DCF's: what they hear of every busy period, and what they forget with it.
//!
//! What it does not do: a cell of such contenders alone costs time for each of them in every busy period; nobody else
//! is asked.

use super::*;
use crate::wifi::access::{AccessMethod, Contest};
use crate::wifi::winners::WinnersTrace;

impl Cell {
    /// A station gets at the channel in another way than the cell says.
    ///
    /// # Panics
    /// If there is no such station, time has passed, or the cell has access categories.
    pub fn set_access(&mut self, station: usize, access: &AccessMethod) {
        assert!(self.categories == 1 && self.exchanges() == 0, "chosen once, before anybody sends");
        self.take(self.first_of(Side::Station(station as u16)), access);
    }

    /// Who won how often after whom; None where nobody keeps account of it.
    pub fn winners(&self) -> Option<WinnersTrace> {
        self.winners.as_ref().map(|winners| winners.trace())
    }

    /// What the configuration says of all.
    pub(super) fn take_all(&mut self) {
        let CellConfig { access, ap_access, .. } = self.config.clone();
        let default = AccessMethod::default();
        for contender in 0..self.contenders.len() {
            let own = ap_access.as_ref().filter(|_| contender < self.categories).unwrap_or(&access);
            if *own != default {
                self.take(contender, own);
            }
        }
    }

    fn take(&mut self, number: usize, access: &AccessMethod) {
        let station = number.checked_sub(1).map(|station| self.radios.rate(station as u16, false).kbps());
        let contest =
            Contest { phy: &self.config.phy, kbps: station, number, contenders: self.contenders.len() };
        let mut rule = Rule::new(&access.rule, &contest);
        if let Some(before) = number.checked_sub(1) {
            rule.share(&self.contenders[before].rule);
        }
        for (who, is_one) in [(&mut self.listening, rule.listens()), (&mut self.forgetful, rule.forgets())] {
            who.retain(|other| *other != number);
            who.extend(is_one.then_some(number));
        }
        self.contenders[number].rule = rule;
        let ifs_ns = access.ifs_ns.unwrap_or(self.config.phy.difs_ns());
        self.channel.set_ifs(number, ifs_ns, &self.config);
        self.look_ahead();
    }

    /// A busy period has begun.
    pub(super) fn hear(&mut self) {
        for &contender in &self.listening {
            self.contenders[contender].rule.hear(self.channel.idle_slots());
        }
    }

    /// A busy period is over, and its senders have drawn.
    pub(super) fn forget(&mut self) {
        for &contender in &self.forgetful {
            self.channel.forget(contender, || self.contenders[contender].draw());
        }
    }
}
