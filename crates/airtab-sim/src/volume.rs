// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The acknowledged volume of every TCP flow of one application, second by second:
//! what curves of volume and of short-term fairness are made of (Starzetz 2006,
//! equation 7.1).
//!
//! Bytes of data that a sender learns were received in sequence count in the second
//! in which it learns it; of both ends of a connection, together. Connections that
//! take each other's place are one flow.
//!
//! What it does not do: no index (`airtab-quality`), no choice of flows.

use airtab_core::time::SECOND;

/// Seconds that there is room for once anything is acknowledged.
const ROOM: usize = 600;

/// A row of seconds for each flow, as far as anything was acknowledged; no rows for UDP, nor for short connections of a crowd.
pub(crate) struct Volumes {
    of_flows: Vec<Vec<u32>>,
    seconds: usize,
}

impl Volumes {
    pub(crate) fn new(flows: usize, duration_ns: u64) -> Volumes {
        Volumes { of_flows: vec![Vec::new(); flows], seconds: duration_ns.div_ceil(SECOND) as usize }
    }

    /// So many bytes of a flow were acknowledged.
    #[inline]
    pub(crate) fn add(&mut self, flow: usize, bytes: u64, now: u64) {
        if bytes == 0 {
            return;
        }
        let second = (now / SECOND) as usize;
        let Some(row) = self.of_flows.get_mut(flow).filter(|_| second < self.seconds) else { return };
        if row.is_empty() {
            row.reserve_exact(self.seconds.min(ROOM));
        }
        if row.len() <= second {
            row.resize(second + 1, 0);
        }
        row[second] += bytes as u32; // of one second
    }

    /// Of each flow, so far.
    pub(crate) fn totals(&self) -> impl Iterator<Item = u64> {
        self.of_flows.iter().map(|seconds| seconds.iter().map(|bytes| u64::from(*bytes)).sum())
    }

    /// All rows, as long as the run.
    pub(crate) fn finish(mut self) -> Vec<Vec<u32>> {
        for row in &mut self.of_flows {
            row.resize(self.seconds, 0);
        }
        self.of_flows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_belong_to_their_flow_and_second() {
        let mut volumes = Volumes::new(2, 5 * SECOND / 2);
        for (flow, bytes, now) in
            [(0, 10, 0), (0, 1, SECOND - 1), (0, 5, SECOND), (1, 7, 5 * SECOND / 2 - 1), (1, 9, 3 * SECOND)]
        {
            volumes.add(flow, bytes, now);
        }
        volumes.add(2, 1, 0); // no such flow
        assert_eq!(volumes.totals().collect::<Vec<_>>(), [16, 7]);
        assert_eq!(volumes.finish(), [[11, 5, 0], [0, 0, 7]]);
    }
}
