/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The governor rule by rule, with times written down by hand; and any events at
 * random (govern.h).
 */
#include "govern.h"

static struct governed h;

static void begin(u32 floor)
{
	struct at_governor_params k = AT_GOVERNOR_DEFAULTS;

	k.stations = GOVERN_STATIONS;
	k.floor = floor;
	free(h.g);
	govern_open(&h, &k);
}

/* Silent after 25 ms, as soon as a packet no longer counts in all. */
static void begin_short(void)
{
	struct at_governor_params k = AT_GOVERNOR_DEFAULTS;

	begin(2);
	k.stations = GOVERN_STATIONS;
	k.stale = 25000000;
	at_governor_change(h.g, &k, h.now);
	h.k = k;
}

static u64 leave(u16 sta, u64 est)
{
	return govern_leave(&h, sta, 1500, est, 0);
}

/* After so many ns. */
static void done(u64 after, u64 record)
{
	h.now += after;
	at_governor_done(h.g, record, true, h.now);
}

static void poll_after(u64 ns)
{
	h.now += ns;
	govern_poll(&h);
}

static u64 outstanding(void)
{
	return now_of(h.g).outstanding;
}

/* 4 ms a station and 8 ms in all, passed by one packet at most; who completes opens. */
static void budgets(void)
{
	u64 first;

	begin(2);
	first = leave(0, 900000);
	for (u32 i = 0; i < 3; i++) {
		CHECK(!h.shut[0]);
		leave(0, 900000);
	}
	CHECK(!h.shut[0]);
	leave(0, 900000);
	CHECK(h.shut[0] && at_governor_open(h.g));
	for (u32 i = 0; i < 4; i++)
		leave(1, 900000);
	CHECK(!h.shut[1] && !at_governor_open(h.g));
	CHECK_EQ(outstanding(), 8100000);
	done(900000, first);
	poll_after(0);
	CHECK(!h.shut[0] && at_governor_open(h.g));
	CHECK_EQ(outstanding(), 7200000);
	CHECK_EQ(sta_of(h.g, 0).outstanding, 3600000);
	CHECK_EQ(sta_of(h.g, 1).outstanding, 3600000);
}

/* Multicast has a budget of its own, those of unknown stations only that of all. */
static void nobodys(void)
{
	begin(1);
	leave(AT_GROUP, 5 * MS);
	CHECK(h.shut[AT_GROUP] && at_governor_open(h.g));
	begin(1);
	leave(AT_NO_STA, 5 * MS);
	leave(GOVERN_STATIONS, 5 * MS);
	CHECK(!at_governor_open(h.g));
	for (u32 i = 0; i < AT_STATIONS; i++)
		CHECK(!h.shut[i]);
	CHECK_EQ(sta_of(h.g, AT_NO_STA).frames, 2);
}

/* So many frames may go whatever they cost. */
static void least_frames(void)
{
	begin(3);
	for (u32 i = 0; i < 3; i++) {
		CHECK(at_governor_open(h.g) && !h.shut[0]);
		leave(0, 50 * MS);
	}
	CHECK(!at_governor_open(h.g) && h.shut[0]);
}

/* A maximum aggregate fits, also at what it really costs, up to four times. */
static void one_aggregate(void)
{
	struct at_link l = { .sta = 0, .here = true, .ampdu_frames = 20, .ampdu_ns = 10000000 };
	static const u32 cost[] = { 500000, 1500000, 5000000 }, want[] = { 20, 10, 8 };

	for (u32 i = 0; i < 3; i++) {
		u32 n = 0;

		begin(2);
		at_governor_link(h.g, &l, h.now);
		done(cost[i], leave(0, 1000000));
		poll_after(h.k.batch + 1);
		/* 10 ms at 0.5 each; 15 ms at 1.5; 40 ms at 5 */
		for (; !h.shut[0] && n < 100; n++) {
			CHECK(at_governor_open(h.g));
			leave(0, 1000000);
		}
		CHECK_EQ(n, want[i]);
		CHECK(!at_governor_open(h.g));
	}
	begin(2);
	at_governor_link(h.g, &l, h.now);
	leave(0, 9 * MS);
	leave(0, 500000);
	CHECK(at_governor_open(h.g) && !h.shut[0]);
	l = (struct at_link){ .sta = 0 };
	at_governor_link(h.g, &l, h.now);
	poll_after(0);
	CHECK(!at_governor_open(h.g) && h.shut[0]);
}

static u64 air_of(u64 record)
{
	struct at_air a;

	CHECK(at_governor_air(h.g, &a));
	CHECK_EQ(a.record, record);
	h.aired += a.ns;
	return a.ns;
}

/* Packets that may leave for a station. */
static u32 may_leave(u16 sta, u64 est)
{
	u32 n = 0;

	while (!h.shut[sta] && at_governor_open(h.g) && n < 100) {
		leave(sta, est);
		n++;
	}
	return n;
}

/* n packets, which take what they were estimated, complete at once. */
static void in_one_batch(u16 sta, u32 n, u64 est)
{
	u64 records[16];

	for (u32 i = 0; i < n; i++)
		records[i] = leave(sta, est);
	h.now += n * est;
	for (u32 i = 0; i < n; i++)
		done(0, records[i]);
	poll_after(h.k.batch + 1);
}

/* A batch of 4.8 ms, of a station that nobody has told about: 9.6 of each station, 14.4 in all.
 * Without one, of a station whose aggregates are known, and after single frames: 4 and 8. */
static void batches(void)
{
	struct at_link l = { .sta = 0, .here = true, .ampdu_frames = 20, .ampdu_ns = 1000000 };

	for (u32 i = 0; i < 4; i++) {
		begin(2);
		if (i == 1)
			at_governor_link(h.g, &l, h.now);
		if (i != 2)
			in_one_batch(0, 4, 1200000);
		if (i == 3)
			for (u32 j = 0; j < 1000; j++)
				in_one_batch(0, 1, 1200000);
		CHECK_EQ(may_leave(1, 1200000), i ? 4 : 8);
		CHECK_EQ(may_leave(2, 1200000), i ? 3 : 4);
		CHECK_EQ(outstanding(), i ? 8400000 : 14400000);
		CHECK_EQ(now_of(h.g).budget, i ? 8000000 : 14400000);
	}
	/* no aggregate is longer than 6 ms */
	begin(2);
	in_one_batch(0, 10, 1200000);
	CHECK_EQ(may_leave(1, 1000000), 12);
	CHECK_EQ(may_leave(2, 1000000), 6);
}

/* A batch takes the time since the last; its packets share it as estimated. */
static void shares(void)
{
	struct at_air a;
	u64 r[4];

	begin(2);
	r[0] = leave(0, 1000000);
	r[1] = leave(0, 2000000);
	r[2] = leave(1, 3000000);
	r[3] = leave(1, 1000000);
	done(7000000, r[0]);
	done(0, r[1]);
	done(1, r[2]);
	CHECK(!at_governor_air(h.g, &a));
	CHECK_EQ(at_governor_wake(h.g), h.now + h.k.batch + 1);
	at_governor_tick(h.g, h.now + h.k.batch);
	CHECK(!at_governor_air(h.g, &a));
	h.now += h.k.batch + 1;
	at_governor_tick(h.g, h.now);
	CHECK_EQ(air_of(r[0]), 1166666);	/* of 7000001 */
	CHECK_EQ(air_of(r[1]), 2333334);
	CHECK_EQ(air_of(r[2]), 3500001);
	done(1000000 - h.k.batch - 1, r[3]);
	at_governor_settle(h.g);
	CHECK_EQ(air_of(r[3]), 1000000);
	CHECK(!at_governor_air(h.g, &a));
	CHECK_EQ(sta_of(h.g, 0).air, 3500000);
	CHECK_EQ(sta_of(h.g, 1).air, 4500001);
	CHECK_EQ(sta_of(h.g, 0).scale, 1194);	/* 3.5 of 3 */
	CHECK_EQ(sta_of(h.g, 0).rate_kbps, 6857);	/* 3000 bytes in 3.5 ms */
}

/* Completions at most `batch` apart are one; one ns more, another. */
static void apart(void)
{
	u64 r[3];

	begin(2);
	for (u32 i = 0; i < 3; i++)
		r[i] = leave(0, 1000000);
	done(2000000, r[0]);
	done(h.k.batch, r[1]);
	done(h.k.batch + 1, r[2]);
	CHECK_EQ(air_of(r[0]), 1015000);
	CHECK_EQ(air_of(r[1]), 1015000);
	at_governor_settle(h.g);
	CHECK_EQ(air_of(r[2]), h.k.batch + 1);
}

/* Completions without a pause are batches of half of the records, so that records stay. */
static void without_pause(void)
{
	u64 r[4] = { 0 };
	u32 aired = 0;

	begin(4);
	for (u32 i = 0; i < 2 * h.k.records; i++) {
		u64 *oldest = &r[i % 4];	/* three others are below: it takes 80 us */
		struct at_air a;

		if (*oldest)
			done(20000, *oldest);
		CHECK(at_governor_open(h.g));
		*oldest = leave(0, 100000);
		CHECK(*oldest);
		while (at_governor_air(h.g, &a))
			aired++;
	}
	CHECK(aired > h.k.records && aired % (h.k.records / 2) == 0);
}

/* Idle time is nobody's, nor are frames that were heard. */
static void idle_and_heard(void)
{
	u64 first, r;

	begin(2);
	at_governor_heard(h.g, 5000000, h.now);
	first = leave(0, 1000000);
	done(1000000, first);
	h.now += 50000000;
	at_governor_heard(h.g, 5000000, h.now);
	r = leave(0, 1000000);
	CHECK_EQ(air_of(first), 1000000);
	h.now += 400000;
	at_governor_heard(h.g, 300000, h.now);
	h.now += 200000;
	at_governor_heard(h.g, 100000, h.now);
	done(600000, r);
	at_governor_settle(h.g);
	CHECK_EQ(air_of(r), 800000);
	/* more than there was: it began before */
	r = leave(0, 1000000);
	h.now += 400000;
	at_governor_heard(h.g, 900000, h.now);
	done(600000, r);
	at_governor_settle(h.g);
	CHECK_EQ(air_of(r), 600000);
}

/* Of what may not have been sent nothing is learned, and it takes no air. */
static void unsent(void)
{
	struct at_air a;
	u64 r;

	begin(2);
	r = leave(0, 1000000);
	h.now += 3000000;
	at_governor_done(h.g, r, false, h.now);
	at_governor_settle(h.g);
	CHECK(!at_governor_air(h.g, &a));
	CHECK_EQ(sta_of(h.g, 0).scale, 1024);
	CHECK_EQ(outstanding(), 0);
	CHECK_EQ(stats_of(h.g).unsent, 1);
}

/* What is done too early is outstanding until the model has sent it. */
static void early(void)
{
	struct at_air a;
	u64 r[3], begun;

	begin(2);
	r[0] = leave(0, 1000000);
	r[1] = leave(0, 2000000);
	r[2] = leave(0, 100000);
	begun = h.now;
	done(49999, r[2]);	/* no exchange is so short */
	done(1, r[0]);		/* a twentieth */
	done(449999, r[1]);	/* a ns below a quarter */
	CHECK_EQ(stats_of(h.g).early, 3);
	CHECK_EQ(outstanding(), 3100000);
	CHECK_EQ(at_governor_wake(h.g), begun + 49999 + 100000);
	poll_after(0);
	CHECK_EQ(outstanding(), 3000000);
	h.now = begun + 149999 + 1000000;
	CHECK_EQ(at_governor_wake(h.g), h.now);
	poll_after(0);
	CHECK_EQ(outstanding(), 2000000);
	CHECK_EQ(at_governor_wake(h.g), begun + 149999 + 3000000);
	poll_after(1999999);
	CHECK_EQ(outstanding(), 2000000);
	poll_after(1);
	CHECK_EQ(outstanding(), 0);
	CHECK(!at_governor_air(h.g, &a));
	CHECK_EQ(sta_of(h.g, 0).scale, 1024);
	done(0, r[0]);
	CHECK_EQ(stats_of(h.g).unknown, 1);
	/* a quarter is believed */
	r[0] = leave(0, 1000000);
	done(250000, r[0]);
	CHECK_EQ(stats_of(h.g).valid, 1);
	CHECK_EQ(outstanding(), 0);
}

/* One after the other; `of` early ones among 64. */
static void judged(u32 of, u32 n)
{
	for (u32 i = 0; i < 64; i++) {
		u64 r = leave(0, 1000000);

		done(i < of ? 0 : 1000000, r);
		if (i + 1 < 64)
			CHECK_EQ(stats_of(h.g).turns, n);
		poll_after(2000000);
	}
}

/* Beyond a half of 64 a station is paced, below a quarter it is measured again; where none
 * is measured, that is the mode of all. */
static void modes(void)
{
	u64 r, begun;

	begin(2);
	judged(32, 0);
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_MEASURED);
	judged(33, 0);
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_PACED);
	judged(16, 1);
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_PACED);
	r = leave(1, 1000000);
	leave(1, 3500000);
	begun = h.now;
	CHECK(h.shut[1]);
	poll_after(999999);
	CHECK(h.shut[1]);
	poll_after(1);
	CHECK(!h.shut[1]);
	poll_after(3499999);
	CHECK_EQ(outstanding(), 3500000);
	poll_after(1);
	CHECK_EQ(outstanding(), 0);
	CHECK_EQ(h.now, begun + 4500000);
	CHECK_EQ(stats_of(h.g).paced, 66);
	done(0, r);
	CHECK_EQ(stats_of(h.g).late, 1);
	at_governor_done(h.g, r, true, h.now);
	CHECK_EQ(stats_of(h.g).unknown, 1);
	for (u32 i = 0; i < 64; i++) {
		CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_PACED);
		r = leave(0, 1000000);
		done(i < 15 ? 0 : 1000000, r);
		poll_after(2000000);
	}
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_MEASURED);
	CHECK_EQ(stats_of(h.g).turns, 2);
}

static void complete_64(u16 sta, u64 after)
{
	for (u32 i = 0; i < 64; i++) {
		done(after, leave(sta, 1000000));
		poll_after(2000000);
	}
}

/* Each station has a verdict by its own completions. While another one is measured, what is
 * held counts for its own station alone. */
static void own_verdict(void)
{
	const struct at_link gone = { .sta = 1 };
	u64 r;

	begin(2);
	complete_64(0, 1000000);
	r = leave(1, 1000000);
	CHECK_EQ(outstanding(), 1000000);
	done(0, r);
	CHECK_EQ(outstanding(), 0);
	CHECK_EQ(sta_of(h.g, 1).outstanding, 1000000);
	poll_after(2000000);
	for (u32 i = 1; i < 64; i++) {
		CHECK(!at_governor_paced(h.g, 1));
		done(0, leave(1, 1000000));
		poll_after(2000000);
	}
	CHECK(at_governor_paced(h.g, 1) && !at_governor_paced(h.g, 0) && !at_governor_paced(h.g, 2));
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_MEASURED);
	CHECK_EQ(stats_of(h.g).turns, 0);
	/* at the rate of the model, in a budget of its own */
	leave(1, 3000000);
	CHECK(!h.shut[1]);
	leave(1, 1000000);
	CHECK(h.shut[1]);
	CHECK_EQ(outstanding(), 0);
	CHECK_EQ(stats_of(h.g).paced, 2);
	CHECK_EQ(may_leave(0, 1000000), 4);
	CHECK_EQ(may_leave(2, 1000000), 4);
	poll_after(3000000);
	CHECK(!h.shut[1]);
	CHECK_EQ(sta_of(h.g, 1).outstanding, 1000000);
	at_governor_reset(h.g, h.now);
	poll_after(0);
	CHECK_EQ(outstanding(), 0);
	CHECK_EQ(sta_of(h.g, 1).outstanding, 0);
	complete_64(1, 1000000);
	CHECK(!at_governor_paced(h.g, 1));
	/* a later station with its number has no verdict */
	complete_64(1, 0);
	CHECK(at_governor_paced(h.g, 1));
	at_governor_link(h.g, &gone, h.now);
	CHECK(!at_governor_paced(h.g, 1));
	/* when the one that was measured is gone, there is no backpressure */
	complete_64(1, 0);
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_MEASURED);
	at_governor_link(h.g, &(struct at_link){ .sta = 0 }, h.now);
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_PACED);
	CHECK(at_governor_paced(h.g, 2));
	leave(1, 1000000);
	CHECK_EQ(outstanding(), 1000000);
	CHECK_EQ(stats_of(h.g).turns, 1);
}

/* A station that was measured and is idle for the expiry, 500 ms, does not prove backpressure: each 64 early completions of
 * another one take 128 ms. When it completes packets again, the next 64 switch back. */
static void idle_proves_nothing(void)
{
	begin(2);
	complete_64(0, 1000000);
	for (u32 i = 0; i < 3; i++) {
		complete_64(1, 0);
		CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_MEASURED);
	}
	complete_64(1, 0);
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_PACED);
	CHECK(!at_governor_paced(h.g, 0) && at_governor_paced(h.g, 2));
	done(1000000, leave(0, 1000000));
	complete_64(1, 0);
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_MEASURED);
	CHECK_EQ(stats_of(h.g).turns, 2);
}

/* With `stale` as long as a packet counts in all: a station without a completion for 25 ms
 * is silent, and a packet may leave for it each 25 ms while at most four wait. */
static void silence(void)
{
	u64 r[3], asked[4], begun, other;

	begin_short();
	done(1000000, leave(2, 1000000));	/* completions are known here */
	poll_after(1000000);
	begun = h.now;
	r[0] = leave(0, 3000000);
	r[1] = leave(0, 2000000);
	CHECK(h.shut[0]);
	h.now += 24000000;
	other = leave(1, 1000000);
	poll_after(999999);
	CHECK_EQ(outstanding(), 6000000);
	CHECK_EQ(at_governor_wake(h.g), begun + 25000000);
	poll_after(1);
	CHECK_EQ(outstanding(), 1000000);
	CHECK_EQ(sta_of(h.g, 0).outstanding, 5000000);
	CHECK(h.shut[0] && sta_of(h.g, 0).silent);	/* its budget is spent */
	done(1000000, other);
	h.now = begun + 499999999;
	poll_after(0);
	CHECK(h.shut[0]);
	poll_after(1);
	CHECK(!h.shut[0]);
	CHECK_EQ(stats_of(h.g).expired, 2);
	for (u32 i = 0; i < 4; i++) {
		asked[i] = leave(0, 3000);
		CHECK(h.shut[0]);
		CHECK_EQ(outstanding(), 3000);
		CHECK_EQ(sta_of(h.g, 0).outstanding, 3000 * (i + 1));
		poll_after(24999999);
		CHECK(h.shut[0]);
		poll_after(1);
		CHECK(h.shut[0] == (i == 3));
	}
	h.now = begun + 999999999;
	poll_after(0);
	CHECK(h.shut[0]);
	poll_after(1);
	CHECK(!h.shut[0]);
	CHECK_EQ(stats_of(h.g).expired, 3);
	r[2] = leave(0, 3000);
	CHECK(h.shut[0]);
	done(10000000, asked[3]);
	CHECK_EQ(stats_of(h.g).late, 1);
	poll_after(0);
	CHECK(!h.shut[0] && !sta_of(h.g, 0).silent);
	at_governor_done(h.g, asked[3], true, h.now);
	CHECK_EQ(stats_of(h.g).unknown, 1);
	done(0, r[2]);
	CHECK_EQ(stats_of(h.g).valid, 3);
	/* after `stale` a completion frees, and teaches nothing */
	r[0] = leave(3, 1000000);
	poll_after(30000000);
	CHECK(sta_of(h.g, 3).silent && !h.shut[3]);
	done(0, r[0]);
	poll_after(0);
	CHECK_EQ(stats_of(h.g).late, 2);
	CHECK(!h.shut[3]);
	CHECK_EQ(sta_of(h.g, 3).scale, 1024);
	CHECK_EQ(sta_of(h.g, 3).outstanding, 0);
}

/* A packet is lost if a later one of its station completed, and gone after `stale`;
 * if an earlier one did, or one of another station, it may come yet. */
static void lost(void)
{
	u64 begun, r;

	begin(2);
	begun = h.now;
	leave(0, 3000000);
	r = leave(0, 2000000);
	done(1000000, r);
	h.now = begun + 25000000;
	poll_after(0);
	CHECK_EQ(outstanding(), 0);
	CHECK_EQ(sta_of(h.g, 0).outstanding, 0);
	CHECK(!sta_of(h.g, 0).silent && !h.shut[0]);
	CHECK_EQ(stats_of(h.g).expired, 1);

	begin_short();
	begun = h.now;
	r = leave(0, 1000000);
	leave(0, 2000000);
	done(1000000, r);
	done(0, leave(1, 1000000));
	h.now = begun + 25000000;
	poll_after(0);
	CHECK_EQ(sta_of(h.g, 0).outstanding, 2000000);
	CHECK(sta_of(h.g, 0).silent);
}

/* A packet counts in all for 25 ms. Its station is silent after 100 ms, unless a later
 * packet completed. A completion before that frees, and teaches nothing. */
static void silent_later(void)
{
	u64 begun, r;

	begin(2);
	begun = h.now;
	leave(0, 3000000);
	r = leave(1, 3000000);
	h.now = begun + 24999999;
	poll_after(0);
	CHECK_EQ(outstanding(), 6000000);
	CHECK_EQ(at_governor_wake(h.g), begun + 25000000);
	poll_after(1);
	CHECK_EQ(outstanding(), 0);
	CHECK_EQ(sta_of(h.g, 0).outstanding, 3000000);
	CHECK_EQ(at_governor_wake(h.g), begun + 100000000);
	h.now = begun + 60000000;
	done(0, r);
	at_governor_settle(h.g);
	CHECK_EQ(stats_of(h.g).late, 1);
	CHECK_EQ(sta_of(h.g, 1).scale, 1024);
	CHECK_EQ(sta_of(h.g, 1).air, 0);
	/* up to its budget, more than one packet at a time */
	leave(0, 500000);
	CHECK(!h.shut[0]);
	leave(0, 500000);
	CHECK(h.shut[0]);
	h.now = begun + 99999999;
	poll_after(0);
	CHECK(!sta_of(h.g, 0).silent && !sta_of(h.g, 1).silent);
	poll_after(1);
	CHECK(sta_of(h.g, 0).silent && !sta_of(h.g, 1).silent);
	CHECK_EQ(stats_of(h.g).expired, 0);
	/* a packet that asks it leaves the others the whole budget */
	h.now = begun + 600000000;
	poll_after(0);
	CHECK_EQ(stats_of(h.g).expired, 3);
	leave(0, 1000000);
	CHECK(h.shut[0]);
	CHECK_EQ(outstanding(), 0);
	CHECK_EQ(sta_of(h.g, 0).outstanding, 1000000);
	poll_after(25000000);
	CHECK(!h.shut[0]);

	/* overtaken after it no longer counted */
	begin(2);
	begun = h.now;
	leave(0, 1000000);
	poll_after(30000000);
	done(1000000, leave(0, 1000000));
	h.now = begun + 100000000;
	poll_after(0);
	CHECK(!sta_of(h.g, 0).silent);
	CHECK_EQ(stats_of(h.g).expired, 1);
	CHECK_EQ(sta_of(h.g, 0).outstanding, 0);
}

/* The only packet outstanding, of 1 ms, counts in all until then. */
static void counts_until(u64 at)
{
	h.now = at - 1;
	poll_after(0);
	CHECK_EQ(outstanding(), 1000000);
	poll_after(1);
	CHECK_EQ(outstanding(), 0);
}

/* 64 batches, whose packets are below for so long. */
static void rounds_of(u64 ns)
{
	for (u32 i = 0; i < 64; i++) {
		done(ns, leave(0, 1000000));
		poll_after(h.k.batch + 1);
	}
}

/* A packet that is never completed counts in all for 25 ms, and its station is silent after `silent`, ns. */
static void unanswered(u64 silent)
{
	u64 begun = h.now;

	leave(1, 1000000);
	counts_until(begun + 25000000);
	h.now = begun + silent - 1;
	poll_after(0);
	CHECK(!sta_of(h.g, 1).silent);
	poll_after(1);
	CHECK(sta_of(h.g, 1).silent);
}

/* Where packets are below for 18 ms, a station is silent after eight of these, up to half of the expiry. */
static void rounds(void)
{
	begin(2);
	rounds_of(18000000);
	unanswered(144000000);

	begin(2);
	rounds_of(20000000);
	rounds_of(39999999);
	unanswered(250000000);

	/* shorter ones change nothing */
	begin(2);
	rounds_of(20000000);
	rounds_of(1000000);
	unanswered(100000000);
}

/* A packet that was overtaken is lost after two rounds, if these are longer than 25 ms. */
static void lost_after_rounds(void)
{
	u64 begun;

	begin(2);
	rounds_of(18000000);
	begun = h.now;
	leave(1, 1000000);
	done(1000000, leave(1, 1000000));
	counts_until(begun + 36000000);
	CHECK_EQ(stats_of(h.g).expired, 1);
	CHECK_EQ(sta_of(h.g, 1).outstanding, 0);

	/* up to the time after which its station would be silent, 250 ms */
	begin(2);
	rounds_of(140000000);
	begun = h.now;
	leave(1, 1000000);
	done(1000000, leave(1, 1000000));
	counts_until(begun + 250000000);
}

/* The driver completes packets in their order, one in 20 ms: the third one counts in all for as long as it waits, until one
 * completes that left 25 ms later. */
static void slow_driver(void)
{
	u64 begun, r[4];

	begin(2);
	begun = h.now;
	for (u16 i = 0; i < 3; i++)
		r[i] = leave(i, 1000000);
	done(20000000, r[0]);
	done(20000000, r[1]);
	poll_after(1000000);
	CHECK_EQ(outstanding(), 1000000);
	r[3] = leave(3, 1000000);
	h.now = begun + 64999999;	/* 25 ms after the last completion */
	poll_after(0);
	CHECK_EQ(outstanding(), 2000000);
	CHECK_EQ(at_governor_wake(h.g), begun + 65000000);
	done(0, r[3]);
	CHECK_EQ(at_governor_wake(h.g), h.now);
	poll_after(0);
	CHECK_EQ(outstanding(), 0);
	CHECK(!sta_of(h.g, 2).silent);
	CHECK_EQ(sta_of(h.g, 2).outstanding, 1000000);
	done(3000000, r[2]);
	CHECK_EQ(stats_of(h.g).late, 1);
	CHECK_EQ(sta_of(h.g, 2).outstanding, 0);
}

/* A packet that left less than 25 ms later completes: the earlier one still counts. */
static void soon_after(void)
{
	u64 r;

	begin(2);
	leave(0, 1000000);
	h.now += 24999999;
	r = leave(1, 1000000);
	done(1000000, r);
	poll_after(20000000);
	CHECK_EQ(outstanding(), 1000000);
	poll_after(5000000);
	CHECK_EQ(outstanding(), 0);
}

/* While others send, none completes: that time does not count. But a station is silent all the same. */
static void others_send(void)
{
	u64 begun;

	begin(2);
	begun = h.now;
	leave(0, 1000000);
	h.now = begun + 10000000;
	at_governor_heard(h.g, 7000000, h.now);
	counts_until(begun + 32000000);

	/* likewise after a completion */
	begin(2);
	begun = h.now;
	leave(0, 1000000);
	done(5000000, leave(1, 1000000));
	h.now = begun + 15000000;
	at_governor_heard(h.g, 7000000, h.now);
	counts_until(begun + 37000000);

	begin(2);
	begun = h.now;
	leave(0, 1000000);
	while (h.now + 10000000 < begun + 100000000) {
		h.now += 10000000;
		at_governor_heard(h.g, 10000000, h.now);
		poll_after(0);
		CHECK_EQ(outstanding(), 1000000);
	}
	h.now = begun + 100000000;
	at_governor_heard(h.g, 10000000, h.now);
	poll_after(0);
	CHECK_EQ(outstanding(), 0);
	CHECK(sta_of(h.g, 0).silent);
}

/* A packet of another access category completes first: the earlier one is not lost. */
static void categories(void)
{
	static const struct { u16 before, after; bool same; } ups[] = {
		{ 0, 3, true }, { 1, 2, true }, { 4, 5, true }, { 6, 7, true },
		{ 0, 1, false }, { 3, 4, false }, { 2, 5, false }, { 5, 6, false }, { 0, 6, false },
	};

	for (u32 i = 0; i < sizeof(ups) / sizeof(ups[0]); i++) {
		begin(2);
		govern_leave(&h, 0, 1500, 1000000, ups[i].before);
		done(1000000, govern_leave(&h, 0, 1500, 1000000, ups[i].after));
		poll_after(50000000);
		CHECK_EQ(stats_of(h.g).expired, ups[i].same);
		CHECK_EQ(sta_of(h.g, 0).outstanding, ups[i].same ? 0 : 1000000);
	}
}

/* With a `stale` of at most 25 ms rounds have no effect. */
static void rounds_short(void)
{
	u64 begun;

	begin_short();
	rounds_of(20000000);
	begun = h.now;
	leave(1, 1000000);
	h.now = begun + 24999999;
	poll_after(0);
	CHECK_EQ(outstanding(), 1000000);
	poll_after(1);
	CHECK_EQ(outstanding(), 0);
	CHECK(sta_of(h.g, 1).silent);
}

/* The budget of all is longer than 25 ms: a packet counts for that long. */
static void counts_for_budget(void)
{
	struct at_governor_params k;
	u64 begun;

	begin(2);
	k = h.k;
	k.inflight = 40000000;
	at_governor_change(h.g, &k, h.now);
	begun = h.now;
	leave(0, 1000000);
	counts_until(begun + 40000000);
}

/* No completion ever: paced at the first expiry; none any more: at the eighth. */
static void blind(void)
{
	u64 begun;

	begin(2);
	leave(0, 2000000);
	leave(0, 2000000);
	poll_after(25000000);
	poll_after(475000000 - 1);
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_MEASURED);
	poll_after(1);
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_PACED);

	begin(2);
	done(1000000, leave(0, 1000000));
	for (u32 i = 0; i < 8; i++) {
		begun = h.now;
		CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_MEASURED);
		leave(0, 1000000);
		leave(1, 1000000);
		poll_after(25000000);
		h.now = begun + 500000000;
		poll_after(0);
	}
	CHECK_EQ(now_of(h.g).mode, AT_GOVERNOR_PACED);
}

/* What is learned follows a station that becomes slower, and faster. */
static void learned(void)
{
	static const u32 us[] = { 1000, 8000, 250, 1000 };

	begin(2);
	for (u32 phase = 0; phase < 4; phase++) {
		/* after 160 ms, ten halvings, an eighth of the rate is forgotten */
		for (u32 n = 0; n < 160000 / us[phase]; n++) {
			done(us[phase] * 1000, leave(0, 500000));
			at_governor_settle(h.g);
			govern_poll(&h);
		}
		CHECK(llabs((long long)sta_of(h.g, 0).scale - us[phase] * 1024 / 500) <= us[phase] * 1024 / 500 / 50);
	}
	for (u32 n = 0; n < 1000; n++) {
		done(1000000, leave(0, 500000));
		at_governor_settle(h.g);
		govern_poll(&h);
	}
	CHECK_EQ(sta_of(h.g, 0).scale, 2048);
	CHECK_EQ(sta_of(h.g, 0).rate_kbps, 12000);
	leave(0, 700000);
	CHECK_EQ(outstanding(), 1400000);
}

/* Out of places: what was given up goes first, then no more may leave. */
static void places(void)
{
	struct at_governor_params k = AT_GOVERNOR_DEFAULTS;
	u64 r[8];

	k.records = k.floor_most = 8;
	k.stations = GOVERN_STATIONS;
	free(h.g);
	govern_open(&h, &k);
	for (u32 i = 0; i < 8; i++)
		r[i] = leave((u16)(i % 5), 1000);
	CHECK(!at_governor_open(h.g));
	CHECK_EQ(leave(0, 1000), 0);
	CHECK_EQ(stats_of(h.g).missed, 1);
	for (u32 i = 0; i < 4; i++)
		done(i ? 0 : 1000000, r[i]);
	CHECK(!at_governor_open(h.g));		/* not before their air is known */
	at_governor_settle(h.g);
	CHECK(at_governor_open(h.g));
	CHECK(leave(0, 1000) == r[0] + (1ull << 32));
	CHECK_EQ(air_of(r[1]), 250000);
	at_governor_done(h.g, r[0], true, h.now);
	CHECK_EQ(stats_of(h.g).unknown, 1);
}

static void whole(void)
{
	struct at_governor_params k;
	struct at_air a;

	begin(2);
	leave(0, 5000000);
	done(1000000, leave(1, 3000000));
	done(0, leave(0, 300000));	/* held */
	leave(0, 3000000);
	CHECK(h.shut[0]);
	at_governor_retell(h.g);
	h.shut[0] = false;
	govern_poll(&h);
	CHECK(h.shut[0]);
	k = h.k;
	k.inflight_station = k.inflight = 20000000;
	at_governor_change(h.g, &k, h.now);
	govern_poll(&h);
	CHECK(!h.shut[0]);
	at_governor_change(h.g, &h.k, h.now);
	govern_poll(&h);
	at_governor_reset(h.g, h.now);
	govern_poll(&h);
	CHECK(!h.shut[0]);
	CHECK_EQ(outstanding(), 0);
	CHECK_EQ(now_of(h.g).frames, 0);
	CHECK(!at_governor_air(h.g, &a));
	CHECK_EQ(at_governor_wake(h.g), AT_NEVER);
}

static void values(void)
{
	const struct at_governor_params good = AT_GOVERNOR_DEFAULTS;
	struct at_governor_params bad[10];
	u32 n = 0;

	for (u32 i = 0; i < 10; i++)
		bad[i] = good;
	bad[n++].inflight_station = 0;
	bad[n++].inflight_station = good.inflight + 1;
	bad[n++].stale = good.inflight - 1;
	bad[n++].expiry = good.stale;
	bad[n++].floor = 0;
	bad[n++].floor = good.floor_most + 1;
	bad[n++].records = good.floor_most - 1;
	bad[n++].records = (1u << 20) + 1;
	bad[n++].stations = 65535;
	bad[n].inflight = bad[n].inflight_station = 0, n++;
	CHECK(!at_governor_check(&good));
	for (u32 i = 0; i < 10; i++)
		CHECK(at_governor_check(&bad[i]));
}

/* 10,000 cases: the books, and never a stall. */
static void at_random(void)
{
	static u8 data[1200];
	u64 seed = 1;

	for (u32 i = 0; i < 10000; i++) {
		size_t n = 1 + below(&seed, sizeof(data));

		for (size_t j = 0; j < n; j++)
			data[j] = (u8)rnd(&seed);
		govern(data, n);
	}
}

int main(void)
{
	CASE(budgets());
	CASE(nobodys());
	CASE(least_frames());
	CASE(one_aggregate());
	CASE(batches());
	CASE(shares());
	CASE(apart());
	CASE(without_pause());
	CASE(idle_and_heard());
	CASE(unsent());
	CASE(early());
	CASE(modes());
	CASE(own_verdict());
	CASE(idle_proves_nothing());
	CASE(silence());
	CASE(lost());
	CASE(silent_later());
	CASE(rounds());
	CASE(lost_after_rounds());
	CASE(slow_driver());
	CASE(soon_after());
	CASE(others_send());
	CASE(categories());
	CASE(rounds_short());
	CASE(counts_for_budget());
	CASE(blind());
	CASE(learned());
	CASE(places());
	CASE(whole());
	CASE(values());
	CASE(at_random());
	free(h.g);
	return 0;
}
