/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * PIE as the pseudocode of RFC 8033 has it, in seconds and double precision: what
 * pie.h and the discipline are held against. Names as there.
 *
 * Appendix A (4.1, 4.2, 4.4) with marks (5.1), the measured rate (5.2; rates are
 * averaged, 7 to 1), de-randomisation (5.4) and capped steps (5.5); not 5.3. The
 * RFC leaves open what the delay is while nothing leaves: that of the last packet,
 * and 0 once the queue is empty.
 */
#ifndef AIRTAB_TEST_RFC8033_H
#define AIRTAB_TEST_RFC8033_H

#include "harness.h"

#define PIE_LEN 4096
#define DQ_THRESHOLD 16384
#define MEAN_PKTSIZE 1514

enum { ENQUE, MARK, DROP, TAIL_DROP };

struct rfc8033 {
	/* parameters */
	double target, t_update, alpha, beta, max_burst, mark_ecnth;
	bool ecn, estimate, derandomize;
	u32 limit;
	/* the queue: numbers of packets, bytes and times of those within */
	u32 head, tail, number[PIE_LEN], next_number, size[PIE_LEN];
	double arrived[PIE_LEN], byte_length;
	/* the state */
	double drop_prob, accu_prob, burst_allowance, current_qdelay, qdelay_old;
	double avg_dq_rate, measurement_start, dq_count;
	bool in_measurement;
	u64 random, now, update;	/* ns */
};

static inline void rfc8033_init(struct rfc8033 *r, u64 seed)
{
	memset(r, 0, sizeof(*r));
	r->target = r->t_update = 0.015;
	r->alpha = 0.125;
	r->beta = 1.25;
	r->max_burst = r->burst_allowance = 0.150;
	r->mark_ecnth = 0.1;
	r->ecn = r->derandomize = true;
	r->limit = 1000;
	r->random = seed;
}

static inline void calculate_drop_prob(struct rfc8033 *r)
{
	double p;

	if (r->estimate)
		r->current_qdelay = r->avg_dq_rate > 0 ? r->byte_length / r->avg_dq_rate : 0;
	p = r->alpha * (r->current_qdelay - r->target) +
	    r->beta * (r->current_qdelay - r->qdelay_old);
	if (r->drop_prob < 0.000001)
		p /= 2048;
	else if (r->drop_prob < 0.00001)
		p /= 512;
	else if (r->drop_prob < 0.0001)
		p /= 128;
	else if (r->drop_prob < 0.001)
		p /= 32;
	else if (r->drop_prob < 0.01)
		p /= 8;
	else if (r->drop_prob < 0.1)
		p /= 2;
	if (r->drop_prob >= 0.1 && p > 0.02)
		p = 0.02;
	r->drop_prob += p;
	if (r->current_qdelay == 0 && r->qdelay_old == 0)
		r->drop_prob *= 1 - 1 / 64.0;
	if (r->drop_prob < 0)
		r->drop_prob = 0;
	if (r->drop_prob > 1)
		r->drop_prob = 1;
	r->qdelay_old = r->current_qdelay;
	r->burst_allowance -= r->t_update;
	if (r->burst_allowance < 1e-12)
		r->burst_allowance = 0;
}

/* The timer, up to now. The first update is one period after the beginning. */
static inline void rfc8033_timer(struct rfc8033 *r, u64 now)
{
	u64 period = (u64)(r->t_update * 1e9 + 0.5);

	for (; r->update + period <= now; r->update += period)
		calculate_drop_prob(r);
	r->now = now;
}

static inline int drop_early(struct rfc8033 *r)
{
	if ((r->qdelay_old < r->target / 2 && r->drop_prob < 0.2) || r->byte_length <= 2 * MEAN_PKTSIZE)
		return ENQUE;
	if (r->derandomize) {
		if (r->drop_prob == 0)
			r->accu_prob = 0;
		r->accu_prob += r->drop_prob;
		if (r->accu_prob < 0.85)
			return ENQUE;
		if (r->accu_prob >= 8.5)
			return DROP;
	}
	return (double)(rnd(&r->random) >> 11) / 9007199254740992.0 < r->drop_prob ? DROP : ENQUE;
}

/* A packet arrives; what becomes of it. */
static inline int rfc8033_enqueue(struct rfc8033 *r, u32 bytes, bool capable, u64 now)
{
	int fate = ENQUE;

	rfc8033_timer(r, now);
	if (r->tail - r->head >= r->limit) {
		r->accu_prob = 0;
		r->next_number++;
		return TAIL_DROP;
	}
	if (r->drop_prob == 0 && r->current_qdelay < r->target / 2 && r->qdelay_old < r->target / 2)
		r->burst_allowance = r->max_burst;
	if (r->burst_allowance == 0 && drop_early(r) == DROP) {
		fate = r->ecn && capable && r->drop_prob < r->mark_ecnth ? MARK : DROP;
		r->accu_prob = 0;
	}
	if (fate != DROP) {
		r->number[r->tail % PIE_LEN] = r->next_number;
		r->size[r->tail % PIE_LEN] = bytes;
		r->arrived[r->tail++ % PIE_LEN] = (double)now * 1e-9;
		r->byte_length += bytes;
	}
	r->next_number++;
	return fate;
}

/* The number of the packet that leaves, or ~0. */
static inline u32 rfc8033_dequeue(struct rfc8033 *r, u64 now)
{
	double t = (double)now * 1e-9;
	u32 i = r->head % PIE_LEN;

	rfc8033_timer(r, now);
	if (r->head == r->tail)
		return ~(u32)0;
	r->head++;
	r->byte_length -= r->size[i];
	if (!r->estimate) {
		r->current_qdelay = r->head == r->tail ? 0 : t - r->arrived[i];
		return r->number[i];
	}
	if (r->in_measurement) {
		r->dq_count += r->size[i];
		if (r->dq_count >= DQ_THRESHOLD) {
			double time = t - r->measurement_start, rate;

			rate = r->dq_count / (time > 1e-9 ? time : 1e-9);
			r->avg_dq_rate = r->avg_dq_rate > 0 ? r->avg_dq_rate * 7 / 8 + rate / 8 : rate;
			r->in_measurement = false;
		}
	}
	if (r->byte_length >= DQ_THRESHOLD && !r->in_measurement) {
		r->in_measurement = true;
		r->measurement_start = t;
		r->dq_count = 0;
	}
	return r->number[i];
}

#endif
