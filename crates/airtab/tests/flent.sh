#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Debian's flent reads and draws the files of `--flent`: flent.sh AIRTAB [FOLDER]
#
# Of `compare rrul`, of a scenario whose applications are not flent's own, of `rpm` over loopback, and, as root, of a live run. Pictures stay in
# FOLDER if one is given, to be looked at. (What is in the files is `airtab-lab`'s test `flent`.)
set -euo pipefail
[ $# -gt 0 ] || { sed -n '3,/^set /{/^set /d; s/^# \{0,1\}//; p}' "$0" >&2; exit 2; }
airtab=$(realpath "$1")
folder=${2-$(mktemp -d)}
[ $# -gt 1 ] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"
cd "$folder"

fail() {
	echo "flent.sh: $1" >&2
	[ ! -e log ] || cat log >&2
	exit 1
}

# picture, plot, files: flent draws it without a complaint, and it is more than empty axes
draw() {
	local png=$1 plot=$2
	shift 2
	flent "${@/#/--input=}" -p "$plot" -o "$png" >log 2>&1 || fail "$plot of $*:"
	# Debian's matplotlib has no layout of its kind, which moves a title only.
	! grep -v 'tight layout' log | grep -qiE 'error|warning|exception|traceback' || fail "$plot of $*:"
	[ "$(head -c 4 "$png" | tail -c 3)" = PNG ] && [ "$(stat -c %s "$png")" -gt 15000 ] || fail "$png is no picture of $plot"
}

# file, series: flent finds values of all of them, and a mean above 0
series() {
	local file=$1 name
	shift
	flent -i "$file" -f summary -o summary >log 2>&1 || fail "the summary of $file:"
	for name in "$@"; do
		awk -v name="$name" 'index($0, name) { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+$/ && $i > 0) found = 1 } END { exit !found }' \
			summary || { cat summary >&2; fail "$file has no values of $name"; }
	done
}

rrul=('Ping (ms) ICMP' 'Ping (ms) UDP BE' 'Ping (ms) UDP BK' 'Ping (ms) UDP EF')
for way in download upload; do
	for category in BE BK CS5 EF; do rrul+=("TCP $way $category"); done
done

plots() { # name, files
	local plot
	for plot in ping_cdf all_scaled; do draw "$1-$plot.png" $plot "$2"; done
	draw "$1-box_combine.png" box_combine "${@:2}"
}

"$airtab" compare rrul --seeds 1 --queues fifo,fq_codel,chap --why none --flent rrul.flent.gz >log 2>&1 || fail "compare:"
series rrul-fifo.flent.gz "${rrul[@]}" 'TCP download sum' 'TCP upload sum' 'Ping (ms) avg'
plots rrul rrul-fifo.flent.gz rrul-fq_codel.flent.gz rrul-chap.flent.gz

"$airtab" run family --queue chap --why none --flent family.flent.gz >log 2>&1 || fail "run:"
series family.flent.gz 'Ping (ms) ICMP shooter' 'Ping (ms) ICMP call' 'TCP download BE update' 'TCP download BE backup'
plots family family.flent.gz

mkfifo served
"$airtab" rpm --serve 127.0.0.1:0 --json >served 2>/dev/null &
server=$!
read -r line <served
"$airtab" rpm "$(sed 's/.*"address":"\([^"]*\)".*/\1/' <<<"$line")" --trust "$(sed 's/.*"fingerprint":"\([^"]*\)".*/\1/' <<<"$line")" \
	--duration 6s --flent rpm.flent.gz >log 2>&1 || fail "rpm:"
kill -INT $server
rm served
series rpm.flent.gz 'Ping (ms) ICMP' 'TCP download BE' 'TCP upload BE'
plots rpm rpm.flent.gz
draw rpm-beside.png ping_cdf rpm.flent.gz rrul-chap.flent.gz
draw rpm-box.png box_combine rpm.flent.gz rrul-chap.flent.gz

if [ "$(id -u)" = 0 ]; then
	# 3: the machine was too busy, which has been said
	"$airtab" live run rrul --queue fq_codel --why none --flent live.flent.gz >log 2>&1 || [ $? = 3 ] || fail "live run:"
	series live.flent.gz "${rrul[@]}"
	plots live live.flent.gz rrul-fq_codel.flent.gz
fi
echo "flent draws $(find . -maxdepth 1 -name '*.png' | wc -l) pictures"
