# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# What the core is told about real frames: one flow whatever is in front of or
# beside its ports (IP options, PPPoE, extension headers, flow label, VLAN
# priority) and in whichever direction; fragments, protocols, VLANs apart; ARP
# and EAPOL urgent; groups multicast; classes by priority.
# boot: checked  limit: 900
. ./lib.sh

frame=/bin/frame
insmod /ko/sch_airtab.ko
# veth, since raw frames on a VLAN device without offload confuse packet sockets
ip link add d0 type veth peer name d1
# up DEV, without packets of the kernel's own: no group is joined there
up() {
	echo 1 >/proc/sys/net/ipv6/conf/$1/disable_ipv6
	ip link set $1 up
}
up d0
up d1
dev=d0

ethernet() { printf '0200000000%02x 020000000009 %s ' "${2:-1}" "$1"; }
ports="15b3 2328"	# 5555 9000
# Lengths: 58 bytes of UDP with its header
udp() { printf '%s 003a 0000 %0100d' "${1:-$ports}" 0; }
a4=0a000001 b4=0a000002
# ipv4 FRAGMENT FROM TO PORTS
ipv4() { printf '4500 004e 0007 %s 40 11 0000 %s %s ' "${1:-0000}" "${2:-$a4}" "${3:-$b4}"; udp "${4:-$ports}"; }
ipv4_options() { printf '4600 0052 0007 0000 40 11 0000 %s %s 01010101 ' $a4 $b4; udp; }
a6="fd00 0000 0000 0000 0000 0000 0000 0001" b6="fd00 0000 0000 0000 0000 0000 0000 0002"
# ipv6 LABEL FROM TO PORTS
ipv6() { printf '600%s 003a 11 40 %s %s ' "${1:-00000}" "${2:-$a6}" "${3:-$b6}"; udp "${4:-$ports}"; }
ipv6_options() { printf '60000063 0042 3c 40 %s %s 11 00 01 04 00000000 ' "$a6" "$b6"; udp; }
pppoe() { printf '11 00 0001 0050 0021 '; ipv4; }

# told NAME: a statistic of chap
told() {
	local all
	all=$(tc -s qdisc show dev d0 root)
	[[ ${all#*backlog} =~ \ $1\ ([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

fresh() {
	tc qdisc replace dev d0 root pfifo
	tc qdisc replace dev d0 root chap
}

# flows WANTED WHAT FRAME: after the frame so many flows are known
flows() {
	"$frame" "$dev" "$3"
	equal "flows after $2" "$(told flows)" "$1"
}

fresh
flows 1 "IPv4" "$(ethernet 0800; ipv4)"
flows 1 "IPv4 to another station" "$(ethernet 0800 77; ipv4)"
flows 1 "IPv4 with options" "$(ethernet 0800; ipv4_options)"
flows 1 "the other direction" "$(ethernet 0800; ipv4 0000 $b4 $a4 "2328 15b3")"
flows 1 "PPPoE" "$(ethernet 8864; pppoe)"
flows 2 "another port" "$(ethernet 0800; ipv4 0000 $a4 $b4 "15b3 2329")"
flows 3 "ports exchanged" "$(ethernet 0800; ipv4 0000 $a4 $b4 "2328 15b3")"
flows 4 "a first fragment" "$(ethernet 0800; ipv4 2000)"
flows 4 "a later fragment" "$(ethernet 0800; ipv4 2007 $a4 $b4 "ffff eeee")"

fresh
flows 1 "IPv6" "$(ethernet 86dd; ipv6)"
flows 1 "IPv6 with a label" "$(ethernet 86dd; ipv6 00077)"
flows 1 "IPv6 with options" "$(ethernet 86dd; ipv6_options)"
flows 1 "the other direction" "$(ethernet 86dd; ipv6 00000 "$b6" "$a6" "2328 15b3")"
flows 2 "IPv6, another port" "$(ethernet 86dd; ipv6 00000 "$a6" "$b6" "15b3 2329")"

fresh
zeros=$(printf '%0100d' 0) ones=${zeros//0/1}
flows 1 "another protocol" "$(ethernet 88b5) $zeros"
flows 1 "another packet of it" "$(ethernet 88b5) $ones"
flows 2 "one more protocol" "$(ethernet 88b6) $zeros"
flows 3 "an IPv4 header cut short" "$(ethernet 0800) 45"

ip link add link d0 name d0.7 type vlan id 7
up d0.7
fresh
flows 1 "no VLAN" "$(ethernet 0800; ipv4)"
dev=d0.7
flows 2 "VLAN 7" "$(ethernet 0800; ipv4)"
ip link set d0.7 type vlan egress 0:5
flows 2 "VLAN 7, priority 5" "$(ethernet 0800; ipv4)"
flows 3 "VLAN 7, another port" "$(ethernet 0800; ipv4 0000 $a4 $b4 "0001 0002")"
dev=d0

fresh
n=0
for protocol in 0806 888e; do
	"$frame" d0 "$(ethernet $protocol) $zeros"
	"$frame" d0.7 "$(ethernet $protocol) $zeros"
	n=$((n + 2))
	equal "urgent packets after protocol $protocol" "$(told urgent)" $n
done
"$frame" d0 "$(ethernet 888f) $zeros"
equal "urgent packets after another protocol" "$(told urgent)" $n
equal "flows" "$(told flows)" 1
# the first byte of the address says that it is a group; reports of the stack may add to them
for _ in {1..20}; do
	"$frame" d0 "0302 $(ethernet 0800 | cut -c5-) $(ipv4)"
done
equal "flows after multicast" "$(told flows)" 1
groups=$(tc -s class show dev d0 | sed -n 's/.*flow 100000000 .* packets \([0-9]*\) .*/\1/p')
[ "${groups:-0}" -ge 20 ] || fail "of 20 multicast packets $groups are charged as such"

# classes: two frames go with tbf's burst, it looks at the third, the rest stays
tc qdisc replace dev d0 root handle 1: tbf rate 8bit burst 2000 limit 100000
tc qdisc add dev d0 parent 1: handle 2: spq classes 4
for bytes in 100 900 1500; do
	"$frame" d0 "$(ethernet 0800) $(printf "%0$((2 * bytes))d" 0)"
done
# beyond 0 to 7: TC_PRIO_CONTROL + 16, the class 1:6, cfg80211's for 5
for priority in {0..9} 22 $((0x10006)) 261; do
	"$frame" d0 "$(ethernet 0800) $(ipv4)" "$priority"
done
rows=$(tc -s class show dev d0 | sed -n 's/.*class \([0-9]*\) backlog \([0-9]*\)$/\1:\2/p')
equal "packets by class" "${rows//$'\n'/ }" "255:0 0:2 1:3 2:6 3:2"
ip link del d0
rmmod sch_airtab
figure "22 frames in the flows, 6 in the urgency and 13 in the classes that they should be in"
