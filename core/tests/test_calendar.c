/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Turns in rounds (calendar.h) against a plain array that is searched, shares of parties
 * by hand, the sets of ways.h against their rules, and the shaper's clock (shaper.h)
 * against exact fractions.
 */
#include "harness.h"

#include "airtab/calendar.h"
#include "airtab/shaper.h"
#include "airtab/ways.h"

/* ---- rounds ---- */

#define MEMBERS 300u

struct model {
	u64 round[MEMBERS], order[MEMBERS];	/* order 0: waits for no turn */
	u64 serial, now;
};

/* Whose turn it is: of the least round, who came first. */
static u32 next_of(struct model *m)
{
	u32 best = MEMBERS;

	for (u32 i = 0; i < MEMBERS; i++)
		if (m->order[i] && (best == MEMBERS || m->round[i] < m->round[best] ||
				    (m->round[i] == m->round[best] && m->order[i] < m->order[best])))
			best = i;
	m->now = m->round[best];
	return best;
}

static void against_array(u64 seed)
{
	static struct at_calendar r;
	static struct at_seat seat[MEMBERS];
	const struct at_seats next = { seat, sizeof(*seat) };
	static struct model m;
	u32 n = 0;

	memset(&r, 0, sizeof(r));
	memset(&m, 0, sizeof(m));
	m.serial = 1;
	for (u32 step = 0; step < 20000; step++) {
		u32 i = (u32)below(&seed, MEMBERS);

		if (n && below(&seed, step / 4000 % 2 ? 4 : 2) == 0) {
			u32 want = next_of(&m);

			CHECK_EQ(at_calendar_first(&r), want);
			CHECK_EQ(r.now, m.now);
			CHECK_EQ(at_calendar_pop(&r, next), want);
			m.order[want] = 0;
			n--;
		} else if (!m.order[i]) {
			u64 ahead = below(&seed, 3) ? below(&seed, 4) : below(&seed, 3000);

			at_calendar_add(&r, next, i, m.now + ahead);
			m.round[i] = m.now + (ahead < AT_CALENDAR ? ahead : AT_CALENDAR - 1);
			m.order[i] = m.serial++;
			n++;
		}
		CHECK_EQ(r.len, n);
	}
	CHECK(m.now > 3 * AT_CALENDAR);
}

/* Who was taken out comes before the others of the round, in the same order. */
static void put_back(void)
{
	static struct at_calendar r;
	static const u16 want[] = { 3, 4, 5, 1, 2 };
	struct at_chain out = { 0 };
	struct at_seat seat[8];
	const struct at_seats next = { seat, sizeof(*seat) };

	for (u32 i = 3; i <= 5; i++)
		at_chain_join(&out, next, i);
	at_calendar_add(&r, next, 1, 700);
	at_calendar_add(&r, next, 2, 700);
	CHECK_EQ(at_calendar_first(&r), 1);
	at_calendar_return(&r, next, &out);
	CHECK(out.len == 0 && r.len == 5 && r.now == 700);
	for (u32 i = 0; i < 5; i++)
		CHECK_EQ((at_calendar_first(&r), at_calendar_pop(&r, next)), want[i]);
	at_chain_join(&out, next, 7);
	at_calendar_return(&r, next, &out);
	CHECK_EQ(at_calendar_first(&r), 7);
	CHECK_EQ(r.now, 700);
}

/* A quantum of 1000 a round. */
static void shares(void)
{
	static const struct { u64 now; u32 bytes; u64 round; u32 used; } want[] = {
		{ 5, 400, 5, 400 },		/* from the present round on */
		{ 5, 599, 5, 999 },
		{ 5, 1, 6, 0 },
		{ 5, 1999, 7, 999 },
		{ 6, 3501, 11, 500 },
		{ 11, 100, 11, 600 },		/* time comes up with it: what was used counts */
		{ 20, 100, 20, 100 },		/* and goes by: nothing is left, nor owed */
		{ 20, 65535, 85, 635 },
		{ 20, 4000000, 20 + 2047, 635 },	/* no further than the calendar */
	};
	struct at_share s = { 0 };

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		at_share_take(&s, want[i].now, want[i].bytes, 1000);
		CHECK_EQ(s.round, want[i].round);
		CHECK_EQ(s.bytes, want[i].used);
	}
}

/* ---- ways ---- */

static void ways(void)
{
	struct at_ways s = { 0 };
	enum at_way how;

	for (u32 i = 0; i < 8; i++) {		/* from home 5 on, round the end */
		CHECK_EQ(at_ways_find(&s, 100 + i, 5, &how), (5 + i) % 8);
		CHECK_EQ(how, AT_WAY_GIVEN);
		s.busy |= (u8)(1u << (5 + i) % 8);
	}
	for (u32 i = 0; i < 8; i++) {
		CHECK_EQ(at_ways_find(&s, 100 + i, i, &how), (5 + i) % 8);
		CHECK_EQ(how, AT_WAY_OWN);
	}
	CHECK_EQ(at_ways_find(&s, 200, 3, &how), 3);	/* all busy */
	CHECK_EQ(how, AT_WAY_JOINED);
	CHECK_EQ(s.shared, 1 << 3);
	s.busy &= (u8)~(1u << 6);		/* who joined stays, and so do others of that home */
	CHECK_EQ(at_ways_find(&s, 200, 3, &how), 3);
	CHECK_EQ(at_ways_find(&s, 201, 3, &how), 3);
	CHECK_EQ(at_ways_find(&s, 202, 4, &how), 6);
	CHECK_EQ(how, AT_WAY_GIVEN);
	s.shared = 0;
	CHECK_EQ(at_ways_find(&s, 200, 3, &how), 6);
	CHECK_EQ(s.key[6], 200);
	/* rather one that remembers nothing, though it is further from home */
	s.busy = 0xff & ~(1u << 2 | 1u << 4);
	s.worn = 1u << 2 | 1u << 7;
	CHECK_EQ(at_ways_find(&s, 300, 0, &how), 4);
	s.busy |= 1u << 4;
	CHECK_EQ(at_ways_find(&s, 301, 0, &how), 2);
	CHECK_EQ(how, AT_WAY_GIVEN);
}

/* ---- the clock ---- */

/* After n bytes at a rate: the first ns that is not before n 8e9 / rate. */
static void exact(u64 rate, u64 seed)
{
	struct at_pace pace = at_pace_of(rate);
	struct at_clock c = { 0 };
	__uint128_t bits = 0;
	u64 at = 12345678901;

	at_clock_begin(&c, at);
	at_clock_begin(&c, at - 1);
	CHECK_EQ(at_clock_due(&c), at);
	for (u32 n = 0; n < 100000; n++) {
		u32 bytes = (u32)below(&seed, 1515);
		u64 want;

		at_clock_add(&c, pace, bytes);
		bits += (__uint128_t)bytes * 8;
		want = at + (u64)((bits * 1000000000 + rate - 1) / rate);
		/* a fraction that is rounded down can take 1 ns from a sum that is whole */
		CHECK(at_clock_due(&c) == want || at_clock_due(&c) + 1 == want);
		if (8000000000ull % rate == 0)
			CHECK_EQ(at_clock_due(&c), want);
	}
}

static void clocks(void)
{
	static const u64 rates[] = { 1000, 64000, 1000000, 3000000, 7777777, 10000000, 54000000,
				     100000000, 999999937, 4294967295 };

	for (u32 i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		exact(rates[i], i + 1);
	/* from 2^32 b/s on to 31 bits */
	for (u64 rate = 5000000000; rate <= 100000000000; rate += 4999999999) {
		struct at_pace p = at_pace_of(rate);
		double ns = p.ns + p.frac / 4294967296.0, want = 8e9 / (double)rate;

		CHECK(ns > want * (1 - 3e-9) && ns < want * (1 + 1e-9));
	}
}

int main(void)
{
	for (u64 seed = 1; seed <= 5; seed++)
		CASE(against_array(seed));
	CASE(put_back());
	CASE(shares());
	CASE(ways());
	CASE(clocks());
	return 0;
}
