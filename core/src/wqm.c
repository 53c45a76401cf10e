/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * wqm: Wireless Queue Management. Drop-tail queues whose limits follow how long they take to
 * drain.
 *
 * Source: A. J. Showail, PhD dissertation, KAUST 2016, 5.3 and chapter 6; the law is wqm.h.
 *
 * Rules
 *  - `station_ac`: a queue, and a limit, for each station and class. Those that have packets
 *    take turns by airtime, TURN each, at their stations' rates, and count on one share of
 *    the radio each: T = (BL / R) / F times how many they are. Who owes airtime and has no
 *    packet owes it for another FORGOTTEN.
 *  - `interface`: one queue. R and K are those of the station whose packet left last; before
 *    any left, of the one whose link was told last.
 *  - A look each `interval`, at all queues that ever had a packet; 0: at each arrival, at its
 *    queue.
 *  - A packet that finds B packets in its queue is refused; `limit` bounds all together. A limit
 *    that is lowered drops nothing.
 *  - R, K, F and what is below come from link(); what the host does not say, from `rate`,
 *    `frames` and `free`. Once it says no more, the last values hold. What is below for a
 *    station is shared among its queues, as what they have is.
 *  - Stations from `stations` on share one place. Of `station_ac` nothing is told of it.
 *  - `faithful` is the study's law, on one queue. By default what waits below counts, R is what
 *    aggregates carry, no drain time is shorter than an aggregate, the largest limit is what
 *    goes in 5 ms, or an aggregate, and a queue that is not used does not grow.
 *  - AT_URGENT packets go first within narrow bounds (urgent.h), but of `interface`.
 *
 * Looks are made up for: whatever happens, the looks that are due are taken first, with
 * what there was since. So nobody need call tick() for limits to be what they would be.
 *
 * Cost: O(1) a packet; a look O(queues).
 *
 * What this is not: no flows, no order but that of arrival in a queue, no mark instead of a drop.
 *
 * Defaults: 100 ms, 2.5 ms, two looks to confirm, F at least 0.05; 4096 packets, 300 Mb/s,
 * 32 frames, 4 classes of 64 stations.
 */
#include "wqm_state.h"

#define TURN 2000000		/* ns of airtime */
#define DEBT 1000000000		/* ns: nobody owes more */
#define FORGOTTEN 15u		/* 2^24 ns, 250 ms: a debt of who has no packets */
#define FULL 1500u		/* bytes of a full packet */
#define OLD AT_ROUNDS_OLD	/* the one list in which boxes take turns */
#define REPLAYED 65536u		/* looks made up for: by then no limit moves */

/* A time as boxes keep it. */
static u32 wqm_grains(u64 now)
{
	return (u32)(now >> 24);
}

static struct at_seats wqm_seats(const struct wqm *s)
{
	return (struct at_seats){ &s->boxes[0].seat, sizeof(struct wqm_box) };
}

/* ---- what is known ---- */

u32 at_wqm_free(const struct wqm *s)
{
	u32 ppm = s->free;

	if (s->free_source == AT_WQM_SURVEY && s->told_free)
		ppm = s->told_free;
	else if (s->free_source == AT_WQM_ACTIVE)
		ppm = 1000000 / (1 + (s->heard > s->heard_before ? s->heard : s->heard_before));
	return ppm < s->floor ? s->floor : ppm;
}

u32 at_wqm_below(const struct wqm *s, const struct wqm_box *b)
{
	const struct wqm_box *first = &s->boxes[b->seat.whose * s->classes];
	u32 below = s->one ? s->below : at_wqm_station(s, b)->below, all = 0;

	if (!s->counts_below)
		return 0;
	for (u32 class = 0; below && !s->one && class < s->classes; class++)
		all += first[class].bytes;
	return all ? (u32)at_div((u64)below * b->bytes, all) : below;
}

u64 at_wqm_time(const struct wqm *s, const struct wqm_box *b)
{
	const struct wqm_station *st = at_wqm_station(s, b);
	u32 below = at_wqm_below(s, b), packets = b->qlen + (below + FULL - 1) / FULL;
	u64 bytes = (u64)b->bytes + below, shares = 1, ns;

	if (s->kavg)
		ns = at_wqm_drain_framed(bytes, packets, s->kavg, st->rate, at_wqm_free(s));
	else
		ns = at_wqm_drain(bytes, st->rate, 0, at_wqm_free(s));
	if (!s->one)
		shares = s->ready + (b->qlen == b->parked);
	return ns * shares;
}

static struct at_wqm_rule wqm_rule(const struct wqm *s, const struct wqm_box *b)
{
	const struct wqm_station *st = at_wqm_station(s, b);
	u16 given = s->least[at_wqm_class(s, b)], least = given ? given : st->frames;

	return (struct at_wqm_rule){
		.drain = st->drain,
		.least = least,
		.most = st->most > least ? st->most : least,
		.confirm = s->confirm,
		.law = s->law,
		.idle = !s->idle_grows,
	};
}

static void wqm_count(struct wqm *s, struct wqm_box *b, enum at_wqm_action action)
{
	s->counts[action]++;
	b->raises += action == AT_WQM_RAISES;
	b->cuts += action == AT_WQM_CUTS;
}

static void wqm_bound(struct wqm *s, struct wqm_box *b)
{
	struct at_wqm_rule rule = wqm_rule(s, b);

	wqm_count(s, b, at_wqm_bound(&b->law, &rule));
}

/* A law that begins. */
static void wqm_restart(struct wqm *s, struct wqm_box *b)
{
	const struct wqm_station *st = at_wqm_station(s, b);
	struct at_wqm_rule rule = wqm_rule(s, b);

	b->law = (struct at_wqm){ .limit = s->first ? s->first : at_wqm_first(st->rate, st->frames), .used = b->qlen };
	at_wqm_bound(&b->law, &rule);
}

/* What follows from what is known of a station. */
static void wqm_derive(struct wqm *s, struct wqm_station *st)
{
	u32 kbps = st->told_kbps ? st->told_kbps : s->rate, frames = st->told_frames ? st->told_frames : s->frames;
	u32 ns = st->told_kbps && st->told_frames ? st->told_ns : 0;
	u64 carried = ns ? at_div((u64)frames * AT_WQM_PACKET * 1000000, ns) : 0;

	st->frames = (u16)frames;
	st->rate = s->expected && carried && carried < kbps ? (u32)carried : kbps;
	st->per_byte = at_div((u64)8000000 << 16, st->rate);
	st->drain = s->drain;
	if (!s->faithful && !ns)
		ns = at_wqm_aggregate(kbps, frames);
	if (!s->faithful && ns > s->drain)
		st->drain = ns;
	st->most = s->most ? s->most : s->faithful ? AT_WQM_MOST : at_wqm_within(st->rate, AT_WQM_ROUND);
}

/* ---- looks ---- */

/* One box; whether another look with the same to see may do something. */
static bool wqm_look(struct wqm *s, struct wqm_box *b)
{
	struct at_wqm_rule rule = wqm_rule(s, b);
	struct at_wqm before = b->law;

	wqm_count(s, b, at_wqm_look(&b->law, &rule, at_wqm_time(s, b)));
	b->law.used = b->qlen;
	return at_wqm_moved(&b->law, &before);
}

static void wqm_look_at_all(struct wqm *s, u32 times)
{
	for (struct wqm_box *b = s->boxes; b < s->boxes + s->n_seen; b++)
		for (u32 n = b->seen ? times : 0; n && wqm_look(s, b); n--)
			;
}

/* R and K of the one queue are those of the packet that left last. */
static void wqm_go_on(struct wqm *s)
{
	if (!s->one || s->looked_at == s->served)
		return;
	s->looked_at = s->served;
	wqm_bound(s, s->boxes);
}

/* The looks that are due, all that was in between being as it is. */
static void wqm_catch_up(struct wqm *s, u64 now)
{
	u32 step = s->interval ? s->interval : AT_WQM_INTERVAL;
	u64 missed = at_div(now - s->next, step);

	s->next += (missed + 1) * step;
	s->looks++;
	wqm_go_on(s);
	s->heard_before = s->heard;
	s->heard = 0;
	if (s->interval)
		wqm_look_at_all(s, 1);
	if (!missed)
		return;
	s->heard_before = 0;
	if (s->interval)
		wqm_look_at_all(s, missed < REPLAYED ? (u32)missed : REPLAYED);
}

static void wqm_due(struct wqm *s, u64 now)
{
	if (now >= s->next)
		wqm_catch_up(s, now);
}

/* ---- boxes ---- */

static inline u32 wqm_place(const struct wqm *s, u16 sta)
{
	u32 stations = s->n_stations - AT_PLACES_SPECIAL;

	return sta < stations ? sta : at_place_of(stations, sta == AT_GROUP ? sta : AT_NO_STA);
}

static inline struct wqm_box *wqm_box_of(struct wqm *s, const struct at_pkt *p)
{
	u32 class = at_class(p);

	if (s->one)
		return s->boxes;
	if (class >= s->classes)
		class = s->classes - 1;
	return &s->boxes[wqm_place(s, at_sta(p)) * s->classes + class];
}

static bool wqm_ready(const struct wqm_box *b)
{
	return b->qlen != b->parked;
}

/* p was taken out of a box. */
static void wqm_leaves(const struct at_qdisc *q, struct wqm *s, struct wqm_box *b, const struct at_pkt *p)
{
	bool was = wqm_ready(b);

	b->bytes -= at_bytes(p);
	b->qlen--;
	if (at_parked(q, p))
		b->parked--;
	s->ready -= was && !wqm_ready(b);
}

/* Box i takes no turns any more. */
static void wqm_forget_turn(struct wqm *s, u32 i)
{
	struct at_seats seats = wqm_seats(s);
	u32 n;

	at_rounds_look_again(&s->rounds, seats);
	for (n = s->rounds.lists[OLD].len; n; n--) {
		u32 k = at_rounds_pop(&s->rounds, seats, OLD);

		if (k != i)
			at_rounds_append(&s->rounds, seats, k, OLD);
	}
}

/* Takes the oldest packet of a box that has some, parked or not: rare. */
static struct at_pkt *wqm_pop(const struct at_qdisc *q, struct wqm *s, struct wqm_box *b)
{
	struct at_pkt *p = at_line_pop(&b->line);

	wqm_leaves(q, s, b, p);
	if (!b->qlen && !s->one)
		wqm_forget_turn(s, (u32)(b - s->boxes));
	return p;
}

/* The box whose oldest packet is the oldest, or NULL: none has any. A scan. */
static struct wqm_box *wqm_oldest(const struct wqm *s)
{
	struct wqm_box *best = NULL;

	for (struct wqm_box *b = s->boxes; b < s->boxes + s->n_boxes; b++)
		if (b->qlen && (!best || at_seq(b->line.fifo.head) < at_seq(best->line.fifo.head)))
			best = b;
	return best;
}

/* ---- operations ---- */

/* A box has a packet that may go, and had none. */
static void wqm_gets_ready(struct wqm *s, struct wqm_box *b)
{
	s->ready++;
	if (b->seat.passed)
		at_rounds_look_again(&s->rounds, wqm_seats(s));
}

/* A box has a packet, and had none. */
static void wqm_join(struct wqm *s, struct wqm_box *b, u64 now)
{
	u32 i = (u32)(b - s->boxes);

	b->seen = true;
	if (s->n_seen <= i)
		s->n_seen = i + 1;
	if (s->one)
		return;
	if (b->deficit >= 0 || ((wqm_grains(now) - b->left) & 0x7fff) >= FORGOTTEN)
		b->deficit = TURN;
	at_rounds_append(&s->rounds, wqm_seats(s), i, OLD);
}

/* p was pushed: what it may change where nothing of b waited, or a station is closed. */
static __attribute__((__noinline__)) enum at_verdict
wqm_pushed(const struct at_qdisc *q, struct wqm *s, struct wqm_box *b, const struct at_pkt *p, u64 now)
{
	if (b->qlen == 1)
		wqm_join(s, b, now);
	if (at_parked(q, p))
		b->parked++;
	else if (b->qlen == b->parked + 1)
		wqm_gets_ready(s, b);
	return AT_OK;
}

static __attribute__((__noinline__)) enum at_verdict
wqm_refuse(struct at_qdisc *q, struct wqm_box *b, struct at_pkt *p)
{
	b->refused++;
	return at_book_refuse(q, p, AT_R_LIMIT);
}

/* p is queued, if b has room. */
static inline enum at_verdict wqm_push(struct at_qdisc *q, struct wqm *s, struct wqm_box *b, struct at_pkt *p, u64 now)
{
	if (b->qlen >= b->law.limit || q->qlen >= s->limit)
		return wqm_refuse(q, b, p);
	at_seq_set(p, s->seq++);
	at_fifo_push(&b->line.fifo, p);
	b->bytes += at_bytes(p);
	if (b->law.used < ++b->qlen)
		b->law.used = b->qlen;
	at_book_in(q, p);
	return b->qlen == 1 || q->closed ? wqm_pushed(q, s, b, p, now) : AT_OK;
}

/* An urgent packet that goes first is queued; in a full queue the oldest of the others goes. */
static enum at_verdict wqm_push_urgent(struct at_qdisc *q, struct wqm *s, struct at_pkt *p)
{
	at_seq_set(p, s->seq++);
	at_book_in(q, p);
	if (!at_urgent_over(&s->urgent, q, s->limit, AT_NEVER))
		return AT_OK;
	return at_book_room(q, wqm_pop(q, s, wqm_oldest(s)), p, false, AT_OK);
}

/* Where more is to be done than to queue p: a look is due, or taken at each arrival, or p is urgent. */
static __attribute__((__noinline__)) enum at_verdict wqm_enqueue_rare(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct wqm *s = at_wqm_priv(q);
	struct wqm_box *b;

	wqm_due(s, now);
	if (!s->one && at_urgent_push(&s->urgent, q, p, s->limit, now))
		return wqm_push_urgent(q, s, p);
	b = wqm_box_of(s, p);
	if (!s->interval) {
		wqm_go_on(s);
		wqm_look(s, b);
	}
	return wqm_push(q, s, b, p, now);
}

static enum at_verdict wqm_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct wqm *s = at_wqm_priv(q);

	if (now >= s->next || !s->interval || at_class(p) == AT_URGENT)
		return wqm_enqueue_rare(q, p, now);
	return wqm_push(q, s, wqm_box_of(s, p), p, now);
}

/* All who take turns are in debt: rounds that would change nothing but deficits, at once. */
static void wqm_skip_rounds(struct wqm *s)
{
	const struct at_chain *l = &s->rounds.lists[OLD];
	s32 most = -DEBT, skipped;

	for (u32 n = l->len, i = l->head; n; n--, i = s->boxes[i].seat.next)
		if (s->boxes[i].deficit > most)
			most = s->boxes[i].deficit;
	skipped = most > 0 ? 0 : -most / TURN * TURN;
	for (u32 n = skipped ? l->len : 0, i = l->head; n; n--, i = s->boxes[i].seat.next)
		s->boxes[i].deficit += skipped;
}

/* The box whose turn it is; some box has packets that may go. */
static struct wqm_box *wqm_turn(struct wqm *s)
{
	struct at_seats seats = wqm_seats(s);
	u32 in_debt = 0;

	for (;;) {
		struct wqm_box *b = &s->boxes[s->rounds.lists[OLD].head];

		if (!wqm_ready(b)) {
			at_rounds_pass(&s->rounds, seats, OLD);
			continue;
		}
		if (b->deficit > 0)
			return b;
		if (s->ready == 1) {	/* nobody else's turns to count */
			b->deficit = TURN;
			return b;
		}
		b->deficit += TURN;
		at_rounds_append(&s->rounds, seats, at_rounds_pop(&s->rounds, seats, OLD), OLD);
		if (++in_debt >= s->rounds.lists[OLD].len) {
			wqm_skip_rounds(s);
			in_debt = 0;
		}
	}
}

/* p, a packet of b, whose turn it is, goes. */
static void wqm_pay(struct wqm *s, struct wqm_box *b, const struct at_pkt *p)
{
	u64 cost = at_bytes(p) * s->stations[b->seat.whose].per_byte >> 16;

	b->deficit -= (s32)(cost < DEBT ? cost : DEBT);
}

/* p was the last packet of b that may go. */
static __attribute__((__noinline__)) struct at_pkt *
wqm_gave_last(struct wqm *s, struct wqm_box *b, struct at_pkt *p, u64 now)
{
	s->ready--;
	if (b->qlen || s->one)
		return p;
	b->left = wqm_grains(now) & 0x7fff;
	at_rounds_pop(&s->rounds, wqm_seats(s), OLD);
	return p;
}

/* p, which was taken out of b's line, goes. */
static inline struct at_pkt *wqm_give(struct at_qdisc *q, struct wqm *s, struct wqm_box *b, struct at_pkt *p, u64 now)
{
	at_book_out(q, p);
	b->bytes -= at_bytes(p);
	if (s->one)
		s->served = (u16)wqm_place(s, at_sta(p));
	else
		wqm_pay(s, b, p);
	return --b->qlen == b->parked ? wqm_gave_last(s, b, p, now) : p;
}

/* Where it is not plain who goes: a look is due, a station is closed, an urgent packet waits, or
 * who has the turn owes. */
static __attribute__((__noinline__)) struct at_pkt *wqm_dequeue_rare(struct at_qdisc *q, u64 now)
{
	struct wqm *s = at_wqm_priv(q);
	struct wqm_box *b = s->boxes;
	struct at_pkt *p;

	wqm_due(s, now);
	p = at_urgent_take(&s->urgent, q);
	if (p) {
		s->urgent.sent++;
		at_book_out(q, p);
		return p;
	}
	if (!s->ready)
		return NULL;
	if (!s->one)
		b = wqm_turn(s);
	at_line_first(q, &b->line);
	return wqm_give(q, s, b, at_line_take(&b->line), now);
}

static struct at_pkt *wqm_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct wqm *s = at_wqm_priv(q);
	struct wqm_box *b = s->boxes;

	*t = (struct at_ticket){ 0 };
	if (now >= s->next || q->closed || at_urgent_waits(&s->urgent) || !s->ready)
		return wqm_dequeue_rare(q, now);
	if (!s->one) {
		b += s->rounds.lists[OLD].head;
		if (b->deficit <= 0)
			return wqm_dequeue_rare(q, now);
	}
	return wqm_give(q, s, b, at_fifo_take(&b->line.fifo, NULL), now);
}

static struct at_pkt *wqm_drain(struct at_qdisc *q)
{
	struct wqm *s = at_wqm_priv(q);
	struct wqm_box *b = wqm_oldest(s);
	struct at_pkt *p = at_urgent_oldest(&s->urgent);

	if (p && (!b || at_seq(p) < at_seq(b->line.fifo.head)))
		at_urgent_pop(&s->urgent, q);
	else
		p = b ? wqm_pop(q, s, b) : NULL;
	if (p)
		at_book_out(q, p);
	return p;
}

static void wqm_turned(struct at_qdisc *q, struct wqm *s, struct wqm_box *b, u16 sta, bool open)
{
	u32 before = q->parked;
	bool was = wqm_ready(b);

	at_line_turned(q, &b->line, sta, open);
	b->parked = (u16)(b->parked + (q->parked - before));
	s->ready += (u32)wqm_ready(b) - (u32)was;
}

static void wqm_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct wqm *s = at_wqm_priv(q);
	u32 first = wqm_place(s, sta) * s->classes;

	wqm_due(s, now);
	if (!at_gate_turn(q, sta, open))
		return;
	at_urgent_turned(&s->urgent, q, sta, open);
	if (s->one)
		first = 0;
	for (u32 class = 0; class < (s->one ? 1 : s->classes); class++)
		wqm_turned(q, s, &s->boxes[first + class], sta, open);
	at_rounds_look_again(&s->rounds, wqm_seats(s));
}

static void wqm_heard(struct at_qdisc *q, const struct at_heard *h, u64 now)
{
	struct wqm *s = at_wqm_priv(q);
	struct wqm_station *st = &s->stations[wqm_place(s, h->sta)];

	wqm_due(s, now);
	if (st->heard_at == s->looks)
		return;
	st->heard_at = s->looks;
	s->heard++;
}

/* ---- links ---- */

/* Bounds of a station's boxes hold at once; `anew`: their laws begin. */
static void wqm_settle(struct wqm *s, u32 place, bool anew)
{
	struct wqm_box *b = &s->boxes[s->one ? 0 : place * s->classes];

	for (u32 n = s->one ? 1 : s->classes; n; n--, b++) {
		if (anew)
			wqm_restart(s, b);
		else
			wqm_bound(s, b);
	}
}

static void wqm_link(struct at_qdisc *q, const struct at_link *l, u64 now)
{
	struct wqm *s = at_wqm_priv(q);
	u32 place = wqm_place(s, l->sta);
	struct wqm_station *st = &s->stations[place];
	bool anew = s->one ? !s->linked : !st->known || !l->here;

	wqm_due(s, now);
	if (!s->one && place != at_place_of(s->n_stations - AT_PLACES_SPECIAL, l->sta))
		return;
	s->below += l->below_bytes - st->below;
	st->below = l->below_bytes;
	st->known = l->here;
	st->told = now;
	if (s->one && !l->here)		/* R and K are those of who was served last */
		return;
	st->told_kbps = l->rate_kbps;
	st->told_frames = (u16)(l->ampdu_frames < 65535 ? l->ampdu_frames : 65535);
	st->told_ns = l->ampdu_ns;
	wqm_derive(s, st);
	if (l->here) {
		s->linked = true;
		s->told_free = l->free_ppm;
		if (!q->out)
			s->looked_at = s->served = (u16)place;
	}
	if (!s->one || place == s->looked_at)
		wqm_settle(s, place, anew);
}

/* ---- set-up ---- */

/* The state is struct wqm, the boxes on lines of their own, then the stations. */
struct layout {
	u64 boxes, stations, end;
};

static u64 wqm_n_boxes(const struct at_vals *v)
{
	return at_wqm_is_one(v) ? 1 : (*v[P_STATIONS].v + AT_PLACES_SPECIAL) * *v[P_CLASSES].v;
}

static struct layout wqm_layout_of(const struct at_vals *v)
{
	struct layout at;

	at.boxes = at_lines(sizeof(struct wqm));
	at.stations = at.boxes + at_lines(wqm_n_boxes(v) * sizeof(struct wqm_box));
	at.end = at.stations + (*v[P_STATIONS].v + AT_PLACES_SPECIAL) * sizeof(struct wqm_station) + AT_LINE;
	return at;
}

static u64 wqm_state_size(const struct at_vals *v)
{
	return wqm_layout_of(v).end;
}

/* A lower limit drops the oldest, urgent ones last. */
static bool wqm_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct wqm *s = at_wqm_priv(q);
	u32 step;

	wqm_due(s, now);
	at_wqm_set(s, v);
	step = s->interval ? s->interval : AT_WQM_INTERVAL;
	if (s->next > now + step)
		s->next = now + step;
	for (u32 i = 0; i < s->n_stations; i++)
		wqm_derive(s, &s->stations[i]);
	for (struct wqm_box *b = s->boxes; b < s->boxes + s->n_boxes; b++)
		wqm_bound(s, b);
	while (at_urgent_over(&s->urgent, q, s->limit, AT_NEVER))
		at_book_drop(q, wqm_pop(q, s, wqm_oldest(s)), AT_R_LIMIT);
	at_urgent_shrink(&s->urgent, q, s->limit);
	return false;
}

/* All laws begin. */
static void wqm_begin(struct wqm *s, u64 now)
{
	s->next = now + (s->interval ? s->interval : AT_WQM_INTERVAL);
	for (struct wqm_box *b = s->boxes; b < s->boxes + s->n_boxes; b++)
		wqm_restart(s, b);
}

static void wqm_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct wqm *s = at_wqm_priv(q);
	struct layout at = wqm_layout_of(v);
	u8 *base = at_first_line(q);

	(void)seed;
	s->one = at_wqm_is_one(v);
	s->faithful = at_wqm_is_faithful(v);
	s->n_boxes = (u32)wqm_n_boxes(v);
	s->n_stations = (u32)*v[P_STATIONS].v + AT_PLACES_SPECIAL;
	s->classes = (u32)*v[P_CLASSES].v;
	s->boxes = (void *)(base + at.boxes);
	s->stations = (void *)(base + at.stations);
	s->looks = 1;			/* nobody was heard before it */
	s->next = AT_NEVER;
	s->boxes[0].seen = s->one;
	s->n_seen = s->one;
	for (u32 i = 0; i < s->n_boxes && !s->one; i++)
		s->boxes[i].seat.whose = (u16)(i / s->classes);
	wqm_change(q, v, now);
	wqm_begin(s, now);
	memset(s->counts, 0, sizeof(s->counts));
}

static void wqm_reset(struct at_qdisc *q, u64 now)
{
	struct wqm *s = at_wqm_priv(q);
	struct at_pkt *p;

	while ((p = at_urgent_pop(&s->urgent, q)))
		at_book_drop(q, p, AT_R_RESET);
	for (struct wqm_box *b = s->boxes; b < s->boxes + s->n_boxes; b++) {
		while ((p = at_line_pop(&b->line))) {
			wqm_leaves(q, s, b, p);
			at_book_drop(q, p, AT_R_RESET);
		}
		b->seat.list = AT_ROUNDS_NONE;
		b->seat.passed = false;
	}
	s->rounds = (struct at_rounds){ 0 };
	wqm_begin(s, now);
}

static u64 wqm_wake(const struct at_qdisc *q, u64 now)
{
	(void)now;
	return q->qlen ? at_wqm_priv(q)->next : AT_NEVER;
}

static void wqm_tick(struct at_qdisc *q, u64 now)
{
	wqm_due(at_wqm_priv(q), now);
}

const struct at_ops at_wqm_ops = {
	.name = "wqm",
	.about = "drop-tail queues whose limits follow how long they take to drain",
	.params = at_wqm_params,
	.stats = at_wqm_stats,
	.row_stats = at_wqm_row_stats,
	.check = at_wqm_check,
	.state_size = wqm_state_size,
	.init = wqm_init,
	.change = wqm_change,
	.reset = wqm_reset,
	.enqueue = wqm_enqueue,
	.dequeue = wqm_dequeue,
	.drain = wqm_drain,
	.gate = wqm_gate,
	.heard = wqm_heard,
	.link = wqm_link,
	.wake = wqm_wake,
	.tick = wqm_tick,
	.read = at_wqm_read,
	.row = at_wqm_row,
};
