// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frames whose IP packet is not decoded, or only its outer header, and their number by encapsulation.
//!
//! Frames that carry no IP packet, such as ARP and PPP's control messages, are none of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use airtab_core::UDP;

use crate::headers::Headers;

/// Ethertypes of frames without an IP packet: ARP, PPPoE discovery, EAPOL, LLDP, IEEE 1905.1, HomePlug AV, Realtek's
/// loop detection, loopback.
const NO_IP: [u16; 8] = [0x0806, 0x8863, 0x888e, 0x88cc, 0x893a, 0x88e1, 0x8899, 0x9000];
/// Values below are lengths of an 802.3 frame.
const LEAST: u16 = 0x0600;

/// UDP ports of VXLAN: IANA's and that of Linux.
const VXLAN: [u16; 2] = [4789, 8472];

/// Encapsulations that a phrase names.
const NAMED: usize = 5;

/// An encapsulation that is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unread {
    /// MPLS labels.
    Mpls,
    /// More VLAN tags than three.
    Tags,
    /// An IP header that is cut or damaged.
    Damaged,
    /// Another ethertype.
    EtherType(u16),
    /// A protocol of PPP that compresses or divides IP packets.
    Ppp(u16),
    /// A VXLAN tunnel.
    Vxlan,
    /// A GRE tunnel.
    Gre,
    /// An IP packet in an IP packet.
    IpInIp,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Mpls => write!(f, "MPLS"),
            Unread::Tags => write!(f, "more than 3 VLAN tags"),
            Unread::Damaged => write!(f, "cut or damaged IP header"),
            Unread::EtherType(kind) => write!(f, "ethertype {kind:#06x}"),
            Unread::Ppp(protocol) => write!(f, "PPP protocol {protocol:#06x}"),
            Unread::Vxlan => write!(f, "VXLAN"),
            Unread::Gre => write!(f, "GRE"),
            Unread::IpInIp => write!(f, "IP in IP"),
        }
    }
}

impl Unread {
    /// Encapsulation of a frame without an IP header by the last ethertype that was read; none if it carries no IP.
    pub(crate) fn of_ether_type(kind: u16) -> Option<Unread> {
        match kind {
            ..LEAST => None,
            kind if NO_IP.contains(&kind) => None,
            0x0800 | 0x86dd => Some(Unread::Damaged),
            0x8100 | 0x88a8 | 0x9100 => Some(Unread::Tags),
            0x8847 | 0x8848 => Some(Unread::Mpls),
            kind => Some(Unread::EtherType(kind)),
        }
    }

    /// Encapsulation of a session's frame by its PPP protocol, which is neither IPv4 nor IPv6.
    pub(crate) fn of_ppp(protocol: u16) -> Option<Unread> {
        (protocol < 0x8000).then_some(Unread::Ppp(protocol))
    }

    /// Tunnel of an IP packet by its outer headers.
    pub(crate) fn of_ip(protocol: u8, ports: Option<(u16, u16)>) -> Option<Unread> {
        match (protocol, ports) {
            (UDP, Some((_, port))) if VXLAN.contains(&port) => Some(Unread::Vxlan),
            (47, _) => Some(Unread::Gre),
            (4 | 41, _) => Some(Unread::IpInIp),
            _ => None,
        }
    }

    /// True if the outer IP header is read.
    fn is_tunnel(self) -> bool {
        matches!(self, Unread::Vxlan | Unread::Gre | Unread::IpInIp)
    }
}

/// Number of frames of each encapsulation that is not decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnreadCounts(BTreeMap<Unread, u64>);

impl UnreadCounts {
    /// Counts a frame.
    pub fn add(&mut self, headers: &Headers) {
        if let Some(unread) = headers.unread {
            *self.0.entry(unread).or_default() += 1;
        }
    }

    /// Each encapsulation with its number of frames.
    pub fn iter(&self) -> impl Iterator<Item = (Unread, u64)> {
        self.0.iter().map(|(unread, frames)| (*unread, *frames))
    }

    /// Phrases on frames that are not decoded, and on tunnels, the most frequent first; none if there are no such frames.
    pub fn words(&self) -> Vec<String> {
        let of = |tunnel: bool, what: &str| {
            let mut list: Vec<_> = self.iter().filter(|(unread, _)| unread.is_tunnel() == tunnel).collect();
            list.sort_by_key(|(_, frames)| Reverse(*frames));
            let frames: u64 = list.iter().map(|(_, frames)| frames).sum();
            let named = list.iter().take(NAMED).map(|(unread, frames)| format!("{unread} {frames}"));
            let others = list.len().checked_sub(NAMED + 1).map(|others| format!("{} others", others + 1));
            let named: Vec<String> = named.chain(others).collect();
            let frames = if frames == 1 { "1 frame is".into() } else { format!("{frames} frames are") };
            (!named.is_empty()).then(|| format!("{frames} {what} ({})", named.join(", ")))
        };
        let tunnels = "of tunnels, of which only the outer headers are read";
        [of(false, "not decoded"), of(true, tunnels)].into_iter().flatten().collect()
    }
}
