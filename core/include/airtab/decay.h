/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/decay.h: an average over time: what it was fades by exp(-dt / tau), and what
 * there was for dt has the rest.
 *
 *	average = d average + (1 - d) value,  d = exp(-dt / tau)
 *
 * It is the same however a time in which nothing changes is cut up, and weighs neither
 * arrivals nor packets: averages of one tau have one bias.
 *
 * Arithmetic: dt / tau has 56 bits behind the point. 1 - d has 32 bits behind its first
 * ones (at_decay.shift), so that it is right to 10^-6 of itself, of a nanosecond too: a
 * table of d is not (of a thousandth of tau 10^-5 of d is 1 % of tau). Below 1/8
 * it is a series of five terms; above, d of a half, a quarter, .. is squared. Averages
 * are those of ewma.h: 32 bits behind the point, values below 2^31.
 *
 * Cost: eight multiplications of 32 bits below tau / 8, one more for each doubling above,
 * 8 at most; no division, and no branch below tau / 16.
 */
#ifndef AIRTAB_DECAY_H
#define AIRTAB_DECAY_H

#include "airtab/ewma.h"

#define AT_DECAY_BITS 56
#define AT_DECAY_END 24u		/* so many tau are for ever: exp(-24) is below 2^-32 */
#define AT_DECAY_SHORT 4u		/* less than 1/16 tau is below 1/8, however the rate was rounded */
#define AT_DECAY_TAU_MAX 4000000000u	/* ns */

/* 1 - d: share 2^-(32 + shift). */
struct at_decay {
	u64 share;			/* 2^32 at most */
	u32 shift;
};

/* 1 / tau, ns of 2^-56; tau is not 0. */
static inline u64 at_decay_rate(u32 tau)
{
	return at_div(((u64)1 << AT_DECAY_BITS) + tau / 2, tau);
}

/* (1 - exp(-x)) / x of an x of 2^-32 below 1/8, of 2^-32. */
static inline u64 at_decay_series(u32 x)
{
	u64 t = AT_EWMA_ONE - x / 5;

	t = AT_EWMA_ONE - (x * t >> (AT_EWMA_BITS + 2));
	t = AT_EWMA_ONE - (u32)(x * t >> AT_EWMA_BITS) / 3;
	return AT_EWMA_ONE - (x * t >> (AT_EWMA_BITS + 1));
}

/* 1 - d of an x of 2^-56 below 1/8. */
static inline struct at_decay at_decay_little(u64 x)
{
	struct at_decay e;

	/* by how many whole bytes the 24 bits behind 2^-24 can be shifted up, or 2^-32 is left */
	e.shift = ((u32)__builtin_clzll(x | (u64)1 << 31) - 8) & 24;
	e.share = (x >> (24 - e.shift)) * at_decay_series((u32)(x >> 24)) >> AT_EWMA_BITS;
	return e;
}

/* 1 - d after dt ns, whatever it is. Not inline: it wants the registers of who asks for
 * little of tau, as most do. */
static __attribute__((__noinline__, __cold__, __unused__)) struct at_decay at_decay_of_any(u64 dt, u64 rate, u32 tau)
{
	struct at_decay e = { .share = AT_EWMA_ONE };
	u64 x, d;
	u32 halved = 0;

	if (dt >= (u64)AT_DECAY_END * tau)
		return e;
	for (x = dt * rate; x >> (AT_DECAY_BITS - 3); x >>= 1)
		halved++;
	if (!halved)
		return at_decay_little(x);
	d = AT_EWMA_ONE - ((x >> 24) * at_decay_series((u32)(x >> 24)) >> AT_EWMA_BITS);
	for (; halved; halved--)
		d = (d * d + AT_EWMA_ONE / 2) >> AT_EWMA_BITS;
	e.share = AT_EWMA_ONE - d;
	return e;
}

/* 1 - d after dt ns. rate: at_decay_rate(tau). */
static inline struct at_decay at_decay_of(u64 dt, u64 rate, u32 tau)
{
	return dt < tau >> AT_DECAY_SHORT ? at_decay_little(dt * rate) : at_decay_of_any(dt, rate, tau);
}

/* The average after a time of which e is 1 - d, in which the value was `value`. */
static inline u64 at_decay_add(u64 average, struct at_decay e, u32 value)
{
	u64 to = (u64)value << AT_EWMA_BITS;

	if (to >= average)
		return average + (at_ewma_times(to - average, e.share) >> e.shift);
	return average - (at_ewma_times(average - to, e.share) >> e.shift);
}

#endif
