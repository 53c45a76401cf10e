/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The standard's own profiles against durations computed by hand from IEEE Std
 * 802.11-2020, and the ACK that answers each rate, for every profile.
 *
 *   OFDM (17.4.3)  16 + 4 + 4 * ceil((16 + 8 * LENGTH + 6) / N_DBPS) us
 *   ERP  (18.5.3)  the same and 6 us of signal extension
 *   DSSS (16.3.4)  144 + 48 us and 8 * LENGTH / rate; what the standard rounds
 *                  up to whole us (the PLCP's LENGTH field) is rounded to ns here
 *   LENGTH         24 MAC header + 8 LLC/SNAP + IP packet + 4 FCS; ACK 14
 *   N_DBPS         24, 36, 48, 72, 96, 144, 192, 216 at 6 to 54 Mb/s
 *   ACK            at the highest basic rate not above the data's (10.6.6.5.2);
 *                  basic are 6, 12, 24 Mb/s of OFDM, 1 and 2 of DSSS
 */
#include "airtab/airtime.h"
#include "harness.h"

#define US 1000ull

static const struct at_phy *phy(const char *name)
{
	for (const struct at_phy *p = at_phys; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	abort();
}

/* us of an 802.11a frame; 802.11g has 6 more. 1500 bytes are 12310 bits with
 * service and tail (at 54 Mb/s 57 symbols: 20 + 228), 40 are 630, an ACK 134. */
static const struct { u32 kbps, data_1500, data_40, ack; } ofdm[] = {
	{ 6000, 2072, 128, 44 },	/* 513, 27 and 6 symbols */
	{ 9000, 1388, 92, 44 },		/* 342, 18 */
	{ 12000, 1048, 76, 32 },	/* 257, 14 and 3 */
	{ 18000, 704, 56, 32 },		/* 171, 9 */
	{ 24000, 536, 48, 28 },		/* 129, 7 and 2 */
	{ 36000, 364, 40, 28 },		/* 86, 5 */
	{ 48000, 280, 36, 28 },		/* 65, 4 */
	{ 54000, 248, 32, 28 },		/* 57, 3 */
};

static void ofdm_rates(const char *name, u32 sifs, u32 extension)
{
	const struct at_phy *p = phy(name);

	for (u32 i = 0; i < 8; i++) {
		u32 kbps = ofdm[i].kbps;
		u64 data = ofdm[i].data_1500 + extension, ack = ofdm[i].ack + extension;

		CHECK_EQ(at_data_ns(p, kbps, 1500, 1), data * US);
		CHECK_EQ(at_data_ns(p, kbps, 40, 1), (ofdm[i].data_40 + extension) * US);
		CHECK_EQ(at_ack_ns(p, kbps), ack * US);
		CHECK_EQ(at_ack_timeout_ns(p, kbps), (sifs + ack) * US);
		CHECK_EQ(at_exchange_ns(p, kbps, 1500, 1), (data + sifs + ack) * US);
	}
	/* a symbol more for the bit that does not fit: 27 bytes are 216 bits less
	 * service and tail, at 54 Mb/s */
	CHECK_EQ(at_data_ns(p, 54000, 51 - 36, 1), (20 + 8 + extension) * US);	/* 430 bits */
	CHECK_EQ(at_data_ns(p, 54000, 52 - 36, 1), (20 + 12 + extension) * US);	/* 438 */
}

static void dsss_rates(void)
{
	/* ns; the standard's us */
	static const struct { u32 kbps; u64 data_1500, us_1500, data_40, us_40, ack; } want[] = {
		{ 1000, 12480000, 12480, 800000, 800, 304000 },
		{ 2000, 6336000, 6336, 496000, 496, 248000 },
		{ 5500, 2426182, 2427, 302545, 303, 248000 },
		{ 11000, 1309091, 1310, 247273, 248, 248000 },
	};
	const struct at_phy *p = phy("std-11b");

	for (u32 i = 0; i < 4; i++) {
		u32 kbps = want[i].kbps;

		CHECK_EQ(at_data_ns(p, kbps, 1500, 1), want[i].data_1500);
		CHECK_EQ((want[i].data_1500 + US - 1) / US, want[i].us_1500);
		CHECK_EQ(at_data_ns(p, kbps, 40, 1), want[i].data_40);
		CHECK_EQ((want[i].data_40 + US - 1) / US, want[i].us_40);
		CHECK_EQ(at_ack_ns(p, kbps), want[i].ack);
		CHECK_EQ(at_exchange_ns(p, kbps, 1500, 1),
			 want[i].data_1500 + 10 * US + want[i].ack);
	}
}

/* Slot, SIFS, DIFS = SIFS + 2 slots, EIFS = SIFS + DIFS + the ACK at the lowest
 * mandatory rate (of an ERP PHY that is 1 Mb/s), contention windows (10.3.2.3, 10.3.7, and the PHYs' tables). */
static void intervals(void)
{
	static const struct { const char *name; u32 slot, sifs, difs, eifs, cw_min, base; } want[] = {
		{ "std-11g", 9, 10, 28, 342, 15, 6000 },	/* 10 + 28 + 304: 1 Mb/s */
		{ "std-11a", 9, 16, 34, 94, 15, 6000 },		/* 16 + 34 + 44 */
		{ "std-11b", 20, 10, 50, 364, 31, 1000 },	/* 10 + 50 + 304 */
	};

	for (u32 i = 0; i < 3; i++) {
		const struct at_phy *p = phy(want[i].name);

		CHECK_EQ(p->slot, want[i].slot * US);
		CHECK_EQ(p->sifs, want[i].sifs * US);
		CHECK_EQ(p->difs, want[i].difs * US);
		CHECK_EQ(p->difs, p->sifs + 2 * p->slot);
		CHECK_EQ(at_eifs_ns(p), want[i].eifs * US);
		CHECK_EQ(p->cw_min, want[i].cw_min);
		CHECK_EQ(p->cw_max, 1023);
		CHECK_EQ(p->base_kbps, want[i].base);
	}
}

/* 802.11g as it is quoted everywhere: 1500 bytes at 54 Mb/s. */
static void the_known_one(void)
{
	const struct at_phy *p = phy("std-11g");

	CHECK_EQ(at_data_ns(p, 54000, 1500, 1), 254 * US);
	CHECK_EQ(at_exchange_ns(p, 54000, 1500, 1), 298 * US);
}

/* Every rate of a profile and the ACK that answers it, ns. Bits over rate behind
 * the preamble: 112 of an ACK, 240 of a BLOCK ACK. */
static void acks(void)
{
	static const struct { const char *name; struct { u32 kbps; u64 ack; } at[8]; } want[] = {
		{ "phy-a", { { 6000, 38667 }, { 9000, 38667 }, { 12000, 29333 }, { 18000, 29333 },
			     { 24000, 24667 }, { 36000, 24667 }, { 48000, 24667 }, { 54000, 24667 } } },
		{ "d6.3", { { 6000, 18667 }, { 12000, 18667 }, { 24000, 18667 }, { 54000, 18667 } } },
		{ "d7.1", { { 6000, 112000 }, { 12000, 112000 }, { 24000, 112000 }, { 54000, 112000 } } },
		{ "starzetz-11b", { { 1000, 304000 }, { 2000, 304000 }, { 5500, 304000 }, { 11000, 304000 } } },
		{ "dnb-11b", { { 1000, 304000 }, { 2000, 248000 }, { 5500, 212364 }, { 11000, 202182 } } },
		{ "wqm-11n", { { 6500, 73000 }, { 65000, 73000 }, { 600000, 73000 } } },
	};

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		for (u32 k = 0; k < 8 && want[i].at[k].kbps; k++)
			CHECK_EQ(at_ack_ns(phy(want[i].name), want[i].at[k].kbps), want[i].at[k].ack);
	/* a rate of less than a bit a symbol is none: a bit each */
	CHECK_EQ(at_data_ns(phy("std-11a"), 100, 0, 1), (20 + 4 * 310) * US);
	/* below the lowest basic rate there is none lower */
	CHECK_EQ(at_ack_ns(phy("std-11g"), 5500), 50 * US);
}

int main(void)
{
	CASE(the_known_one());
	CASE(ofdm_rates("std-11g", 10, 6));
	CASE(ofdm_rates("std-11a", 16, 0));
	CASE(dsss_rates());
	CASE(intervals());
	CASE(acks());
	return 0;
}
