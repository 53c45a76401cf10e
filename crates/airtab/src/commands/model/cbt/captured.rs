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

#[cfg(test)]
mod tests {
    use airtab_lab::class_load::{End, UnreadCounts};

    use super::*;

    /// Four seconds of two classes; the second sends most of its bytes in the third second, the last one nothing.
    fn loads() -> Loads {
        let mut bins = vec![0; 40];
        bins[5] = 3_000;
        bins[20..32].fill(1_000);
        let class = |packets, bytes, bins| ClassLoad { packets, bytes, new_tcp_bytes: None, bins };
        Loads {
            frames: 35,
            span_ns: 4_000_000_000,
            classes: vec![class(20, 20_000, vec![500; 40]), class(15, 15_000, bins), class(0, 0, Vec::new())],
            matched: Vec::new(),
            unmatched: 0,
            unread: UnreadCounts::default(),
            end: End::Whole,
        }
    }

    fn named<T>(name: &str, value: T) -> Named<T> {
        Named { name: name.into(), value }
    }

    /// Packets of 1000 bytes have 24 more on the wire, and so have rates.
    #[test]
    fn loads_are_those_of_the_wire() {
        let found = captured(&["a", "b", "c"], &loads(), 24.0);
        let of: Vec<_> = found.iter().map(|c| (c.name.as_str(), c.packet, c.load, c.peak)).collect();
        assert_eq!(
            of,
            [
                ("a", Some(1024), 5_000.0 * 1.024, 5_000.0 * 1.024),
                ("b", Some(1024), 3_750.0 * 1.024, 6_000.0 * 1.024),
                ("c", None, 0.0, 0.0),
            ]
        );
        assert_eq!(captured(&["a", "b", "c"], &loads(), 0.0)[1].load, 3_750.0);
    }

    /// Options win over the capture; a peak is taken for the classes that ask for it, by name.
    #[test]
    fn what_was_said_goes_before_a_capture() {
        let found = captured(&["a", "b", "c"], &loads(), 0.0);
        let wanted =
            [named("b", Allocation::Peak), named("a", Allocation::Rest), named("x", Allocation::Rate(7.0))];
        let expected = vec![
            named("b", Allocation::Rate(6_000.0)),
            named("a", Allocation::Rest),
            named("x", Allocation::Rate(7.0)),
        ];
        assert_eq!(with_peaks(&wanted, &found), Ok(expected));
        let said = with_peaks(&[named("c", Allocation::Peak)], &found).expect_err("it has no packet");
        assert!(said.starts_with("--class c=peak: the capture has no packet of it"), "{said}");
        assert_eq!(completed(&[named("b", 77)], &found, |c| c.packet), [named("b", 77), named("a", 1000)]);
        assert_eq!(
            completed(&[named("x", 1.0)], &found, |c| Some(c.load)),
            [named("x", 1.0), named("a", 5_000.0), named("b", 3_750.0), named("c", 0.0)]
        );
    }
}
