/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * FRED for many flows as the pseudocode of Parris, Class-Based Thresholds, 2001
 * (figures 3.12 to 3.15) has it, in seconds and double precision: what the discipline
 * is held against. Names as there.
 *
 * Where the print leaves something open or cannot be meant: a full queue refuses,
 * before all else; whoever is queued ends the idle time, after the average was taken;
 * n is a whole number and not below 0; where 1 - count pb is not above 0 the packet is
 * dropped.
 */
#ifndef AIRTAB_TEST_PARRIS_FRED_H
#define AIRTAB_TEST_PARRIS_FRED_H

#include <math.h>

#include "harness.h"

enum fred_fate { NO_DROP, EARLY_DROP, SHARE_DROP, TWO_DROP, OVERFLOW_DROP, FATES };
enum { FRED_FLOWS = 1024 };

struct parris_fred {
	/* parameters */
	double w, max_p, th_min, th_max, drain_rate;
	u32 q_limit, minq;
	/* the state */
	u32 q_len, n_active;
	double q_avg, avgcq, last;
	long count;
	bool idle, from_link;
	u64 random;
	struct { u32 q_len, strikes; } flow[FRED_FLOWS];
};

static inline void parris_fred_init(struct parris_fred *r, u64 seed)
{
	memset(r, 0, sizeof(*r));
	r->w = 1 / 256.0;
	r->max_p = 0.1;
	r->th_min = 5;
	r->th_max = 60;
	r->drain_rate = 1250;
	r->q_limit = 240;
	r->minq = 2;
	r->count = -1;
	r->idle = true;
	r->random = seed;
}

static inline void compute_avg(struct parris_fred *r, double now)
{
	if (r->q_len > 0 || !r->idle) {
		r->q_avg = (1 - r->w) * r->q_avg + r->w * r->q_len;
	} else {
		double n = floor((now - r->last) * r->drain_rate - !r->from_link + 1e-9);

		r->q_avg = pow(1 - r->w, n > 0 ? n : 0) * r->q_avg;
	}
	r->avgcq = r->n_active > 0 ? r->q_avg / r->n_active : r->q_avg;
	r->avgcq = fmax(r->avgcq, 1);
	if (!r->from_link && r->q_len == 0 && !r->idle) {
		r->last = now;
		r->idle = true;
	}
}

static inline bool drop_early(struct parris_fred *r)
{
	double pb = r->max_p * (r->q_avg - r->th_min) / (r->th_max - r->th_min);
	double pa = 1 - r->count * pb <= 0 ? 1 : pb / (1 - r->count * pb);

	return ldexp((double)(rnd(&r->random) >> 32), -32) < pa;
}

static inline enum fred_fate on_arrival(struct parris_fred *r, u32 f, double now)
{
	u32 *q_len = &r->flow[f].q_len, *strikes = &r->flow[f].strikes;

	if (r->q_len == 0)
		compute_avg(r, now);
	if (r->from_link)
		r->idle = false;
	if (r->q_len >= r->q_limit)
		return OVERFLOW_DROP;
	if (*q_len >= r->th_min || (*q_len >= r->avgcq && *strikes > 1)) {
		++*strikes;
		return SHARE_DROP;
	}
	if (r->th_min <= r->q_avg && r->q_avg < r->th_max) {
		r->count++;
		if (*q_len >= fmax(r->minq, r->avgcq) && drop_early(r)) {
			r->count = 0;
			return EARLY_DROP;
		}
	} else if (r->q_avg < r->th_min) {
		r->count = -1;
	} else if (*q_len >= 2) {
		r->count = 0;
		return TWO_DROP;
	}
	if (*q_len == 0)
		r->n_active++;
	compute_avg(r, now);
	r->idle = false;
	++*q_len;
	r->q_len++;
	return NO_DROP;
}

/* The link asks for a packet, and there is none. */
static inline void on_empty(struct parris_fred *r, double now)
{
	if (r->from_link && !r->idle) {
		r->idle = true;
		r->last = now;
	}
}

static inline void on_departure(struct parris_fred *r, u32 f, double now)
{
	r->q_len--;
	compute_avg(r, now);
	if (!--r->flow[f].q_len) {
		r->n_active--;
		r->flow[f].strikes = 0;
	}
}

#endif
