/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/turns.h: parties take turns, and the members of a party go in their
 * order of arrival; the party that holds most packets is at hand too.
 *
 * A party is whoever can be made to share: a station, or a source host. So a
 * flood of members of one party waits behind itself, and what displaces the
 * fullest party's packets displaces the flood's.
 *
 * At most AT_PARTIES parties are told apart at a time; who comes when so many
 * wait joins the last one, record AT_REST. Members are numbers below a bound of
 * the caller's, who keeps a u16 and a u32 for each: its party and the next member.
 *
 * Cost: O(1) a turn, O(log parties) a packet (heap.h), O(members of the party)
 * to leave from the middle. Where some are not ready, a turn passes over the
 * parties of which nobody is, and over those before the one in his.
 *
 * What this is not: no packets (the caller counts them), no credit, no weights.
 */
#ifndef AIRTAB_TURNS_H
#define AIRTAB_TURNS_H

#include "airtab/flowtable.h"
#include "airtab/heap.h"

#define AT_PARTIES 256u
#define AT_REST (AT_PARTIES + 1 + AT_FLOWS_LISTS)	/* behind the table's own records */
#define AT_PARTIES_BUCKETS 512				/* 1 << at_flows_bits(AT_PARTIES) */

struct at_party {
	struct at_flow_node node;	/* its list is that of turns */
	u32 first, last;		/* members; first == 0: none */
	u32 packets;
	u32 ready;			/* members that may have a turn */
};

struct at_turns {
	struct at_flowtable table;	/* of parties, by key */
	struct at_heap heap;		/* by packets */
	u16 *party;			/* record of each member */
	u32 *next;			/* next member; the caller's for numbers that are no member */
	u32 members, ready;
	struct at_heap_entry entries[AT_PARTIES + 1];
	u32 pos[AT_REST + 1];
	u32 buckets[AT_PARTIES_BUCKETS];
	struct at_party parties[AT_REST + 1];
};

static inline bool at_turns_less(const void *ctx, const struct at_heap_entry *a, const struct at_heap_entry *b)
{
	(void)ctx;
	return a->key < b->key;
}

/* No members. The struct is zeroed; party and next have one element a member. */
static inline void at_turns_init(struct at_turns *t, u16 *party, u32 *next, u64 seed)
{
	t->party = party;
	t->next = next;
	t->heap = (struct at_heap){ t->entries, t->pos, 0 };
	at_flows_init(&t->table, t->buckets, t->parties, sizeof(struct at_party), AT_PARTIES, seed);
	t->parties[AT_REST].node.prev = t->parties[AT_REST].node.next = AT_REST;
}

/* No members any more, nor parties: O(AT_PARTIES). */
static inline void at_turns_clear(struct at_turns *t)
{
	at_flows_forget(&t->table);
	memset(t->pos, 0, sizeof(t->pos));
	t->heap.n = 0;
	t->members = t->ready = 0;
	t->parties[AT_REST].node.prev = t->parties[AT_REST].node.next = AT_REST;
}

/* `id` (not 0), no member yet, joins the party of that key, which gets its turn
 * behind all others if it had no member. */
static inline void at_turns_join(struct at_turns *t, u32 id, u32 key)
{
	u32 i = at_flows_find(&t->table, key);
	struct at_party *p;

	if (!i)
		i = at_flows_add(&t->table, key);
	if (!i)
		i = AT_REST;
	p = &t->parties[i];
	if (!at_flows_listed(&t->table, i)) {
		p->first = p->packets = p->ready = 0;
		at_flows_list(&t->table, i, AT_FLOWS_NEW);
		at_heap_add(&t->heap, (struct at_heap_entry){ .id = i }, at_turns_less, NULL);
	}
	if (p->first)
		t->next[p->last] = id;
	else
		p->first = id;
	p->last = id;
	t->next[id] = 0;
	t->party[id] = (u16)i;
	t->members++;
}

/* A member has n packets more. */
static inline void at_turns_count(struct at_turns *t, u32 id, s32 n)
{
	u32 i = t->party[id];
	struct at_party *p = &t->parties[i];

	p->packets += (u32)n;
	at_heap_del(&t->heap, i, at_turns_less, NULL);
	at_heap_add(&t->heap, (struct at_heap_entry){ .key = p->packets, .id = i }, at_turns_less, NULL);
}

/* A member may have a turn, or no longer; who joined may not yet. */
static inline void at_turns_ready(struct at_turns *t, u32 id, bool ready)
{
	u32 one = ready ? 1 : ~(u32)0;

	t->ready += one;
	t->parties[t->party[id]].ready += one;
}

/* A member, who is not ready and whose packets were taken from the count before, leaves. A party
 * without members is gone. */
static inline void at_turns_leave(struct at_turns *t, u32 id)
{
	u32 i = t->party[id], before = 0;
	struct at_party *p = &t->parties[i];

	for (u32 k = p->first; k != id; k = t->next[k])
		before = k;
	if (before)
		t->next[before] = t->next[id];
	else
		p->first = t->next[id];
	if (p->last == id)
		p->last = before;
	t->members--;
	if (p->first)
		return;
	at_heap_del(&t->heap, i, at_turns_less, NULL);
	if (i == AT_REST)
		at_flows_unlist(&t->table, i);
	else
		at_flows_del(&t->table, i);
}

/* The member whose turn it is, or 0. */
static inline u32 at_turns_first(const struct at_turns *t)
{
	/* the head of the list is a party without members */
	return t->parties[t->parties[AT_PARTIES + 1 + AT_FLOWS_NEW].node.next].first;
}

/* The member whose turn it is of those who are ready, which `waits` tells of a
 * member; one is. Parties of which nobody is ready keep their places. */
AT_HEAP_FN u32 at_turns_first_ready(const struct at_turns *t, bool (*waits)(const void *ctx, u32 id),
				    const void *ctx)
{
	u32 i = t->parties[AT_PARTIES + 1 + AT_FLOWS_NEW].node.next, id;

	if (t->ready == t->members)
		return t->parties[i].first;
	while (!t->parties[i].ready)
		i = t->parties[i].node.next;
	for (id = t->parties[i].first; waits(ctx, id);)
		id = t->next[id];
	return id;
}

/* The turn of a member's party is over: it is everybody else's first. */
static inline void at_turns_pass(struct at_turns *t, u32 id)
{
	at_flows_list(&t->table, t->party[id], AT_FLOWS_NEW);
}

/* The longest waiting member of the party with most packets, or 0. */
static inline u32 at_turns_fullest(const struct at_turns *t)
{
	const struct at_heap_entry *most = at_heap_max(&t->heap);

	return most ? t->parties[most->id].first : 0;
}

#endif
