/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Makes traces: see generate.c and vectors.c.
 */
#ifndef AIRTAB_GENERATE_H
#define AIRTAB_GENERATE_H

#include <stdio.h>

#include "replay.h"

/* Writes a trace of `count` operations (a few more with parameters) on discipline
 * `number`; `given` are "NAME=NUMBER" that never change, NULL-terminated. */
void generate(FILE *to, u32 number, u64 count, u64 set, char **given);

/* The worked examples of the dissertation, number 1 and 2; false: there is no
 * such example, or the log is not as it should be (said on stdout). */
bool vector_trace(FILE *to, u32 number);
bool vector_judge(FILE *log, u32 number);

#endif
