# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# A house behind a driver that takes everything (ring of 1000, no queue stop): a download each
# to a station at 54 and one at 6 Mb/s, a game and pings at the fast one. Disciplines with a
# governor beside the same without, and beside a ring of two frames that stops its queue, the
# best that can be; each with three runs, medians. With it the ping is at most one and a half
# times the reference's, chap and airtime_fq share the air (within 5 % with saturated
# stations), and TCP of the access point's own gets what forwarded TCP does; without it nothing
# can be played.
# boot: measured  limit: 1200  clock: exact  kernel: 6.12
. ./lib.sh

seconds=7

# play NAME QDISC...: once; appends a line to NAME: fast, slow, kb/s; ping p50, p95, us; the
# game's score (G-model, docs/quality.md) in thousandths
play() {
	local name=$1 packets=$(((seconds - 2) * 25)) station echo fast slow p50 p95 down up least
	shift
	tc qdisc replace dev air0 root "$@"
	ip netns exec fast traffic player 5002 count=$packets >down &
	ip netns exec server traffic player 5004 count=$packets >up &
	ip netns exec fast traffic echo 5003 &
	echo=$!
	{
		sleep 2
		ip netns exec server traffic probe 10.7.0.2 5003 count=$((packets / 2)) every=79 >ping &
		ip netns exec fast traffic game 10.0.1.1 5004 count=$packets &
		ip netns exec server traffic game 10.7.0.2 5002 count=$packets
		wait
		kill $echo
	} &
	downloads $seconds ip netns exec server
	read -r _ _ _ p50 _ p95 _ <ping
	down=$(cut -d' ' -f12 down) least=$(cut -d' ' -f14 down) up=$(cut -d' ' -f12 up)
	echo "$fast $slow $p50 $p95 $(score "$down" "$up" "$least")" >>"$name"
	tc qdisc del dev air0 root
}

# score DOWN UP LEAST: mean delays and the least on the way down, us
score() {
	jq -n "[0.104 * ($1 + $2) / 1000 + ($1 - $3) / 1000, 100] | min as \$x |
		1000 * (4.37 - 0.114 * \$x + 0.00139 * \$x * \$x - 0.00000587 * \$x * \$x * \$x) | round"
}

# of NAME COLUMN: the median
of() {
	median $(cut -d' ' -f"$2" "$1")
}

# three NAME QDISC...
three() {
	local run
	for run in 1 2 3; do
		play "$@"
	done
	told "$1"
}

told() {
	figure "$1: fast $(of "$1" 1), slow $(of "$1" 2) kb/s; ping p50 $(of "$1" 3), p95 $(of "$1" 4) us; game $(of "$1" 5)"
}

mkdir /tmp/houses
cd /tmp/houses
insmod /ko/airsim.ko
insmod /ko/sch_airtab.ko

house ring=2 stop=1
three reference chap governor off
air set dev=air0 ring=1000 stop=0
three without chap governor off
three chap chap governor on
three airtime_fq airtime_fq governor on aql off
three at_fq_codel at_fq_codel governor on

for each in chap airtime_fq at_fq_codel; do
	[ "$(of without 4)" -ge $((10 * $(of $each 4))) ] ||
		fail "$each: ping p95 $(of $each 4) us, without a governor $(of without 4)"
done
[ "$(of without 5)" -le 1200 ] || fail "a game of $(of without 5) without a governor"
[ $((2 * $(of chap 4))) -le $((3 * $(of reference 4))) ] ||
	fail "ping p95 $(of chap 4) us, of the reference $(of reference 4)"
[ "$(of chap 5)" -ge 3900 ] && [ "$(of chap 5)" -ge $(($(of reference 5) - 200)) ] ||
	fail "a game of $(of chap 5), of the reference $(of reference 5)"
[ "$(of chap 1)" -ge $((2 * $(of reference 1))) ] || fail "the fast one gets $(of chap 1) kb/s"

# TCP of the access point's own: one that waits for its completions with nothing queued leaves
# the air to the other; where too little may be below a socket that is so in every third run
for run in 1 2 3 4; do
	tc qdisc replace dev air0 root chap governor on
	downloads $seconds
	figure "chap, local TCP: fast $fast, slow $slow kb/s"
	[ $((100 * fast)) -ge $((95 * $(of chap 1))) ] || fail "local TCP: the fast one gets $fast kb/s, forwarded $(of chap 1)"
	[ $((100 * slow)) -ge $((95 * $(of chap 2))) ] || fail "local TCP: the slow one gets $slow kb/s, forwarded $(of chap 2)"
	tc qdisc del dev air0 root
done

# the air of saturated stations
tc -n server qdisc add dev s0 root netem rate 60mbit limit 100
for kind in chap "airtime_fq aql off"; do
	tc qdisc replace dev air0 root $kind governor on
	before=("$(air_of fast)" "$(air_of slow)")
	for station in 2 3; do
		ip netns exec server traffic flood 10.7.0.$station 9 count=0 ms=6000 size=1500 wait=1 >/dev/null &
	done
	wait
	fast=$(($(air_of fast) - before[0])) slow=$(($(air_of slow) - before[1]))
	figure "$kind: air of saturated stations, ms: fast $((fast / 1000000)), slow $((slow / 1000000))"
	[ $((100 * (fast > slow ? fast - slow : slow - fast))) -le $((5 * (fast + slow) / 2)) ] ||
		fail "air of $fast and $slow ns"
done
no_house
rmmod sch_airtab
rmmod airsim
