/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Values of the tables in words, the same in the kernel's messages and in tc.
 */
#ifndef AIRTAB_TEXT_H
#define AIRTAB_TEXT_H

#include "airtab/classify.h"

#define AT_TEXT 80		/* longest text; netlink messages hold no more */

/* One way to write a unit: `value` times `scale`. */
struct at_scale {
	const char *suffix;
	u64 scale;
};

/* The ways to write a unit; ends at suffix == NULL. */
const struct at_scale *at_scales(u8 unit);

/* "25ms", "4MiB", "on": in the largest unit that needs no fraction. choices:
 * of AT_CHOICE, may be NULL otherwise. Returns text. */
char *at_text_value(char text[AT_TEXT], u8 unit, const char *const *choices, u64 value);

/* "10us..10s", "on or off", "default or faithful". Returns text. */
char *at_text_range(char text[AT_TEXT], const struct at_param *p);

/* "increment: 5us is out of range 10us..10s" if this value is the reason why
 * p is wrong. */
bool at_text_out_of_range(char text[AT_TEXT], const struct at_param *p, u64 value);

#endif
