// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * airtab_slow: a device that takes its time and says so, as real ones do:
 *
 *   modprobe airtab_slow kbps=10000 queues=4 ring=8
 *
 * makes slow0. Each transmit queue has its own rate and a ring of frames; a full
 * ring stops the queue until one is through. Frames are counted (tx_packets),
 * then thrown away. With radio=1 it says that it is a device with stations. So a qdisc at its root, or under mq, holds a real backlog.
 *
 * What this is not: no receiver, no byte queue limits.
 */
#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/version.h>
#include <net/cfg80211.h>

static uint kbps = 10000, queues = 1, ring = 8;
module_param(kbps, uint, 0444);
MODULE_PARM_DESC(kbps, "rate of each queue, kb/s");
module_param(queues, uint, 0444);
MODULE_PARM_DESC(queues, "transmit queues");
module_param(ring, uint, 0444);
MODULE_PARM_DESC(ring, "frames that each queue's ring holds");

static bool radio;
module_param(radio, bool, 0444);
MODULE_PARM_DESC(radio, "a wireless device");

struct lane {
	struct hrtimer timer;
	struct net_device *device;
	struct sk_buff_head frames;
	u32 number;
};

struct slow {
	struct lane *lanes;
};

static struct net_device *device;
static struct wireless_dev any;		/* nobody looks into it: cfg80211 is not there */

static ktime_t airtime(const struct sk_buff *skb)
{
	return ns_to_ktime(div_u64((u64)skb->len * 8 * 1000000, kbps));
}

/* The first frame of the ring is through. */
static enum hrtimer_restart through(struct hrtimer *timer)
{
	struct lane *lane = container_of(timer, struct lane, timer);
	struct netdev_queue *queue = netdev_get_tx_queue(lane->device, lane->number);
	struct sk_buff *skb, *next;
	unsigned long flags;

	spin_lock_irqsave(&lane->frames.lock, flags);	/* an empty ring's timer is transmit()'s */
	skb = __skb_dequeue(&lane->frames);
	next = skb_peek(&lane->frames);
	if (next)
		hrtimer_forward_now(timer, airtime(next));
	spin_unlock_irqrestore(&lane->frames.lock, flags);
	if (skb) {
		dev_lstats_add(lane->device, skb->len);
		dev_consume_skb_any(skb);
	}
	if (netif_tx_queue_stopped(queue))
		netif_tx_wake_queue(queue);
	return next ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *dev)
{
	struct slow *slow = netdev_priv(dev);
	struct lane *lane = &slow->lanes[skb_get_queue_mapping(skb)];
	unsigned long flags;
	bool idle;

	skb_tx_timestamp(skb);
	spin_lock_irqsave(&lane->frames.lock, flags);
	idle = skb_queue_empty(&lane->frames);
	__skb_queue_tail(&lane->frames, skb);
	if (skb_queue_len(&lane->frames) >= ring)
		netif_stop_subqueue(dev, lane->number);
	if (idle)
		hrtimer_start(&lane->timer, airtime(skb), HRTIMER_MODE_REL_SOFT);
	spin_unlock_irqrestore(&lane->frames.lock, flags);
	return NETDEV_TX_OK;
}

static int open_device(struct net_device *dev)
{
	netif_tx_start_all_queues(dev);
	return 0;
}

static int stop_device(struct net_device *dev)
{
	struct slow *slow = netdev_priv(dev);

	netif_tx_stop_all_queues(dev);
	for (u32 i = 0; i < dev->num_tx_queues; i++) {
		hrtimer_cancel(&slow->lanes[i].timer);
		skb_queue_purge(&slow->lanes[i].frames);
	}
	return 0;
}

static int init_device(struct net_device *dev)
{
	struct slow *slow = netdev_priv(dev);

	dev->lstats = netdev_alloc_pcpu_stats(struct pcpu_lstats);
	slow->lanes = kcalloc(dev->num_tx_queues, sizeof(*slow->lanes), GFP_KERNEL);
	if (!dev->lstats || !slow->lanes) {
		free_percpu(dev->lstats);
		kfree(slow->lanes);
		return -ENOMEM;
	}
	for (u32 i = 0; i < dev->num_tx_queues; i++) {
		struct lane *lane = &slow->lanes[i];

		lane->device = dev;
		lane->number = i;
		skb_queue_head_init(&lane->frames);
		hrtimer_init(&lane->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
		lane->timer.function = through;
	}
	return 0;
}

static void uninit_device(struct net_device *dev)
{
	struct slow *slow = netdev_priv(dev);

	free_percpu(dev->lstats);
	kfree(slow->lanes);
}

static void read_stats(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	dev_lstats_read(dev, &stats->tx_packets, &stats->tx_bytes);
}

static const struct net_device_ops operations = {
	.ndo_init = init_device,
	.ndo_uninit = uninit_device,
	.ndo_open = open_device,
	.ndo_stop = stop_device,
	.ndo_start_xmit = transmit,
	.ndo_get_stats64 = read_stats,
};

static int __init slow_init(void)
{
	int err;

	if (!kbps || !queues || !ring)
		return -EINVAL;
	device = alloc_netdev_mqs(sizeof(struct slow), "slow%d", NET_NAME_ENUM, ether_setup, queues, 1);
	if (!device)
		return -ENOMEM;
	device->netdev_ops = &operations;
	device->features |= NETIF_F_SG | NETIF_F_HW_CSUM;
	device->flags |= IFF_NOARP;
	eth_hw_addr_random(device);
	if (radio)
		device->ieee80211_ptr = &any;
	err = register_netdev(device);
	if (err)
		free_netdev(device);
	return err;
}

static void __exit slow_exit(void)
{
	unregister_netdev(device);
	free_netdev(device);
}

module_init(slow_init);
module_exit(slow_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("airtab: a slow device for tests");
