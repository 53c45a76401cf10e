// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Mean credits (CHAP short paper, figure 3): a video beside two downloads.

use airtab_core::{Discipline, Params};
use airtab_lab::run;
use airtab_scenario::{Metric, ScenarioFile};

const PAPER: &str = r#"
    duration = "271s"
    measure = ["150s", "210s"]
    [[station]]
    name = "television"
    distance = 1
    [[station]]
    name = "laptop"
    [[app]]
    name = "video"
    kind = "video"
    station = "television"
    start = "30s"
    [[app]]
    name = "first"
    kind = "download"
    station = "laptop"
    start = "90s"
    stop = "270s"
    [[app]]
    name = "second"
    kind = "download"
    station = "laptop"
    start = "150s"
    stop = "210s"
"#;

/// Credits of video and downloads, ms, with an increment of 100 ms.
fn credits(queue: &str, distance: &str) -> Option<[f64; 3]> {
    let text = PAPER.replace("distance = 1", distance);
    let file = ScenarioFile::parse("paper.toml", &text).unwrap();
    let mut params = Params::new(Discipline::named(queue).unwrap());
    params.set("limit", "35").unwrap();
    if queue == "chap" {
        for (name, value) in [("increment", "100ms"), ("share", "flow"), ("uplink", "off"), ("target", "5ms")]
        {
            params.set(name, value).unwrap();
        }
    }
    let measured = run(&file.scenario, &params, 1);
    let credit =
        |i: usize| measured.apps[i].get(&Metric::named("credit_mean_seconds").unwrap()).map(|s| s * 1e3);
    Some([credit(0)?, credit(1)?, credit(2)?])
}

/// At a good place the video keeps its credit; at a bad one its frames take as
/// much of the channel as a download's, and it has no more credit than they.
#[test]
fn credit_follows_the_place_of_the_video() {
    let quarter = 25.0; // of the increment
    let [video, first, second] = credits("chap", "distance = 1").unwrap();
    assert!((first - second).abs() < 5.0, "{first} and {second} ms");
    assert!((20.0..100.0).contains(&first), "a bulk flow goes from I to 0: {first} ms");
    assert!(video - first > quarter && video <= 200.0, "{video} and {first} ms");
    let [video, first, _] = credits("chap", "distance = 15").unwrap();
    assert!(video - first < quarter, "{video} and {first} ms");
}

#[test]
fn who_has_no_credits_has_no_mean() {
    assert_eq!(credits("fifo", "distance = 1"), None);
    assert_eq!(credits("fq_codel", "distance = 1"), None);
}
