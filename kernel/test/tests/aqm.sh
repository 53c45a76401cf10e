# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# at_codel and at_pie beside Linux's own codel and pie, all without ECN: four TCP
# downloads (CUBIC) through a router with 20 Mb/s of htb, round trip 40 ms, for 40 s,
# with each as leaf. Goodput within 3 %, the mean delay of 1800 probes within 20 %.
# boot: measured  limit: 1800  clock: exact  kernel: 6.1
. ./lib.sh

seconds=40
probes=$((seconds * 50 - 200))	# 100 bytes each 20 ms; they begin later and end before

# play KIND OPTIONS...: sets delay (mean, us) and goodput (kb/s, of all)
play() {
	local port said uploads=()
	home
	tc -n router qdisc add dev r1 root handle 1: htb default 10
	tc -n router class add dev r1 parent 1: classid 1:10 htb rate 20mbit quantum 1514
	tc -n router qdisc add dev r1 parent 1:10 "$@"
	tc -n client qdisc add dev c0 root netem delay 40ms limit 10000
	for port in 5001 5002 5003 5004; do
		ip netns exec client traffic download $port >goodput.$port &
	done
	ip netns exec client traffic player 5005 count=$probes >late &
	sleep 0.2
	for port in 5001 5002 5003 5004; do
		ip netns exec server traffic upload 10.0.2.2 $port ms=$((seconds * 1000)) &
	done
	sleep 3
	ip netns exec server traffic game 10.0.2.2 5005 count=$probes every=20
	wait
	goodput=0
	for port in 5001 5002 5003 5004; do
		read -r _ said <goodput.$port
		goodput=$((goodput + said))
	done
	read -r _ received _ p50 _ p95 _ _ _ _ _ delay _ <late
	dropped=$(tc -n router -s -j qdisc show dev r1 | jq '.[] | select(.kind != "htb").drops')
	figure "$1: goodput $goodput kb/s; delay mean $delay, p50 $p50, p95 $p95 us, $received of $probes probes; $dropped dropped"
	no_home
}

# beside KIND OPTIONS: Linux's, then at_KIND with these options
beside() {
	local theirs ours
	play $1 limit 1000 noecn
	theirs=$delay least=$goodput most=$goodput
	play at_$1 limit 1000 ecn off
	ours=$delay
	least=$((goodput < least ? goodput : least)) most=$((goodput > most ? goodput : most))
	[ $((most * 100)) -le $((least * 103)) ] || fail "$1: goodput from $least to $most kb/s"
	[ $((ours * 100)) -le $((theirs * 120)) ] && [ $((theirs * 100)) -le $((ours * 120)) ] ||
		fail "at_$1's delay is $ours us, $1's $theirs us"
}

cd /tmp
insmod /ko/sch_airtab.ko
beside codel
beside pie
rmmod sch_airtab
