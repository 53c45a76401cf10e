/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * template: one sentence on what goes first and what is dropped.
 *
 * Source: where the algorithm was published, section by section.
 *
 * This one takes turns between stations' parity: two queues, one for even and
 * one for odd station numbers, served alternately; when full, the oldest packet
 * of the longer queue makes room. Copy it to src/NAME.c, put
 * AT_DISCIPLINE(NAME) into src/disciplines.def, rename at_template_ops, and
 * change what has to change.
 *
 * What this is not: what a reader might expect and will not find here.
 *
 * Defaults and units: 1000 packets.
 */
#include "airtab/fifo.h"

enum { P_LIMIT };	/* index into params: the table's order */

struct state {
	u64 limit, seq;
	struct at_fifo list[2];
	u32 len[2], turn;
};

/* Ids are ABI: never reused, never renumbered. */
static const struct at_param params[] = {
	{ 1, AT_COUNT, 0, 1, "limit", "packets that the queue holds", "section", 1000, 1, 1u << 20, NULL },
	{ 0 },
};

static const struct at_stat stats[] = {
	{ 1, AT_COUNT, false, "longer", "packets in the longer queue" },
	{ 0 },
};

static const struct at_stat row_stats[] = { { 0 } };

static struct state *priv(const struct at_qdisc *q)
{
	return (struct state *)q->state;
}

static struct at_pkt *take(struct state *s, u32 side)
{
	s->len[side]--;
	return at_fifo_pop(&s->list[side]);
}

static u32 longer(const struct state *s)
{
	return s->len[1] > s->len[0];
}

static u64 state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct state);
}

static bool change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct state *s = priv(q);

	(void)now;
	s->limit = *v[P_LIMIT].v;
	while (q->qlen > s->limit)
		at_book_drop(q, take(s, longer(s)), AT_R_LIMIT);
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
		at_book_drop(q, take(priv(q), longer(priv(q))), AT_R_RESET);
}

static enum at_verdict enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct state *s = priv(q);
	u32 side = at_sta(p) & 1;
	struct at_pkt *victim;
	bool same;

	(void)now;
	at_seq_set(p, s->seq++);
	at_fifo_push(&s->list[side], p);
	s->len[side]++;
	at_book_in(q, p);
	if (q->qlen <= s->limit)
		return AT_OK;
	victim = take(s, longer(s));
	if (victim == p) {
		at_book_drop(q, p, AT_R_LIMIT);
		return AT_DROPPED;
	}
	same = at_flow(victim) == at_flow(p);
	at_book_drop(q, victim, AT_R_PUSHOUT);	/* victim is the host's from here on */
	return same ? AT_CN : AT_OK;
}

static struct at_pkt *dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct state *s = priv(q);
	struct at_pkt *p;

	(void)now;
	memset(t, 0, sizeof(*t));	/* nobody to charge */
	if (!q->qlen)
		return NULL;
	s->turn ^= s->len[s->turn ^ 1] > 0;
	p = take(s, s->turn);
	at_book_out(q, p);
	return p;
}

static struct at_pkt *drain(struct at_qdisc *q)
{
	struct state *s = priv(q);
	struct at_pkt *a = s->list[0].head, *b = s->list[1].head;

	if (!a && !b)
		return NULL;
	a = take(s, !a || (b && at_seq(b) < at_seq(a)));
	at_book_out(q, a);
	return a;
}

static void read(const struct at_qdisc *q, u64 *values, u64 now)
{
	const struct state *s = priv(q);

	(void)now;
	values[0] = s->len[longer(s)];
}

const struct at_ops at_template_ops = {
	.name = "template",
	.about = "a template that works",
	.params = params,
	.stats = stats,
	.row_stats = row_stats,
	.state_size = state_size,
	.init = init,
	.change = change,
	.reset = reset,
	.enqueue = enqueue,
	.dequeue = dequeue,
	.drain = drain,
	.read = read,
};
