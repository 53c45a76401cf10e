/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's target: CoDel inside each flow, from 5 ms or two full packets at the
 * flow's own rate on, and nothing else changed.
 */
#include "rfc8289.h"
#include "senders.h"

#define OFF "target=0 "

/* Two bulk senders, each with its own backlog, and a game, which chap serves
 * at once either way. */
static void bulk_and_game(void)
{
	static struct loop off, on;

	run_loop(&off, "chap", FLAT OFF, 2);
	run_loop(&on, "chap", FLAT "", 2);
	CHECK(off.median > 300);
	CHECK(on.median <= 5);
	CHECK(on.used > 0.85);
	CHECK_EQ(on.game_worst, off.game_worst);
	CHECK(!on.game_worst && !on.game_lost && !off.game_lost);
	/* what mac80211 uses for Wi-Fi costs less goodput */
	run_loop(&on, "chap", FLAT "target=20000000", 2);
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

	open_flat(&off, OFF "limit=40 flows=64", 100);
	open_host(&on, "chap", FLAT "limit=40 flows=64 target=1000000000", 100);
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

	open_host(&h, "chap", FLAT "", 64);
	CHECK_EQ(standing(&h, 20, &now), 100 * MS);
	CHECK_EQ(standing(&h, 20, &now), 30 * MS);	/* 100 / sqrt(19) = 23 */
	close_host(&h);
	now = 0;
	open_host(&h, "chap", FLAT "udp_timeout=1000000", 64);
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

	open_host(&h, "chap", FLAT "", 64);
	for (u32 i = 0; i < 5; i++)
		put(&h, 1, 1500, 0);
	get(&h, &t, 50 * MS);
	while (h.q->qlen)
		give_back(&h, h.q->ops->drain(h.q));
	for (u32 i = 0; i < 20; i++)
		put(&h, 1, 1500, 190 * MS);
	for (u32 ms = 200; ms < 300; ms += 10)
		get(&h, &t, ms * MS);
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
		open_host(&h[i], "chap", FLAT "", 64);
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

/* ---- a flow's own rate ---- */

/* Drops in 2 s of a flow that is served each `gap` ms and always has `behind`
 * packets behind the one that leaves: each waits behind + 1 gaps. */
static u32 held(u32 gap, u32 bytes, u32 behind)
{
	struct host h;
	struct at_ticket t;
	u32 drops;

	open_host(&h, "chap", FLAT "", 64);
	for (u64 now = 0; now < 2 * SEC; now += gap * MS) {
		get(&h, &t, now);
		while (h.q->qlen < behind + 1)
			put(&h, 1, bytes, now);
	}
	drops = h.drops;
	close_host(&h);
	return drops;
}

/* 10 ms a packet: 1500 bytes take 18.75 ms where packets have 800, so that 30 ms
 * are less than two of them and 40 ms are more; 10.7 ms where they have 1400; and 10
 * ms where packets are larger. At 1 ms a packet it is the 5 ms that count. */
static void own_rate(void)
{
	CHECK(!held(10, 800, 2) && held(10, 800, 3));
	CHECK(!held(10, 1400, 1) && held(10, 1400, 2));
	CHECK(held(10, 4000, 1) && held(10, 9000, 1));
	CHECK(!held(1, 1500, 3) && held(1, 1500, 4));
}

/* The time without a backlog is no slowness: whatever came before, an interval of
 * standing at 10 ms a packet ends with a drop, and so it is for a new flow in the
 * record of a slow one. */
static void idle_is_not_slow(void)
{
	struct host h;
	struct at_ticket t;
	u64 now = 0;

	open_host(&h, "chap", FLAT "udp_timeout=2000000000", 64);
	for (u32 i = 0; i < 20; i++, now += SEC) {
		for (u32 n = 0; n < 3; n++)
			put(&h, 1, 1500, now);
		for (u32 n = 0; n < 3; n++)
			get(&h, &t, now += MS);
	}
	standing(&h, 1, &now);
	CHECK(now < 20 * SEC + 300 * MS);
	for (u32 i = 0; i < 20; i++)	/* a packet in 500 ms */
		put(&h, 1, 1500, now);
	for (; h.q->qlen; now += 500 * MS)
		get(&h, &t, now);
	now += 3 * SEC;
	h.drops = 0;
	for (u64 end = now + 200 * MS; now < end; now += 10 * MS) {
		while (h.q->qlen < 12)
			put(&h, 1, 1500, now);
		get(&h, &t, now);
	}
	CHECK(h.drops >= 1);
	close_host(&h);
}

/* What a full packet takes, read off the list of departures: a sample each time
 * 1500 bytes more have left since the backlog began, their mean with weight 1/8. */
struct pace {
	u64 from, bytes, mean;
};

static u64 pace_target(struct pace *m, u64 now)
{
	if (m->bytes >= 1500) {
		m->mean = m->mean ? (7 * m->mean + (now - m->from) + 4) / 8 : now - m->from;
		m->from = now;
		m->bytes = m->bytes < 3000 ? m->bytes - 1500 : 0;
	}
	return 2 * m->mean > 5 * MS ? 2 * m->mean : 5 * MS;
}

/* A slow link and a load that swings around what it carries: the packets that leave
 * and those that are dropped are the RFC's with that target. */
static void like_the_rfc(u64 seed)
{
	static struct rfc r;
	struct pace m = { 0 };
	struct host h;
	struct at_ticket t;
	u64 now = 1, load = 0, waits = 0;

	memset(&r, 0, sizeof(r));
	open_host(&h, "chap", FLAT "newcomers=0", 1024);
	for (u32 step = 0; step < 200000; step++) {
		struct at_pkt *p;
		u64 target;
		u32 i;

		if (step % 2000 == 0)
			load = 600 + below(&seed, 700);
		now += 2 * MS + below(&seed, 4 * MS);
		for (u32 n = (u32)below(&seed, 4); n && h.q->qlen < 400; n--) {
			u32 bytes = 200 + (u32)below(&seed, 1300);

			if (below(&seed, 1500) >= load)
				continue;
			p = new_pkt(&h, 1, bytes);
			p->handle = r.tail;
			rfc_arrives(&r, bytes, now);
			push(&h, p, now);
		}
		target = pace_target(&m, now);
		waits += target > 8 * MS;
		i = rfc_dequeue(&r, target, now);
		p = get(&h, &t, now);
		CHECK_EQ(p ? p->handle : ~(u32)0, i);
		CHECK_EQ(h.drops, r.drops);
		if (!m.bytes)
			m.from = now;
		m.bytes = h.q->qlen ? m.bytes + p->bytes : 0;
	}
	CHECK(r.drops > 1000 && waits > 100000);
	close_host(&h);
}

/* The faithful profile has none, nor memory for it; elsewhere it takes 40 bytes
 * a flow. */
static void faithful(void)
{
	struct host h;
	u64 now = 0, size[2];

	open_host(&h, "chap", FLAT "profile=1 limit=35", 64);
	size[0] = h.q->ops->state_size(h.vals);
	set_values(&h, h.q->ops, OFF);
	CHECK_EQ(h.q->ops->state_size(h.vals), size[0]);
	close_host(&h);
	open_host(&h, "chap", FLAT "profile=1 limit=35", 64);
	for (u32 i = 0; i < 30; i++)
		put(&h, 1, 1500, 0);
	while (h.q->qlen) {
		struct at_ticket t;

		now += 100 * MS;
		CHECK(get(&h, &t, now));
	}
	CHECK_EQ(h.drops, 0);
	close_host(&h);
	open_host(&h, "chap", FLAT "", 1);
	size[0] = h.q->ops->state_size(h.vals);
	set_values(&h, h.q->ops, OFF);
	size[1] = h.q->ops->state_size(h.vals);
	CHECK_EQ(size[0] - size[1], 40 * (4096 + 1));
	close_host(&h);
}

int main(void)
{
	CASE(bulk_and_game());
	CASE(unreached_target());
	CASE(memory_of_a_flow());
	CASE(emptied());
	CASE(marks());
	CASE(own_rate());
	CASE(idle_is_not_slow());
	for (u64 seed = 1; seed <= 3; seed++)
		CASE(like_the_rfc(seed));
	CASE(faithful());
	return 0;
}
