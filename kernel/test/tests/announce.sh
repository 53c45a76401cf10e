# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# airtab-announce, started by airtab-attach: an access point of hostapd and two stations over simulated radios. While both
# upload, hostapd announces a TXOP limit of 1024 us and a CWmin of 31, and the stations' drivers get them; while one uploads,
# after the uploads, and when the qdisc goes, both are those of the configuration. Two calls leave one process.
# boot: checked  limit: 900  kernel: 6.12
. ./lib.sh

cd /tmp
mkdir -p /var
ln -sfn /run /var/run

# uploads SECONDS STATION...: each sends 5.6 Mb/s for so long
uploads() {
	local seconds=$1 n
	shift
	for n; do
		traffic player 500$n count=$((seconds * 500)) >late$n &
		bound "" 500$n
		ip netns exec sta$n traffic game 10.6.0.1 500$n count=$((seconds * 500)) every=2 size=1400 &
	done
}

# driver STATION: TXOP limit, units of 32 us, and CWmin that the driver of a station was told last
driver() {
	dmesg | sed -n "s/.*phy${phy[$1]}: mac80211_hwsim_conf_tx (queue=2 txop=\([0-9]*\) cw_min=\([0-9]*\) .*/\1 \2/p" | tail -n 1
}

drivers() {
	[ "$(driver 1), $(driver 2)" = "$1, $1" ]
}

# announced CWMIN TXOP: what the last beacon has, as a station received it
announced() {
	ip netns exec sta1 iw dev wlan1 scan dump -b | sed -n '/from Beacon frame/,$p' | grep -q "BE: CW $1-1023, AIFSN 3$2\$"
}

processes() {
	cat /proc/[0-9]*/comm 2>/dev/null | grep -c '^airtab-announce' || true
}

ends() {
	[ "$(processes)" = 0 ]
}

 radios 3
for n in 1 2; do
	phy[n]=$(ip netns exec sta$n iw dev wlan$n info | sed -n 's/^\s*wiphy //p')
done
echo 'func mac80211_hwsim_conf_tx +p' >/sys/kernel/debug/dynamic_debug/control
insmod /ko/sch_airtab.ko
access_point 2 ctrl_interface=/run/hostapd

for again in 1 2; do
	env ENABLE=yes ANNOUNCE=yes bash /bin/airtab-attach >said 2>&1 || fail "$(<said)"
done
sleep 1
equal "processes after two calls" "$(processes)" 1

uploads 4 1
sleep 5
wait
drivers "0 15" || fail "one station uploads, and the drivers have $(driver 1), $(driver 2)"

uploads 6 1 2
until_true "1024 us and 31 at both stations" drivers "32 31"
until_true "beacons with 1024 us and 31" announced 31 ", TXOP 1024 usec"
figure "two stations upload: a TXOP limit of 1024 us and a CWmin of 31 in beacons and in both stations' drivers"
until_true "the configuration after the uploads" drivers "0 15"
until_true "beacons of the configuration" announced 15 ""

uploads 6 1 2
until_true "bounds at both stations" drivers "32 31"
tc qdisc del dev wlan0 root
until_true "the configuration without the qdisc" drivers "0 15"
until_true "the end of the process" ends
figure "removed with the qdisc"

hostapd_cli -i wlan0 terminate >said
wait
rmmod sch_airtab
no_radios
