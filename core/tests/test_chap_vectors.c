/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap against worked examples: the two tables of the CHAP dissertation
 * (4.1-4.2 with equal costs, 5.3-5.4 with unequal ones), their continuation,
 * and overflow. One packet a slot, I = 10 ms, credits exact to the nanosecond.
 */
#include "harness.h"

#define I_MS 10
#define ORDER_MAX 640

static const u32 per_batch[3] = { 2, 3, 5 };

struct run {
	u32 order[ORDER_MAX];		/* flow served in each slot */
	s64 credits[ORDER_MAX][3];	/* after each slot */
	u32 slots;
};

/* Batches of 2, 3, 5 packets of flows 1, 2, 3; the next when the queue is empty. */
static void play(const char *args, const u64 *cost, u32 batches, struct run *run)
{
	struct host h;
	struct at_ticket t;
	u64 now = 0;

	open_flat(&h, args, 64);
	run->slots = 0;
	for (u32 b = 0; b < batches; b++) {
		for (u32 f = 0; f < 3; f++)
			for (u32 k = 0; k < per_batch[f]; k++)
				CHECK_EQ(put(&h, f + 1, 1500, now), AT_OK);
		while (h.q->qlen) {
			struct at_pkt *p = get(&h, &t, now);

			report(&h, &t, cost[p->flow - 1], now);
			run->order[run->slots] = p->flow;
			for (u32 f = 0; f < 3; f++)
				run->credits[run->slots][f] = credit(&h, f + 1);
			run->slots++;
			now += MS;
		}
	}
	close_host(&h);
}

static void check_order(const struct run *run, const char *want)
{
	for (u32 i = 0; want[i]; i++)
		CHECK_EQ(run->order[i], want[i] - '0');
}

static void check_credits(const struct run *run, u32 slot, double a, double b, double c)
{
	CHECK_EQ(run->credits[slot - 1][0], (s64)(a * (double)MS));
	CHECK_EQ(run->credits[slot - 1][1], (s64)(b * (double)MS));
	CHECK_EQ(run->credits[slot - 1][2], (s64)(c * (double)MS));
}

/* Sum of the slots that a flow's packets waited, over batches [from, to). */
static u32 delay_sum(const struct run *run, u32 flow, u32 from, u32 to)
{
	u32 sum = 0;

	for (u32 i = from * 10; i < to * 10; i++)
		if (run->order[i] == flow)
			sum += i % 10;
	return sum;
}

/* Dissertation tables 4.1 and 4.2. */
static void equal_costs(const char *args)
{
	static const u64 cost[3] = { 5 * MS, 5 * MS, 5 * MS };
	static const double table[10][3] = {
		{ 5, 10, 10 }, { 5, 5, 10 }, { 5, 5, 5 }, { 0, 5, 5 }, { 0, 0, 5 },
		{ 0, 0, 0 }, { 10, 5, 10 }, { 10, 5, 5 }, { 10, 5, 0 }, { 15, 12.5, 5 },
	};
	static struct run run;

	play(args, cost, 60, &run);
	check_order(&run, "1231232333" "1212323333" "1212233333");
	for (u32 i = 0; i < 10; i++)
		check_credits(&run, i + 1, table[i][0], table[i][1], table[i][2]);
	check_credits(&run, 17, 12.5, 8.75, 5);
	check_credits(&run, 19, 16.25, 14.375, 5);
	check_credits(&run, 20, 16.25, 14.375, 0);
	check_credits(&run, 26, 13.125, 9.6875, 5);
	check_credits(&run, 28, 16.5625, 14.84375, 5);
	check_credits(&run, 30, 18.28125, 17.421875, 5);
	/* means 1.5, 11/3, 31/5 slots at first; 1, 8/3, 7 in the long run */
	CHECK_EQ(delay_sum(&run, 1, 0, 1), 3);
	CHECK_EQ(delay_sum(&run, 2, 0, 1), 11);
	CHECK_EQ(delay_sum(&run, 3, 0, 1), 31);
	CHECK_EQ(delay_sum(&run, 1, 30, 60), 30 * 2);
	CHECK_EQ(delay_sum(&run, 2, 30, 60), 30 * 8);
	CHECK_EQ(delay_sum(&run, 3, 30, 60), 30 * 35);
}

/* Dissertation tables 5.3 and 5.4: flow 1 has a bad link. */
static void unequal_costs(const char *args)
{
	static const u64 cost[3] = { 15 * MS, 3 * MS, 5 * MS };
	static const double table[10][3] = {
		{ -5, 10, 10 }, { -5, 7, 10 }, { -5, 7, 5 }, { -5, 4, 5 }, { -5, 4, 0 },
		{ -5, 1, 0 }, { 7.5, 10.5, 5 }, { -7.5, 10.5, 5 }, { -7.5, 10.5, 0 },
		{ 6.25, 15.25, 5 },
	};
	static struct run run;

	play(args, cost, 60, &run);
	check_order(&run, "1232323133" "2221331333" "2221313333");
	for (u32 i = 0; i < 10; i++)
		check_credits(&run, i + 1, table[i][0], table[i][1], table[i][2]);
	check_credits(&run, 16, 5.625, 13.125, 5);
	check_credits(&run, 19, 5.3125, 16.5625, 5);
	check_credits(&run, 25, 5.15625, 13.78125, 5);
	check_credits(&run, 28, 5.078125, 16.890625, 5);
	check_credits(&run, 30, 12.5390625, 18.4453125, 5);
	CHECK_EQ(delay_sum(&run, 1, 0, 1), 7);
	CHECK_EQ(delay_sum(&run, 2, 0, 1), 9);
	CHECK_EQ(delay_sum(&run, 3, 0, 1), 29);
	/* means 4, 7/6, 6.7 */
	CHECK_EQ(delay_sum(&run, 1, 30, 60), 240);
	CHECK_EQ(delay_sum(&run, 2, 30, 60), 105);
	CHECK_EQ(delay_sum(&run, 3, 30, 60), 1005);
}

/* Credits A = 10, B = 5; room for 3 packets: B pays for every overflow. */
static void overflow(const char *args)
{
	enum { A = 7, B = 8 };
	struct host h;
	struct at_ticket t;
	struct at_pkt *b1, *b2;

	open_flat(&h, args, 16);
	put(&h, B, 1500, 0);
	get(&h, &t, 0);
	report(&h, &t, 5 * MS, 0);
	CHECK_EQ(put(&h, A, 1500, 0), AT_OK);
	CHECK_EQ(credit(&h, A), 10 * MS);
	CHECK_EQ(credit(&h, B), 5 * MS);
	b1 = new_pkt(&h, B, 1500);
	CHECK_EQ(push(&h, b1, 0), AT_OK);
	b2 = new_pkt(&h, B, 1500);
	CHECK_EQ(push(&h, b2, 0), AT_OK);
	CHECK_EQ(h.q->qlen, 3);
	CHECK_EQ(put(&h, A, 1500, 0), AT_OK);
	CHECK(h.last_drop == b1 && h.last_why == AT_R_PUSHOUT);
	CHECK_EQ(put(&h, B, 1500, 0), AT_CN);
	CHECK(h.last_drop == b2 && h.last_why == AT_R_PUSHOUT);
	CHECK_EQ(h.q->qlen, 3);
	CHECK_EQ(cell(&h, A, "backlog"), 2);
	CHECK_EQ(cell(&h, B, "backlog"), 1);
	/* B's own packet is the last of the least: it goes itself. */
	CHECK_EQ(put(&h, A, 1500, 0), AT_OK);
	CHECK_EQ(put(&h, B, 1500, 0), AT_DROPPED);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	CHECK_EQ(credit(&h, B), 5 * MS);
	close_host(&h);
}

struct range {
	double lo, hi;		/* ms, by equation 5.12 */
	s64 lo_10us, hi_10us;	/* what a simulation of the published rules gives */
};

static s64 to_10us(s64 ns)
{
	return (ns + (ns < 0 ? -5000 : 5000)) / 10000;
}

/* One flow saturated, the others at constant rates (parts per million of the
 * link's packets; the saturated one is last): within one packet of the formula,
 * and to the last printed digit what the reference simulation found. */
static void credit_ranges(const u32 *rate, u32 n, const struct range *want)
{
	const s64 cost = 306000;
	s64 lo[3], hi[3];
	u64 sent[3] = { 0 }, now = 0;
	struct host h;
	struct at_ticket t;

	open_host(&h, "chap", FLAT "profile=1 limit=350", 400);
	for (u32 slot = 0; slot < 40000; slot++) {
		struct at_pkt *p;

		for (u32 f = 0; f + 1 < n; f++)
			while (sent[f] * 1000000 + 500000 < (u64)slot * rate[f]) {
				put(&h, f + 1, 1500, now);
				sent[f]++;
			}
		while (h.q->qlen < 100)
			put(&h, n, 1500, now);
		p = get(&h, &t, now);
		CHECK(p);
		for (u32 f = 0; f < n && slot >= 20000; f++) {
			/* after the boost, before the charge; and after it */
			s64 c = credit(&h, f + 1);

			if (slot == 20000 || c > hi[f])
				hi[f] = c;
			if (p->flow == f + 1)
				c -= cost;
			if (slot == 20000 || c < lo[f])
				lo[f] = c;
		}
		report(&h, &t, (u64)cost, now);
		now += (u64)cost;
	}
	for (u32 f = 0; f < n; f++) {
		CHECK(llabs(lo[f] - (s64)(want[f].lo * (double)MS)) <= cost);
		CHECK(llabs(hi[f] - (s64)(want[f].hi * (double)MS)) <= cost);
		CHECK_EQ(to_10us(lo[f]), want[f].lo_10us);
		CHECK_EQ(to_10us(hi[f]), want[f].hi_10us);
	}
	close_host(&h);
}

int main(void)
{
	static const struct range r235[] = {
		{ 30, 40, 2982, 4006 }, { 20, 35, 1970, 3500 }, { 0, 25, -18, 2491 },
	};
	static const struct range r19[] = {
		{ 400 / 9.0, 425 / 9.0, 4419, 4725 }, { 0, 25, -18, 2491 },
	};
	static const struct range r12[] = { { 25, 37.5, 2491, 3745 }, { 0, 25, -18, 2491 } };

	CASE(equal_costs("profile=1 increment=10000000 limit=64"));
	CASE(equal_costs("increment=10000000 newcomers=0"));
	CASE(equal_costs("increment=10000000"));
	CASE(unequal_costs("profile=1 increment=10000000 limit=64"));
	CASE(unequal_costs("increment=10000000 newcomers=0"));
	CASE(overflow("profile=1 increment=10000000 limit=4"));
	CASE(overflow("increment=10000000 limit=3 newcomers=0"));
	CASE(credit_ranges((const u32[]){ 200000, 300000 }, 3, r235));
	CASE(credit_ranges((const u32[]){ 100000 }, 2, r19));
	CASE(credit_ranges((const u32[]){ 333333 }, 2, r12));
	return 0;
}
