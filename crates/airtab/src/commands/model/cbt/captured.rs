// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What `airtab model cbt plan --from` takes of a capture: packets, mean loads, peaks.
//!
//! What it does not do: no capture is read here (`commands::classes`).

use airtab_lab::class_load::{ClassLoad, Loads};
use airtab_model::cbt::wire::on_wire;

use super::values::{Allocation, Named};

/// What a capture says of a class, on the wire.
pub struct Captured {
    pub name: String,
    /// None if it has no packet.
    pub packet: Option<u64>,
    /// Bytes/s.
    pub load: f64,
    /// The largest mean of 2 s.
    pub peak: f64,
}

/// Of classes of these names, whose frames have so many bytes more on the wire.
pub fn captured(names: &[&str], loads: &Loads, overhead: f64) -> Vec<Captured> {
    let one = |(i, class): (usize, &ClassLoad)| {
        let packet = class.packet_bytes();
        let wire = |rate: f64| packet.map_or(0.0, |packet| on_wire(rate, packet, overhead));
        Captured {
            name: names[i].into(),
            packet: packet.map(|packet| (packet + overhead).round() as u64),
            load: wire(loads.rate(class.bytes)),
            peak: wire(loads.peak(i)),
        }
    };
    loads.classes.iter().enumerate().map(one).collect()
}

/// What is wanted, with a capture's peaks in it.
///
/// # Errors
/// The peak of a class of which nothing was captured.
pub fn with_peaks(
    given: &[Named<Allocation>],
    captured: &[Captured],
) -> Result<Vec<Named<Allocation>>, String> {
    let one = |given: &Named<Allocation>| match captured.iter().find(|class| class.name == given.name) {
        Some(class) if given.value == Allocation::Peak && class.packet.is_none() => Err(format!(
            "--class {}=peak: the capture has no packet of it; give it a rate, or other --rules",
            given.name
        )),
        Some(class) if given.value == Allocation::Peak => {
            Ok(Named { name: given.name.clone(), value: Allocation::Rate(class.peak) })
        }
        _ => Ok(given.clone()),
    };
    given.iter().map(one).collect()
}

/// What was said, and the capture's of classes of which nothing was.
pub fn completed<T: Clone>(
    given: &[Named<T>],
    of: &[Captured],
    value: impl Fn(&Captured) -> Option<T>,
) -> Vec<Named<T>> {
    let silent = of.iter().filter(|class| given.iter().all(|given| given.name != class.name));
    let more = silent.filter_map(|class| Some(Named { name: class.name.clone(), value: value(class)? }));
    given.iter().cloned().chain(more).collect()
}
