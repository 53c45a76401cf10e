/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Who waits for whom in a flood of new flows under chap: one station's flood is
 * its own trouble, one host's where stations are not known; with sources that
 * are drawn anew for each packet there is nobody to tell apart. And that none of
 * it is in `faithful`.
 */
#include "harness.h"

#define SERVICE MS		/* a packet */
#define BULK 1u			/* a known flow, always backlogged */
#define FLOOD 1000u		/* new flows from here on */
#define QUERY 7u		/* the new flow of somebody else */

enum who { BY_STATION, BY_SOURCE, SPOOFED };

struct crowd {
	struct host h;
	struct at_ticket t;
	enum who who;
	u32 flows;
	u64 now, done;
};

static struct at_pkt *of(struct crowd *c, u32 flow, u16 sta, u32 source)
{
	struct at_pkt *p = new_pkt(&c->h, flow, 100);

	CHECK(p);
	p->sta = c->who == BY_STATION ? sta : AT_NO_STA;
	p->source = source;
	return p;
}

static void flood(struct crowd *c, u32 n)
{
	while (n--) {
		u32 flow = FLOOD + c->flows++;

		push(&c->h, of(c, flow, 5, c->who == SPOOFED ? flow * 0x9e3779b9u : 50), c->now);
	}
}

static u32 serve(struct crowd *c)
{
	struct at_pkt *p;

	if (c->done)
		report(&c->h, &c->t, SERVICE, c->now);
	p = get(&c->h, &c->t, c->now);
	CHECK(p);
	c->done = 1;
	c->now += SERVICE;
	if (p->flow == BULK) {
		struct at_pkt *next = new_pkt(&c->h, BULK, 1500);

		next->sta = 1;
		push(&c->h, next, c->now);
	}
	return p->flow;
}

/* A bulk flow, and a flood that has filled its half of the queue for a while. */
static void gather(struct crowd *c, enum who who, const char *args)
{
	memset(c, 0, sizeof(*c));
	c->who = who;
	open_flat(&c->h, args, 4000);
	for (u32 i = 0; i < 300; i++) {
		struct at_pkt *p = new_pkt(&c->h, BULK, 1500);

		p->sta = 1;
		push(&c->h, p, 0);
	}
	for (u32 i = 0; i < 3000; i++) {
		flood(c, 10);
		serve(c);
	}
	CHECK(c->h.q->qlen >= 1023);
}

/* Packets of the flood that are served before the query is. */
static u32 wait_of(struct crowd *c, u16 sta, u32 source)
{
	u32 flood_served = 0, flow, drops = c->h.drops;

	CHECK_EQ(push(&c->h, of(c, QUERY, sta, source), c->now), AT_OK);
	CHECK(c->h.drops == drops || c->h.last_drop->flow >= FLOOD);
	while ((flow = serve(c)) != QUERY) {
		flood_served += flow >= FLOOD;
		flood(c, 10);
		CHECK(c->h.last_drop->flow >= FLOOD);
		CHECK(flood_served < 2000);
	}
	return flood_served;
}

static void within_two_turns(enum who who)
{
	struct crowd c;

	gather(&c, who, "");
	CHECK_EQ(stat(&c.h, "newcomer_parties"), 1);
	for (u32 i = 0; i < 50; i++) {
		CHECK(wait_of(&c, 6, 60) <= 1);
		for (u32 k = 0; k < 20; k++) {
			flood(&c, 10);
			serve(&c);
		}
		/* forgotten by the flood of records, or idle: new or not, it waits no longer */
	}
	close_host(&c.h);
}

/* Newcomers have every second service. One station has a flood, another a new flow
 * every fifth service, which is less than the fourth that its turns are: it loses
 * and misses nothing, and the flood has the rest. */
static void below_its_turns(void)
{
	u32 served[2] = { 0 }, lost[2] = { 0 };
	struct crowd c;

	gather(&c, BY_STATION, "");
	for (u32 i = 0; i < 4000; i++) {
		u32 drops, flow;

		flood(&c, 10);
		drops = c.h.drops;
		if (i % 5 == 0)
			push(&c.h, of(&c, (1u << 31) + i, 6, 60), c.now);
		lost[1] += c.h.drops > drops && c.h.last_drop->flow >> 31;
		flow = serve(&c);
		served[flow >> 31] += flow >= FLOOD;
	}
	CHECK_EQ(lost[1], 0);
	CHECK(served[1] >= 798 && served[1] <= 800);
	CHECK(served[0] + served[1] > 1980 && served[0] + served[1] < 2020);
	close_host(&c.h);
}

/* Whoever draws a new source for each packet is many hosts; a new flow waits with
 * all of them, and most are lost, as many as ever. The known flow keeps its half. */
static void spoofed(void)
{
	u32 bulk = 0, n = 0;
	struct crowd c;

	gather(&c, SPOOFED, "");
	CHECK(stat(&c.h, "newcomer_parties") > 200);
	for (; n < 10000; n++) {
		flood(&c, 10);
		bulk += serve(&c) == BULK;
	}
	CHECK(bulk > n * 49 / 100 && bulk < n * 51 / 100);
	close_host(&c.h);
}

/* Without stations a source of 0 is one party like any other, and a station's
 * number is no source's. */
static void not_known(void)
{
	struct crowd c;
	u32 order[3];

	memset(&c, 0, sizeof(c));
	c.who = BY_SOURCE;
	open_host(&c.h, "chap", FLAT "", 64);
	for (u32 i = 0; i < 4; i++)
		push(&c.h, of(&c, FLOOD + i, 0, 9), 0);
	push(&c.h, of(&c, 1, 0, 0), 0);
	c.who = BY_STATION;
	push(&c.h, of(&c, 2, 9, 9), 0);
	for (u32 i = 0; i < 4; i++) {
		u32 flow = get(&c.h, &c.t, 0)->flow;

		if (i)
			order[i - 1] = flow;
		else
			CHECK_EQ(flow, FLOOD);
	}
	CHECK_EQ(order[0], 1);
	CHECK_EQ(order[1], 2);
	CHECK_EQ(order[2], FLOOD + 1);
	close_host(&c.h);
}

/* In `faithful` nobody takes turns: in order of creation, all having I. */
static void not_in_faithful(void)
{
	struct crowd c;

	memset(&c, 0, sizeof(c));
	open_host(&c.h, "chap", FLAT "profile=1", 64);
	for (u32 i = 0; i < 4; i++)
		push(&c.h, of(&c, FLOOD + i, 5, 50), 0);
	push(&c.h, of(&c, QUERY, 6, 60), 0);
	for (u32 i = 0; i < 4; i++)
		CHECK_EQ(get(&c.h, &c.t, 0)->flow, FLOOD + i);
	CHECK_EQ(get(&c.h, &c.t, 0)->flow, QUERY);
	CHECK_EQ(stat(&c.h, "newcomer_parties"), 0);
	close_host(&c.h);
}

int main(void)
{
	CASE(within_two_turns(BY_STATION));
	CASE(within_two_turns(BY_SOURCE));
	CASE(below_its_turns());
	CASE(spoofed());
	CASE(not_known());
	CASE(not_in_faithful());
	return 0;
}
