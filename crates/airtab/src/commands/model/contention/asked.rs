// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab model contention`, made from the list of subjects.
//!
//! What it does not do: no subject is known here (`airtab_lab::contention`).

use airtab_lab::contention::{Kind, Param, SUBJECTS, Subject};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

use super::super::args::Form;

/// A subject, and the values of its parameters.
pub struct Asked {
    pub subject: &'static Subject,
    /// Those that have a value.
    pub lists: Vec<(String, Vec<String>)>,
    pub form: Form,
}

impl Subcommand for Asked {
    fn augment_subcommands(command: Command) -> Command {
        SUBJECTS.iter().fold(command, |command, subject| command.subcommand(of(subject)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Asked::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Subject::named(name).is_ok()
    }
}

impl FromArgMatches for Asked {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Asked, Error> {
        let missing = || Error::raw(ErrorKind::MissingSubcommand, "a subject is missing\n");
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let subject = Subject::named(name).map_err(|e| Error::raw(ErrorKind::InvalidSubcommand, e))?;
        let list = |param: &Param| {
            let values = matches.get_many::<String>(param.name)?;
            Some((param.name.to_string(), values.cloned().collect()))
        };
        Ok(Asked {
            subject,
            lists: subject.params().filter_map(list).collect(),
            form: Form::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Asked::from_arg_matches(matches)?;
        Ok(())
    }
}

fn of(subject: &'static Subject) -> Command {
    let command = subject.params().fold(
        Command::default().name(subject.name).visible_aliases(subject.also.iter()),
        |command, param| command.arg(option(param)),
    );
    // Last: the form has words of its own, which are about nothing else.
    Form::augment_args(command).about(subject.about).after_help(subject.help)
}

fn option(param: &'static Param) -> Arg {
    let range = match param.kind {
        Kind::Count(..) | Kind::Number(..) => format!(" [{}]", param.range()),
        _ => String::new(),
    };
    let option = Arg::new(param.name)
        .long(param.name)
        .value_name(param.value_name())
        .value_delimiter(',')
        .value_parser(|text: &str| param.check(text))
        .help(format!("{}{range}", param.help));
    match &param.kind {
        // Their words are listed as possible values.
        Kind::Word(words) => option
            .value_parser(clap::builder::PossibleValuesParser::new(words.iter()))
            .default_value(param.default),
        _ if param.default.is_empty() => option,
        _ => option.default_value(param.default),
    }
}
