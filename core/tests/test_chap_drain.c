/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's drain: what a station has queued is held to a limit that follows how long it drains,
 * and the station's own flows lose what is too much. Off, or where no aggregates are told of,
 * chap decides as it does without. The limit is wqm's: by the vectors of test_wqm.c, and by
 * histories at random that both see.
 */
#include "harness.h"

#define FLOWS 24

static struct at_link link_of(u16 sta, u32 kbps, u32 frames, u32 ns)
{
	return (struct at_link){ .sta = sta, .here = true, .phy = 1, .nss = 1, .rate_kbps = kbps,
				 .ampdu_frames = frames, .ampdu_ns = ns, .free_ppm = 1000000 };
}

static void tell(struct host *h, u16 sta, u32 kbps, u32 frames, u32 ns)
{
	struct at_link l = link_of(sta, kbps, frames, ns);

	h->q->ops->link(h->q, &l, h->now);
}

static enum at_verdict put_for(struct host *h, u32 flow, u16 sta, u32 serial)
{
	struct at_pkt *p = new_pkt(h, flow, 1500);

	p->sta = sta;
	p->handle = serial;
	return push(h, p, h->now);
}

/* The same calls; b is told of links, and has a drain or not: packet by packet the same. */
static void same(const char *a_args, const char *b_args, u32 frames, u64 seed)
{
	struct host a, b;
	u64 draws = seed;

	open_flat(&a, a_args, 256);
	open_flat(&b, b_args, 256);
	for (u32 step = 0; step < 20000; step++) {
		u32 flow = (u32)below(&draws, FLOWS);

		a.now = b.now = a.now + below(&draws, 200000);
		if (below(&draws, 50) == 0)
			tell(&b, (u16)below(&draws, 5), 6500u << below(&draws, 4), frames, 1 + (u32)below(&draws, 4000000));
		if (below(&draws, 400) == 0) {
			bool open = below(&draws, 2);
			u16 sta = (u16)below(&draws, 5);

			gate(&a, sta, open);
			gate(&b, sta, open);
		}
		if (below(&draws, 5) < 3) {
			u32 drops = a.drops;

			CHECK_EQ(put_for(&a, flow, (u16)(flow % 5), step), put_for(&b, flow, (u16)(flow % 5), step));
			CHECK_EQ(a.drops, b.drops);
			CHECK(a.drops == drops || a.last_drop->handle == b.last_drop->handle);
		} else {
			struct at_ticket ta, tb;
			struct at_pkt *p = get(&a, &ta, a.now), *o = get(&b, &tb, b.now);

			CHECK_EQ(!p, !o);
			CHECK(!p || p->handle == o->handle);
			if (p)
				report(&a, &ta, 300000, a.now), report(&b, &tb, 300000, b.now);
		}
	}
	close_host(&a);
	close_host(&b);
}

static void as_without(void)
{
	for (u64 seed = 1; seed <= 10; seed++) {
		same("limit=60", "limit=60", 32, seed);			/* off */
		same("limit=60", "limit=60 drain=2500000", 1, seed);	/* no aggregates */
		same("profile=1 limit=60", "profile=1 limit=60 drain=2500000", 32, seed);
	}
}

/* Two stations: the slow one's flows lose, each one's own packets, the fast one's do not. */
static void own_flows(void)
{
	struct host h;
	struct at_ticket t;
	u32 serial = 0;

	open_host(&h, "chap", FLAT "drain=2500000 newcomers=0", 512);
	tell(&h, 0, 300000, 32, 1405000);
	tell(&h, 1, 13000, 4, 4200000);
	/* flow 1 is served, and has spent; flow 3 of the same station has not. Flow 2, of the
	 * other one, has spent most. */
	for (u32 flow = 1; flow <= 2; flow++) {
		CHECK_EQ(put_for(&h, flow, (u16)(flow % 2), ++serial), AT_OK);
		CHECK(get(&h, &t, 0));
		report(&h, &t, flow * 20 * MS, 0);
	}
	for (u32 i = 0; i < 4; i++)
		CHECK_EQ(put_for(&h, 1, 1, ++serial), AT_OK);
	for (u32 i = 0; i < 30; i++)
		CHECK_EQ(put_for(&h, 2, 0, ++serial), AT_OK);
	CHECK_EQ(put_for(&h, 3, 1, ++serial), AT_OK);
	/* five are R ARTT; the sixth takes the oldest of the flow with the least credit */
	CHECK_EQ(put_for(&h, 3, 1, ++serial), AT_OK);
	CHECK_EQ(h.drops, 1);
	CHECK_EQ(h.last_why, AT_R_CLASS);
	CHECK_EQ(h.last_drop->handle, 3);
	CHECK_EQ(put_for(&h, 1, 1, ++serial), AT_CN);
	CHECK_EQ(h.last_drop->handle, 4);
	CHECK_EQ(stat(&h, "drain_drops"), 2);
	CHECK_EQ(h.q->qlen, 35);
	close_host(&h);
}

/* Flows that were never served: while they hold more than half, of the fullest one. */
static void newcomers(void)
{
	struct host h;
	u32 serial = 0;

	open_host(&h, "chap", FLAT "drain=2500000", 512);
	tell(&h, 1, 13000, 4, 4200000);
	for (u32 i = 0; i < 4; i++)
		CHECK_EQ(put_for(&h, 1, 1, ++serial), AT_OK);
	CHECK_EQ(put_for(&h, 2, 1, ++serial), AT_OK);
	CHECK_EQ(put_for(&h, 2, 1, ++serial), AT_OK);
	CHECK_EQ(h.last_drop->handle, 1);
	CHECK_EQ(h.q->qlen, 5);
	close_host(&h);
}

/* A limit that is lowered drops nothing, a rate that rises lifts it at once; who left has none. */
static void changes(void)
{
	struct at_link gone = { .sta = 1 };
	struct host h;
	u32 serial = 0;

	open_host(&h, "chap", FLAT "drain=2500000", 512);
	tell(&h, 1, 300000, 32, 1405000);
	for (u32 i = 0; i < 60; i++)
		put_for(&h, 1, 1, ++serial);
	CHECK_EQ(h.q->qlen, 44);			/* R ARTT at 273.3 Mb/s */
	for (u32 i = 0; i < 10; i++) {
		h.now += 100 * MS;
		tell(&h, 1, 13000, 4, 4200000);
		CHECK_EQ(h.q->qlen, 44);
	}
	put_for(&h, 1, 1, ++serial);			/* one for one */
	CHECK_EQ(h.q->qlen, 44);
	tell(&h, 1, 300000, 64, 2761000);
	for (u32 i = 0; i < 60; i++)
		put_for(&h, 1, 1, ++serial);
	CHECK_EQ(h.q->qlen, 64);
	h.q->ops->link(h.q, &gone, h.now);
	for (u32 i = 0; i < 60; i++)
		put_for(&h, 1, 1, ++serial);
	CHECK_EQ(h.q->qlen, 124);
	h.q->ops->reset(h.q, h.now);
	tell(&h, 1, 13000, 4, 4200000);
	for (u32 i = 0; i < 60; i++)
		put_for(&h, 1, 1, ++serial);
	CHECK_EQ(h.q->qlen, 5);
	close_host(&h);
}

/* Puts packets of a station until one goes for another; how many it has then. */
static u32 fill(struct host *h, u16 sta)
{
	u32 drops = h->drops;

	while (h->drops == drops)
		put_for(h, sta, sta, 0);
	return h->q->qlen;
}

static void empty(struct host *h)
{
	struct at_ticket t;

	while (get(h, &t, h->now))
		;
}

/* A queue that is full at each look; its limits from the first on. The aggregate is told as so
 * short that R is the rate and the drain time 2.5 ms. */
static void trace(u32 kbps, u32 frames, u32 free_ppm, const u16 *want, u32 n)
{
	struct at_link l = link_of(1, kbps, frames, 1000000);
	struct host h;

	l.free_ppm = free_ppm;
	open_host(&h, "chap", FLAT "drain=2500000 target=0", 512);
	h.q->ops->link(h.q, &l, 0);
	for (u32 i = 0; i < n; i++, h.now += 100 * MS) {
		empty(&h);
		CHECK_EQ(fill(&h, 1), want[i]);
	}
	close_host(&h);
}

/* V-WQM-A, B, C, E, F, G as far as an aggregate's packets, and what goes in 5 ms, let them. */
static void traces(void)
{
	static const u16 a[] = { 25, 25, 21, 21 }, c[] = { 45, 45, 32, 32 }, e[] = { 90, 90, 91, 92, 93 };
	static const u16 f[] = { 5, 5, 4, 4 }, g[] = { 39, 39, 32, 32 };
	u16 b[90] = { 45, 45 };

	trace(65000, 21, 1000000, a, 4);
	trace(300000, 32, 500000, c, 4);
	trace(600000, 64, 1000000, e, 5);
	trace(13000, 4, 1000000, f, 4);
	trace(144400, 32, 1000000, g, 4);
	for (u32 i = 2; i < 90; i++) {
		u32 phase = i < 21 ? i + 13 : (i - 21) % 34;

		b[i] = (u16)(phase < 2 ? 32 : phase < 33 ? 31 + phase : 63);
	}
	trace(300000, 32, 1000000, b, 90);
}

/* Told once. What comes at 80 ms of each 100 ms is there at the look, and gone at 120 ms: the
 * look sees what there was, not what comes next. */
static void in_time(void)
{
	static const u32 want[] = { 44, 44, 32, 32, 32, 32 };
	struct at_link l = link_of(1, 300000, 32, 1405000);
	struct host h;

	l.free_ppm = 100000;
	open_host(&h, "chap", FLAT "drain=2500000 target=0", 512);
	h.q->ops->link(h.q, &l, 0);
	for (u32 i = 0; i < 6; i++) {
		h.now = (i * 100 + 80) * MS;
		for (u32 k = 0; k < 200; k++)
			put_for(&h, 1, 1, k);
		CHECK_EQ(h.q->qlen, want[i]);
		h.now += 40 * MS;
		empty(&h);
	}
	close_host(&h);
}

/* A packet of a station goes: the others are closed for no time. */
static void serve(struct host *h, u16 sta, u32 stations, const bool *open)
{
	struct at_ticket t;

	for (u16 i = 0; i < stations; i++)
		gate(h, i, i == sta);
	get(h, &t, h->now);
	for (u16 i = 0; i < stations; i++)
		gate(h, i, open[i]);
}

/* The same packets, links and gates for both, at random: chap holds as many as wqm. */
static void as_wqm(void)
{
	enum { N = 4 };

	for (u64 seed = 1; seed <= 60; seed++) {
		struct host a, b;
		u64 draws = seed;
		bool open[N] = { true, true, true, true };

		open_host(&a, "chap", FLAT "drain=2500000 target=0 newcomers=0 limit=4000", 4096);
		open_host(&b, "wqm", "", 4096);
		for (u32 step = 0; step < 400; step++) {
			u64 until = a.now + (below(&draws, 9) ? below(&draws, 60 * MS) : below(&draws, 3 * SEC));
			u16 sta = (u16)below(&draws, N);

			a.now = b.now = until;
			if (step < N || !below(&draws, 12)) {
				struct at_link l = link_of(step < N ? (u16)step : sta, 65000u << below(&draws, 4),
							   2 + (u32)below(&draws, 31), 1 + (u32)below(&draws, 3000000));

				l.free_ppm = 1 + (u32)below(&draws, 1000000);
				l.below_bytes = (u32)below(&draws, 2) * (u32)below(&draws, 90000);
				a.q->ops->link(a.q, &l, until);
				b.q->ops->link(b.q, &l, until);
			}
			if (step < N)
				continue;
			if (!below(&draws, 20)) {
				open[sta] ^= true;
				gate(&a, sta, open[sta]);
				gate(&b, sta, open[sta]);
			}
			for (u64 n = below(&draws, 40); n; n--) {
				serve(&a, sta, N, open);
				serve(&b, sta, N, open);
			}
			sta = (u16)below(&draws, N);
			for (u64 n = below(&draws, 3) * below(&draws, 40); n; n--) {
				put_for(&a, sta, sta, 0);
				put_for(&b, sta, sta, 0);
				CHECK_EQ(a.q->qlen, b.q->qlen);
			}
		}
		close_host(&a);
		close_host(&b);
	}
}

/* Stations beyond those that are told apart have no bound, and give nobody theirs. */
static void strangers(void)
{
	struct host h;

	open_host(&h, "chap", FLAT "drain=2500000", 512);
	tell(&h, 1, 300000, 32, 1405000);
	tell(&h, 257, 6500, 2, 4000000);
	for (u32 i = 0; i < 100; i++)
		put_for(&h, 1, 1, i);
	CHECK_EQ(h.q->qlen, 44);
	for (u32 i = 0; i < 100; i++)
		put_for(&h, 2, 257, i);
	CHECK_EQ(h.q->qlen, 144);
	close_host(&h);
}

/* A station is told of no more: what was said holds, and it shows after 2 s, whoever else is
 * told of. */
static void silent(void)
{
	struct host h;

	open_host(&h, "chap", FLAT "drain=2500000", 512);
	h.now = 10 * SEC;
	CHECK_EQ(stat(&h, "drain_silent"), 0);
	tell(&h, 1, 300000, 32, 1405000);
	h.now += 2 * SEC - 1;
	tell(&h, 2, 300000, 32, 1405000);
	CHECK_EQ(stat(&h, "drain_silent"), 0);
	h.now++;
	CHECK_EQ(stat(&h, "drain_silent"), 1);
	CHECK_EQ(fill(&h, 1), 44);
	h.q->ops->link(h.q, &(struct at_link){ .sta = 1 }, h.now);
	CHECK_EQ(stat(&h, "drain_silent"), 0);
	close_host(&h);
	open_host(&h, "chap", FLAT "", 8);
	tell(&h, 1, 300000, 32, 1405000);
	h.now += 3 * SEC;
	CHECK_EQ(stat(&h, "drain_silent"), 0);		/* off */
	close_host(&h);
}

int main(void)
{
	CASE(as_without());
	CASE(own_flows());
	CASE(newcomers());
	CASE(changes());
	CASE(traces());
	CASE(in_time());
	CASE(as_wqm());
	CASE(strangers());
	CASE(silent());
	return 0;
}
