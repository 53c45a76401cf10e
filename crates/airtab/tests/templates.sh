#!/bin/sh
# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# What is added by one file and one line: a discipline, a congestion control, an
# application (two files and two lines). The templates of docs/add-a-*.md, added so to a
# copy of the sources, are found by every test, benchmark and front end by itself.
#
#   templates.sh                         all three, in one copy, which is built once
#   templates.sh discipline|tcp|application ...
#
# (In every `make test`, the core's tests of a discipline: core/tests/add_a_discipline.sh.)
set -eu
[ $# -gt 0 ] || set -- discipline tcp application
cd "$(dirname "$0")/../../.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
cd "$(tools/scratch templates)"
snapshot=crates/airtab-sim/tests/it/snapshots/it__home__fingerprints.snap

fail() {
	echo "$1" >&2
	cat log >&2
	exit 1
}
airtab() { cargo run --quiet -p airtab -- "$@" >log 2>&1 || fail "airtab $*:"; }
# Each program has to have a test of these names: tests CARGO-ARGUMENTS -- NAMES
tests() {
	cargo test --quiet "$@" >log 2>&1 || fail "tests $*:"
	! grep -q '^test result: ok. 0' log && grep -q '^test result: ok' log || fail "nothing was tested by $*:"
}
# The template's line into a list, behind the line that opens it: into FILE 'LINE' 'NEW'
into() {
	sed -i "s|^$2\$|&\n$3|" "$1"
	grep -qxF "$(printf '%b' "$3" | tail -n 1)" "$1" || { echo "no line '$2' in $1, to put the template behind" >&2; exit 1; }
}

add_discipline() {
	cp core/template/discipline.c core/src/template.c
	echo 'AT_DISCIPLINE(template)' >>core/src/disciplines.def
}

add_tcp() {
	cp crates/airtab-sim/template/congestion.rs crates/airtab-sim/src/tcp/congestion/template.rs
	into crates/airtab-sim/src/tcp/congestion/mod.rs 'algorithms! {' '    /// The template.\n    template: Template,'
}

add_application() {
	cp crates/airtab-sim/template/application.rs crates/airtab-sim/src/traffic/template.rs
	cp crates/airtab-scenario/template/kind.rs crates/airtab-scenario/src/kinds/template.rs
	into crates/airtab-sim/src/traffic/mod.rs 'applications! {' '    /// The template.\n    template: Template,'
	into crates/airtab-scenario/src/kinds/mod.rs 'mod streaming;' 'mod template;'
}

check_discipline() {
	# The page's step 4: all tests of the core, its rules, the fuzzer.
	make -C core test check fuzz SECONDS=1 >log 2>&1 || fail "step 4 of docs/add-a-discipline.md:"

	# Whole runs: their books, their fingerprints, what they allocate. A table with more
	# rows than the one that is kept is what is wanted here.
	INSTA_FORCE_PASS=1 INSTA_UPDATE=new cargo test --quiet -p airtab-sim --test it --test no_allocation -- \
		fingerprints no_packet_disappears allocates_nothing >log 2>&1 || fail "tests of whole runs:"
	[ "$(grep -c '^test result: ok. [1-9]' log)" = 2 ] || fail "these tests did not run:"
	[ "$(grep -c '  template  ' $snapshot.new)" = "$(grep -c '  fifo  ' $snapshot)" ] ||
		fail "the fingerprints are not those of the template too:"
	! grep -vxFf $snapshot.new $snapshot >log || fail "other fingerprints moved:"

	# Benchmarks: one iteration of each.
	cargo test --quiet -p airtab-core --bench core -- template >log 2>&1 || fail "what a packet costs:"
	grep -q '^Testing cycle/template-' log || fail "the benchmark of packets has no template:"
	cargo test --quiet -p airtab-sim --bench sim >log 2>&1 || fail "how fast the simulator is:"
	grep -q 'home 330 s, template' log || fail "the benchmark of the simulator has no template:"

	# The command line: beside another one, and with a parameter.
	airtab compare --short --seeds 1 --queues fifo,template
	grep -q '^  *fifo  *template *$' log || fail "the table has no column of the template's:"
	airtab compare --short --seeds 1 --queues template:limit=20
	grep -q '^  *template *$' log || fail "the template, asked for by its name, has no column:"
	grep -q '^Limits, packets: template:limit=20 20\.$' log || fail "the template does not have the limit that was asked for:"
}

check_tcp() {
	tests -p airtab-sim --lib --test it -- congestion:: tcp::idle:: tcp::receive_window:: tcp::transfer:: tcp::random::
	airtab tcp trace --congestion template --duration 4s
	grep -q '^template  *[1-9]' log || fail "the table does not have the template:"
}

check_application() {
	tests -p airtab-sim --lib -- traffic::
	tests -p airtab-scenario --lib -- kinds::
	cat >scenario.toml <<'S'
name = "template"
duration = "30s"
[[station]]
name = "wall"
[[station]]
name = "laptop"
[[app]]
name = "sensors"
kind = "template"
station = "wall"
interval = "10ms"
users = 5
[[app]]
name = "update"
kind = "download"
station = "laptop"
S
	airtab compare scenario.toml --queues chap --seeds 1 --out out
	# Five sensors, 100 answers of 64 bytes a second each: 0.256 Mb/s, all of which arrives.
	for line in '^sensors  Mb/s  *0\.26$' 'sensors 0\.26 Mb/s under chap: 0 % of its answers are lost'; do
		grep -q "$line" log || fail "the results do not have: $line"
	done
	grep -q '"kind": *"template"' out/results.json || fail "the results do not name the kind:"
}

for what; do
	case $what in
	discipline | tcp | application) add_$what ;;
	*) echo "templates.sh: no template of '$what': discipline, tcp, application" >&2; exit 2 ;;
	esac
done
for what; do check_$what; done
