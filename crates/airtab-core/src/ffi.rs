// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The C core's types, as `airtab/qdisc.h`, `airtab/airtime.h`,
//! `airtab/rates.h`, `airtab/emulator.h` and `airtab/host_user.h` declare them. Layouts only; no behaviour. What the crate
//! exports is described here, the rest once, in the headers. `layout.rs` tests
//! that both sides agree.

use std::ffi::{c_char, c_int, c_void};

/// The fields of a TCP header that a discipline may look at (RFC 9293 3.1).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Tcp {
    /// Sequence number of the first byte.
    pub seq: u32,
    /// Next sequence number that its sender expects.
    pub ack: u32,
    /// Bytes of data behind the header.
    pub payload: u32,
    /// Receive window, bytes.
    pub window: u32,
    /// Maximum segment size of a SYN (RFC 9293 3.7.1); 0: it has no such option.
    pub mss: u16,
    /// The flag byte of the header: FIN is 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32.
    pub flags: u8,
    /// Of a SYN the scale of later windows (RFC 7323 2.2), 0 where there is none; else the number of SACK blocks.
    pub option: u8,
}

/// What a classifier sees of an IP packet.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Protocol number behind up to eight extension headers.
    pub protocol: u8,
    /// Differentiated services code point (RFC 2474), 6 bits.
    pub dscp: u8,
    /// Its sender's port; 0 where there is none to see: of all fragments, and of
    /// what is neither TCP nor UDP.
    pub sport: u16,
    /// Its receiver's port, likewise.
    pub dport: u16,
}

#[repr(C)]
pub struct Pkt {
    pub next: *mut Pkt,
    pub scratch: [u32; 4],
    pub bytes: u32,
    pub flow: u32,
    pub source: u32,
    pub sta: u16,
    pub class: u8,
    pub flags: u8,
    pub tcp: Tcp,
    pub handle: u32,
    pub key: Key,
}

pub const F_ECT: u8 = 1;
pub const F_CE: u8 = 2;
pub const F_TCP: u8 = 4;
pub const F_IP: u8 = 8;

/// Whom to charge once a transmission is over; comes with a packet, goes back
/// with what the packet took. Only the discipline that made it can read it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket {
    /// The discipline's own name of the flow.
    pub flow: u32,
    /// Tells one use of the record from the next; 0: nobody is charged.
    pub generation: u32,
    /// Charged already when the packet left the queue, ns.
    pub est: u32,
    /// 1 for a packet of a flow that uses little air, of a station without debt; else 0.
    pub light: u16,
    /// User priority with which the packet should be sent, 5 (video) or 6 (voice); 0: that of its DSCP.
    pub up: u16,
}

/// What a transmission really took. The parts of an aggregate sum up to it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tx {
    /// Channel time of the packet's own attempts and backoffs, ns.
    pub air: u64,
    /// Wall clock from the start of the first attempt to the end of the last,
    /// other stations' frames included, ns.
    pub span: u64,
    /// How often it was sent.
    pub attempts: u8,
    /// Whether an acknowledgement came back.
    pub acked: bool,
}

/// An uplink frame that was received.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// Hash that its downlink half would have.
    pub flow: u32,
    /// Number of the station that sent it.
    pub sta: u16,
    /// Its channel time as in [`Tx::air`], ns.
    pub air: u64,
}

/// A station's link as the host sees it; 0 is "not known".
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Number of the station.
    pub sta: u16,
    /// The station is there; if not, it left, and the rest is 0.
    pub here: bool,
    /// Its 802.11 profile: [`Phy::number`](crate::Phy::number).
    pub phy: u8,
    /// Spatial streams.
    pub nss: u8,
    /// PHY rate, kb/s.
    pub rate_kbps: u32,
    /// Full-size packets that go in one exchange.
    pub ampdu_frames: u32,
    /// Duration of such an exchange, ns.
    pub ampdu_ns: u32,
    /// Share of the last 100 ms in which the medium was free, millionths; at least 1.
    pub free_ppm: u32,
    /// Left the queue for this station and not sent yet, bytes.
    pub below_bytes: u32,
    /// The same as channel time, ns.
    pub below_ns: u32,
}

#[repr(C)]
pub struct Param {
    pub id: u16,
    pub unit: u8,
    pub flags: u8,
    pub max_len: u8,
    pub name: *const c_char,
    pub help: *const c_char,
    pub source: *const c_char,
    pub def: u64,
    pub min: u64,
    pub max: u64,
    pub choices: *const *const c_char,
}

#[repr(C)]
pub struct Vals {
    pub v: *const u64,
    pub len: u8,
}

#[repr(C)]
pub struct Stat {
    pub id: u16,
    pub unit: u8,
    pub counter: bool,
    pub name: *const c_char,
    pub help: *const c_char,
}

pub const REASONS: usize = 8;
/// Numbers that a station can have.
pub const STATIONS: usize = 65_536;

#[repr(C)]
pub struct Qdisc {
    pub ops: *const Ops,
    pub drop: Option<unsafe extern "C" fn(*mut Qdisc, *mut Pkt, c_int)>,
    pub ack: Option<unsafe extern "C" fn(*mut Qdisc, *const Pkt, u32) -> *mut Pkt>,
    pub merge: Option<unsafe extern "C" fn(*mut Qdisc, *mut Pkt, *const Pkt) -> bool>,
    pub host: *mut c_void,
    pub qlen: u32,
    pub parked: u32,
    pub closed: u32,
    pub bytes: u64,
    pub in_: u64,
    pub out: u64,
    pub made: u64,
    pub dropped: [u64; REASONS],
    pub shut: [u32; STATIONS / 32],
    pub state: [u64; 0],
}

#[repr(C)]
pub struct Ops {
    pub name: *const c_char,
    pub about: *const c_char,
    pub params: *const Param,
    pub stats: *const Stat,
    pub row_stats: *const Stat,
    pub check: Option<unsafe extern "C" fn(*const Vals, *mut u16) -> *const c_char>,
    pub state_size: unsafe extern "C" fn(*const Vals) -> u64,
    pub init: unsafe extern "C" fn(*mut Qdisc, *const Vals, u64, u64),
    pub change: unsafe extern "C" fn(*mut Qdisc, *const Vals, u64) -> bool,
    pub reset: unsafe extern "C" fn(*mut Qdisc, u64),
    pub enqueue: unsafe extern "C" fn(*mut Qdisc, *mut Pkt, u64) -> c_int,
    pub dequeue: unsafe extern "C" fn(*mut Qdisc, *mut Ticket, u64) -> *mut Pkt,
    pub drain: unsafe extern "C" fn(*mut Qdisc) -> *mut Pkt,
    pub gate: unsafe extern "C" fn(*mut Qdisc, u16, bool, u64),
    pub sent: Option<unsafe extern "C" fn(*mut Qdisc, *const Ticket, *const Tx, u64)>,
    pub heard: Option<unsafe extern "C" fn(*mut Qdisc, *const Heard, u64)>,
    pub link: Option<unsafe extern "C" fn(*mut Qdisc, *const Link, u64)>,
    pub categories: Option<unsafe extern "C" fn(*mut Qdisc, bool)>,
    pub wake: Option<unsafe extern "C" fn(*const Qdisc, u64) -> u64>,
    pub tick: Option<unsafe extern "C" fn(*mut Qdisc, u64)>,
    pub read: Option<unsafe extern "C" fn(*const Qdisc, *mut u64, u64)>,
    pub row: Option<unsafe extern "C" fn(*const Qdisc, u32, *mut u64, u64, *mut bool) -> u32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Phy {
    pub name: *const c_char,
    pub about: *const c_char,
    pub slot: u32,
    pub sifs: u32,
    pub difs: u32,
    pub preamble: u32,
    pub extension: u32,
    pub symbol: u32,
    pub mac_bytes: u16,
    pub ack_bytes: u16,
    pub cw_min: u16,
    pub cw_max: u16,
    pub base_kbps: u32,
    pub ack_kbps: *const u32,
    pub eifs_kbps: u32,
    pub ack_only_kbps: u32,
    pub dsss_preamble: u32,
    pub dsss_cw_min: u16,
    pub protection: u32,
    pub format: u8,
    pub ghz: u8,
    pub width: u16,
    pub width_max: u16,
    pub window: u16,
    pub ampdu_bytes: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    pub kbps: u32,
    pub format: u8,
    pub mcs: u8,
    pub nss: u8,
    pub width: u16,
    pub gi: u16,
    pub ru: u16,
}

/// Longest PPDU of HT, VHT and HE, ns.
pub const PPDU_MAX_NS: u32 = 5_484_000;
pub const CCMP_BYTES: u16 = 16;

/// The frame error rate of 1.
pub const ALWAYS: u64 = 1 << 32;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Emulator {
    pub phy: Phy,
    pub extra: u64,
    pub random: u64,
    pub attempts: u8,
}

/// What a governor may let out and how long it waits; the default is
/// `AT_GOVERNOR_DEFAULTS`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GovernorParams {
    /// Airtime outstanding in all, ns.
    pub inflight: u32,
    /// Airtime outstanding for one station, ns, or one maximum aggregate.
    pub inflight_station: u32,
    /// Time without a completion after which a station is silent, ns.
    pub stale: u32,
    /// Age at which a packet is given up, ns.
    pub expiry: u32,
    /// Time for which a packet counts in all, at least, ns.
    pub counted: u32,
    /// Time between two completions of one batch at most, ns.
    pub batch: u32,
    /// Packets that may be outstanding whatever they cost.
    pub floor: u32,
    /// What that may grow to.
    pub floor_most: u32,
    /// Packets that can be known at once.
    pub records: u32,
    /// Stations with a budget of their own: 0 to this.
    pub stations: u32,
}

/// What a governor counted since its start, packets.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GovernorStats {
    /// Completions that were believed and measured.
    pub valid: u64,
    /// Believed, of packets not known to have been sent.
    pub unsent: u64,
    /// Completions that came too early to be believed.
    pub early: u64,
    /// Completions of packets that no longer counted in all or were given up.
    pub late: u64,
    /// Packets given up.
    pub expired: u64,
    /// Completions of no record.
    pub unknown: u64,
    /// Packets that left without a record.
    pub missed: u64,
    /// Packets that left while the mode was paced.
    pub paced: u64,
    /// Changes of the mode.
    pub turns: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct GovernorNow {
    pub mode: u8,
    pub open: bool,
    pub frames: u32,
    pub floor: u32,
    pub outstanding: u64,
    pub budget: u64,
}

/// What a governor knows of a station.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GovernorStation {
    /// IP bytes over airtime, learned, kb/s; 0: not yet.
    pub rate_kbps: u32,
    /// Airtime over the host's estimates, learned; 1024 is 1.
    pub scale: u32,
    /// Packets outstanding.
    pub frames: u32,
    /// Packets that may be outstanding whatever they cost.
    pub floor: u32,
    /// Its gate is closed.
    pub closed: bool,
    /// Nothing that left for it completes.
    pub silent: bool,
    /// Airtime outstanding, ns.
    pub outstanding: u64,
    /// Airtime charged so far, ns.
    pub air: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct GovernorAir {
    pub record: u64,
    pub ns: u64,
}

/// The core's own; only its address is known here.
#[repr(C)]
pub struct Governor {
    _private: [u64; 0],
}

/// A packet of TCP as `airtab/tcpedit.h` wants it.
#[repr(C)]
pub struct Segment {
    pub ip: *mut u8,
    pub tcp: *mut u8,
    pub room: u32,
    pub payload: u32,
    pub sum: u16,
    pub offloaded: bool,
}

// SAFETY: the pointers of a Phy lead to the core's constant tables.
unsafe impl Send for Phy {}
// SAFETY: as above; nothing behind them is ever written.
unsafe impl Sync for Phy {}

unsafe extern "C" {
    // Arrays of unknown length that end at NULL: only their address is taken.
    pub static at_disciplines: [*const Ops; 0];
    pub static at_phys: [Phy; 0];
    #[cfg(feature = "trial")]
    pub static at_told_ops: Ops;
    #[cfg(feature = "trial")]
    pub static at_links_ops: Ops;
    pub fn at_check(ops: *const Ops, v: *const Vals, bad: *mut u16) -> *const c_char;
    pub fn at_data_ns(phy: *const Phy, kbps: u32, ip_bytes: u32, frames: u32) -> u64;
    pub fn at_ack_ns(phy: *const Phy, kbps: u32) -> u64;
    pub fn at_eifs_ns(phy: *const Phy) -> u64;
    pub fn at_is_dsss(phy: *const Phy, kbps: u32) -> bool;
    pub fn at_answer_kbps(phy: *const Phy, rate: *const Rate) -> u32;
    pub fn at_rate_wrong(phy: *const Phy, rate: *const Rate, part: c_int) -> *const c_char;
    pub fn at_rate_kbps(rate: *const Rate) -> u32;
    pub fn at_preamble_ns(phy: *const Phy, rate: *const Rate) -> u32;
    pub fn at_ppdu_ns(phy: *const Phy, rate: *const Rate, psdu_bytes: u32) -> u64;
    pub fn at_psdu_within(phy: *const Phy, rate: *const Rate, ns: u32) -> u32;
    pub safe fn at_ampdu_add(psdu: u32, mpdu_bytes: u32) -> u32;
    pub safe fn at_ampdu_bytes(n: u32, mpdu_bytes: u32) -> u32;
    pub safe fn at_ba_bytes(window: u32) -> u32;
    pub fn at_control_ns(phy: *const Phy, rate: *const Rate, bytes: u32) -> u64;
    pub fn at_aifs_ns(phy: *const Phy, aifsn: u32) -> u64;
    pub fn at_announce_recent(recent: u32, bytes: u64, packets: u64, kbps: u32) -> u32;
    pub fn at_announce_bounds(uploads: u32) -> bool;
    pub static at_governor_defaults: GovernorParams;
    pub fn at_governor_check(k: *const GovernorParams) -> *const c_char;
    pub fn at_governor_size(k: *const GovernorParams) -> u64;
    pub fn at_governor_init(memory: *mut c_void, k: *const GovernorParams, now: u64) -> *mut Governor;
    pub fn at_governor_change(g: *mut Governor, k: *const GovernorParams, now: u64);
    pub fn at_governor_reset(g: *mut Governor, now: u64);
    pub fn at_governor_open(g: *const Governor) -> bool;
    pub fn at_governor_left(g: *mut Governor, sta: u16, bytes: u32, est: u64, up: u16, now: u64) -> u64;
    pub fn at_governor_done(g: *mut Governor, record: u64, sent: bool, now: u64);
    pub fn at_governor_heard(g: *mut Governor, air: u64, now: u64);
    pub fn at_governor_settle(g: *mut Governor);
    pub fn at_governor_air(g: *mut Governor, a: *mut GovernorAir) -> bool;
    pub fn at_governor_gates(g: *mut Governor, sta: *mut u16, open: *mut bool) -> bool;
    pub fn at_governor_retell(g: *mut Governor);
    pub fn at_governor_link(g: *mut Governor, l: *const Link, now: u64);
    pub fn at_governor_wake(g: *const Governor) -> u64;
    pub fn at_governor_tick(g: *mut Governor, now: u64);
    pub fn at_governor_read(g: *const Governor, s: *mut GovernorStats, n: *mut GovernorNow);
    pub fn at_governor_read_station(g: *const Governor, sta: u16, s: *mut GovernorStation);
    pub fn at_sum(bytes: *const u8, n: u32) -> u16;
    pub fn at_edit_ack(s: *mut Segment, number: u32) -> u32;
    pub fn at_edit_merge(data: *mut Segment, ack: *const Segment) -> bool;
    pub fn at_emulate(e: *mut Emulator, kbps: u32, fer: u64, ip_bytes: u32, r: *mut Tx);
}
