/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Averages over time (decay.h) against double precision.
 */
#include <math.h>

#include "airtab/decay.h"
#include "harness.h"

static double part(struct at_decay e)
{
	return ldexp((double)e.share, -32 - (int)e.shift);
}

/* 1 - d, relative to itself, for times from a nanosecond to 30 tau. */
static void exact(void)
{
	static const u32 taus[] = { 100000, 1000000, 5000000, 33333333, 200000000, 1000000007, AT_DECAY_TAU_MAX };
	double worst = 0;

	for (u32 i = 0; i < sizeof(taus) / sizeof(*taus); i++) {
		u64 rate = at_decay_rate(taus[i]);

		for (double dt = 1; dt < 30.0 * taus[i]; dt = dt * 1.003 + 1) {
			u64 ns = (u64)dt;
			double want = -expm1(-(double)ns / taus[i]);
			double off = fabs(part(at_decay_of(ns, rate, taus[i])) / want - 1);

			worst = fmax(worst, off);
			CHECK(off < 1e-6);
		}
		CHECK_EQ(at_decay_of(0, rate, taus[i]).share, 0);
		CHECK_EQ(at_decay_of(~(u64)0, rate, taus[i]).share, AT_EWMA_ONE);
	}
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "decay: 1 - exp(-dt / tau) off by %.2g of itself at most\n", worst);
}

/* A time cut up into pieces of 1 us to 1 ms. */
static void pieces(void)
{
	const u32 tau = 200000000;
	u64 rate = at_decay_rate(tau), average = 1000 * AT_EWMA_ONE, draws = 1, t = 0;

	while (t < tau) {
		u64 dt = 1000 + below(&draws, t % 2 ? 1000 : 1000000);

		average = at_decay_add(average, at_decay_of(dt, rate, tau), 0);
		t += dt;
	}
	CHECK(fabs(ldexp((double)average, -32) / (1000 * exp(-(double)t / tau)) - 1) < 1e-6);
}

/* Values that change, up and down, of any size. */
static void at_random(void)
{
	const u32 tau = 20000000;
	u64 rate = at_decay_rate(tau), average = 0, draws = 1;
	double want = 0, worst = 0;

	for (u32 i = 0; i < 1000000; i++) {
		u32 value = (u32)below(&draws, i % 1000 < 500 ? 100 : 1u << 31);
		u64 dt = below(&draws, i % 50 ? 100000 : 100000000);

		average = at_decay_add(average, at_decay_of(dt, rate, tau), value);
		want += -expm1(-(double)dt / tau) * (value - want);
		worst = fmax(worst, fabs(ldexp((double)average, -32) - want) / fmax(want, 1));
	}
	CHECK(worst < 1e-6);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "decay: averages off by %.2g at most\n", worst);
}

int main(void)
{
	CASE(exact());
	CASE(pieces());
	CASE(at_random());
	return 0;
}
