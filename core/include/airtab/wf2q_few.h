/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/wf2q_few.h: WF2Q+ as in wf2q.h, for a few classes: who goes next is found by a
 * look at all of them, once a packet, and packets of one size are divided once.
 *
 * Sources: as of wf2q.h, whose rules these are. Virtual time V always moves by the weights
 * of all (`whole`).
 *
 * Cost: O(classes with packets) a packet, some ten instructions each; a division by the
 * class's weight and one by the whole where a packet has another size than the one before.
 *
 * What this is not: no refund, and no charge that comes later.
 */
#ifndef AIRTAB_WF2Q_FEW_H
#define AIRTAB_WF2Q_FEW_H

#include "airtab/qdisc.h"

#define AT_FEW_ONE 65536u		/* weight 1: 16.16 */
#define AT_FEW_WEIGHT_MIN 256u		/* 1/256 */
#define AT_FEW_COST_MAX ((u64)1 << 40)	/* of a packet: the caller's to see to */
#define AT_FEW_QUARTER 62u		/* bits below the two that count quarters of the range */
#define AT_FEW_NONE (~(u32)0)
#define AT_FEW_LOOK (AT_FEW_NONE - 1)
#define AT_FEW_MOST 32u			/* classes */

struct at_few_class {
	u64 start, end;		/* virtual; without packets only end counts */
	u64 cost, share;	/* of some packet, and how long it is served, virtually */
	u64 lag, shown;		/* hidden: how far its start was before V; from it to end */
	u32 weight;		/* 16.16 */
	bool hidden;		/* has packets, none of which may go for now */
};

struct at_few {
	struct at_few_class *at;
	u64 v, whole;		/* whole: the caller's; weights of all, not 0 while there are packets */
	u64 cost, passed;	/* of some packet, and how far V moves by it */
	u32 n, busy;		/* busy: who has packets that may go, a bit for each */
	u32 first;		/* who goes next, or AT_FEW_LOOK */
};

/* ---- set-up ---- */

/* Of memory that n classes want. */
static inline u64 at_few_bytes(u64 n)
{
	return n * sizeof(struct at_few_class);
}

/* Classes are without packets and owe nothing; weights stay. */
static inline void at_few_clear(struct at_few *w)
{
	for (u32 i = 0; i < w->n; i++)
		w->at[i] = (struct at_few_class){ .weight = w->at[i].weight };
	w->v = w->cost = w->passed = 0;
	w->busy = 0;
	w->first = AT_FEW_LOOK;
}

/* Classes 0 to n - 1, of weight 1 and without packets. memory: at_few_bytes(n) bytes, 8-aligned. */
static inline void at_few_init(struct at_few *w, void *memory, u32 n)
{
	w->at = memory;
	w->n = n;
	w->whole = 0;
	for (u32 i = 0; i < n; i++)
		w->at[i].weight = AT_FEW_ONE;
	at_few_clear(w);
}

/* Weight of class i, from the next head on; at least AT_FEW_WEIGHT_MIN. */
static inline void at_few_weigh(struct at_few *w, u32 i, u32 weight)
{
	w->at[i].weight = weight;
	w->at[i].cost = w->at[i].share = 0;
}

/* Weights of all. */
static inline void at_few_weigh_all(struct at_few *w, u64 whole)
{
	w->whole = whole;
	w->cost = w->passed = 0;
}

/* ---- virtual time ---- */

static inline bool at_few_after(u64 a, u64 b)
{
	return (s64)(a - b) > 0;
}

/* Whether class i has packets that may go. */
static inline bool at_few_in(const struct at_few *w, u32 i)
{
	return w->busy >> i & 1;
}

/* How long a packet of a class is served, virtually. */
static inline u64 at_few_share(struct at_few_class *c, u64 cost)
{
	if (cost != c->cost) {
		c->cost = cost;
		c->share = at_div(cost << 16, c->weight);
	}
	return c->share;
}

/* Nobody without packets stays more than half the range behind. */
static __attribute__((__cold__, __noinline__, __unused__)) void at_few_catch_up(struct at_few *w)
{
	for (u32 i = 0; i < w->n; i++)
		if (!at_few_in(w, i) && at_few_after(w->v, w->at[i].end))
			w->at[i].end = w->v;
}

static inline void at_few_move_to(struct at_few *w, u64 v)
{
	bool turned = (v ^ w->v) >> AT_FEW_QUARTER;

	w->v = v;
	if (turned)
		at_few_catch_up(w);
}

static inline void at_few_pass(struct at_few *w, u64 cost)
{
	if (cost != w->cost) {
		u32 shift = w->whole >> 32 ? 8 : 0;

		w->cost = cost;
		w->passed = at_div(cost << 16 >> shift, (u32)(w->whole >> shift));
	}
	at_few_move_to(w, w->v + w->passed);
}

/* ---- who goes next ---- */

/* Of those with packets who started, the one whose end is least, of equal ones the lowest
 * number, or AT_FEW_NONE; *ahead: how far the least start of the others is from V. */
static inline u32 at_few_least(const struct at_few *w, s64 *ahead)
{
	s64 least = ~((u64)1 << 63), end = least;
	u32 best = AT_FEW_NONE;

	for (u32 left = w->busy; left; left &= left - 1) {
		u32 i = (u32)__builtin_ctz(left);
		s64 start = (s64)(w->at[i].start - w->v), to = (s64)(w->at[i].end - w->v);

		if (start > 0) {
			least = start < least ? start : least;
		} else if (to < end) {
			end = to;
			best = i;
		}
	}
	*ahead = least;
	return best;
}

/* V is not before the least start. */
static inline u32 at_few_look(struct at_few *w)
{
	s64 ahead;
	u32 i = at_few_least(w, &ahead);

	if (i == AT_FEW_NONE && w->busy) {
		at_few_move_to(w, w->v + (u64)ahead);
		i = at_few_least(w, &ahead);
	}
	return w->first = i;
}

/* The class that goes next, or AT_FEW_NONE: nobody has packets. */
static inline u32 at_few_next(struct at_few *w)
{
	return w->first == AT_FEW_LOOK ? at_few_look(w) : w->first;
}

/* ---- classes ---- */

/* Class i, whose start is set, shows a head of that cost. */
static inline void at_few_show(struct at_few *w, u32 i, u64 cost)
{
	w->at[i].end = w->at[i].start + at_few_share(&w->at[i], cost);
	w->first = AT_FEW_LOOK;
}

/* Class i had no packets and has now; the first one costs so much. */
static inline void at_few_enter(struct at_few *w, u32 i, u64 cost)
{
	struct at_few_class *c = &w->at[i];

	w->busy |= (u32)1 << i;
	c->start = at_few_after(c->end, w->v) ? c->end : w->v;
	at_few_show(w, i, cost);
}

/* Class i has no packets any more, none of which was served now. */
static inline void at_few_leave(struct at_few *w, u32 i)
{
	w->busy &= ~((u32)1 << i);
	w->at[i].end = w->at[i].start;
	w->first = AT_FEW_LOOK;
}

/* Class i has packets, none of which may go for now. */
static inline void at_few_hide(struct at_few *w, u32 i)
{
	struct at_few_class *c = &w->at[i];

	c->shown = c->end - c->start;
	c->lag = at_few_after(w->v, c->start) ? w->v - c->start : 0;
	c->hidden = true;
	at_few_leave(w, i);
}

/* They may go again: as if they had always been there, if nobody was served meanwhile. */
static inline void at_few_unhide(struct at_few *w, u32 i)
{
	struct at_few_class *c = &w->at[i];

	w->busy |= (u32)1 << i;
	c->hidden = false;
	c->start = at_few_after(c->end, w->v) ? c->end : w->v - c->lag;
	c->end = c->start + c->shown;
	c->lag = 0;
	w->first = AT_FEW_LOOK;
}

/* Class i, which is hidden, has no packets any more. */
static inline void at_few_forget(struct at_few *w, u32 i)
{
	w->at[i].hidden = false;
	w->at[i].lag = 0;
}

/* The head of class i, who has packets, was served and cost so much; if there is `more`,
 * the next one costs so much. */
static inline void at_few_serve(struct at_few *w, u32 i, u64 cost, bool more, u64 next)
{
	struct at_few_class *c = &w->at[i];

	c->end = c->start + at_few_share(c, cost);
	at_few_pass(w, cost);
	if (more) {
		c->start = c->end;
		c->end += at_few_share(c, next);
	} else {
		w->busy &= ~((u32)1 << i);
	}
	at_few_look(w);
}

#endif
