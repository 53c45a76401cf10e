/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/gate.h: lists from which the packets of closed stations do not come out.
 *
 * A station is closed while it sleeps, or while enough waits below for it. Its
 * packets are parked where they are: nobody moves, so that everybody keeps his
 * place, and who looks for a packet passes over them. Which stations are closed
 * is a bit for each number in struct at_qdisc (8 KB, exact whatever the numbers);
 * while none is, nothing of it is read but their count.
 *
 * A struct at_line remembers how far it was passed over: each parked packet costs
 * one look between two changes of a gate, not one a dequeue. Opening or closing a
 * station takes a look at every packet.
 *
 * What this is not: it knows no turns and no parties (those are the discipline's).
 */
#ifndef AIRTAB_GATE_H
#define AIRTAB_GATE_H

#include "airtab/fifo.h"

struct at_line {
	struct at_fifo fifo;
	struct at_pkt *passed;	/* parked, as are all before it; NULL: none passed yet */
};

/* Opens or closes a station; false: it is so already. */
static inline bool at_gate_turn(struct at_qdisc *q, u16 sta, bool open)
{
	u32 *word = &q->shut[sta / 32], bit = (u32)1 << sta % 32;

	if (!(*word & bit) == open)
		return false;
	*word ^= bit;
	q->closed += open ? ~(u32)0 : 1;
	return true;
}

/* The packets of a station in one list, whose gate was turned, are parked or no
 * longer; how many they are. */
static inline u32 at_gate_count(struct at_qdisc *q, const struct at_fifo *f, u16 sta, bool open)
{
	u32 n = 0;

	for (struct at_pkt *p = f->head; p; p = *at_next(p))
		n += at_sta(p) == sta;
	q->parked += open ? 0 - n : n;
	return n;
}

/* The first packet from p on that may go, or NULL; *before: the one before it. Not
 * inline: who finds all open need not save registers for it. */
static __attribute__((__cold__, __noinline__, __unused__)) struct at_pkt *
at_gate_pass(const struct at_qdisc *q, struct at_pkt *p, struct at_pkt **before)
{
	for (; p && at_parked(q, p); p = *at_next(p))
		*before = p;
	return p;
}

/* The oldest packet behind *before (of all, if that is NULL) that may go, or NULL;
 * *before: the one before it. */
static inline struct at_pkt *at_gate_first(const struct at_qdisc *q, const struct at_fifo *f,
					   struct at_pkt **before)
{
	struct at_pkt *p = *before ? *at_next(*before) : f->head;

	return q->closed ? at_gate_pass(q, p, before) : p;
}

/* The oldest packet of a line that may go, or NULL. */
static inline struct at_pkt *at_line_first(const struct at_qdisc *q, struct at_line *l)
{
	return at_gate_first(q, &l->fifo, &l->passed);
}

/* Takes what at_line_first() gives, which is not NULL. */
static inline struct at_pkt *at_line_take(struct at_line *l)
{
	return at_fifo_take(&l->fifo, l->passed);
}

/* Takes the oldest packet of a line that may go, or NULL. While nobody is closed none was
 * passed. */
static inline struct at_pkt *at_line_give(const struct at_qdisc *q, struct at_line *l)
{
	if (!q->closed)
		return at_fifo_pop(&l->fifo);
	return at_line_first(q, l) ? at_line_take(l) : NULL;
}

/* The oldest packet, parked or not, or NULL. */
static inline struct at_pkt *at_line_pop(struct at_line *l)
{
	if (l->passed == l->fifo.head)
		l->passed = NULL;
	return at_fifo_pop(&l->fifo);
}

/* A station's gate was turned. */
static inline void at_line_turned(struct at_qdisc *q, struct at_line *l, u16 sta, bool open)
{
	at_gate_count(q, &l->fifo, sta, open);
	l->passed = NULL;
}

#endif
