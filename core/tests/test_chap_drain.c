/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's drain: what a station has queued is held to a limit that follows how long it drains,
 * and the station's own flows lose what is too much. Off, or where no aggregates are told of,
 * chap decides as it does without.
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

	open_host(&a, "chap", a_args, 256);
	open_host(&b, "chap", b_args, 256);
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

	open_host(&h, "chap", "drain=2500000 newcomers=0", 512);
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

	open_host(&h, "chap", "drain=2500000", 512);
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

	open_host(&h, "chap", "drain=2500000", 512);
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

int main(void)
{
	as_without();
	own_flows();
	newcomers();
	changes();
	return 0;
}
