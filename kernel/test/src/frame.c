/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * frame DEV HEX [PRIORITY [COUNT US]]: sends one Ethernet frame, as it is, or COUNT
 * of them, one each US microseconds. Blanks in HEX are skipped; PRIORITY is that
 * of the socket.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned char frame[2048];
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = 6 };
	unsigned int byte;
	size_t n = 0;
	int fd, used, priority = argc > 3 ? atoi(argv[3]) : 0;
	long count = argc > 5 ? atol(argv[4]) : 1, us = argc > 5 ? atol(argv[5]) : 0;
	struct timespec next;

	if (argc < 3)
		return fprintf(stderr, "usage: frame DEV HEX [PRIORITY [COUNT US]]\n"), 2;
	for (char *hex = argv[2]; n < sizeof(frame) && sscanf(hex, " %2x%n", &byte, &used) == 1; hex += used)
		frame[n++] = (unsigned char)byte;
	if (n < 14)
		return fprintf(stderr, "frame: %zu bytes are no frame\n", n), 2;
	to.sll_ifindex = (int)if_nametoindex(argv[1]);
	memcpy(&to.sll_protocol, frame + 12, 2);
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)))
		return perror("frame"), 1;
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (count--) {
		if (sendto(fd, frame, n, 0, (struct sockaddr *)&to, sizeof(to)) != (ssize_t)n)
			return perror("frame"), 1;
		next.tv_nsec += us * 1000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		if (count)
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	return close(fd);
}
