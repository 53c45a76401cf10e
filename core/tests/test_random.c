/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * random.h against the published words of SplitMix64, and its draws below a bound.
 */
#include <stdio.h>
#include <stdlib.h>

#include "airtab/random.h"
#include "harness.h"

/* The first words from the seeds 0 and 1234567, as implementations of the
 * generator publish them to be tested by. */
static void words(void)
{
	static const u64 zero[] = { 0xe220a8397b1dcdafull, 0x6e789e6aa1b965f4ull, 0x06c45d188009454full,
				    0xf88bb8a8724c81ecull, 0x1b39896a51a8749bull };
	static const u64 other[] = { 6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull,
				     4593380528125082431ull, 16408922859458223821ull };
	u64 a = 0, b = 1234567;

	for (u32 i = 0; i < 5; i++) {
		CHECK(at_random_next(&a) == zero[i]);
		CHECK(at_random_next(&b) == other[i]);
	}
}

/* The high half of a word, scaled: seed 0 begins with 0xe220a839, 0x6e789e6a, .. */
static void draws(void)
{
	static const u32 of_ten[] = { 8, 4, 0, 9, 1 };
	u64 a = 0, b = 0;
	u32 seen[7] = { 0 };

	for (u32 i = 0; i < 5; i++)
		CHECK_EQ(at_random_below(&a, 10), of_ten[i]);
	for (u32 i = 0; i < 70000; i++)
		seen[at_random_below(&b, 7)]++;
	/* deviation 93 */
	for (u32 i = 0; i < 7; i++)
		CHECK(seen[i] > 9600 && seen[i] < 10400);
	CHECK_EQ(at_random_below(&b, 1), 0);
}

int main(void)
{
	CASE(words());
	CASE(draws());
	return 0;
}
