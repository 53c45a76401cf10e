/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The governor above a model of a driver: a ring that stops when it is full, from
 * which the oldest packets of a station that is awake go out together, one exchange
 * at a time; completions at once or later, one for one or gathered, some or all of
 * them lost, or made when the ring takes the packet. Above it stations that always
 * have packets, and 1 ping in 10 ms to station 0 that goes before them.
 */
#include "govern.h"

#define RING 1000u
#define WAITING 20000u

struct frame {
	u64 record, arrived;	/* arrived: of a ping; else 0 */
	u16 sta;
};

struct report {
	u64 at, record;
};

struct house {
	/* as set up */
	struct at_governor_params k;
	u32 n_sta;
	u64 head[4], each[4];		/* ns of an exchange, and of each frame in it */
	u64 est[4];			/* what the host believes; 0: the truth */
	u64 asleep, awake;		/* station 1, from when to when */
	u32 aggregate;			/* frames */
	u64 delay;			/* of reports, ns */
	u64 gather;			/* reports come at multiples of this, ns */
	u32 lost;			/* reports, of 1000 */
	bool orphan;			/* reports when the ring takes a packet */
	u64 absent;			/* ns between packets to station 3, which the driver discards */
	u64 uplink;			/* ns of a foreign frame behind each exchange */
	bool hears;			/* the host knows of them */
	bool no_settle;			/* nothing tells batches but time */
	/* state */
	struct at_governor *g;
	struct frame ring[RING], air[256];
	struct report reports[WAITING];
	u32 in_ring, in_air, n_reports, turn;
	u64 now, busy_until, foreign_until, next_ping, pings[64], n_pings, random;
	u64 next_absent, n_absent;	/* its next packet; those that wait */
	bool shut[AT_STATIONS];
	/* results */
	u64 frames[4], sent_air[4], busy, ping_sum, ping_max, ping_n, aired[4];
};

static struct house *house(void)
{
	static struct house h;
	const struct at_governor_params k = AT_GOVERNOR_DEFAULTS;

	free(h.g);
	memset(&h, 0, sizeof(h));
	h.k = k;
	h.k.stations = 4;
	h.n_sta = 2;
	/* single frames at 54 and at 6 Mb/s */
	h.head[0] = h.head[1] = 100000;
	h.each[0] = 230000;
	h.each[1] = 2060000;
	h.aggregate = 1;
	h.random = 1;
	return &h;
}

/* No limit but the ring. */
static void no_limit(struct house *h)
{
	h->k.inflight = h->k.inflight_station = h->k.stale = 3000000000u;
	h->k.expiry = 4000000000u;
}

/* 130 Mb/s: 32 frames in 3.2 ms. */
static void aggregates(struct house *h)
{
	h->aggregate = 32;
	for (u32 i = 0; i < 4; i++) {
		h->head[i] = 160000;
		h->each[i] = 95000;
	}
}

static void report_at(struct house *h, u64 at, u64 record)
{
	u32 i = h->n_reports++;

	CHECK(i < WAITING);
	if (h->gather)
		at = (at / h->gather + 1) * h->gather;
	h->reports[i] = (struct report){ at, record };
}

static void push_frame(struct house *h, u16 sta, u64 arrived)
{
	u64 est = h->est[sta] ? h->est[sta] : h->head[sta] / h->aggregate + h->each[sta];
	u64 record = at_governor_left(h->g, sta, 1500, est, 0, h->now);

	CHECK(record);
	if (h->absent && sta == 3) {
		at_governor_done(h->g, record, false, h->now);
		return;
	}
	h->ring[h->in_ring++] = (struct frame){ record, arrived, sta };
	if (h->orphan)
		at_governor_done(h->g, record, true, h->now);
}

static void gates(struct house *h)
{
	u16 sta;
	bool open;

	while (at_governor_gates(h->g, &sta, &open))
		h->shut[sta] = !open;
}

static void fill(struct house *h)
{
	for (;;) {
		u32 tried = 0;

		gates(h);
		if (!at_governor_open(h->g) || h->in_ring == RING)
			return;
		if (h->n_pings && !h->shut[0]) {
			push_frame(h, 0, h->pings[0]);
			memmove(h->pings, h->pings + 1, --h->n_pings * sizeof(h->pings[0]));
			continue;
		}
		if (h->n_absent && !h->shut[3]) {
			h->n_absent--;
			push_frame(h, 3, 0);
			continue;
		}
		while (tried < h->n_sta && h->shut[h->turn]) {
			h->turn = (h->turn + 1) % h->n_sta;
			tried++;
		}
		if (tried == h->n_sta)
			return;
		push_frame(h, (u16)h->turn, 0);
		h->turn = (h->turn + 1) % h->n_sta;
	}
}

static bool sleeps(const struct house *h, u16 sta)
{
	return sta == 1 && h->now >= h->asleep && h->now < h->awake;
}

static void begin_exchange(struct house *h)
{
	u32 i = 0, kept = 0;
	u16 sta;

	while (i < h->in_ring && sleeps(h, h->ring[i].sta))
		i++;
	if (i == h->in_ring)
		return;
	sta = h->ring[i].sta;
	for (i = 0; i < h->in_ring; i++)
		if (h->ring[i].sta == sta && h->in_air < h->aggregate)
			h->air[h->in_air++] = h->ring[i];
		else
			h->ring[kept++] = h->ring[i];
	h->in_ring = kept;
	h->busy_until = h->now + h->head[sta] + h->in_air * h->each[sta];
	h->busy += h->busy_until - h->now;
	h->sent_air[sta] += h->busy_until - h->now;
	h->frames[sta] += h->in_air;
}

static void end_exchange(struct house *h)
{
	for (u32 i = 0; i < h->in_air; i++) {
		const struct frame *f = &h->air[i];

		if (f->arrived && f->arrived > 2 * SEC) {
			u64 delay = h->now - f->arrived;

			h->ping_sum += delay;
			h->ping_n++;
			h->ping_max = h->ping_max < delay ? delay : h->ping_max;
		}
		if (!h->orphan && below(&h->random, 1000) >= h->lost)
			report_at(h, h->now + h->delay, f->record);
	}
	h->in_air = 0;
	h->foreign_until = h->uplink ? h->now + h->uplink : 0;
}

static void take_reports(struct house *h)
{
	u32 kept = 0, came = 0;

	for (u32 i = 0; i < h->n_reports; i++)
		if (h->reports[i].at <= h->now) {
			at_governor_done(h->g, h->reports[i].record, true, h->now);
			came++;
		} else {
			h->reports[kept++] = h->reports[i];
		}
	h->n_reports = kept;
	if (came && !h->no_settle)
		at_governor_settle(h->g);
}

static u64 next_event(const struct house *h)
{
	u64 at = at_governor_wake(h->g);

	at = h->next_ping < at ? h->next_ping : at;
	if (h->absent)
		at = h->next_absent < at ? h->next_absent : at;
	if (h->in_air)
		at = h->busy_until < at ? h->busy_until : at;
	if (h->foreign_until)
		at = h->foreign_until < at ? h->foreign_until : at;
	for (u32 i = 0; i < h->n_reports; i++)
		at = h->reports[i].at < at ? h->reports[i].at : at;
	if (h->now < h->awake)
		at = h->awake < at ? h->awake : at;
	return at;
}

static void run(struct house *h, u64 until)
{
	if (!h->g) {
		CHECK(!at_governor_check(&h->k));
		h->g = at_governor_init(malloc((size_t)at_governor_size(&h->k)), &h->k, 0);
		h->next_ping = 10 * MS;
		h->next_absent = h->absent;
	}
	memset(h->frames, 0, sizeof(h->frames));
	memset(h->aired, 0, sizeof(h->aired));
	memset(h->sent_air, 0, sizeof(h->sent_air));
	h->busy = h->ping_sum = h->ping_n = h->ping_max = 0;
	while (h->now < until) {
		struct at_air a;

		if (h->in_air && h->busy_until == h->now)
			end_exchange(h);
		if (h->foreign_until == h->now) {
			if (h->hears && h->now)
				at_governor_heard(h->g, h->uplink, h->now);
			h->foreign_until = 0;
		}
		take_reports(h);
		if (h->next_ping == h->now) {
			h->next_ping += 10 * MS;
			if (h->n_pings < 64)
				h->pings[h->n_pings++] = h->now;
		}
		if (h->absent && h->next_absent == h->now) {
			h->next_absent += h->absent;
			h->n_absent += h->n_absent < 64;
		}
		at_governor_tick(h->g, h->now);
		while (at_governor_air(h->g, &a))
			;
		fill(h);
		if (!h->in_air && !h->foreign_until)
			begin_exchange(h);
		h->now = next_event(h);
	}
}

/* From 2 s, when all is learned, to 6 s. */
static struct house *measured(struct house *h)
{
	run(h, 2 * SEC);
	run(h, 6 * SEC);
	return h;
}

static double ping_ms(const struct house *h)
{
	CHECK(h->ping_n);
	return (double)h->ping_sum / (double)h->ping_n / 1e6;
}

/* Frames a second that all stations got. */
static double goodput(const struct house *h)
{
	return (double)(h->frames[0] + h->frames[1] + h->frames[2] + h->frames[3]) / 4;
}

static void say(const char *what, const struct house *h)
{
	struct at_governor_now n = now_of(h->g);
	struct at_governor_stats s = stats_of(h->g);

	if (getenv("AT_SHOW"))
		printf("%-28s %6.0f + %6.0f frames/s  busy %.3f  ping %7.2f / %7.2f ms  %s floor %u"
		       "  valid %llu early %llu late %llu expired %llu\n", what,
		       (double)h->frames[0] / 4, (double)h->frames[1] / 4, (double)h->busy / 4e9,
		       ping_ms(h), (double)h->ping_max / 1e6, n.mode ? "paced" : "measured", n.floor,
		       (unsigned long long)s.valid, (unsigned long long)s.early,
		       (unsigned long long)s.late, (unsigned long long)s.expired);
}

/* The delay is about the limit, and the goodput that without. */
static void limits(void)
{
	static const u32 ms[] = { 2, 4, 8 };
	struct house *h = house();
	double without;

	no_limit(h);
	measured(h);
	say("no limit", h);
	without = goodput(h);
	CHECK(ping_ms(h) > 100);
	for (u32 i = 0; i < 3; i++) {
		char name[32];

		h = house();
		h->k.inflight = ms[i] * 1000000;
		h->k.inflight_station = h->k.inflight < h->k.inflight_station ? h->k.inflight : h->k.inflight_station;
		measured(h);
		snprintf(name, sizeof(name), "%u ms", ms[i]);
		say(name, h);
		CHECK(goodput(h) > 0.99 * without);
		CHECK(ping_ms(h) < ms[i] + 4.6);	/* two frames at 6 Mb/s */
		CHECK_EQ(now_of(h->g).mode, AT_GOVERNOR_MEASURED);
	}
}

/* A limit holds one maximum aggregate, or costs goodput. */
static void aggregate(void)
{
	static const u32 ms[] = { 1, 2, 4 };
	struct house *h = house();
	double without;

	no_limit(h);
	aggregates(h);
	h->n_sta = 1;
	without = goodput(measured(h));
	say("aggregates, no limit", h);
	for (u32 i = 0; i < 4; i++) {
		struct at_link l = { .sta = 0, .here = true, .ampdu_frames = 32, .ampdu_ns = 3200000 };
		char name[32];

		h = house();
		aggregates(h);
		h->n_sta = 1;
		if (i < 3)
			h->k.inflight = h->k.inflight_station = ms[i] * 1000000;
		else
			h->k.inflight = h->k.inflight_station = 1000000;
		run(h, 1);
		if (i == 3)
			at_governor_link(h->g, &l, h->now);
		measured(h);
		snprintf(name, sizeof(name), i < 3 ? "aggregates, %u ms" : "aggregates, 1 ms and link", ms[i % 3]);
		say(name, h);
		CHECK(goodput(h) > 0.99 * without);
	}
	/* two stations: 4 ms in all would be half an aggregate each */
	for (u32 i = 0; i < 2; i++) {
		h = house();
		aggregates(h);
		h->k.inflight = i ? 8000000 : 4000000;
		measured(h);
		say(i ? "two stations, 8 ms" : "two stations, 4 ms", h);
		CHECK(goodput(h) > 0.997 * without);
	}
}

/* Who sleeps costs the others nothing; without the station's budget, everything. */
static void sleeping(void)
{
	double alone;

	struct house *h = house();

	h->n_sta = 1;
	alone = goodput(measured(h));
	for (u32 capped = 0; capped < 2; capped++) {
		h = house();
		h->each[1] = h->each[0];
		h->asleep = 2 * SEC;
		h->awake = 6 * SEC;
		if (!capped) {
			h->k.inflight_station = h->k.inflight;
			h->k.stale = h->k.counted = 400000000;
		}
		measured(h);
		say(capped ? "asleep" : "asleep, no station's budget", h);
		/* `counted` ends it at last */
		CHECK(capped ? (double)h->frames[0] / 4 > 0.99 * alone : (double)h->frames[0] / 4 < 0.92 * alone);
		if (!capped)
			continue;
		CHECK(ping_ms(h) < 9 && h->ping_max < 40 * MS);
		/* 4 ms, a quarter more on trial, and four packets for each expiry */
		CHECK(stats_of(h->g).expired <= 5000000 / 330000 + 1 + 4 * 8);
		run(h, 7 * SEC);	/* awake */
		run(h, 11 * SEC);
		CHECK(h->frames[1] > 0.9 * (double)h->frames[0]);
		CHECK_EQ(now_of(h->g).mode, AT_GOVERNOR_MEASURED);
	}
}

static void near(double is, double want, double tolerance)
{
	if (is < want * (1 - tolerance) || is > want * (1 + tolerance)) {
		fprintf(stderr, "%f, not %f within %f\n", is, want, tolerance);
		CHECK(0);
	}
}

/* Learned rates are those of the exchanges, and what is charged is what was busy,
 * however completions come. */
static void learning(void)
{
	for (u32 way = 0; way < 4; way++) {
		struct house *h = house();
		u64 before[2], charged[2];

		if (way != 1)
			aggregates(h);
		h->each[1] = 8 * h->each[0];	/* an aggregate of 24 ms: the ring gives less */
		h->est[0] = h->est[1] = 282000;	/* the host knows nothing */
		h->no_settle = way == 2;
		h->gather = way == 3 ? 1000000 : 0;
		run(h, 2 * SEC);
		for (u32 i = 0; i < 2; i++)
			before[i] = sta_of(h->g, (u16)i).air;
		run(h, 6 * SEC);
		say(way == 0 ? "learning, aggregates" : way == 1 ? "learning, single frames" :
		    way == 2 ? "learning, told by time" : "learning, gathered 1 ms", h);
		for (u32 i = 0; i < 2; i++) {
			double true_kbps = 12e9 * (double)h->frames[i] / (double)h->sent_air[i];

			charged[i] = sta_of(h->g, (u16)i).air - before[i];
			near(sta_of(h->g, (u16)i).rate_kbps, true_kbps, way == 3 ? 0.2 : 0.05);
			near((double)charged[i], (double)h->sent_air[i], way == 3 ? 0.1 : 0.02);
		}
		near((double)(charged[0] + charged[1]), (double)h->busy, 0.01);
	}
}

/* Uplink frames are in what is learned, unless they are told. */
static void uplink(void)
{
	for (u32 hears = 0; hears < 2; hears++) {
		struct house *h = house();

		h->n_sta = 1;
		h->uplink = 79000;
		h->hears = hears;
		measured(h);
		say(hears ? "uplink, heard" : "uplink", h);
		near(sta_of(h->g, 0).rate_kbps, hears ? 12e6 / 330 : 12e6 / 409, 0.01);
	}
}

/* Aggregates to two stations, reported late: never fewer are outstanding than one
 * aggregate in all, so that each round of what is late and what it takes carries one. */
static void late_aggregates(void)
{
	static const u64 delay[] = { 2000000, 10000000 };

	for (u32 i = 0; i < 2; i++) {
		struct at_link l = { .here = true, .ampdu_frames = 32, .ampdu_ns = 3200000 };
		struct house *h = house();

		aggregates(h);
		h->delay = delay[i];
		run(h, 1);
		for (; l.sta < 2; l.sta++)
			at_governor_link(h->g, &l, h->now);
		measured(h);
		say(i ? "two stations, 10 ms late" : "two stations, 2 ms late", h);
		CHECK(goodput(h) > 32e9 / (3.2e6 + (double)delay[i]));
		CHECK(ping_ms(h) < 15);
	}
}

/* Completions later than the limit: the floor grows until they cost nothing. */
static void latency(void)
{
	static const u64 delay[] = { 10000000, 4000000 };

	for (u32 i = 0; i < 4; i++) {
		struct house *h = house();
		double without;

		no_limit(h);
		h->n_sta = 1;
		h->each[0] = i < 2 ? 230000 : 4900000;
		without = goodput(measured(h));
		h = house();
		h->n_sta = 1;
		h->each[0] = i < 2 ? 230000 : 4900000;
		h->est[0] = 282000;
		h->delay = delay[i % 2];
		run(h, 5 * SEC);
		h->now = 5 * SEC > h->now ? 5 * SEC : h->now;
		run(h, 9 * SEC);
		say(i < 2 ? "completions 10, 4 ms late" : "and 5 ms a frame", h);
		CHECK(goodput(h) > 0.9 * without);
		CHECK(ping_ms(h) < 30);
	}
	/* where nothing is late it stays */
	struct house *h = house();

	h->n_sta = 1;
	h->each[0] = 3900000;
	h->est[0] = 282000;
	measured(h);
	say("4 ms a frame, not late", h);
	CHECK(now_of(h->g).floor <= 3);
	CHECK(goodput(h) > 249);
}

/* No backpressure below: the airtime model paces, as well as it knows. */
static void orphaned(void)
{
	struct house *h = house();
	double without;

	no_limit(h);
	without = goodput(measured(h));
	h = house();
	h->orphan = true;
	measured(h);
	say("orphaned", h);
	CHECK_EQ(now_of(h->g).mode, AT_GOVERNOR_PACED);
	CHECK(goodput(h) > 0.98 * without && ping_ms(h) < 12);
	CHECK_EQ(stats_of(h->g).valid, 0);
	/* before anybody has judged: the ring never had more than the budgets */
	h = house();
	h->orphan = true;
	for (u32 i = 1; i < 40; i++) {
		run(h, i * MS);
		CHECK(h->in_ring + h->in_air <= 8000000 / 330000 + 2);
	}
	CHECK_EQ(stats_of(h->g).turns, 1);
}

/* Lost completions stall nothing beyond the expiry. */
static void losses(void)
{
	static const u32 lost[] = { 20, 100, 1000 };
	double without;

	struct house *h = house();

	no_limit(h);
	h->n_sta = 1;
	without = goodput(measured(h));
	for (u32 i = 0; i < 3; i++) {
		char name[32];

		h = house();
		h->n_sta = 1;
		h->lost = lost[i];
		measured(h);
		snprintf(name, sizeof(name), "lost %u in 1000", lost[i]);
		say(name, h);
		CHECK(goodput(h) > (lost[i] == 100 ? 0.9 : 0.98) * without);
		CHECK(ping_ms(h) < 12);
		CHECK_EQ(now_of(h->g).mode, lost[i] == 1000 ? AT_GOVERNOR_PACED : AT_GOVERNOR_MEASURED);
	}
	/* they come again, and are believed again */
	h->lost = 0;
	run(h, 7 * SEC);
	CHECK_EQ(now_of(h->g).mode, AT_GOVERNOR_MEASURED);
}

/* A driver discards at once 2,000 packets a second for an absent station: the wait of a ping to
 * another station stays within 10 %, and the goodput within 1 %. */
static void absent(void)
{
	for (u32 i = 0; i < 4; i++) {
		double alone, ping;
		struct house *h;

		for (u32 flood = 0; flood < 2; flood++) {
			h = house();
			if (i % 2)
				aggregates(h);
			h->each[3] = i < 2 ? 50000 : 500000;
			h->absent = flood ? SEC / 2000 : 0;
			measured(h);
			say(flood ? "2000 packets/s to nobody" : "none to nobody", h);
			if (!flood) {
				alone = goodput(h);
				ping = ping_ms(h);
			}
		}
		near(goodput(h), alone, 0.01);
		near(ping_ms(h), ping, 0.1);
		CHECK_EQ(now_of(h->g).mode, AT_GOVERNOR_MEASURED);
		CHECK(at_governor_paced(h->g, 3) && !at_governor_paced(h->g, 0) && !at_governor_paced(h->g, 1));
	}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	CASE(limits());
	CASE(aggregate());
	CASE(sleeping());
	CASE(learning());
	CASE(uplink());
	CASE(late_aggregates());
	CASE(latency());
	CASE(orphaned());
	CASE(losses());
	CASE(absent());
	free(house()->g);
	return 0;
}
