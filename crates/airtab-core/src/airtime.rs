//! 802.11 exchange times: the core's named profiles, safely.

use crate::ffi;
use crate::params::text;

/// A named profile of 802.11 constants; all times come from it. See
/// `docs/airtime.md` for formulas and published vectors.
#[derive(Clone, Copy)]
pub struct Phy(pub(crate) ffi::Phy);

impl std::fmt::Debug for Phy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Phy({})", self.name())
    }
}

impl Phy {
    /// Every profile, in table order.
    pub fn all() -> impl Iterator<Item = Phy> {
        let first = (&raw const ffi::at_phys).cast::<ffi::Phy>();
        (0..)
            // SAFETY: at_phys ends with an entry without a name; take_while stops there.
            .map(move |i| unsafe { *first.add(i) })
            .take_while(|phy| !phy.name.is_null())
            .map(Phy)
    }

    /// The profile of that name.
    pub fn named(name: &str) -> Option<Phy> {
        Phy::all().find(|phy| phy.name() == name)
    }

    /// Its name, such as `phy-a`.
    pub fn name(&self) -> &'static str {
        text(self.0.name)
    }

    /// One line about it.
    pub fn about(&self) -> &'static str {
        text(self.0.about)
    }

    /// Slot time, ns.
    pub fn slot_ns(&self) -> u64 {
        self.0.slot.into()
    }

    /// SIFS, ns.
    pub fn sifs_ns(&self) -> u64 {
        self.0.sifs.into()
    }

    /// DIFS, ns.
    pub fn difs_ns(&self) -> u64 {
        self.0.difs.into()
    }

    /// Largest draw of the first backoff, slots.
    pub fn cw_min(&self) -> u32 {
        self.0.cw_min.into()
    }

    /// Largest draw of any backoff, slots.
    pub fn cw_max(&self) -> u32 {
        self.0.cw_max.into()
    }

    /// Lowest rate of the profile, kb/s: beacons and EIFS use it.
    pub fn base_kbps(&self) -> u32 {
        self.0.base_kbps
    }

    /// Bytes that MAC, LLC and FCS add to an IP packet.
    pub fn mac_bytes(&self) -> u32 {
        self.0.mac_bytes.into()
    }

    /// One DATA frame carrying `ip_bytes` at `kbps`, ns. `kbps` must not be 0.
    pub fn data_ns(&self, kbps: u32, ip_bytes: u32) -> u64 {
        assert!(kbps > 0, "a PHY rate of 0 sends nothing");
        // SAFETY: the profile is valid for the call and kbps is not 0.
        unsafe { ffi::at_data_ns(&self.0, kbps, ip_bytes, 1) }
    }

    /// The ACK that answers data sent at `kbps`, ns. `kbps` must not be 0.
    pub fn ack_ns(&self, kbps: u32) -> u64 {
        assert!(kbps > 0, "a PHY rate of 0 sends nothing");
        // SAFETY: the profile is valid for the call and kbps is not 0.
        unsafe { ffi::at_ack_ns(&self.0, kbps) }
    }

    /// The wait after a frame received in error, ns.
    pub fn eifs_ns(&self) -> u64 {
        // SAFETY: the profile is valid for the call.
        unsafe { ffi::at_eifs_ns(&self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_cost_of_a_full_packet() {
        let phy = Phy::named("phy-a").unwrap();
        let cost = phy.data_ns(54_000, 1500) + phy.sifs_ns() + phy.ack_ns(54_000);
        assert_eq!((cost + 5) / 10, 28_193, "281.93 us");
        assert_eq!(Phy::named("std-11b").unwrap().eifs_ns(), 364_000);
        assert!(Phy::named("nonesuch").is_none());
    }
}
