#!/bin/sh
# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Adding a discipline is one file and one line in every host: the template, added so
# to a copy of the sources, is met by the tests that hold for all disciplines, by the
# benchmarks, and by `airtab compare`. (The core's own tests and its fuzzer:
# core/tests/add_a_discipline.sh.)
set -eu
cd "$(dirname "$0")/../../.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
cd "$(tools/scratch add-a-discipline)"
cp core/template/discipline.c core/src/template.c
echo 'AT_DISCIPLINE(template)' >>core/src/disciplines.def

fail() {
	echo "$1" >&2
	cat log >&2
	exit 1
}

# Whole runs: their books, their fingerprints, what they allocate. A table with more
# rows than the one that is kept is what is wanted here.
snapshot=crates/airtab-sim/tests/snapshots/home__fingerprints.snap
INSTA_FORCE_PASS=1 INSTA_UPDATE=new cargo test --quiet -p airtab-sim --test home --test no_allocation -- \
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
compare() {
	cargo run --quiet -p airtab -- compare --quick --seeds 1 "$@" >log 2>&1 || fail "airtab compare $*:"
}
compare --queues fifo,template
grep -q '^  *fifo  *template *$' log || fail "the table has no column of the template's:"
compare --queues template:limit=20
grep -q '^  *template *$' log || fail "the template, asked for by its name, has no column:"
grep -q '^Limits, packets: template:limit=20 20\.$' log || fail "the template does not have the limit that was asked for:"
