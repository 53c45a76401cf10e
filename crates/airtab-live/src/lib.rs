// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The access point in real time: real applications and the kernel's TCP in
//! network namespaces, behind the simulator's own cell and the core's disciplines.
//!
//! - [`House`]: a scenario file as a house of namespaces; [`Running`]: one that is up
//! - [`AccessPoint`]: wires, medium and discipline around real packets, sans-IO
//! - [`Remote`]: what one says to it while it runs by the wall clock, between TUN
//!   devices ([`Tun`]) of namespaces ([`Netns`])
//! - [`Apps`]: what runs in the namespaces: games, calls, browsers, downloads, whose
//!   programs run as a user without rights
//! - [`trial`]: a house with its applications, from start to end, to a trace
//! - [`control`]: requests from other processes
//! - [`Snapshot`]: what the access point shows of itself; [`feed`] brings them from
//!   this process or another one, [`blame()`] judges them, [`view`] and [`plain`]
//!   draw them, [`metrics`] serves them to Prometheus
//!
//! What it does not do: no radio, no `tc` (that is the kernel host), and it
//! touches no device that it did not make.

mod access_point;
mod apps;
mod blame;
mod clock;
pub mod control;
#[cfg(test)]
#[path = "../tests/it/common/deadline.rs"]
mod deadline;
mod driver;
mod error;
pub mod feed;
#[cfg(test)]
mod fixture;
mod flows;
mod folder;
#[cfg(test)]
#[path = "../tests/it/common/frames.rs"]
mod frames;
pub mod house;
mod lock;
pub mod metrics;
mod netns;
mod pacing;
pub mod packet;
pub mod plain;
pub mod routes;
pub mod running;
mod snapshot;
mod source;
mod text;
pub mod trial;
mod tun;
mod user;
pub mod view;

pub use access_point::{AccessPoint, Change, Room};
pub use apps::{AppReport, Apps, Bulk};
pub use blame::{Blame, blame};
pub use clock::Clock;
pub use driver::Remote;
pub use error::LiveError;
pub use house::{House, Port};
pub use netns::{Netns, NetnsRef};
pub use running::Running;
pub use snapshot::{
    AirTotals, AirView, AppView, Books, ClassColumn, ClassView, Classes, ColumnView, FlowView, Hops,
    OutcomeView, Pace, Parts, PathView, QdiscView, Quantiles, Rates, Score, ScoreOfLate, Snapshot, StatView,
    StationView, Totals,
};
pub use tun::Tun;
