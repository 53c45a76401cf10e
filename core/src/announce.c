/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The announced EDCA parameters: see announce.h.
 */
#include "airtab/announce.h"

#define BYTES_MEAN 512u	/* least mean size of an upload's packets, bytes; the ACKs of a download are shorter */
#define AIR_PART 32u	/* their bits take at least 1 / AIR_PART of the interval at the PHY rate */

u32 at_announce_recent(u32 recent, u64 bytes, u64 packets, u32 kbps)
{
	/* An interval at `kbps` has kbps * 1000 bits. */
	bool uploads = bytes && bytes >= packets * BYTES_MEAN && bytes * 8 * AIR_PART >= (u64)kbps * 1000;

	if (uploads)
		return AT_ANNOUNCE_HOLD;
	return recent ? recent - 1 : 0;
}

bool at_announce_bounds(u32 uploads)
{
	return uploads > 1;
}
