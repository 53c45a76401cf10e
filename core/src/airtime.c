/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * 802.11 exchange times: see airtab/airtime.h.
 *
 * Sources of the profiles: phy-a and d6.3, d7.1 from the CHAP dissertation
 * (calibrated channel; its sections 6.3 and 7.1), starzetz-11b from the VFQ
 * thesis (section 9.2), dnb-11b and wqm-11n from the buffer-sizing thesis
 * (tables 4.1 and 5.1); std-* are the standard's own constants (IEEE 802.11-2020,
 * clauses 15 to 19 and 21; 802.11ax-2021, clause 27).
 */
#include "airtab/airtime.h"

#define US 1000u
#define DSSS_PREAMBLE (192 * US)	/* the long one */
/* SIFS and a CTS of 14 bytes at 11 Mb/s. */
#define CTS_TO_SELF (10 * US + DSSS_PREAMBLE + 10182)

static const u32 ofdm_basic[] = { 6000, 12000, 24000, 0 };
static const u32 dsss_basic[] = { 1000, 2000, 0 };
/* Those of DSSS are below, or no ACK rate of, the OFDM rates above them. */
static const u32 mixed_basic[] = { 1000, 2000, 5500, 6000, 11000, 12000, 24000, 0 };
static const u32 only_6000[] = { 6000, 0 };
static const u32 only_1000[] = { 1000, 0 };

/* Rates in kb/s: no format, band, widths, window, aggregate. */
#define NO_MCS 0, 0, 0, 0, 0, 0
/* Constants of all profiles of 802.11n, ac and ax; control frames are OFDM at 6, 12 or 24 Mb/s. */
#define OFDM_CONTROL							\
	.slot = 9 * US, .preamble = 20 * US, .symbol = 4 * US,		\
	.mac_bytes = 38, .ack_bytes = 14, .cw_min = 15, .cw_max = 1023,	\
	.base_kbps = 6000, .ack_kbps = ofdm_basic
#define BAND_5GHZ OFDM_CONTROL, .ghz = 5, .sifs = 16 * US, .difs = 34 * US, .eifs_kbps = 6000
#define BAND_2GHZ OFDM_CONTROL, .ghz = 2, .sifs = 10 * US, .difs = 28 * US, .extension = 6 * US,	\
	.eifs_kbps = 1000, .dsss_preamble = DSSS_PREAMBLE
#define FORMAT_HT .format = AT_HT, .window = 64, .ampdu_bytes = 65535
#define FORMAT_VHT .format = AT_VHT, .window = 64, .ampdu_bytes = 1048575
#define FORMAT_HE .format = AT_HE, .window = 256, .ampdu_bytes = 4194303

const struct at_phy at_phys[] = {
	{ "phy-a", "802.11g as calibrated for the CHAP studies: short slot, no symbol rounding",
	  9 * US, 10 * US, 28 * US, 20 * US, 0, 0, 34, 14, 15, 1023, 6000, ofdm_basic, 0, 0, 0, 0, 0, NO_MCS },
	{ "std-11g", "802.11g alone: short slot, 4 us symbols, 6 us signal extension",
	  9 * US, 10 * US, 28 * US, 20 * US, 6 * US, 4 * US, 36, 14, 15, 1023, 6000, ofdm_basic,
	  /* The lowest mandatory rate of an ERP PHY is 1 Mb/s. */
	  1000, 0, DSSS_PREAMBLE, 0, 0, NO_MCS },
	{ "std-11a", "802.11a: 5 GHz, 4 us symbols",
	  9 * US, 16 * US, 34 * US, 20 * US, 0, 4 * US, 36, 14, 15, 1023, 6000, ofdm_basic, 0, 0, 0, 0, 0, NO_MCS },
	{ "std-11b", "802.11b with long preamble, ACK at 1 or 2 Mb/s",
	  20 * US, 10 * US, 50 * US, 192 * US, 0, 0, 36, 14, 31, 1023, 1000, dsss_basic, 0, 0, 0, 0, 0, NO_MCS },
	{ "d6.3", "CHAP dissertation 6.3: no preamble, ACK at 6 Mb/s (306 us for 1500 bytes)",
	  20 * US, 10 * US, 50 * US, 0, 0, 0, 34, 14, 15, 1023, 6000, only_6000, 0, 0, 0, 0, 0, NO_MCS },
	{ "d7.1", "CHAP dissertation 7.1, the emulated link: no preamble, ACK at 1 Mb/s (399 us)",
	  20 * US, 10 * US, 50 * US, 0, 0, 0, 34, 14, 31, 1023, 1000, only_1000, 0, 0, 0, 0, 0, NO_MCS },
	{ "starzetz-11b", "VFQ thesis 9.2: 802.11b, ACK at 1 Mb/s behind its own preamble",
	  20 * US, 10 * US, 50 * US, 192 * US, 0, 0, 36, 14, 31, 1023, 1000, only_1000, 0, 0, 0, 0, 0, NO_MCS },
	{ "dnb-11b", "buffer-sizing thesis table 4.1: 802.11b, ACK at the data rate",
	  20 * US, 10 * US, 50 * US, 192 * US, 0, 0, 36, 14, 31, 1023, 1000, NULL, 0, 0, 0, 0, 0, NO_MCS },
	{ "wqm-11n", "buffer-sizing thesis table 5.1: 802.11n, block ACK at 6 Mb/s",
	  9 * US, 16 * US, 34 * US, 33 * US, 0, 0, 38, 30, 15, 1023, 6000, only_6000, 0, 0, 0, 0, 0, NO_MCS },
	{ "std-11bg", "802.11g beside 802.11b stations: long slot, CTS to self before OFDM, 1 to 11 Mb/s are DSSS",
	  20 * US, 10 * US, 50 * US, 20 * US, 6 * US, 4 * US, 36, 14, 15, 1023, 1000, mixed_basic,
	  1000, 0, DSSS_PREAMBLE, 31, CTS_TO_SELF, NO_MCS },
	{ .name = "std-11n", .about = "802.11n, 5 GHz: rates by MCS, A-MPDU, control frames at 24 Mb/s",
	  BAND_5GHZ, FORMAT_HT, .width = 20, .width_max = 40 },
	{ .name = "std-11n-2g4", .about = "802.11n, 2.4 GHz: the same with 6 us of signal extension",
	  BAND_2GHZ, FORMAT_HT, .width = 20, .width_max = 40 },
	{ .name = "std-11ac", .about = "802.11ac: 5 GHz, 80 MHz unless said otherwise, up to 160",
	  BAND_5GHZ, FORMAT_VHT, .width = 80, .width_max = 160 },
	{ .name = "std-11ax", .about = "802.11ax, 5 GHz: 80 MHz unless said otherwise, 256 frames an aggregate",
	  BAND_5GHZ, FORMAT_HE, .width = 80, .width_max = 160 },
	{ .name = "std-11ax-2g4", .about = "802.11ax, 2.4 GHz: 20 MHz unless said otherwise, up to 40",
	  BAND_2GHZ, FORMAT_HE, .width = 20, .width_max = 40 },
	{ 0 },
};

const char *const at_phy_names[] = {
	"phy-a", "std-11g", "std-11a", "std-11b", "d6.3", "d7.1", "starzetz-11b", "dnb-11b",
	"wqm-11n", "std-11bg", "std-11n", "std-11n-2g4", "std-11ac", "std-11ax", "std-11ax-2g4", NULL
};

_Static_assert(sizeof(at_phys) / sizeof(*at_phys) == AT_PHYS + 1, "AT_PHYS counts them");
_Static_assert(sizeof(at_phy_names) / sizeof(*at_phy_names) == AT_PHYS + 1, "and each has a name");

bool at_is_dsss(const struct at_phy *phy, u32 kbps)
{
	return phy->dsss_preamble && (kbps == 1000 || kbps == 2000 || kbps == 5500 || kbps == 11000);
}

/* OFDM adds 16 service and 6 tail bits. */
u64 at_frame_ns(const struct at_phy *phy, u32 kbps, u64 mac_bytes)
{
	u64 bits = mac_bytes * 8, body;

	if (at_is_dsss(phy, kbps))
		return phy->dsss_preamble + at_div(bits * 1000000 + kbps / 2, kbps);
	if (phy->symbol) {
		u32 per_symbol = (u32)at_div((u64)kbps * phy->symbol, 1000000);

		if (!per_symbol)	/* less than a bit a symbol: no such rate */
			per_symbol = 1;
		body = at_div(bits + 22 + per_symbol - 1, per_symbol) * phy->symbol;
	} else {
		body = at_div(bits * 1000000 + kbps / 2, kbps);
	}
	return phy->preamble + body + phy->extension;
}

u64 at_data_ns(const struct at_phy *phy, u32 kbps, u32 ip_bytes, u32 frames)
{
	return (at_is_dsss(phy, kbps) ? 0 : phy->protection) +
	       at_frame_ns(phy, kbps, ((u64)ip_bytes + phy->mac_bytes) * frames);
}

u32 at_control_kbps(const struct at_phy *phy, u32 kbps)
{
	u32 rate = phy->ack_only_kbps ? phy->ack_only_kbps : kbps;

	if (phy->ack_kbps && !phy->ack_only_kbps) {
		const u32 *r = phy->ack_kbps;

		for (rate = *r; *r && *r <= kbps; r++)
			rate = *r;
	}
	return rate;
}

u64 at_ack_ns(const struct at_phy *phy, u32 kbps)
{
	return at_frame_ns(phy, at_control_kbps(phy, kbps), phy->ack_bytes);
}

u64 at_ack_timeout_ns(const struct at_phy *phy, u32 kbps)
{
	return phy->sifs + at_ack_ns(phy, kbps);
}

u64 at_exchange_ns(const struct at_phy *phy, u32 kbps, u32 ip_bytes, u32 frames)
{
	return at_data_ns(phy, kbps, ip_bytes, frames) + phy->sifs + at_ack_ns(phy, kbps);
}

u64 at_eifs_ns(const struct at_phy *phy)
{
	u32 rate = phy->eifs_kbps ? phy->eifs_kbps : phy->base_kbps;

	return phy->sifs + at_frame_ns(phy, rate, phy->ack_bytes) + phy->difs;
}
