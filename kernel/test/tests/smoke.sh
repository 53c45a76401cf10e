# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# The guest itself: tc with Linux's own qdiscs, namespaces, UDP and TCP through
# a shaped link, the statistics that the other tests rely on.
# boot: checked  limit: 60
. ./lib.sh

two_ends
tc -n left qdisc replace dev v0 root handle 1: htb default 10
tc -n left class add dev v0 parent 1: classid 1:10 htb rate 20mbit
tc -n left qdisc add dev v0 parent 1:10 fq_codel limit 100
ip netns exec right traffic sink 9000 >sunk &
sink=$!
sleep 0.2
ip netns exec left traffic flood 10.0.0.2 9000 flows=10 count=2000 size=500
sleep 0.5
kill $sink
wait $sink
cat sunk
no_ends
