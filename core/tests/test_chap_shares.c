/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What follows from the rules of chap (CHAP dissertation 4.2, 5.1, 5.4): the
 * fixpoint of the boost, shares of airtime, round robin, bursts, worst waits.
 */
#include <math.h>

#include "airtab/credit.h"
#include "harness.h"

/* c/2 + I, one by one, against the closed form on c - 2I. */
static void lazy_boost(void)
{
	u64 seed = 7;

	for (u32 round = 0; round < 20000; round++) {
		s64 increment = (s64)(1 + below(&seed, 10 * SEC));
		s64 c = (s64)(rnd(&seed) >> below(&seed, 60)) / 4 * (round & 1 ? 1 : -1);
		s64 d = at_credit_store(c, increment), e = d + (s64)below(&seed, 1000);

		for (u32 n = 0; n < 70; n++) {
			CHECK_EQ(at_credit_value(at_credit_boost(d, n), increment), c);
			CHECK(at_credit_boost(d, n) <= at_credit_boost(e, n));
			c = (c >> 1) + increment;
		}
	}
}

/* An idle flow among the boosts of a saturated one: 25, 37.5, 43.75, ... ms. */
static void fixpoint(const char *args)
{
	struct host h;
	struct at_ticket t;
	u64 boosts = 0, seen;

	open_flat(&h, args, 16);
	put(&h, 1, 1500, 0);
	get(&h, &t, 0);
	report(&h, &t, 0, 0);
	CHECK_EQ(credit(&h, 1), 25 * MS);
	for (u32 i = 0; boosts < 40; i++) {
		put(&h, 2, 1500, i);
		get(&h, &t, i);
		report(&h, &t, 300000, i);
		seen = stat(&h, "boosts");
		CHECK(seen - boosts <= 1);
		boosts = seen;
		/* 2I - I / 2^n, rounded down */
		CHECK_EQ(credit(&h, 1), 50 * (s64)MS + ((-25 * (s64)MS) >> boosts));
		if (boosts == 4)
			CHECK_EQ(credit(&h, 1), 48437500);
	}
	close_host(&h);
}

/* Packets served of saturated flows with these costs (us) in n packets. */
static void saturate(const char *args, const u32 *cost, u32 flows, u32 n, u32 *served)
{
	struct host h;
	struct at_ticket t;
	u64 now = 0;

	open_flat(&h, args, 64);
	memset(served, 0, flows * sizeof(u32));
	for (u32 i = 0; i < n; i++) {
		struct at_pkt *p;

		for (u32 f = 0; f < flows; f++)
			while (!h.q->qlen || i == 0 ? h.q->qlen < 2 * (f + 1) :
			       cell(&h, f + 1, "backlog") < 2)
				put(&h, f + 1, 1500, now);
		p = get(&h, &t, now);
		served[p->flow - 1]++;
		now += cost[p->flow - 1] * 1000;
		report(&h, &t, cost[p->flow - 1] * 1000, now);
	}
	close_host(&h);
}

/* Equal airtime whatever the packets cost: shares of packets and of airtime, to
 * the digits that a simulation of the published rules gives. */
static void shares(const char *args)
{
	static const struct { u32 flows, cost[3]; double packets[3], airtime[3], digits; } want[] = {
		{ 2, { 918, 306 }, { 0.251, 0.749 }, { 0.502, 0.498 }, 1e3 },
		{ 2, { 1089, 282 }, { 0.205, 0.795 }, { 0.4995, 0.5005 }, 1e4 },
		{ 3, { 282, 5075, 282 }, { 0.486, 0.027, 0.486 }, { 0.332, 0.336, 0.332 }, 1e3 },
	};

	for (u32 i = 0; i < 3; i++) {
		u32 served[3], n = 20000;
		double air[3], sum = 0, scale = want[i].digits;

		saturate(args, want[i].cost, want[i].flows, n, served);
		for (u32 f = 0; f < want[i].flows; f++)
			sum += air[f] = served[f] * (double)want[i].cost[f];
		for (u32 f = 0; f < want[i].flows; f++) {
			CHECK_EQ(lround(served[f] * 1e3 / n), lround(want[i].packets[f] * 1e3));
			CHECK_EQ(lround(air[f] * scale / sum), lround(want[i].airtime[f] * scale));
		}
	}
}

/* Equal costs: after the first boost the flows take turns. */
static void round_robin(const char *args)
{
	struct host h;
	struct at_ticket t;
	u32 order[400], n = 0;

	open_flat(&h, args, 64);
	for (u32 i = 0; i < 30; i++)
		put(&h, 1 + i % 3, 1500, 0);
	while (n < 400) {
		struct at_pkt *p = get(&h, &t, n);

		report(&h, &t, 300000, n);
		put(&h, p->flow, 1500, n);
		if (stat(&h, "boosts"))
			order[n++] = p->flow;
	}
	for (u32 i = 3; i < n; i++)
		CHECK_EQ(order[i], order[i - 3]);
	CHECK(order[0] != order[1] && order[1] != order[2] && order[0] != order[2]);
	close_host(&h);
}

/* n idle flows at 2I, and one that is backlogged just above 0: it waits until
 * each of them has used 2I, 113 packets of 444 us. */
static void worst_wait(const char *args, u32 n, u64 wait_10us)
{
	enum { VICTIM = 100 };
	struct host h;
	struct at_ticket t;
	u64 now = 0;
	struct at_pkt *p;

	open_flat(&h, args, 1024);
	for (u32 f = 1; f <= n; f++) {
		put(&h, f, 1500, now);
		get(&h, &t, now);
		report(&h, &t, 0, now);
	}
	while (stat(&h, "boosts") < 40) {
		put(&h, VICTIM, 1500, now);
		get(&h, &t, now);
		report(&h, &t, 444000, now);
	}
	put(&h, VICTIM, 1500, now);
	get(&h, &t, now);
	report(&h, &t, (u64)credit(&h, VICTIM) + t.est - 1000, now);
	CHECK_EQ(credit(&h, VICTIM), 1000);
	put(&h, VICTIM, 1500, now);
	for (u32 k = 0; k < 150; k++)
		for (u32 f = 1; f <= n; f++)
			put(&h, f, 1500, now);
	/* they start one after the other, each with a burst */
	for (;;) {
		p = get(&h, &t, now);
		if (p->flow == VICTIM)
			break;
		now += 444000;
		report(&h, &t, 444000, now);
	}
	CHECK_EQ((now + 5000) / 10000, wait_10us);
	for (u32 f = 1; f <= n; f++)
		CHECK_EQ(cell(&h, f, "packets"), 1 + 113);
	close_host(&h);
}

int main(void)
{
	CASE(lazy_boost());
	CASE(fixpoint("profile=1 limit=10"));
	CASE(fixpoint("newcomers=0"));
	CASE(fixpoint(""));
	CASE(shares("profile=1 limit=35"));
	CASE(shares("newcomers=0"));
	CASE(shares(""));
	CASE(round_robin("profile=1 limit=35"));
	CASE(round_robin(""));
	for (u32 n = 1; n <= 3; n++) {
		CASE(worst_wait("profile=1 limit=1000", n, (u64[]){ 0, 5017, 10034, 15052 }[n]));
		CASE(worst_wait("limit=1000 newcomers=0", n, (u64[]){ 0, 5017, 10034, 15052 }[n]));
	}
	return 0;
}
