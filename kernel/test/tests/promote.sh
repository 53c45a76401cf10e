# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Light flows in a better access category: an access point of hostapd, a station over simulated radios, and chap with
# an emulated link, which reports what it sends, above mac80211. A monitor captures the TIDs: a game has that of
# `promote` after its first second, and none of its packets overtakes another; a flood has TID 0, a flow with DSCP EF has 6;
# with `promote off` the game has TID 0.
# boot: checked  limit: 900  kernel: 6.12
. ./lib.sh

cd /tmp

# captured PROMOTE: `tids` of 6 s of a game to port 5001, a flood to 5002 and a marked game to 5003
captured() {
	local capture flood sink
	tc qdisc replace dev wlan0 root chap promote $1 emulate d7.1
	for port in 5001 5003; do
		ip netns exec sta1 traffic player $port count=150 >late$port &
		bound sta1 $port
	done
	ip netns exec sta1 traffic sink 5002 >/dev/null &
	sink=$!
	tids hwsim0 >tids &
	capture=$!
	traffic flood 10.6.0.2 5002 count=0 ms=6500 size=1400 wait=1 >/dev/null &
	flood=$!
	traffic game 10.6.0.2 5001 count=150 &
	traffic game 10.6.0.2 5003 count=150 tos=184 &
	wait $flood
	sleep 2
	kill $capture $sink
	wait
}

# frames PORT TID
frames() {
	local n
	n=$(sed -n "s/^$1 $2 //p" tids)
	echo "${n:-0}"
}

radios 2
insmod /ko/sch_airtab.ko
access_point 1
ip link set hwsim0 up

for case in "off 0" "video 5" "voice 6"; do
	tid=${case#* }
	captured ${case% *}
	best=$(frames 5001 0) better=$(frames 5001 $tid)
	figure "promote ${case% *}: the game has $best frames of TID 0 and $better of TID $tid"
	[ $((tid ? best + better : best)) -ge 145 ] || fail "frames of the game are missing: $(<tids)"
	# the first second, and one packet more
	[ $tid = 0 ] || [ "$best" -le 30 ] || fail "the game stays in best effort: $(<tids)"
	[ "$(frames 5002 0)" -ge 1000 ] || fail "the flood is not in best effort: $(<tids)"
	equal "TIDs of the flood" "$(grep -c '^5002 ' tids)" 1
	equal "TIDs of the marked flow" "$(grep '^5003 ' tids | cut -d' ' -f2 | tr '\n' ' ')" "6 "
	grep overtaken tids && fail "packets overtake"
	read -r _ received _ <late5001
	[ "$received" -ge 148 ] || fail "the station received $received packets of 150"
done
tc qdisc del dev wlan0 root
rmmod sch_airtab
no_radios
