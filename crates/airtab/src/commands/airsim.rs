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
