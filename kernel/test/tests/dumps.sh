# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Ends of dumps (disciplines/table.c): tables of 0 to 64 rows, in messages that
# they fill exactly and not; rows far apart; 70000 rows, of which those from 65535 on
# have the number ffff: each row once, in order, with its values and standard
# statistics. Classes that are there are found, others refused, 0 and ffff too.
# boot: measured  limit: 900  kernel: 6.1,(6.12)
. ./lib.sh

rows=1 every=2		# ids of parameters

# all ROWS EVERY BUFFER: the dump of such a table is complete
all() {
	rawtc change d0 table $rows="$1" $every="$2" >/dev/null
	rows show d0 "$3" >shown
	expected "$1" "$2" >wanted
	cmp -s shown wanted || fail "$1 rows, one in $2, buffer of $3: $(diff_first)"
	tables=$((tables + 1))
}

# the lines that a right dump has
expected() {
	local n minor
	for ((n = 1; n <= $1; n++)); do
		printf -v minor %x $((n * $2 < 65535 ? n * $2 : 65535))
		echo "$minor packets $((3 * n)) qlen $((2 * n)) backlog $((5 * n)) 1=$n 2=$((3 * n)) 3=$((2 * n)) 4=$((5 * n))"
	done
}

diff_first() {
	local a b
	while IFS= read -r a <&3; IFS= read -r b <&4; [ "$a$b" ]; do
		[ "$a" = "$b" ] || { echo "'$a', should be '$b'"; return; }
	done 3<shown 4<wanted
}

cd /tmp
insmod /ko/airtab_trial.ko
ip link add d0 type dummy
ip link set d0 up
rawtc add d0 table >/dev/null
tables=0
rawtc change d0 table $rows=200 >/dev/null
read -r _ count _ messages _ _ _ full <<<"$(rows count d0 4096)"
equal "rows of $messages messages" "$count" 200
[ "$full" -ge 4 ] && [ "$messages" -gt $((200 / full)) ] || fail "$full rows in the fullest of $messages messages"
# nothing, and messages that are just full, one row less and more
for n in 0 1 $((full - 1)) $full $((full + 1)) $((2 * full - 1)) $((2 * full)) $((2 * full + 1)) $((5 * full)); do
	all $n 1 4096
done
for n in 0 1 $full $((full + 1)); do
	for apart in 2 255 256 257 600; do
		all $n $apart 4096
	done
	all $n 1 32768
done
all 300 300 32768		# numbers go on behind ffff
rawtc change d0 table $rows=70000 $every=1 >/dev/null
rows show d0 >shown
equal "rows of 70000" "$(wc -l <shown)" 70000
equal "of these without a number" "$(grep -c '^ffff ' shown)" $((70000 - 65534))
equal "different rows" "$(sed 's/.* 1=//' shown | sort -u | wc -l)" 70000

# one class
rawtc change d0 table $rows=10 $every=300 >/dev/null
for minor in 12c 258 bb8; do
	equal "class $minor" "$(rows get d0 $minor)" ok
done
for minor in 1 12b 12d ce4 fffe ffff; do
	equal "class $minor" "$(rows get d0 $minor || true)" "refused 2"
done
rawtc change d0 table $rows=65535 $every=1 >/dev/null
equal "class fffe" "$(rows get d0 fffe)" ok
equal "class ffff, which is nobody's own" "$(rows get d0 ffff || true)" "refused 2"
read -r _ _ handle _ <<<"$(tc qdisc show dev d0 root)"
if said=$(tc qdisc add dev d0 parent ${handle}9 pfifo 2>&1); then fail "a qdisc below a row"; fi
rawtc change d0 table $rows=2 >/dev/null
if said=$(tc qdisc add dev d0 parent ${handle}9 pfifo 2>&1); then fail "a qdisc below no row"; fi
ip link del d0
rmmod airtab_trial
figure "$tables tables complete, and one of 70000 rows; 13 classes found or refused"
