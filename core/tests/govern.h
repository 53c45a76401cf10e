/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Any bytes as events of a governor: packets that leave, completions early, late,
 * repeated and invented, links, reports of uplink frames. Beside it the books as a
 * plain array knows them; what the header promises is checked after each event.
 */
#ifndef AIRTAB_TEST_GOVERN_H
#define AIRTAB_TEST_GOVERN_H

#include "airtab/governor.h"
#include "harness.h"

#define GOVERN_STATIONS 5u

struct governed {
	struct at_governor *g;
	struct at_governor_params k;
	u64 now;
	u64 seen[64], n_seen;		/* records, any state */
	bool shut[AT_STATIONS];		/* as the host was told */
	u32 had[GOVERN_STATIONS];	/* frames outstanding when it was not silent last */
	u64 aired;			/* ns given to packets */
};

static inline struct at_governor_now now_of(const struct at_governor *g)
{
	struct at_governor_stats s;
	struct at_governor_now n;

	at_governor_read(g, &s, &n);
	return n;
}

static inline struct at_governor_stats stats_of(const struct at_governor *g)
{
	struct at_governor_stats s;
	struct at_governor_now n;

	at_governor_read(g, &s, &n);
	return s;
}

static inline struct at_governor_sta sta_of(const struct at_governor *g, u16 sta)
{
	struct at_governor_sta s;

	at_governor_read_station(g, sta, &s);
	return s;
}

/* What a host does after each event. */
static inline void govern_poll(struct governed *h)
{
	struct at_air a;
	u16 sta;
	bool open;

	at_governor_tick(h->g, h->now);
	CHECK(at_governor_wake(h->g) > h->now);
	while (at_governor_air(h->g, &a))
		h->aired += a.ns;
	while (at_governor_gates(h->g, &sta, &open)) {
		CHECK(h->shut[sta] == open);
		h->shut[sta] = !open;
	}
}

/* The station of a place, with multicast and all others behind the numbered ones. */
static inline u16 govern_sta(u32 i)
{
	return i < GOVERN_STATIONS ? (u16)i : i == GOVERN_STATIONS ? AT_GROUP : AT_NO_STA;
}

static inline u64 govern_air(const struct governed *h)
{
	u64 air = 0;

	for (u32 i = 0; i < GOVERN_STATIONS + 2; i++)
		air += sta_of(h->g, govern_sta(i)).air;
	return air;
}

static inline void govern_check(struct governed *h)
{
	struct at_governor_now n = now_of(h->g);
	u64 ns = 0;
	u32 frames = 0;

	for (u32 i = 0; i < GOVERN_STATIONS + 2; i++) {
		u16 sta = govern_sta(i);
		struct at_governor_sta s = sta_of(h->g, sta);

		CHECK(!s.frames == !s.outstanding);
		CHECK_EQ(s.closed, h->shut[sta]);
		CHECK(!s.closed || s.frames);
		ns += s.outstanding;
		frames += s.frames;
	}
	CHECK(n.outstanding <= ns && n.frames <= frames && frames <= h->k.records);
	CHECK(n.floor >= h->k.floor && n.floor <= h->k.floor_most);
	CHECK_EQ(govern_air(h), h->aired);
}

/* Where a packet may leave, the budgets are not full yet, so that one packet passes
 * them at most; or the floor lets it. aggregate: the widest that was told, ns. */
static inline void govern_budgets(const struct governed *h, u16 sta, u64 aggregate)
{
	struct at_governor_now n = now_of(h->g);
	struct at_governor_sta s = sta_of(h->g, sta);
	u64 all = 4 * aggregate > h->k.inflight ? 4 * aggregate : h->k.inflight;
	u64 own = 4 * aggregate > h->k.inflight_station ? 4 * aggregate : h->k.inflight_station;
	/* of batches, three and two */
	u64 batch = AT_GOVERNOR_AGGREGATE;

	all = 3 * batch > all ? 3 * batch : all;
	own = 2 * batch > own ? 2 * batch : own;
	CHECK(n.outstanding < all || n.frames < n.floor);
	CHECK(sta == AT_NO_STA || s.outstanding < own || s.frames < s.floor);
	/* who is silent is asked by so many, besides what it had */
	CHECK(sta >= GOVERN_STATIONS || s.frames < h->had[sta] + AT_GOVERNOR_ASKED);
}

/* After each event, before the time that it took makes somebody silent. */
static inline void govern_had(struct governed *h)
{
	for (u16 sta = 0; sta < GOVERN_STATIONS; sta++) {
		struct at_governor_sta s = sta_of(h->g, sta);

		/* paced, packets leave for everybody */
		if (!s.silent || at_governor_paced(h->g, sta) || s.frames > h->had[sta] + AT_GOVERNOR_ASKED)
			h->had[sta] = s.frames;
	}
}

static inline u64 govern_leave(struct governed *h, u16 sta, u32 bytes, u64 est, u16 up)
{
	u64 r = at_governor_left(h->g, sta, bytes, est, up, h->now);
	u16 which;
	bool open;

	while (at_governor_gates(h->g, &which, &open)) {
		CHECK(h->shut[which] == open);
		h->shut[which] = !open;
	}
	return r;
}

static inline void govern_open(struct governed *h, const struct at_governor_params *k)
{
	memset(h, 0, sizeof(*h));
	CHECK(!at_governor_check(k));
	h->k = *k;
	h->now = 1 * MS;
	h->g = at_governor_init(malloc((size_t)at_governor_size(k)), k, h->now);
}

/* Whatever happened: when everything that is outstanding is given up, packets flow
 * for every station, and go on flowing though none of them ever completes. */
static inline void govern_flows(struct governed *h)
{
	u64 until = h->now + now_of(h->g).outstanding, after;
	u32 went = 0;

	/* the model sends what is held one after the other; the rest expires */
	until = until > h->now + h->k.expiry ? until : h->now + h->k.expiry;
	while ((after = at_governor_wake(h->g)) != AT_NEVER) {
		CHECK(after <= until);
		h->now = after;
		govern_poll(h);
	}
	CHECK_EQ(now_of(h->g).frames, 0);
	for (u16 sta = 0; sta < GOVERN_STATIONS; sta++)
		CHECK(!h->shut[sta]);
	until = h->now + 20 * (u64)h->k.expiry;
	while (h->now < until) {
		u16 sta = (u16)(went % GOVERN_STATIONS);

		govern_poll(h);
		while (at_governor_open(h->g) && !h->shut[sta]) {
			CHECK(govern_leave(h, sta, 1500, 3 * MS, 0));
			sta = (u16)(++went % GOVERN_STATIONS);
		}
		h->now += MS;
		if (h->now + 5 * (u64)h->k.expiry == until)
			went = 0;
	}
	/* nothing completed for 15 expiries: the model alone counts by now */
	CHECK_EQ(now_of(h->g).mode, AT_GOVERNOR_PACED);
	CHECK(went * 3 * MS >= 4 * (u64)h->k.expiry);
}

static inline void govern(const u8 *data, size_t n)
{
	static struct governed h;
	u64 wide[GOVERN_STATIONS] = { 0 }, aggregate;
	struct at_governor_params k = AT_GOVERNOR_DEFAULTS;

	k.stations = GOVERN_STATIONS;
	k.records = n > 1 && data[1] & 1 ? 64 : 200;
	k.batch = n > 2 ? data[2] * 1000 : 0;
	k.floor = 1 + (n > 3 ? data[3] % 4 : 0);
	k.expiry = n > 1 && data[1] & 2 ? 100000000 : 500000000;
	k.stale = n > 1 && data[1] & 6 ? 25000000 : k.stale;
	govern_open(&h, &k);
	for (size_t i = 0; i + 4 < n; i += 4) {
		u16 sta = data[i + 1] % 7 == 5 ? AT_GROUP : data[i + 1] % 7 == 6 ? AT_NO_STA : data[i + 1] % 7;
		u64 x = data[i + 2], y = data[i + 3];
		u64 r = h.n_seen ? h.seen[x % (h.n_seen < 64 ? h.n_seen : 64)] : 0;
		struct at_link l = { .sta = sta, .here = x > 20, .ampdu_ns = (u32)(x > 20 ? y * 20000 : 0) };

		switch (data[i] % 16) {
		case 0: case 1: case 2: case 3: case 4: case 5:
			if (h.shut[sta] || !at_governor_open(h.g))
				break;
			aggregate = 0;
			for (u32 s = 0; s < GOVERN_STATIONS; s++)
				aggregate = aggregate < wide[s] ? wide[s] : aggregate;
			govern_budgets(&h, sta, aggregate);
			r = govern_leave(&h, sta, (u32)(y * 6 + 1), x * y * 300, (u16)(y >> 3));
			CHECK(r);
			h.seen[h.n_seen++ % 64] = r;
			break;
		case 6: case 7: case 8: case 9: case 10:
			at_governor_done(h.g, data[i] & 32 ? r ^ x : r, y > 10, h.now);
			break;
		case 11:
			at_governor_heard(h.g, x * y * 100, h.now);
			break;
		case 12:
			at_governor_link(h.g, &l, h.now);
			if (sta < GOVERN_STATIONS)
				wide[sta] = l.ampdu_ns;
			break;
		case 13:
			h.now += x * y * (data[i] & 64 ? 30000 : 100);
			break;
		case 14:
			h.now += y * 10000;
			break;
		default:
			if (x > 250)
				at_governor_reset(h.g, h.now);
			else if (x > 240)
				govern_leave(&h, sta, 1500, 0, 0);	/* though it may not */
			else
				at_governor_settle(h.g);
		}
		govern_had(&h);
		govern_poll(&h);
		if (data[i] % 16 == 12)		/* what a station that left was charged is forgotten */
			h.aired = govern_air(&h);
		govern_check(&h);
	}
	govern_flows(&h);
	free(h.g);
}

#endif
