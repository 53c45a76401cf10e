/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Edits of TCP headers: see tcpedit.h.
 */
#include "airtab/tcpedit.h"

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16, URG = 32, ECE = 64, CWR = 128 };
enum { NUMBER = 8, OFFSET = 12, FLAGS = 13, WINDOW = 14, CHECKSUM = 16, OPTIONS = 20 };	/* places */
enum { END = 0, PADDING = 1, SACK = 5, STAMPS = 8, STAMPS_BYTES = 10 };			/* options */

#define IPV6_BYTES 40u

static u32 get16(const u8 *b)
{
	return (u32)b[0] << 8 | b[1];
}

static u32 get32(const u8 *b)
{
	return get16(b) << 16 | get16(b + 2);
}

static void put16(u8 *b, u32 v)
{
	b[0] = (u8)(v >> 8);
	b[1] = (u8)v;
}

static u32 fold(u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

u16 at_sum(const u8 *bytes, u32 n)
{
	u32 sum = 0;

	for (; n > 1; n -= 2, bytes += 2)
		sum = fold(sum + get16(bytes));
	return (u16)fold(sum + (n ? (u32)bytes[0] << 8 : 0));
}

/* A word that the checksum at `field` is over becomes another one. */
static void adjust(u8 *field, u32 old, u32 new)
{
	put16(field, fold((get16(field) ^ 0xffff) + (old ^ 0xffff) + new) ^ 0xffff);
}

/* ---- TCP ---- */

static u32 header_of(const struct at_segment *s)
{
	return (u32)(s->tcp[OFFSET] >> 4) * 4;
}

/* The word at an even place, in the checksum too. */
static void write16(struct at_segment *s, u32 at, u32 v)
{
	if (!s->offloaded)
		adjust(s->tcp + CHECKSUM, get16(s->tcp + at), v);
	put16(s->tcp + at, v);
}

static void write8(struct at_segment *s, u32 at, u8 v)
{
	const u8 *word = s->tcp + (at & ~1u);

	write16(s, at & ~1u, at & 1 ? (u32)word[0] << 8 | v : (u32)v << 8 | word[1]);
}

static void write_bytes(struct at_segment *s, u32 at, const u8 *from, u32 n)
{
	for (; n; n--)
		write8(s, at++, *from++);
}

static void write32(struct at_segment *s, u32 at, u32 v)
{
	write16(s, at, v >> 16);
	write16(s, at + 2, v & 0xffff);
}

/* Of time stamps and SACK blocks; 0: there are none. */
struct places {
	u32 stamps, sack, sack_bytes;
};

/* Finds them; false: there is more, or it cannot be read. */
static bool find(const struct at_segment *s, struct places *p)
{
	u32 end = header_of(s), len;

	*p = (struct places){ 0 };
	for (u32 at = OPTIONS; at < end && s->tcp[at] != END; at += len) {
		len = 1;
		if (s->tcp[at] == PADDING)
			continue;
		len = at + 1 < end ? s->tcp[at + 1] : 0;
		if (len < 2 || at + len > end)
			return false;
		if (s->tcp[at] == STAMPS && len == STAMPS_BYTES && !p->stamps) {
			p->stamps = at;
		} else if (s->tcp[at] == SACK && !p->sack) {
			p->sack = at;
			p->sack_bytes = len;
		} else {
			return false;
		}
	}
	return true;
}

/* A segment within a connection that acknowledges, and may be written to. */
static bool plain(const struct at_segment *s, struct places *p)
{
	u8 version = s->ip[0] >> 4;

	return (version == 4 || version == 6) && header_of(s) >= OPTIONS && header_of(s) <= s->room &&
	       (s->tcp[FLAGS] & (FIN | SYN | RST | ACK | URG)) == ACK && find(s, p);
}

/* ---- IP ---- */

static bool six(const struct at_segment *s)
{
	return s->ip[0] >> 4 == 6;
}

/* The length of the whole packet, and that nobody marks it: a pure acknowledgement is never
 * marked (RFC 3168 6.1.4). */
static void write_ip(struct at_segment *s, u32 bytes)
{
	u8 *ip = s->ip;

	if (six(s)) {
		put16(ip + 4, bytes - IPV6_BYTES);
		ip[1] &= 0xcf;
		return;
	}
	adjust(ip + 10, get16(ip + 2), bytes);
	put16(ip + 2, bytes);
	adjust(ip + 10, get16(ip), get16(ip) & ~3u);
	ip[1] &= 0xfc;
}

static bool same_bytes(const u8 *a, const u8 *b, u32 n)
{
	for (; n; n--)
		if (*a++ != *b++)
			return false;
	return true;
}

/* Addresses and ports. */
static bool same_way(const struct at_segment *a, const struct at_segment *b)
{
	if (six(a) != six(b) || !same_bytes(a->tcp, b->tcp, 4))
		return false;
	return six(a) ? same_bytes(a->ip + 8, b->ip + 8, 32) : same_bytes(a->ip + 12, b->ip + 12, 8);
}

/* ---- edits ---- */

/* The payload and its length leave the checksum. */
static void forget_payload(struct at_segment *s)
{
	u32 with = header_of(s) + s->payload, without = header_of(s);
	u8 *field = s->tcp + CHECKSUM;

	if (s->offloaded) {	/* the sum itself, not its complement */
		put16(field, fold(get16(field) + (fold(with) ^ 0xffff) + without));
		return;
	}
	adjust(field, fold(with), without);
	adjust(field, s->sum, 0);
}

u32 at_edit_ack(struct at_segment *s, u32 number)
{
	struct places at;
	u32 bytes;

	if (!plain(s, &at))
		return 0;
	bytes = (u32)(s->tcp - s->ip) + header_of(s);
	forget_payload(s);
	write32(s, NUMBER, number);
	write8(s, FLAGS, s->tcp[FLAGS] & (u8)~(PSH | CWR));
	for (u32 i = 0; i < at.sack_bytes; i++)
		write8(s, at.sack + i, PADDING);
	write_ip(s, bytes);
	s->payload = 0;
	return bytes;
}

/* Whether the options are the same, but for what time stamps say. */
static bool same_options(const struct at_segment *a, const struct places *pa, const struct at_segment *b,
			 const struct places *pb)
{
	u32 end = header_of(a), stamps = pa->stamps ? pa->stamps + 2 : end, behind = stamps + 8;

	if (header_of(b) != end || pa->stamps != pb->stamps || pa->sack || pb->sack)
		return false;
	if (!pa->stamps)
		behind = end;
	return same_bytes(a->tcp + OPTIONS, b->tcp + OPTIONS, stamps - OPTIONS) &&
	       same_bytes(a->tcp + behind, b->tcp + behind, end - behind);
}

bool at_edit_merge(struct at_segment *data, const struct at_segment *ack)
{
	struct places d, a;

	if (!plain(data, &d) || !plain(ack, &a) || ack->payload || !same_way(data, ack) ||
	    !same_options(data, &d, ack, &a))
		return false;
	if ((s32)(get32(ack->tcp + NUMBER) - get32(data->tcp + NUMBER)) <= 0)
		return true;
	write_bytes(data, NUMBER, ack->tcp + NUMBER, 4);
	write_bytes(data, WINDOW, ack->tcp + WINDOW, 2);
	write8(data, FLAGS, data->tcp[FLAGS] | (ack->tcp[FLAGS] & ECE));
	if (d.stamps)
		write_bytes(data, d.stamps + 2, ack->tcp + a.stamps + 2, 8);
	return true;
}
