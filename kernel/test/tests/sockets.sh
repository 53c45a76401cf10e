# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Flows of local sockets: a TCP connection keeps its flow over retransmission timeouts,
# at which its hash changes, whoever opened it; one UDP socket that answers two others
# has two flows, and so have two connections that are refused: the kernel answers both
# with one socket. The last word of a connection whose process has ended is the kernel's
# socket's, too: a flow of its own, if there is one; so flows are counted before.
# boot: checked  limit: 900  kernel: 6.12,(6.1)
. ./lib.sh

# known: flows that chap knows
known() {
	tc -s -j qdisc show dev d0 root | jq '.[0].airtab.flows'
}

# more WHAT BEFORE SHOULD: so many flows more than those before
more() {
	equal "flows after $1" $(($(known) - $2)) "$3"
}

# counter NAME: of TCP
counter() {
	local names values i
	{ read -r -a names; read -r -a values; } < <(grep ^TcpExt: /proc/net/netstat)
	for i in "${!names[@]}"; do
		if [ "${names[i]}" = "$1" ]; then
			echo "${values[i]}"
		fi
	done
}

# rehashes: whether a timeout has given a new hash
rehashes() {
	[ "$(counter TcpTimeoutRehash)" -gt "$rehashed" ]
}

# deaf: nothing that the client sends arrives, until a connection has a new hash
deaf() {
	tc -n client qdisc add dev c0 root netem loss 100%
	until_true "no timeout gives a new hash" rehashes
	tc -n client qdisc del dev c0 root
}

cd /tmp
insmod /ko/sch_airtab.ko
pair
tc qdisc replace dev d0 root chap

ip netns exec client traffic download 5001 >goodput &
bound client 5001 tcp		# or a refused one is a flow as well
traffic upload 10.8.0.2 5001 ms=$([ $exact ] && echo 10000 || echo 20000) &
upload=$!
sleep 0.5
more "a connection" 0 1
timeouts=$(counter TCPTimeouts) rehashed=$(counter TcpTimeoutRehash)
deaf
sleep 0.5
timeouts=$(($(counter TCPTimeouts) - timeouts)) rehashed=$(($(counter TcpTimeoutRehash) - rehashed))
more "$timeouts retransmission timeouts" 0 1
kill -0 $upload 2>/dev/null || fail "the connection has ended before its flows were counted"
wait

before=$(known)
traffic download 5002 >goodput &
bound "" 5002 tcp
ip netns exec client traffic upload 10.8.0.1 5002 ms=1000 &
sleep 0.5
more "a connection that was accepted" $before 1
wait

before=$(known)
traffic echo 7 &
echo=$!
bound "" 7
ip netns exec client traffic probe 10.8.0.1 7 count=2 >answered
kill $echo
wait
more "the answers of one UDP socket to two others" $before 2

before=$(known)
for _ in 1 2; do
	! ip netns exec client traffic upload 10.8.0.1 6000 ms=100 2>said || fail "nobody listens, and it is connected"
done
more "two connections that are refused" $before 2
tc qdisc del dev d0 root
no_pair
rmmod sch_airtab
figure "$timeouts retransmission timeouts, $rehashed new hashes, 1 flow; 1 UDP socket, 2 flows"
