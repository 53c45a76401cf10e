// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * A cell: its clock, its lock, its life. Whatever happens on the medium or is due in a ring
 * happens in one timer, in softirq; packets go up and are freed after the lock is free, since
 * both may lead back here.
 *
 * A cell lives as long as one of its devices does.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <net/genetlink.h>
#include <net/rtnetlink.h>

#include "airsim.h"

/* Events in one go, if the timer is that late. */
#define AT_ONCE 64

static u64 next_event(const struct airsim_cell *cell)
{
	u64 next = airsim_medium_next(cell);

	for (u32 i = 0; i < cell->end; i++)
		if (cell->radios[i])
			next = min(next, cell->radios[i]->done_due);
	return next;
}

static void step(struct airsim_cell *cell, u64 now)
{
	for (u32 i = 0; i < cell->end; i++) {
		struct airsim_radio *radio = cell->radios[i];

		if (radio && radio->done_due <= now)
			airsim_tell(radio);
	}
	if (airsim_medium_next(cell) <= now)
		airsim_medium_step(cell, now);
}

void airsim_arm(struct airsim_cell *cell)
{
	u64 next = next_event(cell);

	if (next == cell->armed)
		return;
	cell->armed = next;
	if (next == AIRSIM_NEVER)
		hrtimer_try_to_cancel(&cell->timer);
	else
		hrtimer_start(&cell->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_SOFT);
}

void airsim_free(struct sk_buff_head *over)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(over)))
		consume_skb(skb);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct airsim_cell *cell = container_of(timer, struct airsim_cell, timer);
	struct sk_buff_head up, over;
	struct sk_buff *skb;
	u64 now;

	__skb_queue_head_init(&up);
	__skb_queue_head_init(&over);
	/* devices that packets go up at do not vanish meanwhile */
	rcu_read_lock();
	spin_lock(&cell->lock);
	now = ktime_get_ns();
	cell->armed = AIRSIM_NEVER;
	for (u32 n = 0; n < AT_ONCE; n++) {
		u64 next = next_event(cell);

		if (next > now)
			break;
		step(cell, next);
	}
	airsim_arm(cell);
	skb_queue_splice_init(&cell->up, &up);
	skb_queue_splice_init(&cell->over, &over);
	spin_unlock(&cell->lock);
	while ((skb = __skb_dequeue(&up)))
		dev_forward_skb(*(struct net_device **)skb->cb, skb);
	rcu_read_unlock();
	airsim_free(&over);
	return HRTIMER_NORESTART;
}

struct airsim_cell *airsim_cell_new(const struct airsim_config *config, u64 seed)
{
	struct airsim_cell *cell = kzalloc(sizeof(*cell), GFP_KERNEL_ACCOUNT);

	if (!cell)
		return NULL;
	kref_init(&cell->ref);
	spin_lock_init(&cell->lock);
	cell->config = *config;
	cell->random = seed;
	cell->armed = AIRSIM_NEVER;
	__skb_queue_head_init(&cell->up);
	__skb_queue_head_init(&cell->over);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&cell->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
#else
	hrtimer_init(&cell->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	cell->timer.function = tick;
#endif
	airsim_medium_init(cell, ktime_get_ns());
	return cell;
}

static void cell_free(struct kref *ref)
{
	struct airsim_cell *cell = container_of(ref, struct airsim_cell, ref);

	hrtimer_cancel(&cell->timer);
	airsim_free(&cell->up);
	airsim_free(&cell->over);
	kfree(cell);
}

void airsim_cell_put(struct airsim_cell *cell)
{
	kref_put(&cell->ref, cell_free);
}

static int __init airsim_begin_module(void)
{
	int err = rtnl_link_register(&airsim_link_ops);

	if (err)
		return err;
	err = genl_register_family(&airsim_family);
	if (err)
		rtnl_link_unregister(&airsim_link_ops);
	return err;
}

static void __exit airsim_end_module(void)
{
	genl_unregister_family(&airsim_family);
	rtnl_link_unregister(&airsim_link_ops);
}

module_init(airsim_begin_module);
module_exit(airsim_end_module);
MODULE_DESCRIPTION("A Wi-Fi cell of network devices: one access point, its stations, one medium");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_ALIAS_GENL_FAMILY("airsim");
MODULE_ALIAS_RTNL_LINK("airsim");
