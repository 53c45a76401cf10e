/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * CoDel as the pseudocode of RFC 8289, section 5, has it, for tests to compare
 * with: names as there, times in ns, an interval of 100 ms. The target is the
 * caller's at each packet. Needs -lm.
 */
#ifndef AIRTAB_TEST_RFC8289_H
#define AIRTAB_TEST_RFC8289_H

#include <math.h>

#include "harness.h"

#define RFC_LEN 4096
#define RFC_INTERVAL 100000000u
#define RFC_MTU 1514u

struct rfc {
	u64 arrived[RFC_LEN], bytes_of[RFC_LEN];
	u32 head, tail;
	u64 bytes, first_above_time, drop_next;
	u32 count, lastcount, drops;
	bool dropping;
};

static inline u64 rfc_law(u64 t, u32 count)
{
	return t + (u64)lround(RFC_INTERVAL / sqrt(count));
}

static inline void rfc_arrives(struct rfc *r, u32 bytes, u64 now)
{
	r->arrived[r->tail % RFC_LEN] = now;
	r->bytes_of[r->tail++ % RFC_LEN] = bytes;
	r->bytes += bytes;
}

/* The next packet's number, or ~0; *ok: it may be dropped. */
static inline u32 rfc_dodequeue(struct rfc *r, u64 target, bool *ok, u64 now)
{
	u32 i;

	*ok = false;
	if (r->head == r->tail) {
		r->first_above_time = 0;
		return ~(u32)0;
	}
	i = r->head++;
	r->bytes -= r->bytes_of[i % RFC_LEN];
	if (now - r->arrived[i % RFC_LEN] < target || r->bytes <= RFC_MTU)
		r->first_above_time = 0;
	else if (!r->first_above_time)
		r->first_above_time = now + RFC_INTERVAL;
	else
		*ok = now >= r->first_above_time;
	return i;
}

static inline u32 rfc_dequeue(struct rfc *r, u64 target, u64 now)
{
	bool ok;
	u32 i = rfc_dodequeue(r, target, &ok, now);

	if (r->dropping) {
		if (!ok)
			r->dropping = false;
		while (r->dropping && now >= r->drop_next) {
			r->drops++;
			r->count++;
			i = rfc_dodequeue(r, target, &ok, now);
			if (!ok)
				r->dropping = false;
			else
				r->drop_next = rfc_law(r->drop_next, r->count);
		}
	} else if (ok) {
		u32 delta = r->count - r->lastcount;

		r->drops++;
		i = rfc_dodequeue(r, target, &ok, now);
		r->dropping = true;
		r->count = delta > 1 && (s64)(now - r->drop_next) < 16 * (s64)RFC_INTERVAL ? delta : 1;
		r->drop_next = rfc_law(now, r->count);
		r->lastcount = r->count;
	}
	return i;
}

#endif
