// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One channel: who has it, who may have it next, who hears whom, where its
//! time goes.
//!
//! An exchange is one busy period, or one of several that collide in it: DATA, then
//! its ACK or the wait for it. Between two of them the contenders count down
//! (`contention`); the ledger (`air`) is turned at both ends of each.
//!
//! Where no ACK comes they do not all count from the same moment: a sender from its
//! ACK timeout, who received an error from the end of DATA (IEEE 802.11-2020 10.3.2.3.7,
//! 10.3.4.3). The busy period ends with the first of these moments. Each of the others counts slots
//! of its own from its own moment on. A sender whose timeout comes later is *late*: it knows only then.
//!
//! What it does not do: no capture, no hidden stations: where not all hear each other, `apart` has its place.
//! Channels do not disturb each other, so a second one is a second cell.

use super::air::{ContentionTrace, Ledger, Use};
use super::config::CellConfig;
use super::contention::Contention;
use super::edca::Category;
use crate::engine::NEVER;

/// What a channel is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nobody sends.
    Idle,
    /// DATA, of one sender or of several that collide.
    Data,
    /// Its ACK, or the wait for it.
    Answer,
    /// SIFS before the next DATA of the same sender.
    Gap,
    /// Not all hear each other: there is no such thing as the channel, and each node waits for itself (`apart`).
    Apart,
}

/// A channel and those who contend for it.
pub(super) struct ChannelAccess {
    contention: Contention,
    ledger: Ledger,
    /// Who sends, or sent last, in ascending order.
    senders: Vec<usize>,
    /// Scratch: who was cut off in its EIFS.
    cut: Vec<usize>,
    /// Contenders with an internal collision in this busy period, the last one in front.
    beaten: Vec<usize>,
    phase: Phase,
    /// End of the phase, of a busy channel.
    until: u64,
    /// Start of the last busy period, end of its DATA, and its own end.
    busy_from: u64,
    data_until: u64,
    idle_since: u64,
    /// Senders that wait for an ACK on a channel that is idle again: until when, and who.
    late: Vec<(u64, usize)>,
    contenders: usize,
    /// Contenders of one radio: they do not disturb each other, the one with the greatest number goes first.
    categories: usize,
    slot_ns: u64,
    /// By contender, how long the channel is idle before it counts.
    aifs_ns: Vec<u64>,
    /// What EIFS is longer than DIFS; 0: nobody waits EIFS.
    eifs_ns: u64,
    /// Busy periods so far; frames in them, and of these in collisions.
    exchanges: u64,
    attempts: u64,
    collided: u64,
    /// Idle slots before the busy period under way, or before the last one.
    idle_slots: u64,
    contention_trace: ContentionTrace,
    /// Who got a frame, where not all hear each other.
    came: Vec<usize>,
}

impl ChannelAccess {
    /// Idle at time 0.
    ///
    /// `aifsn`: with EDCA, that of each contender.
    pub(super) fn new(
        config: &CellConfig,
        transmitters: usize,
        contenders: usize,
        aifsn: Option<&[u64]>,
    ) -> ChannelAccess {
        let phy = &config.phy;
        let slot_ns = phy.slot_ns();
        let contention = match aifsn {
            None => Contention::new(contenders, slot_ns, phy.difs_ns(), config.backoff),
            Some(aifsn) => {
                let first = aifsn.iter().min().copied().unwrap_or(0);
                let longer: Vec<u64> = aifsn.iter().map(|own| own - first).collect();
                Contention::edca(slot_ns, phy.sifs_ns() + first * slot_ns, &longer)
            }
        };
        let aifs = |own: &u64| phy.sifs_ns() + own * slot_ns;
        ChannelAccess {
            contention,
            categories: if aifsn.is_some() { Category::ALL.len() } else { 1 },
            aifs_ns: aifsn.map_or(vec![phy.difs_ns(); contenders], |aifsn| aifsn.iter().map(aifs).collect()),
            ledger: Ledger::new(transmitters),
            senders: Vec::with_capacity(contenders),
            cut: Vec::with_capacity(contenders),
            beaten: Vec::with_capacity(contenders),
            phase: Phase::Idle,
            until: 0,
            busy_from: 0,
            data_until: 0,
            idle_since: 0,
            late: Vec::with_capacity(contenders),
            contenders,
            slot_ns,
            eifs_ns: if config.eifs { phy.eifs_ns() - phy.difs_ns() } else { 0 },
            exchanges: 0,
            attempts: 0,
            collided: 0,
            idle_slots: 0,
            contention_trace: ContentionTrace::default(),
            came: Vec::new(),
        }
    }

    /// Not all hear each other: what happens next is said by [`ChannelAccess::wait_until`], and who got a frame is told by
    /// [`ChannelAccess::take_came`].
    pub(super) fn come_apart(&mut self) {
        (self.phase, self.until) = (Phase::Apart, NEVER);
    }

    /// Nothing happens before that time, unless somebody gets a frame.
    pub(super) fn wait_until(&mut self, at: u64) {
        self.until = at;
    }

    /// The first one that got a frame.
    pub(super) fn take_came(&mut self) -> Option<usize> {
        (!self.came.is_empty()).then(|| self.came.remove(0))
    }

    /// A contender counts after so long, ns, and not after DIFS: before anybody contends.
    pub(super) fn set_ifs(&mut self, contender: usize, ifs_ns: u64, config: &CellConfig) {
        if std::mem::replace(&mut self.aifs_ns[contender], ifs_ns) == ifs_ns {
            return;
        }
        let first = self.aifs_ns.iter().min().copied().expect("there are contenders");
        let longer: Vec<u64> = self.aifs_ns.iter().map(|own| (own - first) / self.slot_ns).collect();
        self.contention = Contention::unequal(self.slot_ns, first, &longer, config.backoff);
    }

    /// When the phase ends if nothing else happens; NEVER: it does not. Late senders
    /// apart ([`ChannelAccess::next_timeout`]).
    #[inline]
    pub(super) fn next_event(&self) -> u64 {
        if self.is_busy() { self.until } else { self.contention.next_start() }
    }

    /// What it is at.
    #[inline]
    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    #[inline]
    pub(super) fn is_busy(&self) -> bool {
        self.phase != Phase::Idle
    }

    /// A contender without a frame got one. `draw`: the backoff it takes if it needs one.
    #[inline]
    pub(super) fn ready(&mut self, contender: usize, now: u64, draw: impl FnOnce() -> u64) {
        // What arrives with the end of a busy period (a TCP ACK for the data
        // just received) found the channel busy.
        if !self.is_busy() && now > self.idle_since {
            self.contention.ready_when_idle(contender, now);
        } else if self.phase != Phase::Apart {
            self.contention.ready_when_busy(contender, draw);
        } else {
            self.came.push(contender);
            self.until = now;
        }
    }

    /// A contender that waits for the channel has nothing to send any more.
    pub(super) fn withdraw(&mut self, contender: usize) {
        self.came.retain(|came| *came != contender);
        self.contention.withdraw(contender);
    }

    /// A busy period begins: chooses who sends, and who is beaten ([`ChannelAccess::take_beaten`]). `draw`: a contender's
    /// backoff.
    #[inline]
    pub(super) fn start(&mut self, mut draw: impl FnMut(usize) -> u64) {
        self.idle_slots = self.contention.start(&mut self.senders, &mut self.cut);
        for &contender in &self.cut {
            self.contention.sent(contender, draw(contender), true);
        }
        if self.categories > 1 && self.senders.len() > 1 {
            // In ascending order: the next one may be of the same radio.
            let mut kept = 0;
            for i in 0..self.senders.len() {
                let (contender, next) = (self.senders[i], self.senders.get(i + 1));
                if next.is_some_and(|next| self.radio(*next) == self.radio(contender)) {
                    self.beaten.push(contender);
                } else {
                    self.senders[kept] = contender;
                    kept += 1;
                }
            }
            self.senders.truncate(kept);
        }
        let senders = self.senders.len() as u64;
        self.exchanges += 1;
        self.attempts += senders;
        self.collided += if senders > 1 { senders } else { 0 };
        self.contention_trace.count(senders > 1, self.idle_slots);
    }

    /// A contender with an internal collision, whose next backoff has to be set ([`ChannelAccess::sent`]).
    #[inline]
    pub(super) fn take_beaten(&mut self) -> Option<usize> {
        self.beaten.pop()
    }

    /// It began at `now`, and its DATA lasts `data_ns`.
    #[inline]
    pub(super) fn occupy(&mut self, used: Use, now: u64, data_ns: u64) {
        self.ledger.turn(used, now);
        self.phase = Phase::Data;
        (self.busy_from, self.until, self.data_until) = (now, now + data_ns, now + data_ns);
    }

    /// What was sent is over, and its sender goes on after a gap, without contention.
    pub(super) fn gap(&mut self, until: u64) {
        self.phase = Phase::Gap;
        self.until = until;
    }

    /// It does, for `data_ns`.
    pub(super) fn go_on(&mut self, now: u64, data_ns: u64) {
        self.exchanges += 1;
        self.attempts += 1;
        self.phase = Phase::Data;
        (self.busy_from, self.until, self.data_until) = (now, now + data_ns, now + data_ns);
    }

    /// DATA is over: the busy period lasts until then, which is not earlier.
    #[inline]
    pub(super) fn landed(&mut self, until: u64) {
        self.phase = Phase::Answer;
        self.until = until;
    }

    /// When the busy period ends in which no ACK comes: its senders, who waits for what
    /// they reserved, or one of `errored`, who got nothing but errors, begin to count.
    /// `timeout` is that of the first sender.
    pub(super) fn silent_until(&self, timeout: u64, errored: &[usize]) -> u64 {
        let (first, eifs) = (timeout.max(self.data_until), self.data_until + self.eifs_ns);
        let earlier = eifs < first && errored.iter().any(|c| self.contention.is_ready(*c));
        if earlier { eifs } else { first }
    }

    /// The busy period is over. Its senders say what they do next
    /// ([`ChannelAccess::sent`], [`ChannelAccess::hold`]), and others that they wait
    /// longer, before [`ChannelAccess::idle`].
    #[inline]
    pub(super) fn release(&mut self, now: u64) {
        self.ledger.turn(Use::Idle, now);
        self.phase = Phase::Idle;
        self.idle_since = now;
        self.contention.stand();
    }

    /// A sender's next backoff, slots, and whether it has another frame or the same again.
    #[inline]
    pub(super) fn sent(&mut self, contender: usize, slots: u64, more: bool) {
        self.contention.sent(contender, slots, more);
    }

    /// A contender that did not send forgets what is left of its backoff, and draws. After the senders have
    /// drawn, before [`ChannelAccess::idle`].
    pub(super) fn forget(&mut self, contender: usize, draw: impl FnOnce() -> u64) {
        if !self.senders.contains(&contender) {
            self.contention.forget(contender, draw);
        }
    }

    /// A sender waits for an ACK until `timeout`, longer than the busy period lasted.
    pub(super) fn hold(&mut self, contender: usize, timeout: u64) {
        self.contention.hold(contender, self.wait_to(timeout));
        self.late.push((timeout, contender));
    }

    /// When the first of the late senders has waited long enough. One that hears another
    /// frame before has to wait for its end: NEVER while the channel is busy.
    pub(super) fn next_timeout(&self) -> u64 {
        let first = self.late.iter().map(|late| late.0).min();
        first.filter(|_| !self.is_busy()).unwrap_or(NEVER)
    }

    /// Whether there are late senders.
    #[inline]
    pub(super) fn has_late(&self) -> bool {
        !self.late.is_empty()
    }

    /// A late sender that has waited until `now`.
    pub(super) fn timed_out(&mut self, now: u64) -> Option<usize> {
        let place = self.late.iter().position(|late| late.0 <= now)?;
        Some(self.late.remove(place).1)
    }

    /// How long a sender waits before it sends again if nobody else does, ns; after an
    /// ACK in error that is EIFS and not DIFS (AIFS).
    #[inline]
    pub(super) fn wait_ns(&self, contender: usize, slots: u64, eifs: bool) -> u64 {
        self.aifs_ns[contender] + slots * self.slot_ns + if eifs { self.eifs_ns } else { 0 }
    }

    /// Contenders received the last frame in error, which was DATA or an ACK.
    pub(super) fn errored(&mut self, contenders: &[usize], last_frame_end: u64) {
        let wait = self.wait_to(last_frame_end + self.eifs_ns);
        if wait > 0 {
            contenders.iter().for_each(|contender| self.contention.defer(*contender, wait));
        }
    }

    /// A contender takes the channel for busy until then, longer than the busy period lasted.
    pub(super) fn reserved(&mut self, contender: usize, until: u64) {
        let wait = self.wait_to(until);
        if wait > 0 {
            self.contention.defer(contender, wait);
        }
    }

    /// From the end of the busy period to `at`.
    fn wait_to(&self, at: u64) -> u64 {
        self.contention.wait(at.saturating_sub(self.idle_since))
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

    /// The contenders of all other radios.
    pub(super) fn bystanders(&self) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.contenders).filter(|c| self.sender_beside(*c).is_none())
    }

    /// The sender that is of the same radio as a contender, or is that contender.
    pub(super) fn sender_beside(&self, contender: usize) -> Option<usize> {
        let radio = self.radio(contender);
        self.senders.iter().copied().find(|sender| self.radio(*sender) == radio)
    }

    /// Whose contender it is. They are asked for all contenders of every busy period, and there are 1 or 4 categories:
    /// no division.
    #[inline]
    fn radio(&self, contender: usize) -> usize {
        contender >> self.categories.trailing_zeros()
    }

    /// When they began.
    #[inline]
    pub(super) fn busy_from(&self) -> u64 {
        self.busy_from
    }

    /// When the last of their DATA was over.
    #[inline]
    pub(super) fn data_until(&self) -> u64 {
        self.data_until
    }

    /// Where its time went.
    #[inline]
    pub(super) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Frames that began so far, and those of them that collided.
    pub(super) fn attempts(&self) -> (u64, u64) {
        (self.attempts, self.collided)
    }

    /// Idle slots before the busy period under way.
    #[inline]
    pub(super) fn idle_slots(&self) -> u64 {
        self.idle_slots
    }

    /// What became of its contentions.
    pub(super) fn contention(&self) -> ContentionTrace {
        self.contention_trace
    }

    /// Busy periods so far.
    pub(super) fn exchanges(&self) -> u64 {
        self.exchanges
    }
}

#[cfg(test)]
mod tests {
    use airtab_core::Phy;

    use super::*;

    /// IEEE 802.11-2020, 10.3.2.3.6: AIFS = SIFS + AIFSN slots, 16 us and 9 us at 5 GHz.
    #[test]
    fn a_retry_waits_the_aifs_of_its_category() {
        let config = CellConfig::new(Phy::named("std-11ac").expect("a profile of the core"));
        let edca = ChannelAccess::new(&config, 1, 4, Some(&[2, 2, 3, 7]));
        let waits = [0, 1, 2, 3].map(|category| edca.wait_ns(category, 5, false));
        assert_eq!(waits, [34 + 45, 34 + 45, 43 + 45, 79 + 45].map(|us| us * 1000));
        let dcf = ChannelAccess::new(&config, 1, 1, None);
        assert_eq!(dcf.wait_ns(0, 0, false), 34_000, "DIFS");
    }
}
