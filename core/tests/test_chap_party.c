/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's shares of stations: equal airtime for any number of flows, and light flows first across
 * stations up to a debt. Charges of the uplink, newcomers of a station, sources instead of
 * stations. A line whose host reports nothing.
 */
#include "airtab/tickets.h"
#include "harness.h"

#define I (25 * MS)		/* the increment */
#define NOMINAL 281930u		/* ns of 1500 bytes */

struct cell {
	struct host h;
	u64 now;
	u64 air[8];		/* by station */
	u64 of_flow[64];
	u32 served;
};

static void open_cell(struct cell *c, const char *args)
{
	char all[200];

	memset(c, 0, sizeof(*c));
	snprintf(all, sizeof(all), SHARED "%s", args);
	open_host(&c->h, "chap", all, 3000);
}

static void arrive(struct cell *c, u32 flow, u16 sta, u32 bytes)
{
	struct at_pkt *p = new_pkt(&c->h, flow, bytes);

	CHECK(p);
	p->sta = sta;
	push(&c->h, p, c->now);
}

/* The next packet is sent and takes so long; its flow, or 0. */
static u32 serve(struct cell *c, u64 ns)
{
	struct at_ticket t;
	struct at_pkt *p = get(&c->h, &t, c->now);

	if (!p)
		return 0;
	c->now += ns;
	report(&c->h, &t, ns, c->now);
	if (p->sta < 8)
		c->air[p->sta] += ns;
	if (p->flow < 64)
		c->of_flow[p->flow] += ns;
	c->served++;
	return p->flow;
}

/* ---- equal shares ---- */

/* 16 flows of station 1 and one of station 2, always backlogged. */
static void sixteen_against_one(u64 far_ns, const char *args)
{
	struct cell c;
	u32 flow;

	open_cell(&c, args);
	for (u32 f = 1; f <= 17; f++)
		for (u32 i = 0; i < 3; i++)
			arrive(&c, f, f <= 16 ? 1 : 2, 1500);
	for (u32 i = 0; i < 40000; i++) {
		if (i == 8000)
			memset(c.of_flow, 0, sizeof(c.of_flow));
		flow = serve(&c, far_ns);
		CHECK(flow);
		arrive(&c, flow, flow <= 16 ? 1 : 2, 1500);
	}
	CHECK(c.air[1] * 100 < c.air[2] * 102 && c.air[2] * 100 < c.air[1] * 102);
	/* and within the station each flow has a sixteenth, to what one has between two boosts */
	for (u32 f = 1; f <= 16; f++)
		CHECK(c.of_flow[f] > 16000 * far_ns / 16 - I && c.of_flow[f] < 16000 * far_ns / 16 + I);
	close_host(&c.h);
}

/* Packets of station 1 take three times as long as those of station 2: equal airtime. */
static void slow_and_fast(void)
{
	struct cell c;

	open_cell(&c, "");
	for (u32 i = 0; i < 3; i++) {
		arrive(&c, 1, 1, 1500);
		arrive(&c, 2, 2, 1500);
	}
	for (u32 i = 0; i < 20000; i++) {
		struct at_ticket t;
		u16 sta = get(&c.h, &t, c.now)->sta;
		u64 ns = sta == 1 ? 900000 : 300000;

		c.now += ns;
		c.air[sta] += ns;
		report(&c.h, &t, ns, c.now);
		arrive(&c, sta, sta, 1500);
	}
	CHECK(c.air[1] * 100 < c.air[2] * 101 && c.air[2] * 100 < c.air[1] * 101);
	close_host(&c.h);
}

/* Airtime of received frames is charged to their station. One that sends as long as it receives has
 * a third of the downlink; a station that only receives has the rest. */
static void uplink(bool known_flow)
{
	struct cell c;
	u64 heard = 0;

	open_cell(&c, "");
	for (u32 i = 0; i < 3; i++) {
		arrive(&c, 1, 3, 1500);
		arrive(&c, 2, 2, 1500);
	}
	for (u32 i = 0; i < 20000; i++) {
		u32 flow = serve(&c, 300000);

		arrive(&c, flow, flow == 1 ? 3 : 2, 1500);
		if (flow == 1) {
			hear(&c.h, known_flow ? 1 : 50, 300000, c.now);	/* by station 3 */
			heard += 300000;
		}
	}
	CHECK((c.air[3] + heard) * 100 < c.air[2] * 102 && c.air[2] * 100 < (c.air[3] + heard) * 102);
	CHECK_EQ(credit(&c.h, 1) < credit(&c.h, 2) + 2 * (s64)I, 1);
	close_host(&c.h);
}

/* ACKs of an upload arrive to an empty queue: its flow is not light. */
static void lone_acks(void)
{
	struct cell c;
	u64 heard = 0;
	u32 light = 0, acks = 0;

	open_cell(&c, "");
	for (u32 i = 0; i < 3; i++)
		arrive(&c, 2, 2, 1500);
	arrive(&c, 1, 3, 64);
	for (u32 i = 0; i < 40000; i++) {
		struct at_ticket t;
		u32 flow = get(&c.h, &t, c.now)->flow;

		if (i == 4000)
			c.air[2] = c.air[3] = heard = 0, acks = light = 0;

		c.now += flow == 1 ? 50000 : 300000;
		report(&c.h, &t, flow == 1 ? 50000 : 300000, c.now);
		c.air[flow == 1 ? 3 : 2] += flow == 1 ? 50000 : 300000;
		if (flow == 1) {
			acks++;
			light += t.light;
			hear(&c.h, 1, 1 * MS, c.now);
			c.now += 1 * MS;
			heard += 1 * MS;
		}
		arrive(&c, flow, flow == 1 ? 3 : 2, flow == 1 ? 64 : 1500);
	}
	CHECK((c.air[3] + heard) * 100 < c.air[2] * 102 && c.air[2] * 100 < (c.air[3] + heard) * 102);
	CHECK(acks > 1000);
	CHECK(light < 20);
	close_host(&c.h);
}

/* A flow with a full credit goes before another one of its station: of what it was charged it got back more than it
 * still owed. */
static void full_credit(void)
{
	struct at_ticket late;
	struct cell c;

	open_cell(&c, "");
	for (u32 i = 0; i < 4; i++)
		arrive(&c, 2, 1, 1500);
	for (u32 i = 0; i < 3; i++)
		CHECK_EQ(serve(&c, 20 * MS), 2);
	CHECK(get(&c.h, &late, c.now));
	for (u32 i = 0; i < 3; i++)
		arrive(&c, 1, 1, 1500);
	for (u32 i = 0; i < 2000; i++) {
		CHECK_EQ(serve(&c, 300000), 1);
		arrive(&c, 1, 1, 1500);
	}
	report(&c.h, &late, 1, c.now);
	CHECK(credit(&c.h, 2) >= 2 * (s64)I - 1);
	arrive(&c, 2, 1, 1500);
	CHECK_EQ(serve(&c, 300000), 2);
	close_host(&c.h);
}

/* ---- light flows ---- */

/* A call with 16 concurrent downloads of its station, and four stations with a download: the
 * packets of the call that wait longer than two packets of others. */
static u32 call_waits(const char *args, u32 flows_beside)
{
	struct cell c;
	u32 late = 0;
	u64 next = 0, sent_at = 0;
	bool waits = false;

	open_cell(&c, args);
	for (u32 f = 1; f <= flows_beside + 4; f++)
		for (u32 i = 0; i < 3; i++)
			arrive(&c, f, f <= flows_beside ? 1 : (u16)(2 + f - flows_beside), 1500);
	while (c.now < 30 * SEC) {
		u32 flow;

		if (c.now >= next && !waits) {
			arrive(&c, 60, 1, 200);
			sent_at = c.now;
			next += 20 * MS;
			waits = true;
		}
		flow = serve(&c, 300000);
		if (flow == 60) {
			waits = false;
			late += c.now > 5 * SEC && c.now - sent_at > MS;
			continue;
		}
		arrive(&c, flow, flow <= flows_beside ? 1 : (u16)(2 + flow - flows_beside), 1500);
	}
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "call beside %u flows, %s: %u late\n", flows_beside, args, late);
	close_host(&c.h);
	return late;
}

static void call_is_prompt(const char *args)
{
	CHECK_EQ(call_waits(args, 16), 0);
}

/* Station 3 is known, began with 25 ms and was heard for so long; station 1 has a download. */
static u32 after_hearing(const char *args, u64 heard)
{
	struct cell c;
	u32 flow;

	open_cell(&c, args);
	arrive(&c, 3, 3, 200);
	CHECK_EQ(serve(&c, 300000), 3);
	for (u32 i = 0; i < 500; i++)
		arrive(&c, 1, 1, 1500);
	for (u32 i = 0; i < 60; i++)		/* 18 ms: no boost yet */
		CHECK_EQ(serve(&c, 300000), 1);
	CHECK_EQ(stat(&c.h, "boosts"), 0);
	hear(&c.h, 50, heard, c.now);
	arrive(&c, 3, 3, 200);
	flow = serve(&c, 300000);
	close_host(&c.h);
	return flow;
}

/* A light flow is served first while its station's credit is above -debt. */
static void debt_bounds(void)
{
	CHECK_EQ(after_hearing("", 0), 3);
	CHECK_EQ(after_hearing("", 49600000), 3);
	CHECK_EQ(after_hearing("", 49800000), 1);
	CHECK_EQ(after_hearing("debt=1000000000", 90 * MS), 3);
	CHECK_EQ(after_hearing("debt=0", 24600000), 3);
	CHECK_EQ(after_hearing("debt=0", 24800000), 1);
	CHECK_EQ(after_hearing("uplink=0", 90 * MS), 3);
}

/* The ticket of a call's packet says that its flow is light, that of a download does not. */
static void tickets_tell_light(void)
{
	struct cell c;
	struct at_ticket t;
	u32 light = 0, calls = 0;
	u64 next = 0;

	open_cell(&c, "");
	for (u32 f = 1; f <= 2; f++)
		for (u32 i = 0; i < 3; i++)
			arrive(&c, f, (u16)f, 1500);
	while (c.now < 10 * SEC) {
		struct at_pkt *p;

		if (c.now >= next) {
			arrive(&c, 60, 1, 200);
			next += 20 * MS;
		}
		p = get(&c.h, &t, c.now);
		c.now += 300000;
		report(&c.h, &t, 300000, c.now);
		if (c.now < 5 * SEC) {
			/* begins */
		} else if (p->flow == 60) {
			calls++;
			light += t.light;
		} else {
			CHECK(!t.light);
		}
		if (p->flow != 60)
			arrive(&c, p->flow, (u16)p->flow, 1500);
	}
	CHECK_EQ(light, calls);
	close_host(&c.h);
}

/* 16 flows of station 1 have one packet each at a time and offer all of the air. They are light for
 * a sixteenth of the time; station 2 has a download. */
static void sparse_together(void)
{
	struct cell c;
	struct at_ticket t;
	u64 next[17] = { 0 }, light = 0;

	open_cell(&c, "");
	for (u32 i = 0; i < 3; i++)
		arrive(&c, 20, 2, 1500);
	while (c.now < 20 * SEC) {
		u32 flow;

		for (u32 f = 1; f <= 16; f++)
			if (next[f] <= c.now) {
				arrive(&c, f, 1, 1500);
				next[f] = AT_NEVER;
			}
		flow = get(&c.h, &t, c.now)->flow;
		c.now += 300000;
		report(&c.h, &t, 300000, c.now);
		c.air[flow == 20] += 300000;
		light += c.now > 5 * SEC && t.light ? 300000 : 0;
		if (flow == 20)
			arrive(&c, 20, 2, 1500);
		else
			next[flow] = c.now + 5 * MS;
	}
	CHECK(light * 10 < 15 * SEC);
	CHECK(c.air[0] * 100 < c.air[1] * 102);
	close_host(&c.h);
}

/* A call is the only flow of its station for 100 s, and light. Then a download has a backlog there, and 60 packets of the call
 * come at once, which is more than a light flow may use. The call's credit is at least 0 and the download begins with I, 84
 * packets: these and 60 go before the last one of the call. */
static void call_alone(void)
{
	struct cell c;
	u32 left = 60, served = 0;

	open_cell(&c, "");
	for (u32 i = 0; i < 5000; i++) {
		arrive(&c, 1, 1, 200);
		CHECK_EQ(serve(&c, 300000), 1);
		c.now += 19700000;
	}
	for (u32 i = 0; i < 400; i++)
		arrive(&c, 2, 1, 1500);
	for (u32 i = 0; i < 60; i++)
		arrive(&c, 1, 1, 1500);
	for (; left; served++)
		left -= serve(&c, 300000) == 1;
	CHECK(served <= 84 + 2 * 60);
	close_host(&c.h);
}

/* ---- newcomers ---- */

/* A download opens a flow each n packets. Its station has no more than its share, and it has at
 * most a twentieth more than a steady download of its station. */
static void changing_port(u32 every)
{
	struct cell c;
	u32 flow, changing = 1000, sent = 0;
	u64 steady = 0, moved = 0;

	open_cell(&c, "");
	for (u32 i = 0; i < 3; i++) {
		arrive(&c, 1, 1, 1500);
		arrive(&c, 2, 2, 1500);
		arrive(&c, changing, 1, 1500);
	}
	for (u32 i = 0; i < 60000; i++) {
		flow = serve(&c, 300000);
		if (flow == 1 || flow == 2) {
			arrive(&c, flow, (u16)flow, 1500);
			steady += flow == 1;
			continue;
		}
		moved++;
		if (++sent % every == 0)
			changing++;
		arrive(&c, changing, 1, 1500);
	}
	CHECK(c.air[1] * 100 < c.air[2] * 102);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "a port each %u packets: %llu, steady %llu; stations %.2f, %.2f\n", every, (unsigned long long)moved, (unsigned long long)steady, c.air[1] / 1e9, c.air[2] / 1e9);
	CHECK(moved * 100 < steady * 105);
	close_host(&c.h);
}

/* A flood of new flows of station 1 and a new flow of station 2, which is served first. */
static void flood_of_a_station(void)
{
	struct cell c;
	u32 flow = 1000;

	open_cell(&c, "");
	for (u32 i = 0; i < 400; i++)
		arrive(&c, flow++, 1, 300);
	for (u32 i = 0; i < 300; i++)
		serve(&c, 300000);
	CHECK_EQ(stat(&c.h, "newcomer_parties"), 1);
	arrive(&c, 7, 2, 300);
	CHECK_EQ(serve(&c, 300000), 7);
	close_host(&c.h);
}

/* ---- whose share ---- */

/* Sources share where no station is known, with `share = address` also where one is: eight flows
 * of one and one of another. */
static void by_address(const char *args, u16 sta)
{
	struct cell c;
	u64 served[3] = { 0 };

	open_cell(&c, args);
	for (u32 i = 0; i < 20000; i++) {
		struct at_ticket t;
		struct at_pkt *p;
		u32 flow = 1 + i % 9;

		if (i >= 3 * 9) {
			p = get(&c.h, &t, c.now);
			CHECK(p);
			flow = p->flow;
			served[p->source / 111]++;
			c.now += 300000;
			report(&c.h, &t, 300000, c.now);
		}
		p = new_pkt(&c.h, flow, 1500);
		p->sta = sta;
		p->source = flow < 9 ? 111 : 222;
		push(&c.h, p, c.now);
	}
	CHECK(served[1] * 100 < served[2] * 103 && served[2] * 100 < served[1] * 103);
	close_host(&c.h);
}

/* More stations than there are records: those beyond share one. */
static void many_stations(void)
{
	struct cell c;

	open_cell(&c, "limit=2000");
	for (u32 i = 0; i < 600; i++)
		arrive(&c, i + 1, (u16)i, 300);
	for (u32 i = 0; i < 600; i++)
		CHECK(serve(&c, 300000));
	CHECK_EQ(c.h.q->qlen, 0);
	/* the records of idle ones are used again */
	for (u32 i = 600; i < 1200; i++) {
		arrive(&c, i + 1, (u16)i, 300);
		CHECK_EQ(serve(&c, 300000), i + 1);
	}
	close_host(&c.h);
}

/* ---- overflow ---- */

/* A full queue drops from the station with the smallest credit. */
static void victims(void)
{
	struct cell c;

	open_cell(&c, "limit=100 target=0");
	for (u32 i = 0; i < 400; i++) {		/* stations 1 and 2 are known; 1 has used more */
		arrive(&c, 1, 1, 1500);
		arrive(&c, 2, 2, 1500);
		serve(&c, 600000);
		serve(&c, 600000);
	}
	hear(&c.h, 1, 0, c.now);
	while (c.h.q->qlen)
		serve(&c, 600000);
	for (u32 i = 0; i < 50; i++) {
		arrive(&c, 1, 1, 1500);
		arrive(&c, 2, 2, 1500);
	}
	CHECK_EQ(c.h.drops, 0);
	{
		struct at_heard e = { .flow = 99, .sta = 2, .air = 5 * MS };

		c.h.q->ops->heard(c.h.q, &e, c.now);
	}
	arrive(&c, 1, 1, 1500);
	CHECK_EQ(c.h.drops, 1);
	CHECK_EQ(c.h.last_drop->flow, 2);
	close_host(&c.h);
}

/* A station with more offered load than its share loses its own packets only, not those of a station with a
 * window of 20. */
static void hog(void)
{
	struct cell c;
	u32 lost = 0;

	open_cell(&c, "limit=400 target=0");
	for (u32 i = 0; i < 20; i++)
		arrive(&c, 2, 2, 1500);
	for (u32 i = 0; i < 20000; i++) {
		u32 drops = c.h.drops;

		for (u32 k = 0; k < 2; k++) {
			arrive(&c, 1, 1, 1500);
			lost += c.h.drops > drops && c.h.last_drop->flow == 2;
			drops = c.h.drops;
		}
		if (serve(&c, 300000) == 2)
			arrive(&c, 2, 2, 1500);
		lost += c.h.drops > drops && c.h.last_drop->flow == 2;
	}
	CHECK(c.h.drops > 10000);
	CHECK_EQ(lost, 0);
	close_host(&c.h);
}

/* ---- a line without reports ---- */

/* 20 new flows of ten packets a second are more than a line of 2 Mb/s. A flow with a packet of 200
 * bytes each 20 ms, of another host or of the same one, loses none. */
static void slow_line(u32 source)
{
	struct cell c;
	u32 flow = 1000, sent = 0, late = 0, got = 0;
	u64 next_flow = 0, next_light = 0, stamp[4000];

	open_cell(&c, "");
	while (c.now < 20 * SEC) {
		struct at_ticket t;
		struct at_pkt *p;

		for (; next_flow <= c.now; next_flow += 50 * MS, flow++)
			for (u32 i = 0; i < 10; i++) {
				p = new_pkt(&c.h, flow, 1500);
				if (!p)
					break;
				p->sta = AT_NO_STA;
				p->source = 5;
				push(&c.h, p, c.now);
			}
		for (; next_light <= c.now; next_light += 20 * MS) {
			p = new_pkt(&c.h, 1, 200);
			if (!p)
				continue;
			p->sta = AT_NO_STA;
			p->source = source;
			stamp[sent] = next_light;
			p->handle = sent++;
			push(&c.h, p, c.now);
		}
		p = get(&c.h, &t, c.now);
		if (!p) {
			c.now = next_light < next_flow ? next_light : next_flow;
			continue;
		}
		if (p->flow != 1 && c.now > 2 * SEC)	/* 6 ms */
			CHECK(t.est > 5400000 && t.est < 6600000);
		if (p->flow == 1 && c.now > 2 * SEC) {
			got++;
			late += c.now - stamp[p->handle] > 25 * MS;
		}
		c.now += p->bytes * 4000ull;		/* 2 Mb/s */
	}
	CHECK(got >= 899);		/* one can be in the queue at the end */
	CHECK(late * 20 < got);
	close_host(&c.h);
}

/* At the defaults: at most 200 bytes a flow, without the tickets. */
static void memory(void)
{
	struct cell c;
	u64 size;

	open_cell(&c, "");
	size = c.h.q->ops->state_size(c.h.vals) - sizeof(struct at_tickets);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "%.1f bytes a flow\n", (double)size / 4096);
	CHECK(size <= 200 * 4096);
	close_host(&c.h);
}

int main(void)
{
	CASE(memory());
	CASE(sixteen_against_one(300000, ""));
	CASE(sixteen_against_one(2000000, ""));
	CASE(sixteen_against_one(300000, "newcomers=0"));
	CASE(slow_and_fast());
	CASE(uplink(true));
	CASE(uplink(false));
	CASE(lone_acks());
	CASE(call_is_prompt(""));
	CASE(call_is_prompt(FLAT));
	CASE(debt_bounds());
	CASE(tickets_tell_light());
	CASE(sparse_together());
	CASE(call_alone());
	CASE(changing_port(3000));
	CASE(changing_port(300));
	CASE(changing_port(30));
	CASE(flood_of_a_station());
	CASE(by_address("", AT_NO_STA));
	CASE(by_address("share=1", 3));
	CASE(many_stations());
	CASE(victims());
	CASE(hog());
	CASE(slow_line(6));
	CASE(slow_line(5));
	CASE(full_credit());
	return 0;
}
