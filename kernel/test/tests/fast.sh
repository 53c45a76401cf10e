# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# split_gso auto: local TCP over a fast device is not cut and as fast as with off, at least
# 0.9 of what it is with fq_codel; it is cut where the device's speed is not known (a
# tunnel), where there is a parent, where a governor runs (with off, too), and where the discipline
# sets timers; a device that
# gets a line later (a bridge its first port) is looked at again.
# boot: measured  limit: 900  clock: exact  kernel: 6.12,(6.1)
. ./lib.sh

# send DEV ADDRESS: TCP for a second; sets goodput (kb/s) and whole: whether what DEV sent
# is longer than its MTU allows
send() {
	local packets bytes sent=/sys/class/net/$1/statistics
	packets=$(<$sent/tx_packets) bytes=$(<$sent/tx_bytes)
	ip netns exec client traffic download 5001 >goodput &
	bound client 5001 tcp
	traffic upload "$2" 5001 ms=1000
	wait
	read -r _ goodput <goodput
	packets=$(($(<$sent/tx_packets) - packets)) bytes=$(($(<$sent/tx_bytes) - bytes))
	[ $bytes -gt $((1514 * packets)) ] && whole=yes || whole=no
}

# rate KIND OPTIONS...
rate() {
	tc qdisc replace dev d0 root pfifo	# of the same kind what is not said would stay
	tc qdisc replace dev d0 root "$@"
	send d0 10.8.0.2
	figure "$*: $((goodput / 1000)) Mb/s"
}

cd /tmp
insmod /ko/sch_airtab.ko
pair
rate fq_codel
fq_codel=$goodput
rate chap split_gso on
equal "whole, on" $whole no
rate chap split_gso off
equal "whole, off" $whole yes
off=$goodput
rate chap
equal "whole, auto" $whole yes
[ ! $exact ] || [ $((goodput * 100)) -ge $((off * 95)) ] || fail "auto carries $goodput kb/s, off $off"
[ ! $exact ] || [ $((goodput * 100)) -ge $((fq_codel * 90)) ] || fail "auto carries $goodput kb/s, fq_codel $fq_codel"
equal "a governor that nobody asked for, without a radio" "$(tc -s -j qdisc show dev d0 root | jq '.[0].airtab.below')" null
for split in auto off; do
	rate chap split_gso $split governor on
	equal "whole, $split, above a governor" $whole no
done
rate at_cake
equal "whole, a discipline with timers" $whole no
tc qdisc replace dev d0 root handle 1: prio
tc qdisc add dev d0 parent 1:2 chap
send d0 10.8.0.2
equal "whole, below a parent" $whole no
tc qdisc del dev d0 root

# no speed
ip link add t0 type ipip local 10.8.0.1 remote 10.8.0.2
ip -n client link add t0 type ipip local 10.8.0.2 remote 10.8.0.1
ip addr add 10.6.0.1/24 dev t0
ip -n client addr add 10.6.0.2/24 dev t0
ip link set t0 up
ip -n client link set t0 up
tc qdisc add dev t0 root chap
send t0 10.6.0.2
equal "whole, speed not known" $whole no
ip link del t0

# a speed that comes later
ip link add br0 type bridge
ip link set br0 addrgenmode none up
tc qdisc add dev br0 root chap
ip addr del 10.8.0.1/24 dev d0
ip addr add 10.8.0.1/24 dev br0
ip link set d0 master br0
sleep 2		# the carrier is noticed at most once a second
send br0 10.8.0.2
equal "whole, a speed that came later" $whole yes
ip link del br0
no_pair
rmmod sch_airtab
