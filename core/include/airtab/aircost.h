/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/aircost.h: what a packet will cost in airtime on a station's link, contention of
 * so many stations included: T = contention(N) slot + overhead + bytes / rate.
 *
 * Source: P. Starzetz, thesis, INPG Grenoble 2006, 9.2.2: (9.2), and (9.3) for the mean
 * contention, in slots, of N stations that always have something to send (the access point
 * is one of them). (9.3) is a fit for windows of 32 slots; for those of 16 (OFDM) the table
 * has what the contention phase itself gives (docs/model-contention.md).
 *
 * Where several packets go at once the overhead and the contention are shared by them.
 *
 * What this is not: no retries and no collisions (they lengthen all costs alike, as long as
 * all links are as good), no block acknowledgement windows.
 */
#ifndef AIRTAB_AIRCOST_H
#define AIRTAB_AIRCOST_H

#include "airtab/airtime.h"
#include "airtab/qdisc.h"

#define AT_CONTENDERS 64u	/* more count as so many */
#define AT_FULL_BYTES 1500u	/* of a full-size packet */

struct at_aircost {
	u32 overhead;		/* ns of an exchange without payload and contention */
	u32 per_byte;		/* ns, 16.16 */
	u32 slot;		/* ns */
	u32 frames;		/* packets that go at once */
	bool narrow;		/* windows of 16 slots, not of 32 */
};

/* Mean idle slots before a success of one of n contenders, 16.16; n is at least 1. */
u32 at_contention(bool narrow, u32 n);

/* NULL if stations of that profile send at the rate, kb/s, else what is wrong with it. */
const char *at_aircost_wrong(const struct at_phy *phy, u32 kbps);

/* One packet at a time at a rate in kb/s, not 0. */
void at_aircost_of_rate(struct at_aircost *c, const struct at_phy *phy, u32 kbps);

/* What a host says of a station's link; false: it says too little, and *c stays. */
bool at_aircost_of_link(struct at_aircost *c, const struct at_link *l);

/* Contention of n stations, ns a packet. */
static inline u32 at_aircost_contention(const struct at_aircost *c, u32 n)
{
	u64 ns = (u64)at_contention(c->narrow, n) * c->slot >> 16;

	return (u32)(c->frames > 1 ? at_div(ns, c->frames) : ns);
}

/* T of a packet of so many bytes, ns; contention: at_aircost_contention(). */
static inline u64 at_aircost_ns(const struct at_aircost *c, u32 bytes, u32 contention)
{
	return contention + c->overhead + ((u64)bytes * c->per_byte >> 16);
}

#endif
