/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/heap.h: an indexed heap with both ends. The least and the greatest
 * entry are at hand, any entry can leave: O(log n).
 *
 * Source: the interval heap of van Leeuwen and Wood (The Computer Journal 36,
 * 1993). Node k is the pair of places 2k (lo) and 2k+1 (hi), lo <= hi; the lo
 * sides form a min-heap, the hi sides a max-heap; the last node may have a lo
 * only. One array and one position an entry serve both ends, and all that is
 * compared lies in the array.
 *
 * A hole sinks to a leaf first, and what fills it rises from there (Wegener,
 * Theoretical Computer Science 118, 1993): that saves the comparison on every
 * level with what comes from the end of the array and hardly rises.
 *
 * The order is the caller's `less`, a constant function that the compiler
 * inlines. Choosing between two children is a toss-up: no branch here, and best
 * none in `less`. `tag` is the caller's, for keys that age.
 *
 * What this is not: not stable between equal entries, no allocation.
 */
#ifndef AIRTAB_HEAP_H
#define AIRTAB_HEAP_H

#include "airtab/qdisc.h"

struct at_heap_entry {
	s64 key;
	u32 tag, id;
};

struct at_heap {
	struct at_heap_entry *e;
	u32 *pos;		/* pos[id]: place + 1, 0 = not in the heap */
	u32 n;
};

typedef bool at_heap_less(const void *ctx, const struct at_heap_entry *a,
			  const struct at_heap_entry *b);

#define AT_HEAP_FN static inline __attribute__((always_inline))

static inline const struct at_heap_entry *at_heap_min(const struct at_heap *h)
{
	return h->n ? &h->e[0] : NULL;
}

static inline const struct at_heap_entry *at_heap_max(const struct at_heap *h)
{
	return h->n ? &h->e[h->n > 1] : NULL;
}

static inline void at_heap_put(struct at_heap *h, u32 i, struct at_heap_entry x)
{
	h->e[i] = x;
	h->pos[x.id] = i + 1;
}

/* Whether a is nearer to the root than b on a side: lo (0) or hi (1). */
AT_HEAP_FN bool at_heap_before(u32 side, const struct at_heap_entry *a,
			       const struct at_heap_entry *b, at_heap_less *less, const void *ctx)
{
	return side ? less(ctx, b, a) : less(ctx, a, b);
}

/* x goes into the hole at place i or, on one side, towards the root; returns its
 * place. A lone last lo may also climb the hi side. */
AT_HEAP_FN u32 at_heap_up(struct at_heap *h, u32 i, struct at_heap_entry x, u32 side,
			  at_heap_less *less, const void *ctx)
{
	while (i > 1) {
		u32 p = (((i >> 1) - 1) & ~1u) | side;

		if (!at_heap_before(side, &x, &h->e[p], less, ctx))
			break;
		at_heap_put(h, i, h->e[p]);
		i = p;
	}
	at_heap_put(h, i, x);
	return i;
}

/* The child of place i on one side that is nearer to the root; 0 = a leaf. */
AT_HEAP_FN u32 at_heap_child(const struct at_heap *h, u32 i, u32 side, at_heap_less *less, const void *ctx)
{
	u32 a = ((i & ~1u) + 1) * 2, b = a + 2;

	if (b + 1 < h->n)
		return (a | side) + 2u * (u32)at_heap_before(side, &h->e[b | side], &h->e[a | side], less, ctx);
	if (a >= h->n)
		return 0;
	a |= side & (u32)(a + 1 < h->n);
	return b < h->n && at_heap_before(side, &h->e[b], &h->e[a], less, ctx) ? b : a;
}

/* The hole at place i sinks along one side; returns where to. */
AT_HEAP_FN u32 at_heap_sink(struct at_heap *h, u32 i, u32 side, at_heap_less *less, const void *ctx)
{
	u32 child;

	while ((child = at_heap_child(h, i, side, less, ctx))) {
		at_heap_put(h, i, h->e[child]);
		i = child;
	}
	return i;
}

/* x goes into the hole at place i, of a leaf, or where it belongs. */
AT_HEAP_FN void at_heap_fill(struct at_heap *h, u32 i, struct at_heap_entry x,
			     at_heap_less *less, const void *ctx)
{
	u32 partner = i ^ 1;

	if (partner >= h->n) {		/* a lone lo */
		if (at_heap_up(h, i, x, 0, less, ctx) == i)
			at_heap_up(h, i, x, 1, less, ctx);
		return;
	}
	if (at_heap_before(i & 1, &h->e[partner], &x, less, ctx)) {
		at_heap_put(h, i, h->e[partner]);
		i = partner;
	}
	if (i & 1)
		at_heap_up(h, i, x, 1, less, ctx);
	else
		at_heap_up(h, i, x, 0, less, ctx);
}

/* Adds an entry; x.id is not in the heap. */
AT_HEAP_FN void at_heap_add(struct at_heap *h, struct at_heap_entry x, at_heap_less *less, const void *ctx)
{
	u32 i = h->n++;

	at_heap_fill(h, i, x, less, ctx);
}

/* Does nothing if id is not in the heap. */
AT_HEAP_FN void at_heap_del(struct at_heap *h, u32 id, at_heap_less *less, const void *ctx)
{
	u32 i = h->pos[id];

	if (!i--)
		return;
	h->pos[id] = 0;
	if (i == --h->n)
		return;
	if (i & 1)
		i = at_heap_sink(h, i, 1, less, ctx);
	else
		i = at_heap_sink(h, i, 0, less, ctx);
	at_heap_fill(h, i, h->e[h->n], less, ctx);
}

/* Restores the order after any number of keys or the order itself changed. */
AT_HEAP_FN void at_heap_rebuild(struct at_heap *h, at_heap_less *less, const void *ctx)
{
	u32 n = h->n;

	for (h->n = 0; h->n < n;)
		at_heap_add(h, h->e[h->n], less, ctx);
}

#endif
