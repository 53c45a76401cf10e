// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Causes that several kinds share, as parts of sentences.
//!
//! Every number in a sentence was measured; the rules that choose the sentence
//! compare measured numbers too, and know no discipline by name. What is named is the
//! largest measured part (`cause`); the other rules are rules of thumb:
//! `docs/command-line.md` lists them.
//!
//! What it does not do: no advice, and no cause that the figures do not show.

use super::cause::Parts;
use crate::digits::rounded;
use crate::metric::{Direction, Metric};
use crate::scores::{QueueScores, Scores};

/// Where nothing can be said of an application.
pub(super) const SILENT: &str = "it sent nothing while measured";

/// A score from which on nobody is to blame: it may be said what spares it. G.107 annex B calls users of a call
/// satisfied from 4.03 on.
const GOOD: f64 = 4.0;

/// What made the score of a game or a call; `parts` are those of it.
pub(super) fn of_stream(q: &QueueScores, app: &Scores, score: Metric, parts: &Parts) -> String {
    let delays = [(Direction::Down, Metric::Delay), (Direction::Up, Metric::UplinkDelay)];
    let known = [Metric::Loss, Metric::UplinkLoss, Metric::Delay, Metric::UplinkDelay];
    let sent = known.iter().any(|metric| app.mean(*metric).is_some());
    if let Some((direction, _)) = delays.into_iter().find(|(_, delay)| sent && app.mean(*delay).is_none()) {
        let at = Parts::of_losses(app, direction).where_lost(q, app, "");
        let at = at.unwrap_or("all of it is on its way still".into());
        return format!("nothing arrives on the way {}: {at}", direction.word());
    }
    let Some(cause) = parts.words(q, app) else { return SILENT.into() };
    let good = app.mean(score).is_some_and(|score| score >= GOOD);
    match spared(q, app).filter(|_| good && !parts.blames_the_queue()) {
        Some(spared) => format!("{cause}; {spared}"),
        None => cause,
    }
}

/// That its packets wait less than those that hold the queue's places; None if they do not.
fn spared(q: &QueueScores, app: &Scores) -> Option<String> {
    let bulk = largest_other(q, app).filter(|_| held_by_others(q, app) >= 1.0)?;
    let (wait, longer) = (app.mean(Metric::QueueDelay)?, bulk.mean(Metric::QueueDelay)?);
    (longer > 2.0 * wait).then(|| {
        let [wait, longer] = [app, bulk].map(|app| mean_ms(app, Metric::QueueDelay));
        format!("its packets go first, waiting {wait} where those of {} wait {longer}", bulk.name)
    })
}

/// A cause, and behind it the losses of the worse direction, for a score that does not know them.
pub(super) fn with_losses(q: &QueueScores, app: &Scores, cause: String) -> String {
    let losses = [(Direction::Down, Metric::Loss), (Direction::Up, Metric::UplinkLoss)];
    let losses = losses.map(|(direction, metric)| (direction, app.mean(metric).unwrap_or(0.0)));
    let (direction, loss) = losses.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are two");
    match Parts::of_losses(app, direction).where_lost(q, app, &cause) {
        Some(at) if loss > NOTABLE_LOSS && loss < 1.0 => format!("{cause} (not in the score: {at})"),
        _ => cause,
    }
}

/// Where most of its packets that are lost are lost, of those of the downlink.
pub(super) fn losses(q: &QueueScores, app: &Scores) -> String {
    let at = Parts::of_losses(app, Direction::Down).words(q, app);
    at.unwrap_or("it loses nothing".into())
}

/// Mean places that are a good part of the queue's.
const GOOD_PART: f64 = 0.25;

/// Who has the places that its packets did not get. Nobody is blamed who holds
/// few of them, or whom its packets need not wait for. `held_said`: its own places were told before.
pub(super) fn for_whom(q: &QueueScores, app: &Scores, held_said: bool) -> String {
    let (own, others) = (held(app), held_by_others(q, app));
    let places = places(q);
    let limit = limit(q).and_then(|n| n.parse::<f64>().ok());
    if limit.is_some_and(|n| own.max(others) < GOOD_PART * n) {
        return format!(", though on the mean {:.0} {places} are taken", own + others);
    }
    if own > others && !q.nodes.is_empty() {
        return format!(": its own packets hold {own:.0} {places}");
    }
    if own > others {
        return format!(": its own packets fill the queue, {own:.0} {places}");
    }
    let wait = app.mean(Metric::QueueDelay);
    let longer = largest_other(q, app).and_then(|a| a.mean(Metric::QueueDelay));
    match (wait, longer) {
        // It need not wait for the others' places: its own are what is known of its drops.
        (Some(wait), Some(longer)) if longer > 2.0 * wait => {
            let places = if held_said { String::new() } else { format!(", its own hold {own:.0} {places}") };
            format!(": those that it sends wait {}{places}", mean_ms(app, Metric::QueueDelay))
        }
        _ => format!(": {}", crowd(q, app)),
    }
}

/// Smaller shares of lost packets may be those still on their way when the run ended.
pub(super) const NOTABLE_LOSS: f64 = 0.01;

/// UDP packets that nothing slows: what is lost of them, or else their wait.
pub(super) fn of_packets(q: &QueueScores, app: &Scores) -> String {
    let Some(loss) = app.mean(Metric::Loss) else {
        return SILENT.into();
    };
    let delay = Parts::of_delay(app, Direction::Down).words(q, app);
    match delay.filter(|_| loss <= NOTABLE_LOSS) {
        Some(delay) => delay,
        None if loss >= 1.0 => format!("nothing arrives: {}", losses(q, app)),
        None => losses(q, app),
    }
}

/// Places of the queue that its packets hold, on the mean.
pub(super) fn held(app: &Scores) -> f64 {
    app.mean(Metric::QueuePackets).unwrap_or(0.0)
}

/// The same of all others together.
pub(super) fn held_by_others(q: &QueueScores, app: &Scores) -> f64 {
    q.apps.iter().filter(|a| a.name != app.name).map(held).sum()
}

/// Whoever holds most of the places that are not its own.
pub(super) fn largest_other<'a>(q: &'a QueueScores, app: &Scores) -> Option<&'a Scores> {
    q.apps.iter().filter(|a| a.name != app.name).max_by(|a, b| held(a).total_cmp(&held(b)))
}

/// Who holds the places of the queue.
pub(super) fn crowd(q: &QueueScores, app: &Scores) -> String {
    let (own, all) = (held(app), held_by_others(q, app));
    let places = places(q);
    match largest_other(q, app) {
        _ if own > all => format!("it holds {own:.0} {places} itself"),
        Some(one) if held(one) >= 0.7 * all => format!("{} holds {:.0} {places}", one.name, held(one)),
        Some(_) => format!("the others together hold {all:.0} {places}"),
        None => format!("it holds {own:.0} {places} itself"),
    }
}

/// Text for the places that packets hold: those of the access point's queue, or of all queues of a mesh together, to which
/// no limit applies.
pub(super) fn places(q: &QueueScores) -> String {
    match limit(q) {
        Some(limit) => format!("of the {limit} places"),
        None if q.nodes.is_empty() => "places".into(),
        None => "places in the nodes' queues".into(),
    }
}

/// Limit of the access point's queue; None in a mesh, where each node has one.
fn limit(q: &QueueScores) -> Option<&str> {
    q.params.get("limit").filter(|_| q.nodes.is_empty()).map(String::as_str)
}

/// "1.5 ms": as exact as an interval of that half width lets it be told, if one is known.
pub(super) fn ms(seconds: f64, half_width: Option<f64>) -> String {
    let decimals = match seconds * 1e3 {
        x if x >= 10.0 => 0,
        x if x >= 1.0 => 1,
        x if x >= 0.005 => 2,
        _ => return "0 ms".into(),
    };
    format!("{} ms", rounded(seconds * 1e3, half_width.map(|half| half * 1e3), decimals))
}

/// A mean time; "0 ms" where there is none.
pub(super) fn mean_ms(app: &Scores, metric: Metric) -> String {
    ms(app.mean(metric).unwrap_or(0.0), half_width(app, &[metric]))
}

/// The largest half width among these figures: their sum is no more exact.
pub(super) fn half_width(app: &Scores, figures: &[Metric]) -> Option<f64> {
    let of = |metric| app.metrics.get(metric)?.half_width_95;
    figures.iter().filter_map(of).max_by(f64::total_cmp)
}

/// "12 %".
pub(super) fn percent(share: f64) -> String {
    // A sum of nothing is a nought with a sign.
    match share * 1e2 + 0.0 {
        x if (99.95..100.0).contains(&x) => "more than 99.9 %".into(),
        x if (99.5..100.0).contains(&x) => format!("{x:.1} %"),
        x if x >= 10.0 || x == 0.0 => format!("{x:.0} %"),
        x if x >= 0.1 => format!("{x:.1} %"),
        _ => "less than 0.1 %".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::with_intervals;
    use super::*;

    /// To the second digit of the half width, which is in the unit of the value; of several figures the widest counts.
    #[test]
    fn times_are_as_exact_as_their_intervals() {
        for (seconds, half_width, expected) in [
            (0.2346, None, "235 ms"),
            (0.2346, Some(0.3), "230 ms"),
            (0.2346, Some(0.03), "235 ms"),
            (0.00234, Some(0.01), "2 ms"),
            (0.00234, Some(0.0001), "2.3 ms"),
            (0.000234, Some(0.002), "0.2 ms"),
        ] {
            assert_eq!(ms(seconds, half_width), expected, "{seconds} {half_width:?}");
        }
        let wide = [
            (Metric::Delay, 0.2346, Some(0.03)),
            (Metric::UplinkDelay, 0.1, Some(0.3)),
            (Metric::Ping, 1.0, None),
        ];
        let wide = with_intervals("a", "ping", &wide);
        let of = |figures: &[Metric]| half_width(&wide, figures);
        assert_eq!(of(&[Metric::Delay, Metric::UplinkDelay, Metric::Ping]), Some(0.3));
        assert_eq!(of(&[Metric::UplinkDelay, Metric::Delay]), Some(0.3));
        assert_eq!((of(&[Metric::Ping]), of(&[Metric::Loss]), of(&[])), (None, None, None));
        assert_eq!([Metric::Delay, Metric::Loss].map(|metric| mean_ms(&wide, metric)), ["235 ms", "0 ms"]);
    }
}
