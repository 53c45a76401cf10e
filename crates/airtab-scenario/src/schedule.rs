// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A shorter run of the same scenario: every time of its schedule divided, the
//! network left as it is.
//!
//! What it does not do: it keeps no figure the same. The start of each
//! download weighs more in a short measured part, and intervals are wider.

use std::ops::Range;

use airtab_sim::Scenario;

/// What `--short` divides by.
pub const SHORT_DIVISOR: u64 = 10;

/// The scenario with duration, measured parts, starts, stops and the time in which
/// users begin divided by [`SHORT_DIVISOR`]; latencies, rates and beacons stay.
pub fn short(scenario: &Scenario) -> Scenario {
    let mut short = scenario.clone();
    // No part of the schedule vanishes, however short it was.
    let divide = |r: &Range<u64>| {
        let start = r.start / SHORT_DIVISOR;
        start..(r.end / SHORT_DIVISOR).max(start + 1)
    };
    short.measure_ns = divide(&scenario.measure_ns);
    short.windows.iter_mut().for_each(|window| window.part_ns = divide(&window.part_ns));
    short.changes.iter_mut().for_each(|change| change.at_ns /= SHORT_DIVISOR);
    for app in &mut short.apps {
        app.active_ns = divide(&app.active_ns);
        // Where little is left of the application's time, its users still begin before its end.
        let last_ns = app.active_ns.end - app.active_ns.start - 1;
        app.users.within_ns = (app.users.within_ns / SHORT_DIVISOR).min(last_ns);
        app.measure_ns = app.measure_ns.as_ref().map(divide);
    }
    let last = short.windows.iter().map(|window| window.part_ns.end).fold(short.measure_ns.end, u64::max);
    short.duration_ns = (scenario.duration_ns / SHORT_DIVISOR).max(last);
    short
}

#[cfg(test)]
mod tests {
    use airtab_sim::Users;

    use super::*;
    use crate::ScenarioFile;

    #[test]
    fn divides_the_schedule_and_nothing_else() {
        let home = ScenarioFile::home().scenario;
        let short = short(&home);
        assert_eq!((short.duration_ns, short.measure_ns), (33_000_000_000, 9_000_000_000..27_000_000_000));
        assert_eq!(short.apps[4].active_ns, 9_000_000_000..27_000_000_000);
        assert_eq!(short.apps[0].servers, home.apps[0].servers);
        assert_eq!(short.wired.trunk, home.wired.trunk);
        assert_eq!(short.apps[0].measure_ns, None);
    }

    #[test]
    fn no_part_of_the_schedule_vanishes() {
        let mut home = ScenarioFile::home().scenario;
        home.apps[0].measure_ns = Some(100_000_000_000..200_000_000_000);
        home.apps[1].measure_ns = Some(25..29);
        (home.duration_ns, home.measure_ns) = (45, 20..45);
        let short = short(&home);
        assert_eq!(short.apps[0].measure_ns, Some(10_000_000_000..20_000_000_000));
        assert_eq!(short.apps[1].measure_ns, Some(2..3), "2 to 2 has no length");
        assert_eq!((short.measure_ns, short.duration_ns), (2..4, 4));
        (home.duration_ns, home.measure_ns) = (19, 15..19);
        let short = super::short(&home);
        assert_eq!(
            (short.measure_ns, short.duration_ns),
            (1..2, 2),
            "it goes on to the end of what is measured"
        );
    }

    /// Windows and changes keep their places in the run, which goes on to the end of the last window.
    #[test]
    fn windows_and_changes_come_a_tenth_as_late() {
        let text = "duration = \"100s\"\nmeasure = [\"10s\", \"60s\"]\n\
                    windows = { early = [\"5s\", \"20s\"], late = [\"70s\", \"90s\"] }\n\
                    [[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"s\"\n\
                    [[change]]\nat = \"30s\"\nstation = \"s\"\nkey = \"distance\"\nvalue = 9\n";
        let mut whole = ScenarioFile::parse("mine.toml", text).unwrap().scenario;
        let tenth = short(&whole);
        let parts: Vec<_> = tenth.windows.iter().map(|window| window.part_ns.clone()).collect();
        assert_eq!(parts, [500_000_000..2_000_000_000, 7_000_000_000..9_000_000_000]);
        assert_eq!((tenth.changes[0].at_ns, tenth.changes.len()), (3_000_000_000, 1));
        // One window is past the measured time, and none of its tenth is cut off.
        (whole.duration_ns, whole.measure_ns) = (19, 1..5);
        (whole.windows[0].part_ns, whole.windows[1].part_ns) = (2..4, 15..19);
        let tenth = short(&whole);
        assert_eq!((tenth.windows[1].part_ns.clone(), tenth.duration_ns), (1..2, 2));
    }

    /// Users begin within a tenth of their time, and before their application stops, however short it became.
    #[test]
    fn users_begin_before_they_stop() {
        for (active_ns, within_ns, expected) in [
            (30_000_000_000..330_000_000_000, 60_000_000_000, 6_000_000_000),
            (100..200, 99, 9),
            (105..119, 13, 0),
            (25..29, 3, 0),
            (25..29, 0, 0),
        ] {
            let mut home = ScenarioFile::home().scenario;
            home.apps[0].active_ns = active_ns;
            home.apps[0].users = Users::at_one(100, within_ns);
            let short = short(&home);
            assert_eq!(short.apps[0].users, Users::at_one(100, expected));
            short.check().unwrap();
        }
    }
}
