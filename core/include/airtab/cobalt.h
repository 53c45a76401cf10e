/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/cobalt.h: the decision whether a packet that leaves a queue is delivered,
 * or dropped (ECN: marked): CoDel for senders that listen, with BLUE for those
 * that do not.
 *
 * Source: COBALT as Linux's sch_cake has it, by its documentation and constants
 * (tc-cake(8)); BLUE: Feng, Shin, Kandlur, Saha, "The BLUE active queue management
 * algorithms", IEEE/ACM ToN 10(4), 2002.
 *
 * CoDel here is not RFC 8289's (codel.h). The first packet above target begins an
 * episode at once and the first drop is due an interval after it, or what `count`
 * of the episodes before makes of that. In a queue that has had no packet for an
 * interval it is due at once, with the second packet. An episode ends with the first
 * packet below target. `count` then runs back by the same schedule, one step each
 * interval / sqrt(count), as it does while the queue is empty.
 *
 * BLUE: a queue that loses a packet to an overflow drops each packet with a
 * probability that is 1/256 higher, an empty one with one 1/4096 lower; no more than
 * one step each way in a target. It does not mark: who ignores drops ignores marks.
 *
 * At low rates a packet alone takes longer than the target: at_cobalt_scale().
 *
 * Times of arrival are codel.h's (at_codel_stamp()).
 *
 * What this is not: no queue, no random numbers.
 */
#ifndef AIRTAB_COBALT_H
#define AIRTAB_COBALT_H

#include "airtab/codel.h"

#define AT_COBALT_UP ((u32)1 << 24)	/* 1/256 of 2^32 */
#define AT_COBALT_DOWN ((u32)1 << 20)	/* 1/4096 */
#define AT_COBALT_SLOWEST 4000000000u	/* ns: no interval is longer */
#define AT_COBALT_STEPS 1024u		/* that count runs back in one call */

struct at_cobalt_params {
	u32 target, interval;	/* ns */
	u64 packets;		/* ns: four full packets at the rate; 0 = no rate */
};

/* One queue. All zero: a new one, at rest. */
struct at_cobalt {
	u64 drop_next;			/* ns: when the next drop, or step back, is due; with a count
					   of 0, an interval after the last packet */
	u64 blue;			/* ns: of BLUE's last step */
	u32 p;				/* BLUE's probability, of 2^32 */
	u32 count : 31, dropping : 1;
};

struct at_cobalt_stats {
	u64 drops, marks, blue;		/* blue: of the drops, those that BLUE alone wanted */
	u32 batch;			/* drops of the present dequeue, at most AT_CODEL_BATCH */
};

/* target and interval for a link on which a full packet takes `packet` ns. */
static inline struct at_cobalt_params at_cobalt_scale(u64 target, u64 interval, u64 packet)
{
	u64 t = packet + packet / 2 > target ? packet + packet / 2 : target, i = interval + t - target;

	if (i < 2 * t)
		i = 2 * t;
	return (struct at_cobalt_params){
		.target = (u32)(t < AT_COBALT_SLOWEST / 2 ? t : AT_COBALT_SLOWEST / 2),
		.interval = (u32)(i < AT_COBALT_SLOWEST ? i : AT_COBALT_SLOWEST),
		.packets = 4 * packet,
	};
}

static inline u64 at_cobalt_law(const struct at_cobalt_params *k, const struct at_cobalt *c, u64 t)
{
	return at_codel_law(t, k->interval, c->count ? c->count : 1);
}

/* `count` goes back by the steps that are due. */
static inline void at_cobalt_back(const struct at_cobalt_params *k, struct at_cobalt *c, u32 steps, u64 now)
{
	for (; steps && c->count && now >= c->drop_next; steps--) {
		c->count--;
		c->drop_next = at_cobalt_law(k, c, c->drop_next);
	}
}

/* The queue lost a packet to an overflow. */
static inline void at_cobalt_full(const struct at_cobalt_params *k, struct at_cobalt *c, u64 now)
{
	if (now - c->blue > k->target) {
		c->p = c->p + AT_COBALT_UP < c->p ? ~(u32)0 : c->p + AT_COBALT_UP;
		c->blue = now;
	}
	c->dropping = 1;
	c->drop_next = now;
	if (!c->count)
		c->count = 1;
}

/* The queue has become empty. */
static inline void at_cobalt_empty(const struct at_cobalt_params *k, struct at_cobalt *c, u64 now)
{
	c->dropping = 0;
	if (c->p && now - c->blue > k->target) {
		c->p = c->p > AT_COBALT_DOWN ? c->p - AT_COBALT_DOWN : 0;
		c->blue = now;
	}
	at_cobalt_back(k, c, 1, now);
}

/* A packet comes to the queue, which has been empty. */
static inline void at_cobalt_resume(const struct at_cobalt_params *k, struct at_cobalt *c, u64 now)
{
	c->dropping = 0;
	if (c->p) {
		u64 n = at_div(now - c->blue, k->target);

		c->blue += n * k->target;
		c->p = n < c->p / AT_COBALT_DOWN + 1 ? c->p - (u32)n * AT_COBALT_DOWN : 0;
	}
	at_cobalt_back(k, c, AT_COBALT_STEPS, now);
}

/* Whether it remembers anything. */
static inline bool at_cobalt_worn(const struct at_cobalt *c)
{
	return c->p || c->count;
}

/* p was taken from the queue: whether to drop it, by a draw of 32 random bits. Never if
 * nothing is left behind it (`last`), though it can be marked. */
static inline bool at_cobalt_drops(const struct at_cobalt_params *k, struct at_cobalt *c,
				   struct at_cobalt_stats *s, struct at_pkt *p, bool last, u32 draw, u64 now)
{
	u64 sojourn = at_codel_sojourn(p, now);
	bool above = sojourn > k->target && sojourn > k->packets;
	bool late = now > c->drop_next, due = c->count && now >= c->drop_next;
	bool drop = false, blue = c->p && draw < c->p;

	if (above && !c->dropping)
		c->drop_next = at_cobalt_law(k, c, now);
	if (above && !c->count)
		c->count = 1;
	c->dropping = above;
	if (above && due) {
		drop = !at_mark_ce(p);
		s->marks += !drop;
		if (c->count < AT_CODEL_COUNT_MAX)
			c->count++;
		c->drop_next = at_cobalt_law(k, c, c->drop_next);
		late = now > c->drop_next;
	} else if (due) {
		at_cobalt_back(k, c, AT_COBALT_STEPS, now);
		late = now > c->drop_next;
	}
	/* `late` is not of the start of an episode, as in sch_cake */
	if (!c->count)
		c->drop_next = now + k->interval;
	else if (late && !drop && !blue)
		c->drop_next = now;
	if (last || s->batch == AT_CODEL_BATCH)
		return false;
	s->drops += drop || blue;
	s->batch += drop || blue;
	s->blue += blue && !drop;
	return drop || blue;
}

#endif
