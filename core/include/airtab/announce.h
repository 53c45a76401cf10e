/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/announce.h: EDCA parameters of best effort that an access point announces to its stations, by the number of
 * stations that upload.
 *
 * With a TXOP limit of 0 a station that wins the channel sends an aggregate of up to 5.484 ms. The access point wins as
 * often as each station, so n stations that upload send n times as much as it does. A packet of any other station
 * waits for n aggregates. From two stations on, a TXOP limit makes their aggregates shorter, and a larger CWmin
 * makes collisions of the more frequent frames rarer. One station that uploads keeps the parameters of the configuration.
 *
 * The host counts packets of each station, every AT_ANNOUNCE_NS: the simulator and the live access point at the MAC,
 * airtab-announce by `iw dev DEVICE station dump`.
 */
#ifndef AIRTAB_ANNOUNCE_H
#define AIRTAB_ANNOUNCE_H

#include "airtab/qdisc.h"

#define AT_ANNOUNCE_NS 1000000000u	/* one interval */
#define AT_ANNOUNCE_HOLD 5u		/* intervals for which a station counts from an upload on */
#define AT_ANNOUNCE_TXOP 32u		/* TXOP limit at most, units of 32 us (IEEE 802.11-2020 9.4.2.28) */
#define AT_ANNOUNCE_ECWMIN 5u		/* CWmin at least, 2^5 - 1 */

/* Intervals for which a station still counts as one that uploads, 0: it does not count. `recent`: the result one interval
 * ago; `bytes` and `packets`: received from it in the interval; `kbps`: PHY rate of its last frame. */
u32 at_announce_recent(u32 recent, u64 bytes, u64 packets, u32 kbps);

/* True if AT_ANNOUNCE_TXOP and AT_ANNOUNCE_ECWMIN are announced while `uploads` stations upload. */
bool at_announce_bounds(u32 uploads);

#endif
