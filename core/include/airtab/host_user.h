/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/host_user.h: the user-space host's packet and accessors (AT_HOST_H of
 * the simulator, the live access point and the tests). The Rust binding mirrors
 * struct at_pkt; a test there compares sizes and offsets of both sides.
 */
#ifndef AIRTAB_HOST_USER_H
#define AIRTAB_HOST_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

void *memcpy(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
#if !__STDC_HOSTED__
/* A compiler that is told of no library calls these, for 8 bytes too. */
#define memcpy __builtin_memcpy
#define memset __builtin_memset
#endif

struct at_tcp {
	u32 seq, ack, payload, window;
	u16 mss;		/* of a SYN; 0: no such option */
	u8 flags;
	u8 option;		/* of a SYN: the scale of later windows; else: SACK blocks */
};

struct at_key {
	u8 proto, dscp;		/* behind up to eight extension headers */
	u16 sport, dport;
};

/* flags of struct at_pkt */
enum { AT_F_ECT = 1, AT_F_CE = 2, AT_F_TCP = 4, AT_F_IP = 8 };

struct at_pkt {
	struct at_pkt *next;
	u32 priv[4];
	u32 bytes, flow, source;
	u16 sta;
	u8 cls, flags;
	struct at_tcp tcp;
	u32 handle;		/* the host's own name of this packet */
	struct at_key key;
};

static inline struct at_pkt **at_next(struct at_pkt *p) { return &p->next; }
static inline void *at_priv(struct at_pkt *p) { return p->priv; }
static inline u32 at_bytes(const struct at_pkt *p) { return p->bytes; }
static inline u32 at_flow(const struct at_pkt *p) { return p->flow; }
static inline u16 at_sta(const struct at_pkt *p) { return p->sta; }
static inline u32 at_source(const struct at_pkt *p) { return p->source; }
static inline u8 at_class(const struct at_pkt *p) { return p->cls; }

static inline bool at_key(const struct at_pkt *p, struct at_key *k)
{
	if (!(p->flags & AT_F_IP))
		return false;
	*k = p->key;
	return true;
}

static inline bool at_mark_ce(struct at_pkt *p)
{
	if (!(p->flags & AT_F_ECT))
		return false;
	p->flags |= AT_F_CE;
	return true;
}

static inline bool at_tcp(const struct at_pkt *p, struct at_tcp *t)
{
	if (!(p->flags & AT_F_TCP))
		return false;
	*t = p->tcp;
	return true;
}

#if defined(__i386__)
/* 64/32 division without libgcc, as a 32-bit kernel does it. */
static inline u64 at_div(u64 n, u32 d)
{
	u32 hi = (u32)(n >> 32), lo = (u32)n, qh = hi / d, r = hi % d, ql;

	__asm__("divl %2" : "=a"(ql), "+d"(r) : "rm"(d), "0"(lo) : "cc");
	return (u64)qh << 32 | ql;
}
#else
static inline u64 at_div(u64 n, u32 d) { return n / d; }
#endif

#endif
