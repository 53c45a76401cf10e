/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbq: class-based queueing. Each class has a queue and a share of the link; what a
 * class leaves unused the others borrow.
 *
 * Source: Floyd and Van Jacobson, Link-Sharing and Resource Management Models for Packet
 * Networks, 1995; Parris, Class-Based Thresholds, 2001, III.4.1, V.1.4, V.2.1.2 and B.7,
 * whose gold standard it is. The scheduler: WF2Q+ (wf2q_few.h), of which two levels are
 * H-WF2Q+ (Bennett and Zhang, Hierarchical Packet Fair Queueing Algorithms, 1997).
 *
 * Rules
 *  - Rules (classify.h) say of which class a packet is; packets of one class leave as
 *    they came.
 *  - Classes are served by WF2Q+ over bytes, by their shares. Shares that do not sum to
 *    100 % count beside each other.
 *  - borrow=all: one level. What a class leaves is all others', by their shares.
 *  - borrow=ordered: groups, by the sums of their classes' shares, and in each group its
 *    classes. What a class leaves is its group's first. The last class, which is what no
 *    rule took, is a group of its own by default.
 *  - inner=fifo: a class that has class_limit packets drops what arrives. red: RED (red.h)
 *    of its own, for which the link is the class's share of `rate`, at least 128 kb/s,
 *    and busy for the time of `packet` when one left.
 *    fq_codel: flows of a class take turns, each with CoDel (flowqueues.h); when the class
 *    is full the flow with most bytes makes room.
 *  - `limit` is of all classes together: with the others' packets it refuses as a full
 *    class does. For an urgent packet the oldest of the longest class makes room.
 *  - AT_URGENT packets go first within narrow bounds (urgent.h), nobody pays for them.
 *    What is more is of the class that the rules say, or the last.
 *  - Parked packets (gate.h) keep their place; a class that has no others is passed over.
 *
 * Cost: O(classes) a packet; a gate O(packets), a drain O(classes). Memory: 5 KB, 56 bytes
 * for each class and scheduler (one more than classes), the queues of flows.
 *
 * What this is not: no rates (the link is as fast as it is, and never idle while there
 * are packets), no priorities, no airtime; a change of shares or groups begins anew.
 *
 * Defaults: Parris's: TCP 72 %, multimedia 16 %, the rest 12 %; 60 packets each (of which
 * the source says nothing), borrow=all; RED as in red.c.
 */
#include "cbq_state.h"

#define ALL 1000000u		/* ppm */
#define RATE_MIN 128000u	/* bit/s of a class's RED: a packet is less than 2^32 ns */
#define DROPS 4096u		/* packets that a call of change() drops: less than a millisecond */
#define BATCH 64u		/* that a flow loses for one overflow, as in fq_codel.c */

enum {
	P_CLASSES, P_SHARE, P_CLASS_LIMIT, P_BORROW, P_GROUP, P_INNER, P_RULES, P_LIMIT, P_MIN, P_MAX,
	P_WEIGHT, P_MAX_P, P_RATE, P_PACKET, P_ECN, P_FLOWS, P_QUANTUM, P_TARGET, P_INTERVAL, P_IDLE, P_END
};

static const char *const cbq_borrows[] = { "all", "ordered", NULL };
static const char *const cbq_inners[] = { "fifo", "red", "fq_codel", NULL };

static const char *const cbq_idles[] = { "link", "queue", NULL };

static const struct at_param cbq_params[] = {
	[P_CLASSES] = {
		.id = 1, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "classes",
		.help = "classes; a higher class of a packet counts as the last",
		.source = "Parris III.4.1", .def = 3, .min = 1, .max = AT_CLASSES,
	},
	[P_SHARE] = {
		.id = 2, .unit = AT_PPM, .max_len = AT_CLASSES, .name = "share",
		.help = "of the link, of each class, or of every one; 0: 72 %, 16 %, 12 % of three classes, else all the same",
		.source = "Parris B.7", .def = 0, .min = 0, .max = ALL,
	},
	[P_CLASS_LIMIT] = {
		.id = 3, .unit = AT_COUNT, .max_len = AT_CLASSES, .name = "class_limit",
		.help = "packets of each class, or of every one", .source = "docs/cbq.md",
		.def = 60, .min = 1, .max = 65535,
	},
	[P_BORROW] = {
		.id = 4, .unit = AT_CHOICE, .max_len = 1, .name = "borrow",
		.help = "who gets what a class leaves: all others by their shares; ordered: its group first",
		.source = "Parris III.4.1, V.2.1.2", .def = 0, .min = 0, .max = 1, .choices = cbq_borrows,
	},
	[P_GROUP] = {
		.id = 5, .unit = AT_COUNT, .max_len = AT_CLASSES, .name = "group",
		.help = "of each class, for borrow=ordered; 0 alone: the last class is a group, and the others are one",
		.source = "Parris V.2.1.2", .def = 0, .min = 0, .max = AT_CLASSES - 1,
	},
	[P_INNER] = {
		.id = 6, .unit = AT_CHOICE, .flags = AT_P_INIT, .max_len = 1, .name = "inner",
		.help = "what a class does with its packets", .source = "docs/cbq.md",
		.def = 0, .min = 0, .max = 2, .choices = cbq_inners,
	},
	[P_RULES] = {
		.id = 7, .unit = AT_RULE, .max_len = AT_RULES, .name = "rules",
		.help = "of which class a packet is: the first rule that takes it; else the last class",
		.source = "Parris IV.2.1", .def = AT_RULE_DEFAULT, .max = AT_RULE_MAX,
	},
	[P_LIMIT] = {
		.id = 8, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all classes together", .source = "docs/cbq.md",
		.def = 1024, .min = 1, .max = 1u << 20,
	},
	[P_MIN] = {
		.id = 9, .unit = AT_Q16, .max_len = 1, .name = "min",
		.help = "inner=red: average queue of a class, in packets, up to which nothing is dropped",
		.source = "Parris T 5.1", .def = 5 << 16, .min = 0, .max = 65535u << 16,
	},
	[P_MAX] = {
		.id = 10, .unit = AT_Q16, .max_len = 1, .name = "max",
		.help = "inner=red: average queue of a class, in packets, above which all are dropped",
		.source = "Parris T 5.1", .def = 40 << 16, .min = 1 << 16, .max = 65535u << 16,
	},
	[P_WEIGHT] = {
		.id = 11, .unit = AT_WEIGHT, .max_len = 1, .name = "weight",
		.help = "inner=red: of an arrival in the average",
		.source = "Parris T 5.1", .def = AT_EWMA_ONE / 256, .min = AT_EWMA_ONE >> 16,
		.max = AT_EWMA_ONE,
	},
	[P_MAX_P] = {
		.id = 12, .unit = AT_PPM, .max_len = 1, .name = "max_p",
		.help = "inner=red: probability of a drop at max", .source = "Parris T 5.1",
		.def = 100000, .min = 1, .max = ALL,
	},
	[P_RATE] = {
		.id = 13, .unit = AT_BPS, .max_len = 1, .name = "rate",
		.help = "inner=red: of the link: how fast the average of an empty class falls",
		.source = "Parris F 3.7", .def = 10000000, .min = RATE_MIN, .max = 4000000000u,
	},
	[P_PACKET] = {
		.id = 14, .unit = AT_BYTES, .max_len = 1, .name = "packet",
		.help = "inner=red: usual size of a packet, for the same", .source = "Parris F 3.7",
		.def = 1000, .min = 1, .max = 65535,
	},
	[P_ECN] = {
		.id = 15, .unit = AT_BOOL, .max_len = 1, .name = "ecn",
		.help = "inner=red, fq_codel: mark instead of drop where the packet allows",
		.source = "RFC 3168 7", .def = 1, .min = 0, .max = 1,
	},
	[P_FLOWS] = {
		.id = 16, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "flows",
		.help = "inner=fq_codel: queues of a class that its flows are hashed to",
		.source = "RFC 8290 5.2.4", .def = 1024, .min = 1, .max = 4096,
	},
	[P_QUANTUM] = {
		.id = 17, .unit = AT_BYTES, .max_len = 1, .name = "quantum",
		.help = "inner=fq_codel: bytes that a queue sends in its turn",
		.source = "RFC 8290 5.2.3", .def = AT_CODEL_MTU, .min = 256, .max = 1u << 20,
	},
	[P_TARGET] = {
		.id = 18, .unit = AT_NS, .max_len = 1, .name = "target",
		.help = "inner=fq_codel: sojourn time that a queue should stay below",
		.source = "RFC 8289 4.4", .def = AT_CODEL_TARGET, .min = 1000, .max = 4000000000u,
	},
	[P_INTERVAL] = {
		.id = 19, .unit = AT_NS, .max_len = 1, .name = "interval",
		.help = "inner=fq_codel: how long it may be above: a usual round-trip time",
		.source = "RFC 8289 4.3", .def = AT_CODEL_INTERVAL, .min = 1000, .max = 4000000000u,
	},
	[P_IDLE] = {
		.id = 20, .unit = AT_CHOICE, .max_len = 1, .name = "idle",
		.help = "inner=red: start of a class's idle time: its link is free, or its last packet leaves the queue",
		.source = "Linux; Parris F 3.7", .def = 0, .min = 0, .max = 1, .choices = cbq_idles,
	},
	[P_END] = { 0 },
};

/* ---- operations ---- */

static bool cbq_over(const struct at_qdisc *q)
{
	const struct at_queues *f = &at_cbq_priv(q)->queues;

	return at_urgent_over(&f->urgent, q, f->limit, AT_NEVER);
}

/* One of class i goes for p, or after a change. */
static enum at_verdict cbq_drop_one(struct at_qdisc *q, u32 i, const struct at_pkt *p, enum at_verdict verdict,
				    u64 now)
{
	verdict = at_book_room(q, at_cbq_pop_victim(q, i, now), p, false, verdict);
	at_cbq_sync(q, i);
	return verdict;
}

/* The first of those with most packets. */
static u32 cbq_longest_class(const struct at_cbq *s)
{
	u32 best = 0;

	for (u32 i = 1; i < s->classes; i++)
		if (s->tins[i].qlen > s->tins[best].qlen)
			best = i;
	return best;
}

/* p is of class i; the scheduler is told. */
static __attribute__((__noinline__)) enum at_verdict cbq_arrives(struct at_qdisc *q, u32 i, struct at_pkt *p,
								 u64 now)
{
	enum at_verdict verdict = at_cbq_offer(q, i, p, now);

	at_cbq_sync(q, i);
	return verdict;
}

static __attribute__((__noinline__)) enum at_verdict cbq_arrives_urgent(struct at_qdisc *q, struct at_pkt *p,
									u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);

	if (!at_urgent_push(&s->queues.urgent, q, p, s->queues.limit, now))
		return cbq_arrives(q, at_classify(&s->rules, p, s->classes), p, now);
	at_cbq_came(q, p, now);
	return cbq_over(q) ? cbq_drop_one(q, cbq_longest_class(s), p, AT_OK, now) : AT_OK;
}

static enum at_verdict cbq_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);
	u32 i;

	if (at_class(p) == AT_URGENT)
		return cbq_arrives_urgent(q, p, now);
	i = at_classify(&s->rules, p, s->classes);
	/* who comes last in a line changes nothing of what is before him */
	return at_cbq_may_go(s, i) && !at_cbq_has_flows(s) ? at_cbq_offer(q, i, p, now) : cbq_arrives(q, i, p, now);
}

static struct at_pkt *cbq_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);
	struct at_pkt *p = at_urgent_take(&s->queues.urgent, q);

	*t = (struct at_ticket){ 0 };
	at_codel_begin(&s->queues.total);
	if (!p)
		return at_cbq_next(q, now);
	s->queues.urgent.sent++;
	at_book_out(q, p);
	return p;
}

static struct at_pkt *cbq_drain(struct at_qdisc *q)
{
	struct at_cbq *s = at_cbq_priv(q);
	struct at_pkt *p = at_urgent_oldest(&s->queues.urgent);
	u32 i = at_cbq_oldest(q, &p);

	if (i < s->classes) {
		p = at_cbq_pop_oldest(q, i);
		at_cbq_sync(q, i);
	} else if (p) {
		at_urgent_pop(&s->queues.urgent, q);
	}
	if (p)
		at_book_out(q, p);
	return p;
}

static void cbq_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);

	(void)now;
	if (!at_gate_turn(q, sta, open))
		return;
	at_urgent_turned(&s->queues.urgent, q, sta, open);
	for (u32 i = 0; i < s->classes; i++) {
		at_cbq_turned(q, i, sta, open);
		at_cbq_sync(q, i);
	}
}

/* ---- set-up ---- */

static bool cbq_each(const struct at_vals *v, u64 classes)
{
	return v->len == 1 || v->len == classes;
}

static u64 cbq_value(const struct at_vals *v, u32 i)
{
	return v->v[v->len == 1 ? 0 : i];
}

static u32 cbq_share(const struct at_vals *v, u32 i)
{
	static const u32 study[] = { 720000, 160000, 120000 };
	const struct at_vals *share = &v[P_SHARE];
	u32 classes = (u32)*v[P_CLASSES].v;

	if (share->len > 1 || *share->v)
		return (u32)cbq_value(share, i);
	return classes == sizeof(study) / sizeof(*study) ? study[i] : ALL / classes;
}

static u8 cbq_group(const struct at_vals *v, u32 i)
{
	const struct at_vals *group = &v[P_GROUP];

	if (!*v[P_BORROW].v)
		return 0;
	if (group->len > 1 || *group->v)
		return (u8)cbq_value(group, i);
	return i && i == *v[P_CLASSES].v - 1;
}

static const char *cbq_check(const struct at_vals *v, u16 *bad)
{
	static const u16 lists[] = { P_SHARE, P_CLASS_LIMIT, P_GROUP };
	u32 classes = (u32)*v[P_CLASSES].v;
	u64 sum = 0;

	for (u32 k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		*bad = lists[k];
		if (!cbq_each(&v[lists[k]], classes))
			return "give one value, or one for each class";
	}
	for (u32 k = 0; k < v[P_GROUP].len; k++)
		if (v[P_GROUP].v[k] >= classes)
			return "no such group: there are as many as classes, and they count from 0";
	*bad = P_SHARE;
	for (u32 i = 0; i < classes; i++) {
		if (cbq_share(v, i) < AT_CBQ_SHARE_MIN)
			return "a class of less than 0.0016 % is never served: give each a share";
		sum += cbq_share(v, i);
	}
	if (sum > ALL)
		return "shares are above 100 % in sum: give less to a class";
	*bad = P_MIN;
	if (*v[P_MIN].v > *v[P_MAX].v)
		return "must not be more than max";
	*bad = P_RULES;
	return at_rules_beyond(&v[P_RULES], classes) ?
		"names a class that is not among classes, which count from 0" : NULL;
}

/* The state is struct at_cbq, then a scheduler of all groups and one for each, then the
 * queues of flows. */
static u64 cbq_scheduler_bytes(u64 classes)
{
	return at_lines(at_few_bytes(classes));
}

static u64 cbq_state_size(const struct at_vals *v)
{
	u64 classes = *v[P_CLASSES].v, flows = *v[P_INNER].v == AT_CBQ_FQ_CODEL ? *v[P_FLOWS].v : 0;

	return at_lines(sizeof(struct at_cbq)) + (classes + 1) * cbq_scheduler_bytes(classes) +
	       at_queues_bytes(classes * flows) + AT_LINE;
}

/* Whether the schedulers have other shares or groups now. */
static bool cbq_set_shares(struct at_cbq *s, const struct at_vals *v)
{
	bool other = false;

	for (u32 i = 0; i < s->classes; i++) {
		struct at_cbq_class *c = &s->at[i];
		u32 share = cbq_share(v, i);
		u8 group = cbq_group(v, i);

		other |= c->share != share || c->group != group;
		c->share = share;
		c->group = group;
	}
	return other;
}

static void cbq_set_inner(struct at_cbq *s, const struct at_vals *v)
{
	for (u32 i = 0; i < s->classes; i++) {
		u64 rate = at_div(*v[P_RATE].v * s->at[i].share, ALL);

		s->at[i].limit = cbq_value(&v[P_CLASS_LIMIT], i);
		s->at[i].params = at_red_params_of(*v[P_MIN].v, *v[P_MAX].v, *v[P_MAX_P].v, *v[P_WEIGHT].v,
						   *v[P_PACKET].v, rate > RATE_MIN ? rate : RATE_MIN);
		s->at[i].params.from_link = !*v[P_IDLE].v;
	}
	s->ecn = *v[P_ECN].v;
	s->queues.limit = *v[P_LIMIT].v;
	s->queues.memory = AT_NEVER;
	s->queues.batch = BATCH;
	s->queues.quantum = (u32)*v[P_QUANTUM].v;
	s->queues.codel = (struct at_codel_params){
		.target = (u32)*v[P_TARGET].v,
		.interval = (u32)*v[P_INTERVAL].v,
		.mtu = AT_CODEL_MTU,
		.ecn = s->ecn,
	};
}

static bool cbq_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);
	u32 left = DROPS;

	at_rules_set(&s->rules, &v[P_RULES]);
	if (cbq_set_shares(s, v))
		at_cbq_begin(q);
	cbq_set_inner(s, v);
	for (u32 i = 0; i < s->classes; i++)
		for (; s->tins[i].qlen > s->at[i].limit && left; left--)
			cbq_drop_one(q, i, NULL, AT_OK, now);
	for (; cbq_over(q) && left; left--)
		cbq_drop_one(q, cbq_longest_class(s), NULL, AT_OK, now);
	at_urgent_shrink(&s->queues.urgent, q, s->queues.limit);
	return !left;
}

static void cbq_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct at_cbq *s = at_cbq_priv(q);
	u8 *memory = at_first_line(q) + at_lines(sizeof(struct at_cbq));

	s->classes = (u32)*v[P_CLASSES].v;
	s->inner = (u8)*v[P_INNER].v;
	s->flows = s->inner == AT_CBQ_FQ_CODEL ? (u32)*v[P_FLOWS].v : 0;
	s->random = seed;
	s->hash = at_hash_multiplier(seed);
	at_few_init(&s->among, memory, s->classes);
	for (u32 i = 0; i < s->classes; i++) {
		memory += cbq_scheduler_bytes(s->classes);
		at_few_init(&s->within[i], memory, s->classes);
		at_red_begin(&s->at[i].red, now);
	}
	at_queues_init(&s->queues, memory + cbq_scheduler_bytes(s->classes), s->classes * s->flows, s->tins);
	cbq_change(q, v, now);
}

static void cbq_reset(struct at_qdisc *q, u64 now)
{
	struct at_pkt *p;

	while ((p = at_urgent_pop(&at_cbq_priv(q)->queues.urgent, q)))
		at_book_drop(q, p, AT_R_RESET);
	at_cbq_clear(q, now);
	at_cbq_begin(q);
}

const struct at_ops at_cbq_ops = {
	.name = "cbq",
	.about = "classes with shares of the link, served by WF2Q+ of bytes, that borrow from each other",
	.params = cbq_params,
	.stats = at_cbq_stats,
	.row_stats = at_cbq_row_stats,
	.check = cbq_check,
	.state_size = cbq_state_size,
	.init = cbq_init,
	.change = cbq_change,
	.reset = cbq_reset,
	.enqueue = cbq_enqueue,
	.dequeue = cbq_dequeue,
	.drain = cbq_drain,
	.gate = cbq_gate,
	.read = at_cbq_read,
	.row = at_cbq_row,
};
