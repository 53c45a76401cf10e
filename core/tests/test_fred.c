/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * FRED: the discipline against Parris's pseudocode (parris_fred.h), and rule by rule.
 */
#include "parris_fred.h"
#include "senders.h"
#include "swing.h"

#define NO_FLOW (1ull << 32)

/* ---- against the pseudocode ---- */

struct load {
	const char *args;
	double w, max_p, th_min, th_max, drain_rate;
	u32 limit, minq, flows;
	bool from_link;
};

static const struct load loads[] = {
	{ "idle=1", 1 / 256.0, 0.1, 5, 60, 1250, 240, 2, 40, false },
	{ "idle=1 limit=100 min=196608 max=2621440 flows=100", 1 / 256.0, 0.1, 3, 40, 1250, 100, 2, 200, false },
	{ "idle=1 weight=1/500 min=327680 max=983040 limit=60 rate=4000000 minq=3", 0.002, 0.1, 5, 15, 500, 60, 3, 12,
	  false },
	{ "idle=1 weight=1/4 min=936509 max=936509 rate=800000", 0.25, 0.1, 936509 / 65536.0, 936509 / 65536.0,
	  100, 240, 2, 60, false },
	{ "idle=1 weight=1/1 min=262144 max=15728640 max_p=1000000 minq=1", 1, 1, 4, 240, 1250, 240, 1, 80, false },
	{ "idle=1 weight=1/16 min=163840 max=655360 max_p=20000 limit=150", 1 / 16.0, 0.02, 2.5, 10, 1250, 150, 2, 90,
	  false },
	{ "", 1 / 256.0, 0.1, 5, 60, 1250, 240, 2, 40, true },
	{ "weight=1/16 min=163840 max=655360 max_p=20000 limit=150", 1 / 16.0, 0.02, 2.5, 10, 1250, 150, 2, 90, true },
};

static double worst;
static u32 all_fates[FATES], operations;

static void same_average(struct host *h, const struct parris_fred *r)
{
	double off = fabs((double)stat(h, "average") / 65536 - r->q_avg) / fmax(1, r->q_avg);

	worst = fmax(worst, off);
	CHECK(off < 1e-4);
	CHECK_EQ(stat(h, "active"), r->n_active);
	operations++;
}

/* A row for each flow that has packets, with its strikes. */
static void same_rows(struct host *h, const struct parris_fred *r)
{
	u64 cols[MAX_COLS];
	u32 cursor = 0, rows = 0;

	for (; next_row(h, &cursor, cols); rows++) {
		CHECK(cols[0] < FRED_FLOWS);
		CHECK_EQ(cols[1], r->flow[cols[0]].q_len);
		CHECK_EQ(cols[2], r->flow[cols[0]].strikes);
	}
	CHECK_EQ(rows, r->n_active);
}

/* Half of the packets are those of three flows. */
static u32 pick_flow(u64 *draws, u32 flows)
{
	return (u32)below(draws, below(draws, 2) ? 3 : flows);
}

/* Arrivals that swing around one packet a ms, with pauses: the same packets are queued
 * and dropped, for the same reason, by the same random words, and the average is the
 * same. */
static void like_the_pseudocode(const struct load *l, u64 seed, u32 departures)
{
	static const enum at_reason why[FATES] = {
		AT_R_MAX, AT_R_EARLY, AT_R_CLASS, AT_R_CLASS, AT_R_LIMIT,
	};
	static struct parris_fred r;
	struct swing w = swing_begin(seed * 77 + 1, 400, 3700);
	u32 fates[FATES] = { 0 };
	struct at_ticket t;
	struct at_pkt *p;
	struct host h;

	open_host(&h, "fred", l->args, 300);
	reopen_host(&h, seed);
	parris_fred_init(&r, seed);
	r.w = l->w;
	r.max_p = l->max_p;
	r.th_min = l->th_min;
	r.th_max = l->th_max;
	r.drain_rate = l->drain_rate;
	r.q_limit = l->limit;
	r.minq = l->minq;
	r.from_link = l->from_link;
	for (u32 step = 0; step < departures; step++) {
		u64 now = swing_on(&w);

		for (u32 n = 0; n < 4; n++) {
			enum fred_fate fate;
			u32 flow;

			if (!swing_comes(&w))
				continue;
			flow = pick_flow(&w.draws, l->flows);
			fate = on_arrival(&r, flow, (double)now * 1e-9);
			fates[fate]++;
			CHECK_EQ(put(&h, flow, 1000, now), fate == NO_DROP ? AT_OK : AT_DROPPED);
			if (fate != NO_DROP)
				CHECK_EQ(h.last_why, why[fate]);
			same_average(&h, &r);
		}
		p = get(&h, &t, now);
		if (p) {
			on_departure(&r, p->flow, (double)now * 1e-9);
			same_average(&h, &r);
		} else {
			on_empty(&r, (double)now * 1e-9);
		}
		CHECK_EQ(h.q->qlen, r.q_len);
		if (step % 500 == 0)
			same_rows(&h, &r);
	}
	CHECK_EQ(stat(&h, "early_drops"), fates[EARLY_DROP]);
	CHECK_EQ(stat(&h, "share_drops"), fates[SHARE_DROP] + fates[TWO_DROP]);
	CHECK(fates[NO_DROP] > departures / 4);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "fred '%s': %u queued, %u early, %u over their share, %u of two packets, %u refused\n",
			l->args, fates[NO_DROP], fates[EARLY_DROP], fates[SHARE_DROP], fates[TWO_DROP],
			fates[OVERFLOW_DROP]);
	for (u32 i = 0; i < FATES; i++)
		all_fates[i] += fates[i];
	close_host(&h);
}

static void all_loads(void)
{
	for (u32 i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		for (u64 seed = 1; seed <= 2; seed++)
			like_the_pseudocode(&loads[i], seed, 100000);
	CHECK(operations > 1000000);
	for (u32 i = 0; i < FATES; i++)
		CHECK(all_fates[i] > 10000);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "fred: %u operations, averages off by %.2g at most\n", operations, worst);
}

/* ---- flows ---- */

/* Packets of a flow at the time of the last call; how many are queued. */
static u32 puts_in(struct host *h, u32 flow, u32 n)
{
	u32 queued = 0;

	while (n--)
		queued += put(h, flow, 1000, h->now) == AT_OK;
	return queued;
}

static u32 served(struct host *h)
{
	struct at_ticket t;
	struct at_pkt *p = get(h, &t, h->now);

	CHECK(p);
	return p->flow;
}

/* A flow has `min` packets at most, and a part of one is one. */
static void cap(void)
{
	struct host h;

	open_host(&h, "fred", "", 64);
	CHECK_EQ(puts_in(&h, 1, 20), 5);
	CHECK_EQ(h.last_why, AT_R_CLASS);
	CHECK_EQ(cell(&h, 1, "strikes"), 15);
	CHECK_EQ(puts_in(&h, 2, 20), 5);
	CHECK_EQ(stat(&h, "share_drops"), 30);
	change(&h, "min=163840", 0);		/* 2.5 */
	CHECK_EQ(puts_in(&h, 3, 20), 3);
	close_host(&h);
}

/* Who had more than one strike has no more than his share, which is a packet here,
 * until his last one left. */
static void strikes(void)
{
	struct host h;

	open_host(&h, "fred", "", 64);
	CHECK_EQ(puts_in(&h, 1, 6), 5);
	CHECK_EQ(cell(&h, 1, "strikes"), 1);
	served(&h);
	CHECK_EQ(puts_in(&h, 1, 1), 1);		/* one is none */
	CHECK_EQ(puts_in(&h, 1, 1), 0);
	CHECK_EQ(cell(&h, 1, "strikes"), 2);
	for (u32 i = 0; i < 4; i++)
		served(&h);
	CHECK(stat(&h, "average") < 1 << 16);
	CHECK_EQ(puts_in(&h, 1, 1), 0);
	CHECK_EQ(cell(&h, 1, "strikes"), 3);
	CHECK_EQ(puts_in(&h, 2, 6), 5);
	served(&h);
	/* forgiven */
	CHECK_EQ(puts_in(&h, 1, 5), 5);
	CHECK_EQ(cell(&h, 1, "strikes"), 0);
	close_host(&h);
}

/* The share is the average over the flows that there are. */
static void share(void)
{
	struct host h;

	open_host(&h, "fred", "weight=1/1 min=1310720 max=6553600", 128);	/* 20, 100 */
	CHECK_EQ(puts_in(&h, 1, 22), 20);
	CHECK_EQ(puts_in(&h, 2, 10), 10);
	CHECK_EQ(puts_in(&h, 3, 4), 4);
	for (u32 i = 0; i < 10; i++)
		CHECK_EQ(served(&h), 1);
	/* of 24 packets, a third: 8; flow 1 has 10 and two strikes */
	CHECK_EQ(stat(&h, "average"), 24 << 16);
	CHECK_EQ(puts_in(&h, 1, 1), 0);
	CHECK_EQ(puts_in(&h, 2, 1), 1);
	CHECK_EQ(puts_in(&h, 4, 1), 1);
	served(&h);
	served(&h);
	/* of 24, a fourth */
	CHECK_EQ(puts_in(&h, 1, 1), 0);
	served(&h);
	served(&h);
	/* flow 1 has 6; 5.5 of 22 */
	CHECK_EQ(puts_in(&h, 1, 1), 0);
	served(&h);
	/* 5; 5.25 of 21 */
	CHECK_EQ(puts_in(&h, 1, 1), 1);
	close_host(&h);
}

/* Above max each may have two, and with more than limit / 2 of them the queue is full. */
static void two_packets(void)
{
	struct host h;

	for (u32 flows = 40; flows <= 60; flows += 20) {
		u32 most = flows == 40 ? 80 : 100;

		open_host(&h, "fred", "weight=1/1 max=655360 limit=100", 128);
		for (u32 round = 0; round < 4; round++)
			for (u32 i = 0; i < flows; i++)
				puts_in(&h, i, 1);
		CHECK_EQ(h.q->qlen, most);
		CHECK_EQ(h.last_why, flows == 40 ? AT_R_CLASS : AT_R_LIMIT);
		CHECK_EQ(stat(&h, "early_drops"), 0);
		CHECK_EQ(stat(&h, "share_drops"), flows == 40 ? 80 : 0);
		for (u32 i = 0; i < flows; i++)
			CHECK_EQ(cell(&h, i, "strikes"), 0);
		close_host(&h);
	}
}

/* More flows than records: those that have none are one together, which has a row too. */
static void table_full(void)
{
	struct host h;

	open_host(&h, "fred", "flows=2", 64);
	for (u32 i = 1; i <= 3; i++)
		CHECK_EQ(puts_in(&h, i, i), i);
	CHECK_EQ(puts_in(&h, 4, 3), 2);
	CHECK_EQ(cell(&h, NO_FLOW, "backlog"), 5);
	CHECK_EQ(cell(&h, NO_FLOW, "strikes"), 1);
	CHECK_EQ(stat(&h, "active"), 3);
	CHECK_EQ(served(&h), 1);
	CHECK_EQ(stat(&h, "active"), 2);
	/* a record is free, and whoever comes next has it */
	CHECK_EQ(puts_in(&h, 4, 6), 5);
	CHECK_EQ(cell(&h, 4, "backlog"), 5);
	CHECK_EQ(cell(&h, NO_FLOW, "backlog"), 5);
	CHECK_EQ(puts_in(&h, 5, 1), 0);
	for (u32 i = 0; i < 7; i++)
		served(&h);
	CHECK_EQ(stat(&h, "active"), 1);
	CHECK_EQ(puts_in(&h, 6, 1), 1);
	CHECK_EQ(cell(&h, 6, "backlog"), 1);
	/* the strikes of those without are forgiven as well */
	CHECK_EQ(puts_in(&h, 7, 5), 5);
	CHECK_EQ(cell(&h, NO_FLOW, "strikes"), 0);
	close_host(&h);
}

/* By default 64 bytes for each packet of the queue, and for more flows in proportion. */
static void memory(void)
{
	const struct at_ops *ops;
	struct host h;

	open_host(&h, "fred", "", 1);
	ops = h.q->ops;
	CHECK(ops->state_size(h.vals) <= 240 * 64);
	for (u32 flows = 240; flows <= 1u << 20; flows = flows * 3 / 2 + 1) {
		h.value[9][0] = flows;
		CHECK(ops->state_size(h.vals) <= flows * 64ull);
	}
	close_host(&h);
}

/* ---- RED ---- */

/* Averages are what was queued before the last packet that was. Twelve are queued, of
 * which flow 1 has `own`, the others one: the verdict on its next one. The average is
 * 11, at which one of five is chosen at random; six came before it since the average
 * was above 5: it is certain. */
static enum at_verdict early(struct host *h, const char *args, u32 own, u8 flags)
{
	char all[100];
	struct at_pkt *p;

	snprintf(all, sizeof(all), "weight=1/1 min=327680 max=1310720 max_p=500000 %s", args);	/* 5, 20 */
	open_host(h, "fred", all, 16);
	for (u32 i = 0; i < 12 - own; i++)
		CHECK_EQ(puts_in(h, 10 + i, 1), 1);
	CHECK_EQ(puts_in(h, 1, own), own);
	CHECK_EQ(stat(h, "average"), 11 << 16);
	p = new_pkt(h, 1, 1000);
	p->flags = flags;
	return push(h, p, 0);
}

/* A flow that has less than minq is not looked at. */
static void minq(void)
{
	static const struct { const char *args; u32 own; enum at_verdict verdict; } want[] = {
		{ "", 2, AT_DROPPED }, { "", 1, AT_OK }, { "minq=1", 1, AT_DROPPED }, { "minq=3", 2, AT_OK },
	};
	struct host h;

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		CHECK_EQ(early(&h, want[i].args, want[i].own, 0), want[i].verdict);
		CHECK_EQ(stat(&h, "early_drops"), want[i].verdict == AT_DROPPED);
		if (want[i].verdict == AT_DROPPED)
			CHECK_EQ(h.last_why, AT_R_EARLY);
		close_host(&h);
	}
}

/* A packet chosen at random is marked, where that is wanted; one beyond a share is not. */
static void marks(void)
{
	struct host h;

	CHECK_EQ(early(&h, "", 2, AT_F_ECT), AT_OK);
	CHECK_EQ(stat(&h, "marks"), 1);
	CHECK_EQ(stat(&h, "early_drops"), 0);
	/* it counts as a drop: of the next ones none is certain */
	change(&h, "max_p=1", 0);
	CHECK_EQ(puts_in(&h, 1, 2), 2);
	CHECK_EQ(puts_in(&h, 1, 1), 0);
	CHECK_EQ(h.last_why, AT_R_CLASS);
	close_host(&h);
	CHECK_EQ(early(&h, "ecn=0", 2, AT_F_ECT), AT_DROPPED);
	CHECK_EQ(stat(&h, "marks"), 0);
	close_host(&h);
	open_host(&h, "fred", "", 16);
	CHECK_EQ(drops_with(&h, 6, 0, 0, AT_F_ECT), 195);
	CHECK_EQ(stat(&h, "marks"), 0);
	close_host(&h);
}

/* Draws are the seed's. */
static void seeds(void)
{
	u32 drops[3];

	for (u64 seed = 0; seed < 3; seed++) {
		struct host h;

		open_host(&h, "fred", "weight=1/1 max=655360 max_p=500000", 64);
		reopen_host(&h, seed / 2 + 1);
		drops[seed] = 0;
		for (u32 i = 0; i < 2000; i++) {
			h.now += MS;
			drops[seed] += 2 - puts_in(&h, i % 3, 2);
			if (h.q->qlen > 6)
				served(&h);
		}
		CHECK(stat(&h, "early_drops") > 100);
		close_host(&h);
	}
	CHECK(drops[0] == drops[1] && drops[0] != drops[2]);
}

/* Averages of weight 1/4 and packets of 10 ms by hand: an arrival while the last packet is on
 * the link takes a sample of 0, and one more when it is queued. */
static void busy_link(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "fred", "weight=1/4 rate=800000 min=3276800 max=3276800", 16);
	puts_in(&h, 1, 4);				/* samples of 0, 1, 2, 3: 1.265625 */
	for (u32 i = 0; i < 4; i++)
		served(&h);				/* samples of 3, 2, 1, 0 */
	CHECK(fabs((double)stat(&h, "average") / 65536 - 1.185608) < 2e-5);
	h.now = 5 * MS;
	puts_in(&h, 1, 1);
	CHECK(fabs((double)stat(&h, "average") / 65536 - 1.185608 * 9 / 16) < 2e-5);
	served(&h);
	CHECK(fabs((double)stat(&h, "average") / 65536 - 0.500178) < 2e-5);
	CHECK(!get(&h, &t, 10 * MS) && !get(&h, &t, 20 * MS));
	h.now = 45 * MS;				/* three packets since it is idle */
	CHECK(fabs((double)stat(&h, "average") / 65536 - 0.211013) < 2e-5);
	puts_in(&h, 1, 1);				/* that, and a sample of 0 when it is queued */
	CHECK(fabs((double)stat(&h, "average") / 65536 - 0.158260) < 2e-5);
	close_host(&h);
}

/* Arrivals and departures are samples. What is shown of an empty queue is what an
 * arrival would find now; one that is queued takes the idle time again. A reset begins
 * anew, idle since then. */
static void shown(void)
{
	double average = 0, kept = 1;
	struct host h;

	open_host(&h, "fred", "weight=1/4 rate=800000 min=3276800 max=3276800 idle=1", 16);
	for (u32 i = 0; i < 10; i++)
		average += (i - average) / 4;
	puts_in(&h, 1, 10);
	CHECK_EQ(stat(&h, "average"), (u64)(average * 65536));
	for (u32 i = 10; i--;) {
		average += (i - average) / 4;
		served(&h);
		CHECK_EQ(stat(&h, "average"), (u64)(average * 65536));
	}
	/* 8 packets of 10 ms, less one */
	for (u32 i = 0; i < 7; i++)
		kept *= 0.75;
	h.now = 80 * MS;
	CHECK_EQ(stat(&h, "average"), (u64)(average * kept * 65536));
	CHECK_EQ(stat(&h, "average"), (u64)(average * kept * 65536));
	puts_in(&h, 1, 1);
	CHECK_EQ(stat(&h, "average"), (u64)(average * kept * kept * 65536));
	/* idle since it is empty again, not since it was first: two packets less one */
	average *= kept * kept * 0.75;
	served(&h);
	CHECK_EQ(stat(&h, "average"), (u64)(average * 65536));
	h.now = 100 * MS;
	CHECK_EQ(stat(&h, "average"), (u64)(average * 0.75 * 65536));
	puts_in(&h, 1, 12);
	puts_in(&h, 2, 3);
	h.q->ops->reset(h.q, 110 * MS);
	CHECK_EQ(stat(&h, "average") + stat(&h, "active"), 0);
	h.now = 110 * MS;
	CHECK_EQ(puts_in(&h, 1, 5), 5);
	CHECK_EQ(cell(&h, 1, "strikes"), 0);
	close_host(&h);
}

/* A full queue refuses before anything else: no sample, no strike. */
static void full(void)
{
	struct host h;
	u64 average;

	open_host(&h, "fred", "limit=5", 16);
	CHECK_EQ(puts_in(&h, 1, 5), 5);		/* and no more for itself */
	average = stat(&h, "average");
	CHECK_EQ(puts_in(&h, 1, 3), 0);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	CHECK_EQ(stat(&h, "average"), average);
	CHECK_EQ(cell(&h, 1, "strikes"), 0);
	CHECK_EQ(stat(&h, "share_drops") + stat(&h, "early_drops"), 0);
	/* a lower limit drops the oldest */
	puts_in(&h, 2, 1);
	change(&h, "limit=1", 0);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	CHECK_EQ(stat(&h, "active"), 1);
	CHECK_EQ(served(&h), 1);
	CHECK_EQ(stat(&h, "active"), 0);
	close_host(&h);
}

/* ---- urgent and parked packets ---- */

/* Urgent packets go first, and are neither a flow nor a sample. In a full queue the
 * oldest of the others makes room. */
static void urgent_ones(void)
{
	struct host h;

	open_host(&h, "fred", "limit=4 weight=1/1", 16);
	CHECK_EQ(put_urgent(&h, 9, 0), AT_OK);
	CHECK_EQ(puts_in(&h, 1, 3), 3);
	CHECK_EQ(stat(&h, "average"), 2 << 16);
	CHECK_EQ(stat(&h, "active"), 1);
	CHECK_EQ(cell(&h, NO_FLOW + 1, "backlog"), 1);
	CHECK_EQ(puts_in(&h, 2, 1), 0);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	CHECK_EQ(put_urgent(&h, 9, 0), AT_OK);
	CHECK_EQ(h.last_why, AT_R_PUSHOUT);
	CHECK_EQ(h.last_drop->flow, 1);
	CHECK_EQ(put_urgent(&h, 1, 0), AT_CN);
	CHECK_EQ(cell(&h, 1, "backlog"), 1);
	/* one that makes room departs: none is left behind it */
	CHECK_EQ(put_urgent(&h, 9, 0), AT_OK);
	CHECK_EQ(stat(&h, "average") + stat(&h, "active"), 0);
	CHECK_EQ(h.q->qlen, 4);
	/* of four none makes room: the fifth is an ordinary one */
	CHECK_EQ(put_urgent(&h, 9, 0), AT_DROPPED);
	CHECK_EQ(stat(&h, "urgent_over"), 1);
	change(&h, "limit=2", 0);
	CHECK_EQ(h.q->qlen, 2);
	served(&h);
	CHECK_EQ(puts_in(&h, 3, 1), 1);
	CHECK_EQ(served(&h), 9);
	CHECK_EQ(served(&h), 3);
	CHECK_EQ(stat(&h, "urgent"), 2);
	CHECK(stat(&h, "urgent_air") > 0);
	close_host(&h);
}

/* Packets of a closed station keep their place and count as queued; the others go. */
static void parked(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "fred", "weight=1/1", 16);
	for (u32 i = 0; i < 4; i++) {
		struct at_pkt *p = new_pkt(&h, i, 1000);

		p->sta = (u16)(i / 2);
		push(&h, p, 0);
	}
	put_urgent(&h, 4, 0);
	gate(&h, 0, false);
	CHECK_EQ(h.q->parked, 3);
	CHECK_EQ(served(&h), 2);
	CHECK_EQ(served(&h), 3);
	CHECK(!get(&h, &t, 0));
	CHECK_EQ(stat(&h, "average"), 2 << 16);
	CHECK_EQ(stat(&h, "active"), 2);
	gate(&h, 0, true);
	CHECK_EQ(served(&h), 4);
	put_urgent(&h, 5, 1);
	put(&h, 6, 1000, MS);
	/* handed over: oldest first */
	CHECK_EQ(h.q->ops->drain(h.q)->flow, 0);
	CHECK_EQ(h.q->ops->drain(h.q)->flow, 1);
	CHECK_EQ(h.q->ops->drain(h.q)->flow, 5);
	CHECK_EQ(h.q->ops->drain(h.q)->flow, 6);
	CHECK(!h.q->ops->drain(h.q) && h.q->qlen == 0 && h.q->bytes == 0);
	CHECK_EQ(stat(&h, "active"), 0);
	for (u32 i = 0; i < h.n; i++)
		h.place[i] = FREE;
	close_host(&h);
}

/* ---- a link ---- */

/* Senders that halve on a loss, a path of 50 ms, 1 packet a ms. */
static void standing_queue(void)
{
	static struct loop full, fred;

	run_loop(&full, "fred", "min=65535000 max=655350000 limit=10000", 3);
	run_loop(&fred, "fred", "", 3);
	CHECK(fred.median < 20 && fred.used > 0.9 && full.median > 200);
}

/* Some flows that offer half more than the link carries, all together and at random
 * times, and one that sends twice what it carries: that one's part of what was sent, of
 * a thousand, and how many were queued. */
static u32 flood_part(const char *name, u32 others, double *mean)
{
	u32 sent = 0, flooded = 0;
	u64 draws = 1, queued = 0;
	struct host h;

	open_host(&h, name, "", 300);
	for (u32 ms = 0; ms < 60000; ms++) {
		h.now = ms * MS;
		puts_in(&h, 999, 1);
		for (u32 i = 0; i < 3; i++)
			if (below(&draws, 2))
				puts_in(&h, (u32)below(&draws, others), 1);
		puts_in(&h, 999, 1);
		if (ms < 10000) {
			served(&h);
			continue;
		}
		queued += h.q->qlen;
		sent++;
		flooded += served(&h) == 999;
	}
	close_host(&h);
	*mean = (double)queued / sent;
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "%s: a flood beside %u flows has %u of 1000, %.1f queued\n", name, others,
			flooded * 1000 / sent, *mean);
	return flooded * 1000 / sent;
}

/* Parris's estimate: Th_min / Th_max at most, 83 of 1000, where the queue is as long as
 * Th_max. With fewer flows it is shorter. */
static void misbehaving(void)
{
	double mean;

	CHECK(flood_part("red", 60, &mean) > 500);
	for (u32 others = 10; others <= 100; others += 10) {
		u32 part = flood_part("fred", others, &mean);

		CHECK(part < 1000 * 5 / mean);
		CHECK(mean < 55 || part < 83);
	}
}

/* ---- tables ---- */

/* Parris's figures, but that ECN is on and idle time begins as in Linux. */
static void defaults(void)
{
	static const struct {
		const char *name;
		u64 value;
	} expected[] = {
		{ "limit", 240 }, { "min", 5 << 16 }, { "max", 60 << 16 }, { "weight", 1 << 24 },
		{ "max_p", 100000 }, { "rate", 10000000 }, { "packet", 1000 }, { "ecn", 1 },
		{ "minq", 2 }, { "flows", 256 }, { "idle", 0 },
	};
	const struct at_ops *ops = find_ops("fred");

	for (u32 i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		CHECK(!strcmp(ops->params[i].name, expected[i].name));
		CHECK_EQ(ops->params[i].def, expected[i].value);
		CHECK_EQ(ops->params[i].id, i + 1);
	}
	CHECK(!ops->params[sizeof(expected) / sizeof(expected[0])].name);
}

static void refused(void)
{
	struct host h;
	u16 bad = 99;

	open_host(&h, "fred", "", 4);
	set_values(&h, h.q->ops, "min=3932161");
	CHECK(strstr(at_check(h.q->ops, h.vals, &bad), "more than max"));
	CHECK_EQ(bad, 1);
	set_values(&h, h.q->ops, "min=3932160");
	CHECK(!at_check(h.q->ops, h.vals, &bad));
	/* a flow has to have one packet */
	set_values(&h, h.q->ops, "min=65535");
	CHECK(at_check(h.q->ops, h.vals, &bad));
	CHECK_EQ(bad, 1);
	close_host(&h);
}

int main(void)
{
	CASE(defaults());
	CASE(refused());
	CASE(memory());
	CASE(full());
	CASE(cap());
	CASE(strikes());
	CASE(share());
	CASE(two_packets());
	CASE(table_full());
	CASE(minq());
	CASE(marks());
	CASE(seeds());
	CASE(shown());
	CASE(busy_link());
	CASE(urgent_ones());
	CASE(parked());
	CASE(all_loads());
	CASE(standing_queue());
	CASE(misbehaving());
	return 0;
}
