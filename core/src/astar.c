/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * astar: one drop-tail queue whose size follows what the access point sees of it: how long
 * packets are served (eBDP), how long the queue is empty (ALT), or the smaller of both (A*).
 *
 * Source: T. Li, D. Leith and D. Malone, Buffer sizing for 802.11 based networks, IEEE/ACM ToN
 * 19(1), 2011, as in A. J. Showail, PhD dissertation, KAUST 2016, 2.3.1 (equations 2.1 to 2.3).
 *
 *	Q_eBDP = T_max / T_serv + c, at most Q_max
 *	q(k+1) = q(k) + a t_i(k) - b t_b(k), from 0 to Q_max
 *
 * Rules
 *  - T_serv is the mean time from when a packet became the first of those that may go until it
 *    was reported, with a weight of 1/8 for each report; lost ones count. Before the first
 *    report Q_eBDP is Q_max (`limit`).
 *  - t_i and t_b are how long the queue had no packet that may go, and had some, in the k-th
 *    `interval`. The size follows, and is held to its bounds, when that ends.
 *  - A packet that finds Q packets, at least 1, is refused. A size that falls drops nothing.
 *
 * The weak points are the sources': with a ring below, T_serv has the time in it; ALT is slow.
 *
 * Cost: O(1) a packet, a division where a report makes another size.
 *
 * What this is not: no stations, no classes and no urgent packets; no aggregates.
 *
 * Defaults: T_max 200 ms, c 5, Q_max 400; a 10 and b 1 a second, 1 s.
 */
#include "airtab/gate.h"

#define SERVED 4096u		/* packets that are told apart until they are reported */
#define WEIGHT 3u		/* of a report: 1/8 */
#define GRAIN 6u		/* of times kept: 64 ns */
#define LONGEST 4000000000u	/* ns that a service counts for at most */
#define NONE (~(u32)0)		/* more than fit into any T_max, so that no service is as before */

enum { P_LAW, P_DELAY, P_BURST, P_LIMIT, P_GROW, P_SHRINK, P_INTERVAL, P_FIRST, P_END };
enum { S_SIZE, S_EBDP, S_ALT, S_SERVICE, S_STALE, S_END };
enum { EBDP, ALT, ASTAR };	/* values of `law` */

struct served {
	u32 serial;		/* 0: reported */
	u32 since;		/* when it became the first, GRAIN */
};

struct astar {
	struct at_line line;
	u64 head;		/* since when there is another first one */
	u64 next;		/* end of the interval */
	u64 since;		/* what came before is counted */
	u64 alt;		/* packets, 16.16, times 10^9: as the last interval ended */
	u64 idle, loaded;	/* t_i and t_b of this one, until `since`, ns */
	u64 service;		/* ns, times 8; 0: nothing was reported */
	u64 stale;
	u32 size, ebdp, alt_size;	/* packets */
	u32 fits;		/* services that fit into T_max; NONE: none was reported */
	u32 last;		/* serial */
	bool busy;		/* since `since`: there is a packet that may go */
	/* parameters */
	u8 law;
	u32 limit, burst, grow, shrink, interval, delay;	/* grow, shrink: 16.16 */
	u32 first;
	struct served ring[SERVED];
};

#define ALT_ONE ((u64)65536 * 1000000000)

static const char *const astar_laws[] = { "ebdp", "alt", "astar", NULL };

static const struct at_param astar_params[] = {
	[P_LAW] = {
		.id = 1, .unit = AT_CHOICE, .max_len = 1, .name = "law",
		.help = "what sizes the queue: service times, time without packets, or the smaller of both",
		.source = "Li 2011", .def = ASTAR, .min = 0, .max = 2, .choices = astar_laws,
	},
	[P_DELAY] = {
		.id = 2, .unit = AT_NS, .max_len = 1, .name = "delay",
		.help = "T_max: how long packets may wait", .source = "Li 2011", .def = 200000000, .min = 1000000,
		.max = 4000000000u,
	},
	[P_BURST] = {
		.id = 3, .unit = AT_COUNT, .max_len = 1, .name = "burst",
		.help = "c: packets for bursts", .source = "Li 2011", .def = 5, .min = 0, .max = 65535,
	},
	[P_LIMIT] = {
		.id = 4, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "Q_max: packets that the queue holds at most", .source = "Li 2011", .def = 400, .min = 1,
		.max = 65535,
	},
	[P_GROW] = {
		.id = 5, .unit = AT_Q16, .max_len = 1, .name = "grow",
		.help = "a: packets more for each second of an empty queue", .source = "Li 2011", .def = 10 << 16,
		.min = 0, .max = 1000 << 16,
	},
	[P_SHRINK] = {
		.id = 6, .unit = AT_Q16, .max_len = 1, .name = "shrink",
		.help = "b: packets fewer for each second of a queue that is not empty", .source = "Li 2011",
		.def = 1 << 16, .min = 0, .max = 1000 << 16,
	},
	[P_INTERVAL] = {
		.id = 7, .unit = AT_NS, .max_len = 1, .name = "interval",
		.help = "after which the size follows", .source = "Li 2011", .def = 1000000000, .min = 1000000,
		.max = 4000000000u,
	},
	[P_FIRST] = {
		.id = 8, .unit = AT_COUNT, .max_len = 1, .name = "first",
		.help = "size that ALT begins with, at most limit; 0: limit", .source = "docs/astar.md", .def = 0,
		.min = 0, .max = 65535,
	},
	[P_END] = { 0 },
};

static const struct at_stat astar_stats[] = {
	[S_SIZE] = { .id = 1, .unit = AT_COUNT, .name = "limit", .help = "packets that the queue holds now" },
	[S_EBDP] = { .id = 2, .unit = AT_COUNT, .name = "ebdp", .help = "by service times" },
	[S_ALT] = { .id = 3, .unit = AT_Q16, .name = "alt", .help = "by time without packets" },
	[S_SERVICE] = { .id = 4, .unit = AT_NS, .name = "service",
		.help = "T_serv: from first of the queue to the report, mean; 0: none was reported" },
	[S_STALE] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "stale",
		.help = "reports that fit no packet that was sent" },
	[S_END] = { 0 },
};

static const struct at_stat astar_row_stats[] = { { 0 } };

static struct astar *astar_priv(const struct at_qdisc *q)
{
	return (struct astar *)q->state;
}

static u64 astar_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct astar);
}

/* ---- sizes ---- */

static void astar_set_alt(struct astar *s, u64 alt)
{
	u64 most = s->limit * ALT_ONE;

	s->alt = alt < most ? alt : most;
	s->alt_size = (u32)at_div(s->alt >> 16, 1000000000);
}

static void astar_set_size(struct astar *s)
{
	u32 alt = s->alt_size, size = s->law == ALT ? alt : s->ebdp;

	if (s->law == ASTAR && alt < size)
		size = alt;
	s->size = size ? size : 1;
}

static void astar_set_ebdp(struct astar *s)
{
	u32 ns = (u32)(s->service >> WEIGHT);		/* at most LONGEST */
	u64 size = s->limit;

	s->fits = NONE;
	if (s->service) {
		s->fits = s->delay / (ns ? ns : 1);
		size = (u64)s->fits + s->burst;
	}
	s->ebdp = size < s->limit ? (u32)size : s->limit;
}

/* Whether Q_eBDP is what it was: as many services fit into T_max, which takes no division to tell
 * (of services of nothing it is not told). */
static bool astar_same_ebdp(const struct astar *s)
{
	u32 ns = (u32)(s->service >> WEIGHT);

	return s->delay - (u64)s->fits * ns < ns;
}

/* Time that the queue was empty makes it longer, time that it was not makes it shorter. */
static void astar_grow(struct astar *s, u64 idle, u64 loaded)
{
	u64 alt = s->alt + idle * s->grow, down = loaded * s->shrink;

	astar_set_alt(s, down < alt ? alt - down : 0);
}

/* The same for so long that the queue was as it is. */
static void astar_grow_on(struct astar *s, u64 ns)
{
	u32 by = s->busy ? s->shrink : s->grow;
	u64 enough = by ? at_div(s->limit * ALT_ONE, by) + 1 : 0;

	if (ns > enough)
		ns = enough;
	astar_grow(s, s->busy ? 0 : ns, s->busy ? ns : 0);
}

/* The queue gets or loses its packets that may go, or an interval ends. */
static void astar_note(const struct at_qdisc *q, struct astar *s, u64 at)
{
	*(s->busy ? &s->loaded : &s->idle) += at - s->since;
	s->since = at;
	s->busy = q->qlen != q->parked;
}

/* Intervals that are over; the queue was as it is since the last note. */
static void astar_catch_up(const struct at_qdisc *q, struct astar *s, u64 now)
{
	u64 more = at_div(now - s->next, s->interval) * s->interval;

	astar_note(q, s, s->next);
	astar_grow(s, s->idle, s->loaded);
	astar_grow_on(s, more);
	s->idle = s->loaded = 0;
	s->since += more;
	s->next = s->since + s->interval;
	astar_set_size(s);
}

static void astar_due(const struct at_qdisc *q, struct astar *s, u64 now)
{
	if (now >= s->next)
		astar_catch_up(q, s, now);
}

/* ---- operations ---- */

/* A packet was pushed where none may go. */
static __attribute__((__noinline__)) enum at_verdict astar_pushed(const struct at_qdisc *q, struct astar *s, u64 now)
{
	if (q->qlen != q->parked) {
		s->head = now;
		astar_note(q, s, now);
	}
	return AT_OK;
}

static __attribute__((__noinline__)) enum at_verdict astar_refuse(struct at_qdisc *q, struct at_pkt *p)
{
	return at_book_refuse(q, p, AT_R_LIMIT);
}

static inline enum at_verdict astar_push(struct at_qdisc *q, struct astar *s, struct at_pkt *p, u64 now)
{
	if (q->qlen >= s->size)
		return astar_refuse(q, p);
	at_fifo_push(&s->line.fifo, p);
	at_book_in(q, p);
	return s->busy ? AT_OK : astar_pushed(q, s, now);
}

static __attribute__((__noinline__)) enum at_verdict astar_enqueue_late(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	astar_catch_up(q, astar_priv(q), now);
	return astar_push(q, astar_priv(q), p, now);
}

static enum at_verdict astar_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct astar *s = astar_priv(q);

	return now >= s->next ? astar_enqueue_late(q, p, now) : astar_push(q, s, p, now);
}

/* The first packet is sent: what waits for its report. */
static void astar_issue(struct astar *s, struct at_ticket *t, u64 now)
{
	if (!++s->last)
		s->last = 1;
	s->ring[s->last % SERVED] = (struct served){ s->last, (u32)(s->head >> GRAIN) };
	t->gen = s->last;
	s->head = now;
}

/* Where more is to be done than to send the oldest: an interval is over, a station is closed, or
 * the queue gets empty, or is. */
static __attribute__((__noinline__)) struct at_pkt *
astar_dequeue_rare(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct astar *s = astar_priv(q);
	struct at_pkt *p = at_line_first(q, &s->line);

	astar_due(q, s, now);
	if (!p)
		return NULL;
	at_line_take(&s->line);
	at_book_out(q, p);
	astar_issue(s, t, now);
	if (q->qlen == q->parked)
		astar_note(q, s, now);
	return p;
}

static struct at_pkt *astar_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct astar *s = astar_priv(q);
	struct at_pkt *p;

	*t = (struct at_ticket){ 0 };
	if (now >= s->next || q->closed || q->qlen < 2)
		return astar_dequeue_rare(q, t, now);
	p = at_fifo_take(&s->line.fifo, NULL);
	at_book_out(q, p);
	astar_issue(s, t, now);
	return p;
}

/* Q_eBDP, and the size with it, are others. */
static __attribute__((__noinline__)) void astar_resize(struct astar *s)
{
	astar_set_ebdp(s);
	if (s->law != ALT)
		astar_set_size(s);
}

static inline void astar_reported(struct astar *s, const struct at_ticket *t, u64 now)
{
	struct served *served = &s->ring[t->gen % SERVED];
	u64 ns;

	if (!t->gen)
		return;
	if (served->serial != t->gen) {
		s->stale++;
		return;
	}
	served->serial = 0;
	ns = (u64)((u32)(now >> GRAIN) - served->since) << GRAIN;
	if (ns > LONGEST)
		ns = LONGEST;
	s->service = s->service ? s->service - (s->service >> WEIGHT) + ns : (ns ? ns : 1) << WEIGHT;
	if (!astar_same_ebdp(s))
		astar_resize(s);
}

static __attribute__((__noinline__)) void astar_sent_late(struct at_qdisc *q, const struct at_ticket *t, u64 now)
{
	astar_catch_up(q, astar_priv(q), now);
	astar_reported(astar_priv(q), t, now);
}

static void astar_sent(struct at_qdisc *q, const struct at_ticket *t, const struct at_tx *r, u64 now)
{
	struct astar *s = astar_priv(q);

	(void)r;
	if (now >= s->next)
		astar_sent_late(q, t, now);
	else
		astar_reported(s, t, now);
}

static struct at_pkt *astar_drain(struct at_qdisc *q)
{
	struct at_pkt *p = at_line_pop(&astar_priv(q)->line);

	if (p)
		at_book_out(q, p);
	return p;
}

/* Another packet may be the first that may go. */
static void astar_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct astar *s = astar_priv(q);
	const struct at_pkt *first = at_line_first(q, &s->line);

	astar_due(q, s, now);
	if (!at_gate_turn(q, sta, open))
		return;
	at_line_turned(q, &s->line, sta, open);
	if (at_line_first(q, &s->line) != first)
		s->head = now;
	astar_note(q, s, now);
}

/* ---- set-up ---- */

/* A lower limit drops the oldest. */
static bool astar_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct astar *s = astar_priv(q);

	astar_due(q, s, now);
	astar_note(q, s, now);
	s->law = (u8)*v[P_LAW].v;
	s->delay = (u32)*v[P_DELAY].v;
	s->burst = (u32)*v[P_BURST].v;
	s->limit = (u32)*v[P_LIMIT].v;
	s->grow = (u32)*v[P_GROW].v;
	s->shrink = (u32)*v[P_SHRINK].v;
	s->interval = (u32)*v[P_INTERVAL].v;
	s->first = (u32)*v[P_FIRST].v;
	if (s->next > now + s->interval)
		s->next = now + s->interval;
	astar_set_alt(s, s->alt);
	astar_set_ebdp(s);
	astar_set_size(s);
	while (q->qlen > s->limit)
		at_book_drop(q, at_line_pop(&s->line), AT_R_LIMIT);
	s->busy = q->qlen != q->parked;
	return false;
}

/* Nothing is known. */
static void astar_begin(struct astar *s, u64 now)
{
	s->next = now + s->interval;
	s->since = s->head = now;
	s->busy = false;
	s->service = 0;
	s->idle = s->loaded = 0;
	astar_set_alt(s, (s->first ? s->first : s->limit) * ALT_ONE);
	memset(s->ring, 0, sizeof(s->ring));
	astar_set_ebdp(s);
	astar_set_size(s);
}

static void astar_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	astar_priv(q)->next = AT_NEVER;
	astar_priv(q)->since = now;
	astar_change(q, v, now);
	astar_begin(astar_priv(q), now);
}

static void astar_reset(struct at_qdisc *q, u64 now)
{
	struct astar *s = astar_priv(q);

	while (q->qlen)
		at_book_drop(q, at_line_pop(&s->line), AT_R_RESET);
	astar_begin(s, now);
}

static void astar_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct astar *s = astar_priv(q);

	(void)now;
	v[S_SIZE] = s->size;
	v[S_EBDP] = s->ebdp;
	v[S_ALT] = at_div(s->alt, 1000000000);
	v[S_SERVICE] = s->service >> WEIGHT;
	v[S_STALE] = s->stale;
}

const struct at_ops at_astar_ops = {
	.name = "astar",
	.about = "one queue whose size follows service times and idle time (eBDP, ALT, A*)",
	.params = astar_params,
	.stats = astar_stats,
	.row_stats = astar_row_stats,
	.state_size = astar_state_size,
	.init = astar_init,
	.change = astar_change,
	.reset = astar_reset,
	.enqueue = astar_enqueue,
	.dequeue = astar_dequeue,
	.drain = astar_drain,
	.gate = astar_gate,
	.sent = astar_sent,
	.read = astar_read,
};
