# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# What the host says (disciplines told and links show it): a number for each station,
# by all of its address, on devices with a radio only, and what is told of links;
# sources by all of the IP address; flows by addresses, protocol, ports, of IPv6 as of
# IPv4, whichever bits differ; two instances hash all of them differently; dumps show
# another name for a flow than the hash. ARP and EAPOL are urgent up to their lengths.
# What a classifier sees, of packets that the live access point is tested with too.
# When links are told is only asked where the clock is exact.
# boot: checked  limit: 900  kernel: 6.1,(6.12)
. ./lib.sh

ethernet() { printf '%s %s %s ' "${2:-020000000001}" "${3:-020000000009}" "$1"; }
# l4 PORTS: a TCP or UDP header and 30 bytes
l4() { printf '%s 0026 0000 0000 0000 5000 0000 0000 0000 %036d' "$1" 0; }
# ipv4 PROTOCOL FROM TO PORTS; ipv6 alike
ipv4() { printf '4500 003a 0007 0000 40 %s 0000 %s %s ' "$1" "$2" "$3"; l4 "$4"; }
ipv6() { printf '6000 0000 0026 %s 40 %s %s ' "$1" "$2" "$3"; l4 "$4"; }
ports="15b3 2328" udp=11 tcp=06
a4=0a000001 b4=0a000002
prefix="fd00 0000 0000 0000"
a6="$prefix 0000 0000 0000 0001" b6="$prefix 0000 0000 0000 0002"

fresh() {
	tc qdisc replace dev "$1" root pfifo
	tc qdisc replace dev "$1" root told
}

# tell DEV FRAME: sets flow, station, source, class, tcp, name, key (whether there is one,
# protocol, DSCP, ports) as told of it
tell() {
	frame "$1" "$2"
	read -r flow station source class tcp_ length name key \
		<<<"$(rows show "$1" | sed -n '$s/.* 1=/ 1=/; $s/ [0-9]*=/ /gp')"
	[ "$key" ] || fail "no row for $2"
	frames=$((frames + 1))
}

# distinct WHAT NUMBER...: no two are equal
distinct() {
	local what=$1
	shift
	equal "$what, different ones of $*" "$(printf '%s\n' "$@" | sort -u | wc -l)" $#
}

# bit HEX N: HEX, without blanks, with bit N from the left exchanged
bit() {
	local hex=${1// /} at=$(($2 / 4))
	printf '%s%x%s' "${hex:0:at}" $((0x${hex:at:1} ^ (8 >> $2 % 4))) "${hex:at + 1}"
}

up() {
	echo 1 >/proc/sys/net/ipv6/conf/$1/disable_ipv6
	ip link set $1 up
}

frames=0
insmod /ko/airtab_trial.ko
ip link add d0 type dummy
up d0
insmod /ko/airtab_slow.ko kbps=1000000 radio=1
up slow0

# flows: every third bit of IPv6, every one of IPv4, and the ports' ends count
for version in 4 6; do
	if [ $version = 4 ]; then
		from=$a4 to=$b4 type=0800 bits=32 step=1
	else
		from=$a6 to=$b6 type=86dd bits=128 step=3
	fi
	fresh d0
	tell d0 "$(ethernet $type; ipv$version $udp "$from" "$to" "$ports")"
	flows=("$flow") sources=("$source") one=$flow name_of_one=$name
	equal "IPv$version: station where there is no radio" "$station" 65534
	equal "IPv$version: TCP of UDP" "$tcp_" 0
	[ "$name" != "$flow" ] || fail "the flow's hash is shown"
	tell d0 "$(ethernet $type; ipv$version $udp "$to" "$from" "2328 15b3")"
	equal "IPv$version: the flow of the other direction" "$flow" "$one"
	equal "IPv$version: its name" "$name" "$name_of_one"
	sources+=("$source")
	tell d0 "$(ethernet $type; ipv$version $tcp "$from" "$to" "$ports")"
	flows+=("$flow")
	equal "IPv$version: the source of TCP" "$source" "${sources[0]}"
	equal "IPv$version: TCP payload + 1" "$tcp_" 19
	for ((n = 0; n < bits; n += step)); do
		tell d0 "$(ethernet $type; ipv$version $udp "$(bit "$from" $n)" "$to" "$ports")"
		flows+=("$flow")
		[ $n = 127 ] || sources+=("$source")
	done
	for n in 0 15 16 31; do
		tell d0 "$(ethernet $type; ipv$version $udp "$from" "$to" "$(bit "$ports" $n)")"
		flows+=("$flow")
	done
	distinct "IPv$version: flows" "${flows[@]}"
	distinct "IPv$version: sources" "${sources[@]}"
done

# a source without IP is the Ethernet one, each byte of which makes another flow
fresh d0
zeros=$(printf '%092d' 0)
tell d0 "$(ethernet 88b5) $zeros"
one=$source flows=("$flow")
tell d0 "$(ethernet 88b5 020000000007) ${zeros//0/1}"
equal "the source of no IP" "$source" "$one"
equal "the flow of no IP" "$flow" "${flows[0]}"
for ((n = 0; n < 48; n += 5)); do
	tell d0 "$(ethernet 88b5 020000000001 "$(bit 020000000009 $n)") $zeros"
	flows+=("$flow")
done
distinct "flows of no IP" "${flows[@]}"
tell d0 "$(ethernet 88b5 020000000001 020000000008) $zeros"
distinct "sources of no IP" "$one" "$source" 0

# numbers of an instance are its own
fresh d0
last="x y z"
for round in 1 2 3; do
	fresh slow0
	tell slow0 "$(ethernet 0800; ipv4 $udp $a4 $b4 "$ports")"
	distinct "instances: flows, sources, stations, names" $last "$flow" "$source$station" "$name"
	last="$flow $source$station $name"
done

# stations: each bit of the address but that of groups makes another one, whose
# number is the next; an address keeps its number, whatever is sent to it
fresh slow0
tell slow0 "$(ethernet 0800; ipv4 $udp $a4 $b4 "$ports")"
equal "the first station" "$station" 0
tell slow0 "$(ethernet 0800 030000000001; ipv4 $udp $a4 $b4 "$ports")"
equal "a group" "$station" 65535
next=1
for ((n = 0; n < 48; n++)); do
	[ $n != 7 ] || continue
	tell slow0 "$(ethernet 0800 "$(bit 020000000001 $n)"; ipv4 $udp $a4 $b4 "$ports")"
	equal "the station with bit $n exchanged" "$station" $next
	next=$((next + 1))
done
tell slow0 "$(ethernet 0800 020000000001 02000000000a; ipv4 $tcp $b4 $a4 "$ports")"
equal "the station by other packets" "$station" 0

# what is told of links (disciplines links): nothing where there is no radio; who is met;
# every 100 ms, while packets go, who is there
# links DEV: sets calls, and the rows' times, stations, whether they are there, the rest
links() {
	local row
	calls=$(rows qdisc "$1" | sed -n 's/.* 1=\([0-9]*\).*/\1/p')
	times=() stations=() heres=() rests=""
	while read -r row; do
		set -- $row
		times+=("$1") stations+=("$2") heres+=("$3") rests+="${*:4}"
	done < <(rows show "$1" | sed 's/.* 1=/ 1=/; s/ [0-9]*=/ /g')
}
tc qdisc replace dev d0 root links
frame d0 "$(ethernet 0800; ipv4 $udp $a4 $b4 "$ports")"
links d0
equal "calls where there is no radio" "$calls" 0
tc qdisc replace dev slow0 root pfifo
tc qdisc replace dev slow0 root links
for n in {1..30}; do
	frame slow0 "$(ethernet 0800 02000000000$((n % 3)); ipv4 $udp $a4 $b4 "$ports")"
	sleep 0.02
done
if [ $exact ]; then
	links slow0
	equal "the first calls' stations" "${stations[*]:0:3}" "0 1 2"
	equal "what else is known of links" "${rests//[0 ]/}" ""
	gone="${heres[*]}"
	equal "who is told to be gone" "${gone//[1 ]/}" ""
	samples=0 last=${times[0]}
	for ((n = 3; n < calls; n += 3)); do
		equal "the stations of a sample" "${stations[*]:n:3}" "0 1 2"
		gap=$((times[n] - last))
		[ $n = 3 ] || [ $gap -ge 100000000 ] && [ $gap -le 300000000 ] || fail "sample $samples comes after $gap ns"
		last=${times[n]}
		samples=$((samples + 1))
	done
	[ $samples -ge 4 ] || fail "$samples samples"
fi

# a flood of addresses: 512 numbers, each once, then those that were met once, oldest first
if [ $exact ]; then
	tc qdisc replace dev slow0 root pfifo
	tc qdisc replace dev slow0 root links
	frame slow0 "$(ethernet 0800; ipv4 $udp $a4 $b4 "$ports")"
	frame slow0 "$(ethernet 0800; ipv4 $udp $a4 $b4 "$ports")"
	sleep 0.1
	frame slow0 "$(ethernet 0800 020000000100; ipv4 $udp $a4 $b4 "$ports")" 0 514
	links slow0
	met=() left=()
	for ((n = 0; n < ${#stations[@]}; n++)); do
		if [ "${heres[n]}" = 0 ]; then
			left+=("${stations[n]}")
		elif [ $n = 0 ] || [ "${stations[n]}" -gt "${met[-1]}" ]; then
			met+=("${stations[n]}")
		fi
	done
	equal "numbers given" "${#met[@]} ${met[-1]}" "512 511"
	equal "numbers given to others" "${left[*]}" "1 2 3"
fi

# urgent up to a length of the frame, an ordinary packet of best effort beyond
fresh d0
for protocol in 0806:255:256 888e:255:1514 0806:2:257 888e:2:1515 888f:2:60; do
	IFS=: read -r type class_ length_ <<<"$protocol"
	ip link set d0 mtu 2000
	tell d0 "$(ethernet "$type") $(printf "%0$((2 * length_ - 28))d" 0)"
	equal "the class of protocol $type in a frame of $length_ bytes" "$class" "$class_"
	equal "its length without Ethernet" "$length" $((length_ - 14))
done

# what a classifier sees, of packets with which the live access point is tested too
fresh d0
while IFS='|' read -r what wanted packet; do
	[[ $what != \#* ]] || continue
	type=0800
	[[ $packet != \ 6* ]] || type=86dd
	tell d0 "$(ethernet $type) $packet"
	equal "the key of $what" "$key" "$(echo 1 $wanted)"
done </test/keys.txt
fresh d0
for no in "0806 $zeros" "8864 11000001 0030 0021 $(ipv4 $udp $a4 $b4 "$ports")" "0800 4500002e0007" "86dd 600000"; do
	tell d0 "$(ethernet "${no%% *}") ${no#* }"
	equal "the key of no IP, $no" "$key" "0 0 0 0 0"
done
options=3c00010400000000
tell d0 "$(ethernet 86dd) 6000 0000 0054 3c40 $a6 $b6 $options$options$options$options$options$options$options$options$(l4 "$ports")"
equal "the key behind nine headers" "$key" "1 60 0 0 0"
tell d0 "$(ethernet 0800) 4500 0017 0007 0000 4011 0000 $a4 $b4 15b323"
equal "the key of ports cut short" "$key" "1 17 0 0 0"
ip link del d0
rmmod airtab_slow
rmmod airtab_trial
figure "$frames frames: flows, sources, stations and names of each, keys of each instance"
