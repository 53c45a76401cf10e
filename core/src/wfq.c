/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * wfq: a queue for each station, served by WF2Q+ with a cost of bytes, packets, airtime of
 * the downlink, or cells of a fixed size. What VFQ was compared with.
 *
 * Source: P. Starzetz, thesis, INPG Grenoble 2006, 9.2.1 (the costs), 9.3 (10 packets each).
 *
 * Rules
 *  - Stations are classes of WF2Q+ (wf2q.h); packets of one leave as they came. A full queue
 *    drops what arrives.
 *  - AT_URGENT packets go first within narrow bounds (urgent.h); their station pays.
 *
 * By bytes it lets an upload starve a download: for each data packet one station gets another
 * gets 37.5 acknowledgements of 40 bytes, each of a packet that it has sent.
 *
 * What this is not: no flows, no uplink, nothing settled: see vfq.
 *
 * Defaults: 500 packets, 10 a station, 256 stations, weights 1, by bytes; cells of 512 bytes.
 */
#include "vfq_state.h"

enum { P_LIMIT, P_STATION_LIMIT, P_STATIONS, P_WEIGHT, P_COST, P_CELL, P_PHY, P_RATE, P_END };
enum { S_ACTIVE, S_URGENT, S_URGENT_OVER, S_URGENT_AIR, S_END };
enum { R_STATION, R_BACKLOG, R_BACKLOG_BYTES, R_WEIGHT, R_SERVED, R_END };

#define BYTE 1000u		/* of the scheduler's ns, so that shares of a byte count */

static const char *const wfq_costs[] = { "bytes", "packets", "airtime", "quantum", NULL };

static const struct at_param wfq_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all stations together", .source = "VFQ thesis table 9.1",
		.def = 500, .min = 1, .max = 1u << 20,
	},
	[P_STATION_LIMIT] = {
		.id = 2, .unit = AT_COUNT, .max_len = 1, .name = "station_limit",
		.help = "packets of a station", .source = "VFQ thesis 9.3.2", .def = 10, .min = 1,
		.max = 65535,
	},
	[P_STATIONS] = {
		.id = 3, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "stations",
		.help = "stations told apart; numbers from here on share with those below",
		.source = "docs/vfq.md", .def = 256, .min = 1, .max = 4096,
	},
	[P_WEIGHT] = {
		.id = 4, .unit = AT_Q16, .max_len = AT_VFQ_WEIGHTS, .name = "weight",
		.help = "shares of stations 0, 1, ..; the last holds for all that follow",
		.source = "VFQ thesis 9.2.1", .def = AT_WF2Q_ONE, .min = AT_WF2Q_WEIGHT_MIN,
		.max = AT_WF2Q_WEIGHT_MAX,
	},
	[P_COST] = {
		.id = 5, .unit = AT_CHOICE, .max_len = 1, .name = "cost",
		.help = "of a packet: bytes; packets: each the same; airtime: of its exchange; quantum: cells of that size",
		.source = "VFQ thesis 9.2.1", .def = 0, .min = 0, .max = 3, .choices = wfq_costs,
	},
	[P_CELL] = {
		.id = 6, .unit = AT_BYTES, .max_len = 1, .name = "quantum",
		.help = "of cost quantum: a packet costs as many bytes as the cells that it fills",
		.source = "VFQ thesis 9.2.1", .def = 512, .min = 1, .max = 65535,
	},
	[P_PHY] = {
		.id = 7, .unit = AT_CHOICE, .max_len = 1, .name = "phy",
		.help = "airtime profile of stations whose link the host does not tell",
		.source = "docs/airtime.md", .def = AT_PHY_STD_11G, .min = 0, .max = AT_PHYS - 1,
		.choices = at_phy_names,
	},
	[P_RATE] = {
		.id = 8, .unit = AT_BPS, .max_len = 1, .name = "rate",
		.help = "rate of stations whose link the host does not tell",
		.source = "docs/airtime.md", .def = 54000000, .min = 1000000, .max = 10000000000ull,
	},
	[P_END] = { 0 },
};

static const struct at_stat wfq_stats[] = {
	[S_ACTIVE] = { .id = 1, .unit = AT_COUNT, .name = "active", .help = "stations with packets that may go" },
	[S_URGENT] = { .id = 2, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 3, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: ordinary ones" },
	[S_URGENT_AIR] = { .id = 4, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets" },
	[S_END] = { 0 },
};

static const struct at_stat wfq_row_stats[] = {
	[R_STATION] = { .id = 1, .unit = AT_COUNT, .name = "station",
		.help = "station; above the last one: multicast, not known, what goes first" },
	[R_BACKLOG] = { .id = 2, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 3, .unit = AT_BYTES, .name = "backlog_bytes", .help = "bytes queued" },
	[R_WEIGHT] = { .id = 4, .unit = AT_Q16, .name = "weight", .help = "its share beside those of others" },
	[R_SERVED] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "served",
		.help = "cost of what was sent: thousandths of a byte, or ns of airtime" },
	[R_END] = { 0 },
};

/* ---- costs ---- */

static u64 wfq_bytes(const struct at_vfq *s, struct at_vfq_box *b, u32 bytes)
{
	(void)s, (void)b;
	return (u64)bytes * BYTE;
}

static u64 wfq_packets(const struct at_vfq *s, struct at_vfq_box *b, u32 bytes)
{
	(void)s, (void)b, (void)bytes;
	return AT_FULL_BYTES * BYTE;
}

static u64 wfq_airtime(const struct at_vfq *s, struct at_vfq_box *b, u32 bytes)
{
	return at_aircost_ns(&b->cost, bytes, at_vfq_contention(s, b));
}

static u64 wfq_cells(const struct at_vfq *s, struct at_vfq_box *b, u32 bytes)
{
	(void)b;
	return (u64)((bytes + s->quantum - 1) / s->quantum) * s->quantum * BYTE;
}

/* ---- set-up ---- */

static u64 wfq_state_size(const struct at_vals *v)
{
	return at_vfq_state_size((u32)*v[P_STATIONS].v, 1);
}

static bool wfq_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	static at_vfq_cost *const costs[] = { wfq_bytes, wfq_packets, wfq_airtime, wfq_cells };
	struct at_vfq *s = at_vfq_priv(q);

	s->limit = *v[P_LIMIT].v;
	s->box_limit = *v[P_STATION_LIMIT].v;
	at_vfq_set_weights(s, &v[P_WEIGHT]);
	s->plain = costs[*v[P_COST].v];
	s->quantum = (u32)*v[P_CELL].v;
	at_vfq_set_usual(s, *v[P_PHY].v, *v[P_RATE].v);
	return at_vfq_shrink(q, now);
}

static void wfq_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);

	at_vfq_init(q, (u32)*v[P_STATIONS].v, 1, seed);
	s->download = s->upload = AT_WF2Q_ONE;
	s->idle = AT_NEVER;
	wfq_change(q, v, now);
}

static const char *wfq_check(const struct at_vals *v, u16 *bad)
{
	*bad = P_RATE;
	return at_aircost_wrong(&at_phys[*v[P_PHY].v], (u32)at_div(*v[P_RATE].v, 1000));
}

/* ---- tables ---- */

static void wfq_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct at_vfq *s = at_vfq_priv(q);

	(void)now;
	v[S_ACTIVE] = s->wf2q.active;
	v[S_URGENT] = s->urgent.sent;
	v[S_URGENT_OVER] = s->urgent.over;
	v[S_URGENT_AIR] = s->urgent.air;
}

static u32 wfq_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct at_vfq *s = at_vfq_priv(q);
	u32 i = at_vfq_next_row(s, cursor, found);

	(void)now;
	if (!*found)
		return i;
	memset(cols, 0, R_END * sizeof(*cols));
	cols[R_STATION] = i - 1;
	at_vfq_backlog(s, i - 1, &cols[R_BACKLOG], &cols[R_BACKLOG_BYTES]);
	if (i > s->n_boxes)
		return i;
	cols[R_WEIGHT] = s->wf2q.at[i - 1].weight;
	cols[R_SERVED] = s->boxes[i - 1].down;
	return i;
}

const struct at_ops at_wfq_ops = {
	.name = "wfq",
	.about = "a queue for each station, served by WF2Q+ of bytes, packets or airtime",
	.params = wfq_params,
	.stats = wfq_stats,
	.row_stats = wfq_row_stats,
	.check = wfq_check,
	.state_size = wfq_state_size,
	.init = wfq_init,
	.change = wfq_change,
	.reset = at_vfq_reset,
	.enqueue = at_vfq_enqueue,
	.dequeue = at_vfq_dequeue,
	.drain = at_vfq_drain,
	.gate = at_vfq_gate,
	.link = at_vfq_link,
	.read = wfq_read,
	.row = wfq_row,
};
