/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * CBQ, of which class a packet is and what a class does with it: limits, RED against Parris's
 * pseudocode (parris_red.h), flows, rules, urgent and parked packets, changes.
 */
#include "airtab/classify.h"
#include "cbq.h"
#include "drive.h"
#include "parris_red.h"
#include "swing.h"

/* ---- a class's own ---- */

/* A full class refuses who comes; the others have room. */
static void class_limit(void)
{
	struct host h;

	open_cbq(&h, "", NULL, NULL, 256);
	CHECK_EQ(puts_in(&h, 0, 1500, 70), 60);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	CHECK_EQ(puts_in(&h, 1, 1500, 70), 60);
	CHECK_EQ(puts_in(&h, 7, 1500, 70), 60);
	CHECK_EQ(h.q->qlen, 180);
	set_list(&h, V_CLASS_LIMIT, "10,70,3");
	change(&h, "", 0);
	CHECK_EQ(cell(&h, 0, "backlog"), 10);
	CHECK_EQ(cell(&h, 1, "backlog"), 60);
	CHECK_EQ(cell(&h, 2, "backlog"), 3);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	CHECK_EQ(puts_in(&h, 0, 1500, 5), 0);
	CHECK_EQ(puts_in(&h, 1, 1500, 20), 10);
	/* all together: the longest class loses its oldest, and nobody may have more */
	change(&h, "limit=40", 0);
	CHECK_EQ(h.q->qlen, 40);
	CHECK_EQ(cell(&h, 0, "backlog"), 10);
	CHECK_EQ(cell(&h, 1, "backlog"), 27);
	CHECK_EQ(cell(&h, 1, "backlog_bytes"), 27 * 1500);
	CHECK_EQ(puts_in(&h, 1, 1500, 1), 0);
	CHECK_EQ(h.last_why, AT_R_LIMIT);
	close_host(&h);
}

/* Arrivals that swing around what a class is for: the same packets are queued, dropped and
 * for the same reason as by the pseudocode, and the average is the same. from_link: the
 * link of the class is busy for the time of a packet. */
static void red_of_a_class(const char *args, u8 class, double drain_rate, bool from_link)
{
	struct swing w = swing_begin(77, 250, 3500);
	u64 fates[4] = { 0 };
	struct parris_red r;
	struct host h;

	open_cbq(&h, args, NULL, NULL, 300);
	parris_red_init(&r, 1);
	r.drain_rate = drain_rate;
	r.q_limit = 60;
	r.from_link = from_link;
	for (u32 step = 0; step < 60000; step++) {
		u64 now = swing_on(&w);

		h.now = now;
		for (u32 n = 0; n < 4; n++) {
			enum red_fate fate;

			if (!swing_comes(&w))
				continue;
			fate = on_arrival(&r, (double)now * 1e-9);
			fates[fate]++;
			CHECK_EQ(put_in(&h, class, 1000), fate == NO_DROP ? AT_OK : AT_DROPPED);
			if (fate != NO_DROP)
				CHECK_EQ(h.last_why, fate == OVERFLOW_DROP ? AT_R_LIMIT : AT_R_EARLY);
			CHECK(fabs((double)cell(&h, class, "average") / 65536 - r.q_avg) <
			      2e-5 + 1e-4 * fmax(1, r.q_avg));
		}
		if (get(&h, &ticket, now))
			on_departure(&r, (double)now * 1e-9);
		if (!r.q_len)
			on_empty(&r, (double)now * 1e-9 + 1 / drain_rate);
		CHECK_EQ(h.q->qlen, r.q_len);
	}
	CHECK(fates[EARLY_DROP] > 5000 && fates[OVERFLOW_DROP] + fates[FORCED_DROP] > 100);
	CHECK_EQ(stat(&h, "early_drops"), fates[EARLY_DROP]);
	CHECK_EQ(stat(&h, "forced_drops"), fates[FORCED_DROP]);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "cbq '%s', class %u: %llu queued, %llu early, %llu forced, %llu refused\n", args, class,
			(unsigned long long)fates[0], (unsigned long long)fates[1],
			(unsigned long long)fates[2], (unsigned long long)fates[3]);
	close_host(&h);
}

static void inner_red(void)
{
	struct host h;

	red_of_a_class("idle=1 classes=1 inner=1", 0, 1250, false);
	/* of a class that has 16 % of the link */
	red_of_a_class("idle=1 inner=1", 1, 200, false);
	red_of_a_class("idle=1 inner=1 borrow=1", 2, 150, false);
	red_of_a_class("classes=1 inner=1", 0, 1250, true);
	red_of_a_class("inner=1", 1, 200, true);
	/* each has an average of its own; marks */
	open_cbq(&h, "inner=1 weight=1/1 min=65536 max=327680 max_p=1000000", NULL, NULL, 64);
	CHECK(puts_in(&h, 0, 1000, 20) < 8);
	CHECK_EQ(puts_in(&h, 1, 1000, 2), 2);
	CHECK_EQ(stat(&h, "marks"), 0);
	for (u32 i = 0; i < 4; i++) {
		struct at_pkt *p = new_pkt(&h, 1, 1000);

		p->cls = 1;
		p->flags = AT_F_ECT;
		push(&h, p, 0);
	}
	CHECK(stat(&h, "marks") > 0);
	h.q->ops->reset(h.q, 0);
	CHECK_EQ(cell(&h, 0, "average"), 0);
	close_host(&h);
}

/* Flows of a class take turns, whatever the other classes do, and what has most makes room. */
static void inner_flows(void)
{
	u32 got[3] = { 0 }, drops;
	struct host h;

	open_cbq(&h, "inner=2 class_limit=100", NULL, NULL, 400);
	for (u32 k = 0; k < 40; k++)
		put(&h, 10, 1500, 0);
	for (u32 k = 0; k < 20; k++)
		put(&h, 11, 1500, 0);
	puts_in(&h, 2, 1500, 99);
	for (u32 k = 0; k < 20; k++) {
		u32 flow = take(&h)->flow;

		got[flow == 10 ? 0 : flow == 11 ? 1 : 2]++;
	}
	CHECK(got[0] + got[1] >= 16 && got[0] - got[1] + 1 <= 2 && got[2] >= 2);
	/* a full class: of the flow with most go half, and what came stays */
	h.drops = 0;
	for (u32 k = 0; k < 59; k++)
		put(&h, 10, 1500, 0);
	CHECK(h.drops > 10 && h.last_why == AT_R_PUSHOUT && h.last_drop->flow == 10);
	CHECK_EQ(cell(&h, 2, "backlog"), 99 - got[2]);
	drops = h.drops;
	CHECK_EQ(put(&h, 12, 1500, 0), AT_OK);
	CHECK_EQ(take(&h)->cls, 0);
	CHECK_EQ(h.drops, drops);
	close_host(&h);
	/* CoDel: a queue that stands for longer than an interval */
	open_cbq(&h, "inner=2 class_limit=1000", NULL, NULL, 400);
	CHECK_EQ(drops_with(&h, 100, 0, 99, 0), 0);
	CHECK(drops_with(&h, 100, 100 * MS, 2000, 0) > 5);
	CHECK_EQ(h.last_why, AT_R_AQM);
	CHECK_EQ(stat(&h, "codel_drops"), h.drops);
	close_host(&h);
}

/* ---- rules, urgent and parked packets ---- */

static struct at_pkt *keyed(struct host *h, u8 proto, u16 port)
{
	struct at_pkt *p = new_pkt(h, port, 1000);

	p->cls = 9;	/* the host's says nothing here */
	p->flags = AT_F_IP;
	p->key = (struct at_key){ .proto = proto, .dport = port };
	return p;
}

/* TCP, UDP to ports 6000 to 6010, the rest. */
static void rules(void)
{
	struct host h;
	u16 bad;

	open_cbq(&h, "", NULL, NULL, 32);
	h.value[V_RULES][0] = at_rule_word((struct at_rule){ .what = AT_RULE_PROTO, .value = 6 });
	h.value[V_RULES][1] = at_rule_word((struct at_rule){
		.class = 1, .what = AT_RULE_PORTS, .value = 17, .first = 6000, .last = 6010 });
	h.vals[V_RULES].len = 2;
	change(&h, "", 0);
	push(&h, keyed(&h, 6, 80), 0);
	push(&h, keyed(&h, 17, 5999), 0);
	push(&h, keyed(&h, 17, 6000), 0);
	push(&h, keyed(&h, 17, 6010), 0);
	push(&h, keyed(&h, 17, 6011), 0);
	push(&h, keyed(&h, 1, 0), 0);
	CHECK_EQ(cell(&h, 0, "backlog"), 1);
	CHECK_EQ(cell(&h, 1, "backlog"), 2);
	CHECK_EQ(cell(&h, 2, "backlog"), 3);
	h.value[V_RULES][1] |= 3;
	CHECK(strstr(at_check(h.q->ops, h.vals, &bad), "not among classes"));
	CHECK_EQ(bad, V_RULES);
	close_host(&h);
}

/* They go first; in a full queue the oldest of the longest class makes room; what is beyond
 * the bounds is of the last class. */
static void urgent_ones(void)
{
	struct host h;

	open_cbq(&h, "limit=6", NULL, NULL, 64);
	puts_in(&h, 0, 1500, 3);
	puts_in(&h, 1, 1500, 2);
	CHECK_EQ(put_urgent(&h, 9, 0), AT_OK);
	CHECK_EQ(cell(&h, AT_URGENT, "backlog"), 1);
	CHECK_EQ(puts_in(&h, 1, 1500, 1), 0);
	CHECK_EQ(put_urgent(&h, 9, 0), AT_OK);
	CHECK_EQ(h.last_why, AT_R_PUSHOUT);
	CHECK_EQ(h.last_drop->cls, 0);
	CHECK_EQ(cell(&h, 0, "backlog"), 2);
	CHECK_EQ(put_urgent(&h, 0, 0), AT_CN);
	CHECK_EQ(served(&h), AT_URGENT);
	CHECK_EQ(served(&h), AT_URGENT);
	CHECK_EQ(served(&h), AT_URGENT);
	CHECK_EQ(h.q->qlen, 3);
	CHECK_EQ(stat(&h, "urgent"), 3);
	CHECK(stat(&h, "urgent_air") > 0);
	close_host(&h);
	open_cbq(&h, "", NULL, NULL, 64);
	for (u32 i = 0; i < 33; i++)
		put_urgent(&h, 9, 0);
	CHECK_EQ(stat(&h, "urgent_over"), 1);
	CHECK_EQ(cell(&h, 2, "backlog"), 1);
	change(&h, "limit=3", 0);
	CHECK_EQ(h.q->qlen, 3);
	close_host(&h);
}

static void put_to(struct host *h, u16 sta, u8 class)
{
	struct at_pkt *p = new_pkt(h, sta, 1000);

	p->sta = sta;
	p->cls = class;
	CHECK_EQ(push(h, p, h->now), AT_OK);
}

/* Packets of a closed station are passed over; a class of them alone leaves its share to its
 * group, or to all, and has it again. */
static void parked(void)
{
	static const char *const args[] = { "borrow=0", "borrow=1", "borrow=1 inner=1", "borrow=1 inner=2" };
	struct host h;

	for (u32 k = 0; k < 4; k++) {
		open_cbq(&h, args[k], NULL, NULL, 256);
		for (u32 i = 0; i < 5; i++) {
			put_to(&h, 1, 0);
			put_to(&h, 2, 1);
			put_to(&h, 3, 1);
			put_to(&h, 4, 2);
		}
		gate(&h, 1, false);
		gate(&h, 2, false);
		gate(&h, 4, false);
		CHECK_EQ(h.q->parked, 15);
		CHECK_EQ(stat(&h, "active"), 1);
		for (u32 i = 0; i < 5; i++)
			CHECK_EQ(take(&h)->sta, 3);
		CHECK(!get(&h, &ticket, 0));
		gate(&h, 1, true);
		CHECK_EQ(take(&h)->sta, 1);
		gate(&h, 4, true);
		gate(&h, 1, false);
		for (u32 i = 0; i < 5; i++)
			CHECK_EQ(take(&h)->sta, 4);
		CHECK(!get(&h, &ticket, 0));
		put_to(&h, 5, 1);
		put_urgent(&h, 9, 2);
		gate(&h, 2, true);
		CHECK_EQ(served(&h), AT_URGENT);
		/* a gate that was turned twice changes nothing */
		gate(&h, 2, false);
		gate(&h, 2, true);
		if (k < 3)	/* else the two stations' flows take turns */
			for (u32 i = 0; i < 5; i++)
				CHECK_EQ(take(&h)->sta, 2);
		/* handed over: oldest first */
		CHECK_EQ(h.q->ops->drain(h.q)->sta, k < 3 ? 1 : 2);
		h.q->ops->reset(h.q, 0);
		CHECK_EQ(h.q->qlen + h.q->parked, 0);
		close_host(&h);
	}
}

/* ---- changes ---- */

/* New shares and groups count from now on, under traffic; the same ones change nothing. */
static void changes(void)
{
	static const u32 bytes[] = { 1500, 200, 900 }, two[] = { 1500, 0, 900 };
	struct host a, b;

	open_cbq(&a, "", NULL, NULL, 64);
	open_cbq(&b, "", NULL, NULL, 64);
	for (u32 n = 0; n < 3000; n++) {
		for (u8 i = 0; i < 3; i++)
			while (cell(&a, i, "backlog") < 3) {
				put_in(&a, i, bytes[i]);
				put_in(&b, i, bytes[i]);
			}
		change(&a, "", 0);
		CHECK_EQ(served(&a), served(&b));
	}
	set_list(&a, V_SHARE, "120000,160000,720000");
	change(&a, "", 0);
	CHECK_EQ(cell(&a, 0, "backlog") + cell(&a, 1, "backlog") + cell(&a, 2, "backlog"), a.q->qlen);
	while (a.q->qlen)
		served(&a);
	expect_parts(&a, bytes, (double[]){ 0.12, 0.16, 0.72 });
	expect_parts(&a, two, (double[]){ 12 / 84.0, 0, 72 / 84.0 });
	puts_in(&a, 0, 1500, 5);
	puts_in(&a, 1, 1500, 5);
	served(&a);
	change(&a, "borrow=1", 0);
	CHECK_EQ(cell(&a, 2, "group"), 1);
	for (u32 i = 0; i < 9; i++)
		served(&a);
	expect_parts(&a, two, (double[]){ 0.28, 0, 0.72 });
	close_host(&a);
	close_host(&b);
}

/* Random calls, all of drive.h's invariants, for each kind of class and of borrowing. */
static void at_random(void)
{
	static struct drive d;
	static u8 data[1 << 15];

	for (u64 round = 0; round < 60; round++) {
		char args[80];
		u64 seed = round + 1;

		for (u32 k = 0; k < sizeof(data); k++)
			data[k] = (u8)rnd(&seed);
		snprintf(args, sizeof(args), "classes=%u borrow=%u inner=%u limit=100 class_limit=%u flows=%u",
			 round % 5 ? 2 : 3, (u32)round / 3 % 2, (u32)round % 3, 5 + (u32)round, 1 + (u32)round / 2);
		memset(&d, 0, sizeof(d));
		d.data = data;
		d.left = sizeof(data);
		open_host(&d.h, "cbq", args, DRIVE_PACKETS);
		while (d.left) {
			u32 what = byte(&d) % 16;

			d.now += byte(&d) * 100000ull;
			if (what < 8)
				drive_enqueue(&d);
			else if (what < 12)
				drive_dequeue(&d);
			else if (what < 14)
				drive_gate(&d);
			else
				drive_other(&d);
			check_books(&d);
		}
		d.h.q->ops->reset(d.h.q, d.now);
		CHECK_EQ(d.h.n_free, d.h.n);
		close_host(&d.h);
	}
}

/* ---- tables ---- */

static void refused(void)
{
	static const struct {
		const char *args, *share, *limit, *group, *why;
		u16 bad;
	} cases[] = {
		{ "", "500000,500000", "60", "0", "one for each class", V_SHARE },
		{ "", "500000,250000,200000,10000", "60", "0", "one for each class", V_SHARE },
		{ "", "0", "60,60", "0", "one for each class", V_CLASS_LIMIT },
		{ "", "0", "60", "0,1", "one for each class", V_GROUP },
		{ "", "0", "60", "0,0,0,1", "one for each class", V_GROUP },
		{ "", "0", "60", "0,0,3", "no such group", V_GROUP },
		{ "classes=2", "0", "60", "2", "no such group", V_GROUP },
		{ "", "500000,500000,0", "60", "0", "never served", V_SHARE },
		{ "", "500000,499985,15", "60", "0", "never served", V_SHARE },
		{ "", "500000,400000,100001", "60", "0", "above 100 %", V_SHARE },
		{ "", "333334", "60", "0", "above 100 %", V_SHARE },
		{ "classes=16", "0", "60", "0", NULL, 0 },
		{ "classes=1", "1000000", "60", "0", NULL, 0 },
		{ "", "500000,499984,16", "10,20,30", "2,1,0", NULL, 0 },
		{ "", "333333", "60", "2", NULL, 0 },
		{ "min=3000000", "0", "60", "0", "more than max", 8 },
	};

	for (u32 k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct host h;
		const char *why;
		u16 bad = 99;

		open_host(&h, "cbq", "", 4);
		set_values(&h, h.q->ops, cases[k].args);
		set_list(&h, V_SHARE, cases[k].share);
		set_list(&h, V_CLASS_LIMIT, cases[k].limit);
		set_list(&h, V_GROUP, cases[k].group);
		why = at_check(h.q->ops, h.vals, &bad);
		CHECK(!why == !cases[k].why);
		if (why) {
			CHECK(strstr(why, cases[k].why));
			CHECK_EQ(bad, cases[k].bad);
		}
		close_host(&h);
	}
}

int main(void)
{
	CASE(refused());
	CASE(class_limit());
	CASE(inner_red());
	CASE(inner_flows());
	CASE(rules());
	CASE(urgent_ones());
	CASE(parked());
	CASE(changes());
	CASE(at_random());
	return 0;
}
