/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The qdisc kind of a discipline: its name, or at_NAME where Linux has a qdisc
 * or a module sch_NAME of that name already. Both the module and the tc plugin
 * derive their kinds from here and from disciplines.def.
 */
#ifndef AIRTAB_KINDS_H
#define AIRTAB_KINDS_H

#define AT_LINUX_HAS_cake	, at_cake
#define AT_LINUX_HAS_cbq	, at_cbq
#define AT_LINUX_HAS_choke	, at_choke
#define AT_LINUX_HAS_codel	, at_codel
#define AT_LINUX_HAS_drr	, at_drr
#define AT_LINUX_HAS_fifo	, at_fifo	/* sch_fifo: pfifo and bfifo */
#define AT_LINUX_HAS_fq		, at_fq
#define AT_LINUX_HAS_fq_codel	, at_fq_codel
#define AT_LINUX_HAS_fq_pie	, at_fq_pie
#define AT_LINUX_HAS_hhf	, at_hhf
#define AT_LINUX_HAS_pie	, at_pie
#define AT_LINUX_HAS_prio	, at_prio
#define AT_LINUX_HAS_qfq	, at_qfq
#define AT_LINUX_HAS_red	, at_red
#define AT_LINUX_HAS_sfb	, at_sfb
#define AT_LINUX_HAS_sfq	, at_sfq
#define AT_LINUX_HAS_tbf	, at_tbf

/* AT_KIND(chap): the identifier chap; AT_KIND(fifo): at_fifo. The second of
 * (AT_LINUX_HAS_chap, chap) or of (, at_fifo, fifo). */
#define AT_KIND_PICK(unknown, kind, ...) kind
#define AT_KIND_(...) AT_KIND_PICK(__VA_ARGS__, )
#define AT_KIND(name) AT_KIND_(AT_LINUX_HAS_##name, name)

#define AT_KIND_TEXT__(kind) #kind
#define AT_KIND_TEXT_(kind) AT_KIND_TEXT__(kind)
#define AT_KIND_TEXT(name) AT_KIND_TEXT_(AT_KIND(name))

#endif
