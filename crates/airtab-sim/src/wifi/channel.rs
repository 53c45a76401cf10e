// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One channel: who has it, who may have it next, who hears whom, where its
//! time goes.
//!
//! An exchange is one busy period, or one of several that collide in it. Between
//! two of them the contenders count down (`contention`); the ledger (`air`) is
//! turned at both ends of each.
//!
//! Everybody hears everybody: [`ChannelAccess::defer_bystanders`] is where it counts.
//!
//! What it does not do: no capture, no hidden stations. Channels do not disturb
//! each other, so a second one is a second cell.

use super::air::{Ledger, Use};
use super::config::CellConfig;
use super::contention::Contention;
use crate::engine::NEVER;

/// A channel and those who contend for it.
pub(super) struct ChannelAccess {
    contention: Contention,
    ledger: Ledger,
    /// Who sends, or sent last, in ascending order.
    senders: Vec<usize>,
    /// Scratch: who was cut off in its EIFS.
    cut: Vec<usize>,
    /// End of the busy period, NEVER when the channel is idle.
    busy_until: u64,
    /// Start and end of the last busy period that began, or ended.
    busy_from: u64,
    idle_since: u64,
    contenders: usize,
    slot_ns: u64,
    difs_ns: u64,
    /// EIFS; None: nobody waits longer than DIFS.
    eifs_ns: Option<u64>,
    /// Busy periods so far.
    exchanges: u64,
}

impl ChannelAccess {
    /// Idle at time 0.
    pub(super) fn new(config: &CellConfig, transmitters: usize, contenders: usize) -> ChannelAccess {
        let phy = &config.phy;
        ChannelAccess {
            contention: Contention::new(contenders, phy.slot_ns(), phy.difs_ns(), config.backoff),
            ledger: Ledger::new(transmitters),
            senders: Vec::with_capacity(contenders),
            cut: Vec::with_capacity(contenders),
            busy_until: NEVER,
            busy_from: 0,
            idle_since: 0,
            contenders,
            slot_ns: phy.slot_ns(),
            difs_ns: phy.difs_ns(),
            eifs_ns: config.eifs.then(|| phy.eifs_ns()),
            exchanges: 0,
        }
    }

    /// When the busy period ends, or the next one begins if nothing else happens; NEVER: neither.
    #[inline]
    pub(super) fn next_event(&self) -> u64 {
        if self.is_busy() { self.busy_until } else { self.contention.next_start() }
    }

    #[inline]
    pub(super) fn is_busy(&self) -> bool {
        self.busy_until != NEVER
    }

    /// A contender without a frame got one. `draw`: the backoff it takes if it needs one.
    #[inline]
    pub(super) fn ready(&mut self, contender: usize, now: u64, draw: impl FnOnce() -> u64) {
        // What arrives with the end of a busy period (a TCP ACK for the data
        // just received) found the channel busy.
        if !self.is_busy() && now > self.idle_since {
            self.contention.ready_when_idle(contender, now);
        } else {
            self.contention.ready_when_busy(contender, draw);
        }
    }

    /// A busy period begins: says who sends. `draw`: a contender's backoff.
    #[inline]
    pub(super) fn start(&mut self, mut draw: impl FnMut(usize) -> u64) -> &[usize] {
        self.contention.start(&mut self.senders, &mut self.cut);
        for &contender in &self.cut {
            self.contention.draw(contender, draw(contender));
        }
        self.exchanges += 1;
        &self.senders
    }

    /// It began at `now` and lasts `ns`.
    #[inline]
    pub(super) fn occupy(&mut self, used: Use, now: u64, ns: u64) {
        self.ledger.turn(used, now);
        self.busy_from = now;
        self.busy_until = now + ns;
    }

    /// The busy period is over. Its senders say what they do next
    /// ([`ChannelAccess::sent`]) before [`ChannelAccess::idle`].
    #[inline]
    pub(super) fn release(&mut self, now: u64) {
        self.ledger.turn(Use::Idle, now);
        self.busy_until = NEVER;
        self.idle_since = now;
    }

    /// A sender's next backoff, slots, and whether it has another frame or the same again.
    #[inline]
    pub(super) fn sent(&mut self, contender: usize, slots: u64, more: bool) {
        self.contention.sent(contender, slots, more);
    }

    /// How long a sender waits before it sends again if nobody else does, ns.
    #[inline]
    pub(super) fn wait_ns(&self, slots: u64) -> u64 {
        self.difs_ns + slots * self.slot_ns
    }

    /// A contender received a frame in error: it waits EIFS. `ack_ns`: how long the
    /// channel counted as busy for the ACK that did not come.
    pub(super) fn defer(&mut self, contender: usize, ack_ns: u32) {
        if let Some(slots) = self.eifs_slots(ack_ns) {
            self.contention.defer(contender, slots);
        }
    }

    /// The senders collided: for everybody else that was a frame in error.
    pub(super) fn defer_bystanders(&mut self, ack_ns: u32) {
        let Some(slots) = self.eifs_slots(ack_ns) else { return };
        for contender in (0..self.contenders).filter(|c| !self.senders.contains(c)) {
            self.contention.defer(contender, slots);
        }
    }

    /// How many slots EIFS ends later than the wait for the ACK and DIFS.
    fn eifs_slots(&self, ack_ns: u32) -> Option<u64> {
        Some(self.eifs_ns?.saturating_sub(u64::from(ack_ns) + self.difs_ns).div_ceil(self.slot_ns))
    }

    /// The contenders count down from `now` on, which is when the channel was released.
    #[inline]
    pub(super) fn idle(&mut self, now: u64) {
        self.contention.idle(now);
    }

    /// Who sends, or sent last.
    #[inline]
    pub(super) fn senders(&self) -> &[usize] {
        &self.senders
    }

    /// When they began.
    #[inline]
    pub(super) fn busy_from(&self) -> u64 {
        self.busy_from
    }

    /// Where its time went.
    #[inline]
    pub(super) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Busy periods so far.
    pub(super) fn exchanges(&self) -> u64 {
        self.exchanges
    }
}
