/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * vfq and what anybody may send: scales and numbers that cannot be, ports that are used again,
 * a flood of acknowledgements of new flows, a station that leaves with packets queued. No
 * crash, nobody gains a share, books balance.
 */
#include "../src/vfq_state.h"
#include "tcp_packets.h"

#define ALONE "phy=6 rate=11000000 target=0 ack_burst=0 station_limit=64"
#define MSS 1460u

static struct at_ticket ticket;

static void send_all(struct host *h)
{
	while (get(h, &ticket, 0))
		;
}

static void put_tcp(struct host *h, u32 payload, u32 ack, u8 flags, u8 option, u32 window)
{
	struct at_pkt *p = tcp_pkt(h, 1, 0, payload, ack, flags);

	p->tcp.option = option;
	p->tcp.window = window;
	push(h, p, 0);
}

/* A scale beyond 14 counts as 14 (RFC 7323 2.3): 16384 bytes for a window of 1. */
static void test_scale(void)
{
	struct host h;
	u64 up;

	open_host(&h, "vfq", ALONE, 64);
	put_tcp(&h, 0, 1, TCP_SYN | TCP_ACK, 255, 1);
	put_tcp(&h, 0, 1, TCP_ACK, 0, 1);
	put_tcp(&h, 0, 1 + 16385, TCP_ACK, 0, 1);
	send_all(&h);
	CHECK_EQ(stat(&h, "refused"), 1);
	up = cell(&h, 0, "airtime_up");
	put_tcp(&h, 0, 1 + 16384, TCP_ACK, 0, 1);
	send_all(&h);
	CHECK_EQ(stat(&h, "refused"), 1);
	CHECK(cell(&h, 0, "airtime_up") > up + 11 * 1757000ull);
	close_host(&h);
}

/* Data on a SYN proves nothing, whatever number it has, and what follows begins there. */
static void test_syn_with_data(void)
{
	struct host h;
	u64 up;

	open_host(&h, "vfq", ALONE, 64);
	put_tcp(&h, 0, 1, TCP_ACK, 0, 65535);
	put_tcp(&h, 0, 1 + 3 * MSS, TCP_ACK, 0, 65535);
	send_all(&h);
	up = cell(&h, 0, "airtime_up");
	put_tcp(&h, 500, 0xdeadbeef, TCP_SYN | TCP_ACK, 3, 65535);
	send_all(&h);
	CHECK(cell(&h, 0, "airtime_up") - up < 1 * MS);		/* an acknowledgement of its own */
	up = cell(&h, 0, "airtime_up");
	put_tcp(&h, 0, 0xdeadbeef, TCP_ACK, 0, 8000);		/* another window: no duplicate */
	send_all(&h);
	CHECK_EQ(cell(&h, 0, "airtime_up"), up);
	put_tcp(&h, 0, 0xdeadbeef + MSS, TCP_ACK, 0, 65535);
	send_all(&h);
	CHECK(cell(&h, 0, "airtime_up") > up + 1757000);
	CHECK_EQ(stat(&h, "refused"), 0);
	close_host(&h);
}

/* After an RST the ports may be another connection's: its first number is not held against the
 * last one's, and proves nothing. */
static void test_ports_again(void)
{
	struct host h;
	u64 up;

	open_host(&h, "vfq", ALONE, 64);
	put_tcp(&h, 0, 1000, TCP_ACK, 0, 65535);
	put_tcp(&h, 0, 1000, TCP_RST, 0, 0);
	send_all(&h);
	up = cell(&h, 0, "airtime_up");
	put_tcp(&h, 0, 1000 + (1u << 30), TCP_ACK, 0, 65535);
	send_all(&h);
	CHECK_EQ(stat(&h, "refused"), 0);
	CHECK_EQ(cell(&h, 0, "airtime_up"), up);
	put_tcp(&h, 0, 1000 + (1u << 30) + MSS, TCP_ACK, 0, 65535);
	send_all(&h);
	CHECK(cell(&h, 0, "airtime_up") > up + 1757000);
	close_host(&h);
}

/* 100,000 acknowledgements, each of a flow of its own, for one station beside a download: the
 * station has its half of the airtime and no more, the table its bound. */
static void test_flood(void)
{
	u64 air[2], seed = 1;
	struct host h;

	open_host(&h, "vfq", "phy=6 rate=11000000 target=0", 64);
	for (u32 n = 0; n < 100000; n++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		put_ack(&h, 10 + n, 1, (u32)(seed >> 32), 0);
		while (!cell(&h, 1, "backlog") || !h.q->qlen || cell(&h, 1, "backlog") == h.q->qlen)
			put_data(&h, 1, 0, 0);
		get(&h, &ticket, 0);
	}
	CHECK(stat(&h, "flows") <= 4096);
	for (u16 sta = 0; sta < 2; sta++)
		air[sta] = cell(&h, sta, "airtime_down") + cell(&h, sta, "airtime_up");
	CHECK(air[0] > 0.95 * air[1] && air[0] < 1.05 * air[1]);
	CHECK_EQ(h.q->in + h.q->made, h.q->out + h.q->qlen + h.drops);
	close_host(&h);
}

/* Who leaves with packets queued keeps them and their turns; the next one with the number owes
 * nothing, is owed nothing, and begins its row anew. */
static void test_leaving(void)
{
	struct at_link gone = { .sta = 0 };
	struct host h;
	u32 n[2] = { 0 };

	open_host(&h, "vfq", ALONE, 200);
	for (u32 i = 0; i < 20; i++) {
		put_data(&h, 1, 0, 0);
		put_data(&h, 2, 1, 0);
	}
	get(&h, &ticket, 0);
	h.q->ops->link(h.q, &gone, 0);
	CHECK_EQ(cell(&h, 0, "airtime_down"), 0);
	send_all(&h);
	CHECK_EQ(h.q->qlen, 0);
	CHECK_EQ(h.q->out, 40);
	put_data(&h, 1, 0, 0);
	get(&h, &ticket, 0);
	report(&h, &ticket, 900 * MS, 0);		/* much more than it was charged */
	h.q->ops->link(h.q, &gone, 0);

	for (u32 i = 0; i < 20; i++) {
		put_data(&h, 1, 0, 0);
		put_data(&h, 2, 1, 0);
	}
	for (u32 i = 0; i < 20; i++)
		n[get(&h, &ticket, 0)->sta]++;
	CHECK(n[0] >= 9 && n[0] <= 11);
	close_host(&h);
}

int main(void)
{
	CASE(test_scale());
	CASE(test_syn_with_data());
	CASE(test_ports_again());
	CASE(test_flood());
	CASE(test_leaving());
	return 0;
}
