/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/ewma.h: an exponentially weighted moving average of whole numbers, and
 * what is left of it after samples of 0 that nobody took.
 *
 * Source: Floyd and Jacobson, Random Early Detection Gateways for Congestion
 * Avoidance, 1993, section 4: avg = (1 - w) avg + w q, and avg = (1 - w)^m avg after
 * a time in which m packets could have come to an empty queue.
 *
 * Arithmetic: an average has 32 bits behind the point, and so has the share 1 - w of
 * it that a sample keeps. A sample is below 2^31. What is lost by cutting off is
 * 2^-32 a sample, 2^-32 / w in all; (1 - w)^m is made by squaring, each product to
 * the nearest. docs/red.md has the errors.
 *
 * What this is not: no clock and no rate: how many samples of 0 a time stands for,
 * the caller says.
 */
#ifndef AIRTAB_EWMA_H
#define AIRTAB_EWMA_H

#include AT_HOST_H

#define AT_EWMA_BITS 32
#define AT_EWMA_ONE ((u64)1 << AT_EWMA_BITS)

/* a times a share f, which is 1 at most. */
static inline u64 at_ewma_times(u64 a, u64 f)
{
	return (a >> AT_EWMA_BITS) * f + ((a & (AT_EWMA_ONE - 1)) * f >> AT_EWMA_BITS);
}

/* The share that a sample of such a weight keeps; 1 at most, of 2^-32. */
static inline u64 at_ewma_keep(u64 weight)
{
	return AT_EWMA_ONE - weight;
}

/* The average with one more sample. */
static inline u64 at_ewma_add(u64 average, u64 keep, u32 sample)
{
	return at_ewma_times(average, keep) + (AT_EWMA_ONE - keep) * sample;
}

/* keep to the n-th; keep is below 1. */
static inline u64 at_ewma_power(u64 keep, u64 n)
{
	u64 power = AT_EWMA_ONE, half = AT_EWMA_ONE / 2;

	for (; n && power; n >>= 1) {
		if (n & 1)
			power = (power * keep + half) >> AT_EWMA_BITS;
		keep = (keep * keep + half) >> AT_EWMA_BITS;
	}
	return power;
}

/* The average with n more samples of 0. */
static inline u64 at_ewma_decay(u64 average, u64 keep, u64 n)
{
	return at_ewma_times(average, at_ewma_power(keep, n));
}

#endif
