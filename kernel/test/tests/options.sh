# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Every parameter of every kind, by the tables: add, change, replace, show in
# text and JSON; what is out of range is refused by tc and, past tc, by the
# kernel, with the name of the parameter and its range; what is fixed stays.
# boot: checked  limit: 240
. ./lib.sh

insmod /ko/sch_airtab.ko
ip link add d0 type dummy

# shown NAME: the value in JSON (whether that is well-formed is checked once a kind)
shown() {
	local json value
	json=$(tc -j qdisc show dev d0 root)
	value=${json#*\"$1\":}
	[ "$value" != "$json" ] || fail "$kind: no $1 in $json"
	value=${value%%[,\}]*}
	echo "${value//\"/}"
}

# refused WHAT NAMES... -- COMMAND: it fails, and says all the names
refused() {
	local what=$1 names=()
	shift
	while [ "$1" != -- ]; do names+=("$1"); shift; done
	shift
	if "$@" >said 2>&1; then fail "$what is accepted"; fi
	for name in "${names[@]}"; do
		grep -qF -- "$name" said || fail "$what: refused without '$name': $(<said)"
	done
}

# another UNIT DEFAULT MOST CHOICES...: a good value that is not the default
another() {
	case $1 in
	bool) echo $((1 - $2)) ;;
	choice) echo $((($2 + 1) % ($# - 3))) ;;
	*) [ "$2" = "$3" ] && echo $(($2 - 1)) || echo $(($2 + 1)) ;;
	esac
}

json() {	# UNIT VALUE CHOICES...: as `shown` says it
	case $1 in
	bool) [ "$2" = 0 ] && echo false || echo true ;;
	choice) shift $((2 + $2)); echo "$1" ;;
	*) echo "$2" ;;
	esac
}

cd /tmp
checked=0
# one ID NAME UNIT WHEN DEFAULT LEAST MOST CHOICES...
one() {
	local id=$1 name=$2 unit=$3 when=$4 def=$5 least=$6 most=$7 other
	shift 7
	other=$(another "$unit" "$def" "$most" "$@")
	tc qdisc replace dev d0 root "$kind"
	tc qdisc show dev d0 root | grep -q " $name " || fail "$kind: $name is not shown"
	equal "$kind: $name by default" "$(shown "$name")" "$(json "$unit" "$def" "$@")"
	if [ "$when" = live ]; then
		tc qdisc change dev d0 root "$kind" "$name" "$(word "$unit" "$other" "$@")"
		equal "$kind: $name after change" "$(shown "$name")" "$(json "$unit" "$other" "$@")"
	else
		refused "$kind: a change of $name" "$name" "fixed" -- \
			tc qdisc change dev d0 root "$kind" "$name" "$(word "$unit" "$other" "$@")"
		equal "$kind: $name kept" "$(shown "$name")" "$(json "$unit" "$def" "$@")"
	fi
	tc qdisc del dev d0 root
	tc qdisc add dev d0 root "$kind" "$name" "$(word "$unit" "$other" "$@")"
	equal "$kind: $name as added" "$(shown "$name")" "$(json "$unit" "$other" "$@")"
	tc qdisc del dev d0 root

	case $unit in
	bool | choice) refused "$kind: $name maybe" "$name" -- tc qdisc add dev d0 root "$kind" "$name" maybe
		refused "$kind: $name of 99 in the kernel" "$name" "99" "out of range" -- \
			rawtc add d0 "$kind" "$id=99" ;;
	*) refused "$kind: $name above $most" "$name" "out of range" -- \
			tc qdisc add dev d0 root "$kind" "$name" "$(word "$unit" $((most + 1)))"
		refused "$kind: $name above $most in the kernel" "$name" "out of range" ".." -- \
			rawtc add d0 "$kind" "$id=$((most + 1))"
		[ "$least" = 0 ] || refused "$kind: $name below $least in the kernel" "$name" "out of range" ".." -- \
			rawtc add d0 "$kind" "$id=$((least - 1))" ;;
	esac
	refused "$kind: $name of 5 bytes" "$name" "bytes" -- rawtc add d0 "$kind" "$id:5"
	refused "$kind: $name of 300 values" "$name" "bytes" -- rawtc add d0 "$kind" "$id:2400"
	checked=$((checked + 1))
}

n=0
for kind in $(kinds); do
	n=$((n + 1))
	while read -r line; do
		# shellcheck disable=SC2086
		one $line </dev/null
	done < <(replay params "${kind#at_}")
	refused "$kind: no such parameter" "nonsense" "limit" -- tc qdisc add dev d0 root "$kind" nonsense 1
	refused "$kind: no such id" "900" -- rawtc add d0 "$kind" 900=1
	refused "$kind: help" "Usage" "limit" -- tc qdisc add dev d0 root "$kind" help
	tc qdisc add dev d0 root handle 7: "$kind"
	tc -s qdisc show dev d0 root | grep -q "qdisc $kind 7: root" || fail "$kind: text"
	tc -s -j qdisc show dev d0 root |
		jq -e ".[0] | .kind == \"$kind\" and .drops == 0 and .options.limit > 0" >/dev/null ||
		fail "$kind: JSON of options and statistics"
	tc -s -j class show dev d0 | jq -e . >/dev/null || fail "$kind: JSON of classes"
	tc qdisc del dev d0 root
done
refused "chap: a broken rule between parameters" "flows" "limit" -- tc qdisc add dev d0 root chap limit 5000
ip link del d0
rmmod sch_airtab
figure "$checked parameters of $n kinds"
