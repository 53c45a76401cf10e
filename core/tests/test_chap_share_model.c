/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's shares of stations against a plain reading of docs/chap.md: linear scans over groups, one list of members
 * a group, eager boosts. The list is in the order of shelves: positions on a logarithmic scale, 8 an octave, 64 in all. Each
 * packet, each ticket's `light` and each credit is compared, with reports that come at random.
 *
 * Source: docs/chap.md, "Shares of stations". Limits: no full queue, no closed stations, no CoDel.
 */
#include "harness.h"

#define FLOWS 30u		/* 1.. */
#define GROUPS 7u
#define LINE 0u			/* member: the newcomers of a group */
#define BELOW 8u		/* packets whose reports are due */
#define I (25 * (s64)MS)
#define DEBT (25 * (s64)MS)
#define LIGHT (I * 4 / 3)	/* credit of a light flow */
#define SHELVES 64

struct flow {
	s64 credit;		/* less 2I */
	s64 level;
	u64 air, last;
	u32 queued, group;
	bool known, served, waits, sparse;
};

struct group {
	s64 credit, tab, lead, level, key;
	u64 last;
	u32 member[FLOWS + 1], shelf[FLOWS + 1], stored[FLOWS + 1], n;	/* in order; `stored`: when it got its place */
	u32 line[FLOWS], waiting;
	bool known;
	u32 born;
};

struct model {
	struct flow flow[FLOWS + 1];
	struct group group[GROUPS];
	u32 groups;
	s32 loose;		/* group that was served last; -1: none */
};

static s64 clamp(s64 d, s64 most)
{
	d = d < -12 * I ? -12 * I : d;
	return d > most ? most : d;
}

/* An eighth of an octave, linear within one, of a distance from 2I. */
static u32 scale_of(u64 distance)
{
	u32 octave = 3;

	if (distance < 16)
		return 24 + (distance < 8 ? 0 : (u32)distance - 8);
	while (distance >> (octave + 1))
		octave++;
	return octave * 8 + (u32)((distance >> (octave - 3)) - 8);
}

static u32 shelf_of(s64 d)
{
	u32 lowest = scale_of(12 * I - 1) - (SHELVES - 1), step = scale_of((u64)-(d + 1));

	return step > lowest ? step - lowest : 0;
}

static s64 light_distance(void)
{
	return -2 * (I / 3);
}

static s64 worth(const struct model *m, const struct group *g, u32 member)
{
	const struct flow *f = &m->flow[member];

	if (member == LINE)
		return g->tab < light_distance() ? g->tab : light_distance();
	return f->sparse && f->credit < light_distance() ? light_distance() : f->credit;
}

/* ---- members of a group ---- */

static u32 at_of(const struct group *g, u32 member)
{
	u32 i = 0;

	while (i < g->n && g->member[i] != member)
		i++;
	return i;
}

static void take_out(struct group *g, u32 member)
{
	u32 i = at_of(g, member);

	if (i == g->n)
		return;
	g->n--;
	for (; i < g->n; i++) {
		g->member[i] = g->member[i + 1];
		g->shelf[i] = g->shelf[i + 1];
		g->stored[i] = g->stored[i + 1];
	}
}

/* Behind those of the same shelf. */
static void put_in(const struct model *m, struct group *g, u32 member)
{
	u32 shelf = shelf_of(worth(m, g, member)), i = g->n++;

	for (; i && g->shelf[i - 1] > shelf; i--) {
		g->member[i] = g->member[i - 1];
		g->shelf[i] = g->shelf[i - 1];
		g->stored[i] = g->stored[i - 1];
	}
	g->member[i] = member;
	g->shelf[i] = g->stored[i] = shelf;
}

static void boost_group(struct model *m, u32 group)
{
	struct group *g = &m->group[group];

	for (u32 f = 1; f <= FLOWS; f++)
		if (m->flow[f].known && m->flow[f].group == group)
			m->flow[f].credit >>= 1;
	g->tab >>= 1;
	g->lead >>= 1;
	for (u32 i = 0; i < g->n; i++) {
		g->shelf[i] = g->shelf[i] > 8 ? g->shelf[i] - 8 : 0;
		g->stored[i] = (g->stored[i] - 8) % SHELVES;
	}
}

/* ---- groups ---- */

static s64 key_of(const struct model *m, const struct group *g)
{
	s64 best;

	if (g->credit <= -2 * I - DEBT)
		return g->credit;
	best = worth(m, g, g->member[0]);
	return best >= light_distance() && best > g->credit ? best : g->credit;
}

/* A key is taken when the group or its best member changes; boosts halve it with the credits. */
static void touch(struct model *m, u32 group)
{
	if ((s32)group != m->loose && m->group[group].n)
		m->group[group].key = key_of(m, &m->group[group]);
}

static void boost_all(struct model *m)
{
	for (u32 i = 0; i < GROUPS; i++) {
		m->group[i].credit >>= 1;
		m->group[i].key >>= 1;
	}
}

static s32 choose_group(struct model *m)
{
	s32 best = -1;

	if (m->loose >= 0 && m->group[m->loose].n)
		m->group[m->loose].key = key_of(m, &m->group[m->loose]);
	for (u32 i = 0; i < GROUPS; i++) {
		const struct group *g = &m->group[i];

		if (g->n && (best < 0 || g->key > m->group[best].key ||
			     (g->key == m->group[best].key && g->born < m->group[best].born)))
			best = (s32)i;
	}
	if (best >= 0 && m->group[best].key + 2 * I <= 0)
		boost_all(m);
	m->loose = best;
	return best;
}

static s64 newcomer_credit(const struct group *g)
{
	s64 d = g->lead + (g->lead >> 3);

	return d < -I ? d : -I;
}

static s64 drained(s64 level, u64 *last, u64 now)
{
	u64 part = (now - *last) / 16;

	*last = now;
	return part < (u64)level ? level - (s64)part : 0;
}

/* The line has a place while it has flows. */
static void seat_line(struct model *m, u32 group, bool paid)
{
	struct group *g = &m->group[group];

	if (at_of(g, LINE) < g->n && g->waiting && !paid)
		return;
	take_out(g, LINE);
	if (g->waiting)
		put_in(m, g, LINE);
	touch(m, group);
}

static void leave_line(struct model *m, u32 flow)
{
	struct group *g = &m->group[m->flow[flow].group];
	u32 i = 0;

	while (g->line[i] != flow)
		i++;
	for (g->waiting--; i < g->waiting; i++)
		g->line[i] = g->line[i + 1];
	m->flow[flow].waits = false;
	seat_line(m, m->flow[flow].group, false);
}

static void model_arrive(struct model *m, u32 flow, u32 group, u64 now)
{
	struct flow *f = &m->flow[flow];
	struct group *g = &m->group[group];

	if (!g->known) {
		*g = (struct group){ .known = true, .credit = -I, .born = m->groups++ };
		g->last = 0;
	}
	if (!f->known) {
		*f = (struct flow){ .known = true, .group = group, .last = now };
		f->credit = clamp(newcomer_credit(g), -1);
	} else if (!f->queued) {
		g->level = drained(g->level, &g->last, now);
		f->level = drained(f->level, &f->last, now);
		f->sparse = f->level <= I / 3 && g->level <= I / 3;
	}
	if (f->queued++)
		return;
	if (!f->served) {
		f->waits = true;
		g->line[g->waiting++] = flow;
		seat_line(m, group, false);
		return;
	}
	put_in(m, g, flow);
	if (g->member[0] == flow)
		touch(m, group);
}

/* ---- charges ---- */

static void pay(struct model *m, u32 flow, s64 ns)
{
	struct flow *f = &m->flow[flow];
	struct group *g = &m->group[f->group];
	bool young = f->air < (u64)(I / 3 / 4);

	f->air += (u64)ns;
	f->credit = clamp(f->credit - ns, -1);
	if (young) {
		g->tab = clamp(g->tab - ns, 0);
		if (g->waiting)
			seat_line(m, f->group, true);
	}
	g->credit = clamp(g->credit - ns, 0);
}

static void model_report(struct model *m, u32 flow, s64 due)
{
	struct flow *f = &m->flow[flow];
	struct group *g = &m->group[f->group];

	pay(m, flow, due);
	if (f->queued && !f->waits && g->stored[at_of(g, flow)] != shelf_of(worth(m, g, flow))) {
		take_out(g, flow);
		put_in(m, g, flow);
	}
	touch(m, f->group);
}

/* The flow that goes next, or 0; *light as its ticket says. The estimate is charged by model_sent(). */
static u32 model_serve(struct model *m, bool *light)
{
	s32 group = choose_group(m);
	struct group *g;
	u32 member;
	s64 d;

	if (group < 0)
		return 0;
	g = &m->group[group];
	member = g->member[0];
	d = worth(m, g, member);
	*light = g->credit > -2 * I - DEBT && (d >= light_distance() || g->credit >= light_distance());
	if (member != LINE && d < light_distance())
		g->lead = d;
	if ((member == LINE ? d : m->flow[member].credit) + 2 * I <= 0)
		boost_group(m, (u32)group);
	return member == LINE ? g->line[0] : member;
}

static void model_sent(struct model *m, u32 flow, s64 est, u64 now)
{
	struct flow *f = &m->flow[flow];
	struct group *g = &m->group[f->group];

	f->queued--;
	if (f->waits) {
		s64 d = clamp(newcomer_credit(g), -1);

		leave_line(m, flow);
		f->credit = d;
		f->sparse = true;
		f->level = I / 3 - I / 3 / 4;
		if (f->queued)
			put_in(m, g, flow);
	} else if (!f->queued) {
		take_out(g, flow);
	}
	f->served = true;
	f->level += est;
	if (f->sparse) {
		g->level += est;
		f->sparse = f->level <= I / 3 && g->level <= I / 3;
	}
	pay(m, flow, est);
	if (f->queued) {
		take_out(g, flow);
		put_in(m, g, flow);
	} else {
		f->level = drained(f->level, &f->last, now);
	}
}

/* ---- runs ---- */

struct below {
	struct at_ticket t;
	u32 flow;
};

static void against_model(u64 seed, u32 flows, u32 groups, u32 below_most, u64 air)
{
	static struct model m;
	struct below ring[BELOW];
	u32 n = 0, lights = 0, steps = 60000;
	u64 state = seed, now = 0;
	struct host h;

	m = (struct model){ .loose = -1 };
	open_host(&h, "chap", "share=0 target=0 uplink=0 limit=3000 increment=25000000 debt=25000000 ", 3200);
	for (u32 step = 0; step < steps; step++) {
		u32 flow = 1 + (u32)below(&state, below(&state, 3) ? flows : (flows + 3) / 4);

		now += below(&state, air);
		if (below(&state, 100) < 49 && h.q->qlen < 2500) {
			struct at_pkt *p = new_pkt(&h, flow, 100 + (u32)below(&state, 1400));

			p->sta = (u16)(flow % groups);
			push(&h, p, now);
			model_arrive(&m, flow, flow % groups, now);
		} else if (n < below_most && below(&state, 3)) {
			struct at_ticket t;
			bool light = false;
			u32 expected = model_serve(&m, &light);
			struct at_pkt *p = get(&h, &t, now);

			CHECK_EQ(p ? p->flow : 0, expected);
			if (!p)
				continue;
			CHECK_EQ(t.light, light);
			lights += light;
			model_sent(&m, expected, t.est, now);
			ring[n++] = (struct below){ t, expected };
		} else if (n) {
			u32 i = (u32)below(&state, n);
			u64 ns = 1 + below(&state, below(&state, 50) ? 2 * air : 40 * air);

			report(&h, &ring[i].t, ns, now);
			model_report(&m, ring[i].flow, (s64)ns - (s64)ring[i].t.est);
			ring[i] = ring[--n];
		}
		if (step % 500 == 0)
			for (u32 f = 1; f <= flows; f++)
				if (m.flow[f].served)
					CHECK_EQ(credit(&h, f), clamp(m.flow[f].credit, 0) + 2 * I);
	}
	CHECK(lights && lights < steps / 2);
	CHECK_EQ(h.drops, 0);
	close_host(&h);
}

int main(void)
{
	for (u64 seed = 1; seed <= 4; seed++) {
		CASE(against_model(seed, 30, 7, 8, 600000));
		CASE(against_model(seed, 6, 2, 1, 600000));
		CASE(against_model(seed, 12, 1, 3, 900000));
	}
	return 0;
}
