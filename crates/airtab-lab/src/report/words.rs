// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The report's sentences: what was compared, and what came out.
//!
//! What it does not do: no causes (`why`), and no discipline is known by name.

use airtab_core::{Phy, Unit};
use airtab_scenario::{About, Metric, QueueScores, Score, Scores, Summary};
use airtab_sim::wifi::{Loss, Mean, MediumConfig};
use airtab_sim::{App, Scenario, Station};

use crate::change::{Change, Verdict};
use crate::compare::Comparison;
use crate::{bulk, classes, table};
use airtab_scenario::digits;

/// What the page is about.
pub(super) fn title(c: &Comparison) -> String {
    let apps: Vec<&str> = applications(c).iter().map(|app| app.name.as_str()).collect();
    let who = match apps.len() {
        7.. => format!("{} applications", apps.len()),
        _ => list(&apps),
    };
    let labels: Vec<&str> = c.queues.iter().map(|q| q.label.as_str()).collect();
    format!("{}: what {who} felt under {}", c.scenario, list(&labels))
}

/// Scores of the applications in the measured time under the first discipline; those of windows left out.
fn applications(c: &Comparison) -> &[Scores] {
    c.queues.first().map_or(&[], |q| &q.apps[..c.applications().min(q.apps.len())])
}

/// A word that begins a sentence.
pub(super) fn begin(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// "a, b and c".
pub(super) fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).into(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// What the network is.
pub(super) fn network(scenario: &Scenario) -> String {
    let profile = |phy: &Phy, link: &str| {
        format!("one access point ({}: {}{link}), servers on wires of", phy.name(), phy.about())
    };
    let link = match &scenario.medium {
        MediumConfig::Dcf(cell) => profile(&cell.phy, ""),
        MediumConfig::Emulator(link) if link.extra_ns == 0 => profile(&link.phy, ", an emulated link"),
        MediumConfig::Emulator(link) => {
            let more = Unit::Ns.format(link.extra_ns);
            profile(&link.phy, &format!(", an emulated link that adds {more} to every packet"))
        }
        MediumConfig::Mesh(mesh) => {
            return format!(
                "A mesh of {} nodes ({}: {}), servers behind nodes on wires of {} Mb/s.",
                scenario.stations.len(),
                mesh.cell.phy.name(),
                mesh.cell.phy.about(),
                scenario.wired.rate_bps as f64 / 1e6,
            );
        }
        MediumConfig::Wire(wire) => {
            let around = match wire.overhead {
                0 => String::new(),
                bytes => format!(", where a packet has {bytes} bytes around it"),
            };
            let rate = Unit::Bps.format(wire.rate_bps);
            match scenario.wired.hops {
                0 => format!("one wire of {rate}{around}, servers before its router on wires of"),
                more => format!(
                    "{} wires of {rate} in a row{around}, each with the discipline, servers before their routers on wires of",
                    more + 1
                ),
            }
        }
    };
    format!(
        "{} behind {link} {} Mb/s.",
        match scenario.stations.len() {
            1 => "One station".into(),
            n => format!("{n} stations"),
        },
        scenario.wired.rate_bps as f64 / 1e6
    )
}

/// Where an application runs.
pub(super) fn station(station: &Station) -> String {
    let link = match station.loss {
        Loss::None => "no loss".into(),
        Loss::Fer(p) => format!("{} % of frames lost", p * 1e2),
        Loss::Mpdu(p) => format!("{} % of MPDUs lost", p * 1e2),
        Loss::Shadowing { distance_m, .. } => format!("{distance_m} m away"),
        Loss::Signal(signal) => match signal.mean {
            Mean::Distance(metres) => format!("{metres} m away"),
            Mean::Given(db) => format!("{db} dB above the noise"),
        },
    };
    let link = match station.walk.as_ref().map(|walk| (walk, walk.times())) {
        Some((walk, (from, to))) => format!("walks from {} to {} m", walk.at(from), walk.at(to)),
        None => link,
    };
    let own = station.uplink.as_ref().map(|own| format!(", its own queue under {}", own.discipline().name()));
    let access = station.access.as_ref().map(|access| format!(", access by {}", access.rule.name()));
    let [own, access] = [own, access].map(Option::unwrap_or_default);
    format!("{}: {}, {link}{own}{access}", station.name, station.speed)
}

/// One-way latency between an application's server and the access point.
pub(super) fn latency(app: &App, scenario: &Scenario) -> String {
    let (access, trunk) = (app.latency(scenario), scenario.wired.trunk);
    let [down, up] = [access.down_ns + trunk.down_ns, access.up_ns + trunk.up_ns].map(|ns| ns as f64 / 1e6);
    if down == up { format!("{down} ms") } else { format!("{down} ms down, {up} ms up") }
}

/// The result: which disciplines serve the most applications best (alone, or
/// with all that cannot be told apart), and what the best one that needs no
/// classes set by hand changes against the first column, for better and for worse.
///
/// A discipline under which bulk transfers get half is not called best. If no discipline can differ, the reason alone; empty
/// for the short schedule, which nothing can be concluded from.
pub fn result(c: &Comparison) -> String {
    let apps = applications(c);
    if c.queues.len() < 2 || apps.is_empty() {
        return String::new();
    }
    if let Some(reason) = &c.no_difference {
        return reason.clone();
    }
    if c.short {
        return String::new();
    }
    let labels: Vec<&str> = c.queues.iter().map(|q| q.label.as_str()).collect();
    if c.seeds.len() < 2 {
        return format!("One seed cannot tell which of {} is best.", list(&labels));
    }
    let mut wins = vec![0; c.queues.len()];
    let (mut differ, mut without) = (false, Vec::new());
    for (i, app) in apps.iter().enumerate() {
        let Some(about) = About::named(app.kind) else { continue };
        let has = |q: &QueueScores| q.apps[i].mean(about.metric()).is_some();
        if c.queues.iter().filter(|q| has(q)).count() < 2 {
            without.push(app.name.as_str());
            continue;
        }
        // Best in every scored figure.
        let best: Vec<Vec<bool>> =
            about.scored().filter_map(|(metric, _)| table::best(c, (i, metric))).collect();
        differ |= !best.is_empty();
        for (k, (won, q)) in wins.iter_mut().zip(&c.queues).enumerate() {
            *won += usize::from(has(q) && best.iter().all(|row| row[k]));
        }
    }
    let compared = apps.len() - without.len();
    let without = match without.as_slice() {
        [] => String::new(),
        few @ [_, ..] if few.len() <= DIFFERENCES => {
            format!(" {} {} no figure to compare.", list(few), if few.len() == 1 { "has" } else { "have" })
        }
        many => format!(" {} applications have no figure to compare.", many.len()),
    };
    if compared == 0 {
        return "No application has a figure to compare.".into();
    }
    if !differ {
        let none = if compared < apps.len() { "No application with a figure" } else { "No application" };
        return format!("{none} can tell {} apart.{without}", list(&labels));
    }
    let best_of = |which: &dyn Fn(&QueueScores) -> bool| {
        let of = || c.queues.iter().zip(&wins).filter(|(q, _)| which(q));
        let most = of().map(|(_, won)| *won).max().unwrap_or(0);
        (most, of().filter(|(_, won)| **won == most).map(|(q, _)| q).collect::<Vec<_>>())
    };
    let may_be = |q: &QueueScores| bulk::may_be_best(c, q);
    let (most, winners) = best_of(&may_be);
    let starving = bulk::notes(c, &|number| wins[number] > 0 && wins[number] >= most);
    let end = without + &starving.lines().map(|line| format!(" {line}")).collect::<String>();
    let mut text = match most {
        0 => "No discipline is best, or as good as the best, for an application.".into(),
        _ => best(&winners, most, [compared, apps.len()]) + ".",
    };
    // Without a best one, only two disciplines have a pair to compare.
    if most == 0 && c.queues.len() > 2 {
        return text + &end;
    }
    let untold = |q: &QueueScores| !classes::is_told(c, q) && may_be(q);
    let mut heroes: Vec<&QueueScores> = winners.iter().copied().filter(|q| untold(q)).collect();
    if heroes.is_empty() {
        let (most, next) = best_of(&untold);
        if next.is_empty() {
            return text + &end;
        }
        let who = if winners.len() == 1 { "It goes" } else { "They go" };
        if most == 0 {
            return format!("{text} {who} by classes that were set by hand.{end}");
        }
        let best = best(&next, most, [compared, apps.len()]);
        text.push_str(&format!(
            " {who} by classes that were set by hand; of those that are told nothing, {best}."
        ));
        heroes = next;
    }
    let reference = &c.queues[0];
    if let Some(hero) = heroes.into_iter().find(|q| q.label != reference.label) {
        text.push_str(&changed(hero, reference));
    }
    text + &end
}

/// So many differences of one sort can be read in one sentence.
const DIFFERENCES: usize = 4;

/// What becomes better and what becomes worse under `hero`, in a sentence each.
fn changed(hero: &QueueScores, reference: &QueueScores) -> String {
    let pairs = || hero.apps.iter().zip(&reference.apps);
    let of = |verdict| pairs().flat_map(|(new, old)| differences(new, old, verdict)).collect::<Vec<_>>();
    let (better, worse) = (of(Verdict::Better), of(Verdict::Worse));
    let (new, old) = (&hero.label, &reference.label);
    if better.is_empty() && worse.is_empty() {
        return format!(" No application can tell {new} from {old}.");
    }
    let gains = match better.is_empty() {
        true => format!(" Nothing is better under {new} than under {old}."),
        false => format!(" What {new} makes better than {old}: {}.", largest(better)),
    };
    let losses = match worse.is_empty() {
        true => " Nothing gets worse beyond its interval.".to_string(),
        false => format!(" What it makes worse: {}.", largest(worse)),
    };
    gains + &losses
}

/// The largest of some differences, in the order of the scenario, and how many more there are.
fn largest(mut differences: Vec<(f64, String)>) -> String {
    let mut sizes: Vec<f64> = differences.iter().map(|d| d.0).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    let more = sizes.len().saturating_sub(DIFFERENCES);
    if let Some(least) = sizes.get(DIFFERENCES - 1) {
        differences.retain(|d| d.0 >= *least);
        differences.truncate(DIFFERENCES);
    }
    let rest = format!("{more} more (below)");
    let mut texts: Vec<&str> = differences.iter().map(|d| d.1.as_str()).collect();
    texts.extend((more > 0).then_some(rest.as_str()));
    list(&texts)
}

/// Of how many applications, and how many there are with those that cannot be compared.
fn best(winners: &[&QueueScores], most: usize, [compared, apps]: [usize; 2]) -> String {
    let labels: Vec<&str> = winners.iter().map(|q| q.label.as_str()).collect();
    let verb = if winners.len() == 1 { "is" } else { "are" };
    let how_many = match compared == apps {
        true if most == apps => "every application".into(),
        true => format!("{most} of {apps} applications"),
        false => format!("{most} of the {compared} applications that can be compared"),
    };
    format!("{} {verb} best, or as good as the best, for {how_many}", list(&labels))
}

/// Sentences such as "a page of web takes 52 ms instead of 134", one for each scored figure of an application whose change has that
/// verdict. The number is the change as a part of the old value.
fn differences(new: &Scores, old: &Scores, wanted: Verdict) -> Vec<(f64, String)> {
    let difference = |(metric, score): (Metric, &Score)| {
        let [now, then]: [&Summary; 2] = [new.metrics.get(&metric)?, old.metrics.get(&metric)?];
        let change = Change::new(metric, now, then).filter(|change| change.verdict == wanted)?;
        let ((before, does), unit) = (score.gain, score.unit_of_gain);
        let half = metric.shown(change.half_width_95);
        let shown = |s: &Summary| digits::rounded(metric.shown(s.mean), Some(half), metric.decimals());
        let size = (change.mean / then.mean).abs();
        Some((size, format!("{before}{}{does} {}{unit} instead of {}", new.name, shown(now), shown(then))))
    };
    About::named(new.kind).into_iter().flat_map(About::scored).filter_map(difference).collect()
}

#[cfg(test)]
mod tests {
    use airtab_scenario::ScenarioFile;

    use super::*;

    fn scenario(text: &str) -> Scenario {
        ScenarioFile::parse("mine.toml", text).unwrap_or_else(|e| panic!("{e}")).scenario
    }

    fn home(top: &str, station: &str, app: &str) -> Scenario {
        scenario(&format!(
            "duration = \"9s\"\n{top}\n[[station]]\nname = \"s\"\n{station}\n[[app]]\nname = \"a\"\nkind = \"game\"\n\
             station = \"s\"\n{app}\n"
        ))
    }

    #[test]
    fn names_are_listed_and_begin_sentences() {
        let of = |names: &[&str]| list(names);
        assert_eq!(
            [of(&[]), of(&["a"]), of(&["a", "b"]), of(&["a", "b", "c"])],
            ["", "a", "a and b", "a, b and c"]
        );
        assert_eq!(["credit", "QoO", "", "\u{e4}ther"].map(begin), ["Credit", "QoO", "", "\u{c4}ther"]);
    }

    /// The latency of a station's link and of the trunk, in both directions.
    #[test]
    fn latencies_of_both_ways_are_told_where_they_differ() {
        for (wired, app, said) in [
            ("", "", "2 ms"),
            ("trunk_latency = \"3ms\"", "latency = \"4500us\"", "7.5 ms"),
            (
                "trunk_latency = \"3ms\"\ntrunk_latency_up = \"5ms\"",
                "latency = \"4ms\"",
                "7 ms down, 9 ms up",
            ),
            ("", "latency = \"4ms\"\nlatency_up = \"36ms\"", "5 ms down, 37 ms up"),
            // The sums are the same.
            (
                "trunk_latency = \"3ms\"\ntrunk_latency_up = \"5ms\"",
                "latency = \"6ms\"\nlatency_up = \"4ms\"",
                "9 ms",
            ),
        ] {
            let scenario = home(&format!("[wired]\n{wired}"), "", app);
            assert_eq!(latency(&scenario.apps[0], &scenario), said, "{wired} {app}");
        }
    }

    #[test]
    fn stations_are_told_by_their_link_and_what_is_their_own() {
        let of = |top: &str, keys: &str| station(&home(top, keys, "").stations[0]);
        assert_eq!(
            of("", "walk = [[\"1s\", 3], [\"4s\", 60], [\"6s\", 20]]"),
            "s: 54 Mb/s, walks from 3 to 20 m"
        );
        assert_eq!(of("", "fer = 0.125"), "s: 54 Mb/s, 12.5 % of frames lost");
        assert_eq!(of("", "fer = 0"), "s: 54 Mb/s, no loss");
        let uplink = of("", "distance = 7\nuplink = \"fq_codel\"");
        assert_eq!(uplink, "s: 54 Mb/s, 7 m away, its own queue under fq_codel");
        let by_mcs = "[wifi]\nphy = \"std-11n\"\nerrors = \"snr\"";
        let near = of(by_mcs, "mcs = 3\nsnr = 25");
        assert!(near.ends_with(", 25 dB above the noise"), "{near}");
        let far = of(by_mcs, "mcs = 3\ndistance = 12");
        assert!(far.ends_with(", 12 m away"), "{far}");
    }

    #[test]
    fn networks_are_told_by_what_carries_them() {
        let mesh = "duration = \"9s\"\ntopology = \"chain-4\"\n[wifi]\nphy = \"dnb-11b\"\n[wired]\nrate = \"70Mb/s\"\n\
                    [[app]]\nname = \"a\"\nkind = \"download\"\nfrom = \"n0\"\nto = \"n4\"\n";
        let phy = Phy::named("dnb-11b").unwrap();
        let said = format!(
            "A mesh of 5 nodes (dnb-11b: {}), servers behind nodes on wires of 70 Mb/s.",
            phy.about()
        );
        assert_eq!(network(&scenario(mesh)), said);
        let dumbbell = |keys: &str| {
            network(&home(
                &format!("topology = \"dumbbell\"\n[bottleneck]\nrate = \"10Mb/s\"\n{keys}"),
                "",
                "",
            ))
        };
        assert_eq!(
            dumbbell("hops = 3\noverhead = 20"),
            "One station behind 3 wires of 10Mbit in a row, where a packet has 20 bytes around it, each with the \
             discipline, servers before their routers on wires of 100 Mb/s."
        );
        assert!(dumbbell("hops = 1").contains("behind one wire of 10Mbit, where a packet has 38 bytes"));
        let two = network(&scenario(
            "duration = \"9s\"\n[wired]\nrate = \"20Mb/s\"\n[[station]]\nname = \"s\"\n[[station]]\nname = \"t\"\n\
             [[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"s\"\n",
        ));
        assert!(
            two.starts_with("2 stations behind one access point (phy-a: ")
                && two.ends_with(" on wires of 20 Mb/s."),
            "{two}"
        );
    }
}
