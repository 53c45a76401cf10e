/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * wqm: the law on queues that are full at each look, to the packet; whose limits are whose;
 * and what neither links nor limits do: drop what is queued. Vectors: Showail 2016, 5.3, by
 * hand; docs/wqm.md lists them.
 */
#include "harness.h"
#include "airtab/wqm.h"

#define TICK (100 * MS)
#define STUDY "profile=1 "

static struct at_link link_of(u16 sta, u32 kbps, u32 frames, u32 ns, u32 free_ppm)
{
	return (struct at_link){ .sta = sta, .here = true, .phy = 1, .nss = 1, .rate_kbps = kbps,
				 .ampdu_frames = frames, .ampdu_ns = ns, .free_ppm = free_ppm };
}

/* Whether the values of ARGS are refused, and which parameter is named. */
static const char *refused(const char *args)
{
	struct host h;
	u16 bad;

	open_host(&h, "wqm", "", 1);
	set_values(&h, h.q->ops, args);
	if (!at_check(h.q->ops, h.vals, &bad))
		bad = MAX_PARAMS;
	close_host(&h);
	return bad < MAX_PARAMS ? find_ops("wqm")->params[bad].name : "";
}

static struct at_pkt *pkt_of(struct host *h, u16 sta, u8 class, u32 bytes)
{
	struct at_pkt *p = new_pkt(h, sta, bytes);

	p->sta = sta;
	p->cls = class;
	return p;
}

static void tell(struct host *h, u16 sta, u32 kbps, u32 frames, u32 free_ppm)
{
	struct at_link l = link_of(sta, kbps, frames, 0, free_ppm);

	h->q->ops->link(h->q, &l, h->now);
}

static void tick(struct host *h)
{
	h->now += TICK;
	h->q->ops->tick(h->q, h->now);
}

/* Puts packets of a station and class until one is refused; how many were taken. */
static u32 fill(struct host *h, u16 sta, u8 class)
{
	for (u32 n = 0;; n++) {
		if (push(h, pkt_of(h, sta, class, 1500), h->now) == AT_DROPPED)
			return n;
	}
}

/* Of the queue of a place and class. */
static u64 cell_of(struct host *h, u64 place, u64 class, const char *name)
{
	u64 cols[MAX_COLS];
	u32 col = 0, cursor = 0;

	while (strcmp(h->q->ops->row_stats[col].name, name))
		col++;
	while (next_row(h, &cursor, cols))
		if (cols[0] == place && cols[1] == class)
			return cols[col];
	CHECK(!"a row");
	return 0;
}

static u32 empty(struct host *h)
{
	struct at_ticket t;
	u32 n = 0;

	while (get(h, &t, h->now))
		n++;
	return n;
}

/* A queue that has B packets when it is looked at; B after it. */
static u64 full_look(struct host *h)
{
	empty(h);
	fill(h, 0, 0);
	CHECK_EQ(h->q->qlen, stat(h, "limit"));
	tick(h);
	return stat(h, "limit");
}

static void trace(u32 kbps, u32 frames, u32 free_ppm, u64 first, const u16 *want, u32 n)
{
	struct host h;

	open_host(&h, "wqm", STUDY, 256);
	tell(&h, 0, kbps, frames, free_ppm);
	CHECK_EQ(stat(&h, "limit"), first);
	for (u32 i = 0; i < n; i++)
		CHECK_EQ(full_look(&h), want[i]);
	close_host(&h);
}

/* V-WQM-A, C, D, E, F, G. */
static void traces(void)
{
	static const u16 a[] = { 25, 21, 21, 21 }, c[] = { 45, 32, 32, 32 }, d[] = { 2, 1, 1, 2, 2, 1, 1, 2 };
	static const u16 e[] = { 90, 91, 92, 93, 94, 95, 95, 95 }, f[] = { 5, 4, 4, 4 }, g[] = { 39, 32, 32, 32 };

	trace(65000, 21, 1000000, 25, a, 4);
	trace(300000, 32, 500000, 45, c, 4);
	trace(6500, 1, 1000000, 2, d, 8);
	trace(600000, 64, 1000000, 90, e, 8);
	trace(13000, 4, 1000000, 5, f, 4);
	trace(144400, 32, 1000000, 39, g, 4);
}

/* V-WQM-B: 45, 46 .. 63, 63, 32, .. with a period of 34. */
static void sawtooth(void)
{
	struct host h;

	open_host(&h, "wqm", STUDY, 256);
	tell(&h, 0, 300000, 32, 1000000);
	for (u32 i = 1; i <= 21 + 5 * 34; i++) {
		u32 phase = i < 21 ? i + 13 : (i - 21) % 34, want = phase < 2 ? 32 : phase < 33 ? 31 + phase : 63;

		CHECK_EQ(full_look(&h), want);
	}
	CHECK_EQ(stat(&h, "halvings"), 6);
	CHECK_EQ(stat(&h, "raises"), 18 + 5 * 31);
	CHECK_EQ(stat(&h, "arms"), 2 + 5 * 2);
	close_host(&h);
}

/* T at the drain time to the ns moves nothing, and clears no alarm. */
static void at_the_drain_time(void)
{
	struct host h;

	open_host(&h, "wqm", STUDY "least=1 first=50", 256);
	tell(&h, 0, 240000, 32, 1000000);	/* 50 packets: 2.5 ms */
	for (u32 i = 0; i < 5; i++)
		CHECK_EQ(full_look(&h), 50);
	CHECK_EQ(stat(&h, "drain"), 2500000);
	CHECK_EQ(stat(&h, "arms"), 0);
	empty(&h);
	tick(&h);
	CHECK_EQ(stat(&h, "arms"), 1);
	CHECK_EQ(full_look(&h), 50);
	empty(&h);
	tick(&h);				/* the alarm was not cleared */
	CHECK_EQ(stat(&h, "limit"), 51);
	close_host(&h);
}

/* V-WQM-I: an idle queue's limit rises, under the study's law alone. */
static void idle(void)
{
	static const u16 want[] = { 45, 46, 47, 48, 49 };
	struct host h;

	open_host(&h, "wqm", STUDY, 256);
	tell(&h, 0, 300000, 32, 1000000);
	for (u32 i = 0; i < 5; i++) {
		tick(&h);
		CHECK_EQ(stat(&h, "limit"), want[i]);
	}
	close_host(&h);
	open_host(&h, "wqm", "rate_source=1", 256);
	tell(&h, 0, 300000, 32, 1000000);
	put(&h, 0, 1500, 0);
	empty(&h);
	for (u32 i = 0; i < 20; i++) {
		tick(&h);
		CHECK_EQ(cell(&h, 0, "limit"), 45);
	}
	CHECK_EQ(stat(&h, "raises"), 0);
	CHECK_EQ(stat(&h, "arms"), 1);
	/* the alarm is set: one look at a queue that was used is enough, what it has now or not */
	CHECK_EQ(fill(&h, 0, 0), 45);
	empty(&h);
	tick(&h);
	CHECK_EQ(cell(&h, 0, "limit"), 46);
	/* 36 of 46 are not 0.8 of them, 37 are */
	for (u32 n = 36; n <= 37; n++) {
		for (u32 i = 0; i < n; i++)
			put(&h, 0, 1500, h.now);
		empty(&h);
		tick(&h);
		CHECK_EQ(cell(&h, 0, "limit"), n + 10);
	}
	close_host(&h);
}

/* 20 packets for 300 Mb/s and 20 for 13. */
static void radio(void)
{
	static const char *const scopes[] = { STUDY "least=40", "rate_source=1 least=40" };

	for (u32 k = 0; k < 2; k++) {
		struct host h;

		open_host(&h, "wqm", scopes[k], 256);
		tell(&h, 1, 13000, 4, 1000000);
		tell(&h, 0, 300000, 32, 1000000);
		for (u32 i = 0; i < 40; i++) {
			struct at_pkt *p = new_pkt(&h, i % 2, 1500);

			p->sta = (u16)(i % 2);
			CHECK_EQ(push(&h, p, 0), AT_OK);
		}
		CHECK_EQ(stat(&h, "radio"), k ? 19261538 : 1600000);
		CHECK_EQ(stat(&h, "drain"), k ? 36923076 : 1600000);	/* of two: half of the air each */
		if (k) {
			CHECK_EQ(cell(&h, 0, "drain"), 1600000);
			CHECK_EQ(stat(&h, "rate"), 13000000);
		}
		close_host(&h);
	}
}

/* A slow station's full queue moves its own limit, and K is its own. */
static void independent(void)
{
	struct host h;

	open_host(&h, "wqm", "rate_source=1 idle_grow=2", 512);
	tell(&h, 0, 300000, 32, 1000000);
	tell(&h, 1, 6500, 1, 1000000);
	CHECK_EQ(fill(&h, 0, 0), 45);
	CHECK_EQ(fill(&h, 1, 0), 2);
	for (u32 i = 0; i < 2; i++)
		tick(&h);
	CHECK_EQ(cell(&h, 1, "limit"), 1);
	CHECK_EQ(cell(&h, 1, "frames"), 1);
	CHECK_EQ(cell(&h, 0, "limit"), 32);	/* with half of the air 3.6 ms */
	CHECK_EQ(cell(&h, 0, "frames"), 32);
	CHECK_EQ(cell(&h, 0, "halvings"), 1);
	/* the slow one is gone: all of the air */
	h.q->ops->reset(h.q, h.now);
	tell(&h, 0, 300000, 32, 1000000);
	CHECK_EQ(fill(&h, 0, 0), 45);
	for (u32 i = 0; i < 2; i++)
		tick(&h);
	CHECK_EQ(cell(&h, 0, "limit"), 46);
	/* a class has its own */
	CHECK_EQ(fill(&h, 0, 3), 45);
	close_host(&h);
}

/* Whatever is said of links and limits, what is queued stays. */
static void never_drops(void)
{
	static const struct { u32 kbps, frames, free_ppm; } links[] = {
		{ 300000, 32, 1000000 }, { 6500, 1, 1000000 }, { 6500, 1, 1000 }, { 300000, 2, 10000 },
		{ 1000, 1, 1 }, { 0, 0, 0 }, { 6500, 1, 50000 },
	};

	for (u32 k = 0; k < 2; k++) {
		struct host h;
		u32 n;

		open_host(&h, "wqm", k ? STUDY : "", 512);
		tell(&h, 0, 600000, 64, 1000000);
		n = fill(&h, 0, 0);
		CHECK(n >= 64);
		h.drops = 0;
		for (u32 i = 0; i < 70; i++) {
			tell(&h, 0, links[i % 7].kbps, links[i % 7].frames, links[i % 7].free_ppm);
			tick(&h);
			CHECK_EQ(h.q->qlen, n);
		}
		tell(&h, 0, 6500, 1, 50000);
		for (u32 i = 0; i < 20; i++)
			tick(&h);
		CHECK_EQ(h.drops, 0);
		CHECK_EQ(stat(&h, "limit"), 1);
		/* an arrival is refused until less than B is queued */
		CHECK_EQ(fill(&h, 0, 0), 0);
		CHECK_EQ(h.drops, 1);
		CHECK_EQ(empty(&h), n);
		CHECK_EQ(fill(&h, 0, 0), 1);
		close_host(&h);
	}
}

/* Bounds hold at once: a floor that rises, a largest limit that falls; K goes before it. */
static void bounds(void)
{
	struct host h;

	open_host(&h, "wqm", STUDY "frames=8", 256);
	tell(&h, 0, 6500, 1, 1000000);
	CHECK_EQ(stat(&h, "limit"), 2);
	tell(&h, 0, 300000, 32, 1000000);
	CHECK_EQ(stat(&h, "limit"), 32);
	CHECK_EQ(stat(&h, "floors"), 1);
	change(&h, "most=20", h.now);
	CHECK_EQ(stat(&h, "limit"), 32);
	tell(&h, 0, 300000, 8, 1000000);
	CHECK_EQ(stat(&h, "limit"), 20);
	CHECK_EQ(stat(&h, "caps"), 1);
	close_host(&h);
	/* by default 5 ms at the station's rate: ceil(62.5) and ceil(5.42) */
	open_host(&h, "wqm", "rate_source=1 least=1 first=200 idle_grow=2", 512);
	tell(&h, 0, 150000, 32, 1000000);
	CHECK_EQ(fill(&h, 0, 0), 63);
	empty(&h);
	tell(&h, 0, 13000, 4, 1000000);
	CHECK_EQ(fill(&h, 0, 0), 6);
	close_host(&h);
}

/* What is given is within each other, with what the profile has where nothing is given. */
static void refused_bounds(void)
{
	static const char *const cases[][2] = {
		{ STUDY "first=200", "first" }, { STUDY "first=96", "first" }, { STUDY "first=95", "" },
		{ STUDY "first=31", "first" }, { STUDY "first=32", "" }, { STUDY "first=10 frames=8", "" },
		{ STUDY "least=200", "least" }, { STUDY "least=95", "" }, { STUDY "least=1,96", "least" },
		{ STUDY "frames=96", "most" }, { STUDY "frames=96 most=96", "" }, { STUDY "frames=96 least=2", "" },
		{ "most=10 frames=32", "most" }, { "most=10 least=2", "" }, { "most=10 least=2,0", "most" },
		{ "first=200", "" }, { "first=31", "first" }, { "least=65535", "" }, { "most=40 first=41", "first" },
		{ "least=50 most=49", "least" }, { "interval=999999", "interval" },
	};

	for (u32 i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (strcmp(refused(cases[i][0]), cases[i][1])) {
			fprintf(stderr, "%s: refused '%s'\n", cases[i][0], refused(cases[i][0]));
			CHECK(false);
		}
}

/* First limits: R ARTT / L, rounded up; an aggregate; drain times. */
static void formulas(void)
{
	static const u32 first[][3] = { { 6500, 1, 2 }, { 13000, 4, 5 }, { 65000, 1, 4 }, { 65000, 21, 25 },
		{ 144400, 32, 39 }, { 300000, 32, 45 }, { 450000, 32, 51 }, { 600000, 32, 56 }, { 600000, 42, 67 },
		{ 600000, 64, 90 } };

	for (u32 i = 0; i < sizeof(first) / sizeof(*first); i++)
		CHECK_EQ(at_wqm_first(first[i][0], first[i][1]), first[i][2]);
	CHECK_EQ(at_wqm_within(300000, AT_WQM_ROUND), 125);
	CHECK_EQ(at_wqm_aggregate(300000, 32), 33000 + 1312426);
	CHECK_EQ(at_wqm_drain(1000 * 1500, 600000, 0, 1000000), 20 * MS);
	CHECK_EQ(at_wqm_drain(1000 * 1500, 6500, 0, 1000000), 1846153846);
	CHECK_EQ(at_wqm_drain(100 * 1500, 65000, 0, 1000000), 18461538);
	CHECK_EQ(at_wqm_drain(100 * 1500, 65000, 0, 333333), 55384670);
	CHECK_EQ(at_wqm_drain_framed(45 * 1500, 45, 32, 300000, 1000000), 2283600);
	CHECK_EQ(at_wqm_drain(~0u, 100, 0, 1), AT_WQM_LONGEST);	/* nothing overflows */
	CHECK_EQ(at_wqm_drain(1250000, 1000, 0, 1), AT_WQM_LONGEST);
	CHECK_EQ(at_wqm_drain(~0ull >> 24, 1000, AT_NEVER >> 20, 1), AT_WQM_LONGEST);
}

/* What the default makes of a link: what aggregates carry, no drain time below an
 * aggregate's, what waits below. */
static void hardened(void)
{
	struct at_link l = link_of(0, 13000, 4, 4200000, 1000000);
	struct host h;

	open_host(&h, "wqm", "idle_grow=2", 256);
	h.q->ops->link(h.q, &l, 0);
	put(&h, 0, 1500, 0);
	CHECK_EQ(stat(&h, "rate"), 11428000);		/* 4 packets in 4.2 ms */
	CHECK_EQ(stat(&h, "limit"), 5);
	fill(&h, 0, 0);
	CHECK_EQ(stat(&h, "drain"), 5250262);
	tick(&h);
	tick(&h);
	CHECK_EQ(stat(&h, "limit"), 4);			/* above 4.2 ms */
	empty(&h);
	for (u32 i = 0; i < 3; i++)
		put(&h, 0, 1500, h.now);
	tick(&h);
	tick(&h);
	CHECK_EQ(stat(&h, "limit"), 5);			/* 3.15 ms: below */
	l.below_bytes = 3000;
	h.q->ops->link(h.q, &l, h.now);
	CHECK_EQ(stat(&h, "waiting"), 7500);
	CHECK_EQ(stat(&h, "drain"), 5250262);
	tick(&h);
	tick(&h);
	CHECK_EQ(stat(&h, "limit"), 4);
	l.below_bytes = 0;
	h.q->ops->link(h.q, &l, h.now);
	CHECK_EQ(stat(&h, "waiting"), 4500);
	/* F has a floor */
	l.free_ppm = 1;
	h.q->ops->link(h.q, &l, h.now);
	CHECK_EQ(stat(&h, "free"), 50000);
	CHECK_EQ(stat(&h, "drain"), 63003150);
	close_host(&h);
}

/* One queue: R and K of who was served last. */
static void last_rate(void)
{
	struct at_link gone = { .sta = 1 };
	struct host h;
	struct at_ticket t;

	open_host(&h, "wqm", STUDY, 256);
	tell(&h, 0, 300000, 32, 1000000);
	tell(&h, 1, 13000, 4, 1000000);
	CHECK_EQ(stat(&h, "rate"), 13000000);		/* nobody was: who was told last */
	for (u16 sta = 0; sta < 2; sta++) {
		struct at_pkt *p = new_pkt(&h, sta, 1500);

		p->sta = sta;
		CHECK_EQ(push(&h, p, 0), AT_OK);
	}
	get(&h, &t, 0);
	CHECK_EQ(stat(&h, "rate"), 13000000);
	tick(&h);
	CHECK_EQ(stat(&h, "rate"), 300000000);
	CHECK_EQ(stat(&h, "limit"), 45);
	get(&h, &t, h.now);
	tick(&h);
	CHECK_EQ(stat(&h, "rate"), 13000000);
	/* who was served last leaves: R and K hold until another one is */
	h.q->ops->link(h.q, &gone, h.now);
	tell(&h, 0, 300000, 32, 1000000);
	tick(&h);
	CHECK_EQ(stat(&h, "rate"), 13000000);
	CHECK_EQ(stat(&h, "frames"), 4);
	put(&h, 0, 1500, h.now);
	get(&h, &t, h.now);
	tick(&h);
	CHECK_EQ(stat(&h, "rate"), 300000000);
	close_host(&h);
}

/* All that waits below counts for the one queue, if it counts. */
static void below_of_all(void)
{
	static const u32 bytes[] = { 3000, 1500 };
	struct host h;

	open_host(&h, "wqm", STUDY "below=2", 256);
	for (u16 sta = 0; sta < 2; sta++) {
		struct at_link l = link_of(sta, 12000, 4, 0, 1000000);

		l.below_bytes = bytes[sta];
		h.q->ops->link(h.q, &l, 0);
	}
	put(&h, 0, 1500, 0);
	CHECK_EQ(stat(&h, "waiting"), 6000);
	CHECK_EQ(stat(&h, "drain"), 4 * MS);
	h.q->ops->link(h.q, &(struct at_link){ .sta = 0 }, 0);
	CHECK_EQ(stat(&h, "waiting"), 3000);
	close_host(&h);
}

/* What waits below for a station is shared by its queues, by what they have: together they
 * count it once. */
static void below_of_classes(void)
{
	struct at_link l = link_of(1, 12000, 4, 0, 1000000);
	struct host h;

	open_host(&h, "wqm", "rate_source=1", 256);
	l.below_bytes = 6000;
	h.q->ops->link(h.q, &l, 0);
	push(&h, pkt_of(&h, 1, 0, 1500), 0);
	push(&h, pkt_of(&h, 1, 3, 500), 0);
	/* 4500 and 1500 of 6000 bytes; each has half of the turns */
	CHECK_EQ(stat(&h, "waiting"), 6000);
	CHECK_EQ(stat(&h, "drain"), 8 * MS);
	CHECK_EQ(cell_of(&h, 1, 3, "drain"), 2666666);
	empty(&h);
	CHECK_EQ(cell_of(&h, 1, 3, "drain"), 4 * MS);	/* of nobody's: all */
	close_host(&h);
}

/* interval=0: at each arrival, as in the full-duplex port: 1 to 24 packets from 2 on. */
static void each_arrival(void)
{
	struct host h;

	open_host(&h, "wqm", STUDY "interval=0 least=1 most=24 first=2 frames=1 rate=54000000", 256);
	put(&h, 0, 1500, 0);				/* T 0: armed */
	CHECK_EQ(stat(&h, "limit"), 2);
	put(&h, 0, 1500, 0);
	CHECK_EQ(stat(&h, "limit"), 3);
	/* each that sees at most 11 packets, 2.44 ms, adds one; who sees 12 sets the alarm, who
	 * sees 13 halves 13 */
	CHECK_EQ(fill(&h, 0, 0), 11);
	CHECK_EQ(h.q->qlen, 13);
	CHECK_EQ(stat(&h, "limit"), 6);
	tick(&h);
	CHECK_EQ(stat(&h, "limit"), 6);
	close_host(&h);
}

/* Laws: what a limit of 40 is after it rose, and was cut. */
static void laws(void)
{
	static const u64 want[4][2] = { { 41, 20 }, { 41, 40 }, { 80, 79 }, { 80, 40 } };

	for (u32 law = 0; law < 4; law++) {
		struct host h;
		char args[80];

		snprintf(args, sizeof(args), STUDY "law=%u least=1 first=40 confirm=1 rate=300000000", law);
		open_host(&h, "wqm", args, 256);
		tick(&h);
		CHECK_EQ(stat(&h, "limit"), want[law][0]);
		change(&h, "rate=1000000", h.now);
		fill(&h, 0, 0);
		tick(&h);
		CHECK_EQ(stat(&h, "limit"), want[law][1]);
		close_host(&h);
	}
}

/* Nobody called tick(): the looks were taken all the same, with what there was. */
static void made_up_for(void)
{
	for (u64 seed = 1; seed <= 200; seed++) {
		struct host a, b;
		u64 draws = seed;

		open_host(&a, "wqm", seed % 2 ? STUDY "most=300" : "idle_grow=2 most=300", 256);
		open_host(&b, "wqm", seed % 2 ? STUDY "most=300" : "idle_grow=2 most=300", 256);
		for (u32 step = 0; step < 60; step++) {
			u32 kbps = 6500u << below(&draws, 6), free_ppm = 1 + (u32)below(&draws, 1000000);
			u32 frames = 1 + (u32)below(&draws, 32), n = (u32)below(&draws, 40);
			u64 until = a.now + below(&draws, 3 * SEC);

			while (a.now / TICK < until / TICK) {
				a.now = (a.now / TICK + 1) * TICK;
				a.q->ops->tick(a.q, a.now);
			}
			a.now = b.now = until;
			if (below(&draws, 2)) {
				tell(&a, 0, kbps, frames, free_ppm);
				tell(&b, 0, kbps, frames, free_ppm);
			}
			if (below(&draws, 2)) {
				empty(&a);
				empty(&b);
			}
			while (n--)
				CHECK_EQ(put(&a, 0, 1500, until), put(&b, 0, 1500, until));
			/* the last look is over for both, as something came */
			CHECK_EQ(put(&a, 0, 1500, until), put(&b, 0, 1500, until));
			CHECK_EQ(stat(&a, "limit"), stat(&b, "limit"));
			CHECK_EQ(stat(&a, "raises"), stat(&b, "raises"));
			CHECK_EQ(stat(&a, "halvings"), stat(&b, "halvings"));
		}
		close_host(&a);
		close_host(&b);
	}
}

/* Airtime of two stations that always have `depth` packets, at these rates. */
static void air_of(const char *args, const u32 kbps[2], u32 depth, u64 air[2])
{
	struct host h;
	struct at_ticket t;

	air[0] = air[1] = 0;
	open_host(&h, "wqm", args, 512);
	tell(&h, 0, kbps[0], 32, 1000000);
	tell(&h, 1, kbps[1], 1, 1000000);
	for (u32 i = 0; i < 100; i++)
		push(&h, pkt_of(&h, 0, 0, 1500), 0);
	for (u32 i = 0; i < depth; i++)
		push(&h, pkt_of(&h, 1, 0, 1500), 0);
	while (h.now < 20 * SEC) {
		struct at_pkt *p = get(&h, &t, h.now);
		u64 ns = p->bytes * 8000000ull / kbps[p->sta];

		air[p->sta] += ns;
		h.now += ns;
		CHECK_EQ(push(&h, pkt_of(&h, p->sta, 0, 1500), h.now), AT_OK);
	}
	close_host(&h);
}

/* A slow station that has one packet at a time has no more air than its half: its debt is not
 * forgiven when its queue is empty. Also below 123 kb/s, where a byte takes more than 2^16 ns. */
static void debts(void)
{
	static const u32 kbps[] = { 1000, 110, 24 };
	u64 air[2];

	for (u32 i = 0; i < 3; i++)
		for (u32 depth = i < 2 ? 1 : 2; depth <= 2; depth++) {
			air_of("rate_source=1 least=100", (u32[]){ 300000, kbps[i] }, depth, air);
			CHECK(air[1] > 9 * SEC && air[1] < 105 * SEC / 10);
		}
}

/* A debt is forgotten a quarter of a second after the last packet went, and no sooner. */
static void debts_end(void)
{
	for (u32 ms = 200; ms <= 300; ms += 100) {
		struct host h;
		struct at_ticket t;

		open_host(&h, "wqm", "rate_source=1 least=100", 512);
		tell(&h, 0, 300000, 32, 1000000);
		tell(&h, 1, 1000, 1, 1000000);
		push(&h, pkt_of(&h, 1, 0, 1500), SEC);
		CHECK_EQ(get(&h, &t, SEC)->sta, 1);		/* 12 ms, of which 10 are owed */
		h.now = SEC + ms * MS;
		for (u32 i = 0; i < 80; i++)			/* 3.2 ms */
			push(&h, pkt_of(&h, 0, 0, 1500), h.now);
		push(&h, pkt_of(&h, 1, 0, 1500), h.now);
		for (u32 i = 0; i < 79; i++)
			if (get(&h, &t, h.now)->sta == 1)
				h.drops++;
		CHECK_EQ(h.drops, ms == 300);
		close_host(&h);
	}
}

/* 300 and 13 Mb/s, both always with packets: as much airtime each, so that bytes are as
 * rates are; and nobody waits longer than a turn and a packet. */
static void turns(void)
{
	u64 bytes[2] = { 0, 0 }, now = 0;
	struct host h;
	struct at_ticket t;

	open_host(&h, "wqm", "rate_source=1 least=100", 512);
	tell(&h, 0, 300000, 32, 1000000);
	tell(&h, 1, 13000, 4, 1000000);
	fill(&h, 0, 0);
	fill(&h, 1, 0);
	while (now < 10 * SEC) {
		struct at_pkt *p = get(&h, &t, 0);
		u16 sta = p->sta;

		now += p->bytes * 8000000ull / (sta ? 13000 : 300000);
		bytes[sta] += p->bytes;
		p = new_pkt(&h, sta, 1500);
		p->sta = sta;
		CHECK_EQ(push(&h, p, 0), AT_OK);
	}
	CHECK(bytes[0] * 13 > bytes[1] * 300 * 99 / 100 && bytes[0] * 13 < bytes[1] * 300 * 101 / 100);
	close_host(&h);
}

/* A station's link comes no more: what was said last holds, and it shows after 2 s, also while
 * others' come. */
static void silent(void)
{
	struct host h;

	for (u32 k = 0; k < 2; k++) {
		open_host(&h, "wqm", k ? "rate_source=1" : STUDY, 256);
		h.now = 10 * SEC;
		CHECK_EQ(stat(&h, "silent"), 0);		/* nobody ever said anything */
		tell(&h, 0, 300000, 32, 400000);
		put(&h, 0, 1500, h.now);
		h.now += 2 * SEC - 1;
		tell(&h, 1, 6500, 1, 400000);
		CHECK_EQ(stat(&h, "silent"), 0);
		CHECK_EQ(cell(&h, 0, "silent"), 0);
		h.now++;
		CHECK_EQ(stat(&h, "silent"), 1);
		CHECK_EQ(stat(&h, "free"), 400000);
		if (k) {
			CHECK_EQ(cell(&h, 0, "silent"), 1);
			CHECK_EQ(cell(&h, 0, "rate"), 300000000);
		}
		h.q->ops->link(h.q, &(struct at_link){ .sta = 0 }, h.now);
		CHECK_EQ(stat(&h, "silent"), 0);		/* who left is not silent */
		tell(&h, 0, 300000, 32, 400000);
		CHECK_EQ(stat(&h, "silent"), 0);
		close_host(&h);
	}
}

/* Stations from `stations` on share a place, and what is told of them holds for nobody: not for
 * those told apart, not for each other. Of one queue it is the last packet's R all the same. */
static void strangers(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "wqm", "rate_source=1", 512);
	tell(&h, 0, 300000, 32, 1000000);
	tell(&h, 64, 6500, 1, 1000000);
	CHECK_EQ(fill(&h, 0, 0), 45);
	CHECK_EQ(cell_of(&h, 0, 0, "rate"), 300000000);
	CHECK_EQ(fill(&h, 64, 0), 45);
	CHECK_EQ(fill(&h, 65, 0), 0);
	CHECK_EQ(cell_of(&h, 65, 0, "rate"), 300000000);
	close_host(&h);
	open_host(&h, "wqm", STUDY, 512);
	tell(&h, 0, 300000, 32, 1000000);
	tell(&h, 64, 13000, 4, 1000000);
	push(&h, pkt_of(&h, 64, 0, 1500), 0);
	get(&h, &t, 0);
	tick(&h);
	CHECK_EQ(stat(&h, "rate"), 13000000);
	close_host(&h);
}

/* Who left is forgotten, and who gets his number begins anew. */
static void left(void)
{
	struct at_link gone = { .sta = 0 };
	struct host h;

	open_host(&h, "wqm", "rate_source=1 rate=6500000 frames=1", 256);
	tell(&h, 0, 300000, 32, 1000000);
	CHECK_EQ(fill(&h, 0, 0), 45);
	h.q->ops->link(h.q, &gone, 0);
	CHECK_EQ(h.q->qlen, 45);
	CHECK_EQ(cell(&h, 0, "rate"), 6500000);
	CHECK_EQ(cell(&h, 0, "limit"), 2);
	tell(&h, 0, 65000, 21, 1000000);
	CHECK_EQ(cell(&h, 0, "limit"), 25);
	close_host(&h);
}

static void hear_from(struct host *h, u16 stations)
{
	struct at_heard e = { .air = 1000 };

	for (u32 i = 0; i < 4u * stations; i++) {
		e.sta = (u16)(i % stations);
		h->q->ops->heard(h->q, &e, h->now);
	}
}

/* 1/n of the time, by how many others were heard in the last whole interval, or since. */
static void heard(void)
{
	struct host h;

	open_host(&h, "wqm", STUDY "free_source=1", 256);
	CHECK_EQ(stat(&h, "free"), 1000000);
	hear_from(&h, 3);
	CHECK_EQ(stat(&h, "free"), 250000);
	fill(&h, 0, 0);
	CHECK_EQ(stat(&h, "drain"), 7200000);
	tick(&h);
	CHECK_EQ(stat(&h, "free"), 250000);
	hear_from(&h, 1);
	CHECK_EQ(stat(&h, "free"), 250000);
	tick(&h);
	CHECK_EQ(stat(&h, "free"), 500000);
	hear_from(&h, 4);
	CHECK_EQ(stat(&h, "free"), 200000);
	h.now += TICK;			/* two at once: nobody was heard in the second one */
	tick(&h);
	CHECK_EQ(stat(&h, "free"), 1000000);
	close_host(&h);
}

/* Looks at arrivals between two of them: F does not jump where an interval begins. */
static void heard_at_arrivals(void)
{
	struct host h;

	open_host(&h, "wqm", STUDY "interval=0 free_source=1 least=1 most=24 first=20 frames=1 rate=54000000", 256);
	for (u32 window = 0; window < 3; window++) {
		h.now = (window * 100 + 50) * MS;
		hear_from(&h, 3);
		CHECK_EQ(stat(&h, "free"), 250000);
		put(&h, 0, 1500, (window * 100 + 101) * MS);
		CHECK_EQ(stat(&h, "free"), 250000);
	}
	close_host(&h);
}

/* An urgent packet finds a place in a full queue; link control waits for no turn. */
static void urgent(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "wqm", "limit=10", 64);
	fill(&h, 0, 0);
	CHECK_EQ(h.q->qlen, 10);
	CHECK_EQ(put_urgent(&h, 7, 3), AT_OK);
	CHECK_EQ(h.q->qlen, 10);
	CHECK_EQ(h.last_why, AT_R_PUSHOUT);
	CHECK_EQ(get(&h, &t, 0)->flow, 7);
	close_host(&h);
}

int main(void)
{
	CASE(formulas());
	CASE(traces());
	CASE(sawtooth());
	CASE(at_the_drain_time());
	CASE(idle());
	CASE(radio());
	CASE(independent());
	CASE(never_drops());
	CASE(bounds());
	CASE(refused_bounds());
	CASE(hardened());
	CASE(last_rate());
	CASE(below_of_all());
	CASE(below_of_classes());
	CASE(each_arrival());
	CASE(laws());
	CASE(made_up_for());
	CASE(turns());
	CASE(debts());
	CASE(debts_end());
	CASE(silent());
	CASE(strangers());
	CASE(left());
	CASE(heard());
	CASE(heard_at_arrivals());
	CASE(urgent());
	return 0;
}
