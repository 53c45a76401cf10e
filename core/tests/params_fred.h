/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Every parameter of fred has its effect: the cases of test_params.c, whose helpers these
 * use.
 */
#ifndef AIRTAB_TEST_PARAMS_FRED_H
#define AIRTAB_TEST_PARAMS_FRED_H

/* How many of so many packets of a flow are queued. */
static u32 fred_queued(struct host *h, u32 flow, u32 n)
{
	u32 queued = 0;

	while (n--)
		queued += put(h, flow, 1500, h->now) == AT_OK;
	return queued;
}

/* Averages are what is queued, with these. */
#define FRED_NOW "weight=1/1 minq=1 max=1310720 "

static void fred_limit(struct host *h)
{
	open_host(h, "fred", "limit=10 min=1966080", 64);	/* 30 */
	CHECK_EQ(fred_queued(h, 1, 11), 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	CHECK_EQ(fred_queued(h, 1, 1), 0);
	change(h, "limit=20", 0);
	CHECK_EQ(fred_queued(h, 1, 30), 16);
}

/* Packets chosen at random, dropped or marked, of 2000 that are their flow's second and
 * find nine queued, of nine flows. */
static u64 fred_chosen_of(struct host *h, u8 flags)
{
	u64 before = stat(h, "early_drops") + stat(h, "marks");

	for (u32 n = 0; n < 2000; n++) {
		for (u32 flow = 10; flow < 18; flow++)
			CHECK_EQ(fred_queued(h, flow, 1), 1);
		for (u32 i = 0; i < 2; i++) {
			struct at_pkt *p = new_pkt(h, 1, 1500);

			p->flags = flags;
			push(h, p, h->now);
		}
		while (h->q->qlen)
			served(h);
	}
	return stat(h, "early_drops") + stat(h, "marks") - before;
}

/* Both a flow's most, and from where on packets are chosen at random. */
static void fred_min(struct host *h)
{
	open_host(h, "fred", FRED_NOW "max_p=1000000", 64);
	CHECK_EQ(fred_queued(h, 1, 20), 5);
	h->q->ops->reset(h->q, 0);
	CHECK(fred_chosen_of(h, 0) > 20);
	change(h, "min=1310720", h->now);	/* 20 */
	CHECK_EQ(fred_chosen_of(h, 0), 0);
	h->q->ops->reset(h->q, h->now);
	CHECK_EQ(fred_queued(h, 1, 30), 20);
}

static void fred_max(struct host *h)
{
	open_host(h, "fred", "weight=1/1 max=327680", 64);	/* 5 */
	for (u32 flow = 0; flow < 6; flow++)
		fred_queued(h, flow, 1);
	CHECK_EQ(fred_queued(h, 6, 4), 2);
	change(h, "max=65536000 max_p=1", 0);
	CHECK_EQ(fred_queued(h, 6, 4), 3);
}

/* After one packet that is queued behind one. */
static void fred_weight(struct host *h)
{
	open_host(h, "fred", "weight=1/256", 64);
	fred_queued(h, 1, 2);
	CHECK_EQ(stat(h, "average"), 256);
	change(h, "weight=1/1", 0);
	fred_queued(h, 1, 1);
	CHECK_EQ(stat(h, "average"), 2 << 16);
}

static void fred_max_p(struct host *h)
{
	u64 few;

	open_host(h, "fred", FRED_NOW "max_p=10000", 64);
	few = fred_chosen_of(h, 0);
	change(h, "max_p=1000000", h->now);
	CHECK(fred_chosen_of(h, 0) > 10 * few);
}

/* What is left of an average after so long without a packet. */
static u64 fred_left(struct host *h, u64 ns)
{
	u64 from = h->now;

	h->q->ops->reset(h->q, from);
	puts_of(h, 1, 1500, 20);
	while (get(h, &ticket, h->now))
		;
	h->now += ns;
	return stat(h, "average");
}

static void fred_rate(struct host *h)
{
	u64 slow;

	open_host(h, "fred", "weight=1/16 min=1966080", 64);
	slow = fred_left(h, 10 * MS);
	change(h, "rate=20000000", h->now);
	CHECK(slow > 0 && fred_left(h, 5 * MS) == slow);
	CHECK(fred_left(h, 10 * MS) < slow * 6 / 10);
}

static void fred_packet(struct host *h)
{
	u64 small;

	open_host(h, "fred", "weight=1/16 min=1966080", 64);
	small = fred_left(h, 8 * MS);
	change(h, "packet=2000", h->now);
	CHECK(small > 0 && fred_left(h, 16 * MS) == small);
	CHECK(fred_left(h, 8 * MS) > small * 13 / 10);
}

static void fred_ecn(struct host *h)
{
	open_host(h, "fred", FRED_NOW "max_p=1000000", 64);
	CHECK(fred_chosen_of(h, AT_F_ECT) > 20 && stat(h, "marks") > 20);
	CHECK_EQ(stat(h, "early_drops"), 0);
	change(h, "ecn=0", h->now);
	CHECK(fred_chosen_of(h, AT_F_ECT) > 20 && stat(h, "early_drops") > 20);
}

static void fred_minq(struct host *h)
{
	open_host(h, "fred", FRED_NOW "max_p=1000000", 64);
	CHECK(fred_chosen_of(h, 0) > 20);
	change(h, "minq=5", h->now);
	CHECK_EQ(fred_chosen_of(h, 0), 0);
}

static void fred_flows(struct host *h)
{
	open_host(h, "fred", "flows=1", 64);
	CHECK_EQ(fred_queued(h, 1, 1) + fred_queued(h, 2, 3) + fred_queued(h, 3, 3), 6);
	CHECK_EQ(stat(h, "active"), 2);
	close_host(h);
	open_host(h, "fred", "flows=3", 64);
	CHECK_EQ(fred_queued(h, 1, 1) + fred_queued(h, 2, 3) + fred_queued(h, 3, 3), 7);
	CHECK_EQ(stat(h, "active"), 3);
}

/* An arrival to an empty queue whose last packet is still on the link: samples of 0, at the
 * arrival and when it is queued, or none. */
static void fred_idle(struct host *h)
{
	u64 before;

	open_host(h, "fred", "weight=1/4 min=1966080", 64);
	fred_queued(h, 1, 20);
	while (h->q->qlen)
		served(h);
	before = stat(h, "average");
	fred_queued(h, 1, 1);
	CHECK(stat(h, "average") - before * 9 / 16 + 1 <= 2);
	served(h);
	change(h, "idle=1", h->now);
	fred_queued(h, 1, 1);
	served(h);
	before = stat(h, "average");
	fred_queued(h, 1, 1);
	CHECK_EQ(stat(h, "average"), before);
}

#define FRED_CASES \
	{ "fred", "limit", fred_limit }, \
	{ "fred", "min", fred_min }, \
	{ "fred", "max", fred_max }, \
	{ "fred", "weight", fred_weight }, \
	{ "fred", "max_p", fred_max_p }, \
	{ "fred", "rate", fred_rate }, \
	{ "fred", "packet", fred_packet }, \
	{ "fred", "ecn", fred_ecn }, \
	{ "fred", "minq", fred_minq }, \
	{ "fred", "flows", fred_flows }, \
	{ "fred", "idle", fred_idle }

#endif
