// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Who called sudo, doas or pkexec, and a thread with the rights of that person. Linux.
//!
//! What it does not do: `disk_file` says what is opened so.

use std::io;

use nix::unistd::{Group, User, getgrouplist};
use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

/// Who called the program that made us root.
pub(crate) struct Caller {
    /// By what, for messages.
    by: &'static str,
    user: Uid,
    group: Gid,
    groups: Vec<Gid>,
}

impl Caller {
    /// As the environment tells, where we are root.
    pub(crate) fn of_root() -> Result<Option<Caller>, String> {
        match rustix::process::geteuid().is_root() {
            true => Caller::named(|key| std::env::var(key).ok()),
            false => Ok(None),
        }
    }

    /// As the environment tells; None if it tells of nobody, or of root.
    pub(crate) fn named(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Caller>, String> {
        for (by, key) in [("sudo", "SUDO_UID"), ("pkexec", "PKEXEC_UID"), ("doas", "DOAS_USER")] {
            let Some(value) = variable(key) else { continue };
            let known = match value.parse() {
                Ok(number) => User::from_uid(nix::unistd::Uid::from_raw(number)),
                Err(_) => User::from_name(&value),
            };
            let known = known.map_err(|e| format!("looking up the user {key}={value:?}: {e}"))?;
            let caller = match (known, value.parse()) {
                (Some(user), _) => Caller::of(by, &user),
                (None, Ok(number)) => Caller::nameless(by, number),
                (None, Err(_)) => return Err(format!("cannot be read: {key}={value:?} names no user")),
            };
            return Ok((!caller.user.is_root()).then_some(caller));
        }
        Ok(None)
    }

    fn of(by: &'static str, user: &User) -> Caller {
        let gid = |gid: nix::unistd::Gid| Gid::from_raw(gid.as_raw());
        let name = std::ffi::CString::new(user.name.as_str()).unwrap_or_default();
        // Less rights where they cannot be found out.
        let groups = getgrouplist(&name, user.gid).unwrap_or_default();
        Caller {
            by,
            user: Uid::from_raw(user.uid.as_raw()),
            group: gid(user.gid),
            groups: groups.into_iter().map(gid).collect(),
        }
    }

    /// One whom this machine does not know: in nobody's group.
    fn nameless(by: &'static str, number: u32) -> Caller {
        let group = Group::from_name("nogroup").ok().flatten().map_or(65_534, |group| group.gid.as_raw());
        Caller { by, user: Uid::from_raw(number), group: Gid::from_raw(group), groups: Vec::new() }
    }

    /// Gives this thread the caller's rights, for good.
    pub(crate) fn enter(&self) -> io::Result<()> {
        set_thread_groups(&self.groups)?;
        set_thread_res_gid(self.group, self.group, self.group)?;
        set_thread_res_uid(self.user, self.user, self.user)?;
        Ok(())
    }
}

impl std::fmt::Display for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "user {}, who called {},", self.user.as_raw(), self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By what, user and group, with these variables; None: no caller, or root.
    fn named(variables: &[(&str, &str)]) -> Result<Option<(&'static str, u32, u32)>, String> {
        let value =
            |key: &str| variables.iter().find(|(own, _)| *own == key).map(|(_, value)| value.to_string());
        let caller = Caller::named(value)?;
        Ok(caller.map(|caller| (caller.by, caller.user.as_raw(), caller.group.as_raw())))
    }

    /// sudo goes before pkexec, and both before doas: the first variable that is set decides, also where it names root.
    #[test]
    fn the_first_program_that_is_named_decides() {
        let by = |variables: &[(&str, &str)]| named(variables).unwrap().map(|(by, user, _)| (by, user));
        let [sudo, pkexec, doas] = [("SUDO_UID", "61001"), ("PKEXEC_UID", "61002"), ("DOAS_USER", "61003")];
        assert_eq!(by(&[doas, pkexec, sudo]), Some(("sudo", 61001)));
        assert_eq!(by(&[doas, pkexec]), Some(("pkexec", 61002)));
        assert_eq!(by(&[doas]), Some(("doas", 61003)));
        assert_eq!(by(&[("SUDO_UID", "0"), pkexec]), None, "root called sudo");
        assert_eq!(by(&[("DOAS_USER", "root")]), None);
        assert_eq!(by(&[("SUDO_USER", "61001")]), None);
        assert_eq!(
            named(&[("DOAS_USER", "no such user"), ("HOME", "/root")]).unwrap_err(),
            "cannot be read: DOAS_USER=\"no such user\" names no user"
        );
    }

    /// A user that the machine does not know has the group `nogroup`, not one of its own number.
    #[test]
    fn an_unknown_user_is_in_no_group() {
        let group = Group::from_name("nogroup").unwrap().map_or(65_534, |group| group.gid.as_raw());
        assert_eq!(named(&[("SUDO_UID", "61001")]), Ok(Some(("sudo", 61001, group))));
        let caller = Caller::nameless("pkexec", 61002);
        assert_eq!(caller.to_string(), "user 61002, who called pkexec,");
        assert!(caller.groups.is_empty());
    }
}
