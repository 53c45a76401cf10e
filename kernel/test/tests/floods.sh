# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# A bridge with 10 Mb/s of htb towards a client, and a rogue host on it, with
# fq_codel, cake and chap at their defaults as leaf: TCP keeps under chap at least
# what it keeps under cake while the rogue sends 7 Mb/s of ARP or EAPOL frames of
# 1400 bytes; and while it sends 20 Mb/s of packets, each to another port, a new
# flow of another host gets its packet through within 100 ms, all of them.
# boot: measured  limit: 900
. ./lib.sh

seconds=8

# bridge: namespaces server, rogue and client on ports s, x and c of the bridge
# br0 here
bridge() {
	local ns port n=0
	ip link add br0 type bridge
	ip link set br0 addrgenmode none up
	for ns in server rogue client; do
		n=$((n + 1)) port=${ns:0:1}
		ip netns add $ns
		ip link add "$port" type veth peer name e0 netns $ns gso_max_segs 1
		ip link set "$port" master br0 addrgenmode none up
		ip -n $ns link set e0 address 02:00:00:00:00:0$n addrgenmode none up
		ip -n $ns addr add 10.7.0.$n/24 dev e0
	done
	sleep 2		# the carrier is noticed at most once a second
	for ns in server rogue; do
		ip netns exec client traffic player 9 count=1 >/dev/null &
		sleep 0.1
		ip netns exec $ns traffic game 10.7.0.3 9 count=1	# finds the neighbour
		wait
	done
}

no_bridge() {
	local port ns
	for port in s r c; do ip link del $port; done
	ip link del br0
	for ns in server rogue client; do ip netns del $ns; done
}

# leaf KIND: anew
leaf() {
	tc qdisc replace dev c root pfifo
	tc qdisc replace dev c root handle 1: htb default 10
	tc class add dev c parent 1: classid 1:10 htb rate 10mbit quantum 1514
	tc qdisc add dev c parent 1:10 "$1"
}

# tcp: sets goodput, kb/s
tcp() {
	ip netns exec client traffic download 5001 >goodput &
	sleep 0.2
	ip netns exec server traffic upload 10.7.0.3 5001 ms=$((seconds * 1000)) &
}

cd /tmp
insmod /ko/sch_airtab.ko
bridge
declare -A kept
body=$(printf '%02800d' 0)
for type in 0806 888e; do
	for kind in fq_codel cake chap at_fq_codel; do
		leaf $kind
		tcp
		# 1414 bytes each 1.616 ms: 7 Mb/s, for all the time
		ip netns exec rogue frame e0 "020000000003 020000000002 $type $body" 0 \
			$((seconds * 1000000 / 1616)) 1616
		wait
		read -r _ kept[$type.$kind] <goodput
	done
	figure "7 Mb/s of protocol $type: TCP keeps ${kept[$type.fq_codel]} kb/s under fq_codel, ${kept[$type.cake]} under cake, ${kept[$type.chap]} under chap, ${kept[$type.at_fq_codel]} under at_fq_codel"
	[ "${kept[$type.chap]}" -ge $((${kept[$type.cake]} * 97 / 100)) ] ||
		fail "protocol $type: chap leaves ${kept[$type.chap]} kb/s, cake ${kept[$type.cake]}"
done

probes=40
for kind in fq_codel cake chap; do
	leaf $kind
	ip netns exec client traffic player 9 count=$probes >late &
	sleep 0.1
	# 20 Mb/s of 200 bytes, two in three of them too much
	ip netns exec rogue traffic scatter 10.7.0.3 1024 us=80 size=200 ms=$((probes * 100 + 1500)) >/dev/null &
	sleep 1
	ip netns exec server traffic game 10.7.0.3 9 count=$probes every=100 fresh=1
	wait
	read -r _ received _ p50 _ p95 _ p99 _ max <late || received=0
	figure "20 Mb/s, each packet to another port: of $probes new flows of another host under $kind $received come through, p50 $p50, p95 $p95, max $max us"
	if [ $kind = chap ]; then
		equal "new flows that come through" "$received" $probes
		[ "$max" -le 100000 ] || fail "the slowest new flow takes $max us"
	fi
done
no_bridge
rmmod sch_airtab
