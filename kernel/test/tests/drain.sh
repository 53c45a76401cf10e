# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# `airtab drain` on wlan0 of an access point with one station, over mac80211 and simulated radios: it shows R, K, BL, F and T, and
# with --apply tells a wqm there, under traffic. Without rights, on a device that is no radio, and without a wqm: one sentence, exit 2.
# boot: checked  limit: 300  kernel: 6.12
. ./lib.sh

cd /tmp

# refused WORDS ARGUMENT...: `airtab drain` fails with 2, and one sentence that holds these words
refused() {
	local words=$1 said code=0
	shift
	said=$("$@" 2>&1) || code=$?
	equal "exit code of $*" "$code" 2
	[[ $said == "error: "*"$words"* && $said != *$'\n'* ]] || fail "$*: $said; should say: $words"
}

# told FIELD: of the wqm of wlan0
told() {
	tc -j qdisc show dev wlan0 root | jq ".[0].options.$1"
}

refused "no such network device" airtab drain wlan0
radios 2
refused "lo is no Wi-Fi interface" airtab drain lo
access_point 1
refused "wlan0 has no wqm" airtab drain wlan0 --apply --count 1

insmod /ko/sch_airtab.ko
tc qdisc replace dev wlan0 root wqm rate 7mbit frames 3 free 40%
ip netns exec sta1 traffic download 5001 >goodput &
sleep 0.2
traffic upload 10.6.0.2 5001 ms=2000 &
sleep 0.5
airtab drain wlan0 --count 5 --json >seen || fail "$(<seen)"
equal "looks" "$(wc -l <seen)" 5
jq -e 'select(.rate_bits_per_second >= 1000000 and .frames >= 1 and .drain_seconds >= 0
	and .device == "wlan0" and .applied == false)' <seen >good
equal "looks at a link" "$(grep -c '"schema"' good)" 5
equal "nothing is applied unasked" "$(told rate)" 7000000
refused "needs root" setpriv --reuid 1000 --bounding-set -all --inh-caps -all airtab drain wlan0 --apply --count 1

airtab drain wlan0 --apply --count 3 --json >seen || fail "$(<seen)"
jq -s -e 'any(.[]; .applied)' <seen >applied || fail "never applied: $(<seen)"
rate=$(jq -s 'map(select(.applied)) | last.rate_bits_per_second' <seen)
equal "R of wqm" "$(told rate)" "$rate"
equal "K of wqm" "$(told frames)" "$(jq -s 'map(select(.applied)) | last.frames' <seen)"
figure "R, K, F and T of hwsim: $(jq -c '[.rate_bits_per_second, .frames, .free_ratio, .drain_seconds]' <seen | tail -n 1)"
wait
airtab drain wlan0 --count 1 | grep -q "^R .* Mb/s   K .* T .* ms" || fail "$(airtab drain wlan0 --count 1)"

tc qdisc del dev wlan0 root
no_radios
sleep 1		# freed by RCU
rmmod sch_airtab
