# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Hosts on a bridge whose way to a server is a line of 10 Mb/s (htb): one floods it
# with 7 Mb/s of ARP or EAPOL frames or of new flows, one sends by TCP, one begins a
# new flow now and then; with pfifo, cake and chap at their defaults as leaf.
# Under chap TCP must keep at least what it keeps under cake, and each new flow be
# answered within 100 ms (but where sources are spoofed). Frames of 1400 bytes that
# are ARP, cake holds in a class of their own: there cake without classes is the
# measure.
# On a line of 2 Mb/s 20 new flows of ten full packets come each second, more than it takes: under chap a flow
# that was there before, 50 packets/s, loses none, and 95 % of them wait less than 25 ms.
# boot: measured  limit: 1800  clock: exact  kernel: 6.12
. ./lib.sh
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

window=6400	# ms in which TCP is measured
patience=100000	# us
server=02:00:00:00:00:01
hosts="server stranger sender newcomer"
declare -A goodput answered p50 max

# bridge: each of $hosts is a namespace with a device `net`, 10.0.0.1 to 4, on the
# ports p1 to p4 of a bridge in the namespace `router`
bridge() {
	local n=0 ns
	ip netns add router
	ip -n router link add br0 type bridge
	ip -n router link set br0 addrgenmode none up
	for ns in $hosts; do
		n=$((n + 1))
		ip netns add $ns
		ip link add net address 02:00:00:00:00:0$n netns $ns type veth peer name p$n netns router
		ip -n $ns addr add 10.0.0.$n/24 dev net
		ip -n $ns link set net addrgenmode none up
		ip -n router link set p$n master br0 addrgenmode none up
	done
	# a wire: without it queues further on would hold up the sockets of the sender
	tc -n sender qdisc add dev net root netem delay 10ms limit 10000
	sleep 2		# the carrier is noticed at most once a second
}

no_bridge() {
	local ns
	# a namespace goes some time after its deletion, a device at once
	for ns in $hosts; do
		ip -n $ns link del net
		ip netns del $ns
	done
	ip netns del router
}

# measure FLOOD "LEAF..." WHAT OPTION...: the figures while `rogue` sends that
measure() {
	local flood=$1 leaf=$2 at=$1.$2 download
	shift 2
	bridge
	tc -n router qdisc add dev p1 root handle 1: htb default 10
	tc -n router class add dev p1 parent 1: classid 1:10 htb rate 10mbit quantum 1514
	tc -n router qdisc add dev p1 parent 1:10 $leaf
	ip netns exec server traffic download 5001 from=3000 ms=$window >goodput &
	download=$!
	ip netns exec server traffic echo 5002 &
	sleep 0.2
	# the bridge learns who is where; TCP is known when the flood begins
	ip netns exec newcomer traffic probe 10.0.0.1 5002 count=1 >/dev/null
	ip netns exec sender traffic upload 10.0.0.1 5001 ms=$((window + 5600)) 2>/dev/null &
	sleep 1.7
	ip netns exec stranger rogue net $server "$@" rate=7000 ms=$((window + 1600)) from=10.0.0.2 &
	sleep 1.1
	ip netns exec newcomer traffic probe 10.0.0.1 5002 count=$((window / 400)) >answered
	wait $download
	read -r _ "goodput[$at]" <goodput
	read -r _ "answered[$at]" _ "p50[$at]" _ _ _ "max[$at]" <answered
	tc -n router -s qdisc show dev p1
	kill $(jobs -p) 2>/dev/null || true
	wait || true
	no_bridge
	figure "$flood, $leaf: TCP keeps ${goodput[$at]} kb/s; ${answered[$at]} of $((window / 400)) new flows answered, p50 ${p50[$at]}, max ${max[$at]} us"
}

# flood NAME MEASURE WHAT OPTION...: with each leaf; MEASURE is the one whose TCP
# chap's must not be behind
flood() {
	local name=$1 beside=$2 leaf
	shift 2
	for leaf in pfifo cake chap; do
		measure $name $leaf "$@"
	done
	[ "${goodput[$name.$beside]:-}" ] || measure $name "$beside" "$@"
	[ "${goodput[$name.chap]}" -ge "${goodput[$name.$beside]}" ] ||
		fail "$name: TCP keeps ${goodput[$name.chap]} kb/s under chap, ${goodput[$name.$beside]} under $beside"
	[ $name = spoofed ] || {
		equal "$name: new flows answered under chap" "${answered[$name.chap]}" $((window / 400))
		[ "${max[$name.chap]}" -le $patience ] ||
			fail "$name: the slowest new flow under chap is answered after ${max[$name.chap]} us"
	}
	# a flood that does no harm shows nothing
	[ "${goodput[$name.pfifo]}" -lt 5000 ] ||
		fail "$name: no flood, TCP keeps ${goodput[$name.pfifo]} kb/s under pfifo"
}

# new_flows LEAF: a flow of 200 bytes each 20 ms beside them
new_flows() {
	local packets=150 player
	bridge
	tc -n router qdisc add dev p1 root handle 1: htb default 10
	tc -n router class add dev p1 parent 1: classid 1:10 htb rate 2mbit quantum 1514
	tc -n router qdisc add dev p1 parent 1:10 $1
	ip netns exec server traffic player 5001 count=$packets >late &
	player=$!
	sleep 0.2
	ip netns exec newcomer traffic game 10.0.0.1 5001 count=$packets every=20 size=158 &
	sleep 0.1
	ip netns exec stranger rogue net $server udp size=1514 each=10 rate=2422 ms=4000 from=10.0.0.2 &
	wait $player || true
	tc -n router -s qdisc show dev p1
	kill $(jobs -p) 2>/dev/null || true
	wait || true
	no_bridge
	# shellcheck disable=SC2034
	read -r _ received _ p50 _ p95 _ <late
	figure "20 new flows a second on 2 Mb/s, $1: ${received:=0} of $packets, p50 ${p50:=0}, p95 ${p95:=0} us"
	[ $1 != chap ] || {
		equal "packets beside new flows under chap" $received $packets
		[ $p95 -le 25000 ] || fail "a flow of 50 packets/s waits ${p95} us (p95) beside 20 new flows/s under chap"
	}
}

cd /tmp
insmod /ko/sch_airtab.ko
for leaf in pfifo fq_codel cake chap; do
	new_flows $leaf
done
flood arp "cake besteffort" arp
# each has half of the line, to 0.3 %: in 6.4 s one loss is more than that
window=19200
flood eapol cake eapol
window=6400
flood small-arp cake arp size=60
flood flows cake udp size=114
flood spoofed cake spoofed size=114
rmmod sch_airtab
