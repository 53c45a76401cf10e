/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Closed stations, for all disciplines that are registered, under random operations:
 * nothing of a closed station comes out, the others' packets come in the order that
 * they would have without it, and who opens again before anybody looked missed
 * nothing.
 */
#include "harness.h"

#define STATIONS 6u
#define PACKETS 2048u

/* The same calls on two instances. */
struct pair {
	struct host a, b;
	u64 seed, now;
	u32 serial;
};

/* Nothing is to be dropped because of what is parked, which counts as queued. */
static void open_pair(struct pair *r, const struct at_ops *ops, const char *args, u64 seed)
{
	memset(r, 0, sizeof(*r));
	open_roomy(&r->a, ops->name, args, PACKETS);
	open_roomy(&r->b, ops->name, args, PACKETS);
	r->seed = seed;
}

static void close_pair(struct pair *r)
{
	close_host(&r->a);
	close_host(&r->b);
}

static void arrives(struct host *h, u32 flow, u32 bytes, u32 serial, u64 now)
{
	struct at_pkt *p = new_pkt(h, flow, bytes);

	p->sta = (u16)(flow % STATIONS);
	p->source = flow;
	p->cls = flow % 3 ? 0 : 1;
	p->handle = serial;
	CHECK_EQ(push(h, p, now), AT_OK);
}

/* Both give the same packet, or none; it takes as long for both. */
static void same_packet(struct pair *r, u32 closed)
{
	struct at_ticket ta, tb;
	struct at_pkt *a = get(&r->a, &ta, r->now), *b = get(&r->b, &tb, r->now);
	u64 ns = 100000 + below(&r->seed, 900000);

	CHECK_EQ(!a, !b);
	if (!a)
		return;
	CHECK_EQ(a->handle, b->handle);
	CHECK(!(closed >> a->sta & 1));
	report(&r->a, &ta, ns, r->now);
	report(&r->b, &tb, ns, r->now);
}

/* Closed from the beginning: the others' packets come as they would without these. */
static void as_if_absent(const struct at_ops *ops, const char *args, u64 seed)
{
	struct pair r;
	u32 closed, n = 0;

	open_pair(&r, ops, args, seed);
	closed = (u32)below(&r.seed, 1 << STATIONS);
	for (u16 sta = 0; sta < STATIONS; sta++)
		if (closed >> sta & 1)
			gate(&r.a, sta, false);
	for (u32 step = 0; step < 1500; step++) {
		u32 flow = (u32)below(&r.seed, 24), bytes = 64 + (u32)below(&r.seed, 1400);

		r.now += below(&r.seed, 300000);
		if (below(&r.seed, 2)) {
			arrives(&r.a, flow, bytes, ++r.serial, r.now);
			if (closed >> flow % STATIONS & 1)
				n++;
			else
				arrives(&r.b, flow, bytes, r.serial, r.now);
		} else {
			same_packet(&r, closed);
		}
		CHECK_EQ(r.a.q->parked, n);
		CHECK_EQ(r.a.q->qlen, n + r.b.q->qlen);
	}
	close_pair(&r);
}

static void open_all(struct host *h)
{
	for (u16 sta = 0; sta < STATIONS; sta++)
		gate(h, sta, true);
}

/* Who was closed and is open again when somebody looks was not away. */
static void as_if_open(const struct at_ops *ops, const char *args, u64 seed)
{
	struct pair r;

	open_pair(&r, ops, args, seed);
	for (u32 step = 0; step < 1500; step++) {
		u32 flow = (u32)below(&r.seed, 24), bytes = 64 + (u32)below(&r.seed, 1400);

		r.now += below(&r.seed, 300000);
		if (below(&r.seed, 3))
			gate(&r.a, (u16)below(&r.seed, STATIONS), below(&r.seed, 2));
		if (below(&r.seed, 2)) {
			arrives(&r.a, flow, bytes, ++r.serial, r.now);
			arrives(&r.b, flow, bytes, r.serial, r.now);
			continue;
		}
		open_all(&r.a);
		same_packet(&r, 0);
	}
	open_all(&r.a);
	while (r.b.q->qlen)
		same_packet(&r, 0);
	CHECK_EQ(r.a.q->qlen, 0);
	close_pair(&r);
}

int main(void)
{
	for (u32 i = 0; at_disciplines[i]; i++)
		for (u64 seed = 1; seed <= 40; seed++) {
			CASE(as_if_absent(at_disciplines[i], "", seed));
			CASE(as_if_open(at_disciplines[i], "", seed));
		}
	for (u64 seed = 1; seed <= 40; seed++) {
		CASE(as_if_absent(find_ops("chap"), SHARED, seed));
		CASE(as_if_open(find_ops("chap"), SHARED, seed));
	}
	return 0;
}
