// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How a line, a bar or a point is told from the others: colour, dashes, marker.
//! What is printed in black or seen by the colour-blind still differs.
//!
//! A discipline has the same look on every page: its colour is that of its place
//! in the core's list. Applications go by their place in the scenario.
//!
//! What it does not do: what a colour is in the light and in the dark is in
//! `draw.css`.

use std::fmt::Write;

use airtab_core::disciplines;

use super::svg::coordinate;

/// Colours of either palette (`.c0` to `.c5` and `.d0` to `.d5` in `draw.css`).
const COLOURS: usize = 6;
/// Dash patterns; the first is a whole line.
const DASHES: [&str; 4] = ["", "7 4", "2 3", "10 3 2 3"];
/// Distances of the upright lines over an area, pixels; the first has none.
const HATCHES: [f64; 4] = [0.0, 10.0, 5.0, 3.0];
/// And of the lines across, where there are more areas of one colour than that.
const ACROSS: [f64; 3] = [0.0, 6.0, 3.5];
/// Shapes of markers.
const MARKERS: usize = 5;

/// Colour, dashes and marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    palette: char,
    colour: usize,
    dash: usize,
    marker: usize,
    /// Of areas, which have no dashes: 0 is plain, the first four have upright lines alone.
    hatch: usize,
}

impl Look {
    /// Of application, flow or figure number `i`. Two have different dashes or
    /// colours up to number 24, and differ up to number 120.
    pub fn of_app(i: usize) -> Look {
        let turn = i + i / COLOURS;
        Look {
            palette: 'c',
            colour: i % COLOURS,
            dash: turn % DASHES.len(),
            marker: turn % MARKERS,
            hatch: i / COLOURS % HATCHES.len(),
        }
    }

    /// Of the discipline with this label, one of `labels`: those of one discipline have its colour and
    /// differ in dashes or markers up to the 20th, as areas up to the 12th.
    pub fn of_discipline(label: &str, labels: &[String]) -> Look {
        let name = |label: &str| label.split(':').next().unwrap_or_default().to_string();
        let number = disciplines().position(|d| d.name() == name(label)).unwrap_or(0);
        let kin = labels.iter().filter(|other| name(other) == name(label));
        let variant = kin.take_while(|other| *other != label).count();
        let turn = number + variant + number / COLOURS;
        Look {
            palette: 'd',
            colour: number % COLOURS,
            dash: turn % DASHES.len(),
            // 4 dashes and 5 markers have no divisor in common: all of their 20 pairs come before one comes again.
            marker: turn % MARKERS,
            hatch: (variant + number / COLOURS) % (HATCHES.len() * ACROSS.len()),
        }
    }

    /// Of what belongs to nobody.
    pub fn neutral() -> Look {
        Look { palette: 'n', colour: 0, dash: 0, marker: 0, hatch: 0 }
    }

    /// Its class: `c0` to `c5` of applications, `d0` to `d5` of disciplines, `n0` of nobody.
    pub fn class(&self) -> String {
        format!("{}{}", self.palette, self.colour)
    }

    /// Attribute of a line.
    pub(super) fn dashes(&self) -> String {
        match DASHES[self.dash] {
            "" => String::new(),
            dashes => format!(" stroke-dasharray=\"{dashes}\""),
        }
    }

    /// Its marker there, filled.
    pub(super) fn marker(&self, x: f64, y: f64) -> String {
        let polygon = |corners: &[(f64, f64)]| {
            let points =
                corners.iter().map(|(dx, dy)| format!("{},{}", coordinate(x + dx), coordinate(y + dy)));
            format!("<polygon points=\"{}\"/>", points.collect::<Vec<_>>().join(" "))
        };
        match self.marker {
            0 => format!("<circle cx=\"{}\" cy=\"{}\" r=\"3\"/>", coordinate(x), coordinate(y)),
            1 => polygon(&[(-2.8, -2.8), (2.8, -2.8), (2.8, 2.8), (-2.8, 2.8)]),
            2 => polygon(&[(0.0, -3.9), (3.6, 2.6), (-3.6, 2.6)]),
            3 => polygon(&[(0.0, 3.9), (3.6, -2.6), (-3.6, -2.6)]),
            _ => {
                let (thin, long) = (1.1, 3.8);
                let quarter =
                    [(thin, -long), (thin, -thin), (long, -thin), (long, thin), (thin, thin), (thin, long)];
                let other = quarter.map(|(dx, dy)| (-dx, -dy));
                polygon(&[quarter, other].concat())
            }
        }
    }

    /// Lines over an area with it, so that areas of one colour differ.
    pub(super) fn hatching(&self, x: f64, y: f64, width: f64, height: f64) -> String {
        let mut lines = String::new();
        let every = |distance: f64, from: f64, length: f64| {
            let first =
                if distance > 0.0 { (from / distance).floor() * distance + distance } else { f64::INFINITY };
            std::iter::successors(Some(first), move |at| Some(at + distance))
                .take_while(move |at| *at < from + length - 0.5)
        };
        for at in every(HATCHES[self.hatch % HATCHES.len()], x, width) {
            let _ = write!(lines, "M{} {}v{}", coordinate(at), coordinate(y), coordinate(height));
        }
        for at in every(ACROSS[self.hatch / HATCHES.len()], y, height) {
            let _ = write!(lines, "M{} {}h{}", coordinate(x), coordinate(at), coordinate(width));
        }
        match lines.is_empty() {
            true => lines,
            false => format!("<path class=\"gap\" d=\"{lines}\"/>"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applications_differ() {
        let all: Vec<Look> = (0..120).map(Look::of_app).collect();
        let of = |what: fn(&Look) -> (usize, usize, usize), n: usize| {
            let mut seen: Vec<_> = all[..n].iter().map(what).collect();
            seen.sort_unstable();
            seen.dedup();
            seen.len()
        };
        assert_eq!(of(|l| (l.colour, l.dash, 0), 24), 24);
        assert_eq!(of(|l| (l.colour, l.dash, l.marker), 120), 120);
        // As areas: four of a colour, of which the first is plain.
        let mut areas: Vec<_> =
            all[..24].iter().map(|l| (l.colour, l.hatching(1.0, 1.0, 40.0, 14.0))).collect();
        assert!(areas[..6].iter().all(|(_, lines)| lines.is_empty()));
        areas.sort();
        areas.dedup();
        assert_eq!(areas.len(), 24);
        // A line every 10 pixels, wherever the area begins.
        assert_eq!(
            all[6].hatching(4.0, 2.0, 30.0, 14.0),
            "<path class=\"gap\" d=\"M10 2v14M20 2v14M30 2v14\"/>"
        );
    }

    /// A square of 5.6, two triangles of 7.2 by 6.5, a cross of two bars of 7.6 by 2.2: areas by the shoelace formula.
    #[test]
    fn markers_are_whole_shapes_around_their_point() {
        for (marker, area) in
            [(1, 5.6 * 5.6), (2, 7.2 * 6.5 / 2.0), (3, 7.2 * 6.5 / 2.0), (4, 2.0 * 7.6 * 2.2 - 2.2 * 2.2)]
        {
            let look = Look { palette: 'c', colour: 0, dash: 0, marker, hatch: 0 };
            let drawn = look.marker(100.0, 50.0);
            let points = drawn.split('"').nth(1).expect("points");
            let number = |text: &str| text.parse::<f64>().expect("a number");
            let points: Vec<(f64, f64)> = points
                .split(' ')
                .map(|point| point.split_once(',').expect("two numbers"))
                .map(|(x, y)| (number(x) - 100.0, number(y) - 50.0))
                .collect();
            let next = points.iter().cycle().skip(1);
            let twice: f64 = points.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum();
            assert!((twice.abs() / 2.0 - area).abs() < 0.5, "{marker}: {} not {area}", twice.abs() / 2.0);
            let least = points.iter().map(|p| p.0).fold(0.0, f64::min);
            let most = points.iter().map(|p| p.0).fold(0.0, f64::max);
            assert!((least + most).abs() < 0.15, "{marker}: from {least} to {most}");
        }
        let round = Look { palette: 'c', colour: 0, dash: 0, marker: 0, hatch: 0 }.marker(100.0, 50.0);
        assert_eq!(round, "<circle cx=\"100\" cy=\"50\" r=\"3\"/>");
    }

    #[test]
    fn a_discipline_keeps_its_colour() {
        let names: Vec<String> = disciplines().map(|d| d.name().to_string()).collect();
        let mut classes: Vec<String> = names.iter().map(|n| Look::of_discipline(n, &names).class()).collect();
        for name in &names {
            let with = |label: &str| vec![label.to_string(), name.clone(), format!("{name}:limit=7")];
            let alone = Look::of_discipline(name, std::slice::from_ref(name));
            assert_eq!(Look::of_discipline(name, &names), alone, "whoever it is beside");
            assert_eq!(Look::of_discipline(name, &with("nobody")), alone);
            let labels = with("nobody");
            let kin = Look::of_discipline(&labels[2], &labels);
            assert!(kin.class() == alone.class() && kin.dash != alone.dash && kin.marker != alone.marker);
        }
        // Many of one: each line differs, and each area.
        let many: Vec<String> = (0..20).map(|i| format!("chap:limit={i}")).collect();
        let looks: Vec<Look> = many.iter().map(|label| Look::of_discipline(label, &many)).collect();
        for (i, one) in looks.iter().enumerate() {
            for other in &looks[..i] {
                assert!(
                    one.colour == other.colour && (one.dash, one.marker) != (other.dash, other.marker),
                    "{i}"
                );
                assert!(
                    i >= 12 || one.hatching(1.0, 1.0, 40.0, 14.0) != other.hatching(1.0, 1.0, 40.0, 14.0),
                    "{i}"
                );
            }
        }
        classes.sort_unstable();
        classes.dedup();
        assert_eq!(classes.len(), names.len().min(COLOURS), "as few as can be share one");
    }
}
