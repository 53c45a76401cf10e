// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Where a channel's time goes: a ledger with an account for what each
//! transmitter sends, one for its beacons, one for collisions and one for the
//! idle channel. Every nanosecond is on exactly one of them.
//!
//! What it does not do: it knows no frames, and not who shares in a collision.

/// Where the channel's time went, ns, and how often it was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AirTrace {
    /// Frames from the access point to stations, with their ACKs.
    pub down_ns: u64,
    /// Frames from stations, with their ACKs.
    pub up_ns: u64,
    /// Collisions.
    pub collision_ns: u64,
    /// Beacons.
    pub beacon_ns: u64,
    /// Nobody sending: interframe spaces, backoff, and nothing to send.
    pub idle_ns: u64,
    /// Attempts of all: DATA and beacons that began. 0 of the emulator and a wire, which have none.
    pub attempts: u64,
    /// Of these, those that collided.
    pub collided: u64,
    /// In full duplex, bytes of the packets in all attempts, and of those in exchanges that went on while another one of the
    /// same pair did. 0 without.
    pub duplex_of_bytes: u64,
    /// See there.
    pub duplex_bytes: u64,
    /// What became of its contentions. Nothing of the emulator and a wire, which have none.
    pub contention: ContentionTrace,
}

impl AirTrace {
    /// Share of the attempts that collided; None: there were none.
    pub fn collision_ratio(&self) -> Option<f64> {
        (self.attempts > 0).then(|| self.collided as f64 / self.attempts as f64)
    }

    /// Share of the bytes that were sent in pairs of exchanges (Showail 2016, 6.4: undefined there); None: there is no
    /// full duplex, or nothing was sent.
    pub fn full_duplex_ratio(&self) -> Option<f64> {
        (self.duplex_of_bytes > 0).then(|| self.duplex_bytes as f64 / self.duplex_of_bytes as f64)
    }
}

/// Contentions for a channel: how they ended, and after how many idle slots, counted from when the first contender
/// may count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentionTrace {
    /// Those that one sender won, whatever became of its frame.
    pub successes: u64,
    /// Those that several won, to no avail.
    pub collisions: u64,
    /// Idle slots before all of the first.
    pub slots_before_successes: u64,
    /// Idle slots before all of the second.
    pub slots_before_collisions: u64,
}

impl ContentionTrace {
    /// One more.
    #[inline]
    pub(super) fn count(&mut self, collision: bool, idle_slots: u64) {
        let (events, slots) = match collision {
            false => (&mut self.successes, &mut self.slots_before_successes),
            true => (&mut self.collisions, &mut self.slots_before_collisions),
        };
        *events += 1;
        *slots += idle_slots;
    }
}

/// What the channel is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Nobody sends.
    Idle,
    /// Several send, to no avail.
    Collision,
    /// A transmitter's beacon.
    Beacon(usize),
    /// A transmitter's frame, its ACK or the wait for it.
    Frame(usize),
}

impl Use {
    /// Number of its account.
    #[inline]
    fn account(self) -> usize {
        match self {
            Use::Idle => 0,
            Use::Collision => 1,
            Use::Beacon(transmitter) => 2 + 2 * transmitter,
            Use::Frame(transmitter) => 3 + 2 * transmitter,
        }
    }
}

/// The time of one channel from 0 on, ns.
pub(super) struct Ledger {
    accounts: Vec<u64>,
    /// What the channel is used for, and since when: not booked yet.
    running: Use,
    since: u64,
}

impl Ledger {
    /// The channel is idle at time 0.
    pub(super) fn new(transmitters: usize) -> Ledger {
        Ledger { accounts: vec![0; Use::Beacon(transmitters).account()], running: Use::Idle, since: 0 }
    }

    /// From `now` on the channel is used for something else.
    #[inline]
    pub(super) fn turn(&mut self, to: Use, now: u64) {
        self.accounts[self.running.account()] += now - self.since;
        (self.running, self.since) = (to, now);
    }

    /// How long the channel was used for something until `now`, ns.
    pub(super) fn ns(&self, used: Use, now: u64) -> u64 {
        let running = if self.running == used { now - self.since } else { 0 };
        self.accounts[used.account()] + running
    }

    /// The whole until `now`; `down` tells which transmitters are access points.
    pub(super) fn trace(&self, now: u64, down: impl Fn(usize) -> bool) -> AirTrace {
        let mut air = AirTrace {
            idle_ns: self.ns(Use::Idle, now),
            collision_ns: self.ns(Use::Collision, now),
            ..AirTrace::default()
        };
        for transmitter in 0..(self.accounts.len() - 2) / 2 {
            air.beacon_ns += self.ns(Use::Beacon(transmitter), now);
            let frames = self.ns(Use::Frame(transmitter), now);
            *if down(transmitter) { &mut air.down_ns } else { &mut air.up_ns } += frames;
        }
        air
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nanosecond_is_on_one_account() {
        let mut ledger = Ledger::new(3);
        let uses = [Use::Frame(0), Use::Idle, Use::Frame(2), Use::Collision, Use::Beacon(1), Use::Frame(2)];
        for (i, used) in (1..).zip(uses) {
            ledger.turn(used, i * 10);
        }
        // Ten each, the last one still running.
        let all = |now| {
            let own = (0..3).flat_map(|t| [Use::Beacon(t), Use::Frame(t)]);
            own.chain([Use::Idle, Use::Collision]).map(|used| ledger.ns(used, now)).collect::<Vec<_>>()
        };
        assert_eq!(all(63), [0, 10, 10, 0, 0, 10 + 3, 10 + 10, 10]);
        for now in 60..100 {
            assert_eq!(all(now).iter().sum::<u64>(), now);
            let air = ledger.trace(now, |t| t == 0);
            assert_eq!((air.down_ns, air.up_ns, air.beacon_ns), (10, 10 + now - 60, 10));
            assert_eq!(air.down_ns + air.up_ns + air.beacon_ns + air.collision_ns + air.idle_ns, now);
        }
    }
}
