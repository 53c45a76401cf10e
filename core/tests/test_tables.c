/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What hosts are told: why packets were dropped, by every discipline; spq's
 * table; and what at_check() says of lists and choices, which no discipline has
 * enough of to show it.
 */
#include "harness.h"

/* The drops since `before` are all of one reason. */
static void only(struct host *h, const u64 *before, enum at_reason why, u64 n)
{
	for (u32 r = 0; r < AT_R_MAX; r++)
		CHECK_EQ(h->q->dropped[r] - before[r], r == why ? n : 0);
	CHECK_EQ(h->last_why, why);
}

static void put_some(struct host *h, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		struct at_pkt *p = new_pkt(h, i % 5, 1500);

		p->cls = i % 3;
		push(h, p, 0);
	}
}

/* A change and a reset say so, and a reset takes the urgent ones, too. */
static void reasons(const char *name)
{
	u64 before[AT_R_MAX];
	struct host h;
	struct at_pkt *p;
	u32 left;

	open_roomy(&h, name, "limit=40", 64);
	put_some(&h, 40);
	memcpy(before, h.q->dropped, sizeof(before));
	change(&h, "limit=25", 0);
	CHECK(h.drops >= 15 && h.drops <= 18);	/* fq_codel: half a queue at once */
	only(&h, before, AT_R_LIMIT, h.drops);
	p = new_pkt(&h, 9, 100);
	p->cls = AT_URGENT;
	change(&h, "limit=26", 0);
	CHECK_EQ(push(&h, p, 0), AT_OK);
	memcpy(before, h.q->dropped, sizeof(before));
	left = h.q->qlen;
	h.q->ops->reset(h.q, 0);
	CHECK_EQ(h.drops, 41);
	only(&h, before, AT_R_RESET, left);
	CHECK_EQ(h.q->bytes, 0);
	/* and it goes on */
	CHECK_EQ(put(&h, 1, 1500, 0), AT_OK);
	close_host(&h);
}

/* A row for urgent packets (class 255), and one for each class. */
static void spq_rows(void)
{
	static const u8 in[] = { 0, 2, 2, AT_URGENT, 9, 0, 1, 2 };	/* 9 counts as 3 */
	static const struct { u8 class; u64 backlog; } want[] = {
		{ AT_URGENT, 1 }, { 0, 2 }, { 1, 1 }, { 2, 3 }, { 3, 1 },
	};
	struct host h;

	open_host(&h, "spq", "classes=4", 16);
	for (u32 i = 0; i < sizeof(in); i++) {
		struct at_pkt *p = new_pkt(&h, i, 1500);

		p->cls = in[i];
		push(&h, p, 0);
	}
	for (u32 i = 0; i < 5; i++)
		CHECK_EQ(cell(&h, want[i].class, "backlog"), want[i].backlog);
	close_host(&h);
}

static const char *const colours[] = { "red", "green", "blue", NULL };
/* the ranges say nothing: what is wrong is wrong by length and unit */
static const struct at_param listed[] = {
	{ 1, AT_COUNT, 0, 3, "list", "at most three values", "-", 5, 2, 9, NULL },
	{ 2, AT_CHOICE, 0, 1, "colour", "one of three", "-", 0, 0, 100, colours },
	{ 3, AT_BOOL, 0, 1, "flag", "0 or 1", "-", 0, 0, 100, NULL },
	{ 4, AT_COUNT, 0, 0, "plain", "a length of 0 means one value", "-", 0, 0, 100, NULL },
	{ 0 },
};

static const struct at_ops with_lists = { .name = "with lists", .params = listed };

/* Values of `listed`, what is wrong with them and which it is. */
static void values(void)
{
	static const struct { u64 v[4][4]; u8 len[4]; u16 bad; const char *wrong; } want[] = {
		{ { { 2, 9, 5 }, { 2 }, { 1 }, { 7 } }, { 3, 1, 1, 1 }, 0, NULL },
		{ { { 2, 9, 1 }, { 2 }, { 1 }, { 7 } }, { 3, 1, 1, 1 }, 0, "below the minimum" },
		{ { { 2, 10, 5 }, { 2 }, { 1 }, { 7 } }, { 3, 1, 1, 1 }, 0, "above the maximum" },
		{ { { 2, 9, 5, 5 }, { 2 }, { 1 }, { 7 } }, { 4, 1, 1, 1 }, 0, "too many values" },
		{ { { 0 }, { 2 }, { 1 }, { 7 } }, { 0, 1, 1, 1 }, 0, "no value" },
		{ { { 5 }, { 3 }, { 1 }, { 7 } }, { 1, 1, 1, 1 }, 1, "no such choice" },
		{ { { 5 }, { 2, 2 }, { 1 }, { 7 } }, { 1, 2, 1, 1 }, 1, "too many values" },
		{ { { 5 }, { 2 }, { 2 }, { 7 } }, { 1, 1, 1, 1 }, 2, "neither 0 nor 1" },
		{ { { 5 }, { 2 }, { 1 }, { 7, 7 } }, { 1, 1, 1, 2 }, 3, "too many values" },
		{ { { 5 }, { 2 }, { 1 }, { 101 } }, { 1, 1, 1, 1 }, 3, "above the maximum" },
	};

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct at_vals v[4];
		const char *wrong;
		u16 bad = 0;

		for (u32 k = 0; k < 4; k++)
			v[k] = (struct at_vals){ want[i].v[k], want[i].len[k] };
		wrong = at_check(&with_lists, v, &bad);
		CHECK((wrong == NULL) == (want[i].wrong == NULL));
		if (!wrong)
			continue;
		CHECK(!strcmp(wrong, want[i].wrong));
		CHECK_EQ(bad, want[i].bad);
	}
}

int main(void)
{
	for (u32 k = 0; at_disciplines[k]; k++)
		CASE(reasons(at_disciplines[k]->name));
	CASE(spq_rows());
	CASE(values());
	return 0;
}
