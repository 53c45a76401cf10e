/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Every parameter of cbq has its effect: the cases of test_params.c, whose helpers these
 * use.
 */
#ifndef AIRTAB_TEST_PARAMS_CBQ_H
#define AIRTAB_TEST_PARAMS_CBQ_H

static u32 cbq_puts(struct host *h, u8 class, u32 n)
{
	u32 queued = 0;

	while (n--) {
		struct at_pkt *p = new_pkt(h, class, 1000);

		p->cls = class;
		queued += push(h, p, h->now) == AT_OK;
	}
	return queued;
}

/* Of 100 packets those of a class; classes 0 to `last` always have some. */
static u32 cbq_part(struct host *h, u8 class, u8 first, u8 last)
{
	u32 n = 0;

	h->q->ops->reset(h->q, h->now);
	for (u8 i = first; i <= last; i++)
		cbq_puts(h, i, 2);
	for (u32 k = 0; k < 100; k++) {
		struct at_pkt *p = get(h, &ticket, h->now);

		CHECK(p);
		n += p->cls == class;
		cbq_puts(h, p->cls, 1);
	}
	return n;
}

static void cbq_classes(struct host *h)
{
	open_host(h, "cbq", "classes=2", 64);
	cbq_puts(h, 0, 1);
	cbq_puts(h, 1, 1);
	cbq_puts(h, 2, 1);
	CHECK_EQ(cell(h, 1, "backlog"), 2);
	close_host(h);
	open_host(h, "cbq", "classes=3", 64);
	cbq_puts(h, 2, 1);
	CHECK_EQ(cell(h, 2, "backlog"), 1);
}

static void cbq_share(struct host *h)
{
	open_host(h, "cbq", "", 64);
	CHECK_EQ(cbq_part(h, 0, 0, 2), 72);
	change(h, "share=300000", 0);
	CHECK(cbq_part(h, 0, 0, 2) - 33 <= 1);
	change(h, "share=0", 0);
	CHECK_EQ(cbq_part(h, 0, 0, 2), 72);
}

static void cbq_class_limit(struct host *h)
{
	open_host(h, "cbq", "class_limit=10", 64);
	CHECK_EQ(cbq_puts(h, 0, 20), 10);
	change(h, "class_limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	CHECK_EQ(cbq_puts(h, 0, 1), 0);
	change(h, "class_limit=20", 0);
	CHECK_EQ(cbq_puts(h, 0, 30), 16);
}

static void cbq_limit(struct host *h)
{
	open_host(h, "cbq", "limit=10", 64);
	CHECK_EQ(cbq_puts(h, 0, 6) + cbq_puts(h, 1, 6), 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	CHECK_EQ(cbq_puts(h, 2, 1), 0);
	change(h, "limit=20", 0);
	CHECK_EQ(cbq_puts(h, 2, 30), 16);
}

static void cbq_borrow(struct host *h)
{
	open_host(h, "cbq", "", 64);
	CHECK(cbq_part(h, 1, 1, 2) - 56 <= 2);
	change(h, "borrow=1", 0);
	CHECK_EQ(cbq_part(h, 1, 1, 2), 88);
	change(h, "borrow=0", 0);
	CHECK(cbq_part(h, 1, 1, 2) - 56 <= 2);
}

/* All of one group are as without any. */
static void cbq_groups(struct host *h)
{
	open_host(h, "cbq", "borrow=1", 64);
	CHECK_EQ(cbq_part(h, 1, 1, 2), 88);
	change(h, "group=1", 0);
	CHECK(cbq_part(h, 1, 1, 2) - 56 <= 2);
	change(h, "group=0", 0);
	CHECK_EQ(cbq_part(h, 1, 1, 2), 88);
}

/* A tail drop; a drop at random; flows that take turns. */
static void cbq_inner(struct host *h)
{
	open_host(h, "cbq", "inner=0 weight=1/1 min=65536 max=131072", 64);
	CHECK_EQ(cbq_puts(h, 0, 20), 20);
	close_host(h);
	open_host(h, "cbq", "inner=1 weight=1/1 min=65536 max=131072", 64);
	CHECK(cbq_puts(h, 0, 20) < 5);
	close_host(h);
	open_host(h, "cbq", "inner=2", 64);
	puts_of(h, 1, 1514, 3);
	puts_of(h, 2, 1514, 3);
	CHECK_EQ(served(h), 1);
	CHECK_EQ(served(h), 2);
}

static void cbq_rules(struct host *h)
{
	open_host(h, "cbq", "", 64);
	cbq_puts(h, 0, 1);
	CHECK_EQ(cell(h, 0, "backlog"), 1);
	change(h, "rules=17", 0);	/* *=1 */
	cbq_puts(h, 0, 1);
	CHECK_EQ(cell(h, 1, "backlog"), 1);
	change(h, "rules=0", 0);
	cbq_puts(h, 0, 1);
	CHECK_EQ(cell(h, 0, "backlog"), 2);
}

#define CBQ_RED "classes=1 inner=1 "

static void cbq_min(struct host *h)
{
	open_host(h, "cbq", CBQ_RED RED_NOW, 64);
	CHECK(drops_with(h, 16, 0, 1000, 0) > 20);
	change(h, "min=983040", 1000 * MS);
	CHECK_EQ(drops_with(h, 16, 1000 * MS, 1000, 0), 0);
}

static void cbq_max(struct host *h)
{
	open_host(h, "cbq", CBQ_RED RED_NOW "max_p=1", 64);
	CHECK_EQ(drops_with(h, 16, 0, 1000, 0), 0);
	change(h, "max=917504", 1000 * MS);
	CHECK(drops_with(h, 16, 1000 * MS, 10, 0) > 1000);
}

static void cbq_weight(struct host *h)
{
	open_host(h, "cbq", CBQ_RED "weight=1/256", 64);
	cbq_puts(h, 0, 2);
	CHECK_EQ(cell(h, 0, "average"), 256);
	change(h, "weight=1/1", 0);
	cbq_puts(h, 0, 1);
	CHECK_EQ(cell(h, 0, "average"), 2 << 16);
}

static void cbq_max_p(struct host *h)
{
	u32 few;

	open_host(h, "cbq", CBQ_RED RED_NOW "max_p=20000", 64);
	few = drops_with(h, 16, 0, 10000, 0);
	change(h, "max_p=1000000", 10000 * MS);
	CHECK(few > 50 && drops_with(h, 16, 10000 * MS, 10000, 0) > 20 * few);
}

/* What is left of the average of class 1 after so long without a packet. */
static u64 cbq_left(struct host *h, u64 ns)
{
	h->q->ops->reset(h->q, h->now);
	cbq_puts(h, 1, 20);
	while (h->q->qlen)
		served(h);
	h->now += ns;
	return cell(h, 1, "average");
}

/* Of which the class has its share. */
static void cbq_rate(struct host *h)
{
	u64 slow;

	open_host(h, "cbq", "inner=1 weight=1/16 share=250000", 64);
	slow = cbq_left(h, 40 * MS);
	change(h, "rate=20000000", h->now);
	CHECK(slow > 0 && cbq_left(h, 20 * MS) == slow);
	CHECK(cbq_left(h, 40 * MS) < slow * 6 / 10);
	change(h, "share=125000", h->now);
	CHECK_EQ(cbq_left(h, 40 * MS), slow);
}

static void cbq_packet(struct host *h)
{
	u64 small;

	open_host(h, "cbq", "inner=1 weight=1/16 share=250000", 64);
	small = cbq_left(h, 32 * MS);
	change(h, "packet=2000", h->now);
	CHECK(small > 0 && cbq_left(h, 64 * MS) == small);
	CHECK(cbq_left(h, 32 * MS) > small * 13 / 10);
}

static void cbq_ecn(struct host *h)
{
	open_host(h, "cbq", CBQ_RED RED_NOW, 64);
	CHECK_EQ(drops_with(h, 16, 0, 1000, AT_F_ECT), 0);
	CHECK(stat(h, "marks") > 20);
	change(h, "ecn=0", 1000 * MS);
	CHECK(drops_with(h, 16, 1000 * MS, 1000, AT_F_ECT) > 20);
}

#define CBQ_FLOWS "classes=1 inner=2 class_limit=1000 "

/* One queue: as they came. */
static void cbq_flows(struct host *h)
{
	open_host(h, "cbq", CBQ_FLOWS "flows=1", 64);
	puts_of(h, 1, 1514, 2);
	puts_of(h, 2, 1514, 1);
	served(h);
	CHECK_EQ(served(h), 1);
	close_host(h);
	open_host(h, "cbq", CBQ_FLOWS "flows=1024", 64);
	puts_of(h, 1, 1514, 2);
	puts_of(h, 2, 1514, 1);
	served(h);
	CHECK_EQ(served(h), 2);
}

static u32 cbq_run(struct host *h)
{
	u32 n = 0, first;

	h->q->ops->reset(h->q, h->now);
	puts_of(h, 1, 500, 20);
	puts_of(h, 2, 500, 20);
	first = served(h);
	do
		n++;
	while (served(h) == first);
	return n;
}

static void cbq_quantum(struct host *h)
{
	open_host(h, "cbq", CBQ_FLOWS "quantum=500", 64);
	CHECK_EQ(cbq_run(h), 1);
	change(h, "quantum=2500", 0);
	CHECK_EQ(cbq_run(h), 5);
}

static void cbq_target(struct host *h)
{
	open_host(h, "cbq", CBQ_FLOWS, 200);
	drops_with(h, 50, 0, 200, 0);
	CHECK(drops_with(h, 50, 200 * MS, 1000, 0) > 5);
	change(h, "target=90000000", 1200 * MS);
	CHECK_EQ(drops_with(h, 50, 1200 * MS, 1000, 0), 0);
	change(h, "target=1000000", 2200 * MS);
	CHECK(drops_with(h, 50, 2200 * MS, 1000, 0) > 5);
}

static void cbq_interval(struct host *h)
{
	u32 often;

	open_host(h, "cbq", CBQ_FLOWS "interval=1000000000", 200);
	CHECK_EQ(drops_with(h, 50, 0, 900, 0), 0);
	change(h, "interval=10000000", 900 * MS);
	drops_with(h, 50, 900 * MS, 200, 0);
	often = drops_with(h, 50, 1100 * MS, 1000, 0);
	change(h, "interval=1000000000", 2100 * MS);
	drops_with(h, 50, 2100 * MS, 100, 0);
	CHECK(often > 5 * drops_with(h, 50, 2200 * MS, 1000, 0));
}

/* A class's link is busy for the time of a packet: an arrival in it takes a sample of 0, or
 * none. Class 1 has 16 % of 10 Mb/s: 5 ms. */
static void cbq_idle(struct host *h)
{
	u64 before;

	open_host(h, "cbq", "inner=1 weight=1/4", 64);
	cbq_puts(h, 1, 20);
	while (h->q->qlen)
		served(h);
	before = cell(h, 1, "average");
	h->now += 5 * MS - 1;
	cbq_puts(h, 1, 1);
	CHECK(cell(h, 1, "average") - before * 3 / 4 + 1 <= 2);
	served(h);
	before = cell(h, 1, "average");
	change(h, "idle=1", h->now);
	h->now += 5 * MS - 1;
	cbq_puts(h, 1, 1);
	CHECK_EQ(cell(h, 1, "average"), before);
}

#define CBQ_CASES \
	{ "cbq", "classes", cbq_classes }, \
	{ "cbq", "share", cbq_share }, \
	{ "cbq", "class_limit", cbq_class_limit }, \
	{ "cbq", "borrow", cbq_borrow }, \
	{ "cbq", "group", cbq_groups }, \
	{ "cbq", "inner", cbq_inner }, \
	{ "cbq", "rules", cbq_rules }, \
	{ "cbq", "limit", cbq_limit }, \
	{ "cbq", "min", cbq_min }, \
	{ "cbq", "max", cbq_max }, \
	{ "cbq", "weight", cbq_weight }, \
	{ "cbq", "max_p", cbq_max_p }, \
	{ "cbq", "rate", cbq_rate }, \
	{ "cbq", "packet", cbq_packet }, \
	{ "cbq", "ecn", cbq_ecn }, \
	{ "cbq", "flows", cbq_flows }, \
	{ "cbq", "quantum", cbq_quantum }, \
	{ "cbq", "target", cbq_target }, \
	{ "cbq", "interval", cbq_interval }, \
	{ "cbq", "idle", cbq_idle }

#endif
