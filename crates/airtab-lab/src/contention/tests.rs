// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Every subject by its defaults, its names, and what it refuses.

use airtab_model::contention::automaton::{Decrement, Rules};
use airtab_model::contention::law::SlotLaw;
use airtab_model::contention::{correlation, cost, idle_sense, jain, methods};

use super::{Cell, Output, Runs, SUBJECTS, Subject};

fn lists(of: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
    of.iter().map(|(name, values)| ((*name).into(), values.split(',').map(String::from).collect())).collect()
}

fn ask(subject: &str, of: &[(&str, &str)]) -> Result<Vec<Vec<f64>>, String> {
    let mut runs = Runs::default();
    let cells = Subject::named(subject)?.cells(&lists(of))?;
    cells.iter().map(|cell| cell.figures(&mut runs).map_err(|e| e.to_string())).collect()
}

#[test]
fn every_subject_answers() {
    for subject in SUBJECTS {
        let short = subject.params().any(|param| param.name == "successes");
        let of: &[(&str, &str)] = if short { &[("successes", "2000"), ("n", "2")] } else { &[] };
        let rows = ask(subject.name, of).unwrap_or_else(|e| panic!("{}: {e}", subject.name));
        assert!(!rows.is_empty(), "{}", subject.name);
        for row in rows {
            assert_eq!(row.len(), subject.outputs.len(), "{}", subject.name);
            assert!(row.iter().all(|value| value.is_finite()), "{}: {row:?}", subject.name);
        }
        assert!(
            subject.help.contains(&format!("airtab model contention {}", subject.name)),
            "{}",
            subject.name
        );
    }
}

#[test]
fn a_name_is_one_subjects() {
    let mut names: Vec<&str> = SUBJECTS.iter().flat_map(Subject::names).collect();
    let n = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), n);
    for (other, name) in [
        ("automaton", "access"),
        ("effective", "access"),
        ("jain", "fairness"),
        ("ps", "correlation"),
        ("h", "slots"),
        ("pdf", "density"),
        ("permutation", "turns"),
        ("shares", "uploads"),
        ("regimes", "pipe"),
    ] {
        assert_eq!(Subject::named(other).unwrap().name, name);
    }
    assert!(Subject::named("efective").err().unwrap().contains("did you mean `effective`?"));
}

#[test]
fn every_method_runs() {
    let rows =
        ask("access", &[("method", &super::methods::METHODS.join(",")), ("n", "5"), ("successes", "200000")]);
    let rows = rows.unwrap();
    assert_eq!(rows.len(), super::methods::METHODS.len());
    for (row, name) in rows.iter().zip(super::methods::METHODS) {
        assert!(row[0] > 0.02 && row[0] < 0.2 && row[4] > 15.0 && row[4] < 90.0, "{name}: {row:?}");
    }
    // hash1 and h collide as often as Idle Sense; idle-sense has no luck of its own.
    let (idle_sense, hash1, h) = (rows[3][0], rows[5][0], rows[6][0]);
    assert!((hash1 / idle_sense - 1.0).abs() < 0.05 && (h / idle_sense - 1.0).abs() < 0.05, "{rows:?}");
}

#[test]
fn lists_make_cells_and_names() {
    let subject = Subject::named("access").unwrap();
    let cells = subject.cells(&lists(&[("method", "dcf,idle-sense"), ("n", "5")])).unwrap();
    let names: Vec<String> = cells.iter().map(|cell| cell.names()[4].clone()).collect();
    assert_eq!(names, ["effective_window_dcf", "effective_window_idle_sense"]);
    let one = subject.cells(&lists(&[("n", "5")])).unwrap();
    assert_eq!(one[0].names()[0], "collisions");
    assert_ne!(format!("{:?}", one[0]), format!("{:?}", cells[1]));
}

#[test]
fn what_is_wrong_is_said_with_its_range() {
    for (subject, name, value, message) in [
        ("access", "n", "0", "n: '0' is not a whole number from 1 to 1000"),
        ("access", "cwmin", "0", "cwmin: '0' is not a whole number from 1 to 65536"),
        ("access", "offset", "0", "offset: '0' is not a whole number from 1 to 65536"),
        ("access", "noise", "1", "noise: '1' is not a number from 0 and below 1"),
        ("slots", "hazard", "1", "hazard: '1' is not a number above 0 and below 1"),
        ("slots", "hazard", "nan", "hazard: 'nan' is not a number above 0 and below 1"),
        ("slots", "window", "0", "window: '0' is not a whole number from 1 to 65536"),
        ("slots", "weights", "1;2", "weights: '1;2' is not a number; write numbers with colons, as 3:2:1"),
        ("turns", "slots", "1:x/2", "slots: 'x' is no slot; write sequences as 1:2:3:4/2:3:4:1"),
        ("slots", "lost", "0", "lost: '0' is not a number above 1 to 1000000"),
    ] {
        assert_eq!(ask(subject, &[(name, value)]).unwrap_err(), message);
    }
    let law = ask("slots", &[("law", "weights"), ("weights", "0:0")]).unwrap_err();
    assert_eq!(law, "all 2 weights are 0: give one slot a weight above 0");
    let windows = ask("access", &[("cwmin", "64"), ("cwmax", "32")]).unwrap_err();
    assert!(windows.starts_with("windows from 64 to 32"), "{windows}");
    assert!(ask("acess", &[]).unwrap_err().starts_with("no subject 'acess'; did you mean `access`?"));
    assert!(ask("access", &[("m", "1")]).unwrap_err().starts_with("access: no such parameter 'm'"));
    assert!(ask("access", &[("method", "dfc")]).unwrap_err().contains("did you mean `dcf`?"));
    assert!(
        ask("fairness", &[("n", "5"), ("k", "10"), ("successes", "10")])
            .unwrap_err()
            .starts_with("10 successes")
    );
}

#[track_caller]
fn near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {found}, not {expected}");
}

/// One figure of a subject: its output's name, the value.
fn figure(subject: &str, of: &[(&str, &str)], output: &str) -> f64 {
    let outputs = Subject::named(subject).unwrap().outputs;
    let place =
        outputs.iter().position(|o| o.name == output).unwrap_or_else(|| panic!("{subject}: no {output}"));
    ask(subject, of).unwrap_or_else(|e| panic!("{subject}: {e}"))[0][place]
}

/// Formulas of the thesis, worked out for one value of each parameter.
#[test]
fn figures_are_those_of_their_formulas() {
    let jain = (3.0 * 25.0 + 2.0 * 6.25f64).powi(2) / (5.0 * (3.0 * 625.0 + 2.0 * 6.25 * 6.25));
    let none = |n: f64, d: i32| 1.0 - (1.0 - 1.0 / n).powi(d);
    let geometric = [("law", "geometric"), ("hazard", "0.25"), ("n", "2"), ("slot", "2")];
    let uniform = [("law", "uniform"), ("window", "8"), ("n", "2"), ("slot", "7")];
    let weights = [("law", "weights"), ("weights", "4:3:2:1"), ("n", "2"), ("slot", "1")];
    let ramp = [("law", "ramp"), ("window", "2"), ("n", "2"), ("slot", "0")];
    let beyond = [("law", "uniform"), ("window", "8"), ("n", "2"), ("slot", "8")];
    let turns = |station: &'static str| [("slots", "1:2:3:4/2:3:4:1"), ("station", station)];
    let uploads = [("uploads", "3"), ("downloads", "2")];
    for (subject, of, output, expected) in [
        ("slots", &uniform[..], "p_collision", 1.0 / 8.0),
        ("slots", &uniform, "p", 1.0 / 8.0),
        ("slots", &uniform, "collisions", 1.0 / 7.0),
        ("slots", &beyond, "p", 0.0),
        ("slots", &weights, "p", 0.3),
        ("slots", &weights, "p_collision", 0.16 + 0.09 + 0.04 + 0.01),
        ("slots", &geometric, "p", 0.25 * 0.75 * 0.75),
        ("slots", &geometric, "p_collision", 0.25 / (2.0 - 0.25)),
        // 2 (1 - t) over two halves.
        ("slots", &ramp, "p", 0.75),
        ("waste", &[("n", "2"), ("lost", "64")], "optimum", 8.0),
        ("waste", &[("n", "2"), ("lost", "64")], "hazard", 1.0 / 9.0),
        ("waste", &[("n", "2"), ("lost", "64")], "attempts", 2.0 / 9.0),
        ("waste", &[("n", "5"), ("lost", "64")], "root", 8.0),
        ("density", &[("time", "4"), ("t", "0")], "distribution", 0.0),
        ("density", &[("time", "4"), ("t", "1")], "distribution", 1.0),
        ("uploads", &uploads, "upload", 25.0),
        ("uploads", &uploads, "download", 6.25),
        ("uploads", &uploads, "ratio", 4.0),
        ("uploads", &uploads, "sum", 87.5),
        ("uploads", &uploads, "jain", jain),
        ("turns", &turns("1"), "share", 0.75),
        ("turns", &turns("2"), "share", 0.25),
        ("turns", &turns("1"), "round", 4.0),
        ("turns", &turns("1"), "p_collision", 0.0),
        ("tcf", &[("n", "5"), ("d", "4")], "again", 0.0),
        ("tcf", &[("n", "5"), ("d", "5")], "again", 1.0),
        ("tcf", &[("n", "5"), ("d", "4")], "t", 0.1),
        ("tcf", &[("n", "3"), ("d", "90")], "again", 1.0),
        (
            "link",
            &[("ber", "1e-4"), ("bytes", "125"), ("slot", "9")],
            "corrupted",
            1.0 - 0.9999f64.powi(1000),
        ),
        ("link", &[("ber", "1e-4"), ("bytes", "125"), ("slot", "9")], "range", 2700.0),
        ("correlation", &[("n", "5"), ("d", "10"), ("successes", "500")], "again_memoryless", none(5.0, 10)),
        ("correlation", &[("n", "5"), ("d", "10"), ("successes", "500")], "t", 0.25),
        (
            "fairness",
            &[("n", "5"), ("k", "3"), ("successes", "500")],
            "jain_memoryless",
            1.0 / (1.0 + 4.0 / 15.0),
        ),
    ] {
        near(figure(subject, of, output), expected, &format!("{subject} {of:?} {output}"));
    }
    // Two stations in four slots: 3, 2 and 1 of 12 successes at slots 0, 1 and 2, collisions at any of the four.
    let four =
        |output| figure("slots", &[("law", "uniform"), ("window", "4"), ("n", "2"), ("lost", "40")], output);
    near(four("wait_success"), (2.0 + 2.0) / 6.0, "W_T");
    near(four("wait_collision"), 1.5, "W_C");
    near(four("cost"), four("wasted") * (1.0 - 0.25), "of a cycle, of which three in four are successes");
    // Laws that are best for what a collision costs.
    for law in ["best", "density"] {
        let at = |lost| figure("slots", &[("law", law), ("n", "2"), ("window", "32"), ("lost", lost)], "p");
        assert!(at("30") != at("68.2"), "{law}");
    }
    // A window that collides as often: 0.75^2 + 0.25^2 of a ramp of two slots.
    let windows = |p, output| figure("windows", &[("n", "2"), ("collision", p)], output);
    assert!((windows("0.25", "uniform") - 4.0).abs() < 1e-6 && (windows("0.625", "ramp") - 2.0).abs() < 1e-6);
    // A density is the slope of its distribution.
    let at = |t: f64, output| figure("density", &[("time", "4"), ("t", &t.to_string())], output);
    let slope = (at(0.301, "distribution") - at(0.299, "distribution")) / 0.002;
    assert!((slope - at(0.3, "density")).abs() < 1e-4, "{slope}");
    let share = |n, output| figure("idle-sense", &[("n", n), ("lost", "100")], output);
    near(share("8", "probability"), share("2", "attempts") / 8.0, "of one of eight stations");
    assert!(figure("turns", &turns("3"), "share").is_nan(), "there are two");
    let pipe = ask("pipe", &[("flows", "6"), ("packets", "5,12,60")]).unwrap();
    assert_eq!(pipe, [[0.0], [1.0], [2.0]]);
}

/// 11 Mb/s: 8 / 11 us a byte; an ACK of 14 bytes takes 56 us less at 2 Mb/s than at 1.
#[test]
fn airtimes_are_us_of_their_bytes() {
    let of = |more: &[(&str, &str)], output| {
        let given: Vec<_> = [("n", "1")].iter().chain(more).copied().collect();
        figure("airtime", &given, output)
    };
    let packet = of(&[("bytes", "1500")], "packet");
    near(packet - of(&[("bytes", "1500"), ("profile", "std-11b")], "packet"), 56.0, "MAC ACK");
    let shorter = packet - of(&[("bytes", "400")], "packet");
    assert!((shorter - 800.0).abs() < 0.01, "1100 bytes: {shorter}");
    let slower = of(&[("bytes", "1500"), ("rate", "5.5")], "packet") - packet;
    let bytes = 1500.0 + 36.0;
    assert!((slower - bytes * 8.0 / 11.0).abs() < 3.0, "as many bytes at half the rate: {slower}");
    // Another ACK of TCP costs what it has more bytes; a packet does not know of it.
    let acks = [("ack", "140"), ("ack", "40")].map(|ack| of(&[ack], "data"));
    assert!(acks[0] > acks[1] && of(&[("ack", "140")], "packet") == packet, "{acks:?}");
    // DIFS, 192 us and 1536 bytes, SIFS, 192 us and 14 bytes at 1 Mb/s; and its slots of 20 us.
    let lone = 50.0 + 192.0 + 1536.0 * 8.0 / 11.0 + 10.0 + 192.0 + 112.0;
    let found = packet - 20.0 * of(&[], "contention");
    assert!((found - lone).abs() < 0.01, "{found}, not {lone}");
    // 1460 bytes behind 40 of headers are a packet, as are 1500 behind none.
    let ack = |header, covered, mtu| of(&[("header", header), ("covered", covered), ("mtu", mtu)], "ack");
    near(ack("0", "1500", "1500"), ack("40", "1460", "1500"), "header");
    assert!(ack("40", "5840", "3000") < ack("40", "5840", "1500"), "fewer packets of more bytes");
    assert!(of(&[("ack", "140")], "ack") > of(&[("ack", "40")], "ack"), "its own bytes");
    // Twice the payload, twice what it proves: 2920 of 1460 bytes each.
    let proves = |covered| of(&[("covered", covered)], "ack");
    near(proves("2920") - proves("0"), 2.0 * (proves("1460") - proves("0")), "covered");
    assert!(proves("2920") > proves("1460"));
}

/// Every parameter of a run of a method reaches the rules that are run.
#[test]
fn parameters_reach_the_run() {
    let zeta = |lost| idle_sense::attempts(lost).unwrap();
    let window = |lost, n| idle_sense::window(zeta(lost), n).unwrap();
    let ramp = SlotLaw::ramp(9).unwrap();
    assert_eq!(ramp.p().len(), 9);
    let best = |law: fn(u32) -> Result<SlotLaw, _>| f64::from(cost::best_window(law, 3, 30.0).unwrap().0);
    let hazard = cost::best_hazard(3, 30.0).unwrap().0;
    assert!(best(SlotLaw::uniform) != best(SlotLaw::ramp));
    let cases: [(&[(&str, &str)], Rules); 15] = [
        (&[("method", "best-uniform"), ("lost", "30")], methods::h(best(SlotLaw::uniform))),
        (&[("method", "best-ramp"), ("lost", "30")], methods::hash1(best(SlotLaw::ramp))),
        (&[("method", "optimal"), ("lost", "30")], methods::memoryless(SlotLaw::geometric(hazard).unwrap())),
        (&[("method", "dcf"), ("cwmin", "8"), ("cwmax", "64")], methods::dcf(8, 64)),
        (
            &[("method", "dcf-m"), ("cwmin", "8"), ("cwmax", "64"), ("offset", "5")],
            methods::dcf_offset(8, 64, 5).unwrap(),
        ),
        // Twice the stations.
        (&[("method", "dcf-m"), ("cwmin", "8"), ("cwmax", "64")], methods::dcf_offset(8, 64, 6).unwrap()),
        (&[("method", "dcf-shortened"), ("cwmin", "8"), ("cwmax", "64")], methods::dcf_shortened(8, 64)),
        (&[("method", "idle-sense"), ("window", "17.5")], methods::idle_sense(17.5)),
        (&[("method", "idle-sense"), ("lost", "30")], methods::idle_sense(window(30.0, 3))),
        (
            &[("method", "idle-sense-aimd"), ("lost", "30")],
            methods::idle_sense_control(idle_sense::idle_slots(zeta(30.0))),
        ),
        (&[("method", "hash1"), ("window", "21")], methods::hash1(21.0)),
        (&[("method", "h"), ("window", "21")], methods::h(21.0)),
        (&[("method", "h"), ("window", "21"), ("noise", "0.25")], Rules { noise: 0.25, ..methods::h(21.0) }),
        (
            &[("method", "dcf"), ("decrement", "m")],
            Rules { decrement: Decrement::Slots, ..methods::dcf(32, 1024) },
        ),
        (
            &[("method", "dcf"), ("decrement", "m+1")],
            Rules { decrement: Decrement::SlotsAndOne, ..methods::dcf(32, 1024) },
        ),
    ];
    for (of, rules) in cases {
        let given: Vec<_> =
            [("n", "3"), ("successes", "700"), ("seed", "5")].iter().chain(of).copied().collect();
        let tally = Runs::default().run(&rules, 3, 700, 5).unwrap().tally;
        for (output, expected) in [
            ("collisions", tally.collisions_per_success()),
            ("p_collision", tally.p_collision()),
            ("wait_success", tally.wait_success()),
            ("wait_collision", tally.wait_collision()),
            ("window", tally.window()),
            ("idle", tally.idle()),
        ] {
            near(figure("access", &given, output), expected, &format!("{of:?} {output}"));
        }
    }
    let wasted = |lost| figure("access", &[("n", "3"), ("successes", "700"), ("lost", lost)], "wasted");
    let collisions = figure("access", &[("n", "3"), ("successes", "700")], "collisions");
    near(wasted("150") - wasted("50"), 100.0 * collisions, "100 slots more for each collision");
    near(
        figure("access", &[("n", "2"), ("successes", "700"), ("lost", "64")], "least_wasted"),
        8.0,
        "root of 64",
    );
}

/// The equivalent window and the comparison of waits are computed from the same method's figures.
#[test]
fn figures_of_a_method_fit_each_other() {
    for method in ["dcf", "idle-sense", "hash1"] {
        let given = [("method", method), ("n", "4"), ("successes", "3000"), ("seed", "9")];
        let of = |output| figure("access", &given, output);
        let p = of("p_collision").to_string();
        let h = |output| figure("windows", &[("n", "4"), ("collision", &p)], output);
        for (own, same) in [
            ("effective_window", "uniform"),
            ("h_wait_success", "uniform_wait_success"),
            ("h_wait_collision", "uniform_wait_collision"),
        ] {
            near(of(own), h(same), &format!("{method} {own}"));
        }
        let beaten =
            of("wait_success") < of("h_wait_success") && of("wait_collision") < of("h_wait_collision");
        assert_eq!(of("better_than_h"), f64::from(u8::from(beaten)), "{method}");
        near(of("contention"), figure("airtime", &[("n", "4")], "contention"), "eq. 9.3");
    }
    // The best windows of either law, by what they waste.
    let of = |output: &str| figure("waste", &[("n", "3"), ("lost", "40")], output);
    for law in ["uniform", "ramp"] {
        let window = of(&format!("{law}_window")).to_string();
        let wasted =
            figure("slots", &[("law", law), ("n", "3"), ("lost", "40"), ("window", &window)], "wasted");
        near(of(law), wasted, law);
        assert!(wasted >= of("optimum"), "{law}");
    }
    let given = [("method", "dcf"), ("n", "4"), ("successes", "3000"), ("seed", "9")];
    let winners = Runs::default().run(&methods::dcf(32, 1024), 4, 3000, 9).unwrap().winners.clone();
    let with = |name, value| [&given[..], &[(name, value)]].concat();
    near(
        figure("fairness", &with("k", "5"), "jain"),
        jain::sliding(&winners, 4, 20).unwrap(),
        "of 20 in a row",
    );
    // 32 ahead, or as far as is asked.
    for (d, ahead) in [("6", 32), ("50", 50)] {
        let again = correlation::measured(&winners, ahead).unwrap()[d.parse::<usize>().unwrap() - 1];
        near(figure("correlation", &with("d", d), "again"), again, d);
    }
}

/// Runs that are remembered are those that are asked for: rules, stations, successes and seed.
#[test]
fn a_remembered_run_is_the_one_that_is_asked_for() {
    let (dcf, h) = (methods::dcf(8, 64), methods::h(9.0));
    let asked = [(&dcf, 3, 500, 1), (&h, 3, 500, 1), (&dcf, 4, 500, 1), (&dcf, 3, 501, 1), (&dcf, 3, 500, 2)];
    let fresh: Vec<Vec<u16>> = asked
        .iter()
        .map(|(rules, n, successes, seed)| {
            Runs::default().run(rules, *n, *successes, *seed).unwrap().winners.clone()
        })
        .collect();
    assert!((1..5).all(|i| fresh[0] != fresh[i]), "they differ");
    let mut runs = Runs::default();
    for i in [0, 1, 0, 2, 0, 3, 0, 4, 0, 1, 2, 3, 4, 4] {
        let (rules, n, successes, seed) = asked[i];
        assert_eq!(runs.run(rules, n, successes, seed).unwrap().winners, fresh[i], "{i}");
    }
}

/// The last parameter fastest, in the subject's order, whatever the order in which they are given.
#[test]
fn cells_go_by_the_subjects_parameters() {
    let subject = Subject::named("access").unwrap();
    let of = |lists_of: &[(&str, &str)]| {
        let cells = subject.cells(&lists(lists_of)).unwrap();
        cells.iter().map(|cell| (cell.names()[1].clone(), cell.varied.clone())).collect::<Vec<_>>()
    };
    let found = of(&[("decrement", "m,m+1"), ("method", "dcf,idle-sense"), ("n", "4")]);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "p_collision_dcf_m",
            "p_collision_dcf_m_1",
            "p_collision_idle_sense_m",
            "p_collision_idle_sense_m_1"
        ]
    );
    assert_eq!(found[1].1, ["dcf", "m+1"]);
    let link =
        Subject::named("link").unwrap().cells(&lists(&[("ber", "1E-5,1E-6"), ("bytes", "40")])).unwrap();
    assert_eq!([0, 1].map(|i| link[i].names()[0].clone()), ["corrupted_1e_5", "corrupted_1e_6"]);
    // A default of several values varies too.
    assert_eq!(of(&[]).len(), 6);
}

#[test]
fn outputs_are_shown_as_words_or_with_their_decimals() {
    let plain = Output { name: "", heading: "", decimals: 2, words: &[] };
    assert_eq!([1.005, 12.0, f64::NAN].map(|x| plain.shown(x)), ["1.00", "12.00", "-"]);
    let words = Output { name: "", heading: "", decimals: 0, words: &["no", "yes"] };
    assert_eq!([0.0, 1.0, f64::NAN, 2.0].map(|x| words.shown(x)), ["no", "yes", "-", "2"]);
}

#[test]
fn parameters_say_what_they_may_be() {
    let param = |subject: &str, name: &str| {
        Subject::named(subject).unwrap().params().find(|param| param.name == name).unwrap()
    };
    for (subject, name, range, value_name) in [
        ("slots", "n", "2 to 1000", "LIST"),
        ("access", "noise", "from 0 and below 1", "LIST"),
        ("slots", "lost", "above 1 to 1000000", "LIST"),
        ("airtime", "rate", "from 1 to 11", "LIST"),
        ("access", "decrement", "m+1, m", "NAMES"),
        ("slots", "weights", "numbers with colons", "X:X:..."),
        ("turns", "slots", "a list for each station", "SLOT:.../SLOT:..."),
    ] {
        let param = param(subject, name);
        assert_eq!((param.range().as_str(), param.value_name()), (range, value_name), "{subject} {name}");
    }
    assert_eq!(param("slots", "n").defaults(), ["2", "3", "5", "10", "15"]);
    // Left out where there is no default; digits may be grouped.
    assert_eq!(param("access", "offset").check(" "), Ok(" ".into()));
    assert!(param("access", "cwmin").check("").is_err());
    assert_eq!(param("access", "successes").check("1_000"), Ok("1_000".into()));
    let cell = |successes: &str| -> Cell {
        let of = lists(&[("n", "3"), ("method", "dcf"), ("successes", successes)]);
        Subject::named("access").unwrap().cells(&of).unwrap().remove(0)
    };
    assert_eq!(cell("1_000").given, cell("1000").given);
    // Another seed is one of those that draw.
    assert_ne!(cell("1000").given.with_seed(2), cell("1000").given);
    let waste = Subject::named("waste").unwrap().cells(&lists(&[("n", "2")])).unwrap().remove(0);
    assert_eq!(waste.given.clone().with_seed(2), waste.given);
}
