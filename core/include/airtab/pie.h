/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/pie.h: PIE, the decision whether a packet that arrives is queued, or
 * dropped (ECN: marked) to slow its sender down.
 *
 * Source: RFC 8033. Every `update` the probability of a drop moves by
 *
 *   alpha (delay - target) + beta (delay - delay before)	(4.2; both in Hz)
 *
 * in smaller steps while it is small (the ladder), by 0.02 at most once it is 0.1
 * (5.5), and down by a 64th where both delays are 0. Nothing is dropped while a
 * burst of `burst` is allowed (4.4), while the delay was below half the target and
 * the probability is below 0.2, or with two packets queued (4.1). De-randomised
 * (5.4): none before the probabilities since the last drop add up to 0.85, the next
 * one when they add up to 8.5.
 *
 * The delay is that of the packet that left last, and 0 once the queue is empty
 * (`by_rate` false: Linux today); or what is queued over the rate of departures,
 * measured in cycles of 16 KB (5.2) of which the rates are averaged with weight 1/8
 * (`by_rate`: Linux 3.17). A cycle that takes no time counts as 1 ns: a rate without
 * end, a delay of 0. So it is while none was measured.
 *
 * Updates are made up for at the next call, as nothing else can have happened since.
 * They stop where they change nothing more, and after AT_PIE_MOST.
 *
 * Arithmetic: a probability is a number of 2^-50, alpha and beta are of 2^-24, times
 * ns; a delay counts as 2^33 ns at most. docs/pie.md has its errors.
 *
 * What this is not: no queue, no activation by queue length (5.3), no scaling by
 * packet size, no step of Linux's (and RFC 8034's) for delays above 250 ms.
 */
#ifndef AIRTAB_PIE_H
#define AIRTAB_PIE_H

#include "airtab/qdisc.h"
#include "airtab/random.h"

#define AT_PIE_BITS 50
#define AT_PIE_ONE ((u64)1 << AT_PIE_BITS)	/* the probability 1 */
#define AT_PIE_CYCLE 16384u			/* bytes of a measurement */
#define AT_PIE_PACKET 1514u			/* bytes: Ethernet header and 1500 */
#define AT_PIE_DELAY ((u64)1 << 33)		/* ns */
#define AT_PIE_MOST 1024u			/* updates that a call makes up for */
#define AT_PIE_WEIGHT 24			/* alpha and beta: bits behind the point */

struct at_pie_params {
	u64 burst;			/* ns */
	u64 mark_below;			/* probability: drop, not mark, from here on */
	u32 target, update;		/* ns */
	u32 alpha, beta;		/* Hz, 2^-24; 16 at most */
	bool ecn, by_rate, derandomize;
};

/* One queue. */
struct at_pie {
	u64 next;			/* when the next update is due, ns */
	u64 prob, sum;			/* of a drop; of all since the last one */
	u64 delay, before;		/* ns; at the update before */
	u64 burst;			/* what is left of it, ns */
	u64 rate;			/* bytes of 2^-32 a ns; 0 = none measured */
	u64 since;			/* when the measurement began */
	u32 counted;			/* bytes departed since */
	bool measuring;
};

/* A new queue, or one that is to begin anew. */
static inline void at_pie_begin(const struct at_pie_params *k, struct at_pie *c, u64 now)
{
	*c = (struct at_pie){ .next = now + k->update, .burst = k->burst };
}

/* ---- the delay ---- */

/* How long `bytes` take at the rate of departures, ns. */
static inline u64 at_pie_drain_ns(const struct at_pie *c, u64 bytes)
{
	u64 most = (u64)1 << 31, rate = c->rate, ns = (bytes < most ? bytes : most) << 32;

	if (!rate)
		return 0;
	for (; rate >> 32; rate >>= 1)
		ns >>= 1;
	ns = at_div(ns, (u32)rate);
	return ns < AT_PIE_DELAY ? ns : AT_PIE_DELAY;
}

/* A cycle of so many bytes ended. */
static inline void at_pie_measured(struct at_pie *c, u64 ns)
{
	u32 most = ~(u32)0, time = ns > most ? most : (u32)ns + !ns;
	u64 rate = at_div((u64)c->counted << 32, time);

	c->rate = c->rate ? c->rate - (c->rate >> 3) + (rate >> 3) : rate;
}

/* A packet of so many bytes left, after `sojourn` in the queue, and `left` stay. */
static inline void at_pie_departs(const struct at_pie_params *k, struct at_pie *c, u64 sojourn, u32 bytes,
				  u64 left, u64 now)
{
	if (!k->by_rate) {
		c->delay = !left ? 0 : sojourn < AT_PIE_DELAY ? sojourn : AT_PIE_DELAY;
		return;
	}
	c->counted += bytes;
	if (c->measuring && c->counted >= AT_PIE_CYCLE) {
		at_pie_measured(c, now - c->since);
		c->measuring = false;
	}
	if (!c->measuring && left >= AT_PIE_CYCLE) {
		c->measuring = true;
		c->since = now;
		c->counted = 0;
	}
}

/* Packets left the queue other than to be sent. */
static inline void at_pie_disturbed(const struct at_pie_params *k, struct at_pie *c, u64 left)
{
	c->measuring = false;
	if (!left && !k->by_rate)
		c->delay = 0;
}

/* ---- the probability ---- */

/* alpha and beta times ns, in all v, as a probability. */
static inline u64 at_pie_step(u64 v)
{
	u64 whole = at_div(v, 1000000000);

	return (whole << (AT_PIE_BITS - AT_PIE_WEIGHT)) +
	       at_div((v - whole * 1000000000) << (AT_PIE_BITS - AT_PIE_WEIGHT), 1000000000);
}

/* The ladder: a step at this probability is divided by 2, 8, 32, .. 2048, by so many
 * bits. */
static inline u32 at_pie_ladder(u64 prob)
{
	static const u64 below[] = { AT_PIE_ONE / 10, AT_PIE_ONE / 100, AT_PIE_ONE / 1000,
				     AT_PIE_ONE / 10000, AT_PIE_ONE / 100000, AT_PIE_ONE / 1000000 };
	u32 n = 0;

	while (n < sizeof(below) / sizeof(*below) && prob < below[n])
		n++;
	return n ? 2 * n - 1 : 0;
}

/* One update; false: it changed nothing, as will none after it. */
static inline bool at_pie_update(const struct at_pie_params *k, struct at_pie *c, u64 queued)
{
	struct at_pie was = *c;
	s64 v;
	u64 step;

	if (k->by_rate)
		c->delay = at_pie_drain_ns(c, queued);
	v = k->alpha * ((s64)c->delay - (s64)k->target) + k->beta * ((s64)c->delay - (s64)c->before);
	step = at_pie_step((u64)(v < 0 ? -v : v)) >> at_pie_ladder(c->prob);
	if (v < 0) {
		c->prob -= step < c->prob ? step : c->prob;
	} else {
		if (c->prob >= AT_PIE_ONE / 10 && step > AT_PIE_ONE / 50)
			step = AT_PIE_ONE / 50;
		c->prob = step < AT_PIE_ONE - c->prob ? c->prob + step : AT_PIE_ONE;
	}
	if (!c->delay && !c->before)
		c->prob -= c->prob >> 6;
	c->before = c->delay;
	c->burst -= c->burst < k->update ? c->burst : k->update;
	return c->prob != was.prob || c->before != was.before || c->burst != was.burst;
}

/* Makes up for the updates that are due; `queued` bytes since the last call. */
static inline void at_pie_catch_up(const struct at_pie_params *k, struct at_pie *c, u64 queued, u64 now)
{
	for (u32 n = 0; now >= c->next; n++) {
		if (n < AT_PIE_MOST && at_pie_update(k, c, queued))
			c->next += k->update;
		else
			c->next += (at_div(now - c->next, k->update) + 1) * k->update;
	}
}

/* ---- an arrival ---- */

static inline bool at_pie_drops_early(const struct at_pie_params *k, struct at_pie *c, u64 queued, u64 *random)
{
	if (c->burst || (c->before < k->target / 2 && c->prob < AT_PIE_ONE / 5) ||
	    queued <= 2 * AT_PIE_PACKET)
		return false;
	if (k->derandomize) {
		c->sum = c->prob ? c->sum + c->prob : 0;
		if (c->sum < AT_PIE_ONE / 20 * 17)
			return false;
		if (c->sum >= AT_PIE_ONE / 2 * 17)
			return true;
	}
	return at_random_next(random) >> (64 - AT_PIE_BITS) < c->prob;
}

/* Whether the sender of a packet that finds so many bytes queued is told to slow
 * down. Updates are made up for before. */
static inline bool at_pie_signals(const struct at_pie_params *k, struct at_pie *c, u64 queued, u64 *random)
{
	if (!c->prob && c->delay < k->target / 2 && c->before < k->target / 2)
		c->burst = k->burst;
	if (!at_pie_drops_early(k, c, queued, random))
		return false;
	c->sum = 0;
	return true;
}

/* Whether a signal is a mark, which p gets, instead of a drop. */
static inline bool at_pie_marks(const struct at_pie_params *k, const struct at_pie *c, struct at_pkt *p)
{
	return k->ecn && c->prob < k->mark_below && at_mark_ce(p);
}

#endif
