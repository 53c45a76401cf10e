/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The worked examples of the CHAP dissertation (4.1 and 4.2: equal costs; 5.3
 * and 5.4: flow 1 has a bad link) as traces, and a judge of the logs: order of
 * service and every credit to the nanosecond. Faithful profile, I = 10 ms, one
 * packet a slot; batches of 2, 3 and 5 packets of flows 1, 2, 3, the next when
 * the queue is empty.
 */
#include <stdio.h>
#include <string.h>

#include "generate.h"

#define MS 1000000ull
#define BATCHES 3u
#define SLOTS (BATCHES * 10u)

struct example {
	const char *order;		/* flow served in each slot */
	u64 cost[3];			/* ns */
	struct {
		u32 slot;		/* from 1 */
		double credit[3];	/* ms, after it */
	} check[16];			/* rest: slot 0, none */
};

/* The first ten slots are the printed tables; then their continuation by hand. */
static const struct example examples[] = {
	{ "1231232333" "1212323333" "1212233333", { 5 * MS, 5 * MS, 5 * MS }, {
		{ 1, { 5, 10, 10 } }, { 2, { 5, 5, 10 } }, { 3, { 5, 5, 5 } },
		{ 4, { 0, 5, 5 } }, { 5, { 0, 0, 5 } }, { 6, { 0, 0, 0 } },
		{ 7, { 10, 5, 10 } }, { 8, { 10, 5, 5 } }, { 9, { 10, 5, 0 } },
		{ 10, { 15, 12.5, 5 } }, { 17, { 12.5, 8.75, 5 } },
		{ 19, { 16.25, 14.375, 5 } }, { 20, { 16.25, 14.375, 0 } },
		{ 26, { 13.125, 9.6875, 5 } }, { 28, { 16.5625, 14.84375, 5 } },
		{ 30, { 18.28125, 17.421875, 5 } } } },
	{ "1232323133" "2221331333" "2221313333", { 15 * MS, 3 * MS, 5 * MS }, {
		{ 1, { -5, 10, 10 } }, { 2, { -5, 7, 10 } }, { 3, { -5, 7, 5 } },
		{ 4, { -5, 4, 5 } }, { 5, { -5, 4, 0 } }, { 6, { -5, 1, 0 } },
		{ 7, { 7.5, 10.5, 5 } }, { 8, { -7.5, 10.5, 5 } }, { 9, { -7.5, 10.5, 0 } },
		{ 10, { 6.25, 15.25, 5 } }, { 16, { 5.625, 13.125, 5 } },
		{ 19, { 5.3125, 16.5625, 5 } }, { 25, { 5.15625, 13.78125, 5 } },
		{ 28, { 5.078125, 16.890625, 5 } }, { 30, { 12.5390625, 18.4453125, 5 } } } },
};

static const struct example *example(u32 number)
{
	return number >= 1 && number <= sizeof(examples) / sizeof(*examples) ? &examples[number - 1]
									      : NULL;
}

static void put(FILE *to, struct trace_op op)
{
	fwrite(&op, sizeof(op), 1, to);
}

/* A value of chap: the defaults but for these. */
static u64 value(const struct at_param *p)
{
	if (!strcmp(p->name, "profile"))
		return 1;
	if (!strcmp(p->name, "increment"))
		return 10 * MS;
	return !strcmp(p->name, "limit") ? 64 : p->def;
}

bool vector_trace(FILE *to, u32 number)
{
	const struct example *e = example(number);
	u32 chap = 0;

	if (!e)
		return false;
	while (strcmp(at_disciplines[chap]->name, "chap"))
		chap++;
	for (u32 i = 0; at_disciplines[chap]->params[i].name; i++)
		put(to, (struct trace_op){ .kind = OP_VALUE, .flow = i, .sta = 1,
					   .arg = value(&at_disciplines[chap]->params[i]) });
	put(to, (struct trace_op){ .kind = OP_OPEN, .flow = chap });
	for (u32 slot = 0; slot < SLOTS; slot++) {
		static const u32 batch[] = { 1, 1, 2, 2, 2, 3, 3, 3, 3, 3 };

		for (u32 i = 0; slot % 10 == 0 && i < 10; i++)
			put(to, (struct trace_op){ .kind = OP_ENQUEUE, .flow = batch[i],
						   .bytes = 1500 });
		put(to, (struct trace_op){ .kind = OP_DEQUEUE });
		put(to, (struct trace_op){ .kind = OP_SENT,
					   .arg = e->cost[e->order[slot] - '1'] });
		put(to, (struct trace_op){ .kind = OP_READ });
		put(to, (struct trace_op){ .kind = OP_TICK, .step = MS });
	}
	return true;
}

/* The flow of packet number `id`, counted over all batches. */
static char flow_of(u32 id)
{
	return "1122233333"[(id - 1) % 10];
}

static u32 bad_credits(const struct example *e, u32 slot, const s64 *credit)
{
	u32 bad = 0;

	for (u32 i = 0; i < sizeof(e->check) / sizeof(*e->check); i++) {
		for (u32 f = 0; f < 3 && e->check[i].slot == slot; f++) {
			if (credit[f] == (s64)(e->check[i].credit[f] * (double)MS))
				continue;
			printf("slot %u: credit of flow %u is %lld ns, should be %.0f\n", slot, f + 1,
			       (long long)credit[f], e->check[i].credit[f] * (double)MS);
			bad++;
		}
	}
	return bad;
}

bool vector_judge(FILE *log, u32 number)
{
	const struct example *e = example(number);
	u32 slot = 0, bad = 0, checked = 0;
	s64 credit[3] = { 0 };
	struct trace_out out;
	u64 flow = 0;
	bool fresh = false;

	if (!e)
		return false;
	for (;;) {
		bool more = fread(&out, sizeof(out), 1, log) == 1;

		if (slot && fresh && (!more || out.kind == OUT_GIVEN)) {
			bad += bad_credits(e, slot, credit);
			checked++;
			fresh = false;
		}
		if (!more)
			break;
		if (out.kind == OUT_GIVEN) {
			if (slot < SLOTS && (!out.id || flow_of(out.id) != e->order[slot])) {
				printf("slot %u: packet %u, should be of flow %c\n", slot + 1, out.id,
				       e->order[slot]);
				bad++;
			}
			slot++;
		} else if (out.kind == OUT_ROW && out.b == 0) {
			flow = out.value;
		} else if (out.kind == OUT_ROW && out.b == 1 && flow >= 1 && flow <= 3) {
			credit[flow - 1] = (s64)out.value;
			fresh = true;
		}
	}
	printf("%u slots in order, credits of %u slots read\n", slot, checked);
	return !bad && slot == SLOTS && checked == SLOTS;
}
