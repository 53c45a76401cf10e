# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Governors under traffic of the access point's own and forwarded, while disciplines, budgets,
# the driver's ring, its completions and who sleeps change at random; for half a minute of the guest's
# time (20 s on two processors), or as long as `run --stress` says. Claims and buffers in use stay
# within what is in the ring, and are gone at the end.
# boot: checked  limit: 3000  kernel: 6.1,debug
. ./lib.sh

seconds=$(sed -n 's/.*stress=\([0-9]*\).*/\1/p' /proc/cmdline)
seconds=${seconds:-$([ $exact ] && echo 30 || echo 20)}

# one of the words
one() {
	shift $((RANDOM % $#))
	echo "$1"
}

act() {
	case $((RANDOM % 8)) in
	0) tc qdisc replace dev air0 root "$(one "${kinds[@]}")" governor on ;;
	1) tc qdisc del dev air0 root 2>/dev/null || true ;;
	2) tc qdisc replace dev air0 root chap governor "$(one on off auto)" \
		inflight "$(one 10ms 20ms 250ms)" inflight_station "$(one 1ms 5ms 10ms)" pace "$(one 0 10mbit)" ;;
	3) air set dev=air0 ring="$(one 2 30 1000)" stop="$(one 0 1)" ;;
	4) air set dev=air0 orphan="$(one 0 0 0 1)" ;;
	5) air set dev=air0 done_frames="$(one 1 16)" done_ns="$(one 1000 2000000 15000000)" ;;
	6) air station dev=air0 name="$(one fast slow)" kbps="$(one 6000 54000)" asleep="$(one 0 0 1)" ;;
	7) tc -s qdisc show dev air0 >/dev/null ;;
	esac
}

cd /tmp
insmod /ko/airsim.ko
insmod /ko/sch_airtab.ko
house ring=1000 stop=0
mapfile -t kinds < <(kinds)
freed
for station in 2 3; do
	traffic flood 10.7.0.$station 9 count=0 ms=$((seconds * 1000)) size=1000 wait=1 >/dev/null &
	ip netns exec server traffic game 10.7.0.$station 9 count=$((seconds * 1000)) size=400 every=1 &
	ip netns exec "$([ $station = 2 ] && echo fast || echo slow)" traffic download 5001 ms=$((seconds * 1000)) >/dev/null &
	ip netns exec server traffic upload 10.7.0.$station 5001 ms=$((seconds * 1000)) 2>/dev/null &
done
RANDOM=1
acts=0 most=0
end=$((SECONDS + seconds))
while [ $SECONDS -lt $end ]; do
	act
	sleep 0.1
	acts=$((acts + 1))
	claims=$(objects at_claim)
	most=$((claims > most ? claims : most))
done
for station in fast slow; do
	air station dev=air0 name=$station kbps=54000 asleep=0
done
air set dev=air0 orphan=0 done_frames=0 done_ns=0
wait
tc qdisc replace dev air0 root pfifo
sleep 3
equal "claims in use" "$(objects at_claim)" 0
[ "$most" -le 4096 ] || fail "$most claims"
after=$(buffers)
[ "$after" -le $((left + 50 + aside)) ] || fail "$left buffers before, $after after"
no_house
rmmod sch_airtab
rmmod airsim
figure "$acts changes in $seconds s: at most $most claims; buffers $left before, $after after"
