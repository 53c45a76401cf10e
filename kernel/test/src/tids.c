/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * tids DEV: counts the QoS data frames that access points send, as a monitor interface captures them, until SIGTERM.
 * Prints "PORT TID COUNT" for each UDP destination port and TID, in order. Prints "PORT overtaken COUNT" if a packet's
 * first 8 bytes (the time it was sent) are less than those of the packet before. IPv4, unencrypted; repeated frames
 * count once.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define QOS_HEADER 26
#define LLC 8

static volatile sig_atomic_t stopped;
static long count[65536][16], overtaken[65536];
static uint64_t latest[65536];

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

/* QoS data, from the access point to a station, sent for the first time. */
static int is_downlink(const uint8_t *frame)
{
	return (frame[0] & 0xfc) == 0x88 && (frame[1] & 0x0b) == 0x02;
}

static void look(const uint8_t *data, size_t n)
{
	size_t radiotap = n > 3 ? data[2] | (size_t)data[3] << 8 : n, header;
	const uint8_t *frame = data + radiotap, *ip = frame + QOS_HEADER + LLC;
	uint16_t port;
	uint64_t sent;

	if (n < radiotap + QOS_HEADER + LLC + 20 || !is_downlink(frame) || ip[-2] != 0x08 || ip[-1] || ip[9] != IPPROTO_UDP)
		return;
	header = (ip[0] & 15u) * 4;
	if (n < (size_t)(ip - data) + header + 16)
		return;
	memcpy(&port, ip + header + 2, sizeof(port));
	memcpy(&sent, ip + header + 8, sizeof(sent));
	port = ntohs(port);
	count[port][frame[24] & 15]++;
	if (sent < latest[port])
		overtaken[port]++;
	else
		latest[port] = sent;
}

int main(int argc, char **argv)
{
	static uint8_t data[65536];
	struct timeval patience = { 0, 100000 };	/* for SIGTERM */
	struct sockaddr_ll from = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));

	if (argc != 2)
		return fprintf(stderr, "usage: tids DEV\n"), 2;
	from.sll_ifindex = (int)if_nametoindex(argv[1]);
	if (fd < 0 || !from.sll_ifindex || bind(fd, (struct sockaddr *)&from, sizeof(from)))
		return perror(argv[1]), 1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	signal(SIGTERM, stop);
	while (!stopped) {
		ssize_t n = recv(fd, data, sizeof(data), 0);

		if (n > 0)
			look(data, (size_t)n);
	}
	for (int port = 0; port < 65536; port++) {
		for (int tid = 0; tid < 16; tid++)
			if (count[port][tid])
				printf("%d %d %ld\n", port, tid, count[port][tid]);
		if (overtaken[port])
			printf("%d overtaken %ld\n", port, overtaken[port]);
	}
	return 0;
}
