/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * classify.h: what is a rule, which packets each takes, the first of several, and what
 * one leaves to another; against a classifier that reads rules as text.
 */
#include "airtab/classify.h"
#include "harness.h"

static u64 word(u8 what, u8 value, u16 first, u16 last, u8 class)
{
	return at_rule_word((struct at_rule){ class, what, value, first, last });
}

/* ---- words ---- */

static void words(void)
{
	static const u64 good[] = { 0, 0x12, 0x620, 0x112f, 0x177a17701131, 0x5000500633, 0x2e41, 0xffff0052 };
	static const u64 bad[] = { 1, 0x60, 0xf0, 0x110, 0x4041, 0x10010, 0x100000010, 1ull << 48 | 0x12,
				   0x100000620, 0x10620, 0x3152, 0x20, 0x720, 0x5000500730 };

	for (u32 i = 0; i < sizeof(good) / sizeof(*good); i++) {
		CHECK(!at_rule_wrong(good[i]));
		CHECK(at_rule_word(at_rule_of(good[i])) == good[i]);
	}
	for (u32 i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(!strcmp(at_rule_wrong(bad[i]), "no rule"));
	CHECK(!strcmp(at_rule_wrong(word(AT_RULE_PORTS, 6, 9, 8, 0)), "ports reversed: write the lower one first"));
	CHECK(!strcmp(at_rule_wrong(word(AT_RULE_PORTS, 6, 0, 8, 0)), "port 0: ports begin with 1"));
	CHECK(word(AT_RULE_PORTS, 17, 6000, 6010, 1) == 0x177a17701131);
}

/* ---- packets ---- */

static u32 class_of(const u64 *rules, u8 n, struct at_pkt *p)
{
	struct at_vals v = { rules, n };
	struct at_rules r;

	at_rules_set(&r, &v);
	return at_classify(&r, p, 3);
}

static void by_hand(void)
{
	u64 study[] = { word(AT_RULE_PROTO, 6, 0, 0, 0), word(AT_RULE_PORTS, 17, 6000, 6010, 1),
			word(AT_RULE_ANY, 0, 0, 0, 2) };
	u64 host[] = { word(AT_RULE_DSCP, 46, 0, 0, 1), AT_RULE_DEFAULT };
	u64 station[] = { word(AT_RULE_STATION, 0, 7, 0, 0) };
	struct at_pkt tcp = { .flags = AT_F_IP, .key = { .proto = 6, .dscp = 46, .sport = 6000 }, .cls = 2 };
	struct at_pkt udp = { .flags = AT_F_IP, .key = { .proto = 17, .sport = 6010, .dport = 9 }, .sta = 7 };
	struct at_pkt arp = { .cls = AT_URGENT };

	CHECK_EQ(class_of(study, 3, &tcp), 0);
	CHECK_EQ(class_of(study, 3, &udp), 1);
	udp.key.sport = 6011;
	CHECK_EQ(class_of(study, 3, &udp), 2);
	udp.key.dport = 6000;
	CHECK_EQ(class_of(study, 3, &udp), 1);
	udp.key.sport = udp.key.dport = 0;		/* a fragment */
	CHECK_EQ(class_of(study, 3, &udp), 2);
	CHECK_EQ(class_of(study, 3, &arp), 2);
	CHECK_EQ(class_of(study, 1, &udp), 2);		/* none takes it: the last */
	CHECK_EQ(class_of(host, 2, &tcp), 1);
	tcp.key.dscp = 0;
	CHECK_EQ(class_of(host, 2, &tcp), 2);
	CHECK_EQ(class_of(host, 2, &udp), 0);
	CHECK_EQ(class_of(host, 2, &arp), 2);		/* 255 */
	CHECK_EQ(class_of(station, 1, &udp), 0);
	udp.sta = 8;
	CHECK_EQ(class_of(station, 1, &udp), 2);
	study[0] = word(AT_RULE_PORTS, 17, 1, 65535, 0);	/* all that show ports */
	CHECK_EQ(class_of(study, 1, &udp), 2);
	udp.key.dport = 65535;
	CHECK_EQ(class_of(study, 1, &udp), 0);
}

/* ---- at random, by another reading ---- */

static bool takes(const struct at_rule *r, const struct at_pkt *p)
{
	bool ip = p->flags & AT_F_IP;
	int low = r->first, high = r->last, s = p->key.sport, d = p->key.dport;

	if (r->what == AT_RULE_STATION)
		return p->sta == low;
	if (r->what == AT_RULE_DSCP)
		return ip && p->key.dscp == r->value;
	if (r->what == AT_RULE_PROTO || r->what == AT_RULE_PORTS) {
		if (!ip || p->key.proto != r->value)
			return false;
		return r->what == AT_RULE_PROTO || (s >= low && s <= high) || (d >= low && d <= high);
	}
	return true;
}

static struct at_rule draw(u64 *random)
{
	struct at_rule r = { .class = (u8)below(random, 4), .what = (u8)below(random, AT_RULE_WHATS) };

	switch (r.what) {
	case AT_RULE_HOST:
		r.class = 0;
		break;
	case AT_RULE_PORTS:
		r.first = (u16)(1 + below(random, 20));
		r.last = (u16)(r.first + below(random, 20));
		/* fallthrough */
	case AT_RULE_PROTO:
		r.value = below(random, 2) ? 6 : 17;
		break;
	case AT_RULE_DSCP:
		r.value = (u8)below(random, 4);
		break;
	case AT_RULE_STATION:
		r.first = (u16)below(random, 4);
		break;
	default:
		break;
	}
	return r;
}

static void at_random(void)
{
	u64 random = 7, by[AT_RULE_WHATS + 1] = { 0 }, words[AT_RULES];

	for (u32 step = 0; step < 200000; step++) {
		struct at_pkt p = { .sta = (u16)below(&random, 5), .cls = (u8)below(&random, 4),
				    .flags = below(&random, 5) ? AT_F_IP : 0,
				    .key = { .proto = below(&random, 2) ? 6 : 17, .dscp = (u8)below(&random, 5),
					     .sport = (u16)below(&random, 45), .dport = (u16)below(&random, 45) } };
		u8 n = (u8)(1 + below(&random, AT_RULES));
		u32 want = 2, what = AT_RULE_WHATS;
		struct at_rule all[AT_RULES];

		for (u8 i = 0; i < n; i++) {
			all[i] = draw(&random);
			words[i] = at_rule_word(all[i]);
			CHECK(!at_rule_wrong(words[i]));
		}
		for (u8 i = 0; i < n; i++) {
			if (takes(&all[i], &p)) {
				what = all[i].what;
				want = what == AT_RULE_HOST ? p.cls : all[i].class;
				break;
			}
		}
		by[what]++;
		CHECK_EQ(class_of(words, n, &p), want < 3 ? want : 2);
		/* who is covered by one before takes nothing that the other does not */
		for (u8 i = 1; i < n; i++)
			if (at_rule_covers(all[0], all[i]))
				CHECK(!takes(&all[i], &p) || takes(&all[0], &p));
	}
	for (u32 i = 0; i <= AT_RULE_WHATS; i++)
		CHECK(by[i] > 1000);
}

static void covered(void)
{
	struct at_rule wide = { 0, AT_RULE_PORTS, 17, 5, 9 }, in = { 1, AT_RULE_PORTS, 17, 6, 9 };
	struct at_rule udp = { 0, AT_RULE_PROTO, 17, 0, 0 }, any = { 0, AT_RULE_ANY, 0, 0, 0 };
	struct at_rule seven = { 0, AT_RULE_STATION, 0, 7, 0 }, eight = { 0, AT_RULE_STATION, 0, 8, 0 };

	CHECK(at_rule_covers(wide, in) && !at_rule_covers(in, wide) && at_rule_covers(in, in));
	CHECK(at_rule_covers(udp, wide) && !at_rule_covers(wide, udp));
	CHECK(at_rule_covers(any, udp) && !at_rule_covers(udp, any));
	CHECK(at_rule_covers(seven, seven) && !at_rule_covers(seven, eight) && !at_rule_covers(eight, seven));
	in.value = 6;
	CHECK(!at_rule_covers(wide, in) && !at_rule_covers(udp, in));
}

/* ---- through a discipline ---- */

static void checked(void)
{
	const struct at_ops *ops = find_ops("spq");
	u64 rules[AT_RULES + 1] = { 0x620, 0x12 };
	struct host h;
	u16 bad = 0;

	open_host(&h, "spq", "classes=3", 8);
	h.vals[2] = (struct at_vals){ rules, 2 };
	CHECK(!at_check(ops, h.vals, &bad));
	rules[1] = 0x13;
	CHECK(strstr(at_check(ops, h.vals, &bad), "not among classes"));
	CHECK_EQ(bad, 2);
	rules[1] = 1;
	CHECK(!strcmp(at_check(ops, h.vals, &bad), "no rule"));
	rules[1] = 1ull << 48;
	CHECK(!strcmp(at_check(ops, h.vals, &bad), "above the maximum"));
	h.vals[2].len = AT_RULES + 1;
	CHECK(!strcmp(at_check(ops, h.vals, &bad), "too many values"));
	close_host(&h);
}

int main(void)
{
	CASE(words());
	CASE(by_hand());
	CASE(at_random());
	CASE(covered());
	CASE(checked());
	return 0;
}
