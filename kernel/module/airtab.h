/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * sch_airtab, inside: one running qdisc and the values of its parameters.
 */
#ifndef SCH_AIRTAB_H
#define SCH_AIRTAB_H

#include <net/pkt_sched.h>

#include "airtab/arrival.h"
#include "airtab/emulator.h"
#include "airtab/refuse.h"
#include "wire.h"

/* One value per parameter, the discipline's first, then the glue's: what
 * struct at_ops takes. The values themselves are behind it in the same memory. */
struct at_set {
	struct rcu_head rcu;
	u32 n;				/* parameters of the discipline */
	struct at_vals vals[] __aligned(8);
};

struct books {
	u32 packets, bytes;
};

#define AT_COLUMNS 20		/* that a table of rows may have */

/* Columns that are standard statistics of a class, too. */
enum at_standard { AT_STD_BYTES, AT_STD_PACKETS, AT_STD_QLEN, AT_STD_BACKLOG, AT_STD };

/* A row of the table as it was looked at last; RTNL protects it. */
struct at_row {
	u32 number;			/* 0: none */
	u64 col[AT_COLUMNS + 1];	/* one more, always 0 */
};

/* An emulated link (emulate.c). */
struct at_emulation {
	bool on;
	struct at_emulator link;
	u32 kbps;
	u64 fer;			/* of 2^32 */
	struct sk_buff *held;		/* on the link */
	struct at_ticket ticket;	/* its, and what it takes */
	struct at_tx took;
	u64 until, free;		/* when that ends; when the last one ended */
};

struct airtab {			/* qdisc_priv() */
	struct at_host host;
	void *stations;			/* its memory, or NULL */
	const struct at_ops *core;
	struct at_qdisc *q;		/* NULL until init is through */
	struct at_set *set;
	struct Qdisc *sch;
	struct at_inflight *inflight;	/* NULL: no governor */
	struct at_emulation emulation;
	struct sk_buff **dropped;	/* where the current operation's drops go */
	struct sk_buff *drops;		/* those of a dequeue */
	struct at_ticket ticket;	/* of the packet that was dequeued last */
	bool below;			/* a governor runs, or a link is emulated */
	struct qdisc_watchdog watchdog;
	u64 wake;			/* when it is set for */
	u64 links_due;			/* when its links are told of again */
	bool fast;			/* the device's line: 1 Gb/s or more */
	struct books gone;		/* though our books and the parents' count it */
	struct at_row row;
	u8 standard[AT_STD];		/* column of each, or AT_COLUMNS */
};

static inline u64 at_glue_value(const struct at_set *set, enum at_glue i)
{
	return *set->vals[set->n + i].v;
}

/* Whether what is dequeued leaves at 1 Gb/s or more: the line does, and nobody else
 * holds packets up: no parent, no governor, no emulated link, nor a discipline that sets
 * timers. Of a parent's rate nothing is known. mq is none: it serves each transmit queue as
 * the device does. */
static inline bool at_leaves_fast(const struct airtab *a)
{
	bool on_top = a->sch->parent == TC_H_ROOT || (a->sch->flags & TCQ_F_NOPARENT);

	return READ_ONCE(a->fast) && on_top && !a->core->wake && !a->below;
}

/* Whether GSO packets are cut. */
static inline bool at_splits(const struct airtab *a)
{
	u64 how = at_glue_value(a->set, AT_GLUE_SPLIT);

	return a->inflight || (how == AT_SPLIT_AUTO ? !at_leaves_fast(a) : how == AT_SPLIT_ON);
}

/* Looks how fast the device's line is: now; and, from start to stop of the module,
 * whenever it changes. */
void at_speed_look(struct airtab *a);
int at_speed_start(void);
void at_speed_stop(void);

/* `old`, or the defaults if NULL, with what is in opt (may be NULL): a new set,
 * checked, or an ERR_PTR with the reason in extack. */
struct at_set *at_set_parse(const struct at_ops *core, const struct at_set *old,
			    struct nlattr *opt, struct netlink_ext_ack *extack);

/* Zeroed memory for an instance with these values, or an ERR_PTR with the reason
 * in extack. asked: somebody wants this qdisc, it is not a device's default. */
struct at_qdisc *at_memory(struct Qdisc *sch, struct at_set *set, bool asked,
			   struct netlink_ext_ack *extack);

/* What the discipline is told of stations' links: from now on; of a station that was
 * just met; of all of them, since it is time. */
void at_links_start(struct airtab *a, u64 now);
void at_links_met(struct airtab *a, u16 sta, u64 now);
void at_links_sample(struct airtab *a, u64 now);

void at_dump_init(struct airtab *a);
int at_dump(struct Qdisc *sch, struct sk_buff *skb);
int at_dump_stats(struct Qdisc *sch, struct gnet_dump *d);
extern const struct Qdisc_class_ops at_class_ops;

#endif
