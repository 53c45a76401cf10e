/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * pace, for tests of the host: one packet each `gap`, and only after a tick in
 * time; and changes that take `steps` calls. It keeps what it was called with.
 */
#include "airtab/gate.h"

enum { P_GAP, P_LIMIT, P_STEPS };

struct pace {
	struct at_line line;
	u64 gap, limit, last, steps_left;
	bool open, changing;
	u64 ticks, early, changes;
};

static const struct at_param params[] = {
	{ 1, AT_NS, 0, 1, "gap", "time between two packets", "tests", 10000000, 1, 3600000000000ull, NULL },
	{ 2, AT_COUNT, 0, 1, "limit", "packets", "tests", 1000, 1, 100000, NULL },
	{ 3, AT_COUNT, 0, 1, "steps", "calls that a change takes besides the first", "tests", 0, 0, 1000, NULL },
	{ 0 },
};

static const struct at_stat stats[] = {
	{ 1, AT_COUNT, true, "ticks", "calls of tick" },
	{ 2, AT_COUNT, true, "early", "calls of tick before it was due" },
	{ 3, AT_COUNT, true, "changes", "calls of change" },
	{ 0 },
};

static const struct at_stat none[] = { { 0 } };

static struct pace *priv(const struct at_qdisc *q)
{
	return (struct pace *)q->state;
}

static u64 due(const struct pace *s)
{
	return s->last ? s->last + s->gap : 0;
}

static u64 state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct pace);
}

static void set_params(struct pace *s, const struct at_vals *v)
{
	s->gap = *v[P_GAP].v;
	s->limit = *v[P_LIMIT].v;
}

static void init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	(void)now;
	set_params(priv(q), v);
}

static bool change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct pace *s = priv(q);

	(void)now;
	s->changes++;
	if (!s->changing) {
		set_params(s, v);
		s->steps_left = *v[P_STEPS].v;
	}
	s->changing = s->steps_left > 0;
	if (s->changing)
		s->steps_left--;
	return s->changing;
}

static void reset(struct at_qdisc *q, u64 now)
{
	(void)now;
	while (q->qlen)
		at_book_drop(q, at_line_pop(&priv(q)->line), AT_R_RESET);
	priv(q)->open = false;
}

static enum at_verdict enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	(void)now;
	if (q->qlen >= priv(q)->limit)
		return at_book_refuse(q, p, AT_R_LIMIT);
	at_fifo_push(&priv(q)->line.fifo, p);
	at_book_in(q, p);
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
	struct pace *s = priv(q);
	struct at_pkt *p = s->open ? at_line_first(q, &s->line) : NULL;

	memset(t, 0, sizeof(*t));
	if (!p)
		return NULL;
	s->open = false;
	s->last = now;
	at_book_out(q, at_line_take(&s->line));
	return p;
}

static void gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	if (at_gate_turn(q, sta, open))
		at_line_turned(q, &priv(q)->line, sta, open);
}

static u64 wake(const struct at_qdisc *q, u64 now)
{
	(void)now;
	return q->qlen > q->parked && !priv(q)->open ? due(priv(q)) : AT_NEVER;
}

static void tick(struct at_qdisc *q, u64 now)
{
	struct pace *s = priv(q);

	s->ticks++;
	if (now < due(s))
		s->early++;
	else
		s->open = true;
}

static void read(const struct at_qdisc *q, u64 *v, u64 now)
{
	(void)now;
	v[0] = priv(q)->ticks;
	v[1] = priv(q)->early;
	v[2] = priv(q)->changes;
}

const struct at_ops at_pace_ops = {
	.name = "pace",
	.about = "one packet a gap",
	.params = params,
	.stats = stats,
	.row_stats = none,
	.state_size = state_size,
	.init = init,
	.change = change,
	.reset = reset,
	.enqueue = enqueue,
	.dequeue = dequeue,
	.drain = drain,
	.gate = gate,
	.wake = wake,
	.tick = tick,
	.read = read,
};
