/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * COBALT: against its description written down anew (one decision a packet, with
 * square roots in floating point), BLUE's steps and the scaling by rate exactly.
 */
#include <math.h>

#include "airtab/cobalt.h"
#include "harness.h"

#define TARGET (5 * MS)
#define INTERVAL (100 * MS)

/* ---- scaling ---- */

/* What sch_cake shows of a tin of 2.5 Mb/s: target 7.3 ms, interval 102.3 ms. */
static void scaled(void)
{
	static const struct { u64 packet, target, interval; } want[] = {
		{ 0, 5000000, 100000000 },
		{ 1211200, 5000000, 100000000 },	/* 10 Mb/s */
		{ 4844800, 7267200, 102267200 },	/* 2.5 Mb/s */
		{ 12112000, 18168000, 113168000 },	/* 1 Mb/s */
		{ 121120000, 181680000, 363360000 },	/* 100 kb/s: twice the target */
		{ 12112000000, 2000000000, 4000000000 },
	};

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct at_cobalt_params k = at_cobalt_scale(TARGET, INTERVAL, want[i].packet);

		CHECK_EQ(k.target, want[i].target);
		CHECK_EQ(k.interval, want[i].interval);
		CHECK_EQ(k.packets, 4 * want[i].packet);
	}
}

/* ---- BLUE ---- */

static void blue_rises(void)
{
	struct at_cobalt_params k = at_cobalt_scale(TARGET, INTERVAL, 0);
	struct at_cobalt c = { 0 };

	at_cobalt_full(&k, &c, SEC);
	CHECK_EQ(c.p, 1u << 24);
	at_cobalt_full(&k, &c, SEC + TARGET);		/* not within a target */
	CHECK_EQ(c.p, 1u << 24);
	at_cobalt_full(&k, &c, SEC + TARGET + 1);
	CHECK_EQ(c.p, 2u << 24);
	for (u32 i = 2; i < 255; i++)
		at_cobalt_full(&k, &c, SEC + i * (TARGET + 1));
	CHECK_EQ(c.p, 255u << 24);
	at_cobalt_full(&k, &c, 10 * SEC);
	CHECK_EQ(c.p, ~(u32)0);
	at_cobalt_full(&k, &c, 20 * SEC);
	CHECK_EQ(c.p, ~(u32)0);
	CHECK(c.dropping && c.count == 1 && c.drop_next == 20 * SEC);
}

static void blue_falls(void)
{
	struct at_cobalt_params k = at_cobalt_scale(TARGET, INTERVAL, 0);
	struct at_cobalt c = { .p = 10u << 20, .blue = SEC };

	at_cobalt_empty(&k, &c, SEC + TARGET);
	CHECK_EQ(c.p, 10u << 20);
	at_cobalt_empty(&k, &c, SEC + TARGET + 1);	/* one step, however long it was busy */
	CHECK_EQ(c.p, 9u << 20);
	CHECK_EQ(c.blue, SEC + TARGET + 1);
	at_cobalt_resume(&k, &c, c.blue + TARGET - 1);
	CHECK_EQ(c.p, 9u << 20);
	at_cobalt_resume(&k, &c, c.blue + 3 * TARGET + 1);
	CHECK_EQ(c.p, 6u << 20);
	CHECK_EQ(c.blue, SEC + 4 * TARGET + 1);
	at_cobalt_resume(&k, &c, c.blue + 6 * TARGET);
	CHECK_EQ(c.p, 0);
	c.p = 6u << 20;
	at_cobalt_resume(&k, &c, c.blue + 1000000 * TARGET);
	CHECK_EQ(c.p, 0);
	c.p = 1000;
	at_cobalt_empty(&k, &c, 2 * SEC + 1000000 * TARGET);
	CHECK_EQ(c.p, 0);
}

/* BLUE does not mark, takes what is below its probability, and not the last one. */
static void blue_drops(void)
{
	struct at_cobalt_params k = at_cobalt_scale(TARGET, INTERVAL, 0);
	struct at_cobalt c = { .p = 1u << 24 };
	struct at_cobalt_stats s = { 0 };
	struct at_pkt p = { .flags = AT_F_ECT };

	at_codel_stamp(&p, SEC);
	CHECK(at_cobalt_drops(&k, &c, &s, &p, false, (1u << 24) - 1, SEC));
	CHECK(!at_cobalt_drops(&k, &c, &s, &p, false, 1u << 24, SEC));
	CHECK(!at_cobalt_drops(&k, &c, &s, &p, true, 0, SEC));
	CHECK(s.drops == 1 && s.blue == 1 && s.marks == 0 && !(p.flags & AT_F_CE));
	c.p = 0;
	CHECK(!at_cobalt_drops(&k, &c, &s, &p, false, 0, SEC));
}

/* ---- CoDel's part, decision for decision ---- */

struct reference {
	bool dropping;
	u64 next;
	u32 count, drops, marks;
};

static u64 step(u64 t, u32 count)
{
	return t + (u64)llroundl((long double)INTERVAL / sqrtl(count ? count : 1));
}

/* One packet; whether it is dropped. */
static bool decides(struct reference *r, u64 sojourn, bool ecn, u64 now)
{
	bool due = r->count > 0 && now >= r->next, signal = false;
	bool late = now > r->next;	/* sch_cake's schedule: of before an episode begins */

	if (sojourn > TARGET) {
		if (!r->dropping) {
			r->dropping = true;
			r->next = step(now, r->count);
		}
		if (r->count == 0)
			r->count = 1;
		signal = due;
	} else {
		r->dropping = false;
		while (r->count > 0 && now >= r->next) {
			r->count--;
			r->next = step(r->next, r->count);
			late = now > r->next;
		}
	}
	if (signal) {
		r->count++;
		r->next = step(r->next, r->count);
		late = now > r->next;
	}
	if (r->count == 0)
		r->next = now + INTERVAL;
	else if (late && !(signal && !ecn))
		r->next = now;
	r->marks += signal && ecn;
	r->drops += signal && !ecn;
	return signal && !ecn;
}

static u64 apart(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/* Sojourns that swing about the target; the times of both may differ by what a step is
 * rounded by (test_codel: 0.53 ns), so that no decision is asked for so near to one. */
static void as_described(u64 seed, bool ecn)
{
	struct at_cobalt_params k = at_cobalt_scale(TARGET, INTERVAL, 0);
	struct at_cobalt c = { 0 };
	struct at_cobalt_stats s = { 0 };
	struct reference r = { 0 };
	struct at_pkt p = { 0 };
	u64 now = SEC, level = 0;
	u32 highest = 0;

	for (u32 n = 0; n < 100000; n++) {
		u64 sojourn;

		if (n % 500 == 0)		/* half a second above target, or about it */
			level = below(&seed, 4) ? 0 : TARGET;
		now += 1 + below(&seed, 2 * MS);
		if (apart(now, r.next) < 100000 || apart(now, c.drop_next) < 100000)
			now += 300000;
		sojourn = level + 1 + below(&seed, level ? 20 * MS : TARGET + MS / 2);
		p.flags = ecn ? AT_F_ECT : 0;
		at_codel_stamp(&p, now - sojourn);
		s.batch = 0;
		CHECK_EQ(at_cobalt_drops(&k, &c, &s, &p, false, 0, now), decides(&r, sojourn, ecn, now));
		CHECK_EQ(c.count, r.count);
		CHECK_EQ(c.dropping, r.dropping);
		CHECK(!c.count || apart(c.drop_next, r.next) < 50000);
		highest = c.count > highest ? c.count : highest;
	}
	CHECK_EQ(s.drops, r.drops);
	CHECK_EQ(s.marks, r.marks);
	CHECK(highest > 10 && (ecn ? s.marks : s.drops) > 500);
}

/* Whether a packet that waited so long is dropped at a time. */
static bool judged(struct at_cobalt *c, u64 sojourn, u64 now)
{
	struct at_cobalt_params k = at_cobalt_scale(TARGET, INTERVAL, 0);
	struct at_cobalt_stats s = { 0 };
	struct at_pkt p = { 0 };

	at_codel_stamp(&p, now - sojourn);
	return at_cobalt_drops(&k, c, &s, &p, false, 0, now);
}

/* The first packet above target of a queue that had none for an interval: the second is due at
 * once, then one after 100 / sqrt 2 ms. Worked by hand from sch_cake's rules. */
static void after_a_pause(void)
{
	struct at_cobalt c = { 0 };

	CHECK(!judged(&c, 6 * MS, SEC));
	CHECK(c.dropping && c.count == 1 && c.drop_next == SEC);
	CHECK(judged(&c, 6 * MS, SEC + MS));
	CHECK_EQ(c.count, 2);
	CHECK_EQ(c.drop_next, SEC + 70710678);
	CHECK(!judged(&c, 6 * MS, SEC + 70 * MS));
	CHECK(judged(&c, 6 * MS, SEC + 71 * MS));
	/* after 3 s the count is 0 again, and the next episode begins like the first */
	CHECK(!judged(&c, MS, 4 * SEC) && !c.count);
	CHECK_EQ(c.drop_next, 4 * SEC + INTERVAL);
	CHECK(!judged(&c, 6 * MS, 4 * SEC + INTERVAL + 1));
	CHECK(judged(&c, 6 * MS, 4 * SEC + INTERVAL + 2));
}

/* With a packet less than an interval before, an interval passes. */
static void without_a_pause(void)
{
	struct at_cobalt c = { 0 };

	CHECK(!judged(&c, MS, SEC) && c.drop_next == SEC + INTERVAL);
	CHECK(!judged(&c, 6 * MS, SEC + 50 * MS));
	CHECK_EQ(c.drop_next, SEC + 150 * MS);
	CHECK(!judged(&c, 6 * MS, SEC + 51 * MS));
	CHECK(!judged(&c, 6 * MS, SEC + 150 * MS - 1));
	CHECK(judged(&c, 6 * MS, SEC + 150 * MS));
}

/* Four full packets at the rate are no queue, whatever the target. */
static void four_packets(void)
{
	struct at_cobalt_params k = at_cobalt_scale(TARGET, INTERVAL, 4 * MS);
	struct at_cobalt c = { 0 };
	struct at_cobalt_stats s = { 0 };
	struct at_pkt p = { 0 };

	at_codel_stamp(&p, SEC);
	CHECK_EQ(k.target, 6 * MS);
	at_cobalt_drops(&k, &c, &s, &p, false, 0, SEC + 16 * MS);
	CHECK(!c.dropping);
	at_cobalt_drops(&k, &c, &s, &p, false, 0, SEC + 16 * MS + 1);
	CHECK(c.dropping);
}

/* After so long without packets `count` has gone back by the steps of that time. */
static void forgets(void)
{
	struct at_cobalt_params k = at_cobalt_scale(TARGET, INTERVAL, 0);
	u64 times[5];

	times[0] = SEC;			/* of 4; then after 100 / sqrt(3), (2), (1), and 0 */
	for (u32 i = 1; i < 4; i++)
		times[i] = times[i - 1] + (u64)llroundl((long double)INTERVAL / sqrtl(4 - i));
	for (u32 i = 0; i < 4; i++) {
		struct at_cobalt c = { .count = 4, .drop_next = SEC, .dropping = 1 };

		at_cobalt_empty(&k, &c, SEC - 1);
		CHECK(c.count == 4 && !c.dropping);
		at_cobalt_resume(&k, &c, times[i] - 5);
		CHECK_EQ(c.count, 4 - i);
		CHECK_EQ(at_cobalt_worn(&c), 1);
		at_cobalt_resume(&k, &c, times[i] + 5);
		CHECK_EQ(c.count, 3 - i);
		CHECK_EQ(at_cobalt_worn(&c), i < 3);
	}
}

int main(void)
{
	CASE(scaled());
	CASE(blue_rises());
	CASE(blue_falls());
	CASE(blue_drops());
	for (u64 seed = 1; seed <= 5; seed++) {
		CASE(as_described(seed, false));
		CASE(as_described(seed, true));
	}
	CASE(after_a_pause());
	CASE(without_a_pause());
	CASE(four_packets());
	CASE(forgets());
	return 0;
}
