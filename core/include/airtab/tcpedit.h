/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/tcpedit.h: what a host does to the bytes of a TCP packet for a discipline that
 * makes acknowledgements, or lets one packet say what another one does.
 *
 * Source: P. Starzetz, thesis, INPG Grenoble 2006, 9.2.2 (splitting and merging). Checksums
 * are adjusted by what changes (RFC 1624, eqn. 3), never computed anew: a packet that was
 * damaged before stays so, and its receiver drops it. Where the device computes them the
 * field holds the sum of the pseudo header, of which only the length changes.
 *
 * Not touched are connections that begin, end or are reset, urgent data, and packets with an
 * option other than padding, time stamps and SACK blocks: of a signature (RFC 2385, 5925) or
 * of MPTCP's numbers nobody but their sender knows what they are for another number.
 *
 * What this is not: it finds no headers and moves no bytes; whoever calls knows where they
 * are and cuts the packet.
 */
#ifndef AIRTAB_TCPEDIT_H
#define AIRTAB_TCPEDIT_H

#include AT_HOST_H

/* A whole IP packet with a TCP segment that is no fragment's. */
struct at_segment {
	u8 *ip, *tcp;		/* the IP header; at least 20 bytes of TCP */
	u32 room;		/* bytes that can be looked at from tcp on */
	u32 payload;		/* bytes behind the TCP header */
	u16 sum;		/* these, as at_sum() adds them; not asked for if offloaded */
	bool offloaded;		/* the device computes the checksum */
};

/* One's complement sum of 16-bit words, the first byte of each the higher one. */
u16 at_sum(const u8 *bytes, u32 n);

/* Makes it a pure acknowledgement of that number: without payload, which the caller cuts off
 * behind it, marks and pushes, and with padding in place of SACK blocks. Returns the length
 * of the IP packet, bytes; 0: it cannot be made, and nothing was written. */
u32 at_edit_ack(struct at_segment *s, u32 number);

/* Whether `data` says, from now on, all that the pure acknowledgement `ack` says: both are of
 * one connection and way, and data's number, window and time stamps are the later ones of the
 * two. false: nothing was written. */
bool at_edit_merge(struct at_segment *data, const struct at_segment *ack);

#endif
