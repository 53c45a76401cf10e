// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab airsim`: the front end of the kernel's virtual Wi-Fi cell. `docs/airsim.md`.
//!
//! What it does not do: no range is checked here, and no device is given an address, a queue or a namespace.
//! `ip` and `tc` do that.

pub mod args;
mod genl;
mod show;
mod socket;

use std::process::ExitCode;

use anyhow::bail;
use serde_json::json;

use self::args::{Airsim, AirsimCommand, Driver, Show, Station};
use self::genl::{Key, Verb};
use self::show::Cell;
use self::socket::Module;
use crate::netlink::message::Attribute;
use crate::output;

/// Says it to the module, or shows what it says.
pub fn airsim(args: &Airsim) -> anyhow::Result<ExitCode> {
    let (verb, attributes) = match &args.command {
        AirsimCommand::Show(show) => return shown(show),
        AirsimCommand::New(new) => {
            let mut attributes = driver(&new.device, &new.driver);
            attributes.extend(new.phy.as_deref().map(|phy| Attribute::text(Key::Phy, phy)));
            attributes.extend(new.seed.map(|seed| Attribute::long(Key::Seed, seed)));
            (Verb::New, attributes)
        }
        AirsimCommand::Set(set) => (Verb::Set, driver(&set.device, &set.driver)),
        AirsimCommand::Station(of) => (Verb::Station, station(of)),
        AirsimCommand::Del(del) => (Verb::Del, vec![Attribute::text(Key::Dev, &del.device)]),
    };
    Module::find()?.tell(verb, attributes)?;
    Ok(ExitCode::SUCCESS)
}

fn words(pairs: &[(Key, Option<u32>)]) -> Vec<Attribute> {
    pairs.iter().filter_map(|&(key, value)| value.map(|value| Attribute::word(key, value))).collect()
}

fn driver(device: &str, driver: &Driver) -> Vec<Attribute> {
    let values = words(&[
        (Key::Ring, driver.ring),
        (Key::Stop, driver.stop),
        (Key::Ampdu, driver.ampdu),
        (Key::AmpduNs, driver.ampdu_time),
        (Key::Attempts, driver.attempts),
        (Key::DoneFrames, driver.completions),
        (Key::DoneNs, driver.completion_delay),
        (Key::Orphan, driver.orphan),
    ]);
    [vec![Attribute::text(Key::Dev, device)], values].concat()
}

fn station(of: &Station) -> Vec<Attribute> {
    let names = vec![Attribute::text(Key::Dev, &of.device), Attribute::text(Key::Name, &of.name)];
    let values = words(&[
        (Key::Kbps, of.rate),
        (Key::Mcs, of.mcs),
        (Key::Streams, of.streams),
        (Key::Width, of.width),
        (Key::Gi, of.gi),
        (Key::Fer, of.fer),
        (Key::Asleep, of.asleep),
    ]);
    [names, values].concat()
}

fn shown(args: &Show) -> anyhow::Result<ExitCode> {
    let mut cells = Cell::all(&Module::find()?.devices()?);
    if let Some(device) = &args.device {
        let names: Vec<_> = cells.iter().map(|cell| cell.device.clone()).collect();
        cells.retain(|cell| cell.device == *device);
        if cells.is_empty() {
            match names.as_slice() {
                [] => bail!(
                    "{device}: there is no cell in this network namespace; `airtab airsim new {device}` makes one"
                ),
                names => bail!("{device}: no access point of airsim here; there are {}", names.join(", ")),
            }
        }
    }
    let text = match args.form.is_json() {
        true => format!("{:#}\n", json!({ "schema": 1, "cells": cells })),
        false if cells.is_empty() => {
            "no cell in this network namespace; `airtab airsim new air0` makes one\n".into()
        }
        false => cells.iter().map(Cell::text).collect::<Vec<_>>().join("\n"),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};
    use crate::netlink::message::Attributes;

    /// Attributes that a command line sends to the module.
    fn told(words: &str) -> Attributes {
        let words = ["airtab", "airsim"].into_iter().chain(words.split(' '));
        let Command::Airsim(args) = Args::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).command
        else {
            panic!("another command")
        };
        Attributes(match &args.command {
            AirsimCommand::New(new) => driver(&new.device, &new.driver),
            AirsimCommand::Set(set) => driver(&set.device, &set.driver),
            AirsimCommand::Station(of) => station(of),
            _ => panic!("it says nothing of a driver"),
        })
    }

    /// Each option alone sets one key.
    #[test]
    fn each_option_is_told_under_its_key() {
        for command in ["new air7", "set air7"] {
            for (option, key, value) in [
                ("--ring 64", Key::Ring, 64),
                ("--stop on", Key::Stop, 1),
                ("--stop off", Key::Stop, 0),
                ("--ampdu 32", Key::Ampdu, 32),
                ("--ampdu-time 3ms", Key::AmpduNs, 3_000_000),
                ("--attempts 5", Key::Attempts, 5),
                ("--completions 8", Key::DoneFrames, 8),
                ("--completion-delay 9us", Key::DoneNs, 9_000),
                ("--orphan on", Key::Orphan, 1),
            ] {
                let told = told(&format!("{command} {option}"));
                assert_eq!(
                    (told.text(Key::Dev as u16).as_deref(), told.0.len()),
                    (Some("air7"), 2),
                    "{option}"
                );
                assert_eq!(told.number(key as u16), Some(value), "{option}");
            }
            assert_eq!(told(command).0.len(), 1);
        }
        for (option, key, value) in [
            ("--rate 5.5Mb/s", Key::Kbps, 5_500),
            ("--mcs 3", Key::Mcs, 3),
            ("--streams 2", Key::Streams, 2),
            ("--width 40", Key::Width, 40),
            ("--gi 400ns", Key::Gi, 400),
            ("--fer 0.25", Key::Fer, 250_000),
            ("--asleep on", Key::Asleep, 1),
        ] {
            let told = told(&format!("station air7 far {option}"));
            let names = [Key::Dev, Key::Name].map(|key| told.text(key as u16));
            assert_eq!((names, told.0.len()), ([Some("air7".into()), Some("far".into())], 3), "{option}");
            assert_eq!(told.number(key as u16), Some(value), "{option}");
        }
    }
}
