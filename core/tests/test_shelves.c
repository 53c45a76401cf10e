/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/shelves.h against a list that is searched: 200,000 random additions, removals,
 * halvings and looks, at three scales. The debt of the first member is at most an eighth above
 * the minimum, and members of one shelf are in order of arrival.
 */
#include "airtab/shelves.h"
#include "harness.h"

#define MEMBERS 60u

struct entry {
	bool in;
	double debt;
};

static struct at_shelves shelves;
static u32 prev[MEMBERS + 1], next[MEMBERS + 1];
static u8 place[MEMBERS + 1];
static const struct at_shelf_links links = { prev, next, place };
static struct entry entries[MEMBERS + 1];

/* Debts below the lowest shelf count as one. */
static double counted(double debt, double least)
{
	return debt > least ? debt : least;
}

static double end(bool most, double least)
{
	double found = most ? 0 : 1e30;

	for (u32 i = 1; i <= MEMBERS; i++)
		if (entries[i].in && (counted(entries[i].debt, least) > found) == most)
			found = counted(entries[i].debt, least);
	return found;
}

static void agrees(double least)
{
	double low = end(false, least), high = end(true, least);
	u32 id;

	if (!shelves.used) {
		for (u32 i = 1; i <= MEMBERS; i++)
			CHECK(!entries[i].in);
		return;
	}
	id = at_shelves_least(&shelves);
	CHECK(entries[id].in);
	CHECK(counted(entries[id].debt, least) <= low * 1.126 + 16);
	id = at_shelves_most(&shelves, &links);
	CHECK(entries[id].in);
	CHECK(counted(entries[id].debt, least) * 1.126 + 16 >= high);
}

static void against_a_list(u64 greatest, u64 seed)
{
	u32 lowest = at_shelf_lowest(greatest);
	double least = (double)greatest / 200;

	memset(&shelves, 0, sizeof(shelves));
	memset(entries, 0, sizeof(entries));
	for (u32 step = 0; step < 200000; step++) {
		u32 id = 1 + (u32)below(&seed, MEMBERS), draw = (u32)below(&seed, 16);

		if (draw == 0) {
			at_shelves_halve(&shelves, &links);
			for (u32 i = 1; i <= MEMBERS; i++)
				entries[i].debt /= 2;
		} else if (entries[id].in) {
			at_shelves_del(&shelves, &links, id);
			entries[id].in = false;
		} else {
			u64 debt = below(&seed, greatest + 1) >> below(&seed, 10);

			at_shelves_add(&shelves, &links, id, at_shelf_place(&shelves, lowest, debt));
			entries[id] = (struct entry){ true, (double)debt };
		}
		agrees(least);
	}
}

/* The first to arrive on a shelf is first; after a halving members of a lower shelf precede. */
static void in_order_of_arrival(void)
{
	u32 lowest = at_shelf_lowest(1 << 20);

	memset(&shelves, 0, sizeof(shelves));
	at_shelves_add(&shelves, &links, 1, at_shelf_place(&shelves, lowest, 1 << 13));
	at_shelves_add(&shelves, &links, 2, at_shelf_place(&shelves, lowest, (1 << 13) + 5));
	at_shelves_add(&shelves, &links, 3, at_shelf_place(&shelves, lowest, 0));
	CHECK_EQ(at_shelves_least(&shelves), 3);
	CHECK_EQ(at_shelves_most(&shelves, &links), 2);
	for (u32 i = 0; i < 8; i++)
		at_shelves_halve(&shelves, &links);
	for (u32 id = 3; id; id = id == 3 ? 1 : id == 1 ? 2 : 0) {
		CHECK_EQ(at_shelves_least(&shelves), id);
		at_shelves_del(&shelves, &links, id);
	}
	CHECK(!shelves.used);
}

/* An octave has eight steps, and half of a debt is eight steps lower. */
static void the_scale(void)
{
	CHECK_EQ(at_shelf_step(1 << 20), 160);
	CHECK_EQ(at_shelf_step((1 << 20) + (1 << 17)), 161);
	CHECK_EQ(at_shelf_step((2 << 20) - 1), 167);
	for (u64 d = 1000; d < 1ull << 40; d += d / 7)
		CHECK_EQ(at_shelf_step(d >> 1) + 8, at_shelf_step(d));
}

int main(void)
{
	for (u64 seed = 1; seed <= 3; seed++) {
		CASE(against_a_list(300000000, seed));
		CASE(against_a_list(120000, seed));
		CASE(against_a_list(120000000000ull, seed));
	}
	CASE(in_order_of_arrival());
	CASE(the_scale());
	return 0;
}
