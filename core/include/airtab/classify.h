/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/classify.h: rules that say of which class a packet is, by what its headers
 * show and by its station. The first rule that matches decides; what none takes is of
 * the last class.
 *
 * Source: Parris, Class-Based Thresholds, 2001, IV.2.1 and VI.5.3: TCP, UDP to ports
 * 6000 to 6010, the rest. A port here is the source's or the destination's: of a
 * download the known one is the source's.
 *
 * A rule is a word of 64 bits (AT_RULE), so that it goes through netlink and tables as
 * any other value: from the lowest bit on 4 bits class, 4 what it looks at, 8 protocol
 * or code point, 16 first port or station, 16 last port, 16 of 0. Hosts read and write
 * it as text:
 *
 *	tcp=0  udp:6000-6010=1  dscp:ef=1  station:7=2  *=2  host
 *
 * `host` takes everything, and leaves it to the host's own classifier (at_class): it
 * is what a discipline has by default. Ports are seen of TCP and UDP alone, and of no
 * fragment; a packet without IP has neither protocol nor code point.
 *
 * What this is not: no state of connections, no names of applications.
 */
#ifndef AIRTAB_CLASSIFY_H
#define AIRTAB_CLASSIFY_H

#include "airtab/qdisc.h"

#define AT_RULES 32u
#define AT_CLASSES 16u		/* that a rule can name */
#define AT_RULE_TCP 6u		/* the protocols that it can name */
#define AT_RULE_UDP 17u

enum at_rule_what {
	AT_RULE_HOST,
	AT_RULE_ANY,
	AT_RULE_PROTO,		/* whatever the ports */
	AT_RULE_PORTS,
	AT_RULE_DSCP,
	AT_RULE_STATION,
	AT_RULE_WHATS,
};

struct at_rule {
	u8 class, what;
	u8 value;		/* protocol or code point */
	u16 first, last;	/* ports; first: station */
};

/* The rule `host`: the default of a parameter. */
#define AT_RULE_DEFAULT ((u64)AT_RULE_HOST << 4)
#define AT_RULE_MAX (~(u64)0 >> 16)

static inline u64 at_rule_word(struct at_rule r)
{
	return r.class | (u64)r.what << 4 | (u64)r.value << 8 | (u64)r.first << 16 | (u64)r.last << 32;
}

static inline struct at_rule at_rule_of(u64 word)
{
	return (struct at_rule){
		.class = word & 15, .what = word >> 4 & 15, .value = (u8)(word >> 8),
		.first = (u16)(word >> 16), .last = (u16)(word >> 32),
	};
}

/* NULL if a word is a rule, else what is wrong with it. */
static inline const char *at_rule_wrong(u64 word)
{
	struct at_rule r = at_rule_of(word);
	bool proto = r.what == AT_RULE_PROTO, ports = r.what == AT_RULE_PORTS;
	bool dscp = r.what == AT_RULE_DSCP, station = r.what == AT_RULE_STATION;
	bool known = r.value == AT_RULE_TCP || r.value == AT_RULE_UDP;

	if (ports && r.first > r.last)
		return "ports reversed: write the lower one first";
	if (ports && !r.first)
		return "port 0: ports begin with 1";
	if (word >> 48 || r.what >= AT_RULE_WHATS || (proto || ports ? !known : r.value && !dscp) ||
	    (r.first && !ports && !station) || (r.last && !ports) || (dscp && r.value > 63) ||
	    (r.class && r.what == AT_RULE_HOST))
		return "no rule";
	return NULL;
}

/* Whether every packet that `b` takes is taken by `a`. */
static inline bool at_rule_covers(struct at_rule a, struct at_rule b)
{
	switch (a.what) {
	case AT_RULE_HOST:
	case AT_RULE_ANY:
		return true;
	case AT_RULE_PROTO:
		return (b.what == AT_RULE_PROTO || b.what == AT_RULE_PORTS) && a.value == b.value;
	default:
		return a.what == b.what && a.value == b.value && a.first <= b.first && b.last <= a.last &&
		       (a.what == AT_RULE_PORTS || a.first == b.first);
	}
}

/* What is seen of a packet's protocol: none, one that no rule names, or that one. */
enum { AT_SEEN_NONE, AT_SEEN_OTHER, AT_SEEN_TCP, AT_SEEN_UDP, AT_SEENS };

static inline u32 at_seen_of(u8 proto)
{
	return proto == AT_RULE_TCP ? AT_SEEN_TCP : proto == AT_RULE_UDP ? AT_SEEN_UDP : AT_SEEN_OTHER;
}

/* Whether a rule takes packets of that kind: all of them, or by what else they are. */
static inline bool at_rule_looks_at(const struct at_rule *r, u32 seen)
{
	switch (r->what) {
	case AT_RULE_PROTO:
	case AT_RULE_PORTS:
		return seen == at_seen_of(r->value);
	case AT_RULE_DSCP:
		return seen != AT_SEEN_NONE;
	default:
		return true;
	}
}

/* Whether a rule that looks at the kind of p takes p, of which k is what is seen. */
static inline bool at_rule_takes(const struct at_rule *r, const struct at_pkt *p, const struct at_key *k)
{
	if (r->what <= AT_RULE_PROTO)
		return true;
	if (r->what == AT_RULE_PORTS)
		return (u16)(k->sport - r->first) <= (u16)(r->last - r->first) ||
		       (u16)(k->dport - r->first) <= (u16)(r->last - r->first);
	return r->what == AT_RULE_DSCP ? k->dscp == r->value : at_sta(p) == r->first;
}

/* Of a kind of packets the host says the class, or more of them has to be seen. */
enum { AT_SURE_HOST = AT_CLASSES, AT_UNSURE };

/* Rules as they are looked through: by protocol, so that a packet is asked no more than it
 * can answer. */
struct at_rules {
	u8 sure[AT_SEENS];	/* class of all packets of that kind, or one of those below */
	u32 of[AT_SEENS];	/* that look at packets of that kind: a bit for each */
	bool look;		/* one of them looks into headers */
	struct at_rule rule[AT_RULES];
};

/* What is sure of packets that these rules look at: what none takes is of the last class. */
static inline u8 at_rules_sure(const struct at_rules *r, u32 of)
{
	const struct at_rule *first = &r->rule[of ? __builtin_ctz(of) : 0];

	if (!of)
		return AT_CLASSES - 1;
	return first->what > AT_RULE_PROTO ? AT_UNSURE : first->what == AT_RULE_HOST ? AT_SURE_HOST : first->class;
}

/* Words that at_rule_wrong() lets pass, at most AT_RULES. */
static inline void at_rules_set(struct at_rules *r, const struct at_vals *words)
{
	memset(r, 0, sizeof(*r));
	for (u32 i = 0; i < words->len; i++) {
		r->rule[i] = at_rule_of(words->v[i]);
		r->look |= r->rule[i].what >= AT_RULE_PROTO && r->rule[i].what <= AT_RULE_DSCP;
		for (u32 seen = 0; seen < AT_SEENS; seen++)
			r->of[seen] |= (u32)at_rule_looks_at(&r->rule[i], seen) << i;
	}
	for (u32 seen = 0; seen < AT_SEENS; seen++)
		r->sure[seen] = at_rules_sure(r, r->of[seen]);
}

/* Of which of so many classes p is, whose number may be the host's, and beyond them. */
static inline u32 at_classify(const struct at_rules *r, const struct at_pkt *p, u32 classes)
{
	struct at_key k = { 0 };
	u32 class, seen = AT_SEEN_NONE;

	if (r->look && at_key(p, &k))
		seen = at_seen_of(k.proto);
	class = r->sure[seen];
	if (class == AT_UNSURE) {
		class = AT_CLASSES - 1;
		for (u32 left = r->of[seen]; left; left &= left - 1) {
			const struct at_rule *rule = &r->rule[__builtin_ctz(left)];

			if (!at_rule_takes(rule, p, &k))
				continue;
			class = rule->what == AT_RULE_HOST ? AT_SURE_HOST : rule->class;
			break;
		}
	}
	if (class == AT_SURE_HOST)
		class = at_class(p);
	return class < classes ? class : classes - 1;
}

/* Whether a list names a class beyond so many. */
static inline bool at_rules_beyond(const struct at_vals *words, u32 classes)
{
	for (u32 i = 0; i < words->len; i++)
		if (at_rule_of(words->v[i]).class >= classes)
			return true;
	return false;
}

#endif
