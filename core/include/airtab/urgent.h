/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/urgent.h: the AT_URGENT packets of a discipline in their order of
 * arrival, apart from the others and counted, so that they can go first and are
 * never victims of them.
 *
 * What this is not: no books (at_book_*() are the caller's), no rate limit.
 */
#ifndef AIRTAB_URGENT_H
#define AIRTAB_URGENT_H

#include "airtab/fifo.h"

struct at_urgent {
	struct at_fifo list;
	u64 len, bytes;
	u64 sent;		/* the caller's count */
};

/* Queues p if the urgent packets alone stay within the limits (packets and
 * bytes) and returns AT_R_MAX, or else the limit that p breaks. */
static inline enum at_reason at_urgent_push(struct at_urgent *u, struct at_pkt *p, u64 limit, u64 memory)
{
	if (u->len + 1 > limit)
		return AT_R_LIMIT;
	if (u->bytes + at_bytes(p) > memory)
		return AT_R_MEMORY;
	at_fifo_push(&u->list, p);
	u->len++;
	u->bytes += at_bytes(p);
	return AT_R_MAX;
}

/* The oldest, or NULL. */
static inline struct at_pkt *at_urgent_pop(struct at_urgent *u)
{
	struct at_pkt *p = at_fifo_pop(&u->list);

	if (p) {
		u->len--;
		u->bytes -= at_bytes(p);
	}
	return p;
}

#endif
