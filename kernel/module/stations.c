// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What a discipline is told of stations' links: who is met, who left, and every
 * 100 ms, as packets are dequeued, who is there. Nothing above the driver says
 * more: rates, aggregates and what waits below are unknown, hence 0, but for what a
 * governor has learned.
 *
 * What this is not: no timer. While nothing is dequeued nothing is told.
 */
#include "inflight.h"

#define EVERY (100 * NSEC_PER_MSEC)

static void tell(struct airtab *a, u16 sta, bool here, u64 now)
{
	struct at_link link = { .sta = sta, .here = here };

	if (here && a->inflight)
		at_inflight_link(a, &link);
	a->core->link(a->q, &link, now);
}

void at_links_start(struct airtab *a, u64 now)
{
	a->links_due = a->core->link && a->host.station ? now + EVERY : AT_NEVER;
}

void at_links_met(struct airtab *a, u16 sta, u64 now)
{
	enum at_met met = a->host.met;

	a->host.met = AT_MET_AGAIN;
	if (sta >= AT_NO_STA)
		return;
	if (met == AT_MET_INSTEAD && a->inflight)
		at_inflight_met(a, sta, now);
	if (!a->core->link)
		return;
	if (met == AT_MET_INSTEAD)
		tell(a, sta, false, now);
	tell(a, sta, true, now);
}

void at_links_sample(struct airtab *a, u64 now)
{
	a->links_due = now + EVERY;
	for (u16 sta = 0; sta < a->host.stations.known; sta++)
		tell(a, sta, true, now);
}
