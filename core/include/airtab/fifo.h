/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/fifo.h: a first-in first-out list of packets, linked by at_next(),
 * and the books of struct at_qdisc that go with every arrival and departure.
 *
 * What this is not: no limits, no order but arrival order. Removing the tail
 * needs a link that a discipline keeps in at_priv().
 */
#ifndef AIRTAB_FIFO_H
#define AIRTAB_FIFO_H

#include "airtab/qdisc.h"

struct at_fifo {
	struct at_pkt *head, *tail;	/* both NULL when empty */
};

static inline void at_fifo_push(struct at_fifo *f, struct at_pkt *p)
{
	*at_next(p) = NULL;
	if (f->head)
		*at_next(f->tail) = p;
	else
		f->head = p;
	f->tail = p;
}

/* The oldest packet, or NULL. */
static inline struct at_pkt *at_fifo_pop(struct at_fifo *f)
{
	struct at_pkt *p = f->head;

	if (p) {
		f->head = *at_next(p);
		if (!f->head)
			f->tail = NULL;
		*at_next(p) = NULL;
	}
	return p;
}

/* Takes the packet behind `before`, the oldest if that is NULL; there is one. */
static inline struct at_pkt *at_fifo_take(struct at_fifo *f, struct at_pkt *before)
{
	struct at_pkt **link = before ? at_next(before) : &f->head, *p = *link;

	*link = *at_next(p);
	if (f->tail == p)
		f->tail = before;
	*at_next(p) = NULL;
	return p;
}

/* Whether p's station is closed. */
static inline bool at_parked(const struct at_qdisc *q, const struct at_pkt *p)
{
	return __builtin_expect(q->closed != 0, 0) && (q->shut[at_sta(p) / 32] >> at_sta(p) % 32 & 1);
}

/* p was put into the queue. */
static inline void at_book_in(struct at_qdisc *q, const struct at_pkt *p)
{
	q->in++;
	q->qlen++;
	if (at_parked(q, p))
		q->parked++;
	q->bytes += at_bytes(p);
}

/* A packet of an open station was taken out of the queue to be sent; its length in bytes. */
static inline void at_book_open_sent(struct at_qdisc *q, u32 bytes)
{
	q->out++;
	q->qlen--;
	q->bytes -= bytes;
}

/* p, of so many bytes, was taken out of the queue to be sent. */
static inline void at_book_sent(struct at_qdisc *q, const struct at_pkt *p, u32 bytes)
{
	q->out++;
	q->qlen--;
	if (at_parked(q, p))
		q->parked--;
	q->bytes -= bytes;
}

/* p was taken out of the queue to be sent or handed over. */
static inline void at_book_out(struct at_qdisc *q, const struct at_pkt *p)
{
	at_book_sent(q, p, at_bytes(p));
}

/* p was taken out of the queue and goes back to the host. */
static inline void at_book_drop(struct at_qdisc *q, struct at_pkt *p, enum at_reason why)
{
	q->qlen--;
	if (at_parked(q, p))
		q->parked--;
	q->bytes -= at_bytes(p);
	q->dropped[why]++;
	q->drop(q, p, why);
}

/* p goes back to the host without having been queued. */
static inline enum at_verdict at_book_refuse(struct at_qdisc *q, struct at_pkt *p,
					     enum at_reason why)
{
	q->in++;
	q->dropped[why]++;
	q->drop(q, p, why);
	return AT_DROPPED;
}

/* v makes room: there are too many packets, or (`memory`) too many bytes. p arrived
 * last, or is NULL after a change; returns the verdict on it, which was `so_far`
 * before. v is the host's from here on. */
static inline enum at_verdict at_book_room(struct at_qdisc *q, struct at_pkt *v, const struct at_pkt *p,
					   bool memory, enum at_verdict so_far)
{
	bool own = v == p, kin = p && !own && at_flow(v) == at_flow(p);

	at_book_drop(q, v, memory ? AT_R_MEMORY : own || !p ? AT_R_LIMIT : AT_R_PUSHOUT);
	if (own)
		return AT_DROPPED;
	return kin && so_far == AT_OK ? AT_CN : so_far;
}

/* One sequence number a packet, in the first 8 bytes of at_priv(): tells which
 * of two packets of different lists is older. */
static inline void at_seq_set(struct at_pkt *p, u64 seq)
{
	memcpy(at_priv(p), &seq, sizeof(seq));
}

static inline u64 at_seq(struct at_pkt *p)
{
	u64 seq;

	memcpy(&seq, at_priv(p), sizeof(seq));
	return seq;
}

#endif
