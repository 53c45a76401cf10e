// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * airtab_replay: replays traces through the core as the kernel builds it, with
 * real packets and the accessors of the qdiscs (host_kernel.h, packet.c). Write
 * operations into /sys/kernel/debug/airtab_replay and read the decisions from
 * it; each open file is one instance. A packet that does not come back is
 * reported as leaked.
 *
 * What this is not: no qdisc, no device, no locking under test.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/cfg80211.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>

#include "airtab/arrival.h"
#include "replay.h"

#define HEADERS (ETH_HLEN + sizeof(struct ipv6hdr) + 2 * 8 + sizeof(struct tcphdr))
#define OUT_START (1u << 12)
#define OUT_MOST (1u << 21)		/* records, 64 MiB */

struct session {
	struct replay replay;
	struct trace_out *out;
	u32 room, made, taken;		/* records */
	bool lost;			/* a record found no room */
};

/* Not registered: says that this is Ethernet; `radio` that it has stations. */
static struct net_device *wire, *radio;
static struct dentry *file, *sources_file;
static struct at_host host;		/* no secrets, so that runs repeat */
static void *stations;			/* its memory */
static DEFINE_MUTEX(lock);		/* of all that is done with it */
static struct sources sources;
static atomic_t alive;			/* packets */

/* ---- packets ---- */

/* Of number `sta` in each run: the first ones are met in this order. */
static void write_destination(struct sk_buff *skb, u16 sta)
{
	u8 *to = skb->data;

	if (sta == AT_GROUP) {
		eth_broadcast_addr(to);
	} else if (sta != AT_NO_STA) {
		to[0] = 2;
		to[4] = sta >> 8;
		to[5] = sta;
	}
}

/* A header of type `nexthdr` that is passed over; returns where its own type goes. */
static u8 *put_extension(struct sk_buff *skb, u8 *type, u8 nexthdr)
{
	u8 *h = skb_put_zero(skb, 8);

	*type = nexthdr;
	if (nexthdr == NEXTHDR_DEST) {
		h[2] = IPV6_TLV_PADN;
		h[3] = 4;
	} else {
		((struct frag_hdr *)h)->frag_off = htons(IP6_MF);
	}
	return h;
}

static void write_ip(struct sk_buff *skb, const struct trace_op *op, u8 protocol)
{
	u32 source = op->flags >> PKT_SOURCE;
	u8 ecn = op->flags & PKT_ECT ? INET_ECN_ECT_0 : INET_ECN_NOT_ECT;
	u8 service = (op->flags >> PKT_DSCP & 63) << 2 | ecn;

	if (op->flags & PKT_V6) {
		struct ipv6hdr *ip = skb_put_zero(skb, sizeof(*ip));
		u8 *type = &ip->nexthdr;

		ip->version = 6;
		ipv6_change_dsfield(ip, 0, service);
		ip->payload_len = htons(op->bytes - sizeof(*ip));
		if (op->flags & PKT_OPTIONS)
			type = put_extension(skb, type, NEXTHDR_DEST);
		if (op->flags & PKT_FRAGMENT)
			type = put_extension(skb, type, NEXTHDR_FRAGMENT);
		*type = protocol;
		ip->hop_limit = 64;
		ip->saddr.s6_addr[15] = source;
		skb->protocol = htons(ETH_P_IPV6);
	} else {
		struct iphdr *ip = skb_put_zero(skb, sizeof(*ip));

		ip->version = 4;
		ip->ihl = 5;
		ip->tos = service;
		ip->tot_len = htons(op->bytes);
		ip->ttl = 64;
		ip->protocol = protocol;
		ip->saddr = htonl(source);
		if (op->flags & PKT_FRAGMENT)
			ip->frag_off = htons(IP_MF);
		if (op->flags & PKT_OPTIONS) {
			memset(skb_put(skb, 8), IPOPT_NOOP, 8);
			ip->ihl = 7;
		}
		ip_send_check(ip);
		skb->protocol = htons(ETH_P_IP);
	}
}

/* What the checksum of a TCP segment is over, without the pseudo header. */
static __wsum segment_sum(const struct sk_buff *skb)
{
	return skb_checksum(skb, skb_transport_offset(skb), skb->len - skb_transport_offset(skb), 0);
}

/* 0 where its field is right. */
static __sum16 checksum(const struct sk_buff *skb)
{
	u32 bytes = skb->len - skb_transport_offset(skb);

	if (skb->protocol == htons(ETH_P_IP))
		return csum_tcpudp_magic(ip_hdr(skb)->saddr, ip_hdr(skb)->daddr, bytes, IPPROTO_TCP, segment_sum(skb));
	return csum_ipv6_magic(&ipv6_hdr(skb)->saddr, &ipv6_hdr(skb)->daddr, bytes, IPPROTO_TCP, segment_sum(skb));
}

/* Puts a payload there, which nobody looks at but for the checksum; or says that it is: of
 * what would be a GSO packet, and of what has no checksum. */
static void put_payload(struct sk_buff *skb, const struct trace_op *op)
{
	u32 bytes = ETH_HLEN + op->bytes - skb->len;

	if (op->bytes <= REPLAY_WHOLE && op->flags & PKT_TCP && !(op->flags & PKT_FRAGMENT)) {
		memset(skb_put(skb, bytes), 0x5b, bytes);
		tcp_hdr(skb)->check = checksum(skb);
		return;
	}
	skb->data_len = bytes;
	skb->len += bytes;
	if (op->bytes > REPLAY_WHOLE)
		skb_shinfo(skb)->gso_size = 1448;
}

/* As the qdisc would get it. */
struct at_pkt *replay_make(const struct trace_op *op, u32 id)
{
	static const u32 priority[] = { 6, 4, 0, 1 };	/* of classes 0 to 3 */
	struct sk_buff *skb = alloc_skb(HEADERS + REPLAY_WHOLE, GFP_KERNEL);

	if (!skb)
		return NULL;
	skb->dev = op->sta == AT_NO_STA ? wire : radio;
	skb->mark = id;
	skb_put_zero(skb, ETH_HLEN);
	write_destination(skb, op->sta);
	skb_set_network_header(skb, ETH_HLEN);
	write_ip(skb, op, op->flags & PKT_TCP ? IPPROTO_TCP : IPPROTO_UDP);
	if (op->flags & PKT_TCP) {
		struct tcphdr *tcp;

		skb_set_transport_header(skb, skb->len);
		tcp = skb_put_zero(skb, sizeof(*tcp));
		tcp->source = htons(REPLAY_SPORT(op));
		tcp->dest = htons(REPLAY_DPORT(op));
		tcp->seq = htonl((u32)op->arg);
		tcp->ack_seq = htonl((u32)(op->arg >> 32));
		tcp->doff = 5;
		tcp->ack = 1;
		tcp->window = htons(65535);
	} else {
		struct udphdr *udp = skb_put_zero(skb, sizeof(*udp));

		udp->source = htons(REPLAY_SPORT(op));
		udp->dest = htons(REPLAY_DPORT(op));
	}
	if (op->cls == AT_URGENT)
		skb->protocol = ETH_HLEN + op->bytes <= 256 ? htons(ETH_P_ARP) : htons(ETH_P_PAE);
	else
		skb->priority = priority[op->cls % ARRAY_SIZE(priority)];
	put_payload(skb, op);
	atomic_inc(&alive);
	return at_host_arrive(&host, skb, op->flow);
}

u32 replay_id(const struct at_pkt *p)
{
	return at_skb(p)->mark;
}

bool replay_ce(const struct at_pkt *p)
{
	const struct sk_buff *skb = at_skb(p);

	switch (skb->protocol) {
	case htons(ETH_P_IP):
		return INET_ECN_is_ce(ip_hdr(skb)->tos);
	case htons(ETH_P_IPV6):
		return INET_ECN_is_ce(ipv6_get_dsfield(ipv6_hdr(skb)));
	default:
		return false;
	}
}

struct at_pkt *replay_ack(const struct at_pkt *p, u32 number)
{
	struct sk_buff *skb = at_host_ack(at_skb(p), number);

	if (!skb)
		return NULL;
	atomic_inc(&alive);
	return at_host_arrive(&host, skb, at_flow(p));
}

bool replay_merge(struct at_pkt *data, const struct at_pkt *ack)
{
	return at_host_merge(at_skb(data), at_skb(ack));
}

bool replay_right(const struct at_pkt *p)
{
	const struct sk_buff *skb = at_skb(p);
	u32 end;

	if (skb_is_gso(skb) || at_host_tcp(skb, &end) < 0)	/* never edited */
		return true;
	return !checksum(skb) && (skb->protocol != htons(ETH_P_IP) || !ip_fast_csum(ip_hdr(skb), ip_hdr(skb)->ihl));
}

void replay_free(struct at_pkt *p)
{
	kfree_skb(at_host_leave(p));
	atomic_dec(&alive);
}

/* ---- memory and the log ---- */

void *replay_alloc(u64 bytes)
{
	return kvzalloc(bytes, GFP_KERNEL);
}

void replay_release(void *memory)
{
	kvfree(memory);
}

static bool grow(struct session *s)
{
	u32 room = s->room ? s->room * 2 : OUT_START;
	struct trace_out *out;

	if (room > OUT_MOST)
		return false;
	out = kvmalloc_array(room, sizeof(*out), GFP_KERNEL);
	if (!out)
		return false;
	if (s->made)
		memcpy(out, s->out, s->made * sizeof(*out));
	kvfree(s->out);
	s->out = out;
	s->room = room;
	return true;
}

void replay_out(struct replay *r, const struct trace_out *out)
{
	struct session *s = container_of(r, struct session, replay);

	if (s->made == s->room && !grow(s))
		s->lost = true;
	else
		s->out[s->made++] = *out;
}

/* ---- the file ---- */

static int open_session(struct inode *inode, struct file *f)
{
	struct session *s = kvzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return -ENOMEM;
	f->private_data = s;
	return 0;
}

static int close_session(struct inode *inode, struct file *f)
{
	struct session *s = f->private_data;

	mutex_lock(&lock);
	replay_end(&s->replay);
	mutex_unlock(&lock);
	if (s->replay.inside)
		pr_err("airtab_replay: %u packets leaked\n", s->replay.inside);
	kvfree(s->out);
	kvfree(s);
	return 0;
}

/* Whole operations only; drops decisions that were read. */
static ssize_t write_ops(struct file *f, const char __user *from, size_t n, loff_t *at)
{
	struct session *s = f->private_data;
	struct trace_op op;
	size_t done = 0;
	ssize_t wrong = 0;

	if (n % sizeof(op))
		return -EINVAL;
	mutex_lock(&lock);
	s->made = 0;
	s->taken = 0;
	for (; done < n && !wrong; done += sizeof(op)) {
		if (copy_from_user(&op, from + done, sizeof(op)))
			wrong = -EFAULT;
		else if (!replay_step(&s->replay, &op))
			wrong = -EINVAL;
		else if (s->lost)
			wrong = -ENOSPC;
		cond_resched();
	}
	mutex_unlock(&lock);
	return wrong ?: done;
}

static ssize_t read_decisions(struct file *f, char __user *to, size_t n, loff_t *at)
{
	struct session *s = f->private_data;
	size_t take;

	mutex_lock(&lock);
	take = min_t(size_t, n / sizeof(*s->out), s->made - s->taken);
	if (copy_to_user(to, s->out + s->taken, take * sizeof(*s->out)))
		take = 0;
	s->taken += take;
	mutex_unlock(&lock);
	return take * sizeof(*s->out);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = open_session,
	.release = close_session,
	.write = write_ops,
	.read = read_decisions,
};

/* Those that the accessor under test gives to the addresses of a trace. */
static ssize_t read_sources(struct file *f, char __user *to, size_t n, loff_t *at)
{
	return simple_read_from_buffer(to, n, at, &sources, sizeof(sources));
}

static const struct file_operations sources_operations = {
	.owner = THIS_MODULE,
	.read = read_sources,
};

static u32 source_of(struct trace_op op)
{
	struct at_pkt *p = replay_make(&op, 0);
	u32 source = p ? at_source(p) : 0;

	if (p)
		replay_free(p);
	return source;
}

static void fill_sources(void)
{
	struct trace_op op = { .kind = OP_ENQUEUE, .bytes = 100, .sta = AT_NO_STA };

	for (u32 i = 0; i < 2 * REPLAY_SOURCES; i++) {
		op.flags = i % REPLAY_SOURCES << PKT_SOURCE | (i < REPLAY_SOURCES ? 0 : PKT_V6);
		sources.ip[i / REPLAY_SOURCES][i % REPLAY_SOURCES] = source_of(op);
	}
	op.cls = AT_URGENT;
	op.flags = 0;
	sources.none = source_of(op);
}

static void meet_stations(void)
{
	struct trace_op op = { .kind = OP_ENQUEUE, .bytes = 100 };

	for (; op.sta < REPLAY_STATIONS; op.sta++) {
		struct at_pkt *p = replay_make(&op, 0);

		if (p)
			replay_free(p);
	}
}

static int __init replay_init(void)
{
	static struct wireless_dev any;

	wire = alloc_etherdev(0);
	radio = alloc_etherdev(0);
	stations = kvzalloc(at_host_bytes(), GFP_KERNEL);
	if (!wire || !radio || !stations) {
		if (wire)
			free_netdev(wire);
		if (radio)
			free_netdev(radio);
		kvfree(stations);
		return -ENOMEM;
	}
	radio->ieee80211_ptr = &any;
	at_host_init(&host, stations);
	meet_stations();
	fill_sources();
	file = debugfs_create_file("airtab_replay", 0600, NULL, NULL, &operations);
	sources_file = debugfs_create_file("airtab_replay_sources", 0400, NULL, NULL, &sources_operations);
	return 0;
}

static void __exit replay_exit(void)
{
	debugfs_remove(file);
	debugfs_remove(sources_file);
	free_netdev(wire);
	free_netdev(radio);
	kvfree(stations);
	if (atomic_read(&alive))
		pr_err("airtab_replay: %d packets leaked\n", atomic_read(&alive));
}

module_init(replay_init);
module_exit(replay_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("airtab: replays traces of operations");
