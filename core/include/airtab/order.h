/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/order.h: the members of a set in the order of their keys, least and
 * greatest at hand, made for keys that mostly come falling.
 *
 * In a busy queue the member with the greatest key is served, pays, and comes
 * back with the least. So members lie in runs, lists from the greatest to the
 * least, that are joined at an end in O(1); those that fit no end are in an
 * interval heap (heap.h), O(log n). An end of the order is an end of a run or of
 * the heap. There are two runs, for the first low key closes a run to all higher
 * ones that follow: what pays much and what pays little each get theirs.
 *
 * Runs store no keys. The caller's `entry` tells that of a member. Keys do not
 * change while their members are in the order, except that all may change at once
 * such that no two change places (they may become equal), or before a rebuild.
 *
 * What this is not: no search for a key, no allocation.
 */
#ifndef AIRTAB_ORDER_H
#define AIRTAB_ORDER_H

#include "airtab/heap.h"

#define AT_ORDER_RUNS 2u
#define AT_ORDER_NONE ((u32)0x7fffffff)		/* ids are below */
#define AT_ORDER_RUN ((u32)1 << 31)

struct at_order {
	struct at_heap heap;	/* pos[id] in a run: AT_ORDER_RUN | who is above */
	u32 *next;		/* next[id] in a run: who is below; else the caller's */
	struct at_order_run {
		u32 head, tail;	/* greatest, least; AT_ORDER_NONE in an empty run */
	} run[AT_ORDER_RUNS];
	u32 n;			/* members */
};

typedef struct at_heap_entry at_order_entry(const void *ctx, u32 id);

/* An empty order of at most as many members as e, pos and next have elements;
 * pos is all 0. */
static inline void at_order_init(struct at_order *o, struct at_heap_entry *e, u32 *pos, u32 *next)
{
	*o = (struct at_order){ .heap = { e, pos, 0 }, .next = next };
	for (u32 i = 0; i < AT_ORDER_RUNS; i++)
		o->run[i].head = o->run[i].tail = AT_ORDER_NONE;
}

/* No members any more: O(members). */
static inline void at_order_clear(struct at_order *o)
{
	u32 *pos = o->heap.pos;

	for (u32 i = 0; i < o->heap.n; i++)
		pos[o->heap.e[i].id] = 0;
	for (u32 i = 0; i < AT_ORDER_RUNS; i++)
		for (u32 id = o->run[i].head; id != AT_ORDER_NONE; id = o->next[id])
			pos[id] = 0;
	at_order_init(o, o->heap.e, pos, o->next);
}

static inline bool at_order_has(const struct at_order *o, u32 id)
{
	return o->heap.pos[id];
}

/* Whether x goes below a member. */
AT_HEAP_FN bool at_order_below(const struct at_heap_entry *x, u32 id, at_order_entry *entry,
			       at_heap_less *less, const void *ctx)
{
	struct at_heap_entry y = entry(ctx, id);

	return less(ctx, x, &y);
}

static inline void at_order_append(struct at_order *o, struct at_order_run *run, u32 id)
{
	o->heap.pos[id] = AT_ORDER_RUN | run->tail;
	o->next[id] = AT_ORDER_NONE;
	if (run->tail == AT_ORDER_NONE)
		run->head = id;
	else
		o->next[run->tail] = id;
	run->tail = id;
}

/* The run is not empty. */
static inline void at_order_prepend(struct at_order *o, struct at_order_run *run, u32 id)
{
	o->heap.pos[id] = AT_ORDER_RUN | AT_ORDER_NONE;
	o->next[id] = run->head;
	o->heap.pos[run->head] = AT_ORDER_RUN | id;
	run->head = id;
}

/* Takes a member out of its run. */
static inline void at_order_unlink(struct at_order *o, u32 id)
{
	u32 above = o->heap.pos[id] & ~AT_ORDER_RUN, below = o->next[id];

	o->heap.pos[id] = 0;
	if (above != AT_ORDER_NONE)
		o->next[above] = below;
	if (below != AT_ORDER_NONE)
		o->heap.pos[below] = AT_ORDER_RUN | above;
	for (struct at_order_run *run = o->run; run < o->run + AT_ORDER_RUNS; run++) {
		if (run->head == id)
			run->head = below;
		if (run->tail == id)
			run->tail = above;
	}
}

/* Adds id, which is not in the order. */
AT_HEAP_FN void at_order_add(struct at_order *o, u32 id, at_order_entry *entry,
			     at_heap_less *less, const void *ctx)
{
	struct at_heap_entry x = entry(ctx, id);

	o->n++;
	for (struct at_order_run *run = o->run; run < o->run + AT_ORDER_RUNS; run++)
		if (run->tail == AT_ORDER_NONE || at_order_below(&x, run->tail, entry, less, ctx)) {
			at_order_append(o, run, id);
			return;
		}
	for (struct at_order_run *run = o->run; run < o->run + AT_ORDER_RUNS; run++)
		if (!at_order_below(&x, run->head, entry, less, ctx)) {
			at_order_prepend(o, run, id);
			return;
		}
	at_heap_add(&o->heap, x, less, ctx);
}

/* Does nothing if id is not in the order. */
AT_HEAP_FN void at_order_del(struct at_order *o, u32 id, at_heap_less *less, const void *ctx)
{
	u32 pos = o->heap.pos[id];

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
	const struct at_heap_entry *top = greatest ? at_heap_max(&o->heap) : at_heap_min(&o->heap);
	struct at_heap_entry x = top ? *top : (struct at_heap_entry){ .id = AT_ORDER_NONE };

	for (const struct at_order_run *run = o->run; run < o->run + AT_ORDER_RUNS; run++) {
		u32 id = greatest ? run->head : run->tail;

		if (id == AT_ORDER_NONE)
			continue;
		if (x.id == AT_ORDER_NONE || at_order_below(&x, id, entry, less, ctx) == greatest)
			x = entry(ctx, id);
	}
	return x.id;
}

/* All keys have changed, and no two members change places: O(members of the heap), for
 * runs store none. */
AT_HEAP_FN void at_order_rekey(struct at_order *o, at_order_entry *entry, const void *ctx)
{
	for (u32 i = 0; i < o->heap.n; i++)
		o->heap.e[i] = entry(ctx, o->heap.e[i].id);
}

/* Restores the order after any number of keys or the order itself changed:
 * O(n log n). Who is out of place in a run goes to the heap. */
AT_HEAP_FN void at_order_rebuild(struct at_order *o, at_order_entry *entry,
				 at_heap_less *less, const void *ctx)
{
	at_order_rekey(o, entry, ctx);
	at_heap_rebuild(&o->heap, less, ctx);
	for (const struct at_order_run *run = o->run; run < o->run + AT_ORDER_RUNS; run++) {
		u32 above = run->head, id;

		while (above != AT_ORDER_NONE && (id = o->next[above]) != AT_ORDER_NONE) {
			struct at_heap_entry x = entry(ctx, id);

			if (at_order_below(&x, above, entry, less, ctx)) {
				above = id;
			} else {
				at_order_unlink(o, id);
				at_heap_add(&o->heap, x, less, ctx);
			}
		}
	}
}

#endif
