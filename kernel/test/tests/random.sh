# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# 10000 random requests about qdiscs and classes to the kernel, nearly right, cut off or of
# any bytes, for all kinds, from two processes at once, on devices that send, one of them
# wireless: each is answered, and afterwards a right one works and packets pass.
# boot: checked  limit: 900  kernel: debug
. ./lib.sh

cd /tmp
insmod /ko/sch_airtab.ko
slow 20000 1 radio
ip link add d0 type dummy
ip addr add 10.8.0.1/24 dev d0
quiet 1 d0
ip link set d0 up
kinds=$(kinds)
each=$((10000 / 2 / $(wc -w <<<"$kinds") + 1)) sent=0 seed=0
for kind in $kinds; do
	seed=$((seed + 2))
	# as much as the slow device takes, and a packet each 5 ms: the requests are to have time
	traffic flood 10.9.0.2 9 flows=20 count=0 ms=3600000 size=500 wait=1 >/dev/null &
	loads=($!)
	traffic game 10.8.0.2 9 count=1000000 every=5 &
	loads+=($!)
	rawtc fuzz d0 "$kind" $each $seed >said &
	rawtc fuzz slow0 "$kind" $each $((seed + 1)) || fail "$kind, on slow0"
	wait $! || fail "$kind, on d0: $(<said)"
	cat said
	unload
	for dev in d0 slow0; do
		tc qdisc replace dev $dev root pfifo
		tc qdisc replace dev $dev root "$kind"
		before=$(</sys/class/net/$dev/statistics/tx_packets)
		traffic flood $([ $dev = d0 ] && echo 10.8.0.2 || echo 10.9.0.2) 9 count=10 >/dev/null
		sleep 1
		[ $(($(</sys/class/net/$dev/statistics/tx_packets) - before)) -ge 10 ] || fail "$kind: nothing passes $dev"
		tc qdisc del dev $dev root
	done
	sent=$((sent + 2 * each))
done
ip link del d0
rmmod airtab_slow
rmmod sch_airtab
figure "$sent requests at random, each answered"
