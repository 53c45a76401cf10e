// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The medium: one channel, on which everybody hears everybody. DCF of IEEE 802.11-2020 10.3.4:
 * DIFS, backoff, collisions, and EIFS for who got the last frame in error (10.3.2.3.7).
 *
 * Slots are common and counted from DIFS after a busy period. Whoever must wait longer than
 * DIFS, for EIFS or for an ACK that does not come, waits whole slots more, rounded up. Backoff
 * that is left over when another one begins is kept. Times are those of the plan: a timer that
 * comes late moves nothing.
 *
 * What this is not: no EDCA, no RTS, no TXOP, no capture, no hidden stations.
 */
#include "airsim.h"

#include "airtab/random.h"

static u32 draw(struct airsim_cell *cell, u32 window)
{
	return (u32)(at_random_next(&cell->random) >> 32) & window;
}

static u32 least(const struct airsim_radio *radio)
{
	const struct at_phy *phy = radio->cell->config.phy;

	return radio->index && phy->dsss_cw_min && at_is_dsss(phy, radio->rate.kbps) ?
	       phy->dsss_cw_min : phy->cw_min;
}

static void turn(struct airsim_medium *m, enum airsim_use use, u64 now)
{
	m->spent[m->use] += now - m->turned;
	m->use = use;
	m->turned = now;
}

u64 airsim_medium_spent(const struct airsim_cell *cell, enum airsim_use use, u64 now)
{
	const struct airsim_medium *m = &cell->medium;

	return m->spent[use] + (use == m->use && now > m->turned ? now - m->turned : 0);
}

void airsim_medium_init(struct airsim_cell *cell, u64 now)
{
	cell->medium.idle_from = cell->medium.turned = now;
	cell->medium.count_from = now + cell->config.phy->difs;
}

void airsim_medium_enter(struct airsim_radio *radio)
{
	radio->window = least(radio);
}

/* The slot at which a radio that is ready begins. */
static u64 due(const struct airsim_radio *radio)
{
	return max_t(u64, (u64)radio->left + radio->wait, radio->earliest);
}

static u64 first_due(const struct airsim_cell *cell)
{
	u64 first = AIRSIM_NEVER;

	for (u32 i = 0; i < cell->end; i++)
		if (cell->radios[i] && cell->radios[i]->ready)
			first = min(first, due(cell->radios[i]));
	return first;
}

u64 airsim_medium_next(const struct airsim_cell *cell)
{
	u64 first;

	if (cell->medium.phase != AIRSIM_IDLE)
		return cell->medium.until;
	first = first_due(cell);
	return first == AIRSIM_NEVER ? first : cell->medium.count_from + first * cell->config.phy->slot;
}

void airsim_wants(struct airsim_radio *radio, u64 now)
{
	struct airsim_cell *cell = radio->cell;
	const struct airsim_medium *m = &cell->medium;

	if (radio->ready || test_bit(radio->index, m->senders) || !airsim_load(radio))
		return;
	radio->ready = true;
	radio->earliest = 0;
	if (m->phase != AIRSIM_IDLE || now <= m->idle_from) {
		if (!radio->left)
			radio->left = draw(cell, radio->window);
		return;
	}
	radio->bare = radio->wait && !radio->left;
	if (now > m->count_from)
		radio->earliest = div_u64(now - m->count_from + cell->config.phy->slot - 1,
					  cell->config.phy->slot);
}

/* Whole slots from the end of the busy period. */
static u32 slots_to(const struct airsim_cell *cell, u64 at)
{
	u32 slot = cell->config.phy->slot;

	return at > cell->medium.idle_from ?
	       (u32)div_u64(at - cell->medium.idle_from + slot - 1, slot) : 0;
}

/* Slots that are counted until `first` come off everybody's backoff; then who is due begins. */
static void start(struct airsim_cell *cell, u64 now)
{
	struct airsim_medium *m = &cell->medium;
	u64 first = first_due(cell), data = 0, known = AIRSIM_NEVER;
	struct airsim_radio *radio;
	u32 i;

	bitmap_zero(m->senders, AIRSIM_RADIOS);
	m->sending = 0;
	for (i = 0; i < cell->end; i++) {
		u64 counted;

		radio = cell->radios[i];
		if (!radio)
			continue;
		if (radio->ready && due(radio) == first) {
			__set_bit(i, m->senders);
			m->sending++;
			radio->ready = false;
		}
		counted = first > radio->wait ? first - radio->wait : 0;
		radio->left = radio->left > counted ? radio->left - (u32)counted : 0;
		if (radio->ready && radio->bare)	/* it was cut off */
			radio->left = draw(cell, radio->window);
		radio->wait = 0;
		radio->earliest = 0;
		radio->bare = false;
	}
	for_each_set_bit(i, m->senders, AIRSIM_RADIOS) {
		radio = cell->radios[i];
		airsim_begin(radio, m->sending > 1);
		data = max(data, radio->exchange.data_ns);
		known = min(known, radio->exchange.known_ns);
	}
	turn(m, m->sending > 1 ? AIRSIM_USE_COLLISION :
		test_bit(0, m->senders) ? AIRSIM_USE_DOWN : AIRSIM_USE_UP, now);
	m->phase = AIRSIM_DATA;
	m->from = now;
	m->data_until = now + data;
	m->until = m->data_until;
}

static void land(struct airsim_cell *cell)
{
	struct airsim_medium *m = &cell->medium;
	u64 known = AIRSIM_NEVER;
	u32 i;

	for_each_set_bit(i, m->senders, AIRSIM_RADIOS) {
		if (m->sending == 1)
			airsim_land(cell->radios[i]);
		known = min(known, m->from + cell->radios[i]->exchange.known_ns);
	}
	m->phase = AIRSIM_ANSWER;
	if (m->sending)		/* else all of them have left */
		m->until = max(m->data_until, known);
}

/* Who got the last frame in error counts from EIFS. `silent`: that frame was DATA. */
static void defer(struct airsim_cell *cell, bool silent)
{
	struct airsim_medium *m = &cell->medium;
	u64 longer = at_eifs_ns(cell->config.phy) - cell->config.phy->difs;
	u32 wait = slots_to(cell, (silent ? m->data_until : m->idle_from) + longer);
	const struct airsim_way *way = NULL;

	if (m->sending == 1)
		way = cell->radios[find_first_bit(m->senders, AIRSIM_RADIOS)]->exchange.way;
	for (u32 i = 0; i < cell->end; i++) {
		struct airsim_radio *radio = cell->radios[i];
		bool meant = way && i == way->to;

		if (!radio || test_bit(i, m->senders))
			continue;
		/* others overhear it, each as well as its own link is; an access point hears all */
		if (m->sending != 1 || (meant && silent) ||
		    (!meant && i && airsim_loses(cell, radio)))
			radio->wait = wait;
	}
}

/* A sender knows what became of its attempt, and takes its next backoff. */
static void resolve(struct airsim_radio *radio, u64 now)
{
	struct airsim_cell *cell = radio->cell;
	const struct at_phy *phy = cell->config.phy;
	struct airsim_way *way = radio->exchange.way;
	u64 eifs = at_eifs_ns(phy) - phy->difs;
	bool garbled = radio->exchange.answer == AIRSIM_GARBLED, again;

	again = airsim_settle(radio, now);
	radio->window = again ? min_t(u32, radio->window * 2 + 1, phy->cw_max) : least(radio);
	radio->left = draw(cell, radio->window);
	radio->wait = slots_to(cell, garbled ? now + eifs :
				     cell->medium.from + radio->exchange.known_ns);
	if (again && way)
		way->count.air += phy->difs + (u64)phy->slot *
			(radio->left + (garbled ? slots_to(cell, now + eifs) : 0));
	radio->ready = again || airsim_load(radio);
}

static void finish(struct airsim_cell *cell, u64 now)
{
	struct airsim_medium *m = &cell->medium;
	DECLARE_BITMAP(senders, AIRSIM_RADIOS);
	u32 i = find_first_bit(m->senders, AIRSIM_RADIOS);
	bool silent = m->sending != 1 || cell->radios[i]->exchange.answer == AIRSIM_MISSING;

	turn(m, AIRSIM_USE_IDLE, now);
	m->phase = AIRSIM_IDLE;
	m->idle_from = now;
	m->count_from = now + cell->config.phy->difs;
	if (m->sending)
		defer(cell, silent);
	bitmap_copy(senders, m->senders, AIRSIM_RADIOS);
	bitmap_zero(m->senders, AIRSIM_RADIOS);
	for_each_set_bit(i, senders, AIRSIM_RADIOS)
		resolve(cell->radios[i], now);
	m->sending = 0;
}

void airsim_medium_step(struct airsim_cell *cell, u64 now)
{
	switch (cell->medium.phase) {
	case AIRSIM_IDLE:
		return start(cell, now);
	case AIRSIM_DATA:
		return land(cell);
	case AIRSIM_ANSWER:
		return finish(cell, now);
	}
}

/* What it sends goes on, to nobody. */
void airsim_medium_leave(struct airsim_radio *radio)
{
	struct airsim_medium *m = &radio->cell->medium;

	radio->ready = false;
	if (__test_and_clear_bit(radio->index, m->senders))
		m->sending--;
}
