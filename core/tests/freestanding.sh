#!/bin/sh
# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# The core compiles without warnings, freestanding, for 64 and 32 bits (the
# latter without floating point registers), and needs memcpy and memset alone.
# Called by the Makefile: BUILD, CLANG (may be empty), FLAGS.
set -eu

build() {	# compiler, directory, flags of ld, flags of cc...
	cc=$1 dir=$BUILD/check/$2 ldflags=$3
	shift 3
	rm -rf "$dir"
	mkdir -p "$dir"
	for c in src/*.c; do
		eval "$cc" "$FLAGS" -O2 -ffreestanding "$@" -c "$c" -o "$dir/$(basename "$c" .c).o"
	done
	ld $ldflags -r "$dir"/*.o -o "$dir/all.o"
	extra=$(nm -u "$dir/all.o" | awk '$2 != "memcpy" && $2 != "memset" { print $2 }')
	if [ -n "$extra" ]; then
		echo "core: $dir needs" $extra
		exit 1
	fi
}

checked=
for cc in gcc $CLANG; do
	name=$(basename "$cc")
	build "$cc" "$name" ""
	checked="$checked $name"
	[ "$(uname -m)" = x86_64 ] || continue
	build "$cc" "$name-32" "-m elf_i386" -m32 -mgeneral-regs-only -fno-pic
	checked="$checked $name-32"
done
[ -n "$CLANG" ] || checked="$checked (no clang here)"
echo "core: freestanding with$checked"
