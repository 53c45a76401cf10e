// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Rates by MCS (802.11n, ac, ax), what frames at them take, and the lengths of
//! aggregates: `core/include/airtab/rates.h`, safely. `docs/airtime.md` has the
//! formulas, IEEE 802.11-2020 clauses 19 and 21 and 802.11ax-2021 clause 27.
//!
//! What it does not do: no choice of a rate, no errors, no contention.

use std::ffi::c_int;
use std::fmt;

use crate::Phy;
use crate::ffi;
use crate::params::text;

/// Formats of a PPDU, oldest first.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// DSSS and OFDM: a rate in kb/s.
    Legacy,
    /// 802.11n.
    Ht,
    /// 802.11ac.
    Vht,
    /// 802.11ax.
    He,
}

impl Format {
    /// As the standard calls it: `HT`.
    pub fn name(self) -> &'static str {
        ["legacy", "HT", "VHT", "HE"][self as usize]
    }
}

/// Parts of a rate that can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RatePart {
    /// The profile has no such frames.
    Format,
    /// MCS.
    Mcs,
    /// Spatial streams.
    Streams,
    /// Width of the channel.
    Width,
    /// Guard interval.
    Gi,
    /// Resource unit.
    Ru,
}

impl RatePart {
    /// All, in the core's order.
    pub const ALL: [RatePart; 6] =
        [RatePart::Format, RatePart::Mcs, RatePart::Streams, RatePart::Width, RatePart::Gi, RatePart::Ru];

    /// The key of a scenario and option of a command that has it: `mcs`. Of the format, `mcs` too.
    pub fn key(self) -> &'static str {
        ["mcs", "mcs", "streams", "width", "gi", "ru"][self as usize]
    }
}

/// What a rate is to be; None: the profile's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateSpec {
    /// Format; the profile's newest. Not [`Format::Legacy`]: those are [`Rate::legacy`].
    pub format: Option<Format>,
    /// MCS of each stream: HT's MCS 15 is 7 with 2 streams.
    pub mcs: u8,
    /// Spatial streams; 1.
    pub streams: Option<u8>,
    /// MHz; the profile's usual width, or of HT beside it at most 40.
    pub width: Option<u16>,
    /// Guard interval, ns; 800.
    pub gi: Option<u16>,
    /// Tones of a resource unit of HE; the whole width.
    pub ru: Option<u16>,
}

/// Why there is no such rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateError {
    /// What is wrong with it.
    pub part: RatePart,
    /// The value that it has: a number, or the name of a format.
    pub value: String,
    /// What is allowed.
    pub allowed: &'static str,
}

impl fmt::Display for RateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            RatePart::Format => write!(f, "{}: {}", self.value, self.allowed),
            part => write!(f, "{} {}: {}", part.key(), self.value, self.allowed),
        }
    }
}

impl std::error::Error for RateError {}

/// A PHY rate that frames can have: in kb/s, or an MCS of HT, VHT or HE.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rate(ffi::Rate);

impl Rate {
    /// A rate of DSSS or OFDM, kb/s. `kbps` must not be 0.
    pub fn legacy(kbps: u32) -> Rate {
        assert!(kbps > 0, "a PHY rate of 0 sends nothing");
        Rate(ffi::Rate { kbps, format: Format::Legacy as u8, mcs: 0, nss: 0, width: 0, gi: 0, ru: 0 })
    }

    /// kb/s, to the nearest.
    pub fn kbps(&self) -> u32 {
        // SAFETY: the rate is valid for the call and was checked when it was made.
        unsafe { ffi::at_rate_kbps(&self.0) }
    }

    /// Format of its PPDU.
    pub fn format(&self) -> Format {
        [Format::Legacy, Format::Ht, Format::Vht, Format::He][usize::from(self.0.format)]
    }

    /// MCS of each stream; 0 of a legacy rate.
    pub fn mcs(&self) -> u8 {
        self.0.mcs
    }

    /// Spatial streams; 0 of a legacy rate.
    pub fn streams(&self) -> u8 {
        self.0.nss
    }

    /// Width, MHz; 0 of a legacy rate.
    pub fn width_mhz(&self) -> u16 {
        self.0.width
    }

    /// Guard interval, ns; 0 of a legacy rate.
    pub fn gi_ns(&self) -> u16 {
        self.0.gi
    }

    /// Tones of its resource unit; 0: the whole width.
    pub fn ru(&self) -> u16 {
        self.0.ru
    }
}

/// `HT20 MCS 7, 1 stream, 800 ns`, `54000 kb/s`.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ffi::Rate { kbps, mcs, nss, width, gi, ru, .. } = self.0;
        match self.format() {
            Format::Legacy => write!(f, "{kbps} kb/s"),
            format => {
                let s = if nss == 1 { "" } else { "s" };
                write!(f, "{}{width} MCS {mcs}, {nss} stream{s}, {gi} ns", format.name())?;
                if ru > 0 { write!(f, ", {ru} tones") } else { Ok(()) }
            }
        }
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rate({self})")
    }
}

/// Control frames, by their lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// 14 bytes.
    Ack,
    /// 14 bytes.
    Cts,
    /// 20 bytes.
    Rts,
    /// BLOCK ACK REQUEST, 24 bytes.
    Bar,
    /// BLOCK ACK for a window of so many MPDUs: 32 bytes up to 64, 56 up to 256.
    BlockAck(u16),
}

impl Control {
    /// Its length, bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Control::Ack | Control::Cts => 14,
            Control::Rts => 20,
            Control::Bar => 24,
            Control::BlockAck(window) => ffi::at_ba_bytes(window.into()),
        }
    }
}

/// Length of an A-MPDU of `psdu` bytes (0: none yet) with one more MPDU, bytes.
pub fn ampdu_add(psdu: u32, mpdu_bytes: u32) -> u32 {
    ffi::at_ampdu_add(psdu, mpdu_bytes)
}

/// Length of an A-MPDU of `n` MPDUs of equal size, bytes.
pub fn ampdu_bytes(n: u32, mpdu_bytes: u32) -> u32 {
    ffi::at_ampdu_bytes(n, mpdu_bytes)
}

impl Phy {
    /// Newest format that its stations use; of [`Format::Legacy`] all rates are in kb/s.
    pub fn format(&self) -> Format {
        [Format::Legacy, Format::Ht, Format::Vht, Format::He][usize::from(self.0.format)]
    }

    /// Whether its rates are by MCS: 802.11n, ac, ax.
    pub fn has_mcs(&self) -> bool {
        self.format() != Format::Legacy
    }

    /// Band, GHz: 2 or 5; 0 where rates are in kb/s.
    pub fn ghz(&self) -> u8 {
        self.0.ghz
    }

    /// Usual and largest width of its channel, MHz; 0 where rates are in kb/s.
    pub fn widths_mhz(&self) -> (u16, u16) {
        (self.0.width, self.0.width_max)
    }

    /// MPDUs of a block acknowledgement agreement; 0 where rates are in kb/s.
    pub fn window(&self) -> u16 {
        self.0.window
    }

    /// Longest aggregate, bytes; 0 where rates are in kb/s.
    pub fn ampdu_bytes(&self) -> u32 {
        self.0.ampdu_bytes
    }

    /// A rate by MCS.
    ///
    /// # Errors
    /// Each part of it that the format or the profile does not have, with what is allowed.
    pub fn rate(&self, spec: &RateSpec) -> Result<Rate, Vec<RateError>> {
        let format = spec.format.unwrap_or(self.format());
        assert!(spec.format != Some(Format::Legacy), "a rate by MCS is not legacy");
        let usual = if format == Format::Ht { self.0.width.min(40) } else { self.0.width };
        let rate = ffi::Rate {
            kbps: 0,
            // A rate in kb/s is no rate by MCS: where there are no others, the core says so.
            format: format.max(Format::Ht) as u8,
            mcs: spec.mcs,
            nss: spec.streams.unwrap_or(1),
            width: spec.width.unwrap_or(usual),
            gi: spec.gi.unwrap_or(800),
            ru: spec.ru.unwrap_or(0),
        };
        let value = |part| match part {
            RatePart::Format => self.name().into(),
            RatePart::Mcs => rate.mcs.to_string(),
            RatePart::Streams => rate.nss.to_string(),
            RatePart::Width => rate.width.to_string(),
            RatePart::Gi => rate.gi.to_string(),
            RatePart::Ru => rate.ru.to_string(),
        };
        let wrong = |part: RatePart| {
            // SAFETY: profile and rate are valid for the call; the text is NULL or a constant.
            let text_or_null = unsafe { ffi::at_rate_wrong(&self.0, &rate, part as c_int) };
            (!text_or_null.is_null()).then(|| RateError {
                part,
                value: value(part),
                allowed: text(text_or_null),
            })
        };
        let errors: Vec<_> = RatePart::ALL.into_iter().filter_map(wrong).collect();
        if errors.is_empty() { Ok(Rate(rate)) } else { Err(errors) }
    }

    /// What a PPDU takes beside its symbols: preamble and signal extension, ns. `rate` is by MCS.
    pub fn preamble_ns(&self, rate: &Rate) -> u64 {
        assert!(rate.format() != Format::Legacy, "{rate}: a rate by MCS");
        // SAFETY: both are valid for the call; the rate was checked when it was made.
        unsafe { ffi::at_preamble_ns(&self.0, &rate.0) }.into()
    }

    /// One PPDU of so many bytes on the air, ns: a pure function. A legacy rate's has what
    /// protects it, as [`Phy::data_ns`] has.
    #[inline]
    pub fn ppdu_ns(&self, rate: &Rate, psdu_bytes: u32) -> u64 {
        // SAFETY: both are valid for the call; the rate was checked when it was made.
        unsafe { ffi::at_ppdu_ns(&self.0, &rate.0, psdu_bytes) }
    }

    /// The longest PSDU whose PPDU takes at most `ns`, and at most [`PPDU_MAX_NS`](crate::PPDU_MAX_NS),
    /// bytes; 0 if there is none. At a legacy rate at most 65535 bytes, however long they take.
    pub fn psdu_within(&self, rate: &Rate, ns: u32) -> u32 {
        // SAFETY: both are valid for the call; the rate was checked when it was made.
        unsafe { ffi::at_psdu_within(&self.0, &rate.0, ns) }
    }

    /// Rate of a control frame that answers, or asks for, data sent at a rate, kb/s: for MCS 0, 1 to 2 and above 6, 12 and
    /// 24 Mb/s unless the profile was changed.
    #[inline]
    pub fn control_kbps(&self, data: &Rate) -> u32 {
        // SAFETY: both are valid for the call.
        unsafe { ffi::at_answer_kbps(&self.0, &data.0) }
    }

    /// A control frame that answers, or asks for, data sent at a rate, ns.
    #[inline]
    pub fn control_ns(&self, data: &Rate, frame: Control) -> u64 {
        // SAFETY: both are valid for the call; a rate is not 0.
        unsafe { ffi::at_control_ns(&self.0, &data.0, frame.bytes()) }
    }

    /// SIFS and `aifsn` slots: how long the medium is idle before an access category counts down, ns.
    pub fn aifs_ns(&self, aifsn: u32) -> u64 {
        // SAFETY: the profile is valid for the call.
        unsafe { ffi::at_aifs_ns(&self.0, aifsn) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phy(name: &str) -> Phy {
        Phy::named(name).unwrap()
    }

    /// The core's tests have all figures; here it is that they arrive.
    #[test]
    fn a_cycle_of_28_frames() {
        let phy = phy("std-11n");
        let rate = phy.rate(&RateSpec { mcs: 7, ..RateSpec::default() }).unwrap();
        assert_eq!((rate.kbps(), rate.to_string().as_str()), (65_000, "HT20 MCS 7, 1 stream, 800 ns"));
        let mpdu = 1500 + phy.mac_bytes();
        let psdu = ampdu_bytes(28, mpdu);
        assert_eq!((psdu, ampdu_add(ampdu_bytes(27, mpdu), mpdu)), (43_230, 43_230));
        assert_eq!(phy.ppdu_ns(&rate, psdu), 5_360_000);
        let cycle = phy.aifs_ns(3) + 67_500 + 5_360_000 + phy.sifs_ns();
        assert_eq!(cycle + phy.control_ns(&rate, Control::BlockAck(64)), 5_518_500);
        let most = phy.psdu_within(&rate, crate::PPDU_MAX_NS);
        assert!(psdu <= most && most < ampdu_add(psdu, mpdu), "{most}");
        let frames = [Control::Ack, Control::Cts, Control::Rts, Control::Bar, Control::BlockAck(256)];
        assert_eq!(frames.map(|f| f.bytes()), [14, 14, 20, 24, 56]);
        assert_eq!(frames.map(|f| phy.control_ns(&rate, f) / 1000), [28, 28, 28, 32, 40]);
        assert_eq!(phy.control_kbps(&rate), 24_000);
    }

    #[test]
    fn profiles_say_what_they_have() {
        let of = |name| {
            let p = phy(name);
            ((p.format(), p.ghz(), p.has_mcs()), (p.widths_mhz(), p.window(), p.ampdu_bytes()))
        };
        assert_eq!(of("std-11g"), ((Format::Legacy, 0, false), ((0, 0), 0, 0)));
        assert_eq!(of("std-11n-2g4"), ((Format::Ht, 2, true), ((20, 40), 64, 65_535)));
        assert_eq!(of("std-11ac"), ((Format::Vht, 5, true), ((80, 160), 64, 1_048_575)));
        assert_eq!(of("std-11ax"), ((Format::He, 5, true), ((80, 160), 256, 4_194_303)));
    }

    #[test]
    fn a_rate_is_what_was_asked_for() {
        let spec =
            RateSpec { mcs: 11, streams: Some(2), gi: Some(3200), ru: Some(242), ..RateSpec::default() };
        let rate = phy("std-11ax").rate(&spec).unwrap();
        assert_eq!((rate.format(), rate.mcs(), rate.streams()), (Format::He, 11, 2));
        assert_eq!((rate.width_mhz(), rate.gi_ns(), rate.ru()), (80, 3200, 242));
        assert_eq!(format!("{rate:?}"), "Rate(HE80 MCS 11, 2 streams, 3200 ns, 242 tones)");
        assert_eq!(rate.kbps(), 243_750);
        // An 802.11n station of an 802.11ax access point.
        let spec = RateSpec { format: Some(Format::Ht), mcs: 7, ..RateSpec::default() };
        assert_eq!(phy("std-11ax").rate(&spec).unwrap().kbps(), 135_000, "40 MHz");
        let rate = Rate::legacy(54_000);
        assert_eq!(
            (rate.format(), rate.kbps(), rate.to_string().as_str()),
            (Format::Legacy, 54_000, "54000 kb/s")
        );
        assert_eq!(phy("phy-a").ppdu_ns(&rate, 1534), phy("phy-a").data_ns(54_000, 1500));
    }

    #[test]
    fn each_part_that_is_wrong_is_told() {
        let told = |name, spec| -> Vec<String> {
            phy(name).rate(&spec).unwrap_err().iter().map(RateError::to_string).collect()
        };
        let spec = RateSpec { mcs: 9, width: Some(20), ..RateSpec::default() };
        assert_eq!(told("std-11ac", spec), ["mcs 9: VHT has MCS 9 at 20 MHz with 3 or 6 streams alone"]);
        let spec = RateSpec {
            mcs: 8,
            streams: Some(5),
            width: Some(80),
            gi: Some(1600),
            ru: Some(26),
            ..RateSpec::default()
        };
        assert_eq!(
            told("std-11n", spec),
            [
                "mcs 8: HT has MCS 0 to 7 for each stream: MCS 15 is 7 with 2 streams",
                "streams 5: HT has 1 to 4 streams",
                "width 80: HT has 20 and 40 MHz",
                "gi 1600: HT and VHT have guard intervals of 400 and 800 ns",
                "ru 26: only HE has resource units",
            ]
        );
        assert_eq!(
            told("std-11g", RateSpec::default()),
            ["std-11g: the profile's rates are in Mb/s: it has no MCS"]
        );
        let spec = RateSpec { format: Some(Format::He), ..RateSpec::default() };
        assert_eq!(told("std-11ac", spec), ["std-11ac: the profile has no such format"]);
    }

    #[test]
    fn a_legacy_rate_of_0_is_refused() {
        assert!(std::panic::catch_unwind(|| Rate::legacy(0)).is_err());
    }
}
