/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * air: what the tests say to airsim and read from it, attribute by attribute (genl.h).
 *
 *   air new dev=air0 phy=std-11g ring=1000 stop=1 ...
 *   air station dev=air0 name=fast kbps=54000 ...
 *   air set dev=air0 ring=2 ...; air del dev=air0
 *	A number may be any, right or wrong. A refusal is printed, with its words.
 *   air get
 *	A line for each device: "DEV NAME key=value ...", NAME being `-` of an access
 *	point. Keys of the two ways begin with down. and up.
 *
 * What this is not: the program for users, which is `airtab airsim`.
 */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "genl.h"

enum { TEXT = 1, WORD, LONG, NEST };

static const struct { const char *name; int type; } attrs[AIRSIM_ATTRS] = {
	[AIRSIM_DEV] = { "dev", TEXT }, [AIRSIM_PHY] = { "phy", TEXT },
	[AIRSIM_RING] = { "ring", WORD }, [AIRSIM_STOP] = { "stop", WORD },
	[AIRSIM_AMPDU] = { "ampdu", WORD }, [AIRSIM_AMPDU_NS] = { "ampdu_ns", WORD },
	[AIRSIM_ATTEMPTS] = { "attempts", WORD }, [AIRSIM_DONE_FRAMES] = { "done_frames", WORD },
	[AIRSIM_DONE_NS] = { "done_ns", WORD }, [AIRSIM_ORPHAN] = { "orphan", WORD },
	[AIRSIM_SEED] = { "seed", LONG }, [AIRSIM_NAME] = { "name", TEXT },
	[AIRSIM_KBPS] = { "kbps", WORD }, [AIRSIM_MCS] = { "mcs", WORD },
	[AIRSIM_STREAMS] = { "streams", WORD }, [AIRSIM_WIDTH] = { "width", WORD },
	[AIRSIM_GI] = { "gi", WORD }, [AIRSIM_FER] = { "fer", WORD },
	[AIRSIM_ASLEEP] = { "asleep", WORD }, [AIRSIM_HELD] = { "held", LONG },
	[AIRSIM_DROPPED] = { "dropped", LONG }, [AIRSIM_DOWN] = { "down", NEST },
	[AIRSIM_UP] = { "up", NEST }, [AIRSIM_NS_DOWN] = { "ns_down", LONG },
	[AIRSIM_NS_UP] = { "ns_up", LONG }, [AIRSIM_NS_COLLISION] = { "ns_collision", LONG },
	[AIRSIM_NS_IDLE] = { "ns_idle", LONG }, [AIRSIM_IFINDEX] = { "ifindex", WORD },
};

static const char *const ways[AIRSIM_WAY_ATTRS] = {
	NULL, "frames", "bytes", "failed", "attempts", "exchanges", "collided", "air", "waiting",
};

static struct {
	struct nlmsghdr head;
	struct genlmsghdr genl;
	char attrs[4096];
} request;

static void put(int type, const void *data, size_t size)
{
	struct nlattr *attr = (void *)((char *)&request + request.head.nlmsg_len);

	if (request.head.nlmsg_len + size + 8 > sizeof(request)) {
		fprintf(stderr, "air: too much\n");
		exit(2);
	}
	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + size;
	memcpy(attr + 1, data, size);
	request.head.nlmsg_len += NLA_ALIGN(attr->nla_len);
}

static void begin(int family, int command, int flags)
{
	memset(&request, 0, sizeof(request));
	request.head.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	request.head.nlmsg_type = family;
	request.head.nlmsg_flags = NLM_F_REQUEST | flags;
	request.genl.cmd = command;
	request.genl.version = 1;
}

/* The attribute of that type among `len` bytes, or NULL. */
static struct nlattr *find(void *data, size_t len, int type)
{
	for (char *at = data; at + NLA_HDRLEN <= (char *)data + len;) {
		struct nlattr *attr = (void *)at;

		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		at += NLA_ALIGN(attr->nla_len);
	}
	return NULL;
}

static uint64_t number(const struct nlattr *attr)
{
	uint64_t value = 0;

	memcpy(&value, attr + 1, attr->nla_len - NLA_HDRLEN < 8 ? attr->nla_len - NLA_HDRLEN : 8);
	return value;
}

static void show(void *data, size_t len)
{
	struct nlattr *dev = find(data, len, AIRSIM_DEV), *name = find(data, len, AIRSIM_NAME);

	printf("%s %s", dev ? (char *)(dev + 1) : "?", name ? (char *)(name + 1) : "-");
	for (int type = AIRSIM_PHY; type < AIRSIM_ATTRS; type++) {
		struct nlattr *attr = find(data, len, type);

		if (!attr || type == AIRSIM_NAME)
			continue;
		if (attrs[type].type == TEXT)
			printf(" %s=%s", attrs[type].name, (char *)(attr + 1));
		else if (attrs[type].type != NEST)
			printf(" %s=%llu", attrs[type].name, (unsigned long long)number(attr));
		for (int i = 1; attrs[type].type == NEST && i < AIRSIM_WAY_ATTRS; i++) {
			struct nlattr *way = find(attr + 1, attr->nla_len - NLA_HDRLEN, i);

			if (way)
				printf(" %s.%s=%llu", attrs[type].name, ways[i],
				       (unsigned long long)number(way));
		}
	}
	printf("\n");
}

/* Sends the request and reads what comes; `family` gets a family's number, if it is one. */
static int ask(int s, int *family)
{
	static char buffer[65536];

	if (send(s, &request, request.head.nlmsg_len, 0) < 0)
		return perror("send"), 1;
	for (;;) {
		ssize_t n = recv(s, buffer, sizeof(buffer), 0);
		struct nlmsghdr *head = (void *)buffer;

		if (n < 0)
			return perror("recv"), 1;
		for (; NLMSG_OK(head, n); head = NLMSG_NEXT(head, n)) {
			struct nlmsgerr *error = NLMSG_DATA(head);
			char *data = (char *)NLMSG_DATA(head) + GENL_HDRLEN;
			size_t len = head->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN);
			struct nlattr *words;

			if (head->nlmsg_type == NLMSG_DONE)
				return 0;
			if (head->nlmsg_type != NLMSG_ERROR) {
				struct nlattr *id = family ? find(data, len, CTRL_ATTR_FAMILY_ID) : NULL;

				if (id)
					*family = number(id);
				else if (!family)
					show(data, len);
				continue;
			}
			if (!error->error)
				return 0;
			words = head->nlmsg_flags & NLM_F_ACK_TLVS ?
				find((char *)(error + 1), head->nlmsg_len - NLMSG_LENGTH(sizeof(*error)),
				     NLMSGERR_ATTR_MSG) : NULL;
			printf("%s: %s\n", strerror(-error->error), words ? (char *)(words + 1) : "");
			return 1;
		}
	}
}

static void add(const char *word)
{
	const char *value = strchr(word, '=');

	for (int type = 1; value && type < AIRSIM_ATTRS; type++) {
		unsigned long long n = strtoull(value + 1, NULL, 0);

		if (strlen(attrs[type].name) != (size_t)(value - word) ||
		    strncmp(attrs[type].name, word, value - word))
			continue;
		if (attrs[type].type == TEXT)
			put(type, value + 1, strlen(value + 1) + 1);
		else
			put(type, &n, attrs[type].type == LONG ? 8 : 4);
		return;
	}
	fprintf(stderr, "air: %s?\n", word);
	exit(2);
}

int main(int argc, char **argv)
{
	static const char *const commands[] = { NULL, "new", "set", "del", "station", "get" };
	int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC), one = 1, family = 0, command = 0;

	for (int i = AIRSIM_NEW; i <= AIRSIM_GET; i++)
		if (argc > 1 && !strcmp(argv[1], commands[i]))
			command = i;
	if (!command) {
		fprintf(stderr, "usage: air new|set|del|station|get ATTRIBUTE=VALUE...\n");
		return 2;
	}
	setsockopt(s, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(s, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	begin(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	put(CTRL_ATTR_FAMILY_NAME, AIRSIM_FAMILY, sizeof(AIRSIM_FAMILY));
	if (ask(s, &family) || !family)
		return 1;
	begin(family, command, command == AIRSIM_GET ? NLM_F_DUMP : NLM_F_ACK);
	for (int i = 2; i < argc; i++)
		add(argv[i]);
	return ask(s, NULL);
}
