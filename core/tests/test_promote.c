/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Light flows in a better access category. No flow has packets in two categories. Promoted packets use a tenth of
 * the air. A station in debt has none. A flow is released when it is no longer light. Marked packets, lost reports,
 * no reports.
 */
#include "airtab/promote.h"
#include "harness.h"

#define STATIONS 4u
#define FLOWS 13u
#define BELOW 24u		/* packets that the host holds */
#define VOICE "promote=2 "

/* A host that holds packets below the discipline, in a FIFO for each category. */
struct sent {
	struct at_ticket t;
	u32 flow, seq, bytes;
	u64 due;		/* when it is reported, ns */
};

struct air {
	struct host h;
	u64 now, seed;
	struct sent below[2][64], late[64];
	u32 n[2], n_late;
	u32 left, done[FLOWS];	/* last packet: left, and sent by flow */
	u32 in[2][FLOWS];	/* packets of a flow in each category */
	u64 promoted;		/* airtime */
	u64 level, levelled;	/* promoted airtime above a tenth of the time, ns, and when it was computed */
};

static void open_air(struct air *a, const char *args, u64 seed)
{
	char all[200];

	memset(a, 0, sizeof(*a));
	a->seed = seed;
	snprintf(all, sizeof(all), SHARED "%s", args);
	open_host(&a->h, "chap", all, 3000);
	a->h.q->ops->categories(a->h.q, true);
}

/* Airtime that was promoted is at most a tenth of any time, and what the bucket and a packet hold. */
static void promoted(struct air *a, u64 ns, u64 packet)
{
	u64 drained = (a->now - a->levelled) / AT_PROMOTE_SHARE;

	a->level = (drained < a->level ? a->level - drained : 0) + ns;
	a->levelled = a->now;
	a->promoted += ns;
	CHECK(a->level <= AT_PROMOTE_BURST + packet);
}

static void arrive(struct air *a, u32 flow, u16 sta, u32 bytes)
{
	struct at_pkt *p = new_pkt(&a->h, flow, bytes);

	if (!p)
		return;
	p->sta = sta;
	push(&a->h, p, a->now);
}

static void report_late(struct air *a, bool all)
{
	for (u32 i = 0; i < a->n_late;) {
		if (!all && a->late[i].due > a->now) {
			i++;
			continue;
		}
		report(&a->h, &a->late[i].t, a->late[i].bytes * 200ull, a->now);
		a->late[i] = a->late[--a->n_late];
	}
}

/* A packet goes from the discipline to its category. */
static bool take(struct air *a)
{
	struct sent s = { 0 };
	struct at_pkt *p = get(&a->h, &s.t, a->now);
	u32 c;

	if (!p)
		return false;
	c = s.t.up != 0;
	CHECK(!c || s.t.up == AT_UP_VOICE);
	s.flow = p->flow;
	s.bytes = p->bytes;
	s.seq = ++a->left;
	CHECK_EQ(a->in[!c][s.flow], 0);		/* not in two */
	a->in[c][s.flow]++;
	a->below[c][a->n[c]++] = s;
	return true;
}

/* A packet of a category is sent. */
static void transmit(struct air *a, u32 c)
{
	struct sent s = a->below[c][0];

	memmove(a->below[c], a->below[c] + 1, --a->n[c] * sizeof(s));
	CHECK(s.seq > a->done[s.flow]);		/* in the order in which the flow's packets left */
	a->done[s.flow] = s.seq;
	a->now += s.bytes * 200ull;
	if (c)
		promoted(a, s.bytes * 200ull, BELOW * 300000);
	/* the receiver has it: with its report, or before */
	s.due = a->now + below(&a->seed, 3 * MS);
	a->late[a->n_late++] = s;
	a->in[c][s.flow]--;
}

/* Video calls that ask for more than a tenth, and flows that send at most 12 packets at once, alternating for a second or two with much and with little. */
static void random_arrivals(struct air *a, u64 *next, u64 *until, bool *much)
{
	for (u32 f = 1; f < FLOWS; f++) {
		if (a->now < next[f])
			continue;
		if (f <= 6) {
			arrive(a, f, (u16)(f % STATIONS), 400);
			next[f] = a->now + 4 * MS;
			continue;
		}
		if (a->now >= until[f]) {
			much[f] = !much[f];
			until[f] = a->now + SEC + below(&a->seed, 2 * SEC);
		}
		for (u32 n = much[f] ? 12 : 1; n; n--)
			arrive(a, f, (u16)(f % STATIONS), f % 2 ? 1200 : 300);
		next[f] = a->now + (much[f] ? 20 : 30) * MS;
	}
}

/* The host sends of the two categories in any order, of one for some time, and reports up to 3 ms later. */
static void never_in_two(u64 seed)
{
	u64 next[FLOWS] = { 0 }, until[FLOWS] = { 0 };
	bool much[FLOWS] = { 0 };
	struct air a;
	u32 first = 0;

	open_air(&a, VOICE, seed);
	for (u32 i = 0; i < 200000; i++) {
		random_arrivals(&a, next, until, much);
		report_late(&a, false);
		while (a.n[0] + a.n[1] + a.n_late < BELOW && take(&a))
			;
		if (a.n[0] + a.n[1]) {
			first ^= !below(&a.seed, 20);
			transmit(&a, a.n[first] ? first : !first);
		} else {
			a.now += MS / 10;
		}
	}
	CHECK(stat(&a.h, "promoted") > 1000 && stat(&a.h, "promote_waits") > 10);
	close_host(&a.h);
}

/* One packet is sent and reported at once. */
static struct at_ticket serve(struct air *a, u64 ns)
{
	struct at_ticket t = { 0 };
	struct at_pkt *p = get(&a->h, &t, a->now);

	a->now += ns;
	if (!p)
		return t;
	report(&a->h, &t, ns, a->now);
	if (t.up)
		promoted(a, ns, ns);
	return t;
}

/* 40 stations with a light flow each ask for half of the air; their packets take half or 8 times what the last one took. */
static void a_tenth_in_all(bool changing)
{
	struct air a;
	u64 ns = 500000;

	open_air(&a, VOICE, 1);
	for (u32 i = 0; i < 60000; i++) {
		u64 took = changing && i % 4 == 3 ? 8 * ns : ns;

		arrive(&a, 1 + i % 40, (u16)(i % 40), 400);
		serve(&a, took);
		a.now += ns;
	}
	CHECK(a.promoted > a.now / AT_PROMOTE_SHARE * 9 / 10);
	close_host(&a.h);
}

/* A call with a download of its own station; two more stations download. Promoted packets of the last second. */
static u32 call(struct air *a, const char *args, u64 seconds, u8 dscp)
{
	u64 next = 0;
	u32 n = 0;

	open_air(a, args, 1);
	for (u32 f = 2; f <= 4; f++)
		for (u32 i = 0; i < 4; i++)
			arrive(a, f, (u16)(f - 1), 1500);
	while (a->now < seconds * SEC) {
		struct at_ticket t;
		struct at_pkt *p;
		u32 flow;

		if (a->now >= next) {
			p = new_pkt(&a->h, 1, 1200);
			p->sta = 1;
			p->flags = AT_F_IP;
			p->key.dscp = dscp;
			push(&a->h, p, a->now);
			next += 20 * MS;
		}
		p = get(&a->h, &t, a->now);
		CHECK(p);
		flow = p->flow;
		CHECK(!t.up || flow == 1);
		n += t.up && a->now >= (seconds - 1) * SEC;
		a->now += 300000;
		report(&a->h, &t, 300000, a->now);
		if (flow > 1)
			arrive(a, flow, (u16)(flow - 1), 1500);
	}
	return n;
}

static void calls(const char *args, u8 dscp, u32 least, u32 most)
{
	struct air a;
	u32 n = call(&a, args, 5, dscp);

	CHECK(n >= least && n <= most);
	close_host(&a.h);
}

/* A call that becomes a download is released once it has used 2 I - 4/3 I, which the bucket would allow. */
static void released(void)
{
	struct air a;
	u32 up = 0, n = call(&a, VOICE "increment=5000000", 5, 0);

	CHECK(n >= 48);
	for (u32 i = 0; i < 8; i++)
		arrive(&a, 1, 1, 1200);
	for (u32 i = 0; i < 2000; i++) {
		struct at_ticket t = { 0 };
		u32 flow = get(&a.h, &t, a.now)->flow;

		a.now += 300000;
		report(&a.h, &t, 300000, a.now);
		up += t.up != 0;
		arrive(&a, flow, flow > 1 ? (u16)(flow - 1) : 1, 1500);
	}
	CHECK(up > 0 && up <= 3333333 / 300000 + 2);
	close_host(&a.h);
}

static void tick(struct air *a, u64 ns, u32 bytes)
{
	arrive(a, 1, 1, bytes);
	serve(a, 300000);
	a->now += ns;
}

/* Uplink of the only station takes its credit below -debt, and boosts bring it back. */
static void hear_much(struct air *a)
{
	struct at_heard e = { .flow = 50, .sta = 1, .air = 100 * MS };

	for (u32 i = 0; i < 3; i++)
		a->h.q->ops->heard(a->h.q, &e, a->now);
}

static void not_in_debt(void)
{
	struct at_ticket t;
	struct air a;

	open_air(&a, VOICE, 1);
	for (u32 i = 0; i < 200; i++)
		tick(&a, 20 * MS, 200);
	arrive(&a, 1, 1, 200);
	t = serve(&a, 300000);
	CHECK_EQ(t.up, AT_UP_VOICE);
	hear_much(&a);
	arrive(&a, 1, 1, 200);
	t = serve(&a, 300000);
	CHECK(t.gen && t.up == AT_UP_NONE);
	for (u32 i = 0; i < 45; i++) {
		arrive(&a, 1, 1, 200);
		t = serve(&a, 300000);
		CHECK(t.gen && t.up == AT_UP_NONE);
		a.now += 20 * MS;
	}
	for (u32 i = 0; i < 10; i++)
		tick(&a, 20 * MS, 200);
	arrive(&a, 1, 1, 200);
	t = serve(&a, 300000);
	CHECK_EQ(t.up, AT_UP_VOICE);
	close_host(&a.h);
}

/* The only flow is promoted and has two packets below, of tickets t[0] and t[1]. The report of one of them empties the
 * bucket, and the third packet, of t[2], waits. */
static void must_wait(struct air *a, struct at_ticket t[3], u32 reported)
{
	open_air(a, VOICE, 1);
	for (u32 i = 0; i < 200; i++)
		tick(a, 20 * MS, 200);
	for (u32 i = 0; i < 2; i++) {
		arrive(a, 1, 1, 200);
		CHECK(get(&a->h, &t[i], a->now));
		CHECK_EQ(t[i].up, AT_UP_VOICE);
	}
	report(&a->h, &t[reported], 100 * MS, a->now);
	arrive(a, 1, 1, 200);
	CHECK(!get(&a->h, &t[2], a->now));
}

/* The flow waits until both are reported or a second is over. */
static void waits_alone(bool reported)
{
	struct at_ticket t[3];
	struct air a;

	must_wait(&a, t, 0);
	CHECK_EQ(a.h.q->qlen, 1);
	CHECK(!get(&a.h, &t[2], a.now + MS));
	CHECK_EQ(a.h.q->ops->wake(a.h.q, a.now), a.now + SEC);
	if (reported) {
		report(&a.h, &t[1], 300000, a.now + MS);
		CHECK_EQ(a.h.q->ops->wake(a.h.q, a.now), AT_NEVER);
	} else {
		CHECK(!get(&a.h, &t[2], a.now + SEC - 1));
		a.now += SEC;
	}
	CHECK(get(&a.h, &t[2], a.now + MS));
	CHECK_EQ(a.h.q->ops->wake(a.h.q, a.now), AT_NEVER);
	CHECK_EQ(t[2].up, AT_UP_NONE);
	CHECK_EQ(stat(&a.h, "promote_waits"), 1);
	if (!reported) {
		/* in best effort for a second; a report of the time before is not one of the packet that is below */
		report(&a.h, &t[1], 300000, a.now + 2 * MS);
		a.now += SEC - 10 * MS;
		arrive(&a, 1, 1, 200);
		CHECK(get(&a.h, &t[1], a.now));
		a.now += 20 * MS;
		arrive(&a, 1, 1, 200);
		CHECK(!get(&a.h, &t[0], a.now));
		report(&a.h, &t[1], 300000, a.now);
		CHECK(!get(&a.h, &t[0], a.now));
		report(&a.h, &t[2], 300000, a.now);
		CHECK(get(&a.h, &t[0], a.now));
		CHECK_EQ(t[0].up, AT_UP_VOICE);
	}
	close_host(&a.h);
}

/* A promoted flow whose last packet is reported waits 50 ms for the report of another one. */
static void waits_for_another(void)
{
	struct at_ticket t[3];
	struct air a;

	must_wait(&a, t, 1);
	CHECK_EQ(a.h.q->ops->wake(a.h.q, a.now), a.now + 50 * MS);
	CHECK(!get(&a.h, &t[2], a.now + 50 * MS - 1));
	CHECK(get(&a.h, &t[2], a.now + 50 * MS));
	CHECK_EQ(t[2].up, AT_UP_NONE);
	close_host(&a.h);
}

/* A packet each 20 ms for so long, reported `late` after it left, the one with that number never. When the first one left
 * that was promoted, ns. */
static u64 first_promoted(struct air *a, u64 seconds, u64 late, u32 lost)
{
	struct { struct at_ticket t; u64 due; } below[8];
	u64 next = 0, first = AT_NEVER;
	u32 n = 0, sent = 0;

	open_air(a, VOICE, 1);
	for (; a->now < seconds * SEC; a->now += MS) {
		if (a->now >= next) {
			arrive(a, 1, 1, 200);
			next += 20 * MS;
		}
		while (n && below[0].due <= a->now) {
			report(&a->h, &below[0].t, 300000, a->now);
			memmove(below, below + 1, --n * sizeof(below[0]));
		}
		while (n < 8 && get(&a->h, &below[n].t, a->now)) {
			if (below[n].t.up && first == AT_NEVER)
				first = a->now;
			below[n].due = a->now + late;
			n += sent++ != lost;
		}
	}
	return first;
}

/* Packets are below for longer than the flow pauses: it waits for them once. */
static void never_idle(void)
{
	struct air a;

	/* followed from the first packet after a report, at 60 ms; that of 1,040 ms is reported at 1,085 */
	CHECK_EQ(first_promoted(&a, 3, 45 * MS, ~(u32)0), 1085 * MS);
	CHECK_EQ(stat(&a.h, "promote_waits"), 1);
	CHECK_EQ(a.h.q->qlen, 0);
	close_host(&a.h);
}

/* The report of one packet of the first second is lost: the others show it. */
static void one_lost(void)
{
	struct air a;

	CHECK_EQ(first_promoted(&a, 3, MS, 20), 1070 * MS);	/* 20, a second, and 50 */
	CHECK_EQ(stat(&a.h, "promote_waits"), 1);
	close_host(&a.h);
}

/* Packets are below for longer than it waits: after 50 ms it goes on, and it waits again after 1, 2, 4, 8, 16 and 32 s. */
static void in_vain(void)
{
	struct air a;

	CHECK_EQ(first_promoted(&a, 110, 75 * MS, ~(u32)0), AT_NEVER);
	CHECK_EQ(stat(&a.h, "promote_waits"), 8);	/* at 1, 2, 4, 8, 16, 32, 64 and 96 s */
	close_host(&a.h);
}

/* Promoted packets in 2 s of a flow that has one each `every` ns, which takes so long and is estimated by that size. */
static u32 steady(u64 every, u32 bytes, u64 ns)
{
	struct air a;
	u32 n = 0;

	open_air(&a, VOICE, 1);
	while (a.now < 6 * SEC) {
		struct at_ticket t;

		arrive(&a, 1, 1, bytes);
		CHECK(get(&a.h, &t, a.now));
		report(&a.h, &t, ns, a.now);
		n += t.up && a.now >= 4 * SEC;
		a.now += every;
	}
	close_host(&a.h);
	return n;
}

/* 312 packets/s of a flow, of any airtime within the tenth of all. */
static void a_flows_part(void)
{
	CHECK_EQ(steady(20 * MS, 1500, 600000), 100);
	CHECK_EQ(steady(20 * MS, 1500, 1200000), 100);
	CHECK_EQ(steady(4 * MS, 60, 100000), 500);
	CHECK_EQ(steady(2 * MS, 60, 20000), 0);
}

/* n packets of a flow leave at that time: how many of them as voice. */
static u32 burst(struct at_promote *k, u32 n, u64 now)
{
	static u32 serial;
	u32 up = 0;

	for (; n; n--) {
		serial++;
		CHECK(at_promote_turn(k, 1, 1, serial, true, now));
		up += at_promote_left(k, 1, 1, serial, 10000, false, now) == AT_UP_VOICE;
		at_promote_sent(k, 1, 1, serial, 0, now);
	}
	return up;
}

/* The bucket of a flow holds 40 packets, and the flow owes at most 160. It returns after a second in best effort, once
 * half of the bucket is there. */
static void a_flows_burst(void)
{
	const u64 packet = 3200000;
	struct at_promote k = { .up = AT_UP_VOICE };

	CHECK(at_promote_turn(&k, 1, 1, 1, true, 0));
	CHECK_EQ(burst(&k, 500, SEC), 40);
	CHECK_EQ(burst(&k, 1, SEC + 600 * MS), 0);	/* the bucket is full: it owed 512 ms */
	CHECK_EQ(burst(&k, 30, 2 * SEC - 1), 0);
	CHECK_EQ(burst(&k, 1, 2 * SEC + 9 * packet), 0);	/* 21 are missing */
	CHECK_EQ(burst(&k, 1, 2 * SEC + 12 * packet), 1);	/* 19 */
}

/* All flows are charged airtime beyond the estimate. */
static void settled(void)
{
	struct at_promote k = { .up = AT_UP_VOICE };
	u64 now = SEC;

	CHECK(at_promote_turn(&k, 1, 1, 1, true, 0));
	for (u32 serial = 1; serial <= 2; serial++) {
		CHECK(at_promote_turn(&k, 1, 1, serial, true, now));
		CHECK_EQ(at_promote_left(&k, 1, 1, serial, 100000, false, now), serial == 1 ? AT_UP_VOICE : AT_UP_NONE);
		at_promote_sent(&k, 1, 1, serial, 9950000, now);
	}
}

/* A flow of which nothing is reported, while another one is: it stays in best effort, though it pauses for more than a second. */
static void never_reported(void)
{
	struct at_ticket t;
	struct air a;

	open_air(&a, VOICE, 1);
	for (u32 i = 0; i < 100; i++)
		tick(&a, 20 * MS, 200);
	for (u32 i = 0; i < 40; i++) {
		arrive(&a, 2, 2, 200);
		CHECK(get(&a.h, &t, a.now));
		CHECK_EQ(t.up, AT_UP_NONE);
		a.now += 1200 * MS;
	}
	close_host(&a.h);
}

/* Off and on again under traffic: the flow is not known. */
static void off_and_on(void)
{
	struct at_ticket t[2];
	struct air a;

	open_air(&a, VOICE, 1);
	for (u32 i = 0; i < 200; i++)
		tick(&a, 20 * MS, 200);
	a.h.q->ops->categories(a.h.q, false);
	arrive(&a, 1, 1, 200);
	CHECK(get(&a.h, &t[0], a.now));
	CHECK_EQ(t[0].up, AT_UP_NONE);
	a.h.q->ops->categories(a.h.q, true);
	arrive(&a, 1, 1, 200);
	CHECK(get(&a.h, &t[1], a.now + MS));
	CHECK_EQ(t[1].up, AT_UP_NONE);
	close_host(&a.h);
}

/* Two promoted flows, of which n - 1 packets and one are below, have to be released: both wait. */
static void both_wait(struct air *a, struct at_ticket *t, u32 n)
{
	struct at_ticket late;

	open_air(a, VOICE, 1);
	for (u32 i = 0; i < 200; i++) {
		tick(a, 10 * MS, 200);
		arrive(a, 2, 2, 200);
		serve(a, 300000);
		a->now += 10 * MS;
	}
	for (u32 i = 0; i < n; i++) {
		u32 flow = i < n - 1 ? 1 : 2;

		arrive(a, flow, (u16)flow, 200);
		CHECK(get(&a->h, &t[i], a->now));
		CHECK_EQ(t[i].up, AT_UP_VOICE);
	}
	report(&a->h, &t[0], 100 * MS, a->now);
	arrive(a, 1, 1, 200);
	arrive(a, 2, 2, 200);
	CHECK(!get(&a->h, &late, a->now));
}

/* Two flows wait: the report of one lets that one go, and tick() at wake() the other. */
static void two_wait(void)
{
	struct at_ticket t[3], late;
	struct air a;

	both_wait(&a, t, 3);
	report(&a.h, &t[1], 300000, a.now);
	CHECK(get(&a.h, &late, a.now));
	CHECK(!get(&a.h, &late, a.now + MS));
	CHECK_EQ(a.h.q->ops->wake(a.h.q, a.now), a.now + SEC);
	a.now += SEC;
	a.h.q->ops->tick(a.h.q, a.now);
	CHECK_EQ(a.h.q->ops->wake(a.h.q, a.now), AT_NEVER);
	CHECK(get(&a.h, &late, a.now));
	CHECK_EQ(a.h.q->qlen, 0);
	close_host(&a.h);
}

/* Two flows wait for a second. The last report of one ends its wait after 50 ms, and the end of the other's stays. */
static void last_report(void)
{
	struct at_ticket t[4], late;
	struct air a;

	both_wait(&a, t, 4);
	CHECK_EQ(a.h.q->ops->wake(a.h.q, a.now), a.now + SEC);
	report(&a.h, &t[2], 300000, a.now);
	CHECK_EQ(a.h.q->ops->wake(a.h.q, a.now), a.now + 50 * MS);
	CHECK(!get(&a.h, &late, a.now + 50 * MS - 1));
	CHECK(get(&a.h, &late, a.now + 50 * MS));
	CHECK(!get(&a.h, &late, a.now + 50 * MS));
	CHECK_EQ(a.h.q->ops->wake(a.h.q, a.now), a.now + SEC);
	CHECK(get(&a.h, &late, a.now + SEC));
	close_host(&a.h);
}

/* Off: a flow that waits goes on. */
static void ends_with_a_change(void)
{
	struct at_ticket t[3];
	struct air a;

	must_wait(&a, t, 0);
	change(&a.h, "promote=0", a.now);
	CHECK(get(&a.h, &t[2], a.now));
	CHECK_EQ(t[2].up, AT_UP_NONE);
	close_host(&a.h);
}

/* A line that reports nothing: no flow waits, and none is promoted. */
static void unreported(void)
{
	struct at_ticket t;
	struct air a;

	open_air(&a, VOICE, 1);
	for (u32 i = 0; i < 500; i++) {
		arrive(&a, 1, 1, 200);
		CHECK(get(&a.h, &t, a.now));
		CHECK_EQ(t.up, AT_UP_NONE);
		a.now += 20 * MS;
	}
	CHECK_EQ(stat(&a.h, "promote_waits"), 0);
	close_host(&a.h);
}

int main(void)
{
	for (u64 seed = 1; seed <= 4; seed++)
		CASE(never_in_two(seed));
	CASE(unreported());
	CASE(a_tenth_in_all(false));
	CASE(a_tenth_in_all(true));
	CASE(calls("", 0, 48, 51));
	CASE(calls("promote=0", 0, 0, 0));
	CASE(calls("promote=1", 0, 48, 51));
	CASE(calls("promote=2", 0, 48, 51));
	CASE(calls("promote=2", 46, 0, 0));
	CASE(calls("promote=2", 10, 0, 0));
	CASE(calls("promote=2 share=2", 0, 0, 0));
	CASE(released());
	CASE(not_in_debt());
	CASE(waits_alone(true));
	CASE(waits_alone(false));
	CASE(waits_for_another());
	CASE(never_idle());
	CASE(one_lost());
	CASE(in_vain());
	CASE(a_flows_part());
	CASE(a_flows_burst());
	CASE(settled());
	CASE(never_reported());
	CASE(off_and_on());
	CASE(two_wait());
	CASE(last_report());
	CASE(ends_with_a_change());
	printf("test_promote: never in two categories, a tenth of the air, released\n");
	return 0;
}
