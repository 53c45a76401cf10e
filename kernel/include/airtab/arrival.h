/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/arrival.h: a struct sk_buff becomes the core's packet, and the other way
 * round; and what the packets of an instance have in common.
 */
#ifndef AIRTAB_ARRIVAL_H
#define AIRTAB_ARRIVAL_H

#include "airtab/stations.h"

#define AT_HOST_STATIONS 512u	/* numbers of an instance whose device has stations */
static_assert(AT_HOST_STATIONS <= AT_STATIONS_MOST);

struct at_party {		/* whom a packet is for */
	struct at_host *host;
	u16 sta;
};

/* Secrets of its own, so that nothing that is learnt from another instance, one's
 * own say, tells which packets share a number in this one. */
struct at_host {
	hsiphash_key_t flows;
	siphash_key_t names;		/* of sources, and of flows in dumps */
	u64 numbers;			/* of stations: their buckets */
	struct at_party nobody, everybody;	/* AT_NO_STA, AT_GROUP */
	struct at_party *station;	/* by number; NULL: the device has none */
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
struct at_party *at_host_party(struct at_host *host, const struct sk_buff *skb, enum at_met *met);

/* The packet as the core gets it. *met is set if it is for a station. */
static inline struct at_pkt *at_host_arrive(struct at_host *host, struct sk_buff *skb, u32 flow,
					    enum at_met *met)
{
	struct at_pkt *p = (struct at_pkt *)skb;

	skb->prev = (struct sk_buff *)at_host_party(host, skb, met);
	*at_host_flow_of(p) = flow;
	return p;
}

/* The packet as the core gave it back. */
static inline struct sk_buff *at_host_leave(struct at_pkt *p)
{
	struct sk_buff *skb = at_skb(p);
	const struct at_party *party = at_host_party_of(p);

	if (party->sta < AT_NO_STA)
		at_stations_leave(&party->host->stations, party->sta);
	skb->next = NULL;
	skb->prev = NULL;
	return skb;
}

#endif
