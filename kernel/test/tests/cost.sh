# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Instructions that a qdisc executes for one packet (enqueue and dequeue) with a
# standing backlog, over those of pfifo, with 1, 100 and 1000 flows; for packets
# of local TCP sockets and for forwarded ones. chap, with shares of flows and of stations, must not take more
# than cake; above fq_codel at most 50 for forwarded packets with one flow, 150 with more, and for local ones 400 with one
# flow and shares of flows, 570 otherwise. A governor takes at most 1450 more, for the station, the claim, the
# completion and what is learned from it, with 32 packets in the driver. CoDel's and PIE's targets are set out of reach:
# nothing is dropped.
# boot: measured  limit: 900  clock: exact
. ./lib.sh

rounds=5000
# above fq_codel: "flows.local"
declare -A most=([1.0]=50 [100.0]=150 [1000.0]=150 [flow.1.1]=400 [station.1.1]=570 [100.1]=570 [1000.1]=570)
ns_per_instruction=2

# instructions KIND FLOWS LOCAL [BELOW [OPTION...]]: prints them, per packet
instructions() {
	local backlog=$(($2 < 500 ? 1000 : 2 * $2)) options="" with without
	case $1 in
	chap) options="limit 8000 flows 16384 target 1s" ;;
	cake) options="rtt 1s" ;;
	at_cake) options="limit 8000 target 1s interval 1s" ;;
	wfq) options="limit 8000 station_limit 8000" ;;
	vfq) options="limit 8000 station_limit 4096 target 1s" ;;
	at_red) options="limit 8000 min 65535 max 65535" ;;
	at_cbq) options="limit 8000 class_limit 8000" ;;
	cbt) options="limit 8000 guard 65535" ;;
	wqm) options="limit 8000 least 65535" ;;
	dnb) options="limit 8000 limits 8000" ;;
	astar) options="limit 8000 law ebdp burst 8000" ;;
	fred) options="limit 8000 flows 8000 min 65535 max 65535" ;;
	*codel | *pie) options="limit 8000 target 1s" ;;
	*) options="limit 8000" ;;
	esac
	# shellcheck disable=SC2086
	tc qdisc replace dev d0 root $1 $options "${@:5}"
	echo "d0 $2 $backlog $rounds $3 ${4:-0}" >/sys/kernel/debug/airtab_bench || fail "$1, $2 flows: not all stay queued"
	read -r with without </sys/kernel/debug/airtab_bench
	echo $(((with - without) / rounds / ns_per_instruction))
	tc qdisc del dev d0 root
}

declare -A over governed
insmod /ko/sch_airtab.ko
insmod /ko/airtab_bench.ko
ip link add d0 type dummy
ip link set d0 up
flows="1 100 1000"
instructions at_fifo 1 1 >/dev/null	# sets up the key of the flow hash, once
figure "instructions per packet over pfifo's: local, then forwarded, with $flows flows each"
for kind in pfifo fq_codel cake $(kinds | sed 's/^chap$/chap:flow chap:station/'); do
	line=""
	share=()
	[ "${kind%%:*}" = "$kind" ] || share=(0 share "${kind#*:}")
	for local in 1 0; do
		for n in $flows; do
			over[$kind.$n.$local]=$(instructions "${kind%%:*}" "$n" $local "${share[@]}")
			line+=" $((${over[$kind.$n.$local]} - ${over[pfifo.$n.$local]}))"
		done
	done
	[ "$kind" = pfifo ] && line=" (takes ${over[pfifo.1.1]} itself)"
	figure "$kind:$line"
done
for share in flow station; do
	for n in $flows; do
		for local in 1 0; do
			chap=${over[chap:$share.$n.$local]} cake=${over[cake.$n.$local]} fq_codel=${over[fq_codel.$n.$local]}
			with="with share $share, $n flows, local $local"
			[ "$chap" -le "$cake" ] || fail "chap takes $chap, cake $cake $with"
			[ $((chap - fq_codel)) -le "${most[$share.$n.$local]:-${most[$n.$local]}}" ] || fail "chap takes $chap, fq_codel $fq_codel $with"
		done
	done
done
for kind in at_fifo at_fq_codel chap airtime_fq; do
	line=""
	options=()
	[ $kind != airtime_fq ] || options=(aql off)
	for n in $flows; do
		governed[$n]=$(($(instructions $kind "$n" 0 32 "${options[@]}" governor on) -
			$(instructions $kind "$n" 0 32 "${options[@]}" governor off)))
		line+=" ${governed[$n]}"
	done
	figure "a governor's above $kind:$line"
	[ $kind != at_fifo ] || [ "${governed[100]}" -le 1450 ] || fail "a governor takes ${governed[100]} above $kind"
done
ip link del d0
rmmod airtab_bench
rmmod sch_airtab
