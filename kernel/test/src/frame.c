/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * frame DEV HEX [PRIORITY [COUNT]]: sends an Ethernet frame, as it is. Blanks in HEX
 * are skipped; PRIORITY is that of the socket; with COUNT so many, the last two bytes
 * of the destination one higher each time.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned char frame[2048];
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = 6 };
	unsigned int byte;
	size_t n = 0;
	int fd, used, priority = argc > 3 ? atoi(argv[3]) : 0, count = argc > 4 ? atoi(argv[4]) : 1;

	if (argc < 3)
		return fprintf(stderr, "usage: frame DEV HEX [PRIORITY [COUNT]]\n"), 2;
	for (char *hex = argv[2]; n < sizeof(frame) && sscanf(hex, " %2x%n", &byte, &used) == 1; hex += used)
		frame[n++] = (unsigned char)byte;
	if (n < 14)
		return fprintf(stderr, "frame: %zu bytes are no frame\n", n), 2;
	to.sll_ifindex = (int)if_nametoindex(argv[1]);
	memcpy(&to.sll_protocol, frame + 12, 2);
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)))
		return perror("frame"), 1;
	for (; count > 0; count--) {
		if (sendto(fd, frame, n, 0, (struct sockaddr *)&to, sizeof(to)) != (ssize_t)n)
			return perror("frame"), 1;
		if (!++frame[5])
			frame[4]++;
	}
	return close(fd);
}
