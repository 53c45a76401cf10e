/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What waits below a qdisc, and how much may: the core's governor (airtab/governor.h) beside
 * a discipline, a->inflight. All under the root's lock but for new, end and bytes.
 */
#ifndef AIRTAB_INFLIGHT_H
#define AIRTAB_INFLIGHT_H

#include "airtab.h"

/* A governor for a qdisc with these values: NULL, not wanted; or an ERR_PTR with the reason in
 * extack. */
struct at_inflight *at_inflight_new(struct Qdisc *sch, const struct at_set *set,
				    struct netlink_ext_ack *extack);
/* The same where there may be one: it stays if one is wanted. */
struct at_inflight *at_inflight_again(struct Qdisc *sch, struct at_inflight *f, const struct at_set *set,
				      struct netlink_ext_ack *extack);
/* May be NULL. Packets that are below stay what they are. */
void at_inflight_end(struct at_inflight *f);
/* Of its memory. */
u64 at_inflight_bytes(void);

/* The values of a->set are new; `with` is the governor from now on, or NULL. */
void at_inflight_change(struct airtab *a, struct at_inflight *with, u64 now);
/* A station was met or its number is another one's now. */
void at_inflight_met(struct airtab *a, u16 sta, u64 now);
/* What is learned of a station's link; the rest of *l stays. */
void at_inflight_link(const struct airtab *a, struct at_link *l);

/* Before a packet leaves: what completed is charged, gates are set. The time; *open: one may. */
u64 at_inflight_collect(struct airtab *a, bool *open);
/* One left, charged by a->ticket, which the driver gets next. */
void at_inflight_left(struct airtab *a, struct sk_buff *skb, u16 sta, u32 bytes, u64 now);
/* Nothing could leave though packets wait: their root dequeues when this may change. False: it
 * has already. */
bool at_inflight_wait(struct airtab *a);
/* When to be back at the latest; AT_NEVER. */
u64 at_inflight_wake(const struct airtab *a, u64 now);

/* One value per row of at_below_stats. */
void at_inflight_read(const struct airtab *a, u64 *values);
/* The station with number sta: one value per row of at_below_station_stats. */
void at_inflight_read_station(const struct airtab *a, u16 sta, u64 *values);

#endif
