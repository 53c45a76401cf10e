/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Adapts the EDCA parameters of best effort that hostapd announces to the number of stations that upload:
 *
 *	airtab-announce INTERFACE KIND [TXOP ECWMIN]
 *
 * Once a second it reads the counters of each station (`iw dev INTERFACE station dump`) and counts those that upload
 * (airtab/announce.h). It sets wmm_ac_be_txop_limit and wmm_ac_be_cwmin in hostapd (`hostapd_cli set`), which renews its
 * beacons. TXOP and ECWMIN, 0 and 4 without them, are those of hostapd's configuration. They are set again when the root
 * qdisc of INTERFACE is no longer KIND, and at SIGTERM, SIGINT and SIGHUP; then the program ends.
 *
 * Exit code: 0, also if another process does the same; 1: hostapd does not answer; 2: wrong arguments.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "airtab/announce.h"

#define STATIONS 512
#define PATIENCE 30	/* seconds to wait for hostapd */

/* Parameters of best effort, as hostapd has them. */
struct edca {
	u32 txop;	/* TXOP limit, units of 32 us; 0: one exchange */
	u32 ecwmin;	/* CWmin is 2^ecwmin - 1 */
};

struct station {
	char name[18];		/* "": none */
	bool seen;		/* in the last dump */
	u64 bytes, packets;	/* at the end of the last interval */
	u64 new_bytes, new_packets;
	u32 kbps, recent;
};

static struct station stations[STATIONS];
static const char *interface;

/* Starts a program; its standard output can be read, and its errors are not shown. */
static FILE *start(const char *const argv[], pid_t *pid)
{
	int ends[2];
	sigset_t none;

	if (pipe(ends))
		return NULL;
	*pid = fork();
	if (!*pid) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		if (!freopen("/dev/null", "w", stderr))
			_exit(127);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(ends[1]);
	if (*pid < 0) {
		close(ends[0]);
		return NULL;
	}
	return fdopen(ends[0], "r");
}

/* Ends what start() has begun. */
static void finish(FILE *from, pid_t pid)
{
	if (from)
		fclose(from);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* True if the first line that a program prints begins with `head`. */
static bool prints(const char *const argv[], const char *head)
{
	pid_t pid = -1;
	FILE *from = start(argv, &pid);
	char line[256] = "";
	bool same = from && fgets(line, sizeof(line), from) && !strncmp(line, head, strlen(head));

	finish(from, pid);
	return same;
}

static bool is_attached(const char *kind)
{
	const char *const argv[] = { "tc", "qdisc", "show", "dev", interface, "root", NULL };
	char head[64];

	snprintf(head, sizeof(head), "qdisc %s ", kind);
	return prints(argv, head);
}

static bool hostapd_answers(void)
{
	const char *const argv[] = { "hostapd_cli", "-i", interface, "ping", NULL };

	return prints(argv, "PONG");
}

static bool set(const char *parameter, u32 value)
{
	char text[12];
	const char *const argv[] = { "hostapd_cli", "-i", interface, "set", parameter, text, NULL };

	snprintf(text, sizeof(text), "%u", value);
	return prints(argv, "OK");
}

static bool announce(struct edca e)
{
	return set("wmm_ac_be_txop_limit", e.txop) && set("wmm_ac_be_cwmin", e.ecwmin);
}

/* The parameters while several stations upload; those of the configuration stay where they are stricter. */
static struct edca bounded(struct edca base)
{
	struct edca e = { .txop = AT_ANNOUNCE_TXOP, .ecwmin = AT_ANNOUNCE_ECWMIN };

	if (base.txop && base.txop < e.txop)
		e.txop = base.txop;
	if (base.ecwmin > e.ecwmin)
		e.ecwmin = base.ecwmin;
	return e;
}

static struct station *find(const char *name)
{
	struct station *unused = NULL;

	for (u32 i = 0; i < STATIONS; i++) {
		if (!strcmp(stations[i].name, name))
			return &stations[i];
		if (!unused && !stations[i].name[0])
			unused = &stations[i];
	}
	if (unused)
		snprintf(unused->name, sizeof(unused->name), "%s", name);
	return unused;
}

/* The number of associated stations; their counters are in `stations`. */
static u32 dump(void)
{
	const char *const argv[] = { "iw", "dev", interface, "station", "dump", NULL };
	pid_t pid = -1;
	FILE *from = start(argv, &pid);
	struct station *s = NULL;
	char line[512], name[18];
	u32 associated = 0;
	double mbps;

	for (u32 i = 0; i < STATIONS; i++)
		stations[i].seen = false;
	while (from && fgets(line, sizeof(line), from)) {
		if (sscanf(line, "Station %17s", name) == 1) {
			associated++;
			s = find(name);
			if (s)
				s->seen = true;
		} else if (s && sscanf(line, " rx bitrate: %lf", &mbps) == 1) {
			s->kbps = (u32)(mbps * 1000);
		} else if (s && !sscanf(line, " rx bytes: %llu", (unsigned long long *)&s->new_bytes)) {
			sscanf(line, " rx packets: %llu", (unsigned long long *)&s->new_packets);
		}
	}
	finish(from, pid);
	return associated;
}

/* The number of stations that upload, at the end of an interval. */
static u32 count(void)
{
	u32 uploads = 0;

	for (u32 i = 0; i < STATIONS; i++) {
		struct station *s = &stations[i];
		/* The counters of a station that associates again begin at 0. */
		bool again = s->new_bytes < s->bytes || s->new_packets < s->packets;

		if (!s->seen) {
			memset(s, 0, sizeof(*s));
			continue;
		}
		s->recent = at_announce_recent(s->recent, again ? 0 : s->new_bytes - s->bytes,
					       again ? 0 : s->new_packets - s->packets, s->kbps);
		s->bytes = s->new_bytes;
		s->packets = s->new_packets;
		uploads += s->recent > 0;
	}
	return uploads;
}

/* True if no other process does the same in this network namespace. */
static bool is_alone(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "airtab-announce/%s", interface);
	int lock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return lock >= 0 && !bind(lock, (struct sockaddr *)&name,
				  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length));
}

int main(int argc, char **argv)
{
	struct edca base = { .txop = 0, .ecwmin = 4 };
	struct pollfd end = { .events = POLLIN };
	bool bounds = false;	/* true if hostapd announces bounded(base) */
	sigset_t signals;

	if (argc == 5) {
		base.txop = (u32)strtoul(argv[3], NULL, 10);
		base.ecwmin = (u32)strtoul(argv[4], NULL, 10);
	}
	if ((argc != 3 && argc != 5) || base.txop > 255 || base.ecwmin > 15) {
		fprintf(stderr, "usage: airtab-announce INTERFACE KIND [TXOP ECWMIN]\n");
		return 2;
	}
	interface = argv[1];
	if (!is_alone())
		return 0;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	end.fd = signalfd(-1, &signals, SFD_CLOEXEC);
	for (u32 waited = 0; !hostapd_answers(); waited++) {
		if (waited == PATIENCE || poll(&end, 1, 1000) > 0) {
			fprintf(stderr, "airtab-announce: %s: hostapd does not answer: set ctrl_interface in its configuration, and install hostapd_cli\n", interface);
			return 1;
		}
	}
	/* The first dump has the counters since the association. */
	dump();
	count();
	for (u32 i = 0; i < STATIONS; i++)
		stations[i].recent = 0;
	while (poll(&end, 1, AT_ANNOUNCE_NS / 1000000) == 0 && is_attached(argv[2])) {
		u32 associated = dump();
		bool wanted = at_announce_bounds(count());

		/* Without stations hostapd may have restarted, with its configuration. */
		if (!associated)
			bounds = false;
		else if (wanted != bounds && announce(wanted ? bounded(base) : base))
			bounds = wanted;
	}
	if (bounds)
		announce(base);
	return 0;
}
