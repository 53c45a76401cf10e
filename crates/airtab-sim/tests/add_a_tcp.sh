#!/bin/sh
# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Adding a congestion control is one file and one line: the template, added so to a
# copy of the sources, is known by its name and passes the tests that hold for all.
set -eu
cd "$(dirname "$0")/../../.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
cd "$(tools/scratch add-a-tcp)"
list=crates/airtab-sim/src/tcp/congestion
cp crates/airtab-sim/template/congestion.rs $list/template.rs
sed -i 's|^algorithms! {$|&\n    /// The template: `template`.\n    template: Template,|' $list/mod.rs
grep -q 'template: Template' $list/mod.rs || { echo "no list of algorithms in $list/mod.rs" >&2; exit 1; }
cargo test --quiet -p airtab-sim --lib --test tcp -- \
	congestion:: idle:: receive_window:: transfer:: random:: >log 2>&1 || { cat log; exit 1; }
! grep -q 'result: ok. 0 passed' log || { echo "nothing was tested" >&2; cat log; exit 1; }
# By its name it is asked for, on the command line and in a scenario file.
quietly() { "$@" >log 2>&1 || { cat log >&2; exit 1; }; }
quietly cargo run --quiet -p airtab -- tcp trace --congestion template --seconds 4
grep -q '^template  *[1-9]' log || { echo "the table does not have the template" >&2; cat log >&2; exit 1; }
