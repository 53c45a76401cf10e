// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Stop flag of a command: SIGINT (Ctrl-C), SIGTERM and SIGHUP set it.
//!
//! A signal that was ignored when the process began stays ignored: `nohup` ignores SIGHUP, and a shell without job control
//! ignores SIGINT in background commands. Source: POSIX.1-2017, nohup(1), and section 2.11 of its shell.
//!
//! Limits: which signals are ignored is known on Linux only (`SigIgn` in proc_pid_status(5)).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;

/// Exit code after a signal.
pub const INTERRUPTED: u8 = 130;

/// A flag that the first signal sets. If `second_ends`, the second one ends the process with [`INTERRUPTED`].
///
/// # Errors
/// The system refuses a handler.
pub fn flag(second_ends: bool) -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    listen(&stop, second_ends).context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

#[cfg(unix)]
fn listen(stop: &Arc<AtomicBool>, second_ends: bool) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::{register, register_conditional_shutdown};
    let ignored = ignored(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored >> (signal - 1) & 1 == 1 {
            continue;
        }
        // In this order: the first signal finds the flag unset.
        if second_ends {
            register_conditional_shutdown(signal, INTERRUPTED.into(), Arc::clone(stop))?;
        }
        register(signal, Arc::clone(stop))?;
    }
    Ok(())
}

/// The ignored signals in the text of `/proc/PID/status`: a bit for each, the lowest for signal 1.
#[cfg(unix)]
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
fn listen(stop: &Arc<AtomicBool>, second_ends: bool) -> Result<(), ctrlc::Error> {
    let flag = Arc::clone(stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, std::sync::atomic::Ordering::Relaxed) && second_ends {
            std::process::exit(INTERRUPTED.into());
        }
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::ignored;

    /// Bits of proc_pid_status(5), counted by hand: SIGHUP is 1, SIGINT 2, SIGPIPE 13, SIGTERM 15.
    #[test]
    fn ignored_signals_are_those_of_the_mask() {
        for (status, signals) in [
            (
                "Name:\tairtab\nSigBlk:\t0000000000000007\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000004002\n",
                &[1, 13][..],
            ),
            ("SigIgn:\t0000000000001002\n", &[2, 13]),
            ("SigIgn:\t8000000000004000\n", &[15, 64]),
            ("SigIgn:\t0000000000000000\n", &[]),
            ("SigIgn:\tnone\n", &[]),
            ("", &[]),
        ] {
            let found: Vec<u32> = (1..=64).filter(|n| ignored(status) >> (n - 1) & 1 == 1).collect();
            assert_eq!(found, signals, "{status}");
        }
    }
}
