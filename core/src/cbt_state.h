/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbt: its state; what its parameters say (cbt_plan.c), what it shows (cbt_rows.c), and
 * thresholds that follow the load (cbt_adapt.c).
 */
#ifndef AIRTAB_CBT_STATE_H
#define AIRTAB_CBT_STATE_H

#include "airtab/aircost.h"
#include "airtab/classify.h"
#include "airtab/decay.h"
#include "airtab/places.h"
#include "airtab/red.h"
#include "airtab/urgent.h"

enum {
	P_CLASSES, P_LIMIT, P_MODE, P_LATENCY, P_RATE, P_OVERHEAD, P_SHARE, P_BANDWIDTH, P_PACKET, P_TH_MAX,
	P_TH_MIN, P_WEIGHT, P_MAX_P, P_AVERAGE, P_TAU, P_GUARD, P_CAP, P_GENTLE, P_ECN, P_HARD, P_RULES,
	P_PROFILE, P_PHY, P_STATION_RATE, P_STATIONS, P_ADAPT, P_END
};

/* What a class's queue is counted in: choices of `mode` but the first, less one. */
enum { AT_CBT_PACKETS, AT_CBT_BYTES, AT_CBT_AIRTIME, AT_CBT_UNITS };
/* Choices of `average` but the first, less one. */
enum { AT_CBT_SAMPLED, AT_CBT_ALL, AT_CBT_TIME };
/* Choices of `adapt`. */
enum { AT_CBT_FIXED, AT_CBT_PEAK, AT_CBT_RELATIVE };

#define AT_CBT_MOST ((u32)1 << 31)		/* no class holds so much, in what is counted */
#define AT_CBT_PARTS 5u				/* of 2 s each, that a peak is the largest of */
#define AT_CBT_CAP_DEFAULT ((u64)65535 << 16)	/* of the profile */
#define AT_CBT_RATE_USUAL 54000000u		/* of stations, if nobody says */

/* Thresholds of the average, of 2^-32; what a class may hold at once. */
struct at_cbt_thresholds {
	u64 min, max, cap;
};

struct at_cbt_class {
	/* parameters */
	struct at_red_params params;	/* thresholds in what is counted now */
	struct at_cbt_thresholds airtime;	/* once a rate is told, of mode=auto */
	u64 cap, fade;			/* fade: at_decay_rate(tau) */
	u32 tau, wire;			/* wire: bytes of the usual packet with its overhead */
	u64 held[AT_CBT_UNITS];		/* queued: packets, bytes with overheads, ns */
	struct at_red red;		/* last: as in red.h, or when the average was taken */
	/* counted */
	u64 arrivals, early, forced, capped, full, marks, entries, idle;
	u64 sent, sent_bytes, waited, late;	/* late: 95 % wait less, ns */
};

/* What `adapt` has to know of a class. */
struct at_cbt_want {
	struct at_cbt_thresholds planned;
	u64 th;				/* Th_max now */
	u32 came[AT_CBT_PARTS];		/* in each of the last parts, in what is counted */
};

/* A station's link. */
struct at_cbt_station {
	u32 fixed, per_byte;		/* ns of a packet; of a byte, 16.16 */
	u16 frames;			/* that go at once; 0: not known */
	bool told;
};

struct at_cbt {
	struct at_line line;
	struct at_urgent urgent;
	struct at_rules rules;
	u64 limit, random, seq;
	u32 latency, rate;		/* ns; bit/s */
	u32 classes, stations, overhead;
	u32 guard, least;		/* packets: as it holds now; as it was given */
	struct at_cbt_station usual;
	u8 unit, average;
	bool automatic;			/* airtime once a rate is told */
	bool told, ecn, hard, faithful;
	bool plain;			/* averages over time, and thresholds stay */
	u8 adapt, part;			/* part: the present one of at_cbt_want.came */
	struct at_cbt_class *at;	/* in the state, behind this */
	struct at_cbt_station *links;
	struct at_cbt_want *want;	/* NULL: thresholds stay */
	u64 look, lost, lost_at;	/* next look; losses of class 0, and when the last was seen */
};

static inline struct at_cbt *at_cbt_priv(const struct at_qdisc *q)
{
	return (struct at_cbt *)q->state;
}

/* What a packet counts. */
static inline u32 at_cbt_size(const struct at_cbt *s, u32 bytes, u32 air)
{
	return s->unit == AT_CBT_PACKETS ? 1 : s->unit == AT_CBT_BYTES ? bytes + s->overhead : air;
}

/* Packets of a class. */
static inline u32 at_cbt_backlog(const struct at_cbt_class *k)
{
	return (u32)k->held[AT_CBT_PACKETS];
}

/* What a class holds, in what is counted. */
static inline u32 at_cbt_held(const struct at_cbt *s, const struct at_cbt_class *k)
{
	u64 held = k->held[s->unit];

	return held < AT_CBT_MOST ? (u32)held : AT_CBT_MOST - 1;
}

/* The average of a class over time. */
static inline u64 at_cbt_over_time(const struct at_cbt *s, const struct at_cbt_class *k, u64 now)
{
	if (now == k->red.last)
		return k->red.average;
	return at_decay_add(k->red.average, at_decay_of(now - k->red.last, k->fade, k->tau), at_cbt_held(s, k));
}

extern const struct at_param at_cbt_params[];
extern const struct at_stat at_cbt_stats[], at_cbt_row_stats[];

/* NULL if the values are good, else what is wrong with number *bad. */
const char *at_cbt_check(const struct at_vals *v, u16 *bad);
/* Takes over the values: thresholds, and what is said once; no queue, no link is touched. */
void at_cbt_plan(struct at_cbt *s, const struct at_vals *v, u64 now);
/* The average of a class, as an arrival takes it. */
u64 at_cbt_average(const struct at_cbt *s, const struct at_cbt_class *k, u64 now);
/* Class k has these thresholds from now on. */
void at_cbt_hold_to(struct at_cbt_class *k, const struct at_cbt_thresholds *t);
/* Thresholds are as planned from now on. */
void at_cbt_adapt_begin(struct at_cbt *s, u64 now);
/* A packet of class i came that counts so much; s->want is not NULL. */
void at_cbt_adapt(struct at_cbt *s, u32 i, u32 size, u64 now);
/* Tables (cbt_rows.c). */
void at_cbt_read(const struct at_qdisc *q, u64 *v, u64 now);
u32 at_cbt_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found);

#endif
