#!/bin/sh
# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Adding a discipline is one file and one line: the template, added so to a copy
# of the core, builds and passes the tests that hold for every discipline, and a
# second of random operations. The hosts: crates/airtab/tests/templates.sh.
#
# Called by `make test` with CC, FLAGS and BUILD, whose objects are linked where
# the line in disciplines.def changes nothing.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -r src "$tmp"
cp template/discipline.c "$tmp/src/template.c"
echo 'AT_DISCIPLINE(template)' >>"$tmp/src/disciplines.def"
compile() {
	eval "${CC:-cc} $FLAGS -I'$tmp/src' -DAT_FUZZ_MAIN=1 \"\$@\""
}
compile -Wconversion -Wno-sign-conversion -c "$tmp/src/template.c" -o "$tmp/template.o"
compile -c "$tmp/src/disciplines.c" -o "$tmp/disciplines.o"
core=
for file in src/*.c; do
	name=$(basename "$file" .c)
	[ "$name" = disciplines ] || core="$core $BUILD/san/$name.o"
done
for t in test_invariants test_baselines fuzz; do
	# shellcheck disable=SC2086
	compile "tests/$t.c" $core "$tmp/template.o" "$tmp/disciplines.o" -o "$tmp/$t" -lm
done
"$tmp/test_invariants"
"$tmp/test_baselines"
"$tmp/fuzz" 1 1 >/dev/null
