//! A fast simulator of a home behind one 802.11 access point.
//!
//! [`run`] takes a [`Scenario`] and the parameters of a queue discipline and
//! gives a [`Trace`]: what every application sent and received, and what the
//! access point's queue and the channel did. Virtual time in integer
//! nanoseconds; same scenario, parameters and seed, same trace on every machine.
//!
//! - [`probe`]: a run that is looked at, and sampled over time; [`course`]: with every TCP sender
//! - [`engine`]: event queue and random streams
//! - [`wifi`]: the cell (access point, stations, channel), sans-IO
//! - [`world`]: nodes, wires and channels around the packets of any host
//! - [`meter`]: what becomes of an application's packets, for every host of a cell
//! - [`net`]: wired links
//! - [`tcp`]: TCP endpoints, sans-IO
//! - [`traffic`]: what applications send
//! - [`server`]: one queue before a server of fixed times, to hold a discipline against queueing theory
//!
//! What it does not do: no quality scores (`airtab-quality`), no files
//! (`airtab-lab`), no real sockets.

pub mod course;
pub mod engine;
mod histogram;
pub mod meter;
pub mod net;
pub mod probe;
mod running;
pub mod scenario;
pub mod server;
mod simulation;
pub mod tcp;
pub mod trace;
pub mod traffic;
pub mod wifi;
pub mod world;

pub use histogram::Histogram;
pub use scenario::{App, Scenario, Station, Users, Wired};
#[cfg(feature = "trial")]
pub use simulation::simulations;
pub use simulation::{AirFrame, AirPacket, Content, Simulation, run};
pub use trace::{ApTrace, AppTrace, AttemptTrace, Delivery, SecondTrace, StreamTrace, Trace};
pub use traffic::AppKind;
pub use traffic::streaming::SegmentTrace;
pub use traffic::video::FrameTrace;
