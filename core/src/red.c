/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * red: one queue in order of arrival, with Random Early Detection.
 *
 * Source: Floyd and Jacobson 1993 and Parris 2001, III.3.2, by red.h, where the
 * rules are. A packet that finds the queue full is dropped; else RED says whether it
 * is. What counts as queued is all that is, parked packets (gate.h) included.
 *
 * ECN: a packet chosen at random is marked instead of dropped, where it allows that.
 * Above the highest average `hard` drops it all the same (RFC 3168, 7); without it
 * is marked, and the limit alone bounds the queue.
 *
 * Cost: O(1) a packet; a division where the average is above min.
 *
 * What this is not: no flows (fq_codel), no classes and no urgent packets, no
 * airtime; thresholds are packets, not bytes; max_p does not adapt. Forms of RED that
 * are not here: docs/red.md, limits.
 *
 * Defaults: Parris's, table 5.1: 240 packets, thresholds 5 and 40, weight 1/256,
 * max_p 10 %; a link of 10 Mb/s and packets of 1000 bytes. Idle time begins as in Linux.
 */
#include "airtab/gate.h"
#include "airtab/red.h"

enum {
	P_LIMIT, P_MIN, P_MAX, P_WEIGHT, P_MAX_P, P_RATE, P_PACKET, P_GENTLE, P_ECN, P_HARD, P_IDLE, P_END
};
enum { S_AVERAGE, S_PROBABILITY, S_COUNT, S_MARKS, S_EARLY_DROPS, S_FORCED_DROPS, S_END };

struct red {
	struct at_line line;
	u64 limit, random;		/* packets; state of the draws */
	u64 marks, early, forced;
	struct at_red_params params;
	struct at_red red;
	bool ecn, hard;
};

static const char *const red_idles[] = { "link", "queue", NULL };

static const struct at_param red_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets that the queue holds", .source = "Parris T 5.1", .def = 240,
		.min = 1, .max = 1u << 20,
	},
	[P_MIN] = {
		.id = 2, .unit = AT_Q16, .max_len = 1, .name = "min",
		.help = "average queue, in packets, up to which nothing is dropped",
		.source = "Parris T 5.1", .def = 5 << 16, .min = 0,
		.max = 65535u << 16,
	},
	[P_MAX] = {
		.id = 3, .unit = AT_Q16, .max_len = 1, .name = "max",
		.help = "average queue, in packets, above which all are dropped",
		.source = "Parris T 5.1", .def = 40 << 16, .min = 1 << 16,
		.max = 65535u << 16,
	},
	[P_WEIGHT] = {
		.id = 4, .unit = AT_WEIGHT, .max_len = 1, .name = "weight",
		.help = "of an arrival in the average",
		.source = "Parris T 5.1", .def = AT_EWMA_ONE / 256, .min = AT_EWMA_ONE >> 16,
		.max = AT_EWMA_ONE,
	},
	[P_MAX_P] = {
		.id = 5, .unit = AT_PPM, .max_len = 1, .name = "max_p",
		.help = "probability of a drop at max", .source = "Parris T 5.1", .def = 100000,
		.min = 1, .max = 1000000,
	},
	[P_RATE] = {
		.id = 6, .unit = AT_BPS, .max_len = 1, .name = "rate",
		.help = "of the link: how fast the average of an empty queue falls",
		.source = "Parris F 3.7", .def = 10000000, .min = 128000, .max = 4000000000u,
	},
	[P_PACKET] = {
		.id = 7, .unit = AT_BYTES, .max_len = 1, .name = "packet",
		.help = "usual size of a packet, for the same", .source = "Parris F 3.7",
		.def = 1000, .min = 1, .max = 65535,
	},
	[P_GENTLE] = {
		.id = 8, .unit = AT_BOOL, .max_len = 1, .name = "gentle",
		.help = "from max to twice max the probability rises to 1", .source = "Floyd 2000",
		.def = 0, .min = 0, .max = 1,
	},
	[P_ECN] = {
		.id = 9, .unit = AT_BOOL, .max_len = 1, .name = "ecn",
		.help = "mark instead of drop where the packet allows", .source = "RFC 3168 7",
		.def = 1, .min = 0, .max = 1,
	},
	[P_HARD] = {
		.id = 10, .unit = AT_BOOL, .max_len = 1, .name = "hard",
		.help = "above the highest average drop also what could be marked",
		.source = "RFC 3168 7", .def = 1, .min = 0, .max = 1,
	},
	[P_IDLE] = {
		.id = 11, .unit = AT_CHOICE, .max_len = 1, .name = "idle",
		.help = "start of idle time: the link finds the queue empty, or the last packet leaves the queue",
		.source = "Linux; Parris F 3.7", .def = 0, .min = 0, .max = 1, .choices = red_idles,
	},
	[P_END] = { 0 },
};

static const struct at_stat red_stats[] = {
	[S_AVERAGE] = { .id = 1, .unit = AT_Q16, .name = "average",
		.help = "queue in packets, as RED takes it" },
	[S_PROBABILITY] = { .id = 2, .unit = AT_PPM, .name = "probability",
		.help = "of a drop, before drops are spread" },
	[S_COUNT] = { .id = 3, .unit = AT_COUNT, .name = "count",
		.help = "packets that came since RED chose one" },
	[S_MARKS] = { .id = 4, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked by RED instead of dropped" },
	[S_EARLY_DROPS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "early_drops",
		.help = "packets dropped by RED at random" },
	[S_FORCED_DROPS] = { .id = 6, .unit = AT_COUNT, .counter = true, .name = "forced_drops",
		.help = "packets dropped by RED above the highest average" },
	[S_END] = { 0 },
};

static const struct at_stat red_row_stats[] = { { 0 } };

static struct red *red_priv(const struct at_qdisc *q)
{
	return (struct red *)q->state;
}

static const char *red_check(const struct at_vals *v, u16 *bad)
{
	if (*v[P_MIN].v <= *v[P_MAX].v)
		return NULL;
	*bad = P_MIN;
	return "must not be more than max";
}

static u64 red_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct red);
}

static struct at_red_params red_read_params(const struct at_vals *v)
{
	struct at_red_params k = at_red_params_of(*v[P_MIN].v, *v[P_MAX].v, *v[P_MAX_P].v, *v[P_WEIGHT].v,
						  *v[P_PACKET].v, *v[P_RATE].v);

	k.gentle = *v[P_GENTLE].v;
	k.from_link = !*v[P_IDLE].v;
	return k;
}

/* The average stays. A lower limit drops the oldest. */
static bool red_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct red *s = red_priv(q);

	(void)now;
	s->limit = *v[P_LIMIT].v;
	s->params = red_read_params(v);
	s->ecn = *v[P_ECN].v;
	s->hard = *v[P_HARD].v;
	while (q->qlen > s->limit)
		at_book_drop(q, at_line_pop(&s->line), AT_R_LIMIT);
	return false;
}

static void red_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct red *s = red_priv(q);

	s->random = seed;
	at_red_begin(&s->red, now);
	red_change(q, v, now);
}

static void red_reset(struct at_qdisc *q, u64 now)
{
	struct red *s = red_priv(q);

	while (q->qlen)
		at_book_drop(q, at_line_pop(&s->line), AT_R_RESET);
	at_red_begin(&s->red, now);
}

/* Whether RED's word, which is not that p passes, is a mark on p. */
static bool red_marks(struct red *s, enum at_red_verdict verdict, struct at_pkt *p)
{
	bool may = verdict == AT_RED_EARLY || (verdict == AT_RED_FORCED && !s->hard);

	return s->ecn && may && at_mark_ce(p);
}

static enum at_verdict red_refuse(struct at_qdisc *q, struct at_pkt *p, enum at_red_verdict verdict)
{
	struct red *s = red_priv(q);

	if (verdict == AT_RED_FULL)
		return at_book_refuse(q, p, AT_R_LIMIT);
	if (verdict == AT_RED_EARLY)
		s->early++;
	else
		s->forced++;
	return at_book_refuse(q, p, AT_R_EARLY);
}

static enum at_verdict red_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct red *s = red_priv(q);
	enum at_red_verdict verdict =
		at_red_arrives(&s->params, &s->red, q->qlen, q->qlen >= s->limit, &s->random, now);

	if (verdict != AT_RED_PASSES) {
		if (!red_marks(s, verdict, p))
			return red_refuse(q, p, verdict);
		s->marks++;
	}
	at_fifo_push(&s->line.fifo, p);
	at_book_in(q, p);
	return AT_OK;
}

static struct at_pkt *red_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct red *s = red_priv(q);
	struct at_pkt *p = at_line_first(q, &s->line);

	memset(t, 0, sizeof(*t));
	if (!p) {
		if (!q->qlen)
			at_red_idles(&s->params, &s->red, now);
		return NULL;
	}
	at_line_take(&s->line);
	at_book_out(q, p);
	at_red_departs(&s->red, now);
	return p;
}

static struct at_pkt *red_drain(struct at_qdisc *q)
{
	struct at_pkt *p = at_line_pop(&red_priv(q)->line);

	if (p)
		at_book_out(q, p);
	return p;
}

static void red_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	if (at_gate_turn(q, sta, open))
		at_line_turned(q, &red_priv(q)->line, sta, open);
}

/* The average falls while the queue is idle. */
static void red_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct red *s = red_priv(q);
	u64 average = at_red_shown(&s->params, &s->red, q->qlen, now);

	v[S_AVERAGE] = average >> 16;
	v[S_PROBABILITY] = at_red_probability(&s->params, average) * 15625 >> 26;	/* 10^6 = 15625 * 2^6 */
	v[S_COUNT] = s->red.count + 1 ? s->red.count : 0;
	v[S_MARKS] = s->marks;
	v[S_EARLY_DROPS] = s->early;
	v[S_FORCED_DROPS] = s->forced;
}

const struct at_ops at_red_ops = {
	.name = "red",
	.about = "one queue, with RED",
	.params = red_params,
	.stats = red_stats,
	.row_stats = red_row_stats,
	.check = red_check,
	.state_size = red_state_size,
	.init = red_init,
	.change = red_change,
	.reset = red_reset,
	.enqueue = red_enqueue,
	.dequeue = red_dequeue,
	.drain = red_drain,
	.gate = red_gate,
	.read = red_read,
};
