//! An endless TCP upload: a [download](super::download) with the client as the
//! one that sends.

use crate::tcp::Algorithm;

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Congestion control of its sender.
    pub congestion: Algorithm,
}
