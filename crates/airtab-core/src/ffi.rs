//! The C core's types, as `airtab/qdisc.h`, `airtab/airtime.h` and
//! `airtab/host_user.h` declare them. Layouts only; no behaviour.

#![allow(missing_docs)] // documented once, in the headers

use std::ffi::{c_char, c_int, c_void};

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Tcp {
    pub seq: u32,
    pub ack: u32,
    pub payload: u32,
    pub window: u32,
    pub flags: u8,
}

#[repr(C)]
pub struct Pkt {
    pub next: *mut Pkt,
    pub scratch: [u32; 5],
    pub bytes: u32,
    pub flow: u32,
    pub sta: u16,
    pub class: u8,
    pub flags: u8,
    pub tcp: Tcp,
    pub handle: u32,
}

pub const F_ECT: u8 = 1;
pub const F_CE: u8 = 2;
pub const F_TCP: u8 = 4;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket {
    pub flow: u32,
    pub generation: u32,
    pub est: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tx {
    pub air: u64,
    pub span: u64,
    pub attempts: u8,
    pub acked: bool,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    pub sta: u16,
    pub phy: u8,
    pub nss: u8,
    pub rate_kbps: u32,
    pub ampdu_frames: u32,
    pub ampdu_ns: u32,
    pub free_ppm: u32,
    pub below_bytes: u32,
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

#[repr(C)]
pub struct Qdisc {
    pub ops: *const Ops,
    pub drop: Option<unsafe extern "C" fn(*mut Qdisc, *mut Pkt, c_int)>,
    pub host: *mut c_void,
    pub bytes: u64,
    pub in_: u64,
    pub out: u64,
    pub made: u64,
    pub dropped: [u64; REASONS],
    pub qlen: u32,
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
    pub change: unsafe extern "C" fn(*mut Qdisc, *const Vals, u64),
    pub reset: unsafe extern "C" fn(*mut Qdisc, u64),
    pub enqueue: unsafe extern "C" fn(*mut Qdisc, *mut Pkt, u64) -> c_int,
    pub dequeue: unsafe extern "C" fn(*mut Qdisc, *mut Ticket, u64) -> *mut Pkt,
    pub drain: unsafe extern "C" fn(*mut Qdisc) -> *mut Pkt,
    pub sent: Option<unsafe extern "C" fn(*mut Qdisc, *const Ticket, *const Tx, u64)>,
    pub heard: Option<unsafe extern "C" fn(*mut Qdisc, u32, u16, u64, u64)>,
    pub link: Option<unsafe extern "C" fn(*mut Qdisc, *const Link, u64)>,
    pub wake: Option<unsafe extern "C" fn(*const Qdisc, u64) -> u64>,
    pub tick: Option<unsafe extern "C" fn(*mut Qdisc, u64)>,
    pub read: Option<unsafe extern "C" fn(*const Qdisc, *mut u64, u64)>,
    pub row: Option<unsafe extern "C" fn(*const Qdisc, u32, *mut u64, u64) -> u32>,
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
}

// SAFETY: the pointers of a Phy lead to the core's constant tables.
unsafe impl Send for Phy {}
// SAFETY: as above; nothing behind them is ever written.
unsafe impl Sync for Phy {}

unsafe extern "C" {
    // Arrays of unknown length that end at NULL: only their address is taken.
    pub static at_disciplines: [*const Ops; 0];
    pub static at_phys: [Phy; 0];
    pub fn at_check(ops: *const Ops, v: *const Vals, bad: *mut u16) -> *const c_char;
    pub fn at_data_ns(phy: *const Phy, kbps: u32, ip_bytes: u32, frames: u32) -> u64;
    pub fn at_ack_ns(phy: *const Phy, kbps: u32) -> u64;
    pub fn at_eifs_ns(phy: *const Phy) -> u64;
}
