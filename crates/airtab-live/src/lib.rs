//! The access point in real time: real applications and the kernel's TCP in
//! network namespaces, behind the simulator's own cell and the core's disciplines.
//!
//! - [`house`]: scenario files as houses of namespaces
//! - [`clock`]: the one clock of a house
//! - [`snapshot`]: what the access point shows of itself
//! - [`netns`]: network namespaces
//! - [`blame`]: which hop holds the delay, who uses the air, who suffers, in one line
//! - [`view`]: the terminal view; [`plain`] where there is no terminal
//! - [`feed`]: snapshots from this process or another one
//! - [`metrics`]: the same for Prometheus
//!
//! What it does not do: no radio, no `tc` (that is the kernel host), and it
//! touches no device that it did not make.

pub mod blame;
pub mod clock;
pub mod error;
pub mod feed;
#[cfg(test)]
mod fixture;
pub mod house;
pub mod metrics;
pub mod netns;
pub mod plain;
pub mod snapshot;
mod text;
pub mod view;

pub use clock::Clock;
pub use error::LiveError;
pub use house::{House, Port};
pub use snapshot::Snapshot;
