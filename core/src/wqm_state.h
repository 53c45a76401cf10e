/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * wqm: its state, its parameters and what it shows (wqm_rows.c).
 */
#ifndef AIRTAB_WQM_STATE_H
#define AIRTAB_WQM_STATE_H

#include "airtab/align.h"
#include "airtab/classify.h"
#include "airtab/places.h"
#include "airtab/rounds.h"
#include "airtab/urgent.h"
#include "airtab/wqm.h"

enum {
	P_INTERVAL, P_DRAIN, P_LEAST, P_MOST, P_FIRST, P_CONFIRM, P_LAW, P_FREE_FLOOR, P_FREE_SOURCE, P_BELOW,
	P_IDLE_GROW, P_RATE_SOURCE, P_KAVG, P_SCOPE, P_LIMIT, P_RATE, P_FRAMES, P_FREE, P_PROFILE, P_CLASSES,
	P_STATIONS, P_END
};

/* A queue: of one station and class, or of all. */
struct wqm_box {
	struct at_line line;
	struct at_seat seat;		/* whose: the station's place */
	s32 deficit;			/* ns of airtime; may give while above 0 */
	u32 bytes;
	u16 qlen, parked;
	struct at_wqm law;
	u16 seen : 1;			/* it had a packet, or is the one */
	u16 left : 15;			/* when its last packet went, 2^24 ns; wraps */
	u32 raises, cuts, refused;
};

_Static_assert(sizeof(struct wqm_box) <= 64, "a queue is one cache line");

/* A station's link as it was told (0: not), and what follows from it. */
struct wqm_station {
	u32 told_kbps, told_ns;		/* told_ns: of an aggregate */
	u16 told_frames;
	bool known;
	u16 frames;			/* K */
	u16 most;			/* of B, if not below K */
	u32 rate;			/* R, kb/s */
	u32 drain;			/* ns */
	u32 below;			/* bytes */
	u32 heard_at;			/* the look before which it was heard last */
	u64 per_byte;			/* ns of its turns, of 2^-16 */
	u64 told;			/* when it was, ns, if `known` */
};

struct wqm {
	struct at_rounds rounds;	/* of boxes */
	struct wqm_box *boxes;
	struct wqm_station *stations;
	u64 next;			/* look */
	u64 limit, seq;
	u32 n_boxes, n_stations, classes;
	u32 n_seen;			/* boxes up to the last one that is `seen` */
	u32 ready;			/* boxes with packets that may go */
	u32 heard, heard_before;	/* stations since the last look; between that and the one before */
	u32 looks;
	u32 below;			/* bytes of all stations */
	u16 looked_at, served;		/* interface: places of the last look's R, of the last packet */
	bool one;			/* one queue for all */
	bool linked;			/* a link was told */
	struct at_urgent urgent;
	u64 counts[AT_WQM_ACTIONS];
	/* parameters */
	u32 interval, drain, rate, free, floor, told_free;	/* ns, ns, kb/s, ppm */
	u16 frames, most, first, kavg;
	u16 least[AT_CLASSES];		/* 0: K */
	u8 confirm, law;
	u8 free_source;
	bool counts_below, idle_grows, expected, faithful;
};

/* Values of `free_source`. */
enum { AT_WQM_SURVEY, AT_WQM_ACTIVE, AT_WQM_CONSTANT };

#define AT_WQM_SILENT 2000000000ull	/* ns in which the link of a station that is here was not told */

static inline struct wqm *at_wqm_priv(const struct at_qdisc *q)
{
	return (struct wqm *)q->state;
}

/* The class of a box. */
static inline u32 at_wqm_class(const struct wqm *s, const struct wqm_box *b)
{
	return s->one ? 0 : (u32)(b - s->boxes) - b->seat.whose * s->classes;
}

/* F, ppm. */
u32 at_wqm_free(const struct wqm *s);
/* What waits below for a box, bytes; 0 where it does not count. */
u32 at_wqm_below(const struct wqm *s, const struct wqm_box *b);
/* T of a box, ns. */
u64 at_wqm_time(const struct wqm *s, const struct wqm_box *b);
/* The station whose R and K hold for a box. */
static inline const struct wqm_station *at_wqm_station(const struct wqm *s, const struct wqm_box *b)
{
	return &s->stations[s->one ? s->looked_at : b->seat.whose];
}

/* Takes over the values, but what memory hangs on; nothing is derived. */
void at_wqm_set(struct wqm *s, const struct at_vals *v);
bool at_wqm_is_faithful(const struct at_vals *v);
/* Whether there is one queue for all. */
bool at_wqm_is_one(const struct at_vals *v);
const char *at_wqm_check(const struct at_vals *v, u16 *bad);

extern const struct at_param at_wqm_params[];
extern const struct at_stat at_wqm_stats[], at_wqm_row_stats[];
void at_wqm_read(const struct at_qdisc *q, u64 *v, u64 now);
u32 at_wqm_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found);

#endif
