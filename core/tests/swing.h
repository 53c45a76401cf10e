/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Arrivals that swing around one packet a ms, with pauses of up to 0.4 s: a load that
 * brings an average queue below, between and above thresholds, and to an empty queue.
 */
#ifndef AIRTAB_TEST_SWING_H
#define AIRTAB_TEST_SWING_H

#include "harness.h"

struct swing {
	u64 now, draws, load;
	u64 near, far;		/* thousandths of a packet a ms: above 0.95 mostly, 0.3 at times */
	u32 step;
};

static inline struct swing swing_begin(u64 draws, u64 near, u64 far)
{
	return (struct swing){ .now = 1, .draws = draws, .near = near, .far = far };
}

/* Some time passes; when it is then. */
static inline u64 swing_on(struct swing *w)
{
	if (w->step % 3000 == 0)
		w->load = w->step % 18000 ? 950 + below(&w->draws, w->near) : 300 + below(&w->draws, w->far);
	w->now += 500000 + below(&w->draws, 1000000);
	if (w->step % 20000 >= 19900)
		w->now += below(&w->draws, 400 * MS);
	w->step++;
	return w->now;
}

/* Whether one of four that may come does. */
static inline bool swing_comes(struct swing *w)
{
	return below(&w->draws, 4000) < w->load;
}

#endif
