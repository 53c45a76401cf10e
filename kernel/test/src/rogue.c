/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * rogue DEV MAC WHAT rate=KBPS ms=N [size=1400] [each=1] [from=ADDRESS] [to=ADDRESS]:
 * a hostile host. Sends Ethernet frames of `size` bytes to MAC, so many kilobits
 * of frames a second, for so long, and prints "offered N". WHAT:
 *
 *   arp		requests for an address that nobody has, padded
 *   eapol	EAPOL frames (IEEE 802.1X) of a type that nobody knows
 *   udp		IPv4 from and to these addresses, ports at random: `each` packets a flow
 *   spoofed	the same from any address of 198.18.0.0/15 (RFC 2544)
 *
 * No queue on the way holds it up. Evenly spaced, but for a burst that makes up for being late. What is random is
 * the same each time.
 *
 * What this is not: no answers are read; whoever wants a flow uses `traffic`.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/if_ether.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST 1514

static unsigned char frame[MOST];
static struct ether_header *const eth = (void *)frame;

static int die(const char *what)
{
	perror(what);
	exit(1);
}

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

static in_addr_t address(char **args, const char *name)
{
	const char *t = text(args, name, "10.0.0.254");
	struct in_addr a;

	if (inet_pton(AF_INET, t, &a) != 1) {
		fprintf(stderr, "rogue: %s=%s is no IPv4 address\n", name, t);
		exit(2);
	}
	return a.s_addr;
}

static uint32_t draw(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state >> 32;
}

static void arp(in_addr_t from, in_addr_t to)
{
	struct ether_arp *a = (void *)(eth + 1);

	eth->ether_type = htons(ETHERTYPE_ARP);
	a->arp_hrd = htons(ARPHRD_ETHER);
	a->arp_pro = htons(ETHERTYPE_IP);
	a->arp_hln = ETH_ALEN;
	a->arp_pln = sizeof(in_addr_t);
	a->arp_op = htons(ARPOP_REQUEST);
	memcpy(a->arp_sha, eth->ether_shost, ETH_ALEN);
	memcpy(a->arp_spa, &from, sizeof(from));
	memcpy(a->arp_tpa, &to, sizeof(to));
}

static void eapol(size_t size)
{
	unsigned char *body = (void *)(eth + 1);
	uint16_t length = htons(size - sizeof(*eth) - 4);

	eth->ether_type = htons(0x888e);
	body[0] = 2;		/* version */
	body[1] = 0xff;		/* type */
	memcpy(body + 2, &length, sizeof(length));
}

static void udp(size_t size, in_addr_t from, in_addr_t to)
{
	struct iphdr *ip = (void *)(eth + 1);
	struct udphdr *u = (void *)(ip + 1);

	eth->ether_type = htons(ETHERTYPE_IP);
	*ip = (struct iphdr){
		.version = 4, .ihl = 5, .tot_len = htons(size - sizeof(*eth)), .ttl = 64,
		.protocol = IPPROTO_UDP, .saddr = from, .daddr = to,
	};
	u->len = htons(size - sizeof(*eth) - sizeof(*ip));
}

/* Another flow, maybe of another source. */
static void renew(int spoofed)
{
	struct iphdr *ip = (void *)(eth + 1);
	struct udphdr *u = (void *)(ip + 1);
	uint32_t ports = draw(), sum = 0;
	uint16_t word;

	memcpy(&u->source, &ports, sizeof(ports));
	if (spoofed)
		ip->saddr = htonl(0xc6120000 | (draw() & 0x1ffff));
	ip->check = 0;
	for (size_t i = 0; i < sizeof(*ip); i += sizeof(word)) {
		memcpy(&word, (char *)ip + i, sizeof(word));
		sum += word;
	}
	sum = (sum & 0xffff) + (sum >> 16);
	ip->check = ~(sum + (sum >> 16));
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static long run(int s, const struct sockaddr_ll *to, size_t size, long kbps, long ms, int flows, long each)
{
	int64_t begin = now_ns(), every = (int64_t)size * 8000000 / kbps, due = begin;
	long sent = 0;

	for (; due < begin + ms * 1000000; due += every, sent++) {
		struct timespec t = { due / 1000000000, due % 1000000000 };

		if (now_ns() < due)
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		if (flows && sent % each == 0)
			renew(flows > 1);
		if (sendto(s, frame, size, 0, (const struct sockaddr *)to, sizeof(*to)) < 0)
			die("rogue: send");
	}
	return sent;
}

int main(int argc, char **argv)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = ETH_ALEN };
	struct ifreq device = { 0 };
	unsigned char *mac = eth->ether_dhost;
	int s = socket(AF_PACKET, SOCK_RAW, 0), flows = 0, big = 64 << 20;
	const char *what = argc > 3 ? argv[3] : "";
	char **args = argv + (argc > 3 ? 4 : argc);
	long size = number(args, "size", 1400);
	long rate = number(args, "rate", 0), ms = number(args, "ms", 0), each = number(args, "each", 1);

	if (argc < 4 || rate <= 0 || ms <= 0 || each <= 0 || size < 60 || size > MOST ||
	    sscanf(argv[2], "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", mac, mac + 1, mac + 2, mac + 3,
		   mac + 4, mac + 5) != 6) {
		fprintf(stderr, "usage: rogue DEV MAC arp|eapol|udp|spoofed rate=KBPS ms=N [size=60..%d]\n"
				"             [each=1] [from=ADDRESS] [to=ADDRESS]\n", MOST);
		return 2;
	}
	strncpy(device.ifr_name, argv[1], IFNAMSIZ - 1);
	if (s < 0 || ioctl(s, SIOCGIFHWADDR, &device) ||
	    setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &big, sizeof(big)))
		return die(argv[1]);
	memcpy(eth->ether_shost, device.ifr_hwaddr.sa_data, ETH_ALEN);
	memcpy(to.sll_addr, eth->ether_dhost, ETH_ALEN);
	to.sll_ifindex = if_nametoindex(argv[1]);
	if (!strcmp(what, "arp")) {
		arp(address(args, "from"), address(args, "to"));
	} else if (!strcmp(what, "eapol")) {
		eapol(size);
	} else if (!strcmp(what, "udp") || !strcmp(what, "spoofed")) {
		udp(size, address(args, "from"), address(args, "to"));
		flows = *what == 's' ? 2 : 1;
	} else {
		fprintf(stderr, "rogue: %s is none of arp, eapol, udp, spoofed\n", what);
		return 2;
	}
	to.sll_protocol = eth->ether_type;
	printf("offered %ld\n", run(s, &to, size, rate, ms, flows, each));
	return 0;
}
