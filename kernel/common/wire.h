/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What goes over netlink between the module and tc. Everything is an attribute
 * whose type is the id of a table row and whose payload is one u64 (a list: up
 * to max_len of them) in the host's byte order.
 *
 *   TCA_OPTIONS of a qdisc         parameters: the discipline's, then the glue's.
 *				    add, change and replace send those that were given
 *   xstats of a qdisc (APP)        AT_WIRE_STAT + id, then AT_WIRE_DROPPED + reason
 *				    what is below it, if a governor runs: AT_WIRE_BELOW + id;
 *				    AT_WIRE_STATION for each station, a list by its table
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
	AT_WIRE_BELOW = 0x3000,
	AT_WIRE_STATION = 0x3100,
};

/* Parameters that every kind has, in the order of enum at_glue. */
extern const struct at_param at_glue_params[];

enum at_glue {
	AT_GLUE_SPLIT,
	AT_GLUE_GOVERNOR, AT_GLUE_INFLIGHT, AT_GLUE_INFLIGHT_STATION, AT_GLUE_PACE,
	AT_GLUE_EMULATE, AT_GLUE_EMULATE_RATE, AT_GLUE_EMULATE_FER, AT_GLUE_EMULATE_EXTRA,
	AT_GLUE_PARAMS
};

enum at_glue_governor { AT_GOVERN_AUTO, AT_GOVERN_ON, AT_GOVERN_OFF };

/* As ops->check: rules of more than one of them. */
const char *at_glue_check(const struct at_vals *v, u16 *bad);

/* What a governor knows (airtab/governor.h), in the order of enum at_below; of each
 * station, in that of enum at_below_station. */
extern const struct at_stat at_below_stats[], at_below_station_stats[];
extern const char *const at_below_modes[];

enum at_below {
	AT_BELOW_MODE, AT_BELOW_OUTSTANDING, AT_BELOW_BUDGET, AT_BELOW_FRAMES, AT_BELOW_FLOOR,
	AT_BELOW_VALID, AT_BELOW_UNSENT, AT_BELOW_EARLY, AT_BELOW_LATE, AT_BELOW_EXPIRED, AT_BELOW_UNKNOWN,
	AT_BELOW_UNCLAIMED, AT_BELOW_TURNS, AT_BELOWS
};

enum at_below_mode { AT_BELOW_MEASURED, AT_BELOW_PACED, AT_BELOW_UNLIMITED, AT_BELOW_NOT_ROOT };

enum at_below_station {
	AT_BELOW_ADDRESS, AT_BELOW_RATE, AT_BELOW_AIR, AT_BELOW_STA_OUTSTANDING, AT_BELOW_STA_FRAMES,
	AT_BELOW_STA_FLOOR, AT_BELOW_CLOSED, AT_BELOW_SILENT, AT_BELOW_STATIONS
};

enum at_split { AT_SPLIT_OFF, AT_SPLIT_ON, AT_SPLIT_AUTO };

#endif
