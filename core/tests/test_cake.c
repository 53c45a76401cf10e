/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cake rule by rule: the shaper's departures, wake(), sets, isolation, sparse queues,
 * tins and their shares, quanta, overflow, BLUE, reset.
 */
#include "harness.h"

#define NO_COBALT "target=4000000000 interval=4000000000 "

static struct at_ticket ticket;

/* A packet of a flow, station, sender and DSCP. */
static void send(struct host *h, u32 flow, u32 sta, u32 dscp, u32 bytes, u64 now)
{
	struct at_pkt *p = new_pkt(h, flow, bytes);

	p->sta = (u16)sta;
	p->source = 1 + sta;
	p->flags = AT_F_IP;
	p->key.dscp = (u8)dscp;
	push(h, p, now);
}

/* The next packet, after which one like it comes. */
static struct at_pkt turn(struct host *h, u64 now)
{
	struct at_pkt *p = get(h, &ticket, now), was;

	CHECK(p);
	was = *p;
	p = new_pkt(h, was.flow, was.bytes);
	p->sta = was.sta;
	p->source = was.source;
	p->flags = was.flags;
	p->key = was.key;
	push(h, p, now);
	return was;
}

/* ---- the shaper ---- */

/* A backlog of sizes that differ goes at sum of bytes x 8e9 / rate, to the ns: not one
 * before, and wake() says so. */
static void departures(u64 rate, u32 overhead, u32 mpu)
{
	static const u32 sizes[] = { 1500, 40, 576, 1, 1499, 28, 300 };
	u64 now = 1234567, begin = now, bits = 0, due;
	char args[100];
	struct host h;

	snprintf(args, sizeof(args), NO_COBALT "bandwidth=%llu overhead=%u mpu=%u", (unsigned long long)rate,
		 overhead, mpu);
	open_host(&h, "cake", args, 256);
	CHECK_EQ(h.q->ops->wake(h.q, now), AT_NEVER);
	for (u32 i = 0; i < 200; i++)
		put(&h, 1, sizes[i % 7], now);
	for (u32 i = 0; i < 200; i++) {
		u32 counts = sizes[i % 7] + overhead;

		due = begin + (bits * 1000000000 + rate - 1) / rate;
		CHECK_EQ(h.q->ops->wake(h.q, now), due);
		if (i)
			CHECK(!get(&h, &ticket, due - 1));
		CHECK_EQ(get(&h, &ticket, due)->bytes, sizes[i % 7]);
		now = due;
		bits += 8ull * (counts > mpu ? counts : mpu);
	}
	CHECK_EQ(h.q->ops->wake(h.q, now), AT_NEVER);
	CHECK_EQ(stat(&h, "waits"), 199);
	/* the last packet keeps the next one, but a pause gives no credit */
	due = begin + (bits * 1000000000 + rate - 1) / rate;
	put(&h, 1, 100, now);
	CHECK_EQ(h.q->ops->wake(h.q, now), due);
	CHECK(get(&h, &ticket, due));
	put(&h, 1, 1500, due + SEC);
	put(&h, 1, 1500, due + SEC);
	CHECK(get(&h, &ticket, due + SEC));
	CHECK(!get(&h, &ticket, due + SEC));
	close_host(&h);
}

/* Who asks late, while something waits, is given what he missed. */
static void asked_late(void)
{
	struct host h;

	open_host(&h, "cake", NO_COBALT "bandwidth=12000000", 64);	/* 1 ms a packet */
	for (u32 i = 0; i < 20; i++)
		put(&h, 1, 1500, 0);
	CHECK(get(&h, &ticket, 0));
	for (u32 i = 0; i < 10; i++)		/* due from 1 to 10 ms */
		CHECK(get(&h, &ticket, 10 * MS));
	CHECK(!get(&h, &ticket, 10 * MS));
	CHECK_EQ(h.q->ops->wake(h.q, 10 * MS), 11 * MS);
	close_host(&h);
}

/* Without bandwidth nothing waits; a change has its effect at once. */
static void changed(void)
{
	struct host h;

	open_host(&h, "cake", NO_COBALT, 64);
	for (u32 i = 0; i < 20; i++)
		put(&h, 1, 1500, 0);
	CHECK(get(&h, &ticket, 5 * MS));
	CHECK_EQ(h.q->ops->wake(h.q, 5 * MS), AT_NEVER);
	change(&h, "bandwidth=12000000", 5 * MS);
	CHECK(get(&h, &ticket, 5 * MS));
	CHECK_EQ(h.q->ops->wake(h.q, 5 * MS), 6 * MS);
	change(&h, "bandwidth=1200000", 6 * MS);
	CHECK(get(&h, &ticket, 6 * MS));
	CHECK_EQ(h.q->ops->wake(h.q, 6 * MS), 16 * MS);
	change(&h, "limit=10000", 7 * MS);	/* another parameter moves no clock */
	CHECK_EQ(h.q->ops->wake(h.q, 7 * MS), 16 * MS);
	change(&h, "bandwidth=0", 7 * MS);
	CHECK_EQ(h.q->ops->wake(h.q, 7 * MS), AT_NEVER);
	CHECK(get(&h, &ticket, 7 * MS));
	close_host(&h);
}

/* Time in which all stations were closed gives no credit, nor do tins get any. */
static void parked(void)
{
	struct host h;

	open_host(&h, "cake", NO_COBALT "bandwidth=12000000 tins=1", 64);
	for (u32 i = 0; i < 10; i++)
		send(&h, 1, 3, 46, 1500, 0);
	CHECK(get(&h, &ticket, 0));
	gate(&h, 3, false);
	CHECK_EQ(h.q->ops->wake(h.q, 0), AT_NEVER);
	CHECK(!get(&h, &ticket, 50 * MS));
	h.now = 100 * MS;
	gate(&h, 3, true);
	CHECK_EQ(h.q->ops->wake(h.q, 100 * MS), 100 * MS);
	CHECK(get(&h, &ticket, 100 * MS));
	CHECK(!get(&h, &ticket, 100 * MS));
	CHECK_EQ(h.q->ops->wake(h.q, 100 * MS), 101 * MS);
	/* voice has its quarter from 100 ms on, and not what it missed before */
	for (u32 i = 0; i < 20; i++)
		send(&h, 2, 4, 0, 1500, 100 * MS);
	for (u32 i = 101; i <= 108; i++)
		CHECK_EQ(get(&h, &ticket, i * MS)->flow, i % 4 ? 2 : 1);
	close_host(&h);
}

/* Urgent packets go first, but not before the shaper's time, and use it. */
static void urgent(void)
{
	struct host h;
	struct at_pkt *p;

	open_host(&h, "cake", NO_COBALT "bandwidth=8000000", 64);
	put(&h, 1, 1000, 0);
	put(&h, 1, 1000, 0);
	CHECK(get(&h, &ticket, 0));
	p = new_pkt(&h, 7, 200);
	p->cls = AT_URGENT;
	push(&h, p, 0);
	CHECK(!get(&h, &ticket, MS - 1));
	CHECK_EQ(get(&h, &ticket, MS)->flow, 7);
	CHECK_EQ(h.q->ops->wake(h.q, MS), MS + 200000);
	CHECK_EQ(stat(&h, "urgent"), 1);
	close_host(&h);
}

/* ---- sets ---- */

static u32 queue_of(struct host *h, u32 flow)
{
	u64 cols[MAX_COLS];
	u32 cursor = 0;

	while (next_row(h, &cursor, cols))
		if (cols[9] == flow)
			return (u32)cols[0];
	fprintf(stderr, "flow %u has no queue of its own\n", flow);
	abort();
}

/* `n` flows of one set. */
static void of_one_set(u32 *flows, u32 n)
{
	struct host h;
	u32 set = 0, found = 0;

	open_host(&h, "cake", "", 8);
	for (u32 flow = 1; found < n; flow++) {
		put(&h, flow, 100, 0);
		if (!found)
			set = queue_of(&h, flow) / 8;
		if (queue_of(&h, flow) / 8 == set)
			flows[found++] = flow;
		CHECK_EQ(get(&h, &ticket, 0)->flow, flow);
		h.q->ops->reset(h.q, 0);
	}
	close_host(&h);
}

/* Eight flows of a set have a queue each. The ninth shares one: it keeps its order there,
 * even when another queue has become free; later it has its own. */
static void sets(void)
{
	u32 flows[9], queue[8], own = 0, at;
	struct host h;

	of_one_set(flows, 9);
	open_host(&h, "cake", NO_COBALT, 200);
	for (u32 k = 0; k < 5; k++)
		for (u32 i = 0; i < 8; i++)
			put(&h, flows[i], 1000, 0);
	for (u32 i = 0; i < 8; i++) {
		queue[i] = queue_of(&h, flows[i]);
		for (u32 k = 0; k < i; k++)
			CHECK(queue[i] != queue[k]);
		CHECK_EQ(queue[i] / 8, queue[0] / 8);
		CHECK_EQ(cell(&h, queue[i], "backlog"), 5);
	}
	CHECK_EQ(stat(&h, "joined"), 0);
	put(&h, flows[8], 500, 0);
	CHECK_EQ(stat(&h, "joined"), 1);
	for (u32 i = 0; i < 8; i++)
		own += cell(&h, queue[i], "backlog") == 5;
	CHECK_EQ(own, 7);
	for (at = 0; cell(&h, queue[at], "backlog") == 5; at++)
		;
	close_host(&h);
	/* all but the shared queue run empty and are idle: who joined it goes on there */
	open_host(&h, "cake", NO_COBALT "isolation=0", 200);
	for (u32 i = 0; i < 8; i++)
		for (u32 k = 0; k < (i == at ? 30 : 1); k++)
			put(&h, flows[i], 1000, 0);
	put(&h, flows[8], 500, 0);
	for (u32 n = 0; n < 20; n++)
		get(&h, &ticket, 0);
	CHECK_EQ(stat(&h, "sparse"), 0);
	put(&h, flows[8], 501, 0);
	put(&h, flows[8], 502, 0);
	for (u32 n = 0; n < 17; n++)
		CHECK_EQ(get(&h, &ticket, 0)->flow, flows[at]);
	for (u32 want = 500; want <= 502; want++)
		CHECK_EQ(get(&h, &ticket, 0)->bytes, want);
	while (h.q->qlen)
		get(&h, &ticket, 0);
	get(&h, &ticket, 0);
	put(&h, flows[8], 503, 0);
	put(&h, flows[at], 1000, 0);
	CHECK(queue_of(&h, flows[8]) != queue_of(&h, flows[at]));
	close_host(&h);
}

/* 1024 flows at random, 8 ways: hardly any shares a queue (the paper's figure is below 1 %
 * of 500), where one way each would have 39 % of 1024 share. */
static void spread(void)
{
	struct host h;
	u64 seed = 1, shared = 0;

	open_host(&h, "cake", "", 600);
	for (u32 round = 0; round < 20; round++) {
		for (u32 i = 0; i < 500; i++)
			put(&h, (u32)rnd(&seed), 100, 0);
		shared = stat(&h, "joined");
		h.q->ops->reset(h.q, 0);
	}
	CHECK(shared < 20 * 500 / 50);
	close_host(&h);
}

/* ---- isolation ---- */

/* One flow of station 0 beside `others` of station 1, `packets` departures: its part. */
static u32 part_of_lone(const char *args, u32 others, u32 packets)
{
	struct host h;
	u32 n = 0;

	open_host(&h, "cake", args, 400);
	for (u32 k = 0; k < 4; k++)
		for (u32 i = 0; i <= others; i++)
			send(&h, i, i > 0, 0, 1514, 0);
	for (u32 i = 0; i < 4 * others; i++)	/* what all begin with */
		turn(&h, 0);
	for (u32 i = 0; i < packets; i++)
		n += turn(&h, 0).flow == 0;
	close_host(&h);
	return n;
}

static void isolation(void)
{
	CHECK_EQ(part_of_lone(NO_COBALT "isolation=1", 32, 2000), 1000);
	CHECK_EQ(part_of_lone(NO_COBALT "isolation=2", 32, 2000), 1000);
	CHECK_EQ(part_of_lone(NO_COBALT "isolation=3", 32, 2000), 1000);
	CHECK_EQ(part_of_lone(NO_COBALT "isolation=0", 32, 3300), 100);
	CHECK_EQ(part_of_lone(NO_COBALT, 1, 2000), 1000);
}

/* They alternate: a station with 32 flows sends one packet, not 32, between two others. */
static void alternates(void)
{
	struct host h;
	u32 run = 0;

	open_host(&h, "cake", NO_COBALT, 200);
	for (u32 k = 0; k < 4; k++)
		for (u32 i = 0; i <= 32; i++)
			send(&h, i, i > 0, 0, 1514, 0);
	for (u32 i = 0; i < 100; i++)
		turn(&h, 0);
	for (u32 i = 0; i < 1000; i++) {
		run = turn(&h, 0).flow ? run + 1 : 0;
		CHECK(run <= 2);
	}
	close_host(&h);
}

/* Within a station flows have the same; a station with one flow has it to itself. Sizes
 * differ: bytes are what counts. */
static void within(void)
{
	static const u32 size[] = { 1500, 1500, 700, 100 };
	u64 sent[4] = { 0 };
	struct host h;

	open_host(&h, "cake", NO_COBALT, 400);
	for (u32 k = 0; k < 60; k++)
		for (u32 i = 0; i < 4; i++)
			send(&h, i, i > 0, 0, size[i], 0);
	for (u32 i = 0; i < 40000; i++) {
		struct at_pkt p = turn(&h, 0);

		sent[p.flow] += p.bytes;
	}
	for (u32 i = 1; i < 4; i++) {
		s64 gap = (s64)(3 * sent[i]) - (s64)sent[0];

		CHECK(gap < 3 * 5 * 1514 && gap > -3 * 5 * 1514);
	}
	CHECK(sent[0] > 5000000);
	close_host(&h);
}

/* Flow 0: sender 1 to station 1; flow 1: sender 1 to station 2, which has flows 2..9 of
 * sender 2. Station 2's are slowed by each other, so flow 0 has what flow 1 leaves of
 * sender 1's share: rounds of 9, in which flow 1 has one packet and flow 0 eight; sender 2
 * has nine. */
static void both(void)
{
	u32 sent[10] = { 0 };
	struct host h;

	open_host(&h, "cake", NO_COBALT "isolation=3", 100);
	for (u32 k = 0; k < 4; k++)
		for (u32 i = 0; i < 10; i++) {
			struct at_pkt *p = new_pkt(&h, i, 1514);

			p->sta = i ? 2 : 1;
			p->source = i < 2 ? 1 : 2;
			push(&h, p, 0);
		}
	for (u32 i = 0; i < 200; i++)
		turn(&h, 0);
	for (u32 i = 0; i < 1700; i++)
		sent[turn(&h, 0).flow]++;
	/* 9 rounds: 9 packets of station 2, and 8 of flow 0 */
	CHECK(sent[0] >= 799 && sent[0] <= 801);
	for (u32 i = 1; i < 10; i++)
		CHECK(sent[i] >= 99 && sent[i] <= 101);
	close_host(&h);
}

/* Those of whom nothing is known share with nobody. */
static void unknown(void)
{
	struct host h;
	u32 n = 0;

	open_host(&h, "cake", NO_COBALT "isolation=3", 100);
	for (u32 k = 0; k < 4; k++)
		for (u32 i = 0; i < 10; i++) {
			struct at_pkt *p = new_pkt(&h, i, 1514);

			p->sta = AT_NO_STA;
			push(&h, p, 0);
		}
	for (u32 i = 0; i < 1000; i++)
		n += turn(&h, 0).flow == 0;
	CHECK_EQ(n, 100);
	close_host(&h);
}

/* ---- sparse queues ---- */

/* A packet of an idle flow overtakes whatever others have queued. */
static void sparse_first(void)
{
	struct host h;

	open_host(&h, "cake", NO_COBALT, 600);
	for (u32 i = 0; i < 300; i++)
		send(&h, 1 + i % 3, 1 + i % 3, 0, 1514, 0);
	for (u32 i = 0; i < 3; i++)
		CHECK(get(&h, &ticket, 0)->flow != 9);
	for (u32 i = 0; i < 20; i++) {
		send(&h, 9, 9, 0, 200, i);
		CHECK_EQ(get(&h, &ticket, i)->flow, 9);
		for (u32 k = 0; k < 6; k++)
			CHECK(get(&h, &ticket, i)->flow != 9);
	}
	close_host(&h);
}

/* `n` flows of station 1 that send their next packet when `after` others have gone since
 * the one before, so that their queue was found empty, beside a flow of station 0 that
 * always has some: bytes of both. */
static void one_at_a_time(u32 n, u32 after, u64 *sent)
{
	u32 queued = 0, gone[64] = { 0 };
	struct host h;

	sent[0] = sent[1] = 0;
	open_host(&h, "cake", NO_COBALT, 600);
	for (u32 i = 1; i <= n; i++)
		send(&h, i, 1, 0, 1500, 0);
	for (u32 k = 0; k < 20000; k++) {
		u32 flow, back = gone[k % after];

		for (; queued < 50; queued++)
			send(&h, 0, 0, 0, 300, k);
		flow = get(&h, &ticket, k)->flow;
		sent[flow > 0] += flow ? 1500 : 300;
		queued -= !flow;
		if (back)
			send(&h, back, 1, 0, 1500, k);
		gone[k % after] = flow;
	}
	close_host(&h);
}

/* Nobody stays sparse: neither a flow, nor a station by having many of them. */
static void nobody_stays_sparse(void)
{
	u64 sent[2];

	one_at_a_time(1, 1, sent);
	CHECK(sent[1] > 1000000 && sent[1] < sent[0] + 2 * 1514);
	for (u32 after = 1; after <= 64; after *= 2) {
		one_at_a_time(40, after, sent);
		CHECK(sent[1] < sent[0] + 80 * 1514 && sent[0] < sent[1] + 80 * 1514);
	}
}

/* Queues that nobody uses are given up although sparse ones always go first. */
static void idle_ones_leave(void)
{
	struct host h;
	u64 seed = 1;

	open_host(&h, "cake", NO_COBALT, 64);
	put(&h, 1, 100, 0);
	for (u32 i = 0; i < 5000; i++) {
		put(&h, (u32)rnd(&seed), 100, i);
		CHECK(get(&h, &ticket, i));
	}
	CHECK_EQ(stat(&h, "joined"), 0);
	close_host(&h);
}

/* ---- quanta ---- */

/* Packets of 100 bytes that two flows send in a row at a rate: the longest run. */
static u32 run_at(u64 rate, const char *tins, u32 dscp)
{
	char args[100];
	struct host h;
	u32 run = 0, longest = 0, last = 0;
	u64 now = 0;

	snprintf(args, sizeof(args), NO_COBALT "bandwidth=%llu %s", (unsigned long long)rate, tins);
	open_host(&h, "cake", args, 200);
	for (u32 i = 0; i < 100; i++)
		send(&h, 1 + i % 2, 0, dscp, 100, 0);
	for (u32 i = 0; i < 1000; i++) {
		u32 flow;

		if (rate)
			now = h.q->ops->wake(h.q, now);
		flow = turn(&h, now).flow;
		run = flow == last ? run + 1 : 1;
		last = flow;
		if (i > 40)
			longest = run > longest ? run : longest;
	}
	close_host(&h);
	return longest;
}

/* A tin's rate / 8 / 4096, 300 to 1514 bytes. */
static void quanta(void)
{
	CHECK_EQ(run_at(1000000, "", 0), 3);
	CHECK_EQ(run_at(32768000, "", 0), 10);
	CHECK_EQ(run_at(49512000, "", 0), 16);	/* 1511: the remainder is kept */
	CHECK_EQ(run_at(0, "", 0), 16);
	CHECK_EQ(run_at(32768000, "tins=1", 46), 3);	/* voice has a quarter: 250 */
	CHECK_EQ(run_at(32768000, "tins=1", 34), 5);	/* video a half: 500 */
}

/* ---- tins ---- */

/* 0 best effort, 1 bulk, 2 video, 3 voice: the words of tc-cake(8). */
static void dscps(void)
{
	static const u8 video[] = { 34, 36, 38, 26, 28, 30, 24, 18, 20, 22, 16, 4 };
	static const u8 voice[] = { 56, 48, 46, 44, 40, 32 };
	struct host h;
	u8 want[64] = { [8] = 1, [1] = 1 };

	for (u32 i = 0; i < sizeof(video); i++)
		want[video[i]] = 2;
	for (u32 i = 0; i < sizeof(voice); i++)
		want[voice[i]] = 3;
	open_host(&h, "cake", "tins=1", 8);
	for (u32 dscp = 0; dscp < 64; dscp++) {
		send(&h, 5, 0, dscp, 100, 0);
		CHECK_EQ(queue_of(&h, 5) / 1024, want[dscp]);
		get(&h, &ticket, 0);
	}
	put(&h, 5, 100, 0);		/* no IP */
	CHECK_EQ(queue_of(&h, 5) / 1024, 0);
	close_host(&h);
}

/* Tins that always have packets; what each had of `n`, after as many before. */
static void tins_share(const char *args, const u8 *in, u32 tins, u32 n, u32 *sent)
{
	static const u8 dscp[] = { 0, 8, 34, 46 };
	struct host h;
	u64 now = 0;

	memset(sent, 0, 4 * sizeof(*sent));
	open_host(&h, "cake", args, 200);
	for (u32 k = 0; k < 20; k++)
		for (u32 i = 0; i < tins; i++)
			send(&h, in[i], 0, dscp[in[i]], 1500, now);
	for (u32 i = 0; i < 2 * n; i++) {
		if (h.q->ops->wake(h.q, now) != AT_NEVER)
			now = h.q->ops->wake(h.q, now);
		sent[turn(&h, now).flow] += i >= n;
	}
	close_host(&h);
}

/* Below their thresholds tins go before those that are named before them, so voice has a
 * quarter, video half, bulk a sixteenth, and best effort the rest. Without best effort the
 * rest is shared as the thresholds are: voice and video 1 : 2. Alone each has all. */
static void thresholds(void)
{
	static const u8 all[] = { 0, 1, 2, 3 }, two[] = { 2, 3 }, bulk[] = { 1 }, low[] = { 0, 1 };
	u32 sent[4];

	tins_share(NO_COBALT "tins=1 bandwidth=12000000", all, 4, 1600, sent);
	CHECK(sent[3] == 400 && sent[2] == 800 && sent[1] == 100 && sent[0] == 300);
	tins_share(NO_COBALT "tins=1 bandwidth=12000000", low, 2, 1600, sent);
	CHECK(sent[1] == 100 && sent[0] == 1500);
	tins_share(NO_COBALT "tins=1 bandwidth=12000000", two, 2, 1500, sent);
	CHECK(sent[3] == 500 && sent[2] == 1000);
	tins_share(NO_COBALT "tins=1 bandwidth=12000000", bulk, 1, 100, sent);
	CHECK(sent[1] == 100);
}

/* Without a bandwidth: 16 : 1 : 8 : 4. */
static void weights(void)
{
	static const u8 all[] = { 0, 1, 2, 3 };
	static const u32 want[] = { 1600, 100, 800, 400 };
	u32 sent[4];

	tins_share(NO_COBALT "tins=1", all, 4, 2900, sent);
	for (u32 i = 0; i < 4; i++)
		CHECK(sent[i] + 2 >= want[i] && sent[i] <= want[i] + 2);
}

/* What it had beyond its share is not held against voice for more than a packet. */
static void no_debt(void)
{
	struct host h;
	u64 now = 0;

	open_host(&h, "cake", NO_COBALT "tins=1 bandwidth=12000000", 200);
	for (u32 i = 0; i < 105; i++)
		send(&h, 3, 0, 46, 1500, now);
	for (u32 i = 0; i < 100; i++, now += MS)
		CHECK(get(&h, &ticket, now));
	for (u32 i = 0; i < 50; i++)
		send(&h, 0, 0, 0, 1500, now);
	/* its clock is 4 ms after the last packet, at 103 */
	for (u32 i = 0; i < 4; i++, now += MS)
		CHECK_EQ(get(&h, &ticket, now)->flow, i < 3 ? 0 : 3);
	close_host(&h);
}

/* ---- overflow ---- */

/* The queue with the most bytes loses its oldest packet: at random, by rows. */
static void longest_loses(u64 seed)
{
	struct host h;
	u64 cols[MAX_COLS];

	open_host(&h, "cake", NO_COBALT "tins=1 limit=100", 400);
	for (u32 step = 0; step < 6000; step++) {
		u32 drops = h.drops, cursor = 0, flow = (u32)below(&seed, 30);
		u64 most = 0, bytes = 64 + below(&seed, 1400), victims = 0;

		if (below(&seed, step / 500 % 2 ? 3 : 9) == 0) {
			get(&h, &ticket, step);
			continue;
		}
		while (next_row(&h, &cursor, cols)) {
			u64 b = cols[3] + (cols[9] == flow ? bytes : 0);

			most = b > most ? b : most;
		}
		send(&h, flow, flow % 3, flow % 4 * 16, (u32)bytes, step);
		if (h.drops == drops)
			continue;
		CHECK_EQ(h.drops, drops + 1);
		for (cursor = 0; next_row(&h, &cursor, cols);)
			victims += cols[3] + h.last_drop->bytes == most;
		CHECK(victims || h.last_drop->bytes == most);
		CHECK(h.last_why == AT_R_PUSHOUT || h.last_why == AT_R_LIMIT);
	}
	CHECK(stat(&h, "overflows") > 1000);
	close_host(&h);
}

/* BLUE's steps: 1/256 for the first overflow in each target, seen in the row. */
static void blue_steps(void)
{
	struct host h;

	open_host(&h, "cake", "limit=10", 64);
	for (u32 i = 0; i < 12; i++)
		put(&h, 1, 1500, SEC);
	CHECK_EQ(cell(&h, queue_of(&h, 1), "blue"), 1000000 / 256);
	for (u32 i = 1; i <= 4; i++) {
		put(&h, 1, 1500, SEC + i * (5 * MS + 1));
		CHECK_EQ(cell(&h, queue_of(&h, 1), "blue"), (i + 1) * 1000000 / 256);
	}
	h.q->ops->reset(h.q, 2 * SEC);		/* and a reset forgets */
	put(&h, 1, 1500, 2 * SEC);
	CHECK_EQ(cell(&h, queue_of(&h, 1), "blue"), 0);
	CHECK_EQ(cell(&h, queue_of(&h, 1), "count"), 0);
	close_host(&h);
}

/* A sender that never slows down, 3 packets for 2 that go, for 20 s: BLUE takes what CoDel
 * does not, and the queue no longer overflows; after a pause it is forgotten. */
static void blue_helps(void)
{
	struct host h;
	u64 now = 0, overflows = 0;

	open_host(&h, "cake", "limit=50", 64);
	for (u32 i = 0; i < 20000; i++, now += MS) {
		put(&h, 1, 1500, now);
		if (i % 2)
			put(&h, 1, 1500, now);
		CHECK(get(&h, &ticket, now));
		if (i == 15000)
			overflows = stat(&h, "overflows");
	}
	CHECK(stat(&h, "blue_drops") > 100);
	CHECK(stat(&h, "overflows") - overflows < 50);
	while (h.q->qlen)
		get(&h, &ticket, now);
	put(&h, 1, 1500, now + 4096 * 6 * MS);
	CHECK_EQ(cell(&h, queue_of(&h, 1), "blue"), 0);
	close_host(&h);
}

/* However old, the last packet of a queue is sent. */
static void last_stays(void)
{
	struct host h;

	open_host(&h, "cake", "", 64);
	for (u32 i = 0; i < 300; i++) {
		put(&h, 1, 1500, i * SEC);
		CHECK(get(&h, &ticket, i * SEC + 900 * MS));
	}
	CHECK_EQ(h.drops, 0);
	close_host(&h);
}

int main(void)
{
	CASE(departures(10000000, 0, 0));
	CASE(departures(8000000, 18, 64));
	CASE(departures(777777, 0, 0));
	CASE(departures(3000000, 44, 84));
	CASE(departures(999999937, 0, 64));
	CASE(asked_late());
	CASE(changed());
	CASE(parked());
	CASE(urgent());
	CASE(sets());
	CASE(spread());
	CASE(isolation());
	CASE(alternates());
	CASE(within());
	CASE(both());
	CASE(unknown());
	CASE(sparse_first());
	CASE(nobody_stays_sparse());
	CASE(idle_ones_leave());
	CASE(quanta());
	CASE(dscps());
	CASE(thresholds());
	CASE(weights());
	CASE(no_debt());
	for (u64 seed = 1; seed <= 5; seed++)
		CASE(longest_loses(seed));
	CASE(blue_steps());
	CASE(blue_helps());
	CASE(last_stays());
	return 0;
}
