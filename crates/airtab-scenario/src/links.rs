// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What decides which of a station's frames are lost (`errors` and `coherence` of `[wifi]`;
//! `distance`, `walk`, `snr`, `fer` and `mpdu_error_rate` of a station), and who chooses its rate (`rate_control`).
//!
//! What it does not do: how a signal becomes errors, and how rates are chosen, is `airtab_sim::wifi`'s; which
//! rates there are is `speed`'s.

use airtab_core::time::MS;
use airtab_core::{Format, Phy, Rate, Unit};
use airtab_sim::NEVER;
use airtab_sim::wifi::{CellConfig, Loss, Mean, RateAlgorithm, Shadowing, Signal, Speed, Walk};

use crate::reader::{Section, Value, choice, instead, number, quantity};
use crate::scenario_file::LONGEST_NS;

/// What frames of a cell are lost by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Errors {
    /// Each with the probability of its station.
    Fer,
    /// By the distance, whatever the rate: log-normal shadowing.
    Shadowing(Shadowing),
    /// By the signal, the rate and the length: the standard deviation of shadows, dB, and how long they stay, ns.
    Snr {
        /// 0: there are none.
        deviation_db: f64,
        /// Above 0.
        coherence_ns: u64,
    },
}

impl Default for Errors {
    /// The CHAP studies'.
    fn default() -> Errors {
        Errors::Shadowing(Shadowing::default())
    }
}

/// Distance of a station that says nothing, metres.
const NEAR_M: f64 = 1.0;
/// Signal-to-noise ratios that a station may have, dB.
const SNR_DB: std::ops::RangeInclusive<f64> = -20.0..=100.0;

impl Errors {
    /// `[wifi]`; None: `errors` is wrong. `phy` is the profile of a cell; None: there is none, or it is wrong.
    pub(crate) fn read(s: &Section, phy: Option<&Phy>) -> Option<Errors> {
        let names = vec![("fer", "fer"), ("shadowing", "shadowing"), ("snr", "snr")];
        let errors =
            if s.get("errors").is_some() { s.read("errors", choice(names)) } else { Some("shadowing") };
        let exponent = s.read("path_loss_exponent", number(1.0..=8.0, "an exponent such as 3"));
        let deviation = s.read("shadowing_deviation", number(0.1..=30.0, "a number of dB such as 7"));
        let margin = s.read("link_margin", number(-50.0..=150.0, "a number of dB such as 33.57"));
        let coherence = s.read("coherence", quantity(Unit::Ns, MS..=LONGEST_NS));
        let errors = errors?;
        for (key, owners) in OWNERS {
            if s.get(key).is_some() && !owners.contains(&errors) {
                s.problem_of(key, &only_with(owners, errors));
            }
        }
        let default = Shadowing::default();
        let deviation_db = deviation.unwrap_or(default.deviation_db);
        match errors {
            "fer" => Some(Errors::Fer),
            "snr" => {
                if let Some(phy) = phy.filter(|phy| !phy.has_mcs()) {
                    let name = phy.name();
                    s.problem_of(
                        "errors",
                        &format!(
                            "\"snr\" is for profiles with rates by MCS; this is {name}: \"fer\" or \"shadowing\""
                        ),
                    );
                    return None;
                }
                if s.get("shadowing_deviation").is_some() && s.get("coherence").is_none() {
                    s.problem_of(
                        "shadowing_deviation",
                        "with errors = \"snr\" shadows come and go: say how long each stays, such as coherence = \"1s\"",
                    );
                }
                Some(match coherence {
                    None => Errors::Snr { deviation_db: 0.0, coherence_ns: NEVER },
                    Some(coherence_ns) => Errors::Snr { deviation_db, coherence_ns },
                })
            }
            _ => Some(Errors::Shadowing(Shadowing {
                exponent: exponent.unwrap_or(default.exponent),
                deviation_db,
                margin_db: margin.unwrap_or(default.margin_db),
            })),
        }
    }

    /// As files call it.
    fn name(self) -> &'static str {
        match self {
            Errors::Fer => "fer",
            Errors::Shadowing(_) => "shadowing",
            Errors::Snr { .. } => "snr",
        }
    }

    /// What `key` of a station means for its frames: its number.
    ///
    /// # Errors
    /// It has no meaning; says where it has.
    fn loss(self, key: &str, value: f64) -> Result<Loss, String> {
        let signal = |mean, deviation_db, coherence_ns| Signal { mean, deviation_db, coherence_ns };
        match (key, self) {
            ("fer" | "mpdu_error_rate", _) if value == 0.0 => Ok(Loss::None),
            ("fer", _) => Ok(Loss::Fer(value)),
            ("mpdu_error_rate", _) => Ok(Loss::Mpdu(value)),
            ("distance" | "walk", Errors::Shadowing(by)) => Ok(Loss::Shadowing { distance_m: value, by }),
            ("distance" | "walk", Errors::Snr { deviation_db, coherence_ns }) => {
                Ok(Loss::Signal(signal(Mean::Distance(value), deviation_db, coherence_ns)))
            }
            ("distance" | "walk", Errors::Fer) => Err(in_wifi(&["shadowing", "snr"], self.name())),
            (_, Errors::Snr { deviation_db, coherence_ns }) => {
                Ok(Loss::Signal(signal(Mean::Given(value), deviation_db, coherence_ns)))
            }
            _ => Err(in_wifi(&["snr"], self.name())),
        }
    }

    /// Of a station that says nothing.
    fn usual(self) -> Loss {
        self.loss("distance", NEAR_M).unwrap_or(Loss::None)
    }
}

/// Keys of `[wifi]` that do not go with all of `errors`.
const OWNERS: [(&str, &[&str]); 4] = [
    ("path_loss_exponent", &["shadowing"]),
    ("link_margin", &["shadowing"]),
    ("shadowing_deviation", &["shadowing", "snr"]),
    ("coherence", &["snr"]),
];

fn only_with(owners: &[&str], errors: &str) -> String {
    let owners: Vec<String> = owners.iter().map(|owner| format!("\"{owner}\"")).collect();
    format!("only with errors = {}; this is \"{errors}\"", owners.join(" or "))
}

fn in_wifi(owners: &[&str], errors: &str) -> String {
    only_with(owners, errors).replacen(';', " in [wifi];", 1)
}

/// Keys of a station that say which of its frames are lost, with `walk`.
const LOSS: [&str; 5] = ["distance", "fer", "snr", "mpdu_error_rate", "walk"];

/// Which of a station's frames are lost, at the start of its walk if it has one. Without `errors` any will do.
pub(crate) fn read_loss(s: &Section, errors: Option<Errors>, duration_ns: u64) -> (Loss, Option<Walk>) {
    let distance = s.read("distance", metres);
    let fer = s.read("fer", number(0.0..=1.0, "a share of frames such as 0.1"));
    let snr = s.read("snr", decibels);
    let mpdu = s.read("mpdu_error_rate", number(0.0..=1.0, "a share of MPDUs such as 0.1"));
    let walk = s.read("walk", |v| read_walk(s, v, duration_ns));
    for key in LOSS.into_iter().filter(|key| s.get(key).is_some()).skip(1) {
        s.problem_of(
            key,
            "give one of distance, fer, snr, mpdu_error_rate and walk: each says which frames are lost",
        );
    }
    let Some(errors) = errors else { return (Loss::None, None) };
    let mut loss = errors.usual();
    let start = walk.as_ref().map(|walk| walk.at(0));
    for (key, value) in LOSS.into_iter().zip([distance, fer, snr, mpdu, start]) {
        match value.map(|value| errors.loss(key, value)) {
            Some(Ok(own)) => loss = own,
            Some(Err(message)) => s.problem_of(key, &message),
            None => {}
        }
    }
    (loss, walk)
}

/// `[["0s", 1], ["60s", "60 m"]]`, within the run.
fn read_walk<'s, 'a>(s: &Section<'s, 'a>, v: &Value<'s, 'a>, duration_ns: u64) -> Result<Walk, String> {
    let wrong =
        || format!("{} is not a list of times and distances such as [[\"0s\", 1], [\"60s\", 60]]", v.written);
    let stops = v.value.as_array().ok_or_else(wrong)?.iter().map(|stop| {
        let value = Value::part(stop, String::new());
        let [time, distance] = value
            .value
            .as_array()
            .map_or_else(Vec::new, |_| s.items(&value))
            .try_into()
            .map_err(|_| wrong())?;
        let at_ns = Unit::Ns.parse(&time).map_err(|e| e.to_string())?;
        if at_ns > duration_ns {
            return Err(format!("{time} is past the end of the run ({})", Unit::Ns.format(duration_ns)));
        }
        Ok((at_ns, parse_metres(&distance)?))
    });
    Walk::new(stops.collect::<Result<_, _>>()?)
}

/// Who chooses a station's rate. Without a `phy` nobody is wrong.
pub(crate) fn read_rate_control(
    s: &Section,
    phy: Option<&Phy>,
    errors: Option<Errors>,
    (rate, loss): (&Rate, Loss),
) -> RateAlgorithm {
    let names = RateAlgorithm::ALL.map(|control| (control.name(), control)).to_vec();
    let control = s.read("rate_control", choice(names)).unwrap_or(RateAlgorithm::Fixed);
    if let (Some(phy), Some(_)) = (phy, errors)
        && let Err(message) = fits(control, phy, rate, loss)
    {
        s.problem_of("rate_control", &message);
    }
    control
}

/// Whether there is something to choose, and something to choose by.
fn fits(control: RateAlgorithm, phy: &Phy, rate: &Rate, loss: Loss) -> Result<(), String> {
    match (control, loss) {
        (RateAlgorithm::Fixed, _) => Ok(()),
        _ if phy.has_mcs() && rate.format() == Format::Legacy => {
            Err("only for rates by MCS; this is a station of 802.11a or g: \"fixed\"".into())
        }
        _ if !phy.has_mcs() => {
            Err(format!("only for profiles with rates by MCS; this is {}: \"fixed\"", phy.name()))
        }
        (_, Loss::Signal(_)) => Ok(()),
        _ => Err(format!(
            "\"{}\" chooses by what arrives at each rate, and here frames are lost whatever the rate: with errors = \"snr\" in [wifi], and a distance or snr",
            control.name()
        )),
    }
}

/// A station's link with another value of one of [`CHANGED`].
///
/// # Errors
/// Says what is wrong with the value, and what is allowed.
pub(crate) fn change(
    errors: Errors,
    phy: &Phy,
    (speed, loss): (Speed, Loss),
    key: &str,
    value: &str,
) -> Result<(Speed, Loss), String> {
    let named = |message: String| format!("{key}: {message}");
    if key == "rate_control" {
        let known = RateAlgorithm::ALL.map(RateAlgorithm::name);
        let control = RateAlgorithm::ALL.into_iter().find(|control| control.name() == value);
        let unknown = || named(format!("'{value}' is not known{}", instead(value, &known)));
        let control = control.ok_or_else(unknown)?;
        fits(control, phy, &speed.rate, loss).map_err(named)?;
        return Ok((Speed { control, ..speed }, loss));
    }
    let number = match key {
        "distance" => parse_metres(value).map_err(named)?,
        "snr" => parse_decibels(value).map_err(named)?,
        _ => value
            .parse()
            .ok()
            .filter(|share| (0.0..=1.0).contains(share))
            .ok_or_else(|| named(format!("'{value}' is not a share of frames such as 0.1 (0 to 1)")))?,
    };
    let loss = errors.loss(key, number).map_err(named)?;
    fits(speed.control, phy, &speed.rate, loss)
        .map_err(|message| format!("{key}: its rate_control: {message}"))?;
    Ok((speed, loss))
}

/// Problem of a station without a known signal in a cell with capture.
pub(crate) const CAPTURED: &str =
    "with capture in [wifi] each station has a distance, walk or snr: its signal follows from that";

/// Checks that a cell with capture knows the signal of a station with these losses.
pub(crate) fn captured(cell: Option<&CellConfig>, loss: Loss) -> Result<(), String> {
    match cell.is_some_and(|cell| cell.capture_db.is_some()) && loss.capture_m().is_none() {
        true => Err(CAPTURED.into()),
        false => Ok(()),
    }
}

/// Keys of a station that can be changed while it runs, but for those of its rate.
pub(crate) const CHANGED: [&str; 5] = ["distance", "fer", "snr", "mpdu_error_rate", "rate_control"];

/// `1.5` or `"1.5 m"`; above 0.
fn metres(v: &Value) -> Result<f64, String> {
    parse_metres(&v.written)
}

fn parse_metres(written: &str) -> Result<f64, String> {
    let wrong = || {
        format!("'{written}' is not a distance in metres above 0 and up to 1000, such as 1.5 or \"1.5 m\"")
    };
    let distance = measure(written, "m").ok_or_else(wrong)?;
    (distance > 0.0 && distance <= 1000.0).then_some(distance).ok_or_else(wrong)
}

/// `25` or `"25 dB"`.
fn decibels(v: &Value) -> Result<f64, String> {
    parse_decibels(&v.written)
}

fn parse_decibels(written: &str) -> Result<f64, String> {
    let (size, sign) = written.strip_prefix('-').map_or((written, 1.0), |size| (size, -1.0));
    let db = measure(size, "dB").map(|size| sign * size).filter(|db| SNR_DB.contains(db));
    let (least, most) = (SNR_DB.start(), SNR_DB.end());
    db.ok_or_else(|| {
        format!(
            "'{written}' is not a signal-to-noise ratio in dB, such as 25 or \"25 dB\" ({least} to {most})"
        )
    })
}

/// A number that begins with a digit, with or without its unit.
pub(crate) fn measure(written: &str, unit: &str) -> Option<f64> {
    let digits = written.strip_suffix(unit).map_or(written, str::trim_end);
    digits.parse().ok().filter(|_| digits.starts_with(|c: char| c.is_ascii_digit()))
}
