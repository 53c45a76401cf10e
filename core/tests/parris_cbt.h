/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * CBT as the pseudocode of Parris, Class-Based Thresholds, 2001 (figures 4.3 to 4.6) has
 * it, in seconds and double precision: what the discipline is held against. Names as
 * there.
 *
 * Where the print leaves something open or cannot be meant: the forced drop is that of an
 * average above Th_max; n is a whole number and not below 0; where 1 - count pb is not
 * above 0 the packet is dropped; who finds his class idle and is not queued ends the idle
 * time. Beyond it: sizes of packets in what is counted, averages by departures too or over
 * time, a cap, gentle (Floyd 2000).
 */
#ifndef AIRTAB_TEST_PARRIS_CBT_H
#define AIRTAB_TEST_PARRIS_CBT_H

#include <math.h>

#include "harness.h"

enum cbt_fate { NO_DROP, EARLY_DROP, FORCED_DROP, CAP_DROP, OVERFLOW_DROP, FATES };
enum { SAMPLED = 1, ALL, OVER_TIME };

struct parris_class {
	double w, max_p, th_min, th_max, drain_rate, cap, tau;
	u32 q_len;
	double held, q_avg, last;
	long count;
	bool in_early_drop, idle;
	double most;			/* that was ever held when somebody came or left */
};

struct parris_cbt {
	u32 classes, average, q_limit, guard, total_len;
	bool gentle;
	u64 random;
	struct parris_class at[16];
};

static inline void parris_cbt_init(struct parris_cbt *r, u64 seed)
{
	memset(r, 0, sizeof(*r));
	r->guard = 1;
	r->random = seed;
	for (u32 i = 0; i < 16; i++) {
		r->at[i].count = -1;
		r->at[i].idle = true;
	}
}

static inline void compute_avg(struct parris_cbt *r, struct parris_class *c, double now)
{
	if (r->average == OVER_TIME) {
		c->q_avg += (1 - exp(-(now - c->last) / c->tau)) * (c->held - c->q_avg);
		c->last = now;
	} else if (c->q_len > 0) {
		c->q_avg = (1 - c->w) * c->q_avg + c->w * c->held;
	} else {
		double n = floor((now - c->last) * c->drain_rate - 1 + 1e-9);

		c->idle = false;
		c->q_avg = pow(1 - c->w, n > 0 ? n : 0) * c->q_avg;
	}
}

static inline bool drop_early(struct parris_cbt *r, struct parris_class *c)
{
	double pb = c->q_avg > c->th_max ?
		c->max_p + (1 - c->max_p) * (c->q_avg - c->th_max) / c->th_max :
		c->max_p * (c->q_avg - c->th_min) / (c->th_max - c->th_min);
	double pa = 1 - c->count * pb <= 0 ? 1 : pb / (1 - c->count * pb);

	return ldexp((double)(rnd(&r->random) >> 32), -32) < pa;
}

static inline enum cbt_fate on_arrival(struct parris_cbt *r, u32 i, double size, double now)
{
	struct parris_class *c = &r->at[i];
	enum cbt_fate verdict = NO_DROP;
	bool empty = !c->q_len;

	c->most = fmax(c->most, c->held);
	c->count++;
	compute_avg(r, c, now);
	if (r->total_len >= r->q_limit) {
		verdict = OVERFLOW_DROP;
	} else if (c->q_len > r->guard && c->cap > 0 && c->held + size > floor(c->cap * c->th_max + 1e-6)) {
		verdict = CAP_DROP;
	} else if (c->q_len > r->guard && c->q_avg > c->th_min) {
		if (c->q_avg > c->th_max * (r->gentle && c->th_min < c->th_max ? 2 : 1)) {
			verdict = FORCED_DROP;
		} else if (!c->in_early_drop) {
			c->count = 1;
			c->in_early_drop = true;
		} else if (drop_early(r, c)) {
			verdict = EARLY_DROP;
		}
	} else {
		c->in_early_drop = false;
	}
	if (verdict != NO_DROP) {
		c->count = 0;
		if (empty)
			c->last = now;
	} else {
		c->q_len++;
		c->held += size;
		r->total_len++;
	}
	return verdict;
}

static inline void on_departure(struct parris_cbt *r, u32 i, double size, double now)
{
	struct parris_class *c = &r->at[i];

	c->most = fmax(c->most, c->held);
	if (r->average == OVER_TIME)
		compute_avg(r, c, now);
	c->q_len--;
	r->total_len--;
	c->held -= size;
	if (r->average == ALL)
		c->q_avg = (1 - c->w) * c->q_avg + c->w * c->held;
	if (c->q_len) {
		c->idle = false;
	} else if (!c->idle) {
		c->idle = true;
		c->last = now;
	}
}

#endif
