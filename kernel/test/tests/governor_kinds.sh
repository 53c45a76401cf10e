# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# The houses of governor_rows under chap, airtime_fq and at_fq_codel behind the same governor: downloads
# of aggregates to one station and to two, with a governor and without, and beside a station that sleeps.
# The table of docs/router.md; asserted is only that none stands still.
# boot: measured  limit: 1800  clock: exact  kernel: named
. ./lib.sh

seconds=5

# measure COMMAND...: adds the median of three to the line of a kind
measure() {
	of_three "$@"
	[ "$goodput" -gt 0 ] || fail "$kind: $* stands still"
	line+=" $goodput"
}

cd /tmp
insmod /ko/airsim.ko
insmod /ko/sch_airtab.ko
for kind in chap "airtime_fq aql off" at_fq_codel; do
	line=""
	house phy=std-11n ring=1000 stop=0 ampdu=64
	air station dev=air0 name=fast mcs=7
	air station dev=air0 name=slow mcs=7
	for what in "flow fast 10.7.0.2 $seconds" "flow_to_both $seconds"; do
		for governor in off on; do
			tc qdisc replace dev air0 root pfifo
			tc qdisc replace dev air0 root $kind governor $governor
			measure $what
		done
	done
	no_house
	house ring=1000 stop=0
	tc qdisc replace dev air0 root $kind governor on
	measure flow fast 10.7.0.2 $seconds
	air station dev=air0 name=slow kbps=6000 asleep=1
	ip netns exec server traffic flood 10.7.0.3 9 count=0 ms=$((4 * seconds * 1000)) size=1500 wait=1 >/dev/null &
	measure flow fast 10.7.0.2 $seconds
	wait
	no_house
	figure "$kind, kb/s: aggregates to one without and with a governor, to two, alone and beside one that sleeps:$line"
done
rmmod sch_airtab
rmmod airsim
