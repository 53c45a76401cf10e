/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbq: what it shows of all classes and of each.
 */
#include "cbq_state.h"

enum {
	S_ACTIVE, S_MARKS, S_EARLY_DROPS, S_FORCED_DROPS, S_CODEL_DROPS, S_URGENT, S_URGENT_OVER, S_URGENT_AIR,
	S_END
};
enum { R_CLASS, R_GROUP, R_SHARE, R_BACKLOG, R_BACKLOG_BYTES, R_SERVED, R_AVERAGE, R_END };

const struct at_stat at_cbq_stats[] = {
	[S_ACTIVE] = { .id = 1, .unit = AT_COUNT, .name = "active",
		.help = "classes with packets that may go" },
	[S_MARKS] = { .id = 2, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked by RED or CoDel instead of dropped" },
	[S_EARLY_DROPS] = { .id = 3, .unit = AT_COUNT, .counter = true, .name = "early_drops",
		.help = "packets dropped by RED at random" },
	[S_FORCED_DROPS] = { .id = 4, .unit = AT_COUNT, .counter = true, .name = "forced_drops",
		.help = "packets dropped by RED above the highest average" },
	[S_CODEL_DROPS] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "codel_drops",
		.help = "packets dropped by CoDel" },
	[S_URGENT] = { .id = 6, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 7, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: of their class, or the last" },
	[S_URGENT_AIR] = { .id = 8, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets, nominal" },
	[S_END] = { 0 },
};

const struct at_stat at_cbq_row_stats[] = {
	[R_CLASS] = { .id = 1, .unit = AT_COUNT, .name = "class", .help = "class, 255 = urgent" },
	[R_GROUP] = { .id = 2, .unit = AT_COUNT, .name = "group", .help = "that it borrows from first" },
	[R_SHARE] = { .id = 3, .unit = AT_PPM, .name = "share", .help = "of the link" },
	[R_BACKLOG] = { .id = 4, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 5, .unit = AT_BYTES, .name = "backlog_bytes", .help = "bytes queued" },
	[R_SERVED] = { .id = 6, .unit = AT_BYTES, .counter = true, .name = "served",
		.help = "bytes sent, by its turns" },
	[R_AVERAGE] = { .id = 7, .unit = AT_Q16, .name = "average",
		.help = "queue in packets, as its RED takes it" },
	[R_END] = { 0 },
};

void at_cbq_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct at_cbq *s = at_cbq_priv(q);

	(void)now;
	v[S_ACTIVE] = 0;
	for (u32 i = 0; i < s->classes; i++)
		v[S_ACTIVE] += at_cbq_may_go(s, i) != 0;
	v[S_MARKS] = s->marks + s->queues.total.marks;
	v[S_EARLY_DROPS] = s->early;
	v[S_FORCED_DROPS] = s->forced;
	v[S_CODEL_DROPS] = s->queues.total.drops;
	v[S_URGENT] = s->queues.urgent.sent;
	v[S_URGENT_OVER] = s->queues.urgent.over;
	v[S_URGENT_AIR] = s->queues.urgent.air;
}

static u64 cbq_average(const struct at_cbq *s, u32 i, u64 now)
{
	const struct at_cbq_class *c = &s->at[i];

	if (s->inner != AT_CBQ_RED)
		return 0;
	return at_red_shown(&c->params, &c->red, s->tins[i].qlen, now);
}

/* Place 0 is the urgent packets', then come the classes. */
u32 at_cbq_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct at_cbq *s = at_cbq_priv(q);
	u32 i = cursor - 1;

	*found = cursor <= s->classes;
	if (!*found)
		return 0;
	memset(cols, 0, R_END * sizeof(*cols));
	if (!cursor) {
		cols[R_CLASS] = AT_URGENT;
		cols[R_BACKLOG] = s->queues.urgent.len;
		cols[R_BACKLOG_BYTES] = s->queues.urgent.bytes;
		return 1;
	}
	cols[R_CLASS] = i;
	cols[R_GROUP] = s->at[i].group;
	cols[R_SHARE] = s->at[i].share;
	cols[R_BACKLOG] = s->tins[i].qlen;
	cols[R_BACKLOG_BYTES] = s->tins[i].bytes;
	cols[R_SERVED] = s->at[i].served;
	cols[R_AVERAGE] = cbq_average(s, i, now) >> 16;
	return cursor + 1;
}
