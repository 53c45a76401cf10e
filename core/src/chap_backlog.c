/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's queued packets: a slot for each flow that has some, the queue of the
 * newcomers, and who is parked.
 */
#include "chap_state.h"

static u32 chap_open_slot(struct chap *c, u32 flow)
{
	u32 id = c->slot_free;

	if (id)
		c->slot_free = c->next[id];
	else
		id = c->slot_fresh++;
	c->slots[id] = (struct chap_slot){ .flow = flow & SLOT_FLOW };
	return id;
}

void at_chap_count_newcomer(struct chap *c, u32 id, s32 n, s64 bytes)
{
	c->new_len += (u64)n;
	c->new_bytes += (u64)bytes;
	if (c->parties)
		at_chap_party_count(c, id, n);
	else
		at_turns_count(&c->turns, id, n);
}

/* The tab stands for the newcomers: in the order while there are some, in that of
 * who may be served while one of them may. */
static void chap_seat_tab(struct chap *c)
{
	u8 parked = c->turns.ready ? 0 : PARKED;

	if (c->turns.members && chap_ranked(c, TAB) && (chap_tab(c)->flags & PARKED) == parked)
		return;
	at_chap_unrank(c, TAB);
	chap_tab(c)->flags = (u8)((chap_tab(c)->flags & ~PARKED) | parked);
	if (c->turns.members)
		at_chap_rank(c, TAB);
}

/* Ends the slot's time among the newcomers. */
void at_chap_leave_newcomers(struct chap *c, u32 id)
{
	const struct chap_slot *s = &c->slots[id];

	at_chap_count_newcomer(c, id, -(s32)s->len, -(s64)chap_backlog_bytes(s, AT_NEVER));
	if (c->parties) {
		at_chap_party_leave(c, id);
		return;
	}
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
	if (c->parties) {
		at_chap_party_join(c, id, p);
		return;
	}
	at_turns_join(&c->turns, id, chap_party_of(p));
	if (!chap_parked(c, id))
		at_turns_ready(&c->turns, id, true);
	chap_seat_tab(c);
}

static bool chap_newcomer_waits(const void *ctx, u32 id)
{
	return chap_parked(ctx, id);
}

u32 at_chap_choose_newcomer(struct chap *c)
{
	u32 id = at_turns_first_ready(&c->turns, chap_newcomer_waits, c);

	at_turns_pass(&c->turns, id);
	return id;
}

void at_chap_welcome(struct chap *c, u32 id, u32 flow, u32 ns)
{
	struct chap_flow *f = &c->flows[flow];

	chap_set_credit(c, f, chap_newcomer_credit(c));
	if (f->slot) {
		at_chap_leave_newcomers(c, id);
		c->loose = id;
	}
	at_chap_pay_tab(c, ns);
	c->n_newcomers++;
}

/* A slot may be served no longer, or again: it goes to where such slots are. */
static void chap_park(struct chap *c, u32 id, bool parked)
{
	struct chap_flow *f = chap_flow_in(c, id);

	if (!(f->flags & PARKED) == !parked)
		return;
	if (c->parties && !chap_ranked(c, id)) {
		f->flags ^= PARKED;
		at_chap_party_ready(c, id, !parked);
	} else if (c->parties) {
		f->flags ^= PARKED;
		if (!parked)
			at_chap_party_unparked(c, id);
	} else if (!chap_ranked(c, id)) {
		f->flags ^= PARKED;
		at_turns_ready(&c->turns, id, !parked);
		chap_seat_tab(c);
	} else if (c->loose == id) {
		f->flags ^= PARKED;
	} else {
		at_chap_unrank(c, id);
		f->flags ^= PARKED;
		at_chap_rank(c, id);
	}
}

/* Whether a slot has parked packets alone. */
static bool chap_waits(const struct at_qdisc *q, const struct chap_slot *s)
{
	struct at_pkt *before = NULL;

	return q->closed && !at_gate_first(q, &s->list, &before);
}

void at_chap_open(struct at_qdisc *q, u32 i, const struct at_pkt *p)
{
	struct chap *c = chap_priv(q);
	struct chap_flow *f = &c->flows[i];

	if (!f->slot) {
		f->slot = chap_open_slot(c, i);
		if (c->parties)
			at_chap_party_opened(c, f->slot);
		if (c->drain)
			at_chap_drain_opened(c, f->slot, p);
		if (at_parked(q, p))
			f->flags |= PARKED;
		if (c->newcomers && !(f->flags & SERVED))
			chap_join_newcomers(c, f->slot, p);
		else
			at_chap_rank(c, f->slot);
	} else if (!at_parked(q, p)) {
		chap_park(c, f->slot, false);
	}
}

/* A slot without packets is closed. */
static void chap_close_slot(struct chap *c, u32 id)
{
	const struct chap_slot *s = &c->slots[id];
	struct chap_flow *f = chap_flow_in(c, id);

	if (c->fat == id)
		c->fat = TAB;
	if (c->drain)
		at_chap_drain_closed(c, id);
	if (chap_ranked(c, id))
		at_chap_unrank(c, id);
	else
		at_chap_leave_newcomers(c, id);
	if (c->parties)
		at_chap_party_closed(c, id);
	if (s->flow != MULTICAST && !at_flows_listed(&c->table, s->flow))
		at_flows_list(&c->table, s->flow,
			      f->flags & ESTABLISHED ? AT_FLOWS_KNOWN : AT_FLOWS_NEW);
	if (c->controls) {
		at_codel_empty(&c->controls[s->flow].codel);
		c->controls[s->flow].bytes = 0;
	}
	f->slot = 0;
	f->flags &= (u8)~PARKED;
	c->next[id] = c->slot_free;
	c->slot_free = id;
}

void at_chap_taken(struct at_qdisc *q, u32 id, const struct at_pkt *p)
{
	struct chap *c = chap_priv(q);
	const struct chap_slot *s = &c->slots[id];

	if (!chap_ranked(c, id))
		at_chap_count_newcomer(c, id, -1, -(s64)at_bytes(p));
	if (!s->list.head)
		chap_close_slot(c, id);
	else if (!chap_parked(c, id) && chap_waits(q, s))
		chap_park(c, id, true);
}

void at_chap_count_taken(struct chap *c, u32 id, const struct at_pkt *p)
{
	if (c->parties)
		at_chap_party_taken(c, id);
	if (c->drain)
		at_chap_drain_count(c, id, -1, -(s64)at_bytes(p));
}

struct at_pkt *at_chap_take_open(struct at_qdisc *q, u32 id)
{
	struct at_pkt *before = NULL;

	at_gate_first(q, &chap_priv(q)->slots[id].list, &before);
	return at_chap_take(q, id, before);
}

void at_chap_turned(struct at_qdisc *q, u32 id, u16 sta, bool open)
{
	struct chap *c = chap_priv(q);
	struct chap_slot *s = &c->slots[id];

	if (at_gate_count(q, &s->list, sta, open))
		chap_park(c, id, chap_waits(q, s));
}

/* No slot holds a packet any more. */
void at_chap_forget_backlog(struct chap *c)
{
	at_order_clear(&c->order);
	at_order_clear(&c->parked);
	if (c->parties)
		at_chap_parties_clear(c);
	at_turns_clear(&c->turns);
	c->loose = AT_ORDER_NONE;
	c->fat = TAB;
	c->slot_free = 0;
	c->slot_fresh = 1;
	c->new_len = c->new_bytes = 0;
	at_chap_drain_clear(c);
}
