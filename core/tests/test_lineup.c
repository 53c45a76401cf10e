/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * lineup.h against a linear scan: the least of two lineups that share their places, after each of
 * many random additions and removals, with keys that rise, keys at random, equal ones, and a range
 * that is passed; and what is in the list and what in the heap.
 */
#include "airtab/lineup.h"
#include "harness.h"

#define IDS 100u

struct pair {
	struct at_lineup l[2];
	struct at_lineup_place at[IDS + 2];
	struct at_heap_entry e[2][IDS];
	u32 pos[IDS];
	u8 in[IDS];		/* 1 + which of the two; 0: none */
	u64 key[IDS];
};

static void open_pair(struct pair *s)
{
	memset(s, 0, sizeof(*s));
	for (u32 i = 0; i < IDS; i++)
		s->at[i].before = AT_LINEUP_APART;
	for (u32 k = 0; k < 2; k++)
		at_lineup_init(&s->l[k], s->at, IDS + k, s->e[k], s->pos);
}

static void add(struct pair *s, u32 k, u32 id, u64 key)
{
	s->in[id] = (u8)(1 + k);
	s->key[id] = key;
	at_lineup_add(&s->l[k], id, key);
}

static void del(struct pair *s, u32 id)
{
	at_lineup_del(&s->l[s->in[id] - 1], id);
	s->in[id] = 0;
}

static u32 least(const struct pair *s, u32 k)
{
	u32 best = IDS + k;

	for (u32 i = 0; i < IDS; i++)
		if (s->in[i] == 1 + k && (best == IDS + k || (s64)(s->key[i] - s->key[best]) < 0))
			best = i;
	return best;
}

/* Keys around `base`: so many different ones, or as many steps on as there were. */
static void at_random(u64 base, u64 different, bool rising, u64 seed)
{
	struct pair s;

	open_pair(&s);
	for (u32 n = 0; n < 20000; n++) {
		u32 id = (u32)below(&seed, IDS), k = (u32)below(&seed, 2);

		if (s.in[id])
			del(&s, id);
		else
			add(&s, k, id, base + below(&seed, different) + (rising ? 1000 * (u64)n : 0));
		for (k = 0; k < 2; k++)
			CHECK_EQ(at_lineup_first(&s.l[k]), least(&s, k));
	}
}

static void test_order(void)
{
	for (u64 seed = 1; seed <= 10; seed++) {
		at_random(0, 1000, true, seed);
		at_random(0, 1u << 30, false, seed);
		at_random(0, 3, false, seed);
		at_random(0 - (u64)5000000, 20000, true, seed);
	}
}

/* Who would have to go farther than so many steps is in the heap, and nobody else. */
static void test_steps(void)
{
	struct pair s;

	open_pair(&s);
	for (u32 i = 0; i < 50; i++)
		add(&s, 0, i, 10 * i);
	CHECK_EQ(s.l[0].apart.n, 0);
	add(&s, 0, 50, 10 * (50 - AT_LINEUP_STEPS) - 5);
	CHECK_EQ(s.l[0].apart.n, 0);
	add(&s, 0, 51, 0);
	CHECK_EQ(s.l[0].apart.n, 1);
	CHECK_EQ(at_lineup_first(&s.l[0]), 0);
	del(&s, 0);
	CHECK_EQ(at_lineup_first(&s.l[0]), 51);
	del(&s, 51);
	CHECK_EQ(s.l[0].apart.n, 0);
	CHECK_EQ(at_lineup_first(&s.l[0]), 1);
}

int main(void)
{
	CASE(test_order());
	CASE(test_steps());
	return 0;
}
