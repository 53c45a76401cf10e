/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * wqm: how many turns one dequeue counts where everybody is in debt. Its source is compiled
 * in here, with a counter where a box goes behind the others; angle brackets find it beside
 * the headers, whose build this is.
 */
#include "harness.h"
#include "airtab/rounds.h"

static u64 turns;

static void counted(struct at_rounds *r, struct at_seats s, u32 i, u32 list)
{
	turns++;
	at_rounds_append(r, s, i, list);
}

#define at_rounds_append counted
#define at_wqm_ops counted_wqm_ops
#define at_wqm_below counted_wqm_below
#define at_wqm_free counted_wqm_free
#define at_wqm_time counted_wqm_time
#include <../src/wqm.c>

enum { STATIONS = 1000 };

/* Everybody owes a second, rounds are of 2 ms: 500 rounds, of which two are counted, and then who
 * goes is put behind. */
static void all_in_debt(void)
{
	struct host h;
	struct at_ticket t;
	u64 most = 0;

	open_host(&h, "wqm", "rate_source=1 least=100 stations=1000 classes=1", 4096);
	h.q->ops = &counted_wqm_ops;
	for (u16 sta = 0; sta < STATIONS; sta++) {
		h.q->ops->link(h.q, &(struct at_link){ .sta = sta, .here = true, .phy = 1, .nss = 1, .rate_kbps = 24,
						       .ampdu_frames = 1, .free_ppm = 1000000 }, 0);
		for (u32 i = 0; i < 2; i++) {
			struct at_pkt *p = new_pkt(&h, sta, 64000);

			p->sta = sta;
			CHECK_EQ(push(&h, p, 0), AT_OK);
		}
	}
	for (u32 i = 0; i < 2 * STATIONS; i++) {
		turns = 0;
		CHECK(get(&h, &t, 0));
		if (turns > most)
			most = turns;
	}
	CHECK(most >= STATIONS && most <= 2 * STATIONS + 1);
	close_host(&h);
}

int main(void)
{
	CASE(all_in_debt());
	return 0;
}
