/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/rates.h: rates by MCS (802.11n, ac, ax), how long a PPDU at one takes,
 * and how many bytes an A-MPDU has. Integer nanoseconds, exact: these PHYs send
 * whole symbols.
 *
 * Sources: IEEE Std 802.11-2020, clauses 19 (HT), 21 (VHT), 9.7 and 10.12
 * (A-MPDU), 9.3.1 (control frames); IEEE Std 802.11ax-2021, clause 27 (HE).
 * HT frames are of mixed format with BCC, VHT of one user with BCC, HE of one
 * user with LDPC, all without STBC; HE without packet extension, without the
 * extra symbol that LDPC sometimes needs, and without DCM.
 *
 * What this is not: no contention, no errors, no choice of a rate, no HE-SIG-B
 * (a PPDU of several users has one more field).
 */
#ifndef AIRTAB_RATES_H
#define AIRTAB_RATES_H

#include "airtab/airtime.h"

struct at_rate {
	u32 kbps;		/* of AT_LEGACY, not 0; the rest counts in the others */
	u8 format;		/* enum at_format */
	u8 mcs;			/* of each stream: HT's MCS 15 is 7 with 2 streams */
	u8 nss;			/* spatial streams */
	u16 width;		/* MHz */
	u16 gi;			/* guard interval, ns: 400, 800; HE 800, 1600, 3200 */
	u16 ru;			/* tones of HE's resource unit; 0 = the whole width */
};

/* Parts of a rate that can be wrong. */
enum at_rate_part {
	AT_RATE_FORMAT, AT_RATE_MCS, AT_RATE_NSS, AT_RATE_WIDTH, AT_RATE_GI, AT_RATE_RU,
	AT_RATE_PARTS,
};

/* Lengths of control frames, bytes; BLOCK ACK by at_ba_bytes(). */
enum { AT_ACK_BYTES = 14, AT_CTS_BYTES = 14, AT_RTS_BYTES = 20, AT_BAR_BYTES = 24 };

/* Longest PPDU of any of these formats (aPPDUMaxTime), ns. */
#define AT_PPDU_MAX_NS 5484000u
/* What CCMP adds to an MPDU, bytes. */
#define AT_CCMP_BYTES 16u

/* NULL if that part of a rate can be under that profile; else what is allowed,
 * a constant text. All below take rates none of whose parts is wrong. */
const char *at_rate_wrong(const struct at_phy *phy, const struct at_rate *rate,
			  enum at_rate_part part);

/* kb/s, rounded to the nearest. As in the published tables, N_DBPS is not
 * rounded down for it: in one 996-tone unit HE-MCS 11 is 600.490 Mb/s. */
u32 at_rate_kbps(const struct at_rate *rate);
/* What a PPDU takes beside its symbols: preamble and signal extension, ns. Not of
 * AT_LEGACY. */
u32 at_preamble_ns(const struct at_phy *phy, const struct at_rate *rate);
/* Duration of one PPDU of so many bytes, its signal extension and, of
 * AT_LEGACY, what protects it included, ns. */
u64 at_ppdu_ns(const struct at_phy *phy, const struct at_rate *rate, u32 psdu_bytes);
/* The longest PSDU whose PPDU takes at most ns, and AT_PPDU_MAX_NS, bytes; 0 if
 * there is none. Of AT_LEGACY at most 65535, however long they take. */
u32 at_psdu_within(const struct at_phy *phy, const struct at_rate *rate, u32 ns);

/* Length of an A-MPDU of `psdu` bytes (0: none yet) with one more MPDU: every
 * subframe has a delimiter of 4 bytes, and all but the last are padded to 4. */
u32 at_ampdu_add(u32 psdu, u32 mpdu_bytes);
/* Length of an A-MPDU of n MPDUs of equal size. */
u32 at_ampdu_bytes(u32 n, u32 mpdu_bytes);
/* Length of the compressed BLOCK ACK for a window of so many MPDUs, up to 256. */
u32 at_ba_bytes(u32 window);
/* Rate of a control frame that answers, or asks for, data sent at that rate, kb/s. It is the highest ACK
 * rate up to the rate of modulation and code of the data with one stream at 20 MHz (IEEE 802.11-2020
 * 10.6.6.5). */
u32 at_answer_kbps(const struct at_phy *phy, const struct at_rate *rate);
/* Duration of such a control frame, ns. */
u64 at_control_ns(const struct at_phy *phy, const struct at_rate *rate, u32 bytes);
/* SIFS and aifsn slots: how long the medium is idle before an access category counts down, ns. */
u64 at_aifs_ns(const struct at_phy *phy, u32 aifsn);

#endif
