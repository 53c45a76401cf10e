// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Pairs of exchanges in full duplex: who has the header of a frame that is for it sends one of its own, and who is
//! through with sending and still receives sends a busy tone until that is over.
//!
//! What it does not do: to whom is `wifi/duplex`'s; what a frame of its own may be: one that waits for the channel,
//! or in the driver's ring. The queue above is not searched.

use super::node::receiver_of;
use super::*;
use crate::wifi::apart::{Event, Step};
use crate::wifi::duplex::priority;

impl Cell {
    /// A part of a node's exchange goes out, and is over at `until`: who receives its DATA will be asked to join, and by how
    /// much the DATA that this one joined is longer, ns.
    pub(super) fn joins(&mut self, step: Step, owner: usize, until: u64, now: u64) -> u64 {
        let header_ns = self.config.phy.data_ns(self.contenders[owner].exchange.frame.kbps, 0);
        let receiver = self.contenders[owner].exchange.to;
        let (_, air) = self.on_the_air();
        if !air.is_duplex() || step != Step::Data {
            return 0;
        }
        if air.along(owner).is_none() && receiver.is_some() && now + header_ns < until {
            air.plan(now + header_ns, Event::Header(owner));
        }
        air.closes(owner).saturating_sub(until)
    }

    /// The header of somebody's DATA is over: its receiver may send, too.
    #[inline(never)]
    pub(super) fn join(&mut self, primary: usize, now: u64) {
        let node = self.contenders[primary].exchange.to.expect("it is for somebody");
        if !self.contenders[node].exchange.is_under_way() || !self.on_the_air().1.may_join(primary, node, now)
        {
            return;
        }
        if !self.choose(node, primary, now) {
            return;
        }
        self.contenders[node].begin(&mut self.radios, false, now);
        let data_ns = self.contenders[node].exchange.frame.data_ns;
        self.on_the_air().1.join(node, primary, data_ns, now);
        self.next_step(Step::Data, node, now);
    }

    /// The frame of a node that goes to the highest priority is its next one. False: none may go.
    fn choose(&mut self, node: usize, primary: usize, now: u64) -> bool {
        let mesh = self.mesh.as_ref().expect("it is a mesh");
        let rank = |next: usize| priority(mesh.reach(), primary, node, next);
        let next = self.contenders[node].exchange.to.and_then(rank);
        let Some(driver) = &self.transmitters[node].driver else { return next.is_some() };
        let of_list = |list: usize| {
            let waits = driver.first_mpdu(list, 0).is_some();
            let to = mesh.other(node as u16, mesh.link(node as u16, list as u16).0);
            waits.then(|| rank(to.into())).flatten()
        };
        let best = (0..mesh.degree(node)).filter_map(|list| Some((of_list(list)?, list))).min();
        match best {
            Some((other, list)) if next.is_none_or(|next| other < next) => {
                self.bring_forward(node, list, now)
            }
            _ => return next.is_some(),
        }
        true
    }

    /// What waits in a list of a node's driver takes the place of its next exchange.
    fn bring_forward(&mut self, node: usize, list: usize, now: u64) {
        let side = self.transmitters[node].side;
        let driver = self.transmitters[node].driver.as_mut().expect("it has lists");
        let exchange = &mut self.contenders[node].exchange;
        let receiver = receiver_of(self.mesh.as_deref(), side, exchange.link);
        let back = receiver.unwrap_or(driver.receivers());
        exchange.give_back(|part| driver.take_back(back, part));
        exchange.close();
        let single = Bounds::single(self.config.phy.mac_bytes());
        driver.next_of(exchange, |_, own| own == list, |_| single).expect("something waits there");
        let (link, to) = self.way(side, list as u16);
        self.contenders[node].exchange.set_out(Kind::Data, link, to);
        self.aim(node, now);
        self.prepare(node);
    }

    /// A node's DATA is over: until when the pair that it is of takes, now if it goes alone. If it still receives the
    /// other one, it sends a tone until then.
    pub(super) fn close(&mut self, owner: usize, now: u64) -> u64 {
        if !self.on_the_air().1.is_duplex() {
            return now;
        }
        let air = self.on_the_air().1;
        let (other, closes) = (air.along(owner), air.closes(owner).max(now));
        let bytes = self.contenders[owner].exchange.bytes().into();
        self.on_the_air().1.count_bytes(bytes, other.is_some());
        if closes > now && other.is_some_and(|other| self.contenders[other].exchange.to == Some(owner)) {
            self.next_step(Step::Tone, owner, now);
        }
        closes
    }
}
