/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's state and what keeps it consistent: credits, the order of the
 * backlogged flows, flow records, the backlog of each flow and the newcomers'
 * queue. chap.c has the rules; nobody else includes this.
 *
 * Invariants
 *  - A flow has a slot exactly while it has packets queued.
 *  - A slot is either a newcomer's (turns.h), or in an order of credits, or it
 *    is the loose one, whose place in the order is open. Slot 0 is in an order
 *    exactly while there are newcomers.
 *  - There are two orders: of those who may be served, and of those who have parked
 *    packets alone (gate.h; PARKED). The tab is in that of the newcomers if all are.
 *  - No credit changes, but by boosts, while its slot is in the order.
 *  - Idle records are in a list of the flow table (flowtable.h); a busy one may
 *    have stayed in its list.
 */
#ifndef AIRTAB_CHAP_STATE_H
#define AIRTAB_CHAP_STATE_H

#include "airtab/codel.h"
#include "airtab/credit.h"
#include "airtab/flowtable.h"
#include "airtab/order.h"
#include "airtab/tickets.h"
#include "airtab/turns.h"
#include "airtab/urgent.h"

#define MULTICAST 0u		/* record; no flow of the table has number 0 */
#define TAB 0u			/* slot */
#define RETIRE 2		/* records looked at for expiry, per list and new flow */
#define CHANCES 8		/* recently used records passed over for one eviction */

enum { KNOWN = 1, SERVED = 2, ESTABLISHED = 4, RECENT = 8, TCP = 16,
       REVISION = 32,		/* of the increment: the credit is from before a change */
       PARKED = 64 };		/* all its queued packets are */

/* A flow: one cache line. */
struct flow {
	struct at_flow_node node;
	s64 credit;		/* distance from 2I, ns, after `epoch` boosts */
	u64 last;		/* last served (first seen, if never), ns */
	u64 air;		/* charged in all, ns */
	u32 epoch;
	u32 gen;		/* of the record: one more for each flow that it holds */
	u32 created;		/* order of creation, for ties */
	u32 slot;		/* 0 = not backlogged */
	u32 packets;		/* served */
	u16 scale;		/* airtime / nominal, Q10 */
	u8 flags;
};

/* The backlog of a flow; slot 0 is the tab's. */
struct slot {
	struct at_fifo list;
	u32 flow;
	u32 len;		/* packets */
};

_Static_assert(sizeof(struct flow) <= 64, "a flow is one cache line");
_Static_assert(sizeof(struct flow) + sizeof(u32) * 8 / 3 + 1 + sizeof(struct slot) + sizeof(u32) * 3 +
	       sizeof(struct at_heap_entry) * 2 <= 144, "a flow takes at most 144 bytes, bucket and backlog included");
_Static_assert(sizeof(struct at_codel) <= 24, "and 24 more where there is a target");

struct chap {
	/* parameters */
	s64 increment;			/* I, ns */
	u64 bound, memory;		/* packets and bytes that remain after an arrival */
	u64 udp_timeout, tcp_timeout;	/* ns */
	bool faithful, newcomers, uplink;

	u32 boosts;
	u32 created;
	u32 slot_free, slot_fresh;
	u32 loose;			/* backlogged slot that awaits its place in the order */
	u32 fat;			/* ranked slot that held most packets when it got its last */
	u64 new_len, new_bytes;		/* newcomers' packets */
	u16 scale;			/* mean of all flows, Q10 */
	u64 seq;
	struct at_urgent urgent;

	/* The last change of the increment: how many boosts there had been, what it
	 * adds to a distance from 2I, which credits have it (REVISION), and the first
	 * record that may not. */
	u32 changed, unvisited;
	s64 shift;
	u8 revision;

	u64 n_boosts, n_new, n_newcomers, n_evicted, n_expired, n_settled, n_stale;

	struct at_order order;		/* of slots that may be served, by credit */
	struct at_order parked;		/* of the others */
	struct at_flowtable table;
	struct flow *flows;		/* multicast, the table's, the tab's */
	struct slot *slots;
	u32 *next;			/* of a slot: free one, newcomer, or order.h's */
	struct at_codel *codels;	/* of flows[0..table.size]; NULL = no target */
	struct at_codel_params codel;
	struct at_codel_stats aqm;
	struct at_tickets tickets;
	struct at_turns turns;		/* of newcomers' slots, by station or source */
};

static struct chap *chap_priv(const struct at_qdisc *q)
{
	return (struct chap *)q->state;
}

static struct flow *chap_tab(const struct chap *c)
{
	return &c->flows[AT_FLOWS_RECORDS(c->table.size)];
}

/* ---- credit ---- */

static s64 chap_within_bounds(const struct chap *c, s64 d)
{
	return c->faithful ? d : at_credit_clamp(d, c->increment);
}

static s64 chap_credit_of(const struct chap *c, const struct flow *f)
{
	u32 epoch = f->epoch;
	s64 d = f->credit;

	if ((f->flags ^ c->revision) & REVISION) {	/* the same credit from another 2I */
		d = at_credit_boost(d, c->changed - epoch) + c->shift;
		d = chap_within_bounds(c, d < 0 ? d : 0);	/* nobody has more than 2I */
		epoch = c->changed;
	}
	return at_credit_boost(d, c->boosts - epoch);
}

static void chap_set_credit(const struct chap *c, struct flow *f, s64 d)
{
	f->credit = chap_within_bounds(c, d);
	f->epoch = c->boosts;
	f->flags = (u8)((f->flags & ~REVISION) | c->revision);
}

/* Brings credits up to date with the last change, at most so many; whether that
 * was not all of them. */
static bool chap_revise(struct chap *c, u32 most)
{
	for (; most && c->unvisited < c->table.fresh; c->unvisited++, most--) {
		struct flow *f = &c->flows[c->unvisited];

		if (f->flags)
			chap_set_credit(c, f, chap_credit_of(c, f));
	}
	return c->unvisited < c->table.fresh;
}

static void chap_charge(const struct chap *c, struct flow *f, s64 ns)
{
	f->air += (u64)ns;
	chap_set_credit(c, f, at_credit_charge(chap_credit_of(c, f), ns));
}

/* What a flow starts with, or the newcomers compete with: min(I, tab). */
static s64 chap_newcomer_credit(const struct chap *c)
{
	s64 d = c->newcomers ? chap_credit_of(c, chap_tab(c)) : 0;

	return d < -c->increment ? d : -c->increment;
}

/* ---- order of the backlogged flows ---- */

/* What order.h sorts by. */
static inline struct at_heap_entry chap_entry(const void *ctx, u32 id)
{
	const struct chap *c = ctx;
	s64 d = id == TAB ? chap_newcomer_credit(c) : chap_credit_of(c, &c->flows[c->slots[id].flow]);

	return (struct at_heap_entry){ d, c->boosts, id };
}

/* Keys of the present need no boost, and few are equal: branches that nearly
 * always go the same way. The comparison itself has none, it is a toss-up. */
static inline bool chap_less(const void *ctx, const struct at_heap_entry *a, const struct at_heap_entry *b)
{
	const struct chap *c = ctx;
	s64 x = a->key, y = b->key;

	if ((a->tag ^ c->boosts) | (b->tag ^ c->boosts)) {
		x = at_credit_boost(x, c->boosts - a->tag);
		y = at_credit_boost(y, c->boosts - b->tag);
	}
	if (x == y)	/* who is older goes first */
		return c->flows[c->slots[a->id].flow].created > c->flows[c->slots[b->id].flow].created;
	return x < y;
}

static struct flow *chap_flow_in(const struct chap *c, u32 id)
{
	return &c->flows[c->slots[id].flow];
}

static bool chap_parked(const struct chap *c, u32 id)
{
	return chap_flow_in(c, id)->flags & PARKED;
}

/* Not inline, and no choice of a pointer: the order of those that may be served is
 * known before the flow is looked at. */
static __attribute__((cold, noinline)) void chap_rank_parked(struct chap *c, u32 id)
{
	at_order_add(&c->parked, id, chap_entry, chap_less, c);
}

static __attribute__((cold, noinline)) void chap_unrank_parked(struct chap *c, u32 id)
{
	at_order_del(&c->parked, id, chap_less, c);
}

/* Gives a slot its place by the credit of its flow. */
static void chap_rank(struct chap *c, u32 id)
{
	if (chap_parked(c, id))
		chap_rank_parked(c, id);
	else
		at_order_add(&c->order, id, chap_entry, chap_less, c);
}

/* Takes a slot out of its order. */
static void chap_lift(struct chap *c, u32 id)
{
	if (chap_parked(c, id))
		chap_unrank_parked(c, id);
	else
		at_order_del(&c->order, id, chap_less, c);
}

static void chap_unrank(struct chap *c, u32 id)
{
	if (c->loose == id)
		c->loose = AT_ORDER_NONE;
	else
		chap_lift(c, id);
}

static bool chap_ranked(const struct chap *c, u32 id)
{
	return c->loose == id || at_order_has(&c->order, id);
}

/* The loose slot gets its place. */
static void chap_settle(struct chap *c)
{
	u32 id = c->loose;

	c->loose = AT_ORDER_NONE;
	if (id != AT_ORDER_NONE)
		chap_rank(c, id);
}

/* Takes a slot out of the order, for its credit is about to change. It gets its
 * new place when somebody looks, or another one becomes loose: a charge and the
 * report of that transmission cost one move if the report comes before. */
static void chap_loosen(struct chap *c, u32 id)
{
	if (c->loose == id)
		return;
	chap_settle(c);
	chap_lift(c, id);
	c->loose = id;
}

/* The slot with the most credit of those that may be served, or AT_ORDER_NONE. */
static u32 chap_most(struct chap *c)
{
	chap_settle(c);
	return at_order_end(&c->order, true, chap_entry, chap_less, c);
}

/* The slot with the least credit of all, or AT_ORDER_NONE. */
static u32 chap_least(struct chap *c)
{
	struct at_heap_entry x;
	u32 id, parked;

	chap_settle(c);
	id = at_order_end(&c->order, false, chap_entry, chap_less, c);
	if (!c->parked.n)
		return id;
	parked = at_order_end(&c->parked, false, chap_entry, chap_less, c);
	x = chap_entry(c, parked);
	return id == AT_ORDER_NONE || at_order_below(&x, id, chap_entry, chap_less, c) ? parked : id;
}

/* Charges a flow, backlogged or not. */
static void chap_pay(struct chap *c, struct flow *f, s64 ns)
{
	if (f->slot && chap_ranked(c, f->slot))
		chap_loosen(c, f->slot);
	chap_charge(c, f, ns);
}

/* Charges the newcomers' tab. */
static void chap_pay_tab(struct chap *c, s64 ns)
{
	chap_unrank(c, TAB);
	chap_charge(c, chap_tab(c), ns);
	if (c->turns.members)
		chap_rank(c, TAB);
}

/* Credits are boosted when they are looked at next. The tab's cap needs no care:
 * who was at 0 or below is at I or below now. Outside faithful, two credits that
 * rounding made equal may keep the order that they had. */
static void chap_boost(struct chap *c)
{
	c->boosts++;
	c->n_boosts++;
	if (!c->faithful)
		return;
	at_order_rebuild(&c->order, chap_entry, chap_less, c);
	at_order_rebuild(&c->parked, chap_entry, chap_less, c);
}

/* ---- flow records ---- */

static bool chap_expired(const struct chap *c, const struct flow *f, u64 now)
{
	return now - f->last > (f->flags & TCP ? c->tcp_timeout : c->udp_timeout);
}

/* A flow begins in this record. */
static void chap_start(struct chap *c, u32 i, const struct at_pkt *p, u64 now)
{
	struct flow *f = &c->flows[i];
	struct at_tcp t;

	*f = (struct flow){
		.node = f->node,
		.credit = chap_newcomer_credit(c),
		.last = now,
		.epoch = c->boosts,
		.gen = f->gen + 1,
		.created = c->created++,
		.scale = c->scale,
		.flags = (u8)((at_tcp(p, &t) ? KNOWN | TCP : KNOWN) | c->revision),
	};
	if (c->codels)
		c->codels[i] = (struct at_codel){ 0 };
	c->n_new++;
}

static void chap_forget(struct chap *c, u32 i)
{
	at_flows_del(&c->table, i);
	c->flows[i].flags = 0;
	c->flows[i].gen++;
}

/* Passes over a record that is in use: its turn comes again. */
static void chap_requeue(struct chap *c, u32 i, u32 list)
{
	c->flows[i].flags &= (u8)~RECENT;
	at_flows_list(&c->table, i, list);
}

static void chap_retire(struct chap *c, u64 now)
{
	for (u32 n = 0; n < RETIRE * AT_FLOWS_LISTS; n++) {
		u32 list = n % AT_FLOWS_LISTS, i = at_flows_oldest(&c->table, list);
		const struct flow *f = &c->flows[i];

		if (!i)
			continue;
		if (!f->slot && chap_expired(c, f, now)) {
			chap_forget(c, i);
			c->n_expired++;
		} else if (f->slot || (f->flags & RECENT)) {
			chap_requeue(c, i, list);
		}
	}
}

/* Gives up an idle record: of the flows seen once if there is one. There is an
 * idle one, for there are more flows than queued packets, and the busy ones of a
 * list are passed over once. */
static void chap_evict(struct chap *c)
{
	u32 busy = c->order.n + c->parked.n + c->turns.members + 1;	/* at most: the tab is no flow, the loose one is */

	for (u32 list = 0; list < AT_FLOWS_LISTS; list++) {
		for (u32 n = 0; n <= CHANCES + busy; n++) {
			u32 i = at_flows_oldest(&c->table, list);
			const struct flow *f = &c->flows[i];

			if (!i)
				break;
			if (!f->slot && (!(f->flags & RECENT) || n >= CHANCES)) {
				chap_forget(c, i);
				c->n_evicted++;
				return;
			}
			chap_requeue(c, i, list);
		}
	}
}

/* The record of p's flow, made if need be. */
static u32 chap_flow_of(struct chap *c, const struct at_pkt *p, u64 now)
{
	u32 key = at_flow(p), i;
	struct flow *f;

	if (at_sta(p) == AT_GROUP)
		return MULTICAST;
	i = at_flows_find(&c->table, key);
	f = &c->flows[i];
	if (!i) {
		chap_retire(c, now);
		i = at_flows_add(&c->table, key);
		if (!i) {
			chap_evict(c);
			i = at_flows_add(&c->table, key);
		}
		chap_start(c, i, p, now);
	} else if (!f->slot && chap_expired(c, f, now)) {
		at_flows_unlist(&c->table, i);
		c->n_expired++;
		chap_start(c, i, p, now);
	} else {
		f->flags |= RECENT;
		if ((f->flags & (SERVED | ESTABLISHED)) == SERVED) {
			f->flags |= ESTABLISHED;
			at_flows_unlist(&c->table, i);
		}
	}
	return i;
}

/* ---- backlog ---- */

static u32 chap_open_slot(struct chap *c, u32 flow)
{
	u32 id = c->slot_free;

	if (id)
		c->slot_free = c->next[id];
	else
		id = c->slot_fresh++;
	c->slots[id] = (struct slot){ .flow = flow };
	return id;
}

/* Its bytes, counted until they are more than `enough`. */
static u64 chap_backlog_bytes(const struct slot *s, u64 enough)
{
	u64 bytes = 0;

	for (struct at_pkt *p = s->list.head; p && bytes <= enough; p = *at_next(p))
		bytes += at_bytes(p);
	return bytes;
}

/* The same, without parked packets. */
static u64 chap_ready_bytes(const struct at_qdisc *q, const struct slot *s, u64 enough)
{
	u64 bytes = 0;

	for (struct at_pkt *p = s->list.head; p && bytes <= enough; p = *at_next(p))
		bytes += at_parked(q, p) ? 0 : at_bytes(p);
	return bytes;
}

/* A newcomer's slot has n packets and so many bytes more. */
static void chap_count_newcomer(struct chap *c, u32 id, s32 n, s64 bytes)
{
	c->new_len += (u64)n;
	c->new_bytes += (u64)bytes;
	at_turns_count(&c->turns, id, n);
}

/* The tab stands for the newcomers: in the order while there are some, in that of
 * who may be served while one of them may. */
static void chap_seat_tab(struct chap *c)
{
	u8 parked = c->turns.ready ? 0 : PARKED;

	if (c->turns.members && chap_ranked(c, TAB) && (chap_tab(c)->flags & PARKED) == parked)
		return;
	chap_unrank(c, TAB);
	chap_tab(c)->flags = (u8)((chap_tab(c)->flags & ~PARKED) | parked);
	if (c->turns.members)
		chap_rank(c, TAB);
}

/* Ends the slot's time among the newcomers. */
static void chap_leave_newcomers(struct chap *c, u32 id)
{
	const struct slot *s = &c->slots[id];

	chap_count_newcomer(c, id, -(s32)s->len, -(s64)chap_backlog_bytes(s, AT_NEVER));
	if (!chap_parked(c, id))
		at_turns_ready(&c->turns, id, false);
	at_turns_leave(&c->turns, id);
	chap_seat_tab(c);
}

/* Whom p's flow takes turns with while it is new: those of its station or, where
 * the host knows none, of its source. */
static u32 chap_party_of(const struct at_pkt *p)
{
	return at_sta(p) == AT_NO_STA ? at_source(p) | (u32)1 << 31 : at_sta(p);
}

static void chap_join_newcomers(struct chap *c, u32 id, const struct at_pkt *p)
{
	at_turns_join(&c->turns, id, chap_party_of(p));
	if (!chap_parked(c, id))
		at_turns_ready(&c->turns, id, true);
	chap_seat_tab(c);
}

/* A slot may be served no longer, or again: it goes to where such slots are. */
static void chap_park(struct chap *c, u32 id, bool parked)
{
	struct flow *f = chap_flow_in(c, id);

	if (!(f->flags & PARKED) == !parked)
		return;
	if (!chap_ranked(c, id)) {
		f->flags ^= PARKED;
		at_turns_ready(&c->turns, id, !parked);
		chap_seat_tab(c);
	} else if (c->loose == id) {
		f->flags ^= PARKED;
	} else {
		chap_unrank(c, id);
		f->flags ^= PARKED;
		chap_rank(c, id);
	}
}

/* Whether a slot has parked packets alone. */
static bool chap_waits(const struct at_qdisc *q, const struct slot *s)
{
	struct at_pkt *before = NULL;

	return q->closed && !at_gate_first(q, &s->list, &before);
}

static void chap_append(struct at_qdisc *q, u32 i, struct at_pkt *p)
{
	struct chap *c = chap_priv(q);
	struct flow *f = &c->flows[i];
	struct slot *s;

	if (!f->slot) {
		f->slot = chap_open_slot(c, i);
		if (at_parked(q, p))
			f->flags |= PARKED;
		if (c->newcomers && !(f->flags & SERVED))
			chap_join_newcomers(c, f->slot, p);
		else
			chap_rank(c, f->slot);
	} else if ((f->flags & PARKED) && !at_parked(q, p)) {
		chap_park(c, f->slot, false);
	}
	s = &c->slots[f->slot];
	at_fifo_push(&s->list, p);
	s->len++;
	if (!chap_ranked(c, f->slot))
		chap_count_newcomer(c, f->slot, 1, at_bytes(p));
	else if (s->len > c->slots[c->fat].len)
		c->fat = f->slot;
}

/* A slot without packets is closed. */
static void chap_close_slot(struct chap *c, u32 id)
{
	const struct slot *s = &c->slots[id];
	struct flow *f = chap_flow_in(c, id);

	if (c->fat == id)
		c->fat = TAB;
	if (chap_ranked(c, id))
		chap_unrank(c, id);
	else
		chap_leave_newcomers(c, id);
	if (s->flow != MULTICAST && !at_flows_listed(&c->table, s->flow))
		at_flows_list(&c->table, s->flow,
			      f->flags & ESTABLISHED ? AT_FLOWS_KNOWN : AT_FLOWS_NEW);
	if (c->codels)
		at_codel_empty(&c->codels[s->flow]);
	f->slot = 0;
	f->flags &= (u8)~PARKED;
	c->next[id] = c->slot_free;
	c->slot_free = id;
}

/* Takes the packet of a slot behind `before`, or the oldest. */
static struct at_pkt *chap_take(struct at_qdisc *q, u32 id, struct at_pkt *before)
{
	struct chap *c = chap_priv(q);
	struct slot *s = &c->slots[id];
	struct at_pkt *p = at_fifo_take(&s->list, before);

	s->len--;
	if (!chap_ranked(c, id))
		chap_count_newcomer(c, id, -1, -(s64)at_bytes(p));
	if (!s->list.head)
		chap_close_slot(c, id);
	else if (chap_waits(q, s))
		chap_park(c, id, true);
	return p;
}

/* Takes the oldest that may go, of a slot that is not parked. */
static struct at_pkt *chap_take_ready(struct at_qdisc *q, u32 id)
{
	struct at_pkt *before = NULL;

	at_gate_first(q, &chap_priv(q)->slots[id].list, &before);
	return chap_take(q, id, before);
}

/* No slot holds a packet any more. */
static void chap_forget_backlog(struct chap *c)
{
	at_order_clear(&c->order);
	at_order_clear(&c->parked);
	at_turns_clear(&c->turns);
	c->loose = AT_ORDER_NONE;
	c->fat = TAB;
	c->slot_free = 0;
	c->slot_fresh = 1;
	c->new_len = c->new_bytes = 0;
}

#endif
