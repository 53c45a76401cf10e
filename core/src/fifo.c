/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * fifo: one queue, the arriving packet is dropped when it is full.
 *
 * Source: the baseline of all the studies ("DropTail"). A limit of q holds q
 * packets. Urgent packets, classes and flows are not told apart.
 *
 * Defaults: 1000 packets (Linux txqueuelen), no limit in bytes.
 */
#include "airtab/gate.h"

enum { P_LIMIT, P_BYTES, P_END };

struct fifo {
	struct at_line line;
	u64 limit, bytes;
};

static const struct at_param fifo_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets that the queue holds", .source = "Linux txqueuelen", .def = 1000,
		.min = 1, .max = 1u << 20,
	},
	[P_BYTES] = {
		.id = 2, .unit = AT_BYTES, .max_len = 1, .name = "bytes",
		.help = "bytes that the queue holds; 0 = any number", .source = "Linux bfifo",
		.def = 0, .min = 0, .max = (u64)1 << 40,
	},
	[P_END] = { 0 },
};

static const struct at_stat fifo_none[] = { { 0 } };

static struct fifo *fifo_priv(struct at_qdisc *q)
{
	return (struct fifo *)q->state;
}

static u64 fifo_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct fifo);
}

/* Oldest first: what remains is what arrived last. */
static bool fifo_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct fifo *f = fifo_priv(q);

	(void)now;
	f->limit = *v[P_LIMIT].v;
	f->bytes = *v[P_BYTES].v;
	while (q->qlen > f->limit)
		at_book_drop(q, at_line_pop(&f->line), AT_R_LIMIT);
	while (f->bytes && q->bytes > f->bytes)
		at_book_drop(q, at_line_pop(&f->line), AT_R_MEMORY);
	return false;
}

static void fifo_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	fifo_change(q, v, now);
}

static void fifo_reset(struct at_qdisc *q, u64 now)
{
	(void)now;
	while (q->qlen)
		at_book_drop(q, at_line_pop(&fifo_priv(q)->line), AT_R_RESET);
}

static enum at_verdict fifo_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct fifo *f = fifo_priv(q);

	(void)now;
	if (q->qlen >= f->limit)
		return at_book_refuse(q, p, AT_R_LIMIT);
	if (f->bytes && q->bytes + at_bytes(p) > f->bytes)
		return at_book_refuse(q, p, AT_R_MEMORY);
	at_fifo_push(&f->line.fifo, p);
	at_book_in(q, p);
	return AT_OK;
}

static struct at_pkt *fifo_drain(struct at_qdisc *q)
{
	struct at_pkt *p = at_line_pop(&fifo_priv(q)->line);

	if (p)
		at_book_out(q, p);
	return p;
}

static struct at_pkt *fifo_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct fifo *f = fifo_priv(q);
	struct at_pkt *p = at_line_first(q, &f->line);

	(void)now;
	*t = (struct at_ticket){ 0 };
	if (p)
		at_book_out(q, at_line_take(&f->line));
	return p;
}

static void fifo_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	if (at_gate_turn(q, sta, open))
		at_line_turned(q, &fifo_priv(q)->line, sta, open);
}

const struct at_ops at_fifo_ops = {
	.name = "fifo",
	.about = "one queue with drop-tail",
	.params = fifo_params,
	.stats = fifo_none,
	.row_stats = fifo_none,
	.state_size = fifo_state_size,
	.init = fifo_init,
	.change = fifo_change,
	.reset = fifo_reset,
	.enqueue = fifo_enqueue,
	.dequeue = fifo_dequeue,
	.drain = fifo_drain,
	.gate = fifo_gate,
};
