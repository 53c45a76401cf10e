// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * How fast the line of a device is, as its driver says (what `ethtool DEV` shows): when
 * a qdisc is made, and whenever a device comes up or has a carrier again. A driver that
 * says nothing, and a device without a line of its own (wireless, tunnels, PPP), is not
 * fast. RTNL protects all of it; packets read one bit.
 *
 * What this is not: no measurement, and nothing about what is above or below the device.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "airtab.h"

static bool fast(struct net_device *dev)
{
	struct ethtool_link_ksettings line;

	return !__ethtool_get_link_ksettings(dev, &line) &&
	       line.base.speed != (u32)SPEED_UNKNOWN && line.base.speed >= SPEED_1000;
}

void at_speed_look(struct airtab *a)
{
	WRITE_ONCE(a->fast, fast(qdisc_dev(a->sch)));
}

/* Of the device's queues: where a qdisc has a parent it does not matter. */
static int changed(struct notifier_block *nb, unsigned long event, void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);

	if (event != NETDEV_UP && event != NETDEV_CHANGE)
		return NOTIFY_DONE;
	for (u32 i = 0; i < dev->num_tx_queues; i++) {
		struct Qdisc *sch = rtnl_dereference(netdev_get_tx_queue(dev, i)->qdisc_sleeping);

		if (sch->ops->owner == THIS_MODULE)
			at_speed_look(qdisc_priv(sch));
	}
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = changed };

int at_speed_start(void)
{
	return register_netdevice_notifier(&notifier);
}

void at_speed_stop(void)
{
	unregister_netdevice_notifier(&notifier);
}
