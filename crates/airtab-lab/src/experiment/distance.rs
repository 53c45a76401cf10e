// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How far a measured value is from the number that a source gives, where it gives one in the same unit: `4.27`,
//! `about 27`, `15 to 25`, `event simulation: 6.01`. What a source says in words has no distance.
//!
//! What it does not do: no verdict; bounds are wider than a number (`judge`).

use airtab_scenario::digits;

/// A value beside the source's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Distance {
    /// Above it, or below if negative; 0 within what the source gives as a range.
    pub(super) by: f64,
    /// The nearest number of the source.
    source: f64,
    half_width: Option<f64>,
}

impl Distance {
    /// Of a value with its interval from the least and greatest number of a source.
    pub(super) fn new((low, high): (f64, f64), mean: f64, half_width: Option<f64>) -> Distance {
        let source = mean.clamp(low, high);
        Distance { by: mean - source, source, half_width }
    }

    /// `+0.03 (+1 %)`.
    pub(super) fn text(&self, decimals: usize) -> String {
        let sign =
            |text: String, x: f64| if x > 0.0 && text != zero(&text) { format!("+{text}") } else { text };
        let by = sign(digits::rounded(self.by, self.half_width, decimals), self.by);
        match self.percent() {
            Some(percent) => format!("{by} ({} %)", sign(digits::rounded(percent, None, 0), percent)),
            None => by,
        }
    }

    /// Share of the source's number, %; None of 0.
    pub(super) fn percent(&self) -> Option<f64> {
        let percent = 100.0 * self.by / self.source.abs();
        percent.is_finite().then_some(percent)
    }
}

/// The same text with noughts for all digits.
fn zero(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// Least and greatest number of what a source says; None if it says something else, or more.
pub(super) fn numbers(reported: &str) -> Option<(f64, f64)> {
    let mut depth = 0;
    let outside = reported.chars().filter(|c| {
        depth += i32::from(*c == '(');
        let outside = depth == 0;
        depth -= i32::from(*c == ')');
        outside
    });
    let text: String = outside.collect();
    let text = text.rsplit([':', '=']).next()?;
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let lead =
        words.iter().take_while(|word| ["about", "around", "near", "close", "to"].contains(word)).count();
    words.drain(..lead);
    while words.last().is_some_and(|word| ["everywhere", "%"].contains(word)) {
        words.pop();
    }
    let number = |word: &str| {
        let digits = word.strip_prefix('-').unwrap_or(word);
        digits.starts_with(|c: char| c.is_ascii_digit()).then(|| word.parse::<f64>().ok()).flatten()
    };
    match words.as_slice() {
        [one] => number(one).map(|x| (x, x)),
        [low, "to", high] => Some((number(low)?, number(high)?)).filter(|(low, high)| low <= high),
        _ => None,
    }
}

/// True if a source prints a number there, also one whose distance has no meaning: `133 ms`, `+429 %`, `below 30 ms`.
pub(super) fn prints_number(reported: &str) -> bool {
    const LEAD: [&str; 14] = [
        "about", "above", "almost", "around", "at", "below", "close", "least", "less", "more", "most",
        "near", "than", "to",
    ];
    let words =
        reported.split_whitespace().map(|word| word.trim_start_matches(['+', '-', '(', '.', '<', '>']));
    let first = words.into_iter().find(|word| !LEAD.contains(word));
    numbers(reported).is_some() || first.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sources() {
        for (reported, found) in [
            ("4.27", (4.27, 4.27)),
            ("about 27", (27.0, 27.0)),
            ("close to 0", (0.0, 0.0)),
            ("15 to 25", (15.0, 25.0)),
            ("92.9 %", (92.9, 92.9)),
            ("about 1 everywhere", (1.0, 1.0)),
            ("4.3 (6.8: 4.42)", (4.3, 4.3)),
            ("event simulation: 6.01", (6.01, 6.01)),
            ("W0/((1 - rho1)(1 - rho)): 0.6667", (0.6667, 0.6667)),
            ("2nI = 100", (100.0, 100.0)),
            ("-4.5", (-4.5, -4.5)),
            ("around -3 to 2.5 %", (-3.0, 2.5)),
            ("0.4 (0.3 (of all) or 0.2)", (0.4, 0.4)),
            ("7 to 7", (7.0, 7.0)),
        ] {
            assert_eq!(numbers(reported), Some(found), "{reported}");
        }
        for reported in [
            "alike",
            "equal",
            "",
            "below 50",
            "+625 %",
            "4.27 against 3.5",
            "15.58, 17.44, 23.16",
            "about 2 at best",
            "falls at 60 s, low until 240 s",
            "4.27 from 1 to 500 ms",
            "the floor (model: 1)",
            "nan",
            "5 to 3",
        ] {
            assert_eq!(numbers(reported), None, "{reported}");
        }
    }

    #[test]
    fn sources_print_numbers_or_words() {
        for reported in
            ["4.27", "133 ms", "about 70 %", "+429 ms", "at most 30", ".744 of it", "event simulation: 6.01"]
        {
            assert!(prints_number(reported), "{reported}");
        }
        for reported in ["alike", "a third", "", "more: 30 would do", "no window of 32"] {
            assert!(!prints_number(reported), "{reported}");
        }
    }

    #[test]
    fn distances_are_signed_and_as_exact_as_the_interval() {
        let text = |reported, mean, half| Some(Distance::new(numbers(reported)?, mean, half).text(2));
        assert_eq!(text("4.27", 4.3, Some(0.01)).as_deref(), Some("+0.03 (+1 %)"));
        assert_eq!(text("25", 12.5, Some(3.0)).as_deref(), Some("-12.5 (-50 %)"));
        assert_eq!(text("15 to 25", 20.0, None).as_deref(), Some("0.00 (0 %)"));
        assert_eq!(text("15 to 25", 30.0, None).as_deref(), Some("+5.00 (+20 %)"));
        assert_eq!(text("15 to 25", 12.0, None).as_deref(), Some("-3.00 (-20 %)"));
        assert_eq!(text("0", 0.5, Some(0.1)).as_deref(), Some("+0.50"), "of nothing there is no share");
        assert_eq!(text("30", 30.001, Some(0.001)).as_deref(), Some("0.00 (0 %)"));
        // Of a source below 0 the share is of its size: up is up.
        assert_eq!(text("-4", -3.0, None).as_deref(), Some("+1.00 (+25 %)"));
        assert_eq!(text("-4 to -2", -6.0, None).as_deref(), Some("-2.00 (-50 %)"));
        assert_eq!(text("-4 to 2", 3.0, None).as_deref(), Some("+1.00 (+50 %)"), "of the nearer end");
        let distance = Distance::new((-4.0, -2.0), -1.0, None);
        assert_eq!((distance.by, distance.percent()), (1.0, Some(50.0)));
        assert_eq!(Distance::new((0.0, 0.0), 3.0, None).percent(), None);
        assert_eq!(text("alike", 1.0, None), None);
    }
}
