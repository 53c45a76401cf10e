// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Causes that several kinds share, as parts of sentences.
//!
//! Every number in a sentence was measured; the rules that choose the sentence
//! compare measured numbers too, and know no discipline by name. They are
//! rules of thumb: `docs/command-line.md` lists them.
//!
//! What it does not do: no advice, and no cause that the figures do not show.

use crate::metric::Metric;
use crate::scores::{QueueScores, Scores};

/// Where nothing can be said of an application.
pub(super) const SILENT: &str = "it sent nothing while measured";

/// A game or a call: small packets at a constant rate.
pub(super) struct Stream {
    /// Share of its packets that is lost, and dropped by the queue.
    pub(super) loss: f64,
    pub(super) dropped: f64,
    /// Where they are lost.
    pub(super) losses: String,
    /// Mean on their way, s.
    pub(super) delay: f64,
    /// What delays them.
    pub(super) late: String,
}

/// What a stream's reason is chosen from; all that can be said if nothing was sent, or nothing arrived.
pub(super) fn stream(q: &QueueScores, app: &Scores) -> Result<Stream, String> {
    let loss = app.mean(Metric::Loss).ok_or(SILENT)?;
    let dropped = app.mean(Metric::QueueDropped).unwrap_or(0.0);
    let losses = losses(q, app, loss, dropped);
    let (Some(delay), Some(wait)) = (app.mean(Metric::Delay), app.mean(Metric::QueueDelayP50)) else {
        return Err(format!("nothing arrives: {losses}"));
    };
    Ok(Stream { loss, dropped, losses, delay, late: of_delay(q, app, delay, wait) })
}

/// Where its packets are lost.
pub(super) fn losses(q: &QueueScores, app: &Scores, loss: f64, dropped: f64) -> String {
    let air = loss - dropped;
    if dropped < loss / 2.0 {
        return format!(
            "{} of its packets are lost on the air, {} in the queue",
            percent(air),
            percent(dropped)
        );
    }
    let air = match air > NOTABLE_LOSS {
        true => format!("; {} are lost on the air", percent(air)),
        false => String::new(),
    };
    format!("the queue drops {} of its packets{}{air}", percent(dropped), for_whom(q, app))
}

/// Mean places that are a good part of the queue's.
const GOOD_PART: f64 = 0.25;

/// Who has the places that its packets did not get. Nobody is blamed who holds
/// few of them, or whom its packets need not wait for.
fn for_whom(q: &QueueScores, app: &Scores) -> String {
    let (own, others) = (held(app), held_by_others(q, app));
    let places = limit(q).map_or("places".into(), |n| format!("of the {n} places"));
    let limit = limit(q).and_then(|n| n.parse::<f64>().ok());
    if limit.is_some_and(|n| own.max(others) < GOOD_PART * n) {
        return format!(", though on the mean {:.0} {places} are taken", own + others);
    }
    if own > others {
        return format!(": its own packets fill the queue, {own:.0} {places}");
    }
    let wait = app.mean(Metric::QueueDelayP50);
    let theirs = largest_other(q, app).and_then(|a| Some((a, a.mean(Metric::QueueDelayP50)?)));
    match (wait, theirs) {
        (Some(wait), Some((bulk, longer))) if longer > 2.0 * wait => format!(
            ", though they go first, waiting {} where those of {} wait {}: they come in bursts",
            ms(wait),
            bulk.name,
            ms(longer)
        ),
        _ => format!(": {}", crowd(q, app)),
    }
}

/// The score follows the delay: was it the queue?
fn of_delay(q: &QueueScores, app: &Scores, delay: f64, wait: f64) -> String {
    let others = held_by_others(q, app);
    let own = app.mean(Metric::QueuePackets).unwrap_or(0.0);
    if wait >= delay / 2.0 {
        return match own > others {
            _ if own.max(others) < 1.0 => {
                format!("the queue is nearly empty, yet a packet waits {} there for the air", ms(wait))
            }
            true => format!("its own packets queue up, {own:.0} of them, and wait {}", ms(wait)),
            false => format!("{}, so each packet of {} waits about {}", crowd(q, app), app.name, ms(wait)),
        };
    }
    let bulk = largest_other(q, app);
    let theirs = bulk.and_then(|a| Some((a, a.mean(Metric::QueueDelayP50)?)));
    match theirs.filter(|_| others >= 1.0) {
        Some((bulk, longer)) if longer > 2.0 * wait => format!(
            "its packets go first, waiting {} where those of {} wait {}; it uses {} of the air",
            ms(wait),
            bulk.name,
            ms(longer),
            percent(app.mean(Metric::Air).unwrap_or(0.0)),
        ),
        _ => {
            let queue = if others < 1.0 { "the queue is nearly empty" } else { "the queue is not to blame" };
            format!("{queue}: a packet waits {} there, of {} on its way", ms(wait), ms(delay))
        }
    }
}

/// Smaller shares of lost packets may be those still on their way when the run ended.
pub(super) const NOTABLE_LOSS: f64 = 0.01;

/// UDP packets that nothing slows: what is lost of them, or else their wait.
pub(super) fn of_packets(q: &QueueScores, app: &Scores) -> String {
    let Some(loss) = app.mean(Metric::Loss) else {
        return SILENT.into();
    };
    let dropped = app.mean(Metric::QueueDropped).unwrap_or(0.0);
    let Some(wait) = app.mean(Metric::QueueDelay) else {
        return format!("nothing arrives: {}", losses(q, app, loss, dropped));
    };
    if loss > NOTABLE_LOSS {
        return losses(q, app, loss, dropped);
    }
    match app.mean(Metric::QueuePackets).unwrap_or(0.0) < 1.0 && held_by_others(q, app) < 1.0 {
        true => format!("the queue is nearly empty: a packet waits {} there", ms(wait)),
        false => format!("{}, and a packet waits {}", crowd(q, app), ms(wait)),
    }
}

/// Of two applications with air so near to each other's, neither is the other's rival.
const NOTABLY_MORE: f64 = 1.25;

/// What sets the rate of bulk data.
pub(super) fn of_bulk(q: &QueueScores, app: &Scores) -> String {
    let Some(air) = app.mean(Metric::Air) else {
        return SILENT.into();
    };
    let dropped = app.mean(Metric::QueueDropped).unwrap_or(0.0);
    let lost = app.mean(Metric::Loss).map_or(0.0, |loss| loss - dropped);
    if app.mean(Metric::Goodput) == Some(0.0) {
        let uses = if air > 0.0 { "though it uses" } else { "and it uses" };
        return format!("nothing arrives, {uses} {} of the air", percent(air));
    }
    if lost > dropped && lost > NOTABLE_LOSS {
        let (lost, used) = (percent(lost), percent(air));
        return format!(
            "{lost} of its packets are lost on the air, which slows TCP; it uses {used} of the air"
        );
    }
    let rival = q
        .apps
        .iter()
        .filter(|a| a.name != app.name)
        .max_by(|a, b| a.mean(Metric::Air).unwrap_or(0.0).total_cmp(&b.mean(Metric::Air).unwrap_or(0.0)));
    let all: f64 = q.apps.iter().filter_map(|a| a.mean(Metric::Air)).sum();
    let mut text = match rival.and_then(|r| Some((r, r.mean(Metric::Air)?))) {
        Some((rival, theirs)) if theirs >= NOTABLY_MORE * air => {
            format!("{} uses {} of the air, it gets {}", rival.name, percent(theirs), percent(air))
        }
        _ => format!("it has {} of the air that downlinks use", percent(air / all)),
    };
    match held(app) {
        places if places < 1.0 && dropped < 0.001 => {
            text.push_str("; its packets do not queue: its window and the path's latency set its rate");
        }
        places => {
            let bound = limit(q).map_or(String::new(), |n| format!(" of the {n}"));
            let drops = percent(dropped);
            text.push_str(&format!(
                "; it holds {places:.0}{bound} places, and {drops} of its packets are dropped"
            ));
        }
    }
    text
}

/// Places of the queue that its packets hold, on the mean.
pub(super) fn held(app: &Scores) -> f64 {
    app.mean(Metric::QueuePackets).unwrap_or(0.0)
}

/// The same of all others together.
fn held_by_others(q: &QueueScores, app: &Scores) -> f64 {
    q.apps.iter().filter(|a| a.name != app.name).map(held).sum()
}

/// Whoever holds most of the places that are not its own.
pub(super) fn largest_other<'a>(q: &'a QueueScores, app: &Scores) -> Option<&'a Scores> {
    q.apps.iter().filter(|a| a.name != app.name).max_by(|a, b| held(a).total_cmp(&held(b)))
}

/// Who holds the places of the queue.
pub(super) fn crowd(q: &QueueScores, app: &Scores) -> String {
    let (own, all) = (held(app), held_by_others(q, app));
    let places = match limit(q) {
        Some(limit) => format!("of the {limit} places"),
        None => "places".into(),
    };
    match largest_other(q, app) {
        _ if own > all => format!("it holds {own:.0} {places} itself"),
        Some(one) if held(one) >= 0.7 * all => format!("{} holds {:.0} {places}", one.name, held(one)),
        Some(_) => format!("the others together hold {all:.0} {places}"),
        None => format!("it holds {own:.0} {places} itself"),
    }
}

fn limit(q: &QueueScores) -> Option<&str> {
    q.params.get("limit").map(String::as_str)
}

/// "1.5 ms".
pub(super) fn ms(seconds: f64) -> String {
    match seconds * 1e3 {
        x if x >= 10.0 => format!("{x:.0} ms"),
        x if x >= 1.0 => format!("{x:.1} ms"),
        x if x >= 0.005 => format!("{x:.2} ms"),
        _ => "0 ms".into(),
    }
}

/// "12 %".
pub(super) fn percent(share: f64) -> String {
    match share * 1e2 {
        x if (99.95..100.0).contains(&x) => "more than 99.9 %".into(),
        x if (99.5..100.0).contains(&x) => format!("{x:.1} %"),
        x if x >= 10.0 || x == 0.0 => format!("{x:.0} %"),
        x if x >= 0.1 => format!("{x:.1} %"),
        _ => "less than 0.1 %".into(),
    }
}
