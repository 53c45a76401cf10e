// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What every drawing is written with: coordinates, text, lines.
//!
//! What it does not do: no layout.

use std::fmt::Write;

/// HTML or SVG text or attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A coordinate, to a tenth of a pixel.
pub(super) fn coordinate(value: f64) -> String {
    let tenths = (value * 10.0).round() as i64;
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        _ => format!("{}", tenths as f64 / 10.0),
    }
}

/// Where a text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// At its beginning.
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}

/// Height of letters, pixels.
pub(super) const TEXT: f64 = 12.0;

/// About how wide a text is, pixels: rather more than in most fonts.
pub(super) fn width(text: &str) -> f64 {
    text.chars().count() as f64 * 6.7
}

/// A text with its base line at `y`.
pub(super) fn text(text: &str, x: f64, y: f64, anchor: Anchor) -> String {
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    format!("<text x=\"{}\" y=\"{}\"{anchor}>{}</text>\n", coordinate(x), coordinate(y), escape(text))
}

/// The same, in the middle of `x`, but kept between `from` and `until`.
pub(super) fn text_within(words: &str, x: f64, y: f64, (from, until): (f64, f64)) -> String {
    let half = width(words) / 2.0;
    match () {
        () if x - half < from => text(words, from, y, Anchor::Start),
        () if x + half > until => text(words, until, y, Anchor::End),
        () => text(words, x, y, Anchor::Middle),
    }
}

/// A line with its class.
pub(super) fn line(class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(coordinate);
    format!("<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>\n")
}

/// A filled rectangle.
pub(super) fn rectangle(class: &str, x: f64, y: f64, width: f64, height: f64) -> String {
    let [x, y, width, height] = [x, y, width, height].map(coordinate);
    format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>\n")
}

/// `points` of a polyline; a point that is where the last one was is left out.
pub(super) fn points(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut written = String::new();
    let mut last = String::new();
    for (x, y) in points {
        let point = format!("{},{}", coordinate(x), coordinate(y));
        if point != last {
            let _ = write!(written, "{}{point}", if written.is_empty() { "" } else { " " });
            last = point;
        }
    }
    written
}

/// Words in lines of at most so many letters, if no word is longer.
pub(super) fn lines_of(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_tenths() {
        assert_eq!([1.0, 0.25, -0.04, 99.96, -1.25].map(coordinate), ["1", "0.3", "0", "100", "-1.3"]);
        assert_eq!(points([(0.0, 1.0), (0.04, 1.01), (2.0, 1.5)].into_iter()), "0,1 2,1.5");
    }

    #[test]
    fn texts_stay_inside() {
        assert!(text_within("0.0", 4.0, 1.0, (2.0, 98.0)).starts_with("<text x=\"2\" y=\"1\">"));
        assert!(text_within("100", 97.0, 1.0, (2.0, 98.0)).contains("x=\"98\" y=\"1\" text-anchor=\"end\""));
        assert_eq!(lines_of("a bb  ccc d", 4), ["a bb", "ccc", "d"]);
    }
}
