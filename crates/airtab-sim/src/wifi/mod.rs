//! The Wi-Fi cell.

mod config;

pub use config::{Backoff, Beacon, CellConfig, DeliverOn, Loss};
