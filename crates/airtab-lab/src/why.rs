// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One sentence for each application and discipline: what made its score; or for each application alone.
//!
//! Behind it stands the score by Quality of Outcome where that is not full, and what decided it.
//!
//! What it does not do: causes are found by each kind of application
//! (`airtab-scenario`).

use std::borrow::Cow;

use airtab_scenario::{About, QueueScores, Scores, outcome_words};

use crate::compare::Comparison;
use airtab_scenario::digits;

/// The sentences, application by application in the order of the scenario, in
/// each the disciplines in the order asked for; those with the same reason
/// share a sentence.
pub fn why(c: &Comparison) -> Vec<String> {
    sentences(c, &|_, _| true)
}

/// The same with one sentence for each application: what makes its score under the discipline that serves it
/// worst, the first of them.
pub fn why_short(c: &Comparison) -> Vec<String> {
    let badness = |q: &QueueScores, app: usize| {
        let metric = About::named(q.apps[app].kind)?.metric();
        Some(-metric.sense() * q.apps[app].mean(metric)?)
    };
    let worst = |app: usize| {
        let of = c.queues.iter().enumerate().filter_map(|(i, q)| Some((i, badness(q, app)?)));
        // Of equals the first.
        of.fold(None, |worst: Option<(usize, f64)>, (i, x)| match worst {
            Some((_, most)) if x <= most => worst,
            _ => Some((i, x)),
        })
    };
    // Who has no score anywhere: what is said of it under the first.
    sentences(c, &|q, app| worst(app).map_or(0, |worst| worst.0) == q)
}

/// Those of some disciplines and applications, by their numbers.
fn sentences(c: &Comparison, wanted: &dyn Fn(usize, usize) -> bool) -> Vec<String> {
    let apps = c.queues.first().map_or(0, |q| q.apps.len());
    let per_time = c.applications().max(1);
    let times: Vec<Vec<Cow<QueueScores>>> = c.queues.iter().map(|q| by_time(q, per_time)).collect();
    let mut sentences = Vec::new();
    for i in 0..apps {
        let mut reasons: Vec<(String, String)> = Vec::new();
        for (k, times) in times.iter().enumerate().filter(|(k, _)| wanted(*k, i)) {
            let Some((score, reason)) = of_app(&times[i / per_time], &c.queues[k].apps[i]) else { continue };
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

/// The scores of a discipline, one part for the measured time and one for each window: an application shares queue and air
/// with those of its own time.
fn by_time(q: &QueueScores, per_time: usize) -> Vec<Cow<'_, QueueScores>> {
    if q.apps.len() <= per_time {
        return vec![Cow::Borrowed(q)];
    }
    let part = |apps: &[Scores]| Cow::Owned(QueueScores { apps: apps.to_vec(), ..q.clone() });
    q.apps.chunks(per_time).map(part).collect()
}

/// "3.50 under fifo", and why.
fn of_app(q: &QueueScores, app: &Scores) -> Option<(String, String)> {
    let about = About::named(app.kind)?;
    let (metric, unit) = (about.metric(), about.score.unit_of_reason);
    let score = app.metrics.get(&metric).map_or(String::new(), |s| {
        // As tables have it.
        let half = s.half_width_95.map(|half| metric.shown(half));
        let text = digits::rounded(metric.shown(s.mean), half, metric.decimals());
        if unit.is_empty() { format!("{text} ") } else { format!("{text} {unit} ") }
    });
    let outcome = outcome_words(app).map_or(String::new(), |words| format!("; {words}"));
    Some((format!("{score}under {}", q.label), about.reason(q, app) + &outcome))
}
