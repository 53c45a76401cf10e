/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Choice of a group (chap_party.c) and of its flow, and the charge to both, for each dequeue of
 * chap. Inline: it is half of the cost of a packet.
 */
#ifndef AIRTAB_CHAP_TURN_H
#define AIRTAB_CHAP_TURN_H

#include "chap_state.h"

#define SPARSE_SHIFT 4		/* a sparse flow uses at most one part in 1 << that of the time */
#define LEVEL_MAX (~(u32)0 >> 1)

/* ---- credit ---- */

static inline s64 party_credit(const struct chap *c, const struct chap_party *y)
{
	return at_credit_boost(y->credit, c->epoch - y->epoch);
}

/* The group has seen all boosts. */
static inline void party_refresh(const struct chap *c, struct chap_party *y)
{
	if (AT_MOSTLY(y->epoch == c->epoch))
		return;
	y->credit = party_credit(c, y);
	y->epoch = c->epoch;
}

/* Likewise a flow. */
static inline void party_refresh_flow(const struct chap_party *y, struct chap_flow *f)
{
	if (AT_MOSTLY(f->epoch == y->now))
		return;
	f->credit = at_credit_boost(f->credit, y->now - f->epoch);
	f->epoch = y->now;
}

/* ns is taken from the credit of a flow that has seen all boosts, or given back. A credit of 2 I has no debt, and so no
 * shelf: at most 1 ns less. */
static inline s64 party_charge(s64 d, s64 ns, s64 floor)
{
	d -= ns;
	d = d > floor ? d : floor;
	return d < -1 ? d : -1;
}

static inline s64 party_tab(const struct chap_party *y)
{
	return at_credit_boost(y->tab, y->now - y->tab_epoch);
}

/* A level that a part of the time is taken from, since `*last`. */
static inline u32 party_drain(u32 level, u64 *last, u64 now)
{
	u64 drained = (now - *last) >> SPARSE_SHIFT;

	*last = now;
	return drained < level ? level - (u32)drained : 0;
}

static inline u32 party_raise(u32 level, u32 ns)
{
	u32 raised = level + ns;

	return AT_MOSTLY((raised | ns) <= LEVEL_MAX) ? raised : LEVEL_MAX;
}

/* The queue of a flow becomes empty, or was until now: of what it used a part of the time since
 * the last such event is no longer counted. */
static inline void party_emptied(struct chap_flow *f, u64 now)
{
	f->level = party_drain(f->level, &f->last, now);
}

/* The credit with which a flow with credit d competes. */
static inline s64 party_flow_key(const struct chap *c, const struct chap_flow *f, s64 d)
{
	return __builtin_expect(f->flags & SPARSE, 0) && d < c->parties->light ? c->parties->light : d;
}

/* The credit with which a member of a group's shelves competes. */
static inline s64 party_member_credit(const struct chap *c, const struct chap_party *y, u32 id)
{
	const struct chap_parties *k = c->parties;
	s64 d;

	if (id < k->tabs) {
		const struct chap_flow *f = chap_flow_in(c, id);

		return party_flow_key(c, f, at_credit_boost(f->credit, y->now - f->epoch));
	}
	d = party_tab(y);
	return d < k->light ? d : k->light;
}

static inline s64 party_share(s64 ns, u32 weight)
{
	if (AT_MOSTLY(weight == 1))
		return ns;
	switch (weight) {
	case 2:
		return ns >> 1;
	case 3:
		return ns * 21846 >> 16;
	default:
		return ns >> 2;
	}
}

/* ---- order of the groups ---- */

static inline struct at_heap_entry party_entry(const void *ctx, u32 i)
{
	const struct chap_party *y = chap_party(ctx, i);

	return (struct at_heap_entry){ y->key, y->tag, i };
}

static inline bool party_less(const void *ctx, const struct at_heap_entry *a, const struct at_heap_entry *b)
{
	const struct chap *c = ctx;
	s64 x = a->key, y = b->key;

	if (__builtin_expect(((a->tag ^ c->epoch) | (b->tag ^ c->epoch)) != 0, 0)) {
		x = at_credit_boost(x, c->epoch - a->tag);
		y = at_credit_boost(y, c->epoch - b->tag);
	}
	return x != y ? x < y : a->id > b->id;
}

static inline s64 party_key(const struct chap *c, u32 i)
{
	const struct chap_party *y = chap_party(c, i);
	s64 d = party_credit(c, y), best;

	if (d <= c->parties->debt)
		return d;
	best = party_member_credit(c, y, at_shelves_least(chap_open(c, i)));
	return best >= c->parties->light && best > d ? best : d;
}

static inline void party_seat(struct chap *c, u32 i)
{
	struct chap_party *y = chap_party(c, i);

	if (!chap_open(c, i)->used)
		return;
	y->key = party_key(c, i);
	y->tag = c->epoch;
	at_order_add(&c->order, party_entry(c, i), party_less, c);
}

/* ---- shelves of a group ---- */

static inline bool party_aside(const struct chap *c, u32 id)
{
	return id < c->parties->tabs ? c->slots[id].aside : chap_party(c, id - c->parties->tabs)->tab_aside;
}

static inline void party_put(struct chap *c, u32 i, struct at_shelves *s, u32 id)
{
	struct chap_parties *k = c->parties;

	bool aside = s != chap_open(c, i);

	if (id < k->tabs)
		c->slots[id].aside = aside;
	else
		chap_party(c, i)->tab_aside = aside;
	at_shelves_add(s, &k->links, id, at_shelf_place(s, k->lowest, (u64)~party_member_credit(c, chap_party(c, i), id)));
}

/* The shelves that a member lies on. */
static inline struct at_shelves *party_shelves(const struct chap *c, u32 i, u32 id)
{
	struct chap_shelves *s = chap_party(c, i)->shelves;

	return party_aside(c, id) ? &s->parked : &s->open;
}

/* A member changes its place. */
static inline void party_move(struct chap *c, u32 i, struct at_shelves *to, u32 id)
{
	at_shelves_del(party_shelves(c, i, id), &c->parties->links, id);
	party_put(c, i, to, id);
}

/* ---- choice and charges ---- */

/* Place of a flow that has seen all boosts. */
static inline u32 party_place(const struct chap *c, const struct at_shelves *s, const struct chap_flow *f)
{
	return at_shelf_place(s, c->parties->lowest, (u64)~party_flow_key(c, f, f->credit));
}

/* The flow served last gets its place on a shelf of its group. */
static inline void party_place_late(struct chap *c, struct chap_parties *k, struct at_shelves *s)
{
	const struct chap_flow *f = k->late;
	u32 place;

	if (!f)
		return;
	k->late = NULL;
	place = (s->base + at_shelf_above(k->lowest, (u64)~party_flow_key(c, f, f->credit))) % AT_SHELVES;
	if (__builtin_expect(place == k->late_place, 1))
		at_shelves_pass(s, &k->links, place);
	else
		at_chap_party_move(c, f);
}

static inline void party_boost_all(struct chap *c)
{
	c->epoch++;
	c->n_boosts++;
}

/* Charges a group. */
static inline void party_pay(struct chap *c, struct chap_party *y, s64 ns)
{
	party_refresh(c, y);
	y->credit = at_credit_charge(y->credit, party_share(ns, y->weight), c->floor);
	if (__builtin_expect(c->parties->heaped, 0))
		at_chap_party_reheap(c, y);
}

/* Charges a flow of a group. */
static inline void party_pay_flow(struct chap *c, struct chap_party *y, struct chap_flow *f, s64 ns)
{
	if (__builtin_expect(f->air < c->parties->young, 0)) {
		at_chap_party_pay_young(c, y, f, ns);
		return;
	}
	party_refresh_flow(y, f);
	f->air += (u64)ns;
	f->credit = party_charge(f->credit, ns, c->floor);
}

/* Counts the airtime of a flow that was served. What a sparse one used counts for its group too, and beyond a bound it
 * is no longer sparse. */
static inline void party_use(const struct chap_parties *k, struct chap_party *y, struct chap_flow *f, u32 ns)
{
	f->level = party_raise(f->level, ns);
	if (AT_MOSTLY((f->flags & (SPARSE | SERVED)) == SERVED))
		return;
	f->flags |= SERVED;
	if (!(f->flags & SPARSE))
		return;
	y->level = party_raise(y->level, ns);
	if (f->level > k->burst || y->level > k->burst)
		f->flags &= (u8)~SPARSE;
}

#endif
