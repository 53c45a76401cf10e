// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Axes: what range they have, where their ticks are and what these say.
//!
//! What it does not do: no pixels (`plot`, `bars`).

/// What is shown along one side of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it is, with its unit.
    label: String,
    /// From the least to the greatest value that it must show; the other way round while there is none.
    range: (f64, f64),
    log: bool,
    exact: bool,
    /// What is below is not shown.
    floor: Option<f64>,
    /// Room above the greatest value, and a tick at it.
    open: bool,
    /// Ticks that have a name instead of a number.
    names: Vec<(f64, String)>,
}

impl Axis {
    /// One that shows nothing yet.
    pub fn new(label: impl Into<String>) -> Axis {
        Axis {
            label: label.into(),
            range: (f64::INFINITY, f64::NEG_INFINITY),
            log: false,
            exact: false,
            floor: None,
            open: false,
            names: Vec::new(),
        }
    }

    /// Shows these values too. A logarithm has no place for 0: it is drawn at the axis' lower end.
    pub fn covering(mut self, values: impl IntoIterator<Item = f64>) -> Axis {
        for value in values.into_iter().filter(|v| v.is_finite() && (!self.log || *v > 0.0)) {
            self.range = (self.range.0.min(value), self.range.1.max(value));
        }
        self
    }

    /// Logarithmic; to be said before any value.
    pub fn log(mut self) -> Axis {
        (self.log, self.exact) = (true, true);
        self
    }

    /// Ends at the values themselves, not at the next tick or half of one.
    pub fn exact(mut self) -> Axis {
        self.exact = true;
        self
    }

    /// Begins here at the least: no value is below, and of an interval around one nothing is drawn there.
    pub fn not_below(mut self, floor: impl Into<Option<f64>>) -> Axis {
        self.floor = floor.into();
        self
    }

    /// With room above the greatest value and a tick at it: lines that stay there can be seen and read. For an axis
    /// that is neither logarithmic nor `exact`.
    pub fn open(mut self) -> Axis {
        self.open = true;
        self
    }

    /// Has ticks at these places, with these words, and a little room beside the outer ones.
    pub fn named(self, names: Vec<(f64, String)>) -> Axis {
        let places = || names.iter().map(|(at, _)| *at).filter(|at| !self.log || *at > 0.0);
        let (low, high) = places().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let ends = match self.log {
            true => {
                let room = (high / low).powf(0.05).max(1.1);
                [low / room, high * room]
            }
            false => {
                let room = ((high - low) * 0.06).max(0.4);
                [low - room, high + room]
            }
        };
        let mut axis = self.covering(ends);
        (axis.names, axis.exact) = (names, true);
        axis
    }

    /// What it shows.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Shows also what the other one does.
    pub(super) fn join(&mut self, other: &Axis) {
        self.range = (self.range.0.min(other.range.0), self.range.1.max(other.range.1));
        self.floor = self.floor.zip(other.floor).map(|(own, other)| own.min(other));
        self.open |= other.open;
        for name in &other.names {
            if !self.names.contains(name) {
                self.names.push(name.clone());
            }
        }
    }

    /// Its ends and ticks.
    pub(super) fn scale(&self) -> Scale {
        let (mut low, mut high) = self.range;
        if low > high {
            (low, high) = if self.log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        let floor = self.floor.unwrap_or(f64::NEG_INFINITY);
        (low, high) = (low.max(floor), high.max(floor));
        if low == high {
            (low, high) = if self.log { (low / 2.0, high * 2.0) } else { (low, low + 1.0) };
        }
        let ticks = match (self.log, self.exact) {
            (true, _) => logarithmic(low, high),
            (false, exact) => {
                let step = step(high - low);
                let most = high;
                if !exact {
                    let half = step / 2.0;
                    // What is at a tick but for rounding does not ask for another.
                    (low, high) = ((low / half + 1e-6).floor() * half, (high / half - 1e-6).ceil() * half);
                    low = low.max(floor);
                }
                if self.open {
                    // At least a quarter of a step above the most.
                    high += if high - most < step / 4.0 { step / 2.0 } else { 0.0 };
                    with_tick_at(most, linear(low, high, step), step)
                } else {
                    linear(low, high, step)
                }
            }
        };
        let ticks = if self.names.is_empty() { ticks } else { self.names.clone() };
        Scale { low, high, log: self.log, ticks }
    }
}

/// An axis with its ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    /// Value and text.
    pub ticks: Vec<(f64, String)>,
}

impl Scale {
    /// From 0 at the lower end to 1 at the upper one.
    pub fn place(&self, value: f64) -> f64 {
        match self.log {
            true if value <= self.low => 0.0,
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        }
    }

    /// From where an interval with this lower end is drawn, and whether that is its end: it may reach below the axis.
    pub fn low_end(&self, value: f64) -> (f64, bool) {
        let whole = value >= self.low - (self.high - self.low) * 1e-9 || self.log;
        (self.place(value.max(self.low)), whole)
    }
}

fn linear(low: f64, high: f64, step: f64) -> Vec<(f64, String)> {
    let first = (low / step - 1e-6).ceil();
    let at = |i: u32| (first + f64::from(i)) * step;
    (0..).map(at).take_while(|v| *v <= high + step * 1e-6).map(|v| (v, number(v, step))).collect()
}

/// Has a tick at `most` too, in the place of one that it would touch.
fn with_tick_at(most: f64, mut ticks: Vec<(f64, String)>, step: f64) -> Vec<(f64, String)> {
    if ticks.iter().all(|(at, _)| (at - most).abs() > step * 1e-6) {
        ticks.retain(|(at, _)| (at - most).abs() > step * 0.45);
        // A digit more than the others have, unless it is 0.
        let text = number(most, step / 10.0);
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        let place = ticks.iter().take_while(|(at, _)| *at < most).count();
        ticks.insert(place, (most, text.into()));
    }
    ticks
}

/// Powers of ten, with 2 and 5 times each where there are few of them.
fn logarithmic(low: f64, high: f64) -> Vec<(f64, String)> {
    let factors: &[f64] = if (high / low).log10() < 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let all = decades.flat_map(|d| factors.iter().map(move |f| (f * 10f64.powi(d), d)));
    let inside = all.filter(|(v, _)| (low * 0.999..=high * 1.001).contains(v));
    inside.map(|(v, d)| (v, format!("{v:.*}", usize::try_from(-d).unwrap_or(0)))).collect()
}

/// Distance of about five ticks: 1, 2 or 5 times a power of ten.
fn step(range: f64) -> f64 {
    let power = 10f64.powf((range.max(1e-9) / 5.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    power * steps.into_iter().find(|s| range <= 5.0 * s * power * 1.001).unwrap_or(10.0)
}

/// With the decimals that its ticks need.
fn number(value: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let value = if value.abs() < step / 2.0 { 0.0 } else { value };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(axis: &Axis) -> Vec<String> {
        axis.scale().ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!([4.4, 25.7, 30.0, 0.18, 1200.0].map(step), [1.0, 10.0, 10.0, 0.05, 500.0]);
        let axis = |values: &[f64]| Axis::new("").covering(values.iter().copied());
        assert_eq!(ticks(&axis(&[1.0, 4.5])), ["1", "2", "3", "4"]);
        assert_eq!(ticks(&axis(&[0.0, 0.17])), ["0.00", "0.05", "0.10", "0.15"]);
        assert_eq!(ticks(&axis(&[-0.1, 0.2])), ["-0.1", "0.0", "0.1", "0.2"]);
        assert_eq!(ticks(&axis(&[])), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(ticks(&Axis::new("").log().covering([0.01, 1000.0])).join(" "), "0.01 0.1 1 10 100 1000");
        assert_eq!(ticks(&Axis::new("").log().covering([0.3, 7.0])), ["0.5", "1", "2", "5"]);
        assert_eq!(ticks(&Axis::new("").log().covering([1.0, 100.0])), ["1", "10", "100"]);
        assert_eq!(ticks(&Axis::new("").log().covering([1.0, 99.0])).join(" "), "1 2 5 10 20 50");
    }

    #[test]
    fn ends_are_at_ticks_or_halfway() {
        let ends = |axis: &Axis| (axis.scale().low, axis.scale().high);
        let axis = Axis::new("").covering([0.0, 22.4]);
        assert_eq!(ends(&axis), (0.0, 22.5));
        assert_eq!(ends(&axis.clone().covering([22.51])), (0.0, 25.0));
        assert_eq!(ends(&axis.clone().exact()), (0.0, 22.4));
        assert_eq!(ends(&Axis::new("").covering([3.0])), (3.0, 4.0), "one value has a length too");
        // What is at a tick but for rounding asks for no other.
        assert_eq!(ends(&Axis::new("").covering([3.0 - 1e-9, 5.0 + 1e-9])), (3.0, 5.0));
        assert_eq!(ends(&Axis::new("").covering([2.99, 5.01])), (2.75, 5.25));
        assert_eq!(axis.scale().place(11.25), 0.5);
        let log = Axis::new("").log().covering([0.0, 1.0, 100.0]);
        assert_eq!([0.0, 1.0, 10.0, 100.0].map(|v| log.scale().place(v)), [0.0, 0.0, 0.5, 1.0]);
    }

    #[test]
    fn an_axis_begins_where_its_quantity_does() {
        let mos = Axis::new("MOS").not_below(1.0).covering([0.4, 1.2, 4.5]);
        assert_eq!((mos.scale().low, mos.scale().high), (1.0, 4.5));
        assert_eq!(mos.scale().low_end(0.4), (0.0, false));
        assert_eq!(mos.scale().low_end(1.0), (0.0, true));
        assert_eq!(mos.scale().low_end(2.75), (0.5, true));
        let scale = Axis::new("").not_below(1.3).covering([0.4, 4.5]).scale();
        assert_eq!(scale.low, 1.3, "between two ticks");
        // Of two axes with one label both are shown.
        let mut axis = mos.clone();
        axis.join(&Axis::new("MOS").not_below(0.0).covering([0.0]));
        assert_eq!(axis.scale().low, 0.0);
        axis.join(&Axis::new("MOS").covering([-3.0]));
        assert_eq!(axis.scale().low, -3.0);
    }

    #[test]
    fn an_open_axis_has_room_above_its_most_and_a_tick_at_it() {
        let open = |values: [f64; 2]| {
            let axis = Axis::new("").covering(values).open();
            (ticks(&axis).join(" "), axis.scale().high)
        };
        assert_eq!(open([-20.0, 50.0]), ("-20 0 20 40 50 60".into(), 60.0));
        assert_eq!(open([0.0, 40.0]), ("0 10 20 30 40".into(), 45.0), "the tick that is there anyhow");
        assert_eq!(open([0.0, 41.25]), ("0 10 20 30 41".into(), 45.0), "for one that it would touch");
        assert_eq!(open([0.0, 44.0]), ("0 10 20 30 44 50".into(), 50.0), "45 would be too near");
        assert_eq!(open([0.0, 0.97]), ("0.0 0.2 0.4 0.6 0.8 0.97".into(), 1.1));
    }

    #[test]
    fn joined_axes_show_what_both_do() {
        let mut axis = Axis::new("").covering([2.0, 3.0]);
        axis.join(&Axis::new("").covering([0.0, 9.0]));
        axis.join(&Axis::new(""));
        assert_eq!(axis.range, (0.0, 9.0));
    }
}
