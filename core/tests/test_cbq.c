/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * CBQ, who goes next: shares and who borrows, worked by hand; delays; beside the fluid system
 * (generalised processor sharing, of two levels), which is computed here in floating point
 * and shares no code with it.
 */
#include "cbq.h"

/* ---- shares ---- */

static void saturated(void)
{
	static const double want[] = { 0.72, 0.16, 0.12 };
	static const u32 sizes[][3] = { { 1500, 1500, 1500 }, { 1500, 200, 900 }, { 40, 1500, 64 }, { 1500, 40, 40 } };
	struct host h;

	for (u32 ordered = 0; ordered < 2; ordered++)
		for (u32 inner = 0; inner < 3; inner++)
			for (u32 k = 0; k < 4; k++) {
				char args[50];

				snprintf(args, sizeof(args), "borrow=%u inner=%u", ordered, inner);
				open_cbq(&h, args, NULL, NULL, 16);
				expect_parts(&h, sizes[k], want);
				close_host(&h);
			}
	/* equal ones by default of another number, and one value for all */
	open_cbq(&h, "classes=2", NULL, NULL, 16);
	expect_parts(&h, sizes[1], (double[]){ 0.5, 0.5 });
	close_host(&h);
	open_cbq(&h, "classes=4", "250000", NULL, 16);
	expect_parts(&h, (u32[]){ 1500, 100, 700, 40 }, (double[]){ 0.25, 0.25, 0.25, 0.25 });
	close_host(&h);
	/* they count beside each other: 10 and 30 of 40 */
	open_cbq(&h, "classes=2", "100000,300000", NULL, 16);
	expect_parts(&h, sizes[1], (double[]){ 0.25, 0.75 });
	close_host(&h);
}

/* Who gets what idle classes leave. */
static void borrowing(void)
{
	static const struct {
		const char *args, *share, *group;
		u32 bytes[4];
		double want[4];
	} cases[] = {
		{ "borrow=0", NULL, NULL, { 1500, 0, 900 }, { 72 / 84.0, 0, 12 / 84.0 } },
		{ "borrow=1", NULL, NULL, { 1500, 0, 900 }, { 0.88, 0, 0.12 } },
		{ "borrow=0", NULL, NULL, { 0, 200, 900 }, { 0, 16 / 28.0, 12 / 28.0 } },
		{ "borrow=1", NULL, NULL, { 0, 200, 900 }, { 0, 0.88, 0.12 } },
		/* the last class is alone in its group: what it leaves is the other one's */
		{ "borrow=0", NULL, NULL, { 1500, 200, 0 }, { 72 / 88.0, 16 / 88.0, 0 } },
		{ "borrow=1", NULL, NULL, { 1500, 200, 0 }, { 72 / 88.0, 16 / 88.0, 0 } },
		{ "borrow=1", NULL, NULL, { 0, 0, 900 }, { 0, 0, 1 } },
		{ "borrow=1", NULL, NULL, { 0, 900, 0 }, { 0, 1, 0 } },
		/* other groups: all of one is as borrow=all */
		{ "borrow=1", NULL, "1", { 1500, 0, 900 }, { 72 / 84.0, 0, 12 / 84.0 } },
		{ "borrow=1", NULL, "2,0,2", { 1500, 0, 900 }, { 72 / 84.0, 0, 12 / 84.0 } },
		{ "borrow=1", NULL, "0,1,1", { 1500, 0, 900 }, { 0.72, 0, 0.28 } },
		{ "borrow=1 classes=4", "400000,300000,200000,100000", "0,1,0,1", { 1500, 200, 0, 900 },
		  { 0.6, 0.3, 0, 0.1 } },
		{ "borrow=1 classes=4", "400000,300000,200000,100000", "0,1,0,1", { 1500, 0, 700, 900 },
		  { 0.4, 0, 0.2, 0.4 } },
		{ "borrow=1 classes=4", "400000,300000,200000,100000", "0,1,0,1", { 1500, 0, 700, 0 },
		  { 2 / 3.0, 0, 1 / 3.0, 0 } },
		/* two of three groups have something */
		{ "borrow=1 classes=4", "400000,300000,200000,100000", "0,1,2,2", { 1500, 0, 0, 900 },
		  { 4 / 7.0, 0, 0, 3 / 7.0 } },
	};
	struct host h;

	for (u32 k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		open_cbq(&h, cases[k].args, cases[k].share, cases[k].group, 16);
		expect_parts(&h, cases[k].bytes, cases[k].want);
		close_host(&h);
	}
}

/* ---- delay ---- */

/* A class that sends so much of its share, at regular times, beside others that always have
 * some: how long the worst packet waited and was sent, at a byte a us. */
static double wait_of(const char *args, u32 class, double bytes, double gap)
{
	double worst = 0, due = 0, came = 0, now = 0;
	struct host h;

	open_cbq(&h, args, NULL, NULL, 512);
	for (u8 i = 0; i < 3; i++)
		puts_in(&h, i, 1500, i == class ? 0 : 2);
	for (u32 n = 0; n < 10000; n++) {
		struct at_pkt *p;

		for (; due <= now; due += gap)
			CHECK_EQ(put_in(&h, (u8)class, (u32)bytes), AT_OK);
		p = take(&h);
		now += p->bytes;
		if (p->cls == class) {
			worst = fmax(worst, now - came);
			came += gap;
		} else {
			put_in(&h, p->cls, 1500);
		}
	}
	close_host(&h);
	return worst;
}

/* Bennett and Zhang: the packet under way when it comes, the longest one, and one of its own
 * at its rate; with two levels the longest one of its group at the group's rate. */
static void delay(void)
{
	static const u32 sizes[] = { 40, 200, 1500 };
	static const double rate[] = { 0.72, 0.16, 0.12 };

	for (u32 ordered = 0; ordered < 2; ordered++)
		for (u32 i = 0; i < 3; i++)
			for (u32 k = 0; k < 3; k++) {
				double bound = 3000 + sizes[k] / rate[i], worst = 0;

				if (ordered && i < 2)
					bound += 1500 / 0.88;
				for (double load = 1; load > 0.25; load -= 0.1)
					worst = fmax(worst, wait_of(ordered ? "borrow=1 class_limit=400" : "class_limit=400", i,
								    sizes[k], sizes[k] / rate[i] / load));
				if (getenv("AT_VERBOSE"))
					fprintf(stderr, "cbq, %s: %u bytes of class %u took %.0f us at most, of %.0f\n",
						ordered ? "ordered" : "all", sizes[k], i, worst, bound);
				CHECK(worst <= bound + 1e-6);
			}
}

/* ---- beside the fluid system ---- */

struct fluid {
	u32 n, group[CLASSES];
	double weight[CLASSES], queued[CLASSES], served[CLASSES];
};

/* The rate of each class, of 1: a group has what its classes have together. */
static void rates_of(const struct fluid *f, double *rate)
{
	double group[CLASSES] = { 0 }, busy[CLASSES] = { 0 }, all = 0;

	for (u32 i = 0; i < f->n; i++) {
		group[f->group[i]] += f->weight[i];
		busy[f->group[i]] += f->queued[i] > 1e-7 ? f->weight[i] : 0;
	}
	for (u32 g = 0; g < f->n; g++)
		all += busy[g] > 0 ? group[g] : 0;
	for (u32 i = 0; i < f->n; i++)
		rate[i] = f->queued[i] > 1e-7 ?
			group[f->group[i]] / all * f->weight[i] / busy[f->group[i]] : 0;
}

static void flow(struct fluid *f, double dt)
{
	while (dt > 1e-7) {
		double rate[CLASSES], step = dt, sum = 0;

		rates_of(f, rate);
		for (u32 i = 0; i < f->n; i++) {
			sum += rate[i];
			if (rate[i] > 0)
				step = fmin(step, f->queued[i] / rate[i]);
		}
		if (sum == 0)
			return;
		for (u32 i = 0; i < f->n; i++) {
			f->served[i] += rate[i] * step;
			f->queued[i] = fmax(0, f->queued[i] - rate[i] * step);
		}
		dt -= step;
	}
}

/* Random shares and groups; `ordered` without groups of more than one class is not tried. */
static void open_fluid(struct fluid *f, struct host *h, bool ordered, u64 *seed)
{
	char args[50];
	u16 bad;

	memset(f, 0, sizeof(*f));
	f->n = 2 + (u32)below(seed, CLASSES - 1);
	snprintf(args, sizeof(args), "classes=%u borrow=%u class_limit=64", f->n, ordered);
	open_host(h, "cbq", args, 1024);
	h->vals[V_SHARE].len = h->vals[V_GROUP].len = (u8)f->n;
	for (u32 i = 0; i < f->n; i++) {
		u32 share = (1 + (u32)below(seed, 8)) * 7500;

		h->value[V_SHARE][i] = share;
		h->value[V_GROUP][i] = below(seed, 1 + f->n / 2);
		f->weight[i] = share;
		f->group[i] = ordered ? (u32)h->value[V_GROUP][i] : 0;
	}
	CHECK(!at_check(h->q->ops, h->vals, &bad));
	reopen_host(h, 1);
}

/* How far the class that is farthest behind the fluid gets, in longest packets. */
static double lag(bool ordered, bool saturated, u64 round)
{
	u64 seed = round, got[CLASSES] = { 0 };
	u32 left[CLASSES] = { 0 };
	double most = 0;
	struct fluid f;
	struct host h;

	open_fluid(&f, &h, ordered, &seed);
	for (u32 steps = 0; steps < 2000; steps++) {
		struct at_pkt *p;

		for (u64 n = saturated ? 0 : below(&seed, 4); n; n--) {
			u32 i = (u32)below(&seed, f.n), bytes = 40 + (u32)below(&seed, 1461);

			if (put_in(&h, (u8)i, bytes) == AT_OK)
				f.queued[i] += bytes;
		}
		for (u32 i = 0; saturated && i < f.n; i++)
			for (; left[i] < 3; left[i]++) {
				u32 bytes = 40 + (u32)below(&seed, 1461);

				put_in(&h, (u8)i, bytes);
				f.queued[i] += bytes;
			}
		p = get(&h, &ticket, h.now);
		if (!p)
			continue;
		got[p->cls] += p->bytes;
		left[p->cls]--;
		flow(&f, p->bytes);
		for (u32 i = 0; i < f.n; i++)
			most = fmax(most, (f.served[i] - (double)got[i]) / 1500);
	}
	close_host(&h);
	return most;
}

/* One packet for each level where classes always have some. Where they come and go those who
 * stay can be farther behind with what is not theirs, as of WF2Q+ itself. */
static void beside_the_fluid(void)
{
	for (u32 k = 0; k < 4; k++) {
		bool ordered = k & 1, saturated = k & 2;
		double most = 0;

		for (u64 round = 1; round <= 60; round++)
			most = fmax(most, lag(ordered, saturated, round));
		if (getenv("AT_VERBOSE"))
			fprintf(stderr, "cbq: %s levels, classes %s: %.2f packets behind the fluid at most\n",
				ordered ? "two" : "one", saturated ? "always have some" : "come and go", most);
		CHECK(most <= (saturated && !ordered ? 1.001 : 2));
	}
}

int main(void)
{
	CASE(saturated());
	CASE(borrowing());
	CASE(delay());
	CASE(beside_the_fluid());
	return 0;
}
