/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * vfq: every station is charged the airtime of what it receives and of what the
 * acknowledgements that it gets prove it has sent; the one that has had least of its share
 * goes first. So uploads do not starve downloads, by control of the downlink alone.
 *
 * Source: P. Starzetz, thesis, INPG Grenoble 2006, 9.2 (VFQ: generalised WF2Q+, its cost,
 * splitting), 9.3 (parameters: table 9.1). docs/vfq.md.
 *
 * Rules
 *  - A station is a class of WF2Q+ (wf2q.h). A data packet costs the airtime of its exchange
 *    and of the TCP acknowledgement that will answer it; a pure acknowledgement its own and
 *    that of the data that it is the first to acknowledge (vfq_acks.c); what is not TCP, or
 *    opaque, its own. Airtime is that of the station's link with the contention of all
 *    stations that have packets (aircost.h).
 *  - The flows of a station take turns, packet by packet (`inner` = rr), or the one with most
 *    credit goes, as in chap (credit: half and I more for all when nobody has any).
 *  - An acknowledgement of more than `ack_burst` segments is not released at once: ones that
 *    are made go ahead of it, each of so many segments and each in a turn of its own, so
 *    that no number goes back or beyond the one received, and SACK blocks stay with the
 *    last. Where the host cannot make them the whole one goes.
 *  - Of a data packet that leaves and the pure acknowledgement next to it in its flow only the
 *    packet goes, and says what both said (`merge`), unless that is more than `ack_burst`
 *    segments; never a duplicate, nor one with SACK blocks.
 *  - A station holds `station_limit` packets, or two aggregates, or as many full ones as take
 *    100 ms where all stations take turns, if one of these is more: with less a fast station
 *    could not use its share. More, or more than `limit` in all, and the longest flow of
 *    the longest box loses its oldest.
 *  - CoDel (codel.h, 100 ms) decides over each packet of a flow. Its target is `target`, or
 *    two full packets' time where all stations take turns.
 *  - A report of what a packet took settles what it was charged (`sent`). Reports of uplink
 *    frames (`heard`) take the place of inference: of each station, from its first on, until
 *    there was none for `idle` (uplink = auto).
 *  - AT_URGENT packets go first within narrow bounds (urgent.h); their station pays.
 *  - faithful: as the thesis's ns-2 module: no settling, tail drop, no CoDel, segments without
 *    headers, a duplicate acknowledgement charged a segment and its data once more. With
 *    udp = first, what is not TCP goes before all, 100 packets at most.
 *
 * A UDP upload cannot be slowed by anything here: what is heard of it is charged to its
 * station, whose downloads pay.
 *
 * Cost: O(log stations) a packet, with inner = credit O(flows of the station that have
 * packets) more. A drop for room looks at all stations and at the flows of one. Memory: at
 * most 160 bytes a flow and 224 a station (asserted below).
 *
 * What this is not: no location-dependent loss, no access categories.
 *
 * Defaults: 500 packets, 10 a station, 256 stations, 4096 flows, weights 1, bursts of 4
 * segments, merging, 1500 bytes, 30 s idle, target 5 ms; 54 Mb/s of 802.11g until a link is told.
 */
#include "vfq_state.h"

enum { P_LIMIT, P_STATION_LIMIT, P_STATIONS, P_FLOWS, P_WEIGHT, P_DOWNLOAD_WEIGHT, P_UPLOAD_WEIGHT,
       P_ACK_BURST, P_CHARGE, P_MTU, P_DUPACK, P_PHY, P_RATE, P_IDLE, P_UDP, P_UPLINK, P_INNER,
       P_TARGET, P_PROFILE, P_MERGE, P_END };
enum { S_ACTIVE, S_FLOWS, S_EVICTIONS, S_SPLIT, S_REFUSED, S_SETTLED, S_STALE, S_MARKS, S_CODEL_DROPS,
       S_URGENT, S_URGENT_OVER, S_URGENT_AIR, S_MERGED, S_END };
enum { R_STATION, R_BACKLOG, R_BACKLOG_BYTES, R_WEIGHT, R_DOWN, R_UP, R_HEARD, R_SPLIT, R_REFUSED, R_MERGED, R_END };

#define MS 1000000u
#define SEC 1000000000ull
#define INCREMENT (25 * (s64)MS)	/* of inner = credit: chap's */

_Static_assert(sizeof(struct at_vfq_flow) <= 160, "docs/vfq.md states the memory a flow");
_Static_assert(sizeof(struct at_vfq_box) <= 224, "docs/vfq.md states the memory a station");

static const char *const vfq_charges[] = { "segment", "packet", NULL };
static const char *const vfq_udps[] = { "fair", "first", NULL };
static const char *const vfq_uplinks[] = { "ack", "heard", "auto", NULL };
static const char *const vfq_inners[] = { "rr", "credit", NULL };
static const char *const vfq_profiles[] = { "default", "faithful", NULL };

static const struct at_param vfq_params[] = {
	[P_LIMIT] = {
		.id = 1, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all stations together (ns-2: QueueLength)",
		.source = "VFQ thesis table 9.1", .def = 500, .min = 1, .max = 1u << 20,
	},
	[P_STATION_LIMIT] = {
		.id = 2, .unit = AT_COUNT, .max_len = 1, .name = "station_limit",
		.help = "packets of a station, or two aggregates or 100 ms of its turns, if one is more and not in faithful (ns-2: BoxMaxLen)",
		.source = "VFQ thesis table 9.1", .def = 10, .min = 1, .max = 4096,
	},
	[P_STATIONS] = {
		.id = 3, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "stations",
		.help = "stations told apart; numbers from here on share with those below (ns-2: BoxesMaxCount)",
		.source = "docs/vfq.md", .def = 256, .min = 1, .max = 4096,
	},
	[P_FLOWS] = {
		.id = 4, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "flows",
		.help = "flows known at a time", .source = "docs/vfq.md", .def = 4096, .min = 2,
		.max = 65536,
	},
	[P_WEIGHT] = {
		.id = 5, .unit = AT_Q16, .max_len = AT_VFQ_WEIGHTS, .name = "weight",
		.help = "shares of stations 0, 1, ..; the last holds for all that follow",
		.source = "VFQ thesis 9.2.1", .def = AT_WF2Q_ONE, .min = AT_WF2Q_WEIGHT_MIN,
		.max = AT_WF2Q_WEIGHT_MAX,
	},
	[P_DOWNLOAD_WEIGHT] = {
		.id = 6, .unit = AT_Q16, .max_len = 1, .name = "download_weight",
		.help = "factor of a station first seen with a download (ns-2: DownloadWeight)",
		.source = "VFQ thesis table 9.1", .def = AT_WF2Q_ONE, .min = AT_WF2Q_WEIGHT_MIN,
		.max = AT_WF2Q_WEIGHT_MAX,
	},
	[P_UPLOAD_WEIGHT] = {
		.id = 7, .unit = AT_Q16, .max_len = 1, .name = "upload_weight",
		.help = "factor of a station first seen with an upload (ns-2: UploadWeight)",
		.source = "VFQ thesis table 9.1", .def = AT_WF2Q_ONE, .min = AT_WF2Q_WEIGHT_MIN,
		.max = AT_WF2Q_WEIGHT_MAX,
	},
	[P_ACK_BURST] = {
		.id = 8, .unit = AT_COUNT, .max_len = 1, .name = "ack_burst",
		.help = "segments acknowledged at once, where the host can make acknowledgements, whoever hears the uplink; 0 = any number (ns-2: TCPackburst, 8 there)",
		.source = "VFQ thesis 9.2.2", .def = 4, .min = 0, .max = 1024,
	},
	[P_CHARGE] = {
		.id = 9, .unit = AT_CHOICE, .max_len = 1, .name = "charge",
		.help = "what an acknowledgement of several segments costs: segment: so many exchanges, equal volumes; packet: equal airtime (9.4)",
		.source = "VFQ thesis 9.2.2", .def = 0, .min = 0, .max = 1, .choices = vfq_charges,
	},
	[P_MTU] = {
		.id = 10, .unit = AT_BYTES, .max_len = 1, .name = "mtu",
		.help = "packets that stations are taken to send (ns-2: TCPsegsize)",
		.source = "VFQ thesis table 9.1", .def = AT_FULL_BYTES, .min = 576, .max = 9000,
	},
	[P_DUPACK] = {
		.id = 11, .unit = AT_COUNT, .max_len = 1, .name = "dupack",
		.help = "segments taken to be sent again after three duplicate acknowledgements",
		.source = "VFQ thesis 9.2.2", .def = 1, .min = 0, .max = 16,
	},
	[P_PHY] = {
		.id = 12, .unit = AT_CHOICE, .max_len = 1, .name = "phy",
		.help = "airtime profile of stations whose link the host does not tell (with rate, ns-2: MACOverhead)",
		.source = "docs/airtime.md", .def = AT_PHY_STD_11G, .min = 0, .max = AT_PHYS - 1,
		.choices = at_phy_names,
	},
	[P_RATE] = {
		.id = 13, .unit = AT_BPS, .max_len = 1, .name = "rate",
		.help = "rate of stations whose link the host does not tell",
		.source = "docs/airtime.md", .def = 54000000, .min = 1000000, .max = 10000000000ull,
	},
	[P_IDLE] = {
		.id = 14, .unit = AT_NS, .max_len = 1, .name = "idle",
		.help = "how long a station or flow without packets is remembered",
		.source = "VFQ thesis 9.2.2", .def = 30 * SEC, .min = MS, .max = 86400 * SEC,
	},
	[P_UDP] = {
		.id = 15, .unit = AT_CHOICE, .max_len = 1, .name = "udp",
		.help = "what is not TCP: fair: as all else; first: before all, up to 100 packets (ns-2: BcastQueueLength, always there)",
		.source = "VFQ thesis 9.3.1", .def = 0, .min = 0, .max = 1, .choices = vfq_udps,
	},
	[P_UPLINK] = {
		.id = 16, .unit = AT_CHOICE, .flags = AT_P_HEARD, .max_len = 1, .name = "uplink",
		.help = "what stations send: inferred from acknowledgements, as the host hears it, or heard where it is",
		.source = "docs/vfq.md", .def = AT_VFQ_AUTO, .min = 0, .max = AT_VFQ_AUTO,
		.choices = vfq_uplinks,
	},
	[P_INNER] = {
		.id = 17, .unit = AT_CHOICE, .max_len = 1, .name = "inner",
		.help = "the flows of a station: rr: in turn; credit: the one with most, as in chap",
		.source = "VFQ thesis 9.2.2", .def = 0, .min = 0, .max = 1, .choices = vfq_inners,
	},
	[P_TARGET] = {
		.id = 18, .unit = AT_NS, .max_len = 1, .name = "target",
		.help = "delay that CoDel keeps each flow's own backlog near, or two full packets' time if all stations take turns; 0 = off (not in faithful)",
		.source = "RFC 8289 4.4", .def = AT_CODEL_TARGET, .min = 0, .max = SEC,
	},
	[P_PROFILE] = {
		.id = 19, .unit = AT_CHOICE, .flags = AT_P_INIT, .max_len = 1, .name = "profile",
		.help = "default, or faithful to the thesis's ns-2 module",
		.source = "docs/vfq.md", .def = 0, .min = 0, .max = 1, .choices = vfq_profiles,
	},
	[P_MERGE] = {
		.id = 20, .unit = AT_BOOL, .max_len = 1, .name = "merge",
		.help = "a data packet takes the acknowledgement with it that waits beside it, where the host can write headers (not in faithful)",
		.source = "VFQ thesis 9.2.2", .def = 1, .min = 0, .max = 1,
	},
	[P_END] = { 0 },
};

static const struct at_stat vfq_stats[] = {
	[S_ACTIVE] = { .id = 1, .unit = AT_COUNT, .name = "active", .help = "stations with packets that may go" },
	[S_FLOWS] = { .id = 2, .unit = AT_COUNT, .name = "flows", .help = "flows known" },
	[S_EVICTIONS] = { .id = 3, .unit = AT_COUNT, .counter = true, .name = "evictions",
		.help = "flows forgotten for others" },
	[S_SPLIT] = { .id = 4, .unit = AT_COUNT, .counter = true, .name = "split",
		.help = "acknowledgements made to go ahead of one" },
	[S_REFUSED] = { .id = 5, .unit = AT_COUNT, .counter = true, .name = "refused",
		.help = "acknowledgement numbers beyond what could have been sent" },
	[S_SETTLED] = { .id = 6, .unit = AT_COUNT, .counter = true, .name = "settled",
		.help = "transmissions reported and charged" },
	[S_STALE] = { .id = 7, .unit = AT_COUNT, .counter = true, .name = "stale",
		.help = "reports that fit no open ticket" },
	[S_MARKS] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "marks",
		.help = "packets marked by CoDel instead of dropped" },
	[S_CODEL_DROPS] = { .id = 9, .unit = AT_COUNT, .counter = true, .name = "codel_drops",
		.help = "packets dropped by CoDel" },
	[S_URGENT] = { .id = 10, .unit = AT_COUNT, .counter = true, .name = "urgent",
		.help = "urgent packets sent first" },
	[S_URGENT_OVER] = { .id = 11, .unit = AT_COUNT, .counter = true, .name = "urgent_over",
		.help = "urgent packets beyond the bounds: an ordinary flow" },
	[S_URGENT_AIR] = { .id = 12, .unit = AT_NS, .counter = true, .name = "urgent_air",
		.help = "airtime charged to urgent packets" },
	[S_MERGED] = { .id = 13, .unit = AT_COUNT, .counter = true, .name = "merged",
		.help = "acknowledgements that went with a data packet" },
	[S_END] = { 0 },
};

static const struct at_stat vfq_row_stats[] = {
	[R_STATION] = { .id = 1, .unit = AT_COUNT, .name = "station",
		.help = "station; above the last one: multicast, not known, what goes first" },
	[R_BACKLOG] = { .id = 2, .unit = AT_COUNT, .name = "backlog", .help = "packets queued" },
	[R_BACKLOG_BYTES] = { .id = 3, .unit = AT_BYTES, .name = "backlog_bytes", .help = "bytes queued" },
	[R_WEIGHT] = { .id = 4, .unit = AT_Q16, .name = "weight", .help = "its share beside those of others" },
	[R_DOWN] = { .id = 5, .unit = AT_NS, .counter = true, .name = "airtime_down",
		.help = "airtime charged for what it received" },
	[R_UP] = { .id = 6, .unit = AT_NS, .counter = true, .name = "airtime_up",
		.help = "airtime charged for what acknowledgements prove it sent" },
	[R_HEARD] = { .id = 7, .unit = AT_NS, .counter = true, .name = "airtime_heard",
		.help = "airtime charged for what it was heard to send" },
	[R_SPLIT] = { .id = 8, .unit = AT_COUNT, .counter = true, .name = "split",
		.help = "acknowledgements made to go ahead of one" },
	[R_REFUSED] = { .id = 9, .unit = AT_COUNT, .counter = true, .name = "refused",
		.help = "acknowledgement numbers beyond what could have been sent" },
	[R_MERGED] = { .id = 10, .unit = AT_COUNT, .counter = true, .name = "merged",
		.help = "acknowledgements that went with a data packet" },
	[R_END] = { 0 },
};

/* ---- reports ---- */

/* What a transmission took more or less than was charged for it. */
static void vfq_settle(struct at_vfq *s, u32 i, s64 more)
{
	s->boxes[i].down += (u64)more;
	if (more >= 0)
		at_wf2q_charge(&s->wf2q, i, (u64)more);
	else
		at_wf2q_refund(&s->wf2q, i, (u64)-more);
}

static void vfq_sent(struct at_qdisc *q, const struct at_ticket *t, const struct at_tx *r, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	struct at_charge bill;
	s64 air = at_charge(r->air);

	if (!t->gen)
		return;
	if (!at_tickets_take(&s->tickets, t, &bill)) {
		s->n_stale++;
		return;
	}
	s->n_settled++;
	vfq_settle(s, bill.flow, air - (s64)bill.est);
	if (bill.mark & AT_VFQ_URGENT)
		at_urgent_pay(&s->urgent, air - (s64)bill.nominal, now);
}

static void vfq_heard(struct at_qdisc *q, const struct at_heard *h, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);
	u32 i = at_vfq_box_of(s, h->sta);

	if (s->uplink == AT_VFQ_ACK || s->faithful)
		return;
	s->boxes[i].heard_at = now ? now : 1;
	s->boxes[i].heard += (u64)at_charge(h->air);
	at_wf2q_charge(&s->wf2q, i, (u64)at_charge(h->air));
}

/* ---- set-up ---- */

static u64 vfq_state_size(const struct at_vals *v)
{
	return at_vfq_state_size((u32)*v[P_STATIONS].v, (u32)*v[P_FLOWS].v);
}

static bool vfq_change(struct at_qdisc *q, const struct at_vals *v, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);

	s->limit = *v[P_LIMIT].v;
	s->box_limit = *v[P_STATION_LIMIT].v;
	at_vfq_set_weights(s, &v[P_WEIGHT]);
	s->download = (u32)*v[P_DOWNLOAD_WEIGHT].v;
	s->upload = (u32)*v[P_UPLOAD_WEIGHT].v;
	s->burst = (u32)*v[P_ACK_BURST].v;
	s->merge = !s->faithful && *v[P_MERGE].v;
	s->by_segment = !*v[P_CHARGE].v;
	s->mtu = (u32)*v[P_MTU].v;
	s->dupack = (u32)*v[P_DUPACK].v;
	s->idle = *v[P_IDLE].v;
	s->udp_first = *v[P_UDP].v;
	s->uplink = (u8)(s->faithful ? AT_VFQ_ACK : *v[P_UPLINK].v);
	s->by_credit = *v[P_INNER].v;
	s->codel = (struct at_codel_params){
		.target = s->faithful ? 0 : (u32)*v[P_TARGET].v,
		.interval = AT_CODEL_INTERVAL,
		.mtu = AT_CODEL_MTU,
		.ecn = true,
	};
	at_vfq_set_usual(s, *v[P_PHY].v, *v[P_RATE].v);
	return at_vfq_shrink(q, now);
}

static void vfq_init(struct at_qdisc *q, const struct at_vals *v, u64 seed, u64 now)
{
	struct at_vfq *s = at_vfq_priv(q);

	at_vfq_init(q, (u32)*v[P_STATIONS].v, (u32)*v[P_FLOWS].v, seed);
	s->faithful = *v[P_PROFILE].v;
	s->increment = INCREMENT;
	vfq_change(q, v, now);
}

static const char *vfq_check(const struct at_vals *v, u16 *bad)
{
	*bad = P_RATE;
	return at_aircost_wrong(&at_phys[*v[P_PHY].v], (u32)at_div(*v[P_RATE].v, 1000));
}

/* ---- tables ---- */

static void vfq_read(const struct at_qdisc *q, u64 *v, u64 now)
{
	const struct at_vfq *s = at_vfq_priv(q);

	(void)now;
	v[S_ACTIVE] = s->wf2q.active;
	v[S_FLOWS] = s->table.known;
	v[S_EVICTIONS] = s->n_evictions;
	v[S_SPLIT] = s->n_split;
	v[S_REFUSED] = s->n_refused;
	v[S_SETTLED] = s->n_settled;
	v[S_STALE] = s->n_stale;
	v[S_MARKS] = s->codel_total.marks;
	v[S_CODEL_DROPS] = s->codel_total.drops;
	v[S_URGENT] = s->urgent.sent;
	v[S_URGENT_OVER] = s->urgent.over;
	v[S_URGENT_AIR] = s->urgent.air;
	v[S_MERGED] = s->n_merged;
}

static u32 vfq_row(const struct at_qdisc *q, u32 cursor, u64 *cols, u64 now, bool *found)
{
	const struct at_vfq *s = at_vfq_priv(q);
	u32 i = at_vfq_next_row(s, cursor, found);

	(void)now;
	if (!*found)
		return i;
	memset(cols, 0, R_END * sizeof(*cols));
	cols[R_STATION] = i - 1;
	at_vfq_backlog(s, i - 1, &cols[R_BACKLOG], &cols[R_BACKLOG_BYTES]);
	if (i > s->n_boxes)
		return i;
	cols[R_WEIGHT] = s->wf2q.at[i - 1].weight;
	cols[R_DOWN] = s->boxes[i - 1].down;
	cols[R_UP] = s->boxes[i - 1].up;
	cols[R_HEARD] = s->boxes[i - 1].heard;
	cols[R_SPLIT] = s->boxes[i - 1].split;
	cols[R_REFUSED] = s->boxes[i - 1].refused;
	cols[R_MERGED] = s->boxes[i - 1].merged;
	return i;
}

const struct at_ops at_vfq_ops = {
	.name = "vfq",
	.about = "stations share airtime, what their acknowledgements prove they sent included (WF2Q+)",
	.params = vfq_params,
	.stats = vfq_stats,
	.row_stats = vfq_row_stats,
	.check = vfq_check,
	.state_size = vfq_state_size,
	.init = vfq_init,
	.change = vfq_change,
	.reset = at_vfq_reset,
	.enqueue = at_vfq_enqueue,
	.dequeue = at_vfq_dequeue,
	.drain = at_vfq_drain,
	.gate = at_vfq_gate,
	.sent = vfq_sent,
	.heard = vfq_heard,
	.link = at_vfq_link,
	.read = vfq_read,
	.row = vfq_row,
};
