/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/hash.h: seeded multiply-shift hashing (Dietzfelbinger et al. 1997).
 * A random odd 64-bit multiplier spreads 32-bit keys; the high bits of the
 * product choose a bucket.
 *
 * What this is not: no defence by itself. at_flow() is already a keyed hash.
 */
#ifndef AIRTAB_HASH_H
#define AIRTAB_HASH_H

#include AT_HOST_H

/* The multiplier of a seed. Any seed will do, 0 and small ones too: all bits
 * are mixed first (the finaliser of SplitMix64, Steele, Lea, Flood 2014). */
static inline u64 at_hash_multiplier(u64 seed)
{
	u64 x = seed + 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (x ^ x >> 31) | 1;
}

/* The high 32 bits of the product. */
static inline u32 at_hash(u64 multiplier, u32 key)
{
	return (u32)(multiplier * key >> 32);
}

#endif
