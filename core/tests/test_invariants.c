/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Every registered discipline under random operations: see drive.h.
 */
#include "drive.h"

int main(void)
{
	static u8 data[1 << 14];
	u64 seed = 1;

	for (u32 i = 0; at_disciplines[i]; i++) {
		for (u32 round = 0; round < 200; round++) {
			for (u32 k = 0; k < sizeof(data); k++)
				data[k] = (u8)rnd(&seed);
			data[0] = (u8)i;
			CASE(drive(data, sizeof(data)));
		}
	}
	return 0;
}
