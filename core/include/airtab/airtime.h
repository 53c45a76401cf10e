/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/airtime.h: how long 802.11 frame exchanges take, as a pure function
 * of a profile. Integer nanoseconds, each frame rounded to the nearest.
 *
 * The published studies used different constant sets; each is a named profile,
 * so that each published number can be recomputed to its last printed digit.
 * docs/airtime.md lists profiles, formulas and vectors.
 *
 * What is here counts a rate in kb/s: DSSS and OFDM, and the studies' own
 * formulas. Rates by MCS, and real aggregates, are in airtab/rates.h; under a
 * profile that has those, what is here are its OFDM frames (beacons, control).
 *
 * What this is not: no contention, no retries (the cell adds those), no block
 * acknowledgement state. An aggregate counts as `frames` MPDUs of equal size
 * behind one preamble.
 */
#ifndef AIRTAB_AIRTIME_H
#define AIRTAB_AIRTIME_H

#include AT_HOST_H

/* Formats of a PPDU. Each knows those before it, but VHT is of 5 GHz alone. */
enum at_format { AT_LEGACY, AT_HT, AT_VHT, AT_HE };

struct at_phy {
	const char *name, *about;
	u32 slot, sifs, difs;		/* ns */
	u32 preamble;			/* preamble and PLCP header before every frame, ns */
	u32 extension;			/* silent signal extension after every frame, ns */
	u32 symbol;			/* OFDM symbol, ns: duration is rounded up to it; 0 = not */
	u16 mac_bytes;			/* MAC header, LLC and FCS around an IP packet */
	u16 ack_bytes;			/* ACK, or BLOCK ACK */
	u16 cw_min, cw_max;		/* largest draw, slots */
	u32 base_kbps;			/* lowest rate: beacons, multicast */
	const u32 *ack_kbps;		/* ACK rates, ascending, 0-terminated; NULL = the data rate */
	u32 eifs_kbps;			/* rate of the ACK in EIFS; 0 = base_kbps */
	u32 ack_only_kbps;		/* every ACK at this rate; 0 = by ack_kbps */
	/* 1, 2, 5.5 and 11 Mb/s are DSSS frames behind this, ns; 0 = there are none beside OFDM */
	u32 dsss_preamble;
	u16 dsss_cw_min;		/* cw_min of stations that have DSSS alone; 0 = cw_min */
	u32 protection;			/* CTS to self and SIFS before OFDM data, ns */
	/* The rest is 0 where rates are in kb/s. */
	u8 format;			/* enum at_format that its stations use */
	u8 ghz;				/* band: 2 or 5 */
	u16 width, width_max;		/* of the channel, MHz: usual, largest */
	u16 window;			/* MPDUs of a block acknowledgement agreement */
	u32 ampdu_bytes;		/* longest aggregate, bytes */
};

/* NULL-terminated by name == NULL. */
extern const struct at_phy at_phys[];

/* Their names, NULL-terminated, in the same order. */
extern const char *const at_phy_names[];

enum { AT_PHY_STD_11G = 1, AT_PHYS = 15 };	/* the number of one; how many there are */

/* Rates are in kb/s and not 0. */

/* One frame of so many MAC bytes on the air, without what protects it, ns. */
u64 at_frame_ns(const struct at_phy *phy, u32 kbps, u64 mac_bytes);
/* Rate of what answers data sent at kbps: ACK, BLOCK ACK, CTS; RTS and BAR go out at it, too. */
u32 at_control_kbps(const struct at_phy *phy, u32 kbps);

/* Whether a frame at that rate is a DSSS frame of an OFDM profile. */
bool at_is_dsss(const struct at_phy *phy, u32 kbps);
/* Duration of one DATA frame (frames == 1) or aggregate on the air, ns, with what protects it. */
u64 at_data_ns(const struct at_phy *phy, u32 kbps, u32 ip_bytes, u32 frames);
/* Duration of the ACK that answers data sent at kbps, ns. */
u64 at_ack_ns(const struct at_phy *phy, u32 kbps);
/* DATA + SIFS + ACK: a one-attempt success, from its first bit to its last. */
u64 at_exchange_ns(const struct at_phy *phy, u32 kbps, u32 ip_bytes, u32 frames);
/* SIFS + ACK: how long a sender waits before it calls an attempt failed. */
u64 at_ack_timeout_ns(const struct at_phy *phy, u32 kbps);
/* SIFS + an ACK at the PHY's lowest mandatory rate + DIFS: the wait after a frame received in error. */
u64 at_eifs_ns(const struct at_phy *phy);

#endif
