// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A fast simulator of a home behind one 802.11 access point.
//!
//! [`run`] takes a [`Scenario`] and the parameters of a queue discipline and
//! gives a [`Trace`]: what every application sent and received, and what the
//! access point's queue and the channel did. Virtual time in integer
//! nanoseconds; same scenario, parameters and seed, same trace on every machine.
//!
//! - [`Simulation`]: a run step by step; [`watch`] moves one from look to look of its [`Observer`]s
//! - [`Probe`]: samples [`Quantity`]s over time; [`course`](fn@course): with every TCP sender
//! - [`AppMeter`]: what becomes of an application's packets, for every host of a cell; [`Histogram`]: of times
//! - [`Stream`]: a random stream per entity
//! - [`world`]: nodes, wires and channels around the packets of any host
//! - [`wifi`]: the cell (access point, stations, channel) and the mesh, sans-IO; [`Shape`]: meshes by name
//! - [`tcp`]: TCP endpoints, sans-IO
//! - [`traffic`]: what applications send, between the [`address`]es of servers and stations
//! - [`server`]: one queue before a server of fixed times, to hold a discipline against queueing theory
//!
//! What it does not do: no quality scores (`airtab-quality`), no files
//! (`airtab-scenario`), no real sockets.

mod backlog;
mod course;
mod engine;
mod histogram;
mod meter;
mod net;
mod probe;
mod running;
mod scenario;
pub mod server;
mod shapes;
mod simulation;
pub mod tcp;
mod trace;
pub mod traffic;
mod volume;
pub mod wifi;
pub mod world;

pub use course::{AppCourse, Course, FlowCourse, course};
pub use engine::{NEVER, Stream};
pub use histogram::Histogram;
pub use meter::{AppMeter, datagram_payload};
pub use net::address;
pub use probe::{Observer, Probe, Quantity, Series, watch, watch_or_end};
pub use scenario::{
    Access, App, Change, Changed, Latency, MAX_STATIONS, MAX_USERS, MeasureWindow, Scenario, Scored, Server,
    Servers, Station, Users, Wired,
};
pub use shapes::Shape;
#[cfg(feature = "trial")]
pub use simulation::simulations;
pub use simulation::{AirFrame, AirPacket, Content, Simulation, run};
pub use trace::{
    ApTrace, AppTrace, AttemptTrace, BelowTrace, CourseTrace, Delivery, Leg, Legs, NodeTrace, PathTrace,
    QueueTrace, SecondTrace, SenderTrace, StreamTrace, Trace,
};
pub use traffic::AppKind;
pub use traffic::responsiveness::TestTrace;
pub use traffic::streaming::SegmentTrace;
pub use traffic::video::FrameTrace;

/// A number for the sources of this crate, and for the versions of what it uses: part of what stored runs are known by.
pub const SOURCES: &str = env!("AIRTAB_SOURCES");
