/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * CBT: the discipline against Parris's pseudocode (parris_cbt.h), against red and fifo, and
 * the vectors by hand. Its other rules are in test_cbt_rules.c, shares and delays of
 * traffic in test_cbt_shares.c.
 */
#include "airtab/classify.h"
#include "airtab/red.h"
#include "parris_cbt.h"

#define ONE (1u << 16)

/* ---- against the pseudocode ---- */

struct load {
	const char *args;
	u32 classes, unit, average, limit, guard;	/* unit: 0 packets, else bytes of overhead, less one */
	double w[3], th_min[3], th_max[3], drain[3], cap[3], tau[3], max_p;
	bool gentle;
};

#define LINK "rate=8000000 packet=1000 "
#define THIRDS "share=500000,250000,250000 "
#define STUDY { 1 / 256.0, 1 / 16.0, 1 / 4.0 }
#define DRAIN { 500, 250, 250 }

static const struct load loads[] = {
	{ LINK THIRDS "overhead=0 profile=1 limit=42 latency=40000000", 3, 0, SAMPLED, 42, 1, STUDY,
	  { 5, 10, 10 }, { 20, 10, 10 }, DRAIN, { 0 }, { 1, 1, 1 }, 0.1, false },
	{ LINK THIRDS "overhead=0 mode=2 average=1 cap=131072,98304,131072 limit=60 weight=1/256,1/16,1/4", 3, 1,
	  SAMPLED, 60, 1, STUDY, { 3000, 7500, 7500 }, { 15000, 7500, 7500 }, DRAIN, { 2, 1.5, 2 }, { 1, 1, 1 },
	  0.1, false },
	{ LINK THIRDS "overhead=0 mode=2 average=2 cap=0 limit=33 weight=1/16 gentle=1 max_p=20000", 3, 1, ALL,
	  33, 1, { 1 / 16.0, 1 / 16.0, 1 / 16.0 }, { 3000, 7500, 7500 }, { 15000, 7500, 7500 }, DRAIN, { 0 },
	  { 1, 1, 1 }, 0.02, true },
	{ LINK THIRDS "overhead=30 mode=2 limit=60 tau=200000000,20000000,5000000", 3, 31, OVER_TIME, 60, 1,
	  STUDY, { 3000, 7500, 7500 }, { 15000, 7500, 7500 }, DRAIN, { 2, 4, 2 }, { 0.2, 0.02, 0.005 }, 0.1,
	  false },
	{ LINK THIRDS "overhead=0 mode=1 limit=36 guard=4 gentle=1 tau=50000000 cap=0", 3, 0, OVER_TIME, 36, 4,
	  STUDY, { 3, 7.5, 7.5 }, { 15, 7.5, 7.5 }, DRAIN, { 0 }, { 0.05, 0.05, 0.05 }, 0.1, true },
	{ LINK "overhead=0 classes=1 profile=1 th_min=327680 th_max=2621440 limit=60", 1, 0, SAMPLED, 60, 1,
	  STUDY, { 5 }, { 40 }, { 1000 }, { 0 }, { 1 }, 0.1, false },
	{ LINK THIRDS "overhead=0 mode=1 average=2 guard=0 weight=1/1,1/500,1/16 limit=40 cap=0,65536,0", 3, 0, ALL, 40,
	  0, { 1, 0.002, 1 / 16.0 }, { 3, 7.5, 7.5 }, { 15, 7.5, 7.5 }, DRAIN, { 0, 1, 0 }, { 1, 1, 1 }, 0.1,
	  false },
};

static double worst;
static u32 all_fates[FATES], operations;

static double size_of(const struct load *l, u32 bytes)
{
	return l->unit ? bytes + l->unit - 1 : 1;
}

/* Averages, and S 2.16: books, bounds of averages, counts. */
static void same_rows(struct host *h, const struct load *l, const struct parris_cbt *r)
{
	double usual = l->unit ? 1000 : 1;
	u64 cols[MAX_COLS], sum = 0;
	u32 cursor = 0;

	CHECK(next_row(h, &cursor, cols));	/* urgent ones */
	for (u32 i = 0; i < l->classes; i++) {
		const struct parris_class *c = &r->at[i];
		double off, q_avg = c->q_avg;

		CHECK(next_row(h, &cursor, cols) && cols[0] == i);
		CHECK_EQ(cols[1], c->q_len);
		sum += cols[1];
		CHECK_EQ(cols[19], c->count < 0 ? 0 : c->count);
		if (!c->q_len && l->average != OVER_TIME)
			continue;	/* shown as it falls */
		if (l->average == OVER_TIME)
			q_avg += (1 - exp(-((double)h->now * 1e-9 - c->last) / c->tau)) * (c->held - q_avg);
		off = fabs((double)cols[3] / ONE - q_avg) / fmax(usual, q_avg);
		worst = fmax(worst, off);
		CHECK(off < 1e-4);
		CHECK(q_avg >= 0 && (double)cols[3] / ONE <= fmax(c->most, c->held) + 1e-3);
	}
	CHECK_EQ(sum, h->q->qlen);
	CHECK(h->q->qlen <= l->limit);
}

/* Arrivals that swing around one packet a ms, with pauses: the same packets are queued and
 * dropped, for the same reason, by the same random words. */
static void like_the_pseudocode(const struct load *l, u64 seed, u32 departures)
{
	static const enum at_reason why[FATES] = {
		AT_R_MAX, AT_R_EARLY, AT_R_CLASS, AT_R_CLASS, AT_R_LIMIT,
	};
	static struct parris_cbt r;
	u64 now = 1, draws = seed * 77 + 1, load = 0;
	u32 fates[FATES] = { 0 }, handed = 0, last = 0;
	struct at_ticket t;
	struct host h;

	open_host(&h, "cbt", l->args, 300);
	reopen_host(&h, seed);
	parris_cbt_init(&r, seed);
	r.classes = l->classes;
	r.average = l->average;
	r.q_limit = l->limit;
	r.guard = l->guard;
	r.gentle = l->gentle;
	for (u32 i = 0; i < l->classes; i++) {
		struct parris_class *c = &r.at[i];

		c->w = l->w[i];
		c->max_p = l->max_p;
		c->th_min = l->th_min[i];
		c->th_max = l->th_max[i];
		c->drain_rate = l->drain[i] * (l->unit > 1 ? 1000.0 / (1000 + l->unit - 1) : 1);
		c->cap = l->cap[i];
		c->tau = l->tau[i];
	}
	for (u32 step = 0; step < departures; step++) {
		struct at_pkt *p;

		if (step % 3000 == 0)
			load = step % 18000 ? 950 + below(&draws, 400) : 300 + below(&draws, 3700);
		now += 500000 + below(&draws, 1000000);
		if (step % 20000 >= 19900)
			now += below(&draws, 400 * MS);
		for (u32 n = 0; n < 4; n++) {
			u32 bytes = 40 + (u32)below(&draws, 1461), class = (u32)below(&draws, l->classes);
			enum cbt_fate fate;

			if (below(&draws, 4000) >= load)
				continue;
			class = step / 1000 % 3 && class ? class - 1 : class;
			fate = on_arrival(&r, class, size_of(l, bytes), (double)now * 1e-9);
			fates[fate]++;
			p = new_pkt(&h, class, bytes);
			p->cls = (u8)class;
			p->handle = ++handed;
			CHECK_EQ(push(&h, p, now), fate == NO_DROP ? AT_OK : AT_DROPPED);
			if (fate != NO_DROP)
				CHECK_EQ(h.last_why, why[fate]);
			same_rows(&h, l, &r);
			operations++;
		}
		p = get(&h, &t, now);
		if (p) {
			CHECK(p->handle > last);
			last = p->handle;
			on_departure(&r, p->flow, size_of(l, p->bytes), (double)now * 1e-9);
			same_rows(&h, l, &r);
			operations++;
		}
	}
	CHECK_EQ(stat(&h, "early_drops"), fates[EARLY_DROP]);
	CHECK_EQ(stat(&h, "forced_drops"), fates[FORCED_DROP]);
	CHECK_EQ(stat(&h, "cap_drops"), fates[CAP_DROP]);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "cbt '%s': %u queued, %u early, %u forced, %u over a cap, %u refused\n", l->args,
			fates[NO_DROP], fates[EARLY_DROP], fates[FORCED_DROP], fates[CAP_DROP],
			fates[OVERFLOW_DROP]);
	for (u32 i = 0; i < FATES; i++)
		all_fates[i] += fates[i];
	close_host(&h);
}

static void all_loads(void)
{
	for (u32 i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		for (u64 seed = 1; seed <= 2; seed++)
			like_the_pseudocode(&loads[i], seed, 50000);
	CHECK(operations > 1000000);
	for (u32 i = 0; i < FATES; i++)
		CHECK(all_fates[i] > 3000);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "cbt: %u operations, averages off by %.2g at most\n", operations, worst);
}

/* ---- one class ---- */

/* Two disciplines at the same packets: the same verdicts, by the same random words. */
static void twins(const char *other, const char *its, const char *args, bool averages)
{
	u64 now = 1, draws = 5, load = 0, dropped = 0;
	struct host a, b;
	struct at_ticket t;

	open_host(&a, other, its, 300);
	open_host(&b, "cbt", args, 300);
	for (u32 step = 0; step < 200000; step++) {
		if (step % 3000 == 0)
			load = step % 18000 ? 950 + below(&draws, 150) : 300 + below(&draws, 2500);
		now += 500000 + below(&draws, 1000000);
		if (step % 20000 >= 19900)
			now += below(&draws, 400 * MS);
		for (u32 n = 0; n < 4; n++) {
			u32 bytes = 40 + (u32)below(&draws, 1461);
			enum at_verdict v;

			if (below(&draws, 4000) >= load)
				continue;
			v = put(&a, 1, bytes, now);
			CHECK_EQ(put(&b, 1, bytes, now), v);
			dropped += v != AT_OK;
			if (averages)
				CHECK_EQ(stat(&a, "average"), cell(&b, 0, "average"));
		}
		CHECK_EQ(!!get(&a, &t, now), !!get(&b, &t, now));
	}
	CHECK(dropped > 5000);
	close_host(&a);
	close_host(&b);
}

static void one_class(void)
{
	twins("red", "idle=1", "profile=1 classes=1 overhead=0 limit=240 th_min=327680 th_max=2621440", true);
	twins("red", "idle=1 gentle=1 limit=100 weight=1/16 max=655360",
	      "profile=1 classes=1 overhead=0 gentle=1 limit=100 weight=1/16 th_min=327680 th_max=655360", true);
	twins("fifo", "limit=60 bytes=0",
	      "profile=1 classes=1 limit=60 weight=1/1 th_min=3932160 th_max=3932160", false);
}

/* One class of weight 1/4, both thresholds 3, 8 places, a link of 100 packets a second:
 * worked by hand from the pseudocode. 'a': arrives; 'd': departs. */
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
	struct at_ticket t;
	struct host h;

	open_host(&h, "cbt", "profile=1 classes=1 weight=1/4 th_min=196608 th_max=196608 limit=8 rate=800000 overhead=0", 16);
	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		if (want[i].what == 'a')
			CHECK_EQ(put(&h, 1, 1000, want[i].ms * MS), want[i].verdict);
		else
			CHECK(get(&h, &t, want[i].ms * MS));
		CHECK_EQ(cell(&h, 0, "backlog"), want[i].queued);
		if (want[i].queued)
			CHECK(fabs((double)cell(&h, 0, "average") / ONE - want[i].average) < 2e-5);
		CHECK_EQ(cell(&h, 0, "count"), want[i].count);
	}
	CHECK_EQ(cell(&h, 0, "forced_drops"), 3);
	CHECK_EQ(cell(&h, 0, "arrivals"), 13);
	CHECK_EQ(cell(&h, 0, "idle"), 2);
	close_host(&h);
}

/* Packets at once that a class takes from nothing, before the first one is dropped. */
static void bursts(void)
{
	static const struct { u32 samples; double th; u32 packets; } want[] = {
		{ 256, 85.58, 242 }, { 256, 59.11, 196 }, { 256, 25.67, 124 }, { 256, 17.73, 101 },
		{ 16, 22.45, 36 }, { 16, 26.06, 40 }, { 16, 6.74, 17 }, { 16, 7.81, 19 }, { 16, 6.66, 17 },
		{ 4, 14.28, 18 }, { 4, 4.29, 7 }, { 256, 40, 158 },
	};
	char args[200];
	struct host h;

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		u64 th = (u64)(want[i].th * ONE + 0.5);
		u32 n = 0;

		snprintf(args, sizeof(args), "profile=1 weight=1/%u th_min=%llu th_max=%llu", want[i].samples,
			 (unsigned long long)th, (unsigned long long)th);
		open_host(&h, "cbt", args, 400);
		while (put(&h, 1, 1000, 0) == AT_OK)
			n++;
		CHECK_EQ(n, want[i].packets);
		CHECK_EQ(h.last_why, AT_R_CLASS);
		close_host(&h);
	}
	/* and until RED begins at 5 */
	open_host(&h, "cbt", "profile=1 classes=1 th_min=327680 th_max=2621440", 400);
	for (u32 n = 0; n < 52; n++)
		put(&h, 1, 1000, 0);
	CHECK_EQ(cell(&h, 0, "entries"), 0);
	put(&h, 1, 1000, 0);
	CHECK_EQ(cell(&h, 0, "entries"), 1);
	close_host(&h);
}

/* Of an average and a count, what a random number has to be below. */
static void early_values(void)
{
	static const struct { double average; u32 count; double pa; } want[] = {
		{ 22.5, 0, 0.05 }, { 22.5, 10, 0.1 }, { 22.5, 18, 0.5 }, { 22.5, 19, 1 }, { 40, 0, 0.1 },
		{ 40, 8, 0.5 }, { 40, 9, 1 }, { 5.35, 0, 0.001 }, { 5.35, 500, 0.002 }, { 12, 3, 0.0212766 },
	};
	/* packets; bytes, of a class that has 1000 times as many */
	for (u64 unit = 1; unit <= 1000; unit += 999) {
		struct at_red_params k = { .min = 5 * unit << 32, .max = 40 * unit << 32, .max_p = AT_EWMA_ONE / 10 };

		while (k.max >> k.shift >> 48)
			k.shift++;
		for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
			u64 pb = at_red_probability(&k, (u64)(want[i].average * (double)unit * 4294967296.0));
			double u = want[i].pa * 4294967296.0;

			CHECK(at_red_hits(pb, want[i].count, (u32)(u * (1 - 1e-6)) - 1));
			CHECK(want[i].pa == 1 || !at_red_hits(pb, want[i].count, (u32)(u * (1 + 1e-6)) + 2));
		}
	}
}

int main(void)
{
	CASE(trace());
	CASE(bursts());
	CASE(early_values());
	CASE(one_class());
	CASE(all_loads());
	return 0;
}
