// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Packets that a driver has. See claims.h.
 *
 * All that a destructor is given is the packet, and nothing inside it can be relied on:
 * drivers write over skb->cb, change its length and its data, and skb->sk is a socket's
 * or nobody's. So claims are found by the address of the sk_buff, in a table of this module.
 *
 * Locks: a bucket's, for the table alone; then that of the claims, for the list of what is
 * over. Destructors run in softirq, or with interrupts off, or in a process that empties
 * a driver's queue; below a qdisc's lock or not. They take these two, one after the other,
 * and free no packet.
 *
 * Who is left over: `made` counts under the root's lock, `over` under the claims' own; once
 * the qdisc is gone, whoever makes them equal frees the claims.
 */
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "claims.h"

#define BITS 10
#define SPARES 64	/* claims that are kept for the next packets, of each qdisc */

static struct bucket {
	spinlock_t lock;
	struct hlist_head claims;
} table[1 << BITS];

static struct kmem_cache *cache;

struct at_claims {
	spinlock_t lock;
	struct Qdisc *sch;		/* NULL: gone */
	struct at_claim *first, **last;	/* over, and not asked for */
	struct at_claim *spare;		/* nobody's, under the root's lock */
	u32 spares;
	u64 made, over;			/* ever */
	bool waits;			/* the qdisc, for the next one that is over */
	struct rcu_head rcu;
};

static struct bucket *bucket_of(const struct sk_buff *skb)
{
	return &table[hash_ptr(skb, BITS)];
}

static struct at_claim *take(const struct sk_buff *skb)
{
	struct bucket *b = bucket_of(skb);
	struct at_claim *claim;
	unsigned long flags;

	spin_lock_irqsave(&b->lock, flags);
	hlist_for_each_entry(claim, &b->claims, bucket)
		if (claim->skb == skb) {
			hlist_del(&claim->bucket);
			break;
		}
	spin_unlock_irqrestore(&b->lock, flags);
	return claim;
}

static void release(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct at_claims, rcu));
	module_put(THIS_MODULE);
}

/* A destructor that is still running needs the module for some instructions more: RCU. */
static void let_go(struct at_claims *claims)
{
	call_rcu(&claims->rcu, release);
}

/* mac80211 leaves here whether a packet that has a destructor was acknowledged, if its radio
 * had it: not if the packet was thrown away before. */
static bool reported(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_WIRELESS)
	return skb->wifi_acked_valid;
#else
	return false;
#endif
}

static void clear_report(struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_WIRELESS)
	skb->wifi_acked_valid = 0;
#endif
}

/* A claim is over. The root that is scheduled may be another one by now, or nobody's
 * (noop_qdisc, which does nothing); none can be freed before the end of this. */
static void end(struct at_claim *claim)
{
	struct at_claims *claims = claim->claims;
	struct Qdisc *wake = NULL;
	unsigned long flags;
	bool last;

	rcu_read_lock();
	spin_lock_irqsave(&claims->lock, flags);
	claims->over++;
	last = !claims->sch && claims->over == claims->made;
	if (claims->sch) {
		claim->at = ktime_get_ns();
		claim->next = NULL;
		*claims->last = claim;
		claims->last = &claim->next;
		if (claims->waits)
			wake = claims->sch;
		claims->waits = false;
		claim = NULL;
	}
	spin_unlock_irqrestore(&claims->lock, flags);
	if (wake)
		__netif_schedule(qdisc_root(wake));
	rcu_read_unlock();
	if (claim)
		kmem_cache_free(cache, claim);
	if (last)
		let_go(claims);
}

/* skb->destructor of a claimed packet. */
static void over(struct sk_buff *skb)
{
	struct at_claim *claim = take(skb);

	if (WARN_ON_ONCE(!claim))
		return;
	skb->destructor = claim->destructor;
	claim->reported = reported(skb);
	if (skb->destructor)
		skb->destructor(skb);
	end(claim);
}

/* A copy does not have the destructor, and the driver makes one where the packet is shared
 * or has not the room that it needs. Who claimed it first, above this device, keeps it. */
struct at_claim *at_claim(struct at_claims *claims, struct sk_buff *skb)
{
	struct at_claim *claim;
	struct bucket *b;
	unsigned long flags;

	if (skb_shared(skb) || skb->destructor == over ||
	    skb_cow_head(skb, READ_ONCE(skb->dev->needed_headroom)))
		return NULL;
	claim = claims->spare;
	if (likely(claim)) {
		claims->spare = claim->next;
		claims->spares--;
	} else {
		claim = kmem_cache_alloc(cache, GFP_ATOMIC | __GFP_NOWARN);
		if (!claim)
			return NULL;
	}
	claim->skb = skb;
	claim->claims = claims;
	claim->destructor = skb->destructor;
	clear_report(skb);
	claims->made++;
	b = bucket_of(skb);
	spin_lock_irqsave(&b->lock, flags);
	hlist_add_head(&claim->bucket, &b->claims);
	spin_unlock_irqrestore(&b->lock, flags);
	skb->destructor = over;
	return claim;
}

void at_claim_free(struct at_claims *claims, struct at_claim *claim)
{
	if (claims->spares == SPARES) {
		kmem_cache_free(cache, claim);
		return;
	}
	claims->spares++;
	claim->next = claims->spare;
	claims->spare = claim;
}

struct at_claim *at_claims_over(struct at_claims *claims)
{
	struct at_claim *first;
	unsigned long flags;

	if (!READ_ONCE(claims->first))
		return NULL;
	spin_lock_irqsave(&claims->lock, flags);
	first = claims->first;
	claims->first = NULL;
	claims->last = &claims->first;
	spin_unlock_irqrestore(&claims->lock, flags);
	return first;
}

bool at_claims_wait(struct at_claims *claims)
{
	unsigned long flags;
	bool none;

	spin_lock_irqsave(&claims->lock, flags);
	none = !claims->first;
	claims->waits = none;
	spin_unlock_irqrestore(&claims->lock, flags);
	return none;
}

struct at_claims *at_claims_new(struct Qdisc *sch)
{
	struct at_claims *claims = kzalloc(sizeof(*claims), GFP_KERNEL_ACCOUNT);

	if (!claims)
		return NULL;
	__module_get(THIS_MODULE);
	spin_lock_init(&claims->lock);
	claims->sch = sch;
	claims->last = &claims->first;
	return claims;
}

static void free_all(struct at_claim *list)
{
	struct at_claim *next;

	for (; list; list = next) {
		next = list->next;
		kmem_cache_free(cache, list);
	}
}

void at_claims_end(struct at_claims *claims)
{
	struct at_claim *rest;
	unsigned long flags;
	bool last;

	if (!claims)
		return;
	spin_lock_irqsave(&claims->lock, flags);
	claims->sch = NULL;
	rest = claims->first;
	last = claims->over == claims->made;
	spin_unlock_irqrestore(&claims->lock, flags);
	free_all(rest);
	free_all(claims->spare);
	if (last)
		let_go(claims);
}

int at_claims_start(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(table); i++) {
		spin_lock_init(&table[i].lock);
		INIT_HLIST_HEAD(&table[i].claims);
	}
	cache = KMEM_CACHE(at_claim, 0);
	return cache ? 0 : -ENOMEM;
}

/* Nobody has claims any more, or the module would be pinned. */
void at_claims_stop(void)
{
	rcu_barrier();
	kmem_cache_destroy(cache);
}
