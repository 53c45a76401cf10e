// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Addresses of servers and stations, and what a five-tuple hashes to.

use std::hash::Hasher;
use std::net::Ipv4Addr;

use airtab_core::Key;
use siphasher::sip::SipHasher13;

/// Transport protocol of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// TCP.
    Tcp = 6,
    /// UDP.
    Udp = 17,
}

/// One direction of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiveTuple {
    /// Sender and its port.
    pub source: (Ipv4Addr, u16),
    /// Receiver and its port.
    pub destination: (Ipv4Addr, u16),
    /// Protocol.
    pub protocol: Protocol,
}

impl FiveTuple {
    /// What a classifier sees of its packets: nobody here asks for a class of service.
    pub fn key(&self) -> Key {
        Key { protocol: self.protocol as u8, dscp: 0, sport: self.source.1, dport: self.destination.1 }
    }

    /// Of the packets that go the other way.
    pub fn reversed(self) -> FiveTuple {
        FiveTuple { source: self.destination, destination: self.source, ..self }
    }

    /// The hash that disciplines see, keyed so that nobody outside can make two
    /// flows collide (SipHash-1-3).
    pub fn flow(&self, key: u64) -> u32 {
        let mut hasher = SipHasher13::new_with_keys(key, 0);
        for (address, port) in [self.source, self.destination] {
            hasher.write(&address.octets());
            hasher.write(&port.to_be_bytes());
        }
        hasher.write(&[self.protocol as u8]);
        hasher.finish() as u32
    }
}

/// Address of server `i`: the network set aside for benchmarks (RFC 2544).
pub fn server(i: u16) -> Ipv4Addr {
    let [high, low] = i.to_be_bytes();
    Ipv4Addr::new(198, 18, high, low)
}

/// The number of the server with that address; None of others.
pub fn server_number(address: Ipv4Addr) -> Option<u16> {
    let [a, b, high, low] = address.octets();
    ((a, b) == (198, 18)).then(|| u16::from_be_bytes([high, low]))
}

/// Address of station `i`, behind the access point: that of its first computer.
pub fn station(i: u16) -> Ipv4Addr {
    computer(i, 1)
}

/// Address of computer `number`, counted from 1, behind station `i`.
pub fn computer(i: u16, number: u8) -> Ipv4Addr {
    let [high, low] = i.to_be_bytes();
    Ipv4Addr::new(10, number - 1, high, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_tuple_and_the_key_count() {
        let tuple =
            FiveTuple { source: (server(1), 80), destination: (station(2), 50_000), protocol: Protocol::Tcp };
        let others = [
            FiveTuple { source: (server(2), 80), ..tuple },
            FiveTuple { source: (server(1), 81), ..tuple },
            FiveTuple { destination: (station(3), 50_000), ..tuple },
            FiveTuple { destination: (station(2), 50_001), ..tuple },
            FiveTuple { protocol: Protocol::Udp, ..tuple },
        ];
        assert!(others.iter().all(|other| other.flow(1) != tuple.flow(1)));
        assert_ne!(tuple.flow(1), tuple.flow(2));
        assert_eq!(tuple.flow(1), tuple.flow(1));
    }

    #[test]
    fn each_computer_of_each_station_has_an_address() {
        let told = |i, number| computer(i, number).to_string();
        assert_eq!([told(2, 1), told(2, 255), told(258, 4)], ["10.0.0.2", "10.254.0.2", "10.3.1.2"]);
        assert_eq!(station(258), computer(258, 1));
    }

    #[test]
    fn a_server_has_a_number() {
        assert_eq!([0, 1, 256, 65_535].map(|i| server_number(server(i))), [0, 1, 256, 65_535].map(Some));
        assert_eq!(server_number(station(1)), None);
    }
}
