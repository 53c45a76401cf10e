/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/flowqueues.h: queues of flows that take turns by bytes, each with CoDel.
 *
 * Source: RFC 8290; overflow as in Linux.
 *
 * Rules
 *  - The queues of one tin (a station, or all of a discipline) take turns: deficit
 *    round robin. A queue at the head of its list sends until it has used `quantum`
 *    bytes, then goes to the end of the old queues. The new ones (packets came after
 *    it was idle) are served before the old ones. A new queue that runs empty becomes
 *    an old one all the same, or else a flow that sends just one packet at a time
 *    would always be new.
 *  - CoDel (codel.h) decides over each packet taken, per queue.
 *  - When limit or memory is exceeded, the queue with the most bytes, of all tins,
 *    loses from its head half of them, at most `batch` packets. With `signals` its CoDel
 *    counts them as drops (Linux's fq_codel; not mac80211's queues).
 *  - A queue with packets of closed stations alone (gate.h) is passed over and keeps
 *    its place and its deficit; of one that stations share, the others' packets go.
 *  - Urgent packets wait apart (urgent.h); the caller says when they go.
 *
 * Cost: O(1) a packet, amortised. The longest queue is found by a scan over a bit for
 * each and the byte counts of those with packets, once a batch. A call drops no more
 * than AT_QUEUES_WORK allows. Queues that are passed over are looked at once, and all of
 * the tin again when a packet that may go joins one of them. A drain is O(queues with
 * packets), a gate O(queues + packets) of the tin.
 *
 * What this is not: no hash (the caller picks the queue), no order among tins.
 */
#ifndef AIRTAB_FLOWQUEUES_H
#define AIRTAB_FLOWQUEUES_H

#include "airtab/align.h"
#include "airtab/codel.h"
#include "airtab/rounds.h"
#include "airtab/urgent.h"

#define AT_QUEUES_WORK 262144u	/* byte counts that a call may look at: milliseconds */
#define AT_QUEUES_DROP 16u	/* a drop takes as long as so many looks */

struct at_queue {
	struct at_seat seat;	/* in its tin, number `whose` */
	struct at_fifo fifo;
	struct at_codel codel;
	s64 deficit;		/* bytes; may send while above 0 */
	u32 qlen;
	u32 epoch;		/* `resets` when CoDel's state began */
};

_Static_assert(sizeof(struct at_queue) <= AT_LINE, "a queue is one cache line");

/* Queues that take turns among each other. */
struct at_tin {
	struct at_rounds rounds;
	u64 bytes;
	u32 qlen, parked;	/* packets */
};

struct at_queues {
	struct at_queue *at;
	u32 *bytes;		/* of each queue: apart, for the scan */
	u32 *parked;		/* packets of each queue */
	u32 *busy;		/* a bit for each queue: has packets */
	struct at_tin *tins;
	u32 n, quantum, resets;
	u64 limit, memory, batch, seq;
	struct at_codel_params codel;
	struct at_codel_stats total;
	struct at_urgent urgent;
	u64 n_new, n_overflows;
	bool signals;		/* packets lost to an overflow count for CoDel */
};

/* Of `busy`. */
static inline u64 at_queues_words(u64 n)
{
	return (n + 31) / 32;
}

/* Of memory that n queues want, behind which are no tins yet. */
static inline u64 at_queues_bytes(u64 n)
{
	return n * (sizeof(struct at_queue) + 2 * sizeof(u32)) + at_queues_words(n) * sizeof(u32);
}

/* Empty queues in at_queues_bytes() zeroed bytes on lines of their own (align.h). */
static inline void at_queues_init(struct at_queues *s, void *memory, u32 n, struct at_tin *tins)
{
	s->n = n;
	s->at = memory;
	s->bytes = (u32 *)(void *)(s->at + n);
	s->parked = s->bytes + n;
	s->busy = s->parked + n;
	s->tins = tins;
}

static inline struct at_seats at_queues_seats(const struct at_queues *s)
{
	return (struct at_seats){ &s->at[0].seat, sizeof(struct at_queue) };
}

static inline struct at_tin *at_queues_tin(const struct at_queues *s, u32 i)
{
	return &s->tins[s->at[i].seat.whose];
}

/* ---- one queue ---- */

/* p joins queue i of tin number `tin`; a queue in a list is of that tin already. */
static inline void at_queues_push(struct at_qdisc *q, struct at_queues *s, u32 i, u16 tin, struct at_pkt *p)
{
	struct at_queue *f = &s->at[i];
	struct at_tin *t = &s->tins[tin];

	at_fifo_push(&f->fifo, p);
	if (!f->qlen++)
		s->busy[i / 32] |= (u32)1 << i % 32;
	t->qlen++;
	s->bytes[i] += at_bytes(p);
	t->bytes += at_bytes(p);
	if (at_parked(q, p)) {
		s->parked[i]++;
		t->parked++;
	} else if (f->seat.passed) {
		at_rounds_look_again(&t->rounds, at_queues_seats(s));
	}
	if (f->seat.list == AT_ROUNDS_NONE) {
		if (f->epoch != s->resets) {
			memset(&f->codel, 0, sizeof(f->codel));
			f->epoch = s->resets;
		}
		f->deficit = s->quantum;
		f->seat.whose = tin;
		at_rounds_append(&t->rounds, at_queues_seats(s), i, AT_ROUNDS_NEW);
		s->n_new++;
	}
}

/* Takes the packet behind `before`; of a queue that is not empty. */
static inline struct at_pkt *at_queues_take_behind(struct at_qdisc *q, struct at_queues *s, u32 i,
						   struct at_pkt *before)
{
	struct at_queue *f = &s->at[i];
	struct at_tin *t = at_queues_tin(s, i);
	struct at_pkt *p = at_fifo_take(&f->fifo, before);

	s->bytes[i] -= at_bytes(p);
	t->bytes -= at_bytes(p);
	t->qlen--;
	if (at_parked(q, p)) {
		s->parked[i]--;
		t->parked--;
	}
	if (!--f->qlen) {
		at_codel_empty(&f->codel);
		s->busy[i / 32] &= ~((u32)1 << i % 32);
	}
	return p;
}

/* Takes the oldest packet, parked or not, or NULL. */
static inline struct at_pkt *at_queues_take(struct at_qdisc *q, struct at_queues *s, u32 i)
{
	return s->at[i].qlen ? at_queues_take_behind(q, s, i, NULL) : NULL;
}

/* What CoDel lets out next, or NULL: nothing is left that may go. */
static inline struct at_pkt *at_queues_controlled(struct at_qdisc *q, struct at_queues *s, u32 i, u64 now)
{
	struct at_queue *f = &s->at[i];
	struct at_pkt *p, *before = NULL;

	while (at_gate_first(q, &f->fifo, &before)) {
		p = at_queues_take_behind(q, s, i, before);
		if (!at_codel_drops(&s->codel, &f->codel, &s->total, p, s->bytes[i], now))
			return p;
		at_book_drop(q, p, AT_R_AQM);
	}
	return NULL;
}

/* ---- a tin ---- */

/* The packet of a tin that goes next, or NULL: nothing of it may go. */
static inline struct at_pkt *at_queues_next(struct at_qdisc *q, struct at_queues *s, u16 tin, u64 now)
{
	struct at_rounds *r = &s->tins[tin].rounds;
	struct at_seats seats = at_queues_seats(s);
	struct at_pkt *p = NULL;
	u8 list;

	while (!p && (list = at_rounds_turn(r))) {
		u32 i = r->lists[list].head;
		struct at_queue *f = &s->at[i];

		if (q->parked && f->qlen && f->qlen == s->parked[i]) {
			at_rounds_pass(r, seats, list);
		} else if (f->deficit <= 0) {
			f->deficit += s->quantum;
			at_rounds_append(r, seats, at_rounds_pop(r, seats, list), AT_ROUNDS_OLD);
		} else if ((p = at_queues_controlled(q, s, i, now))) {
			f->deficit -= at_bytes(p);
		} else if (!f->qlen) {
			at_rounds_pop(r, seats, list);
			if (list == AT_ROUNDS_NEW)
				at_rounds_append(r, seats, i, AT_ROUNDS_OLD);
		}
	}
	return p;
}

/* The queue of a tin, all of whose queues stand in their places, whose oldest packet
 * is older than *p, if that is not NULL; *from stays where there is none. */
static inline void at_queues_oldest(const struct at_queues *s, const struct at_tin *t, struct at_pkt **p, u32 *from)
{
	for (u32 list = AT_ROUNDS_NEW; list < AT_ROUNDS_LISTS; list++) {
		u32 i = t->rounds.lists[list].head;

		for (u32 left = t->rounds.lists[list].len; left; left--, i = s->at[i].seat.next) {
			struct at_pkt *head = s->at[i].fifo.head;

			if (head && (!*p || at_seq(head) < at_seq(*p))) {
				*p = head;
				*from = i;
			}
		}
	}
}

/* The gate of a station whose packets are in this tin was turned. */
static inline void at_queues_turned(struct at_qdisc *q, struct at_queues *s, u16 tin, u16 sta, bool open)
{
	struct at_tin *t = &s->tins[tin];

	at_rounds_look_again(&t->rounds, at_queues_seats(s));
	for (u32 list = AT_ROUNDS_NEW; list < AT_ROUNDS_LISTS; list++) {
		u32 i = t->rounds.lists[list].head;

		for (u32 left = t->rounds.lists[list].len; left; left--, i = s->at[i].seat.next) {
			u32 n = at_gate_count(q, &s->at[i].fifo, sta, open);

			n = open ? 0 - n : n;
			s->parked[i] += n;
			t->parked += n;
		}
	}
}

/* Drops all packets of a tin, whose queues leave their lists. Once all tins were
 * cleared the caller counts `resets`: queues that are idle forget when they are used
 * next. */
static inline void at_queues_clear(struct at_qdisc *q, struct at_queues *s, u16 tin)
{
	struct at_rounds *r = &s->tins[tin].rounds;
	struct at_seats seats = at_queues_seats(s);
	struct at_pkt *p;

	at_rounds_look_again(r, seats);
	for (u8 list = AT_ROUNDS_NEW; list < AT_ROUNDS_LISTS; list++)
		while (r->lists[list].len) {
			u32 i = at_rounds_pop(r, seats, list);

			while ((p = at_queues_take(q, s, i)))
				at_book_drop(q, p, AT_R_RESET);
		}
}

/* ---- overflow ---- */

static inline bool at_queues_over(const struct at_qdisc *q, const struct at_queues *s)
{
	return at_urgent_over(&s->urgent, q, s->limit, s->memory);
}

/* The first of those with the most bytes; there are packets. */
static inline u32 at_queues_longest(const struct at_queues *s)
{
	u32 words = (u32)at_queues_words(s->n), best = s->n;

	for (u32 k = 0; k < words; k++) {
		for (u32 bits = s->busy[k]; bits; bits &= bits - 1) {
			u32 i = k * 32 + (u32)__builtin_ctz(bits);

			if (best == s->n || s->bytes[i] > s->bytes[best])
				best = i;
		}
	}
	return best;
}

/* Drops until all fit, or for as long as a call may take, but no less than what
 * came; `p` arrived last, or NULL after a change. */
static inline enum at_verdict at_queues_make_room(struct at_qdisc *q, struct at_queues *s, const struct at_pkt *p)
{
	enum at_verdict verdict = AT_OK;
	u64 work = 0, room = q->bytes - (p ? at_bytes(p) : 0);

	while (at_queues_over(q, s) && (work < AT_QUEUES_WORK || q->bytes > room)) {
		bool memory = q->qlen <= s->limit;
		u32 i = at_queues_longest(s), half = s->bytes[i] / 2;
		u64 n = 0;

		s->n_overflows++;
		do {
			verdict = at_book_room(q, at_queues_take(q, s, i), p, memory, verdict);
		} while (++n < s->batch && s->bytes[i] > half);
		if (s->signals)
			at_codel_overflowed(&s->at[i].codel, n);
		work += s->n + n * AT_QUEUES_DROP;
	}
	return verdict;
}

/* ---- all of it ---- */

/* p was put among the urgent packets, or into a queue. */
static inline enum at_verdict at_queues_came(struct at_qdisc *q, struct at_queues *s, struct at_pkt *p, u64 now)
{
	at_seq_set(p, s->seq++);
	at_codel_stamp(p, now);
	at_book_in(q, p);
	return at_queues_over(q, s) ? at_queues_make_room(q, s, p) : AT_OK;
}

/* Brings what is queued under new limits; true: more is left to do. */
static inline bool at_queues_shrink(struct at_qdisc *q, struct at_queues *s)
{
	at_queues_make_room(q, s, NULL);
	at_urgent_shrink(&s->urgent, q, s->limit);
	return at_queues_over(q, s);
}

#endif
