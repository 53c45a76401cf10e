/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap against a plain reading of the published algorithms: linear scans, one
 * list in arrival order, an eager boost loop, and stations that are closed at
 * random: their packets are as queued as others, but nobody is served with them.
 * Decision for decision and credit for credit in the faithful profile; and the
 * default profile against the faithful one when the ring holds one frame.
 */
#include "harness.h"

#define FLOWS 40
#define QUEUE 64
#define STATIONS 5

struct model {
	s64 credit[FLOWS], increment;
	bool known[FLOWS];
	u32 created[FLOWS], count;
	u32 flow[QUEUE], handle[QUEUE], sta[QUEUE], len, limit;
	bool closed[STATIONS];
};

static bool model_may_go(const struct model *m, u32 flow)
{
	for (u32 i = 0; i < m->len; i++)
		if (m->flow[i] == flow && !m->closed[m->sta[i]])
			return true;
	return false;
}

enum pick { MOST, LEAST, LEAST_PARKED };

/* The oldest packet of a backlogged flow: of the most credit of those that may be
 * served, or of the least of all, or of those that are parked. m->len: there is none. */
static u32 model_pick(const struct model *m, enum pick pick)
{
	u32 best = m->len;

	for (u32 i = 0; i < m->len; i++) {
		u32 a = m->flow[i], b = m->flow[best < m->len ? best : i];
		s64 d = m->credit[a] - m->credit[b];

		if (pick == MOST ? m->closed[m->sta[i]] : pick == LEAST_PARKED && model_may_go(m, a))
			continue;
		if (!d)
			d = (s64)m->created[b] - (s64)m->created[a];
		if (best == m->len || (pick == MOST ? d > 0 : d < 0))
			best = i;
	}
	return best;
}

static u32 model_parked(const struct model *m)
{
	u32 n = 0;

	for (u32 i = 0; i < m->len; i++)
		n += m->closed[m->sta[i]];
	return n;
}

static u32 model_remove(struct model *m, u32 i)
{
	u32 handle = m->handle[i];

	m->len--;
	memmove(&m->flow[i], &m->flow[i + 1], (m->len - i) * sizeof(u32));
	memmove(&m->handle[i], &m->handle[i + 1], (m->len - i) * sizeof(u32));
	memmove(&m->sta[i], &m->sta[i + 1], (m->len - i) * sizeof(u32));
	return handle;
}

/* Who makes room: of those that are parked if more than half of the packets are. */
static u32 model_victim(const struct model *m)
{
	u32 i = model_parked(m) > m->len / 2 ? model_pick(m, LEAST_PARKED) : m->len;

	return i < m->len ? i : model_pick(m, LEAST);
}

/* The handle of the dropped packet, or 0. */
static u32 model_enqueue(struct model *m, u32 flow, u32 sta, u32 handle)
{
	if (!m->known[flow]) {
		m->known[flow] = true;
		m->credit[flow] = m->increment;
		m->created[flow] = m->count++;
	}
	m->flow[m->len] = flow;
	m->sta[m->len] = sta;
	m->handle[m->len++] = handle;
	return m->len == m->limit ? model_remove(m, model_victim(m)) : 0;
}

/* The handle of the packet to send, or 0. */
static u32 model_dequeue(struct model *m, u32 *flow)
{
	u32 i = model_pick(m, MOST);

	if (i == m->len)
		return 0;
	*flow = m->flow[i];
	if (m->credit[*flow] <= 0)
		for (u32 f = 0; f < FLOWS; f++)
			m->credit[f] = (m->credit[f] >> 1) + m->increment;
	return model_remove(m, i);
}

/* Most packets of a flow are for one station. */
static u32 some_station(u64 *seed, u32 flow)
{
	return below(seed, 16) ? flow % STATIONS : (u32)below(seed, STATIONS);
}

/* Random arrivals; up to 8 packets below the queue, reported in any order. Costs
 * are cost .. cost + spread - 1. */
static void against_model(u64 seed, u64 increment, u64 cost_min, u64 spread)
{
	struct model m = { .increment = (s64)increment, .limit = 35 };
	struct at_ticket ring[8];
	u32 owner[8], in_ring = 0, serial = 0;

	char args[100];
	struct host h;

	snprintf(args, sizeof(args), "profile=1 limit=35 increment=%llu",
		 (unsigned long long)increment);
	open_flat(&h, args, QUEUE);
	for (u32 step = 0; step < 60000; step++) {
		if (below(&seed, 2)) {
			u32 flow = (u32)below(&seed, 1 + below(&seed, FLOWS)), drops = h.drops;
			u32 sta = some_station(&seed, flow);
			struct at_pkt *p = new_pkt(&h, flow, 1500);
			u32 want = model_enqueue(&m, flow, sta, ++serial);

			p->sta = (u16)sta;
			p->handle = serial;
			push(&h, p, step);
			CHECK_EQ(h.drops - drops, want != 0);
			CHECK(!want || h.last_drop->handle == want);
		} else if (in_ring < 8 && h.q->qlen) {
			u32 want = model_dequeue(&m, &owner[in_ring]);
			struct at_pkt *p = get(&h, &ring[in_ring], step);

			CHECK_EQ(p ? p->handle : 0, want);
			in_ring += !!p;
		}
		if (in_ring && (in_ring == 8 || below(&seed, 3))) {
			u32 k = (u32)below(&seed, in_ring--);
			u64 cost = cost_min + below(&seed, spread);

			report(&h, &ring[k], cost, step);
			m.credit[owner[k]] -= (s64)cost;
			ring[k] = ring[in_ring];
			owner[k] = owner[in_ring];
		}
		if (!below(&seed, 8)) {
			u16 sta = (u16)below(&seed, STATIONS);

			m.closed[sta] = !below(&seed, 3);
			h.q->ops->gate(h.q, sta, !m.closed[sta], step);
		}
		CHECK_EQ(h.q->qlen, m.len);
		CHECK_EQ(h.q->parked, model_parked(&m));
		if (step % 64 == 0)
			for (u32 f = 0; f < FLOWS; f++)
				CHECK(!m.known[f] || credit(&h, f) == m.credit[f]);
	}

	CHECK(stat(&h, "boosts") > 20);
	close_host(&h);
}

/* One frame below the queue, span == air, no clamp: the two profiles agree. */
static void one_frame_ring(u64 seed)
{
	struct host a, b;
	struct at_ticket ta, tb;
	u32 serial = 0;

	open_host(&a, "chap", FLAT "profile=1 limit=35 increment=25000000", QUEUE);
	open_host(&b, "chap", FLAT "limit=34 newcomers=0 increment=25000000", QUEUE);
	for (u32 step = 0; step < 200000; step++) {
		if (below(&seed, 5) < 3) {
			u32 flow = (u32)below(&seed, 1 + below(&seed, FLOWS));
			u32 bytes = 40 + (u32)below(&seed, 1460), da = a.drops, db = b.drops;
			struct at_pkt *pa = new_pkt(&a, flow, bytes), *pb = new_pkt(&b, flow, bytes);

			pa->sta = pb->sta = (u16)some_station(&seed, flow);
			pa->handle = pb->handle = ++serial;
			CHECK_EQ(push(&a, pa, step), push(&b, pb, step));
			CHECK_EQ(a.drops - da, b.drops - db);
			CHECK(a.drops == da || a.last_drop->handle == b.last_drop->handle);
		} else if (!below(&seed, 8)) {
			u16 sta = (u16)below(&seed, STATIONS);
			bool open = below(&seed, 3);

			a.q->ops->gate(a.q, sta, open, step);
			b.q->ops->gate(b.q, sta, open, step);
		} else if (a.q->qlen > a.q->parked) {
			/* some flows have a bad link */
			struct at_pkt *pa = get(&a, &ta, step), *pb = get(&b, &tb, step);
			u64 cost = 100000 + below(&seed, pa->flow % 5 ? 300000 : 3000000);

			CHECK_EQ(pa->handle, pb->handle);
			CHECK_EQ(ta.est, 0);
			CHECK(tb.est > 0);
			report(&a, &ta, cost, step);
			report(&b, &tb, cost, step);
			CHECK_EQ(credit(&a, pa->flow), credit(&b, pa->flow));
			CHECK(credit(&a, pa->flow) > -250 * (s64)MS);
		}
	}
	CHECK(stat(&a, "boosts") > 20);
	CHECK_EQ(stat(&a, "boosts"), stat(&b, "boosts"));
	close_host(&a);
	close_host(&b);
}

int main(void)
{
	for (u64 seed = 1; seed <= 4; seed++) {
		CASE(against_model(seed, 25 * MS, 1, 2 * MS));
		CASE(against_model(seed, 10000, 1, 40000));
		CASE(against_model(seed, 12345, 1, 2 * MS));
		/* a boost for nearly every packet, credits a few ns apart: rounding
		 * makes them equal, and the order of creation has to decide */
		CASE(against_model(seed, 10000, 9990, 20));
		CASE(one_frame_ring(seed));
	}
	return 0;
}
