/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * table, for tests of the host: `rows` rows, each at the last of `every` places.
 * Row number n says 3n packets, 2n queued with 5n bytes. Packets are refused.
 */
#include "airtab/gate.h"

enum { P_ROWS, P_EVERY, P_LIMIT };

struct table {
	u64 rows, every;
};

static const struct at_param params[] = {
	{ 1, AT_COUNT, 0, 1, "rows", "rows", "tests", 0, 0, 1u << 22, NULL },
	{ 2, AT_COUNT, 0, 1, "every", "places for one row", "tests", 1, 1, 1u << 16, NULL },
	{ 3, AT_COUNT, AT_P_INIT, 1, "limit", "kB of memory", "tests", 1, 1, 1u << 20, NULL },
	{ 0 },
};

static const struct at_stat none[] = { { 0 } };

static const struct at_stat row_stats[] = {
	{ 1, AT_COUNT, false, "number", "of the row, from 1" },
	{ 2, AT_COUNT, true, "packets", "three times that" },
	{ 3, AT_COUNT, false, "backlog", "twice that" },
	{ 4, AT_BYTES, false, "backlog_bytes", "five times that" },
	{ 0 },
};

static struct table *priv(const struct at_qdisc *q)
{
	return (struct table *)q->state;
}

static u64 state_size(const struct at_vals *v)
{
	return *v[P_LIMIT].v * 1000;
}

static bool change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	(void)now;
	*priv(q) = (struct table){ *v[P_ROWS].v, *v[P_EVERY].v };
	return false;
}

static void init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	change(q, v, now);
}

static void reset(struct at_qdisc *q, u64 now)
{
	(void)q;
	(void)now;
}

static enum at_verdict enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	(void)now;
	return at_book_refuse(q, p, AT_R_LIMIT);
}

static struct at_pkt *drain(struct at_qdisc *q)
{
	(void)q;
	return NULL;
}

static struct at_pkt *dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	(void)q;
	(void)now;
	memset(t, 0, sizeof(*t));
	return NULL;
}

static void gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	at_gate_turn(q, sta, open);
}

static u32 row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct table *s = priv(q);
	u32 every = (u32)s->every, past = cursor;

	(void)now;
	*found = false;
	while (past < s->rows * every && past < cursor + AT_ROWS && !*found)
		*found = ++past % every == 0;
	if (*found) {
		cols[0] = past / every;
		cols[1] = 3 * cols[0];
		cols[2] = 2 * cols[0];
		cols[3] = 5 * cols[0];
	}
	return past > cursor ? past : 0;
}

const struct at_ops at_table_ops = {
	.name = "table",
	.about = "a table of rows",
	.params = params,
	.stats = none,
	.row_stats = row_stats,
	.state_size = state_size,
	.init = init,
	.change = change,
	.reset = reset,
	.enqueue = enqueue,
	.dequeue = dequeue,
	.drain = drain,
	.gate = gate,
	.row = row,
};
