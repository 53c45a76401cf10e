/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/heap.h: an indexed heap with both ends. The least and the greatest
 * entry are at hand, any entry can change its key or leave: O(log n).
 *
 * Source: the interval heap of van Leeuwen and Wood (The Computer Journal 36,
 * 1993). Node k is the pair of places 2k (lo) and 2k+1 (hi), lo <= hi; the lo
 * sides form a min-heap, the hi sides a max-heap; the last node may have a lo
 * only. One array and one position an entry serve both ends, and the keys lie
 * in the array: comparing touches nothing else.
 *
 * The order is the caller's `less`, a constant function that the compiler
 * inlines; `tag` is the caller's, for keys that age.
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

static inline void at_heap_swap(struct at_heap *h, u32 i, u32 j)
{
	struct at_heap_entry x = h->e[i];

	at_heap_put(h, i, h->e[j]);
	at_heap_put(h, j, x);
}

/* Whether a is nearer to the root than b on a side: lo (0) or hi (1). */
AT_HEAP_FN bool at_heap_before(u32 side, const struct at_heap_entry *a,
			       const struct at_heap_entry *b, at_heap_less *less, const void *ctx)
{
	return side ? less(ctx, b, a) : less(ctx, a, b);
}

/* Towards the root on one side; whether it moved. A lone last lo may also climb
 * the hi side. */
AT_HEAP_FN bool at_heap_up(struct at_heap *h, u32 i, u32 side, at_heap_less *less, const void *ctx)
{
	struct at_heap_entry x = h->e[i];
	u32 start = i;

	while (i > 1) {
		u32 p = (((i >> 1) - 1) & ~1u) | side;

		if (!at_heap_before(side, &x, &h->e[p], less, ctx))
			break;
		at_heap_put(h, i, h->e[p]);
		i = p;
	}
	if (i == start)
		return false;
	at_heap_put(h, i, x);
	return true;
}

/* Away from the root on one side. What meets a partner that it should change
 * places with leaves the way down to the partner. */
AT_HEAP_FN void at_heap_down(struct at_heap *h, u32 i, u32 side, at_heap_less *less, const void *ctx)
{
	struct at_heap_entry x = h->e[i];

	for (;;) {
		u32 best = ((i & ~1u) + 1) * 2, other = best + 2;

		if (best >= h->n)
			break;
		best |= side & (best + 1 < h->n);
		if (other < h->n) {
			other |= side & (other + 1 < h->n);
			if (at_heap_before(side, &h->e[other], &h->e[best], less, ctx))
				best = other;
		}
		if (!at_heap_before(side, &h->e[best], &x, less, ctx))
			break;
		at_heap_put(h, i, h->e[best]);
		i = best;
		other = best ^ 1;
		if (other < h->n && at_heap_before(side, &h->e[other], &x, less, ctx)) {
			struct at_heap_entry y = h->e[other];

			at_heap_put(h, other, x);
			x = y;
		}
	}
	at_heap_put(h, i, x);
}

/* Restores the order after the entry at place i changed. */
AT_HEAP_FN void at_heap_fix(struct at_heap *h, u32 i, at_heap_less *less, const void *ctx)
{
	u32 lo = i & ~1u, hi = i | 1;

	if (hi >= h->n) {
		if (!at_heap_up(h, lo, 0, less, ctx))
			at_heap_up(h, lo, 1, less, ctx);
	} else if (less(ctx, &h->e[hi], &h->e[lo])) {
		at_heap_swap(h, lo, hi);
		if (i == lo) {
			at_heap_up(h, hi, 1, less, ctx);
			at_heap_down(h, lo, 0, less, ctx);
		} else {
			at_heap_up(h, lo, 0, less, ctx);
			at_heap_down(h, hi, 1, less, ctx);
		}
	} else if (i == lo) {
		if (!at_heap_up(h, lo, 0, less, ctx))
			at_heap_down(h, lo, 0, less, ctx);
	} else if (!at_heap_up(h, hi, 1, less, ctx)) {
		at_heap_down(h, hi, 1, less, ctx);
	}
}

/* Adds the entry of x.id, or gives it its new key. */
AT_HEAP_FN void at_heap_set(struct at_heap *h, struct at_heap_entry x, at_heap_less *less, const void *ctx)
{
	u32 place = h->pos[x.id] ? h->pos[x.id] - 1 : h->n++;

	at_heap_put(h, place, x);
	at_heap_fix(h, place, less, ctx);
}

/* Does nothing if id is not in the heap. */
AT_HEAP_FN void at_heap_del(struct at_heap *h, u32 id, at_heap_less *less, const void *ctx)
{
	u32 place = h->pos[id];

	if (!place--)
		return;
	h->pos[id] = 0;
	if (place == --h->n)
		return;
	at_heap_put(h, place, h->e[h->n]);
	at_heap_fix(h, place, less, ctx);
}

/* Restores the order after any number of keys or the order itself changed. */
AT_HEAP_FN void at_heap_rebuild(struct at_heap *h, at_heap_less *less, const void *ctx)
{
	u32 n = h->n;

	for (h->n = 0; h->n < n;)
		at_heap_fix(h, h->n++, less, ctx);
}

#endif
