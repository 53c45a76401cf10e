/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/lineup.h: the members of a set in the order of their keys, the least at hand,
 * made for keys that mostly come rising: virtual times of classes that take turns.
 *
 * A member joins a list at its end, or at most AT_LINEUP_STEPS before it; who would
 * have to go farther is in a heap (heap.h). The least of all is the least of one of the
 * two. So a few members are in order in O(1) whatever their keys, and many whose keys
 * rise; many with keys at random cost O(log n).
 *
 * Keys are modulo 2^64, compared by their difference; of equal ones the lower id is the
 * less. Several lineups can share one array of places, as long as a member is in one of
 * them at most.
 *
 * What this is not: no greatest, no change of a key in place, no allocation.
 */
#ifndef AIRTAB_LINEUP_H
#define AIRTAB_LINEUP_H

#include "airtab/heap.h"

#define AT_LINEUP_STEPS 8u
#define AT_LINEUP_APART (~(u32)0)	/* `before` of who is in no list */

struct at_lineup_place {
	u64 key;
	u32 before, behind;	/* in a list, which begins and ends at its lineup's own place */
};

struct at_lineup {
	struct at_lineup_place *at;
	struct at_heap apart;
	u32 end;		/* its own place, behind those of the members */
};

/* An empty lineup. Places of members are such that `before` is AT_LINEUP_APART; e and pos
 * have an element for each, pos all 0. */
static inline void at_lineup_init(struct at_lineup *l, struct at_lineup_place *at, u32 end,
				  struct at_heap_entry *e, u32 *pos)
{
	*l = (struct at_lineup){ at, { e, pos, 0 }, end };
	at[end] = (struct at_lineup_place){ .before = end, .behind = end };
}

/* Whether a member is less than another one that had that key and id. */
static inline bool at_lineup_before(const struct at_lineup_place *p, u32 i, u64 key, u32 id)
{
	return (s64)(p->key - key) < 0 || (p->key == key && i < id);
}

AT_HEAP_FN bool at_lineup_less(const void *ctx, const struct at_heap_entry *a, const struct at_heap_entry *b)
{
	s64 d = (s64)((u64)a->key - (u64)b->key);

	(void)ctx;
	return (d < 0) | ((d == 0) & (a->id < b->id));
}

/* Not inline: who finds places in the list need not save registers for these two. */
static __attribute__((__noinline__, __unused__)) void at_lineup_add_apart(struct at_lineup *l, u32 id, u64 key)
{
	struct at_heap_entry x = { .key = (s64)key, .id = id };

	at_heap_add(&l->apart, x, at_lineup_less, NULL);
}

static __attribute__((__noinline__, __unused__)) void at_lineup_del_apart(struct at_lineup *l, u32 id)
{
	at_heap_del(&l->apart, id, at_lineup_less, NULL);
}

/* Adds a member, which is in no lineup. */
static inline void at_lineup_add(struct at_lineup *l, u32 id, u64 key)
{
	struct at_lineup_place *p = &l->at[id];
	u32 i = l->at[l->end].before, steps = AT_LINEUP_STEPS;

	p->key = key;
	while (i != l->end && !at_lineup_before(&l->at[i], i, key, id)) {
		if (!steps--) {
			at_lineup_add_apart(l, id, key);
			return;
		}
		i = l->at[i].before;
	}
	p->before = i;
	p->behind = l->at[i].behind;
	l->at[p->behind].before = id;
	l->at[i].behind = id;
}

/* Takes a member of this lineup out. */
static inline void at_lineup_del(struct at_lineup *l, u32 id)
{
	struct at_lineup_place *p = &l->at[id];

	if (p->before == AT_LINEUP_APART) {
		at_lineup_del_apart(l, id);
		return;
	}
	l->at[p->before].behind = p->behind;
	l->at[p->behind].before = p->before;
	p->before = AT_LINEUP_APART;
}

/* The least member; l->end: there is none. */
static inline u32 at_lineup_first(const struct at_lineup *l)
{
	u32 i = l->at[l->end].behind;
	const struct at_heap_entry *x;

	if (!l->apart.n)
		return i;
	x = at_heap_min(&l->apart);
	return i == l->end || !at_lineup_before(&l->at[i], i, (u64)x->key, x->id) ? x->id : i;
}

#endif
