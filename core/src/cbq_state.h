/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbq: its state; who goes next (cbq_order.c); what a class does with its packets
 * (cbq_inner.c); what it shows (cbq_rows.c).
 */
#ifndef AIRTAB_CBQ_STATE_H
#define AIRTAB_CBQ_STATE_H

#include "airtab/classify.h"
#include "airtab/flowqueues.h"
#include "airtab/hash.h"
#include "airtab/red.h"
#include "airtab/wf2q_few.h"

#define AT_CBQ_WEIGHT 4u	/* bits: weight of a ppm, so that 100 % is below 256 */
#define AT_CBQ_SHARE_MIN (AT_FEW_WEIGHT_MIN >> AT_CBQ_WEIGHT)

enum { AT_CBQ_FIFO, AT_CBQ_RED, AT_CBQ_FQ_CODEL };

struct at_cbq_class {
	struct at_line line;		/* inner fifo, red */
	struct at_red red;
	struct at_red_params params;
	u64 limit, served;		/* packets; bytes */
	u64 shown;			/* what the scheduler thinks that its next packet costs */
	u32 share;			/* ppm */
	u8 group;
};

struct at_cbq {
	struct at_rules rules;
	struct at_queues queues;	/* its queues: inner fq_codel; limit, urgent, seq: all's */
	struct at_few among;		/* of groups */
	struct at_few within[AT_CLASSES];	/* of the classes of a group */
	u64 shown[AT_CLASSES];		/* of groups */
	u32 stale;			/* groups that `among` is to be told of: a bit for each */
	u32 only;			/* the group that all classes are of, and `among` is nobody's; else `classes` */
	u64 random, hash;
	u64 marks, early, forced;
	u32 classes, flows;		/* flows: queues of a class */
	u8 inner;
	bool ecn;
	struct at_cbq_class at[AT_CLASSES];
	struct at_tin tins[AT_CLASSES];	/* packets and bytes of classes, whatever the inner */
};

static inline struct at_cbq *at_cbq_priv(const struct at_qdisc *q)
{
	return (struct at_cbq *)q->state;
}

/* Packets of class i that may go. */
static inline u32 at_cbq_may_go(const struct at_cbq *s, u32 i)
{
	return s->tins[i].qlen - s->tins[i].parked;
}

/* Class i, of whose packets none was served, has others than before. */
void at_cbq_sync(struct at_qdisc *q, u32 i);
/* The packet that goes next, which is no longer queued, or NULL: none may. */
struct at_pkt *at_cbq_next(struct at_qdisc *q, u64 now);
/* Shares and groups are set; nobody is owed anything. */
void at_cbq_begin(struct at_qdisc *q);

/* p is queued in class i, or refused, or another of the class makes room. The scheduler
 * is not told. */
enum at_verdict at_cbq_offer(struct at_qdisc *q, u32 i, struct at_pkt *p, u64 now);
/* p, which was taken from the line of class i, is counted out. */
struct at_pkt *at_cbq_count_out(struct at_qdisc *q, u32 i, struct at_pkt *p, u64 now);
/* As the next two, where flows take turns. */
u32 at_cbq_flows_head(const struct at_qdisc *q, u32 i);
struct at_pkt *at_cbq_flows_take(struct at_qdisc *q, u32 i, u64 now);

static inline bool at_cbq_has_flows(const struct at_cbq *s)
{
	return s->inner == AT_CBQ_FQ_CODEL;
}

/* Bytes of the packet of class i that goes next; one may. */
static inline u32 at_cbq_head_bytes(const struct at_qdisc *q, u32 i)
{
	struct at_cbq *s = at_cbq_priv(q);

	return at_cbq_has_flows(s) ? at_cbq_flows_head(q, i) : at_bytes(at_line_first(q, &s->at[i].line));
}

/* Takes it; NULL: CoDel has dropped all that might go. */
static inline struct at_pkt *at_cbq_take(struct at_qdisc *q, u32 i, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);

	if (at_cbq_has_flows(s))
		return at_cbq_flows_take(q, i, now);
	at_line_first(q, &s->at[i].line);
	return at_cbq_count_out(q, i, at_line_take(&s->at[i].line), now);
}

/* The class with the oldest packet, which *p is then, if it is older than *p or that is
 * NULL; else `classes`. */
u32 at_cbq_oldest(struct at_qdisc *q, struct at_pkt **p);
/* Takes it. */
struct at_pkt *at_cbq_pop_oldest(struct at_qdisc *q, u32 i);
/* Class i, which has packets, makes room: by its oldest, or that of its longest flow. */
struct at_pkt *at_cbq_pop_victim(struct at_qdisc *q, u32 i, u64 now);
/* The gate of a station was turned. */
void at_cbq_turned(struct at_qdisc *q, u32 i, u16 sta, bool open);
/* Drops all, and begins anew. */
void at_cbq_clear(struct at_qdisc *q, u64 now);
/* p has joined the queue. */
void at_cbq_came(struct at_qdisc *q, struct at_pkt *p, u64 now);

/* Tables. */
extern const struct at_stat at_cbq_stats[], at_cbq_row_stats[];
void at_cbq_read(const struct at_qdisc *q, u64 *v, u64 now);
u32 at_cbq_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found);

#endif
