/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/align.h: arrays behind a discipline's own struct, each on cache lines of
 * its own, wherever the host has put the state. state_size() asks for AT_LINE more.
 *
 * What this is not: no allocation.
 */
#ifndef AIRTAB_ALIGN_H
#define AIRTAB_ALIGN_H

#include "airtab/qdisc.h"

#define AT_LINE 64u	/* bytes of a cache line */

/* Bytes, filled up to whole lines. */
static inline u64 at_lines(u64 bytes)
{
	return (bytes + AT_LINE - 1) & ~(u64)(AT_LINE - 1);
}

/* The first line that begins in the state: what offsets are counted from. */
static inline u8 *at_first_line(struct at_qdisc *q)
{
	u8 *base = (u8 *)q->state;

	return base + (-(uintptr_t)base & (AT_LINE - 1));
}

#endif
