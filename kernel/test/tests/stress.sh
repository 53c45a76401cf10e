# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Below each parent (root, htb, hfsc, tbf, prio, drr, qfq, ets, netem, red, mq) three kinds, in
# turn, while two processes send: four changes, replacements (by any kind) and deletions at
# random (always the same) for each, dumps by a third process, the link down and up, the device removed
# with packets in it, the module unloaded as soon as nobody uses it and not before. After
# each storm packets pass, and no backlog stays. The device is wireless: at root and mq a
# governor runs, is switched off and on, and takes turns with an emulated link.
# boot: checked  limit: 1800  kernel: debug
. ./lib.sh

storm=4		# requests of a storm

# below PARENT: makes it on slow0; sets places, where the qdiscs under test go, as tc says it
below() {
	places=("parent 1:1")
	case $1 in
	root) places=(root) ;;
	htb)
		tc qdisc add dev slow0 root handle 1: htb default 1
		tc class add dev slow0 parent 1: classid 1:1 htb rate 8mbit quantum 3000 ;;
	hfsc)
		tc qdisc add dev slow0 root handle 1: hfsc default 1
		tc class add dev slow0 parent 1: classid 1:1 hfsc sc rate 8mbit ul rate 8mbit ;;
	tbf) tc qdisc add dev slow0 root handle 1: tbf rate 8mbit burst 20000 limit 1000000 ;;
	prio)
		tc qdisc add dev slow0 root handle 1: prio
		places=("parent 1:1" "parent 1:2" "parent 1:3") ;;
	drr)
		tc qdisc add dev slow0 root handle 1: drr
		tc class add dev slow0 parent 1: classid 1:1 drr ;;
	qfq)
		tc qdisc add dev slow0 root handle 1: qfq
		tc class add dev slow0 parent 1: classid 1:1 qfq weight 1 maxpkt 2048 ;;
	ets)
		tc qdisc add dev slow0 root handle 1: ets bands 3 quanta 3000 3000 3000
		places=("parent 1:1" "parent 1:2" "parent 1:3") ;;
	netem) tc qdisc add dev slow0 root handle 1: netem delay 2ms limit 1000 ;;
	red) tc qdisc add dev slow0 root handle 1: red limit 400000 min 30000 max 90000 avpkt 1000 \
		burst 55 probability 0.02 bandwidth 10mbit ;;
	mq)
		tc qdisc add dev slow0 root handle 1: mq
		places=("parent 1:1" "parent 1:2" "parent 1:3" "parent 1:4") ;;
	esac
	case $1 in
	drr | qfq) tc filter add dev slow0 parent 1: matchall classid 1:1 ;;
	esac
}

again() {
	tc qdisc del dev slow0 root
	below "$1"
}

# parameters KIND: what may change of it, "NAME VALUE" a line, another and the default
parameters() {
	local name unit when def least most choices
	while read -r _ name unit when def least most choices; do
		[ "$when" = live ] || continue
		case $1.$name in	# what goes with others alone
		cbt.share | cbt.bandwidth | cbt.th_m* | cbt.station_rate) continue ;;
		esac
		word "$unit" "$def" $choices
		echo "$name $REPLY"
		case $unit in
		bool) word bool $((1 - def)) ;;
		bps) word bps $((def ? def / 3 : most)) ;;	# a third of 54 Mb/s is a rate, too
		choice) word choice $(((def + 1) % $(wc -w <<<"$choices"))) $choices ;;
		*) word "$unit" $((!def ? most : def / 2 > least ? def / 2 : least)) ;;
		esac
		echo "$name $REPLY"
	done < <(replay params "${1#at_}")
}

# glue PARENT: likewise of what every kind has. An emulated link holds packets that it has, which
# parents take amiss.
glue() {
	printf '%s\n' "split_gso on" "split_gso auto" "inflight_station 1ms" "inflight_station 3ms" "pace 20mbit" "pace 0"
	case $1 in
	root | mq) printf '%s\n' "governor off" "governor auto" "governor on emulate off" "emulate d7.1 governor auto" "emulate off" ;;
	*) printf '%s\n' "governor off" "governor auto" ;;
	esac
}

# requests KIND PARAMETER...: of a storm, which begins and ends with KIND at all places
requests() {
	local kind=$1 place now n another
	declare -A now
	shift
	for place in "${places[@]}"; do
		echo "qdisc replace dev slow0 $place $kind limit 100"
		now[$place]=$kind
	done
	for ((n = 0; n < storm; n++)); do
		place=${places[RANDOM % ${#places[@]}]}
		another=${all[RANDOM % ${#all[@]}]}
		case $((RANDOM % 10)) in
		[0-4])
			if [ "${now[$place]}" = "$kind" ]; then
				echo "qdisc change dev slow0 $place $kind ${*:1 + RANDOM % $#:1}"
				continue
			fi ;;
		5) another=pfifo ;;
		6)
			if [ "${now[$place]}" ]; then
				echo "qdisc del dev slow0 $place"
				now[$place]=""
				continue
			fi ;;
		esac
		echo "qdisc replace dev slow0 $place $another limit $((10 + RANDOM % 300))"
		now[$place]=$another
	done
	for place in "${places[@]}"; do
		echo "qdisc replace dev slow0 $place $kind limit 100"
	done
}

# dumps: until killed
dumps() {
	while :; do
		tc -s qdisc show dev slow0
		tc -s class show dev slow0
	done >/dev/null 2>&1
}

# left: packets in the qdiscs of slow0
left() {
	tc -s qdisc show dev slow0 | sed -n 's/.*backlog [0-9A-Za-z]*b \([0-9]*\)p.*/\1/p' | sort -n | tail -n 1
}

empty() {
	[ "$(left)" = 0 ]
}

# quiet_again: the backlog goes by itself, and packets pass
quiet_again() {
	local before n
	until_true "$1: packets stay in the queues" empty
	before=$(</sys/class/net/slow0/statistics/tx_packets)
	traffic flood 10.9.0.2 9 count=10 >/dev/null
	for n in {1..50}; do
		[ $(($(</sys/class/net/slow0/statistics/tx_packets) - before)) -lt 10 ] || return 0
		sleep 0.2
	done
	fail "$1: nothing passes any more"
}

# rage PARENT
rage() {
	local kind dumper n begun=$SECONDS
	insmod /ko/sch_airtab.ko
	slow 5000 4 radio
	below "$1"
	load 10.9.0.2 fd09::2
	dumps &
	dumper=$!
	for n in 1 2 3; do
		kind=${all[turn++ % ${#all[@]}]}
		mapfile -t live < <(parameters "$kind"; glue "$1")
		requests "$kind" "${live[@]}" >batch
		tc -batch batch || fail "$1, $kind: $(<batch)"
		asked=$((asked + $(wc -l <batch)))
		! rmmod sch_airtab 2>/dev/null || fail "$1, $kind: the module is unloaded under load"
		ip link set slow0 down
		ip link set slow0 up
		# Linux's hfsc never gives a class its turn again that had packets when the link went down
		[ "$1" != hfsc ] || again hfsc
	done
	ip addr replace fd09::1/64 dev slow0 nodad
	kill $dumper
	wait $dumper || true
	unload
	quiet_again "$1"
	load 10.9.0.2 fd09::2
	[ "$1" = root ] || tc qdisc del dev slow0 root
	tc qdisc replace dev slow0 root pfifo
	rmmod sch_airtab	# while packets go
	insmod /ko/sch_airtab.ko
	again "$1"
	for place in "${places[@]}"; do
		tc qdisc replace dev slow0 $place "${all[RANDOM % ${#all[@]}]}"
	done
	sleep 0.5
	rmmod airtab_slow	# with packets in it
	unload
	rmmod sch_airtab
	echo "$1: $((SECONDS - begun)) s"
}

cd /tmp
RANDOM=1 asked=0 turn=0
mapfile -t all < <(kinds)
for parent in root htb hfsc tbf prio drr qfq ets netem red mq; do
	rage $parent
done
figure "${#all[@]} kinds below 11 parents: $asked requests under load"
