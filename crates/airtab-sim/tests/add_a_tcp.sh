#!/bin/sh
# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Adding a congestion control is one file and one line: the template, added so to a
# copy of the sources, is known by its name and passes the tests that hold for all.
set -eu
cd "$(dirname "$0")/../../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
copy=$target/add-a-tcp	# always there, so that what was built for it serves the next run
rm -rf "$copy"
mkdir -p "$copy"
cp -r Cargo.toml Cargo.lock core crates "$copy"
cd "$copy"
list=crates/airtab-sim/src/tcp/congestion
cp crates/airtab-sim/template/congestion.rs $list/template.rs
sed -i 's|^algorithms! {$|&\n    /// The template: `template`.\n    template: Template,|' $list/mod.rs
grep -q 'template: Template' $list/mod.rs || { echo "no list of algorithms in $list/mod.rs" >&2; exit 1; }
CARGO_TARGET_DIR=$target cargo test --quiet -p airtab-sim --lib --test tcp -- \
	congestion:: idle:: receive_window:: transfer:: random:: >log 2>&1 || { cat log; exit 1; }
! grep -q 'result: ok. 0 passed' log || { echo "nothing was tested" >&2; cat log; exit 1; }
