// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The terminal view: what the access point does, redrawn with every snapshot.
//!
//! - `State`: what the user chose, and which keys change it
//! - `draw()`: one picture, a function of snapshot, state and size
//! - [`run()`]: the terminal, from the first picture to its restoration
//!
//! What it does not do: it changes nothing at the access point.

mod draw;
mod run;
mod table;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use draw::draw;
pub use run::run;

/// Which table keys are about; the only one where there is no room for both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shown {
    /// Stations.
    #[default]
    Stations,
    /// Flows.
    Flows,
}

/// What the user chose; at first stations, most airtime first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    /// The table that keys are about.
    shown: Shown,
    /// Column that stations are sorted by.
    sort_stations: usize,
    /// Column that flows are sorted by, of those that there are round and round.
    sort_flows: usize,
    /// Rows of that table above the first one shown.
    offset: usize,
    /// New snapshots are not shown.
    paused: bool,
    /// The page of keys is shown.
    help: bool,
}

impl Default for State {
    fn default() -> State {
        State {
            shown: Shown::Stations,
            sort_stations: table::STATION_AIR,
            sort_flows: table::FLOW_AIR,
            offset: 0,
            paused: false,
            help: false,
        }
    }
}

/// What a key asks of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Draw again.
    Redraw,
    /// Leave.
    Quit,
    /// Leave as after Ctrl-C.
    Interrupt,
}

impl State {
    /// What a key does; None: nothing.
    fn on_key(&mut self, key: KeyEvent) -> Option<Asked> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return (key.code == KeyCode::Char('c')).then_some(Asked::Interrupt);
        }
        match key.code {
            KeyCode::Char('q') => return Some(Asked::Quit),
            KeyCode::Esc if !self.help => return Some(Asked::Quit),
            KeyCode::Esc => self.help = false,
            KeyCode::Char('?' | 'h') => self.help = !self.help,
            KeyCode::Char('p' | ' ') => self.paused = !self.paused,
            KeyCode::Char('s') => match self.shown {
                Shown::Stations => self.sort_stations = (self.sort_stations + 1) % table::STATION_COLUMNS,
                // How many there are is the discipline's matter: round and round by the picture.
                Shown::Flows => self.sort_flows = self.sort_flows.wrapping_add(1),
            },
            KeyCode::Char('f') | KeyCode::Tab => {
                self.shown = if self.shown == Shown::Flows { Shown::Stations } else { Shown::Flows };
                self.offset = 0;
            }
            KeyCode::Down => self.offset = self.offset.saturating_add(1),
            KeyCode::Up => self.offset = self.offset.saturating_sub(1),
            KeyCode::Home => self.offset = 0,
            _ => return None,
        }
        Some(Asked::Redraw)
    }
}

#[cfg(test)]
mod tests;
