// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * airtab_bench: what a packet costs in the qdisc at the root of a device.
 *
 *   echo "DEV FLOWS BACKLOG ROUNDS KNOWN" >/sys/kernel/debug/airtab_bench
 *   cat /sys/kernel/debug/airtab_bench	        ns of the guest and ns with nothing in between
 *
 * BACKLOG packets of FLOWS flows (UDP, 100 bytes of IP, IPv4) are queued. Then,
 * ROUNDS times with interrupts off: one packet is taken by ops->dequeue and the
 * same one queued again by ops->enqueue. The time of that loop is the first
 * number. The second is the same loop over a plain list instead of the qdisc.
 * Under QEMU's icount the clock counts instructions: nanoseconds are
 * instructions times 2^shift, whatever the host does, and the difference of the
 * two, divided by ROUNDS and 2^shift, is what the qdisc executes for a packet.
 *
 *   echo "DEV FLOWS BACKLOG" >/sys/kernel/debug/airtab_fill
 *
 * lets a packet each of FLOWS flows through the qdisc, and then leaves packets of
 * the first BACKLOG of them queued.
 *
 * KNOWN 1: skb->hash is there, as for packets of a local socket. 0: it is
 * cleared before each enqueue, as for packets that are forwarded.
 *
 * What this is not: no locks, no driver, no cache misses, and nothing that
 * happens beside enqueue and dequeue (reports, timers).
 */
#include <linux/debugfs.h>
#include <linux/etherdevice.h>
#include <linux/fs.h>
#include <linux/ip.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/sch_generic.h>

#define BYTES 100u		/* of IP */
#define ROUNDS_MOST 10000000u

static struct dentry *file, *fill_file;
static DEFINE_MUTEX(lock);
static u64 with, without;	/* ns */
static u32 dropped;

static struct sk_buff *packet(struct net_device *dev, u32 flow)
{
	struct sk_buff *skb = alloc_skb(ETH_HLEN + BYTES, GFP_KERNEL);
	struct ethhdr *eth;
	struct iphdr *ip;
	struct udphdr *udp;

	if (!skb)
		return NULL;
	eth = skb_put_zero(skb, sizeof(*eth));
	eth_broadcast_addr(eth->h_dest);
	eth->h_dest[0] = 2;
	eth->h_proto = htons(ETH_P_IP);
	skb_set_network_header(skb, ETH_HLEN);
	ip = skb_put_zero(skb, sizeof(*ip));
	*ip = (struct iphdr){ .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP,
			      .tot_len = htons(BYTES), .saddr = htonl(0x0a000001),
			      .daddr = htonl(0x0a000002 + flow / 1000) };
	ip_send_check(ip);
	skb_set_transport_header(skb, ETH_HLEN + sizeof(*ip));
	udp = skb_put_zero(skb, BYTES - sizeof(*ip));
	udp->source = htons(1024 + flow % 1000);
	udp->dest = htons(9);
	skb->protocol = htons(ETH_P_IP);
	skb->dev = dev;
	return skb;
}

/* As a packet that comes to the qdisc. */
static void prepare(struct sk_buff *skb, bool known)
{
	if (!known)
		skb_clear_hash(skb);
	qdisc_skb_cb(skb)->pkt_len = skb->len;
}

static void put(struct Qdisc *q, struct sk_buff *skb, bool known)
{
	struct sk_buff *to_free = NULL;

	prepare(skb, known);
	q->enqueue(skb, q, &to_free);
	if (unlikely(to_free)) {
		kfree_skb_list(to_free);
		dropped++;
	}
}

static u64 loop_qdisc(struct Qdisc *q, u32 rounds, bool known)
{
	u64 from = ktime_get_ns();

	while (rounds--) {
		struct sk_buff *skb = q->dequeue(q);

		if (!skb)
			return 0;
		put(q, skb, known);
	}
	return ktime_get_ns() - from;
}

static u64 loop_list(struct sk_buff_head *list, u32 rounds, bool known)
{
	u64 from = ktime_get_ns();

	while (rounds--) {
		struct sk_buff *skb = __skb_dequeue(list);

		prepare(skb, known);
		__skb_queue_tail(list, skb);
	}
	return ktime_get_ns() - from;
}

static int measure(struct net_device *dev, u32 flows, u32 backlog, u32 rounds, bool known)
{
	struct Qdisc *q = rtnl_dereference(netdev_get_tx_queue(dev, 0)->qdisc);
	struct sk_buff_head list;
	struct sk_buff *skb;
	unsigned long flags;
	int err = 0;

	__skb_queue_head_init(&list);
	for (u32 i = 0; i < backlog; i++) {
		skb = packet(dev, i % flows);
		if (!skb) {
			__skb_queue_purge(&list);
			return -ENOMEM;
		}
		skb_get_hash(skb);
		__skb_queue_tail(&list, skb);
	}
	dropped = 0;
	spin_lock_bh(qdisc_lock(q));
	local_irq_save(flags);
	without = loop_list(&list, rounds, known);
	while ((skb = __skb_dequeue(&list)))
		put(q, skb, known);
	/* once before it counts: flows become known */
	if (!loop_qdisc(q, 2 * backlog, known) || !(with = loop_qdisc(q, rounds, known)))
		err = -ENODATA;
	if (dropped || q->q.qlen != backlog) {
		pr_info("airtab_bench: %u dropped, %u of %u still queued\n", dropped, q->q.qlen, backlog);
		err = -ENOSPC;
	}
	local_irq_restore(flags);
	qdisc_reset(q);
	spin_unlock_bh(qdisc_lock(q));
	return err;
}

/* ---- fill ---- */

static int fill(struct net_device *dev, u32 flows, u32 backlog)
{
	struct Qdisc *q = rtnl_dereference(netdev_get_tx_queue(dev, 0)->qdisc);

	dropped = 0;
	for (u32 i = 0; i < flows + backlog; i++) {
		struct sk_buff *skb = packet(dev, i < flows ? i : i - flows);

		if (!skb)
			return -ENOMEM;
		spin_lock_bh(qdisc_lock(q));
		put(q, skb, false);
		skb = i < flows ? q->dequeue(q) : NULL;
		spin_unlock_bh(qdisc_lock(q));
		kfree_skb(skb);
		cond_resched();
	}
	return dropped ? -ENOSPC : 0;
}

static ssize_t write_fill(struct file *f, const char __user *from, size_t n, loff_t *at)
{
	char name[IFNAMSIZ], text[64];
	struct net_device *dev;
	u32 flows, backlog;
	int err;

	if (n >= sizeof(text) || copy_from_user(text, from, n))
		return -EINVAL;
	text[n] = 0;
	if (sscanf(text, "%15s %u %u", name, &flows, &backlog) != 3 || backlog > flows)
		return -EINVAL;
	rtnl_lock();
	dev = __dev_get_by_name(&init_net, name);
	err = dev ? fill(dev, flows, backlog) : -ENODEV;
	rtnl_unlock();
	return err ?: n;
}

/* ---- bench ---- */

static ssize_t write_request(struct file *f, const char __user *from, size_t n, loff_t *at)
{
	u32 flows, backlog, rounds, known;
	struct net_device *dev;
	char name[IFNAMSIZ], text[64];
	int err;

	if (n >= sizeof(text) || copy_from_user(text, from, n))
		return -EINVAL;
	text[n] = 0;
	if (sscanf(text, "%15s %u %u %u %u", name, &flows, &backlog, &rounds, &known) != 5 ||
	    !flows || !backlog || !rounds || rounds > ROUNDS_MOST)
		return -EINVAL;
	mutex_lock(&lock);
	rtnl_lock();
	dev = __dev_get_by_name(&init_net, name);
	err = dev ? measure(dev, flows, backlog, rounds, known) : -ENODEV;
	rtnl_unlock();
	mutex_unlock(&lock);
	return err ?: n;
}

static ssize_t read_result(struct file *f, char __user *to, size_t n, loff_t *at)
{
	char text[64];
	int len;

	mutex_lock(&lock);
	len = scnprintf(text, sizeof(text), "%llu %llu\n", with, without);
	mutex_unlock(&lock);
	return simple_read_from_buffer(to, n, at, text, len);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.write = write_request,
	.read = read_result,
};

static const struct file_operations fill_operations = {
	.owner = THIS_MODULE,
	.write = write_fill,
};

static int __init bench_init(void)
{
	fill_file = debugfs_create_file("airtab_fill", 0600, NULL, NULL, &fill_operations);
	file = debugfs_create_file("airtab_bench", 0600, NULL, NULL, &operations);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit bench_exit(void)
{
	debugfs_remove(file);
	debugfs_remove(fill_file);
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("airtab: instructions of a qdisc per packet");
