/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * An emulated link: what of it belongs to a qdisc, and its two events. Under the root's lock.
 */
#ifndef AIRTAB_EMULATE_H
#define AIRTAB_EMULATE_H

#include "airtab.h"

/* Takes the values of a->set. */
void at_emulate_set(struct airtab *a);
/* A packet that left the discipline is on the link, from that time on. */
void at_emulate_begin(struct airtab *a, struct at_pkt *p, u64 from);
/* The packet on the link is over: it is charged, and goes unless it is lost. */
struct sk_buff *at_emulate_end(struct airtab *a, u64 now, bool *lost);

#endif
