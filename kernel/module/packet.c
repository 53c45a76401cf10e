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
#include <linux/tcp.h>
#include <net/flow_dissector.h>

#include "airtab/qdisc.h"

/* Addresses, protocol, ports, VLAN: by the kernel's dissector, which sees
 * through VLAN tags, PPPoE and IP tunnels. All fragments of a datagram have no
 * ports, the first too. What is no IP is told apart by its protocol. The hash is
 * keyed with a secret of this boot and is the same for both directions.
 *
 * Left out: the IPv6 flow label and the VLAN priority. Senders change the
 * former when a retransmission times out, and it is the same flow still. */
u32 at_host_flow(const struct sk_buff *skb)
{
	struct flow_keys keys;

	skb_flow_dissect_flow_keys(skb, &keys, 0);
	keys.tags.flow_label = 0;
	keys.vlan.vlan_priority = 0;
	return flow_hash_from_keys(&keys);
}

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

/* The four access categories of Wi-Fi, voice first. The low bits of
 * skb->priority are an 802.1D priority on wlan devices and TC_PRIO_*
 * elsewhere; the two agree about this map. */
u8 at_class(const struct at_pkt *p)
{
	static const u8 category[] = { 2, 3, 3, 2, 1, 1, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2 };
	const struct sk_buff *skb = at_skb(p);
	__be16 protocol = skb_protocol(skb, true);

	if (protocol == htons(ETH_P_PAE) || protocol == htons(ETH_P_ARP))
		return AT_URGENT;
	return category[skb->priority % ARRAY_SIZE(category)];
}

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
