/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Light flows in a better access category: see airtab/promote.h.
 */
#include "airtab/promote.h"

/* The place of a flow, which it has or not. */
static struct at_promote_flow *promote_place(struct at_promote *k, u32 flow)
{
	return &k->flows[flow % AT_PROMOTE_FLOWS];
}

static bool promote_is(const struct at_promote_flow *f, u32 flow, u32 gen)
{
	return flow && f->flow == flow && f->gen == gen;
}

static bool promote_silent(const struct at_promote_flow *f, u64 now)
{
	return now - f->last >= AT_PROMOTE_SILENT;
}

/* Airtime that is missing in the bucket, ns, times the share. */
static u64 promote_spent(const struct at_promote *k, u64 now)
{
	return (s64)(k->full - now) > 0 ? k->full - now : 0;
}

static void promote_pay(struct at_promote *k, s64 ns, u64 now)
{
	k->air += (u64)ns;
	k->full = now + promote_spent(k, now) + (u64)ns * AT_PROMOTE_SHARE;
}

/* Packets that are missing in the bucket of a flow, ns of AT_PROMOTE_PACKET. */
static u64 promote_flow_spent(const struct at_promote_flow *f, u64 now)
{
	u64 gained = now - f->last;

	return f->spent > gained ? f->spent - gained : 0;
}

/* The user priority that a flow should have. */
static u8 promote_aim(const struct at_promote *k, const struct at_promote_flow *f, bool light, u64 now)
{
	u32 half = !f->up;

	return light && promote_spent(k, now) < AT_PROMOTE_BURST * AT_PROMOTE_SHARE >> half &&
	       promote_flow_spent(f, now) < AT_PROMOTE_FLOW_BURST >> half ? k->up : AT_UP_NONE;
}

/* The end of a flow's wait if nothing is reported. */
static u64 promote_until(const struct at_promote_flow *f)
{
	if (!f->up)
		return f->stays + AT_PROMOTE_PATIENCE;
	return f->last + (f->over ? AT_PROMOTE_PATIENCE : AT_PROMOTE_SILENT);
}

/* The wait of a flow has another end. */
static void promote_due(struct at_promote *k, const struct at_promote_flow *f)
{
	if (promote_until(f) < k->due)
		k->due = promote_until(f);
}

/* A flow has to change its category and cannot yet. */
static bool promote_wait(struct at_promote *k, struct at_promote_flow *f, u64 now)
{
	if (f->waits)
		return false;
	if (!f->up)
		f->stays = now;
	if (!k->waiting++)
		k->due = AT_NEVER;
	k->waits++;
	f->waits = true;
	promote_due(k, f);
	return false;
}

static void promote_go(struct at_promote *k, struct at_promote_flow *f)
{
	k->waiting -= f->waits;
	f->waits = false;
}

/* The flow stays in best effort for a second, and twice as long each time. */
static void promote_stay(struct at_promote_flow *f, u64 now)
{
	f->stays = now + (AT_PROMOTE_SILENT << f->vain);
	if (f->vain < AT_PROMOTE_VAIN)
		f->vain++;
}

/* Packets below are gone: their reports are lost, or the host does not report this flow. */
static void promote_lost(struct at_promote_flow *f, u32 serial, u64 now)
{
	f->below = 0;
	f->first = serial;
	if (f->over)
		return;
	f->up = AT_UP_NONE;
	promote_stay(f, now);
}

bool at_promote_turn(struct at_promote *k, u32 flow, u32 gen, u32 serial, bool light, u64 now)
{
	struct at_promote_flow *f = promote_place(k, flow);
	u8 up;

	if (!promote_is(f, flow, gen)) {
		if (light && !f->waits && (!f->flow || promote_silent(f, now)))
			*f = (struct at_promote_flow){
				.stays = now + AT_PROMOTE_SILENT, .last = now, .flow = flow, .gen = gen, .first = serial
			};
		return true;
	}
	if (f->below && now - f->last >= (f->over ? AT_PROMOTE_PATIENCE : AT_PROMOTE_SILENT))
		promote_lost(f, serial, now);
	up = !f->up && (s64)(now - f->stays) < 0 ? AT_UP_NONE : promote_aim(k, f, light, now);
	if (f->below && up != f->up)
		return promote_wait(k, f, now);
	promote_go(k, f);
	if (up == f->up)
		return true;
	f->stays = now + AT_PROMOTE_SILENT;
	f->vain = 0;
	f->up = up;
	return true;
}

u8 at_promote_left(struct at_promote *k, u32 flow, u32 gen, u32 serial, u32 est, bool marked, u64 now)
{
	struct at_promote_flow *f = promote_place(k, flow);

	if (!promote_is(f, flow, gen))
		return AT_UP_NONE;
	f->spent = (u32)promote_flow_spent(f, now) + AT_PROMOTE_PACKET;
	if (f->spent > AT_PROMOTE_FLOW_MOST)
		f->spent = AT_PROMOTE_FLOW_MOST;
	f->last = now;
	f->newest = serial;
	f->over = false;
	if (f->below != (u16)~0u)
		f->below++;
	if (!f->up || marked)
		return AT_UP_NONE;
	promote_pay(k, est, now);
	k->packets++;
	return f->up;
}

bool at_promote_sent(struct at_promote *k, u32 flow, u32 gen, u32 serial, s64 due, u64 now)
{
	struct at_promote_flow *f = promote_place(k, flow);
	bool waited = f->waits;

	if (!promote_is(f, flow, gen) || !f->below || (s32)(serial - f->first) < 0)
		return false;
	if (f->up)
		promote_pay(k, due, now);
	f->over |= serial == f->newest;
	if (--f->below) {
		if (waited)
			promote_due(k, f);
		return false;
	}
	promote_go(k, f);
	return waited;
}

/* Ends a wait. If the last packet is reported and others are not, their reports are lost. */
static void promote_end_wait(struct at_promote *k, struct at_promote_flow *f, u64 now)
{
	promote_go(k, f);
	if (f->over) {
		f->below = 0;
		f->first = f->newest + 1;
	} else if (!f->up) {
		promote_stay(f, now);
	}
}

const struct at_promote_flow *at_promote_overdue(struct at_promote *k, bool all, u64 now)
{
	if (!all && now < at_promote_due(k))
		return NULL;
	k->due = AT_NEVER;
	for (u32 i = 0; k->waiting && i < AT_PROMOTE_FLOWS; i++) {
		struct at_promote_flow *f = &k->flows[i];

		if (!f->waits)
			continue;
		if (all || now >= promote_until(f)) {
			promote_end_wait(k, f, now);
			k->due = 0;		/* when the others are due is not known */
			return f;
		}
		promote_due(k, f);
	}
	return NULL;
}

void at_promote_forget(struct at_promote *k)
{
	k->waiting = 0;
	memset(k->flows, 0, sizeof(k->flows));
}
