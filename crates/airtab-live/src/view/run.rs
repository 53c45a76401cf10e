// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The terminal: taken, drawn on, and given back as it was, however the view ends.
//!
//! What it does not do: signals are the caller's, who sets the stop flag.

use std::error::Error;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::TryRecvError;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::{Asked, State, draw};
use crate::error::LiveError;
use crate::feed::{End, Feed};
use crate::snapshot::Snapshot;

/// Longest time between two looks at keys, snapshots and the stop flag.
const TICK: Duration = Duration::from_millis(50);

/// Shows what comes until it ends, or the user does, or `stop` is set.
///
/// Keys come from the terminal, even if standard input is a pipe. A panic of
/// any thread gives the terminal back before its message is printed.
///
/// # Errors
/// If standard output is no terminal, or the terminal fails.
pub fn run(feed: &Feed, stop: &AtomicBool) -> Result<End, LiveError> {
    let failed = || LiveError::system("showing the terminal view");
    if !io::stdout().is_terminal() {
        return Err(failed()(io::Error::other("standard output is no terminal: use plain text or JSON")));
    }
    let _restore = Restore;
    let mut terminal = ratatui::try_init().map_err(failed())?;
    let end = drive(&mut terminal, feed, stop, next).map_err(failed());
    if hung_up(Duration::ZERO).unwrap_or(true) {
        // Dropped, it would complain on a terminal that is gone, and panic.
        std::mem::forget(terminal);
    }
    end
}

/// The next key or change of size, if there is one before `wait` is over.
fn next(wait: Duration) -> io::Result<Option<Event>> {
    // From a terminal that is gone crossterm reads for ever.
    if hung_up(wait)? {
        return Err(io::Error::other("the terminal is gone"));
    }
    if event::poll(Duration::ZERO)? { event::read().map(Some) } else { Ok(None) }
}

/// Waits for keys at most so long; whether the terminal is gone.
fn hung_up(wait: Duration) -> io::Result<bool> {
    let terminal = io::stdout();
    let mut terminal = [PollFd::new(&terminal, PollFlags::IN)];
    match poll(&mut terminal, Timespec::try_from(wait).ok().as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(e) => return Err(e.into()),
    }
    Ok(terminal[0].revents().intersects(PollFlags::HUP | PollFlags::ERR))
}

/// Gives the terminal back.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        // Nobody to tell: it was the terminal.
        let _ = ratatui::try_restore();
    }
}

pub(super) fn drive<B: Backend<Error: Error + Send + Sync + 'static>>(
    terminal: &mut Terminal<B>,
    feed: &Feed,
    stop: &AtomicBool,
    mut next: impl FnMut(Duration) -> io::Result<Option<Event>>,
) -> io::Result<End> {
    let mut state = State::default();
    let mut shown: Option<Arc<Snapshot>> = None;
    let mut redraw = true;
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(End::Interrupted);
        }
        loop {
            match feed.try_recv() {
                // A paused view takes them, too: nobody has to keep them.
                Ok(_) if state.paused && shown.is_some() => {}
                Ok(snapshot) => (shown, redraw) = (Some(snapshot), true),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Ok(End::Feed),
            }
        }
        if redraw {
            let drawn = terminal.draw(|frame| match &shown {
                Some(snapshot) => draw(frame, snapshot, &state),
                None => frame.render_widget("waiting for the access point ... (q quits)", frame.area()),
            });
            drawn.map_err(io::Error::other)?;
            redraw = false;
        }
        match next(TICK)? {
            Some(Event::Key(key)) if key.kind != KeyEventKind::Release => match state.on_key(key) {
                Some(Asked::Quit) => return Ok(End::Quit),
                Some(Asked::Interrupt) => return Ok(End::Interrupted),
                Some(Asked::Redraw) => redraw = true,
                None => {}
            },
            Some(Event::Resize(..)) => redraw = true,
            _ => {}
        }
    }
}
