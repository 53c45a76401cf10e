// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What waits below a qdisc, and how much may. See inflight.h.
 *
 * A packet that leaves is claimed (claims.c), so that its completion is told; the governor
 * says what it took, which the discipline is told by the packet's ticket, and whom to hold
 * back, by the discipline's gate. A claim is of one packet on the air: GSO packets are cut
 * before.
 *
 * Only where the qdisc is the root of its transmit queue: a parent may take a packet long
 * before it is sent (peek), and then its time below is not the driver's.
 *
 * Who is charged: drivers tell of frames that they sent alone, so the time of uplink frames in
 * between is in what a batch took, and so is that of other cells.
 *
 * What this is not: no timer of its own, no rate of a radio's: what a packet will take is
 * learned by station from what others took. Neither attempts nor acknowledgements are told.
 */
#include <linux/slab.h>
#include <net/sock.h>

#include "airtab/governor.h"
#include "airtab/rates.h"
#include "claims.h"
#include "inflight.h"

/* What a batch took may be told later than time allows: no packet waits for that. */
#define LAZY NSEC_PER_MSEC

/* What a TCP of this host may have below itself: 1 s >> 7 at its pacing rate, as mac80211 has it.
 * The kernel's own 10, 1 ms, or two packets, is less than may be in the driver: a socket would
 * wait for its completions with nothing queued, and another one, which need not be chosen then,
 * takes the air. */
#define PACING_SHIFT 7

struct at_inflight {
	struct at_governor *governor;	/* its memory is behind the tickets */
	struct at_claims *claims;
	u64 now;			/* the latest that it was told */
	u64 unclaimed;
	u32 pace;			/* kb/s; 0: unlimited */
	bool reports;			/* the driver says of some packets that they were sent */
	bool root;			/* of its transmit queue, as of the last packet */
	struct at_ticket tickets[];	/* by place of the record */
};

static void params(const struct at_set *set, struct at_governor_params *k)
{
	*k = at_governor_defaults;
	k->stations = AT_HOST_STATIONS;
	if (!set)
		return;
	k->inflight = (u32)at_glue_value(set, AT_GLUE_INFLIGHT);
	k->inflight_station = (u32)at_glue_value(set, AT_GLUE_INFLIGHT_STATION);
	k->stale = max(k->stale, k->inflight);
}

static u64 tickets_bytes(const struct at_governor_params *k)
{
	return ALIGN(sizeof(struct at_inflight) + k->records * sizeof(struct at_ticket), 8);
}

u64 at_inflight_bytes(void)
{
	struct at_governor_params k;

	params(NULL, &k);
	return tickets_bytes(&k) + at_governor_size(&k);
}

static bool wanted(const struct Qdisc *sch, const struct at_set *set)
{
	switch (at_glue_value(set, AT_GLUE_GOVERNOR)) {
	case AT_GOVERN_ON:
		return true;
	case AT_GOVERN_OFF:
		return false;
	default:
		return at_host_radio(qdisc_dev(sch));
	}
}

/* Root of the device, or of one of its transmit queues below mq. */
static bool may_govern(const struct Qdisc *sch)
{
	const struct Qdisc *top = rtnl_dereference(qdisc_dev(sch)->qdisc);

	return sch->parent == TC_H_ROOT ||
	       (top && top->flags & TCQ_F_MQROOT && TC_H_MAJ(sch->parent) == top->handle);
}

struct at_inflight *at_inflight_new(struct Qdisc *sch, const struct at_set *set,
				    struct netlink_ext_ack *extack)
{
	struct at_governor_params k;
	struct at_inflight *f;

	if (!wanted(sch, set))
		return NULL;
	if (at_glue_value(set, AT_GLUE_GOVERNOR) == AT_GOVERN_ON && !may_govern(sch)) {
		at_refuse(extack, NULL, "governor: only at the root or below mq: a parent takes packets too early");
		return ERR_PTR(-EINVAL);
	}
	params(set, &k);
	f = kvzalloc(at_inflight_bytes(), GFP_KERNEL_ACCOUNT);
	if (!f)
		return ERR_PTR(-ENOMEM);
	f->claims = at_claims_new(sch);
	if (!f->claims) {
		kvfree(f);
		return ERR_PTR(-ENOMEM);
	}
	f->now = ktime_get_ns();
	f->governor = at_governor_init((void *)f + tickets_bytes(&k), &k, f->now);
	f->pace = (u32)div_u64(at_glue_value(set, AT_GLUE_PACE), 1000);
	f->root = true;
	return f;
}

struct at_inflight *at_inflight_again(struct Qdisc *sch, struct at_inflight *f, const struct at_set *set,
				      struct netlink_ext_ack *extack)
{
	if (!f)
		return at_inflight_new(sch, set, extack);
	return wanted(sch, set) ? f : NULL;
}

void at_inflight_end(struct at_inflight *f)
{
	if (!f)
		return;
	at_claims_end(f->claims);
	kvfree(f);
}

/* Nobody says any more when to open the gates that a governor closed. */
static void open_all(struct airtab *a, u64 now)
{
	for (u16 sta = 0; sta < AT_HOST_STATIONS; sta++)
		a->core->gate(a->q, sta, true, now);
	a->core->gate(a->q, AT_GROUP, true, now);
}

void at_inflight_change(struct airtab *a, struct at_inflight *with, u64 now)
{
	struct at_governor_params k;

	if (a->inflight && !with)
		open_all(a, now);
	a->inflight = with;
	if (!with)
		return;
	params(a->set, &k);
	with->now = max(now, with->now);
	at_governor_change(with->governor, &k, with->now);
	with->pace = (u32)div_u64(at_glue_value(a->set, AT_GLUE_PACE), 1000);
}

void at_inflight_met(struct airtab *a, u16 sta, u64 now)
{
	const struct at_link gone = { .sta = sta };
	struct at_inflight *f = a->inflight;

	f->now = max(now, f->now);
	at_governor_link(f->governor, &gone, f->now);
}

void at_inflight_link(const struct airtab *a, struct at_link *l)
{
	struct at_governor_sta s;

	at_governor_read_station(a->inflight->governor, l->sta, &s);
	l->rate_kbps = s.rate_kbps;
	l->below_ns = (u32)min_t(u64, s.outstanding, U32_MAX);
}

/* Until a driver reports of one packet that it was sent, all that are completed count as such;
 * from then on those alone of which it does. */
static bool was_sent(struct at_inflight *f, const struct at_claim *claim)
{
	f->reports |= claim->reported;
	return claim->reported || !f->reports;
}

static void completed(struct at_inflight *f, const struct at_claim *claim)
{
	f->now = max(f->now, claim->at);
	at_governor_done(f->governor, claim->record, was_sent(f, claim), f->now);
}

static void charge(struct airtab *a, const struct at_air *air, u64 now)
{
	const struct at_ticket *ticket = &a->inflight->tickets[AT_GOVERNOR_PLACE(air->record)];
	const struct at_tx r = { .air = air->ns, .span = air->ns, .attempts = 1, .acked = true };

	a->core->sent(a->q, ticket, &r, now);
}

static void set_gates(struct airtab *a, u64 now)
{
	bool open;
	u16 sta;

	while (at_governor_gates(a->inflight->governor, &sta, &open))
		a->core->gate(a->q, sta, open, now);
}

u64 at_inflight_collect(struct airtab *a, bool *open)
{
	struct at_inflight *f = a->inflight;
	struct at_claim *claim, *next;
	struct at_air air;
	u64 now;

	for (claim = at_claims_over(f->claims); claim; claim = next) {
		next = claim->next;
		completed(f, claim);
		at_claim_free(f->claims, claim);
	}
	now = f->now = max_t(u64, f->now, ktime_get_ns());
	at_governor_tick(f->governor, now);
	while (at_governor_air(f->governor, &air))
		if (a->core->sent)
			charge(a, &air, now);
	set_gates(a, now);
	*open = at_governor_open(f->governor);
	return now;
}

/* The host's estimate of a packet's airtime; 0: the governor's own. Where its station is
 * paced, it is that of the rate `pace`, or, without one, 1 ns. */
static u64 estimate(const struct at_inflight *f, u16 sta, u32 bytes)
{
	if (!at_governor_paced(f->governor, sta))
		return 0;
	return f->pace ? div_u64(bytes * 8000000ull, f->pace) : 1;
}

static void feed(struct sock *sk)
{
	if (sk && sk_fullsock(sk) && READ_ONCE(sk->sk_pacing_shift) > PACING_SHIFT)
		WRITE_ONCE(sk->sk_pacing_shift, PACING_SHIFT);
}

/* As mac80211 takes it: a priority of 256 to 263, else the first bits of the DSCP. */
static u16 user_priority(const struct sk_buff *skb)
{
	if (skb->priority - 256 < 8)
		return skb->priority - 256;
	if (skb_network_header(skb) + sizeof(struct iphdr) > skb_tail_pointer(skb))
		return 0;	/* none, or not in the linear part */
	if (skb->protocol == htons(ETH_P_IP))
		return ip_hdr(skb)->tos >> 5;
	return skb->protocol == htons(ETH_P_IPV6) ? ipv6_get_dsfield(ipv6_hdr(skb)) >> 5 : 0;
}

void at_inflight_left(struct airtab *a, struct sk_buff *skb, u16 sta, u32 bytes, u64 now)
{
	struct at_inflight *f = a->inflight;
	struct at_claim *claim = NULL;

	f->root = rcu_access_pointer(a->sch->dev_queue->qdisc) == a->sch;
	if (likely(f->root))
		claim = at_claim(f->claims, skb);
	if (!claim) {
		f->unclaimed++;
		return;
	}
	feed(skb->sk);
	claim->record = at_governor_left(f->governor, sta, bytes, estimate(f, sta, bytes), user_priority(skb), now);
	if (claim->record)
		f->tickets[AT_GOVERNOR_PLACE(claim->record)] = a->ticket;
	set_gates(a, now);
}

bool at_inflight_wait(struct airtab *a)
{
	return at_claims_wait(a->inflight->claims);
}

u64 at_inflight_wake(const struct airtab *a, u64 now)
{
	u64 at = at_governor_wake(a->inflight->governor);

	return at_governor_mode(a->inflight->governor) == AT_GOVERNOR_MEASURED && at < now + LAZY ?
	       now + LAZY : at;
}

static enum at_below_mode mode(const struct at_inflight *f)
{
	if (!f->root)
		return AT_BELOW_NOT_ROOT;
	if (at_governor_mode(f->governor) == AT_GOVERNOR_MEASURED)
		return AT_BELOW_MEASURED;
	return f->pace ? AT_BELOW_PACED : AT_BELOW_UNLIMITED;
}

void at_inflight_read(const struct airtab *a, u64 *values)
{
	const struct at_inflight *f = a->inflight;
	struct at_governor_stats s;
	struct at_governor_now n;

	at_governor_read(f->governor, &s, &n);
	values[AT_BELOW_MODE] = mode(f);
	values[AT_BELOW_OUTSTANDING] = n.outstanding;
	values[AT_BELOW_BUDGET] = n.budget;
	values[AT_BELOW_FRAMES] = n.frames;
	values[AT_BELOW_FLOOR] = n.floor;
	values[AT_BELOW_VALID] = s.valid;
	values[AT_BELOW_UNSENT] = s.unsent;
	values[AT_BELOW_EARLY] = s.early;
	values[AT_BELOW_LATE] = s.late;
	values[AT_BELOW_EXPIRED] = s.expired;
	values[AT_BELOW_UNKNOWN] = s.unknown;
	values[AT_BELOW_UNCLAIMED] = f->unclaimed + s.missed;
	values[AT_BELOW_TURNS] = s.turns;
}

void at_inflight_read_station(const struct airtab *a, u16 sta, u64 *values)
{
	struct at_governor_sta s;

	at_governor_read_station(a->inflight->governor, sta, &s);
	values[AT_BELOW_ADDRESS] = a->host.stations.at[sta].key;
	values[AT_BELOW_RATE] = s.rate_kbps * 1000ull;
	values[AT_BELOW_AIR] = s.air;
	values[AT_BELOW_STA_OUTSTANDING] = s.outstanding;
	values[AT_BELOW_STA_FRAMES] = s.frames;
	values[AT_BELOW_STA_FLOOR] = s.floor;
	values[AT_BELOW_CLOSED] = s.closed;
	values[AT_BELOW_SILENT] = s.silent;
}
