/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap with a target: CoDel inside each flow, and nothing else changed.
 */
#include "senders.h"

#define TARGET "target=5000000 "

/* Two bulk senders, each with its own backlog, and a game, which chap serves
 * at once either way. */
static void bulk_and_game(void)
{
	static struct loop off, on;

	run_loop(&off, "chap", "", 2);
	run_loop(&on, "chap", TARGET, 2);
	CHECK(off.median > 300);
	CHECK(on.median <= 5);
	CHECK(on.used > 0.85);
	CHECK_EQ(on.game_worst, off.game_worst);
	CHECK(!on.game_worst && !on.game_lost && !off.game_lost);
	/* what mac80211 uses for Wi-Fi costs less goodput */
	run_loop(&on, "chap", "target=20000000", 2);
	CHECK(on.median <= 20);
	CHECK(on.used > 0.95);
	CHECK(!on.game_worst && !on.game_lost);
}

/* A target that no packet reaches: the same packets leave and are dropped, at
 * the same times, as without. */
static void unreached_target(void)
{
	struct host off, on;
	struct at_ticket t, u;
	u64 seed = 3, now = 0;

	open_host(&off, "chap", "limit=40 flows=64", 100);
	open_host(&on, "chap", "limit=40 flows=64 target=1000000000", 100);
	for (u32 step = 0; step < 200000; step++) {
		u32 flow = (u32)below(&seed, 12), bytes = 40 + (u32)below(&seed, 1460);
		struct at_pkt *p, *q;

		now += below(&seed, 200000);
		if (below(&seed, 2)) {
			CHECK_EQ(put(&off, flow, bytes, now), put(&on, flow, bytes, now));
			continue;
		}
		p = get(&off, &t, now);
		q = get(&on, &u, now);
		CHECK(!p == !q);
		if (!p)
			continue;
		CHECK(p - off.pkts == q - on.pkts && !memcmp(&t, &u, sizeof(t)));
		report(&off, &t, bytes * 200, now);
		report(&on, &u, bytes * 200, now);
	}
	CHECK(off.drops > 1000 && off.drops == on.drops);
	close_host(&off);
	close_host(&on);
}

/* Flow 1 always has packets of 50 ms; one leaves every 10 ms until there were
 * `drops` more. The time between the first and the second of them, ns. */
static u64 standing(struct host *h, u32 drops, u64 *now)
{
	u64 first = 0, second = 0;
	u32 before = h->drops;
	struct at_ticket t;

	while (h->drops < before + drops) {
		u32 had = h->drops;

		while (h->q->qlen < 12)
			put(h, 1, 1500, *now);
		*now += 10 * MS;
		get(h, &t, *now);
		if (h->drops > had && !first)
			first = *now;
		else if (h->drops > had && !second)
			second = *now;
	}
	while (h->q->qlen)
		give_back(h, h->q->ops->drain(h->q));
	*now += 2 * MS;
	return second - first;
}

/* A flow that comes back soon is told to slow down at the rate of before; a new
 * flow in its record is not. */
static void memory_of_a_flow(void)
{
	struct host h;
	u64 now = 0;

	open_host(&h, "chap", TARGET, 64);
	CHECK_EQ(standing(&h, 20, &now), 100 * MS);
	CHECK_EQ(standing(&h, 20, &now), 30 * MS);	/* 100 / sqrt(19) = 23 */
	close_host(&h);
	now = 0;
	open_host(&h, "chap", TARGET "udp_timeout=1000000", 64);
	CHECK_EQ(standing(&h, 20, &now), 100 * MS);
	CHECK_EQ(standing(&h, 20, &now), 100 * MS);
	CHECK_EQ(h.q->dropped[AT_R_AQM], 40);
	CHECK_EQ(stat(&h, "codel_drops"), 40);
	close_host(&h);
}

/* An interval begins anew when the backlog was emptied, however that came. */
static void emptied(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "chap", TARGET, 64);
	for (u32 i = 0; i < 5; i++)
		put(&h, 1, 1500, 0);
	get(&h, &t, 50 * MS);
	while (h.q->qlen)
		give_back(&h, h.q->ops->drain(h.q));
	for (u32 i = 0; i < 5; i++)
		put(&h, 1, 1500, 190 * MS);
	get(&h, &t, 200 * MS);
	CHECK_EQ(h.drops, 0);
	/* and this one, of 100 ms, is over */
	get(&h, &t, 300 * MS);
	CHECK_EQ(h.drops, 1);
	close_host(&h);
}

/* Packets that can be marked are, and stay. A drop is free, so the credit is
 * the same. */
static void marks(void)
{
	struct host h[2];
	struct at_ticket t;

	for (u32 i = 0; i < 2; i++) {
		open_host(&h[i], "chap", TARGET, 64);
		for (u64 now = 0; now < SEC; now += 10 * MS) {
			while (h[i].q->qlen < 12) {
				struct at_pkt *p = new_pkt(&h[i], 1, 1500);

				p->flags = i ? AT_F_ECT : 0;
				push(&h[i], p, now);
			}
			get(&h[i], &t, now);
			report(&h[i], &t, MS, now);
		}
	}
	CHECK(h[0].drops > 10 && !stat(&h[0], "marks"));
	CHECK(stat(&h[1], "marks") > 10 && !h[1].drops);
	CHECK_EQ(credit(&h[0], 1), credit(&h[1], 1));
	CHECK_EQ(cell(&h[0], 1, "packets"), cell(&h[1], 1, "packets"));
	close_host(&h[0]);
	close_host(&h[1]);
}

/* The faithful profile has none, nor memory for it; elsewhere it takes 24 bytes
 * a flow. */
static void faithful(void)
{
	struct host h;
	u64 now = 0, size[2];

	open_host(&h, "chap", "profile=1 limit=35", 64);
	size[0] = h.q->ops->state_size(h.vals);
	set_values(&h, h.q->ops, TARGET);
	CHECK_EQ(h.q->ops->state_size(h.vals), size[0]);
	reopen_host(&h, 1);
	for (u32 i = 0; i < 30; i++)
		put(&h, 1, 1500, 0);
	while (h.q->qlen) {
		struct at_ticket t;

		now += 100 * MS;
		CHECK(get(&h, &t, now));
	}
	CHECK_EQ(h.drops, 0);
	close_host(&h);
	open_host(&h, "chap", "", 1);
	size[0] = h.q->ops->state_size(h.vals);
	set_values(&h, h.q->ops, TARGET);
	size[1] = h.q->ops->state_size(h.vals);
	CHECK_EQ(size[1] - size[0], 24 * (4096 + 1));
	close_host(&h);
}

int main(void)
{
	bulk_and_game();
	unreached_target();
	memory_of_a_flow();
	emptied();
	marks();
	faithful();
	return 0;
}
