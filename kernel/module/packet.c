// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What the core wants to know about a packet and what takes more than a look at
 * struct sk_buff: its flow, station, class and TCP header.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/net.h>
#include <linux/siphash.h>
#include <linux/tcp.h>
#include <net/flow_dissector.h>
#include <net/ip.h>

#include "airtab/qdisc.h"

/* ---- flow ---- */

/* Addresses and ports, of either direction the same. */
static u32 hash(u32 from, u32 to, u32 from_port, u32 to_port, u32 protocol, u32 vlan)
{
	static hsiphash_key_t key __read_mostly;

	net_get_random_once(&key, sizeof(key));
	if (from > to || (from == to && from_port > to_port)) {
		swap(from, to);
		swap(from_port, to_port);
	}
	return hsiphash_4u32(from, to, from_port << 16 | to_port, protocol << 16 | vlan, &key);
}

static u32 fold(const struct in6_addr *a)
{
	static u32 seed __read_mostly;

	net_get_random_once(&seed, sizeof(seed));
	return jhash2((const u32 *)a, sizeof(*a) / sizeof(u32), seed);
}

static bool has_ports(u8 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
}

/* Most packets: what dissected() says, in a fraction of the time. */
static bool plain(const struct sk_buff *skb, u32 *flow)
{
	struct { struct iphdr ip; __be16 port[2]; } four_space;
	struct { struct ipv6hdr ip; __be16 port[2]; } six_space;
	const typeof(four_space) *four;
	const typeof(six_space) *six;
	int at = skb_network_offset(skb);
	u32 vlan = skb_vlan_tag_present(skb) ? skb_vlan_tag_get_id(skb) : 0;

	if (at < 0)
		return false;
	if (skb->protocol == htons(ETH_P_IP)) {
		four = skb_header_pointer(skb, at, sizeof(*four), &four_space);
		if (!four || four->ip.version != 4 || four->ip.ihl != 5 ||
		    ip_is_fragment(&four->ip) || !has_ports(four->ip.protocol))
			return false;
		*flow = hash((__force u32)four->ip.saddr, (__force u32)four->ip.daddr,
			     (__force u16)four->port[0], (__force u16)four->port[1],
			     four->ip.protocol, vlan);
		return true;
	}
	if (skb->protocol == htons(ETH_P_IPV6)) {
		six = skb_header_pointer(skb, at, sizeof(*six), &six_space);
		if (!six || six->ip.version != 6 || !has_ports(six->ip.nexthdr))
			return false;
		*flow = hash(fold(&six->ip.saddr), fold(&six->ip.daddr), (__force u16)six->port[0],
			     (__force u16)six->port[1], six->ip.nexthdr, vlan);
		return true;
	}
	return false;
}

/* By the kernel's dissector, which sees through VLAN tags, PPPoE and IP tunnels.
 * All fragments of a datagram have no ports, the first too. What is no IP is
 * told apart by its Ethernet protocol. */
static u32 dissected(const struct sk_buff *skb)
{
	struct flow_keys k;
	u32 from = 0, to = 0, protocol;

	skb_flow_dissect_flow_keys(skb, &k, 0);
	protocol = k.basic.ip_proto;
	switch (k.control.addr_type) {
	case FLOW_DISSECTOR_KEY_IPV4_ADDRS:
		from = (__force u32)k.addrs.v4addrs.src;
		to = (__force u32)k.addrs.v4addrs.dst;
		break;
	case FLOW_DISSECTOR_KEY_IPV6_ADDRS:
		from = fold(&k.addrs.v6addrs.src);
		to = fold(&k.addrs.v6addrs.dst);
		break;
	default:
		protocol = ntohs(k.basic.n_proto);
	}
	return hash(from, to, (__force u16)k.ports.src, (__force u16)k.ports.dst, protocol,
		    k.vlan.vlan_id);
}

/* A keyed hash of addresses, protocol, ports and VLAN. skb->hash is neither:
 * it may be the socket's, which changes at a retransmission timeout, or the
 * device's, or hold the IPv6 flow label, which senders change as well; and it is
 * the same flow still. */
u32 at_host_flow(const struct sk_buff *skb)
{
	u32 flow;

	return plain(skb, &flow) ? flow : dissected(skb);
}

/* ---- station, class ---- */

/* A number for the destination address: of n stations, two share one with a
 * probability of about n^2 / 131070. 0 where there is no Ethernet header. */
u16 at_sta(const struct at_pkt *p)
{
	const struct sk_buff *skb = at_skb(p);
	const u8 *to = skb->data;

	if (skb->dev->type != ARPHRD_ETHER || skb_headlen(skb) < ETH_HLEN)
		return 0;
	if (is_multicast_ether_addr(to))
		return AT_GROUP;
	return (u16)((jhash(to, ETH_ALEN, 0) >> 16) % AT_GROUP);
}

/* The four access categories of Wi-Fi, voice first. skb->priority is an 802.1D
 * priority on wlan devices and TC_PRIO_* elsewhere; the two agree about this map.
 * 256 to 263 are cfg80211's for an 802.1D priority that the sender asked for.
 * Anything else, class handles too, is best effort. */
u8 at_class(const struct at_pkt *p)
{
	static const u8 category[8] = { 2, 3, 3, 2, 1, 1, 0, 0 };
	const struct sk_buff *skb = at_skb(p);
	u32 priority = skb->priority;
	__be16 protocol = skb_protocol(skb, true);

	if (protocol == htons(ETH_P_PAE) || protocol == htons(ETH_P_ARP))
		return AT_URGENT;
	if (priority - 256 < 8)
		priority -= 256;
	return priority < 8 ? category[priority] : category[0];
}

/* ---- TCP ---- */

/* Where the packet ends, from skb->data: short frames are padded. */
static u32 end_of(const struct sk_buff *skb)
{
	int at = skb_network_offset(skb);
	u32 end = skb->len;

	if (at < 0)
		return end;
	if (skb_protocol(skb, true) == htons(ETH_P_IP)) {
		struct iphdr space;
		const struct iphdr *ip = skb_header_pointer(skb, at, sizeof(space), &space);

		if (ip && ip->tot_len)
			end = at + ntohs(ip->tot_len);
	} else if (skb_protocol(skb, true) == htons(ETH_P_IPV6)) {
		struct ipv6hdr space;
		const struct ipv6hdr *ip = skb_header_pointer(skb, at, sizeof(space), &space);

		if (ip && ip->payload_len)
			end = at + sizeof(space) + ntohs(ip->payload_len);
	}
	return min(end, skb->len);
}

bool at_tcp(const struct at_pkt *p, struct at_tcp *t)
{
	const struct sk_buff *skb = at_skb(p);
	const struct tcphdr *tcp;
	struct flow_keys keys;
	struct tcphdr space;
	u32 data;

	if (!skb_flow_dissect_flow_keys(skb, &keys, 0) ||
	    keys.basic.ip_proto != IPPROTO_TCP ||
	    (keys.control.flags & FLOW_DIS_IS_FRAGMENT))
		return false;
	tcp = skb_header_pointer(skb, keys.control.thoff, sizeof(space), &space);
	if (!tcp)
		return false;
	data = keys.control.thoff + tcp->doff * 4u;
	*t = (struct at_tcp){
		.seq = ntohl(tcp->seq),
		.ack = ntohl(tcp->ack_seq),
		.payload = end_of(skb) > data ? end_of(skb) - data : 0,
		.window = ntohs(tcp->window),
		.flags = ((const u8 *)tcp)[13],
	};
	return true;
}
