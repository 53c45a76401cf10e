/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * told, for tests of all hosts: keeps what the host says about the last packets,
 * a row each, the oldest first, and sends them on as they come.
 */
#include "airtab/gate.h"

#define KEPT 64u

struct told {
	struct at_line line;
	u64 limit;
	u32 n;
	u64 rows[KEPT][12];
};

static const struct at_param params[] = {
	{ 1, AT_COUNT, 0, 1, "limit", "packets", "tests", 1000, 1, 100000, NULL },
	{ 0 },
};

static const struct at_stat none[] = { { 0 } };

static const struct at_stat row_stats[] = {
	{ 1, AT_COUNT, false, "flow", "at_flow()" },
	{ 2, AT_COUNT, false, "station", "at_sta()" },
	{ 3, AT_COUNT, false, "source", "at_source()" },
	{ 4, AT_COUNT, false, "class", "at_class()" },
	{ 5, AT_COUNT, false, "tcp", "at_tcp(): its payload + 1, or 0" },
	{ 6, AT_COUNT, false, "length", "at_bytes()" },
	{ 7, AT_HEX, false, "name", "at_flow(), as it is shown" },
	{ 8, AT_BOOL, false, "ip", "at_key(): whether there is one" },
	{ 9, AT_COUNT, false, "protocol", "at_key()" },
	{ 10, AT_COUNT, false, "dscp", "at_key()" },
	{ 11, AT_COUNT, false, "sport", "at_key()" },
	{ 12, AT_COUNT, false, "dport", "at_key()" },
	{ 0 },
};

static struct told *priv(const struct at_qdisc *q)
{
	return (struct told *)q->state;
}

static u64 state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct told);
}

static bool change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	(void)now;
	priv(q)->limit = *v->v;
	return false;
}

static void init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	change(q, v, now);
}

static void reset(struct at_qdisc *q, u64 now)
{
	(void)now;
	while (q->qlen)
		at_book_drop(q, at_line_pop(&priv(q)->line), AT_R_RESET);
}

static enum at_verdict enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct told *s = priv(q);
	struct at_key k = { 0 };
	struct at_tcp t;

	(void)now;
	if (q->qlen >= s->limit)
		return at_book_refuse(q, p, AT_R_LIMIT);
	at_fifo_push(&s->line.fifo, p);
	at_book_in(q, p);
	if (s->n < KEPT) {
		u64 *row = s->rows[s->n++];

		*row++ = at_flow(p);
		*row++ = at_sta(p);
		*row++ = at_source(p);
		*row++ = at_class(p);
		*row++ = at_tcp(p, &t) ? t.payload + 1u : 0;
		*row++ = at_bytes(p);
		*row++ = at_flow(p);
		*row++ = at_key(p, &k);
		*row++ = k.proto;
		*row++ = k.dscp;
		*row++ = k.sport;
		*row = k.dport;
	}
	return AT_OK;
}

static struct at_pkt *drain(struct at_qdisc *q)
{
	struct at_pkt *p = at_line_pop(&priv(q)->line);

	if (p)
		at_book_out(q, p);
	return p;
}

static struct at_pkt *dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct at_pkt *p = at_line_first(q, &priv(q)->line);

	(void)now;
	memset(t, 0, sizeof(*t));
	if (p)
		at_book_out(q, at_line_take(&priv(q)->line));
	return p;
}

static void gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	if (at_gate_turn(q, sta, open))
		at_line_turned(q, &priv(q)->line, sta, open);
}

static u32 row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct told *s = priv(q);

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
