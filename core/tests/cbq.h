/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbq with lists of shares and groups, for its tests.
 */
#ifndef AIRTAB_TEST_CBQ_H
#define AIRTAB_TEST_CBQ_H

#include <math.h>

#include "harness.h"

#define CLASSES 16u

enum { V_CLASSES, V_SHARE, V_CLASS_LIMIT, V_BORROW, V_GROUP, V_INNER, V_RULES };

static struct at_ticket ticket;

static inline enum at_verdict put_in(struct host *h, u8 class, u32 bytes)
{
	struct at_pkt *p = new_pkt(h, class, bytes);

	p->cls = class;
	return push(h, p, h->now);
}

static inline u32 puts_in(struct host *h, u8 class, u32 bytes, u32 n)
{
	u32 queued = 0;

	while (n--)
		queued += put_in(h, class, bytes) == AT_OK;
	return queued;
}

static inline struct at_pkt *take(struct host *h)
{
	struct at_pkt *p = get(h, &ticket, h->now);

	CHECK(p);
	return p;
}

static inline u8 served(struct host *h)
{
	return take(h)->cls;
}

/* "1,2,3" as the values of a parameter. */
static inline void set_list(struct host *h, u32 which, const char *list)
{
	char *end;

	h->vals[which].len = 0;
	for (; *list; list = end + (*end == ','))
		h->value[which][h->vals[which].len++] = strtoull(list, &end, 10);
}

/* An instance of so many classes, of which `share` are given in ppm. */
static inline void open_cbq(struct host *h, const char *args, const char *share, const char *group, u32 packets)
{
	u16 bad;

	open_host(h, "cbq", args, packets);
	if (share)
		set_list(h, V_SHARE, share);
	if (group)
		set_list(h, V_GROUP, group);
	CHECK(!at_check(h->q->ops, h->vals, &bad));
	reopen_host(h, 1);
}

/* Serves so many packets of those classes that have bytes of their packets, of which there
 * are always two; parts of the bytes that each got. */
static inline void parts_of(struct host *h, const u32 *bytes, u32 packets, double *part)
{
	u64 sum = 0, got[CLASSES] = { 0 };
	u32 classes = (u32)h->value[V_CLASSES][0];

	for (u8 i = 0; i < classes; i++)
		if (bytes[i])
			puts_in(h, i, bytes[i], 2);
	for (u32 n = 0; n < packets; n++) {
		u8 i = served(h);

		CHECK(bytes[i]);
		got[i] += bytes[i];
		sum += bytes[i];
		CHECK_EQ(put_in(h, i, bytes[i]), AT_OK);
	}
	for (u32 i = 0; i < classes; i++)
		part[i] = (double)got[i] / (double)sum;
	h->q->ops->reset(h->q, h->now);
}

static inline void expect_parts(struct host *h, const u32 *bytes, const double *want)
{
	double part[CLASSES], off = 0;

	parts_of(h, bytes, 100000, part);
	for (u32 i = 0; i < h->value[V_CLASSES][0]; i++)
		off = fmax(off, want[i] ? fabs(part[i] / want[i] - 1) : part[i]);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "cbq: parts off by %.2g of themselves at most\n", off);
	CHECK(off < 0.002);
}

#endif
