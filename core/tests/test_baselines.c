/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * fifo and spq rule by rule, and the parameter checks that all share.
 */
#include "harness.h"

static struct at_pkt *of_class(struct host *h, u32 flow, u8 class)
{
	struct at_pkt *p = new_pkt(h, flow, 1500);

	p->cls = class;
	return p;
}

static void fifo(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "fifo", "limit=3", 16);
	for (u32 f = 1; f <= 3; f++)
		CHECK_EQ(put(&h, f, 1500, 0), AT_OK);
	CHECK_EQ(put(&h, 4, 1500, 0), AT_DROPPED);
	CHECK(h.last_drop->flow == 4 && h.last_why == AT_R_LIMIT);
	CHECK_EQ(get(&h, &t, 0)->flow, 1);
	CHECK_EQ(t.gen, 0);
	change(&h, "limit=100 bytes=4000", 0);
	CHECK_EQ(put(&h, 5, 1000, 0), AT_OK);
	CHECK_EQ(put(&h, 6, 1, 0), AT_DROPPED);
	CHECK_EQ(h.last_why, AT_R_MEMORY);
	change(&h, "bytes=2500", 0);
	CHECK(h.last_drop->flow == 2 && h.last_why == AT_R_MEMORY);
	CHECK_EQ(get(&h, &t, 0)->flow, 3);
	CHECK_EQ(get(&h, &t, 0)->flow, 5);
	CHECK(!get(&h, &t, 0));
	close_host(&h);
}

static void spq_order(void)
{
	static const u8 in[] = { 2, 1, 0, 7, AT_URGENT, 0, 1 };
	static const u8 out[] = { AT_URGENT, 0, 0, 1, 1, 2, 7 };
	struct host h;
	struct at_ticket t;

	open_host(&h, "spq", "classes=3", 16);
	for (u32 i = 0; i < 7; i++)
		push(&h, of_class(&h, i, in[i]), 0);
	for (u32 i = 0; i < 7; i++)
		CHECK_EQ(get(&h, &t, 0)->cls, out[i]);
	for (u32 i = 0; i < 7; i++)
		push(&h, of_class(&h, i, in[i]), 0);
	for (u32 i = 0; i < 7; i++) {
		struct at_pkt *p = h.q->ops->drain(h.q);

		CHECK_EQ(p->flow, i);
		give_back(&h, p);
	}
	close_host(&h);
}

/* The youngest packet of the last class makes room, the arriving one included. */
static void spq_overflow(void)
{
	struct host h;

	open_host(&h, "spq", "classes=2 limit=4", 16);
	for (u32 f = 1; f <= 4; f++)
		push(&h, of_class(&h, f, 1), 0);
	CHECK_EQ(push(&h, of_class(&h, 5, 1), 0), AT_DROPPED);
	CHECK(h.last_drop->flow == 5 && h.last_why == AT_R_LIMIT);
	CHECK_EQ(push(&h, of_class(&h, 6, 0), 0), AT_OK);
	CHECK(h.last_drop->flow == 4 && h.last_why == AT_R_PUSHOUT);
	CHECK_EQ(push(&h, of_class(&h, 3, 0), 0), AT_CN);
	CHECK_EQ(h.last_drop->flow, 3);
	CHECK_EQ(push(&h, of_class(&h, 7, AT_URGENT), 0), AT_OK);
	CHECK_EQ(push(&h, of_class(&h, 7, AT_URGENT), 0), AT_OK);
	/* urgent, urgent, 0, 0 */
	CHECK_EQ(push(&h, of_class(&h, 8, 1), 0), AT_DROPPED);
	CHECK_EQ(push(&h, of_class(&h, 8, 0), 0), AT_DROPPED);
	CHECK_EQ(push(&h, of_class(&h, 7, AT_URGENT), 0), AT_OK);
	CHECK_EQ(push(&h, of_class(&h, 7, AT_URGENT), 0), AT_OK);
	CHECK_EQ(push(&h, of_class(&h, 7, AT_URGENT), 0), AT_DROPPED);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	change(&h, "limit=2", 0);
	CHECK_EQ(h.q->qlen, 2);
	close_host(&h);
}

/* Ids, defaults and names of every table are sound, and the checks say no. */
static void tables(void)
{
	for (u32 k = 0; at_disciplines[k]; k++) {
		const struct at_ops *ops = at_disciplines[k];
		struct host h;
		u16 bad;

		for (u32 i = 0; ops->params[i].name; i++) {
			const struct at_param *p = &ops->params[i];

			CHECK(p->help && p->source && p->min <= p->def && p->def <= p->max);
			CHECK((p->unit == AT_CHOICE) == (p->choices != NULL));
			for (u32 j = 0; j < i; j++)
				CHECK(ops->params[j].id != p->id && strcmp(ops->params[j].name, p->name));
		}
		for (u32 i = 0; ops->stats[i].name; i++)
			CHECK(ops->stats[i].help && ops->read && i < MAX_COLS);
		for (u32 i = 0; ops->row_stats[i].name; i++)
			CHECK(ops->row_stats[i].help && ops->row && i < MAX_COLS);
		open_host(&h, ops->name, "", 1);
		for (u32 i = 0; ops->params[i].name; i++) {
			u64 def = h.value[i][0];

			if (ops->params[i].max != AT_NEVER) {
				h.value[i][0] = ops->params[i].max + 1;
				CHECK(at_check(ops, h.vals, &bad) && bad == i);
			}
			if (ops->params[i].min) {
				h.value[i][0] = ops->params[i].min - 1;
				CHECK(at_check(ops, h.vals, &bad) && bad == i);
			}
			h.value[i][0] = def;
			h.vals[i].len = 0;
			CHECK(at_check(ops, h.vals, &bad) && bad == i);
			h.vals[i].len = (u8)((ops->params[i].max_len ? ops->params[i].max_len : 1) + 1);
			CHECK(at_check(ops, h.vals, &bad) && bad == i);
			h.vals[i].len = 1;
		}
		CHECK(!at_check(ops, h.vals, &bad));
		close_host(&h);
	}
}

int main(void)
{
	CASE(fifo());
	CASE(spq_order());
	CASE(spq_overflow());
	CASE(tables());
	return 0;
}
