# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Under full load: parameters change, the qdisc is replaced by itself, by pfifo
# and back, deleted, and its device removed; the module cannot be unloaded while
# it is used and can at once when it is not. Every buffer is freed.
# boot: checked  limit: 900  kernel: 6.1,(6.12)
. ./lib.sh

loaded() {
	[[ $(tc -s qdisc show dev slow0 root) == *"backlog "[1-9]* ]]
}

# disturb KIND
disturb() {
	local kind=$1
	slow 20000 1
	tc qdisc add dev slow0 root "$kind" limit 200
	load 10.9.0.2 fd09::2
	tc qdisc change dev slow0 root "$kind" limit 20
	tc qdisc change dev slow0 root "$kind" limit 300
	tc qdisc replace dev slow0 root handle 8: "$kind" limit 100
	tc qdisc replace dev slow0 root pfifo limit 50
	tc qdisc replace dev slow0 root "$kind" limit 100
	rmmod sch_airtab 2>said && fail "$kind: the module is unloaded under load"
	grep -q "in use" said || fail "$kind: $(<said)"
	tc qdisc del dev slow0 root
	tc qdisc add dev slow0 root "$kind" limit 150
	ip link set slow0 down
	ip link set slow0 up
	ip addr replace fd09::1/64 dev slow0 nodad
	unload
	load 10.9.0.2 fd09::2
	until_true "$kind: no load when the device is removed" loaded
	rmmod airtab_slow
	unload
}

# twice, where the clock is exact and there is time
[ $exact ] && [[ $(uname -r) != 6.1.* ]] && rounds="1 2" || rounds=1
for round in $rounds; do
	insmod /ko/sch_airtab.ko
	for kind in $(kinds); do
		disturb "$kind"
	done
	rmmod sch_airtab
	freed
done
for round in 1 2 3; do
	insmod /ko/sch_airtab.ko
	rmmod sch_airtab
done
figure "$(kinds | wc -l) kinds changed, replaced, deleted, device removed and module unloaded under load; $left buffers in use afterwards"
