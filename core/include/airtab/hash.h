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

#include "airtab/random.h"

/* The multiplier of a seed. Any seed will do, 0 and small ones too. */
static inline u64 at_hash_multiplier(u64 seed)
{
	return at_random_next(&seed) | 1;
}

/* The high 32 bits of the product. */
static inline u32 at_hash(u64 multiplier, u32 key)
{
	return (u32)(multiplier * key >> 32);
}

#endif
