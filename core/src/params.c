/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Checks parameter values against a discipline's table, in the same words for
 * every front end. What the table cannot say is left to ops->check().
 */
#include "airtab/classify.h"

static const char *check_value(const struct at_param *p, u64 v)
{
	u64 n = 0;

	if (v < p->min)
		return "below the minimum";
	if (v > p->max)
		return "above the maximum";
	if (p->unit == AT_BOOL && v > 1)
		return "neither 0 nor 1";
	if (p->unit == AT_RULE)
		return at_rule_wrong(v);
	if (p->unit == AT_CHOICE) {
		while (p->choices[n])
			n++;
		if (v >= n)
			return "no such choice";
	}
	return NULL;
}

const char *at_check(const struct at_ops *ops, const struct at_vals *v, u16 *bad)
{
	const char *wrong = NULL;

	for (u16 i = 0; ops->params[i].name; i++) {
		const struct at_param *p = &ops->params[i];
		u8 max_len = p->max_len ? p->max_len : 1;

		*bad = i;
		if (!v[i].len)
			return "no value";
		if (v[i].len > max_len)
			return "too many values";
		for (u8 k = 0; k < v[i].len; k++) {
			wrong = check_value(p, v[i].v[k]);
			if (wrong)
				return wrong;
		}
	}
	return ops->check ? ops->check(v, bad) : NULL;
}
