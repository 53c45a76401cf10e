/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Any seed spreads flows over buckets. 1024 keys thrown at random into 1024
 * buckets fill 63 % of
 * them (1 - 1/e); below 55 % would be 8 standard deviations off.
 */
#include "airtab/hash.h"
#include "harness.h"

#define KEYS 1024

/* What at_flow() gives: a hash already. */
static u32 key(u32 i)
{
	u64 x = (i + 1) * 0xd1342543de82ef95ull;

	return (u32)((x ^ x >> 29) * 0xaf251af3b0f025b5ull >> 32);
}

static void spread(u64 seed)
{
	u64 multiplier = at_hash_multiplier(seed);
	bool used[KEYS] = { 0 };
	u32 n = 0;

	for (u32 i = 0; i < KEYS; i++) {
		u32 bucket = at_hash(multiplier, key(i)) / (u32)(((u64)1 << 32) / KEYS);

		n += !used[bucket];
		used[bucket] = true;
	}
	CHECK(n > KEYS * 55 / 100);
}

int main(void)
{
	static const u64 seeds[] = { 0, 1, 2, 3, 255, 0x8000000000000000ull, ~(u64)0 };

	for (u32 i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		CASE(spread(seeds[i]));
	return 0;
}
