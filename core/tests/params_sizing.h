/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Every parameter of wqm, dnb and astar has its effect: the cases of test_params.c, whose
 * helpers these use.
 */
#ifndef AIRTAB_TEST_PARAMS_SIZING_H
#define AIRTAB_TEST_PARAMS_SIZING_H

#define WQM_STUDY "profile=1 "		/* one queue: 300 Mb/s, 32 frames, 45 packets at first */

/* How many packets are taken until one is refused. */
static u32 sizing_room(struct host *h)
{
	u32 n = 0;

	while (put(h, 1, 1500, h->now) == AT_OK)
		n++;
	return n;
}

static void sizing_empty(struct host *h)
{
	struct at_ticket t;

	while (get(h, &t, h->now))
		;
}

static void sizing_tick(struct host *h, u64 ns)
{
	h->now += ns;
	if (h->q->ops->tick)
		h->q->ops->tick(h->q, h->now);
}

/* What a queue that is full, or empty, at so many looks is held to. */
static u64 wqm_after(struct host *h, bool full, u32 looks)
{
	while (looks--) {
		sizing_empty(h);
		if (full)
			sizing_room(h);
		sizing_tick(h, 100 * MS);
	}
	return stat(h, "limit");
}

static void wqm_interval(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY, 256);
	sizing_tick(h, 300 * MS);
	CHECK_EQ(stat(h, "limit"), 47);
	change(h, "interval=50000000", h->now);
	sizing_tick(h, 100 * MS);
	CHECK_EQ(stat(h, "limit"), 49);
	change(h, "interval=0", h->now);
	put(h, 1, 1500, h->now);
	CHECK_EQ(stat(h, "limit"), 50);
}

static void wqm_drain_time(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY, 256);
	CHECK_EQ(wqm_after(h, true, 3), 47);
	change(h, "drain=1000000", h->now);
	CHECK_EQ(wqm_after(h, true, 2), 32);
}

static void wqm_least(struct host *h)
{
	open_host(h, "wqm", "", 256);
	change(h, "least=60", 0);
	CHECK_EQ(sizing_room(h), 60);
	sizing_empty(h);
	change(h, "least=0,70", 0);
	for (u8 class = 0; class < 3; class++) {
		u32 n = 0;

		for (enum at_verdict v = AT_OK; v == AT_OK; n++) {
			struct at_pkt *p = new_pkt(h, 1, 1500);

			p->cls = class;
			v = push(h, p, 0);
		}
		CHECK_EQ(n - 1, class ? 70 : 60);
		sizing_empty(h);
	}
}

static void wqm_most(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY, 256);
	CHECK_EQ(wqm_after(h, false, 90), 95);
	change(h, "most=120", h->now);
	CHECK_EQ(wqm_after(h, false, 90), 120);
	change(h, "most=40", h->now);
	CHECK_EQ(stat(h, "limit"), 40);
	change(h, "most=10 frames=8", h->now);
	CHECK_EQ(stat(h, "limit"), 10);
}

static void wqm_first(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY "first=60", 256);
	CHECK_EQ(sizing_room(h), 60);
	change(h, "first=70", 0);
	h->q->ops->reset(h->q, 0);
	CHECK_EQ(sizing_room(h), 70);
}

static void wqm_confirm(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY "confirm=4", 256);
	CHECK_EQ(wqm_after(h, false, 3), 45);
	CHECK_EQ(wqm_after(h, false, 1), 46);
	change(h, "confirm=1", h->now);
	change(h, "rate=10000000", h->now);
	CHECK_EQ(wqm_after(h, true, 1), 32);
}

static void wqm_law(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY, 256);
	CHECK_EQ(wqm_after(h, false, 2), 46);
	change(h, "law=2", h->now);
	CHECK_EQ(wqm_after(h, false, 1), 92);
}

static void wqm_free_floor(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY "free=1", 256);
	put(h, 1, 1500, 0);
	CHECK_EQ(stat(h, "drain"), 800000);
	change(h, "free_floor=500000", 0);
	CHECK_EQ(stat(h, "drain"), 80000);
}

static void wqm_free_source(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY, 256);
	hear(h, 1, 1000, 0);
	CHECK_EQ(stat(h, "free"), 1000000);
	change(h, "free_source=1", 0);
	CHECK_EQ(stat(h, "free"), 500000);
	h->q->ops->link(h->q, &(struct at_link){ .here = true, .free_ppm = 300000 }, 0);
	change(h, "free_source=0", 0);
	CHECK_EQ(stat(h, "free"), 300000);
	change(h, "free_source=2", 0);
	CHECK_EQ(stat(h, "free"), 1000000);
}

static void wqm_below(struct host *h)
{
	struct at_link l = { .sta = 0, .here = true, .below_bytes = 3000 };

	open_host(h, "wqm", "", 256);
	h->q->ops->link(h->q, &l, 0);
	CHECK_EQ(stat(h, "waiting"), 3000);
	CHECK_EQ(stat(h, "drain"), 80000);
	change(h, "below=1", 0);
	CHECK_EQ(stat(h, "waiting"), 0);
	CHECK_EQ(stat(h, "drain"), 0);
	change(h, "below=2", 0);
	CHECK_EQ(stat(h, "waiting"), 3000);
}

static void wqm_idle_grow(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY, 256);
	CHECK_EQ(wqm_after(h, false, 3), 47);
	change(h, "idle_grow=1", h->now);
	CHECK_EQ(wqm_after(h, false, 5), 47);
	CHECK_EQ(wqm_after(h, true, 1), 48);
}

static void wqm_rate_source(struct host *h)
{
	struct at_link l = { .here = true, .rate_kbps = 13000, .ampdu_frames = 4, .ampdu_ns = 4200000 };

	open_host(h, "wqm", "", 256);
	h->q->ops->link(h->q, &l, 0);
	CHECK_EQ(stat(h, "rate"), 11428000);
	change(h, "rate_source=1", 0);
	CHECK_EQ(stat(h, "rate"), 13000000);
}

static void wqm_kavg(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY, 256);
	sizing_room(h);
	CHECK_EQ(stat(h, "drain"), 1800000);
	change(h, "kavg=32", 0);
	CHECK_EQ(stat(h, "drain"), 2283600);
}

/* Two stations have a queue each, or share one. */
static void wqm_scope(struct host *h)
{
	for (u32 scope = 1; scope <= 2; scope++) {
		char args[32];
		struct at_pkt *p;

		if (scope == 2)
			close_host(h);
		snprintf(args, sizeof(args), "scope=%u", scope);
		open_host(h, "wqm", args, 256);
		CHECK_EQ(sizing_room(h), 45);
		p = new_pkt(h, 2, 1500);
		p->sta = 5;
		CHECK_EQ(push(h, p, 0), scope == 1 ? AT_DROPPED : AT_OK);
	}
}

static void wqm_limit(struct host *h)
{
	open_host(h, "wqm", "limit=10", 64);
	CHECK_EQ(sizing_room(h), 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	CHECK_EQ(h->last_why, AT_R_LIMIT);
	change(h, "limit=20", 0);
	CHECK_EQ(sizing_room(h), 16);
}

static void wqm_rate(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY, 256);
	put(h, 1, 1500, 0);
	CHECK_EQ(stat(h, "drain"), 40000);
	change(h, "rate=6500000", 0);
	CHECK_EQ(stat(h, "drain"), 1846153);
	CHECK_EQ(h->q->qlen, 1);
}

static void wqm_frames(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY, 256);
	change(h, "frames=64", 0);
	CHECK_EQ(sizing_room(h), 64);
	change(h, "frames=1", 0);
	CHECK_EQ(h->q->qlen, 64);
	CHECK_EQ(stat(h, "limit"), 64);
	change(h, "rate=1000000", 0);
	CHECK_EQ(wqm_after(h, true, 9), 1);
}

static void wqm_free(struct host *h)
{
	open_host(h, "wqm", WQM_STUDY, 256);
	put(h, 1, 1500, 0);
	change(h, "free=250000", 0);
	CHECK_EQ(stat(h, "drain"), 160000);
}

static void wqm_profile(struct host *h)
{
	open_host(h, "wqm", "", 256);
	wqm_after(h, true, 1);
	CHECK_EQ(wqm_after(h, false, 6), 46);	/* what was used once, counts once */
	close_host(h);
	open_host(h, "wqm", WQM_STUDY, 256);
	CHECK_EQ(wqm_after(h, false, 6), 50);
}

static void wqm_classes(struct host *h)
{
	open_host(h, "wqm", "classes=1", 256);
	CHECK_EQ(sizing_room(h), 45);
	for (u8 class = 0; class < 3; class++) {
		struct at_pkt *p = new_pkt(h, 1, 1500);

		p->cls = class;
		CHECK_EQ(push(h, p, 0), AT_DROPPED);
	}
}

static void wqm_stations(struct host *h)
{
	open_host(h, "wqm", "stations=2", 256);
	CHECK_EQ(sizing_room(h), 45);
	for (u32 i = 0; i < 47; i++) {		/* 2 and 3 share a place */
		struct at_pkt *p = new_pkt(h, 1, 1500);

		p->sta = i < 46 ? 2 + i % 2 : 1;
		CHECK_EQ(push(h, p, 0), i == 45 ? AT_DROPPED : AT_OK);
	}
}

static void dnb_limits(struct host *h)
{
	static const u32 want[] = { 3, 5, 5 };

	open_host(h, "dnb", "limits=3,5", 64);
	for (u8 class = 0; class < 3; class++) {
		struct at_pkt *p;
		u32 n = 0;

		do {
			p = new_pkt(h, class, 1500);
			p->cls = class;
		} while (push(h, p, 0) == AT_OK && ++n < 20);
		CHECK_EQ(n, want[class]);
	}
	change(h, "limits=1", 0);
	CHECK_EQ(h->q->qlen, 13);
	CHECK_EQ(put(h, 1, 1500, 0), AT_DROPPED);
	change(h, "limits=4", 0);
	CHECK_EQ(sizing_room(h), 1);
}

static void dnb_limit(struct host *h)
{
	open_host(h, "dnb", "limits=60 limit=10", 64);
	CHECK_EQ(sizing_room(h), 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	change(h, "limit=20", 0);
	CHECK_EQ(sizing_room(h), 16);
}

/* A packet that is served for so long, by the report. */
static void astar_serve(struct host *h, u64 ns)
{
	struct at_ticket t;

	put(h, 1, 1500, h->now);
	get(h, &t, h->now);
	report(h, &t, ns, h->now + ns);
}

static void astar_law(struct host *h)
{
	open_host(h, "astar", "first=50", 512);
	astar_serve(h, 16000000);
	CHECK_EQ(stat(h, "limit"), 17);
	change(h, "law=1", h->now);
	CHECK_EQ(stat(h, "limit"), 50);
	change(h, "law=0", h->now);
	CHECK_EQ(stat(h, "limit"), 17);
}

static void astar_delay(struct host *h)
{
	open_host(h, "astar", "", 512);
	astar_serve(h, 16000000);
	change(h, "delay=320000000", h->now);
	CHECK_EQ(sizing_room(h), 25);
}

static void astar_burst(struct host *h)
{
	open_host(h, "astar", "", 512);
	astar_serve(h, 16000000);
	change(h, "burst=0", h->now);
	CHECK_EQ(sizing_room(h), 12);
}

static void astar_limit(struct host *h)
{
	open_host(h, "astar", "limit=10", 64);
	CHECK_EQ(sizing_room(h), 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	CHECK_EQ(sizing_room(h), 0);
}

static void astar_grow(struct host *h)
{
	open_host(h, "astar", "law=1 first=10", 64);
	sizing_tick(h, SEC);
	astar_serve(h, 0);
	CHECK_EQ(stat(h, "limit"), 20);
	change(h, "grow=131072", h->now);
	sizing_tick(h, SEC);
	astar_serve(h, 0);
	CHECK_EQ(stat(h, "limit"), 22);
}

static void astar_shrink(struct host *h)
{
	open_host(h, "astar", "law=1 first=10", 64);
	put(h, 1, 1500, 0);
	put(h, 1, 1500, SEC);
	CHECK_EQ(stat(h, "limit"), 9);
	change(h, "shrink=196608", SEC);
	put(h, 1, 1500, 2 * SEC);
	CHECK_EQ(stat(h, "limit"), 6);
}

static void astar_interval(struct host *h)
{
	open_host(h, "astar", "law=1 first=10", 64);
	change(h, "interval=100000000", 0);
	astar_serve(h, 0);
	h->now = 100 * MS;
	astar_serve(h, 0);
	CHECK_EQ(stat(h, "limit"), 11);
}

static void astar_first(struct host *h)
{
	open_host(h, "astar", "first=7", 512);
	CHECK_EQ(sizing_room(h), 7);
	change(h, "first=0", 0);
	h->q->ops->reset(h->q, 0);
	CHECK_EQ(sizing_room(h), 400);
}

#define SIZING_CASES \
	{ "wqm", "interval", wqm_interval }, \
	{ "wqm", "drain", wqm_drain_time }, \
	{ "wqm", "least", wqm_least }, \
	{ "wqm", "most", wqm_most }, \
	{ "wqm", "first", wqm_first }, \
	{ "wqm", "confirm", wqm_confirm }, \
	{ "wqm", "law", wqm_law }, \
	{ "wqm", "free_floor", wqm_free_floor }, \
	{ "wqm", "free_source", wqm_free_source }, \
	{ "wqm", "below", wqm_below }, \
	{ "wqm", "idle_grow", wqm_idle_grow }, \
	{ "wqm", "rate_source", wqm_rate_source }, \
	{ "wqm", "kavg", wqm_kavg }, \
	{ "wqm", "scope", wqm_scope }, \
	{ "wqm", "limit", wqm_limit }, \
	{ "wqm", "rate", wqm_rate }, \
	{ "wqm", "frames", wqm_frames }, \
	{ "wqm", "free", wqm_free }, \
	{ "wqm", "profile", wqm_profile }, \
	{ "wqm", "classes", wqm_classes }, \
	{ "wqm", "stations", wqm_stations }, \
	{ "dnb", "limits", dnb_limits }, \
	{ "dnb", "limit", dnb_limit }, \
	{ "astar", "law", astar_law }, \
	{ "astar", "delay", astar_delay }, \
	{ "astar", "burst", astar_burst }, \
	{ "astar", "limit", astar_limit }, \
	{ "astar", "grow", astar_grow }, \
	{ "astar", "shrink", astar_shrink }, \
	{ "astar", "interval", astar_interval }, \
	{ "astar", "first", astar_first }

#endif
