/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's bound of what a station has queued: a limit that follows how long it takes to drain
 * (wqm.h), where the host tells of the station's aggregates.
 *
 * Source: the law of wqm (Showail 2016, 5.3) for each station, as docs/wqm.md has it by
 * default; whose packet goes is chap's rule, among the station's flows.
 *
 * Rules
 *  - The limit is of packets, at least an aggregate's, and moves each AT_WQM_INTERVAL.
 *  - A packet that brings its station above it makes one go (AT_R_CLASS): the oldest of the
 *    station's flow with the least credit; while flows not served yet hold more than half,
 *    of that of these with most packets. A limit that is lowered drops nothing.
 *  - Flows that several stations share count for the station of the first packet queued.
 *  - Multicast, stations whose link is not told and links without aggregates have no limit.
 *
 * Cost: O(1) a packet; O(the station's flows) for one that goes.
 *
 * What this is not: no classes, no turns of stations.
 */
#include "airtab/places.h"
#include "airtab/wqm.h"
#include "chap_state.h"

#define STATIONS 256u		/* told apart */

struct chap_station {
	struct at_wqm law;
	bool bounded;
	u16 frames;
	u32 rate, drain, below;	/* kb/s; ns; bytes */
	u32 first;		/* of its slots; 0: none */
	u32 len;
	u64 bytes;
};

struct chap_drain {
	struct chap_station *at;
	u32 *after, *before;	/* of a slot, in its station's list */
	u16 *place;		/* of a slot: the station's */
	u64 next, drops;
	u32 aim, free_ppm, backlogged;
};

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
	       (d->backlogged + !st->len);
}

/* ---- looks ---- */

static void drain_look(struct chap_drain *d)
{
	for (struct chap_station *st = d->at; st < d->at + STATIONS; st++) {
		struct at_wqm_rule rule;

		if (!st->bounded)
			continue;
		rule = drain_rule(st);
		at_wqm_look(&st->law, &rule, drain_time(d, st));
		st->law.used = (u16)(st->len < 65535 ? st->len : 65535);
	}
}

/* Looks that are due; of many that were missed the last ones do, for nothing changed. */
static void drain_due(struct chap_drain *d, u64 now)
{
	u64 missed;

	if (now < d->next)
		return;
	missed = at_div(now - d->next, AT_WQM_INTERVAL) + 1;
	d->next += missed * AT_WQM_INTERVAL;
	for (u32 n = 0; n < missed && n < 128; n++)
		drain_look(d);
}

void at_chap_drain_link(struct at_qdisc *q, const struct at_link *l, u64 now)
{
	struct chap_drain *d = chap_priv(q)->drain;
	struct chap_station *st;
	struct at_wqm_rule rule;
	u64 carried;

	if (!d)
		return;
	drain_due(d, now);
	st = &d->at[at_place_of(STATIONS, l->sta)];
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
	u32 place = at_place_of(STATIONS, at_sta(p)), first = d->at[place].first;

	d->place[id] = (u16)place;
	d->after[id] = first;
	d->before[id] = 0;
	if (first)
		d->before[first] = id;
	d->at[place].first = id;
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
	bool was = st->len;

	st->len += (u32)n;
	st->bytes += (u64)bytes;
	d->backlogged += (u32)!!st->len - (u32)was;
	if (st->len > st->law.used)
		st->law.used = (u16)(st->len < 65535 ? st->len : 65535);
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

enum at_verdict at_chap_drain_room(struct at_qdisc *q, const struct at_pkt *p, u32 id, u64 now)
{
	struct chap *c = chap_priv(q);
	struct chap_drain *d = c->drain;
	struct chap_station *st;
	struct at_pkt *v;
	bool own, kin;

	drain_due(d, now);
	st = &d->at[d->place[id]];
	if (!st->bounded || st->len <= st->law.limit)
		return AT_OK;
	v = at_chap_take(q, drain_victim(c, st), NULL);
	own = v == p;
	kin = !own && at_flow(v) == at_flow(p);
	d->drops++;
	at_book_drop(q, v, AT_R_CLASS);
	return own ? AT_DROPPED : kin ? AT_CN : AT_OK;
}

/* ---- set-up ---- */

u64 at_chap_drain_bytes(u64 drain, u64 slots)
{
	return drain ? sizeof(struct chap_drain) + (STATIONS + AT_PLACES_SPECIAL) * sizeof(struct chap_station) +
		       slots * (2 * sizeof(u32) + sizeof(u16)) : 0;
}

void at_chap_drain_init(struct chap *c, void *memory, u64 drain, u64 slots, u64 now)
{
	struct chap_drain *d = memory;

	c->drain = drain ? d : NULL;
	if (!drain)
		return;
	d->at = (void *)(d + 1);
	d->after = (void *)(d->at + STATIONS + AT_PLACES_SPECIAL);
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
	for (struct chap_station *st = d->at; st < d->at + STATIONS + AT_PLACES_SPECIAL; st++) {
		st->first = st->len = 0;
		st->bytes = 0;
		st->law.used = 0;
	}
}

u64 at_chap_drain_drops(const struct chap *c)
{
	return c->drain ? c->drain->drops : 0;
}
