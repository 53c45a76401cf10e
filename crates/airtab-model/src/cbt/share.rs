// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What thresholds make when all classes are busy: rates and the latency (Parris 2001, IV.4.1, chapter VI).
//!
//! The same as [`threshold`](super::threshold) from the other end: with the packets that classes really send, which
//! need not be those for which thresholds were computed. A class whose packets are twice as long gets twice as much
//! (V.2.1.2).
//!
//! What it does not do: classes that leave some of their share are in [`borrow`](super::borrow).

use super::{CbtError, Quantity, of_classes};

/// A class as it is in the queue when it is busy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Th, what it holds on average, packets.
    pub threshold: f64,
    /// P, its mean packet, bytes.
    pub packet: f64,
}

impl Held {
    /// P Th, bytes.
    pub fn bytes(&self) -> f64 {
        self.packet * self.threshold
    }
}

/// Busy classes before a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Busy {
    held: Vec<Held>,
    capacity: f64,
}

impl Busy {
    /// Before a link that carries `capacity` bytes/s.
    ///
    /// # Errors
    /// No class; a threshold, a packet or a capacity that is not above 0.
    pub fn new(held: &[Held], capacity: f64) -> Result<Busy, CbtError> {
        let each = |of: fn(&Held) -> f64| held.iter().map(of).collect::<Vec<_>>();
        of_classes(Quantity::Threshold, &each(|class| class.threshold), held.len())?;
        of_classes(Quantity::Packet, &each(|class| class.packet), held.len())?;
        Ok(Busy { held: held.into(), capacity: Quantity::Capacity.of(capacity)? })
    }

    /// The classes.
    pub fn held(&self) -> &[Held] {
        &self.held
    }

    /// C, bytes/s.
    pub fn capacity(&self) -> f64 {
        self.capacity
    }

    /// What waits on average, bytes.
    pub fn bytes(&self) -> f64 {
        self.held.iter().map(Held::bytes).sum()
    }

    /// L, the sum of P_i Th_i / C: the time to drain what waits on average (eq. 4.2; 6.1 is the same), s.
    pub fn latency_s(&self) -> f64 {
        self.bytes() / self.capacity
    }

    /// s_i, its share of the queued bytes and of the link (eq. 4.10). Shares sum to 1 (eq. 4.11).
    pub fn share(&self, i: usize) -> f64 {
        self.held[i].bytes() / self.bytes()
    }

    /// B_i = s_i C (eq. 4.3; 6.2 is the same), bytes/s.
    pub fn rate(&self, i: usize) -> f64 {
        self.share(i) * self.capacity
    }
}
