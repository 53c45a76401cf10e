# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# The guest itself: namespaces, a router with htb and fq_codel, UDP through it,
# and the statistics that the other tests rely on.
# boot: checked  limit: 900
. ./lib.sh

home
tc -n router qdisc add dev r1 root handle 1: htb default 10
tc -n router class add dev r1 parent 1: classid 1:10 htb rate 20mbit quantum 3000
tc -n router qdisc add dev r1 parent 1:10 fq_codel limit 2000
ip netns exec client traffic sink 9000 >sunk &
sink=$!
bound client 9000
ip netns exec server traffic flood 10.0.2.2 9000 count=1 >offered	# finds the neighbours
sleep 0.2
ip netns exec server traffic flood 10.0.2.2 9000 flows=10 count=1000 size=500 >>offered
sleep 1
kill $sink
wait $sink
equal "offered" "$(<offered)" $'offered 1\noffered 1000'
dropped=$(tc -n router -s -j qdisc show dev r1 | jq '.[] | select(.kind == "fq_codel").drops')
received=$(<sunk)
equal "received and dropped" $((${received#received } + dropped)) 1001
no_home
