/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * vfq: the records of flows, by flow and station (flowtable.h): who gets one, who waits in
 * his box's own flow for want of one, and who is forgotten.
 *
 * No packets move here.
 */
#include "vfq_state.h"

/* Frees the record of the flow that has been without packets for longest, or passes over
 * one that has some; false: there is none to look at. */
static bool vfq_evict(struct at_vfq *s, u32 list)
{
	u32 i = at_flows_oldest(&s->table, list);

	if (!i)
		return false;
	if (s->flows[i].qlen) {
		at_flows_list(&s->table, i, AT_FLOWS_KNOWN);
		return true;
	}
	at_flows_del(&s->table, i);
	s->n_evictions++;
	return true;
}

void at_vfq_forget_flow(struct at_vfq_flow *f)
{
	memset(&f->codel, 0, sizeof(f->codel));
	memset(&f->proof, 0, sizeof(f->proof));
	f->credit = 0;
	f->boosts = 0;
}

/* A new record, or 0: all have packets. At most two are looked at for each that comes. */
static u32 vfq_add_flow(struct at_vfq *s, u32 key)
{
	u32 i = at_flows_add(&s->table, key);

	for (u32 tries = 0; !i && tries < 2; tries++)
		if (vfq_evict(s, AT_FLOWS_NEW) || vfq_evict(s, AT_FLOWS_KNOWN))
			i = at_flows_add(&s->table, key);
	if (!i)
		return 0;
	s->flows[i].qlen = s->flows[i].parked = s->flows[i].bytes = 0;
	s->flows[i].line = (struct at_line){ 0 };
	s->flows[i].seat = (struct at_seat){ 0 };
	s->flows[i].astray = 0;
	at_vfq_forget_flow(&s->flows[i]);
	at_flows_list(&s->table, i, AT_FLOWS_NEW);
	return i;
}

/* The record of a key that box may use, or 0: it has packets of another box, of which a
 * flow has the same key. */
static u32 vfq_record_of(struct at_vfq *s, u32 box, u32 key, u64 now)
{
	u32 i = at_flows_find(&s->table, key);
	struct at_vfq_flow *f = &s->flows[i];

	if (!i)
		return vfq_add_flow(s, key);
	if (f->qlen)
		return f->seat.whose == box ? i : 0;
	if (f->seat.whose != box || now - f->last > s->idle)
		at_vfq_forget_flow(f);
	else
		at_flows_list(&s->table, i, AT_FLOWS_KNOWN);
	return i;
}

/* The flow of a packet in its box, whose own is of what the table has no place for. Who has
 * no packets in a record may have some there, and gets no record while that has some. */
u32 at_vfq_flow_of(struct at_vfq *s, u32 box, const struct at_pkt *p, u64 now)
{
	u32 key = at_flow(p) ^ (u32)at_sta(p) * 0x9e3779b1u, i;
	const struct at_vfq_flow *rest = &s->flows[s->rest + box];

	if (s->plain)
		return s->rest + box;
	i = rest->qlen ? at_flows_find(&s->table, key) : vfq_record_of(s, box, key, now);
	if (!i || (rest->qlen && !(s->flows[i].qlen && s->flows[i].seat.whose == box)))
		return s->rest + box;
	s->flows[i].last = now;
	return i;
}
