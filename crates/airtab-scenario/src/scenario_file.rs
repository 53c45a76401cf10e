// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Scenario files: TOML text to [`Scenario`] and [`QueueSettings`], and nothing
//! that is wrong or unknown passes. `docs/scenarios.md` lists every key.
//!
//! Times, rates and sizes are written with their unit (`"25ms"`, `"54Mb/s"`).
//! What it does not do: it runs nothing, and it does not write files.

use std::ops::Range;
use std::path::Path;

use airtab_core::time::{MS, SECOND};
use airtab_core::{Discipline, ParamError, Params, Unit};
use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::wifi::MediumConfig;
use airtab_sim::{App, MeasureWindow, Scenario, Scored, Wired};
use toml::de::DeTable;

use crate::apps::read_apps;
use crate::bottleneck::{Network, read_medium};
use crate::changes::read_changes;
#[cfg(feature = "files")]
use crate::disk_file::{open_file, read_text};
use crate::kinds::Context;
use crate::links::Errors;
use crate::named_file::{Folder, OpenFile};
use crate::queues::QueueSettings;
use crate::reader::{Document, Form, Problem, Section, Value, choice, label, quantity};
use crate::requirements::Requirements;
use crate::station::read_stations;
use crate::wired::{read_servers, read_wired, usual_wired};

/// The home of the CHAP studies: a game, a call, a video, web pages and a
/// download share one access point. The scenario that `airtab compare` runs
/// when none is named.
pub const HOME: &str = include_str!("home.toml");

/// Far above any scenario; keeps a wrong path such as a disk image out of memory.
#[cfg(feature = "files")]
const MAX_FILE_MIB: u64 = 4;

/// The longest run, ns: a day.
pub const LONGEST_NS: u64 = 24 * 3600 * SECOND;

/// What a scenario file says.
#[derive(Clone, Debug)]
pub struct ScenarioFile {
    /// What to simulate.
    pub scenario: Scenario,
    /// Parameters of the disciplines.
    pub queues: QueueSettings,
    /// What frames are lost by.
    pub errors: Errors,
    /// What is allowed, and most likely not meant.
    pub warnings: Vec<Problem>,
    /// As it was written, to be kept beside results.
    pub text: String,
}

/// Why a scenario file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{file}: {reason}")]
    Unreadable {
        /// The file, as the caller named it.
        file: String,
        /// Why.
        reason: String,
    },
    /// It was read, and this is wrong in it.
    #[error("{}", .0.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<Problem>),
}

impl ScenarioFile {
    /// The embedded home scenario.
    pub fn home() -> ScenarioFile {
        let no_other = |_: &Path, _: &str| Err("the embedded scenario names no file".into());
        ScenarioFile::parse_with("home.toml", HOME, &no_other)
            .expect("the embedded scenario is checked by a test")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, is not UTF-8 text, or something in it is wrong: then
    /// all problems are listed with their places.
    #[cfg(feature = "files")]
    pub fn load(path: &Path) -> Result<ScenarioFile, FileError> {
        ScenarioFile::parse(path, &scenario_text(path)?)
    }

    /// Reads the text of a file. `file` is its name in messages, its stem the
    /// name of a scenario that has none, and its folder where files that it names
    /// are looked for.
    ///
    /// # Errors
    /// As [`ScenarioFile::load`].
    #[cfg(feature = "files")]
    pub fn parse(file: impl AsRef<Path>, text: &str) -> Result<ScenarioFile, FileError> {
        ScenarioFile::parse_with(file, text, &open_file)
    }

    /// The same where files are not, or not only, on disk: `open` opens those that
    /// the scenario names.
    ///
    /// # Errors
    /// Something in it is wrong: then all problems are listed with their places.
    pub fn parse_with(file: impl AsRef<Path>, text: &str, open: OpenFile) -> Result<ScenarioFile, FileError> {
        let file = file.as_ref();
        let name = file.display().to_string();
        let document = Document::new(&name, text);
        let read = match DeTable::parse(text) {
            Ok(table) => read_file(file, text, open, &Section::top(&document, table.get_ref())),
            Err(e) => {
                document.problem(e.span().unwrap_or(0..0), e.message().replace('\n', ", "));
                None
            }
        };
        // The simulator's own rules, should one have no place above.
        if let Some(Err(message)) = read.as_ref().map(|f| f.scenario.check())
            && document.is_fine()
        {
            document.problem_of_file(message);
        }
        match (read, document.into_problems()) {
            (Some(file), problems) if problems.is_empty() => Ok(file),
            (_, problems) => Err(FileError::Wrong(problems)),
        }
    }
}

/// The text of a scenario file, not looked at yet.
///
/// # Errors
/// [`FileError::Unreadable`]: it cannot be read, or is not UTF-8 text.
#[cfg(feature = "files")]
pub fn scenario_text(path: &Path) -> Result<String, FileError> {
    let unreadable = |reason| FileError::Unreadable { file: path.display().to_string(), reason };
    read_text(path, MAX_FILE_MIB, "a scenario file (TOML)").map_err(unreadable)
}

/// What a scenario may have at its top, as far as this one is read; nothing where it is no TOML.
pub(crate) fn top_keys(text: &str) -> Vec<String> {
    let document = Document::new("", text);
    let Ok(table) = DeTable::parse(text) else { return Vec::new() };
    let top = Section::top(&document, table.get_ref());
    let no_other = |_: &Path, _: &str| Err("only names of keys are looked for".into());
    read_file(Path::new(""), text, &no_other, &top);
    top.asked()
}

/// None where something that must be there is missing; every problem is noted.
pub(crate) fn read_file(file: &Path, text: &str, open: OpenFile, top: &Section) -> Option<ScenarioFile> {
    let stem = file.file_stem().map_or("scenario".into(), |s| s.to_string_lossy().into_owned());
    let name = top.read("name", label).unwrap_or(stem);
    let duration = top.require("duration", quantity(Unit::Ns, MS..=LONGEST_NS));
    let duration_ns = duration.unwrap_or(LONGEST_NS);
    let measure_ns = top.read("measure", |v| measured(v, duration_ns)).unwrap_or(0..duration_ns);
    let windows = top.section("windows").map_or_else(Vec::new, |s| read_windows(&s, duration_ns));
    let Network { medium, errors, hops, nodes, meshed } = read_medium(top);
    let usual = Wired { hops, ..usual_wired(medium.as_ref(), meshed) };
    let wired = match top.section("wired") {
        Some(s) => read_wired(s, usual),
        None => usual,
    };
    let servers = read_servers(top, &wired);
    let tcp = top.section("tcp").map_or_else(Config::home, |s| crate::tcp::read(s, Config::home()));
    let scored = top.read("mos_direction", choice(Scored::NAMES.to_vec())).unwrap_or_default();
    let queues = top.section("queue").map_or_else(QueueSettings::default, read_queues);
    // Where the profile's own name is wrong, that is problem enough.
    let stations = match meshed {
        true => nodes.unwrap_or_default(),
        false => read_stations(top, medium.as_ref(), errors, duration_ns),
    };
    let folder = Folder::of(file, open);
    let cell = medium.as_ref().and_then(MediumConfig::cell);
    let requirements = Requirements::read(top, &folder);
    let context = Context {
        folder: &folder,
        congestion: tcp.congestion,
        tcp: &tcp,
        requirements: &requirements,
        cell,
        duration_ns,
        meshed,
    };
    let apps = read_apps(top, &context, (&stations, &servers), duration_ns);
    if !meshed {
        check_paced(top, &apps, &tcp);
    }
    let changes = read_changes(top, medium.as_ref(), (&stations, errors), (&apps, tcp.mss), duration_ns);
    top.finish();
    duration?;
    Some(ScenarioFile {
        scenario: Scenario {
            name,
            duration_ns,
            measure_ns,
            medium: medium?,
            wired,
            servers,
            stations,
            apps,
            tcp,
            scored,
            windows,
            changes,
        },
        queues,
        errors: errors?,
        warnings: top.warnings(),
        text: text.into(),
    })
}

/// Outside of a mesh nobody knows the way of TCP-AP but the file.
fn check_paced(top: &Section, apps: &[App], tcp: &Config) {
    let unknown = |app: &App| {
        let way = app.tcp.as_deref().unwrap_or(tcp).tcp_ap;
        way.hops.is_none() || way.rate_bps.is_none()
    };
    let paced = |app: &App| app.congestion(tcp) == Some(Algorithm::TcpAp);
    for (entry, app) in apps.iter().enumerate().filter(|(_, app)| paced(app) && unknown(app)) {
        let message = format!(
            "application '{}': tcp_ap goes by the hops of its way and what they carry, which only a mesh knows: say \
             [tcp.tcp_ap] hops = 1, rate = \"11Mb/s\"",
            app.name
        );
        top.problem_in("app", Some(entry), message);
    }
}

/// `[windows]`: parts of the run by name.
fn read_windows(s: &Section, duration_ns: u64) -> Vec<MeasureWindow> {
    let window = |name: &str, part_ns| {
        // Figures are named APPLICATION@WINDOW.FIGURE.
        let plain = (1..=40).contains(&name.chars().count())
            && !name.contains(['.', '@', '*'])
            && name.trim() == name
            && !name.contains(char::is_control);
        if !plain {
            s.problem_of(name, "is no name of a window: 1 to 40 characters, without '.', '@' and '*'");
        }
        plain.then(|| MeasureWindow { name: name.into(), part_ns, step_ns: None })
    };
    s.asks_any(|v| measured(v, duration_ns));
    let parts = s.keys().filter_map(|name| Some((name, s.read(name, |v| measured(v, duration_ns))?)));
    let windows: Vec<_> = parts.filter_map(|(name, part_ns)| window(name, part_ns)).collect();
    if windows.len() > MAX_WINDOWS {
        s.problem(format!("{} windows: at most {MAX_WINDOWS}", windows.len()));
    }
    windows
}

/// Each measures every application once more.
const MAX_WINDOWS: usize = 16;

/// `["90s", "270s"]`.
pub(crate) fn measured(v: &Value, duration_ns: u64) -> Result<Range<u64>, String> {
    v.takes(|| Form::Times);
    let wrong = || format!("{} is not a pair of times such as [\"90s\", \"270s\"]", v.written);
    let pair = v.value.as_array().ok_or_else(wrong)?;
    let [from, to] = &pair.iter().map(|v| v.get_ref().as_str()).collect::<Vec<_>>()[..] else {
        return Err(wrong());
    };
    let time = |t: &Option<&str>| Unit::Ns.parse(t.ok_or_else(wrong)?).map_err(|e| e.to_string());
    let (from, to) = (time(from)?, time(to)?);
    if from >= to {
        return Err(format!("{} is empty: the second time must be after the first", v.written));
    }
    if to > duration_ns {
        let end = Unit::Ns.format(duration_ns);
        return Err(format!("{} goes past the end of the run ({end})", v.written));
    }
    Ok(from..to)
}

/// `[queue]`: a common limit, and one table for each discipline.
pub fn read_queues(s: Section) -> QueueSettings {
    let mut settings = QueueSettings::default();
    let disciplines: Vec<Discipline> = airtab_core::disciplines().collect();
    let limit = s.read("limit", quantity(Unit::Count, 1..=1 << 20)).map(|n| n.to_string());
    let known: Vec<&str> = disciplines.iter().map(|d| d.name()).chain(["limit"]).collect();
    for key in s.keys().filter(|key| *key != "limit") {
        match disciplines.iter().find(|d| d.name() == key) {
            Some(discipline) => {
                if let Some(own) = s.section(discipline.name()) {
                    settings.insert(read_discipline(&s, &own, *discipline, limit.as_deref()));
                }
            }
            None => s.unknown(key, "no such key or discipline", &known),
        }
    }
    for discipline in disciplines.iter().filter(|_| s.is_recorded()) {
        if let Some(own) = s.section(discipline.name()) {
            for param in discipline.params() {
                let about = format!("{}: {}", param.help, param.allowed());
                own.asks(param.name, Form::of(&param), about);
            }
        }
    }
    // What a discipline makes of the limit that it shares with the others.
    for discipline in &disciplines {
        if let (Some(limit), None) = (&limit, settings.get(*discipline)) {
            match limited(*discipline, limit).and_then(|params| params.check().map(|()| params)) {
                Ok(params) => settings.insert(params),
                Err(e) => s.problem_of("limit", &e.to_string()),
            }
        }
    }
    s.finish();
    settings
}

/// Its defaults, with that limit if it has one.
fn limited(discipline: Discipline, limit: &str) -> Result<Params, ParamError> {
    let mut params = Params::new(discipline);
    if params.get("limit").is_some() {
        params.set("limit", limit)?;
    }
    Ok(params)
}

/// `[queue.NAME]`.
fn read_discipline(queue: &Section, s: &Section, discipline: Discipline, limit: Option<&str>) -> Params {
    // Its own limit goes before the common one.
    let common = limit.filter(|_| s.keys().all(|key| key != "limit"));
    let common = common.and_then(|limit| {
        limited(discipline, limit).map_err(|e| queue.problem_of("limit", &e.to_string())).ok()
    });
    let mut params = common.unwrap_or_else(|| Params::new(discipline));
    let known: Vec<&str> = discipline.params().iter().map(|p| p.name).collect();
    for key in s.keys() {
        if !known.contains(&key) {
            s.unknown(key, "no such parameter", &known);
            continue;
        }
        let Some(value) = s.get(key) else { continue };
        if let Err(e) = params.set(key, &s.items(&value).join(",")) {
            let table = discipline.params();
            let allowed = table.iter().find(|p| p.name == key).map_or(String::new(), |p| p.allowed());
            let missing = !allowed.is_empty() && !e.message.contains(&allowed);
            let range = if missing { format!(" ({allowed})") } else { String::new() };
            s.problem_of(key, &format!("{}{range}", e.message));
        }
    }
    if let (Err(e), true) = (params.check(), s.is_fine()) {
        s.problem_of(&e.param, &e.message);
    }
    params
}
