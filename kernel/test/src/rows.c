/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * rows: reads the classes of a device as the kernel sends them.
 *
 *   rows show DEV [BUFFER]    one line a class: its minor number in hex, then of the
 *			       standard statistics "packets N qlen N backlog N", then
 *			       ID=VALUE of each attribute of the application's
 *   rows count DEV [BUFFER]   "rows N messages N ns N most N": the time from the request
 *			       to the end, the reader's own included; rows of the
 *			       fullest message
 *   rows qdisc DEV	      the application's statistics of the root qdisc, as above
 *   rows get DEV MINOR        one class, by its number in hex: "ok", or "refused
 *			       ERRNO" and fails
 *
 * BUFFER: bytes that are read at once; the kernel makes its messages as long.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#define ROOM 65536

static _Alignas(8) char answer[ROOM];

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* The attribute of that type among those that begin at a, or NULL. */
static const struct nlattr *find(const void *a, size_t room, uint16_t type)
{
	const struct nlattr *attr = a;

	while (room >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN && attr->nla_len <= room) {
		size_t step = NLA_ALIGN(attr->nla_len);

		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		room -= step < room ? step : room;
		attr = (const void *)((const char *)attr + step);
	}
	return NULL;
}

static const void *data(const struct nlattr *a)
{
	return (const char *)a + NLA_HDRLEN;
}

static size_t length(const struct nlattr *a)
{
	return a->nla_len - NLA_HDRLEN;
}

/* The application's statistics. */
static void show_own(const struct nlattr *stats)
{
	const struct nlattr *a = find(data(stats), length(stats), TCA_STATS_APP);

	for (size_t at = 0; a && at < length(a); at += NLA_HDRLEN + sizeof(uint64_t)) {
		const struct nlattr *one = (const void *)((const char *)data(a) + at);
		uint64_t value;

		if (one->nla_type & 0x1000)	/* of a qdisc: drops follow */
			break;
		memcpy(&value, data(one), sizeof(value));
		printf(" %u=%llu", one->nla_type & 0xfff, (unsigned long long)value);
	}
	puts("");
}

static const struct nlattr *stats_of(const struct nlmsghdr *n)
{
	const struct tcmsg *tc = NLMSG_DATA(n);

	return find(TCA_RTA(tc), n->nlmsg_len - NLMSG_LENGTH(sizeof(*tc)), TCA_STATS2);
}

static void show(const struct nlmsghdr *n)
{
	const struct nlattr *stats = stats_of(n), *a;

	printf("%x", TC_H_MIN(((const struct tcmsg *)NLMSG_DATA(n))->tcm_handle));
	if (!stats)
		return (void)puts(" gone");
	a = find(data(stats), length(stats), TCA_STATS_BASIC);
	printf(" packets %u", a ? ((const struct gnet_stats_basic *)data(a))->packets : 0);
	a = find(data(stats), length(stats), TCA_STATS_QUEUE);
	printf(" qlen %u backlog %u", a ? ((const struct gnet_stats_queue *)data(a))->qlen : 0,
	       a ? ((const struct gnet_stats_queue *)data(a))->backlog : 0);
	show_own(stats);
}

static int ask(const char *device, uint16_t type, uint16_t flags, uint32_t minor)
{
	struct { struct nlmsghdr head; struct tcmsg tc; } request = {
		{ .nlmsg_len = sizeof(request), .nlmsg_type = type,
		  .nlmsg_flags = NLM_F_REQUEST | flags },
		{ .tcm_ifindex = (int)if_nametoindex(device), .tcm_parent = TC_H_UNSPEC },
	};
	struct timeval patience = { 10, 0 };
	int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (!request.tc.tcm_ifindex)
		die(device);
	if (!(flags & NLM_F_DUMP)) {
		request.tc.tcm_parent = TC_H_ROOT;
		request.tc.tcm_handle = minor;
	}
	if (send(s, &request, sizeof(request), 0) < 0)
		die("send");
	return s;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int dump(const char *device, size_t buffer, bool print)
{
	uint64_t begun = now();
	int s = ask(device, RTM_GETTCLASS, NLM_F_DUMP, 0);
	long rows = 0, messages = 0, most = 0;

	for (;; messages++) {
		ssize_t n = recv(s, answer, buffer, MSG_TRUNC);
		unsigned int left = (unsigned int)n;
		long before = rows;

		if (n < 0 || (size_t)n > buffer)
			die("recv");
		for (struct nlmsghdr *m = (void *)answer; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
			if (m->nlmsg_type == NLMSG_DONE) {
				if (!print)
					printf("rows %ld messages %ld ns %llu most %ld\n", rows, messages,
					       (unsigned long long)(now() - begun), most);
				return 0;
			}
			if (m->nlmsg_type == NLMSG_ERROR) {
				fprintf(stderr, "rows: error %d\n", -((struct nlmsgerr *)NLMSG_DATA(m))->error);
				return 1;
			}
			rows++;
			if (print)
				show(m);
			if (rows - before > most)
				most = rows - before;
		}
	}
}

/* The answer to a request for one thing, or NULL, having said why not. */
static const struct nlmsghdr *one(int s)
{
	const struct nlmsghdr *m = (void *)answer;

	if (recv(s, answer, sizeof(answer), 0) < 0)
		die("recv");
	if (m->nlmsg_type != NLMSG_ERROR)
		return m;
	printf("refused %d\n", -((const struct nlmsgerr *)NLMSG_DATA(m))->error);
	return NULL;
}

static int get(const char *device, uint32_t minor)
{
	if (!one(ask(device, RTM_GETTCLASS, NLM_F_ECHO, minor)))
		return 1;
	puts("ok");
	return 0;
}

static int qdisc(const char *device)
{
	const struct nlmsghdr *m = one(ask(device, RTM_GETQDISC, NLM_F_ECHO, 0));

	if (!m)
		return 1;
	show_own(stats_of(m));
	return 0;
}

int main(int argc, char **argv)
{
	size_t buffer = argc > 3 ? strtoul(argv[3], NULL, 0) : 32768;

	if (argc > 2 && buffer <= ROOM && !strcmp(argv[1], "show"))
		return dump(argv[2], buffer, true);
	if (argc > 2 && buffer <= ROOM && !strcmp(argv[1], "count"))
		return dump(argv[2], buffer, false);
	if (argc == 3 && !strcmp(argv[1], "qdisc"))
		return qdisc(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "get"))
		return get(argv[2], (uint32_t)strtoul(argv[3], NULL, 16));
	fputs("usage: rows show|count DEV [BUFFER]\n       rows qdisc DEV\n       rows get DEV CLASS\n", stderr);
	return 2;
}
