/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * dnb: the queue of a node under Distributed Neighborhood Buffer: a drop-tail queue for each
 * class, each with a limit of its own, which take turns by bytes.
 *
 * Source: A. J. Showail, PhD dissertation, KAUST 2016, chapter 4 (A. Showail, K. Jamshaid and
 * B. Shihada, Buffer sizing in wireless mesh networks). How large the limits are to be is the
 * rule's word (airtab_model::sizing::dnb); one flow is one class there.
 *
 * Rules
 *  - A packet that finds its class's limit is refused; `limit` bounds all together. A class
 *    beyond the list `limits` has its last value. A limit that is lowered drops nothing.
 *  - Classes that have packets take turns of TURN bytes (deficit round robin). What a class
 *    took beyond its turn it owes, without packets for another FORGOTTEN.
 *  - AT_URGENT packets are of class 0, and are refused like others.
 *
 * A patent on this is reported: docs/dnb.md.
 *
 * Cost: O(1) a packet.
 *
 * What this is not: nothing is measured, and no neighbour is asked.
 *
 * Defaults: 10 packets each (four hops of 11 Mb/s), 1000 together.
 */
#include "airtab/classify.h"
#include "airtab/gate.h"

#define TURN 1514		/* bytes */
#define FORGOTTEN 250000000u	/* ns: a debt of a class without packets */

enum { P_LIMITS, P_LIMIT, P_END };
enum { S_ACTIVE, S_REFUSED, S_END };
enum { R_CLASS, R_BACKLOG, R_BACKLOG_BYTES, R_LIMIT, R_REFUSED, R_END };

struct dnb_class {
	struct at_line line;
	u32 qlen, parked, limit;
	s32 deficit;		/* bytes; has the turn while above 0 */
	u32 refused;
	u64 bytes;
	u64 left;		/* when its last packet that could go went, ns; with it a number is a shift away */
};

_Static_assert(sizeof(struct dnb_class) <= 64, "a class is one cache line");

struct dnb {
	u64 limit, seq, refused;
	u32 ready;		/* a bit for each class with packets that may go */
	u32 turn;		/* whose it is, or was last */
	struct dnb_class at[AT_CLASSES];
};

static const struct at_param dnb_params[] = {
	[P_LIMITS] = {
		.id = 1, .unit = AT_COUNT, .max_len = AT_CLASSES, .name = "limits",
		.help = "packets of each class; one beyond the list has its last value", .source = "WQM thesis 4.3",
		.def = 10, .min = 1, .max = 65535,
	},
	[P_LIMIT] = {
		.id = 2, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all classes together", .source = "docs/dnb.md", .def = 1000, .min = 1,
		.max = 1u << 20,
	},
	[P_END] = { 0 },
};

static const struct at_stat dnb_stats[] = {
	[S_ACTIVE] = { .id = 1, .unit = AT_COUNT, .name = "active", .help = "classes with packets that may go" },
	[S_REFUSED] = { .id = 2, .unit = AT_COUNT, .counter = true, .name = "refused",
		.help = "packets that found their class, or all together, full" },
	[S_END] = { 0 },
};

static const struct at_stat dnb_row_stats[] = {
	[R_CLASS] = { .id = 1, .unit = AT_COUNT, .name = "class", .help = "class" },
	[R_BACKLOG] = { .id = 2, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 3, .unit = AT_BYTES, .name = "backlog_bytes", .help = "bytes queued" },
	[R_LIMIT] = { .id = 4, .unit = AT_COUNT, .name = "limit", .help = "packets that it may have" },
	[R_REFUSED] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "refused",
		.help = "packets that found it, or all together, full" },
	[R_END] = { 0 },
};

static struct dnb *dnb_priv(const struct at_qdisc *q)
{
	return (struct dnb *)q->state;
}

static u64 dnb_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct dnb);
}

/* A class may have packets that may go now, or no longer. */
static void dnb_sync(struct dnb *s, struct dnb_class *k)
{
	u32 bit = (u32)1 << (k - s->at);

	s->ready = k->qlen != k->parked ? s->ready | bit : s->ready & ~bit;
}

/* A class gets packets that may go, if it has none. */
static void dnb_forget(const struct dnb *s, struct dnb_class *k, u64 now)
{
	if (!(s->ready >> (k - s->at) & 1) && now - k->left >= FORGOTTEN)
		k->deficit = 0;
}

static struct dnb_class *dnb_class_of(struct dnb *s, const struct at_pkt *p)
{
	u32 class = at_class(p);

	if (class >= AT_CLASSES)
		class = class == AT_URGENT ? 0 : AT_CLASSES - 1;
	return &s->at[class];
}

/* p was taken out of a class's line. */
static void dnb_leaves(const struct at_qdisc *q, struct dnb *s, struct dnb_class *k, const struct at_pkt *p)
{
	k->bytes -= at_bytes(p);
	k->qlen--;
	if (at_parked(q, p))
		k->parked--;
	dnb_sync(s, k);
}

/* Takes the oldest packet of all, parked or not, or NULL: rare. */
static struct at_pkt *dnb_pop(struct at_qdisc *q)
{
	struct dnb *s = dnb_priv(q);
	struct dnb_class *best = NULL;
	struct at_pkt *p;

	for (struct dnb_class *k = s->at; k < s->at + AT_CLASSES; k++)
		if (k->qlen && (!best || at_seq(k->line.fifo.head) < at_seq(best->line.fifo.head)))
			best = k;
	if (!best)
		return NULL;
	p = at_line_pop(&best->line);
	dnb_leaves(q, s, best, p);
	return p;
}

/* A lower limit of all drops the oldest, one of a class nothing. */
static bool dnb_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct dnb *s = dnb_priv(q);
	const struct at_vals *limits = &v[P_LIMITS];

	(void)now;
	s->limit = *v[P_LIMIT].v;
	for (u32 i = 0; i < AT_CLASSES; i++)
		s->at[i].limit = (u32)limits->v[i < limits->len ? i : limits->len - 1u];
	while (q->qlen > s->limit)
		at_book_drop(q, dnb_pop(q), AT_R_LIMIT);
	return false;
}

static void dnb_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	dnb_priv(q)->turn = AT_CLASSES - 1;	/* class 0 is the first */
	dnb_change(q, v, now);
}

static void dnb_reset(struct at_qdisc *q, u64 now)
{
	struct at_pkt *p;

	(void)now;
	while ((p = dnb_pop(q)))
		at_book_drop(q, p, AT_R_RESET);
	for (struct dnb_class *k = dnb_priv(q)->at; k < dnb_priv(q)->at + AT_CLASSES; k++)
		k->deficit = 0;
}

/* p was pushed: what it may change where nothing of k waited, or a station is closed. */
static __attribute__((__noinline__)) enum at_verdict
dnb_pushed(const struct at_qdisc *q, struct dnb *s, struct dnb_class *k, const struct at_pkt *p, u64 now)
{
	if (at_parked(q, p)) {
		k->parked++;
	} else {
		dnb_forget(s, k, now);
		s->ready |= (u32)1 << (k - s->at);
	}
	return AT_OK;
}

static __attribute__((__noinline__)) enum at_verdict
dnb_refuse(struct at_qdisc *q, struct dnb *s, struct dnb_class *k, struct at_pkt *p)
{
	k->refused++;
	s->refused++;
	return at_book_refuse(q, p, AT_R_LIMIT);
}

static enum at_verdict dnb_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct dnb *s = dnb_priv(q);
	struct dnb_class *k = dnb_class_of(s, p);

	if (k->qlen >= k->limit || q->qlen >= s->limit)
		return dnb_refuse(q, s, k, p);
	at_seq_set(p, s->seq++);
	at_fifo_push(&k->line.fifo, p);
	k->bytes += at_bytes(p);
	at_book_in(q, p);
	return ++k->qlen == 1 || q->closed ? dnb_pushed(q, s, k, p, now) : AT_OK;
}

/* The class whose turn it is; some class has packets that may go. Turns go round by number,
 * so that who comes, or is parked, between two packets moves nobody. */
static struct dnb_class *dnb_turn(struct dnb *s)
{
	struct dnb_class *k = &s->at[s->turn];

	while (!(s->ready >> s->turn & 1) || k->deficit <= 0) {
		u32 behind = s->ready & ~(((u32)2 << s->turn) - 1);

		s->turn = (u32)__builtin_ctz(behind ? behind : s->ready);
		k = &s->at[s->turn];
		k->deficit += TURN;
	}
	return k;
}

/* p was the last packet of k, whose turn it is, that may go. */
static __attribute__((__noinline__)) struct at_pkt *
dnb_gave_last(struct dnb *s, struct dnb_class *k, struct at_pkt *p, u64 now)
{
	s->ready &= ~((u32)1 << s->turn);
	k->deficit = k->deficit < 0 ? k->deficit : 0;
	k->left = now;
	return p;
}

/* p, which was taken out of the line of k, goes. */
static inline struct at_pkt *dnb_give(struct at_qdisc *q, struct dnb *s, struct dnb_class *k, struct at_pkt *p, u64 now)
{
	at_book_out(q, p);
	k->bytes -= at_bytes(p);
	k->deficit -= (s32)at_bytes(p);
	return --k->qlen == k->parked ? dnb_gave_last(s, k, p, now) : p;
}

/* While a station is closed. */
static __attribute__((__noinline__)) struct at_pkt *dnb_give_open(struct at_qdisc *q, struct dnb_class *k, u64 now)
{
	at_line_first(q, &k->line);
	return dnb_give(q, dnb_priv(q), k, at_line_take(&k->line), now);
}

static struct at_pkt *dnb_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct dnb *s = dnb_priv(q);
	struct dnb_class *k;

	*t = (struct at_ticket){ 0 };
	if (!s->ready)
		return NULL;
	k = dnb_turn(s);
	return q->closed ? dnb_give_open(q, k, now) : dnb_give(q, s, k, at_fifo_take(&k->line.fifo, NULL), now);
}

static struct at_pkt *dnb_drain(struct at_qdisc *q)
{
	struct at_pkt *p = dnb_pop(q);

	if (p)
		at_book_out(q, p);
	return p;
}

static void dnb_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct dnb *s = dnb_priv(q);

	if (!at_gate_turn(q, sta, open))
		return;
	for (struct dnb_class *k = s->at; k < s->at + AT_CLASSES; k++) {
		u32 before = q->parked;

		if (open)
			dnb_forget(s, k, now);
		at_line_turned(q, &k->line, sta, open);
		k->parked += q->parked - before;
		dnb_sync(s, k);
	}
}

static void dnb_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct dnb *s = dnb_priv(q);

	(void)now;
	v[S_ACTIVE] = 0;
	for (u32 bits = s->ready; bits; bits &= bits - 1)
		v[S_ACTIVE]++;
	v[S_REFUSED] = s->refused;
}

/* A place for each class. */
static u32 dnb_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct dnb_class *k = dnb_priv(q)->at + (cursor < AT_CLASSES ? cursor : 0);

	(void)now;
	*found = cursor < AT_CLASSES && (k->qlen || k->refused);
	cols[R_CLASS] = cursor;
	cols[R_BACKLOG] = k->qlen;
	cols[R_BACKLOG_BYTES] = k->bytes;
	cols[R_LIMIT] = k->limit;
	cols[R_REFUSED] = k->refused;
	return cursor < AT_CLASSES ? cursor + 1 : 0;
}

const struct at_ops at_dnb_ops = {
	.name = "dnb",
	.about = "drop-tail queues of classes with limits of their own, in turn by bytes",
	.params = dnb_params,
	.stats = dnb_stats,
	.row_stats = dnb_row_stats,
	.state_size = dnb_state_size,
	.init = dnb_init,
	.change = dnb_change,
	.reset = dnb_reset,
	.enqueue = dnb_enqueue,
	.dequeue = dnb_dequeue,
	.drain = dnb_drain,
	.gate = dnb_gate,
	.read = dnb_read,
	.row = dnb_row,
};
