# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Commands of steps 6 and 7 of docs/tutorial.md as they are printed there, on a
# device eth0: chap at its root, under htb, and removed.
# boot: checked  limit: 900
. ./lib.sh

# kinds: the qdiscs of eth0, root first
kinds() {
	tc -j qdisc show dev eth0 | jq -r '[.[].kind] | join(" ")'
}

insmod /ko/sch_airtab.ko
ip link add eth0 type veth peer name far0
ip link set eth0 up
ip link set far0 up

tc qdisc add dev eth0 root chap help >help 2>&1 || :
grep -q increment help || fail "help names no increment: $(<help)"
DEV=eth0
tc qdisc show dev $DEV
before=$(kinds)
tc qdisc replace dev eth0 root chap
equal "at the root" "$(kinds)" chap
tc qdisc replace dev $DEV root chap
equal "replaced by itself" "$(kinds)" chap
tc -s qdisc show dev $DEV
tc -s class show dev $DEV
tc qdisc del dev $DEV root
equal "afterwards" "$(kinds)" "$before"

tc qdisc add dev eth0 root handle 1: htb default 10
tc class add dev eth0 parent 1: classid 1:10 htb rate 19mbit
tc qdisc add dev eth0 parent 1:10 chap
equal "under htb" "$(kinds)" "htb chap"
tc qdisc del dev eth0 root
rmmod sch_airtab
ip link del eth0
