# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# `airtab model cbt plan --tc`, its lines given to tc: 10 Mb/s for a blast of UDP, a call and four TCP connections. Under cbt
# each class must get what was predicted within 10 %; beside it HTB with fq_codel and CAKE by their own lines, which must
# load, and the delay of the call under all.
# boot: measured  limit: 900  clock: exact  kernel: 6.12
. ./lib.sh

seconds=12

plan() {
	airtab model cbt plan --link 10Mb/s --latency 30ms --class tcp=rest --class call=2Mb/s --class other=1Mb/s \
		--load call=1660800bit --rules 'tcp=0,udp:6000=1,*=2' --tc r1 --json
}

# split NAME: loads its lines; kb/s of tcp, call and other on the wire into got, the call's 95th percentile into p95
split() {
	local line port goodput=0 one
	home
	plan | jq -r ".tc.$1[]" >lines
	while read -r line; do
		ip netns exec router bash -c "$line"
	done <lines
	tc -n client qdisc add dev c0 root netem delay 10ms limit 10000
	for port in 5001 5002 5003 5004; do
		ip netns exec client traffic download $port from=4000 ms=$((seconds * 1000)) >goodput.$port &
	done
	ip netns exec client traffic player 6000 count=$((seconds * 200)) >call &
	ip netns exec client traffic player 7000 count=$((seconds * 1000)) >other &
	sleep 0.2
	for port in 5001 5002 5003 5004; do
		ip netns exec server traffic upload 10.0.2.2 $port ms=$((seconds * 1000 + 5000)) &
	done
	sleep 3.8
	ip netns exec server traffic game 10.0.2.2 6000 count=$((seconds * 200)) size=1000 every=5 &
	ip netns exec server traffic game 10.0.2.2 7000 count=$((seconds * 1000)) size=1500 every=1
	wait
	for port in 5001 5002 5003 5004; do
		read -r _ one <goodput.$port
		goodput=$((goodput + one))
	done
	tc -n router -s qdisc show dev r1
	tc -n router -s class show dev r1
	got=($((goodput * 1538 / 1448)) $(($(cut -d' ' -f2 call) * 1038 * 8 / seconds / 1000))
		$(($(cut -d' ' -f2 other) * 1538 * 8 / seconds / 1000)))
	p95=$(cut -d' ' -f6 call)
	figure "$1: tcp ${got[0]}, call ${got[1]}, other ${got[2]} kb/s; the call's p95 $p95 us"
	no_home
}

cd /tmp
insmod /ko/sch_airtab.ko
mapfile -t want < <(plan | jq '.predictions[1] | .rate_tcp_bytes_per_s, .rate_call_bytes_per_s, .rate_other_bytes_per_s | . * 8 / 1000 | floor')
figure "predicted: tcp ${want[0]}, call ${want[1]}, other ${want[2]} kb/s"
split cbt
for i in 0 1 2; do
	[ $((got[i] * 10)) -ge $((want[i] * 9)) ] && [ $((got[i] * 10)) -le $((want[i] * 11)) ] ||
		fail "class $i gets ${got[i]} kb/s, predicted were ${want[i]}"
done
split htb
split cake
rmmod sch_airtab
