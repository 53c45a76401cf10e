// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Options, statistics and the per-flow table to netlink, by the tables (wire.h).
 *
 * The rows of the per-flow table are classes: `tc -s class show`. A row's minor
 * number is what at_ops->row() returns for it, which is one more than its place
 * in the table: the same row has the same number in each dump. Those beyond
 * 65535 are not shown.
 */
#include <linux/slab.h>
#include <net/gen_stats.h>
#include <net/netlink.h>

#include "airtab.h"

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

static void *put(void *at, u16 type, u64 value)
{
	struct nlattr attr = { .nla_len = nla_attr_size(sizeof(value)), .nla_type = type };

	memcpy(at, &attr, sizeof(attr));
	memcpy(at + NLA_HDRLEN, &value, sizeof(value));
	return at + nla_total_size(sizeof(value));
}

int at_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	const struct airtab *a = qdisc_priv(sch);
	const struct at_stat *table = a->core->stats;
	u32 n = a->core->read ? count(table) : 0;
	u64 *values = kcalloc(n + AT_R_MAX, sizeof(*values), GFP_KERNEL);
	void *blob = kcalloc(n + AT_R_MAX, nla_total_size(sizeof(*values)), GFP_KERNEL), *at = blob;
	int err = -ENOMEM;

	if (values && blob) {
		sch_tree_lock(sch);
		if (n)
			a->core->read(a->q, values, ktime_get_ns());
		memcpy(values + n, a->q->dropped, sizeof(a->q->dropped));
		sch_tree_unlock(sch);
		for (u32 i = 0; i < n; i++)
			at = put(at, AT_WIRE_STAT + table[i].id, values[i]);
		for (u32 i = 0; i < AT_R_MAX; i++)
			at = put(at, AT_WIRE_DROPPED + i, values[n + i]);
		err = gnet_stats_copy_app(d, blob, at - blob);
	}
	kfree(blob);
	kfree(values);
	return err;
}

/* ---- rows ---- */

static unsigned long find(struct Qdisc *sch, u32 classid)
{
	return TC_H_MIN(classid);
}

static struct Qdisc *leaf(struct Qdisc *sch, unsigned long class)
{
	return NULL;
}

static u64 *new_row(const struct at_ops *core)
{
	return kcalloc(count(core->row_stats) + 1, sizeof(u64), GFP_KERNEL);
}

static u32 read_row(struct Qdisc *sch, u32 cursor, u64 *row)
{
	const struct airtab *a = qdisc_priv(sch);
	u32 next;

	sch_tree_lock(sch);
	next = a->core->row(a->q, cursor, row, ktime_get_ns());
	sch_tree_unlock(sch);
	return next;
}

static void walk(struct Qdisc *sch, struct qdisc_walker *w)
{
	const struct at_ops *core = ((struct airtab *)qdisc_priv(sch))->core;
	u32 cursor = 0, next;
	u64 *row;

	if (w->stop || !core->row)
		return;
	row = new_row(core);
	while (row && (next = read_row(sch, cursor, row)) && next <= TC_H_MIN_MASK) {
		if (w->count >= w->skip && w->fn(sch, next, w) < 0) {
			w->stop = 1;
			break;
		}
		w->count++;
		cursor = next;
	}
	kfree(row);
}

static int dump_class(struct Qdisc *sch, unsigned long class, struct sk_buff *skb,
		      struct tcmsg *tcm)
{
	tcm->tcm_handle |= TC_H_MIN(class);
	return 0;
}

static int dump_class_stats(struct Qdisc *sch, unsigned long class, struct gnet_dump *d)
{
	const struct at_ops *core = ((struct airtab *)qdisc_priv(sch))->core;
	u32 n = count(core->row_stats);
	u64 *row = new_row(core);
	void *blob = kcalloc(n, nla_total_size(sizeof(*row)), GFP_KERNEL), *at = blob;
	int err = -ENOMEM;

	if (row && blob) {
		err = 0;
		/* unless the row is gone since walk() */
		if (core->row && class && read_row(sch, class - 1, row) == class) {
			for (u32 i = 0; i < n; i++)
				at = put(at, AT_WIRE_ROW + core->row_stats[i].id, row[i]);
			err = gnet_stats_copy_app(d, blob, at - blob);
		}
	}
	kfree(blob);
	kfree(row);
	return err;
}

const struct Qdisc_class_ops at_class_ops = {
	.find = find,
	.leaf = leaf,
	.walk = walk,
	.dump = dump_class,
	.dump_stats = dump_class_stats,
};
