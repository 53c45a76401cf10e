// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How much may be queued before a Wi-Fi link: fixed rules, rules that follow the service time, one buffer for a
//! collision domain (DNB), a limit that follows the drain time (WQM).
//!
//! Source: A. J. Showail, "Towards Optimal Buffer Size in Wi-Fi Networks", PhD dissertation, KAUST, 2016, with its
//! numbers of equations and tables. One function for each equation; where the print is wrong or says too little, the
//! function says what is computed instead.
//!
//! | module | equations | what |
//! |---|---|---|
//! | [`bdp`] | 2.3.1 | bandwidth-delay product, many flows, tiny buffers |
//! | [`adaptive`] | 2.1 to 2.3 | eBDP, ALT, A* |
//! | [`exchange`] | 4.4 to 4.6, 5.6, 5.7 | what a packet and its TCP ACK take on the air, alone or in aggregates |
//! | [`dnb`] | 4.1 to 4.3 | B, what a collision domain holds |
//! | [`split`] | 4.14 to 4.19 | how nodes share B, and what drops cost then |
//! | [`backlog`] | 4.7 to 4.13 | who wins, who receives, and how often a node overflows |
//! | [`domain`] | 4.2.1 | collision domains, their utilisation, the bottleneck |
//! | [`chain`] | - | what TCP gets through hops that share one channel |
//! | [`aggregate`] | 5.3.2 | K, how many frames an aggregate may have |
//! | [`wqm`] | 5.1 to 5.5, algorithm 2 | first size, drain time, bounds, and the law that moves the limit |
//! | [`pacing`] | 2.3.2 | paced senders, TCP-AP |
//! | [`minstrel`], [`fairness`] | 2.2.2 | what a rate delivers; Jain's index, packets in flight |
//!
//! Rates are Mb/s (which are bits per us), times us, sizes bytes and queues packets, unless a name says otherwise.
//!
//! What it does not do: no packet is simulated, no queue is kept, and who hears whom is the caller's.

pub mod adaptive;
pub mod aggregate;
pub mod backlog;
pub mod bdp;
pub mod chain;
pub mod dnb;
pub mod domain;
pub mod exchange;
pub mod fairness;
pub mod minstrel;
pub mod pacing;
pub mod split;
pub mod wqm;

/// The most nodes of a domain, and hops of a chain.
pub const MAX_NODES: usize = 256;
/// The most packets of a buffer.
pub const MAX_PACKETS: u32 = 1_000_000;
/// The most frames of an aggregate: the widest window that a block acknowledgement has (802.11be).
pub const MAX_FRAMES: u32 = 1024;

/// What a number is about, and what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// What a link carries, Mb/s.
    Rate,
    /// What a flow has of a link, Mb/s.
    Load,
    /// A round trip, us.
    RoundTrip,
    /// Time that passed, us.
    Time,
    /// What one packet waits at the head of the queue, us.
    Service,
    /// How long packets may wait, us.
    Drain,
    /// A packet, bytes.
    Packet,
    /// Packets of a queue.
    Packets,
    /// Packets of a window.
    Window,
    /// Flows.
    Flows,
    /// Frames of an aggregate.
    Frames,
    /// Nodes that contend.
    Nodes,
    /// Hops of a path.
    Hops,
    /// Intervals in a row.
    Intervals,
    /// Share of time that the channel is free for a sender.
    Free,
    /// Share of the air that a queue has.
    Share,
    /// Share of a link that is to be used.
    Utilisation,
    /// Probability that a node has nothing to send.
    Idle,
    /// Any probability.
    Probability,
    /// What a queue gains or loses in a second, packets.
    Gain,
    /// Standard deviation over mean.
    Variation,
}

impl Quantity {
    /// Whether it can have that value.
    fn takes(self, value: f64) -> bool {
        match self {
            Quantity::Load | Quantity::Time | Quantity::Gain | Quantity::Packets | Quantity::Variation => {
                value.is_finite() && value >= 0.0
            }
            Quantity::Free | Quantity::Share => value > 0.0 && value <= 1.0,
            Quantity::Utilisation => value > 0.0 && value < 1.0,
            Quantity::Idle | Quantity::Probability => (0.0..=1.0).contains(&value),
            Quantity::Frames => (1.0..=f64::from(MAX_FRAMES)).contains(&value),
            Quantity::Nodes | Quantity::Hops => (1.0..=MAX_NODES as f64).contains(&value),
            Quantity::Flows | Quantity::Intervals | Quantity::Window => value.is_finite() && value >= 1.0,
            _ => value.is_finite() && value > 0.0,
        }
    }

    /// That value, if it can have it.
    fn of(self, value: f64) -> Result<f64, SizingError> {
        if self.takes(value) { Ok(value) } else { Err(SizingError::Value { quantity: self, value }) }
    }

    /// The same of one in a list, numbered from 0.
    fn of_place(self, place: usize, value: f64) -> Result<f64, SizingError> {
        let wrong = SizingError::OfPlace { quantity: self, place: place + 1, value };
        if self.takes(value) { Ok(value) } else { Err(wrong) }
    }

    fn words(self) -> [&'static str; 2] {
        match self {
            Quantity::Rate => ["rate", "above 0, such as 300 Mb/s"],
            Quantity::Load => ["load", "0 Mb/s or more"],
            Quantity::RoundTrip => ["round trip", "above 0, such as 200000 us"],
            Quantity::Time => ["time", "0 us or more"],
            Quantity::Service => ["service time", "above 0, such as 2000 us"],
            Quantity::Drain => ["drain", "above 0, such as 2500 us"],
            Quantity::Packet => ["packet", "above 0, such as 1500 bytes"],
            Quantity::Packets => ["queue", "0 packets or more"],
            Quantity::Window => ["window", "1 packet or more"],
            Quantity::Flows => ["flows", "1 or more"],
            Quantity::Frames => ["frames", "1 to 1024 in an aggregate, 1 for none"],
            Quantity::Nodes => ["nodes", "1 to 256"],
            Quantity::Hops => ["hops", "1 to 256"],
            Quantity::Intervals => ["confirm", "1 interval or more"],
            Quantity::Free => ["free share", "above 0 and at most 1, 1 for a channel of one's own"],
            Quantity::Share => ["share", "above 0 and at most 1 of the air"],
            Quantity::Utilisation => ["utilisation", "above 0 and below 1, such as 0.9"],
            Quantity::Idle => ["idle share", "0 (every node always has a packet) to 1"],
            Quantity::Probability => ["probability", "0 to 1"],
            Quantity::Gain => ["gain", "0 or more packets for each second"],
            Quantity::Variation => ["variation", "0 or more, such as 0.1"],
        }
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words()[0])
    }
}

/// Why there is no answer. Each names the value, and what it may be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SizingError {
    /// No value of that quantity.
    #[error("{quantity} {value}: {}", .quantity.words()[1])]
    Value {
        /// Of what.
        quantity: Quantity,
        /// The value.
        value: f64,
    },
    /// No value of that quantity, in a list.
    #[error("{quantity} {value}, number {place}: {}", .quantity.words()[1])]
    OfPlace {
        /// Of what.
        quantity: Quantity,
        /// Which, from 1.
        place: usize,
        /// The value.
        value: f64,
    },
    /// A list without a value.
    #[error("{quantity}: none is given; give at least one")]
    None {
        /// Of what.
        quantity: Quantity,
    },
    /// A list that is too long.
    #[error("{quantity}: {found} values, at most {most} are taken; give fewer")]
    Many {
        /// Of what.
        quantity: Quantity,
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A node would be left without a packet.
    #[error(
        "{packets} packets for {nodes} nodes: each has at least 1; give {nodes} to {MAX_PACKETS} packets"
    )]
    Scarce {
        /// B.
        packets: u32,
        /// M.
        nodes: usize,
    },
    /// More packets than any queue has.
    #[error("{0} packets: {MAX_PACKETS} at most; give lower rates, or less delay beside the domain")]
    Large(f64),
    /// A link that a chain does not have.
    #[error("link {link}: 1 to {hops} in a chain of {hops}")]
    Link {
        /// The link.
        link: usize,
        /// How many there are.
        hops: usize,
    },
    /// Limits that are no range.
    #[error("least {least} is above most {most}; give a larger most, or a smaller least")]
    Bounds {
        /// The smallest limit.
        least: u32,
        /// The largest limit.
        most: u32,
    },
    /// A first limit outside the others.
    #[error("first {first}: {least} to {most}, between least and most")]
    First {
        /// The first limit.
        first: u32,
        /// The smallest limit.
        least: u32,
        /// The largest limit.
        most: u32,
    },
    /// A law that there is not.
    #[error("law '{0}': aimd, aiad, miad or mimd")]
    Law(String),
    /// A split that there is not.
    #[error("split '{0}': ratio, greedy, exact or equal")]
    Split(String),
}

/// Rates of hops: at least one, and not too many.
fn rates(rates: &[f64]) -> Result<(), SizingError> {
    let quantity = Quantity::Rate;
    match rates.len() {
        0 => Err(SizingError::None { quantity }),
        found if found > MAX_NODES => Err(SizingError::Many { quantity, found, most: MAX_NODES }),
        _ => rates.iter().enumerate().try_for_each(|(i, rate)| quantity.of_place(i, *rate).map(|_| ())),
    }
}

#[cfg(test)]
mod tests;
