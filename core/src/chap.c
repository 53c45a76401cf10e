/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap: every flow has a credit of airtime; the backlogged flow with the most
 * credit goes first, and pays for the channel time that its packets take.
 *
 * Sources: C.-S. Lee, "Credit-based Home Access Point", PhD dissertation, WPI
 * 2010, sections 4.2-4.4 (algorithm), 5.1-5.4 (analysis, I = 25 ms), and Lee,
 * Claypool, Kinicki, MMSys 2010 (algorithms 1 and 2).
 *
 * Rules
 *  - A new flow starts with credit I. All known flows, backlogged or not, are
 *    boosted (credit/2 + I) when every backlogged one is at 0 or below; once a
 *    dequeue, without selecting again.
 *  - When the queue is full, the oldest packet of the backlogged flow with the
 *    least credit makes room. A drop costs nothing.
 *  - Ties: the older flow is served, the younger one loses a packet.
 *  - Profile `faithful`: as published. The queue holds limit - 1 packets after
 *    an arrival, and the wall clock of a transmission is charged at its end.
 *  - Profile `default`, for devices that hold many packets or report late: an
 *    estimate is charged at dequeue and settled with the packet's own airtime;
 *    credit stays within -10 I .. 2 I; newcomers share one tab (below); a flow
 *    that fills the queue makes room whatever the credits (below).
 *  - AT_URGENT packets go first within narrow bounds (urgent.h), and pay from a
 *    record of their own; beyond the bounds they are a flow like any other.
 *    Multicast has a record of its own too, so that nobody pays for it.
 *  - Default profile: CoDel (codel.h, RFC 8289, interval 100 ms) decides over each
 *    packet of the flow whose turn it is: drops, or marks where the packet allows,
 *    until one may go. Only that one is charged. Its target is `target` or the time of
 *    two full packets at the flow's own rate, whichever is more: with less a slow
 *    flow could not have the next packet at hand while one is sent. The rate is
 *    measured where it is felt, from departures while the backlog lasts, so that it
 *    needs no report, and counts the air that others use.
 *  - A flow all of whose packets are parked (gate.h) keeps its credit, is boosted
 *    like an idle one and can lose packets like a backlogged one. A newcomer keeps
 *    its place in its station's line, and the station its turn.
 *
 * The newcomers' tab. A flow that has never been served would enter with I for
 * nothing: 10^5 one-packet flows a second would outrank everybody for ever. So
 * the flows not served yet form a queue that competes as one flow, with the
 * credit min(I, tab). Its first flow is served one packet, charged to the flow
 * and to the tab; from then on the flow stands for itself, starting from that
 * credit. The tab is boosted like a flow: with few newcomers it rests near 2I
 * and nothing is changed; under a flood, all of them together get what one bulk
 * flow gets. In their queue stations take turns (source hosts, where the host
 * knows no stations), and when newcomers hold more than half of the queue, the
 * station with most of their packets loses one. So a flood waits behind itself
 * and displaces itself; a new flow of somebody else is served within two turns.
 *
 * The hog. Of two flows that are served alike, the one served last has the least
 * credit: if one of them sends more than it is served, whatever comes (a flood, a
 * broken camera), half of what its overflow pushes out is the other's, and TCP
 * takes each loss for a sign to slow down. So the flow with the least credit is
 * spared while another one has at least HOG packets queued and SPARED times as
 * many: that one makes room. Shorter queues know no hog.
 *
 * Cost: O(log backlogged flows) a packet, O(log stations) more while its flow is
 * new; O(1) while the flow served comes back with the least credit (order.h). A
 * boost is one addition; credits remember how many boosts they have seen
 * (credit.h). A gate is O(packets). Memory: at most 184 bytes a flow, 144 without a
 * target (asserted in chap_state.h).
 *
 * Non-goals: no shares of stations, no classification.
 *
 * Defaults: I = 25 ms, 1024 packets, 4 MiB, 4096 flows, forgotten after 120 s
 * (TCP: 3600 s), target 5 ms.
 */
#include "airtab/align.h"
#include "airtab/estimate.h"
#include "chap_order.h"

enum { FAITHFUL = 1 };		/* choice of P_PROFILE */
enum { P_PROFILE, P_INCREMENT, P_LIMIT, P_MEMORY, P_FLOWS, P_UDP_TIMEOUT, P_TCP_TIMEOUT,
       P_NEWCOMERS, P_UPLINK, P_TARGET, P_DRAIN, P_END };
enum { S_FLOWS, S_BACKLOGGED, S_BOOSTS, S_NEW_FLOWS, S_EVICTIONS, S_EXPIRIES, S_SETTLED,
       S_STALE, S_URGENT, S_NEWCOMERS, S_NEWCOMER_BACKLOG, S_NEWCOMER_CREDIT, S_SCALE,
       S_MARKS, S_CODEL_DROPS, S_URGENT_OVER, S_NEWCOMER_PARTIES, S_DRAIN_DROPS, S_DRAIN_SILENT, S_END };
enum { R_FLOW, R_CREDIT, R_BACKLOG, R_BACKLOG_BYTES, R_PACKETS, R_AIRTIME, R_ESTABLISHED,
       R_END };

enum { NEWCOMER = 1, URGENT };	/* mark of a charge: who pays beside the flow, or in its place */

#define MS 1000000u
#define SEC 1000000000ull
#define MAX_LIMIT 65535u
#define FULL 1500u		/* bytes of a full packet */
#define FULL_MAX (u32)SEC	/* ns: a flow is not thought to be slower than one in so many */
#define HOG 128u		/* packets: more than a window that anybody waits for */
#define SPARED 8u		/* whoever holds at most one part in so many of a hog's backlog loses none */
#define VISITS 16384u		/* records for a call of change(): less than a millisecond */
#define MOVES 2048u		/* newcomers, likewise */
#define DROPS 4096u		/* packets, likewise; no arrival needs more room than so many have */

static const char *const chap_profiles[] = { "default", "faithful", NULL };

static const struct at_param chap_params[] = {
	[P_PROFILE] = {
		.id = 1, .unit = AT_CHOICE, .flags = AT_P_INIT, .max_len = 1, .name = "profile",
		.help = "default, or faithful to the publications",
		.source = "docs/chap.md, profiles", .def = 0, .min = 0, .max = 1,
		.choices = chap_profiles,
	},
	[P_INCREMENT] = {
		.id = 2, .unit = AT_NS, .max_len = 1, .name = "increment",
		.help = "credit increment I of a boost; credit of a new flow",
		.source = "CHAP dissertation 5.4", .def = 25 * MS, .min = 10000, .max = 10 * SEC,
	},
	[P_LIMIT] = {
		.id = 3, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets that the queue holds (faithful: one less)",
		.source = "CHAP dissertation 4.2; 35 there", .def = 1024, .min = 1,
		.max = MAX_LIMIT,
	},
	[P_MEMORY] = {
		.id = 4, .unit = AT_BYTES, .max_len = 1, .name = "memory",
		.help = "bytes of queued packets (not in faithful)",
		.source = "docs/chap.md, profiles", .def = 4u << 20, .min = 1u << 16,
		.max = 1u << 31,
	},
	[P_FLOWS] = {
		.id = 5, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "flows",
		.help = "flows known at a time; more than limit", .source = "docs/chap.md, cost",
		.def = 4096, .min = 2, .max = 1u << 22,
	},
	[P_UDP_TIMEOUT] = {
		.id = 6, .unit = AT_NS, .max_len = 1, .name = "udp_timeout",
		.help = "forget an idle flow that is not TCP", .source = "CHAP dissertation 4.2",
		.def = 120 * SEC, .min = MS, .max = 86400 * SEC,
	},
	[P_TCP_TIMEOUT] = {
		.id = 7, .unit = AT_NS, .max_len = 1, .name = "tcp_timeout",
		.help = "forget an idle TCP flow", .source = "CHAP dissertation 4.2",
		.def = 3600 * SEC, .min = MS, .max = 86400 * SEC,
	},
	[P_NEWCOMERS] = {
		.id = 8, .unit = AT_BOOL, .max_len = 1, .name = "newcomers",
		.help = "flows not served yet share one credit (not in faithful)",
		.source = "docs/chap.md, the newcomers' tab", .def = 1, .min = 0, .max = 1,
	},
	[P_UPLINK] = {
		.id = 9, .unit = AT_BOOL, .flags = AT_P_HEARD, .max_len = 1, .name = "uplink",
		.help = "charge received frames to the flow", .source = "CHAP dissertation 8.2",
		.def = 0, .min = 0, .max = 1,
	},
	[P_TARGET] = {
		.id = 10, .unit = AT_NS, .flags = AT_P_INIT, .max_len = 1, .name = "target",
		.help = "delay that CoDel keeps each flow's own backlog near, or two full packets at its rate, whichever is more; 0 = off (not in faithful)",
		.source = "RFC 8289 4.4", .def = AT_CODEL_TARGET, .min = 0, .max = SEC,
	},
	[P_DRAIN] = {
		.id = 11, .unit = AT_NS, .flags = AT_P_INIT, .max_len = 1, .name = "drain",
		.help = "time that what a station has queued should take to drain, or an aggregate's if that is longer, where the host tells of aggregates; 0 = off (not in faithful)",
		.source = "docs/wqm.md", .def = 0, .min = 0, .max = SEC,
	},
	[P_END] = { 0 },
};

static const struct at_stat chap_stats[] = {
	[S_FLOWS] = { .id = 1, .unit = AT_COUNT, .name = "flows", .help = "flows known" },
	[S_BACKLOGGED] = { .id = 2, .unit = AT_COUNT, .name = "backlogged",
		.help = "flows with packets queued" },
	[S_BOOSTS] = { .id = 3, .unit = AT_COUNT, .counter = true, .name = "boosts",
		.help = "boosts" },
	[S_NEW_FLOWS] = { .id = 4, .unit = AT_COUNT, .counter = true, .name = "new_flows",
		.help = "records made" },
	[S_EVICTIONS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "evictions",
		.help = "idle records given up for a new flow" },
	[S_EXPIRIES] = { .id = 6, .unit = AT_COUNT, .counter = true, .name = "expiries",
		.help = "records forgotten after their timeout" },
	[S_SETTLED] = { .id = 7, .unit = AT_COUNT, .counter = true, .name = "settled",
		.help = "transmissions reported and charged" },
	[S_STALE] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "stale",
		.help = "reports that fit no open ticket or known flow" },
	[S_URGENT] = { .id = 9, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_NEWCOMERS] = { .id = 10, .unit = AT_COUNT, .counter = true, .name = "newcomers",
		.help = "flows served from the newcomers' tab" },
	[S_NEWCOMER_BACKLOG] = { .id = 11, .unit = AT_COUNT, .name = "newcomer_backlog",
		.help = "packets queued of flows not served yet" },
	[S_NEWCOMER_CREDIT] = { .id = 12, .unit = AT_SIGNED_NS, .name = "newcomer_credit",
		.help = "credit of the newcomers' tab" },
	[S_SCALE] = { .id = 13, .unit = AT_Q16, .name = "scale",
		.help = "airtime over that of the nominal 54 Mb/s exchange" },
	[S_MARKS] = { .id = 14, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked by CoDel instead of dropped" },
	[S_CODEL_DROPS] = { .id = 15, .unit = AT_COUNT, .counter = true, .name = "codel_drops",
		.help = "packets dropped by CoDel" },
	[S_URGENT_OVER] = { .id = 16, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: an ordinary flow" },
	[S_NEWCOMER_PARTIES] = { .id = 17, .unit = AT_COUNT, .name = "newcomer_parties",
		.help = "stations (or source hosts) with flows not served yet" },
	[S_DRAIN_DROPS] = { .id = 18, .unit = AT_COUNT, .counter = true, .name = "drain_drops",
		.help = "packets dropped because their station had more than drains in time" },
	[S_DRAIN_SILENT] = { .id = 19, .unit = AT_BOOL, .name = "drain_silent",
		.help = "a station is bounded whose link was not told for 2 s: the last values hold" },
	[S_END] = { 0 },
};

static const struct at_stat chap_row_stats[] = {
	[R_FLOW] = { .id = 1, .unit = AT_HEX, .name = "flow",
		.help = "flow hash; 100000000 = multicast, 100000001 = urgent" },
	[R_CREDIT] = { .id = 2, .unit = AT_SIGNED_NS, .name = "credit",
		.help = "airtime that a flow has left" },
	[R_BACKLOG] = { .id = 3, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 4, .unit = AT_BYTES, .name = "backlog_bytes",
		.help = "bytes queued" },
	[R_PACKETS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "packets",
		.help = "packets sent" },
	[R_AIRTIME] = { .id = 6, .unit = AT_NS, .counter = true, .name = "airtime",
		.help = "airtime charged" },
	[R_ESTABLISHED] = { .id = 7, .unit = AT_BOOL, .name = "established",
		.help = "came back after it was served" },
	[R_END] = { 0 },
};

/* Whose oldest packet makes room; somebody is backlogged. Who is parked spends
 * nothing, and would keep all that he has while the others lose theirs: of more
 * than half of the packets he is the victim. */
static u32 chap_victim(const struct at_qdisc *q, bool by_bytes)
{
	struct chap *c = chap_priv(q);
	u32 id = at_chap_least(c), hog;

	if (by_bytes ? c->new_bytes > c->memory / 2 : c->new_len > c->bound / 2)
		id = TAB;
	else if (q->parked > q->qlen / 2 && c->parked.n && !chap_parked(c, id))
		id = at_chap_least_parked(c);
	if (id == TAB)
		return at_turns_fullest(&c->turns);
	hog = c->slots[c->fat].len;
	return !c->faithful && hog >= HOG && c->slots[id].len <= hog / SPARED ? c->fat : id;
}

static bool chap_over(const struct at_qdisc *q)
{
	const struct chap *c = chap_priv(q);

	return at_urgent_over(&c->urgent, q, c->bound, c->memory);
}

/* Drops until the queue fits, DROPS at most. `p` arrived last, or NULL after a change. */
static enum at_verdict chap_make_room(struct at_qdisc *q, const struct at_pkt *p)
{
	struct chap *c = chap_priv(q);
	enum at_verdict verdict = AT_OK;

	for (u32 n = 0; n < DROPS && chap_over(q); n++) {
		bool by_bytes = q->qlen <= c->bound;
		struct at_pkt *v = at_chap_take(q, chap_victim(q, by_bytes), NULL);

		verdict = at_book_room(q, v, p, by_bytes, verdict);
	}
	return verdict;
}

/* Takes the oldest packet that may go, of a slot that is not parked. */
static inline struct at_pkt *chap_take_ready(struct at_qdisc *q, u32 id)
{
	return q->closed ? at_chap_take_open(q, id) : at_chap_take(q, id, NULL);
}

/* Bytes that may go, counted until they are more than `enough`. */
static u64 chap_ready_bytes(const struct at_qdisc *q, const struct chap_slot *s, u64 enough)
{
	u64 bytes = 0;

	for (struct at_pkt *p = s->list.head; p && bytes <= enough; p = *at_next(p))
		bytes += at_parked(q, p) ? 0 : at_bytes(p);
	return bytes;
}

/* A flow is about to be served: how long a full packet takes at its rate, from what
 * was served since it was counted last. What is over FULL counts for the next one; a
 * packet that is larger than two is a full one. */
static inline void chap_pace(struct chap_control *k, u64 now)
{
	u64 ns = now - k->since;

	if (k->bytes < FULL)
		return;
	if (ns > FULL_MAX)
		ns = FULL_MAX;
	k->full = (u32)(k->full ? (k->full * 7ull + ns + 4) >> 3 : ns);
	k->since = now;
	k->bytes = k->bytes < 2 * FULL ? k->bytes - FULL : 0;
}

/* Whether CoDel drops the packet taken last. Nobody counts what is behind a packet
 * that is in time. */
static bool chap_drops(struct at_qdisc *q, u32 id, struct at_pkt *p,
		       const struct at_codel_params *params, u64 now)
{
	struct chap *c = chap_priv(q);
	const struct chap_slot *s = &c->slots[id];
	u64 left = 0;

	if (at_codel_sojourn(p, now) >= params->target)
		left = chap_ready_bytes(q, s, params->mtu);
	return at_codel_drops(params, &c->controls[s->flow].codel, &c->aqm, p, left, now);
}

/* p, the first of its slot, is late. What goes in its place, or p: CoDel drops none
 * without another one behind, so there is always one. */
static __attribute__((__noinline__)) struct at_pkt *chap_control(struct at_qdisc *q, u32 id, struct at_pkt *p,
								 u32 target, u64 now)
{
	struct chap *c = chap_priv(q);
	struct at_codel_params params = c->codel;

	params.target = target;
	at_codel_begin(&c->aqm);
	while (chap_drops(q, id, p, &params, now)) {
		at_book_drop(q, p, AT_R_AQM);
		p = chap_take_ready(q, id);
	}
	return p;
}

/* The packet of a slot that goes next. */
static inline struct at_pkt *chap_take_controlled(struct at_qdisc *q, u32 id, struct chap_control *k, u64 now)
{
	u32 target = chap_priv(q)->codel.target;
	struct at_pkt *p;

	chap_pace(k, now);
	p = chap_take_ready(q, id);
	if (target < 2 * k->full)
		target = 2 * k->full;
	if (at_codel_sojourn(p, now) >= target)
		return chap_control(q, id, p, target, now);
	at_codel_empty(&k->codel);
	return p;
}

/* A packet of a flow goes; what its last one takes is not felt. */
static inline void chap_count_pace(struct chap_control *k, const struct chap_flow *f, u32 bytes, u64 now)
{
	if (!k->bytes)
		k->since = now;
	if (f->slot)
		k->bytes += bytes;
}

/* ---- operations ---- */

/* p is booked, and may be of any flow. */
static __attribute__((__noinline__)) enum at_verdict chap_admit(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct chap *c = chap_priv(q);
	enum at_verdict verdict = AT_OK;
	u32 flow;

	if (!at_urgent_push(&c->urgent, q, p, c->bound, now)) {
		if (c->drain)
			at_chap_drain_due(c, now);
		flow = at_chap_flow_of(c, p, now);
		at_chap_append(q, flow, p);
		if (c->drain)
			verdict = at_chap_drain_room(q, p, c->flows[flow].slot);
	}
	return verdict != AT_DROPPED && chap_over(q) ? chap_make_room(q, p) : verdict;
}

static enum at_verdict chap_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct chap *c = chap_priv(q);
	u32 i = at_class(p) == AT_URGENT || c->drain ? 0 : chap_flow_at_work(c, p);

	at_seq_set(p, c->seq++);
	if (c->controls)
		at_codel_stamp(p, now);
	at_book_in(q, p);
	if (!i)
		return chap_admit(q, p, now);
	chap_push(c, c->flows[i].slot, p);
	return chap_over(q) ? chap_make_room(q, p) : AT_OK;
}

/* Whoever sends more urgent packets than the bounds let pass has a flow of the
 * others. It pays for those that go first as well, so that they add nothing to
 * its share: a hundredth of the air is more where the line is slower than the
 * nominal exchange. */
static void chap_charge_sender(struct chap *c, const struct at_pkt *p)
{
	bool group = at_sta(p) == AT_GROUP;
	u32 i = group ? MULTICAST : at_flows_find(&c->table, at_flow(p));

	if ((i || group) && !c->faithful)
		at_chap_pay(c, &c->flows[i], at_nominal_ns(at_bytes(p)));
}

/* The urgent packet that goes next; there is one. */
static __attribute__((__noinline__)) struct at_pkt *chap_dequeue_urgent(struct at_qdisc *q, struct at_ticket *t)
{
	struct chap *c = chap_priv(q);
	struct at_pkt *p = at_urgent_take(&c->urgent, q);

	c->urgent.sent++;
	chap_charge_sender(c, p);
	at_tickets_issue(&c->tickets, (struct at_charge){ .est = at_nominal_ns(at_bytes(p)), .mark = URGENT }, t);
	at_book_out(q, p);
	return p;
}

static struct at_pkt *chap_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct chap *c = chap_priv(q);
	struct chap_control *k;
	struct at_charge *bill;
	struct chap_flow *f;
	struct at_pkt *p;
	u32 mark = 0, est = 0, id, flow, bytes;

	if (at_urgent_waits(&c->urgent))
		return chap_dequeue_urgent(q, t);
	if (c->drain)
		at_chap_drain_due(c, now);
	id = chap_choose(c);
	if (id == AT_ORDER_NONE) {
		*t = (struct at_ticket){ 0 };
		return NULL;
	}
	if (id == TAB) {
		mark = NEWCOMER;
		id = at_chap_choose_newcomer(c);
	}
	bill = at_tickets_next(&c->tickets);
	bill->flow = flow = c->slots[id].flow;
	f = &c->flows[flow];
	k = c->controls ? &c->controls[flow] : NULL;
	p = k ? chap_take_controlled(q, id, k, now) : chap_take_ready(q, id);
	bytes = at_bytes(p);
	if (k)
		chap_count_pace(k, f, bytes, now);
	bill->gen = f->gen;
	bill->mark = mark;
	if (!c->faithful) {
		u32 nominal = at_nominal_ns(bytes);

		bill->nominal = nominal;
		est = at_estimate_ns(nominal, f->scale);
	}
	bill->est = est;
	if (mark == NEWCOMER)
		at_chap_welcome(c, id, flow, est);
	chap_charge(c, f, est);
	f->last = now;
	f->packets++;
	f->flags |= SERVED;
	*t = (struct at_ticket){ flow, bill->serial, est };
	at_book_sent(q, p, bytes);
	return p;
}

/* Charges a flow, and the tab if that pays as well. */
static __attribute__((__noinline__)) void chap_settle(struct chap *c, struct chap_flow *f, s64 ns, bool tab)
{
	at_chap_pay(c, f, ns);
	if (tab)
		at_chap_pay_tab(c, ns);
}

static void chap_sent(struct at_qdisc *q, const struct at_ticket *t, const struct at_tx *r, u64 now)
{
	struct chap *c = chap_priv(q);
	const struct at_charge *bill;
	struct chap_flow *f;
	s64 due;

	if (!t->gen)
		return;
	bill = at_tickets_close(&c->tickets, t);
	f = &c->flows[bill ? bill->flow : MULTICAST];
	if (!bill || f->gen != bill->gen) {
		c->n_stale++;
		return;
	}
	c->n_settled++;
	due = at_charge(c->faithful ? r->span : r->air) - (s64)bill->est;
	if (bill->mark == URGENT) {
		at_urgent_pay(&c->urgent, due, now);
		return;
	}
	if (!c->faithful) {
		f->scale = at_scale_learn(f->scale, (u64)at_charge(r->air), bill->nominal);
		c->scale = (u16)((c->scale * 15u + f->scale + 8) >> 4);
	}
	if (bill->mark != NEWCOMER && f->epoch == c->epoch && (!f->slot || f->slot == c->loose))
		chap_charge_present(c, f, due);		/* most: no call */
	else
		chap_settle(c, f, due, bill->mark == NEWCOMER);
}

static void chap_heard(struct at_qdisc *q, const struct at_heard *h, u64 now)
{
	struct chap *c = chap_priv(q);
	u32 i = c->uplink ? at_flows_find(&c->table, h->flow) : 0;
	struct chap_flow *f = &c->flows[i];

	if (!i || (!f->slot && chap_expired(c, f, now)))
		return;
	at_chap_pay(c, f, at_charge(h->air));
}

/* Oldest over all flows. A scan: handing over is rare. */
static struct at_pkt *chap_drain(struct at_qdisc *q)
{
	struct chap *c = chap_priv(q);
	struct at_pkt *p = at_urgent_oldest(&c->urgent);
	u32 id = 0;

	for (u32 i = 1; i < c->slot_fresh; i++) {
		struct at_pkt *head = c->slots[i].list.head;

		if (head && (!p || at_seq(head) < at_seq(p))) {
			p = head;
			id = i;
		}
	}
	if (!p)
		return NULL;
	p = id ? at_chap_take(q, id, NULL) : at_urgent_pop(&c->urgent, q);
	at_book_out(q, p);
	return p;
}

static void chap_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct chap *c = chap_priv(q);

	if (c->drain)
		at_chap_drain_due(c, now);
	if (!at_gate_turn(q, sta, open))
		return;
	if (c->drain)
		at_chap_drain_turned(c, sta, open);
	at_urgent_turned(&c->urgent, q, sta, open);
	for (u32 id = 1; id < c->slot_fresh; id++)
		at_chap_turned(q, id, sta, open);
}

/* ---- set-up ---- */

static void chap_set_params(struct chap *c, const struct at_vals *v)
{
	u64 limit = *v[P_LIMIT].v;

	if (limit > c->table.size - 1)
		limit = c->table.size - 1;
	c->increment = (s64)*v[P_INCREMENT].v;
	c->floor = c->faithful ? AT_CREDIT_FLOOR : at_credit_floor(c->increment);
	c->bound = c->faithful ? limit - 1 : limit;
	c->memory = c->faithful ? AT_NEVER : *v[P_MEMORY].v;
	c->udp_timeout = *v[P_UDP_TIMEOUT].v;
	c->tcp_timeout = *v[P_TCP_TIMEOUT].v;
	c->newcomers = *v[P_NEWCOMERS].v && !c->faithful;
	c->uplink = *v[P_UPLINK].v;
}

static u32 chap_slots_of(u64 flows)
{
	return (u32)(flows < MAX_LIMIT + 1 ? flows : MAX_LIMIT + 1);
}

/* The state is struct chap, then these arrays, each on lines of its own (align.h). */
struct layout {
	u64 flows, slots, entries, parked, pos, next, party, buckets, controls, drain, end;	/* offsets */
};

static u64 chap_drain_of(const struct at_vals *v)
{
	return *v[P_PROFILE].v == FAITHFUL ? 0 : *v[P_DRAIN].v;
}

static bool chap_has_target(const struct at_vals *v)
{
	return *v[P_TARGET].v && *v[P_PROFILE].v != FAITHFUL;
}

static struct layout chap_layout_of(const struct at_vals *v)
{
	u64 flows = *v[P_FLOWS].v, slots = chap_slots_of(flows) + 1ull;
	struct layout at;

	at.flows = at_lines(sizeof(struct chap));
	at.slots = at.flows + at_lines((AT_FLOWS_RECORDS(flows) + 1) * sizeof(struct chap_flow));
	at.entries = at.slots + at_lines(slots * sizeof(struct chap_slot));
	at.parked = at.entries + at_lines(slots * sizeof(struct at_heap_entry));
	at.pos = at.parked + at_lines(slots * sizeof(struct at_heap_entry));
	at.next = at.pos + at_lines(slots * sizeof(u32));
	at.party = at.next + at_lines(slots * sizeof(u32));
	at.buckets = at.party + at_lines(slots * sizeof(u32));
	at.controls = at.buckets + at_lines(at_flows_bytes((u32)flows));
	at.drain = at.controls + (chap_has_target(v) ? (flows + 1) * sizeof(struct chap_control) : 0);
	at.end = at.drain + at_chap_drain_bytes(chap_drain_of(v), slots) + AT_LINE;
	return at;
}

static u64 chap_state_size(const struct at_vals *v)
{
	return chap_layout_of(v).end;
}

/* No open tickets, a rested tab; there are no flows. */
static void chap_clear(struct chap *c)
{
	struct chap_flow rested = { .created = ~(u32)0, .epoch = c->epoch, .scale = c->scale,
			       .flags = (u8)(KNOWN | SERVED | c->revision) };

	at_tickets_forget(&c->tickets);
	if (c->controls)
		c->controls[MULTICAST] = (struct chap_control){ 0 };
	c->slots[TAB] = (struct chap_slot){ .flow = (u32)AT_FLOWS_RECORDS(c->table.size) };
	*chap_tab(c) = rested;
	rested.created = c->created++;
	rested.credit = -c->increment;
	c->flows[MULTICAST] = rested;
}

static void chap_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct chap *c = chap_priv(q);
	struct layout at = chap_layout_of(v);
	u8 *base = at_first_line(q);

	c->flows = (void *)(base + at.flows);
	c->slots = (void *)(base + at.slots);
	c->next = (void *)(base + at.next);
	at_order_init(&c->order, (void *)(base + at.entries), (void *)(base + at.pos), c->next);
	at_order_init(&c->parked, (void *)(base + at.parked), (void *)(base + at.pos), c->next);
	c->loose = AT_ORDER_NONE;
	c->controls = chap_has_target(v) ? (void *)(base + at.controls) : NULL;
	c->codel = (struct at_codel_params){ (u32)*v[P_TARGET].v, AT_CODEL_INTERVAL, AT_CODEL_MTU, true };
	at_flows_init(&c->table, (void *)(base + at.buckets), c->flows, sizeof(struct chap_flow),
		      (u32)*v[P_FLOWS].v, seed);
	at_turns_init(&c->turns, (void *)(base + at.party), c->next, seed);
	c->slot_fresh = 1;
	c->scale = AT_SCALE_ONE;
	c->faithful = *v[P_PROFILE].v == FAITHFUL;
	chap_set_params(c, v);
	c->unvisited = ~(u32)0;
	at_chap_drain_init(c, base + at.drain, chap_drain_of(v), chap_slots_of(*v[P_FLOWS].v) + 1ull, now);
	chap_clear(c);
}

/* Brings credits up to date with the last change, at most so many; whether that
 * was not all of them. */
static bool chap_revise(struct chap *c, u32 most)
{
	for (; most && c->unvisited < c->table.fresh; c->unvisited++, most--) {
		struct chap_flow *f = &c->flows[c->unvisited];

		if (f->flags)
			chap_set_credit(c, f, chap_credit_of(c, f));
	}
	return c->unvisited < c->table.fresh;
}

/* A new increment keeps the credits. They are stored as distances from 2I, so
 * that all records want a visit: those of idle flows get it step by step. Who is
 * backlogged keeps the place in the order. */
static void chap_change_increment(struct chap *c, s64 old)
{
	if (old == c->increment)
		return;
	c->changed = c->epoch++;
	c->shift = 2 * (old - c->increment);
	c->revision ^= REVISION;
	c->unvisited = 0;
	chap_set_credit(c, chap_tab(c), chap_credit_of(c, chap_tab(c)));
	at_chap_rekey(c);
}

/* Without a tab newcomers compete as everybody does; whether some still wait for
 * their place. */
static bool chap_disband(struct chap *c)
{
	for (u32 n = 0; n < MOVES && !c->newcomers && c->turns.members; n++) {
		u32 id = at_turns_first(&c->turns);

		at_chap_leave_newcomers(c, id);
		at_chap_rank(c, id);
	}
	return !c->newcomers && c->turns.members;
}

static bool chap_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct chap *c = chap_priv(q);
	s64 old = c->increment;
	bool more;

	if (c->drain)
		at_chap_drain_due(c, now);
	if (chap_revise(c, VISITS))		/* of the change before */
		return true;
	at_chap_unrank(c, TAB);
	chap_set_params(c, v);
	chap_change_increment(c, old);
	if (c->turns.members)
		at_chap_rank(c, TAB);
	more = chap_disband(c);
	chap_make_room(q, NULL);
	at_urgent_shrink(&c->urgent, q, c->bound);
	return chap_revise(c, VISITS) || more || chap_over(q);
}

static void chap_reset(struct at_qdisc *q, u64 now)
{
	struct chap *c = chap_priv(q);
	struct at_pkt *p;

	if (c->drain)
		at_chap_drain_due(c, now);
	while ((p = at_urgent_pop(&c->urgent, q)))
		at_book_drop(q, p, AT_R_RESET);
	for (u32 id = 1; id < c->slot_fresh; id++)
		while ((p = at_fifo_pop(&c->slots[id].list)))
			at_book_drop(q, p, AT_R_RESET);
	at_chap_forget_backlog(c);
	at_flows_forget(&c->table);
	c->unvisited = ~(u32)0;
	chap_clear(c);
}

static const char *chap_check(const struct at_vals *v, u16 *bad)
{
	*bad = P_LIMIT;
	if (*v[P_PROFILE].v == FAITHFUL && *v[P_LIMIT].v < 2)
		return "the faithful profile holds limit - 1 packets: at least 2";
	*bad = P_FLOWS;
	if (*v[P_FLOWS].v <= *v[P_LIMIT].v)
		return "must be more than limit, so that every queued packet can have its flow";
	return NULL;
}

/* ---- tables ---- */

static void chap_read(const struct at_qdisc *q, u64 *s, u64 now)
{
	const struct chap *c = chap_priv(q);

	s[S_FLOWS] = c->table.known;
	s[S_BACKLOGGED] = c->order.n + c->parked.n + (c->loose != AT_ORDER_NONE) -
			  chap_ranked(c, TAB) + c->turns.members;
	s[S_BOOSTS] = c->n_boosts;
	s[S_NEW_FLOWS] = c->n_new;
	s[S_EVICTIONS] = c->n_evicted;
	s[S_EXPIRIES] = c->n_expired;
	s[S_SETTLED] = c->n_settled;
	s[S_STALE] = c->n_stale;
	s[S_URGENT] = c->urgent.sent;
	s[S_NEWCOMERS] = c->n_newcomers;
	s[S_NEWCOMER_BACKLOG] = c->new_len;
	s[S_NEWCOMER_CREDIT] = (u64)at_credit_value(chap_credit_of(c, chap_tab(c)), c->increment);
	s[S_SCALE] = (u64)c->scale * 65536 / AT_SCALE_ONE;
	s[S_MARKS] = c->aqm.marks;
	s[S_CODEL_DROPS] = c->aqm.drops;
	s[S_URGENT_OVER] = c->urgent.over;
	s[S_NEWCOMER_PARTIES] = c->turns.heap.n;
	s[S_DRAIN_DROPS] = at_chap_drain_drops(c);
	s[S_DRAIN_SILENT] = at_chap_drain_silent(c, now);
}

static void chap_urgent_row(const struct chap *c, u64 *cols, u64 now)
{
	cols[R_FLOW] = ((u64)1 << 32) + 1;
	cols[R_CREDIT] = (u64)at_urgent_left(&c->urgent, now);
	cols[R_BACKLOG] = c->urgent.len;
	cols[R_BACKLOG_BYTES] = c->urgent.bytes;
	cols[R_PACKETS] = c->urgent.sent;
	cols[R_AIRTIME] = c->urgent.air;
	cols[R_ESTABLISHED] = true;
}

/* Place 0 is the urgent packets', then come the records. */
static u32 chap_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct chap *c = chap_priv(q);
	u32 end = c->table.fresh + 1;

	*found = !cursor && (c->urgent.sent || c->urgent.len);
	if (*found) {
		chap_urgent_row(c, cols, now);
		return 1;
	}
	if (cursor >= end)
		return 0;
	if (end - cursor > AT_ROWS)
		end = cursor + AT_ROWS;
	for (u32 i = cursor ? cursor - 1 : 0; i + 1 < end; i++) {
		const struct chap_flow *f = &c->flows[i];
		const struct chap_slot *s = &c->slots[f->slot];

		if (i == MULTICAST ? !f->packets && !f->slot
				   : !f->flags || (!f->slot && chap_expired(c, f, now)))
			continue;
		*found = true;
		cols[R_FLOW] = i == MULTICAST ? (u64)1 << 32 : f->node.key;
		cols[R_CREDIT] = (u64)at_credit_value(chap_credit_of(c, f), c->increment);
		cols[R_BACKLOG] = f->slot ? s->len : 0;
		cols[R_BACKLOG_BYTES] = f->slot ? chap_backlog_bytes(s, AT_NEVER) : 0;
		cols[R_PACKETS] = f->packets;
		cols[R_AIRTIME] = f->air;
		cols[R_ESTABLISHED] = !!(f->flags & ESTABLISHED);
		return i + 2;
	}
	return end;
}

const struct at_ops at_chap_ops = {
	.name = "chap",
	.about = "the flow that used the least airtime goes first, by airtime credit",
	.params = chap_params,
	.stats = chap_stats,
	.row_stats = chap_row_stats,
	.check = chap_check,
	.state_size = chap_state_size,
	.init = chap_init,
	.change = chap_change,
	.reset = chap_reset,
	.enqueue = chap_enqueue,
	.dequeue = chap_dequeue,
	.drain = chap_drain,
	.gate = chap_gate,
	.sent = chap_sent,
	.heard = chap_heard,
	.link = at_chap_drain_link,
	.read = chap_read,
	.row = chap_row,
};
