//! The access point in real time: real applications and the kernel's TCP in
//! network namespaces, behind the simulator's own cell and the core's disciplines.
//!
//! - [`apps`]: what runs in the namespaces: games, calls, browsers, downloads
//! - [`house`]: scenario files as houses of namespaces
//! - [`clock`]: the one clock of a house
//! - [`snapshot`]: what the access point shows of itself
//! - [`netns`]: network namespaces
//!
//! What it does not do: no radio, no `tc` (that is the kernel host), and it
//! touches no device that it did not make.

pub mod apps;
pub mod clock;
pub mod error;
pub mod house;
pub mod netns;
pub mod snapshot;

pub use apps::{AppReport, Apps};
pub use clock::Clock;
pub use error::LiveError;
pub use house::{House, Port};
pub use snapshot::Snapshot;
