/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/ways.h: a queue for each flow as long as there are any, by a hash that is
 * 8-way set-associative: a flow may have any of the eight queues ("ways") of the set
 * that its hash selects.
 *
 * Source: Piece of CAKE (Hoiland-Jorgensen, Taht, Morton, IEEE LANMAN 2018), III-C.
 *
 * A flow has the way that it had before if that is still its own; else an idle one,
 * and of those rather one that remembers nothing (`worn` is the caller's word). If all
 * eight are busy it joins the one that the low bits of its hash point at, its home.
 * While somebody who joined may have packets there, all flows of that home without a
 * way of their own go there, so that no flow is in two queues.
 *
 * What this is not: no queue and no hash.
 */
#ifndef AIRTAB_WAYS_H
#define AIRTAB_WAYS_H

#include AT_HOST_H

#define AT_WAYS 8u

struct at_ways {
	u32 key[AT_WAYS];
	u8 busy, shared, worn;	/* a bit for each way */
};

enum at_way { AT_WAY_OWN, AT_WAY_GIVEN, AT_WAY_JOINED };

/* The first way from home on of those in a set of bits, or AT_WAYS. */
static inline u32 at_ways_first(u8 set, u32 home)
{
	u32 from_home = ((u32)set | (u32)set << AT_WAYS) >> home & 0xff;

	return from_home ? (home + (u32)__builtin_ctz(from_home)) % AT_WAYS : AT_WAYS;
}

/* The way of a flow; *how: its own, given anew (what it remembers is of another flow), or
 * joined. The caller says what is busy. */
static inline u32 at_ways_find(struct at_ways *s, u32 key, u32 home, enum at_way *how)
{
	u32 i;

	*how = AT_WAY_OWN;
	for (u32 n = 0; n < AT_WAYS; n++) {
		i = (home + n) % AT_WAYS;
		if (s->key[i] == key)
			return i;
	}
	i = at_ways_first((u8)~(s->busy | s->worn), home);
	if (i == AT_WAYS)
		i = at_ways_first((u8)~s->busy, home);
	if (i == AT_WAYS || (s->shared >> home & 1)) {
		*how = AT_WAY_JOINED;
		s->shared |= (u8)(1u << home);
		return home;
	}
	*how = AT_WAY_GIVEN;
	s->key[i] = key;
	return i;
}

#endif
