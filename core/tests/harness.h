/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What every test needs: CHECK, a host for one discipline that knows where
 * each packet is, and a small random generator.
 */
#ifndef AIRTAB_TEST_HARNESS_H
#define AIRTAB_TEST_HARNESS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "airtab/qdisc.h"

#define CHECK(cond)                                                            \
	do {                                                                   \
		if (!(cond)) {                                                 \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
			abort();                                               \
		}                                                              \
	} while (0)

#define CHECK_EQ(a, b)                                                         \
	do {                                                                   \
		long long a_ = (long long)(a), b_ = (long long)(b);            \
		if (a_ != b_) {                                                \
			fprintf(stderr, "%s:%d: %s = %lld, not %s = %lld\n",   \
				__FILE__, __LINE__, #a, a_, #b, b_);           \
			abort();                                               \
		}                                                              \
	} while (0)

/*
 * A case of a test file. In the program of all tests, at_case() counts it once,
 * however often it runs, and skips it if another case was named; `call` is its
 * text.
 */
#ifdef AT_ALL_TESTS
bool at_case(const char *call, bool *seen);
#else
static inline bool at_case(const char *call, bool *seen)
{
	(void)call;
	(void)seen;
	return true;
}
#endif

#define CASE(...)                                                              \
	do {                                                                   \
		static bool seen;                                              \
		if (at_case(#__VA_ARGS__, &seen))                              \
			__VA_ARGS__;                                           \
	} while (0)

/* Arguments of chap with which each flow has an equal share. */
#define FLAT "share=2 uplink=0 target=5000000 "
/* Arguments of chap with which each station has one, and is charged for its uplink. */
#define SHARED "share=0 uplink=2 target=20000000 "

#define MS 1000000ull
#define SEC 1000000000ull
#define MAX_PARAMS 32
#define MAX_COLS 32

enum place { FREE, QUEUED };

struct host {
	struct at_qdisc *q;
	struct at_vals vals[MAX_PARAMS];
	u64 value[MAX_PARAMS][255];
	struct at_pkt *pkts;	/* 1..n */
	u8 *place;
	u32 *free, n, n_free;
	struct at_pkt *last_drop;
	enum at_reason last_why;
	u32 drops;
	u64 now;		/* of the last call */
};

static inline u64 rnd(u64 *state)
{
	u64 z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static inline u64 below(u64 *state, u64 n)
{
	return rnd(state) % n;
}

static inline const struct at_ops *find_ops(const char *name)
{
	for (u32 i = 0; at_disciplines[i]; i++)
		if (!strcmp(at_disciplines[i]->name, name))
			return at_disciplines[i];
	fprintf(stderr, "no discipline %s\n", name);
	abort();
}

/* A packet that leaves the discipline must have been in it. */
static inline void give_back(struct host *h, struct at_pkt *p)
{
	u32 i = (u32)(p - h->pkts);

	CHECK(i >= 1 && i <= h->n && h->place[i] == QUEUED);
	h->place[i] = FREE;
	h->free[h->n_free++] = i;
}

static inline void on_drop(struct at_qdisc *q, struct at_pkt *p, enum at_reason why)
{
	struct host *h = q->host;

	CHECK(why < AT_R_MAX);
	h->last_drop = p;
	h->last_why = why;
	h->drops++;
	give_back(h, p);
}

/* A pure acknowledgement like p's, of a test's own name 0; NULL when all are queued. */
static inline struct at_pkt *on_ack(struct at_qdisc *q, const struct at_pkt *p, u32 number)
{
	struct host *h = q->host;
	struct at_pkt *made;
	u32 i, rest = p->tcp.payload + (p->tcp.option ? 4 + 8u * p->tcp.option : 0);

	if (!h->n_free)
		return NULL;
	i = h->free[--h->n_free];
	CHECK(h->place[i] == FREE && h->place[p - h->pkts] == QUEUED);
	h->place[i] = QUEUED;
	made = &h->pkts[i];
	*made = *p;
	made->next = NULL;
	made->handle = 0;
	made->bytes = p->bytes > rest ? p->bytes - rest : 40;
	made->tcp.payload = 0;
	made->tcp.option = 0;
	made->tcp.ack = number;
	return made;
}

/* Whether data can say what ack says: only of one flow. */
static inline bool on_merge(struct at_qdisc *q, struct at_pkt *data, const struct at_pkt *ack)
{
	struct host *h = q->host;

	CHECK(h->place[data - h->pkts] == QUEUED && h->place[ack - h->pkts] == QUEUED);
	if (data->flow != ack->flow || data->sta != ack->sta)
		return false;
	if ((s32)(ack->tcp.ack - data->tcp.ack) > 0) {
		data->tcp.ack = ack->tcp.ack;
		data->tcp.window = ack->tcp.window;
	}
	return true;
}

/* A number, or 1/number of 2^-32, to the nearest. */
static inline u64 number_of(const char *text, char **end)
{
	u64 n = strtoull(text, end, 10);

	if (**end != '/')
		return n;
	n = strtoull(*end + 1, end, 10);
	return (((u64)1 << 32) + n / 2) / n;
}

/* "name=number name=number,number ..." into h->value; the others keep what they have. */
static inline void set_values(struct host *h, const struct at_ops *ops, const char *args)
{
	while (*args) {
		size_t len = strcspn(args, "=");
		u32 i = 0;
		char *end;

		while (ops->params[i].name && (strlen(ops->params[i].name) != len ||
					       strncmp(ops->params[i].name, args, len)))
			i++;
		CHECK(ops->params[i].name);
		end = (char *)args + len;
		for (h->vals[i].len = 0; *end == '=' || *end == ','; h->vals[i].len++)
			h->value[i][h->vals[i].len] = number_of(end + 1, &end);
		args = end + strspn(end, " ");
	}
}

static inline void make_qdisc(struct host *h, const struct at_ops *ops, u64 seed)
{
	h->q = calloc(1, sizeof(*h->q) + ops->state_size(h->vals));
	CHECK(h->q);
	h->q->ops = ops;
	h->q->drop = on_drop;
	h->q->ack = on_ack;
	h->q->merge = on_merge;
	h->q->host = h;
	ops->init(h->q, h->vals, seed, 0);
}

static inline void open_host(struct host *h, const char *name, const char *args, u32 packets)
{
	const struct at_ops *ops = find_ops(name);
	const char *wrong;
	u16 bad;

	memset(h, 0, sizeof(*h));
	for (u32 i = 0; ops->params[i].name; i++) {
		h->value[i][0] = ops->params[i].def;
		h->vals[i] = (struct at_vals){ h->value[i], 1 };
	}
	set_values(h, ops, args);
	wrong = at_check(ops, h->vals, &bad);
	if (wrong) {
		fprintf(stderr, "%s: %s\n", ops->params[bad].name, wrong);
		abort();
	}
	h->n = packets;
	h->pkts = calloc(packets + 1, sizeof(*h->pkts));
	h->place = calloc(packets + 1, 1);
	h->free = calloc(packets + 1, sizeof(u32));
	for (u32 i = packets; i; i--)
		h->free[h->n_free++] = i;
	CHECK(h->pkts && h->place && h->free);
	make_qdisc(h, ops, 1);
}

/* chap with equal shares of flows, and these arguments. */
static inline void open_flat(struct host *h, const char *args, u32 packets)
{
	char all[300];

	snprintf(all, sizeof(all), FLAT "%s", args);
	open_host(h, "chap", all, packets);
}

/* An instance of the same discipline with the values that h has by now. */
static inline void reopen_host(struct host *h, u64 seed)
{
	const struct at_ops *ops = h->q->ops;

	free(h->q);
	make_qdisc(h, ops, seed);
}

/* The same where nothing is dropped but for `limit`, which is 2048 if ARGS do not say:
 * where stations, classes or flows have limits of their own, or averages have, those are out of
 * reach. */
static inline void open_roomy(struct host *h, const char *name, const char *args, u32 packets)
{
	const struct at_param *p = find_ops(name)->params;
	const char *own = "";
	char all[200];

	while (p->name && strcmp(p->name, "station_limit"))
		p++;
	if (p->name)
		own = "limit=2048 station_limit=1024 ";
	else if (!strcmp(name, "red") || !strcmp(name, "fred"))
		own = "limit=2048 min=134217728 max=134217728 ";
	else if (!strcmp(name, "cbq"))
		own = "limit=2048 class_limit=2048 ";
	else if (!strcmp(name, "cbt"))
		own = "limit=2048 guard=65535 ";
	else if (!strcmp(name, "wqm"))
		own = "limit=2048 least=2048 ";
	else if (!strcmp(name, "dnb"))
		own = "limit=2048 limits=2048 ";
	else if (!strcmp(name, "astar"))
		own = "limit=2048 burst=2048 law=0 ";
	snprintf(all, sizeof(all), "%s%s", own, args);
	open_host(h, name, all, packets);
}

static inline void close_host(struct host *h)
{
	free(h->pkts);
	free(h->place);
	free(h->free);
	free(h->q);
}

static inline void change(struct host *h, const char *args, u64 now)
{
	u16 bad;

	set_values(h, h->q->ops, args);
	CHECK(!at_check(h->q->ops, h->vals, &bad));
	while (h->q->ops->change(h->q, h->vals, now))
		;
}

/* A packet for the test to fill in; NULL when all are queued. */
static inline struct at_pkt *new_pkt(struct host *h, u32 flow, u32 bytes)
{
	struct at_pkt *p;

	if (!h->n_free)
		return NULL;
	p = &h->pkts[h->free[h->n_free - 1]];
	memset(p, 0, sizeof(*p));
	p->flow = flow;
	p->bytes = bytes;
	return p;
}

static inline enum at_verdict push(struct host *h, struct at_pkt *p, u64 now)
{
	u32 i = h->free[--h->n_free];

	CHECK(p == &h->pkts[i] && h->place[i] == FREE);
	h->now = now;
	h->place[i] = QUEUED;
	return h->q->ops->enqueue(h->q, p, now);
}

static inline enum at_verdict put(struct host *h, u32 flow, u32 bytes, u64 now)
{
	return push(h, new_pkt(h, flow, bytes), now);
}

/* 100 bytes of link control, at the time of the last call. */
static inline enum at_verdict put_urgent(struct host *h, u32 flow, u16 sta)
{
	struct at_pkt *p = new_pkt(h, flow, 100);

	p->cls = AT_URGENT;
	p->sta = sta;
	return push(h, p, h->now);
}

static inline struct at_pkt *get(struct host *h, struct at_ticket *t, u64 now)
{
	struct at_pkt *p = h->q->ops->dequeue(h->q, t, now);

	h->now = now;
	if (p)
		give_back(h, p);
	return p;
}

/* From one ms to another a packet goes each ms (but in the first), and others come,
 * 200 at most, until so many are queued; drops of all that time. */
static inline u32 drops_with(struct host *h, u32 queued, u64 from, u32 ms, u8 flags)
{
	u32 before = h->drops;
	struct at_ticket t;

	for (u32 i = 0; i <= ms; i++) {
		for (u32 tries = 0; h->q->qlen < queued && tries < 200; tries++) {
			struct at_pkt *p = new_pkt(h, 1, 1500);

			p->flags = flags;
			push(h, p, from + i * MS);
		}
		if (i)
			CHECK(get(h, &t, from + i * MS));
	}
	return h->drops - before;
}

static inline void report(struct host *h, const struct at_ticket *t, u64 ns, u64 now)
{
	struct at_tx r = { .air = ns, .span = ns, .attempts = 1, .acked = true };

	h->now = now;
	if (h->q->ops->sent)
		h->q->ops->sent(h->q, t, &r, now);
}

/* Closes or opens a station at the time of the last call. */
static inline void gate(struct host *h, u16 sta, bool open)
{
	h->q->ops->gate(h->q, sta, open, h->now);
}

/* A frame of a flow's uplink half was received; it took so long. */
static inline void hear(struct host *h, u32 flow, u64 ns, u64 now)
{
	struct at_heard e = { .flow = flow, .sta = 3, .air = ns };

	h->now = now;
	if (h->q->ops->heard)
		h->q->ops->heard(h->q, &e, now);
}

/* The next row from *cursor on, whose place is left there; false: none is left. */
static inline bool next_row(struct host *h, u32 *cursor, u64 *cols)
{
	bool found = false;

	while (!found && (*cursor = h->q->ops->row(h->q, *cursor, cols, h->now, &found)))
		;
	return found;
}

/* Column `name` of the row whose first column is `flow`; fails if there is none. */
static inline u64 cell(struct host *h, u64 flow, const char *name)
{
	const struct at_ops *ops = h->q->ops;
	u64 cols[MAX_COLS];
	u32 col = 0, cursor = 0;

	while (strcmp(ops->row_stats[col].name, name))
		col++;
	while (next_row(h, &cursor, cols))
		if (cols[0] == flow)
			return cols[col];
	fprintf(stderr, "no row for %llu\n", (unsigned long long)flow);
	abort();
}

static inline u64 stat(struct host *h, const char *name)
{
	const struct at_ops *ops = h->q->ops;
	u64 s[MAX_COLS];
	u32 i = 0;

	while (strcmp(ops->stats[i].name, name))
		i++;
	ops->read(h->q, s, h->now);
	return s[i];
}

static inline s64 credit(struct host *h, u32 flow)
{
	return (s64)cell(h, flow, "credit");
}

#endif
