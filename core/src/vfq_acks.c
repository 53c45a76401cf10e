/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * vfq: what acknowledgements prove. A number that a station gets acknowledges data that it
 * has sent, over the same channel: so the number that is released says what the station's
 * uplink has taken.
 *
 * Source: P. Starzetz, thesis, INPG Grenoble 2006, 9.2.2: (9.1) data, (9.4) pure
 * acknowledgements. Numbers are payload, so that a full piece is mss bytes of it and a
 * packet of mss + header on the air; `faithful` counts as its simulator did, where segments
 * have no header.
 *
 * Rules, modulo 2^32
 *  - The first number of a connection charges nothing: what was before is not known. A SYN
 *    begins anew.
 *  - A number that is older than the last one charges nothing. One beyond what the peer's
 *    window ever allowed was made up, or the flow is another one: nothing, and it is not
 *    remembered. Where the SYN with the window's scale was not seen, a window of 1 MB is
 *    believed.
 *  - A duplicate proves one segment that was received out of order. With three, one was
 *    sent again: `dupack`. `faithful` charges each duplicate a segment and forgets it.
 *
 * What this is not: no guess at what is encrypted, and none at retries.
 */
#include "vfq_state.h"

enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };	/* flags of TCP */

#define ACK_BYTES 40u		/* IP and TCP header without options */
#define UNKNOWN_WINDOW (1u << 20)
#define DUPS_OF_A_LOSS 3u
#define MOST_SCALE 14u		/* RFC 7323 2.3 */

void at_vfq_look(const struct at_vfq *s, const struct at_pkt *p, struct at_vfq_seen *seen)
{
	u32 blocks;

	*seen = (struct at_vfq_seen){ .header = ACK_BYTES };
	if (s->plain || !at_tcp(p, &seen->tcp))
		return;
	seen->is_tcp = true;
	seen->ack = seen->tcp.flags & ACK;
	seen->control = seen->tcp.flags & (FIN | SYN | RST);
	seen->pure = seen->ack && !seen->control && !seen->tcp.payload;
	blocks = seen->tcp.option ? 4 + 8u * seen->tcp.option : 0;
	if (!s->faithful && !seen->control && at_bytes(p) > seen->tcp.payload + blocks)
		seen->header = at_bytes(p) - seen->tcp.payload - blocks;
}

/* Payload of a full segment of the station's. */
static u32 vfq_mss_of(const struct at_vfq *s, const struct at_vfq_flow *f, const struct at_vfq_seen *seen)
{
	u32 mss;

	if (s->faithful)
		return s->mtu;
	mss = s->mtu > seen->header + 1 ? s->mtu - seen->header : 1;
	return f->proof.mss && f->proof.mss < mss ? f->proof.mss : mss;
}

/* Whether what the station sends is inferred from acknowledgements. */
static bool vfq_infers(const struct at_vfq *s, const struct at_vfq_box *box, u64 now)
{
	if (s->uplink != AT_VFQ_AUTO)
		return s->uplink == AT_VFQ_ACK;
	return !box->heard_at || now - box->heard_at > s->idle;
}

static bool vfq_is_duplicate(const struct at_vfq_proof *proof, const struct at_vfq_seen *seen, u32 ack)
{
	return proof->known && seen->pure && ack == proof->acked && seen->tcp.window == proof->window;
}

struct airtimes {
	u64 piece, ack;		/* ns: a full segment, an acknowledgement */
	u32 contention, mss, header;
	const struct at_aircost *cost;
};

/* Of so many bytes of payload, in segments. */
static u64 vfq_segments_ns(const struct at_vfq *s, const struct airtimes *t, u32 bytes, bool pure)
{
	u32 full = bytes / t->mss, rest = bytes % t->mss, h = s->faithful ? 0 : t->header;
	u64 ns = full * t->piece;

	if (rest)
		ns += at_aircost_ns(t->cost, rest + h, t->contention);
	if (pure && s->by_segment)
		ns += (full + (rest != 0)) * t->ack;
	return ns;
}

/* What the number proves that the station sent, and, where that is counted by segments,
 * their acknowledgements. */
static u64 vfq_proof_ns(const struct at_vfq *s, const struct at_vfq_flow *f, const struct at_vfq_seen *seen,
			const struct airtimes *t, u32 ack)
{
	u32 by = at_vfq_advance_of(&f->proof, ack), known = f->proof.dups * t->mss;
	u64 ns;

	if (vfq_is_duplicate(&f->proof, seen, ack))
		return t->piece + (s->by_segment && !s->faithful ? t->ack : 0);
	if (!by)
		return 0;
	if (s->faithful)
		return vfq_segments_ns(s, t, by, seen->pure);
	ns = vfq_segments_ns(s, t, by > known ? by - known : 0, seen->pure);
	if (f->proof.dups >= DUPS_OF_A_LOSS)
		ns += (u64)s->dupack * (t->piece + (s->by_segment ? t->ack : 0));
	return ns;
}

/* What a number that proves something adds to a bill of `up`, in which is the packet's own part;
 * small: of an acknowledgement, ns. */
static __attribute__((__noinline__)) u64 vfq_up_ns(const struct at_vfq *s, const struct at_vfq_box *box,
						   const struct at_vfq_flow *f, const struct at_vfq_seen *seen,
						   u32 ack, u64 small)
{
	struct airtimes t = { .cost = &box->cost, .header = seen->header, .ack = small, .contention = box->contention };
	u64 up;

	t.mss = vfq_mss_of(s, f, seen);
	t.piece = at_aircost_ns(&box->cost, s->faithful ? s->mtu : t.mss + seen->header, t.contention);
	up = vfq_proof_ns(s, f, seen, &t, ack);
	if (!seen->pure)
		return small + up;
	/* counted by segments, their acknowledgements include this one */
	if (s->by_segment && up >= small && !(s->faithful && vfq_is_duplicate(&f->proof, seen, ack)))
		up -= small;
	return up;
}

struct at_vfq_bill at_vfq_price(const struct at_vfq *s, struct at_vfq_box *box,
				const struct at_vfq_flow *f, const struct at_vfq_seen *seen,
				u32 bytes, u32 ack, u64 now)
{
	struct at_vfq_bill bill = { 0 };
	u32 contention;
	u64 small;

	contention = at_vfq_contention(s, box);
	bill.down = at_aircost_ns(&box->cost, bytes, contention);
	if (!seen->is_tcp || !vfq_infers(s, box, now))
		return bill;
	small = at_aircost_ns(&box->cost, seen->header, contention);
	if (!seen->pure)		/* the station acknowledges it */
		bill.up = small;
	if (seen->ack && !seen->control &&
	    (at_vfq_advance_of(&f->proof, ack) || vfq_is_duplicate(&f->proof, seen, ack)))
		bill.up = vfq_up_ns(s, box, f, seen, ack, small);
	return bill;
}

/* Whoever pays for the data: without pieces an upload that is only heard would send a burst for
 * each acknowledgement that gets through. */
bool at_vfq_splits(const struct at_vfq *s, const struct at_vfq_flow *f, const struct at_vfq_seen *seen, u32 *number)
{
	u32 most;

	if (!s->burst || !seen->ack || seen->control)
		return false;
	most = s->burst * vfq_mss_of(s, f, seen);
	if (at_vfq_advance_of(&f->proof, seen->tcp.ack) <= most)
		return false;
	*number = f->proof.acked + most;
	return true;
}

static bool vfq_is_plain(const struct at_vfq_seen *seen)
{
	return seen->ack && !seen->control && !seen->tcp.option;
}

bool at_vfq_joins(const struct at_vfq *s, const struct at_vfq_flow *f, const struct at_vfq_seen *first,
		  const struct at_vfq_seen *second)
{
	u32 by = at_vfq_advance_of(&f->proof, second->tcp.ack), more = second->tcp.ack - first->tcp.ack;

	if (!vfq_is_plain(first) || !vfq_is_plain(second) || first->pure == second->pure)
		return false;
	/* a pure one that says nothing new is a duplicate, which its receiver counts */
	if (!by || (first->pure ? !at_vfq_advance_of(&f->proof, first->tcp.ack) : !more) || (s32)more < 0)
		return false;
	return !s->burst || by <= s->burst * vfq_mss_of(s, f, second);
}

/* A SYN: the peer's options hold for all that follows. */
static void vfq_begin(struct at_vfq_proof *proof, const struct at_tcp *t)
{
	*proof = (struct at_vfq_proof){
		.scaled = true,
		.scale = t->option < MOST_SCALE ? t->option : MOST_SCALE,
		.mss = t->mss,
	};
}

/* The number counts, and so does the window that is announced with it. */
static void vfq_advance(struct at_vfq_proof *proof, const struct at_vfq_seen *seen, u32 ack)
{
	u32 window = seen->tcp.window, edge;

	if (!proof->scaled)
		window = UNKNOWN_WINDOW;
	else if (!(seen->tcp.flags & SYN))
		window <<= proof->scale;
	edge = ack + window;
	if (!proof->known || (s32)(edge - proof->edge) > 0)
		proof->edge = edge;
	if (!proof->known || ack != proof->acked)
		proof->dups = 0;
	proof->acked = ack;
	proof->window = seen->tcp.window;
	proof->known = true;
}

void at_vfq_released(struct at_vfq *s, struct at_vfq_box *box, struct at_vfq_flow *f,
		     const struct at_vfq_seen *seen, u32 ack)
{
	struct at_vfq_proof *proof = &f->proof;

	if (!seen->is_tcp)
		return;
	if (seen->tcp.flags & SYN)
		vfq_begin(proof, &seen->tcp);
	if (seen->tcp.flags & RST)
		*proof = (struct at_vfq_proof){ 0 };
	if (!seen->ack || seen->tcp.flags & RST)
		return;
	if (vfq_is_duplicate(proof, seen, ack) && proof->dups < 0xffff)
		proof->dups++;
	if (!proof->known || ack == proof->acked || at_vfq_advance_of(proof, ack)) {
		vfq_advance(proof, seen, ack);
	} else if ((s32)(ack - proof->acked) > 0) {
		box->refused++;
		s->n_refused++;
	}
}
