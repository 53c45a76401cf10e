/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Drives any registered discipline by a string of bytes and checks after each
 * operation what must hold for all of them:
 *  - in + made == out + dropped + qlen; bytes is the sum over the queued ones;
 *  - every packet comes back exactly once, to dequeue, drain or drop;
 *  - packets of one flow, class and station keep their order (urgent ones while
 *    they are within their bounds);
 *  - drain gives the oldest of all;
 *  - the verdict tells the truth about the arriving packet;
 *  - no packet of a closed station comes out of dequeue, and `parked` counts those
 *    that are queued;
 *  - a queue that holds others gives one, or says when it will (wake), or, under chap, gives one in a second;
 *  - row goes forward, by no more than it may look at, and ends.
 * Reports come late, twice, with invented tickets, or never; parameters change
 * under traffic. The fuzzer and the invariants test share this.
 */
#ifndef AIRTAB_TEST_DRIVE_H
#define AIRTAB_TEST_DRIVE_H

#include "airtab/classify.h"
#include "harness.h"

#define DRIVE_PACKETS 256
#define DRIVE_TICKETS 64
#define DRIVE_FLOWS 24
#define DRIVE_STATIONS 7		/* numbers, AT_NO_STA and AT_GROUP */
#define DRIVE_STATE (4u << 20)		/* larger tables are not tried */

struct drive {
	const u8 *data;
	size_t left;
	struct host h;
	struct at_ticket ticket[DRIVE_TICKETS];
	u32 tickets;
	u32 serial, last[DRIVE_FLOWS][3][DRIVE_STATIONS];	/* handles, in order of arrival */
	bool closed[DRIVE_STATIONS];
	u64 now;
};

static inline u32 byte(struct drive *d)
{
	if (!d->left)
		return 0;
	d->left--;
	return *d->data++;
}

static inline u64 word(struct drive *d, u32 bytes)
{
	u64 v = 0;

	while (bytes--)
		v = v << 8 | byte(d);
	return v;
}

/* Mostly small steps from an end or the default of the range. */
static inline u64 pick_value(struct drive *d, const struct at_param *p)
{
	static const u64 rules[] = { AT_RULE_DEFAULT, 0x11, 0x620, 0x1f4000501131, 0x2e40, 0x20050 };
	u64 v, step = byte(d) % 64;

	if (p->unit == AT_RULE)
		return rules[step % (sizeof(rules) / sizeof(*rules))];
	switch (byte(d) % 5) {
	case 0:
		v = p->def;
		break;
	case 1:
		v = p->max - (step <= p->max ? step : 0);
		break;
	case 2:
		v = p->min + word(d, 4);
		break;
	default:
		v = p->min + step;
		break;
	}
	return v < p->min ? p->min : v > p->max ? p->max : v;
}

/* Random values that pass at_check(); what was there if none are found. */
static inline void pick_params(struct drive *d, const struct at_ops *ops, u8 keep)
{
	struct host *h = &d->h;
	static u64 old_value[MAX_PARAMS][255];
	struct at_vals old_vals[MAX_PARAMS];
	u16 bad;

	memcpy(old_value, h->value, sizeof(old_value));
	memcpy(old_vals, h->vals, sizeof(old_vals));
	for (u32 i = 0; ops->params[i].name; i++) {
		const struct at_param *p = &ops->params[i];

		/* of another class than the one before it, a packet can pass that: once, at a change */
		if ((p->flags & keep) || (p->unit == AT_RULE && h->q->qlen) || byte(d) % 2)
			continue;
		h->vals[i].len = (u8)(p->max_len > 1 ? 1 + byte(d) % p->max_len : 1);
		for (u8 k = 0; k < h->vals[i].len; k++)
			h->value[i][k] = pick_value(d, p);
	}
	if (!at_check(ops, h->vals, &bad) && ops->state_size(h->vals) <= DRIVE_STATE)
		return;
	CHECK(ops->params[bad].name || !ops->params[0].name);
	memcpy(h->value, old_value, sizeof(old_value));
	memcpy(h->vals, old_vals, sizeof(old_vals));
}

static inline u32 level(u8 class)
{
	return class == AT_URGENT ? 2 : class;
}

static inline u16 station(u32 i)
{
	return i < DRIVE_STATIONS - 2 ? (u16)i : i < DRIVE_STATIONS - 1 ? AT_NO_STA : AT_GROUP;
}

static inline u32 station_at(u16 sta)
{
	return sta == AT_NO_STA ? DRIVE_STATIONS - 2 : sta == AT_GROUP ? DRIVE_STATIONS - 1 : sta;
}

/* A flow keeps to its station, but for some of the first flows' packets. */
static inline u16 pick_station(struct drive *d, u32 flow)
{
	u32 draw = byte(d);

	if (draw % 8 == 0)
		return AT_GROUP;
	if (flow < 4 && draw % 8 == 1)
		return station(draw / 8 % DRIVE_STATIONS);
	return flow % 7 ? (u16)(flow % 5) : AT_NO_STA;
}

static inline void check_books(struct drive *d)
{
	const struct at_qdisc *q = d->h.q;
	u64 gone = q->out + q->qlen, bytes = 0, n = 0, parked = 0;

	for (u32 i = 0; i < AT_R_MAX; i++)
		gone += q->dropped[i];
	CHECK_EQ(q->in + q->made, gone);
	for (u32 i = 1; i <= d->h.n; i++) {
		if (d->h.place[i] == QUEUED) {
			bytes += d->h.pkts[i].bytes;
			parked += d->closed[station_at(d->h.pkts[i].sta)];
			n++;
		}
	}
	CHECK_EQ(q->qlen, n);
	CHECK_EQ(q->bytes, bytes);
	CHECK_EQ(q->parked, parked);
}

/* Urgent packets beyond their bounds wait with the others: younger ones pass. */
static inline bool some_urgent_wait(struct drive *d)
{
	const struct at_stat *s = d->h.q->ops->stats;

	while (s->name && strcmp(s->name, "urgent_over"))
		s++;
	return s->name && stat(&d->h, "urgent_over");
}

static inline void check_order(struct drive *d, const struct at_pkt *p)
{
	u32 *last = &d->last[p->flow][level(p->cls)][station_at(p->sta)];

	if (!p->handle || (p->cls == AT_URGENT && some_urgent_wait(d)))	/* made, or late */
		return;
	CHECK(p->handle > *last);
	*last = p->handle;
}

static inline void drive_enqueue(struct drive *d)
{
	static const u8 classes[] = { 0, 0, 1, AT_URGENT };
	struct at_pkt *p = new_pkt(&d->h, byte(d) % DRIVE_FLOWS, (u32)word(d, 2));
	u32 i, drops = d->h.drops;
	enum at_verdict verdict;

	if (!p)
		return;
	i = (u32)(p - d->h.pkts);
	p->sta = pick_station(d, p->flow);
	p->source = p->flow % 3;
	p->cls = classes[byte(d) % 4];
	p->flags = (u8)(byte(d) % 8 | (p->flow % 5 ? AT_F_IP : 0));
	p->key = (struct at_key){ p->flow % 2 ? 6 : 17, p->flow % 3 ? 0 : 46, (u16)(p->flow * 400), 443 };
	p->tcp = (struct at_tcp){ .seq = (u32)word(d, 2), .ack = (u32)word(d, 2), .window = 65535, .flags = (u8)byte(d) };
	p->tcp.payload = p->tcp.flags & 32 ? 0 : p->bytes;
	p->tcp.option = p->tcp.flags & 15;
	p->tcp.mss = p->tcp.option;
	p->handle = ++d->serial;
	verdict = push(&d->h, p, d->now);
	CHECK((verdict == AT_DROPPED) == (d->h.place[i] == FREE));
	CHECK(verdict != AT_CN || d->h.drops > drops);
}

static inline void drive_dequeue(struct drive *d)
{
	const struct at_ops *ops = d->h.q->ops;
	struct at_ticket t;
	struct at_pkt *p = get(&d->h, &t, d->now);

	if (!p && d->h.q->qlen > d->h.q->parked && !strcmp(ops->name, "chap")) {
		/* flows that wait for reports, which this host can leave out: then for a second */
		d->now += SEC;
		p = get(&d->h, &t, d->now);
		CHECK(p);
	}
	if (p) {
		check_order(d, p);
		CHECK(!d->closed[station_at(p->sta)]);
		d->ticket[d->tickets++ % DRIVE_TICKETS] = t;
	} else if (d->h.q->qlen > d->h.q->parked) {
		CHECK(ops->wake);
		CHECK(ops->wake(d->h.q, d->now) != AT_NEVER);
	}
}

static inline void drive_sent(struct drive *d)
{
	struct at_ticket t = d->ticket[byte(d) % DRIVE_TICKETS];
	u64 ns = word(d, byte(d) % 4 ? 3 : 8);

	if (byte(d) % 16 == 0)
		t = (struct at_ticket){ (u32)word(d, 4), (u32)word(d, 4), (u32)word(d, 4), false, 0 };
	report(&d->h, &t, ns, d->now);
	if (byte(d) % 8 == 0)
		report(&d->h, &t, ns, d->now);
}

static inline void drive_read(struct drive *d)
{
	const struct at_ops *ops = d->h.q->ops;
	u64 cols[MAX_COLS];
	u32 cursor = 0, next;
	bool found;

	if (ops->read)
		ops->read(d->h.q, cols, d->now);
	while (ops->row && (next = ops->row(d->h.q, cursor, cols, d->now, &found))) {
		CHECK(next > cursor && next - cursor <= AT_ROWS + 1);
		cursor = next;
	}
	CHECK(!ops->row || !found);
}

/* Three of four are opened: else all would soon be closed. */
static inline void drive_gate(struct drive *d)
{
	u32 draw = byte(d), i = draw / 4 % DRIVE_STATIONS;
	bool open = draw % 4;

	d->closed[i] = !open;
	d->h.q->ops->gate(d->h.q, station(i), open, d->now);
	/* of nobody */
	d->h.q->ops->gate(d->h.q, 40000, byte(d) % 2, d->now);
}

static inline void drive_other(struct drive *d)
{
	const struct at_ops *ops = d->h.q->ops;
	struct at_qdisc *q = d->h.q;
	struct at_link l = { .sta = (u16)(byte(d) % 5), .here = true, .nss = 1, .rate_kbps = (u32)word(d, 3),
			     .ampdu_frames = 32, .ampdu_ns = 4000000, .free_ppm = 500000 };

	switch (byte(d) % 12) {
	case 0:
		pick_params(d, ops, AT_P_INIT);
		while (ops->change(q, d->h.vals, d->now) && byte(d) % 4)
			;
		break;
	case 1:
		if (byte(d) % 8 == 0) {
			ops->reset(q, d->now);
			CHECK_EQ(q->qlen, 0);
		}
		break;
	case 2:
		for (u32 n = byte(d) % 8; n && q->qlen; n--) {
			struct at_pkt *p = ops->drain(q);

			CHECK(p);
			give_back(&d->h, p);
			check_order(d, p);
			for (u32 i = 1; i <= d->h.n; i++)
				CHECK(d->h.place[i] != QUEUED || d->h.pkts[i].handle > p->handle);
		}
		break;
	case 3:
		if (ops->heard) {
			struct at_heard e = { .flow = byte(d) % DRIVE_FLOWS, .sta = 1, .air = word(d, 3) };

			ops->heard(q, &e, d->now);
		}
		break;
	case 4:
		if (ops->link)
			ops->link(q, &l, d->now);
		break;
	case 5:
		if (ops->tick)
			ops->tick(q, d->now);
		break;
	case 6:
		drive_read(d);
		break;
	case 7:
	case 8:
	case 9:
	case 10:
		drive_gate(d);
		break;
	default:
		d->now += word(d, 5);
		break;
	}
}

static inline void drive(const u8 *data, size_t n)
{
	static struct drive d;
	u32 count = 0;

	while (at_disciplines[count])
		count++;
	memset(&d, 0, sizeof(d));
	d.data = data;
	d.left = n;
	open_host(&d.h, at_disciplines[byte(&d) % count]->name, "", DRIVE_PACKETS);
	pick_params(&d, d.h.q->ops, 0);
	reopen_host(&d.h, word(&d, 4));
	while (d.left) {
		d.now += byte(&d) * 1000ull;
		switch (byte(&d) % 8) {
		case 0:
		case 1:
		case 2:
		case 3:
			drive_enqueue(&d);
			break;
		case 4:
		case 5:
			drive_dequeue(&d);
			break;
		case 6:
			drive_sent(&d);
			break;
		default:
			drive_other(&d);
			break;
		}
		check_books(&d);
	}
	d.h.q->ops->reset(d.h.q, d.now);
	check_books(&d);
	CHECK_EQ(d.h.n_free, d.h.n);
	close_host(&d.h);
}

#endif
