/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/flowtable.h: a bounded table from at_flow() to a record number, and
 * the two lists that say which idle record to give up first.
 *
 * Records are numbered 1..size; the discipline keeps its own array by that
 * number. Seeded multiply-shift hash (Dietzfelbinger et al. 1997), chained by
 * 32-bit numbers. A lookup touches the bucket and, with the usual chain of
 * one, one node of 16 bytes; idle flows of a large table cost nothing else.
 *
 * An idle record is in one of two lists, oldest first: NEW (seen once) and
 * KNOWN. Giving up NEW records first keeps a flood of one-packet flows from
 * displacing the flows that come back. Busy records are in none.
 *
 * What this is not: no timeouts, no credit, no per-station limits.
 */
#ifndef AIRTAB_FLOWTABLE_H
#define AIRTAB_FLOWTABLE_H

#include "airtab/qdisc.h"

struct at_flow_node {
	u32 key, chain;		/* next in the bucket, or next free record */
	u32 prev, next;		/* idle list; both own number when in none */
};

enum { AT_FLOWS_NEW, AT_FLOWS_KNOWN, AT_FLOWS_LISTS };

struct at_flowtable {
	u32 *bucket;
	struct at_flow_node *node;	/* 0 unused, 1..size, then the list heads */
	u64 hash;			/* odd multiplier */
	u32 bits, size;
	u32 known;			/* records in use */
	u32 fresh, free;		/* never used from here on; returned ones */
};

static inline u32 at_flows_bits(u32 size)
{
	u32 bits = 1;

	while ((u64)1 << bits < size)
		bits++;
	return bits;
}

static inline u64 at_flows_bytes(u32 size)
{
	return sizeof(struct at_flow_node) * ((u64)size + 1 + AT_FLOWS_LISTS) +
	       (sizeof(u32) << at_flows_bits(size));
}

/* Forgets everything; mem has at_flows_bytes(size) bytes, 4-aligned. */
static inline void at_flows_init(struct at_flowtable *t, void *mem, u32 size, u64 seed)
{
	t->node = mem;
	t->bucket = (u32 *)(t->node + size + 1 + AT_FLOWS_LISTS);
	t->hash = (seed * 0x9e3779b97f4a7c15ull) | 1;
	t->bits = at_flows_bits(size);
	t->size = size;
	t->known = 0;
	t->fresh = 1;
	t->free = 0;
	memset(t->bucket, 0, sizeof(u32) << t->bits);
	for (u32 i = size + 1; i <= size + AT_FLOWS_LISTS; i++)
		t->node[i].prev = t->node[i].next = i;
}

static inline u32 *at_flows_bucket(const struct at_flowtable *t, u32 key)
{
	return &t->bucket[t->hash * key >> (64 - t->bits)];
}

/* The record of key, or 0. */
static inline u32 at_flows_find(const struct at_flowtable *t, u32 key)
{
	u32 i = *at_flows_bucket(t, key);

	while (i && t->node[i].key != key)
		i = t->node[i].chain;
	return i;
}

/* A record for key, which has none yet; 0 = the table is full. */
static inline u32 at_flows_add(struct at_flowtable *t, u32 key)
{
	u32 *bucket = at_flows_bucket(t, key), i = t->free;

	if (i)
		t->free = t->node[i].chain;
	else if (t->fresh <= t->size)
		i = t->fresh++;
	else
		return 0;
	t->known++;
	t->node[i] = (struct at_flow_node){ key, *bucket, i, i };
	*bucket = i;
	return i;
}

/* i becomes busy: leaves its list, if it is in one. */
static inline void at_flows_busy(struct at_flowtable *t, u32 i)
{
	struct at_flow_node *n = &t->node[i];

	t->node[n->prev].next = n->next;
	t->node[n->next].prev = n->prev;
	n->prev = n->next = i;
}

/* i becomes idle: the youngest of a list. It is in none before. */
static inline void at_flows_idle(struct at_flowtable *t, u32 i, u32 list)
{
	u32 head = t->size + 1 + list, last = t->node[head].prev;

	t->node[i].prev = last;
	t->node[i].next = head;
	t->node[last].next = i;
	t->node[head].prev = i;
}

/* The oldest of a list, or 0. */
static inline u32 at_flows_oldest(const struct at_flowtable *t, u32 list)
{
	u32 i = t->node[t->size + 1 + list].next;

	return i <= t->size ? i : 0;
}

static inline void at_flows_del(struct at_flowtable *t, u32 i)
{
	u32 *link = at_flows_bucket(t, t->node[i].key);

	at_flows_busy(t, i);
	while (*link != i)
		link = &t->node[*link].chain;
	*link = t->node[i].chain;
	t->node[i].chain = t->free;
	t->free = i;
	t->known--;
}

#endif
