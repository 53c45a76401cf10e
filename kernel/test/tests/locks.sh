# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Large tables: 240000 flows of chap, each with a record, and 20000 packets queued:
# all rows are dumped in less than 2 s of guest time, the tenth in a tenth of it, and
# no lock that packets wait for is held for more than 5 ms by a dump, a change of
# chap's increment or of a limit, statistics, or a link that goes down.
# boot: measured  limit: 900  clock: exact  kernel: 6.1,(6.12)
. ./lib.sh

flows=240000 backlog=20000
most=5000000	# ns

# held WHAT COMMAND...: the longest hold meanwhile, as a figure
held() {
	local what=$1 times longest sum
	shift
	echo d0 >/sys/kernel/debug/airtab_locks
	"$@" >/dev/null
	read -r times longest sum </sys/kernel/debug/airtab_locks
	figure "$what: lock taken $times times, held for $((longest / 1000)) us at most, $((sum / 1000)) us in all"
	[ "$times" -gt 0 ] || fail "$what: the lock is not seen"
	[ "$longest" -lt $most ] || fail "$what: the lock is held for $longest ns"
}

# dump FLOWS: sets ns; as many rows as flows are known, of which two in 2^32 agree
dump() {
	local rows
	read -r _ rows _ _ _ ns _ <<<"$(rows count d0)"
	equal "rows" "$rows" "$(tc -s -j qdisc show dev d0 root | jq '.[0].airtab.flows')"
	[ "$rows" -gt $(($1 - 50)) ] || fail "$rows flows are known of $1"
	figure "$rows rows dumped in $((ns / 1000)) us"
}

down() {
	ip link set d0 down
}

insmod /ko/sch_airtab.ko
insmod /ko/airtab_bench.ko
insmod /ko/airtab_locks.ko
ip link add d0 type dummy
ip link set d0 addrgenmode none
ip link set d0 up
tc qdisc add dev d0 root chap flows 262144 limit 65535 memory 1GiB
echo "d0 $((flows / 10)) 0" >/sys/kernel/debug/airtab_fill
dump $((flows / 10))
tenth=$ns
echo "d0 $flows $backlog" >/sys/kernel/debug/airtab_fill
dump $flows
[ "$ns" -lt 2000000000 ] || fail "the dump takes $ns ns"
[ "$ns" -lt $((tenth * 12)) ] || fail "ten times the rows take $((ns * 10 / tenth)) tenths of the time"
held "dump" rows count d0
held "statistics" tc -s qdisc show dev d0
held "change of increment" tc qdisc change dev d0 root chap increment 30ms
held "newcomers off" tc qdisc change dev d0 root chap newcomers off
held "limit to $((backlog / 2))" tc qdisc change dev d0 root chap limit $((backlog / 2))
held "link down" down
ip link set d0 up
for kind in at_fifo spq at_fq_codel; do
	options="limit 1000000"
	[ $kind != at_fq_codel ] || options="$options flows 65536 memory 1GiB"
	# shellcheck disable=SC2086
	tc qdisc replace dev d0 root $kind $options
	echo "d0 60000 $backlog" >/sys/kernel/debug/airtab_fill
	[ $kind = at_fifo ] || held "$kind: dump" rows count d0
	held "$kind: limit to $((backlog / 2))" tc qdisc change dev d0 root $kind limit $((backlog / 2))
	held "$kind: link down" down
	ip link set d0 up
done
ip link del d0
rmmod airtab_locks
rmmod airtab_bench
rmmod sch_airtab
