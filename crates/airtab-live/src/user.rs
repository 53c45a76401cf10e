// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The user that programs of a house run as: one that nobody is, without
//! capabilities and without a way to get any.
//!
//! The number is taken from those that systemd keeps for services' users of the
//! moment (61184 to 65519): no distribution gives them to people or services.
//! Each house has one of its own, so that its programs can touch neither the
//! machine's files and processes nor those of another house.
//!
//! What it does not do: airtab's own threads (UDP endpoints, the page loader, the
//! player) stay root: entering a namespace and real-time priority need that.

use std::collections::BTreeSet;
use std::fs;
use std::hash::Hasher;
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt;

use nix::unistd::{Uid, User as Known};
use siphasher::sip::SipHasher13;

use crate::error::LiveError;

const NUMBERS: RangeInclusive<u32> = 61_184..=65_519;

/// A user and group of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User(u32);

impl User {
    /// The user of a house: the first from a place that its name gives who has
    /// no name on this machine and runs nothing.
    ///
    /// # Errors
    /// If there is none.
    pub fn of(house: &str) -> Result<User, LiveError> {
        let busy: BTreeSet<u32> = fs::read_dir("/proc")
            .map_err(LiveError::system("reading /proc"))?
            .filter_map(|process| Some(process.ok()?.metadata().ok()?.uid()))
            .collect();
        let known = |number| Known::from_uid(Uid::from_raw(number)).is_ok_and(|known| known.is_some());
        numbers(house).find(|number| !busy.contains(number) && !known(*number)).map(User).ok_or_else(|| {
            let (first, last) = (NUMBERS.start(), NUMBERS.end());
            LiveError::House(format!(
                "no user number from {first} to {last} is free for the house's programs"
            ))
        })
    }

    /// Its number, and that of its group.
    pub fn number(self) -> u32 {
        self.0
    }

    /// What begins a command line that runs as this user and is killed when the
    /// thread that starts it ends, however that happens: start it from a thread
    /// that lives as long as the program should.
    pub fn confine(self) -> [String; 12] {
        let number = self.0.to_string();
        [
            "setpriv",
            "--reuid",
            &number,
            "--regid",
            &number,
            "--clear-groups",
            "--inh-caps=-all",
            "--ambient-caps=-all",
            "--bounding-set=-all",
            "--no-new-privs",
            "--pdeathsig",
            "KILL",
        ]
        .map(String::from)
    }
}

/// All numbers, from a house's own place on.
fn numbers(house: &str) -> impl Iterator<Item = u32> {
    let mut hasher = SipHasher13::new();
    hasher.write(house.as_bytes());
    let count = NUMBERS.end() - NUMBERS.start() + 1;
    let first = (hasher.finish() % u64::from(count)) as u32;
    (0..count).map(move |i| NUMBERS.start() + (first + i) % count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_turn_and_houses_begin_elsewhere() {
        let all: BTreeSet<u32> = numbers("home").collect();
        assert_eq!(all, NUMBERS.collect());
        let first: BTreeSet<u32> = (0..50).filter_map(|i| numbers(&format!("house-{i}")).next()).collect();
        assert!(first.len() > 45, "{}", first.len());
        assert_eq!(numbers("home").next(), numbers("home").next());
    }

    /// What runs as a number keeps others from it.
    #[test]
    #[ignore = "needs root: runs a program as another user"]
    fn needs_root_a_number_in_use_is_left_to_its_user() {
        assert!(rustix::process::geteuid().is_root(), "needs root: run it with sudo");
        let first = User::of("user-test").unwrap();
        let [setpriv, options @ ..] = first.confine();
        let mut sleeper =
            std::process::Command::new(setpriv).args(options).args(["sleep", "60"]).spawn().unwrap();
        let status = format!("/proc/{}", sleeper.id());
        let began = std::time::Instant::now();
        while fs::metadata(&status).is_ok_and(|m| m.uid() == 0) {
            assert!(began.elapsed().as_secs() < 10, "it never became another user");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let second = User::of("user-test").unwrap();
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert_eq!(Some(second.number()), numbers("user-test").skip_while(|n| *n != first.number()).nth(1));
        assert_eq!(User::of("user-test").unwrap(), first);
    }
}
