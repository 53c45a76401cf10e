/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Floods from a stranger against one sender that slows down on loss and somebody
 * who sends a packet of a new flow twice a second (a name looked up, a connection
 * opened): docs/chap.md, "Floods". A link of a packet a ms; two packets of the
 * flood come in each ms. AT_VERBOSE=1 prints the table.
 */
#include "senders.h"

#define STRANGER 50u		/* source hosts */
#define VISITOR 60u
#define FLOOD (1u << 20)	/* flows from here on, and of the visitor from VISITS on */
#define VISITS (1u << 30)

struct flood {
	const char *name;
	u32 bytes;
	u8 class;
	bool new_flows, spoofed;
};

static const struct flood floods[] = {
	{ "none", 0, 0, false, false },
	{ "1400 bytes, urgent", 1400, AT_URGENT, false, false },
	{ "60 bytes, urgent", 60, AT_URGENT, false, false },
	{ "new flows of one host", 100, 0, true, false },
	{ "new flows, sources drawn", 100, 0, true, true },
};

struct result {
	u32 sender, flood;		/* packets, thousandths of the link */
	u32 lost, median, worst;	/* of the visitor's packets: of 100; ms */
};

struct street {
	struct loop l;		/* first: senders.h finds it */
	u32 lost, flows;
};

static void on_loss(struct at_qdisc *q, struct at_pkt *p, enum at_reason why)
{
	struct street *s = q->host;

	if (p->flow >= VISITS)
		s->lost++;
	loop_drop(q, p, why);
}

static void send_from(struct loop *l, u32 source, u32 flow, u32 bytes, u8 class)
{
	struct at_pkt *p = new_pkt(&l->h, flow, bytes);

	CHECK(p);
	p->handle = l->ms;
	p->source = source;
	p->sta = AT_NO_STA;
	p->cls = class;
	push(&l->h, p, l->ms * MS);
}

static void flood_comes(struct street *s, const struct flood *f)
{
	for (u32 i = 0; f->bytes && i < 2; i++) {
		u32 flow = FLOOD + (f->new_flows ? s->flows++ : 0);

		send_from(&s->l, f->spoofed ? flow * 2654435761u : STRANGER, flow, f->bytes, f->class);
	}
}

static int ascending(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static struct result run(const char *kind, const char *args, const struct flood *f)
{
	static struct street s;
	static u32 wait[END / 500];
	struct loop *l = &s.l;
	struct result r = { 0 };
	u32 sent = 0, flooded = 0, visits = 0;

	memset(&s, 0, sizeof(s));
	open_host(&l->h, kind, args, 1200);
	l->h.q->drop = on_loss;
	for (; l->ms < END; l->ms++) {
		struct at_ticket t;
		struct at_pkt *p;

		sender_acts(l, 0);
		if (l->ms >= FROM / 2)
			flood_comes(&s, f);
		if (l->ms >= FROM && l->ms % 500 == 250)
			send_from(l, VISITOR, VISITS + l->ms, 100, 0);
		p = get(&l->h, &t, l->ms * MS);
		if (!p)
			continue;
		report(&l->h, &t, MS, l->ms * MS);
		if (p->flow < SENDERS)
			l->sender[p->flow].acks[l->ms + PATH]++;
		if (l->ms < FROM)
			continue;
		sent += p->flow < SENDERS;
		flooded += p->flow >= FLOOD && p->flow < VISITS;
		if (p->flow >= VISITS)
			wait[visits++] = l->ms - p->handle;
	}
	qsort(wait, visits, sizeof(*wait), ascending);
	r.sender = sent / ((END - FROM) / 1000);
	r.flood = flooded / ((END - FROM) / 1000);
	r.lost = s.lost;
	r.median = visits ? wait[visits / 2] : 0;
	r.worst = visits ? wait[visits - 1] : 0;
	close_host(&l->h);
	if (getenv("AT_VERBOSE"))
		printf("%-26s %-8s %-19s sender %4u, flood %4u of 1000; new flow %3u of 100 lost, median %3u, worst %3u ms\n",
		       f->name, kind, args, r.sender, r.flood, r.lost, r.median, r.worst);
	return r;
}

int main(void)
{
	static const char *const kinds[] = { "fifo", "spq", "fq_codel", "chap", "chap" };

	for (u32 i = 0; i < sizeof(floods) / sizeof(*floods); i++) {
		struct result r[5], off = run("chap", FLAT "limit=1000 target=0", &floods[i]);
		bool flood = floods[i].bytes;

		for (u32 k = 0; k < 5; k++)
			r[k] = run(kinds[k], k == 3 ? FLAT "limit=1000" : k == 4 ? SHARED "limit=1000" : "limit=1000", &floods[i]);
		/* the sender keeps its half, or what it has alone: of the link, or of
		 * what it gets of it with its backlog kept short */
		CHECK(off.sender >= (flood ? 490 : 990));
		CHECK(r[3].sender >= (flood ? 440 : r[2].sender));
		/* whoever can be told from the stranger is served at once; at the worst
		 * after the credit that the sender has from its pauses */
		if (!floods[i].spoofed) {
			CHECK(off.lost == 0 && off.worst <= 4);
			CHECK(r[3].lost == 0 && r[3].median <= 4 && r[3].worst <= 25);
		}
		/* shares of hosts lose no tenth of that */
		CHECK(r[4].sender * 10 >= r[3].sender * 9);
		if (!floods[i].spoofed)
			CHECK(r[4].lost == 0 && r[4].worst <= r[3].worst);
		/* else nobody would need it: what the others make of it */
		if (floods[i].new_flows)
			CHECK(r[2].sender == 0 && r[2].lost > 50);
	}
	return 0;
}
