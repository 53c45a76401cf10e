/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/random.h: random numbers of one instance, from its seed.
 *
 * SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
 * OOPSLA 2014): 64 bits of state, any seed is good, 0 and small ones too, two
 * multiplications and no table; streams of different seeds differ.
 *
 * What this is not: no secret. Whoever sees some numbers knows the next ones.
 */
#ifndef AIRTAB_RANDOM_H
#define AIRTAB_RANDOM_H

#include AT_HOST_H

/* The next word of a stream, whose state is any seed at first. */
static inline u64 at_random_next(u64 *state)
{
	u64 x = *state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* One of 0 .. n - 1, by one word: each as likely as another to within n / 2^32. */
static inline u32 at_random_below(u64 *state, u32 n)
{
	return (u32)((at_random_next(state) >> 32) * n >> 32);
}

#endif
