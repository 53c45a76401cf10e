/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's own rules, one by one: settlement, tickets, clamp, records, limits,
 * urgent packets, multicast, the newcomers' tab, change under traffic.
 */
#include "airtab/estimate.h"
#include "harness.h"

/* Puts one packet, takes it out and reports `ns`. */
static void serve(struct host *h, u32 flow, u64 ns, u64 now)
{
	struct at_ticket t;

	put(h, flow, 1500, now);
	CHECK_EQ(get(h, &t, now)->flow, flow);
	report(h, &t, ns, now);
}

static void settlement(void)
{
	struct host h;
	struct at_ticket t, old;

	open_host(&h, "chap", FLAT "newcomers=0", 16);
	put(&h, 1, 1500, 0);
	get(&h, &t, 0);
	/* the nominal exchange: 281.93 us, as in phy-a, to 10 ns */
	CHECK(t.est > 281920 && t.est < 281940);
	CHECK_EQ(credit(&h, 1), 25 * (s64)MS - t.est);
	report(&h, &t, 5 * MS, 0);
	CHECK_EQ(credit(&h, 1), 20 * MS);
	CHECK_EQ(cell(&h, 1, "airtime"), 5 * MS);
	/* a second report, a made-up one and one without a flow: nothing */
	report(&h, &t, 5 * MS, 0);
	CHECK_EQ(stat(&h, "stale"), 1);
	old = t;
	old.gen += 1000;
	report(&h, &old, 5 * MS, 0);
	CHECK_EQ(stat(&h, "stale"), 2);
	t.gen = 0;
	report(&h, &t, 5 * MS, 0);
	CHECK_EQ(stat(&h, "stale"), 2);
	CHECK_EQ(credit(&h, 1), 20 * MS);
	/* a report for a record that has another flow by now */
	put(&h, 1, 1500, 0);
	get(&h, &t, 0);
	put(&h, 1, 1500, 4000 * SEC);
	CHECK_EQ(stat(&h, "expiries"), 1);
	report(&h, &t, 5 * MS, 4000 * SEC);
	CHECK_EQ(stat(&h, "stale"), 3);
	CHECK_EQ(credit(&h, 1), 25 * MS);
	close_host(&h);
}

/* The default profile charges a packet's own airtime, faithful the wall clock. */
static void clocks(void)
{
	static const char *const profile[] = { "newcomers=0", "profile=1" };
	const struct at_tx r = { .air = 3 * MS, .span = 7 * MS, .attempts = 2, .acked = true };

	for (int faithful = 0; faithful < 2; faithful++) {
		struct at_ticket t;
		struct host h;

		open_flat(&h, profile[faithful], 16);
		put(&h, 1, 1500, 0);
		get(&h, &t, 0);
		h.q->ops->sent(h.q, &t, &r, 0);
		CHECK_EQ(credit(&h, 1), (faithful ? 18 : 22) * (s64)MS);
		close_host(&h);
	}
}

/* Tickets that were overtaken by 4096 younger ones are stale; others are not. */
static void deep_ring(void)
{
	static struct at_ticket t[5000];
	struct host h;

	open_host(&h, "chap", FLAT "", 16);
	for (u32 i = 0; i < 5000; i++) {
		put(&h, 1, 1500, i);
		get(&h, &t[i], i);
	}
	for (u32 i = 0; i < 5000; i++)
		report(&h, &t[i], 300000, 5000);
	CHECK_EQ(stat(&h, "settled"), 4096);
	CHECK_EQ(stat(&h, "stale"), 904);
	close_host(&h);
}

/* The estimate follows what the transmissions take, to 4/1024 of the nominal. */
static void estimate(void)
{
	struct host h;
	struct at_ticket t;
	u32 nominal = at_nominal_ns(1500), small = at_nominal_ns(100);

	open_host(&h, "chap", FLAT "", 16);
	for (u32 i = 0; i < 100; i++)
		serve(&h, 1, 3ull * nominal, i);
	put(&h, 1, 100, 200);
	get(&h, &t, 200);
	CHECK(t.est >= 3 * small - small / 256 && t.est <= 3 * small + small / 256);
	/* a new flow begins with the mean of all */
	put(&h, 2, 100, 200);
	get(&h, &t, 200);
	CHECK(t.est >= 3 * small - small / 64 && t.est <= 3 * small + small / 64);
	close_host(&h);
}

static void clamp(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "chap", FLAT "newcomers=0", 16);
	serve(&h, 1, 10 * SEC, 0);
	CHECK_EQ(credit(&h, 1), -250 * (s64)MS);
	for (u32 i = 0; i < 500; i++) {
		put(&h, 2, 60000, 0);
		get(&h, &t, 0);
		report(&h, &t, 0, 0);
		CHECK(credit(&h, 2) <= 50 * (s64)MS);
	}
	close_host(&h);
	open_host(&h, "chap", FLAT "profile=1 limit=35", 16);
	serve(&h, 1, 10 * SEC, 0);
	CHECK_EQ(credit(&h, 1), 25 * (s64)MS - 10 * (s64)SEC);
	close_host(&h);
}

/* The credit stays, whatever I was; the clamp is the new one's. */
static void change_increment(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "chap", FLAT "newcomers=0", 64);
	serve(&h, 1, 5 * MS, 0);
	serve(&h, 2, 200 * MS, 0);
	serve(&h, 3, 0, 0);
	change(&h, "increment=15000000", 0);
	CHECK_EQ(credit(&h, 1), 20 * MS);
	CHECK_EQ(credit(&h, 2), -150 * (s64)MS);	/* from -175 */
	CHECK_EQ(credit(&h, 3), 25 * MS);
	change(&h, "increment=10000000", 0);
	CHECK_EQ(credit(&h, 3), 20 * MS);
	change(&h, "increment=100000000", 0);
	CHECK_EQ(credit(&h, 1), 20 * MS);
	/* order of the backlog after a change under traffic */
	put(&h, 2, 1500, 0);
	put(&h, 1, 1500, 0);
	put(&h, 4, 1500, 0);
	change(&h, "increment=25000000", 0);
	CHECK_EQ(get(&h, &t, 0)->flow, 4);
	CHECK_EQ(get(&h, &t, 0)->flow, 1);
	CHECK_EQ(get(&h, &t, 0)->flow, 2);
	close_host(&h);
}

static void expiry(void)
{
	struct host h;
	struct at_pkt *p;
	struct at_ticket t;

	open_host(&h, "chap", FLAT "newcomers=0", 16);
	serve(&h, 1, 5 * MS, 0);
	p = new_pkt(&h, 2, 1500);
	p->flags = AT_F_TCP;
	push(&h, p, 0);
	get(&h, &t, 0);
	report(&h, &t, 5 * MS, 0);
	CHECK_EQ(stat(&h, "flows"), 2);
	serve(&h, 1, 5 * MS, 120 * SEC);
	CHECK_EQ(credit(&h, 1), 15 * MS);
	serve(&h, 1, 5 * MS, 240 * SEC + 1);
	CHECK_EQ(credit(&h, 1), 20 * MS);
	serve(&h, 2, 5 * MS, 3600 * SEC);
	CHECK_EQ(credit(&h, 2), 15 * MS);
	CHECK_EQ(stat(&h, "expiries"), 1);
	/* flow 1 is retired when a new flow comes */
	serve(&h, 3, 0, 3600 * SEC);
	serve(&h, 4, 0, 3600 * SEC);
	CHECK_EQ(stat(&h, "expiries"), 2);
	CHECK_EQ(stat(&h, "flows"), 3);
	close_host(&h);
}

/* Flows that came back are spared; of those seen once, the oldest goes. */
static void eviction(void)
{
	struct host h;
	struct at_ticket t, stale;

	open_host(&h, "chap", FLAT "flows=16 limit=8 newcomers=0", 32);
	for (u32 round = 0; round < 2; round++)
		for (u32 f = 1; f <= 10; f++)
			serve(&h, f, MS, round);
	put(&h, 11, 1500, 2);
	get(&h, &stale, 2);
	for (u32 f = 12; f < 100; f++)
		serve(&h, f, MS, f);
	CHECK_EQ(stat(&h, "flows"), 16);
	CHECK_EQ(stat(&h, "evictions"), 99 - 16);
	for (u32 f = 1; f <= 10; f++) {
		CHECK_EQ(credit(&h, f), 23 * MS);
		CHECK_EQ(cell(&h, f, "established"), 1);
	}
	for (u32 f = 94; f < 100; f++)
		CHECK_EQ(cell(&h, f, "established"), 0);
	report(&h, &stale, MS, 100);
	CHECK_EQ(stat(&h, "stale"), 1);
	/* all established: the one that was not used lately goes */
	for (u32 f = 94; f < 100; f++)
		serve(&h, f, MS, 100);
	for (u32 f = 1; f <= 10; f++)
		if (f != 7)
			serve(&h, f, 0, 101);
	for (u32 f = 200; f < 202; f++) {
		put(&h, f, 1500, 102);
		get(&h, &t, 102);
	}
	CHECK_EQ(cell(&h, 201, "packets"), 1);
	for (u32 f = 1; f <= 10; f++)
		if (f != 7)
			CHECK_EQ(cell(&h, f, "established"), 1);
	close_host(&h);
}

static void memory(void)
{
	struct host h;

	open_host(&h, "chap", FLAT "memory=65536", 200);
	for (u32 i = 0; i < 43; i++)
		CHECK_EQ(put(&h, 1, 1500, 0), AT_OK);
	CHECK_EQ(h.q->bytes, 64500);
	CHECK_EQ(put(&h, 1, 1500, 0), AT_CN);
	CHECK_EQ(h.last_why, AT_R_MEMORY);
	CHECK_EQ(h.q->bytes, 64500);
	/* one that needs the room of three */
	CHECK_EQ(put(&h, 2, 5000, 0), AT_OK);
	CHECK_EQ(h.drops, 1 + 3);
	CHECK_EQ(h.q->bytes, 65000);
	/* and one that fits nowhere */
	CHECK_EQ(put(&h, 3, 70000, 0), AT_DROPPED);
	CHECK_EQ(h.q->qlen, 0);
	close_host(&h);
}

static struct at_pkt *urgent_pkt(struct host *h)
{
	struct at_pkt *p = new_pkt(h, 9, 100);

	p->cls = AT_URGENT;
	return p;
}

static void urgent(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "chap", FLAT "limit=4", 16);
	for (u32 i = 0; i < 4; i++)
		put(&h, 1, 1500, 0);
	for (u32 i = 0; i < 4; i++) {
		CHECK_EQ(push(&h, urgent_pkt(&h), 0), AT_OK);
		CHECK_EQ(h.last_why, AT_R_PUSHOUT);
	}
	CHECK_EQ(push(&h, urgent_pkt(&h), 0), AT_DROPPED);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	CHECK_EQ(put(&h, 1, 1500, 0), AT_DROPPED);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	CHECK_EQ(get(&h, &t, 0)->cls, AT_URGENT);
	CHECK_EQ(put(&h, 1, 1500, 0), AT_OK);
	for (u32 i = 0; i < 3; i++)
		CHECK_EQ(get(&h, &t, 0)->cls, AT_URGENT);
	CHECK_EQ(get(&h, &t, 0)->flow, 1);
	CHECK_EQ(stat(&h, "urgent"), 4);
	close_host(&h);
}

static void multicast(void)
{
	struct host h;
	struct at_ticket t;
	struct at_pkt *p;

	open_host(&h, "chap", FLAT "", 16);
	serve(&h, 5, MS, 0);
	p = new_pkt(&h, 5, 1500);
	p->sta = AT_GROUP;
	push(&h, p, 0);
	CHECK(get(&h, &t, 0) == p);
	report(&h, &t, 4 * MS, 0);
	CHECK_EQ(credit(&h, 5), 24 * MS);
	CHECK_EQ((s64)cell(&h, 1ull << 32, "credit"), 21 * MS);
	CHECK_EQ(stat(&h, "flows"), 1);
	close_host(&h);
}

static void uplink(void)
{
	struct host h;

	open_host(&h, "chap", FLAT "", 16);
	serve(&h, 1, MS, 0);
	hear(&h, 1, 2 * MS, 0);
	CHECK_EQ(credit(&h, 1), 24 * MS);
	change(&h, "uplink=1", 0);
	hear(&h, 1, 2 * MS, 0);
	hear(&h, 2, 2 * MS, 0);
	CHECK_EQ(credit(&h, 1), 22 * MS);
	CHECK_EQ(stat(&h, "flows"), 1);
	close_host(&h);
}

/* First packets are charged to the tab too, later ones are not; newcomers start
 * with what it holds. */
static void newcomers(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "chap", FLAT "", 64);
	serve(&h, 1, 10 * MS, 0);
	CHECK_EQ((s64)stat(&h, "newcomer_credit"), 40 * MS);
	CHECK_EQ(credit(&h, 1), 15 * MS);
	serve(&h, 1, 10 * MS, 0);
	CHECK_EQ((s64)stat(&h, "newcomer_credit"), 40 * MS);
	serve(&h, 2, 20 * MS, 0);
	CHECK_EQ((s64)stat(&h, "newcomer_credit"), 20 * MS);
	/* less than I is left: that is what the next ones start with */
	put(&h, 3, 1500, 0);
	put(&h, 3, 1500, 0);
	put(&h, 4, 1500, 0);
	CHECK_EQ(credit(&h, 3), 20 * MS);
	CHECK_EQ(stat(&h, "newcomer_backlog"), 3);
	CHECK_EQ(stat(&h, "backlogged"), 2);
	CHECK_EQ(get(&h, &t, 0)->flow, 3);
	report(&h, &t, 8 * MS, 0);
	CHECK_EQ(credit(&h, 3), 12 * MS);
	CHECK_EQ((s64)stat(&h, "newcomer_credit"), 12 * MS);
	/* flow 3's second packet is its own affair; equal credits: it is older */
	CHECK_EQ(stat(&h, "newcomer_backlog"), 1);
	CHECK_EQ(get(&h, &t, 0)->flow, 3);
	report(&h, &t, 1 * MS, 0);
	CHECK_EQ(get(&h, &t, 0)->flow, 4);
	report(&h, &t, 2 * MS, 0);
	CHECK_EQ(credit(&h, 4), 10 * MS);
	CHECK_EQ(stat(&h, "newcomers"), 4);
	/* turned off with some waiting, they compete one by one */
	put(&h, 5, 1500, 0);
	put(&h, 6, 1500, 0);
	change(&h, "newcomers=0", 0);
	CHECK_EQ(stat(&h, "newcomer_backlog"), 0);
	CHECK_EQ(stat(&h, "backlogged"), 2);
	CHECK_EQ(get(&h, &t, 0)->flow, 5);
	CHECK_EQ(get(&h, &t, 0)->flow, 6);
	close_host(&h);
}

/* Newcomers with more credit than a flow do not push it out once they hold more
 * than half of the queue; they displace each other. */
static void newcomers_half(void)
{
	struct host h;

	open_host(&h, "chap", FLAT "limit=8", 32);
	serve(&h, 1, 15 * MS, 0);
	CHECK_EQ(credit(&h, 1), 10 * MS);
	put(&h, 1, 1500, 0);
	put(&h, 1, 1500, 0);
	for (u32 f = 2; f < 20; f++) {
		put(&h, f, 1500, 0);
		CHECK(h.q->qlen < 8 || !h.drops || h.last_drop->flow == h.drops + 1);
	}
	CHECK_EQ(cell(&h, 1, "backlog"), 2);
	CHECK_EQ(h.drops, 12);
	close_host(&h);
}

static void limits(void)
{
	struct host h;
	u16 bad;

	open_host(&h, "chap", FLAT "limit=20 flows=64", 64);
	for (u32 i = 0; i < 20; i++)
		CHECK_EQ(put(&h, i % 3, 1500, 0), AT_OK);
	change(&h, "limit=7", 0);
	CHECK_EQ(h.q->qlen, 7);
	CHECK_EQ(h.q->dropped[AT_R_LIMIT], 13);
	set_values(&h, h.q->ops, "limit=64");
	CHECK(at_check(h.q->ops, h.vals, &bad) && bad == 4);
	set_values(&h, h.q->ops, "limit=1 profile=1");
	CHECK(at_check(h.q->ops, h.vals, &bad) && bad == 2);
	set_values(&h, h.q->ops, "limit=8 profile=2");
	CHECK(at_check(h.q->ops, h.vals, &bad) && bad == 0);
	set_values(&h, h.q->ops, "profile=0 increment=1");
	CHECK(at_check(h.q->ops, h.vals, &bad) && bad == 1);
	close_host(&h);
	open_host(&h, "chap", FLAT "limit=20 profile=1", 64);
	for (u32 i = 0; i < 30; i++)
		put(&h, i % 3, 1500, 0);
	CHECK_EQ(h.q->qlen, 19);
	close_host(&h);
}

int main(void)
{
	CASE(settlement());
	CASE(clocks());
	CASE(deep_ring());
	CASE(estimate());
	CASE(clamp());
	CASE(change_increment());
	CASE(expiry());
	CASE(eviction());
	CASE(memory());
	CASE(urgent());
	CASE(multicast());
	CASE(uplink());
	CASE(newcomers());
	CASE(newcomers_half());
	CASE(limits());
	return 0;
}
