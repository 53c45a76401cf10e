/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * CBT, rule by rule: thresholds, caps, guards, averages, marks, classes, what changes under
 * traffic, what is refused.
 */
#include <math.h>

#include "airtab/classify.h"
#include "harness.h"

#define ONE (1u << 16)

static u32 puts_of(struct host *h, u32 class, u32 bytes, u32 n, u8 flags)
{
	u32 queued = 0;

	while (n--) {
		struct at_pkt *p = new_pkt(h, class, bytes);

		p->cls = (u8)class;
		p->flags = flags;
		queued += push(h, p, h->now) == AT_OK;
	}
	return queued;
}

static u32 served(struct host *h)
{
	struct at_ticket t;
	struct at_pkt *p = get(h, &t, h->now);

	CHECK(p);
	return p->flow;
}

static void th_of(struct host *h, const char *args, double a, double b, double c)
{
	double want[] = { a, b, c };

	open_host(h, "cbt", args, 4);
	for (u32 i = 0; i < 3; i++)
		CHECK(fabs((double)cell(h, i, "th_max") / ONE - want[i]) < fmax(want[i], 1) * 1e-4);
	close_host(h);
}

/* B L / P packets, B L bytes, s L ns. The study's: KB are 1024 bytes, without overhead. */
static void thresholds(void)
{
	struct host h;

#define E06 "bandwidth=7127040,1679360,1228800 packet=1507,807,1075 overhead=0 rate=10240000 limit=240 "
	th_of(&h, "profile=1 latency=100000000 " E06, 59.1162, 26.0124, 14.28837);
	th_of(&h, "profile=1 latency=30000000 " E06, 17.73487, 7.80372, 4.28651);
	th_of(&h, "mode=2 latency=100000000 " E06, 89088, 20992, 15360);
	th_of(&h, "", 23625, 9375, 4500);
	th_of(&h, "mode=3 station_rate=54000000", 18900000, 7500000, 3600000);
	th_of(&h, "mode=3 station_rate=54000000 bandwidth=5000000,2500000,1250000", 15000000, 7500000, 3750000);
	/* of wire: 1038 bytes a packet */
	th_of(&h, "mode=1", 22.7601, 9.03179, 4.33526);
	th_of(&h, "mode=1 th_max=935854,65536,4096000", 14.28, 1, 62.5);
	th_of(&h, "mode=3 station_rate=6000000 th_max=65536000,131072000,32768000", 1e6, 2e6, 5e5);
	th_of(&h, "mode=2 share=100000 rate=4000000000 latency=1000000000 limit=1048576", 5e7, 5e7, 5e7);
	open_host(&h, "cbt", "profile=1 latency=100000000 " E06, 4);
	CHECK_EQ(cell(&h, 0, "th_min"), 5 * ONE);
	CHECK_EQ(cell(&h, 1, "th_min"), cell(&h, 1, "th_max"));
	change(&h, "latency=5000000", 0);	/* 2.96 packets: half of that */
	CHECK_EQ(cell(&h, 0, "th_min"), cell(&h, 0, "th_max") / 2);
	close_host(&h);
	open_host(&h, "cbt", "", 4);
	CHECK_EQ(cell(&h, 0, "th_min"), 4725 * ONE);
	CHECK_EQ(cell(&h, 2, "th_min"), 4500 * ONE);
	close_host(&h);
}

/* What a class may hold at once: of bytes 2 x 4500 here, with the overhead. */
static void caps(void)
{
	struct host h;

	open_host(&h, "cbt", "", 200);
	CHECK_EQ(puts_of(&h, 2, 1000, 20, 0), 8);	/* of 1038 bytes */
	CHECK_EQ(h.last_why, AT_R_CLASS);
	CHECK_EQ(cell(&h, 2, "cap_drops"), 12);
	CHECK_EQ(puts_of(&h, 2, 9000 - 8 * 1038 - 38 + 1, 1, 0), 0);
	CHECK_EQ(puts_of(&h, 2, 9000 - 8 * 1038 - 38, 1, 0), 1);
	CHECK_EQ(puts_of(&h, 1, 1000, 60, 0), 36);
	CHECK_EQ(puts_of(&h, 0, 1000, 60, 0), 45);
	change(&h, "cap=0", 0);
	CHECK_EQ(puts_of(&h, 2, 1000, 20, 0), 20);
	close_host(&h);
	/* two packets it may have, whatever their size */
	open_host(&h, "cbt", "mode=2 th_max=65536000 th_min=65536", 16);
	CHECK_EQ(puts_of(&h, 2, 9000, 5, 0), 2);
	change(&h, "guard=4", 0);
	CHECK_EQ(puts_of(&h, 2, 9000, 5, 0), 3);
	change(&h, "profile=1 weight=1/65536", 0);
	CHECK_EQ(puts_of(&h, 2, 9000, 1, 0), 1);
	close_host(&h);
}

/* The guard: 1, or what goes at once to a station that is here. */
static void guards(void)
{
	struct at_link l = { .sta = 3, .here = true, .phy = 1, .rate_kbps = 54000, .ampdu_frames = 12,
			     .ampdu_ns = 3000000 };
	struct host h;

	open_host(&h, "cbt", "mode=2 average=1 weight=1/1 th_max=65536000 th_min=65536000 cap=0 limit=5000", 64);
	CHECK_EQ(puts_of(&h, 0, 1500, 20, 0), 2);
	h.q->ops->link(h.q, &l, 0);
	CHECK_EQ(stat(&h, "guard"), 12);
	CHECK_EQ(puts_of(&h, 0, 1500, 20, 0), 11);
	l = (struct at_link){ .sta = 4, .here = true, .ampdu_frames = 3, .ampdu_ns = 1000000 };
	h.q->ops->link(h.q, &l, 0);
	CHECK_EQ(stat(&h, "guard"), 12);
	l = (struct at_link){ .sta = 3 };
	h.q->ops->link(h.q, &l, 0);
	CHECK_EQ(stat(&h, "guard"), 3);
	change(&h, "guard=5", 0);
	CHECK_EQ(stat(&h, "guard"), 5);
	change(&h, "guard=1 mode=1", 0);
	CHECK_EQ(stat(&h, "guard"), 1);
	change(&h, "mode=2 profile=1", 0);
	CHECK_EQ(stat(&h, "guard"), 1);
	close_host(&h);
}

/* Whoever is dropped is a sample, and a full queue's are: the average rises with each. */
static void samples(void)
{
	struct host h;
	double average = 0;

	open_host(&h, "cbt", "profile=1 classes=2 weight=1/4 th_min=131072 th_max=131072 limit=5", 16);
	CHECK_EQ(puts_of(&h, 1, 1000, 4, 0), 4);
	for (u32 i = 0; i < 4; i++)
		average += (i - average) / 4;
	CHECK_EQ(cell(&h, 1, "average"), (u64)(average * ONE));
	CHECK_EQ(puts_of(&h, 0, 1000, 1, 0), 1);
	CHECK_EQ(puts_of(&h, 1, 1000, 3, 0), 0);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	for (u32 i = 0; i < 3; i++)
		average += (4 - average) / 4;
	CHECK_EQ(cell(&h, 1, "average"), (u64)(average * ONE));
	served(&h);
	CHECK_EQ(puts_of(&h, 1, 1000, 1, 0), 0);
	CHECK_EQ(h.last_why, AT_R_CLASS);
	average += (3 - average) / 4;
	CHECK_EQ(cell(&h, 1, "average"), (u64)(average * ONE));
	CHECK_EQ(cell(&h, 1, "full_drops"), 3);
	close_host(&h);
}

/* A class that is idle falls by its own share of the link, once, and never rises. */
static void idle(void)
{
	double average = 0;
	struct host h;
	u64 shown;

	/* a packet is 10 ms of the link, 40 ms of class 1 */
	open_host(&h, "cbt", "profile=1 classes=2 weight=1/65536,1/4 share=750000,250000 rate=800000 overhead=0 th_min=655360 th_max=655360 limit=20", 32);
	CHECK_EQ(puts_of(&h, 1, 1000, 6, 0), 6);
	for (u32 i = 0; i < 6; i++)
		average += (i - average) / 4;
	for (u32 i = 0; i < 6; i++)
		served(&h);
	h.now = 39 * MS;
	shown = cell(&h, 1, "average");
	CHECK_EQ(shown, (u64)(average * ONE));
	h.now = 160 * MS;		/* 4 less 1 */
	CHECK_EQ(cell(&h, 1, "average"), (u64)(average * 27 / 64 * ONE));
	/* who is refused ends the time all the same */
	CHECK_EQ(puts_of(&h, 0, 1000, 20, 0), 20);
	CHECK_EQ(puts_of(&h, 1, 1000, 2, 0), 0);
	average = average * 27 / 64;
	CHECK_EQ(cell(&h, 1, "average"), (u64)(average * ONE));
	served(&h);
	h.now = 240 * MS;
	CHECK_EQ(puts_of(&h, 1, 1000, 1, 0), 1);
	CHECK_EQ(cell(&h, 1, "average"), (u64)(average * 3 / 4 * ONE));
	CHECK_EQ(cell(&h, 1, "idle"), 4);
	close_host(&h);
}

/* An average over time is one of what was held, whoever comes. */
static void over_time(void)
{
	double average = 0;
	struct host h;

	open_host(&h, "cbt", "tau=100000000 cap=0 overhead=0", 64);
	puts_of(&h, 1, 1000, 8, 0);
	CHECK_EQ(cell(&h, 1, "average"), 0);
	h.now = 30 * MS;
	average = 8000 * -expm1(-0.3);
	CHECK(fabs((double)cell(&h, 1, "average") / ONE - average) < 1e-3);
	served(&h);
	h.now = 50 * MS;
	average += (7000 - average) * -expm1(-0.2);
	CHECK(fabs((double)cell(&h, 1, "average") / ONE - average) < 1e-3);
	while (h.q->qlen)
		served(&h);
	h.now = 250 * MS;
	average *= exp(-2);
	CHECK(fabs((double)cell(&h, 1, "average") / ONE - average) < 1e-3);
	h.q->ops->reset(h.q, h.now);
	CHECK_EQ(cell(&h, 1, "average"), 0);
	close_host(&h);
}

/* Fourteen packets of class 0 whose average is that. Early: the next one is the first above 8
 * of 20, which passes; to the one behind it 15 is the end, and it is certain. Forced: above 12. */
static void marks(void)
{
	static const struct { const char *args; bool forced; u8 flags; u32 marks, early, drops; } want[] = {
		{ "", false, AT_F_ECT, 1, 0, 0 },
		{ "", false, 0, 0, 1, 0 },
		{ "ecn=1", false, AT_F_ECT, 0, 1, 0 },
		{ "profile=1 average=3", false, AT_F_ECT, 0, 1, 0 },
		{ "profile=1 average=3 ecn=2", false, AT_F_ECT, 1, 0, 0 },
		{ "", true, AT_F_ECT, 0, 0, 1 },
		{ "hard=0", true, AT_F_ECT, 1, 0, 0 },
		{ "hard=0", true, 0, 0, 0, 1 },
		{ "hard=0 ecn=1", true, AT_F_ECT, 0, 0, 1 },
	};
	struct host h;

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		char args[200];

		snprintf(args, sizeof(args), "mode=1 cap=0 th_min=524288 th_max=1310720 max_p=1000000 %s", want[i].args);
		open_host(&h, "cbt", args, 64);
		CHECK_EQ(puts_of(&h, 0, 1000, 14, 0), 14);
		h.now = 10 * SEC;
		if (want[i].forced) {
			change(&h, "th_max=786432", h.now);
		} else {
			CHECK_EQ(puts_of(&h, 0, 1000, 1, 0), 1);
			CHECK_EQ(cell(&h, 0, "entries"), 1);
			change(&h, "th_max=983041", h.now);
		}
		CHECK_EQ(puts_of(&h, 0, 1000, 1, want[i].flags), want[i].marks);
		CHECK_EQ(stat(&h, "marks"), want[i].marks);
		CHECK_EQ(stat(&h, "early_drops"), want[i].early);
		CHECK_EQ(stat(&h, "forced_drops"), want[i].drops);
		if (!want[i].marks)
			CHECK_EQ(h.last_why, want[i].early ? AT_R_EARLY : AT_R_CLASS);
		CHECK_EQ(cell(&h, 0, "count"), 0);
		close_host(&h);
	}
	/* what a cap refuses is dropped, whoever may be marked */
	open_host(&h, "cbt", "hard=0", 64);
	CHECK_EQ(puts_of(&h, 2, 1000, 20, AT_F_ECT), 8);
	close_host(&h);
}

/* The first rule that takes a packet says its class; what none takes is of the last. */
static void rules(void)
{
	struct at_pkt *p;
	char args[200];
	struct host h;
	const struct at_rule r[] = {
		{ 1, AT_RULE_PORTS, 17, 6000, 6010 }, { 0, AT_RULE_PROTO, 6, 0, 0 },
		{ 2, AT_RULE_PROTO, 17, 0, 0 }, { 1, AT_RULE_DSCP, 46, 0, 0 },
	};
	static const struct { struct at_key key; u32 class; } want[] = {
		{ { 17, 0, 5000, 6005 }, 1 }, { { 17, 46, 6010, 80 }, 1 }, { { 6, 46, 6005, 6005 }, 0 },
		{ { 17, 46, 5, 5 }, 2 }, { { 1, 46, 0, 0 }, 1 }, { { 1, 0, 0, 0 }, 2 },
	};

	snprintf(args, sizeof(args), "rules=%llu,%llu,%llu,%llu", (unsigned long long)at_rule_word(r[0]),
		 (unsigned long long)at_rule_word(r[1]), (unsigned long long)at_rule_word(r[2]),
		 (unsigned long long)at_rule_word(r[3]));
	open_host(&h, "cbt", args, 16);
	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		u64 before = cell(&h, want[i].class, "arrivals");

		p = new_pkt(&h, 1, 100);
		p->flags = AT_F_IP;
		p->key = want[i].key;
		push(&h, p, 0);
		CHECK_EQ(cell(&h, want[i].class, "arrivals"), before + 1);
	}
	close_host(&h);
}

/* ---- urgent and parked packets, changes ---- */

static enum at_verdict urgent(struct host *h, u32 flow, u16 sta)
{
	struct at_pkt *p = new_pkt(h, flow, 100);

	p->cls = AT_URGENT;
	p->sta = sta;
	return push(h, p, h->now);
}

/* Urgent packets go first and are of no class. In a full queue the oldest makes room. */
static void urgent_ones(void)
{
	struct host h;

	open_host(&h, "cbt", "profile=1 limit=4", 16);
	CHECK_EQ(urgent(&h, 9, 0), AT_OK);
	CHECK_EQ(puts_of(&h, 1, 1000, 3, 0), 3);
	CHECK_EQ(cell(&h, 1, "backlog"), 3);
	CHECK_EQ(cell(&h, 2, "arrivals"), 0);
	CHECK_EQ(cell(&h, AT_URGENT, "backlog"), 1);
	CHECK_EQ(puts_of(&h, 1, 1000, 1, 0), 0);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	CHECK_EQ(urgent(&h, 9, 0), AT_OK);
	CHECK_EQ(h.last_why, AT_R_PUSHOUT);
	CHECK_EQ(cell(&h, 1, "backlog"), 2);
	CHECK_EQ(urgent(&h, 1, 0), AT_CN);
	CHECK_EQ(urgent(&h, 9, 0), AT_OK);
	/* of four none makes room: the fifth is an ordinary one, of the last class */
	CHECK_EQ(urgent(&h, 9, 0), AT_DROPPED);
	CHECK_EQ(cell(&h, 2, "full_drops"), 1);
	CHECK_EQ(stat(&h, "urgent_over"), 1);
	change(&h, "limit=2", 0);
	CHECK_EQ(h.q->qlen, 2);
	served(&h);
	CHECK_EQ(puts_of(&h, 0, 1000, 1, 0), 1);
	CHECK_EQ(served(&h), 9);
	CHECK_EQ(served(&h), 0);
	CHECK_EQ(stat(&h, "urgent"), 2);
	CHECK(stat(&h, "urgent_air") > 0);
	close_host(&h);
}

/* Packets of a closed station keep their place and count as queued; the others go. */
static void parked(void)
{
	struct at_ticket t;
	struct host h;

	open_host(&h, "cbt", "", 16);
	for (u32 i = 0; i < 4; i++) {
		struct at_pkt *p = new_pkt(&h, i, 500);

		p->sta = (u16)(i / 2);
		p->cls = (u8)(i % 2);
		push(&h, p, 0);
	}
	urgent(&h, 4, 0);
	gate(&h, 0, false);
	CHECK_EQ(h.q->parked, 3);
	CHECK_EQ(served(&h), 2);
	CHECK_EQ(served(&h), 3);
	CHECK(!get(&h, &t, 0));
	CHECK_EQ(cell(&h, 0, "backlog") + cell(&h, 1, "backlog"), 2);
	CHECK_EQ(cell(&h, 1, "backlog_bytes"), 500);
	gate(&h, 0, true);
	CHECK_EQ(served(&h), 4);
	urgent(&h, 5, 1);
	put(&h, 6, 1000, MS);
	/* handed over: oldest first */
	CHECK_EQ(h.q->ops->drain(h.q)->flow, 0);
	CHECK_EQ(h.q->ops->drain(h.q)->flow, 1);
	CHECK_EQ(h.q->ops->drain(h.q)->flow, 5);
	CHECK_EQ(h.q->ops->drain(h.q)->flow, 6);
	CHECK(!h.q->ops->drain(h.q) && h.q->qlen == 0 && h.q->bytes == 0);
	CHECK_EQ(cell(&h, 0, "backlog") + cell(&h, 0, "backlog_bytes"), 0);
	for (u32 i = 0; i < h.n; i++)
		h.place[i] = FREE;
	close_host(&h);
}

/* What is counted may change with packets queued: sums stay right, and averages begin with
 * what is there. mode=auto is airtime once a rate is told, and stays so. */
static void recounted(void)
{
	struct at_link l = { .sta = 0, .here = true, .phy = 1, .rate_kbps = 54000 };
	struct host h;
	u64 air;

	open_host(&h, "cbt", "cap=0 limit=200", 64);
	puts_of(&h, 1, 1000, 5, 0);
	h.now = 20 * SEC;
	CHECK_EQ(stat(&h, "unit"), 1);
	CHECK(cell(&h, 1, "average") / ONE >= 5 * 1038 - 1);
	change(&h, "mode=1", h.now);
	CHECK_EQ(stat(&h, "unit"), 0);
	CHECK_EQ(cell(&h, 1, "average"), 5 * ONE);
	change(&h, "overhead=100", h.now);
	change(&h, "mode=0", h.now);
	CHECK_EQ(cell(&h, 1, "average"), 5 * 1100 * ONE);
	l.here = false;
	h.q->ops->link(h.q, &l, h.now);
	CHECK_EQ(stat(&h, "unit"), 1);
	l.here = true;
	h.q->ops->link(h.q, &l, h.now);
	CHECK_EQ(stat(&h, "unit"), 2);
	CHECK_EQ(cell(&h, 1, "th_max") / ONE, 7500000);
	CHECK_EQ(cell(&h, 0, "th_min") / ONE, 18900000 / 5);
	/* what came before the rate was known is of the usual one */
	air = cell(&h, 1, "average") / ONE / 5;
	CHECK(air > 250000 && air < 350000);
	l.rate_kbps = 6000;
	h.q->ops->link(h.q, &l, h.now);
	puts_of(&h, 1, 1000, 1, 0);
	for (u32 i = 0; i < 5; i++)
		served(&h);
	h.now = 100 * SEC;
	/* 28 + 3.99 x 9 + 20 + 1034 x 8 / 6 + 10 + 20 + 14 x 8 / 6 us */
	CHECK(fabs((double)cell(&h, 1, "average") / ONE - 1511248) < 10);
	l = (struct at_link){ .sta = 0 };
	h.q->ops->link(h.q, &l, h.now);
	CHECK_EQ(stat(&h, "unit"), 2);
	served(&h);
	h.now = 200 * SEC;
	CHECK_EQ(cell(&h, 1, "average"), 0);
	puts_of(&h, 1, 1000, 1, 0);
	h.now = 300 * SEC;
	CHECK_EQ(cell(&h, 1, "average") / ONE, air);
	change(&h, "mode=2", h.now);
	CHECK_EQ(stat(&h, "unit"), 1);
	close_host(&h);
}

/* A lower limit drops the oldest, whose classes have them no more; a reset forgets. */
static void shrunk(void)
{
	struct host h;

	open_host(&h, "cbt", "guard=65535", 64);
	puts_of(&h, 0, 1000, 5, 0);
	puts_of(&h, 1, 700, 5, 0);
	change(&h, "limit=3", 0);
	CHECK_EQ(cell(&h, 0, "backlog"), 0);
	CHECK_EQ(cell(&h, 1, "backlog_bytes"), 2100);
	h.now = SEC;
	CHECK(cell(&h, 1, "average") > 0);
	h.q->ops->reset(h.q, SEC);
	CHECK_EQ(cell(&h, 1, "backlog") + cell(&h, 1, "backlog_bytes") + cell(&h, 1, "average"), 0);
	CHECK_EQ(h.q->qlen, 0);
	h.now = 2 * SEC;
	CHECK_EQ(cell(&h, 1, "average"), 0);
	close_host(&h);
}

/* Waits: their sum, and what 95 % are below: of 0 to 100 ms, evenly, 95. Load and alarm. */
static void waits(void)
{
	u64 draws = 1, at = 0, sum = 0;
	struct host h;

	open_host(&h, "cbt", "profile=1", 16);
	for (u32 i = 0; i < 20000; i++) {
		u64 wait = below(&draws, 100 * MS);

		h.now = at += 200 * MS;
		puts_of(&h, 1, 1000, 1, 0);
		h.now += wait;
		sum += wait;
		served(&h);
	}
	CHECK_EQ(cell(&h, 1, "sent"), 20000);
	CHECK_EQ(cell(&h, 1, "sent_bytes"), 20000000);
	CHECK(fabs((double)cell(&h, 1, "waited") / (double)sum - 1) < 1e-4);
	CHECK(cell(&h, 1, "waited_95") > 88 * MS && cell(&h, 1, "waited_95") < 101 * MS);
	close_host(&h);
	/* 37500 bytes are 30 ms of 10 Mb/s */
	open_host(&h, "cbt", "cap=0 guard=65535 overhead=0", 64);
	puts_of(&h, 1, 1000, 30, 0);
	puts_of(&h, 0, 1000, 14, 0);
	h.now = 20 * SEC;
	CHECK(stat(&h, "load") > 1173000 && stat(&h, "load") < 1173400);
	CHECK_EQ(stat(&h, "late"), 0);
	puts_of(&h, 0, 1000, 2, 0);
	h.now = 40 * SEC;
	CHECK(stat(&h, "load") > 1226000 && stat(&h, "load") < 1227000);
	CHECK_EQ(stat(&h, "late"), 1);
	change(&h, "mode=1", h.now);
	CHECK(stat(&h, "load") > 1226000 && stat(&h, "load") < 1227000);
	change(&h, "mode=3 station_rate=54000000", h.now);
	CHECK(stat(&h, "load") > 300000 && stat(&h, "load") < 600000);
	close_host(&h);
}

/* ---- tables ---- */

static void refused(void)
{
	static const struct { const char *args, *param, *why; } want[] = {
		{ "mode=2 th_max=655360000 th_min=655360001", "th_min", "more than th_max" },
		{ "mode=1 th_min=65536000", "th_min", "share, rate and latency" },
		{ "share=500000,500000", "share", "one for each" },
		{ "weight=1/1,1/2,1/3,1/4", "weight", "one for each" },
		{ "mode=1 th_max=1,2", "th_max", "one for each" },
		{ "share=500000,300000,200001", "share", "more than 100 %" },
		{ "share=400000", "share", "more than 100 %" },
		{ "share=500000,0,200000", "share", "is 0" },
		{ "bandwidth=5000000,0,200000", "bandwidth", "is 0" },
		{ "bandwidth=5000000,5000000,1000", "bandwidth", "more than rate" },
		{ "share=300000 bandwidth=1000000", "bandwidth", "beside share" },
		{ "share=1,2,3", "share", "less than 1 kb/s" },
		{ "mode=3", "mode", "station_rate" },
		{ "th_max=65536", "th_max", "by mode" },
		{ "th_min=65536", "th_min", "by mode" },
		{ "mode=1 th_max=6553600 limit=299", "limit", "raise it" },
		{ "latency=1000000000", "limit", "raise it" },
		{ "mode=3 station_rate=54000000 th_max=140737488289792", "th_max", "2 s" },
		{ "station_rate=53000000", "station_rate", "is not a rate" },
		{ "station_rate=64", "station_rate", "less than 1 Mb/s" },
		{ "station_rate=999999 phy=2", "station_rate", "less than 1 Mb/s" },
		{ "rules=3", "rules", "" },
		{ "rules=19", "rules", "not among classes" },
		{ "latency=0", "latency", "below" }, { "rate=0", "rate", "below" }, { "packet=0", "packet", "below" },
		{ "mode=2 th_max=327680,0,327680", "th_max", "hold nothing" }, { "weight=1/256,0,1/4", "weight", "hold nothing" },
		{ "cap=32768", "cap", "threshold itself" }, { "cap=131072,65535,0", "cap", "threshold itself" },
		{ "packet=1000,0,1000", "packet", "below" }, { "weight=4294967297", "weight", "above" },
	};
	static const char *const good[] = {
		"mode=1 th_max=6553600 limit=300", "share=333333", "classes=1 share=1000000",
		"mode=2 th_min=65536,0,0", "cap=65536,0,131072", "limit=1", "mode=3 station_rate=54000000 latency=1000000000",
	};
	u16 bad;

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const char *wrong;
		struct host h;

		open_host(&h, "cbt", "", 4);
		set_values(&h, h.q->ops, want[i].args);
		wrong = at_check(h.q->ops, h.vals, &bad);
		if (!wrong || strcmp(h.q->ops->params[bad].name, want[i].param) || !strstr(wrong, want[i].why))
			fprintf(stderr, "%s: %s: %s\n", want[i].args, h.q->ops->params[bad].name, wrong ? wrong : "good");
		CHECK(wrong && strstr(wrong, want[i].why));
		CHECK(!strcmp(h.q->ops->params[bad].name, want[i].param));
		close_host(&h);
	}
	for (u32 i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct host h;

		open_host(&h, "cbt", good[i], 4);
		close_host(&h);
	}
}

/* By default, rules of 32 words included. */
static void memory(void)
{
	struct host h;

	open_host(&h, "cbt", "", 1);
	CHECK(h.q->ops->state_size(h.vals) < 2048);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "cbt: %llu bytes\n", (unsigned long long)h.q->ops->state_size(h.vals));
	close_host(&h);
}

int main(void)
{
	CASE(refused());
	CASE(memory());
	CASE(thresholds());
	CASE(caps());
	CASE(guards());
	CASE(samples());
	CASE(idle());
	CASE(over_time());
	CASE(marks());
	CASE(rules());
	CASE(urgent_ones());
	CASE(parked());
	CASE(recounted());
	CASE(shrunk());
	CASE(waits());
	return 0;
}
