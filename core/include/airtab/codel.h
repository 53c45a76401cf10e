/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/codel.h: controlled delay, the decision whether a packet that leaves a
 * queue is delivered, or dropped (ECN: marked) to slow its sender down.
 *
 * Source: RFC 8289. A packet's sojourn is how long it was queued. Once every
 * packet of an interval had a sojourn of `target` or more, one is dropped, and
 * while this lasts the next one at t + interval / sqrt(count). A queue of at
 * most one MTU is left alone. A new episode that begins within 16 intervals
 * goes on from the rate at which the last one ended.
 *
 * One call per packet taken, no callbacks: the discipline takes, asks and drops
 * until it may send one. Together that is the RFC's pseudocode, decision for
 * decision. After a drop there is always a packet left, for none is dropped
 * without more than an MTU behind it.
 *
 * The square root is Newton's iteration x <- x/2 (3 - count x^2) on 32-bit
 * fractions, which Linux documents for its codel. Linux takes one step a drop
 * from where it was (and stores 16 bits), so that it runs after the root by
 * milliseconds over the first drops; here the iteration starts below the root
 * and goes on to its end, with nothing stored. docs/fq_codel.md has figures.
 *
 * Packets: the time of arrival lies in bytes 8 to 15 of at_priv(), behind the
 * sequence number of fifo.h.
 *
 * What this is not: no queue, no CE threshold, no adaptation to link rates.
 */
#ifndef AIRTAB_CODEL_H
#define AIRTAB_CODEL_H

#include "airtab/qdisc.h"

#define AT_CODEL_TARGET 5000000u	/* ns */
#define AT_CODEL_INTERVAL 100000000u	/* ns */
#define AT_CODEL_MTU 1514u		/* bytes: Ethernet header and 1500 */
#define AT_CODEL_COUNT_MAX 0x3fffffffu
#define AT_CODEL_BATCH 256u	/* most drops of one dequeue */
#define AT_CODEL_STEP 1000u	/* ns: minimum time between two drops, as of interval */

struct at_codel_params {
	u32 target, interval;		/* ns */
	u32 mtu;			/* bytes: this much may always be queued */
	bool ecn;			/* mark instead of drop where possible */
};

enum { AT_CODEL_CALM, AT_CODEL_DROPPING, AT_CODEL_DROPPED };

/* One queue. All zero: a new one. */
struct at_codel {
	u64 first_above;		/* when an interval above target ends; 0 = below */
	u64 drop_next;			/* ns; AT_CODEL_DROPPED: of the last drop */
	u32 count;			/* drops of this episode, and those it began with */
	u32 last_count : 30, state : 2;	/* last_count: that it began with */
};

struct at_codel_stats {
	u64 drops, marks;
	u32 batch;			/* drops of the present dequeue */
};

/* A dequeue begins. Under a host's lock it may take AT_CODEL_BATCH drops and no more:
 * what is due beyond is dropped by later ones. Linux has this bound and a floor of the
 * control interval since 7f4a5ec6258f. */
static inline void at_codel_begin(struct at_codel_stats *s)
{
	s->batch = 0;
}

/* 2^32 / sqrt(n), rounded down to within two units; n > 0. From x <= 1/sqrt(n)
 * no step overshoots, so the 64 bits of 1 - n x^2 are exact although those of
 * n x^2 may overflow; 6 steps are enough from half the root. */
static inline u32 at_codel_inv_sqrt(u32 n)
{
	u32 e = 0, x, next;

	while ((u64)1 << 2 * e < n)
		e++;
	next = e ? (u32)((u64)1 << (32 - e)) : ~(u32)0;
	do {
		u64 rest;

		x = next;
		rest = 0 - (u64)n * x * x;
		next = x + (u32)((x * (rest >> 32)) >> 33);
	} while (next != x);
	return x;
}

/* When the next drop is due after one at t: t + interval / sqrt(count), to the
 * nearest ns, and at least AT_CODEL_STEP later. Without the latter a step of a short
 * interval becomes 0 at a high count, and every packet is due at any time. */
static inline u64 at_codel_law(u64 t, u32 interval, u32 count)
{
	u64 step = ((u64)interval * at_codel_inv_sqrt(count) + ((u32)1 << 31)) >> 32;

	return t + (step > AT_CODEL_STEP ? step : AT_CODEL_STEP);
}

/* p is put into the queue. */
static inline void at_codel_stamp(struct at_pkt *p, u64 now)
{
	memcpy((u8 *)at_priv(p) + sizeof(u64), &now, sizeof(now));
}

/* How long p has been queued, ns. */
static inline u64 at_codel_sojourn(struct at_pkt *p, u64 now)
{
	u64 then;

	memcpy(&then, (u8 *)at_priv(p) + sizeof(u64), sizeof(then));
	return now - then;
}

/* The queue has become empty, or a packet of it was in time. Below target it is calm
 * already: nothing else of it is touched. */
static inline void at_codel_empty(struct at_codel *c)
{
	if (!c->first_above)
		return;
	c->first_above = 0;
	c->state = AT_CODEL_CALM;
}

/* Whether the delay has been above target for an interval. */
static inline bool at_codel_above(const struct at_codel_params *k, struct at_codel *c,
				  u64 sojourn, u64 left, u64 now)
{
	if (sojourn < k->target || left <= k->mtu) {
		c->first_above = 0;
		return false;
	}
	if (!c->first_above) {
		c->first_above = now + k->interval;
		return false;
	}
	return now >= c->first_above;
}

/* Whether the sender of a packet with this sojourn is told to slow down; `left`
 * bytes stay in the queue behind it. */
static inline bool at_codel_signals(const struct at_codel_params *k, struct at_codel *c,
				    u64 sojourn, u64 left, u64 now)
{
	u32 before = c->count - c->last_count;

	if (!at_codel_above(k, c, sojourn, left, now)) {
		c->state = AT_CODEL_CALM;
		return false;
	}
	if (c->state == AT_CODEL_CALM) {
		bool soon = c->drop_next && now < c->drop_next + 16 * (u64)k->interval;

		c->state = AT_CODEL_DROPPING;
		c->count = before > 1 && soon ? before : 1;
		c->last_count = c->count & AT_CODEL_COUNT_MAX;
		c->drop_next = at_codel_law(now, k->interval, c->count);
		return true;
	}
	if (c->state == AT_CODEL_DROPPED) {
		c->state = AT_CODEL_DROPPING;
		c->drop_next = at_codel_law(c->drop_next, k->interval, c->count);
	}
	if (now < c->drop_next)
		return false;
	c->state = AT_CODEL_DROPPED;
	c->count += c->count < AT_CODEL_COUNT_MAX;
	return true;
}

/* p was taken from the queue and `left` bytes stay: whether to drop it. */
static inline bool at_codel_drops(const struct at_codel_params *k, struct at_codel *c,
				  struct at_codel_stats *s, struct at_pkt *p, u64 left, u64 now)
{
	if (s->batch == AT_CODEL_BATCH || !at_codel_signals(k, c, at_codel_sojourn(p, now), left, now))
		return false;
	if (k->ecn && at_mark_ce(p)) {
		s->marks++;
		return false;
	}
	s->drops++;
	s->batch++;
	return true;
}

/* The queue lost n packets to an overflow: they count as drops of this episode, or as those
 * of the one before the next (Linux, fq_codel). */
static inline void at_codel_overflowed(struct at_codel *c, u64 n)
{
	u32 room = AT_CODEL_COUNT_MAX - c->count;

	c->count += n < room ? (u32)n : room;
}

#endif
