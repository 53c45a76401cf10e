// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A figure as a file: an SVG that stands alone, with colours for light and dark,
//! and its data as CSV.
//!
//! What it does not do: no file is written here.

use std::fmt::Write;

use super::svg::{Anchor, TEXT, coordinate, escape, lines_of, text, width};
use super::{Content, Drawing, Figure, KEY, Kind, Panel, STYLE, WIDTH};

/// Around everything, and between panels.
const MARGIN: f64 = 12.0;
const GAP: f64 = 16.0;
/// From one line of text to the next.
const LINE: f64 = 17.0;
/// Letters of a line of a panel's caption, and of a title for each panel beside another.
const LETTERS: usize = 60;
const LETTERS_OF_TITLE: usize = 48;

impl Figure {
    /// As an SVG file.
    pub fn svg(&self) -> String {
        let columns = self.columns.max(1);
        let inner = columns as f64 * (WIDTH + GAP) - GAP;
        let (mut body, mut y) = self.head(inner, columns);
        for row in self.panels.chunks(columns) {
            let captions: Vec<Vec<String>> = row.iter().map(caption).collect();
            let lines = captions.iter().map(Vec::len).max().unwrap_or(0) as f64;
            let mut tallest = 0.0;
            for (i, (panel, caption)) in row.iter().zip(&captions).enumerate() {
                let x = MARGIN + i as f64 * (WIDTH + GAP);
                // Captions end above their panels.
                let from = y + (lines - caption.len() as f64) * LINE;
                for (k, words) in caption.iter().enumerate() {
                    body.push_str(&text(words, x, from + k as f64 * LINE + TEXT, Anchor::Start));
                }
                let Drawing { height, body: drawn } = panel.draw();
                let (x, top) = (coordinate(x), coordinate(y + lines * LINE));
                let alt = escape(&panel.alt);
                let _ =
                    writeln!(body, "<g transform=\"translate({x} {top})\"><title>{alt}</title>\n{drawn}</g>");
                tallest = f64::max(tallest, height);
            }
            y += lines * LINE + tallest + GAP;
        }
        let (width, height) = (inner + 2.0 * MARGIN, y - GAP + MARGIN);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{}\" \
             font-family=\"sans-serif\" font-size=\"{TEXT}\">\n<style>\n{STYLE}</style>\n\
             <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
            width * 1.25
        )
    }

    /// Title and legend, and where they end.
    fn head(&self, inner: f64, columns: usize) -> (String, f64) {
        let mut body = String::new();
        let mut y = MARGIN;
        for words in lines_of(&self.title, LETTERS_OF_TITLE * columns) {
            let words = escape(&words);
            let _ = writeln!(body, "<text class=\"title\" x=\"{MARGIN}\" y=\"{}\">{words}</text>", y + TEXT);
            y += LINE + 3.0;
        }
        let mut x = MARGIN;
        let legend = self.legend();
        for (sample, name) in &legend {
            let wide = KEY.0 + 6.0 + width(name) + 14.0;
            if x > MARGIN && x + wide > MARGIN + inner {
                (x, y) = (MARGIN, y + LINE);
            }
            let (left, top) = (coordinate(x), coordinate(y));
            let _ = writeln!(body, "<g transform=\"translate({left} {top})\">{}</g>", sample.draw());
            body.push_str(&text(name, x + KEY.0 + 6.0, y + 10.0, Anchor::Start));
            x += wide;
        }
        (body, y + if legend.is_empty() { 4.0 } else { LINE + 6.0 })
    }

    /// Its data, a row for each point, bar or part: which panel, whose, and the value with the ends of its
    /// interval. Empty where there is none.
    pub fn csv(&self) -> String {
        let mut table = String::from("panel,series,kind,over,x,quantity,value,low,high\n");
        for panel in &self.panels {
            let name = match (panel.name.as_str(), panel.caption.as_str()) {
                (name, "") => name.to_string(),
                ("", caption) => caption.to_string(),
                (name, caption) => format!("{name}: {caption}"),
            };
            let mut row =
                |series: &str, kind: &str, over: (&str, Option<f64>), quantity: &str, v: [f64; 3]| {
                    let words = [&name, series, kind, over.0].map(field).join(",");
                    let x = over.1.map_or(String::new(), |x| x.to_string());
                    let [value, low, high] = v.map(|v| v.to_string());
                    let ends = if low == high { ",".into() } else { format!("{low},{high}") };
                    let value = if kind == PUBLISHED && low != high { String::new() } else { value };
                    let _ = writeln!(table, "{words},{x},{},{value},{ends}", field(quantity));
                };
            match &panel.content {
                Content::Plot(plot) => {
                    for line in &plot.lines {
                        let kind = if line.kind == Kind::Published { PUBLISHED } else { MEASURED };
                        for p in line.points.iter().flatten() {
                            let over = (plot.x.label(), Some(p.x));
                            row(&line.name, kind, over, plot.y.label(), [p.y, p.low, p.high]);
                        }
                    }
                }
                Content::Bars(bars) => {
                    for bar in &bars.bars {
                        let (half, quantity) = (bar.half_width.unwrap_or(0.0), bars.axis.label());
                        let values = [bar.value, bar.value - half, bar.value + half];
                        row(&bar.label, MEASURED, ("", None), quantity, values);
                        if let Some((low, high)) = bar.published {
                            row(&bar.label, PUBLISHED, ("", None), quantity, [low, low, high]);
                        }
                    }
                }
                Content::Shares(shares) => {
                    for (label, part) in
                        shares.bars.iter().flat_map(|(l, parts)| parts.iter().map(move |p| (l, p)))
                    {
                        let quantity = if part.pale { "share, uplink" } else { "share" };
                        let series = format!("{label}: {}", part.name);
                        row(&series, MEASURED, ("", None), quantity, [part.share; 3]);
                    }
                }
            }
        }
        table
    }
}

/// Column `kind` of the data.
const MEASURED: &str = "measured";
const PUBLISHED: &str = "published";

/// In lines.
fn caption(panel: &Panel) -> Vec<String> {
    let between = if panel.name.is_empty() || panel.caption.is_empty() { "" } else { ": " };
    lines_of(&format!("{}{between}{}", panel.name, panel.caption), LETTERS)
}

/// A field of a CSV file (RFC 4180).
fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}
