/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Decimal fractions are exact as far as the unit goes: 0.5us is 500 ns, 0.3ns is
 * refused. Suffixes are those of text.c, a bare number included where the unit
 * leaves no doubt.
 */
#include "parse.h"

#include <stdio.h>
#include <string.h>

/* More ways to write what text.c writes in one. */
static const struct {
	const char *suffix;
	u8 unit;
	u64 scale;
} more[] = {
	{ "", AT_BYTES, 1 }, { "b", AT_BYTES, 1 }, { "min", AT_NS, 60000000000 },
	{ "b/s", AT_BPS, 1 }, { "kb/s", AT_BPS, 1000 }, { "Mb/s", AT_BPS, 1000000 },
	{ "Gb/s", AT_BPS, 1000000000 }, { "kbit/s", AT_BPS, 1000 }, { "Mbit/s", AT_BPS, 1000000 },
	{ "mbit", AT_BPS, 1000000 }, { "gbit", AT_BPS, 1000000000 }, { "", AT_PPM, 1000000 },
};

const char *at_parse_example(u8 unit)
{
	static const char *const examples[] = {
		[AT_COUNT] = "a whole number such as 35",
		[AT_BYTES] = "a size such as 1500, 64KiB or 4MiB",
		[AT_NS] = "a time with its unit, such as 25ms, 100us or 120s",
		[AT_BPS] = "a rate with its unit, such as 54Mbit or 300kbit",
		[AT_PPM] = "a share such as 0.01, 1% or 10000ppm",
		[AT_Q16] = "a number such as 0.5",
		[AT_BOOL] = "on or off",
		[AT_CHOICE] = "one of the names listed",
		[AT_SIGNED_NS] = "a time with its unit, such as 25ms, 100us or 120s",
		[AT_HEX] = "a number",
		[AT_RULE] = "a rule such as udp:6000-6010=1",
		[AT_WEIGHT] = "a weight such as 1/256 or 0.004",
	};

	return examples[unit];
}

/* The factor of a suffix; 0: there is none such. */
static u64 scale_of(u8 unit, const char *suffix)
{
	for (const struct at_scale *s = at_scales(unit); s->suffix; s++)
		if (!strcmp(s->suffix, suffix))
			return s->scale;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		if (more[i].unit == unit && !strcmp(more[i].suffix, suffix))
			return more[i].scale;
	return 0;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool push_digit(u64 *number, char c)
{
	return !__builtin_mul_overflow(*number, 10, number) &&
	       !__builtin_add_overflow(*number, (u64)(c - '0'), number);
}

/* value * scale / 10^digits, if there is no rest (of AT_Q16 and AT_WEIGHT: to the nearest). */
static bool fraction(u8 unit, u64 value, u64 scale, u32 digits, u64 *to)
{
	bool nearest = unit == AT_Q16 || unit == AT_WEIGHT;
	u64 product, unit_of = 1;

	for (; unit == AT_WEIGHT && digits > 13; digits--)
		value /= 10;
	/* 2^32 / 10^13 is 2^19 / 5^13 */
	for (; unit == AT_WEIGHT && digits; scale /= 2, digits--)
		unit_of *= 5;
	if (__builtin_mul_overflow(value, scale, &product))
		return false;
	while (digits--)
		unit_of *= 10;
	if (nearest && __builtin_add_overflow(product, unit_of / 2, &product))
		return false;
	if (!nearest && product % unit_of)
		return false;
	return !__builtin_add_overflow(*to, product / unit_of, to);
}

static bool number(u8 unit, const char *word, u64 *value)
{
	u64 whole = 0, part = 0, scale;
	const char *c = word;
	u32 digits = 0;

	if (!digit(*c))
		return false;
	for (; digit(*c); c++)
		if (!push_digit(&whole, *c))
			return false;
	if (*c == '.') {
		if (!digit(*++c))
			return false;
		for (; digit(*c); c++, digits++)
			if (!push_digit(&part, *c))
				return false;
	}
	scale = scale_of(unit, c);
	return scale && digits < 19 && !__builtin_mul_overflow(whole, scale, value) &&
	       fraction(unit, part, scale, digits, value);
}

static bool choice(const char *const *names, const char *word, u64 *value)
{
	for (*value = 0; names[*value]; ++*value)
		if (!strcmp(names[*value], word))
			return true;
	return false;
}

/* A decimal, or 1/n to the nearest. */
static bool weight(const char *word, u64 *value)
{
	const char *c = word + 2;
	u64 n = 0;

	if (strncmp(word, "1/", 2))
		return number(AT_WEIGHT, word, value);
	for (; digit(*c) && n < ~(u32)0; c++)
		if (!push_digit(&n, *c))
			return false;
	if (*c || !n || n > ~(u32)0)
		return false;
	*value = at_div(((u64)1 << 32) + n / 2, (u32)n);
	return true;
}

/* ---- rules ---- */

/* A number of decimal digits, `most` at most, up to any other character. */
static bool small(const char **word, u32 most, u32 *value)
{
	const char *c = *word;

	for (*value = 0; digit(*c) && *value <= most; c++)
		*value = *value * 10 + (u32)(*c - '0');
	if (c == *word || *value > most)
		return false;
	*word = c;
	return true;
}

static bool starts(const char **word, const char *with)
{
	size_t n = strlen(with);

	if (strncmp(*word, with, n))
		return false;
	*word += n;
	return true;
}

/* A name (RFC 2474, 2597, 3246, 5865, 8622) or a number. */
static bool code_point(const char **word, u32 *value)
{
	static const struct {
		const char *name;
		u8 value;
	} names[] = { { "ef", 46 }, { "va", 44 }, { "be", 0 }, { "le", 1 } };
	const char *c = *word;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		*value = names[i].value;
		if (starts(word, names[i].name))
			return true;
	}
	if (starts(word, "cs") && small(word, 7, value)) {
		*value *= 8;
		return true;
	}
	*word = c;
	if (starts(word, "af") && (*word)[0] >= '1' && (*word)[0] <= '4' && (*word)[1] >= '1' &&
	    (*word)[1] <= '3') {
		*value = 8u * (u32)((*word)[0] - '0') + 2u * (u32)((*word)[1] - '0');
		*word += 2;
		return true;
	}
	*word = c;
	return small(word, 63, value);
}

static bool ports(const char **word, struct at_rule *r)
{
	u32 first, last;

	if (!small(word, 65535, &first))
		return false;
	last = first;
	if (**word == '-' && (++*word, !small(word, 65535, &last)))
		return false;
	r->what = AT_RULE_PORTS;
	r->first = (u16)first;
	r->last = (u16)last;
	return true;
}

/* What a rule takes, up to its '='. */
static bool pattern(const char **word, struct at_rule *r)
{
	u32 value;

	*r = (struct at_rule){ .what = AT_RULE_ANY };
	if (starts(word, "*"))
		return true;
	if (starts(word, "dscp:")) {
		r->what = AT_RULE_DSCP;
		if (!code_point(word, &value))
			return false;
		r->value = (u8)value;
		return true;
	}
	if (starts(word, "station:")) {
		r->what = AT_RULE_STATION;
		if (!small(word, 65535, &value))
			return false;
		r->first = (u16)value;
		return true;
	}
	if (starts(word, "tcp"))
		r->value = AT_RULE_TCP;
	else if (starts(word, "udp"))
		r->value = AT_RULE_UDP;
	else
		return false;
	r->what = AT_RULE_PROTO;
	return !starts(word, ":") || ports(word, r);
}

static bool rule(const char *word, u64 *value)
{
	struct at_rule r;
	u32 class;

	*value = AT_RULE_DEFAULT;
	if (!strcmp(word, "host"))
		return true;
	if (!pattern(&word, &r) || *word++ != '=' || !small(&word, AT_CLASSES - 1, &class) || *word)
		return false;
	r.class = (u8)class;
	*value = at_rule_word(r);
	return true;
}

static bool parse_one(const struct at_param *p, const char *word, u64 *value)
{
	static const char *const on[] = { "off", "on", "no", "yes", "false", "true", "0", "1", NULL };

	switch (p->unit) {
	case AT_BOOL:
		if (!choice(on, word, value))
			return false;
		*value %= 2;
		return true;
	case AT_CHOICE:
		return choice(p->choices, word, value);
	case AT_RULE:
		return rule(word, value);
	case AT_WEIGHT:
		return weight(word, value);
	case AT_NS:
	case AT_BPS:
		*value = 0;
		if (!p->min && (!strcmp(word, "off") || !strcmp(word, "0")))
			return true;	/* no time needs no unit, nor does no rate */
		return number(p->unit, word, value);
	default:
		return number(p->unit, word, value);
	}
}

bool at_parse(const struct at_param *p, const char *word, u64 v[AT_LIST], u8 *len,
	      char wrong[2 * AT_TEXT])
{
	u32 longest = p->max_len ? p->max_len : 1;
	char one[AT_TEXT], range[AT_TEXT];
	const char *end;

	for (*len = 0;; word = end + 1) {
		end = word + strcspn(word, ",");
		snprintf(one, sizeof(one), "%.*s", (int)(end - word), word);
		if (*len == longest) {
			snprintf(wrong, 2 * AT_TEXT, "%.40s: more than %u value%s", p->name, longest,
				 longest > 1 ? "s" : "");
			return false;
		}
		if (end - word >= AT_TEXT || !parse_one(p, one, &v[*len])) {
			snprintf(wrong, 2 * AT_TEXT, "%.16s: '%.30s' is not %s", p->name, one,
				 p->unit == AT_CHOICE ? at_text_range(range, p)
						      : at_parse_example(p->unit));
			return false;
		}
		if (at_text_out_of_range(wrong, p, v[(*len)++]))
			return false;
		if (!*end)
			return true;
	}
}
