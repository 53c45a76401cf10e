/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/wqm.h: a limit of packets that follows how long they take to drain.
 *
 * Source: A. J. Showail, Towards Optimal Buffer Size in Wi-Fi Networks, PhD dissertation,
 * KAUST 2016, 5.3: equations 5.1, 5.2, 5.6, 5.7, table 5.1, algorithm 2.
 *
 * At each look T = (BL / R) / F, BL bits that wait, R the link's rate, F the share of time
 * that others leave, is held against the drain time. Above it, while B is above its floor,
 * an alarm is set, and from the next such look on B is cut; below it, while B is below its
 * largest value, another one, and B rises. An alarm stays set after it acted; one clears the
 * other. At T equal to the drain time, and where a bound forbids a move, nothing changes.
 *
 * Ours: what bounds say holds at once, from both sides; `idle` blocks the raise of a limit of
 * which less than 0.8 was used since the last look, and nothing else.
 *
 * Cost: O(1) a look, three divisions.
 *
 * What this is not: no packets, no clock; R, F and K, the frames of an aggregate, are told.
 */
#ifndef AIRTAB_WQM_H
#define AIRTAB_WQM_H

#include "airtab/qdisc.h"

#define AT_WQM_DRAIN 2500000u		/* ns: an exchange at the lowest rate without aggregates */
#define AT_WQM_INTERVAL 100000000u	/* ns between two looks */
#define AT_WQM_MOST 95u			/* packets: 600 Mb/s, 64 frames and 1.9 ms */
#define AT_WQM_ROUND 5000u		/* us: of the largest limit where it follows the rate */
#define AT_WQM_AROUND 219000u		/* ns: backoff, DIFS, 2 T_PHY, SIFS, BLOCK ACK (table 5.1) */
#define AT_WQM_PHY 33000u		/* ns: T_PHY */
#define AT_WQM_PACKET 12000u		/* bit: L */
#define AT_WQM_MAC 304u			/* bit: L_MAC */
#define AT_WQM_TCP_ACK 320u		/* bit: L_TCPACK */
#define AT_WQM_LONGEST ((u64)1 << 43)	/* ns: no T is longer, but for shares */

/* How the limit rises and is cut: by one packet, or twice and half. */
enum { AT_WQM_AIMD, AT_WQM_AIAD, AT_WQM_MIAD, AT_WQM_MIMD };

/* Of one queue. */
struct at_wqm {
	u16 limit;		/* B */
	u16 used;		/* most packets since the last look */
	u8 high, low;		/* looks in a row above or below, as far as is asked for */
};

struct at_wqm_rule {
	u32 drain;		/* ns */
	u16 least, most;	/* of B; least is at least 1, most no less */
	u8 confirm, law;
	bool idle;		/* a limit that is not used does not rise */
};

/* What a look, or new bounds, did. */
enum at_wqm_action {
	AT_WQM_HOLDS, AT_WQM_ARMS, AT_WQM_RAISES, AT_WQM_CUTS, AT_WQM_LIFTS, AT_WQM_CAPS,
	AT_WQM_ACTIONS,
};

/* n / d, rounded up, from 1 to the largest limit there is. */
static inline u16 at_wqm_packets(u64 n, u32 d)
{
	u64 packets = at_div(n + d - 1, d);

	return (u16)(packets < 1 ? 1 : packets < 65535 ? packets : 65535);
}

/* R ARTT / L: a window's worth of one hop (5.1). A segment's aggregate of K, and one of the
 * ACKs of each second segment. */
static inline u16 at_wqm_first(u32 kbps, u32 frames)
{
	u64 bits = 2 * AT_WQM_MAC + 2 * AT_WQM_PACKET + AT_WQM_MAC + AT_WQM_TCP_ACK;

	/* in thousandths of a bit, twice */
	return at_wqm_packets((u64)kbps * (AT_WQM_AROUND / 1000 * 4) + frames * bits * 1000, 2 * AT_WQM_PACKET * 1000);
}

/* R us / L. */
static inline u16 at_wqm_within(u32 kbps, u32 us)
{
	return at_wqm_packets((u64)kbps * us, AT_WQM_PACKET * 1000u);
}

/* An aggregate on the air, ns. */
static inline u32 at_wqm_aggregate(u32 kbps, u32 frames)
{
	u64 ns = AT_WQM_PHY + at_div((u64)frames * (AT_WQM_MAC + AT_WQM_PACKET) * 1000000, kbps);

	return (u32)(ns < AT_NEVER >> 32 ? ns : AT_NEVER >> 32);
}

/* (BL / R + around) / F, ns, rounded down (5.2); kbps and the share of a million are not 0. */
static inline u64 at_wqm_drain(u64 bytes, u32 kbps, u64 around, u32 free_ppm)
{
	u64 bits = bytes * 8000000, ns = at_div(bits, kbps), rest = bits - ns * kbps;

	ns += around;
	if (ns >= AT_WQM_LONGEST)
		return AT_WQM_LONGEST;
	ns = at_div(ns * 1000000 + at_div(rest * 1000000, kbps), free_ppm);
	return ns < AT_WQM_LONGEST ? ns : AT_WQM_LONGEST;
}

/* The same of packets in aggregates of `frames`, each with what is around it and MAC headers
 * in front of its packets. Ours: the source says that it helps, and has no formula. */
static inline u64 at_wqm_drain_framed(u64 bytes, u32 packets, u32 frames, u32 kbps, u32 free_ppm)
{
	u64 around = (u64)((packets + frames - 1) / frames) * AT_WQM_AROUND;

	return at_wqm_drain(bytes + (u64)packets * (AT_WQM_MAC / 8), kbps, around, free_ppm);
}

/* B within its bounds. */
static inline enum at_wqm_action at_wqm_bound(struct at_wqm *w, const struct at_wqm_rule *k)
{
	if (w->limit < k->least) {
		w->limit = k->least;
		return AT_WQM_LIFTS;
	}
	if (w->limit > k->most) {
		w->limit = k->most;
		return AT_WQM_CAPS;
	}
	return AT_WQM_HOLDS;
}

/* Whether a law is another than before a look: if not, neither is it after any other one that
 * sees the same. */
static inline bool at_wqm_moved(const struct at_wqm *w, const struct at_wqm *before)
{
	return w->limit != before->limit || w->used != before->used || w->high != before->high ||
	       w->low != before->low;
}

/* Counts a look; whether it is one of enough. */
static inline bool at_wqm_confirmed(u8 *count, u8 confirm)
{
	*count = (u8)(*count < confirm ? *count + 1 : confirm);
	return *count >= confirm;
}

static inline u32 at_wqm_raised(u32 limit, u8 law)
{
	return law == AT_WQM_AIMD || law == AT_WQM_AIAD ? limit + 1 : limit * 2;
}

static inline u32 at_wqm_cut(u32 limit, u8 law)
{
	return law == AT_WQM_AIMD || law == AT_WQM_MIMD ? limit / 2 : limit - 1;
}

/* A look at a queue that drains in `ns`; B is within its bounds. `used` is the caller's to set
 * back. */
static inline enum at_wqm_action at_wqm_look(struct at_wqm *w, const struct at_wqm_rule *k, u64 ns)
{
	u32 limit = w->limit;

	if (ns > k->drain && limit > k->least) {
		bool armed = w->high;

		w->low = 0;
		if (!at_wqm_confirmed(&w->high, k->confirm))
			return armed ? AT_WQM_HOLDS : AT_WQM_ARMS;
		limit = at_wqm_cut(limit, k->law);
		w->limit = (u16)(limit > k->least ? limit : k->least);
		return AT_WQM_CUTS;
	}
	if (ns < k->drain && limit < k->most) {
		bool armed = w->low;

		w->high = 0;
		if (!at_wqm_confirmed(&w->low, k->confirm))
			return armed ? AT_WQM_HOLDS : AT_WQM_ARMS;
		if (k->idle && w->used * 5u < limit * 4u)
			return AT_WQM_HOLDS;
		limit = at_wqm_raised(limit, k->law);
		w->limit = (u16)(limit < k->most ? limit : k->most);
		return AT_WQM_RAISES;
	}
	return AT_WQM_HOLDS;
}

#endif
