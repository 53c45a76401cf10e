// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Talks to a running house from another process: one request, one answer, each
//! a line of JSON, over a Unix socket that only root can reach.
//!
//! What it does not do: no authentication beyond the socket's permissions.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use airtab_scenario::QueueSpec;
use airtab_sim::wifi::{Loss, Mean, Signal};
use rustix::net::{Shutdown, shutdown};
use serde::{Deserialize, Serialize};

use crate::access_point::{AccessPoint, how_heard};
use crate::driver::Remote;
use crate::error::LiveError;
use crate::house::check_name;
use crate::lock;
use crate::running::check_root;
use crate::snapshot::Snapshot;

/// What can be asked of a running house.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// End it.
    Down,
    /// Change one key of a station, such as `distance`, `fer` or `rate`, as in house files.
    Set {
        /// Its name.
        station: String,
        /// What to change.
        key: String,
        /// To what.
        value: String,
    },
    /// Replace the discipline: as `--queue` takes it.
    Queue(String),
    /// Show snapshots, one line each, until the connection is closed.
    Watch,
}

/// What comes back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// It is done, and how things are now.
    Done(String),
    /// It is not done, and why.
    Refused(String),
}

/// Name of the socket in the house's folder.
const SOCKET: &str = "control";
/// Longest request, bytes.
const LONGEST: u64 = 4096;
/// A client that says nothing for so long is cut off.
const PATIENCE: Duration = Duration::from_secs(5);

/// The socket of a house.
pub fn socket(house: &str) -> PathBuf {
    Path::new(lock::PLACE).join(house).join(SOCKET)
}

/// Listens for requests until it is dropped.
pub(crate) struct Server {
    path: PathBuf,
    listener: Arc<UnixListener>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens on a socket of that path.
    ///
    /// # Errors
    /// If the socket cannot be made.
    pub(crate) fn start(path: &Path, remote: Remote) -> io::Result<Server> {
        let _ = fs::remove_file(path);
        let listener = UnixListener::bind(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        let listener = Arc::new(listener);
        let door = listener.clone();
        let thread = thread::Builder::new().name("control".into()).spawn(move || {
            loop {
                match door.accept() {
                    Ok((stream, _)) => {
                        let remote = remote.clone();
                        // A client that cannot be served is its own loss.
                        let _ = thread::Builder::new()
                            .name("control".into())
                            .spawn(move || serve(stream, &remote));
                    }
                    // Shut down.
                    Err(e) if e.kind() == io::ErrorKind::InvalidInput => return,
                    // No files left, perhaps: later there may be.
                    Err(_) => thread::sleep(Duration::from_millis(100)),
                }
            }
        })?;
        Ok(Server { path: path.into(), listener, thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Wakes the thread: it accepts nobody any more.
        let woken = shutdown(&self.listener, Shutdown::Both).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
        let _ = fs::remove_file(&self.path);
    }
}

fn serve(mut stream: UnixStream, remote: &Remote) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = Vec::new();
    BufReader::new(stream.try_clone()?.take(LONGEST)).read_until(b'\n', &mut line)?;
    let answer = match serde_json::from_slice(&line) {
        Ok(Request::Watch) => return watch(stream, remote),
        Ok(Request::Down) => {
            remote.stop();
            Answer::Done("it ends".into())
        }
        Ok(Request::Set { station, key, value }) => {
            ordered(remote, move |ap| set(ap, &station, &key, &value))
        }
        Ok(Request::Queue(spec)) => match spec.parse::<QueueSpec>() {
            Ok(spec) => ordered(remote, move |ap| {
                ap.set_queue(&spec).map_err(|e| e.to_string())?;
                Ok(format!("the discipline is {} now", spec.label))
            }),
            Err(e) => Answer::Refused(e),
        },
        Err(e) => Answer::Refused(format!("no request that is understood: {e}")),
    };
    send(&mut stream, &answer)
}

fn watch(mut stream: UnixStream, remote: &Remote) -> io::Result<()> {
    let mut seen = Arc::new(Snapshot::default());
    while let Some(next) = remote.next_snapshot(&seen) {
        send(&mut stream, &*next)?;
        seen = next;
    }
    Ok(())
}

fn send(stream: &mut UnixStream, what: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_string(what)?;
    line.push('\n');
    stream.write_all(line.as_bytes())
}

fn ordered(
    remote: &Remote,
    what: impl FnOnce(&mut AccessPoint) -> Result<String, String> + Send + 'static,
) -> Answer {
    match remote.order(what) {
        Some(Ok(done)) => Answer::Done(done),
        Some(Err(refused)) => Answer::Refused(refused),
        None => Answer::Refused("the house is going down".into()),
    }
}

/// Changes one key of a station.
fn set(ap: &mut AccessPoint, name: &str, key: &str, value: &str) -> Result<String, String> {
    let stations = &ap.house().file.scenario.stations;
    let number = stations.iter().position(|s| s.name == name).ok_or_else(|| {
        let known: Vec<&str> = stations.iter().map(|s| s.name.as_str()).collect();
        format!("no station '{name}'; there are {}", known.join(", "))
    })?;
    let (speed, loss) =
        airtab_scenario::station_change(&ap.house().file, number, ap.station(number), key, value)?;
    ap.set_station(number, speed, loss);
    let place = match loss {
        Loss::Shadowing { distance_m, .. }
        | Loss::Signal(Signal { mean: Mean::Distance(distance_m), .. }) => format!(", {distance_m} m away"),
        _ => String::new(),
    };
    Ok(format!("station {name}: {speed}{place}, {}", how_heard(loss)))
}

/// Asks a running house for something.
///
/// # Errors
/// If it is not up, does not answer, or refuses.
pub fn ask(house: &str, request: &Request) -> Result<String, LiveError> {
    let mut reader = connect(house, request)?;
    reader.get_ref().set_read_timeout(Some(2 * PATIENCE)).map_err(LiveError::system("the control socket"))?;
    let mut line = String::new();
    reader.read_line(&mut line).map_err(LiveError::system("waiting for an answer"))?;
    match serde_json::from_str(&line) {
        Ok(Answer::Done(done)) => Ok(done),
        Ok(Answer::Refused(why)) => Err(LiveError::Refused(why)),
        Err(_) => Err(LiveError::Refused(format!("house {house} went away without an answer"))),
    }
}

/// Snapshots of a running house, as lines for [`crate::feed::from_lines`], until
/// it ends.
///
/// # Errors
/// If it is not up.
pub fn watch_house(house: &str) -> Result<impl Read + Send + use<>, LiveError> {
    connect(house, &Request::Watch)
}

fn connect(house: &str, request: &Request) -> Result<BufReader<UnixStream>, LiveError> {
    check_name(house)?;
    check_root()?;
    let down = || LiveError::Down { house: house.into() };
    let folder = lock::folder(house)?.ok_or_else(down)?;
    let mut stream = UnixStream::connect(folder.inside(SOCKET)).map_err(|_| down())?;
    send(&mut stream, request).map_err(LiveError::system("the control socket"))?;
    Ok(BufReader::new(stream))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::driver::Driver;
    use crate::house::House;
    use airtab_scenario::ScenarioFile;

    fn access_point() -> AccessPoint {
        let text = "name = \"x\"\nduration = \"1s\"\n[queue.red]\nmin = 60\nmax = 90\n[wifi]\nmedium = \"emulator\"\n\
            [[station]]\nname = \"tv\"\nfer = 0\n[[station]]\nname = \"laptop\"\nfer = 0\n\
            [[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"tv\"\n";
        let house = House::new(ScenarioFile::parse("x.toml", text).unwrap()).unwrap();
        AccessPoint::new(house, &"fifo".parse().unwrap(), 1).unwrap()
    }

    /// One key of the station of that very name; the others stay as they are.
    #[test]
    fn a_key_of_one_station_is_set() {
        let mut ap = access_point();
        let before = ap.station(0);
        let done = set(&mut ap, "laptop", "fer", "0.25").unwrap();
        assert_eq!(done, "station laptop: 54 Mb/s, 25.00 % of frames lost");
        let done = set(&mut ap, "laptop", "rate", "6Mb/s").unwrap();
        assert_eq!(done, "station laptop: 6 Mb/s, 25.00 % of frames lost");
        assert_eq!(ap.station(1), (6_000.into(), Loss::Fer(0.25)));
        let done = set(&mut ap, "laptop", "distance", "12").unwrap();
        assert!(done.starts_with("station laptop: 6 Mb/s, 12 m away, "), "{done}");
        assert_eq!((ap.station(0), ap.station(1).0), (before, 6_000.into()));
        for name in ["lap", "Laptop", ""] {
            let said = set(&mut ap, name, "fer", "0").unwrap_err();
            assert_eq!(said, format!("no station '{name}'; there are tv, laptop"));
        }
        assert_eq!(ap.changes().len(), 3);
    }

    /// Each request has its answer, also where only the house's own parameters are in the way, and refusals change nothing.
    #[test]
    fn requests_are_answered() {
        let (driver, remote) = Driver::new(access_point(), Vec::new(), Clock::start()).unwrap();
        let driver = thread::spawn(|| driver.run());
        let ask = |request: &str| {
            let (mut ours, theirs) = UnixStream::pair().unwrap();
            ours.write_all(request.as_bytes()).unwrap();
            shutdown(&ours, Shutdown::Write).unwrap();
            serve(theirs, &remote).unwrap();
            let mut said = String::new();
            ours.read_to_string(&mut said).unwrap();
            serde_json::from_str::<Answer>(&said).unwrap()
        };
        let line = |request: &Request| serde_json::to_string(request).unwrap() + "\n";
        let set = |key: &str, value: &str| {
            let (station, key, value) = ("tv".into(), key.into(), value.into());
            ask(&line(&Request::Set { station, key, value }))
        };
        assert_eq!(set("fer", "0.5"), Answer::Done("station tv: 54 Mb/s, 50.00 % of frames lost".into()));
        assert!(matches!(set("fer", "1.5"), Answer::Refused(said) if said.contains("1.5")));
        let queue = |spec: &str| ask(&line(&Request::Queue(spec.into())));
        assert_eq!(queue("chap:limit=70"), Answer::Done("the discipline is chap:limit=70 now".into()));
        for spec in ["fifo:limit=0", "fifo:limit", "nothing", "red:max=50"] {
            assert!(matches!(queue(spec), Answer::Refused(_)), "{spec}");
        }
        assert!(
            matches!(ask("{}\n"), Answer::Refused(said) if said.starts_with("no request that is understood: "))
        );
        let told = remote.order(|ap| {
            let changes = ap.changes().iter().map(|change| change.what.clone());
            (changes.collect::<Vec<_>>(), ap.station(0).1, ap.snapshot().queue)
        });
        let changes =
            ["station tv became 54 Mb/s, 50.00 % of frames lost", "the discipline became chap:limit=70"];
        let changes = changes.map(String::from).to_vec();
        assert_eq!(told, Some((changes, Loss::Fer(0.5), "chap:limit=70".to_string())));
        assert_eq!(ask(&line(&Request::Down)), Answer::Done("it ends".into()));
        assert!(driver.join().unwrap().is_ok());
        assert_eq!(set("fer", "0"), Answer::Refused("the house is going down".into()));
        assert_eq!(remote.order(|_| ()), None);
    }
}
