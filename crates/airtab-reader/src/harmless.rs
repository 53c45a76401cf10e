// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Escapes for characters that drive a terminal, or change the order in which text is read.
//!
//! Source: C0 and C1 controls of ECMA-48; bidirectional formatting characters of Unicode Standard Annex 9, section 2.

use std::borrow::Cow;

/// Writes each control character but tab and line feed, and each bidirectional formatting character, as `\u001b`: four
/// hexadecimal digits, as in JSON, so that a JSON document keeps its meaning.
///
/// Limits: line feeds stay, so foreign text can begin a line of its own.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let escaped = |c: char| if is_harmful(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    Cow::Owned(text.chars().map(escaped).collect())
}

fn is_harmful(c: char) -> bool {
    let bidirectional =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    bidirectional || (c.is_control() && !matches!(c, '\t' | '\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 65 controls of C0, DEL and C1 but two, and the 12 characters of UAX 9; their neighbours stay.
    #[test]
    fn controls_and_directions_are_escaped() {
        let controls = (0..0x20).chain(0x7f..0xa0).filter(|c| ![0x09, 0x0a].contains(c));
        let directions =
            [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
        let all: Vec<u32> = controls.chain(directions).collect();
        assert_eq!(all.len(), 63 + 12);
        for c in &all {
            let text = format!("a{}b", char::from_u32(*c).expect("a character"));
            assert_eq!(harmless(&text), format!("a\\u{c:04x}b"));
        }
        for c in (0..0x3000).filter(|c| !all.contains(c)).filter_map(char::from_u32) {
            let text = c.to_string();
            assert_eq!(harmless(&text), text);
        }
    }

    /// A mark stands below the characters that it is about, as wide as these are shown.
    #[test]
    fn a_mark_stands_below_escaped_text() {
        let (file, message, text) = ("x".into(), "m".into(), "\u{202e}ab\u{1b}c".into());
        let problem = crate::Problem { file, line: 1, column: 3, message, text, width: 2 };
        let shown = "x:1:3: m\n  1 | \\u202eab\\u001bc\n    |        ^^^^^^^";
        assert_eq!(problem.to_string(), shown);
    }

    #[test]
    fn escapes_stay_as_they_are() {
        let text = "red\u{1b}[31m, \u{9b}2J, \u{202e}gnp.exe\r\nü\t";
        let shown = harmless(text);
        assert_eq!(shown, "red\\u001b[31m, \\u009b2J, \\u202egnp.exe\\u000d\nü\t");
        assert_eq!(harmless(&shown), shown);
    }
}
