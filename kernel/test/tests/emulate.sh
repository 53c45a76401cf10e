# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# The emulated link on an Ethernet device: a saturated one sends a packet each exchange of the
# formula (docs/emulator.md), within 0.5 %, under two profiles, at 6 Mb/s and with 2 ms more; with losses
# of 10 % within 2 % of the mean, and loses what the formula says; a light flow goes first;
# changed and switched off under traffic; nothing is left in the books.
# boot: measured  limit: 600  clock: exact  kernel: 6.1
. ./lib.sh

# sent: packets that left d0, and that were dropped there
sent() {
	tc -s -j qdisc show dev d0 root | jq -r '.[0] | "\(.packets) \(.drops)"'
}

# rate WHAT NS PERMILLE OPTION...: over 8 s
rate() {
	local what=$1 ns=$2 permille=$3 from to before after
	shift 3
	tc qdisc replace dev d0 root chap limit 1000 target off "$@"
	traffic flood 10.8.0.2 9 count=0 ms=9000 size=1500 wait=1 >/dev/null &
	flood=$!
	sleep 0.5
	from=$(date +%s%N) before=$(sent)
	sleep 8
	to=$(date +%s%N) after=$(sent)
	wait $flood
	each=$(((to - from) / (${after% *} - ${before% *})))
	figure "$what: a packet each $each ns, formula $ns"
	[ $((1000 * (each > ns ? each - ns : ns - each))) -le $((permille * ns)) ] ||
		fail "$what: a packet each $each ns, should be $ns"
}

cd /tmp
insmod /ko/sch_airtab.ko
pair
ip netns exec client traffic sink 9 >/dev/null &
sink=$!
rate "d7.1" 399259 5 emulate d7.1
rate "d7.1 at 6 Mb/s" 2217333 5 emulate_rate 6mbit
rate "d7.1 and 2 ms" 2399259 5 emulate_rate 54mbit emulate_extra 2ms
rate "phy-a" 309926 5 emulate phy-a emulate_extra 0
# 586.5 us a packet on the link, of which 0.02 % are lost
rate "d7.1, 10 % lost" 586600 20 emulate d7.1 emulate_fer 10%

# a light flow beside it, and the end of it
tc qdisc change dev d0 root chap emulate_fer 0
traffic flood 10.8.0.2 9 count=0 ms=4000 size=1500 wait=1 flows=2 >/dev/null &
flood=$!
ip netns exec client traffic player 10 count=50 >late &
player=$!
bound client 10
traffic game 10.8.0.2 10 count=50
wait $player
tc qdisc change dev d0 root chap emulate off
wait $flood
late=$(cut -d' ' -f6 late)
figure "a light flow beside a saturated one: p95 $late us"
[ "$late" -le 1000 ] || fail "a light flow waits $late us"
sleep 0.5
equal "packets queued" "$(tc -s -j qdisc show dev d0 root | jq '.[0].qlen')" 0
said=$(tc qdisc replace dev d0 root chap emulate d7.1 governor on 2>&1) && fail "a governor above an emulated link"
[[ $said == *"not with governor on"* ]] || fail "a governor above an emulated link: $said"
kill $sink
wait $sink
tc qdisc del dev d0 root
no_pair
rmmod sch_airtab
