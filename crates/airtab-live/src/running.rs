// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A house that is up: its lock, namespaces, devices, and the thread that
//! drives it. Everything is taken down when it is dropped, and what a killed
//! run left is removed by the next one.
//!
//! What it does not do: it starts no applications (`apps`).

use std::io;
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use airtab_scenario::QueueSpec;

use crate::access_point::AccessPoint;
use crate::clock::Clock;
use crate::control::{self, Server};
use crate::driver::{Driver, Remote};
use crate::error::LiveError;
use crate::house::{House, check_name, owns};
use crate::lock::{self, Lock};
use crate::netns::Netns;
use crate::routes;
use crate::tun::Tun;

/// A house that is up.
pub struct Running {
    house: House,
    clock: Clock,
    remote: Remote,
    driver: Option<JoinHandle<io::Result<AccessPoint>>>,
    /// Dropped in this order: nobody calls any more, then the namespaces, then
    /// the lock.
    server: Option<Server>,
    namespaces: Vec<Netns>,
    lock: Lock,
}

impl Running {
    /// Builds the house and starts its access point. What an earlier run of
    /// that name left behind is removed first; `note` is told so.
    ///
    /// # Errors
    /// If we are not root, if a house of that name is up, if a parameter of
    /// `queue` is refused, or if the machine refuses something.
    pub fn up(
        house: House,
        queue: &QueueSpec,
        seed: u64,
        note: &mut dyn FnMut(&str),
    ) -> Result<Running, LiveError> {
        check_root()?;
        let ap = AccessPoint::new(house.clone(), queue, seed).map_err(|e| LiveError::House(e.to_string()))?;
        let lock = Lock::take(house.name())?;
        let left = Netns::sweep(|netns| owns(house.name(), netns))?;
        lock.clear()?;
        if !left.is_empty() {
            note(&format!("removed what an earlier run left: {}", few(&left)));
        }
        let mut namespaces = Vec::new();
        let mut wires = Vec::new();
        for port in house.ports() {
            let ns = Netns::make(&house.netns(port), lock.held_by_child()?)?;
            let name = port.device();
            let tun = Tun::make(&ns, name, &house.addresses(port))?;
            ns.batch(&routes::lines(&house, port, name))?;
            namespaces.push(ns);
            wires.push((port, tun));
        }
        let clock = Clock::start();
        let starting = || LiveError::system("starting the access point");
        let (driver, remote) = Driver::new(ap, wires, clock).map_err(starting())?;
        let driver = thread::Builder::new().name("access point".into()).spawn(|| driver.run());
        let driver = driver.map_err(starting())?;
        let mut running = Running {
            clock,
            driver: Some(driver),
            server: None,
            namespaces,
            lock,
            remote: remote.clone(),
            house,
        };
        let socket = control::socket(running.house.name());
        let opening = LiveError::system("opening the control socket");
        running.server = Some(Server::start(&socket, remote).map_err(opening)?);
        Ok(running)
    }

    /// The house.
    pub fn house(&self) -> &House {
        &self.house
    }

    /// Its clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// The way to its access point.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// A folder for temporary files, removed with the house.
    pub fn folder(&self) -> &Path {
        self.lock.folder().path()
    }

    /// Whether the access point still runs and nobody asked it to end.
    pub fn is_up(&self) -> bool {
        self.driver.as_ref().is_some_and(|driver| !driver.is_finished())
    }

    /// Ends the access point and gives it back with its figures. The namespaces
    /// stay until the house is dropped, silent.
    ///
    /// # Errors
    /// If a device failed while it ran.
    ///
    /// # Panics
    /// If the access point did, or was ended before.
    pub fn stop(&mut self) -> Result<AccessPoint, LiveError> {
        self.remote.stop();
        let driver = self.driver.take().expect("an access point ends once");
        match driver.join() {
            Ok(ended) => ended.map_err(LiveError::system("the access point")),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.remote.stop();
        if let Some(driver) = self.driver.take() {
            let _ = driver.join();
        }
        self.server = None;
        self.namespaces.clear();
    }
}

/// Whether this process may have to do with houses.
///
/// # Errors
/// [`LiveError::NotRoot`].
pub fn check_root() -> Result<(), LiveError> {
    if rustix::process::geteuid().is_root() { Ok(()) } else { Err(LiveError::NotRoot) }
}

/// Takes down the house of that name, whoever runs it, and removes what is left.
/// Gives what it did, in words.
///
/// # Errors
/// If no house can have that name, if we are not root, or if it does not end.
pub fn down(house: &str) -> Result<String, LiveError> {
    check_name(house)?;
    check_root()?;
    let asked = lock::holder(house);
    if let Some(pid) = asked {
        let start = Instant::now();
        // It may not answer yet, being built, or no more, being killed: ask again.
        let mut answered = false;
        while lock::holder(house).is_some() {
            answered = answered || control::ask(house, &control::Request::Down).is_ok();
            if start.elapsed() > Duration::from_secs(20) {
                return Err(LiveError::Refused(format!(
                    "house {house} does not end; kill process {pid} and run this again"
                )));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
    // Nobody starts it while we clean up; the folder goes with the lock.
    let lock = Lock::take(house)?;
    let left = Netns::sweep(|netns| owns(house, netns))?;
    drop(lock);
    Ok(match (asked, left.is_empty()) {
        (Some(pid), _) => format!("house {house} (process {pid}) is down"),
        (None, false) => {
            format!("house {house} was not up; removed what was left: {}", few(&left))
        }
        (None, true) => format!("house {house} is not up, and nothing is left of it"),
    })
}

/// Names of houses that are up.
pub fn houses() -> Vec<String> {
    left().into_iter().filter(|name| lock::holder(name).is_some()).collect()
}

/// Names of houses that are up, or of which something is left.
pub fn left() -> Vec<String> {
    lock::houses()
}

/// Names of namespaces, or how many there are.
fn few(names: &[String]) -> String {
    if names.len() <= 8 { names.join(", ") } else { format!("{} namespaces", names.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_eight_namespaces_are_counted() {
        let names: Vec<String> = (0..9).map(|i| format!("n{i}")).collect();
        assert_eq!(few(&names[..1]), "n0");
        assert_eq!(few(&names[..8]), "n0, n1, n2, n3, n4, n5, n6, n7");
        assert_eq!(few(&names), "9 namespaces");
    }
}
