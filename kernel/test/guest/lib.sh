# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# What the tests share; each begins with `. ./lib.sh`. A command that fails ends
# the test. Lines that begin with "= " are figures, which the summary repeats.
set -eEuo pipefail
trap 'echo "${BASH_SOURCE[0]}:$LINENO: failed: $BASH_COMMAND"' ERR

# whether the clock counts instructions; on more than one processor it is the host's
[ "$(</sys/devices/system/cpu/online)" = 0 ] && exact=yes || exact=""

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

# home: namespaces `server`, `router` and `client` in a row, joined by veth pairs:
# s0 10.0.1.1 - 10.0.1.2 r0, r1 10.0.2.1 - 10.0.2.2 c0. Packets are not
# aggregated (GSO), so that a packet in a queue is one on the wire.
home() {
	local ns dev
	for ns in server router client; do
		ip netns add $ns
		ip -n $ns link set lo up
	done
	ip link add s0 netns server gso_max_segs 1 type veth peer name r0 netns router
	ip link add r1 netns router type veth peer name c0 netns client gso_max_segs 1
	ip -n server addr add 10.0.1.1/24 dev s0
	ip -n router addr add 10.0.1.2/24 dev r0
	ip -n router addr add 10.0.2.1/24 dev r1
	ip -n client addr add 10.0.2.2/24 dev c0
	for dev in server:s0 router:r0 router:r1 client:c0; do
		ip -n ${dev%:*} link set ${dev#*:} up
	done
	ip -n server route add default via 10.0.1.2
	ip -n client route add default via 10.0.2.1
	ip netns exec router bash -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
	sleep 2		# the carrier is noticed at most once a second
}

no_home() {
	# a namespace goes some time after its deletion, a device at once
	ip -n router link del r0
	ip -n router link del r1
	ip netns del server
	ip netns del router
	ip netns del client
}

# pair: the device d0 (10.8.0.1), joined to c0 (10.8.0.2) in the namespace `client`, which
# knows its neighbour
pair() {
	ip netns add client
	ip link add d0 type veth peer name c0 netns client
	echo 1 >/proc/sys/net/ipv6/conf/d0/disable_ipv6
	ip link set d0 up
	ip -n client link set c0 up
	ip addr add 10.8.0.1/24 dev d0
	ip -n client addr add 10.8.0.2/24 dev c0
	sleep 2		# the carrier is noticed at most once a second
	meet
}

no_pair() {
	ip link del d0
	ip netns del client
}

# bound NAMESPACE PORT [tcp]: waits until something listens there; "": in this one
bound() {
	local port
	printf -v port ':%04X ' "$2"
	until ${1:+ip netns exec "$1"} grep -q "$port" /proc/net/${3:-udp} /proc/net/${3:-udp}6; do
		sleep 0.05
	done
}

# meet: a packet finds the neighbour
meet() {
	listen 1
	offer 1
	wait
}

# listen COUNT: for so many packets of the pair; offer COUNT: that many at once
listen() {
	ip netns exec client traffic player 9 count="$1" >late &
	bound client 9
}

offer() {
	traffic game 10.8.0.2 9 count="$1" every=0
}

# paced WHAT COUNT GAP (us): that many came; where the clock is exact, the first at once, the
# others each a gap later, within 1 ms
paced() {
	local received half last
	wait
	read -r _ received _ half _ _ _ _ _ last _ <late
	equal "$1: packets received" "$received" "$2"
	[ $exact ] || return 0
	near "$1: the packet in the middle" "$half" $(($2 / 2 * $3))
	near "$1: the last packet" "$last" $((($2 - 1) * $3))
}

# near WHAT IS SHOULD: us
near() {
	[ $(($2 - $3)) -ge -1000 ] && [ $(($2 - $3)) -le 1000 ] || fail "$1 comes after $2 us, should be $3"
}

# cell [ATTRIBUTE=VALUE...]: a virtual Wi-Fi cell: access point air0 (10.7.0.1), stations fast
# (10.7.0.2) and slow (10.7.0.3) at 54 and 6 Mb/s, in namespaces of their names; they know
# each other
cell() {
	access_point "$@"
	join 2 fast kbps=54000
	join 3 slow kbps=6000
	sleep 2		# the carrier is noticed at most once a second
}

access_point() {
	air new dev=air0 "$@"
	quiet 1 air0
	ip link set air0 up
	ip addr add 10.7.0.1/24 dev air0
}

# join N NAME ATTRIBUTE=VALUE...: a station, 10.7.0.N; sets `mac`, its address, and `base`, the
# access point's
join() {
	local n=$1 station=$2
	air station dev=air0 name="$station" "${@:3}"
	base=$(</sys/class/net/air0/address) mac=$(</sys/class/net/"$station"/address)
	ip netns add "$station"
	ip link set "$station" netns "$station"
	ip netns exec "$station" bash -c "echo 1 >/proc/sys/net/ipv6/conf/$station/disable_ipv6"
	ip -n "$station" link set "$station" up
	ip -n "$station" addr add 10.7.0."$n"/24 dev "$station"
	ip -n "$station" neigh add 10.7.0.1 dev "$station" lladdr "$base"
	ip neigh add 10.7.0."$n" dev air0 lladdr "$mac"
}

# house [ATTRIBUTE=VALUE...]: a cell, whose access point routes to the namespace `server`
# (10.0.1.1) over a wire
house() {
	local station
	cell "$@"
	ip netns add server
	ip link add s0 netns server gso_max_segs 1 type veth peer name r0
	ip -n server addr add 10.0.1.1/24 dev s0
	ip addr add 10.0.1.2/24 dev r0
	ip -n server link set s0 up
	ip link set r0 up
	ip -n server route add default via 10.0.1.2
	for station in fast slow; do
		ip -n $station route add default via 10.7.0.1
	done
	echo 1 >/proc/sys/net/ipv4/ip_forward
	sleep 2
}

no_house() {
	ip link del r0
	ip netns del server
	no_cell
}

# downloads SECONDS SENDER...: TCP to both stations, sent by a command that runs `traffic`;
# sets fast and slow (kb/s), which leave out the first two seconds
downloads() {
	local station ms=$(($1 * 1000))
	shift
	for station in fast slow; do
		ip netns exec $station traffic download 5001 from=2000 ms=$((ms - 2000)) >goodput.$station &
	done
	sleep 0.1
	"$@" traffic upload 10.7.0.2 5001 ms=$((ms - 100)) &
	"$@" traffic upload 10.7.0.3 5001 ms=$((ms - 100)) &
	wait
	read -r _ fast <goodput.fast
	read -r _ slow <goodput.slow
}

# flow STATION ADDRESS SECONDS: TCP to it alone; sets goodput (kb/s), which leaves out the first two seconds
flow() {
	local down up
	ip netns exec "$1" traffic download 5001 from=2000 ms=$(($3 * 1000 - 2000)) >goodput &
	down=$!
	sleep 0.1
	ip netns exec server traffic upload "$2" 5001 ms=$(($3 * 1000 - 100)) &
	up=$!
	wait $down
	wait $up || true	# who receives may end first
	read -r _ goodput <goodput
}

# flow_to_both SECONDS: TCP to both stations; sets goodput to the sum
flow_to_both() {
	downloads "$1" ip netns exec server
	goodput=$((fast + slow))
}

# of_three COMMAND...: sets goodput to the median of what it sets it to
of_three() {
	local runs=() run
	for run in 1 2 3; do
		"$@"
		runs+=("$goodput")
	done
	goodput=$(median "${runs[@]}")
}

# below KEY: what the governor of air0 says, by its name in JSON
below() {
	tc -s -j qdisc show dev air0 root | jq -r ".[0].airtab.below.$1"
}

# air_of STATION: ns that the channel was taken by what the access point sent to it at 802.11g,
# with DIFS and the mean backoff (7.5 slots) before each exchange
air_of() {
	local line
	line=$(air get | grep "^air0 $1 ")
	echo $(($(sed 's/.* down.air=\([0-9]*\).*/\1/' <<<"$line") +
		95500 * $(sed 's/.* down.exchanges=\([0-9]*\).*/\1/' <<<"$line")))
}

# median A B C
median() {
	printf '%s\n' "$@" | sort -n | sed -n 2p
}

# quiet 0|1 DEV: no traffic of the device's own
quiet() {
	echo "$1" >/proc/sys/net/ipv6/conf/"$2"/disable_ipv6
}

no_cell() {
	local station
	air del dev=air0
	for station in fast slow; do
		[ ! -e /run/netns/$station ] || ip netns del $station
	done
}

# kinds: the qdisc kinds that the tc plugin knows
kinds() {
	local plugin
	for plugin in /tc/q_*.so; do
		plugin=${plugin##*/q_}
		[ "$plugin" = airtab.so ] || echo "${plugin%.so}"
	done
}

# word UNIT VALUE [CHOICE...]: sets REPLY to a value of `replay params` as tc takes it; of a
# list (UNIT+), to one of a single value
word() {
	case ${1%+} in
	q16) printf -v REPLY "%d.%06d" $(($2 / 65536)) $(($2 % 65536 * 1000000 / 65536)) ;;
	weight)	# ten decimals
		local part=$(($2 % 4294967296 * 100000))
		printf -v REPLY "%d.%05d%05d" $(($2 >> 32)) $((part >> 32)) $(((part % 4294967296 * 100000 + 2147483648) >> 32)) ;;
	ns) REPLY=$2ns ;;
	bps) REPLY=$2bit ;;
	ppm) REPLY=$2ppm ;;
	bool) [ "$2" = 0 ] && REPLY=off || REPLY=on ;;
	choice) shift $((2 + $2)); REPLY=$1 ;;
	rule) [ "$2" = 0 ] && REPLY=host || REPLY=tcp=0 ;;
	*) REPLY=$2 ;;
	esac
}

# slow KBPS QUEUES [radio]: the device slow0, wireless or not, with addresses and no traffic of its own
slow() {
	insmod /ko/airtab_slow.ko kbps="$1" queues="$2" ${3:+radio=1}
	ip link set slow0 addrgenmode none
	# reports of multicast groups: at once, and once again within 1 ms
	for version in 1 2; do
		echo 1 >/proc/sys/net/ipv6/conf/slow0/mldv${version}_unsolicited_report_interval
	done
	ip link set slow0 up
	ip addr add 10.9.0.1/24 dev slow0
	ip addr add fd09::1/64 dev slow0 nodad
	sleep 0.5
}

# load ADDRESS...: UDP of 50 flows to each, from a process each, as fast as it goes, until unload
load() {
	local to
	for to; do
		traffic flood $to 9 flows=50 count=0 ms=3600000 size=500 >/dev/null &
		loads+=($!)
	done
	sleep 0.05
}
loads=()

unload() {
	kill "${loads[@]}"
	wait "${loads[@]}" || true
	loads=()
}

# buffers that processors keep for their next packets, 64 each (napi_skb_cache): with one it is
# always the same ones
[ $exact ] && aside=0 || aside=128

# objects CACHE: in use, exact: the allocator's debugging keeps none aside, and what KASAN keeps
# for a while is let go
objects() {
	local n
	echo 1 >/sys/kernel/slab/"$1"/shrink
	read -r n _ </sys/kernel/slab/"$1"/objects
	echo "$n"
}

# buffers: sk_buffs in use, as soon as they are as many as two seconds before: some are freed
# later, by RCU, or with their namespace
buffers() {
	local n=0 before=1
	sync
	while [ "$n" != "$before" ]; do
		before=$n
		sleep 2
		n=$(objects skbuff_head_cache)
	done
	echo "$n"
}

# freed: all that was done since the time before has left no buffer in use; sets `left`, those
# that were the first time: the system takes a few and keeps them (netlink, IPv6)
freed() {
	local now
	if [ ! "${left:-}" ]; then
		left=$(buffers)
		return
	fi
	now=$(buffers)
	[ "$now" -le $((left + aside)) ] || fail "$now buffers in use, $left the time before"
}

# until_true WHAT COMMAND...: waits until it succeeds, half a minute at most
until_true() {
	local what=$1 tries=0
	shift
	until "$@"; do
		[ $((tries += 1)) -le 300 ] || fail "$what: not within 30 s"
		sleep 0.1
	done
}

# radios COUNT: wlan0, wlan1, ... on air of their own, where nothing takes time; without
# traffic of their own, all but wlan0 in namespaces sta1, sta2, ...
radios() {
	local n
	modprobe mac80211_hwsim radios="$1"
	quiet 1 wlan0
	for ((n = 1; n < $1; n++)); do
		ip netns add sta$n
		iw phy "phy$(</sys/class/net/wlan$n/phy80211/index)" set netns name sta$n
		ip netns exec sta$n bash -c ". /test/lib.sh; quiet 1 wlan$n"
	done
}

# access_point COUNT [LINE...]: hostapd on wlan0 (10.6.0.1), without encryption, with these lines more, and COUNT
# associated stations (10.6.0.2 and on); after `radios`. Writes its files where it is called.
access_point() {
	local count=$1 n
	printf '%s\n' interface=wlan0 ssid=house hw_mode=g channel=1 ieee80211n=1 wmm_enabled=1 "${@:2}" >hostapd.conf
	printf '%s\n' 'network={' 'ssid="house"' scan_freq=2412 key_mgmt=NONE '}' >station.conf
	hostapd -B hostapd.conf >said || fail "$(<said)"
	for ((n = 1; n <= count; n++)); do
		ip netns exec sta$n wpa_supplicant -B -D nl80211 -i wlan$n -c station.conf >said || fail "$(<said)"
		ip -n sta$n addr add 10.6.0.$((n + 1))/24 dev wlan$n
	done
	ip addr add 10.6.0.1/24 dev wlan0
	until_true "$count associated stations" associated "$count"
}

# associated COUNT
associated() {
	[ "$(iw dev wlan0 station dump | grep -c '^Station')" = "$1" ]
}

no_radios() {
	local each
	modprobe -r mac80211_hwsim
	# which would look into the wireless device of a test that has no radio (airtab_slow)
	modprobe -r mac80211 cfg80211
	[ ! -e /sys/module/cfg80211 ] || fail "cfg80211 stays"
	for each in /run/netns/sta*; do
		[ ! -e "$each" ] || ip netns del "${each##*/}"
	done
}
