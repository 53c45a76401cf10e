# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# What the tests share; each begins with `. ./lib.sh`. A command that fails ends
# the test. Lines that begin with "= " are figures, which the summary repeats.
set -eEuo pipefail
trap 'echo "${BASH_SOURCE[0]}:$LINENO: failed: $BASH_COMMAND"' ERR

fail() {
	echo "FAILED: $*"
	exit 1
}

figure() {
	echo "= $*"
}

# equal WHAT IS SHOULD
equal() {
	[ "$2" = "$3" ] || fail "$1 is $2, should be $3"
}

# stat DEV PARENT FIELD: a counter of the qdisc under PARENT (root, 1:10, ...)
stat() {
	tc -s -j qdisc show dev "$1" | jq -r --arg at "$2" --arg field "$3" \
		'[.[] | select(if $at == "root" then .root else .parent == $at end)][0][$field]'
}

# until_quiet DEV PARENT: waits until the qdisc has sent what it held
until_quiet() {
	local n
	for n in {1..200}; do
		[ "$(stat "$1" "$2" qlen)" = 0 ] && return
		sleep 0.1
	done
	fail "the qdisc under $2 of $1 still holds $(stat "$1" "$2" qlen) packets after 20 s"
}

# two_ends: namespaces `left` and `right` with one veth pair, 10.0.0.1/fd00::1 on
# the left and .2/::2 on the right; arguments go to `ip link add` (queues)
two_ends() {
	ip netns add left
	ip netns add right
	ip link add v0 netns left "$@" type veth peer name v1 netns right
	ip -n left addr add 10.0.0.1/24 dev v0
	ip -n left addr add fd00::1/64 dev v0 nodad
	ip -n right addr add 10.0.0.2/24 dev v1
	ip -n right addr add fd00::2/64 dev v1 nodad
	local ns dev
	for ns in left:v0 right:v1; do
		dev=${ns#*:} ns=${ns%:*}
		ip -n $ns link set lo up
		ip -n $ns link set $dev up
	done
}

no_ends() {
	ip netns del left
	ip netns del right
}

# kinds: the qdisc kinds that the tc plugin knows
kinds() {
	local plugin
	for plugin in /tc/q_*.so; do
		plugin=${plugin##*/q_}
		[ "$plugin" = airtab.so ] || echo "${plugin%.so}"
	done
}

# word UNIT VALUE [CHOICE...]: a value of `replay params` as tc takes it
word() {
	case $1 in
	ns) echo "$2ns" ;;
	bps) echo "$2bit" ;;
	ppm) echo "$2ppm" ;;
	bool) [ "$2" = 0 ] && echo off || echo on ;;
	choice) shift $((2 + $2)); echo "$1" ;;
	*) echo "$2" ;;
	esac
}

# slow KBPS QUEUES: the device slow0, with addresses and no traffic of its own
slow() {
	insmod /ko/airtab_slow.ko kbps="$1" queues="$2"
	ip link set slow0 addrgenmode none
	ip link set slow0 up
	ip addr add 10.9.0.1/24 dev slow0
	ip addr add fd09::1/64 dev slow0 nodad
	sleep 10	# multicast reports
}
