/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * astar: eBDP, ALT and A* by hand (Showail 2016, equations 2.1 to 2.3), and what a report is of.
 */
#include "harness.h"

/* A packet that is served for so long. */
static void serve(struct host *h, u64 ns)
{
	struct at_ticket t;

	CHECK_EQ(put(h, 1, 1500, h->now), AT_OK);
	CHECK(get(h, &t, h->now));
	report(h, &t, ns, h->now + ns);
}

/* 2 ms: 105. 0.5 ms: 405, but 400. An eighth of each: 3 ms: 66 and 5. */
static void ebdp(void)
{
	struct host h;

	open_host(&h, "astar", "law=0", 64);
	CHECK_EQ(stat(&h, "limit"), 400);		/* nothing is known */
	CHECK_EQ(stat(&h, "service"), 0);
	serve(&h, 2 * MS);
	CHECK_EQ(stat(&h, "service"), 2 * MS);
	CHECK_EQ(stat(&h, "limit"), 105);
	serve(&h, 10 * MS);
	CHECK_EQ(stat(&h, "service"), 3 * MS);
	CHECK_EQ(stat(&h, "limit"), 71);
	close_host(&h);
	open_host(&h, "astar", "law=0", 64);
	serve(&h, MS / 2);
	CHECK_EQ(stat(&h, "limit"), 400);
	change(&h, "limit=500", h.now);
	CHECK_EQ(stat(&h, "limit"), 405);
	close_host(&h);
}

/* 100, 0.3 s empty and 0.7 s not: 102.3. It counts when the interval ends. */
static void alt(void)
{
	struct host h;
	struct at_ticket t;

	for (u32 law = 1; law <= 2; law++) {
		char args[40];

		snprintf(args, sizeof(args), "law=%u first=100", law);
		open_host(&h, "astar", args, 64);
		put(&h, 1, 1500, 300 * MS);
		put(&h, 1, 1500, 999 * MS);
		CHECK_EQ(stat(&h, "alt"), 100 << 16);
		put(&h, 1, 1500, SEC);
		CHECK_EQ(stat(&h, "alt"), 6704332);	/* 102.3, of 2^-16 */
		CHECK_EQ(stat(&h, "limit"), 102);
		close_host(&h);
	}
	/* the smaller of both, whichever */
	open_host(&h, "astar", "first=100", 64);
	put(&h, 1, 1500, 300 * MS);
	get(&h, &t, SEC);
	report(&h, &t, 0, SEC);
	CHECK_EQ(stat(&h, "service"), 700 * MS);
	CHECK_EQ(stat(&h, "ebdp"), 5);
	CHECK_EQ(stat(&h, "limit"), 5);
	close_host(&h);
}

/* A*: min(105, 102.3) is 102. */
static void smaller(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "astar", "first=100", 64);
	put(&h, 1, 1500, 0);
	get(&h, &t, 0);
	report(&h, &t, 0, 2 * MS);
	put(&h, 1, 1500, 300 * MS);
	put(&h, 1, 1500, SEC);
	CHECK_EQ(stat(&h, "ebdp"), 105);
	CHECK_EQ(stat(&h, "limit"), 102);
	close_host(&h);
}

/* Time is the queue's: a long silence is made up for, to the bound, and as long a load. */
static void long_silence(void)
{
	struct host h;

	open_host(&h, "astar", "law=1 first=10", 64);
	put(&h, 1, 1500, 3600 * SEC);
	CHECK_EQ(stat(&h, "limit"), 400);
	put(&h, 1, 1500, 3750 * SEC);
	CHECK_EQ(stat(&h, "limit"), 250);
	put(&h, 1, 1500, 90000 * SEC);
	CHECK_EQ(stat(&h, "alt"), 0);
	CHECK_EQ(stat(&h, "limit"), 1);
	close_host(&h);
}

/* From when it was the first: a packet behind another waits, but that is no service. */
static void from_the_head(void)
{
	struct at_ticket a, b, lie = { .gen = 77 };
	struct host h;

	open_host(&h, "astar", "law=0", 64);
	put(&h, 1, 1500, 0);
	put(&h, 1, 1500, 0);
	CHECK(get(&h, &a, 5 * MS));
	CHECK(get(&h, &b, 8 * MS));
	report(&h, &a, 0, 6 * MS);
	CHECK_EQ(stat(&h, "service"), 6 * MS);
	report(&h, &b, 0, 19 * MS);			/* 14 ms */
	CHECK_EQ(stat(&h, "service"), 7 * MS);
	report(&h, &b, 0, 50 * MS);			/* once only */
	report(&h, &lie, 0, 50 * MS);
	CHECK_EQ(stat(&h, "service"), 7 * MS);
	CHECK_EQ(stat(&h, "stale"), 2);
	close_host(&h);
}

static void put_for(struct host *h, u16 sta, u64 now)
{
	struct at_pkt *p = new_pkt(h, sta, 1500);

	p->sta = sta;
	CHECK_EQ(push(h, p, now), AT_OK);
}

/* The size is held to 0 and Q_max where an interval ends, not in between. */
static void held_at_the_end(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "astar", "law=1", 64);
	put(&h, 1, 1500, 500 * MS);
	put(&h, 1, 1500, SEC);
	CHECK_EQ(stat(&h, "alt"), 400 << 16);		/* 400 + 5 - 0.5 */
	close_host(&h);
	open_host(&h, "astar", "law=1 first=1", 64);
	put(&h, 1, 1500, 0);
	CHECK(get(&h, &t, 2900 * MS));
	CHECK_EQ(stat(&h, "alt"), 0);
	put(&h, 1, 1500, 3 * SEC);
	CHECK_EQ(stat(&h, "alt"), 6553);		/* 0 - 0.9 + 1 = 0.1 */
	close_host(&h);
}

/* What a station that sleeps has is no packet of the queue's service: the others' are served
 * for as long as without it. It counts as no packets for ALT. */
static void sleeping(void)
{
	struct at_ticket t;
	struct host h;

	for (u32 asleep = 0; asleep < 2; asleep++) {
		open_host(&h, "astar", "law=0", 64);
		if (asleep) {
			gate(&h, 7, false);
			put_for(&h, 7, 0);
		}
		for (u32 i = 0; i < 40; i++) {
			put_for(&h, 1, h.now + SEC);
			CHECK(get(&h, &t, h.now));
			report(&h, &t, MS, h.now + MS);
		}
		CHECK_EQ(stat(&h, "service"), MS);
		CHECK_EQ(stat(&h, "limit"), 205);
		close_host(&h);
	}
	/* who is first when a gate turns is from then on; who stays it, as before */
	open_host(&h, "astar", "law=0", 64);
	gate(&h, 7, false);
	put_for(&h, 7, 0);
	h.now = 10 * MS;
	gate(&h, 7, true);
	CHECK_EQ(get(&h, &t, 12 * MS)->sta, 7);
	report(&h, &t, 0, 14 * MS);
	CHECK_EQ(stat(&h, "service"), 4 * MS);
	put_for(&h, 1, 20 * MS);
	gate(&h, 7, false);
	put_for(&h, 7, 21 * MS);
	h.now = 30 * MS;
	gate(&h, 7, true);
	CHECK_EQ(get(&h, &t, 31 * MS)->sta, 1);
	report(&h, &t, 0, 32 * MS);
	CHECK_EQ(stat(&h, "service"), 5 * MS);		/* (7 * 4 + 12) / 8 */
	close_host(&h);
	open_host(&h, "astar", "law=1 first=100", 64);
	gate(&h, 7, false);
	put_for(&h, 7, 200 * MS);			/* parked: empty */
	h.now = 600 * MS;
	gate(&h, 7, true);
	put_for(&h, 7, SEC);
	CHECK_EQ(stat(&h, "alt"), 6920601);		/* 0.6 s empty, 0.4 s not: 105.6 */
	close_host(&h);
}

/* A size that falls drops nothing. */
static void never_drops(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "astar", "law=0", 512);
	for (u32 i = 0; i < 400; i++)
		CHECK_EQ(put(&h, 1, 1500, 0), AT_OK);
	CHECK_EQ(put(&h, 1, 1500, 0), AT_DROPPED);
	CHECK(get(&h, &t, 0));
	report(&h, &t, 0, 20 * MS);
	CHECK_EQ(stat(&h, "limit"), 15);
	CHECK_EQ(h.q->qlen, 399);
	CHECK_EQ(put(&h, 1, 1500, h.now), AT_DROPPED);
	CHECK_EQ(h.drops, 2);
	close_host(&h);
}

int main(void)
{
	CASE(ebdp());
	CASE(alt());
	CASE(smaller());
	CASE(long_silence());
	CASE(held_at_the_end());
	CASE(sleeping());
	CASE(from_the_head());
	CASE(never_drops());
	return 0;
}
