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
 *    its head half of them, at most `drop_batch` packets.
 *  - AT_URGENT packets go first within narrow bounds (urgent.h), past CoDel, and
 *    are never victims. What is more, and multicast, is hashed like any flow.
 *
 * Cost: O(1) a packet, amortised. The longest queue is found by a scan over all
 * byte counts (4 KiB of them at the default), once a batch: with one fat flow
 * 16 counts for each of 64 packets dropped. A call drops no more than WORK allows:
 * a lower limit, and very many queues, take several.
 *
 * What this is not: no airtime and no stations (a byte to a slow station counts
 * like any other), no CE threshold, no hash of the host's choice.
 *
 * Defaults: 1024 queues, 10240 packets, 32 MiB, quantum 1514, target 5 ms,
 * interval 100 ms, ECN, batches of 64.
 */
#include "airtab/codel.h"
#include "airtab/fifo.h"
#include "airtab/hash.h"
#include "airtab/urgent.h"

enum { P_LIMIT, P_MEMORY, P_FLOWS, P_QUANTUM, P_TARGET, P_INTERVAL, P_ECN, P_BATCH };
enum { NONE, NEW, OLD, LISTS };

#define LINE 64u		/* cache line */
#define WORK 262144u		/* byte counts that a call may look at: milliseconds */
#define DROP_WORK 16u		/* a drop takes as long as so many looks */

struct queue {
	struct at_fifo fifo;
	struct at_codel codel;
	s64 deficit;		/* bytes; may send while above 0 */
	u32 qlen;
	u32 next;		/* in its list */
	u8 list;		/* NEW, OLD, or NONE: idle */
	u32 epoch;		/* `resets` when CoDel's state began */
};

_Static_assert(sizeof(struct queue) <= LINE, "a queue is one cache line");

/* Of queues, linked by number. */
struct list {
	u32 head, tail, len;
};

struct fq_codel {
	u64 limit, memory, batch, seq, hash;
	u32 n, quantum, resets;
	struct at_codel_params codel;
	struct at_codel_stats total;
	struct list lists[LISTS];
	struct at_urgent urgent;
	u64 n_new, n_overflows;
	struct queue *queues;
	u32 *bytes;		/* of each queue: apart, for the scan */
};

static const struct at_param params[] = {
	{ 1, AT_COUNT, 0, 1, "limit", "packets of all queues together", "RFC 8290 5.2.1; Linux",
	  10240, 1, 1u << 20, NULL },
	{ 2, AT_BYTES, 0, 1, "memory", "bytes of all queues together", "Linux memory_limit",
	  32u << 20, 1u << 16, 1u << 31, NULL },
	{ 3, AT_COUNT, AT_P_INIT, 1, "flows", "queues that flows are hashed to", "RFC 8290 5.2.4",
	  1024, 1, 65536, NULL },
	{ 4, AT_BYTES, 0, 1, "quantum", "bytes that a queue sends in its turn", "RFC 8290 5.2.3",
	  AT_CODEL_MTU, 256, 1u << 20, NULL },
	{ 5, AT_NS, 0, 1, "target", "sojourn time that a queue should stay below", "RFC 8289 4.4",
	  AT_CODEL_TARGET, 1000, 4000000000u, NULL },
	{ 6, AT_NS, 0, 1, "interval", "how long it may be above: a usual round-trip time",
	  "RFC 8289 4.3", AT_CODEL_INTERVAL, 1000, 4000000000u, NULL },
	{ 7, AT_BOOL, 0, 1, "ecn", "mark instead of drop where the packet allows", "RFC 8290 5.2.7",
	  1, 0, 1, NULL },
	{ 8, AT_COUNT, 0, 1, "drop_batch", "packets dropped at most for one overflow", "Linux",
	  64, 1, 65536, NULL },
	{ 0 },
};

static const struct at_stat stats[] = {
	{ 1, AT_COUNT, false, "new", "queues in the list of new ones" },
	{ 2, AT_COUNT, false, "old", "queues in the list of old ones" },
	{ 3, AT_COUNT, true, "new_flows", "times that an idle queue became a new one" },
	{ 4, AT_COUNT, true, "marks", "packets marked by CoDel instead of dropped" },
	{ 5, AT_COUNT, true, "codel_drops", "packets dropped by CoDel" },
	{ 6, AT_COUNT, true, "overflows", "times that the longest queue made room" },
	{ 7, AT_COUNT, true, "urgent", "urgent packets sent first" },
	{ 8, AT_COUNT, true, "urgent_over", "urgent packets beyond the bounds: an ordinary flow" },
	{ 9, AT_NS, true, "urgent_air", "airtime charged to urgent packets, nominal" },
	{ 0 },
};

static const struct at_stat row_stats[] = {
	{ 1, AT_COUNT, false, "queue", "number of the queue; one above the last: urgent packets" },
	{ 2, AT_COUNT, false, "backlog", "packets queued" },
	{ 3, AT_BYTES, false, "backlog_bytes", "bytes queued" },
	{ 4, AT_BOOL, false, "new", "in the list of new queues" },
	{ 5, AT_NS, false, "sojourn", "age of the oldest packet" },
	{ 6, AT_BOOL, false, "dropping", "CoDel drops or marks" },
	{ 7, AT_COUNT, false, "count", "CoDel's count" },
	{ 0 },
};

static struct fq_codel *priv(const struct at_qdisc *q)
{
	return (struct fq_codel *)q->state;
}

/* ---- lists of queues ---- */

static void append(struct fq_codel *s, u32 i, u8 list)
{
	struct list *l = &s->lists[list];

	s->queues[i].list = list;
	if (l->len++)
		s->queues[l->tail].next = i;
	else
		l->head = i;
	l->tail = i;
}

/* Takes the first of a list that has one. */
static u32 pop_list(struct fq_codel *s, u8 list)
{
	struct list *l = &s->lists[list];
	u32 i = l->head;

	s->queues[i].list = NONE;
	l->head = s->queues[i].next;
	l->len--;
	return i;
}

/* ---- one queue ---- */

/* The hash, scaled to the number of queues. */
static u32 queue_of(const struct fq_codel *s, const struct at_pkt *p)
{
	return (u32)((u64)at_hash(s->hash, at_flow(p)) * s->n >> 32);
}

static void push(struct fq_codel *s, u32 i, struct at_pkt *p)
{
	struct queue *f = &s->queues[i];

	at_fifo_push(&f->fifo, p);
	f->qlen++;
	s->bytes[i] += at_bytes(p);
	if (f->list == NONE) {
		if (f->epoch != s->resets) {
			memset(&f->codel, 0, sizeof(f->codel));
			f->epoch = s->resets;
		}
		f->deficit = s->quantum;
		append(s, i, NEW);
		s->n_new++;
	}
}

/* The oldest packet, or NULL. */
static struct at_pkt *take(struct fq_codel *s, u32 i)
{
	struct queue *f = &s->queues[i];
	struct at_pkt *p = at_fifo_pop(&f->fifo);

	if (!p)
		return NULL;
	s->bytes[i] -= at_bytes(p);
	if (!--f->qlen)
		at_codel_empty(&f->codel);
	return p;
}

/* What CoDel lets out next, or NULL: empty. */
static struct at_pkt *take_controlled(struct at_qdisc *q, u32 i, u64 now)
{
	struct fq_codel *s = priv(q);
	struct at_codel *codel = &s->queues[i].codel;
	struct at_pkt *p;

	while ((p = take(s, i))) {
		if (!at_codel_drops(&s->codel, codel, &s->total, p, s->bytes[i], now))
			return p;
		at_book_drop(q, p, AT_R_AQM);
	}
	return NULL;
}

/* ---- overflow ---- */

static bool over(const struct at_qdisc *q)
{
	const struct fq_codel *s = priv(q);

	return q->qlen > s->urgent.len && (q->qlen > s->limit || q->bytes > s->memory);
}

static u32 longest(const struct fq_codel *s)
{
	u32 best = 0;

	for (u32 i = 1; i < s->n; i++)
		if (s->bytes[i] > s->bytes[best])
			best = i;
	/* all are empty, or packets have no length */
	for (u32 i = 0; !s->queues[best].qlen && i < s->n; i++)
		best = i;
	return best;
}

/* Drops until all fit, or for as long as a call may take; `p` arrived last, or NULL
 * after a change. */
static enum at_verdict make_room(struct at_qdisc *q, const struct at_pkt *p)
{
	struct fq_codel *s = priv(q);
	enum at_verdict verdict = AT_OK;
	u64 work = 0;

	while (over(q) && work < WORK) {
		enum at_reason why = q->qlen > s->limit ? AT_R_PUSHOUT : AT_R_MEMORY;
		u32 i = longest(s), half = s->bytes[i] / 2;
		u64 n = 0;

		s->n_overflows++;
		do {
			struct at_pkt *v = take(s, i);

			if (v == p)
				verdict = AT_DROPPED;
			else if (p && verdict == AT_OK && at_flow(v) == at_flow(p))
				verdict = AT_CN;
			at_book_drop(q, v, why == AT_R_PUSHOUT && (v == p || !p) ? AT_R_LIMIT : why);
		} while (++n < s->batch && s->bytes[i] > half);
		work += s->n + n * DROP_WORK;
	}
	return verdict;
}

/* ---- operations ---- */

static enum at_verdict enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct fq_codel *s = priv(q);

	if (!at_urgent_push(&s->urgent, p, s->limit, now))
		push(s, queue_of(s, p), p);
	at_seq_set(p, s->seq++);
	at_codel_stamp(p, now);
	at_book_in(q, p);
	return make_room(q, p);
}

static struct at_pkt *dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct fq_codel *s = priv(q);
	struct at_pkt *p = at_urgent_pop(&s->urgent);

	memset(t, 0, sizeof(*t));
	s->urgent.sent += !!p;
	while (!p && (s->lists[NEW].len || s->lists[OLD].len)) {
		u8 list = s->lists[NEW].len ? NEW : OLD;
		u32 i = s->lists[list].head;
		struct queue *f = &s->queues[i];

		if (f->deficit <= 0) {
			f->deficit += s->quantum;
			append(s, pop_list(s, list), OLD);
		} else if ((p = take_controlled(q, i, now))) {
			f->deficit -= at_bytes(p);
		} else {
			pop_list(s, list);
			if (list == NEW)
				append(s, i, OLD);
		}
	}
	if (p)
		at_book_out(q, p);
	return p;
}

/* Oldest over all queues. A scan of those in a list, as all with packets are:
 * handing over is rare, but a real-time host waits for it. */
static struct at_pkt *drain(struct at_qdisc *q)
{
	struct fq_codel *s = priv(q);
	struct at_pkt *p = s->urgent.list.head;
	u32 from = s->n;

	for (u32 list = NEW; list < LISTS; list++) {
		u32 i = s->lists[list].head;

		for (u32 left = s->lists[list].len; left; left--, i = s->queues[i].next) {
			struct at_pkt *head = s->queues[i].fifo.head;

			if (head && (!p || at_seq(head) < at_seq(p))) {
				p = head;
				from = i;
			}
		}
	}
	if (!p)
		return NULL;
	p = from < s->n ? take(s, from) : at_urgent_pop(&s->urgent);
	at_book_out(q, p);
	return p;
}

/* ---- set-up ---- */

/* The state is struct fq_codel, then the queues and their byte counts. */
static u64 queues_at(void)
{
	return (sizeof(struct fq_codel) + LINE - 1) & ~(u64)(LINE - 1);
}

static u64 state_size(const struct at_vals *v)
{
	return queues_at() + *v[P_FLOWS].v * (sizeof(struct queue) + sizeof(u32)) + LINE;
}

static bool change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct fq_codel *s = priv(q);

	(void)now;
	s->limit = *v[P_LIMIT].v;
	s->memory = *v[P_MEMORY].v;
	s->quantum = (u32)*v[P_QUANTUM].v;
	s->batch = *v[P_BATCH].v;
	s->codel = (struct at_codel_params){
		.target = (u32)*v[P_TARGET].v,
		.interval = (u32)*v[P_INTERVAL].v,
		.mtu = AT_CODEL_MTU,
		.ecn = *v[P_ECN].v,
	};
	make_room(q, NULL);
	at_urgent_shrink(&s->urgent, q, s->limit);
	return over(q);
}

static void init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct fq_codel *s = priv(q);
	u8 *base = (u8 *)q->state;

	base += -(uintptr_t)base & (LINE - 1);
	s->n = (u32)*v[P_FLOWS].v;
	s->queues = (void *)(base + queues_at());
	s->bytes = (void *)(s->queues + s->n);
	s->hash = at_hash_multiplier(seed);
	change(q, v, now);
}

static void reset(struct at_qdisc *q, u64 now)
{
	struct fq_codel *s = priv(q);
	struct at_pkt *p;

	(void)now;
	while ((p = at_urgent_pop(&s->urgent)))
		at_book_drop(q, p, AT_R_RESET);
	for (u8 list = NEW; list < LISTS; list++)
		while (s->lists[list].len) {
			u32 i = pop_list(s, list);

			while ((p = take(s, i)))
				at_book_drop(q, p, AT_R_RESET);
		}
	s->resets++;		/* queues that are idle forget when they are used next */
}

/* ---- tables ---- */

static void read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct fq_codel *s = priv(q);

	(void)now;
	*v++ = s->lists[NEW].len;
	*v++ = s->lists[OLD].len;
	*v++ = s->n_new;
	*v++ = s->total.marks;
	*v++ = s->total.drops;
	*v++ = s->n_overflows;
	*v++ = s->urgent.sent;
	*v++ = s->urgent.over;
	*v++ = s->urgent.air;
}

static u32 row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct fq_codel *s = priv(q);
	u32 end = cursor < s->n && s->n - cursor > AT_ROWS ? cursor + AT_ROWS : s->n;

	*found = true;
	for (u32 i = cursor; i < end; i++) {
		const struct queue *f = &s->queues[i];

		if (f->list == NONE)
			continue;
		*cols++ = i;
		*cols++ = f->qlen;
		*cols++ = s->bytes[i];
		*cols++ = f->list == NEW;
		*cols++ = f->qlen ? at_codel_sojourn(f->fifo.head, now) : 0;
		*cols++ = f->codel.state != AT_CODEL_CALM;
		*cols++ = f->codel.count;
		return i + 1;
	}
	*found = false;
	if (end < s->n)
		return end;
	if (cursor > s->n || !s->urgent.len)
		return 0;
	*found = true;
	*cols++ = s->n;
	*cols++ = s->urgent.len;
	*cols++ = s->urgent.bytes;
	*cols++ = 0;
	*cols++ = at_codel_sojourn(s->urgent.list.head, now);
	*cols++ = 0;
	*cols++ = 0;
	return s->n + 1;
}

const struct at_ops at_fq_codel_ops = {
	.name = "fq_codel",
	.about = "flows take turns by bytes, idle ones first, each with CoDel",
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
	.row = row,
};
