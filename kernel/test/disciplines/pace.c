/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * pace, for tests of the host: one packet each `gap`, and only after a tick in
 * time; and changes that take `steps` calls. It keeps what it was called with.
 */
#include "airtab/gate.h"

enum { P_GAP, P_LIMIT, P_STEPS, P_END };
enum { S_TICKS, S_EARLY, S_CHANGES, S_END };

struct pace {
	struct at_line line;
	u64 gap, limit, last, steps_left;
	bool open, changing;
	u64 ticks, early, changes;
};

static const struct at_param pace_params[] = {
	[P_GAP] = {
		.id = 1, .unit = AT_NS, .max_len = 1, .name = "gap",
		.help = "time between two packets", .source = "tests",
		.def = 10000000, .min = 1, .max = 3600000000000ull,
	},
	[P_LIMIT] = {
		.id = 2, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets", .source = "tests",
		.def = 1000, .min = 1, .max = 100000,
	},
	[P_STEPS] = {
		.id = 3, .unit = AT_COUNT, .max_len = 1, .name = "steps",
		.help = "calls that a change takes besides the first", .source = "tests",
		.def = 0, .min = 0, .max = 1000,
	},
	[P_END] = { 0 },
};

static const struct at_stat pace_stats[] = {
	[S_TICKS] = { .id = 1, .unit = AT_COUNT, .counter = true, .name = "ticks", .help = "calls of tick" },
	[S_EARLY] = { .id = 2, .unit = AT_COUNT, .counter = true, .name = "early", .help = "calls of tick before it was due" },
	[S_CHANGES] = { .id = 3, .unit = AT_COUNT, .counter = true, .name = "changes", .help = "calls of change" },
	[S_END] = { 0 },
};

static const struct at_stat pace_none[] = { { 0 } };

static struct pace *pace_priv(const struct at_qdisc *q)
{
	return (struct pace *)q->state;
}

static u64 pace_due(const struct pace *s)
{
	return s->last ? s->last + s->gap : 0;
}

static u64 pace_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct pace);
}

static void pace_set_params(struct pace *s, const struct at_vals *v)
{
	s->gap = *v[P_GAP].v;
	s->limit = *v[P_LIMIT].v;
}

static void pace_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	(void)now;
	pace_set_params(pace_priv(q), v);
}

static bool pace_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct pace *s = pace_priv(q);

	(void)now;
	s->changes++;
	if (!s->changing) {
		pace_set_params(s, v);
		s->steps_left = *v[P_STEPS].v;
	}
	s->changing = s->steps_left > 0;
	if (s->changing)
		s->steps_left--;
	return s->changing;
}

static void pace_reset(struct at_qdisc *q, u64 now)
{
	(void)now;
	while (q->qlen)
		at_book_drop(q, at_line_pop(&pace_priv(q)->line), AT_R_RESET);
	pace_priv(q)->open = false;
}

static enum at_verdict pace_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	(void)now;
	if (q->qlen >= pace_priv(q)->limit)
		return at_book_refuse(q, p, AT_R_LIMIT);
	at_fifo_push(&pace_priv(q)->line.fifo, p);
	at_book_in(q, p);
	return AT_OK;
}

static struct at_pkt *pace_drain(struct at_qdisc *q)
{
	struct at_pkt *p = at_line_pop(&pace_priv(q)->line);

	if (p)
		at_book_out(q, p);
	return p;
}

static struct at_pkt *pace_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct pace *s = pace_priv(q);
	struct at_pkt *p = s->open ? at_line_first(q, &s->line) : NULL;

	memset(t, 0, sizeof(*t));
	if (!p)
		return NULL;
	s->open = false;
	s->last = now;
	at_book_out(q, at_line_take(&s->line));
	return p;
}

static void pace_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	if (at_gate_turn(q, sta, open))
		at_line_turned(q, &pace_priv(q)->line, sta, open);
}

static u64 pace_wake(const struct at_qdisc *q, u64 now)
{
	(void)now;
	return q->qlen > q->parked && !pace_priv(q)->open ? pace_due(pace_priv(q)) : AT_NEVER;
}

static void pace_tick(struct at_qdisc *q, u64 now)
{
	struct pace *s = pace_priv(q);

	s->ticks++;
	if (now < pace_due(s))
		s->early++;
	else
		s->open = true;
}

static void pace_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	(void)now;
	v[S_TICKS] = pace_priv(q)->ticks;
	v[S_EARLY] = pace_priv(q)->early;
	v[S_CHANGES] = pace_priv(q)->changes;
}

const struct at_ops at_pace_ops = {
	.name = "pace",
	.about = "one packet a gap",
	.params = pace_params,
	.stats = pace_stats,
	.row_stats = pace_none,
	.state_size = pace_state_size,
	.init = pace_init,
	.change = pace_change,
	.reset = pace_reset,
	.enqueue = pace_enqueue,
	.dequeue = pace_dequeue,
	.drain = pace_drain,
	.gate = pace_gate,
	.wake = pace_wake,
	.tick = pace_tick,
	.read = pace_read,
};
