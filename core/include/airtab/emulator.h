/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/emulator.h: an 802.11 link on any device. It draws how often a packet
 * would have to be sent over a link that loses frames, and how long that takes;
 * the host sends the packet that much later and charges its flow that much.
 * One server: a host emulates one packet at a time. CHAP dissertation (Lee, WPI
 * 2010) 7.1, equations 7.1 to 7.4:
 *
 *   one attempt      d = DIFS + DATA + SIFS + ACK
 *   it succeeds      with (1 - p)^2: DATA and ACK are each lost with p
 *   backoff after the n-th failed attempt
 *                    random(W) slots, W = min(W_min 2^(n-1), W_max)
 *   n attempts cost  n d + the n - 1 backoffs between them
 *
 * A packet is lost if all attempts fail, and costs all of them. That is the
 * dissertation's rule: a packet of which DATA arrives and every ACK is lost
 * counts as lost here, while the simulator's cell passes it up.
 *
 * The constants come from a profile of airtime.h: `d7.1` is the dissertation's,
 * with W_min = cw_min + 1 = 32, W_max = cw_max + 1 = 1024, slots of 20 us.
 *
 * Random numbers are those of random.h: two links with different seeds draw
 * different numbers. One 64-bit word for every attempt: DATA is lost if its high
 * half is below p 2^32, ACK if its low half is. One word for every backoff:
 * (high half * W) >> 32 slots. In the order of time, and never
 * a word more: a packet of n attempts takes 2n - 1.
 *
 * What this is not: no contention, no queue, no clock, no uplink.
 */
#ifndef AIRTAB_EMULATOR_H
#define AIRTAB_EMULATOR_H

#include "airtab/airtime.h"
#include "airtab/qdisc.h"

#define AT_ALWAYS (1ull << 32)	/* frame error rate of 1 */

struct at_emulator {
	struct at_phy phy;	/* d7.1 for the published link */
	u64 extra;		/* ns, added once to every packet: a slower bottleneck */
	u64 random;		/* any seed at first, then the generator's */
	u8 attempts;		/* 5 for the published link; at least 1 */
};

/* Draws the fate of a packet of ip_bytes sent at kbps, not 0, over a link that
 * loses a frame with fer / 2^32, up to AT_ALWAYS. r: attempts made; acked =
 * not lost; air = span = what it costs, ns. */
void at_emulate(struct at_emulator *e, u32 kbps, u64 fer, u32 ip_bytes, struct at_tx *r);

#endif
