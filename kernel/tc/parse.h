/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * From what people write to the values of the parameter tables.
 */
#ifndef AIRTAB_TC_PARSE_H
#define AIRTAB_TC_PARSE_H

#include "text.h"

#define AT_LIST 255		/* longest list: struct at_vals counts in a u8 */

/* How a value of this unit is written: "a time with its unit, such as 25ms". */
const char *at_parse_example(u8 unit);

/* Reads "25ms", "4MiB", "on", "default", or a list "10,20", into v[0..*len-1];
 * each is in range. False, and why in wrong, if not. */
bool at_parse(const struct at_param *p, const char *word, u64 v[AT_LIST], u8 *len,
	      char wrong[2 * AT_TEXT]);

#endif
