/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * wqm: its parameters, and what it shows. The queue that is shown for all is the one that
 * takes longest to drain.
 */
#include "wqm_state.h"

#define SOURCE "WQM thesis"
#define LEAST_INTERVAL 1000000u

enum {
	S_LIMIT, S_DRAIN, S_RADIO, S_RATE, S_FRAMES, S_FREE, S_WAITING, S_ACTIVE, S_ARMS, S_RAISES, S_CUTS,
	S_FLOORS, S_CAPS, S_SILENT, S_URGENT, S_URGENT_OVER, S_URGENT_AIR, S_END
};
enum {
	R_STATION, R_CLASS, R_BACKLOG, R_BACKLOG_BYTES, R_LIMIT, R_DRAIN, R_RATE, R_FRAMES, R_ALARM, R_RAISES,
	R_CUTS, R_REFUSED, R_SILENT, R_END
};

static const char *const wqm_laws[] = { "aimd", "aiad", "miad", "mimd", NULL };
static const char *const wqm_frees[] = { "survey", "active", "constant", NULL };
static const char *const wqm_switches[] = { "auto", "off", "on", NULL };
static const char *const wqm_rates[] = { "auto", "phy", "expected", NULL };
static const char *const wqm_scopes[] = { "auto", "interface", "station_ac", NULL };
static const char *const wqm_profiles[] = { "default", "faithful", NULL };

const struct at_param at_wqm_params[] = {
	[P_INTERVAL] = {
		.id = 1, .unit = AT_NS, .max_len = 1, .name = "interval",
		.help = "between two looks at the queues; 0: a look at each arrival", .source = SOURCE " 5.4.1",
		.def = AT_WQM_INTERVAL, .min = 0, .max = 4000000000u,
	},
	[P_DRAIN] = {
		.id = 2, .unit = AT_NS, .max_len = 1, .name = "drain",
		.help = "time that a queue should take to drain, or an aggregate's if that is longer; faithful: as it is",
		.source = SOURCE " 5.3.2", .def = AT_WQM_DRAIN, .min = 10000, .max = 4000000000u,
	},
	[P_LEAST] = {
		.id = 3, .unit = AT_COUNT, .max_len = AT_CLASSES, .name = "least",
		.help = "smallest limit of each class, or of every one; 0: as many frames as an aggregate has",
		.source = SOURCE " 5.3.2", .def = 0, .min = 0, .max = 65535,
	},
	[P_MOST] = {
		.id = 4, .unit = AT_COUNT, .max_len = 1, .name = "most",
		.help = "largest limit; least goes before it; 0: what goes in 5 ms; faithful: 95",
		.source = SOURCE " 5.3.2", .def = 0, .min = 0, .max = 65535,
	},
	[P_FIRST] = {
		.id = 5, .unit = AT_COUNT, .max_len = 1, .name = "first",
		.help = "limit at first, of a station that comes too; 0: rate times round trip, rounded up",
		.source = SOURCE " 5.3.1", .def = 0, .min = 0, .max = 65535,
	},
	[P_CONFIRM] = {
		.id = 6, .unit = AT_COUNT, .max_len = 1, .name = "confirm",
		.help = "looks in a row after which a limit moves", .source = SOURCE " 5.3.1", .def = 2, .min = 1,
		.max = 100,
	},
	[P_LAW] = {
		.id = 7, .unit = AT_CHOICE, .max_len = 1, .name = "law",
		.help = "how a limit rises and is cut: ai: +1, mi: twice; ad: -1, md: half",
		.source = SOURCE " 5.4.1", .def = AT_WQM_AIMD, .min = 0, .max = 3, .choices = wqm_laws,
	},
	[P_FREE_FLOOR] = {
		.id = 8, .unit = AT_PPM, .max_len = 1, .name = "free_floor",
		.help = "share of time that the channel is taken to be free at least", .source = "docs/wqm.md",
		.def = 50000, .min = 1, .max = 1000000,
	},
	[P_FREE_SOURCE] = {
		.id = 9, .unit = AT_CHOICE, .flags = AT_P_HEARD, .max_len = 1, .name = "free_source",
		.help = "what says how free the channel is: survey: the host; active: 1/n with n - 1 stations heard since the last look; constant: free",
		.source = SOURCE " 6", .def = AT_WQM_SURVEY, .min = 0, .max = 2, .choices = wqm_frees,
	},
	[P_BELOW] = {
		.id = 10, .unit = AT_CHOICE, .max_len = 1, .name = "below",
		.help = "what left the queue and is not sent yet counts as waiting; auto: on; faithful: off",
		.source = "docs/wqm.md", .def = 0, .min = 0, .max = 2, .choices = wqm_switches,
	},
	[P_IDLE_GROW] = {
		.id = 11, .unit = AT_CHOICE, .max_len = 1, .name = "idle_grow",
		.help = "a limit rises though less than 0.8 of it was used; auto: off; faithful: on",
		.source = "docs/wqm.md", .def = 0, .min = 0, .max = 2, .choices = wqm_switches,
	},
	[P_RATE_SOURCE] = {
		.id = 12, .unit = AT_CHOICE, .max_len = 1, .name = "rate_source",
		.help = "rate of a link: that of its PHY, or what full aggregates carry; auto: expected; faithful: phy",
		.source = "docs/wqm.md", .def = 0, .min = 0, .max = 2, .choices = wqm_rates,
	},
	[P_KAVG] = {
		.id = 13, .unit = AT_COUNT, .max_len = 1, .name = "kavg",
		.help = "frames of usual aggregates, with which what is around these counts as time; 0: it does not",
		.source = "docs/wqm.md", .def = 0, .min = 0, .max = 1024,
	},
	[P_SCOPE] = {
		.id = 14, .unit = AT_CHOICE, .flags = AT_P_INIT, .max_len = 1, .name = "scope",
		.help = "one queue, or one for each station and class; auto: station_ac; faithful: interface",
		.source = SOURCE " 8.3", .def = 0, .min = 0, .max = 2, .choices = wqm_scopes,
	},
	[P_LIMIT] = {
		.id = 15, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all queues together, which bounds memory", .source = "docs/wqm.md", .def = 4096,
		.min = 1, .max = 65535,
	},
	[P_RATE] = {
		.id = 16, .unit = AT_BPS, .max_len = 1, .name = "rate",
		.help = "of links that the host does not tell", .source = SOURCE " 5.4", .def = 300000000,
		.min = 100000, .max = 40000000000ull,
	},
	[P_FRAMES] = {
		.id = 17, .unit = AT_COUNT, .max_len = 1, .name = "frames",
		.help = "of an aggregate, where the host does not tell", .source = SOURCE " 5.4", .def = 32,
		.min = 1, .max = 1024,
	},
	[P_FREE] = {
		.id = 18, .unit = AT_PPM, .max_len = 1, .name = "free",
		.help = "share of time that the channel is free for this sender, where the host does not tell",
		.source = SOURCE " 5.3", .def = 1000000, .min = 1, .max = 1000000,
	},
	[P_PROFILE] = {
		.id = 19, .unit = AT_CHOICE, .flags = AT_P_INIT, .max_len = 1, .name = "profile",
		.help = "what is not said: default, or the study's", .source = "docs/wqm.md", .def = 0, .min = 0,
		.max = 1, .choices = wqm_profiles,
	},
	[P_CLASSES] = {
		.id = 20, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "classes",
		.help = "of a station, a queue each; a higher class of a packet counts as the last",
		.source = "docs/wqm.md", .def = 4, .min = 1, .max = AT_CLASSES,
	},
	[P_STATIONS] = {
		.id = 21, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "stations",
		.help = "stations told apart; those from here on share a place, for which rate and frames hold",
		.source = "docs/wqm.md", .def = 64, .min = 1, .max = 4096,
	},
	[P_END] = { 0 },
};

bool at_wqm_is_faithful(const struct at_vals *v)
{
	return *v[P_PROFILE].v;
}

/* What a choice says whose first value leaves it to the profile. */
static bool wqm_chosen(const struct at_vals *v, u32 param, bool by_profile)
{
	return *v[param].v ? *v[param].v == 2 : by_profile;
}

bool at_wqm_is_one(const struct at_vals *v)
{
	return !wqm_chosen(v, P_SCOPE, !at_wqm_is_faithful(v));
}

void at_wqm_set(struct wqm *s, const struct at_vals *v)
{
	s->interval = (u32)*v[P_INTERVAL].v;
	s->drain = (u32)*v[P_DRAIN].v;
	for (u32 i = 0; i < AT_CLASSES; i++)
		s->least[i] = (u16)v[P_LEAST].v[i < v[P_LEAST].len ? i : v[P_LEAST].len - 1u];
	s->most = (u16)*v[P_MOST].v;
	s->first = (u16)*v[P_FIRST].v;
	s->confirm = (u8)*v[P_CONFIRM].v;
	s->law = (u8)*v[P_LAW].v;
	s->floor = (u32)*v[P_FREE_FLOOR].v;
	s->free_source = (u8)*v[P_FREE_SOURCE].v;
	s->counts_below = wqm_chosen(v, P_BELOW, !s->faithful);
	s->idle_grows = wqm_chosen(v, P_IDLE_GROW, s->faithful);
	s->expected = wqm_chosen(v, P_RATE_SOURCE, !s->faithful);
	s->kavg = (u16)*v[P_KAVG].v;
	s->limit = *v[P_LIMIT].v;
	s->rate = (u32)at_div(*v[P_RATE].v, 1000);
	s->frames = (u16)*v[P_FRAMES].v;
	s->free = (u32)*v[P_FREE].v;
}

/* What follows from a link is within bounds by itself; what was given has to be. */
const char *at_wqm_check(const struct at_vals *v, u16 *bad)
{
	u64 most = *v[P_MOST].v, first = *v[P_FIRST].v;

	*bad = P_INTERVAL;
	if (*v[P_INTERVAL].v && *v[P_INTERVAL].v < LEAST_INTERVAL)
		return "must be 0, a look at each arrival, or at least 1 ms";
	if (!most)
		most = at_wqm_is_faithful(v) ? AT_WQM_MOST : AT_NEVER;
	for (u32 i = 0; i < v[P_LEAST].len; i++) {
		u64 given = v[P_LEAST].v[i], least = given ? given : *v[P_FRAMES].v;

		*bad = given ? P_LEAST : P_MOST;
		if (least > most)
			return given ? "must be at most most, which is 95 of faithful if it is not given" :
				       "must be at least frames, or give least, which is frames if it is not given";
		*bad = P_FIRST;
		if (first && (first < least || first > most))
			return "must be from least, or frames if that is 0, to most (faithful: 95 if that is 0)";
	}
	return NULL;
}

/* ---- tables ---- */

const struct at_stat at_wqm_stats[] = {
	[S_LIMIT] = { .id = 1, .unit = AT_COUNT, .name = "limit",
		.help = "B of the queue that takes longest to drain, packets" },
	[S_DRAIN] = { .id = 2, .unit = AT_NS, .name = "drain", .help = "T of that queue" },
	[S_RADIO] = { .id = 3, .unit = AT_NS, .name = "radio",
		.help = "that the radio takes for all that is queued, each at its station's rate" },
	[S_RATE] = { .id = 4, .unit = AT_BPS, .name = "rate", .help = "R of that queue" },
	[S_FRAMES] = { .id = 5, .unit = AT_COUNT, .name = "frames", .help = "K of that queue" },
	[S_FREE] = { .id = 6, .unit = AT_PPM, .name = "free",
		.help = "F: of time that others leave" },
	[S_WAITING] = { .id = 7, .unit = AT_BYTES, .name = "waiting",
		.help = "BL of that queue, what waits below included if that counts" },
	[S_ACTIVE] = { .id = 8, .unit = AT_COUNT, .name = "active",
		.help = "queues with packets that may go" },
	[S_ARMS] = { .id = 9, .unit = AT_COUNT, .counter = true, .name = "arms",
		.help = "alarms that were set" },
	[S_RAISES] = { .id = 10, .unit = AT_COUNT, .counter = true, .name = "raises",
		.help = "times that a limit rose" },
	[S_CUTS] = { .id = 11, .unit = AT_COUNT, .counter = true, .name = "halvings",
		.help = "times that a limit was cut" },
	[S_FLOORS] = { .id = 12, .unit = AT_COUNT, .counter = true, .name = "floors",
		.help = "times that a limit below its least was lifted" },
	[S_CAPS] = { .id = 13, .unit = AT_COUNT, .counter = true, .name = "caps",
		.help = "times that a limit above its most was lowered" },
	[S_SILENT] = { .id = 14, .unit = AT_BOOL, .name = "silent",
		.help = "a station is here whose link was not told for 2 s: the last values hold" },
	[S_URGENT] = { .id = 15, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 16, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: of the last class" },
	[S_URGENT_AIR] = { .id = 17, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets, nominal" },
	[S_END] = { 0 },
};

const struct at_stat at_wqm_row_stats[] = {
	[R_STATION] = { .id = 1, .unit = AT_COUNT, .name = "station",
		.help = "station; above the last one: multicast, not known, urgent packets; of one queue 0" },
	[R_CLASS] = { .id = 2, .unit = AT_COUNT, .name = "ac", .help = "class of its packets, 255 = urgent" },
	[R_BACKLOG] = { .id = 3, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 4, .unit = AT_BYTES, .name = "backlog_bytes", .help = "bytes queued" },
	[R_LIMIT] = { .id = 5, .unit = AT_COUNT, .name = "limit", .help = "B, packets" },
	[R_DRAIN] = { .id = 6, .unit = AT_NS, .name = "drain", .help = "T" },
	[R_RATE] = { .id = 7, .unit = AT_BPS, .name = "rate", .help = "R" },
	[R_FRAMES] = { .id = 8, .unit = AT_COUNT, .name = "frames", .help = "K" },
	[R_ALARM] = { .id = 9, .unit = AT_COUNT, .name = "alarm",
		.help = "0: none, 1: T was short, 2: T was too long" },
	[R_RAISES] = { .id = 10, .unit = AT_COUNT, .counter = true, .name = "raises",
		.help = "times that the limit rose" },
	[R_CUTS] = { .id = 11, .unit = AT_COUNT, .counter = true, .name = "halvings",
		.help = "times that it was cut" },
	[R_REFUSED] = { .id = 12, .unit = AT_COUNT, .counter = true, .name = "refused",
		.help = "packets that found it, or all together, full" },
	[R_SILENT] = { .id = 13, .unit = AT_BOOL, .name = "silent",
		.help = "the station is here, and its link was not told for 2 s" },
	[R_END] = { 0 },
};

static bool wqm_silent(const struct wqm_station *st, u64 now)
{
	return st->known && now - st->told >= AT_WQM_SILENT;
}

/* The queue that takes longest; of equal ones the first of a station that was told. */
static const struct wqm_box *wqm_longest(const struct wqm *s, u64 *radio)
{
	const struct wqm_box *best = NULL;
	u64 most = 0, ns;

	*radio = 0;
	for (const struct wqm_box *b = s->boxes; b < s->boxes + s->n_boxes; b++) {
		const struct wqm_station *st = at_wqm_station(s, b);

		if (!b->qlen && !st->known)
			continue;
		ns = at_wqm_time(s, b);
		if (b->qlen)
			*radio += at_wqm_drain(b->bytes, st->rate, 0, 1000000);
		if (!best || ns > most) {
			best = b;
			most = ns;
		}
	}
	return best ? best : s->boxes;
}

void at_wqm_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct wqm *s = at_wqm_priv(q);
	const struct wqm_box *b = wqm_longest(s, &v[S_RADIO]);
	const struct wqm_station *st = at_wqm_station(s, b);

	v[S_FREE] = at_wqm_free(s);
	v[S_RADIO] = at_div((v[S_RADIO] < AT_WQM_LONGEST ? v[S_RADIO] : AT_WQM_LONGEST) * 1000000, (u32)v[S_FREE]);
	v[S_LIMIT] = b->law.limit;
	v[S_DRAIN] = at_wqm_time(s, b);
	v[S_RATE] = st->rate * 1000ull;
	v[S_FRAMES] = st->frames;
	v[S_WAITING] = (u64)b->bytes + at_wqm_below(s, b);
	v[S_ACTIVE] = s->ready;
	v[S_ARMS] = s->counts[AT_WQM_ARMS];
	v[S_RAISES] = s->counts[AT_WQM_RAISES];
	v[S_CUTS] = s->counts[AT_WQM_CUTS];
	v[S_FLOORS] = s->counts[AT_WQM_LIFTS];
	v[S_CAPS] = s->counts[AT_WQM_CAPS];
	v[S_SILENT] = false;
	for (u32 i = 0; i < s->n_stations; i++)
		v[S_SILENT] |= wqm_silent(&s->stations[i], now);
	v[S_URGENT] = s->urgent.sent;
	v[S_URGENT_OVER] = s->urgent.over;
	v[S_URGENT_AIR] = s->urgent.air;
}

static void wqm_row_of(const struct wqm *s, const struct wqm_box *b, u64 *cols, u64 now)
{
	const struct wqm_station *st = at_wqm_station(s, b);

	cols[R_STATION] = b->seat.whose;
	cols[R_CLASS] = at_wqm_class(s, b);
	cols[R_BACKLOG] = b->qlen;
	cols[R_BACKLOG_BYTES] = b->bytes;
	cols[R_LIMIT] = b->law.limit;
	cols[R_DRAIN] = at_wqm_time(s, b);
	cols[R_RATE] = st->rate * 1000ull;
	cols[R_FRAMES] = st->frames;
	cols[R_ALARM] = b->law.high ? 2 : b->law.low ? 1 : 0;
	cols[R_RAISES] = b->raises;
	cols[R_CUTS] = b->cuts;
	cols[R_REFUSED] = b->refused;
	cols[R_SILENT] = wqm_silent(st, now);
}

/* A place for each queue that was used, then the urgent packets'. */
u32 at_wqm_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct wqm *s = at_wqm_priv(q);
	u32 end = cursor < s->n_boxes && s->n_boxes - cursor > AT_ROWS ? cursor + AT_ROWS : s->n_boxes;

	for (u32 i = cursor; i < end; i++) {
		const struct wqm_box *b = &s->boxes[i];

		*found = b->seen;
		if (!*found)
			continue;
		wqm_row_of(s, b, cols, now);
		return i + 1;
	}
	*found = false;
	if (end < s->n_boxes)
		return end;
	if (cursor > s->n_boxes || !s->urgent.len)
		return 0;
	*found = true;
	memset(cols, 0, R_END * sizeof(*cols));
	cols[R_STATION] = s->n_stations;
	cols[R_CLASS] = AT_URGENT;
	cols[R_BACKLOG] = s->urgent.len;
	cols[R_BACKLOG_BYTES] = s->urgent.bytes;
	return s->n_boxes + 1;
}
