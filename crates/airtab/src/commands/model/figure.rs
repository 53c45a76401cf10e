// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A figure that stands alone: title, legend, and charts of the report, with colours for light and dark.
//!
//! The report's page has a style sheet of its own; this is the part of it that a chart needs.

use airtab_lab::chart;

/// What is drawn.
pub struct Figure<'a> {
    pub title: &'a str,
    /// Number of the colour, and what it is.
    pub legend: Vec<(usize, String)>,
    /// Charts of the report, one below the other.
    pub panels: Vec<Panel>,
}

pub struct Panel {
    /// Above it, if there is more than one.
    pub title: String,
    pub svg: String,
}

/// Every other colour is dashed, so that lines that lie upon each other show both.
const STYLE: &str = "
text { font-family: sans-serif; font-size: 12px; fill: #000000; }
.title { font-size: 14px; font-weight: bold; }
.paper { fill: #ffffff; }
polyline[stroke='#D55E00'], polyline[stroke='#CC79A7'], polyline[stroke='#56B4E9'] { stroke-dasharray: 7 4; }
@media (prefers-color-scheme: dark) {
  .paper { fill: #16181c; }
  text, [fill='#000000'] { fill: #e4e6ea; } [stroke='#000000'] { stroke: #e4e6ea; }
  [stroke='#DDDDDD'] { stroke: #3a3f47; }
  [stroke='#0072B2'] { stroke: #4FA8E0; } [stroke='#D55E00'] { stroke: #F08244; }
  [stroke='#009E73'] { stroke: #2EC79B; } [stroke='#CC79A7'] { stroke: #DD96BD; }
  [stroke='#E69F00'] { stroke: #EBB02F; } [stroke='#56B4E9'] { stroke: #8CCBF0; }
}
";

const WIDTH: u32 = 400;
const CHART: u32 = 240;
const ROW: u32 = 18;
/// On the left and below: what sticks out of a chart.
const MARGIN: u32 = 8;

impl Figure<'_> {
    /// As a file.
    pub fn svg(&self) -> String {
        let mut body = format!("<text class=\"title\" x=\"10\" y=\"20\">{}</text>\n", self.title);
        let mut y = 28;
        for pair in self.legend.chunks(2) {
            for ((i, text), x) in pair.iter().zip([10, 200]) {
                let colour = chart::colour(*i);
                let stroke = format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2);
                let middle = y + ROW / 2;
                body += &format!(
                    "<polyline points=\"{x},{middle} {},{middle}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2\"/>\
                     <text x=\"{}\" y=\"{}\">{text}</text>\n",
                    x + 26,
                    x + 32,
                    middle + 4,
                );
            }
            y += ROW;
        }
        for panel in &self.panels {
            if !panel.title.is_empty() {
                body += &format!("<text x=\"10\" y=\"{}\">{}</text>\n", y + 16, panel.title);
                y += ROW + 4;
            }
            let place =
                format!("<svg x=\"0\" y=\"{y}\" width=\"{WIDTH}\" height=\"{CHART}\" overflow=\"visible\" ");
            body += &panel.svg.replacen("<svg ", &place, 1);
            y += CHART;
        }
        let (width, height) = (WIDTH + MARGIN, y + MARGIN);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{MARGIN} 0 {width} {height}\" width=\"{}\">\n\
             <style>{STYLE}</style>\n<rect class=\"paper\" x=\"-{MARGIN}\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
            width * 3 / 2
        )
    }
}
