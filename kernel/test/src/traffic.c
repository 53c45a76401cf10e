/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * traffic: the applications of the tests, in one static program.
 *
 *   traffic flood ADDRESS PORT [flows=1] [count=1000] [size=100] [tos=0] [ms=0] [wait=0]
 *	UDP packets of `size` bytes (IP length) as fast as they go, from `flows`
 *	sockets in turn; count=0: for `ms` milliseconds, or until SIGTERM. Prints "offered N".
 *	ADDRESS may be several, with commas between: the sockets' in turn.
 *   traffic sink PORT
 *	receives UDP until SIGTERM; prints "received N".
 *   traffic game ADDRESS PORT count=N [size=100] [every=40] [tos=0]
 *	one packet each `every` milliseconds, with the time it was sent.
 *   traffic player PORT count=N
 *	receives a game until a second of silence; prints how late its packets
 *	were: "received N p50 US p95 US p99 US max US mean US min US", one way.
 *   traffic upload ADDRESS PORT ms=N [cc=cubic]
 *	one TCP connection that sends for so long.
 *   traffic download PORT [from=0] [ms=0]
 *	accepts one connection; prints "goodput KBPS", over the time from its
 *	first to its last byte, in kb/s. With `ms`: over so long, beginning `from`
 *	milliseconds after its own start, whatever comes or does not; then ends.
 *   traffic echo PORT
 *	answers UDP, until SIGTERM.
 *   traffic probe ADDRESS PORT count=N [every=400] [size=100]
 *	asks `echo` each `every` milliseconds, each time from another port, and
 *	waits 2 s for the last answer; prints "answered N p50 US p95 US max US", of
 *	the time to the answer, where there was one.
 *
 * ADDRESS is IPv4 or IPv6. What this is not: no rates, no statistics of TCP.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_FLOWS 4096
#define MAX_SIZE 65536

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

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void sleep_until(int64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* The value of "name=value" among the arguments. */
static const char *text(char **args, const char *name, const char *otherwise)
{
	size_t len = strlen(name);

	for (; *args; args++)
		if (!strncmp(*args, name, len) && (*args)[len] == '=')
			return *args + len + 1;
	return otherwise;
}

static long number(char **args, const char *name, long otherwise)
{
	const char *t = text(args, name, NULL);

	return t ? atol(t) : otherwise;
}

static int dial(const char *host, const char *port, int type)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(atoi(port)) };
	bool is_v4 = inet_pton(AF_INET, host, &v4.sin_addr) == 1;
	int s;

	if (!is_v4 && inet_pton(AF_INET6, host, &v6.sin6_addr) != 1) {
		fprintf(stderr, "traffic: %s is neither an IPv4 nor an IPv6 address\n", host);
		exit(2);
	}
	s = socket(is_v4 ? AF_INET : AF_INET6, type, 0);
	if (s < 0)
		die("socket");
	if (connect(s, is_v4 ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6,
		    is_v4 ? sizeof(v4) : sizeof(v6)))
		die("connect");
	return s;
}

/* For both IPv4 and IPv6. */
static int listen_on(const char *port, int type)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_port = htons(atoi(port)) };
	int s = socket(AF_INET6, type, 0), size = 8 << 20, one = 1;

	if (s < 0)
		die("socket");
	if (type == SOCK_STREAM)	/* a connection of before may not be over */
		setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (bind(s, (struct sockaddr *)&at, sizeof(at)))
		die("bind");
	return s;
}

/* What UDP carries in a packet of that IP length. */
static size_t payload(const char *host, long size)
{
	long n = size - 8 - (strchr(host, ':') ? 40 : 20);

	if (n < 8 || n > MAX_SIZE) {
		fprintf(stderr, "traffic: size %ld is too small or too large\n", size);
		exit(2);
	}
	return n;
}

static int flood(const char *host, const char *port, char **args)
{
	static int socks[MAX_FLOWS];
	static char data[MAX_SIZE];
	long flows = number(args, "flows", 1), count = number(args, "count", 1000), sent = 0;
	int64_t end = now_ns() + number(args, "ms", 0) * 1000000;
	int tos = number(args, "tos", 0), big = 64 << 20, how = number(args, "wait", 0) ? 0 : MSG_DONTWAIT;
	size_t len = payload(host, number(args, "size", 100));
	const char *at = host;

	if (flows < 1 || flows > MAX_FLOWS) {
		fprintf(stderr, "traffic: 1 to %d flows\n", MAX_FLOWS);
		return 2;
	}
	for (long i = 0; i < flows; i++) {
		char one[INET6_ADDRSTRLEN];
		const char *next = i && *at ? at + 1 : host;

		at = strchrnul(next, ',');
		snprintf(one, sizeof(one), "%.*s", (int)(at - next), next);
		socks[i] = dial(one, port, SOCK_DGRAM);
		setsockopt(socks[i], IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
		setsockopt(socks[i], IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
		if (how)
			setsockopt(socks[i], SOL_SOCKET, SO_SNDBUFFORCE, &big, sizeof(big));
	}
	while (!stopped && (count ? sent < count : now_ns() < end)) {
		/* an error is a packet that the queue refused: offered too */
		(void)!send(socks[sent % flows], data, len, how);
		sent++;
	}
	printf("offered %ld\n", sent);
	return 0;
}

static int sink(const char *port)
{
	static char data[MAX_SIZE];
	struct timeval look = { 0, 100000 };	/* for SIGTERM */
	int s = listen_on(port, SOCK_DGRAM);
	long n = 0;

	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look));
	while (!stopped)
		n += recv(s, data, sizeof(data), 0) >= 0;
	while (recv(s, data, sizeof(data), MSG_DONTWAIT) >= 0)
		n++;
	printf("received %ld\n", n);
	return 0;
}

static int game(const char *host, const char *port, char **args)
{
	static char data[MAX_SIZE];
	size_t len = payload(host, number(args, "size", 100));
	int64_t every = number(args, "every", 40) * 1000000, next = now_ns();
	int s = dial(host, port, SOCK_DGRAM), tos = number(args, "tos", 0);

	setsockopt(s, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
	for (long n = number(args, "count", 100); n && !stopped; n--) {
		int64_t t = now_ns();

		memcpy(data, &t, sizeof(t));
		(void)!send(s, data, len, MSG_DONTWAIT);
		sleep_until(next += every);
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int player(const char *port, char **args)
{
	long count = number(args, "count", 100), n = 0;
	int64_t *late = calloc(count, sizeof(*late)), sent, sum = 0;
	struct timeval patience = { 10, 0 };
	int s = listen_on(port, SOCK_DGRAM);
	static char data[MAX_SIZE];

	do {
		setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		if (recv(s, data, sizeof(data), 0) < 8)
			break;
		memcpy(&sent, data, sizeof(sent));
		late[n] = (now_ns() - sent) / 1000;
		sum += late[n++];
		patience.tv_sec = 2;
	} while (n < count);
	qsort(late, n, sizeof(*late), by_value);
	if (!n)
		return 1;
	printf("received %ld p50 %lld p95 %lld p99 %lld max %lld mean %lld min %lld\n", n, (long long)late[n / 2],
	       (long long)late[n * 95 / 100], (long long)late[n * 99 / 100],
	       (long long)late[n - 1], (long long)(sum / n), (long long)late[0]);
	return 0;
}

static int upload(const char *host, const char *port, char **args)
{
	const char *cc = text(args, "cc", "cubic");
	int64_t end = now_ns() + number(args, "ms", 1000) * 1000000;
	int s = dial(host, port, SOCK_STREAM);
	static char data[MAX_SIZE];

	if (setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, cc, strlen(cc)))
		die(cc);
	while (now_ns() < end)
		if (send(s, data, sizeof(data), MSG_NOSIGNAL) < 0)
			die("send");
	return 0;
}

/* Whether s has something to read before that time. */
static bool ready(int s, int64_t until)
{
	struct pollfd p = { .fd = s, .events = POLLIN };
	int64_t left = until - now_ns();
	struct timespec t = { left / 1000000000, left % 1000000000 };

	return left > 0 && ppoll(&p, 1, &t, NULL) > 0;
}

/* Bytes of a connection from one time to another. */
static int64_t count(int s, int64_t from, int64_t until)
{
	static char data[MAX_SIZE];
	int64_t bytes = 0;
	ssize_t n;
	int c;

	if (!ready(s, until))
		return 0;
	c = accept(s, NULL, NULL);
	if (c < 0)
		die("accept");
	while (ready(c, until) && (n = recv(c, data, sizeof(data), 0)) > 0)
		if (now_ns() >= from)
			bytes += n;
	return bytes;
}

static int download(const char *port, char **args)
{
	int64_t from = now_ns() + number(args, "from", 0) * 1000000, ms = number(args, "ms", 0);
	int s = listen_on(port, SOCK_STREAM), c;
	static char data[MAX_SIZE];
	int64_t first = 0, last = 0, bytes = 0;
	ssize_t n;

	listen(s, 1);
	if (ms) {
		printf("goodput %lld\n", (long long)(count(s, from, from + ms * 1000000) * 8 / ms));
		return 0;
	}
	c = accept(s, NULL, NULL);
	if (c < 0)
		die("accept");
	while ((n = recv(c, data, sizeof(data), 0)) > 0) {
		last = now_ns();
		if (!first)
			first = last;
		else
			bytes += n;
	}
	printf("goodput %lld\n", (long long)(last > first ? bytes * 8000000 / (last - first) : 0));
	return 0;
}

static int echo(const char *port)
{
	static char data[MAX_SIZE];
	struct timeval look = { 0, 100000 };	/* for SIGTERM */
	int s = listen_on(port, SOCK_DGRAM);

	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look));
	while (!stopped) {
		struct sockaddr_in6 from;
		socklen_t size = sizeof(from);
		ssize_t n = recvfrom(s, data, sizeof(data), 0, (struct sockaddr *)&from, &size);

		if (n >= 0)
			(void)!sendto(s, data, n, 0, (struct sockaddr *)&from, size);
	}
	return 0;
}

static int probe(const char *host, const char *port, char **args)
{
	static struct pollfd asked[MAX_FLOWS];
	static int64_t at[MAX_FLOWS], late[MAX_FLOWS];
	static char data[MAX_SIZE];
	long count = number(args, "count", 25), n = 0, answered = 0;
	int64_t every = number(args, "every", 400) * 1000000, next = now_ns();
	size_t len = payload(host, number(args, "size", 100));

	if (count < 1 || count > MAX_FLOWS) {
		fprintf(stderr, "traffic: 1 to %d probes\n", MAX_FLOWS);
		return 2;
	}
	for (;;) {
		int64_t left = next - now_ns();
		struct timespec t = { left / 1000000000, left % 1000000000 };

		if (left <= 0 && n == count)
			break;
		if (left <= 0) {
			at[n] = now_ns();
			asked[n] = (struct pollfd){ .fd = dial(host, port, SOCK_DGRAM), .events = POLLIN };
			(void)!send(asked[n++].fd, data, len, MSG_DONTWAIT);
			next += n < count ? every : 2000000000;
			continue;
		}
		if (ppoll(asked, n, &t, NULL) <= 0)
			continue;
		for (long i = 0; i < n; i++) {
			if (!asked[i].revents)
				continue;
			if (recv(asked[i].fd, data, sizeof(data), MSG_DONTWAIT) >= 0)
				late[answered++] = (now_ns() - at[i]) / 1000;
			asked[i].fd = ~asked[i].fd;	/* poll passes over it */
		}
		if (answered == count)
			break;
	}
	qsort(late, answered, sizeof(*late), by_value);
	printf("answered %ld p50 %lld p95 %lld max %lld\n", answered,
	       (long long)(answered ? late[answered / 2] : 0),
	       (long long)(answered ? late[answered * 95 / 100] : 0),
	       (long long)(answered ? late[answered - 1] : 0));
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction on_term = { .sa_handler = stop };
	const char *what = argc > 2 ? argv[1] : "";

	sigaction(SIGTERM, &on_term, NULL);
	if (!strcmp(what, "sink"))
		return sink(argv[2]);
	if (!strcmp(what, "player"))
		return player(argv[2], argv + 3);
	if (!strcmp(what, "download"))
		return download(argv[2], argv + 3);
	if (!strcmp(what, "echo"))
		return echo(argv[2]);
	if (argc > 3 && !strcmp(what, "flood"))
		return flood(argv[2], argv[3], argv + 4);
	if (argc > 3 && !strcmp(what, "probe"))
		return probe(argv[2], argv[3], argv + 4);
	if (argc > 3 && !strcmp(what, "game"))
		return game(argv[2], argv[3], argv + 4);
	if (argc > 3 && !strcmp(what, "upload"))
		return upload(argv[2], argv[3], argv + 4);
	fprintf(stderr, "usage: traffic flood|game|probe|upload ADDRESS PORT [NAME=VALUE...]\n"
			"       traffic sink|echo|player|download PORT [NAME=VALUE...]\n");
	return 2;
}
