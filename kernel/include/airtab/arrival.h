/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/arrival.h: a struct sk_buff becomes the core's packet, and the other way
 * round; and what the packets of an instance have in common.
 */
#ifndef AIRTAB_ARRIVAL_H
#define AIRTAB_ARRIVAL_H

#include <linux/etherdevice.h>
#include <linux/if_arp.h>

#include "airtab/stations.h"

#define AT_HOST_STATIONS 512u	/* numbers of an instance whose device has stations */
static_assert(AT_HOST_STATIONS <= AT_STATIONS_MOST);

/* Secrets of its own, so that nothing that is learnt from another instance, one's
 * own say, tells which packets share a number in this one. */
struct at_host {
	hsiphash_key_t flows;
	siphash_key_t names;		/* of sources, and of flows in dumps */
	u64 numbers;			/* of stations: their buckets */
	u32 sockets;			/* what their cookies are mixed with */
	enum at_met met;		/* what there was to say of the last packet's station */
	struct at_addressee nobody, everybody;	/* AT_NO_STA, AT_GROUP */
	struct at_addressee *station;	/* by number; NULL: the device has none */
	bool shared;			/* who is addressed is a station, on any device */
	struct at_stations stations;
};

/* Whether who a packet is addressed to is a station of the device's own radio. */
bool at_host_radio(const struct net_device *dev);
/* Of the memory that at_host_init() wants for a device with a radio. */
u64 at_host_bytes(void);
/* host: zeroed but for the secrets; memory: at_host_bytes(), or NULL: without stations. */
void at_host_init(struct at_host *host, void *memory);

u32 at_host_flow(const struct at_host *host, const struct sk_buff *skb);
/* Of a packet with an Ethernet header, on a device with stations; sets host->met. */
struct at_addressee *at_host_station(struct at_host *host, const struct sk_buff *skb);

/* Where the header of a plain TCP segment in IPv4 or IPv6 begins, from skb->data; else what
 * is below 0: there is none, or something is in between that a look at the headers does not
 * tell. *end: where the packet ends, if this is one, since short frames are padded. */
enum { AT_HOST_NO_TCP = -1, AT_HOST_BEHIND = -2 };
int at_host_tcp(const struct sk_buff *skb, u32 *end);

/* A pure acknowledgement of that number, of the same connection and way; NULL: it cannot be
 * made, or there is no memory. */
struct sk_buff *at_host_ack(const struct sk_buff *skb, u32 number);
/* Whether data says from now on all that the pure acknowledgement says (tcpedit.h). */
bool at_host_merge(struct sk_buff *data, const struct sk_buff *ack);

static inline bool at_host_ethernet(const struct sk_buff *skb)
{
	return skb->dev->type == ARPHRD_ETHER && skb_headlen(skb) >= ETH_HLEN;
}

/* Whom a packet that arrives is for, by its destination address. */
static inline struct at_addressee *at_host_addressee(struct at_host *host, const struct sk_buff *skb)
{
	if (!at_host_ethernet(skb))
		return &host->nobody;
	if (is_multicast_ether_addr(skb->data))
		return &host->everybody;
	return unlikely(host->station) ? at_host_station(host, skb) : &host->nobody;
}

/* The packet as the core gets it. */
static inline struct at_pkt *at_host_arrive(struct at_host *host, struct sk_buff *skb, u32 flow)
{
	struct at_pkt *p = (struct at_pkt *)skb;

	skb->prev = (struct sk_buff *)at_host_addressee(host, skb);
	*at_host_flow_of(p) = flow;
	return p;
}

/* The packet as the core gave it back. */
static inline struct sk_buff *at_host_leave(struct at_pkt *p)
{
	struct sk_buff *skb = at_skb(p);
	const struct at_addressee *to = at_host_addressee_of(p);

	if (unlikely(to->sta < AT_NO_STA))
		at_stations_leave(&to->host->stations, to->sta);
	skb->next = NULL;
	skb->prev = NULL;
	return skb;
}

#endif
