/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Packets of TCP as bytes, and checksums as RFC 791, 793 and 8200 define them, added up
 * anew: nothing here is from tcpedit.h. For its test and for the fuzzer.
 */
#ifndef AIRTAB_TEST_EDIT_H
#define AIRTAB_TEST_EDIT_H

#include "airtab/tcpedit.h"
#include "harness.h"

#define PACKET_MOST 256u

struct packet {
	u8 b[PACKET_MOST];
	u32 ip_bytes, tcp_bytes, payload;	/* of headers */
	bool offloaded;
};

static inline u32 packet_bytes(const struct packet *p)
{
	return p->ip_bytes + p->tcp_bytes + p->payload;
}

/* Of bytes in a row, added to a sum so far; not folded. */
static inline u64 add_up(u64 sum, const u8 *b, u32 n)
{
	for (u32 i = 0; i < n; i++)
		sum += i % 2 ? b[i] : (u32)b[i] << 8;
	return sum;
}

static inline u16 folded(u64 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (u16)sum;
}

static inline u64 pseudo_header(const struct packet *p)
{
	bool v6 = p->b[0] >> 4 == 6;

	return add_up(6 + p->tcp_bytes + p->payload, p->b + (v6 ? 8 : 12), v6 ? 32 : 8);
}

/* 0xffff where the checksum is right. */
static inline u16 tcp_total(const struct packet *p)
{
	return folded(add_up(pseudo_header(p), p->b + p->ip_bytes, p->tcp_bytes + p->payload));
}

static inline bool tcp_right(const struct packet *p)
{
	const u8 *field = p->b + p->ip_bytes + 16;
	u16 sum = (u16)(field[0] << 8 | field[1]);

	if (!p->offloaded)
		return tcp_total(p) == 0xffff;
	/* 0 and 0xffff are the same number */
	return sum % 0xffff == folded(pseudo_header(p)) % 0xffff;
}

static inline bool ip_right(const struct packet *p)
{
	u32 bytes = (u32)p->b[2] << 8 | p->b[3];

	if (p->b[0] >> 4 == 6)
		return ((u32)p->b[4] << 8 | p->b[5]) + 40 == packet_bytes(p);
	return bytes == packet_bytes(p) && folded(add_up(0, p->b, p->ip_bytes)) == 0xffff;
}

static inline void put_sum(u8 *field, u16 sum)
{
	field[0] = (u8)(sum >> 8);
	field[1] = (u8)sum;
}

/* Lengths and checksums as they have to be. */
static inline void seal(struct packet *p)
{
	u8 *field = p->b + p->ip_bytes + 16;

	if (p->b[0] >> 4 == 6) {
		put_sum(p->b + 4, (u16)(packet_bytes(p) - 40));
	} else {
		put_sum(p->b + 2, (u16)packet_bytes(p));
		put_sum(p->b + 10, 0);
		put_sum(p->b + 10, folded(add_up(0, p->b, p->ip_bytes)) ^ 0xffff);
	}
	put_sum(field, 0);
	put_sum(field, p->offloaded ? folded(pseudo_header(p)) : tcp_total(p) ^ 0xffff);
}

static inline struct at_segment segment_of(struct packet *p)
{
	u8 *tcp = p->b + p->ip_bytes;

	return (struct at_segment){ .ip = p->b, .tcp = tcp, .room = PACKET_MOST - p->ip_bytes, .payload = p->payload,
				    .sum = at_sum(tcp + p->tcp_bytes, p->payload), .offloaded = p->offloaded };
}

/* Of these bytes, with lengths and checksums that agree. */
static inline struct packet any_packet(const u8 *data, size_t n)
{
	u8 how = n ? data[0] : 0;
	struct packet p = { 0 };

	for (u32 i = 0; i < PACKET_MOST; i++)
		p.b[i] = i + 3 < n ? data[i + 3] : 0;
	p.ip_bytes = how & 1 ? 40 : 20;
	p.b[0] = how & 1 ? 0x60 : 0x45;
	p.offloaded = how & 2;
	p.tcp_bytes = 20 + 4 * (n > 1 ? data[1] % 11 : 0);
	p.b[p.ip_bytes + 12] = (u8)(p.tcp_bytes / 4 << 4);
	if (how & 4)
		p.b[p.ip_bytes + 13] = 16 | (p.b[p.ip_bytes + 13] & 0xc8);
	p.payload = n > 2 ? data[2] % (PACKET_MOST - p.ip_bytes - p.tcp_bytes) : 0;
	seal(&p);
	return p;
}

/* Whatever bytes: an edit that is made leaves right checksums, one that is not nothing. */
static inline void edit(const u8 *data, size_t n)
{
	struct packet p = any_packet(data, n), q = any_packet(data + n / 2, n - n / 2), before = p;
	struct at_segment s = segment_of(&p), t = segment_of(&q);
	u32 bytes;

	if (n && data[0] & 8) {		/* of the same connection */
		memcpy(q.b, p.b, PACKET_MOST);
		q.ip_bytes = p.ip_bytes;
		q.tcp_bytes = p.tcp_bytes;
		q.payload = 0;
		memset(q.b + q.ip_bytes + 8, data[n / 2], 4);
		seal(&q);
		t = segment_of(&q);
	}
	if (!at_edit_merge(&s, &t))
		CHECK(!memcmp(&p, &before, sizeof(p)));
	CHECK(tcp_right(&p) && ip_right(&p));
	before = p;
	s = segment_of(&p);
	bytes = at_edit_ack(&s, (u32)(n * 2654435761u));
	if (bytes) {
		CHECK_EQ(bytes, p.ip_bytes + p.tcp_bytes);
		p.payload = 0;
	} else {
		CHECK(!memcmp(&p, &before, sizeof(p)));
	}
	CHECK(tcp_right(&p) && ip_right(&p));
}

#endif
