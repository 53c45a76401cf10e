/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbt: thresholds that follow what is measured, within those that are planned.
 *
 * Source: Parris, Class-Based Thresholds, 2001, VI.5.1 names both as work to be done; the
 * rules are ours.
 *
 *  - `peak`: a class's B is the largest mean over 2 s of what came in the last 10 s. It
 *    rises at once and falls by 5 % a second, to a tenth of what was planned. Class 0
 *    keeps the rest.
 *  - `relative`: RED keeps class 0 below its threshold, and so below its share. While it
 *    loses packets the others' thresholds are multiplied by its average over its own
 *    threshold, 1/2 at least.
 *
 * No class but 0 gets more than was planned: who sends more gains nothing. A change of
 * parameters, or of what is counted, begins anew.
 *
 * What this is not: no guess of what a class would send if it had more.
 */
#include "cbt_state.h"

#define SECOND 1000000000u
#define PART (2u * SECOND)		/* ns: of what a mean is, of peak */
#define LOOK (SECOND / 4)		/* ns: between looks at class 0, of relative */
#define FALL 3876208026u		/* 0.95 * 0.95 of 2^-32: what is left after a part */
#define FLOOR 10u			/* what was planned over this stays */
#define SECONDS_MOST 400u		/* in which everything has fallen to the floor */
#define FACTOR_BITS 24u
#define FACTOR_MOST 255u

/* a / b of 2^-24, FACTOR_MOST at most; b is not 0. */
static u32 adapt_factor(u64 a, u64 b)
{
	u32 shift = 0;

	while (b >> shift >> 31)
		shift++;
	a >>= shift;
	b >>= shift;
	return a < b * FACTOR_MOST ? (u32)at_div((a << FACTOR_BITS) + b / 2, (u32)b) : FACTOR_MOST << FACTOR_BITS;
}

/* x times a factor; less than 2^64. */
static u64 adapt_times(u64 x, u32 factor)
{
	u64 low = (x & (((u64)1 << FACTOR_BITS) - 1)) * factor;

	return (x >> FACTOR_BITS) * factor + ((low + ((u64)1 << (FACTOR_BITS - 1))) >> FACTOR_BITS);
}

/* Th_max of a class is th from now on, its other thresholds are in proportion. */
static void adapt_hold(struct at_cbt *s, u32 i, u64 th)
{
	struct at_cbt_want *w = &s->want[i];
	const struct at_cbt_thresholds *plan = &w->planned;
	struct at_cbt_thresholds t = { .min = th, .max = th, .cap = AT_NEVER };
	u32 factor;

	if (th == w->th)
		return;
	w->th = th;
	factor = adapt_factor(th, plan->max);
	if (plan->min < plan->max)
		t.min = adapt_times(plan->min, factor);
	if (plan->cap != AT_NEVER)
		t.cap = adapt_times(plan->cap, factor);
	at_cbt_hold_to(&s->at[i], &t);
}

void at_cbt_adapt_begin(struct at_cbt *s, u64 now)
{
	if (!s->want)
		return;
	for (u32 i = 0; i < s->classes; i++) {
		struct at_cbt_want *w = &s->want[i];

		at_cbt_hold_to(&s->at[i], &w->planned);
		w->th = w->planned.max;
		memset(w->came, 0, sizeof(w->came));
	}
	s->part = 0;
	s->look = now + (s->adapt == AT_CBT_PEAK ? PART : LOOK);
	s->lost_at = AT_NEVER;
}

/* ---- peak ---- */

/* Class 0 has what the others leave, each by its own packets. */
static void adapt_rest(struct at_cbt *s)
{
	bool packets = s->unit == AT_CBT_PACKETS;
	u64 left = 0, th = s->want->planned.max, most = (u64)(AT_CBT_MOST - 1) << 32;

	for (u32 i = 1; i < s->classes; i++)
		left += ((s->want[i].planned.max - s->want[i].th) >> 16) * (packets ? s->at[i].wire : 1);
	left = (packets ? at_div(left, s->at->wire) : left) << 16;
	adapt_hold(s, 0, left < most - th ? th + left : most);
}

/* Th_max of so much in a part. */
static u64 adapt_th(const struct at_cbt *s, u32 i, u32 came)
{
	u64 planned = s->want[i].planned.max;
	u64 th = (u64)came * (u32)at_div((u64)s->latency << 32, PART);

	return th < planned ? th : planned;
}

/* A part is over. */
static void adapt_part(struct at_cbt *s)
{
	for (u32 i = 1; i < s->classes; i++) {
		struct at_cbt_want *w = &s->want[i];
		u64 th = at_ewma_times(w->th, FALL), least = at_div(w->planned.max, FLOOR);

		if (th < least)
			th = least;
		for (u32 j = 0; j < AT_CBT_PARTS; j++) {
			u64 peak = adapt_th(s, i, w->came[j]);

			if (th < peak)
				th = peak;
		}
		adapt_hold(s, i, th);
	}
	s->part = (u8)((s->part + 1) % AT_CBT_PARTS);
	for (u32 i = 0; i < s->classes; i++)
		s->want[i].came[s->part] = 0;
}

static void adapt_peak(struct at_cbt *s, u32 i, u32 own, u64 now)
{
	struct at_cbt_want *w = &s->want[i];
	u32 *came;
	bool over = now >= s->look;

	for (u32 n = 0; now >= s->look && n < SECONDS_MOST / 2; n++) {
		adapt_part(s);
		s->look += PART;
	}
	if (now >= s->look)
		s->look = now + PART;
	came = &w->came[s->part];
	*came = *came + own < own ? ~(u32)0 : *came + own;
	if (i && adapt_th(s, i, *came) > w->th) {
		adapt_hold(s, i, adapt_th(s, i, *came));
		over = true;
	}
	if (over)
		adapt_rest(s);
}

/* ---- relative ---- */

static u64 adapt_lost(const struct at_cbt_class *k)
{
	return k->early + k->forced + k->capped + k->full + k->marks;
}

static void adapt_relative(struct at_cbt *s, u64 now)
{
	struct at_cbt_class *k = s->at;
	u64 th = k->params.max, average = th;
	u32 factor;

	if (adapt_lost(k) != s->lost) {
		s->lost = adapt_lost(k);
		s->lost_at = now;
	}
	if (s->lost_at != AT_NEVER && now - s->lost_at < SECOND)
		average = at_cbt_average(s, k, now);
	if (average > th)
		average = th;
	if (average < th / 2)
		average = th / 2;
	factor = adapt_factor(average, th);
	for (u32 i = 1; i < s->classes; i++)
		adapt_hold(s, i, adapt_times(s->want[i].planned.max, factor));
	s->look = now + LOOK;
}

void at_cbt_adapt(struct at_cbt *s, u32 i, u32 own, u64 now)
{
	if (s->adapt == AT_CBT_PEAK)
		adapt_peak(s, i, own, now);
	else if (now >= s->look)
		adapt_relative(s, now);
}
