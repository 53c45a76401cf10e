#!/bin/sh
# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# Adding an application is two files and two lines: the templates, added so to a copy
# of the sources, are read from a scenario, run beside another application, measured
# and told of; no other file is touched.
set -eu
cd "$(dirname "$0")/../../.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
cd "$(tools/scratch add-an-application)"
traffic=crates/airtab-sim/src/traffic
kinds=crates/airtab-scenario/src/kinds
cp crates/airtab-sim/template/application.rs $traffic/template.rs
cp crates/airtab-scenario/template/kind.rs $kinds/template.rs
sed -i 's|^applications! {$|&\n    /// The template.\n    template: Template,|' $traffic/mod.rs
sed -i 's|^mod streaming;$|&\nmod template;|' $kinds/mod.rs
for line in "    template: Template," "mod template;"; do
	grep -qxF "$line" $traffic/mod.rs $kinds/mod.rs || { echo "no place for: $line" >&2; exit 1; }
done
quietly() { "$@" >log 2>&1 || { cat log >&2; exit 1; }; }
quietly cargo test --quiet -p airtab-sim --lib -- traffic::
grep -q 'result: ok. [1-9]' log || { echo "nothing was tested" >&2; cat log >&2; exit 1; }
quietly cargo test --quiet -p airtab-scenario --lib -- kinds::
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
quietly cargo run --quiet -p airtab -- compare scenario.toml --queues chap --seeds 1 --out out
# Five sensors, 100 answers of 64 bytes a second each: 0.256 Mb/s, all of which arrives.
for line in '^sensors  Mb/s  *0\.26$' 'sensors 0\.26 Mb/s under chap: 0 % of its answers are lost'; do
	grep -q "$line" log || { echo "the results do not have: $line" >&2; cat log >&2; exit 1; }
done
grep -q '"kind": *"template"' out/results.json || { echo "the results do not name the kind" >&2; exit 1; }
