/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Fuzz target: any discipline, any parameters, any operations; a governor, any events;
 * edits of TCP packets, any bytes. Under libFuzzer as it is; with -DAT_FUZZ_MAIN=1 a main()
 * feeds random inputs for argv[1] seconds (no coverage feedback) from seed argv[2].
 */
#include <time.h>

#include "drive.h"
#include "edit.h"
#include "govern.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t n);

int LLVMFuzzerTestOneInput(const u8 *data, size_t n)
{
	if (n < 2)
		return 0;
	if ((*data & 3) == 3)
		edit(data + 1, n - 1);
	else if (*data & 1)
		govern(data + 1, n - 1);
	else
		drive(data + 1, n - 1);
	return 0;
}

#ifdef AT_FUZZ_MAIN
int main(int argc, char **argv)
{
	static u8 data[1 << 12];
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 60);
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	u64 runs = 0;

	for (; time(NULL) < end; runs++) {
		size_t n = 1 + below(&seed, sizeof(data));

		for (size_t k = 0; k < n; k++)
			data[k] = (u8)rnd(&seed);
		LLVMFuzzerTestOneInput(data, n);
	}
	printf("%llu inputs\n", (unsigned long long)runs);
	return 0;
}
#endif
