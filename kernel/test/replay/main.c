/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * replay: makes traces, replays them in user space or in the kernel, compares.
 *
 *   replay list                                  the disciplines
 *   replay params DISCIPLINE|glue                those of it, or that every kind has; one line each: id, name, unit, init, live
 *                                                or heard, default, least, most, choices; a unit
 *                                                with + behind it: of a list
 *   replay make DISCIPLINE COUNT SET [NAME=NUMBER...] >TRACE
 *   replay sources >SOURCES                      the hashes of airtab_replay.ko
 *   replay user [SOURCES] <TRACE >LOG            over host_user.h
 *   replay kernel <TRACE >LOG                    through airtab_replay.ko
 *   replay compare LOG LOG                       fails at the first difference
 *   replay show LOG                              in words
 *   replay vector NUMBER >TRACE                  a worked example, 1 or 2
 *   replay judge NUMBER <LOG                     fails unless it is as published
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/wire.h"
#include "generate.h"

#define CHUNK 1024u		/* operations that go to the kernel at once */
#define DEBUGFS "/sys/kernel/debug/airtab_replay"

static struct sources sources;

static void die(const char *what)
{
	fprintf(stderr, "replay: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- the host in user space ---- */

struct user_pkt {
	struct at_pkt p;
	struct trace_op op;
};

struct at_pkt *replay_make(const struct trace_op *op, u32 id)
{
	struct user_pkt *user = calloc(1, sizeof(*user));
	struct at_pkt *p = (struct at_pkt *)user;
	u32 headers = (op->flags & PKT_V6 ? 60 : 40) + (op->flags & PKT_OPTIONS ? 8 : 0);
	bool fragment = op->flags & PKT_FRAGMENT, tcp = op->flags & PKT_TCP;

	if (!p)
		return NULL;
	user->op = *op;
	p->handle = id;
	p->bytes = op->bytes;
	p->flow = op->flow;
	p->sta = op->sta;
	p->source = op->cls == AT_URGENT ? sources.none
		  : sources.ip[!!(op->flags & PKT_V6)][op->flags >> PKT_SOURCE];
	p->cls = op->cls;
	p->flags = (u8)((op->flags & PKT_ECT ? AT_F_ECT : 0) | (tcp && !fragment ? AT_F_TCP : 0) |
			(op->cls == AT_URGENT ? 0 : AT_F_IP));
	p->key = (struct at_key){ .proto = tcp ? 6 : 17, .dscp = op->flags >> PKT_DSCP & 63,
				  .sport = fragment ? 0 : REPLAY_SPORT(op),
				  .dport = fragment ? 0 : REPLAY_DPORT(op) };
	p->tcp = (struct at_tcp){ .seq = (u32)op->arg, .ack = (u32)(op->arg >> 32),
				  .payload = op->bytes - headers, .window = 65535, .flags = 0x10 };
	return p;
}

/* Whether the kernel's host edits it: no GSO packet, nothing between the headers. */
static bool edited(const struct at_pkt *p)
{
	u32 flags = ((const struct user_pkt *)p)->op.flags;

	return (p->flags & AT_F_TCP) && p->bytes <= REPLAY_WHOLE && !(flags & PKT_V6 && flags & PKT_OPTIONS);
}

struct at_pkt *replay_ack(const struct at_pkt *p, u32 number)
{
	struct user_pkt *made = edited(p) ? malloc(sizeof(*made)) : NULL;

	if (!made)
		return NULL;
	*made = *(const struct user_pkt *)p;
	made->p.next = NULL;
	made->p.bytes -= p->tcp.payload;
	made->p.tcp.payload = 0;
	made->p.tcp.ack = number;
	made->p.flags &= (u8)~(AT_F_ECT | AT_F_CE);
	return &made->p;
}

bool replay_merge(struct at_pkt *data, const struct at_pkt *ack)
{
	const struct trace_op *a = &((const struct user_pkt *)data)->op, *b = &((const struct user_pkt *)ack)->op;
	bool same = a->flow == b->flow && a->flags >> PKT_SOURCE == b->flags >> PKT_SOURCE &&
		    !((a->flags ^ b->flags) & PKT_V6);

	if (!edited(data) || !edited(ack) || !same || ack->tcp.payload)
		return false;
	if ((s32)(ack->tcp.ack - data->tcp.ack) > 0)
		data->tcp.ack = ack->tcp.ack;
	return true;
}

/* There are none here. */
bool replay_right(const struct at_pkt *p)
{
	(void)p;
	return true;
}

u32 replay_id(const struct at_pkt *p)
{
	return p->handle;
}

bool replay_ce(const struct at_pkt *p)
{
	return p->flags & AT_F_CE;
}

void replay_free(struct at_pkt *p)
{
	free(p);
}

void *replay_alloc(u64 bytes)
{
	return calloc(1, bytes);
}

void replay_release(void *memory)
{
	free(memory);
}

void replay_out(struct replay *r, const struct trace_out *out)
{
	(void)r;
	if (fwrite(out, sizeof(*out), 1, stdout) != 1)
		die("writing the log");
}

/* Those of a file, or any that differ. */
static void read_sources(const char *path)
{
	u32 *all = (u32 *)&sources;
	FILE *f;

	for (u32 i = 0; i < sizeof(sources) / sizeof(*all); i++)
		all[i] = i + 1;
	if (!path)
		return;
	f = fopen(path, "rb");
	if (!f || fread(&sources, sizeof(sources), 1, f) != 1)
		die(path);
	fclose(f);
}

static int copy_sources(void)
{
	read_sources(DEBUGFS "_sources");
	return fwrite(&sources, sizeof(sources), 1, stdout) != 1;
}

static int in_user_space(void)
{
	static struct replay r;
	struct trace_op op;

	while (fread(&op, sizeof(op), 1, stdin) == 1) {
		if (!replay_step(&r, &op)) {
			fprintf(stderr, "replay: operation %u makes no sense\n", r.op - 1);
			return 1;
		}
	}
	replay_end(&r);
	if (r.inside) {
		fprintf(stderr, "replay: %u packets did not come back\n", r.inside);
		return 1;
	}
	return 0;
}

/* ---- the kernel's ---- */

static int in_kernel(void)
{
	static struct trace_op ops[CHUNK];
	static char log[1 << 16];
	int file = open(DEBUGFS, O_RDWR);
	size_t n;
	ssize_t got;

	if (file < 0)
		die(DEBUGFS);
	while ((n = fread(ops, sizeof(*ops), CHUNK, stdin))) {
		if (write(file, ops, n * sizeof(*ops)) != (ssize_t)(n * sizeof(*ops)))
			die("writing to " DEBUGFS);
		while ((got = read(file, log, sizeof(log))) > 0)
			if (fwrite(log, 1, (size_t)got, stdout) != (size_t)got)
				die("writing the log");
		if (got < 0)
			die("reading from " DEBUGFS);
	}
	close(file);
	return 0;
}

/* ---- logs ---- */

static const char *const kind_name[OUT_KINDS] = {
	"refused", "opened", "key", "verdict", "drop", "given", "wake", "book", "stat", "row",
	"made", "merged",
};

static void print(const struct trace_out *out)
{
	const char *kind = out->kind < OUT_KINDS ? kind_name[out->kind] : "?";

	printf("operation %u: %s %u packet %u%s, %u %u %u, %lld\n", out->op, kind, out->what, out->id,
	       out->ce ? " CE" : "", out->a, out->b, out->c, (long long)out->value);
}

static FILE *open_log(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		die(path);
	return f;
}

static int show(const char *path)
{
	FILE *f = open_log(path);
	struct trace_out out;

	while (fread(&out, sizeof(out), 1, f) == 1)
		print(&out);
	fclose(f);
	return 0;
}

static int compare(const char *one, const char *two)
{
	FILE *f = open_log(one), *g = open_log(two);
	struct trace_out a, b;
	u64 n = 0, kinds[OUT_KINDS] = { 0 };

	for (;; n++) {
		size_t more_a = fread(&a, sizeof(a), 1, f), more_b = fread(&b, sizeof(b), 1, g);

		if (more_a && more_b && !memcmp(&a, &b, sizeof(a))) {
			kinds[a.kind]++;
			continue;
		}
		if (!more_a && !more_b)
			break;
		printf("decision %llu differs\n", (unsigned long long)n);
		printf("%s: ", one);
		more_a ? print(&a) : (void)puts("ended");
		printf("%s: ", two);
		more_b ? print(&b) : (void)puts("ended");
		return 1;
	}
	printf("%llu equal", (unsigned long long)n);
	for (u32 i = 0; i < OUT_KINDS; i++)
		if (kinds[i])
			printf(", %llu %s", (unsigned long long)kinds[i], kind_name[i]);
	puts("");
	return 0;
}

static int list(void)
{
	for (u32 i = 0; at_disciplines[i]; i++)
		puts(at_disciplines[i]->name);
	return 0;
}

static u32 number_of(const char *discipline)
{
	u32 i = 0;

	while (at_disciplines[i] && strcmp(at_disciplines[i]->name, discipline))
		i++;
	if (!at_disciplines[i]) {
		fprintf(stderr, "replay: no discipline '%s'; `replay list` names them\n", discipline);
		exit(2);
	}
	return i;
}

static int params(const char *discipline)
{
	static const char *const units[] = {
		[AT_COUNT] = "count", [AT_BYTES] = "bytes", [AT_NS] = "ns", [AT_BPS] = "bps",
		[AT_PPM] = "ppm", [AT_Q16] = "q16", [AT_BOOL] = "bool", [AT_CHOICE] = "choice",
		[AT_SIGNED_NS] = "signed", [AT_HEX] = "hex", [AT_RULE] = "rule",
		[AT_WEIGHT] = "weight",
	};

	const struct at_param *all =
		strcmp(discipline, "glue") ? at_disciplines[number_of(discipline)]->params : at_glue_params;

	for (const struct at_param *p = all; p->name; p++) {
		printf("%u %s %s%s %s %llu %llu %llu", p->id, p->name, units[p->unit],
		       p->max_len > 1 ? "+" : "", p->flags & AT_P_INIT ? "init" : p->flags & AT_P_HEARD ? "heard" : "live", (unsigned long long)p->def,
		       (unsigned long long)p->min, (unsigned long long)p->max);
		for (u32 i = 0; p->choices && p->choices[i]; i++)
			printf(" %s", p->choices[i]);
		puts("");
	}
	return 0;
}

static int make(char **args)
{
	generate(stdout, number_of(args[0]), strtoull(args[1], NULL, 0),
		 strtoull(args[2], NULL, 0), args + 3);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "list"))
		return list();
	if (!strcmp(what, "params") && argc == 3)
		return params(argv[2]);
	if (!strcmp(what, "make") && argc > 4)
		return make(argv + 2);
	if (!strcmp(what, "sources"))
		return copy_sources();
	if (!strcmp(what, "user")) {
		read_sources(argc > 2 ? argv[2] : NULL);
		return in_user_space();
	}
	if (!strcmp(what, "kernel"))
		return in_kernel();
	if (!strcmp(what, "compare") && argc == 4)
		return compare(argv[2], argv[3]);
	if (!strcmp(what, "show") && argc == 3)
		return show(argv[2]);
	if (!strcmp(what, "vector") && argc == 3)
		return !vector_trace(stdout, (u32)atoi(argv[2]));
	if (!strcmp(what, "judge") && argc == 3)
		return !vector_judge(stdin, (u32)atoi(argv[2]));
	fputs("usage: replay list\n"
	      "       replay params DISCIPLINE\n"
	      "       replay make DISCIPLINE COUNT SET [NAME=NUMBER...] >TRACE\n"
	      "       replay sources >SOURCES\n"
	      "       replay user [SOURCES] <TRACE >LOG\n"
	      "       replay kernel <TRACE >LOG\n"
	      "       replay compare LOG LOG\n"
	      "       replay show LOG\n"
	      "       replay vector NUMBER >TRACE\n"
	      "       replay judge NUMBER <LOG\n", stderr);
	return 2;
}
