// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures of one direction of an application's packets: how long they took from
//! end to end, which parts of their way took how much of it, where they were lost, and
//! what TCP sent again.
//!
//! What it does not do: it computes none of them (that is `measure`).

use airtab_sim::Leg;

use super::{Metric, Row, Sense};

/// A figure of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathFigure {
    direction: Direction,
    of: OfPath,
}

/// Where packets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From a server to a station.
    Down,
    /// From a station to a server.
    Up,
}

/// What is said of a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OfPath {
    /// One-way delay that so many per cent of its packets did not exceed, s: one of [`OfPath::PERCENTILES`].
    Percentile(u8),
    /// Mean time on the wires, s.
    Wires,
    /// Mean time in the queue before the air, s: down the access point's, up its station's.
    Queue,
    /// Mean time between that queue and reception, s: contention and every attempt.
    Channel,
    /// What the wires add to its mean delay beyond its least, s.
    WiresJitter,
    /// What the queue adds to it, s.
    QueueJitter,
    /// What the channel adds to it, s.
    ChannelJitter,
    /// Packets dropped on the wires, share of those sent.
    WiresLoss,
    /// Packets that the queue dropped, share of those sent.
    QueueLoss,
    /// Packets given up on the air, share of those sent.
    ChannelLoss,
    /// Attempts of a frame, mean.
    Attempts,
    /// TCP segments with data that were sent again.
    Retransmits,
    /// The same, share of all that were sent.
    RetransmitRatio,
    /// Expiries of TCP's retransmission timer.
    Timeouts,
    /// TCP's smoothed round-trip time, mean over the acknowledgements of new data, s.
    SmoothedRtt,
    /// Most segments that one connection sent again.
    MostRetransmits,
    /// Most timeouts of one connection.
    MostTimeouts,
    /// Least time from one arrival to the next, s; with `arrivals` alone, as the six that follow.
    GapLeast,
    /// The mean of these times, s.
    GapMean,
    /// The greatest of them, s.
    GapMost,
    /// Peaks in their histogram.
    GapPeaks,
    /// Mean distance of a peak from the next one, s.
    GapSpacing,
    /// The peak with the fewest of them, share of all.
    GapPeakLeast,
    /// The peak with the most of them, share of all.
    GapPeakMost,
}

use OfPath::*;

impl Direction {
    /// Both.
    pub const BOTH: [Direction; 2] = [Direction::Down, Direction::Up];

    /// In names and labels.
    pub fn word(self) -> &'static str {
        match self {
            Direction::Down => "down",
            Direction::Up => "up",
        }
    }
}

impl OfPath {
    /// Percentiles that are told.
    pub const PERCENTILES: [u8; 4] = [50, 90, 95, 99];

    /// Mean time on a part of the way.
    pub fn mean(leg: Leg) -> OfPath {
        match leg {
            Leg::Wires => Wires,
            Leg::Queue => Queue,
            Leg::Channel => Channel,
        }
    }

    /// What a part of the way adds to the mean delay beyond the least.
    pub fn jitter(leg: Leg) -> OfPath {
        match leg {
            Leg::Wires => WiresJitter,
            Leg::Queue => QueueJitter,
            Leg::Channel => ChannelJitter,
        }
    }

    /// Packets lost on a part of the way.
    pub fn loss(leg: Leg) -> OfPath {
        match leg {
            Leg::Wires => WiresLoss,
            Leg::Queue => QueueLoss,
            Leg::Channel => ChannelLoss,
        }
    }
}

impl Metric {
    /// A figure of one direction.
    pub const fn of_path(direction: Direction, of: OfPath) -> Metric {
        Metric::Path(PathFigure { direction, of })
    }
}

/// What tables show of packets that go both ways at a constant rate, behind their score: the one-way delays' medians and
/// one packet in a hundred, the waits in the access point's queue, the losses.
const OF_STREAM: [Metric; 8] = [
    Metric::of_path(Direction::Down, Percentile(50)),
    Metric::of_path(Direction::Down, Percentile(99)),
    Metric::of_path(Direction::Up, Percentile(50)),
    Metric::of_path(Direction::Up, Percentile(99)),
    Metric::QueueDelayP50,
    Metric::QueueDelayP99,
    Metric::Loss,
    Metric::UplinkLoss,
];

/// These scores, and so much of that as makes `ALL` columns.
pub(crate) const fn stream_columns<const ALL: usize>(scores: &[Metric]) -> [Metric; ALL] {
    let mut all = [scores[0]; ALL];
    let mut i = 1;
    while i < ALL {
        all[i] = if i < scores.len() { scores[i] } else { OF_STREAM[i - scores.len()] };
        i += 1;
    }
    all
}

/// Every figure of both directions.
pub(super) fn rows() -> Vec<Row> {
    let legs = [Leg::Wires, Leg::Queue, Leg::Channel];
    let figures = OfPath::PERCENTILES.map(Percentile).into_iter();
    let figures = figures.chain(legs.map(OfPath::mean)).chain(legs.map(OfPath::jitter));
    let figures = figures.chain(legs.map(OfPath::loss)).chain([Attempts]);
    let figures = figures.chain([Retransmits, RetransmitRatio, Timeouts, SmoothedRtt]);
    let figures = figures.chain([MostRetransmits, MostTimeouts]);
    let figures =
        figures.chain([GapLeast, GapMean, GapMost, GapPeaks, GapSpacing, GapPeakLeast, GapPeakMost]);
    let row = |direction: Direction, of: OfPath| {
        let word = direction.word();
        let (name, label) = names(of);
        let (factor, decimals, sense) = match of {
            Percentile(_) => (1e3, 2, Sense::Lower),
            WiresLoss | QueueLoss | ChannelLoss | RetransmitRatio => (1e2, 2, Sense::Lower),
            Attempts => (1.0, 2, Sense::Lower),
            // Who is served less sends less again.
            Retransmits | MostRetransmits => (1.0, 0, Sense::Neither),
            Timeouts | MostTimeouts => (1.0, 1, Sense::Neither),
            GapLeast | GapMean | GapMost | GapSpacing => (1e6, 1, Sense::Neither),
            GapPeaks => (1.0, 0, Sense::Neither),
            GapPeakLeast | GapPeakMost => (1e2, 2, Sense::Neither),
            _ => (1e3, 2, Sense::Neither),
        };
        // Once for each: they are as long there as the program.
        let (name, label) = (format!("{word}_{name}").leak(), format!("{word} {label}").leak());
        (Metric::of_path(direction, of), &*name, &*label, factor, decimals, sense)
    };
    figures.flat_map(|of| Direction::BOTH.map(|direction| row(direction, of))).collect()
}

/// Behind the direction: in names and in labels.
fn names(of: OfPath) -> (String, String) {
    let (name, label) = match of {
        Percentile(n) => return (format!("delay_p{n}_seconds"), format!("p{n}, ms")),
        Wires => ("wires_mean_seconds", "wires, ms"),
        Queue => ("queue_mean_seconds", "queue, ms"),
        Channel => ("channel_mean_seconds", "channel, ms"),
        WiresJitter => ("wires_jitter_seconds", "jitter of wires, ms"),
        QueueJitter => ("queue_jitter_seconds", "jitter of the queue, ms"),
        ChannelJitter => ("channel_jitter_seconds", "jitter of the channel, ms"),
        WiresLoss => ("wires_loss_ratio", "lost on wires, %"),
        QueueLoss => ("queue_loss_ratio", "lost in the queue, %"),
        ChannelLoss => ("channel_loss_ratio", "lost on the air, %"),
        Attempts => ("attempts_mean", "attempts of a frame"),
        Retransmits => ("retransmits", "segments sent again"),
        RetransmitRatio => ("retransmit_ratio", "sent again, %"),
        Timeouts => ("timeouts", "timeouts"),
        SmoothedRtt => ("smoothed_rtt_seconds", "smoothed round trip, ms"),
        MostRetransmits => ("flow_retransmits_most", "segments sent again, most of one flow"),
        MostTimeouts => ("flow_timeouts_most", "timeouts, most of one flow"),
        GapLeast => ("gap_least_seconds", "least gap, us"),
        GapMean => ("gap_mean_seconds", "mean gap, us"),
        GapMost => ("gap_most_seconds", "greatest gap, us"),
        GapPeaks => ("gap_peaks", "peaks of the gaps"),
        GapSpacing => ("gap_peak_spacing_seconds", "from peak to peak, us"),
        GapPeakLeast => ("gap_peak_least_ratio", "gaps in the least peak, %"),
        GapPeakMost => ("gap_peak_most_ratio", "gaps in the greatest peak, %"),
    };
    (name.into(), label.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of labels for words of figures.
    const LABELS: [(&str, &[&str]); 20] = [
        ("Wires", &["wires"]),
        ("Queue", &["queue"]),
        ("Channel", &["channel", "air"]),
        ("Jitter", &["jitter"]),
        ("Loss", &["lost"]),
        ("Attempts", &["attempts"]),
        ("Retransmits", &["sent again"]),
        ("Retransmit", &["sent again"]),
        ("Ratio", &["%"]),
        ("Timeouts", &["timeouts"]),
        ("Smoothed", &["smoothed"]),
        ("Rtt", &["round trip"]),
        ("Most", &["most", "greatest"]),
        ("Gap", &["gap", "peak"]),
        ("Least", &["least"]),
        ("Mean", &["mean"]),
        ("Peaks", &["peaks"]),
        ("Peak", &["peak"]),
        ("Spacing", &["from peak to peak"]),
        ("Percentile", &["p5", "p9"]),
    ];

    /// `WiresLoss`: Wires, Loss.
    fn words(of: OfPath) -> Vec<String> {
        let variant = format!("{of:?}");
        let variant = variant.split('(').next().unwrap();
        let starts = variant.char_indices().filter(|(_, c)| c.is_ascii_uppercase()).map(|(at, _)| at);
        let ends = starts.clone().skip(1).chain([variant.len()]);
        starts.zip(ends).map(|(from, to)| variant[from..to].to_string()).collect()
    }

    /// A figure's name and label begin with its direction and have the words of what it is of.
    #[test]
    fn names_and_labels_are_of_their_figure() {
        let rows = rows();
        for (metric, name, label, ..) in &rows {
            let Metric::Path(PathFigure { direction, of }) = metric else { panic!("{name}") };
            let (name_of, label_of) = (name.split_once('_').unwrap(), label.split_once(' ').unwrap());
            let way = format!("{direction:?}").to_lowercase();
            assert_eq!((name_of.0, label_of.0), (way.as_str(), way.as_str()), "{metric:?}");
            if let Percentile(n) = of {
                assert_eq!((name_of.1, label_of.1), (&*format!("delay_p{n}_seconds"), &*format!("p{n}, ms")));
                continue;
            }
            for word in words(*of) {
                let small = word.to_lowercase();
                assert!(name_of.1.split('_').any(|part| part == small), "{metric:?}: '{name}'");
                let (_, labels) = LABELS.iter().find(|(own, _)| *own == word).expect("each word has labels");
                assert!(labels.iter().any(|label| label_of.1.contains(label)), "{metric:?}: '{label}'");
            }
        }
        assert_eq!(rows.len(), 2 * (OfPath::PERCENTILES.len() + 3 * 3 + 14));
    }

    /// Each part of the way has figures of its own.
    #[test]
    fn parts_of_the_way_are_told_apart() {
        for (leg, mean, jitter, loss) in [
            (Leg::Wires, Wires, WiresJitter, WiresLoss),
            (Leg::Queue, Queue, QueueJitter, QueueLoss),
            (Leg::Channel, Channel, ChannelJitter, ChannelLoss),
        ] {
            assert_eq!((OfPath::mean(leg), OfPath::jitter(leg), OfPath::loss(leg)), (mean, jitter, loss));
        }
    }

    /// Scores first, then both ways' delays, waits and losses, as many as there is room for.
    #[test]
    fn columns_of_a_stream_follow_its_scores() {
        let way = |direction, n| Metric::of_path(direction, Percentile(n));
        let (down, up) = (Direction::Down, Direction::Up);
        let columns = stream_columns::<7>(&[Metric::GameMos, Metric::Qoo]);
        let rest = [way(down, 50), way(down, 99), way(up, 50), way(up, 99), Metric::QueueDelayP50];
        assert_eq!((columns[..2].to_vec(), &columns[2..]), (vec![Metric::GameMos, Metric::Qoo], &rest[..]));
        let all = stream_columns::<9>(&[Metric::Ping]);
        assert_eq!(all[6..], [Metric::QueueDelayP99, Metric::Loss, Metric::UplinkLoss]);
    }
}
