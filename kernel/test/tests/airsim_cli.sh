# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# `airtab airsim` against the module: everything that can be set arrives and is shown,
# as text and as JSON; refusals in the kernel's words; what is said where the module is
# not loaded, and to who has no rights.
# boot: measured  limit: 900  kernel: 6.12
. ./lib.sh

cd /tmp

# says WORDS ARGUMENT...: `airtab airsim` fails, with these words
says() {
	local words=$1 said
	shift
	said=$(airtab airsim "$@" 2>&1) && fail "not refused: $*"
	[[ $said == "error: "*"$words"* ]] || fail "airtab airsim $*: $said; should say: $words"
}

# json FILTER: of what is shown
json() {
	airtab airsim show --json | jq -c "$1"
}

says "the module airsim is not loaded: modprobe airsim" show
insmod /ko/airsim.ko
says "air0: there is no cell in this network namespace" show air0
equal "cells" "$(json .cells)" "[]"

airtab airsim new air0 --phy std-11n --ring 512 --stop off --ampdu 32 --ampdu-time 2ms --attempts 5 \
	--completions 16 --completion-delay 1ms --orphan on --seed 18446744073709551615
equal "a new cell" "$(air get | sed 's/ held=.*//')" \
	"air0 - phy=std-11n ring=512 stop=0 ampdu=32 ampdu_ns=2000000 attempts=5 done_frames=16 done_ns=1000000 orphan=1"
equal "a new cell as JSON" "$(json '.cells[0] | [.device, .phy, .ring_packets, .stop, .ampdu_frames,
	.ampdu_ns, .attempts, .completions, .completion_delay_ns, .orphan]')" \
	'["air0","std-11n",512,false,32,2000000,5,16,1000000,true]'
airtab airsim set air0 --ring 100 --stop on --completions 0 --completion-delay 0ns --orphan off
equal "a changed cell" "$(json '.cells[0] | [.ring_packets, .stop, .ampdu_frames, .completion_delay_ns, .orphan]')" \
	"[100,true,32,0,false]"

airtab airsim station air0 far --mcs 3 --streams 2 --width 40 --gi 400ns --fer 0.125 --asleep on
airtab airsim station air0 near --rate 54Mb/s --fer 0.25
equal "stations" "$(json '.cells[0].stations[] | [.name, .kbps, .mcs, .streams, .width_mhz, .gi_ns, .fer, .asleep]' | tr '\n' ' ')" \
	'["far",120000,3,2,40,400,0.125,true] ["near",54000,null,null,null,null,0.25,false] '
airtab airsim station air0 far --asleep off
equal "a changed station" "$(json '.cells[0].stations[0] | [.mcs, .fer, .asleep]')" "[3,0.125,false]"

says "airsim says: ampdu: 65, but std-11n has a window of 64" set air0 --ampdu 65
says "airsim says: ring: 0 is out of range 1..65536" set air0 --ring 0
says "airsim says: third: no such station; a new one needs a rate or an mcs" station air0 third
says "HT has MCS 0 to 7" station air0 far --mcs 9
says "air1: no access point of airsim here; \`airtab airsim show\` lists those that there are" del air1
says "air1: no access point of airsim here; there are air0" show air1
said=$(setpriv --reuid 1000 --bounding-set -all --inh-caps -all airtab airsim del air0 2>&1) &&
	fail "a user removed a cell"
[[ $said == "error: this needs root"* ]] || fail "to a user: $said"

# under traffic, the same numbers as another program reads
ip link set air0 up
ip addr add 10.7.0.1/24 dev air0
ip netns add near
ip neigh add 10.7.0.2 dev air0 lladdr "$(</sys/class/net/near/address)"
ip link set near netns near
ip -n near link set near up
sleep 2
airtab airsim station air0 near --fer 0
traffic flood 10.7.0.2 9 count=500 size=1500 wait=1 >/dev/null
sleep 1
read -ra words <<<"$(air get | grep "^air0 near")"
way=frames,bytes,failed,attempts,exchanges,collided,air,waiting
for key in ${way//,/ }; do
	for word in "${words[@]}"; do
		[[ $word != down.$key=* ]] || counted=${counted-}${counted+,}${word#*=}
	done
done
equal "counters" "$(json '.cells[0].stations[1].down | [.packets, .bytes, .failed_packets, .attempts, .exchanges,
	.collided_exchanges, .air_ns, .waiting_packets]')" "[$counted]"
equal "packets of a flood" "$(json '.cells[0].stations[1].down.packets >= 500')" true
airtab airsim show

airtab airsim del air0
equal "cells" "$(json .cells)" "[]"
ip netns del near
rmmod airsim
figure "everything set, shown as text and JSON and refused as the module has it"
