/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/tickets.h: remembers the charges that wait for a report, so that a
 * late, repeated or invented report does no harm.
 *
 * A ticket's gen is a serial number, its place in a ring of the last
 * AT_TICKETS ones. Taking it out once empties the place; a ticket that was
 * overtaken by AT_TICKETS younger ones is stale and its estimate stands.
 * Everything that the settlement needs lies here: nothing that comes back from
 * the host is believed.
 *
 * What this is not: it does not know whether the flow still exists; `gen` is
 * for the discipline to compare.
 */
#ifndef AIRTAB_TICKETS_H
#define AIRTAB_TICKETS_H

#include "airtab/qdisc.h"

#define AT_TICKETS 4096u	/* more than any device ring holds packets */

struct at_charge {
	u32 serial;		/* 0 = settled */
	u32 flow, gen;		/* record and its generation at dequeue */
	u32 est, nominal;	/* ns charged; ns of the exchange at the nominal rate */
	u32 mark;		/* the discipline's */
};

struct at_tickets {
	u32 last;		/* serial */
	struct at_charge ring[AT_TICKETS];
};

/* The serial number whose place the next ticket takes; 0: the place was never used. */
static inline u32 at_tickets_overtaken(const struct at_tickets *k)
{
	u32 next = k->last + 1 ? k->last + 1 : 1;

	return k->ring[next % AT_TICKETS].serial;
}

/* The serial number that the next ticket gets. */
static inline u32 at_tickets_coming(const struct at_tickets *k)
{
	return k->last + 1 ? k->last + 1 : 1;
}

/* The place of the next charge, with its serial number; the caller fills in the rest. */
static inline struct at_charge *at_tickets_next(struct at_tickets *k)
{
	struct at_charge *c;

	if (!AT_MOSTLY(++k->last))
		k->last = 1;
	c = &k->ring[k->last % AT_TICKETS];
	c->serial = k->last;
	return c;
}

/* Writes the ticket for a charge. */
static inline void at_tickets_write(const struct at_charge *c, struct at_ticket *t)
{
	*t = (struct at_ticket){ .flow = c->flow, .gen = c->serial, .est = c->est };
}

/* Records a charge and writes the ticket for it. */
static inline void at_tickets_issue(struct at_tickets *k, struct at_charge c, struct at_ticket *t)
{
	struct at_charge *slot = at_tickets_next(k);

	c.serial = slot->serial;
	*slot = c;
	at_tickets_write(slot, t);
}

/* The charge of a ticket that was still open, which is closed, or NULL. Good until the
 * next one is issued. */
static inline const struct at_charge *at_tickets_close(struct at_tickets *k, const struct at_ticket *t)
{
	struct at_charge *slot = &k->ring[t->gen % AT_TICKETS];

	if (!t->gen || slot->serial != t->gen || slot->flow != t->flow)
		return NULL;
	slot->serial = 0;
	return slot;
}

/* Whether the ticket was still open; fills *c and closes it. */
static inline bool at_tickets_take(struct at_tickets *k, const struct at_ticket *t,
				   struct at_charge *c)
{
	const struct at_charge *slot = at_tickets_close(k, t);

	if (slot)
		*c = *slot;
	return slot;
}

/* Closes all. */
static inline void at_tickets_forget(struct at_tickets *k)
{
	memset(k->ring, 0, sizeof(k->ring));
}

#endif
