/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * PIE: pie.h and the discipline against RFC 8033 (rfc8033.h), and rule by rule.
 */
#include <math.h>

#include "airtab/pie.h"
#include "rfc8033.h"
#include "senders.h"

static const struct at_pie_params plain = {
	.burst = 150 * MS, .mark_below = AT_PIE_ONE / 10, .target = 15 * MS, .update = 15 * MS,
	.alpha = 1 << 21, .beta = 5 << 22, .ecn = true, .derandomize = true,
};

static double prob(const struct at_pie *c)
{
	return ldexp((double)c->prob, -AT_PIE_BITS);
}

/* ---- against the pseudocode ---- */

struct load {
	const char *args;
	double target, t_update, burst;
	bool ecn, estimate, derandomize;
	u32 limit;
};

/* Arrivals that swing slowly around one packet a ms, of 200 to 1500 bytes, half of
 * them ECN-capable, with pauses: the same packets are dropped, marked, refused and
 * sent, by the same random words. */
static void like_the_rfc(const struct load *l, u64 seed)
{
	static struct rfc8033 r;
	struct host h;
	struct at_ticket t;
	u64 now = 1, load = 0, draws = seed * 77 + 1, fates[4] = { 0 };
	u32 made = 0;
	double most = 0;

	open_host(&h, "pie", l->args, PIE_LEN);
	reopen_host(&h, seed);
	rfc8033_init(&r, seed);
	r.target = l->target;
	r.t_update = l->t_update;
	r.max_burst = r.burst_allowance = l->burst;
	r.ecn = l->ecn;
	r.estimate = l->estimate;
	r.derandomize = l->derandomize;
	r.limit = l->limit;
	for (u32 step = 0; step < 300000; step++) {
		struct at_pkt *p;

		if (step % 3000 == 0)
			load = step % 18000 ? 950 + below(&draws, 150) : 300 + below(&draws, 2500);
		now += 500000 + below(&draws, 1000000);
		if (step % 20000 == 19999)
			now += below(&draws, 3 * SEC);
		for (u32 n = 0; n < 4; n++) {
			u32 bytes = 200 + (u32)below(&draws, 1300);
			bool capable = below(&draws, 2);
			enum at_verdict verdict;
			int fate;

			if (below(&draws, 4000) >= load)
				continue;
			fate = rfc8033_enqueue(&r, bytes, capable, now);
			fates[fate]++;
			p = new_pkt(&h, 1, bytes);
			p->handle = made++;
			p->flags = capable ? AT_F_ECT : 0;
			verdict = push(&h, p, now);
			CHECK_EQ(verdict, fate == DROP || fate == TAIL_DROP ? AT_DROPPED : AT_OK);
			CHECK_EQ(!!(p->flags & AT_F_CE), fate == MARK);
			if (verdict == AT_DROPPED)
				CHECK_EQ(h.last_why, fate == DROP ? AT_R_EARLY : AT_R_LIMIT);
		}
		p = get(&h, &t, now);
		CHECK_EQ(p ? p->handle : ~(u32)0, rfc8033_dequeue(&r, now));
		CHECK(!t.gen);
		CHECK(llabs((s64)stat(&h, "probability") - (s64)(r.drop_prob * 1e6)) <= 1);
		CHECK(llabs((s64)stat(&h, "delay") - (s64)(r.current_qdelay * 1e9)) <=
		      1000 + (s64)(r.current_qdelay * 1e4));
		most = r.drop_prob > most ? r.drop_prob : most;
	}
	/* all ways were gone */
	CHECK(fates[DROP] > 3000 && most > 0.2);
	CHECK((fates[MARK] > 500) == l->ecn);
	CHECK(l->limit > 100 || fates[TAIL_DROP] > 1000);
	CHECK_EQ(stat(&h, "marks"), fates[MARK]);
	CHECK_EQ(stat(&h, "early_drops"), fates[DROP]);
	close_host(&h);
}

static const struct load loads[] = {
	{ "", 0.015, 0.015, 0.15, true, false, true, 1000 },
	{ "ecn=0 derandomize=0", 0.015, 0.015, 0.15, false, false, false, 1000 },
	{ "limit=40", 0.015, 0.015, 0.15, true, false, true, 40 },
	{ "delay=1", 0.015, 0.015, 0.15, true, true, true, 1000 },
	/* Linux 3.17 */
	{ "delay=1 target=20000000 tupdate=30000000 burst=100000000 ecn=0 derandomize=0",
	  0.020, 0.030, 0.1, false, true, false, 1000 },
};

/* Delays, parameters and pauses at random: the probability is that of double
 * precision to 1e-4 of itself, whatever came before. */
static void precision(void)
{
	u64 draws = 1;
	double worst = 0;
	u32 seen = 0;

	for (u32 round = 0; round < 300; round++) {
		static struct rfc8033 r;
		struct at_pie_params k = plain;
		struct at_pie c;

		rfc8033_init(&r, 0);
		if (round % 3) {
			k.alpha = 1 + (u32)below(&draws, 1 << (10 + round % 16));
			k.beta = 1 + (u32)below(&draws, 1 << (10 + round % 18));
			k.target = 1000 + (u32)below(&draws, 100000000);
		}
		r.alpha = k.alpha / 16777216.0;
		r.beta = k.beta / 16777216.0;
		r.target = k.target * 1e-9;
		at_pie_begin(&k, &c, 0);
		for (u32 i = 0; i < 2000; i++) {
			u64 most = k.target * (2 + 3 * (u64)(i % 400 < 200));

			c.delay = i % 1000 < 900 ? below(&draws, most) : 0;
			r.current_qdelay = (double)c.delay * 1e-9;
			at_pie_update(&k, &c, 0);
			calculate_drop_prob(&r);
			if (r.drop_prob > 1e-7) {
				double off = fabs(prob(&c) / r.drop_prob - 1);

				worst = off > worst ? off : worst;
				seen++;
			} else {
				CHECK(prob(&c) < 2e-7);
			}
		}
	}
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "pie: %u probabilities, off by %.2g of themselves at most\n", seen, worst);
	CHECK(seen > 100000 && worst < 1e-4);
}

/* What is queued over a measured rate, against double precision. */
static void rate_precision(void)
{
	u64 draws = 1;

	for (u32 i = 0; i < 100000; i++) {
		struct at_pie c = { .counted = AT_PIE_CYCLE + (u32)below(&draws, 65536) };
		u64 ns = below(&draws, (u64)1 << (1 + i % 32)), queued = below(&draws, (u64)1 << (1 + i % 31));
		double rate = c.counted / (double)(ns + !ns), delay = (double)queued / rate;

		at_pie_measured(&c, ns);
		if (delay > (double)AT_PIE_DELAY)
			delay = (double)AT_PIE_DELAY;
		CHECK(fabs((double)at_pie_drain_ns(&c, queued) - delay) <= 1 + delay * 1e-4);
	}
}

/* ---- updates ---- */

/* By hand: 30 ms at once, and again; 40 ms; then nothing. */
static void first_steps(void)
{
	static const struct { u64 delay; double prob; } want[] = {
		{ 30 * MS, 0.039375 / 2048 },
		{ 30 * MS, 0.039375 / 2048 + 0.001875 / 128 },
		{ 40 * MS, 0.039375 / 2048 + 0.001875 / 128 + 0.015625 / 128 },
		{ 0, 0 },
	};
	struct at_pie c;

	at_pie_begin(&plain, &c, 0);
	for (u32 i = 0; i < 4; i++) {
		c.delay = want[i].delay;
		at_pie_update(&plain, &c, 0);
		CHECK(fabs(prob(&c) - want[i].prob) < 1e-13);
		CHECK_EQ(c.before, want[i].delay);
		CHECK_EQ(c.burst, (135 - 15 * i) * MS);
	}
}

/* Divisors of a step, at the limits of their ranges. */
static void ladder(void)
{
	static const u64 limits[] = { 1000000, 100000, 10000, 1000, 100, 10 };
	static const u32 shifts[] = { 11, 9, 7, 5, 3, 1, 0 };

	CHECK_EQ(at_pie_ladder(0), 11);
	for (u32 i = 0; i < 6; i++) {
		CHECK_EQ(at_pie_ladder(AT_PIE_ONE / limits[i] - 1), shifts[i]);
		CHECK_EQ(at_pie_ladder(AT_PIE_ONE / limits[i]), shifts[i + 1]);
	}
	CHECK_EQ(at_pie_ladder(AT_PIE_ONE), 0);
}

/* Up by 0.02 at most once it is 0.1, to 1 at most; down without bound, to 0 at
 * least; by a 64th more where there is no delay twice. */
static void bounds(void)
{
	struct at_pie c;

	at_pie_begin(&plain, &c, 0);
	c.prob = AT_PIE_ONE / 10;
	c.delay = SEC;
	at_pie_update(&plain, &c, 0);
	CHECK(fabs(prob(&c) - 0.12) < 1e-12);
	for (u32 i = 0; i < 60; i++)
		at_pie_update(&plain, &c, 0);
	CHECK_EQ(c.prob, AT_PIE_ONE);
	c.delay = 0;
	at_pie_update(&plain, &c, 0);		/* 0.125 * 0.015 + 1.25 */
	CHECK_EQ(c.prob, 0);
	c.prob = AT_PIE_ONE / 2;
	at_pie_update(&plain, &c, 0);
	CHECK(fabs(prob(&c) - (0.5 - 0.001875) * 63 / 64) < 1e-12);
	c.delay = 1;
	at_pie_update(&plain, &c, 0);
	CHECK(fabs(prob(&c) - ((0.5 - 0.001875) * 63 / 64 - 0.001875)) < 1e-8);
}

/* Once many are due, or each when it is due: the same. A time at which they change
 * nothing more is passed at once, in step. */
static void made_up(void)
{
	u64 draws = 1;

	for (u32 round = 0; round < 200; round++) {
		struct at_pie a, b;
		u64 now = below(&draws, 100 * MS), gap = below(&draws, 8 * SEC), end = now + gap;

		at_pie_begin(&plain, &a, now);
		a.prob = below(&draws, AT_PIE_ONE);
		a.delay = below(&draws, 3) * below(&draws, 20 * MS);
		b = a;
		for (u64 t = now; t < end; t += 1 + below(&draws, 40 * MS))
			at_pie_catch_up(&plain, &a, 0, t);
		at_pie_catch_up(&plain, &a, 0, end);
		at_pie_catch_up(&plain, &b, 0, end);
		CHECK(!memcmp(&a, &b, sizeof(a)));
		CHECK(a.next > end && a.next - end <= plain.update);
		CHECK_EQ((a.next - now) % plain.update, 0);
	}
}

/* An alpha of next to nothing would take a million of them. */
static void made_up_in_bounds(void)
{
	struct at_pie_params k = plain;
	struct at_pie c;

	k.alpha = 1;
	k.beta = 0;
	at_pie_begin(&k, &c, 0);
	c.prob = AT_PIE_ONE / 2;
	c.delay = c.before = 1;
	at_pie_catch_up(&k, &c, 0, 3600 * SEC);
	CHECK_EQ((AT_PIE_ONE / 2 - c.prob) / (at_pie_step(15 * MS - 1)), AT_PIE_MOST);
	CHECK_EQ(c.next, 3600 * SEC + 15 * MS);
}

/* ---- the discipline ---- */

/* RFC 8033's figures; they are Linux's too, but that it has no ECN. */
static void defaults(void)
{
	static const struct {
		const char *name;
		u64 value;
	} expected[] = {
		{ "limit", 1000 }, { "target", 15 * MS }, { "tupdate", 15 * MS }, { "alpha", 125000 },
		{ "beta", 1250000 }, { "burst", 150 * MS }, { "delay", 0 }, { "ecn", 1 },
		{ "mark_ecnth", 100000 }, { "derandomize", 1 },
	};
	const struct at_ops *ops = find_ops("pie");

	for (u32 i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		CHECK(!strcmp(ops->params[i].name, expected[i].name));
		CHECK_EQ(ops->params[i].def, expected[i].value);
	}
	CHECK(!ops->params[sizeof(expected) / sizeof(expected[0])].name);
}

/* 40 wait, 40 ms; nothing is dropped in the first 150 ms, nor again after a reset. */
static void burst(void)
{
	struct host h;

	open_host(&h, "pie", "derandomize=0 alpha=16000000 beta=0", 100);
	CHECK_EQ(drops_with(&h, 40, 0, 149, 0), 0);
	CHECK(stat(&h, "burst_left") == 15 * MS && stat(&h, "probability") > 200000);
	CHECK(drops_with(&h, 40, 149 * MS, 51, 0) > 20);
	CHECK_EQ(h.last_why, AT_R_EARLY);
	h.q->ops->reset(h.q, SEC);
	CHECK_EQ(stat(&h, "probability") + stat(&h, "delay"), 0);
	h.drops = 0;
	CHECK_EQ(drops_with(&h, 40, SEC, 149, 0), 0);
	CHECK(drops_with(&h, 40, SEC + 149 * MS, 51, 0) > 20);
	close_host(&h);
}

/* With two packets queued none is dropped, whatever the delay and the probability. */
static void two_packets(void)
{
	struct host h;
	struct at_ticket t;
	u64 now = 0;

	open_host(&h, "pie", "burst=0 derandomize=0 alpha=16000000", 16);
	for (u32 i = 0; i < 3; i++)
		put(&h, 1, 1514, now);
	while (stat(&h, "probability") < 1000000) {
		now += 20 * MS;
		CHECK(get(&h, &t, now));
		while (h.q->qlen < 2)
			CHECK_EQ(put(&h, 1, 1514, now), AT_OK);
		CHECK(now < SEC);
	}
	CHECK_EQ(put(&h, 1, 1514, now), AT_OK);
	CHECK_EQ(put(&h, 1, 1514, now), AT_DROPPED);
	close_host(&h);
}

/* With p = 0.25 none goes before the fourth packet since the last one, as their
 * probabilities must add up to 0.85; without that, at any time. */
static void spread(void)
{
	u32 least[2] = { 99, 99 };

	for (u32 i = 0; i < 2; i++) {
		struct at_pie_params k = plain;
		struct at_pie c;
		u64 random = 7;
		u32 run = 0, drops = 0;

		k.burst = 0;
		k.derandomize = !i;
		at_pie_begin(&k, &c, 0);
		c.prob = AT_PIE_ONE / 4;
		c.before = c.delay = 30 * MS;
		for (u32 n = 0; n < 10000; n++) {
			run++;
			if (!at_pie_signals(&k, &c, 30000, &random))
				continue;
			least[i] = run < least[i] ? run : least[i];
			CHECK(!k.derandomize || run <= 34);	/* 8.5 / 0.25 */
			run = 0;
			drops++;
		}
		CHECK(i ? drops > 2300 && drops < 2700 : drops > 1300 && drops < 1700);
	}
	CHECK_EQ(least[0], 4);
	CHECK_EQ(least[1], 1);
}

/* Once they add up to 8.5 it goes and nothing is drawn; with p = 0.01 nothing is
 * drawn for the next 84 packets. */
static void eight_and_a_half(void)
{
	struct at_pie_params k = plain;
	struct at_pie c;
	u64 random = 0;

	k.burst = 0;
	at_pie_begin(&k, &c, 0);
	c.prob = AT_PIE_ONE / 100 + 1;
	c.before = c.delay = 30 * MS;
	c.sum = AT_PIE_ONE / 2 * 17 - c.prob;
	CHECK(at_pie_signals(&k, &c, 30000, &random));
	CHECK(random == 0 && c.sum == 0);
	for (u32 n = 0; n < 84; n++)
		CHECK(!at_pie_signals(&k, &c, 30000, &random) && random == 0);
}

/* Below half the target nothing is dropped up to a probability of 0.2; marks below
 * 0.1, drops from there on. */
static void by_probability(void)
{
	struct at_pie_params k = plain;
	struct at_pie c;
	struct at_pkt p = { .flags = AT_F_ECT };
	u64 random = 0, sum = AT_PIE_ONE * 9;

	k.burst = 0;
	at_pie_begin(&k, &c, 0);
	c.prob = AT_PIE_ONE / 5 - 1;
	c.delay = 30 * MS;
	c.before = 7500000 - 1;
	c.sum = sum;
	CHECK(!at_pie_signals(&k, &c, 30000, &random));
	c.before++;
	CHECK(at_pie_signals(&k, &c, 30000, &random));
	c.before--;
	c.prob++;
	c.sum = sum;
	CHECK(at_pie_signals(&k, &c, 30000, &random));
	CHECK(!at_pie_marks(&k, &c, &p) && !(p.flags & AT_F_CE));
	c.prob = AT_PIE_ONE / 10;
	CHECK(!at_pie_marks(&k, &c, &p));
	c.prob--;
	CHECK(at_pie_marks(&k, &c, &p) && (p.flags & AT_F_CE));
}

/* A full queue refuses who comes, and a lower limit drops the oldest. */
static void full(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "pie", "limit=3", 16);
	for (u32 f = 1; f <= 3; f++)
		CHECK_EQ(put(&h, f, 1500, 0), AT_OK);
	CHECK_EQ(put(&h, 4, 1500, 0), AT_DROPPED);
	CHECK(h.last_drop->flow == 4 && h.last_why == AT_R_LIMIT);
	change(&h, "limit=2", 0);
	CHECK(h.last_drop->flow == 1 && h.last_why == AT_R_LIMIT);
	CHECK_EQ(get(&h, &t, 0)->flow, 2);
	CHECK_EQ(get(&h, &t, 0)->flow, 3);
	CHECK(!get(&h, &t, 0));
	close_host(&h);
}

/* 1500 bytes a ms, 30 packets queued: 11 of them are a cycle, 1.5 bytes a us. What
 * is handed over leaves out of it. */
static void measured_rate(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "pie", "delay=1", 64);
	for (u32 i = 0; i < 30; i++)
		put(&h, 1, 1500, 0);
	for (u32 ms = 1; ms <= 12; ms++) {
		CHECK_EQ(stat(&h, "rate"), 0);
		CHECK(get(&h, &t, ms * MS));
	}
	CHECK(stat(&h, "rate") / 1000 == 11999 || stat(&h, "rate") == 12000000);
	/* 18 are left at 15 ms */
	h.now = 15 * MS;
	CHECK(llabs((s64)stat(&h, "delay") - 18 * (s64)MS) < 100);
	for (u32 ms = 16; ms < 20; ms++)
		CHECK(get(&h, &t, ms * MS));
	for (u32 i = 0; i < 10; i++)
		give_back(&h, h.q->ops->drain(h.q));
	for (u32 i = 0; i < 30; i++)
		put(&h, 1, 1500, 20 * MS);
	for (u32 ms = 21; ms <= 32; ms++)
		CHECK(get(&h, &t, ms * MS));
	CHECK(stat(&h, "rate") / 1000 == 11999 || stat(&h, "rate") == 12000000);
	/* the other way to take the delay has no rate */
	change(&h, "delay=0", 32 * MS);
	CHECK_EQ(stat(&h, "rate"), 0);
	close_host(&h);
}

/* Aggregates of 32 packets leave at once, every 32 ms; two packets come each ms. By
 * timestamps the queue is kept short; the rate is without end and nothing is
 * dropped but what is too much for the queue. */
static void batches(void)
{
	static const char *const args[] = { "", "delay=1" };

	for (u32 i = 0; i < 2; i++) {
		struct host h;
		struct at_ticket t;

		open_host(&h, "pie", args[i], 1100);
		for (u32 ms = 0; ms < 20000; ms++) {
			for (u32 n = 0; n < 2; n++)
				put(&h, 1, 1500, ms * MS);
			for (u32 n = 0; n < 32 && ms % 32 == 31; n++)
				get(&h, &t, ms * MS);
		}
		CHECK(i ? h.q->dropped[AT_R_EARLY] == 0 : h.q->dropped[AT_R_EARLY] > 15000);
		CHECK(i ? h.q->qlen > 900 : h.q->qlen < 900);
		CHECK(i ? stat(&h, "delay") < 1000 : stat(&h, "delay") > MS);
		close_host(&h);
	}
}

/* A hand-over that empties the queue leaves no delay. */
static void emptied(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "pie", "", 8);
	for (u32 i = 0; i < 4; i++)
		put(&h, 1, 1500, 0);
	get(&h, &t, 10 * MS);
	CHECK_EQ(stat(&h, "delay"), 10 * MS);
	give_back(&h, h.q->ops->drain(h.q));
	CHECK_EQ(stat(&h, "delay"), 10 * MS);
	while (h.q->qlen)
		give_back(&h, h.q->ops->drain(h.q));
	CHECK(!h.q->ops->drain(h.q));
	CHECK_EQ(stat(&h, "delay"), 0);
	put(&h, 1, 1500, 11 * MS);
	get(&h, &t, 14 * MS);
	CHECK_EQ(stat(&h, "delay"), 0);		/* the last one */
	close_host(&h);
}

/* What is shown is as of now, though nothing was called. */
static void shown(void)
{
	struct host h;

	open_host(&h, "pie", "burst=0 derandomize=0", 100);
	drops_with(&h, 40, 0, 1000, 0);
	CHECK(stat(&h, "probability") > 10000);
	while (h.q->qlen)
		give_back(&h, h.q->ops->drain(h.q));
	h.now = 60 * SEC;
	CHECK_EQ(stat(&h, "probability"), 0);
	h.now = SEC;
	CHECK(stat(&h, "probability") > 10000);
	close_host(&h);
}

/* Instances of one seed drop the same packets, of others others. */
static void of_its_seed(void)
{
	u32 order[3][200];

	for (u32 i = 0; i < 3; i++) {
		struct at_pie_params k = plain;
		struct at_pie c;
		u64 random = i / 2;

		at_pie_begin(&k, &c, 0);
		c.burst = 0;
		c.prob = AT_PIE_ONE / 4;
		c.before = c.delay = 30 * MS;
		for (u32 n = 0; n < 200; n++)
			order[i][n] = at_pie_signals(&k, &c, 30000, &random);
	}
	CHECK(!memcmp(order[0], order[1], sizeof(order[0])));
	CHECK(memcmp(order[0], order[2], sizeof(order[0])));
}

/* Who may go passes parked packets, which count as queued. */
static void parked(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "pie", "", 16);
	for (u32 i = 0; i < 4; i++) {
		struct at_pkt *p = new_pkt(&h, i, 1500);

		p->sta = i % 2;
		push(&h, p, 0);
	}
	gate(&h, 0, false);
	CHECK_EQ(get(&h, &t, MS)->flow, 1);
	CHECK_EQ(get(&h, &t, 2 * MS)->flow, 3);
	CHECK_EQ(stat(&h, "delay"), 2 * MS);
	CHECK(!get(&h, &t, 3 * MS) && h.q->parked == 2);
	gate(&h, 0, true);
	CHECK_EQ(get(&h, &t, 4 * MS)->flow, 0);
	CHECK_EQ(get(&h, &t, 5 * MS)->flow, 2);
	CHECK_EQ(stat(&h, "delay"), 0);
	close_host(&h);
}

/* Senders that react keep the queue near the target and the link busy. */
static void standing_queue(void)
{
	static struct loop l;

	run_loop(&l, "pie", "target=4000000000", 3);
	CHECK(l.median > 300);
	run_loop(&l, "pie", "", 3);
	CHECK(l.median >= 8 && l.median <= 22);
	CHECK(l.used > 0.99);
	run_loop(&l, "pie", "delay=1", 3);
	CHECK(l.median >= 8 && l.median <= 22);
	CHECK(l.used > 0.99);
}

int main(void)
{
	CASE(first_steps());
	CASE(ladder());
	CASE(bounds());
	CASE(made_up());
	CASE(made_up_in_bounds());
	CASE(defaults());
	CASE(burst());
	CASE(two_packets());
	CASE(spread());
	CASE(eight_and_a_half());
	CASE(by_probability());
	CASE(full());
	CASE(shown());
	CASE(measured_rate());
	CASE(batches());
	CASE(emptied());
	CASE(of_its_seed());
	CASE(parked());
	for (u32 i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		for (u64 seed = 1; seed <= 2; seed++)
			CASE(like_the_rfc(&loads[i], seed));
	CASE(precision());
	CASE(rate_precision());
	CASE(standing_queue());
	return 0;
}
