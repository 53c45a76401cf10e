/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * fq_codel rule by rule (RFC 8290), and its overflow (as in Linux).
 */
#include "airtab/codel.h"
#include "senders.h"

#define NO_CODEL "target=4000000000 interval=4000000000 "

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/* Keeps n packets of a flow queued. */
static void refill(struct host *h, u32 flow, u32 bytes, u32 *queued, u32 n, u64 now)
{
	for (; *queued < n; ++*queued)
		put(h, flow, bytes, now);
}

/* Flows with packets of their own size get the same bytes: at any time they
 * differ by no more than a turn and the packet that goes over it. */
static void bytes_are_fair(const char *args, u64 quantum)
{
	static const u32 bytes[] = { 1500, 300, 64 };
	struct host h;
	struct at_ticket t;
	u32 queued[3] = { 0 };
	u64 sent[3] = { 0 };

	open_host(&h, "fq_codel", args, 600);
	for (u32 n = 0; n < 30000; n++) {
		struct at_pkt *p;

		for (u32 f = 0; f < 3; f++)
			refill(&h, f, bytes[f], &queued[f], 100, n);
		p = get(&h, &t, n);
		CHECK(!t.gen);
		queued[p->flow]--;
		sent[p->flow] += p->bytes;
		for (u32 f = 0; f < 3; f++)
			CHECK(distance(sent[f], sent[(f + 1) % 3]) < quantum + 1500);
	}
	CHECK(sent[0] > 1000000);
	close_host(&h);
}

/* A packet of an idle flow overtakes whatever others have queued. */
static void sparse_first(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "fq_codel", NO_CODEL, 600);
	for (u32 i = 0; i < 300; i++)
		put(&h, 1 + i % 3, 1500, 0);
	/* after a turn of each, at most two packets, they are old */
	for (u32 i = 0; i < 7; i++)
		CHECK(get(&h, &t, 0)->flow != 9);
	for (u32 i = 0; i < 20; i++) {
		put(&h, 9, 200, i);
		CHECK_EQ(get(&h, &t, i)->flow, 9);
		for (u32 k = 0; k < 7; k++)
			CHECK(get(&h, &t, i)->flow != 9);
	}
	CHECK_EQ(stat(&h, "new_flows"), 3 + 20);
	close_host(&h);
}

/* A flow that sends its next large packet whenever its queue was found empty. As
 * an old queue it waits for its turn among the other's small ones, so it gets as
 * many bytes; were it new each time it would get five times as many. */
static void nobody_stays_new(void)
{
	struct host h;
	struct at_ticket t;
	u32 queued = 0, waits = 0;
	u64 sent[2] = { 0 };

	open_host(&h, "fq_codel", NO_CODEL, 600);
	for (u32 n = 0; n < 6000; n++) {
		struct at_pkt *p;

		refill(&h, 0, 300, &queued, 50, n);
		p = get(&h, &t, n);
		sent[p->flow] += p->bytes;
		if (p->flow) {
			waits = 0;
		} else {
			queued--;
			if (!waits++)
				put(&h, 1, 1500, n);
		}
		CHECK(sent[1] <= sent[0] + 1514 + 1500);
	}
	CHECK(sent[1] > 100000 && sent[0] <= sent[1] + 2 * 1514 + 300);
	close_host(&h);
}

/* An interval begins anew when the queue was emptied, however that came. */
static void emptied(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "fq_codel", "", 64);
	for (u32 i = 0; i < 5; i++)
		put(&h, 1, 1500, 0);
	get(&h, &t, 50 * MS);
	while (h.q->qlen)
		give_back(&h, h.q->ops->drain(h.q));
	for (u32 i = 0; i < 5; i++)
		put(&h, 1, 1500, 190 * MS);
	get(&h, &t, 200 * MS);
	CHECK_EQ(h.drops, 0);
	get(&h, &t, 300 * MS);
	CHECK_EQ(h.drops, 1);
	close_host(&h);
}

/* A packet comes and one goes each millisecond, with 40 queued; drops of so long. */
static u32 drops_in(struct host *h, u64 from, u32 ms)
{
	u32 before = h->drops;
	struct at_ticket t;

	for (u32 i = 0; i < 40; i++)
		put(h, 1, 1500, from);
	for (u32 i = 1; i <= ms; i++) {
		put(h, 1, 1500, from + i * MS);
		CHECK(get(h, &t, from + i * MS));
	}
	return h->drops - before;
}

/* After a reset CoDel begins as it did at first: above 5 ms from 5 ms on, drops at
 * 105 ms, an interval later, and 100 / sqrt 2 ms later. What it had learnt in a
 * second would have it drop faster. */
static void begins_anew(void)
{
	struct host h;

	open_host(&h, "fq_codel", "", 1200);
	CHECK_EQ(drops_in(&h, 0, 274), 2);
	h.q->ops->reset(h.q, 274 * MS);
	CHECK(drops_in(&h, SEC, 1000) > 10);
	h.q->ops->reset(h.q, 2 * SEC);
	h.drops = 0;
	CHECK_EQ(drops_in(&h, 2 * SEC + MS, 274), 2);
	CHECK_EQ(drops_in(&h, 3 * SEC, 0), 0);
	close_host(&h);
}

/* The queue with the most bytes, not packets, loses the oldest half, at most a
 * batch. */
static void overflow(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "fq_codel", NO_CODEL "limit=100", 600);
	for (u32 i = 0; i < 40; i++) {
		struct at_pkt *p = new_pkt(&h, 1, 1500);

		p->handle = i;
		CHECK_EQ(push(&h, p, 0), AT_OK);
	}
	for (u32 i = 0; i < 60; i++)
		CHECK_EQ(put(&h, 2, 100, 0), AT_OK);
	CHECK_EQ(put(&h, 2, 100, 0), AT_OK);
	CHECK_EQ(h.drops, 20);
	CHECK(h.last_drop->flow == 1 && h.last_drop->handle == 19 && h.last_why == AT_R_PUSHOUT);
	CHECK_EQ(get(&h, &t, 0)->handle, 20);
	CHECK_EQ(stat(&h, "overflows"), 1);
	/* 19 of flow 1, 61 of flow 2 */
	for (u32 i = 0; i < 20; i++)
		CHECK_EQ(put(&h, 1, 1500, 0), AT_OK);
	change(&h, "drop_batch=8", 0);
	CHECK_EQ(put(&h, 1, 1500, 0), AT_CN);
	CHECK_EQ(h.drops, 28);
	/* a new limit: of 32 and 61, flow 1 loses 8, 8, 8 and 4, which is half of
	 * the last 8; flow 2 8; flow 1 2; flow 2 8 */
	change(&h, "limit=50", 0);
	CHECK_EQ(h.q->qlen, 47);
	CHECK_EQ(stat(&h, "overflows"), 2 + 7);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	close_host(&h);
}

/* A packet comes and one goes each millisecond, with 40 queued and all above target from
 * 5 ms on. At 150 ms a burst exceeds the limit of 100 by one. Drops of CoDel until 274 ms,
 * without those of the overflow. */
static void overflow_counts(const char *kind, const char *args, u32 expected)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, kind, args, 1200);
	CHECK_EQ(drops_in(&h, 0, 150), 1);
	while (!(h.drops - 1))
		put(&h, 1, 1500, 150 * MS);
	for (u32 ms = 151; ms <= 274; ms++) {
		put(&h, 1, 1500, ms * MS);
		CHECK(get(&h, &t, ms * MS));
	}
	CHECK_EQ(stat(&h, "codel_drops"), expected);
	close_host(&h);
}

/* By hand, as in Linux's fq_codel_drop: by the overflow's 20 packets the count of 1 becomes
 * 21. Drops at 105, 205 and, after 100 / sqrt 22, 23 and 24 ms, at 226.3, 247.2 and 267.6 ms.
 * An overflow of 51 packets, the half, leaves none that is late and ends the episode. The next
 * one begins at 255 ms with a count of 52 - 1; its second drop is due at 269.0 ms. In
 * mac80211's queues an overflow counts nothing: 105 and 205, the next at 275.7. */
static void overflow_signals(void)
{
	struct host h;

	overflow_counts("fq_codel", "limit=100 drop_batch=20", 5);
	overflow_counts("fq_codel", "limit=100", 3);
	overflow_counts("cbq", "class_limit=100 inner=2", 3);
	overflow_counts("airtime_fq", "limit=100 target=5000000 aql=0", 2);
	/* before the first episode: that begins as it does without */
	open_host(&h, "fq_codel", "limit=100 drop_batch=20", 1200);
	for (u32 i = 0; i < 61; i++)
		put(&h, 1, 1500, 0);
	CHECK_EQ(drops_in(&h, 0, 274), 20 + 2);
	close_host(&h);
}

/* With very many queues a lower limit takes several calls, each of a few scans; an
 * arrival between them makes no more room than a call. */
static void limit_in_steps(void)
{
	struct host h;
	u32 calls = 0, before;

	open_host(&h, "fq_codel", NO_CODEL "flows=65536", 200);
	for (u32 i = 0; i < 100; i++)
		put(&h, i * 7919, 1500, 0);
	set_values(&h, h.q->ops, "limit=50");
	for (before = h.drops; h.q->ops->change(h.q, h.vals, 0); before = h.drops, calls++) {
		CHECK(h.drops > before && h.drops < before + 10);
		before = h.drops;
		put(&h, 9, 1500, 0);
		CHECK(h.drops > before && h.drops < before + 10);
	}
	CHECK(calls > 3);
	CHECK_EQ(h.q->qlen, 50);
	put(&h, 9, 1500, 0);
	CHECK_EQ(h.q->qlen, 50);
	close_host(&h);
}

/* However many queues there are to look through, an arrival displaces as many bytes
 * as it brings: memory stays within its limit. */
static void memory_with_many_queues(void)
{
	struct host h;

	open_host(&h, "fq_codel", NO_CODEL "flows=65536 memory=65536 drop_batch=1", 2000);
	for (u32 i = 0; i < 600; i++)
		put(&h, 1, 100, 0);
	for (u32 i = 2; i < 40; i++) {
		put(&h, i * 7919, 3000, 0);
		CHECK(h.q->bytes <= 65536);
	}
	CHECK(h.drops > 0);
	close_host(&h);
}

static void memory(void)
{
	struct host h;

	open_host(&h, "fq_codel", NO_CODEL "memory=65536", 600);
	for (u32 i = 0; i < 40; i++)
		put(&h, 1, 1500, 0);
	for (u32 i = 0; i < 55; i++)
		CHECK_EQ(put(&h, 2, 100, 0), AT_OK);
	CHECK_EQ(put(&h, 2, 100, 0), AT_OK);
	CHECK_EQ(h.drops, 20);
	CHECK(h.last_drop->flow == 1 && h.last_why == AT_R_MEMORY);
	/* too large for any queue: of all packets only it is to blame */
	CHECK_EQ(put(&h, 3, 70000, 0), AT_DROPPED);
	CHECK(h.drops == 21 && h.last_drop->flow == 3);
	close_host(&h);
}

/* A flood at the default limit: one search for 64 packets dropped. */
static void search_is_amortised(void)
{
	struct host h;

	open_host(&h, "fq_codel", NO_CODEL, 12000);
	for (u32 i = 0; i < 10240 + 64 * 50; i++)
		put(&h, 1, 1500, 0);
	CHECK_EQ(stat(&h, "overflows"), 50);
	CHECK_EQ(h.drops, 50 * 64);
	CHECK_EQ(h.q->qlen, 10240);
	close_host(&h);
}

static struct at_pkt *urgent(struct host *h, u32 bytes)
{
	struct at_pkt *p = new_pkt(h, 1, bytes);

	p->cls = AT_URGENT;
	return p;
}

static void urgent_packets(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "fq_codel", "limit=4 interval=1000 target=1000", 16);
	for (u32 i = 0; i < 4; i++)
		put(&h, 1, 1500, 0);
	/* they make room for themselves, and are no victims */
	for (u32 i = 0; i < 4; i++)
		CHECK(push(&h, urgent(&h, 1500), 0) != AT_DROPPED);
	CHECK(h.q->qlen == 4 && h.drops == 4);
	CHECK_EQ(cell(&h, 1024, "backlog_bytes"), 6000);
	CHECK_EQ(put(&h, 2, 100, 0), AT_DROPPED);
	CHECK_EQ(push(&h, urgent(&h, 100), 0), AT_DROPPED);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	/* nor is the delay of any of them judged */
	for (u32 i = 0; i < 4; i++)
		CHECK_EQ(get(&h, &t, (i + 1) * SEC)->cls, AT_URGENT);
	CHECK_EQ(h.q->dropped[AT_R_AQM], 0);
	put(&h, 2, 100, 5 * SEC);
	push(&h, urgent(&h, 100), 5 * SEC);
	CHECK_EQ(get(&h, &t, 5 * SEC)->cls, AT_URGENT);
	CHECK_EQ(get(&h, &t, 5 * SEC)->flow, 2);
	close_host(&h);
}

/* fq_codel of Linux 6.12 without options, except that a quantum there is the
 * device's MTU with its Ethernet header. */
static void linux_defaults(void)
{
	static const struct {
		const char *name;
		u64 value;
	} expected[] = {
		{ "limit", 10240 }, { "memory", 32 << 20 }, { "flows", 1024 }, { "quantum", 1514 },
		{ "target", 5 * MS }, { "interval", 100 * MS }, { "ecn", 1 }, { "drop_batch", 64 },
	};
	const struct at_ops *ops = find_ops("fq_codel");

	for (u32 i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		CHECK(!strcmp(ops->params[i].name, expected[i].name));
		CHECK_EQ(ops->params[i].def, expected[i].value);
	}
	CHECK(!ops->params[sizeof(expected) / sizeof(expected[0])].name);
}

/* 1 packet a ms leaves. A flow that sends 1.2 a ms for 20 s, and a game of 25
 * packets a second, which is always the next to go. */
static void bulk_and_game(const char *args, u8 flags, u64 *drops, u64 *marks, u64 *sojourn)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "fq_codel", args, 12000);
	*sojourn = 0;
	for (u32 ms = 0; ms < 20000; ms++) {
		u64 now = ms * MS;
		struct at_pkt *p;

		for (u32 k = ms % 5 ? 1 : 2; k; k--) {
			p = new_pkt(&h, 1, 1500);
			p->flags = flags;
			push(&h, p, now);
		}
		if (ms % 40 == 20)
			put(&h, 2, 200, now);
		p = get(&h, &t, now);
		if (p->flow == 2)
			CHECK_EQ(at_codel_sojourn(p, now), 0);
		else if (ms >= 10000)
			*sojourn += at_codel_sojourn(p, now) / 10000;
	}
	CHECK(!h.drops || h.last_drop->flow == 1);
	CHECK_EQ(h.q->dropped[AT_R_AQM], h.drops);
	CHECK_EQ(stat(&h, "codel_drops"), h.drops);
	CHECK_EQ(stat(&h, "new_flows"), 1 + 500);
	*drops = h.drops;
	*marks = stat(&h, "marks");
	close_host(&h);
}

/* Nobody slows down here, so drops are what is too much: 0.225 a ms. Marks
 * alone help nothing, but they come as often as drops would. */
static void drops_or_marks(void)
{
	u64 drops, marks, sojourn;

	bulk_and_game("", 0, &drops, &marks, &sojourn);
	CHECK(!marks && drops > 3000 && sojourn < 200 * MS);
	bulk_and_game("", AT_F_ECT, &drops, &marks, &sojourn);
	CHECK(!drops && marks > 3000);
	bulk_and_game("ecn=0", AT_F_ECT, &drops, &marks, &sojourn);
	CHECK(!marks && drops > 3000);
}

/* One packet at a time of each flow, however late, is never dropped. */
static void one_packet_each(void)
{
	struct host h;
	struct at_ticket t;
	u64 now = 0;

	open_host(&h, "fq_codel", "flows=65536", 600);
	for (u32 round = 0; round < 20; round++) {
		for (u32 f = 0; f < 200; f++)
			put(&h, f * 7919, 1500, now);
		while (get(&h, &t, now))
			now += 2 * MS;
	}
	CHECK(now > 7 * SEC && !h.drops);
	close_host(&h);
}

/* Flows that share a queue share its turn and its CoDel. */
static void collisions(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "fq_codel", NO_CODEL "flows=1", 600);
	for (u32 i = 0; i < 100; i++)
		put(&h, i, 1500, 0);
	for (u32 i = 0; i < 100; i++)
		CHECK_EQ(get(&h, &t, 0)->flow, i);
	close_host(&h);
}

/* Random hashes fill the share 1 - 1/e of as many queues: 647, deviation 10; and
 * where a flow goes is the seed's secret. */
static void spread(void)
{
	u64 rng = 1, cols[MAX_COLS];
	u32 key[1024], queue[2][1024], same = 0, cursor;
	struct host h;

	for (u32 i = 0; i < 1024; i++)
		key[i] = (u32)rnd(&rng);
	open_host(&h, "fq_codel", NO_CODEL, 1100);
	for (u32 k = 0; k < 2; k++) {
		reopen_host(&h, k + 1);
		for (u32 i = 0; i < 1024; i++) {
			put(&h, key[i], 1500, 0);
			cursor = 0;
			CHECK(next_row(&h, &cursor, cols));
			queue[k][i] = (u32)cols[0];
			h.q->ops->reset(h.q, 0);
			CHECK_EQ(stat(&h, "new") + stat(&h, "old"), 0);
		}
		for (u32 i = 0; i < 1024; i++)
			put(&h, key[i], 1500, 0);
		CHECK(stat(&h, "new") > 607 && stat(&h, "new") < 687);
		h.q->ops->reset(h.q, 0);
	}
	for (u32 i = 0; i < 1024; i++)
		same += queue[0][i] == queue[1][i];
	CHECK(same < 8);
	close_host(&h);
}

/* Senders that react: three in one queue keep it near the target and the link
 * busy. With a queue each, they also leave the game alone. */
static void standing_queue(void)
{
	static struct loop l;

	run_loop(&l, "fq_codel", "flows=1 " NO_CODEL, 3);
	CHECK(l.median > 300);
	run_loop(&l, "fq_codel", "flows=1", 3);
	CHECK(l.median >= 3 && l.median <= 7);
	CHECK(l.used > 0.99);
	run_loop(&l, "fq_codel", "", 3);
	CHECK(l.median <= 5);
	CHECK(l.used > 0.9);
	CHECK(l.game_worst <= 1 && !l.game_lost);
}

int main(void)
{
	CASE(bytes_are_fair(NO_CODEL, 1514));
	CASE(bytes_are_fair(NO_CODEL "quantum=300", 300));
	CASE(bytes_are_fair(NO_CODEL "quantum=6000", 6000));
	CASE(sparse_first());
	CASE(nobody_stays_new());
	CASE(overflow());
	CASE(overflow_signals());
	CASE(limit_in_steps());
	CASE(memory_with_many_queues());
	CASE(memory());
	CASE(search_is_amortised());
	CASE(urgent_packets());
	CASE(linux_defaults());
	CASE(drops_or_marks());
	CASE(emptied());
	CASE(begins_anew());
	CASE(one_packet_each());
	CASE(collisions());
	CASE(spread());
	CASE(standing_queue());
	return 0;
}
