// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What made an application bad: the parts of it that were measured, each in the
//! measure of the application's own score, and the largest of them in words.
//!
//! A score falls by what the packets meet: the access point's queue, their station's
//! own queue, the channel, the wired line, and losses at each of these places. How much
//! each takes off is the score's own arithmetic on what the meters saw there
//! (`airtab_sim::PathTrace`), so the part that is named is the largest one.
//!
//! What it does not do: no advice, and no cause that was not measured.

use airtab_quality::{emodel, gmodel};
use airtab_sim::Leg;

use super::reason::{crowd, for_whom, half_width, held, held_by_others, ms, percent};
use crate::metric::{Direction, Metric, OfPath};
use crate::scores::{QueueScores, Scores};

const LEGS: [Leg; 3] = [Leg::Wires, Leg::Queue, Leg::Channel];
/// The meters are in s, the scores in ms.
const MS_PER_S: f64 = 1e3;
/// Attempts per frame that are worth a word: every other frame is repeated.
const REPEATS: f64 = 1.5;

/// Where packets wait or are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The access point's queue.
    AccessPoint,
    /// Their station's own queue.
    Uplink,
    /// Below the access point's queue: the driver's ring, until a packet's first attempt.
    Ring,
    /// The channel: contention and attempts.
    Channel,
    /// The wires.
    Wires,
}

impl Place {
    fn of(direction: Direction, leg: Leg) -> Place {
        match (direction, leg) {
            (_, Leg::Wires) => Place::Wires,
            (_, Leg::Channel) => Place::Channel,
            (Direction::Down, Leg::Queue) => Place::AccessPoint,
            (Direction::Up, Leg::Queue) => Place::Uplink,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Place::AccessPoint => "the access point's queue",
            Place::Uplink => "its station's uplink queue",
            Place::Ring => "the driver's ring below the queue",
            Place::Channel => "the channel",
            Place::Wires => "the wired line",
        }
    }
}

/// What packets meet at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    place: Place,
    /// Losses; else time.
    lost: bool,
    /// In the measure of the score.
    size: f64,
}

/// What takes something off a score.
pub(super) struct Parts {
    parts: Vec<Part>,
    directions: Vec<Direction>,
    /// What all of them are together.
    of: String,
}

/// Mean time of its packets on a part of their way, s; 0 where none came through.
fn time(app: &Scores, direction: Direction, leg: Leg) -> f64 {
    app.mean(Metric::of_path(direction, OfPath::mean(leg))).unwrap_or(0.0)
}

/// Of the time between the queue and reception, what its downlink packets wait in the driver's ring; 0 where none is
/// measured.
fn ring_share(app: &Scores) -> f64 {
    let below = app.mean(Metric::BelowDelay).unwrap_or(0.0);
    if below > 0.0 { (below / time(app, Direction::Down, Leg::Channel)).min(1.0) } else { 0.0 }
}

/// How the time of a part of the way is shared by places.
fn places(app: &Scores, direction: Direction, leg: Leg) -> [(Place, f64); 2] {
    let ring = match (direction, leg) {
        (Direction::Down, Leg::Channel) => ring_share(app),
        _ => 0.0,
    };
    [(Place::of(direction, leg), 1.0 - ring), (Place::Ring, ring)]
}

/// Share of its packets that is lost there.
fn loss(app: &Scores, direction: Direction, leg: Leg) -> f64 {
    app.mean(Metric::of_path(direction, OfPath::loss(leg))).unwrap_or(0.0)
}

impl Parts {
    fn new(directions: &[Direction], of: &str) -> Parts {
        Parts { parts: Vec::new(), directions: directions.to_vec(), of: of.into() }
    }

    fn add(&mut self, place: Place, lost: bool, size: f64) {
        match self.parts.iter_mut().find(|part| (part.place, part.lost) == (place, lost)) {
            Some(part) => part.size += size,
            None => self.parts.push(Part { place, lost, size }),
        }
    }

    /// What the time of a part of the way costs, at its places.
    fn add_time(&mut self, app: &Scores, direction: Direction, leg: Leg, size: f64) {
        for (place, share) in places(app, direction, leg) {
            self.add(place, false, size * share);
        }
    }

    /// Of a game: its G-model's X, from the times both ways and what varies in the worse direction.
    pub(super) fn of_game(app: &Scores) -> Parts {
        let jitter = |metric| app.mean(metric).unwrap_or(0.0);
        let worse = match jitter(Metric::UplinkJitter) > jitter(Metric::Jitter) {
            true => Direction::Up,
            false => Direction::Down,
        };
        let mut parts = Parts::new(&Direction::BOTH, "what lowers its score");
        for direction in Direction::BOTH {
            for leg in LEGS {
                let varies = app.mean(Metric::of_path(direction, OfPath::jitter(leg)));
                let varies = varies.filter(|_| direction == worse).unwrap_or(0.0);
                let x = gmodel::x(time(app, direction, leg) * MS_PER_S, varies * MS_PER_S);
                parts.add_time(app, direction, leg, x);
            }
        }
        parts
    }

    /// Of a call: what delay and losses of its worse direction take off its rating.
    pub(super) fn of_call(app: &Scores) -> Parts {
        let direction = worse_of_call(app);
        let mut parts = Parts::new(&[direction], "what lowers its score");
        let delays_ms = LEGS.map(|leg| time(app, direction, leg) * MS_PER_S);
        let taken = emodel::taken_off(delays_ms, LEGS.map(|leg| loss(app, direction, leg)));
        for (i, leg) in LEGS.into_iter().enumerate() {
            parts.add_time(app, direction, leg, taken.by_delay[i]);
            parts.add(Place::of(direction, leg), true, taken.by_loss[i]);
        }
        parts
    }

    /// Of what goes to and fro: its round trip.
    pub(super) fn of_round_trip(app: &Scores) -> Parts {
        let mut parts = Parts::new(&Direction::BOTH, "");
        for direction in Direction::BOTH {
            LEGS.iter().for_each(|leg| parts.add_time(app, direction, *leg, time(app, direction, *leg)));
        }
        parts.of = format!("its round trip of {}", ms(parts.sum(), parts.half_width(app, None)));
        parts
    }

    /// Of one direction: its delay.
    pub(super) fn of_delay(app: &Scores, direction: Direction) -> Parts {
        let mut parts = Parts::new(&[direction], "");
        LEGS.iter().for_each(|leg| parts.add_time(app, direction, *leg, time(app, direction, *leg)));
        parts.of = format!("its delay of {}", ms(parts.sum(), parts.half_width(app, None)));
        parts
    }

    /// Of one direction: its losses.
    pub(super) fn of_losses(app: &Scores, direction: Direction) -> Parts {
        let mut parts = Parts::new(&[direction], "its losses");
        LEGS.iter().for_each(|leg| parts.add(Place::of(direction, *leg), true, loss(app, direction, *leg)));
        parts
    }

    /// All of them together.
    pub(super) fn sum(&self) -> f64 {
        self.parts.iter().map(|part| part.size).sum()
    }

    /// How exact its times are, at one place or at all.
    fn half_width(&self, app: &Scores, place: Option<Place>) -> Option<f64> {
        if place == Some(Place::Ring) {
            return half_width(app, &[Metric::BelowDelay]);
        }
        let all = self.directions.iter().flat_map(|direction| LEGS.map(|leg| (*direction, leg)));
        let here =
            all.filter(|(direction, leg)| place.is_none_or(|place| place == Place::of(*direction, *leg)));
        let figures = here.map(|(direction, leg)| Metric::of_path(direction, OfPath::mean(leg)));
        half_width(app, &figures.collect::<Vec<_>>())
    }

    /// The largest part.
    fn largest(&self) -> Option<&Part> {
        self.parts.iter().filter(|part| part.size > 0.0).max_by(|a, b| a.size.total_cmp(&b.size))
    }

    /// Whether the largest part is the access point's queue.
    pub(super) fn blames_the_queue(&self) -> bool {
        self.largest().is_some_and(|part| part.place == Place::AccessPoint)
    }

    /// The largest part in words; None if nothing was measured.
    pub(super) fn words(&self, q: &QueueScores, app: &Scores) -> Option<String> {
        let part = self.largest()?;
        // What varies may take from one part what it gives to another.
        let share = percent((part.size / self.sum()).min(1.0));
        let [what, who] = self.said(q, app, part);
        Some(format!("{share} of {} is {what}{who}", self.of))
    }

    /// Where the largest part of losses is, in words, without who is to blame if `before` has said it; None if
    /// there are none.
    pub(super) fn where_lost(&self, q: &QueueScores, app: &Scores, before: &str) -> Option<String> {
        let [what, who] = self.said(q, app, self.largest()?);
        let named = who.trim_start_matches([':', ',', ' ']);
        Some(if before.contains(named) { what } else { what + &who })
    }

    /// "the channel, where a packet takes 12 ms", and " while download uses 60 % of the air".
    fn said(&self, q: &QueueScores, app: &Scores, part: &Part) -> [String; 2] {
        let sum = |of: fn(&Scores, Direction, Leg) -> f64| -> f64 {
            let all = self.directions.iter().flat_map(|direction| LEGS.map(|leg| (*direction, leg)));
            let here = all.filter(|(direction, leg)| Place::of(*direction, *leg) == part.place);
            here.map(|(direction, leg)| of(app, direction, leg)).sum()
        };
        // There each node has one queue, for both directions.
        let meshed = !q.nodes.is_empty();
        let place = match (&self.directions[..], part.place) {
            (_, Place::AccessPoint) if meshed => "the nodes' queues on the way down".into(),
            (_, Place::Uplink) if meshed => "the nodes' queues on the way up".into(),
            ([one], Place::Channel | Place::Wires) => {
                format!("{} on the way {}", part.place.words(), one.word())
            }
            _ => part.place.words().into(),
        };
        if part.lost {
            let lost = percent(sum(loss));
            let (met, who) = match part.place {
                Place::AccessPoint | Place::Uplink if meshed => {
                    (format!("which drop {lost} of its packets"), for_whom(q, app, false))
                }
                Place::AccessPoint => (format!("which drops {lost} of its packets"), for_whom(q, app, false)),
                Place::Uplink => {
                    (format!("which drops {lost} of its packets"), format!(", behind {}", ahead(q, app)))
                }
                // Of the ring no losses are measured apart.
                Place::Ring | Place::Channel => {
                    (format!("on which {lost} of its packets are lost"), self.attempts(app))
                }
                Place::Wires => (format!("which drops {lost} of its packets"), String::new()),
            };
            return [format!("{place}, {met}"), who];
        }
        let all = self.directions.iter().flat_map(|direction| LEGS.map(|leg| (*direction, leg)));
        let shared = all.flat_map(|(direction, leg)| {
            places(app, direction, leg).map(|(place, share)| (place, share * time(app, direction, leg)))
        });
        let waits = shared.filter(|(place, _)| *place == part.place).map(|(_, time)| time).sum();
        let wait = ms(waits, self.half_width(app, Some(part.place)));
        let (met, who) = match part.place {
            Place::AccessPoint if held(app).max(held_by_others(q, app)) < 1.0 => {
                ("waits", " for the air, nobody before it".into())
            }
            Place::AccessPoint => ("waits", format!(": {}", crowd(q, app))),
            Place::Uplink if meshed => ("waits", format!(": {}", crowd(q, app))),
            Place::Uplink => ("waits", format!(" behind {}", ahead(q, app))),
            Place::Ring => ("waits", format!(": {}", in_the_ring(q, app))),
            Place::Channel => ("takes", self.rivals(q, app)),
            Place::Wires => ("takes", String::new()),
        };
        [format!("{place}, where a packet {met} {wait}"), who]
    }

    /// How often its frames are sent, if that is worth a word.
    fn attempts(&self, app: &Scores) -> String {
        let of = |direction: &Direction| app.mean(Metric::of_path(*direction, OfPath::Attempts));
        match self.directions.iter().filter_map(of).max_by(f64::total_cmp) {
            Some(attempts) if attempts >= REPEATS => format!(" after {attempts:.1} attempts a frame"),
            _ => String::new(),
        }
    }

    /// Why a frame takes long once it is its turn: it is sent again and again, or others send.
    fn rivals(&self, q: &QueueScores, app: &Scores) -> String {
        let of = |direction: &Direction| app.mean(Metric::of_path(*direction, OfPath::Attempts));
        if let Some(attempts) = self.directions.iter().filter_map(of).max_by(f64::total_cmp)
            && attempts >= REPEATS
        {
            return format!(" in {attempts:.1} attempts");
        }
        let air =
            |a: &Scores| [Metric::Air, Metric::UplinkAir].iter().filter_map(|m| a.mean(*m)).sum::<f64>();
        let rival = q.apps.iter().filter(|a| a.name != app.name).max_by(|a, b| air(a).total_cmp(&air(b)));
        match rival.filter(|rival| air(rival) > air(app)) {
            Some(rival) => format!(" while {} uses {} of the air", rival.name, percent(air(rival))),
            None => String::new(),
        }
    }
}

/// The direction that a call's score is about: the worse one, if the score says so.
pub(super) fn worse_of_call(app: &Scores) -> Direction {
    let [score, down, up] =
        [Metric::VoipMos, Metric::VoipMosDownlink, Metric::VoipMosUplink].map(|metric| app.mean(metric));
    // Where the downlink alone is asked for, the score is the downlink's.
    let of_downlink = |score: f64| down.is_some_and(|down| score >= down);
    match score.is_some_and(|score| !of_downlink(score)) && emodel::second_is_worse(down, up) {
        true => Direction::Up,
        false => Direction::Down,
    }
}

/// Who holds most places of its station's uplink queue.
fn ahead<'a>(q: &'a QueueScores, app: &Scores) -> &'a str {
    let places = |a: &Scores| a.mean(Metric::UplinkPackets).unwrap_or(0.0);
    let there = q.apps.iter().filter(|a| a.station == app.station && a.name != app.name);
    let other = there.max_by(|a, b| places(a).total_cmp(&places(b)));
    match other.filter(|other| places(other) > places(app)) {
        Some(other) => &other.name,
        None => "its own packets",
    }
}

/// Whose packets are below the access point's queue.
fn in_the_ring(q: &QueueScores, app: &Scores) -> String {
    let packets = |a: &Scores| a.mean(Metric::BelowPackets).unwrap_or(0.0);
    let all: f64 = q.apps.iter().map(packets).sum();
    let most = q.apps.iter().max_by(|a, b| packets(a).total_cmp(&packets(b)));
    match most.filter(|one| packets(one) >= 0.7 * all || one.name == app.name) {
        Some(one) if one.name == app.name => {
            format!("{:.0} of the {all:.0} packets there are its own", packets(one))
        }
        Some(one) => format!("{:.0} of the {all:.0} packets there are those of {}", packets(one), one.name),
        None => format!("{all:.0} packets are there"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{app, down, queue, up, with_intervals};
    use super::*;

    /// A round trip is no more exact than the widest of its parts, a part no more than its own, the ring as what is
    /// measured below the queue.
    #[test]
    fn times_are_as_exact_as_their_parts() {
        let figures = [
            (down(OfPath::Queue), 0.1237, Some(0.02)),
            (down(OfPath::Wires), 0.0504, Some(0.001)),
            (up(OfPath::Channel), 0.0604, Some(0.3)),
        ];
        let said = |figures: &[(Metric, f64, Option<f64>)]| {
            let app = with_intervals("a", "ping", figures);
            let parts = Parts::of_round_trip(&app);
            (parts.of.clone(), parts.words(&queue(vec![app.clone()]), &app).unwrap())
        };
        let (of, words) = said(&figures);
        // 234.5 ms, to tens; 123.7 ms, to units.
        assert_eq!(of, "its round trip of 230 ms");
        assert!(words.contains("where a packet waits 124 ms"), "{words}");
        let wide =
            [(down(OfPath::Queue), 0.1237, Some(0.2)), figures[1], (up(OfPath::Channel), 0.0604, None)];
        let (of, words) = said(&wide);
        assert_eq!(of, "its round trip of 230 ms");
        assert!(words.contains("where a packet waits 120 ms"), "{words}");
        let ring = [
            (down(OfPath::Channel), 0.2346, Some(0.3)),
            (Metric::BelowDelay, 0.2, Some(0.001)),
            (Metric::BelowPackets, 5.0, None),
        ];
        let (of, words) = said(&ring);
        assert_eq!(of, "its round trip of 230 ms");
        assert!(words.contains("the driver's ring below the queue, where a packet waits 200 ms"), "{words}");
        let ring = [(down(OfPath::Channel), 0.2346, None), (Metric::BelowDelay, 0.2046, Some(0.3))];
        assert!(said(&ring).1.contains("where a packet waits 200 ms"), "{}", said(&ring).1);
    }

    /// The delay of one direction has nothing of the other one's times.
    #[test]
    fn a_delay_is_of_its_own_direction() {
        let figures = [(down(OfPath::Wires), 0.02), (up(OfPath::Channel), 0.05), (up(OfPath::Attempts), 2.0)];
        let app = app("a", "trace", &figures);
        let words =
            |direction| Parts::of_delay(&app, direction).words(&queue(vec![app.clone()]), &app).unwrap();
        assert_eq!(
            words(Direction::Down),
            "100 % of its delay of 20 ms is the wired line on the way down, where a packet takes 20 ms"
        );
        assert_eq!(
            words(Direction::Up),
            "100 % of its delay of 50 ms is the channel on the way up, where a packet takes 50 ms in 2.0 attempts"
        );
    }

    /// Packets below the queue are those of all applications; the most of them are named with their owner.
    #[test]
    fn whose_packets_are_in_the_ring() {
        let with = |name: &str, packets: f64| app(name, "download", &[(Metric::BelowPackets, packets)]);
        let said = |own: f64, a: f64, b: f64| {
            in_the_ring(&queue(vec![with("a", a), with("own", own), with("b", b)]), &with("own", own))
        };
        assert_eq!(said(1.0, 2.0, 27.0), "27 of the 30 packets there are those of b");
        assert_eq!(said(1.0, 27.0, 2.0), "27 of the 30 packets there are those of a");
        assert_eq!(said(12.0, 8.0, 10.0), "12 of the 30 packets there are its own");
        assert_eq!(said(8.0, 10.0, 12.0), "30 packets are there");
    }
}
