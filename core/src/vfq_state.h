/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The state that vfq and wfq share: a box for each station, which is a class of WF2Q+
 * (wf2q.h), and in a box flows that take turns. vfq.c has the rules, vfq_boxes.c who goes
 * and who makes room, vfq_flows.c the flows' records, vfq_acks.c what acknowledgements
 * prove, vfq_state.c set-up and rows.
 */
#ifndef AIRTAB_VFQ_STATE_H
#define AIRTAB_VFQ_STATE_H

#include "airtab/aircost.h"
#include "airtab/align.h"
#include "airtab/codel.h"
#include "airtab/credit.h"
#include "airtab/flowtable.h"
#include "airtab/places.h"
#include "airtab/rounds.h"
#include "airtab/tickets.h"
#include "airtab/urgent.h"
#include "airtab/wf2q.h"

#define AT_VFQ_WEIGHTS 16u	/* stations with a weight of their own */
#define AT_VFQ_FIRST 100u	/* packets that wait where what is not TCP goes first */

enum { AT_VFQ_URGENT = 1 };	/* mark of a charge */
enum at_vfq_uplink { AT_VFQ_ACK, AT_VFQ_HEARD, AT_VFQ_AUTO };

/* What is known of a TCP connection from what was sent to its station. */
struct at_vfq_proof {
	u32 acked;		/* greatest acknowledgement number that was released */
	u32 edge;		/* the station may not have sent beyond */
	u32 window;		/* as announced last, to tell duplicates */
	u16 mss;		/* of the peer's SYN; 0: not seen */
	u16 dups;		/* duplicates since the last advance */
	u8 scale;		/* of the peer's window */
	bool scaled;		/* its SYN was seen */
	bool known;		/* a number was released */
};

/* A record of the flow table, or one for what has none there, of each box. */
struct at_vfq_flow {
	struct at_flow_node node;
	struct at_seat seat;	/* among the flows of box `whose` */
	struct at_line line;
	struct at_codel codel;
	struct at_vfq_proof proof;
	s64 credit;		/* ns, with inner = credit */
	u64 last;		/* when a packet came */
	u64 astray;		/* sequence number of the last packet that went first */
	u32 qlen, parked, bytes, boosts;
};

/* A packet as the accounting sees it. */
struct at_vfq_seen {
	struct at_tcp tcp;
	u32 header;		/* bytes of an ACK of this connection, without SACK blocks */
	bool is_tcp, ack, control, pure;
};

/* Of a station. */
struct at_vfq_box {
	struct at_rounds rounds;
	struct at_aircost cost;
	u32 contenders, contention;	/* of so many stations, ns; 0: not worked out */
	struct at_vfq_seen seen;	/* of the packet with that number, the last one that was shown */
	u64 seen_of;		/* 0: none */
	u64 last;		/* when it had packets */
	u64 heard_at;		/* last report of uplink airtime; 0: none */
	u64 bytes, down, up, heard;	/* queued; ns charged: downlink, inferred, reported */
	u32 qlen, parked;
	u32 boosts;		/* of its flows */
	u32 split, merged, refused;	/* acknowledgements */
	bool weighed;		/* has a weight, by any packet */
	bool met;		/* has one by its first packet of TCP */
	bool linked;		/* the host has told its link */
};

struct at_vfq;

/* Cost of a packet of a box, of so many bytes. */
typedef u64 at_vfq_cost(const struct at_vfq *s, struct at_vfq_box *box, u32 bytes);

struct at_vfq {
	struct at_wf2q wf2q;
	struct at_vfq_box *boxes;
	struct at_vfq_flow *flows;	/* the table's, then one for each box */
	struct at_flowtable table;
	struct at_urgent urgent;
	struct at_line first;		/* what is not TCP, where that goes first */
	u32 first_len, first_parked;
	u64 first_bytes;
	u32 n_boxes, rest;		/* rest + box: its flow that is in no table */
	u32 contenders;			/* stations with packets at the last dequeue, and one */
	u64 seq, limit, box_limit, idle;
	struct at_codel_params codel;	/* target 0: off */
	struct at_codel_stats codel_total;
	struct at_aircost usual;	/* of stations whose link nobody told */
	u32 burst, mtu, dupack;
	u32 weights[AT_VFQ_WEIGHTS], n_weights, download, upload;	/* 16.16 */
	s64 increment;			/* ns, of inner = credit */
	bool faithful, merge, by_segment, by_credit, udp_first;
	u8 uplink;
	u64 n_evictions, n_settled, n_stale, n_split, n_merged, n_refused;
	at_vfq_cost *plain;		/* as wfq counts; NULL: airtime as vfq does */
	u32 quantum;			/* bytes, of plain */
	struct at_tickets tickets;
};

static inline struct at_vfq *at_vfq_priv(const struct at_qdisc *q)
{
	return (struct at_vfq *)(void *)(uintptr_t)q->state;
}

/* Contention as of the last dequeue, ns a packet. */
static inline u32 at_vfq_contention(const struct at_vfq *s, struct at_vfq_box *b)
{
	if (b->contenders != s->contenders) {
		b->contenders = s->contenders;
		b->contention = at_aircost_contention(&b->cost, s->contenders);
	}
	return b->contention;
}

/* ---- vfq_acks.c ---- */

/* What a packet that leaves costs. */
struct at_vfq_bill {
	u64 down, up;		/* ns: its own exchange; what it proves the station sent */
};

void at_vfq_look(const struct at_vfq *s, const struct at_pkt *p, struct at_vfq_seen *seen);
/* What a packet of flow f would cost now, the acknowledgement number counting as `ack`. */
struct at_vfq_bill at_vfq_price(const struct at_vfq *s, struct at_vfq_box *box,
				const struct at_vfq_flow *f, const struct at_vfq_seen *seen,
				u32 bytes, u32 ack, u64 now);
/* It was released with that number. */
void at_vfq_released(struct at_vfq *s, struct at_vfq_box *box, struct at_vfq_flow *f,
		     const struct at_vfq_seen *seen, u32 ack);
/* Whether of two packets of a flow, one behind the other, one is a pure acknowledgement whose
 * number can go with the other one, which has data. */
bool at_vfq_joins(const struct at_vfq *s, const struct at_vfq_flow *f, const struct at_vfq_seen *first,
		  const struct at_vfq_seen *second);
/* The number that goes ahead in an acknowledgement of its own; false: none has to, and it is left
 * as it is. */
bool at_vfq_splits(const struct at_vfq *s, const struct at_vfq_flow *f, const struct at_vfq_seen *seen, u32 *number);

/* How far a number goes beyond the last one; 0: it does not, or is not believed. */
static inline u32 at_vfq_advance_of(const struct at_vfq_proof *proof, u32 ack)
{
	u32 by = ack - proof->acked;

	return proof->known && by <= proof->edge - proof->acked ? by : 0;
}


/* ---- vfq_flows.c ---- */

/* The flow of a packet in its box: a record, or the box's own flow. */
u32 at_vfq_flow_of(struct at_vfq *s, u32 box, const struct at_pkt *p, u64 now);
/* Nothing is known of a flow but what waits. */
void at_vfq_forget_flow(struct at_vfq_flow *f);

/* ---- vfq_boxes.c ---- */

u32 at_vfq_box_of(const struct at_vfq *s, u16 sta);
enum at_verdict at_vfq_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now);
struct at_pkt *at_vfq_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now);
struct at_pkt *at_vfq_drain(struct at_qdisc *q);
void at_vfq_gate(struct at_qdisc *q, u16 sta, bool open, u64 now);
void at_vfq_link(struct at_qdisc *q, const struct at_link *l, u64 now);
void at_vfq_reset(struct at_qdisc *q, u64 now);
/* Brings what is queued under new limits; true: more is left to do. */
bool at_vfq_shrink(struct at_qdisc *q, u64 now);

/* ---- vfq_state.c ---- */

void at_vfq_set_weights(struct at_vfq *s, const struct at_vals *weights);
/* Link of stations that the host tells none of: number of a profile, bits/s. */
void at_vfq_set_usual(struct at_vfq *s, u64 phy, u64 rate);
u64 at_vfq_state_size(u32 stations, u32 flows);
void at_vfq_init(struct at_qdisc *q, u32 stations, u32 flows, u64 seed);
/* The place behind the first one from cursor on that has something to tell (*found), or
 * that is to be looked from next; 0: the end. */
u32 at_vfq_next_row(const struct at_vfq *s, u32 cursor, bool *found);
/* What waits at a place of the rows. */
void at_vfq_backlog(const struct at_vfq *s, u32 place, u64 *packets, u64 *bytes);

#endif
