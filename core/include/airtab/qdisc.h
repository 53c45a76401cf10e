/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/qdisc.h: what a queue discipline is.
 *
 * A discipline is sans-IO: packets and the time come in, packets and verdicts
 * go out. The same object code runs in the simulator, in the user-space access
 * point and in the kernel; each of them is a "host".
 *
 * Rules
 *  - Time is monotonic nanoseconds, passed in, never decreasing per instance.
 *  - The host serialises all calls on one instance.
 *  - Operations never sleep, read a clock, allocate, use floating point, or
 *    divide 64 bits except by at_div().
 *  - Memory is bounded: state_size() says how much, the host provides it once.
 *  - Only enqueue, dequeue, drain, gate, change, reset, tick and row touch packets.
 *
 * What this is not: no classification (the host fills in flow, station and
 * class), no locking, no statistics export (the host reads the tables).
 */
#ifndef AIRTAB_QDISC_H
#define AIRTAB_QDISC_H

#include AT_HOST_H
/* AT_HOST_H defines u8..u64, s32, s64, bool, NULL, memset(), memcpy(),
 * struct at_pkt and these static inlines:
 *
 *  struct at_pkt **at_next(p)  list link, the core's only while p is queued
 *  void *at_priv(p)            AT_PRIV scratch bytes, 4-aligned, likewise
 *  u32  at_bytes(p)            length of the IP packet
 *  u32  at_flow(p)             keyed hash of the five-tuple
 *  u16  at_sta(p)              destination station; AT_GROUP = multicast,
 *                              AT_NO_STA = the host does not know stations
 *  u32  at_source(p)           keyed hash of the host that sent it; 0 = unknown
 *  u8   at_class(p)            0 = most urgent class of the host's classifier;
 *                              AT_URGENT = link control: ARP of at most
 *                              256 bytes, EAPOL (urgent.h bounds them further)
 *  bool at_key(p, struct at_key *)  what a classifier sees; false: no IP.
 *                              Ports are 0 where there are none to see: of all
 *                              fragments, and of what is neither TCP nor UDP
 *  bool at_mark_ce(p)          false: the packet is not ECN-capable
 *  bool at_tcp(p, struct at_tcp *)  false: not TCP, encrypted or a fragment
 *  u64  at_div(u64 n, u32 d)   n / d
 *
 * A struct at_pkt is host memory that does not move while it is queued.
 */

/* A condition that nearly always holds. Where the compiler knows how often, it makes a branch and no
 * choice between two values that are both computed. */
#ifdef __has_builtin
#if __has_builtin(__builtin_expect_with_probability)
#define AT_MOSTLY(x) __builtin_expect_with_probability(!!(x), 1, 0.999)
#endif
#endif
#ifndef AT_MOSTLY
#define AT_MOSTLY(x) __builtin_expect(!!(x), 1)
#endif

#define AT_PRIV 16		/* what skb->cb leaves to a qdisc, less 4 bytes of the kernel host */
#define AT_NEVER (~(u64)0)
#define AT_GROUP ((u16)0xffff)
#define AT_NO_STA ((u16)0xfffe)
#define AT_STATIONS 65536u	/* numbers that at_sta() can give */
#define AT_ROWS 256u		/* records that row() looks at in one call */
#define AT_URGENT ((u8)0xff)

/* Whom to charge once the transmission is over. gen 0 = nobody. */
struct at_ticket {
	u32 flow, gen, est;	/* est: ns already charged at dequeue */
	u16 light;		/* 1: its flow uses little air, and its station is not in debt; else 0 */
	u16 up;			/* user priority with which it should be sent, 5 or 6; 0: that of its DSCP */
};

/* What a transmission really took. An aggregate is split by the host: the
 * parts sum to the exchange. Two clocks, because they answer different
 * questions: `air` is the channel time of this packet's own attempts and
 * backoffs; `span` is the wall clock from the start of the first attempt to
 * the resolution, other stations' frames included (CHAP as published). */
struct at_tx {
	u64 air, span;		/* ns */
	u8 attempts;
	bool acked;
};

/* An uplink frame that was received. */
struct at_heard {
	u32 flow;		/* hash that its downlink half would have */
	u16 sta;
	u64 air;		/* ns, as in at_tx, less what was told of it before */
};

/* A station's link as the host sees it; 0 = unknown. */
struct at_link {
	u16 sta;
	bool here;		/* false: the station left; the rest is 0 then */
	u8 phy, nss;		/* profile: 1 + number in at_phys; spatial streams */
	u32 rate_kbps;
	u32 ampdu_frames, ampdu_ns;	/* of full-size packets, as many as go at once */
	u32 free_ppm;		/* of the last 100 ms nobody else used the medium; at least 1 */
	u32 below_bytes, below_ns;	/* left the queue for it and are not sent yet */
};

enum at_verdict {
	AT_OK,
	AT_CN,			/* p queued; another packet of its flow was dropped for it */
	AT_DROPPED,		/* p itself was dropped */
};

enum at_reason {
	AT_R_LIMIT,		/* queue full, the arriving packet refused */
	AT_R_MEMORY,		/* memory limit */
	AT_R_PUSHOUT,		/* queue full, a queued packet made room */
	AT_R_AQM,		/* dropped at dequeue by an AQM */
	AT_R_EARLY,		/* dropped early at enqueue by an AQM */
	AT_R_CLASS,		/* class or flow over its share */
	AT_R_RESET,
	AT_R_MERGED,		/* an acknowledgement that another packet makes good for */
	AT_R_MAX,
};

enum at_unit {
	AT_COUNT, AT_BYTES, AT_NS, AT_BPS, AT_PPM, AT_Q16, AT_BOOL, AT_CHOICE,
	AT_SIGNED_NS,		/* two's complement in a u64: credits */
	AT_HEX,			/* an identifier, not a quantity */
	AT_RULE,		/* classify.h */
	AT_WEIGHT,		/* of a sample, of 2^-32 */
};

enum {
	AT_P_INIT = 1,		/* fixed at init: change() must keep it */
	AT_P_HEARD = 2,		/* 1: by what heard() tells; a host that never calls it refuses that */
};

/* One row of a discipline's parameter table. The id is ABI (netlink attribute):
 * never reused, never renumbered. The table ends at name == NULL. */
struct at_param {
	u16 id;
	u8 unit, flags, max_len;	/* max_len > 1: a list, e.g. one value per class */
	const char *name, *help, *source;
	u64 def, min, max;
	const char *const *choices;	/* AT_CHOICE: NULL-terminated names */
};

/* The values of one parameter; an array of these follows the table's order. */
struct at_vals {
	const u64 *v;
	u8 len;
};

/* One row of a statistics table; ends at name == NULL. */
struct at_stat {
	u16 id;
	u8 unit;
	bool counter;			/* monotonic, else a gauge */
	const char *name, *help;
};

struct at_qdisc {
	const struct at_ops *ops;
	/* Gives a dropped packet back to the host; must not call ops. */
	void (*drop)(struct at_qdisc *q, struct at_pkt *p, enum at_reason why);
	/* Makes a pure acknowledgement of that number, of the connection and for the station
	 * of p, which is queued and stays so: as p, but without data and SACK blocks. Called
	 * by dequeue, which returns it; counted in `made`. NULL, or gives NULL: there is none. */
	struct at_pkt *(*ack)(struct at_qdisc *q, const struct at_pkt *p, u32 number);
	/* Whether `data`, which is queued or about to be given, says from now on all that the
	 * pure acknowledgement `ack` of the same flow says, so that this one can be dropped with
	 * AT_R_MERGED: its number is the later of the two. Called by dequeue. May be NULL. */
	bool (*merge)(struct at_qdisc *q, struct at_pkt *data, const struct at_pkt *ack);
	void *host;
	u32 qlen;
	u32 parked;			/* of these, packets of closed stations */
	u32 closed;			/* stations that are closed: gate() */
	/* always: in + made == out + sum(dropped) + qlen */
	u64 bytes, in, out, made, dropped[AT_R_MAX];
	u32 shut[AT_STATIONS / 32];	/* a bit for each: closed */
	u64 state[];			/* state_size() bytes, zeroed by the host */
};

struct at_ops {
	const char *name, *about;
	const struct at_param *params;
	const struct at_stat *stats, *row_stats;
	/* NULL if the values are good, else what is wrong with parameter number
	 * *bad (table order). Ranges are checked by at_check() first. May be NULL. */
	const char *(*check)(const struct at_vals *v, u16 *bad);
	u64 (*state_size)(const struct at_vals *v);
	/* seed: for hashes and random draws */
	void (*init)(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now);
	/* Values are checked; may drop packets down to a new limit. True: something
	 * is left (records to visit, packets over a new limit, or all of it while a
	 * change before is not through): the host calls again with the same values
	 * until false, and may free its lock and use q in between. */
	bool (*change)(struct at_qdisc *q, const struct at_vals *v, u64 now);
	/* drops everything with AT_R_RESET and forgets all flows: takes as long
	 * as there are packets, however many flows there were */
	void (*reset)(struct at_qdisc *q, u64 now);
	/* takes p, whatever the verdict */
	enum at_verdict (*enqueue)(struct at_qdisc *q, struct at_pkt *p, u64 now);
	/* NULL: nothing to send now; qlen == parked, or wake() says when, or a report may
	 * come before: the host asks again after each. May drop.
	 * Fills *t, having charged t->est. */
	struct at_pkt *(*dequeue)(struct at_qdisc *q, struct at_ticket *t, u64 now);
	/* Oldest first, no charge, no AQM: hands over to another discipline. */
	struct at_pkt *(*drain)(struct at_qdisc *q);
	/* A station is closed or opened; all are open at first. dequeue gives no packet
	 * of a closed one: these are parked, in their order, and whoever takes turns
	 * keeps his place. They count towards every limit and can be dropped as before;
	 * drain, reset and change see them. Any number can be closed, AT_GROUP and
	 * AT_NO_STA too; what is so already stays so; a reset opens nothing. */
	void (*gate)(struct at_qdisc *q, u16 sta, bool open, u64 now);

	/* Optional, may be NULL: */

	/* Once per ticket, in any order; stale and repeated reports are ignored. */
	void (*sent)(struct at_qdisc *q, const struct at_ticket *t, const struct at_tx *r, u64 now);
	/* Once for each uplink frame, and for each time that it is received again. */
	void (*heard)(struct at_qdisc *q, const struct at_heard *h, u64 now);
	/* For every station: at the start, whenever its link changes, and every
	 * 100 ms. What it changes is felt from the next operation on. */
	void (*link)(struct at_qdisc *q, const struct at_link *l, u64 now);
	/* Whether the host sends each packet in the access category of its ticket's `up` and reports it: at first
	 * it does not. */
	void (*categories)(struct at_qdisc *q, bool here);
	/* When to call tick, then dequeue, if nothing else happens; AT_NEVER. */
	u64 (*wake)(const struct at_qdisc *q, u64 now);
	void (*tick)(struct at_qdisc *q, u64 now);
	/* One value per row of stats. */
	void (*read)(const struct at_qdisc *q, u64 *stats, u64 now);
	/* The per-flow/station/class table. Looks for a row from cursor on (start at
	 * 0), at AT_ROWS places at most, and returns the place behind the last one
	 * that it looked at: the next cursor; 0 = the end. *found: cols holds one
	 * value per row of row_stats; the row's number is what was returned. A column
	 * "flow" is the hash of the one flow that a row is about: hosts show its gauges
	 * that have a unit beside that flow. "backlog", "backlog_bytes": what waits. */
	u32 (*row)(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found);
};

/* The one registration list, NULL-terminated. */
extern const struct at_ops *const at_disciplines[];

/* Checks values against the table (length, range, choice), then ops->check().
 * NULL if good, else what is wrong with parameter number *bad. */
const char *at_check(const struct at_ops *ops, const struct at_vals *v, u16 *bad);

#endif
