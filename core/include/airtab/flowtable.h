/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/flowtable.h: a bounded table from at_flow() to a record, and two lists
 * that say which idle record to give up first.
 *
 * Records are an array of the discipline; each begins with a struct
 * at_flow_node. The table's are numbered 1..size; 0 and those from
 * AT_FLOWS_RECORDS(size) on are the discipline's own. Seeded multiply-shift hash
 * (Dietzfelbinger et al. 1997), chained by 32-bit numbers: with records of a
 * cache line, a lookup of a flow in use touches two lines.
 *
 * The lists, oldest first: NEW (seen once) and KNOWN. Giving up NEW records
 * first keeps a flood of one-packet flows from displacing the flows that come
 * back. A record need not leave its list when it becomes busy, nor move when it
 * was used: whoever looks for a victim requeues such a one (second chance), so
 * that a packet of a known flow touches no other record.
 *
 * What this is not: no timeouts, no credit, no per-station limits.
 */
#ifndef AIRTAB_FLOWTABLE_H
#define AIRTAB_FLOWTABLE_H

#include "airtab/hash.h"
#include "airtab/qdisc.h"

struct at_flow_node {
	u32 key, chain;		/* next in the bucket, or next free record */
	u32 prev, next;		/* list; both own number when in none */
};

enum { AT_FLOWS_NEW, AT_FLOWS_KNOWN, AT_FLOWS_LISTS };

/* Array length that the table needs: 0, its records, the heads of the lists. */
#define AT_FLOWS_RECORDS(size) ((u64)(size) + 1 + AT_FLOWS_LISTS)

struct at_flowtable {
	u32 *bucket;
	u8 *records;
	u64 hash;			/* odd multiplier */
	u32 size, stride;
	u8 shift;			/* of a product: 64 less the bits of a bucket's number */
	u32 known;			/* records in use */
	u32 fresh, free;		/* never used from here on; returned ones */
};

/* 4/3 to 8/3 buckets a record: a longer chain costs a cold line a step. */
static inline u32 at_flows_bits(u32 size)
{
	u32 bits = 1;

	while ((u64)3 << bits < (u64)size * 4)
		bits++;
	return bits;
}

/* Of the buckets. */
static inline u64 at_flows_bytes(u32 size)
{
	return sizeof(u32) << at_flows_bits(size);
}

static inline struct at_flow_node *at_flows_node(const struct at_flowtable *t, u32 i)
{
	return (struct at_flow_node *)(void *)(t->records + (u64)i * t->stride);
}

/* Forgets everything: O(1), whatever the size. What is left in the buckets is
 * told from what is valid by a look at the record (Briggs and Torczon, ACM
 * LOPLAS 2, 1993); nothing else of a record that is not in use may be believed. */
static inline void at_flows_forget(struct at_flowtable *t)
{
	t->known = 0;
	t->fresh = 1;
	t->free = 0;
	for (u32 i = t->size + 1; i <= t->size + AT_FLOWS_LISTS; i++)
		at_flows_node(t, i)->prev = at_flows_node(t, i)->next = i;
}

/* An empty table. bucket: at_flows_bytes(size) bytes, zeroed; records: an array
 * of AT_FLOWS_RECORDS(size) or more, `stride` bytes each. */
static inline void at_flows_init(struct at_flowtable *t, u32 *bucket, void *records, u32 stride,
				 u32 size, u64 seed)
{
	t->bucket = bucket;
	t->records = records;
	t->stride = stride;
	t->hash = at_hash_multiplier(seed);
	t->shift = (u8)(64 - at_flows_bits(size));
	t->size = size;
	at_flows_forget(t);
}

static inline u32 *at_flows_bucket(const struct at_flowtable *t, u32 key)
{
	return &t->bucket[t->hash * key >> t->shift];
}

/* The first record of a bucket, or 0. A bucket from before at_flows_forget() names
 * one that has not been used since, or that serves another bucket by now. */
static inline u32 at_flows_first(const struct at_flowtable *t, const u32 *bucket)
{
	u32 i = *bucket;

	if (!i || i >= t->fresh || at_flows_bucket(t, at_flows_node(t, i)->key) != bucket)
		return 0;
	return i;
}

/* The record of key, if it is the first of its bucket, or 0. */
static inline u32 at_flows_top(const struct at_flowtable *t, u32 key)
{
	u32 i = *at_flows_bucket(t, key);

	/* who has the key is of this bucket, old or not */
	return i && i < t->fresh && at_flows_node(t, i)->key == key ? i : 0;
}

/* The record of key, or 0. It becomes the first of its bucket, so that the flows
 * in use are found without a look at the idle ones. */
static inline u32 at_flows_find(const struct at_flowtable *t, u32 key)
{
	u32 *bucket = at_flows_bucket(t, key), i = at_flows_top(t, key), before = 0;

	if (i)		/* most */
		return i;
	i = at_flows_first(t, bucket);
	while (i && at_flows_node(t, i)->key != key) {
		before = i;
		i = at_flows_node(t, i)->chain;
	}
	if (i && before) {
		at_flows_node(t, before)->chain = at_flows_node(t, i)->chain;
		at_flows_node(t, i)->chain = *bucket;
		*bucket = i;
	}
	return i;
}

/* A record for key, which has none yet, in no list; 0 = the table is full. */
static inline u32 at_flows_add(struct at_flowtable *t, u32 key)
{
	u32 *bucket = at_flows_bucket(t, key), first = at_flows_first(t, bucket), i = t->free;

	if (i)
		t->free = at_flows_node(t, i)->chain;
	else if (t->fresh <= t->size)
		i = t->fresh++;
	else
		return 0;
	t->known++;
	*at_flows_node(t, i) = (struct at_flow_node){ key, first, i, i };
	*bucket = i;
	return i;
}

static inline bool at_flows_listed(const struct at_flowtable *t, u32 i)
{
	return at_flows_node(t, i)->next != i;
}

/* Does nothing if i is in no list. */
static inline void at_flows_unlist(struct at_flowtable *t, u32 i)
{
	struct at_flow_node *n = at_flows_node(t, i);

	at_flows_node(t, n->prev)->next = n->next;
	at_flows_node(t, n->next)->prev = n->prev;
	n->prev = n->next = i;
}

/* i becomes the youngest of a list, whatever list it was in. */
static inline void at_flows_list(struct at_flowtable *t, u32 i, u32 list)
{
	u32 head = t->size + 1 + list, last;

	at_flows_unlist(t, i);
	last = at_flows_node(t, head)->prev;
	at_flows_node(t, i)->prev = last;
	at_flows_node(t, i)->next = head;
	at_flows_node(t, last)->next = i;
	at_flows_node(t, head)->prev = i;
}

/* The oldest of a list, or 0. */
static inline u32 at_flows_oldest(const struct at_flowtable *t, u32 list)
{
	u32 i = at_flows_node(t, t->size + 1 + list)->next;

	return i <= t->size ? i : 0;
}

static inline void at_flows_del(struct at_flowtable *t, u32 i)
{
	struct at_flow_node *n = at_flows_node(t, i);
	u32 *link = at_flows_bucket(t, n->key);

	at_flows_unlist(t, i);
	while (*link != i)
		link = &at_flows_node(t, *link)->chain;
	*link = n->chain;
	n->chain = t->free;
	t->free = i;
	t->known--;
}

#endif
