// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * An exchange: what a radio sends at once, a frame or an aggregate (A-MPDU, IEEE 802.11-2020
 * 9.7 and 10.12), and what becomes of its packets.
 *
 * An aggregate is what waits for one receiver when the exchange is made, packets that are to
 * be repeated first, within the window that begins at the oldest of them. DATA is lost by
 * itself, of an aggregate each packet, and so is the ACK. Receivers drop repetitions and pass
 * aggregated packets up in order.
 *
 * What this is not: no A-MSDU, no BAR: a receiver knows at once what was given up. Nothing is
 * kept back to become an aggregate.
 */
#include <linux/etherdevice.h>

#include "airsim.h"

#include "airtab/random.h"

void airsim_way_init(struct airsim_way *way, u16 from, u16 to)
{
	way->from = from;
	way->to = to;
	__skb_queue_head_init(&way->waiting);
	__skb_queue_head_init(&way->early);
}

static bool is_group(const struct airsim_way *way)
{
	return !way->from && way->to == AIRSIM_GROUP;
}

/* The station at one end of a way that is not to the group. */
static struct airsim_radio *station(const struct airsim_cell *cell, const struct airsim_way *way)
{
	return cell->radios[way->from ? way->from : way->to];
}

static u32 ip_bytes(const struct sk_buff *skb)
{
	return skb->len > ETH_HLEN ? skb->len - ETH_HLEN : 0;
}

bool airsim_loses(struct airsim_cell *cell, const struct airsim_radio *station)
{
	return station->fer && at_random_next(&cell->random) >> 32 < station->fer;
}

/* Whether numbers and aggregates are used on a way. */
static bool aggregates(const struct airsim_cell *cell, const struct airsim_way *way)
{
	return cell->config.ampdu > 1 && !is_group(way) && station(cell, way)->rate.format != AT_LEGACY;
}

/* How long it takes: n packets, psdu as an aggregate, lone as a single frame, bytes. */
static void time_exchange(struct airsim_radio *radio, u32 n, u32 psdu, u32 lone)
{
	const struct at_phy *phy = radio->cell->config.phy;
	struct airsim_exchange *e = &radio->exchange;
	struct at_rate rate = { .kbps = phy->base_kbps };
	u32 answer = n > 1 ? at_ba_bytes(phy->window) : phy->ack_bytes;

	if (is_group(e->way)) {
		e->data_ns = e->known_ns = at_ppdu_ns(phy, &rate, lone);
		return;
	}
	rate = station(radio->cell, e->way)->rate;
	/* 802.11n sends a single frame as it is */
	e->data_ns = at_ppdu_ns(phy, &rate, n == 1 && rate.format <= AT_HT ? lone : psdu);
	e->known_ns = e->data_ns + phy->sifs + at_control_ns(phy, &rate, answer);
}

static void fill(struct airsim_radio *radio, struct airsim_way *way)
{
	const struct airsim_config *config = &radio->cell->config;
	const struct at_phy *phy = config->phy;
	bool many = aggregates(radio->cell, way);
	u32 n = 0, psdu = 0, lone = 0, most = U32_MAX, first = 0;
	struct sk_buff *skb;

	if (many)
		most = min(at_psdu_within(phy, &station(radio->cell, way)->rate, config->ampdu_ns),
			   phy->ampdu_bytes);
	radio->exchange.way = way;
	while ((skb = skb_peek(&way->waiting))) {
		struct airsim_part *part = airsim_part(skb);
		u32 sequence = part->numbered ? part->sequence : way->sequence;
		u32 longer;

		lone = ip_bytes(skb) + phy->mac_bytes;
		longer = at_ampdu_add(psdu, lone);
		if (!n)
			first = sequence;
		else if (longer > most || sequence - first >= phy->window)
			break;
		if (many && !part->numbered) {
			part->numbered = true;
			part->sequence = way->sequence++;
		}
		psdu = longer;
		__skb_unlink(skb, &way->waiting);
		__skb_queue_tail(&radio->exchange.parts, skb);
		if (++n >= (many ? config->ampdu : 1))
			break;
	}
	time_exchange(radio, n, psdu, lone);
}

/* The way of a radio whose packet has waited longest. */
static struct airsim_way *oldest(struct airsim_radio *radio)
{
	struct airsim_way *found = skb_queue_empty(&radio->own.waiting) ? NULL : &radio->own;
	u64 place = found ? airsim_part(skb_peek(&found->waiting))->place : AIRSIM_NEVER;

	for (u32 i = 1; i < radio->cell->end && !radio->index; i++) {
		struct airsim_radio *to = radio->cell->radios[i];
		struct sk_buff *skb = to && !to->asleep ? skb_peek(&to->down.waiting) : NULL;

		if (skb && airsim_part(skb)->place < place) {
			place = airsim_part(skb)->place;
			found = &to->down;
		}
	}
	return found;
}

bool airsim_load(struct airsim_radio *radio)
{
	struct airsim_way *way = oldest(radio);

	if (way)
		fill(radio, way);
	return way;
}

/* Whether anybody is there to receive it. */
static bool is_heard(const struct airsim_cell *cell, const struct airsim_way *way)
{
	const struct airsim_radio *to = cell->radios[way->to];

	return to && netif_running(to->dev);
}

void airsim_begin(struct airsim_radio *radio, bool collided)
{
	struct airsim_exchange *e = &radio->exchange;
	struct airsim_cell *cell = radio->cell;
	bool group, answered = false, deaf;
	struct sk_buff *skb;

	if (!e->way)
		return;
	group = is_group(e->way);
	deaf = collided || (!group && !is_heard(cell, e->way));
	e->way->count.exchanges++;
	e->way->count.collided += collided;
	e->way->count.air += e->known_ns;
	skb_queue_walk(&e->parts, skb) {
		struct airsim_part *part = airsim_part(skb);

		part->attempts++;
		e->way->count.attempts++;
		part->arrives = !deaf && (group || !airsim_loses(cell, station(cell, e->way)));
		answered |= part->arrives;
	}
	if (group)
		e->answer = AIRSIM_NONE;
	else if (!answered)
		e->answer = AIRSIM_MISSING;
	else
		e->answer = airsim_loses(cell, station(cell, e->way)) ? AIRSIM_GARBLED : AIRSIM_ACK;
}

/* A copy of a packet goes up at a radio as soon as the lock is free; its cb says where. */
static void pass(struct airsim_cell *cell, struct airsim_radio *to, struct sk_buff *copy)
{
	*(struct net_device **)copy->cb = to->dev;
	to->received++;
	to->received_bytes += copy->len;
	__skb_queue_tail(&cell->up, copy);
}

/* What a receiver has waited for: all below `end`, and what follows without a gap. */
static void release(struct airsim_cell *cell, struct airsim_way *way, u32 end)
{
	struct airsim_radio *to = cell->radios[way->to];
	struct sk_buff *skb;

	if (!to)
		return;
	if ((s32)(end - way->expected) > 0)
		way->expected = end;
	while ((skb = skb_peek(&way->early)) &&
	       (s32)(airsim_part(skb)->sequence - way->expected) <= 0) {
		if (airsim_part(skb)->sequence == way->expected)
			way->expected++;
		__skb_unlink(skb, &way->early);
		pass(cell, to, skb);
	}
}

static void keep_early(struct airsim_way *way, struct sk_buff *copy)
{
	struct sk_buff *before;

	skb_queue_reverse_walk(&way->early, before)
		if ((s32)(airsim_part(before)->sequence - airsim_part(copy)->sequence) < 0)
			break;
	__skb_queue_after(&way->early, before, copy);
}

static void land_group(struct airsim_cell *cell, struct sk_buff *skb)
{
	for (u32 i = 1; i < cell->end; i++) {
		struct airsim_radio *to = cell->radios[i];
		struct sk_buff *copy;

		if (!to || to->asleep || !netif_running(to->dev) || airsim_loses(cell, to))
			continue;
		copy = skb_clone(skb, GFP_ATOMIC);
		if (copy)
			pass(cell, to, copy);
	}
}

void airsim_land(struct airsim_radio *radio)
{
	struct airsim_exchange *e = &radio->exchange;
	struct airsim_cell *cell = radio->cell;
	struct sk_buff *skb, *copy;

	if (!e->way)
		return;
	skb_queue_walk(&e->parts, skb) {
		struct airsim_part *part = airsim_part(skb);

		if (!part->arrives || part->received)
			continue;
		part->received = true;
		if (is_group(e->way)) {
			land_group(cell, skb);
			continue;
		}
		if (!is_heard(cell, e->way))
			continue;
		copy = skb_clone(skb, GFP_ATOMIC);
		if (!copy)
			continue;
		if (part->numbered)
			keep_early(e->way, copy);
		else
			pass(cell, cell->radios[e->way->to], copy);
	}
	release(cell, e->way, e->way->expected);
}

/* What is to be repeated goes to the front, in its order. */
static void give_back(struct airsim_exchange *e)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue_tail(&e->parts)))
		__skb_queue_head(&e->way->waiting, skb);
	e->way = NULL;
}

/* The oldest number of a way whose fate is open. */
static u32 open_from(const struct airsim_way *way, const struct sk_buff_head *parts)
{
	struct sk_buff *skb = skb_peek(parts);

	if (!skb)
		skb = skb_peek(&way->waiting);
	return skb && airsim_part(skb)->numbered ? airsim_part(skb)->sequence : way->sequence;
}

bool airsim_settle(struct airsim_radio *radio, u64 now)
{
	struct airsim_exchange *e = &radio->exchange;
	bool known = e->answer == AIRSIM_ACK || e->answer == AIRSIM_NONE;
	struct airsim_cell *cell = radio->cell;
	struct sk_buff *skb, *next;

	if (!e->way)
		return false;
	skb_queue_walk_safe(&e->parts, skb, next) {
		struct airsim_part *part = airsim_part(skb);
		bool acked = known && part->arrives;

		if (!acked && part->attempts < cell->config.attempts && e->answer != AIRSIM_NONE)
			continue;
		if (acked) {
			e->way->count.frames++;
			e->way->count.bytes += ip_bytes(skb);
		} else {
			e->way->count.failed++;
		}
		__skb_unlink(skb, &e->parts);
		airsim_done(radio, skb, now);
	}
	release(cell, e->way, open_from(e->way, &e->parts));
	if (!known && !skb_queue_empty(&e->parts))
		return true;
	give_back(e);
	return false;
}

void airsim_purge_way(struct airsim_cell *cell, struct airsim_way *way)
{
	struct airsim_radio *radio = cell->radios[way->from];
	struct sk_buff_head *lists[] = { &way->waiting, &way->early, NULL };

	if (radio && radio->exchange.way == way) {
		lists[2] = &radio->exchange.parts;
		radio->exchange.way = NULL;	/* what it sends goes on, to nobody */
		radio->exchange.answer = AIRSIM_NONE;
	}
	for (u32 i = 0; i < ARRAY_SIZE(lists); i++) {
		if (!lists[i])
			continue;
		if (radio && i != 1)
			radio->held -= skb_queue_len(lists[i]);
		skb_queue_splice_tail_init(lists[i], &cell->over);
	}
}
