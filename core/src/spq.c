/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * spq: strict priority queueing over the host's classes.
 *
 * Source: the hand-configured baseline of the CHAP studies (dissertation,
 * chapter 6). Class 0 goes first; a class is served only when all before it
 * are empty. All classes share one limit; when it is exceeded the youngest
 * packet of the last non-empty class makes room (the sources do not state the
 * rule; with plain tail drop their video figures cannot be had).
 * AT_URGENT goes before all classes and is a victim only of itself.
 *
 * What this is not: no preemption, no bandwidth shares, no classification.
 *
 * Defaults: 2 classes, 1000 packets.
 */
#include "airtab/fifo.h"

#define MAX_CLASSES 16

enum { P_CLASSES, P_LIMIT };

struct spq {
	u64 limit, seq;
	u32 levels;				/* urgent, then the classes */
	u32 backlog[MAX_CLASSES + 1];		/* packets */
	struct at_fifo list[MAX_CLASSES + 1];	/* 0 = urgent */
};

static const struct at_param params[] = {
	{ 1, AT_COUNT, AT_P_INIT, 1, "classes", "strict classes; a higher class of a packet counts as the last",
	  "CHAP dissertation 6.8", 2, 1, MAX_CLASSES, NULL },
	{ 2, AT_COUNT, 0, 1, "limit", "packets of all classes together", "Linux txqueuelen",
	  1000, 1, 1u << 20, NULL },
	{ 0 },
};

static const struct at_stat none[] = { { 0 } };
static const struct at_stat row_stats[] = {
	{ 1, AT_COUNT, false, "class", "class, 255 = urgent" },
	{ 2, AT_COUNT, false, "backlog", "packets queued" },
	{ 0 },
};

static struct spq *priv(struct at_qdisc *q)
{
	return (struct spq *)q->state;
}

/* The packet before p in its list, behind the sequence number. */
static void set_prev(struct at_pkt *p, struct at_pkt *prev)
{
	memcpy((u8 *)at_priv(p) + sizeof(u64), &prev, sizeof(prev));
}

static struct at_pkt *prev_of(struct at_pkt *p)
{
	struct at_pkt *prev;

	memcpy(&prev, (u8 *)at_priv(p) + sizeof(u64), sizeof(prev));
	return prev;
}

static u32 level_of(const struct spq *s, const struct at_pkt *p)
{
	u8 class = at_class(p);

	if (class == AT_URGENT)
		return 0;
	return class < s->levels - 1 ? class + 1u : s->levels - 1;
}

static struct at_pkt *pop(struct at_qdisc *q, u32 level)
{
	struct spq *s = priv(q);
	struct at_pkt *p = at_fifo_pop(&s->list[level]);

	s->backlog[level]--;
	if (s->list[level].head)
		set_prev(s->list[level].head, NULL);
	at_book_out(q, p);
	return p;
}

/* Takes the youngest packet of the last non-empty level; the queue is not empty. */
static struct at_pkt *pop_victim(struct spq *s)
{
	u32 level = s->levels - 1;
	struct at_fifo *list;
	struct at_pkt *p;

	while (!s->backlog[level])
		level--;
	list = &s->list[level];
	p = list->tail;
	list->tail = prev_of(p);
	if (list->tail)
		*at_next(list->tail) = NULL;
	else
		list->head = NULL;
	s->backlog[level]--;
	return p;
}

static u64 state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct spq);
}

static void change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct spq *s = priv(q);

	(void)now;
	s->limit = *v[P_LIMIT].v;
	while (q->qlen > s->limit)
		at_book_drop(q, pop_victim(s), AT_R_LIMIT);
}

static void init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	priv(q)->levels = (u32)*v[P_CLASSES].v + 1;
	change(q, v, now);
}

static void reset(struct at_qdisc *q, u64 now)
{
	(void)now;
	while (q->qlen)
		at_book_drop(q, pop_victim(priv(q)), AT_R_RESET);
}

static enum at_verdict enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct spq *s = priv(q);
	u32 level = level_of(s, p);
	struct at_pkt *victim;
	bool same;

	(void)now;
	at_seq_set(p, s->seq++);
	set_prev(p, s->list[level].tail);
	at_fifo_push(&s->list[level], p);
	s->backlog[level]++;
	at_book_in(q, p);
	if (q->qlen <= s->limit)
		return AT_OK;
	victim = pop_victim(s);
	if (victim == p) {
		at_book_drop(q, p, AT_R_LIMIT);
		return AT_DROPPED;
	}
	same = at_flow(victim) == at_flow(p);
	at_book_drop(q, victim, AT_R_PUSHOUT);
	return same ? AT_CN : AT_OK;
}

static struct at_pkt *dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	const struct spq *s = priv(q);

	(void)now;
	memset(t, 0, sizeof(*t));
	for (u32 level = 0; level < s->levels; level++)
		if (s->backlog[level])
			return pop(q, level);
	return NULL;
}

static struct at_pkt *drain(struct at_qdisc *q)
{
	const struct spq *s = priv(q);
	u32 oldest = s->levels;

	for (u32 level = 0; level < s->levels; level++) {
		if (!s->backlog[level])
			continue;
		if (oldest == s->levels ||
		    at_seq(s->list[level].head) < at_seq(s->list[oldest].head))
			oldest = level;
	}
	return oldest < s->levels ? pop(q, oldest) : NULL;
}

static u32 row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now)
{
	const struct spq *s = (const struct spq *)q->state;

	(void)now;
	if (cursor >= s->levels)
		return 0;
	cols[0] = cursor ? cursor - 1 : AT_URGENT;
	cols[1] = s->backlog[cursor];
	return cursor + 1;
}

const struct at_ops at_spq_ops = {
	.name = "spq",
	.about = "strict priority over the host's classes, with push-out",
	.params = params,
	.stats = none,
	.row_stats = row_stats,
	.state_size = state_size,
	.init = init,
	.change = change,
	.reset = reset,
	.enqueue = enqueue,
	.dequeue = dequeue,
	.drain = drain,
	.row = row,
};
