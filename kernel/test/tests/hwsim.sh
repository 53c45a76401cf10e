# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# chap on wlan0 of an access point with WPA2: hostapd, two stations, all over mac80211. The
# stations get TCP and UDP through it; its governor is on by itself; it is replaced under traffic, removed and unloaded; iw
# shows airtime. Nothing takes time on this air, and so nothing is said of who waits for whom.
# boot: checked  limit: 900  kernel: 6.12
. ./lib.sh

cd /tmp

cat >hostapd.conf <<'END'
interface=wlan0
ssid=house
hw_mode=g
channel=1
ieee80211n=1
wmm_enabled=1
wpa=2
wpa_key_mgmt=WPA-PSK
rsn_pairwise=CCMP
wpa_passphrase=a house of three
END
cat >station.conf <<'END'
network={
	ssid="house"
	scan_freq=2412
	key_mgmt=WPA-PSK
	psk="a house of three"
}
END

# authorized COUNT: so many stations have come through the handshake
authorized() {
	[ "$(iw dev wlan0 station dump | grep -c $'authorized:\tyes')" = "$1" ]
}

# passed COUNT: the qdisc, which is new, has sent on so many packets
passed() {
	[ "$(tc -s -j qdisc show dev wlan0 root | jq '.[0].packets')" -ge "$1" ]
}

radios 3
hostapd -B hostapd.conf >said || fail "$(<said)"
for n in 1 2; do
	ip netns exec sta$n wpa_supplicant -B -D nl80211 -i wlan$n -c station.conf >said || fail "$(<said)"
	ip -n sta$n addr add 10.6.0.$((n + 1))/24 dev wlan$n
done
ip addr add 10.6.0.1/24 dev wlan0
until_true "two stations with WPA2" authorized 2
equal "the qdisc of wlan0 by itself" "$(tc qdisc show dev wlan0)" "qdisc noqueue 0: root refcnt 2 "

insmod /ko/sch_airtab.ko
tc qdisc replace dev wlan0 root chap

# a second of TCP to each station, as fast as this processor ciphers
for n in 1 2; do
	ip netns exec sta$n traffic download 5001 >goodput$n &
done
sleep 0.2
for n in 1 2; do
	traffic upload 10.6.0.$((n + 1)) 5001 ms=1000 &
done
wait
for n in 1 2; do
	read -r _ kbps <goodput$n
	[ "$kbps" -ge 1000 ] || fail "station $n got $kbps kb/s"
	rates+=("$kbps kb/s")
done
# by itself, as this is wireless. This radio lets go of packets as it gets them, one after the other as they
# are ciphered: it depends on the processor which mode that is
governor=$(tc -s -j qdisc show dev wlan0 root | jq -c '.[0].airtab.below | [.mode, .valid, .early]')
[[ $governor == \[\"@(measured|unlimited)\",* ]] || fail "what is below wlan0: $governor"
figure "a governor runs by itself; mode, completions valid and early: $governor"

# a packet each 5 ms to each; meanwhile chap is changed, replaced by itself and by fq_codel,
# twice, and none is lost
for n in 1 2; do
	ip netns exec sta$n traffic player 5002 count=500 >late$n &
done
sleep 0.1
for n in 1 2; do
	traffic game 10.6.0.$((n + 1)) 5002 count=500 every=5 &
done
for round in 1 2; do
	until_true "packets through chap" passed 20
	tc qdisc change dev wlan0 root chap limit $((400 + round))
	tc qdisc replace dev wlan0 root chap limit 300
	rmmod sch_airtab 2>said && fail "the module is unloaded under traffic"
	tc qdisc replace dev wlan0 root fq_codel
	tc qdisc replace dev wlan0 root chap
done
wait
for n in 1 2; do
	read -r _ received _ <late$n
	# what is queued as another kind comes is dropped with it
	[ "$received" -ge 490 ] || fail "station $n received $received packets of 500"
done
equal "backlog afterwards" "$(tc -s -j qdisc show dev wlan0 root | jq -c '.[0] | [.qlen, .backlog]')" "[0,0]"

# airtime: mac80211 counts what the radio reports, which is nothing here
iw dev wlan0 station dump >stations
for what in "tx duration" "rx duration"; do
	equal "stations of which iw shows '$what'" "$(grep -c "$what" stations)" 2
done

# the interface goes down and comes back, and goes for good, with chap on it
ip link set wlan0 down
ip link set wlan0 up
[[ $(tc qdisc show dev wlan0 root) == "qdisc chap"* ]] || fail "chap is gone after the link was down"
tc qdisc del dev wlan0 root
rmmod sch_airtab
insmod /ko/sch_airtab.ko
tc qdisc add dev wlan0 root chap
no_radios
sleep 1		# freed by RCU
rmmod sch_airtab
figure "WPA2, two stations, ${rates[*]}, chap replaced under traffic, removed with its device, unloaded"
