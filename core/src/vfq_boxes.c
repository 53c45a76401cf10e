/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * vfq, wfq: boxes, the flows in them, who goes next and who makes room.
 */
#include "vfq_state.h"

#define DROPS 4096u		/* packets that a call of change() drops: less than a millisecond */
#define ROOM 100000000u		/* ns of its turns that a box may hold */
#define FIRST AT_ROUNDS_OLD	/* the one list of a box in which flows take turns */

static struct at_seats vfq_seats(const struct at_vfq *s)
{
	return (struct at_seats){ &s->flows[0].seat, sizeof(struct at_vfq_flow) };
}

u32 at_vfq_box_of(const struct at_vfq *s, u16 sta)
{
	return at_place_of(s->n_boxes - AT_PLACES_SPECIAL, sta);
}

/* ---- a box ---- */

static u32 vfq_may_go(const struct at_vfq_box *b)
{
	return b->qlen - b->parked;
}

/* Passes over flows all of whose packets are parked. */
static void vfq_pass_parked(struct at_vfq *s, struct at_vfq_box *b)
{
	u32 i = b->rounds.lists[FIRST].head;

	while (b->parked && s->flows[i].qlen == s->flows[i].parked) {
		at_rounds_pass(&b->rounds, vfq_seats(s), FIRST);
		i = b->rounds.lists[FIRST].head;
	}
}

/* Credit as of now: each boost of the box halved it and added the increment. */
static s64 vfq_credit_of(const struct at_vfq *s, const struct at_vfq_box *b, const struct at_vfq_flow *f)
{
	s64 d = f->credit;
	u32 n = b->boosts - f->boosts;

	return (d >> (n < 63 ? n : 63)) + 2 * s->increment;
}

/* Flow k becomes the first of its box's list; who was before it is behind all others. */
static void vfq_bring_first(struct at_vfq *s, struct at_vfq_box *b, u32 k)
{
	while (b->rounds.lists[FIRST].head != k)
		at_rounds_append(&b->rounds, vfq_seats(s), at_rounds_pop(&b->rounds, vfq_seats(s), FIRST), FIRST);
}

/* The flow with most credit; of equal ones the first in line. Nobody has any: a boost. */
static u32 vfq_richest(struct at_vfq *s, struct at_vfq_box *b)
{
	u32 i = b->rounds.lists[FIRST].head, best = i;

	for (u32 n = b->rounds.lists[FIRST].len; n; n--, i = s->flows[i].seat.next)
		if (s->flows[i].qlen != s->flows[i].parked &&
		    vfq_credit_of(s, b, &s->flows[i]) > vfq_credit_of(s, b, &s->flows[best]))
			best = i;
	for (u32 n = 0; n < 63 && vfq_credit_of(s, b, &s->flows[best]) < 0; n++)
		b->boosts++;
	vfq_bring_first(s, b, best);
	return best;
}

static __attribute__((__noinline__)) u32 vfq_search(struct at_vfq *s, struct at_vfq_box *b)
{
	vfq_pass_parked(s, b);
	return s->by_credit ? vfq_richest(s, b) : b->rounds.lists[FIRST].head;
}

/* The flow whose turn it is; the box has packets that may go. */
static inline u32 vfq_pick(struct at_vfq *s, struct at_vfq_box *b)
{
	return b->parked || s->by_credit ? vfq_search(s, b) : b->rounds.lists[FIRST].head;
}

static struct at_pkt *vfq_head_of(const struct at_qdisc *q, struct at_vfq_flow *f)
{
	return at_line_first(q, &f->line);
}

/* Into b->seen. What is in a packet does not change while it waits. */
static void vfq_look(const struct at_vfq *s, struct at_vfq_box *b, struct at_pkt *p)
{
	if (b->seen_of == at_seq(p))
		return;
	at_vfq_look(s, p, &b->seen);
	b->seen_of = at_seq(p);
}

/* An acknowledgement of that number of its own, ahead of a packet that is seen so. */
static __attribute__((__noinline__)) u64 vfq_piece_cost(const struct at_vfq *s, struct at_vfq_box *b,
							const struct at_vfq_flow *f, u32 ack, u64 now)
{
	struct at_vfq_seen seen = b->seen;
	struct at_vfq_bill bill;

	seen.pure = true;
	bill = at_vfq_price(s, b, f, &seen, seen.header, ack, now);
	return bill.down + bill.up;
}

/* What the box shows to the scheduler. */
static inline u64 vfq_shown_cost(struct at_qdisc *q, u32 i, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_box *b = &s->boxes[i];
	struct at_vfq_flow *f = &s->flows[vfq_pick(s, b)];
	struct at_pkt *p = vfq_head_of(q, f);
	struct at_vfq_bill bill;
	u32 ack;

	if (s->plain)
		return s->plain(s, b, at_bytes(p));
	vfq_look(s, b, p);
	ack = b->seen.tcp.ack;
	if (q->ack && at_vfq_splits(s, f, &b->seen, &ack))
		return vfq_piece_cost(s, b, f, ack, now);
	bill = at_vfq_price(s, b, f, &b->seen, at_bytes(p), ack, now);
	return bill.down + bill.up;
}

static __attribute__((__noinline__)) void vfq_tell(struct at_qdisc *q, u32 i, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_box *b = &s->boxes[i];
	bool in = s->wf2q.at[i].in, hidden = s->wf2q.at[i].hidden;

	if (in)
		b->last = now;
	if (vfq_may_go(b) && hidden)
		at_wf2q_unhide(&s->wf2q, i);
	else if (vfq_may_go(b) && !in)
		at_wf2q_enter(&s->wf2q, i, vfq_shown_cost(q, i, now));
	else if (!vfq_may_go(b) && b->qlen && in)
		at_wf2q_hide(&s->wf2q, i);
	else if (!b->qlen && in)
		at_wf2q_leave(&s->wf2q, i);
	else if (!b->qlen && hidden)
		at_wf2q_forget(&s->wf2q, i);
}

/* The scheduler knows of the box if it has packets that may go. */
static inline void vfq_sync_box(struct at_qdisc *q, u32 i, u64 now)
{
	const struct at_vfq *s = at_vfq_priv(q);

	if (!s->wf2q.at[i].in || !vfq_may_go(&s->boxes[i]))
		vfq_tell(q, i, now);
}

static void vfq_join(struct at_qdisc *q, u32 i, u32 k, struct at_pkt *p)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_box *b = &s->boxes[i];
	struct at_vfq_flow *f = &s->flows[k];

	at_fifo_push(&f->line.fifo, p);
	b->bytes += at_bytes(p);
	f->bytes += at_bytes(p);
	b->qlen++;
	f->qlen++;
	if (at_parked(q, p)) {
		b->parked++;
		f->parked++;
	} else if (f->seat.passed) {
		at_rounds_look_again(&b->rounds, vfq_seats(s));
	}
	if (f->seat.list == AT_ROUNDS_NONE) {
		f->seat.whose = (u16)i;
		at_rounds_append(&b->rounds, vfq_seats(s), k, FIRST);
	}
}

/* Of a flow of a box, p was taken. */
static struct at_pkt *vfq_count_out(struct at_qdisc *q, struct at_vfq_box *b, struct at_vfq_flow *f, struct at_pkt *p)
{
	u32 parked = at_parked(q, p);

	b->bytes -= at_bytes(p);
	f->bytes -= at_bytes(p);
	b->qlen--;
	b->parked -= parked;
	f->parked -= parked;
	if (!--f->qlen)
		at_codel_empty(&f->codel);
	return p;
}

/* The turn of the first flow is over. Without packets it takes none. */
static inline void vfq_end_turn(struct at_vfq *s, struct at_vfq_box *b)
{
	u32 k = b->rounds.lists[FIRST].head;

	if (b->rounds.lists[FIRST].len == 1 && s->flows[k].qlen)
		return;		/* nobody else takes turns */
	at_rounds_pop(&b->rounds, vfq_seats(s), FIRST);
	if (s->flows[k].qlen)
		at_rounds_append(&b->rounds, vfq_seats(s), k, FIRST);
}

/* Takes the oldest packet of flow k, parked or not; it has one. */
static struct at_pkt *vfq_take_oldest(struct at_qdisc *q, u32 k)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_flow *f = &s->flows[k];
	struct at_vfq_box *b = &s->boxes[f->seat.whose];
	struct at_pkt *p = vfq_count_out(q, b, f, at_line_pop(&f->line));

	if (!f->qlen) {
		at_rounds_look_again(&b->rounds, vfq_seats(s));
		vfq_bring_first(s, b, k);
		vfq_end_turn(s, b);
	}
	return p;
}

/* ---- room ---- */

/* Time of a full packet of the box where all stations that have packets take turns. */
static inline u64 vfq_turn_of(const struct at_vfq *s, struct at_vfq_box *b)
{
	return s->contenders * at_aircost_ns(&b->cost, AT_FULL_BYTES, at_vfq_contention(s, b));
}

/* Whether the box has more than its limit: station_limit, or two aggregates or what takes
 * ROOM in its turns, if one of these is more. */
static bool vfq_is_full(const struct at_vfq *s, struct at_vfq_box *b)
{
	if (b->qlen <= s->box_limit)
		return false;
	return s->faithful || s->plain || (b->qlen > 2 * b->cost.frames && b->qlen * vfq_turn_of(s, b) > ROOM);
}

/* The first of the box's flows with most packets; it has some. */
static u32 vfq_longest_flow(struct at_vfq *s, struct at_vfq_box *b)
{
	u32 best, i;

	at_rounds_look_again(&b->rounds, vfq_seats(s));
	best = i = b->rounds.lists[FIRST].head;
	for (u32 n = b->rounds.lists[FIRST].len; n; n--, i = s->flows[i].seat.next)
		if (s->flows[i].qlen > s->flows[best].qlen)
			best = i;
	return best;
}

/* The first of those with most packets. */
static u32 vfq_longest_box(const struct at_vfq *s)
{
	u32 best = 0;

	for (u32 i = 1; i < s->n_boxes; i++)
		if (s->boxes[i].qlen > s->boxes[best].qlen)
			best = i;
	return best;
}

static enum at_verdict vfq_drop_one(struct at_qdisc *q, u32 i, const struct at_pkt *p, enum at_verdict verdict,
				u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);

	verdict = at_book_room(q, vfq_take_oldest(q, vfq_longest_flow(s, &s->boxes[i])), p, false, verdict);
	vfq_sync_box(q, i, now);
	return verdict;
}

/* Whether there are too many packets, and somebody who can make room: an urgent one does not. */
static bool vfq_over(const struct at_qdisc *q, const struct at_vfq *s)
{
	return q->qlen > s->limit && q->qlen > s->urgent.len;
}

/* The oldest of what goes first. */
static struct at_pkt *vfq_pop_first(struct at_qdisc *q)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_pkt *p = at_line_pop(&s->first);

	if (p) {
		s->first_parked -= at_parked(q, p);
		s->first_len--;
		s->first_bytes -= at_bytes(p);
	}
	return p;
}

/* The longest box makes room for p, or, where all are empty, what goes first. */
static enum at_verdict vfq_make_room(struct at_qdisc *q, const struct at_pkt *p, enum at_verdict verdict, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	u32 i = vfq_longest_box(s);

	if (s->boxes[i].qlen)
		return vfq_drop_one(q, i, p, verdict, now);
	return at_book_room(q, vfq_pop_first(q), p, false, verdict);
}

bool at_vfq_shrink(struct at_qdisc *q, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	u32 left = DROPS;

	for (u32 i = 0; i < s->n_boxes && left; i++)
		for (; vfq_is_full(s, &s->boxes[i]) && left; left--)
			vfq_drop_one(q, i, NULL, AT_OK, now);
	for (; left && vfq_over(q, s); left--)
		vfq_make_room(q, NULL, AT_OK, now);
	at_urgent_shrink(&s->urgent, q, s->limit);
	return !left;
}

/* ---- arrivals ---- */

/* A station's weight is by what it is seen to do first: download, or upload. */
static void vfq_meet(struct at_vfq *s, u32 i, const struct at_pkt *p)
{
	struct at_vfq_box *b = &s->boxes[i];
	u64 weight = s->weights[i < s->n_weights ? i : s->n_weights - 1];
	struct at_vfq_seen seen;

	if (b->met || (b->weighed && s->download == s->upload))
		return;
	at_vfq_look(s, p, &seen);
	b->weighed = true;
	b->met = seen.is_tcp && !seen.control;
	weight = weight * (b->met && seen.pure ? s->upload : s->download) >> 16;
	weight = weight < AT_WF2Q_WEIGHT_MIN ? AT_WF2Q_WEIGHT_MIN : weight;
	at_wf2q_weigh(&s->wf2q, i, (u32)(weight < AT_WF2Q_WEIGHT_MAX ? weight : AT_WF2Q_WEIGHT_MAX));
}

static void vfq_forget_box(struct at_vfq_box *b)
{
	b->met = b->weighed = false;
	b->heard_at = 0;
}

/* p joined the queue. */
static void vfq_came(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	at_seq_set(p, at_vfq_priv(q)->seq++);
	at_codel_stamp(p, now);
	at_book_in(q, p);
}

/* Whether p waits with what goes first: it is not TCP, or a packet of its flow does so
 * already; but not while one waits in its box. */
static bool vfq_goes_first(const struct at_vfq *s, const struct at_vfq_flow *f, const struct at_pkt *p)
{
	struct at_vfq_seen seen;

	if (!s->udp_first || f->qlen)
		return false;
	at_vfq_look(s, p, &seen);
	return !seen.is_tcp || (s->first_len && at_seq(s->first.fifo.head) <= f->astray);
}

static enum at_verdict vfq_enqueue_first(struct at_qdisc *q, struct at_pkt *p, struct at_vfq_flow *f, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);

	if (s->first_len >= AT_VFQ_FIRST)
		return at_book_refuse(q, p, AT_R_CLASS);
	f->astray = s->seq;
	at_fifo_push(&s->first.fifo, p);
	s->first_len++;
	s->first_bytes += at_bytes(p);
	s->first_parked += at_parked(q, p);
	vfq_came(q, p, now);
	return vfq_over(q, s) ? vfq_make_room(q, p, AT_OK, now) : AT_OK;
}

static enum at_verdict vfq_enqueue_box(struct at_qdisc *q, struct at_pkt *p, u32 i, u32 k, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_box *b = &s->boxes[i];
	enum at_verdict verdict = AT_OK;
	bool tail = s->faithful || s->plain;

	if (tail && (b->qlen >= s->box_limit || q->qlen >= s->limit))
		return at_book_refuse(q, p, b->qlen >= s->box_limit ? AT_R_CLASS : AT_R_LIMIT);
	vfq_join(q, i, k, p);
	vfq_came(q, p, now);
	vfq_sync_box(q, i, now);
	if (vfq_is_full(s, b))
		verdict = vfq_drop_one(q, i, p, verdict, now);
	while (vfq_over(q, s))
		verdict = vfq_make_room(q, p, verdict, now);
	return verdict;
}

/* Whether p, which says that it is urgent, goes first. */
static __attribute__((__noinline__)) bool vfq_enqueue_urgent(struct at_qdisc *q, struct at_pkt *p, u64 now,
							     enum at_verdict *verdict)
{
	struct at_vfq *s = at_vfq_priv(q);

	if (!at_urgent_push(&s->urgent, q, p, s->limit, now))
		return false;
	vfq_came(q, p, now);
	for (*verdict = AT_OK; vfq_over(q, s);)
		*verdict = vfq_make_room(q, p, *verdict, now);
	return true;
}

enum at_verdict at_vfq_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	enum at_verdict verdict;
	u32 i, k;

	if (at_class(p) == AT_URGENT && vfq_enqueue_urgent(q, p, now, &verdict))
		return verdict;
	i = at_vfq_box_of(s, at_sta(p));
	if (!s->boxes[i].qlen && now - s->boxes[i].last > s->idle)
		vfq_forget_box(&s->boxes[i]);
	vfq_meet(s, i, p);
	k = s->plain ? s->rest + i : at_vfq_flow_of(s, i, p, now);
	if (vfq_goes_first(s, &s->flows[k], p))
		return vfq_enqueue_first(q, p, &s->flows[k], now);
	return vfq_enqueue_box(q, p, i, k, now);
}

/* ---- departures ---- */

/* CoDel's target is at least the time of two full packets where all stations take turns:
 * with less a flow could not have the next one at hand. */
static u32 vfq_target_of(const struct at_vfq *s, struct at_vfq_box *b)
{
	u64 turn = 2 * vfq_turn_of(s, b);

	if (turn <= s->codel.target)
		return s->codel.target;
	return (u32)(turn < s->codel.interval ? turn : s->codel.interval);
}

static void vfq_charge_credit(struct at_vfq *s, struct at_vfq_box *b, struct at_vfq_flow *f, u64 ns)
{
	f->credit = vfq_credit_of(s, b, f) - 2 * s->increment - at_charge(ns);
	f->boosts = b->boosts;
	if (f->credit < -12 * s->increment)
		f->credit = -12 * s->increment;
}

/* p, or what is made in its place, leaves box i, whose first flow it is of. */
static void vfq_serve(struct at_qdisc *q, u32 i, u32 k, struct at_vfq_bill bill, struct at_ticket *t, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_box *b = &s->boxes[i];
	bool more;

	b->down += bill.down;
	b->up += bill.up;
	if (s->by_credit)
		vfq_charge_credit(s, b, &s->flows[k], bill.down + bill.up);
	if (!s->plain && !s->faithful)
		at_tickets_issue(&s->tickets, (struct at_charge){ .flow = i, .est = (u32)bill.down }, t);
	vfq_end_turn(s, b);
	more = vfq_may_go(b);
	if (!more)
		b->last = now;
	at_wf2q_serve(&s->wf2q, i, bill.down + bill.up, more, more ? vfq_shown_cost(q, i, now) : 0);
}

/* An acknowledgement of that number that goes ahead of p, which is in b->seen, or NULL: none
 * can. */
static __attribute__((__noinline__)) struct at_pkt *vfq_ahead(struct at_qdisc *q, u32 i, u32 k, const struct at_pkt *p,
							      u32 number, struct at_ticket *t, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_box *b = &s->boxes[i];
	struct at_vfq_flow *f = &s->flows[k];
	struct at_vfq_seen seen = b->seen;
	struct at_vfq_bill bill;
	struct at_pkt *made = q->ack(q, p, number);

	if (!made)
		return NULL;
	q->made++;
	q->out++;
	b->split++;
	s->n_split++;
	seen.pure = true;
	seen.tcp.payload = 0;
	bill = at_vfq_price(s, b, f, &seen, at_bytes(made), number, now);
	at_vfq_released(s, b, f, &seen, number);
	vfq_serve(q, i, k, bill, t, now);
	return made;
}

/* p, which left the queue and is in b->seen, or the packet behind it: where one of the two is a
 * pure acknowledgement and the other one can say what both do, that goes alone. */
static struct at_pkt *vfq_merged(struct at_qdisc *q, struct at_vfq_box *b, struct at_vfq_flow *f, struct at_pkt *p)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_seen *seen = &b->seen, behind;
	struct at_pkt *next;

	while (q->merge && s->merge && seen->ack && (next = vfq_head_of(q, f)) != NULL) {
		if (seen->pure ? at_bytes(next) <= seen->header : at_bytes(next) > seen->header)
			break;		/* no need to look: both have data, or none has */
		at_vfq_look(s, next, &behind);
		if (!at_vfq_joins(s, f, seen, &behind) ||
		    !(seen->pure ? q->merge(q, next, p) : q->merge(q, p, next)))
			break;
		vfq_count_out(q, b, f, at_line_take(&f->line));
		b->merged++;
		s->n_merged++;
		if (seen->pure) {
			at_book_drop(q, p, AT_R_MERGED);
			p = next;
		} else {
			at_book_drop(q, next, AT_R_MERGED);
		}
		at_vfq_look(s, p, seen);
		b->seen_of = at_seq(p);
	}
	return p;
}

/* The first packet of a flow, taken, or NULL: CoDel has dropped it. */
static struct at_pkt *vfq_controlled(struct at_qdisc *q, struct at_vfq_box *b, struct at_vfq_flow *f, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_pkt *p = vfq_count_out(q, b, f, at_line_take(&f->line));
	struct at_codel_params k = s->codel;

	if (!k.target)
		return p;
	k.target = vfq_target_of(s, b);
	if (!at_codel_drops(&k, &f->codel, &s->codel_total, p, f->bytes, now))
		return p;
	at_book_drop(q, p, AT_R_AQM);
	return NULL;
}

/* CoDel has dropped all packets of the flow whose turn it was that may go. */
static __attribute__((__noinline__)) void vfq_nothing_left(struct at_qdisc *q, u32 i, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_box *b = &s->boxes[i];

	vfq_end_turn(s, b);
	vfq_sync_box(q, i, now);
	if (vfq_may_go(b))
		at_wf2q_reshow(&s->wf2q, i, vfq_shown_cost(q, i, now));
}

/* The first packet of box i, as wfq serves it. */
static struct at_pkt *vfq_serve_plainly(struct at_qdisc *q, u32 i, struct at_ticket *t, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_box *b = &s->boxes[i];
	struct at_vfq_flow *f = &s->flows[vfq_pick(s, b)];
	struct at_pkt *p = vfq_head_of(q, f);

	vfq_count_out(q, b, f, at_line_take(&f->line));
	vfq_serve(q, i, s->rest + i, (struct at_vfq_bill){ .down = s->plain(s, b, at_bytes(p)) }, t, now);
	at_book_out(q, p);
	return p;
}

/* A packet of box i, which has some that may go, or NULL: CoDel dropped them. */
static struct at_pkt *vfq_serve_box(struct at_qdisc *q, u32 i, struct at_ticket *t, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_box *b = &s->boxes[i];
	struct at_vfq_bill bill;
	u32 k = vfq_pick(s, b), number;
	struct at_vfq_flow *f = &s->flows[k];
	struct at_pkt *head, *p = NULL;

	/* whatever CoDel leaves as the first one may be more than a burst */
	while (!p && (head = vfq_head_of(q, f)) != NULL) {
		vfq_look(s, b, head);
		if (q->ack && at_vfq_advance_of(&f->proof, b->seen.tcp.ack) && at_vfq_splits(s, f, &b->seen, &number) &&
		    (p = vfq_ahead(q, i, k, head, number, t, now)) != NULL)
			return p;
		p = vfq_controlled(q, b, f, now);
	}
	if (!p) {
		vfq_nothing_left(q, i, now);
		return NULL;
	}
	p = vfq_merged(q, b, f, p);
	bill = at_vfq_price(s, b, f, &b->seen, at_bytes(p), b->seen.tcp.ack, now);
	at_vfq_released(s, b, f, &b->seen, b->seen.tcp.ack);
	vfq_serve(q, i, k, bill, t, now);
	at_book_out(q, p);
	return p;
}

/* An urgent packet goes, and its station pays; there is one that may go. */
static __attribute__((__noinline__)) struct at_pkt *vfq_serve_urgent(struct at_qdisc *q, struct at_ticket *t)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_pkt *p = at_urgent_take(&s->urgent, q);
	u32 i = at_vfq_box_of(s, at_sta(p)), bytes = at_bytes(p);
	struct at_vfq_seen seen = { 0 };
	struct at_vfq_bill bill;

	if (s->plain)
		bill = (struct at_vfq_bill){ .down = s->plain(s, &s->boxes[i], bytes) };
	else
		bill = at_vfq_price(s, &s->boxes[i], &s->flows[s->rest + i], &seen, bytes, 0, 0);
	s->urgent.sent++;
	s->boxes[i].down += bill.down;
	at_wf2q_charge(&s->wf2q, i, bill.down);
	if (!s->plain && !s->faithful)
		at_tickets_issue(&s->tickets, (struct at_charge){ .flow = i, .est = (u32)bill.down,
				 .nominal = at_nominal_ns(bytes), .mark = AT_VFQ_URGENT }, t);
	at_book_out(q, p);
	return p;
}

/* What is not TCP, where that goes first; there is some that may go. */
static __attribute__((__noinline__)) struct at_pkt *vfq_serve_first(struct at_qdisc *q)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_pkt *p;

	at_line_first(q, &s->first);
	p = at_line_take(&s->first);
	s->first_len--;
	s->first_bytes -= at_bytes(p);
	at_book_out(q, p);
	return p;
}

struct at_pkt *at_vfq_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_pkt *p;
	u32 i;

	*t = (struct at_ticket){ 0 };
	at_codel_begin(&s->codel_total);
	s->contenders = s->wf2q.active + 1;
	if (at_urgent_waits(&s->urgent))
		return vfq_serve_urgent(q, t);
	if (s->first_len != s->first_parked)
		return vfq_serve_first(q);
	for (p = NULL; !p && (i = at_wf2q_next(&s->wf2q)) != AT_WF2Q_NONE;)
		p = s->plain ? vfq_serve_plainly(q, i, t, now) : vfq_serve_box(q, i, t, now);
	return p;
}

/* ---- drain, gates, links, reset ---- */

static bool vfq_older(struct at_pkt *p, struct at_pkt *than)
{
	return p && (!than || at_seq(p) < at_seq(than));
}

/* The flow of a box whose oldest packet is older than *p, if that is not NULL. */
static void vfq_oldest_in(struct at_vfq *s, struct at_vfq_box *b, struct at_pkt **p, u32 *flow)
{
	u32 i;

	at_rounds_look_again(&b->rounds, vfq_seats(s));
	i = b->rounds.lists[FIRST].head;
	for (u32 n = b->rounds.lists[FIRST].len; n; n--, i = s->flows[i].seat.next)
		if (vfq_older(s->flows[i].line.fifo.head, *p)) {
			*p = s->flows[i].line.fifo.head;
			*flow = i;
		}
}

/* Oldest of all. A scan: handing over is rare. */
struct at_pkt *at_vfq_drain(struct at_qdisc *q)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_pkt *p = at_urgent_oldest(&s->urgent);
	bool first = vfq_older(s->first.fifo.head, p);
	u32 flow = 0;

	p = first ? s->first.fifo.head : p;
	for (u32 i = 0; i < s->n_boxes; i++)
		if (s->boxes[i].qlen)
			vfq_oldest_in(s, &s->boxes[i], &p, &flow);
	if (!p)
		return NULL;
	if (flow) {
		u32 i = s->flows[flow].seat.whose;

		vfq_take_oldest(q, flow);
		vfq_sync_box(q, i, s->boxes[i].last);
	} else if (first) {
		vfq_pop_first(q);
	} else {
		at_urgent_pop(&s->urgent, q);
	}
	at_book_out(q, p);
	return p;
}

/* A line's packets of that station are parked now, or no longer; by how many more. */
static u32 vfq_turn_line(struct at_qdisc *q, struct at_line *l, u16 sta, bool open)
{
	u32 before = q->parked;

	at_line_turned(q, l, sta, open);
	return q->parked - before;
}

void at_vfq_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	u32 i = at_vfq_box_of(s, sta), k, by;
	struct at_vfq_box *b = &s->boxes[i];

	if (!at_gate_turn(q, sta, open))
		return;
	at_urgent_turned(&s->urgent, q, sta, open);
	s->first_parked += vfq_turn_line(q, &s->first, sta, open);
	at_rounds_look_again(&b->rounds, vfq_seats(s));
	k = b->rounds.lists[FIRST].head;
	for (u32 n = b->rounds.lists[FIRST].len; n; n--, k = s->flows[k].seat.next) {
		by = vfq_turn_line(q, &s->flows[k].line, sta, open);
		s->flows[k].parked += by;
		b->parked += by;
	}
	vfq_sync_box(q, i, now);
}

void at_vfq_link(struct at_qdisc *q, const struct at_link *l, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_vfq_box *b = &s->boxes[at_vfq_box_of(s, l->sta)];

	(void)now;
	b->contenders = 0;
	if (l->here) {
		b->linked = at_aircost_of_link(&b->cost, l) || b->linked;
		return;
	}
	/* who gets its number next is somebody else */
	b->linked = false;
	b->cost = s->usual;
	b->down = b->up = b->heard = 0;
	b->split = b->merged = b->refused = 0;
	at_wf2q_forgive(&s->wf2q, at_vfq_box_of(s, l->sta));
	vfq_forget_box(b);
}

void at_vfq_reset(struct at_qdisc *q, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_pkt *p;

	(void)now;
	while ((p = at_urgent_pop(&s->urgent, q)))
		at_book_drop(q, p, AT_R_RESET);
	while ((p = vfq_pop_first(q)))
		at_book_drop(q, p, AT_R_RESET);
	for (u32 i = 0; i < s->n_boxes; i++) {
		struct at_vfq_box *b = &s->boxes[i];

		while (b->qlen)
			at_book_drop(q, vfq_take_oldest(q, vfq_longest_flow(s, b)), AT_R_RESET);
		b->last = 0;
		vfq_forget_box(b);
		at_vfq_forget_flow(&s->flows[s->rest + i]);
	}
	at_wf2q_clear(&s->wf2q);
	at_flows_forget(&s->table);
	at_tickets_forget(&s->tickets);
}
