/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Every parameter of cbt has its effect: the cases of test_params.c, whose helpers these
 * use.
 */
#ifndef AIRTAB_TEST_PARAMS_CBT_H
#define AIRTAB_TEST_PARAMS_CBT_H

/* How many of so many packets of a class are queued. */
static u32 cbt_queued(struct host *h, u32 class, u32 n, u8 flags)
{
	u32 queued = 0;

	while (n--) {
		struct at_pkt *p = new_pkt(h, class, 1000);

		p->cls = (u8)class;
		p->flags = flags;
		queued += push(h, p, h->now) == AT_OK;
	}
	return queued;
}

static u64 cbt_cell(struct host *h, u32 class, const char *name)
{
	return cell(h, class, name) >> 16;
}

/* Averages are what is queued, thresholds 5 packets. */
#define CBT_NOW "mode=1 average=1 weight=1/1 th_min=327680 th_max=327680 "
/* The same with RED from 5 to 20. */
#define CBT_RED "mode=1 average=1 weight=1/1 th_min=327680 th_max=1310720 cap=0 "

static void cbt_classes(struct host *h)
{
	open_host(h, "cbt", "classes=2", 64);
	cbt_queued(h, 5, 3, 0);
	CHECK_EQ(cell(h, 1, "backlog"), 3);
	close_host(h);
	open_host(h, "cbt", "classes=7", 64);
	cbt_queued(h, 5, 3, 0);
	CHECK_EQ(cell(h, 5, "backlog"), 3);
}

static void cbt_limit(struct host *h)
{
	open_host(h, "cbt", "limit=10 guard=60", 64);
	CHECK_EQ(cbt_queued(h, 1, 11, 0), 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	CHECK_EQ(cbt_queued(h, 1, 1, 0), 0);
	change(h, "limit=20", 0);
	CHECK_EQ(cbt_queued(h, 1, 30, 0), 16);
}

static void cbt_mode(struct host *h)
{
	static const u64 th[] = { 9375, 9, 9375, 7500000 };

	open_host(h, "cbt", "station_rate=54000000", 64);
	for (u64 mode = 4; mode--;) {
		char args[20];

		snprintf(args, sizeof(args), "mode=%u", (u32)mode);
		change(h, args, 0);
		CHECK_EQ(cbt_cell(h, 1, "th_max"), th[mode]);
	}
}

static void cbt_latency(struct host *h)
{
	open_host(h, "cbt", "", 64);
	change(h, "latency=15000000", 0);
	CHECK_EQ(cbt_cell(h, 0, "th_max"), 11812);
}

static void cbt_rate(struct host *h)
{
	open_host(h, "cbt", "", 64);
	change(h, "rate=20000000", 0);
	CHECK_EQ(cbt_cell(h, 0, "th_max"), 47250);
}

/* A packet counts for so much more. */
static void cbt_overhead(struct host *h)
{
	open_host(h, "cbt", "overhead=0", 64);
	CHECK_EQ(cbt_queued(h, 2, 20, 0), 9);		/* 9000 bytes */
	change(h, "overhead=200", 0);
	CHECK_EQ(cbt_queued(h, 2, 1, 0), 0);
	served(h);
	served(h);
	CHECK_EQ(cbt_queued(h, 2, 9, 0), 0);
	served(h);
	CHECK_EQ(cbt_queued(h, 2, 9, 0), 1);
}

static void cbt_share(struct host *h)
{
	open_host(h, "cbt", "share=500000,300000,200000", 64);
	CHECK_EQ(cbt_cell(h, 2, "th_max"), 7500);
	change(h, "share=200000", 0);
	CHECK_EQ(cbt_cell(h, 0, "th_max"), 7500);
	CHECK_EQ(cbt_cell(h, 2, "th_max"), 7500);
}

static void cbt_bandwidth(struct host *h)
{
	open_host(h, "cbt", "bandwidth=5000000,3000000,2000000", 64);
	CHECK_EQ(cbt_cell(h, 2, "th_max"), 7500);
	change(h, "bandwidth=1000000", 0);
	CHECK_EQ(cbt_cell(h, 0, "th_max"), 3750);
}

static void cbt_packet(struct host *h)
{
	open_host(h, "cbt", "mode=1 overhead=0", 64);
	change(h, "packet=500,100,1500", 0);
	CHECK_EQ(cbt_cell(h, 0, "th_max"), 47);
	CHECK_EQ(cbt_cell(h, 1, "th_max"), 93);
	CHECK_EQ(cbt_cell(h, 2, "th_max"), 3);
}

static void cbt_th_max(struct host *h)
{
	open_host(h, "cbt", CBT_NOW "cap=0", 64);
	CHECK_EQ(cbt_queued(h, 1, 20, 0), 6);
	change(h, "th_max=327680,655360,327680 th_min=327680,655360,327680", 0);
	CHECK_EQ(cbt_queued(h, 1, 20, 0), 5);
}

/* Packets dropped or marked at random, of 400 that find ten queued. */
static u64 cbt_chosen(struct host *h, u8 flags)
{
	u64 before = stat(h, "early_drops") + stat(h, "marks");

	h->q->ops->reset(h->q, h->now);
	for (u32 n = 0; n < 400; n++) {
		while (h->q->qlen < 10)
			cbt_queued(h, 0, 1, 0);
		if (cbt_queued(h, 0, 1, flags))
			served(h);
	}
	return stat(h, "early_drops") + stat(h, "marks") - before;
}

static void cbt_th_min(struct host *h)
{
	open_host(h, "cbt", CBT_RED, 64);
	CHECK(cbt_chosen(h, 0) > 5);
	change(h, "th_min=786432", 0);
	CHECK_EQ(cbt_chosen(h, 0), 0);
}

/* After one packet that is queued behind one. */
static void cbt_weight(struct host *h)
{
	open_host(h, "cbt", "mode=1 average=1", 64);
	cbt_queued(h, 0, 2, 0);
	CHECK_EQ(cell(h, 0, "average"), 256);
	cbt_queued(h, 2, 2, 0);
	CHECK_EQ(cell(h, 2, "average"), 65536 / 4);
	change(h, "weight=1/8,1/1,1/1", 0);
	cbt_queued(h, 2, 1, 0);
	CHECK_EQ(cell(h, 2, "average"), 2 << 16);
}

static void cbt_max_p(struct host *h)
{
	u64 few;

	open_host(h, "cbt", CBT_RED "max_p=10000", 64);
	few = cbt_chosen(h, 0);
	change(h, "max_p=1000000", 0);
	CHECK(cbt_chosen(h, 0) > 10 * (few ? few : 1));
}

static void cbt_average_by(struct host *h)
{
	open_host(h, "cbt", "mode=1 weight=1/4", 64);	/* time */
	cbt_queued(h, 1, 2, 0);
	CHECK_EQ(cell(h, 1, "average"), 0);
	change(h, "average=1", 0);
	cbt_queued(h, 1, 1, 0);
	CHECK_EQ(cell(h, 1, "average"), 2 * 65536 / 4);
	served(h);
	CHECK_EQ(cell(h, 1, "average"), 2 * 65536 / 4);
	change(h, "average=2", 0);
	served(h);
	CHECK_EQ(cell(h, 1, "average"), 2 * 65536 / 4 + 65536 / 8);
}

static void cbt_tau(struct host *h)
{
	open_host(h, "cbt", "mode=1 cap=0", 64);
	cbt_queued(h, 1, 10, 0);
	h->now = 200 * MS;
	CHECK_EQ(cell(h, 1, "average") * 10 >> 16, 63);
	h->q->ops->reset(h->q, h->now);
	change(h, "tau=100000000", h->now);
	cbt_queued(h, 1, 10, 0);
	h->now += 200 * MS;
	CHECK_EQ(cell(h, 1, "average") * 10 >> 16, 86);
}

static void cbt_guard_of(struct host *h)
{
	open_host(h, "cbt", CBT_NOW "cap=65536", 64);
	change(h, "guard=8", 0);
	CHECK_EQ(cbt_queued(h, 1, 20, 0), 9);
	change(h, "guard=0", 0);
	h->q->ops->reset(h->q, 0);
	CHECK_EQ(cbt_queued(h, 1, 20, 0), 5);
}

static void cbt_cap_of(struct host *h)
{
	open_host(h, "cbt", "mode=1 th_max=327680", 64);
	CHECK_EQ(cbt_queued(h, 0, 40, 0), 10);
	CHECK_EQ(cbt_queued(h, 1, 40, 0), 20);
	change(h, "cap=0,163840,0", 0);
	h->q->ops->reset(h->q, 0);
	CHECK_EQ(cbt_queued(h, 1, 40, 0), 12);
	CHECK_EQ(cbt_queued(h, 0, 40, 0), 40);
}

static void cbt_gentle(struct host *h)
{
	open_host(h, "cbt", CBT_RED "th_max=524288", 64);	/* 5, 8 */
	cbt_queued(h, 0, 60, 0);
	CHECK(h->q->qlen <= 9);
	h->q->ops->reset(h->q, 0);
	change(h, "gentle=1", 0);
	cbt_queued(h, 0, 20, 0);
	CHECK(h->q->qlen > 9 && h->q->qlen <= 17);
}

static void cbt_ecn(struct host *h)
{
	open_host(h, "cbt", CBT_RED "max_p=1000000", 64);
	CHECK(cbt_chosen(h, AT_F_ECT) > 20 && stat(h, "marks") > 20);
	change(h, "ecn=1", 0);
	CHECK(cbt_chosen(h, AT_F_ECT) > 20 && stat(h, "early_drops") > 20);
}

static void cbt_hard(struct host *h)
{
	open_host(h, "cbt", CBT_NOW "cap=0", 64);
	CHECK_EQ(cbt_queued(h, 0, 20, AT_F_ECT), 6);
	change(h, "hard=0", 0);
	CHECK_EQ(cbt_queued(h, 0, 20, AT_F_ECT), 20);
	CHECK_EQ(stat(h, "marks"), 20);
}

static void cbt_rules(struct host *h)
{
	open_host(h, "cbt", "", 64);
	cbt_queued(h, 0, 1, 0);
	change(h, "rules=17", 0);		/* all to class 1 */
	cbt_queued(h, 0, 2, 0);
	CHECK_EQ(cell(h, 0, "arrivals"), 1);
	CHECK_EQ(cell(h, 1, "arrivals"), 2);
}

static void cbt_profile(struct host *h)
{
	open_host(h, "cbt", "", 64);
	CHECK_EQ(stat(h, "unit"), 1);
	change(h, "profile=1", 0);
	CHECK_EQ(stat(h, "unit"), 0);
	CHECK_EQ(cbt_cell(h, 0, "th_min"), 5);
}

/* Airtime of a packet of class 1, as an average shows it once it has lain there. */
static u64 cbt_air_of(struct host *h)
{
	h->q->ops->reset(h->q, h->now);
	cbt_queued(h, 1, 1, 0);
	h->now += 100 * SEC;
	return cbt_cell(h, 1, "average");
}

static void cbt_phy(struct host *h)
{
	u64 g;

	open_host(h, "cbt", "mode=3 station_rate=11000000 phy=9", 64);
	g = cbt_air_of(h);
	change(h, "phy=3", h->now);
	CHECK(cbt_air_of(h) != g);
}

static void cbt_station_rate(struct host *h)
{
	u64 fast;

	open_host(h, "cbt", "mode=3 station_rate=54000000", 64);
	fast = cbt_air_of(h);
	change(h, "station_rate=6000000", h->now);
	CHECK(cbt_air_of(h) > 5 * fast);
}

static void cbt_stations(struct host *h)
{
	struct at_link l = { .sta = 2, .here = true, .phy = 1, .rate_kbps = 6000 };
	u64 usual;

	for (u32 n = 2; n < 4; n++) {
		open_host(h, "cbt", n == 2 ? "mode=3 station_rate=54000000 stations=2" :
				    "mode=3 station_rate=54000000 stations=3", 64);
		usual = cbt_air_of(h);
		h->q->ops->link(h->q, &l, h->now);	/* 2 is beside 0, or has its own */
		CHECK_EQ(cbt_air_of(h) > 4 * usual, n == 2);
		if (n == 2)
			close_host(h);
	}
}

static void cbt_adapt_to(struct host *h)
{
	for (u32 n = 0; n < 2; n++) {
		open_host(h, "cbt", n ? "mode=2" : "mode=2 adapt=1", 64);
		put(h, 1, 100, 60 * SEC);
		CHECK_EQ(cell(h, 1, "th_max") < 2000u << 16, !n);
		if (!n)
			close_host(h);
	}
}

#define CBT_CASES \
	{ "cbt", "classes", cbt_classes }, \
	{ "cbt", "limit", cbt_limit }, \
	{ "cbt", "mode", cbt_mode }, \
	{ "cbt", "latency", cbt_latency }, \
	{ "cbt", "rate", cbt_rate }, \
	{ "cbt", "overhead", cbt_overhead }, \
	{ "cbt", "share", cbt_share }, \
	{ "cbt", "bandwidth", cbt_bandwidth }, \
	{ "cbt", "packet", cbt_packet }, \
	{ "cbt", "th_max", cbt_th_max }, \
	{ "cbt", "th_min", cbt_th_min }, \
	{ "cbt", "weight", cbt_weight }, \
	{ "cbt", "max_p", cbt_max_p }, \
	{ "cbt", "average", cbt_average_by }, \
	{ "cbt", "tau", cbt_tau }, \
	{ "cbt", "guard", cbt_guard_of }, \
	{ "cbt", "cap", cbt_cap_of }, \
	{ "cbt", "gentle", cbt_gentle }, \
	{ "cbt", "ecn", cbt_ecn }, \
	{ "cbt", "hard", cbt_hard }, \
	{ "cbt", "rules", cbt_rules }, \
	{ "cbt", "profile", cbt_profile }, \
	{ "cbt", "phy", cbt_phy }, \
	{ "cbt", "station_rate", cbt_station_rate }, \
	{ "cbt", "stations", cbt_stations }, \
	{ "cbt", "adapt", cbt_adapt_to }

#endif
