/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/host_kernel.h: a struct sk_buff as the core's packet (AT_HOST_H of the
 * kernel modules).
 *
 * While a packet is queued, skb->next is the core's link and skb->prev leads to
 * the station that it is for, and so to the instance that holds it. The qdisc part
 * of skb->cb is the core's scratch and, behind it, the flow hash (the core asks for
 * it again, and skb->hash is not ours: it may be the socket's, which changes at a
 * retransmission timeout, or the device's). arrival.h fills them in and cleans up.
 *
 * What most packets of a router need is here, inline; the functions without a
 * body are in module/packet.c.
 *
 * What this is not: no statistics, no lifetime.
 */
#ifndef AIRTAB_HOST_KERNEL_H
#define AIRTAB_HOST_KERNEL_H

#include <linux/if_ether.h>
#include <linux/math64.h>
#include <linux/siphash.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/types.h>
#include <net/inet_ecn.h>
#include <net/sch_generic.h>

struct at_pkt;			/* a struct sk_buff */

struct at_tcp {
	u32 seq, ack, payload, window;
	u16 mss;		/* of a SYN; 0: no such option */
	u8 flags;
	u8 option;		/* of a SYN: the scale of later windows; else: SACK blocks */
};

struct at_key {
	u8 proto, dscp;		/* behind up to eight extension headers */
	u16 sport, dport;
};

struct at_host;				/* in airtab/arrival.h */

struct at_addressee {		/* whom a packet is for */
	struct at_host *host;
	u16 sta;
};

static inline struct sk_buff *at_skb(const struct at_pkt *p)
{
	return (struct sk_buff *)p;
}

static inline const struct at_addressee *at_host_addressee_of(const struct at_pkt *p)
{
	return (const struct at_addressee *)at_skb(p)->prev;
}

static inline u16 at_sta(const struct at_pkt *p)
{
	return at_host_addressee_of(p)->sta;
}

#define AT_HOST_URGENT 0xffu		/* AT_URGENT, which comes later */

/* Whether a packet that is no plain IP is link control. */
bool at_host_urgent(const struct sk_buff *skb);

/* The four access categories of Wi-Fi, voice first. skb->priority is an 802.1D
 * priority on wlan devices and TC_PRIO_* elsewhere; the two agree about this map.
 * 256 to 263 are cfg80211's for an 802.1D priority that the sender asked for.
 * Anything else, class handles too, is best effort. */
static inline u8 at_class(const struct at_pkt *p)
{
	const u32 category = 2 | 3 << 2 | 3 << 4 | 2 << 6 | 1 << 8 | 1 << 10;	/* 2 bits each */
	const struct sk_buff *skb = at_skb(p);
	u32 priority = skb->priority;

	if (skb->protocol != htons(ETH_P_IP) && skb->protocol != htons(ETH_P_IPV6) && at_host_urgent(skb))
		return AT_HOST_URGENT;
	if (priority - 256 < 8)
		priority -= 256;
	return category >> (priority < 8 ? 2 * priority : 0) & 3;
}

u32 at_source(const struct at_pkt *p);
bool at_tcp(const struct at_pkt *p, struct at_tcp *t);
bool at_key(const struct at_pkt *p, struct at_key *k);

static inline void *at_priv(struct at_pkt *p)
{
	return qdisc_skb_cb(at_skb(p))->data;
}

#define AT_HOST_FLOW_AT 16	/* in the scratch; not below AT_PRIV */

static inline u32 *at_host_flow_of(const struct at_pkt *p)
{
	return (u32 *)(qdisc_skb_cb(at_skb(p))->data + AT_HOST_FLOW_AT);
}

static inline u32 at_flow(const struct at_pkt *p)
{
	return *at_host_flow_of(p);
}

static inline struct at_pkt **at_next(struct at_pkt *p)
{
	return (struct at_pkt **)&at_skb(p)->next;
}

/* Behind the link-layer header. What is no IP counts likewise; a packet whose
 * sender did not say where the network header is counts whole. */
static inline u32 at_bytes(const struct at_pkt *p)
{
	const struct sk_buff *skb = at_skb(p);
	u32 link = skb_network_offset(skb);	/* less than 0: much */

	return skb->len - (link < skb->len ? link : 0);
}

static inline bool at_mark_ce(struct at_pkt *p)
{
	return INET_ECN_set_ce(at_skb(p));
}

static inline u64 at_div(u64 n, u32 d)
{
	return div_u64(n, d);
}

#endif
