/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The layouts that a C compiler gives the core's types, for the test of
 * layout.rs: it compares them with the mirror in ffi.rs. No code; nothing but
 * that test refers to it, so that no program contains it.
 */
#include <stddef.h>

#include "airtab/airtime.h"
#include "airtab/announce.h"
#include "airtab/emulator.h"
#include "airtab/governor.h"
#include "airtab/qdisc.h"
#include "airtab/rates.h"
#include "airtab/tcpedit.h"

struct abi_row {
	const char *name;
	u64 value;
};

#define SIZE(s) { #s, sizeof(struct s) }
#define AT(s, field) { #s "." #field, offsetof(struct s, field) }
#define VALUE(name) { #name, name }

extern const struct abi_row at_abi[];

/* Ends at name == NULL. */
const struct abi_row at_abi[] = {
	SIZE(at_tcp), AT(at_tcp, seq), AT(at_tcp, ack), AT(at_tcp, payload), AT(at_tcp, window), AT(at_tcp, mss),
	AT(at_tcp, flags), AT(at_tcp, option),
	SIZE(at_key), AT(at_key, proto), AT(at_key, dscp), AT(at_key, sport), AT(at_key, dport),
	SIZE(at_pkt), AT(at_pkt, next), AT(at_pkt, priv), AT(at_pkt, bytes), AT(at_pkt, flow),
	AT(at_pkt, source), AT(at_pkt, sta),
	AT(at_pkt, cls), AT(at_pkt, flags), AT(at_pkt, tcp), AT(at_pkt, handle),
	AT(at_pkt, key),
	SIZE(at_ticket), AT(at_ticket, flow), AT(at_ticket, gen), AT(at_ticket, est), AT(at_ticket, light), AT(at_ticket, up),
	SIZE(at_tx), AT(at_tx, air), AT(at_tx, span), AT(at_tx, attempts), AT(at_tx, acked),
	SIZE(at_heard), AT(at_heard, flow), AT(at_heard, sta), AT(at_heard, air),
	SIZE(at_link), AT(at_link, sta), AT(at_link, here), AT(at_link, phy), AT(at_link, nss), AT(at_link, rate_kbps),
	AT(at_link, ampdu_frames), AT(at_link, ampdu_ns), AT(at_link, free_ppm), AT(at_link, below_bytes),
	AT(at_link, below_ns),
	SIZE(at_param), AT(at_param, id), AT(at_param, unit), AT(at_param, flags), AT(at_param, max_len),
	AT(at_param, name), AT(at_param, help), AT(at_param, source), AT(at_param, def), AT(at_param, min),
	AT(at_param, max), AT(at_param, choices),
	SIZE(at_vals), AT(at_vals, v), AT(at_vals, len),
	SIZE(at_stat), AT(at_stat, id), AT(at_stat, unit), AT(at_stat, counter), AT(at_stat, name), AT(at_stat, help),
	SIZE(at_segment), AT(at_segment, ip), AT(at_segment, tcp), AT(at_segment, room), AT(at_segment, payload),
	AT(at_segment, sum), AT(at_segment, offloaded),
	SIZE(at_qdisc), AT(at_qdisc, ops), AT(at_qdisc, drop), AT(at_qdisc, ack), AT(at_qdisc, merge), AT(at_qdisc, host),
	AT(at_qdisc, qlen), AT(at_qdisc, parked), AT(at_qdisc, closed), AT(at_qdisc, bytes), AT(at_qdisc, in), AT(at_qdisc, out),
	AT(at_qdisc, made), AT(at_qdisc, dropped), AT(at_qdisc, shut), AT(at_qdisc, state),
	SIZE(at_ops), AT(at_ops, name), AT(at_ops, about), AT(at_ops, params), AT(at_ops, stats),
	AT(at_ops, row_stats), AT(at_ops, check), AT(at_ops, state_size), AT(at_ops, init), AT(at_ops, change),
	AT(at_ops, reset), AT(at_ops, enqueue), AT(at_ops, dequeue), AT(at_ops, drain), AT(at_ops, gate), AT(at_ops, sent),
	AT(at_ops, heard), AT(at_ops, link), AT(at_ops, wake), AT(at_ops, tick), AT(at_ops, read), AT(at_ops, row),
	SIZE(at_phy), AT(at_phy, name), AT(at_phy, about), AT(at_phy, slot), AT(at_phy, sifs), AT(at_phy, difs),
	AT(at_phy, preamble), AT(at_phy, extension), AT(at_phy, symbol), AT(at_phy, mac_bytes),
	AT(at_phy, ack_bytes), AT(at_phy, cw_min), AT(at_phy, cw_max), AT(at_phy, base_kbps), AT(at_phy, ack_kbps),
	AT(at_phy, eifs_kbps), AT(at_phy, ack_only_kbps), AT(at_phy, dsss_preamble),
	AT(at_phy, dsss_cw_min), AT(at_phy, protection), AT(at_phy, format), AT(at_phy, ghz), AT(at_phy, width),
	AT(at_phy, width_max), AT(at_phy, window), AT(at_phy, ampdu_bytes),
	SIZE(at_rate), AT(at_rate, kbps), AT(at_rate, format), AT(at_rate, mcs), AT(at_rate, nss), AT(at_rate, width),
	AT(at_rate, gi), AT(at_rate, ru),
	SIZE(at_emulator), AT(at_emulator, phy), AT(at_emulator, extra), AT(at_emulator, random),
	AT(at_emulator, attempts),
	SIZE(at_governor_params), AT(at_governor_params, inflight),
	AT(at_governor_params, inflight_station), AT(at_governor_params, stale),
	AT(at_governor_params, expiry), AT(at_governor_params, counted), AT(at_governor_params, batch),
	AT(at_governor_params, floor), AT(at_governor_params, floor_most), AT(at_governor_params, records),
	AT(at_governor_params, stations),
	SIZE(at_governor_stats), AT(at_governor_stats, valid), AT(at_governor_stats, unsent),
	AT(at_governor_stats, early), AT(at_governor_stats, late), AT(at_governor_stats, expired),
	AT(at_governor_stats, unknown), AT(at_governor_stats, missed), AT(at_governor_stats, paced),
	AT(at_governor_stats, turns),
	SIZE(at_governor_now), AT(at_governor_now, mode), AT(at_governor_now, open),
	AT(at_governor_now, frames), AT(at_governor_now, floor), AT(at_governor_now, outstanding),
	AT(at_governor_now, budget),
	SIZE(at_governor_sta), AT(at_governor_sta, rate_kbps), AT(at_governor_sta, scale),
	AT(at_governor_sta, frames), AT(at_governor_sta, floor), AT(at_governor_sta, closed),
	AT(at_governor_sta, silent), AT(at_governor_sta, outstanding), AT(at_governor_sta, air),
	SIZE(at_air), AT(at_air, record), AT(at_air, ns),
	VALUE(AT_ALWAYS), VALUE(AT_F_ECT), VALUE(AT_F_CE), VALUE(AT_F_TCP), VALUE(AT_F_IP), VALUE(AT_R_MAX),
	VALUE(AT_ANNOUNCE_NS), VALUE(AT_ANNOUNCE_TXOP), VALUE(AT_ANNOUNCE_ECWMIN), VALUE(AT_HE), VALUE(AT_RATE_PARTS), VALUE(AT_PPDU_MAX_NS), VALUE(AT_CCMP_BYTES),
	{ "enum at_reason", sizeof(enum at_reason) }, { "enum at_rate_part", sizeof(enum at_rate_part) }, { "enum at_verdict", sizeof(enum at_verdict) },
	{ NULL, 0 },
};
