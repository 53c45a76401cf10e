/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * TCP packets for tests of disciplines that look at acknowledgements.
 */
#ifndef AIRTAB_TEST_TCP_PACKETS_H
#define AIRTAB_TEST_TCP_PACKETS_H

#include "harness.h"

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_ACK = 16 };

/* A packet to a station; 40 bytes of headers, a window of 1 MB unless that is changed. */
static inline struct at_pkt *tcp_pkt(struct host *h, u32 flow, u16 sta, u32 payload, u32 ack, u8 flags)
{
	struct at_pkt *p = new_pkt(h, flow, 40 + payload);

	p->sta = sta;
	p->flags = AT_F_IP | AT_F_TCP;
	p->tcp = (struct at_tcp){ .ack = ack, .payload = payload, .window = 65535, .flags = flags };
	return p;
}

static inline enum at_verdict put_data(struct host *h, u32 flow, u16 sta, u64 now)
{
	return push(h, tcp_pkt(h, flow, sta, 1460, 1, TCP_ACK), now);
}

static inline enum at_verdict put_ack(struct host *h, u32 flow, u16 sta, u32 ack, u64 now)
{
	return push(h, tcp_pkt(h, flow, sta, 0, ack, TCP_ACK), now);
}

#endif
