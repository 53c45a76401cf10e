/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/rounds.h: who takes turns, by number: those who came lately go before the
 * others, and who cannot go now is passed over and keeps his place.
 *
 * Source: RFC 8290 4.1 and 4.2, the lists of new and of old queues.
 *
 * Members are numbers; an array of the caller's holds their seats, `stride` bytes
 * apart. A member is in one list, or in none.
 *
 * Cost: O(1); look_again O(those who were passed over).
 *
 * What this is not: no deficits, no packets, no rule who moves when.
 */
#ifndef AIRTAB_ROUNDS_H
#define AIRTAB_ROUNDS_H

#include "airtab/qdisc.h"

enum { AT_ROUNDS_NONE, AT_ROUNDS_NEW, AT_ROUNDS_OLD, AT_ROUNDS_LISTS };

struct at_seat {
	u32 next;		/* in its list */
	u16 whose;		/* the caller's */
	u8 list;		/* NEW, OLD, or NONE: takes no turns */
	bool passed;		/* in the list that stands before it */
};

/* Where the seats are: that of member i is i * stride bytes behind the first. */
struct at_seats {
	struct at_seat *first;
	u32 stride;
};

/* Members, linked by number. */
struct at_chain {
	u32 head, tail, len;
};

struct at_rounds {
	struct at_chain lists[AT_ROUNDS_LISTS];
	struct at_chain passed[AT_ROUNDS_LISTS];	/* before these, in their order */
};

static inline struct at_seat *at_seat_of(struct at_seats s, u32 i)
{
	return (struct at_seat *)(void *)((u8 *)s.first + (u64)i * s.stride);
}

static inline void at_chain_join(struct at_chain *l, struct at_seats s, u32 i)
{
	if (l->len++)
		at_seat_of(s, l->tail)->next = i;
	else
		l->head = i;
	l->tail = i;
}

/* Takes the first of a list that has one. */
static inline u32 at_chain_pop(struct at_chain *l, struct at_seats s)
{
	u32 i = l->head;

	l->head = at_seat_of(s, i)->next;
	l->len--;
	return i;
}

/* Those who were passed over stand before l again, in their order. */
static inline void at_chain_return(struct at_chain *l, struct at_seats s, struct at_chain *passed)
{
	if (!passed->len)
		return;
	for (u32 n = passed->len, i = passed->head; n; n--, i = at_seat_of(s, i)->next)
		at_seat_of(s, i)->passed = false;
	if (l->len)
		at_seat_of(s, passed->tail)->next = l->head;
	else
		l->tail = passed->tail;
	l->head = passed->head;
	l->len += passed->len;
	passed->len = 0;
}

/* i, in no list, becomes the last of one. */
static inline void at_rounds_append(struct at_rounds *r, struct at_seats s, u32 i, u8 list)
{
	at_seat_of(s, i)->list = list;
	at_chain_join(&r->lists[list], s, i);
}

/* i, in no list, becomes the first of one. */
static inline void at_rounds_prepend(struct at_rounds *r, struct at_seats s, u32 i, u8 list)
{
	struct at_chain *l = &r->lists[list];

	at_seat_of(s, i)->list = list;
	at_seat_of(s, i)->next = l->head;
	l->head = i;
	if (!l->len++)
		l->tail = i;
}

/* The list whose first has the turn, or NONE: nobody has. */
static inline u8 at_rounds_turn(const struct at_rounds *r)
{
	return r->lists[AT_ROUNDS_NEW].len ? AT_ROUNDS_NEW :
	       r->lists[AT_ROUNDS_OLD].len ? AT_ROUNDS_OLD : AT_ROUNDS_NONE;
}

/* Takes the first of a list that has one. */
static inline u32 at_rounds_pop(struct at_rounds *r, struct at_seats s, u8 list)
{
	u32 i = at_chain_pop(&r->lists[list], s);

	at_seat_of(s, i)->list = AT_ROUNDS_NONE;
	return i;
}

/* Passes over the first of a list, who cannot go now. It keeps its place: who can is
 * looked for behind it. */
static inline void at_rounds_pass(struct at_rounds *r, struct at_seats s, u8 list)
{
	u32 i = at_rounds_pop(r, s, list);

	at_seat_of(s, i)->list = list;
	at_seat_of(s, i)->passed = true;
	at_chain_join(&r->passed[list], s, i);
}

/* Who was passed over is looked at again. */
static inline void at_rounds_look_again(struct at_rounds *r, struct at_seats s)
{
	for (u8 list = AT_ROUNDS_NEW; list < AT_ROUNDS_LISTS; list++)
		at_chain_return(&r->lists[list], s, &r->passed[list]);
}

#endif
