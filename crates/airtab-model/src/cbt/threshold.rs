// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Thresholds for the rates that classes are to have, and for a latency (Parris 2001, IV.4.1, B.6).
//!
//! The premises: the link is busy, every class holds its threshold on average, and the rates sum to what the link
//! carries. Then a class's share of the queued bytes is its share of the link.
//!
//! A threshold is a real number: rounding it moves the rates.
//!
//! What it does not do: it does not ask whether a queue can keep them ([`plan`](super::plan)).

use super::{CbtError, KIB, Quantity, of_classes};

/// A class as it is configured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class {
    /// B, what it is to have when all are busy, bytes/s.
    pub rate: f64,
    /// P, its mean packet, bytes.
    pub packet: f64,
}

/// Classes, and L, how long a packet may wait on average when all are busy.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    classes: Vec<Class>,
    latency_s: f64,
}

impl Allocation {
    /// # Errors
    /// No class; a rate, a packet or a latency that is not above 0.
    pub fn new(classes: &[Class], latency_s: f64) -> Result<Allocation, CbtError> {
        let each = |of: fn(&Class) -> f64| classes.iter().map(of).collect::<Vec<_>>();
        of_classes(Quantity::Rate, &each(|class| class.rate), classes.len())?;
        of_classes(Quantity::Packet, &each(|class| class.packet), classes.len())?;
        Ok(Allocation { classes: classes.into(), latency_s: Quantity::Latency.of(latency_s)? })
    }

    /// As the source writes rates where it computes thresholds: KB of 1024 bytes (eq. B.5).
    ///
    /// # Errors
    /// As [`Allocation::new`].
    pub fn of_kib(classes: &[Class], latency_s: f64) -> Result<Allocation, CbtError> {
        let whole = |class: &Class| Class { rate: class.rate * KIB, ..*class };
        Allocation::new(&classes.iter().map(whole).collect::<Vec<_>>(), latency_s)
    }

    /// The classes.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// L, s.
    pub fn latency_s(&self) -> f64 {
        self.latency_s
    }

    /// C, what the link carries: the sum of the rates (eq. 4.4), bytes/s.
    pub fn capacity(&self) -> f64 {
        self.classes.iter().map(|class| class.rate).sum()
    }

    /// Th_i = B_i L / P_i, packets (eq. 4.1; B.4 is the same).
    pub fn threshold(&self, i: usize) -> f64 {
        self.threshold_bytes(i) / self.classes[i].packet
    }

    /// B_i L: the threshold of a class whose average is in bytes, for which no packet size need be known (VI.5.1.1).
    pub fn threshold_bytes(&self, i: usize) -> f64 {
        self.classes[i].rate * self.latency_s
    }

    /// B_i / P_i, packets/s that the class drains when it gets its rate: samples that it misses when idle (IV.3.2.5).
    pub fn drain_rate(&self, i: usize) -> f64 {
        self.classes[i].rate / self.classes[i].packet
    }

    /// Th_i / Th_j = B_i P_j / (B_j P_i) (eq. 4.5).
    pub fn ratio(&self, i: usize, j: usize) -> f64 {
        let (a, b) = (&self.classes[i], &self.classes[j]);
        a.rate * b.packet / (b.rate * a.packet)
    }

    /// Th_i by the threshold of class `j` (eq. 4.6).
    pub fn threshold_by(&self, i: usize, j: usize, threshold_j: f64) -> f64 {
        self.ratio(i, j) * threshold_j
    }

    /// L by the threshold of class `j`: P_j Th_j / C times the sum of B_i / B_j (eq. 4.7).
    pub fn latency_by(&self, j: usize, threshold_j: f64) -> f64 {
        self.classes[j].packet * threshold_j / self.capacity() * self.relative(j)
    }

    /// Th_j = L C / (P_j times the sum of B_i / B_j) (eq. 4.8).
    pub fn threshold_by_latency(&self, j: usize) -> f64 {
        self.latency_s * self.capacity() / (self.classes[j].packet * self.relative(j))
    }

    /// Th_j = L C / ((P_j / B_j) C) (eq. 4.9): 4.8 with rates that fill the link.
    pub fn threshold_by_capacity(&self, j: usize) -> f64 {
        let Class { rate, packet } = self.classes[j];
        self.latency_s * self.capacity() / (packet / rate * self.capacity())
    }

    /// The sum of B_i / B_j over all i.
    fn relative(&self, j: usize) -> f64 {
        self.classes.iter().map(|class| class.rate / self.classes[j].rate).sum()
    }
}
