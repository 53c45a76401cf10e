// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the file of an experiment may hold, as JSON Schema: what its reader asks for (`airtab_scenario::schema`), and in
//! its `[scenario]` a part of one. The same of a sweep.
//!
//! What it does not do: tables `[server]` and `[model]` are tables, and no more is said of them.

use std::path::Path;

use airtab_scenario::reader::Section;
use airtab_scenario::schema;
use serde_json::Value;

use super::file::{Purpose, read_file};

/// A file in which every key is asked for: each sort of check once.
const TEXT: &str = "
title = \"t\"
source = \"s\"
seeds = 100000
queues = [\"fifo\", \"chap\"]
[remarks]
comparison = \"r\"
[scenario]
app = [{ name = \"a\" }]
[[axis]]
name = \"limit\"
keys = \"queue.fifo.limit\"
values = [1, 2]
[[axis]]
name = \"start\"
keys = \"app.a.start\"
range = { from = 1, to = 2, step = 1 }
[[figure]]
title = \"t\"
y = \"a.game_mos\"
[[course]]
title = \"t\"
y = \"queue\"
[[scatter]]
title = \"t\"
app = \"a\"
y = \"frames\"
[[check]]
what = \"w\"
section = \"1\"
reported = \"r\"
of = \"a.game_mos\"
queue = \"fifo\"
least = 1
[[check]]
what = \"w\"
section = \"1\"
reported = \"r\"
of = \"a.game_mos\"
spread = [\"fifo\", \"chap\"]
least = 1
[until]
metric = \"a.game_mos\"
half_width = 1
";

/// The schema of the files of experiments.
pub fn schema() -> Value {
    of(Purpose::Judge, "Experiment of airtab", "docs/experiments.md")
}

/// That of the files of sweeps, which are experiments that judge nothing.
pub fn sweep_schema() -> Value {
    of(Purpose::Sweep, "Sweep of airtab", "docs/sweeps.md")
}

fn of(purpose: Purpose, title: &str, page: &str) -> Value {
    let none = |_: &std::path::Path| Err("only names of keys are looked for".into());
    let read = |top: &Section, text: &str| drop(read_file(Path::new(""), "", text, top, &none, purpose));
    let mut all = schema::table(&schema::asked(&[TEXT.into()], read));
    all["properties"]["scenario"] = schema::part_of_scenario();
    schema::titled(title, page, all)
}
