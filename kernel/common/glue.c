/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The parameters that the kernel host adds to every discipline.
 */
#include "wire.h"

/* `on` and `off` are what they were when there was no `auto`. */
static const char *const split_choices[] = {
	[AT_SPLIT_OFF] = "off", [AT_SPLIT_ON] = "on", [AT_SPLIT_AUTO] = "auto", NULL
};

const struct at_param at_glue_params[] = {
	{ AT_WIRE_GLUE + 1, AT_CHOICE, 0, 1, "split_gso",
	  "cut aggregated (GSO) packets into those that will be sent; auto: unless they leave at 1 Gb/s or more",
	  "docs/kernel.md, GSO", AT_SPLIT_AUTO, 0, AT_SPLIT_AUTO, split_choices },
	{ 0 },
};
