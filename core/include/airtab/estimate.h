/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/estimate.h: what a packet's airtime will be, before anybody knows.
 *
 * The airtime of a nominal exchange (802.11g at 54 Mb/s: 59.7 us and 148 ns a
 * byte, 282 us for 1500 bytes) times a scale that is learnt per flow from what
 * its transmissions took: an exponential mean with weight 1/8, beginning at the
 * mean of all flows (weight 1/16). So an estimate has the right order at any
 * rate, with aggregates and on bad links, also when reports come late.
 *
 * What this is not: no rate control, no knowledge of the station's link.
 */
#ifndef AIRTAB_ESTIMATE_H
#define AIRTAB_ESTIMATE_H

#include "airtab/qdisc.h"

#define AT_SCALE_ONE 1024u	/* Q10 */
#define AT_SCALE_MAX 65535u

static inline u32 at_whole_ns(u64 ns)
{
	return AT_MOSTLY(!(ns >> 32)) ? (u32)ns : ~(u32)0;
}

/* The nominal exchange, ns. */
static inline u32 at_nominal_ns(u32 bytes)
{
	return at_whole_ns(59704 + ((u64)bytes * 37926 >> 8));
}

static inline u32 at_estimate_ns(u32 nominal, u32 scale)
{
	return at_whole_ns((u64)nominal * scale / AT_SCALE_ONE);
}

/* The scale (Q10) after a transmission of `air` ns, at most 2^53. */
static inline u16 at_scale_learn(u32 scale, u64 air, u32 nominal)
{
	u64 x = air * AT_SCALE_ONE, about = (u64)nominal * scale, step = (u64)nominal * 4, seen;
	s32 to;

	if (x - about + step < 2 * step)	/* nothing to learn, no division */
		return (u16)scale;
	seen = at_div(x, nominal);
	to = (s32)(seen < AT_SCALE_MAX ? seen : AT_SCALE_MAX);
	return (u16)((s32)scale + ((to - (s32)scale + 4) >> 3));
}

#endif
