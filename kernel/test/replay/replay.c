/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Replays a trace and logs each decision: see replay.h. Knows nothing of any
 * discipline; an operation that a discipline lacks is passed over.
 */
#include "replay.h"

static void log_out(struct replay *r, struct trace_out out)
{
	out.op = r->op;
	replay_out(r, &out);
}

static void on_drop(struct at_qdisc *q, struct at_pkt *p, enum at_reason why)
{
	struct replay *r = q->host;

	log_out(r, (struct trace_out){ .kind = OUT_DROP, .what = (u8)why, .id = replay_id(p),
				       .ce = replay_ce(p) });
	r->inside--;
	replay_free(p);
}

static u32 number_of(const struct at_pkt *p)
{
	struct at_tcp t = { 0 };

	at_tcp(p, &t);
	return t.ack;
}

static struct at_pkt *on_ack(struct at_qdisc *q, const struct at_pkt *p, u32 number)
{
	struct replay *r = q->host;
	struct at_pkt *made = replay_ack(p, number);
	struct trace_out out = { .kind = OUT_MADE, .id = replay_id(p), .value = made != NULL };

	if (made) {
		r->inside++;
		out.a = number_of(made);
		out.b = at_bytes(made);
		out.what = replay_right(made);
	}
	log_out(r, out);
	return made;
}

static bool on_merge(struct at_qdisc *q, struct at_pkt *data, const struct at_pkt *ack)
{
	bool done = replay_merge(data, ack);

	log_out(q->host, (struct trace_out){ .kind = OUT_MERGED, .what = replay_right(data), .id = replay_id(data),
					     .a = number_of(data), .b = replay_id(ack), .value = done });
	return done;
}

static bool values_good(struct replay *r, const struct at_ops *ops)
{
	u16 bad = 0;

	for (r->n_params = 0; ops->params[r->n_params].name; r->n_params++)
		if (r->n_params == REPLAY_PARAMS - 1)
			return false;
	if (!at_check(ops, r->vals, &bad))
		return true;
	log_out(r, (struct trace_out){ .kind = OUT_REFUSED, .a = bad });
	return false;
}

static bool set_value(struct replay *r, const struct trace_op *op)
{
	if (op->flow >= REPLAY_PARAMS || op->bytes >= REPLAY_LIST || op->sta > REPLAY_LIST)
		return false;
	r->value[op->flow][op->bytes] = op->arg;
	r->vals[op->flow] = (struct at_vals){ r->value[op->flow], (u8)op->sta };
	return true;
}

static bool open(struct replay *r, const struct trace_op *op)
{
	const struct at_ops *ops;
	u64 size;

	for (u32 i = 0; i <= op->flow; i++)
		if (!at_disciplines[i])
			return false;
	ops = at_disciplines[op->flow];
	if (r->q || !values_good(r, ops))
		return !r->q;
	size = ops->state_size(r->vals);
	r->q = replay_alloc(sizeof(*r->q) + size);
	if (!r->q)
		return false;
	r->q->ops = ops;
	r->q->drop = on_drop;
	r->q->ack = on_ack;
	r->q->merge = on_merge;
	r->q->host = r;
	ops->init(r->q, r->vals, op->arg, r->now);
	log_out(r, (struct trace_out){ .kind = OUT_OPENED, .value = size });
	return true;
}

static bool enqueue(struct replay *r, const struct trace_op *op)
{
	struct at_pkt *p = op->flags >> PKT_SOURCE < REPLAY_SOURCES ? replay_make(op, ++r->made) : NULL;
	struct at_key k = { 0 };
	enum at_verdict verdict;
	bool is_ip;

	if (!p)
		return false;
	r->inside++;
	is_ip = at_key(p, &k);
	log_out(r, (struct trace_out){ .kind = OUT_KEY, .what = is_ip, .id = r->made, .a = k.proto,
				       .b = k.dscp, .c = (u32)k.sport << 16 | k.dport });
	verdict = r->q->ops->enqueue(r->q, p, r->now);
	log_out(r, (struct trace_out){ .kind = OUT_VERDICT, .what = (u8)verdict, .id = r->made,
				       .a = r->q->qlen, .value = r->q->bytes });
	return true;
}

/* p leaves; NULL: the queue gave none. */
static void given(struct replay *r, struct at_pkt *p, const struct at_ticket *t)
{
	struct trace_out out = { .kind = OUT_GIVEN, .a = t->flow, .b = t->gen, .c = t->est,
				 .value = r->q->qlen };

	if (p) {
		out.id = replay_id(p);
		out.ce = replay_ce(p);
	}
	log_out(r, out);
	if (p) {
		r->inside--;
		replay_free(p);
	}
}

static void dequeue(struct replay *r)
{
	struct at_ticket *t = &r->tickets[r->dequeues % REPLAY_TICKETS];
	struct at_pkt *p = r->q->ops->dequeue(r->q, t, r->now);

	given(r, p, t);
	if (p)
		r->dequeues++;
	else if (r->q->ops->wake)
		log_out(r, (struct trace_out){ .kind = OUT_WAKE,
					       .value = r->q->ops->wake(r->q, r->now) });
}

static void sent(struct replay *r, const struct trace_op *op)
{
	struct at_ticket t = r->tickets[(r->dequeues - 1 - op->flow) % REPLAY_TICKETS];
	struct at_tx tx = { .air = op->arg, .span = op->arg + op->flags,
			    .attempts = (u8)(1 + op->flow % 7), .acked = op->flow % 16 != 0 };

	if (op->bytes)
		t = (struct at_ticket){ .flow = op->flow * 2654435761u, .gen = op->flow, .est = op->flow };
	if (r->q->ops->sent)
		r->q->ops->sent(r->q, &t, &tx, r->now);
}

static void drain(struct replay *r, u32 n)
{
	const struct at_ticket none = { 0 };

	while (n--) {
		struct at_pkt *p = r->q->ops->drain(r->q);

		given(r, p, &none);
		if (!p)
			break;
	}
}

static void heard(struct replay *r, const struct trace_op *op)
{
	struct at_heard h = { .flow = op->flow, .sta = op->sta, .air = op->arg };

	if (r->q->ops->heard)
		r->q->ops->heard(r->q, &h, r->now);
}

static void link(struct replay *r, const struct trace_op *op)
{
	struct at_link l = { .sta = op->sta };

	if (op->arg) {
		l.here = true;
		l.nss = 1;
		l.rate_kbps = (u32)op->arg;
		l.ampdu_frames = 32;
		l.ampdu_ns = 4000000;
		l.free_ppm = op->bytes;
	}
	if (r->q->ops->link)
		r->q->ops->link(r->q, &l, r->now);
}

static bool gate(struct replay *r, const struct trace_op *op)
{
	if (op->sta >= REPLAY_STATIONS && op->sta != AT_GROUP && op->sta != AT_NO_STA)
		return false;
	r->q->ops->gate(r->q, op->sta, op->bytes, r->now);
	return true;
}

static void read_all(struct replay *r)
{
	const struct at_ops *ops = r->q->ops;
	u64 book[] = { r->q->in, r->q->out, r->q->made, r->q->qlen, r->q->bytes, r->inside,
			r->q->parked, r->q->closed };
	u64 v[REPLAY_COLS];
	u32 cursor = 0;
	bool found;

	for (u32 i = 0; i < sizeof(book) / sizeof(*book); i++)
		log_out(r, (struct trace_out){ .kind = OUT_BOOK, .a = i, .value = book[i] });
	for (u32 i = 0; i < AT_R_MAX; i++)
		log_out(r, (struct trace_out){ .kind = OUT_BOOK, .a = 16 + i,
					       .value = r->q->dropped[i] });
	if (ops->read)
		ops->read(r->q, v, r->now);
	for (u32 i = 0; ops->read && ops->stats[i].name; i++)
		log_out(r, (struct trace_out){ .kind = OUT_STAT, .a = i, .value = v[i] });
	while (ops->row && (cursor = ops->row(r->q, cursor, v, r->now, &found)))
		for (u32 i = 0; found && ops->row_stats[i].name; i++)
			log_out(r, (struct trace_out){ .kind = OUT_ROW, .a = cursor, .b = i,
						       .value = v[i] });
}

bool replay_step(struct replay *r, const struct trace_op *op)
{
	bool good = r->q || op->kind == OP_VALUE || op->kind == OP_OPEN;

	r->now += op->step;
	switch (good ? op->kind : OP_KINDS) {
	case OP_VALUE:
		good = set_value(r, op);
		break;
	case OP_OPEN:
		good = open(r, op);
		break;
	case OP_CHANGE:
		if (values_good(r, r->q->ops))
			while (r->q->ops->change(r->q, r->vals, r->now))
				;
		break;
	case OP_ENQUEUE:
		good = enqueue(r, op);
		break;
	case OP_DEQUEUE:
		dequeue(r);
		break;
	case OP_SENT:
		sent(r, op);
		break;
	case OP_HEARD:
		heard(r, op);
		break;
	case OP_LINK:
		link(r, op);
		break;
	case OP_GATE:
		good = gate(r, op);
		break;
	case OP_DRAIN:
		drain(r, op->bytes);
		break;
	case OP_TICK:
		if (r->q->ops->tick)
			r->q->ops->tick(r->q, r->now);
		break;
	case OP_RESET:
		r->q->ops->reset(r->q, r->now);
		break;
	case OP_READ:
		read_all(r);
		break;
	default:
		good = false;
	}
	r->op++;
	return good;
}

static void free_quietly(struct at_qdisc *q, struct at_pkt *p, enum at_reason why)
{
	struct replay *r = q->host;

	(void)why;
	r->inside--;
	replay_free(p);
}

void replay_end(struct replay *r)
{
	if (!r->q)
		return;
	r->q->drop = free_quietly;
	r->q->ops->reset(r->q, r->now);
	replay_release(r->q);
	r->q = NULL;
}
