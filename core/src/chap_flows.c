/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's records of flows: how they begin, and which is given up for a new one.
 */
#include "chap_state.h"

#define RETIRE 2		/* records looked at for expiry, per list and new flow */
#define CHANCES 8		/* recently used records passed over for one eviction */

/* A flow begins in this record. */
static void chap_start(struct chap *c, u32 i, const struct at_pkt *p, u64 now)
{
	struct chap_flow *f = &c->flows[i];
	struct at_tcp t;

	*f = (struct chap_flow){
		.node = f->node,
		.credit = c->parties ? 0 : chap_newcomer_credit(c),
		.last = now,
		.epoch = c->epoch,
		.gen = f->gen + 1,
		.created = c->created++,
		.scale = c->scale,
		.flags = (u8)((at_tcp(p, &t) ? KNOWN | TCP : KNOWN) | c->revision),
	};
	if (c->parties) {
		f->level = 0;
		at_chap_party_begin(c, i, p);
	}
	if (c->controls)
		c->controls[i] = (struct chap_control){ 0 };
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
		const struct chap_flow *f = &c->flows[i];

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
	/* at most: the tab is no flow, the loose one is */
	u32 busy = c->parties ? c->parties->slots : c->order.n + c->parked.n + c->turns.members + 1;

	for (u32 list = 0; list < AT_FLOWS_LISTS; list++) {
		for (u32 n = 0; n <= CHANCES + busy; n++) {
			u32 i = at_flows_oldest(&c->table, list);
			const struct chap_flow *f = &c->flows[i];

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

u32 at_chap_begin(struct chap *c, u32 i, const struct at_pkt *p, u64 now)
{
	if (i) {
		at_flows_unlist(&c->table, i);
		c->n_expired++;
	} else {
		chap_retire(c, now);
		i = at_flows_add(&c->table, at_flow(p));
		if (!i) {
			chap_evict(c);
			i = at_flows_add(&c->table, at_flow(p));
		}
	}
	chap_start(c, i, p, now);
	return i;
}
