/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * vfq, wfq: how their state lies in memory, what both have of parameters, and what their
 * rows are about.
 */
#include "vfq_state.h"

/* ---- parameters ---- */

void at_vfq_set_weights(struct at_vfq *s, const struct at_vals *weights)
{
	s->n_weights = weights->len;
	for (u32 i = 0; i < s->n_weights; i++)
		s->weights[i] = (u32)weights->v[i];
	for (u32 i = 0; i < s->n_boxes; i++)
		s->boxes[i].met = s->boxes[i].weighed = false;
}

void at_vfq_set_usual(struct at_vfq *s, u64 phy, u64 rate)
{
	at_aircost_of_rate(&s->usual, &at_phys[phy], (u32)at_div(rate, 1000));
	for (u32 i = 0; i < s->n_boxes; i++)
		if (!s->boxes[i].linked) {
			s->boxes[i].cost = s->usual;
			s->boxes[i].contenders = 0;
		}
}

/* ---- memory ---- */

/* The state is struct at_vfq, then these arrays, each on lines of its own (align.h). */
struct layout {
	u64 boxes, flows, buckets, wf2q, end;	/* offsets */
};

static struct layout vfq_layout_of(u32 stations, u32 flows)
{
	u64 n = (u64)stations + AT_PLACES_SPECIAL;
	struct layout at;

	at.boxes = at_lines(sizeof(struct at_vfq));
	at.flows = at.boxes + at_lines(n * sizeof(struct at_vfq_box));
	at.buckets = at.flows + at_lines((AT_FLOWS_RECORDS(flows) + n) * sizeof(struct at_vfq_flow));
	at.wf2q = at.buckets + at_lines(at_flows_bytes(flows));
	at.end = at.wf2q + at_lines(at_wf2q_bytes(n)) + AT_LINE;
	return at;
}

u64 at_vfq_state_size(u32 stations, u32 flows)
{
	return vfq_layout_of(stations, flows).end;
}

void at_vfq_init(struct at_qdisc *q, u32 stations, u32 flows, u64 seed)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct layout at = vfq_layout_of(stations, flows);
	u8 *base = at_first_line(q);

	s->n_boxes = stations + AT_PLACES_SPECIAL;
	s->rest = (u32)AT_FLOWS_RECORDS(flows);
	s->boxes = (void *)(base + at.boxes);
	s->flows = (void *)(base + at.flows);
	at_flows_init(&s->table, (void *)(base + at.buckets), s->flows, sizeof(*s->flows), flows, seed);
	at_wf2q_init(&s->wf2q, base + at.wf2q, s->n_boxes);
	s->seq = 1;		/* 0 is before all in astray */
	s->contenders = 2;
}

/* ---- rows ---- */

/* Place n_boxes is that of urgent packets and of what goes first. */
u32 at_vfq_next_row(const struct at_vfq *s, u32 cursor, bool *found)
{
	u32 places = s->n_boxes + 1, end = places > cursor && places - cursor > AT_ROWS ? cursor + AT_ROWS : places;

	for (u32 i = cursor; i < end; i++) {
		*found = i < s->n_boxes ? s->boxes[i].qlen || s->boxes[i].down : s->urgent.len || s->first_len;
		if (*found)
			return i + 1;
	}
	*found = false;
	return end < places ? end : 0;
}

void at_vfq_backlog(const struct at_vfq *s, u32 place, u64 *packets, u64 *bytes)
{
	bool box = place < s->n_boxes;

	*packets = box ? s->boxes[place].qlen : s->urgent.len + s->first_len;
	*bytes = box ? s->boxes[place].bytes : s->urgent.bytes + s->first_bytes;
}
