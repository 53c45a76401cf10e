/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Turns of parties (turns.h) against a model that keeps plain arrays, and the
 * party that gets too many.
 */
#include "harness.h"

#include "airtab/turns.h"

#define MEMBERS 600u
#define KEYS 400u		/* more than AT_PARTIES */

struct model {
	u32 order[KEYS + 1], n;			/* keys with members, in the order of their turns */
	u32 member[MEMBERS], key[MEMBERS], packets[MEMBERS], members;	/* in order of arrival */
	bool ready[MEMBERS];		/* of a member, by its number */
};

struct both {
	struct at_turns t;
	u16 party[MEMBERS + 1];
	u32 next[MEMBERS + 1];
	struct model m;
};

static u32 first_of(const struct model *m, u32 key)
{
	for (u32 i = 0; i < m->members; i++)
		if (m->key[i] == key)
			return m->member[i];
	return 0;
}

/* Whose turn it is of those who are ready. */
static u32 first_ready(const struct model *m)
{
	for (u32 n = 0; n < m->n; n++)
		for (u32 i = 0; i < m->members; i++)
			if (m->key[i] == m->order[n] && m->ready[m->member[i]])
				return m->member[i];
	return 0;
}

static bool waits(const void *ctx, u32 id)
{
	const struct model *m = ctx;

	return !m->ready[id];
}

static u32 packets_of(const struct model *m, u32 key)
{
	u32 n = 0;

	for (u32 i = 0; i < m->members; i++)
		if (m->key[i] == key)
			n += m->packets[i];
	return n;
}

static void model_remove_key(struct model *m, u32 key)
{
	u32 at = 0;

	while (m->order[at] != key)
		at++;
	m->n--;
	memmove(m->order + at, m->order + at + 1, (m->n - at) * sizeof(u32));
}

static void model_leave(struct model *m, u32 id)
{
	u32 at = 0, key;

	while (m->member[at] != id)
		at++;
	key = m->key[at];
	m->members--;
	memmove(m->member + at, m->member + at + 1, (m->members - at) * sizeof(u32));
	memmove(m->key + at, m->key + at + 1, (m->members - at) * sizeof(u32));
	memmove(m->packets + at, m->packets + at + 1, (m->members - at) * sizeof(u32));
	if (!first_of(m, key))
		model_remove_key(m, key);
}

static u32 place(const struct model *m, u32 id)
{
	u32 at = 0;

	while (at < m->members && m->member[at] != id)
		at++;
	return at;
}

static void same(struct both *b)
{
	struct model *m = &b->m;
	u32 most = 0, full = at_turns_fullest(&b->t), ready = first_ready(m);

	CHECK_EQ(b->t.members, m->members);
	CHECK_EQ(b->t.heap.n, m->n);
	CHECK_EQ(at_turns_first(&b->t), m->n ? first_of(m, m->order[0]) : 0);
	CHECK_EQ(!b->t.ready, !ready);
	CHECK(!ready || at_turns_first_ready(&b->t, waits, m) == ready);
	for (u32 i = 0; i < m->n; i++)
		if (packets_of(m, m->order[i]) > most)
			most = packets_of(m, m->order[i]);
	CHECK_EQ(!!full, m->members > 0);
	if (!full)
		return;
	/* the longest waiting member of a party that has as many as any */
	CHECK_EQ(packets_of(m, m->key[place(m, full)]), most);
	CHECK_EQ(first_of(m, m->key[place(m, full)]), full);
}

static void at_random(u64 seed, u32 keys)
{
	static struct both b;
	struct model *m = &b.m;
	u64 rng = seed;

	memset(&b, 0, sizeof(b));
	at_turns_init(&b.t, b.party, b.next, seed);
	for (u32 i = 0; i < 3000; i++) {
		u32 id = 1 + (u32)below(&rng, MEMBERS - 1), at = place(m, id);

		if (at == m->members) {
			u32 key = (u32)below(&rng, keys);

			if (!first_of(m, key))
				m->order[m->n++] = key;
			m->member[at] = id;
			m->key[at] = key;
			m->packets[at] = 0;
			m->members++;
			m->ready[id] = false;
			at_turns_join(&b.t, id, key);
		}
		switch (below(&rng, 6)) {
		case 0:
		case 1:
			at_turns_count(&b.t, id, 1);
			m->packets[at]++;
			break;
		case 2:
			id = at_turns_first(&b.t);
			at_turns_pass(&b.t, id);
			at = place(m, id);
			model_remove_key(m, m->key[at]);
			m->order[m->n++] = m->key[at];
			break;
		case 3:
		case 4:
			m->ready[id] = !m->ready[id];
			at_turns_ready(&b.t, id, m->ready[id]);
			break;
		default:
			at_turns_count(&b.t, id, -(s32)m->packets[at]);
			if (m->ready[id])
				at_turns_ready(&b.t, id, false);
			at_turns_leave(&b.t, id);
			model_leave(m, id);
		}
		same(&b);
	}
}

/* 256 parties take turns; all others share the turn of one more, in their order of
 * arrival, until somebody leaves. */
static void the_rest(void)
{
	static struct both b;

	memset(&b, 0, sizeof(b));
	at_turns_init(&b.t, b.party, b.next, 1);
	for (u32 id = 1; id <= 300; id++) {
		at_turns_join(&b.t, id, id * 7);
		at_turns_count(&b.t, id, 1);
	}
	CHECK_EQ(b.t.heap.n, 257);
	CHECK_EQ(at_turns_fullest(&b.t), 257);		/* 44 packets are the rest's */
	for (u32 id = 1; id <= 256; id++) {
		CHECK_EQ(at_turns_first(&b.t), id);
		at_turns_pass(&b.t, id);
	}
	CHECK_EQ(at_turns_first(&b.t), 257);
	at_turns_pass(&b.t, 257);
	CHECK_EQ(at_turns_first(&b.t), 1);
	at_turns_count(&b.t, 1, -1);
	at_turns_leave(&b.t, 1);
	at_turns_join(&b.t, 301, 5);			/* has the record that came free */
	CHECK_EQ(b.t.heap.n, 257);
	for (u32 id = 257; id <= 300; id++) {
		at_turns_count(&b.t, id, -1);
		at_turns_leave(&b.t, id);
	}
	CHECK_EQ(b.t.heap.n, 256);
	CHECK_EQ(at_turns_first(&b.t), 2);
	at_turns_join(&b.t, 257, 6);			/* the rest again, as new */
	at_turns_count(&b.t, 257, 3);
	CHECK_EQ(at_turns_fullest(&b.t), 257);
	CHECK_EQ(b.t.heap.n, 257);
}

int main(void)
{
	for (u64 seed = 1; seed <= 10; seed++) {
		CASE(at_random(seed, 3));
		CASE(at_random(seed, 100));
	}
	CASE(the_rest());
	return 0;
}
