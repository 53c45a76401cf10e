# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# A discipline with a clock of its own (disciplines/pace.c: one packet a gap, and
# only after a tick) under the glue: its packets leave a gap apart, tick is called
# once for each and never early, waiting counts as overlimits, a change sets the
# timer anew, a full queue and a link that goes down stop it, and a change that
# takes several calls gets them. How far apart is only asked where the clock is exact.
# boot: checked  limit: 900
. ./lib.sh

gap=1 limit=2 steps=3		# ids of parameters
ms=1000000

# told NUMBER: a statistic of pace: 1 ticks, 2 early ticks, 3 calls of change
told() {
	rows qdisc d0 | sed -n "s/.* $1=\([0-9]*\).*/\1/p"
}

# shown overlimits|backlog: a number (packets) of the qdisc; tc has no plugin for it
shown() {
	tc -s qdisc show dev d0 root | sed -n "s/.*overlimits \([0-9]*\) .*/overlimits \1/p; s/.*backlog [0-9A-Za-z]*b \([0-9]*\)p.*/backlog \1/p" |
		sed -n "s/^$1 //p"
}

cd /tmp
insmod /ko/airtab_trial.ko
pair
rawtc add d0 pace $gap=$((50 * ms)) $limit=100

listen 6
offer 6
paced "50 ms apart" 6 50000
equal "ticks" "$(told 1)" 6
equal "early ticks" "$(told 2)" 0
overlimits=$(shown overlimits)
[ "$overlimits" -ge 5 ] || fail "waiting counted $overlimits overlimits"

# from a gap of an hour back to 10 ms: the change must set the timer
rawtc change d0 pace $gap=$((3600 * 1000 * ms))
listen 3
offer 3
sleep 0.5
equal "the queue with a gap of an hour" "$(shown backlog)" 3
rawtc change d0 pace $gap=$((10 * ms))
wait
read -r _ received _ <late
equal "packets received after the change" "$received" 3
equal "early ticks" "$(told 2)" 0

# in steps
was=$(told 3)
rawtc change d0 pace $steps=5
equal "calls for a change of 6 steps" $(($(told 3) - was)) 6

# a link that goes down empties it and stops the timer; up again it works
rawtc change d0 pace $gap=$((300 * ms)) $steps=0
offer 4
ip link set d0 down
ticks=$(told 1)
sleep 2
equal "ticks while the link is down" "$(told 1)" "$ticks"
ip link set d0 up
sleep 2
meet
sleep 1
rawtc change d0 pace $gap=$((20 * ms))
listen 5
offer 5
paced "after the link was down" 5 20000
rawtc change d0 pace $gap=$((300 * ms))
offer 3		# goes while they wait
tc qdisc del dev d0 root
sleep 1
no_pair
rmmod airtab_trial
figure "11 packets${exact:+ in time}, no tick early, 6 steps of a change"
