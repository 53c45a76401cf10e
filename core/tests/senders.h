/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * A closed loop in virtual time: senders that slow down on loss, a game, and a
 * discipline that may send a packet a ms.
 */
#ifndef AIRTAB_TEST_SENDERS_H
#define AIRTAB_TEST_SENDERS_H

#include "harness.h"

enum { SENDERS = 8, PATH = 50, END = 60000, FROM = 10000, GAME = 99 };

/* A window of packets: one more a round trip, half after a loss, at most once
 * a round trip; PATH ms from the queue and back. */
struct sender {
	u32 acks[END + PATH + 1], losses[END + PATH + 1];	/* by ms */
	u32 flight, quiet;
	double window;
};

struct loop {
	struct host h;			/* first: its drop() finds the senders */
	struct sender sender[SENDERS];
	u32 ms;
	/* results, from FROM to END */
	u32 median;			/* sojourn of the senders' packets, ms */
	double used;			/* share of the ms in which one was sent */
	u32 game_worst, game_lost;	/* ms; packets */
};

static inline void loop_drop(struct at_qdisc *q, struct at_pkt *p, enum at_reason why)
{
	struct loop *l = q->host;

	if (p->flow < SENDERS)
		l->sender[p->flow].losses[l->ms + PATH]++;
	else
		l->game_lost++;
	on_drop(q, p, why);
}

static inline void loop_send(struct loop *l, u32 flow, u32 bytes)
{
	struct at_pkt *p = new_pkt(&l->h, flow, bytes);

	p->handle = l->ms;
	push(&l->h, p, l->ms * MS);
}

static inline void sender_acts(struct loop *l, u32 i)
{
	struct sender *s = &l->sender[i];
	u32 ms = l->ms;

	s->flight -= s->acks[ms] + s->losses[ms];
	s->window += s->window > 0 ? s->acks[ms] / s->window : 2;
	if (s->losses[ms] && ms >= s->quiet) {
		s->window = s->window > 4 ? s->window / 2 : 2;
		s->quiet = ms + PATH;
	}
	for (; s->flight + 1 <= s->window; s->flight++)
		loop_send(l, i, 1500);
}

/* Runs `n` senders through a discipline; the results are in *l. */
static inline void run_loop(struct loop *l, const char *name, const char *args, u32 n)
{
	static u32 hist[END];
	u32 sent = 0, seen = 0;

	memset(l, 0, sizeof(*l));
	memset(hist, 0, sizeof(hist));
	open_host(&l->h, name, args, 20000);
	l->h.q->drop = loop_drop;
	for (; l->ms < END; l->ms++) {
		struct at_ticket t;
		struct at_pkt *p;

		for (u32 i = 0; i < n; i++)
			sender_acts(l, i);
		if (l->ms % 40 == 20)
			loop_send(l, GAME, 200);
		p = get(&l->h, &t, l->ms * MS);
		if (!p)
			continue;
		report(&l->h, &t, MS, l->ms * MS);
		if (p->flow < SENDERS)
			l->sender[p->flow].acks[l->ms + PATH]++;
		if (l->ms < FROM)
			continue;
		sent++;
		if (p->flow < SENDERS)
			hist[l->ms - p->handle]++;
		else if (l->ms - p->handle > l->game_worst)
			l->game_worst = l->ms - p->handle;
	}
	while (seen + hist[l->median] < sent / 2)
		seen += hist[l->median++];
	l->used = (double)sent / (END - FROM);
	close_host(&l->h);
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "%s %s: %u senders, median %u ms, use %.3f, game at most %u ms, %u lost\n",
			name, args, n, l->median, l->used, l->game_worst, l->game_lost);
}

#endif
