// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * An 802.11 link in place of the device's own (airtab/emulator.h; CHAP dissertation 7.1), on
 * any device that is faster: a packet is held for as long as its exchange would have taken,
 * repetitions included, then it goes or is lost, and its flow is charged that.
 *
 * The link is busy with one packet, which has left the discipline and is still in the books of
 * the qdisc. The next one begins when it ends, not when the timer is noticed, so that
 * latencies do not add up.
 *
 * What this is not: no uplink. No rates by MCS.
 */
#include "emulate.h"

/* Later than that the device itself is what was slow; less is a busy processor. */
#define NOTICED (10 * NSEC_PER_MSEC)

void at_emulate_set(struct airtab *a)
{
	const struct at_param *p = &at_glue_params[AT_GLUE_EMULATE];
	const char *profile = p->choices[at_glue_value(a->set, AT_GLUE_EMULATE)];
	struct at_emulation *e = &a->emulation;

	e->on = false;
	for (const struct at_phy *phy = at_phys; phy->name; phy++)
		if (!strcmp(phy->name, profile)) {
			e->link.phy = *phy;
			e->on = true;
		}
	e->link.extra = at_glue_value(a->set, AT_GLUE_EMULATE_EXTRA);
	e->link.attempts = 5;
	e->kbps = (u32)div_u64(at_glue_value(a->set, AT_GLUE_EMULATE_RATE), 1000);
	e->fer = div_u64(at_glue_value(a->set, AT_GLUE_EMULATE_FER) << 32, 1000000);
}

void at_emulate_begin(struct airtab *a, struct at_pkt *p, u64 from)
{
	struct at_emulation *e = &a->emulation;
	bool group = at_sta(p) == AT_GROUP;

	at_emulate(&e->link, group ? e->link.phy.base_kbps : e->kbps, group ? 0 : e->fer, at_bytes(p), &e->took);
	e->held = at_host_leave(p);
	e->ticket = a->ticket;
	e->until = from + e->took.air;
}

struct sk_buff *at_emulate_end(struct airtab *a, u64 now, bool *lost)
{
	struct at_emulation *e = &a->emulation;
	struct sk_buff *skb = e->held;

	e->held = NULL;
	e->free = max(e->until, now - NOTICED);
	*lost = !e->took.acked;
	if (a->core->sent)
		a->core->sent(a->q, &e->ticket, &e->took, now);
	return skb;
}
