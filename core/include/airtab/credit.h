/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/credit.h: arithmetic of airtime credit, in nanoseconds.
 *
 * Source: CHAP dissertation, equation 4.1: a boost maps a credit c to
 * c/2 + I, whose fixpoint is 2I. So a credit is stored as its distance from
 * the fixpoint, d = c - 2I, and a boost is d >> 1 (arithmetic, towards minus
 * infinity). Shifts compose: n boosts are d >> n, bit for bit what n single
 * boosts give, so nobody has to visit idle flows. The map never decreases, so
 * it keeps the order of two credits (it may make them equal).
 *
 * What this is not: no epochs and no flows (the discipline keeps them).
 */
#ifndef AIRTAB_CREDIT_H
#define AIRTAB_CREDIT_H

#include "airtab/qdisc.h"

/* No charge, however wrong, takes a credit below this. */
#define AT_CREDIT_FLOOR (-((s64)1 << 62))
/* No single charge counts for more: 18 minutes. */
#define AT_CHARGE_MAX ((u64)1 << 40)

static inline s64 at_credit_store(s64 credit, s64 increment)
{
	return credit - 2 * increment;
}

static inline s64 at_credit_value(s64 d, s64 increment)
{
	return d + 2 * increment;
}

/* Most credits that are looked at have seen all boosts. */
static inline s64 at_credit_boost(s64 d, u32 boosts)
{
	if (AT_MOSTLY(!boosts))
		return d;
	return d >> (boosts < 63 ? boosts : 63);
}

/* A reported duration as a charge. */
static inline s64 at_charge(u64 ns)
{
	return (s64)(ns < AT_CHARGE_MAX ? ns : AT_CHARGE_MAX);
}

/* The least of -10 I .. 2 I: one disaster packet must not mute a flow for long. */
static inline s64 at_credit_floor(s64 increment)
{
	return -12 * increment;
}

/* Nobody has more than 2 I. */
static inline s64 at_credit_clamp(s64 d, s64 floor)
{
	d = d > floor ? d : floor;
	return d < 0 ? d : 0;
}

/* ns >= 0 is taken from a credit of at most 2 I. */
static inline s64 at_credit_take(s64 d, u32 ns, s64 floor)
{
	d -= ns;
	return d > floor ? d : floor;
}

/* ns > 0 takes credit, ns < 0 gives it back; |ns| <= AT_CHARGE_MAX, floor >= AT_CREDIT_FLOOR. */
static inline s64 at_credit_charge(s64 d, s64 ns, s64 floor)
{
	return at_credit_clamp(d - ns, floor);
}

#endif
