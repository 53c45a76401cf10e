// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * sch_airtab: the disciplines of airtab's core as Linux qdiscs, one kind each.
 *
 * This file maps the operations: books of the qdisc and of its parents, drops,
 * GSO, timers. There is no algorithm here. What a discipline does is in
 * core/src, how a packet looks to it in airtab/host_kernel.h, parameters and
 * statistics over netlink are in set.c and dump.c, memory is in memory.c; what waits in the
 * driver in inflight.c, an emulated link in emulate.c.
 *
 * Contexts: enqueue and dequeue run in softirq under the root lock; change,
 * reset and dumps under RTNL, which take that lock where they touch the core.
 * Memory is allocated by init and change alone.
 *
 * What this is not: no reports of what a transmission took, but where a governor runs or a
 * link is emulated. Elsewhere a packet is charged its estimate, and tickets are dropped.
 */
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#include <net/gso.h>
#endif

#include "airtab.h"
#include "claims.h"
#include "emulate.h"
#include "inflight.h"
#include "kinds.h"

struct kind {
	struct Qdisc_ops ops;
	const struct at_ops *core;
};

/* ---- drops ---- */

/* struct at_qdisc's: the packet leaves the books here, and is freed by the
 * caller of the operation. */
static void drop(struct at_qdisc *q, struct at_pkt *p, enum at_reason why)
{
	struct airtab *a = q->host;
	struct sk_buff *skb = at_host_leave(p);

	a->sch->q.qlen--;
	qdisc_qstats_backlog_dec(a->sch, skb);
	if (why != AT_R_RESET && why != AT_R_MERGED)
		qdisc_qstats_drop(a->sch);
	__qdisc_drop(skb, a->dropped);
}

/* ---- acknowledgements ---- */

/* struct at_qdisc's: what is made enters the books here, and leaves them as any packet that
 * goes: the parents are told of it first. */
static struct at_pkt *make_ack(struct at_qdisc *q, const struct at_pkt *p, u32 number)
{
	struct airtab *a = q->host;
	struct sk_buff *skb = at_host_ack(at_skb(p), number);

	if (!skb)
		return NULL;
	a->sch->q.qlen++;
	qdisc_qstats_backlog_inc(a->sch, skb);
	return at_host_arrive(&a->host, skb, at_flow(p));
}

/* struct at_qdisc's. Its headers alone are written to: the books stay as they are. */
static bool merge(struct at_qdisc *q, struct at_pkt *data, const struct at_pkt *ack)
{
	return at_host_merge(at_skb(data), at_skb(ack));
}

/* Outside of enqueue and under RTNL: freed when it is unlocked. */
static void free_later(struct sk_buff *list)
{
	struct sk_buff *last = list;

	while (last && last->next)
		last = last->next;
	rtnl_kfree_skbs(list, last);
}

/* ---- books ---- */

static struct books books(const struct Qdisc *sch)
{
	return (struct books){ sch->q.qlen, sch->qstats.backlog };
}

/* The parents count `known`; from here on they count what is there. */
static inline void tell(struct Qdisc *sch, struct books known)
{
	int n = known.packets - sch->q.qlen, bytes = known.bytes - sch->qstats.backlog;

	if (n || bytes)		/* seldom; a call costs */
		qdisc_tree_reduce_backlog(sch, n, bytes);
}

/* ---- enqueue ---- */

static __always_inline enum at_verdict enqueue_one(struct Qdisc *sch, struct sk_buff *skb, u32 flow, u64 now)
{
	struct airtab *a = qdisc_priv(sch);
	struct at_pkt *p = at_host_arrive(&a->host, skb, flow);

	if (unlikely(a->host.met != AT_MET_AGAIN))
		at_links_met(a, at_sta(p), now);
	sch->q.qlen++;
	qdisc_qstats_backlog_inc(sch, skb);
	return a->core->enqueue(a->q, p, now);
}

/* Puts the parts in its place. AT_DROPPED: all of them; some: AT_CN. The parents
 * are told how many there were apart from the drops, which they count. */
static noinline enum at_verdict enqueue_parts(struct Qdisc *sch, struct sk_buff *skb, u32 flow, u64 now,
					      struct books *known)
{
	netdev_features_t features = netif_skb_features(skb) & ~NETIF_F_GSO_MASK;
	struct sk_buff *parts = skb_gso_segment(skb, features), *part, *next;
	u32 len = qdisc_pkt_len(skb), bytes = 0;
	struct airtab *a = qdisc_priv(sch);
	int n = 0, dropped = 0;
	bool cn = false;

	if (IS_ERR_OR_NULL(parts)) {
		qdisc_qstats_drop(sch);
		__qdisc_drop(skb, a->dropped);
		return AT_DROPPED;
	}
	skb_list_walk_safe(parts, part, next) {
		enum at_verdict one;

		skb_mark_not_on_list(part);
		qdisc_skb_cb(part)->pkt_len = part->len;
		n++;
		bytes += part->len;
		one = enqueue_one(sch, part, flow, now);
		dropped += one == AT_DROPPED;
		cn |= one == AT_CN;
	}
	consume_skb(skb);
	if (n > 1 && sch->q.qlen) {
		qdisc_tree_reduce_backlog(sch, 1 - n, (int)(len - bytes));
		known->packets += n - 1;
		known->bytes += bytes - len;
	}
	if (dropped == n)
		return AT_DROPPED;
	return cn || dropped ? AT_CN : AT_OK;
}

/* The parents count one packet more if NET_XMIT_SUCCESS is returned, else none;
 * whatever else happened to this queue they are told here. */
static int airtab_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct airtab *a = qdisc_priv(sch);
	struct books known = books(sch);
	u32 len = qdisc_pkt_len(skb), flow = at_host_flow(&a->host, skb);
	bool was_empty = !sch->q.qlen;
	u64 now = ktime_get_ns();
	enum at_verdict verdict;
	int ret = NET_XMIT_SUCCESS;

	if (unlikely(a->gone.packets)) {
		sch->q.qlen -= a->gone.packets;
		sch->qstats.backlog -= a->gone.bytes;
		a->gone = (struct books){};
	}
	a->dropped = to_free;
	if (skb_is_gso(skb) && at_splits(a))
		verdict = enqueue_parts(sch, skb, flow, now, &known);
	else
		verdict = enqueue_one(sch, skb, flow, now);

	if (verdict == AT_DROPPED || !sch->q.qlen)
		ret = NET_XMIT_DROP;
	else if (verdict == AT_CN && !was_empty)	/* a parent has us in its schedule already */
		ret = NET_XMIT_CN;
	if (!sch->q.qlen && was_empty)			/* nor is there anything to tell */
		return ret;
	if (ret == NET_XMIT_SUCCESS) {
		known.packets++;
		known.bytes += len;
	}
	tell(sch, known);
	return ret;
}

/* ---- dequeue ---- */

/* Before the packet that goes leaves the books, so that no parent learns in the
 * midst of its own dequeue that a child ran empty: some crash. If all was dropped
 * and none goes, the books keep what is gone until something arrives: they and
 * the parents' agree, and a reset takes it from both. */
static inline void settle(struct Qdisc *sch, struct books known)
{
	struct airtab *a = qdisc_priv(sch);

	if (sch->q.qlen) {
		tell(sch, known);
	} else {
		a->gone = known;
		sch->q.qlen = known.packets;
		sch->qstats.backlog = known.bytes;
	}
}

/* One timer for all that has to be done at a time. idle: no packet went. */
static void set_timer(struct Qdisc *sch, bool idle, u64 now)
{
	struct airtab *a = qdisc_priv(sch);
	u64 at = AT_NEVER;

	if (a->core->wake) {
		at = a->wake = a->core->wake(a->q, now);
		/* it is due, and the next completion or the end on the link asks the discipline */
		if ((a->inflight || a->emulation.held) && at <= now)
			at = AT_NEVER;
	}
	if (a->emulation.held)
		at = min(at, a->emulation.until);
	if (a->inflight && idle && sch->q.qlen)
		at = min(at, at_inflight_wake(a, now));
	if (at == AT_NEVER)
		return;
	if (idle && sch->q.qlen)
		qdisc_qstats_overlimit(sch);
	qdisc_watchdog_schedule_ns(&a->watchdog, at);
}

static inline struct at_pkt *next(struct airtab *a, u64 now)
{
	if (unlikely(now >= a->links_due))
		at_links_sample(a, now);
	if (a->core->tick && now >= a->wake)
		a->core->tick(a->q, now);
	return a->core->dequeue(a->q, &a->ticket, now);
}

/* mac80211 takes the user priority of a packet from a priority of 256 to 263, else from the DSCP, which is 0 here. */
static inline void promote(struct sk_buff *skb, const struct at_ticket *t)
{
	if (t->up && skb->priority < 256)
		skb->priority = 256 + t->up;
}

/* The next one, unless too much waits in the driver. */
static struct at_pkt *next_governed(struct Qdisc *sch, u64 *now)
{
	struct airtab *a = qdisc_priv(sch);
	struct at_pkt *p;
	bool open;

	do {
		*now = at_inflight_collect(a, &open);
		p = open ? next(a, *now) : NULL;
	} while (!p && sch->q.qlen && !at_inflight_wait(a));
	return p;
}

/* A packet leaves the books. */
static inline struct sk_buff *leave(struct Qdisc *sch, struct sk_buff *skb)
{
	sch->q.qlen--;
	qdisc_qstats_backlog_dec(sch, skb);
	return skb;
}

/* The packet whose time on the emulated link is over, if it is not lost; the next one begins. */
static struct sk_buff *pass_link(struct Qdisc *sch, u64 now)
{
	struct airtab *a = qdisc_priv(sch);
	struct at_emulation *e = &a->emulation;
	struct sk_buff *skb = NULL;
	u64 from = now;
	struct at_pkt *p;
	bool lost;

	if (e->held && now < e->until)
		return NULL;
	if (e->held) {
		skb = at_emulate_end(a, now, &lost);
		from = e->free;
		promote(skb, &e->ticket);
		if (lost) {
			qdisc_qstats_drop(sch);
			__qdisc_drop(leave(sch, skb), &a->drops);
			skb = NULL;
		}
	}
	p = e->on ? next(a, now) : NULL;
	if (p)
		at_emulate_begin(a, p, from);
	return skb;
}

static inline void free_drops(struct airtab *a)
{
	if (likely(!a->drops))
		return;
	kfree_skb_list_reason(a->drops, SKB_DROP_REASON_QDISC_DROP);
	a->drops = NULL;
}

/* Where what happens to a packet behind the queue matters: a governor, an emulated link. */
static noinline struct sk_buff *dequeue_below(struct Qdisc *sch)
{
	struct airtab *a = qdisc_priv(sch);
	struct books known = books(sch);
	struct sk_buff *skb = NULL;
	struct at_pkt *p = NULL;
	u64 now;

	a->dropped = &a->drops;
	if (a->emulation.on || a->emulation.held) {
		now = ktime_get_ns();
		skb = pass_link(sch, now);
	} else if (a->inflight) {
		p = next_governed(sch, &now);
	} else {
		now = ktime_get_ns();
		p = next(a, now);
	}
	free_drops(a);
	settle(sch, known);
	if (p) {
		u16 sta = at_sta(p);
		u32 bytes = at_bytes(p);

		skb = at_host_leave(p);
		promote(skb, &a->ticket);
		if (a->inflight)
			at_inflight_left(a, skb, sta, bytes, now);
	}
	if (skb) {
		leave(sch, skb);
		qdisc_bstats_update(sch, skb);
	}
	set_timer(sch, !skb, now);
	return skb;
}

static struct sk_buff *airtab_dequeue(struct Qdisc *sch)
{
	struct airtab *a = qdisc_priv(sch);
	struct books known = books(sch);
	struct sk_buff *skb = NULL;
	struct at_pkt *p;
	u64 now;

	if (unlikely(a->below))
		return dequeue_below(sch);
	now = ktime_get_ns();
	a->dropped = &a->drops;
	p = next(a, now);
	free_drops(a);
	settle(sch, known);
	if (p) {
		skb = leave(sch, at_host_leave(p));
		qdisc_bstats_update(sch, skb);
	}
	if (a->core->wake)
		set_timer(sch, !p, now);
	return skb;
}

/* ---- life ---- */

static void *new_stations(void)
{
	return kvzalloc(at_host_bytes(), GFP_KERNEL_ACCOUNT);
}

/* What the values of a->set and what is there now ask of dequeue. */
static void set_below(struct airtab *a)
{
	at_emulate_set(a);
	a->below = a->inflight || a->emulation.on || a->emulation.held;
}

/* mac80211 has access categories; without a governor or an emulated link nothing is reported. */
static void set_categories(struct airtab *a)
{
	if (a->core->categories)
		a->core->categories(a->q, (a->inflight || a->emulation.on) && at_host_radio(qdisc_dev(a->sch)));
}

/* Numbers for stations, if there is memory for them. Packets that are queued keep none. */
static void start_stations(struct airtab *a)
{
	at_host_init(&a->host, a->stations);
	a->host.shared = a->stations;
}

static int airtab_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct airtab *a = qdisc_priv(sch);
	struct at_inflight *inflight;
	struct at_qdisc *q;
	struct at_set *set;
	u64 now;

	/* first: destroy is called also if this fails */
	qdisc_watchdog_init(&a->watchdog, sch);
	a->sch = sch;
	a->core = container_of(sch->ops, struct kind, ops)->core;
	a->wake = AT_NEVER;
	a->links_due = AT_NEVER;
	get_random_bytes(&a->host.flows, sizeof(a->host.flows));
	get_random_bytes(&a->host.names, sizeof(a->host.names));
	a->host.numbers = get_random_u64();
	a->host.sockets = get_random_u32();
	set = at_set_parse(a->core, NULL, opt, extack);
	if (IS_ERR(set))
		return PTR_ERR(set);
	a->set = set;
	at_dump_init(a);
	inflight = at_inflight_new(sch, set, extack);
	if (IS_ERR(inflight))
		return PTR_ERR(inflight);
	a->inflight = inflight;
	if (inflight || at_host_radio(qdisc_dev(sch))) {
		a->stations = new_stations();
		if (!a->stations)
			return -ENOMEM;
	}
	start_stations(a);
	a->emulation.link.random = get_random_u64();
	set_below(a);
	at_speed_look(a);
	q = at_memory(sch, set, opt, extack);
	if (IS_ERR(q))
		return PTR_ERR(q);
	a->q = q;
	q->ops = a->core;
	q->drop = drop;
	q->ack = make_ack;
	q->merge = merge;
	q->host = a;
	now = ktime_get_ns();
	a->core->init(q, set->vals, get_random_u64(), now);
	set_categories(a);
	at_links_start(a, now);
	return 0;
}

/* What a change puts in the place of what is there. */
struct change {
	struct at_set *set;
	struct at_inflight *inflight;
	void *stations;			/* NULL: there are some, or none are needed */
};

/* One step of a change; true: there is more to do. Between the steps traffic
 * goes on. */
static bool change_step(struct Qdisc *sch, const struct change *c)
{
	struct airtab *a = qdisc_priv(sch);
	struct sk_buff *dropped = NULL;
	struct books known;
	bool more;
	u64 now;

	sch_tree_lock(sch);
	known = books(sch);
	now = ktime_get_ns();
	a->dropped = &dropped;
	more = a->core->change(a->q, c->set->vals, now);
	a->set = c->set;
	if (c->stations && !a->stations) {
		a->stations = c->stations;
		start_stations(a);
		at_links_start(a, now);
	}
	at_inflight_change(a, c->inflight, now);
	set_below(a);
	set_categories(a);
	tell(sch, known);
	set_timer(sch, false, now);
	sch_tree_unlock(sch);
	free_later(dropped);
	return more;
}

static int airtab_change(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct airtab *a = qdisc_priv(sch);
	struct at_set *set = at_set_parse(a->core, a->set, opt, extack), *old = a->set;
	struct at_inflight *was = a->inflight;
	struct change c = { .set = set };

	if (IS_ERR(set))
		return PTR_ERR(set);
	c.inflight = at_inflight_again(sch, was, set, extack);
	if (IS_ERR(c.inflight)) {
		kfree(set);
		return PTR_ERR(c.inflight);
	}
	if (c.inflight && !a->stations) {
		c.stations = new_stations();
		if (!c.stations) {
			at_inflight_end(c.inflight);
			kfree(set);
			return -ENOMEM;
		}
	}
	while (change_step(sch, &c))
		cond_resched();
	if (was != c.inflight)
		at_inflight_end(was);
	kfree_rcu(old, rcu);
	return 0;
}

/* The caller takes what was queued from its books, and from ours. */
static void airtab_reset(struct Qdisc *sch)
{
	struct airtab *a = qdisc_priv(sch);
	struct sk_buff *dropped = NULL;

	if (!a->q)		/* a default qdisc whose init failed */
		return;
	qdisc_watchdog_cancel(&a->watchdog);
	a->wake = AT_NEVER;
	a->gone = (struct books){};
	a->dropped = &dropped;
	a->core->reset(a->q, ktime_get_ns());
	free_later(dropped);
	free_later(a->emulation.held);
	a->emulation.held = NULL;
}

static void airtab_destroy(struct Qdisc *sch)
{
	struct airtab *a = qdisc_priv(sch);

	qdisc_watchdog_cancel(&a->watchdog);
	at_inflight_end(a->inflight);
	kvfree(a->q);
	kvfree(a->stations);
	kfree(a->set);
}

/* ---- kinds ---- */

#define AT_DISCIPLINE(name) extern const struct at_ops at_##name##_ops;
#include "disciplines.def"
#undef AT_DISCIPLINE

static struct kind kinds[] = {
#define AT_DISCIPLINE(name) { \
	.core = &at_##name##_ops, \
	.ops = { \
		.id = AT_KIND_TEXT(name), \
		.priv_size = sizeof(struct airtab), \
		.cl_ops = &at_class_ops, \
		.enqueue = airtab_enqueue, \
		.dequeue = airtab_dequeue, \
		.peek = qdisc_peek_dequeued, \
		.init = airtab_init, \
		.reset = airtab_reset, \
		.destroy = airtab_destroy, \
		.change = airtab_change, \
		.dump = at_dump, \
		.dump_stats = at_dump_stats, \
		.owner = THIS_MODULE, \
	}, \
},
#include "disciplines.def"
#undef AT_DISCIPLINE
};

/* Whether dumps have room for its rows. */
static bool fits(const struct at_stat *table)
{
	u32 n = 0;

	while (table && table[n].name)
		n++;
	return n <= AT_COLUMNS;
}

static void unregister(u32 n)
{
	while (n--)
		unregister_qdisc(&kinds[n].ops);
}

static int __init airtab_start(void)
{
	int err = at_claims_start();

	BUILD_BUG_ON(AT_PRIV > AT_HOST_FLOW_AT || AT_HOST_FLOW_AT + sizeof(u32) > QDISC_CB_PRIV_LEN);
	if (err)
		return err;
	err = at_speed_start();
	if (err) {
		at_claims_stop();
		return err;
	}
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		err = fits(kinds[i].core->row_stats) ? register_qdisc(&kinds[i].ops) : -E2BIG;
		if (err) {
			pr_err("sch_airtab: kind %s: %d\n", kinds[i].ops.id, err);
			unregister(i);
			at_speed_stop();
			at_claims_stop();
			return err;
		}
	}
	return 0;
}

static void __exit airtab_stop(void)
{
	unregister(ARRAY_SIZE(kinds));
	at_speed_stop();
	at_claims_stop();
}

module_init(airtab_start);
module_exit(airtab_stop);

#define AT_DISCIPLINE(name) \
	MODULE_ALIAS("sch_" AT_KIND_TEXT(name)); \
	MODULE_ALIAS("net-sch-" AT_KIND_TEXT(name));
#include "disciplines.def"
#undef AT_DISCIPLINE
MODULE_DESCRIPTION("airtab: queue disciplines that keep Wi-Fi responsive");
MODULE_LICENSE("Dual MIT/GPL");
