# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# The virtual Wi-Fi cell: its devices, stations in namespaces, what is refused and with which
# words, removal of stations, cells, namespaces and the module under traffic. Every buffer is
# freed.
# boot: checked  limit: 900  kernel: 6.1,(6.12)
. ./lib.sh

cd /tmp

# refused WORDS COMMAND...: with these words
refused() {
	local words=$1 said
	shift
	said=$("$@" 2>&1) && fail "not refused: $*"
	[[ $said == *"$words"* ]] || fail "$*: $said; should say: $words"
}

words() {
	cell phy=std-11n
	refused "there is a device of that name" air new dev=air0
	refused "name of the access point's device is missing" air new
	refused "no such profile" air new dev=air1 phy=std-11z
	refused "a name with %" air new dev=air%d
	refused "that is no name of a device" air new dev=a/b
	refused "ring: 0 is out of range 1..65536" air new dev=air1 ring=0
	refused "ring: 65537 is out of range 1..65536" air set dev=air0 ring=65537
	refused "attempts: 256 is out of range 1..255" air set dev=air0 attempts=256
	refused "ampdu: 65, but std-11n has a window of 64" air set dev=air0 ampdu=65
	refused "the rates of std-11g are in Mb/s" air new dev=air1 phy=std-11g ampdu=2
	refused "ampdu time, ns: 5484001 is out of range" air set dev=air0 ampdu_ns=5484001
	refused "need a delay" air set dev=air0 done_frames=8
	refused "stay what they are" air set dev=air0 phy=std-11g
	refused "air1: no access point of airsim" air set dev=air1 ring=2
	refused "lo: no access point of airsim" air set dev=lo ring=2
	refused "fast: no access point of airsim" air del dev=fast
	refused "the name of the station is missing" air station dev=air0 kbps=54000
	refused "a new one needs a rate or an mcs" air station dev=air0 name=third
	refused "rate, kb/s: 999 is out of range 1000..600000" air station dev=air0 name=fast kbps=999
	refused "fer, parts in a million: 1000001" air station dev=air0 name=fast fer=1000001
	refused "HT has MCS 0 to 7" air station dev=air0 name=fast mcs=8
	refused "HT has 20 and 40 MHz" air station dev=air0 name=fast mcs=1 width=80
	refused "has no mcs" air station dev=air0 name=fast mcs=1 kbps=6000
	refused "are of a rate with an mcs" air station dev=air0 name=fast width=20
	refused "there is a device of that name" air station dev=air0 name=lo kbps=6000
	refused "not permitted" setpriv --reuid 1000 --bounding-set -all --inh-caps -all \
		air set dev=air0 ring=2
	equal "after refusals" "$(air get | sed -E 's/ (held|dropped|down|ns_down)=.*//; s/ ifindex.*//' | head -n 1)" \
		"air0 - phy=std-11n ring=1000 stop=1 ampdu=1 ampdu_ns=4000000 attempts=7 done_frames=0 done_ns=0 orphan=0"
	for n in $(seq 3 64); do
		air station dev=air0 name=s$n kbps=6000
	done
	refused "a cell has at most 64 stations" air station dev=air0 name=s65 kbps=6000
	equal "devices listed" "$(air get | wc -l)" 65
	no_cell
}

# load MS: of UDP to and from both stations
load() {
	local station
	for station in 2 3; do
		traffic flood 10.7.0.$station 9 count=0 ms="$1" size=1500 wait=1 >/dev/null &
	done
	for station in fast slow; do
		ip netns exec $station traffic flood 10.7.0.1 9 count=0 ms="$1" size=1500 wait=1 >/dev/null &
	done
	sleep 0.05
}

removal() {
	cell
	load 300
	sleep 0.1
	ip link set air0 down
	ip link set air0 up
	ip -n fast link set fast down
	ip -n fast link set fast up
	air set dev=air0 ring=3 orphan=1
	air set dev=air0 ring=300 orphan=0 done_frames=16 done_ns=2000000
	air station dev=air0 name=slow kbps=12000 asleep=1
	sent=$(</sys/class/net/air0/statistics/tx_packets)
	ip netns exec fast ip link del fast	# a station leaves
	[ "$(</sys/class/net/air0/statistics/tx_packets)" -ge "$sent" ] || fail "statistics go back"
	wait
	equal "stations left" "$(air get | wc -l)" 2
	ip netns exec slow air get >said
	equal "cells in a station's namespace" "$(<said)" ""
	air station dev=air0 name=slow asleep=0
	load 200
	air del dev=air0
	wait
	equal "cells" "$(air get)" ""
	ip netns del fast
	ip netns del slow

	cell
	load 200
	ip netns del slow	# takes its station with it
	sleep 1
	equal "stations left" "$(air get | wc -l)" 2
	no_cell

	cell
	load 200
	rmmod airsim
	wait
	ip netns del fast
	ip netns del slow
	insmod /ko/airsim.ko
}

insmod /ko/airsim.ko
words
for round in 1 2; do
	removal
	freed
done

# a cell of a namespace goes with it
ip netns add house
ip netns exec house air new dev=air0
ip netns exec house air station dev=air0 name=fast kbps=54000
ip netns del house
sleep 1
for round in 1 2 3; do
	rmmod airsim
	insmod /ko/airsim.ko
done
rmmod airsim
figure "stations, cells, namespaces and the module removed under load; twice, $left buffers in use both times"
