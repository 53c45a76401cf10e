// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Class-Based Thresholds (CBT): one FIFO queue in which each class may hold so much on average; what that gives the
//! classes, and how long packets wait. Beside it what its study compares it with, and the traffic it uses.
//!
//! Source: M. Parris, "Class-Based Thresholds: Lightweight Active Router-Queue Management for Multimedia Networking",
//! PhD dissertation, University of North Carolina at Chapel Hill, 2001, with its numbers of equations and tables.
//! One function for each equation; where the print is wrong, the function says what is computed instead.
//!
//! | module | section | what |
//! |---|---|---|
//! | [`threshold`] | IV.4.1, B.6 | 4.1, 4.4 to 4.9, B.4, B.5: thresholds for rates and a latency |
//! | [`share`] | IV.4.1, VI | 4.2, 4.3, 4.10, 4.11, 6.1, 6.2: rates and the latency that thresholds make |
//! | [`borrow`] | IV.5.2 | 4.12 to 4.18: what classes get of what others leave |
//! | [`wait`] | IV.5.2.3 | 4.19 to 4.27: how long packets wait then |
//! | [`wire`] | - | what a link carries of frames, if each has bytes that nobody counts |
//! | [`burst`] | B.3.2, III | B.2: bursts into an empty queue |
//! | [`fifo`], [`red`], [`fred`], [`cbq`] | III, B.2 to B.7 | B.1, B.3: the disciplines beside it |
//! | [`rate`] | II, III, A | 2.1, 3.1: what TCP gets; what browsers ask for |
//! | [`frames`] | A.3.3 | frames of a video whose packets are lost |
//! | [`plan`] | IV.3.1, B.6 | which allocations a queue can keep |
//! | [`study`] | B.6 | the classes of the study's five mixes |
//!
//! Rates are bytes/s, sizes bytes, times s, thresholds packets. The source writes KB and means 1024 bytes where it
//! computes thresholds ([`KIB`]), and 1000 where it states rates ([`KB`]).
//!
//! What it does not do: everything here is a mean over tenths of seconds and longer. No packet is simulated.

pub mod borrow;
pub mod burst;
pub mod cbq;
pub mod fifo;
pub mod frames;
pub mod fred;
pub mod plan;
pub mod rate;
pub mod red;
pub mod share;
pub mod study;
pub mod threshold;
pub mod wait;
pub mod wire;

/// KB of rates, loads and capacities, bytes.
pub const KB: f64 = 1000.0;
/// KB of the rates from which the source computes thresholds, bytes.
pub const KIB: f64 = 1024.0;

/// What a number is about, and what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// What a class is to have, bytes/s.
    Rate,
    /// A mean packet, bytes.
    Packet,
    /// What a class may hold on average, packets.
    Threshold,
    /// What a class holds on average, packets.
    Average,
    /// How long packets may wait, s.
    Latency,
    /// What a link carries, bytes/s.
    Capacity,
    /// What a class sends, bytes/s; infinite for one that always has a packet.
    Load,
    /// Of a new sample in an average.
    Weight,
    /// The largest probability of an early drop.
    MaxP,
    /// Packets that a queue holds.
    Limit,
    /// A round trip, s.
    RoundTrip,
    /// Share of packets that are lost.
    Loss,
    /// Share of a link.
    Share,
}

impl Quantity {
    /// Whether it can have that value.
    fn takes(self, value: f64) -> bool {
        match self {
            Quantity::Load => value >= 0.0,
            Quantity::Average => value.is_finite() && value >= 0.0,
            Quantity::Weight | Quantity::MaxP | Quantity::Share => value > 0.0 && value <= 1.0,
            Quantity::Loss => (0.0..=1.0).contains(&value),
            _ => value.is_finite() && value > 0.0,
        }
    }

    /// That value, if it can have it.
    fn of(self, value: f64) -> Result<f64, CbtError> {
        if self.takes(value) { Ok(value) } else { Err(CbtError::Value { quantity: self, value }) }
    }

    /// The same of a class, numbered from 0.
    fn of_class(self, class: usize, value: f64) -> Result<f64, CbtError> {
        let wrong = CbtError::OfClass { quantity: self, class: class + 1, value };
        if self.takes(value) { Ok(value) } else { Err(wrong) }
    }

    fn words(self) -> [&'static str; 2] {
        match self {
            Quantity::Rate => ["rate", "above 0, such as 125000 bytes/s"],
            Quantity::Packet => ["packet", "above 0, such as 1500 bytes"],
            Quantity::Threshold => ["threshold", "above 0, such as 20 packets"],
            Quantity::Average => ["average", "0 packets or more"],
            Quantity::Latency => ["latency", "above 0, such as 0.03 s"],
            Quantity::Capacity => ["capacity", "above 0, such as 1250000 bytes/s"],
            Quantity::Load => ["load", "0 or more, infinite for a class that always has a packet"],
            Quantity::Weight => ["weight", "above 0 and at most 1, such as 1/256"],
            Quantity::MaxP => ["max_p", "above 0 and at most 1, such as 0.1"],
            Quantity::Limit => ["limit", "above 0, such as 240 packets"],
            Quantity::RoundTrip => ["round trip", "above 0, such as 0.1 s"],
            Quantity::Loss => ["loss", "0 to 1 of the packets"],
            Quantity::Share => ["share", "above 0 and at most 1 of the link"],
        }
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words()[0])
    }
}

/// Why there is no answer. Each names the value, and what it may be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CbtError {
    /// There is no class.
    #[error("no class: give at least one")]
    NoClass,
    /// Not as many as there are classes.
    #[error("{quantity}: {found} values for {classes} classes; give one for each")]
    Lengths {
        /// Of what.
        quantity: Quantity,
        /// How many.
        found: usize,
        /// How many classes there are.
        classes: usize,
    },
    /// No value of that quantity.
    #[error("{quantity} {value}: {}", .quantity.words()[1])]
    Value {
        /// Of what.
        quantity: Quantity,
        /// The value.
        value: f64,
    },
    /// No value of that quantity, in a class.
    #[error("{quantity} {value} of class {class}: {}", .quantity.words()[1])]
    OfClass {
        /// Of what.
        quantity: Quantity,
        /// Which class, from 1.
        class: usize,
        /// The value.
        value: f64,
    },
    /// Thresholds of RED or FRED that are no band.
    #[error(
        "thresholds from {min} to {max}: the lower is 0 or more, the upper above it; give a larger th_max"
    )]
    Band {
        /// Th_min, packets.
        min: f64,
        /// Th_max, packets.
        max: f64,
    },
}

/// One value for each class, each of which the quantity can have.
fn of_classes(quantity: Quantity, values: &[f64], classes: usize) -> Result<(), CbtError> {
    if classes == 0 {
        return Err(CbtError::NoClass);
    }
    if values.len() != classes {
        return Err(CbtError::Lengths { quantity, found: values.len(), classes });
    }
    values.iter().enumerate().try_for_each(|(i, value)| quantity.of_class(i, *value).map(|_| ()))
}

#[cfg(test)]
mod tests;
