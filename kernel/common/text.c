/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Values of the tables in words. See text.h.
 */
#include "text.h"

#ifdef __KERNEL__
#include <linux/kernel.h>
#else
#include <stdio.h>
#endif

/* Written with the last that divides the value; read with any. */
static const struct at_scale ns[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { NULL },
};
static const struct at_scale bytes[] = {
	{ "B", 1 }, { "kB", 1000 }, { "KiB", 1u << 10 }, { "MB", 1000000 },
	{ "MiB", 1u << 20 }, { "GiB", 1u << 30 }, { NULL },
};
static const struct at_scale bps[] = {
	{ "bit", 1 }, { "kbit", 1000 }, { "Mbit", 1000000 }, { "Gbit", 1000000000 }, { NULL },
};
static const struct at_scale ppm[] = { { "ppm", 1 }, { "%", 10000 }, { NULL } };
static const struct at_scale count[] = { { "", 1 }, { NULL } };
static const struct at_scale q16[] = { { "", 1u << 16 }, { NULL } };
static const struct at_scale weight[] = { { "", (u64)1 << 32 }, { NULL } };

const struct at_scale *at_scales(u8 unit)
{
	switch (unit) {
	case AT_NS:
	case AT_SIGNED_NS:
		return ns;
	case AT_BYTES:
		return bytes;
	case AT_BPS:
		return bps;
	case AT_PPM:
		return ppm;
	case AT_Q16:
		return q16;
	case AT_WEIGHT:
		return weight;
	default:
		return count;
	}
}

static bool divides(u64 value, u32 by)
{
	return at_div(value, by) * by == value;
}

static char *scaled(char text[AT_TEXT], u8 unit, const char *sign, u64 value)
{
	const struct at_scale *s = at_scales(unit), *best = s;

	for (; value && s->suffix; s++)
		if (divides(value, (u32)s->scale))
			best = s;
	snprintf(text, AT_TEXT, "%s%llu%s", sign, (unsigned long long)at_div(value, (u32)best->scale),
		 best->suffix);
	return text;
}

/* As classify.h has it; a word that is none in hexadecimal. */
static char *rule(char text[AT_TEXT], u64 word)
{
	struct at_rule r = at_rule_of(word);
	const char *proto = r.value == AT_RULE_TCP ? "tcp" : "udp";

	if (at_rule_wrong(word))
		snprintf(text, AT_TEXT, "%llx", (unsigned long long)word);
	else if (r.what == AT_RULE_HOST)
		snprintf(text, AT_TEXT, "host");
	else if (r.what == AT_RULE_ANY)
		snprintf(text, AT_TEXT, "*=%u", r.class);
	else if (r.what == AT_RULE_PROTO)
		snprintf(text, AT_TEXT, "%s=%u", proto, r.class);
	else if (r.what == AT_RULE_DSCP)
		snprintf(text, AT_TEXT, "dscp:%u=%u", r.value, r.class);
	else if (r.what == AT_RULE_STATION)
		snprintf(text, AT_TEXT, "station:%u=%u", r.first, r.class);
	else if (r.first == r.last)
		snprintf(text, AT_TEXT, "%s:%u=%u", proto, r.first, r.class);
	else
		snprintf(text, AT_TEXT, "%s:%u-%u=%u", proto, r.first, r.last, r.class);
	return text;
}

/* Three decimals. */
static char *fixed_point(char text[AT_TEXT], u64 value)
{
	u64 milli = ((value & 0xffff) * 1000 + 0x8000) >> 16;

	snprintf(text, AT_TEXT, "%llu.%03u", (unsigned long long)((value >> 16) + (milli == 1000)),
		 (unsigned int)(milli == 1000 ? 0 : milli));
	return text;
}

/* 1/n where that is it, else ten decimals, which are enough to read it again. */
static char *weight_of(char text[AT_TEXT], u64 value)
{
	const u64 one = (u64)1 << 32, low = one - 1;
	u64 n = value && value <= one ? at_div(one + value / 2, (u32)(value < one ? value : low)) : 0;
	u64 high, rest;

	if (n > 1 && n <= low && at_div(one + n / 2, (u32)n) == value) {
		snprintf(text, AT_TEXT, "1/%u", (unsigned int)n);
		return text;
	}
	if (!(value & low)) {
		snprintf(text, AT_TEXT, "%u", (unsigned int)(value >> 32));
		return text;
	}
	high = (value & low) * 100000;
	rest = ((high & low) * 100000 + one / 2) >> 32;
	high >>= 32;
	snprintf(text, AT_TEXT, "%u.%05u%05u", (unsigned int)(value >> 32),
		 (unsigned int)(high + (rest == 100000)), (unsigned int)(rest == 100000 ? 0 : rest));
	return text;
}

char *at_text_value(char text[AT_TEXT], u8 unit, const char *const *choices, u64 value)
{
	u64 i = 0;

	switch (unit) {
	case AT_BOOL:
		if (value > 1)
			break;
		snprintf(text, AT_TEXT, "%s", value ? "on" : "off");
		return text;
	case AT_HEX:
		snprintf(text, AT_TEXT, "%08llx", (unsigned long long)value);
		return text;
	case AT_Q16:
		return fixed_point(text, value);
	case AT_WEIGHT:
		return weight_of(text, value);
	case AT_RULE:
		return rule(text, value);
	case AT_SIGNED_NS:
		return (s64)value < 0 ? scaled(text, unit, "-", -value) : scaled(text, unit, "", value);
	case AT_CHOICE:
		while (choices && choices[i] && i < value)
			i++;
		if (choices && choices[i] && i == value) {
			snprintf(text, AT_TEXT, "%s", choices[i]);
			return text;
		}
		break;
	default:
		break;
	}
	return scaled(text, unit, "", value);
}

char *at_text_range(char text[AT_TEXT], const struct at_param *p)
{
	char lo[AT_TEXT], hi[AT_TEXT];
	int n = 0;

	switch (p->unit) {
	case AT_BOOL:
		snprintf(text, AT_TEXT, "on or off");
		break;
	case AT_CHOICE:
		for (u32 i = 0; p->choices[i] && n < AT_TEXT; i++)
			n += snprintf(text + n, (size_t)(AT_TEXT - n), i ? " or %s" : "%s", p->choices[i]);
		break;
	case AT_RULE:
		snprintf(text, AT_TEXT, "up to %u rules", p->max_len);
		break;
	default:
		snprintf(text, AT_TEXT, "%.30s..%.30s", at_text_value(lo, p->unit, NULL, p->min),
			 at_text_value(hi, p->unit, NULL, p->max));
	}
	return text;
}

bool at_text_out_of_range(char text[AT_TEXT], const struct at_param *p, u64 value)
{
	char given[AT_TEXT], range[AT_TEXT];
	u64 last = 0;

	if (p->unit == AT_CHOICE)
		while (p->choices[last + 1])
			last++;
	else
		last = p->unit == AT_BOOL ? 1 : p->max;
	if (value >= p->min && value <= last && value <= p->max)
		return false;
	snprintf(text, AT_TEXT, "%.16s: %.22s is out of range %.22s", p->name,
		 at_text_value(given, p->unit, NULL, value), at_text_range(range, p));
	return true;
}
