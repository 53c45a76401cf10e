/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * rawtc: says to the kernel about a qdisc's options what tc would not let pass,
 * and prints what the kernel answers.
 *
 *   rawtc add|change DEV KIND [ID=VALUE[,VALUE...]]... [ID:BYTES]...
 *
 * for the root qdisc of DEV: attribute ID with u64 values, or with so many zero
 * bytes. Prints "ok", or "refused ERRNO TEXT" with the text of the extended
 * acknowledgement, and then fails.
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
		at += error->msg.nlmsg_len - sizeof(error->msg);
	while (NLMSG_HDRLEN + at + NLA_HDRLEN <= answer->nlmsg_len) {
		const struct nlattr *a = (const struct nlattr *)((const char *)error + at);

		if (a->nla_type == NLMSGERR_ATTR_MSG)
			return (const char *)a + NLA_HDRLEN;
		at += NLA_ALIGN(a->nla_len);
	}
	return "";
}

int main(int argc, char **argv)
{
	static char answer[ROOM];
	int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), one = 1;
	struct nlattr *options;
	const struct nlmsgerr *error;

	if (argc < 4) {
		fputs("usage: rawtc add|change DEV KIND [ID=VALUE[,VALUE...]]... [ID:BYTES]...\n", stderr);
		return 2;
	}
	request.head.nlmsg_len = NLMSG_LENGTH(sizeof(request.tc));
	request.head.nlmsg_type = RTM_NEWQDISC;
	request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	if (!strcmp(argv[1], "add"))
		request.head.nlmsg_flags |= NLM_F_CREATE | NLM_F_EXCL;
	request.tc.tcm_ifindex = (int)if_nametoindex(argv[2]);
	request.tc.tcm_parent = TC_H_ROOT;
	add(TCA_KIND, argv[3], strlen(argv[3]) + 1);
	options = add(TCA_OPTIONS, NULL, 0);
	for (int i = 4; i < argc; i++)
		add_option(argv[i]);
	options->nla_len = (uint16_t)((char *)&request + request.head.nlmsg_len - (char *)options);
	setsockopt(s, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	if (send(s, &request, request.head.nlmsg_len, 0) < 0 || recv(s, answer, sizeof(answer), 0) < 0) {
		perror("rawtc");
		return 2;
	}
	error = NLMSG_DATA((struct nlmsghdr *)answer);
	if (!error->error) {
		puts("ok");
		return 0;
	}
	printf("refused %d %s\n", -error->error, said((struct nlmsghdr *)answer));
	return 1;
}
