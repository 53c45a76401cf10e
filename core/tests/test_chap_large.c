/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap with a large table: what takes long goes in steps or not at all. A change
 * of the increment is in force at once and visits the records in steps, with
 * packets and reports between them, and so do drops down to a new limit and the
 * newcomers when their tab ends; the table is read in bounded looks; a reset
 * forgets 100,000 flows without a visit.
 */
#include "harness.h"

#define FLOWS 100000u
#define STEPS 7u		/* 100,000 records, 16,384 a call */

static u64 key_of(u32 flow)
{
	return flow * 2654435761u;
}

/* Every flow has sent one packet, of 1 to 60 ms: credits from I down to -35 ms. */
static void fill(struct host *h)
{
	struct at_ticket t;

	open_host(h, "chap", FLAT "flows=200000 newcomers=0 limit=64", 80);
	for (u32 i = 0; i < FLOWS; i++) {
		put(h, (u32)key_of(i), 1500, 0);
		CHECK(get(h, &t, 0));
		report(h, &t, (1 + i % 60) * MS, 0);
	}
	CHECK_EQ(stat(h, "flows"), FLOWS);
}

struct credits {
	s64 of[FLOWS];
	u32 n;
};

/* All credits, by one run through the table. */
static void all(struct host *h, struct credits *c)
{
	static u32 flow_of[1u << 18];
	u64 cols[MAX_COLS];
	u32 cursor = 0;

	memset(flow_of, 0xff, sizeof(flow_of));
	for (u32 i = 0; i < FLOWS; i++) {
		u32 at = (u32)key_of(i) >> 14;

		while (flow_of[at] != ~0u)
			at = (at + 1) % (1u << 18);
		flow_of[at] = i;
	}
	c->n = 0;
	while (next_row(h, &cursor, cols)) {
		u32 at = (u32)cols[0] >> 14;

		if (cols[0] >> 32)
			continue;
		while (flow_of[at] != ~0u && (u32)key_of(flow_of[at]) != cols[0])
			at = (at + 1) % (1u << 18);
		CHECK(flow_of[at] != ~0u);
		c->of[flow_of[at]] = (s64)cols[1];
		c->n++;
	}
	CHECK_EQ(c->n, FLOWS);
}

static bool step(struct host *h, const char *args)
{
	set_values(h, h->q->ops, args);
	return h->q->ops->change(h->q, h->vals, h->now);
}

/* The value of a credit after I became `to`: what it was, within 2I and -10I. */
static s64 kept(s64 credit, s64 to)
{
	if (credit > 2 * to)
		credit = 2 * to;
	return credit < -10 * to ? -10 * to : credit;
}

/* In force after the first call, visited or not, and the last changes nothing. */
static void in_force(s64 to, const char *args)
{
	static struct credits before, now;
	struct host h;
	u32 calls = 1;

	fill(&h);
	all(&h, &before);
	CHECK(step(&h, args));
	for (bool more = true; more; calls++) {
		all(&h, &now);
		for (u32 i = 0; i < FLOWS; i++)
			CHECK_EQ(now.of[i], kept(before.of[i], to));
		more = step(&h, args);
	}
	CHECK_EQ(calls, STEPS);
	CHECK(!step(&h, args));
	close_host(&h);
}

/* Packets, boosts and reports between the steps. The last flow, which has -15 ms,
 * is visited last, flow 40 with its -16 ms early. */
static void under_traffic(void)
{
	static struct credits before, now;
	const char *args = "increment=10000000";
	struct at_ticket t;
	struct host h;

	fill(&h);
	all(&h, &before);
	CHECK(step(&h, args));
	put(&h, (u32)key_of(40), 1500, 0);
	put(&h, (u32)key_of(FLOWS - 1), 1500, 0);
	CHECK(step(&h, args));
	CHECK_EQ(get(&h, &t, 0)->flow, (u32)key_of(FLOWS - 1));
	report(&h, &t, 3 * MS, 0);
	CHECK_EQ(stat(&h, "boosts"), 1);
	while (step(&h, args))
		;
	all(&h, &now);
	for (u32 i = 0; i < FLOWS; i++) {
		s64 credit = kept(before.of[i], 10 * MS) / 2 + 10 * (s64)MS;

		if (i == FLOWS - 1)
			credit -= 3 * MS;
		CHECK_EQ(now.of[i], credit);
	}
	close_host(&h);
}

/* A second change before the first one is through. */
static void two_at_once(void)
{
	static struct credits before, now;
	struct host h;
	u32 calls = 1;

	fill(&h);
	all(&h, &before);
	CHECK(step(&h, "increment=20000000"));
	while (step(&h, "increment=30000000"))
		calls++;
	CHECK(calls >= STEPS && calls <= 2 * STEPS);
	all(&h, &now);
	for (u32 i = 0; i < FLOWS; i++)
		CHECK_EQ(now.of[i], kept(before.of[i], 20 * MS));
	close_host(&h);
}

#define BACKLOG 10000u
#define QUEUES "flows=200000 limit=20000 memory=1000000000 "

static void arrive(struct host *h, u32 i)
{
	struct at_pkt *p = new_pkt(h, (u32)key_of(i), 1500);

	p->handle = i;
	push(h, p, 0);
}

/* Of flow i of these: from 24 to -35 ms. */
static s64 credit_of(u32 i)
{
	return 25 * (s64)MS - (1 + i % 60) * (s64)MS;
}

/* 10,000 known flows with a packet each, but for every 97th. */
static void queue_up(struct host *h)
{
	struct at_ticket t;

	open_flat(h, QUEUES "newcomers=0", BACKLOG + 2);
	for (u32 i = 0; i < BACKLOG; i++) {
		arrive(h, i);
		CHECK(get(h, &t, 0));
		report(h, &t, (1 + i % 60) * MS, 0);
	}
	for (u32 i = 0; i < BACKLOG; i++)
		if (i % 97)
			arrive(h, i);
}

/* Who is backlogged keeps the place in the order through a change of the increment,
 * and those who come later find theirs between: by credit, which has bounds, and
 * then by age, where no bound made two credits equal. */
static void order_is_kept(s64 to, const char *args, bool by_age)
{
	struct host h;
	struct at_ticket t;
	s64 last = 25 * MS;
	u32 older = 0;

	queue_up(&h);
	change(&h, args, 0);
	for (u32 i = 0; i < BACKLOG; i += 97)
		arrive(&h, i);
	for (u32 n = 0; n < BACKLOG; n++) {
		u32 i = get(&h, &t, 0)->handle;
		s64 now = kept(credit_of(i), to);

		CHECK(now <= last);
		CHECK(!by_age || now < last || i > older);
		last = now;
		older = i;
	}
	CHECK_EQ(h.q->qlen, 0);
	close_host(&h);
}

/* A lower limit drops some 2,000 packets a call; between two, packets come and go, and an arrival drops some
 * 4,000. */
static void limit_in_steps(void)
{
	const char *args = "limit=1000";
	struct host h;
	struct at_ticket t;
	u32 before;

	queue_up(&h);
	CHECK(step(&h, args));
	CHECK(h.drops > 1000 && h.drops < 3000);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	CHECK_EQ(get(&h, &t, 0)->handle, 60);		/* the oldest that has 24 ms */
	before = h.drops;
	CHECK_EQ(put(&h, (u32)key_of(0), 1500, 0), AT_OK);
	CHECK(h.drops > before + 1000 && h.drops < before + 5000);
	CHECK(h.q->qlen > 1000);
	before = h.drops;
	while (step(&h, args)) {
		CHECK(h.drops < before + 3000);
		before = h.drops;
	}
	CHECK_EQ(h.q->qlen, 1000);
	close_host(&h);
}

/* Newcomers get places of their own when their tab ends, some thousand a call. */
static void tab_in_steps(void)
{
	u64 left = BACKLOG, waiting = BACKLOG;
	struct host h;
	struct at_ticket t;
	u32 calls = 1;

	open_flat(&h, QUEUES, BACKLOG);
	for (u32 i = 0; i < BACKLOG; i++)
		arrive(&h, i);
	for (; step(&h, "newcomers=0"); calls++, left--) {
		CHECK_EQ(stat(&h, "backlogged"), left);
		CHECK(waiting - stat(&h, "newcomer_backlog") > 1000);
		waiting = stat(&h, "newcomer_backlog");
		CHECK(waiting > 0);
		CHECK(get(&h, &t, 0));
	}
	CHECK(calls > 2 && calls < 10);
	CHECK_EQ(stat(&h, "newcomer_backlog"), 0);
	CHECK_EQ(stat(&h, "newcomer_parties"), 0);
	for (; left; left--)
		CHECK(get(&h, &t, 0));
	CHECK_EQ(h.q->qlen, 0);
	close_host(&h);
}

/* Few rows far apart: no call looks at more than AT_ROWS records. */
static void looks_are_bounded(void)
{
	u64 cols[MAX_COLS];
	struct host h;
	u32 cursor = 0, next, calls = 0, rows = 0, number = 0;
	bool found;

	fill(&h);
	/* all but the flows that come now are past their timeout */
	h.now = 3600 * SEC;
	put(&h, (u32)key_of(5), 1500, h.now);
	put(&h, (u32)key_of(FLOWS - 5), 1500, h.now);
	while ((next = h.q->ops->row(h.q, cursor, cols, h.now, &found))) {
		CHECK(next > cursor && next - cursor <= AT_ROWS);
		calls++;
		rows += found;
		if (found)
			number = next;
		cursor = next;
	}
	CHECK_EQ(rows, 2);
	CHECK(calls > FLOWS / AT_ROWS && calls < FLOWS / AT_ROWS + 6);
	/* a row is found again by its number */
	CHECK_EQ(h.q->ops->row(h.q, number - 1, cols, h.now, &found), number);
	CHECK(found);
	CHECK(!h.q->ops->row(h.q, ~0u, cols, h.now, &found) && !found);
	close_host(&h);
}

/* Nothing is known after a reset, also in the midst of a change, and flows begin
 * with I in records that others had. */
static void forgets(void)
{
	static struct credits now;
	struct at_ticket t;
	struct host h;
	u64 cols[MAX_COLS];
	u32 cursor = 0;

	fill(&h);
	put(&h, (u32)key_of(9), 1500, 0);
	CHECK(step(&h, "increment=20000000"));
	h.q->ops->reset(h.q, 0);
	CHECK_EQ(h.q->qlen, 0);
	CHECK_EQ(stat(&h, "flows"), 0);
	CHECK(!next_row(&h, &cursor, cols));
	CHECK(!step(&h, "increment=20000000"));
	for (u32 i = 0; i < FLOWS; i++) {
		put(&h, (u32)key_of(i), 1500, 0);
		CHECK_EQ(get(&h, &t, 0)->flow, (u32)key_of(i));
		report(&h, &t, MS, 0);
	}
	all(&h, &now);
	for (u32 i = 0; i < FLOWS; i++)
		CHECK_EQ(now.of[i], 19 * (s64)MS);
	close_host(&h);
}

/* A reset with known flows and newcomers queued: all are dropped, and the queue is
 * as new. */
static void forgets_backlog(void)
{
	struct host h;
	struct at_ticket t;

	queue_up(&h);
	change(&h, "newcomers=1", 0);
	arrive(&h, BACKLOG);
	arrive(&h, BACKLOG + 1);
	CHECK_EQ(stat(&h, "newcomer_parties"), 1);
	h.q->ops->reset(h.q, 0);
	CHECK_EQ(h.q->qlen, 0);
	CHECK_EQ(h.q->bytes, 0);
	CHECK_EQ(h.last_why, AT_R_RESET);
	CHECK(!get(&h, &t, 0));
	CHECK_EQ(stat(&h, "backlogged"), 0);
	CHECK_EQ(stat(&h, "newcomer_backlog"), 0);
	CHECK_EQ(stat(&h, "newcomer_parties"), 0);
	for (u32 round = 0; round < 2; round++) {
		for (u32 i = 0; i < BACKLOG; i++)
			arrive(&h, i);
		CHECK_EQ(stat(&h, "backlogged"), BACKLOG);
		for (u32 i = 0; i < BACKLOG; i++)
			CHECK_EQ(get(&h, &t, 0)->handle, i);
	}
	CHECK_EQ(h.q->qlen, 0);
	close_host(&h);
}

int main(void)
{
	CASE(in_force(2 * MS, "increment=2000000"));
	CASE(in_force(100 * MS, "increment=100000000"));
	CASE(under_traffic());
	CASE(two_at_once());
	CASE(looks_are_bounded());
	CASE(forgets());
	CASE(forgets_backlog());
	CASE(order_is_kept(100 * MS, "increment=100000000", true));
	CASE(order_is_kept(2 * MS, "increment=2000000", false));
	CASE(limit_in_steps());
	CASE(tab_in_steps());
	return 0;
}
