// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * airtab_bench: what a packet costs in the qdisc at the root of a device.
 *
 *   echo "DEV FLOWS BACKLOG ROUNDS LOCAL BELOW" >/sys/kernel/debug/airtab_bench
 *   cat /sys/kernel/debug/airtab_bench	        ns of the guest and ns with nothing in between
 *
 * BACKLOG packets of FLOWS flows (100 bytes of IP, IPv4) are queued. Then,
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
 * LOCAL 1: TCP, each flow with a socket of its own, whose hash is there; as for packets
 * that come from here. 0: UDP without a socket; the hash is cleared before each enqueue,
 * as for packets that are forwarded.
 *
 * BELOW: packets that a driver has. What is dequeued goes there, and the one that has been there
 * for longest is completed (its destructor is run) and queued again; 0: at once.
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
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/sch_generic.h>
#include <net/sock.h>

#define BYTES 100u		/* of IP */
#define ROUNDS_MOST 10000000u
#define FLOWS_MOST 100000u
#define BELOW_MOST 64u

static struct dentry *file, *fill_file;
static DEFINE_MUTEX(lock);
static u64 with, without;	/* ns */
static u32 dropped;

/* sk: of the socket that sends it; NULL: it is forwarded. */
static struct sk_buff *packet(struct net_device *dev, u32 flow, struct sock *sk)
{
	struct sk_buff *skb = alloc_skb(ETH_HLEN + BYTES, GFP_KERNEL);
	struct ethhdr *eth;
	struct iphdr *ip;
	__be16 *port;

	if (!skb)
		return NULL;
	eth = skb_put_zero(skb, sizeof(*eth));
	eth_broadcast_addr(eth->h_dest);
	eth->h_dest[0] = 2;
	eth->h_proto = htons(ETH_P_IP);
	skb_set_network_header(skb, ETH_HLEN);
	ip = skb_put_zero(skb, sizeof(*ip));
	*ip = (struct iphdr){ .version = 4, .ihl = 5, .ttl = 64, .protocol = sk ? IPPROTO_TCP : IPPROTO_UDP,
			      .tot_len = htons(BYTES), .saddr = htonl(0x0a000001),
			      .daddr = htonl(0x0a000002 + flow / 1000) };
	ip_send_check(ip);
	skb_set_transport_header(skb, ETH_HLEN + sizeof(*ip));
	port = skb_put_zero(skb, BYTES - sizeof(*ip));
	port[0] = htons(1024 + flow % 1000);
	port[1] = htons(9);
	if (sk) {
		tcp_hdr(skb)->doff = 5;
		skb_set_owner_w(skb, sk);
	}
	skb->protocol = htons(ETH_P_IP);
	skb->dev = dev;
	return skb;
}

/* As a packet that comes to the qdisc. */
static void prepare(struct sk_buff *skb, bool local)
{
	if (!local)
		skb_clear_hash(skb);
	qdisc_skb_cb(skb)->pkt_len = skb->len;
}

static void put(struct Qdisc *q, struct sk_buff *skb, bool local)
{
	struct sk_buff *to_free = NULL;

	prepare(skb, local);
	q->enqueue(skb, q, &to_free);
	if (unlikely(to_free)) {
		kfree_skb_list(to_free);
		dropped++;
	}
}

/* What the driver has: a ring. */
static struct sk_buff *driver[BELOW_MOST];
static u32 below, turn;

/* The packet that the driver completes as it gets this one; NULL: none. */
static struct sk_buff *pass_driver(struct sk_buff *skb)
{
	if (!below)
		return skb;
	swap(skb, driver[turn]);
	turn = turn + 1 < below ? turn + 1 : 0;
	if (skb)
		skb_orphan(skb);
	return skb;
}

static void empty_driver(void)
{
	for (u32 i = 0; i < BELOW_MOST; i++) {
		kfree_skb(driver[i]);
		driver[i] = NULL;
	}
	turn = 0;
}

static u64 loop_qdisc(struct Qdisc *q, u32 rounds, bool local)
{
	u64 from = ktime_get_ns();

	while (rounds--) {
		struct sk_buff *skb = q->dequeue(q);

		if (!skb)
			return 0;
		skb = pass_driver(skb);
		if (skb)
			put(q, skb, local);
	}
	return ktime_get_ns() - from;
}

static u64 loop_list(struct sk_buff_head *list, u32 rounds, bool local)
{
	u64 from = ktime_get_ns();

	while (rounds--) {
		struct sk_buff *skb = pass_driver(__skb_dequeue(list));

		if (!skb)
			continue;
		prepare(skb, local);
		__skb_queue_tail(list, skb);
	}
	return ktime_get_ns() - from;
}

/* A socket for each flow, until at the first that cannot be had: how many. */
static u32 open_sockets(struct socket **sockets, u32 flows)
{
	u32 n = 0;

	while (n < flows && !sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &sockets[n]))
		n++;
	return n;
}

/* sockets: of the flows, or NULL: the packets are forwarded. */
static int measure(struct net_device *dev, u32 flows, u32 backlog, u32 rounds, struct socket **sockets)
{
	struct Qdisc *q = rtnl_dereference(netdev_get_tx_queue(dev, 0)->qdisc);
	struct sk_buff_head list;
	struct sk_buff *skb;
	bool local = sockets;
	unsigned long flags;
	int err = 0;

	__skb_queue_head_init(&list);
	for (u32 i = 0; i < backlog; i++) {
		skb = packet(dev, i % flows, local ? sockets[i % flows]->sk : NULL);
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
	without = loop_list(&list, rounds, local);
	empty_driver();
	while ((skb = __skb_dequeue(&list)))
		put(q, skb, local);
	/* once before it counts: flows become known */
	if (!loop_qdisc(q, 2 * backlog, local) || !(with = loop_qdisc(q, rounds, local)))
		err = -ENODATA;
	if (dropped || q->q.qlen != backlog - 2 * below) {
		pr_info("airtab_bench: %u dropped, %u of %u still queued\n", dropped, q->q.qlen, backlog);
		err = -ENOSPC;
	}
	local_irq_restore(flags);
	empty_driver();
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
		struct sk_buff *skb = packet(dev, i < flows ? i : i - flows, NULL);

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
	u32 flows, backlog, rounds, local, taken, opened = 0;
	struct socket **sockets = NULL;
	struct net_device *dev;
	char name[IFNAMSIZ], text[64];
	int err;

	if (n >= sizeof(text) || copy_from_user(text, from, n))
		return -EINVAL;
	text[n] = 0;
	if (sscanf(text, "%15s %u %u %u %u %u", name, &flows, &backlog, &rounds, &local, &taken) != 6 ||
	    taken > BELOW_MOST || backlog <= 2 * taken ||
	    !flows || flows > FLOWS_MOST || !backlog || !rounds || rounds > ROUNDS_MOST)
		return -EINVAL;
	if (local) {
		sockets = kvcalloc(flows, sizeof(*sockets), GFP_KERNEL);
		if (!sockets)
			return -ENOMEM;
		opened = open_sockets(sockets, flows);
	}
	mutex_lock(&lock);
	below = taken;
	rtnl_lock();
	dev = __dev_get_by_name(&init_net, name);
	if (!dev)
		err = -ENODEV;
	else if (local && opened < flows)
		err = -ENFILE;
	else
		err = measure(dev, flows, backlog, rounds, sockets);
	rtnl_unlock();
	mutex_unlock(&lock);
	while (opened)
		sock_release(sockets[--opened]);
	kvfree(sockets);
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
