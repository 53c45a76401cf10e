/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * pie: one queue in order of arrival, whose delay PIE keeps short.
 *
 * Source: RFC 8033, by pie.h, where the rules are; defaults as in RFC 8033 and
 * Linux, but that ECN is on. A packet that finds the queue full is dropped; each
 * other one may be dropped or marked before it is queued. Linux 3.17 is target=20ms
 * tupdate=30ms delay=rate burst=100ms derandomize=off ecn=off.
 *
 * Cost: O(1) a packet; an update each `tupdate`, made up for at the next call, at
 * most AT_PIE_MOST of them. Two divisions an update, one a measurement of the rate.
 *
 * What this is not: no flows, no classes and no urgent packets, no airtime. Parked
 * packets (gate.h) count as queued.
 *
 * Defaults: 1000 packets, target 15 ms, an update each 15 ms, alpha 0.125, beta
 * 1.25, a burst of 150 ms, marks below 10 %.
 */
#include "airtab/codel.h"
#include "airtab/gate.h"
#include "airtab/pie.h"

enum { P_LIMIT, P_TARGET, P_TUPDATE, P_ALPHA, P_BETA, P_BURST, P_DELAY, P_ECN, P_MARK_ECNTH,
       P_DERANDOMIZE, P_END };
enum { S_PROBABILITY, S_DELAY, S_BURST, S_MARKS, S_EARLY_DROPS, S_RATE, S_END };
enum { TIMESTAMP, RATE };	/* values of `delay` */

struct pie {
	struct at_line line;
	u64 limit, random, marks;
	struct at_pie_params params;
	struct at_pie pie;
};

static const char *const pie_delays[] = { "timestamp", "rate", NULL };

static const struct at_param pie_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets that the queue holds", .source = "Linux", .def = 1000, .min = 1,
		.max = 1u << 20,
	},
	[P_TARGET] = {
		.id = 2, .unit = AT_NS, .max_len = 1, .name = "target",
		.help = "delay that the queue is kept at", .source = "RFC 8033 4.2",
		.def = 15000000, .min = 1000, .max = 4000000000u,
	},
	[P_TUPDATE] = {
		.id = 3, .unit = AT_NS, .max_len = 1, .name = "tupdate",
		.help = "time between two updates of the probability", .source = "RFC 8033 4.2",
		.def = 15000000, .min = 1000000, .max = 4000000000u,
	},
	[P_ALPHA] = {
		.id = 4, .unit = AT_PPM, .max_len = 1, .name = "alpha",
		.help = "weight of the delay above target, a second", .source = "RFC 8033 4.2",
		.def = 125000, .min = 0, .max = 16000000,
	},
	[P_BETA] = {
		.id = 5, .unit = AT_PPM, .max_len = 1, .name = "beta",
		.help = "weight of what the delay has grown by, a second",
		.source = "RFC 8033 4.2", .def = 1250000, .min = 0, .max = 16000000,
	},
	[P_BURST] = {
		.id = 6, .unit = AT_NS, .max_len = 1, .name = "burst",
		.help = "how long nothing is dropped once there was no congestion",
		.source = "RFC 8033 4.4", .def = 150000000, .min = 0, .max = 4000000000u,
	},
	[P_DELAY] = {
		.id = 7, .unit = AT_CHOICE, .max_len = 1, .name = "delay",
		.help = "what the delay is taken from: how long packets were queued, or the rate of departures",
		.source = "RFC 8033 4.3, 5.2", .def = TIMESTAMP, .min = TIMESTAMP, .max = RATE,
		.choices = pie_delays,
	},
	[P_ECN] = {
		.id = 8, .unit = AT_BOOL, .max_len = 1, .name = "ecn",
		.help = "mark instead of drop where the packet allows", .source = "RFC 8033 5.1",
		.def = 1, .min = 0, .max = 1,
	},
	[P_MARK_ECNTH] = {
		.id = 9, .unit = AT_PPM, .max_len = 1, .name = "mark_ecnth",
		.help = "probability from which on packets are dropped, not marked",
		.source = "RFC 8033 5.1", .def = 100000, .min = 0, .max = 1000000,
	},
	[P_DERANDOMIZE] = {
		.id = 10, .unit = AT_BOOL, .max_len = 1, .name = "derandomize",
		.help = "spread drops evenly", .source = "RFC 8033 5.4", .def = 1, .min = 0,
		.max = 1,
	},
	[P_END] = { 0 },
};

static const struct at_stat pie_stats[] = {
	[S_PROBABILITY] = { .id = 1, .unit = AT_PPM, .name = "probability",
		.help = "of a drop, of each packet that arrives" },
	[S_DELAY] = { .id = 2, .unit = AT_NS, .name = "delay", .help = "of the queue, as PIE takes it" },
	[S_BURST] = { .id = 3, .unit = AT_NS, .name = "burst_left",
		.help = "for so long nothing is dropped yet" },
	[S_MARKS] = { .id = 4, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked by PIE instead of dropped" },
	[S_EARLY_DROPS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "early_drops",
		.help = "packets dropped by PIE" },
	[S_RATE] = { .id = 6, .unit = AT_BPS, .name = "rate",
		.help = "of departures, as measured; 0 = not measured" },
	[S_END] = { 0 },
};

static const struct at_stat pie_row_stats[] = { { 0 } };

static struct pie *pie_priv(const struct at_qdisc *q)
{
	return (struct pie *)q->state;
}

static u64 pie_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct pie);
}

/* Parts in a million, to the nearest. */
static u32 pie_weight(u64 ppm)
{
	return (u32)at_div((ppm << AT_PIE_WEIGHT) + 500000, 1000000);
}

static struct at_pie_params pie_read_params(const struct at_vals *v)
{
	return (struct at_pie_params){
		.burst = *v[P_BURST].v,
		/* parts in a million: 20 bits, so that two shifts stay within 64 */
		.mark_below = at_div(*v[P_MARK_ECNTH].v << 44, 1000000) << (AT_PIE_BITS - 44),
		.target = (u32)*v[P_TARGET].v,
		.update = (u32)*v[P_TUPDATE].v,
		.alpha = pie_weight(*v[P_ALPHA].v),
		.beta = pie_weight(*v[P_BETA].v),
		.ecn = *v[P_ECN].v,
		.by_rate = *v[P_DELAY].v == RATE,
		.derandomize = *v[P_DERANDOMIZE].v,
	};
}

static void pie_catch_up(struct at_qdisc *q, u64 now)
{
	at_pie_catch_up(&pie_priv(q)->params, &pie_priv(q)->pie, q->bytes, now);
}

/* Updates that are due are made by the values of before. A lower limit drops the
 * oldest. */
static bool pie_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct pie *s = pie_priv(q);
	bool by_rate = s->params.by_rate;

	pie_catch_up(q, now);
	s->limit = *v[P_LIMIT].v;
	s->params = pie_read_params(v);
	if (s->pie.next > now + s->params.update)
		s->pie.next = now + s->params.update;
	if (s->params.by_rate != by_rate)
		s->pie.rate = 0;
	if (s->params.by_rate != by_rate || q->qlen > s->limit)
		at_pie_disturbed(&s->params, &s->pie, q->bytes);
	while (q->qlen > s->limit)
		at_book_drop(q, at_line_pop(&s->line), AT_R_LIMIT);
	return false;
}

static void pie_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct pie *s = pie_priv(q);

	s->random = seed;
	s->limit = *v[P_LIMIT].v;
	s->params = pie_read_params(v);
	at_pie_begin(&s->params, &s->pie, now);
}

static void pie_reset(struct at_qdisc *q, u64 now)
{
	struct pie *s = pie_priv(q);

	while (q->qlen)
		at_book_drop(q, at_line_pop(&s->line), AT_R_RESET);
	at_pie_begin(&s->params, &s->pie, now);
}

static enum at_verdict pie_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct pie *s = pie_priv(q);

	pie_catch_up(q, now);
	if (q->qlen >= s->limit) {
		s->pie.sum = 0;
		return at_book_refuse(q, p, AT_R_LIMIT);
	}
	if (at_pie_signals(&s->params, &s->pie, q->bytes, &s->random)) {
		if (!at_pie_marks(&s->params, &s->pie, p))
			return at_book_refuse(q, p, AT_R_EARLY);
		s->marks++;
	}
	at_codel_stamp(p, now);
	at_fifo_push(&s->line.fifo, p);
	at_book_in(q, p);
	return AT_OK;
}

static struct at_pkt *pie_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct pie *s = pie_priv(q);
	struct at_pkt *p = at_line_first(q, &s->line);

	memset(t, 0, sizeof(*t));
	if (!p)
		return NULL;
	pie_catch_up(q, now);
	at_line_take(&s->line);
	at_book_out(q, p);
	at_pie_departs(&s->params, &s->pie, at_codel_sojourn(p, now), at_bytes(p), q->bytes, now);
	return p;
}

static struct at_pkt *pie_drain(struct at_qdisc *q)
{
	struct pie *s = pie_priv(q);
	struct at_pkt *p = at_line_pop(&s->line);

	if (p) {
		at_book_out(q, p);
		at_pie_disturbed(&s->params, &s->pie, q->bytes);
	}
	return p;
}

static void pie_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	if (at_gate_turn(q, sta, open))
		at_line_turned(q, &pie_priv(q)->line, sta, open);
}

/* As if the updates that are due were made. */
static void pie_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct pie *s = pie_priv(q);
	struct at_pie c = s->pie;

	at_pie_catch_up(&s->params, &c, q->bytes, now);
	v[S_PROBABILITY] = c.prob * 15625 >> (AT_PIE_BITS - 6);	/* 10^6 = 15625 * 2^6 */
	v[S_DELAY] = c.delay;
	v[S_BURST] = c.burst;
	v[S_MARKS] = s->marks;
	v[S_EARLY_DROPS] = q->dropped[AT_R_EARLY];
	v[S_RATE] = (c.rate >> 8) * 7812500 >> 14;		/* 8 * 10^9 / 2^32 */
}

const struct at_ops at_pie_ops = {
	.name = "pie",
	.about = "one queue, with PIE",
	.params = pie_params,
	.stats = pie_stats,
	.row_stats = pie_row_stats,
	.state_size = pie_state_size,
	.init = pie_init,
	.change = pie_change,
	.reset = pie_reset,
	.enqueue = pie_enqueue,
	.dequeue = pie_dequeue,
	.drain = pie_drain,
	.gate = pie_gate,
	.read = pie_read,
};
