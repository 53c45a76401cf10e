# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# A governor and what a driver may do: aggregates (std-11n), of one station and of two, keep
# 0.97 of what they carry without limit; a station that sleeps costs the others less than 5 %;
# a driver that lets packets go as it gets them is found out and reported, and can be paced;
# completions late and in batches; what it learns of stations; below a parent all packets go, and to ask for it
# is refused; below mq each queue has one.
# boot: measured  limit: 900  clock: exact  kernel: 6.12
. ./lib.sh

seconds=5

# at_least WHAT IS PERCENT OF
at_least() {
	figure "$1: $2 kb/s of $4"
	[ $((100 * $2)) -ge $(($3 * $4)) ] || fail "$1: $2 kb/s, less than $3 % of $4"
}

cd /tmp
insmod /ko/airsim.ko
insmod /ko/sch_airtab.ko

# aggregates
house phy=std-11n ring=1000 stop=0 ampdu=64
air station dev=air0 name=fast mcs=7
air station dev=air0 name=slow mcs=7
for what in "flow fast 10.7.0.2 $seconds" "flow_to_both $seconds"; do
	tc qdisc replace dev air0 root chap governor off
	of_three $what
	without=$goodput
	tc qdisc replace dev air0 root chap governor on
	of_three $what
	at_least "aggregates, $what" "$goodput" 97 "$without"
done
figure "aggregates: floor $(below floor), budget $(below budget), $(tc -s qdisc show dev air0 root | grep -o 'station.*' | cut -d' ' -f3-6 | tr '\n' ' ')"
no_house

# asleep
house ring=1000 stop=0
tc qdisc replace dev air0 root chap governor on
of_three flow fast 10.7.0.2 $seconds
alone=$goodput
air station dev=air0 name=slow kbps=6000 asleep=1
ip netns exec server traffic flood 10.7.0.3 9 count=0 ms=$((4 * seconds * 1000)) size=1500 wait=1 >/dev/null &
of_three flow fast 10.7.0.2 $seconds
at_least "beside one that sleeps" "$goodput" 95 "$alone"
[ "$(tc -s qdisc show dev air0 root | grep -c 'silent on')" = 1 ] || fail "who sleeps is not known"
[ "$(below expired)" -gt 0 ] || fail "no packet to who sleeps was given up"
wait
air station dev=air0 name=slow kbps=6000 asleep=0
sleep 1
equal "frames below once it woke" "$(below frames)" 0

# learned KEY STATION: what is known of the station at that address
learned() {
	local mac
	mac=$(ip -n "$2" -j link show dev "$2" | jq -r '.[0].address')
	tc -s -j qdisc show dev air0 root | jq -r ".[0].airtab.stations[] | select(.address == \"$mac\").$1"
}

# rates and airtime, each alone for as long: bytes over what they take of the channel, uplink and waits included. The
# rate is of the last 64 ms of airtime at most, so it is read while they flow: afterwards, with what ends a connection in
# it, the slow one's was 3854 and 4951 kb/s of the same 4590.
tc qdisc replace dev air0 root pfifo
tc qdisc replace dev air0 root chap governor on
for station in fast slow; do
	was=$(air_of $station)
	flow $station 10.7.0.$([ $station = fast ] && echo 2 || echo 3) $seconds &
	rates=()
	for look in 1 2 3; do
		sleep 0.5
		rates+=("$(learned rate $station)")
	done
	wait $!
	read -r _ goodput <goodput
	is=$(air_of $station)
	rate=$(median "${rates[@]}") air=$(learned airtime $station)
	figure "learned of $station: $rate bit/s (${rates[*]}; afterwards $(learned rate $station)), $air ns; the cell: $((is - was)) ns; TCP got $goodput kb/s"
	# what the uplink and the waits for the channel take is in what it learns, so that the rate is TCP's own
	[ "$rate" -ge $((goodput * 900)) ] && [ "$rate" -le $((goodput * 1200)) ] || fail "$station: a rate of $rate"
	[ "$air" -ge $((is - was)) ] && [ "$air" -le $((seconds * 1000000000 + 200000000)) ] || fail "$station: airtime $air"
done
equal "frames outstanding afterwards" "$(below frames)" 0

# completions in batches, and late
air set dev=air0 done_frames=16 done_ns=2000000
of_three flow fast 10.7.0.2 $seconds
at_least "completions in batches of 16 or after 2 ms" "$goodput" 95 "$alone"
air set dev=air0 done_frames=0 done_ns=0

# orphaned
air set dev=air0 orphan=1
equal "mode before" "$(below mode)" measured
flow fast 10.7.0.2 $seconds
equal "mode of a driver that lets go" "$(below mode)" unlimited
[ "$(below early)" -ge 1000 ] || fail "early completions: $(below early)"
at_least "let go, unlimited" "$goodput" 90 "$alone"
tc qdisc change dev air0 root chap pace 15mbit
ip netns exec fast traffic player 5002 count=100 >late &
{ sleep 3; exec ip netns exec server traffic game 10.7.0.2 5002 count=100; } &
flow fast 10.7.0.2 $seconds
wait
equal "mode with a pace" "$(below mode)" paced
figure "let go, paced at 15 Mb/s: $goodput kb/s, a game of $(<late)"
[ "$goodput" -ge 13000 ] && [ "$goodput" -le 15000 ] || fail "paced at 15 Mb/s: $goodput kb/s"
[ "$(cut -d' ' -f6 late)" -le 12000 ] || fail "paced: a game of $(<late)"
air set dev=air0 orphan=0
flow fast 10.7.0.2 $seconds
equal "mode of a driver that tells again" "$(below mode)" measured

# below a parent
tc qdisc replace dev air0 root handle 1: tbf rate 10mbit burst 10k limit 100k
said=$(tc qdisc replace dev air0 parent 1:1 chap governor on 2>&1) && fail "a governor below tbf"
[[ $said == *"only at the root or below mq"* ]] || fail "a governor below tbf: $said"
tc qdisc replace dev air0 parent 1:1 chap
flow fast 10.7.0.2 $seconds
at_least "below tbf" "$goodput" 90 10000
no_house

# a wireless device, where a governor runs by itself: not below htb, and all packets go; one for each queue below mq
slow 20000 4 radio
tc qdisc add dev slow0 root handle 1: htb default 1
tc class add dev slow0 parent 1: classid 1:1 htb rate 10mbit quantum 3000
tc qdisc add dev slow0 parent 1:1 handle 2: chap
traffic flood 10.9.0.2 9 flows=20 count=200 size=500 >/dev/null
sleep 1
equal "below htb: mode, packets sent, queued" "$(tc -s -j qdisc show dev slow0 |
	jq -c '.[] | select(.kind == "chap") | [.airtab.below.mode, .packets, .qlen]')" '["not_at_root",200,0]'
tc qdisc del dev slow0 root
echo chap >/proc/sys/net/core/default_qdisc
tc qdisc add dev slow0 root handle 1: mq
echo pfifo_fast >/proc/sys/net/core/default_qdisc
traffic flood 10.9.0.2 9 flows=40 count=400 size=500 >/dev/null
sleep 1
equal "below mq: modes, packets sent, queued" "$(tc -s -j qdisc show dev slow0 |
	jq -c '[.[] | select(.kind == "chap")] | [(map(.airtab.below.mode) | unique), (map(.packets) | add), (map(.qlen) | add), length]')" \
	'[["measured"],400,0,4]'
rmmod airtab_slow
rmmod sch_airtab
rmmod airsim
