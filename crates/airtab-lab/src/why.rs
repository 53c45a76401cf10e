// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One sentence for each application and discipline: what made its score.
//!
//! What it does not do: causes are found by each kind of application
//! (`airtab-scenario`).

use airtab_scenario::{About, QueueScores, Scores};

use crate::compare::Comparison;

/// The sentences, application by application in the order of the scenario, in
/// each the disciplines in the order asked for; those with the same reason
/// share a sentence.
pub fn why(c: &Comparison) -> Vec<String> {
    let apps = c.queues.first().map_or(0, |q| q.apps.len());
    let mut sentences = Vec::new();
    for i in 0..apps {
        let mut reasons: Vec<(String, String)> = Vec::new();
        for q in &c.queues {
            let Some((score, reason)) = of_app(q, &q.apps[i]) else { continue };
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
fn of_app(q: &QueueScores, app: &Scores) -> Option<(String, String)> {
    let about = About::named(app.kind)?;
    let (metric, unit) = (about.metric(), about.score.unit_of_reason);
    let digits = about.score.decimals_of_reason.unwrap_or(metric.decimals());
    let score = app.mean(metric).map_or(String::new(), |x| match unit {
        "" => format!("{:.digits$} ", metric.shown(x)),
        unit => format!("{:.digits$} {unit} ", metric.shown(x)),
    });
    Some((format!("{score}under {}", q.label), about.reason(q, app)))
}
