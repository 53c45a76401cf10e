/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Random traces, the same for the same arguments. Set 0 of a discipline has its
 * defaults; the others have random values and change them under way, at times to
 * values that are refused.
 *
 * The load comes in turns: more arrivals than departures, fewer, and now and
 * then a pause of seconds in which flows are forgotten. Most packets are of a
 * few flows; one in eight is of a flow that was never seen. Reports of
 * transmissions are prompt, late, repeated, invented or missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

#define STATE_MOST (4u << 20)		/* larger tables are not tried */
#define MAX_BYTES 65535u
#define SHORTEST 76u			/* all headers of a packet */

static u64 rnd(u64 *state)
{
	u64 z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static u64 below(u64 *state, u64 n)
{
	return rnd(state) % n;
}

struct generator {
	FILE *to;
	u64 random;
	const struct at_ops *ops;
	u64 value[REPLAY_PARAMS][REPLAY_LIST];
	struct at_vals vals[REPLAY_PARAMS];
	bool fixed[REPLAY_PARAMS];	/* given by the user */
	bool changes;
	u32 acked[64];			/* acknowledged last, by a part of the flow */
};

static void emit(struct generator *g, struct trace_op op)
{
	if (fwrite(&op, sizeof(op), 1, g->to) != 1) {
		perror("replay: writing");
		exit(1);
	}
}

static void emit_values(struct generator *g)
{
	for (u32 i = 0; g->ops->params[i].name; i++)
		for (u32 k = 0; k < g->vals[i].len || !k; k++)
			emit(g, (struct trace_op){ .kind = OP_VALUE, .flow = i, .bytes = k,
						   .sta = g->vals[i].len, .arg = g->value[i][k] });
}

/* Near an end of the range, the default, or anything; small ranges come often. */
static u64 pick(struct generator *g, const struct at_param *p)
{
	static const u64 rules[] = { AT_RULE_DEFAULT, 0x11, 0x620, 0x1f4000501131, 0x2e40, 0x20050 };
	u64 v, range = p->max - p->min, step = below(&g->random, 64);

	if (p->unit == AT_RULE)
		return rules[step % (sizeof(rules) / sizeof(*rules))];
	switch (below(&g->random, 6)) {
	case 0:
		v = p->max - (step <= range ? step : 0);
		break;
	case 1:
		v = p->min + step;
		break;
	case 2:
		v = p->def;
		break;
	case 3:
		v = p->min + (range == AT_NEVER ? rnd(&g->random) : below(&g->random, range + 1));
		break;
	default:
		v = p->def / 16 + (p->def ? below(&g->random, p->def) : step);
		break;
	}
	return v < p->min ? p->min : v > p->max ? p->max : v;
}

/* Values of a list: any number, or one for each class where there are classes. */
static u8 pick_len(struct generator *g, const struct at_param *p)
{
	if (p->max_len <= 1)
		return 1;
	if (!strcmp(g->ops->params[0].name, "classes") && below(&g->random, 4))
		return (u8)g->value[0][0];
	return (u8)(1 + below(&g->random, p->max_len));
}

static void pick_values(struct generator *g, u8 keep)
{
	for (u32 i = 0; g->ops->params[i].name; i++) {
		const struct at_param *p = &g->ops->params[i];

		if ((p->flags & keep) || g->fixed[i] || below(&g->random, 2))
			continue;
		g->vals[i].len = pick_len(g, p);
		for (u32 k = 0; k < g->vals[i].len; k++)
			g->value[i][k] = pick(g, p);
	}
}

static bool good(const struct generator *g)
{
	u16 bad;

	return !at_check(g->ops, g->vals, &bad) && g->ops->state_size(g->vals) <= STATE_MOST;
}

/* What is wrong gets its default, as far as that helps: of many values that go together by
 * chance never all would. */
static void mend(struct generator *g)
{
	u16 bad, before = 0xffff;

	while (at_check(g->ops, g->vals, &bad) && bad != before && !g->fixed[bad]) {
		g->value[bad][0] = g->ops->params[bad].def;
		g->vals[bad].len = 1;
		before = bad;
	}
}

/* "name=number": that value, always. */
static void fix(struct generator *g, const char *given)
{
	size_t len = strcspn(given, "=");
	u32 i = 0;

	while (g->ops->params[i].name && (strlen(g->ops->params[i].name) != len ||
					  strncmp(g->ops->params[i].name, given, len)))
		i++;
	if (!g->ops->params[i].name || !given[len]) {
		fprintf(stderr, "replay: %s has no parameter '%s' (NAME=NUMBER)\n", g->ops->name,
			given);
		exit(2);
	}
	g->value[i][0] = strtoull(given + len + 1, NULL, 0);
	g->fixed[i] = true;
}

static void start(struct generator *g, u32 number, char **given)
{
	u64 seed;

	for (u32 i = 0; g->ops->params[i].name; i++)
		g->vals[i] = (struct at_vals){ g->value[i], 1 };
	while (*given)
		fix(g, *given++);
	do {
		for (u32 i = 0; g->ops->params[i].name; i++)
			if (!g->fixed[i])
				g->value[i][0] = g->ops->params[i].def;
		if (g->changes) {
			pick_values(g, 0);
			mend(g);
		}
	} while (!good(g));
	emit_values(g);
	seed = rnd(&g->random);
	emit(g, (struct trace_op){ .kind = OP_OPEN, .flow = number, .arg = seed });
}

static void change(struct generator *g)
{
	static u64 value[REPLAY_PARAMS][REPLAY_LIST];
	struct at_vals vals[REPLAY_PARAMS];

	memcpy(value, g->value, sizeof(value));
	memcpy(vals, g->vals, sizeof(vals));
	pick_values(g, AT_P_INIT);
	emit_values(g);
	emit(g, (struct trace_op){ .kind = OP_CHANGE });
	if (good(g))
		return;
	memcpy(g->value, value, sizeof(value));
	memcpy(g->vals, vals, sizeof(vals));
	emit_values(g);
	emit(g, (struct trace_op){ .kind = OP_CHANGE });
}

static u32 flow(struct generator *g)
{
	u64 one_of = below(&g->random, 8);

	if (!one_of)
		return (u32)rnd(&g->random);
	return (u32)below(&g->random, one_of < 4 ? 4 : 24) * 0x9e3779b1u;
}

static u32 bytes(struct generator *g)
{
	switch (below(&g->random, 8)) {
	case 0:
		return SHORTEST + (u32)below(&g->random, MAX_BYTES + 1 - SHORTEST);
	case 1:
	case 2:
		return 100;
	case 3:
		return SHORTEST + (u32)below(&g->random, 1501 - SHORTEST);
	default:
		return 1500;
	}
}

/* Most of TCP acknowledges a little more than the one before it, half of that without data. */
static void acknowledge(struct generator *g, struct trace_op *op)
{
	u32 *acked = &g->acked[op->flow / 8 % 64], headers = (op->flags & PKT_V6 ? 60 : 40) + (op->flags & PKT_OPTIONS ? 8 : 0);
	u64 how = below(&g->random, 16);

	if (how < 13)
		*acked += (u32)below(&g->random, how < 3 ? 1 : how < 10 ? 6000 : 30000);
	if (how < 14)
		op->arg = (u64)*acked << 32 | (u32)op->arg;
	if (how & 1 && !(op->flags & PKT_FRAGMENT))
		op->bytes = headers;
}

static void arrival(struct generator *g, u64 step)
{
	struct trace_op op = { .kind = OP_ENQUEUE, .step = step, .flow = flow(g), .bytes = bytes(g) };
	static const u8 classes[] = { 0, 1, 2, 2, 2, 2, 2, 3 };

	/* stations are known of half of the flows, the others have few sources */
	op.sta = op.flow & 64 ? AT_NO_STA : op.flow % 7;
	if (!below(&g->random, 16))
		op.sta = AT_GROUP;
	op.arg = rnd(&g->random);
	op.flags = (u32)below(&g->random, 16) | (op.flow >> 8) % REPLAY_SOURCES << PKT_SOURCE |
		   (u32)below(&g->random, 64) << PKT_DSCP;
	if (!below(&g->random, 16))
		op.flags |= PKT_FRAGMENT;
	if (op.flags & PKT_TCP)
		acknowledge(g, &op);
	op.cls = classes[below(&g->random, 8)];
	if (below(&g->random, 32) == 0) {
		op.cls = AT_URGENT;
		op.flags = 0;
		op.bytes = 60 + op.bytes % 1441;	/* what a host calls urgent */
	}
	emit(g, op);
}

static void report(struct generator *g, u64 step)
{
	struct trace_op op = { .kind = OP_SENT, .step = step };
	u64 how = below(&g->random, 16);

	op.flow = (u32)(how < 8 ? 0 : how < 14 ? below(&g->random, 16) : below(&g->random, 6000));
	op.bytes = how == 15;
	op.flags = below(&g->random, 2) ? (u32)below(&g->random, 1000000) : 0;
	op.arg = how == 14 ? rnd(&g->random) >> below(&g->random, 64)
			   : 100000 + below(&g->random, 2000000);
	emit(g, op);
	if (how == 13)
		emit(g, op);
}

/* Opened more often than closed: else all would soon be closed. */
static void gate(struct generator *g, u64 step)
{
	u16 sta = (u16)below(&g->random, 9);

	sta = sta < 7 ? sta : sta == 7 ? AT_NO_STA : AT_GROUP;
	emit(g, (struct trace_op){ .kind = OP_GATE, .step = step, .sta = sta,
				   .bytes = below(&g->random, 4) > 0 });
}

static void seldom(struct generator *g)
{
	struct trace_op op = { .step = below(&g->random, 1000) };
	u64 which = below(&g->random, 80);

	if (which >= 64) {
		gate(g, op.step);
		return;
	}
	switch (which) {
	case 0:
		if (g->changes)
			change(g);
		return;
	case 1:
		op.kind = OP_RESET;
		break;
	case 2:
	case 3:
		op.kind = OP_DRAIN;
		op.bytes = (u32)below(&g->random, 40);
		break;
	case 4:
		op.kind = OP_READ;
		break;
	case 5:	/* a pause: 1 ms to 20 min */
		op.kind = OP_TICK;
		op.step = 1000000 * below(&g->random, (u64)2 << below(&g->random, 21));
		break;
	case 6:
	case 7:
		op.kind = OP_LINK;
		op.sta = (u16)below(&g->random, 7);
		op.arg = below(&g->random, 4) ? 6000 + below(&g->random, 300000) : 0;
		op.bytes = (u32)below(&g->random, 1000001);
		break;
	case 8:
	case 9:
	case 10:
	case 11:
		op.kind = OP_TICK;
		break;
	default:
		op.kind = OP_HEARD;
		op.flow = flow(g);
		op.sta = op.flow % 7;
		op.arg = below(&g->random, 1000000);
		break;
	}
	emit(g, op);
}

void generate(FILE *to, u32 number, u64 count, u64 set, char **given)
{
	static struct generator g;
	u64 arrivals = 0;		/* of 16 packet operations */

	memset(&g, 0, sizeof(g));
	g.to = to;
	g.ops = at_disciplines[number];
	g.random = number * 1009 + set;
	g.changes = set != 0;
	start(&g, number, given);
	for (u64 i = 0; i < count; i++) {
		u64 step = below(&g.random, 3) ? below(&g.random, 50000) : below(&g.random, 2000000);

		if (i % 2048 == 0)
			arrivals = 3 + below(&g.random, 8);
		if (below(&g.random, 32) == 0)
			seldom(&g);
		else if (below(&g.random, 16) < arrivals)
			arrival(&g, step);
		else if (below(&g.random, 3) == 0)
			report(&g, step);
		else
			emit(&g, (struct trace_op){ .kind = OP_DEQUEUE, .step = step });
	}
	emit(&g, (struct trace_op){ .kind = OP_READ });
}
