/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * RED as the pseudocode of Parris, Class-Based Thresholds, 2001 (figures 3.6 to
 * 3.10) has it, in seconds and double precision: what red.h and the discipline are
 * held against. Names as there.
 *
 * from_link: the average as in Floyd and Jacobson 1993 (figure 2) and in Linux's
 * sch_red. Idle time begins when the link finds the queue empty; before, an arrival to
 * an empty queue takes a sample of 0.
 *
 * Where the print leaves something open: n is a whole number and not below 0, and
 * where 1 - count pb is not above 0 the packet is dropped. Beyond it: gentle (Floyd
 * 2000).
 */
#ifndef AIRTAB_TEST_PARRIS_RED_H
#define AIRTAB_TEST_PARRIS_RED_H

#include <math.h>

#include "harness.h"

enum red_fate { NO_DROP, EARLY_DROP, FORCED_DROP, OVERFLOW_DROP };

struct parris_red {
	/* parameters */
	double w, max_p, th_min, th_max, drain_rate;
	u32 q_limit;
	bool gentle, from_link;
	/* the state */
	u32 q_len;
	double q_avg, last;
	long count;
	bool old, idle;
	u64 random;
};

static inline void parris_red_init(struct parris_red *r, u64 seed)
{
	*r = (struct parris_red){
		.w = 1 / 256.0, .max_p = 0.1, .th_min = 5, .th_max = 40, .drain_rate = 1250,
		.q_limit = 240, .count = -1, .idle = true, .random = seed,
	};
}

static inline void compute_avg(struct parris_red *r, double now)
{
	if (r->q_len > 0 || (r->from_link && (!r->idle || now < r->last))) {
		r->q_avg = (1 - r->w) * r->q_avg + r->w * r->q_len;
	} else {
		double n = floor((now - r->last) * r->drain_rate - !r->from_link + 1e-9);

		r->q_avg = pow(1 - r->w, n > 0 ? n : 0) * r->q_avg;
	}
	r->idle = false;
}

static inline bool drop_early(struct parris_red *r)
{
	double pb = r->q_avg > r->th_max ?
		r->max_p + (1 - r->max_p) * (r->q_avg - r->th_max) / r->th_max :
		r->max_p * (r->q_avg - r->th_min) / (r->th_max - r->th_min);
	double pa = 1 - r->count * pb <= 0 ? 1 : pb / (1 - r->count * pb);

	return ldexp((double)(rnd(&r->random) >> 32), -32) < pa;
}

static inline enum red_fate on_arrival(struct parris_red *r, double now)
{
	enum red_fate verdict = NO_DROP;

	r->count++;
	compute_avg(r, now);
	if (r->q_len >= r->q_limit) {
		verdict = OVERFLOW_DROP;
	} else if (r->q_avg > r->th_min && r->q_len > 1) {
		if (r->q_avg > r->th_max * (r->gentle ? 2 : 1)) {
			verdict = FORCED_DROP;
		} else if (!r->old) {
			r->count = 1;
			r->old = true;
		} else if (drop_early(r)) {
			verdict = EARLY_DROP;
		}
	} else {
		r->old = false;
	}
	if (verdict != NO_DROP)
		r->count = 0;
	else
		r->q_len++;
	return verdict;
}

static inline void on_departure(struct parris_red *r, double now)
{
	r->q_len--;
	if (!r->from_link && !r->q_len && !r->idle) {
		r->idle = true;
		r->last = now;
	}
}

/* The link asks for a packet, and there is none. */
static inline void on_empty(struct parris_red *r, double now)
{
	if (r->from_link && !r->idle) {
		r->idle = true;
		r->last = now;
	}
}

#endif
