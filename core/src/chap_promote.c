/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's light flows in a better access category (airtab/promote.h), with shares of stations.
 *
 * A flow is light by its own credit, and by its group's, which is above -`debt`. A flow that waits for the end of its
 * packets below lies on a shelf of those that are parked; another one is chosen.
 */
#include "chap_turn.h"

static bool promote_is_marked(const struct at_pkt *p)
{
	struct at_key key;

	return at_key(p, &key) && key.dscp;
}

/* A flow waits no longer. */
static void promote_resume(struct chap *c, u32 flow, u32 gen)
{
	const struct chap_flow *f = &c->flows[flow];

	if (f->gen == gen && f->slot && !(f->flags & WAITING))
		at_chap_party_unparked(c, f->slot);
}

static void promote_resume_overdue(struct chap *c, bool all, u64 now)
{
	const struct at_promote_flow *f;

	while ((f = at_promote_overdue(&c->parties->promote, all, now)))
		promote_resume(c, f->flow, f->gen);
}

/* Whether the flow of a slot, which was chosen, may go now. */
static bool promote_goes(struct chap *c, u32 party, u32 id, u64 now)
{
	const struct chap_party *y = chap_party(c, party);
	u32 flow = c->slots[id].flow;
	bool light = c->n_settled && party_credit(c, y) > c->parties->debt &&
		     party_member_credit(c, y, id) >= c->parties->light && !promote_is_marked(c->slots[id].list.head);

	return flow == MULTICAST ||
	       at_promote_turn(&c->parties->promote, flow, c->flows[flow].gen, at_tickets_coming(&c->tickets), light, now);
}

u32 at_chap_promote_choose(struct chap *c, bool closed, u64 now)
{
	struct chap_parties *k = c->parties;
	u32 party, id;

	if (now >= at_promote_due(&k->promote))
		promote_resume_overdue(c, false, now);
	while ((party = at_chap_party_contend(c, closed)) != AT_ORDER_NONE) {
		id = at_shelves_least(chap_open(c, party));
		if (id >= k->tabs || promote_goes(c, party, id, now))
			break;
		party_move(c, party, &chap_party(c, party)->shelves->parked, id);
	}
	return party;
}

u8 at_chap_promote_left(struct chap *c, const struct at_charge *bill, const struct at_pkt *p, u64 now)
{
	return at_promote_left(&c->parties->promote, bill->flow, bill->gen, bill->serial, bill->est,
			       promote_is_marked(p), now);
}

void at_chap_promote_sent(struct chap *c, const struct at_charge *bill, u32 serial, s64 due, u64 now)
{
	if (at_promote_sent(&c->parties->promote, bill->flow, bill->gen, serial, due, now))
		promote_resume(c, bill->flow, bill->gen);
}

void at_chap_promote_tick(struct chap *c, u64 now)
{
	promote_resume_overdue(c, false, now);
}

void at_chap_promote_set(struct chap *c)
{
	struct chap_parties *k = c->parties;

	k->promote.up = k->categories ? k->promoted : AT_UP_NONE;
	k->counted = k->promote.up || c->drain || k->heaped;
	if (k->promote.up)
		return;
	promote_resume_overdue(c, true, 0);
	at_promote_forget(&k->promote);
}
