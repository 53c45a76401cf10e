# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Instructions that a qdisc executes for one packet (enqueue and dequeue) with a
# standing backlog, over those of pfifo, with 1, 100 and 1000 flows; for packets
# whose hash is known (local sockets) and not (forwarded). chap must not take
# more than cake, nor, forwarded, more than 600 above fq_codel. CoDel's and
# PIE's targets are set out of reach: nothing is dropped.
# boot: measured  limit: 900  clock: exact
. ./lib.sh

rounds=5000
most=600	# above fq_codel
ns_per_instruction=2

# instructions KIND FLOWS KNOWN: prints them, per packet
instructions() {
	local backlog=$(($2 < 500 ? 1000 : 2 * $2)) options="" with without
	case $1 in
	chap) options="limit 8000 flows 16384 target 1s" ;;
	cake) options="rtt 1s" ;;
	at_cake) options="limit 8000 target 1s interval 1s" ;;
	*codel | *pie) options="limit 8000 target 1s" ;;
	*) options="limit 8000" ;;
	esac
	# shellcheck disable=SC2086
	tc qdisc replace dev d0 root $1 $options
	echo "d0 $2 $backlog $rounds $3" >/sys/kernel/debug/airtab_bench || fail "$1, $2 flows: not all stay queued"
	read -r with without </sys/kernel/debug/airtab_bench
	echo $(((with - without) / rounds / ns_per_instruction))
	tc qdisc del dev d0 root
}

declare -A over
insmod /ko/sch_airtab.ko
insmod /ko/airtab_bench.ko
ip link add d0 type dummy
ip link set d0 up
flows="1 100 1000"
instructions at_fifo 1 1 >/dev/null	# sets up the key of the flow hash, once
figure "instructions per packet over pfifo's: hash known, then not, with $flows flows each"
for kind in pfifo fq_codel cake $(kinds); do
	line=""
	for known in 1 0; do
		for n in $flows; do
			over[$kind.$n.$known]=$(instructions "$kind" "$n" $known)
			line+=" $((${over[$kind.$n.$known]} - ${over[pfifo.$n.$known]}))"
		done
	done
	[ "$kind" = pfifo ] && line=" (takes ${over[pfifo.1.1]} itself)"
	figure "$kind:$line"
done
for n in $flows; do
	for known in 1 0; do
		chap=${over[chap.$n.$known]} cake=${over[cake.$n.$known]}
		[ "$chap" -le "$cake" ] || fail "chap takes $chap, cake $cake with $n flows, known $known"
	done
	fq_codel=${over[fq_codel.$n.0]}
	[ "$chap" -le $((fq_codel + most)) ] || fail "chap takes $chap, fq_codel $fq_codel with $n flows"
done
ip link del d0
rmmod airtab_bench
rmmod sch_airtab
