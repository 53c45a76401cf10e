/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbq: who goes next: WF2Q+ over groups, and in each over its classes. With borrow=all
 * all classes are of one group.
 *
 * V moves by the shares of all, idle ones too (Bennett and Zhang): who comes back within
 * its share waits for one packet of others beside that under way.
 *
 * Groups are told of when a packet is asked for: what closes and opens in between, or
 * comes before another, costs nobody his place.
 */
#include "cbq_state.h"

#define BYTE ((u64)1 << 20)	/* of the scheduler's ns: shares of 40 bytes to 10^-5 */

/* Tells w of i, which has packets (any), of which some may go (may), the next one at that
 * cost. */
static void cbq_tell(struct at_few *w, u32 i, u64 *shown, bool any, bool may, u64 cost)
{
	bool in = at_few_in(w, i), hidden = w->at[i].hidden;

	if (!may) {
		if (in && any)
			at_few_hide(w, i);
		else if (in)
			at_few_leave(w, i);
		else if (hidden && !any)
			at_few_forget(w, i);
		return;
	}
	if (hidden)
		at_few_unhide(w, i);
	if (!in && !hidden)
		at_few_enter(w, i, cost);
	else if (cost != *shown)
		at_few_show(w, i, cost);
	*shown = cost;
}

/* Whether a class of group g has packets. */
static bool cbq_group_has(const struct at_cbq *s, u32 g)
{
	for (u32 i = 0; i < s->classes; i++)
		if (s->at[i].group == g && s->tins[i].qlen)
			return true;
	return false;
}

/* What group g shows: the packet that its scheduler has next. */
static u64 cbq_group_cost(struct at_cbq *s, u32 g)
{
	u32 i = at_few_next(&s->within[g]);

	return i == AT_FEW_NONE ? 0 : s->at[i].shown;
}

static void cbq_tell_of_group(struct at_cbq *s, u32 g)
{
	bool may = at_few_next(&s->within[g]) != AT_FEW_NONE;

	cbq_tell(&s->among, g, &s->shown[g], may || cbq_group_has(s, g), may, cbq_group_cost(s, g));
	s->stale &= ~((u32)1 << g);
}

void at_cbq_sync(struct at_qdisc *q, u32 i)
{
	struct at_cbq *s = at_cbq_priv(q);
	u32 g = s->at[i].group;
	bool may = at_cbq_may_go(s, i);

	cbq_tell(&s->within[g], i, &s->at[i].shown, s->tins[i].qlen, may, may ? at_cbq_head_bytes(q, i) * BYTE : 0);
	if (s->only != g)
		s->stale |= (u32)1 << g;
}

/* A packet of class i was served. */
static void cbq_charge(struct at_qdisc *q, u32 i, u32 bytes)
{
	struct at_cbq *s = at_cbq_priv(q);
	struct at_cbq_class *c = &s->at[i];
	struct at_few *w = &s->within[c->group];
	bool more = at_cbq_may_go(s, i);

	c->served += bytes;
	c->shown = more ? at_cbq_head_bytes(q, i) * BYTE : 0;
	at_few_serve(w, i, bytes * BYTE, more, c->shown);
	if (s->only == c->group)
		return;
	more = at_few_next(w) != AT_FEW_NONE;
	s->shown[c->group] = cbq_group_cost(s, c->group);
	at_few_serve(&s->among, c->group, bytes * BYTE, more, s->shown[c->group]);
}

static u32 cbq_next_group(struct at_cbq *s)
{
	for (u32 g = 0; s->stale; g++)
		if (s->stale >> g & 1)
			cbq_tell_of_group(s, g);
	return at_few_next(&s->among);
}

/* The class that goes next, or AT_FEW_NONE. */
static u32 cbq_next_class(struct at_cbq *s)
{
	u32 g = s->only < s->classes ? s->only : cbq_next_group(s);

	return g == AT_FEW_NONE ? g : at_few_next(&s->within[g]);
}

struct at_pkt *at_cbq_next(struct at_qdisc *q, u64 now)
{
	u32 i;

	while ((i = cbq_next_class(at_cbq_priv(q))) != AT_FEW_NONE) {
		struct at_pkt *p = at_cbq_take(q, i, now);

		if (p) {
			cbq_charge(q, i, at_bytes(p));
			at_book_out(q, p);
			return p;
		}
		at_cbq_sync(q, i);
	}
	return NULL;
}

void at_cbq_begin(struct at_qdisc *q)
{
	struct at_cbq *s = at_cbq_priv(q);
	u32 sums[AT_CLASSES] = { 0 }, all = 0;

	at_few_clear(&s->among);
	s->only = s->at->group;
	for (u32 i = 0; i < s->classes; i++) {
		if (s->at[i].group != s->only)
			s->only = s->classes;
		sums[s->at[i].group] += s->at[i].share;
		at_few_clear(&s->within[i]);
	}
	for (u32 i = 0; i < s->classes; i++) {
		at_few_weigh(&s->within[s->at[i].group], i, s->at[i].share << AT_CBQ_WEIGHT);
		if (sums[i])
			at_few_weigh(&s->among, i, sums[i] << AT_CBQ_WEIGHT);
		at_few_weigh_all(&s->within[i], sums[i] << AT_CBQ_WEIGHT);
		all += sums[i];
	}
	at_few_weigh_all(&s->among, all << AT_CBQ_WEIGHT);
	for (u32 i = 0; i < s->classes; i++)
		at_cbq_sync(q, i);
}
