/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's state, and what its parts know of each other. chap.c has the rules,
 * chap_flows.c the records of flows, chap_order.c and chap_order.h who has the most
 * credit and the least, chap_backlog.c the queued packets; nobody else includes this.
 *
 * Invariants
 *  - A flow has a slot exactly while it has packets queued.
 *  - A slot is either a newcomer's (turns.h), or in an order of credits, or it
 *    is the loose one, whose place in the order is open. Slot 0 is in an order
 *    exactly while there are newcomers.
 *  - There are two orders: of those who may be served, and of those who have parked
 *    packets alone (gate.h; PARKED). The tab is in that of the newcomers if all are.
 *  - No credit changes, but by boosts, while its slot is in an order.
 *  - Idle records are in a list of the flow table (flowtable.h); a busy one may
 *    have stayed in its list.
 */
#ifndef AIRTAB_CHAP_STATE_H
#define AIRTAB_CHAP_STATE_H

#include "airtab/codel.h"
#include "airtab/credit.h"
#include "airtab/flowtable.h"
#include "airtab/order.h"
#include "airtab/shelves.h"
#include "airtab/tickets.h"
#include "airtab/turns.h"
#include "airtab/urgent.h"

#define MULTICAST 0u		/* record; no flow of the table has number 0 */
#define TAB 0u			/* slot */
#define SLOT_FLOW 0x7fffffffu	/* mask of the number of a slot's flow */

enum { KNOWN = 1, SERVED = 2, ESTABLISHED = 4, RECENT = 8, TCP = 16,
       REVISION = 32,		/* of the increment: the credit is from before a change */
       PARKED = 64,		/* all its queued packets are */
       WAITING = 128,		/* groups: its slot is a newcomer's */
       SPARSE = REVISION };	/* groups: came to an empty slot and uses little of the air */

/* A flow: one cache line. */
struct chap_flow {
	struct at_flow_node node;
	s64 credit;		/* distance from 2I, ns, as it was in `epoch` */
	u64 last;		/* last served (first seen, if never), ns; groups: its queue became empty or not empty */
	u64 air;		/* charged in all, ns */
	u32 epoch;
	u32 gen;		/* of the record: one more for each flow that it holds */
	union {
		u32 created;	/* order of creation, for ties */
		u32 level;	/* groups: airtime since its queue was empty, and before, less a part of the time, ns */
	};
	u32 slot;		/* 0 = not backlogged */
	u32 packets;		/* served */
	u16 scale;		/* airtime / nominal, Q10 */
	u8 flags;
	u8 party;		/* chap_party.c: the group whose share it has a part of; `epoch` is that group's */
};

/* The backlog of a flow; slot 0 is the tab's. */
struct chap_slot {
	struct at_fifo list;
	u32 flow : 31;
	u32 aside : 1;		/* groups: it lies on a shelf of those that are parked */
	u32 len;		/* packets */
};

/* What keeps a flow's backlog short. */
struct chap_control {
	u64 since;		/* when the bytes began that are counted */
	u32 bytes;		/* served since, of a backlog that lasts */
	u32 full;		/* ns that a full packet takes, mean with weight 1/8; 0 = not known */
	struct at_codel codel;	/* of a calm flow no more is read than where it begins */
};

_Static_assert(sizeof(struct chap_flow) <= 64, "a flow is one cache line");
_Static_assert(sizeof(struct chap_flow) + sizeof(u32) * 8 / 3 + 1 + sizeof(struct chap_slot) +
	       sizeof(u32) * 3 + sizeof(struct at_heap_entry) * 2 <= 144,
	       "a flow takes at most 144 bytes, bucket and backlog included");
_Static_assert(sizeof(struct chap_control) <= 40, "and 40 more where there is a target");

struct chap {
	/* parameters */
	s64 increment;			/* I, ns */
	s64 floor;			/* no credit is below, as a distance from 2I */
	u64 bound, memory;		/* packets and bytes that remain after an arrival */
	u64 udp_timeout, tcp_timeout;	/* ns */
	bool faithful, newcomers, uplink;

	u32 epoch;			/* boosts and changes of the increment */
	u32 created;
	u32 slot_free, slot_fresh;
	u32 loose;			/* backlogged slot that awaits its place in the order */
	u32 fat;			/* ranked slot that held most packets when it got its last */
	u64 new_len, new_bytes;		/* newcomers' packets */
	u16 scale;			/* mean of all flows, Q10 */
	u64 seq;
	u64 busy_from;			/* when the nominal airtime below began, ns; 0 = the queue was empty */
	u32 busy_nominal;
	u16 line;			/* scale of a host without reports, Q10; 0 = not known */
	struct at_urgent urgent;

	/* The last change of the increment: its epoch, what it adds to a distance from
	 * 2I, which credits have it (REVISION), and the first record that may not. */
	u32 changed, unvisited;
	s64 shift;
	u8 revision;

	u64 n_boosts, n_new, n_newcomers, n_evicted, n_expired, n_settled, n_stale;

	struct at_order order;		/* of slots that may be served, by credit */
	struct at_order parked;		/* of the others; pos and next are the same arrays */
	struct at_flowtable table;
	struct chap_flow *flows;	/* multicast, the table's, the tab's */
	struct chap_slot *slots;
	u32 *next;			/* of a slot: free one, newcomer, or order.h's */
	struct chap_control *controls;	/* of flows[0..table.size]; NULL = no target */
	struct at_codel_params codel;
	struct at_codel_stats aqm;
	struct chap_drain *drain;	/* bounds of stations (chap_drain.c); NULL: none */
	struct chap_parties *parties;	/* shares of stations (chap_party.c); NULL: of flows */
	struct at_tickets tickets;
	struct at_turns turns;		/* of newcomers' slots, by station or source */
};

#include "chap_party.h"

static inline struct chap *chap_priv(const struct at_qdisc *q)
{
	return (struct chap *)q->state;
}

static inline struct chap_flow *chap_tab(const struct chap *c)
{
	return &c->flows[AT_FLOWS_RECORDS(c->table.size)];
}

/* ---- credit ---- */

/* Of a flow that has not seen the last boost or the last change. */
s64 at_chap_late_credit(const struct chap *c, const struct chap_flow *f);

/* Credit of a flow of a group. */
s64 at_chap_party_flow_credit(const struct chap *c, const struct chap_flow *f);

static inline s64 chap_credit_of(const struct chap *c, const struct chap_flow *f)
{
	if (c->parties)
		return at_chap_party_flow_credit(c, f);
	return __builtin_expect(f->epoch == c->epoch, 1) ? f->credit : at_chap_late_credit(c, f);
}

static inline void chap_set_credit(const struct chap *c, struct chap_flow *f, s64 d)
{
	f->credit = at_credit_clamp(d, c->floor);
	f->epoch = c->epoch;
	f->flags = (u8)((f->flags & ~REVISION) | c->revision);
}

/* Charges a flow that has seen all. */
static inline void chap_charge_present(const struct chap *c, struct chap_flow *f, s64 ns)
{
	f->air += (u64)ns;
	f->credit = at_credit_charge(f->credit, ns, c->floor);
}

static inline void chap_charge(const struct chap *c, struct chap_flow *f, s64 ns)
{
	if (__builtin_expect(f->epoch != c->epoch, 0))
		chap_set_credit(c, f, at_chap_late_credit(c, f));
	chap_charge_present(c, f, ns);
}

/* Credit of a new flow and of the newcomers: min(I, tab). Not with groups. */
static inline s64 chap_newcomer_credit(const struct chap *c)
{
	s64 d = c->newcomers ? chap_credit_of(c, chap_tab(c)) : 0;

	return d < -c->increment ? d : -c->increment;
}

/* ---- flows ---- */

static inline bool chap_expired(const struct chap *c, const struct chap_flow *f, u64 now)
{
	return now - f->last > (f->flags & TCP ? c->tcp_timeout : c->udp_timeout);
}

/* A record begins: p's group becomes the flow's. */
void at_chap_party_begin(struct chap *c, u32 i, const struct at_pkt *p);
/* Before a flow without packets gets one: p's group becomes the flow's. */
void at_chap_party_enter(struct chap *c, u32 i, const struct at_pkt *p, u64 now);

/* A record for p's flow: i, which has expired, or a new one if i is 0. */
u32 at_chap_begin(struct chap *c, u32 i, const struct at_pkt *p, u64 now);

/* The record of p's flow, made if need be. */
static inline u32 at_chap_flow_of(struct chap *c, const struct at_pkt *p, u64 now)
{
	struct chap_flow *f;
	u32 i;

	if (at_sta(p) == AT_GROUP) {
		if (c->parties && !c->flows[MULTICAST].slot)
			at_chap_party_enter(c, MULTICAST, p, now);
		return MULTICAST;
	}
	i = at_flows_find(&c->table, at_flow(p));
	f = &c->flows[i];
	if (!i || (!f->slot && chap_expired(c, f, now)))
		return at_chap_begin(c, i, p, now);
	if (c->parties && !f->slot)
		at_chap_party_enter(c, i, p, now);
	f->flags |= RECENT;
	if ((f->flags & (SERVED | ESTABLISHED)) == SERVED) {
		f->flags |= ESTABLISHED;
		at_flows_unlist(&c->table, i);
	}
	return i;
}

/* The slot of p's flow if nothing is to be done about it but to queue p: it came back
 * before, has packets queued and is not parked; else 0. */
static inline u32 chap_slot_at_work(const struct chap *c, const struct at_pkt *p)
{
	const u8 want = SERVED | ESTABLISHED | RECENT;
	u32 i = at_sta(p) == AT_GROUP ? 0 : *at_flows_bucket(&c->table, at_flow(p));
	const struct chap_flow *f = &c->flows[i];

	/* as at_flows_top() */
	return AT_MOSTLY(i && i < c->table.fresh && f->node.key == at_flow(p) && (f->flags & (want | PARKED)) == want)
		       ? f->slot : 0;
}

/* ---- order of the backlogged flows ---- */

static inline struct chap_flow *chap_flow_in(const struct chap *c, u32 id)
{
	return &c->flows[c->slots[id].flow];
}

static inline bool chap_parked(const struct chap *c, u32 id)
{
	return chap_flow_in(c, id)->flags & PARKED;
}

/* What a slot has its place by: the credit that it competes with. */
static inline s64 chap_key(const struct chap *c, u32 id)
{
	return id == TAB ? chap_newcomer_credit(c) : chap_credit_of(c, chap_flow_in(c, id));
}

/* Whether a slot is in an order, or loose; else it is a newcomer's. */
static inline bool chap_ranked(const struct chap *c, u32 id)
{
	if (c->parties)
		return !(chap_flow_in(c, id)->flags & WAITING);
	return c->loose == id || at_order_has(&c->order, id);
}

/* A slot gets its place by the credit of its flow; leaves it. */
void at_chap_rank(struct chap *c, u32 id);
void at_chap_unrank(struct chap *c, u32 id);
/* The slot with the least credit of all; somebody is backlogged. */
u32 at_chap_least(struct chap *c);
/* That of those that are parked, after at_chap_least(), or AT_ORDER_NONE. */
u32 at_chap_least_parked(const struct chap *c);
/* The credit of a slot's flow is about to change: it becomes the loose one, unless it is
 * a newcomer's. */
void at_chap_loosen(struct chap *c, u32 id);
/* Charges a flow, backlogged or not; the newcomers' tab. */
static inline void at_chap_pay(struct chap *c, struct chap_flow *f, s64 ns)
{
	if (c->parties) {
		at_chap_party_pay(c, f->party, f, ns);
		return;
	}
	if (f->slot && f->slot != c->loose)
		at_chap_loosen(c, f->slot);
	chap_charge(c, f, ns);
}
void at_chap_pay_tab(struct chap *c, s64 ns);
/* All credits are boosted, when they are looked at next. */
void at_chap_boost(struct chap *c);
/* All credits are measured from another 2I. */
void at_chap_rekey(struct chap *c);

/* ---- bounds of stations: all but the first two where c->drain is not NULL ---- */

u64 at_chap_drain_bytes(u64 drain, u64 slots);
void at_chap_drain_init(struct chap *c, void *memory, u64 drain, u64 slots, u64 now);
/* A slot has its first packet, p, in a moment; has none any more; has n and so many bytes more. */
void at_chap_drain_opened(struct chap *c, u32 id, const struct at_pkt *p);
void at_chap_drain_closed(struct chap *c, u32 id);
void at_chap_drain_count(struct chap *c, u32 id, s32 n, s64 bytes);
/* p was queued in a slot: what makes room where its station has too much, and the verdict on p. */
enum at_verdict at_chap_drain_room(struct at_qdisc *q, const struct at_pkt *p, u32 id);
/* Before packets or gates move: takes the looks that are due. */
void at_chap_drain_due(struct chap *c, u64 now);
/* A station's gate was turned. */
void at_chap_drain_turned(struct chap *c, u16 sta, bool open);
/* Also where it is NULL. */
void at_chap_drain_link(struct at_qdisc *q, const struct at_link *l, u64 now);
void at_chap_drain_clear(struct chap *c);
u64 at_chap_drain_drops(const struct chap *c);
/* Whether a station with a bound is told of no more. */
bool at_chap_drain_silent(const struct chap *c, u64 now);

/* ---- backlog ---- */

/* Its bytes, counted until they are more than `enough`. */
static inline u64 chap_backlog_bytes(const struct chap_slot *s, u64 enough)
{
	u64 bytes = 0;

	for (struct at_pkt *p = s->list.head; p && bytes <= enough; p = *at_next(p))
		bytes += at_bytes(p);
	return bytes;
}

/* p, of flow i, which has no slot or is parked, is about to be queued. */
void at_chap_open(struct at_qdisc *q, u32 i, const struct at_pkt *p);
/* A newcomer's slot has n packets and so many bytes more. */
void at_chap_count_newcomer(struct chap *c, u32 id, s32 n, s64 bytes);

/* p is queued in a slot that is in the order of flows. */
static inline void chap_push_ranked(struct chap *c, u32 id, struct at_pkt *p)
{
	struct chap_slot *s = &c->slots[id];

	at_fifo_push(&s->list, p);
	if (++s->len > c->slots[c->fat].len)
		c->fat = id;
}

/* p is queued in a slot that is no newcomer's. */
static inline void chap_push(struct chap *c, u32 id, struct at_pkt *p)
{
	if (!c->parties) {
		chap_push_ranked(c, id, p);
		return;
	}
	at_fifo_push(&c->slots[id].list, p);
	c->slots[id].len++;
	at_chap_party_pushed(c, id);
}

/* p, of flow i, is queued. */
static inline void at_chap_append(struct at_qdisc *q, u32 i, struct at_pkt *p)
{
	struct chap *c = chap_priv(q);
	const struct chap_flow *f = &c->flows[i];

	if (!f->slot || (f->flags & PARKED))
		at_chap_open(q, i, p);
	if (c->drain)
		at_chap_drain_count(c, f->slot, 1, at_bytes(p));
	if (chap_ranked(c, f->slot)) {
		chap_push(c, f->slot, p);
	} else {
		at_fifo_push(&c->slots[f->slot].list, p);
		c->slots[f->slot].len++;
		if (c->parties)
			at_chap_party_pushed(c, f->slot);
		at_chap_count_newcomer(c, f->slot, 1, at_bytes(p));
	}
}

/* p was taken from a slot: counts of its group and of its station's bound. */
void at_chap_count_taken(struct chap *c, u32 id, const struct at_pkt *p);
/* p was taken from a slot, which is empty now, or a newcomer's, or somebody is closed. */
void at_chap_taken(struct at_qdisc *q, u32 id, const struct at_pkt *p);

/* Takes the packet of a slot behind `before`, or the oldest. An emptied slot is closed. `k`: as in struct chap;
 * `ranked`: the slot is not a newcomer's; `closed`: a station is. */
AT_HEAP_FN struct at_pkt *chap_take(struct at_qdisc *q, const struct chap_parties *k, u32 id, bool ranked,
				    bool closed, struct at_pkt *before)
{
	struct chap *c = chap_priv(q);
	struct chap_slot *s = &c->slots[id];
	struct at_pkt *p = at_fifo_take(&s->list, before);

	s->len--;
	if (__builtin_expect(k ? k->counted : c->drain != NULL, 0))
		at_chap_count_taken(c, id, p);
	if (!s->list.head || closed || !ranked)
		at_chap_taken(q, id, p);
	return p;
}

static inline struct at_pkt *at_chap_take(struct at_qdisc *q, u32 id, struct at_pkt *before)
{
	struct chap *c = chap_priv(q);

	return chap_take(q, c->parties, id, chap_ranked(c, id), q->closed, before);
}

/* Takes the oldest packet of a slot that is not parked: one may go. */
struct at_pkt *at_chap_take_open(struct at_qdisc *q, u32 id);
/* The newcomer whose turn it is. */
u32 at_chap_choose_newcomer(struct chap *c);
/* A newcomer was served a packet for so many ns: the tab pays as well, and from now
 * on the flow stands for itself. */
void at_chap_welcome(struct chap *c, u32 id, u32 flow, u32 ns);
/* Ends the slot's time among the newcomers. */
void at_chap_leave_newcomers(struct chap *c, u32 id);
/* A station, whose gate was turned, has packets in a slot or not. */
void at_chap_turned(struct at_qdisc *q, u32 id, u16 sta, bool open);
/* No slot holds a packet any more. */
void at_chap_forget_backlog(struct chap *c);

#endif
