/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airsim, inside: a Wi-Fi cell of network devices. An access point and its stations are
 * radios, which share one medium; a way is what goes from one radio to another.
 *
 * The cell's lock, taken with bottom halves off, guards all of it. RTNL, which comes before
 * it, guards who is in the cell.
 */
#ifndef AIRSIM_H
#define AIRSIM_H

#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/netdevice.h>

#include "airtab/rates.h"

#define AIRSIM_STATIONS 64
#define AIRSIM_RADIOS (1 + AIRSIM_STATIONS)	/* the access point is the first */
#define AIRSIM_NEVER (~0ull)

/* Whom an access point sends a packet to that is not for one station. */
#define AIRSIM_GROUP 0

struct airsim_config {
	const struct at_phy *phy;
	u32 ring, ampdu, ampdu_ns, attempts, done_frames, done_ns;
	bool stop, orphan;
};

/* A packet in a ring: in skb->cb. */
struct airsim_part {
	u64 place;			/* in order of arrival */
	u32 sequence;
	u8 attempts;
	bool numbered, arrives, received;
};

static inline struct airsim_part *airsim_part(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct airsim_part) > sizeof(skb->cb));
	return (struct airsim_part *)skb->cb;
}

struct airsim_count {
	u64 frames, bytes, failed, attempts, exchanges, collided, air;
};

/* From one radio to another, or from the access point to all. */
struct airsim_way {
	u16 from, to;			/* numbers of radios; to AIRSIM_GROUP from 0: all */
	struct sk_buff_head waiting;	/* numbered ones, to be repeated, come first */
	u32 sequence;			/* of the next packet that goes out */
	/* At the receiver: what came out of order, and the number it waits for. */
	struct sk_buff_head early;
	u32 expected;
	struct airsim_count count;
};

enum airsim_answer { AIRSIM_NONE, AIRSIM_MISSING, AIRSIM_GARBLED, AIRSIM_ACK };

/* What a radio sends at once: `parts` of one way, or nothing if that is NULL. */
struct airsim_exchange {
	struct airsim_way *way;
	struct sk_buff_head parts;
	u64 data_ns, known_ns;		/* DATA; with its ACK, or the wait for it */
	enum airsim_answer answer;
};

struct airsim_radio {			/* netdev_priv() */
	struct net_device *dev;
	struct airsim_cell *cell;
	u16 index;
	/* of a station */
	struct at_rate rate;
	u64 fer;			/* of 2^32 */
	u32 fer_ppm;
	bool asleep;
	struct airsim_way down;
	/* of all: an access point's are to the group */
	struct airsim_way own;
	struct airsim_count gone;	/* what an access point sent to stations that left */
	/* the ring */
	u32 held;
	u64 arrivals, dropped;
	struct sk_buff_head done;	/* over, and not told yet */
	u64 done_due;
	struct airsim_exchange exchange;
	/* contention: slots that are left of the backoff and, in this idle period, of the wait before it */
	u32 left, wait, window;
	u64 earliest;			/* slot at which its frame was there */
	bool ready, bare;		/* it has one; without a backoff, in its wait */
	/* what came up */
	u64 received, received_bytes;
};

enum airsim_phase { AIRSIM_IDLE, AIRSIM_DATA, AIRSIM_ANSWER };
enum airsim_use { AIRSIM_USE_IDLE, AIRSIM_USE_DOWN, AIRSIM_USE_UP, AIRSIM_USE_COLLISION, AIRSIM_USES };

struct airsim_medium {
	enum airsim_phase phase;
	u64 from, data_until, until;	/* of a busy period */
	u64 idle_from, count_from;	/* slots are counted from there */
	DECLARE_BITMAP(senders, AIRSIM_RADIOS);
	u16 sending;			/* how many */
	enum airsim_use use;
	u64 turned, spent[AIRSIM_USES];
};

struct airsim_cell {
	struct kref ref;
	spinlock_t lock;
	struct airsim_config config;
	struct airsim_radio *radios[AIRSIM_RADIOS];
	u32 end;			/* after the last of them */
	struct airsim_medium medium;
	u64 random;
	struct hrtimer timer;
	u64 armed;
	/* To be handed up, and to be freed, as soon as the lock is free. */
	struct sk_buff_head up, over;
};

static inline struct airsim_radio *airsim_radio(const struct net_device *dev)
{
	return netdev_priv(dev);
}

/* cell.c: the clock and who is there. */
struct airsim_cell *airsim_cell_new(const struct airsim_config *config, u64 seed);
void airsim_cell_put(struct airsim_cell *cell);
/* Something may come earlier than it did. */
void airsim_arm(struct airsim_cell *cell);
/* Frees what is over; without the lock. */
void airsim_free(struct sk_buff_head *over);

/* device.c: a radio as a network device; its ring. All under RTNL. */
struct net_device *airsim_device_new(struct net *net, struct airsim_cell *cell, u16 index,
				     const char *name, const struct airsim_radio *like,
				     struct netlink_ext_ack *extack);
/* The access point of that name, or NULL. */
struct net_device *airsim_device_find(struct net *net, const char *name);
bool airsim_is_access_point(const struct net_device *dev);
void airsim_configure(struct airsim_radio *access_point, const struct airsim_config *config);
/* Rate, losses and sleep are those of `like` from now on. */
void airsim_station_set(struct airsim_radio *station, const struct airsim_radio *like);
/* A packet's fate is decided. */
void airsim_done(struct airsim_radio *radio, struct sk_buff *skb, u64 now);
/* The completions of what is over are due. */
void airsim_tell(struct airsim_radio *radio);
extern struct rtnl_link_ops airsim_link_ops;

/* exchange.c: what goes out at once, and what becomes of it. */
void airsim_way_init(struct airsim_way *way, u16 from, u16 to);
bool airsim_load(struct airsim_radio *radio);
void airsim_begin(struct airsim_radio *radio, bool collided);
void airsim_land(struct airsim_radio *radio);
/* True: it failed and goes out again. */
bool airsim_settle(struct airsim_radio *radio, u64 now);
bool airsim_loses(struct airsim_cell *cell, const struct airsim_radio *station);
/* Takes all packets of a way, or of a radio, out. */
void airsim_purge_way(struct airsim_cell *cell, struct airsim_way *way);

/* medium.c: who sends when. */
void airsim_medium_init(struct airsim_cell *cell, u64 now);
/* When something happens next on the medium, and it does. */
u64 airsim_medium_next(const struct airsim_cell *cell);
void airsim_medium_step(struct airsim_cell *cell, u64 now);
/* A radio may have something to send. */
void airsim_wants(struct airsim_radio *radio, u64 now);
/* A radio comes or goes. */
void airsim_medium_enter(struct airsim_radio *radio);
void airsim_medium_leave(struct airsim_radio *radio);
u64 airsim_medium_spent(const struct airsim_cell *cell, enum airsim_use use, u64 now);

/* netlink.c */
extern struct genl_family airsim_family;

#endif
