/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * spq: strict priority queueing over classes: the host's, or those of `rules`
 * (classify.h).
 *
 * Source: the hand-configured baseline of the CHAP studies (dissertation,
 * chapter 6). Class 0 goes first; a class is served only when all before it
 * are empty. All classes share one limit; when it is exceeded the youngest
 * packet of the last non-empty class makes room (the sources do not state the
 * rule; with plain tail drop their video figures cannot be had).
 * AT_URGENT packets go before all classes within narrow bounds (urgent.h) and are
 * never victims; what is more counts as the last class.
 *
 * What this is not: no preemption, no bandwidth shares.
 *
 * Defaults: 2 classes, 1000 packets.
 */
#include "airtab/classify.h"
#include "airtab/urgent.h"

enum { P_CLASSES, P_LIMIT, P_RULES, P_END };
enum { S_URGENT, S_URGENT_OVER, S_URGENT_AIR, S_END };
enum { R_CLASS, R_BACKLOG, R_END };

struct spq {
	u64 limit, seq;
	u32 classes;
	struct at_urgent urgent;
	struct at_rules rules;
	u32 backlog[AT_CLASSES];		/* packets */
	struct at_line line[AT_CLASSES];
};

static const struct at_param spq_params[] = {
	[P_CLASSES] = {
		.id = 1, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "classes",
		.help = "strict classes; a higher class of a packet counts as the last",
		.source = "CHAP dissertation 6.8", .def = 2, .min = 1, .max = AT_CLASSES,
	},
	[P_LIMIT] = {
		.id = 2, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all classes together", .source = "Linux txqueuelen",
		.def = 1000, .min = 1, .max = 1u << 20,
	},
	[P_RULES] = {
		.id = 3, .unit = AT_RULE, .max_len = AT_RULES, .name = "rules",
		.help = "of which class a packet is: the first rule that takes it; else the last class",
		.source = "Parris IV.2.1", .def = AT_RULE_DEFAULT, .max = AT_RULE_MAX,
	},
	[P_END] = { 0 },
};

static const struct at_stat spq_stats[] = {
	[S_URGENT] = { .id = 1, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 2, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: the last class" },
	[S_URGENT_AIR] = { .id = 3, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets, nominal" },
	[S_END] = { 0 },
};

static const struct at_stat spq_row_stats[] = {
	[R_CLASS] = { .id = 1, .unit = AT_COUNT, .name = "class", .help = "class, 255 = urgent" },
	[R_BACKLOG] = { .id = 2, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_END] = { 0 },
};

static struct spq *spq_priv(const struct at_qdisc *q)
{
	return (struct spq *)q->state;
}

/* The packet before p in its list, behind the sequence number. */
static void spq_set_prev(struct at_pkt *p, struct at_pkt *prev)
{
	memcpy((u8 *)at_priv(p) + sizeof(u64), &prev, sizeof(prev));
}

static struct at_pkt *spq_prev_of(struct at_pkt *p)
{
	struct at_pkt *prev;

	memcpy(&prev, (u8 *)at_priv(p) + sizeof(u64), sizeof(prev));
	return prev;
}

/* A packet went; the one behind it has another in front, or none. */
static void spq_relink(struct spq *s, u32 class, struct at_pkt *before)
{
	struct at_pkt *next = before ? *at_next(before) : s->line[class].fifo.head;

	if (next)
		spq_set_prev(next, before);
	s->backlog[class]--;
}

/* Takes the oldest packet of a class that has one. */
static struct at_pkt *spq_pop(struct spq *s, u32 class)
{
	struct at_pkt *p = at_line_pop(&s->line[class]);

	spq_relink(s, class, NULL);
	return p;
}

/* Takes the oldest packet of a class that may go, or NULL. */
static struct at_pkt *spq_take(const struct at_qdisc *q, u32 class)
{
	struct spq *s = spq_priv(q);
	struct at_line *line = &s->line[class];
	struct at_pkt *p = at_line_first(q, line);

	if (p) {
		at_line_take(line);
		spq_relink(s, class, line->passed);
	}
	return p;
}

/* Takes the youngest packet of the last non-empty class; there is one. */
static struct at_pkt *spq_pop_victim(struct spq *s)
{
	u32 class = s->classes - 1;
	struct at_line *line;
	struct at_pkt *p, *prev;

	while (!s->backlog[class])
		class--;
	line = &s->line[class];
	p = line->fifo.tail;
	prev = spq_prev_of(p);
	if (line->passed == p)
		line->passed = prev;
	at_fifo_take(&line->fifo, prev);
	s->backlog[class]--;
	return p;
}

static bool spq_over(const struct at_qdisc *q)
{
	const struct spq *s = spq_priv(q);

	return at_urgent_over(&s->urgent, q, s->limit, AT_NEVER);
}

/* `p` arrived last, or NULL after a change. */
static enum at_verdict spq_make_room(struct at_qdisc *q, const struct at_pkt *p)
{
	enum at_verdict verdict = AT_OK;

	while (spq_over(q))
		verdict = at_book_room(q, spq_pop_victim(spq_priv(q)), p, false, verdict);
	return verdict;
}

static const char *spq_check(const struct at_vals *v, u16 *bad)
{
	if (!at_rules_beyond(&v[P_RULES], (u32)*v[P_CLASSES].v))
		return NULL;
	*bad = P_RULES;
	return "names a class that is not among classes, which count from 0";
}

static u64 spq_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct spq);
}

static bool spq_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct spq *s = spq_priv(q);

	(void)now;
	s->limit = *v[P_LIMIT].v;
	at_rules_set(&s->rules, &v[P_RULES]);
	spq_make_room(q, NULL);
	at_urgent_shrink(&s->urgent, q, s->limit);
	return false;
}

static void spq_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	spq_priv(q)->classes = (u32)*v[P_CLASSES].v;
	spq_change(q, v, now);
}

static void spq_reset(struct at_qdisc *q, u64 now)
{
	struct spq *s = spq_priv(q);
	struct at_pkt *p;

	(void)now;
	while ((p = at_urgent_pop(&s->urgent, q)))
		at_book_drop(q, p, AT_R_RESET);
	while (q->qlen)
		at_book_drop(q, spq_pop_victim(s), AT_R_RESET);
}

static enum at_verdict spq_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct spq *s = spq_priv(q);

	if (!at_urgent_push(&s->urgent, q, p, s->limit, now)) {
		u32 class = at_classify(&s->rules, p, s->classes);

		spq_set_prev(p, s->line[class].fifo.tail);
		at_fifo_push(&s->line[class].fifo, p);
		s->backlog[class]++;
	}
	at_seq_set(p, s->seq++);
	at_book_in(q, p);
	return spq_over(q) ? spq_make_room(q, p) : AT_OK;
}

static struct at_pkt *spq_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct spq *s = spq_priv(q);
	struct at_pkt *p = at_urgent_take(&s->urgent, q);

	(void)now;
	*t = (struct at_ticket){ 0 };
	s->urgent.sent += !!p;
	for (u32 class = 0; !p && class < s->classes; class++)
		p = spq_take(q, class);
	if (p)
		at_book_out(q, p);
	return p;
}

static struct at_pkt *spq_drain(struct at_qdisc *q)
{
	struct spq *s = spq_priv(q);
	struct at_pkt *p = at_urgent_oldest(&s->urgent);
	u32 oldest = s->classes;

	for (u32 class = 0; class < s->classes; class++) {
		struct at_pkt *head = s->line[class].fifo.head;

		if (head && (!p || at_seq(head) < at_seq(p))) {
			p = head;
			oldest = class;
		}
	}
	if (p)
		at_book_out(q, oldest < s->classes ? spq_pop(s, oldest) : at_urgent_pop(&s->urgent, q));
	return p;
}

static void spq_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct spq *s = spq_priv(q);

	(void)now;
	if (!at_gate_turn(q, sta, open))
		return;
	at_urgent_turned(&s->urgent, q, sta, open);
	for (u32 class = 0; class < s->classes; class++)
		at_line_turned(q, &s->line[class], sta, open);
}

static void spq_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct spq *s = spq_priv(q);

	(void)now;
	v[S_URGENT] = s->urgent.sent;
	v[S_URGENT_OVER] = s->urgent.over;
	v[S_URGENT_AIR] = s->urgent.air;
}

/* Place 0 is the urgent packets', then come the classes. */
static u32 spq_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct spq *s = spq_priv(q);

	(void)now;
	*found = cursor <= s->classes;
	if (!*found)
		return 0;
	cols[R_CLASS] = cursor ? cursor - 1 : AT_URGENT;
	cols[R_BACKLOG] = cursor ? s->backlog[cursor - 1] : s->urgent.len;
	return cursor + 1;
}

const struct at_ops at_spq_ops = {
	.name = "spq",
	.about = "strict priority over classes, with push-out",
	.params = spq_params,
	.stats = spq_stats,
	.row_stats = spq_row_stats,
	.check = spq_check,
	.state_size = spq_state_size,
	.init = spq_init,
	.change = spq_change,
	.reset = spq_reset,
	.enqueue = spq_enqueue,
	.dequeue = spq_dequeue,
	.drain = spq_drain,
	.gate = spq_gate,
	.read = spq_read,
	.row = spq_row,
};
