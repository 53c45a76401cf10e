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
 *  - With `adapt` thresholds follow what is measured (cbt_adapt.c).
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

#define STAMP_BITS 28u		/* of 1024 ns: when a packet came, within 274 s */
#define STAMP ((u32)1 << STAMP_BITS)

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

u64 at_cbt_average(const struct at_cbt *s, const struct at_cbt_class *k, u64 now)
{
	if (s->average == AT_CBT_TIME)
		return at_cbt_over_time(s, k, now);
	if (at_cbt_backlog(k))
		return at_ewma_add(k->red.average, k->params.keep, at_cbt_held(s, k));
	return at_red_average(&k->params, &k->red, 0, now);
}

/* What a class holds is about to change, or what is counted. */
static void cbt_elapse(const struct at_cbt *s, struct at_cbt_class *k, u64 now)
{
	if (s->average != AT_CBT_TIME)
		return;
	k->red.average = at_cbt_over_time(s, k, now);
	k->red.last = now;
}

/* Counted in something else from now on. */
static void cbt_recount(struct at_cbt *s)
{
	for (u32 i = 0; i < s->classes; i++)
		s->at[i].red.average = (u64)at_cbt_held(s, &s->at[i]) << AT_EWMA_BITS;
}

/* ---- decisions ---- */

/* DICE: RED says. */
enum cbt_verdict { PASSES, EARLY, FORCED, CAPPED, FULL, DICE };

/* What is said of a packet, by how its class stands, which holds so much; the average is taken. */
static enum cbt_verdict cbt_weigh(struct at_qdisc *q, struct at_cbt_class *k, u32 held, u32 bytes, u32 air)
{
	struct at_cbt *s = at_cbt_priv(q);
	bool guarded = at_cbt_backlog(k) <= s->guard;

	if (q->qlen >= s->limit)
		return FULL;
	if (!guarded && (u64)held + at_cbt_size(s, bytes, air) > k->cap)
		return CAPPED;
	if (!guarded && k->red.average > k->params.min)
		return DICE;
	k->red.above = false;
	return PASSES;
}

/* RED's word. */
static enum cbt_verdict cbt_dice(struct at_cbt *s, struct at_cbt_class *k)
{
	bool above = k->red.above;
	enum at_red_verdict verdict = at_red_judge(&k->params, &k->red, &s->random);

	k->entries += !above && k->red.above;
	return verdict == AT_RED_PASSES ? PASSES : verdict == AT_RED_EARLY ? EARLY : FORCED;
}

/* A packet of class k came; what is said of it. */
static inline enum cbt_verdict cbt_judge(struct at_qdisc *q, struct at_cbt_class *k, u32 bytes, u32 air, u64 now,
					 bool plain)
{
	struct at_cbt *s = at_cbt_priv(q);
	u32 held = at_cbt_held(s, k);

	if (!plain && s->want)
		at_cbt_adapt(s, (u32)(k - s->at), at_cbt_size(s, bytes, air), now);
	k->arrivals++;
	k->idle += !at_cbt_backlog(k);
	k->red.count++;
	k->red.average = plain ? at_cbt_over_time(s, k, now) : at_cbt_average(s, k, now);
	if (plain || s->average == AT_CBT_TIME)
		k->red.last = now;
	return cbt_weigh(q, k, held, bytes, air);
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

/* So much more is in the line, of class k: a packet. */
static void cbt_joins(const struct at_cbt *s, struct at_cbt_class *k, u32 bytes, u32 air)
{
	k->held[AT_CBT_PACKETS]++;
	k->held[AT_CBT_BYTES] += (u64)bytes + s->overhead;
	k->held[AT_CBT_AIRTIME] += air;
}

/* So much less. */
static void cbt_leaves(const struct at_cbt *s, struct at_cbt_class *k, u32 bytes, u32 air)
{
	k->held[AT_CBT_PACKETS]--;
	k->held[AT_CBT_BYTES] -= (u64)bytes + s->overhead;
	k->held[AT_CBT_AIRTIME] -= air;
}

/* The same with a sample: it departs. */
static inline __attribute__((__always_inline__)) void
cbt_departs(const struct at_cbt *s, struct at_cbt_class *k, u32 bytes, u32 air, u64 now)
{
	cbt_elapse(s, k, now);
	cbt_leaves(s, k, bytes, air);
	if (s->average == AT_CBT_ALL)
		k->red.average = at_ewma_add(k->red.average, k->params.keep, at_cbt_held(s, k));
	k->red.last = now;
}

/* Takes the oldest packet of a class; there is one. */
static __attribute__((__cold__, __noinline__)) struct at_pkt *cbt_pop(struct at_cbt *s, u64 now)
{
	struct at_pkt *p = at_line_pop(&s->line);
	struct cbt_mark m = cbt_mark_of(p);

	cbt_departs(s, &s->at[m.what >> STAMP_BITS], at_bytes(p), m.air, now);
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

/* p, of class k, is queued. */
static inline enum at_verdict cbt_admit(struct at_qdisc *q, struct at_cbt_class *k, struct at_pkt *p,
					struct cbt_mark m)
{
	struct at_cbt *s = at_cbt_priv(q);

	cbt_joins(s, k, at_bytes(p), m.air);
	at_fifo_push(&s->line.fifo, p);
	cbt_set_mark(p, m);
	cbt_queue(q, p);
	return AT_OK;
}

/* The same for what did not simply pass. */
static __attribute__((__noinline__)) enum at_verdict
cbt_admit_if(struct at_qdisc *q, struct at_cbt_class *k, struct at_pkt *p, struct cbt_mark m,
	     enum cbt_verdict verdict, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);

	if (verdict == DICE)
		verdict = cbt_dice(s, k);
	if (verdict != PASSES) {
		k->red.count = 0;
		/* an idle class that stays so is not to fall by the same time again */
		if (s->average == AT_CBT_TIME || !at_cbt_backlog(k))
			k->red.last = now;
		if (!cbt_marks(s, verdict, p))
			return cbt_refuse(q, k, p, verdict);
		k->marks++;
	}
	return cbt_admit(q, k, p, m);
}

/* p is of a class. plain: as s->plain, known to the compiler, so that the usual case does
 * not ask; calls in it are its last ones. */
static inline __attribute__((__always_inline__)) enum at_verdict
cbt_arrives(struct at_qdisc *q, struct at_pkt *p, u64 now, bool plain)
{
	struct at_cbt *s = at_cbt_priv(q);
	u32 i = at_classify(&s->rules, p, s->classes);
	struct cbt_mark m = { cbt_air(s, p), i << STAMP_BITS | cbt_stamp(now) };
	enum cbt_verdict verdict = cbt_judge(q, &s->at[i], at_bytes(p), m.air, now, plain);

	if (verdict != PASSES)
		return cbt_admit_if(q, &s->at[i], p, m, verdict, now);
	return cbt_admit(q, &s->at[i], p, m);
}

static __attribute__((__noinline__)) enum at_verdict cbt_arrives_any(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);

	if (!at_urgent_push(&s->urgent, q, p, s->limit, now))
		return cbt_arrives(q, p, now, false);
	cbt_queue(q, p);
	return cbt_over(q) ? at_book_room(q, cbt_pop(s, now), p, false, AT_OK) : AT_OK;
}

static enum at_verdict cbt_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	if (!at_cbt_priv(q)->plain || at_class(p) == AT_URGENT)
		return cbt_arrives_any(q, p, now);
	return cbt_arrives(q, p, now, true);
}

/* A packet of class k was sent; what: as in struct cbt_mark. */
static void cbt_count(struct at_cbt_class *k, u32 bytes, u32 what, u64 now)
{
	u64 ns = (u64)(((u32)(now >> 10) - what) & (STAMP - 1)) << 10, step = (k->late >> 9) + 1000;

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
	u32 bytes;

	*t = (struct at_ticket){ 0 };
	if (p) {
		s->urgent.sent++;
		at_book_out(q, p);
		return p;
	}
	p = at_line_give(q, &s->line);
	if (p) {
		struct cbt_mark m = cbt_mark_of(p);
		struct at_cbt_class *k = &s->at[m.what >> STAMP_BITS];

		bytes = at_bytes(p);
		cbt_departs(s, k, bytes, m.air, now);
		cbt_count(k, bytes, m.what, now);
		at_book_sent(q, p, bytes);
	}
	return p;
}

/* p, which was taken from the line, is counted out. */
static void cbt_forget(struct at_cbt *s, struct at_pkt *p)
{
	struct cbt_mark m = cbt_mark_of(p);

	cbt_leaves(s, &s->at[m.what >> STAMP_BITS], at_bytes(p), m.air);
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
		cbt_forget(s, p);
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
		if (s->want)
			s->want[i].planned = s->at[i].airtime;
		if (s->average == AT_CBT_TIME)
			s->at[i].red.last = now;
	}
	at_cbt_adapt_begin(s, now);
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

static u64 cbt_wants_bytes(const struct at_vals *v)
{
	return *v[P_ADAPT].v ? *v[P_CLASSES].v * sizeof(struct at_cbt_want) : 0;
}

/* The state is struct at_cbt, then the classes, what they want, and the links. */
static u64 cbt_state_size(const struct at_vals *v)
{
	return sizeof(struct at_cbt) + cbt_classes_bytes(*v[P_CLASSES].v) + cbt_wants_bytes(v) +
	       (*v[P_STATIONS].v + AT_PLACES_SPECIAL) * sizeof(struct at_cbt_station);
}

/* Averages stay, unless they are of something else now: then they are what is queued. A
 * lower limit drops the oldest, urgent ones last. */
static bool cbt_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct at_cbt *s = at_cbt_priv(q);
	u8 unit = s->unit, average = s->average;
	u32 overhead = s->overhead;

	for (u32 i = 0; i < s->classes; i++)
		cbt_elapse(s, &s->at[i], now);
	at_cbt_plan(s, v, now);
	for (u32 i = 0; i < s->classes; i++) {
		s->at[i].held[AT_CBT_BYTES] += (u64)at_cbt_backlog(&s->at[i]) * ((u64)s->overhead - overhead);
		if (s->average != average)
			s->at[i].red.last = now;
	}
	if (s->unit != unit)
		cbt_recount(s);
	for (u32 i = 0; i < s->stations + AT_PLACES_SPECIAL; i++) {
		if (!s->links[i].told) {
			s->links[i].fixed = s->usual.fixed;
			s->links[i].per_byte = s->usual.per_byte;
		}
	}
	s->plain = s->average == AT_CBT_TIME && !s->want;
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
	s->adapt = (u8)*v[P_ADAPT].v;
	s->at = (void *)behind;
	behind += cbt_classes_bytes(s->classes);
	s->want = s->adapt ? (void *)behind : NULL;
	s->links = (void *)(behind + cbt_wants_bytes(v));
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
		cbt_forget(s, p);
		at_book_drop(q, p, AT_R_RESET);
	}
	cbt_begin(s, now);
}

const struct at_ops at_cbt_ops = {
	.name = "cbt",
	.about = "one queue, in which each class is held to a threshold of its own",
	.params = at_cbt_params,
	.stats = at_cbt_stats,
	.row_stats = at_cbt_row_stats,
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
	.read = at_cbt_read,
	.row = at_cbt_row,
};
