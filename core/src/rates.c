/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Rates by MCS and what PPDUs at them take: see airtab/rates.h.
 */
#include "airtab/rates.h"

/* Coded bits on a subcarrier, and the share of them that is data, in twelfths. */
static const u8 coded_bits[12] = { 1, 2, 2, 4, 4, 6, 6, 6, 8, 8, 10, 10 };
static const u8 twelfths[12] = { 6, 6, 9, 6, 9, 8, 9, 10, 9, 10, 9, 10 };
/* HT-LTFs, VHT-LTFs, HE-LTFs by streams. */
static const u8 training[9] = { 0, 1, 2, 4, 4, 6, 6, 8, 8 };

/* Data subcarriers of a width and, of HE, of a resource unit. */
static const struct { u16 mhz, ht, he; } widths[] = {
	{ 20, 52, 234 }, { 40, 108, 468 }, { 80, 234, 980 }, { 160, 468, 1960 },
};
static const struct { u16 tones, mhz, data; } units[] = {
	{ 26, 20, 24 }, { 52, 20, 48 }, { 106, 20, 102 }, { 242, 20, 234 }, { 484, 40, 468 }, { 996, 80, 980 },
};

/* Longest legacy frame that is looked for, bytes. */
#define LEGACY_MAX 65535u

#define COUNT(a) ((u32)(sizeof(a) / sizeof((a)[0])))

/* What a format has. */
static const struct format {
	u8 mcs, nss;
	u16 width;
	const char *mcs_text, *nss_text, *width_text;
} formats[] = {
	[AT_HT] = { 7, 4, 40, "HT has MCS 0 to 7 for each stream: MCS 15 is 7 with 2 streams",
		    "HT has 1 to 4 streams", "HT has 20 and 40 MHz" },
	[AT_VHT] = { 9, 8, 160, "VHT has MCS 0 to 9", "VHT has 1 to 8 streams",
		     "VHT has 20, 40, 80 and 160 MHz" },
	[AT_HE] = { 11, 8, 160, "HE has MCS 0 to 11", "HE has 1 to 8 streams",
		    "HE has 20, 40, 80 and 160 MHz" },
};

/* What VHT leaves out (21.5): the bits of a symbol cannot be dealt out evenly. */
static const struct { u16 width; u8 mcs, streams; const char *text; } left_out[] = {
	{ 20, 9, 0xdb, "VHT has MCS 9 at 20 MHz with 3 or 6 streams alone" },
	{ 80, 6, 0x44, "VHT has no MCS 6 at 80 MHz with 3 or 7 streams" },
	{ 80, 9, 0x20, "VHT has no MCS 9 at 80 MHz with 6 streams" },
	{ 160, 9, 0x04, "VHT has no MCS 9 at 160 MHz with 3 streams" },
};

static const char *wrong_format(const struct at_phy *phy, const struct at_rate *rate)
{
	if (rate->format == AT_LEGACY)
		return rate->kbps ? NULL : "a rate is above 0";
	if (phy->format == AT_LEGACY)
		return "the profile's rates are in Mb/s: it has no MCS";
	if (rate->format > phy->format)
		return "the profile has no such format";
	return rate->format == AT_VHT && phy->ghz == 2 ? "VHT is for 5 GHz" : NULL;
}

static const char *wrong_mcs(const struct at_rate *rate)
{
	if (rate->mcs > formats[rate->format].mcs)
		return formats[rate->format].mcs_text;
	for (u32 i = 0; rate->format == AT_VHT && i < COUNT(left_out); i++)
		if (left_out[i].width == rate->width && left_out[i].mcs == rate->mcs &&
		    rate->nss <= 8 && left_out[i].streams << 1 >> rate->nss & 1)
			return left_out[i].text;
	return NULL;
}

static const char *wrong_width(const struct at_phy *phy, const struct at_rate *rate)
{
	u32 i = 0;

	while (i < COUNT(widths) && widths[i].mhz != rate->width)
		i++;
	if (i == COUNT(widths) || rate->width > formats[rate->format].width)
		return formats[rate->format].width_text;
	return rate->width > phy->width_max ? "the profile has 20 and 40 MHz" : NULL;
}

static const char *wrong_gi(const struct at_rate *rate)
{
	if (rate->format == AT_HE)
		return rate->gi == 800 || rate->gi == 1600 || rate->gi == 3200 ? NULL :
		       "HE has guard intervals of 800, 1600 and 3200 ns";
	return rate->gi == 400 || rate->gi == 800 ? NULL :
	       "HT and VHT have guard intervals of 400 and 800 ns";
}

static const char *wrong_ru(const struct at_rate *rate)
{
	if (!rate->ru)
		return NULL;
	if (rate->format != AT_HE)
		return "only HE has resource units";
	for (u32 i = 0; i < COUNT(units); i++)
		if (units[i].tones == rate->ru)
			return units[i].mhz <= rate->width ? NULL :
			       "a resource unit of 484 tones needs 40 MHz, one of 996 needs 80";
	return "resource units have 26, 52, 106, 242, 484 or 996 tones";
}

const char *at_rate_wrong(const struct at_phy *phy, const struct at_rate *rate,
			  enum at_rate_part part)
{
	const char *format = wrong_format(phy, rate);

	if (part == AT_RATE_FORMAT)
		return format;
	if (format || rate->format == AT_LEGACY)
		return NULL;
	switch (part) {
	case AT_RATE_MCS:
		return wrong_mcs(rate);
	case AT_RATE_NSS:
		return rate->nss - 1u < formats[rate->format].nss ? NULL : formats[rate->format].nss_text;
	case AT_RATE_WIDTH:
		return wrong_width(phy, rate);
	case AT_RATE_GI:
		return wrong_gi(rate);
	default:
		return wrong_ru(rate);
	}
}

/* N_SD: data subcarriers. */
static u32 subcarriers(const struct at_rate *rate)
{
	u32 i = 0;

	if (rate->ru) {
		while (i < COUNT(units) - 1 && units[i].tones != rate->ru)
			i++;
		return units[i].data;
	}
	while (i < COUNT(widths) - 1 && widths[i].mhz != rate->width)
		i++;
	return rate->format == AT_HE ? widths[i].he : widths[i].ht;
}

/* Data bits of a symbol, in twelfths: not always whole ones. */
static u32 bits_by_12(const struct at_rate *rate)
{
	return subcarriers(rate) * rate->nss * coded_bits[rate->mcs] * twelfths[rate->mcs];
}

static u32 symbol_ns(const struct at_rate *rate)
{
	return (rate->format == AT_HE ? 12800u : 3200u) + rate->gi;
}

u32 at_rate_kbps(const struct at_rate *rate)
{
	u32 ns = 12 * symbol_ns(rate);

	if (rate->format == AT_LEGACY)
		return rate->kbps;
	return (u32)at_div((u64)bits_by_12(rate) * 1000000 + ns / 2, ns);
}

/* N_ES: BCC encoders, each of up to 1080 (HT) or 2160 (VHT) data bits a symbol;
 * as many as take the same number of bits each, in whole blocks of the code. */
static u32 encoders(const struct at_rate *rate)
{
	u32 coded = subcarriers(rate) * rate->nss * coded_bits[rate->mcs];
	u32 most = rate->format == AT_HT ? 1080 : 2160;
	u32 n = (bits_by_12(rate) / 12 + most - 1) / most;

	while (n < 12 && (coded % n || coded / n * twelfths[rate->mcs] % 12))
		n++;
	return n;
}

/* A PPDU: what comes before and after its symbols, and what these hold. */
struct ppdu {
	u32 frame;		/* preamble and signal extension, ns */
	u32 symbol;		/* ns */
	u32 bits;		/* N_DBPS */
	u32 overhead;		/* service and tail, bits */
	u32 grid;		/* the symbols' sum is rounded up to it, ns */
};

static struct ppdu layout(const struct at_phy *phy, const struct at_rate *rate)
{
	struct ppdu p = {
		.symbol = symbol_ns(rate),
		.bits = bits_by_12(rate) / 12,
		.overhead = 16,
		.grid = rate->gi == 400 ? 4000 : 1,
	};
	u32 ltf = 4000;

	if (rate->format == AT_HE)	/* LTFs of 6.4, 6.4 and 12.8 us, and the GI */
		ltf = (rate->gi == 3200 ? 12800u : 6400u) + rate->gi;
	else
		p.overhead += 6 * encoders(rate);
	p.frame = (rate->format == AT_HT ? 32000u : 36000u) + training[rate->nss] * ltf + phy->extension;
	return p;
}

u32 at_preamble_ns(const struct at_phy *phy, const struct at_rate *rate)
{
	return layout(phy, rate).frame;
}

u64 at_ppdu_ns(const struct at_phy *phy, const struct at_rate *rate, u32 psdu_bytes)
{
	struct ppdu p;
	u64 ns;

	if (rate->format == AT_LEGACY)
		return (at_is_dsss(phy, rate->kbps) ? 0 : phy->protection) +
		       at_frame_ns(phy, rate->kbps, psdu_bytes);
	p = layout(phy, rate);
	ns = at_div((u64)psdu_bytes * 8 + p.overhead + p.bits - 1, p.bits) * p.symbol;
	return p.frame + at_div(ns + p.grid - 1, p.grid) * p.grid;
}

/* The same of a frame whose rate is in kb/s: in symbols or rounded to the nearest
 * ns, as the profile has it. Searched for, so that no rounding is written twice. */
static u32 legacy_within(const struct at_phy *phy, const struct at_rate *rate, u32 ns)
{
	u32 from = 0, to = LEGACY_MAX;

	while (from < to) {
		u32 bytes = from + (to - from + 1) / 2;

		if (at_ppdu_ns(phy, rate, bytes) <= ns)
			from = bytes;
		else
			to = bytes - 1;
	}
	return from;
}

u32 at_psdu_within(const struct at_phy *phy, const struct at_rate *rate, u32 ns)
{
	struct ppdu p;
	u64 bits;

	if (rate->format == AT_LEGACY)
		return legacy_within(phy, rate, ns);
	p = layout(phy, rate);
	if (ns > AT_PPDU_MAX_NS)
		ns = AT_PPDU_MAX_NS;
	if (ns < p.frame)
		return 0;
	ns -= p.frame;
	bits = (u64)((ns - ns % p.grid) / p.symbol) * p.bits;
	return bits < p.overhead ? 0 : (u32)((bits - p.overhead) >> 3);
}

u32 at_ampdu_add(u32 psdu, u32 mpdu_bytes)
{
	return ((psdu + 3) & ~3u) + 4 + mpdu_bytes;
}

u32 at_ampdu_bytes(u32 n, u32 mpdu_bytes)
{
	return n ? (n - 1) * (4 + ((mpdu_bytes + 3) & ~3u)) + 4 + mpdu_bytes : 0;
}

u32 at_ba_bytes(u32 window)
{
	return window > 64 ? 56 : 32;
}

u32 at_answer_kbps(const struct at_phy *phy, const struct at_rate *rate)
{
	/* BPSK 1/2; QPSK 1/2 and 3/4 (12 and 18 Mb/s); 16-QAM 1/2 and above */
	static const u32 reference[] = { 6000, 12000, 18000, 24000 };
	u32 mcs = rate->mcs < 3 ? rate->mcs : 3;

	return at_control_kbps(phy, rate->format == AT_LEGACY ? rate->kbps : reference[mcs]);
}

u64 at_control_ns(const struct at_phy *phy, const struct at_rate *rate, u32 bytes)
{
	return at_frame_ns(phy, at_answer_kbps(phy, rate), bytes);
}

u64 at_aifs_ns(const struct at_phy *phy, u32 aifsn)
{
	return phy->sifs + (u64)aifsn * phy->slot;
}
