/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The parameters that the kernel host adds to every discipline.
 */
#include "wire.h"

const struct at_param at_glue_params[] = {
	{ AT_WIRE_GLUE + 1, AT_BOOL, 0, 1, "split_gso",
	  "cut aggregated (GSO) packets into those that will be sent", "docs/kernel.md, GSO",
	  1, 0, 1, NULL },
	{ 0 },
};
