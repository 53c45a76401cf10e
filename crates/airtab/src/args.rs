// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of every command, with their help; those of many are beside them.

mod old;

use std::ffi::OsString;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use airtab_core::Unit;
use airtab_core::time::SECOND;
use airtab_lab::flent::SUFFIX;
use airtab_scenario::{QueueList, QueueSpec, USUAL_QUEUES, assignment};
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::commands::airsim::args::Airsim;
use crate::commands::airtime::args::Airtime;
use crate::commands::cache::args::Cache;
use crate::commands::cbr::args::Cbr;
use crate::commands::classes::args::Classes;
use crate::commands::contest::Contest;
use crate::commands::drain::args::Drain;
use crate::commands::equal_access::args::EqualAccess;
use crate::commands::experiment::args::Experiment;
use crate::commands::fingerprint::args::Fingerprint;
use crate::commands::htbench::args::Htbench;
use crate::commands::live::args::Live;
use crate::commands::mesh::args::Mesh;
use crate::commands::model::args::Model;
use crate::commands::pages::{Completions, Man};
use crate::commands::rpm::args::Rpm;
use crate::commands::schema::Schema;
use crate::commands::serve::args::Serve;
use crate::commands::sweep::args::{Seeds, Sweep, seeds};
use crate::form::{Form, Printed};
use crate::output;

/// Exit code of wrong usage, as clap has it too.
pub const USAGE: u8 = 2;
/// Exit code of a live run whose figures are partly the machine's own.
#[cfg(has_live)]
pub const BUSY: u8 = 3;

/// What is compared where nothing else is asked for, as `--queues` takes it.
static USUAL: LazyLock<String> = LazyLock::new(|| USUAL_QUEUES.join(","));

/// Queue disciplines that keep Wi-Fi responsive: every flow pays for the airtime it uses.
///
/// Start with `airtab compare --short`: a game, a call, a video, web pages and a
/// download share a home's access point, under four disciplines.
#[derive(Parser)]
#[command(version, long_version = concat!(env!("CARGO_PKG_VERSION"), "\ncommit ", env!("AIRTAB_GIT")), max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 fine, 1 problem found or run failed, 2 wrong usage, 3 live run on too busy a machine,
130 interrupted."
)]
pub struct Args {
    #[command(flatten)]
    voice: Voice,
    #[command(subcommand)]
    pub command: Command,
}

/// What every command takes.
#[derive(clap::Args)]
struct Voice {
    /// Say nothing beside results, warnings and errors: no progress, no notes
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = 900)]
    quiet: bool,
    /// Say more: which runs of a comparison were known, and where runs are kept
    #[arg(short, long, global = true, display_order = 901)]
    verbose: bool,
    /// Colours and bold type: auto (in a terminal, unless NO_COLOR is set), always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColorChoice::Auto, global = true, display_order = 902,
        hide_possible_values = true, hide_default_value = true)]
    color: ColorChoice,
}

impl Args {
    /// Reads the words of a command line, the program's name first. Wrong usage and
    /// help end the process.
    ///
    /// # Errors
    /// A word that would be taken for something else; says what was meant.
    pub fn read(words: impl Iterator<Item = OsString>) -> Result<Args, String> {
        let (words, renamed) = old::renamed(words.collect());
        // Wrong usage, too, is said as it is wanted.
        let colour = colour(&words);
        output::speak(false, false, colour);
        renamed.iter().for_each(|text| output::warn(text));
        let read = Args::command().color(colour).try_get_matches_from(meant(words)?);
        let args = read.and_then(|read| Args::from_arg_matches(&read)).inspect(|args| {
            output::speak(args.voice.quiet, args.voice.verbose, args.voice.color);
        });
        args.or_else(|said| {
            if said.use_stderr() {
                output::usage(&said);
                std::process::exit(said.exit_code());
            }
            // Help that did not get through is no success.
            std::process::exit(output::shown(said.print().and_then(|()| std::io::stdout().flush())))
        })
    }
}

/// What `--color` says, before anything is read.
fn colour(words: &[OsString]) -> ColorChoice {
    let words = || words.iter().take_while(|word| *word != "--").filter_map(|word| word.to_str());
    let behind =
        words().zip(words().skip(1)).filter(|(option, _)| *option == "--color").map(|(_, value)| value);
    let within = words().filter_map(|word| word.strip_prefix("--color="));
    behind.chain(within).find_map(|value| ColorChoice::from_str(value, false).ok()).unwrap_or_default()
}

/// Reads whole numbers of a range.
pub fn whole<T: TryFrom<u64>>(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|n| range.contains(n)).and_then(|n| T::try_from(n).ok());
        number.ok_or_else(|| match *range.end() {
            u64::MAX => format!("give a whole number from {} on", range.start()),
            end => format!("give a whole number from {} to {end}", range.start()),
        })
    }
}

/// Reads a time of whole seconds within a range; gives how many.
pub fn seconds(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let ns = Unit::Ns.parse(text).map_err(|e| e.to_string())?;
        let whole = Some(ns / SECOND).filter(|s| ns % SECOND == 0 && range.contains(s));
        whole.ok_or_else(|| format!("give whole seconds, from {}s to {}s", range.start(), range.end()))
    }
}

/// Joins an option with a number below 0 behind it, which would be read as an option of that name: the parser of
/// the value then says what is allowed.
fn with_negative_values(words: Vec<OsString>, cbr: bool) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    for (at, word) in words.into_iter().enumerate() {
        let below_0 = matches!(word.as_encoded_bytes(), [b'-', b'0'..=b'9' | b'.', ..]);
        // An option of its own there, alone or before others (-6R).
        let negative = below_0 && !(cbr && word.as_encoded_bytes().starts_with(b"-6"));
        match joined.last_mut() {
            Some(option) if negative && at < end && is_long_option(option) => {
                option.push("=");
                option.push(word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

fn is_long_option(word: &OsString) -> bool {
    let bytes = word.as_encoded_bytes();
    bytes.len() > 2 && bytes.starts_with(b"--") && !bytes.contains(&b'=')
}

/// The words of a command line with their meaning: some are not what they seem.
fn meant(mut words: Vec<OsString>) -> Result<Vec<OsString>, String> {
    // A host follows `-h` there; where none does, it is help, as everywhere.
    let command = words.iter().skip(1).find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let cbr = command.is_some_and(|word| word == "cbr");
    for i in 2..words.len() {
        let value = words.get(i + 1).is_some_and(|next| !next.as_encoded_bytes().starts_with(b"-"));
        if cbr && words[i] == "-h" && !value {
            words[i] = "--help".into();
        }
    }
    let words = with_negative_values(words, cbr);
    // Its time is optional, so that a word behind it is the scenario file.
    for pair in words.windows(2) {
        if let [option, time] = pair
            && option == "--pcap"
            && let Some(time) = time.to_str()
            && length(time).is_ok()
            && !Path::new(time).exists()
        {
            return Err(format!(
                "--pcap {time}: did you mean --pcap={time}? After a blank comes a scenario file"
            ));
        }
    }
    Ok(words)
}

#[derive(Subcommand)]
pub enum Command {
    Compare(Compare),
    Run(Run),
    Scenario(Scenario),
    Experiment(Experiment),
    Sweep(Sweep),
    Contest(Contest),
    Cache(Cache),
    Disciplines(Disciplines),
    Tcp(crate::commands::tcp::Tcp),
    Model(Model),
    Airtime(Airtime),
    Airsim(Airsim),
    Drain(Drain),
    Cbr(Cbr),
    EqualAccess(EqualAccess),
    Htbench(Htbench),
    Rpm(Rpm),
    Classes(Classes),
    Fingerprint(Fingerprint),
    Mesh(Mesh),
    Live(Live),
    Serve(Serve),
    Schema(Schema),
    Completions(Completions),
    Man(Man),
}

/// Run a scenario under several disciplines, and say which serves each application best
///
/// Every discipline meets the same seeds. The table shows means with 95 %
/// intervals; below it, one sentence for each application and discipline says
/// what made its score.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab compare --short                       a first look, within seconds
  airtab compare --out results                 the full study, kept in files: open results/index.html
  airtab compare my-home.toml --queues fifo,chap --seeds 5
  airtab compare --queues chap,chap:increment=50ms,chap:limit=350
  airtab compare --short --format csv > results.csv   a row for each figure of each seed
  airtab compare family --set station.tablet.distance=14 --set wifi.attempts=4
  airtab compare rrul --seeds 1 --flent rrul.flent.gz      and then: flent -i rrul-*.flent.gz -p box_combine -o rrul.png

A queue of --queues is a discipline with its parameters, name:parameter=value:...
What can be set: airtab disciplines NAME. What is not set comes from the
scenario's [queue] table, then from the discipline's defaults; with the word
defaults after its name, as in chap:defaults, from the defaults alone.

Finished runs are kept (airtab cache): what is asked for again is there at once, and what was interrupted
goes on from there.")]
pub struct Compare {
    /// Scenario file, the name of one that airtab brings, such as family or rrul, or - for standard input; without one, the
    /// built-in home (see `airtab scenario show`)
    #[arg(value_name = "SCENARIO.toml|NAME")]
    pub scenario: Option<PathBuf>,
    /// Set a value of the scenario, once for each: wifi.attempts=4, queue.chap.limit=70, station.tablet.distance=9,
    /// 'app."our film".start=2s'; without a value, wifi.attempts=, remove it
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Disciplines to compare, in the order of the columns; `airtab disciplines` lists all
    #[arg(long, value_name = "LIST", default_value = USUAL.as_str())]
    pub queues: QueueList,
    /// Seeds of each discipline's runs: 1 to N, A to B, or a list such as 1,5,9; 2 or more give intervals
    #[arg(long, value_name = "N|A-B|LIST", default_value = "20", value_parser = seeds)]
    pub seeds: Seeds,
    /// Divide all times of the schedule by 10: fast, and good for a first look only
    #[arg(long)]
    pub short: bool,
    /// Runs at the same time; the results do not depend on it [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub jobs: Option<u16>,
    /// Neither use nor keep finished runs
    #[arg(long)]
    pub no_cache: bool,
    #[command(flatten)]
    pub form: Form,
    #[command(flatten)]
    pub reasons: Reasons,
    /// Also write the results into this directory, which stands alone: index.html with figures, report.txt, results.json,
    /// results.parquet, scenario.toml with the files that it names, manifest.json
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// And every frame on the air, for Wireshark: one pcapng file for each discipline, of its run with
    /// the first seed, from the start of the measured part [for 5s]
    #[arg(long, value_name = "TIME", requires = "out", num_args = 0..=1, require_equals = true,
        default_missing_value = "5s", value_parser = length)]
    pub pcap: Option<u64>,
    /// Also write the run with the first seed for flent, whose plots draw it beside real networks: a file for each discipline,
    /// FILE-chap.flent.gz and so on
    #[arg(long, value_name = "FILE.flent.gz", value_parser = flent_file())]
    pub flent: Option<PathBuf>,
}

/// Reads the name of a file for flent, of any bytes.
pub fn flent_file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(for_flent)
}

fn for_flent(name: OsString) -> Result<PathBuf, String> {
    let before = name.as_encoded_bytes().strip_suffix(SUFFIX.as_bytes());
    if before.is_some_and(|before| !before.is_empty() && !before.ends_with(b"/")) {
        return Ok(name.into());
    }
    let text = name.to_string_lossy();
    let bare = text.trim_end_matches(".gz").trim_end_matches(".flent");
    let bare = if bare.is_empty() { "out" } else { bare };
    Err(format!("flent opens files whose names end with {SUFFIX}: write {bare}{SUFFIX}"))
}

/// How much is said of what made the scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct Reasons {
    /// Sentences that say what made the scores: none, short (one for each application, where it is served worst) or
    /// full [default: short in a terminal, else full]
    #[arg(long, value_name = "HOW", value_enum)]
    why: Option<Why>,
}

impl Reasons {
    /// For a terminal, where the table is to stay in sight, or for anything else.
    pub fn get(self, terminal: bool) -> Why {
        self.why.unwrap_or(if terminal { Why::Short } else { Why::Full })
    }
}

/// How much is said of what made the scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Why {
    /// Nothing.
    None,
    /// A sentence for each application, where it is served worst.
    Short,
    /// One for each application and discipline.
    Full,
}

/// A time with its unit, ns.
fn length(text: &str) -> Result<u64, String> {
    match Unit::Ns.parse(text) {
        Ok(0) => Err("at least 1ns".into()),
        Ok(ns) => Ok(ns),
        Err(e) => Err(e.to_string()),
    }
}

/// Run a scenario under one discipline, once or with several seeds, and show each application
///
/// One run also shows each direction: percentiles of one-way delay, what TCP sent
/// again. With several seeds `--json` has these, and the page of `airtab compare --out`.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab run my-home.toml
  airtab run my-home.toml --queue fifo:limit=350 --seed 7 --json
  airtab run my-home.toml --seeds 10 --why none
  airtab run rrul --queue fq_codel --flent out.flent.gz    and then: flent -i out.flent.gz -p ping_cdf -o out.png")]
pub struct Run {
    /// Scenario file, the name of one that airtab brings, such as family or rrul, or - for standard input
    #[arg(value_name = "SCENARIO.toml|NAME")]
    pub scenario: PathBuf,
    /// Set a value of the scenario, once for each: wifi.attempts=4, queue.chap.limit=70, station.tablet.distance=9,
    /// 'app."our film".start=2s'; without a value, wifi.attempts=, remove it
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Discipline of the access point, with parameters as in `airtab compare`
    #[arg(long, value_name = "NAME", default_value = "chap")]
    pub queue: QueueSpec,
    /// Seed of all random draws; same seed, same result, on every machine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    pub seed: u64,
    /// Runs, with seeds 1 to N: means with 95 % intervals
    #[arg(long, value_name = "N", conflicts_with = "seed", value_parser = whole::<u64>(1..=100_000))]
    pub seeds: Option<u64>,
    /// Divide all times of the schedule by 10: fast, and good for a first look only
    #[arg(long)]
    pub short: bool,
    #[command(flatten)]
    pub form: Form,
    #[command(flatten)]
    pub reasons: Reasons,
    /// Also write it for flent, whose plots draw it beside real networks; of several seeds the run with seed 1
    #[arg(long, value_name = "FILE.flent.gz", value_parser = flent_file())]
    pub flent: Option<PathBuf>,
}

/// Check scenario files, or show the built-in one
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab scenario show > my-home.toml          start from the built-in scenario
  airtab scenario check *.toml")]
pub struct Scenario {
    #[command(subcommand)]
    pub command: ScenarioCommand,
}

#[derive(Subcommand)]
pub enum ScenarioCommand {
    /// Say for each file whether it can be run, or everything that is wrong in it; and what
    /// `airtab live` would not take
    Check {
        /// Scenario files, names of bundled scenarios, or - for standard input
        #[arg(value_name = "SCENARIO.toml", required = true)]
        files: Vec<PathBuf>,
    },
    /// Print the built-in scenario, to start from
    Show,
}

/// List the disciplines, or everything about one: parameters, statistics, columns
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab disciplines
  airtab disciplines chap
  airtab disciplines --json")]
pub struct Disciplines {
    /// Name of a discipline
    pub name: Option<String>,
    #[command(flatten)]
    pub form: Printed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_keeps_its_table_in_sight() {
        let reasons = |words: &[&str]| {
            let args = Args::try_parse_from([&["airtab", "compare"], words].concat())
                .unwrap_or_else(|e| panic!("{e}"));
            let Command::Compare(args) = args.command else { panic!("it is compare") };
            [true, false].map(|terminal| args.reasons.get(terminal))
        };
        assert_eq!(reasons(&[]), [Why::Short, Why::Full]);
        assert_eq!(reasons(&["--why", "full"]), [Why::Full; 2]);
        assert_eq!(reasons(&["--why", "none"]), [Why::None; 2]);
        assert_eq!(reasons(&["--why", "short"]), [Why::Short; 2]);
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn colours_of_errors_are_those_of_the_option() {
        use ColorChoice::{Always, Auto, Never};
        for (line, expected) in [
            ("airtab run x", Auto),
            ("airtab run x --color never", Never),
            ("airtab --color always run x", Always),
            ("airtab run --color=never x", Never),
            ("airtab --color=always run x", Always),
            ("airtab --color auto run x", Auto),
            ("airtab run --color red", Auto),
            ("airtab run --color", Auto),
            ("airtab run -- --color never", Auto),
            ("airtab run -- --color=never", Auto),
            ("airtab --color never run -- --color=always", Never),
            ("airtab run --colour never", Auto),
        ] {
            assert_eq!(colour(&words(line)), expected, "{line}");
        }
    }

    #[test]
    fn h_of_cbr_is_a_host_or_help() {
        for (line, read) in [
            ("airtab cbr -h", "airtab cbr --help"),
            ("airtab cbr -h x -p 9", "airtab cbr -h x -p 9"),
            ("airtab cbr -h -p 9", "airtab cbr --help -p 9"),
            ("airtab cbr -p 9 -h", "airtab cbr -p 9 --help"),
            ("airtab rpm -h", "airtab rpm -h"),
            ("airtab run cbr -h", "airtab run cbr -h"),
        ] {
            assert_eq!(meant(words(line)), Ok(words(read)), "{line}");
        }
    }

    #[test]
    fn numbers_below_0_are_values() {
        for (line, read) in [
            ("airtab compare --seeds -1", "airtab compare --seeds=-1"),
            ("airtab compare --seeds -1 --jobs -2 x", "airtab compare --seeds=-1 --jobs=-2 x"),
            ("airtab live run --for -.5s", "airtab live run --for=-.5s"),
            ("airtab compare --seeds=3 -1", "airtab compare --seeds=3 -1"),
            ("airtab compare --seeds -q", "airtab compare --seeds -q"),
            ("airtab compare -1", "airtab compare -1"),
            ("airtab run -- --seeds -1", "airtab run -- --seeds -1"),
            ("airtab cbr --json -6", "airtab cbr --json -6"),
            ("airtab cbr --json -6R", "airtab cbr --json -6R"),
            ("airtab -q cbr --json -6", "airtab -q cbr --json -6"),
        ] {
            assert_eq!(meant(words(line)), Ok(words(read)), "{line}");
        }
        let said = |line: &str| {
            let words = meant(words(line)).expect("no other meaning");
            let said = Args::command().try_get_matches_from(words).expect_err("it is wrong").to_string();
            said.lines().next().unwrap_or_default().to_string()
        };
        for (line, message) in [
            (
                "airtab compare --seeds -1",
                "'--seeds <N|A-B|LIST>': '-1' is not a number of seeds: give 1 to 100000, a range such as 1-20, or a list such as 1,5,9",
            ),
            ("airtab compare --jobs -1", "'--jobs <N>': give a whole number from 1 to 1024"),
            ("airtab run x --seed -1", "'--seed <N>': give a whole number from 0 on"),
        ] {
            assert!(said(line).ends_with(message), "{line}: {}", said(line));
        }
    }

    /// A time behind `--pcap` is meant as its value, unless a file has that name.
    #[test]
    fn a_time_behind_pcap_is_no_scenario() {
        let wrong = |time: &str| {
            Err(format!("--pcap {time}: did you mean --pcap={time}? After a blank comes a scenario file"))
        };
        assert_eq!(meant(words("airtab compare --out x --pcap 5s")), wrong("5s"));
        assert_eq!(meant(words("airtab compare --pcap 200ms home.toml")), wrong("200ms"));
        for line in [
            "airtab compare --pcap=5s home.toml",
            "airtab compare --pcap home.toml",
            "airtab compare --pcap 5",
            "airtab compare --pcap 0s",
            "airtab compare 5s --pcap",
            "airtab compare --out 5s",
        ] {
            assert_eq!(meant(words(line)), Ok(words(line)), "{line}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("5s");
        std::fs::write(&file, "").expect("written");
        let there = vec!["airtab".into(), "compare".into(), "--pcap".into(), file.into_os_string()];
        assert_eq!(meant(there.clone()), Ok(there));
    }

    #[test]
    fn whole_numbers_have_both_ends_of_their_range() {
        let to_9 = whole::<u16>(2..=9);
        assert_eq!(["2", "9"].map(&to_9), [Ok(2), Ok(9)]);
        for wrong in ["1", "10", "", "3.0", "-3", "x"] {
            assert_eq!(to_9(wrong), Err("give a whole number from 2 to 9".into()), "{wrong}");
        }
        let open = whole::<u64>(3..=u64::MAX);
        assert_eq!(open("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(open("2"), Err("give a whole number from 3 on".into()));
        // What the type does not hold is wrong, too.
        let narrow = whole::<u8>(0..=1000);
        assert_eq!(narrow("255"), Ok(255));
        assert_eq!(narrow("256"), Err("give a whole number from 0 to 1000".into()));
    }

    #[test]
    fn whole_seconds_have_both_ends_of_their_range() {
        let read = seconds(4..=120);
        for (text, expected) in [("4s", 4), ("120s", 120), ("2min", 120), ("5000ms", 5)] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
        for wrong in ["3s", "121s", "4500ms", "0s"] {
            assert_eq!(read(wrong), Err("give whole seconds, from 4s to 120s".into()), "{wrong}");
        }
        assert!(read("5").is_err_and(|e| e.contains("'5' is not a time with its unit")));
    }

    #[test]
    fn a_length_is_above_0() {
        assert_eq!(length("1ns"), Ok(1));
        assert_eq!(length("2ms"), Ok(2_000_000));
        assert_eq!(length("0ms"), Err("at least 1ns".into()));
        assert!(length("2").is_err_and(|e| e.contains("'2' is not a time with its unit")));
    }

    #[test]
    fn a_file_for_flent_is_known_by_its_name() {
        for good in ["a.flent.gz", "d/a.flent.gz", "d.flent.gz/a.flent.gz", "a.gz.flent.gz"] {
            assert_eq!(for_flent(good.into()), Ok(good.into()));
        }
        for (wrong, cure) in [
            ("a", "a.flent.gz"),
            ("a.gz", "a.flent.gz"),
            ("a.flent", "a.flent.gz"),
            ("d/a.json", "d/a.json.flent.gz"),
            ("", "out.flent.gz"),
            (".flent.gz", "out.flent.gz"),
        ] {
            let expected = format!("flent opens files whose names end with .flent.gz: write {cure}");
            assert_eq!(for_flent(wrong.into()), Err(expected), "{wrong}");
        }
        assert!(for_flent("d/.flent.gz".into()).is_err(), "a folder has no name of a file");
    }

    /// The defaults of all options, and each option alone.
    #[test]
    fn options_of_compare_and_run_have_their_defaults() {
        let command =
            |line: &str| Args::try_parse_from(words(line)).unwrap_or_else(|e| panic!("{e}")).command;
        let compare = |line: &str| match command(line) {
            Command::Compare(args) => args,
            _ => panic!("it is compare"),
        };
        let labels = |args: &Compare| args.queues.iter().map(|q| q.label.clone()).collect::<Vec<_>>();
        let plain = compare("airtab compare");
        assert_eq!(labels(&plain), USUAL_QUEUES);
        assert_eq!(plain.seeds.all, (1..=20).collect::<Vec<u64>>());
        assert!(!plain.short && !plain.no_cache && plain.set.is_empty());
        assert_eq!((plain.jobs, plain.pcap, &plain.out, &plain.flent), (None, None, &None, &None));
        let all = compare(
            "airtab compare x.toml --set a.b=1 --set c=2 --queues chap:limit=9,fifo --seeds 7,3 --short --jobs 5 \
             --no-cache --out d --pcap --flent e.flent.gz",
        );
        assert_eq!(all.scenario.as_deref(), Some(Path::new("x.toml")));
        assert_eq!(all.set, [("a.b".into(), "1".into()), ("c".into(), "2".into())]);
        assert_eq!(labels(&all), ["chap:limit=9", "fifo"]);
        assert_eq!((all.seeds.all.as_slice(), all.jobs, all.pcap), (&[7, 3][..], Some(5), Some(5 * SECOND)));
        assert!(all.short && all.no_cache);
        assert_eq!([&all.out, &all.flent], [&Some("d".into()), &Some("e.flent.gz".into())]);
        assert_eq!(compare("airtab compare --out d --pcap=7ms").pcap, Some(7_000_000));
        let run = |line: &str| match command(line) {
            Command::Run(args) => (args.queue.label, args.seed, args.seeds, args.short),
            _ => panic!("it is run"),
        };
        assert_eq!(run("airtab run x"), ("chap".into(), 1, None, false));
        assert_eq!(run("airtab run x --queue fifo --seed 0"), ("fifo".into(), 0, None, false));
        assert_eq!(run("airtab run x --seeds 100000 --short"), ("chap".into(), 1, Some(100_000), true));
    }

    #[test]
    fn options_do_not_get_in_each_others_way() {
        Args::command().debug_assert();
    }
}
