// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The test that the mirror in `ffi.rs` has the layout of the C headers: size,
//! order and place of every field, as the C compiler put them down in `abi.c`.
//!
//! What it does not do: the types of fields and the arguments of functions.

use std::ffi::{c_char, c_int};
use std::mem::{offset_of, size_of};

use crate::ffi::{
    ALWAYS, CCMP_BYTES, Emulator, F_CE, F_ECT, F_IP, F_TCP, Heard, Key, Link, Ops, PPDU_MAX_NS, Param, Phy,
    Pkt, Qdisc, REASONS, Rate, Segment, Stat, Tcp, Ticket, Tx, Vals,
};
use crate::ffi::{GovernorAir, GovernorNow, GovernorParams, GovernorStation, GovernorStats};
use crate::params::text;
use crate::rates::{Format, RatePart};

#[repr(C)]
struct AbiRow {
    name: *const c_char,
    value: u64,
}

unsafe extern "C" {
    // Ends at a NULL name: only its address is taken.
    static at_abi: [AbiRow; 0];
}

fn in_c() -> Vec<(String, usize)> {
    let first = (&raw const at_abi).cast::<AbiRow>();
    (0..)
        // SAFETY: at_abi ends with a row without a name; take_while stops there.
        .map(|i| unsafe { &*first.add(i) })
        .take_while(|row| !row.name.is_null())
        .map(|row| (text(row.name).into(), row.value as usize))
        .collect()
}

/// Size and fields of one struct; `field = name` where C calls a field otherwise.
macro_rules! layout {
    ($rows:ident, $c:literal, $type:ty, $($field:ident $(= $name:literal)?),+) => {
        $rows.push(($c.to_string(), size_of::<$type>()));
        $(
            let name = [stringify!($field) $(, $name)?];
            $rows.push((format!("{}.{}", $c, name[name.len() - 1]), offset_of!($type, $field)));
        )+
    };
}

#[test]
fn rust_and_c_agree() {
    let mut rows = Vec::new();
    layout!(rows, "at_tcp", Tcp, seq, ack, payload, window, mss, flags, option);
    layout!(rows, "at_key", Key, protocol = "proto", dscp, sport, dport);
    layout!(
        rows,
        "at_pkt",
        Pkt,
        next,
        scratch = "priv",
        bytes,
        flow,
        source,
        sta,
        class = "cls",
        flags,
        tcp,
        handle,
        key
    );
    layout!(rows, "at_ticket", Ticket, flow, generation = "gen", est, light, up);
    layout!(rows, "at_tx", Tx, air, span, attempts, acked);
    layout!(rows, "at_heard", Heard, flow, sta, air);
    layout!(
        rows,
        "at_link",
        Link,
        sta,
        here,
        phy,
        nss,
        rate_kbps,
        ampdu_frames,
        ampdu_ns,
        free_ppm,
        below_bytes,
        below_ns
    );
    layout!(rows, "at_param", Param, id, unit, flags, max_len, name, help, source, def, min, max, choices);
    layout!(rows, "at_vals", Vals, v, len);
    layout!(rows, "at_stat", Stat, id, unit, counter, name, help);
    layout!(rows, "at_segment", Segment, ip, tcp, room, payload, sum, offloaded);
    layout!(
        rows,
        "at_qdisc",
        Qdisc,
        ops,
        drop,
        ack,
        merge,
        host,
        qlen,
        parked,
        closed,
        bytes,
        in_ = "in",
        out,
        made,
        dropped,
        shut,
        state
    );
    layout!(
        rows, "at_ops", Ops, name, about, params, stats, row_stats, check, state_size, init, change, reset,
        enqueue, dequeue, drain, gate, sent, heard, link, wake, tick, read, row
    );
    layout!(
        rows,
        "at_phy",
        Phy,
        name,
        about,
        slot,
        sifs,
        difs,
        preamble,
        extension,
        symbol,
        mac_bytes,
        ack_bytes,
        cw_min,
        cw_max,
        base_kbps,
        ack_kbps,
        eifs_kbps,
        ack_only_kbps,
        dsss_preamble,
        dsss_cw_min,
        protection,
        format,
        ghz,
        width,
        width_max,
        window,
        ampdu_bytes
    );
    layout!(rows, "at_rate", Rate, kbps, format, mcs, nss, width, gi, ru);
    layout!(rows, "at_emulator", Emulator, phy, extra, random, attempts);
    layout!(
        rows,
        "at_governor_params",
        GovernorParams,
        inflight,
        inflight_station,
        stale,
        expiry,
        counted,
        batch,
        floor,
        floor_most,
        records,
        stations
    );
    layout!(
        rows,
        "at_governor_stats",
        GovernorStats,
        valid,
        unsent,
        early,
        late,
        expired,
        unknown,
        missed,
        paced,
        turns
    );
    layout!(rows, "at_governor_now", GovernorNow, mode, open, frames, floor, outstanding, budget);
    layout!(
        rows,
        "at_governor_sta",
        GovernorStation,
        rate_kbps,
        scale,
        frames,
        floor,
        closed,
        silent,
        outstanding,
        air
    );
    layout!(rows, "at_air", GovernorAir, record, ns);
    rows.push(("AT_ALWAYS".into(), ALWAYS as usize));
    let flags = [("AT_F_ECT", F_ECT), ("AT_F_CE", F_CE), ("AT_F_TCP", F_TCP), ("AT_F_IP", F_IP)];
    rows.extend(flags.map(|(name, flag)| (name.to_string(), usize::from(flag))));
    rows.push(("AT_R_MAX".into(), REASONS));
    rows.push(("AT_ANNOUNCE_NS".into(), crate::ANNOUNCE_NS as usize));
    rows.push(("AT_ANNOUNCE_TXOP".into(), (crate::ANNOUNCE_TXOP_NS / 32_000) as usize));
    rows.push(("AT_ANNOUNCE_ECWMIN".into(), (crate::ANNOUNCE_CW_MIN + 1).ilog2() as usize));
    rows.push(("AT_HE".into(), usize::from(Format::He as u8)));
    rows.push(("AT_RATE_PARTS".into(), RatePart::ALL.len()));
    rows.push(("AT_PPDU_MAX_NS".into(), PPDU_MAX_NS as usize));
    rows.push(("AT_CCMP_BYTES".into(), usize::from(CCMP_BYTES)));
    rows.extend(
        ["enum at_reason", "enum at_rate_part", "enum at_verdict"]
            .map(|name| (name.to_string(), size_of::<c_int>())),
    );
    let c = in_c();
    assert_eq!(rows.len(), c.len(), "each side lists the same fields");
    for (rust, c) in rows.iter().zip(&c) {
        assert_eq!(rust, c);
    }
}
