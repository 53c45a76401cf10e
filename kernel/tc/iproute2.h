/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What tc (iproute2) offers to plugins. No package ships a header for it; these
 * declarations fit every release since 4.16 (2018), when JSON came.
 *
 * tc looks for q_KIND.so with the symbol KIND_qdisc_util, in TC_LIB_DIR or in
 * its own directory, when it meets a kind that it does not know.
 */
#ifndef AIRTAB_TC_IPROUTE2_H
#define AIRTAB_TC_IPROUTE2_H

#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	int (*parse_qopt)(const struct qdisc_util *qu, int argc, char **argv, struct nlmsghdr *n,
			  const char *dev);
	int (*print_qopt)(const struct qdisc_util *qu, FILE *f, struct rtattr *opt);
	int (*print_xstats)(const struct qdisc_util *qu, FILE *f, struct rtattr *xstats);
	int (*parse_copt)(const struct qdisc_util *qu, int argc, char **argv, struct nlmsghdr *n,
			  const char *dev);
	int (*print_copt)(const struct qdisc_util *qu, FILE *f, struct rtattr *opt);
	int (*has_block)(const struct qdisc_util *qu, struct rtattr *opt, uint32_t block, bool *has);
};

/* Of the tc program. */
int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data, int len);
struct rtattr *addattr_nest(struct nlmsghdr *n, int maxlen, int type);
int addattr_nest_end(struct nlmsghdr *n, struct rtattr *nest);
bool is_json_context(void);

struct json_writer;
struct json_writer *get_json_writer(void);
void jsonw_name(struct json_writer *w, const char *name);
void jsonw_start_object(struct json_writer *w);
void jsonw_end_object(struct json_writer *w);
void jsonw_start_array(struct json_writer *w);
void jsonw_end_array(struct json_writer *w);
void jsonw_bool(struct json_writer *w, bool value);
void jsonw_string(struct json_writer *w, const char *value);
void jsonw_u64(struct json_writer *w, uint64_t value);
void jsonw_s64(struct json_writer *w, int64_t value);

#endif
