// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Acknowledgements that a discipline wants made, or to go with another packet: finds the
 * headers of an sk_buff, and gets bytes that may be written. What is written is in
 * airtab/tcpedit.h.
 *
 * Whatever is not a plain TCP segment in IPv4 or IPv6 is left alone: within tunnels and VLAN
 * tags, behind extension headers, fragments, and GSO packets, which are many segments.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <net/checksum.h>

#include "airtab/arrival.h"
#include "airtab/tcpedit.h"

/* Where a segment is: offsets from skb->data. */
struct place {
	int ip, tcp;
	u32 behind, end;	/* of its header; of the packet, without padding */
};

static bool find(const struct sk_buff *skb, struct place *p)
{
	const struct tcphdr *tcp;
	struct tcphdr space;

	p->ip = skb_network_offset(skb);
	p->tcp = at_host_tcp(skb, &p->end);
	if (p->tcp < 0 || skb_is_gso(skb) || skb->encapsulation)
		return false;
	tcp = skb_header_pointer(skb, p->tcp, sizeof(space), &space);
	if (!tcp)
		return false;
	p->behind = p->tcp + tcp->doff * 4u;
	return p->behind >= p->tcp + sizeof(*tcp) && p->behind <= p->end;
}

/* The headers are linear. */
static struct at_segment segment(const struct sk_buff *skb, const struct place *p)
{
	return (struct at_segment){
		.ip = skb->data + p->ip,
		.tcp = skb->data + p->tcp,
		.room = p->behind - p->tcp,
		.payload = p->end - p->behind,
		.offloaded = skb->ip_summed == CHECKSUM_PARTIAL,
	};
}

/* Nobody but its bytes says anything of the checksum. */
static void forget_checksum(struct sk_buff *skb)
{
	if (skb->ip_summed != CHECKSUM_PARTIAL)
		skb->ip_summed = CHECKSUM_NONE;
}

/* Headers alone, as far from the start of their memory as they were: offsets hold. */
static struct sk_buff *copy_headers(const struct sk_buff *skb, u32 bytes)
{
	struct sk_buff *made = alloc_skb(skb_headroom(skb) + bytes, GFP_ATOMIC);

	if (!made)
		return NULL;
	skb_reserve(made, skb_headroom(skb));
	skb_put(made, bytes);
	if (skb_copy_bits(skb, 0, made->data, bytes)) {
		kfree_skb(made);
		return NULL;
	}
	skb_copy_header(made, skb);
	qdisc_skb_cb(made)->pkt_len = bytes;
	return made;
}

struct sk_buff *at_host_ack(const struct sk_buff *skb, u32 number)
{
	struct at_segment s;
	struct sk_buff *made;
	struct place p;

	if (!find(skb, &p))
		return NULL;
	made = copy_headers(skb, p.behind);
	if (!made)
		return NULL;
	s = segment(made, &p);
	if (s.payload && !s.offloaded)
		s.sum = ntohs((__force __be16)~csum_fold(skb_checksum(skb, p.behind, s.payload, 0)));
	forget_checksum(made);
	if (at_edit_ack(&s, number))
		return made;
	kfree_skb(made);
	return NULL;
}

bool at_host_merge(struct sk_buff *data, const struct sk_buff *ack)
{
	struct at_segment d, a;
	struct place p, other;

	if (!find(data, &p) || !find(ack, &other) || skb_headlen(ack) < other.behind ||
	    skb_ensure_writable(data, p.behind))
		return false;
	d = segment(data, &p);
	a = segment(ack, &other);
	if (!at_edit_merge(&d, &a))
		return false;
	forget_checksum(data);
	return true;
}
