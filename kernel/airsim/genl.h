/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The generic netlink family "airsim", version 1: what a program says to the module and
 * reads from it. `airtab airsim` has the same numbers (crates/airtab/src/commands/airsim/genl.rs).
 *
 * NEW makes a cell and its access point's device, STATION adds a station or changes one, SET
 * changes a cell, DEL removes it; each names the access point's device, in the caller's
 * network namespace. GET, a dump, has a message for each access point there, each followed by
 * those of its stations.
 *
 * What this is not: no stable interface of Linux.
 */
#ifndef AIRSIM_GENL_H
#define AIRSIM_GENL_H

#define AIRSIM_FAMILY "airsim"
#define AIRSIM_VERSION 1

enum airsim_command {
	AIRSIM_NEW = 1,
	AIRSIM_SET,
	AIRSIM_DEL,
	AIRSIM_STATION,
	AIRSIM_GET,
};

enum airsim_attr {
	AIRSIM_PAD,
	AIRSIM_DEV,		/* text: the access point's device */
	/* Of a cell, u32 but for the first and the last. */
	AIRSIM_PHY,		/* text: a profile of airtime.h; NEW only */
	AIRSIM_RING,		/* packets that the access point's driver takes */
	AIRSIM_STOP,		/* whether it stops its queue when the ring is full */
	AIRSIM_AMPDU,		/* MPDUs of an aggregate; 1: none are made */
	AIRSIM_AMPDU_NS,	/* how long its PPDU may take */
	AIRSIM_ATTEMPTS,	/* of a frame, before it is given up */
	AIRSIM_DONE_FRAMES,	/* completions come so many at once; 0: by time alone */
	AIRSIM_DONE_NS,		/* or so long after the first of them */
	AIRSIM_ORPHAN,		/* whether the driver lets packets go as it gets them */
	AIRSIM_SEED,		/* u64; NEW only */
	/* Of a station, u32 but for the first. */
	AIRSIM_NAME,		/* text: its device */
	AIRSIM_KBPS,		/* its rate; or by MCS: */
	AIRSIM_MCS,
	AIRSIM_STREAMS,
	AIRSIM_WIDTH,		/* MHz */
	AIRSIM_GI,		/* ns */
	AIRSIM_FER,		/* frames that are lost, parts in a million */
	AIRSIM_ASLEEP,
	/* Read only. Of a device, u64; of a station once more for what comes from it. */
	AIRSIM_HELD,		/* packets in its ring */
	AIRSIM_DROPPED,		/* packets that it had no place for */
	AIRSIM_DOWN,		/* nest of AIRSIM_WAY_*: to a station, or of an access point to all */
	AIRSIM_UP,		/* the same from a station */
	/* Of the medium, ns, u64: they sum to the time since the cell was made. */
	AIRSIM_NS_DOWN,		/* frames of the access point, with what answers them */
	AIRSIM_NS_UP,		/* those of the stations */
	AIRSIM_NS_COLLISION,
	AIRSIM_NS_IDLE,
	AIRSIM_IFINDEX,		/* u32: of the device, in its namespace */
	AIRSIM_ATTRS,
};

enum airsim_way_attr {		/* u64 */
	AIRSIM_WAY_PAD,
	AIRSIM_WAY_FRAMES,	/* packets that were acknowledged */
	AIRSIM_WAY_BYTES,	/* of these, of IP */
	AIRSIM_WAY_FAILED,	/* packets that were given up */
	AIRSIM_WAY_ATTEMPTS,	/* packets sent, repetitions counted */
	AIRSIM_WAY_EXCHANGES,	/* frames and aggregates sent, repetitions counted */
	AIRSIM_WAY_COLLIDED,	/* of these */
	AIRSIM_WAY_AIR,		/* ns: exchanges, and the backoffs that failures caused */
	AIRSIM_WAY_WAITING,	/* packets in the ring that are not on the air */
	AIRSIM_WAY_ATTRS,
};

#endif
