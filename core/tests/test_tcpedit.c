/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * tcpedit.h: what edits of a TCP packet leave in its bytes, IPv4 and IPv6, with checksums
 * that are added up anew; what they do not touch.
 */
#include "edit.h"

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16, URG = 32, ECE = 64, CWR = 128 };

#define SACK_AND_STAMPS "\1\1\10\12\1\2\3\4\5\6\7\10\1\5\12\21\22\23\24\25\26\27\30\1"
#define STAMPS "\1\1\10\12\11\11\11\11\10\10\10\10"

static u32 get32(const u8 *b)
{
	return (u32)b[0] << 24 | (u32)b[1] << 16 | (u32)b[2] << 8 | b[3];
}

static u8 *tcp_of(struct packet *p)
{
	return p->b + p->ip_bytes;
}

static void set32(u8 *b, u32 v)
{
	put_sum(b, (u16)(v >> 16));
	put_sum(b + 2, (u16)v);
}

/* A packet of sequence number 7000 with these options, a multiple of 4 bytes. */
static struct packet packet(bool v6, const char *options, u32 option_bytes, u32 payload, u32 ack, u8 flags)
{
	struct packet p = { .ip_bytes = v6 ? 40 : 20, .tcp_bytes = 20 + option_bytes, .payload = payload };
	u8 *tcp = tcp_of(&p);

	p.b[0] = v6 ? 0x60 : 0x45;
	p.b[1] = v6 ? 0x20 : 2;		/* ECT(0) */
	for (u32 i = 8; i < p.ip_bytes; i++)
		p.b[i] = (u8)(i * 37);
	if (!v6)
		p.b[9] = 6;
	put_sum(tcp, 443);
	put_sum(tcp + 2, 50000);
	set32(tcp + 4, 7000);
	set32(tcp + 8, ack);
	tcp[12] = (u8)(p.tcp_bytes / 4 << 4);
	tcp[13] = flags;
	put_sum(tcp + 14, 1234);
	memcpy(tcp + 20, options, option_bytes);
	for (u32 i = 0; i < payload; i++)
		tcp[p.tcp_bytes + i] = (u8)(i * 91 + 5);
	seal(&p);
	return p;
}

/* Its headers after the edit, which makes it a pure acknowledgement of 123456789. */
static struct packet made_of(struct packet p)
{
	struct at_segment s = segment_of(&p);

	CHECK_EQ(at_edit_ack(&s, 123456789), p.ip_bytes + p.tcp_bytes);
	p.payload = 0;
	CHECK(tcp_right(&p) && ip_right(&p));
	CHECK_EQ(get32(tcp_of(&p) + 8), 123456789);
	CHECK_EQ(get32(tcp_of(&p) + 4), 7000);
	CHECK_EQ(get32(tcp_of(&p)), 443u << 16 | 50000);
	return p;
}

/* Of a pure one and of data of an odd length; marks and pushes are the data's alone. */
static void test_made(void)
{
	for (u32 payload = 0; payload < 120; payload += 39)
		for (u32 way = 0; way < 4; way++) {
			struct packet p = packet(way & 1, STAMPS, 12, payload, 200000000, ACK | PSH | ECE | CWR);

			p.offloaded = way & 2;
			seal(&p);
			p = made_of(p);
			CHECK_EQ(tcp_of(&p)[13], ACK | ECE);
			CHECK_EQ(p.b[1] & (p.ip_bytes == 40 ? 0x30 : 3), 0);
			CHECK(!memcmp(tcp_of(&p) + 20, STAMPS, 12));
			CHECK_EQ(get32(tcp_of(&p) + 12) >> 28, 8);
		}
}

/* SACK blocks stay with the last: padding takes their place, at an odd one too. */
static void test_sack(void)
{
	struct packet p = made_of(packet(false, SACK_AND_STAMPS, 24, 0, 200000000, ACK));

	CHECK(!memcmp(tcp_of(&p) + 20, "\1\1\10\12\1\2\3\4\5\6\7\10\1\1\1\1\1\1\1\1\1\1\1\1", 24));
}

/* Its receiver finds what was damaged before. */
static void test_damaged(void)
{
	for (u32 at = 20; at < 130; at += 13) {
		struct packet p = packet(false, STAMPS, 12, 80, 200000000, ACK);
		struct at_segment s;

		p.b[at] ^= 0x40;
		if (at == 32)			/* another header length: no packet of its own kind */
			continue;
		s = segment_of(&p);
		if (!at_edit_ack(&s, 5))
			continue;
		p.payload = 0;
		CHECK(!tcp_right(&p));
	}
}

static void check_refused(struct packet p, u32 room)
{
	struct packet before = p, data = packet(p.b[0] >> 4 == 6, STAMPS, 12, 60, 1, ACK), other = data;
	struct at_segment s = segment_of(&p), d = segment_of(&data);

	s.room = room < s.room ? room : s.room;
	CHECK(!at_edit_ack(&s, 5));
	CHECK(!at_edit_merge(&s, &d));
	CHECK(!at_edit_merge(&d, &s));
	CHECK(!memcmp(&p, &before, sizeof(p)));
	CHECK(!memcmp(&data, &other, sizeof(data)));
}

static void test_refused(void)
{
	static const struct { const char *what; u32 bytes; } options[] = {
		{ "\23\22aaaabbbbccccdddd\1\1", 20 },	/* MD5 signature */
		{ "\35\14aaaabbbbcc", 12 },		/* TCP-AO */
		{ "\36\14aaaabbbbcc", 12 },		/* MPTCP */
		{ "\1\1\10\13aaaabbbb", 12 },		/* time stamps that are too long */
		{ "\1\1\1\10", 4 },			/* cut */
		{ "\10\0\0\0", 4 },			/* without length */
		{ "\10\12aaaabbbb\10\12aaaabbbb", 20 },	/* twice */
	};
	struct packet p;

	for (u32 i = 0; i < sizeof(options) / sizeof(*options); i++)
		check_refused(packet(i & 1, options[i].what, options[i].bytes, 0, 9, ACK), PACKET_MOST);
	check_refused(packet(false, STAMPS, 12, 0, 9, ACK | FIN), PACKET_MOST);
	check_refused(packet(false, STAMPS, 12, 0, 9, ACK | SYN), PACKET_MOST);
	check_refused(packet(true, STAMPS, 12, 0, 9, ACK | RST), PACKET_MOST);
	check_refused(packet(true, STAMPS, 12, 0, 9, ACK | URG), PACKET_MOST);
	check_refused(packet(true, STAMPS, 12, 0, 9, PSH), PACKET_MOST);
	check_refused(packet(true, STAMPS, 12, 0, 9, ACK), 31);
	p = packet(false, "", 0, 0, 9, ACK);
	tcp_of(&p)[12] = 0x40;
	check_refused(p, PACKET_MOST);
	p.b[0] = 0x55;
	check_refused(p, PACKET_MOST);
}

/* Merges a pure acknowledgement of `ack` into data that acknowledges `before`. */
static struct packet merged(bool v6, bool offloaded, u32 before, u32 ack)
{
	struct packet data = packet(v6, STAMPS, 12, 61, before, ACK | PSH), pure = packet(v6, STAMPS, 12, 0, ack, ACK | ECE);
	struct at_segment d, a = segment_of(&pure);

	put_sum(tcp_of(&pure) + 14, 999);
	set32(tcp_of(&pure) + 24, 0x0a0a0a0a);
	data.offloaded = offloaded;
	seal(&data);
	d = segment_of(&data);
	CHECK(at_edit_merge(&d, &a));
	CHECK(tcp_right(&data) && ip_right(&data));
	CHECK_EQ(get32(tcp_of(&data) + 4), 7000);
	return data;
}

/* Number, window, time stamps and congestion's echo are the later ones; across 2^32 too. */
static void test_merge(void)
{
	for (u32 way = 0; way < 4; way++) {
		struct packet p = merged(way & 1, way & 2, 0xffffff00u, 40);

		CHECK_EQ(get32(tcp_of(&p) + 8), 40);
		CHECK_EQ(get32(tcp_of(&p) + 12), (u32)0x80 << 24 | (u32)(ACK | PSH | ECE) << 16 | 999);
		CHECK_EQ(get32(tcp_of(&p) + 24), 0x0a0a0a0a);
		CHECK_EQ(get32(tcp_of(&p) + 28), 0x08080808);
		p = merged(way & 1, way & 2, 40, 0xffffff00u);
		CHECK_EQ(get32(tcp_of(&p) + 8), 40);
		CHECK_EQ(get32(tcp_of(&p) + 12), (u32)0x80 << 24 | (u32)(ACK | PSH) << 16 | 1234);
		CHECK_EQ(get32(tcp_of(&p) + 24), 0x09090909);
	}
}

static void check_apart(struct packet data, struct packet pure)
{
	struct packet before = data;
	struct at_segment d = segment_of(&data), a = segment_of(&pure);

	CHECK(!at_edit_merge(&d, &a));
	CHECK(!memcmp(&data, &before, sizeof(data)));
}

/* Other ends, other options, SACK blocks, data. */
static void test_apart(void)
{
	const struct packet data = packet(false, STAMPS, 12, 61, 1, ACK), pure = packet(false, STAMPS, 12, 0, 2, ACK);
	struct packet p;

	for (u32 at = 12; at < 24; at++) {		/* addresses, ports */
		p = pure;
		p.b[at] ^= 1;
		check_apart(data, p);
	}
	check_apart(data, packet(true, STAMPS, 12, 0, 2, ACK));
	check_apart(packet(true, STAMPS, 12, 61, 1, ACK), pure);
	for (u32 at = 8; at < 44; at++) {
		p = packet(true, STAMPS, 12, 0, 2, ACK);
		p.b[at] ^= 1;
		check_apart(packet(true, STAMPS, 12, 61, 1, ACK), p);
	}
	check_apart(data, packet(false, "", 0, 0, 2, ACK));
	check_apart(packet(false, "", 0, 61, 1, ACK), pure);
	check_apart(data, packet(false, "\10\12aaaabbbb\1\1", 12, 0, 2, ACK));
	check_apart(data, packet(false, SACK_AND_STAMPS, 24, 0, 2, ACK));
	check_apart(packet(false, SACK_AND_STAMPS, 24, 61, 1, ACK), packet(false, SACK_AND_STAMPS, 24, 0, 2, ACK));
	check_apart(data, packet(false, STAMPS, 12, 1, 2, ACK));
}

/* Bytes at random, most of them with flags that can be edited. */
static void test_random(void)
{
	u8 data[2 * PACKET_MOST];
	u64 seed = 1;

	for (u32 n = 0; n < 200000; n++) {
		for (u32 i = 0; i < sizeof(data); i++)
			data[i] = (u8)rnd(&seed);
		if (n % 2)		/* options that can be read: padding */
			memset(data + 23, 1, 100);
		if (n % 4 == 3)		/* sums near 0 and 0xffff */
			memset(data + 3, n % 8 == 3 ? 0 : 0xff, 16);
		edit(data, 1 + (u32)rnd(&seed) % sizeof(data));
	}
}

int main(void)
{
	CASE(test_made());
	CASE(test_sack());
	CASE(test_damaged());
	CASE(test_refused());
	CASE(test_merge());
	CASE(test_apart());
	CASE(test_random());
	return 0;
}
