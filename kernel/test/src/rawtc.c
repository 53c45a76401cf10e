/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * rawtc: says to the kernel about a qdisc's options what tc would not let pass,
 * and prints what the kernel answers.
 *
 *   rawtc add|change DEV KIND [ID=VALUE[,VALUE...]]... [ID:BYTES]... [+BYTES]
 *
 * for the root qdisc of DEV: attribute ID with u64 values, or with so many zero
 * bytes, or such bytes that are no attribute. Prints "ok", or "refused ERRNO TEXT"
 * with the text of the extended acknowledgement, and then fails.
 *
 *   rawtc fuzz DEV KIND COUNT SEED
 *
 * so many requests at random: to add, change, delete the qdisc, with attributes
 * that are nearly right, cut off or none; to show, make and delete classes. Fails
 * unless each is answered; prints how many were accepted and refused.
 */
#include <errno.h>
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
#include <unistd.h>

#define ROOM 16384
#define LIST 1024

static struct {
	struct nlmsghdr head;
	struct tcmsg tc;
	char attrs[ROOM];
} request;

static struct nlattr *add(uint16_t type, const void *data, size_t len)
{
	struct nlattr *a = (struct nlattr *)((char *)&request + NLMSG_ALIGN(request.head.nlmsg_len));

	a->nla_type = type;
	a->nla_len = (uint16_t)(NLA_HDRLEN + len);
	if (len)
		memcpy((char *)a + NLA_HDRLEN, data, len);
	request.head.nlmsg_len = NLMSG_ALIGN(request.head.nlmsg_len) + NLA_ALIGN(a->nla_len);
	return a;
}

static void add_option(const char *text)
{
	static uint64_t values[LIST];
	char *at;
	uint16_t id = (uint16_t)strtoul(text, &at, 0);
	size_t n = 0;

	if (*text == '+') {
		request.head.nlmsg_len += (uint32_t)strtoul(text + 1, NULL, 0);
		return;
	}
	if (*at == ':') {
		memset(values, 0, sizeof(values));
		add(id, values, strtoul(at + 1, NULL, 0));
		return;
	}
	while (*at && n < LIST)
		values[n++] = strtoull(at + 1, &at, 0);
	add(id, values, n * sizeof(*values));
}

/* The text of an acknowledgement, or "". */
static const char *said(const struct nlmsghdr *answer)
{
	const struct nlmsgerr *error = NLMSG_DATA(answer);
	size_t at = sizeof(*error);

	if (!(answer->nlmsg_flags & NLM_F_ACK_TLVS))
		return "";
	if (!(answer->nlmsg_flags & NLM_F_CAPPED))
		at += NLMSG_ALIGN(error->msg.nlmsg_len) - sizeof(error->msg);
	while (NLMSG_HDRLEN + at + NLA_HDRLEN <= answer->nlmsg_len) {
		const struct nlattr *a = (const struct nlattr *)((const char *)error + at);

		if (a->nla_len < NLA_HDRLEN)
			return "";
		if (a->nla_type == NLMSGERR_ATTR_MSG)
			return (const char *)a + NLA_HDRLEN;
		at += NLA_ALIGN(a->nla_len);
	}
	return "";
}

static void begin(uint16_t type, uint16_t flags, const char *device)
{
	memset(&request, 0, sizeof(request));
	request.head.nlmsg_len = NLMSG_LENGTH(sizeof(request.tc));
	request.head.nlmsg_type = type;
	request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	request.tc.tcm_ifindex = (int)if_nametoindex(device);
	request.tc.tcm_parent = TC_H_ROOT;
}

static void end(struct nlattr *options)
{
	options->nla_len = (uint16_t)((char *)&request + request.head.nlmsg_len - (char *)options);
}

/* The last answer to the request: its acknowledgement. */
static const struct nlmsghdr *ask(int s)
{
	static _Alignas(8) char answer[2 * ROOM];
	const struct nlmsghdr *m = (void *)answer;

	if (send(s, &request, request.head.nlmsg_len, 0) < 0)
		return NULL;
	do {
		ssize_t n = recv(s, answer, sizeof(answer), 0);

		if (n < 0)
			return NULL;
	} while (m->nlmsg_type != NLMSG_ERROR);
	return m;
}

/* ---- at random ---- */

static uint64_t state;

static uint64_t random_bits(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static uint64_t below(uint64_t n)
{
	return random_bits() % n;
}

static void random_option(void)
{
	uint64_t values[4] = { random_bits() >> below(64), 0, random_bits(), 1 };
	uint16_t id = (uint16_t)(below(2) ? below(12) : below(4) ? 0x1001 : random_bits());
	struct nlattr *a = add(id, values, below(3) ? 8 : below(sizeof(values) + 1));

	if (!below(8))
		a->nla_len = (uint16_t)below(64);	/* ends too early, or behind the end */
	if (!below(8))
		a->nla_type |= NLA_F_NESTED;
}

static void random_request(const char *device, const char *kind)
{
	static const uint16_t types[] = { RTM_NEWQDISC, RTM_NEWQDISC, RTM_NEWQDISC, RTM_NEWQDISC,
					  RTM_NEWQDISC, RTM_GETQDISC, RTM_DELQDISC, RTM_GETTCLASS,
					  RTM_NEWTCLASS, RTM_DELTCLASS };
	static const uint16_t flags[] = { 0, NLM_F_CREATE, NLM_F_CREATE | NLM_F_EXCL,
					  NLM_F_CREATE | NLM_F_REPLACE };
	uint16_t type = types[below(sizeof(types) / sizeof(*types))];
	struct nlattr *options;

	begin(type, type == RTM_NEWQDISC || type == RTM_NEWTCLASS ? flags[below(4)] : 0, device);
	if (type == RTM_GETTCLASS || type == RTM_NEWTCLASS || type == RTM_DELTCLASS)
		request.tc.tcm_handle = (uint32_t)random_bits() >> below(32);
	add(TCA_KIND, kind, strlen(kind) + 1);
	if (type != RTM_NEWQDISC)
		return;
	options = add(TCA_OPTIONS, NULL, 0);
	for (uint64_t n = below(5); n; n--)
		random_option();
	if (!below(8))
		request.head.nlmsg_len += (uint32_t)below(40);
	end(options);
	if (!below(16))
		request.head.nlmsg_len -= (uint32_t)below(16);
}

static int fuzz(int s, const char *device, const char *kind, long count)
{
	long refused = 0;

	for (long i = 0; i < count; i++) {
		const struct nlmsghdr *m;

		random_request(device, kind);
		m = ask(s);
		if (!m) {
			perror("rawtc: no answer");
			return 1;
		}
		refused += !!((struct nlmsgerr *)NLMSG_DATA(m))->error;
	}
	printf("%ld accepted, %ld refused\n", count - refused, refused);
	return refused == count || !refused;
}

int main(int argc, char **argv)
{
	int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), one = 1;
	struct timeval patience = { 10, 0 };
	const struct nlmsghdr *answer;
	const struct nlmsgerr *error;
	struct nlattr *options;

	if (argc < 4) {
		fputs("usage: rawtc add|change DEV KIND [ID=VALUE[,VALUE...]]... [ID:BYTES]... [+BYTES]\n"
		      "       rawtc fuzz DEV KIND COUNT SEED\n", stderr);
		return 2;
	}
	setsockopt(s, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (!strcmp(argv[1], "fuzz") && argc == 6) {
		state = strtoull(argv[5], NULL, 0);
		return fuzz(s, argv[2], argv[3], atol(argv[4]));
	}
	begin(RTM_NEWQDISC, !strcmp(argv[1], "add") ? NLM_F_CREATE | NLM_F_EXCL : 0, argv[2]);
	add(TCA_KIND, argv[3], strlen(argv[3]) + 1);
	options = add(TCA_OPTIONS, NULL, 0);
	for (int i = 4; i < argc; i++)
		add_option(argv[i]);
	end(options);
	answer = ask(s);
	if (!answer) {
		perror("rawtc");
		return 2;
	}
	error = NLMSG_DATA(answer);
	if (!error->error) {
		puts("ok");
		return 0;
	}
	printf("refused %d %s\n", -error->error, said(answer));
	return 1;
}
