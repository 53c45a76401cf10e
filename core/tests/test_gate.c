/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Closed stations: the order of the packets written down, for each discipline. What
 * holds for all that are registered is in test_gate_all.c.
 */
#include "harness.h"

#include "airtab/urgent.h"

/* A packet named `name` of a flow to a station, at the time of the last call. */
static enum at_verdict put_to(struct host *h, u32 flow, u16 sta, u8 class, char name)
{
	struct at_pkt *p = new_pkt(h, flow, 1000);

	p->sta = sta;
	p->cls = class;
	p->source = flow;
	p->handle = (u32)name;
	return push(h, p, h->now);
}

/* Flows 1, 2, .. to stations of the same number, a packet for each name: "a1 b2 c1". */
static void fill(struct host *h, const char *packets)
{
	for (; *packets; packets += packets[2] ? 3 : 2)
		put_to(h, (u32)(packets[1] - '0'), (u16)(packets[1] - '0'), 0, packets[0]);
}

/* What comes out next are the packets of these names, each reported with ns. */
static void comes(struct host *h, const char *names, u64 ns)
{
	struct at_ticket t;

	for (; *names; names++) {
		struct at_pkt *p = get(h, &t, h->now);

		CHECK(p);
		if ((char)p->handle != *names)
			fprintf(stderr, "%c, not %c: ", (char)p->handle, *names);
		CHECK_EQ(p->handle, *names);
		report(h, &t, ns, h->now);
	}
}

static void nothing(struct host *h, u32 parked)
{
	struct at_ticket t;

	CHECK(!get(h, &t, h->now));
	CHECK_EQ(h->q->parked, parked);
	CHECK_EQ(h->q->qlen, parked);
}

/* ---- one discipline each ---- */

static void fifo_order(void)
{
	struct host h;

	open_host(&h, "fifo", "", 64);
	fill(&h, "a1 b2 c1 d3 e2 f1");
	gate(&h, 1, false);
	gate(&h, 1, false);
	CHECK_EQ(h.q->parked, 3);
	comes(&h, "b", 0);
	fill(&h, "g1 h2");
	comes(&h, "d", 0);
	gate(&h, 2, false);
	nothing(&h, 6);
	gate(&h, 1, true);
	gate(&h, 1, true);
	comes(&h, "ac", 0);		/* before e, which is older than f */
	gate(&h, 2, true);
	comes(&h, "efgh", 0);
	nothing(&h, 0);
	close_host(&h);
}

/* A lower limit, a hand-over and a reset see parked packets like others; a station
 * stays closed. */
static void fifo_others(void)
{
	struct host h;
	struct at_pkt *p;

	open_host(&h, "fifo", "limit=6", 64);
	fill(&h, "a1 b1 c2 d1 e2 f1");
	gate(&h, 1, false);
	comes(&h, "c", 0);
	fill(&h, "g1");
	CHECK_EQ(put_to(&h, 1, 1, 0, 'x'), AT_DROPPED);	/* six, five of them parked */
	change(&h, "limit=5", 0);
	CHECK_EQ(h.last_drop->handle, 'a');
	p = h.q->ops->drain(h.q);
	CHECK_EQ(p->handle, 'b');
	give_back(&h, p);
	CHECK_EQ(h.q->parked, 3);
	comes(&h, "e", 0);
	fill(&h, "h2");
	comes(&h, "h", 0);
	h.q->ops->reset(h.q, 0);
	CHECK_EQ(h.q->parked, 0);
	fill(&h, "i1 j2");
	comes(&h, "j", 0);
	nothing(&h, 1);
	gate(&h, 1, true);
	comes(&h, "i", 0);
	close_host(&h);
}

/* Multicast, and packets of nobody, can be held as well. */
static void any_number(void)
{
	static const u16 numbers[] = { 0, 31, 32, 65533, AT_NO_STA, AT_GROUP };
	struct host h;

	open_host(&h, "fifo", "", 64);
	for (u32 i = 0; i < 6; i++)
		put_to(&h, 1, numbers[i], 0, (char)('a' + i));
	for (u32 i = 0; i < 6; i++) {
		gate(&h, numbers[i], false);
		CHECK_EQ(h.q->parked, i + 1);
	}
	gate(&h, 7, false);
	for (u32 i = 6; i--;) {
		gate(&h, numbers[i], true);
		comes(&h, (char[]){ (char)('a' + i), 0 }, 0);
		nothing(&h, i);
	}
	close_host(&h);
}

static void spq_order(void)
{
	struct host h;

	open_host(&h, "spq", "limit=8", 64);
	put_to(&h, 1, 1, 0, 'a');
	put_to(&h, 2, 2, 0, 'b');
	put_to(&h, 1, 1, 1, 'c');
	put_to(&h, 2, 2, 1, 'd');
	put_to(&h, 1, 1, AT_URGENT, 'e');
	put_to(&h, 2, 2, AT_URGENT, 'f');
	gate(&h, 1, false);
	comes(&h, "fbd", 0);
	nothing(&h, 3);
	put_to(&h, 1, 1, 0, 'g');
	put_to(&h, 2, 2, 0, 'h');
	comes(&h, "h", 0);
	gate(&h, 1, true);
	comes(&h, "eagc", 0);
	close_host(&h);
}

/* The youngest of the last class makes room, parked or not, behind one that went. */
static void spq_room(void)
{
	struct host h;

	open_host(&h, "spq", "limit=3", 64);
	put_to(&h, 1, 1, 1, 'a');
	put_to(&h, 2, 2, 1, 'b');
	put_to(&h, 1, 1, 1, 'c');
	gate(&h, 1, false);
	comes(&h, "b", 0);		/* from the middle: c is behind a */
	put_to(&h, 2, 2, 0, 'd');
	put_to(&h, 2, 2, 0, 'e');
	CHECK_EQ(h.last_drop->handle, 'c');
	put_to(&h, 2, 2, 0, 'f');
	CHECK_EQ(h.last_drop->handle, 'a');
	comes(&h, "def", 0);
	nothing(&h, 0);
	put_to(&h, 2, 2, 1, 'g');	/* those that were passed over are gone */
	comes(&h, "g", 0);
	put_to(&h, 1, 1, 1, 'h');
	nothing(&h, 1);
	gate(&h, 1, true);
	comes(&h, "h", 0);
	close_host(&h);
}

/* Flows of a packet each turn: quantum 1000, packets of 1000 bytes. */
static void fq_codel_order(void)
{
	struct host h;

	open_host(&h, "fq_codel", "quantum=1000", 64);
	fill(&h, "a1 b2 c3 A1 B2 C3");
	comes(&h, "abc", 0);		/* all are old from here on: 1 is next */
	fill(&h, "x1 y2 z3");
	gate(&h, 1, false);
	comes(&h, "BCyz", 0);
	fill(&h, "p2 q3 r4");
	comes(&h, "r", 0);		/* a new one */
	gate(&h, 1, true);
	comes(&h, "A", 0);		/* its turn had come all the time */
	comes(&h, "px", 0);		/* 3 has sent z, and its next turn is behind 1 */
	comes(&h, "q", 0);
	nothing(&h, 0);
	close_host(&h);
}

/* A new queue that is closed stays one: it goes before the old ones. */
static void fq_codel_new(void)
{
	struct host h;

	open_host(&h, "fq_codel", "quantum=1000", 64);
	fill(&h, "a1 A1");
	comes(&h, "a", 0);
	gate(&h, 2, false);
	fill(&h, "b2 c3 C3");
	CHECK_EQ(stat(&h, "new"), 3);	/* 1 has sent enough, but nobody has looked */
	comes(&h, "c", 0);
	CHECK_EQ(stat(&h, "new") + stat(&h, "old"), 3);
	gate(&h, 2, true);
	comes(&h, "bAC", 0);
	close_host(&h);
}

/* Stations whose flows share a queue: the open one's packets go on. The queue that
 * was passed over has its place again when one comes. */
static void fq_codel_shared(void)
{
	struct host h;

	open_host(&h, "fq_codel", "flows=1", 64);
	fill(&h, "a1 b2 c1 d2");
	gate(&h, 1, false);
	comes(&h, "bd", 0);
	nothing(&h, 2);
	fill(&h, "e1");
	nothing(&h, 3);
	fill(&h, "f2");
	comes(&h, "f", 0);
	change(&h, "limit=1", 0);	/* empties what was passed over */
	nothing(&h, 1);
	gate(&h, 1, true);
	comes(&h, "e", 0);
	nothing(&h, 0);
	close_host(&h);
}

/* A queue whose first packets are parked is judged by those that go; that CoDel drops
 * the last of them does not make it idle. */
static void fq_codel_judged(void)
{
	struct host h;

	open_host(&h, "fq_codel", "flows=1 ecn=0 quantum=1000", 64);	/* it is an old one */
	fill(&h, "a1 b1 c2 d2");
	gate(&h, 1, false);
	h.now = 10 * MS;
	comes(&h, "c", 0);
	h.now = 120 * MS;
	nothing(&h, 2);			/* d: an interval above, and 2000 bytes behind it */
	CHECK_EQ(h.q->dropped[AT_R_AQM], 1);
	gate(&h, 1, true);
	comes(&h, "ab", 0);
	close_host(&h);
}

/* Times of 25 ms bring a flow from I to 0 and from 2I - x to I - x. */
static void chap_order(void)
{
	struct host h;

	open_host(&h, "chap", FLAT "newcomers=0", 64);
	fill(&h, "a1 b2 c3 A1 B2 C3 x1 y2 z3");
	comes(&h, "a", 10 * MS);	/* credits 15, 25, 25 */
	comes(&h, "b", 12 * MS);	/* 15, 13, 25 */
	gate(&h, 3, false);
	comes(&h, "A", 5 * MS);		/* 10, 13 */
	comes(&h, "B", 4 * MS);		/* 10, 9 */
	gate(&h, 3, true);
	comes(&h, "c", 20 * MS);	/* 10, 9, 5 */
	comes(&h, "x", 0);
	comes(&h, "y", 0);
	comes(&h, "Cz", 0);
	nothing(&h, 0);
	close_host(&h);
}

/* Whoever may be served is boosted when all of these are at 0 or below; those who
 * are parked, as everybody is. */
static void chap_boosts(void)
{
	struct host h;

	open_host(&h, "chap", FLAT "newcomers=0", 64);
	fill(&h, "a1 b2 A1 B2 x1 y2");
	gate(&h, 2, false);
	comes(&h, "a", 30 * MS);
	CHECK_EQ(credit(&h, 1), -5 * (s64)MS);
	CHECK_EQ(credit(&h, 2), 25 * (s64)MS);
	comes(&h, "A", 1 * MS);
	CHECK_EQ(credit(&h, 1), 21500000);
	CHECK_EQ(credit(&h, 2), 37500000);
	gate(&h, 2, true);
	comes(&h, "bBy", 1 * MS);
	comes(&h, "x", 1 * MS);
	close_host(&h);
}

/* The flow with the least credit makes room, parked or not; and a report of what a
 * parked flow had sent moves it among them. */
static void chap_room(void)
{
	struct host h;
	struct at_ticket t;
	struct at_pkt *p;

	open_host(&h, "chap", FLAT "newcomers=0 limit=4", 64);
	fill(&h, "a1 b2 A1 B2");
	p = get(&h, &t, 0);
	CHECK_EQ(p->handle, 'a');
	gate(&h, 1, false);
	report(&h, &t, 20 * MS, 0);
	fill(&h, "c2 d2");
	CHECK_EQ(h.last_drop->handle, 'A');
	fill(&h, "x1");
	CHECK_EQ(h.last_drop->handle, 'x');
	comes(&h, "bBcd", 1 * MS);
	nothing(&h, 0);
	gate(&h, 2, false);
	fill(&h, "e2 f1 g2");
	nothing(&h, 3);
	h.q->ops->reset(h.q, 0);
	CHECK_EQ(h.q->parked, 0);
	close_host(&h);
}

/* A flow that is parked is lifted past what the tab competes with, as others are
 * served and boosted: it is the parked newcomer that makes room. Keys in ms below
 * 2I: the tab 26, flow 1 38; after the boost 25, which is its cap, and 19. */
static void chap_capped(void)
{
	struct host h;

	open_host(&h, "chap", FLAT "limit=6", 64);
	fill(&h, "a1");
	comes(&h, "a", 13 * MS);
	fill(&h, "c3");
	comes(&h, "c", 13 * MS);
	gate(&h, 1, false);
	put_to(&h, 2, 1, 0, 'b');
	fill(&h, "d1 x3 y3 z3");
	comes(&h, "xyz", 10 * MS);
	CHECK_EQ(stat(&h, "boosts"), 1);
	CHECK_EQ(credit(&h, 1), 31 * (s64)MS);
	CHECK_EQ(stat(&h, "newcomer_credit"), 37 * MS);
	fill(&h, "e1 f1 g1 h1 i1");
	CHECK_EQ(h.last_drop->handle, 'b');
	close_host(&h);
}

/* More than half of the packets are parked: flow 1 loses them, though 2 has less
 * credit. Of no more than half it keeps them. */
static void chap_half(void)
{
	struct host h;

	open_host(&h, "chap", FLAT "newcomers=0 limit=6", 64);
	fill(&h, "a1 A1 B1 C1 D1 b2");
	gate(&h, 1, false);
	comes(&h, "b", 20 * MS);
	fill(&h, "c2");
	CHECK_EQ(h.drops, 0);
	fill(&h, "d2");
	CHECK_EQ(h.last_drop->handle, 'a');
	fill(&h, "e2");
	CHECK_EQ(h.last_drop->handle, 'A');
	CHECK_EQ(h.q->parked, 3);
	fill(&h, "f2");			/* three of seven */
	CHECK_EQ(h.last_drop->handle, 'c');
	CHECK_EQ(h.q->parked, 3);
	close_host(&h);
}

/* What makes room, or is handed over, of a parked flow says nothing of the packets
 * behind it: they are not looked at, and there may be many. */
static void chap_unseen(void)
{
	struct host h;
	struct at_pkt *third, *rest;

	open_host(&h, "chap", FLAT "newcomers=0 limit=5", 64);
	gate(&h, 1, false);
	fill(&h, "a1 b1 c1 d1");
	third = *at_next(*at_next(&h.pkts[1]));
	CHECK_EQ(third->handle, 'c');
	rest = *at_next(third);
	*at_next(third) = (struct at_pkt *)8;	/* who looks there comes to grief */
	give_back(&h, h.q->ops->drain(h.q));
	*at_next(third) = rest;
	CHECK_EQ(h.q->parked, 3);
	fill(&h, "e1 f1");
	third = rest;
	rest = *at_next(third);
	*at_next(third) = (struct at_pkt *)8;
	fill(&h, "g1");
	*at_next(third) = rest;
	CHECK_EQ(h.last_drop->handle, 'b');
	CHECK_EQ(h.q->parked, 5);
	close_host(&h);
}

/* Two newcomers of station 1, which closes, two of station 2 and one of 3. */
static void open_newcomers(struct host *h)
{
	open_host(h, "chap", FLAT "", 64);
	put_to(h, 11, 1, 0, 'a');
	put_to(h, 12, 1, 0, 'b');
	put_to(h, 21, 2, 0, 'c');
	put_to(h, 22, 2, 0, 'd');
	put_to(h, 31, 3, 0, 'e');
	gate(h, 1, false);
}

/* Newcomers' stations take turns; who is closed keeps its turn. */
static void chap_newcomers(void)
{
	struct host h;

	open_newcomers(&h);
	CHECK_EQ(stat(&h, "backlogged"), 5);
	comes(&h, "ced", 0);
	nothing(&h, 2);
	close_host(&h);

	open_newcomers(&h);
	comes(&h, "c", 0);
	gate(&h, 1, true);
	comes(&h, "aedb", 0);
	nothing(&h, 0);
	gate(&h, 1, false);
	put_to(&h, 13, 1, 0, 'f');
	nothing(&h, 1);			/* all newcomers are parked, and so is the tab */
	put_to(&h, 23, 2, 0, 'g');
	comes(&h, "g", 0);
	nothing(&h, 1);
	gate(&h, 1, true);
	comes(&h, "f", 0);
	nothing(&h, 0);
	close_host(&h);
}

/* A flow that two stations share: it stands for itself while one of them may go. */
static void chap_shared(void)
{
	struct host h;

	for (u32 newcomers = 0; newcomers < 2; newcomers++) {
		open_flat(&h, newcomers ? "" : "newcomers=0", 64);
		put_to(&h, 1, 1, 0, 'a');
		put_to(&h, 1, 2, 0, 'b');
		put_to(&h, 1, 1, 0, 'c');
		put_to(&h, 1, 2, 0, 'd');
		gate(&h, 1, false);
		comes(&h, "bd", 1 * MS);
		nothing(&h, 2);
		put_to(&h, 1, 2, 0, 'e');
		comes(&h, "e", 1 * MS);
		gate(&h, 1, true);
		comes(&h, "ac", 1 * MS);
		nothing(&h, 0);
		close_host(&h);
	}
}

/* CoDel counts the time that a packet was parked, and judges when one may go. */
static void chap_judged(void)
{
	struct host h;

	open_host(&h, "chap", FLAT "target=5000000", 64);
	fill(&h, "a1 b1 c1 d1 e1");
	gate(&h, 1, false);
	h.now = 500 * MS;
	nothing(&h, 5);
	gate(&h, 1, true);
	comes(&h, "a", 1 * MS);		/* above target from now on */
	gate(&h, 1, false);
	h.now = 600 * MS;
	gate(&h, 1, true);
	comes(&h, "c", 1 * MS);		/* b was dropped: an interval above */
	CHECK_EQ(h.q->dropped[AT_R_AQM], 1);
	CHECK_EQ(h.q->parked, 0);
	close_host(&h);
}

/* Of the places of urgent packets half are left to stations that are open. */
static void urgent_places(const char *name)
{
	struct host h;

	open_roomy(&h, name, "", 128);
	gate(&h, 1, false);
	for (u32 i = 0; i < AT_URGENT_PACKETS; i++)
		put_to(&h, 1, 1, AT_URGENT, 'a');
	CHECK_EQ(stat(&h, "urgent_over"), AT_URGENT_PACKETS / 2);
	for (u32 i = 0; i < AT_URGENT_PACKETS; i++)
		put_to(&h, 2, 2, AT_URGENT, i < AT_URGENT_PACKETS / 2 ? 'b' : 'c');
	CHECK_EQ(stat(&h, "urgent_over"), AT_URGENT_PACKETS);
	comes(&h, "bbbbbbbbbbbbbbbb", 0);
	comes(&h, "c", 0);
	gate(&h, 1, true);
	comes(&h, "aaaaaaaaaaaaaaaa", 0);
	CHECK_EQ(stat(&h, "urgent"), AT_URGENT_PACKETS);
	close_host(&h);
}

/* Those that came before their station closed stay, and half of the places are left
 * all the same; but no more than once. */
static void urgent_closed(const char *name)
{
	struct host h;
	u32 half = AT_URGENT_PACKETS / 2;

	open_roomy(&h, name, "", 256);
	for (u32 i = 0; i < AT_URGENT_PACKETS; i++)
		put_to(&h, 1, 1, AT_URGENT, 'a');
	CHECK_EQ(stat(&h, "urgent_over"), 0);
	gate(&h, 1, false);
	h.now = SEC;			/* the air of these is forgotten */
	put_to(&h, 1, 1, AT_URGENT, 'x');
	CHECK_EQ(stat(&h, "urgent_over"), 1);
	for (u32 i = 0; i < half; i++)
		put_to(&h, 2, 2, AT_URGENT, 'b');
	CHECK_EQ(stat(&h, "urgent_over"), 1);
	put_to(&h, 2, 2, AT_URGENT, 'y');
	CHECK_EQ(stat(&h, "urgent_over"), 2);
	comes(&h, "b", 0);
	put_to(&h, 2, 2, AT_URGENT, 'b');
	CHECK_EQ(stat(&h, "urgent_over"), 2);
	gate(&h, 2, false);
	put_to(&h, 3, 3, AT_URGENT, 'z');
	CHECK_EQ(stat(&h, "urgent_over"), 3);
	comes(&h, "z", 0);		/* as an ordinary one */
	CHECK_EQ(stat(&h, "urgent"), 1);
	gate(&h, 2, true);
	comes(&h, "bbbbbbbbbbbbbbbb", 0);
	close_host(&h);
}

int main(void)
{
	CASE(fifo_order());
	CASE(fifo_others());
	CASE(any_number());
	CASE(spq_order());
	CASE(spq_room());
	CASE(fq_codel_order());
	CASE(fq_codel_new());
	CASE(fq_codel_shared());
	CASE(fq_codel_judged());
	CASE(chap_order());
	CASE(chap_boosts());
	CASE(chap_room());
	CASE(chap_capped());
	CASE(chap_half());
	CASE(chap_unseen());
	CASE(chap_newcomers());
	CASE(chap_shared());
	CASE(chap_judged());
	CASE(urgent_places("spq"));
	CASE(urgent_places("fq_codel"));
	CASE(urgent_places("chap"));
	CASE(urgent_places("fred"));
	CASE(urgent_places("cbq"));
	CASE(urgent_places("cbt"));
	CASE(urgent_closed("spq"));
	CASE(urgent_closed("fq_codel"));
	CASE(urgent_closed("chap"));
	CASE(urgent_closed("fred"));
	CASE(urgent_closed("cbq"));
	CASE(urgent_closed("cbt"));
	return 0;
}
