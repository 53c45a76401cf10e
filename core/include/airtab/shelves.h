/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/shelves.h: members in the order of a debt that all halve at once, to an eighth of
 * an octave, in O(1).
 *
 * Source: the bucket queue of Dial (CACM 12, 1969) on a logarithmic scale. There are 64
 * shelves, 8 an octave; a member lies on the shelf of its debt. Halving all debts moves each
 * member down by 8 shelves: the numbers rotate. The lists of the lowest octave are joined to
 * the shelf above them, which becomes the lowest one. A shelf is a circular list in order
 * of arrival; a bit for each shelf says whether it has members.
 *
 * A member is a number below a bound of the caller's, who keeps two u32 and a u8 for each.
 * Of a member of the lowest shelf the stored shelf can be one of those that were joined.
 *
 * Cost: O(1) for each operation; at most 8 lists are joined by a halving.
 *
 * Limits: no exact order within a shelf, no debts (the caller keeps them).
 */
#ifndef AIRTAB_SHELVES_H
#define AIRTAB_SHELVES_H

#include "airtab/qdisc.h"

#define AT_SHELVES 64u
#define AT_SHELF_STEPS 8u	/* shelves of an octave */

struct at_shelves {
	u64 used;			/* a bit for each place: it has members */
	u32 base;			/* place of the lowest shelf */
	u32 first[AT_SHELVES];		/* first member of each place that has some */
};

/* Arrays with one element for each number that a member can have. */
struct at_shelf_links {
	u32 *prev, *next;		/* in the circle of a shelf */
	u8 *place;
};

/* Number of the lowest bit that is set, of the highest one; x is not 0. In halves where a word has 32
 * bits: a 32-bit kernel has no function for more. */
static inline u32 at_low_bit(u64 x)
{
	if (sizeof(long) == sizeof(u64))
		return (u32)__builtin_ctzl((unsigned long)x);
	return (u32)x ? (u32)__builtin_ctz((u32)x) : 32 + (u32)__builtin_ctz((u32)(x >> 32));
}

static inline u32 at_high_bit(u64 x)
{
	if (sizeof(long) == sizeof(u64))
		return (u32)__builtin_clzl((unsigned long)x) ^ 63;
	return x >> 32 ? 63 - (u32)__builtin_clz((u32)(x >> 32)) : 31 - (u32)__builtin_clz((u32)x);
}

/* Position of a debt on the scale: 8 for each octave, linear within one. */
static inline u32 at_shelf_step(u64 debt)
{
	u64 d = debt | AT_SHELF_STEPS;
	u32 octave = at_high_bit(d);

	return (octave - 1) * AT_SHELF_STEPS + (u32)(d >> (octave - 3));
}

/* Step of the lowest shelf where the highest one is that of the greatest debt. */
static inline u32 at_shelf_lowest(u64 greatest)
{
	u32 step = at_shelf_step(greatest);

	return step > AT_SHELVES - 1 ? step - (AT_SHELVES - 1) : 0;
}

/* Shelves between that of a debt and the lowest one; the debt is no more than the greatest. */
static inline u32 at_shelf_above(u32 lowest, u64 debt)
{
	u32 step = at_shelf_step(debt);

	return (step > lowest ? step : lowest) - lowest;
}

/* Place of a debt. */
static inline u32 at_shelf_place(const struct at_shelves *s, u32 lowest, u64 debt)
{
	u32 shelf = at_shelf_above(lowest, debt);

	return (s->base + (shelf < AT_SHELVES ? shelf : AT_SHELVES - 1)) % AT_SHELVES;
}

/* Joins a member as the last one of a place. */
static inline void at_shelves_add(struct at_shelves *s, const struct at_shelf_links *k, u32 id, u32 place)
{
	u32 first, last;

	k->place[id] = (u8)place;
	if (!(s->used >> place & 1)) {
		s->used |= (u64)1 << place;
		s->first[place] = k->prev[id] = k->next[id] = id;
		return;
	}
	first = s->first[place];
	last = k->prev[first];
	k->prev[id] = last;
	k->next[id] = first;
	k->next[last] = k->prev[first] = id;
}

static inline void at_shelves_del(struct at_shelves *s, const struct at_shelf_links *k, u32 id)
{
	u32 next = k->next[id], prev = k->prev[id], place = k->place[id];

	k->next[prev] = next;
	k->prev[next] = prev;
	if (!(s->used >> place & 1) || s->first[place] != id)
		place = s->base;		/* the place of the first member of a joined list */
	if (!(s->used >> place & 1) || s->first[place] != id)
		return;
	s->first[place] = next;
	if (next == id)
		s->used &= ~((u64)1 << place);
}

/* A bit for each shelf, from the lowest one on. */
static inline u64 at_shelves_rotated(const struct at_shelves *s)
{
	return s->used >> s->base | s->used << (AT_SHELVES - s->base) % AT_SHELVES;
}

/* Place of the lowest shelf that has members; there is one. */
static inline u32 at_shelves_lowest(const struct at_shelves *s)
{
	return (s->base + at_low_bit(at_shelves_rotated(s))) % AT_SHELVES;
}

/* The first member of the lowest shelf that has some; there is one. */
static inline u32 at_shelves_least(const struct at_shelves *s)
{
	return s->first[at_shelves_lowest(s)];
}

/* The first member of a place becomes its last one. */
static inline void at_shelves_pass(struct at_shelves *s, const struct at_shelf_links *k, u32 place)
{
	s->first[place] = k->next[s->first[place]];
}

/* The last member of the highest shelf that has some; there is one. */
static inline u32 at_shelves_most(const struct at_shelves *s, const struct at_shelf_links *k)
{
	u32 shelf = at_high_bit(at_shelves_rotated(s));

	return k->prev[s->first[(s->base + shelf) % AT_SHELVES]];
}

/* Number of the highest shelf that has members, from the lowest one on; there is one. */
static inline u32 at_shelves_top(const struct at_shelves *s)
{
	return at_high_bit(at_shelves_rotated(s));
}

/* Appends the list of one place to that of another. */
static inline void at_shelves_splice(struct at_shelves *s, const struct at_shelf_links *k, u32 from, u32 to)
{
	u32 a = s->first[to], b = s->first[from], a_last, b_last;

	s->used &= ~((u64)1 << from);
	if (!(s->used >> to & 1)) {
		s->used |= (u64)1 << to;
		s->first[to] = b;
		return;
	}
	a_last = k->prev[a];
	b_last = k->prev[b];
	k->next[a_last] = b;
	k->prev[b] = a_last;
	k->next[b_last] = a;
	k->prev[a] = b_last;
}

/* All debts were halved. Members of lower shelves go before those of higher ones. */
static inline void at_shelves_halve(struct at_shelves *s, const struct at_shelf_links *k)
{
	u32 base = (s->base + AT_SHELF_STEPS) % AT_SHELVES;
	u32 low = (u32)at_shelves_rotated(s) & ((1u << AT_SHELF_STEPS) - 1);

	if (low) {
		bool kept = s->used >> base & 1;
		u32 to = (s->base + (u32)__builtin_ctz(low)) % AT_SHELVES;

		for (low &= low - 1; low; low &= low - 1)
			at_shelves_splice(s, k, (s->base + (u32)__builtin_ctz(low)) % AT_SHELVES, to);
		if (kept)
			at_shelves_splice(s, k, base, to);
		s->used = (s->used & ~((u64)1 << to)) | (u64)1 << base;
		s->first[base] = s->first[to];
	}
	s->base = base;
}

#endif
