// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! When a rate that follows a course has paid for so many bits: the integral of [`Points`], inverted. As with a token
//! bucket, so that a packet across a point is paid for by the rates on both sides, and rounding never adds up.
//!
//! What it does not do: the packets and their gaps (`udp`).

use airtab_core::time::SECOND;

use super::Points;

/// How far a course is paid.
#[derive(Clone, Debug)]
pub(super) struct Paid {
    /// bit/s.
    points: Points,
    /// Where the line begins that time is on: ns, its rate there, and the bits that all before it have paid for.
    from_ns: u64,
    rate: f64,
    paid: f64,
}

impl Paid {
    /// Nothing before `from_ns`.
    pub(super) fn begun(points: Points, from_ns: u64) -> Paid {
        let rate = points.at(from_ns);
        Paid { points, from_ns, rate, paid: 0.0 }
    }

    /// When `bits` are paid for, ns; None: never. They never become fewer from call to call.
    pub(super) fn time_ns(&mut self, bits: f64) -> Option<u64> {
        loop {
            let list = self.points.list();
            let next = list.get(list.partition_point(|point| point.0 <= self.from_ns)).copied();
            let (need, second) = (bits - self.paid, SECOND as f64);
            if need <= 0.0 {
                return Some(self.from_ns);
            }
            let Some((to_ns, _)) = next else {
                let seconds = need / self.rate;
                // Beyond what a run can last it is never.
                return (seconds < 1e9).then(|| self.from_ns + libm::round(seconds * second) as u64);
            };
            let then = self.points.at(to_ns);
            let length = (to_ns - self.from_ns) as f64 / second;
            let pays = (self.rate + then) / 2.0 * length;
            if need < pays {
                // rate t + slope t^2 / 2 = need, in the form that is exact for a slope of 0, too.
                let slope = (then - self.rate) / length;
                let root = libm::sqrt((self.rate * self.rate + 2.0 * slope * need).max(0.0));
                let seconds = 2.0 * need / (self.rate + root);
                return Some(self.from_ns + libm::round(seconds.min(length) * second) as u64);
            }
            (self.from_ns, self.rate, self.paid) = (to_ns, then, self.paid + pays);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = SECOND;

    /// 1000 bit/s until 2 s, up to 3000 at 4 s, then down to nothing at 6 s: 2000, 4000 and 3000 bits.
    fn course() -> Points {
        Points::new([(2 * S, 1000), (4 * S, 3000), (6 * S, 0)])
    }

    #[test]
    fn each_line_pays_its_part() {
        let mut paid = Paid::begun(course(), 0);
        let times = [0.0, 1000.0, 2000.0, 3500.0, 6000.0, 8250.0].map(|bits| paid.time_ns(bits));
        // 1500 after 2 s: t + t^2 / 2 = 1.5. 2250 of 3000 after 4 s: the last quarter of them takes half of the time.
        assert_eq!(times, [0, S, 2 * S, 3 * S, 4 * S, 5 * S].map(Some));
        assert_eq!(paid.time_ns(9000.1), None, "no more comes");
    }

    #[test]
    fn it_begins_within_a_line_and_goes_on_after_the_last() {
        let mut paid = Paid::begun(course(), 3 * S);
        assert_eq!(paid.time_ns(2500.0), Some(4 * S), "2000 rising to 3000 bit/s");
        let mut level = Paid::begun(Points::new([(0, 0), (S, 1000)]), 0);
        assert_eq!(
            [0.0, 125.0, 500.0, 1500.0].map(|bits| level.time_ns(bits)),
            [0, S / 2, S, 2 * S].map(Some)
        );
        let mut late = Paid::begun(course(), 7 * S);
        assert_eq!((late.time_ns(0.0), late.time_ns(1.0)), (Some(7 * S), None));
    }
}
