# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# airtab-attach: nothing unless it is switched on; access points and named interfaces get the
# qdisc, stations' interfaces, others and chosen qdiscs are left alone, and so is an interface
# where it does not work; exit code 0 throughout. What it attaches stays when the interface's
# type changes, or goes down and comes back.
# boot: checked  limit: 900  kernel: 6.12
. ./lib.sh

cd /tmp

# attach [VARIABLE=VALUE...]: to every interface; what it says is in said
attach() {
	env "$@" bash /bin/airtab-attach >said 2>&1 || fail "exit code $?: $(<said)"
}

# root_of WLAN KIND: the qdisc at its root
root_of() {
	local shown
	shown=$(tc qdisc show dev "$1" root)
	[[ "$shown " == "qdisc $2 "* || ("$2" = none && ${shown:-qdisc noop 0:} =~ ^qdisc\ noo?(p|queue)\ 0:) ]] ||
		fail "$1 has '$shown', should be $2"
}

modprobe mac80211_hwsim radios=2
quiet 1 wlan0
quiet 1 wlan1
ip link add d0 type dummy
insmod /ko/sch_airtab.ko
iw dev wlan0 set type __ap
attach ENABLE=yes	# as it appears: it is down
root_of wlan0 chap
ip link set wlan0 up
root_of wlan0 chap
tc qdisc del dev wlan0 root
ip link set wlan1 up
ip link set d0 up

attach
attach ENABLE=no KIND=chap INTERFACES="wlan0 wlan1 d0"
equal "what it says while it is off" "$(<said)" ""
for each in wlan0 wlan1; do
	root_of $each none
done

attach ENABLE=yes
root_of wlan0 chap
root_of wlan1 none
root_of d0 noqueue
equal "what it says" "$(<said)" "airtab-attach: wlan0: chap"
ip link set wlan0 down
ip link set wlan0 up
attach ENABLE=yes KIND=spq	# there is a chosen one
root_of wlan0 chap
tc qdisc del dev wlan0 root

# no such qdisc, no such parameter: as it was
for kind in nonsense "chap nonsense 5" "chap limit 0"; do
	attach ENABLE=yes KIND="$kind"
	root_of wlan0 none
	[[ $(<said) == *"wlan0 stays as it was: "?* ]] || fail "no reason in: $(<said)"
done
tc qdisc add dev wlan0 root handle 8: fq_codel
attach ENABLE=yes
root_of wlan0 "fq_codel 8:"

# by name, before it is an access point
attach ENABLE=yes KIND="chap limit 500" INTERFACES="d0 wlan1"
root_of wlan1 chap
root_of d0 chap
[[ $(tc qdisc show dev wlan1 root) == *"limit 500"* ]] || fail "the parameter is lost"
ip link set wlan1 down
iw dev wlan1 set type __ap
ip link set wlan1 up
root_of wlan1 chap
attach ENABLE=yes INTERFACES="no-such-device"

no_radios
ip link del d0
sleep 1		# freed by RCU
rmmod sch_airtab
