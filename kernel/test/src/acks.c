/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * acks: TCP whose bytes are known, and who looks at its acknowledgements on the way.
 *
 *   acks exchange listen|ADDRESS PORT out=N in=N [pause=0]
 *	one TCP connection, accepted or made. Sends `out` bytes, in pieces of 20 kB with `pause`
 *	milliseconds between, while it receives `in`, which must be what the other end sends;
 *	prints "got N".
 *   acks watch DEVICE PORT
 *	until SIGTERM looks at all TCP packets from that port, as a packet socket gets them;
 *	prints "packets N summed N wrong N back N most N": those whose checksum is in the
 *	packet, and of these those where it is not right; numbers that are before the one
 *	before; the greatest step from one to the next, but to that of a FIN. SYN and RST are
 *	not looked at.
 *   acks nosum DEVICE
 *	its packets get their checksums from the kernel, not from the device.
 *
 * What this is not: one connection at a time is watched.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE 20000

enum { FIN = 1, SYN = 2, RST = 4 };

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long number(char **args, const char *name, long otherwise)
{
	size_t n = strlen(name);

	for (; *args; args++)
		if (!strncmp(*args, name, n) && (*args)[n] == '=')
			return atol(*args + n + 1);
	return otherwise;
}

/* ---- exchange ---- */

/* Byte i of what each end sends. */
static uint8_t byte_of(uint64_t i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15ull;
	return (uint8_t)(i >> 56 ^ i >> 31);
}

struct out {
	int s;
	long bytes, pause;
};

static void *send_all(void *arg)
{
	struct out *out = arg;
	static uint8_t data[PIECE];
	long sent = 0;

	while (sent < out->bytes) {
		long n = out->bytes - sent < PIECE ? out->bytes - sent : PIECE;
		ssize_t done;

		for (long i = 0; i < n; i++)
			data[i] = byte_of((uint64_t)(sent + i));
		for (long at = 0; at < n; at += done) {
			done = send(out->s, data + at, (size_t)(n - at), MSG_NOSIGNAL);
			if (done < 0)
				die("send");
		}
		sent += n;
		usleep((useconds_t)(1000 * out->pause));
	}
	shutdown(out->s, SHUT_WR);
	return NULL;
}

static int dial(const char *host, const char *port)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)atoi(port)) };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = six.sin6_port };
	bool is_four = inet_pton(AF_INET, host, &four.sin_addr) == 1;
	int s;

	if (!is_four && inet_pton(AF_INET6, host, &six.sin6_addr) != 1) {
		fprintf(stderr, "%s: no address\n", host);
		exit(1);
	}
	s = socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM, 0);
	if (s < 0 || connect(s, is_four ? (void *)&four : (void *)&six, is_four ? sizeof(four) : sizeof(six)))
		die(host);
	return s;
}

static int accepted(const char *port)
{
	struct sockaddr_in6 here = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)atoi(port)) };
	int l = socket(AF_INET6, SOCK_STREAM, 0), one = 1, s;

	setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(l, (struct sockaddr *)&here, sizeof(here)) || listen(l, 1))
		die(port);
	s = accept(l, NULL, NULL);
	if (s < 0)
		die("accept");
	return s;
}

static int exchange(const char *who, const char *port, char **args)
{
	struct out out = { .bytes = number(args, "out", 0), .pause = number(args, "pause", 0) };
	long in = number(args, "in", 0), got = 0;
	static uint8_t data[PIECE];
	pthread_t sender;
	ssize_t n;

	out.s = strcmp(who, "listen") ? dial(who, port) : accepted(port);
	if (pthread_create(&sender, NULL, send_all, &out))
		die("pthread_create");
	while ((n = recv(out.s, data, sizeof(data), 0)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			if (data[i] != byte_of((uint64_t)(got + i))) {
				fprintf(stderr, "byte %ld is another one\n", got + i);
				return 1;
			}
		got += n;
	}
	if (n < 0)
		die("recv");
	pthread_join(sender, NULL);
	printf("got %ld\n", got);
	return got != in;
}

/* ---- watch ---- */

static uint32_t get32(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t add_up(uint32_t sum, const uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum += i % 2 ? b[i] : (uint32_t)b[i] << 8;
	return sum;
}

struct seen {
	long packets, summed, wrong, back, most;
	uint32_t last;
	bool any;
};

/* A packet behind its Ethernet header. */
static void look(struct seen *seen, const uint8_t *ip, size_t n, uint16_t port, bool whole)
{
	bool six = n > 0 && ip[0] >> 4 == 6;
	size_t at = six ? 40 : n ? (size_t)(ip[0] & 15) * 4 : 0, end;
	const uint8_t *tcp = ip + at;
	uint32_t sum, ack;
	int32_t step;

	if (n < at + 20 || ip[six ? 6 : 9] != IPPROTO_TCP || (tcp[0] << 8 | tcp[1]) != port || tcp[13] & (SYN | RST))
		return;
	end = six ? 40u + (size_t)(ip[4] << 8 | ip[5]) : (size_t)(ip[2] << 8 | ip[3]);
	if (end > n || end < at + 20)
		return;
	seen->packets++;
	if (whole) {
		sum = add_up(IPPROTO_TCP + (uint32_t)(end - at), ip + (six ? 8 : 12), six ? 32 : 8);
		sum = add_up(sum, tcp, end - at);
		while (sum >> 16)
			sum = (sum & 0xffff) + (sum >> 16);
		seen->summed++;
		seen->wrong += sum != 0xffff;
	}
	ack = get32(tcp + 8);
	step = seen->any && !(tcp[13] & FIN) ? (int32_t)(ack - seen->last) : 0;
	seen->back += step < 0;
	seen->most = step > seen->most ? step : seen->most;
	seen->last = ack;
	seen->any = true;
}

static int watch(const char *device, const char *port)
{
	struct sockaddr_ll here = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
				    .sll_ifindex = (int)if_nametoindex(device) };
	int s = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), one = 1, room = 16 << 20;
	static uint8_t data[1 << 16];
	struct seen seen = { 0 };

	if (s < 0 || bind(s, (struct sockaddr *)&here, sizeof(here)) ||
	    setsockopt(s, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)) ||
	    setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		die(device);
	puts("watching");
	fflush(stdout);
	while (!stopped) {
		union { struct cmsghdr h; char space[CMSG_SPACE(sizeof(struct tpacket_auxdata))]; } control;
		struct iovec io = { data, sizeof(data) };
		struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = &control,
				    .msg_controllen = sizeof(control) };
		ssize_t n = recvmsg(s, &m, 0);
		bool whole = true;

		for (struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
			if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA)
				whole = !(((struct tpacket_auxdata *)CMSG_DATA(c))->tp_status & TP_STATUS_CSUMNOTREADY);
		if (n > ETH_HLEN)
			look(&seen, data + ETH_HLEN, (size_t)n - ETH_HLEN, (uint16_t)atoi(port), whole);
	}
	printf("packets %ld summed %ld wrong %ld back %ld most %ld\n", seen.packets, seen.summed, seen.wrong,
	       seen.back, seen.most);
	return 0;
}

static int nosum(const char *device)
{
	struct ethtool_value off = { .cmd = ETHTOOL_STXCSUM };
	struct ifreq r = { .ifr_data = (void *)&off };
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	strncpy(r.ifr_name, device, IFNAMSIZ - 1);
	if (s < 0 || ioctl(s, SIOCETHTOOL, &r))
		die(device);
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction end = { .sa_handler = stop };

	sigaction(SIGTERM, &end, NULL);
	if (argc > 3 && !strcmp(argv[1], "exchange"))
		return exchange(argv[2], argv[3], argv + 4);
	if (argc == 4 && !strcmp(argv[1], "watch"))
		return watch(argv[2], argv[3]);
	if (argc == 3 && !strcmp(argv[1], "nosum"))
		return nosum(argv[2]);
	fputs("usage: acks exchange listen|ADDRESS PORT out=N in=N [pause=MS] | watch DEVICE PORT | nosum DEVICE\n", stderr);
	return 2;
}
