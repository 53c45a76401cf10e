// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One picture: header, air, tables, classes, scores, blame, pace, keys, from top to bottom.
//!
//! Where there is little room, parts are left out; nothing is drawn outside.
//! Colour never says anything that words and signs do not.
//!
//! What it does not do: it keeps nothing from one picture to the next.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Row, Table, Wrap};

use super::table::{Column, fitting, flows, sorted, stations};
use super::{Shown, State};
use crate::blame::{blame, suffers};
use crate::snapshot::{ColumnView, OutcomeView, Pace, Snapshot};
use crate::text::{class, clock, percent, seconds};

/// From this height on there is room for both tables.
const BOTH: u16 = 30;
/// From this width on the air has its words in full.
const WIDE: u16 = 70;
const NAME: Style = Style::new().add_modifier(Modifier::BOLD);
const QUIET: Style = Style::new().fg(Color::DarkGray);
const WARNING: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);

const HELP: &str = "\
q  Esc     quit
f  Tab     stations or flows
s          sort by the next column
up, down   scroll
p  space   pause, go on
?  h       this page

down, up   traffic to and from a station
air        share of the channel's time
p50, p99   time in the access point's queue:
           half, 99 % of packets wait less
queue      packets that wait there
tries      attempts for a frame
J          evenness of stations' air";

/// Draws a snapshot.
pub(super) fn draw(frame: &mut Frame, s: &Snapshot, state: &State) {
    let area = frame.area();
    let (width, height) = (area.width, area.height);
    let blame = blame(s);
    let rows = |text: &str, most: u16| (text.chars().count() as u16).div_ceil(width.max(1)).clamp(1, most);
    let scores = scores(s);
    let scores_text: String = scores.iter().map(|span| span.content.as_ref()).collect();
    let most = if height >= 16 { 3 } else { 1 };
    let classes = class_lines(s, if height >= 16 { usize::from(height) / 4 } else { 0 });
    let parts = [
        Constraint::Length(1),
        Constraint::Length(2),
        Constraint::Min(0),
        Constraint::Length(classes.len() as u16),
        Constraint::Length(if scores.is_empty() { 0 } else { rows(&scores_text, most) }),
        // A word that does not fit leaves room at the end of its line: one row more.
        Constraint::Length((rows(&blame.text, 4) + 1).min(most + 1)),
        Constraint::Length(1),
        Constraint::Length(1),
    ];
    let [header, air, tables, class_area, apps, blame_area, pace, keys] = Layout::vertical(parts).areas(area);
    frame.render_widget(header_line(s, state), header);
    draw_air(frame, s, air);
    draw_tables(frame, s, state, tables);
    frame.render_widget(Paragraph::new(classes), class_area);
    frame.render_widget(Paragraph::new(Line::from(scores)).wrap(Wrap { trim: true }), apps);
    let style = if blame.trouble { WARNING } else { NAME };
    frame.render_widget(Paragraph::new(blame.text).style(style).wrap(Wrap { trim: true }), blame_area);
    frame.render_widget(pace_line(&s.pace), pace);
    let (other, sort) = match state.shown {
        Shown::Stations => ("flows", head(&stations(), state.sort_stations)),
        Shown::Flows => ("stations", head(&flows(&s.qdisc.columns), state.sort_flows)),
    };
    let words = match width < WIDE {
        true => format!("q quit f {other} s sort p pause ? help"),
        false => format!("q quit  f {other}  s sort (by {sort})  p pause  ? help"),
    };
    frame.render_widget(Line::styled(words, QUIET), keys);
    if state.help {
        draw_help(frame, &s.qdisc.columns, area);
    }
}

/// Head of the column that sorts.
fn head<T>(columns: &[Column<T>], sort: usize) -> String {
    columns[sort % columns.len()].head.to_string()
}

fn header_line(s: &Snapshot, state: &State) -> Line<'static> {
    let mut spans = vec![
        Span::styled(format!("airtab {}", s.house), NAME),
        Span::raw(format!("  {}  {}  {}", clock(s.now_s), s.queue, s.medium)),
    ];
    if state.paused {
        spans.insert(1, Span::styled("  PAUSED", WARNING));
    }
    Line::from(spans)
}

fn draw_air(frame: &mut Frame, s: &Snapshot, area: Rect) {
    let air = &s.air;
    let parts = [
        (air.down_ratio, "█", "down", Color::Blue),
        (air.up_ratio, "▓", "up", Color::Cyan),
        (air.collision_ratio, "x", "collisions", Color::Red),
        (air.beacon_ratio, "b", "beacons", Color::Magenta),
        (air.idle_ratio, "·", "idle", Color::DarkGray),
    ];
    let [bar, words] = Layout::vertical([Constraint::Length(1), Constraint::Length(1)]).areas(area);
    let (mut spans, mut sum, mut drawn) = (Vec::new(), 0.0, 0);
    for (ratio, sign, _, colour) in parts {
        sum += ratio;
        let end = (sum.clamp(0.0, 1.0) * f64::from(bar.width)).round() as usize;
        spans.push(sign.repeat(end.saturating_sub(drawn)).fg(colour));
        drawn = drawn.max(end);
    }
    frame.render_widget(Line::from(spans), bar);
    let wide = words.width >= WIDE;
    let mut spans = vec![if wide { "air  ".into() } else { Span::raw("") }];
    for (ratio, sign, name, colour) in parts {
        // A few percent of beacons are no news where there is no room.
        if wide || sign != "b" {
            spans.push(sign.fg(colour));
            let name = if wide { format!(" {name} ") } else { " ".into() };
            spans.push(Span::raw(format!("{name}{}  ", percent(ratio))));
        }
    }
    if let Some(jain) = s.air.stations_jain_ratio.filter(|_| wide) {
        spans.push(Span::styled(format!("stations J {jain:.2}"), QUIET));
    }
    frame.render_widget(Line::from(spans), words);
}

fn draw_tables(frame: &mut Frame, s: &Snapshot, state: &State, area: Rect) {
    let (mut upper, mut lower) = (area, Rect::ZERO);
    if frame.area().height >= BOTH {
        let rows = (s.stations.len() as u16).saturating_add(2).min(area.height / 2);
        [upper, lower] = Layout::vertical([Constraint::Length(rows), Constraint::Min(0)]).areas(area);
    } else if state.shown == Shown::Flows {
        (upper, lower) = (Rect::ZERO, area);
    }
    let focus = |shown| if state.shown == shown { state.offset } else { 0 };
    draw_table(frame, &s.stations, &stations(), state.sort_stations, focus(Shown::Stations), upper);
    draw_table(frame, &s.flows, &flows(&s.qdisc.columns), state.sort_flows, focus(Shown::Flows), lower);
}

fn draw_table<T>(
    frame: &mut Frame,
    items: &[T],
    columns: &[Column<T>],
    sort: usize,
    offset: usize,
    area: Rect,
) {
    if area.is_empty() {
        return;
    }
    let sort = sort % columns.len();
    let chosen = fitting(columns, area.width, sort);
    let last = |i: usize| *chosen.last().expect("one fits always") == i;
    let cell = |i: usize, text: String| {
        let width = usize::from(columns[i].width);
        // Names from the left, numbers from the right.
        Line::from(if columns[i].is_name() { format!("{text:<width$}") } else { format!("{text:>width$}") })
    };
    let heads = chosen.iter().map(|&i| {
        let head = cell(i, columns[i].head.to_string());
        if i == sort { head.style(Modifier::UNDERLINED) } else { head }
    });
    let offset = offset.min(items.len().saturating_sub(1));
    let rows = sorted(items, columns, sort)
        .into_iter()
        .skip(offset)
        .map(|item| Row::new(chosen.iter().map(|&i| cell(i, (columns[i].text)(item))).collect::<Vec<_>>()));
    // Room that is left goes to the first column: names of flows can be long.
    let widths = chosen.iter().map(|&i| match i {
        0 if !last(0) => Constraint::Min(columns[0].width),
        i => Constraint::Length(columns[i].width),
    });
    let table = Table::new(rows, widths.collect::<Vec<_>>()).header(Row::new(heads).style(QUIET));
    frame.render_widget(table.column_spacing(1), area);
}

/// Those of the discipline's classes that have anything, at most so many.
fn class_lines(s: &Snapshot, most: usize) -> Vec<Line<'static>> {
    let active = s.qdisc.classes.classes.iter().filter(|class| class.is_active());
    active.take(most).map(|own| Line::raw(class(own))).collect()
}

fn scores(s: &Snapshot) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for app in &s.apps {
        let Some(score) = &app.score else { continue };
        let (sign, style) = match suffers(app) {
            Some(true) => ("!", WARNING),
            _ => ("", Style::new()),
        };
        spans.push(Span::styled(format!("{}{sign} ", app.name), style));
        spans.push(Span::styled(score.text.clone(), NAME));
        spans.push(Span::raw("  "));
    }
    for text in s.outcomes.iter().filter_map(OutcomeView::text) {
        spans.push(Span::styled(text + "  ", QUIET));
    }
    spans
}

fn pace_line(pace: &Pace) -> Line<'static> {
    let late = seconds(pace.late_p99_s);
    if pace.late_p99_s > Pace::BEHIND_S {
        let text = format!("BEHIND: 1 packet in 100 over {late} late; this machine is too slow or too busy");
        return Line::styled(text, WARNING);
    }
    let text = format!(
        "on time: 99 % of packets within {late}, {} behind so far, {} of a processor",
        pace.behind,
        percent(pace.cpu_ratio)
    );
    Line::styled(text, QUIET)
}

fn draw_help(frame: &mut Frame, columns: &[ColumnView], area: Rect) {
    let own = columns.iter().map(|column| format!("\n{:<10} {}", column.name, column.help));
    let help = HELP.to_owned() + &own.collect::<String>();
    let width = help.lines().map(|line| line.chars().count()).max().unwrap_or(0) as u16 + 4;
    let height = help.lines().count() as u16 + 2;
    let (w, h) = (width.min(area.width), height.min(area.height));
    let page = Rect::new(area.x + (area.width - w) / 2, area.y + (area.height - h) / 2, w, h);
    frame.render_widget(Clear, page);
    frame.render_widget(Paragraph::new(help).block(Block::bordered().title(" keys and columns ")), page);
}
