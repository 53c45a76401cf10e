/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * fred: one queue in order of arrival, with Flow Random Early Drop: RED that spares
 * flows with little queued and refuses those that take more than their share.
 *
 * Source: Lin and Morris, Dynamics of Random Early Detection, 1997, its variant for
 * many flows, in the form that Parris, Class-Based Thresholds, 2001, gives it
 * (III.3.3, figures 3.12 to 3.15).
 *
 * Rules
 *  - A packet that finds the queue full is dropped. That is no sample, and nothing
 *    else is looked at.
 *  - The average (red.h) is sampled when a packet is queued, by what is queued before
 *    it, and when one leaves, by what stays. An idle queue stands for the samples of 0
 *    that were missed, which an arrival takes.
 *  - idle=link: a queue is idle once the link finds it empty; before, an arrival to it
 *    takes a sample of 0. idle=queue: once its last packet left, and who arrives takes
 *    what was missed once more when it is queued (as printed by Parris).
 *  - The share of a flow is the average over the flows that have packets, of the last
 *    sample; at least one packet.
 *  - A packet is dropped whose flow has `min` packets, or its share and more than one
 *    strike. That is a strike.
 *  - Then, by the average: below `min` it is queued. From `min` to `max`, if its flow
 *    has `minq` packets and its share, RED chooses at random whether it is dropped.
 *    From `max` on it is dropped if its flow has two packets: that is no strike.
 *  - A flow is forgotten, with its strikes, when its last packet leaves.
 *  - ECN: a packet chosen at random is marked and queued where it allows that.
 *  - AT_URGENT packets go first within narrow bounds (urgent.h). They are no flow and
 *    no sample; where the queue is full the oldest of the others makes room. What is
 *    more is an ordinary flow.
 *  - Parked packets (gate.h) keep their place and count as queued.
 *
 * `flows` records are kept: with as many as `limit` every flow has its own. When all
 * are taken, the flows that come are one flow together until records are free.
 *
 * Cost: O(1) a packet; a division where RED has to choose. 35 bytes a flow.
 *
 * What this is not: no airtime, no classes but the urgent one; thresholds are packets,
 * not bytes. The average bounds nothing: with more than `limit` / 2 flows of two
 * packets the queue is full.
 *
 * Defaults: Parris's, table 5.1: 240 packets, thresholds 5 and 60, weight 1/256,
 * max_p 10 %, minq 2; a link of 10 Mb/s and packets of 1000 bytes; 256 flows, ECN.
 */
#include "airtab/align.h"
#include "airtab/flowtable.h"
#include "airtab/red.h"
#include "airtab/urgent.h"

enum {
	P_LIMIT, P_MIN, P_MAX, P_WEIGHT, P_MAX_P, P_RATE, P_PACKET, P_ECN, P_MINQ, P_FLOWS, P_IDLE, P_END
};
enum {
	S_AVERAGE, S_ACTIVE, S_MARKS, S_EARLY_DROPS, S_SHARE_DROPS, S_URGENT, S_URGENT_OVER, S_URGENT_AIR,
	S_END
};
enum { R_FLOW, R_BACKLOG, R_STRIKES, R_END };
#define OTHERS 0u		/* record of the flows that have none of their own */
#define NO_FLOW (1ull << 32)	/* beyond all hashes, as is the next one: urgent */
#define STRIKES 1u		/* more, and a flow is held to its share */
#define CALM 2u			/* packets that a flow may have whatever the average */

/* A flow with packets queued. */
struct fred_flow {
	struct at_flow_node node;
	u32 backlog, strikes;
};

_Static_assert(sizeof(struct fred_flow) + sizeof(u32) * 8 / 3 <= 35, "a flow takes 35 bytes");

struct fred {
	struct at_line line;
	struct at_urgent urgent;
	struct at_flowtable table;
	struct fred_flow *flows;	/* the others', then the table's */
	u64 limit, random, seq;		/* packets; state of the draws */
	u64 marks, early, share;
	struct at_red_params params;
	struct at_red red;		/* its average, count, time and whether it is idle; not whether it is above */
	u32 minq;
	u32 queued;			/* packets, without the urgent ones */
	u32 active, sharing;		/* flows with packets: now, and at the last sample */
	bool ecn;
};

enum fred_verdict { PASSES, EARLY, OVER };

static const char *const fred_idles[] = { "link", "queue", NULL };

static const struct at_param fred_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets that the queue holds", .source = "Parris T 5.1", .def = 240,
		.min = 1, .max = 1u << 20,
	},
	[P_MIN] = {
		.id = 2, .unit = AT_Q16, .max_len = 1, .name = "min",
		.help = "average queue, in packets, below which nothing is dropped at random; packets that a flow may have",
		.source = "Parris T 5.1", .def = 5 << 16, .min = 1 << 16,
		.max = 65535u << 16,
	},
	[P_MAX] = {
		.id = 3, .unit = AT_Q16, .max_len = 1, .name = "max",
		.help = "average queue, in packets, from which on a flow may have two",
		.source = "Parris T 5.1", .def = 60 << 16, .min = 1 << 16,
		.max = 65535u << 16,
	},
	[P_WEIGHT] = {
		.id = 4, .unit = AT_WEIGHT, .max_len = 1, .name = "weight",
		.help = "of an arrival or a departure in the average",
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
		.source = "Parris III.3.3", .def = 10000000, .min = 128000, .max = 4000000000u,
	},
	[P_PACKET] = {
		.id = 7, .unit = AT_BYTES, .max_len = 1, .name = "packet",
		.help = "usual size of a packet, for the same", .source = "Parris III.3.3",
		.def = 1000, .min = 1, .max = 65535,
	},
	[P_ECN] = {
		.id = 8, .unit = AT_BOOL, .max_len = 1, .name = "ecn",
		.help = "mark instead of drop at random where the packet allows", .source = "RFC 3168 7",
		.def = 1, .min = 0, .max = 1,
	},
	[P_MINQ] = {
		.id = 9, .unit = AT_COUNT, .max_len = 1, .name = "minq",
		.help = "packets of a flow below which none is dropped at random",
		.source = "Parris T 5.1", .def = 2, .min = 1, .max = 1u << 20,
	},
	[P_FLOWS] = {
		.id = 10, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "flows",
		.help = "flows with packets queued that are told apart", .source = "docs/fred.md",
		.def = 256, .min = 1, .max = 1u << 20,
	},
	[P_IDLE] = {
		.id = 11, .unit = AT_CHOICE, .max_len = 1, .name = "idle",
		.help = "start of idle time: the link finds the queue empty, or the last packet leaves the queue",
		.source = "Linux; Parris F 3.12", .def = 0, .min = 0, .max = 1, .choices = fred_idles,
	},
	[P_END] = { 0 },
};

static const struct at_stat fred_stats[] = {
	[S_AVERAGE] = { .id = 1, .unit = AT_Q16, .name = "average",
		.help = "queue in packets, as FRED takes it" },
	[S_ACTIVE] = { .id = 2, .unit = AT_COUNT, .name = "active",
		.help = "flows with packets queued" },
	[S_MARKS] = { .id = 3, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked by FRED instead of dropped" },
	[S_EARLY_DROPS] = { .id = 4, .unit = AT_COUNT, .counter = true, .name = "early_drops",
		.help = "packets dropped by FRED at random" },
	[S_SHARE_DROPS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "share_drops",
		.help = "packets dropped because their flow had its share queued" },
	[S_URGENT] = { .id = 6, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 7, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: an ordinary flow" },
	[S_URGENT_AIR] = { .id = 8, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets, nominal" },
	[S_END] = { 0 },
};

static const struct at_stat fred_row_stats[] = {
	[R_FLOW] = { .id = 1, .unit = AT_HEX, .name = "flow",
		.help = "flow hash; 100000000 = flows without a record, 100000001 = urgent" },
	[R_BACKLOG] = { .id = 2, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_STRIKES] = { .id = 3, .unit = AT_COUNT, .name = "strikes",
		.help = "packets dropped since it has some queued, because it had its share" },
	[R_END] = { 0 },
};

static struct fred *fred_priv(const struct at_qdisc *q)
{
	return (struct fred *)q->state;
}

/* ---- flows ---- */

/* The number of a packet's record, behind its sequence number. */
static void fred_set_flow(struct at_pkt *p, u32 i)
{
	memcpy((u8 *)at_priv(p) + sizeof(u64), &i, sizeof(i));
}

static u32 fred_flow_of(struct at_pkt *p)
{
	u32 i;

	memcpy(&i, (u8 *)at_priv(p) + sizeof(u64), sizeof(i));
	return i;
}

/* The number of a flow's record. A new one's first packet is not dropped. */
static u32 fred_find(struct fred *s, u32 key)
{
	u32 i = at_flows_find(&s->table, key);

	if (i)
		return i;
	i = at_flows_add(&s->table, key);
	if (i)
		s->flows[i].backlog = s->flows[i].strikes = 0;
	return i;
}

/* A packet of a flow left. Whose last it was is forgotten, and so are his strikes. */
static void fred_leaves(struct fred *s, u32 i)
{
	struct fred_flow *f = &s->flows[i];

	if (--f->backlog)
		return;
	s->active--;
	f->strikes = 0;
	if (i != OTHERS)
		at_flows_del(&s->table, i);
}

/* ---- the average ---- */

static u64 fred_average(const struct fred *s, u64 now)
{
	if (s->queued || !s->red.idle)
		return at_ewma_add(s->red.average, s->params.keep, s->queued);
	return at_red_idle_average(&s->params, &s->red, now);
}

static void fred_sample(struct fred *s, u64 now)
{
	s->red.average = fred_average(s, now);
	s->sharing = s->active;
	if (!s->params.from_link && !s->queued && !s->red.idle) {
		s->red.idle = true;
		at_red_departs(&s->red, now);
	}
}

/* ---- decisions ---- */

/* Whether a flow with so many packets has its share: average / sharing, or 1 if that is more. */
static bool fred_has_share(const struct fred *s, u32 backlog)
{
	u32 sharing = s->sharing ? s->sharing : 1;

	return backlog && (u64)backlog * sharing >= (s->red.average + AT_EWMA_ONE - 1) >> AT_EWMA_BITS;
}

static bool fred_chosen(struct fred *s)
{
	u64 pb = at_red_probability(&s->params, s->red.average);

	return at_red_hits(pb, s->red.count, (u32)(at_random_next(&s->random) >> 32));
}

/* What is said of an arrival of a flow, for which there is room. */
static enum fred_verdict fred_judge(struct fred *s, struct fred_flow *f)
{
	const struct at_red_params *k = &s->params;
	enum fred_verdict verdict = PASSES;

	if ((u64)f->backlog << AT_EWMA_BITS >= k->min || (f->strikes > STRIKES && fred_has_share(s, f->backlog))) {
		f->strikes++;
		return OVER;
	}
	if (s->red.average < k->min) {
		s->red.count = ~(u32)0;
		return PASSES;
	}
	if (s->red.average >= k->max) {
		verdict = f->backlog >= CALM ? OVER : PASSES;
	} else {
		s->red.count++;
		if (f->backlog >= s->minq && fred_has_share(s, f->backlog) && fred_chosen(s))
			verdict = EARLY;
	}
	if (verdict != PASSES)
		s->red.count = 0;
	return verdict;
}

/* ---- operations ---- */

static void fred_queue(struct at_qdisc *q, struct at_pkt *p)
{
	at_seq_set(p, fred_priv(q)->seq++);
	at_book_in(q, p);
}

/* p, an ordinary packet, was taken from the line. */
static void fred_departs(struct fred *s, struct at_pkt *p, u64 now)
{
	s->queued--;
	fred_sample(s, now);
	fred_leaves(s, fred_flow_of(p));
}

/* Takes the oldest ordinary packet; there is one. */
static struct at_pkt *fred_pop(struct fred *s, u64 now)
{
	struct at_pkt *p = at_line_pop(&s->line);

	fred_departs(s, p, now);
	return p;
}

static bool fred_over(const struct at_qdisc *q)
{
	const struct fred *s = fred_priv(q);

	return at_urgent_over(&s->urgent, q, s->limit, AT_NEVER);
}

static enum at_verdict fred_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct fred *s = fred_priv(q);
	enum fred_verdict verdict;
	struct fred_flow *f;
	u32 i;

	if (at_urgent_push(&s->urgent, q, p, s->limit, now)) {
		fred_queue(q, p);
		return fred_over(q) ? at_book_room(q, fred_pop(s, now), p, false, AT_OK) : AT_OK;
	}
	if (q->qlen >= s->limit)
		return at_book_refuse(q, p, AT_R_LIMIT);
	if (!s->queued)
		fred_sample(s, now);
	if (s->params.from_link)
		s->red.idle = false;
	i = fred_find(s, at_flow(p));
	f = &s->flows[i];
	verdict = fred_judge(s, f);
	if (verdict == OVER) {
		s->share++;
		return at_book_refuse(q, p, AT_R_CLASS);
	}
	if (verdict == EARLY) {
		if (!s->ecn || !at_mark_ce(p)) {
			s->early++;
			return at_book_refuse(q, p, AT_R_EARLY);
		}
		s->marks++;
	}
	if (!f->backlog++)
		s->active++;
	fred_sample(s, now);
	s->red.idle = false;
	s->queued++;
	at_fifo_push(&s->line.fifo, p);
	fred_set_flow(p, i);
	fred_queue(q, p);
	return AT_OK;
}

static struct at_pkt *fred_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct fred *s = fred_priv(q);
	struct at_pkt *p = at_urgent_take(&s->urgent, q);

	memset(t, 0, sizeof(*t));
	if (p) {
		s->urgent.sent++;
	} else {
		if (!at_line_first(q, &s->line)) {
			if (!s->queued)
				at_red_idles(&s->params, &s->red, now);
			return NULL;
		}
		p = at_line_take(&s->line);
		fred_departs(s, p, now);
	}
	at_book_out(q, p);
	return p;
}

/* Handed over: no sample. */
static struct at_pkt *fred_drain(struct at_qdisc *q)
{
	struct fred *s = fred_priv(q);
	struct at_pkt *p = s->line.fifo.head, *urgent = at_urgent_oldest(&s->urgent);

	if (urgent && (!p || at_seq(urgent) < at_seq(p))) {
		p = at_urgent_pop(&s->urgent, q);
	} else if (p) {
		at_line_pop(&s->line);
		s->queued--;
		fred_leaves(s, fred_flow_of(p));
	}
	if (p)
		at_book_out(q, p);
	return p;
}

static void fred_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct fred *s = fred_priv(q);

	(void)now;
	if (!at_gate_turn(q, sta, open))
		return;
	at_urgent_turned(&s->urgent, q, sta, open);
	at_line_turned(q, &s->line, sta, open);
}

/* ---- set-up ---- */

static const char *fred_check(const struct at_vals *v, u16 *bad)
{
	if (*v[P_MIN].v <= *v[P_MAX].v)
		return NULL;
	*bad = P_MIN;
	return "must not be more than max";
}

/* The state is struct fred, then the records and the buckets of their table. */
static u64 fred_records_bytes(u64 flows)
{
	return at_lines(AT_FLOWS_RECORDS(flows) * sizeof(struct fred_flow));
}

static u64 fred_state_size(const struct at_vals *v)
{
	u64 flows = *v[P_FLOWS].v;

	return at_lines(sizeof(struct fred)) + fred_records_bytes(flows) + at_flows_bytes((u32)flows) + AT_LINE;
}

/* A lower limit drops the oldest, urgent ones last. */
static bool fred_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct fred *s = fred_priv(q);

	s->limit = *v[P_LIMIT].v;
	s->params = at_red_params_of(*v[P_MIN].v, *v[P_MAX].v, *v[P_MAX_P].v, *v[P_WEIGHT].v,
				     *v[P_PACKET].v, *v[P_RATE].v);
	s->params.from_link = !*v[P_IDLE].v;
	s->minq = (u32)*v[P_MINQ].v;
	s->ecn = *v[P_ECN].v;
	while (fred_over(q))
		at_book_drop(q, fred_pop(s, now), AT_R_LIMIT);
	at_urgent_shrink(&s->urgent, q, s->limit);
	return false;
}

static void fred_begin(struct fred *s, u64 now)
{
	at_red_begin(&s->red, now);
	s->queued = s->active = s->sharing = 0;
	s->flows[OTHERS].backlog = s->flows[OTHERS].strikes = 0;
}

static void fred_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	u8 *records = at_first_line(q) + at_lines(sizeof(struct fred));
	u32 flows = (u32)*v[P_FLOWS].v;
	struct fred *s = fred_priv(q);

	s->flows = (void *)records;
	at_flows_init(&s->table, (void *)(records + fred_records_bytes(flows)), s->flows,
		      sizeof(struct fred_flow), flows, seed);
	s->random = seed;
	fred_begin(s, now);
	fred_change(q, v, now);
}

static void fred_reset(struct at_qdisc *q, u64 now)
{
	struct fred *s = fred_priv(q);
	struct at_pkt *p;

	while ((p = at_urgent_pop(&s->urgent, q)))
		at_book_drop(q, p, AT_R_RESET);
	while ((p = at_line_pop(&s->line)))
		at_book_drop(q, p, AT_R_RESET);
	at_flows_forget(&s->table);
	fred_begin(s, now);
}

/* ---- tables ---- */

/* The average falls while the queue is idle. */
static void fred_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct fred *s = fred_priv(q);
	u64 average = s->queued || !s->red.idle ? s->red.average : fred_average(s, now);

	v[S_AVERAGE] = average >> 16;
	v[S_ACTIVE] = s->active;
	v[S_MARKS] = s->marks;
	v[S_EARLY_DROPS] = s->early;
	v[S_SHARE_DROPS] = s->share;
	v[S_URGENT] = s->urgent.sent;
	v[S_URGENT_OVER] = s->urgent.over;
	v[S_URGENT_AIR] = s->urgent.air;
}

/* Place 0 is the urgent packets', then come the records. */
static u32 fred_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct fred *s = fred_priv(q);
	u32 i = cursor ? cursor - 1 : 0, end = s->table.fresh;

	(void)now;
	*found = true;
	cols[R_STRIKES] = 0;
	if (!cursor && s->urgent.len) {
		cols[R_FLOW] = NO_FLOW + 1;
		cols[R_BACKLOG] = s->urgent.len;
		return 1;
	}
	if (i < end && end - i > AT_ROWS)
		end = i + AT_ROWS;
	for (; i < end; i++) {
		const struct fred_flow *f = &s->flows[i];

		if (!f->backlog)
			continue;
		cols[R_FLOW] = i == OTHERS ? NO_FLOW : f->node.key;
		cols[R_BACKLOG] = f->backlog;
		cols[R_STRIKES] = f->strikes;
		return i + 2;
	}
	*found = false;
	return end < s->table.fresh ? end + 1 : 0;
}

const struct at_ops at_fred_ops = {
	.name = "fred",
	.about = "one queue, with RED that tells flows apart",
	.params = fred_params,
	.stats = fred_stats,
	.row_stats = fred_row_stats,
	.check = fred_check,
	.state_size = fred_state_size,
	.init = fred_init,
	.change = fred_change,
	.reset = fred_reset,
	.enqueue = fred_enqueue,
	.dequeue = fred_dequeue,
	.drain = fred_drain,
	.gate = fred_gate,
	.read = fred_read,
	.row = fred_row,
};
