/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * ewma.h against closed forms and long double precision.
 */
#include <math.h>

#include "airtab/ewma.h"
#include "harness.h"

static double value(u64 average)
{
	return ldexp((double)average, -AT_EWMA_BITS);
}

static bool near(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

/* Of weight 1 the last sample; of weight 1/4 by hand, exact: powers of two. */
static void by_hand(void)
{
	static const double want[] = { 0.25, 0.6875, 1.265625, 1.94921875, 2.7119140625 };
	u64 average = 0;

	CHECK_EQ(at_ewma_add(7 * AT_EWMA_ONE + 5, at_ewma_keep(AT_EWMA_ONE), 3), 3 * AT_EWMA_ONE);
	for (u32 i = 0; i < 5; i++) {
		average = at_ewma_add(average, at_ewma_keep(AT_EWMA_ONE / 4), i + 1);
		CHECK(value(average) == want[i]);
	}
	/* the largest sample, and what it becomes */
	average = at_ewma_add(0, 0, 0x7fffffff);
	CHECK_EQ(average, (u64)0x7fffffff << 32);
	CHECK_EQ(at_ewma_add(average, at_ewma_keep(AT_EWMA_ONE / 2), 0x7fffffff), average);
}

/* After samples 1, 2, .. L: L + 1 + ((1 - w)^(L + 1) - 1) / w (Floyd and Jacobson
 * 1993, equation 2; Parris 2001, B.2). */
static void burst(void)
{
	static const struct { u32 packets; double average; } want[] = {
		{ 100, 17.41 }, { 157, 39.93 }, { 158, 40.40 },
	};

	for (u32 i = 0; i < 3; i++) {
		u32 packets = want[i].packets;
		u64 average = 0;

		for (u32 n = 1; n <= packets; n++)
			average = at_ewma_add(average, at_ewma_keep(AT_EWMA_ONE / 256), n);
		CHECK(near(value(average), want[i].average, 0.005));
		CHECK(near(value(average), packets + 1 + (pow(255 / 256.0, packets + 1) - 1) * 256, 1e-6));
	}
}

/* 0.75^7 and the like; nothing is left in the end; no sample, no change. */
static void idle(void)
{
	u64 three_quarters = at_ewma_keep(AT_EWMA_ONE / 4), average = 12345678901234;

	CHECK_EQ(at_ewma_decay(average, three_quarters, 0), average);
	CHECK_EQ(at_ewma_power(three_quarters, 1), three_quarters);
	CHECK_EQ(at_ewma_power(three_quarters, 7), AT_EWMA_ONE / 16384 * 2187);
	CHECK_EQ(at_ewma_decay(average, three_quarters, 1000), 0);
	CHECK_EQ(at_ewma_decay(average, at_ewma_keep(AT_EWMA_ONE / 65536), AT_NEVER), 0);
	CHECK_EQ(at_ewma_decay(average, at_ewma_keep(AT_EWMA_ONE), 1), 0);
	CHECK_EQ(at_ewma_decay(average, at_ewma_keep(AT_EWMA_ONE), 0), average);
}

/* Samples and idle times at random, for every weight: within 1e-4 of itself or 1e-4,
 * whatever came before. */
static void precision(void)
{
	static const u32 weight[] = { 1, 2, 4, 16, 256, 500, 4096, 65536 };
	u64 draws = 1;
	double worst = 0;

	for (u32 i = 0; i < sizeof(weight) / sizeof(*weight); i++) {
		u64 keep = at_ewma_keep((AT_EWMA_ONE + weight[i] / 2) / weight[i]), average = 0;
		long double w = 1.0L / weight[i], exact = 0;

		for (u32 n = 0; n < 1000000; n++) {
			u32 sample = (u32)below(&draws, 1 + n % 1000);

			average = at_ewma_add(average, keep, sample);
			exact = (1 - w) * exact + w * sample;
			if (n % 997 == 0) {
				u64 missed = below(&draws, 3 * weight[i]);

				average = at_ewma_decay(average, keep, missed);
				exact *= powl(1 - w, missed);
			}
			double off = fabs(value(average) - (double)exact) / fmax(1, (double)exact);

			worst = off > worst ? off : worst;
		}
	}
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "ewma: off by %.2g at most\n", worst);
	CHECK(worst < 1e-4);
}

int main(void)
{
	CASE(by_hand());
	CASE(burst());
	CASE(idle());
	CASE(precision());
	return 0;
}
