/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Every parameter of every discipline has its effect: changed under traffic, or
 * (those fixed at init) given at the beginning. One case a parameter: where a
 * discipline has cases, a parameter without one fails. A new discipline has none,
 * and is tried by its table: see by_table().
 */
#include "harness.h"

static struct at_ticket ticket;

static void puts_of(struct host *h, u32 flow, u32 bytes, u32 n)
{
	while (n--)
		put(h, flow, bytes, h->now);
}

static u32 served(struct host *h)
{
	struct at_pkt *p = get(h, &ticket, h->now);

	CHECK(p);
	return p->flow;
}

/* Serves one of a flow alone; its transmission takes `ns`. */
static void serve(struct host *h, u32 flow, u64 ns, u64 now)
{
	put(h, flow, 1500, now);
	CHECK_EQ(served(h), flow);
	report(h, &ticket, ns, now);
}

/* ---- fifo ---- */

/* Of a single queue that refuses who comes. */
static void single_limit(struct host *h, const char *discipline)
{
	open_host(h, discipline, "limit=10", 64);
	puts_of(h, 1, 1500, 11);
	CHECK_EQ(h->q->qlen, 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	CHECK_EQ(put(h, 1, 1500, 0), AT_DROPPED);
	change(h, "limit=20", 0);
	puts_of(h, 1, 1500, 30);
	CHECK_EQ(h->q->qlen, 20);
}

static void fifo_limit(struct host *h)
{
	single_limit(h, "fifo");
}

static void fifo_bytes(struct host *h)
{
	open_host(h, "fifo", "", 64);
	puts_of(h, 1, 1500, 20);
	change(h, "bytes=6000", 0);
	CHECK_EQ(h->q->bytes, 6000);
	CHECK_EQ(put(h, 1, 1, 0), AT_DROPPED);
	change(h, "bytes=6001", 0);
	CHECK_EQ(put(h, 1, 1, 0), AT_OK);
	change(h, "bytes=0", 0);
	puts_of(h, 1, 1500, 20);
	CHECK_EQ(h->q->bytes, 36001);
}

/* ---- spq ---- */

static u8 first_class(const char *args)
{
	struct host h;
	u8 class;

	open_host(&h, "spq", args, 8);
	for (u8 c = 2; c < 3; c--) {	/* 2, 1, 0 */
		struct at_pkt *p = new_pkt(&h, c, 1500);

		p->cls = c;
		push(&h, p, 0);
	}
	class = get(&h, &ticket, 0)->cls;
	close_host(&h);
	return class;
}

/* One class: the oldest. Two: 1 and 2 count as the last. Three. */
static void spq_classes(struct host *h)
{
	CHECK_EQ(first_class("classes=1"), 2);
	CHECK_EQ(first_class("classes=3"), 0);
	open_host(h, "spq", "classes=2", 8);
	for (u8 c = 2; c; c--) {
		struct at_pkt *p = new_pkt(h, c, 1500);

		p->cls = c;
		push(h, p, 0);
	}
	CHECK_EQ(served(h), 2);
}

static void spq_limit(struct host *h)
{
	open_host(h, "spq", "limit=10", 64);
	puts_of(h, 1, 1500, 11);
	CHECK_EQ(h->q->qlen, 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	puts_of(h, 1, 1500, 1);
	CHECK_EQ(h->q->qlen, 4);
	change(h, "limit=20", 0);
	puts_of(h, 1, 1500, 30);
	CHECK_EQ(h->q->qlen, 20);
}

/* Whoever came first of two flows of one class goes first. */
static void spq_rules(struct host *h)
{
	u64 rules[] = { 0x1131 | 443ull << 16 | 443ull << 32, 0x12 };	/* udp:443=1,*=2 */

	open_host(h, "spq", "classes=3", 64);
	puts_of(h, 1, 1500, 2);
	h->vals[2] = (struct at_vals){ rules, 2 };
	change(h, "", 0);
	puts_of(h, 2, 1500, 1);			/* of no protocol: 2 */
	for (u32 i = 0; i < 2; i++) {
		struct at_pkt *p = new_pkt(h, 3 + i, 1500);

		p->flags = AT_F_IP;
		p->key = (struct at_key){ .proto = i ? 6 : 17, .sport = 443 };
		push(h, p, 0);
	}
	CHECK_EQ(served(h), 1);			/* the class they came with stays theirs */
	CHECK_EQ(served(h), 1);
	CHECK_EQ(served(h), 3);
	CHECK_EQ(served(h), 2);
	CHECK_EQ(served(h), 4);
}

/* ---- chap ---- */

/* faithful charges nothing before the report, default an estimate. */
static void chap_profile(struct host *h)
{
	open_host(h, "chap", FLAT "profile=1", 8);
	puts_of(h, 1, 1500, 1);
	served(h);
	CHECK_EQ(ticket.est, 0);
	close_host(h);
	open_host(h, "chap", FLAT "profile=0", 8);
	puts_of(h, 1, 1500, 1);
	served(h);
	CHECK(ticket.est > 0);
}

/* What a new flow starts with, and how much of a debt is let off: -10 I. */
static void chap_increment(struct host *h)
{
	open_host(h, "chap", FLAT "newcomers=0", 16);
	puts_of(h, 1, 1500, 2);
	CHECK_EQ(credit(h, 1), 25 * MS);
	change(h, "increment=10000000", 0);
	puts_of(h, 2, 1500, 1);
	CHECK_EQ(credit(h, 2), 10 * MS);
	CHECK_EQ(served(h), 1);		/* that had 25 and has 20, twice the new I */
	report(h, &ticket, 10 * SEC, 0);
	CHECK_EQ(credit(h, 1), -100 * (s64)MS);
	change(h, "increment=40000000", 0);
	puts_of(h, 3, 1500, 1);
	CHECK_EQ(credit(h, 3), 40 * MS);
	report(h, &ticket, 0, 0);
	CHECK_EQ(credit(h, 1), -100 * (s64)MS);
}

static void chap_limit(struct host *h)
{
	open_host(h, "chap", FLAT "limit=10", 64);
	puts_of(h, 1, 1500, 11);
	CHECK_EQ(h->q->qlen, 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	puts_of(h, 1, 1500, 1);
	CHECK_EQ(h->q->qlen, 4);
	change(h, "limit=20", 0);
	puts_of(h, 1, 1500, 30);
	CHECK_EQ(h->q->qlen, 20);
}

static void chap_memory(struct host *h)
{
	open_host(h, "chap", FLAT "", 200);
	puts_of(h, 1, 1500, 100);
	change(h, "memory=75000", 0);
	CHECK_EQ(h->q->bytes, 75000);
	CHECK_EQ(put(h, 1, 1500, 0), AT_CN);
	CHECK_EQ(h->q->bytes, 75000);
	change(h, "memory=78000", 0);
	puts_of(h, 1, 1500, 5);
	CHECK_EQ(h->q->bytes, 78000);
}

static void chap_flows(struct host *h)
{
	open_host(h, "chap", FLAT "flows=20 limit=8", 16);
	for (u32 f = 1; f <= 100; f++)
		serve(h, f, MS, f);
	CHECK_EQ(stat(h, "flows"), 20);
	close_host(h);
	open_host(h, "chap", FLAT "flows=50 limit=8", 16);
	for (u32 f = 1; f <= 100; f++)
		serve(h, f, MS, f);
	CHECK_EQ(stat(h, "flows"), 50);
}

/* A flow that was idle for `idle` seconds is one like new, or known. */
static bool forgotten(struct host *h, u32 flow, bool tcp, u64 idle)
{
	u64 now = h->now;

	for (u32 k = 0; k < 2; k++) {
		struct at_pkt *p = new_pkt(h, flow, 1500);

		p->flags = tcp ? AT_F_TCP : 0;
		push(h, p, now);
		CHECK_EQ(served(h), flow);
		report(h, &ticket, 5 * MS, now);
		now += idle * SEC;
	}
	return credit(h, flow) == 20 * (s64)MS;
}

static void chap_udp_timeout(struct host *h)
{
	open_host(h, "chap", FLAT "newcomers=0", 16);
	CHECK(!forgotten(h, 1, false, 119));
	CHECK(forgotten(h, 2, false, 121));
	change(h, "udp_timeout=5000000000", h->now);
	CHECK(!forgotten(h, 3, false, 4));
	CHECK(forgotten(h, 4, false, 6));
	CHECK(!forgotten(h, 5, true, 3500));	/* not TCP's */
	change(h, "udp_timeout=1000000000000", h->now);
	CHECK(!forgotten(h, 6, false, 999));
}

static void chap_tcp_timeout(struct host *h)
{
	open_host(h, "chap", FLAT "newcomers=0", 16);
	CHECK(!forgotten(h, 1, true, 3599));
	CHECK(forgotten(h, 2, true, 3601));
	change(h, "tcp_timeout=5000000000", h->now);
	CHECK(!forgotten(h, 3, true, 4));
	CHECK(forgotten(h, 4, true, 6));
	CHECK(!forgotten(h, 5, false, 119));	/* TCP's only */
	change(h, "tcp_timeout=10000000000000", h->now);
	CHECK(!forgotten(h, 6, true, 9999));
}

/* Off: each enters with I. On: with what the ones before have left of the tab. */
static void chap_newcomers(struct host *h)
{
	open_host(h, "chap", FLAT "newcomers=0", 16);
	serve(h, 1, 40 * MS, 0);
	puts_of(h, 2, 1500, 1);
	CHECK_EQ(credit(h, 2), 25 * MS);
	CHECK_EQ(stat(h, "newcomer_backlog"), 0);
	change(h, "newcomers=1", 0);
	CHECK_EQ(served(h), 2);
	report(h, &ticket, MS, 0);
	serve(h, 3, 40 * MS, 0);
	CHECK_EQ((s64)stat(h, "newcomer_credit"), 10 * MS);
	puts_of(h, 4, 1500, 1);
	CHECK_EQ(stat(h, "newcomer_backlog"), 1);
	CHECK_EQ(credit(h, 4), 10 * MS);
	change(h, "newcomers=0", 0);
	CHECK_EQ(stat(h, "newcomer_backlog"), 0);
	puts_of(h, 5, 1500, 1);
	CHECK_EQ(credit(h, 5), 25 * MS);
}

static void chap_uplink(struct host *h)
{
	open_host(h, "chap", FLAT "newcomers=0", 16);
	serve(h, 1, MS, 0);
	for (u32 on = 0; on < 3; on++) {	/* off, on, off */
		change(h, on % 2 ? "uplink=1" : "uplink=0", 0);
		hear(h, 1, 2 * MS, h->now);
		CHECK_EQ(credit(h, 1), (24 - 2 * (s64)(on > 0)) * (s64)MS);
	}
	change(h, "uplink=2", 0);
	hear(h, 1, 2 * MS, h->now);
	CHECK_EQ(credit(h, 1), 20 * (s64)MS);
	close_host(h);
	open_host(h, "chap", "profile=1 share=0 uplink=2", 16);
	serve(h, 1, MS, 0);
	hear(h, 1, 2 * MS, h->now);
	CHECK_EQ(credit(h, 1), 24 * (s64)MS);
}

/* Packets of flow 3, of 600 of three flows: two stations, two sources. */
static void chap_share(struct host *h)
{
	static const u32 want[] = { 300, 150, 200 };

	for (u32 share = 0; share < 3; share++) {
		char args[100];
		u32 of_three = 0;

		if (share)
			close_host(h);
		snprintf(args, sizeof(args), SHARED "share=%u increment=1000000", share);
		open_host(h, "chap", args, 64);
		for (u32 i = 0; i < 609; i++) {
			u32 flow = i % 3 + 1;
			struct at_pkt *p;

			if (i >= 9) {
				flow = get(h, &ticket, i * MS)->flow;
				report(h, &ticket, 300000, i * MS);
				of_three += flow == 3;
			}
			p = new_pkt(h, flow, 1500);
			p->sta = flow == 3;
			p->source = flow == 1 ? 7 : 8;
			push(h, p, i * MS);
		}
		CHECK(of_three + 12 > want[share] && of_three < want[share] + 12);
	}
}

static void put_at(struct host *h, u32 flow, u16 sta)
{
	struct at_pkt *p = new_pkt(h, flow, 1500);

	p->sta = sta;
	push(h, p, 0);
}

/* A station that began with 25 ms is heard for 40 ms: its light flow goes before another
 * station's backlog down to -debt. */
static void chap_debt(struct host *h)
{
	for (u32 k = 0; k < 2; k++) {
		if (k)
			close_host(h);
		open_host(h, "chap", k ? SHARED "debt=10000000" : SHARED "debt=20000000", 128);
		put_at(h, 1, 3);
		for (u32 i = 0; i < 40; i++) {
			CHECK_EQ(served(h), i ? 2 : 1);
			report(h, &ticket, 300000, 0);
			put_at(h, 2, 2);
			put_at(h, 2, 2);
		}
		hear(h, 9, 40 * MS, 0);
		put_at(h, 1, 3);
		CHECK_EQ(get(h, &ticket, 0)->flow, k ? 2 : 1);
	}
}

/* A packet a ms of a backlog of 20 for a second: each was queued for 20 ms. */
static u64 overdue(struct host *h, u64 from_ms, u64 ms, u8 flags)
{
	u64 dropped = h->q->dropped[AT_R_AQM];

	for (u64 t = from_ms; t < from_ms + ms; t++) {
		while (h->q->qlen < 20) {
			struct at_pkt *p = new_pkt(h, 1, 1500);

			p->flags = flags;
			push(h, p, t * MS);
		}
		CHECK(get(h, &ticket, t * MS));
		report(h, &ticket, MS, t * MS);
	}
	return h->q->dropped[AT_R_AQM] - dropped;
}

/* User priorities 0, 5 and 6 of a flow with a packet each 20 ms, once it is known; 0 in a host without categories. */
static void chap_promote(struct host *h)
{
	static const char *const args[] = { SHARED "promote=0", SHARED "promote=1", SHARED "promote=2", SHARED "promote=2" };
	static const u8 up[] = { 0, 5, 6, 0 };

	for (u32 k = 0; k < 4; k++) {
		struct at_ticket t;

		open_host(h, "chap", args[k], 16);
		if (k < 3)
			h->q->ops->categories(h->q, true);
		for (u32 i = 0; i < 100; i++) {
			struct at_pkt *p = new_pkt(h, 1, 200);

			p->sta = 1;
			push(h, p, i * 20 * MS);
			CHECK(get(h, &t, i * 20 * MS));
			report(h, &t, 300000, i * 20 * MS);
		}
		CHECK_EQ(t.up, up[k]);
		if (k < 3)
			close_host(h);
	}
}

static void chap_target(struct host *h)
{
	open_host(h, "chap", FLAT "target=0", 64);
	CHECK_EQ(overdue(h, 0, 1000, 0), 0);
	close_host(h);
	open_host(h, "chap", FLAT "target=5000000", 64);
	CHECK(overdue(h, 0, 1000, 0) > 5);
	close_host(h);
	open_host(h, "chap", FLAT "target=30000000", 64);
	CHECK_EQ(overdue(h, 0, 1000, 0), 0);
}

/* ---- fq_codel, and what airtime_fq has of it ---- */

static const char *kind;	/* the discipline that is shown */

/* Without limits below the queue: nothing is reported here. */
static void open_kind(struct host *h, const char *args, u32 packets)
{
	open_host(h, kind, args, packets);
	if (!strcmp(kind, "airtime_fq"))
		change(h, "aql=0", 0);
}

static void fq_codel_limit(struct host *h)
{
	open_kind(h, "limit=10 drop_batch=1", 64);
	puts_of(h, 1, 1500, 11);
	CHECK_EQ(h->q->qlen, 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	puts_of(h, 1, 1500, 1);
	CHECK_EQ(h->q->qlen, 4);
	change(h, "limit=20", 0);
	puts_of(h, 1, 1500, 30);
	CHECK_EQ(h->q->qlen, 20);
}

static void fq_codel_memory(struct host *h)
{
	open_kind(h, "drop_batch=1", 200);
	puts_of(h, 1, 1500, 100);
	change(h, "memory=75000", 0);
	CHECK_EQ(h->q->bytes, 75000);
	puts_of(h, 1, 1500, 1);
	CHECK_EQ(h->q->bytes, 75000);
	change(h, "memory=78000", 0);
	puts_of(h, 1, 1500, 5);
	CHECK_EQ(h->q->bytes, 78000);
}

/* One queue: in order of arrival. Many: the second flow's turn comes. */
static void fq_codel_flows(struct host *h)
{
	open_kind(h, "flows=1", 64);
	puts_of(h, 1, 1500, 20);
	puts_of(h, 2, 1500, 1);
	for (u32 i = 0; i < 20; i++)
		CHECK_EQ(served(h), 1);
	close_host(h);
	open_kind(h, "flows=1024", 64);
	puts_of(h, 1, 1500, 20);
	puts_of(h, 2, 1500, 1);
	for (u32 i = 0; served(h) != 2; i++)
		CHECK(i < 3);
}

/* The most packets that one of two flows sends in a row, of 60. */
static u32 longest_turn(struct host *h)
{
	u32 longest = 0, run = 0, last = 0;

	for (u32 i = 0; i < 60; i++) {
		u32 flow = served(h);

		puts_of(h, flow, 1000, 1);
		run = flow == last ? run + 1 : 1;
		last = flow;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void fq_codel_quantum(struct host *h)
{
	open_kind(h, "quantum=1000", 200);
	puts_of(h, 1, 1000, 50);
	puts_of(h, 2, 1000, 50);
	CHECK_EQ(longest_turn(h), 1);
	change(h, "quantum=10000", 0);
	CHECK_EQ(longest_turn(h), 10);
	change(h, "quantum=3000", 0);
	longest_turn(h);
	CHECK_EQ(longest_turn(h), 3);
}

static void fq_codel_target(struct host *h)
{
	open_kind(h, "target=5000000", 64);
	CHECK(overdue(h, 0, 1000, 0) > 5);
	change(h, "target=30000000", 1000 * MS);
	CHECK_EQ(overdue(h, 1000, 1000, 0), 0);
	change(h, "target=1000000", 2000 * MS);
	CHECK(overdue(h, 2000, 1000, 0) > 5);
}

static void fq_codel_interval(struct host *h)
{
	u64 often, seldom;

	open_kind(h, "target=5000000 interval=1000000000", 64);
	CHECK_EQ(overdue(h, 0, 1000, 0), 0);	/* not for an interval yet */
	overdue(h, 1000, 1000, 0);
	change(h, "interval=10000000", 2000 * MS);
	overdue(h, 2000, 1000, 0);
	often = overdue(h, 3000, 1000, 0);
	change(h, "interval=1000000000", 4000 * MS);
	overdue(h, 4000, 100, 0);
	seldom = overdue(h, 4100, 1000, 0);
	CHECK(often > 5 * seldom);
}

static void fq_codel_ecn(struct host *h)
{
	u64 marks;

	open_kind(h, "target=5000000 ecn=1", 64);
	CHECK_EQ(overdue(h, 0, 1000, AT_F_ECT), 0);
	CHECK(stat(h, "marks") > 5);
	change(h, "ecn=0", 1000 * MS);
	marks = stat(h, "marks");
	CHECK(overdue(h, 1000, 1000, AT_F_ECT) > 5);
	CHECK_EQ(stat(h, "marks"), marks);
	change(h, "ecn=1", 2000 * MS);
	CHECK_EQ(overdue(h, 2000, 1000, AT_F_ECT), 0);
}

/* Half of the longest queue's bytes, but no more packets than this. */
static void fq_codel_drop_batch(struct host *h)
{
	open_kind(h, "limit=100 drop_batch=64", 200);
	puts_of(h, 1, 1500, 101);
	CHECK_EQ(h->drops, 51);
	change(h, "drop_batch=3", 0);
	puts_of(h, 1, 1500, 51);
	CHECK_EQ(h->drops, 51 + 3);
	change(h, "drop_batch=10", 0);
	puts_of(h, 1, 1500, 2);
	CHECK_EQ(h->drops, 51 + 3);
	puts_of(h, 1, 1500, 1);
	CHECK_EQ(h->drops, 51 + 3 + 10);
}

/* ---- codel ---- */

static void codel_limit(struct host *h)
{
	single_limit(h, "codel");
}

static void codel_target(struct host *h)
{
	open_host(h, "codel", "", 64);
	CHECK(overdue(h, 0, 1000, 0) > 5);
	change(h, "target=30000000", 1000 * MS);
	CHECK_EQ(overdue(h, 1000, 1000, 0), 0);
	change(h, "target=1000000", 2000 * MS);
	CHECK(overdue(h, 2000, 1000, 0) > 5);
}

static void codel_interval(struct host *h)
{
	open_host(h, "codel", "interval=500000000", 64);
	CHECK_EQ(overdue(h, 0, 500, 0), 0);	/* not for an interval yet */
	CHECK_EQ(overdue(h, 500, 400, 0), 1);
	h->q->ops->reset(h->q, 900 * MS);
	change(h, "interval=50000000", 1000 * MS);
	CHECK(overdue(h, 1000, 500, 0) > 10);
}

static void codel_ecn(struct host *h)
{
	open_host(h, "codel", "ecn=1", 64);
	CHECK_EQ(overdue(h, 0, 1000, AT_F_ECT), 0);
	CHECK(stat(h, "marks") > 5);
	change(h, "ecn=0", 1000 * MS);
	CHECK(overdue(h, 1000, 1000, AT_F_ECT) > 5);
	change(h, "ecn=1", 2000 * MS);
	CHECK_EQ(overdue(h, 2000, 1000, AT_F_ECT), 0);
}

/* ---- pie ---- */

static void pie_limit(struct host *h)
{
	single_limit(h, "pie");
}

static void pie_target(struct host *h)
{
	open_host(h, "pie", "", 64);
	CHECK(drops_with(h, 40, 0, 3000, 0) > 20);
	change(h, "target=80000000", 3000 * MS);
	drops_with(h, 40, 3000 * MS, 3000, 0);
	CHECK_EQ(drops_with(h, 40, 6000 * MS, 1000, 0), 0);
	CHECK_EQ(stat(h, "probability"), 0);
}

/* So many times that the same is added. */
static void pie_tupdate(struct host *h)
{
	u64 at, by;

	open_host(h, "pie", "tupdate=10000000 beta=0", 64);
	drops_with(h, 40, 0, 2001, 0);
	at = stat(h, "probability");
	drops_with(h, 40, 2001 * MS, 100, 0);
	by = stat(h, "probability") - at;
	CHECK(by > 0);
	change(h, "tupdate=50000000", 2101 * MS);
	at = stat(h, "probability");
	drops_with(h, 40, 2101 * MS, 100, 0);
	CHECK(stat(h, "probability") > at && stat(h, "probability") - at <= by / 4);
}

static void pie_alpha(struct host *h)
{
	open_host(h, "pie", "alpha=0 beta=0", 64);
	CHECK_EQ(drops_with(h, 40, 0, 2000, 0), 0);
	change(h, "alpha=10000000", 2000 * MS);
	CHECK(drops_with(h, 40, 2000 * MS, 2000, 0) > 100);
}

/* The delay grows but once: from 0 to 40 ms. */
static void pie_beta(struct host *h)
{
	open_host(h, "pie", "alpha=0 beta=0", 64);
	drops_with(h, 40, 0, 100, 0);
	CHECK_EQ(stat(h, "probability"), 0);
	h->q->ops->reset(h->q, 1000 * MS);
	change(h, "beta=16000000", 1000 * MS);
	drops_with(h, 40, 1000 * MS, 100, 0);
	CHECK(stat(h, "probability") > 1000);
}

static void pie_burst(struct host *h)
{
	open_host(h, "pie", "alpha=16000000 burst=500000000 derandomize=0", 64);
	CHECK_EQ(drops_with(h, 40, 0, 500, 0), 0);
	CHECK(drops_with(h, 40, 500 * MS, 100, 0) > 50);
	h->q->ops->reset(h->q, 1000 * MS);
	change(h, "burst=0", 1000 * MS);
	h->q->ops->reset(h->q, 1000 * MS);
	CHECK(drops_with(h, 40, 1000 * MS, 200, 0) > 50);
}

/* The rate is not measured yet, so that there is no delay; or the packets' own. */
static void pie_delay(struct host *h)
{
	open_host(h, "pie", "delay=1", 64);
	drops_with(h, 40, 0, 10, 0);
	CHECK_EQ(stat(h, "delay"), 0);
	change(h, "delay=0", 10 * MS);
	drops_with(h, 40, 10 * MS, 20, 0);
	CHECK(stat(h, "delay") > 10 * MS && stat(h, "rate") == 0);
	change(h, "delay=1", 30 * MS);
	drops_with(h, 40, 30 * MS, 100, 0);
	CHECK(stat(h, "delay") > 30 * MS && stat(h, "rate") > 0);
}

static void pie_ecn(struct host *h)
{
	open_host(h, "pie", "mark_ecnth=1000000", 64);
	CHECK_EQ(drops_with(h, 40, 0, 3000, AT_F_ECT), 0);
	CHECK(stat(h, "marks") > 20);
	change(h, "ecn=0", 3000 * MS);
	CHECK(drops_with(h, 40, 3000 * MS, 1000, AT_F_ECT) > 20);
	change(h, "ecn=1", 4000 * MS);
	CHECK_EQ(drops_with(h, 40, 4000 * MS, 1000, AT_F_ECT), 0);
}

static void pie_mark_ecnth(struct host *h)
{
	u64 marks;

	open_host(h, "pie", "mark_ecnth=0", 64);
	CHECK(drops_with(h, 40, 0, 3000, AT_F_ECT) > 20);
	CHECK_EQ(stat(h, "marks"), 0);
	change(h, "mark_ecnth=1000000", 3000 * MS);
	CHECK_EQ(drops_with(h, 40, 3000 * MS, 1000, AT_F_ECT), 0);
	marks = stat(h, "marks");
	change(h, "mark_ecnth=100", 4000 * MS);
	CHECK(marks > 20 && drops_with(h, 40, 4000 * MS, 1000, AT_F_ECT) > 20);
	CHECK_EQ(stat(h, "marks"), marks);
}

/* The fewest packets between two drops, of those at a probability of 0.2 and less. */
static u32 nearest(struct host *h, u64 from_ms, u64 ms)
{
	u32 run = 100, least = 100;

	for (u64 t = from_ms; t < from_ms + ms; t++) {
		for (u32 tries = 0; h->q->qlen < 40 && tries < 100; tries++) {
			run++;
			if (put(h, 1, 1500, t * MS) == AT_OK)
				continue;
			least = run < least ? run : least;
			run = 0;
		}
		CHECK(get(h, &ticket, t * MS));
		if (stat(h, "probability") > 200000)
			break;
	}
	return least;
}

static void pie_derandomize(struct host *h)
{
	open_host(h, "pie", "derandomize=1", 64);
	CHECK(nearest(h, 0, 100000) > 4);
	h->q->ops->reset(h->q, 100000 * MS);
	change(h, "derandomize=0", 100000 * MS);
	CHECK(nearest(h, 100000, 100000) < 3);
}

/* ---- cake ---- */

static void cake_bandwidth(struct host *h)
{
	open_host(h, "cake", "", 64);
	puts_of(h, 1, 1500, 4);
	served(h);
	served(h);
	change(h, "bandwidth=12000000", 0);	/* 1 ms a packet */
	served(h);
	CHECK(!get(h, &ticket, MS - 1));
	change(h, "bandwidth=0", MS - 1);
	served(h);
}

/* Voice goes first, but in one tin nobody knows. */
static u32 first_by_dscp(const char *args)
{
	struct host h;
	u32 flow;

	open_host(&h, "cake", args, 8);
	for (u32 f = 1; f <= 2; f++) {
		struct at_pkt *p = new_pkt(&h, f, 1500);

		p->flags = AT_F_IP;
		p->key.dscp = f == 2 ? 46 : 0;
		push(&h, p, 0);
	}
	flow = served(&h);
	close_host(&h);
	return flow;
}

static void cake_tins(struct host *h)
{
	CHECK_EQ(first_by_dscp("bandwidth=12000000 tins=0"), 1);
	CHECK_EQ(first_by_dscp("bandwidth=12000000 tins=1"), 2);
	open_host(h, "cake", "tins=1", 8);
}

/* Of 40 packets, those of one flow beside three others, of one station or sender. */
static u32 lone_of_40(struct host *h)
{
	u32 n = 0;

	for (u32 i = 0; i < 40; i++) {
		struct at_pkt *was = get(h, &ticket, h->now), *p;
		u32 flow = was->flow, sta = was->sta, source = was->source;

		n += flow == 0;
		p = new_pkt(h, flow, 1514);
		p->sta = (u16)sta;
		p->source = source;
		push(h, p, h->now);
	}
	return n;
}

static void cake_isolation(struct host *h)
{
	open_host(h, "cake", "isolation=0", 64);
	for (u32 i = 0; i < 40; i++) {
		struct at_pkt *p = new_pkt(h, i % 4, 1514);

		p->sta = p->flow > 0;
		p->source = p->flow == 3 ? 5 : 6;
		push(h, p, 0);
	}
	CHECK_EQ(lone_of_40(h), 10);
	change(h, "isolation=1", 0);
	lone_of_40(h);
	CHECK_EQ(lone_of_40(h), 20);
	change(h, "isolation=2", 0);	/* flow 3 is its sender's only one */
	lone_of_40(h);
	CHECK(lone_of_40(h) <= 8);
	change(h, "isolation=0", 0);
	lone_of_40(h);
	CHECK_EQ(lone_of_40(h), 10);
}

/* The first packet of `bytes` keeps the next one for so long, at 8 b a us. */
static void keeps(struct host *h, u32 bytes, u64 ns)
{
	u64 now = h->now + SEC;

	put(h, 1, bytes, now);
	put(h, 1, bytes, now);
	CHECK(get(h, &ticket, now));
	CHECK(!get(h, &ticket, now + ns - 1));
	CHECK(get(h, &ticket, now + ns));
}

static void cake_overhead(struct host *h)
{
	open_host(h, "cake", "bandwidth=8000000", 8);
	keeps(h, 100, 100000);
	change(h, "overhead=38", h->now);
	keeps(h, 100, 138000);
	change(h, "overhead=0", h->now);
	keeps(h, 100, 100000);
}

static void cake_mpu(struct host *h)
{
	open_host(h, "cake", "bandwidth=8000000 overhead=18", 8);
	keeps(h, 30, 48000);
	change(h, "mpu=64", h->now);
	keeps(h, 30, 64000);
	keeps(h, 47, 65000);
	change(h, "mpu=0", h->now);
	keeps(h, 30, 48000);
}

static void cake_limit(struct host *h)
{
	open_host(h, "cake", "limit=10", 64);
	puts_of(h, 1, 1500, 11);
	CHECK_EQ(h->q->qlen, 10);
	change(h, "limit=4", 0);
	CHECK_EQ(h->q->qlen, 4);
	puts_of(h, 1, 1500, 1);
	CHECK_EQ(h->q->qlen, 4);
	change(h, "limit=20", 0);
	puts_of(h, 1, 1500, 30);
	CHECK_EQ(h->q->qlen, 20);
}

/* 0: four intervals at the bandwidth, which are 5 MB here, between 4 MiB and 10240
 * packets of 1514 bytes. */
static void cake_memory(struct host *h)
{
	open_host(h, "cake", "limit=1000000", 1000);
	puts_of(h, 1, 65000, 300);
	CHECK_EQ(h->q->bytes, 15503360 / 65000 * 65000);
	change(h, "bandwidth=100000000", 0);
	CHECK_EQ(h->q->bytes, 5000000 / 65000 * 65000);
	change(h, "bandwidth=1000000", 0);
	CHECK_EQ(h->q->bytes, 4194304 / 65000 * 65000);
	change(h, "memory=75000", 0);
	CHECK_EQ(h->q->bytes, 65000);
	puts_of(h, 1, 5000, 5);
	CHECK_EQ(h->q->bytes, 25000);
}

static void cake_target(struct host *h)
{
	open_host(h, "cake", "", 64);
	CHECK(overdue(h, 0, 1000, 0) > 5);
	change(h, "target=30000000", 1000 * MS);
	CHECK_EQ(overdue(h, 1000, 1000, 0), 0);
	change(h, "target=1000000", 2000 * MS);
	CHECK(overdue(h, 2000, 1000, 0) > 5);
}

static void cake_interval(struct host *h)
{
	u64 often, seldom;

	open_host(h, "cake", "interval=1000000000", 64);
	CHECK_EQ(overdue(h, 0, 1000, 0), 0);	/* not for an interval yet */
	overdue(h, 1000, 1000, 0);
	change(h, "interval=10000000", 2000 * MS);
	overdue(h, 2000, 1000, 0);
	often = overdue(h, 3000, 1000, 0);
	change(h, "interval=1000000000", 4000 * MS);
	overdue(h, 4000, 100, 0);
	seldom = overdue(h, 4100, 1000, 0);
	CHECK(often > 5 * seldom);
}

/* ---- airtime_fq ---- */

static void put_to(struct host *h, u16 sta, u32 n)
{
	while (n--) {
		struct at_pkt *p = new_pkt(h, sta, 1500);

		p->sta = sta;
		push(h, p, h->now);
	}
}

/* Two stations told apart: a debt of one lets the other go first. */
static void airtime_fq_stations(struct host *h)
{
	for (u32 n = 2; n; n--) {
		open_host(h, "airtime_fq", n == 2 ? "stations=2" : "stations=1", 64);
		put_to(h, 0, 9);
		CHECK_EQ(served(h), 0);
		report(h, &ticket, 50 * MS, 0);
		put_to(h, 1, 1);
		CHECK_EQ((s64)cell(h, 0, "deficit"), 256000 - 50 * (s64)MS);
		CHECK_EQ(cell(h, 0, "backlog"), n == 2 ? 8 : 9);
		if (n == 2) {
			CHECK_EQ(served(h), 1);
			close_host(h);
		}
	}
}

/* The most packets of a ms that one of two stations sends in a row. */
static void airtime_fq_quantum(struct host *h)
{
	open_host(h, "airtime_fq", "air_quantum=1000000", 400);
	put_to(h, 1, 150);
	put_to(h, 2, 150);
	for (u32 k = 0; k < 3; k++) {
		u32 longest = 0, run = 0, last = 0;

		for (u32 i = 0; i < 60; i++) {
			u32 flow = served(h);

			report(h, &ticket, MS, 0);
			run = flow == last ? run + 1 : 1;
			last = flow;
			longest = i > 20 && run > longest ? run : longest;
		}
		CHECK_EQ(longest, k == 1 ? 7 : 1);
		change(h, k ? "air_quantum=1000000" : "air_quantum=7000000", 0);
	}
}

/* A host that has reported: of a station that has nothing to do with the others. */
static void open_reporting(struct host *h, const char *args)
{
	open_host(h, "airtime_fq", args, 400);
	put_to(h, 63, 1);
	CHECK(get(h, &ticket, 0));
	report(h, &ticket, ticket.est, 0);
}

/* Packets of 281926 ns that come before another one is reported. */
static u32 below_queue(const char *args)
{
	struct host h;
	u32 n = 0;

	open_reporting(&h, args);
	put_to(&h, 1, 300);
	while (get(&h, &ticket, 0))
		n++;
	close_host(&h);
	return n;
}

static void airtime_fq_aql(struct host *h)
{
	CHECK_EQ(below_queue("aql=1"), 43);
	CHECK_EQ(below_queue("aql=0"), 300);
	open_reporting(h, "");
	put_to(h, 1, 300);
	for (u32 i = 0; i < 43; i++)
		served(h);
	CHECK(!get(h, &ticket, 0));
	change(h, "aql=0", 0);
	served(h);
	change(h, "aql=1", 0);
	CHECK(!get(h, &ticket, 0));
}

static void airtime_fq_aql_low(struct host *h)
{
	CHECK_EQ(below_queue("aql_threshold=0"), 18);
	CHECK_EQ(below_queue("aql_threshold=0 aql_low=1000000"), 4);
	open_reporting(h, "aql_threshold=0");
	put_to(h, 1, 300);
	for (u32 i = 0; i < 18; i++)
		served(h);
	CHECK(!get(h, &ticket, 0));
	change(h, "aql_low=5200000", 0);
	served(h);
	CHECK(!get(h, &ticket, 0));
}

static void airtime_fq_aql_high(struct host *h)
{
	CHECK_EQ(below_queue("aql_high=6000000"), 22);
	open_reporting(h, "");
	put_to(h, 1, 300);
	for (u32 i = 0; i < 43; i++)
		served(h);
	CHECK(!get(h, &ticket, 0));
	change(h, "aql_high=12300000", 0);
	served(h);
	CHECK(!get(h, &ticket, 0));
}

static void airtime_fq_aql_threshold(struct host *h)
{
	CHECK_EQ(below_queue("aql_threshold=7000000"), 25);
	open_reporting(h, "aql_threshold=0");
	put_to(h, 1, 300);
	for (u32 i = 0; i < 18; i++)
		served(h);
	CHECK(!get(h, &ticket, 0));
	change(h, "aql_threshold=5200000", 0);
	served(h);
	CHECK(!get(h, &ticket, 0));
}

static void airtime_fq_aql_expiry(struct host *h)
{
	open_host(h, "airtime_fq", "aql_expiry=100000000", 400);
	put_to(h, 1, 300);
	served(h);
	report(h, &ticket, 281926, 0);
	for (u32 i = 0; i < 43; i++)
		served(h);
	CHECK(!get(h, &ticket, 100 * MS - 1));
	CHECK(get(h, &ticket, 100 * MS));
	change(h, "aql_expiry=300000000", 100 * MS);
	while (get(h, &ticket, 100 * MS))
		;
	CHECK(!get(h, &ticket, 400 * MS - 1));
	CHECK(get(h, &ticket, 400 * MS));
}

/* Multicast: 50 ms of 0.281926 each, or no limit. */
static void airtime_fq_rule(struct host *h)
{
	open_reporting(h, "");
	put_to(h, AT_GROUP, 300);
	for (u32 i = 0; i < 178; i++)
		served(h);
	CHECK(!get(h, &ticket, 0));
	change(h, "rule=1", 0);
	for (u32 i = 178; i < 300; i++)
		served(h);
}

#include "params_fred.h"
#include "params_red.h"
#include "params_cbq.h"
#include "params_cbt.h"
#include "params_vfq.h"
#include "params_sizing.h"

/* A station of 13 Mb/s, aggregates of four: five packets take 5.25 ms, and four an aggregate. */
static void chap_drain(struct host *h)
{
	static const struct { const char *args; u32 want; } runs[] = {
		{ "", 60 }, { "drain=2500000", 4 }, { "drain=20000000", 5 },
	};
	struct at_link l = { .here = true, .rate_kbps = 13000, .ampdu_frames = 4, .ampdu_ns = 4200000 };

	for (u32 k = 0; k < 3; k++) {
		if (k)
			close_host(h);
		open_flat(h, runs[k].args, 128);
		h->q->ops->link(h->q, &l, 0);
		for (u32 look = 0; look < 5; look++) {
			for (u32 i = 0; i < 12; i++)
				put(h, 1, 1500, (look + 1) * 100 * MS);
			if (look < 4)
				h->q->ops->link(h->q, &l, (look + 1) * 100 * MS);
		}
		while (k && h->q->qlen > runs[k].want)	/* a limit that fell drops nothing */
			CHECK(get(h, &ticket, 500 * MS));
		put(h, 1, 1500, 500 * MS);
		CHECK_EQ(h->q->qlen, runs[k].want + !k);
	}
}

static const struct {
	const char *discipline, *param;
	void (*shows)(struct host *h);
} cases[] = {
	{ "fifo", "limit", fifo_limit },
	{ "fifo", "bytes", fifo_bytes },
	{ "spq", "classes", spq_classes },
	{ "spq", "limit", spq_limit },
	{ "spq", "rules", spq_rules },
	{ "chap", "profile", chap_profile },
	{ "chap", "increment", chap_increment },
	{ "chap", "limit", chap_limit },
	{ "chap", "memory", chap_memory },
	{ "chap", "flows", chap_flows },
	{ "chap", "udp_timeout", chap_udp_timeout },
	{ "chap", "tcp_timeout", chap_tcp_timeout },
	{ "chap", "newcomers", chap_newcomers },
	{ "chap", "uplink", chap_uplink },
	{ "chap", "target", chap_target },
	{ "chap", "drain", chap_drain },
	{ "chap", "share", chap_share },
	{ "chap", "debt", chap_debt },
	{ "chap", "promote", chap_promote },
	{ "fq_codel", "limit", fq_codel_limit },
	{ "fq_codel", "memory", fq_codel_memory },
	{ "fq_codel", "flows", fq_codel_flows },
	{ "fq_codel", "quantum", fq_codel_quantum },
	{ "fq_codel", "target", fq_codel_target },
	{ "fq_codel", "interval", fq_codel_interval },
	{ "fq_codel", "ecn", fq_codel_ecn },
	{ "fq_codel", "drop_batch", fq_codel_drop_batch },
	{ "codel", "limit", codel_limit },
	{ "codel", "target", codel_target },
	{ "codel", "interval", codel_interval },
	{ "codel", "ecn", codel_ecn },
	{ "pie", "limit", pie_limit },
	{ "pie", "target", pie_target },
	{ "pie", "tupdate", pie_tupdate },
	{ "pie", "alpha", pie_alpha },
	{ "pie", "beta", pie_beta },
	{ "pie", "burst", pie_burst },
	{ "pie", "delay", pie_delay },
	{ "pie", "ecn", pie_ecn },
	{ "pie", "mark_ecnth", pie_mark_ecnth },
	{ "pie", "derandomize", pie_derandomize },
	RED_CASES,
	FRED_CASES,
	{ "cake", "bandwidth", cake_bandwidth },
	{ "cake", "tins", cake_tins },
	{ "cake", "isolation", cake_isolation },
	{ "cake", "overhead", cake_overhead },
	{ "cake", "mpu", cake_mpu },
	{ "cake", "limit", cake_limit },
	{ "cake", "memory", cake_memory },
	{ "cake", "target", cake_target },
	{ "cake", "interval", cake_interval },
	{ "airtime_fq", "limit", fq_codel_limit },
	{ "airtime_fq", "memory", fq_codel_memory },
	{ "airtime_fq", "flows", fq_codel_flows },
	{ "airtime_fq", "quantum", fq_codel_quantum },
	{ "airtime_fq", "target", fq_codel_target },
	{ "airtime_fq", "interval", fq_codel_interval },
	{ "airtime_fq", "ecn", fq_codel_ecn },
	{ "airtime_fq", "drop_batch", fq_codel_drop_batch },
	{ "airtime_fq", "stations", airtime_fq_stations },
	{ "airtime_fq", "air_quantum", airtime_fq_quantum },
	{ "airtime_fq", "aql", airtime_fq_aql },
	{ "airtime_fq", "aql_low", airtime_fq_aql_low },
	{ "airtime_fq", "aql_high", airtime_fq_aql_high },
	{ "airtime_fq", "aql_threshold", airtime_fq_aql_threshold },
	{ "airtime_fq", "aql_expiry", airtime_fq_aql_expiry },
	{ "airtime_fq", "rule", airtime_fq_rule },
	VFQ_CASES,
	CBQ_CASES,
	CBT_CASES,
	SIZING_CASES,
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

/* Sets a value, at the start or under traffic. False: the discipline refuses it with the
 * other values, or its state is too large for a test. */
static bool give(struct host *h, u32 param, u64 value, bool start)
{
	const struct at_ops *ops = h->q->ops;
	u64 before = h->value[param][0];
	u16 bad;

	h->value[param][0] = value;
	if (at_check(ops, h->vals, &bad) || ops->state_size(h->vals) > 4u << 20) {
		h->value[param][0] = before;
		return false;
	}
	if (start)
		reopen_host(h, 1);
	else
		while (ops->change(h->q, h->vals, h->now))
			;
	return true;
}

/* 40 packets of five flows come and go within a second; each of them comes out once, or is
 * dropped once, by a reset at the end if no earlier. */
static void traffic(struct host *h)
{
	u64 dropped = 0;

	for (u32 i = 0; i < 40; i++)
		put(h, 1 + i % 5, 1500, h->now);
	for (u32 ms = 0; ms < 1000 && h->q->qlen; ms++)
		get(h, &ticket, h->now + MS);
	h->q->ops->reset(h->q, h->now);
	CHECK_EQ(h->q->qlen, 0);
	for (u32 i = 0; i < AT_R_MAX; i++)
		dropped += h->q->dropped[i];
	CHECK_EQ(h->q->in + h->q->made, h->q->out + dropped);
	CHECK_EQ(h->n_free, h->n);
}

/*
 * By the row of a parameter alone: the default is in its range and makes a discipline
 * that works, and so do the minimum and the maximum.
 */
static void by_table(struct host *h, const char *discipline, u32 param)
{
	const struct at_param *p = &find_ops(discipline)->params[param];
	const u64 values[] = { p->min, p->max, p->def };

	CHECK(p->help && *p->help && p->source && *p->source);
	open_host(h, discipline, "", 64);
	traffic(h);
	for (u32 i = 0; i < 3; i++) {
		if (p->unit == AT_RULE && values[i] != p->def)
			continue;	/* the ends of the range are not valid rules */
		if (give(h, param, values[i], true))
			traffic(h);
	}
	for (u32 i = 0; i < 3 && !(p->flags & AT_P_INIT) && p->unit != AT_RULE; i++) {
		puts_of(h, 1, 1500, 20);
		if (give(h, param, values[i], false))
			traffic(h);
	}
}

static bool has_cases(const char *discipline)
{
	for (u32 i = 0; i < CASES; i++)
		if (!strcmp(cases[i].discipline, discipline))
			return true;
	return false;
}

static void show(const char *discipline, u32 number)
{
	const char *param = find_ops(discipline)->params[number].name;
	struct host h;
	u32 i = 0;

	if (!has_cases(discipline)) {
		by_table(&h, discipline, number);
		close_host(&h);
		return;
	}
	while (i < CASES && (strcmp(cases[i].discipline, discipline) || strcmp(cases[i].param, param)))
		i++;
	if (i == CASES) {
		fprintf(stderr, "%s: %s has no case here\n", discipline, param);
		abort();
	}
	kind = discipline;
	cases[i].shows(&h);
	close_host(&h);
}

int main(void)
{
	u32 shown = 0;

	for (u32 k = 0; at_disciplines[k]; k++) {
		bool own = has_cases(at_disciplines[k]->name);

		for (u32 i = 0; at_disciplines[k]->params[i].name; i++, shown += own)
			CASE(show(at_disciplines[k]->name, i));
	}
	CHECK_EQ(shown, CASES);		/* none of a parameter that is gone */
	return 0;
}
