/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The qdisc kind of a discipline: its name, or at_NAME where Linux has or had a
 * qdisc or a module sch_NAME of that name already. Both the module and the tc plugin
 * derive their kinds from here and from disciplines.def.
 */
#ifndef AIRTAB_KINDS_H
#define AIRTAB_KINDS_H

#define AT_LINUX_HAS_atm		, at_atm
#define AT_LINUX_HAS_bfifo		, at_bfifo
#define AT_LINUX_HAS_blackhole		, at_blackhole
#define AT_LINUX_HAS_cake		, at_cake
#define AT_LINUX_HAS_cake_mq		, at_cake_mq
#define AT_LINUX_HAS_cbq		, at_cbq
#define AT_LINUX_HAS_cbs		, at_cbs
#define AT_LINUX_HAS_choke		, at_choke
#define AT_LINUX_HAS_clsact		, at_clsact
#define AT_LINUX_HAS_codel		, at_codel
#define AT_LINUX_HAS_drr		, at_drr
#define AT_LINUX_HAS_dsmark		, at_dsmark
#define AT_LINUX_HAS_dualpi2		, at_dualpi2
#define AT_LINUX_HAS_etf		, at_etf
#define AT_LINUX_HAS_ets		, at_ets
#define AT_LINUX_HAS_fifo		, at_fifo	/* the module of pfifo and bfifo */
#define AT_LINUX_HAS_fq			, at_fq
#define AT_LINUX_HAS_fq_codel		, at_fq_codel
#define AT_LINUX_HAS_fq_pie		, at_fq_pie
#define AT_LINUX_HAS_gred		, at_gred
#define AT_LINUX_HAS_hfsc		, at_hfsc
#define AT_LINUX_HAS_hhf		, at_hhf
#define AT_LINUX_HAS_htb		, at_htb
#define AT_LINUX_HAS_ingress		, at_ingress
#define AT_LINUX_HAS_mq			, at_mq
#define AT_LINUX_HAS_mqprio		, at_mqprio
#define AT_LINUX_HAS_multiq		, at_multiq
#define AT_LINUX_HAS_netem		, at_netem
#define AT_LINUX_HAS_noqueue		, at_noqueue
#define AT_LINUX_HAS_pfifo		, at_pfifo
#define AT_LINUX_HAS_pfifo_fast		, at_pfifo_fast
#define AT_LINUX_HAS_pfifo_head_drop	, at_pfifo_head_drop
#define AT_LINUX_HAS_pie		, at_pie
#define AT_LINUX_HAS_plug		, at_plug
#define AT_LINUX_HAS_prio		, at_prio
#define AT_LINUX_HAS_qfq		, at_qfq
#define AT_LINUX_HAS_red		, at_red
#define AT_LINUX_HAS_sfb		, at_sfb
#define AT_LINUX_HAS_sfq		, at_sfq
#define AT_LINUX_HAS_skbprio		, at_skbprio
#define AT_LINUX_HAS_taprio		, at_taprio
#define AT_LINUX_HAS_tbf		, at_tbf
#define AT_LINUX_HAS_teql		, at_teql

/* AT_KIND(chap): the identifier chap; AT_KIND(fifo): at_fifo. The second of
 * (AT_LINUX_HAS_chap, chap) or of (, at_fifo, fifo). */
#define AT_KIND_PICK(unknown, kind, ...) kind
#define AT_KIND_(...) AT_KIND_PICK(__VA_ARGS__, )
#define AT_KIND(name) AT_KIND_(AT_LINUX_HAS_##name, name)

#define AT_KIND_TEXT__(kind) #kind
#define AT_KIND_TEXT_(kind) AT_KIND_TEXT__(kind)
#define AT_KIND_TEXT(name) AT_KIND_TEXT_(AT_KIND(name))

#endif
