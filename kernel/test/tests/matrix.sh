# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Every kind at the root of a slow device, under htb, and under mq with four
# queues, overloaded with IPv4 and IPv6: each packet offered is sent or dropped,
# what was sent is what the device saw, and nothing is left behind, neither in
# the books of the qdisc nor of its parents. Where the clock is not exact the device is
# slower, as a host that has other work overloads it too, and IPv4 and IPv6 take turns.
# boot: checked  limit: 900  kernel: 6.1,(6.12)
. ./lib.sh

count=600
[ $exact ] && mbit=10 || mbit=2

# look: sets packets and drops, of the qdiscs under test, left, in packets of all
# qdiscs of the device (hfsc's JSON is none), and seen, by the device
look() {
	local line mine=""
	packets=0 drops=0 left=0
	while read -r line; do
		case $line in
		"qdisc $kind "*) mine=yes ;;
		qdisc*) mine="" ;;
		esac
		if [ "$mine" ] && [[ $line =~ ^Sent\ [0-9]+\ bytes\ ([0-9]+)\ pkt\ .dropped\ ([0-9]+) ]]; then
			packets=$((packets + BASH_REMATCH[1])) drops=$((drops + BASH_REMATCH[2]))
		fi
		if [[ $line =~ ^backlog\ ([0-9]+)[KM]?b\ ([0-9]+)p ]]; then
			left=$((left + BASH_REMATCH[1] + BASH_REMATCH[2]))
		fi
	done < <(tc -s qdisc show dev slow0)
	seen=$(</sys/class/net/slow0/statistics/tx_packets)
}

# overload PLACE ADDRESS
overload() {
	local before sent dropped offered
	look
	sent=$packets dropped=$drops before=$seen
	offered=$(traffic flood "$2" 9 flows=20 count=$count size=500)
	offered=${offered#offered }
	sleep 1
	look
	sent=$((packets - sent)) dropped=$((drops - dropped))
	echo "$kind, $1, $2: offered $offered, sent $sent, dropped $dropped"
	equal "$kind, $1, $2: sent and dropped" $((sent + dropped)) "$offered"
	equal "$kind, $1, $2: what the device saw" $((seen - before)) "$sent"
	equal "$kind, $1, $2: what is left" "$left" 0
	[ $dropped -gt 0 ] && [ $sent -gt 0 ] || fail "$kind, $1, $2: no overload"
	total=$((total + offered))
}

both() {
	turn=$((1 - turn))
	[ ! $exact ] && [ $turn = 0 ] || overload "$1" 10.9.0.2
	[ ! $exact ] && [ $turn = 1 ] || overload "$1" fd09::2
	tc qdisc del dev slow0 root
}

total=0 turn=0
insmod /ko/sch_airtab.ko
slow ${mbit}000 1
for kind in $(kinds); do
	tc qdisc add dev slow0 root "$kind" limit 100
	both root
	tc qdisc add dev slow0 root handle 1: htb default 10
	tc class add dev slow0 parent 1: classid 1:10 htb rate $((mbit / 2))mbit quantum 3000
	tc qdisc add dev slow0 parent 1:10 "$kind" limit 100
	both htb
	tc qdisc add dev slow0 root handle 1: hfsc default 10
	tc class add dev slow0 parent 1: classid 1:10 hfsc sc rate $((mbit / 2))mbit ul rate $((mbit / 2))mbit
	tc qdisc add dev slow0 parent 1:10 "$kind" limit 100
	both hfsc
done
rmmod airtab_slow
slow $((mbit * 300)) 4
for kind in $(kinds); do
	tc qdisc add dev slow0 root handle 1: mq
	for queue in 1 2 3 4; do
		tc qdisc add dev slow0 parent 1:$queue "$kind" limit 100
	done
	both mq
done
rmmod airtab_slow
rmmod sch_airtab
figure "$(kinds | wc -l) kinds at root, under htb, hfsc and mq, IPv4 and IPv6: $total packets, each sent or dropped once"
