/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * order.h against a linear scan: both ends after each of many random additions,
 * removals, boosts and changes of all keys; and what a cycle of a busy queue
 * costs, in comparisons: next to none when all pay the same or one of two
 * prices, a few for each level of the heap when prices are drawn at random.
 */
#include "airtab/order.h"
#include "harness.h"

#define IDS 300

struct set {
	struct at_order o;
	struct at_heap_entry e[IDS];
	u32 pos[IDS], next[IDS];
	s64 key[IDS];		/* of now */
	bool in[IDS];
	u32 boosts, comparisons;
};

static struct at_heap_entry entry(const void *ctx, u32 id)
{
	const struct set *s = ctx;

	return (struct at_heap_entry){ s->key[id], s->boosts, id };
}

/* Ties: the lower id is the greater one. */
static bool less(const void *ctx, const struct at_heap_entry *a, const struct at_heap_entry *b)
{
	struct set *s = (struct set *)ctx;
	s64 x = a->key >> (s->boosts - a->tag), y = b->key >> (s->boosts - b->tag);

	s->comparisons++;
	return x != y ? x < y : a->id > b->id;
}

static u32 end(struct set *s, bool greatest)
{
	const struct at_heap_entry *x = at_order_end(&s->o, greatest, less, s);

	return x ? x->id : AT_ORDER_NONE;
}

static void add(struct set *s, u32 id, s64 key)
{
	s->key[id] = key;
	s->in[id] = true;
	at_order_add(&s->o, entry(s, id), less, s);
}

static void del(struct set *s, u32 id)
{
	s->in[id] = false;
	at_order_del(&s->o, id, entry, less, s);
}

/* `exact`: ties count. A boost without a rebuild may leave them as they were. */
static void check_ends(struct set *s, bool exact)
{
	u32 min = AT_ORDER_NONE, max = AT_ORDER_NONE, n = 0, low = end(s, false), high = end(s, true);

	for (u32 i = 0; i < IDS; i++) {
		CHECK_EQ(at_order_has(&s->o, i), s->in[i]);
		if (!s->in[i])
			continue;
		n++;
		if (min == AT_ORDER_NONE || s->key[i] <= s->key[min])
			min = i;
		if (max == AT_ORDER_NONE || s->key[i] > s->key[max])
			max = i;
	}
	CHECK_EQ(s->o.n, n);
	if (exact || !n) {
		CHECK_EQ(low, min);
		CHECK_EQ(high, max);
	} else {
		CHECK_EQ(s->key[low], s->key[min]);
		CHECK_EQ(s->key[high], s->key[max]);
	}
}

static void start(struct set *s)
{
	memset(s, 0, sizeof(*s));
	at_order_init(&s->o, s->e, s->pos, s->next);
}

/* Keys in -keys .. -1; now and then all are halved, or drawn anew. */
static void at_random(u64 seed, u32 ids, u64 keys)
{
	struct set s;
	bool exact = true;

	start(&s);
	for (u32 step = 0; step < 20000; step++) {
		u32 id = (u32)below(&seed, ids);

		switch (below(&seed, 8)) {
		case 0:
		case 1:
		case 2:
			if (!s.in[id])
				add(&s, id, -1 - (s64)below(&seed, keys));
			break;
		case 3:
			del(&s, id);
			break;
		case 4:		/* an end leaves */
			id = end(&s, step & 1);
			if (id != AT_ORDER_NONE)
				del(&s, id);
			break;
		case 5:
		case 6:		/* the greatest pays */
			id = end(&s, true);
			if (id != AT_ORDER_NONE) {
				del(&s, id);
				add(&s, id, s.key[id] - (s64)below(&seed, keys / 2));
			}
			break;
		case 7:
			if (below(&seed, 40))
				break;
			if (below(&seed, 2)) {
				s.boosts++;
				for (u32 i = 0; i < IDS; i++)
					s.key[i] >>= 1;
				exact = false;
				break;
			}
			for (u32 i = 0; i < IDS; i++)
				s.key[i] = -1 - (s64)below(&seed, keys);
			at_order_rebuild(&s.o, entry, less, &s);
			exact = true;
			break;
		}
		check_ends(&s, exact);
	}
	CHECK(s.boosts > 5);
}

/* Halved keys, then a rebuild: ties by rounding are in their order again. */
static void rounding(u64 seed)
{
	struct set s;

	start(&s);
	for (u32 i = 0; i < IDS; i++)
		add(&s, i, -1 - (s64)below(&seed, 1000));
	for (u32 round = 0; round < 4; round++) {
		s.boosts++;
		for (u32 i = 0; i < IDS; i++)
			s.key[i] >>= 1;
		at_order_rebuild(&s.o, entry, less, &s);
		for (u32 i = 0; i < IDS / 2; i++) {
			u32 id = end(&s, i & 1);

			check_ends(&s, true);
			del(&s, id);
		}
		for (u32 i = 0; i < IDS; i++)
			if (!s.in[i])
				add(&s, i, s.key[i]);
	}
}

/* A busy queue: the greatest leaves, pays what `price` says and comes back. The
 * most comparisons of one such cycle, and the most members that the heap held. */
static u32 busy(u64 (*price)(u64 *seed), u32 *in_heap)
{
	struct set s;
	u64 seed = 1;
	u32 most = 0;

	start(&s);
	for (u32 i = 0; i < IDS; i++)
		add(&s, i, 0);
	*in_heap = 0;
	for (u32 step = 0; step < 50 * IDS; step++) {
		u32 id = end(&s, true);

		s.comparisons = 0;
		del(&s, id);
		add(&s, id, s.key[id] - (s64)price(&seed));
		end(&s, true);
		if (s.comparisons > most)
			most = s.comparisons;
		if (s.o.heap.n > *in_heap)
			*in_heap = s.o.heap.n;
		check_ends(&s, true);
	}
	return most;
}

static u64 one_price(u64 *seed)
{
	(void)seed;
	return 282;
}

static u64 two_prices(u64 *seed)
{
	return below(seed, 5) ? 282 : 1089;
}

static u64 any_price(u64 *seed)
{
	return 100 + below(seed, 900);
}

static void cost(void)
{
	u32 in_heap;

	CHECK_EQ(busy(one_price, &in_heap), 1);
	CHECK_EQ(in_heap, 0);
	CHECK_EQ(busy(two_prices, &in_heap), 3);
	CHECK_EQ(in_heap, 0);
	/* 4 at the runs, 1 or 2 at the ends; 8 levels: down once, up twice */
	CHECK(busy(any_price, &in_heap) <= 6 + 3 * 8);
	CHECK(in_heap > IDS / 2);
}

int main(void)
{
	for (u64 seed = 1; seed <= 5; seed++) {
		CASE(at_random(seed, 5, 4));
		CASE(at_random(seed, 40, 1000000));
		CASE(at_random(seed, IDS, 20));
		CASE(rounding(seed));
	}
	CASE(cost());
	return 0;
}
