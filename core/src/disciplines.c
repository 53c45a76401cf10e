/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The registration list: disciplines.def as an array. AT_DISCIPLINE(name)
 * stands for `const struct at_ops at_name_ops` in src/name.c.
 */
#include "airtab/qdisc.h"

#define AT_DISCIPLINE(name) extern const struct at_ops at_##name##_ops;
#include "disciplines.def"
#undef AT_DISCIPLINE

const struct at_ops *const at_disciplines[] = {
#define AT_DISCIPLINE(name) &at_##name##_ops,
#include "disciplines.def"
#undef AT_DISCIPLINE
	NULL,
};
