/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Rates by MCS, PPDU and control frame durations, and aggregates: every rate
 * that the standard lists to its last printed digit, cycles computed by hand,
 * and durations at random against the equations in floating point, with data
 * bits and encoders from tables of the test's own.
 */
#include <math.h>

#include "airtab/rates.h"
#include "harness.h"
#include "rate_tables.h"

#define US 1000ull

static const struct at_phy *phy(const char *name)
{
	for (const struct at_phy *p = at_phys; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	abort();
}

static struct at_rate ht(u8 mcs, u8 nss, u16 width, u16 gi)
{
	return (struct at_rate){ .format = AT_HT, .mcs = mcs, .nss = nss, .width = width, .gi = gi };
}

static struct at_rate vht(u8 mcs, u8 nss, u16 width, u16 gi)
{
	return (struct at_rate){ .format = AT_VHT, .mcs = mcs, .nss = nss, .width = width, .gi = gi };
}

static struct at_rate he(u8 mcs, u8 nss, u16 width, u16 gi, u16 ru)
{
	return (struct at_rate){ .format = AT_HE, .mcs = mcs, .nss = nss, .width = width, .gi = gi, .ru = ru };
}

/* How many parts of a rate are wrong; `part` of the last. */
static u32 wrong(const char *profile, struct at_rate r, enum at_rate_part *part)
{
	u32 n = 0;

	for (u32 i = 0; i < AT_RATE_PARTS; i++)
		if (at_rate_wrong(phy(profile), &r, i)) {
			*part = i;
			n++;
		}
	return n;
}

static bool allowed(const char *profile, struct at_rate r)
{
	enum at_rate_part part;

	return !wrong(profile, r, &part);
}

static u32 printed(struct at_rate r)
{
	return (at_rate_kbps(&r) + 50) / 100;
}

static const u16 mhz[] = { 20, 40, 80, 160 }, he_gi[] = { 800, 1600, 3200 };

static void every_ht_rate(void)
{
	for (u32 i = 0; i < 16; i++)
		for (u8 mcs = 0; mcs < 8; mcs++) {
			struct at_rate r = ht(mcs, (u8)(i % 4 + 1), mhz[i / 8], i / 4 % 2 ? 400 : 800);

			CHECK(allowed("std-11n", r) && allowed("std-11n-2g4", r));
			CHECK_EQ(printed(r), ht_rates[i][mcs]);
		}
}

static void every_vht_rate(void)
{
	for (u32 i = 0; i < 64; i++)
		for (u8 mcs = 0; mcs < 10; mcs++) {
			struct at_rate r = vht(mcs, (u8)(i % 8 + 1), mhz[i / 16], i / 8 % 2 ? 400 : 800);
			enum at_rate_part part = AT_RATE_PARTS;

			if (vht_rates[i][mcs]) {
				CHECK(allowed("std-11ac", r));
				CHECK_EQ(printed(r), vht_rates[i][mcs]);
			} else {
				CHECK_EQ(wrong("std-11ac", r, &part), 1);
				CHECK_EQ(part, AT_RATE_MCS);
			}
		}
}

static void every_he_rate(void)
{
	static const u16 tones[] = { 26, 52, 106, 242, 484, 996 };

	for (u32 i = 0; i < 96; i++)
		for (u8 mcs = 0; mcs < 12; mcs++) {
			struct at_rate r = he(mcs, (u8)(i % 8 + 1), mhz[i / 24], he_gi[i / 8 % 3], 0);

			CHECK(allowed("std-11ax", r));
			CHECK_EQ(allowed("std-11ax-2g4", r), r.width <= 40);
			CHECK_EQ(printed(r), he_rates[i][mcs]);
		}
	for (u32 i = 0; i < 144; i++)
		for (u8 mcs = 0; mcs < 12; mcs++) {
			struct at_rate r = he(mcs, (u8)(i % 8 + 1), 160, he_gi[i / 8 % 3], tones[i / 24]);

			CHECK(allowed("std-11ax", r));
			CHECK_EQ(printed(r), i < 72 ? ru_rates[i][mcs] : he_rates[i - 72][mcs]);
		}
}

/* To the kb/s. Of N_DBPS = 8166 the last would be 600441. */
static void kbps(void)
{
	static const struct { struct at_rate r; u32 kbps; } want[] = {
		{ { 0, AT_HT, 7, 1, 20, 400, 0 }, 72222 },	/* 260 / 3.6 */
		{ { 0, AT_HT, 2, 1, 20, 400, 0 }, 21667 },	/* 78 / 3.6 */
		{ { 0, AT_VHT, 9, 2, 80, 400, 0 }, 866667 },	/* 3120 / 3.6 */
		{ { 0, AT_HE, 0, 1, 20, 800, 26 }, 882 },	/* 12 / 13.6 */
		{ { 0, AT_HE, 11, 1, 80, 800, 0 }, 600490 },	/* 8166.67 / 13.6 */
	};

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		CHECK_EQ(at_rate_kbps(&want[i].r), want[i].kbps);
}

/* One part of a rate that is not to be had, and the part's text. */
static void refused(void)
{
	static const struct { const char *profile; struct at_rate r; enum at_rate_part part; const char *text; } no[] = {
		{ "std-11n", { 0, AT_HT, 8, 1, 20, 800, 0 }, AT_RATE_MCS,
		  "HT has MCS 0 to 7 for each stream: MCS 15 is 7 with 2 streams" },
		{ "std-11n", { 0, AT_HT, 7, 5, 20, 800, 0 }, AT_RATE_NSS, "HT has 1 to 4 streams" },
		{ "std-11n", { 0, AT_HT, 7, 0, 20, 800, 0 }, AT_RATE_NSS, "HT has 1 to 4 streams" },
		{ "std-11n", { 0, AT_HT, 7, 1, 80, 800, 0 }, AT_RATE_WIDTH, "HT has 20 and 40 MHz" },
		{ "std-11n", { 0, AT_HT, 7, 1, 0, 800, 0 }, AT_RATE_WIDTH, "HT has 20 and 40 MHz" },
		{ "std-11n", { 0, AT_HT, 7, 1, 20, 1600, 0 }, AT_RATE_GI,
		  "HT and VHT have guard intervals of 400 and 800 ns" },
		{ "std-11n", { 0, AT_HT, 7, 1, 20, 800, 242 }, AT_RATE_RU, "only HE has resource units" },
		{ "std-11n", { 0, AT_VHT, 7, 1, 20, 800, 0 }, AT_RATE_FORMAT, "the profile has no such format" },
		{ "std-11n", { 0, AT_LEGACY, 0, 0, 0, 0, 0 }, AT_RATE_FORMAT, "a rate is above 0" },
		{ "std-11g", { 0, AT_HT, 7, 1, 20, 800, 0 }, AT_RATE_FORMAT,
		  "the profile's rates are in Mb/s: it has no MCS" },
		{ "std-11ac", { 0, AT_VHT, 10, 1, 80, 800, 0 }, AT_RATE_MCS, "VHT has MCS 0 to 9" },
		{ "std-11ac", { 0, AT_VHT, 9, 9, 80, 800, 0 }, AT_RATE_NSS, "VHT has 1 to 8 streams" },
		{ "std-11ac", { 0, AT_VHT, 9, 1, 100, 800, 0 }, AT_RATE_WIDTH, "VHT has 20, 40, 80 and 160 MHz" },
		{ "std-11ac", { 0, AT_VHT, 9, 1, 80, 3200, 0 }, AT_RATE_GI,
		  "HT and VHT have guard intervals of 400 and 800 ns" },
		{ "std-11ac", { 0, AT_VHT, 9, 1, 20, 800, 0 }, AT_RATE_MCS,
		  "VHT has MCS 9 at 20 MHz with 3 or 6 streams alone" },
		{ "std-11ac", { 0, AT_VHT, 6, 3, 80, 800, 0 }, AT_RATE_MCS,
		  "VHT has no MCS 6 at 80 MHz with 3 or 7 streams" },
		{ "std-11ac", { 0, AT_VHT, 9, 6, 80, 800, 0 }, AT_RATE_MCS,
		  "VHT has no MCS 9 at 80 MHz with 6 streams" },
		{ "std-11ac", { 0, AT_VHT, 9, 3, 160, 800, 0 }, AT_RATE_MCS,
		  "VHT has no MCS 9 at 160 MHz with 3 streams" },
		{ "std-11ac", { 0, AT_HE, 9, 1, 80, 800, 0 }, AT_RATE_FORMAT, "the profile has no such format" },
		{ "std-11ax", { 0, AT_HE, 12, 1, 80, 800, 0 }, AT_RATE_MCS, "HE has MCS 0 to 11" },
		{ "std-11ax", { 0, AT_HE, 11, 9, 80, 800, 0 }, AT_RATE_NSS, "HE has 1 to 8 streams" },
		{ "std-11ax", { 0, AT_HE, 11, 1, 320, 800, 0 }, AT_RATE_WIDTH, "HE has 20, 40, 80 and 160 MHz" },
		{ "std-11ax", { 0, AT_HE, 11, 1, 80, 400, 0 }, AT_RATE_GI,
		  "HE has guard intervals of 800, 1600 and 3200 ns" },
		{ "std-11ax", { 0, AT_HE, 11, 1, 80, 800, 100 }, AT_RATE_RU,
		  "resource units have 26, 52, 106, 242, 484 or 996 tones" },
		{ "std-11ax", { 0, AT_HE, 11, 1, 20, 800, 484 }, AT_RATE_RU,
		  "a resource unit of 484 tones needs 40 MHz, one of 996 needs 80" },
		{ "std-11ax", { 0, AT_HE, 11, 1, 40, 800, 996 }, AT_RATE_RU,
		  "a resource unit of 484 tones needs 40 MHz, one of 996 needs 80" },
		{ "std-11ax-2g4", { 0, AT_HE, 11, 1, 80, 800, 0 }, AT_RATE_WIDTH, "the profile has 20 and 40 MHz" },
		{ "std-11ax-2g4", { 0, AT_VHT, 7, 1, 20, 800, 0 }, AT_RATE_FORMAT, "VHT is for 5 GHz" },
	};
	struct at_rate all = { 0, AT_VHT, 200, 200, 7, 7, 7 }, streams = { 0, AT_VHT, 9, 200, 20, 800, 0 };
	enum at_rate_part part = AT_RATE_PARTS;

	for (u32 i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		CHECK_EQ(wrong(no[i].profile, no[i].r, &part), 1);
		CHECK_EQ(part, no[i].part);
		CHECK(!strcmp(at_rate_wrong(phy(no[i].profile), &no[i].r, part), no[i].text));
	}
	CHECK_EQ(wrong("std-11ac", all, &part), 5);	/* each is told */
	CHECK_EQ(wrong("std-11ac", streams, &part), 1);
	CHECK_EQ(part, AT_RATE_NSS);
	/* a newer access point has stations of before; a rate in Mb/s is one anywhere */
	CHECK(allowed("std-11ax", ht(7, 2, 40, 400)) && allowed("std-11ax", vht(9, 1, 80, 400)));
	CHECK(allowed("std-11ax-2g4", ht(7, 2, 40, 400)) && allowed("std-11ac", ht(0, 1, 20, 800)));
	CHECK(allowed("phy-a", (struct at_rate){ .kbps = 54000 }));
	CHECK(allowed("std-11ax", (struct at_rate){ .kbps = 6000 }));
}

/* What the profiles say of themselves: ns, bytes, MHz. */
static void profiles(void)
{
	static const struct {
		const char *name;
		u32 format, ghz, sifs, difs, extension, width, width_max, window, ampdu, eifs;
	} want[] = {	/* EIFS: SIFS + an ACK at 6 Mb/s (44 us), at 1 Mb/s (304 us), + DIFS */
		{ "std-11n", AT_HT, 5, 16, 34, 0, 20, 40, 64, 65535, 94 },
		{ "std-11n-2g4", AT_HT, 2, 10, 28, 6, 20, 40, 64, 65535, 342 },
		{ "std-11ac", AT_VHT, 5, 16, 34, 0, 80, 160, 64, 1048575, 94 },
		{ "std-11ax", AT_HE, 5, 16, 34, 0, 80, 160, 256, 4194303, 94 },
		{ "std-11ax-2g4", AT_HE, 2, 10, 28, 6, 20, 40, 256, 4194303, 342 },
	};
	u32 with_mcs = 0;

	for (u32 i = 0; i < 5; i++) {
		const struct at_phy *p = phy(want[i].name);

		CHECK_EQ(p->slot, 9 * US);
		CHECK_EQ(p->sifs, want[i].sifs * US);
		CHECK_EQ(p->difs, want[i].difs * US);
		CHECK_EQ(p->extension, want[i].extension * US);
		CHECK_EQ(at_aifs_ns(p, 3), (want[i].sifs + 27) * US);
		CHECK_EQ(at_aifs_ns(p, 2), p->difs);
		CHECK_EQ(at_eifs_ns(p), want[i].eifs * US);
		CHECK_EQ(p->format, want[i].format);
		CHECK_EQ(p->ghz, want[i].ghz);
		CHECK_EQ(p->width, want[i].width);
		CHECK_EQ(p->width_max, want[i].width_max);
		CHECK_EQ(p->window, want[i].window);
		CHECK_EQ(p->ampdu_bytes, want[i].ampdu);
		CHECK_EQ(p->mac_bytes, 38);
		CHECK_EQ(p->cw_min, 15);
		CHECK_EQ(p->cw_max, 1023);
		CHECK_EQ(p->base_kbps, 6000);
	}
	for (const struct at_phy *p = at_phys; p->name; p++)
		if (p->format != AT_LEGACY)
			with_mcs++;
		else
			CHECK(!p->ghz && !p->width && !p->width_max && !p->window && !p->ampdu_bytes);
	CHECK_EQ(with_mcs, 5);
}

/* Control frames: 20 us and ceil((8 bytes + 22) / (24, 48 or 96)) symbols; us. */
static void control_frames(void)
{
	const struct at_phy *p = phy("std-11n"), *p2 = phy("std-11n-2g4"), *g = phy("std-11g");
	struct at_rate r = ht(7, 1, 20, 800), old = { .format = AT_LEGACY, .kbps = 9000 };

	/* IEEE 802.11-2020 table 10-10 (non-HT reference rates 6, 12, 18, 24, 36, 48, 54, 54) and
	 * 10.6.6.5, for any streams, width and guard interval */
	for (u8 mcs = 0; mcs <= 7; mcs++) {
		static const u32 kbps[] = { 6000, 12000, 12000, 24000, 24000, 24000, 24000, 24000 };
		static const u64 ack[] = { 44, 32, 32, 28, 28, 28, 28, 28 };	/* 134 bits: 6, 3, 2 */
		struct at_rate one = ht(mcs, 1, 20, 800), four = ht(mcs, 4, 40, 400);

		CHECK_EQ(at_answer_kbps(p, &one), kbps[mcs]);
		CHECK_EQ(at_answer_kbps(p, &four), kbps[mcs]);
		CHECK_EQ(at_control_ns(p, &one, AT_ACK_BYTES), ack[mcs] * US);
		CHECK_EQ(at_control_ns(p2, &four, AT_ACK_BYTES), (ack[mcs] + 6) * US);
	}
	CHECK_EQ(at_control_ns(p, &r, AT_ACK_BYTES), 28 * US);		/* 134 bits: 2 */
	CHECK_EQ(at_control_ns(p, &r, AT_CTS_BYTES), 28 * US);
	CHECK_EQ(at_control_ns(p, &r, AT_RTS_BYTES), 28 * US);		/* 182: 2 */
	CHECK_EQ(at_control_ns(p, &r, AT_BAR_BYTES), 32 * US);		/* 214: 3 */
	CHECK_EQ(at_control_ns(p, &r, at_ba_bytes(64)), 32 * US);		/* 278: 3 */
	CHECK_EQ(at_control_ns(p, &r, at_ba_bytes(65)), 40 * US);		/* 470: 5 */
	CHECK_EQ(at_control_ns(p, &r, at_ba_bytes(256)), 40 * US);
	CHECK_EQ(at_ba_bytes(1), 32);
	CHECK_EQ(at_control_ns(p2, &r, at_ba_bytes(64)), 38 * US);
	r.mcs = 0;
	CHECK_EQ(at_control_ns(p, &r, at_ba_bytes(64)), 68 * US);		/* 278: 12 */
	/* the older ones answer at a rate that goes by the data's */
	CHECK_EQ(at_control_ns(g, &old, AT_RTS_BYTES), (26 + 4 * 8) * US);	/* 182 / 24 */
	/* an OFDM frame under a profile with MCS: 6 Mb/s, 100 + 38 bytes, 1126 / 24 */
	CHECK_EQ(at_data_ns(p, 6000, 100, 1), (20 + 4 * 47) * US);
}

/* n of 1500 bytes of IP: 1544 n - 2; and subframe by subframe. */
static void aggregates(void)
{
	u64 seed = 1;
	u32 psdu = 0;

	for (u32 n = 1; n <= 256; n++) {
		psdu = at_ampdu_add(psdu, 1538);
		CHECK_EQ(psdu, 1544 * n - 2);
		CHECK_EQ(at_ampdu_bytes(n, 1538), psdu);
	}
	CHECK_EQ(at_ampdu_bytes(0, 1538), 0);
	CHECK_EQ(at_ampdu_bytes(2, 1538 + AT_CCMP_BYTES), 4 + 1556 + 4 + 1554);
	for (u32 i = 0; i < 1000; i++) {
		u32 body = 0, last = 0;

		psdu = 0;
		for (u32 n = 0; n < 64; n++) {	/* whole subframes, the last without its pad */
			last = 4 + 38 + (u32)below(&seed, 1501);
			psdu = at_ampdu_add(psdu, last - 4);
			CHECK_EQ(psdu, body + last);
			body += last;
			while (body % 4)
				body++;
		}
	}
}

/* AIFS of best effort (43 us at 5 GHz), 7.5 slots, PPDU, SIFS, ACK or BLOCK ACK; tenths of us. */
static void cycle(const char *profile, struct at_rate r, u32 n, u32 ppdu, u32 want, double mbps)
{
	const struct at_phy *p = phy(profile);
	u32 mpdu = 1500 + p->mac_bytes;
	u32 psdu = n > 1 ? at_ampdu_bytes(n, mpdu) : mpdu;
	u32 answer = n > 1 ? at_ba_bytes(n > 64 ? 256 : 64) : AT_ACK_BYTES;
	u64 ns = at_aifs_ns(p, 3) + p->slot * 15 / 2 + at_ppdu_ns(p, &r, psdu) + p->sifs +
		 at_control_ns(p, &r, answer);
	double digits = mbps > 100 ? 100 : 1000;

	CHECK(allowed(profile, r));
	CHECK_EQ(at_ppdu_ns(p, &r, psdu), ppdu * US);
	CHECK_EQ(ns, want * 100ull);
	CHECK_EQ(llround(n * 12000e3 / (double)ns * digits), llround(mbps * digits));
}

static void cycles(void)
{
	struct at_rate mcs7 = ht(7, 1, 20, 800);

	cycle("std-11n", mcs7, 1, 228, 3825, 31.373);
	cycle("std-11n", mcs7, 2, 420, 5785, 41.487);
	cycle("std-11n", mcs7, 8, 1560, 17185, 55.863);
	cycle("std-11n", mcs7, 20, 3840, 39985, 60.023);
	cycle("std-11n", mcs7, 28, 5360, 55185, 60.886);
	cycle("std-11n", ht(7, 2, 40, 400), 42, 1772, 19305, 261.07);
	cycle("std-11ac", vht(9, 1, 80, 800), 64, 2068, 22265, 344.94);
	cycle("std-11ac", vht(9, 1, 80, 400), 64, 1868, 20265, 378.98);
	cycle("std-11ax", he(11, 1, 80, 800, 0), 256, 5320, 54865, 559.92);
	cycle("std-11ax", he(11, 1, 80, 3200, 0), 224, 5476, 56425, 476.38);
	/* 2.4 GHz: SIFS 10, 6 us behind either frame: 37 + 67.5 + 234 + 10 + 34 */
	cycle("std-11n-2g4", mcs7, 1, 234, 3825, 31.373);
	/* one HE frame is an aggregate, too: 36 + 7.2 and 27 symbols of 13.6 (12352 bits, 468 each) */
	CHECK_EQ(at_ppdu_ns(phy("std-11ax"), &(struct at_rate){ .format = AT_HE, .mcs = 3, .nss = 1, .width = 20, .gi = 800 },
			    at_ampdu_bytes(1, 1538)), 43200 + 27 * 13600);
}

/* The most frames of 1500 bytes in an aggregate of 65535 bytes and 4 ms at HT rates (exact, with
 * preambles of 36, 40 and 48 us), and what the longest PPDU allows. */
static void frames_in_an_aggregate(void)
{
	static const struct { u8 mcs, nss; u16 width, gi; u32 ns, frames; } want[] = {
		{ 0, 1, 20, 800, 4000000, 2 }, { 1, 1, 20, 800, 4000000, 4 }, { 3, 1, 20, 800, 4000000, 8 },
		{ 5, 1, 20, 800, 4000000, 16 }, { 7, 1, 20, 800, 4000000, 20 }, { 7, 2, 20, 800, 4000000, 41 },
		{ 7, 2, 20, 400, 4000000, 42 }, { 7, 2, 40, 400, 4000000, 42 }, { 7, 4, 40, 400, 4000000, 42 },
		{ 7, 1, 20, 800, AT_PPDU_MAX_NS, 28 }, { 7, 1, 20, 800, 4000000000u, 28 },
	};
	const struct at_phy *p = phy("std-11n");

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct at_rate r = ht(want[i].mcs, want[i].nss, want[i].width, want[i].gi);
		u32 most = at_psdu_within(p, &r, want[i].ns), n = 0;

		if (most > p->ampdu_bytes)
			most = p->ampdu_bytes;
		while (n < p->window && at_ampdu_bytes(n + 1, 1538) <= most)
			n++;
		CHECK_EQ(n, want[i].frames);
	}
}

/* Data bits of a symbol of one stream in 20 MHz, times 3 (MCS 9 of VHT has thirds). */
static const u32 ht_bits[] = { 78, 156, 234, 312, 468, 624, 702, 780, 936, 1040 };
/* HE in 20 MHz; in 80 MHz. */
static const u32 he20_bits[] = { 351, 702, 1053, 1404, 2106, 2808, 3159, 3510, 4212, 4680, 5265, 5850 };
static const u32 he80_bits[] = { 1470, 2940, 4410, 5880, 8820, 11760, 13230, 14700, 17640, 19600, 22050, 24500 };

/* What N_ES is in the standard's tables where it is not one for each 2160 bits: width, streams, MCS, N_ES. */
static const u32 encoders[][4] = {
	{ 80, 7, 2, 3 }, { 80, 7, 7, 6 }, { 80, 7, 8, 6 }, { 80, 8, 7, 6 }, { 160, 4, 7, 6 },
	{ 160, 5, 8, 8 }, { 160, 6, 7, 8 }, { 160, 7, 4, 6 }, { 160, 7, 7, 9 }, { 160, 7, 8, 12 },
	{ 160, 7, 9, 12 }, { 160, 8, 5, 8 }, { 160, 8, 8, 12 },
};

static double oracle_preamble_us(const struct at_rate *r)
{
	double ltfs[] = { 0, 1, 2, 4, 4, 6, 6, 8, 8 };

	if (r->format == AT_HE)
		return 36 + ltfs[r->nss] * (r->gi == 800 ? 7.2 : r->gi == 1600 ? 8 : 16);
	return (r->format == AT_HT ? 32 : 36) + 4 * ltfs[r->nss];
}

static double oracle_us(const struct at_rate *r, u32 bytes)
{
	double ltfs[] = { 0, 1, 2, 4, 4, 6, 6, 8, 8 }, gi = r->gi / 1e3, bits, nes, n;

	if (r->format == AT_HE) {
		const u32 *of = r->width < 80 ? he20_bits : he80_bits;

		bits = floor(of[r->mcs] * r->nss * (r->width % 80 == 40 || r->width == 160 ? 2.0 : 1.0) / 3.0);
		n = ceil((8.0 * bytes + 16) / bits);
		return 36 + ltfs[r->nss] * ((r->gi == 3200 ? 12.8 : 6.4) + gi) + n * (12.8 + gi);
	}
	/* 52, 108, 234, 468 subcarriers */
	bits = ht_bits[r->mcs] * r->nss / 3.0 *
	       (r->width == 20 ? 1 : r->width == 40 ? 108 / 52.0 : r->width == 80 ? 4.5 : 9);
	bits = round(bits);
	if (r->format == AT_HT) {
		/* 1 up to 300 Mb/s */
		nes = bits / 3.6 > 300.1 ? 2 : 1;
	} else {
		nes = ceil(bits / 2160);
		for (u32 i = 0; i < sizeof(encoders) / sizeof(encoders[0]); i++)
			if (encoders[i][0] == r->width && encoders[i][1] == r->nss && encoders[i][2] == r->mcs)
				nes = encoders[i][3];
	}
	n = ceil((8.0 * bytes + 16 + 6 * nes) / bits);
	return (r->format == AT_HT ? 32 : 36) + 4 * ltfs[r->nss] +
	       (r->gi == 400 ? 4 * ceil(n * 3.6 / 4 - 1e-9) : 4 * n);
}

static bool any_rate(u64 *seed, const struct at_phy *p, struct at_rate *r)
{
	u32 which = (u32)below(seed, 3);

	*r = (struct at_rate){ .format = (u8)(which + AT_HT), .mcs = (u8)below(seed, 12),
			       .nss = (u8)(1 + below(seed, 8)), .width = mhz[below(seed, 4)],
			       .gi = (u16)(400 << below(seed, 4)) };
	for (u32 i = 0; i < AT_RATE_PARTS; i++)
		if (at_rate_wrong(p, r, i))
			return false;
	return true;
}

/* Every rate's duration for random lengths, and the inverse: a byte more lasts longer. */
static void durations(void)
{
	const struct at_phy *p = phy("std-11ax");
	u64 seed = 7;
	u32 checked = 0;

	while (checked < 200000) {
		struct at_rate r;
		u32 bytes = (u32)below(&seed, below(&seed, 2) ? 4000 : 4194304);
		u32 ns = (u32)below(&seed, 6000000), most;

		if (!any_rate(&seed, p, &r))
			continue;
		checked++;
		CHECK_EQ(at_ppdu_ns(p, &r, bytes), llround(oracle_us(&r, bytes) * 1e3));
		CHECK_EQ(at_preamble_ns(p, &r), llround(oracle_preamble_us(&r) * 1e3));
		most = at_psdu_within(p, &r, ns);
		if (ns > AT_PPDU_MAX_NS)
			ns = AT_PPDU_MAX_NS;
		CHECK(at_ppdu_ns(p, &r, most + 1) > ns);
		if (most)
			CHECK(at_ppdu_ns(p, &r, most) <= ns);
	}
}

/* Rates in kb/s are the frames of airtime.h, protection included; and their inverse. */
static void legacy(void)
{
	u64 seed = 9;

	for (const struct at_phy *p = at_phys; p->name; p++)
		for (u32 i = 0; i < 2000; i++) {
			struct at_rate r = { .kbps = 1000 + (u32)below(&seed, 200) * 500 };
			u32 ip = (u32)below(&seed, 3000), ns = (u32)below(&seed, 30000000), most;

			CHECK_EQ(at_ppdu_ns(p, &r, ip + p->mac_bytes), at_data_ns(p, r.kbps, ip, 1));
			CHECK_EQ(at_rate_kbps(&r), r.kbps);
			most = at_psdu_within(p, &r, ns);
			CHECK(most == 65535 || at_ppdu_ns(p, &r, most + 1) > ns);
			CHECK(!most || at_ppdu_ns(p, &r, most) <= ns);
		}
}

int main(void)
{
	CASE(every_ht_rate());
	CASE(every_vht_rate());
	CASE(every_he_rate());
	CASE(kbps());
	CASE(refused());
	CASE(profiles());
	CASE(control_frames());
	CASE(aggregates());
	CASE(cycles());
	CASE(frames_in_an_aggregate());
	CASE(durations());
	CASE(legacy());
	return 0;
}
