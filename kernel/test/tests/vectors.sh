# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# The worked examples of the CHAP dissertation in the kernel's build of chap,
# faithful profile: tables 4.1 and 4.2 (equal costs), 5.3 and 5.4 (one flow with
# a bad link), with their continuation to 30 packets. Order and credits exact.
# boot: measured  limit: 900
. ./lib.sh

cd /tmp
insmod /ko/airtab_replay.ko
for number in 1 2; do
	replay vector $number >trace
	replay kernel <trace >log
	replay judge $number <log >result || fail "example $number: $(<result)"
	figure "example $number: $(<result)"
done
rmmod airtab_replay
