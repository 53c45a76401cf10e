/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * table, for tests of the host: `rows` rows, each at the last of `every` places.
 * Row number n says 3n packets, 2n queued with 5n bytes. Packets are refused.
 */
#include "airtab/gate.h"

enum { P_ROWS, P_EVERY, P_LIMIT, P_END };
enum { R_NUMBER, R_PACKETS, R_BACKLOG, R_BACKLOG_BYTES, R_END };

struct table {
	u64 rows, every;
};

static const struct at_param table_params[] = {
	[P_ROWS] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "rows",
		.help = "rows", .source = "tests",
		.def = 0, .min = 0, .max = 1u << 22,
	},
	[P_EVERY] = {
		.id = 2, .unit = AT_COUNT, .max_len = 1, .name = "every",
		.help = "places for one row", .source = "tests",
		.def = 1, .min = 1, .max = 1u << 16,
	},
	[P_LIMIT] = {
		.id = 3, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "limit",
		.help = "kB of memory", .source = "tests",
		.def = 1, .min = 1, .max = 1u << 20,
	},
	[P_END] = { 0 },
};

static const struct at_stat table_none[] = { { 0 } };

static const struct at_stat table_row_stats[] = {
	[R_NUMBER] = { .id = 1, .unit = AT_COUNT, .name = "number", .help = "of the row, from 1" },
	[R_PACKETS] = { .id = 2, .unit = AT_COUNT, .counter = true, .name = "packets", .help = "three times that" },
	[R_BACKLOG] = { .id = 3, .unit = AT_COUNT, .name = "backlog", .help = "twice that" },
	[R_BACKLOG_BYTES] = { .id = 4, .unit = AT_BYTES, .name = "backlog_bytes", .help = "five times that" },
	[R_END] = { 0 },
};

static struct table *table_priv(const struct at_qdisc *q)
{
	return (struct table *)q->state;
}

static u64 table_state_size(const struct at_vals *v)
{
	return *v[P_LIMIT].v * 1000;
}

static bool table_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	(void)now;
	*table_priv(q) = (struct table){ *v[P_ROWS].v, *v[P_EVERY].v };
	return false;
}

static void table_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	table_change(q, v, now);
}

static void table_reset(struct at_qdisc *q, u64 now)
{
	(void)q;
	(void)now;
}

static enum at_verdict table_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	(void)now;
	return at_book_refuse(q, p, AT_R_LIMIT);
}

static struct at_pkt *table_drain(struct at_qdisc *q)
{
	(void)q;
	return NULL;
}

static struct at_pkt *table_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	(void)q;
	(void)now;
	memset(t, 0, sizeof(*t));
	return NULL;
}

static void table_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	at_gate_turn(q, sta, open);
}

static u32 table_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct table *s = table_priv(q);
	u32 every = (u32)s->every, past = cursor;

	(void)now;
	*found = false;
	while (past < s->rows * every && past < cursor + AT_ROWS && !*found)
		*found = ++past % every == 0;
	if (*found) {
		cols[R_NUMBER] = past / every;
		cols[R_PACKETS] = 3 * cols[R_NUMBER];
		cols[R_BACKLOG] = 2 * cols[R_NUMBER];
		cols[R_BACKLOG_BYTES] = 5 * cols[R_NUMBER];
	}
	return past > cursor ? past : 0;
}

const struct at_ops at_table_ops = {
	.name = "table",
	.about = "a table of rows",
	.params = table_params,
	.stats = table_none,
	.row_stats = table_row_stats,
	.state_size = table_state_size,
	.init = table_init,
	.change = table_change,
	.reset = table_reset,
	.enqueue = table_enqueue,
	.dequeue = table_dequeue,
	.drain = table_drain,
	.gate = table_gate,
	.row = table_row,
};
