/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * fifo: one queue, the arriving packet is dropped when it is full.
 *
 * Source: the baseline of all the studies ("DropTail"). A limit of q holds q
 * packets. Urgent packets, classes and flows are not told apart.
 *
 * Defaults: 1000 packets (Linux txqueuelen), no limit in bytes.
 */
#include "airtab/fifo.h"

enum { P_LIMIT, P_BYTES };

struct fifo {
	struct at_fifo list;
	u64 limit, bytes;
};

static const struct at_param params[] = {
	{ 1, AT_COUNT, 0, 1, "limit", "packets that the queue holds", "Linux txqueuelen",
	  1000, 1, 1u << 20, NULL },
	{ 2, AT_BYTES, 0, 1, "bytes", "bytes that the queue holds; 0 = any number", "Linux bfifo",
	  0, 0, (u64)1 << 40, NULL },
	{ 0 },
};

static const struct at_stat none[] = { { 0 } };

static struct fifo *priv(struct at_qdisc *q)
{
	return (struct fifo *)q->state;
}

static u64 state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct fifo);
}

/* Oldest first: what remains is what arrived last. */
static bool change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct fifo *f = priv(q);

	(void)now;
	f->limit = *v[P_LIMIT].v;
	f->bytes = *v[P_BYTES].v;
	while (q->qlen > f->limit)
		at_book_drop(q, at_fifo_pop(&f->list), AT_R_LIMIT);
	while (f->bytes && q->bytes > f->bytes)
		at_book_drop(q, at_fifo_pop(&f->list), AT_R_MEMORY);
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
		at_book_drop(q, at_fifo_pop(&priv(q)->list), AT_R_RESET);
}

static enum at_verdict enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct fifo *f = priv(q);

	(void)now;
	if (q->qlen >= f->limit)
		return at_book_refuse(q, p, AT_R_LIMIT);
	if (f->bytes && q->bytes + at_bytes(p) > f->bytes)
		return at_book_refuse(q, p, AT_R_MEMORY);
	at_fifo_push(&f->list, p);
	at_book_in(q, p);
	return AT_OK;
}

static struct at_pkt *drain(struct at_qdisc *q)
{
	struct at_pkt *p = at_fifo_pop(&priv(q)->list);

	if (p)
		at_book_out(q, p);
	return p;
}

static struct at_pkt *dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	(void)now;
	memset(t, 0, sizeof(*t));
	return drain(q);
}

const struct at_ops at_fifo_ops = {
	.name = "fifo",
	.about = "one queue with drop-tail",
	.params = params,
	.stats = none,
	.row_stats = none,
	.state_size = state_size,
	.init = init,
	.change = change,
	.reset = reset,
	.enqueue = enqueue,
	.dequeue = dequeue,
	.drain = drain,
};
