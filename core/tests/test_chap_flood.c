/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The newcomers' tab: a million one-packet flows, 10^5 a second, against a
 * 40-ms game and an established download on a link of 3000 packets a second.
 * The game must lose nothing and wait less than 20 ms (99th percentile); without
 * the tab it must not survive, or this test would show nothing. Nothing is drawn
 * here, so the counts of docs/chap.md are asserted as they stand there.
 */
#include "harness.h"

#define SERVICE 333333ull		/* ns a packet */
#define FLOOD_EVERY 10000ull
#define FLOOD_FLOWS 1000000u
#define GAME_EVERY (40 * MS)
#define BULK_EVERY 500000ull		/* 2000 packets/s of 1500 bytes */
#define WARM_UP (5 * SEC)
#define GAME 1u
#define BULK 2u
#define FLOOD_FIRST 1000u

struct result {
	u32 game_sent, game_lost, bulk_served, flood_served;
	u64 p99, max;			/* game, ns */
};

/* The table of docs/chap.md, by whether the game is 5 s old. */
static const struct result WITH[2] = {
	{ 250, 0, 14831, 14920, 333173, 333293 },
	{ 375, 0, 14831, 14920, 333133, 333293 },
};
static const struct result WITHOUT[2] = {
	{ .game_sent = 250, .game_lost = 249, .flood_served = 30000 },
	{ .game_sent = 375, .game_lost = 175, .flood_served = 29926 },
};

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The flood starts at WARM_UP; the game with it, or at 0. */
static struct result run(const char *args, bool game_warm)
{
	static u64 delay[1000];
	struct result r = { 0 };
	struct host h;
	struct at_ticket t;
	u64 flood = WARM_UP, game = game_warm ? 0 : WARM_UP, bulk = 0, done = AT_NEVER;
	u64 end = WARM_UP + FLOOD_FLOWS * FLOOD_EVERY, *entered;
	u32 flows = 0, waits = 0;

	open_flat(&h, args, 4096);
	entered = calloc(h.n + 1, sizeof(u64));
	for (;;) {
		u64 now = done;
		struct at_pkt *p = NULL;

		now = flood < now ? flood : now;
		now = game < now ? game : now;
		now = bulk < now ? bulk : now;
		if (now >= end)
			break;
		if (now == done) {
			report(&h, &t, SERVICE, now);
			done = AT_NEVER;
		} else if (now == game) {
			p = new_pkt(&h, GAME, 120);
			game += GAME_EVERY;
			r.game_sent++;
		} else if (now == bulk) {
			p = new_pkt(&h, BULK, 1500);
			bulk += BULK_EVERY;
		} else {
			p = new_pkt(&h, FLOOD_FIRST + flows++, 60);
			flood += FLOOD_EVERY;
		}
		if (p) {
			u32 drops = h.drops;

			entered[p - h.pkts] = now;
			push(&h, p, now);
			CHECK(h.drops <= drops + 1);
			r.game_lost += h.drops > drops && h.last_drop->flow == GAME;
		}
		if (done != AT_NEVER)
			continue;
		p = get(&h, &t, now);
		CHECK(p || !h.q->qlen);
		if (!p)
			continue;
		done = now + SERVICE;
		if (p->flow == GAME) {
			delay[waits++] = now - entered[p - h.pkts];
			CHECK(waits < 1000);
		}
		r.bulk_served += p->flow == BULK && now >= WARM_UP;
		r.flood_served += p->flow >= FLOOD_FIRST;
	}
	qsort(delay, waits, sizeof(u64), by_value);
	r.p99 = waits ? delay[(waits - 1) * 99 / 100] : 0;
	r.max = waits ? delay[waits - 1] : 0;
	CHECK_EQ(flows, FLOOD_FLOWS);
	CHECK(stat(&h, "flows") <= h.value[4][0]);
	free(entered);
	close_host(&h);
	return r;
}

static void same(const struct result *r, const struct result *documented)
{
	CHECK_EQ(r->game_sent, documented->game_sent);
	CHECK_EQ(r->game_lost, documented->game_lost);
	CHECK_EQ(r->bulk_served, documented->bulk_served);
	CHECK_EQ(r->flood_served, documented->flood_served);
	if (!documented->max)
		return;
	CHECK_EQ(r->p99, documented->p99);
	CHECK_EQ(r->max, documented->max);
}

int main(void)
{
	for (u32 warm = 0; warm < 2; warm++) {
		struct result r = run("", warm), without = run("newcomers=0", warm);

		/* what must hold whatever the counts: no loss, little delay */
		CHECK_EQ(r.game_lost, 0);
		CHECK(r.p99 < 20 * MS);
		/* together, newcomers take no more than the download does */
		CHECK(r.bulk_served > 10 * 3000 * 45 / 100);
		/* from its second packet on, until the first boost: for ever */
		CHECK(without.game_lost > 150);
		CHECK_EQ(without.bulk_served, 0);
		CASE(same(&r, &WITH[warm]));
		CASE(same(&without, &WITHOUT[warm]));
	}
	return 0;
}
