/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/urgent.h: the AT_URGENT packets of a discipline in their order of
 * arrival, apart from the others, so that they can go first and are never
 * victims of them.
 *
 * Anybody can send such packets, so the privilege is small: AT_URGENT_PACKETS of
 * at most AT_URGENT_BYTES each, and a hundredth of the air. What is more is not
 * refused, it is the caller's ordinary traffic. The hundredth is a token bucket
 * that holds what one second gives, kept as the time at which it will be full
 * again (the virtual scheduling algorithm of ITU-T I.371, annex A): an urgent
 * packet moves that time on by a hundred times its airtime, the nominal one
 * (estimate.h) until somebody knows better.
 *
 * Those of closed stations (gate.h) stay, but count as no more than half of the
 * AT_URGENT_PACKETS: who sleeps does not keep the others' from going first. Those
 * that came before their stations closed can be more, so that there are up to
 * AT_URGENT_MOST in all; only where so many are parked nobody else's go first.
 *
 * What this is not: no books (at_book_*() are the caller's).
 */
#ifndef AIRTAB_URGENT_H
#define AIRTAB_URGENT_H

#include "airtab/estimate.h"
#include "airtab/gate.h"

#define AT_URGENT_PACKETS 32u
#define AT_URGENT_PARKED (AT_URGENT_PACKETS / 2)
#define AT_URGENT_MOST (AT_URGENT_PACKETS + AT_URGENT_PARKED)
#define AT_URGENT_BYTES 1514u
#define AT_URGENT_SHARE 100u		/* one part in so many of the air */
#define AT_URGENT_BURST 1000000000ull	/* ns: the bucket holds the share of so long */

struct at_urgent {
	struct at_line line;
	u64 len, bytes, parked;
	u64 full;		/* when the bucket is, ns */
	u64 sent, over;		/* packets sent (the caller's count); beyond the bounds */
	u64 air;		/* charged, ns */
};

/* Charges what an urgent packet takes, or took more than was thought (or less).
 * Nobody owes more than a bucket: one bad link must not mute the others. */
static inline void at_urgent_pay(struct at_urgent *u, s64 ns, u64 now)
{
	u64 most = now + 2 * AT_URGENT_BURST;

	u->air += (u64)ns;
	u->full += (u64)ns * AT_URGENT_SHARE;
	if ((s64)(u->full - most) > 0)
		u->full = most;
}

/* What is left in the bucket, ns of airtime: less than nothing after a bad link. */
static inline s64 at_urgent_left(const struct at_urgent *u, u64 now)
{
	s64 left = (s64)AT_URGENT_BURST;

	if ((s64)(u->full - now) > 0)
		left -= (s64)(u->full - now);
	return left < 0 ? -(s64)at_div((u64)-left, AT_URGENT_SHARE) : (s64)at_div((u64)left, AT_URGENT_SHARE);
}

/* Whether all places are taken, or, for a closed station, those that such can have. */
static inline bool at_urgent_full(const struct at_urgent *u, bool closed)
{
	u64 parked = u->parked < AT_URGENT_PARKED ? u->parked : AT_URGENT_PARKED;

	return u->len >= AT_URGENT_MOST || u->len - u->parked + parked >= AT_URGENT_PACKETS ||
	       (closed && u->parked >= AT_URGENT_PARKED);
}

/* Queues p and charges it if it is urgent, within the bounds, and within the
 * caller's limit of packets. False: p is ordinary traffic. */
static inline bool at_urgent_push(struct at_urgent *u, const struct at_qdisc *q, struct at_pkt *p,
				  u64 limit, u64 now)
{
	u64 full;
	u32 ns;

	if (at_class(p) != AT_URGENT)
		return false;
	ns = at_nominal_ns(at_bytes(p));
	full = (s64)(u->full - now) > 0 ? u->full : now;
	if (at_urgent_full(u, at_parked(q, p)) || u->len >= limit || at_bytes(p) > AT_URGENT_BYTES ||
	    full + (u64)ns * AT_URGENT_SHARE > now + AT_URGENT_BURST) {
		u->over++;
		return false;
	}
	u->full = full;
	at_urgent_pay(u, ns, now);
	at_fifo_push(&u->line.fifo, p);
	u->len++;
	if (at_parked(q, p))
		u->parked++;
	u->bytes += at_bytes(p);
	return true;
}

/* The oldest, or NULL. */
static inline struct at_pkt *at_urgent_oldest(const struct at_urgent *u)
{
	return u->line.fifo.head;
}

/* p left the list. */
static inline struct at_pkt *at_urgent_count(struct at_urgent *u, const struct at_qdisc *q, struct at_pkt *p)
{
	u->len--;
	if (at_parked(q, p))
		u->parked--;
	u->bytes -= at_bytes(p);
	return p;
}

/* Takes the oldest, parked or not, or NULL. */
static inline struct at_pkt *at_urgent_pop(struct at_urgent *u, const struct at_qdisc *q)
{
	return u->len ? at_urgent_count(u, q, at_line_pop(&u->line)) : NULL;
}

/* Whether one may go. */
static inline bool at_urgent_waits(const struct at_urgent *u)
{
	return u->len != u->parked;
}

/* Takes the oldest that may go, or NULL. */
static inline struct at_pkt *at_urgent_take(struct at_urgent *u, const struct at_qdisc *q)
{
	if (!at_urgent_waits(u))
		return NULL;
	at_line_first(q, &u->line);
	return at_urgent_count(u, q, at_line_take(&u->line));
}

/* A station's gate was turned. */
static inline void at_urgent_turned(struct at_urgent *u, struct at_qdisc *q, u16 sta, bool open)
{
	u32 before = q->parked;

	at_line_turned(q, &u->line, sta, open);
	u->parked += (u64)q->parked - before;
}

/* Whether there is more than may be, and somebody who can make room: an urgent packet
 * does not. */
static inline bool at_urgent_over(const struct at_urgent *u, const struct at_qdisc *q, u64 limit, u64 memory)
{
	return (q->qlen > limit || q->bytes > memory) && q->qlen > u->len;
}

/* Drops the oldest until the caller's limit holds again. */
static inline void at_urgent_shrink(struct at_urgent *u, struct at_qdisc *q, u64 limit)
{
	while (u->len > limit)
		at_book_drop(q, at_urgent_pop(u, q), AT_R_LIMIT);
}

#endif
