// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What disciplines may know of the host that sent a packet (`at_source` of the
//! core): a keyed hash, so that nobody outside can make two hosts one.
//!
//! All of the address counts, as in the kernel: the hosts of a home have their
//! IPv6 network of 64 bits in common, and one of them must not lock out the
//! others. Who takes many addresses counts as many hosts.
//!
//! What it does not do: no station; that is the access point's to know.

use std::hash::Hasher;
use std::net::IpAddr;

use siphasher::sip::SipHasher13;

/// The hash of a sender's address; never 0, which stands for nobody known.
pub fn hash(sender: IpAddr, key: u64) -> u32 {
    // Another key than that of flows: one must tell nothing about the other.
    let mut hasher = SipHasher13::new_with_keys(key, 1);
    match sender {
        IpAddr::V4(address) => hasher.write(&address.octets()),
        IpAddr::V6(address) => hasher.write(&address.octets()),
    }
    (hasher.finish() as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn of(address: &str) -> u32 {
        hash(address.parse().unwrap(), 7)
    }

    #[test]
    fn hosts_differ() {
        let hosts = [
            "198.18.0.1",
            "198.18.0.2",
            "198.18.1.1",
            "198.19.0.1",
            "199.18.0.1",
            "2001:db8:1:2::1",
            "2001:db8:1:2::2",
            "2001:db8:1:2:8000::1",
            "2001:db8:1:3::1",
            "2001:db8:2:2::1",
            "2002:db8:1:2::1",
        ];
        let hashes: BTreeSet<u32> = hosts.into_iter().map(of).collect();
        assert_eq!(hashes.len(), hosts.len());
        assert!(!hashes.contains(&0));
        for host in hosts {
            assert_ne!(of(host), hash(host.parse().unwrap(), 8), "keyed");
        }
    }
}
