/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What packets cost in airtime: see airtab/aircost.h.
 */
#include "airtab/aircost.h"

#define LONG_PREAMBLE 192000u	/* ns, of DSSS */

/* Windows of 32 slots: (9.3), 16.16. */
static const u32 wide[AT_CONTENDERS] = {
	1015323, 527459, 351340, 275898, 235018, 207643, 186780, 169877,
	155820, 143996, 133991, 125492, 118246, 112046, 106719, 102122,
	98137, 94663, 91618, 88933, 86550, 84422, 82507, 80773,
	79192, 77741, 76400, 75152, 73985, 72887, 71848, 70861,
	69919, 69016, 68148, 67311, 66502, 65717, 64954, 64212,
	63489, 62782, 62092, 61417, 60757, 60109, 59474, 58852,
	58241, 57641, 57052, 56473, 55905, 55346, 54797, 54257,
	53726, 53204, 52691, 52186, 51690, 51201, 50721, 50249,
};

/* Windows of 16 slots: the contention phase itself, 3e6 successes each, 16.16. */
static const u32 narrow_windows[AT_CONTENDERS] = {
	491520, 261521, 190493, 155648, 135004, 121058, 110749, 102728,
	96790, 91606, 87399, 83552, 80262, 77575, 74986, 72817,
	70635, 68944, 67063, 65444, 63839, 62659, 61401, 60208,
	59068, 58032, 56892, 56001, 55096, 54198, 53510, 52763,
	51957, 51295, 50640, 49978, 49349, 48634, 48267, 47559,
	46963, 46491, 45967, 45443, 45056, 44623, 44106, 43765,
	43273, 42821, 42435, 41982, 41687, 41275, 41006, 40645,
	40246, 39885, 39564, 39243, 38961, 38738, 38325, 38024,
};

u32 at_contention(bool narrow, u32 n)
{
	u32 i = n < AT_CONTENDERS ? n : AT_CONTENDERS;

	return narrow ? narrow_windows[i - 1] : wide[i - 1];
}

const char *at_aircost_wrong(const struct at_phy *phy, u32 kbps)
{
	static const u32 dsss[] = { 1000, 2000, 5500, 11000 };
	static const u32 ofdm[] = { 6000, 9000, 12000, 18000, 24000, 36000, 48000, 54000 };
	bool has_ofdm = phy->symbol, has_dsss = phy->dsss_preamble || phy->preamble == LONG_PREAMBLE;

	if (phy->format != AT_LEGACY || (!has_ofdm && !has_dsss))	/* by MCS; a study's own */
		return NULL;
	for (u32 i = 0; has_dsss && i < 4; i++)
		if (dsss[i] == kbps)
			return NULL;
	for (u32 i = 0; has_ofdm && i < 8; i++)
		if (ofdm[i] == kbps)
			return NULL;
	if (has_dsss && has_ofdm)
		return "is not a rate of that phy: 1, 2, 5.5, 11, or 6, 9, 12, 18, 24, 36, 48, 54 Mb/s";
	return has_dsss ? "is not a rate of that phy: 1, 2, 5.5 or 11 Mb/s" :
			  "is not a rate of that phy: 6, 9, 12, 18, 24, 36, 48 or 54 Mb/s";
}

static void aircost_with_windows_of(struct at_aircost *c, const struct at_phy *phy, u32 kbps)
{
	c->slot = phy->slot;
	c->narrow = (at_is_dsss(phy, kbps) && phy->dsss_cw_min ? phy->dsss_cw_min : phy->cw_min) < 31;
}

void at_aircost_of_rate(struct at_aircost *c, const struct at_phy *phy, u32 kbps)
{
	u64 empty = at_exchange_ns(phy, kbps, 0, 1), full = at_exchange_ns(phy, kbps, AT_FULL_BYTES, 1);

	aircost_with_windows_of(c, phy, kbps);
	c->frames = 1;
	c->overhead = (u32)(empty + phy->difs);
	c->per_byte = (u32)at_div(((full - empty) << 16) + AT_FULL_BYTES / 2, AT_FULL_BYTES);
}

/* The profile of a number that a host gives, or NULL. */
static const struct at_phy *aircost_phy_of(u8 number)
{
	for (u8 i = 1; at_phys[i - 1].name; i++)
		if (i == number)
			return &at_phys[i - 1];
	return NULL;
}

bool at_aircost_of_link(struct at_aircost *c, const struct at_link *l)
{
	const struct at_phy *phy = aircost_phy_of(l->phy);
	u64 all, payload;

	if (!phy || !l->rate_kbps)
		return false;
	if (l->ampdu_frames < 2 || !l->ampdu_ns) {
		at_aircost_of_rate(c, phy, l->rate_kbps);
		return true;
	}
	aircost_with_windows_of(c, phy, l->rate_kbps);
	c->frames = l->ampdu_frames;
	c->per_byte = (u32)at_div((u64)8000000 << 16, l->rate_kbps);
	all = at_div((u64)l->ampdu_ns + phy->difs, l->ampdu_frames);
	payload = (u64)AT_FULL_BYTES * c->per_byte >> 16;
	c->overhead = (u32)(all > payload ? all - payload : 0);
	return true;
}
