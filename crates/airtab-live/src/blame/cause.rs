// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What an application suffers from: what its own packets met, each part in the measure of its own
//! score, and the largest of them in words.
//!
//! A game's score falls by its G-model's X, a call's by what delay and losses of its worse direction
//! take off its E-model's R, a video's by losses of its downlink, or else its delay; pages and
//! streams wait for round trips and servers. The arithmetic is `airtab_quality`'s, as in `airtab
//! compare`.
//!
//! What it does not do: no advice, and no cause that was not measured. How often a page or a film goes
//! to and fro, and how much longer losses make that, is not known: losses of theirs are told beside.

use airtab_quality::{emodel, gmodel};
use airtab_scenario::Metric;

use crate::snapshot::{AppView, Parts, PathView};
use crate::text::{percent, seconds};

/// The path's times are in s, the scores in ms.
const MS_PER_S: f64 = 1e3;
/// Smaller shares of lost packets are not told beside.
const NOTABLE_LOSS: f64 = 0.01;

/// Where packets wait or are lost.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Server,
    Wires,
    Queue,
    Ring,
    Uplink,
    Air,
}

impl Place {
    fn words(self) -> &'static str {
        match self {
            Place::Server => "the servers",
            Place::Wires => "the wired line",
            Place::Queue => "the Wi-Fi queue",
            Place::Ring => "the driver's ring below the queue",
            Place::Uplink => "its station's own queue",
            Place::Air => "the air",
        }
    }
}

/// What is met at a place: time, s, or losses, as a share of the packets.
struct Part {
    place: Place,
    lost: bool,
    amount: f64,
    /// In the measure of the score.
    size: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Down,
    Up,
}

impl Way {
    fn word(self) -> &'static str {
        match self {
            Way::Down => "down",
            Way::Up => "up",
        }
    }

    fn of(self, app: &AppView) -> &PathView {
        match self {
            Way::Down => &app.down,
            Way::Up => &app.up,
        }
    }

    /// Something for each part of the way.
    fn each<T: Copy>(self, of: &Parts<T>) -> [(Place, T); 3] {
        let queue = if self == Way::Up { Place::Uplink } else { Place::Queue };
        [(Place::Wires, of.wires), (queue, of.queue), (Place::Air, of.channel)]
    }

    /// Shares of its packets that are lost, by place.
    fn losses(self, app: &AppView) -> [(Place, f64); 3] {
        let path = self.of(app);
        let ended = path.arrived + path.lost();
        self.each(&path.lost).map(|(place, n)| (place, if ended > 0 { n as f64 / ended as f64 } else { 0.0 }))
    }
}

/// Parts, those of one place and sort together.
#[derive(Default)]
struct Sizes(Vec<Part>);

impl Sizes {
    fn add(&mut self, place: Place, lost: bool, amount: f64, size: f64) {
        match self.0.iter_mut().find(|part| (part.place, part.lost) == (place, lost)) {
            Some(part) => (part.amount, part.size) = (part.amount + amount, part.size + size),
            None => self.0.push(Part { place, lost, amount, size }),
        }
    }

    /// Time at a place one way: what is below the queue is the ring's and the air's.
    fn time(&mut self, app: &AppView, way: Way, place: Place, s: f64, size: f64) {
        let ring = if place == Place::Air { way.of(app).ring_share() } else { 0.0 };
        if ring > 0.0 {
            self.add(Place::Ring, false, s * ring, size * ring);
        }
        self.add(place, false, s * (1.0 - ring), size * (1.0 - ring));
    }

    /// Mean times one way as they are.
    fn delays(&mut self, app: &AppView, way: Way) {
        way.each(&way.of(app).mean_s).into_iter().for_each(|(place, s)| self.time(app, way, place, s, s));
    }

    fn losses(&mut self, app: &AppView, way: Way) {
        way.losses(app).into_iter().for_each(|(place, share)| self.add(place, true, share, share));
    }

    /// The largest part, and its share of all; None if nothing was measured.
    fn largest(&self) -> Option<(&Part, f64)> {
        let part = self.0.iter().max_by(|a, b| a.size.total_cmp(&b.size)).filter(|part| part.size > 0.0)?;
        // What varies may take from one part what it gives to another.
        let sum: f64 = self.0.iter().map(|part| part.size).sum();
        Some((part, (part.size / sum).min(1.0)))
    }
}

/// What follows "suffers".
pub(super) fn cause(app: &AppView, server_s: f64) -> String {
    let metric = app.score.as_ref().and_then(|score| Metric::named(&score.metric));
    let (ways, sizes): (&[Way], Sizes) = match metric {
        Some(Metric::GameMos) => (&[Way::Down, Way::Up], of_game(app)),
        Some(Metric::VoipMos | Metric::VoipMosG107) => match worse_of_call(app) {
            Way::Down => (&[Way::Down], of_call(app, Way::Down)),
            Way::Up => (&[Way::Up], of_call(app, Way::Up)),
        },
        Some(Metric::FrameRate) => (&[Way::Down], of_video(app)),
        _ => (&[Way::Down, Way::Up], of_round_trip(app, server_s)),
    };
    if let Some(way) = ways.iter().find(|way| way.of(app).arrived == 0 && way.of(app).lost() > 0) {
        let mut lost = Sizes::default();
        lost.losses(app, *way);
        let (part, share) = lost.largest().expect("something is lost");
        let (way, share, place) = (way.word(), percent(share), part.place.words());
        return format!(", nothing of it arrives on the way {way}: {share} of its losses are in {place}");
    }
    let Some((part, share)) = sizes.largest() else {
        return ", and none of its packets was seen on the way".into();
    };
    let place = match (ways, part.place) {
        ([one], Place::Air | Place::Wires) => format!("{} on the way {}", part.place.words(), one.word()),
        _ => part.place.words().into(),
    };
    let share = percent(share);
    if part.lost {
        return format!(", {share} of it from losses in {place} ({} of its packets)", percent(part.amount));
    }
    let beside =
        if metric == Some(Metric::FrameRate) { String::new() } else { lost_beside(app, ways, &sizes) };
    format!(", {share} of it from {place} ({}){beside}", seconds(part.amount))
}

/// X = 0.104 ping + what varies in the worse direction.
fn of_game(app: &AppView) -> Sizes {
    let varies = |way: Way| {
        let (mean, least) = (way.each(&way.of(app).mean_s), way.each(&way.of(app).least_s));
        [0, 1, 2].map(|i| mean[i].1 - least[i].1)
    };
    let sum = |way| varies(way).iter().sum::<f64>();
    let worse = if !app.down_alone && sum(Way::Up) > sum(Way::Down) { Way::Up } else { Way::Down };
    let mut sizes = Sizes::default();
    for way in [Way::Down, Way::Up] {
        let jitter = if way == worse { varies(way) } else { [0.0; 3] };
        for ((place, s), jitter) in way.each(&way.of(app).mean_s).into_iter().zip(jitter) {
            sizes.time(app, way, place, s, gmodel::x(s * MS_PER_S, jitter * MS_PER_S));
        }
    }
    sizes
}

/// What delay and losses one way take off R.
fn of_call(app: &AppView, way: Way) -> Sizes {
    let (times, losses) = (way.each(&way.of(app).mean_s), way.losses(app));
    let taken = emodel::taken_off(times.map(|(_, s)| s * MS_PER_S), losses.map(|(_, share)| share));
    let mut sizes = Sizes::default();
    for ((place, s), size) in times.into_iter().zip(taken.by_delay) {
        sizes.time(app, way, place, s, size);
    }
    for ((place, share), size) in losses.into_iter().zip(taken.by_loss) {
        sizes.add(place, true, share, size);
    }
    sizes
}

/// A frame arrives whole, or not: losses, or else its delay.
fn of_video(app: &AppView) -> Sizes {
    let mut sizes = Sizes::default();
    match app.down.lost() {
        0 => sizes.delays(app, Way::Down),
        _ => sizes.losses(app, Way::Down),
    }
    sizes
}

fn of_round_trip(app: &AppView, server_s: f64) -> Sizes {
    let mut sizes = Sizes::default();
    sizes.add(Place::Server, false, server_s, server_s);
    [Way::Down, Way::Up].into_iter().for_each(|way| sizes.delays(app, way));
    sizes
}

/// The direction that a call's score is about: the worse one.
fn worse_of_call(app: &AppView) -> Way {
    let score = app.score.as_ref();
    match score.is_some_and(|score| emodel::second_is_worse(score.down, score.up)) {
        true => Way::Up,
        false => Way::Down,
    }
}

/// Losses of a score that does not tell them: the largest.
fn lost_beside(app: &AppView, ways: &[Way], sizes: &Sizes) -> String {
    if sizes.0.iter().any(|part| part.lost) {
        return String::new();
    }
    let all = ways.iter().flat_map(|way| way.losses(app));
    match all.max_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((place, share)) if share > NOTABLE_LOSS => {
            format!("; {} of its packets are lost in {}", percent(share), place.words())
        }
        _ => String::new(),
    }
}
