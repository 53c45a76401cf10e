/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/red.h: Random Early Detection, the decision whether a packet that arrives
 * is queued, or dropped (ECN: marked) because the queue was long on average.
 *
 * Source: Floyd and Jacobson, Random Early Detection Gateways for Congestion
 * Avoidance, 1993, in the form that Parris, Class-Based Thresholds, 2001, gives it
 * (III.3.2, figures 3.6 to 3.10):
 *
 *  - The average is sampled by arrivals alone, by what they find queued. One that
 *    finds an idle queue stands for the samples of 0 that were missed: the packets
 *    that could have gone since it is idle.
 *  - `from_link` (Floyd and Jacobson 1993, Linux): a queue is idle once the link asks
 *    for a packet and finds none. An arrival to an empty queue while the link is
 *    busy takes a sample of 0.
 *  - Without it (Parris): a queue is idle once its last packet left, and the one on
 *    the link counts as one less that could have gone. An arrival to an empty queue
 *    while the link is busy takes no sample.
 *  - Up to `min` nothing is dropped, nor while one packet is queued. Above it the
 *    probability is pb = max_p (average - min) / (max - min), as pb / (1 - count pb),
 *    count packets after the last drop: drops are spread. Above `max` all are.
 *  - The first arrival above `min` is queued and begins to count.
 *  - `gentle` (Floyd 2000): from max to twice max, pb goes on from max_p to 1.
 *
 * Arithmetic: averages and thresholds have 32 bits behind the point (ewma.h), as has
 * a probability. A random number u is below pb / (1 - count pb) if it is below
 * pb + count pb u: no division. count wraps after 2^32 packets without a drop, for
 * which pb has to be 0.
 *
 * What this is not: no queue, no limit, no adaptive max_p. Averages and thresholds are of
 * packets; who counts in something else sees to `shift`.
 */
#ifndef AIRTAB_RED_H
#define AIRTAB_RED_H

#include "airtab/ewma.h"
#include "airtab/random.h"

struct at_red_params {
	u64 min, max;			/* packets of 2^-32 */
	u64 max_p;			/* probability of 2^-32, 1 at most */
	u64 keep;			/* at_ewma_keep() */
	u32 packet_ns;			/* that a packet takes on the link; not 0 */
	u8 shift;			/* bits that are left out of a ratio: max >> shift < 2^48 */
	bool gentle, from_link;
};

/* One queue. */
struct at_red {
	u64 average;			/* packets of 2^-32 */
	u64 last;			/* when a packet left; idle: since when it is, ns */
	u32 count;			/* arrivals since the last drop; -1: none yet */
	bool above;			/* the last one found the average above min */
	bool idle;			/* from_link: the link found nothing */
};

/* By what a user gives: thresholds in packets of 2^-16, max_p in millionths, a
 * sample's weight of 2^-32, and packets of so many bytes at a rate in bit/s. */
static inline struct at_red_params at_red_params_of(u64 min, u64 max, u64 max_p, u64 weight, u64 bytes,
						    u64 rate)
{
	return (struct at_red_params){
		.min = min << 16,
		.max = max << 16,
		.max_p = at_div((max_p << AT_EWMA_BITS) + 500000, 1000000),
		.keep = at_ewma_keep(weight),
		.packet_ns = (u32)at_div(bytes * 8000000000u + rate / 2, (u32)rate),
	};
}

enum at_red_verdict {
	AT_RED_PASSES,
	AT_RED_EARLY,			/* signalled at random */
	AT_RED_FORCED,			/* the average is too high */
	AT_RED_FULL,
};

/* A new queue, or one that is to begin anew. */
static inline void at_red_begin(struct at_red *c, u64 now)
{
	*c = (struct at_red){ .last = now, .count = ~(u32)0, .idle = true };
}

/* A packet left the queue. */
static inline void at_red_departs(struct at_red *c, u64 now)
{
	c->last = now;
}

/* The link is free from `at` on, and nothing is queued. */
static inline void at_red_idles(const struct at_red_params *k, struct at_red *c, u64 at)
{
	if (!k->from_link || c->idle)
		return;
	c->idle = true;
	c->last = at;
}

static inline bool at_red_is_idle(const struct at_red_params *k, const struct at_red *c, u32 queued, u64 now)
{
	return !queued && (!k->from_link || (c->idle && now >= c->last));
}

/* The average of an idle queue. Not inline: it is seldom needed, and has a loop. */
static __attribute__((__noinline__, __unused__)) u64 at_red_idle_average(const struct at_red_params *k,
									 const struct at_red *c, u64 now)
{
	u64 n = now > c->last ? at_div(now - c->last, k->packet_ns) : 0;

	return at_ewma_decay(c->average, k->keep, k->from_link ? n : n - !!n);
}

/* The average as an arrival at `now` takes it, which finds so many queued. */
static inline u64 at_red_average(const struct at_red_params *k, const struct at_red *c, u32 queued, u64 now)
{
	return at_red_is_idle(k, c, queued, now) ? at_red_idle_average(k, c, now) :
						   at_ewma_add(c->average, k->keep, queued);
}

/* The average at `now`, with `queued` packets, before an arrival takes a sample. */
static inline u64 at_red_shown(const struct at_red_params *k, const struct at_red *c, u32 queued, u64 now)
{
	return at_red_is_idle(k, c, queued, now) ? at_red_idle_average(k, c, now) : c->average;
}

/* part / whole, which is not 0, as a number of 2^-32: part is a number of 2^-32,
 * not above whole, and that one of whole 2^-16. */
static inline u64 at_red_ratio(u64 part, u64 whole)
{
	return part < whole ? at_div(part << 16, (u32)(whole >> 16)) : AT_EWMA_ONE;
}

/* pb at an average. */
static inline u64 at_red_probability(const struct at_red_params *k, u64 average)
{
	if (average <= k->min)
		return 0;
	if (average <= k->max)
		return at_ewma_times(at_red_ratio((average - k->min) >> k->shift, (k->max - k->min) >> k->shift), k->max_p);
	if (!k->gentle || average >= 2 * k->max)
		return AT_EWMA_ONE;
	return k->max_p + at_ewma_times(at_red_ratio((average - k->max) >> k->shift, k->max >> k->shift),
					AT_EWMA_ONE - k->max_p);
}

/* Whether u, of 2^-32, is below pb / (1 - count pb). */
static inline bool at_red_hits(u64 pb, u32 count, u32 u)
{
	u64 all = pb * count;

	return all >= AT_EWMA_ONE || u < pb + (all * u >> AT_EWMA_BITS);
}

/* What is said of an arrival above min that more than one packet is before. */
static inline enum at_red_verdict at_red_judge(const struct at_red_params *k, struct at_red *c, u64 *random)
{
	u64 pb = at_red_probability(k, c->average);

	if (c->average > k->max && pb >= AT_EWMA_ONE)
		return AT_RED_FORCED;
	if (!c->above) {
		c->above = true;
		c->count = 1;
		return AT_RED_PASSES;
	}
	return at_red_hits(pb, c->count, (u32)(at_random_next(random) >> 32)) ? AT_RED_EARLY : AT_RED_PASSES;
}

/* What is said of an arrival that finds so many queued; `full`: there is no room. */
static inline enum at_red_verdict at_red_arrives(const struct at_red_params *k, struct at_red *c, u32 queued,
						 bool full, u64 *random, u64 now)
{
	enum at_red_verdict verdict = AT_RED_PASSES;

	c->count++;
	c->average = at_red_average(k, c, queued, now);
	c->idle = false;
	if (full)
		verdict = AT_RED_FULL;
	else if (queued > 1 && c->average > k->min)
		verdict = at_red_judge(k, c, random);
	else
		c->above = false;
	if (verdict != AT_RED_PASSES)
		c->count = 0;
	return verdict;
}

#endif
