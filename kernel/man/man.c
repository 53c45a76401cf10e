/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * man KIND LAST [FIRST]: writes tc-KIND(8) to standard output. Names, ranges,
 * defaults, statistics and rows come from the core's tables. What cannot be
 * known from them is prose: files of roff sections, FIRST that of the kind
 * (DESCRIPTION and what follows it), LAST what holds for every kind.
 */
#include <stdio.h>
#include <string.h>

#include "kinds.h"
#include "text.h"
#include "wire.h"

#define AT_DISCIPLINE(name) extern const struct at_ops at_##name##_ops;
#include "disciplines.def"
#undef AT_DISCIPLINE

static const struct {
	const char *id;
	const struct at_ops *ops;
} kinds[] = {
#define AT_DISCIPLINE(name) { AT_KIND_TEXT(name), &at_##name##_ops },
#include "disciplines.def"
#undef AT_DISCIPLINE
};

/* Text for roff: a hyphen is a minus, and nothing is a request. */
static void put(const char *text)
{
	if (*text == '.' || *text == '\'')
		printf("\\&");
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
}

static void put_upper(const char *text)
{
	for (; *text; text++)
		putchar(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text);
}

/* What a list of rules is made of. */
static void rules(void)
{
	printf("Rules are separated by commas, and the first that takes a packet decides:\n"
	       ".BR tcp=0 ,\n.B udp:443=0\nand\n.B udp:6000\\-6010=1\n"
	       "(ports of either end),\n.B dscp:ef=1\n(or af41, cs5, a number),\n.B station:7=2\nand\n"
	       ".B *=2\n(everything); the number is that of the class.\n.B host\n"
	       "leaves what is left to the classes below.\n");
}

static void params(const struct at_param *p)
{
	char text[AT_TEXT];

	for (; p->name; p++) {
		printf(".TP\n.B ");
		put(p->name);
		printf("\n");
		put(p->help);
		printf(".\nDefault ");
		put(at_text_value(text, p->unit, p->choices, p->def));
		printf("; ");
		put(at_text_range(text, p));
		printf("%s.\n", p->flags & AT_P_INIT ? "; fixed once the qdisc runs" : "");
		if (p->unit == AT_RULE)
			rules();
	}
}

static void stats(const char *title, const char *about, const struct at_stat *s)
{
	if (!s->name)
		return;
	printf(".SH %s\n%s\n", title, about);
	for (; s->name; s++) {
		printf(".TP\n.B ");
		put(s->name);
		printf("\n");
		put(s->help);
		printf(".\n");
	}
}

static int include(const char *path)
{
	FILE *f = fopen(path, "r");
	int c;

	if (!f) {
		perror(path);
		return 1;
	}
	while ((c = getc(f)) != EOF)
		putchar(c);
	return fclose(f);
}

static int page(const char *id, const struct at_ops *ops, const char *first, const char *last)
{
	int err = 0;

	printf(".\\\" Made from the tables of the discipline by kernel/man/man.c\n.TH TC\\-");
	put_upper(id);
	printf(" 8 \"\" airtab Linux\n.SH NAME\ntc\\-%s \\- ", id);
	put(ops->about);
	printf("\n.SH SYNOPSIS\n.B tc qdisc\n{\n.B add | change | replace\n}\n.B dev\n.I DEV\n"
	       "{\n.B root | parent\n.I CLASS\n}\n.B %s\n[\n.I PARAMETER VALUE\n]...\n.PP\n"
	       ".B tc qdisc add dev\n.I DEV\n.B root %s help\n", id, id);
	if (first)
		err = include(first);
	printf(".SH PARAMETERS\nTimes need a unit (ns, us, ms, s, min); sizes may have one (B, kB, KiB,\n"
	       "MB, MiB, GiB).\n");
	params(ops->params);
	params(at_glue_params);
	stats("STATISTICS", "Shown by\n.BR \"tc \\-s qdisc show\" .", ops->stats);
	stats("BELOW THE QUEUE", "What the governor knows, where one runs. Shown by\n.BR \"tc \\-s qdisc show\" .", at_below_stats);
	stats("STATIONS", "A line for each, likewise.", at_below_station_stats);
	stats("PER\\-FLOW TABLE", "Its rows are shown by\n.BR \"tc \\-s class show\" .", ops->row_stats);
	return include(last) || err;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].id, argv[1]))
			return page(kinds[i].id, kinds[i].ops, argv[3], argv[2]);
	fprintf(stderr, "usage: man KIND LAST [FIRST]\n");
	return 2;
}
