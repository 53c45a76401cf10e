# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# vfq writes to acknowledgements that a router forwards: uploads with data the other way, IPv4 and
# IPv6, checksums in the packets and left to the device, alone and under tbf, prio and htb; through
# pieces of one segment, and merges. Every byte arrives; packet sockets see right checksums and
# numbers that never go back, before the qdisc what was sent and behind it steps of one segment;
# books agree with the parents'; replaced, changed and removed under traffic, and every buffer is
# freed.
# boot: checked  limit: 900  kernel: 6.12,(6.1)
. ./lib.sh
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

bytes=$([ $exact ] && echo 800000 || echo 400000)
back=60000

# watch NAME NAMESPACE DEVICE
watch() {
	ip netns exec "$2" acks watch "$3" 5001 >seen."$1" &
	watchers+=($!)
	until [ -s seen."$1" ]; do
		sleep 0.05
	done
}

# seen NAME KEY: what it says
seen() {
	sed -n "s/.*\b$2 \([0-9]*\).*/\1/p" seen."$1"
}

# look_back: watchers have seen nothing wrong; before and behind the qdisc. What comes from
# two processors may have another order when it comes to the qdisc: as much as then may go back.
look_back() {
	local name before
	kill "${watchers[@]}"
	wait "${watchers[@]}"
	watchers=()
	for name in before behind; do
		equal "$1: checksums that are wrong, $name" "$(seen $name wrong)" 0
	done
	before=$(seen before back)
	[ ! $exact ] || equal "$1: numbers that go back, before" "$before" 0
	[ "$(seen behind back)" -le "$before" ] || fail "$1: $(seen behind back) numbers go back behind, $before before"
}
watchers=()

# exchange WHAT ADDRESS: all bytes arrive both ways
exchange() {
	ip netns exec server acks exchange listen 5001 out=$back in=$bytes pause=60 >got.server &
	bound server 5001 tcp
	ip netns exec client acks exchange "$2" 5001 out=$bytes in=$back >got.client
	wait $!
	equal "$1: bytes up" "$(<got.server)" "got $bytes"
	equal "$1: bytes down" "$(<got.client)" "got $back"
}

# counter NAME: of vfq
counter() {
	tc -n router -s -j qdisc show dev r1 | jq ".[] | select(.kind == \"vfq\").airtab.$1"
}

# books WHAT: each qdisc of the chain has sent the same, and nothing is left
books() {
	local all
	all=$(tc -n router -s -j qdisc show dev r1 | jq -c '[.[] | {packets, bytes, backlog, qlen}] | unique')
	equal "$1: different books" "$(jq length <<<"$all")" 1
	equal "$1: packets left" "$(jq '.[0].qlen + .[0].backlog' <<<"$all")" 0
}

# through WHAT ADDRESS OPTION...: an exchange with that vfq at $at
through() {
	local what=$1 address=$2
	shift 2
	tc -n router qdisc replace dev r1 $at vfq "$@"
	watch before router r0
	watch behind router r1	# where it sends: nothing has another order yet
	exchange "$what" "$address"
	look_back "$what"
	books "$what"
	figure "$what: $(counter split) made, $(counter merged) merged, of $(seen before packets); steps $(seen before most), then $(seen behind most) bytes; $(seen behind summed) checksums"
}

# pieces WHAT: there were some, and no step is longer
pieces() {
	[ "$(counter split)" -ge 100 ] || fail "$1: $(counter split) acknowledgements made"
	[ "$(seen behind most)" -le 1448 ] || fail "$1: a step of $(seen behind most) bytes"
	[ "$(seen before most)" -gt 1448 ] || fail "$1: no step is longer before it"
}

six() {
	ip -n server addr add fd01::1/64 dev s0 nodad
	ip -n router addr add fd01::2/64 dev r0 nodad
	ip -n router addr add fd02::1/64 dev r1 nodad
	ip -n client addr add fd02::2/64 dev c0 nodad
	ip netns exec router bash -c 'echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
	ip -n server route add default via fd01::2
	ip -n client route add default via fd02::1
}

others() {
	through "in the packets, IPv6" fd01::1 ack_burst 1
	pieces "in the packets, IPv6"
	through "bursts of 64" 10.0.1.1 ack_burst 64
	tc -n router qdisc del dev r1 root
	at="parent 1:1"
	tc -n router qdisc add dev r1 root handle 1: tbf rate 50mbit burst 10k limit 1m
	through "under tbf" 10.0.1.1 ack_burst 1
	pieces "under tbf"
	tc -n router qdisc del dev r1 root
	tc -n router qdisc add dev r1 root handle 1: htb default 1
	tc -n router class add dev r1 parent 1: classid 1:1 htb rate 1mbit quantum 1514
	through "merges, under htb" 10.0.1.1 ack_burst 0 station_limit 100
	[ "$(counter merged)" -ge $([ $exact ] && echo 5 || echo 1) ] || fail "$(counter merged) acknowledgements went with data"
	tc -n router qdisc del dev r1 root
	tc -n router qdisc add dev r1 root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	through "under prio" 10.0.1.1 ack_burst 1
	pieces "under prio"
	tc -n router qdisc del dev r1 root
}

# round [others]
round() {
	insmod /ko/sch_airtab.ko
	home
	six
	at=root
	through "left to the device" 10.0.1.1 ack_burst 1
	pieces "left to the device"
	ip netns exec server acks nosum s0
	through "in the packets" 10.0.1.1 ack_burst 1
	pieces "in the packets"
	[ "$(seen behind summed)" -ge 100 ] || fail "$(seen behind summed) checksums were there to see"
	"$@"

	# replaced, changed and removed while it makes them
	at=root
	{
		for n in 1 2 3 4 5 6; do
			tc -n router qdisc replace dev r1 root handle $n: vfq ack_burst 1
			sleep 0.1
			tc -n router qdisc change dev r1 root vfq ack_burst 2 merge off
			sleep 0.05
			tc -n router qdisc replace dev r1 root fq_codel
		done
		tc -n router qdisc replace dev r1 root vfq ack_burst 1
	} &
	changes=$!
	exchange "while it is replaced" 10.0.1.1
	wait $changes
	ip -n router link set r1 down
	no_home
	rmmod sch_airtab
}

cd /tmp
round others
before=$(buffers)
round
# hundreds are made and merged; the namespaces' own keep one or two now and then
after=$(buffers)
[ "$after" -le $((before + aside + 8)) ] || fail "$after buffers in use, $before the time before"
figure "$after buffers in use, $before the round before"
