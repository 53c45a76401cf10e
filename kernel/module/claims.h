/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Packets that a driver has: when it is done with each of them.
 *
 * A claimed packet tells it through skb->destructor, which whoever frees it calls:
 * the driver, when the packet was sent or is given up. What the destructor was, of a
 * local socket most often, is called then as well, so that the socket's own
 * account of its packets (TCP small queues) stays right.
 *
 * A packet below belongs to its claims, not to the qdisc that made them: they live until
 * the last one is over, however early the qdisc goes, and pin the module.
 *
 * What this is not: no judgement of what completions mean (inflight.c).
 */
#ifndef AIRTAB_CLAIMS_H
#define AIRTAB_CLAIMS_H

#include <linux/skbuff.h>

#include "airtab/qdisc.h"

struct at_claims;

/* One packet. From at_claim() on until it is over nobody but the destructor writes to it. */
struct at_claim {
	struct hlist_node bucket;
	const struct sk_buff *skb;
	struct at_claims *claims;
	void (*destructor)(struct sk_buff *skb);	/* what it was */
	struct at_claim *next;		/* over, or spare */
	u64 record;			/* the caller's */
	u64 at;				/* ns: when it was over */
	bool reported;			/* the driver said that it was on the air */
};

/* Those of a qdisc, or NULL. May sleep. */
struct at_claims *at_claims_new(struct Qdisc *sch);
/* The qdisc ends: nobody asks any more. May be NULL. */
void at_claims_end(struct at_claims *claims);

/* Claims a packet that is about to be handed to its device; NULL: it cannot be, and goes as
 * it is. The caller fills in the record. Under the lock of the qdisc's root, as what follows. */
struct at_claim *at_claim(struct at_claims *claims, struct sk_buff *skb);
/* Those that are over since the last time, oldest first; each is given back by at_claim_free(). */
struct at_claim *at_claims_over(struct at_claims *claims);
void at_claim_free(struct at_claims *claims, struct at_claim *claim);
/* The next one that is over has the qdisc's root dequeue. False: one is over already. */
bool at_claims_wait(struct at_claims *claims);

int at_claims_start(void);
void at_claims_stop(void);

#endif
