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
 * Of a run no keys are stored but those of its ends; the caller's `entry` tells that
 * of a member that becomes one. Keys do not change while their members are in the
 * order, but as `less` knows by their tags, or all at once: such that no two change
 * places (they may become equal; at_order_rekey()), or before a rebuild.
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
		struct at_heap_entry head, tail;	/* greatest, least; id AT_ORDER_NONE in an empty run */
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
		o->run[i].head.id = o->run[i].tail.id = AT_ORDER_NONE;
}

/* No members any more: O(members). */
static inline void at_order_clear(struct at_order *o)
{
	u32 *pos = o->heap.pos;

	for (u32 i = 0; i < o->heap.n; i++)
		pos[o->heap.e[i].id] = 0;
	for (u32 i = 0; i < AT_ORDER_RUNS; i++)
		for (u32 id = o->run[i].head.id; id != AT_ORDER_NONE; id = o->next[id])
			pos[id] = 0;
	at_order_init(o, o->heap.e, pos, o->next);
}

static inline bool at_order_has(const struct at_order *o, u32 id)
{
	return o->heap.pos[id];
}

static inline void at_order_append(struct at_order *o, struct at_order_run *run, struct at_heap_entry x)
{
	o->heap.pos[x.id] = AT_ORDER_RUN | run->tail.id;
	o->next[x.id] = AT_ORDER_NONE;
	if (run->tail.id == AT_ORDER_NONE)
		run->head = x;
	else
		o->next[run->tail.id] = x.id;
	run->tail = x;
}

/* The run is not empty. */
static inline void at_order_prepend(struct at_order *o, struct at_order_run *run, struct at_heap_entry x)
{
	o->heap.pos[x.id] = AT_ORDER_RUN | AT_ORDER_NONE;
	o->next[x.id] = run->head.id;
	o->heap.pos[run->head.id] = AT_ORDER_RUN | x.id;
	run->head = x;
}

static inline struct at_heap_entry at_order_entry_of(u32 id, at_order_entry *entry, const void *ctx)
{
	return id == AT_ORDER_NONE ? (struct at_heap_entry){ .id = AT_ORDER_NONE } : entry(ctx, id);
}

/* Takes a member out of its run. */
AT_HEAP_FN void at_order_unlink(struct at_order *o, u32 id, at_order_entry *entry, const void *ctx)
{
	u32 above = o->heap.pos[id] & ~AT_ORDER_RUN, below = o->next[id];
	struct at_order_run *run = o->run;

	o->heap.pos[id] = 0;
	if (above != AT_ORDER_NONE)
		o->next[above] = below;
	else
		while (run->head.id != id)
			run++;
	if (below != AT_ORDER_NONE)
		o->heap.pos[below] = AT_ORDER_RUN | above;
	else
		for (run = o->run; run->tail.id != id;)
			run++;
	if (above == AT_ORDER_NONE)
		run->head = at_order_entry_of(below, entry, ctx);
	if (below == AT_ORDER_NONE)
		run->tail = at_order_entry_of(above, entry, ctx);
}

/* x joins a run at its end if it is less; whether it did. */
AT_HEAP_FN bool at_order_below(struct at_order *o, struct at_order_run *run, struct at_heap_entry x,
			       at_heap_less *less, const void *ctx)
{
	if (run->tail.id != AT_ORDER_NONE && !less(ctx, &x, &run->tail))
		return false;
	at_order_append(o, run, x);
	return true;
}

/* x joins a run, which is not empty, at its head if it is not less; whether it did. */
AT_HEAP_FN bool at_order_above(struct at_order *o, struct at_order_run *run, struct at_heap_entry x,
			       at_heap_less *less, const void *ctx)
{
	if (less(ctx, &x, &run->head))
		return false;
	at_order_prepend(o, run, x);
	return true;
}

/* Adds x, which is not in the order, at the end of a run; false: it fits none. No loop:
 * the first end is nearly always the one. */
AT_HEAP_FN bool at_order_join(struct at_order *o, struct at_heap_entry x, at_heap_less *less, const void *ctx)
{
	struct at_order_run *first = &o->run[0], *last = &o->run[AT_ORDER_RUNS - 1];

	if (!at_order_below(o, first, x, less, ctx) && !at_order_below(o, last, x, less, ctx) &&
	    !at_order_above(o, first, x, less, ctx) && !at_order_above(o, last, x, less, ctx))
		return false;
	o->n++;
	return true;
}

/* Adds x, which is not in the order and fits no run. */
AT_HEAP_FN void at_order_add_apart(struct at_order *o, struct at_heap_entry x, at_heap_less *less, const void *ctx)
{
	at_heap_add(&o->heap, x, less, ctx);
	o->n++;
}

/* Adds x, which is not in the order. */
AT_HEAP_FN void at_order_add(struct at_order *o, struct at_heap_entry x, at_heap_less *less, const void *ctx)
{
	if (!at_order_join(o, x, less, ctx))
		at_order_add_apart(o, x, less, ctx);
}

/* Takes id out of its run; false: it is in none. */
AT_HEAP_FN bool at_order_part(struct at_order *o, u32 id, at_order_entry *entry, const void *ctx)
{
	if (!(o->heap.pos[id] & AT_ORDER_RUN))
		return false;
	at_order_unlink(o, id, entry, ctx);
	o->n--;
	return true;
}

/* Takes id out of the heap, if it is there. */
AT_HEAP_FN void at_order_del_apart(struct at_order *o, u32 id, at_heap_less *less, const void *ctx)
{
	o->n -= at_order_has(o, id);
	at_heap_del(&o->heap, id, less, ctx);
}

/* Does nothing if id is not in the order. */
AT_HEAP_FN void at_order_del(struct at_order *o, u32 id, at_order_entry *entry, at_heap_less *less,
			     const void *ctx)
{
	if (!at_order_part(o, id, entry, ctx))
		at_order_del_apart(o, id, less, ctx);
}

/* x, which may be NULL, or the end of a run if that is greater, or less. */
AT_HEAP_FN const struct at_heap_entry *at_order_further(const struct at_heap_entry *x, const struct at_order_run *run,
							bool greatest, at_heap_less *less, const void *ctx)
{
	const struct at_heap_entry *y = greatest ? &run->head : &run->tail;

	return y->id != AT_ORDER_NONE && (!x || less(ctx, x, y) == greatest) ? y : x;
}

/* The greatest or the least member, or NULL; good until the order changes. */
AT_HEAP_FN const struct at_heap_entry *at_order_end(const struct at_order *o, bool greatest,
						    at_heap_less *less, const void *ctx)
{
	const struct at_heap_entry *x = greatest ? at_heap_max(&o->heap) : at_heap_min(&o->heap);

	x = at_order_further(x, &o->run[0], greatest, less, ctx);
	return at_order_further(x, &o->run[AT_ORDER_RUNS - 1], greatest, less, ctx);
}

/* Takes out the greatest member, as at_order_end() gave it, if it is in a run; false: it
 * is not. */
AT_HEAP_FN bool at_order_behead(struct at_order *o, const struct at_heap_entry *most, at_order_entry *entry,
				const void *ctx)
{
	struct at_order_run *run = most == &o->run[0].head ? &o->run[0] : &o->run[AT_ORDER_RUNS - 1];
	u32 id = most->id, below;

	if (most != &run->head)
		return false;
	o->n--;
	o->heap.pos[id] = 0;
	below = o->next[id];
	if (below == AT_ORDER_NONE) {
		run->head.id = run->tail.id = AT_ORDER_NONE;
	} else {
		o->heap.pos[below] = AT_ORDER_RUN | AT_ORDER_NONE;
		run->head = entry(ctx, below);
	}
	return true;
}

/* All keys have changed, and no two members change places: O(members of the heap), for
 * runs store no more than two. */
AT_HEAP_FN void at_order_rekey(struct at_order *o, at_order_entry *entry, const void *ctx)
{
	for (u32 i = 0; i < o->heap.n; i++)
		o->heap.e[i] = entry(ctx, o->heap.e[i].id);
	for (struct at_order_run *run = o->run; run < o->run + AT_ORDER_RUNS; run++) {
		run->head = at_order_entry_of(run->head.id, entry, ctx);
		run->tail = at_order_entry_of(run->tail.id, entry, ctx);
	}
}

/* Restores the order after any number of keys or the order itself changed:
 * O(n log n). Who is out of place in a run goes to the heap. */
AT_HEAP_FN void at_order_rebuild(struct at_order *o, at_order_entry *entry,
				 at_heap_less *less, const void *ctx)
{
	at_order_rekey(o, entry, ctx);
	at_heap_rebuild(&o->heap, less, ctx);
	for (const struct at_order_run *run = o->run; run < o->run + AT_ORDER_RUNS; run++) {
		struct at_heap_entry above = run->head;
		u32 id;

		while (above.id != AT_ORDER_NONE && (id = o->next[above.id]) != AT_ORDER_NONE) {
			struct at_heap_entry x = entry(ctx, id);

			if (less(ctx, &x, &above)) {
				above = x;
			} else {
				at_order_unlink(o, id, entry, ctx);
				at_heap_add(&o->heap, x, less, ctx);
			}
		}
	}
}

#endif
