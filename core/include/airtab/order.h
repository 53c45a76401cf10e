/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/order.h: the members of a set in order of their keys, least and
 * greatest at hand, made for keys that mostly come falling.
 *
 * In a saturated queue the member served is the one with the greatest key, pays,
 * and comes back with the least. So most members lie in a run, a list from the
 * greatest to the least, that is joined at its ends in O(1). Those that fit
 * neither end are in an interval heap (heap.h), O(log n). An end of the order is
 * an end of the run or of the heap.
 *
 * One low key must not close the run to all that follow: when a member fits right
 * above the tail, it takes the tail's place, which goes to the heap.
 *
 * The run stores no keys. The caller's `entry` tells that of a member, which is
 * not to change while it is in the order, except that all may change such that
 * the order of any two stays (or they become equal), or before a rebuild. Ids
 * are below AT_ORDER_NONE.
 *
 * What this is not: not a search tree (nothing finds a key), no allocation.
 */
#ifndef AIRTAB_ORDER_H
#define AIRTAB_ORDER_H

#include "airtab/heap.h"

#define AT_ORDER_NONE ((u32)0x7fffffff)
#define AT_ORDER_RUN ((u32)1 << 31)

struct at_order {
	struct at_heap heap;	/* pos: in the run AT_ORDER_RUN | who is above */
	u32 *next;		/* next[id * heap.step]: who is below, in the run */
	u32 head, tail;		/* of the run */
	u32 n;			/* members */
};

typedef struct at_heap_entry at_order_entry(const void *ctx, u32 id);

/* An empty order. pos and next: an array element of every id, `step` apart. */
static inline void at_order_init(struct at_order *o, struct at_heap_entry *e, u32 *pos, u32 *next, u32 step)
{
	*o = (struct at_order){ { e, pos, step, 0 }, next, AT_ORDER_NONE, AT_ORDER_NONE, 0 };
}

static inline bool at_order_has(const struct at_order *o, u32 id)
{
	return *at_heap_pos(&o->heap, id);
}

static inline u32 *at_order_next(const struct at_order *o, u32 id)
{
	return &o->next[(size_t)id * o->heap.step];
}

/* Puts id into the run between two neighbours. */
static inline void at_order_link(struct at_order *o, u32 id, u32 above, u32 below)
{
	*at_heap_pos(&o->heap, id) = AT_ORDER_RUN | above;
	*at_order_next(o, id) = below;
	if (above == AT_ORDER_NONE)
		o->head = id;
	else
		*at_order_next(o, above) = id;
	if (below == AT_ORDER_NONE)
		o->tail = id;
	else
		*at_heap_pos(&o->heap, below) = AT_ORDER_RUN | id;
}

static inline u32 at_order_above(const struct at_order *o, u32 id)
{
	return *at_heap_pos(&o->heap, id) & ~AT_ORDER_RUN;
}

static inline void at_order_unlink(struct at_order *o, u32 id)
{
	u32 above = at_order_above(o, id), below = *at_order_next(o, id);

	*at_heap_pos(&o->heap, id) = 0;
	if (above == AT_ORDER_NONE)
		o->head = below;
	else
		*at_order_next(o, above) = below;
	if (below == AT_ORDER_NONE)
		o->tail = above;
	else
		*at_heap_pos(&o->heap, below) = AT_ORDER_RUN | above;
}

AT_HEAP_FN bool at_order_below(const struct at_heap_entry *x, u32 id, at_order_entry *entry,
			       at_heap_less *less, const void *ctx)
{
	struct at_heap_entry y = entry(ctx, id);

	return less(ctx, x, &y);
}

/* Adds id, which is not in the order. */
AT_HEAP_FN void at_order_add(struct at_order *o, u32 id, at_order_entry *entry,
			     at_heap_less *less, const void *ctx)
{
	struct at_heap_entry x = entry(ctx, id), y;
	u32 tail = o->tail, above;

	o->n++;
	if (tail == AT_ORDER_NONE || at_order_below(&x, tail, entry, less, ctx)) {
		at_order_link(o, id, tail, AT_ORDER_NONE);
		return;
	}
	if (!at_order_below(&x, o->head, entry, less, ctx)) {
		at_order_link(o, id, AT_ORDER_NONE, o->head);
		return;
	}
	above = at_order_above(o, tail);
	y = entry(ctx, tail);
	at_order_unlink(o, tail);
	at_heap_add(&o->heap, y, less, ctx);
	if (at_order_below(&x, above, entry, less, ctx))
		at_order_link(o, id, above, AT_ORDER_NONE);
	else
		at_heap_add(&o->heap, x, less, ctx);
}

/* Does nothing if id is not in the order. */
AT_HEAP_FN void at_order_del(struct at_order *o, u32 id, at_heap_less *less, const void *ctx)
{
	u32 pos = *at_heap_pos(&o->heap, id);

	if (!pos)
		return;
	o->n--;
	if (pos & AT_ORDER_RUN)
		at_order_unlink(o, id);
	else
		at_heap_del(&o->heap, id, less, ctx);
}

/* The greatest or the least member, or AT_ORDER_NONE. */
AT_HEAP_FN u32 at_order_end(const struct at_order *o, bool greatest, at_order_entry *entry,
			    at_heap_less *less, const void *ctx)
{
	const struct at_heap_entry *x = greatest ? at_heap_max(&o->heap) : at_heap_min(&o->heap);
	u32 id = greatest ? o->head : o->tail;

	if (!x)
		return id;
	return id == AT_ORDER_NONE || at_order_below(x, id, entry, less, ctx) != greatest ? x->id : id;
}

/* Restores the order after any number of keys or the order itself changed: O(n log n). */
AT_HEAP_FN void at_order_rebuild(struct at_order *o, at_order_entry *entry,
				 at_heap_less *less, const void *ctx)
{
	u32 above, next;

	for (u32 i = 0; i < o->heap.n; i++)
		o->heap.e[i] = entry(ctx, o->heap.e[i].id);
	at_heap_rebuild(&o->heap, less, ctx);
	for (u32 id = o->head; id != AT_ORDER_NONE; id = next) {
		struct at_heap_entry x = entry(ctx, id);

		next = *at_order_next(o, id);
		above = at_order_above(o, id);
		if (above != AT_ORDER_NONE && !at_order_below(&x, above, entry, less, ctx)) {
			at_order_unlink(o, id);
			at_heap_add(&o->heap, x, less, ctx);
		}
	}
}

#endif
