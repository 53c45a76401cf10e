/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * fq_codel: flows take turns by bytes, a flow that was idle goes first, and
 * CoDel keeps each flow's own queue short.
 *
 * Source: RFC 8290; defaults and overflow as in Linux.
 *
 * Rules
 *  - A packet joins the queue that the hash of its flow selects, one of
 *    `flows`; flows that collide share a queue.
 *  - Deficit round robin: a queue at the head of its list sends until it has
 *    used `quantum` bytes, then goes to the end of the old queues. The new ones
 *    (packets came after it was idle) are served before the old ones. A new
 *    queue that runs empty becomes an old one all the same, or else a flow that
 *    sends just one packet at a time would always be new.
 *  - CoDel (codel.h) decides over each packet taken, per queue.
 *  - When limit or memory is exceeded, the queue with the most bytes loses from
 *    its head half of them, at most `drop_batch` packets; CoDel counts them.
 *  - A queue with packets of closed stations alone (gate.h) is passed over and keeps
 *    its place and its deficit; of one that stations share, the others' packets go.
 *  - AT_URGENT packets go first within narrow bounds (urgent.h), past CoDel, and
 *    are never victims. What is more, and multicast, is hashed like any flow.
 *
 * Cost: O(1) a packet, amortised. The longest queue is found by a scan over a bit for
 * each (128 bytes at the default) and the byte counts of those with packets, once a
 * batch. A call drops no more than AT_QUEUES_WORK allows: a lower limit, and very many
 * queues, take several.
 * Queues that are passed over are looked at once, and all of them again, O(queues),
 * when a packet that may go joins one of them, as stations share it. A drain is
 * O(queues), a gate O(queues + packets).
 *
 * All but the hash is in flowqueues.h.
 *
 * What this is not: no airtime and no stations (a byte to a slow station counts
 * like any other), no CE threshold, no hash of the host's choice.
 *
 * Defaults: 1024 queues, 10240 packets, 32 MiB, quantum 1514, target 5 ms,
 * interval 100 ms, ECN, batches of 64.
 */
#include "airtab/flowqueues.h"
#include "airtab/hash.h"

enum { P_LIMIT, P_MEMORY, P_FLOWS, P_QUANTUM, P_TARGET, P_INTERVAL, P_ECN, P_DROP_BATCH,
       P_END };
enum { S_NEW, S_OLD, S_NEW_FLOWS, S_MARKS, S_CODEL_DROPS, S_OVERFLOWS, S_URGENT,
       S_URGENT_OVER, S_URGENT_AIR, S_END };
enum { R_QUEUE, R_BACKLOG, R_BACKLOG_BYTES, R_NEW, R_SOJOURN, R_DROPPING, R_COUNT, R_FLOW, R_END };
#define NO_FLOW (1ull << 32)	/* beyond all hashes, as is the next one: urgent */

/* All queues are of one tin. */
struct fq_codel {
	u64 hash;
	struct at_queues queues;
	struct at_tin tin;
};

static const struct at_param fq_codel_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all queues together", .source = "RFC 8290 5.2.1; Linux",
		.def = 10240, .min = 1, .max = 1u << 20,
	},
	[P_MEMORY] = {
		.id = 2, .unit = AT_BYTES, .max_len = 1, .name = "memory",
		.help = "bytes of all queues together", .source = "Linux memory_limit",
		.def = 32u << 20, .min = 1u << 16, .max = 1u << 31,
	},
	[P_FLOWS] = {
		.id = 3, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "flows",
		.help = "queues that flows are hashed to", .source = "RFC 8290 5.2.4", .def = 1024,
		.min = 1, .max = 65536,
	},
	[P_QUANTUM] = {
		.id = 4, .unit = AT_BYTES, .max_len = 1, .name = "quantum",
		.help = "bytes that a queue sends in its turn", .source = "RFC 8290 5.2.3",
		.def = AT_CODEL_MTU, .min = 256, .max = 1u << 20,
	},
	[P_TARGET] = {
		.id = 5, .unit = AT_NS, .max_len = 1, .name = "target",
		.help = "sojourn time that a queue should stay below", .source = "RFC 8289 4.4",
		.def = AT_CODEL_TARGET, .min = 1000, .max = 4000000000u,
	},
	[P_INTERVAL] = {
		.id = 6, .unit = AT_NS, .max_len = 1, .name = "interval",
		.help = "how long it may be above: a usual round-trip time",
		.source = "RFC 8289 4.3", .def = AT_CODEL_INTERVAL, .min = 1000,
		.max = 4000000000u,
	},
	[P_ECN] = {
		.id = 7, .unit = AT_BOOL, .max_len = 1, .name = "ecn",
		.help = "mark instead of drop where the packet allows", .source = "RFC 8290 5.2.7",
		.def = 1, .min = 0, .max = 1,
	},
	[P_DROP_BATCH] = {
		.id = 8, .unit = AT_COUNT, .max_len = 1, .name = "drop_batch",
		.help = "packets dropped at most for one overflow", .source = "Linux", .def = 64,
		.min = 1, .max = 65536,
	},
	[P_END] = { 0 },
};

static const struct at_stat fq_codel_stats[] = {
	[S_NEW] = { .id = 1, .unit = AT_COUNT, .name = "new",
		.help = "queues in the list of new ones" },
	[S_OLD] = { .id = 2, .unit = AT_COUNT, .name = "old",
		.help = "queues in the list of old ones" },
	[S_NEW_FLOWS] = { .id = 3, .unit = AT_COUNT, .counter = true, .name = "new_flows",
		.help = "times that an idle queue became a new one" },
	[S_MARKS] = { .id = 4, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked by CoDel instead of dropped" },
	[S_CODEL_DROPS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "codel_drops",
		.help = "packets dropped by CoDel" },
	[S_OVERFLOWS] = { .id = 6, .unit = AT_COUNT, .counter = true, .name = "overflows",
		.help = "times that the longest queue made room" },
	[S_URGENT] = { .id = 7, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: an ordinary flow" },
	[S_URGENT_AIR] = { .id = 9, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets, nominal" },
	[S_END] = { 0 },
};

static const struct at_stat fq_codel_row_stats[] = {
	[R_QUEUE] = { .id = 1, .unit = AT_COUNT, .name = "queue",
		.help = "number of the queue; one above the last: urgent packets" },
	[R_BACKLOG] = { .id = 2, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 3, .unit = AT_BYTES, .name = "backlog_bytes",
		.help = "bytes queued" },
	[R_NEW] = { .id = 4, .unit = AT_BOOL, .name = "new", .help = "in the list of new queues" },
	[R_SOJOURN] = { .id = 5, .unit = AT_NS, .name = "sojourn",
		.help = "age of the oldest packet" },
	[R_DROPPING] = { .id = 6, .unit = AT_BOOL, .name = "dropping",
		.help = "CoDel drops or marks" },
	[R_COUNT] = { .id = 7, .unit = AT_COUNT, .name = "count", .help = "CoDel's count" },
	[R_FLOW] = { .id = 8, .unit = AT_HEX, .name = "flow",
		.help = "flow hash of the oldest packet; 100000000 = none, 100000001 = urgent" },
	[R_END] = { 0 },
};

static struct fq_codel *fq_codel_priv(const struct at_qdisc *q)
{
	return (struct fq_codel *)q->state;
}

/* The hash, scaled to the number of queues. */
static u32 fq_codel_queue_of(const struct fq_codel *s, const struct at_pkt *p)
{
	return (u32)((u64)at_hash(s->hash, at_flow(p)) * s->queues.n >> 32);
}

/* ---- operations ---- */

static enum at_verdict fq_codel_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct fq_codel *s = fq_codel_priv(q);

	if (!at_urgent_push(&s->queues.urgent, q, p, s->queues.limit, now))
		at_queues_push(q, &s->queues, fq_codel_queue_of(s, p), 0, p);
	return at_queues_came(q, &s->queues, p, now);
}

static struct at_pkt *fq_codel_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct fq_codel *s = fq_codel_priv(q);
	struct at_pkt *p = at_urgent_take(&s->queues.urgent, q);

	*t = (struct at_ticket){ 0 };
	at_codel_begin(&s->queues.total);
	s->queues.urgent.sent += !!p;
	if (!p)
		p = at_queues_next(q, &s->queues, 0, now);
	if (p)
		at_book_out(q, p);
	return p;
}

/* Oldest over all queues. A scan of those in a list, as all with packets are:
 * handing over is rare, but a real-time host waits for it. */
static struct at_pkt *fq_codel_drain(struct at_qdisc *q)
{
	struct fq_codel *s = fq_codel_priv(q);
	struct at_pkt *p = at_urgent_oldest(&s->queues.urgent);
	u32 from = s->queues.n;

	at_rounds_look_again(&s->tin.rounds, at_queues_seats(&s->queues));
	at_queues_oldest(&s->queues, &s->tin, &p, &from);
	if (!p)
		return NULL;
	p = from < s->queues.n ? at_queues_take(q, &s->queues, from) : at_urgent_pop(&s->queues.urgent, q);
	at_book_out(q, p);
	return p;
}

static void fq_codel_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct fq_codel *s = fq_codel_priv(q);

	(void)now;
	if (!at_gate_turn(q, sta, open))
		return;
	at_urgent_turned(&s->queues.urgent, q, sta, open);
	at_queues_turned(q, &s->queues, 0, sta, open);
}

/* ---- set-up ---- */

/* The state is struct fq_codel, then the queues and their counts. */
static u64 fq_codel_state_size(const struct at_vals *v)
{
	return at_lines(sizeof(struct fq_codel)) + at_queues_bytes(*v[P_FLOWS].v) + AT_LINE;
}

static bool fq_codel_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct at_queues *s = &fq_codel_priv(q)->queues;

	(void)now;
	s->limit = *v[P_LIMIT].v;
	s->memory = *v[P_MEMORY].v;
	s->quantum = (u32)*v[P_QUANTUM].v;
	s->batch = *v[P_DROP_BATCH].v;
	s->signals = true;
	s->codel = (struct at_codel_params){
		.target = (u32)*v[P_TARGET].v,
		.interval = (u32)*v[P_INTERVAL].v,
		.mtu = AT_CODEL_MTU,
		.ecn = *v[P_ECN].v,
	};
	return at_queues_shrink(q, s);
}

static void fq_codel_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct fq_codel *s = fq_codel_priv(q);

	at_queues_init(&s->queues, at_first_line(q) + at_lines(sizeof(struct fq_codel)),
		       (u32)*v[P_FLOWS].v, &s->tin);
	s->hash = at_hash_multiplier(seed);
	fq_codel_change(q, v, now);
}

static void fq_codel_reset(struct at_qdisc *q, u64 now)
{
	struct at_queues *s = &fq_codel_priv(q)->queues;
	struct at_pkt *p;

	(void)now;
	while ((p = at_urgent_pop(&s->urgent, q)))
		at_book_drop(q, p, AT_R_RESET);
	at_queues_clear(q, s, 0);
	s->resets++;
}

/* ---- tables ---- */

static void fq_codel_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct at_queues *s = &fq_codel_priv(q)->queues;
	const struct at_rounds *r = &s->tins[0].rounds;

	(void)now;
	v[S_NEW] = r->lists[AT_ROUNDS_NEW].len + r->passed[AT_ROUNDS_NEW].len;
	v[S_OLD] = r->lists[AT_ROUNDS_OLD].len + r->passed[AT_ROUNDS_OLD].len;
	v[S_NEW_FLOWS] = s->n_new;
	v[S_MARKS] = s->total.marks;
	v[S_CODEL_DROPS] = s->total.drops;
	v[S_OVERFLOWS] = s->n_overflows;
	v[S_URGENT] = s->urgent.sent;
	v[S_URGENT_OVER] = s->urgent.over;
	v[S_URGENT_AIR] = s->urgent.air;
}

static u32 fq_codel_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct at_queues *s = &fq_codel_priv(q)->queues;
	u32 end = cursor < s->n && s->n - cursor > AT_ROWS ? cursor + AT_ROWS : s->n;

	*found = true;
	for (u32 i = cursor; i < end; i++) {
		const struct at_queue *f = &s->at[i];

		if (f->seat.list == AT_ROUNDS_NONE)
			continue;
		cols[R_QUEUE] = i;
		cols[R_BACKLOG] = f->qlen;
		cols[R_BACKLOG_BYTES] = s->bytes[i];
		cols[R_NEW] = f->seat.list == AT_ROUNDS_NEW;
		cols[R_SOJOURN] = f->qlen ? at_codel_sojourn(f->fifo.head, now) : 0;
		cols[R_DROPPING] = f->codel.state != AT_CODEL_CALM;
		cols[R_COUNT] = f->codel.count;
		cols[R_FLOW] = f->qlen ? at_flow(f->fifo.head) : NO_FLOW;
		return i + 1;
	}
	*found = false;
	if (end < s->n)
		return end;
	if (cursor > s->n || !s->urgent.len)
		return 0;
	*found = true;
	cols[R_QUEUE] = s->n;
	cols[R_BACKLOG] = s->urgent.len;
	cols[R_BACKLOG_BYTES] = s->urgent.bytes;
	cols[R_NEW] = 0;
	cols[R_SOJOURN] = at_codel_sojourn(at_urgent_oldest(&s->urgent), now);
	cols[R_DROPPING] = 0;
	cols[R_COUNT] = 0;
	cols[R_FLOW] = NO_FLOW + 1;
	return s->n + 1;
}

const struct at_ops at_fq_codel_ops = {
	.name = "fq_codel",
	.about = "flows take turns by bytes, idle ones first, each with CoDel",
	.params = fq_codel_params,
	.stats = fq_codel_stats,
	.row_stats = fq_codel_row_stats,
	.state_size = fq_codel_state_size,
	.init = fq_codel_init,
	.change = fq_codel_change,
	.reset = fq_codel_reset,
	.enqueue = fq_codel_enqueue,
	.dequeue = fq_codel_dequeue,
	.drain = fq_codel_drain,
	.gate = fq_codel_gate,
	.read = fq_codel_read,
	.row = fq_codel_row,
};
