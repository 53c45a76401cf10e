/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * wf2q.h: the worked traces with V exact, the lag behind the fluid system, late charges
 * and refunds, a class that leaves, and a range that is passed.
 *
 * The fluid system (generalised processor sharing) is computed here in floating point and
 * shares no code with the header.
 */
#include "harness.h"

#include "airtab/wf2q.h"

#define MOST 16u

struct bench {
	struct at_wf2q w;
	u32 left[MOST];		/* packets of each class */
	u64 cost[MOST];		/* of each packet */
	void *memory;
};

static void open_bench(struct bench *b, u32 n)
{
	memset(b, 0, sizeof(*b));
	b->memory = calloc(1, at_wf2q_bytes(n));
	CHECK(b->memory);
	at_wf2q_init(&b->w, b->memory, n);
}

static void backlog(struct bench *b, u32 i, u32 packets, u64 cost)
{
	b->left[i] = packets;
	b->cost[i] = cost;
	at_wf2q_enter(&b->w, i, cost);
}

static u32 serve(struct bench *b)
{
	u32 i = at_wf2q_next(&b->w);

	if (i != AT_WF2Q_NONE)
		at_wf2q_serve(&b->w, i, b->cost[i], --b->left[i], b->cost[i]);
	return i;
}

/* "B250 A1000 ...": who goes, and V after it. */
static void expect(struct bench *b, const char *trace)
{
	for (; *trace; trace += *trace == ' ') {
		char *end;
		u32 i = serve(b);

		CHECK_EQ('A' + (int)i, *trace);
		trace++;
		if (*trace >= '0' && *trace <= '9') {
			CHECK_EQ(b->w.v, strtoull(trace, &end, 10));
			trace = end;
		}
	}
}

static void weigh(struct bench *b, u32 i, u32 weight)
{
	at_wf2q_weigh(&b->w, i, weight);
}

/* Starzetz 2006, 9.2.1. */
static void test_traces(void)
{
	struct bench b;

	open_bench(&b, 2);
	backlog(&b, 0, 3, 1500);
	backlog(&b, 1, 9, 500);
	expect(&b, "B250 A1000 B1250 B1500 B1750 A2500 B2750 B3000 B3250 A4000 B4500 B5000");
	CHECK_EQ(serve(&b), AT_WF2Q_NONE);
	free(b.memory);

	open_bench(&b, 2);
	weigh(&b, 0, 2 * AT_WF2Q_ONE);
	backlog(&b, 0, 4, 1500);
	backlog(&b, 1, 4, 1500);
	expect(&b, "A500 B1000 A1500 A2000 B2500 A3000 B4500 B6000");
	free(b.memory);

	open_bench(&b, 2);
	backlog(&b, 0, 9, 2411100);
	backlog(&b, 1, 9, 2411100);
	expect(&b, "A B A B A B A B");
	free(b.memory);

	open_bench(&b, 2);
	weigh(&b, 0, 2 * AT_WF2Q_ONE);
	backlog(&b, 0, 20, 2411100);
	backlog(&b, 1, 20, 2411100);
	expect(&b, "A B A A B A A B A A B A");
	free(b.memory);
}

/* V moves by all weights, if these are given, and is never before the least start. */
static void test_whole(void)
{
	struct bench b;

	open_bench(&b, 3);
	b.w.whole = 3 * AT_WF2Q_ONE;
	backlog(&b, 0, 9, 1200);
	backlog(&b, 1, 9, 1200);
	expect(&b, "A400");
	backlog(&b, 2, 1, 600);
	CHECK_EQ(b.w.at[2].start, 400);
	expect(&b, "C600 B1200 A1600 B2400");
	free(b.memory);
}

/* By bytes an uploader gets 37.5 acknowledgements for each data packet of a downloader. */
static void test_acks_by_bytes(void)
{
	u32 acks = 0, data = 0;
	struct bench b;

	open_bench(&b, 2);
	backlog(&b, 0, 400, 1500);
	backlog(&b, 1, 15000, 40);
	expect(&b, "B A");
	for (u32 n = 0; n < 38 * 300; n++) {
		if (serve(&b))
			acks++;
		else
			data++;
	}
	CHECK(acks >= data * 37 && acks <= data * 38);
	CHECK(acks * 2 >= data * 74 + data * 7 / 10 && acks * 2 <= data * 75 + data * 3 / 10);
	free(b.memory);
}

/* An acknowledgement of four segments, charged as one exchange of each (3 data packets
 * for one) or as the segments' own acknowledgements too (4 for one). */
static void test_acks_by_airtime(void)
{
	u64 data = 2411100;
	struct bench b;

	open_bench(&b, 2);
	backlog(&b, 0, 40, data);
	backlog(&b, 1, 40, 7620500);
	expect(&b, "A B A A A B A A A B");
	free(b.memory);

	open_bench(&b, 2);
	backlog(&b, 0, 40, data);
	backlog(&b, 1, 40, 4 * data);
	expect(&b, "A B A A A A B A A A A B");
	free(b.memory);
}

/* ---- beside the fluid system ---- */

#define PACKETS 64u

struct load {
	struct bench b;
	u64 cost[MOST][PACKETS], longest;	/* of those queued; of all */
	u32 head[MOST], tail[MOST], n;
	u64 served[MOST];			/* ns */
	double fluid_queued[MOST], fluid_served[MOST], weight[MOST];
};

/* The fluid serves all that have something for dt, by weight. */
static void flow(struct load *l, double dt)
{
	while (dt > 1e-9) {
		double sum = 0, step = dt;

		for (u32 i = 0; i < l->n; i++)
			sum += l->fluid_queued[i] > 1e-9 ? l->weight[i] : 0;
		if (sum == 0)
			return;
		for (u32 i = 0; i < l->n; i++)
			if (l->fluid_queued[i] > 1e-9 && l->fluid_queued[i] * sum / l->weight[i] < step)
				step = l->fluid_queued[i] * sum / l->weight[i];
		for (u32 i = 0; i < l->n; i++)
			if (l->fluid_queued[i] > 1e-9) {
				double ns = step * l->weight[i] / sum;

				l->fluid_served[i] += ns;
				l->fluid_queued[i] = l->fluid_queued[i] > ns ? l->fluid_queued[i] - ns : 0;
			}
		dt -= step;
	}
}

static void open_load(struct load *l, u64 *seed)
{
	memset(l, 0, sizeof(*l));
	l->n = 2 + (u32)below(seed, MOST - 1);
	open_bench(&l->b, l->n);
	for (u32 i = 0; i < l->n; i++) {
		u32 weight = AT_WF2Q_ONE / 4 + (u32)below(seed, 8) * (AT_WF2Q_ONE / 4);

		weigh(&l->b, i, weight);
		l->weight[i] = (double)weight / AT_WF2Q_ONE;
	}
}

static void arrive(struct load *l, u32 i, u64 *seed)
{
	u64 ns = 1000 + below(seed, 3000000);

	if (l->tail[i] - l->head[i] == PACKETS)
		return;
	l->longest = ns > l->longest ? ns : l->longest;
	l->cost[i][l->tail[i] % PACKETS] = ns;
	l->fluid_queued[i] += (double)ns;
	if (l->tail[i]++ == l->head[i])
		at_wf2q_enter(&l->b.w, i, ns);
}

static void depart(struct load *l)
{
	u32 i = at_wf2q_next(&l->b.w);
	u64 ns;

	if (i == AT_WF2Q_NONE)
		return;
	ns = l->cost[i][l->head[i]++ % PACKETS];
	at_wf2q_serve(&l->b.w, i, ns, l->head[i] != l->tail[i], l->cost[i][l->head[i] % PACKETS]);
	flow(l, (double)ns);
	l->served[i] += ns;
}

/* How far the class that is farthest behind the fluid is, in longest packets. */
static double lag(const struct load *l)
{
	double most = 0;

	for (u32 i = 0; i < l->n; i++) {
		double behind = l->fluid_served[i] - (double)l->served[i];

		most = behind > most ? behind : most;
	}
	return most / (double)l->longest;
}

/* Classes that always have packets are never more than a packet behind the fluid. */
static void test_lag(void)
{
	for (u64 round = 1; round <= 200; round++) {
		u64 seed = round;
		struct load l;

		open_load(&l, &seed);
		for (u32 steps = 0; steps < 3000; steps++) {
			for (u32 i = 0; i < l.n; i++)
				while (l.tail[i] - l.head[i] < 2)
					arrive(&l, i, &seed);
			depart(&l);
			CHECK(lag(&l) <= 1.001);
		}
		free(l.b.memory);
	}
}

/* Where classes come and go V does not follow whom the fluid still serves, as in WF2Q+
 * itself, and who was served ahead by a part of a packet has to wait for it: the lag is up
 * to 1.4 packets. */
static void test_lag_of_those_who_come_and_go(void)
{
	for (u64 round = 1; round <= 200; round++) {
		u64 seed = round;
		struct load l;

		open_load(&l, &seed);
		arrive(&l, 0, &seed);
		for (u32 steps = 0; steps < 3000; steps++) {
			for (u64 n = below(&seed, 3 + round % 2); n; n--)
				arrive(&l, (u32)below(&seed, l.n), &seed);
			depart(&l);
			CHECK(lag(&l) <= 1.5);
		}
		free(l.b.memory);
	}
}

/* ---- charges ---- */

/* A late charge moves the class back by as much, whether it has packets or not. */
static void test_late_charges(void)
{
	struct bench b;

	open_bench(&b, 2);
	backlog(&b, 0, 20, 1000000);
	backlog(&b, 1, 20, 1000000);
	expect(&b, "A B");
	at_wf2q_charge(&b.w, 0, 3000000);
	expect(&b, "B B B A B A B");
	free(b.memory);

	open_bench(&b, 2);
	at_wf2q_charge(&b.w, 0, 3000000);
	backlog(&b, 0, 20, 1000000);
	backlog(&b, 1, 20, 1000000);
	expect(&b, "B B B A B A B");
	free(b.memory);
}

/* No charge moves a tag back, and none holds a class up for more than the bound. */
static void test_debt_is_bounded(void)
{
	struct bench b;
	u64 start;

	open_bench(&b, 2);
	backlog(&b, 0, 20, 1000000);
	backlog(&b, 1, 20, 1000000);
	for (u32 k = 0; k < 100; k++) {
		start = b.w.at[0].start;
		at_wf2q_charge(&b.w, 0, ~(u64)0);
		CHECK(!at_wf2q_after(start, b.w.at[0].start));
	}
	CHECK(!at_wf2q_after(b.w.at[0].start, b.w.v + AT_WF2Q_DEBT));
	at_wf2q_charge(&b.w, 0, 1);
	CHECK(!at_wf2q_after(b.w.at[0].start, b.w.v + AT_WF2Q_DEBT));
	free(b.memory);
}

/* A refund lowers what comes next, and never below AT_WF2Q_LEAST. */
static void test_refunds(void)
{
	struct bench b;

	open_bench(&b, 1);
	backlog(&b, 0, 4, 10000);
	at_wf2q_refund(&b.w, 0, 15000);
	serve(&b);
	CHECK_EQ(b.w.v, AT_WF2Q_LEAST);
	serve(&b);
	CHECK_EQ(b.w.v, AT_WF2Q_LEAST + 4000);
	serve(&b);
	CHECK_EQ(b.w.v, AT_WF2Q_LEAST + 14000);
	free(b.memory);
}

/* Who leaves without having been served has paid nothing, and comes back where it was. */
static void test_leaving(void)
{
	struct bench b;
	u64 start;

	open_bench(&b, 2);
	backlog(&b, 0, 9, 1000000);
	backlog(&b, 1, 9, 1000000);
	expect(&b, "A");
	start = b.w.at[0].start;
	at_wf2q_leave(&b.w, 0);
	CHECK_EQ(b.w.at[0].end, start);
	expect(&b, "B B");
	backlog(&b, 0, 9, 1000000);
	CHECK_EQ(b.w.at[0].start, b.w.v);
	expect(&b, "B A B A");
	free(b.memory);
}

/* Who is hidden comes back as if he had not been away, if nobody was served meanwhile; else
 * as far before V as he was. */
static void test_hiding(void)
{
	struct bench b;
	u64 start;

	open_bench(&b, 2);
	backlog(&b, 0, 9, 3000000);
	backlog(&b, 1, 9, 1000000);
	expect(&b, "B");
	start = b.w.at[0].start;
	at_wf2q_hide(&b.w, 0);
	at_wf2q_unhide(&b.w, 0);
	CHECK_EQ(b.w.at[0].start, start);
	CHECK_EQ(b.w.at[0].end, start + 3000000);
	at_wf2q_hide(&b.w, 0);
	expect(&b, "B B");
	at_wf2q_charge(&b.w, 0, 100);
	at_wf2q_unhide(&b.w, 0);
	CHECK_EQ(b.w.v - b.w.at[0].start, 500000 - 100);
	free(b.memory);
}

/* ---- the range ---- */

/* The same decisions from just below the end of the range on, and a class that had been
 * idle for more than half of it. */
static void test_wrap(void)
{
	struct bench b;

	open_bench(&b, 2);
	b.w.v = b.w.at[0].end = b.w.at[1].end = ~(u64)0 - 999;
	backlog(&b, 0, 3, 1500);
	backlog(&b, 1, 9, 500);
	for (u32 i = 0; i < 12; i++)
		CHECK_EQ(serve(&b), "BABBBABBBABB"[i] - 'A');
	CHECK_EQ(b.w.v, 5000 - 1000);
	free(b.memory);

	open_bench(&b, 2);
	at_wf2q_charge(&b.w, 1, 1000);
	weigh(&b, 0, AT_WF2Q_WEIGHT_MIN);
	for (u32 k = 0; k < 66000; k++) {
		backlog(&b, 0, 1, ~(u64)0);
		CHECK_EQ(serve(&b), 0);
		CHECK(!at_wf2q_after(b.w.at[1].end, b.w.v));
	}
	CHECK(b.w.v < (u64)1 << 63);	/* passed the end */
	backlog(&b, 1, 1, 1000);
	CHECK_EQ(b.w.at[1].start, b.w.v);
	free(b.memory);
}

/* Any cost and weight: nothing overflows, and V never goes back. */
static void test_extremes(void)
{
	u64 seed = 7, v;
	struct bench b;

	open_bench(&b, MOST);
	for (u32 i = 0; i < MOST; i++) {
		weigh(&b, i, i & 1 ? AT_WF2Q_WEIGHT_MAX : AT_WF2Q_WEIGHT_MIN);
		backlog(&b, i, ~(u32)0, rnd(&seed) >> below(&seed, 64));
	}
	for (u32 k = 0; k < 100000; k++) {
		u32 i;

		v = b.w.v;
		i = serve(&b);
		CHECK(i < MOST);
		CHECK(!at_wf2q_after(v, b.w.v));
		b.cost[i] = rnd(&seed) >> below(&seed, 64);
	}
	free(b.memory);
}

int main(void)
{
	CASE(test_traces());
	CASE(test_whole());
	CASE(test_acks_by_bytes());
	CASE(test_acks_by_airtime());
	CASE(test_lag());
	CASE(test_lag_of_those_who_come_and_go());
	CASE(test_late_charges());
	CASE(test_debt_is_bounded());
	CASE(test_refunds());
	CASE(test_leaving());
	CASE(test_hiding());
	CASE(test_wrap());
	CASE(test_extremes());
	return 0;
}
