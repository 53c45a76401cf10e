// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An endless TCP upload: a [download](super::download) with the client as the
//! one that sends.

use super::download::PORT;
use super::{Kind, Setting, Transfers};
use crate::tcp::Algorithm;

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Congestion control of its sender.
    pub congestion: Algorithm,
}

impl Kind for Upload {
    type Application = Transfers;
    const PORT: u16 = PORT;

    fn congestion(&self, _: Algorithm) -> Option<Algorithm> {
        Some(self.congestion)
    }

    fn user(&self, _: &Setting) -> Transfers {
        Transfers { flows: 1, down: false, up: true, reconnect_ns: None }
    }
}
