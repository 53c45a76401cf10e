// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `--format`, and `--json`, which is short for one: the same words in every command that prints figures.
//!
//! What it does not do: what the forms hold, the commands say.

use clap::ValueEnum;

/// What comes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct Form {
    /// What comes out: table (for people), json (means, intervals and values), or a row for each figure of each seed as
    /// csv or parquet (which needs --out)
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Format::Table, hide_possible_values = true)]
    format: Format,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Form {
    /// JSON.
    pub const JSON: Form = Form { format: Format::Json, json: true };
    /// Parquet.
    pub const PARQUET: Form = Form { format: Format::Parquet, json: false };

    /// The one that was asked for.
    pub fn get(self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// What is printed, or written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table of scores.
    #[default]
    Table,
    /// A row for each figure.
    Csv,
    /// Means, intervals and values.
    Json,
    /// A row for each figure; needs --out.
    Parquet,
}

/// The same of commands whose figures are no list of metrics and seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct Printed {
    /// What comes out: table (for people) or json; of what goes on for a time, json is a line for each event
    #[arg(long, value_name = "FORM", value_enum, default_value_t = TextOrJson::Table, hide_possible_values = true)]
    format: TextOrJson,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Printed {
    /// Whether JSON was asked for.
    pub fn is_json(self) -> bool {
        self.json || self.format == TextOrJson::Json
    }
}

/// What is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TextOrJson {
    /// For people.
    #[default]
    Table,
    /// For programs.
    Json,
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory, Parser};

    use super::*;
    use crate::args::Args;

    fn each(command: &Command, path: &str, see: &mut impl FnMut(&str, &Command)) {
        see(path, command);
        for below in command.get_subcommands() {
            each(below, format!("{path} {}", below.get_name()).trim(), see);
        }
    }

    #[test]
    fn json_is_short_for_a_form_in_every_command() {
        let mut seen = 0;
        each(&Args::command(), "", &mut |path, command| {
            let Some(json) = command.get_arguments().find(|arg| arg.get_long() == Some("json")) else {
                return;
            };
            seen += 1;
            assert_eq!(
                json.get_help().map(ToString::to_string).as_deref(),
                Some("Short for --format json"),
                "{path}"
            );
            let format = command.get_arguments().find(|arg| arg.get_long() == Some("format"));
            let words = format.unwrap_or_else(|| panic!("{path} has no --format")).get_possible_values();
            assert!(words.iter().any(|word| word.matches("json", false)), "{path}");
        });
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn either_asks_for_it() {
        #[derive(Parser)]
        struct Own {
            #[command(flatten)]
            form: Printed,
        }
        let asked = |words: &[&str]| {
            Own::try_parse_from([&["own"], words].concat())
                .map(|own| own.form.is_json())
                .map_err(|e| e.kind())
        };
        assert_eq!(asked(&[]), Ok(false));
        assert_eq!(asked(&["--format", "table"]), Ok(false));
        assert_eq!(asked(&["--format", "json"]), Ok(true));
        assert_eq!(asked(&["--json"]), Ok(true));
        assert_eq!(asked(&["--json", "--format", "table"]), Err(clap::error::ErrorKind::ArgumentConflict));
        assert_eq!(asked(&["--format", "csv"]), Err(clap::error::ErrorKind::InvalidValue));
    }

    #[test]
    fn each_word_is_its_form() {
        #[derive(Parser)]
        struct Own {
            #[command(flatten)]
            form: Form,
        }
        let asked = |words: &[&str]| {
            Own::try_parse_from([&["own"], words].concat()).map(|own| own.form.get()).map_err(|e| e.kind())
        };
        for (words, form) in [
            (&[][..], Format::Table),
            (&["--format", "table"], Format::Table),
            (&["--format", "csv"], Format::Csv),
            (&["--format", "json"], Format::Json),
            (&["--format", "parquet"], Format::Parquet),
            (&["--json"], Format::Json),
        ] {
            assert_eq!(asked(words), Ok(form), "{words:?}");
        }
        assert_eq!(asked(&["--json", "--format", "csv"]), Err(clap::error::ErrorKind::ArgumentConflict));
        assert_eq!((Form::JSON.get(), Form::PARQUET.get()), (Format::Json, Format::Parquet));
    }

    /// What is another form already.
    #[test]
    fn a_form_and_another_are_refused() {
        for words in [["experiment", "show", "x", "--toml"].as_slice(), &["live", "watch", "--plain"]] {
            if words[0] == "live" && !cfg!(has_live) {
                continue;
            }
            for json in [["--json"].as_slice(), &["--format", "json"]] {
                let asked = Args::try_parse_from([&["airtab"], words, json].concat());
                assert_eq!(
                    asked.err().map(|e| e.kind()),
                    Some(clap::error::ErrorKind::ArgumentConflict),
                    "{words:?}"
                );
            }
        }
    }
}
