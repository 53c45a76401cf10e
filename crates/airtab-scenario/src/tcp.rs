// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[tcp]`: a named profile, and what is to differ from it.
//!
//! What it does not do: congestion control, which is each application's own.

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_sim::tcp::congestion::{Form, TcpApConfig, TcpDConfig, VegasConfig, WestwoodFilter};
use airtab_sim::tcp::{Config, Recovery, RttBy};
use toml::de::{DeTable, DeValue};

use crate::reader::{Document, Problem, Section, choice, flag, number, quantity};

/// The same from settings as a command line has them, each `KEY=VALUE` without the quotes of a file.
///
/// # Errors
/// Everything that is wrong, as of a file; a key twice, too.
pub fn tcp_settings(settings: &[String]) -> Result<Config, Vec<String>> {
    let mut text = "[tcp]\n".to_string();
    for setting in settings {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| vec![format!("'{setting}' is not KEY=VALUE, such as prr=false")])?;
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let plain = DeValue::parse(value).is_ok_and(|value| {
            let value = value.get_ref();
            value.is_bool() || value.is_integer() || value.is_float()
        });
        let value = if plain { value.into() } else { quoted(value) };
        // `vegas.alpha` is a key of `[tcp.vegas]`.
        let key: Vec<String> = key.split('.').map(quoted).collect();
        text.push_str(&format!("{} = {value}\n", key.join(".")));
    }
    let document = Document::new("", &text);
    let config = match DeTable::parse(&text) {
        Ok(table) => Section::top(&document, table.get_ref()).section("tcp").map(|s| read(s, Config::home())),
        Err(e) => {
            document.problem(e.span().unwrap_or(0..0), e.message().replace('\n', ", "));
            None
        }
    };
    let problems = document.into_problems();
    let said = |Problem { message, text, .. }: &Problem| match config {
        Some(_) => message.clone(),
        None => format!("{text}: {message}"),
    };
    match config {
        Some(config) if problems.is_empty() => {
            config.check().map(|()| config).map_err(|e| vec![e.to_string()])
        }
        _ => Err(problems.iter().map(said).collect()),
    }
}

/// Settings of both ends; a key that is missing has its value of `usual`. Each problem is noted.
pub(crate) fn read(s: Section, usual: Config) -> Config {
    let profiles = vec![
        ("home", Config::home()),
        ("linux", Config::linux()),
        ("bsd44", Config::bsd44()),
        ("stz", Config::stz()),
        ("ns2", Config::ns2()),
        ("ns2.35", Config::ns2_35()),
        ("testbed", Config::testbed()),
    ];
    let mut tcp = s.read("profile", choice(profiles)).unwrap_or(usual);
    // The profile's timestamps, or those asked for, take their bytes from the size that is said here.
    let rtt = vec![("segment", RttBy::OneSegment), ("timestamps", RttBy::Timestamps)];
    match s.read("rtt", choice(rtt)) {
        Some(RttBy::Timestamps) => tcp = tcp.with_timestamps(),
        Some(RttBy::OneSegment) => (tcp.rtt, tcp.hystart) = (RttBy::OneSegment, false),
        None => {}
    }
    let options = if tcp.timestamps { 12 } else { 0 };
    let mss = s.read("mss", quantity(Unit::Bytes, 88..=1460)).map(|n| n as u32 - options);
    tcp.mss = mss.unwrap_or(tcp.mss);
    let count = |key, most| s.read(key, quantity(Unit::Count, 1..=most)).map(|n| n as u32);
    let timeout = |key| s.read(key, quantity(Unit::Ns, MS..=60 * SECOND));
    tcp.initial_window = count("initial_window", 1_000_000).unwrap_or(tcp.initial_window);
    let threshold = count("initial_ssthresh", 1_000_000);
    // ns-2 has one number for both.
    let follows = tcp.initial_ssthresh == Some(tcp.receive_window_segments);
    tcp.receive_window_segments = count("receive_window", 1_000_000).unwrap_or(tcp.receive_window_segments);
    let usual = if follows { Some(tcp.receive_window_segments) } else { tcp.initial_ssthresh };
    tcp.initial_ssthresh = threshold.or(usual);
    tcp.ack_every = count("ack_every", 100).unwrap_or(tcp.ack_every);
    tcp.delayed_ack_ns = timeout("delayed_ack").unwrap_or(tcp.delayed_ack_ns);
    tcp.initial_rto_ns = timeout("initial_rto").unwrap_or(tcp.initial_rto_ns);
    tcp.min_rto_ns = timeout("min_rto").unwrap_or(tcp.min_rto_ns);
    let forms = vec![("linux", 0), ("rfc6298", Config::ANY_TIME), ("bsd", Config::BSD_GRID)];
    tcp.rto_grid_ns = s.read("rto", choice(forms)).unwrap_or(tcp.rto_grid_ns);
    tcp.pacing = s.read("pacing", flag).unwrap_or(tcp.pacing);
    tcp.ecn = s.read("ecn", flag).unwrap_or(tcp.ecn);
    tcp.send_jitter_ns = s.read("send_jitter", quantity(Unit::Ns, 0..=SECOND)).or(tcp.send_jitter_ns);
    let recoveries = vec![("sack", Recovery::Sack), ("newreno", Recovery::NewReno), ("reno", Recovery::Reno)];
    tcp.recovery = s.read("recovery", choice(recoveries)).unwrap_or(tcp.recovery);
    tcp.prr = s.read("prr", flag).unwrap_or(tcp.prr && tcp.recovery == Recovery::Sack);
    if tcp.prr && tcp.recovery != Recovery::Sack {
        s.problem_of(
            "prr",
            "it reduces the rate of a recovery with SACK: take it away, or recovery = \"sack\"",
        );
    }
    let limited = s.read("limited_transmit", flag);
    if limited == Some(false) && tcp.recovery == Recovery::Sack {
        s.problem_of(
            "limited_transmit",
            "with SACK new segments leave as others are reported: recovery = \"newreno\" or \"reno\"",
        );
    }
    tcp.limited_transmit = limited.unwrap_or(tcp.limited_transmit);
    tcp.hystart = s.read("hystart", flag).unwrap_or(tcp.hystart);
    if tcp.hystart && tcp.rtt != RttBy::Timestamps {
        s.problem_of(
            "hystart",
            "it wants a round-trip time with every acknowledgement: rtt = \"timestamps\"",
        );
    }
    let beta = s.read("cubic_beta", number(0.1..=0.99, "a share of the window, as 0.7"));
    tcp.cubic_beta_percent = beta.map_or(tcp.cubic_beta_percent, |beta| (beta * 100.0).round() as u32);
    if let Some(own) = s.section("vegas") {
        read_vegas(own, &mut tcp.vegas);
    }
    if let Some(own) = s.section("westwood") {
        let filters = vec![("round_trip", WestwoodFilter::RoundTrip), ("each_ack", WestwoodFilter::EachAck)];
        tcp.westwood = own.read("filter", choice(filters)).unwrap_or(tcp.westwood);
        own.finish();
    }
    if let Some(own) = s.section("tcp_d") {
        read_tcp_d(own, &mut tcp.tcp_d);
    }
    if let Some(own) = s.section("tcp_ap") {
        tcp.tcp_ap = read_tcp_ap(own);
    }
    // What other programs call it.
    for (other, own) in [
        ("timestamps", "rtt = \"timestamps\" (or \"segment\")"),
        ("sack", "recovery = \"sack\" (or \"newreno\", \"reno\")"),
    ] {
        if s.keys().any(|key| key == other) && s.get(other).is_some() {
            s.problem_of(other, &format!("no such key: write {own}"));
        }
    }
    s.finish();
    tcp
}

/// Congestion window after the handshake, segments.
fn read_first_window(s: &Section) -> Option<u32> {
    s.read("initial_window", quantity(Unit::Count, 1..=1_000_000)).map(|n| n as u32)
}

/// `[tcp.vegas]`.
fn read_vegas(s: Section, vegas: &mut VegasConfig) {
    let queued = |key| s.read(key, quantity(Unit::Count, 1..=1000)).map(|n| n as u32);
    vegas.alpha = queued("alpha").unwrap_or(vegas.alpha);
    vegas.beta = queued("beta").unwrap_or(vegas.beta);
    vegas.gamma = queued("gamma").unwrap_or(vegas.gamma);
    vegas.initial_window = read_first_window(&s).or(vegas.initial_window);
    if let Err(said) = vegas.check() {
        let key = if s.get("alpha").is_some() { "alpha" } else { "beta" };
        s.problem_of(key, &said);
    }
    s.finish();
}

/// `[tcp.tcp_d]`.
fn read_tcp_d(s: Section, tcp_d: &mut TcpDConfig) {
    let percent = |share: f64| (share * 100.0).round() as u32;
    tcp_d.k = s.read("k", quantity(Unit::Count, 1..=1000)).map_or(tcp_d.k, |n| n as u32);
    let eps = s.read("eps", number(0.0..=0.95, "the weight of the past, as 0.5"));
    tcp_d.eps_percent = eps.map_or(tcp_d.eps_percent, percent);
    let q = s.read("q", number(0.01..=0.5, "a share of the window, as 0.25"));
    tcp_d.q_percent = q.map_or(tcp_d.q_percent, percent);
    tcp_d.form = s.read("form", choice(vec![("min", Form::Min), ("max", Form::Max)])).unwrap_or(tcp_d.form);
    tcp_d.initial_window = read_first_window(&s).or(tcp_d.initial_window);
    s.finish();
}

/// `[tcp.tcp_ap]`: of a way that is no mesh's, or instead of its.
fn read_tcp_ap(s: Section) -> TcpApConfig {
    let hops = s.read("hops", quantity(Unit::Count, 1..=255)).map(|n| n as u32);
    let rate_bps = s.read("rate", quantity(Unit::Bps, 100_000..=40_000_000_000));
    s.finish();
    TcpApConfig { hops, rate_bps }
}
