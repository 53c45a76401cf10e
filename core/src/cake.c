/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cake: a shaper; tins by DSCP; stations or hosts, and flows within them, that take
 * turns by bytes, each flow in a queue of its own with COBALT.
 *
 * Source: Piece of CAKE (Hoiland-Jorgensen, Taht, Morton, IEEE LANMAN 2018); keys,
 * tins, thresholds and constants as Linux's sch_cake (tc-cake(8)).
 *
 * Rules
 *  - With a `bandwidth` packets leave by a virtual clock (shaper.h): the next one when
 *    the one before would have gone through at that rate. A packet counts as its IP
 *    bytes and `overhead`, at least `mpu`.
 *  - Tins of diffserv4, each with queues of its own: best effort, bulk, video, voice,
 *    which may have all, 1/16, 1/2 and 1/4 of the bandwidth with priority over those
 *    named before. Each tin has a clock of its share; of those that are due by it the
 *    last one sends, if none is due that which will be next. Without a bandwidth tins
 *    take turns by bytes, 16 : 1 : 8 : 4.
 *  - A flow has one of 1024 queues of its tin, alone while that is possible (ways.h).
 *    A queue to which a packet comes after it was idle is sparse: it goes first until
 *    it has sent a quantum. Then it takes turns in rounds (calendar.h), a quantum each.
 *  - A station (a sender; both), however many flows it has, has a quantum a round: its
 *    flows' turns come one after the other. Nor has it more than that a round with
 *    priority: a sparse queue that ran empty stays among those that take turns until
 *    its station's turn comes, and only then may be sparse again.
 *  - COBALT (cobalt.h) decides over each packet taken, per queue.
 *  - When `limit` or `memory` is exceeded the queue with the most bytes of all tins
 *    loses its oldest packet, until both hold.
 *  - A queue with packets of closed stations alone (gate.h) is passed over and keeps its
 *    place. A tin without others has no turn.
 *  - AT_URGENT packets go first within narrow bounds (urgent.h), before tins and past
 *    COBALT, though not before the shaper's time, and are never victims.
 *
 * Cost: O(1) a packet. From an overflow until half of the limits is free the queues are
 * kept in a heap by bytes, O(log queues) a packet. A call drops no more than WORK packets
 * but for what came. A drain is O(queues), a gate and a change of the isolation
 * O(queues + packets).
 *
 * What this is not: no ACK filter, no NAT look-up, no autorate, no washing of DSCPs, no
 * ATM cells, no ingress mode, no tins of diffserv3, diffserv8 or precedence.
 *
 * Defaults: unlimited, besteffort, isolation of stations, target 5 ms, interval 100 ms,
 * 10240 packets.
 */
#include "airtab/align.h"
#include "airtab/calendar.h"
#include "airtab/cobalt.h"
#include "airtab/flowtable.h"
#include "airtab/heap.h"
#include "airtab/random.h"
#include "airtab/shaper.h"
#include "airtab/urgent.h"
#include "airtab/ways.h"

enum { P_BANDWIDTH, P_TINS, P_ISOLATION, P_OVERHEAD, P_MPU, P_LIMIT, P_MEMORY, P_TARGET, P_INTERVAL,
       P_END };
enum { S_SPARSE, S_BULK, S_MARKS, S_DROPS, S_BLUE_DROPS, S_OVERFLOWS, S_JOINED, S_WAITS, S_BE, S_BK,
       S_VI, S_VO, S_URGENT, S_URGENT_OVER, S_URGENT_AIR, S_END };
enum { R_QUEUE, R_TIN, R_BACKLOG, R_BACKLOG_BYTES, R_SPARSE, R_SOJOURN, R_DROPPING, R_COUNT, R_BLUE,
       R_FLOW, R_END };

#define QUEUE_BITS 10
#define QUEUES (1u << QUEUE_BITS)	/* of a tin */
#define TINS 4u
#define NO_FLOW (1ull << 32)		/* beyond all hashes, as is the next one: urgent */
#define WORK 4096u			/* packets that a call may drop: a millisecond */
#define MTU AT_CODEL_MTU
#define QUANTUM_MIN 300u
#define MEMORY_MIN (4u << 20)		/* where it goes by the bandwidth */
#define MEMORY_LEAST (1u << 16)		/* all urgent packets fit */
#define RATE_MIN 1000u

enum { BEST_EFFORT, BULK, VIDEO, VOICE };
enum { FLOWS, STATIONS, SOURCES, BOTH };
/* Of a queue: in no list; priority; takes turns, with and without packets. */
enum { IDLE, SPARSE, TURNS, EMPTY, STATES };
enum { BY_STATION, BY_SOURCE, PARTIES };

struct queue {
	struct at_seat seat;	/* its list: the state */
	struct at_fifo fifo;
	struct at_cobalt cobalt;
	s32 deficit;		/* bytes; may send while above 0 */
	u32 qlen;
	u16 party[PARTIES];	/* whom it shares with; 0: nobody */
	u32 epoch;		/* `resets` when COBALT's state began */
};

_Static_assert(sizeof(struct queue) <= AT_LINE, "a queue is one cache line");

/* A station, or a sender, that has queues. */
struct party {
	struct at_flow_node node;
	struct at_share all, sparse;	/* bytes sent; those with priority */
	u32 queues;
};

struct tin {
	struct at_pace pace;
	struct at_clock clock;
	struct at_cobalt_params cobalt;
	s64 deficit;		/* without a bandwidth */
	u32 weight, quantum;
	u32 packets, parked;
	u32 in[STATES];		/* queues by state */
	u32 first;		/* number of its first queue among all */
	struct at_chain sparse, passed_sparse, passed;
	u64 sent;
	struct at_flowtable parties[PARTIES];
	struct at_ways *ways;
	struct queue *queues;
	u32 *bytes;		/* of each queue */
	u32 *gated;		/* packets of closed stations of each */
	struct at_calendar rounds;
};

struct cake {
	u64 limit, memory, hash, seq, draws, waits, joined, overflows;
	u64 bandwidth;		/* b/s; 0 = unlimited */
	u32 overhead, mpu, resets, n_tins, turn;
	u8 isolation;
	bool heaped;		/* the heap holds all queues that have packets */
	struct at_pace pace;
	struct at_clock clock;
	struct at_cobalt_stats total;
	struct at_urgent urgent;
	struct at_heap heap;	/* of queues of all tins, by bytes */
	struct tin *tins;
};

static const char *const cake_tins[] = { "besteffort", "diffserv4", NULL };
static const char *const cake_isolations[] = { "flows", "stations", "sources", "both", NULL };

static const struct at_param cake_params[] = {
	[P_BANDWIDTH] = {
		.id = 1, .unit = AT_BPS, .max_len = 1, .name = "bandwidth",
		.help = "of the shaper; 0 = unlimited", .source = "tc-cake(8)",
		.def = 0, .min = 0, .max = 100000000000ull,
	},
	[P_TINS] = {
		.id = 2, .unit = AT_CHOICE, .flags = AT_P_INIT, .max_len = 1, .name = "tins",
		.help = "besteffort: one; diffserv4: best effort, bulk, video, voice by DSCP",
		.source = "tc-cake(8)", .def = 0, .min = 0, .max = 1, .choices = cake_tins,
	},
	[P_ISOLATION] = {
		.id = 3, .unit = AT_CHOICE, .max_len = 1, .name = "isolation",
		.help = "who has a share, its flows together: each flow, each station, each sender, stations and senders both",
		.source = "Piece of CAKE III-B", .def = STATIONS, .min = 0, .max = BOTH,
		.choices = cake_isolations,
	},
	[P_OVERHEAD] = {
		.id = 4, .unit = AT_BYTES, .max_len = 1, .name = "overhead",
		.help = "that a packet has on the link beside its IP bytes", .source = "tc-cake(8)",
		.def = 0, .min = 0, .max = 256,
	},
	[P_MPU] = {
		.id = 5, .unit = AT_BYTES, .max_len = 1, .name = "mpu",
		.help = "least bytes that a packet counts as, overhead included", .source = "tc-cake(8)",
		.def = 0, .min = 0, .max = 256,
	},
	[P_LIMIT] = {
		.id = 6, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all queues together", .source = "Linux", .def = 10240,
		.min = 1, .max = 1u << 20,
	},
	[P_MEMORY] = {
		.id = 7, .unit = AT_BYTES, .max_len = 1, .name = "memory",
		.help = "bytes of all queues together; 0 = four intervals at the bandwidth, at least 4 MiB, at most 10240 full packets",
		.source = "tc-cake(8) memlimit", .def = 0, .min = 0, .max = 1u << 31,
	},
	[P_TARGET] = {
		.id = 8, .unit = AT_NS, .max_len = 1, .name = "target",
		.help = "sojourn time that a queue should stay below; at least that of 1.5 full packets at the tin's bandwidth",
		.source = "tc-cake(8)", .def = AT_CODEL_TARGET, .min = 1000, .max = 4000000000u,
	},
	[P_INTERVAL] = {
		.id = 9, .unit = AT_NS, .max_len = 1, .name = "interval",
		.help = "how long it may be above: a usual round-trip time", .source = "tc-cake(8) rtt",
		.def = AT_CODEL_INTERVAL, .min = 1000, .max = 4000000000u,
	},
	[P_END] = { 0 },
};

static const struct at_stat cake_stats[] = {
	[S_SPARSE] = { .id = 1, .unit = AT_COUNT, .name = "sparse",
		.help = "queues with priority" },
	[S_BULK] = { .id = 2, .unit = AT_COUNT, .name = "bulk",
		.help = "queues that take turns, with packets" },
	[S_MARKS] = { .id = 3, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked by COBALT instead of dropped" },
	[S_DROPS] = { .id = 4, .unit = AT_COUNT, .counter = true, .name = "cobalt_drops",
		.help = "packets dropped by COBALT" },
	[S_BLUE_DROPS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "blue_drops",
		.help = "of these, those that BLUE alone wanted" },
	[S_OVERFLOWS] = { .id = 6, .unit = AT_COUNT, .counter = true, .name = "overflows",
		.help = "packets that the longest queue lost to make room" },
	[S_JOINED] = { .id = 7, .unit = AT_COUNT, .counter = true, .name = "joined",
		.help = "packets that came to another flow's queue, as all eight of their set were busy" },
	[S_WAITS] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "waits",
		.help = "dequeues that gave nothing, as the shaper let nothing go yet" },
	[S_BE] = { .id = 9, .unit = AT_BYTES, .counter = true, .name = "best_effort",
		.help = "bytes that best effort sent, overhead included" },
	[S_BK] = { .id = 10, .unit = AT_BYTES, .counter = true, .name = "background",
		.help = "bytes that bulk (CS1, LE) sent" },
	[S_VI] = { .id = 11, .unit = AT_BYTES, .counter = true, .name = "video",
		.help = "bytes that video sent" },
	[S_VO] = { .id = 12, .unit = AT_BYTES, .counter = true, .name = "voice",
		.help = "bytes that voice sent" },
	[S_URGENT] = { .id = 13, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 14, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: an ordinary flow" },
	[S_URGENT_AIR] = { .id = 15, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets, nominal" },
	[S_END] = { 0 },
};

static const struct at_stat cake_row_stats[] = {
	[R_QUEUE] = { .id = 1, .unit = AT_COUNT, .name = "queue",
		.help = "number of the queue, 1024 a tin; one above the last: urgent packets" },
	[R_TIN] = { .id = 2, .unit = AT_COUNT, .name = "tin",
		.help = "0 best effort, 1 bulk, 2 video, 3 voice" },
	[R_BACKLOG] = { .id = 3, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 4, .unit = AT_BYTES, .name = "backlog_bytes",
		.help = "bytes queued" },
	[R_SPARSE] = { .id = 5, .unit = AT_BOOL, .name = "sparse", .help = "has priority" },
	[R_SOJOURN] = { .id = 6, .unit = AT_NS, .name = "sojourn",
		.help = "age of the oldest packet" },
	[R_DROPPING] = { .id = 7, .unit = AT_BOOL, .name = "dropping",
		.help = "COBALT is in an episode above target" },
	[R_COUNT] = { .id = 8, .unit = AT_COUNT, .name = "count", .help = "COBALT's count" },
	[R_BLUE] = { .id = 9, .unit = AT_PPM, .name = "blue",
		.help = "probability with which BLUE drops a packet" },
	[R_FLOW] = { .id = 10, .unit = AT_HEX, .name = "flow",
		.help = "flow hash of the oldest packet; 100000000 = none, 100000001 = urgent" },
	[R_END] = { 0 },
};

static struct cake *cake_priv(const struct at_qdisc *q)
{
	return (struct cake *)q->state;
}

/* Whether a tin has a packet that may go. */
static bool cake_waits(const struct tin *t)
{
	return t->packets > t->parked;
}

/* What a packet counts as on the link. */
static u32 cake_length(const struct cake *s, const struct at_pkt *p)
{
	u32 n = at_bytes(p) + s->overhead;

	return n > s->mpu ? n : s->mpu;
}

/* ---- tins ---- */

/* tc-cake(8), diffserv4. */
static u32 cake_tin_of(const struct cake *s, const struct at_pkt *p)
{
	static const u8 tins[64] = {
		[1] = BULK, [8] = BULK,				/* LE, CS1 */
		[4] = VIDEO, [16] = VIDEO, [18] = VIDEO,	/* TOS4, CS2, AF2x */
		[20] = VIDEO, [22] = VIDEO, [24] = VIDEO,	/* CS3 */
		[26] = VIDEO, [28] = VIDEO, [30] = VIDEO,	/* AF3x */
		[34] = VIDEO, [36] = VIDEO, [38] = VIDEO,	/* AF4x */
		[32] = VOICE, [40] = VOICE, [44] = VOICE,	/* CS4, CS5, VA */
		[46] = VOICE, [48] = VOICE, [56] = VOICE,	/* EF, CS6, CS7 */
	};
	struct at_key k;

	return s->n_tins > 1 && at_key(p, &k) ? tins[k.dscp % 64] : BEST_EFFORT;
}

/* The tin that sends; one has something that may go. */
static struct tin *cake_tin_due(struct cake *s, u64 now)
{
	u64 soonest = AT_NEVER;
	struct tin *best = s->tins;

	for (struct tin *t = s->tins; t < s->tins + s->n_tins; t++) {
		u64 due = at_clock_due(&t->clock), wait = due > now ? due - now : 0;

		if (cake_waits(t) && (!wait || wait <= soonest)) {
			best = t;
			soonest = wait;
		}
	}
	return best;
}

/* The same without a bandwidth. */
static struct tin *cake_tin_in_turn(struct cake *s)
{
	for (;;) {
		struct tin *t = &s->tins[s->turn];

		if (t->deficit >= 0 && cake_waits(t))
			return t;
		if (t->deficit <= 0)
			t->deficit += t->weight;
		s->turn = (s->turn + 1) % s->n_tins;
	}
}

/* A tin sent so much. Its clock does not run ahead by more than the packet: what it
 * had beyond its share, as others left it, is not held against it. */
static void cake_charge_tin(struct cake *s, struct tin *t, u32 length, u64 now)
{
	struct at_clock from_now = { .ns = now };

	t->sent += length;
	if (s->n_tins == 1)
		return;
	if (!s->bandwidth) {
		t->deficit -= length;
	} else if (t->clock.ns < now) {
		at_clock_add(&t->clock, t->pace, length);
	} else {
		at_clock_add(&from_now, t->pace, length);
		if (t->clock.ns < from_now.ns)
			t->clock = from_now;
	}
}

/* Something comes to wait in a tin, or may go from now on. */
static void cake_begin(struct at_qdisc *q, struct tin *t, u64 now)
{
	struct cake *s = cake_priv(q);

	if (!cake_waits(t))
		at_clock_begin(&t->clock, now);
	if (q->qlen == q->parked)
		at_clock_begin(&s->clock, now);
}

/* ---- queues by bytes ---- */

static bool cake_less(const void *ctx, const struct at_heap_entry *a, const struct at_heap_entry *b)
{
	(void)ctx;
	return a->key < b->key;
}

/* A queue has more or fewer packets. */
static void cake_reweigh(struct cake *s, const struct tin *t, u32 i)
{
	u32 id = t->first + i;

	if (!s->heaped)
		return;
	at_heap_del(&s->heap, id, cake_less, NULL);
	if (t->queues[i].qlen)
		at_heap_add(&s->heap, (struct at_heap_entry){ .key = t->bytes[i], .id = id }, cake_less, NULL);
}

static void cake_heap(struct cake *s)
{
	if (s->heaped)
		return;
	s->heaped = true;
	for (struct tin *t = s->tins; t < s->tins + s->n_tins; t++)
		for (u32 i = 0; i < QUEUES; i++)
			cake_reweigh(s, t, i);
}

static void cake_unheap(struct cake *s)
{
	for (u32 i = 0; i < s->heap.n; i++)
		s->heap.pos[s->heap.e[i].id] = 0;
	s->heap.n = 0;
	s->heaped = false;
}

/* ---- parties ---- */

static struct party *cake_party(const struct tin *t, u32 by, u32 i)
{
	return (struct party *)(void *)at_flows_node(&t->parties[by], i);
}

/* The party of a packet, made if there is none yet; 0: it shares with nobody. */
static u16 cake_party_of(struct tin *t, u32 by, const struct at_pkt *p)
{
	u32 key = by == BY_STATION ? at_sta(p) : at_source(p), i;

	if (key == (by == BY_STATION ? AT_NO_STA : 0))
		return 0;
	i = at_flows_find(&t->parties[by], key);
	if (!i) {
		i = at_flows_add(&t->parties[by], key);
		cake_party(t, by, i)->all = cake_party(t, by, i)->sparse = (struct at_share){ 0 };
		cake_party(t, by, i)->queues = 0;
	}
	cake_party(t, by, i)->queues++;
	return (u16)i;
}

static void cake_join_parties(const struct cake *s, struct tin *t, struct queue *f, const struct at_pkt *p)
{
	f->party[BY_STATION] = s->isolation & STATIONS ? cake_party_of(t, BY_STATION, p) : 0;
	f->party[BY_SOURCE] = s->isolation & SOURCES ? cake_party_of(t, BY_SOURCE, p) : 0;
}

static void cake_leave_parties(struct tin *t, struct queue *f)
{
	for (u32 by = 0; by < PARTIES; by++) {
		if (f->party[by] && !--cake_party(t, by, f->party[by])->queues)
			at_flows_del(&t->parties[by], f->party[by]);
		f->party[by] = 0;
	}
}

/* ---- lists of queues ---- */

static void cake_set_state(struct tin *t, u32 i, u8 state)
{
	struct at_ways *w = &t->ways[i / AT_WAYS];
	u8 bit = (u8)(1u << i % AT_WAYS);
	struct queue *f = &t->queues[i];

	t->in[f->seat.list]--;
	t->in[state]++;
	f->seat.list = state;
	if (state == IDLE) {
		w->busy &= (u8)~bit;
		w->worn = at_cobalt_worn(&f->cobalt) ? w->worn | bit : w->worn & (u8)~bit;
	} else {
		w->busy |= bit;
	}
}

static struct at_seats cake_seats(const struct tin *t)
{
	return (struct at_seats){ &t->queues[0].seat, sizeof(struct queue) };
}

/* Takes the first of those with priority, or of those who take turns. */
static u32 cake_pop(struct tin *t, bool sparse)
{
	return sparse ? at_chain_pop(&t->sparse, cake_seats(t)) : at_calendar_pop(&t->rounds, cake_seats(t));
}

/* Passes over the first one, which has parked packets alone. */
static void cake_pass(struct tin *t, bool sparse)
{
	u32 i = cake_pop(t, sparse);

	t->queues[i].seat.passed = true;
	at_chain_join(sparse ? &t->passed_sparse : &t->passed, cake_seats(t), i);
}

/* Who was passed over is looked at again. */
static void cake_look_again(struct tin *t)
{
	at_chain_return(&t->sparse, cake_seats(t), &t->passed_sparse);
	at_calendar_return(&t->rounds, cake_seats(t), &t->passed);
}

/* The first one's turn is over. The next is in another round, after those of its
 * parties who wait; who was sparse and is empty waits only for what they sent with
 * priority. */
static void cake_end_turn(struct tin *t, bool sparse)
{
	u32 i = cake_pop(t, sparse);
	struct queue *f = &t->queues[i];
	u64 round = t->rounds.now + 1;

	if (f->deficit <= 0) {
		u32 more = f->deficit > -(s32)t->quantum ? 0 : (u32)at_div((u32)-f->deficit, t->quantum);

		f->deficit += (s32)((more + 1) * t->quantum);
		round += more;
	}
	for (u32 by = 0; by < PARTIES; by++) {
		const struct party *party = cake_party(t, by, f->party[by]);
		u64 from = f->qlen || !sparse ? party->all.round : party->sparse.round;

		if (f->party[by] && from > round)
			round = from;
	}
	cake_set_state(t, i, f->qlen ? TURNS : EMPTY);
	at_calendar_add(&t->rounds, cake_seats(t), i, round);
}

/* The first of those who take turns has nothing left. */
static void cake_retire(struct tin *t)
{
	u32 i = at_calendar_pop(&t->rounds, cake_seats(t));

	cake_leave_parties(t, &t->queues[i]);
	cake_set_state(t, i, IDLE);
}

/* ---- one queue ---- */

/* The number of a packet's queue. */
static u32 cake_queue_of(struct cake *s, struct tin *t, const struct at_pkt *p)
{
	u32 hash = at_hash(s->hash, at_flow(p)) >> (32 - QUEUE_BITS), set = hash / AT_WAYS, i;
	enum at_way how;

	i = set * AT_WAYS + at_ways_find(&t->ways[set], at_flow(p), hash % AT_WAYS, &how);
	s->joined += how == AT_WAY_JOINED;
	if (how == AT_WAY_GIVEN)
		memset(&t->queues[i].cobalt, 0, sizeof(t->queues[i].cobalt));
	return i;
}

static void cake_push(struct at_qdisc *q, struct tin *t, struct at_pkt *p, u64 now)
{
	struct cake *s = cake_priv(q);
	u32 i = cake_queue_of(s, t, p);
	struct queue *f = &t->queues[i];

	if (!f->qlen && f->epoch == s->resets)
		at_cobalt_resume(&t->cobalt, &f->cobalt, now);
	if (f->seat.list == IDLE) {
		if (f->epoch != s->resets)
			memset(&f->cobalt, 0, sizeof(f->cobalt));
		f->epoch = s->resets;
		f->deficit = (s32)t->quantum;
		cake_join_parties(s, t, f, p);
		cake_set_state(t, i, SPARSE);
		at_chain_join(&t->sparse, cake_seats(t), i);
	} else if (f->seat.list == EMPTY) {
		cake_set_state(t, i, TURNS);
	}
	at_fifo_push(&f->fifo, p);
	f->qlen++;
	t->packets++;
	t->bytes[i] += at_bytes(p);
	if (at_parked(q, p)) {
		t->gated[i]++;
		t->parked++;
	} else if (f->seat.passed) {
		cake_look_again(t);
	}
	cake_reweigh(s, t, i);
}

/* Takes the packet behind `before`; of a queue that is not empty. */
static struct at_pkt *cake_take_behind(struct at_qdisc *q, struct tin *t, u32 i, struct at_pkt *before)
{
	struct queue *f = &t->queues[i];
	struct at_pkt *p = at_fifo_take(&f->fifo, before);

	t->packets--;
	t->bytes[i] -= at_bytes(p);
	if (at_parked(q, p)) {
		t->gated[i]--;
		t->parked--;
	}
	if (!--f->qlen) {
		t->ways[i / AT_WAYS].shared &= (u8)~(1u << i % AT_WAYS);
		if (f->seat.list == TURNS)
			cake_set_state(t, i, EMPTY);
		if (f->seat.passed)
			cake_look_again(t);
	}
	cake_reweigh(cake_priv(q), t, i);
	return p;
}

/* What COBALT lets out of a queue next, or NULL: nothing is left that may go. */
static struct at_pkt *cake_take_controlled(struct at_qdisc *q, struct tin *t, u32 i, u64 now)
{
	struct cake *s = cake_priv(q);
	struct queue *f = &t->queues[i];
	struct at_pkt *p, *before = NULL;

	while (at_gate_first(q, &f->fifo, &before)) {
		u32 draw = f->cobalt.p ? (u32)(at_random_next(&s->draws) >> 32) : 0;

		bool drop;

		p = cake_take_behind(q, t, i, before);
		drop = at_cobalt_drops(&t->cobalt, &f->cobalt, &s->total, p, !f->qlen, draw, now);
		if (!f->qlen)
			at_cobalt_empty(&t->cobalt, &f->cobalt, now);
		if (!drop)
			return p;
		at_book_drop(q, p, AT_R_AQM);
	}
	return NULL;
}

/* A queue sent so much. */
static void cake_charge(struct tin *t, struct queue *f, u32 length)
{
	f->deficit -= (s32)length;
	for (u32 by = 0; by < PARTIES; by++) {
		struct party *party = cake_party(t, by, f->party[by]);

		if (!f->party[by])
			continue;
		at_share_take(&party->all, t->rounds.now, length, t->quantum);
		if (f->seat.list == SPARSE)
			at_share_take(&party->sparse, t->rounds.now, length, t->quantum);
	}
}

/* Queues whose turn it is and that have nothing leave, a few: else a tin that is never
 * without sparse ones would have none idle. */
static void cake_tidy(struct tin *t)
{
	for (u32 n = 0; n < 2 && t->rounds.len; n++) {
		const struct queue *f = &t->queues[at_calendar_first(&t->rounds)];

		if (f->qlen)
			return;
		if (f->deficit > 0)
			cake_retire(t);
		else
			cake_end_turn(t, false);
	}
}

/* The next packet of a tin, or NULL: nothing is left that may go. */
static struct at_pkt *cake_take(struct at_qdisc *q, struct tin *t, u64 now)
{
	struct cake *s = cake_priv(q);

	cake_tidy(t);
	while (t->sparse.len || t->rounds.len) {
		bool sparse = t->sparse.len;
		u32 i = sparse ? t->sparse.head : at_calendar_first(&t->rounds);
		struct queue *f = &t->queues[i];
		struct at_pkt *p;

		if (q->parked && f->qlen && f->qlen == t->gated[i]) {
			cake_pass(t, sparse);
		} else if (f->deficit <= 0) {
			cake_end_turn(t, sparse);
		} else if ((p = cake_take_controlled(q, t, i, now))) {
			cake_charge(t, f, cake_length(s, p));
			return p;
		} else if (!f->qlen) {
			if (sparse)
				cake_end_turn(t, sparse);
			else
				cake_retire(t);
		}
	}
	return NULL;
}

/* ---- overflow ---- */

static bool cake_over(const struct at_qdisc *q)
{
	const struct cake *s = cake_priv(q);

	return at_urgent_over(&s->urgent, q, s->limit, s->memory);
}

/* Drops until all fit, or for as long as a call may take, but no less than what
 * came; `p` arrived last, or NULL after a change. */
static enum at_verdict cake_make_room(struct at_qdisc *q, const struct at_pkt *p, u64 now)
{
	struct cake *s = cake_priv(q);
	enum at_verdict verdict = AT_OK;
	u64 room = q->bytes - (p ? at_bytes(p) : 0);

	cake_heap(s);
	for (u32 n = 0; cake_over(q) && (n < WORK || q->bytes > room); n++) {
		u32 id = at_heap_max(&s->heap)->id, i = id % QUEUES;
		struct tin *t = &s->tins[id / QUEUES];
		bool memory = q->qlen <= s->limit;

		s->overflows++;
		at_cobalt_full(&t->cobalt, &t->queues[i].cobalt, now);
		verdict = at_book_room(q, cake_take_behind(q, t, i, NULL), p, memory, verdict);
	}
	return verdict;
}

/* ---- operations ---- */

static enum at_verdict cake_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct cake *s = cake_priv(q);
	struct tin *t = &s->tins[cake_tin_of(s, p)];

	if (!at_parked(q, p))
		cake_begin(q, t, now);
	at_codel_stamp(p, now);
	at_seq_set(p, s->seq++);
	if (!at_urgent_push(&s->urgent, q, p, s->limit, now))
		cake_push(q, t, p, now);
	at_book_in(q, p);
	return cake_over(q) ? cake_make_room(q, p, now) : AT_OK;
}

static struct at_pkt *cake_dequeue(struct at_qdisc *q, struct at_ticket *ticket, u64 now)
{
	struct cake *s = cake_priv(q);
	struct tin *t = s->tins;
	struct at_pkt *p;

	memset(ticket, 0, sizeof(*ticket));
	s->total.batch = 0;
	if (s->bandwidth && now < at_clock_due(&s->clock)) {
		s->waits += q->qlen > q->parked;
		return NULL;
	}
	p = at_urgent_take(&s->urgent, q);
	s->urgent.sent += !!p;
	while (!p && q->qlen > q->parked) {
		if (s->n_tins > 1)
			t = s->bandwidth ? cake_tin_due(s, now) : cake_tin_in_turn(s);
		p = cake_take(q, t, now);
		if (p)
			cake_charge_tin(s, t, cake_length(s, p), now);
	}
	if (!p)
		return NULL;
	at_book_out(q, p);
	if (s->bandwidth)
		at_clock_add(&s->clock, s->pace, cake_length(s, p));
	if (s->heaped && q->qlen <= s->limit / 2 && q->bytes <= s->memory / 2)
		cake_unheap(s);
	return p;
}

static u64 cake_wake(const struct at_qdisc *q, u64 now)
{
	const struct cake *s = cake_priv(q);

	(void)now;
	return s->bandwidth && q->qlen > q->parked ? at_clock_due(&s->clock) : AT_NEVER;
}

/* Oldest over all queues: a scan of all, for handing over is rare. */
static struct at_pkt *cake_drain(struct at_qdisc *q)
{
	struct cake *s = cake_priv(q);
	struct at_pkt *p = at_urgent_oldest(&s->urgent);
	struct tin *from = NULL;
	u32 queue = 0;

	for (struct tin *t = s->tins; t < s->tins + s->n_tins; t++) {
		for (u32 i = 0; t->packets && i < QUEUES; i++) {
			struct at_pkt *head = t->ways[i / AT_WAYS].busy ? t->queues[i].fifo.head : NULL;

			if (head && (!p || at_seq(head) < at_seq(p))) {
				p = head;
				from = t;
				queue = i;
			}
		}
	}
	if (!p)
		return NULL;
	p = from ? cake_take_behind(q, from, queue, NULL) : at_urgent_pop(&s->urgent, q);
	at_book_out(q, p);
	return p;
}

static void cake_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct cake *s = cake_priv(q);
	bool waited = q->qlen > q->parked;

	if (!at_gate_turn(q, sta, open))
		return;
	at_urgent_turned(&s->urgent, q, sta, open);
	for (struct tin *t = s->tins; t < s->tins + s->n_tins; t++) {
		bool had = cake_waits(t);

		cake_look_again(t);
		for (u32 i = 0; t->packets && i < QUEUES; i++) {
			u32 n = t->ways[i / AT_WAYS].busy ? at_gate_count(q, &t->queues[i].fifo, sta, open) : 0;

			t->gated[i] += open ? 0 - n : n;
			t->parked += open ? 0 - n : n;
		}
		if (!had)
			at_clock_begin(&t->clock, now);
	}
	if (!waited)
		at_clock_begin(&s->clock, now);
}

/* ---- set-up ---- */

static u64 cake_parties_bytes(void)
{
	return at_lines(AT_FLOWS_RECORDS(QUEUES) * sizeof(struct party));
}

/* Of a tin: its queues, ways, bytes and packets of closed stations, parties and their
 * buckets. */
static u64 cake_tin_bytes(void)
{
	return QUEUES * sizeof(struct queue) + at_lines(QUEUES / AT_WAYS * sizeof(struct at_ways)) +
	       QUEUES * 2 * sizeof(u32) +
	       PARTIES * (cake_parties_bytes() + at_flows_bytes(QUEUES));
}

static u64 cake_n_tins(const struct at_vals *v)
{
	return *v[P_TINS].v ? TINS : 1;
}

/* The state is struct cake, the tins, the heap, then what the tins have. */
static u64 cake_state_size(const struct at_vals *v)
{
	u64 n = cake_n_tins(v);

	return at_lines(sizeof(struct cake)) + at_lines(n * sizeof(struct tin)) +
	       n * QUEUES * (sizeof(struct at_heap_entry) + sizeof(u32)) + n * cake_tin_bytes() + AT_LINE;
}

static const char *cake_check(const struct at_vals *v, u16 *bad)
{
	if (*v[P_BANDWIDTH].v && *v[P_BANDWIDTH].v < RATE_MIN) {
		*bad = P_BANDWIDTH;
		return "must be 0 (unlimited) or at least 1 kb/s";
	}
	if (*v[P_MEMORY].v && *v[P_MEMORY].v < MEMORY_LEAST) {
		*bad = P_MEMORY;
		return "must be 0 (by the bandwidth) or at least 64 KiB";
	}
	if (*v[P_INTERVAL].v < *v[P_TARGET].v) {
		*bad = P_INTERVAL;
		return "must not be below target";
	}
	return NULL;
}

/* As sch_cake: what the tin's rate sends in 1/4096 s, 300 to 1514 bytes. */
static u32 cake_quantum(u64 bandwidth)
{
	u64 bytes = bandwidth / 8 / 4096;

	if (!bandwidth || bytes > MTU)
		return MTU;
	return bytes > QUANTUM_MIN ? (u32)bytes : QUANTUM_MIN;
}

static void cake_set_rate(struct cake *s, struct tin *t, const struct at_vals *v, u32 shift)
{
	struct at_clock packet = { 0 };

	if (s->bandwidth) {
		t->pace = at_pace_of(s->bandwidth >> shift);
		at_clock_add(&packet, t->pace, MTU);
	}
	t->weight = 1024u >> shift;
	t->quantum = cake_quantum(s->bandwidth >> shift);
	t->cobalt = at_cobalt_scale(*v[P_TARGET].v, *v[P_INTERVAL].v, packet.ns);
}

static u64 cake_memory(u64 bandwidth, u64 interval)
{
	u64 most = 10240ull * MTU, bytes;

	if (!bandwidth)
		return most;
	/* four intervals: in us, so that 100 Gb/s and 4 s fit */
	bytes = at_div(bandwidth / 2, 1000000) * at_div(interval, 1000);
	return bytes > most ? most : bytes > MEMORY_MIN ? bytes : MEMORY_MIN;
}

/* Each queue in use gets the parties of the isolation that holds from now on. */
static void cake_regroup(struct cake *s)
{
	for (struct tin *t = s->tins; t < s->tins + s->n_tins; t++) {
		for (u32 i = 0; i < QUEUES; i++) {
			struct queue *f = &t->queues[i];

			cake_leave_parties(t, f);
			if (f->qlen)
				cake_join_parties(s, t, f, f->fifo.head);
		}
	}
}

static bool cake_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	static const u8 shift[TINS] = { [BULK] = 4, [VIDEO] = 1, [VOICE] = 2 };
	struct cake *s = cake_priv(q);

	s->limit = *v[P_LIMIT].v;
	s->overhead = (u32)*v[P_OVERHEAD].v;
	s->mpu = (u32)*v[P_MPU].v;
	if (s->bandwidth != *v[P_BANDWIDTH].v) {
		s->bandwidth = *v[P_BANDWIDTH].v;
		s->pace = s->bandwidth ? at_pace_of(s->bandwidth) : (struct at_pace){ 0 };
		s->clock = (struct at_clock){ .ns = now };
		for (u32 i = 0; i < s->n_tins; i++)
			s->tins[i].clock = s->clock;
	}
	s->memory = *v[P_MEMORY].v ? *v[P_MEMORY].v : cake_memory(s->bandwidth, *v[P_INTERVAL].v);
	for (u32 i = 0; i < s->n_tins; i++)
		cake_set_rate(s, &s->tins[i], v, shift[i]);
	if (s->isolation != *v[P_ISOLATION].v) {
		s->isolation = (u8)*v[P_ISOLATION].v;
		cake_regroup(s);
	}
	if (cake_over(q))
		cake_make_room(q, NULL, now);
	at_urgent_shrink(&s->urgent, q, s->limit);
	return cake_over(q);
}

/* Gives a tin its part of the memory; returns what lies behind. */
static u8 *cake_init_tin(struct tin *t, u8 *at, u32 number, u64 seed)
{
	t->first = number * QUEUES;
	t->queues = (void *)at;
	at += QUEUES * sizeof(struct queue);
	t->ways = (void *)at;
	at += at_lines(QUEUES / AT_WAYS * sizeof(struct at_ways));
	t->bytes = (void *)at;
	t->gated = t->bytes + QUEUES;
	at = (void *)(t->gated + QUEUES);
	for (u32 by = 0; by < PARTIES; by++) {
		u32 *buckets = (void *)(at + cake_parties_bytes());

		at_flows_init(&t->parties[by], buckets, at, sizeof(struct party), QUEUES, seed);
		at = (u8 *)buckets + at_flows_bytes(QUEUES);
	}
	t->in[IDLE] = QUEUES;
	return at;
}

static void cake_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct cake *s = cake_priv(q);
	u8 *at = at_first_line(q) + at_lines(sizeof(struct cake));
	u32 n;

	s->n_tins = (u32)cake_n_tins(v);
	n = s->n_tins * QUEUES;
	s->hash = at_hash_multiplier(seed);
	s->draws = seed;
	s->tins = (void *)at;
	at += at_lines(s->n_tins * sizeof(struct tin));
	s->heap.e = (void *)at;
	s->heap.pos = (void *)(s->heap.e + n);
	at = (void *)(s->heap.pos + n);
	for (u32 i = 0; i < s->n_tins; i++)
		at = cake_init_tin(&s->tins[i], at, i, seed);
	cake_change(q, v, now);
}

/* All queues are idle, and nobody is anybody's party. */
static void cake_clear(struct at_qdisc *q, struct tin *t)
{
	cake_look_again(t);
	for (u32 i = 0; i < QUEUES; i++) {
		struct queue *f = &t->queues[i];

		if (f->seat.list == IDLE)
			continue;
		while (f->qlen)
			at_book_drop(q, cake_take_behind(q, t, i, NULL), AT_R_RESET);
	}
	while (t->sparse.len)
		cake_end_turn(t, true);
	while (t->rounds.len) {
		at_calendar_first(&t->rounds);
		cake_retire(t);
	}
	for (u32 i = 0; i < QUEUES / AT_WAYS; i++)
		t->ways[i].worn = 0;
	t->deficit = 0;
}

static void cake_reset(struct at_qdisc *q, u64 now)
{
	struct cake *s = cake_priv(q);
	struct at_pkt *p;

	(void)now;
	while ((p = at_urgent_pop(&s->urgent, q)))
		at_book_drop(q, p, AT_R_RESET);
	cake_unheap(s);
	for (struct tin *t = s->tins; t < s->tins + s->n_tins; t++)
		cake_clear(q, t);
	s->turn = 0;
	s->resets++;		/* idle queues forget when they are used next */
}

/* ---- tables ---- */

static void cake_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct cake *s = cake_priv(q);

	(void)now;
	v[S_SPARSE] = v[S_BULK] = 0;
	for (u32 i = 0; i < TINS; i++) {
		const struct tin *t = &s->tins[i];
		bool is = i < s->n_tins;

		v[S_SPARSE] += is ? t->in[SPARSE] : 0;
		v[S_BULK] += is ? t->in[TURNS] : 0;
		v[S_BE + i] = is ? t->sent : 0;
	}
	v[S_MARKS] = s->total.marks;
	v[S_DROPS] = s->total.drops;
	v[S_BLUE_DROPS] = s->total.blue;
	v[S_OVERFLOWS] = s->overflows;
	v[S_JOINED] = s->joined;
	v[S_WAITS] = s->waits;
	v[S_URGENT] = s->urgent.sent;
	v[S_URGENT_OVER] = s->urgent.over;
	v[S_URGENT_AIR] = s->urgent.air;
}

/* The row of a queue that is in use. */
static void cake_row_of(const struct tin *t, u32 i, u64 *cols, u64 now)
{
	const struct queue *f = &t->queues[i];

	cols[R_QUEUE] = t->first + i;
	cols[R_TIN] = t->first / QUEUES;
	cols[R_BACKLOG] = f->qlen;
	cols[R_BACKLOG_BYTES] = t->bytes[i];
	cols[R_SPARSE] = f->seat.list == SPARSE;
	cols[R_SOJOURN] = f->qlen ? at_codel_sojourn(f->fifo.head, now) : 0;
	cols[R_DROPPING] = f->cobalt.dropping;
	cols[R_COUNT] = f->cobalt.count;
	cols[R_BLUE] = (u64)f->cobalt.p * 1000000 >> 32;
	cols[R_FLOW] = f->qlen ? at_flow(f->fifo.head) : NO_FLOW;
}

static u32 cake_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct cake *s = cake_priv(q);
	u32 all = s->n_tins * QUEUES, end = cursor < all && all - cursor > AT_ROWS ? cursor + AT_ROWS : all;

	*found = true;
	for (u32 i = cursor; i < end; i++) {
		const struct tin *t = &s->tins[i / QUEUES];

		if (t->queues[i % QUEUES].seat.list == IDLE)
			continue;
		cake_row_of(t, i % QUEUES, cols, now);
		return i + 1;
	}
	*found = false;
	if (end < all)
		return end;
	if (cursor > all || !s->urgent.len)
		return 0;
	*found = true;
	memset(cols, 0, R_END * sizeof(*cols));
	cols[R_QUEUE] = all;
	cols[R_BACKLOG] = s->urgent.len;
	cols[R_BACKLOG_BYTES] = s->urgent.bytes;
	cols[R_SOJOURN] = at_codel_sojourn(at_urgent_oldest(&s->urgent), now);
	cols[R_FLOW] = NO_FLOW + 1;
	return all + 1;
}

const struct at_ops at_cake_ops = {
	.name = "cake",
	.about = "a shaper; stations and their flows take turns by bytes, sparse ones first, each with COBALT",
	.params = cake_params,
	.stats = cake_stats,
	.row_stats = cake_row_stats,
	.check = cake_check,
	.state_size = cake_state_size,
	.init = cake_init,
	.change = cake_change,
	.reset = cake_reset,
	.enqueue = cake_enqueue,
	.dequeue = cake_dequeue,
	.drain = cake_drain,
	.gate = cake_gate,
	.wake = cake_wake,
	.read = cake_read,
	.row = cake_row,
};
