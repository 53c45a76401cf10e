# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# at_cake beside Linux's own cake, both with a bandwidth of their own: a game (100 bytes
# each 47 ms) beside a TCP download (CUBIC), round trip 20 ms, at 20 Mb/s with one tin and
# with diffserv4, and at 2 Mb/s, where the target is scaled: goodput within 3 %, the
# game's delay (95th percentile) within 20 %; its median, which is the part of a packet
# of the download that it happens to wait for, at most 20 % above. Then the shaper's timer
# alone: a burst leaves at_cake one packet each 8 ms, within 1 ms, and a change of the
# bandwidth sets the timer anew.
# boot: measured  limit: 900  clock: exact  kernel: 6.1
. ./lib.sh

# 47 ms are 77.61 packets of the download at 20 Mb/s: the game meets all parts of one alike
seconds=10 every=47
packets=$(((seconds - 3) * 1000 / every))	# the game begins later and ends before

# play KIND OPTIONS...: sets p50, p95 (us) and goodput (kb/s)
play() {
	home
	tc -n router qdisc add dev r1 root "$@"
	tc -n client qdisc add dev c0 root netem delay 20ms limit 10000
	ip netns exec client traffic download 5001 >goodput &
	ip netns exec client traffic player 5002 count=$packets >late &
	sleep 0.2
	ip netns exec server traffic upload 10.0.2.2 5001 ms=$((seconds * 1000)) &
	sleep 2
	ip netns exec server traffic game 10.0.2.2 5002 count=$packets every=$every
	wait
	read -r _ goodput <goodput
	p50=$(cut -d' ' -f4 late)
	p95=$(cut -d' ' -f6 late)
	equal "$*: packets of the game" "$(cut -d' ' -f2 late)" $packets
	figure "$*: game p50 $p50, p95 $p95 us; goodput $goodput kb/s"
	no_home
}

# beside BANDWIDTH TINS: cake counts frames, at_cake what is behind their headers
beside() {
	local half late rate least most
	play cake bandwidth "$1" "$2" dual-dsthost
	half=$p50 late=$p95 rate=$goodput
	play at_cake bandwidth "$1" tins "$2" overhead 14
	[ $((p50 * 100)) -le $((half * 120)) ] || fail "$1 $2: median $p50 us, cake's $half us"
	[ $((p95 * 100)) -le $((late * 120)) ] && [ $((late * 100)) -le $((p95 * 120)) ] ||
		fail "$1 $2: p95 $p95 us, cake's $late us"
	least=$((rate < goodput ? rate : goodput)) most=$((rate < goodput ? goodput : rate))
	[ $((most * 100)) -le $((least * 103)) ] || fail "$1 $2: goodput $rate and $goodput kb/s"
}

cd /tmp
insmod /ko/sch_airtab.ko
beside 20mbit besteffort
beside 20mbit diffserv4
beside 2mbit besteffort

pair
tc qdisc add dev d0 root at_cake bandwidth 100kbit
listen 20
offer 20
paced "8 ms apart" 20 8000
overlimits=$(tc -s qdisc show dev d0 root | sed -n 's/.*overlimits \([0-9]*\) .*/\1/p')
[ "$overlimits" -ge 19 ] || fail "waiting counted $overlimits overlimits"
tc qdisc change dev d0 root at_cake bandwidth 1000kbit
listen 40
offer 40
paced "0.8 ms apart" 40 800
# at 1 kb/s the second packet would go after 0.8 s, the third after 1.6
tc qdisc change dev d0 root at_cake bandwidth 1kbit
listen 5
offer 5
sleep 0.2
tc qdisc change dev d0 root at_cake bandwidth 100kbit
wait
equal "packets after the change" "$(cut -d' ' -f2 late)" 5
last=$(cut -d' ' -f10 late)
[ "$last" -le 400000 ] || fail "the change set no timer: $last us"
figure "bursts of 20 and 40: 8 and 0.8 ms apart, the timer set by a change"
tc qdisc del dev d0 root
no_pair
rmmod sch_airtab
