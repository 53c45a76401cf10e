/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Drops of one dequeue under CoDel and COBALT are at most 256, however many are due: the
 * host holds a lock.
 */
#include "airtab/codel.h"
#include "harness.h"

/* Every packet is late for longer than all drops need: each dequeue makes a full batch. */
static void dequeue_is_bounded(const char *kind, const char *params, u32 packets)
{
	u64 now = 1;
	struct at_ticket t;
	struct host h;
	u32 sent = 0, full = 0;

	open_host(&h, kind, params, packets);
	for (u32 i = 0; i < packets; i++)
		CHECK(push(&h, new_pkt(&h, 1, 1500), now) == AT_OK);
	while (h.q->qlen) {
		u32 before = h.drops;

		now += 1000 * SEC;
		if (get(&h, &t, now))
			sent++;
		CHECK(h.drops - before <= 256);
		full += h.drops - before == 256;
		CHECK(sent + h.drops + h.q->qlen == packets);
	}
	/* those that were due and not dropped are dropped by later ones */
	CHECK(full >= packets / 300);
	CHECK_EQ(h.q->dropped[AT_R_AQM], h.drops);
	close_host(&h);
}

int main(void)
{
	CASE(dequeue_is_bounded("codel", "limit=200000 target=1000 interval=1000", 200000));
	CASE(dequeue_is_bounded("fq_codel", "limit=200000 memory=2147483648 target=1000 interval=1000", 200000));
	CASE(dequeue_is_bounded("airtime_fq", "limit=200000 memory=2147483648 target=1000 interval=1000", 200000));
	CASE(dequeue_is_bounded("cake", "limit=200000 memory=2147483648 target=1000 interval=1000", 200000));
	CASE(dequeue_is_bounded("cbq", "limit=200000 class_limit=65535 inner=2 target=1000 interval=1000", 60000));
	CASE(dequeue_is_bounded("chap", "limit=65535 flows=65536 memory=2147483648 target=1000", 65535));
	CASE(dequeue_is_bounded("vfq", "limit=200000 station_limit=4096 target=1000", 4096));
	return 0;
}
