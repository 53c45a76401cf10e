/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Urgent packets (urgent.h) under every discipline that tells them apart: how
 * many, how long, how much of the air, who pays, and that what is beyond the
 * bounds is an ordinary flow that neither goes first nor harms the others.
 */
#include "harness.h"

#include "airtab/estimate.h"

#define FLOOD 9u		/* flow of the urgent packets, when they are ordinary */

static const char *const kinds[] = { "chap", "fq_codel", "spq" };

static struct at_pkt *urgent(struct host *h, u32 bytes)
{
	struct at_pkt *p = new_pkt(h, FLOOD, bytes);

	CHECK(p);
	p->cls = AT_URGENT;
	p->sta = 3;
	return p;
}

static struct at_pkt *ordinary(struct host *h, u32 flow)
{
	struct at_pkt *p = new_pkt(h, flow, 1500);

	CHECK(p);
	p->cls = 1;
	return p;
}

/* 32 of them, and the 33rd waits its turn behind a packet that came before. */
static void at_most_32(const char *kind)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, kind, "", 64);
	push(&h, ordinary(&h, 1), 0);
	for (u32 i = 0; i < 33; i++)
		CHECK_EQ(push(&h, urgent(&h, 60), 0), AT_OK);
	CHECK_EQ(stat(&h, "urgent_over"), 1);
	for (u32 i = 0; i < 32; i++)
		CHECK_EQ(get(&h, &t, 0)->cls, AT_URGENT);
	CHECK_EQ(stat(&h, "urgent"), 32);
	CHECK_EQ(get(&h, &t, 0)->flow, 1);
	CHECK_EQ(get(&h, &t, 0)->flow, FLOOD);
	CHECK_EQ(stat(&h, "urgent"), 32);
	/* there is room again, and the bucket has more than that */
	push(&h, ordinary(&h, 1), 0);
	push(&h, urgent(&h, 60), 0);
	CHECK_EQ(get(&h, &t, 0)->cls, AT_URGENT);
	close_host(&h);
}

/* 1514 bytes go first, 1515 do not. */
static void not_too_long(const char *kind)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, kind, "", 16);
	push(&h, ordinary(&h, 1), 0);
	push(&h, urgent(&h, 1515), 0);
	push(&h, urgent(&h, 1514), 0);
	CHECK_EQ(stat(&h, "urgent_over"), 1);
	CHECK_EQ(get(&h, &t, 0)->bytes, 1514);
	CHECK_EQ(get(&h, &t, 0)->flow, 1);
	CHECK_EQ(get(&h, &t, 0)->bytes, 1515);
	close_host(&h);
}

/* A hundredth of the air, and at once what a second gives: 10 ms, which is 121
 * packets of 154 bytes, whose nominal exchange takes 59704 + 154 * 37926 / 256 =
 * 82518 ns. Then one each 8.2518 ms, to the nanosecond. */
static void a_hundredth(const char *kind)
{
	const u64 each = 8251800;
	struct host h;
	struct at_ticket t;
	u64 now = 7 * SEC, sent = 0;

	CHECK_EQ(at_nominal_ns(154), each / 100);
	open_host(&h, kind, "", 256);
	for (u32 i = 0; i < 200; i++) {
		push(&h, urgent(&h, 154), now);
		CHECK(get(&h, &t, now));
	}
	CHECK_EQ(stat(&h, "urgent"), SEC / each);		/* 121 */
	CHECK_EQ(stat(&h, "urgent_over"), 200 - SEC / each);
	/* 121 * 8.2518 ms of the second are spent: 1.53 ms are left of it */
	now += each - SEC % each - 1;
	push(&h, urgent(&h, 154), now);
	CHECK(get(&h, &t, now));
	CHECK_EQ(stat(&h, "urgent"), 121);
	now += 1;
	push(&h, urgent(&h, 154), now);
	CHECK(get(&h, &t, now));
	CHECK_EQ(stat(&h, "urgent"), 122);
	/* ten seconds of a flood: 10 s / 8.2518 ms */
	for (u32 i = 1; i <= 10000; i++) {
		push(&h, urgent(&h, 154), now + i * MS);
		CHECK(get(&h, &t, now + i * MS));
	}
	sent = stat(&h, "urgent") - 122;
	CHECK_EQ(sent, 10 * SEC / each);			/* 1211 */
	/* and a rested bucket holds no more than the second's */
	now += 1000 * SEC;
	for (u32 i = 0; i < 200; i++) {
		push(&h, urgent(&h, 154), now);
		CHECK(get(&h, &t, now));
	}
	CHECK_EQ(stat(&h, "urgent") - 122 - sent, 121);
	close_host(&h);
}

/* A flood of urgent packets of 1400 bytes, as fast as the link of 1000 packets a
 * second, beside a flow of 1500: what that keeps. Under chap the flood's share of
 * the air is 1 %, of what frames took (they are reported), and of the rest both
 * have half. The others charge nominal airtime, 267.1 us: 37.4 frames a second go
 * first; of the rest bytes are shared equally (fq_codel), or arrivals (spq: the
 * youngest makes room, and of two that come together that is the flood's). Without
 * reports chap charges nominal airtime too, 281.9 us and 267.1: the frames that go
 * first are in the flood's half, so that the other keeps 267.1 / 549.0. */
static void flood(const char *kind, bool reported, u32 share)
{
	struct host h;
	struct at_ticket t;
	u32 served[2] = { 0 };

	open_host(&h, kind, strcmp(kind, "chap") ? "limit=1000" : FLAT "limit=1000", 1200);
	for (u64 now = 0; now < 20 * SEC; now += MS) {
		struct at_pkt *p;

		push(&h, ordinary(&h, 1), now);
		push(&h, urgent(&h, 1400), now);
		p = get(&h, &t, now);		/* 1000 a second, of 2000 that come */
		CHECK(p);
		if (now >= 5 * SEC)
			served[p->flow == FLOOD]++;
		if (reported)
			report(&h, &t, MS, now);
	}
	CHECK_EQ(served[0] + served[1], 15000);
	CHECK(served[0] * 100 > 15 * share * 99 && served[0] * 100 < 15 * share * 101);
	close_host(&h);
}

/* chap: the record that shows. Nominal first, then what it really took. */
static void the_record(void)
{
	const u64 row = (1ull << 32) + 1, each = at_nominal_ns(100);
	struct host h;
	struct at_ticket t;

	open_host(&h, "chap", FLAT "", 16);
	push(&h, urgent(&h, 100), 0);
	CHECK_EQ(cell(&h, row, "backlog"), 1);
	CHECK_EQ(cell(&h, row, "backlog_bytes"), 100);
	CHECK_EQ(cell(&h, row, "packets"), 0);
	CHECK(get(&h, &t, 0));
	CHECK_EQ(cell(&h, row, "backlog"), 0);
	CHECK_EQ(cell(&h, row, "packets"), 1);
	CHECK_EQ(cell(&h, row, "airtime"), each);
	CHECK_EQ((s64)cell(&h, row, "credit"), 10 * (s64)MS - (s64)each);
	report(&h, &t, 2 * MS, 0);
	CHECK_EQ(cell(&h, row, "airtime"), 2 * MS);
	CHECK_EQ((s64)cell(&h, row, "credit"), 8 * (s64)MS);
	report(&h, &t, 2 * MS, 0);			/* once only */
	CHECK_EQ(cell(&h, row, "airtime"), 2 * MS);
	CHECK_EQ(stat(&h, "stale"), 1);
	/* 3 ms pass: 0.03 ms of airtime come back */
	h.now = 3 * MS;
	CHECK_EQ((s64)cell(&h, row, "credit"), 8030000);
	/* nobody else paid, and a bad link costs a second's share, not more */
	CHECK_EQ(stat(&h, "flows"), 0);
	push(&h, urgent(&h, 100), 3 * MS);
	CHECK(get(&h, &t, 3 * MS));
	report(&h, &t, 5 * SEC, 3 * MS);
	CHECK_EQ((s64)cell(&h, row, "credit"), -10 * (s64)MS);
	CHECK_EQ(cell(&h, row, "airtime"), 2 * MS + 5 * SEC);
	push(&h, urgent(&h, 100), 3 * MS);
	CHECK_EQ(stat(&h, "urgent_over"), 1);
	CHECK(get(&h, &t, 3 * MS));
	/* debt of a second, then the packet's own 100 * 74.5 us */
	push(&h, urgent(&h, 100), SEC + 3 * MS + 100 * each - 1);
	CHECK_EQ(stat(&h, "urgent_over"), 2);
	CHECK(get(&h, &t, 2 * SEC));
	push(&h, urgent(&h, 100), SEC + 3 * MS + 100 * each);
	CHECK_EQ(stat(&h, "urgent_over"), 2);
	close_host(&h);
}

int main(void)
{
	static const u32 share[] = { 495, 465, 962 };	/* of 1000 */

	for (u32 i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		CASE(at_most_32(kinds[i]));
		CASE(not_too_long(kinds[i]));
		CASE(a_hundredth(kinds[i]));
		CASE(flood(kinds[i], true, share[i]));
	}
	CASE(flood("chap", false, 487));
	CASE(at_most_32("fred"));
	CASE(not_too_long("fred"));
	CASE(a_hundredth("fred"));
	CASE(a_hundredth("cbq"));
	CASE(at_most_32("cbt"));
	CASE(not_too_long("cbt"));
	CASE(a_hundredth("cbt"));
	CASE(the_record());
	return 0;
}
