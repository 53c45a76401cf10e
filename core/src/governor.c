// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * airtab/governor.h: budgets, batches, records. A record is in one list at a time:
 *
 *   FREE   nobody's; the last one used goes first, for it is in the cache
 *   LIVE   outstanding; oldest first, as the others
 *   STALE  outstanding for its station alone
 *   MUTE   the same, and its station is silent
 *   HELD   done too early, or paced: outstanding until the model says it is sent
 *   GONE   given up; its completion may still come
 *   BATCH  completed, what it took is not known yet
 *   DUE    it is; the host has not asked (record.list is still BATCH)
 *
 * What this is not: no policy of its own beyond the header's.
 */
#include "airtab/estimate.h"
#include "airtab/governor.h"

enum list { FREE, LIVE, STALE, MUTE, HELD, GONE, BATCH, DUE, LISTS };

#define LEARN_NS 32000000u	/* airtime after which the sums are halved */
#define SCALE_MIN 4u		/* 1/256 */
#define SCALE_MAX (1u << 20)	/* 1024 */
#define NOBODY (~(u32)0)
#define LINES 4u		/* access categories */

struct record {
	u64 left, seq;		/* ns; which one it was */
	u64 at;			/* HELD: when the model says it is sent; DUE: what it took;
				 * LIVE, BATCH: what was heard before it left */
	u32 prev, next;		/* list */
	u32 gen, sta, bytes;	/* sta: place */
	u32 est, charge;	/* ns: the host's; counted as outstanding */
	u8 list;
	bool completed;		/* HELD: nothing more comes */
	bool apart;		/* in the budget of its station alone */
	u8 line;		/* its access category */
};

/* Verdict on a station by its own completions. */
enum verdict { UNKNOWN, MEASURED, EARLY };

struct station {
	u64 ns, told;		/* outstanding; by the host's estimates alone */
	u64 newest[LINES];	/* seq of the last packet of those that completed, by access category */
	u64 total;		/* ns charged */
	u64 est, bytes;		/* sums of estimates and bytes that took air */
	u32 air;
	u32 frames, scale;
	u32 counted;		/* of them, those that count in all */
	u32 asked;		/* packets that left in silence and have not expired */
	u32 floor, floor_now;	/* as found; as tried */
	u32 extra;		/* frames by which that raises the floor of all */
	u32 ampdu_ns;		/* told; 0: nobody did */
	u32 prev, next;		/* list of those closed */
	u32 todo;		/* next to be looked at */
	bool closed;		/* as the host knows */
	bool todo_in, silent;
	u8 judged, judged_early, verdict;
};

struct trial {
	u64 air, est;		/* of this epoch */
	u32 n, skip;		/* packets; first ones to leave out */
	u32 sta;		/* whose floor it is, or NOBODY */
	u32 own, all;		/* frames outstanding before it */
	u32 base;		/* airtime over estimate without a trial, Q10; 0: no trial */
	u32 wait, patience;	/* epochs */
	bool down;		/* a lower one is tried */
};

struct at_governor {
	struct at_governor_params k;
	struct at_governor_stats stats;
	struct record *rec;	/* behind the records: the heads of the lists */
	struct station *sta;	/* behind the stations: multicast, all others */
	u64 ns, told;		/* outstanding; by the host's estimates alone */
	u64 since, heard_since;	/* what a batch took is counted from; heard until then */
	u64 heard, heard_last;	/* ns of frames; when the last one ended */
	u64 batch_last, batch_charge;
	u32 batch_frames;
	u64 batch_left, batch_heard;	/* when its oldest packet left; heard until then */
	u64 model;		/* when what is held is sent */
	u64 seq;		/* packets that left */
	u64 last, blind_since;	/* completion of anybody; an expiry without one */
	u64 last_heard, front;	/* heard before that; when the latest packet left of those that completed */
	u32 frames;		/* outstanding */
	u32 floor;		/* of all, as tried */
	u32 widest;		/* maximum aggregate of any station, ns */
	u32 batch;		/* charge of the largest batch lately, of any that tells none */
	u32 budget, budget_station;	/* ns: of k, or what holds batches */
	u64 rounds_ns;		/* sum of rounds since the last mean */
	u32 rounds, round;	/* batches in that sum; ns from leaving to completion, mean */
	u32 counts_for, silent_after, lost_after;	/* ns: of k, or a number of rounds */
	u32 aged;		/* records that are STALE or MUTE */
	u32 blind;
	u32 early, measured;	/* stations with that verdict */
	u32 todo, todo_end, closed;
	struct trial trial;
	u8 mode;
	bool blinded;		/* no station completes packets */
	bool lasting;		/* `stale` is longer than `counted` */
	bool met;		/* somebody completed once */
	bool bound;		/* something held packets back before this batch */
};

const struct at_governor_params at_governor_defaults = AT_GOVERNOR_DEFAULTS;

const char *at_governor_check(const struct at_governor_params *k)
{
	if (!k->inflight || !k->inflight_station)
		return "inflight and inflight_station must be at least 1 ns";
	if (k->inflight_station > k->inflight)
		return "inflight_station must not exceed inflight";
	if (k->stale < k->inflight || k->expiry <= k->stale)
		return "stale must be at least inflight, and expiry longer than stale";
	if (!k->floor || k->floor > k->floor_most)
		return "floor must be at least 1 frame and at most floor_most";
	if (k->records < k->floor_most || k->records > 1u << 20)
		return "records must be at least floor_most and at most 1048576";
	if (k->stations > AT_NO_STA)
		return "stations must be at most 65534";
	return NULL;
}

u64 at_governor_size(const struct at_governor_params *k)
{
	return sizeof(struct at_governor) + ((u64)k->records + LISTS) * sizeof(struct record) +
	       ((u64)k->stations + 2) * sizeof(struct station);
}

/* Lists */

static u32 head(const struct at_governor *g, enum list l)
{
	return g->k.records + (u32)l;
}

static bool empty(const struct at_governor *g, enum list l)
{
	return g->rec[head(g, l)].next == head(g, l);
}

static struct record *oldest(const struct at_governor *g, enum list l)
{
	return &g->rec[g->rec[head(g, l)].next];
}

static void move(struct at_governor *g, struct record *r, enum list to)
{
	u32 i = (u32)(r - g->rec), h = head(g, to);

	g->rec[r->prev].next = r->next;
	g->rec[r->next].prev = r->prev;
	r->prev = g->rec[h].prev;
	r->next = h;
	g->rec[r->prev].next = i;
	g->rec[h].prev = i;
	r->list = (u8)to;
}

/* All of BATCH are DUE, behind those that are. */
static void batch_is_due(struct at_governor *g)
{
	struct record *batch = &g->rec[head(g, BATCH)], *due = &g->rec[head(g, DUE)];

	g->rec[batch->next].prev = due->prev;
	g->rec[due->prev].next = batch->next;
	g->rec[batch->prev].next = head(g, DUE);
	due->prev = batch->prev;
	batch->prev = batch->next = head(g, BATCH);
}

/* Gates */

static u32 place(const struct at_governor *g, u16 sta)
{
	return sta < g->k.stations ? sta : g->k.stations + (sta != AT_GROUP);
}

/* Whether a budget is spent: never before a maximum aggregate is outstanding, by the
 * host's estimates, unless it seems to cost four times as much. (Late reports make
 * packets look dear, and the fewer there are the dearer.) */
static bool spent(u64 ns, u64 told, u32 budget, u32 aggregate)
{
	return ns >= budget && ns >= aggregate && (told >= aggregate || ns >= 4 * (u64)aggregate);
}

static bool full(const struct at_governor *g, const struct station *s)
{
	return s->frames >= s->floor_now && spent(s->ns, s->told, g->budget_station, s->ampdu_ns);
}

/* Whether the station's packets go at the rate of the model. */
static bool paced(const struct at_governor *g, const struct station *s)
{
	return s->verdict == EARLY || (g->mode == AT_GOVERNOR_PACED && (g->blinded || s->verdict == UNKNOWN));
}

/* Whether a silent station gets no packet now. */
static bool unasked(const struct at_governor *g, const struct station *s)
{
	return !paced(g, s) && (s->counted || s->asked >= AT_GOVERNOR_ASKED);
}

static bool shut(const struct at_governor *g, const struct station *s)
{
	if (s == &g->sta[g->k.stations + 1])
		return false;
	if (s->silent && unasked(g, s))
		return true;
	return full(g, s);
}

static bool all_full(const struct at_governor *g)
{
	return g->frames >= g->floor && spent(g->ns, g->told, g->budget, g->widest);
}

bool at_governor_open(const struct at_governor *g)
{
	return !all_full(g) && !(empty(g, FREE) && empty(g, GONE) && empty(g, DUE));
}

/* A station's gate may have to be turned. */
static void look(struct at_governor *g, u32 i)
{
	struct station *s = &g->sta[i];

	if (s->todo_in || shut(g, s) == s->closed)
		return;
	s->todo_in = true;
	s->todo = NOBODY;
	if (g->todo == NOBODY)
		g->todo = i;
	else
		g->sta[g->todo_end].todo = i;
	g->todo_end = i;
}

static void look_all(struct at_governor *g)
{
	for (u32 i = g->closed; i != NOBODY; i = g->sta[i].next)
		look(g, i);
}

static void close_gate(struct at_governor *g, u32 i)
{
	struct station *s = &g->sta[i];

	s->closed = true;
	s->prev = NOBODY;
	s->next = g->closed;
	if (g->closed != NOBODY)
		g->sta[g->closed].prev = i;
	g->closed = i;
}

static void open_gate(struct at_governor *g, u32 i)
{
	struct station *s = &g->sta[i];

	s->closed = false;
	if (s->prev != NOBODY)
		g->sta[s->prev].next = s->next;
	else
		g->closed = s->next;
	if (s->next != NOBODY)
		g->sta[s->next].prev = s->prev;
}

bool at_governor_gates(struct at_governor *g, u16 *sta, bool *open)
{
	while (g->todo != NOBODY) {
		u32 i = g->todo;
		struct station *s = &g->sta[i];

		g->todo = s->todo;
		s->todo_in = false;
		if (shut(g, s) == s->closed)
			continue;
		*open = s->closed;
		*sta = i < g->k.stations ? (u16)i : AT_GROUP;
		if (s->closed)
			open_gate(g, i);
		else
			close_gate(g, i);
		return true;
	}
	return false;
}

void at_governor_retell(struct at_governor *g)
{
	while (g->closed != NOBODY) {
		u32 i = g->closed;

		open_gate(g, i);
		look(g, i);
	}
}

/* Mode */

enum at_governor_mode at_governor_mode(const struct at_governor *g)
{
	return (enum at_governor_mode)g->mode;
}

bool at_governor_paced(const struct at_governor *g, u16 sta)
{
	return paced(g, &g->sta[place(g, sta)]);
}

/* Whether a station that is measured has completed packets lately: an idle one proves nothing of the driver. */
static bool proven(const struct at_governor *g, u64 now)
{
	return g->measured && now - g->batch_last <= g->k.expiry;
}

/* Whether there is backpressure below, by the verdicts and by what was never completed. True: that has changed. */
static bool set_mode(struct at_governor *g, u64 now)
{
	bool none = g->blinded || (g->early && !proven(g, now));

	if (g->mode == (none ? AT_GOVERNOR_PACED : AT_GOVERNOR_MEASURED))
		return false;
	g->mode = none ? AT_GOVERNOR_PACED : AT_GOVERNOR_MEASURED;
	g->stats.turns++;
	return true;
}

static void set_verdict(struct at_governor *g, struct station *s, enum verdict to, u64 now)
{
	g->early += (u32)(to == EARLY) - (s->verdict == EARLY);
	g->measured += (u32)(to == MEASURED) - (s->verdict == MEASURED);
	s->verdict = (u8)to;
	s->judged = s->judged_early = 0;
	set_mode(g, now);
	look_all(g);
}

static void set_blinded(struct at_governor *g, bool to, u64 now)
{
	g->blind = 0;
	g->blinded = to;
	set_mode(g, now);
	look_all(g);
}

/* A completion of a station was early or not. */
static void judge(struct at_governor *g, struct station *s, bool early, u64 now)
{
	u32 n;

	s->judged_early += early;
	if (++s->judged < AT_GOVERNOR_JUDGED)
		return;
	n = s->judged_early;
	s->judged = s->judged_early = 0;
	if (n < AT_GOVERNOR_JUDGED / 4 && g->blinded)
		set_blinded(g, false, now);
	if (n > AT_GOVERNOR_JUDGED / 2 && s->verdict != EARLY)
		set_verdict(g, s, EARLY, now);
	else if (n < AT_GOVERNOR_JUDGED / 4 && s->verdict != MEASURED)
		set_verdict(g, s, MEASURED, now);
	else if (s->verdict == EARLY && set_mode(g, now))
		look_all(g);
}

/* The driver is done with r, which it may have sent. */
static void alive(struct at_governor *g, struct station *s, const struct record *r, u64 now)
{
	if (s->newest[r->line] < r->seq)
		s->newest[r->line] = r->seq;
	if (s->silent) {
		s->silent = false;
		s->asked = 0;
		look(g, r->sta);
	}
	g->last = now;
	g->last_heard = g->heard;
	g->front = r->left > g->front ? r->left : g->front;
	g->met = true;
	g->blind = 0;
}

/* Outstanding */

static inline __attribute__((__always_inline__)) void
count_all(struct at_governor *g, const struct record *r, bool in)
{
	if (!r->apart) {
		g->ns += in ? r->charge : 0 - (u64)r->charge;
		g->told += in ? r->est : 0 - (u64)r->est;
		g->frames += in ? 1 : ~(u32)0;
	}
	g->sta[r->sta].counted += in ? 1 : ~(u32)0;
}

static void count_sta(struct at_governor *g, const struct record *r, bool in)
{
	struct station *s = &g->sta[r->sta];

	s->ns += in ? r->charge : 0 - (u64)r->charge;
	s->told += in ? r->est : 0 - (u64)r->est;
	s->frames += in ? 1 : ~(u32)0;
	if (!s->frames)
		s->asked = 0;
	/* one packet more shuts an open gate at most, one less opens a closed one */
	if (s->closed != in)
		look(g, r->sta);
}

/* r is sent when the model has sent what is held before it. Sets whether it is apart. */
static void hold(struct at_governor *g, struct record *r, u64 now)
{
	g->model = (g->model > now ? g->model : now) + r->charge;
	r->at = g->model;
	/* where a station is measured, the driver sends that one's packets and has freed this one */
	r->apart = proven(g, now) && !g->blinded;
	move(g, r, HELD);
}

/* r, which is LIVE, STALE or MUTE, expires. */
static void expire(struct at_governor *g, struct record *r, u64 now)
{
	if (r->list == LIVE)
		count_all(g, r, false);
	else
		g->aged--;
	move(g, r, GONE);
	g->sta[r->sta].asked -= g->sta[r->sta].asked > 0;
	count_sta(g, r, false);
	g->stats.expired++;
	if (r->left < g->last || r->left < g->blind_since)
		return;
	g->blind_since = now;
	if (++g->blind >= AT_GOVERNOR_BLIND || !g->met)
		set_blinded(g, true, now);
}

/* Whether a later packet of its station and category completed. */
static bool overtaken(const struct at_governor *g, const struct record *r)
{
	return g->sta[r->sta].newest[r->line] > r->seq;
}

/* r, which is LIVE, counts for its station alone from now on, or no more. */
static void grow_stale(struct at_governor *g, struct record *r, u64 now)
{
	if (overtaken(g, r)) {
		expire(g, r, now);
		return;
	}
	count_all(g, r, false);
	move(g, r, STALE);
	g->aged++;
	look(g, r->sta);
}

/* r is STALE: its station is silent, unless a later packet completed. */
static void grow_mute(struct at_governor *g, struct record *r, u64 now)
{
	if (overtaken(g, r)) {
		expire(g, r, now);
		return;
	}
	move(g, r, MUTE);
	g->sta[r->sta].silent = true;
	look(g, r->sta);
}

/* Floor */

static void start_epoch(struct at_governor *g)
{
	g->trial.air = g->trial.est = 0;
	g->trial.n = 0;
}

/* The floor of a station, as found and as tried. Above what was outstanding before,
 * a trial raises that of all by its step alone. */
static void set_floor(struct at_governor *g, u32 i, u32 floor, u32 tried)
{
	struct station *s = &g->sta[i];
	u32 known = floor < tried ? floor : tried;
	u32 from = g->trial.own > floor ? g->trial.own : floor;
	u32 extra = known - g->k.floor + (tried > from ? tried - from : 0);

	g->trial.skip = s->floor_now == tried ? 0 : g->frames + tried;
	g->floor += extra - s->extra;
	s->extra = extra;
	s->floor = floor;
	s->floor_now = tried;
	look_all(g);
}

static void no_trial(struct at_governor *g)
{
	u32 i = g->trial.sta;

	g->trial.base = 0;
	start_epoch(g);
	if (i == NOBODY)
		return;
	set_floor(g, i, g->sta[i].floor, g->sta[i].floor);
	g->trial.sta = NOBODY;
}

/* Tries another floor: not far from what is outstanding for the station now. A lower
 * one only where the floor is what lets packets go. */
static void begin_trial(struct at_governor *g, u64 cost)
{
	struct trial *t = &g->trial;
	u32 floor = g->sta[t->sta].floor, f = t->own > floor ? t->own : floor;
	u32 step = f > 3 ? f / 4 : 1, to;

	if (t->down && f > floor)
		t->down = false;
	to = t->down ? f - step : f + step;
	to = to < g->k.floor ? g->k.floor : to > g->k.floor_most ? g->k.floor_most : to;
	t->own = f;
	t->all = t->all > f ? t->all : f;
	t->base = (u32)(cost < 1 ? 1 : cost > ~(u32)0 ? ~(u32)0 : cost);
	start_epoch(g);
	set_floor(g, t->sta, floor, to);
}

/* Whether the tried floor costs as if reports were late: half of the frames that it
 * adds are not felt by the others, or half of those that it takes are missed. */
static bool worth(const struct at_governor *g, u32 tried, u64 cost)
{
	const struct trial *t = &g->trial;
	u64 before = t->all, after = before + tried - t->own;

	return tried != t->own && 2 * after * cost <= t->base * (before + after);
}

/* An epoch is over: what it tells. */
static void judge_floor(struct at_governor *g)
{
	struct trial *t = &g->trial;
	u32 tried = g->sta[t->sta].floor_now;
	u64 air = t->air << 10, est = t->est, cost;

	while (est >> 32) {
		est >>= 1;
		air >>= 1;
	}
	cost = at_div(air, (u32)est);
	if (!t->base && t->wait) {
		t->wait--;
		start_epoch(g);
	} else if (!t->base) {
		begin_trial(g, cost);
	} else if (worth(g, tried, cost)) {
		t->patience = 1;
		t->all += tried - t->own;
		t->own = tried;
		set_floor(g, t->sta, tried, tried);
		begin_trial(g, cost);
	} else {
		t->down = !t->down;
		t->wait = t->patience - 1;
		t->patience *= t->patience < AT_GOVERNOR_PATIENCE ? 2 : 1;
		no_trial(g);
	}
}

/* A packet completed, the first of its batch: did anything hold packets back? */
static void see_bound(struct at_governor *g, u32 i)
{
	struct trial *t = &g->trial;
	const struct station *s = &g->sta[i];
	bool back = full(g, s) || all_full(g);

	if (t->sta == NOBODY && back) {
		t->sta = i;
		t->own = 0;
	}
	g->bound = t->sta != NOBODY && (t->sta != i || (back && s->frames >= s->floor_now));
	if (t->sta == i && !t->base) {
		t->own = s->frames;
		t->all = g->frames + !g->frames;
	}
}

/* A batch took that long. */
static void try_floor(struct at_governor *g, u64 air, u64 est, u32 n)
{
	struct trial *t = &g->trial;
	u32 round;

	if (!g->bound) {
		no_trial(g);
		return;
	}
	if (t->skip) {
		t->skip -= t->skip < n ? t->skip : n;
		return;
	}
	t->air += air;
	t->est += est;
	t->n += n;
	/* late reports come in bursts, one for each round of what is outstanding: whole rounds */
	round = t->all + (t->base ? g->sta[t->sta].floor_now - t->own : 0);
	if (t->n >= AT_GOVERNOR_EPOCH + round - AT_GOVERNOR_EPOCH % round)
		judge_floor(g);
}

/* Batches */

static void rescale(struct at_governor *g, u32 i)
{
	struct station *s = &g->sta[i];
	u64 scale;

	while (s->air >= LEARN_NS || s->est >> 32 || s->bytes >> 32) {
		s->air /= 2;
		s->est /= 2;
		s->bytes /= 2;
	}
	scale = s->est ? at_div((u64)s->air * AT_SCALE_ONE, (u32)s->est) : SCALE_MAX;
	s->scale = (u32)(scale < SCALE_MIN ? SCALE_MIN : scale > SCALE_MAX ? SCALE_MAX : scale);
	look(g, i);
}

static void learn(struct station *s, const struct record *r, u32 air)
{
	u32 before = s->air;

	s->total += air;
	s->air += air;
	if (s->air < before)
		s->air = ~(u32)0;
	s->est += r->est;
	s->bytes += r->bytes;
}

/* Sets the time that a packet counts in all while none completes, or once it is overtaken, and after which its station is silent. */
static void set_times(struct at_governor *g)
{
	u64 silent = AT_GOVERNOR_ROUNDS * (u64)g->round, counts = g->k.counted > g->budget ? g->k.counted : g->budget;

	g->lasting = g->k.stale > g->k.counted;
	silent = silent < g->k.expiry / 2 ? silent : g->k.expiry / 2;
	silent = g->lasting && silent > g->k.stale ? silent : g->k.stale;
	g->silent_after = (u32)silent;
	g->counts_for = (u32)(counts < silent ? counts : silent);
	counts = 2 * (u64)g->round > counts ? 2 * (u64)g->round : counts;
	g->lost_after = g->lasting ? (u32)(counts < silent ? counts : silent) : g->counts_for;
}

/* The oldest packet of a batch was below for so long. */
static void see_round(struct at_governor *g, u64 ns)
{
	g->rounds_ns += ns;
	if (++g->rounds < AT_GOVERNOR_JUDGED)
		return;
	ns = g->rounds_ns / AT_GOVERNOR_JUDGED;
	g->round = ns < g->k.expiry ? (u32)ns : g->k.expiry;
	g->rounds_ns = g->rounds = 0;
	set_times(g);
}

static void set_budgets(struct at_governor *g)
{
	u32 all = g->batch * 3, own = g->batch * 2;

	g->budget = all > g->k.inflight ? all : g->k.inflight;
	g->budget_station = own > g->k.inflight_station ? own : g->k.inflight_station;
	set_times(g);
}

/* A batch had so many packets of a station, charged so much: an aggregate, if nobody tells
 * how long its own are. */
static void see_batch(struct at_governor *g, const struct station *s, u32 n, u64 charge)
{
	charge = n > 1 && !s->ampdu_ns ? charge : 0;
	charge = charge < AT_GOVERNOR_AGGREGATE ? charge : AT_GOVERNOR_AGGREGATE;
	if (charge == g->batch)
		return;
	g->batch = charge > g->batch ? (u32)charge : g->batch - (g->batch - (u32)charge + 63) / 64;
	set_budgets(g);
}

/* What the next batch takes is counted from there. */
static void count_from(struct at_governor *g, u64 at, u64 heard)
{
	g->since = at;
	g->heard_since = heard;
}

void at_governor_settle(struct at_governor *g)
{
	u64 took, heard, rest, weight = g->batch_charge, est = 0, charge = 0;
	u32 n = 0, own = 0, end = head(g, BATCH);

	if (empty(g, BATCH))
		return;
	/* it took no time before it left, whoever was outstanding then */
	if (g->batch_left > g->since)
		count_from(g, g->batch_left, g->batch_heard);
	see_round(g, g->batch_last - g->batch_left);
	took = g->batch_last - g->since;
	heard = g->heard - g->heard_since;
	took -= heard < took ? heard : took;
	took = took < ~(u32)0 ? took : ~(u32)0;
	rest = took;
	for (u32 i = g->rec[end].next, next; i != end; i = next) {
		struct record *r = &g->rec[i];
		u64 part = weight == r->charge ? rest : at_div(rest * r->charge, (u32)weight);

		next = r->next;
		weight -= r->charge;
		rest -= part;
		r->at = part;
		est += r->est;
		charge += r->charge;
		n++;
		own++;
		learn(&g->sta[r->sta], r, (u32)part);
		if (next == end || g->rec[next].sta != r->sta) {
			see_batch(g, &g->sta[r->sta], own, charge);
			rescale(g, r->sta);
			charge = own = 0;
		}
	}
	batch_is_due(g);
	count_from(g, g->batch_last, g->heard);
	g->batch_charge = 0;
	g->batch_frames = 0;
	try_floor(g, took, est, n);
}

static void join_batch(struct at_governor *g, struct record *r, u64 now)
{
	/* without a pause between completions it would have all records */
	if (now - g->batch_last > g->k.batch || (g->batch_charge + r->charge) >> 32 ||
	    g->batch_frames >= g->k.records / 2)
		at_governor_settle(g);
	if (empty(g, BATCH)) {
		see_bound(g, r->sta);
		g->batch_left = AT_NEVER;
	}
	if (r->left < g->batch_left) {
		g->batch_left = r->left;
		g->batch_heard = r->at;
	}
	g->batch_last = now;
	g->batch_charge += r->charge;
	g->batch_frames++;
}

bool at_governor_air(struct at_governor *g, struct at_air *a)
{
	struct record *r = oldest(g, DUE);

	if (empty(g, DUE))
		return false;
	a->record = (u64)r->gen << 32 | (u32)(r - g->rec);
	a->ns = r->at;
	move(g, r, FREE);
	return true;
}

/* Events */

static struct record *place_for(struct at_governor *g)
{
	static const u8 from[] = { GONE, DUE };

	if (!empty(g, FREE))
		return &g->rec[g->rec[head(g, FREE)].prev];
	for (u32 i = 0; i < sizeof(from); i++)
		if (!empty(g, (enum list)from[i]))
			return oldest(g, (enum list)from[i]);
	return NULL;
}

static u32 at_most(u64 ns)
{
	return ns < AT_GOVERNOR_CHARGE_MAX ? (u32)ns : AT_GOVERNOR_CHARGE_MAX;
}

/* Index of the access category of a user priority (802.11-2020 table 10-1): 0, 1, 1, 0, 2, 2, 3, 3, two bits each. */
static u8 line_of(u16 up)
{
	return 0xfa14 >> 2 * (up & 7) & 3;
}

u64 at_governor_left(struct at_governor *g, u16 sta, u32 bytes, u64 est, u16 up, u64 now)
{
	u32 i = place(g, sta);
	struct record *r = place_for(g);

	if (!r) {
		g->stats.missed++;
		return 0;
	}
	est = est ? est : at_nominal_ns(bytes);
	r->left = now;
	r->seq = ++g->seq;
	r->sta = i;
	r->bytes = bytes;
	r->est = at_most(est);
	r->charge = r->est;
	r->completed = false;
	r->line = line_of(up);
	g->sta[i].asked += g->sta[i].silent;
	if (!++r->gen)
		r->gen = 1;
	if (paced(g, &g->sta[i])) {
		g->stats.paced++;
		hold(g, r, now);
	} else {
		r->charge = at_most((u64)r->est * g->sta[i].scale / AT_SCALE_ONE);
		r->charge += !r->charge;
		r->at = g->heard;
		r->apart = g->sta[i].silent && g->lasting;
		move(g, r, LIVE);
	}
	count_all(g, r, true);
	count_sta(g, r, true);
	return (u64)r->gen << 32 | (u32)(r - g->rec);
}

static struct record *find(struct at_governor *g, u64 record)
{
	u32 i = AT_GOVERNOR_PLACE(record);
	struct record *r = &g->rec[i];

	if (i >= g->k.records || !(record >> 32) || r->gen != record >> 32 || r->completed)
		return NULL;
	return r->list == FREE || r->list == BATCH ? NULL : r;
}

/* A packet that is LIVE was done too early. */
static void was_early(struct at_governor *g, struct record *r, u64 now)
{
	g->stats.early++;
	r->completed = true;
	count_all(g, r, false);
	hold(g, r, now);
	count_all(g, r, true);
}

static void was_live(struct at_governor *g, struct record *r, bool sent, u64 now)
{
	g->stats.valid += sent;
	g->stats.unsent += !sent;
	if (sent)
		join_batch(g, r, now);
	count_all(g, r, false);
	move(g, r, sent ? BATCH : FREE);
	count_sta(g, r, false);
}

void at_governor_done(struct at_governor *g, u64 record, bool sent, u64 now)
{
	struct record *r = find(g, record);
	struct station *s;
	bool early;

	if (!r) {
		g->stats.unknown++;
		return;
	}
	early = now - r->left < AT_GOVERNOR_SHORTEST || now - r->left < r->est / 4;
	s = &g->sta[r->sta];
	judge(g, s, early, now);
	if (!early)
		alive(g, s, r, now);
	switch ((enum list)r->list) {
	case LIVE:
		if (early)
			was_early(g, r, now);
		else
			was_live(g, r, sent, now);
		return;
	case HELD:
		r->completed = true;
		g->stats.early += early;
		g->stats.valid += !early && sent;
		g->stats.unsent += !early && !sent;
		return;
	case STALE:
	case MUTE:
		g->stats.late++;
		g->aged--;
		move(g, r, FREE);
		count_sta(g, r, false);
		return;
	default:
		g->stats.late++;
		move(g, r, FREE);
	}
}

void at_governor_heard(struct at_governor *g, u64 air, u64 now)
{
	u64 from;

	if (now > g->batch_last)
		at_governor_settle(g);
	from = g->since > g->heard_last ? g->since : g->heard_last;
	g->heard += air < now - from ? air : now - from;
	g->heard_last = now;
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* When the oldest packet that is LIVE counts in all no more, as far as is known now. Not before the completion that shows it. */
static u64 stale_at(const struct at_governor *g)
{
	const struct record *r = oldest(g, LIVE);
	u64 at, most;

	if (empty(g, LIVE))
		return AT_NEVER;
	at = r->left + g->counts_for;
	if (!g->lasting)
		return at;
	if (g->front >= at)
		return later(at, g->last);
	if (g->front >= r->left && overtaken(g, r))
		return later(r->left + g->lost_after, g->last);
	at = r->left > g->last ? at + g->heard - r->at : g->last + g->counts_for + g->heard - g->last_heard;
	most = r->left + g->silent_after;
	return at < most ? at : most;
}

static u64 sooner(const struct at_governor *g, enum list l, u64 after, u64 than)
{
	u64 at;

	if (empty(g, l))
		return than;
	at = oldest(g, l)->left + after;
	return at < than ? at : than;
}

u64 at_governor_wake(const struct at_governor *g)
{
	u64 at = AT_NEVER, stale = stale_at(g);

	if (g->aged)
		at = sooner(g, STALE, g->silent_after, sooner(g, MUTE, g->k.expiry, at));
	at = stale < at ? stale : at;
	if (!empty(g, HELD) && oldest(g, HELD)->at < at)
		at = oldest(g, HELD)->at;
	if (!empty(g, BATCH) && g->batch_last + g->k.batch + 1 < at)
		at = g->batch_last + g->k.batch + 1;
	return at;
}

/* Records that are STALE or MUTE: those become MUTE, these expire. */
static void age(struct at_governor *g, u64 now)
{
	while (sooner(g, STALE, g->silent_after, AT_NEVER) <= now)
		grow_mute(g, oldest(g, STALE), now);
	while (sooner(g, MUTE, g->k.expiry, AT_NEVER) <= now)
		expire(g, oldest(g, MUTE), now);
}

void at_governor_tick(struct at_governor *g, u64 now)
{
	if (now - g->batch_last > g->k.batch)
		at_governor_settle(g);
	/* never before that time; most calls come earlier */
	while (sooner(g, LIVE, g->counts_for, AT_NEVER) <= now && stale_at(g) <= now)
		grow_stale(g, oldest(g, LIVE), now);
	if (g->aged)
		age(g, now);
	while (!empty(g, HELD) && oldest(g, HELD)->at <= now) {
		struct record *r = oldest(g, HELD);

		count_all(g, r, false);
		move(g, r, r->completed ? FREE : GONE);
		count_sta(g, r, false);
	}
}

static void find_widest(struct at_governor *g)
{
	g->widest = 0;
	for (u32 i = 0; i < g->k.stations; i++)
		if (g->sta[i].ampdu_ns > g->widest)
			g->widest = g->sta[i].ampdu_ns;
}

void at_governor_link(struct at_governor *g, const struct at_link *l, u64 now)
{
	u32 i = place(g, l->sta);
	struct station *s = &g->sta[i];
	bool narrower = s->ampdu_ns == g->widest && l->ampdu_ns < g->widest;

	if (i >= g->k.stations)
		return;
	s->ampdu_ns = l->ampdu_ns;
	if (!l->here) {
		s->silent = false;
		s->asked = 0;
		set_verdict(g, s, UNKNOWN, now);
		s->scale = AT_SCALE_ONE;
		s->air = 0;
		s->est = s->bytes = s->total = 0;
	}
	if (narrower)
		find_widest(g);
	else if (s->ampdu_ns > g->widest)
		g->widest = s->ampdu_ns;
	look(g, i);
}

/* Whole */

struct at_governor *at_governor_init(void *memory, const struct at_governor_params *k, u64 now)
{
	struct at_governor *g = memory;

	memset(memory, 0, (size_t)at_governor_size(k));
	g->k = *k;
	g->rec = (struct record *)(void *)(g + 1);
	g->sta = (struct station *)(void *)(g->rec + k->records + LISTS);
	g->floor = k->floor;
	set_budgets(g);
	g->trial.patience = 1;
	g->trial.sta = NOBODY;
	g->since = g->batch_last = g->model = g->last = g->blind_since = now;
	g->todo = g->closed = NOBODY;
	for (u32 i = 0; i < k->stations + 2; i++) {
		g->sta[i].scale = AT_SCALE_ONE;
		g->sta[i].floor = g->sta[i].floor_now = k->floor;
	}
	for (u32 i = 0; i < k->records + LISTS; i++)
		g->rec[i].prev = g->rec[i].next = i;
	for (u32 i = 0; i < k->records; i++)
		move(g, &g->rec[i], FREE);
	return g;
}

void at_governor_change(struct at_governor *g, const struct at_governor_params *k, u64 now)
{
	(void)now;
	no_trial(g);
	g->k = *k;
	set_budgets(g);
	g->floor = k->floor;
	for (u32 i = 0; i < k->stations + 2; i++) {
		struct station *s = &g->sta[i];

		s->extra = 0;
		s->floor = s->floor_now = k->floor;
	}
	look_all(g);
}

void at_governor_reset(struct at_governor *g, u64 now)
{
	static const u8 all[] = { LIVE, STALE, MUTE, HELD, BATCH, DUE };

	for (u32 i = 0; i < sizeof(all); i++)
		while (!empty(g, (enum list)all[i])) {
			struct record *r = oldest(g, (enum list)all[i]);
			bool outstanding = r->list != BATCH && r->list != DUE;

			if (r->list == LIVE || r->list == HELD)
				count_all(g, r, false);
			move(g, r, FREE);
			if (outstanding)
				count_sta(g, r, false);
		}
	g->aged = 0;
	g->batch_charge = 0;
	g->batch_frames = 0;
	g->model = g->batch_last = g->since = now;
	no_trial(g);
}

void at_governor_read(const struct at_governor *g, struct at_governor_stats *s, struct at_governor_now *n)
{
	*s = g->stats;
	n->mode = g->mode;
	n->open = at_governor_open(g);
	n->frames = g->frames;
	n->floor = g->floor;
	n->outstanding = g->ns;
	n->budget = g->budget;
}

void at_governor_read_station(const struct at_governor *g, u16 sta, struct at_governor_sta *s)
{
	const struct station *from = &g->sta[place(g, sta)];
	u64 kbps = from->air ? at_div(from->bytes * 8000000, from->air) : 0;

	s->rate_kbps = kbps < ~(u32)0 ? (u32)kbps : ~(u32)0;
	s->scale = from->scale;
	s->frames = from->frames;
	s->floor = from->floor_now;
	s->closed = from->closed;
	s->silent = from->silent;
	s->outstanding = from->ns;
	s->air = from->total;
}
