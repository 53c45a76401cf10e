// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The memory of an instance: its tables, whose size the parameters say, in one
 * piece, for as long as it lives.
 *
 * Whoever is root of the machine may take what there is. The root of a user
 * namespace is an ordinary user of the machine: one message of his may cost 8 MB,
 * of which the tables may have what the kernel does not need beside them (the
 * qdisc, page tables). A message that makes a qdisc for each transmit queue of a
 * device (mq) makes them all within that.
 *
 * What this is not: no account of a user's messages together. The memory control
 * group of whoever sends them is charged.
 */
#include <linux/math64.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/vmalloc.h>

#include "inflight.h"
#include "text.h"

#define ORDINARY_MOST 7500000u	/* bytes */

static u64 size_of(const struct at_ops *core, const struct at_set *set)
{
	return sizeof(struct at_qdisc) + core->state_size(set->vals);
}

/* What the tables may take, beside those of a radio's stations and of a governor. */
static u64 most(struct Qdisc *sch, bool asked)
{
	const struct airtab *a = qdisc_priv(sch);
	const struct net_device *dev = qdisc_dev(sch);
	u64 beside = (a->stations ? at_host_bytes() : 0) + (a->inflight ? at_inflight_bytes() : 0), all;

	if (dev_net(dev)->user_ns == &init_user_ns)
		return INT_MAX;
	all = ORDINARY_MOST / (asked ? 1 : max(dev->real_num_tx_queues, 1u));
	return all > beside ? all - beside : 0;
}

/* The largest value of a parameter, not above its present one, with which the
 * tables take at most `room`; 0: none. The set stays as it is. */
static u64 largest(const struct at_ops *core, struct at_set *set, u32 i, u64 room)
{
	u64 *v = (u64 *)set->vals[i].v, given = *v, lo = core->params[i].min, hi = given;

	*v = lo;
	if (size_of(core, set) > room)
		lo = hi = 0;
	while (lo < hi) {
		u64 middle = hi - ((hi - lo) >> 1);

		*v = middle;
		if (size_of(core, set) > room)
			hi = middle - 1;
		else
			lo = middle;
	}
	*v = given;
	return lo;
}

/* Names the parameter that alone can make the tables fit, if there is one. */
static void refuse(const struct at_ops *core, struct at_set *set, u64 room,
		   struct netlink_ext_ack *extack)
{
	char text[AT_TEXT], value[AT_TEXT], fits[AT_TEXT];

	snprintf(text, sizeof(text), "tables of %u kB: at most %u outside the first user namespace",
		 (u32)div_u64(size_of(core, set), 1000), (u32)div_u64(room, 1000));
	for (u32 i = 0; i < set->n; i++) {
		const struct at_param *p = &core->params[i];
		u64 good;

		if (!(p->flags & AT_P_INIT) || p->unit == AT_BOOL || p->unit == AT_CHOICE)
			continue;
		good = largest(core, set, i, room);
		if (!good)
			continue;
		snprintf(text, sizeof(text), "%.14s: %.12s: at most %.8s outside the first user namespace",
			 p->name, at_text_value(value, p->unit, NULL, *set->vals[i].v),
			 at_text_value(fits, p->unit, NULL, good));
		break;
	}
	at_refuse(extack, NULL, text);
}

/* One try for contiguous pages, which are faster; then any. Fails rather than
 * call the OOM killer. */
static void *allocate(u64 size)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;
	void *memory = NULL;

	if (size <= KMALLOC_MAX_SIZE)
		memory = kmalloc(size, gfp | __GFP_NORETRY);
	return memory ?: __vmalloc(size, gfp | __GFP_RETRY_MAYFAIL);
}

struct at_qdisc *at_memory(struct Qdisc *sch, struct at_set *set, bool asked,
			   struct netlink_ext_ack *extack)
{
	const struct at_ops *core = ((struct airtab *)qdisc_priv(sch))->core;
	u64 size = size_of(core, set), room = most(sch, asked);
	struct at_qdisc *q;
	char text[AT_TEXT];

	if (room < INT_MAX && size > room) {
		refuse(core, set, room, extack);
		return ERR_PTR(-EPERM);
	}
	q = size <= INT_MAX ? allocate(size) : NULL;
	if (q)
		return q;
	snprintf(text, sizeof(text), "no memory for tables of %llu MB: choose smaller ones",
		 div_u64(size + 999999, 1000000));
	at_refuse(extack, NULL, text);
	return ERR_PTR(-ENOMEM);
}
