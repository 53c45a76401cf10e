/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Exchange times against the published numbers, to the last printed digit.
 * Each vector names its profile.
 */
#include <math.h>

#include "airtab/airtime.h"
#include "harness.h"

static const struct at_phy *phy(const char *name)
{
	for (const struct at_phy *p = at_phys; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	abort();
}

/* ns as printed: rounded to `unit` ns, e.g. 10 for two decimals of a us. */
static u64 printed(u64 ns, u64 unit)
{
	return (ns + unit / 2) / unit;
}

static u64 mean_backoff(const struct at_phy *p)
{
	return (p->cw_min - 1ull) * p->slot / 2;
}

/* CHAP dissertation 4.3, 6.3 and 7.1: 1500 bytes at 54 Mb/s, the latter two
 * counting the DIFS. */
static void chap(void)
{
	const struct at_phy *a = phy("phy-a"), *d63 = phy("d6.3"), *d71 = phy("d7.1");

	CHECK_EQ(printed(at_exchange_ns(a, 54000, 1500, 1), 10), 28193);
	CHECK_EQ(printed(at_ack_ns(a, 54000), 10), 2467);
	CHECK_EQ(printed(d63->difs + at_exchange_ns(d63, 54000, 1500, 1), 10), 30593);
	CHECK_EQ(printed(d71->difs + at_exchange_ns(d71, 54000, 1500, 1), 10), 39926);
	CHECK_EQ(printed(d71->difs + at_exchange_ns(d71, 54000, 0, 1), 10), 17704);
}

/* Mean cost of a packet whose attempts each succeed with probability s: a
 * failed attempt costs DATA, ACK timeout, DIFS and half of the doubled window;
 * after 7 the packet is lost and no backoff follows. In us. */
static double mean_cost_us(const struct at_phy *p, double s)
{
	double data = (double)at_data_ns(p, 54000, 1500, 1), reach = 1, cost = 0;
	double timeout = (double)at_ack_timeout_ns(p, 54000);
	u32 cw = p->cw_min;

	for (u32 n = 1; n <= 7; n++) {
		cost += reach * (data + timeout);
		reach *= 1 - s;
		cw = cw * 2 + 1 < p->cw_max ? cw * 2 + 1 : p->cw_max;
		if (n < 7)
			cost += reach * (p->difs + cw / 2.0 * p->slot);
	}
	return cost / 1000;
}

/* The cost by distance, from the link model fitted to dissertation 6.4: one
 * attempt succeeds with (1 - p)^2, 1 - p = Phi((33.57 - 30 log10 d) / 7). */
static void cost_by_distance(void)
{
	static const struct { double d; u32 us; } want[] = {
		{ 1, 282 }, { 5, 317 }, { 10, 1089 }, { 15, 5075 },
		{ 20, 8930 }, { 25, 10499 }, { 30, 10983 },
	};

	for (u32 i = 0; i < 7; i++) {
		double z = (33.57 - 30 * log10(want[i].d)) / 7;
		double ok = erfc(-z / sqrt(2)) / 2;

		CHECK_EQ(lround(mean_cost_us(phy("phy-a"), ok * ok)), want[i].us);
	}
}

/* VFQ thesis, equation 9.3: the mean contention time of n saturated nodes. */
static double contention_ns(const struct at_phy *p, u32 n)
{
	double slots = 31.43747 * exp(-(n / 0.85404)) + 5.03185 * exp(-(n / 5.48378)) +
		       1.24346 * exp(-(n / 61.45172)) + 0.32783;

	return slots * p->slot;
}

/* VFQ thesis 9.2. */
static void starzetz(void)
{
	static const u32 ack_2000[] = { 2000, 0 };
	static const u32 nodes[] = { 1, 2, 4, 6, 7 };
	static const struct { u32 bytes, ack; u32 us10[5]; } want[] = {
		{ 0, 1, { 8920, 7431, 6664, 6455, 6392 } },
		{ 40, 1, { 9211, 7722, 6955, 6746, 6683 } },
		{ 576, 1, { 13109, 11621, 10853, 10645, 10581 } },
		{ 1500, 1, { 19829, 18341, 17573, 17365, 17301 } },
		{ 40, 2, { 8651, 7162, 6395, 6186, 6123 } },
		{ 1500, 2, { 19269, 17781, 17013, 16805, 16741 } },
	};
	static const u32 rate[] = { 1000, 2000, 5500, 11000 };
	static const u32 us_1500[] = { 12928, 6784, 2874, 1757 }, us_40[] = { 1248, 944, 751, 695 };
	/* the last is 695.47: 695.5 above, which is where a printed 696 comes from */
	const struct at_phy *one = phy("starzetz-11b");
	struct at_phy two = *one;

	two.ack_kbps = ack_2000;
	CHECK_EQ(printed(one->difs + at_exchange_ns(one, 11000, 0, 1), 10), 58218);
	CHECK_EQ(printed(two.difs + at_exchange_ns(&two, 11000, 0, 1), 10), 52618);
	for (u32 i = 0; i < 6; i++) {
		const struct at_phy *p = want[i].ack == 1 ? one : &two;

		for (u32 n = 0; n < 5; n++) {
			u64 own = p->difs + at_exchange_ns(p, 11000, want[i].bytes, 1);

			CHECK_EQ(lround(((double)own + contention_ns(p, nodes[n])) / 100),
				 want[i].us10[n]);
		}
	}
	for (u32 i = 0; i < 4; i++) {
		double rest = one->difs + contention_ns(one, 4);

		CHECK_EQ(lround((rest + (double)at_exchange_ns(one, rate[i], 1500, 1)) / 1000),
			 us_1500[i]);
		CHECK_EQ(lround((rest + (double)at_exchange_ns(one, rate[i], 40, 1)) / 1000),
			 us_40[i]);
	}
}

/* Buffer-sizing thesis 4.3.1 (equations 4.4-4.6): a segment and its TCP ACK. */
static void dnb(void)
{
	static const u32 want[][4] = {	/* kb/s; 0.1 us */
		{ 1000, 131440, 14640, 146080 },
		{ 2000, 69440, 11040, 80480 },
		{ 5500, 29985, 8749, 38735 },
		{ 11000, 18713, 8095, 26807 },
	};
	const struct at_phy *p = phy("dnb-11b");

	CHECK_EQ(mean_backoff(p), 300000);
	for (u32 i = 0; i < 4; i++) {
		u64 wait = mean_backoff(p) + p->difs;
		u64 data = wait + at_exchange_ns(p, want[i][0], 1500, 1);
		u64 ack = wait + at_exchange_ns(p, want[i][0], 40, 1);

		CHECK_EQ(printed(data, 100), want[i][1]);
		CHECK_EQ(printed(ack, 100), want[i][2]);
		CHECK_EQ(printed(data + ack, 100), want[i][3]);
	}
}

/* Buffer-sizing thesis 5.1 (equations 5.6, 5.7): an aggregate of K segments, and
 * one of K/2 TCP ACKs of 40 bytes (half a frame if K = 1, as printed). */
static void wqm(void)
{
	static const u32 want[][5] = {	/* kb/s, K; 0.1 us */
		{ 6500, 1, 21119, 2670, 23789 }, { 13000, 4, 40048, 3150, 43198 },
		{ 65000, 1, 4083, 2238, 6321 }, { 65000, 21, 41941, 3198, 45139 },
		{ 144400, 32, 29456, 2881, 32338 }, { 300000, 32, 15314, 2523, 17837 },
		{ 450000, 32, 10940, 2412, 13351 }, { 600000, 32, 8752, 2356, 11109 },
		{ 600000, 42, 10803, 2408, 13211 }, { 600000, 64, 15314, 2523, 17837 },
	};
	const struct at_phy *p = phy("wqm-11n");

	CHECK_EQ(mean_backoff(p), 63000);
	for (u32 i = 0; i < 10; i++) {
		u64 wait = mean_backoff(p) + p->difs;
		u32 k = want[i][1];
		u64 data = wait + at_exchange_ns(p, want[i][0], 1500, k);
		u64 ack;

		/* K/2 frames of 78 bytes are K of 39: as many payload bytes */
		ack = wait + at_exchange_ns(p, want[i][0], 1, k);
		CHECK_EQ(printed(data, 100), want[i][2]);
		CHECK_EQ(printed(ack, 100), want[i][3]);
		CHECK_EQ(printed(data + ack, 100), want[i][4]);
	}
}

int main(void)
{
	CASE(chap());
	CASE(cost_by_distance());
	CASE(starzetz());
	CASE(dnb());
	CASE(wqm());
	/* the standard's own constants */
	CHECK_EQ(at_eifs_ns(phy("std-11b")), 364000);
	return 0;
}
