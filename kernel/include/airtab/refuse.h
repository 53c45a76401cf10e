/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * airtab/refuse.h: why a netlink request is refused, in words that are made as it is.
 */
#ifndef AIRTAB_REFUSE_H
#define AIRTAB_REFUSE_H

#include <linux/string.h>
#include <linux/version.h>
#include <net/netlink.h>

#include "text.h"

/* Text of at most AT_TEXT bytes as the reason of a refusal; attr may be NULL.
 *
 * Linux before 6.2 keeps a pointer to the text until the answer is built, and
 * RTNL is free then: a text lives until that many others were refused. */
static inline void at_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr, const char *text)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr, "%s", text);
#else
	static char texts[16][AT_TEXT];
	static u32 next;
	char *kept = texts[next++ % ARRAY_SIZE(texts)];

	strscpy(kept, text, AT_TEXT);
	if (extack) {
		extack->_msg = kept;
		extack->bad_attr = attr;
	}
#endif
}

#endif
