/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * tickets.h on its own, and what chap makes of reports that come late: one that
 * was overtaken by AT_TICKETS younger ones settles nothing of its own and
 * nothing of anybody else.
 */
#include "airtab/credit.h"
#include "airtab/tickets.h"
#include "harness.h"

static struct at_tickets ring;

static struct at_ticket issue(u32 flow)
{
	struct at_charge c = { .flow = flow, .gen = flow + 7, .est = 10 * flow, .nominal = 9 * flow,
			       .mark = flow % 2 };
	struct at_ticket t;

	at_tickets_issue(&ring, c, &t);
	return t;
}

static void takes(struct at_ticket t, u32 flow)
{
	struct at_charge c;

	CHECK(at_tickets_take(&ring, &t, &c));
	CHECK_EQ(c.flow, flow);
	CHECK_EQ(c.gen, flow + 7);
	CHECK_EQ(c.est, 10 * flow);
	CHECK_EQ(c.nominal, 9 * flow);
	CHECK_EQ(c.mark, flow % 2);
}

static void refuses(struct at_ticket t)
{
	struct at_charge c;

	CHECK(!at_tickets_take(&ring, &t, &c));
}

/* Whole once, never again; not by another name. */
static void once(void)
{
	struct at_ticket t, lie;

	memset(&ring, 0, sizeof(ring));
	t = issue(5);
	CHECK_EQ(t.flow, 5);
	CHECK_EQ(t.est, 50);
	lie = t;
	lie.flow = 6;
	refuses(lie);
	lie = t;
	lie.gen += AT_TICKETS;		/* the same place */
	refuses(lie);
	refuses((struct at_ticket){ 0 });
	lie = t;
	lie.est = 1;			/* what comes back is not believed */
	takes(lie, 5);
	refuses(t);
}

/* The oldest that is still open was overtaken by one less than AT_TICKETS. Whoever
 * took its place is not touched by it. */
static void overtaken(u32 first)
{
	static struct at_ticket t[AT_TICKETS + 2];

	memset(&ring, 0, sizeof(ring));
	ring.last = first;
	/* the same flow for all, for that tells nothing apart */
	for (u32 i = 0; i < AT_TICKETS + 2; i++)
		t[i] = issue(3);
	refuses(t[0]);
	refuses(t[1]);
	takes(t[2], 3);
	takes(t[AT_TICKETS], 3);	/* in the place of t[0] */
	takes(t[AT_TICKETS + 1], 3);
	for (u32 i = 3; i < AT_TICKETS; i++)
		takes(t[i], 3);
}

/* 0 is nobody's serial: behind 2^32 - 1 comes 1. */
static void round_the_end(void)
{
	struct at_ticket last, first;

	memset(&ring, 0, sizeof(ring));
	ring.last = ~(u32)0 - 1;
	last = issue(1);
	first = issue(2);
	CHECK_EQ(last.gen, ~(u32)0);
	CHECK_EQ(first.gen, 1);
	takes(first, 2);
	takes(last, 1);
}

static void forgotten(void)
{
	static struct at_ticket t[AT_TICKETS];

	memset(&ring, 0, sizeof(ring));
	for (u32 i = 0; i < AT_TICKETS; i++)
		t[i] = issue(i);
	at_tickets_forget(&ring);
	for (u32 i = 0; i < AT_TICKETS; i++)
		refuses(t[i]);
	/* the numbers go on: an old ticket never fits a new charge */
	CHECK_EQ(issue(1).gen, AT_TICKETS + 1);
}

static struct at_ticket charge_of(struct host *h, u32 flow)
{
	struct at_ticket t;

	put(h, flow, 1500, 0);
	CHECK_EQ(get(h, &t, 0)->flow, flow);
	return t;
}

/* Flow 1 has the overtaken ticket, flow 2 the one in its place. */
static void chap_settles_nothing(void)
{
	struct host h;
	struct at_ticket old, young;
	s64 credits[2];
	u64 air[2], scale;

	open_host(&h, "chap", FLAT "newcomers=0", 16);
	old = charge_of(&h, 1);
	for (u32 i = 0; i < AT_TICKETS - 1; i++)
		charge_of(&h, 3);
	young = charge_of(&h, 2);
	for (u32 f = 0; f < 2; f++) {
		credits[f] = credit(&h, f + 1);
		air[f] = cell(&h, f + 1, "airtime");
	}
	scale = stat(&h, "scale");
	report(&h, &old, 9 * MS, 0);
	old.flow = young.flow;		/* nor for who is there now */
	report(&h, &old, 9 * MS, 0);
	CHECK_EQ(stat(&h, "stale"), 2);
	CHECK_EQ(stat(&h, "settled"), 0);
	CHECK_EQ(stat(&h, "scale"), scale);
	for (u32 f = 0; f < 2; f++) {
		CHECK_EQ(credit(&h, f + 1), credits[f]);
		CHECK_EQ(cell(&h, f + 1, "airtime"), air[f]);
	}
	/* and that one is still open */
	report(&h, &young, 5 * MS, 0);
	CHECK_EQ(stat(&h, "settled"), 1);
	CHECK_EQ(credit(&h, 2), credits[1] + (s64)young.est - 5 * (s64)MS);
	CHECK_EQ(cell(&h, 2, "airtime"), 5 * MS);
	close_host(&h);
}

/* credit.h, to the nanosecond: I = 25 ms. */
static void credits(void)
{
	const s64 i = 25 * (s64)MS;

	CHECK_EQ(at_credit_store(i, i), -i);
	CHECK_EQ(at_credit_value(-i, i), i);
	/* c/2 + I, of the value: 25 -> 37.5, 0 -> 25, -20 -> 15, 50 -> 50 ms */
	CHECK_EQ(at_credit_value(at_credit_boost(at_credit_store(i, i), 1), i), 37500000);
	CHECK_EQ(at_credit_value(at_credit_boost(at_credit_store(0, i), 1), i), i);
	CHECK_EQ(at_credit_value(at_credit_boost(at_credit_store(-20 * (s64)MS, i), 1), i), 15 * MS);
	CHECK_EQ(at_credit_value(at_credit_boost(at_credit_store(2 * i, i), 1), i), 2 * i);
	/* a nanosecond below the fixpoint stays there: towards minus infinity */
	CHECK_EQ(at_credit_boost(-1, 1), -1);
	CHECK_EQ(at_credit_boost(-3, 1), -2);
	CHECK_EQ(at_credit_boost(-1000, 0), -1000);
	/* many at once are as many single ones, however many */
	CHECK_EQ(at_credit_boost(-((s64)1 << 62), 62), -1);
	CHECK_EQ(at_credit_boost(-((s64)1 << 62), 61), -2);
	CHECK_EQ(at_credit_boost(-((s64)1 << 62), ~(u32)0), -1);
	/* between -10 I and 2 I */
	CHECK_EQ(at_credit_clamp(1, at_credit_floor(i)), 0);
	CHECK_EQ(at_credit_clamp(-12 * i, at_credit_floor(i)), -12 * i);
	CHECK_EQ(at_credit_clamp(-12 * i - 1, at_credit_floor(i)), -12 * i);
	CHECK_EQ(at_credit_clamp(-12 * i + 1, at_credit_floor(i)), -12 * i + 1);
	/* a charge and a floor below which none goes */
	CHECK_EQ(at_charge(AT_CHARGE_MAX + 1), AT_CHARGE_MAX);
	CHECK_EQ(at_charge(5), 5);
	CHECK_EQ(at_credit_charge(-10, 5, AT_CREDIT_FLOOR), -15);
	CHECK_EQ(at_credit_charge(-10, -5, AT_CREDIT_FLOOR), -5);
	CHECK_EQ(at_credit_charge(AT_CREDIT_FLOOR + 3, 2, AT_CREDIT_FLOOR), AT_CREDIT_FLOOR + 1);
	CHECK_EQ(at_credit_charge(AT_CREDIT_FLOOR + 3, 3, AT_CREDIT_FLOOR), AT_CREDIT_FLOOR);
	CHECK_EQ(at_credit_charge(AT_CREDIT_FLOOR + 3, (s64)AT_CHARGE_MAX, AT_CREDIT_FLOOR), AT_CREDIT_FLOOR);
}

int main(void)
{
	CASE(once());
	CASE(overtaken(0));
	CASE(overtaken(1000000));
	CASE(round_the_end());
	CASE(forgotten());
	CASE(chap_settles_nothing());
	CASE(credits());
	return 0;
}
