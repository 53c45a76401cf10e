/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * CBT: shares of the link, or of the air, and delays, of sources that do not slow down.
 * Expected values are those of Parris's equations and of an independent simulation of the
 * pseudocode.
 */
#include <math.h>

#include "harness.h"

enum { SOURCES = 3 };

/* Packets of a size, a period apart, each up to `jitter` of that early or late. */
struct source {
	u32 bytes;
	double rate;			/* bytes/s, or parts of the air */
	double kbps;			/* of its station; 0: the link is a wire */
	/* of the run */
	double next, period, sent, waited, held;
	u32 packets;
};

struct run {
	struct host h;
	double wire;			/* bytes/s */
	double jitter, warm, end;	/* s */
	bool behind;			/* the packet under way is in the queue until it is sent */
	u8 order[2048];			/* whose packets are queued */
	u32 in, out;
	struct source at[SOURCES];
};

/* Airtime of a packet under phy-a, beside one other station: DIFS, 3.99 slots, two preambles,
 * SIFS, the frame and an ACK of 14 bytes, s. */
static double air(double bytes, double kbps)
{
	return (28 + 261521 / 65536.0 * 9 + 20 + (bytes + 34) * 8000 / kbps + 10 + 20 +
		14 * 8000 / (kbps < 24000 ? kbps : 24000)) * 1e-6;
}

static double service(const struct run *r, const struct source *s, u32 bytes)
{
	return s->kbps > 0 ? air(bytes, s->kbps) : bytes / r->wire;
}

/* Of the packet that goes next. */
static double next_service(const struct run *r)
{
	const struct source *s = &r->at[r->order[r->out % 2048]];

	return service(r, s, s->bytes);
}

/* Opens the discipline and runs; `sent` are parts of what was sent then, `waited` s a packet. */
static void run(struct run *r, const char *args, u64 seed)
{
	double free_at = 0, all = 0, now = 0;
	u64 draws = seed;

	open_host(&r->h, "cbt", args, 2000);
	r->in = r->out = 0;
	for (u32 i = 0; i < SOURCES; i++) {
		struct at_link l = { .sta = (u16)i, .here = true, .phy = 1, .ampdu_frames = 1,
				     .rate_kbps = (u32)r->at[i].kbps };
		struct source *s = &r->at[i];

		s->period = !(s->rate > 0) ? 1e9 : s->kbps > 0 ? air(s->bytes, s->kbps) / s->rate : s->bytes / s->rate;
		s->next = s->period * ldexp((double)(rnd(&draws) >> 32), -32);
		s->sent = s->waited = s->held = 0;
		s->packets = 0;
		if (s->kbps > 0)
			r->h.q->ops->link(r->h.q, &l, 0);
	}
	while (now < r->end) {
		struct source *s = &r->at[0];
		struct at_ticket t;
		struct at_pkt *p;

		for (u32 i = 1; i < SOURCES; i++)
			if (r->at[i].next < s->next)
				s = &r->at[i];
		if (r->h.q->qlen && free_at <= s->next) {
			now = fmax(free_at, now);
			p = get(&r->h, &t, (u64)(now * 1e9));
			CHECK(p && r->order[r->out++ % 2048] == p->cls);
			s = &r->at[p->cls];
			if (!r->behind)
				free_at = now + service(r, s, p->bytes);
			else if (r->h.q->qlen)
				free_at = now + next_service(r);
			if (now < r->warm)
				continue;
			s->packets++;
			s->sent += s->kbps > 0 ? service(r, s, p->bytes) : p->bytes;
			s->waited += (r->behind ? now : free_at) - p->tcp.seq * 1e-6;
			continue;
		}
		now = fmax(now, s->next);
		free_at = fmax(free_at, now);
		p = new_pkt(&r->h, (u32)(s - r->at), s->bytes);
		p->cls = (u8)(s - r->at);
		p->sta = (u16)(s - r->at);
		p->tcp.seq = (u32)(now * 1e6);
		if (push(&r->h, p, (u64)(now * 1e9)) == AT_OK) {
			r->order[r->in++ % 2048] = p->cls;
			if (r->behind && r->h.q->qlen == 1)
				free_at = now + next_service(r);
		}
		s->next += s->period * (1 + r->jitter * (2 * ldexp((double)(rnd(&draws) >> 32), -32) - 1));
	}
	for (u32 i = 0; i < SOURCES; i++)
		all += r->at[i].sent;
	for (u32 i = 0; i < SOURCES; i++) {
		struct source *s = &r->at[i];

		s->waited /= s->packets ? s->packets : 1;
		s->held = s->sent / (r->end - r->warm);
		s->sent /= all;
	}
	close_host(&r->h);
}

static void say(const char *what, const struct run *r, double unit)
{
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "%s: %.4g / %.4g / %.4g, %.1f / %.1f / %.1f ms\n", what, r->at[0].held / unit,
			r->at[1].held / unit, r->at[2].held / unit, r->at[0].waited * 1e3, r->at[1].waited * 1e3,
			r->at[2].waited * 1e3);
}

static void near(double got, double want, double part)
{
	if (fabs(got - want) > part * want)
		fprintf(stderr, "%g, not %g: ", got, want);
	CHECK(fabs(got - want) <= part * want);
}

/* The study's demonstration: 1.25 MB/s; TCP 1600, MM 340, OTHER x KB of 1024 bytes/s, of
 * which 575, 150, 500 are theirs at 100 ms. Borrowing by Parris's (4.10) to (4.18). */
static void open_loop(void)
{
#define E06 "rate=10100000 bandwidth=4710400,1228800,4096000 packet=1507,807,1075 overhead=0 latency=100000000 limit=240 cap=0 "
#define HARD "th_min=2560550,1247370,3121340 "	/* th_max, rounded down */
	static const struct {
		const char *name, *args;
		double x, kb[3], ms, part, late;
	} want[] = {
		{ "w=1, x=0", "profile=1 weight=1/1 " HARD, 0, { 972, 253, 0 }, 59, 0.04, 0.05 },
		{ "w=1, x=250", "profile=1 weight=1/1 " HARD, 250, { 773, 202, 250 }, 75, 0.04, 0.05 },
		{ "w=1, x=800", "profile=1 weight=1/1 " HARD, 800, { 575, 150, 500 }, 100, 0.07, 0.07 },
		{ "all 1/16, x=0", "profile=1 weight=1/16 " HARD, 0, { 972, 253, 0 }, 59, 0.04, 0.05 },
		{ "all 1/16, x=800", "profile=1 weight=1/16 " HARD, 800, { 575, 150, 500 }, 100, 0.07, 0.07 },
		{ "all 1/256, x=800", "profile=1 weight=1/256 " HARD, 800, { 575, 150, 500 }, 100, 0.07, 0.09 },
		{ "paper, x=800", "profile=1 " HARD, 800, { 616, 134, 471 }, 100, 0.12, 0.25 },
		{ "paper, x=0", "profile=1 " HARD, 0, { 992, 229, 0 }, 59, 0.12, 0.25 },
	};
	static struct run r;

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		char args[400];

		r = (struct run){ .wire = 1250000, .warm = 20, .end = 80, .at = {
			{ .bytes = 1507, .rate = 1600 * 1024 }, { .bytes = 807, .rate = 340 * 1024 },
			{ .bytes = 1075, .rate = want[i].x * 1024 } } };
		snprintf(args, sizeof(args), "%s%s", E06, want[i].args);
		run(&r, args, 1);
		say(want[i].name, &r, 1024);
		for (u32 k = 0; k < 3; k++) {
			if (!(want[i].kb[k] > 0))
				continue;
			near(r.at[k].held / 1024, want[i].kb[k], want[i].part);
			near(r.at[k].waited * 1e3, want[i].ms, want[i].late);
		}
	}
}

/* Bytes and averages over time: shares by tau, at 100 and 30 ms, with sources that jitter. */
static void by_time(void)
{
	static const struct { const char *args; double kb[3], ms; } want[] = {
		{ "latency=100000000 tau=200000000", { 583, 147, 490 }, 100 },
		{ "latency=30000000 tau=200000000", { 576, 145, 500 }, 30 },
		{ "latency=100000000 tau=50000000", { 596, 153, 472 }, 100 },
		{ "latency=30000000 tau=200000000 cap=131072,262144,131072", { 576, 145, 500 }, 30 },
	};
	static struct run r;

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		double scale = strstr(want[i].args, "latency=3") ? 0.3 : 1;
		char args[400];

		r = (struct run){ .wire = 1250000, .warm = 20, .end = 80, .jitter = 0.5, .at = {
			{ .bytes = 1507, .rate = 1600 * 1024 }, { .bytes = 807, .rate = 340 * 1024 },
			{ .bytes = 1075, .rate = 800 * 1024 } } };
		snprintf(args, sizeof(args), "%s mode=2 %s th_min=%llu,%llu,%llu", E06, want[i].args,
			 (unsigned long long)(58880 * scale * 65536), (unsigned long long)(15360 * scale * 65536),
			 (unsigned long long)(51200 * scale * 65536));
		run(&r, args, 1);
		say(want[i].args, &r, 1024);
		for (u32 k = 0; k < 3; k++) {
			near(r.at[k].held / 1024, want[i].kb[k], 0.04);
			near(r.at[k].waited * 1e3, want[i].ms, 0.1);
		}
	}
}

/* Three classes of 10 packets each, one of which has packets twice as long as said: it gets
 * a half. By bytes a third. */
static void doubled(void)
{
	static struct run r;

	for (u32 mode = 1; mode <= 2; mode++) {
		double third = mode == 2 ? 1 / 3.0 : 0.25;
		char args[200];

		r = (struct run){ .wire = 1250000, .warm = 20, .end = 80, .jitter = 0.5, .at = {
			{ .bytes = 500, .rate = 900 * 1024 }, { .bytes = 500, .rate = 900 * 1024 },
			{ .bytes = 1000, .rate = 900 * 1024 } } };
		snprintf(args, sizeof(args), "overhead=0 mode=%u th_max=%u th_min=%u", mode,
			 mode == 1 ? 10 << 16 : 5000 << 16, mode == 1 ? 10 << 16 : 5000 << 16);
		run(&r, args, 1);
		say(mode == 1 ? "doubled, packets" : "doubled, bytes", &r, 1250000);
		near(r.at[0].sent, third, 0.03);
		near(r.at[1].sent, third, 0.03);
		near(r.at[2].sent, 1 - 2 * third, 0.03);
	}
}

/* Shares of the air, of packets of 200 bytes at 54, 1500 at 54 and 1500 at 6 Mb/s, that ask
 * for half and for 90 % of it: 63 %, 25 % and 12 % are theirs. At 100 and 30 ms, with the packet under way
 * in the queue, as in the simulation; then out of it, as hosts have it: it is as long as 3.6 ms of
 * queue are, so that slow ones have more. By bytes it is not those. */
static void of_the_air(void)
{
	static const double share[3][3] = {
		{ 0.615, 0.257, 0.128 }, { 0.621, 0.251, 0.128 }, { 0.613, 0.246, 0.141 },
	};
	static struct run r;

	for (u32 i = 0; i < 4; i++) {
		u32 ms = i ? 30 : 100;
		char args[300];

		r = (struct run){ .warm = 20, .end = 120, .jitter = 0.5, .behind = i != 2, .at = {
			{ .bytes = 1500, .rate = 0.9, .kbps = 54000 }, { .bytes = 200, .rate = 0.5, .kbps = 54000 },
			{ .bytes = 1500, .rate = 0.9, .kbps = 6000 } } };
		snprintf(args, sizeof(args), "latency=%u mode=3 station_rate=54000000 th_min=%llu,%llu,%llu",
			 ms * 1000000, (unsigned long long)(630 * ms) << 16, (unsigned long long)(250 * ms) << 16,
			 (unsigned long long)(120 * ms) << 16);
		if (i == 3)
			snprintf(args, sizeof(args), "mode=2 th_min=0,0,0 hard=1");
		run(&r, args, 1);
		say(i == 3 ? "air, bytes" : ms == 30 ? "air, 30 ms" : "air, 100 ms", &r, 1);
		for (u32 k = 0; k < 3 && i < 3; k++) {
			CHECK(fabs(r.at[k].sent - share[i][k]) < 0.01);
			near(r.at[k].waited, ms * 1e-3, 0.12);
		}
		CHECK(i < 3 || r.at[2].sent > 0.3);
	}
}

int main(void)
{
	CASE(open_loop());
	CASE(by_time());
	CASE(doubled());
	CASE(of_the_air());
	return 0;
}
