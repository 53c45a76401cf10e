#!/bin/sh
# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Adding a discipline is one file and one line: the template, renamed and added so to a
# copy of the core, with two more parameters, builds and passes the tests that hold for
# every discipline, and a second of random operations. With the host: step 4 of
# docs/add-a-discipline.md in crates/airtab/tests/templates.sh.
#
# Called by `make test` with CC, FLAGS and BUILD, whose objects are linked where
# the line in disciplines.def changes nothing.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -r src "$tmp"
pause='[P_PAUSE] = { .id = 2, .name = "pause", .unit = AT_NS, .def = 5000, .min = 1, .max = 1u << 30, PLAIN },'
fair='[P_FAIR] = { .id = 3, .name = "fair", .unit = AT_BOOL, .def = 1, .max = 1, .flags = AT_P_INIT, PLAIN },'
sed -e s/template/added/g -e 's/P_LIMIT, P_END/P_LIMIT, P_PAUSE, P_FAIR, P_END/' \
	-e "s/^\t\[P_END\] = /\t$pause\n\t$fair\n&/" -e 's/PLAIN/.max_len = 1, .help = "for a test", .source = "none"/g' \
	template/discipline.c >"$tmp/src/added.c"
echo 'AT_DISCIPLINE(added)' >>"$tmp/src/disciplines.def"
compile() {
	eval "${CC:-cc} $FLAGS -I'$tmp/src' -DAT_FUZZ_MAIN=1 \"\$@\""
}
compile -Wconversion -Wno-sign-conversion -c "$tmp/src/added.c" -o "$tmp/added.o"
compile -c "$tmp/src/disciplines.c" -o "$tmp/disciplines.o"
core=
for file in src/*.c; do
	name=$(basename "$file" .c)
	[ "$name" = disciplines ] || core="$core $BUILD/san/$name.o"
done
# Tests that go through the list of disciplines.
general=$(grep -lE 'at_disciplines|"drive.h"' tests/test_*.c | sed 's/.*test_\(.*\)\.c/\1/')
# shellcheck disable=SC2086
compile $core "$tmp/added.o" "$tmp/disciplines.o" "$BUILD"/san/test_*.o "$BUILD/san/tests.o" -o "$tmp/tests" -lm
# shellcheck disable=SC2086
compile tests/fuzz.c $core "$tmp/added.o" "$tmp/disciplines.o" -o "$tmp/fuzz" -lm
# shellcheck disable=SC2086
"$tmp/tests" $general >/dev/null
"$tmp/fuzz" 1 1 >/dev/null
