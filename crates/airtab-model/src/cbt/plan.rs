// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which allocations a queue can keep (Parris 2001, IV.3.1 and B.6 for the procedure).
//!
//! Three things must hold. The rates fit on the link. A class's threshold in bytes, B L, holds the packets that it may
//! always have, `guard` + 1 full ones: with less it gets more than its rate, at the others' expense. And no class lets in
//! more at once than the queue holds ([`burst`](super::burst)): it would drop what others send.
//!
//! What it does not do: it does not measure the load. A class of multimedia is to have the largest mean over a few seconds,
//! not the long-term one.

use super::burst::{accepted, average_after};
use super::threshold::{Allocation, Class};
use super::{CbtError, Quantity};

/// By how much a sum of rates may be above the link and a threshold below its floor, as a part of them.
const ROUNDING: f64 = 1e-9;

/// A class that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// How errors name it.
    pub name: String,
    /// B, bytes/s; P, bytes.
    pub class: Class,
    /// w, of a new sample in its average.
    pub weight: f64,
}

/// The queue and its link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queue {
    /// C, bytes/s.
    pub link: f64,
    /// L, s.
    pub latency_s: f64,
    /// A full packet, bytes, as the link counts them.
    pub full_packet: f64,
    /// Packets that a class may hold before its average is asked.
    pub guard: u32,
    /// Packets that the queue holds.
    pub limit: u32,
}

/// Why a plan is none; with what would do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refused {
    /// A number that is none.
    #[error(transparent)]
    Value(#[from] CbtError),
    /// Rates beyond the link.
    #[error("classes sum to {}, the link carries {}: it must carry {} at least, or take {} from the classes",
        bits(*.sum), bits(*.link), bits(*.sum), bits(.sum - .link))]
    Link {
        /// Of all rates, bytes/s.
        sum: f64,
        /// Bytes/s.
        link: f64,
    },
    /// A class that cannot be held to so little.
    #[error("class {class}: {} for {} ms are {held:.0} bytes, fewer than the {packets} full packets ({floor:.0} bytes) that it may \
             always hold: give it at least {}, or a latency of at least {} ms",
        bits(*.rate), ms(*.latency_s), least_bits(*.least_rate), up(least_latency_s * 1e3))]
    Floor {
        /// Which class.
        class: String,
        /// B, bytes/s.
        rate: f64,
        /// L, s.
        latency_s: f64,
        /// B L, bytes.
        held: f64,
        /// guard + 1.
        packets: u32,
        /// So many full packets, bytes.
        floor: f64,
        /// The least B that works with this L, bytes/s.
        least_rate: f64,
        /// The least L that works with this B, s.
        least_latency_s: f64,
    },
    /// A class whose bursts fill the queue.
    #[error("class {class}: it lets in {packets} packets at once before its average reaches {threshold:.2}, and the queue holds \
             {limit}: take a limit of at least {packets}, a latency of at most {} ms, or a larger weight", down(most_latency_s * 1e3))]
    Burst {
        /// Which class.
        class: String,
        /// What it lets in.
        packets: u64,
        /// Its threshold, packets.
        threshold: f64,
        /// What the queue holds.
        limit: u32,
        /// The longest L that works, s.
        most_latency_s: f64,
    },
}

/// Checks what is wanted, and gives it as an allocation.
///
/// # Errors
/// The first thing that does not hold.
pub fn plan(queue: &Queue, wanted: &[Wanted]) -> Result<Allocation, Refused> {
    let classes: Vec<Class> = wanted.iter().map(|wanted| wanted.class).collect();
    let allocation = Allocation::new(&classes, queue.latency_s)?;
    Quantity::Packet.of(queue.full_packet)?;
    let (sum, link) = (allocation.capacity(), Quantity::Capacity.of(queue.link)?);
    if sum > link * (1.0 + ROUNDING) {
        return Err(Refused::Link { sum, link });
    }
    for (i, wanted) in wanted.iter().enumerate() {
        floor(queue, wanted, allocation.threshold_bytes(i))?;
        burst(queue, wanted, allocation.threshold(i))?;
    }
    Ok(allocation)
}

/// A class holds what it may always have.
fn floor(queue: &Queue, wanted: &Wanted, held: f64) -> Result<(), Refused> {
    let packets = queue.guard + 1;
    let floor = f64::from(packets) * queue.full_packet;
    if held >= floor * (1.0 - ROUNDING) {
        return Ok(());
    }
    Err(Refused::Floor {
        class: wanted.name.clone(),
        rate: wanted.class.rate,
        latency_s: queue.latency_s,
        held,
        packets,
        floor,
        least_rate: floor / queue.latency_s,
        least_latency_s: floor / wanted.class.rate,
    })
}

/// The queue holds what a class lets in at once.
fn burst(queue: &Queue, wanted: &Wanted, threshold: f64) -> Result<(), Refused> {
    let packets = accepted(wanted.weight, threshold, queue.guard)?;
    if packets <= queue.limit.into() {
        return Ok(());
    }
    let most = average_after(queue.limit.into(), wanted.weight)?;
    Err(Refused::Burst {
        class: wanted.name.clone(),
        packets,
        threshold,
        limit: queue.limit,
        most_latency_s: most * wanted.class.packet / wanted.class.rate,
    })
}

/// Bytes/s as bits/s.
fn bits(rate: f64) -> String {
    let bits = rate * 8.0;
    if bits >= 1e6 { format!("{} Mb/s", short(bits / 1e6)) } else { format!("{} kb/s", short(bits / 1e3)) }
}

/// The same, rounded up.
fn least_bits(rate: f64) -> String {
    let bits = rate * 8.0;
    if bits >= 1e6 { format!("{} Mb/s", up(bits / 1e6)) } else { format!("{} kb/s", up(bits / 1e3)) }
}

fn ms(seconds: f64) -> String {
    short(seconds * 1e3)
}

/// Three decimals at most.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// One decimal, not below the value; two where it is small.
fn up(value: f64) -> String {
    let scale = if value < 10.0 { 100.0 } else { 10.0 };
    short(libm::ceil(value * scale - 1e-6) / scale)
}

/// One decimal, not above the value; two where it is small.
fn down(value: f64) -> String {
    let scale = if value < 10.0 { 100.0 } else { 10.0 };
    short(libm::floor(value * scale) / scale)
}
