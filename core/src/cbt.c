/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbt: Class-Based Thresholds. One queue in order of arrival; each class is held to a
 * threshold of its own average queue, and so to a share of the link and of the delay.
 *
 * Source: Parris, Class-Based Thresholds, 2001, chapter IV (figures 4.3 to 4.6, equation
 * 4.9), VI.5.1.1 and B.6.2 for bytes. Of one class it is red (red.h).
 *
 * Rules
 *  - Rules (classify.h) say of which class a packet is.
 *  - A packet that finds `limit` packets is dropped. While its class has no more than
 *    `guard` packets it is queued. Else it is dropped if it brings its class above `cap`
 *    times Th_max; above an average of Th_max; and from Th_min on by RED's dice.
 *  - The average is that of the class's packets, bytes or airtime. `sampled`: by its
 *    arrivals, dropped ones too, before they are queued; an idle class's falls by the
 *    samples that its share of the link would have taken. `all`: by departures too.
 *    `time`: what was held fades with tau (decay.h), whoever comes.
 *  - Th_max is B L (cbt_plan.c): while all classes have as much, the queue waits L and
 *    each gets B. What one leaves the others share by their thresholds.
 *  - ECN: early drops are marks where the packet allows; without `hard` forced ones too.
 *  - AT_URGENT packets go first within narrow bounds (urgent.h). They are of no class; in
 *    a full queue the oldest of the others makes room. What is more is of a class.
 *  - Parked packets (gate.h) keep their place and count as queued.
 *  - Where the host tells stations' links: airtime is theirs (aircost.h), and a class may
 *    have as many packets as the longest aggregate, so that it can be filled.
 *
 * Cost: O(1) a packet and a look through the rules; a division where RED throws dice and
 * for a class that was idle, not in time.
 *
 * What this is not: no flows, no order but that of arrival: all wait as long. A class that
 * does not slow down loses packets at random times, not fairly among its flows.
 *
 * Defaults: 63 %, 25 %, 12 % of 10 Mb/s, 30 ms; bytes, airtime once rates are told; tau
 * 200 ms; caps 2, 4, 2; class 0 is marked from a fifth of Th_max on. `faithful`: the study's.
 */
#include "cbt_state.h"

enum {
	S_LOAD, S_LATE, S_UNIT, S_GUARD, S_MARKS, S_EARLY_DROPS, S_FORCED_DROPS, S_CAP_DROPS, S_URGENT,
	S_URGENT_OVER, S_URGENT_AIR, S_END
};
enum {
	R_CLASS, R_BACKLOG, R_BACKLOG_BYTES, R_AVERAGE, R_TH_MIN, R_TH_MAX, R_MODE, R_ARRIVALS, R_FORCED,
	R_FULL, R_CAP, R_EARLY, R_MARKS, R_ENTRIES, R_IDLE, R_SENT, R_SENT_BYTES, R_WAITED, R_LATE, R_COUNT, R_END
};

#define STAMP_BITS 28u		/* of 1024 ns: when a packet came, within 274 s */
#define STAMP ((u32)1 << STAMP_BITS)
#define LATE_PPM 1200000u	/* of latency: above, the thresholds do not hold it */

static const char *const cbt_modes[] = { "auto", "packet", "byte", "airtime", NULL };
static const char *const cbt_averages[] = { "auto", "sampled", "all", "time", NULL };
static const char *const cbt_ecns[] = { "auto", "off", "on", NULL };
static const char *const cbt_profiles[] = { "default", "faithful", NULL };

static const struct at_param cbt_params[] = {
	[P_CLASSES] = {
		.id = 1, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "classes",
		.help = "classes; a higher class of a packet counts as the last", .source = "Parris IV.2.1",
		.def = 3, .min = 1, .max = AT_CLASSES,
	},
	[P_LIMIT] = {
		.id = 2, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all classes together", .source = "docs/cbt.md", .def = 1000, .min = 1,
		.max = 1u << 20,
	},
	[P_MODE] = {
		.id = 3, .unit = AT_CHOICE, .max_len = 1, .name = "mode",
		.help = "what queues are counted in; auto: bytes, airtime once the host tells rates; faithful: packets",
		.source = "Parris VI.5.1.1", .def = 0, .min = 0, .max = 3, .choices = cbt_modes,
	},
	[P_LATENCY] = {
		.id = 4, .unit = AT_NS, .max_len = 1, .name = "latency",
		.help = "L: what the queue waits while all classes have their thresholds",
		.source = "Parris V.1.4", .def = 30000000, .min = 1000000, .max = 1000000000,
	},
	[P_RATE] = {
		.id = 5, .unit = AT_BPS, .max_len = 1, .name = "rate",
		.help = "of the link, overheads included; airtime asks not", .source = "Parris IV.4.1",
		.def = 10000000, .min = 128000, .max = 4000000000u,
	},
	[P_OVERHEAD] = {
		.id = 6, .unit = AT_BYTES, .max_len = 1, .name = "overhead",
		.help = "of each packet on the link; 38: Ethernet", .source = "IEEE 802.3 4.2", .def = 38,
		.min = 0, .max = 255,
	},
	[P_SHARE] = {
		.id = 7, .unit = AT_PPM, .max_len = AT_CLASSES, .name = "share",
		.help = "of the link, of each class, or of every one; 0: 63 %, 25 %, 12 % of three classes, else all the same",
		.source = "Parris B.6", .def = 0, .min = 0, .max = 1000000,
	},
	[P_BANDWIDTH] = {
		.id = 8, .unit = AT_BPS, .max_len = AT_CLASSES, .name = "bandwidth",
		.help = "B of each class, or of every one, instead of share; 0: by share", .source = "Parris IV.4.1",
		.def = 0, .min = 0, .max = 4000000000u,
	},
	[P_PACKET] = {
		.id = 9, .unit = AT_BYTES, .max_len = AT_CLASSES, .name = "packet",
		.help = "P: usual size of each class's packets, or of every one's; for mode=packet, and how fast a sampled average falls",
		.source = "Parris IV.4.1", .def = 1000, .min = 1, .max = 65535,
	},
	[P_TH_MAX] = {
		.id = 10, .unit = AT_Q16, .max_len = AT_CLASSES, .name = "th_max",
		.help = "average of a class above which its packets are dropped: packets, bytes or us by mode; 0: B L",
		.source = "Parris IV.3.2", .def = 0, .min = 0, .max = (u64)(AT_CBT_MOST - 1) << 16,
	},
	[P_TH_MIN] = {
		.id = 11, .unit = AT_Q16, .max_len = AT_CLASSES, .name = "th_min",
		.help = "average of a class above which RED begins; 0: th_max, of class 0 a fifth; faithful: 5 packets",
		.source = "Parris T B.13", .def = 0, .min = 0, .max = (u64)(AT_CBT_MOST - 1) << 16,
	},
	[P_SAMPLES] = {
		.id = 12, .unit = AT_COUNT, .max_len = AT_CLASSES, .name = "samples",
		.help = "that a sampled average looks back on: one weighs 1/samples; 0: 256, the last class 4, others 16",
		.source = "Parris T B.13", .def = 0, .min = 0, .max = 1u << 16,
	},
	[P_MAX_P] = {
		.id = 13, .unit = AT_PPM, .max_len = AT_CLASSES, .name = "max_p",
		.help = "probability of a drop at th_max", .source = "Parris T B.13", .def = 100000, .min = 1,
		.max = 1000000,
	},
	[P_AVERAGE] = {
		.id = 14, .unit = AT_CHOICE, .max_len = 1, .name = "average",
		.help = "taken by arrivals, by all that comes or goes, or over time; auto: time; faithful: sampled",
		.source = "Parris IV.3.2.5", .def = 0, .min = 0, .max = 3, .choices = cbt_averages,
	},
	[P_TAU] = {
		.id = 15, .unit = AT_NS, .max_len = AT_CLASSES, .name = "tau",
		.help = "of an average over time: what was fades to 1/e", .source = "docs/cbt.md",
		.def = 200000000, .min = 100000, .max = AT_DECAY_TAU_MAX,
	},
	[P_GUARD] = {
		.id = 16, .unit = AT_COUNT, .max_len = 1, .name = "guard",
		.help = "packets with which a class still gets one more; as many as an aggregate has, if the host tells",
		.source = "Parris F 4.3", .def = 1, .min = 0, .max = 65535,
	},
	[P_CAP] = {
		.id = 17, .unit = AT_Q16, .max_len = AT_CLASSES, .name = "cap",
		.help = "times th_max that a class may hold at once; 0: no such; 65535: of the profile, 2, others 4, the last 2; faithful: 0",
		.source = "docs/cbt.md", .def = AT_CBT_CAP_DEFAULT, .min = 0, .max = AT_CBT_CAP_DEFAULT,
	},
	[P_GENTLE] = {
		.id = 18, .unit = AT_BOOL, .max_len = 1, .name = "gentle",
		.help = "from th_max to twice th_max the probability rises to 1, where th_min is lower",
		.source = "Floyd 2000", .def = 0, .min = 0, .max = 1,
	},
	[P_ECN] = {
		.id = 19, .unit = AT_CHOICE, .max_len = 1, .name = "ecn",
		.help = "mark instead of drop early where the packet allows; auto: on; faithful: off",
		.source = "RFC 3168 7", .def = 0, .min = 0, .max = 2, .choices = cbt_ecns,
	},
	[P_HARD] = {
		.id = 20, .unit = AT_BOOL, .max_len = 1, .name = "hard",
		.help = "above th_max drop also what could be marked", .source = "RFC 3168 7", .def = 1,
		.min = 0, .max = 1,
	},
	[P_RULES] = {
		.id = 21, .unit = AT_RULE, .max_len = AT_RULES, .name = "rules",
		.help = "of which class a packet is: the first rule that takes it; else the last class",
		.source = "Parris IV.2.1", .def = AT_RULE_DEFAULT, .max = AT_RULE_MAX,
	},
	[P_PROFILE] = {
		.id = 22, .unit = AT_CHOICE, .max_len = 1, .name = "profile",
		.help = "what is not said: default, or the study's", .source = "Parris IV.3", .def = 0, .min = 0,
		.max = 1, .choices = cbt_profiles,
	},
	[P_PHY] = {
		.id = 23, .unit = AT_CHOICE, .max_len = 1, .name = "phy",
		.help = "airtime profile of stations whose link the host does not tell",
		.source = "docs/airtime.md", .def = AT_PHY_STD_11G, .min = 0, .max = AT_PHYS - 1,
		.choices = at_phy_names,
	},
	[P_STATION_RATE] = {
		.id = 24, .unit = AT_BPS, .max_len = 1, .name = "station_rate",
		.help = "rate of stations whose link the host does not tell; 0: 54 Mb/s, and mode=airtime is refused",
		.source = "docs/airtime.md", .def = 0, .min = 0, .max = 10000000000ull,
	},
	[P_STATIONS] = {
		.id = 25, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "stations",
		.help = "links that are told apart; numbers from here on share with those below",
		.source = "docs/cbt.md", .def = 64, .min = 1, .max = 4096,
	},
	[P_END] = { 0 },
};

static const struct at_stat cbt_stats[] = {
	[S_LOAD] = { .id = 1, .unit = AT_PPM, .name = "load",
		.help = "average queue of all classes, of what waits for latency" },
	[S_LATE] = { .id = 2, .unit = AT_COUNT, .name = "late",
		.help = "1: that is above 120 %: the link is slower than rate, or another queue waits below" },
	[S_UNIT] = { .id = 3, .unit = AT_COUNT, .name = "unit",
		.help = "averages and thresholds are packets: 0, bytes: 1, ns of airtime: 2" },
	[S_GUARD] = { .id = 4, .unit = AT_COUNT, .name = "guard",
		.help = "packets with which a class still gets one more" },
	[S_MARKS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked instead of dropped" },
	[S_EARLY_DROPS] = { .id = 6, .unit = AT_COUNT, .counter = true, .name = "early_drops",
		.help = "packets dropped at random" },
	[S_FORCED_DROPS] = { .id = 7, .unit = AT_COUNT, .counter = true, .name = "forced_drops",
		.help = "packets dropped because the average of their class was above th_max" },
	[S_CAP_DROPS] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "cap_drops",
		.help = "packets dropped because their class had cap times th_max" },
	[S_URGENT] = { .id = 9, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 10, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: of a class" },
	[S_URGENT_AIR] = { .id = 11, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets, nominal" },
	[S_END] = { 0 },
};

static const struct at_stat cbt_row_stats[] = {
	[R_CLASS] = { .id = 1, .unit = AT_COUNT, .name = "class", .help = "class, 255 = urgent" },
	[R_BACKLOG] = { .id = 2, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 3, .unit = AT_BYTES, .name = "backlog_bytes", .help = "bytes queued" },
	[R_AVERAGE] = { .id = 4, .unit = AT_Q16, .name = "average",
		.help = "of what is queued: packets, bytes or ns, by unit" },
	[R_TH_MIN] = { .id = 5, .unit = AT_Q16, .name = "th_min", .help = "RED begins, likewise" },
	[R_TH_MAX] = { .id = 6, .unit = AT_Q16, .name = "th_max", .help = "all are dropped, likewise" },
	[R_MODE] = { .id = 7, .unit = AT_COUNT, .name = "mode",
		.help = "0: no drops, 1: the average is above th_min, 2: above th_max" },
	[R_ARRIVALS] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "arrivals",
		.help = "packets that came" },
	[R_FORCED] = { .id = 9, .unit = AT_COUNT, .counter = true, .name = "forced_drops",
		.help = "dropped: average above th_max" },
	[R_FULL] = { .id = 10, .unit = AT_COUNT, .counter = true, .name = "full_drops",
		.help = "dropped: limit packets queued" },
	[R_CAP] = { .id = 11, .unit = AT_COUNT, .counter = true, .name = "cap_drops",
		.help = "dropped: cap times th_max queued" },
	[R_EARLY] = { .id = 12, .unit = AT_COUNT, .counter = true, .name = "early_drops",
		.help = "dropped at random" },
	[R_MARKS] = { .id = 13, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "marked instead of dropped" },
	[R_ENTRIES] = { .id = 14, .unit = AT_COUNT, .counter = true, .name = "entries",
		.help = "times that the average rose above th_min" },
	[R_IDLE] = { .id = 15, .unit = AT_COUNT, .counter = true, .name = "idle",
		.help = "packets that found none of their class" },
	[R_SENT] = { .id = 16, .unit = AT_COUNT, .counter = true, .name = "sent", .help = "packets sent" },
	[R_SENT_BYTES] = { .id = 17, .unit = AT_BYTES, .counter = true, .name = "sent_bytes",
		.help = "bytes sent" },
	[R_WAITED] = { .id = 18, .unit = AT_NS, .counter = true, .name = "waited",
		.help = "time in the queue of all that were sent: over sent it is the mean" },
	[R_LATE] = { .id = 19, .unit = AT_NS, .name = "waited_95",
		.help = "that 95 % of the last packets waited less than, about" },
	[R_COUNT] = { .id = 20, .unit = AT_COUNT, .name = "count",
		.help = "packets that came since one was dropped or marked, or RED began" },
	[R_END] = { 0 },
};

/* ---- packets ---- */

/* Behind a packet's sequence number: its airtime, then its class above when it came. */
struct cbt_mark {
	u32 air, what;
};

static void cbt_set_mark(struct at_pkt *p, struct cbt_mark m)
{
	memcpy((u8 *)at_priv(p) + sizeof(u64), &m, sizeof(m));
}

static struct cbt_mark cbt_mark_of(struct at_pkt *p)
{
	struct cbt_mark m;

	memcpy(&m, (u8 *)at_priv(p) + sizeof(u64), sizeof(m));
	return m;
}

static u32 cbt_stamp(u64 now)
{
	return (u32)(now >> 10) & (STAMP - 1);
}

/* Airtime of a packet on its station's link, ns. */
static u32 cbt_air(const struct at_cbt *s, const struct at_pkt *p)
{
	const struct at_cbt_station *link = &s->links[at_place_of(s->stations, at_sta(p))];
	u64 ns = link->fixed + ((u64)at_bytes(p) * link->per_byte >> 16);

	return ns < ~(u32)0 ? (u32)ns : ~(u32)0;
}

/* ---- averages ---- */

/* As an arrival takes it. */
static u64 cbt_average(const struct at_cbt *s, const struct at_cbt_class *k, u64 now)
{
	if (s->average == AT_CBT_TIME)
		return at_decay_add(k->red.average, at_decay_of(now - k->red.last, k->fade, k->tau),
				    at_cbt_held(s, k));
	if (k->backlog)
		return at_ewma_add(k->red.average, k->params.keep, at_cbt_held(s, k));
	return at_red_average(&k->params, &k->red, 0, now);
}

/* What a class holds is about to change, or what is counted. */
static void cbt_elapse(const struct at_cbt *s, struct at_cbt_class *k, u64 now)
{
	if (s->average != AT_CBT_TIME)
		return;
	k->red.average = cbt_average(s, k, now);
	k->red.last = now;
}

/* Counted in something else from now on. */
static void cbt_recount(struct at_cbt *s)
{
	for (u32 i = 0; i < s->classes; i++)
		s->at[i].red.average = (u64)at_cbt_held(s, &s->at[i]) << AT_EWMA_BITS;
}

/* ---- decisions ---- */

enum cbt_verdict { PASSES, EARLY, FORCED, CAPPED, FULL };

/* Whether a packet brings its class above its cap. */
static bool cbt_over_cap(const struct at_cbt *s, const struct at_cbt_class *k, u32 bytes, u32 air)
{
	u32 own = s->unit == AT_CBT_PACKETS ? 1 : s->unit == AT_CBT_BYTES ? bytes + s->overhead : air;

	return (u64)at_cbt_held(s, k) + own > k->cap;
}

/* What is said of a packet, by how its class stands; the average is taken. */
static enum cbt_verdict cbt_weigh(struct at_qdisc *q, struct at_cbt_class *k, u32 bytes, u32 air)
{
	struct at_cbt *s = at_cbt_priv(q);
	bool above = k->red.above;
	enum at_red_verdict verdict;

	if (q->qlen >= s->limit)
		return FULL;
	if (k->backlog > s->guard && cbt_over_cap(s, k, bytes, air))
		return CAPPED;
	if (k->backlog <= s->guard || k->red.average <= k->params.min) {
		k->red.above = false;
		return PASSES;
	}
	verdict = at_red_judge(&k->params, &k->red, &s->random);
	k->entries += !above && k->red.above;
	return verdict == AT_RED_PASSES ? PASSES : verdict == AT_RED_EARLY ? EARLY : FORCED;
}

static enum cbt_verdict cbt_judge(struct at_qdisc *q, struct at_cbt_class *k, u32 bytes, u32 air, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);
	enum cbt_verdict verdict;

	k->arrivals++;
	k->idle += !k->backlog;
	k->red.count++;
	k->red.average = cbt_average(s, k, now);
	verdict = cbt_weigh(q, k, bytes, air);
	if (verdict != PASSES)
		k->red.count = 0;
	/* an idle class that stays so is not to fall by the same time again */
	if (s->average == AT_CBT_TIME || (verdict != PASSES && !k->backlog))
		k->red.last = now;
	return verdict;
}

/* Whether a verdict, which is not that p passes, is a mark on p. */
static bool cbt_marks(const struct at_cbt *s, enum cbt_verdict verdict, struct at_pkt *p)
{
	return s->ecn && (verdict == EARLY || (verdict == FORCED && !s->hard)) && at_mark_ce(p);
}

static enum at_verdict cbt_refuse(struct at_qdisc *q, struct at_cbt_class *k, struct at_pkt *p,
				  enum cbt_verdict verdict)
{
	static const u8 why[] = {
		[EARLY] = AT_R_EARLY, [FORCED] = AT_R_CLASS, [CAPPED] = AT_R_CLASS, [FULL] = AT_R_LIMIT,
	};

	k->early += verdict == EARLY;
	k->forced += verdict == FORCED;
	k->capped += verdict == CAPPED;
	k->full += verdict == FULL;
	return at_book_refuse(q, p, why[verdict]);
}

/* ---- operations ---- */

/* p of class k, which was counted, is in the line no more. */
static struct at_cbt_class *cbt_leaves(struct at_cbt *s, struct at_pkt *p)
{
	struct cbt_mark m = cbt_mark_of(p);
	struct at_cbt_class *k = &s->at[m.what >> STAMP_BITS];

	k->backlog--;
	k->bytes -= at_bytes(p);
	k->air -= m.air;
	return k;
}

/* The same with a sample: it departs. */
static struct at_cbt_class *cbt_departs(struct at_cbt *s, struct at_pkt *p, u64 now)
{
	struct at_cbt_class *k = &s->at[cbt_mark_of(p).what >> STAMP_BITS];

	cbt_elapse(s, k, now);
	cbt_leaves(s, p);
	if (s->average == AT_CBT_ALL)
		k->red.average = at_ewma_add(k->red.average, k->params.keep, at_cbt_held(s, k));
	k->red.last = now;
	return k;
}

/* Takes the oldest packet of a class; there is one. */
static struct at_pkt *cbt_pop(struct at_cbt *s, u64 now)
{
	struct at_pkt *p = at_line_pop(&s->line);

	cbt_departs(s, p, now);
	return p;
}

static bool cbt_over(const struct at_qdisc *q)
{
	const struct at_cbt *s = at_cbt_priv(q);

	return at_urgent_over(&s->urgent, q, s->limit, AT_NEVER);
}

static void cbt_queue(struct at_qdisc *q, struct at_pkt *p)
{
	at_seq_set(p, at_cbt_priv(q)->seq++);
	at_book_in(q, p);
}

static enum at_verdict cbt_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);
	enum cbt_verdict verdict;
	struct at_cbt_class *k;
	u32 i, air, bytes = at_bytes(p);

	if (at_urgent_push(&s->urgent, q, p, s->limit, now)) {
		cbt_queue(q, p);
		return cbt_over(q) ? at_book_room(q, cbt_pop(s, now), p, false, AT_OK) : AT_OK;
	}
	i = at_classify(&s->rules, p, s->classes);
	k = &s->at[i];
	air = cbt_air(s, p);
	verdict = cbt_judge(q, k, bytes, air, now);
	if (verdict != PASSES) {
		if (!cbt_marks(s, verdict, p))
			return cbt_refuse(q, k, p, verdict);
		k->marks++;
	}
	k->backlog++;
	k->bytes += bytes;
	k->air += air;
	at_fifo_push(&s->line.fifo, p);
	cbt_set_mark(p, (struct cbt_mark){ air, i << STAMP_BITS | cbt_stamp(now) });
	cbt_queue(q, p);
	return AT_OK;
}

/* A packet of class k was sent that came at that stamp. */
static void cbt_count(struct at_cbt_class *k, u32 bytes, u32 stamp, u64 now)
{
	u64 ns = (u64)((cbt_stamp(now) - stamp) & (STAMP - 1)) << 10, step = (k->late >> 9) + 1000;

	k->sent++;
	k->sent_bytes += bytes;
	k->waited += ns;
	/* one of 20 is above it: 19 steps up, or one down */
	if (ns > k->late)
		k->late += 19 * step;
	else
		k->late -= k->late < step ? k->late : step;
}

static struct at_pkt *cbt_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);
	struct at_pkt *p = at_urgent_take(&s->urgent, q);

	memset(t, 0, sizeof(*t));
	if (p) {
		s->urgent.sent++;
	} else {
		if (!at_line_first(q, &s->line))
			return NULL;
		p = at_line_take(&s->line);
		cbt_count(cbt_departs(s, p, now), at_bytes(p), cbt_mark_of(p).what, now);
	}
	at_book_out(q, p);
	return p;
}

/* Handed over: no sample. */
static struct at_pkt *cbt_drain(struct at_qdisc *q)
{
	struct at_cbt *s = at_cbt_priv(q);
	struct at_pkt *p = s->line.fifo.head, *urgent = at_urgent_oldest(&s->urgent);

	if (urgent && (!p || at_seq(urgent) < at_seq(p))) {
		p = at_urgent_pop(&s->urgent, q);
	} else if (p) {
		at_line_pop(&s->line);
		cbt_leaves(s, p);
	}
	if (p)
		at_book_out(q, p);
	return p;
}

static void cbt_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);

	(void)now;
	if (!at_gate_turn(q, sta, open))
		return;
	at_urgent_turned(&s->urgent, q, sta, open);
	at_line_turned(q, &s->line, sta, open);
}

/* ---- links ---- */

/* As many packets as go at once to somebody, where that is known and asked for. */
static void cbt_set_guard(struct at_cbt *s)
{
	s->guard = s->least;
	if (s->faithful || s->unit == AT_CBT_PACKETS)
		return;
	for (u32 i = 0; i < s->stations + AT_PLACES_SPECIAL; i++)
		if (s->links[i].frames > s->guard)
			s->guard = s->links[i].frames;
}

/* A rate is known: from now on airtime is counted. */
static void cbt_turn_to_airtime(struct at_cbt *s, u64 now)
{
	s->told = true;
	if (!s->automatic || s->unit == AT_CBT_AIRTIME)
		return;
	s->unit = AT_CBT_AIRTIME;
	for (u32 i = 0; i < s->classes; i++) {
		at_cbt_hold_to(&s->at[i], &s->at[i].airtime);
		if (s->average == AT_CBT_TIME)
			s->at[i].red.last = now;
	}
	cbt_recount(s);
}

static void cbt_link(struct at_qdisc *q, const struct at_link *l, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);
	struct at_cbt_station *link = &s->links[at_place_of(s->stations, l->sta)];
	struct at_aircost c;
	u8 unit = s->unit;
	u16 frames = (u16)(l->ampdu_frames < 65535 ? l->ampdu_frames : 65535);

	if (!l->here) {
		link->fixed = s->usual.fixed;
		link->per_byte = s->usual.per_byte;
		link->told = false;
		frames = 0;
	} else if (at_aircost_of_link(&c, l)) {
		link->fixed = c.overhead + at_aircost_contention(&c, 2);
		link->per_byte = c.per_byte;
		link->told = true;
		cbt_turn_to_airtime(s, now);
	}
	if (link->frames != frames || s->unit != unit) {
		link->frames = frames;
		cbt_set_guard(s);
	}
}

/* ---- set-up ---- */

static u64 cbt_classes_bytes(u64 classes)
{
	return classes * sizeof(struct at_cbt_class);
}

/* The state is struct at_cbt, then the classes and the links. */
static u64 cbt_state_size(const struct at_vals *v)
{
	return sizeof(struct at_cbt) + cbt_classes_bytes(*v[P_CLASSES].v) +
	       (*v[P_STATIONS].v + AT_PLACES_SPECIAL) * sizeof(struct at_cbt_station);
}

/* Averages stay, unless they are of something else now: then they are what is queued. A
 * lower limit drops the oldest, urgent ones last. */
static bool cbt_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);
	u8 unit = s->unit, average = s->average;

	for (u32 i = 0; i < s->classes; i++)
		cbt_elapse(s, &s->at[i], now);
	at_cbt_plan(s, v);
	for (u32 i = 0; i < s->classes; i++)
		if (s->average != average)
			s->at[i].red.last = now;
	if (s->unit != unit)
		cbt_recount(s);
	for (u32 i = 0; i < s->stations + AT_PLACES_SPECIAL; i++) {
		if (!s->links[i].told) {
			s->links[i].fixed = s->usual.fixed;
			s->links[i].per_byte = s->usual.per_byte;
		}
	}
	cbt_set_guard(s);
	while (cbt_over(q))
		at_book_drop(q, cbt_pop(s, now), AT_R_LIMIT);
	at_urgent_shrink(&s->urgent, q, s->limit);
	return false;
}

static void cbt_begin(struct at_cbt *s, u64 now)
{
	for (u32 i = 0; i < s->classes; i++) {
		at_red_begin(&s->at[i].red, now);
		s->at[i].late = 0;
	}
}

static void cbt_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);
	u8 *behind = (u8 *)(s + 1);

	s->classes = (u32)*v[P_CLASSES].v;
	s->stations = (u32)*v[P_STATIONS].v;
	s->at = (void *)behind;
	s->links = (void *)(behind + cbt_classes_bytes(s->classes));
	s->random = seed;
	cbt_begin(s, now);
	cbt_change(q, v, now);
}

static void cbt_reset(struct at_qdisc *q, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);
	struct at_pkt *p;

	while ((p = at_urgent_pop(&s->urgent, q)))
		at_book_drop(q, p, AT_R_RESET);
	while ((p = at_line_pop(&s->line))) {
		cbt_leaves(s, p);
		at_book_drop(q, p, AT_R_RESET);
	}
	cbt_begin(s, now);
}

/* ---- tables ---- */

/* An average falls while its class is empty, and over time. */
static u64 cbt_shown(const struct at_cbt *s, const struct at_cbt_class *k, u64 now)
{
	return s->average == AT_CBT_TIME || !k->backlog ? cbt_average(s, k, now) : k->red.average;
}

/* What the averages of all classes are together, ns of the link. */
static u64 cbt_total(const struct at_cbt *s, u64 now)
{
	u64 total = 0;

	for (u32 i = 0; i < s->classes; i++) {
		u64 average = cbt_shown(s, &s->at[i], now);

		total += s->unit == AT_CBT_PACKETS ? (average >> 16) * s->at[i].wire >> 16 : average >> 32;
	}
	return s->unit == AT_CBT_AIRTIME ? total : at_div(total * 8000000, s->rate / 1000);
}

static void cbt_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct at_cbt *s = at_cbt_priv(q);
	const struct at_cbt_class *k;

	for (u32 i = 0; i < S_END; i++)
		v[i] = 0;
	v[S_LOAD] = at_div(cbt_total(s, now) * 1000, s->latency / 1000);
	v[S_LATE] = v[S_LOAD] > LATE_PPM;
	v[S_UNIT] = s->unit;
	v[S_GUARD] = s->guard;
	for (k = s->at; k < s->at + s->classes; k++) {
		v[S_MARKS] += k->marks;
		v[S_EARLY_DROPS] += k->early;
		v[S_FORCED_DROPS] += k->forced;
		v[S_CAP_DROPS] += k->capped;
	}
	v[S_URGENT] = s->urgent.sent;
	v[S_URGENT_OVER] = s->urgent.over;
	v[S_URGENT_AIR] = s->urgent.air;
}

static void cbt_row_of_urgent(const struct at_cbt *s, u64 *cols)
{
	for (u32 i = 0; i < R_END; i++)
		cols[i] = 0;
	cols[R_CLASS] = AT_URGENT;
	cols[R_BACKLOG] = s->urgent.len;
	cols[R_BACKLOG_BYTES] = s->urgent.bytes;
	cols[R_SENT] = s->urgent.sent;
}

/* Place 0 is the urgent packets', then come the classes. */
static u32 cbt_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct at_cbt *s = at_cbt_priv(q);
	const struct at_cbt_class *k;
	u64 average;

	*found = cursor <= s->classes;
	if (!*found)
		return 0;
	if (!cursor) {
		cbt_row_of_urgent(s, cols);
		return 1;
	}
	k = &s->at[cursor - 1];
	average = cbt_shown(s, k, now);
	cols[R_CLASS] = cursor - 1;
	cols[R_BACKLOG] = k->backlog;
	cols[R_BACKLOG_BYTES] = k->bytes;
	cols[R_AVERAGE] = average >> 16;
	cols[R_TH_MIN] = k->params.min >> 16;
	cols[R_TH_MAX] = k->params.max >> 16;
	cols[R_MODE] = average <= k->params.min ? 0 : average <= k->params.max ? 1 : 2;
	cols[R_ARRIVALS] = k->arrivals;
	cols[R_FORCED] = k->forced;
	cols[R_FULL] = k->full;
	cols[R_CAP] = k->capped;
	cols[R_EARLY] = k->early;
	cols[R_MARKS] = k->marks;
	cols[R_ENTRIES] = k->entries;
	cols[R_IDLE] = k->idle;
	cols[R_SENT] = k->sent;
	cols[R_SENT_BYTES] = k->sent_bytes;
	cols[R_WAITED] = k->waited;
	cols[R_LATE] = k->late;
	cols[R_COUNT] = k->red.count + 1 ? k->red.count : 0;
	return cursor + 1;
}

const struct at_ops at_cbt_ops = {
	.name = "cbt",
	.about = "one queue, in which each class is held to a threshold of its own",
	.params = cbt_params,
	.stats = cbt_stats,
	.row_stats = cbt_row_stats,
	.check = at_cbt_check,
	.state_size = cbt_state_size,
	.init = cbt_init,
	.change = cbt_change,
	.reset = cbt_reset,
	.enqueue = cbt_enqueue,
	.dequeue = cbt_dequeue,
	.drain = cbt_drain,
	.gate = cbt_gate,
	.link = cbt_link,
	.read = cbt_read,
	.row = cbt_row,
};
