/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/calendar.h: members take turns in rounds. Whoever had his turn says in which
 * round he has the next: in the next one, or in a later one if he, or somebody whom he
 * shares with, took more than a round's share. O(1), however many rounds that is.
 *
 * Source: deficit round robin (Shreedhar and Varghese, IEEE/ACM ToN 4(3), 1996), whose
 * visits that only add to a deficit are left out, in a calendar (Brown, CACM 31(10),
 * 1988) of a list for each round.
 *
 * A party is whoever his members share with: its struct at_share says in which round
 * what it was given so far is used up, one quantum a round; time in which it took
 * nothing is lost. So the members of a party have one share of the rounds together,
 * one after the other, whatever their number, and with two parties each (max of both)
 * no more than either allows.
 *
 * Members are numbers with seats (rounds.h), of which only the link is used here.
 *
 * What this is not: no packets, no deficits.
 */
#ifndef AIRTAB_CALENDAR_H
#define AIRTAB_CALENDAR_H

#include "airtab/rounds.h"

#define AT_CALENDAR 2048u		/* rounds told apart: nobody waits longer */

struct at_calendar {
	u64 now;		/* the round */
	u32 len;
	u32 some[AT_CALENDAR / 32];	/* a bit for each list that is not empty */
	struct at_chain list[AT_CALENDAR];
};

/* Of a party. */
struct at_share {
	u64 round;
	u32 bytes;		/* used of this round's quantum */
};

static inline struct at_chain *at_calendar_list(struct at_calendar *c, u64 round)
{
	return &c->list[round % AT_CALENDAR];
}

static inline void at_calendar_mark(struct at_calendar *c, u64 round)
{
	u32 i = round % AT_CALENDAR, bit = (u32)1 << i % 32;

	if (c->list[i].len)
		c->some[i / 32] |= bit;
	else
		c->some[i / 32] &= ~bit;
}

/* A member's next turn is in a round, not before the present one. */
static inline void at_calendar_add(struct at_calendar *c, struct at_seats s, u32 i, u64 round)
{
	if (round - c->now >= AT_CALENDAR)
		round = c->now + AT_CALENDAR - 1;
	at_chain_join(at_calendar_list(c, round), s, i);
	at_calendar_mark(c, round);
	c->len++;
}

/* The rounds go on to the first in which somebody has a turn; somebody has. */
static inline void at_calendar_go_on(struct at_calendar *c)
{
	u32 i = c->now % AT_CALENDAR, word = c->some[i / 32] >> i % 32;

	if (!word) {
		c->now += 32 - i % 32;
		while (!(word = c->some[c->now % AT_CALENDAR / 32]))
			c->now += 32;
	}
	c->now += (u32)__builtin_ctz(word);
}

/* Whose turn it is; somebody waits. */
static inline u32 at_calendar_first(struct at_calendar *c)
{
	if (!at_calendar_list(c, c->now)->len)
		at_calendar_go_on(c);
	return at_calendar_list(c, c->now)->head;
}

/* Takes whose turn it is. */
static inline u32 at_calendar_pop(struct at_calendar *c, struct at_seats s)
{
	u32 i = at_chain_pop(at_calendar_list(c, c->now), s);

	at_calendar_mark(c, c->now);
	c->len--;
	return i;
}

/* Members who had been passed over have their turns first, in their order. */
static inline void at_calendar_return(struct at_calendar *c, struct at_seats s, struct at_chain *passed)
{
	c->len += passed->len;
	at_chain_return(at_calendar_list(c, c->now), s, passed);
	at_calendar_mark(c, c->now);
}

/* A party took so many bytes in the round `now`; a round's share is `quantum`. */
static inline void at_share_take(struct at_share *s, u64 now, u32 bytes, u32 quantum)
{
	u64 used = bytes;

	if (s->round < now)
		s->round = now;
	else
		used += s->bytes;
	if (used >= quantum) {
		u64 n = used < 2 * (u64)quantum ? 1 : at_div(used, quantum);

		s->round += n;
		used -= n * quantum;
	}
	s->bytes = (u32)used;
	if (s->round - now >= AT_CALENDAR)
		s->round = now + AT_CALENDAR - 1;
}

#endif
