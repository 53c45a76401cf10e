/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbq: the packets of one class: in order of arrival with tail drop or RED, or flows
 * that take turns, each with CoDel.
 */
#include "cbq_state.h"

void at_cbq_came(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	at_seq_set(p, at_cbq_priv(q)->queues.seq++);
	at_codel_stamp(p, now);
	at_book_in(q, p);
}

/* ---- a line ---- */

struct at_pkt *at_cbq_count_out(struct at_qdisc *q, u32 i, struct at_pkt *p, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);
	struct at_tin *t = &s->tins[i];

	t->qlen--;
	t->bytes -= at_bytes(p);
	t->parked -= at_parked(q, p);
	at_red_departs(&s->at[i].red, now);
	if (!t->qlen)
		at_red_idles(&s->at[i].params, &s->at[i].red, now + s->at[i].params.packet_ns);
	return p;
}

static enum at_verdict cbq_refuse(struct at_qdisc *q, struct at_pkt *p, enum at_red_verdict verdict)
{
	struct at_cbq *s = at_cbq_priv(q);

	s->early += verdict == AT_RED_EARLY;
	s->forced += verdict == AT_RED_FORCED;
	return at_book_refuse(q, p, verdict == AT_RED_FULL ? AT_R_LIMIT : AT_R_EARLY);
}

static inline enum at_verdict cbq_admit(struct at_qdisc *q, u32 i, struct at_pkt *p, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);
	struct at_tin *t = &s->tins[i];

	at_fifo_push(&s->at[i].line.fifo, p);
	t->qlen++;
	t->bytes += at_bytes(p);
	t->parked += at_parked(q, p);
	at_cbq_came(q, p, now);
	return AT_OK;
}

/* p comes to a full class, or one whose RED is asked. */
static __attribute__((__noinline__)) enum at_verdict cbq_admit_if(struct at_qdisc *q, u32 i, struct at_pkt *p,
								  bool full, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);
	struct at_cbq_class *c = &s->at[i];
	enum at_red_verdict verdict = full ? AT_RED_FULL : AT_RED_PASSES;

	if (s->inner == AT_CBQ_RED)
		verdict = at_red_arrives(&c->params, &c->red, s->tins[i].qlen, full, &s->random, now);
	if (verdict == AT_RED_EARLY && s->ecn && at_mark_ce(p)) {
		s->marks++;
		verdict = AT_RED_PASSES;
	}
	return verdict == AT_RED_PASSES ? cbq_admit(q, i, p, now) : cbq_refuse(q, p, verdict);
}

static inline enum at_verdict cbq_offer_line(struct at_qdisc *q, u32 i, struct at_pkt *p, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);
	bool full = s->tins[i].qlen >= s->at[i].limit || q->qlen >= s->queues.limit;

	if (full || s->inner == AT_CBQ_RED)
		return cbq_admit_if(q, i, p, full, now);
	return cbq_admit(q, i, p, now);
}

/* ---- queues of flows ---- */

static u32 cbq_queue_of(const struct at_cbq *s, u32 i, const struct at_pkt *p)
{
	return i * s->flows + (u32)((u64)at_hash(s->hash, at_flow(p)) * s->flows >> 32);
}

/* The first of the class's queues with most bytes. */
static u32 cbq_longest(const struct at_cbq *s, u32 i)
{
	const struct at_queues *f = &s->queues;
	u32 best = i * s->flows;

	for (u32 k = best; k < (i + 1) * s->flows; k++)
		if (f->at[k].qlen && (!f->at[best].qlen || f->bytes[k] > f->bytes[best]))
			best = k;
	return best;
}

/* Where there are too many, the longest of the class's queues loses the half of its
 * bytes, `batch` packets at most, and its CoDel counts them. */
static enum at_verdict cbq_make_room(struct at_qdisc *q, u32 i, const struct at_pkt *p)
{
	struct at_cbq *s = at_cbq_priv(q);
	enum at_verdict verdict = AT_OK;

	while (s->tins[i].qlen && (s->tins[i].qlen > s->at[i].limit || q->qlen > s->queues.limit)) {
		u32 k = cbq_longest(s, i), half = s->queues.bytes[k] / 2;
		u64 n = 0;

		do {
			verdict = at_book_room(q, at_queues_take(q, &s->queues, k), p, false, verdict);
		} while (++n < s->queues.batch && s->queues.bytes[k] > half);
		at_codel_overflowed(&s->queues.at[k].codel, n);
	}
	return verdict;
}

static __attribute__((__noinline__)) enum at_verdict cbq_offer_flows(struct at_qdisc *q, u32 i, struct at_pkt *p, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);

	at_queues_push(q, &s->queues, cbq_queue_of(s, i, p), (u16)i, p);
	at_cbq_came(q, p, now);
	return cbq_make_room(q, i, p);
}

/* The oldest that may go of the queue whose turn it is. That queue may have to wait for
 * the next round, or have none: then a full packet stands for it. */
u32 at_cbq_flows_head(const struct at_qdisc *q, u32 i)
{
	const struct at_cbq *s = at_cbq_priv(q);
	const struct at_rounds *r = &s->tins[i].rounds;
	u8 list = at_rounds_turn(r);
	struct at_pkt *before = NULL, *p = NULL;

	if (list != AT_ROUNDS_NONE)
		p = at_gate_first(q, &s->queues.at[r->lists[list].head].fifo, &before);
	return p ? at_bytes(p) : AT_CODEL_MTU;
}

struct at_pkt *at_cbq_flows_take(struct at_qdisc *q, u32 i, u64 now)
{
	return at_queues_next(q, &at_cbq_priv(q)->queues, (u16)i, now);
}

/* ---- whatever it is ---- */

enum at_verdict at_cbq_offer(struct at_qdisc *q, u32 i, struct at_pkt *p, u64 now)
{
	return at_cbq_has_flows(at_cbq_priv(q)) ? cbq_offer_flows(q, i, p, now) : cbq_offer_line(q, i, p, now);
}

/* The queue with the oldest packet of a class, which has packets. */
static u32 cbq_oldest_flow(struct at_cbq *s, u32 i, struct at_pkt **p)
{
	u32 from = s->queues.n;

	at_rounds_look_again(&s->tins[i].rounds, at_queues_seats(&s->queues));
	at_queues_oldest(&s->queues, &s->tins[i], p, &from);
	return from;
}

u32 at_cbq_oldest(struct at_qdisc *q, struct at_pkt **p)
{
	struct at_cbq *s = at_cbq_priv(q);
	u32 best = s->classes;

	for (u32 i = 0; i < s->classes; i++) {
		struct at_pkt *before = *p, *head = s->at[i].line.fifo.head;

		if (at_cbq_has_flows(s))
			cbq_oldest_flow(s, i, p);
		else if (head && (!*p || at_seq(head) < at_seq(*p)))
			*p = head;
		if (*p != before)
			best = i;
	}
	return best;
}

struct at_pkt *at_cbq_pop_oldest(struct at_qdisc *q, u32 i)
{
	struct at_cbq *s = at_cbq_priv(q);
	struct at_pkt *p = NULL;

	if (at_cbq_has_flows(s))
		return at_queues_take(q, &s->queues, cbq_oldest_flow(s, i, &p));
	p = at_line_pop(&s->at[i].line);
	return at_cbq_count_out(q, i, p, s->at[i].red.last);
}

struct at_pkt *at_cbq_pop_victim(struct at_qdisc *q, u32 i, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);

	if (at_cbq_has_flows(s))
		return at_queues_take(q, &s->queues, cbq_longest(s, i));
	return at_cbq_count_out(q, i, at_line_pop(&s->at[i].line), now);
}

void at_cbq_turned(struct at_qdisc *q, u32 i, u16 sta, bool open)
{
	struct at_cbq *s = at_cbq_priv(q);
	u32 before = q->parked;

	if (at_cbq_has_flows(s)) {
		at_queues_turned(q, &s->queues, (u16)i, sta, open);
		return;
	}
	at_line_turned(q, &s->at[i].line, sta, open);
	s->tins[i].parked += q->parked - before;
}

void at_cbq_clear(struct at_qdisc *q, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);

	for (u32 i = 0; i < s->classes; i++) {
		while (!at_cbq_has_flows(s) && s->tins[i].qlen)
			at_book_drop(q, at_cbq_pop_oldest(q, i), AT_R_RESET);
		if (at_cbq_has_flows(s))
			at_queues_clear(q, &s->queues, (u16)i);
		at_red_begin(&s->at[i].red, now);
	}
	s->queues.resets++;
}
