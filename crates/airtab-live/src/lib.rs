//! The access point in real time: real applications and the kernel's TCP in
//! network namespaces, behind the simulator's own cell and the core's disciplines.
//!
//! - [`house`]: scenario files as houses of namespaces
//! - [`snapshot`]: what the access point shows of itself
//! - [`netns`]: network namespaces
//!
//! What it does not do: no radio, no `tc` (that is the kernel host), and it
//! touches no device that it did not make.

pub mod access_point;
mod clock;
pub mod control;
pub mod driver;
pub mod error;
mod flows;
pub mod house;
pub mod netns;
pub mod packet;
pub mod running;
pub mod snapshot;
pub mod tun;

pub use clock::Clock;
pub use error::LiveError;
pub use house::{House, Port};
pub use running::Running;
pub use snapshot::Snapshot;
