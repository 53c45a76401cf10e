/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * links, for tests of all hosts: keeps what it is told of stations' links, a row
 * each, the oldest first, and sends packets on as they come.
 */
#include "airtab/gate.h"

#define LINKS_KEPT 1024u

enum { P_LIMIT, P_END };
enum { S_CALLS, S_END };
enum {
	R_TIME, R_STATION, R_HERE, R_PHY, R_STREAMS, R_RATE, R_FRAMES, R_DURATION, R_FREE,
	R_BELOW_BYTES, R_BELOW_NS, R_END
};

struct links {
	struct at_line line;
	u64 limit, calls;
	u64 rows[LINKS_KEPT][R_END];
};

static const struct at_param links_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit", .help = "packets",
		.source = "tests", .def = 1000, .min = 1, .max = 100000,
	},
	[P_END] = { 0 },
};

static const struct at_stat links_stats[] = {
	[S_CALLS] = { .id = 1, .unit = AT_COUNT, .counter = true, .name = "calls", .help = "of link" },
	[S_END] = { 0 },
};

static const struct at_stat links_row_stats[] = {
	[R_TIME] = { .id = 1, .unit = AT_NS, .name = "time", .help = "of the call" },
	[R_STATION] = { .id = 2, .unit = AT_COUNT, .name = "station", .help = "sta" },
	[R_HERE] = { .id = 3, .unit = AT_BOOL, .name = "here", .help = "here" },
	[R_PHY] = { .id = 4, .unit = AT_COUNT, .name = "phy", .help = "phy" },
	[R_STREAMS] = { .id = 5, .unit = AT_COUNT, .name = "streams", .help = "nss" },
	[R_RATE] = { .id = 6, .unit = AT_COUNT, .name = "rate", .help = "rate_kbps" },
	[R_FRAMES] = { .id = 7, .unit = AT_COUNT, .name = "frames", .help = "ampdu_frames" },
	[R_DURATION] = { .id = 8, .unit = AT_NS, .name = "duration", .help = "ampdu_ns" },
	[R_FREE] = { .id = 9, .unit = AT_PPM, .name = "free", .help = "free_ppm" },
	[R_BELOW_BYTES] = { .id = 10, .unit = AT_BYTES, .name = "below", .help = "below_bytes" },
	[R_BELOW_NS] = { .id = 11, .unit = AT_NS, .name = "below_time", .help = "below_ns" },
	[R_END] = { 0 },
};

static struct links *links_priv(const struct at_qdisc *q)
{
	return (struct links *)q->state;
}

static u64 links_state_size(const struct at_vals *v)
{
	(void)v;
	return sizeof(struct links);
}

static bool links_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	(void)now;
	links_priv(q)->limit = *v[P_LIMIT].v;
	return false;
}

static void links_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	(void)seed;
	links_change(q, v, now);
}

static void links_reset(struct at_qdisc *q, u64 now)
{
	(void)now;
	while (q->qlen)
		at_book_drop(q, at_line_pop(&links_priv(q)->line), AT_R_RESET);
}

static enum at_verdict links_enqueue(struct at_qdisc *q, struct at_pkt *p, u64 now)
{
	(void)now;
	if (q->qlen >= links_priv(q)->limit)
		return at_book_refuse(q, p, AT_R_LIMIT);
	at_fifo_push(&links_priv(q)->line.fifo, p);
	at_book_in(q, p);
	return AT_OK;
}

static struct at_pkt *links_drain(struct at_qdisc *q)
{
	struct at_pkt *p = at_line_pop(&links_priv(q)->line);

	if (p)
		at_book_out(q, p);
	return p;
}

static struct at_pkt *links_dequeue(struct at_qdisc *q, struct at_ticket *t, u64 now)
{
	struct at_pkt *p = at_line_first(q, &links_priv(q)->line);

	(void)now;
	memset(t, 0, sizeof(*t));
	if (p)
		at_book_out(q, at_line_take(&links_priv(q)->line));
	return p;
}

static void links_gate(struct at_qdisc *q, u16 sta, bool open, u64 now)
{
	(void)now;
	if (at_gate_turn(q, sta, open))
		at_line_turned(q, &links_priv(q)->line, sta, open);
}

static void links_link(struct at_qdisc *q, const struct at_link *l, u64 now)
{
	struct links *s = links_priv(q);
	u64 *row;

	if (s->calls++ >= LINKS_KEPT)
		return;
	row = s->rows[s->calls - 1];
	row[R_TIME] = now;
	row[R_STATION] = l->sta;
	row[R_HERE] = l->here;
	row[R_PHY] = l->phy;
	row[R_STREAMS] = l->nss;
	row[R_RATE] = l->rate_kbps;
	row[R_FRAMES] = l->ampdu_frames;
	row[R_DURATION] = l->ampdu_ns;
	row[R_FREE] = l->free_ppm;
	row[R_BELOW_BYTES] = l->below_bytes;
	row[R_BELOW_NS] = l->below_ns;
}

static void links_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	(void)now;
	v[S_CALLS] = links_priv(q)->calls;
}

static u32 links_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct links *s = links_priv(q);

	(void)now;
	*found = cursor < s->calls && cursor < LINKS_KEPT;
	if (!*found)
		return 0;
	memcpy(cols, s->rows[cursor], sizeof(s->rows[cursor]));
	return cursor + 1;
}

const struct at_ops at_links_ops = {
	.name = "links",
	.about = "what the host says of links",
	.params = links_params,
	.stats = links_stats,
	.row_stats = links_row_stats,
	.state_size = links_state_size,
	.init = links_init,
	.change = links_change,
	.reset = links_reset,
	.enqueue = links_enqueue,
	.dequeue = links_dequeue,
	.drain = links_drain,
	.gate = links_gate,
	.link = links_link,
	.read = links_read,
	.row = links_row,
};
