/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * One dequeue of any discipline drops at most 256 packets, however many are due under
 * CoDel or COBALT: the host holds a lock.
 */
#include "airtab/codel.h"
#include "harness.h"

#define PACKETS 200000u
#define FLOWS 64u

/* Values of parameters, by which a queue holds the maximum number of packets and all of them
 * are late. */
static const struct {
	const char *name;
	u64 value;
} settings[] = {
	{ "limit", PACKETS }, { "class_limit", PACKETS }, { "station_limit", PACKETS }, { "limits", PACKETS },
	{ "min", ~(u64)0 }, { "max", ~(u64)0 }, { "guard", PACKETS }, { "flows", 65536 }, { "memory", 1u << 31 },
	{ "target", 1000 }, { "interval", 1000 }, { "inner", 2 },
};

static bool has_codel(const struct at_ops *ops)
{
	for (const struct at_stat *s = ops->stats; s->name; s++)
		if (!strcmp(s->name, "codel_drops") || !strcmp(s->name, "cobalt_drops"))
			return true;
	return false;
}

/* Parameters of a kind by the settings, within their ranges. */
static void set_late(const struct at_ops *ops, char *args, size_t size)
{
	size_t len = 0;

	*args = 0;
	for (const struct at_param *p = ops->params; p->name; p++) {
		for (u32 i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
			u64 value = settings[i].value;

			/* astar and wqm have an interval that is not CoDel's */
			if (strcmp(p->name, settings[i].name) || (!strcmp(p->name, "interval") && !has_codel(ops)))
				continue;
			value = value < p->min ? p->min : value > p->max ? p->max : value;
			len += (size_t)snprintf(args + len, size - len, "%s=%llu ", p->name, (unsigned long long)value);
		}
	}
	CHECK(len < size);
}

/* Packets of 64 flows, one of each station, in three classes, wait for longer than all drops
 * of one dequeue need. */
static void dequeue_is_bounded(const struct at_ops *ops)
{
	u32 sent = 0, queued, refused, most = 0;
	char args[200];
	u64 now = 1;
	struct at_ticket t;
	struct host h;

	set_late(ops, args, sizeof(args));
	open_host(&h, ops->name, args, PACKETS);
	for (u32 i = 0; i < PACKETS; i++) {
		struct at_pkt *p = new_pkt(&h, i % FLOWS, 1500);

		p->sta = (u16)(i % FLOWS);
		p->cls = (u8)(i % FLOWS % 3);
		push(&h, p, now);
	}
	refused = h.drops;
	queued = h.q->qlen;
	CHECK(queued && refused + queued == PACKETS);
	for (u32 calls = 0; h.q->qlen; calls++) {
		u32 before = h.drops;

		CHECK(calls <= queued);
		now += 1000 * SEC;
		sent += get(&h, &t, now) != NULL;
		most = h.drops - before > most ? h.drops - before : most;
		CHECK(sent + h.drops + h.q->qlen == PACKETS);
	}
	if (getenv("AT_VERBOSE"))
		fprintf(stderr, "%-10s %6u queued, %6u sent, at most %u dropped by a dequeue\n", ops->name, queued, sent, most);
	CHECK(most <= 256);
	if (has_codel(ops)) {
		/* those that were due and not dropped are dropped by later ones */
		CHECK_EQ(most, 256);
		CHECK_EQ(h.q->dropped[AT_R_AQM], h.drops - refused);
		CHECK(10 * h.q->dropped[AT_R_AQM] > 9ull * queued);
	}
	close_host(&h);
}

/* 200,000 packets are queued, or the maximum of the kind. */
static void all_kinds(void)
{
	u32 with_codel = 0;

	for (u32 i = 0; at_disciplines[i]; i++) {
		dequeue_is_bounded(at_disciplines[i]);
		with_codel += has_codel(at_disciplines[i]);
	}
	CHECK(with_codel >= 7);
}

int main(void)
{
	CASE(all_kinds());
	return 0;
}
