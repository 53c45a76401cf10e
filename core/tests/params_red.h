/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Every parameter of red has its effect: the cases of test_params.c, whose helpers these
 * use.
 */
#ifndef AIRTAB_TEST_PARAMS_RED_H
#define AIRTAB_TEST_PARAMS_RED_H

/* Averages are what is queued, with these. */
#define RED_NOW "weight=1/1 min=655360 max=1310720 "

static void red_limit(struct host *h)
{
	single_limit(h, "red");
}

/* 15 are queued when packets come. */
static void red_min(struct host *h)
{
	open_host(h, "red", RED_NOW, 64);
	CHECK(drops_with(h, 16, 0, 1000, 0) > 20);
	change(h, "min=983040", 1000 * MS);
	CHECK_EQ(drops_with(h, 16, 1000 * MS, 1000, 0), 0);
}

static void red_max(struct host *h)
{
	open_host(h, "red", RED_NOW "max_p=1", 64);
	CHECK_EQ(drops_with(h, 16, 0, 1000, 0), 0);
	change(h, "max=917504", 1000 * MS);
	CHECK(drops_with(h, 16, 1000 * MS, 10, 0) > 1000);
}

/* After one arrival that finds 10. */
static void red_weight(struct host *h)
{
	open_host(h, "red", "weight=1/256", 64);
	puts_of(h, 1, 1500, 1);
	CHECK_EQ(stat(h, "average"), 0);
	puts_of(h, 1, 1500, 1);
	CHECK_EQ(stat(h, "average"), 256);
	change(h, "weight=1/1", 0);
	puts_of(h, 1, 1500, 1);
	CHECK_EQ(stat(h, "average"), 2 << 16);
}

/* Half way between the thresholds, one drop in so many. */
static void red_max_p(struct host *h)
{
	u32 few, many;

	open_host(h, "red", RED_NOW "max_p=20000", 64);
	few = drops_with(h, 16, 0, 10000, 0);
	change(h, "max_p=1000000", 10000 * MS);
	many = drops_with(h, 16, 10000 * MS, 10000, 0);
	CHECK(few > 50 && few < 200 && many > 4000);
}

/* What is left of an average after so long without a packet. */
static u64 red_left(struct host *h, u64 ns)
{
	u64 from = h->now;

	h->q->ops->reset(h->q, from);
	puts_of(h, 1, 1500, 20);
	while (get(h, &ticket, h->now))
		;
	h->now += ns;
	return stat(h, "average");
}

static void red_rate(struct host *h)
{
	u64 slow;

	open_host(h, "red", "weight=1/16", 64);
	slow = red_left(h, 10 * MS);
	change(h, "rate=20000000", h->now);
	CHECK(slow > 0 && red_left(h, 5 * MS) == slow);
	CHECK(red_left(h, 10 * MS) < slow * 6 / 10);
}

static void red_packet(struct host *h)
{
	u64 small;

	open_host(h, "red", "weight=1/16", 64);
	small = red_left(h, 8 * MS);
	change(h, "packet=2000", h->now);
	CHECK(small > 0 && red_left(h, 16 * MS) == small);
	CHECK(red_left(h, 8 * MS) > small * 13 / 10);
}

/* One queued more than max. */
static void red_gentle(struct host *h)
{
	open_host(h, "red", RED_NOW "max_p=1", 64);
	CHECK(drops_with(h, 22, 0, 10, 0) > 1000);
	change(h, "gentle=1", 10 * MS);
	CHECK(drops_with(h, 22, 10 * MS, 10, 0) < 20);
}

static void red_ecn(struct host *h)
{
	open_host(h, "red", RED_NOW, 64);
	CHECK_EQ(drops_with(h, 16, 0, 1000, AT_F_ECT), 0);
	CHECK(stat(h, "marks") > 20);
	change(h, "ecn=0", 1000 * MS);
	CHECK(drops_with(h, 16, 1000 * MS, 1000, AT_F_ECT) > 20);
}

static void red_hard(struct host *h)
{
	open_host(h, "red", RED_NOW, 64);
	CHECK(drops_with(h, 30, 0, 10, AT_F_ECT) > 1000);
	change(h, "hard=0", 10 * MS);
	CHECK_EQ(drops_with(h, 30, 10 * MS, 10, AT_F_ECT), 0);
}

/* An arrival to an empty queue whose last packet is still on the link: a sample of 0, or
 * none. */
static void red_idle(struct host *h)
{
	u64 before;

	open_host(h, "red", "weight=1/4 min=1966080", 64);
	puts_of(h, 1, 1500, 20);
	while (h->q->qlen)
		served(h);
	before = stat(h, "average");
	puts_of(h, 1, 1500, 1);
	CHECK(stat(h, "average") - before * 3 / 4 + 1 <= 2);
	served(h);
	before = stat(h, "average");
	change(h, "idle=1", h->now);
	puts_of(h, 1, 1500, 1);
	CHECK_EQ(stat(h, "average"), before);
}

#define RED_CASES \
	{ "red", "limit", red_limit }, \
	{ "red", "min", red_min }, \
	{ "red", "max", red_max }, \
	{ "red", "weight", red_weight }, \
	{ "red", "max_p", red_max_p }, \
	{ "red", "rate", red_rate }, \
	{ "red", "packet", red_packet }, \
	{ "red", "gentle", red_gentle }, \
	{ "red", "ecn", red_ecn }, \
	{ "red", "hard", red_hard }, \
	{ "red", "idle", red_idle }

#endif
