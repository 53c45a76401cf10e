// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Small files of cells by MCS, right and wrong.

use airtab_scenario::ScenarioFile;

/// A file with these keys of `[wifi]`, and a station `s` with a game.
pub fn modern(phy: &str, wifi: &str, rest: &str) -> ScenarioFile {
    let app = "[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\n";
    let station = if rest.contains("[[station]]") { "" } else { "[[station]]\nname = \"s\"\n" };
    let text = format!("duration = \"1s\"\n[wifi]\nphy = \"{phy}\"\n{wifi}\n{station}{rest}\n{app}");
    ScenarioFile::parse("modern.toml", &text).unwrap_or_else(|e| panic!("{e}"))
}

/// What is refused of a file with these tables, without its picture.
pub fn refused(wifi: &str, station: &str, app: &str) -> Vec<String> {
    let app = format!("[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\n{app}\n");
    let text = format!("duration = \"1s\"\n[[station]]\nname = \"s\"\n{station}\n{app}[wifi]\n{wifi}\n");
    let told = ScenarioFile::parse("bad.toml", &text).expect_err(wifi).to_string();
    let lines = told.lines().filter_map(|line| line.strip_prefix("bad.toml:"));
    lines.map(|line| line.split_once(": ").expect("a place, and what is wrong").1.to_string()).collect()
}
