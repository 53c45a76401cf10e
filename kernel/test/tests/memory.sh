# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# An ordinary user in a network namespace of his own: one message costs the kernel
# less than 8 MB, whatever kind, parameter or number of transmit queues (mq) it is
# about; what is more is refused, with the parameter, its value and what is
# allowed. Root of the machine gets large tables, and all memory comes back. On two processors
# one parameter in five.
# boot: measured  limit: 900  kernel: 6.1,(6.12)
. ./lib.sh

# used: kB of memory that the kernel has for itself: MemFree would not do, pages that
# were freed lately are in no count
used() {
	local key kB _ sum=0
	while read -r key kB _; do
		case $key in
		Slab: | VmallocUsed: | PageTables: | KernelStack: | Percpu:) sum=$((sum + kB)) ;;
		esac
	done </proc/meminfo
	echo $sum
}

# Waits until the namespace before this one has gone, and its memory with it.
settle() {
	local was now
	now=$(used)
	for _ in {1..20}; do
		was=$now
		sleep 0.3
		now=$(used)
		if [ $((now - was)) -le 64 ] && [ $((was - now)) -le 64 ]; then return; fi
	done
}

# once COMMAND: of root in a new namespace; sets said, kB and, if it was accepted, ok
once() {
	local before after
	settle
	said=$(setpriv --reuid 1000 --regid 1000 --clear-groups unshare -U -r -n bash -c "
		$(declare -f used)
		ip link add d0 numtxqueues 64 type dummy && ip link set d0 up
		used
		if $1; then echo accepted; else echo refused; fi 2>&1
		used" 2>&1)
	before=${said%%$'\n'*} after=${said##*$'\n'}
	kB=$((after - before))
	case $said in
	*accepted*) ok=yes ;;
	*) ok=no ;;
	esac
}

# taken COMMAND: the same, less than 8 MB. What another processor allocates meanwhile is
# counted, too: where there is one, the least of three times.
taken() {
	local least="" tries=3
	[ $exact ] && tries=1
	for ((; tries > 0; tries--)); do
		once "$1"
		[ "${least:-$kB}" -lt $kB ] || least=$kB
		[ $least -ge 7812 ] || break
	done
	kB=$least
	[ $kB -lt 7812 ] || fail "$1 takes $kB kB: $said"
	[ $kB -le $most ] || most=$kB
	asked=$((asked + 1))
}

# denied COMMAND WORD...: refused, and says the words
denied() {
	local word
	taken "$1"
	[ $ok = no ] || fail "$1 is accepted"
	for word in "${@:2}"; do
		[[ $said == *"$word"* ]] || fail "$1: refused without '$word': $said"
	done
}

asked=0 most=0
cd /tmp
insmod /ko/sch_airtab.ko
insmod /ko/airtab_trial.ko
echo chap >/proc/sys/net/core/default_qdisc
taken "tc qdisc add dev d0 root chap"		# what a user needs for the first time
denied "tc qdisc add dev d0 root chap flows 4194304" flows 4194304 "at most" "first user namespace"
best=$(sed -n 's/.*flows: 4194304: at most \([0-9]*\) .*/\1/p' <<<"$said")
[ "$best" -ge 32768 ] && [ "$best" -le 65536 ] || fail "at most '$best' flows: $said"
taken "tc qdisc add dev d0 root chap flows $best"
equal "chap flows $best" $ok yes
[ $kB -ge 6000 ] || fail "chap flows $best takes $kB kB only: what is measured?"
denied "tc qdisc add dev d0 root chap flows $((best + 1))" flows $((best + 1)) "at most $best"
taken "tc qdisc add dev d0 root chap flows $((best + best / 8)) target off"	# a target takes memory
equal "chap flows $((best + best / 8)) target off" $ok yes
denied "tc qdisc add dev d0 root chap flows 65537" flows 65537
each=0
for kind in $(kinds); do
	while read -r id name unit _ _ _ largest _; do
		[ $((each += 1)) -gt 0 ] && [ ! $exact ] && [ $((each % 5)) != 0 ] && continue
		case $unit in
		bool | choice) ;;
		*) taken "rawtc add d0 $kind $id=$largest" ;;
		esac
	done < <(replay params "${kind#at_}")
done
# 7500 kB less an instance of 8.3 kB itself
denied "rawtc add d0 table 3=8000" limit 8000 "at most 7491"
taken "rawtc add d0 table 3=7491"
equal "table of 7491 kB" $ok yes
# 64 instances at once
denied "tc qdisc add dev d0 root mq"
echo pfifo_fast >/proc/sys/net/core/default_qdisc

# root of the machine
settle
ip link add d0 type dummy
before=$(used)
tc qdisc add dev d0 root chap flows 1000000
[ $(($(used) - before)) -ge 70000 ] || fail "root's 1000000 flows take $(($(used) - before)) kB"
tc qdisc del dev d0 root
settle
left=$(($(used) - before))
[ $left -le 2000 ] || fail "$left kB of the tables are still there"
# more than there is
said=""
for dev in d0 d1 d2 d3; do
	ip link show $dev >/dev/null 2>&1 || ip link add $dev type dummy
	tc qdisc add dev $dev root chap flows 4194304 2>said || said+=$(<said)
done
[[ $said == *"no memory for tables of 473 MB"* ]] || fail "four tables of 473 MB in 1 GB: '$said'"
for dev in d0 d1 d2 d3; do ip link del $dev; done
rmmod airtab_trial
rmmod sch_airtab
figure "$asked messages of an ordinary user: at most $most kB each"
