/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's backlogged flows in the order of their credits (order.h), those that may
 * be served apart from those that have parked packets alone, and charges, which
 * change that order.
 */
#include "chap_order.h"

/* After the change of the increment, if that was not seen, it is the same credit from
 * another 2I. */
s64 at_chap_late_credit(const struct chap *c, const struct chap_flow *f)
{
	u32 epoch = f->epoch;
	s64 d = f->credit;

	if ((f->flags ^ c->revision) & REVISION) {
		d = at_credit_clamp(at_credit_boost(d, c->changed - epoch) + c->shift, c->floor);
		epoch = c->changed + 1;
	}
	return at_credit_boost(d, c->epoch - epoch);
}

/* Not inline: nobody is parked while nobody sleeps, and in a busy queue most come and
 * go at the ends of runs. */
__attribute__((__cold__)) void at_chap_rank_parked(struct chap *c, u32 id)
{
	at_order_add(&c->parked, chap_entry(c, id), chap_less, c);
}

static __attribute__((__cold__, __noinline__)) void chap_unrank_parked(struct chap *c, u32 id)
{
	at_order_del(&c->parked, id, chap_entry, chap_less, c);
}

void at_chap_rank_apart(struct chap *c, u32 id)
{
	at_order_add_apart(&c->order, chap_entry(c, id), chap_less, c);
}

void at_chap_unrank_apart(struct chap *c, u32 id)
{
	at_order_del_apart(&c->order, id, chap_less, c);
}

/* Takes a slot out of its order. */
static void chap_lift(struct chap *c, u32 id)
{
	if (chap_parked(c, id))
		chap_unrank_parked(c, id);
	else if (!at_order_part(&c->order, id, chap_entry, c))
		at_chap_unrank_apart(c, id);
}

/* Gives a slot its place by the credit of its flow. */
void at_chap_rank(struct chap *c, u32 id)
{
	if (c->parties)
		at_chap_party_rank(c, id);
	else
		chap_seat(c, id);
}

/* The loose slot gets its place. */
static inline void chap_seat_loose(struct chap *c)
{
	u32 id = c->loose;

	c->loose = AT_ORDER_NONE;
	if (id != AT_ORDER_NONE)
		at_chap_rank(c, id);
}

void at_chap_unrank(struct chap *c, u32 id)
{
	if (c->parties)
		at_chap_party_unrank(c, id);
	else if (c->loose == id)
		c->loose = AT_ORDER_NONE;
	else
		chap_lift(c, id);
}

/* It gets its new place when somebody looks, or another one becomes loose: a charge and
 * the report of that transmission cost one move if the report comes before. */
void at_chap_loosen(struct chap *c, u32 id)
{
	if (!chap_ranked(c, id))
		return;
	chap_seat_loose(c);
	chap_lift(c, id);
	c->loose = id;
}

u32 at_chap_choose_rarely(struct chap *c, const struct at_heap_entry *most)
{
	s64 credit = at_credit_boost(most->key, c->epoch - most->tag);
	u32 id = most->id;

	c->loose = AT_ORDER_NONE;
	if (at_credit_value(credit, c->increment) <= 0)
		at_chap_boost(c);
	if (id != TAB)
		at_chap_loosen(c, id);
	return id;
}

/* The slot with the least credit of those that are parked, of which none is loose,
 * or AT_ORDER_NONE. */
u32 at_chap_least_parked(const struct chap *c)
{
	const struct at_heap_entry *x = at_order_end(&c->parked, false, chap_less, c);

	return x ? x->id : AT_ORDER_NONE;
}

/* The slot with the least credit of all, or AT_ORDER_NONE. */
u32 at_chap_least(struct chap *c)
{
	const struct at_heap_entry *x, *parked;

	chap_seat_loose(c);
	x = at_order_end(&c->order, false, chap_less, c);
	parked = c->parked.n ? at_order_end(&c->parked, false, chap_less, c) : NULL;
	if (parked && (!x || chap_less(c, parked, x)))
		x = parked;
	return x ? x->id : AT_ORDER_NONE;
}

/* Charges the newcomers' tab. */
void at_chap_pay_tab(struct chap *c, s64 ns)
{
	at_chap_unrank(c, TAB);
	chap_charge(c, chap_tab(c), ns);
	if (c->turns.members)
		at_chap_rank(c, TAB);
}

/* Credits are boosted when they are looked at next. Of those who may be served the
 * tab's cap needs no care: who was at 0 or below is at I or below now. Others may
 * have had more, and pass a tab that is parked with them. Outside faithful, two
 * credits that rounding made equal may keep the order that they had. */
void at_chap_boost(struct chap *c)
{
	bool tab = chap_parked(c, TAB) && at_order_has(&c->parked, TAB);

	if (tab)
		at_chap_unrank(c, TAB);
	c->epoch++;
	c->n_boosts++;
	if (c->faithful) {
		at_order_rebuild(&c->order, chap_entry, chap_less, c);
		at_order_rebuild(&c->parked, chap_entry, chap_less, c);
	}
	if (tab)
		at_chap_rank(c, TAB);
}

void at_chap_rekey(struct chap *c)
{
	if (c->faithful) {
		at_order_rebuild(&c->order, chap_entry, chap_less, c);
		at_order_rebuild(&c->parked, chap_entry, chap_less, c);
	} else {
		at_order_rekey(&c->order, chap_entry, c);
		at_order_rekey(&c->parked, chap_entry, c);
	}
}
