/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/stations.h: a dense, exact number for every station that a host meets, by
 * its hardware address or any other key of 64 bits. For hosts whose stations come
 * and go without a word.
 *
 * Whoever is met for the first time gets the lowest number that nobody had. Once
 * all are given, that of somebody who has no packet inside: of those who were met
 * once, else of all, whoever has been without for longest. So no two stations ever
 * share a number, a station keeps its number while a packet of it is inside, and
 * addresses that are made up take the numbers of each other. Only if all have
 * packets inside there is none: AT_NO_STA.
 *
 * Seeded multiply-shift hash (Dietzfelbinger et al. 1997), chained; a chain is no
 * longer than there are numbers, whatever the keys. O(1) a packet, expected.
 *
 * What this is not: it does not say who is a station, and forgets nobody whose
 * number is not wanted.
 */
#ifndef AIRTAB_STATIONS_H
#define AIRTAB_STATIONS_H

#include "airtab/hash.h"
#include "airtab/qdisc.h"

#define AT_STATIONS_MOST 0xfff0u	/* numbers in one table */
#define AT_STATIONS_END ((u16)0xffff)	/* of a chain */

/* Numbers from s->room on are the heads of the lists of those without packets. */
enum { AT_STATIONS_ONCE, AT_STATIONS_AGAIN, AT_STATIONS_LISTS };

struct at_station {
	u64 key;
	u32 packets;		/* inside; 0: it is in a list */
	u16 chain;		/* next in the bucket */
	u16 prev, next;		/* list, oldest first */
	bool again;		/* met more than once */
};

struct at_stations {
	struct at_station *at;	/* by number */
	u16 *bucket;
	u64 hash;		/* odd multiplier */
	u32 bits;
	u16 room, known;	/* numbers; given ones: those below */
};

enum at_met {
	AT_MET_AGAIN,
	AT_MET_FIRST,
	AT_MET_INSTEAD,		/* of another one, who had the number until now */
	AT_MET_NOBODY,		/* there was no number left */
};

static inline u32 at_stations_bits(u16 room)
{
	u32 bits = 1;

	while ((u32)1 << bits < room)
		bits++;
	return bits;
}

/* Of memory that a table of `room` numbers wants. */
static inline u64 at_stations_bytes(u16 room)
{
	return ((u64)room + AT_STATIONS_LISTS) * sizeof(struct at_station) +
	       (sizeof(u16) << at_stations_bits(room));
}

/* An empty table. memory: at_stations_bytes(room) bytes, 8-aligned; room is at
 * least 1 and at most AT_STATIONS_MOST. */
static inline void at_stations_init(struct at_stations *s, void *memory, u16 room, u64 seed)
{
	s->at = memory;
	s->bucket = (u16 *)(void *)(s->at + room + AT_STATIONS_LISTS);
	s->hash = at_hash_multiplier(seed);
	s->bits = at_stations_bits(room);
	s->room = room;
	s->known = 0;
	memset(s->bucket, 0xff, sizeof(u16) << s->bits);
	for (u32 i = room; i < (u32)room + AT_STATIONS_LISTS; i++)
		s->at[i].prev = s->at[i].next = (u16)i;
}

static inline u16 *at_stations_bucket(const struct at_stations *s, u64 key)
{
	return &s->bucket[s->hash * key >> (64 - s->bits)];
}

static inline void at_stations_unlist(struct at_stations *s, u16 i)
{
	s->at[s->at[i].prev].next = s->at[i].next;
	s->at[s->at[i].next].prev = s->at[i].prev;
}

/* The number of somebody who has no packet inside and loses it; AT_NO_STA: all have. */
static inline u16 at_stations_give_up(struct at_stations *s)
{
	u16 i = s->at[s->room + AT_STATIONS_ONCE].next, *link;

	if (i >= s->room)
		i = s->at[s->room + AT_STATIONS_AGAIN].next;
	if (i >= s->room)
		return AT_NO_STA;
	at_stations_unlist(s, i);
	link = at_stations_bucket(s, s->at[i].key);
	while (*link != i)
		link = &s->at[*link].chain;
	*link = s->at[i].chain;
	return i;
}

/* A packet of a station comes inside: the station's number, or AT_NO_STA. */
static inline u16 at_stations_enter(struct at_stations *s, u64 key, enum at_met *met)
{
	u16 *bucket = at_stations_bucket(s, key), i = *bucket;

	while (i != AT_STATIONS_END && s->at[i].key != key)
		i = s->at[i].chain;
	if (i != AT_STATIONS_END) {
		*met = AT_MET_AGAIN;
		s->at[i].again = true;
		if (!s->at[i].packets++)
			at_stations_unlist(s, i);
		return i;
	}
	*met = s->known < s->room ? AT_MET_FIRST : AT_MET_INSTEAD;
	i = *met == AT_MET_FIRST ? s->known++ : at_stations_give_up(s);
	if (i == AT_NO_STA) {
		*met = AT_MET_NOBODY;
		return i;
	}
	s->at[i] = (struct at_station){ .key = key, .packets = 1, .chain = *bucket };
	*bucket = i;
	return i;
}

/* A packet leaves that came in with this number, which is not AT_NO_STA. */
static inline void at_stations_leave(struct at_stations *s, u16 i)
{
	u16 head = (u16)(s->room + (s->at[i].again ? AT_STATIONS_AGAIN : AT_STATIONS_ONCE));

	if (--s->at[i].packets)
		return;
	s->at[i].prev = s->at[head].prev;
	s->at[i].next = head;
	s->at[s->at[head].prev].next = i;
	s->at[head].prev = i;
}

#endif
