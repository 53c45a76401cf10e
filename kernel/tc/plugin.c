/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The tc plugin of every kind: options, help and statistics by the core's
 * tables. One object, linked as q_KIND.so for each of them.
 *
 * JSON has plain integers in the units of the tables (nanoseconds, bytes, ...),
 * statistics and rows in an object "airtab". Text has the values in words.
 */
#include <linux/pkt_sched.h>
#include <string.h>

#include "iproute2.h"
#include "kinds.h"
#include "parse.h"
#include "wire.h"

#define ROOM 8192		/* for attributes, of the 64 KiB that tc has */

static const char *const reasons[AT_R_MAX] = {
	[AT_R_LIMIT] = "limit", [AT_R_MEMORY] = "memory", [AT_R_PUSHOUT] = "pushout",
	[AT_R_AQM] = "aqm", [AT_R_EARLY] = "early", [AT_R_CLASS] = "class",
	[AT_R_RESET] = "reset", [AT_R_MERGED] = "merged",
};

struct kind {
	const char *id;
	const struct at_ops *ops;
};

#define AT_DISCIPLINE(name) extern const struct at_ops at_##name##_ops;
#include "disciplines.def"
#undef AT_DISCIPLINE

static const struct kind kinds[] = {
#define AT_DISCIPLINE(name) { AT_KIND_TEXT(name), &at_##name##_ops },
#include "disciplines.def"
#undef AT_DISCIPLINE
};

static const struct at_ops *ops_of(const struct qdisc_util *qu)
{
	const struct kind *k = kinds;

	while (strcmp(k->id, qu->id))
		k++;
	return k->ops;
}

/* The i-th parameter: the discipline's, then the glue's, then NULL. */
static const struct at_param *param(const struct at_ops *ops, u32 i)
{
	u32 n = 0;

	while (ops->params[n].name)
		n++;
	if (i < n)
		return &ops->params[i];
	return i - n < AT_GLUE_PARAMS ? &at_glue_params[i - n] : NULL;
}

/* ---- options ---- */

static void help(const struct qdisc_util *qu)
{
	const struct at_ops *ops = ops_of(qu);
	const struct at_param *p;
	char def[AT_TEXT], range[AT_TEXT];

	fprintf(stderr, "%s: %s\n\nUsage: ... %s [ PARAMETER VALUE ]...\n\n", qu->id, ops->about, qu->id);
	for (u32 i = 0; (p = param(ops, i)); i++)
		fprintf(stderr, "  %-13s %s\n%16sdefault %s; %s%s\n", p->name, p->help, "",
			at_text_value(def, p->unit, p->choices, p->def), at_text_range(range, p),
			p->flags & AT_P_INIT ? "; fixed once it runs" : "");
	fprintf(stderr, "\nValues: 25ms, 100us; 4MiB, 1500; 54Mbit; on, off. See tc-%s(8).\n", qu->id);
}

static const struct at_param *named(const struct at_ops *ops, const char *name)
{
	const struct at_param *p;

	for (u32 i = 0; (p = param(ops, i)); i++)
		if (!strcmp(p->name, name))
			break;
	return p;
}

/* Rules that leave nothing to a later one are no error: somebody may be about to change them. */
static void tell_unreached(const char *kind, const u64 *v, u32 n)
{
	char rule[AT_TEXT], before[AT_TEXT];

	for (u32 i = 1; i < n; i++) {
		u32 k = 0;

		while (k < i && !at_rule_covers(at_rule_of(v[k]), at_rule_of(v[i])))
			k++;
		if (k < i)
			fprintf(stderr, "%s: warning: rule %u, %s, is never reached: %s takes all that it would\n",
				kind, i + 1, at_text_value(rule, AT_RULE, NULL, v[i]),
				at_text_value(before, AT_RULE, NULL, v[k]));
	}
}

static int parse_qopt(const struct qdisc_util *qu, int argc, char **argv, struct nlmsghdr *n,
		      const char *dev)
{
	struct rtattr *nest = addattr_nest(n, ROOM, TCA_OPTIONS);
	const struct at_ops *ops = ops_of(qu);
	char wrong[2 * AT_TEXT];
	u64 v[AT_LIST];
	u8 len;

	(void)dev;
	for (; argc > 0; argc -= 2, argv += 2) {
		const struct at_param *p = named(ops, *argv);

		if (!strcmp(*argv, "help")) {
			help(qu);
			return -1;
		}
		if (!p) {
			fprintf(stderr, "%s: no parameter '%s'; there are", qu->id, *argv);
			for (u32 i = 0; (p = param(ops, i)); i++)
				fprintf(stderr, "%s %s", i ? "," : "", p->name);
			fprintf(stderr, "\n");
			return -1;
		}
		if (argc < 2) {
			fprintf(stderr, "%s: %s needs %s\n", qu->id, p->name, at_parse_example(p->unit));
			return -1;
		}
		if (!at_parse(p, argv[1], v, &len, wrong)) {
			fprintf(stderr, "%s: %s\n", qu->id, wrong);
			return -1;
		}
		if (p->unit == AT_RULE)
			tell_unreached(qu->id, v, len);
		if (addattr_l(n, ROOM, p->id, v, (int)(len * sizeof(*v))))
			return -1;
	}
	addattr_nest_end(n, nest);
	return 0;
}

/* ---- output ---- */

static void print_json(u8 unit, const char *const *choices, u64 value)
{
	struct json_writer *w = get_json_writer();
	char text[AT_TEXT];

	switch (unit) {
	case AT_BOOL:
		jsonw_bool(w, value);
		break;
	case AT_CHOICE:
	case AT_HEX:
	case AT_RULE:
		jsonw_string(w, at_text_value(text, unit, choices, value));
		break;
	case AT_SIGNED_NS:
		jsonw_s64(w, (s64)value);
		break;
	default:
		jsonw_u64(w, value);
	}
}

static u32 values_in(const struct rtattr *a)
{
	return (u32)(RTA_PAYLOAD(a) / sizeof(u64));
}

static u64 value_of(const struct rtattr *a, u32 i)
{
	u64 v;

	memcpy(&v, (const u8 *)RTA_DATA(a) + i * sizeof(v), sizeof(v));
	return v;
}

static void print_param(FILE *f, const struct at_param *p, const struct rtattr *a)
{
	u32 n = values_in(a);
	char text[AT_TEXT];

	if (is_json_context()) {
		jsonw_name(get_json_writer(), p->name);
		if (p->max_len > 1)
			jsonw_start_array(get_json_writer());
		for (u32 i = 0; i < n; i++)
			print_json(p->unit, p->choices, value_of(a, i));
		if (p->max_len > 1)
			jsonw_end_array(get_json_writer());
		return;
	}
	fprintf(f, "%s ", p->name);
	for (u32 i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? "," : "", at_text_value(text, p->unit, p->choices, value_of(a, i)));
	fprintf(f, " ");
}

/* The attribute of that type with at least one value, or NULL. */
static const struct rtattr *attribute(const struct rtattr *in, u32 type)
{
	int room = (int)RTA_PAYLOAD(in);

	for (const struct rtattr *a = RTA_DATA(in); RTA_OK(a, room); a = RTA_NEXT(a, room))
		if (a->rta_type == type && values_in(a))
			return a;
	return NULL;
}

static int print_qopt(const struct qdisc_util *qu, FILE *f, struct rtattr *opt)
{
	const struct at_ops *ops = ops_of(qu);
	const struct at_param *p;

	for (u32 i = 0; opt && (p = param(ops, i)); i++) {
		const struct rtattr *a = attribute(opt, p->id);

		if (a)
			print_param(f, p, a);
	}
	return 0;
}

/* As at_text_value(), but a time is in its largest unit with three decimals, cut
 * off: "37.993ms". */
static char *measured(char text[AT_TEXT], u8 unit, u64 value)
{
	const struct at_scale *s = at_scales(unit);
	bool negative = unit == AT_SIGNED_NS && (s64)value < 0;
	u64 milli = negative ? -value : value;

	if ((unit != AT_NS && unit != AT_SIGNED_NS) || milli < s[1].scale)
		return at_text_value(text, unit, NULL, value);
	while (s[1].suffix && milli >= s[1].scale)
		s++;
	milli = milli / (s->scale / 1000);
	snprintf(text, AT_TEXT, "%s%llu.%03u%s", negative ? "-" : "",
		 (unsigned long long)(milli / 1000),
		 (unsigned int)(milli % 1000), s->suffix);
	return text;
}

/* Text lines begin with a new line: tc ends the one before when it likes. */
static bool print_stats(FILE *f, const struct at_stat *table, u32 base, const struct rtattr *xstats,
			bool below)
{
	const char *before = below ? "\n  " : "  ";
	char text[AT_TEXT];

	for (; table->name; table++) {
		const struct rtattr *a = attribute(xstats, base + table->id);

		if (!a)
			continue;
		if (is_json_context()) {
			jsonw_name(get_json_writer(), table->name);
			print_json(table->unit, NULL, value_of(a, 0));
		} else {
			fprintf(f, "%s%s %s", before, table->name,
				measured(text, table->unit, value_of(a, 0)));
		}
		before = " ";
		below = true;
	}
	return below;
}

/* One value of what a governor knows. */
static void print_below(FILE *f, const struct at_stat *s, u64 value)
{
	const char *const *choices = s->unit == AT_CHOICE ? at_below_modes : NULL;
	char text[AT_TEXT];

	if (is_json_context()) {
		jsonw_name(get_json_writer(), s->name);
		print_json(s->unit, choices, value);
	} else if (s->unit == AT_CHOICE || s->unit == AT_HEX) {
		fprintf(f, " %s %s", s->name, at_text_value(text, s->unit, choices, value));
	} else {
		fprintf(f, " %s %s", s->name, measured(text, s->unit, value));
	}
}

static void print_station(FILE *f, const struct rtattr *a)
{
	u32 n = values_in(a);

	if (is_json_context())
		jsonw_start_object(get_json_writer());
	else
		fprintf(f, "\n  station");
	for (u32 i = 0; i < n && i < AT_BELOW_STATIONS; i++) {
		u64 value = value_of(a, i);
		char address[18];

		if (i != AT_BELOW_ADDRESS) {
			print_below(f, &at_below_station_stats[i], value);
			continue;
		}
		for (u32 k = 0; k < 6; k++)
			snprintf(address + 3 * k, 4, "%02x:", (unsigned int)(value >> (40 - 8 * k) & 0xff));
		address[17] = 0;
		if (is_json_context()) {
			jsonw_name(get_json_writer(), at_below_station_stats[i].name);
			jsonw_string(get_json_writer(), address);
		} else {
			fprintf(f, " %s", address);
		}
	}
	if (is_json_context())
		jsonw_end_object(get_json_writer());
}

/* What a governor knows of the driver below, and of each station. */
static void print_governor(FILE *f, const struct rtattr *xstats, bool below)
{
	struct json_writer *w = get_json_writer();
	int room = (int)RTA_PAYLOAD(xstats);

	if (!attribute(xstats, AT_WIRE_BELOW))
		return;
	if (is_json_context()) {
		jsonw_name(w, "below");
		jsonw_start_object(w);
	} else {
		fprintf(f, below ? "\n  below" : "  below");
	}
	for (const struct at_stat *s = at_below_stats; s->name; s++) {
		const struct rtattr *a = attribute(xstats, AT_WIRE_BELOW + s->id);

		if (a)
			print_below(f, s, value_of(a, 0));
	}
	if (is_json_context()) {
		jsonw_end_object(w);
		jsonw_name(w, "stations");
		jsonw_start_array(w);
	}
	for (const struct rtattr *a = RTA_DATA(xstats); RTA_OK(a, room); a = RTA_NEXT(a, room))
		if (a->rta_type == AT_WIRE_STATION)
			print_station(f, a);
	if (is_json_context())
		jsonw_end_array(w);
}

static bool print_drops(FILE *f, const struct rtattr *xstats, bool below)
{
	const char *before = below ? "\n  dropped" : "  dropped";

	if (!attribute(xstats, AT_WIRE_DROPPED))
		return below;
	if (is_json_context()) {
		jsonw_name(get_json_writer(), "dropped");
		jsonw_start_object(get_json_writer());
	}
	for (u32 i = 0; i < AT_R_MAX; i++) {
		const struct rtattr *a = attribute(xstats, AT_WIRE_DROPPED + i);

		if (is_json_context() && a) {
			jsonw_name(get_json_writer(), reasons[i]);
			jsonw_u64(get_json_writer(), value_of(a, 0));
		} else if (a && value_of(a, 0)) {
			fprintf(f, "%s %s %llu", before, reasons[i],
				(unsigned long long)value_of(a, 0));
			before = "";
			below = true;
		}
	}
	if (is_json_context())
		jsonw_end_object(get_json_writer());
	return below;
}

/* Of a qdisc, or of one of its rows, which tc calls a class. */
static int print_xstats(const struct qdisc_util *qu, FILE *f, struct rtattr *xstats)
{
	const struct at_ops *ops = ops_of(qu);
	bool below;

	if (!xstats)
		return 0;
	if (is_json_context()) {
		jsonw_name(get_json_writer(), "airtab");
		jsonw_start_object(get_json_writer());
	}
	below = print_stats(f, ops->stats, AT_WIRE_STAT, xstats, false);
	below = print_stats(f, ops->row_stats, AT_WIRE_ROW, xstats, below);
	below = print_drops(f, xstats, below);
	print_governor(f, xstats, below);
	if (is_json_context())
		jsonw_end_object(get_json_writer());
	return 0;
}

/* ---- kinds ---- */

/* AT_UTIL(chap): chap_qdisc_util */
#define AT_UTIL__(kind) kind##_qdisc_util
#define AT_UTIL_(kind) AT_UTIL__(kind)
#define AT_UTIL(name) AT_UTIL_(AT_KIND(name))

#define AT_DISCIPLINE(name) \
	extern struct qdisc_util AT_UTIL(name); \
	__attribute__((visibility("default"))) struct qdisc_util AT_UTIL(name) = { \
		.id = AT_KIND_TEXT(name), \
		.parse_qopt = parse_qopt, \
		.print_qopt = print_qopt, \
		.print_xstats = print_xstats, \
	};
#include "disciplines.def"
#undef AT_DISCIPLINE
