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
    match request(&args.command) {
        Ok((verb, attributes)) => {
            Module::find()?.tell(verb, attributes)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(show) => shown(show),
    }
}

/// The request to the module; `Err`: a command that only shows something, and sends none.
fn request(command: &AirsimCommand) -> Result<(Verb, Vec<Attribute>), &Show> {
    Ok(match command {
        AirsimCommand::Show(show) => return Err(show),
        AirsimCommand::New(new) => {
            let mut attributes = driver(&new.device, &new.driver);
            attributes.extend(new.phy.as_deref().map(|phy| Attribute::text(Key::Phy, phy)));
            attributes.extend(new.seed.map(|seed| Attribute::long(Key::Seed, seed)));
            (Verb::New, attributes)
        }
        AirsimCommand::Set(set) => (Verb::Set, driver(&set.device, &set.driver)),
        AirsimCommand::Station(of) => (Verb::Station, station(of)),
        AirsimCommand::Del(del) => (Verb::Del, vec![Attribute::text(Key::Dev, &del.device)]),
    })
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
    let cells = of_device(Cell::all(&Module::find()?.devices()?), args.device.as_deref())?;
    output::print(&printed(&cells, args.form.is_json()))?;
    Ok(ExitCode::SUCCESS)
}

/// The cell of that access point, which must be there; without one all.
fn of_device(mut cells: Vec<Cell>, device: Option<&str>) -> anyhow::Result<Vec<Cell>> {
    if let Some(device) = device {
        let names: Vec<_> = cells.iter().map(|cell| cell.device.clone()).collect();
        cells.retain(|cell| cell.device == device);
        if cells.is_empty() {
            match names.as_slice() {
                [] => bail!(
                    "{device}: there is no cell in this network namespace; `airtab airsim new {device}` makes one"
                ),
                names => bail!("{device}: no access point of airsim here; there are {}", names.join(", ")),
            }
        }
    }
    Ok(cells)
}

fn printed(cells: &[Cell], json: bool) -> String {
    match json {
        true => format!("{:#}\n", json!({ "schema": 1, "cells": cells })),
        false if cells.is_empty() => {
            "no cell in this network namespace; `airtab airsim new air0` makes one\n".into()
        }
        false => cells.iter().map(Cell::text).collect::<Vec<_>>().join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};
    use crate::netlink::message::Attributes;

    fn parsed(words: &str) -> AirsimCommand {
        let words = ["airtab", "airsim"].into_iter().chain(words.split(' '));
        match Args::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).command {
            Command::Airsim(args) => args.command,
            _ => panic!("another command"),
        }
    }

    /// Attributes that a command line sends to the module.
    fn told(words: &str) -> Attributes {
        match request(&parsed(words)) {
            Ok((_, attributes)) => Attributes(attributes),
            Err(_) => panic!("it tells the module nothing"),
        }
    }

    #[test]
    fn each_command_has_its_verb() {
        let verb = |words: &str| request(&parsed(words)).ok().map(|(verb, _)| verb);
        for (words, expected) in [
            ("new air7", Some(Verb::New)),
            ("set air7 --ring 5", Some(Verb::Set)),
            ("station air7 far", Some(Verb::Station)),
            ("del air7", Some(Verb::Del)),
            ("show air7", None),
        ] {
            assert_eq!(verb(words), expected, "{words}");
        }
        let new = told("new air7 --phy std-11n --seed 5000000000 --ring 9");
        assert_eq!(new.text(Key::Phy as u16).as_deref(), Some("std-11n"));
        let numbers = [Key::Seed, Key::Ring].map(|key| new.number(key as u16));
        assert_eq!((numbers, new.0.len()), ([Some(5_000_000_000), Some(9)], 4));
        assert_eq!(told("new air7 --seed 0").number(Key::Seed as u16), Some(0));
        let del = told("del air7");
        assert_eq!((del.text(Key::Dev as u16).as_deref(), del.0.len()), (Some("air7"), 1));
    }

    /// Cells of these devices, as the module dumps them.
    fn cells(devices: &[&str]) -> Vec<Cell> {
        let dump = devices.iter().map(|device| Attributes(vec![Attribute::text(Key::Dev, device)]));
        Cell::all(&dump.collect::<Vec<_>>())
    }

    #[test]
    fn one_cell_is_shown_or_all() {
        let shown = |there: &[&str], device: Option<&str>| {
            let names = |cells: Vec<Cell>| cells.into_iter().map(|cell| cell.device).collect::<Vec<_>>();
            of_device(cells(there), device).map(names).map_err(|e| e.to_string())
        };
        assert_eq!(shown(&["air0", "air1"], None), Ok(vec!["air0".into(), "air1".into()]));
        assert_eq!(shown(&["air0", "air1"], Some("air1")), Ok(vec!["air1".into()]));
        assert_eq!(shown(&[], None), Ok(vec![]));
        assert_eq!(
            shown(&["air0", "air1"], Some("air")),
            Err("air: no access point of airsim here; there are air0, air1".into())
        );
        assert_eq!(
            shown(&[], Some("air3")),
            Err("air3: there is no cell in this network namespace; `airtab airsim new air3` makes one".into())
        );
    }

    #[test]
    fn cells_are_printed_one_after_the_other() {
        let two = cells(&["air0", "air1"]);
        assert_eq!(printed(&two, false), format!("{}\n{}", two[0].text(), two[1].text()));
        let json: serde_json::Value = serde_json::from_str(&printed(&two, true)).expect("JSON");
        assert_eq!((&json["schema"], &json["cells"][1]["device"]), (&json!(1), &json!("air1")));
        let none: serde_json::Value = serde_json::from_str(&printed(&[], true)).expect("JSON");
        assert_eq!(none, json!({ "schema": 1, "cells": [] }));
        let said = "no cell in this network namespace; `airtab airsim new air0` makes one\n";
        assert_eq!(printed(&[], false), said);
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
