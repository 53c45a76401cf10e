/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * codel.h: the square root, the control law, and the decisions against RFC 8289.
 * What they do to a standing queue is in test_fq_codel.c.
 */
#include <math.h>

#include "airtab/codel.h"
#include "airtab/fifo.h"
#include "rfc8289.h"

#define INTERVAL AT_CODEL_INTERVAL

static const struct at_codel_params defaults = {
	AT_CODEL_TARGET, AT_CODEL_INTERVAL, AT_CODEL_MTU, false
};

/* ---- the square root ---- */

/* x/2 (3 - n x^2) in fractions of 2^32, the product n x^2 exact and then
 * rounded up, the result down. */
static u64 newton(u64 x, u64 n)
{
	unsigned __int128 square = (unsigned __int128)n * x * x;
	u64 y = (u64)((square + 0xffffffffu) >> 32);

	return (u64)((unsigned __int128)x * (((u64)3 << 32) - y) >> 33);
}

/* The same as Linux documents it: x^2 is cut to 32 bits before it is multiplied. */
static u32 newton_linux(u32 x, u64 n)
{
	u64 y = (u64)x * x >> 32;

	return (u32)((((3ull << 32) - n * y) >> 2) * x >> 31);
}

/* The recurrence from the power of two below the root to where it stays. */
static u64 newton_end(u64 n)
{
	u64 power = 1, x = (u64)1 << 32, next;

	for (; power < n; power *= 4)
		x /= 2;
	for (next = x < 0xffffffffu ? x : 0xffffffffu, x = 0; x != next; next = newton(x, n))
		x = next;
	return x;
}

static void root(u32 n)
{
	u64 x = at_codel_inv_sqrt(n), moved;

	CHECK_EQ(x, newton_end(n));
	/* n x^2 <= 1, and no more than one unit could be added */
	CHECK((unsigned __int128)n * x * x <= (unsigned __int128)1 << 64);
	CHECK((unsigned __int128)n * (x + 2) * (x + 2) > (unsigned __int128)1 << 64);
	/* Linux's step stays there too, but for the bits that it cuts off: below
	 * 1 in x^2, so below n in n x^2 */
	moved = newton_linux((u32)x, n) - x;
	CHECK(moved <= (x * n >> 33) + 2);
}

static void roots(void)
{
	u64 seed = 1;

	for (u32 n = 1; n <= 100000; n++)
		root(n);
	for (u32 i = 0; i < 100000; i++)
		root((u32)(rnd(&seed) >> 32 >> below(&seed, 32)) | 1);
	root(~(u32)0);
	for (u32 e = 0; e < 16; e++)
		CHECK_EQ(at_codel_inv_sqrt((u32)1 << 2 * e), e ? (u64)1 << (32 - e) : 0xffffffffu);
}

/* ---- the control law ---- */

/* 10,000 drops of one episode: each step and their sum, against double. */
static void law(void)
{
	double sum = 0;
	u64 t = 0;

	for (u32 count = 1; count <= 10000; count++) {
		double step = INTERVAL / sqrt(count);
		u64 next = at_codel_law(t, INTERVAL, count);

		CHECK_EQ(next - t, ((u64)INTERVAL * newton_end(count) + 0x80000000u) >> 32);
		CHECK(fabs((double)(next - t) - step) < 0.6);
		sum += step;
		t = next;
		CHECK(fabs((double)t - sum) < 110);
	}
	CHECK_EQ(t / 1000, 19854464);
	/* powers of two are exact */
	CHECK_EQ(at_codel_law(5, 2000000000u, 1), 2000000005);
	CHECK_EQ(at_codel_law(0, 4000000000u, 4), 2000000000);
	CHECK_EQ(at_codel_law(0, 4000000000u, 1u << 30), 122070);
}

/* Steps of a short interval do not become 0: 1 us from one drop to the next at any
 * count. By hand: 1000 / sqrt(4) is 500 ns, 2000 / sqrt(4) is 1000 ns, and
 * 1000 / sqrt(2^30) is 0.03 ns. */
static void least_step(void)
{
	struct at_codel_params k = { .target = 1000, .interval = 1000, .mtu = 1514 };
	struct at_codel c = {
		.first_above = 1, .drop_next = SEC, .count = AT_CODEL_COUNT_MAX, .state = AT_CODEL_DROPPING,
	};
	struct at_codel_stats s = { 0 };
	struct at_pkt p = { 0 };

	CHECK_EQ(at_codel_law(7, 1000, 4), 1007);
	CHECK_EQ(at_codel_law(7, 2000, 4), 1007);
	CHECK_EQ(at_codel_law(7, 2002, 4), 1008);
	CHECK_EQ(at_codel_law(7, 1000, 1u << 30), 1007);
	at_codel_stamp(&p, 0);
	CHECK(at_codel_drops(&k, &c, &s, &p, 15000, SEC));
	CHECK(!at_codel_drops(&k, &c, &s, &p, 15000, SEC));
	CHECK(!at_codel_drops(&k, &c, &s, &p, 15000, SEC + 999));
	CHECK(at_codel_drops(&k, &c, &s, &p, 15000, SEC + 1000));
	CHECK(!at_codel_drops(&k, &c, &s, &p, 15000, SEC + 1000));
}

/* What one step a drop gives instead (the figures in docs/fq_codel.md): in us,
 * the time of the 2nd, 5th, 100th and 10,000th drop after the first. */
static void one_step_a_drop(void)
{
	static const u32 at[] = { 2, 5, 100, 10000 };
	static const u64 exact[] = { 170710, 323167, 1858960, 19854464 };
	static const u64 want32[] = { 149999, 299181, 1833101, 19828579 };
	static const u64 want16[] = { 149999, 299180, 1833030, 19821001 };
	u64 t = 0, t32 = 0, t16 = 0;
	u32 x32 = 0xffffffffu, x16 = 0xffff0000u, k = 0;

	for (u32 count = 1; count <= 10000; count++) {
		if (count > 1) {
			x32 = newton_linux(x32, count);
			x16 = newton_linux(x16, count) & 0xffff0000u;
		}
		t = at_codel_law(t, INTERVAL, count);
		t32 += (u64)INTERVAL * x32 >> 32;
		t16 += (u64)INTERVAL * x16 >> 32;
		if (count == at[k]) {
			CHECK_EQ(t / 1000, exact[k]);
			CHECK_EQ(t32 / 1000, want32[k]);
			CHECK_EQ(t16 / 1000, want16[k]);
			k++;
		}
	}
	CHECK_EQ(k, 4);
}

/* ---- a queue, with codel.h and with the RFC's pseudocode ---- */

#define LEN RFC_LEN

struct queue {
	struct at_pkt pkts[LEN];
	u32 next;			/* packets made */
	struct at_fifo fifo;
	u64 bytes;
	struct at_codel codel;
	struct at_codel_stats stats;
};

static void arrive(struct queue *q, u32 bytes, u8 flags, u64 now)
{
	struct at_pkt *p = &q->pkts[q->next % LEN];

	*p = (struct at_pkt){ .bytes = bytes, .flags = flags, .handle = q->next++ };
	at_codel_stamp(p, now);
	at_fifo_push(&q->fifo, p);
	q->bytes += bytes;
}

static struct at_pkt *depart(struct queue *q, const struct at_codel_params *k, u64 now)
{
	struct at_pkt *p;

	at_codel_begin(&q->stats);
	do {
		p = at_fifo_pop(&q->fifo);
		if (!p) {
			at_codel_empty(&q->codel);
			return NULL;
		}
		q->bytes -= p->bytes;
	} while (at_codel_drops(k, &q->codel, &q->stats, p, q->bytes, now));
	return p;
}

/* Load that swings slowly around the capacity: the same packets come out. */
static void like_the_rfc(u64 seed)
{
	static struct queue q;
	static struct rfc r;
	u64 now = 1, load = 0, episodes = 0, resumed = 0;
	bool was = false;

	memset(&q, 0, sizeof(q));
	memset(&r, 0, sizeof(r));
	for (u32 step = 0; step < 200000; step++) {
		struct at_pkt *p;

		if (step % 2000 == 0)
			load = 600 + below(&seed, 700);
		now += 500000 + below(&seed, 1000000);
		for (u32 n = (u32)below(&seed, 4); n && q.bytes < LEN * 200; n--) {
			u32 bytes = 200 + (u32)below(&seed, 1300);

			if (below(&seed, 1500) >= load)
				continue;
			rfc_arrives(&r, bytes, now);
			arrive(&q, bytes, 0, now);
		}
		p = depart(&q, &defaults, now);
		CHECK_EQ(p ? p->handle : ~(u32)0, rfc_dequeue(&r, AT_CODEL_TARGET, now));
		CHECK_EQ(q.stats.drops, r.drops);
		CHECK_EQ(q.codel.count, r.count);
		CHECK_EQ(q.codel.first_above, r.first_above_time);
		if (r.dropping && !was) {
			episodes++;
			resumed += r.count > 1;
		}
		was = r.dropping;
	}
	/* all ways were gone */
	CHECK(r.drops > 1000 && episodes > 50 && resumed > 10 && episodes > resumed);
}

/* ---- rules ---- */

static bool signals(struct at_codel *c, u64 sojourn, u64 left, u64 now)
{
	return at_codel_signals(&defaults, c, sojourn, left, now);
}

static void first_drop(void)
{
	struct at_codel c = { 0 };
	u64 target = AT_CODEL_TARGET;

	/* never below target, never with one MTU left, however long */
	for (u64 now = 0; now < 10 * SEC; now += MS) {
		CHECK(!signals(&c, target - 1, 1 << 20, now));
		CHECK(!signals(&c, SEC, AT_CODEL_MTU, now));
	}
	/* after a whole interval at target: 100 ms, not a ns earlier */
	CHECK(!signals(&c, target, AT_CODEL_MTU + 1, 20 * SEC));
	CHECK(!signals(&c, target, AT_CODEL_MTU + 1, 20 * SEC + INTERVAL - 1));
	CHECK(signals(&c, target, AT_CODEL_MTU + 1, 20 * SEC + INTERVAL));
	CHECK(!signals(&c, target, AT_CODEL_MTU + 1, 20 * SEC + INTERVAL));
	/* one packet below target begins the interval anew */
	memset(&c, 0, sizeof(c));
	CHECK(!signals(&c, target, 1 << 20, SEC));
	CHECK(!signals(&c, target - 1, 1 << 20, SEC + INTERVAL / 2));
	CHECK(!signals(&c, target, 1 << 20, SEC + INTERVAL));
	CHECK(!signals(&c, target, 1 << 20, SEC + 2 * (u64)INTERVAL - 1));
	CHECK(signals(&c, target, 1 << 20, SEC + 2 * (u64)INTERVAL));
}

/* Above target for ever, looked at every us: drops at exactly the law's times. */
static void episode(struct at_codel *c, u64 *now, u32 drops)
{
	u64 next;

	while (!signals(c, SEC, 1 << 20, *now))
		*now += 1000;
	next = *now;
	for (u32 i = 1; i < drops; i++) {
		next = at_codel_law(next, INTERVAL, c->count);
		while (!signals(c, SEC, 1 << 20, *now))
			*now += 1000;
		CHECK(*now >= next && *now - next < 1000);
	}
}

/* A new episode soon after one of 20 drops goes on with 19 - the last one began
 * with 1 -, and later than 16 intervals with 1. */
static void reentry(void)
{
	struct at_codel c = { 0 };
	u64 now = SEC;

	episode(&c, &now, 20);
	CHECK_EQ(c.count, 20);
	CHECK(!signals(&c, 0, 1 << 20, now));
	episode(&c, &now, 1);
	CHECK_EQ(c.count, 19);
	/* a single drop, that began with 19: nothing to go on from */
	CHECK(!signals(&c, 0, 1 << 20, now));
	episode(&c, &now, 1);
	CHECK_EQ(c.count, 1);
	episode(&c, &now, 20);
	CHECK(!signals(&c, 0, 1 << 20, now));
	now = c.drop_next + 16 * (u64)INTERVAL;
	CHECK(!signals(&c, SEC, 1 << 20, now - INTERVAL));
	CHECK(signals(&c, SEC, 1 << 20, now));
	CHECK_EQ(c.count, 1);
}

/* An episode without end slows down for nobody, and its count does not wrap. */
static void saturation(void)
{
	struct at_codel c = { .first_above = 1, .state = AT_CODEL_DROPPING,
			      .count = AT_CODEL_COUNT_MAX - 1, .drop_next = SEC };

	for (u32 i = 0; i < 3; i++)
		CHECK(signals(&c, SEC, 1 << 20, 2 * SEC));
	CHECK_EQ(c.count, AT_CODEL_COUNT_MAX);
}

/* The same queue with senders that understand ECN: as many marks as drops
 * before, at most one a packet sent, and nobody loses anything. */
static void ecn(void)
{
	static struct queue q[3];
	static const u8 flags[] = { 0, AT_F_ECT, AT_F_ECT };
	u64 sent[3] = { 0 }, marked[3] = { 0 };

	memset(q, 0, sizeof(q));
	for (u32 i = 0; i < 3; i++) {
		struct at_codel_params k = defaults;

		k.ecn = i < 2;
		for (u64 now = 0; now < 2 * SEC; now += MS) {
			struct at_pkt *p;

			arrive(&q[i], 1500, flags[i], now);
			if (now < 20 * MS)
				continue;
			p = depart(&q[i], &k, now);
			sent[i]++;
			marked[i] += !!(p->flags & AT_F_CE);
		}
	}
	CHECK(q[0].stats.drops > 5 && !q[0].stats.marks && !marked[0]);
	CHECK(q[1].stats.marks > q[0].stats.drops && !q[1].stats.drops);
	CHECK_EQ(marked[1], q[1].stats.marks);
	CHECK_EQ(q[2].stats.drops, q[0].stats.drops);
	CHECK(!marked[2] && sent[0] == sent[1]);
}

int main(void)
{
	CASE(roots());
	CASE(law());
	CASE(least_step());
	CASE(one_step_a_drop());
	for (u64 seed = 1; seed <= 3; seed++)
		CASE(like_the_rfc(seed));
	CASE(first_drop());
	CASE(reentry());
	CASE(saturation());
	CASE(ecn());
	return 0;
}
