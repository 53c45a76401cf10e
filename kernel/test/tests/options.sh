# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Every parameter of every kind, by the tables, those that all have of one: add, change, replace, show in
# text and JSON; what is out of range is refused by tc and, past tc, by the
# kernel, with the name of the parameter and its range; what is fixed stays.
# boot: checked  limit: 900  kernel: 6.1,(6.12)
. ./lib.sh

# Functions with a result leave it in REPLY: a process is dear here.

# refused WHAT NAMES... -- COMMAND: it fails, and says all the names
refused() {
	local what=$1 names=() named said
	shift
	while [ "$1" != -- ]; do names+=("$1"); shift; done
	shift
	if said=$("$@" 2>&1); then fail "$what is accepted"; fi
	for named in "${names[@]}"; do
		[[ $said == *"$named"* ]] || fail "$what: refused without '$named': $said"
	done
}

# another UNIT DEFAULT MOST CHOICES...: a good value that is not the default
another() {
	case $1 in
	bool) REPLY=$((1 - $2)) ;;
	choice) REPLY=$((($2 + 1) % ($# - 3))) ;;
	rule+) REPLY=1568 ;;	# tcp=0
	# 0 may say that there is none, and other small values nothing.
	ppm | ppm+) [ "$2" = 0 ] && REPLY=$(($3 / 10)) || REPLY=$(($2 == $3 ? $2 - 1 : $2 + 1)) ;;
	bps | bytes) [ "$2" = 0 ] || [ "$2" = "$3" ] && REPLY=$(($3 - 1)) || REPLY=$(($2 + 1)) ;;
	*) [ "$2" = "$3" ] && REPLY=$(($2 - 1)) || REPLY=$(($2 + 1)) ;;
	esac
}

# json UNIT VALUE CHOICES...: as tc -j says it
json() {
	case $1 in
	bool) [ "$2" = 0 ] && REPLY=false || REPLY=true ;;
	choice) shift $((2 + $2)); REPLY=\"$1\" ;;
	rule+) word "$1" "$2"; REPLY="[\"$REPLY\"]" ;;
	*+) REPLY="[$2]" ;;
	*) REPLY=$2 ;;
	esac
}

# shown WHAT NAME=JSON...: the qdisc of d0 has these values
shown() {
	local what=$1 all value
	shift
	all=$(tc -j qdisc show dev d0 root)
	for value; do
		[[ $all == *"\"${value%%=*}\":${value#*=}"[,}]* ]] || fail "$kind, $what: no $value in $all"
	done
}

# parameters DISCIPLINE: reads the table into values of tc and of JSON, by default
# and others, of those that may change and of all; refuses what each does not allow
parameters() {
	local id name unit when def least most choices
	while read -r id name unit when def least most choices; do
		json "$unit" "$def" $choices
		by_default+=("$name=$REPLY")
		if [ "$when" = heard ]; then	# what only a host that hears stations takes
			word "$unit" 1 $choices
			refused "$kind: $name $REPLY" "$name" "what stations send" -- tc qdisc change dev d0 root "$kind" "$name" "$REPLY"
			[ "$unit" != bool ] || continue
			when=live
		fi
		another "$unit" "$def" "$most" $choices
		local other=$REPLY as_tc
		[ "$name" != governor ] || other=2	# off: none runs above an emulated link
		case $kind.$name in	# what goes with the others
		cbt.bandwidth) other=0 ;;
		cbt.station_rate) other=6000000 ;;
		wqm.free_source) other=2 ;;	# 1: what stations send
		esac
		word "$unit" "$other" $choices
		as_tc=$REPLY
		json "$unit" "$other" $choices
		all_tc+=("$name" "$as_tc")
		all_json+=("$name=$REPLY")
		if [ "$when" = live ]; then
			live_tc+=("$name" "$as_tc")
			live_json+=("$name=$REPLY")
		else
			fixed+=("$name $as_tc")
		fi
		bad_values "$id" "$name" "$unit" "$least" "$most"
		count=$((count + 1))
	done < <(replay params "$1")
}

# bad_values ID NAME UNIT LEAST MOST, while a qdisc with the defaults runs
bad_values() {
	case $3 in
	bool | choice)
		refused "$kind: $2 maybe" "$2" -- tc qdisc change dev d0 root "$kind" "$2" maybe
		refused "$kind: $2 of 99, kernel" "$2" 99 "out of range" -- rawtc change d0 "$kind" "$1=99" ;;
	rule+)
		refused "$kind: $2 maybe" "$2" maybe "udp:6000-6010=1" -- tc qdisc change dev d0 root "$kind" "$2" maybe
		refused "$kind: $2 reversed" "$2" "ports reversed" -- tc qdisc change dev d0 root "$kind" "$2" tcp:9-8=0
		refused "$kind: $2 of class 15" "$2" "class" -- tc qdisc change dev d0 root "$kind" "$2" "host,*=15"
		refused "$kind: $2 of 5, kernel" "$2" "no rule" -- rawtc change d0 "$kind" "$1=5" ;;
	*)
		word "$3" $(($5 + 1))
		refused "$kind: $2 above $5" "$2" "out of range" -- tc qdisc change dev d0 root "$kind" "$2" "$REPLY"
		refused "$kind: $2 above $5, kernel" "$2" "out of range" ".." -- \
			rawtc change d0 "$kind" "$1=$(($5 + 1))"
		[ "$4" = 0 ] || refused "$kind: $2 below $4, kernel" "$2" "out of range" ".." -- \
			rawtc add d1 "$kind" "$1=$(($4 - 1))" ;;
	esac
	refused "$kind: $2 of 5 bytes" "$2" bytes -- rawtc change d0 "$kind" "$1:5"
	refused "$kind: $2 of 300 values" "$2" bytes -- rawtc add d1 "$kind" "$1:2400"
}

insmod /ko/sch_airtab.ko
ip link add d0 type dummy
ip link add d1 type dummy
count=0 kinds=$(kinds)
for kind in $kinds; do
	by_default=() all_tc=() all_json=() live_tc=() live_json=() fixed=()
	tc qdisc add dev d0 root handle 7: "$kind"
	parameters "${kind#at_}"
	[ "$kind" != chap ] || parameters glue	# what all kinds have
	shown "after refusals" "${by_default[@]}"
	text=$(tc -s qdisc show dev d0 root)
	[[ $text == "qdisc $kind 7: root"* ]] || fail "$kind: $text"
	for name in "${by_default[@]}"; do
		[[ $text == *" ${name%%=*} "* ]] || fail "$kind: no ${name%%=*} in $text"
	done
	tc -s -j qdisc show dev d0 root |
		jq -e ".[0] | .kind == \"$kind\" and .drops == 0 and .options.limit > 0" >/dev/null ||
		fail "$kind: JSON of options and statistics"
	tc -s class show dev d0 >/dev/null
	for one in "${fixed[@]}"; do
		refused "$kind: a change of ${one% *}" "${one% *}" "fixed" -- \
			tc qdisc change dev d0 root "$kind" ${one% *} ${one#* }
	done
	tc qdisc change dev d0 root "$kind" "${live_tc[@]}"
	shown "changed" "${live_json[@]}"
	tc qdisc replace dev d0 root handle 8: "$kind" "${all_tc[@]}"
	shown "replaced" "${all_json[@]}"
	refused "$kind: no such parameter" nonsense limit -- tc qdisc change dev d0 root "$kind" nonsense 1
	refused "$kind: no such id" 900 -- rawtc change d0 "$kind" 900=1
	for bytes in 1 3 4 16; do
		refused "$kind: $bytes bytes behind the options" "$bytes bytes behind" -- rawtc change d0 "$kind" +$bytes
	done
	refused "$kind: bytes behind a good option" "7 bytes behind" -- rawtc change d0 "$kind" $((0x1001))=1 +7
	refused "$kind: help" Usage limit -- tc qdisc change dev d0 root "$kind" help
	shown "after more refusals" "${all_json[@]}"
	tc qdisc del dev d0 root
	# whatever is sent is answered, and a good request still works afterwards; on two processors `random` does it
	if [ $exact ]; then
		fuzzed=$(rawtc fuzz d0 "$kind" 300 1) || fail "$kind, at random: $fuzzed"
		figure "$kind, 300 requests at random: $fuzzed"
	fi
	tc qdisc replace dev d0 root pfifo
	tc qdisc replace dev d0 root "$kind"
	shown "after requests at random" "${by_default[@]}"
	tc qdisc del dev d0 root
done

# Rules of classes, every form: as they are written, as JSON has them, and what is shown can be written.
kind=spq
tc qdisc replace dev d0 root spq classes 3 \
	rules 'tcp=0,udp:6000-6010=1,udp:443=1,dscp:ef=1,dscp:AF=1,*=2' 2>/dev/null && fail "spq: AF is a code point"
tc qdisc replace dev d0 root spq classes 3 \
	rules 'tcp:80=0,udp:6000-6010=1,udp=1,dscp:ef=1,dscp:af41=1,dscp:cs5=0,dscp:63=2,station:7=2,host'
all=tcp:80=0,udp:6000-6010=1,udp=1,dscp:46=1,dscp:34=1,dscp:40=0,dscp:63=2,station:7=2,host
shown "every rule" "rules=[\"${all//,/\",\"}\"]"
text=$(tc qdisc show dev d0 root)
[[ $text == *" rules $all "* ]] || fail "spq: no $all in $text"
tc qdisc change dev d0 root spq rules '*=0'
tc qdisc change dev d0 root spq rules $all
shown "what is shown, written" "rules=[\"${all//,/\",\"}\"]"
for bad in tcp= =1 host=1 tcp=16 tcp=1x udp:70000=1 udp:5-=1 udp:-5=1 dscp:64=1 dscp:af44=1 dscp:cs8=1 station:65536=1 \
	sctp=1 udp:6000=1,; do
	refused "spq: rules $bad" rules "udp:6000-6010=1" -- tc qdisc change dev d0 root spq rules "$bad"
done
refused "spq: rules of port 0" rules "port 0" -- tc qdisc change dev d0 root spq rules udp:0=1
refused "spq: 33 rules" rules "more than 32" -- tc qdisc change dev d0 root spq rules "$(printf 'tcp=0,%.0s' {1..32})tcp=0"
shown "after refusals" "rules=[\"${all//,/\",\"}\"]"
text=$(tc qdisc change dev d0 root spq rules 'udp=1,tcp=0,udp:53=1' 2>&1)
[[ $text == "spq: warning: rule 3, udp:53=1, is never reached: udp=1 takes all that it would" ]] || fail "spq: said '$text'"
tc qdisc del dev d0 root

# Weights: 1/n is said as that, anything else in decimals that can be written again.
kind=at_red
tc qdisc replace dev d0 root at_red
for weight in 1/500=8589935 0.002=8589935 0.00390625=16777216 1=4294967296 1.0=4294967296 0.7=3006477107 \
	1/65536=65536 0.0625000001=268435456; do
	tc qdisc change dev d0 root at_red weight ${weight%=*}
	shown "weight ${weight%=*}" weight=${weight#*=}
	text=$(tc qdisc show dev d0 root)
	text=${text#* weight }
	tc qdisc change dev d0 root at_red weight 1/3
	tc qdisc change dev d0 root at_red weight ${text%% *}
	shown "weight ${weight%=*} as shown, ${text%% *}" weight=${weight#*=}
done
for bad in 1/ 1/0 1/x 2/3 1/+4 1/4294967296 .5 0.5% -1; do
	refused "at_red: weight $bad" weight "1/256 or 0.004" -- tc qdisc change dev d0 root at_red weight "$bad"
done
for bad in 0 1.1 1/65537; do
	refused "at_red: weight $bad" weight "out of range 1/65536..1" -- tc qdisc change dev d0 root at_red weight "$bad"
done
tc qdisc del dev d0 root

kind=chap
for off in off 0; do
	tc qdisc replace dev d0 root pfifo
	tc qdisc replace dev d0 root chap target $off
	shown "target $off" target=0
done
tc qdisc del dev d0 root
refused "chap: increment off" increment "a time with its unit" -- tc qdisc add dev d0 root chap increment off
refused "chap: a broken rule between parameters" flows limit -- tc qdisc add dev d0 root chap limit 5000
ip link del d0
ip link del d1
rmmod sch_airtab
figure "$count parameters of" $kinds
