/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The parameters and statistics that the kernel host adds to every discipline.
 */
#include "wire.h"

/* `on` and `off` are what they were when there was no `auto`. */
static const char *const split_choices[] = {
	[AT_SPLIT_OFF] = "off", [AT_SPLIT_ON] = "on", [AT_SPLIT_AUTO] = "auto", NULL
};
static const char *const governor[] = { "auto", "on", "off", NULL };
/* Profiles whose rates are in kb/s. */
static const char *const emulate[] = {
	"off", "d7.1", "std-11g", "std-11a", "std-11b", "std-11bg", "phy-a", NULL
};

const struct at_param at_glue_params[] = {
	{ AT_WIRE_GLUE + 1, AT_CHOICE, 0, 1, "split_gso",
	  "cut aggregated (GSO) packets into those that will be sent; auto: unless they leave at 1 Gb/s or more. Where a governor runs all are",
	  "docs/kernel.md, GSO", AT_SPLIT_AUTO, 0, AT_SPLIT_AUTO, split_choices },
	{ AT_WIRE_GLUE + 2, AT_CHOICE, 0, 1, "governor",
	  "hold packets back that would only wait in the driver; auto: on wireless devices",
	  "docs/kernel.md, Below the queue", AT_GOVERN_AUTO, 0, AT_GOVERN_OFF, governor },
	{ AT_WIRE_GLUE + 3, AT_NS, 0, 1, "inflight",
	  "airtime that may be outstanding below the queue in all, if no longer aggregates are met",
	  "docs/governor.md", 4000000, 100000, 250000000, NULL },
	{ AT_WIRE_GLUE + 4, AT_NS, 0, 1, "inflight_station",
	  "airtime that may be outstanding of one station, likewise", "docs/governor.md",
	  3000000, 100000, 250000000, NULL },
	{ AT_WIRE_GLUE + 5, AT_BPS, 0, 1, "pace",
	  "rate to send at where the driver does not tell what it has sent; 0 = without limit",
	  "docs/kernel.md, Below the queue", 0, 0, 100000000000, NULL },
	{ AT_WIRE_GLUE + 6, AT_CHOICE, 0, 1, "emulate",
	  "an 802.11 link in place of the device's own: the profile of its times",
	  "CHAP dissertation 7.1", 0, 0, 6, emulate },
	{ AT_WIRE_GLUE + 7, AT_BPS, 0, 1, "emulate_rate",
	  "rate of its frames", "CHAP dissertation 7.1", 54000000, 1000000, 600000000, NULL },
	{ AT_WIRE_GLUE + 8, AT_PPM, 0, 1, "emulate_fer",
	  "share of its frames, DATA and ACK, that are lost", "CHAP dissertation 7.1",
	  0, 0, 1000000, NULL },
	{ AT_WIRE_GLUE + 9, AT_NS, 0, 1, "emulate_extra",
	  "time that each packet takes longer: a slower bottleneck", "CHAP dissertation 7.1",
	  0, 0, 1000000000, NULL },
	{ 0 },
};

static u64 value(const struct at_vals *v, enum at_glue i)
{
	return *v[i].v;
}

const char *at_glue_check(const struct at_vals *v, u16 *bad)
{
	*bad = AT_GLUE_INFLIGHT_STATION;
	if (value(v, AT_GLUE_INFLIGHT_STATION) > value(v, AT_GLUE_INFLIGHT))
		return "must not exceed inflight";
	*bad = AT_GLUE_EMULATE;
	if (value(v, AT_GLUE_EMULATE) && value(v, AT_GLUE_GOVERNOR) == AT_GOVERN_ON)
		return "not with governor on: nothing waits below an emulated link";
	return NULL;
}

const char *const at_below_modes[] = { "measured", "paced", "unlimited", "not_at_root", NULL };

const struct at_stat at_below_stats[] = {
	[AT_BELOW_MODE] = { AT_BELOW_MODE, AT_CHOICE, false, "mode",
		"measured: by what the driver completes. It completes packets before they can be sent, "
		"so: paced (at the rate of pace), or unlimited. not_at_root: a parent takes packets before "
		"they are sent, so all go" },
	[AT_BELOW_OUTSTANDING] = { AT_BELOW_OUTSTANDING, AT_NS, false, "outstanding",
		"airtime that left the queue and is not sent yet" },
	[AT_BELOW_BUDGET] = { AT_BELOW_BUDGET, AT_NS, false, "budget",
		"airtime that may be outstanding: inflight, or two and a half of the largest batch lately" },
	[AT_BELOW_FRAMES] = { AT_BELOW_FRAMES, AT_COUNT, false, "frames", "packets of it" },
	[AT_BELOW_FLOOR] = { AT_BELOW_FLOOR, AT_COUNT, false, "floor", "packets that may be outstanding whatever they take" },
	[AT_BELOW_VALID] = { AT_BELOW_VALID, AT_COUNT, true, "valid", "completions that were measured" },
	[AT_BELOW_UNSENT] = { AT_BELOW_UNSENT, AT_COUNT, true, "unsent",
		"completions of packets of which the driver does not say that they were sent" },
	[AT_BELOW_EARLY] = { AT_BELOW_EARLY, AT_COUNT, true, "early", "completions before the packet can have been sent" },
	[AT_BELOW_LATE] = { AT_BELOW_LATE, AT_COUNT, true, "late", "completions after 25 ms, or of packets given up" },
	[AT_BELOW_EXPIRED] = { AT_BELOW_EXPIRED, AT_COUNT, true, "expired", "packets given up" },
	[AT_BELOW_UNKNOWN] = { AT_BELOW_UNKNOWN, AT_COUNT, true, "unknown", "completions of packets long forgotten" },
	[AT_BELOW_UNCLAIMED] = { AT_BELOW_UNCLAIMED, AT_COUNT, true, "unclaimed",
		"packets whose completion nobody tells: shared, without memory, or claimed above" },
	[AT_BELOW_TURNS] = { AT_BELOW_TURNS, AT_COUNT, true, "turns", "changes of the mode" },
	[AT_BELOWS] = { 0 },
};

const struct at_stat at_below_station_stats[] = {
	[AT_BELOW_ADDRESS] = { AT_BELOW_ADDRESS, AT_HEX, false, "address", "of the station" },
	[AT_BELOW_RATE] = { AT_BELOW_RATE, AT_BPS, false, "rate", "bytes over airtime, learned" },
	[AT_BELOW_AIR] = { AT_BELOW_AIR, AT_NS, true, "airtime", "that it was charged" },
	[AT_BELOW_STA_OUTSTANDING] = { AT_BELOW_STA_OUTSTANDING, AT_NS, false, "outstanding", "airtime outstanding of it" },
	[AT_BELOW_STA_FRAMES] = { AT_BELOW_STA_FRAMES, AT_COUNT, false, "frames", "packets of it" },
	[AT_BELOW_STA_FLOOR] = { AT_BELOW_STA_FLOOR, AT_COUNT, false, "floor", "packets that may be outstanding whatever they take" },
	[AT_BELOW_CLOSED] = { AT_BELOW_CLOSED, AT_BOOL, false, "closed", "nothing goes to it now" },
	[AT_BELOW_SILENT] = { AT_BELOW_SILENT, AT_BOOL, false, "silent", "it completed nothing for 25 ms: asleep or gone" },
	[AT_BELOW_STATIONS] = { 0 },
};
