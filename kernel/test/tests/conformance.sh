# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# The kernel's build of each discipline decides like the user-space build,
# packet by packet: four random traces of operations (arrivals of real IPv4 and IPv6
# packets, departures, reports, parameter changes, drains, resets, pauses) are
# replayed by both, and the logs must be equal byte for byte. A wrong build
# must be told apart.
# boot: measured  limit: 900  kernel: 6.12,(6.1)
. ./lib.sh

[ $exact ] && sets="0 1 2 3" || sets=0	# on two processors a trace takes ten times as long
count=50000
cd /tmp

# one DISCIPLINE SET [NAME=NUMBER...]: equal logs
one() {
	replay make "$1" $count "${@:2}" >trace
	replay user sources <trace >user
	replay kernel <trace >kernel
	replay compare user kernel >result || fail "$*: $(<result)"
	echo "$*: $(<result)"
	decisions=$((decisions + $(cut -d' ' -f1 result)))
	traces=$((traces + 1))
}

insmod /ko/airtab_replay.ko
replay sources >sources
for discipline in $(replay list); do
	decisions=0 traces=0
	for set in $sets; do
		one "$discipline" $set
	done
	if [ "$discipline" = chap ]; then
		one chap 4 profile=1 limit=35
		one chap 5 profile=1 newcomers=0
		one chap 6 target=0
	fi
	figure "$discipline: $decisions decisions of $traces traces equal"
done
rmmod airtab_replay

insmod /ko/mutant.ko
replay make chap $count 0 >trace
replay user sources <trace >user
replay kernel <trace >kernel
if replay compare user kernel >result; then
	fail "a build without settlement decides like the right one"
fi
figure "wrong build told apart: $(head -n 1 result) of chap, set 0"
rmmod airtab_replay
