// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Parameters from netlink: every rule comes from the tables, and every refusal
 * names the parameter, its value and what is allowed.
 */
#include <linux/slab.h>
#include <net/netlink.h>

#include "airtab.h"
#include "text.h"

static u32 count(const struct at_param *table)
{
	u32 n = 0;

	while (table[n].name)
		n++;
	return n;
}

static const struct at_param *param(const struct at_ops *core, u32 n, u32 i)
{
	return i < n ? &core->params[i] : &at_glue_params[i - n];
}

static u8 longest(const struct at_param *p)
{
	return p->max_len ? p->max_len : 1;
}

/* A copy of old, or the defaults. */
static struct at_set *new_set(const struct at_ops *core, const struct at_set *old)
{
	u32 n = count(core->params), all = n + AT_GLUE_PARAMS, values = 0;
	struct at_set *set;
	u64 *v;

	for (u32 i = 0; i < all; i++)
		values += longest(param(core, n, i));
	set = kzalloc(struct_size(set, vals, all) + values * sizeof(*v), GFP_KERNEL);
	if (!set)
		return NULL;
	v = (u64 *)&set->vals[all];
	set->n = n;
	for (u32 i = 0; i < all; i++) {
		const struct at_param *p = param(core, n, i);

		if (old)
			memcpy(v, old->vals[i].v, old->vals[i].len * sizeof(*v));
		else
			*v = p->def;
		set->vals[i] = (struct at_vals){ v, old ? old->vals[i].len : 1 };
		v += longest(p);
	}
	return set;
}

/* Number of the parameter with that id, or one behind the last. */
static u32 find(const struct at_ops *core, u32 n, u16 id)
{
	u32 i = 0;

	while (i < n + AT_GLUE_PARAMS && param(core, n, i)->id != id)
		i++;
	return i;
}

static int take(const struct at_ops *core, struct at_set *set, const struct nlattr *attr,
		struct netlink_ext_ack *extack)
{
	u32 i = find(core, set->n, nla_type(attr)), len = nla_len(attr);
	const struct at_param *p;
	char text[AT_TEXT];

	if (i == set->n + AT_GLUE_PARAMS) {
		snprintf(text, sizeof(text), "%s: no parameter has the id %d: tc is newer than the module",
			 core->name, nla_type(attr));
		at_refuse(extack, attr, text);
		return -EINVAL;
	}
	p = param(core, set->n, i);
	if (!len || len % sizeof(u64) || len / sizeof(u64) > longest(p)) {
		snprintf(text, sizeof(text), "%s: %u bytes; a value has 8, and there is at most %d",
			 p->name, len, longest(p));
		at_refuse(extack, attr, text);
		return -EINVAL;
	}
	memcpy((u64 *)set->vals[i].v, nla_data(attr), len);
	set->vals[i].len = len / sizeof(u64);
	return 0;
}

static bool same(const struct at_vals *a, const struct at_vals *b)
{
	return a->len == b->len && !memcmp(a->v, b->v, a->len * sizeof(*a->v));
}

static int check(const struct at_ops *core, const struct at_set *set, const struct at_set *old,
		 struct netlink_ext_ack *extack)
{
	static const struct at_ops glue = { .params = at_glue_params, .check = at_glue_check };
	const char *wrong;
	char text[AT_TEXT];
	u16 bad = 0;

	for (u32 i = 0; i < set->n + AT_GLUE_PARAMS; i++)
		for (u32 k = 0; k < set->vals[i].len; k++)
			if (at_text_out_of_range(text, param(core, set->n, i), set->vals[i].v[k]))
				goto refused;
	wrong = at_check(core, set->vals, &bad);
	if (wrong) {
		snprintf(text, sizeof(text), "%s: %s", core->params[bad].name, wrong);
		goto refused;
	}
	wrong = at_check(&glue, set->vals + set->n, &bad);
	if (wrong) {
		snprintf(text, sizeof(text), "%s: %s", at_glue_params[bad].name, wrong);
		goto refused;
	}
	for (u32 i = 0; i < set->n; i++) {
		if (!(core->params[i].flags & AT_P_HEARD) || *set->vals[i].v != 1)
			continue;
		snprintf(text, sizeof(text), "%s: no device tells a qdisc what stations send: choose another one",
			 core->params[i].name);
		goto refused;
	}
	for (u32 i = 0; old && i < set->n; i++) {
		const struct at_param *p = &core->params[i];

		if (!(p->flags & AT_P_INIT) || same(&set->vals[i], &old->vals[i]))
			continue;
		snprintf(text, sizeof(text), "%s: fixed once it runs: delete the qdisc and add it anew",
			 p->name);
		goto refused;
	}
	return 0;
refused:
	at_refuse(extack, NULL, text);
	return -EINVAL;
}

/* tc does not set NLA_F_NESTED. */
static int take_all(const struct at_ops *core, struct at_set *set, const struct nlattr *opt,
		    struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	char text[AT_TEXT];
	int rest, err;

	nla_for_each_nested(attr, opt, rest) {
		err = take(core, set, attr, extack);
		if (err)
			return err;
	}
	if (rest <= 0)		/* below: the last one is not padded */
		return 0;
	snprintf(text, sizeof(text), "%s: %d bytes behind the last parameter are no parameter",
		 core->name, rest);
	at_refuse(extack, opt, text);
	return -EINVAL;
}

struct at_set *at_set_parse(const struct at_ops *core, const struct at_set *old,
			    struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct at_set *set = new_set(core, old);
	int err;

	if (!set)
		return ERR_PTR(-ENOMEM);
	err = opt ? take_all(core, set, opt, extack) : 0;
	if (!err)
		err = check(core, set, old, extack);
	if (err) {
		kfree(set);
		return ERR_PTR(err);
	}
	return set;
}
