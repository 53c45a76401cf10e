/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * RED: red.h and the discipline against the pseudocode of Parris and of Floyd and Jacobson
 * (parris_red.h), and rule by rule.
 */
#include "airtab/red.h"
#include "parris_red.h"
#include "senders.h"
#include "swing.h"

static const struct at_red_params plain = {
	.min = 5 * AT_EWMA_ONE, .max = 40 * AT_EWMA_ONE, .max_p = AT_EWMA_ONE / 10,
	.keep = AT_EWMA_ONE / 256 * 255, .packet_ns = 800000,
};

static u64 fixed(double x)
{
	return (u64)(x * (double)AT_EWMA_ONE + 0.5);
}

/* ---- against the pseudocode ---- */

struct load {
	const char *args;
	double w, max_p, th_min, th_max, drain_rate;
	u32 limit;
	bool gentle, from_link;
};

static const struct load loads[] = {
	{ "idle=1", 1 / 256.0, 0.1, 5, 40, 1250, 240, false, false },
	{ "idle=1 gentle=1 limit=100", 1 / 256.0, 0.1, 5, 40, 1250, 100, true, false },
	{ "idle=1 weight=1/500 min=327680 max=983040 limit=60 rate=4000000", 0.002, 0.1, 5, 15, 500, 60, false, false },
	{ "idle=1 weight=1/4 min=936509 max=936509 rate=800000", 0.25, 0.1, 936509 / 65536.0, 936509 / 65536.0,
	  100, 240, false, false },
	{ "idle=1 weight=1/1 min=0 max=15728640 max_p=1000000", 1, 1, 0, 240, 1250, 240, false, false },
	{ "idle=1 weight=1/16 min=65536 max=131072 max_p=20000 gentle=1", 1 / 16.0, 0.02, 1, 2, 1250, 240, true, false },
	{ "", 1 / 256.0, 0.1, 5, 40, 1250, 240, false, true },
	{ "weight=1/500 min=327680 max=983040 limit=60 rate=4000000", 0.002, 0.1, 5, 15, 500, 60, false, true },
	{ "weight=1/16 min=65536 max=131072 max_p=20000 gentle=1", 1 / 16.0, 0.02, 1, 2, 1250, 240, true, true },
};

/* Arrivals that swing around one packet a ms, with pauses: the same packets are
 * queued and dropped, for the same reason, by the same random words, and the average
 * is the same. */
static void like_the_pseudocode(const struct load *l, u64 seed, u32 departures)
{
	struct parris_red r;
	struct host h;
	struct at_ticket t;
	struct swing w = swing_begin(seed * 77 + 1, 150, 2500);
	u64 fates[4] = { 0 };

	open_host(&h, "red", l->args, 300);
	reopen_host(&h, seed);
	parris_red_init(&r, seed);
	r.w = l->w;
	r.max_p = l->max_p;
	r.th_min = l->th_min;
	r.th_max = l->th_max;
	r.drain_rate = l->drain_rate;
	r.q_limit = l->limit;
	r.gentle = l->gentle;
	r.from_link = l->from_link;
	for (u32 step = 0; step < departures; step++) {
		u64 now = swing_on(&w);

		for (u32 n = 0; n < 4; n++) {
			enum red_fate fate;

			if (!swing_comes(&w))
				continue;
			fate = on_arrival(&r, (double)now * 1e-9);
			fates[fate]++;
			CHECK_EQ(put(&h, 1, 1000, now), fate == NO_DROP ? AT_OK : AT_DROPPED);
			if (fate != NO_DROP)
				CHECK_EQ(h.last_why, fate == OVERFLOW_DROP ? AT_R_LIMIT : AT_R_EARLY);
			CHECK_EQ(stat(&h, "count"), r.count);
			CHECK(fabs((double)stat(&h, "average") / 65536 - r.q_avg) <
			      2e-5 + 1e-4 * fmax(1, r.q_avg));
		}
		if (get(&h, &t, now))
			on_departure(&r, (double)now * 1e-9);
		else
			on_empty(&r, (double)now * 1e-9);
		CHECK_EQ(h.q->qlen, r.q_len);
	}
	CHECK(fates[EARLY_DROP] + fates[FORCED_DROP] > 25000);
	CHECK_EQ(stat(&h, "early_drops"), fates[EARLY_DROP]);
	CHECK_EQ(stat(&h, "forced_drops"), fates[FORCED_DROP]);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "red '%s': %llu queued, %llu early, %llu forced, %llu refused\n", l->args,
			(unsigned long long)fates[0], (unsigned long long)fates[1],
			(unsigned long long)fates[2], (unsigned long long)fates[3]);
	close_host(&h);
}

/* ---- the average ---- */

/* One class of weight 1/4, both thresholds 3, 8 places, a link of 100 packets a
 * second: worked by hand from the pseudocode. 'a': arrives; 'd': departs. */
static void trace(void)
{
	static const struct {
		char what;
		u32 ms;
		enum at_verdict verdict;
		u32 queued;
		double average;
		u32 count;
	} want[] = {
		{ 'a', 0, AT_OK, 1, 0, 0 }, { 'a', 1, AT_OK, 2, 0.25, 1 },
		{ 'a', 2, AT_OK, 3, 0.6875, 2 }, { 'a', 3, AT_OK, 4, 1.265625, 3 },
		{ 'a', 4, AT_OK, 5, 1.949219, 4 }, { 'a', 5, AT_OK, 6, 2.711914, 5 },
		{ 'a', 6, AT_DROPPED, 6, 3.533936, 0 }, { 'a', 7, AT_DROPPED, 6, 4.150452, 0 },
		{ 'd', 10, AT_OK, 5, 4.150452, 0 }, { 'd', 11, AT_OK, 4, 4.150452, 0 },
		{ 'd', 12, AT_OK, 3, 4.150452, 0 }, { 'a', 14, AT_DROPPED, 3, 3.862839, 0 },
		{ 'd', 15, AT_OK, 2, 3.862839, 0 }, { 'd', 16, AT_OK, 1, 3.862839, 0 },
		/* one is queued: whatever the average */
		{ 'a', 17, AT_OK, 2, 3.147129, 1 }, { 'd', 20, AT_OK, 1, 3.147129, 1 },
		{ 'd', 20, AT_OK, 0, 3.147129, 1 },
		/* 8 packets of 10 ms, less one */
		{ 'a', 100, AT_OK, 1, 0.420091, 2 }, { 'a', 101, AT_OK, 2, 0.565068, 3 },
		{ 'a', 102, AT_OK, 3, 0.923801, 4 },
	};
	struct host h;
	struct at_ticket t;

	open_host(&h, "red", "weight=1/4 min=196608 max=196608 limit=8 rate=800000 idle=1", 16);
	for (u32 i = 0; i < sizeof(want) / sizeof(*want); i++) {
		u64 now = want[i].ms * MS;

		if (want[i].what == 'd')
			CHECK(get(&h, &t, now));
		else
			CHECK_EQ(put(&h, 1, 1000, now), want[i].verdict);
		CHECK_EQ(h.q->qlen, want[i].queued);
		if (h.q->qlen)
			CHECK(fabs((double)stat(&h, "average") / 65536 - want[i].average) < 2e-5);
		CHECK_EQ(stat(&h, "count"), want[i].count);
	}
	CHECK_EQ(stat(&h, "forced_drops"), 3);
	close_host(&h);
}

/* Weight 1/4, 10 ms a packet: worked by hand from figure 2 of Floyd and Jacobson 1993, with
 * Linux's start of idle time. 'a': arrives; 'd': departs; 'e': the link finds nothing. */
static void busy_link(void)
{
	static const struct {
		char what;
		u32 ms;
		double average;
	} want[] = {
		{ 'a', 0, 0 }, { 'a', 1, 0.25 }, { 'a', 2, 0.6875 }, { 'a', 3, 1.265625 },
		{ 'd', 10, 1.265625 }, { 'd', 20, 1.265625 }, { 'd', 30, 1.265625 }, { 'd', 40, 1.265625 },
		/* the last one is on the link until 50 ms: a sample of 0, 3/4 of what it was */
		{ 'a', 45, 0.949219 }, { 'd', 50, 0.949219 },
		/* idle from 60 ms on: 35 ms are three packets, (3/4)^3 */
		{ 'e', 60, 0.949219 }, { 'a', 95, 0.400452 }, { 'a', 96, 0.550339 },
		{ 'd', 97, 0.550339 }, { 'd', 107, 0.550339 },
		/* from the first time that the link asks: one packet until 136 ms */
		{ 'e', 117, 0.550339 }, { 'e', 125, 0.550339 }, { 'a', 136, 0.412754 },
		{ 'd', 136, 0.412754 }, { 'e', 146, 0.412754 },
		/* less than one packet */
		{ 'a', 155, 0.412754 },
	};
	struct host h;
	struct at_ticket t;

	open_host(&h, "red", "weight=1/4 rate=800000", 16);
	for (u32 i = 0; i < sizeof(want) / sizeof(*want); i++) {
		u64 now = want[i].ms * MS;

		if (want[i].what == 'a')
			CHECK_EQ(put(&h, 1, 1000, now), AT_OK);
		else
			CHECK_EQ(get(&h, &t, now) != NULL, want[i].what == 'd');
		CHECK(fabs((double)stat(&h, "average") / 65536 - want[i].average) < 2e-5);
	}
	close_host(&h);
}

/* idle=queue: an arrival within a packet's time after the queue became empty stands for no
 * missed sample, one a packet's time later for one. */
static void idle(void)
{
	struct at_red c;

	at_red_begin(&c, 0);
	c.average = 30 * AT_EWMA_ONE;
	at_red_departs(&c, 7 * SEC);
	CHECK_EQ(at_red_average(&plain, &c, 0, 7 * SEC), c.average);
	CHECK_EQ(at_red_average(&plain, &c, 0, 7 * SEC + 1599999), c.average);
	CHECK_EQ(at_red_average(&plain, &c, 0, 7 * SEC + 1600000), c.average / 256 * 255);
	CHECK_EQ(at_red_average(&plain, &c, 0, 7000 * SEC), 0);
}

/* ---- the probability ---- */

/* pb / (1 - count pb), as the least random number that is not below it. */
static double at_count(double average, u32 count)
{
	u64 pb = at_red_probability(&plain, fixed(average)), low = 0, high = AT_EWMA_ONE;

	while (low < high) {
		u64 middle = (low + high) / 2;

		if (at_red_hits(pb, count, (u32)middle))
			low = middle + 1;
		else
			high = middle;
	}
	return ldexp((double)low, -32);
}

/* By hand from thresholds 5 and 40, max_p 0.1. */
static void spread(void)
{
	static const struct { double average; u32 count; double probability; } want[] = {
		{ 22.5, 0, 0.05 }, { 22.5, 10, 0.1 }, { 22.5, 18, 0.5 }, { 22.5, 19, 1 }, { 22.5, 20, 1 },
		{ 40, 0, 0.1 }, { 40, 8, 0.5 }, { 40, 9, 1 }, { 5.35, 0, 0.001 }, { 5.35, 500, 0.002 },
		{ 12, 3, 0.02 / 0.94 }, { 40, ~(u32)0, 1 },
	};

	for (u32 i = 0; i < sizeof(want) / sizeof(*want); i++)
		CHECK(fabs(at_count(want[i].average, want[i].count) - want[i].probability) <
		      1e-6 * want[i].probability);
	CHECK_EQ(at_red_probability(&plain, 5 * AT_EWMA_ONE), 0);
	CHECK_EQ(at_red_probability(&plain, 40 * AT_EWMA_ONE + 1), AT_EWMA_ONE);
}

/* 0.1 at 40, half way to 1 at 60, 1 at 80. */
static void gentle(void)
{
	struct at_red_params k = plain;

	k.gentle = true;
	CHECK_EQ(at_red_probability(&k, 40 * AT_EWMA_ONE), AT_EWMA_ONE / 10);
	CHECK(fabs(ldexp((double)at_red_probability(&k, 50 * AT_EWMA_ONE), -32) - 0.325) < 1e-9);
	CHECK(fabs(ldexp((double)at_red_probability(&k, 60 * AT_EWMA_ONE), -32) - 0.55) < 1e-9);
	CHECK(at_red_probability(&k, 80 * AT_EWMA_ONE - 1) < AT_EWMA_ONE);
	CHECK_EQ(at_red_probability(&k, 80 * AT_EWMA_ONE), AT_EWMA_ONE);
	k.max_p = AT_EWMA_ONE;
	CHECK_EQ(at_red_probability(&k, 50 * AT_EWMA_ONE), AT_EWMA_ONE);
}

/* Probabilities against double precision, parameters and averages at random. */
static void precision(void)
{
	u64 draws = 1;
	double worst = 0;

	for (u32 i = 0; i < 1000000; i++) {
		u64 max = 65536 + below(&draws, (u64)1 << (17 + i % 15)), min = below(&draws, max);
		double max_p = (double)(1 + below(&draws, 1000000)) / 1e6, at, want;
		struct at_red_params k = {
			.min = min << 16, .max = max << 16, .max_p = fixed(max_p), .gentle = true,
		};
		u64 average = below(&draws, 2 * k.max);

		at = (double)average / (double)AT_EWMA_ONE;
		want = at <= (double)min / 65536 ? 0 : at <= (double)max / 65536 ?
			max_p * (at * 65536 - (double)min) / (double)(max - min) :
			max_p + (1 - max_p) * (at * 65536 - (double)max) / (double)max;
		worst = fmax(worst, fabs(ldexp((double)at_red_probability(&k, average), -32) - want));
	}
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "red: probabilities off by %.2g at most\n", worst);
	CHECK(worst < 1e-8);
}

/* At max, by an average that stands still: from one drop to the next 1 to 1/pb - 1
 * packets, each number as likely (Floyd and Jacobson 1993, method 2). */
static void spacing(void)
{
	struct at_red_params k = plain;
	u64 random = 1;
	u32 since = 0, most = 0, drops = 0;
	struct at_red c;

	k.keep = AT_EWMA_ONE - 1;	/* it stands still, nearly */
	at_red_begin(&c, 0);
	c.average = 40 * AT_EWMA_ONE - 1000;
	for (u32 i = 0; i < 100000; i++) {
		since++;
		if (at_red_arrives(&k, &c, 39, false, &random, 0) == AT_RED_PASSES)
			continue;
		most = since > most ? since : most;
		since = 0;
		drops++;
	}
	CHECK_EQ(most, 9);
	CHECK(abs((int)drops - 100000 / 5) < 300);
}

/* The first one above min passes, and begins to count. */
static void first_above(void)
{
	struct at_red_params k = plain;
	u64 random = 1;
	struct at_red c;

	k.max_p = AT_EWMA_ONE;
	k.max = 7 * AT_EWMA_ONE;	/* at 6 one of two at random: the second for certain */
	k.keep = 0;
	at_red_begin(&c, 0);
	for (u32 i = 0; i < 3; i++) {
		CHECK_EQ(at_red_arrives(&k, &c, 5, false, &random, 0), AT_RED_PASSES);
		CHECK(!c.above);
		CHECK_EQ(at_red_arrives(&k, &c, 6, false, &random, 0), AT_RED_PASSES);
		CHECK(c.above && c.count == 1);
		CHECK_EQ(at_red_arrives(&k, &c, 6, false, &random, 0), AT_RED_EARLY);
		CHECK_EQ(c.count, 0);
		CHECK_EQ(at_red_arrives(&k, &c, 1, false, &random, 0), AT_RED_PASSES);
		CHECK(!c.above);
	}
	/* an arrival that is refused for want of room is a sample, and a drop */
	c.count = 9;
	CHECK_EQ(at_red_arrives(&k, &c, 6, true, &random, 0), AT_RED_FULL);
	CHECK(c.count == 0 && c.average == 6 * AT_EWMA_ONE);
}

/* ---- the discipline ---- */

/* Parris's figures, but that ECN is on and idle time begins as in Linux. */
static void defaults(void)
{
	static const struct {
		const char *name;
		u64 value;
	} expected[] = {
		{ "limit", 240 }, { "min", 5 << 16 }, { "max", 40 << 16 }, { "weight", 1 << 24 },
		{ "max_p", 100000 }, { "rate", 10000000 }, { "packet", 1000 }, { "gentle", 0 },
		{ "ecn", 1 }, { "hard", 1 }, { "idle", 0 },
	};
	const struct at_ops *ops = find_ops("red");

	for (u32 i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		CHECK(!strcmp(ops->params[i].name, expected[i].name));
		CHECK_EQ(ops->params[i].def, expected[i].value);
	}
	CHECK(!ops->params[sizeof(expected) / sizeof(expected[0])].name);
}

static void refused(void)
{
	struct host h;
	u16 bad = 99;

	open_host(&h, "red", "", 4);
	set_values(&h, h.q->ops, "min=2621441");
	CHECK(strstr(at_check(h.q->ops, h.vals, &bad), "more than max"));
	CHECK_EQ(bad, 1);
	set_values(&h, h.q->ops, "min=2621440");
	CHECK(!at_check(h.q->ops, h.vals, &bad));
	close_host(&h);
}

/* Of the average's weight 1, between 1 and 2 packets: marks, at random. Above it
 * drops, unless they are to be soft; a full queue drops in any case. */
static void marks(void)
{
	struct host h;

	open_host(&h, "red", "weight=1/1 min=655360 max=1310720 max_p=500000 limit=25", 64);
	CHECK_EQ(drops_with(&h, 20, 0, 300, AT_F_ECT), 0);
	CHECK(stat(&h, "marks") > 50 && stat(&h, "early_drops") == 0);
	CHECK(drops_with(&h, 20, 300 * MS, 300, 0) > 50);
	CHECK_EQ(stat(&h, "early_drops"), h.drops);
	CHECK_EQ(h.last_why, AT_R_EARLY);
	h.drops = 0;
	CHECK_EQ(drops_with(&h, 22, 600 * MS, 0, AT_F_ECT), 198);	/* from 19 queued to 21 */
	CHECK_EQ(stat(&h, "forced_drops"), 198);
	change(&h, "hard=0", 600 * MS);
	CHECK_EQ(drops_with(&h, 25, 600 * MS, 0, AT_F_ECT), 0);
	CHECK_EQ(put(&h, 1, 1000, 600 * MS), AT_DROPPED);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	change(&h, "ecn=0 limit=26", 600 * MS);
	CHECK_EQ(drops_with(&h, 26, 600 * MS, 0, AT_F_ECT), 200);
	close_host(&h);
}

/* Draws are the seed's. */
static void seeds(void)
{
	u32 drops[3];

	for (u64 seed = 0; seed < 3; seed++) {
		struct host h;

		open_host(&h, "red", "weight=1/1 min=655360 max=1310720", 64);
		reopen_host(&h, seed / 2 + 1);
		drops[seed] = drops_with(&h, 20, 0, 1000, 0);
		close_host(&h);
	}
	CHECK(drops[0] == drops[1] && drops[0] != drops[2]);
}

/* The average that is shown of an idle queue is that of an arrival now. A reset begins
 * again, idle since then. */
static void shown(const char *idle, u32 ms)
{
	struct host h;
	struct at_ticket t;
	char args[64];

	snprintf(args, sizeof(args), "weight=1/4 rate=800000 %s", idle);
	open_host(&h, "red", args, 16);
	for (u32 i = 0; i < 10; i++)
		put(&h, 1, 1000, 0);
	CHECK(stat(&h, "average") > 6 << 16);
	while (get(&h, &t, 0))
		;
	h.now = ms * MS;
	CHECK_EQ(stat(&h, "average"), 54458);	/* (10 - 4 (1 - 0.75^10)) 0.75^7 */
	CHECK_EQ(stat(&h, "probability"), 0);
	put(&h, 1, 1000, ms * MS);
	CHECK_EQ(stat(&h, "average"), 54458);
	h.q->ops->reset(h.q, 90 * MS);
	CHECK_EQ(stat(&h, "average") + stat(&h, "count"), 0);
	put(&h, 1, 1000, 90 * MS);
	CHECK_EQ(stat(&h, "average") + stat(&h, "count"), 0);
	close_host(&h);
}

/* Packets of a closed station keep their place and count as queued; the others go. */
static void parked(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "red", "weight=1/1", 16);
	for (u32 i = 0; i < 4; i++) {
		struct at_pkt *p = new_pkt(&h, i, 1000);

		p->sta = (u16)(i / 2);
		push(&h, p, 0);
	}
	gate(&h, 0, false);
	CHECK_EQ(get(&h, &t, 0)->flow, 2);
	CHECK_EQ(get(&h, &t, 0)->flow, 3);
	CHECK(!get(&h, &t, 0) && h.q->parked == 2);
	put(&h, 9, 1000, MS);
	CHECK_EQ(stat(&h, "average"), 2 << 16);
	gate(&h, 0, true);
	CHECK_EQ(get(&h, &t, MS)->flow, 0);
	/* handed over: oldest first, uncharged */
	CHECK_EQ(h.q->ops->drain(h.q)->flow, 1);
	CHECK_EQ(h.q->ops->drain(h.q)->flow, 9);
	CHECK(!h.q->ops->drain(h.q) && h.q->qlen == 0 && h.q->bytes == 0);
	for (u32 i = 0; i < h.n; i++)
		h.place[i] = FREE;
	close_host(&h);
}

/* Senders that halve on a loss, a path of 50 ms, 1 packet a ms: the queue stays
 * below the highest average, and the link is used. */
static void standing_queue(void)
{
	static struct loop full, red;

	run_loop(&full, "red", "min=65535000 max=655350000 limit=10000", 3);
	run_loop(&red, "red", "", 3);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "red: median %u ms, used %.3f, game at most %u ms, %u lost; without: %u ms, %.3f\n",
			red.median, red.used, red.game_worst, red.game_lost, full.median, full.used);
	CHECK(red.median < 45 && red.used > 0.95 && full.median > 200);
}

int main(void)
{
	CASE(defaults());
	CASE(refused());
	CASE(idle());
	CASE(trace());
	CASE(busy_link());
	CASE(spread());
	CASE(gentle());
	CASE(precision());
	CASE(spacing());
	CASE(first_above());
	CASE(marks());
	CASE(seeds());
	CASE(shown("idle=1", 80));	/* eight packets, less one */
	CASE(shown("idle=0", 70));
	CASE(parked());
	for (u32 i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		for (u64 seed = 1; seed <= 2; seed++)
			CASE(like_the_pseudocode(&loads[i], seed, 200000));
	CASE(standing_queue());
	return 0;
}
