# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Packets that a governor has claimed, and the end of what claimed them: with some hundreds in the
# driver's ring the qdisc is replaced, deleted, its governor switched off and on; the device goes
# down, the cell goes; the module stays until the last packet is over, and no longer. A socket of
# the access point's own gets its memory back. Twice and for all kinds, where the clock is
# exact: the second time leaves nothing more behind.
# boot: checked  limit: 900  kernel: 6.1,debug
. ./lib.sh

# fill: some hundreds of packets of this host's and some that it forwards, to a station that sleeps
fill() {
	tc qdisc replace dev air0 root pfifo	# what was learned while it slept is forgotten
	air station dev=air0 name=fast kbps=54000 asleep=1
	[ "$1" != airtime_fq ] || set -- airtime_fq aql off	# which has a limit of its own
	tc qdisc replace dev air0 root "$@" governor on inflight 250ms inflight_station 250ms
	traffic flood 10.7.0.2 9 count=400 size=100 >/dev/null
	ip netns exec server traffic flood 10.7.0.2 9 count=400 size=100 >/dev/null
	sleep 0.02
	held=$(air get | sed -n 's/^air0 - .* held=\([0-9]*\) .*/\1/p')
	[ "$held" -ge 300 ] || fail "only $held packets are in the ring"
}

awake() {
	air station dev=air0 name=fast kbps=54000 asleep=0
	sleep 1
	equal "packets in the ring" "$(air get | sed -n 's/^air0 - .* held=\([0-9]*\) .*/\1/p')" 0
}

# known: the access point's neighbours, whom it forgot as its link went down
known() {
	local station n=1
	for station in fast slow; do
		n=$((n + 1))
		ip neigh replace 10.7.0.$n dev air0 lladdr "$(ip -n $station -j link show dev $station | jq -r '.[0].address')"
	done
}

round() {
	house ring=1000 stop=0
	for kind in $kinds; do
		fill $kind
		tc qdisc replace dev air0 root pfifo
		awake
		fill $kind
		tc qdisc del dev air0 root
		fill $kind
		awake
		fill $kind
		tc qdisc change dev air0 root $kind governor off
		tc qdisc change dev air0 root $kind governor on
		tc qdisc change dev air0 root $kind governor off
		awake
		equal "$kind: packets queued once the governor is off" \
			"$(tc -s -j qdisc show dev air0 root | jq '.[0].qlen')" 0
		tc qdisc del dev air0 root
	done
	fill chap
	ip link set air0 down
	ip link set air0 up
	sleep 1
	known
	fill chap
	tc qdisc del dev air0 root
	rmmod sch_airtab && fail "the module went though packets of its are below"
	awake
	rmmod sch_airtab
	insmod /ko/sch_airtab.ko
	fill chap
	no_house
	[ ! -e /sys/class/net/air0 ] || fail "the cell is still there"
}

[ $exact ] && kinds=$(kinds) || kinds="chap airtime_fq at_fifo"
cd /tmp
insmod /ko/airsim.ko
insmod /ko/sch_airtab.ko
for each in 1 ${exact:+2}; do
	round
	kinds="chap airtime_fq at_fifo"	# once more: of these
	freed
	equal "claims in use" "$(objects at_claim)" 0
done
rmmod sch_airtab
rmmod airsim
figure "qdiscs, cells and modules removed with $held packets in the ring: no claim and $left buffers in use"
