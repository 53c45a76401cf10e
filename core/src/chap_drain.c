/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's bound of what a station has queued: a limit that follows how long it takes to drain
 * (wqm.h), where the host tells of the station's aggregates.
 *
 * Source: the law of wqm (Showail 2016, 5.3) for each station, as docs/wqm.md has it by
 * default; whose packet goes is chap's rule, among the station's flows.
 *
 * Rules
 *  - The limit is of packets, at least an aggregate's, and moves each AT_WQM_INTERVAL. Looks
 *    are made up for: whatever moves a packet or a gate, or is told, first takes those that are
 *    due, with what there was since.
 *  - A packet that brings its station above it makes one go (AT_R_CLASS): the oldest of the
 *    station's flow with the least credit; while flows not served yet hold more than half,
 *    of that of these with most packets. A limit that is lowered drops nothing.
 *  - Flows that several stations share count for the station of the first packet queued.
 *  - Multicast, stations whose link is not told and links without aggregates have no limit;
 *    nor have stations beyond those that are told apart, who share a place.
 *
 * Cost: O(1) a packet; O(the station's flows) for one that goes.
 *
 * What this is not: no classes, no turns of stations.
 */
#include "airtab/wqm.h"
#include "chap_state.h"

#define STATIONS 256u		/* told apart; the place behind them is of all others */
#define SILENT 2000000000ull	/* ns in which the link of a bounded station was not told */
#define REPLAYED 65536u		/* looks made up for: by then no limit moves */

struct chap_station {
	struct at_wqm law;
	bool bounded, closed, seen;	/* seen: it had a packet */
	u16 frames;
	u32 rate, drain, below;	/* kb/s; ns; bytes */
	u32 first;		/* of its slots; 0: none */
	u32 len;
	u64 bytes;
	u64 told;		/* when its link was, ns */
};

struct chap_drain {
	struct chap_station *at;
	u32 *after, *before;	/* of a slot, in its station's list */
	u16 *place;		/* of a slot: the station's */
	u64 next, drops;
	u32 aim, free_ppm, backlogged;	/* backlogged: stations with packets that may go */
};

static struct chap_station *drain_at(const struct chap_drain *d, u16 sta)
{
	return &d->at[sta < STATIONS ? sta : STATIONS];
}

static bool drain_ready(const struct chap_station *st)
{
	return st->len && !st->closed;
}

static struct at_wqm_rule drain_rule(const struct chap_station *st)
{
	u16 most = at_wqm_within(st->rate, AT_WQM_ROUND);

	return (struct at_wqm_rule){
		.drain = st->drain, .least = st->frames, .most = most > st->frames ? most : st->frames,
		.confirm = 2, .law = AT_WQM_AIMD, .idle = true,
	};
}

static u64 drain_time(const struct chap_drain *d, const struct chap_station *st)
{
	u32 ppm = d->free_ppm ? d->free_ppm : 1000000;

	return at_wqm_drain(st->bytes + st->below, st->rate, 0, ppm < 50000 ? 50000 : ppm) *
	       (d->backlogged + !drain_ready(st));
}

/* ---- looks ---- */

/* At one station; whether another look with the same to see may do something. */
static bool drain_look(const struct chap_drain *d, struct chap_station *st)
{
	struct at_wqm_rule rule = drain_rule(st);
	struct at_wqm before = st->law;

	at_wqm_look(&st->law, &rule, drain_time(d, st));
	st->law.used = (u16)(st->len < 65535 ? st->len : 65535);
	return at_wqm_moved(&st->law, &before);
}

/* The looks that are due, all that was in between being as it is. */
static __attribute__((__noinline__)) void drain_catch_up(struct chap_drain *d, u64 now)
{
	u64 due = at_div(now - d->next, AT_WQM_INTERVAL) + 1;

	d->next += due * AT_WQM_INTERVAL;
	for (struct chap_station *st = d->at; st < d->at + STATIONS; st++)
		for (u32 n = due < REPLAYED ? (u32)due : REPLAYED; st->bounded && st->seen && n && drain_look(d, st); n--)
			;
}

void at_chap_drain_due(struct chap *c, u64 now)
{
	if (now >= c->drain->next)
		drain_catch_up(c->drain, now);
}

void at_chap_drain_turned(struct chap *c, u16 sta, bool open)
{
	struct chap_drain *d = c->drain;
	struct chap_station *st = drain_at(d, sta);

	if (sta >= STATIONS)
		return;
	st->closed = !open;
	if (st->len)
		d->backlogged += open ? 1 : ~(u32)0;
}

void at_chap_drain_link(struct at_qdisc *q, const struct at_link *l, u64 now)
{
	struct chap *c = chap_priv(q);
	struct chap_drain *d = c->drain;
	struct chap_station *st;
	struct at_wqm_rule rule;
	u64 carried;

	if (!d || l->sta >= STATIONS)
		return;
	at_chap_drain_due(c, now);
	st = drain_at(d, l->sta);
	st->told = now;
	if (!l->here || !l->rate_kbps || l->ampdu_frames < 2 || !l->ampdu_ns) {
		st->bounded = false;
		return;
	}
	carried = at_div((u64)l->ampdu_frames * AT_WQM_PACKET * 1000000, l->ampdu_ns);
	d->free_ppm = l->free_ppm;
	st->rate = carried && carried < l->rate_kbps ? (u32)carried : l->rate_kbps;
	st->frames = (u16)(l->ampdu_frames < 65535 ? l->ampdu_frames : 65535);
	st->drain = l->ampdu_ns > d->aim ? l->ampdu_ns : d->aim;
	st->below = l->below_bytes;
	rule = drain_rule(st);
	if (!st->bounded)
		st->law = (struct at_wqm){ .limit = at_wqm_first(st->rate, st->frames),
					   .used = (u16)(st->len < 65535 ? st->len : 65535) };
	st->bounded = true;
	at_wqm_bound(&st->law, &rule);
}

/* ---- backlogs ---- */

void at_chap_drain_opened(struct chap *c, u32 id, const struct at_pkt *p)
{
	struct chap_drain *d = c->drain;
	struct chap_station *st = drain_at(d, at_sta(p));

	st->seen = true;
	d->place[id] = (u16)(st - d->at);
	d->after[id] = st->first;
	d->before[id] = 0;
	if (st->first)
		d->before[st->first] = id;
	st->first = id;
}

void at_chap_drain_closed(struct chap *c, u32 id)
{
	struct chap_drain *d = c->drain;
	u32 after = d->after[id], before = d->before[id];

	if (before)
		d->after[before] = after;
	else
		d->at[d->place[id]].first = after;
	if (after)
		d->before[after] = before;
}

void at_chap_drain_count(struct chap *c, u32 id, s32 n, s64 bytes)
{
	struct chap_drain *d = c->drain;
	struct chap_station *st = &d->at[d->place[id]];
	bool was = drain_ready(st);

	st->len += (u32)n;
	st->bytes += (u64)bytes;
	d->backlogged += (u32)drain_ready(st) - (u32)was;
}

/* Whether a loses a packet rather than b. */
static bool drain_rather(const struct chap *c, u32 a, u32 b)
{
	s64 x = chap_key(c, a), y = chap_key(c, b);

	return x != y ? x < y : chap_flow_in(c, a)->created > chap_flow_in(c, b)->created;
}

static u32 drain_victim(const struct chap *c, const struct chap_station *st)
{
	u32 poorest = 0, fullest = 0, newcomers = 0;

	for (u32 id = st->first; id; id = c->drain->after[id]) {
		u32 len = c->slots[id].len;

		if (chap_ranked(c, id)) {
			if (!poorest || drain_rather(c, id, poorest))
				poorest = id;
			continue;
		}
		newcomers += len;
		if (!fullest || len > c->slots[fullest].len)
			fullest = id;
	}
	return !poorest || newcomers > st->law.limit / 2u ? fullest : poorest;
}

/* The packet of a station with too much that goes for p. */
static enum at_verdict drain_shed(struct at_qdisc *q, const struct chap_station *st, const struct at_pkt *p)
{
	struct chap *c = chap_priv(q);
	struct at_pkt *v = at_chap_take(q, drain_victim(c, st), NULL);
	bool own = v == p, kin = !own && at_flow(v) == at_flow(p);

	c->drain->drops++;
	at_book_drop(q, v, AT_R_CLASS);
	return own ? AT_DROPPED : kin ? AT_CN : AT_OK;
}

enum at_verdict at_chap_drain_room(struct at_qdisc *q, const struct at_pkt *p, u32 id)
{
	struct chap_drain *d = chap_priv(q)->drain;
	struct chap_station *st = &d->at[d->place[id]];
	enum at_verdict verdict = AT_OK;

	if (st->bounded && st->len > st->law.limit)
		verdict = drain_shed(q, st, p);
	if (st->len > st->law.used)
		st->law.used = (u16)(st->len < 65535 ? st->len : 65535);
	return verdict;
}

/* ---- set-up ---- */

u64 at_chap_drain_bytes(u64 drain, u64 slots)
{
	return drain ? sizeof(struct chap_drain) + (STATIONS + 1) * sizeof(struct chap_station) +
		       slots * (2 * sizeof(u32) + sizeof(u16)) : 0;
}

void at_chap_drain_init(struct chap *c, void *memory, u64 drain, u64 slots, u64 now)
{
	struct chap_drain *d = memory;

	c->drain = drain ? d : NULL;
	if (!drain)
		return;
	d->at = (void *)(d + 1);
	d->after = (void *)(d->at + STATIONS + 1);
	d->before = d->after + slots;
	d->place = (void *)(d->before + slots);
	d->aim = (u32)drain;
	d->next = now + AT_WQM_INTERVAL;
}

/* Nobody has a packet. */
void at_chap_drain_clear(struct chap *c)
{
	struct chap_drain *d = c->drain;

	if (!d)
		return;
	d->backlogged = 0;
	for (struct chap_station *st = d->at; st < d->at + STATIONS + 1; st++) {
		st->first = st->len = 0;
		st->bytes = 0;
		st->law.used = 0;
	}
}

u64 at_chap_drain_drops(const struct chap *c)
{
	return c->drain ? c->drain->drops : 0;
}

bool at_chap_drain_silent(const struct chap *c, u64 now)
{
	const struct chap_drain *d = c->drain;

	for (const struct chap_station *st = d ? d->at : NULL; d && st < d->at + STATIONS; st++)
		if (st->bounded && now - st->told >= SILENT)
			return true;
	return false;
}
