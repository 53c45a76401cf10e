// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The family "airsim": cells and stations from netlink, and what is counted to netlink (genl.h).
 * Whoever may set up devices in a network namespace may set up cells there. Every refusal says
 * in words what is wrong.
 */
#include <linux/random.h>
#include <linux/version.h>
#include <net/genetlink.h>
#include <net/rtnetlink.h>

#include "airsim.h"
#include "airtab/refuse.h"
#include "genl.h"

#define KBPS_MIN 1000
#define KBPS_MAX 600000

static const struct nla_policy policy[AIRSIM_ATTRS] = {
	[AIRSIM_DEV] = { .type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },
	[AIRSIM_PHY] = { .type = NLA_NUL_STRING, .len = 31 },
	[AIRSIM_RING ... AIRSIM_ORPHAN] = { .type = NLA_U32 },
	[AIRSIM_SEED] = { .type = NLA_U64 },
	[AIRSIM_NAME] = { .type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },
	[AIRSIM_KBPS ... AIRSIM_ASLEEP] = { .type = NLA_U32 },
	[AIRSIM_HELD ... AIRSIM_IFINDEX] = { .type = NLA_REJECT },
};

static const struct bounds {
	const char *name;
	u32 min, max;
} ranges[AIRSIM_ATTRS] = {
	[AIRSIM_RING] = { "ring", 1, 65536 },
	[AIRSIM_STOP] = { "stop", 0, 1 },
	[AIRSIM_AMPDU] = { "ampdu", 1, 256 },
	[AIRSIM_AMPDU_NS] = { "ampdu time, ns", 1000, AT_PPDU_MAX_NS },
	[AIRSIM_ATTEMPTS] = { "attempts", 1, 255 },
	[AIRSIM_DONE_FRAMES] = { "completions at once", 0, 65536 },
	[AIRSIM_DONE_NS] = { "completion delay, ns", 0, NSEC_PER_SEC },
	[AIRSIM_ORPHAN] = { "orphan", 0, 1 },
	[AIRSIM_KBPS] = { "rate, kb/s", KBPS_MIN, KBPS_MAX },
	[AIRSIM_MCS] = { "mcs", 0, 11 },
	[AIRSIM_STREAMS] = { "streams", 1, 8 },
	[AIRSIM_WIDTH] = { "width, MHz", 20, 160 },
	[AIRSIM_GI] = { "guard interval, ns", 400, 3200 },
	[AIRSIM_FER] = { "fer, parts in a million", 0, 1000000 },
	[AIRSIM_ASLEEP] = { "asleep", 0, 1 },
};

__printf(3, 4)
static int refuse(struct genl_info *info, int attr, const char *format, ...)
{
	char text[AT_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at_refuse(info->extack, attr ? info->attrs[attr] : NULL, text);
	return -EINVAL;
}

static int check_ranges(struct genl_info *info)
{
	for (int i = 1; i < AIRSIM_ATTRS; i++) {
		const struct bounds *range = &ranges[i];
		u32 value;

		if (!range->name || !info->attrs[i])
			continue;
		value = nla_get_u32(info->attrs[i]);
		if (value < range->min || value > range->max)
			return refuse(info, i, "%s: %u is out of range %u..%u", range->name, value,
				      range->min, range->max);
	}
	return 0;
}

static u32 get(const struct genl_info *info, int attr, u32 otherwise)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) : otherwise;
}

/* The values of a message over those that are there; c->phy is known. */
static int parse_config(struct genl_info *info, struct airsim_config *c)
{
	u32 most = c->phy->format == AT_LEGACY ? 1 : c->phy->window;

	c->ring = get(info, AIRSIM_RING, c->ring);
	c->stop = get(info, AIRSIM_STOP, c->stop);
	c->ampdu = get(info, AIRSIM_AMPDU, c->ampdu);
	c->ampdu_ns = get(info, AIRSIM_AMPDU_NS, c->ampdu_ns);
	c->attempts = get(info, AIRSIM_ATTEMPTS, c->attempts);
	c->done_frames = get(info, AIRSIM_DONE_FRAMES, c->done_frames);
	c->done_ns = get(info, AIRSIM_DONE_NS, c->done_ns);
	c->orphan = get(info, AIRSIM_ORPHAN, c->orphan);
	if (c->ampdu > most)
		return refuse(info, AIRSIM_AMPDU, most > 1 ? "ampdu: %u, but %s has a window of %u" :
			      "ampdu: %u, but the rates of %s are in Mb/s: at most %u",
			      c->ampdu, c->phy->name, most);
	if (c->done_frames && !c->done_ns)
		return refuse(info, AIRSIM_DONE_FRAMES,
			      "completions %u at once need a delay, after which fewer come", c->done_frames);
	return 0;
}

static int parse_rate(struct genl_info *info, const struct at_phy *phy, struct at_rate *rate)
{
	static const int attrs[AT_RATE_PARTS] = {
		AIRSIM_MCS, AIRSIM_MCS, AIRSIM_STREAMS, AIRSIM_WIDTH, AIRSIM_GI, 0,
	};
	bool by_mcs = info->attrs[AIRSIM_MCS] || info->attrs[AIRSIM_STREAMS] ||
		      info->attrs[AIRSIM_WIDTH] || info->attrs[AIRSIM_GI];

	if (info->attrs[AIRSIM_KBPS] && by_mcs)
		return refuse(info, AIRSIM_KBPS, "a rate in Mb/s has no mcs, streams, width or guard interval");
	if (info->attrs[AIRSIM_KBPS])
		*rate = (struct at_rate){ .kbps = get(info, AIRSIM_KBPS, 0) };
	if (by_mcs && rate->format == AT_LEGACY) {
		if (!info->attrs[AIRSIM_MCS])
			return refuse(info, 0, "streams, width and guard interval are of a rate with an mcs");
		*rate = (struct at_rate){ .format = phy->format, .nss = 1, .width = phy->width, .gi = 800 };
	}
	if (by_mcs) {
		rate->mcs = (u8)get(info, AIRSIM_MCS, rate->mcs);
		rate->nss = (u8)get(info, AIRSIM_STREAMS, rate->nss);
		rate->width = (u16)get(info, AIRSIM_WIDTH, rate->width);
		rate->gi = (u16)get(info, AIRSIM_GI, rate->gi);
	}
	for (int part = 0; part < AT_RATE_PARTS; part++) {
		const char *wrong = at_rate_wrong(phy, rate, part);

		if (wrong)
			return refuse(info, attrs[part], "%s: %s", phy->name, wrong);
	}
	return 0;
}

static const struct at_phy *find_phy(const char *name)
{
	for (const struct at_phy *phy = at_phys; phy->name; phy++)
		if (!strcmp(phy->name, name))
			return phy;
	return NULL;
}

/* A name from a message that can be a device's, or NULL and it is refused. */
static const char *name_of(struct genl_info *info, int attr, const char *what)
{
	const char *name = info->attrs[attr] ? nla_data(info->attrs[attr]) : NULL;

	if (!name)
		refuse(info, 0, "the name of %s is missing", what);
	else if (strchr(name, '%'))
		refuse(info, attr, "%s: a name with %%", name);
	else
		return name;
	return NULL;
}

static int new_cell(struct sk_buff *skb, struct genl_info *info)
{
	struct airsim_config config = {
		.ring = 1000, .stop = true, .ampdu = 1, .ampdu_ns = 4 * NSEC_PER_MSEC, .attempts = 7,
	};
	const char *name = name_of(info, AIRSIM_DEV, "the access point's device");
	const char *phy = info->attrs[AIRSIM_PHY] ? nla_data(info->attrs[AIRSIM_PHY]) : "std-11g";
	const struct airsim_radio like = { .rate = { 0 } };
	struct airsim_cell *cell;
	struct net_device *dev;
	u64 seed;
	int err;

	if (!name)
		return -EINVAL;
	config.phy = find_phy(phy);
	if (!config.phy)
		return refuse(info, AIRSIM_PHY, "%s: no such profile; airtab airtime lists them", phy);
	err = check_ranges(info) ?: parse_config(info, &config);
	if (err)
		return err;
	seed = info->attrs[AIRSIM_SEED] ? nla_get_u64(info->attrs[AIRSIM_SEED]) : get_random_u64();
	cell = airsim_cell_new(&config, seed);
	if (!cell)
		return -ENOMEM;
	rtnl_lock();
	dev = airsim_device_new(genl_info_net(info), cell, 0, name, &like, info->extack);
	rtnl_unlock();
	airsim_cell_put(cell);
	return PTR_ERR_OR_ZERO(dev);
}

/* The access point that a message names, or NULL and it is refused. RTNL. */
static struct airsim_radio *access_point(struct genl_info *info)
{
	const char *name = name_of(info, AIRSIM_DEV, "the access point's device");
	struct net_device *dev = name ? airsim_device_find(genl_info_net(info), name) : NULL;

	if (name && !dev)
		refuse(info, AIRSIM_DEV, "%s: no access point of airsim here", name);
	return dev ? airsim_radio(dev) : NULL;
}

static int set_cell(struct sk_buff *skb, struct genl_info *info)
{
	struct airsim_config config;
	struct airsim_radio *radio;
	int err = check_ranges(info);

	if (err)
		return err;
	if (info->attrs[AIRSIM_PHY] || info->attrs[AIRSIM_SEED])
		return refuse(info, info->attrs[AIRSIM_PHY] ? AIRSIM_PHY : AIRSIM_SEED,
			      "the profile and the seed of a cell stay what they are");
	rtnl_lock();
	radio = access_point(info);
	err = -ENODEV;
	if (!radio)
		goto out;
	config = radio->cell->config;
	err = parse_config(info, &config);
	if (err)
		goto out;
	airsim_configure(radio, &config);
out:
	rtnl_unlock();
	return err;
}

static int del_cell(struct sk_buff *skb, struct genl_info *info)
{
	struct airsim_radio *radio;
	LIST_HEAD(list);

	rtnl_lock();
	radio = access_point(info);
	if (radio) {
		airsim_link_ops.dellink(radio->dev, &list);
		unregister_netdevice_many(&list);
	}
	rtnl_unlock();
	return radio ? 0 : -ENODEV;
}

/* Number of the station of that name, of a new one, or 0: the cell is full. A station keeps its
 * name in whatever namespace it is. */
static u16 number_of(const struct airsim_cell *cell, const char *name)
{
	u16 room = 0;

	for (u16 i = AIRSIM_STATIONS; i; i--) {
		if (cell->radios[i] && !strcmp(cell->radios[i]->dev->name, name))
			return i;
		if (!cell->radios[i])
			room = i;
	}
	return room;
}

static int set_station(struct sk_buff *skb, struct genl_info *info)
{
	const char *name = name_of(info, AIRSIM_NAME, "the station");
	struct airsim_radio like = { .rate = { 0 } }, *radio, *known;
	int err = name ? check_ranges(info) : -EINVAL;
	struct net_device *dev;
	u16 number;

	if (err)
		return err;
	rtnl_lock();
	radio = access_point(info);
	err = -ENODEV;
	if (!radio)
		goto out;
	number = number_of(radio->cell, name);
	known = radio->cell->radios[number];
	if (known && number) {
		like.rate = known->rate;
		like.fer_ppm = known->fer_ppm;
		like.asleep = known->asleep;
	} else if (!number) {
		err = refuse(info, AIRSIM_NAME, "%s: a cell has at most %u stations", name, AIRSIM_STATIONS);
		goto out;
	} else if (!info->attrs[AIRSIM_KBPS] && !info->attrs[AIRSIM_MCS]) {
		err = refuse(info, AIRSIM_NAME, "%s: no such station; a new one needs a rate or an mcs", name);
		goto out;
	}
	err = parse_rate(info, radio->cell->config.phy, &like.rate);
	if (err)
		goto out;
	like.fer_ppm = get(info, AIRSIM_FER, like.fer_ppm);
	like.fer = div_u64((u64)like.fer_ppm << 32, 1000000);
	like.asleep = get(info, AIRSIM_ASLEEP, like.asleep);
	if (known && number) {
		airsim_station_set(known, &like);
		goto out;
	}
	dev = airsim_device_new(genl_info_net(info), radio->cell, number, name, &like, info->extack);
	err = PTR_ERR_OR_ZERO(dev);
out:
	rtnl_unlock();
	return err;
}

static bool put_way(struct sk_buff *skb, int attr, const struct airsim_way *way)
{
	const u64 values[AIRSIM_WAY_ATTRS] = {
		[AIRSIM_WAY_FRAMES] = way->count.frames,
		[AIRSIM_WAY_BYTES] = way->count.bytes,
		[AIRSIM_WAY_FAILED] = way->count.failed,
		[AIRSIM_WAY_ATTEMPTS] = way->count.attempts,
		[AIRSIM_WAY_EXCHANGES] = way->count.exchanges,
		[AIRSIM_WAY_COLLIDED] = way->count.collided,
		[AIRSIM_WAY_AIR] = way->count.air,
		[AIRSIM_WAY_WAITING] = skb_queue_len(&way->waiting),
	};
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest)
		return false;
	for (int i = 1; i < AIRSIM_WAY_ATTRS; i++)
		if (nla_put_u64_64bit(skb, i, values[i], AIRSIM_WAY_PAD))
			return false;
	nla_nest_end(skb, nest);
	return true;
}

static bool put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return !nla_put_u64_64bit(skb, attr, value, AIRSIM_PAD);
}

static bool put_cell(struct sk_buff *skb, const struct airsim_cell *cell)
{
	const struct airsim_config *c = &cell->config;
	u64 now = ktime_get_ns();

	return !nla_put_string(skb, AIRSIM_PHY, c->phy->name) &&
	       !nla_put_u32(skb, AIRSIM_RING, c->ring) &&
	       !nla_put_u32(skb, AIRSIM_STOP, c->stop) &&
	       !nla_put_u32(skb, AIRSIM_AMPDU, c->ampdu) &&
	       !nla_put_u32(skb, AIRSIM_AMPDU_NS, c->ampdu_ns) &&
	       !nla_put_u32(skb, AIRSIM_ATTEMPTS, c->attempts) &&
	       !nla_put_u32(skb, AIRSIM_DONE_FRAMES, c->done_frames) &&
	       !nla_put_u32(skb, AIRSIM_DONE_NS, c->done_ns) &&
	       !nla_put_u32(skb, AIRSIM_ORPHAN, c->orphan) &&
	       put_u64(skb, AIRSIM_NS_DOWN, airsim_medium_spent(cell, AIRSIM_USE_DOWN, now)) &&
	       put_u64(skb, AIRSIM_NS_UP, airsim_medium_spent(cell, AIRSIM_USE_UP, now)) &&
	       put_u64(skb, AIRSIM_NS_COLLISION, airsim_medium_spent(cell, AIRSIM_USE_COLLISION, now)) &&
	       put_u64(skb, AIRSIM_NS_IDLE, airsim_medium_spent(cell, AIRSIM_USE_IDLE, now));
}

static bool put_rate(struct sk_buff *skb, const struct at_rate *rate)
{
	if (nla_put_u32(skb, AIRSIM_KBPS, at_rate_kbps(rate)))
		return false;
	return rate->format == AT_LEGACY ||
	       (!nla_put_u32(skb, AIRSIM_MCS, rate->mcs) &&
		!nla_put_u32(skb, AIRSIM_STREAMS, rate->nss) &&
		!nla_put_u32(skb, AIRSIM_WIDTH, rate->width) &&
		!nla_put_u32(skb, AIRSIM_GI, rate->gi));
}

static bool put_radio(struct sk_buff *skb, const struct airsim_radio *radio)
{
	if (!put_u64(skb, AIRSIM_HELD, radio->held) || !put_u64(skb, AIRSIM_DROPPED, radio->dropped) ||
	    nla_put_u32(skb, AIRSIM_IFINDEX, radio->dev->ifindex))
		return false;
	if (!radio->index)
		return put_cell(skb, radio->cell) && put_way(skb, AIRSIM_DOWN, &radio->own);
	return !nla_put_string(skb, AIRSIM_NAME, radio->dev->name) && put_rate(skb, &radio->rate) &&
	       !nla_put_u32(skb, AIRSIM_FER, radio->fer_ppm) &&
	       !nla_put_u32(skb, AIRSIM_ASLEEP, radio->asleep) &&
	       put_way(skb, AIRSIM_DOWN, &radio->down) && put_way(skb, AIRSIM_UP, &radio->own);
}

static bool dump_radio(struct sk_buff *skb, struct netlink_callback *cb, const struct airsim_radio *radio)
{
	struct airsim_cell *cell = radio->cell;
	void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &airsim_family,
				 NLM_F_MULTI, AIRSIM_GET);
	bool whole;

	if (!head)
		return false;
	spin_lock_bh(&cell->lock);
	whole = !nla_put_string(skb, AIRSIM_DEV, cell->radios[0]->dev->name) && put_radio(skb, radio);
	spin_unlock_bh(&cell->lock);
	if (whole)
		genlmsg_end(skb, head);
	else
		genlmsg_cancel(skb, head);
	return whole;
}

/* cb->args[0]: messages so far. */
static int dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct airsim_cell *cell;
	struct net_device *dev;
	long n = 0;

	rtnl_lock();
	for_each_netdev(sock_net(skb->sk), dev) {
		if (!airsim_is_access_point(dev))
			continue;
		cell = airsim_radio(dev)->cell;
		for (u32 i = 0; i < cell->end; i++) {
			const struct airsim_radio *radio = cell->radios[i];

			if (!radio || n++ < cb->args[0])
				continue;
			if (!dump_radio(skb, cb, radio))
				goto out;
			cb->args[0] = n;
		}
	}
out:
	rtnl_unlock();
	return skb->len;
}

static const struct genl_ops commands[] = {
	{ .cmd = AIRSIM_NEW, .doit = new_cell, .flags = GENL_UNS_ADMIN_PERM },
	{ .cmd = AIRSIM_SET, .doit = set_cell, .flags = GENL_UNS_ADMIN_PERM },
	{ .cmd = AIRSIM_DEL, .doit = del_cell, .flags = GENL_UNS_ADMIN_PERM },
	{ .cmd = AIRSIM_STATION, .doit = set_station, .flags = GENL_UNS_ADMIN_PERM },
	{ .cmd = AIRSIM_GET, .dumpit = dump },
};

struct genl_family airsim_family __ro_after_init = {
	.name = AIRSIM_FAMILY,
	.version = AIRSIM_VERSION,
	.maxattr = AIRSIM_ATTRS - 1,
	.policy = policy,
	.netnsok = true,
	.module = THIS_MODULE,
	.ops = commands,
	.n_ops = ARRAY_SIZE(commands),
	.resv_start_op = AIRSIM_GET + 1,
};
