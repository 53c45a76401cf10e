/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * chap's groups: stations (or source hosts) with credits of airtime, and within each its
 * flows with credits of their own.
 *
 * Rules
 *  - A packet's group is its station; where that is not known, the source host; where
 *    neither is known, REST. A packet is charged to its flow and to the group.
 *  - The backlogged group with the most credit is served first. All groups are boosted when that
 *    one is at 0 or below, once a dequeue.
 *  - Within a group the flow with the most credit is served first, to an eighth of an octave of the
 *    distance from 2I. All flows of a group are boosted when that one is at 0 or below, once
 *    a dequeue of the group.
 *  - A flow with at least 4/3 I is light: of a boost it uses less than a third of what a bulk
 *    flow of the same group uses. A group whose best flow is light competes with that flow's
 *    credit if it is more than its own, while the group's debt is below a limit.
 *  - A flow whose packet comes to an empty queue is light, too, if its use is small: at most I/3
 *    beyond a sixteenth of the time. The same bound holds for all such flows of its group
 *    together. A call uses more than its part if many downloads share its station.
 *  - Newcomers, flows that have not been served, have one credit a group, the tab. With at most
 *    4/3 I they compete as one flow, in order of arrival.
 *  - A flow starts, when it is first served, with I or with the credit of the bulk flow that was
 *    served last, whichever is less. The flow is light for its first I/12, which is charged to
 *    the tab as well: a series of short flows has the share of one flow.
 *  - A source host has a group of its own from the first service of one of its flows on. Before
 *    that its packets are newcomers of REST, which are served round robin by source (turns.h):
 *    new sources together have the share of one group. A station has its group at once.
 *  - A full queue drops a packet of the group with the smallest credit, of its flow with the
 *    smallest credit. Unresponsive flows, newcomers and parked packets are treated as without groups (chap.c).
 *
 * Cost: O(log groups) a packet, O(1) for the order of flows; O(groups) where a full queue
 * had been less than half full before.
 *
 * Limits: 255 groups at a time; the others are REST.
 */
#include "airtab/align.h"
#include "chap_turn.h"

#define HOG 128u		/* as in chap.c */
#define SPARED 8u
#define AGED 64u		/* boosts after which every credit is 2I, to a nanosecond */

/* ---- credit ---- */

s64 at_chap_party_tab(const struct chap *c, u32 party)
{
	return party_tab(chap_party(c, party));
}

/* Credit with which a flow continues that was served from the tab. */
s64 at_chap_party_newcomer_credit(const struct chap *c, u32 party)
{
	const struct chap_party *y = chap_party(c, party);
	s64 d = y->lead;

	d += d >> 3;	/* else it would gain what a shelf is wide */
	return d < -c->increment ? d : -c->increment;
}

static void party_set_flow(const struct chap *c, struct chap_flow *f, s64 d)
{
	f->credit = party_charge(d, 0, c->floor);
	f->epoch = chap_party(c, f->party)->now;
}

/* ---- order of the groups ---- */

static bool party_fuller(const void *ctx, const struct at_heap_entry *a, const struct at_heap_entry *b)
{
	(void)ctx;
	return a->key != b->key ? a->key < b->key : a->id > b->id;
}

/* Takes the group with the highest key out of the order. It becomes the loose one; all are boosted if
 * it has nothing left. */
static u32 party_take_most(struct chap *c, const struct at_heap_entry *most)
{
	u32 i = most->id;

	if (at_credit_value(at_credit_boost(most->key, c->epoch - most->tag), c->increment) <= 0)
		party_boost_all(c);
	if (!at_order_behead(&c->order, most, party_entry, c))
		at_order_del_apart(&c->order, i, party_less, c);
	return c->loose = i;
}

u32 at_chap_party_contend(struct chap *c, bool closed)
{
	const struct at_heap_entry *most;
	u32 i = c->loose;

	if (i != AT_ORDER_NONE) {
		c->loose = AT_ORDER_NONE;
		if (closed)
			at_chap_party_tidy(c, i);
		party_seat(c, i);
	}
	while ((most = at_order_end(&c->order, true, party_less, c)) && closed && at_chap_party_tidy(c, most->id))
		at_chap_party_touch(c, most->id);
	return most ? party_take_most(c, most) : AT_ORDER_NONE;
}

void at_chap_party_spent(struct chap *c, u32 i)
{
	if (at_credit_value(party_key(c, i), c->increment) <= 0)
		party_boost_all(c);
}

void at_chap_party_touch(struct chap *c, u32 i)
{
	const struct chap_party *y = chap_party(c, i);

	if (c->loose == i)
		return;
	if (at_order_has(&c->order, i)) {
		if (chap_open(c, i)->used && party_key(c, i) == at_credit_boost(y->key, c->epoch - y->tag))
			return;
		at_order_del(&c->order, i, party_entry, party_less, c);
	}
	party_seat(c, i);
}

/* ---- shelves of a group ---- */

void at_chap_party_settle_place(struct chap *c)
{
	if (c->parties->late)
		party_place_late(c, c->parties, chap_open(c, c->parties->late->party));
}

void at_chap_party_move(struct chap *c, const struct chap_flow *f)
{
	const struct at_shelf_links *links = &c->parties->links;
	struct at_shelves *s = party_shelves(c, f->party, f->slot);
	u32 place = party_place(c, s, f);

	at_chap_party_settle_place(c);
	if (links->next[f->slot] == f->slot && links->place[f->slot] == place)
		return;
	at_shelves_del(s, links, f->slot);
	at_shelves_add(s, links, f->slot, place);
}

bool at_chap_party_tidy(struct chap *c, u32 i)
{
	struct at_shelves *open = chap_open(c, i);
	bool moved = false;

	while (open->used) {
		u32 id = at_shelves_least(open);

		if (id < c->parties->tabs ? !chap_parked(c, id) : chap_party(c, i)->ready != 0)
			break;
		party_move(c, i, &chap_party(c, i)->shelves->parked, id);
		moved = true;
	}
	return moved;
}

/* A slot may be served again, or no longer: that shows when its turn comes. */
void at_chap_party_unparked(struct chap *c, u32 id)
{
	u32 i = chap_flow_in(c, id)->party;

	if (!party_aside(c, id))
		return;
	at_chap_party_settle_place(c);
	party_move(c, i, chap_open(c, i), id);
	at_chap_party_touch(c, i);
}

void at_chap_party_rank(struct chap *c, u32 id)
{
	u32 i = chap_flow_in(c, id)->party;

	at_chap_party_settle_place(c);
	party_put(c, i, chap_open(c, i), id);
	if (at_shelves_least(chap_open(c, i)) == id)
		at_chap_party_touch(c, i);
}

void at_chap_party_unrank(struct chap *c, u32 id)
{
	u32 i = chap_flow_in(c, id)->party;
	struct at_shelves *s = party_shelves(c, i, id);
	bool first;

	at_chap_party_settle_place(c);
	first = at_shelves_least(s) == id;
	at_shelves_del(s, &c->parties->links, id);
	if (s == chap_open(c, i) && first)
		at_chap_party_touch(c, i);
}

/* The tab has a place exactly while there are newcomers; its credit changed, or not. */
static void party_seat_tab(struct chap *c, u32 i, bool paid)
{
	struct chap_party *y = chap_party(c, i);
	u32 id = c->parties->tabs + i;

	if (y->tab_placed && y->waiting && !paid && (!party_aside(c, id) || !y->ready))
		return;
	at_chap_party_settle_place(c);
	if (y->tab_placed)
		at_shelves_del(party_shelves(c, i, id), &c->parties->links, id);
	y->tab_placed = y->waiting;
	if (y->waiting)
		party_put(c, i, chap_open(c, i), id);
	at_chap_party_touch(c, i);
}

/* ---- which group ---- */

static u32 party_key_of(const struct chap *c, const struct at_pkt *p)
{
	u16 sta = at_sta(p);
	u32 source;

	if (sta == AT_GROUP || (c->parties->by_station && sta != AT_NO_STA))
		return sta;
	source = at_source(p);
	return source ? source | (u32)1 << 31 : NO_PARTY;
}

static bool party_is_station(u32 key)
{
	return key < AT_STATIONS;
}

/* A record gets a new generation: charges to its previous group no longer match. */
static void party_renew(struct chap_party *y, u32 i)
{
	y->mark = (u16)(i << 8 | ((y->mark + PARTY_GENERATION) & 0xff));
}

static void party_retire(struct chap *c, u32 i)
{
	struct chap_party *y = chap_party(c, i);

	at_flows_del(&c->parties->table, i);
	y->node.key = NO_PARTY;
	if (c->loose == i)
		c->loose = AT_ORDER_NONE;
}

/* A record for a group that is not known, with a credit and a tab; REST if none is idle. */
static u32 party_add(struct chap *c, u32 key, s64 credit, s64 tab)
{
	struct chap_parties *k = c->parties;
	u32 i = at_flows_add(&k->table, key);
	struct chap_party *y;

	if (!i) {
		i = at_flows_oldest(&k->table, AT_FLOWS_NEW);
		if (!i)
			i = at_flows_oldest(&k->table, AT_FLOWS_KNOWN);
		if (!i)
			return REST;
		party_retire(c, i);
		i = at_flows_add(&k->table, key);
	}
	y = chap_party(c, i);
	party_renew(y, i);
	y->now += AGED;		/* flows of the group before have no debts here */
	y->credit = credit;
	y->epoch = c->epoch;
	y->tab = tab;
	y->tab_epoch = y->now;
	y->lead = 0;
	y->level = 0;
	y->weight = 1;
	y->known = false;
	at_flows_list(&k->table, i, AT_FLOWS_NEW);
	return i;
}

/* Number of the record of a key; a station's record is made if it is not known. */
static u32 party_find(struct chap *c, u32 key)
{
	u32 i;

	if (key == NO_PARTY)
		return REST;
	i = at_flows_find(&c->parties->table, key);
	return i || !party_is_station(key) ? i : party_add(c, key, -c->increment, 0);
}

u32 at_chap_party_of_station(const struct chap *c, u16 sta)
{
	return c->parties->by_station ? at_flows_find(&c->parties->table, sta) : REST;
}

void at_chap_party_begin(struct chap *c, u32 i, const struct at_pkt *p)
{
	struct chap_flow *f = &c->flows[i];

	f->party = (u8)party_find(c, party_key_of(c, p));
	party_set_flow(c, f, at_chap_party_newcomer_credit(c, f->party));
}

/* A flow of another group than before goes on as one that was served from the tab. */
void at_chap_party_enter(struct chap *c, u32 i, const struct at_pkt *p, u64 now)
{
	struct chap_flow *f = &c->flows[i];
	u32 key = party_key_of(c, p), party = f->party;
	struct chap_party *y;

	f->flags &= (u8)~SPARSE;
	if (chap_party(c, party)->node.key != key && party_find(c, key) != party)
		at_chap_party_begin(c, i, p);
	y = chap_party(c, f->party);
	y->level = party_drain(y->level, &y->drained, now);
	party_emptied(f, now);
	if (f->level <= c->parties->burst && y->level <= c->parties->burst)
		f->flags |= SPARSE;
}

/* ---- slots ---- */

static void party_look(struct chap *c, u32 id);

static void party_heap_add(struct chap *c, u32 i)
{
	struct chap_party *y = chap_party(c, i);

	at_heap_add(&c->parties->poor, (struct at_heap_entry){ party_credit(c, y), c->epoch, i }, party_less, c);
}

static void party_open_slot(struct chap *c, u32 i)
{
	struct chap_party *y = chap_party(c, i);

	c->parties->slots++;
	if (y->slots++)
		return;
	if (i != REST)
		at_flows_unlist(&c->parties->table, i);
	if (c->parties->heaped)
		party_heap_add(c, i);
}

/* Came by itself: a source whose record was made before, or a station. */
void at_chap_party_opened(struct chap *c, u32 id)
{
	u32 i = chap_flow_in(c, id)->party;

	chap_party(c, i)->known = true;
	party_open_slot(c, i);
}

static void party_lose_slot(struct chap *c, u32 i, u32 id)
{
	struct chap_party *y = chap_party(c, i);

	c->parties->slots--;
	if (y->fat == id)
		y->fat = TAB;
	if (--y->slots)
		return;
	if (c->parties->heaped)
		at_heap_del(&c->parties->poor, i, party_less, c);
	if (i != REST)
		at_flows_list(&c->parties->table, i, y->known ? AT_FLOWS_KNOWN : AT_FLOWS_NEW);
}

void at_chap_party_closed(struct chap *c, u32 id)
{
	party_lose_slot(c, chap_flow_in(c, id)->party, id);
}

/* ---- newcomers ---- */

void at_chap_party_join(struct chap *c, u32 id, const struct at_pkt *p)
{
	struct chap_flow *f = chap_flow_in(c, id);
	u32 i = f->party, *next = c->parties->links.next, *prev = c->parties->links.prev;
	struct chap_party *y = chap_party(c, i);

	f->flags |= WAITING;
	if (i == REST) {
		at_turns_join(&c->turns, id, party_key_of(c, p));
		if (!chap_parked(c, id))
			at_turns_ready(&c->turns, id, true);
	} else {
		prev[id] = y->last;
		next[id] = 0;
		if (y->last)
			next[y->last] = id;
		else
			y->first = id;
		y->last = id;
	}
	y->ready += !chap_parked(c, id);
	if (!y->waiting++)
		at_heap_add(&c->parties->full, (struct at_heap_entry){ .id = i }, party_fuller, NULL);
	party_seat_tab(c, i, false);
}

void at_chap_party_count(struct chap *c, u32 id, s32 n)
{
	struct chap_parties *k = c->parties;
	u32 i = chap_flow_in(c, id)->party;
	struct chap_party *y = chap_party(c, i);

	if (i == REST)
		at_turns_count(&c->turns, id, n);
	y->new_len += (u32)n;
	at_heap_del(&k->full, i, party_fuller, NULL);
	at_heap_add(&k->full, (struct at_heap_entry){ .key = y->new_len, .id = i }, party_fuller, NULL);
}

void at_chap_party_leave(struct chap *c, u32 id)
{
	struct chap_flow *f = chap_flow_in(c, id);
	u32 i = f->party, *next = c->parties->links.next, *prev = c->parties->links.prev;
	struct chap_party *y = chap_party(c, i);

	f->flags &= (u8)~WAITING;
	y->ready -= !chap_parked(c, id);
	if (i == REST) {
		if (!chap_parked(c, id))
			at_turns_ready(&c->turns, id, false);
		at_turns_leave(&c->turns, id);
	} else {
		if (prev[id])
			next[prev[id]] = next[id];
		else
			y->first = next[id];
		if (next[id])
			prev[next[id]] = prev[id];
		else
			y->last = prev[id];
	}
	if (!--y->waiting)
		at_heap_del(&c->parties->full, i, party_fuller, NULL);
	party_seat_tab(c, i, false);
}

void at_chap_party_ready(struct chap *c, u32 id, bool ready)
{
	u32 i = chap_flow_in(c, id)->party;

	if (i == REST)
		at_turns_ready(&c->turns, id, ready);
	chap_party(c, i)->ready += ready ? 1 : ~(u32)0;
	party_seat_tab(c, i, false);
}

static bool party_newcomer_parked(const void *ctx, u32 id)
{
	return chap_parked(ctx, id);
}

u32 at_chap_party_newcomer(struct chap *c, u32 party)
{
	u32 id;

	if (party == REST) {
		id = at_turns_first_ready(&c->turns, party_newcomer_parked, c);
		at_turns_pass(&c->turns, id);
		return id;
	}
	id = chap_party(c, party)->first;
	while (chap_parked(c, id))
		id = c->parties->links.next[id];
	return id;
}

/* The group of its own that a source gets with the first packet that is served. */
static u32 party_own(struct chap *c, const struct at_pkt *p)
{
	u32 key = party_key_of(c, p), i;
	s64 d = at_chap_party_newcomer_credit(c, REST);

	if (key == NO_PARTY)
		return REST;
	i = at_flows_find(&c->parties->table, key);
	return i ? i : party_add(c, key, d, party_tab(chap_party(c, REST)));
}

void at_chap_party_welcome(struct chap *c, u32 id, u32 flow, const struct at_pkt *p)
{
	struct chap_flow *f = &c->flows[flow];
	u32 party = f->party, own = party, len = c->slots[id].len;
	s64 d = at_chap_party_newcomer_credit(c, party);

	if (party == REST)
		own = party_own(c, p);
	if (f->slot)
		at_chap_leave_newcomers(c, id);
	if (f->slot && own != party) {
		chap_party(c, party)->len -= len;
		party_lose_slot(c, party, id);
		f->party = (u8)own;
		party_open_slot(c, own);
		chap_party(c, own)->len += len;
		party_look(c, id);
	}
	f->party = (u8)own;
	party_set_flow(c, f, d);
	f->flags |= SPARSE;
	f->level = c->parties->burst - (u32)c->parties->young;
	if (f->slot)
		at_chap_party_rank(c, id);
	c->n_newcomers++;
}

/* ---- charges ---- */

s64 at_chap_party_flow_credit(const struct chap *c, const struct chap_flow *f)
{
	/* a change of the increment keeps distances, and can leave one below the new floor */
	return at_credit_clamp(at_credit_boost(f->credit, chap_party(c, f->party)->now - f->epoch), c->floor);
}

void at_chap_party_boost_flows(struct chap *c, u32 i)
{
	struct chap_party *y = chap_party(c, i);
	struct chap_shelves *s = y->shelves;

	at_chap_party_settle_place(c);
	y->now++;
	y->lead >>= 1;
	at_shelves_halve(&s->open, &c->parties->links);
	at_shelves_halve(&s->parked, &c->parties->links);
}

void at_chap_party_reheap(struct chap *c, const struct chap_party *y)
{
	u32 i = (u32)(y - c->parties->at);

	if (!y->slots)
		return;
	at_heap_del(&c->parties->poor, i, party_less, c);
	party_heap_add(c, i);
}

void at_chap_party_pay(struct chap *c, u32 party, struct chap_flow *f, s64 ns)
{
	struct chap_party *y = chap_party(c, party);

	if (f) {
		at_chap_party_settle(c, party, f, ns);
		return;
	}
	party_pay(c, y, ns);
	at_chap_party_touch(c, party);
}

/* Uplink frames of a flow are use of it: an upload is not light because its ACKs are few. */
void at_chap_party_heard(struct chap *c, struct chap_flow *f, u64 air, u64 now)
{
	const struct chap_parties *k = c->parties;
	struct chap_party *y = chap_party(c, f->party);
	u32 ns = air < LEVEL_MAX ? (u32)air : LEVEL_MAX;

	f->level = party_raise(party_drain(f->level, &f->last, now), ns);
	if (!(f->flags & SPARSE))
		return;
	y->level = party_raise(party_drain(y->level, &y->drained, now), ns);
	if (f->level > k->burst || y->level > k->burst)
		f->flags &= (u8)~SPARSE;
}

void at_chap_party_pay_young(struct chap *c, struct chap_party *y, struct chap_flow *f, s64 ns)
{
	at_chap_party_settle_place(c);
	f->air += (u64)ns;
	party_refresh_flow(y, f);
	f->credit = party_charge(f->credit, ns, c->floor);
	if (c->newcomers)
		at_chap_party_pay_tab(c, f->party, ns);
}

void at_chap_party_settle(struct chap *c, u32 party, struct chap_flow *f, s64 ns)
{
	struct chap_party *own = chap_party(c, f->party), *y = chap_party(c, party);

	party_pay_flow(c, own, f, ns);
	party_pay(c, y, ns);
	at_chap_party_charged(c, f);
	if (f->party != party)
		at_chap_party_touch(c, party);
}

void at_chap_party_charged(struct chap *c, const struct chap_flow *f)
{
	if (f->slot && f != c->parties->late && !(f->flags & WAITING)) {
		u32 place = party_place(c, party_shelves(c, f->party, f->slot), f);

		if (place != c->parties->links.place[f->slot])
			at_chap_party_move(c, f);
	}
	at_chap_party_touch(c, f->party);
}

void at_chap_party_pay_tab(struct chap *c, u32 party, s64 ns)
{
	struct chap_party *y = chap_party(c, party);

	y->tab = at_credit_charge(party_tab(y), ns, c->floor);
	y->tab_epoch = y->now;
	if (y->waiting)
		party_seat_tab(c, party, true);
}

/* ---- who loses a packet ---- */

static void party_look(struct chap *c, u32 id)
{
	struct chap_parties *k = c->parties;
	u32 i = chap_flow_in(c, id)->party;
	struct chap_party *y = chap_party(c, i);

	if (c->slots[id].len > c->slots[y->fat].len)
		y->fat = id;
	if (y->len > chap_party(c, k->fat)->len)
		k->fat = i;
}

void at_chap_party_pushed(struct chap *c, u32 id)
{
	if (!c->parties->heaped)
		return;
	chap_party(c, chap_flow_in(c, id)->party)->len++;
	party_look(c, id);
}

/* From an overflow until the queue is half empty packets are counted. */
static void party_heap(struct chap *c)
{
	struct chap_parties *k = c->parties;

	if (k->heaped)
		return;
	k->heaped = k->counted = true;
	k->fat = REST;
	for (u32 i = 0; i <= PARTIES; i++) {
		chap_party(c, i)->len = 0;
		chap_party(c, i)->fat = TAB;
		if (chap_party(c, i)->slots)
			party_heap_add(c, i);
	}
	for (u32 id = 1; id < c->slot_fresh; id++) {
		if (!c->slots[id].list.head)
			continue;
		chap_party(c, chap_flow_in(c, id)->party)->len += c->slots[id].len;
		party_look(c, id);
	}
}

static void party_unheap(const struct chap *c, struct chap_parties *k)
{
	for (u32 i = 0; i < k->poor.n; i++)
		k->poor_pos[k->poor_entries[i].id] = 0;
	k->poor.n = 0;
	k->heaped = false;
	k->counted = c->drain || k->promote.up;
}

void at_chap_party_taken(struct chap *c, u32 id)
{
	if (c->parties->heaped)
		chap_party(c, chap_flow_in(c, id)->party)->len--;
}

void at_chap_party_ended(struct chap *c, const struct at_qdisc *q)
{
	if (q->qlen < c->bound / 2 && q->bytes < c->memory / 2)
		party_unheap(c, c->parties);
}

static u32 party_longest_newcomer(const struct chap *c, u32 i)
{
	return i == REST ? at_turns_fullest(&c->turns) : chap_party(c, i)->first;
}

u32 at_chap_party_waits(const struct chap *c)
{
	return party_longest_newcomer(c, at_heap_max(&c->parties->full)->id);
}

/* The slot of a group that loses a packet. */
static u32 party_slot_victim(const struct chap *c, u32 i)
{
	const struct at_shelf_links *links = &c->parties->links;
	const struct chap_party *y = chap_party(c, i);
	const struct at_shelves *s = chap_open(c, i), *parked = &chap_party(c, i)->shelves->parked;
	u32 id, hog = c->slots[y->fat].len;

	if (!s->used || (parked->used && at_shelves_top(parked) > at_shelves_top(s)))
		s = parked;
	id = at_shelves_most(s, links);
	if (id >= c->parties->tabs)
		return party_longest_newcomer(c, i);
	return hog >= HOG && c->slots[id].len <= hog / SPARED ? y->fat : id;
}

u32 at_chap_party_victim(const struct at_qdisc *q, bool by_bytes)
{
	struct chap *c = chap_priv(q);
	struct chap_parties *k = c->parties;
	const struct chap_party *fat;
	u32 i;

	if (by_bytes ? c->new_bytes > c->memory / 2 : c->new_len > c->bound / 2)
		return at_chap_party_waits(c);
	at_chap_party_settle_place(c);
	party_heap(c);
	fat = chap_party(c, k->fat);
	i = at_heap_min(&k->poor)->id;
	if (q->parked > q->qlen / 2 && chap_open(c, i)->used && fat->slots && !chap_open(c, k->fat)->used)
		i = k->fat;
	else if (fat->len >= HOG && chap_party(c, i)->len <= fat->len / SPARED)
		i = k->fat;
	return party_slot_victim(c, i);
}

/* ---- set-up ---- */

u64 at_chap_parties_bytes(u64 slots)
{
	u64 members = slots + PARTIES + 1;

	return at_lines(sizeof(struct chap_parties)) +
	       at_lines(AT_FLOWS_RECORDS(PARTIES) * sizeof(struct chap_party)) +
	       at_lines((PARTIES + 1) * sizeof(struct chap_shelves)) +
	       at_lines(at_flows_bytes(PARTIES)) + at_lines(2 * members * sizeof(u32)) + members;
}

void at_chap_parties_init(struct chap *c, void *memory, u64 slots, bool by_station, u64 seed)
{
	u64 members = slots + PARTIES + 1;
	struct chap_parties *k = memory;
	u8 *at = memory;
	void *buckets;

	c->parties = k;
	at += at_lines(sizeof(*k));
	k->at = (void *)at;
	at += at_lines(AT_FLOWS_RECORDS(PARTIES) * sizeof(struct chap_party));
	for (u32 i = 0; i <= PARTIES; i++)
		k->at[i].shelves = (struct chap_shelves *)(void *)at + i;
	at += at_lines((PARTIES + 1) * sizeof(struct chap_shelves));
	buckets = at;
	at += at_lines(at_flows_bytes(PARTIES));
	k->links.prev = (void *)at;
	k->links.next = k->links.prev + members;
	at += at_lines(2 * members * sizeof(u32));
	k->links.place = at;
	c->next = k->links.next;
	k->tabs = (u32)slots;
	k->by_station = by_station;
	k->poor = (struct at_heap){ k->poor_entries, k->poor_pos, 0 };
	k->full = (struct at_heap){ k->full_entries, k->full_pos, 0 };
	at_order_init(&c->order, k->entries, k->pos, k->next);
	at_flows_init(&k->table, buckets, k->at, sizeof(struct chap_party), PARTIES, seed);
	for (u32 i = 0; i <= PARTIES; i++)
		k->at[i].node.key = NO_PARTY;
}

/* Slots get new places. */
static void party_reseat(struct chap *c)
{
	for (u32 id = 1; id < c->slot_fresh; id++) {
		const struct chap_slot *s = &c->slots[id];
		struct chap_flow *f = &c->flows[s->flow];
		struct at_shelves *to;

		if (!s->list.head || f->flags & WAITING)
			continue;
		to = party_shelves(c, f->party, id);
		if (c->parties->links.place[id] != party_place(c, to, f))
			party_move(c, f->party, to, id);
	}
}

bool at_chap_parties_set(struct chap *c, s64 debt)
{
	struct chap_parties *k = c->parties;
	u64 third = at_div((u64)c->increment, 3);
	s64 light = k->light;
	u32 lowest = k->lowest;
	bool reseated;

	at_chap_party_settle_place(c);
	k->light = -(s64)(2 * third);
	k->spent = at_credit_store(0, c->increment);
	k->burst = third < LEVEL_MAX ? (u32)third : LEVEL_MAX;
	k->young = k->burst / 4;
	k->debt = -2 * c->increment - debt;
	k->lowest = at_shelf_lowest((u64)~c->floor);
	reseated = k->light != light || k->lowest != lowest;
	if (reseated)
		party_reseat(c);
	for (u32 i = 0; i <= PARTIES; i++)
		if (chap_party(c, i)->slots)
			party_seat_tab(c, i, true);
	return reseated;
}

void at_chap_parties_clear(struct chap *c)
{
	struct chap_parties *k = c->parties;

	k->late = NULL;
	party_unheap(c, k);
	memset(k->full_pos, 0, sizeof(k->full_pos));
	k->full.n = 0;
	k->slots = 0;
	k->fat = REST;
	for (u32 i = 0; i <= PARTIES; i++) {
		struct chap_party *y = &k->at[i];

		y->slots = y->len = y->waiting = y->ready = y->first = y->last = y->new_len = 0;
		y->fat = TAB;
		y->tab_placed = false;
		*y->shelves = (struct chap_shelves){ 0 };
	}
}

void at_chap_parties_forget(struct chap *c)
{
	struct chap_parties *k = c->parties;

	at_chap_parties_clear(c);
	at_promote_forget(&k->promote);
	at_flows_forget(&k->table);
	for (u32 i = 0; i <= PARTIES; i++) {
		struct chap_party *y = &k->at[i];

		y->node.key = NO_PARTY;
		party_renew(y, i);
		y->now += AGED;
		y->tab_epoch = y->now;
		y->tab = y->lead = 0;
		y->credit = -c->increment;
		y->epoch = c->epoch;
		y->weight = 1;
	}
}
