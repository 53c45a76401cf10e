# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# trial
# boot: measured  limit: 900  kernel: 6.12
. ./lib.sh

seconds=10
# play WHAT QDISC...
play() {
	local what=$1 packets=$(((seconds - 2) * 25)) t0 t1
	shift
	tc qdisc replace dev air0 root "$@"
	for station in fast slow; do
		ip netns exec $station traffic download 5001 from=2000 ms=$(((seconds - 2) * 1000)) >$station &
	done
	ip netns exec fast traffic player 5002 count=$packets >late &
	ip netns exec fast traffic echo 5003 & echo=$!
	sleep 0.2
	ip netns exec server traffic upload 10.7.0.2 5001 ms=$((seconds * 1000)) &
	ip netns exec server traffic upload 10.7.0.3 5001 ms=$((seconds * 1000)) &
	sleep 2
	ip netns exec server traffic probe 10.7.0.2 5003 count=$((packets / 10)) every=400 >ping &
	ip netns exec server traffic game 10.7.0.2 5002 count=$packets
	kill $echo
	wait
	figure "$what: $(<fast) $(<slow) ; game $(<late); ping $(<ping)"
	tc -s qdisc show dev air0 root
	tc qdisc del dev air0 root
}

cd /tmp
insmod /ko/airsim.ko
insmod /ko/sch_airtab.ko
house ring=2 stop=1
play "reference, chap" chap governor off
air set dev=air0 ring=1000 stop=0
play "pfifo" pfifo limit 1000
play "chap off" chap governor off
play "chap on" chap governor on
play "at_fq_codel on" at_fq_codel governor on
play "airtime_fq on" airtime_fq governor on aql off
no_house
rmmod airsim
rmmod sch_airtab
