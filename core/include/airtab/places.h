/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/places.h: a place in an array for every number that at_sta() can give: one each
 * for as many stations as are told apart, one for multicast, one for what a host without
 * stations sends. Numbers beyond share the places of those below; hosts give low ones.
 *
 * What this is not: no stations are known or forgotten here (stations.h is for hosts).
 */
#ifndef AIRTAB_PLACES_H
#define AIRTAB_PLACES_H

#include "airtab/qdisc.h"

#define AT_PLACES_SPECIAL 2u	/* behind those of the stations: AT_GROUP's, AT_NO_STA's */

/* Of an array for `stations` numbers, AT_NO_STA at most, which has AT_PLACES_SPECIAL
 * elements more. */
static inline u32 at_place_of(u32 stations, u16 sta)
{
	if (sta < stations)
		return sta;
	if (sta == AT_GROUP)
		return stations;
	return sta == AT_NO_STA ? stations + 1 : sta % stations;
}

#endif
