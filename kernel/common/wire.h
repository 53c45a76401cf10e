/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What goes over netlink between the module and tc. Everything is an attribute
 * whose type is the id of a table row and whose payload is one u64 (a list: up
 * to max_len of them) in the host's byte order.
 *
 *   TCA_OPTIONS of a qdisc         parameters: the discipline's, then the glue's.
 *				    add, change and replace send those that were given
 *   xstats of a qdisc (APP)        AT_WIRE_STAT + id, then AT_WIRE_DROPPED + reason
 *   xstats of a class (APP)        AT_WIRE_ROW + id: one row of the per-flow table
 *
 * Ids are ABI: see struct at_param.
 */
#ifndef AIRTAB_WIRE_H
#define AIRTAB_WIRE_H

#include "airtab/qdisc.h"

enum {
	AT_WIRE_GLUE = 0x1000,		/* parameters from here on are the glue's */
	AT_WIRE_STAT = 0,
	AT_WIRE_DROPPED = 0x1000,
	AT_WIRE_ROW = 0x2000,
};

/* Parameters that every kind has, in the order of enum at_glue. */
extern const struct at_param at_glue_params[];

enum at_glue { AT_GLUE_SPLIT, AT_GLUE_PARAMS };

enum at_split { AT_SPLIT_OFF, AT_SPLIT_ON, AT_SPLIT_AUTO };

#endif
