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
static void cbq_tell(struct at_wf2q *w, u32 i, u64 *shown, bool any, bool may, u64 cost)
{
	const struct at_wf2q_class *c = &w->at[i];

	if (!may) {
		if (c->in && any)
			at_wf2q_hide(w, i);
		else if (c->in)
			at_wf2q_leave(w, i);
		else if (c->hidden && !any)
			at_wf2q_forget(w, i);
		return;
	}
	if (c->hidden)
		at_wf2q_unhide(w, i);
	if (!c->in)
		at_wf2q_enter(w, i, cost);
	else if (cost != *shown)
		at_wf2q_reshow(w, i, cost);
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
	u32 i = at_wf2q_next(&s->within[g]);

	return i == AT_WF2Q_NONE ? 0 : s->at[i].shown;
}

static void cbq_tell_of_group(struct at_cbq *s, u32 g)
{
	bool may = at_wf2q_next(&s->within[g]) != AT_WF2Q_NONE;

	cbq_tell(&s->among, g, &s->shown[g], may || cbq_group_has(s, g), may, cbq_group_cost(s, g));
	s->stale &= ~((u32)1 << g);
}

void at_cbq_sync(struct at_qdisc *q, u32 i)
{
	struct at_cbq *s = at_cbq_priv(q);
	u32 g = s->at[i].group;
	bool may = at_cbq_may_go(s, i);

	cbq_tell(&s->within[g], i, &s->at[i].shown, s->tins[i].qlen, may, may ? at_cbq_head_bytes(q, i) * BYTE : 0);
	s->stale |= (u32)1 << g;
}

/* A packet of class i was served. */
static void cbq_charge(struct at_qdisc *q, u32 i, u32 bytes)
{
	struct at_cbq *s = at_cbq_priv(q);
	struct at_cbq_class *c = &s->at[i];
	struct at_wf2q *w = &s->within[c->group];
	bool more = at_cbq_may_go(s, i);

	c->served += bytes;
	c->shown = more ? at_cbq_head_bytes(q, i) * BYTE : 0;
	at_wf2q_serve(w, i, bytes * BYTE, more, c->shown);
	more = at_wf2q_next(w) != AT_WF2Q_NONE;
	s->shown[c->group] = cbq_group_cost(s, c->group);
	at_wf2q_serve(&s->among, c->group, bytes * BYTE, more, s->shown[c->group]);
}

static u32 cbq_next_group(struct at_cbq *s)
{
	for (u32 g = 0; s->stale; g++)
		if (s->stale >> g & 1)
			cbq_tell_of_group(s, g);
	return at_wf2q_next(&s->among);
}

struct at_pkt *at_cbq_next(struct at_qdisc *q, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);
	struct at_pkt *p = NULL;
	u32 g;

	while (!p && (g = cbq_next_group(s)) != AT_WF2Q_NONE) {
		u32 i = at_wf2q_next(&s->within[g]);

		p = at_cbq_take(q, i, now);
		if (p)
			cbq_charge(q, i, at_bytes(p));
		else
			at_cbq_sync(q, i);
	}
	return p;
}

void at_cbq_begin(struct at_qdisc *q)
{
	struct at_cbq *s = at_cbq_priv(q);
	u32 sums[AT_CLASSES] = { 0 }, all = 0;

	at_wf2q_clear(&s->among);
	for (u32 i = 0; i < s->classes; i++) {
		sums[s->at[i].group] += s->at[i].share;
		at_wf2q_clear(&s->within[i]);
	}
	for (u32 i = 0; i < s->classes; i++) {
		at_wf2q_weigh(&s->within[s->at[i].group], i, s->at[i].share << AT_CBQ_WEIGHT);
		if (sums[i])
			at_wf2q_weigh(&s->among, i, sums[i] << AT_CBQ_WEIGHT);
		s->within[i].whole = sums[i] << AT_CBQ_WEIGHT;
		all += sums[i];
	}
	s->among.whole = all << AT_CBQ_WEIGHT;
	for (u32 i = 0; i < s->classes; i++)
		at_cbq_sync(q, i);
}
