/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * codel: one queue in order of arrival, whose delay CoDel keeps short.
 *
 * Source: RFC 8289, by codel.h, where the rules are; defaults as in Linux, but that
 * ECN is on. A packet that finds the queue full is dropped. Each one taken is judged
 * by how long it was queued; what counts as left behind it is all that is queued,
 * parked packets (gate.h) included.
 *
 * Cost: O(1) a packet, a square root a drop.
 *
 * What this is not: no flows (fq_codel), no classes and no urgent packets, no
 * airtime, no CE threshold.
 *
 * Defaults: 1000 packets, target 5 ms, interval 100 ms.
 */
#include "airtab/codel.h"
#include "airtab/gate.h"

enum { P_LIMIT, P_TARGET, P_INTERVAL, P_ECN, P_END };
enum { S_MARKS, S_DROPS, S_SOJOURN, S_DROPPING, S_COUNT, S_END };

struct codel {
	struct at_line line;
	u64 limit;
	struct at_codel_params params;
	struct at_codel codel;
	struct at_codel_stats total;
};

static const struct at_param codel_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets that the queue holds", .source = "Linux", .def = 1000, .min = 1,
		.max = 1u << 20,
	},
	[P_TARGET] = {
		.id = 2, .unit = AT_NS, .max_len = 1, .name = "target",
		.help = "sojourn time that the queue should stay below", .source = "RFC 8289 4.4",
		.def = AT_CODEL_TARGET, .min = 1000, .max = 4000000000u,
	},
	[P_INTERVAL] = {
		.id = 3, .unit = AT_NS, .max_len = 1, .name = "interval",
		.help = "how long it may be above: a usual round-trip time",
		.source = "RFC 8289 4.3", .def = AT_CODEL_INTERVAL, .min = 1000,
		.max = 4000000000u,
	},
	[P_ECN] = {
		.id = 4, .unit = AT_BOOL, .max_len = 1, .name = "ecn",
		.help = "mark instead of drop where the packet allows", .source = "RFC 8289 3.1",
		.def = 1, .min = 0, .max = 1,
	},
	[P_END] = { 0 },
};

static const struct at_stat codel_stats[] = {
	[S_MARKS] = { .id = 1, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked by CoDel instead of dropped" },
	[S_DROPS] = { .id = 2, .unit = AT_COUNT, .counter = true, .name = "codel_drops",
		.help = "packets dropped by CoDel" },
	[S_SOJOURN] = { .id = 3, .unit = AT_NS, .name = "sojourn",
		.help = "age of the oldest packet" },
	[S_DROPPING] = { .id = 4, .unit = AT_BOOL, .name = "dropping",
		.help = "CoDel drops or marks" },
	[S_COUNT] = { .id = 5, .unit = AT_COUNT, .name = "count", .help = "CoDel's count" },
	[S_END] = { 0 },
};

static const struct at_stat codel_row_stats[] = { { 0 } };

static struct codel *codel_priv(const struct at_qdisc *q)
{
	return (struct codel *)q->state;
}

static u64 codel_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct codel);
}

/* A lower limit drops the oldest. */
static bool codel_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct codel *s = codel_priv(q);

	(void)now;
	s->limit = *v[P_LIMIT].v;
	s->params = (struct at_codel_params){
		.target = (u32)*v[P_TARGET].v,
		.interval = (u32)*v[P_INTERVAL].v,
		.mtu = AT_CODEL_MTU,
		.ecn = *v[P_ECN].v,
	};
	while (q->qlen > s->limit)
		at_book_drop(q, at_line_pop(&s->line), AT_R_LIMIT);
	return false;
}

static void codel_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	codel_change(q, v, now);
}

static void codel_reset(struct at_qdisc *q, u64 now)
{
	struct codel *s = codel_priv(q);

	(void)now;
	while (q->qlen)
		at_book_drop(q, at_line_pop(&s->line), AT_R_RESET);
	s->codel = (struct at_codel){ 0 };
}

static enum at_verdict codel_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct codel *s = codel_priv(q);

	if (q->qlen >= s->limit)
		return at_book_refuse(q, p, AT_R_LIMIT);
	at_codel_stamp(p, now);
	at_fifo_push(&s->line.fifo, p);
	at_book_in(q, p);
	return AT_OK;
}

static struct at_pkt *codel_drain(struct at_qdisc *q)
{
	struct codel *s = codel_priv(q);
	struct at_pkt *p = at_line_pop(&s->line);

	if (!p)
		return NULL;
	at_book_out(q, p);
	if (!q->qlen)
		at_codel_empty(&s->codel);
	return p;
}

/* The last packet has nothing behind it: with that CoDel is calm. */
static struct at_pkt *codel_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct codel *s = codel_priv(q);
	struct at_pkt *p;

	memset(t, 0, sizeof(*t));
	at_codel_begin(&s->total);
	while ((p = at_line_first(q, &s->line))) {
		at_line_take(&s->line);
		if (!at_codel_drops(&s->params, &s->codel, &s->total, p, q->bytes - at_bytes(p), now)) {
			at_book_out(q, p);
			break;
		}
		at_book_drop(q, p, AT_R_AQM);
	}
	return p;
}

static void codel_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	if (at_gate_turn(q, sta, open))
		at_line_turned(q, &codel_priv(q)->line, sta, open);
}

static void codel_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct codel *s = codel_priv(q);

	v[S_MARKS] = s->total.marks;
	v[S_DROPS] = s->total.drops;
	v[S_SOJOURN] = q->qlen ? at_codel_sojourn(s->line.fifo.head, now) : 0;
	v[S_DROPPING] = s->codel.state != AT_CODEL_CALM;
	v[S_COUNT] = s->codel.count;
}

const struct at_ops at_codel_ops = {
	.name = "codel",
	.about = "one queue, with CoDel",
	.params = codel_params,
	.stats = codel_stats,
	.row_stats = codel_row_stats,
	.state_size = codel_state_size,
	.init = codel_init,
	.change = codel_change,
	.reset = codel_reset,
	.enqueue = codel_enqueue,
	.dequeue = codel_dequeue,
	.drain = codel_drain,
	.gate = codel_gate,
	.read = codel_read,
};
