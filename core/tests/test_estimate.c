/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What a packet is charged before its report, and how that is learnt: to the
 * last digit, computed by hand. Scales are Q10: 1024 is the nominal exchange.
 */
#include "airtab/estimate.h"
#include "harness.h"

#define NOMINAL 281926u		/* ns of 1500 bytes */

/* 59704 ns and 37926/256 ns a byte, rounded down; no more than 32 bits. */
static void nominal(void)
{
	static const struct { u32 bytes; u64 ns; } want[] = {
		{ 0, 59704 }, { 1, 59852 }, { 40, 65629 }, { 1000, 207852 }, { 1500, NOMINAL },
		{ 65535, 9768611 }, { 4294967295u, 4294967295u },
	};

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		CHECK_EQ(at_nominal_ns(want[i].bytes), want[i].ns);
	/* within 10 ns of phy-a: 20 us, 34 + n bytes at 54 Mb/s, SIFS, an ACK of 24.667 us */
	for (u32 n = 0; n <= 1500; n++) {
		double exact = 20000 + (34 + n) * 8 / 0.054 + 10000 + 24666.7;
		double off = at_nominal_ns(n) - exact;

		CHECK(off > -10 && off < 10);
	}
}

static void estimates(void)
{
	static const struct { u32 nominal, scale; u64 ns; } want[] = {
		{ NOMINAL, 1024, NOMINAL }, { NOMINAL, 2048, 2 * NOMINAL }, { NOMINAL, 1152, 317166 },
		{ NOMINAL, 1, 275 }, { NOMINAL, 0, 0 }, { NOMINAL, 65535, 18042988 },
		{ 4294967295u, 1024, 4294967295u }, { 4294967295u, 65535, 4294967295u },
	};

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		CHECK_EQ(at_estimate_ns(want[i].nominal, want[i].scale), want[i].ns);
}

/* An eighth of the way from the scale to what was seen, to the nearest, halves
 * up; what was seen is rounded down, and at most 65535. */
static void weight_of_a_report(void)
{
	static const struct { u32 scale; u64 air; u16 after; } want[] = {
		{ 1024, 2 * NOMINAL, 1152 },	/* + 1024/8 */
		{ 1152, 2 * NOMINAL, 1264 },	/* + 896/8 */
		{ 1264, 2 * NOMINAL, 1362 },	/* + 784/8 */
		{ 1362, 2 * NOMINAL, 1448 },	/* + 685.75 -> 686/8 = 85.75 */
		{ 1024, 0, 896 },		/* - 128 */
		{ 896, 0, 784 },		/* - 112 */
		{ 1024, NOMINAL / 2, 960 },	/* 512 seen: - 64 */
		{ 1024, NOMINAL, 1024 },
		{ 1024, 40 * (u64)NOMINAL, 6016 },	/* + 39936/8 */
		{ 1024, 63 * (u64)NOMINAL + 277000, 9086 },	/* 65518 seen: + 8061.75 */
		{ 1024, 1ull << 40, 9088 },	/* 65535 seen: + 64511/8 = 8063.9 */
		{ 65535, 1ull << 40, 65535 },
		{ 65531, 1ull << 40, 65532 },	/* + 4/8 = 0.5 */
		{ 65532, 1ull << 40, 65532 },	/* + 3/8 */
		{ 5, 0, 4 },			/* - 5/8 */
		{ 4, 0, 4 },			/* - 4/8 = -0.5: halves up */
	};

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		CHECK_EQ(at_scale_learn(want[i].scale, want[i].air, NOMINAL), want[i].after);
}

/* The short cut for "nothing to learn" ends exactly where there is something. */
static void near_the_scale(void)
{
	for (s32 d = -40; d <= 40; d++) {
		/* the least air that is seen as 3000 + d: ceil((3000 + d) nominal / 1024) */
		u64 air = ((u64)(3000 + d) * NOMINAL + 1023) / 1024;
		s32 eighths = d + 4, step = eighths / 8;

		if (eighths < 0 && eighths % 8)
			step--;		/* down, not to 0 */
		CHECK_EQ(at_scale_learn(3000, air, NOMINAL), 3000 + step);
		CHECK_EQ(at_scale_learn(3000, air - 1, NOMINAL),
			 3000 + step - (eighths % 8 == 0));
	}
}

static u32 estimate_of(struct host *h, struct at_ticket *t, u32 flow)
{
	put(h, flow, 1500, 0);
	CHECK_EQ(get(h, t, 0)->flow, flow);
	return t->est;
}

/* A flow's own scale: 1/8. That of all, where new ones begin: 1/16 of the way to
 * the scale of the flow that was reported. Both begin at 1024. */
static void flows_and_all_of_them(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "chap", FLAT "newcomers=0", 16);
	CHECK_EQ(stat(&h, "scale"), 65536);
	CHECK_EQ(estimate_of(&h, &t, 1), NOMINAL);
	report(&h, &t, 2 * NOMINAL, 0);
	CHECK_EQ(stat(&h, "scale"), 1032 * 64);		/* 1024 + 128/16 */
	CHECK_EQ(estimate_of(&h, &t, 1), 317166);	/* 1152/1024 */
	report(&h, &t, 2 * NOMINAL, 0);
	CHECK_EQ(stat(&h, "scale"), 1047 * 64);		/* 1032 + 232/16 = 1046.5 */
	CHECK_EQ(estimate_of(&h, &t, 2), 288258);	/* 1047/1024 */
	report(&h, &t, 0, 0);				/* 1047 - 131 = 916 */
	CHECK_EQ(stat(&h, "scale"), 1039 * 64);		/* 1047 - 131/16 = 1038.8 */
	CHECK_EQ(estimate_of(&h, &t, 2), 252191);	/* 916/1024 */
	/* flow 1 has learnt nothing from flow 2: 1152 + 112 */
	CHECK_EQ(estimate_of(&h, &t, 1), 348002);	/* 1264/1024 */
	close_host(&h);
}

/* The air that is learnt from is what is charged: at most 2^40 ns. 2^54 times 1024
 * would be 0 in 64 bits. */
static void absurd_reports(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "chap", FLAT "newcomers=0", 16);
	estimate_of(&h, &t, 1);
	report(&h, &t, 1ull << 54, 0);
	CHECK_EQ(stat(&h, "scale"), 1528 * 64);		/* flow 9088: 1024 + 8064/16 */
	CHECK_EQ(cell(&h, 1, "airtime"), 1ull << 40);
	close_host(&h);
}

int main(void)
{
	CASE(nominal());
	CASE(estimates());
	CASE(weight_of_a_report());
	CASE(near_the_scale());
	CASE(flows_and_all_of_them());
	CASE(absurd_reports());
	return 0;
}
