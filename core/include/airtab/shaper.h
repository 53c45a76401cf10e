/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/shaper.h: a rate kept by a virtual clock. The clock says when the next
 * packet may go, and each packet moves it on by the time that its bytes take at the
 * rate.
 *
 * Source: the virtual scheduling algorithm (ITU-T I.371, annex A) without a
 * tolerance; "deficit mode" of Piece of CAKE (Hoiland-Jorgensen, Taht, Morton,
 * IEEE LANMAN 2018), III-A. So there is no bucket and no burst: who asks late is
 * given what he missed, for as long as something waits, and nothing for the time
 * before (at_clock_begin()).
 *
 * A byte's time is a whole number of ns and 32 bits of fraction, so that a clock is
 * less than 1 ns early after 4 GB. Rates from 2^32 b/s on are rounded to 31 bits.
 *
 * What this is not: no queue and no timer (wake() is the discipline's).
 */
#ifndef AIRTAB_SHAPER_H
#define AIRTAB_SHAPER_H

#include "airtab/qdisc.h"

/* What a byte takes: ns, and parts of 2^32 of one. */
struct at_pace {
	u32 ns, frac;
};

struct at_clock {
	u64 ns;
	u32 frac;
};

/* Of a rate of at least 2 b/s. */
static inline struct at_pace at_pace_of(u64 bits_per_second)
{
	u64 n = 8000000000ull;
	u32 d, ns;

	for (; bits_per_second >> 32; bits_per_second >>= 1)
		n >>= 1;
	d = (u32)bits_per_second;
	ns = (u32)at_div(n, d);
	return (struct at_pace){ ns, (u32)at_div((n - (u64)ns * d) << 32, d) };
}

/* Something is there to be sent from now on: time that passed before is lost. */
static inline void at_clock_begin(struct at_clock *c, u64 now)
{
	if (c->ns < now)
		*c = (struct at_clock){ .ns = now };
}

/* So many bytes were sent. */
static inline void at_clock_add(struct at_clock *c, struct at_pace pace, u32 bytes)
{
	u64 frac = (u64)bytes * pace.frac + c->frac;

	c->ns += (u64)bytes * pace.ns + (frac >> 32);
	c->frac = (u32)frac;
}

/* The first ns at which the clock lets something go. */
static inline u64 at_clock_due(const struct at_clock *c)
{
	return c->ns + (c->frac > 0);
}

#endif
