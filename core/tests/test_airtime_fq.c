/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtime_fq rule by rule: turns of stations by airtime, beside a plain model of
 * them; AQL beside its two inequalities; flows within a station.
 */
#include "harness.h"

#define NO_CODEL "target=4000000000 interval=4000000000 "
#define US 1000ull
#define QUANTUM (256 * US)
#define FULL_NS 281926u		/* a packet of 1500 bytes: 59704 + 1500 x 37926 / 256 */

static struct at_ticket ticket;

static enum at_verdict put_to(struct host *h, u16 sta, u32 flow, u32 bytes, u64 now)
{
	struct at_pkt *p = new_pkt(h, flow, bytes);

	p->sta = sta;
	return push(h, p, now);
}

static void fill(struct host *h, u16 sta, u32 n, u64 now)
{
	while (n--)
		put_to(h, sta, sta, 1500, now);
}

/* Keeps two packets of a station queued. */
static void refill(struct host *h, u16 sta, u32 *queued, u64 now)
{
	for (; *queued < 2; ++*queued)
		put_to(h, sta, sta, 1500, now);
}

static s64 deficit(struct host *h, u32 station)
{
	return (s64)cell(h, station, "deficit");
}

static void hear_from(struct host *h, u16 sta, u64 ns, u64 now)
{
	struct at_heard e = { .flow = sta, .sta = sta, .air = ns };

	h->now = now;
	h->q->ops->heard(h->q, &e, now);
}

static void figures(void)
{
	static const struct {
		const char *name;
		u64 value;
	} expected[] = {
		{ "limit", 8192 }, { "memory", 16 << 20 }, { "flows", 4096 }, { "quantum", 300 },
		{ "target", 20 * MS }, { "interval", 100 * MS }, { "ecn", 1 }, { "drop_batch", 32 },
		{ "stations", 256 }, { "air_quantum", QUANTUM }, { "aql", 1 },
		{ "aql_low", 5 * MS }, { "aql_high", 12 * MS }, { "aql_threshold", 24 * MS },
		{ "aql_expiry", 250 * MS }, { "rule", 0 },
	};
	const struct at_ops *ops = find_ops("airtime_fq");
	struct host h;
	u16 bad;

	for (u32 i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		CHECK(!strcmp(ops->params[i].name, expected[i].name));
		CHECK_EQ(ops->params[i].def, expected[i].value);
	}
	CHECK(!ops->params[sizeof(expected) / sizeof(expected[0])].name);
	open_host(&h, "airtime_fq", "", 4);
	set_values(&h, ops, "aql_low=13000000");
	CHECK(at_check(ops, h.vals, &bad) && !strcmp(ops->params[bad].name, "aql_high"));
	close_host(&h);
}

/* Packets of 512 and of 256 us: one for two, after the quantum of a new station each.
 * 0: 256 - 512, so 0 and last; 1: 256, 0, -256, so 0 and last; 0: -512, -256; 1: -256; .. */
static void turns(void)
{
	struct host h;

	open_host(&h, "airtime_fq", NO_CODEL, 64);
	fill(&h, 0, 20, 0);
	fill(&h, 1, 20, 0);
	for (const char *c = "011011011011011011"; *c; c++) {
		CHECK_EQ(get(&h, &ticket, 0)->sta, *c - '0');
		report(&h, &ticket, *c == '0' ? 512 * US : 256 * US, 0);
	}
	close_host(&h);
}

/* The air of stations whose packets take as long as they like. A visit gives each a
 * quantum, so that at any time two of them differ by no more than that, what is left
 * of a quantum, and the packet that went over it. */
static void air_is_fair(const char *args, u64 quantum)
{
	static const u64 takes[] = { 250 * US, MS, 6 * MS };
	struct host h;
	u32 queued[3] = { 0 };
	u64 air[3] = { 0 };

	open_host(&h, "airtime_fq", args, 16);
	for (u32 n = 0; n < 30000; n++) {
		u16 sta;

		for (u16 i = 0; i < 3; i++)
			refill(&h, i, &queued[i], n);
		sta = get(&h, &ticket, n)->sta;
		report(&h, &ticket, takes[sta], n);
		queued[sta]--;
		air[sta] += takes[sta];
		for (u32 i = 0; i < 3; i++) {
			u32 k = (i + 1) % 3;
			u64 most = takes[i] > takes[k] ? takes[i] : takes[k];

			CHECK((air[i] > air[k] ? air[i] - air[k] : air[k] - air[i]) < 2 * quantum + most);
		}
	}
	CHECK(air[0] > SEC);
	close_host(&h);
}

/* ---- beside a plain model of the turns ---- */

#define MODEL 6u

/* Stations in the order of their turns: new ones, then old ones. */
struct model {
	u16 order[MODEL];
	u32 n, n_new;
	bool waits[MODEL];	/* has packets */
	s64 deficit[MODEL];
	s64 quantum;
};

static void model_remove_first(struct model *m)
{
	memmove(m->order, m->order + 1, --m->n * sizeof(m->order[0]));
	m->n_new -= m->n_new > 0;
}

static u16 model_next(struct model *m)
{
	for (;;) {
		u16 sta = m->order[0];
		bool new = m->n_new > 0;

		if (m->deficit[sta] >= 0 && m->waits[sta])
			return sta;
		model_remove_first(m);
		if (m->deficit[sta] < 0)
			m->deficit[sta] += m->quantum;
		else if (!new)
			continue;
		m->order[m->n++] = sta;
	}
}

static void model_arrives(struct model *m, u16 sta)
{
	m->waits[sta] = true;
	for (u32 i = 0; i < m->n; i++)
		if (m->order[i] == sta)
			return;
	memmove(m->order + m->n_new + 1, m->order + m->n_new, (m->n - m->n_new) * sizeof(m->order[0]));
	m->order[m->n_new++] = sta;
	m->n++;
}

/* Stations come and go; each packet takes what it likes, from nothing to 250 quanta. */
static void like_the_model(u64 seed)
{
	struct host h;
	struct model m = { .quantum = (s64)QUANTUM };
	u32 queued[MODEL] = { 0 };

	open_host(&h, "airtime_fq", NO_CODEL, 64);
	for (u32 i = 0; i < MODEL; i++)
		m.deficit[i] = m.quantum;
	for (u32 step = 0; step < 5000; step++) {
		u16 sta = (u16)below(&seed, MODEL);
		u64 ns = below(&seed, 4) ? below(&seed, MS) : below(&seed, 64 * MS);
		u32 waiting = 0;

		for (u32 i = 0; i < MODEL; i++)
			waiting += queued[i];
		if (!waiting || (waiting < 12 && below(&seed, 2))) {
			put_to(&h, sta, sta, 1500, step);
			queued[sta]++;
			model_arrives(&m, sta);
			continue;
		}
		sta = model_next(&m);
		CHECK_EQ(get(&h, &ticket, step)->sta, sta);
		report(&h, &ticket, ns, step);
		m.deficit[sta] -= (s64)ns;
		if (m.deficit[sta] < -1000 * m.quantum)
			m.deficit[sta] = -1000 * m.quantum;
		CHECK_EQ(deficit(&h, sta), m.deficit[sta]);
		m.waits[sta] = --queued[sta] > 0;
	}
	close_host(&h);
}

/* ---- what is charged ---- */

/* What a station sends is its air too. It uploads as long as it downloads, so the
 * other one downloads twice as much. */
static void uplink_is_charged(void)
{
	struct host h;
	u32 queued[2] = { 0 };
	u64 down[2] = { 0 };

	open_host(&h, "airtime_fq", "", 16);
	for (u32 n = 0; n < 6000; n++) {
		u16 sta;

		refill(&h, 0, &queued[0], n);
		refill(&h, 1, &queued[1], n);
		sta = get(&h, &ticket, n)->sta;
		queued[sta]--;
		report(&h, &ticket, MS, n);
		down[sta] += MS;
		if (sta)
			hear_from(&h, 1, MS, n);
		CHECK(down[0] + 2 * QUANTUM + 2 * MS > 2 * down[1]);
		CHECK(2 * down[1] + 2 * QUANTUM + 2 * MS > down[0]);
	}
	close_host(&h);
}

/* An estimate at dequeue, what it took when it is reported; once. */
static void settled(void)
{
	struct at_ticket again;
	struct host h;

	open_host(&h, "airtime_fq", "", 16);
	fill(&h, 5, 3, 0);
	CHECK(get(&h, &ticket, 0));
	CHECK_EQ(ticket.est, FULL_NS);
	CHECK_EQ(deficit(&h, 5), (s64)QUANTUM - FULL_NS);
	again = ticket;
	report(&h, &ticket, 100 * US, 0);
	CHECK_EQ(deficit(&h, 5), (s64)(156 * US));
	report(&h, &again, SEC, 0);
	again.gen += 77;
	report(&h, &again, SEC, 0);
	again = ticket;
	again.flow++;
	report(&h, &again, SEC, 0);
	CHECK_EQ(deficit(&h, 5), (s64)(156 * US));
	CHECK(stat(&h, "settled") == 1 && stat(&h, "stale") == 3);
	/* a wrong one costs 1000 quanta at most */
	CHECK(get(&h, &ticket, 0));
	report(&h, &ticket, 1000 * SEC, 0);
	CHECK_EQ(deficit(&h, 5), -1000 * (s64)QUANTUM);
	close_host(&h);
}

/* Nothing to send for 100 ms: not charged, and it begins anew. Before that it is the
 * station that it was. */
static void idle(void)
{
	struct host h;

	open_host(&h, "airtime_fq", "", 16);
	fill(&h, 1, 1, 0);
	CHECK(get(&h, &ticket, 0));
	report(&h, &ticket, 56 * US, 0);
	CHECK(!get(&h, &ticket, 0));
	hear_from(&h, 1, MS, 100 * MS);
	CHECK_EQ(deficit(&h, 1), -(s64)(800 * US));
	hear_from(&h, 1, MS, 101 * MS);
	CHECK_EQ(deficit(&h, 1), -(s64)(800 * US));
	fill(&h, 2, 2, 99 * MS);
	fill(&h, 1, 1, 100 * MS);
	CHECK_EQ(deficit(&h, 1), -(s64)(800 * US));
	CHECK_EQ(get(&h, &ticket, 100 * MS)->sta, 2);
	close_host(&h);
	open_host(&h, "airtime_fq", "", 16);
	fill(&h, 1, 1, 0);
	CHECK(get(&h, &ticket, 0));
	report(&h, &ticket, 5 * MS, 0);
	fill(&h, 1, 1, 101 * MS);
	CHECK_EQ(deficit(&h, 1), (s64)QUANTUM - (s64)(5 * MS));	/* it still has its turn */
	CHECK(get(&h, &ticket, 101 * MS) && !get(&h, &ticket, 101 * MS));
	report(&h, &ticket, 5 * MS, 101 * MS);
	fill(&h, 1, 1, 202 * MS);
	CHECK_EQ(deficit(&h, 1), (s64)QUANTUM);
	close_host(&h);
}

/* A station that was idle is before those that have a backlog, but does not stay so. */
static void new_first(void)
{
	struct host h;
	u64 air[2] = { 0 }, n = 0;
	u32 queued = 0;

	open_host(&h, "airtime_fq", "", 64);
	fill(&h, 1, 10, 0);
	fill(&h, 2, 10, 0);
	for (u32 i = 0; i < 5; i++)
		report(&h, (get(&h, &ticket, 0), &ticket), 300 * US, 0);
	for (u32 i = 0; i < 4; i++) {
		fill(&h, 9 + (u16)i, 1, i);
		CHECK_EQ(get(&h, &ticket, i)->sta, 9 + i);
		report(&h, &ticket, 300 * US, i);
	}
	close_host(&h);
	/* it sends its next packet whenever it has none */
	open_host(&h, "airtime_fq", "", 64);
	for (n = 0; n < 5000; n++) {
		u16 sta;

		refill(&h, 0, &queued, n);
		if (n % 2 == 0 && h.q->qlen == queued)
			fill(&h, 1, 1, n);
		sta = get(&h, &ticket, n)->sta;
		queued -= !sta;
		report(&h, &ticket, sta ? 2 * MS : 100 * US, n);
		air[sta] += sta ? 2 * MS : 100 * US;
		CHECK(air[1] <= air[0] + 2 * QUANTUM + 2 * MS);
	}
	CHECK(air[0] <= air[1] + 2 * QUANTUM + 2 * MS);
	close_host(&h);
}

/* ---- AQL ---- */

/* A host that has reported: of a station that has nothing to do with the others. */
static void open_reporting(struct host *h, const char *args, u32 packets)
{
	open_host(h, "airtime_fq", args, packets + 1);
	fill(h, 63, 1, 0);
	CHECK(get(h, &ticket, 0));
	report(h, &ticket, ticket.est, 0);
}

/* How many packets come now. */
static u32 comes(struct host *h, u64 now, struct at_ticket *t)
{
	u32 n = 0;

	while (get(h, &t[n], now))
		n++;
	return n;
}

/* One packet more than reaches the limit, each of 0.281926 ms: 43 are 12.12 ms, 18 are
 * 5.07; 43 and 43 are 24.25. */
static void aql_in_steps(void)
{
	static struct at_ticket a[64], b[64], c[64], d[256];
	struct host h;

	open_reporting(&h, NO_CODEL, 400);
	fill(&h, 1, 80, 0);
	CHECK_EQ(comes(&h, 0, a), 43);
	CHECK_EQ(stat(&h, "outstanding"), 43 * FULL_NS);
	CHECK_EQ(stat(&h, "held"), 1);
	fill(&h, 2, 80, 0);
	CHECK_EQ(comes(&h, 0, b), 43);
	fill(&h, 3, 80, 0);
	CHECK_EQ(comes(&h, 0, c), 18);
	/* 4.79 ms of station 3: one more; 11.84 of station 1: no */
	report(&h, &c[0], FULL_NS, 0);
	CHECK_EQ(get(&h, &c[0], 0)->sta, 3);
	report(&h, &a[0], FULL_NS, 0);
	CHECK(!get(&h, d, 0));
	/* 4.79 ms of station 1, while all have 29.32 less 25 */
	for (u32 i = 1; i < 18; i++)
		report(&h, &a[i], FULL_NS, 0);
	CHECK(!get(&h, d, 0));
	CHECK_EQ(stat(&h, "outstanding"), (25 + 43 + 18) * FULL_NS);
	report(&h, &a[18], FULL_NS, 0);
	/* 85 x 0.281926 = 23.96 ms: a packet, whosesoever, and 24 are reached */
	CHECK(get(&h, d, 0));
	CHECK(!get(&h, d, 0));
	change(&h, "aql=0", 0);
	CHECK(comes(&h, 0, d) > 50);
	close_host(&h);
}

/* A station that waits for the others' airtime goes on with the report of one of these,
 * who has no packets left: 43, 20 and 23 packets are 24.24 ms. */
static void aql_of_others(void)
{
	static struct at_ticket a[64], b[64], c[128];
	struct host h;

	open_reporting(&h, NO_CODEL, 200);
	fill(&h, 1, 43, 0);
	CHECK_EQ(comes(&h, 0, a), 43);
	fill(&h, 2, 20, 0);
	CHECK_EQ(comes(&h, 0, b), 20);
	fill(&h, 3, 80, 0);
	CHECK_EQ(comes(&h, 0, c), 23);
	report(&h, &a[0], FULL_NS, 0);
	CHECK_EQ(comes(&h, 0, c), 1);
	close_host(&h);
}

/* Who was held up has his turn before the others of his list. */
static void aql_held_first(void)
{
	static struct at_ticket t[64];
	struct host h;

	open_reporting(&h, NO_CODEL "aql_threshold=0", 100);
	fill(&h, 1, 40, 0);
	CHECK_EQ(comes(&h, 0, t), 18);
	fill(&h, 2, 30, 0);
	fill(&h, 3, 1, 0);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 2);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 3);
	report(&h, &t[0], FULL_NS, 0);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 1);
	close_host(&h);
}

/* Reports at random, of the true length or not; who gave a packet was allowed to, and
 * when none comes nobody is. */
static void aql_at_random(u64 seed, u32 stations)
{
	enum { MOST = 1024, STATIONS = 5 };
	static struct at_ticket open[MOST];
	static u16 whose[MOST];
	struct host h;
	u64 out[STATIONS] = { 0 }, all = 0;
	u32 n = 0, queued[STATIONS] = { 0 }, none = 0, given = 0;

	open_reporting(&h, NO_CODEL, 64);
	for (u32 step = 0; step < 20000; step++) {
		for (u16 i = 0; i < stations; i++)
			refill(&h, i, &queued[i], step);
		if (n && !below(&seed, 3)) {
			u32 k = (u32)below(&seed, n);

			out[whose[k]] -= open[k].est;
			all -= open[k].est;
			report(&h, &open[k], open[k].est / 2 + below(&seed, open[k].est + whose[k] * MS), step);
			open[k] = open[--n];
			whose[k] = whose[n];
		} else {
			struct at_pkt *p = get(&h, &ticket, step);
			bool may[STATIONS];

			for (u32 i = 0; i < stations; i++) {
				may[i] = out[i] < 5 * MS || (all < 24 * MS && out[i] < 12 * MS);
				CHECK(p || !may[i]);
			}
			none += !p;
			if (!p)
				continue;
			CHECK(may[p->sta]);
			given++;
			queued[p->sta]--;
			out[p->sta] += ticket.est;
			all += ticket.est;
			CHECK_EQ(cell(&h, p->sta, "outstanding"), out[p->sta]);
			open[n] = ticket;
			whose[n++] = p->sta;
		}
		CHECK_EQ(stat(&h, "outstanding"), all);
	}
	CHECK(none > 1000 && given > 3000);
	close_host(&h);
}

/* A report that never comes is waited for 250 ms; wake() says so. One that comes after
 * that is charged. */
static void expiry(void)
{
	static struct at_ticket t[64];
	struct host h;
	s64 before;

	open_reporting(&h, NO_CODEL, 400);
	fill(&h, 1, 200, 0);
	CHECK(get(&h, &t[0], 0));
	report(&h, &t[0], FULL_NS, 0);
	CHECK_EQ(comes(&h, 10 * MS, t), 43);
	CHECK_EQ(h.q->ops->wake(h.q, 10 * MS), 260 * MS);
	CHECK(!get(&h, &ticket, 260 * MS - 1));
	h.q->ops->tick(h.q, 260 * MS);
	CHECK_EQ(stat(&h, "outstanding"), 0);
	CHECK_EQ(stat(&h, "expired"), 43);
	CHECK_EQ(comes(&h, 260 * MS, t + 1), 43);
	/* the first ones were charged at dequeue; a late report settles that */
	before = deficit(&h, 1);
	report(&h, &t[0], FULL_NS + MS, 261 * MS);
	CHECK_EQ(deficit(&h, 1), before - (s64)MS);
	CHECK_EQ(stat(&h, "outstanding"), 43 * FULL_NS);
	CHECK(!get(&h, &ticket, 261 * MS));
	/* no tick: the next dequeue sees to it */
	CHECK(get(&h, &ticket, 510 * MS));
	close_host(&h);
	open_reporting(&h, NO_CODEL "aql_expiry=50000000", 100);
	fill(&h, 1, 90, 0);
	CHECK_EQ(h.q->ops->wake(h.q, 0), AT_NEVER);
	CHECK_EQ(comes(&h, 0, t), 43);
	CHECK_EQ(h.q->ops->wake(h.q, 0), 50 * MS);
	close_host(&h);
}

/* Who never reports never waits: AQL begins with the first report. */
static void never_reported(void)
{
	static struct at_ticket t[400];
	struct host h;

	open_host(&h, "airtime_fq", NO_CODEL, 400);
	fill(&h, 1, 300, 0);
	CHECK_EQ(comes(&h, 0, t), 300);
	report(&h, &t[0], FULL_NS, MS);
	fill(&h, 1, 50, MS);
	CHECK(!get(&h, &ticket, MS));
	CHECK_EQ(comes(&h, 250 * MS, t), 43);
	/* a reset forgets what is outstanding */
	h.q->ops->reset(h.q, 252 * MS);
	CHECK_EQ(stat(&h, "outstanding"), 0);
	fill(&h, 1, 100, 252 * MS);
	CHECK(comes(&h, 252 * MS, t) < 60);
	close_host(&h);
}

/* Of three reports one is lost, one late and doubled: whatever is queued goes, and
 * nobody waits for longer than the expiry. */
static void lost_reports(u64 seed)
{
	struct at_ticket late = { 0 };
	struct host h;
	u64 now = 0, last = 0;
	u32 queued[4] = { 0 }, given = 0;

	open_reporting(&h, NO_CODEL, 64);
	while (given < 20000) {
		struct at_pkt *p;

		for (u16 i = 0; i < 4; i++)
			refill(&h, i, &queued[i], now);
		while (!(p = get(&h, &ticket, now))) {
			u64 at = h.q->ops->wake(h.q, now);

			CHECK(at > now && at <= last + 250 * MS);
			now = at;
			h.q->ops->tick(h.q, now);
		}
		last = now;
		given++;
		queued[p->sta]--;
		now += 300 * US;
		switch (below(&seed, 3)) {
		case 0:
			report(&h, &ticket, 300 * US, now);
			break;
		case 1:
			report(&h, &late, 300 * US, now);
			report(&h, &late, 300 * US, now);
			late = ticket;
			break;
		default:
			break;
		}
	}
	CHECK(stat(&h, "expired") > 1000);
	close_host(&h);
}

/* More outstanding than there are tickets: the oldest ones are given up. */
static void overtaken(void)
{
	struct host h;

	open_host(&h, "airtime_fq", NO_CODEL "aql=0 limit=10000", 5000);
	fill(&h, 1, 5000, 0);
	for (u32 i = 0; i < 5000; i++)
		CHECK(get(&h, &ticket, 0));
	CHECK_EQ(stat(&h, "outstanding"), 4096ull * FULL_NS);
	close_host(&h);
}

/* ---- estimates ---- */

static void from_the_link(void)
{
	struct at_link l = { .sta = 1, .here = true, .rate_kbps = 6000, .ampdu_frames = 2, .ampdu_ns = 4511712 };
	struct host h;

	open_host(&h, "airtime_fq", "", 64);
	fill(&h, 1, 9, 0);
	h.q->ops->link(h.q, &l, 0);
	CHECK(get(&h, &ticket, 0));
	CHECK(ticket.est > 2255856 - 300 && ticket.est <= 2255856);	/* in units of FULL_NS / 1024 */
	/* what reports have shown is not overruled by the same word again */
	report(&h, &ticket, 2255856 + 8 * FULL_NS, 0);
	h.q->ops->link(h.q, &l, 0);
	CHECK(get(&h, &ticket, 0));
	CHECK(ticket.est > 2255856 + FULL_NS - 600 && ticket.est < 2255856 + FULL_NS + 300);
	l.rate_kbps = 54000;
	l.ampdu_ns = 2 * FULL_NS;
	h.q->ops->link(h.q, &l, 0);
	report(&h, &ticket, 0, 0);
	CHECK(get(&h, &ticket, 0));
	CHECK_EQ(ticket.est, FULL_NS * 896ull / 1024);	/* 1 and an eighth of the way to 0 */
	/* it left */
	h.q->ops->link(h.q, &(struct at_link){ .sta = 1 }, 0);
	CHECK_EQ(cell(&h, 1, "scale"), 0);
	CHECK_EQ(deficit(&h, 1), (s64)QUANTUM);
	close_host(&h);
}

/* ---- flows ---- */

/* The queue with the most bytes, whosesoever, loses the oldest half, at most a batch. */
static void overflow(void)
{
	struct host h;

	open_host(&h, "airtime_fq", NO_CODEL "limit=100", 300);
	for (u32 i = 0; i < 40; i++) {
		struct at_pkt *p = new_pkt(&h, 1, 1500);

		p->sta = 1;
		p->handle = i;
		CHECK_EQ(push(&h, p, 0), AT_OK);
	}
	for (u32 i = 0; i < 60; i++)
		CHECK_EQ(put_to(&h, 2, 2, 100, 0), AT_OK);
	CHECK_EQ(put_to(&h, 2, 2, 100, 0), AT_OK);
	CHECK_EQ(h.drops, 20);
	CHECK(h.last_drop->flow == 1 && h.last_drop->handle == 19 && h.last_why == AT_R_PUSHOUT);
	CHECK_EQ(cell(&h, 1, "backlog"), 20);
	CHECK_EQ(cell(&h, 2, "backlog_bytes"), 6100);
	close_host(&h);
	/* also where it is a station's own queue */
	open_host(&h, "airtime_fq", NO_CODEL "limit=100 flows=1", 300);
	for (u32 i = 0; i < 10; i++)
		put_to(&h, 1, 1, 1500, 0);
	for (u32 i = 0; i < 91; i++)
		put_to(&h, 2, 2, 1500, 0);
	CHECK_EQ(h.drops, 32);
	CHECK_EQ(h.last_drop->flow, 2);
	CHECK_EQ(cell(&h, 1, "backlog"), 10);
	close_host(&h);
}

/* Flows of a station share its bytes, whatever their packets. */
static void bytes_are_fair(void)
{
	static const u32 bytes[] = { 1500, 300 };
	struct host h;
	u64 sent[2] = { 0 };
	u32 queued[2] = { 0 };

	open_host(&h, "airtime_fq", NO_CODEL, 64);
	for (u32 n = 0; n < 10000; n++) {
		struct at_pkt *p;

		for (u32 f = 0; f < 2; f++)
			for (; queued[f] < 9; queued[f]++)
				put_to(&h, 7, f, bytes[f], n);
		p = get(&h, &ticket, n);
		report(&h, &ticket, FULL_NS, n);
		queued[p->flow]--;
		sent[p->flow] += p->bytes;
		CHECK(sent[0] < sent[1] + 300 + 1500 && sent[1] < sent[0] + 300 + 1500);
	}
	close_host(&h);
}

/* A packet comes and one goes each millisecond, with 40 queued. Above 20 ms from the
 * first that had waited so long, at 20 ms: drops at 120, 220, 100 / sqrt 2 and 100 / sqrt 3
 * later. A game beside it loses nothing. */
static void codel(void)
{
	struct host h;
	u32 games = 0;

	open_host(&h, "airtime_fq", "", 200);
	fill(&h, 1, 40, 0);
	for (u32 ms = 1; ms < 399; ms++) {
		u32 drops = ms < 120 ? 0 : ms < 220 ? 1 : ms < 291 ? 2 : ms < 349 ? 3 : 4;
		struct at_pkt *p;

		fill(&h, 1, 1, ms * MS);
		if (ms % 40 == 20)
			put_to(&h, 1, 77, 200, ms * MS);
		do {
			p = get(&h, &ticket, ms * MS);
			CHECK(p);
			report(&h, &ticket, FULL_NS, ms * MS);
			games += p->flow == 77;
		} while (p->flow == 77);
		CHECK_EQ(h.drops, drops);
	}
	CHECK(games == 10 && stat(&h, "codel_drops") == 4);
	close_host(&h);
}

static u32 next_handle(struct host *h)
{
	u32 handle = get(h, &ticket, h->now)->handle;

	report(h, &ticket, 10 * US, h->now);
	return handle;
}

static void put_named(struct host *h, u16 sta, u32 handle)
{
	struct at_pkt *p = new_pkt(h, sta, 1500);

	p->sta = sta;
	p->handle = handle;
	push(h, p, h->now);
}

/* Of two stations whose flows have one hash each has its turns, in order, also when the
 * one that had the queue is gone. */
static void collisions(void)
{
	struct host h;

	open_host(&h, "airtime_fq", "flows=1 quantum=1500", 64);
	for (u32 i = 0; i < 3; i++)
		put_named(&h, 1, 10 + i);
	CHECK_EQ(stat(&h, "collisions"), 0);
	for (u32 i = 0; i < 3; i++)
		put_named(&h, 2, 20 + i);
	CHECK_EQ(stat(&h, "collisions"), 3);
	for (u32 i = 0; i < 3; i++)
		CHECK_EQ(next_handle(&h), 10 + i);
	CHECK_EQ(next_handle(&h), 20);	/* station 1 goes to the old ones */
	fill(&h, 3, 1, h.now);
	while (h.q->qlen > 2)
		get(&h, &ticket, h.now);
	close_host(&h);
	/* the queue is free, but station 2 has a packet elsewhere */
	open_host(&h, "airtime_fq", "flows=1 quantum=1500", 64);
	put_named(&h, 1, 10);
	put_named(&h, 2, 20);
	put_named(&h, 2, 21);
	put_named(&h, 2, 22);
	CHECK_EQ(next_handle(&h), 10);
	CHECK_EQ(next_handle(&h), 20);
	report(&h, &ticket, 0, h.now);
	/* station 2 uses much; station 1 is found empty and leaves */
	hear_from(&h, 2, 5 * MS, h.now);
	CHECK_EQ(next_handle(&h), 21);
	put_named(&h, 2, 23);
	CHECK_EQ(next_handle(&h), 22);
	CHECK_EQ(next_handle(&h), 23);
	close_host(&h);
}

/* ---- stations ---- */

/* A station that is closed keeps its place, its deficit and its packets. */
static void closed(void)
{
	struct host h;

	open_reporting(&h, NO_CODEL, 64);
	for (u16 sta = 1; sta < 4; sta++)
		fill(&h, sta, 4, 0);
	/* 1 and 2 are old ones with 256 us less 300 and a quantum; so is 3 when it has its turn */
	for (u16 sta = 1; sta < 4; sta++) {
		CHECK_EQ(get(&h, &ticket, 0)->sta, sta);
		report(&h, &ticket, 300 * US, 0);
	}
	gate(&h, 1, false);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 2);
	report(&h, &ticket, 212 * US, 0);	/* 0 is left: it keeps the turn */
	gate(&h, 1, true);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 1);
	report(&h, &ticket, 242 * US, 0);
	CHECK_EQ(deficit(&h, 1), -(s64)(30 * US));
	gate(&h, 1, false);
	for (u32 i = 0; i < 50; i++) {
		if (h.q->qlen == h.q->parked)
			break;
		CHECK(get(&h, &ticket, 0)->sta != 1);
		report(&h, &ticket, 300 * US, 0);
	}
	CHECK(!get(&h, &ticket, 0));
	CHECK_EQ(h.q->parked, 2);
	CHECK_EQ(deficit(&h, 1), -(s64)(30 * US));
	fill(&h, 2, 2, 0);
	gate(&h, 1, true);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 2);	/* a new one */
	CHECK_EQ(comes(&h, 0, (struct at_ticket[8]){ { 0 } }), 3);
	close_host(&h);
}

/* Packets without a station are a station. Multicast counts for itself alone: 178 packets
 * are 50.18 ms. */
static void groups(void)
{
	static struct at_ticket t[256];
	struct host h;

	open_reporting(&h, NO_CODEL, 800);
	for (u32 i = 0; i < 90; i++)
		put_to(&h, AT_NO_STA, i, 1500, 0);
	for (u32 i = 0; i < 300; i++)
		put_to(&h, AT_GROUP, 1, 1500, 0);
	CHECK_EQ(comes(&h, 0, t), 43 + 178);
	CHECK_EQ(cell(&h, 257, "outstanding"), 43 * FULL_NS);
	CHECK_EQ(cell(&h, 256, "outstanding"), 178 * FULL_NS);
	CHECK_EQ(stat(&h, "held"), 2);
	/* 24 ms in all are those of stations: 43 of 12.12 ms do not reach them */
	fill(&h, 1, 80, 0);
	CHECK_EQ(comes(&h, 0, t), 43);
	CHECK_EQ(cell(&h, 1, "outstanding"), 43 * FULL_NS);
	close_host(&h);
}

/* Multicast has a packet in each round and no debt, however long its packets took. With a
 * station of packets of 256 us it has every other one, with one of 128 us every third. */
static void group_turns(void)
{
	static const struct {
		u64 takes;
		const char *order;
	} cases[] = { { 256 * US, "110101010101010" }, { 128 * US, "111011011011011" } };

	for (u32 i = 0; i < 2; i++) {
		struct host h;

		open_reporting(&h, NO_CODEL, 100);
		fill(&h, 1, 30, 0);
		for (u32 n = 0; n < 20; n++)
			put_to(&h, AT_GROUP, 1, 1500, 0);
		for (const char *c = cases[i].order; *c; c++) {
			bool group = get(&h, &ticket, 0)->sta == AT_GROUP;

			CHECK_EQ(group, *c == '0');
			report(&h, &ticket, group ? 10 * MS : cases[i].takes, 0);
		}
		CHECK_EQ(deficit(&h, 256), (s64)QUANTUM);
		close_host(&h);
	}
}

/* With its limit reached it waits for a report, and has its turn behind station 1;
 * station 2 became an old one after that. */
static void group_released(void)
{
	static struct at_ticket t[256];
	struct host h;

	open_reporting(&h, NO_CODEL, 800);
	for (u32 n = 0; n < 300; n++)
		put_to(&h, AT_GROUP, 1, 1500, 0);
	CHECK_EQ(comes(&h, 0, t), 178);
	fill(&h, 1, 3, 0);
	fill(&h, 2, 3, 0);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 1);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 2);
	report(&h, &t[0], FULL_NS, 0);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 1);
	CHECK_EQ(get(&h, &ticket, 0)->sta, AT_GROUP);
	CHECK_EQ(get(&h, &ticket, 0)->sta, 2);
	close_host(&h);
}

/* In Linux 6.12 multicast has no limit, and nothing of it is in that of others. */
static void group_unlimited(void)
{
	static struct at_ticket t[512];
	struct host h;

	open_reporting(&h, NO_CODEL "rule=1", 800);
	for (u32 n = 0; n < 300; n++)
		put_to(&h, AT_GROUP, 1, 1500, 0);
	CHECK_EQ(comes(&h, 0, t), 300);
	for (u32 n = 0; n < 300; n++)
		put_to(&h, AT_GROUP, 1, 1500, 0);
	change(&h, "rule=0", 0);
	CHECK_EQ(comes(&h, 0, t), 0);
	change(&h, "rule=1", 0);
	CHECK_EQ(comes(&h, 0, t), 300);
	fill(&h, 1, 80, 0);
	CHECK_EQ(comes(&h, 0, t), 43);
	close_host(&h);
}

/* Urgent packets go before turns and limits, and are charged. */
static void urgent(void)
{
	static struct at_ticket t[64];
	struct at_pkt *p;
	struct host h;

	open_reporting(&h, NO_CODEL, 200);
	fill(&h, 1, 60, 0);
	CHECK_EQ(comes(&h, 0, t), 43);
	p = new_pkt(&h, 1, 100);
	p->sta = 1;
	p->cls = AT_URGENT;
	push(&h, p, 0);
	CHECK_EQ(get(&h, &ticket, 0)->cls, AT_URGENT);
	CHECK_EQ(ticket.est, 59704 + 100 * 37926 / 256);
	CHECK_EQ(stat(&h, "outstanding"), 43 * FULL_NS + ticket.est);
	CHECK_EQ(deficit(&h, 1), (s64)QUANTUM * 48 - 43 * (s64)FULL_NS - ticket.est);
	report(&h, &ticket, 10 * MS, 0);
	CHECK_EQ(stat(&h, "urgent_air"), 10 * MS);
	close_host(&h);
}

int main(void)
{
	CASE(figures());
	CASE(turns());
	CASE(air_is_fair(NO_CODEL, QUANTUM));
	CASE(air_is_fair(NO_CODEL "air_quantum=32000", 32 * US));
	CASE(air_is_fair(NO_CODEL "air_quantum=4000000", 4 * MS));
	for (u64 seed = 1; seed <= 8; seed++)
		CASE(like_the_model(seed));
	CASE(uplink_is_charged());
	CASE(settled());
	CASE(idle());
	CASE(new_first());
	CASE(aql_in_steps());
	CASE(aql_of_others());
	CASE(aql_held_first());
	for (u64 seed = 1; seed <= 4; seed++)
		CASE(aql_at_random(seed, seed % 2 ? 3 : 5));
	CASE(expiry());
	CASE(never_reported());
	CASE(lost_reports(1));
	CASE(overtaken());
	CASE(from_the_link());
	CASE(overflow());
	CASE(bytes_are_fair());
	CASE(codel());
	CASE(collisions());
	CASE(closed());
	CASE(groups());
	CASE(group_turns());
	CASE(group_released());
	CASE(group_unlimited());
	CASE(urgent());
	return 0;
}
