/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * wf2q_few.h in step with wf2q.h, which test_wf2q.c holds against the fluid system: the
 * same class goes, and V, starts and ends are the same, after whatever was done.
 */
#include "harness.h"

#include "airtab/wf2q.h"
#include "airtab/wf2q_few.h"

#define MOST AT_FEW_MOST

struct both {
	struct at_few few;
	struct at_wf2q many;
	void *memory[2];
	u64 draws, served;
};

static void open_both(struct both *b, u32 n)
{
	b->memory[0] = calloc(1, at_few_bytes(n));
	b->memory[1] = calloc(1, at_wf2q_bytes(n));
	CHECK(b->memory[0] && b->memory[1]);
	at_few_init(&b->few, b->memory[0], n);
	at_wf2q_init(&b->many, b->memory[1], n);
}

static void close_both(struct both *b)
{
	free(b->memory[0]);
	free(b->memory[1]);
}

static void weigh(struct both *b, u32 i, u32 weight)
{
	u64 whole = 0;

	at_few_weigh(&b->few, i, weight);
	at_wf2q_weigh(&b->many, i, weight);
	for (u32 k = 0; k < b->few.n; k++)
		whole += b->few.at[k].weight;
	at_few_weigh_all(&b->few, whole);
	b->many.whole = whole;
}

static void same(const struct both *b)
{
	CHECK_EQ(b->few.v, b->many.v);
	for (u32 i = 0; i < b->few.n; i++) {
		const struct at_few_class *c = &b->few.at[i];
		const struct at_wf2q_class *k = &b->many.at[i];

		CHECK_EQ(at_few_in(&b->few, i), k->in);
		CHECK_EQ(c->hidden, k->hidden);
		CHECK_EQ(c->end, k->end);
		CHECK_EQ(c->lag, k->lag);
		if (k->in)
			CHECK_EQ(c->start, k->start);
	}
}

/* Sizes that come again, and others. */
static u64 cost(struct both *b)
{
	static const u64 usual[] = { 1500ull << 20, 40ull << 20, 1, AT_FEW_COST_MAX };
	u64 x = below(&b->draws, 40);

	return x < 30 ? usual[x & 1] : x < 32 ? usual[x & 3] : 1 + below(&b->draws, (u64)1 << 36);
}

static void serve(struct both *b, u64 now, bool more, u64 next)
{
	u32 i = at_few_next(&b->few);

	CHECK_EQ(i, at_wf2q_next(&b->many));
	same(b);
	if (i == AT_FEW_NONE)
		return;
	at_few_serve(&b->few, i, now, more, next);
	at_wf2q_serve(&b->many, i, now, more, next);
	b->served++;
}

/* What can be done to a class as it is. */
static void turn(struct both *b, u32 i)
{
	u64 x = below(&b->draws, 3), c = cost(b);

	if (at_few_in(&b->few, i)) {
		if (x == 0) {
			at_few_leave(&b->few, i);
			at_wf2q_leave(&b->many, i);
		} else if (x == 1) {
			at_few_hide(&b->few, i);
			at_wf2q_hide(&b->many, i);
		} else {
			at_few_show(&b->few, i, c);
			at_wf2q_reshow(&b->many, i, c);
		}
	} else if (b->few.at[i].hidden) {
		if (x) {
			at_few_unhide(&b->few, i);
			at_wf2q_unhide(&b->many, i);
		} else {
			at_few_forget(&b->few, i);
			at_wf2q_forget(&b->many, i);
		}
	} else {
		at_few_enter(&b->few, i, c);
		at_wf2q_enter(&b->many, i, c);
	}
}

static void as_many(void)
{
	struct both b = { .draws = 1 };

	for (u32 round = 0; round < 400; round++) {
		u32 n = 1 + (u32)below(&b.draws, round % 4 ? 4 : MOST);

		open_both(&b, n);
		for (u32 i = 0; i < n; i++)
			weigh(&b, i, AT_FEW_WEIGHT_MIN + (u32)below(&b.draws, round % 3 ? 1000 : 1 << 24));
		for (u32 step = 0; step < 3000; step++) {
			u64 x = below(&b.draws, 100);
			u32 i = (u32)below(&b.draws, n);

			if (x < 70)
				serve(&b, cost(&b), below(&b.draws, 12), cost(&b));
			else if (x < 98)
				turn(&b, i);
			else if (x < 99)
				weigh(&b, i, AT_FEW_WEIGHT_MIN + (u32)below(&b.draws, 1 << 20));
			else if (below(&b.draws, 20) == 0) {
				at_few_clear(&b.few);
				at_wf2q_clear(&b.many);
			}
			same(&b);
		}
		close_both(&b);
	}
	CHECK(b.served > 400000);
}

/* V passes half the range while class 0 has nothing: it comes back at V. */
static void wrap(void)
{
	struct both b = { .draws = 1 };
	u64 before = 0;

	open_both(&b, 2);
	weigh(&b, 0, AT_FEW_WEIGHT_MIN);
	weigh(&b, 1, AT_FEW_WEIGHT_MIN);
	at_few_enter(&b.few, 1, AT_FEW_COST_MAX);
	at_wf2q_enter(&b.many, 1, AT_FEW_COST_MAX);
	while (!(b.few.v >> 63)) {
		CHECK(b.few.v >= before);
		before = b.few.v;
		serve(&b, AT_FEW_COST_MAX, true, AT_FEW_COST_MAX);
	}
	for (u32 i = 0; i < 10; i++)
		serve(&b, AT_FEW_COST_MAX, true, AT_FEW_COST_MAX);
	at_few_enter(&b.few, 0, 1);
	at_wf2q_enter(&b.many, 0, 1);
	CHECK_EQ(b.few.at[0].start, b.few.v);
	serve(&b, 1, false, 0);
	CHECK(!at_few_in(&b.few, 0));
	same(&b);
	close_both(&b);
}

int main(void)
{
	CASE(as_many());
	CASE(wrap());
	return 0;
}
