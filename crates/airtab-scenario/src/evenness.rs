// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How evenly bulk traffic shares: Jain's index (CHAP dissertation eq. 6.4) of what its flows get and of the air
//! that they use. Equal rates at unequal links are unequal air, and the other way round: neither index alone is
//! fairness.
//!
//! Only applications that take all they can get are looked at: who asks for little has little, and nobody is to
//! blame. The flows of one application share path and congestion control; each counts with its part of what all of
//! them together have, and so does each of its stations.
//!
//! What it does not do: who takes all it can get, the kinds say.

use airtab_quality::jain;
use airtab_sim::{App, Scenario};

use crate::kinds;
use crate::measure::Figures;
use crate::metric::Metric;

/// Adds the indices to the figures of the access point where there are two to share.
pub(crate) fn add(scenario: &Scenario, apps: &[Figures], ap: &mut Figures) {
    let all = || scenario.apps.iter().zip(apps).filter(|(_, figures)| !figures.is_empty());
    let bulk = || all().filter_map(|(app, f)| Some((app, kinds::taken(&app.kind, f)?, air(f))));
    let each = |app: &App, x: f64| std::iter::repeat_n(x / app.flows() as f64, app.flows());
    let rates = bulk().flat_map(|(app, rate, _)| each(app, rate)).collect();
    let airs = bulk().flat_map(|(app, _, air)| each(app, air)).collect();
    let mut stations: Vec<usize> = bulk().flat_map(|(app, ..)| app.stations()).collect();
    stations.sort_unstable();
    stations.dedup();
    let at = |app: &App, f| air(f) / f64::from(app.users.stations);
    let of_station = |station: &usize| {
        all().filter(|(app, _)| app.stations().contains(station)).map(|(app, f)| at(app, f)).sum()
    };
    let stations: Vec<f64> = stations.iter().map(of_station).collect();
    let indices =
        [(Metric::FlowsRateJain, rates), (Metric::FlowsAirJain, airs), (Metric::StationsAirJain, stations)];
    for (metric, shares) in indices {
        if shares.len() > 1 {
            ap.extend(jain(&shares).map(|x| (metric, x)));
        }
    }
}

/// Share of the measured time in which it uses the channel, down and up.
fn air(f: &Figures) -> f64 {
    [Metric::Air, Metric::UplinkAir].iter().filter_map(|metric| f.get(metric)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScenarioFile;

    const APPS: &str = "
[[app]]
name = \"near\"
kind = \"download\"
station = \"fast\"
[[app]]
name = \"far\"
kind = \"download\"
station = \"slow\"
[[app]]
name = \"call\"
kind = \"voip\"
station = \"slow\"
";

    /// The indices of a house with these applications and their figures: rate, rate up, air, air up.
    fn indices(apps: &str, figures: &[[f64; 4]]) -> [Option<f64>; 3] {
        let text =
            format!("duration = \"9s\"\n[[station]]\nname = \"fast\"\n[[station]]\nname = \"slow\"\n{apps}");
        let scenario = ScenarioFile::parse("even.toml", &text).unwrap().scenario;
        let metrics = [Metric::Goodput, Metric::UplinkGoodput, Metric::Air, Metric::UplinkAir];
        let of = |values: &[f64; 4]| metrics.into_iter().zip(*values).collect();
        let figures: Vec<Figures> = figures.iter().map(of).collect();
        let mut ap = Figures::new();
        add(&scenario, &figures, &mut ap);
        [Metric::FlowsRateJain, Metric::FlowsAirJain, Metric::StationsAirJain]
            .map(|metric| ap.get(&metric).copied())
    }

    #[test]
    fn equal_bits_over_unequal_links_are_unequal_air() {
        // Rates alike, air 1 to 3: (1 + 3)^2 / (2 (1 + 9)) = 0.8.
        let even = indices(APPS, &[[5e6, 0.0, 0.1, 0.1], [5e6, 0.0, 0.4, 0.2], [1e5, 1e5, 0.0, 0.0]]);
        assert_eq!(even.map(|x| (x.unwrap() * 1e6).round() / 1e6), [1.0, 0.8, 0.8]);
        // Air alike, rates 2 to 1: 9 / 10; the slow station has the call's air too, 1 to 2.
        let even = indices(APPS, &[[6e6, 0.0, 0.2, 0.1], [3e6, 0.0, 0.3, 0.0], [1e5, 1e5, 0.1, 0.2]]);
        assert_eq!(even.map(|x| (x.unwrap() * 1e6).round() / 1e6), [0.9, 1.0, 0.9]);
    }

    #[test]
    fn flows_count_one_by_one() {
        let peers = APPS.replacen("kind = \"download\"", "kind = \"p2p\"\nflows = 3\nupload = true", 1);
        // Three flows of 1 + 1 Mb/s and one of 6: (6 + 6)^2 / (4 (3 4 + 36)) = 144 / 192.
        let even = indices(&peers, &[[3e6, 3e6, 0.2, 0.1], [6e6, 0.0, 0.1, 0.0], [0.0; 4]]);
        assert_eq!(even.map(|x| (x.unwrap() * 1e6).round() / 1e6), [0.75, 1.0, 0.8]);
    }

    #[test]
    fn stations_of_one_application_count_one_by_one() {
        let both = APPS.replacen("kind = \"download\"", "kind = \"download\"\nstations = 2", 1);
        // 0.2 each of the first one's, and the slow station has 0.1 and 0.1 of the others:
        // (0.2 + 0.4)^2 / (2 (0.04 + 0.16)) = 0.9.
        let even = indices(&both, &[[6e6, 0.0, 0.3, 0.1], [3e6, 0.0, 0.1, 0.0], [1e5, 1e5, 0.1, 0.0]]);
        assert_eq!(even.map(|x| (x.unwrap() * 1e6).round() / 1e6)[2], 0.9);
    }

    #[test]
    fn acks_are_no_data_and_one_alone_shares_with_nobody() {
        let up = APPS.replacen("kind = \"download\"", "kind = \"upload\"", 1);
        let even = indices(&up, &[[1e6, 4e6, 0.1, 0.5], [4e6, 0.0, 0.6, 0.0], [0.0; 4]]);
        assert_eq!(even[0], Some(1.0));
        let calls = APPS.replacen("kind = \"download\"", "kind = \"voip\"", 1);
        assert_eq!(indices(&calls, &[[1e5, 1e5, 0.1, 0.1], [4e6, 0.0, 0.6, 0.0], [0.0; 4]]), [None; 3]);
        // Saturated UDP takes all it can get, at a rate it does not.
        let udp = |rate: &str| {
            APPS.replace("kind = \"download\"", &format!("kind = \"udp\"\nupload = true\nrate = \"{rate}\""))
        };
        let figures = [[5e6, 5e6, 0.0, 0.1], [5e6, 5e6, 0.0, 0.7], [0.0; 4]];
        let even = indices(&udp("max"), &figures);
        // (1 + 7)^2 / (2 (1 + 49))
        assert_eq!(even.map(|x| (x.unwrap() * 1e6).round() / 1e6), [1.0, 0.64, 0.64]);
        assert_eq!(indices(&udp("5Mb/s"), &figures), [None; 3]);
        let silent = indices(APPS, &[[0.0; 4], [0.0; 4], [0.0; 4]]);
        assert_eq!(silent, [None; 3]);
    }
}
