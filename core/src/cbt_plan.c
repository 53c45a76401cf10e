/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * cbt: its parameters, and from what a user says to thresholds.
 *
 *	Th_max = B L / P packets (Parris, 4.9), B L bytes, or s L of airtime
 *
 * B is a class's part of `rate`, s its share, L `latency`, P `packet`. Bytes of P, and of
 * what is queued, are those of IP packets, each with `overhead`, so that B and `rate` are
 * what the link carries.
 */
#include "cbt_state.h"

#define ALL 1000000u		/* ppm */
#define RATE_LEAST 1000u	/* bit/s that a class has at least */
#define STATION_LEAST 1000000u
#define STUDY_MIN ((u64)5 << 32)	/* packets: Th_min of the class that responds */

static const char *const cbt_modes[] = { "auto", "packet", "byte", "airtime", NULL };
static const char *const cbt_averages[] = { "auto", "sampled", "all", "time", NULL };
static const char *const cbt_ecns[] = { "auto", "off", "on", NULL };
static const char *const cbt_adapts[] = { "off", "peak", "relative", NULL };
static const char *const cbt_profiles[] = { "default", "faithful", NULL };

const struct at_param at_cbt_params[] = {
	[P_CLASSES] = {
		.id = 1, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "classes",
		.help = "classes; a higher class of a packet counts as the last", .source = "Parris IV.2.1",
		.def = 3, .min = 1, .max = AT_CLASSES,
	},
	[P_LIMIT] = {
		.id = 2, .unit = AT_COUNT, .max_len = 1, .name = "limit",
		.help = "packets of all classes together", .source = "docs/cbt.md", .def = 1000, .min = 1,
		.max = 1u << 20,
	},
	[P_MODE] = {
		.id = 3, .unit = AT_CHOICE, .max_len = 1, .name = "mode",
		.help = "what queues are counted in; auto: bytes, airtime once the host tells rates; faithful: packets",
		.source = "Parris VI.5.1.1", .def = 0, .min = 0, .max = 3, .choices = cbt_modes,
	},
	[P_LATENCY] = {
		.id = 4, .unit = AT_NS, .max_len = 1, .name = "latency",
		.help = "L: what the queue waits while all classes have their thresholds",
		.source = "Parris V.1.4", .def = 30000000, .min = 1000000, .max = 1000000000,
	},
	[P_RATE] = {
		.id = 5, .unit = AT_BPS, .max_len = 1, .name = "rate",
		.help = "of the link, overheads included; airtime asks not", .source = "Parris IV.4.1",
		.def = 10000000, .min = 128000, .max = 4000000000u,
	},
	[P_OVERHEAD] = {
		.id = 6, .unit = AT_BYTES, .max_len = 1, .name = "overhead",
		.help = "of each packet on the link; 38: Ethernet", .source = "IEEE 802.3 4.2", .def = 38,
		.min = 0, .max = 255,
	},
	[P_SHARE] = {
		.id = 7, .unit = AT_PPM, .max_len = AT_CLASSES, .name = "share",
		.help = "of the link, of each class, or of every one; 0: 63 %, 25 %, 12 % of three classes, else all the same",
		.source = "Parris B.6", .def = 0, .min = 0, .max = 1000000,
	},
	[P_BANDWIDTH] = {
		.id = 8, .unit = AT_BPS, .max_len = AT_CLASSES, .name = "bandwidth",
		.help = "B of each class, or of every one, instead of share; 0: by share", .source = "Parris IV.4.1",
		.def = 0, .min = 0, .max = 4000000000u,
	},
	[P_PACKET] = {
		.id = 9, .unit = AT_BYTES, .max_len = AT_CLASSES, .name = "packet",
		.help = "P: usual size of each class's packets, or of every one's; for mode=packet, and how fast a sampled average falls",
		.source = "Parris IV.4.1", .def = 1000, .min = 1, .max = 65535,
	},
	[P_TH_MAX] = {
		.id = 10, .unit = AT_Q16, .max_len = AT_CLASSES, .name = "th_max",
		.help = "average of a class above which its packets are dropped: packets, bytes or us by mode; 0: B L",
		.source = "Parris IV.3.2", .def = 0, .min = 0, .max = (u64)(AT_CBT_MOST - 1) << 16,
	},
	[P_TH_MIN] = {
		.id = 11, .unit = AT_Q16, .max_len = AT_CLASSES, .name = "th_min",
		.help = "average of a class above which RED begins; 0: th_max, of class 0 a fifth; faithful: 5 packets",
		.source = "Parris T B.13", .def = 0, .min = 0, .max = (u64)(AT_CBT_MOST - 1) << 16,
	},
	[P_WEIGHT] = {
		.id = 12, .unit = AT_WEIGHT, .max_len = AT_CLASSES, .name = "weight",
		.help = "of a sample in a sampled average; 0: 1/256, the last class 1/4, others 1/16",
		.source = "Parris T B.13", .def = 0, .min = 0, .max = AT_EWMA_ONE,
	},
	[P_MAX_P] = {
		.id = 13, .unit = AT_PPM, .max_len = AT_CLASSES, .name = "max_p",
		.help = "probability of a drop at th_max", .source = "Parris T B.13", .def = 100000, .min = 1,
		.max = 1000000,
	},
	[P_AVERAGE] = {
		.id = 14, .unit = AT_CHOICE, .max_len = 1, .name = "average",
		.help = "taken by arrivals, by all that comes or goes, or over time; auto: time; faithful: sampled",
		.source = "Parris IV.3.2.5", .def = 0, .min = 0, .max = 3, .choices = cbt_averages,
	},
	[P_TAU] = {
		.id = 15, .unit = AT_NS, .max_len = AT_CLASSES, .name = "tau",
		.help = "of an average over time: what was fades to 1/e", .source = "docs/cbt.md",
		.def = 200000000, .min = 100000, .max = AT_DECAY_TAU_MAX,
	},
	[P_GUARD] = {
		.id = 16, .unit = AT_COUNT, .max_len = 1, .name = "guard",
		.help = "packets with which a class still gets one more; as many as an aggregate has, if the host tells",
		.source = "Parris F 4.3", .def = 1, .min = 0, .max = 65535,
	},
	[P_CAP] = {
		.id = 17, .unit = AT_Q16, .max_len = AT_CLASSES, .name = "cap",
		.help = "times th_max that a class may hold at once; 0: no such; 65535: of the profile, 2, others 4, the last 2; faithful: 0",
		.source = "docs/cbt.md", .def = AT_CBT_CAP_DEFAULT, .min = 0, .max = AT_CBT_CAP_DEFAULT,
	},
	[P_GENTLE] = {
		.id = 18, .unit = AT_BOOL, .max_len = 1, .name = "gentle",
		.help = "from th_max to twice th_max the probability rises to 1, where th_min is lower",
		.source = "Floyd 2000", .def = 0, .min = 0, .max = 1,
	},
	[P_ECN] = {
		.id = 19, .unit = AT_CHOICE, .max_len = 1, .name = "ecn",
		.help = "mark instead of drop early where the packet allows; auto: on; faithful: off",
		.source = "RFC 3168 7", .def = 0, .min = 0, .max = 2, .choices = cbt_ecns,
	},
	[P_HARD] = {
		.id = 20, .unit = AT_BOOL, .max_len = 1, .name = "hard",
		.help = "above th_max drop also what could be marked", .source = "RFC 3168 7", .def = 1,
		.min = 0, .max = 1,
	},
	[P_RULES] = {
		.id = 21, .unit = AT_RULE, .max_len = AT_RULES, .name = "rules",
		.help = "of which class a packet is: the first rule that takes it; else the last class",
		.source = "Parris IV.2.1", .def = AT_RULE_DEFAULT, .max = AT_RULE_MAX,
	},
	[P_PROFILE] = {
		.id = 22, .unit = AT_CHOICE, .max_len = 1, .name = "profile",
		.help = "what is not said: default, or the study's", .source = "Parris IV.3", .def = 0, .min = 0,
		.max = 1, .choices = cbt_profiles,
	},
	[P_PHY] = {
		.id = 23, .unit = AT_CHOICE, .max_len = 1, .name = "phy",
		.help = "airtime profile of stations whose link the host does not tell",
		.source = "docs/airtime.md", .def = AT_PHY_STD_11G, .min = 0, .max = AT_PHYS - 1,
		.choices = at_phy_names,
	},
	[P_STATION_RATE] = {
		.id = 24, .unit = AT_BPS, .max_len = 1, .name = "station_rate",
		.help = "rate of stations whose link the host does not tell; 0: 54 Mb/s, and mode=airtime is refused",
		.source = "docs/airtime.md", .def = 0, .min = 0, .max = 10000000000ull,
	},
	[P_STATIONS] = {
		.id = 25, .unit = AT_COUNT, .flags = AT_P_INIT, .max_len = 1, .name = "stations",
		.help = "links that are told apart; numbers from here on share with those below",
		.source = "docs/cbt.md", .def = 64, .min = 1, .max = 4096,
	},
	[P_ADAPT] = {
		.id = 26, .unit = AT_CHOICE, .flags = AT_P_INIT, .max_len = 1, .name = "adapt",
		.help = "thresholds follow: peak: the largest load of 2 s in the last 10 s; relative: the average of class 0 while it loses",
		.source = "docs/cbt.md", .def = 0, .min = 0, .max = 2, .choices = cbt_adapts,
	},
	[P_END] = { 0 },
};

/* ---- values ---- */

static u64 cbt_value(const struct at_vals *v, u32 i)
{
	return v->v[v->len == 1 ? 0 : i];
}

/* Whether a list whose default is 0 was given. */
static bool cbt_given(const struct at_vals *v)
{
	return v->len > 1 || *v->v;
}

/* n / d, of 2^-32; less than 2^31. */
static u64 cbt_ratio(u64 n, u32 d)
{
	u64 whole = at_div(n, d);

	return whole << 32 | at_div((n - whole * d) << 32, d);
}

static bool cbt_faithful(const struct at_vals *v)
{
	return *v[P_PROFILE].v == 1;
}

/* What is counted; *automatic: airtime once a rate is told. */
static u8 cbt_unit(const struct at_vals *v, bool *automatic)
{
	u64 mode = *v[P_MODE].v;

	*automatic = !mode && !cbt_faithful(v);
	if (mode)
		return (u8)(mode - 1);
	return cbt_faithful(v) ? AT_CBT_PACKETS : AT_CBT_BYTES;
}

/* bit/s of class i. */
static u64 cbt_bandwidth(const struct at_vals *v, u32 i)
{
	static const u32 usual[] = { 630000, 250000, 120000 };
	u32 classes = (u32)*v[P_CLASSES].v;
	u64 share;

	if (cbt_given(&v[P_BANDWIDTH]))
		return cbt_value(&v[P_BANDWIDTH], i);
	if (cbt_given(&v[P_SHARE]))
		share = cbt_value(&v[P_SHARE], i);
	else
		share = classes == 3 ? usual[i] : ALL / classes;
	return at_div(share * *v[P_RATE].v, ALL);
}

static u32 cbt_wire(const struct at_vals *v, u32 i)
{
	return (u32)(cbt_value(&v[P_PACKET], i) + *v[P_OVERHEAD].v);
}

static u64 cbt_th_max(const struct at_vals *v, u32 i, u8 unit)
{
	u64 given = cbt_value(&v[P_TH_MAX], i), bits;

	if (given)
		return (unit == AT_CBT_AIRTIME ? given * 1000 : given) << 16;
	if (unit == AT_CBT_AIRTIME)
		return cbt_ratio(cbt_bandwidth(v, i) * *v[P_LATENCY].v, (u32)*v[P_RATE].v);
	/* bytes of 2^-32; bits may be 2^32 */
	bits = at_div(cbt_bandwidth(v, i) * *v[P_LATENCY].v, 1000000);
	bits = (at_div(bits, 8000) << 32) + at_div((bits - at_div(bits, 8000) * 8000) << 32, 8000);
	return unit == AT_CBT_PACKETS ? at_div(bits, cbt_wire(v, i)) : bits;
}

/* The first class is the one that responds: it has early drops. */
static u64 cbt_th_min(const struct at_vals *v, u32 i, u8 unit, u64 max)
{
	u64 given = cbt_value(&v[P_TH_MIN], i);

	if (given)
		return (unit == AT_CBT_AIRTIME ? given * 1000 : given) << 16;
	if (i)
		return max;
	if (!cbt_faithful(v) || unit != AT_CBT_PACKETS)
		return at_div(max, 5);
	return max > STUDY_MIN ? STUDY_MIN : max / 2;
}

/* What class i may hold at once, by its highest average. */
static u64 cbt_cap(const struct at_vals *v, u32 i, u64 max)
{
	u64 cap = cbt_value(&v[P_CAP], i);

	if (cap == AT_CBT_CAP_DEFAULT) {
		bool middle = i && i + 1 < *v[P_CLASSES].v;

		cap = cbt_faithful(v) ? 0 : (u64)(middle ? 4 : 2) << 16;
	}
	return cap ? (max >> 32) * cap + ((max & (AT_EWMA_ONE - 1)) * cap >> 32) : 0;
}

static struct at_cbt_thresholds cbt_thresholds(const struct at_vals *v, u32 i, u8 unit)
{
	struct at_cbt_thresholds t = { .max = cbt_th_max(v, i, unit) };
	u64 cap = cbt_cap(v, i, t.max);

	t.min = cbt_th_min(v, i, unit, t.max);
	t.cap = cap ? cap >> 16 : AT_NEVER;
	return t;
}

static u64 cbt_weight(const struct at_vals *v, u32 i)
{
	u64 weight = cbt_value(&v[P_WEIGHT], i);

	if (weight)
		return weight;
	return AT_EWMA_ONE >> (!i ? 8 : i + 1 < *v[P_CLASSES].v ? 4 : 2);
}

/* ---- what is refused ---- */

/* One value for all classes, or one for each. */
static const char *cbt_check_lists(const struct at_vals *v, u16 *bad)
{
	static const u16 lists[] = {
		P_SHARE, P_BANDWIDTH, P_PACKET, P_TH_MAX, P_TH_MIN, P_WEIGHT, P_MAX_P, P_TAU, P_CAP,
	};

	for (u32 i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		*bad = lists[i];
		if (v[*bad].len != 1 && v[*bad].len != *v[P_CLASSES].v)
			return "has another number of values than there are classes: give one for all, or one for each";
	}
	return NULL;
}

/* 0 alone means that it is worked out; in a list it would be a class's. */
static const char *cbt_check_zeros(const struct at_vals *v, u16 *bad)
{
	static const u16 lists[] = { P_TH_MAX, P_WEIGHT };

	for (u32 i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		*bad = lists[i];
		for (u32 k = 0; v[*bad].len > 1 && k < v[*bad].len; k++)
			if (!v[*bad].v[k])
				return "is 0 for a class, which would hold nothing: give each its own, or none";
	}
	*bad = P_CAP;
	for (u32 k = 0; k < v[P_CAP].len; k++)
		if (v[P_CAP].v[k] && v[P_CAP].v[k] < 1 << 16)
			return "is less than the threshold itself: 1 or more, or 0 for no cap";
	return NULL;
}

static const char *cbt_check_shares(const struct at_vals *v, u16 *bad)
{
	bool shares = cbt_given(&v[P_SHARE]);
	u64 sum = 0, most = shares ? ALL : *v[P_RATE].v;
	u32 classes = (u32)*v[P_CLASSES].v;

	*bad = shares ? P_SHARE : P_BANDWIDTH;
	if (shares && cbt_given(&v[P_BANDWIDTH])) {
		*bad = P_BANDWIDTH;
		return "cannot be given beside share: leave one of them out";
	}
	if (!shares && !cbt_given(&v[P_BANDWIDTH]))
		return NULL;
	for (u32 i = 0; i < classes; i++) {
		if (!cbt_value(&v[*bad], i))
			return "is 0 for a class: a class without a part of the link holds nothing";
		if (cbt_bandwidth(v, i) < RATE_LEAST)
			return "gives a class less than 1 kb/s: give it more, or fewer classes";
		sum += cbt_value(&v[*bad], i);
	}
	if (sum > most)
		return shares ? "sums to more than 100 %: lower one, or give one value for each class" :
				"sums to more than rate: lower one, or raise rate";
	return NULL;
}

static const char *cbt_check_thresholds(const struct at_vals *v, u16 *bad)
{
	bool automatic, given = cbt_given(&v[P_TH_MAX]);
	u8 unit = cbt_unit(v, &automatic);
	u64 most = (u64)AT_CBT_MOST << 16;

	for (u32 i = 0; i < *v[P_CLASSES].v; i++) {
		u64 max = cbt_value(&v[P_TH_MAX], i), min = cbt_value(&v[P_TH_MIN], i);

		*bad = max ? P_TH_MAX : P_TH_MIN;
		if ((max || min) && automatic)
			return "is a number of packets, bytes or us: say which by mode";
		*bad = max * 1000 >= most ? P_TH_MAX : P_TH_MIN;
		if (unit == AT_CBT_AIRTIME && (max * 1000 >= most || min * 1000 >= most))
			return "is more than 2 s of airtime";
		*bad = P_TH_MIN;
		if (cbt_th_min(v, i, unit, cbt_th_max(v, i, unit)) > cbt_th_max(v, i, unit))
			return given ? "must not be more than th_max" :
				       "must not be more than th_max, which share, rate and latency give";
	}
	return NULL;
}

/* Whether anything was given that a threshold depends on. */
static bool cbt_said(const struct at_vals *v)
{
	return cbt_given(&v[P_TH_MAX]) || cbt_given(&v[P_SHARE]) || cbt_given(&v[P_BANDWIDTH]) ||
	       *v[P_RATE].v != 10000000 || *v[P_LATENCY].v != 30000000;
}

/* Packets of the thresholds together have room. The defaults have, or `limit` is a word. */
static const char *cbt_check_room(const struct at_vals *v, u16 *bad)
{
	bool automatic;
	u8 unit = cbt_unit(v, &automatic);
	u64 sum = 0;

	*bad = P_LIMIT;
	if (unit == AT_CBT_AIRTIME || !cbt_said(v))
		return NULL;
	for (u32 i = 0; i < *v[P_CLASSES].v; i++) {
		u64 max = cbt_th_max(v, i, unit);

		sum += (unit == AT_CBT_PACKETS ? max : at_div(max, cbt_wire(v, i))) >> 12;
	}
	if (sum > *v[P_LIMIT].v << 20)
		return "is less than the thresholds of all classes: raise it, or lower latency or th_max";
	return NULL;
}

const char *at_cbt_check(const struct at_vals *v, u16 *bad)
{
	u64 rate = *v[P_STATION_RATE].v;
	const char *wrong = cbt_check_lists(v, bad);

	if (!wrong)
		wrong = cbt_check_zeros(v, bad);
	if (!wrong)
		wrong = cbt_check_shares(v, bad);
	if (!wrong)
		wrong = cbt_check_thresholds(v, bad);
	if (!wrong)
		wrong = cbt_check_room(v, bad);
	if (wrong)
		return wrong;
	*bad = P_RULES;
	if (at_rules_beyond(&v[P_RULES], (u32)*v[P_CLASSES].v))
		return "names a class that is not among classes, which count from 0";
	*bad = P_MODE;
	if (*v[P_MODE].v == 1 + AT_CBT_AIRTIME && !rate)
		return "airtime has to know rates: give station_rate, or auto, which is airtime once the host tells them";
	*bad = P_STATION_RATE;
	if (rate && rate < STATION_LEAST)
		return "is less than 1 Mb/s: give a rate of the phy, or 0";
	return at_aircost_wrong(&at_phys[*v[P_PHY].v], (u32)at_div(rate ? rate : AT_CBT_RATE_USUAL, 1000));
}

/* ---- what is taken over ---- */

void at_cbt_hold_to(struct at_cbt_class *k, const struct at_cbt_thresholds *t)
{
	k->params.min = t->min;
	k->params.max = t->max;
	k->cap = t->cap;
	k->params.shift = 0;
	while (t->max >> k->params.shift >> 48)
		k->params.shift++;
}

static void cbt_plan_class(struct at_cbt *s, const struct at_vals *v, u32 i)
{
	struct at_cbt_class *k = &s->at[i];
	struct at_cbt_thresholds t = cbt_thresholds(v, i, s->unit);
	u64 ns;

	k->tau = (u32)cbt_value(&v[P_TAU], i);
	k->fade = at_decay_rate(k->tau);
	k->wire = cbt_wire(v, i);
	ns = cbt_bandwidth(v, i);
	ns = at_div(k->wire * 8000000000ull + ns / 2, (u32)ns);
	k->params.packet_ns = ns < ~(u32)0 ? (u32)ns : ~(u32)0;
	k->params.keep = at_ewma_keep(cbt_weight(v, i));
	k->params.max_p = at_div((cbt_value(&v[P_MAX_P], i) << AT_EWMA_BITS) + 500000, ALL);
	k->params.gentle = *v[P_GENTLE].v && t.min < t.max;
	at_cbt_hold_to(k, &t);
	if (s->want)
		s->want[i].planned = t;
	if (s->automatic)
		k->airtime = cbt_thresholds(v, i, AT_CBT_AIRTIME);
}

void at_cbt_plan(struct at_cbt *s, const struct at_vals *v, u64 now)
{
	u64 average = *v[P_AVERAGE].v, ecn = *v[P_ECN].v, rate = *v[P_STATION_RATE].v;
	struct at_aircost c;

	s->limit = *v[P_LIMIT].v;
	s->latency = (u32)*v[P_LATENCY].v;
	s->rate = (u32)*v[P_RATE].v;
	s->overhead = (u32)*v[P_OVERHEAD].v;
	s->least = (u32)*v[P_GUARD].v;
	s->faithful = cbt_faithful(v);
	s->unit = cbt_unit(v, &s->automatic);
	if (s->automatic && s->told)
		s->unit = AT_CBT_AIRTIME;
	s->average = (u8)(average ? average - 1 : s->faithful ? AT_CBT_SAMPLED : AT_CBT_TIME);
	s->ecn = ecn ? ecn == 2 : !s->faithful;
	s->hard = *v[P_HARD].v;
	at_rules_set(&s->rules, &v[P_RULES]);
	at_aircost_of_rate(&c, &at_phys[*v[P_PHY].v], (u32)at_div(rate ? rate : AT_CBT_RATE_USUAL, 1000));
	s->usual = (struct at_cbt_station){ .fixed = c.overhead + at_aircost_contention(&c, 2),
					    .per_byte = c.per_byte };
	for (u32 i = 0; i < s->classes; i++)
		cbt_plan_class(s, v, i);
	at_cbt_adapt_begin(s, now);
}
