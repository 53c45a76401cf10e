/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * vfq: what packets cost, to 0.1 us; what acknowledgements prove and what they do not;
 * splitting; shares of stations; limits, weights, flows and their idle times.
 */
#include "../src/vfq_state.h"
#include "tcp_packets.h"

#define THESIS "phy=6 rate=11000000 target=0 "	/* starzetz-11b */

static struct at_ticket ticket;

static struct at_vfq *priv(struct host *h)
{
	return at_vfq_priv(h->q);
}

/* ---- aircost.h ---- */

#define CHECK_WITHIN(ns, us, by) CHECK((double)(ns) > ((us) - (by)) * 1e3 && (double)(ns) < ((us) + (by)) * 1e3)
#define CHECK_US(ns, us) CHECK_WITHIN(ns, us, 0.1)

static u64 t_of(const struct at_aircost *c, u32 bytes, u32 n)
{
	return at_aircost_ns(c, bytes, at_aircost_contention(c, n));
}

/* Starzetz 2006, (9.2) and (9.3): 802.11b, ACK at 1 Mb/s. */
static void test_airtime(void)
{
	static const struct { u32 bytes; double us[5]; } rows[] = {
		{ 0, { 892.0, 743.1, 666.4, 645.5, 639.2 } },
		{ 40, { 921.1, 772.2, 695.5, 674.6, 668.3 } },
		{ 576, { 1310.9, 1162.1, 1085.3, 1064.5, 1058.1 } },
		{ 1500, { 1982.9, 1834.1, 1757.3, 1736.5, 1730.1 } },
	};
	static const struct { u32 bytes; double us[5]; } at_2[] = {
		{ 40, { 865.1, 716.2, 639.5, 618.6, 612.3 } },
		{ 1500, { 1926.9, 1778.1, 1701.3, 1680.5, 1674.1 } },
	};
	static const u32 n[] = { 1, 2, 4, 6, 7 };
	static const struct { u32 kbps; double us_1500, us_40; } rates[] = {
		{ 1000, 12928, 1248 }, { 2000, 6784, 944 }, { 5500, 2874, 751 }, { 11000, 1757, 696 },
	};
	struct at_aircost c;

	at_aircost_of_rate(&c, &at_phys[6], 11000);
	for (u32 r = 0; r < 4; r++)
		for (u32 k = 0; k < 5; k++)
			CHECK_US(t_of(&c, rows[r].bytes, n[k]), rows[r].us[k]);
	at_aircost_of_rate(&c, &at_phys[3], 11000);	/* std-11b: ACK at 2 Mb/s */
	for (u32 r = 0; r < 2; r++)
		for (u32 k = 0; k < 5; k++)
			CHECK_US(t_of(&c, at_2[r].bytes, n[k]), at_2[r].us[k]);
	for (u32 r = 0; r < 4; r++) {
		at_aircost_of_rate(&c, &at_phys[6], rates[r].kbps);
		CHECK_WITHIN(t_of(&c, 1500, 4), rates[r].us_1500, 0.6);
		CHECK_WITHIN(t_of(&c, 40, 4), rates[r].us_40, 0.6);
	}
}

static void test_contention(void)
{
	static const struct { u32 n; double slots; } fit[] = {
		{ 1, 15.493 }, { 2, 8.048 }, { 3, 5.361 }, { 4, 4.210 }, { 5, 3.586 }, { 6, 3.168 },
		{ 8, 2.592 }, { 10, 2.197 }, { 15, 1.628 }, { 20, 1.357 }, { 30, 1.112 }, { 50, 0.880 },
		{ 64, 0.7667 }, { 1000, 0.7667 },
	};

	for (u32 i = 0; i < sizeof(fit) / sizeof(*fit); i++) {
		double slots = at_contention(false, fit[i].n) / 65536.0;

		CHECK(slots > fit[i].slots - 0.0006 && slots < fit[i].slots + 0.0006);
	}
	CHECK_EQ(at_contention(true, 1), 15 * 65536 / 2);	/* mean of 0 to 15 */
	for (u32 n = 1; n < 64; n++)
		CHECK(at_contention(true, n) > at_contention(true, n + 1));
}

/* Full-size packets of an aggregate cost what the host says, and share the contention. */
static void test_aggregates(void)
{
	struct at_link l = { .here = true, .phy = 11, .rate_kbps = 65000, .ampdu_frames = 16, .ampdu_ns = 3200000 };
	struct at_aircost c;

	CHECK(at_aircost_of_link(&c, &l));
	CHECK_EQ(c.frames, 16);
	CHECK(at_aircost_ns(&c, 1500, 0) >= 200000 && at_aircost_ns(&c, 1500, 0) < 203000);
	CHECK_EQ(at_aircost_contention(&c, 1), 7500 * 9 / 16);
	l.phy = 200;
	CHECK(!at_aircost_of_link(&c, &l));
	l.phy = 11;
	l.rate_kbps = 0;
	CHECK(!at_aircost_of_link(&c, &l));
}

static void test_rates(void)
{
	CHECK(!at_aircost_wrong(&at_phys[6], 11000));
	CHECK(at_aircost_wrong(&at_phys[6], 54000));
	CHECK(!at_aircost_wrong(&at_phys[1], 54000));
	CHECK(at_aircost_wrong(&at_phys[2], 11000));
	CHECK(!at_aircost_wrong(&at_phys[9], 11000));
	CHECK(!at_aircost_wrong(&at_phys[9], 54000));
	CHECK(at_aircost_wrong(&at_phys[9], 7000));
}

/* ---- what packets cost ---- */

/* Of a packet beyond number `acked` of its flow, among five stations. */
static double cost_of(struct host *h, struct at_pkt *p, u32 acked, u16 dups)
{
	struct at_vfq *s = priv(h);
	struct at_vfq_flow f = { .proof = { .acked = acked, .edge = acked + 100000, .window = 65535,
					    .dups = dups, .known = true } };
	struct at_vfq_seen seen;
	struct at_vfq_bill bill;

	s->contenders = 6;
	at_vfq_look(s, p, &seen);
	bill = at_vfq_price(s, &s->boxes[p->sta], &f, &seen, at_bytes(p), seen.tcp.ack, 0);
	return (double)(bill.down + bill.up);
}

static double ack_cost(struct host *h, u32 acked)
{
	return cost_of(h, tcp_pkt(h, 1, 0, 0, 1000 + acked, TCP_ACK), 1000, 0);
}

/* Segments without headers, as in ns-2. */
static void test_faithful_costs(void)
{
	struct host h;

	open_host(&h, "vfq", THESIS "profile=1 charge=1", 16);
	CHECK_US(cost_of(&h, tcp_pkt(&h, 1, 0, 1460, 1000, TCP_ACK), 1000, 0), 2411.1);
	CHECK_US(ack_cost(&h, 1500), 2411.1);
	CHECK_US(ack_cost(&h, 2000), 3420.3);	/* 1500 and 500 bytes */
	CHECK_US(ack_cost(&h, 3000), 4147.6);
	CHECK_US(ack_cost(&h, 6000), 7620.5);
	CHECK_US(ack_cost(&h, 1460), 2382.0);
	close_host(&h);
}

/* Numbers count payload, packets have headers. */
static void test_costs(void)
{
	struct at_pkt *p;
	struct host h;

	open_host(&h, "vfq", THESIS "charge=1", 16);
	CHECK_US(cost_of(&h, tcp_pkt(&h, 1, 0, 1460, 1000, TCP_ACK), 1000, 0), 2411.1);
	CHECK_US(ack_cost(&h, 1460), 2411.1);
	CHECK_US(ack_cost(&h, 2920), 4147.6);
	CHECK_US(ack_cost(&h, 5840), 7620.5);
	CHECK_US(ack_cost(&h, 11680), 14566.3);
	p = tcp_pkt(&h, 1, 0, 0, 1000 + 1448, TCP_ACK);
	p->bytes = 52;
	CHECK_US(cost_of(&h, p, 1000, 0), 2419.8);
	p->tcp.ack = 1000 + 5792;
	CHECK_US(cost_of(&h, p, 1000, 0), 7629.2);
	p->bytes += 4 + 8 * 2;		/* blocks are no part of a segment's header */
	p->tcp.option = 2;
	CHECK_US(cost_of(&h, p, 1000, 0), 7629.2 + 20 * 8 / 11.0);
	close_host(&h);

	open_host(&h, "vfq", THESIS, 16);
	CHECK_US(ack_cost(&h, 1460), 2411.1);
	CHECK_US(ack_cost(&h, 5840), 4 * 2411.1);
	close_host(&h);
}

/* What is not TCP, or cannot be seen, costs its own airtime; SYN, FIN and RST prove nothing. */
static void test_opaque_costs(void)
{
	struct at_pkt *p;
	struct host h;

	open_host(&h, "vfq", THESIS, 16);
	p = new_pkt(&h, 1, 1500);
	CHECK_US(cost_of(&h, p, 1000, 0), 1736.5);
	CHECK_US(cost_of(&h, tcp_pkt(&h, 1, 0, 0, 5000, TCP_ACK | TCP_SYN), 1000, 0), 2 * 674.6);
	CHECK_US(cost_of(&h, tcp_pkt(&h, 1, 0, 0, 5000, TCP_ACK | TCP_FIN), 1000, 0), 2 * 674.6);
	CHECK_US(cost_of(&h, tcp_pkt(&h, 1, 0, 0, 5000, TCP_RST), 1000, 0), 2 * 674.6);
	close_host(&h);
}

/* ---- what acknowledgements prove ---- */

/* Airtime inferred of station 0 when its acknowledgements with these numbers are released,
 * in exchanges of a full segment and its acknowledgement, alone in the cell. */
static double proven(const char *args, const u32 *acks, u32 n)
{
	struct host h;
	u64 unit, up;

	open_host(&h, "vfq", args, 64);
	for (u32 i = 0; i < n; i++)
		put_ack(&h, 1, 0, acks[i], 0);
	while (get(&h, &ticket, 0))
		;
	up = cell(&h, 0, "airtime_up") + cell(&h, 0, "airtime_down");
	unit = t_of(&priv(&h)->boxes[0].cost, 1500, 2) + t_of(&priv(&h)->boxes[0].cost, 40, 2);
	/* the first proves nothing: its own airtime */
	up -= t_of(&priv(&h)->boxes[0].cost, 40, 2);
	close_host(&h);
	return (double)up / (double)unit;
}

#define PROVEN(args, ...) proven(args, (const u32[]){ __VA_ARGS__ }, sizeof((u32[]){ __VA_ARGS__ }) / sizeof(u32))
#define IS(a, b) CHECK((a) > (b) - 0.001 && (a) < (b) + 0.001)
#define MSS 1460u
#define ALL THESIS "ack_burst=0 station_limit=64 "

static void test_numbers(void)
{
	double own = 772.2 / (1834.1 + 772.2);	/* of an acknowledgement that proves nothing */

	IS(PROVEN(ALL, 1), 0);
	IS(PROVEN(ALL, 1, 1 + MSS), 1);
	IS(PROVEN(ALL, 1, 1 + MSS, 1 + 3 * MSS), 3);
	/* an old number, and the same advance once more */
	IS(PROVEN(ALL, 1, 1 + 3 * MSS, 1 + MSS), 3 + own);
	/* across the end of the range */
	IS(PROVEN(ALL, 0u - MSS, MSS), 2);
	/* more than any window: not believed, not remembered */
	IS(PROVEN(ALL, 1, 1u + (1u << 30), 1 + MSS), 1 + own);
}

/* Ten segments, the first of which was lost: eleven are on the air. */
static void test_duplicates(void)
{
	u32 f = 1 + 1500, d = 1 + MSS, a[] = { 1, d, d, d, d, d, d, d, d, d, d, d + 10 * MSS };

	IS(proven(ALL, a, 12), 1 + 11);
	IS(proven(ALL "dupack=0", a, 12), 1 + 10);
	/* two duplicates are no loss */
	IS(PROVEN(ALL, 1, d, d, d, d + 3 * MSS), 1 + 3);
	/* as the thesis has it: each a segment, and then all that they stood for: 9 + 10 */
	IS(PROVEN(ALL "profile=1", 1, f, f, f, f, f, f, f, f, f, f, f + 10 * 1500), 1 + 19);
}

/* The peer's window, and its scale once the SYN was seen. */
static void test_windows(void)
{
	struct at_pkt *p;
	struct host h;

	open_host(&h, "vfq", THESIS "station_limit=64 ack_burst=0", 64);
	p = tcp_pkt(&h, 1, 0, 0, 1, TCP_ACK | TCP_SYN);
	p->tcp.option = 3;
	push(&h, p, 0);
	p = tcp_pkt(&h, 1, 0, 0, 1, TCP_ACK);
	p->tcp.window = 1000;
	push(&h, p, 0);
	put_ack(&h, 1, 0, 1 + 65536, 0);		/* beyond the SYN's own 65535 */
	put_ack(&h, 1, 0, 1 + 8000, 0);
	while (get(&h, &ticket, 0))
		;
	CHECK_EQ(stat(&h, "refused"), 1);
	CHECK_EQ(cell(&h, 0, "refused"), 1);
	put_ack(&h, 1, 0, 1 + 9000, 0);		/* with a window of 65535 times 8 */
	put_ack(&h, 1, 0, 1 + 100000, 0);
	while (get(&h, &ticket, 0))
		;
	CHECK_EQ(stat(&h, "refused"), 1);
	close_host(&h);
}

/* ---- splitting ---- */

static u32 released(struct host *h)
{
	struct at_pkt *p = get(h, &ticket, 0);

	CHECK(p);
	return p->tcp.ack;
}

/* Pieces of four segments, none beyond the number received, then the packet itself with its
 * SACK blocks; data goes after the pieces too. */
static void test_splitting(void)
{
	struct at_pkt *p;
	struct host h;

	open_host(&h, "vfq", THESIS, 16);
	put_ack(&h, 1, 0, 1, 0);
	CHECK_EQ(released(&h), 1);
	p = tcp_pkt(&h, 1, 0, 0, 1 + 10 * MSS, TCP_ACK);
	p->bytes += 12;
	p->tcp.option = 1;
	push(&h, p, 0);
	CHECK_EQ(released(&h), 1 + 4 * MSS);
	CHECK_EQ(h.q->qlen, 1);
	CHECK_EQ(released(&h), 1 + 8 * MSS);
	p = get(&h, &ticket, 0);
	CHECK_EQ(p->tcp.ack, 1 + 10 * MSS);
	CHECK_EQ(p->tcp.option, 1);
	CHECK_EQ(h.q->made, 2);
	CHECK_EQ(stat(&h, "split"), 2);
	CHECK_EQ(h.q->in + h.q->made, h.q->out);
	push(&h, tcp_pkt(&h, 1, 0, 1000, 1 + 15 * MSS, TCP_ACK), 0);
	CHECK_EQ(released(&h), 1 + 14 * MSS);
	p = get(&h, &ticket, 0);
	CHECK_EQ(p->tcp.ack, 1 + 15 * MSS);
	CHECK_EQ(p->tcp.payload, 1000);
	close_host(&h);
}

/* A head that acknowledges nothing new costs what it carries, not a burst of acknowledgements: with its
 * acknowledgement it takes less of the air than the other one. */
static void test_whole_costs(void)
{
	struct at_pkt *p;
	struct host h;

	open_host(&h, "vfq", THESIS, 16);
	for (u32 round = 0; round < 2; round++) {
		push(&h, tcp_pkt(&h, 1, 0, 200, 1, TCP_ACK), 0);
		p = new_pkt(&h, 2, 1500);
		p->sta = 1;
		push(&h, p, 0);
		CHECK_EQ(get(&h, &ticket, 0)->sta, 0);
		CHECK_EQ(get(&h, &ticket, 0)->sta, 1);
	}
	close_host(&h);
}

/* A FIN is never split, and neither is anything where the host makes none. */
static void test_no_splitting(void)
{
	struct host h;

	open_host(&h, "vfq", THESIS, 16);
	put_ack(&h, 1, 0, 1, 0);
	released(&h);
	push(&h, tcp_pkt(&h, 1, 0, 0, 1 + 10 * MSS, TCP_ACK | TCP_FIN), 0);
	CHECK_EQ(released(&h), 1 + 10 * MSS);
	h.q->ack = NULL;
	put_ack(&h, 1, 0, 1 + 20 * MSS, 0);
	CHECK_EQ(released(&h), 1 + 20 * MSS);
	CHECK_EQ(h.q->made, 0);
	close_host(&h);
}

/* What is first after CoDel dropped a packet goes in pieces, too. */
static void test_split_behind_drop(void)
{
	struct host h;

	open_host(&h, "vfq", "phy=6 rate=11000000 merge=0 station_limit=32", 32);
	put_ack(&h, 1, 0, 1, 0);
	CHECK_EQ(released(&h), 1);
	for (u32 n = 1; n <= 20; n++)
		push(&h, tcp_pkt(&h, 1, 0, 1460, 1 + (n < 4 ? n : n + 10) * MSS, TCP_ACK), 0);
	CHECK_EQ(get(&h, &ticket, 50000000)->tcp.ack, 1 + MSS);
	CHECK_EQ(get(&h, &ticket, 60000000)->tcp.ack, 1 + 2 * MSS);
	CHECK_EQ(get(&h, &ticket, 200000000)->tcp.ack, 1 + 6 * MSS);
	CHECK_EQ(stat(&h, "codel_drops"), 1);
	CHECK_EQ(stat(&h, "split"), 1);
	close_host(&h);
}

/* Where the uplink is heard, too: pieces cost their own exchange alone. */
static void test_split_heard(void)
{
	struct at_heard air = { .air = 1000000 };
	struct host h;
	u64 up;

	open_host(&h, "vfq", THESIS "uplink=1", 16);
	put_ack(&h, 1, 0, 1, 0);
	CHECK_EQ(released(&h), 1);
	up = cell(&h, 0, "airtime_up");
	h.q->ops->heard(h.q, &air, 0);
	put_ack(&h, 1, 0, 1 + 10 * MSS, 0);
	CHECK_EQ(released(&h), 1 + 4 * MSS);
	CHECK_EQ(released(&h), 1 + 8 * MSS);
	CHECK_EQ(released(&h), 1 + 10 * MSS);
	CHECK_EQ(cell(&h, 0, "airtime_up"), up);
	close_host(&h);
}

/* However it is split an acknowledgement costs the same by segments. */
static void test_split_costs(void)
{
	u32 a[] = { 1, 1 + 12 * MSS };

	IS(proven(THESIS "ack_burst=0", a, 2), 12);
	IS(proven(THESIS "ack_burst=4", a, 2), 12);
	IS(proven(THESIS "ack_burst=1", a, 2), 12);
}

/* ---- merging ---- */

/* Of packets of station 0's flow 1 whose first number, 1, is known: what leaves says so. */
static void open_merging(struct host *h, const char *args)
{
	open_host(h, "vfq", args, 16);
	put_ack(h, 1, 0, 1, 0);
	CHECK_EQ(released(h), 1);
}

static void put_pkt(struct host *h, u32 payload, u32 segments)
{
	push(h, tcp_pkt(h, 1, 0, payload, 1 + segments * MSS, TCP_ACK), 0);
}

/* The next packet has that much payload and acknowledges so many segments. */
static void check_next(struct host *h, u32 payload, u32 segments)
{
	struct at_pkt *p = get(h, &ticket, 0);

	CHECK(p);
	CHECK_EQ(p->tcp.payload, payload);
	CHECK_EQ(p->tcp.ack, 1 + segments * MSS);
}

/* Before the data and behind it, several at once, and what is proven is charged once. */
static void test_merging(void)
{
	struct host h;
	u64 up;

	open_merging(&h, THESIS);
	put_pkt(&h, 0, 1);
	put_pkt(&h, 1000, 1);
	check_next(&h, 1000, 1);
	put_pkt(&h, 1000, 1);
	put_pkt(&h, 0, 2);
	check_next(&h, 1000, 2);
	put_pkt(&h, 0, 3);
	put_pkt(&h, 1000, 4);
	put_pkt(&h, 0, 5);
	put_pkt(&h, 0, 6);
	put_pkt(&h, 1000, 6);
	check_next(&h, 1000, 6);
	check_next(&h, 1000, 6);
	CHECK_EQ(stat(&h, "merged"), 5);
	CHECK_EQ(cell(&h, 0, "merged"), 5);
	CHECK_EQ(h.q->dropped[AT_R_MERGED], 5);
	CHECK_EQ(h.q->qlen, 0);
	CHECK_EQ(h.q->in, h.q->out + 5);
	up = cell(&h, 0, "airtime_up");
	close_host(&h);
	open_merging(&h, THESIS "merge=0");
	for (u32 n = 1; n <= 6; n++)
		put_pkt(&h, 0, n);
	for (u32 n = 1; n <= 6; n++)
		check_next(&h, 0, n);
	CHECK_EQ(stat(&h, "merged"), 0);
	/* the same six segments; and what the station answers to four packets of data */
	CHECK_EQ(up - cell(&h, 0, "airtime_up"), 4 * (u64)t_of(&priv(&h)->boxes[0].cost, 40, 2));
	close_host(&h);
}

/* A duplicate, SACK blocks, a FIN, what is older, more than a burst, what the host cannot. */
static void test_no_merging(void)
{
	struct at_pkt *p;
	struct host h;

	open_merging(&h, THESIS);
	put_pkt(&h, 1000, 1);
	put_pkt(&h, 0, 1);			/* the peer counts it */
	check_next(&h, 1000, 1);
	check_next(&h, 0, 1);
	put_pkt(&h, 0, 1);
	put_pkt(&h, 1000, 2);
	check_next(&h, 0, 1);
	check_next(&h, 1000, 2);
	put_pkt(&h, 1000, 3);
	p = tcp_pkt(&h, 1, 0, 0, 1 + 4 * MSS, TCP_ACK);
	p->tcp.option = 1;
	push(&h, p, 0);
	check_next(&h, 1000, 3);
	check_next(&h, 0, 4);
	put_pkt(&h, 0, 5);
	push(&h, tcp_pkt(&h, 1, 0, 1000, 1 + 6 * MSS, TCP_ACK | TCP_FIN), 0);
	check_next(&h, 0, 5);
	check_next(&h, 1000, 6);
	put_pkt(&h, 1000, 8);
	put_pkt(&h, 0, 7);			/* overtaken */
	check_next(&h, 1000, 8);
	check_next(&h, 0, 7);
	put_pkt(&h, 1000, 9);
	put_pkt(&h, 0, 13);			/* five segments: with the data one made goes ahead */
	check_next(&h, 1000, 9);
	check_next(&h, 0, 13);
	h.q->merge = NULL;
	put_pkt(&h, 1000, 14);
	put_pkt(&h, 0, 15);
	check_next(&h, 1000, 14);
	check_next(&h, 0, 15);
	CHECK_EQ(stat(&h, "merged"), 0);
	close_host(&h);
	open_merging(&h, THESIS "profile=1");
	put_pkt(&h, 1000, 1);
	put_pkt(&h, 0, 2);
	check_next(&h, 1000, 1);
	check_next(&h, 0, 2);
	close_host(&h);
}

/* ---- shares ---- */

/* Station 0 downloads; station 1 uploads with an acknowledgement of `segments`; segments of
 * the upload for one data packet. */
static double upload_share(const char *args, u32 segments)
{
	u32 data = 0, ack = 1, acked = 1;
	struct host h;

	open_host(&h, "vfq", args, 64);
	put_ack(&h, 2, 1, ack, 0);
	put_data(&h, 1, 0, 0);
	released(&h);
	released(&h);
	for (u32 n = 0; n < 4000; n++) {
		struct at_pkt *p;

		while (cell(&h, 0, "backlog") < 4)
			put_data(&h, 1, 0, 0);
		while (cell(&h, 1, "backlog") < 4)
			put_ack(&h, 2, 1, ack += segments * MSS, 0);
		p = get(&h, &ticket, 0);
		data += !p->sta;
		acked = p->sta ? p->tcp.ack : acked;
	}
	close_host(&h);
	return (double)(acked - 1) / MSS / data;
}

static void test_shares(void)
{
	static const char *by_packet = THESIS "charge=1 ack_burst=0 dupack=0";

	CHECK(upload_share(THESIS, 1) > 0.99 && upload_share(THESIS, 1) < 1.01);
	CHECK(upload_share(THESIS, 4) > 0.99 && upload_share(THESIS, 4) < 1.01);
	CHECK(upload_share(THESIS "download_weight=131072", 2) > 0.495 &&
	      upload_share(THESIS "download_weight=131072", 2) < 0.505);
	for (u32 b = 1; b <= 8; b *= 2) {	/* N = 3: two stations and the access point */
		double own = 5.361 * 20 + 582.18 + 40 * 8 / 11.0, full = 5.361 * 20 + 582.18 + 1500 * 8 / 11.0;
		double expected = b * (full + own) / (b * full + own), got = upload_share(by_packet, b);

		CHECK(got > expected * 0.99 && got < expected * 1.01);
	}
}

/* A report settles what was charged; frames heard take the place of inference, from the
 * first one on, until none was heard for `idle`. */
static void test_reports(void)
{
	struct host h;
	u64 down;

	open_host(&h, "vfq", THESIS "idle=1000000000", 64);
	put_data(&h, 1, 0, 0);
	get(&h, &ticket, 0);
	report(&h, &ticket, 5 * MS, 1 * MS);
	CHECK_EQ(cell(&h, 0, "airtime_down"), 5 * MS);
	CHECK_EQ(stat(&h, "settled"), 1);
	report(&h, &ticket, 5 * MS, 1 * MS);
	CHECK_EQ(stat(&h, "stale"), 1);

	put_ack(&h, 2, 3, 1, 2 * MS);
	get(&h, &ticket, 2 * MS);
	hear(&h, 2, 7 * MS, 3 * MS);
	CHECK_EQ(cell(&h, 3, "airtime_heard"), 7 * MS);
	down = cell(&h, 3, "airtime_down");
	put_ack(&h, 2, 3, 1 + MSS, 4 * MS);
	get(&h, &ticket, 4 * MS);
	CHECK(cell(&h, 3, "airtime_down") > down);
	put_ack(&h, 2, 3, 1 + 2 * MSS, 600 * MS);
	get(&h, &ticket, 600 * MS);
	CHECK_EQ(cell(&h, 3, "airtime_up"), 0);
	put_ack(&h, 2, 3, 1 + 3 * MSS, 1100 * MS);
	get(&h, &ticket, 1100 * MS);
	CHECK(cell(&h, 3, "airtime_up") > 1 * MS);
	close_host(&h);
}

/* ---- flows of a station ---- */

/* The flows of a station take turns. */
static void test_inner(void)
{
	struct host h;

	open_host(&h, "vfq", THESIS, 64);
	for (u32 i = 0; i < 3; i++)
		put(&h, 1, 1500, 0);
	put(&h, 2, 100, 0);
	CHECK_EQ(get(&h, &ticket, 0)->flow, 1);
	CHECK_EQ(get(&h, &ticket, 0)->flow, 2);
	CHECK_EQ(get(&h, &ticket, 0)->flow, 1);
	close_host(&h);

	/* with credit, who has used little goes before who has used much */
	open_host(&h, "vfq", THESIS "inner=1 station_limit=64", 64);
	for (u32 i = 0; i < 10; i++)
		put(&h, 1, 1500, 0);
	for (u32 i = 0; i < 5; i++)
		CHECK_EQ(get(&h, &ticket, 0)->flow, 1);
	for (u32 i = 0; i < 10; i++)
		put(&h, 2, 100, 0);
	for (u32 i = 0; i < 5; i++)
		CHECK_EQ(get(&h, &ticket, 0)->flow, 2);
	close_host(&h);
}

/* Another station's flow of the same hash is another flow. */
static void test_same_hash(void)
{
	struct host h;

	open_host(&h, "vfq", THESIS, 64);
	put_data(&h, 1, 0, 0);
	put_data(&h, 1, 1, 0);
	CHECK_EQ(stat(&h, "flows"), 2);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 0);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 1);
	close_host(&h);
}

/* Flows of two stations whose keys are the same: one has the record, the other waits in its
 * box's own flow until none of it is there. */
static void test_same_key(void)
{
	u32 flow[2] = { 7, 7 ^ 0x9e3779b1u }, last[2] = { 0 }, n = 0;
	struct at_pkt *p;
	struct host h;

	open_host(&h, "vfq", THESIS, 64);
	for (u32 i = 1; i <= 200; i++) {
		u16 sta = i * 7 / 5 % 2;

		p = tcp_pkt(&h, flow[sta], sta, 1000, 1, TCP_ACK);
		p->handle = i;
		push(&h, p, 0);
		if (i % 4 == 0)
			continue;
		p = get(&h, &ticket, 0);
		CHECK(p->flow == flow[p->sta] && p->handle > last[p->sta]);
		last[p->sta] = p->handle;
		n++;
	}
	CHECK_EQ(stat(&h, "flows"), 1);
	CHECK_EQ(h.q->qlen + h.drops, 200 - n);
	close_host(&h);
}

/* Whose box is full loses the oldest of its longest flow; another station loses nothing. */
static void test_room(void)
{
	struct host h;

	open_host(&h, "vfq", "phy=6 rate=1000000 target=0", 64);
	for (u32 i = 0; i < 9; i++)
		put(&h, 1, 1500, 0);
	put(&h, 2, 1500, 0);
	CHECK_EQ(h.drops, 0);
	put(&h, 2, 1500, 0);
	CHECK_EQ(h.drops, 1);
	CHECK_EQ(h.last_drop->flow, 1);
	CHECK_EQ(h.last_why, AT_R_PUSHOUT);
	for (u32 i = 0; i < 10; i++) {
		struct at_pkt *p = new_pkt(&h, 3, 1500);

		p->sta = 1;
		push(&h, p, 0);
	}
	CHECK_EQ(h.drops, 1);
	close_host(&h);

	/* over all: the longest box */
	open_host(&h, "vfq", THESIS "limit=15", 64);
	for (u32 i = 0; i < 16; i++) {
		struct at_pkt *p = new_pkt(&h, i, 1500);

		p->sta = i < 10;
		push(&h, p, 0);
	}
	CHECK_EQ(h.drops, 1);
	CHECK_EQ(h.last_drop->sta, 1);
	close_host(&h);
}

/* More than its limit, if that does not last 100 ms where all take turns; not in faithful. */
static void test_room_by_time(void)
{
	struct host h;
	u64 turn;

	open_host(&h, "vfq", THESIS, 64);
	turn = 2 * t_of(&priv(&h)->boxes[0].cost, 1500, 2);
	for (u32 i = 0; i < 60; i++)
		put(&h, 1, 1500, 0);
	CHECK(h.q->qlen * turn <= 100000000 && (h.q->qlen + 1) * turn > 100000000);
	close_host(&h);
	open_host(&h, "vfq", THESIS "profile=1", 64);
	for (u32 i = 0; i < 60; i++)
		put(&h, 1, 1500, 0);
	CHECK_EQ(h.q->qlen, 10);
	close_host(&h);
}

/* Many flows in a table of two: the packets of each leave in their order, and none is lost. */
static void test_flow_table(void)
{
	u32 last[100] = { 0 };
	struct at_pkt *p;
	struct host h;
	u32 n = 0;

	open_host(&h, "vfq", THESIS "flows=2 station_limit=1024 limit=2000", 600);
	for (u32 i = 1; i <= 500; i++) {
		p = tcp_pkt(&h, i % 100, 0, 0, i, TCP_ACK);
		p->handle = i;
		push(&h, p, 0);
		if (i % 3)
			continue;
		p = get(&h, &ticket, 0);
		CHECK(p->handle > last[p->flow]);
		last[p->flow] = p->handle;
		n++;
	}
	while ((p = get(&h, &ticket, 0))) {
		CHECK(p->handle > last[p->flow]);
		last[p->flow] = p->handle;
		n++;
	}
	CHECK_EQ(n, 500);
	CHECK_EQ(h.drops, 0);
	close_host(&h);
}

/* 4096 flows and 256 stations. */
static void test_memory(void)
{
	CHECK(at_vfq_state_size(256, 4096) < 1000000);
}

int main(void)
{
	CASE(test_memory());
	CASE(test_airtime());
	CASE(test_contention());
	CASE(test_aggregates());
	CASE(test_rates());
	CASE(test_faithful_costs());
	CASE(test_costs());
	CASE(test_opaque_costs());
	CASE(test_numbers());
	CASE(test_duplicates());
	CASE(test_windows());
	CASE(test_splitting());
	CASE(test_whole_costs());
	CASE(test_no_splitting());
	CASE(test_split_behind_drop());
	CASE(test_split_heard());
	CASE(test_split_costs());
	CASE(test_merging());
	CASE(test_no_merging());
	CASE(test_shares());
	CASE(test_reports());
	CASE(test_inner());
	CASE(test_same_hash());
	CASE(test_same_key());
	CASE(test_room());
	CASE(test_room_by_time());
	CASE(test_flow_table());
	return 0;
}
