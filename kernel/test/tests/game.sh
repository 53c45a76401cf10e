# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# A game (100 bytes each 40 ms) beside a TCP download (CUBIC) through a router
# with 20 Mb/s of htb, round trip 20 ms, with pfifo (1000 packets), fq_codel and chap at their
# defaults as leaf. chap must give the game a delay (95th percentile) of at most
# 1.2 times fq_codel's and a tenth of pfifo's, at the same goodput within 3 %.
# boot: measured  limit: 900  clock: exact  kernel: 6.12
. ./lib.sh

seconds=12
packets=$((seconds * 25 - 75))	# the game begins later and ends before

# play KIND OPTIONS...: sets p95 (us) and goodput (kb/s)
play() {
	local said lost
	home
	tc -n router qdisc add dev r1 root handle 1: htb default 10
	tc -n router class add dev r1 parent 1: classid 1:10 htb rate 20mbit quantum 1514
	tc -n router qdisc add dev r1 parent 1:10 "$@"
	tc -n client qdisc add dev c0 root netem delay 20ms limit 10000
	ip netns exec client traffic download 5001 >goodput &
	ip netns exec client traffic player 5002 count=$packets >late &
	sleep 0.2
	ip netns exec server traffic upload 10.0.2.2 5001 ms=$((seconds * 1000)) &
	sleep 2
	ip netns exec server traffic game 10.0.2.2 5002 count=$packets
	wait
	read -r _ goodput <goodput
	said=$(<late)
	lost=$((packets - $(cut -d' ' -f2 late)))
	p95=$(cut -d' ' -f6 late)
	figure "$1: game p50 $(cut -d' ' -f4 late), p95 $p95, max $(cut -d' ' -f10 late) us, lost $lost of $packets; goodput $goodput kb/s"
	[ "$1" = pfifo ] || equal "$1: lost of the game" $lost 0
	no_home
}

cd /tmp
insmod /ko/sch_airtab.ko
play pfifo limit 1000
pfifo=$p95 least=$goodput most=$goodput
play fq_codel
fq_codel=$p95
least=$((goodput < least ? goodput : least)) most=$((goodput > most ? goodput : most))
play chap
least=$((goodput < least ? goodput : least)) most=$((goodput > most ? goodput : most))
[ $((p95 * 10)) -le $((fq_codel * 12)) ] || fail "chap's p95 $p95 us is more than 1.2 times fq_codel's $fq_codel us"
[ $((p95 * 10)) -le "$pfifo" ] || fail "chap's p95 $p95 us is more than a tenth of pfifo's $pfifo us"
[ $((most * 100)) -le $((least * 103)) ] || fail "goodput from $least to $most kb/s"
rmmod sch_airtab
