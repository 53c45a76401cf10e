/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The emulated link against CHAP dissertation 7.1: equations 7.1 to 7.4, and
 * every figure computed from them; the mapping of random words to a packet's
 * fate, word for word; what is drawn against the closed form, within 4 standard
 * errors.
 */
#include <math.h>

#include "airtab/emulator.h"
#include "harness.h"

#define RATE 54000
#define BYTES 1500
#define PACKETS 400000

static struct at_emulator link(u8 attempts, u64 seed)
{
	const struct at_phy *p = at_phys;

	while (strcmp(p->name, "d7.1"))
		p++;
	return (struct at_emulator){ .phy = *p, .random = seed, .attempts = attempts };
}

static struct at_tx send(struct at_emulator *e, u64 fer)
{
	struct at_tx tx;

	at_emulate(e, RATE, fer, BYTES, &tx);
	CHECK_EQ(tx.air, tx.span);
	return tx;
}

static u64 as_fer(double p)
{
	return (u64)llround(p * (double)AT_ALWAYS);
}

/* Equation 7.1 and the ceiling that follows from it; an extra delay. */
static void one_attempt(void)
{
	static const struct { u32 bytes; u64 extra, ns; u32 us, mbps100; } want[] = {
		{ 0, 0, 177037, 177, 0 },
		{ 1500, 0, 399259, 399, 3006 },
		{ 1500, 2 * MS, 2399259, 2399, 500 },
	};

	for (u32 i = 0; i < 3; i++) {
		struct at_emulator e = link(5, i);
		struct at_tx tx;

		e.extra = want[i].extra;
		at_emulate(&e, RATE, 0, want[i].bytes, &tx);
		CHECK(tx.attempts == 1 && tx.acked);
		CHECK_EQ(tx.air, want[i].ns);
		CHECK_EQ(lround((double)tx.air / 1e3), want[i].us);
		CHECK_EQ(lround(want[i].bytes * 800 / ((double)tx.air / 1e3)), want[i].mbps100);
	}
}

/* Half of all DATA and ACKs are lost: the same words, read by another program
 * (harness.h has the generator), give the same fate. */
static void words(void)
{
	const u64 d = 399259, fer = AT_ALWAYS / 2;
	struct at_emulator e = link(5, 42);
	u64 state = 42;
	u32 seen[6] = { 0 }, lost = 0;

	for (u32 packet = 0; packet < 100000; packet++) {
		struct at_tx tx = send(&e, fer);
		u64 cost = 0, window = 32;
		bool arrived = false;
		u32 n = 0;

		while (n < 5 && !arrived) {
			u64 word;

			if (n++) {
				cost += (rnd(&state) >> 32) * window / AT_ALWAYS * 20000;
				window *= 2;
			}
			word = rnd(&state);
			cost += d;
			arrived = word / AT_ALWAYS >= fer && word % AT_ALWAYS >= fer;
		}
		CHECK_EQ(tx.attempts, n);
		CHECK_EQ(tx.acked, arrived);
		CHECK_EQ(tx.air, cost);
		CHECK_EQ(e.random, state);	/* 2n - 1 words */
		seen[n]++;
		lost += !arrived;
	}
	for (u32 n = 1; n <= 5; n++)
		CHECK(seen[n]);
	CHECK(lost && lost < seen[5]);
}

/* DATA and ACK are lost below the error rate, and not at it. The rate
 * is the smaller half of a packet's first word. */
static void at_the_rate(void)
{
	bool data_first[2] = { false };

	for (u64 seed = 0; seed < 20; seed++) {
		u64 state = seed, word = rnd(&state);
		u64 data = word / AT_ALWAYS, ack = word % AT_ALWAYS, fer = data < ack ? data : ack;
		struct at_emulator e = link(1, seed), f = link(1, seed);

		data_first[data < ack] = true;
		CHECK(send(&e, fer).acked);
		CHECK(!send(&f, fer + 1).acked);
	}
	CHECK(data_first[0] && data_first[1]);
}

/* Equation 7.3. Nothing arrives: with one attempt more, the same words give the
 * same packet, and one more backoff and attempt. */
static void backoffs(void)
{
	static const u32 want[][2] = {	/* window, slots; mean, us */
		{ 32, 310 }, { 64, 630 }, { 128, 1270 }, { 256, 2550 },
		{ 512, 5110 }, { 1024, 10230 }, { 1024, 10230 }, { 1024, 10230 },
	};

	for (u8 n = 1; n <= 8; n++) {
		u32 window = want[n - 1][0], least = ~0u, most = 0;
		/* of a uniform integer */
		double sigma = sqrt(((double)window * window - 1) / 12) * 20, sum = 0;

		CHECK_EQ((window - 1) * 20 / 2, want[n - 1][1]);
		for (u64 seed = 0; seed < PACKETS / 4; seed++) {
			struct at_emulator less = link(n, seed), more = link(n + 1, seed);
			struct at_tx a = send(&less, AT_ALWAYS), b = send(&more, AT_ALWAYS);
			u64 ns = b.air - a.air - 399259;

			CHECK(a.attempts == n && !a.acked && b.attempts == n + 1 && !b.acked);
			CHECK_EQ(ns % 20000, 0);
			least = ns / 20000 < least ? (u32)(ns / 20000) : least;
			most = ns / 20000 > most ? (u32)(ns / 20000) : most;
			sum += (double)ns / 1e3;
		}
		CHECK_EQ(least, 0);
		CHECK_EQ(most, window - 1);
		CHECK(fabs(sum / (PACKETS / 4) - want[n - 1][1]) < 4 * sigma / sqrt(PACKETS / 4));
	}
}

/* A lost packet is charged 5 attempts and the 4 backoffs between them, and the
 * extra delay once. */
static void lost(void)
{
	double sum = 0, variance = 0;

	for (u64 seed = 0; seed < PACKETS; seed++) {
		struct at_emulator e = link(5, seed), slower = link(5, seed);
		struct at_tx tx = send(&e, AT_ALWAYS);

		slower.extra = 2 * MS;
		CHECK(tx.attempts == 5 && !tx.acked);
		CHECK_EQ(send(&slower, AT_ALWAYS).air, tx.air + 2 * MS);
		CHECK(tx.air >= 5 * 399259 && tx.air <= 5 * 399259 + (31 + 63 + 127 + 255) * 20000);
		sum += (double)tx.air / 1e3;
	}
	for (u32 window = 32; window <= 256; window *= 2)
		variance += ((double)window * window - 1) / 12 * 20 * 20;
	CHECK(fabs(sum / PACKETS - (5 * 399.259 + 310 + 630 + 1270 + 2550)) < 4 * sqrt(variance / PACKETS));
}

/* Equations 7.2 and 7.4: attempts, losses, mean cost, goodput. The figures are
 * those of docs/emulator.md; what is drawn follows the closed form. */
static void table(void)
{
	static const struct {
		double p;
		u32 e4[6];		/* success at attempt 1 to 5, lost; 1/10000 */
		double cost, step;	/* us; the last digit printed */
		double mbps, digit;
	} want[] = {
		{ 0.0001, { 9998, 2, 0, 0, 0, 0 }, 399.4, 0.1, 30.045, 0.001 },
		{ 0.01, { 9801, 195, 4, 0, 0, 0 }, 413.8, 0.1, 29.00, 0.01 },
		{ 0.10, { 8100, 1539, 292, 56, 11, 2 }, 586.5, 0.1, 20.46, 0.01 },
		{ 0.25, { 5625, 2461, 1077, 471, 206, 160 }, 1154, 1, 10.23, 0.01 },
		{ 0.50, { 2500, 1875, 1406, 1055, 791, 2373 }, 3148, 1, 2.91, 0.01 },
		{ 0.75, { 625, 586, 549, 515, 483, 7242 }, 5622, 1, 0.589, 0.001 },
	};
	const double d = 399.259;

	for (u32 row = 0; row < 6; row++) {
		double p = want[row].p, share[6], backoff = 0, cost = 0, squares = 0, sum = 0;
		double draws = 0, form[6], cost_of[6], mean, mbps;
		struct at_emulator e = link(5, row);
		u32 seen[6] = { 0 };

		for (u32 n = 1; n <= 5; n++) {
			share[n - 1] = pow(p + (1 - p) * p, n - 1) * (1 - p) * (1 - p);
			if (n > 1) {
				double window = 32 << (n - 2);

				backoff += (window - 1) / 2 * 20;
				draws += (window * window - 1) / 12 * 20 * 20;
			}
			form[n - 1] = draws;
			cost_of[n - 1] = n * d + backoff;
		}
		share[5] = pow(p + (1 - p) * p, 5);
		form[5] = form[4];
		cost_of[5] = cost_of[4];
		for (u32 i = 0; i < 6; i++) {
			CHECK_EQ(lround(share[i] * 1e4), want[row].e4[i]);
			cost += share[i] * cost_of[i];
			squares += share[i] * (cost_of[i] * cost_of[i] + form[i]);
		}
		CHECK_EQ(lround(cost / want[row].step), lround(want[row].cost / want[row].step));
		mbps = BYTES * 8 * (1 - share[5]) / cost;
		CHECK_EQ(lround(mbps / want[row].digit), lround(want[row].mbps / want[row].digit));

		for (u32 i = 0; i < PACKETS; i++) {
			struct at_tx tx = send(&e, as_fer(p));

			seen[tx.acked ? tx.attempts - 1 : 5]++;
			sum += (double)tx.air / 1e3;
		}
		for (u32 i = 0; i < 6; i++) {
			double expected = share[i] * PACKETS;

			/* a count below ten is not near a normal distribution */
			if (expected >= 10)
				CHECK(fabs(seen[i] - expected) < 4 * sqrt(expected * (1 - share[i])));
		}
		mean = sum / PACKETS;
		CHECK(fabs(mean - cost) < 4 * sqrt((squares - cost * cost) / PACKETS));
	}
}

int main(void)
{
	CASE(one_attempt());
	CASE(words());
	CASE(at_the_rate());
	CASE(backoffs());
	CASE(lost());
	CASE(table());
	return 0;
}
