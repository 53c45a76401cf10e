// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * A radio as a network device, and its driver's ring: what it takes from the queue above and
 * when it says that a packet is over (skb->destructor runs then).
 *
 * The access point's ring is as the cell's configuration says. A station's has room for two
 * aggregates, stops its queue, and completes at once.
 *
 * What this is not: no wireless extensions, no cfg80211, no association; a station is there as
 * long as its device is. Frames from station to station are not relayed.
 */
#include <linux/etherdevice.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <net/rtnetlink.h>

#include "airsim.h"

/* Longest IP packet: an MSDU of 2304 bytes less LLC and SNAP. */
#define MTU_MAX 2296

static u32 ring(const struct airsim_radio *radio)
{
	const struct airsim_config *config = &radio->cell->config;

	return radio->index ? 2 * config->ampdu : config->ring;
}

static bool stops(const struct airsim_radio *radio)
{
	return radio->index || radio->cell->config.stop;
}

void airsim_tell(struct airsim_radio *radio)
{
	radio->done_due = AIRSIM_NEVER;
	radio->held -= skb_queue_len(&radio->done);
	skb_queue_splice_tail_init(&radio->done, &radio->cell->over);
	if (radio->held < ring(radio) && netif_running(radio->dev))
		netif_wake_queue(radio->dev);
}

void airsim_done(struct airsim_radio *radio, struct sk_buff *skb, u64 now)
{
	const struct airsim_config *config = &radio->cell->config;

#if IS_ENABLED(CONFIG_WIRELESS)
	if (skb->destructor) {		/* as mac80211 does */
		skb->wifi_acked_valid = 1;
		skb->wifi_acked = airsim_part(skb)->received;
	}
#endif
	__skb_queue_tail(&radio->done, skb);
	if (radio->index || !config->done_ns ||
	    (config->done_frames && skb_queue_len(&radio->done) >= config->done_frames))
		airsim_tell(radio);
	else if (radio->done_due == AIRSIM_NEVER)
		radio->done_due = now + config->done_ns;
}

/* The way of a packet; NULL: nobody has that address. */
static struct airsim_way *way_of(struct airsim_radio *radio, const struct sk_buff *skb)
{
	const u8 *to = eth_hdr(skb)->h_dest;

	if (radio->index || is_multicast_ether_addr(to))
		return &radio->own;
	for (u32 i = 1; i < radio->cell->end; i++) {
		struct airsim_radio *other = radio->cell->radios[i];

		if (other && ether_addr_equal(other->dev->dev_addr, to))
			return &other->down;
	}
	return NULL;
}

static netdev_tx_t xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct airsim_radio *radio = airsim_radio(dev);
	struct airsim_cell *cell = radio->cell;
	struct airsim_way *way;

	skb_reset_mac_header(skb);
	if (!pskb_may_pull(skb, ETH_HLEN))
		goto drop_unlocked;
	spin_lock(&cell->lock);
	way = way_of(radio, skb);
	if (!way || radio->held >= ring(radio))
		goto drop;
	if (!radio->index && cell->config.orphan)
		skb_orphan(skb);
	skb_tx_timestamp(skb);
	*airsim_part(skb) = (struct airsim_part){ .place = radio->arrivals++ };
	__skb_queue_tail(&way->waiting, skb);
	if (++radio->held >= ring(radio) && stops(radio))
		netif_stop_queue(dev);
	airsim_wants(radio, ktime_get_ns());
	airsim_arm(cell);
	spin_unlock(&cell->lock);
	return NETDEV_TX_OK;

drop:
	radio->dropped++;
	spin_unlock(&cell->lock);
drop_unlocked:
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

/* Everything that a radio was given and nobody was told of. */
static void purge(struct airsim_radio *radio)
{
	struct airsim_cell *cell = radio->cell;

	airsim_purge_way(cell, &radio->own);
	for (u32 i = 1; i < cell->end && !radio->index; i++)
		if (cell->radios[i])
			airsim_purge_way(cell, &cell->radios[i]->down);
	airsim_tell(radio);
	airsim_medium_leave(radio);
}

/* Frees what is over since the lock was taken, and gives the lock back. */
static void unlock_and_free(struct airsim_cell *cell)
{
	struct sk_buff_head over;

	__skb_queue_head_init(&over);
	skb_queue_splice_init(&cell->over, &over);
	airsim_arm(cell);
	spin_unlock_bh(&cell->lock);
	airsim_free(&over);
}

static int open_radio(struct net_device *dev)
{
	netif_start_queue(dev);
	netif_carrier_on(dev);
	return 0;
}

static int stop_radio(struct net_device *dev)
{
	struct airsim_radio *radio = airsim_radio(dev);

	netif_stop_queue(dev);
	netif_carrier_off(dev);
	spin_lock_bh(&radio->cell->lock);
	purge(radio);
	unlock_and_free(radio->cell);
	return 0;
}

static void release(struct net_device *dev)
{
	airsim_cell_put(airsim_radio(dev)->cell);
}

static int enter(struct net_device *dev)
{
	struct airsim_radio *radio = airsim_radio(dev);
	struct airsim_cell *cell = radio->cell;

	kref_get(&cell->ref);
	dev->priv_destructor = release;
	netif_carrier_off(dev);
	spin_lock_bh(&cell->lock);
	cell->radios[radio->index] = radio;
	cell->end = max_t(u32, cell->end, radio->index + 1);
	airsim_medium_enter(radio);
	spin_unlock_bh(&cell->lock);
	return 0;
}

/* Of what a device's statistics have. */
static void add(struct airsim_count *sum, const struct airsim_count *count)
{
	sum->frames += count->frames;
	sum->bytes += count->bytes;
	sum->failed += count->failed;
}

static void leave(struct net_device *dev)
{
	struct airsim_radio *radio = airsim_radio(dev);
	struct airsim_cell *cell = radio->cell;
	struct airsim_radio *access_point;

	spin_lock_bh(&cell->lock);
	access_point = cell->radios[0];
	purge(radio);
	airsim_purge_way(cell, &radio->down);
	cell->radios[radio->index] = NULL;
	while (cell->end && !cell->radios[cell->end - 1])
		cell->end--;
	if (radio->index && access_point) {
		add(&access_point->gone, &radio->down.count);
		airsim_tell(access_point);	/* there is room again */
	}
	unlock_and_free(cell);
}

static void stats(struct net_device *dev, struct rtnl_link_stats64 *s)
{
	struct airsim_radio *radio = airsim_radio(dev);
	struct airsim_cell *cell = radio->cell;
	struct airsim_count sent;

	spin_lock_bh(&cell->lock);
	sent = radio->gone;
	add(&sent, &radio->own.count);
	for (u32 i = 1; i < cell->end && !radio->index; i++)
		if (cell->radios[i])
			add(&sent, &cell->radios[i]->down.count);
	s->rx_packets = radio->received;
	s->rx_bytes = radio->received_bytes;
	s->tx_packets = sent.frames;
	s->tx_bytes = sent.bytes + sent.frames * ETH_HLEN;
	s->tx_errors = sent.failed;
	s->tx_dropped = radio->dropped;
	spin_unlock_bh(&cell->lock);
}

static const struct net_device_ops ops = {
	.ndo_init = enter,
	.ndo_uninit = leave,
	.ndo_open = open_radio,
	.ndo_stop = stop_radio,
	.ndo_start_xmit = xmit,
	.ndo_get_stats64 = stats,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

/* Of an access point: its stations go, too. */
static void remove(struct net_device *dev, struct list_head *head)
{
	struct airsim_radio *radio = airsim_radio(dev);

	for (u32 i = 1; i < radio->cell->end && !radio->index; i++)
		if (radio->cell->radios[i])
			unregister_netdevice_queue(radio->cell->radios[i]->dev, head);
	unregister_netdevice_queue(dev, head);
}

struct rtnl_link_ops airsim_link_ops __read_mostly = {
	.kind = "airsim",
	.dellink = remove,
};

static void setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &ops;
	dev->needs_free_netdev = true;
	dev->max_mtu = MTU_MAX;
	eth_hw_addr_random(dev);
}

struct net_device *airsim_device_new(struct net *net, struct airsim_cell *cell, u16 index,
				     const char *name, const struct airsim_radio *like,
				     struct netlink_ext_ack *extack)
{
	struct net_device *dev = alloc_netdev(sizeof(struct airsim_radio), name, NET_NAME_USER, setup);
	struct airsim_radio *radio;
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	dev_net_set(dev, net);
	dev->rtnl_link_ops = &airsim_link_ops;
	radio = airsim_radio(dev);
	*radio = (struct airsim_radio){
		.dev = dev, .cell = cell, .index = index, .done_due = AIRSIM_NEVER,
		.rate = like->rate, .fer = like->fer, .fer_ppm = like->fer_ppm, .asleep = like->asleep,
	};
	__skb_queue_head_init(&radio->done);
	__skb_queue_head_init(&radio->exchange.parts);
	airsim_way_init(&radio->own, index, AIRSIM_GROUP);
	airsim_way_init(&radio->down, 0, index);
	err = register_netdevice(dev);
	if (err) {
		if (err == -EEXIST)
			NL_SET_ERR_MSG(extack, "there is a device of that name already");
		if (err == -EINVAL)
			NL_SET_ERR_MSG(extack, "that is no name of a device: 1 to 15 characters without / : and blanks");
		free_netdev(dev);
		return ERR_PTR(err);
	}
	return dev;
}

void airsim_configure(struct airsim_radio *access_point, const struct airsim_config *config)
{
	struct airsim_cell *cell = access_point->cell;

	spin_lock_bh(&cell->lock);
	cell->config = *config;
	for (u32 i = 0; i < cell->end; i++)
		if (cell->radios[i])
			airsim_tell(cell->radios[i]);	/* nobody waits by rules that are gone */
	unlock_and_free(cell);
}

void airsim_station_set(struct airsim_radio *station, const struct airsim_radio *like)
{
	struct airsim_cell *cell = station->cell;

	spin_lock_bh(&cell->lock);
	station->rate = like->rate;
	station->fer = like->fer;
	station->fer_ppm = like->fer_ppm;
	station->asleep = like->asleep;
	if (cell->radios[0])
		airsim_wants(cell->radios[0], ktime_get_ns());
	unlock_and_free(cell);
}

bool airsim_is_access_point(const struct net_device *dev)
{
	return dev->netdev_ops == &ops && !airsim_radio(dev)->index;
}

struct net_device *airsim_device_find(struct net *net, const char *name)
{
	struct net_device *dev = __dev_get_by_name(net, name);

	return dev && airsim_is_access_point(dev) ? dev : NULL;
}
