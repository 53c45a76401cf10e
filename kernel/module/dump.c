// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Options, statistics and the per-flow table to netlink, by the tables (wire.h).
 *
 * The rows of the per-flow table are classes: `tc -s class show`. A row's minor
 * number is what at_ops->row() returns for it, which is one more than its place
 * in the table: the same row has the same number in each dump. A class number
 * has 16 bits: rows from 65535 on are all shown as ffff, which is no row's own.
 *
 * Identifiers (AT_HEX) are hashes of packets: what is shown for one is a keyed
 * hash of it, from which neither it nor the key can be computed. Those above 32
 * bits are the discipline's own words.
 */
#include <linux/slab.h>
#include <net/gen_stats.h>
#include <net/netlink.h>

#include "inflight.h"

int at_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	const struct airtab *a = qdisc_priv(sch);
	struct nlattr *nest = nla_nest_start_noflag(skb, TCA_OPTIONS);

	if (!nest)
		return -EMSGSIZE;
	for (u32 i = 0; i < a->set->n + AT_GLUE_PARAMS; i++) {
		const struct at_param *p = i < a->set->n ? &a->core->params[i]
							 : &at_glue_params[i - a->set->n];
		const struct at_vals *v = &a->set->vals[i];

		if (nla_put(skb, p->id, v->len * sizeof(*v->v), v->v)) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
	}
	return nla_nest_end(skb, nest);
}

static u32 count(const struct at_stat *table)
{
	u32 n = 0;

	while (table[n].name)
		n++;
	return n;
}

/* Stations of a governor that are shown at most, those with most airtime. */
#define STATIONS_SHOWN 24
#define BELOW (AT_BELOWS + STATIONS_SHOWN * AT_BELOW_STATIONS)

static void *put_list(void *at, u16 type, const u64 *values, u32 n)
{
	struct nlattr attr = { .nla_len = nla_attr_size(n * sizeof(*values)), .nla_type = type };

	memcpy(at, &attr, sizeof(attr));
	memcpy(at + NLA_HDRLEN, values, n * sizeof(*values));
	return at + nla_total_size(n * sizeof(*values));
}

static void *put(void *at, u16 type, u64 value)
{
	return put_list(at, type, &value, 1);
}

/* One value per row of a table. */
static void *put_all(void *at, const struct airtab *a, u16 base, const struct at_stat *table,
		     const u64 *values)
{
	for (; table->name; table++, values++) {
		u64 v = *values;

		if (table->unit == AT_HEX && v <= U32_MAX)
			v = (u32)siphash_1u64(v, &a->host.names);
		at = put(at, base + table->id, v);
	}
	return at;
}

/* How many of the stations a message has room for: it holds what is here twice (TCA_XSTATS is
 * the old place), and some words more. What is told of one qdisc is at most a page. */
static u32 fitting(const struct gnet_dump *d, size_t used, u32 stations)
{
	size_t room = skb_tailroom(d->skb) / 2, each = nla_total_size(AT_BELOW_STATIONS * sizeof(u64));

	used += AT_BELOWS * nla_total_size(sizeof(u64)) + 128;
	return room > used ? min_t(size_t, stations, (room - used) / each) : 0;
}

/* One value per row of a governor's table, then those of its stations. */
static void *put_below(void *at, const u64 *values, u32 stations)
{
	for (u32 i = 0; i < AT_BELOWS; i++)
		at = put(at, AT_WIRE_BELOW + i, *values++);
	for (; stations--; values += AT_BELOW_STATIONS)
		at = put_list(at, AT_WIRE_STATION, values, AT_BELOW_STATIONS);
	return at;
}

/* Puts a station among those with most airtime so far, n of them, in order: how many there
 * are then. */
static u32 keep(u64 (*most)[AT_BELOW_STATIONS], u32 n, const u64 *station)
{
	u32 i = n;

	while (i && most[i - 1][AT_BELOW_AIR] < station[AT_BELOW_AIR])
		i--;
	if (i == STATIONS_SHOWN)
		return n;
	n = min(n + 1, (u32)STATIONS_SHOWN);
	memmove(&most[i + 1], &most[i], (n - 1 - i) * sizeof(*most));
	memcpy(&most[i], station, sizeof(*most));
	return n;
}

/* Under the lock; the number of stations. */
static u32 read_below(const struct airtab *a, u64 *values)
{
	u64 (*most)[AT_BELOW_STATIONS] = (void *)(values + AT_BELOWS), station[AT_BELOW_STATIONS];
	u32 n = 0;

	at_inflight_read(a, values);
	for (u16 sta = 0; sta < a->host.stations.known; sta++) {
		at_inflight_read_station(a, sta, station);
		n = keep(most, n, station);
	}
	return n;
}

int at_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	const struct airtab *a = qdisc_priv(sch);
	const struct at_stat *table = a->core->stats;
	u32 n = a->core->read ? count(table) : 0, stations = 0;
	u32 all = n + AT_R_MAX + (a->inflight ? BELOW : 0);
	u64 *values = kcalloc(all, sizeof(*values), GFP_KERNEL);
	void *blob = kcalloc(all, nla_total_size(sizeof(*values)), GFP_KERNEL), *at = blob;
	int err = -ENOMEM;

	if (values && blob) {
		sch_tree_lock(sch);
		if (n)
			a->core->read(a->q, values, ktime_get_ns());
		memcpy(values + n, a->q->dropped, sizeof(a->q->dropped));
		if (a->inflight)
			stations = read_below(a, values + n + AT_R_MAX);
		sch_tree_unlock(sch);
		if (n)
			at = put_all(at, a, AT_WIRE_STAT, table, values);
		for (u32 i = 0; i < AT_R_MAX; i++)
			at = put(at, AT_WIRE_DROPPED + i, values[n + i]);
		if (a->inflight)
			at = put_below(at, values + n + AT_R_MAX, fitting(d, at - blob, stations));
		err = gnet_stats_copy_app(d, blob, at - blob);
	}
	kfree(blob);
	kfree(values);
	return err;
}

/* ---- rows ---- */

#define NO_NUMBER TC_H_MIN_MASK		/* shown for rows that have none of their own */

/* Which columns are standard statistics: those of these names. */
void at_dump_init(struct airtab *a)
{
	static const char *const names[AT_STD] = {
		[AT_STD_BYTES] = "bytes", [AT_STD_PACKETS] = "packets",
		[AT_STD_QLEN] = "backlog", [AT_STD_BACKLOG] = "backlog_bytes",
	};

	for (u32 i = 0; i < AT_STD; i++) {
		u8 column = 0;

		while (a->core->row_stats[column].name && strcmp(a->core->row_stats[column].name, names[i]))
			column++;
		a->standard[i] = a->core->row_stats[column].name ? column : AT_COLUMNS;
	}
}

/* at_ops->row() under the lock, which is held for AT_ROWS records at most. */
static u32 look(struct Qdisc *sch, u32 cursor)
{
	struct airtab *a = qdisc_priv(sch);
	bool found = false;
	u32 next;

	sch_tree_lock(sch);
	next = a->core->row(a->q, cursor, a->row.col, ktime_get_ns(), &found);
	sch_tree_unlock(sch);
	a->row.number = found ? next : 0;
	return next;
}

/* 0, and what is beyond the numbers, is nobody's. */
static unsigned long find(struct Qdisc *sch, u32 classid)
{
	const struct airtab *a = qdisc_priv(sch);
	u32 minor = TC_H_MIN(classid);

	if (!a->core->row || !minor || minor == NO_NUMBER)
		return 0;
	look(sch, minor - 1);
	return a->row.number == minor ? minor : 0;
}

static struct Qdisc *leaf(struct Qdisc *sch, unsigned long class)
{
	return NULL;
}

/* What the walker counts and skips are places in the table, not rows: a dump
 * goes on where it was, with each of its messages. */
static void walk(struct Qdisc *sch, struct qdisc_walker *w)
{
	const struct airtab *a = qdisc_priv(sch);
	u32 next;

	if (w->stop || !a->core->row)
		return;
	w->count = max(w->count, w->skip);
	while ((next = look(sch, w->count))) {
		if (a->row.number && w->fn(sch, next, w) < 0) {
			w->stop = 1;
			break;
		}
		w->count = next;
		cond_resched();
	}
}

static int dump_class(struct Qdisc *sch, unsigned long class, struct sk_buff *skb,
		      struct tcmsg *tcm)
{
	tcm->tcm_handle |= min_t(u32, class, NO_NUMBER);
	return 0;
}

/* Of the row that find() or walk() has just looked at. */
static int dump_class_stats(struct Qdisc *sch, unsigned long class, struct gnet_dump *d)
{
	const struct airtab *a = qdisc_priv(sch);
	u8 blob[AT_COLUMNS * (NLA_HDRLEN + sizeof(u64))], *end;
	struct gnet_stats_basic_sync sent;
	struct gnet_stats_queue queue = {
		.qlen = a->row.col[a->standard[AT_STD_QLEN]],
		.backlog = a->row.col[a->standard[AT_STD_BACKLOG]],
	};

	if (a->row.number != class)
		return 0;
	gnet_stats_basic_sync_init(&sent);
	_bstats_update(&sent, a->row.col[a->standard[AT_STD_BYTES]], a->row.col[a->standard[AT_STD_PACKETS]]);
	end = put_all(blob, a, AT_WIRE_ROW, a->core->row_stats, a->row.col);
	if (gnet_stats_copy_basic(d, NULL, &sent, false) < 0 ||
	    gnet_stats_copy_queue(d, NULL, &queue, queue.qlen) < 0)
		return -1;
	return gnet_stats_copy_app(d, blob, end - blob);
}

const struct Qdisc_class_ops at_class_ops = {
	.find = find,
	.leaf = leaf,
	.walk = walk,
	.dump = dump_class,
	.dump_stats = dump_class_stats,
};
