// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The packets of a capture, sent again: `trace`.
//!
//! It is scored by the 99th percentile of its packets' delay and by its losses, both of the worse direction. Each packet has a record, so that
//! goodput, delay and jitter of each direction are figures, too. Nothing reacts: how much of it was TCP's is a figure as well.
//!
//! What it does not do: when packets are sent is `airtab_sim::traffic::trace`'s, what a capture says is `capture_file`'s.

use std::net::IpAddr;

use airtab_core::Unit;
use airtab_core::time::SECOND;
use airtab_quality::Window;
use airtab_sim::AppTrace;
use airtab_sim::traffic::Replay;

use super::cause::Parts;
use super::mpeg::millionths;
use super::reason::{NOTABLE_LOSS, SILENT, percent};
use super::{Context, Described, Score, score};
use crate::capture_file::{self, Replayed, Unusable};
use crate::digits::count;
use crate::measure::{Figures, add_stream, add_upload};
use crate::metric::{Direction, Metric, OfPath};
use crate::reader::{Problem, Section, Value, number, quantity, text};
use crate::scores::{QueueScores, Scores};

/// Times that a capture may be sent.
const MOST_ROUNDS: u32 = 1_000_000;

impl Described for Replay {
    const KEYS: &'static [&'static str] = &["file", "client", "repeat", "scale", "gap", "phase"];
    const COLUMNS: &'static [Metric] = &[
        Metric::WorseDelayP99,
        Metric::WorseLoss,
        Metric::Loss,
        Metric::UplinkLoss,
        Metric::Goodput,
        Metric::UplinkGoodput,
        Metric::Delay,
        Metric::UplinkDelay,
        Metric::Jitter,
        Metric::UplinkJitter,
        Metric::QueueDelayP99,
    ];
    const SCORE: Score = score::LATE;
    const ALSO: &'static [(Metric, Score)] = &[(Metric::WorseLoss, score::LOST_OF_WORSE)];

    fn read(s: &Section, context: &Context) -> Option<Replay> {
        let file = s.require("file", text);
        let client = s.require("client", |v| {
            let wrong = |_| format!("'{}' is not an IP address, such as 192.168.1.5", v.written);
            text(v)?.parse().map(|address: IpAddr| address.to_canonical()).map_err(wrong)
        });
        let scale = s.read("scale", number(0.001..=1000.0, "a number such as 2"));
        let rounds = s.read("repeat", read_rounds);
        let gap_ns = s.read("gap", quantity(Unit::Ns, 0..=3600 * SECOND));
        let once = read_capture(s, context, &file?, client?)?;
        Some(Replay {
            scale_ppm: scale.map_or(once.scale_ppm, millionths),
            rounds: rounds.unwrap_or(once.rounds),
            gap_ns,
            ..once
        })
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        add_stream(f, seen);
        // Nothing answers: there is no round trip.
        f.remove(&Metric::Ping);
        let [down, up] = [false, true].map(|up| self.packets.count(up));
        if up > 0 {
            add_upload(f, seen, window);
        }
        if down == 0 {
            f.extend(f.get(&Metric::UplinkGoodput).copied().map(|x| (Metric::Goodput, x)));
            f.extend(f.get(&Metric::UplinkIpThroughput).copied().map(|x| (Metric::IpThroughput, x)));
            f.extend(f.get(&Metric::UplinkLoss).copied().map(|x| (Metric::Loss, x)));
        }
        let worse = |metrics: [Metric; 2]| {
            metrics.iter().filter_map(|metric| f.get(metric).copied()).reduce(f64::max)
        };
        let p99 = Direction::BOTH.map(|direction| Metric::of_path(direction, OfPath::Percentile(99)));
        let judged = [(Metric::WorseDelayP99, p99), (Metric::WorseLoss, [Metric::Loss, Metric::UplinkLoss])];
        let judged = judged.map(|(metric, of)| Some((metric, worse(of)?)));
        f.extend(judged.into_iter().flatten());
        f.insert(Metric::ReplayedTcp, self.tcp as f64 / (down + up) as f64);
    }

    /// Of the direction that loses more; where neither does, of the slower one.
    fn reason(q: &QueueScores, app: &Scores) -> String {
        let [down, up] = [Metric::Loss, Metric::UplinkLoss].map(|metric| app.mean(metric));
        let [delay, up_delay] = [Metric::Delay, Metric::UplinkDelay].map(|metric| app.mean(metric));
        if down.is_none() && up.is_none() {
            return SILENT.into();
        }
        let way = |up| if up { Direction::Up } else { Direction::Down };
        // What goes up alone has the way up's losses as its own.
        let lost = Parts::of_losses(app, way(up > down || (up == down && delay.is_none()))).words(q, app);
        let notable = [down, up].into_iter().flatten().any(|loss| loss > NOTABLE_LOSS);
        let cause = if notable { lost } else { Parts::of_delay(app, way(up_delay > delay)).words(q, app) };
        let cause = cause.unwrap_or("all of it is on its way still".into());
        match app.mean(Metric::ReplayedTcp).filter(|share| *share > 0.0) {
            Some(share) => {
                format!("{cause} ({} of its packets were TCP's, and nothing reacts now)", percent(share))
            }
            None => cause,
        }
    }

    fn words(&self) -> String {
        format!("packets of a capture{}", mbps(self).map_or(String::new(), |rates| format!(", {rates}")))
    }

    /// What it is like, so that a wrong client or a wrong file is seen.
    fn note(&self, active_ns: u64) -> Option<String> {
        let n = self.packets.list().len();
        let length_ns = self.offset_ns(n - 1).unwrap_or(u64::MAX);
        let mut said = format!("{}, {} s", count(n, "packet"), (length_ns as f64 / 1e7).round() / 100.0);
        said += &mbps(self).map_or(String::new(), |rates| format!(", {rates}"));
        match self.rounds {
            None => said += "; sent again and again",
            Some(1) if length_ns < active_ns => said += "; nothing is sent after them",
            Some(1) => {}
            Some(rounds) => said += &format!("; sent {rounds} times"),
        }
        if self.tcp > 0 {
            said += &format!("; {} of them TCP's, sent as they were: nothing reacts", self.tcp);
        }
        if self.others > 0 {
            let others = count(self.others as usize, "frame");
            said += &format!("; left out are {others} without IP or not of the client");
        }
        Some(said)
    }
}

/// "0.08 Mb/s down and 0.08 up": over the packets and one mean gap; None of one moment.
fn mbps(own: &Replay) -> Option<String> {
    let list = own.packets.list();
    let n = list.len() as f64;
    let length_s = own.offset_ns(list.len() - 1).filter(|ns| *ns > 0)? as f64 * 1e-9 * n / (n - 1.0);
    let of = |up| list.iter().filter(|p| p.up == up).map(|p| f64::from(p.bytes) * 8e-6).sum::<f64>();
    Some(format!("{:.2} Mb/s down and {:.2} up", of(false) / length_s, of(true) / length_s))
}

/// `repeat`: how often it is sent; None: again and again.
fn read_rounds(v: &Value) -> Result<Option<u32>, String> {
    let known = 1..=MOST_ROUNDS;
    match (v.value.as_bool(), v.written.replace('_', "").parse::<u32>()) {
        (Some(true), _) => Ok(None),
        (Some(false), _) => Ok(Some(1)),
        (None, Ok(n)) if v.value.is_integer() && known.contains(&n) => Ok(Some(n)),
        _ => Err(format!(
            "'{}' is not how often it is sent: true (again and again), false (once) or 1 to {MOST_ROUNDS}",
            v.written
        )),
    }
}

/// What the capture `name` has of `client`, once.
fn read_capture(s: &Section, context: &Context, name: &str, client: IpAddr) -> Option<Replay> {
    let path = context.folder.path(name);
    let file = path.display().to_string();
    let opened = context.folder.open(&path, "a capture (pcap or pcapng)");
    let opened = opened.map_err(|reason| s.problem_of("file", &format!("{file}: {reason}"))).ok()?;
    match capture_file::read(opened, client) {
        Ok(Replayed { packets, tcp, others, warnings }) => {
            warnings.iter().for_each(|warning| s.warn_of("file", &format!("{file}: {warning}")));
            Some(Replay { tcp, others, ..Replay::once(packets) })
        }
        Err(Unusable::Client(message)) => {
            s.problem_of("client", &format!("{file}: {message}"));
            None
        }
        Err(Unusable::File(message)) => {
            s.problem_elsewhere("file", Problem::of_file(&file, message));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{app, down, queue, up};
    use super::*;

    /// The direction that loses more is told; where neither loses a notable part, the slower one.
    #[test]
    fn the_worse_direction_is_told() {
        let of = |losses: [f64; 2], delays_ms: [f64; 2], tcp: f64| {
            let figures = [
                (Metric::Loss, losses[0]),
                (Metric::UplinkLoss, losses[1]),
                (down(OfPath::WiresLoss), losses[0]),
                (up(OfPath::ChannelLoss), losses[1]),
                (Metric::Delay, delays_ms[0] * 1e-3),
                (Metric::UplinkDelay, delays_ms[1] * 1e-3),
                (down(OfPath::Wires), delays_ms[0] * 1e-3),
                (up(OfPath::Channel), delays_ms[1] * 1e-3),
                (Metric::ReplayedTcp, tcp),
            ];
            let app = app("a", "trace", &figures);
            <Replay as Described>::reason(&queue(vec![app.clone()]), &app)
        };
        let down = "100 % of its losses is the wired line on the way down, which drops 5.0 % of its packets";
        let up = "100 % of its losses is the channel on the way up, on which 5.0 % of its packets are lost";
        assert_eq!(of([0.05, 0.02], [1.0, 9.0], 0.0), down);
        assert_eq!(of([0.02, 0.05], [9.0, 1.0], 0.0), up);
        assert_eq!(of([0.05, 0.05], [1.0, 9.0], 0.0), down, "as much is not more");
        assert_eq!(of([0.0, 0.05], [9.0, 1.0], 0.0), up);
        let slow_down =
            "100 % of its delay of 30 ms is the wired line on the way down, where a packet takes 30 ms";
        let slow_up = "100 % of its delay of 40 ms is the channel on the way up, where a packet takes 40 ms";
        assert_eq!(of([0.005, 0.009], [30.0, 20.0], 0.0), slow_down);
        assert_eq!(of([0.01, 0.0], [30.0, 40.0], 0.0), slow_up, "1 % is not notable");
        let told = " (25 % of its packets were TCP's, and nothing reacts now)";
        assert_eq!(of([0.0; 2], [30.0, 40.0], 0.25), format!("{slow_up}{told}"));
        let silent = app("a", "trace", &[(Metric::ReplayedTcp, 0.5)]);
        assert_eq!(<Replay as Described>::reason(&queue(Vec::new()), &silent), SILENT);
        let under_way = app("a", "trace", &[(Metric::Loss, 0.0)]);
        assert_eq!(
            <Replay as Described>::reason(&queue(Vec::new()), &under_way),
            "all of it is on its way still"
        );
    }
}
