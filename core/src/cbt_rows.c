/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbt: what it shows of all classes and of each.
 */
#include "cbt_state.h"

enum {
	S_LOAD, S_LATE, S_UNIT, S_GUARD, S_MARKS, S_EARLY_DROPS, S_FORCED_DROPS, S_CAP_DROPS, S_URGENT,
	S_URGENT_OVER, S_URGENT_AIR, S_END
};
enum {
	R_CLASS, R_BACKLOG, R_BACKLOG_BYTES, R_AVERAGE, R_TH_MIN, R_TH_MAX, R_MODE, R_ARRIVALS, R_FORCED,
	R_FULL, R_CAP, R_EARLY, R_MARKS, R_ENTRIES, R_IDLE, R_SENT, R_SENT_BYTES, R_WAITED, R_LATE, R_COUNT, R_END
};

#define LATE_PPM 1200000u	/* of latency: above, the thresholds do not hold it */

const struct at_stat at_cbt_stats[] = {
	[S_LOAD] = { .id = 1, .unit = AT_PPM, .name = "load",
		.help = "average queue of all classes, of what waits for latency" },
	[S_LATE] = { .id = 2, .unit = AT_COUNT, .name = "late",
		.help = "1: that is above 120 %: the link is slower than rate, or another queue waits below" },
	[S_UNIT] = { .id = 3, .unit = AT_COUNT, .name = "unit",
		.help = "averages and thresholds are packets: 0, bytes: 1, ns of airtime: 2" },
	[S_GUARD] = { .id = 4, .unit = AT_COUNT, .name = "guard",
		.help = "packets with which a class still gets one more" },
	[S_MARKS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked instead of dropped" },
	[S_EARLY_DROPS] = { .id = 6, .unit = AT_COUNT, .counter = true, .name = "early_drops",
		.help = "packets dropped at random" },
	[S_FORCED_DROPS] = { .id = 7, .unit = AT_COUNT, .counter = true, .name = "forced_drops",
		.help = "packets dropped because the average of their class was above th_max" },
	[S_CAP_DROPS] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "cap_drops",
		.help = "packets dropped because their class had cap times th_max" },
	[S_URGENT] = { .id = 9, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 10, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: of a class" },
	[S_URGENT_AIR] = { .id = 11, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets, nominal" },
	[S_END] = { 0 },
};

const struct at_stat at_cbt_row_stats[] = {
	[R_CLASS] = { .id = 1, .unit = AT_COUNT, .name = "class", .help = "class, 255 = urgent" },
	[R_BACKLOG] = { .id = 2, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 3, .unit = AT_BYTES, .name = "backlog_bytes", .help = "bytes queued" },
	[R_AVERAGE] = { .id = 4, .unit = AT_Q16, .name = "average",
		.help = "of what is queued: packets, bytes or ns, by unit" },
	[R_TH_MIN] = { .id = 5, .unit = AT_Q16, .name = "th_min", .help = "RED begins, likewise" },
	[R_TH_MAX] = { .id = 6, .unit = AT_Q16, .name = "th_max", .help = "all are dropped, likewise" },
	[R_MODE] = { .id = 7, .unit = AT_COUNT, .name = "mode",
		.help = "0: no drops, 1: the average is above th_min, 2: above th_max" },
	[R_ARRIVALS] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "arrivals",
		.help = "packets that came" },
	[R_FORCED] = { .id = 9, .unit = AT_COUNT, .counter = true, .name = "forced_drops",
		.help = "dropped: average above th_max" },
	[R_FULL] = { .id = 10, .unit = AT_COUNT, .counter = true, .name = "full_drops",
		.help = "dropped: limit packets queued" },
	[R_CAP] = { .id = 11, .unit = AT_COUNT, .counter = true, .name = "cap_drops",
		.help = "dropped: cap times th_max queued" },
	[R_EARLY] = { .id = 12, .unit = AT_COUNT, .counter = true, .name = "early_drops",
		.help = "dropped at random" },
	[R_MARKS] = { .id = 13, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "marked instead of dropped" },
	[R_ENTRIES] = { .id = 14, .unit = AT_COUNT, .counter = true, .name = "entries",
		.help = "times that the average rose above th_min" },
	[R_IDLE] = { .id = 15, .unit = AT_COUNT, .counter = true, .name = "idle",
		.help = "packets that found none of their class" },
	[R_SENT] = { .id = 16, .unit = AT_COUNT, .counter = true, .name = "sent", .help = "packets sent" },
	[R_SENT_BYTES] = { .id = 17, .unit = AT_BYTES, .counter = true, .name = "sent_bytes",
		.help = "bytes sent" },
	[R_WAITED] = { .id = 18, .unit = AT_NS, .counter = true, .name = "waited",
		.help = "time in the queue of all that were sent: over sent it is the mean" },
	[R_LATE] = { .id = 19, .unit = AT_NS, .name = "waited_95",
		.help = "that 95 % of the last packets waited less than, about" },
	[R_COUNT] = { .id = 20, .unit = AT_COUNT, .name = "count",
		.help = "packets that came since one was dropped or marked, or RED began" },
	[R_END] = { 0 },
};

/* An average falls while its class is empty, and over time. */
static u64 cbt_shown(const struct at_cbt *s, const struct at_cbt_class *k, u64 now)
{
	return s->average == AT_CBT_TIME || !at_cbt_backlog(k) ? at_cbt_average(s, k, now) : k->red.average;
}

/* What the averages of all classes are together, ns of the link. */
static u64 cbt_total(const struct at_cbt *s, u64 now)
{
	u64 total = 0;

	for (u32 i = 0; i < s->classes; i++) {
		u64 average = cbt_shown(s, &s->at[i], now);

		total += s->unit == AT_CBT_PACKETS ? (average >> 16) * s->at[i].wire >> 16 : average >> 32;
	}
	return s->unit == AT_CBT_AIRTIME ? total : at_div(total * 8000000, s->rate / 1000);
}

void at_cbt_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct at_cbt *s = at_cbt_priv(q);
	const struct at_cbt_class *k;

	for (u32 i = 0; i < S_END; i++)
		v[i] = 0;
	v[S_LOAD] = at_div(cbt_total(s, now) * 1000, s->latency / 1000);
	v[S_LATE] = v[S_LOAD] > LATE_PPM;
	v[S_UNIT] = s->unit;
	v[S_GUARD] = s->guard;
	for (k = s->at; k < s->at + s->classes; k++) {
		v[S_MARKS] += k->marks;
		v[S_EARLY_DROPS] += k->early;
		v[S_FORCED_DROPS] += k->forced;
		v[S_CAP_DROPS] += k->capped;
	}
	v[S_URGENT] = s->urgent.sent;
	v[S_URGENT_OVER] = s->urgent.over;
	v[S_URGENT_AIR] = s->urgent.air;
}

static void cbt_row_of_urgent(const struct at_cbt *s, u64 *cols)
{
	for (u32 i = 0; i < R_END; i++)
		cols[i] = 0;
	cols[R_CLASS] = AT_URGENT;
	cols[R_BACKLOG] = s->urgent.len;
	cols[R_BACKLOG_BYTES] = s->urgent.bytes;
	cols[R_SENT] = s->urgent.sent;
}

/* Place 0 is the urgent packets', then come the classes. */
u32 at_cbt_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct at_cbt *s = at_cbt_priv(q);
	const struct at_cbt_class *k;
	u64 average;

	*found = cursor <= s->classes;
	if (!*found)
		return 0;
	if (!cursor) {
		cbt_row_of_urgent(s, cols);
		return 1;
	}
	k = &s->at[cursor - 1];
	average = cbt_shown(s, k, now);
	cols[R_CLASS] = cursor - 1;
	cols[R_BACKLOG] = at_cbt_backlog(k);
	cols[R_BACKLOG_BYTES] = k->held[AT_CBT_BYTES] - (u64)at_cbt_backlog(k) * s->overhead;
	cols[R_AVERAGE] = average >> 16;
	cols[R_TH_MIN] = k->params.min >> 16;
	cols[R_TH_MAX] = k->params.max >> 16;
	cols[R_MODE] = average <= k->params.min ? 0 : average <= k->params.max ? 1 : 2;
	cols[R_ARRIVALS] = k->arrivals;
	cols[R_FORCED] = k->forced;
	cols[R_FULL] = k->full;
	cols[R_CAP] = k->capped;
	cols[R_EARLY] = k->early;
	cols[R_MARKS] = k->marks;
	cols[R_ENTRIES] = k->entries;
	cols[R_IDLE] = k->idle;
	cols[R_SENT] = k->sent;
	cols[R_SENT_BYTES] = k->sent_bytes;
	cols[R_WAITED] = k->waited;
	cols[R_LATE] = k->late;
	cols[R_COUNT] = k->red.count + 1 ? k->red.count : 0;
	return cursor + 1;
}
