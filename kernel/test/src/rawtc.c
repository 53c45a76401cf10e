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
 * that are nearly right, cut off or none; to show, make and delete classes; some
 * of any kind, parent and handle, or with any byte another. Fails unless each is
 * answered; prints how many were accepted and refused.
 *
 *   rawtc failing replace|change|on|del|dump DEV KIND [ID=VALUE...]
 *
 * the same request again and again, each time with the next of the kernel's
 * allocations failing, until all were: to replace another qdisc, to change or delete
 * this one, to change one that is made anew each time, to dump qdiscs and classes. What fails must leave the qdisc that was
 * there, what is done must have been done. Prints how many allocations failed, and
 * with how many of them the request. For a kernel with fail-nth.
 *
 *   rawtc failing send DEV ADDRESS
 *
 * a UDP packet of ten segments (GSO), each allocation failing likewise.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/udp.h>
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
	uint16_t id = (uint16_t)(below(2) ? below(12) : below(4) ? 0x1001 + below(9) : random_bits());
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
	if (!below(32))
		kind = "htb";
	if (!below(32))
		request.tc.tcm_handle = (uint32_t)below(8) << 16 | (uint32_t)below(3);
	if (!below(32))
		request.tc.tcm_parent = below(2) ? (uint32_t)below(8) << 16 | (uint32_t)below(8)
						 : (uint32_t)random_bits();
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
	if (!below(16))		/* behind the number of the device */
		((char *)&request.tc.tcm_handle)[below(request.head.nlmsg_len - 24)] = (char)random_bits();
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

/* ---- with allocations failing ---- */

/* From here on the nth allocation of this thread fails, once. */
static void fail(int file, int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", nth);

	if (pwrite(file, text, (size_t)n, 0) != n) {
		perror("rawtc: fail-nth");
		exit(2);
	}
}

/* Whether one has failed; from here on none does. */
static bool failed(int file)
{
	char text[16] = "";

	if (pread(file, text, sizeof(text) - 1, 0) <= 0)
		exit(2);
	fail(file, 0);
	return atoi(text) == 0;
}

/* What is in the answers to a dump until its end: nothing, or an error. */
static int dump(int s, uint16_t type, const char *device)
{
	static _Alignas(8) char answer[2 * ROOM];

	begin(type, NLM_F_DUMP, device);
	if (send(s, &request, request.head.nlmsg_len, 0) < 0)
		return errno;
	for (;;) {
		ssize_t n = recv(s, answer, sizeof(answer), 0);
		const struct nlmsghdr *m = (void *)answer;

		if (n < 0)
			return errno;
		for (; NLMSG_OK(m, (size_t)n); m = NLMSG_NEXT(m, n))
			if (m->nlmsg_type == NLMSG_DONE || m->nlmsg_type == NLMSG_ERROR)
				return -*(int *)NLMSG_DATA(m);
	}
}

/* The kind and handle of the root qdisc. */
static uint32_t root(int s, const char *device, char kind[16])
{
	static _Alignas(8) char answer[2 * ROOM];
	const struct nlmsghdr *m = (void *)answer;
	const struct tcmsg *tc = NLMSG_DATA(m);
	const struct nlattr *a = (const void *)(tc + 1);	/* the kind is the first */

	begin(RTM_GETQDISC, NLM_F_ECHO, device);	/* else only listeners get the answer */
	request.head.nlmsg_flags &= (uint16_t)~NLM_F_ACK;
	if (send(s, &request, request.head.nlmsg_len, 0) < 0 || recv(s, answer, sizeof(answer), 0) < 0 ||
	    m->nlmsg_type != RTM_NEWQDISC || a->nla_type != TCA_KIND) {
		fprintf(stderr, "rawtc: what is at the root of %s?\n", device);
		exit(2);
	}
	snprintf(kind, 16, "%.15s", (const char *)a + NLA_HDRLEN);
	return tc->tcm_handle;
}

static int request_of(int s, uint16_t type, uint16_t flags, const char *device, const char *kind,
		      char **args)
{
	const struct nlmsghdr *m;
	struct nlattr *options;

	begin(type, flags, device);
	add(TCA_KIND, kind, strlen(kind) + 1);
	if (type == RTM_NEWQDISC && *args) {
		options = add(TCA_OPTIONS, NULL, 0);
		for (; *args; args++)
			add_option(*args);
		end(options);
	}
	m = ask(s);
	return m ? -((struct nlmsgerr *)NLMSG_DATA(m))->error : errno;
}

/* A socket of its own for each request: an answer that could not be sent confuses nobody. */
static int talk(void)
{
	struct timeval patience = { 10, 0 };
	int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), one = 1;

	setsockopt(s, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return s;
}

static int send_segments(int s, const char *address)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	static char data[10000];
	int size = 1000;

	inet_pton(AF_INET, address, &to.sin_addr);
	setsockopt(s, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size));
	return sendto(s, data, sizeof(data), 0, (struct sockaddr *)&to, sizeof(to)) < 0 ? errno : 0;
}

static int failing(const char *what, const char *device, const char *kind, char **args)
{
	const uint16_t make = NLM_F_CREATE | NLM_F_REPLACE;
	int file = open("/proc/thread-self/fail-nth", O_RDWR), allocations = 0, errors = 0;
	static char *none[] = { NULL };
	bool more = true;

	for (int nth = 1; more; nth++) {
		int s = talk(), plain = talk(), udp = socket(AF_INET, SOCK_DGRAM, 0), error = 0;
		bool anew = !strcmp(what, "on");
		const char *before = strcmp(what, "replace") && !anew ? kind : "pfifo", *after = kind;
		uint32_t was, is;
		char there[16];

		if (!strcmp(what, "del"))
			after = NULL;
		if (!strcmp(what, "send"))
			before = after = NULL;
		if (before && strcmp(what, "dump") && strcmp(what, "change"))
			request_of(plain, RTM_NEWQDISC, make, device, before, none);
		if (anew)
			request_of(plain, RTM_NEWQDISC, make, device, kind, none);
		was = root(plain, device, there);
		fail(file, nth);
		if (!strcmp(what, "replace"))
			error = request_of(s, RTM_NEWQDISC, make, device, kind, args);
		else if (anew || !strcmp(what, "change"))
			error = request_of(s, RTM_NEWQDISC, 0, device, kind, args);
		else if (!strcmp(what, "del"))
			error = request_of(s, RTM_DELQDISC, 0, device, kind, none);
		else if (!strcmp(what, "dump"))
			error = dump(s, RTM_GETQDISC, device) ?: dump(s, RTM_GETTCLASS, device);
		else
			error = send_segments(udp, kind);
		more = failed(file);
		is = root(plain, device, there);
		/* whoever asked may not hear that it is done */
		if (!more && error) {
			printf("no allocation failed, but the request: %s\n", strerror(error));
			return 1;
		}
		if (error == ENOMEM && is != was) {
			printf("allocation %d failed, the qdisc is another: %s\n", nth, there);
			return 1;
		}
		if (!error && after && strcmp(there, after)) {
			printf("allocation %d failed, no error, but the qdisc is %s\n", nth, there);
			return 1;
		}
		allocations += more;
		errors += !!error;
		close(s);
		close(plain);
		close(udp);
	}
	printf("%d allocations failed, and the request with %d of them\n", allocations, errors);
	return !allocations;
}

int main(int argc, char **argv)
{
	const struct nlmsghdr *answer;
	const struct nlmsgerr *error;
	struct nlattr *options;
	int s = talk();

	if (argc < 4) {
		fputs("usage: rawtc add|change DEV KIND [ID=VALUE[,VALUE...]]... [ID:BYTES]... [+BYTES]\n"
		      "       rawtc fuzz DEV KIND COUNT SEED\n"
		      "       rawtc failing replace|change|on|del|dump DEV KIND [ID=VALUE...]\n"
		      "       rawtc failing send DEV ADDRESS\n", stderr);
		return 2;
	}
	if (!strcmp(argv[1], "fuzz") && argc == 6) {
		state = strtoull(argv[5], NULL, 0);
		return fuzz(s, argv[2], argv[3], atol(argv[4]));
	}
	if (!strcmp(argv[1], "failing") && argc > 4)
		return failing(argv[2], argv[3], argv[4], argv + 5);
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
