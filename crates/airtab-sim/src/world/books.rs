// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Where the packets of a world went.

/// Every packet is counted once, at its end or where it is; one that a channel has let go counts nowhere until
/// [`World::poll`](super::World::poll) says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// Sent by a host, or made by a discipline.
    pub made: u64,
    /// Received at the other end.
    pub received: u64,
    /// Given up by a MAC after the last attempt.
    pub lost: u64,
    /// Dropped by an access point's discipline.
    pub dropped_ap: u64,
    /// Dropped by a station's uplink queue.
    pub dropped_uplink: u64,
    /// Dropped by the queue of a wire.
    pub dropped_wired: u64,
    /// On their way, counted where they are.
    pub inside: u64,
}

impl Books {
    /// Whether every packet made is somewhere, once there is nothing more to poll.
    pub fn balanced(&self) -> bool {
        let dropped = self.dropped_ap + self.dropped_uplink + self.dropped_wired;
        self.made == self.received + self.lost + dropped + self.inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_counts() {
        let mut books = Books { made: 1, ..Books::default() };
        assert!(!books.balanced());
        books.inside = 1;
        assert!(books.balanced());
        let ends: [fn(&mut Books) -> &mut u64; 5] = [
            |b| &mut b.received,
            |b| &mut b.lost,
            |b| &mut b.dropped_ap,
            |b| &mut b.dropped_uplink,
            |b| &mut b.dropped_wired,
        ];
        for end in ends {
            *end(&mut books) += 2;
            assert!(!books.balanced());
            books.made += 2;
            assert!(books.balanced());
        }
    }
}
