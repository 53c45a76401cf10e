# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Each single allocation of the kernel fails in turn while a qdisc of each kind replaces
# another, is changed, deleted and dumped, and while a GSO packet is sent through it, and while
# mq makes one of three kinds for each transmit queue: who asked is told, the qdisc that was there
# stays, packets pass. The queues of mq are a wireless device's, each with a governor and stations;
# packets are claimed there, and a governor is switched on where there was none.
# boot: checked  limit: 900  kernel: debug
. ./lib.sh

# which allocations may fail: all, without a word
for where in failslab fail_page_alloc; do
	cd /sys/kernel/debug/$where
	echo 0 >verbose
	echo N >ignore-gfp-wait
done
echo N >ignore-gfp-highmem
echo 0 >min-order

# try WHAT DEV ARGUMENTS...: adds the allocations to all
try() {
	local said
	said=$(rawtc failing "$@") || fail "$*: $said"
	echo "$*: $said"
	all=$((all + ${said%% *})) requests=$((requests + 1))
}

# passes DEV ADDRESS: packets do
passes() {
	local before
	before=$(</sys/class/net/$1/statistics/tx_packets)
	traffic flood $2 9 count=10 >/dev/null
	sleep 0.3
	[ $(($(</sys/class/net/$1/statistics/tx_packets) - before)) -ge 10 ] || fail "nothing passes $1"
}

cd /tmp
all=0 requests=0
insmod /ko/sch_airtab.ko
slow 20000 4 radio
ip link add d0 type veth peer name d1
for dev in d0 d1; do
	quiet 1 $dev
	ip link set $dev up
done
ip addr add 10.8.0.1/24 dev d0
ip neigh add 10.8.0.2 dev d0 lladdr "$(</sys/class/net/d1/address)"
for kind in $(kinds); do
	try replace d0 "$kind"
	passes d0 10.8.0.2
	try change d0 "$kind" "$(replay params "${kind#at_}" | sed -n 's/^\([0-9]*\) limit .*/\1=100/p')"
	try dump d0 "$kind"
	try send d0 10.8.0.2
	passes d0 10.8.0.2
	try del d0 "$kind"
done
# what mq asks for is the glue's, which is the same for all: with flows, with stations, with neither
for kind in chap vfq cbt; do
	echo "$kind" >/proc/sys/net/core/default_qdisc
	try replace slow0 mq
	passes slow0 10.9.0.2
	try send slow0 10.9.0.2
	passes slow0 10.9.0.2
	tc qdisc del dev slow0 root
	echo pfifo_fast >/proc/sys/net/core/default_qdisc
done
governor=$(replay params glue | sed -n 's/^\([0-9]*\) governor .*/\1/p')
try replace d0 chap "$governor=1"
try on d0 chap "$governor=1"
passes d0 10.8.0.2
ip link del d0
rmmod airtab_slow
rmmod sch_airtab
figure "$all allocations failed one by one in $requests sorts of requests"
