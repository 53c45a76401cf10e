/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/wf2q.h: classes share a server by weight, whatever their packets cost: WF2Q+
 * with a cost of the caller's in place of the length.
 *
 * Sources: J. Bennett, H. Zhang, "Hierarchical Packet Fair Queueing Algorithms", IEEE/ACM
 * ToN 5(5), 1997, section 3; P. Starzetz, thesis, INPG Grenoble 2006, 9.2.1 (the cost).
 *
 * Rules
 *  - A class shows its head, of cost f. It is served, virtually, from `start` to `end` =
 *    start + f / weight: from where the packet before it ended, or from now on if the
 *    class had nothing since.
 *  - Virtual time V moves on by f / (weights of all that have packets) with every packet
 *    served, and is never before the least start. Where `whole` is given it moves by
 *    f / whole, the weights of all (Bennett and Zhang): who has nothing for a while and
 *    sends no more than its share is served sooner, and who shares with others what it
 *    left is farther from the fluid system.
 *  - Of the classes whose start is not after V the one with the least end goes; of equal
 *    ones the lowest number.
 *  - A class whose packets may not go for now is hidden: it comes back as far before V, or
 *    behind it, as it was.
 *  - What a packet cost is said when it is served, and may differ from what was shown. A
 *    charge that comes later moves start and end up, never back; a refund lowers what the
 *    next packets cost, none below AT_WF2Q_LEAST.
 *
 * Times are modulo 2^64, compared by their difference: a class that is idle while V
 * passes a quarter of the range is brought up to V (AT_WF2Q_QUARTER), so that none is
 * ever half a range behind.
 *
 * Cost: O(log classes) a packet, O(1) where tags rise as classes take turns (lineup.h);
 * a division by the weights, one more where a weight is not 1.
 *
 * What this is not: no packets, no hierarchy, no negative cost.
 */
#ifndef AIRTAB_WF2Q_H
#define AIRTAB_WF2Q_H

#include "airtab/lineup.h"

#define AT_WF2Q_ONE 65536u		/* weight 1: 16.16 */
#define AT_WF2Q_WEIGHT_MIN 256u		/* 1/256 */
#define AT_WF2Q_WEIGHT_MAX (AT_WF2Q_ONE << 8)
#define AT_WF2Q_LEAST 1000u		/* ns: what a packet costs after a refund */
#define AT_WF2Q_COST_MAX ((u64)1 << 40)	/* more counts as this: 18 minutes */
#define AT_WF2Q_DEBT ((u64)10000000000)	/* charges that come late hold nobody up for longer: V */
#define AT_WF2Q_QUARTER 62u		/* bits below the two that count quarters of the range */
#define AT_WF2Q_NONE (~(u32)0)

struct at_wf2q_class {
	u64 start, end;		/* virtual; without packets only end counts */
	u64 refund;		/* ns, of which nothing is used yet */
	u64 lag, shown;		/* hidden: how far its start was before V; from it to end */
	u32 weight;		/* 16.16 */
	bool in;		/* has packets that may go */
	bool later;		/* and its start was after V */
	bool hidden;		/* and had some, which may not for now */
};

struct at_wf2q {
	struct at_wf2q_class *at;
	struct at_lineup ready, later;	/* start <= V, by end; start > V, by start */
	u64 v, weights;			/* weights: of those with packets */
	u64 whole;			/* the caller's: 0, or weights of all: by which V moves */
	u32 n, active;			/* classes; those with packets that may go */
};

/* ---- set-up ---- */

/* Of memory that n classes want. */
static inline u64 at_wf2q_bytes(u64 n)
{
	return n * (sizeof(struct at_wf2q_class) + 2 * sizeof(struct at_heap_entry) + sizeof(u32)) +
	       (n + 2) * sizeof(struct at_lineup_place);
}

/* No class has packets. */
static inline void at_wf2q_empty(struct at_wf2q *w)
{
	struct at_lineup_place *place = (void *)(w->at + w->n);
	struct at_heap_entry *e = (void *)(place + w->n + 2);
	u32 *pos = (void *)(e + 2 * (u64)w->n);

	for (u32 i = 0; i < w->n; i++) {
		place[i].before = AT_LINEUP_APART;
		pos[i] = 0;
		w->at[i] = (struct at_wf2q_class){ .weight = w->at[i].weight };
	}
	at_lineup_init(&w->ready, place, w->n, e, pos);
	at_lineup_init(&w->later, place, w->n + 1, e + w->n, pos);
	w->v = w->weights = 0;
	w->active = 0;
}

/* Classes 0 to n - 1, of weight 1 and without packets. memory: at_wf2q_bytes(n) bytes,
 * 8-aligned. */
static inline void at_wf2q_init(struct at_wf2q *w, void *memory, u32 n)
{
	w->at = memory;
	w->n = n;
	for (u32 i = 0; i < n; i++)
		w->at[i].weight = AT_WF2Q_ONE;
	at_wf2q_empty(w);
}

/* Classes without packets are as many as before and owe nothing; weights stay. */
static inline void at_wf2q_clear(struct at_wf2q *w)
{
	at_wf2q_empty(w);
}

/* ---- who may go, and who later ---- */

static inline bool at_wf2q_after(u64 a, u64 b)
{
	return (s64)(a - b) > 0;
}

static inline void at_wf2q_add(struct at_wf2q *w, u32 i)
{
	struct at_wf2q_class *c = &w->at[i];

	c->later = at_wf2q_after(c->start, w->v);
	if (c->later)
		at_lineup_add(&w->later, i, c->start);
	else
		at_lineup_add(&w->ready, i, c->end);
}

/* Class i, which has packets that may go. */
static inline void at_wf2q_del(struct at_wf2q *w, u32 i)
{
	at_lineup_del(w->at[i].later ? &w->later : &w->ready, i);
}

/* ---- virtual time ---- */

static inline u64 at_wf2q_cost(u64 ns)
{
	return ns < AT_WF2Q_COST_MAX ? ns : AT_WF2Q_COST_MAX;
}

/* How long a class of that weight is served for ns, virtually. */
static inline u64 at_wf2q_share(u64 ns, u32 weight)
{
	return weight == AT_WF2Q_ONE ? ns : at_div(ns << 16, weight);
}

/* Nobody without packets stays more than half the range behind. */
static __attribute__((__cold__, __noinline__, __unused__)) void at_wf2q_catch_up(struct at_wf2q *w)
{
	for (u32 i = 0; i < w->n; i++)
		if (!w->at[i].in && at_wf2q_after(w->v, w->at[i].end))
			w->at[i].end = w->v;
}

static inline void at_wf2q_move_to(struct at_wf2q *w, u64 v)
{
	bool turned = (v ^ w->v) >> AT_WF2Q_QUARTER;

	w->v = v;
	if (turned)
		at_wf2q_catch_up(w);
}

/* V is not before the least start. */
static inline void at_wf2q_not_before(struct at_wf2q *w)
{
	u32 first;

	if (at_lineup_first(&w->ready) != w->ready.end)
		return;
	first = at_lineup_first(&w->later);
	if (first != w->later.end && at_wf2q_after(w->at[first].start, w->v))
		at_wf2q_move_to(w, w->at[first].start);
}

static inline void at_wf2q_pass(struct at_wf2q *w, u64 ns)
{
	u64 weights = w->whole ? w->whole : w->weights;
	u32 shift = weights >> 32 ? 8 : 0;

	at_wf2q_move_to(w, w->v + at_div(ns << 16 >> shift, (u32)(weights >> shift)));
}

/* ---- classes ---- */

/* What is left of a cost when so much of the refund is used: *used. */
static inline u64 at_wf2q_after_refund(const struct at_wf2q_class *c, u64 ns, u64 *used)
{
	ns = at_wf2q_cost(ns);
	*used = ns > AT_WF2Q_LEAST ? ns - AT_WF2Q_LEAST : 0;
	*used = c->refund < *used ? c->refund : *used;
	return ns - *used;
}

/* Class i, whose start is set, shows a head of that cost. */
static inline void at_wf2q_show(struct at_wf2q *w, u32 i, u64 ns)
{
	struct at_wf2q_class *c = &w->at[i];
	u64 used;

	c->end = c->start + at_wf2q_share(at_wf2q_after_refund(c, ns, &used), c->weight);
	at_wf2q_add(w, i);
}

/* Class i had no packets and has now; the first one costs so much. */
static inline void at_wf2q_enter(struct at_wf2q *w, u32 i, u64 ns)
{
	struct at_wf2q_class *c = &w->at[i];

	c->in = true;
	w->active++;
	w->weights += c->weight;
	c->start = at_wf2q_after(c->end, w->v) ? c->end : w->v;
	at_wf2q_show(w, i, ns);
}

/* Class i shows another head than before, and none was served. */
static inline void at_wf2q_reshow(struct at_wf2q *w, u32 i, u64 ns)
{
	at_wf2q_del(w, i);
	at_wf2q_show(w, i, ns);
}

/* Class i has no packets any more, none of which was served now. */
static inline void at_wf2q_leave(struct at_wf2q *w, u32 i)
{
	at_wf2q_del(w, i);
	w->active--;
	w->at[i].in = false;
	w->at[i].end = w->at[i].start;
	w->weights -= w->at[i].weight;
}

/* Class i has packets, none of which may go for now. */
static inline void at_wf2q_hide(struct at_wf2q *w, u32 i)
{
	struct at_wf2q_class *c = &w->at[i];
	u64 start = c->start;

	c->shown = c->end - start;
	at_wf2q_leave(w, i);
	c->lag = at_wf2q_after(w->v, start) ? w->v - start : 0;
	c->hidden = true;
}

/* They may go again: as if they had always been there, if nobody was served meanwhile. */
static inline void at_wf2q_unhide(struct at_wf2q *w, u32 i)
{
	struct at_wf2q_class *c = &w->at[i];

	c->in = true;
	w->active++;
	c->hidden = false;
	w->weights += c->weight;
	c->start = at_wf2q_after(c->end, w->v) ? c->end : w->v - c->lag;
	c->end = c->start + c->shown;
	c->lag = 0;
	at_wf2q_add(w, i);
}

/* Class i, which is hidden, has no packets any more. */
static inline void at_wf2q_forget(struct at_wf2q *w, u32 i)
{
	w->at[i].hidden = false;
	w->at[i].lag = 0;
}

/* The class that goes next, or AT_WF2Q_NONE: nobody has packets. */
static inline u32 at_wf2q_next(struct at_wf2q *w)
{
	u32 i, later;

	for (;;) {
		while ((later = at_lineup_first(&w->later)) != w->later.end &&
		       !at_wf2q_after(w->at[later].start, w->v)) {
			at_lineup_del(&w->later, later);
			w->at[later].later = false;
			at_lineup_add(&w->ready, later, w->at[later].end);
		}
		i = at_lineup_first(&w->ready);
		if (i != w->ready.end)
			return i;
		if (later == w->later.end)
			return AT_WF2Q_NONE;
		at_wf2q_move_to(w, w->at[later].start);
	}
}

/* The head of class i, who has packets, was served and cost so much; if there is `more`,
 * the next one costs next_ns. */
static inline void at_wf2q_serve(struct at_wf2q *w, u32 i, u64 ns, bool more, u64 next_ns)
{
	struct at_wf2q_class *c = &w->at[i];
	u64 used;

	ns = at_wf2q_after_refund(c, ns, &used);
	c->refund -= used;
	c->end = c->start + at_wf2q_share(ns, c->weight);
	at_wf2q_del(w, i);
	at_wf2q_pass(w, ns);
	if (more) {
		c->start = c->end;
		at_wf2q_show(w, i, next_ns);
	} else {
		c->in = false;
		w->active--;
		w->weights -= c->weight;
	}
	at_wf2q_not_before(w);
}

/* Class i cost ns more than was said; not beyond AT_WF2Q_DEBT. */
static inline void at_wf2q_charge(struct at_wf2q *w, u32 i, u64 ns)
{
	struct at_wf2q_class *c = &w->at[i];
	u64 by = at_wf2q_share(at_wf2q_cost(ns), c->weight), from = c->in ? c->start : c->end, most;

	most = c->lag < by ? c->lag : by;
	c->lag -= most;
	by -= most;
	if (!at_wf2q_after(from, w->v))
		from = w->v;
	most = w->v + AT_WF2Q_DEBT - from;
	by = at_wf2q_after(from, w->v + AT_WF2Q_DEBT) ? 0 : by < most ? by : most;
	if (!c->in) {
		c->end = from + by;
	} else if (by) {
		at_wf2q_del(w, i);
		c->start += by;
		c->end += by;
		at_wf2q_add(w, i);
	}
}

/* Class i cost ns less than was said: its next packets cost less. */
static inline void at_wf2q_refund(struct at_wf2q *w, u32 i, u64 ns)
{
	w->at[i].refund = at_wf2q_cost(w->at[i].refund + at_wf2q_cost(ns));
}

/* Class i owes nothing beyond what it shows, and is owed nothing. */
static inline void at_wf2q_forgive(struct at_wf2q *w, u32 i)
{
	struct at_wf2q_class *c = &w->at[i];

	c->refund = 0;
	if (!c->in && !c->hidden)
		c->end = w->v;
}

/* Weight of class i, from the next head on; within AT_WF2Q_WEIGHT_MIN and _MAX. */
static inline void at_wf2q_weigh(struct at_wf2q *w, u32 i, u32 weight)
{
	struct at_wf2q_class *c = &w->at[i];

	w->weights += c->in ? (u64)weight - c->weight : 0;
	c->weight = weight;
}

#endif
