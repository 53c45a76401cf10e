/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The interval heap against a linear scan, over random insertions, removals and
 * changes of all keys, with few distinct keys so that ties are common.
 */
#include "airtab/heap.h"
#include "harness.h"

#define IDS 300

static bool less(const void *ctx, const struct at_heap_entry *a, const struct at_heap_entry *b)
{
	(void)ctx;
	return a->key != b->key ? a->key < b->key : a->id > b->id;
}

static void check_ends(const struct at_heap *h, const s64 *key, const bool *in)
{
	u32 min = 0, max = 0, n = 0;

	for (u32 i = 1; i < IDS; i++) {
		if (!in[i]) {
			CHECK_EQ(h->pos[i], 0);
			continue;
		}
		n++;
		CHECK_EQ(h->e[h->pos[i] - 1].id, i);
		if (!min || key[i] < key[min] || (key[i] == key[min] && i > min))
			min = i;
		if (!max || key[i] > key[max])
			max = i;
	}
	CHECK_EQ(h->n, n);
	CHECK_EQ(min, n ? at_heap_min(h)->id : 0);
	CHECK_EQ(max, n ? at_heap_max(h)->id : 0);
}

static void run(u64 seed, u32 ids, u64 keys)
{
	struct at_heap_entry e[IDS];
	u32 pos[IDS] = { 0 };
	struct at_heap h = { e, pos, 0 };
	s64 key[IDS];
	bool in[IDS] = { false };

	for (u32 step = 0; step < 20000; step++) {
		u32 id = 1 + (u32)below(&seed, ids - 1);

		switch (below(&seed, 8)) {
		case 0:
		case 1:
		case 2:
		case 3:
			at_heap_del(&h, id, less, NULL);
			key[id] = (s64)below(&seed, keys);
			in[id] = true;
			at_heap_add(&h, (struct at_heap_entry){ key[id], 0, id }, less, NULL);
			break;
		case 4:
			at_heap_del(&h, id, less, NULL);
			in[id] = false;
			break;
		case 5:
		case 6:
			if (!h.n)
				break;
			id = step & 1 ? at_heap_max(&h)->id : at_heap_min(&h)->id;
			at_heap_del(&h, id, less, NULL);
			in[id] = false;
			break;
		case 7:
			if (below(&seed, 100))
				break;
			for (u32 i = 0; i < h.n; i++)
				h.e[i].key = key[h.e[i].id] = (s64)below(&seed, keys);
			at_heap_rebuild(&h, less, NULL);
			break;
		}
		check_ends(&h, key, in);
	}
}

int main(void)
{
	for (u64 seed = 1; seed <= 5; seed++) {
		CASE(run(seed, 5, 4));
		CASE(run(seed, 40, 1000000));
		CASE(run(seed, IDS, 20));
	}
	return 0;
}
