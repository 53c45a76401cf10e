// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What the core wants to know about a packet and what takes more than a look at
 * struct sk_buff: its flow, source, station, class, key and TCP header.
 */
#include <linux/hash.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <net/flow_dissector.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "airtab/arrival.h"

/* ---- flow and source ---- */

/* Where a packet comes from and goes to. */
struct ends {
	struct in6_addr from, to;	/* IPv4: the first word of each */
	u16 from_port, to_port, protocol, vlan;
	u8 words;			/* of an address: 1, 4, or 0 if it is no IP */
};

static bool has_ports(u8 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
}

/* Most packets: what dissected() says, in a fraction of the time. */
static inline bool plain(const struct sk_buff *skb, struct ends *e)
{
	struct { struct iphdr ip; __be16 port[2]; } four_space;
	struct { struct ipv6hdr ip; __be16 port[2]; } six_space;
	const typeof(four_space) *four;
	const typeof(six_space) *six;
	int at = skb_network_offset(skb);
	const __be16 *port;

	if (at < 0)
		return false;
	if (skb->protocol == htons(ETH_P_IP)) {
		four = skb_header_pointer(skb, at, sizeof(*four), &four_space);
		if (!four || four->ip.version != 4 || four->ip.ihl != 5 ||
		    ip_is_fragment(&four->ip) || !has_ports(four->ip.protocol))
			return false;
		e->from.s6_addr32[0] = four->ip.saddr;
		e->to.s6_addr32[0] = four->ip.daddr;
		e->words = 1;
		e->protocol = four->ip.protocol;
		port = four->port;
	} else if (skb->protocol == htons(ETH_P_IPV6)) {
		six = skb_header_pointer(skb, at, sizeof(*six), &six_space);
		if (!six || six->ip.version != 6 || !has_ports(six->ip.nexthdr))
			return false;
		e->from = six->ip.saddr;
		e->to = six->ip.daddr;
		e->words = 4;
		e->protocol = six->ip.nexthdr;
		port = six->port;
	} else {
		return false;
	}
	e->from_port = (__force u16)port[0];
	e->to_port = (__force u16)port[1];
	e->vlan = skb_vlan_tag_present(skb) ? skb_vlan_tag_get_id(skb) : 0;
	return true;
}

/* By the kernel's dissector, which sees through VLAN tags, PPPoE and IP tunnels.
 * All fragments of a datagram have no ports, the first too. What is no IP is
 * told apart by its Ethernet protocol and source: one host's ARP is not another's. */
static void dissected(const struct sk_buff *skb, struct ends *e)
{
	struct flow_keys k;

	skb_flow_dissect_flow_keys(skb, &k, 0);
	*e = (struct ends){
		.from_port = (__force u16)k.ports.src, .to_port = (__force u16)k.ports.dst,
		.protocol = k.basic.ip_proto, .vlan = k.vlan.vlan_id,
	};
	switch (k.control.addr_type) {
	case FLOW_DISSECTOR_KEY_IPV4_ADDRS:
		e->from.s6_addr32[0] = k.addrs.v4addrs.src;
		e->to.s6_addr32[0] = k.addrs.v4addrs.dst;
		e->words = 1;
		break;
	case FLOW_DISSECTOR_KEY_IPV6_ADDRS:
		e->from = k.addrs.v6addrs.src;
		e->to = k.addrs.v6addrs.dst;
		e->words = 4;
		break;
	default:
		e->protocol = ntohs(k.basic.n_proto);
		if (at_host_ethernet(skb)) {
			memcpy(&e->from, skb->data + ETH_ALEN + 2, sizeof(u32));
			memcpy(&e->from_port, skb->data + ETH_ALEN, sizeof(u16));
		}
	}
}

static inline void ends_of(const struct sk_buff *skb, struct ends *e)
{
	if (!plain(skb, e))
		dissected(skb, e);
}

/* Of whole addresses: hosts of one prefix are not each other. */
static u32 hash_six(const struct ends *e, u32 ports, const hsiphash_key_t *key)
{
	const struct {
		struct in6_addr from, to;
		u32 ports, rest;
	} all = { e->from, e->to, ports, e->protocol << 16 | e->vlan };

	return hsiphash(&all, sizeof(all), key);
}

/* Addresses and ports, of either direction the same. */
static inline u32 hash(struct ends *e, const hsiphash_key_t *key)
{
	int order = e->words == 4 ? memcmp(&e->from, &e->to, sizeof(e->from))
				  : (e->from.s6_addr32[0] > e->to.s6_addr32[0]) -
				    (e->from.s6_addr32[0] < e->to.s6_addr32[0]);

	if (order > 0 || (!order && e->from_port > e->to_port)) {
		swap(e->from, e->to);
		swap(e->from_port, e->to_port);
	}
	if (e->words == 4)
		return hash_six(e, e->from_port << 16 | e->to_port, key);
	return hsiphash_4u32((__force u32)e->from.s6_addr32[0], (__force u32)e->to.s6_addr32[0],
			     e->from_port << 16 | e->to_port, e->protocol << 16 | e->vlan, key);
}

static noinline u32 hash_of_ends(const struct at_host *host, const struct sk_buff *skb)
{
	struct ends e;

	ends_of(skb, &e);
	return hash(&e, &host->flows);
}

/* Whether all packets of a socket are of one connection. A socket of TCP has one
 * peer as long as it does not listen; what is no full socket is a connection that
 * begins or ends, and has the cookie of the other parts of its life. UDP's may have
 * many. Raw ones speak for many: the kernel's, with which it answers what no
 * socket is there for, say that they are TCP's. */
static inline bool one_connection(const struct sock *sk)
{
	u32 state;

	if (sk->sk_family != AF_INET && sk->sk_family != AF_INET6)
		return false;
	state = 1u << sk->sk_state;
	if (state & (TCPF_NEW_SYN_RECV | TCPF_TIME_WAIT))
		return true;
	return !(state & TCPF_LISTEN) && sk->sk_type == SOCK_STREAM && sk->sk_protocol == IPPROTO_TCP;
}

static noinline u32 first_cookie(struct sock *sk)
{
	u32 cookie[2];

	sock_diag_save_cookie(sk, cookie);
	return cookie[0];
}

/* Local TCP by its socket's cookie, a number that no other socket of this machine
 * has had, of which the lower half does not come again for 2^32 sockets; one to
 * one, so that two connections are never one flow. Else a keyed hash of addresses,
 * protocol, ports and VLAN.
 *
 * skb->hash is neither: it may be the socket's, which changes at a retransmission
 * timeout, or the device's, or hold the IPv6 flow label, which senders change as
 * well; and it is the same flow still. */
u32 at_host_flow(const struct at_host *host, const struct sk_buff *skb)
{
	struct sock *sk = skb->sk;
	u64 cookie;

	if (!sk || !one_connection(sk))
		return hash_of_ends(host, skb);
	cookie = atomic64_read(&sk->sk_cookie);
	if (unlikely(!cookie))
		cookie = first_cookie(sk);
	return hash_32((u32)cookie ^ host->sockets, 32);
}

/* Of the source address that the flow has, all of it: hosts of one home have
 * their IPv6 prefix in common. Else of the Ethernet source. */
u32 at_source(const struct at_pkt *p)
{
	const siphash_key_t *key = &at_host_addressee_of(p)->host->names;
	const struct sk_buff *skb = at_skb(p);
	struct ends e;
	u64 name;

	ends_of(skb, &e);
	if (e.words)
		name = siphash(&e.from, e.words * sizeof(u32), key);
	else if (at_host_ethernet(skb))
		name = siphash(skb->data + ETH_ALEN, ETH_ALEN, key);
	else
		return 0;
	return (u32)name ?: 1;
}

/* ---- station, class ---- */

/* Elsewhere the address may be that of a router behind which everybody is. OpenWrt has cfg80211
 * from elsewhere than its kernel, which says so. */
bool at_host_radio(const struct net_device *dev)
{
#if IS_ENABLED(CONFIG_CFG80211) || IS_ENABLED(CONFIG_CFG80211_HEADERS)
	return dev->ieee80211_ptr;
#else
	return false;
#endif
}

u64 at_host_bytes(void)
{
	return at_stations_bytes(AT_HOST_STATIONS) + AT_HOST_STATIONS * sizeof(struct at_addressee);
}

void at_host_init(struct at_host *host, void *memory)
{
	host->nobody = (struct at_addressee){ host, AT_NO_STA };
	host->everybody = (struct at_addressee){ host, AT_GROUP };
	if (!memory)
		return;
	host->station = memory;
	for (u16 i = 0; i < AT_HOST_STATIONS; i++)
		host->station[i] = (struct at_addressee){ host, i };
	at_stations_init(&host->stations, host->station + AT_HOST_STATIONS, AT_HOST_STATIONS,
			 host->numbers);
}

struct at_addressee *at_host_station(struct at_host *host, const struct sk_buff *skb)
{
	u16 sta = AT_NO_STA;

	if (host->shared || at_host_radio(skb->dev))
		sta = at_stations_enter(&host->stations, ether_addr_to_u64(skb->data), &host->met);
	return sta == AT_NO_STA ? &host->nobody : &host->station[sta];
}

static_assert(AT_HOST_URGENT == AT_URGENT);

/* Link control goes first as long as it is what its name says: an ARP message is
 * 28 bytes, EAPOL no more than a frame. */
bool at_host_urgent(const struct sk_buff *skb)
{
	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_ARP):
		return skb->len <= 256;
	case htons(ETH_P_PAE):
		return skb->len <= ETH_FRAME_LEN;
	default:
		return false;
	}
}

/* ---- key and TCP ---- */

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

#define EXTENSIONS 8		/* headers that are looked behind */

/* Where the header behind is and what, if *next is an extension header at *at that
 * can be looked behind. IPv4 has only one of them. *fragment: of more than itself. */
static bool step_over(const struct sk_buff *skb, bool six, u8 *next, int *at, bool *fragment)
{
	union {
		struct ipv6_opt_hdr opt;
		struct ip_auth_hdr auth;
		struct frag_hdr frag;
	} space;
	const typeof(space) *h;

	switch (*next) {
	case NEXTHDR_FRAGMENT:
		h = six ? skb_header_pointer(skb, *at, sizeof(h->frag), &space) : NULL;
		if (!h)
			return false;
		*fragment = h->frag.frag_off & htons(IP6_OFFSET | IP6_MF);
		*at += sizeof(h->frag);
		break;
	case NEXTHDR_AUTH:
		h = skb_header_pointer(skb, *at, sizeof(h->opt), &space);
		if (!h)
			return false;
		*at += ipv6_authlen(&h->opt);
		break;
	case NEXTHDR_HOP:
	case NEXTHDR_ROUTING:
	case NEXTHDR_DEST:
		h = six ? skb_header_pointer(skb, *at, sizeof(h->opt), &space) : NULL;
		if (!h)
			return false;
		*at += ipv6_optlen(&h->opt);
		break;
	default:
		return false;
	}
	*next = h->opt.nexthdr;		/* first in each */
	return true;
}

/* Of the outermost IP header, whose mark at_mark_ce() sets: inside of tunnels
 * and PPPoE nothing is looked at. */
bool at_key(const struct at_pkt *p, struct at_key *k)
{
	const struct sk_buff *skb = at_skb(p);
	int at = skb_network_offset(skb);
	bool six = false, fragment;
	__be16 space[2];
	const __be16 *port;

	if (at < 0)
		return false;
	if (skb_protocol(skb, true) == htons(ETH_P_IP)) {
		struct iphdr header;
		const struct iphdr *ip = skb_header_pointer(skb, at, sizeof(header), &header);

		if (!ip || ip->version != 4 || ip->ihl < 5)
			return false;
		*k = (struct at_key){ .proto = ip->protocol, .dscp = ip->tos >> 2 };
		fragment = ip_is_fragment(ip);
		at += ip->ihl * 4;
	} else if (skb_protocol(skb, true) == htons(ETH_P_IPV6)) {
		struct ipv6hdr header;
		const struct ipv6hdr *ip = skb_header_pointer(skb, at, sizeof(header), &header);

		if (!ip || ip->version != 6)
			return false;
		*k = (struct at_key){ .proto = ip->nexthdr, .dscp = ipv6_get_dsfield(ip) >> 2 };
		fragment = false;
		at += sizeof(header);
		six = true;
	} else {
		return false;
	}
	for (u32 n = 0; n < EXTENSIONS && !fragment && step_over(skb, six, &k->proto, &at, &fragment); n++)
		;
	port = NULL;
	if (!fragment && has_ports(k->proto) && at + sizeof(space) <= end_of(skb))
		port = skb_header_pointer(skb, at, sizeof(space), space);
	if (port) {
		k->sport = ntohs(port[0]);
		k->dport = ntohs(port[1]);
	}
	return true;
}

/* What at_tcp() says of the options between two places; one that cannot be read ends them. */
static void read_options(const struct sk_buff *skb, u32 at, u32 end, struct at_tcp *t)
{
	bool syn = t->flags & TCPHDR_SYN;
	const u8 stamps[] = { TCPOPT_NOP, TCPOPT_NOP, TCPOPT_TIMESTAMP, TCPOLEN_TIMESTAMP };
	u8 space[MAX_TCP_OPTION_SPACE];
	const u8 *o = end > at ? skb_header_pointer(skb, at, end - at, space) : NULL;
	u32 left = o ? end - at : 0, len;

	if (left == TCPOLEN_TSTAMP_ALIGNED && !memcmp(o, stamps, sizeof(stamps)))	/* most packets */
		return;
	for (; left && *o != TCPOPT_EOL; o += len, left -= len) {
		len = 1;
		if (*o == TCPOPT_NOP)
			continue;
		if (left < 2 || o[1] < 2 || o[1] > left)
			return;
		len = o[1];
		if (syn && *o == TCPOPT_MSS && len == TCPOLEN_MSS)
			t->mss = (u16)(o[2] << 8 | o[3]);
		else if (syn && *o == TCPOPT_WINDOW && len == TCPOLEN_WINDOW)
			t->option = o[2];
		else if (!syn && *o == TCPOPT_SACK)
			t->option = (len - 2) / 8;
	}
}

/* What a protocol behind an IP header says of TCP. */
static int tcp_behind(u8 protocol, int at)
{
	switch (protocol) {
	case IPPROTO_TCP:
		return at;
	case IPPROTO_UDP:
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return AT_HOST_NO_TCP;
	default:
		return AT_HOST_BEHIND;
	}
}

int at_host_tcp(const struct sk_buff *skb, u32 *end)
{
	int at = skb_network_offset(skb);

	*end = skb->len;
	if (at < 0)
		return AT_HOST_BEHIND;
	if (skb->protocol == htons(ETH_P_IP)) {
		struct iphdr space;
		const struct iphdr *ip = skb_header_pointer(skb, at, sizeof(space), &space);

		if (!ip || ip->version != 4 || ip->ihl < 5 || ip_is_fragment(ip))
			return AT_HOST_NO_TCP;
		if (ip->tot_len)
			*end = min(skb->len, (u32)at + ntohs(ip->tot_len));
		return tcp_behind(ip->protocol, at + ip->ihl * 4);
	}
	if (skb->protocol == htons(ETH_P_IPV6)) {
		struct ipv6hdr space;
		const struct ipv6hdr *ip = skb_header_pointer(skb, at, sizeof(space), &space);

		if (!ip || ip->version != 6)
			return AT_HOST_NO_TCP;
		if (ip->payload_len)
			*end = min(skb->len, at + (u32)sizeof(space) + ntohs(ip->payload_len));
		return tcp_behind(ip->nexthdr, at + (int)sizeof(space));
	}
	return AT_HOST_BEHIND;
}

/* Behind whatever the kernel's dissector looks behind. */
static noinline int dissected_tcp(const struct sk_buff *skb)
{
	struct flow_keys keys;

	if (!skb_flow_dissect_flow_keys(skb, &keys, 0) || keys.basic.ip_proto != IPPROTO_TCP ||
	    (keys.control.flags & FLOW_DIS_IS_FRAGMENT))
		return AT_HOST_NO_TCP;
	return keys.control.thoff;
}

bool at_tcp(const struct at_pkt *p, struct at_tcp *t)
{
	const struct sk_buff *skb = at_skb(p);
	const struct tcphdr *tcp;
	struct tcphdr space;
	u32 data, end;
	int at = at_host_tcp(skb, &end);

	if (at == AT_HOST_BEHIND) {
		at = dissected_tcp(skb);
		end = end_of(skb);
	}
	tcp = at < 0 ? NULL : skb_header_pointer(skb, at, sizeof(space), &space);
	if (!tcp)
		return false;
	data = at + tcp->doff * 4u;
	*t = (struct at_tcp){
		.seq = ntohl(tcp->seq),
		.ack = ntohl(tcp->ack_seq),
		.payload = end > data ? end - data : 0,
		.window = ntohs(tcp->window),
		.flags = ((const u8 *)tcp)[13],
	};
	read_options(skb, at + sizeof(*tcp), data, t);
	return true;
}
