//! The `[[app]]` tables of a scenario file.
//!
//! What it does not do: the rest of the file is `scenario_file`'s, the text of
//! video traces `video_trace`'s.

use std::sync::Arc;

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_sim::tcp::Algorithm;
use airtab_sim::traffic::udp::Gaps;
use airtab_sim::traffic::video::{Fec, Frames, HEADERS};
use airtab_sim::traffic::web::{Client, Pages, Site};
use airtab_sim::traffic::{Download, Game, P2p, Ping, Streaming, Udp, Upload, Video, Voip, Web};
use airtab_sim::{App, AppKind, Station};

use crate::reader::{Section, Value, choice, flag, instead, quantity, text, unused};
use crate::scenario_file::{Folder, LONGEST_NS, measured};
use crate::video_trace::{self, SizeUnit};

/// Each application keeps its packets' times, some MB an hour.
const MAX_APPS: usize = 10_000;
/// The longest traces of public archives have some 5 MiB.
const MAX_TRACE_MIB: u64 = 64;

/// The kinds, each with the keys that only some have.
const KINDS: [(&str, &[&str]); 10] = [
    ("game", &[]),
    ("voip", &[]),
    ("video", &["fec", "trace", "trace_sizes"]),
    ("web", &["site", "reading", "client"]),
    ("ping", &["interval", "bytes"]),
    ("udp", &["rate", "bytes", "gaps"]),
    ("download", &["congestion", "reconnect"]),
    ("upload", &["congestion"]),
    ("p2p", &["flows", "congestion", "upload"]),
    ("streaming", &["congestion", "ladder", "segment", "buffer"]),
];

/// The videos that need no file.
const SYNTHETIC: &str = "synthetic";
/// The same, first faster and then slower than its mean.
const TWO_PHASE: &str = "synthetic-two-phase";

/// What results call the access point, beside the applications.
pub const ACCESS_POINT: &str = "ap";

/// Bytes of a full IP packet, and the most that an 802.11 frame carries.
const FULL_PACKET: u64 = 1500;
const MAX_PACKET: u64 = 2304;

/// Bytes of an IP packet of ping(8).
const PING_PACKET: u64 = 84;
/// Between two visits of a site.
const READING_NS: u64 = 10 * SECOND;

/// Bit rates of a streamed video: Netflix's fixed ladder ("Per-title encode
/// optimization", 2015).
const LADDER_BPS: [u64; 10] =
    [235_000, 375_000, 560_000, 750_000, 1_050_000, 1_750_000, 2_350_000, 3_000_000, 4_300_000, 5_800_000];

/// Downloads at once of one peer-to-peer application.
const P2P_FLOWS: u64 = 10;

/// All of them; `folder` is where video traces are looked for, `congestion` what their connections have by default.
pub(crate) fn read_apps(
    top: &Section,
    folder: &Folder,
    stations: &[Station],
    duration_ns: u64,
    congestion: Algorithm,
) -> Vec<App> {
    let sections = top.sections("app");
    if top.lacks("app") {
        top.problem("no application: at least one [[app]] is needed".into());
    }
    if sections.len() > MAX_APPS {
        top.problem(format!("{} applications; at most {MAX_APPS} fit", sections.len()));
        return Vec::new();
    }
    let mut apps = Vec::new();
    for s in &sections {
        let app = read_app(s, folder, stations, &apps, duration_ns, congestion);
        apps.extend(app);
    }
    sections.iter().for_each(Section::finish);
    apps
}

fn read_app(
    s: &Section,
    folder: &Folder,
    stations: &[Station],
    others: &[App],
    duration_ns: u64,
    congestion: Algorithm,
) -> Option<App> {
    let name = s.require("name", |v| match unused(v, others, |a| &a.name)? {
        name if name == ACCESS_POINT => {
            Err(format!("'{name}' is taken: results call the access point so; choose another name"))
        }
        name => Ok(name),
    });
    let kind = read_kind(s, folder, congestion);
    // Where the stations or their names are wrong, that is problem enough.
    let unknown = stations.is_empty() || stations.iter().any(|station| station.name.is_empty());
    let station = s.require("station", |v| {
        let found = stations.iter().position(|station| station.name == v.written);
        if found.is_some() || unknown {
            return Ok(found);
        }
        let names: Vec<&str> = stations.iter().map(|s| s.name.as_str()).take(20).collect();
        Err(format!("no station '{}'{}", v.written, instead(&v.written, &names)))
    });
    let start = s.read("start", quantity(Unit::Ns, 0..=duration_ns)).unwrap_or(0);
    let stop = s.read("stop", quantity(Unit::Ns, 0..=duration_ns)).unwrap_or(duration_ns);
    if start >= stop {
        let (start, stop) = (Unit::Ns.format(start), Unit::Ns.format(stop));
        let key = if s.get("stop").is_some() { "stop" } else { "start" };
        s.problem_of(key, &format!("from {start} to {stop} is no time: stop must be after start"));
    }
    let measure_ns = s.read("measure", |v| measured(v, duration_ns));
    if measure_ns.as_ref().is_some_and(|m| m.end <= start || m.start >= stop) {
        let (start, stop) = (Unit::Ns.format(start), Unit::Ns.format(stop));
        s.problem_of("measure", &format!("nothing is sent then: it sends from {start} to {stop}"));
    }
    let class = s.read("class", quantity(Unit::Count, 0..=254)).unwrap_or(0);
    let latency = s.read("latency", quantity(Unit::Ns, 0..=10 * SECOND)).unwrap_or(MS);
    Some(App {
        name: name?,
        kind: kind?,
        station: station??,
        active_ns: start..stop,
        measure_ns,
        class: class as u8,
        latency_ns: latency,
    })
}

fn read_kind(s: &Section, folder: &Folder, congestion: Algorithm) -> Option<AppKind> {
    let own = s.read("congestion", choice(Algorithm::ALL.map(|a| (a.name(), a)).to_vec()));
    let congestion = own.unwrap_or(congestion);
    let flows = s.read("flows", quantity(Unit::Count, 1..=1000)).unwrap_or(P2P_FLOWS) as u16;
    let fec = s.read("fec", choice(Fec::NAMES.to_vec())).unwrap_or(Fec::None);
    let sizes = s.read("trace_sizes", choice(SizeUnit::NAMES.to_vec()));
    let trace = s.read("trace", text);
    let rate = s.read("rate", quantity(Unit::Bps, 1_000..=10_000_000_000));
    let bytes = s.read("bytes", quantity(Unit::Bytes, u64::from(HEADERS)..=MAX_PACKET));
    let gaps = s.read("gaps", choice(Gaps::NAMES.to_vec())).unwrap_or(Gaps::Constant);
    let upload = s.read("upload", flag).unwrap_or(false);
    let site = s.read("site", choice(Site::ALL.map(|site| (site.name, site)).to_vec()));
    let reading_ns = s.read("reading", quantity(Unit::Ns, 0..=LONGEST_NS));
    let client = s.read("client", choice(Client::NAMES.to_vec())).unwrap_or(Client::Loader);
    let interval_ns = s.read("interval", quantity(Unit::Ns, MS..=3600 * SECOND)).unwrap_or(SECOND);
    let reconnect_ns = s.read("reconnect", quantity(Unit::Ns, 10 * MS..=3600 * SECOND));
    let ladder = s.read("ladder", |v| read_ladder(s, v)).unwrap_or_else(|| LADDER_BPS.into());
    let segment_ns = s.read("segment", quantity(Unit::Ns, 100 * MS..=60 * SECOND)).unwrap_or(4 * SECOND);
    let buffer_ns = s.read("buffer", quantity(Unit::Ns, SECOND..=3600 * SECOND)).unwrap_or(240 * SECOND);
    if buffer_ns < 2 * segment_ns {
        let least = Unit::Ns.format(2 * segment_ns);
        s.problem_of("buffer", &format!("must hold two segments: at least {least}"));
    }
    let (kind, own) = s.require("kind", choice(KINDS.map(|row| (row.0, row)).to_vec()))?;
    refuse_keys_of_others(s, kind, own);
    Some(match kind {
        "game" => AppKind::Game(Game),
        "voip" => AppKind::Voip(Voip),
        "video" => AppKind::Video(Video { frames: read_video(s, folder, trace.as_deref(), sizes)?, fec }),
        "web" => AppKind::Web(Web { pages: read_pages(s, site, reading_ns), client }),
        "ping" => AppKind::Ping(Ping { interval_ns, bytes: bytes.unwrap_or(PING_PACKET) as u32 }),
        "udp" => AppKind::Udp(Udp {
            rate_bps: s.require("rate", |_| Ok(rate))??,
            bytes: bytes.unwrap_or(FULL_PACKET) as u32,
            gaps,
        }),
        "download" => AppKind::Download(Download { congestion, reconnect_ns }),
        "upload" => AppKind::Upload(Upload { congestion }),
        "p2p" => AppKind::P2p(P2p { flows, congestion, upload }),
        _ => AppKind::Streaming(Streaming { ladder, segment_ns, buffer_ns, congestion }),
    })
}

/// Visits of one site, or the pages of the model.
fn read_pages(s: &Section, site: Option<Site>, reading_ns: Option<u64>) -> Pages {
    let Some(site) = site else {
        if reading_ns.is_some() && s.get("site").is_none() {
            s.problem_of("reading", "only with a site: the model draws how long each page is read");
        }
        return Pages::Drawn;
    };
    Pages::Site { site, reading_ns: reading_ns.unwrap_or(READING_NS) }
}

/// Keys that only other kinds have.
fn refuse_keys_of_others(s: &Section, kind: &str, own: &[&str]) {
    let mut keys: Vec<&str> = KINDS.iter().flat_map(|(_, keys)| *keys).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys.into_iter().filter(|key| !own.contains(key) && s.get(key).is_some()) {
        let owners = KINDS.iter().filter(|(_, keys)| keys.contains(&key)).map(|(name, _)| *name);
        let owners: Vec<&str> = owners.collect();
        let last = owners.len() - 1;
        let owners = match last {
            0 => owners[0].into(),
            _ => format!("{} or {}", owners[..last].join(", "), owners[last]),
        };
        s.problem_of(key, &format!("only for kind {owners}; this is {kind}"));
    }
}

/// `["1Mb/s", "3Mb/s"]`.
fn read_ladder<'s, 'a>(s: &Section<'s, 'a>, v: &Value<'s, 'a>) -> Result<Arc<[u64]>, String> {
    let wrong =
        || format!("{} is not a list of 1 to 30 ascending rates such as [\"1Mb/s\", \"3Mb/s\"]", v.written);
    let rate = |text: &String| match Unit::Bps.parse(text) {
        Ok(rate) if (1_000..=1_000_000_000).contains(&rate) => Ok(rate),
        Ok(_) => Err(format!("'{text}' is outside 1kbit to 1Gbit")),
        Err(e) => Err(e.to_string()),
    };
    let rates = s.items(v).iter().map(rate).collect::<Result<Vec<u64>, String>>()?;
    let fine = (1..=30).contains(&rates.len()) && rates.is_sorted_by(|a, b| a < b);
    if fine { Ok(rates.into()) } else { Err(wrong()) }
}

/// The synthetic video, or a trace from a file beside the scenario.
fn read_video(s: &Section, folder: &Folder, trace: Option<&str>, sizes: Option<SizeUnit>) -> Option<Frames> {
    let name = match trace {
        Some(name) if ![SYNTHETIC, TWO_PHASE].contains(&name) => name,
        own => {
            if sizes.is_some() {
                s.problem_of("trace_sizes", "only for a trace from a file");
            }
            return Some(match own {
                Some(TWO_PHASE) => Frames::synthetic_two_phase(),
                _ => Frames::synthetic(),
            });
        }
    };
    let path = folder.path.join(name);
    let file = path.display().to_string();
    match (folder.read)(&path, MAX_TRACE_MIB, "a trace of frame sizes") {
        Ok(text) => match video_trace::parse(&file, &text, sizes.unwrap_or(SizeUnit::Bytes)) {
            Ok(frames) => return Some(frames),
            Err(problem) => s.problem_elsewhere("trace", *problem),
        },
        Err(reason) => s.problem_of("trace", &format!("{file}: {reason}")),
    }
    None
}
