/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/promote.h: light flows in a better access category (IEEE 802.11-2020 10.2.3.2: user priorities), decided for
 * each packet that leaves.
 *
 * Rules
 *  - A flow changes its category only if the host has reported all its packets, or its last one left AT_PROMOTE_SILENT
 *    ago. So two categories never hold packets of one flow. A flow that may stay no longer waits until then.
 *    If its last packet is reported, others are waited for at most AT_PROMOTE_PATIENCE: their reports were lost.
 *    One in best effort that has become light waits at most AT_PROMOTE_PATIENCE in any case; then it stays, for
 *    AT_PROMOTE_SILENT, and twice as long each time. So does one whose last packet is not reported in AT_PROMOTE_SILENT.
 *  - Packets that left before a flow was followed are unknown: it stays in best effort for AT_PROMOTE_SILENT.
 *  - One part in AT_PROMOTE_SHARE of the air, by a token bucket of AT_PROMOTE_BURST. A packet takes its estimate and,
 *    with its report, the difference from its airtime. A flow enters while half of the bucket is there, and leaves
 *    when the bucket is empty.
 *  - A flow has one packet each AT_PROMOTE_PACKET on average, by a token bucket of AT_PROMOTE_FLOW_BURST. Packets in
 *    best effort count, too. TCP's ACKs and streams would lose their aggregates. A limit of airtime would exclude
 *    calls that compete with uploads, by contention and retries.
 *  - A host that reports nothing has no such flows.
 *
 * Memory: AT_PROMOTE_FLOWS flows are followed at a time. Of two flows of one place the second stays in best effort, until
 * the first has been silent.
 *
 * Limits: the caller decides which flows are light. A packet with a DSCP has the category of that: the caller says so.
 */
#ifndef AIRTAB_PROMOTE_H
#define AIRTAB_PROMOTE_H

#include "airtab/qdisc.h"

#define AT_PROMOTE_FLOWS 192u
#define AT_PROMOTE_SHARE 10u			/* all flows: one part in 10 of the air */
#define AT_PROMOTE_BURST 10000000ull		/* ns of airtime that the bucket holds */
#define AT_PROMOTE_PACKET 3200000u		/* ns between packets of a flow, mean: 312 a second */
#define AT_PROMOTE_FLOW_BURST (40 * AT_PROMOTE_PACKET)	/* its bucket: ns of such packets */
#define AT_PROMOTE_FLOW_MOST (4 * AT_PROMOTE_FLOW_BURST)	/* most debt, likewise */
#define AT_PROMOTE_SILENT 1000000000ull		/* ns after which a packet is gone that was not reported */
#define AT_PROMOTE_PATIENCE 50000000ull		/* ns that a flow waits for packets in best effort, or for lost reports */
#define AT_PROMOTE_VAIN 5u			/* doublings of the time until the next wait: 32 s */

/* User priorities: the first one of video, and of voice. */
enum { AT_UP_NONE = 0, AT_UP_VIDEO = 5, AT_UP_VOICE = 6 };

struct at_promote_flow {
	u64 stays, last;	/* in best effort until then, or waits since then to leave it; its last packet left: ns */
	u32 flow, gen;		/* record of the discipline, 0: none; its generation */
	u32 first, newest;	/* serial number of the first ticket that counts, and of the last one */
	u32 spent;		/* missing in its bucket when the last one left, ns of AT_PROMOTE_PACKET */
	u16 below;		/* packets that are not reported */
	u8 up;			/* its user priority; AT_UP_NONE: best effort */
	u8 vain : 4;		/* waits in vain since the last change, at most AT_PROMOTE_VAIN */
	u8 waits : 1;		/* for the end of those, to change */
	u8 over : 1;		/* the last one is reported */
};

struct at_promote {
	u8 up;			/* user priority of light flows; AT_UP_NONE: off */
	u32 waiting;		/* flows that wait */
	u64 full;		/* when the bucket is, ns */
	u64 due;		/* no wait ends before, ns */
	u64 packets, air, waits;	/* promoted packets and what they were charged, ns; how often a flow had to wait */
	struct at_promote_flow flows[AT_PROMOTE_FLOWS];
};

/* Before a packet of a flow is taken whose ticket will have the serial number: changes the flow's category if it should
 * and can. False: it must change and cannot, so the flow waits. */
bool at_promote_turn(struct at_promote *k, u32 flow, u32 gen, u32 serial, bool light, u64 now);
/* That packet leaves, charged est ns; `marked`: it has a category of its own. Its user priority. */
u8 at_promote_left(struct at_promote *k, u32 flow, u32 gen, u32 serial, u32 est, bool marked, u64 now);
/* A ticket is settled, due ns above its charge. True: its flow waits no longer. */
bool at_promote_sent(struct at_promote *k, u32 flow, u32 gen, u32 serial, s64 due, u64 now);
/* A flow that waits though its packets are gone, or all wait no longer: its record, NULL: there is none. It waits no longer. */
const struct at_promote_flow *at_promote_overdue(struct at_promote *k, bool all, u64 now);
/* No wait ends before that time, ns, unless by a report; AT_NEVER: none waits. */
static inline u64 at_promote_due(const struct at_promote *k)
{
	return k->waiting ? k->due : AT_NEVER;
}
/* No flow is followed. */
void at_promote_forget(struct at_promote *k);

#endif
