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

	if (__builtin_expect(((a->tag ^ c->epoch) | (b->tag ^ c->epoch)) != 0, 0)) {
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

/* Whose turn it is, the tab's or after a boost. */
u32 at_chap_choose_rarely(struct chap *c, const struct at_heap_entry *most);

/* Whether it has nothing left, which may be wrong before it has seen all boosts. */
static inline bool chap_spent(const struct chap *c, s64 credit)
{
	return __builtin_expect(at_credit_value(credit, c->increment) <= 0, 0);
}

/* Whose turn it is: the slot with the most credit of those that may be served, or
 * AT_ORDER_NONE. All are boosted if it has none left. It becomes the loose one, for it
 * is about to pay, unless it is the tab. */
static inline u32 chap_choose(struct chap *c)
{
	const struct at_heap_entry *most;
	u32 id = c->loose;

	if (id != AT_ORDER_NONE) {
		if (!c->order.n && !chap_parked(c, id)) {	/* it is the only one */
			if (chap_spent(c, chap_credit_of(c, chap_flow_in(c, id))))
				at_chap_boost(c);
			return id;
		}
		chap_seat(c, id);
	}
	most = at_order_end(&c->order, true, chap_less, c);
	if (!most) {
		c->loose = AT_ORDER_NONE;
		return AT_ORDER_NONE;
	}
	id = most->id;
	if (chap_spent(c, most->key) || id == TAB)
		return at_chap_choose_rarely(c, most);
	if (!at_order_behead(&c->order, most, chap_entry, c))
		at_chap_unrank_apart(c, id);
	c->loose = id;
	return id;
}

#endif
