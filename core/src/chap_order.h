/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What every dequeue of chap does with the order of its backlogged flows
 * (chap_order.c): the loose one gets its place, and whose turn it is leaves his.
 * Inline, for it is a third of what a packet costs.
 */
#ifndef AIRTAB_CHAP_ORDER_H
#define AIRTAB_CHAP_ORDER_H

#include "chap_state.h"

/* What order.h sorts by. */
static inline struct at_heap_entry chap_entry(const void *ctx, u32 id)
{
	const struct chap *c = ctx;

	return (struct at_heap_entry){ chap_key(c, id), c->epoch, id };
}

/* Keys of the present need no boost, and few are equal: branches that nearly
 * always go the same way. The comparison itself has none, it is a toss-up. */
static inline bool chap_less(const void *ctx, const struct at_heap_entry *a, const struct at_heap_entry *b)
{
	const struct chap *c = ctx;
	s64 x = a->key, y = b->key;

	if (__builtin_expect((a->tag ^ c->epoch) | (b->tag ^ c->epoch), 0)) {
		x = at_credit_boost(x, c->epoch - a->tag);
		y = at_credit_boost(y, c->epoch - b->tag);
	}
	if (x == y)	/* who is older goes first */
		return chap_flow_in(c, a->id)->created > chap_flow_in(c, b->id)->created;
	return x < y;
}

/* Of those that may be served; no end of a run is near. */
void at_chap_rank_apart(struct chap *c, u32 id);
void at_chap_unrank_apart(struct chap *c, u32 id);
/* Of the others. */
void at_chap_rank_parked(struct chap *c, u32 id);

/* Gives a slot its place by the credit of its flow. No choice of a pointer: the order
 * of those that may be served is known before the flow is looked at, and most come and
 * go at the ends of its runs. */
AT_HEAP_FN void chap_seat(struct chap *c, u32 id)
{
	if (__builtin_expect(chap_parked(c, id), 0))
		at_chap_rank_parked(c, id);
	else if (!at_order_join(&c->order, chap_entry(c, id), chap_less, c))
		at_chap_rank_apart(c, id);
}

/* Whether the loose slot is the only one that may be served. */
static inline bool chap_alone(const struct chap *c)
{
	return !c->order.n && c->loose != AT_ORDER_NONE && !chap_parked(c, c->loose);
}

/* Whose turn it is: the slot with the most credit of those that may be served, or
 * AT_ORDER_NONE. All are boosted if it has none left. It becomes the loose one, for it
 * is about to pay, unless it is the tab. */
static inline u32 chap_choose(struct chap *c)
{
	const struct at_heap_entry *most;
	u32 id = c->loose;
	s64 credit;

	if (chap_alone(c)) {
		if (at_credit_value(chap_key(c, id), c->increment) <= 0)
			at_chap_boost(c);
		return id;
	}
	if (id != AT_ORDER_NONE)
		chap_seat(c, id);
	c->loose = AT_ORDER_NONE;
	most = at_order_end(&c->order, true, chap_less, c);
	if (!most)
		return AT_ORDER_NONE;
	id = most->id;
	credit = at_credit_boost(most->key, c->epoch - most->tag);
	if (__builtin_expect(at_credit_value(credit, c->increment) <= 0, 0)) {
		at_chap_boost(c);
		if (id != TAB)
			at_chap_loosen(c, id);
	} else if (id != TAB) {
		if (!at_order_behead(&c->order, most, chap_entry, c))
			at_chap_unrank_apart(c, id);
		c->loose = id;
	}
	return id;
}

#endif
