/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/governor.h: how much may wait below a queue discipline.
 *
 * Today's Wi-Fi drivers take every packet that they are given, so that all of
 * them wait below the discipline, in the driver's order, and the discipline has
 * nothing left to order. The host tells the governor of each packet that leaves
 * the discipline, and of each that the driver is done with; the governor says
 * when no more may leave. docs/governor.md has the measurements.
 *
 * Budgets. What is outstanding is counted in airtime: below `inflight` in all,
 * and below `inflight_station` of a station, or another packet does not go. Both
 * are needed: without the second one, who sleeps holds the budget of all; without
 * the first, the delay grows with the stations. Either one lets a maximum aggregate
 * pass, by the host's estimates, unless it seems to cost four times as much, and
 * `floor` frames whatever they cost. Where nobody tells how long a station's aggregates are,
 * they are learned: of all stations the most that completed in one batch, which fades by
 * a 64th a batch. Two of these may be outstanding for a station, and three in all: with less the
 * driver has no full one to send. It is the same for each of them, or who has
 * short ones would be held back by its own budget, whatever the discipline says.
 *
 * Floor. Where reports come late, fewer packets outstanding make each look as if
 * it took longer, so that still fewer may go. So while a budget holds packets back,
 * another floor is tried now and then for one station, a quarter above or below what
 * it has outstanding. A higher one stays if the cost of a packet falls by at least
 * half of what it would if reports were merely late (to n / n' with n' outstanding),
 * a lower one if it rises by no more than half of that. Trials that fail become rare:
 * one in 64 times 32 packets.
 *
 * Who pays. Drivers report an aggregate's packets at once, or those of several.
 * So completions at most `batch` apart are one batch, of half of the records at
 * most; it took the time since the last one, or since the oldest of its packets left,
 * if that was later, less the frames heard in between. Its packets share that, parts
 * that sum up to it exactly, as they were estimated. The time between single
 * completions would charge all of an aggregate to its first packet. A station learns
 * the quotient of two sums, time and the host's estimates, both halved whenever the
 * time reaches 32 ms; what leaves for it is counted by that.
 *
 * What never completes. A packet counts in all until one of three events. A packet completes that left `counted`
 * later (or the budget of all, if that is longer). None has completed for that time, without the time of frames that
 * were heard. Its station is silent. So a station that sleeps does not hold up the others, and a driver that is slow but sends
 * is given no more. A packet is lost, and counts no more, if one that left later for the same station in the same
 * access category has completed, and `counted` or two rounds are over. After `stale`, or eight
 * rounds (AT_GOVERNOR_ROUNDS), the station is silent until one completes. A round is the
 * mean time from leaving to completion, of 64 batches. Then a packet
 * leaves for it each time that the one before has waited that long, for a report may be lost
 * as well, but only AT_GOVERNOR_ASKED wait. They hold no budget of the others. Each expires
 * after `expiry`. A completion that comes later does no harm. With a `stale` of at most `counted` a packet counts for `counted`, and completions and
 * rounds have no effect. The station is silent as soon as its packet no longer counts in all, and what asks it counts, too.
 *
 * Early completions. Some drivers free packets when they get them, or discard those for a
 * station that is not there. Too early is before a quarter of the estimated airtime, or before any
 * exchange could be over. Such a packet is held until the airtime model says that it is sent,
 * one after the other. It teaches nothing. Each station has a verdict by its own completions:
 * if more than half of 64 are early its packets are paced by the model, until less than a
 * quarter of 64 are. While another station is measured, what is held counts for its own
 * station alone: the driver has freed it, and no packet waits for it. There is no
 * backpressure below (AT_GOVERNOR_PACED) if stations are early and none is measured, or if no packet
 * completes. Packets of stations without a verdict are paced then, too.
 *
 * What a host calls, in this order; `now` is monotonic ns and never decreases:
 *
 *   link         when a station's link is known, changes or ends
 *   done         for each packet that the driver reports or frees, any order
 *   heard        for each uplink frame, when it ends
 *   settle       if it knows that a batch is complete; else time tells
 *   tick         at wake() at the latest, and before what follows
 *   air          until false: what packets took, for the discipline's sent()
 *   gates        until false: stations for the discipline's gate()
 *   while open   dequeue a packet, left, hand it to the driver, gates until false
 *   wake         when to be back if nothing else happens
 *
 * A packet's record is a number; whatever else the host wants to know when it is
 * done belongs in an array of its own, at AT_GOVERNOR_PLACE(record). Nothing in
 * a packet may be relied on: drivers change its length and write over its scratch
 * space. Super-packets (GSO) must be split before they leave: their head is
 * freed when they are, long before they are sent.
 *
 * What this is not: no queue, no packets, no timer, no lock. It sees one driver;
 * it does not know retries, and the time of other cells' frames is in what a
 * batch took.
 */
#ifndef AIRTAB_GOVERNOR_H
#define AIRTAB_GOVERNOR_H

#include "airtab/qdisc.h"

#define AT_GOVERNOR_PLACE(record) ((u32)(record))
#define AT_GOVERNOR_SHORTEST 50000u	/* ns: no exchange is over before */
#define AT_GOVERNOR_CHARGE_MAX (1u << 28)	/* ns that one packet counts */
#define AT_GOVERNOR_AGGREGATE 6000000u	/* ns: no aggregate is longer (802.11-2020: 5.484 ms) */
#define AT_GOVERNOR_JUDGED 64u		/* completions of a station for a verdict, batches for a round */
#define AT_GOVERNOR_ROUNDS 8u		/* until a station is silent, up to half of `expiry` */
#define AT_GOVERNOR_ASKED 4u		/* packets to a silent station, besides what it had */
#define AT_GOVERNOR_BLIND 8u		/* expiries without any completion: paced */
#define AT_GOVERNOR_EPOCH 32u		/* packets that tell a floor */
#define AT_GOVERNOR_PATIENCE 64u	/* epochs between two trials, at most */

struct at_governor_params {
	u32 inflight, inflight_station;	/* ns outstanding, at least 1 */
	u32 stale, expiry;		/* ns until a station is silent, until a packet expires; stale is less */
	u32 counted;			/* ns that a packet counts in all while none completes, at least */
	u32 batch;			/* ns between completions of one batch, at most */
	u32 floor, floor_most;		/* frames, at least 1; what it may grow to */
	u32 records;			/* packets that can be known, at most 2^20 */
	u32 stations;			/* numbers 0 to stations - 1, at most 65534 */
};

#define AT_GOVERNOR_DEFAULTS                                                    \
	{ .inflight = 8000000, .inflight_station = 4000000, .stale = 100000000, \
	  .expiry = 500000000, .counted = 25000000, .batch = 30000, .floor = 2,   \
	  .floor_most = 64, .records = 4096, .stations = 256 }

enum at_governor_mode { AT_GOVERNOR_MEASURED, AT_GOVERNOR_PACED };

/* Counters since init. */
struct at_governor_stats {
	u64 valid;		/* completions that were believed and measured */
	u64 unsent;		/* believed, of packets not known to have been sent */
	u64 early;		/* not believed */
	u64 late;		/* completions of packets that were silent or expired before */
	u64 expired;		/* packets given up */
	u64 unknown;		/* completions of no record: repeated, or forgotten */
	u64 missed;		/* packets that left without a record */
	u64 paced;		/* packets that left paced */
	u64 turns;		/* changes of the mode */
};

/* What there is now. */
struct at_governor_now {
	u8 mode;		/* enum at_governor_mode */
	bool open;
	u32 frames, floor;	/* outstanding; least that may be */
	u64 outstanding;	/* ns */
	u64 budget;		/* ns that may be: inflight, or what holds batches */
};

/* One station. */
struct at_governor_sta {
	u32 rate_kbps;		/* IP bytes over airtime, learned; 0: not yet */
	u32 scale;		/* learned: airtime over estimate, 1024 = 1 */
	u32 frames, floor;	/* outstanding; least that may be */
	bool closed, silent;
	u64 outstanding;	/* ns */
	u64 air;		/* ns that it was charged in all */
};

/* What a packet took, as share of its batch. */
struct at_air {
	u64 record, ns;
};

struct at_governor;

extern const struct at_governor_params at_governor_defaults;	/* AT_GOVERNOR_DEFAULTS */

/* NULL if they are good, else what is wrong. */
const char *at_governor_check(const struct at_governor_params *k);

/* Bytes of memory; 8-aligned. */
u64 at_governor_size(const struct at_governor_params *k);

/* A governor in that memory, whatever it held. */
struct at_governor *at_governor_init(void *memory, const struct at_governor_params *k, u64 now);

/* Other values; records and stations must be those of init. */
void at_governor_change(struct at_governor *g, const struct at_governor_params *k, u64 now);

/* The driver was emptied: nothing is outstanding. What was learned stays. */
void at_governor_reset(struct at_governor *g, u64 now);

/* Whether there is backpressure below, as far as completions tell. */
enum at_governor_mode at_governor_mode(const struct at_governor *g);

/* Whether packets of a station are paced: its own completions are early, or there is no
 * backpressure below. */
bool at_governor_paced(const struct at_governor *g, u16 sta);

/* Whether a packet may leave for a station whose gate is open. */
bool at_governor_open(const struct at_governor *g);

/* A packet left. est: its airtime as the host's model has it, ns, in an aggregate
 * its share, if it will be in one; 0: not known. up: its user priority, for those of one access
 * category are sent in order. The record, or 0: there is no
 * place, and nobody knows of this packet (never while open). */
u64 at_governor_left(struct at_governor *g, u16 sta, u32 bytes, u64 est, u16 up, u64 now);

/* The driver is done with it. sent: the driver says that it was on the air,
 * acknowledged or not; else it teaches nothing and gets no air. */
void at_governor_done(struct at_governor *g, u64 record, bool sent, u64 now);

/* A frame of somebody else ended now, which took so long. */
void at_governor_heard(struct at_governor *g, u64 air, u64 now);

/* No more completions belong to the batch. */
void at_governor_settle(struct at_governor *g);

/* What the next packet took; false: no more. Packets that were early, late or given
 * up do not come: their estimate stands. Who does not ask misses the oldest. */
bool at_governor_air(struct at_governor *g, struct at_air *a);

/* The next station to close or to open; false: no more. */
bool at_governor_gates(struct at_governor *g, u16 *sta, bool *open);

/* All gates were opened (another discipline): the closed ones are told again. */
void at_governor_retell(struct at_governor *g);

void at_governor_link(struct at_governor *g, const struct at_link *l, u64 now);

/* When to call tick; AT_NEVER. */
u64 at_governor_wake(const struct at_governor *g);
void at_governor_tick(struct at_governor *g, u64 now);

void at_governor_read(const struct at_governor *g, struct at_governor_stats *s, struct at_governor_now *n);

/* AT_GROUP: multicast; AT_NO_STA and numbers of nobody: all those together, which
 * have no budget of their own. */
void at_governor_read_station(const struct at_governor *g, u16 sta, struct at_governor_sta *s);

#endif
