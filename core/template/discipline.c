/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * template: one sentence on what goes first and what is dropped.
 *
 * Source: where the algorithm was published, section by section.
 *
 * This one takes turns between stations' parity: two queues, one for even and
 * one for odd station numbers, served alternately; when full, the oldest packet
 * of the longer queue makes room. Copy it to src/NAME.c, put
 * AT_DISCIPLINE(NAME) into src/disciplines.def, replace "template" by NAME
 * throughout, and change what has to change.
 *
 * What this is not: what a reader might expect and will not find here.
 *
 * Defaults and units: 1000 packets.
 */
#include "airtab/gate.h"

enum { P_LIMIT, P_END };	/* index into the table of parameters */
enum { S_LONGER, S_END };	/* and of statistics */

struct state {
	u64 limit, seq;
	struct at_line line[2];
	u32 len[2], turn;
};

/* Ids are ABI: never reused, never renumbered. */
static const struct at_param template_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets that the queue holds", .source = "section", .def = 1000,
		.min = 1, .max = 1u << 20,
	},
	[P_END] = { 0 },
};

static const struct at_stat template_stats[] = {
	[S_LONGER] = { .id = 1, .unit = AT_COUNT, .name = "longer", .help = "packets in the longer queue" },
	[S_END] = { 0 },
};

static const struct at_stat template_row_stats[] = { { 0 } };

static struct state *template_priv(const struct at_qdisc *q)
{
	return (struct state *)q->state;
}

static struct at_pkt *template_take(struct state *s, u32 side)
{
	s->len[side]--;
	return at_line_pop(&s->line[side]);
}

static u32 template_longer(const struct state *s)
{
	return s->len[1] > s->len[0];
}

/* `p` arrived last, or NULL after a change. */
static enum at_verdict template_make_room(struct at_qdisc *q, const struct at_pkt *p)
{
	struct state *s = template_priv(q);
	enum at_verdict verdict = AT_OK;

	while (q->qlen > s->limit)
		verdict = at_book_room(q, template_take(s, template_longer(s)), p, false, verdict);
	return verdict;
}

static u64 template_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct state);
}

static bool template_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct state *s = template_priv(q);

	(void)now;
	s->limit = *v[P_LIMIT].v;
	template_make_room(q, NULL);
	return false;
}

static void template_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	template_change(q, v, now);
}

static void template_reset(struct at_qdisc *q, u64 now)
{
	(void)now;
	while (q->qlen)
		at_book_drop(q, template_take(template_priv(q), template_longer(template_priv(q))), AT_R_RESET);
}

static enum at_verdict template_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct state *s = template_priv(q);
	u32 side = at_sta(p) & 1;

	(void)now;
	at_seq_set(p, s->seq++);
	at_fifo_push(&s->line[side].fifo, p);
	s->len[side]++;
	at_book_in(q, p);
	return template_make_room(q, p);
}

static struct at_pkt *template_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct state *s = template_priv(q);
	struct at_pkt *p;

	(void)now;
	memset(t, 0, sizeof(*t));	/* nobody to charge */
	if (q->qlen == q->parked)
		return NULL;
	s->turn ^= at_line_first(q, &s->line[s->turn ^ 1]) != NULL;
	p = at_line_first(q, &s->line[s->turn]);
	at_line_take(&s->line[s->turn]);
	s->len[s->turn]--;
	at_book_out(q, p);
	return p;
}

static struct at_pkt *template_drain(struct at_qdisc *q)
{
	struct state *s = template_priv(q);
	struct at_pkt *a = s->line[0].fifo.head, *b = s->line[1].fifo.head;

	if (!a && !b)
		return NULL;
	a = template_take(s, !a || (b && at_seq(b) < at_seq(a)));
	at_book_out(q, a);
	return a;
}

/* Nobody moves: at_line_first() passes over the packets of closed stations. */
static void template_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	if (at_gate_turn(q, sta, open))
		for (u32 side = 0; side < 2; side++)
			at_line_turned(q, &template_priv(q)->line[side], sta, open);
}

static void template_read(const struct at_qdisc *q, u64 *values, u64 now)
{
	const struct state *s = template_priv(q);

	(void)now;
	values[S_LONGER] = s->len[template_longer(s)];
}

const struct at_ops at_template_ops = {
	.name = "template",
	.about = "a template that works",
	.params = template_params,
	.stats = template_stats,
	.row_stats = template_row_stats,
	.state_size = template_state_size,
	.init = template_init,
	.change = template_change,
	.reset = template_reset,
	.enqueue = template_enqueue,
	.dequeue = template_dequeue,
	.drain = template_drain,
	.gate = template_gate,
	.read = template_read,
};
