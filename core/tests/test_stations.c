/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Numbers of stations (stations.h): against a model that keeps plain arrays, and
 * case by case.
 */
#include "harness.h"

#include "airtab/stations.h"

#define ROOM 24u
#define KEYS 64u

struct table {
	struct at_stations s;
	u64 memory[4096];
};

static struct table *table(u16 room, u64 seed)
{
	static struct table t;

	CHECK(at_stations_bytes(room) <= sizeof(t.memory));
	memset(&t, 0xa5, sizeof(t));
	at_stations_init(&t.s, t.memory, room, seed);
	return &t;
}

/* Enters, and checks what is said of it. */
static u16 enter(struct table *t, u64 key, enum at_met should)
{
	enum at_met met;
	u16 i = at_stations_enter(&t->s, key, &met);

	CHECK_EQ(met, should);
	return i;
}

static void pass(struct table *t, u64 key, enum at_met should, u16 number)
{
	u16 i = enter(t, key, should);

	CHECK_EQ(i, number);
	at_stations_leave(&t->s, i);
}

/* Numbers from 0 on, in the order in which they are met; whatever the packets do. */
static void dense(void)
{
	struct table *t = table(ROOM, 1);

	for (u16 i = 0; i < ROOM; i++)
		pass(t, 0x020000000000ull + i * 7, AT_MET_FIRST, i);
	for (u16 i = 0; i < ROOM; i++)
		CHECK_EQ(enter(t, 0x020000000000ull + i * 7, AT_MET_AGAIN), i);
	CHECK_EQ(t->s.known, ROOM);
}

/* Keys of one bucket have numbers of their own; so have those that differ in one bit. */
static void exact(void)
{
	for (u64 seed = 0; seed < 20; seed++) {
		struct table *t = table(1000, seed);
		u64 first = 0x02a1b2c3d4e5ull, key = first;
		u16 n = 0;

		for (; n < 100; key++)
			if (at_stations_bucket(&t->s, key) == at_stations_bucket(&t->s, first))
				pass(t, key, AT_MET_FIRST, n++);
		while (n && key-- > first)
			if (at_stations_bucket(&t->s, key) == at_stations_bucket(&t->s, first))
				pass(t, key, AT_MET_AGAIN, --n);
		CHECK_EQ(n, 0);
		for (u32 bit = 0; bit < 64; bit++)
			enter(t, first ^ (u64)1 << bit ^ (u64)1 << 63 ^ (u64)1 << 47, AT_MET_FIRST);
	}
}

/* Who loses his number: met once before met again, and who has been without a packet
 * for longest; nobody with a packet inside. */
static void given_up(void)
{
	struct table *t = table(4, 3);

	pass(t, 10, AT_MET_FIRST, 0);
	pass(t, 10, AT_MET_AGAIN, 0);
	pass(t, 11, AT_MET_FIRST, 1);
	pass(t, 11, AT_MET_AGAIN, 1);
	pass(t, 12, AT_MET_FIRST, 2);
	pass(t, 13, AT_MET_FIRST, 3);
	/* made-up ones take the numbers of each other */
	for (u64 key = 100; key < 200; key++)
		pass(t, key, AT_MET_INSTEAD, 2 + key % 2);
	pass(t, 10, AT_MET_AGAIN, 0);
	/* all are met again: the one that was so first */
	pass(t, 198, AT_MET_AGAIN, 2);
	pass(t, 199, AT_MET_AGAIN, 3);
	pass(t, 14, AT_MET_INSTEAD, 1);
	CHECK_EQ(enter(t, 14, AT_MET_AGAIN), 1);
	CHECK_EQ(enter(t, 15, AT_MET_INSTEAD), 0);
	CHECK_EQ(enter(t, 16, AT_MET_INSTEAD), 2);
	CHECK_EQ(enter(t, 17, AT_MET_INSTEAD), 3);
	CHECK_EQ(enter(t, 18, AT_MET_NOBODY), AT_NO_STA);
	/* two packets inside, one leaves */
	CHECK_EQ(enter(t, 16, AT_MET_AGAIN), 2);
	at_stations_leave(&t->s, 2);
	CHECK_EQ(enter(t, 18, AT_MET_NOBODY), AT_NO_STA);
	at_stations_leave(&t->s, 2);
	CHECK_EQ(enter(t, 18, AT_MET_INSTEAD), 2);
}

static void at_random(u16 room, u64 seed)
{
	struct table *t = table(room, seed);
	struct { u64 key; u32 packets, met; u64 without; } m[ROOM];
	u16 inside[200];
	u32 n = 0, known = 0;
	u64 clock = 0;

	for (u32 op = 0; op < 20000; op++) {
		u64 key = 0x020000000000ull + (rnd(&seed) % KEYS) * 0x10001;
		u16 should = AT_NO_STA, i;
		enum at_met met = AT_MET_NOBODY;

		if (n && (n == 200 || rnd(&seed) % 2)) {
			u32 which = rnd(&seed) % n;

			i = inside[which];
			inside[which] = inside[--n];
			at_stations_leave(&t->s, i);
			if (!--m[i].packets)
				m[i].without = ++clock;
			continue;
		}
		for (u16 k = 0; k < known; k++)
			if (m[k].key == key)
				should = k, met = AT_MET_AGAIN;
		if (should == AT_NO_STA && known < room)
			should = (u16)known++, met = AT_MET_FIRST;
		for (u16 k = 0; met == AT_MET_NOBODY && k < known; k++) {
			u16 best = should;

			if (m[k].packets)
				continue;
			if (best == AT_NO_STA || (m[k].met == 1) > (m[best].met == 1) ||
			    ((m[k].met == 1) == (m[best].met == 1) && m[k].without < m[best].without))
				should = k;
		}
		if (met == AT_MET_NOBODY && should != AT_NO_STA)
			met = AT_MET_INSTEAD;
		CHECK_EQ(enter(t, key, met), should);
		if (should == AT_NO_STA)
			continue;
		if (met != AT_MET_AGAIN) {
			memset(&m[should], 0, sizeof(m[should]));
			m[should].key = key;
		}
		m[should].packets++;
		m[should].met++;
		inside[n++] = should;
		CHECK_EQ(t->s.known, known);
	}
}

int main(void)
{
	CASE(dense());
	CASE(exact());
	CASE(given_up());
	for (u64 seed = 0; seed < 30; seed++)
		CASE(at_random((u16)(seed % 3 ? ROOM : 1 + seed % ROOM), seed));
	return 0;
}
