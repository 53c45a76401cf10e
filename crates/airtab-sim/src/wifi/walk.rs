// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A station on its way: how far it is from the access point at a time.
//!
//! What it does not do: it has a distance and no place, as the cell has one channel and no map.

/// Distances at times, and straight lines between them: before the first it stands there, after the last it stays.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk(Vec<(u64, f64)>);

impl Walk {
    /// From one distance, metres above 0, to the next, each at its time, ns.
    ///
    /// # Errors
    /// Says what is wrong: there is none, or a time is not after the one before.
    pub fn new(stops: Vec<(u64, f64)>) -> Result<Walk, String> {
        if stops.is_empty() {
            return Err("nowhere to be: at least one time and distance".into());
        }
        if let Some(pair) = stops.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            let [from, to] = [pair[0], pair[1]].map(|stop| airtab_core::Unit::Ns.format(stop.0));
            return Err(format!("{to} is not after {from}: times must rise"));
        }
        match stops.iter().find(|stop| !(stop.1 > 0.0 && stop.1.is_finite())) {
            Some((_, metres)) => Err(format!("{metres} m is no distance: above 0")),
            None => Ok(Walk(stops)),
        }
    }

    /// When it sets out, and when it is there, ns.
    pub fn times(&self) -> (u64, u64) {
        (self.0[0].0, self.0[self.0.len() - 1].0)
    }

    /// How far it is then, metres.
    pub fn at(&self, now: u64) -> f64 {
        let next = self.0.partition_point(|stop| stop.0 <= now);
        match (next.checked_sub(1).map(|last| self.0[last]), self.0.get(next)) {
            (None, Some(first)) => first.1,
            (Some((from, metres)), Some((to, there))) => {
                metres + (there - metres) * ((now - from) as f64 / (to - from) as f64)
            }
            (last, None) => last.expect("it has a stop").1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn between_two_stops_it_goes_straight() {
        let walk = Walk::new(vec![(2 * S, 1.0), (62 * S, 61.0), (82 * S, 41.0)]).unwrap();
        let there = [0, 2, 3, 32, 62, 72, 82, 1000].map(|s| walk.at(s * S));
        assert_eq!(there, [1.0, 1.0, 2.0, 31.0, 61.0, 51.0, 41.0, 41.0]);
        assert_eq!(walk.times(), (2 * S, 82 * S));
        let stays = Walk::new(vec![(5 * S, 3.5)]).unwrap();
        assert_eq!((stays.at(0), stays.at(5 * S), stays.at(9 * S)), (3.5, 3.5, 3.5));
    }

    #[test]
    fn what_is_no_walk_is_refused() {
        for (stops, said) in [
            (vec![], "nowhere"),
            (vec![(S, 1.0), (S, 2.0)], "1s is not after 1s"),
            (vec![(2 * S, 1.0), (S, 2.0)], "1s is not after 2s"),
            (vec![(0, 0.0)], "0 m is no distance"),
            (vec![(0, 1.0), (S, f64::NAN)], "NaN m is no distance"),
            (vec![(0, f64::INFINITY)], "inf m is no distance"),
        ] {
            let told = Walk::new(stops).unwrap_err();
            assert!(told.starts_with(said), "{told}");
        }
    }
}
