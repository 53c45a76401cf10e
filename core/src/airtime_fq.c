/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtime_fq: stations take turns by airtime, the flows of a station by bytes with
 * CoDel, and a station that has enough airtime below gives nothing more.
 *
 * Sources: T. Høiland-Jørgensen et al., "Ending the Anomaly", USENIX ATC 2017,
 * section 3 (stations by airtime deficit, their flows by FQ-CoDel); figures and
 * airtime queue limits (AQL) as in Linux's mac80211.
 *
 * Rules
 *  - A station whose deficit is below 0 gets `air_quantum` when its turn comes and
 *    goes to the end of the old stations; else it gives a packet and keeps the turn.
 *    New stations (packets came after it was idle) are before the old ones.
 *  - A packet is charged to its station: an estimate at once, what it took when it is
 *    reported. So are uplink frames. A station that had nothing to send for 100 ms is
 *    not charged, and begins anew with a quantum when packets come.
 *  - Within a station flowqueues.h decides: `flows` queues that all stations share, by
 *    the hash of the flow. A queue is of one station while it has packets; another
 *    one's flow of the same hash goes to a queue of its station's own.
 *  - AQL: a station gives nothing with `aql_low` of airtime outstanding, or, while all
 *    together have less than `aql_threshold`, with `aql_high`. So one packet's estimate
 *    at most goes over it. It is outstanding from dequeue until the report, or for
 *    `aql_expiry`: a report that was lost holds its station up for so long. A host that
 *    has never reported is taken for one that does not: nobody is held up there.
 *    Who was held up goes first when he may again, but for new stations.
 *  - AT_URGENT packets go first within narrow bounds (urgent.h), past CoDel, deficit and
 *    AQL, charged to their station and outstanding like others.
 *  - Multicast has no deficit: a packet in each turn. Its outstanding airtime counts for
 *    itself alone: it gives nothing with 50 ms (`rule` linux-7.3), or has no limit
 *    (linux-6.12).
 *  - All packets of a host without stations are one more station. Numbers from `stations`
 *    on share the deficit of one below.
 *  - A station with packets of closed stations alone (gate.h) is passed over and keeps
 *    its place and its deficit.
 *
 * The estimate is that of the nominal exchange times what the station's reports have
 * shown (estimate.h); before the first one, and when its rate changes, what link() says
 * of a full-size packet.
 *
 * Cost: O(1) a packet, amortised: each visit to a station is paid by a quantum of
 * airtime. A round in which nobody may go is not walked through twice. Overflow is
 * that of flowqueues.h, with a queue more for each station to scan.
 *
 * What this is not: no weights, no access categories (a host has an instance for each),
 * no longer CoDel for slow stations (mac80211: 50 and 300 ms, no ECN, below 6 Mb/s times
 * the number of stations).
 *
 * Defaults: 4096 queues, 8192 packets, 16 MiB, quantum 300 bytes, CoDel 20 and 100 ms,
 * ECN, batches of 32; airtime quantum 256 us; AQL 5, 12 and 24 ms, expiry 250 ms; 256
 * stations; rule linux-7.3.
 */
#include "airtab/credit.h"
#include "airtab/flowqueues.h"
#include "airtab/hash.h"
#include "airtab/places.h"
#include "airtab/tickets.h"

enum { P_LIMIT, P_MEMORY, P_FLOWS, P_QUANTUM, P_TARGET, P_INTERVAL, P_ECN, P_DROP_BATCH,
       P_STATIONS, P_AIR_QUANTUM, P_AQL, P_AQL_LOW, P_AQL_HIGH, P_AQL_THRESHOLD,
       P_AQL_EXPIRY, P_RULE, P_END };
enum { S_NEW, S_OLD, S_HELD, S_OUTSTANDING, S_NEW_FLOWS, S_COLLISIONS, S_MARKS, S_CODEL_DROPS,
       S_OVERFLOWS, S_SETTLED, S_STALE, S_EXPIRED, S_SCALE, S_URGENT, S_URGENT_OVER,
       S_URGENT_AIR, S_END };
enum { R_STATION, R_BACKLOG, R_BACKLOG_BYTES, R_DEFICIT, R_OUTSTANDING, R_NEW, R_HELD,
       R_PACKETS, R_AIRTIME, R_SCALE, R_END };

enum { RELEASED = 1, URGENT = 2 };	/* mark of a charge */
enum { LINUX_7_3, LINUX_6_12 };		/* rule */

#define MS 1000000u
#define SEC 1000000000ull
#define ACTIVE (100 * MS)	/* ns: for so long a station is charged that has nothing to send */
#define DEBT 1000		/* quanta: a wrong report holds a station up for no longer */
#define FULL 1500u		/* bytes of a full-size packet */
#define GROUP_LIMIT (50 * MS)	/* ns outstanding of multicast, rule linux-7.3 */
#define NOT_HELD (~(u32)0)

struct station {
	struct at_seat seat;	/* among the stations */
	u32 held;		/* place among those that AQL holds up, or NOT_HELD */
	u8 from;		/* the list that it is to go back to then */
	u16 scale;		/* airtime over the nominal exchange, Q10; 0: not known */
	u32 rate_kbps;		/* that the scale was told for */
	s64 deficit;		/* ns; may give while at 0 or above */
	u64 outstanding;	/* ns */
	u64 last;		/* when it had something to send */
	u64 packets, air;	/* sent; charged */
};

struct airtime_fq {
	u64 hash;
	struct at_queues queues;	/* of flows, then one for each station */
	struct at_rounds rounds;	/* of stations */
	struct station *stations;
	u32 *held;			/* stations that AQL holds up */
	u64 *astray;			/* of a flow's queue: the last packet that went elsewhere */
	u32 flows, n_stations, n_held;
	s64 quantum;
	bool aql, group_limited;
	u64 low, high, threshold, expiry, outstanding;
	u16 scale;			/* mean of all stations */
	u32 oldest;			/* serial of the first ticket that may be outstanding */
	u64 n_collisions, n_settled, n_stale, n_expired;
	u64 issued[AT_TICKETS];		/* when, by place in the ring */
	struct at_tickets tickets;
};

static const char *const airtime_fq_rules[] = { "linux-7.3", "linux-6.12", NULL };

static const struct at_param airtime_fq_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all stations together", .source = "mac80211", .def = 8192,
		.min = 1, .max = 1u << 20,
	},
	[P_MEMORY] = {
		.id = 2, .unit = AT_BYTES, .max_len = 1, .name = "memory",
		.help = "bytes of all stations together", .source = "mac80211",
		.def = 16u << 20, .min = 1u << 16, .max = 1u << 31,
	},
	[P_FLOWS] = {
		.id = 3, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "flows",
		.help = "queues that flows of all stations are hashed to", .source = "mac80211",
		.def = 4096, .min = 1, .max = 65536,
	},
	[P_QUANTUM] = {
		.id = 4, .unit = AT_BYTES, .max_len = 1, .name = "quantum",
		.help = "bytes that a flow sends in its turn", .source = "mac80211", .def = 300,
		.min = 256, .max = 1u << 20,
	},
	[P_TARGET] = {
		.id = 5, .unit = AT_NS, .max_len = 1, .name = "target",
		.help = "sojourn time that a queue should stay below", .source = "mac80211",
		.def = 20 * MS, .min = 1000, .max = 4000000000u,
	},
	[P_INTERVAL] = {
		.id = 6, .unit = AT_NS, .max_len = 1, .name = "interval",
		.help = "how long it may be above: a usual round-trip time",
		.source = "mac80211", .def = AT_CODEL_INTERVAL, .min = 1000,
		.max = 4000000000u,
	},
	[P_ECN] = {
		.id = 7, .unit = AT_BOOL, .max_len = 1, .name = "ecn",
		.help = "mark instead of drop where the packet allows", .source = "mac80211",
		.def = 1, .min = 0, .max = 1,
	},
	[P_DROP_BATCH] = {
		.id = 8, .unit = AT_COUNT, .max_len = 1, .name = "drop_batch",
		.help = "packets dropped at most for one overflow", .source = "mac80211",
		.def = 32, .min = 1, .max = 65536,
	},
	[P_STATIONS] = {
		.id = 9, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "stations",
		.help = "stations told apart; numbers from here on share with those below",
		.source = "docs/airtime_fq.md", .def = 256, .min = 1, .max = 4096,
	},
	[P_AIR_QUANTUM] = {
		.id = 10, .unit = AT_NS, .max_len = 1, .name = "air_quantum",
		.help = "airtime that a station gets in its turn", .source = "mac80211",
		.def = 256000, .min = 1000, .max = SEC,
	},
	[P_AQL] = {
		.id = 11, .unit = AT_BOOL, .max_len = 1, .name = "aql",
		.help = "bound the airtime outstanding below the queue", .source = "mac80211",
		.def = 1, .min = 0, .max = 1,
	},
	[P_AQL_LOW] = {
		.id = 12, .unit = AT_NS, .max_len = 1, .name = "aql_low",
		.help = "airtime outstanding of a station while all have aql_threshold",
		.source = "mac80211", .def = 5 * MS, .min = 1000, .max = 10 * SEC,
	},
	[P_AQL_HIGH] = {
		.id = 13, .unit = AT_NS, .max_len = 1, .name = "aql_high",
		.help = "airtime outstanding of a station while all have less",
		.source = "mac80211", .def = 12 * MS, .min = 1000, .max = 10 * SEC,
	},
	[P_AQL_THRESHOLD] = {
		.id = 14, .unit = AT_NS, .max_len = 1, .name = "aql_threshold",
		.help = "airtime outstanding of all stations from which aql_low holds",
		.source = "mac80211", .def = 24 * MS, .min = 0, .max = 10 * SEC,
	},
	[P_AQL_EXPIRY] = {
		.id = 15, .unit = AT_NS, .max_len = 1, .name = "aql_expiry",
		.help = "how long a packet without report is outstanding",
		.source = "docs/airtime_fq.md", .def = 250 * MS, .min = MS, .max = 60 * SEC,
	},
	[P_RULE] = {
		.id = 16, .unit = AT_CHOICE, .max_len = 1, .name = "rule",
		.help = "multicast outstanding: 50 ms at most, or no limit",
		.source = "mac80211", .def = LINUX_7_3, .min = LINUX_7_3, .max = LINUX_6_12,
		.choices = airtime_fq_rules,
	},
	[P_END] = { 0 },
};

static const struct at_stat airtime_fq_stats[] = {
	[S_NEW] = { .id = 1, .unit = AT_COUNT, .name = "new",
		.help = "stations in the list of new ones" },
	[S_OLD] = { .id = 2, .unit = AT_COUNT, .name = "old",
		.help = "stations in the list of old ones" },
	[S_HELD] = { .id = 3, .unit = AT_COUNT, .name = "held",
		.help = "stations with enough airtime outstanding" },
	[S_OUTSTANDING] = { .id = 4, .unit = AT_NS, .name = "outstanding",
		.help = "airtime that left the queue and is not reported, an estimate" },
	[S_NEW_FLOWS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "new_flows",
		.help = "times that an idle queue became a new one" },
	[S_COLLISIONS] = { .id = 6, .unit = AT_COUNT, .counter = true, .name = "collisions",
		.help = "packets whose flow's queue was another station's" },
	[S_MARKS] = { .id = 7, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked by CoDel instead of dropped" },
	[S_CODEL_DROPS] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "codel_drops",
		.help = "packets dropped by CoDel" },
	[S_OVERFLOWS] = { .id = 9, .unit = AT_COUNT, .counter = true, .name = "overflows",
		.help = "times that the longest queue made room" },
	[S_SETTLED] = { .id = 10, .unit = AT_COUNT, .counter = true, .name = "settled",
		.help = "transmissions reported and charged" },
	[S_STALE] = { .id = 11, .unit = AT_COUNT, .counter = true, .name = "stale",
		.help = "reports that fit no open ticket" },
	[S_EXPIRED] = { .id = 12, .unit = AT_COUNT, .counter = true, .name = "expired",
		.help = "packets no longer outstanding without a report" },
	[S_SCALE] = { .id = 13, .unit = AT_Q16, .name = "scale",
		.help = "airtime over that of the nominal 54 Mb/s exchange" },
	[S_URGENT] = { .id = 14, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 15, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: an ordinary flow" },
	[S_URGENT_AIR] = { .id = 16, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets" },
	[S_END] = { 0 },
};

static const struct at_stat airtime_fq_row_stats[] = {
	[R_STATION] = { .id = 1, .unit = AT_COUNT, .name = "station",
		.help = "station; above the last one: multicast, not known, urgent packets" },
	[R_BACKLOG] = { .id = 2, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 3, .unit = AT_BYTES, .name = "backlog_bytes",
		.help = "bytes queued" },
	[R_DEFICIT] = { .id = 4, .unit = AT_SIGNED_NS, .name = "deficit",
		.help = "airtime that the station may use before others" },
	[R_OUTSTANDING] = { .id = 5, .unit = AT_NS, .name = "outstanding",
		.help = "airtime that left the queue and is not reported, an estimate" },
	[R_NEW] = { .id = 6, .unit = AT_BOOL, .name = "new",
		.help = "in the list of new stations" },
	[R_HELD] = { .id = 7, .unit = AT_BOOL, .name = "held",
		.help = "has enough airtime outstanding" },
	[R_PACKETS] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "packets",
		.help = "packets sent" },
	[R_AIRTIME] = { .id = 9, .unit = AT_NS, .counter = true, .name = "airtime",
		.help = "airtime charged" },
	[R_SCALE] = { .id = 10, .unit = AT_Q16, .name = "scale",
		.help = "airtime over that of the nominal 54 Mb/s exchange; 0 = not known" },
	[R_END] = { 0 },
};

static struct airtime_fq *airtime_fq_priv(const struct at_qdisc *q)
{
	return (struct airtime_fq *)q->state;
}

static struct at_seats airtime_fq_seats(const struct airtime_fq *s)
{
	return (struct at_seats){ &s->stations[0].seat, sizeof(struct station) };
}

/* ---- stations ---- */

static u32 airtime_fq_station_of(const struct airtime_fq *s, u16 sta)
{
	return at_place_of(s->n_stations - AT_PLACES_SPECIAL, sta);
}

static struct station *airtime_fq_group(const struct airtime_fq *s)
{
	return &s->stations[s->n_stations - AT_PLACES_SPECIAL];
}

/* Nothing is known of it but what waits. */
static void airtime_fq_forget(struct airtime_fq *s, struct station *st)
{
	st->scale = 0;
	st->rate_kbps = 0;
	st->deficit = s->quantum;
	st->last = 0;
}

/* Whether it has something to send, or had lately. */
static bool airtime_fq_active(const struct station *st, u64 now)
{
	return st->seat.list != AT_ROUNDS_NONE || st->held != NOT_HELD || now - st->last <= ACTIVE;
}

static s64 airtime_fq_clamp(const struct airtime_fq *s, s64 deficit)
{
	s64 most = DEBT * s->quantum;

	return deficit > most ? most : deficit < -most ? -most : deficit;
}

/* ns < 0: gives back. */
static void airtime_fq_charge(struct airtime_fq *s, struct station *st, s64 ns, u64 now)
{
	st->air += (u64)ns;
	if (st != airtime_fq_group(s) && airtime_fq_active(st, now))
		st->deficit = airtime_fq_clamp(s, st->deficit - ns);
}

/* A station that has packets takes turns. */
static void airtime_fq_join(struct airtime_fq *s, u32 i, u64 now)
{
	struct station *st = &s->stations[i];

	if (now - st->last > ACTIVE)
		st->deficit = s->quantum;
	at_rounds_append(&s->rounds, airtime_fq_seats(s), i,
			 st == airtime_fq_group(s) ? AT_ROUNDS_OLD : AT_ROUNDS_NEW);
}

/* ---- airtime queue limits ---- */

/* Whether all stations together have the threshold. */
static bool airtime_fq_many(const struct airtime_fq *s)
{
	return s->outstanding - airtime_fq_group(s)->outstanding >= s->threshold;
}

/* Whether a station has enough outstanding. */
static bool airtime_fq_full(const struct airtime_fq *s, const struct station *st)
{
	if (!s->aql || !s->n_settled)
		return false;
	if (st == airtime_fq_group(s))
		return s->group_limited && st->outstanding >= GROUP_LIMIT;
	return st->outstanding >= s->low && (airtime_fq_many(s) || st->outstanding >= s->high);
}

/* Takes a station, the first of a list, out of the turns. */
static void airtime_fq_hold(struct airtime_fq *s, u8 list)
{
	u32 i = at_rounds_pop(&s->rounds, airtime_fq_seats(s), list);
	struct station *st = &s->stations[i];

	st->from = list;
	st->held = s->n_held;
	s->held[s->n_held++] = i;
}

/* One that is held up has its turn first, if it has not enough outstanding any more. */
static bool airtime_fq_let_go(struct airtime_fq *s, u32 i)
{
	struct station *st = &s->stations[i];

	if (airtime_fq_full(s, st))
		return false;
	s->held[st->held] = s->held[--s->n_held];
	s->stations[s->held[st->held]].held = st->held;
	st->held = NOT_HELD;
	if (st == airtime_fq_group(s))
		at_rounds_append(&s->rounds, airtime_fq_seats(s), i, st->from);
	else
		at_rounds_prepend(&s->rounds, airtime_fq_seats(s), i, st->from);
	return true;
}

static void airtime_fq_look_at_all(struct airtime_fq *s)
{
	for (u32 k = s->n_held; k--;)
		airtime_fq_let_go(s, s->held[k]);
}

/* A charge is not outstanding any more. Each of those that wait while all have the
 * threshold has aql_low, so they are few once all have less. */
static void airtime_fq_release(struct airtime_fq *s, const struct at_charge *c)
{
	struct station *st = &s->stations[c->flow];
	bool many = airtime_fq_many(s);

	if (c->mark & RELEASED)
		return;
	st->outstanding -= c->est;
	s->outstanding -= c->est;
	if (many && !airtime_fq_many(s))
		airtime_fq_look_at_all(s);
	else if (st->held != NOT_HELD)
		airtime_fq_let_go(s, c->flow);
}

/* The charge in a ticket's place, if it is still open and outstanding. */
static struct at_charge *airtime_fq_open(struct airtime_fq *s, u32 serial)
{
	struct at_charge *c = &s->tickets.ring[serial % AT_TICKETS];

	return serial && c->serial == serial && !(c->mark & RELEASED) ? c : NULL;
}

/* The ticket is not waited for. A report that comes yet is charged. */
static void airtime_fq_expire(struct airtime_fq *s, struct at_charge *c)
{
	s->n_expired++;
	airtime_fq_release(s, c);
	c->mark |= RELEASED;
}

/* Looks for the oldest ticket that is outstanding; each is passed once. */
static struct at_charge *airtime_fq_oldest(struct airtime_fq *s)
{
	while (s->outstanding && s->oldest != s->tickets.last + 1) {
		struct at_charge *c = airtime_fq_open(s, s->oldest);

		if (c)
			return c;
		s->oldest++;
	}
	return NULL;
}

static void airtime_fq_tick(struct at_qdisc *q, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);
	struct at_charge *c;

	while ((c = airtime_fq_oldest(s)) && now - s->issued[s->oldest % AT_TICKETS] >= s->expiry)
		airtime_fq_expire(s, c);
}

static u64 airtime_fq_wake(const struct at_qdisc *q, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);

	(void)now;
	return s->n_held && airtime_fq_oldest(s) ? s->issued[s->oldest % AT_TICKETS] + s->expiry : AT_NEVER;
}

/* p leaves: its estimate is charged and outstanding. */
static void airtime_fq_bill(struct airtime_fq *s, const struct at_pkt *p, struct at_ticket *t, u32 mark, u64 now)
{
	u32 i = airtime_fq_station_of(s, at_sta(p));
	struct station *st = &s->stations[i];
	struct at_charge *before, bill = { .flow = i, .nominal = at_nominal_ns(at_bytes(p)), .mark = mark };

	bill.est = at_estimate_ns(bill.nominal, st->scale ? st->scale : s->scale);
	before = airtime_fq_open(s, at_tickets_overtaken(&s->tickets));
	if (before)
		airtime_fq_expire(s, before);
	at_tickets_issue(&s->tickets, bill, t);
	s->issued[t->gen % AT_TICKETS] = now;
	st->outstanding += bill.est;
	s->outstanding += bill.est;
	st->last = now;
	st->packets++;
	airtime_fq_charge(s, st, bill.est, now);
}

/* ---- operations ---- */

/* The queue for a packet of station i: that of its flow's hash, or the station's own
 * while another station has that, or while an earlier packet of this hash may still be
 * in the station's own. */
static u32 airtime_fq_queue_of(struct airtime_fq *s, u32 i, const struct at_pkt *p)
{
	u32 k = (u32)((u64)at_hash(s->hash, at_flow(p)) * s->flows >> 32);
	const struct at_queue *f = &s->queues.at[k], *own = &s->queues.at[s->flows + i];

	if (f->seat.list != AT_ROUNDS_NONE ? f->seat.whose == i :
					     !own->qlen || at_seq(own->fifo.head) > s->astray[k])
		return k;
	s->astray[k] = s->queues.seq;
	s->n_collisions++;
	return s->flows + i;
}

static enum at_verdict airtime_fq_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);

	if (!at_urgent_push(&s->queues.urgent, q, p, s->queues.limit, now)) {
		u32 i = airtime_fq_station_of(s, at_sta(p));
		struct station *st = &s->stations[i];

		at_queues_push(q, &s->queues, airtime_fq_queue_of(s, i, p), (u16)i, p);
		if (st->seat.list == AT_ROUNDS_NONE && st->held == NOT_HELD)
			airtime_fq_join(s, i, now);
		else if (st->seat.passed && !at_parked(q, p))
			at_rounds_look_again(&s->rounds, airtime_fq_seats(s));
	}
	return at_queues_came(q, &s->queues, p, now);
}

/* All are old stations. As long as everybody is below 0 rounds change nothing but
 * deficits: these at once. */
static void airtime_fq_skip_rounds(struct airtime_fq *s)
{
	const struct at_chain *l = &s->rounds.lists[AT_ROUNDS_OLD];
	s64 most = s->stations[l->head].deficit, ns;

	for (u32 n = l->len, i = l->head; n; n--, i = s->stations[i].seat.next)
		if (s->stations[i].deficit > most)
			most = s->stations[i].deficit;
	if (most >= -s->quantum)	/* the next round is another one */
		return;
	ns = (s64)at_div((u64)(-most - 1), (u32)s->quantum) * s->quantum;
	for (u32 n = l->len, i = l->head; n; n--, i = s->stations[i].seat.next)
		s->stations[i].deficit += ns;
}

/* The packet of the station whose turn it is, or NULL. */
static struct at_pkt *airtime_fq_take(struct at_qdisc *q, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);
	struct at_rounds *r = &s->rounds;
	struct at_seats seats = airtime_fq_seats(s);
	struct at_pkt *p;
	u32 in_debt = 0;
	u8 list;

	while ((list = at_rounds_turn(r))) {
		u32 i = r->lists[list].head;
		struct station *st = &s->stations[i];
		const struct at_tin *tin = &s->queues.tins[i];

		if (q->parked && tin->qlen && tin->qlen == tin->parked) {
			at_rounds_pass(r, seats, list);
		} else if (st->deficit < 0) {
			st->deficit += s->quantum;
			at_rounds_append(r, seats, at_rounds_pop(r, seats, list), AT_ROUNDS_OLD);
			if (++in_debt >= r->lists[AT_ROUNDS_OLD].len && !r->lists[AT_ROUNDS_NEW].len) {
				airtime_fq_skip_rounds(s);
				in_debt = 0;
			}
		} else if (airtime_fq_full(s, st)) {
			airtime_fq_hold(s, list);
		} else if ((p = at_queues_next(q, &s->queues, (u16)i, now))) {
			if (st == airtime_fq_group(s))
				at_rounds_append(r, seats, at_rounds_pop(r, seats, list), AT_ROUNDS_OLD);
			return p;
		} else if (!tin->qlen) {
			at_rounds_pop(r, seats, list);
			if (list == AT_ROUNDS_NEW)
				at_rounds_append(r, seats, i, AT_ROUNDS_OLD);
			else
				st->last = now;
		}
	}
	return NULL;
}

static struct at_pkt *airtime_fq_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);
	struct at_pkt *p = at_urgent_take(&s->queues.urgent, q);
	u32 mark = p ? URGENT : 0;

	*t = (struct at_ticket){ 0 };
	at_codel_begin(&s->queues.total);
	airtime_fq_tick(q, now);
	s->queues.urgent.sent += !!p;
	if (!p)
		p = airtime_fq_take(q, now);
	if (!p)
		return NULL;
	airtime_fq_bill(s, p, t, mark, now);
	at_book_out(q, p);
	return p;
}

static void airtime_fq_sent(struct at_qdisc *q, const struct at_ticket *t, const struct at_tx *r, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);
	struct at_charge bill;
	struct station *st;
	s64 air = at_charge(r->air);

	if (!t->gen)
		return;
	if (!at_tickets_take(&s->tickets, t, &bill)) {
		s->n_stale++;
		return;
	}
	s->n_settled++;
	st = &s->stations[bill.flow];
	airtime_fq_release(s, &bill);
	airtime_fq_charge(s, st, air - (s64)bill.est, now);
	if (bill.mark & URGENT)
		at_urgent_pay(&s->queues.urgent, air - (s64)bill.nominal, now);
	st->scale = at_scale_learn(st->scale ? st->scale : s->scale, (u64)air, bill.nominal);
	s->scale = (u16)((s->scale * 15u + st->scale + 8) >> 4);
}

static void airtime_fq_heard(struct at_qdisc *q, const struct at_heard *h, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);

	airtime_fq_charge(s, &s->stations[airtime_fq_station_of(s, h->sta)], at_charge(h->air), now);
}

static void airtime_fq_link(struct at_qdisc *q, const struct at_link *l, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);
	struct station *st = &s->stations[airtime_fq_station_of(s, l->sta)];
	u64 scale;

	(void)now;
	if (!l->here) {
		airtime_fq_forget(s, st);
	} else if (l->rate_kbps != st->rate_kbps && l->ampdu_frames && l->ampdu_ns) {
		scale = at_div(at_div((u64)l->ampdu_ns * AT_SCALE_ONE, l->ampdu_frames), at_nominal_ns(FULL));
		st->rate_kbps = l->rate_kbps;
		st->scale = (u16)(scale < 1 ? 1 : scale < AT_SCALE_MAX ? scale : AT_SCALE_MAX);
	}
}

/* Oldest over all stations. A scan: handing over is rare. */
static struct at_pkt *airtime_fq_drain(struct at_qdisc *q)
{
	struct airtime_fq *s = airtime_fq_priv(q);
	struct at_pkt *p = at_urgent_oldest(&s->queues.urgent);
	u32 from = s->queues.n;

	for (u32 i = 0; i < s->n_stations; i++) {
		struct at_tin *tin = &s->queues.tins[i];

		if (!tin->qlen)
			continue;
		at_rounds_look_again(&tin->rounds, at_queues_seats(&s->queues));
		at_queues_oldest(&s->queues, tin, &p, &from);
	}
	if (!p)
		return NULL;
	p = from < s->queues.n ? at_queues_take(q, &s->queues, from) : at_urgent_pop(&s->queues.urgent, q);
	at_book_out(q, p);
	return p;
}

static void airtime_fq_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);

	(void)now;
	if (!at_gate_turn(q, sta, open))
		return;
	at_urgent_turned(&s->queues.urgent, q, sta, open);
	at_queues_turned(q, &s->queues, (u16)airtime_fq_station_of(s, sta), sta, open);
	at_rounds_look_again(&s->rounds, airtime_fq_seats(s));
}

/* ---- set-up ---- */

/* The state is struct airtime_fq, then these arrays, each on lines of its own (align.h). */
struct layout {
	u64 queues, tins, stations, astray, held, end;	/* offsets */
};

static struct layout airtime_fq_layout_of(const struct at_vals *v)
{
	u64 flows = *v[P_FLOWS].v, stations = *v[P_STATIONS].v + AT_PLACES_SPECIAL;
	struct layout at;

	at.queues = at_lines(sizeof(struct airtime_fq));
	at.tins = at.queues + at_lines(at_queues_bytes(flows + stations));
	at.stations = at.tins + at_lines(stations * sizeof(struct at_tin));
	at.astray = at.stations + at_lines(stations * sizeof(struct station));
	at.held = at.astray + at_lines(flows * sizeof(u64));
	at.end = at.held + at_lines(stations * sizeof(u32)) + AT_LINE;
	return at;
}

static u64 airtime_fq_state_size(const struct at_vals *v)
{
	return airtime_fq_layout_of(v).end;
}

static bool airtime_fq_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);

	(void)now;
	s->queues.limit = *v[P_LIMIT].v;
	s->queues.memory = *v[P_MEMORY].v;
	s->queues.quantum = (u32)*v[P_QUANTUM].v;
	s->queues.batch = *v[P_DROP_BATCH].v;
	s->queues.codel = (struct at_codel_params){
		.target = (u32)*v[P_TARGET].v,
		.interval = (u32)*v[P_INTERVAL].v,
		.mtu = AT_CODEL_MTU,
		.ecn = *v[P_ECN].v,
	};
	s->quantum = (s64)*v[P_AIR_QUANTUM].v;
	s->aql = *v[P_AQL].v;
	s->low = *v[P_AQL_LOW].v;
	s->high = *v[P_AQL_HIGH].v;
	s->threshold = *v[P_AQL_THRESHOLD].v;
	s->expiry = *v[P_AQL_EXPIRY].v;
	s->group_limited = *v[P_RULE].v == LINUX_7_3;
	airtime_fq_look_at_all(s);
	return at_queues_shrink(q, &s->queues);
}

/* Nobody has a packet, or anything outstanding. */
static void airtime_fq_clear(struct airtime_fq *s)
{
	at_tickets_forget(&s->tickets);
	s->outstanding = 0;
	s->n_held = 0;
	s->rounds = (struct at_rounds){ 0 };
	for (u32 i = 0; i < s->n_stations; i++) {
		struct station *st = &s->stations[i];

		st->seat = (struct at_seat){ 0 };
		st->held = NOT_HELD;
		st->outstanding = 0;
		airtime_fq_forget(s, st);
	}
}

static void airtime_fq_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);
	struct layout at = airtime_fq_layout_of(v);
	u8 *base = at_first_line(q);

	s->flows = (u32)*v[P_FLOWS].v;
	s->n_stations = (u32)*v[P_STATIONS].v + AT_PLACES_SPECIAL;
	at_queues_init(&s->queues, base + at.queues, s->flows + s->n_stations, (void *)(base + at.tins));
	s->queues.seq = 1;		/* 0 is before all in astray */
	s->stations = (void *)(base + at.stations);
	s->astray = (void *)(base + at.astray);
	s->held = (void *)(base + at.held);
	s->hash = at_hash_multiplier(seed);
	s->scale = AT_SCALE_ONE;
	airtime_fq_change(q, v, now);
	airtime_fq_clear(s);
}

static void airtime_fq_reset(struct at_qdisc *q, u64 now)
{
	struct airtime_fq *s = airtime_fq_priv(q);
	struct at_pkt *p;

	(void)now;
	while ((p = at_urgent_pop(&s->queues.urgent, q)))
		at_book_drop(q, p, AT_R_RESET);
	for (u32 i = 0; i < s->n_stations; i++)
		at_queues_clear(q, &s->queues, (u16)i);
	s->queues.resets++;
	airtime_fq_clear(s);
}

static const char *airtime_fq_check(const struct at_vals *v, u16 *bad)
{
	*bad = P_AQL_HIGH;
	if (*v[P_AQL_HIGH].v < *v[P_AQL_LOW].v)
		return "must be at least aql_low";
	return NULL;
}

/* ---- tables ---- */

static void airtime_fq_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct airtime_fq *s = airtime_fq_priv(q);
	const struct at_rounds *r = &s->rounds;

	(void)now;
	v[S_NEW] = r->lists[AT_ROUNDS_NEW].len + r->passed[AT_ROUNDS_NEW].len;
	v[S_OLD] = r->lists[AT_ROUNDS_OLD].len + r->passed[AT_ROUNDS_OLD].len;
	v[S_HELD] = s->n_held;
	v[S_OUTSTANDING] = s->outstanding;
	v[S_NEW_FLOWS] = s->queues.n_new;
	v[S_COLLISIONS] = s->n_collisions;
	v[S_MARKS] = s->queues.total.marks;
	v[S_CODEL_DROPS] = s->queues.total.drops;
	v[S_OVERFLOWS] = s->queues.n_overflows;
	v[S_SETTLED] = s->n_settled;
	v[S_STALE] = s->n_stale;
	v[S_EXPIRED] = s->n_expired;
	v[S_SCALE] = (u64)s->scale * 65536 / AT_SCALE_ONE;
	v[S_URGENT] = s->queues.urgent.sent;
	v[S_URGENT_OVER] = s->queues.urgent.over;
	v[S_URGENT_AIR] = s->queues.urgent.air;
}

/* A place for each station, then the urgent packets'. */
static u32 airtime_fq_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct airtime_fq *s = airtime_fq_priv(q);
	u32 end = cursor < s->n_stations && s->n_stations - cursor > AT_ROWS ? cursor + AT_ROWS : s->n_stations;

	(void)now;
	for (u32 i = cursor; i < end; i++) {
		const struct station *st = &s->stations[i];
		const struct at_tin *tin = &s->queues.tins[i];

		*found = tin->qlen || st->packets;
		if (!*found)
			continue;
		cols[R_STATION] = i;
		cols[R_BACKLOG] = tin->qlen;
		cols[R_BACKLOG_BYTES] = tin->bytes;
		cols[R_DEFICIT] = (u64)st->deficit;
		cols[R_OUTSTANDING] = st->outstanding;
		cols[R_NEW] = st->seat.list == AT_ROUNDS_NEW;
		cols[R_HELD] = st->held != NOT_HELD;
		cols[R_PACKETS] = st->packets;
		cols[R_AIRTIME] = st->air;
		cols[R_SCALE] = (u64)st->scale * 65536 / AT_SCALE_ONE;
		return i + 1;
	}
	*found = false;
	if (end < s->n_stations)
		return end;
	if (cursor > s->n_stations || !s->queues.urgent.len)
		return 0;
	*found = true;
	memset(cols, 0, R_END * sizeof(*cols));
	cols[R_STATION] = s->n_stations;
	cols[R_BACKLOG] = s->queues.urgent.len;
	cols[R_BACKLOG_BYTES] = s->queues.urgent.bytes;
	cols[R_PACKETS] = s->queues.urgent.sent;
	cols[R_AIRTIME] = s->queues.urgent.air;
	return s->n_stations + 1;
}

const struct at_ops at_airtime_fq_ops = {
	.name = "airtime_fq",
	.about = "stations take turns by airtime, their flows by bytes with CoDel (mac80211)",
	.params = airtime_fq_params,
	.stats = airtime_fq_stats,
	.row_stats = airtime_fq_row_stats,
	.check = airtime_fq_check,
	.state_size = airtime_fq_state_size,
	.init = airtime_fq_init,
	.change = airtime_fq_change,
	.reset = airtime_fq_reset,
	.enqueue = airtime_fq_enqueue,
	.dequeue = airtime_fq_dequeue,
	.drain = airtime_fq_drain,
	.gate = airtime_fq_gate,
	.sent = airtime_fq_sent,
	.heard = airtime_fq_heard,
	.link = airtime_fq_link,
	.wake = airtime_fq_wake,
	.tick = airtime_fq_tick,
	.read = airtime_fq_read,
	.row = airtime_fq_row,
};
