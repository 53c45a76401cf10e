/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Every parameter of wfq and vfq has its effect: the cases of test_params.c, whose helpers
 * these use.
 */
#ifndef AIRTAB_TEST_PARAMS_VFQ_H
#define AIRTAB_TEST_PARAMS_VFQ_H

#include "tcp_packets.h"

static void to_station(struct host *h, u16 sta, u32 bytes, u32 n)
{
	while (n--) {
		struct at_pkt *p = new_pkt(h, sta + 1u, bytes);

		p->sta = sta;
		push(h, p, h->now);
	}
}

/* Packets of station 0 among so many, stations 0 and 1 having packets all the time. */
static u32 served_of(struct host *h, u32 bytes0, u32 bytes1, u32 n)
{
	u32 of = 0;

	while (n--) {
		to_station(h, 0, bytes0, cell(h, 0, "backlog") < 4 ? 4 : 0);
		to_station(h, 1, bytes1, cell(h, 1, "backlog") < 4 ? 4 : 0);
		of += !get(h, &ticket, h->now)->sta;
	}
	return of;
}

static void open_two(struct host *h, const char *args)
{
	open_host(h, kind, args, 64);
	to_station(h, 0, 1500, 1);
	to_station(h, 1, 1500, 1);
}

static void shares_limit(struct host *h)
{
	open_host(h, kind, "limit=12 station_limit=8", 64);
	to_station(h, 0, 1500, 8);
	to_station(h, 1, 1500, 8);
	CHECK_EQ(h->q->qlen, 12);
	change(h, "limit=5", 0);
	to_station(h, 1, 1500, 1);
	CHECK_EQ(h->q->qlen, 5);
}

static void shares_station_limit(struct host *h)
{
	open_host(h, kind, "phy=6 rate=1000000", 64);	/* 4 take 100 ms */
	to_station(h, 0, 1500, 20);
	CHECK_EQ(h->q->qlen, 10);
	change(h, "station_limit=3", 0);
	CHECK_EQ(h->q->qlen, 3);
	to_station(h, 1, 1500, 20);
	CHECK_EQ(h->q->qlen, 6);
}

/* One box for all: they share its limit. */
static void shares_stations(struct host *h)
{
	open_host(h, kind, "phy=6 rate=1000000 stations=1", 64);
	to_station(h, 0, 1500, 10);
	to_station(h, 1, 1500, 10);
	CHECK_EQ(h->q->qlen, 10);
	close_host(h);
	open_host(h, kind, "stations=2", 64);
	to_station(h, 0, 1500, 10);
	to_station(h, 1, 1500, 10);
	CHECK_EQ(h->q->qlen, 20);
}

/* A list: the last holds for all that follow. */
static void shares_weight(struct host *h)
{
	u32 i = 0;

	open_two(h, "");
	CHECK_EQ(served_of(h, 1500, 1500, 100), 50);
	close_host(h);
	open_two(h, "");
	while (strcmp(h->q->ops->params[i].name, "weight"))
		i++;
	h->value[i][0] = 3 << 16;
	h->value[i][1] = 1 << 16;
	h->vals[i].len = 2;
	h->q->ops->change(h->q, h->vals, 0);
	CHECK_EQ(served_of(h, 1500, 1500, 100), 75);
}

/* At 1 Mb/s a packet of 64 bytes costs as much beside one of 1500 as bytes say, nearly; at
 * 11 Mb/s much more. */
static double small_for_large(const char *args)
{
	struct host h;
	u32 large;

	open_two(&h, args);
	large = served_of(&h, 1500, 64, 1000);
	close_host(&h);
	return (1000.0 - large) / large;
}

static void wfq_cost(struct host *h)
{
	CHECK(small_for_large("cost=0") > 22 && small_for_large("cost=0") < 24);
	CHECK(small_for_large("cost=1") > 0.99 && small_for_large("cost=1") < 1.01);
	CHECK(small_for_large("cost=2") > 1.3 && small_for_large("cost=2") < 5);
	CHECK(small_for_large("cost=3") > 2.9 && small_for_large("cost=3") < 3.1);	/* cells of 512 */
	open_two(h, "cost=0");
	change(h, "cost=1", 0);
	served_of(h, 1500, 64, 10);
	CHECK_EQ(served_of(h, 1500, 64, 100), 50);
}

static void wfq_quantum(struct host *h)
{
	CHECK(small_for_large("cost=3 quantum=1500") < 1.01);
	open_two(h, "cost=3");
	change(h, "quantum=1500", 0);
	served_of(h, 1500, 64, 10);
	CHECK_EQ(served_of(h, 1500, 64, 100), 50);
}

static void wfq_phy(struct host *h)
{
	/* a long preamble makes small packets dear */
	CHECK(small_for_large("cost=2 phy=6 rate=11000000") < small_for_large("cost=2 phy=1 rate=6000000") - 1);
	open_two(h, "cost=2");
}

static void wfq_rate(struct host *h)
{
	CHECK(small_for_large("cost=2 rate=6000000") > small_for_large("cost=2 rate=54000000") + 1);
	open_two(h, "cost=2");
}

/* ---- vfq ---- */

/* Airtime charged to station 0 for a data packet that is all there is. */
static u64 down_of(const char *args)
{
	struct host h;
	u64 ns;

	open_host(&h, "vfq", args, 64);
	put_data(&h, 1, 0, 0);
	get(&h, &ticket, 0);
	ns = cell(&h, 0, "airtime_down");
	close_host(&h);
	return ns;
}

/* Airtime inferred of station 0 from acknowledgements with these numbers. */
static u64 up_of(const char *args, const u32 *acks, u32 n)
{
	struct host h;
	u64 ns;

	open_host(&h, "vfq", args, 64);
	for (u32 i = 0; i < n; i++) {
		put_ack(&h, 1, 0, acks[i], 0);
		while (get(&h, &ticket, 0))
			;
	}
	ns = cell(&h, 0, "airtime_up");
	close_host(&h);
	return ns;
}

static void vfq_flows(struct host *h)
{
	open_host(h, "vfq", "flows=2 station_limit=64", 64);
	for (u32 i = 0; i < 8; i++) {
		put(h, i, 1500, 0);
		get(h, &ticket, 0);
	}
	CHECK_EQ(stat(h, "flows"), 2);
	CHECK_EQ(stat(h, "evictions"), 6);
	close_host(h);
	open_host(h, "vfq", "flows=8", 64);
	for (u32 i = 0; i < 8; i++) {
		put(h, i, 1500, 0);
		get(h, &ticket, 0);
	}
	CHECK_EQ(stat(h, "evictions"), 0);
}

static void vfq_download_weight(struct host *h)
{
	open_host(h, "vfq", "download_weight=131072 upload_weight=32768", 64);
	put_data(h, 1, 0, 0);
	put_ack(h, 2, 1, 1, 0);
	CHECK_EQ(cell(h, 0, "weight"), 131072);
	change(h, "download_weight=65536", 0);
	put_data(h, 1, 0, 0);
	CHECK_EQ(cell(h, 0, "weight"), 65536);
}

static void vfq_upload_weight(struct host *h)
{
	open_host(h, "vfq", "upload_weight=32768", 64);
	put_ack(h, 2, 1, 1, 0);
	put_data(h, 1, 0, 0);
	CHECK_EQ(cell(h, 1, "weight"), 32768);
	CHECK_EQ(cell(h, 0, "weight"), 65536);
	change(h, "upload_weight=98304", 0);
	put_ack(h, 2, 1, 1, 0);
	CHECK_EQ(cell(h, 1, "weight"), 98304);
}

static u64 pieces(struct host *h)
{
	put_ack(h, 1, 0, 1, 0);
	put_ack(h, 1, 0, 1 + 12 * 1460, 0);
	while (get(h, &ticket, 0))
		;
	return stat(h, "split");
}

static void vfq_ack_burst(struct host *h)
{
	open_host(h, "vfq", "ack_burst=0", 64);
	CHECK_EQ(pieces(h), 0);
	close_host(h);
	open_host(h, "vfq", "ack_burst=1", 64);
	CHECK_EQ(pieces(h), 11);
	close_host(h);
	open_host(h, "vfq", "", 64);
	change(h, "ack_burst=6", 0);
	CHECK_EQ(pieces(h), 1);
}

/* Data and a later acknowledgement behind it. */
static u64 merged(struct host *h)
{
	put_ack(h, 1, 0, 1, 0);
	put_data(h, 1, 0, 0);
	put_ack(h, 1, 0, 1 + 1460, 0);
	while (get(h, &ticket, 0))
		;
	return stat(h, "merged");
}

static void vfq_merge(struct host *h)
{
	open_host(h, "vfq", "merge=0", 64);
	CHECK_EQ(merged(h), 0);
	close_host(h);
	open_host(h, "vfq", "", 64);
	CHECK_EQ(merged(h), 1);
	change(h, "merge=0", 0);
	CHECK_EQ(merged(h), 1);
}

static void vfq_charge(struct host *h)
{
	u32 acks[] = { 1, 1 + 4 * 1460 };

	CHECK(up_of("ack_burst=0 charge=0", acks, 2) > up_of("ack_burst=0 charge=1", acks, 2));
	open_host(h, "vfq", "charge=0", 64);
	put_ack(h, 1, 0, 1, 0);
	change(h, "charge=1", 0);
}

/* Smaller packets: more exchanges for as many bytes. */
static void vfq_mtu(struct host *h)
{
	u32 acks[] = { 1, 1 + 4 * 1460 };

	CHECK(up_of("ack_burst=0 mtu=576", acks, 2) > up_of("ack_burst=0 mtu=1500", acks, 2));
	open_host(h, "vfq", "", 64);
}

static void vfq_dupack(struct host *h)
{
	u32 acks[] = { 1, 1, 1, 1, 1 + 4 * 1460 };

	CHECK(up_of("dupack=2", acks, 5) > up_of("dupack=1", acks, 5));
	CHECK(up_of("dupack=1", acks, 5) > up_of("dupack=0", acks, 5));
	open_host(h, "vfq", "", 64);
}

static void vfq_phy(struct host *h)
{
	CHECK(down_of("phy=6 rate=11000000") > down_of("phy=9 rate=11000000"));
	open_host(h, "vfq", "", 64);
	put_data(h, 1, 0, 0);
	change(h, "phy=6 rate=1000000", 0);
	get(h, &ticket, 0);
	CHECK(cell(h, 0, "airtime_down") > 12 * MS);
}

static void vfq_rate(struct host *h)
{
	CHECK(down_of("rate=6000000") > 5 * down_of("rate=54000000"));
	open_host(h, "vfq", "", 64);
	put_data(h, 1, 0, 0);
	change(h, "rate=6000000", 0);
	get(h, &ticket, 0);
	CHECK(cell(h, 0, "airtime_down") > 2 * MS);
}

/* A flow that was idle for longer proves nothing with its next number. */
static u64 up_after(const char *args, u64 pause)
{
	struct host h;
	u64 ns;

	open_host(&h, "vfq", args, 64);
	put_ack(&h, 1, 0, 1, 0);
	get(&h, &ticket, 0);
	put_ack(&h, 1, 0, 1 + 1460, pause);
	get(&h, &ticket, pause);
	ns = cell(&h, 0, "airtime_up");
	close_host(&h);
	return ns;
}

static void vfq_idle(struct host *h)
{
	CHECK(up_after("", 29 * SEC));
	CHECK_EQ(up_after("", 31 * SEC), 0);
	CHECK_EQ(up_after("idle=100000000", 101 * MS), 0);
	open_host(h, "vfq", "", 64);
}

static void vfq_udp(struct host *h)
{
	open_host(h, "vfq", "udp=1", 300);
	put_data(h, 1, 0, 0);
	put(h, 2, 1500, 0);
	CHECK_EQ(served(h), 2);
	CHECK_EQ(served(h), 1);
	puts_of(h, 3, 1500, 120);
	CHECK_EQ(h->q->qlen, 100);
	close_host(h);
	open_host(h, "vfq", "", 300);
	put_data(h, 1, 0, 0);
	put(h, 2, 1500, 0);
	CHECK_EQ(served(h), 1);
}

static u64 inferred(const char *args)
{
	struct host h;
	u64 ns;

	open_host(&h, "vfq", args, 64);
	hear(&h, 1, 5 * MS, 1);
	put_ack(&h, 1, 3, 1, 1);
	get(&h, &ticket, 1);
	put_ack(&h, 1, 3, 1 + 1460, 1);
	get(&h, &ticket, 1);
	ns = cell(&h, 3, "airtime_up");
	close_host(&h);
	return ns;
}

static void vfq_uplink(struct host *h)
{
	CHECK(inferred("uplink=0"));
	CHECK_EQ(inferred("uplink=1"), 0);
	CHECK_EQ(inferred("uplink=2"), 0);
	open_host(h, "vfq", "uplink=1", 64);
	put_ack(h, 1, 0, 1, 0);
	get(h, &ticket, 0);
	put_ack(h, 1, 0, 1 + 1460, 0);
	get(h, &ticket, 0);
	CHECK_EQ(cell(h, 0, "airtime_up"), 0);
}

static u32 after_five(const char *args)
{
	struct host h;
	u32 flow;

	open_host(&h, "vfq", args, 64);
	puts_of(&h, 1, 1500, 6);
	for (u32 i = 0; i < 5; i++)
		get(&h, &ticket, 0);
	puts_of(&h, 1, 1500, 4);
	puts_of(&h, 2, 1500, 4);
	get(&h, &ticket, 0);
	get(&h, &ticket, 0);
	flow = get(&h, &ticket, 0)->flow;
	close_host(&h);
	return flow;
}

static void vfq_inner(struct host *h)
{
	CHECK_EQ(after_five("inner=0 target=0"), 1);
	CHECK_EQ(after_five("inner=1 target=0"), 2);
	open_host(h, "vfq", "", 64);
}

static void vfq_target(struct host *h)
{
	open_host(h, "vfq", "station_limit=200 limit=200 target=0", 400);
	CHECK_EQ(drops_with(h, 100, 0, 300, 0), 0);
	change(h, "target=5000000", h->now);
	CHECK(drops_with(h, 100, 301 * MS, 300, 0) > 0);
}

/* faithful drops what arrives, and settles nothing. */
static void vfq_profile(struct host *h)
{
	open_host(h, "vfq", "profile=1", 64);
	puts_of(h, 1, 1500, 10);
	CHECK_EQ(put(h, 2, 1500, 0), AT_DROPPED);
	served(h);
	CHECK_EQ(ticket.gen, 0);
	close_host(h);
	open_host(h, "vfq", "profile=0", 64);
	puts_of(h, 1, 1500, 10);
	CHECK_EQ(put(h, 2, 1500, 0), AT_OK);
	served(h);
	CHECK(ticket.gen);
}

#define VFQ_CASES							\
	{ "wfq", "limit", shares_limit },				\
	{ "wfq", "station_limit", shares_station_limit },		\
	{ "wfq", "stations", shares_stations },				\
	{ "wfq", "weight", shares_weight },				\
	{ "wfq", "cost", wfq_cost },					\
	{ "wfq", "quantum", wfq_quantum },				\
	{ "wfq", "phy", wfq_phy },					\
	{ "wfq", "rate", wfq_rate },					\
	{ "vfq", "limit", shares_limit },				\
	{ "vfq", "station_limit", shares_station_limit },		\
	{ "vfq", "stations", shares_stations },				\
	{ "vfq", "flows", vfq_flows },					\
	{ "vfq", "weight", shares_weight },				\
	{ "vfq", "download_weight", vfq_download_weight },		\
	{ "vfq", "upload_weight", vfq_upload_weight },			\
	{ "vfq", "ack_burst", vfq_ack_burst },				\
	{ "vfq", "merge", vfq_merge },					\
	{ "vfq", "charge", vfq_charge },				\
	{ "vfq", "mtu", vfq_mtu },					\
	{ "vfq", "dupack", vfq_dupack },				\
	{ "vfq", "phy", vfq_phy },					\
	{ "vfq", "rate", vfq_rate },					\
	{ "vfq", "idle", vfq_idle },					\
	{ "vfq", "udp", vfq_udp },					\
	{ "vfq", "uplink", vfq_uplink },				\
	{ "vfq", "inner", vfq_inner },					\
	{ "vfq", "target", vfq_target },				\
	{ "vfq", "profile", vfq_profile }

#endif
