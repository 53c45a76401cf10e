/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The flow table (flowtable.h) against a list of what was put in, and that
 * forgetting everything takes no look at the buckets, yet leaves nothing behind.
 */
#include "harness.h"

#include "airtab/flowtable.h"

#define SIZE 64u
#define KEYS 160u		/* more than records: buckets are shared, the table fills */

struct record {
	struct at_flow_node node;
};

struct model {
	struct at_flowtable t;
	struct record records[SIZE + 1 + AT_FLOWS_LISTS];
	u32 *bucket;
	u32 of[KEYS];		/* record of a key, 0 = none */
	u32 n;
};

static u32 key_of(u32 k)
{
	return k * 0x9e3779b9u;		/* 0 is one of them */
}

static void check(struct model *m)
{
	u32 seen[SIZE + 1] = { 0 };

	for (u32 k = 0; k < KEYS; k++) {
		CHECK_EQ(at_flows_find(&m->t, key_of(k)), m->of[k]);
		if (m->of[k]) {
			CHECK(m->of[k] >= 1 && m->of[k] <= SIZE && !seen[m->of[k]]++);
			CHECK_EQ(at_flows_node(&m->t, m->of[k])->key, key_of(k));
		}
	}
	CHECK_EQ(m->t.known, m->n);
}

static void at_random(u64 seed)
{
	static struct model m;
	u64 rng = seed;

	memset(&m, 0, sizeof(m));
	m.bucket = calloc(1, at_flows_bytes(SIZE));
	at_flows_init(&m.t, m.bucket, m.records, sizeof(struct record), SIZE, seed);
	for (u32 i = 0; i < 4000; i++) {
		u32 k = (u32)below(&rng, KEYS), what = (u32)below(&rng, 100);

		if (what == 0) {
			at_flows_forget(&m.t);
			memset(m.of, 0, sizeof(m.of));
			m.n = 0;
		} else if (m.of[k]) {
			at_flows_del(&m.t, m.of[k]);
			m.of[k] = 0;
			m.n--;
		} else {
			m.of[k] = at_flows_add(&m.t, key_of(k));
			CHECK_EQ(!!m.of[k], m.n < SIZE);
			m.n += !!m.of[k];
		}
		check(&m);
	}
	free(m.bucket);
}

/* The buckets are as they were: that is what makes it fast. */
static void forgets_without_a_visit(void)
{
	const u32 size = 1u << 16;
	u32 *bucket = calloc(1, at_flows_bytes(size)), *before = malloc(at_flows_bytes(size));
	struct record *records = calloc(AT_FLOWS_RECORDS(size), sizeof(*records));
	struct at_flowtable t;

	at_flows_init(&t, bucket, records, sizeof(*records), size, 1);
	for (u32 k = 0; k < size; k++)
		CHECK(at_flows_add(&t, key_of(k)));
	memcpy(before, bucket, at_flows_bytes(size));
	at_flows_forget(&t);
	CHECK(!memcmp(before, bucket, at_flows_bytes(size)));
	for (u32 k = 0; k < size; k++)
		CHECK_EQ(at_flows_find(&t, key_of(k)), 0);
	/* other keys in the same records and buckets */
	for (u32 k = size; k < 2 * size; k++)
		CHECK(at_flows_add(&t, key_of(k)));
	for (u32 k = 0; k < 2 * size; k++)
		CHECK_EQ(!!at_flows_find(&t, key_of(k)), k >= size);
	free(records);
	free(before);
	free(bucket);
}

/* Oldest first; a listed record moves, an unlisted one is in none. */
static void lists(void)
{
	struct record records[8 + 1 + AT_FLOWS_LISTS] = { 0 };
	u32 bucket[32] = { 0 };
	struct at_flowtable t;
	u32 a, b;

	CHECK(at_flows_bytes(8) <= sizeof(bucket));
	at_flows_init(&t, bucket, records, sizeof(*records), 8, 1);
	a = at_flows_add(&t, 1);
	b = at_flows_add(&t, 2);
	CHECK(!at_flows_listed(&t, a) && !at_flows_oldest(&t, AT_FLOWS_NEW));
	at_flows_list(&t, a, AT_FLOWS_NEW);
	at_flows_list(&t, b, AT_FLOWS_NEW);
	CHECK_EQ(at_flows_oldest(&t, AT_FLOWS_NEW), a);
	at_flows_list(&t, a, AT_FLOWS_NEW);
	CHECK_EQ(at_flows_oldest(&t, AT_FLOWS_NEW), b);
	at_flows_list(&t, b, AT_FLOWS_KNOWN);
	CHECK_EQ(at_flows_oldest(&t, AT_FLOWS_NEW), a);
	CHECK_EQ(at_flows_oldest(&t, AT_FLOWS_KNOWN), b);
	at_flows_del(&t, b);
	CHECK_EQ(at_flows_oldest(&t, AT_FLOWS_KNOWN), 0);
	at_flows_forget(&t);
	CHECK_EQ(at_flows_oldest(&t, AT_FLOWS_NEW), 0);
}

int main(void)
{
	for (u64 seed = 0; seed < 20; seed++)
		CASE(at_random(seed));
	CASE(forgets_without_a_visit());
	CASE(lists());
	return 0;
}
