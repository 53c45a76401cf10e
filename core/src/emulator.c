/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The emulated link: see airtab/emulator.h.
 */
#include "airtab/emulator.h"
#include "airtab/random.h"

void at_emulate(struct at_emulator *e, u32 kbps, u64 fer, u32 ip_bytes, struct at_tx *r)
{
	const struct at_phy *phy = &e->phy;
	u64 attempt = phy->difs + at_exchange_ns(phy, kbps, ip_bytes, 1);	/* 7.1 */
	u64 cost = e->extra;
	u32 most = phy->cw_max + 1u, window = phy->cw_min + 1u;
	u8 n = 0;
	bool acked;

	for (;;) {
		u64 fate = at_random_next(&e->random);

		n++;
		cost += attempt;
		acked = fate >> 32 >= fer && (u32)fate >= fer;	/* 7.2 */
		if (acked || n >= e->attempts)
			break;
		if (window > most)
			window = most;
		cost += (u64)phy->slot * at_random_below(&e->random, window);	/* 7.3 */
		window *= 2;
	}
	*r = (struct at_tx){ .air = cost, .span = cost, .attempts = n, .acked = acked };	/* 7.4 */
}
