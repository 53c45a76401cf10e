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
 * With `share` = station or address, stations or source hosts have equal shares, and their
 * flows have equal parts of these (chap_party.c).
 *
 * Non-goals: no classification.
 *
 * Defaults: I = 25 ms, 2048 packets, 4 MiB, 4096 flows, forgotten after 120 s
 * (TCP: 3600 s), target 20 ms.
 */
#include "airtab/align.h"
#include "airtab/estimate.h"
#include "chap_order.h"
#include "chap_turn.h"

enum { FAITHFUL = 1 };		/* choice of P_PROFILE */
enum { P_PROFILE, P_INCREMENT, P_LIMIT, P_MEMORY, P_FLOWS, P_UDP_TIMEOUT, P_TCP_TIMEOUT,
       P_NEWCOMERS, P_UPLINK, P_TARGET, P_DRAIN, P_SHARE, P_DEBT, P_PROMOTE, P_END };
enum { UPLINK_OFF, UPLINK_ON, UPLINK_AUTO };
enum { BY_STATION, BY_ADDRESS, BY_FLOW };
enum { PROMOTE_OFF, PROMOTE_VIDEO, PROMOTE_VOICE };
enum { S_FLOWS, S_BACKLOGGED, S_BOOSTS, S_NEW_FLOWS, S_EVICTIONS, S_EXPIRIES, S_SETTLED,
       S_STALE, S_URGENT, S_NEWCOMERS, S_NEWCOMER_BACKLOG, S_NEWCOMER_CREDIT, S_SCALE,
       S_MARKS, S_CODEL_DROPS, S_URGENT_OVER, S_NEWCOMER_PARTIES, S_DRAIN_DROPS, S_DRAIN_SILENT,
       S_PROMOTED, S_PROMOTED_AIRTIME, S_PROMOTE_WAITS, S_END };
enum { R_FLOW, R_CREDIT, R_BACKLOG, R_BACKLOG_BYTES, R_PACKETS, R_AIRTIME, R_ESTABLISHED,
       R_END };

enum { NEWCOMER = 1, URGENT, KIND };	/* mark of a charge: what is charged too, or instead of the flow; the bits of it */

_Static_assert(KIND + 1 == PARTY_GENERATION, "a mark has the group, its generation and the kind");

#define MS 1000000u
#define SEC 1000000000ull
#define MAX_LIMIT 65535u
#define FULL 1500u		/* bytes of a full packet */
#define FULL_MAX (u32)SEC	/* ns: a flow is not thought to be slower than one in so many */
#define HOG 128u		/* packets: more than a window that anybody waits for */
#define SPARED 8u		/* whoever holds at most one part in so many of a hog's backlog loses none */
#define VISITS 16384u		/* records for a call of change(): less than a millisecond */
#define MOVES 2048u		/* newcomers, likewise */
#define LINE_SAMPLE (8 * MS)	/* nominal ns of a sample of the line's rate */
#define DROPS 4096u		/* packets, likewise; no arrival needs more room than so many have */
#define CHANGE_DROPS 2048u	/* packets that a change drops in a call */

static const char *const chap_profiles[] = { "default", "faithful", NULL };

static const char *const chap_uplinks[] = { "off", "on", "auto", NULL };
static const char *const chap_shares[] = { "station", "address", "flow", NULL };
static const char *const chap_promotes[] = { "off", "video", "voice", NULL };

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
		.source = "CHAP dissertation 4.2; 35 there", .def = 2048, .min = 1,
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
		.id = 9, .unit = AT_CHOICE, .flags = AT_P_HEARD, .max_len = 1, .name = "uplink",
		.help = "charge received frames to the flow and its station; auto: where the host hears them (faithful: off)",
		.source = "CHAP dissertation 8.2", .def = UPLINK_AUTO, .min = 0, .max = UPLINK_AUTO,
		.choices = chap_uplinks,
	},
	[P_TARGET] = {
		.id = 10, .unit = AT_NS, .flags = AT_P_INIT, .max_len = 1, .name = "target",
		.help = "delay that CoDel keeps each flow's own backlog near, or two full packets at its rate, whichever is more; 0 = off (not in faithful)",
		.source = "RFC 8289 4.4", .def = 20 * MS, .min = 0, .max = SEC,
	},
	[P_DRAIN] = {
		.id = 11, .unit = AT_NS, .flags = AT_P_INIT, .max_len = 1, .name = "drain",
		.help = "time that what a station has queued should take to drain, or an aggregate's if that is longer, where the host tells of aggregates; 0 = off (not in faithful)",
		.source = "docs/wqm.md", .def = 0, .min = 0, .max = SEC,
	},
	[P_SHARE] = {
		.id = 12, .unit = AT_CHOICE, .flags = AT_P_INIT, .max_len = 1, .name = "share",
		.help = "what has an equal share of the air: a station, where the host knows none its source host; a source host; a flow (faithful: flow)",
		.source = "docs/chap.md, shares", .def = BY_STATION, .min = 0, .max = BY_FLOW,
		.choices = chap_shares,
	},
	[P_DEBT] = {
		.id = 13, .unit = AT_NS, .max_len = 1, .name = "debt",
		.help = "airtime below a credit of 0 at which a station's light flows no longer go before other stations",
		.source = "docs/chap.md, shares", .def = 25 * MS, .min = 0, .max = 10 * SEC,
	},
	[P_PROMOTE] = {
		.id = 14, .unit = AT_CHOICE, .max_len = 1, .name = "promote",
		.help = "access category of light flows without a DSCP, where the host has categories (share=flow: off)",
		.source = "docs/chap.md, access category", .def = PROMOTE_VOICE, .min = 0, .max = PROMOTE_VOICE,
		.choices = chap_promotes,
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
	[S_PROMOTED] = { .id = 20, .unit = AT_COUNT, .counter = true, .name = "promoted",
		.help = "packets of light flows for a better access category" },
	[S_PROMOTED_AIRTIME] = { .id = 21, .unit = AT_NS, .counter = true, .name = "promoted_airtime",
		.help = "airtime of these packets" },
	[S_PROMOTE_WAITS] = { .id = 22, .unit = AT_COUNT, .counter = true, .name = "promote_waits",
		.help = "flows that waited for their last report before they changed the access category" },
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
	u32 id, hog;

	if (c->parties)
		return at_chap_party_victim(q, by_bytes);
	id = at_chap_least(c);
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

/* Drops until the queue fits, DROPS at most. `p` arrived last, or NULL after a change, which drops CHANGE_DROPS at most. */
static enum at_verdict chap_make_room(struct at_qdisc *q, const struct at_pkt *p)
{
	struct chap *c = chap_priv(q);
	enum at_verdict verdict = AT_OK;

	for (u32 n = 0; n < (p ? DROPS : CHANGE_DROPS) && chap_over(q); n++) {
		bool by_bytes = q->qlen <= c->bound;
		struct at_pkt *v = at_chap_take(q, chap_victim(q, by_bytes), NULL);

		verdict = at_book_room(q, v, p, by_bytes, verdict);
	}
	return verdict;
}

/* Takes the oldest packet that may go, of a slot that is not parked. As chap_take(). */
AT_HEAP_FN struct at_pkt *chap_take_ready(struct at_qdisc *q, const struct chap_parties *k, u32 id, bool ranked,
					  bool closed)
{
	return __builtin_expect(closed, 0) ? at_chap_take_open(q, id) : chap_take(q, k, id, ranked, false, NULL);
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
 * packet that is larger than two is a full one. Returns what counts for it. */
static inline u32 chap_pace(struct chap_control *k, u64 now)
{
	u64 ns = now - k->since;
	u32 bytes = k->bytes;

	if (bytes < FULL)
		return bytes;
	if (ns > FULL_MAX)
		ns = FULL_MAX;
	k->full = (u32)(AT_MOSTLY(k->full) ? (k->full * 7ull + ns + 4) >> 3 : ns);
	k->since = now;
	return bytes < 2 * FULL ? bytes - FULL : 0;
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
		p = chap_take_ready(q, c->parties, id, chap_ranked(c, id), q->closed);
	}
	return p;
}

/* The packet of a slot that goes next: the oldest one, or a later one if that is late. */
AT_HEAP_FN struct at_pkt *chap_take_controlled(struct at_qdisc *q, const struct chap_parties *parties, u32 id,
					       bool ranked, bool closed, struct chap_control *k, u64 now)
{
	u32 target = chap_priv(q)->codel.target;
	struct at_pkt *p = chap_take_ready(q, parties, id, ranked, closed);

	if (target < 2 * k->full)
		target = 2 * k->full;
	if (__builtin_expect(at_codel_sojourn(p, now) >= target, 0))
		return chap_control(q, id, p, target, now);
	at_codel_empty(&k->codel);
	return p;
}

/* Takes the packet of a slot that is sent next. The flow's last packet does not count for its rate. Arguments as of
 * chap_take(). `place`: with groups, the place whose first member the slot is, or AT_SHELVES: another one. */
AT_HEAP_FN struct at_pkt *chap_take_next(struct at_qdisc *q, struct chap_parties *parties, u32 id, bool ranked,
					 bool closed, u32 flow, struct chap_flow *f, u32 place, u64 now)
{
	struct chap *c = chap_priv(q);
	struct chap_control *k = NULL;
	struct at_pkt *p;
	u32 counted = 0;

	if (AT_MOSTLY(c->controls)) {
		k = &c->controls[flow];
		counted = chap_pace(k, now);
		p = chap_take_controlled(q, parties, id, ranked, closed, k, now);
	} else {
		p = chap_take_ready(q, parties, id, ranked, closed);
	}
	if (AT_MOSTLY(f->slot)) {
		if (parties) {
			parties->late = f;
			parties->late_place = place;
		}
		if (k && !counted)
			k->since = now;
		if (k)
			k->bytes = counted + at_bytes(p);
	}
	at_book_open_sent(q, at_bytes(p));
	f->packets++;
	return p;
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

/* Likewise, while the packets of groups are counted. */
static __attribute__((__noinline__)) enum at_verdict chap_admit_counted(struct at_qdisc *q, struct at_pkt *p, u32 id)
{
	struct chap *c = chap_priv(q);

	chap_push(c, id, p);
	return chap_over(q) ? chap_make_room(q, p) : AT_OK;
}

static enum at_verdict chap_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct chap *c = chap_priv(q);
	u32 id = at_class(p) == AT_URGENT || c->drain ? 0 : chap_slot_at_work(c, p);

	at_seq_set(p, c->seq++);
	if (c->controls)
		at_codel_stamp(p, now);
	at_book_in(q, p);
	if (!id)
		return chap_admit(q, p, now);
	if (c->parties) {
		if (__builtin_expect(c->parties->heaped, 0))
			return chap_admit_counted(q, p, id);
		at_fifo_push(&c->slots[id].list, p);
		c->slots[id].len++;
	} else {
		chap_push_ranked(c, id, p);
	}
	return chap_over(q) ? chap_make_room(q, p) : AT_OK;
}

/* Airtime of a packet without a flow, ns. */
static u32 chap_unreported_ns(const struct chap *c, const struct at_pkt *p)
{
	u32 nominal = at_nominal_ns(at_bytes(p));

	return c->line && !c->n_settled ? at_estimate_ns(nominal, c->line) : nominal;
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
		at_chap_pay(c, &c->flows[i], chap_unreported_ns(c, p));
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

/* Learns the rate of a line whose host reports no transmission: while packets wait, the time
 * between two departures is the airtime of the first one. */
static __attribute__((__noinline__)) void chap_measure_line(struct at_qdisc *q, u32 nominal, u64 now)
{
	struct chap *c = chap_priv(q);
	u64 ns = now - c->busy_from;

	if (c->busy_from && c->busy_nominal >= LINE_SAMPLE) {
		u32 scale = c->line ? c->line : c->scale;

		if (!c->line)
			scale = (u32)at_div(ns * AT_SCALE_ONE, c->busy_nominal);
		c->line = at_scale_learn(scale < AT_SCALE_MAX ? scale : AT_SCALE_MAX, ns, c->busy_nominal) | 1;
		c->busy_from = 0;
	}
	if (!c->busy_from) {
		c->busy_from = now + !now;
		c->busy_nominal = 0;
	}
	c->busy_nominal += nominal;
	if (q->qlen == q->parked)
		c->busy_from = 0;
}

static inline void chap_learn_line(struct at_qdisc *q, const struct at_pkt *p, u64 now)
{
	struct chap *c = chap_priv(q);

	if (c->n_settled)
		return;
	if (c->busy_from && c->busy_nominal < LINE_SAMPLE && q->qlen != q->parked)
		c->busy_nominal += at_nominal_ns(at_bytes(p));
	else
		chap_measure_line(q, at_nominal_ns(at_bytes(p)), now);
}

/* Writes the bill of a packet that was taken, and its ticket except `light`; returns the estimate. */
AT_HEAP_FN u32 chap_bill(struct chap *c, u32 nominal, u32 scale, u32 flow, const struct chap_flow *f, u32 mark,
			 struct at_ticket *t)
{
	u32 est = at_estimate_ns(nominal, scale);
	struct at_charge *bill = at_tickets_next(&c->tickets);
	u32 serial = bill->serial;

	*bill = (struct at_charge){ serial, flow, f->gen, est, nominal, mark };
	t->flow = flow;
	t->gen = serial;
	t->est = est;
	return est;
}

/* The scale of a flow, and the mean of all, after a report. */
static inline void chap_learn(struct chap *c, struct chap_flow *f, u64 air, u32 nominal)
{
	f->scale = at_scale_learn(f->scale, air, nominal);
	if (c->scale != f->scale)
		c->scale = (u16)((c->scale * 15u + f->scale + 8) >> 4);
}

/* ---- shares of flows ---- */

static struct at_pkt *chap_dequeue_flow(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct chap *c = chap_priv(q);
	u32 mark = 0, id = chap_choose(c), flow, est;
	struct chap_flow *f;
	struct at_pkt *p;

	if (id == AT_ORDER_NONE) {
		*t = (struct at_ticket){ 0 };
		return NULL;
	}
	if (id == TAB) {
		mark = NEWCOMER;
		id = at_chap_choose_newcomer(c);
	}
	flow = c->slots[id].flow;
	f = &c->flows[flow];
	p = chap_take_next(q, NULL, id, !mark, q->closed, flow, f, 0, now);
	est = chap_bill(c, c->faithful ? 0 : at_nominal_ns(at_bytes(p)), f->scale, flow, f, mark, t);
	t->light = t->up = 0;
	f->flags |= SERVED;
	if (mark == NEWCOMER)
		at_chap_welcome(c, id, flow, est);
	chap_charge(c, f, est);
	f->last = now;
	return p;
}

/* The charge of a ticket, which is closed, or NULL: it is none of a flow that is known. */
static inline const struct at_charge *chap_reported(struct chap *c, const struct at_ticket *t)
{
	const struct at_charge *bill = at_tickets_close(&c->tickets, t);

	if (__builtin_expect(!bill || c->flows[bill->flow].gen != bill->gen, 0)) {
		c->n_stale += !!t->gen;
		return NULL;
	}
	c->n_settled++;
	return bill;
}

/* Charges a flow, and the tab if that pays as well. */
static __attribute__((__noinline__)) void chap_settle(struct chap *c, struct chap_flow *f, s64 ns, bool tab)
{
	at_chap_pay(c, f, ns);
	if (tab)
		at_chap_pay_tab(c, ns);
}

static __attribute__((__noinline__)) void chap_sent_flow(struct chap *c, const struct at_ticket *t, const struct at_tx *r, u64 now)
{
	const struct at_charge *bill = chap_reported(c, t);
	struct chap_flow *f;
	s64 due;

	if (!bill)
		return;
	f = &c->flows[bill->flow];
	due = at_charge(c->faithful ? r->span : r->air) - (s64)bill->est;
	if (__builtin_expect(bill->mark == URGENT, 0)) {
		at_urgent_pay(&c->urgent, due, now);
		return;
	}
	if (!c->faithful)
		chap_learn(c, f, (u64)at_charge(r->air), bill->nominal);
	if (bill->mark != NEWCOMER && f->epoch == c->epoch && (!f->slot || f->slot == c->loose))
		chap_charge_present(c, f, due);		/* most: no call */
	else
		chap_settle(c, f, due, bill->mark == NEWCOMER);
}

/* ---- shares of stations ---- */

/* The scale of an estimate. */
static inline u32 chap_scale(const struct chap *c, const struct chap_flow *f)
{
	return AT_MOSTLY(c->n_settled) || !c->line ? f->scale : c->line;
}

/* A newcomer of a group goes next. */
static __attribute__((__noinline__)) struct at_pkt *chap_dequeue_newcomer(struct at_qdisc *q, struct at_ticket *t,
									  u32 party, u64 now)
{
	struct chap *c = chap_priv(q);
	struct chap_parties *k = c->parties;
	struct chap_party *y = chap_party(c, party);
	s64 tab = party_tab(y), own = party_credit(c, y);
	struct chap_flow *f;
	struct at_pkt *p;
	u32 id, flow, est;

	t->light = own > k->debt && (tab >= k->light || own >= k->light);
	t->up = 0;
	if (at_credit_value(tab < k->light ? tab : k->light, c->increment) <= 0)
		at_chap_party_boost_flows(c, party);
	id = at_chap_party_newcomer(c, party);
	flow = c->slots[id].flow;
	f = &c->flows[flow];
	p = chap_take_next(q, k, id, false, q->closed, flow, f, AT_SHELVES, now);
	k->late = NULL;		/* the flow is about to be welcomed */
	est = chap_bill(c, at_nominal_ns(at_bytes(p)), chap_scale(c, f), flow, f, y->mark | NEWCOMER, t);
	at_chap_party_welcome(c, id, flow, p);
	if (f->party != party)
		at_chap_party_pay_tab(c, party, est);
	party_use(k, chap_party(c, f->party), f, est);
	party_pay_flow(c, chap_party(c, f->party), f, est);
	party_pay(c, y, est);
	if (k->promote.up)
		t->up = at_chap_promote_left(c, &c->tickets.ring[t->gen % AT_TICKETS], p, now);
	if (f->slot) {
		at_chap_party_move(c, f);
		at_chap_party_touch(c, f->party);
	} else {
		party_emptied(f, now);
	}
	if (k->heaped)
		at_chap_party_ended(c, q);
	chap_learn_line(q, p, now);
	return p;
}

/* A flow that has paid little goes: at_chap_party_pay_young(). */
static __attribute__((__noinline__)) void chap_pay_young(struct chap *c, struct chap_party *y, struct chap_flow *f,
							 u32 ns)
{
	struct chap_parties *k = c->parties;

	k->late = NULL;
	at_chap_party_pay_young(c, y, f, ns);
	k->late = f->slot ? f : NULL;
}

/* A group, which is the loose one and has seen all boosts, goes next. `alone`: no station is closed, no flow is promoted. */
AT_HEAP_FN struct at_pkt *chap_serve(struct at_qdisc *q, struct at_ticket *t, struct chap_parties *k, u32 party,
				     struct chap_party *y, bool alone, u64 now)
{
	struct chap *c = chap_priv(q);
	const struct at_shelves *s = &y->shelves->open;
	u32 place = at_shelves_lowest(s), id = s->first[place], flow, est;
	struct chap_flow *f;
	struct at_pkt *p;

	if (__builtin_expect(id >= k->tabs, 0))
		return chap_dequeue_newcomer(q, t, party, now);
	flow = c->slots[id].flow;
	f = &c->flows[flow];
	party_refresh_flow(y, f);
	if (__builtin_expect((f->flags & SPARSE) || f->credit >= k->light, 0)) {
		t->light = y->credit > k->debt;
	} else {
		t->light = y->credit >= k->light;
		y->lead = f->credit;
	}
	if (__builtin_expect(f->credit <= k->spent, 0)) {
		at_chap_party_boost_flows(c, party);
		party_refresh_flow(y, f);
		place = AT_SHELVES;
	}
	p = chap_take_next(q, k, id, true, !alone && q->closed, flow, f, place, now);
	est = chap_bill(c, at_nominal_ns(at_bytes(p)), chap_scale(c, f), flow, f, y->mark, t);
	t->up = 0;
	if (!alone && k->promote.up)
		t->up = at_chap_promote_left(c, &c->tickets.ring[t->gen % AT_TICKETS], p, now);
	party_use(k, y, f, est);
	if (__builtin_expect(!f->slot, 0))
		party_emptied(f, now);
	if (__builtin_expect(f->air < k->young, 0)) {
		chap_pay_young(c, y, f, est);
	} else {
		f->air += est;
		f->credit = at_credit_take(f->credit, est, c->floor);
	}
	y->credit = at_credit_take(y->credit, (u32)party_share(est, y->weight), c->floor);
	if (__builtin_expect(k->heaped, 0)) {
		at_chap_party_reheap(c, y);
		at_chap_party_ended(c, q);
	}
	chap_learn_line(q, p, now);
	return p;
}

/* More than one group has packets, or none, or some are parked, or light flows are promoted. */
static __attribute__((__noinline__)) struct at_pkt *chap_dequeue_contended(struct at_qdisc *q, struct at_ticket *t,
									   u64 now)
{
	struct chap *c = chap_priv(q);
	struct chap_parties *k = c->parties;
	u32 party = k->promote.up ? at_chap_promote_choose(c, q->closed, now) : at_chap_party_contend(c, q->closed);

	if (party == AT_ORDER_NONE) {
		c->busy_from = 0;
		*t = (struct at_ticket){ 0 };
		return NULL;
	}
	party_refresh(c, &k->at[party]);
	return chap_serve(q, t, k, party, &k->at[party], false, now);
}

static struct at_pkt *chap_dequeue_party(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct chap *c = chap_priv(q);
	struct chap_parties *k = c->parties;
	u32 party = c->loose;
	struct chap_party *y;

	if (party == AT_ORDER_NONE)
		return chap_dequeue_contended(q, t, now);
	y = &k->at[party];
	party_place_late(c, k, &y->shelves->open);
	if (c->order.n | q->closed | k->promote.up || !y->shelves->open.used)
		return chap_dequeue_contended(q, t, now);
	party_refresh(c, y);
	if (__builtin_expect(y->credit <= k->spent, 0)) {
		at_chap_party_spent(c, party);
		party_refresh(c, y);
	}
	return chap_serve(q, t, k, party, y, true, now);
}

/* Settles a charge; the group can be forgotten by now. */
static __attribute__((__noinline__)) void chap_settle_party(struct chap *c, const struct at_charge *bill,
							    struct chap_flow *f, u64 air, u32 serial, u64 now)
{
	u32 party = bill->mark >> 8, kind = bill->mark & KIND;
	s64 due = (s64)air - (s64)bill->est;

	if (bill->mark == URGENT) {
		at_urgent_pay(&c->urgent, due, now);
		return;
	}
	chap_learn(c, f, air, bill->nominal);
	if (chap_party(c, party)->mark != bill->mark - kind)
		party = f->party;
	at_chap_party_settle(c, party, f, due);
	if (kind == NEWCOMER && f->party != party)
		at_chap_party_pay_tab(c, party, due);
	if (c->parties->promote.up)
		at_chap_promote_sent(c, bill, serial, due, now);
}

/* The report of a packet comes: most are of a flow that remained in the group that paid. */
static __attribute__((__noinline__)) void chap_sent_party(struct chap *c, const struct at_ticket *t, const struct at_tx *r, u64 now)
{
	const struct at_charge *bill = chap_reported(c, t);
	struct chap_parties *k = c->parties;
	struct chap_party *y;
	struct chap_flow *f;
	u64 air;
	s64 due;

	if (!bill)
		return;
	f = &c->flows[bill->flow];
	y = &k->at[f->party];
	air = (u64)at_charge(r->air);
	if (__builtin_expect(y->mark != bill->mark || f->air < k->young || k->counted, 0)) {
		chap_settle_party(c, bill, f, air, t->gen, now);
		return;
	}
	due = (s64)air - (s64)bill->est;
	chap_learn(c, f, air, bill->nominal);
	f->air += (u64)due;
	party_refresh_flow(y, f);
	f->credit = party_charge(f->credit, due, c->floor);
	party_refresh(c, y);
	y->credit = at_credit_charge(y->credit, party_share(due, y->weight), c->floor);
	if (f != k->late)
		at_chap_party_charged(c, f);
}

/* ---- either ---- */

static __attribute__((__cold__, __noinline__)) struct at_pkt *chap_dequeue_bounded(struct at_qdisc *q,
										   struct at_ticket *t, u64 now)
{
	struct chap *c = chap_priv(q);

	at_chap_drain_due(c, now);
	return c->parties ? chap_dequeue_party(q, t, now) : chap_dequeue_flow(q, t, now);
}

static struct at_pkt *chap_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	const struct chap *c = chap_priv(q);

	if (__builtin_expect(at_urgent_waits(&c->urgent), 0))
		return chap_dequeue_urgent(q, t);
	if (__builtin_expect(c->drain != NULL, 0))
		return chap_dequeue_bounded(q, t, now);
	return c->parties ? chap_dequeue_party(q, t, now) : chap_dequeue_flow(q, t, now);
}

static void chap_sent(struct at_qdisc *q, const struct at_ticket *t, const struct at_tx *r, u64 now)
{
	struct chap *c = chap_priv(q);

	if (c->parties)
		chap_sent_party(c, t, r, now);
	else
		chap_sent_flow(c, t, r, now);
}

static void chap_heard(struct at_qdisc *q, const struct at_heard *h, u64 now)
{
	struct chap *c = chap_priv(q);
	u32 i = c->uplink ? at_flows_find(&c->table, h->flow) : 0;
	struct chap_flow *f = &c->flows[i];

	if (i && (f->slot || !chap_expired(c, f, now))) {
		if (c->parties)
			at_chap_party_heard(c, f, h->air, now);
		at_chap_pay(c, f, at_charge(h->air));
	} else if (c->uplink && c->parties) {
		at_chap_party_pay(c, at_chap_party_of_station(c, h->sta), NULL, at_charge(h->air));
	}
}

static void chap_categories(struct at_qdisc *q, bool here)
{
	struct chap *c = chap_priv(q);

	if (!c->parties)
		return;
	c->parties->categories = here;
	at_chap_promote_set(c);
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

/* True: all places in the order are new, which is enough for one call. */
static bool chap_set_params(struct chap *c, const struct at_vals *v)
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
	c->uplink = c->faithful ? *v[P_UPLINK].v == UPLINK_ON : *v[P_UPLINK].v != UPLINK_OFF;
	if (c->parties) {
		static const u8 up[] = { AT_UP_NONE, AT_UP_VIDEO, AT_UP_VOICE };

		c->parties->promoted = up[*v[P_PROMOTE].v];
		at_chap_promote_set(c);
		return at_chap_parties_set(c, (s64)*v[P_DEBT].v);
	}
	return false;
}

static u32 chap_slots_of(u64 flows)
{
	return (u32)(flows < MAX_LIMIT + 1 ? flows : MAX_LIMIT + 1);
}

/* The state is struct chap, then these arrays, each on lines of its own (align.h). */
struct layout {
	u64 flows, slots, entries, parked, pos, next, party, buckets, controls, drain, parties, end;	/* offsets */
};

static u64 chap_drain_of(const struct at_vals *v)
{
	return *v[P_PROFILE].v == FAITHFUL ? 0 : *v[P_DRAIN].v;
}

static bool chap_has_target(const struct at_vals *v)
{
	return *v[P_TARGET].v && *v[P_PROFILE].v != FAITHFUL;
}

static bool chap_has_parties(const struct at_vals *v)
{
	return *v[P_SHARE].v != BY_FLOW && *v[P_PROFILE].v != FAITHFUL;
}

/* Arrays of a configuration; the order of slots is the groups' where there are groups. */
static struct layout chap_layout_of(const struct at_vals *v)
{
	u64 flows = *v[P_FLOWS].v, slots = chap_slots_of(flows) + 1ull, ordered = chap_has_parties(v) ? 0 : slots;
	struct layout at;

	at.flows = at_lines(sizeof(struct chap));
	at.slots = at.flows + at_lines((AT_FLOWS_RECORDS(flows) + 1) * sizeof(struct chap_flow));
	at.entries = at.slots + at_lines(slots * sizeof(struct chap_slot));
	at.parked = at.entries + at_lines(ordered * sizeof(struct at_heap_entry));
	at.pos = at.parked + at_lines(ordered * sizeof(struct at_heap_entry));
	at.next = at.pos + at_lines(ordered * sizeof(u32));
	at.party = at.next + at_lines(ordered * sizeof(u32));
	at.buckets = at.party + at_lines(slots * sizeof(u16));
	at.controls = at.buckets + at_lines(at_flows_bytes((u32)flows));
	at.drain = at.controls + (chap_has_target(v) ? (flows + 1) * sizeof(struct chap_control) : 0);
	at.parties = at.drain + at_lines(at_chap_drain_bytes(chap_drain_of(v), slots));
	if (!ordered)
		at.parties = at_lines(at.parties);
	at.end = at.parties + (ordered ? 0 : at_chap_parties_bytes(slots)) + AT_LINE;
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
	if (c->parties) {
		at_chap_parties_forget(c);
		rested.epoch = chap_party(c, REST)->now;
	}
	c->slots[TAB] = (struct chap_slot){ .flow = (u32)AT_FLOWS_RECORDS(c->table.size) & SLOT_FLOW };
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
	at_order_init(&c->parked, (void *)(base + at.parked), (void *)(base + at.pos), c->next);
	at_order_init(&c->order, (void *)(base + at.entries), (void *)(base + at.pos), c->next);
	if (chap_has_parties(v))
		at_chap_parties_init(c, base + at.parties, chap_slots_of(*v[P_FLOWS].v) + 1ull,
				     *v[P_SHARE].v == BY_STATION, seed);
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
	if (c->parties)
		c->parties->counted = c->drain || c->parties->promote.up;
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
	if (old == c->increment || c->parties)
		return;
	c->changed = c->epoch++;
	c->shift = 2 * (old - c->increment);
	c->revision ^= REVISION;
	c->unvisited = 0;
	chap_set_credit(c, chap_tab(c), chap_credit_of(c, chap_tab(c)));
	at_chap_rekey(c);
}

static bool chap_newcomers_wait(const struct chap *c)
{
	return c->parties ? c->parties->full.n : c->turns.members;
}

/* Without a tab newcomers compete as everybody does; whether some still wait for
 * their place. */
static bool chap_disband(struct chap *c)
{
	for (u32 n = 0; n < MOVES && !c->newcomers && chap_newcomers_wait(c); n++) {
		u32 id = c->parties ? at_chap_party_waits(c) : at_turns_first(&c->turns);

		at_chap_leave_newcomers(c, id);
		at_chap_rank(c, id);
	}
	return !c->newcomers && chap_newcomers_wait(c);
}

static bool chap_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct chap *c = chap_priv(q);
	s64 old = c->increment;
	bool reseated, more;

	if (c->drain)
		at_chap_drain_due(c, now);
	if (chap_revise(c, VISITS))		/* of the change before */
		return true;
	if (!c->parties)
		at_chap_unrank(c, TAB);
	reseated = chap_set_params(c, v);
	chap_change_increment(c, old);
	if (reseated)
		return true;
	if (!c->parties && c->turns.members)
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

/* Credit of the newcomers; where there are groups, of sources not served yet. */
static s64 chap_newcomer_tab(const struct chap *c)
{
	return c->parties ? at_chap_party_tab(c, REST) : chap_credit_of(c, chap_tab(c));
}

static void chap_read(const struct at_qdisc *q, u64 *s, u64 now)
{
	const struct chap *c = chap_priv(q);

	s[S_FLOWS] = c->table.known;
	s[S_BACKLOGGED] = c->parties ? c->parties->slots : c->order.n + c->parked.n + (c->loose != AT_ORDER_NONE) -
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
	s[S_NEWCOMER_CREDIT] = (u64)at_credit_value(chap_newcomer_tab(c), c->increment);
	s[S_SCALE] = (u64)c->scale * 65536 / AT_SCALE_ONE;
	s[S_MARKS] = c->aqm.marks;
	s[S_CODEL_DROPS] = c->aqm.drops;
	s[S_URGENT_OVER] = c->urgent.over;
	s[S_NEWCOMER_PARTIES] = c->turns.heap.n + (c->parties ? c->parties->full.n - !!c->turns.members : 0);
	s[S_DRAIN_DROPS] = at_chap_drain_drops(c);
	s[S_DRAIN_SILENT] = at_chap_drain_silent(c, now);
	s[S_PROMOTED] = c->parties ? c->parties->promote.packets : 0;
	s[S_PROMOTED_AIRTIME] = c->parties ? c->parties->promote.air : 0;
	s[S_PROMOTE_WAITS] = c->parties ? c->parties->promote.waits : 0;
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

/* Flows may wait for reports before they change their category. */
static u64 chap_wake(const struct at_qdisc *q, u64 now)
{
	const struct chap *c = chap_priv(q);

	(void)now;
	return c->parties && q->qlen > q->parked ? at_promote_due(&c->parties->promote) : AT_NEVER;
}

static void chap_tick(struct at_qdisc *q, u64 now)
{
	struct chap *c = chap_priv(q);

	if (c->parties)
		at_chap_promote_tick(c, now);
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
	.categories = chap_categories,
	.wake = chap_wake,
	.tick = chap_tick,
	.link = at_chap_drain_link,
	.read = chap_read,
	.row = chap_row,
};
