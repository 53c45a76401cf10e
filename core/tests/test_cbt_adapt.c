/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * CBT: thresholds that follow the load, by hand and against the rule in double precision.
 */
#include <math.h>

#include "harness.h"

#define ONE 65536.0

/* Bytes of 10 Mb/s and 30 ms: 63 %, 25 %, 12 %. */
static const double planned[] = { 23625, 9375, 4500 };

static double th_max(struct host *h, u32 class)
{
	return (double)cell(h, class, "th_max") / ONE;
}

static void is(double value, double want)
{
	if (fabs(value - want) > 1e-6 * want + 2 / ONE)
		fprintf(stderr, "%.6f is not %.6f\n", value, want);
	CHECK(fabs(value - want) <= 1e-6 * want + 2 / ONE);
}

/* A packet of a class comes and goes: 1000 bytes on the wire. */
static void passes(struct host *h, u32 class, u64 now)
{
	struct at_pkt *p = new_pkt(h, class, 962);
	struct at_ticket t;

	p->cls = (u8)class;
	CHECK_EQ(push(h, p, now), AT_OK);
	CHECK(get(h, &t, now));
}

/* Each class with so many packets in each 2 s, at random times: the rule, by parts. */
static void by_parts(void)
{
	double th[] = { 23625, 9375, 4500 }, came[3][60] = { 0 };
	u64 draws = 7;
	struct host h;

	open_host(&h, "cbt", "mode=2 adapt=1", 4);
	for (u32 part = 0; part < 60; part++) {
		u32 most[] = { 40, part % 13 < 3 ? 700 : 60, part < 20 || part > 50 ? 90 : 2 };

		for (u64 ms = 0; ms < 2000; ms++) {
			for (u32 i = 0; i < 3; i++) {
				double peak;

				if (below(&draws, 2000) >= most[i] && !(!ms && !i))
					continue;
				passes(&h, i, part * 2 * SEC + ms * MS);
				came[i][part] += 1000;
				/* 15 ms of a part's bytes are 30 ms at their mean rate */
				peak = fmin(came[i][part] * 0.015, planned[i]);
				th[i] = i ? fmax(th[i], peak) : th[i];
			}
		}
		th[0] = planned[0] + planned[1] - th[1] + planned[2] - th[2];
		for (u32 i = 0; i < 3; i++)
			is(th_max(&h, i), th[i]);
		is((double)cell(&h, 0, "th_min") / ONE, th[0] / 5);
		is((double)cell(&h, 1, "th_min") / ONE, th[1]);
		/* what the next part begins with */
		for (u32 i = 1; i < 3; i++) {
			th[i] = fmax(th[i] * 0.95 * 0.95, planned[i] / 10);
			for (u32 old = part < 4 ? 0 : part - 4; old <= part; old++)
				th[i] = fmax(th[i], fmin(came[i][old] * 0.015, planned[i]));
		}
	}
	close_host(&h);
}

/* What a class is planned to have is the most, however much comes. */
static void never_more(void)
{
	struct host h;

	open_host(&h, "cbt", "mode=2 adapt=1", 4);
	for (u64 ms = 0; ms < 30000; ms++)
		for (u32 i = 0; i < 5; i++)
			passes(&h, 1, ms * MS);
	is(th_max(&h, 1), planned[1]);
	is(th_max(&h, 0), planned[0] + planned[2] - 4500 * pow(0.9025, 14));
	close_host(&h);
}

/* Nobody came for an hour: each has its tenth, and what comes raises it at once. */
static void long_silence(void)
{
	struct host h;

	open_host(&h, "cbt", "mode=2 adapt=1", 100);
	passes(&h, 0, 3600ull * SEC);
	is(th_max(&h, 1), 937.5);
	is(th_max(&h, 2), 450);
	is(th_max(&h, 0), 37500 - 937.5 - 450);
	for (u32 i = 0; i < 400; i++)
		passes(&h, 1, 3600ull * SEC + i * MS);
	is(th_max(&h, 1), 6000);
	is(th_max(&h, 0), 37500 - 6000 - 450);
	close_host(&h);
}

/* The cap is a multiple of the threshold as it is. */
static void caps(void)
{
	u32 queued = 0;
	struct host h;

	open_host(&h, "cbt", "mode=2 adapt=1", 100);
	passes(&h, 0, 3600ull * SEC);
	for (u32 i = 0; i < 20; i++) {
		struct at_pkt *p = new_pkt(&h, 2, 62);

		p->cls = 2;
		queued += push(&h, p, 3600ull * SEC) == AT_OK;
	}
	CHECK_EQ(queued, 9);		/* of 100 bytes in 2 x 450 */
	CHECK_EQ(cell(&h, 2, "cap_drops"), 11);
	close_host(&h);
}

/* In packets the rest is counted in those of class 0. */
static void other_packets(void)
{
	struct host h;
	double bytes = 0.9 * (9375 + 4500);

	open_host(&h, "cbt", "mode=1 packet=462,962,1962 adapt=1", 4);
	is(th_max(&h, 0), 23625 / 500.0);
	passes(&h, 0, 3600ull * SEC);
	is(th_max(&h, 1), 0.9375);
	is(th_max(&h, 2), 0.225);
	is(th_max(&h, 0), (23625 + bytes) / 500);
	close_host(&h);
}

/* Class 0 loses by RED's dice below its threshold: the others are held to as much less. */
static void relative(void)
{
	struct host h;
	u64 now = SEC;
	double factor;

	/* averages are what the last packet found; RED begins at 20000 bytes */
	open_host(&h, "cbt", "mode=2 average=1 weight=1/1 cap=0 ecn=1 adapt=2 limit=500 "
		  "th_min=1310720000,614400000,294912000", 400);
	while (th_max(&h, 1) == planned[1]) {
		struct at_pkt *p = new_pkt(&h, 0, 62);

		p->cls = 0;
		push(&h, p, now);
		now += 10 * MS;
		CHECK(h.q->qlen < 236);
	}
	factor = (double)h.q->qlen * 100 / planned[0];
	CHECK(h.drops > 0 && factor > 0.5 && factor < 1);
	is(th_max(&h, 1), planned[1] * (double)cell(&h, 0, "average") / ONE / planned[0]);
	is(th_max(&h, 2), planned[2] * th_max(&h, 1) / planned[1]);
	is(th_max(&h, 0), planned[0]);
	/* no less than half, while it loses */
	while (h.q->qlen) {
		struct at_ticket t;

		CHECK(get(&h, &t, now));
	}
	passes(&h, 0, now);
	now += 300 * MS;
	passes(&h, 0, now);
	is(th_max(&h, 1), planned[1] / 2);
	is(th_max(&h, 2), planned[2] / 2);
	/* and as planned once it does not */
	now += 1100 * MS;
	passes(&h, 1, now);
	is(th_max(&h, 1), planned[1]);
	is(th_max(&h, 2), planned[2]);
	close_host(&h);
}

/* A change, and airtime in place of bytes, begin anew. */
static void anew(void)
{
	struct at_link l = { .sta = 3, .here = true, .phy = 1, .rate_kbps = 54000 };
	struct host h;

	open_host(&h, "cbt", "adapt=1", 4);
	passes(&h, 0, 3600ull * SEC);
	is(th_max(&h, 1), 937.5);
	change(&h, "latency=20000000", h.now);
	is(th_max(&h, 1), 6250);
	is(th_max(&h, 0), 15750);
	passes(&h, 0, h.now + 1999 * MS);
	is(th_max(&h, 1), 6250);
	passes(&h, 0, h.now + MS);
	is(th_max(&h, 1), 6250 * 0.9025);
	h.q->ops->link(h.q, &l, h.now);
	is(th_max(&h, 0), 12.6e6);
	is(th_max(&h, 1), 5e6);
	passes(&h, 0, h.now + 2 * SEC);
	is(th_max(&h, 1), 5e6 * 0.9025);
	is(th_max(&h, 0), 20e6 - 7.4e6 * 0.9025);
	close_host(&h);
}

int main(void)
{
	CASE(never_more());
	CASE(long_silence());
	CASE(caps());
	CASE(other_packets());
	CASE(relative());
	CASE(anew());
	CASE(by_parts());
	return 0;
}
