/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's groups: who has an equal share of the air, all its flows together. chap_party.c has
 * the rules; chap_state.h includes this.
 *
 * Invariants
 *  - A flow's credit is as of an epoch of its group, a group's as of an epoch of chap.
 *  - A slot of a flow lies on a shelf of its group (shelves.h), unless it is a newcomer's
 *    (WAITING). The tab of a group lies on one exactly while the group has newcomers. Members
 *    that are parked lie aside, or among the others until their turn comes.
 *  - The flow served last keeps its old shelf until the next choice, or until a member of
 *    its group changes its place. A charge and its prompt settlement cost one move. The group
 *    of that flow is the loose one.
 *  - A group is in the order exactly while its shelves, except those aside, have members,
 *    unless it is the loose one.
 *  - A group without slots is in a list of the table.
 */
#ifndef AIRTAB_CHAP_PARTY_H
#define AIRTAB_CHAP_PARTY_H

#include "airtab/promote.h"

#define PARTIES 255u		/* records; 0 is of all others */
#define REST 0u
#define NO_PARTY 0x7fffffffu	/* key of a packet without station and source */
#define PARTY_GENERATION 4u	/* one generation in the mark of a group; the bits below are for chap.c */

/* Shelves of a group's members. */
struct chap_shelves {
	struct at_shelves open, parked;
};

struct chap_party {
	struct at_flow_node node;
	s64 credit;		/* distance from 2I, ns, as it was in `epoch` */
	s64 key;		/* with which it is in the order, as of `tag` */
	s64 tab;		/* credit of its newcomers, as of `tab_epoch` */
	s64 lead;		/* credit of the flow that was chosen last of those that are not light */
	struct chap_shelves *shelves;	/* shelves of its members */
	u64 drained;		/* when `level` was, ns */
	u32 level;		/* airtime of sparse flows less a part of the time, ns */
	u32 epoch, tag;
	u32 now, tab_epoch;	/* epochs of its flows: the present one, another one */
	u32 slots;		/* slots of its flows */
	u32 len;		/* packets, while `heaped` */
	u32 fat;		/* likewise: slot that held most packets when it got its last */
	u32 waiting, ready;	/* newcomers; those that may be served */
	u32 first, last;		/* newcomers, in order of arrival; of the rest: turns.h */
	u32 new_len;		/* their packets */
	u16 mark;		/* number of the group and generation of the record: of its charges */
	u8 weight;		/* shares that it has */
	bool tab_placed : 1, tab_aside : 1;	/* the tab lies on a shelf; of those that are parked */
	bool known : 1;		/* came back */
};

_Static_assert(sizeof(struct chap_party) <= 120, "a group is two cache lines, and its shelves");

struct chap_parties {
	struct at_flowtable table;
	struct at_shelf_links links;	/* links of slots, then of the tabs of groups */
	struct chap_party *at;
	struct chap_flow *late;	/* the flow served last, if it awaits its place */
	u32 late_place;		/* the place whose first member it is, or AT_SHELVES: another one */
	u32 tabs;		/* number of the tab of group 0 */
	u32 lowest;		/* shelves.h */
	s64 light;		/* a flow with at least that is light */
	s64 spent;		/* a credit of 0 */
	u32 burst;		/* maximum level of a sparse flow, ns */
	u64 young;		/* airtime of a new flow that is charged to the tab too, ns */
	s64 debt;		/* maximum credit of a group in debt */
	u32 slots;		/* slots of all groups */
	u32 fat;		/* group that held most packets when it got its last, while `heaped` */
	bool by_station;
	bool heaped;		/* `poor` has all groups with slots, and packets are counted */
	bool categories;	/* the host has them */
	u8 promoted;		/* user priority of light flows if it has */
	bool counted;		/* heaped, or stations have bounds, or light flows are promoted */
	struct at_heap poor;	/* by credit */
	struct at_heap full;	/* those with newcomers, by the packets of these */
	struct at_heap_entry poor_entries[PARTIES + 1], full_entries[PARTIES + 1];
	struct at_heap_entry entries[PARTIES + 1];	/* entries of the order */
	struct at_promote promote;	/* chap_promote.c */
	u32 poor_pos[PARTIES + 1], full_pos[PARTIES + 1], pos[PARTIES + 1], next[PARTIES + 1];
};

static inline struct chap_party *chap_party(const struct chap *c, u32 i)
{
	return &c->parties->at[i];
}

static inline struct at_shelves *chap_open(const struct chap *c, u32 i)
{
	return &chap_party(c, i)->shelves->open;
}

/* A slot got a packet, or lost one. */
void at_chap_party_pushed(struct chap *c, u32 id);
void at_chap_party_taken(struct chap *c, u32 id);
/* A packet went while packets are counted; the queue may be half empty. */
void at_chap_party_ended(struct chap *c, const struct at_qdisc *q);

u64 at_chap_parties_bytes(u64 slots);
void at_chap_parties_init(struct chap *c, void *memory, u64 slots, bool by_station, u64 seed);
/* After a change of the increment or of the limit of debts. True: every slot got a new place. */
bool at_chap_parties_set(struct chap *c, s64 debt);
/* No group is known, no slot has packets. */
void at_chap_parties_forget(struct chap *c);
/* No slot has packets. */
void at_chap_parties_clear(struct chap *c);

/* The credit of a group or of its best flow has changed, or it may be served or not. */
void at_chap_party_touch(struct chap *c, u32 i);
/* Puts aside members that may not be served, from the best one on; whether there were some. */
bool at_chap_party_tidy(struct chap *c, u32 i);
void at_chap_party_boost_flows(struct chap *c, u32 i);
/* A group has paid while packets are counted. */
void at_chap_party_reheap(struct chap *c, const struct chap_party *y);

/* The flow served last gets its place. */
void at_chap_party_settle_place(struct chap *c);
/* A flow with packets, not a newcomer, moves to the end of the shelf of its credit. */
void at_chap_party_move(struct chap *c, const struct chap_flow *f);
/* The group that goes next, which becomes the loose one, or AT_ORDER_NONE; the flow served last has its place.
 * `closed`: some members may be parked. */
u32 at_chap_party_contend(struct chap *c, bool closed);
/* The only group with packets has a credit of 0 or below: all groups are boosted, unless it has a light flow. */
void at_chap_party_spent(struct chap *c, u32 i);
/* Charges a flow that was charged little so far, and the tab of its group. */
void at_chap_party_pay_young(struct chap *c, struct chap_party *y, struct chap_flow *f, s64 ns);
/* Charges a duration that is reported later to a flow, which can be idle, and to a group. */
void at_chap_party_settle(struct chap *c, u32 party, struct chap_flow *f, s64 ns);
/* The credits of a flow and of its group have changed. */
void at_chap_party_charged(struct chap *c, const struct chap_flow *f);
/* Gives a slot its place on a shelf; takes it off. */
void at_chap_party_rank(struct chap *c, u32 id);
void at_chap_party_unrank(struct chap *c, u32 id);
/* A slot may be served again. */
void at_chap_party_unparked(struct chap *c, u32 id);
/* A slot is opened, before it is ranked or joins the newcomers; is closed, after that. */
void at_chap_party_opened(struct chap *c, u32 id);
void at_chap_party_closed(struct chap *c, u32 id);

void at_chap_party_join(struct chap *c, u32 id, const struct at_pkt *p);
void at_chap_party_count(struct chap *c, u32 id, s32 n);
void at_chap_party_leave(struct chap *c, u32 id);
/* A newcomer may be served, or no longer. */
void at_chap_party_ready(struct chap *c, u32 id, bool ready);
/* The next newcomer of a group in its round. */
u32 at_chap_party_newcomer(struct chap *c, u32 party);
/* p, of a newcomer's flow, was taken: from now on the flow stands for itself. The group is
 * the one that the flow waited in. */
void at_chap_party_welcome(struct chap *c, u32 id, u32 flow, const struct at_pkt *p);
/* A newcomer; there is one. */
u32 at_chap_party_waits(const struct chap *c);

/* A duration that is reported after the packet left is charged to a flow, which may be idle, and
 * to a group; f is NULL: to the group alone. */
void at_chap_party_pay(struct chap *c, u32 party, struct chap_flow *f, s64 ns);
void at_chap_party_pay_tab(struct chap *c, u32 party, s64 ns);
/* Counts the airtime of a received frame as use of its flow. To be called before the charge. */
void at_chap_party_heard(struct chap *c, struct chap_flow *f, u64 air, u64 now);
/* Group of a station, or REST. */
u32 at_chap_party_of_station(const struct chap *c, u16 sta);

/* ---- light flows in a better access category: chap_promote.c ---- */

/* As at_chap_party_contend(); the first member of the group may go. */
u32 at_chap_promote_choose(struct chap *c, bool closed, u64 now);
/* p of that slot goes and is charged: its user priority. */
u8 at_chap_promote_left(struct chap *c, const struct at_charge *bill, const struct at_pkt *p, u64 now);
/* The charge of a ticket with a serial number is settled, due ns above the estimate. */
void at_chap_promote_sent(struct chap *c, const struct at_charge *bill, u32 serial, s64 due, u64 now);
/* Flows whose wait is over go on. */
void at_chap_promote_tick(struct chap *c, u64 now);
/* The parameter, or whether the host has categories, is another one. */
void at_chap_promote_set(struct chap *c);

/* The slot that loses a packet. */
u32 at_chap_party_victim(const struct at_qdisc *q, bool by_bytes);
/* Credit of a group's newcomers. */
s64 at_chap_party_tab(const struct chap *c, u32 party);
s64 at_chap_party_newcomer_credit(const struct chap *c, u32 party);

#endif
