// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures: of reports, experiments, TCP traces and models, all drawn here.
//!
//! A [`Figure`] is data: panels with what they show. It is written as a part of a
//! page (`html`), as a file of its own ([`Figure::svg`]) and as a table
//! ([`Figure::csv`]). Panels that show the same quantity have the same scale, and
//! there is no panel without data.
//!
//! Drawn small, so that a phone shows one panel across and a desk several.
//! Elements have classes; `draw.css` gives these their colours for light and dark.
//!
//! What it does not do: no script, no font, nothing to load; no value is computed
//! here.

mod axis;
mod bars;
mod file;
mod look;
mod plot;
mod svg;

use std::fmt::Write;

pub use axis::Axis;
pub use bars::{Bar, Bars, Part, Shares};
pub use look::Look;
pub use plot::{Kind, Line, Plot, Point};
pub(crate) use svg::escape;

/// Colours and lines, for pages and files.
pub(crate) const STYLE: &str = include_str!("draw.css");

/// Of a panel, pixels.
const WIDTH: f64 = 400.0;

/// Panels that are read together.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What its files are called, without an ending.
    pub name: String,
    /// Above it.
    pub title: String,
    /// What its reader has to know first; may be empty.
    pub about: String,
    panels: Vec<Panel>,
    /// So many panels are beside each other in its file.
    columns: usize,
}

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Who or where it is about, in bold; may be empty.
    pub name: String,
    /// What more there is to say; may be empty.
    pub caption: String,
    /// What it shows, for those who cannot see it.
    pub alt: String,
    /// What it shows.
    pub content: Content,
}

/// What a panel shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Something over something.
    Plot(Plot),
    /// A value for each.
    Bars(Bars),
    /// Parts of a whole.
    Shares(Shares),
}

/// What a panel's drawing has inside of its `svg`, [`WIDTH`] wide.
struct Drawing {
    height: f64,
    body: String,
}

/// What a legend's sample looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sample {
    Line(Look, Kind),
    Area { look: Look, pale: bool },
    Published,
    PublishedRange,
}

impl Panel {
    fn is_empty(&self) -> bool {
        match &self.content {
            Content::Plot(plot) => plot.is_empty(),
            Content::Bars(bars) => bars.bars.is_empty(),
            Content::Shares(shares) => shares.bars.is_empty(),
        }
    }

    /// Its axes.
    fn axes(&mut self) -> Vec<&mut Axis> {
        match &mut self.content {
            Content::Plot(plot) => vec![&mut plot.x, &mut plot.y],
            Content::Bars(bars) => vec![&mut bars.axis],
            Content::Shares(_) => Vec::new(),
        }
    }

    fn draw(&self) -> Drawing {
        match &self.content {
            Content::Plot(plot) => plot.draw(),
            Content::Bars(bars) => bars.draw(),
            Content::Shares(shares) => shares.draw(),
        }
    }

    /// As a part of a page.
    fn html(&self) -> String {
        let Drawing { height, body } = self.draw();
        let alt = escape(&self.alt);
        format!("<svg role=\"img\" aria-label=\"{alt}\" viewBox=\"0 0 {WIDTH} {height}\">\n{body}</svg>\n")
    }
}

impl Figure {
    /// The panels that show something, with one scale for axes of one label.
    pub fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        about: impl Into<String>,
        panels: Vec<Panel>,
    ) -> Figure {
        let mut panels: Vec<Panel> = panels.into_iter().filter(|panel| !panel.is_empty()).collect();
        let mut joined: Vec<Axis> = Vec::new();
        for axis in panels.iter_mut().flat_map(Panel::axes) {
            match joined.iter_mut().find(|known| known.label() == axis.label()) {
                Some(known) => known.join(axis),
                None => joined.push(axis.clone()),
            }
        }
        for axis in panels.iter_mut().flat_map(Panel::axes) {
            let known = joined.iter().find(|known| known.label() == axis.label());
            *axis = known.expect("each was joined").clone();
        }
        let columns = panels.len().min(2);
        Figure { name: name.into(), title: title.into(), about: about.into(), panels, columns }
    }

    /// With so many panels beside each other in its file.
    pub fn columns(mut self, columns: usize) -> Figure {
        self.columns = columns.clamp(1, self.panels.len().max(1));
        self
    }

    /// Whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.panels.is_empty()
    }

    /// Its panels.
    pub fn panels(&self) -> &[Panel] {
        &self.panels
    }

    /// What its lines and areas are, each once.
    fn legend(&self) -> Vec<(Sample, String)> {
        let mut legend: Vec<(Sample, String)> = Vec::new();
        let mut published = [false; 2];
        let mut pale = false;
        for panel in &self.panels {
            let entries: Vec<(Sample, String)> = match &panel.content {
                Content::Plot(plot) => {
                    let of_source = plot.lines.iter().filter(|line| line.kind == Kind::Published);
                    for point in of_source.flat_map(|line| line.points.iter().flatten()) {
                        published[usize::from(point.high > point.low)] = true;
                    }
                    let own = plot.lines.iter().filter(|line| line.kind != Kind::Published);
                    let present = own.filter(|line| line.points.iter().any(Option::is_some));
                    let kind = |line: &plot::Line| match plot.is_marked(line) {
                        true => Kind::Means,
                        false => line.kind,
                    };
                    present.map(|line| (Sample::Line(line.look, kind(line)), line.name.clone())).collect()
                }
                Content::Bars(bars) => {
                    for (low, high) in bars.bars.iter().filter_map(|bar| bar.published) {
                        published[usize::from(high > low)] = true;
                    }
                    Vec::new()
                }
                Content::Shares(shares) => {
                    let parts = || shares.bars.iter().flat_map(|(_, parts)| parts);
                    pale |= parts().any(|part| part.pale && part.share > 0.0);
                    let own =
                        |part: &Part| (Sample::Area { look: part.look, pale: false }, part.name.clone());
                    parts().filter(|part| !part.pale).map(own).collect()
                }
            };
            for entry in entries {
                if !legend.contains(&entry) {
                    legend.push(entry);
                }
            }
        }
        let neutral = Sample::Area { look: Look::neutral(), pale: true };
        legend.extend(pale.then(|| (neutral, "pale: uplink".into())));
        legend.extend(published[0].then(|| (Sample::Published, "published".into())));
        legend.extend(published[1].then(|| (Sample::PublishedRange, "published range".into())));
        legend
    }

    /// As a part of a page, below a heading.
    pub(crate) fn html(&self) -> String {
        let class = if self.panels.len() <= 2 { " class=\"short\"" } else { "" };
        let mut page = format!("<section{class}>\n<header>\n<h2>{}</h2>\n", escape(&self.title));
        if !self.about.is_empty() {
            let _ = writeln!(page, "<p>{}</p>", escape(&self.about));
        }
        let legend = self.legend();
        if !legend.is_empty() {
            let one =
                |(sample, name): &(Sample, String)| format!("<span>{}{}</span>", key(*sample), escape(name));
            let all: Vec<String> = legend.iter().map(one).collect();
            let _ = writeln!(page, "<p class=\"legend\">{}</p>", all.join(" "));
        }
        page.push_str("</header>\n<div class=\"figures\">\n");
        for panel in &self.panels {
            let name = match panel.name.as_str() {
                "" => String::new(),
                name => format!("<b>{}</b>", escape(name)),
            };
            let between = if panel.name.is_empty() || panel.caption.is_empty() { "" } else { ": " };
            let caption = format!("{name}{between}{}", escape(&panel.caption));
            let _ = writeln!(page, "<figure><figcaption>{caption}</figcaption>\n{}</figure>", panel.html());
        }
        page.push_str("</div>\n</section>\n");
        page
    }
}

/// How application `i` is drawn, for a table of them.
pub(crate) fn key_of_app(i: usize) -> String {
    key(Sample::Line(Look::of_app(i), Kind::Means))
}

const KEY: (f64, f64) = (30.0, 12.0);

fn key(sample: Sample) -> String {
    let (width, height) = KEY;
    format!(
        "<svg class=\"key\" aria-hidden=\"true\" viewBox=\"0 0 {width} {height}\">{}</svg>",
        sample.draw()
    )
}

impl Sample {
    /// Within [`KEY`].
    fn draw(self) -> String {
        let (middle, y) = (KEY.0 / 2.0, KEY.1 / 2.0);
        let within = |look: Look, what: String| format!("<g class=\"{}\">{what}</g>", look.class());
        match self {
            Sample::Line(look, Kind::Cloud) => {
                within(look, format!("<circle class=\"dot\" cx=\"{middle}\" cy=\"{y}\" r=\"2\"/>"))
            }
            Sample::Line(look, kind) => {
                let line = format!("<polyline{} points=\"0,{y} {},{y}\"/>", look.dashes(), KEY.0);
                let marker = if kind == Kind::Course { String::new() } else { look.marker(middle, y) };
                within(look, line + &marker)
            }
            Sample::Area { look, pale } => {
                let class = if pale { "bar pale" } else { "bar" };
                let area = svg::rectangle(class, 0.0, 0.0, KEY.0, KEY.1);
                within(look, area + &look.hatching(0.0, 0.0, KEY.0, KEY.1))
            }
            Sample::Published => within(Look::neutral(), plot::published(middle, [y, y])),
            Sample::PublishedRange => within(Look::neutral(), plot::published(middle, [KEY.1 - 1.0, 1.0])),
        }
    }
}

#[cfg(test)]
mod tests;
