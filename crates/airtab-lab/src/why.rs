//! One sentence for each application and discipline: what made its score.
//!
//! Every number in a sentence was measured; the rules that choose the sentence
//! compare measured numbers too, and know no discipline by name. They are
//! rules of thumb: `docs/command-line.md` lists them.
//!
//! What it does not do: no advice, and no cause that the figures do not show.

use airtab_quality::emodel::simple_r;

use crate::compare::{Comparison, QueueScores, Scores};
use airtab_scenario::Metric;

/// The sentences, application by application in the order of the scenario, in
/// each the disciplines in the order asked for; those with the same reason
/// share a sentence.
pub fn why(c: &Comparison) -> Vec<String> {
    let apps = c.queues.first().map_or(0, |q| q.apps.len());
    let mut sentences = Vec::new();
    for i in 0..apps {
        let mut reasons: Vec<(String, String)> = Vec::new();
        for q in &c.queues {
            let (score, reason) = of_app(q, &q.apps[i]);
            match reasons.iter_mut().find(|(_, known)| *known == reason) {
                Some((scores, _)) => scores.push_str(&format!(", {score}")),
                None => reasons.push((score, reason)),
            }
        }
        let name = &c.queues[0].apps[i].name;
        sentences.extend(reasons.into_iter().map(|(scores, reason)| format!("{name} {scores}: {reason}")));
    }
    sentences
}

/// "3.50 under fifo", and why.
fn of_app(q: &QueueScores, app: &Scores) -> (String, String) {
    let (metric, unit, reason) = match app.kind {
        "game" => (Metric::GameMos, "", of_stream(q, app)),
        "voip" => (Metric::VoipMos, "", of_stream(q, app)),
        "video" => (Metric::FrameRate, "fps ", of_video(q, app)),
        "web" => (Metric::PageTime, "ms ", of_web(q, app)),
        "udp" => (Metric::Goodput, "Mb/s ", of_udp(q, app)),
        "streaming" => (Metric::BitRate, "Mb/s ", of_streaming(q, app)),
        "upload" => (Metric::UplinkGoodput, "Mb/s ", of_upload(q, app)),
        _ => (Metric::Goodput, "Mb/s ", of_download(q, app)),
    };
    let rate = matches!(metric, Metric::Goodput | Metric::UplinkGoodput);
    let digits = if rate { 1 } else { metric.decimals() };
    let score = app.mean(metric).map_or(String::new(), |x| format!("{:.digits$} {unit}", metric.shown(x)));
    (format!("{score}under {}", q.label), reason)
}

/// A game or a call: small packets at a constant rate.
fn of_stream(q: &QueueScores, app: &Scores) -> String {
    let Some(loss) = app.mean(Metric::Loss) else {
        return "it sent nothing while measured".into();
    };
    let dropped = app.mean(Metric::QueueDropped).unwrap_or(0.0);
    let losses = losses(q, app, loss, dropped);
    let (Some(delay), Some(wait)) = (app.mean(Metric::Delay), app.mean(Metric::QueueDelayP50)) else {
        return format!("nothing arrives: {losses}");
    };
    match app.kind {
        "voip" if loss_weighs_more(delay, loss) && !few(dropped, loss) => losses,
        "game" if loss > NOTABLE_LOSS => {
            format!("{} (not in the score: {losses})", of_delay(q, app, delay, wait))
        }
        _ => of_delay(q, app, delay, wait),
    }
}

/// A stream that nothing slows: what is lost of it, or else its wait.
fn of_udp(q: &QueueScores, app: &Scores) -> String {
    let Some(loss) = app.mean(Metric::Loss) else {
        return "it sent nothing while measured".into();
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

/// So few drops are no cause worth a name.
const NOTABLE_DROPS: f64 = 0.005;

/// Whether its losses are drops of the queue, and few.
fn few(dropped: f64, loss: f64) -> bool {
    dropped >= loss / 2.0 && dropped < NOTABLE_DROPS
}

/// Where its packets are lost.
fn losses(q: &QueueScores, app: &Scores, loss: f64, dropped: f64) -> String {
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

/// Frames are bursts: what matters is whether all of a frame arrives.
fn of_video(q: &QueueScores, app: &Scores) -> String {
    let (Some(whole), Some(loss)) = (app.mean(Metric::FramesWhole), app.mean(Metric::Loss)) else {
        return "it sent nothing while measured".into();
    };
    if whole >= MOSTLY_WHOLE {
        let wait = app.mean(Metric::QueueDelayP99).unwrap_or(0.0);
        let whole = percent(whole);
        return format!(
            "{whole} of its frames arrive whole, and 99 % of its packets wait at most {}",
            ms(wait)
        );
    }
    let kinds = [("I", Metric::IFramesWhole), ("P", Metric::PFramesWhole), ("B", Metric::BFramesWhole)];
    let of_kind = |(kind, metric)| Some(format!("{} of {kind}", percent(app.mean(metric)?)));
    let of_kinds: Vec<String> = kinds.into_iter().filter_map(of_kind).collect();
    let dropped = app.mean(Metric::QueueDropped).unwrap_or(0.0);
    format!(
        "{} of its frames arrive whole ({}), and a broken one breaks those that refer to it: {}",
        percent(whole),
        of_kinds.join(", "),
        losses(q, app, loss, dropped)
    )
}

/// Above this share of whole frames, frames are no problem worth a cause.
const MOSTLY_WHOLE: f64 = 0.99;

/// Pages are short: a wait in the queue is paid again in every round trip.
fn of_web(q: &QueueScores, app: &Scores) -> String {
    let Some(pages) = app.mean(Metric::Pages) else {
        return "it sent nothing while measured".into();
    };
    let (Some(page), Some(bytes)) = (app.mean(Metric::PageTime), app.mean(Metric::PageBytes)) else {
        return match pages > 0.0 {
            true => "no page was completed under every discipline".into(),
            false => "no page was both requested and completed while measured".into(),
        };
    };
    let (wait, worst) = (app.mean(Metric::QueueDelayP50), app.mean(Metric::QueueDelayP99));
    let (wait, worst) = (wait.unwrap_or(0.0), worst.unwrap_or(0.0));
    let dropped = app.mean(Metric::QueueDropped).unwrap_or(0.0);
    let again = match dropped > NOTABLE_LOSS {
        true => format!("; {} of its packets are dropped and have to be sent again", percent(dropped)),
        false => String::new(),
    };
    if wait < page / ROUND_TRIPS {
        let (wait, worst, kb) = (ms(wait), ms(worst), bytes / 1e3);
        return format!(
            "its packets wait {wait} (99 % of them at most {worst}); the rest is the {kb:.0} kB of a page at the rate it gets{again}"
        );
    }
    let bulk = largest_other(q, app);
    let theirs = bulk.filter(|b| held(b) >= 1.0).and_then(|b| Some((b, b.mean(Metric::QueueDelayP50)?)));
    match theirs {
        Some((bulk, theirs)) if !ALIKE.contains(&(theirs / wait)) => format!(
            "its packets wait {} where those of {} wait {}; a page is a burst, whose packets wait for each other too{again}",
            ms(wait),
            bulk.name,
            ms(theirs)
        ),
        _ => {
            let crowd = crowd(q, app);
            format!("{crowd}, so in each round trip its packets wait about {}{again}", ms(wait))
        }
    }
}

/// Waits of so much of one another are those of one line for all.
const ALIKE: std::ops::Range<f64> = 0.67..1.25;

/// About as many round trips as a page of mean size takes, so that a wait of
/// that part of its time, paid in each, is most of it.
const ROUND_TRIPS: f64 = 20.0;

/// Whether loss takes more off a call's rating than delay does.
fn loss_weighs_more(delay: f64, loss: f64) -> bool {
    let (perfect, delayed) = (simple_r(0.0, 0.0), simple_r(delay * 1e3, 0.0));
    delayed - simple_r(delay * 1e3, loss) > perfect - delayed
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
const NOTABLE_LOSS: f64 = 0.01;

/// Of two applications with air so near to each other's, neither is the other's rival.
const NOTABLY_MORE: f64 = 1.25;

fn of_download(q: &QueueScores, app: &Scores) -> String {
    let Some(air) = app.mean(Metric::Air) else {
        return "it sent nothing while measured".into();
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

/// Segments come over TCP: what matters is whether they come in time, and which
/// rate the buffer allowed.
fn of_streaming(q: &QueueScores, app: &Scores) -> String {
    let Some(stalled) = app.mean(Metric::Stalled) else {
        return match app.mean(Metric::Goodput) {
            Some(goodput) if goodput > 0.0 => "its first segment was not complete in time".into(),
            _ => "it sent nothing while measured".into(),
        };
    };
    let still = match stalled > 0.0 {
        true => format!("it stands still for {} of its time", percent(stalled)),
        false => "it never stands still".into(),
    };
    let switches = app.mean(Metric::Switches).unwrap_or(0.0);
    format!("{still} and changes its rate {switches:.0} times; {}", of_download(q, app))
}

/// Its data is not queued at the access point; its ACKs are.
fn of_upload(q: &QueueScores, app: &Scores) -> String {
    let Some(air) = app.mean(Metric::UplinkAir).filter(|air| *air > 0.0) else {
        return "it sent nothing while measured".into();
    };
    let wait = app.mean(Metric::QueueDelayP50).map_or("0 ms".into(), ms);
    let down: f64 = q.apps.iter().filter_map(|a| a.mean(Metric::Air)).sum();
    format!(
        "it sends for {} of the time, downlinks for {}; its ACKs wait {wait} in the queue",
        percent(air),
        percent(down)
    )
}

fn held(app: &Scores) -> f64 {
    app.mean(Metric::QueuePackets).unwrap_or(0.0)
}

fn held_by_others(q: &QueueScores, app: &Scores) -> f64 {
    q.apps.iter().filter(|a| a.name != app.name).map(held).sum()
}

/// Whoever holds most of the places that are not its own.
fn largest_other<'a>(q: &'a QueueScores, app: &Scores) -> Option<&'a Scores> {
    q.apps.iter().filter(|a| a.name != app.name).max_by(|a, b| held(a).total_cmp(&held(b)))
}

/// Who holds the places of the queue.
fn crowd(q: &QueueScores, app: &Scores) -> String {
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

fn ms(seconds: f64) -> String {
    match seconds * 1e3 {
        x if x >= 10.0 => format!("{x:.0} ms"),
        x if x >= 1.0 => format!("{x:.1} ms"),
        x if x >= 0.005 => format!("{x:.2} ms"),
        _ => "0 ms".into(),
    }
}

fn percent(share: f64) -> String {
    match share * 1e2 {
        x if (99.95..100.0).contains(&x) => "more than 99.9 %".into(),
        x if (99.5..100.0).contains(&x) => format!("{x:.1} %"),
        x if x >= 10.0 || x == 0.0 => format!("{x:.0} %"),
        x if x >= 0.1 => format!("{x:.1} %"),
        _ => "less than 0.1 %".into(),
    }
}
