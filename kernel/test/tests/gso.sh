# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Packets of local TCP that the device cuts (GSO), cut at enqueue and not, with
# 5 packets of chap (under htb, hfsc, drr in tbf) and at_fifo (htb), and by `auto`, which
# cuts them under htb: the qdiscs of a
# chain agree about packets and drops, and no backlog is left in any, also when
# the leaf is replaced while it is full. Then CoDel that drops beside the last
# packet of a burst (MTU 9000). That each run has drops is only asked where the clock is
# exact, else that they have some in all.
# boot: checked  limit: 900  kernel: 6.12,(6.1)
. ./lib.sh

# chain PARENTS RATE: on v0; sets leaf, where the qdisc under test goes
chain() {
	leaf=1:10
	case $1 in
	htb)
		ts qdisc add dev v0 root handle 1: htb default 10
		ts class add dev v0 parent 1: classid 1:10 htb rate "$2" quantum 20000 ;;
	hfsc)
		ts qdisc add dev v0 root handle 1: hfsc default 10
		ts class add dev v0 parent 1: classid 1:10 hfsc sc rate "$2" ul rate "$2" ;;
	drr)	# a burst that lets the largest packet through in one piece
		ts qdisc add dev v0 root handle 1: tbf rate "$2" burst 70000 limit 1000000
		ts qdisc add dev v0 parent 1:1 handle 2: drr
		ts class add dev v0 parent 2: classid 2:10 drr
		ts filter add dev v0 parent 2: matchall classid 2:10
		leaf=2:10 ;;
	esac
}

ts() { tc -n server "$@"; }

# agree WHAT: sets sent and dropped, the same of every qdisc of v0; no backlog
agree() {
	local line all=()
	while read -r line; do
		if [[ $line =~ ^Sent\ ([0-9]+)\ bytes\ ([0-9]+)\ pkt\ .dropped\ ([0-9]+) ]]; then
			all+=("${BASH_REMATCH[*]:1}")
			sent=${BASH_REMATCH[2]} dropped=${BASH_REMATCH[3]}
		fi
	done < <(ts -s qdisc show dev v0)
	[ ${#all[@]} -gt 1 ] || fail "$1: no chain"
	for line in "${all[@]}"; do
		[ "$line" = "${all[0]}" ] || ts -s qdisc show dev v0
		equal "$1: bytes, packets, drops of a qdisc in the chain" "$line" "${all[0]}"
	done
	empty "$1"
}

empty() {
	local line
	while read -r line; do
		if [[ $line == backlog* ]]; then
			equal "$1: a backlog in the chain" "${line% requeues*}" "backlog 0b 0p"
		fi
	done < <(ts -s qdisc show dev v0)
}

# look: sets packets, as IP made them, segments, as TCP counts them, and what v0 sent
look() {
	local word all
	mapfile -t all < <(ip netns exec server cat /proc/net/snmp /sys/class/net/v0/statistics/tx_packets \
		/sys/class/net/v0/statistics/tx_bytes)
	seen=${all[-2]} bytes=${all[-1]}
	for line in "${all[@]}"; do
		read -r -a word <<<"$line"
		case $line in
		"Ip: "[0-9]*) packets=${word[10]} ;;
		"Tcp: "[0-9]*) segments=${word[11]} ;;
		esac
	done
}

flood() {
	ip netns exec server traffic flood 10.0.1.2 9 "$@" >/dev/null
}

# upload PARENTS KIND SPLIT
upload() {
	local what="$1, $2, split_gso $3" was_packets was_segments was_seen was_bytes
	chain "$1" 10mbit
	ts qdisc add dev v0 parent $leaf "$2" limit 5 split_gso "$3"
	look
	was_packets=$packets was_segments=$segments was_seen=$seen was_bytes=$bytes
	ip netns exec client traffic download 5001 >/dev/null &
	bound client 5001 tcp
	ip netns exec server traffic upload 10.0.1.2 5001 ms=400
	wait
	look
	segments=$((segments - was_segments)) packets=$((packets - was_packets))
	seen=$((seen - was_seen)) bytes=$((bytes - was_bytes))
	[ $segments -gt $packets ] ||
		fail "$what: no GSO: $segments segments in $packets packets"
	if [ "$3" != off ]; then
		[ $bytes -le $((1514 * seen)) ] || fail "$what: $bytes bytes sent in $seen packets"
	else
		[ $bytes -gt $((1514 * seen)) ] || fail "$what: cut: $bytes bytes in $seen packets"
	fi
	echo "$what: TCP: $segments segments in $packets packets; the device: $bytes bytes in $seen packets"
	flood flows=20 count=300 size=500
	sleep 1
	agree "$what"
	[ -z "$exact" ] || [ "$dropped" -gt 0 ] || fail "$what: no drops"
	echo "$what: sent $sent, dropped $dropped"
	runs=$((runs + 1)) drops=$((drops + dropped)) all_segments=$((all_segments + segments)) all_packets=$((all_packets + packets))
	ts qdisc replace dev v0 parent $leaf pfifo
	empty "$what, replaced"
	ts qdisc replace dev v0 parent $leaf "$2" limit 5
	flood flows=20 count=300 size=500
	ts qdisc replace dev v0 parent $leaf pfifo
	sleep 1
	empty "$what, replaced when full"
	ts qdisc del dev v0 root
}

insmod /ko/sch_airtab.ko
ip netns add server
ip netns add client
ip link add v0 netns server type veth peer name v1 netns client
ip -n server link set v0 addrgenmode none up
ip -n client link set v1 addrgenmode none up
ip -n server addr add 10.0.1.1/24 dev v0
ip -n client addr add 10.0.1.2/24 dev v1
# several segments in a packet also when the window is small
ip netns exec server bash -c 'echo 4 >/proc/sys/net/ipv4/tcp_min_tso_segs'
sleep 2		# the carrier is noticed at most once a second
runs=0 drops=0 all_segments=0 all_packets=0
for split in on off; do
	for parents in htb hfsc drr; do
		upload $parents chap $split
	done
	upload htb at_fifo $split
done
upload htb chap auto
[ $drops -gt 0 ] || fail "no drops"
figure "$runs uploads, $all_segments segments in $all_packets GSO packets, $drops drops, the same in each chain; no backlog left"

# CoDel and the last packet
ip -n server link set v0 mtu 9000
ip -n client link set v1 mtu 9000
codel=0 bursts=0
for parents in htb hfsc drr; do
	chain $parents 5mbit
	ts qdisc add dev v0 parent $leaf chap target 1ms
	for count in {45..48}; do
		flood flows=1 count=$count size=9000
		sleep 1
		agree "$parents, a burst of $count"
		echo "$parents, a burst of $count: sent $sent, dropped $dropped until now"
		bursts=$((bursts + 1))
	done
	[ -z "$exact" ] || [ "$dropped" -gt 0 ] || fail "$parents: CoDel dropped nothing"
	codel=$((codel + dropped))
	ts qdisc replace dev v0 parent $leaf pfifo
	empty "$parents, replaced"
	ts qdisc del dev v0 root
done
[ $codel -gt 0 ] || fail "CoDel dropped nothing"
figure "$bursts bursts of 9000-byte packets, $codel drops of CoDel, no backlog left"
ip -n server link del v0
ip netns del server
ip netns del client
rmmod sch_airtab
