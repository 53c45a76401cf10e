/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * told, for tests of all hosts: keeps what the host says about the first packets,
 * a row each, the oldest first, and sends them on as they come.
 */
#include "airtab/gate.h"

#define TOLD_KEPT 64u

enum { P_LIMIT, P_END };
enum {
	R_FLOW, R_STATION, R_SOURCE, R_CLASS, R_TCP, R_LENGTH, R_NAME, R_IP, R_PROTOCOL, R_DSCP,
	R_SPORT, R_DPORT, R_END
};

struct told {
	struct at_line line;
	u64 limit;
	u32 n;
	u64 rows[TOLD_KEPT][R_END];
};

static const struct at_param told_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets", .source = "tests",
		.def = 1000, .min = 1, .max = 100000,
	},
	[P_END] = { 0 },
};

static const struct at_stat told_none[] = { { 0 } };

static const struct at_stat told_row_stats[] = {
	[R_FLOW] = { .id = 1, .unit = AT_COUNT, .name = "flow", .help = "at_flow()" },
	[R_STATION] = { .id = 2, .unit = AT_COUNT, .name = "station", .help = "at_sta()" },
	[R_SOURCE] = { .id = 3, .unit = AT_COUNT, .name = "source", .help = "at_source()" },
	[R_CLASS] = { .id = 4, .unit = AT_COUNT, .name = "class", .help = "at_class()" },
	[R_TCP] = { .id = 5, .unit = AT_COUNT, .name = "tcp", .help = "at_tcp(): its payload + 1, or 0" },
	[R_LENGTH] = { .id = 6, .unit = AT_COUNT, .name = "length", .help = "at_bytes()" },
	[R_NAME] = { .id = 7, .unit = AT_HEX, .name = "name", .help = "at_flow(), as it is shown" },
	[R_IP] = { .id = 8, .unit = AT_BOOL, .name = "ip", .help = "at_key(): whether there is one" },
	[R_PROTOCOL] = { .id = 9, .unit = AT_COUNT, .name = "protocol", .help = "at_key()" },
	[R_DSCP] = { .id = 10, .unit = AT_COUNT, .name = "dscp", .help = "at_key()" },
	[R_SPORT] = { .id = 11, .unit = AT_COUNT, .name = "sport", .help = "at_key()" },
	[R_DPORT] = { .id = 12, .unit = AT_COUNT, .name = "dport", .help = "at_key()" },
	[R_END] = { 0 },
};

static struct told *told_priv(const struct at_qdisc *q)
{
	return (struct told *)q->state;
}

static u64 told_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct told);
}

static bool told_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	(void)now;
	told_priv(q)->limit = *v[P_LIMIT].v;
	return false;
}

static void told_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	told_change(q, v, now);
}

static void told_reset(struct at_qdisc *q, u64 now)
{
	(void)now;
	while (q->qlen)
		at_book_drop(q, at_line_pop(&told_priv(q)->line), AT_R_RESET);
}

static enum at_verdict told_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct told *s = told_priv(q);
	struct at_key k = { 0 };
	struct at_tcp t;

	(void)now;
	if (q->qlen >= s->limit)
		return at_book_refuse(q, p, AT_R_LIMIT);
	at_fifo_push(&s->line.fifo, p);
	at_book_in(q, p);
	if (s->n < TOLD_KEPT) {
		u64 *row = s->rows[s->n++];

		row[R_FLOW] = row[R_NAME] = at_flow(p);
		row[R_STATION] = at_sta(p);
		row[R_SOURCE] = at_source(p);
		row[R_CLASS] = at_class(p);
		row[R_TCP] = at_tcp(p, &t) ? t.payload + 1u : 0;
		row[R_LENGTH] = at_bytes(p);
		row[R_IP] = at_key(p, &k);
		row[R_PROTOCOL] = k.proto;
		row[R_DSCP] = k.dscp;
		row[R_SPORT] = k.sport;
		row[R_DPORT] = k.dport;
	}
	return AT_OK;
}

static struct at_pkt *told_drain(struct at_qdisc *q)
{
	struct at_pkt *p = at_line_pop(&told_priv(q)->line);

	if (p)
		at_book_out(q, p);
	return p;
}

static struct at_pkt *told_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct at_pkt *p = at_line_first(q, &told_priv(q)->line);

	(void)now;
	memset(t, 0, sizeof(*t));
	if (p)
		at_book_out(q, at_line_take(&told_priv(q)->line));
	return p;
}

static void told_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	if (at_gate_turn(q, sta, open))
		at_line_turned(q, &told_priv(q)->line, sta, open);
}

static u32 told_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct told *s = told_priv(q);

	(void)now;
	*found = cursor < s->n;
	if (!*found)
		return 0;
	memcpy(cols, s->rows[cursor], sizeof(s->rows[cursor]));
	return cursor + 1;
}

const struct at_ops at_told_ops = {
	.name = "told",
	.about = "what the host says of packets",
	.params = told_params,
	.stats = told_none,
	.row_stats = told_row_stats,
	.state_size = told_state_size,
	.init = told_init,
	.change = told_change,
	.reset = told_reset,
	.enqueue = told_enqueue,
	.dequeue = told_dequeue,
	.drain = told_drain,
	.gate = told_gate,
	.row = told_row,
};
