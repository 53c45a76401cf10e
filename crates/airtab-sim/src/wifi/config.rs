// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Parameters of a cell and its stations; those of the other media are theirs (`medium`).

use std::fmt;

use airtab_core::{Control, Format, GovernorParams, PPDU_MAX_NS, Phy, PhyChange, Rate};

use super::access::AccessMethod;
use super::edca::{Category, CategoryChange, Edca};
use super::errors::Coding;
use super::ofdma::USERS;
use super::rate::RateAlgorithm;
use super::snr::{Mean, Signal, Snr};

/// Rate of the frames around DATA by which errors are judged, kb/s.
pub(super) const CONTROL_KBPS: u32 = 24_000;

/// How the cell works. One access point, n stations, one channel.
#[derive(Clone, Debug)]
pub struct CellConfig {
    /// 802.11 constants.
    pub phy: Phy,
    /// What the losers of a contention keep.
    pub backoff: Backoff,
    /// Whether a receiver of a frame in error waits EIFS instead of DIFS.
    pub eifs: bool,
    /// When a frame is passed up at its receiver.
    pub deliver_on: DeliverOn,
    /// Attempts per frame.
    pub attempts: u8,
    /// Beacons of the access point.
    pub beacon: Option<Beacon>,
    /// Packets that the uplink queue of each station holds.
    pub uplink_packets: usize,
    /// Several packets at once; None: one in each exchange, and an ACK for it.
    pub aggregation: Option<Aggregation>,
    /// How all get at the channel who say nothing else; with access categories DCF alone.
    pub access: AccessMethod,
    /// How the access point does; None: as all do.
    pub ap_access: Option<AccessMethod>,
    /// Whether it keeps account of who wins.
    pub winners: bool,
    /// Reaction to a block ACK request that is not answered.
    pub lost_bar: LostBar,
    /// Set of EDCA parameters.
    pub edca: Edca,
    /// Constants of each access category that differ from the set, by its number, at the access point and the stations.
    pub categories: [CategoryChange; 4],
    /// Constants that the access point announces: those of the stations in place of `categories`.
    pub announced: [CategoryChange; 4],
    /// True if the access point adapts what it announces for best effort to the number of stations that upload.
    pub adapts_announced: bool,
    /// Whether a category keeps the channel for as long as it may; without, one exchange.
    pub txop: bool,
    /// DATA of more MAC bytes than this has an RTS before it; None: there are none.
    pub rts_bytes: Option<u32>,
    /// Rate of RTS and CTS, kb/s; None: that of an ACK.
    pub rts_kbps: Option<u32>,
    /// Margin by which a frame must be stronger than each that overlaps it to survive, dB; None: none survives.
    pub capture_db: Option<f64>,
    /// Stations that the access point may send to at once, each on its part of the channel: 2, 4, 8 or 16;
    /// None: one.
    pub ofdma: Option<u8>,
    /// What is between a queue and the air.
    pub driver: DriverConfig,
}

impl CellConfig {
    /// The CHAP studies' cell: standard backoff, EIFS, delivery on DATA, 7
    /// attempts, a 100-byte beacon every 102.4 ms (100 time units), 1000-packet uplink queues.
    pub fn new(phy: Phy) -> CellConfig {
        CellConfig {
            phy,
            backoff: Backoff::Standard,
            eifs: true,
            deliver_on: DeliverOn::Data,
            attempts: 7,
            beacon: Some(Beacon {
                interval_ns: 102_400_000,
                first_ns: None,
                bytes: 100,
                kbps: phy.base_kbps(),
            }),
            uplink_packets: 1000,
            aggregation: None,
            access: AccessMethod::default(),
            ap_access: None,
            winners: false,
            lost_bar: LostBar::default(),
            edca: Edca::Off,
            categories: [CategoryChange::default(); 4],
            announced: [CategoryChange::default(); 4],
            adapts_announced: false,
            txop: false,
            rts_bytes: None,
            rts_kbps: None,
            capture_db: None,
            ofdma: None,
            driver: DriverConfig::default(),
        }
    }
}

impl CellConfig {
    /// Whether the access point has a driver: packets wait below its queue.
    pub fn has_driver(&self) -> bool {
        self.needs(&self.driver)
    }

    /// Profile whose ACK rate is that of RTS and CTS.
    pub fn rts_phy(&self) -> Phy {
        self.phy.with(&PhyChange { ack_kbps: self.rts_kbps, ..PhyChange::default() })
    }

    /// How long the channel has to be free, on average, before the access point sends for the first time, ns.
    pub(super) fn access_ns(&self, category: Category) -> u32 {
        let phy = &self.phy;
        let (aifs, least) = match self.edca {
            Edca::Off => (phy.difs_ns(), phy.cw_min()),
            _ => {
                let access = category.access(self, true);
                (phy.sifs_ns() + access.aifsn * phy.slot_ns(), access.least)
            }
        };
        u32::try_from(aifs + u64::from(least) * phy.slot_ns() / 2).expect("some slots")
    }

    /// Mean wait before the first attempt of a station's best effort, by which rate controls compare rates, ns.
    pub(super) fn wait_ns(&self) -> u64 {
        let (aifsn, least) = match self.edca {
            Edca::Off => (3, self.phy.cw_min()),
            _ => {
                let access = Category::BestEffort.access(self, false);
                (access.aifsn, access.least)
            }
        };
        self.phy.sifs_ns() + aifsn * self.phy.slot_ns() + u64::from(least) * self.phy.slot_ns() / 2
    }

    /// Whether who has this driver holds more than the packet that it is sending, or has aggregates.
    pub(super) fn needs(&self, driver: &DriverConfig) -> bool {
        let aggregates = self.aggregation.is_some_and(|a| a.frames > 1 || a.amsdu_bytes > 0);
        driver.ring > 1 || !driver.stop || aggregates || self.phy.has_mcs()
    }

    /// The rules that it breaks: what its profile does not have, and what would never send.
    ///
    /// # Errors
    /// Says what is allowed.
    pub fn check(&self) -> Result<(), String> {
        let unless = |ok: bool, message: String| if ok { Ok(()) } else { Err(message) };
        let (phy, name) = (self.phy, self.phy.name());
        unless(self.edca == Edca::Off || phy.has_mcs(), format!("edca: {name} has no access categories"))?;
        for access in [Some(&self.access), self.ap_access.as_ref()].into_iter().flatten() {
            self.check_access(access)?;
        }
        unless(!self.txop || self.edca != Edca::Off, "txop: only categories of edca have one".into())?;
        unless(
            self.backoff == Backoff::Standard || self.edca == Edca::Off,
            "backoff: access categories count down by IEEE 802.11-2020 10.23.2.4: only with edca = \"off\""
                .into(),
        )?;
        for (category, name) in Category::ALL.into_iter().zip(Category::NAMES) {
            self.check_category(category).map_err(|wrong| format!("category {name}: {wrong}"))?;
        }
        let margin = self.capture_db.unwrap_or(0.0);
        unless((0.0..=60.0).contains(&margin), format!("capture: {margin} dB: 0 to 60"))?;
        unless(self.driver.ring > 0, "a driver's ring: 1 at least".into())?;
        let lost = self.driver.completions_lost;
        unless((0.0..=1.0).contains(&lost), format!("{lost} of the completions lost: 0 to 1"))?;
        if let Some(wrong) = self.driver.governor.and_then(|governor| governor.check().err()) {
            return Err(wrong.into());
        }
        if let Some(users) = self.ofdma {
            unless(USERS.contains(&users), format!("ofdma: {users} stations at once: 2, 4, 8 or 16"))?;
            unless(phy.format() == Format::He, format!("ofdma: {name} has no resource units"))?;
            unless(self.aggregation.is_some(), "ofdma: only with aggregates".into())?;
        }
        let Some(a) = self.aggregation else { return Ok(()) };
        let alone = a.frames == 1 && a.amsdu_bytes == 0;
        unless(phy.has_mcs() || alone, format!("aggregation: {name} has no aggregates"))?;
        let window = phy.window().max(1);
        unless(
            (1..=window).contains(&a.frames),
            format!("{} frames of an aggregate: 1 to {window}", a.frames),
        )?;
        unless(
            alone || (a.frames..=window).contains(&a.window),
            format!("a window of {}: {} to {window}", a.window, a.frames),
        )?;
        unless(
            alone || (1..=phy.ampdu_bytes()).contains(&a.bytes),
            format!("{} bytes of an aggregate: 1 to {}", a.bytes, phy.ampdu_bytes()),
        )?;
        unless(
            (1..=PPDU_MAX_NS).contains(&a.time_ns),
            format!("an aggregate of {} ns: 1 to {PPDU_MAX_NS}", a.time_ns),
        )
    }
}

impl CellConfig {
    /// The rules that an access method breaks in this cell.
    ///
    /// # Errors
    /// Says what is wrong with which value, and what is allowed.
    pub fn check_access(&self, access: &AccessMethod) -> Result<(), String> {
        let name = access.rule.name();
        if self.edca != Edca::Off && *access != AccessMethod::default() {
            return Err(format!(
                "access: {name}: access categories have windows and waits of their own: only with edca = \"off\""
            ));
        }
        access.check(&self.phy).map_err(|wrong| format!("access: {name}: {wrong}"))
    }
}

/// How packets are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    /// MPDUs of an aggregate at the most.
    pub frames: u16,
    /// Its PSDU at the most, bytes.
    pub bytes: u32,
    /// Its PPDU at the most, ns; never above 5.484 ms.
    pub time_ns: u32,
    /// Sequence numbers from the oldest unacknowledged one on that may be sent.
    pub window: u16,
    /// A-MSDU at the most, bytes; 0: each packet is an MPDU of its own.
    pub amsdu_bytes: u32,
    /// Whether a sender that misses a BLOCK ACK asks for it before it sends all again.
    pub bar: bool,
}

/// Reaction to a block ACK request that is not answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LostBar {
    /// The request is repeated up to [`CellConfig::attempts`] times, as in ns-3. Then the aggregate is retransmitted.
    #[default]
    Repeat,
    /// DATA; the request again after the next exchange that its receiver answers, as in mac80211.
    AfterSuccess,
    /// The aggregate is retransmitted at once; a request that only moves the window is repeated.
    Data,
}

/// What is between a queue and the air. What is said of `stop`, reports and the governor is the access point's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriverConfig {
    /// Packets that it takes from the queue until they are sent or given up.
    pub ring: usize,
    /// Whether it takes no more when the ring is full; else the ring is endless.
    pub stop: bool,
    /// Aggregates that are prepared at the same time, the one on the air included; 0: each is built when its sender
    /// wins the channel.
    pub aggregates: usize,
    /// Whose aggregate is made next.
    pub order: Order,
    /// Time from leaving the queue after which a packet is discarded unless it is in a prepared aggregate or on the air,
    /// ns; None: unlimited.
    pub lifetime_ns: Option<u64>,
    /// How many packets it reports at once.
    pub completions: Completions,
    /// How long its reports take, ns.
    pub completion_delay_ns: u64,
    /// Share of reports that never come, 0 to 1.
    pub completions_lost: f64,
    /// Whether it lets go of packets when it gets them: they are reported then, not when they are sent.
    pub orphan: bool,
    /// What holds packets back above it; None: the ring alone.
    pub governor: Option<GovernorConfig>,
}

impl Default for DriverConfig {
    /// One packet: nothing waits below the queue, which is told of everything at once.
    fn default() -> DriverConfig {
        DriverConfig {
            ring: 1,
            stop: true,
            aggregates: 1,
            order: Order::RoundRobin,
            lifetime_ns: None,
            completions: Completions::Each,
            completion_delay_ns: 0,
            completions_lost: 0.0,
            orphan: false,
            governor: None,
        }
    }
}

impl DriverConfig {
    /// Whether the discipline itself gets each report, at once.
    pub(super) fn tells_at_once(&self) -> bool {
        let DriverConfig { completions, completion_delay_ns, completions_lost, orphan, governor, .. } = *self;
        let each = completions == Completions::Each;
        each && completion_delay_ns == 0 && completions_lost == 0.0 && !orphan && governor.is_none()
    }
}

/// How many packets a driver reports at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completions {
    /// Each one as soon as its fate is decided.
    Each,
    /// All that were in one aggregate first, when the last of them is decided.
    Aggregate,
}

/// How much may be outstanding below a discipline (`airtab/governor.h`), in channel time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GovernorConfig {
    /// In all, ns.
    pub inflight_ns: u32,
    /// For one station, ns; never less than one of its aggregates.
    pub inflight_station_ns: u32,
    /// Time without a completion after which a station is silent, ns; at least `inflight_ns`.
    pub stale_ns: u32,
}

impl Default for GovernorConfig {
    /// 8, 4 and 100 ms.
    fn default() -> GovernorConfig {
        let GovernorParams { inflight, inflight_station, stale, .. } = GovernorParams::default();
        GovernorConfig { inflight_ns: inflight, inflight_station_ns: inflight_station, stale_ns: stale }
    }
}

/// Whose aggregate a driver makes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Of the receiver of the oldest packet.
    Fifo,
    /// Of one receiver after the other.
    RoundRobin,
}

/// The decrement rule: a station with b slots to go, when another one starts
/// to send after m idle slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// b - m slots remain, as in real cards and ns-3.
    Standard,
    /// b - m - 1 slots remain: the busy slot counts too, as in Bianchi's model.
    Bianchi,
}

/// When a receiver passes a frame up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliverOn {
    /// At the first DATA received; later copies are filtered.
    Data,
    /// Only if its ACK was received too (the closed form of the CHAP studies).
    Ack,
}

/// Periodic broadcast frame of the access point.
#[derive(Clone, Copy, Debug)]
pub struct Beacon {
    /// From one to the next, ns.
    pub interval_ns: u64,
    /// Time of the first one, ns; None: random within the first interval, as nothing else keeps time with beacons.
    pub first_ns: Option<u64>,
    /// Whole MAC frame, bytes.
    pub bytes: u32,
    /// PHY rate, kb/s.
    pub kbps: u32,
}

/// How fast frames between the access point and a station go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    /// The rate of all of them; with rate control the fastest that both ends know.
    pub rate: Rate,
    /// Who chooses; anything but [`RateAlgorithm::Fixed`] wants a rate by MCS of a whole width.
    pub control: RateAlgorithm,
}

impl Speed {
    /// Its PHY rate, kb/s.
    pub fn kbps(&self) -> u32 {
        self.rate.kbps()
    }
}

/// `54 Mb/s`, `minstrel up to HT20 MCS 7, 65 Mb/s`, `VHT80 MCS 9, 2 streams, 400 ns, 866.667 Mb/s`.
impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Speed { rate, control } = self;
        if *control != RateAlgorithm::Fixed {
            write!(f, "{} up to ", control.name())?;
        }
        if rate.format() != Format::Legacy {
            write!(f, "{}{} MCS {}, ", rate.format().name(), rate.width_mhz(), rate.mcs())?;
            if rate.streams() > 1 {
                write!(f, "{} streams, ", rate.streams())?;
            }
            if rate.gi_ns() != 800 {
                write!(f, "{} ns, ", rate.gi_ns())?;
            }
        }
        write!(f, "{} Mb/s", f64::from(rate.kbps()) / 1e3)
    }
}

impl From<Rate> for Speed {
    fn from(rate: Rate) -> Speed {
        Speed { rate, control: RateAlgorithm::Fixed }
    }
}

impl From<u32> for Speed {
    /// A PHY rate, kb/s.
    ///
    /// # Panics
    /// If it is 0.
    fn from(kbps: u32) -> Speed {
        Rate::legacy(kbps).into()
    }
}

/// Which frames between the access point and a station are lost. Every DATA
/// and every ACK is drawn on its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// None.
    None,
    /// Each with this probability, 0 to 1.
    Fer(f64),
    /// Each MPDU with this probability, 0 to 1; no RTS, CTS, ACK, BLOCK ACK or block ACK request.
    Mpdu(f64),
    /// Log-normal shadowing.
    Shadowing {
        /// Distance between station and access point, metres.
        distance_m: f64,
        /// What it means.
        by: Shadowing,
    },
    /// By the signal, and the rate and length of the frame.
    Signal(Signal),
}

/// Log-normal shadowing: how a frame's loss follows from the distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadowing {
    /// Path-loss exponent.
    pub exponent: f64,
    /// Standard deviation, dB, above 0.
    pub deviation_db: f64,
    /// Mean of what is received at 1 m above the receive threshold, dB.
    pub margin_db: f64,
}

impl Default for Shadowing {
    /// The CHAP studies': exponent and deviation (office, hard partition) are the dissertation's own; the
    /// margin is recovered from the loss figures that it prints (6.4).
    fn default() -> Shadowing {
        Shadowing { exponent: 3.0, deviation_db: 7.0, margin_db: 33.57 }
    }
}

impl Loss {
    /// Shadowing as in the CHAP studies at a distance, metres.
    pub fn at(distance_m: f64) -> Loss {
        Loss::Shadowing { distance_m, by: Shadowing::default() }
    }

    /// The same at another distance, metres; None: no distance says what is lost.
    pub fn at_distance(self, metres: f64) -> Option<Loss> {
        match self {
            Loss::Shadowing { by, .. } => Some(Loss::Shadowing { distance_m: metres, by }),
            Loss::Signal(signal @ Signal { mean: Mean::Distance(_), .. }) => {
                Some(Loss::Signal(Signal { mean: Mean::Distance(metres), ..signal }))
            }
            _ => None,
        }
    }

    /// Probability that an MPDU of so many bytes is lost at this rate: by the mean signal, else that of any frame.
    pub fn mpdu_error_rate(&self, rate: &Rate, bytes: u32) -> f64 {
        match (*self, Coding::mcs(rate.mcs())) {
            (Loss::Mpdu(p), _) => p,
            (Loss::Signal(signal), Some(coding)) if rate.format() != Format::Legacy => {
                let share_db = Snr::share_db(rate.width_mhz(), rate.streams());
                coding.error_rate(signal.mean.db() - share_db, bytes)
            }
            _ => self.frame_error_rate(),
        }
    }

    /// Probability that DATA of any rate and length is lost (by the signal: that of an ACK).
    pub fn data_error_rate(&self) -> f64 {
        match *self {
            Loss::Mpdu(p) => p,
            _ => self.frame_error_rate(),
        }
    }

    /// Probability that a control frame is lost, and except for [`Loss::Mpdu`] any frame (by the signal: an ACK). For shadowing
    /// `1 - Phi((margin - 10 exponent log10 d) / deviation)`.
    pub fn frame_error_rate(&self) -> f64 {
        match *self {
            Loss::None | Loss::Mpdu(_) => 0.0,
            Loss::Fer(p) => p,
            Loss::Shadowing { distance_m, by } => {
                let margin = by.margin_db - 10.0 * by.exponent * libm::log10(distance_m);
                0.5 * libm::erfc(margin / by.deviation_db / std::f64::consts::SQRT_2)
            }
            // That of an ACK at its mean.
            Loss::Signal(signal) => {
                let coding = Coding::ofdm(CONTROL_KBPS).expect("a rate of 802.11a");
                coding.error_rate(signal.mean.db(), Control::Ack.bytes())
            }
        }
    }
}
