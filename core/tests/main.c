/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * All tests of the core in one program.
 *
 *   tests                every test file, one after the other
 *   tests chap gate      the files test_chap.c and test_gate.c
 *   tests chap:expiry    the calls of expiry() in test_chap.c
 *   tests --list         the names of the files
 *
 * Prints the number of cases. A failed check aborts; an unknown name exits with 2.
 */
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define TEST(name) int main_##name(void);
#include "tests.def"
#undef TEST

static const struct {
	const char *name;
	int (*run)(void);
} files[] = {
#define TEST(name) { #name, main_##name },
#include "tests.def"
#undef TEST
};

#define FILES (sizeof(files) / sizeof(files[0]))

static const char *only;	/* case to run, NULL for all */
static unsigned int cases;	/* cases that ran, those in loops once */

bool at_case(const char *call, bool *seen)
{
	size_t len = only ? strlen(only) : 0;

	if (only && (strncmp(call, only, len) || call[len] != '('))
		return false;
	cases += !*seen;
	*seen = true;
	return true;
}

/* The exit code. */
static int run(const char *word)
{
	size_t len = strcspn(word, ":");
	unsigned int before = cases;

	only = word[len] ? word + len + 1 : NULL;
	for (size_t i = 0; i < FILES; i++) {
		if (strlen(files[i].name) != len || strncmp(files[i].name, word, len))
			continue;
		if (files[i].run())
			return 1;
		if (only && cases == before) {
			fprintf(stderr, "tests: test_%s.c has no case '%s'\n", files[i].name, only);
			return 2;
		}
		return 0;
	}
	fprintf(stderr, "tests: unknown test file '%.*s'; tests --list prints their names\n", (int)len, word);
	return 2;
}

int main(int argc, char **argv)
{
	int code = 0;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		puts("usage: tests [--list | FILE | FILE:CASE]...: all, or those of test_FILE.c, or one of its cases");
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (size_t i = 0; i < FILES; i++)
			puts(files[i].name);
		return 0;
	}
	if (argc == 1) {
		for (size_t i = 0; i < FILES && !code; i++)
			code = run(files[i].name);
	}
	for (int i = 1; i < argc && !code; i++)
		code = run(argv[i]);
	if (!code)
		printf("%u %s\n", cases, cases == 1 ? "case" : "cases");
	return code;
}
