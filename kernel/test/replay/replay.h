/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * A trace of operations on one discipline, and the log of what the discipline
 * decided. The same replayer (replay.c) is built into a user-space program over
 * host_user.h and into a kernel module over the kernel's host header; a host of
 * the replay is the functions at the end. Both formats are 32-byte records of
 * this machine's byte order.
 */
#ifndef AIRTAB_REPLAY_H
#define AIRTAB_REPLAY_H

#include "airtab/classify.h"

enum op_kind {
	OP_VALUE,	/* parameter `flow`, list index `bytes` is `arg`; its length is `sta` */
	OP_OPEN,	/* discipline number `flow` with the values so far and seed `arg` */
	OP_CHANGE,	/* the values so far */
	OP_ENQUEUE,
	OP_DEQUEUE,
	OP_SENT,	/* ticket `flow` dequeues ago, airtime `arg`, `flags` ns of other
			 * stations' frames in between; bytes = 1: an invented ticket */
	OP_HEARD,	/* airtime `arg` */
	OP_LINK,	/* rate `arg`; 0: it left */
	OP_GATE,	/* of station `sta`; bytes = 1: open */
	OP_DRAIN,	/* `bytes` packets */
	OP_TICK,
	OP_RESET,
	OP_READ,	/* books, statistics and rows into the log */
	OP_KINDS
};

/* Of an arriving packet. DSCP and the number of the source address take some bits
 * each. PKT_OPTIONS: options of IPv4, or a destination header of IPv6. */
enum {
	PKT_ECT = 1, PKT_TCP = 2, PKT_V6 = 4, PKT_OPTIONS = 8, PKT_FRAGMENT = 16,
	PKT_DSCP = 8, PKT_SOURCE = 16	/* shifts */
};

#define REPLAY_WHOLE 1500	/* bytes of a packet; longer ones are GSO's, without their payload */
#define REPLAY_SOURCES 16
#define REPLAY_STATIONS 16	/* and AT_GROUP and AT_NO_STA */

/* The ports of a packet, by its flow. */
#define REPLAY_SPORT(op) ((u16)((op)->flow >> 16 | 1))
#define REPLAY_DPORT(op) ((u16)((op)->flow | 1))

/* What at_source() says of each address: IPv4, IPv6, and of what is no IP. */
struct sources {
	u32 ip[2][REPLAY_SOURCES], none;
};

struct trace_op {
	u64 step;		/* ns since the operation before */
	u8 kind, cls;
	u16 sta;
	u32 flow, bytes;
	u32 flags;		/* of an arriving packet */
	u64 arg;		/* TCP: sequence and acknowledgement number */
};

enum out_kind {
	OUT_REFUSED,	/* a = parameter; at_check() said no */
	OUT_OPENED,	/* value = state_size */
	OUT_KEY,	/* id, what = whether there is one, a = protocol, b = DSCP, c = both ports */
	OUT_VERDICT,	/* what = verdict, a = qlen, value = bytes */
	OUT_DROP,	/* id, what = reason, ce */
	OUT_GIVEN,	/* id (0 = none), ce; a, b, c = ticket; value = qlen */
	OUT_WAKE,	/* value = when */
	OUT_BOOK,	/* a = which, value */
	OUT_STAT,	/* a = number in the table, value */
	OUT_ROW,	/* a = cursor, b = column, value */
	OUT_MADE,	/* an acknowledgement like packet id; a = its number, b = its length, what = whether
			 * its checksums are right; value = whether there is one */
	OUT_MERGED,	/* packet id took packet b's with it; a = its number, what = as above;
			 * value = whether it did */
	OUT_KINDS
};

struct trace_out {
	u32 op;			/* number of the operation, from 0 */
	u8 kind, what, ce, zero;
	u32 id, a, b, c;
	u64 value;
};

#define REPLAY_PARAMS 32
#define REPLAY_LIST 255
#define REPLAY_COLS 32
#define REPLAY_TICKETS 8192

struct replay {
	struct at_qdisc *q;
	u32 op, made, inside;		/* operations, packets made and in the queue */
	u64 now;
	u32 dequeues;
	u16 n_params;
	struct at_ticket tickets[REPLAY_TICKETS];
	struct at_vals vals[REPLAY_PARAMS];
	u64 value[REPLAY_PARAMS][REPLAY_LIST];
};

/* Performs one operation; false: the operation makes no sense, e.g. a packet
 * before OP_OPEN. Packets that leave are freed. */
bool replay_step(struct replay *r, const struct trace_op *op);
/* Drops what is queued, without a log, and frees the instance. */
void replay_end(struct replay *r);

/* The host. */
struct at_pkt *replay_make(const struct trace_op *op, u32 id);	/* NULL: no memory */
u32 replay_id(const struct at_pkt *p);
bool replay_ce(const struct at_pkt *p);		/* marked by at_mark_ce() */
struct at_pkt *replay_ack(const struct at_pkt *p, u32 number);	/* as struct at_qdisc's; of the same id */
bool replay_merge(struct at_pkt *data, const struct at_pkt *ack);
bool replay_right(const struct at_pkt *p);	/* its checksums */
void replay_free(struct at_pkt *p);
void *replay_alloc(u64 bytes);			/* zeroed */
void replay_release(void *memory);
void replay_out(struct replay *r, const struct trace_out *out);

#endif
