/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The discipline codel against the pseudocode of RFC 8289, and rule by rule; the
 * mechanism itself is in test_codel.c.
 */
#include "airtab/codel.h"
#include "rfc8289.h"
#include "senders.h"

/* Load that swings slowly around the capacity: the same packets come out, the same
 * are dropped, at the same times. */
static void like_the_rfc(u64 seed)
{
	static struct rfc r;
	struct host h;
	struct at_ticket t;
	u64 now = 1, load = 0, empty = 0, most = 0;
	u32 made = 0;

	memset(&r, 0, sizeof(r));
	open_host(&h, "codel", "limit=4096 ecn=0", RFC_LEN);
	for (u32 step = 0; step < 200000; step++) {
		struct at_pkt *p;
		u32 want;

		if (step % 2000 == 0)
			load = 500 + below(&seed, 800);
		now += 500000 + below(&seed, 1000000);
		for (u32 n = (u32)below(&seed, 4); n && h.q->qlen < RFC_LEN / 2; n--) {
			u32 bytes = 200 + (u32)below(&seed, 1300);

			if (below(&seed, 1500) >= load)
				continue;
			rfc_arrives(&r, bytes, now);
			p = new_pkt(&h, 1, bytes);
			p->handle = made++;
			push(&h, p, now);
		}
		p = get(&h, &t, now);
		want = rfc_dequeue(&r, AT_CODEL_TARGET, now);
		CHECK_EQ(p ? p->handle : ~(u32)0, want);
		CHECK(!t.gen);
		CHECK_EQ(h.drops, r.drops);
		CHECK_EQ(stat(&h, "codel_drops"), r.drops);
		CHECK_EQ(stat(&h, "count"), r.count);
		empty += !p;
		most = r.count > most ? r.count : most;
	}
	/* all ways were gone */
	CHECK(r.drops > 1000 && empty > 1000 && most > 100);
	CHECK_EQ(h.q->dropped[AT_R_AQM], h.drops);
	close_host(&h);
}

/* Linux's figures, but for ECN. */
static void defaults(void)
{
	const struct at_ops *ops = find_ops("codel");

	CHECK_EQ(ops->params[0].def, 1000);
	CHECK_EQ(ops->params[1].def, 5 * MS);
	CHECK_EQ(ops->params[2].def, 100 * MS);
	CHECK_EQ(ops->params[3].def, 1);
	CHECK(!ops->params[4].name);
}

/* A full queue refuses who comes. */
static void full(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "codel", "limit=3", 16);
	for (u32 f = 1; f <= 3; f++)
		CHECK_EQ(put(&h, f, 1500, 0), AT_OK);
	CHECK_EQ(put(&h, 4, 1500, 0), AT_DROPPED);
	CHECK(h.last_drop->flow == 4 && h.last_why == AT_R_LIMIT);
	change(&h, "limit=2", 0);
	CHECK(h.last_drop->flow == 1 && h.last_why == AT_R_LIMIT);
	CHECK_EQ(get(&h, &t, 0)->flow, 2);
	CHECK_EQ(get(&h, &t, 0)->flow, 3);
	CHECK(!get(&h, &t, 0));
	close_host(&h);
}

/* 20 wait: above 5 ms from 5 ms on, drops at 105 ms and 100, 100 / sqrt 2 ms later.
 * After a reset the same again; what a second had taught would drop sooner. */
static void begins_anew(void)
{
	struct host h;

	open_host(&h, "codel", "", 100);
	CHECK_EQ(drops_with(&h, 20, 0, 104, 0), 0);
	h.q->ops->reset(h.q, 104 * MS);
	h.drops = 0;
	CHECK_EQ(drops_with(&h, 20, SEC, 105, 0), 1);
	CHECK_EQ(drops_with(&h, 20, SEC + 105 * MS, 99, 0), 0);
	CHECK_EQ(drops_with(&h, 20, SEC + 204 * MS, 1, 0), 1);
	CHECK_EQ(drops_with(&h, 20, SEC + 205 * MS, 70, 0), 0);
	CHECK_EQ(drops_with(&h, 20, SEC + 275 * MS, 1, 0), 1);
	CHECK(drops_with(&h, 20, SEC + 276 * MS, 1000, 0) > 10);
	h.q->ops->reset(h.q, 3 * SEC);
	CHECK_EQ(drops_with(&h, 20, 3 * SEC, 204, 0), 1);
	close_host(&h);
}

/* A hand-over that empties the queue ends the time above target. */
static void emptied(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "codel", "", 64);
	for (u32 i = 0; i < 5; i++)
		put(&h, 1, 1500, 0);
	get(&h, &t, 50 * MS);
	while (h.q->qlen)
		give_back(&h, h.q->ops->drain(h.q));
	CHECK(!h.q->ops->drain(h.q));
	for (u32 i = 0; i < 5; i++)
		put(&h, 1, 1500, 190 * MS);
	get(&h, &t, 200 * MS);
	CHECK_EQ(h.drops, 0);
	get(&h, &t, 300 * MS);
	CHECK_EQ(h.drops, 1);
	close_host(&h);
}

static void drops_or_marks(void)
{
	struct host h;

	open_host(&h, "codel", "", 100);
	CHECK_EQ(drops_with(&h, 20, 0, 1000, AT_F_ECT), 0);
	CHECK(stat(&h, "marks") > 10 && !stat(&h, "codel_drops"));
	change(&h, "ecn=0", SEC);
	CHECK(drops_with(&h, 20, SEC, 1000, AT_F_ECT) > 10);
	CHECK_EQ(stat(&h, "codel_drops"), h.drops);
	close_host(&h);
}

/* The age shown is the oldest packet's. */
static void shown(void)
{
	struct host h;

	open_host(&h, "codel", "", 8);
	CHECK_EQ(stat(&h, "sojourn"), 0);
	put(&h, 1, 100, MS);
	put(&h, 1, 100, 3 * MS);
	CHECK_EQ(stat(&h, "sojourn"), 2 * MS);
	close_host(&h);
}

/* Who may go passes parked packets, is judged as if they were behind it, and what
 * CoDel drops is the one that could go. */
static void parked(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "codel", "ecn=0", 16);
	for (u32 i = 0; i < 6; i++) {
		struct at_pkt *p = new_pkt(&h, i, 1500);

		p->sta = i % 2;
		push(&h, p, 0);
	}
	gate(&h, 0, false);
	CHECK_EQ(get(&h, &t, 10 * MS)->flow, 1);
	CHECK_EQ(get(&h, &t, 110 * MS)->flow, 5);	/* 3: an interval above target */
	CHECK_EQ(h.last_drop->flow, 3);
	CHECK(!get(&h, &t, 400 * MS) && h.q->parked == 3);
	gate(&h, 0, true);
	CHECK_EQ(get(&h, &t, 400 * MS)->flow, 2);	/* 0 at 210 ms; one MTU is left alone */
	CHECK_EQ(h.drops, 2);
	close_host(&h);
}

/* Senders that react keep the queue near the target and the link busy. */
static void standing_queue(void)
{
	static struct loop l;

	run_loop(&l, "codel", "target=4000000000 interval=4000000000", 3);
	CHECK(l.median > 300);
	run_loop(&l, "codel", "", 3);
	CHECK(l.median >= 3 && l.median <= 7);
	CHECK(l.used > 0.99);
}

int main(void)
{
	for (u64 seed = 1; seed <= 3; seed++)
		CASE(like_the_rfc(seed));
	CASE(defaults());
	CASE(full());
	CASE(begins_anew());
	CASE(emptied());
	CASE(drops_or_marks());
	CASE(shown());
	CASE(parked());
	CASE(standing_queue());
	return 0;
}
