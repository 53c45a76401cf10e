// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab mesh`, with their help.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::form::Printed;

/// Show who reaches whom in a mesh, the ways through it, its collision domains and how much they should hold
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab mesh show scenarios/mesh-chain4.toml
  airtab mesh show scenarios/mesh-cross.toml --json")]
pub struct Mesh {
    #[command(subcommand)]
    pub command: MeshCommand,
}

#[derive(Subcommand)]
pub enum MeshCommand {
    /// Ranges, nodes, the way of each application, and of each link that is used its collision domain: links and nodes
    /// that contend (M), load, and the buffer that they share (B), by the distributed neighborhood buffer's formulas
    Show {
        /// Scenario file with a mesh, or - for standard input
        #[arg(value_name = "SCENARIO.toml")]
        scenario: PathBuf,
        #[command(flatten)]
        form: Printed,
    },
}
