/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * dnb: each class has its limit and its turn of 1514 bytes.
 */
#include "harness.h"

static struct at_pkt *pkt_of_class(struct host *h, u8 class, u32 bytes)
{
	struct at_pkt *p = new_pkt(h, class, bytes);

	p->cls = class;
	return p;
}

static enum at_verdict put_class(struct host *h, u8 class, u32 bytes)
{
	return push(h, pkt_of_class(h, class, bytes), 0);
}

/* A node of a chain: 2, 3 and 3 packets; a class beyond the list has the last value. */
static void limits(void)
{
	static const u32 want[] = { 2, 3, 3, 3 };
	struct host h;

	open_host(&h, "dnb", "limits=2,3,3", 64);
	for (u8 class = 0; class < 4; class++) {
		for (u32 i = 0; i < want[class]; i++)
			CHECK_EQ(put_class(&h, class, 1500), AT_OK);
		CHECK_EQ(put_class(&h, class, 40), AT_DROPPED);
		CHECK_EQ(h.last_why, AT_R_LIMIT);
		CHECK_EQ(cell(&h, class, "refused"), 1);
		CHECK_EQ(cell(&h, class, "limit"), want[class]);
	}
	CHECK_EQ(put_class(&h, 200, 1500), AT_OK);	/* the last place, which is 15's too */
	CHECK_EQ(cell(&h, 15, "backlog"), 1);
	CHECK_EQ(put_urgent(&h, 1, 0), AT_DROPPED);	/* of class 0, which is full */
	CHECK_EQ(stat(&h, "refused"), 5);
	CHECK_EQ(stat(&h, "active"), 5);
	close_host(&h);
}

/* A limit below what is queued drops nothing. */
static void lowered(void)
{
	struct host h;
	struct at_ticket t;

	open_host(&h, "dnb", "limits=8", 64);
	for (u32 i = 0; i < 8; i++)
		CHECK_EQ(put_class(&h, 0, 1500), AT_OK);
	change(&h, "limits=2", 0);
	CHECK_EQ(h.q->qlen, 8);
	for (u32 left = 8; left > 1; left--) {
		CHECK_EQ(put_class(&h, 0, 1500), AT_DROPPED);
		CHECK(get(&h, &t, 0));
	}
	CHECK_EQ(put_class(&h, 0, 1500), AT_OK);
	close_host(&h);
}

/* Full packets of one class, a third as long ones of another: as many bytes. */
static void turns(void)
{
	static const u8 want[] = { 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0 };
	u64 bytes[2] = { 0, 0 };
	struct host h;
	struct at_ticket t;

	open_host(&h, "dnb", "limits=20", 64);
	for (u32 i = 0; i < 20; i++) {
		put_class(&h, 0, 1500);
		put_class(&h, 1, 500);
	}
	for (u32 i = 0; i < 3000; i++) {
		struct at_pkt *p = get(&h, &t, 0);
		u8 class = p->cls;

		if (i < sizeof(want))
			CHECK_EQ(class, want[i]);
		bytes[class] += p->bytes;
		CHECK_EQ(put_class(&h, class, class ? 500 : 1500), AT_OK);
	}
	CHECK(bytes[0] - bytes[1] + 3014 <= 6028);
	close_host(&h);
}

/* A class whose packets are larger than a turn, one at a time, beside one that always has some:
 * as many bytes. Its debt outlives its queue, for a quarter of a second. */
static void debts(void)
{
	u64 bytes[2] = { 0, 0 };
	struct host h;
	struct at_ticket t;

	open_host(&h, "dnb", "limits=20", 64);
	for (u32 i = 0; i < 10; i++)
		put_class(&h, 0, 1500);
	put_class(&h, 1, 9000);
	for (u32 i = 0; i < 3000; i++) {
		struct at_pkt *p = get(&h, &t, 0);
		u8 class = p->cls;

		bytes[class] += p->bytes;
		CHECK_EQ(put_class(&h, class, class ? 9000 : 1500), AT_OK);
	}
	CHECK(bytes[0] < bytes[1] + 20000 && bytes[1] < bytes[0] + 20000);
	close_host(&h);
	for (u32 late = 0; late < 2; late++) {
		u32 n = 0;

		open_host(&h, "dnb", "limits=20", 64);
		put_class(&h, 1, 9000);
		CHECK(get(&h, &t, SEC));		/* 7486 bytes are owed */
		for (u32 i = 0; i < 10; i++) {
			push(&h, pkt_of_class(&h, 0, 1500), SEC + 250 * MS - !late);
		}
		push(&h, pkt_of_class(&h, 1, 9000), h.now);
		while (get(&h, &t, h.now)->cls == 0)
			n++;
		CHECK_EQ(n, late ? 2 : 6);
		close_host(&h);
	}
}

int main(void)
{
	CASE(limits());
	CASE(lowered());
	CASE(turns());
	CASE(debts());
	return 0;
}
