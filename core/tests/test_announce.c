/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The announced EDCA parameters (announce.h): which stations upload, and for how long they count.
 */
#include "airtab/announce.h"
#include "harness.h"

/* 3.125 % of a second at 65 Mb/s is 2,031,250 bits, 253,906.25 bytes. */
static void air(void)
{
	CHECK_EQ(at_announce_recent(0, 253906, 170, 65000), 0);
	CHECK_EQ(at_announce_recent(0, 253907, 170, 65000), AT_ANNOUNCE_HOLD);
	CHECK_EQ(at_announce_recent(0, 253907, 170, 130000), 0);
	CHECK_EQ(at_announce_recent(0, 0, 0, 0), 0);
	CHECK_EQ(at_announce_recent(0, (u64)1 << 40, 1 << 20, 10000000), AT_ANNOUNCE_HOLD);
}

/* ACKs of a download, 12,500 of 52 bytes, have 5.2 Mb/s and do not count; packets of 512 bytes do. */
static void acks(void)
{
	CHECK_EQ(at_announce_recent(0, 12500 * 52, 12500, 65000), 0);
	CHECK_EQ(at_announce_recent(0, 12500 * 511, 12500, 65000), 0);
	CHECK_EQ(at_announce_recent(0, 12500 * 512, 12500, 65000), AT_ANNOUNCE_HOLD);
}

/* A station counts in the five intervals after its last upload. */
static void hold(void)
{
	u32 recent = at_announce_recent(0, 1000000, 700, 65000), intervals = 0;

	for (; recent; intervals++)
		recent = at_announce_recent(recent, 5000, 100, 65000);
	CHECK_EQ(intervals, 5);
	CHECK_EQ(at_announce_recent(3, 1000000, 700, 65000), 5);
}

/* One station that uploads alone keeps what is configured. */
static void number(void)
{
	CHECK(!at_announce_bounds(0));
	CHECK(!at_announce_bounds(1));
	CHECK(at_announce_bounds(2));
	CHECK(at_announce_bounds(512));
}

int main(void)
{
	CASE(air());
	CASE(acks());
	CASE(hold());
	CASE(number());
	return 0;
}
