// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A value over the time of a run, given by points with straight lines between them: how loads change that a script
//! turns up and down (M. Parris, "Class-Based Thresholds", UNC 2001, IV.5 and table 4.4).
//!
//! What it does not do: it has no unit; whose it is knows what it is a course of.

use std::sync::Arc;

use airtab_core::Unit;

use super::Broken;

/// Values at times of the run, ns: before the first it is the first one, after the last it stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Points(Arc<[(u64, u64)]>);

impl Points {
    /// Through these. [`Points::check`] says whether they are a course.
    pub fn new(points: impl Into<Arc<[(u64, u64)]>>) -> Points {
        Points(points.into())
    }

    /// Always the same.
    pub fn constant(value: u64) -> Points {
        Points::new([(0, value)])
    }

    /// All of them.
    pub fn list(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// What must hold, in the words of the key that they are given by.
    ///
    /// # Errors
    /// There is none, or a time is not after the one before.
    pub fn check(&self, key: &'static str) -> Result<(), Broken> {
        Broken::unless(!self.0.is_empty(), key, "no point: at least one time and value")?;
        let falls = self.0.windows(2).find(|pair| pair[0].0 >= pair[1].0);
        let Some([from, to]) = falls.and_then(|pair| <[_; 2]>::try_from(pair).ok()) else { return Ok(()) };
        let [from, to] = [from, to].map(|point: (u64, u64)| Unit::Ns.format(point.0));
        Broken::unless(false, key, format!("{to} is not after {from}: times must rise"))
    }

    /// The value at a time, ns.
    pub fn at(&self, now: u64) -> f64 {
        let next = self.0.partition_point(|point| point.0 <= now);
        match (next.checked_sub(1).map(|last| self.0[last]), self.0.get(next)) {
            (Some((from, value)), Some((to, then))) => {
                let part = (now - from) as f64 / (to - from) as f64;
                value as f64 + (*then as f64 - value as f64) * part
            }
            (last, next) => last.or(next.copied()).map_or(0.0, |point| point.1 as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn straight_between_points_and_level_outside() {
        let points = Points::new([(2 * S, 10), (4 * S, 30), (5 * S, 0)]);
        let values = [0, 2, 3, 4, 5, 9].map(|s| points.at(s * S));
        assert_eq!(values, [10.0, 10.0, 20.0, 30.0, 0.0, 0.0]);
        assert_eq!(points.at(4 * S + S / 2), 15.0);
        assert_eq!([0, 7].map(|s| Points::constant(7).at(s * S)), [7.0, 7.0]);
    }

    #[test]
    fn what_is_no_course_is_refused() {
        assert_eq!(Points::new([(0, 1), (1, 1)]).check("course"), Ok(()));
        for (points, says) in [
            (Points::new([]), "course: no point"),
            (Points::new([(S, 1), (S, 2)]), "course: 1s is not after 1s: times must rise"),
            (Points::new([(2 * S, 1), (S, 2)]), "course: 1s is not after 2s"),
        ] {
            let said = points.check("course").unwrap_err().to_string();
            assert!(said.starts_with(says), "{said}");
        }
    }
}
