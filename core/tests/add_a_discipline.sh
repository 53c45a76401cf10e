#!/bin/sh
# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Adding a discipline is one file and one line: the template, added so to a copy
# of the core, builds and passes the tests that hold for every discipline, and a
# second of random operations. The hosts: crates/airtab/tests/templates.sh.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -r include src tests "$tmp"
cp template/discipline.c "$tmp/src/template.c"
echo 'AT_DISCIPLINE(template)' >>"$tmp/src/disciplines.def"
cd "$tmp"
compile() {
	"${CC:-cc}" -std=c11 -g -O1 -Wall -Wextra -Wconversion -Wno-sign-conversion -Werror \
		-Iinclude -Itests '-DAT_HOST_H="airtab/host_user.h"' -DAT_FUZZ_MAIN=1 \
		-fsanitize=address,undefined -fno-sanitize-recover=all "$@"
}
# On each of n processors every n-th file.
of=$(nproc) jobs=
for n in $(seq 0 $((of - 1))); do
	ls src/*.c | awk "NR % $of == $n" | while read -r file; do
		compile -c "$file" -o "$file.o" || exit 1
	done &
	jobs="$jobs $!"
done
for job in $jobs; do
	wait "$job"
done
for t in test_invariants test_baselines fuzz; do
	compile src/*.o "tests/$t.c" -o "$t"
done
./test_invariants
./test_baselines
./fuzz 1 1 >/dev/null
