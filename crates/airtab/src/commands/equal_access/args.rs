// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab equal-access`, with their help.

use std::net::IpAddr;

use airtab_core::Unit;
use airtab_probe::equal::plan::Plan;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::form::Printed;

/// Hold two Wi-Fi cards against each other: do both get the channel equally often?
///
/// Under 802.11 two cards that always have a packet send equally many, whatever their lengths. One machine
/// sends long packets as fast as they go (best effort, 'be'), the other short ones at a rate that rises
/// step by step (expedited, 'ef'). The receiver, best behind the access point by cable, counts packets. From the step on
/// at which the channel is full, both should have the same rate: a card that has more waits less than it should.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab equal-access listen 9000                  the receiver; it ends with the sweep
  airtab equal-access send be 192.0.2.1:9000       the first card: 768 bytes, as fast as they go; Ctrl-C ends it
  airtab equal-access send ef 192.0.2.1:9000       the second one, some 20 s later: 64 bytes, 8 to 128 kB/s, 16 minutes
  airtab equal-access listen 9000 --step-time 20s --json
                                                   what is not the default has to be given to all three

Exit code 1: the rates are unequal, or nothing could be said.")]
pub struct EqualAccess {
    #[command(subcommand)]
    pub command: EqualAccessCommand,
}

#[derive(Subcommand)]
pub enum EqualAccessCommand {
    /// Count what comes, and judge
    Listen {
        /// Port to receive on; 0 is any
        #[arg(value_name = "PORT")]
        port: u16,
        /// Local address; one of IPv6 takes IPv6
        #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0")]
        bind: IpAddr,
        #[command(flatten)]
        plan: PlanArgs,
        #[command(flatten)]
        form: Printed,
    },
    /// Send as one of both
    Send {
        /// Which
        #[arg(value_name = "be|ef")]
        role: Role,
        /// Where the receiver is: an address or a name, and its port
        #[arg(value_name = "HOST:PORT")]
        target: String,
        #[command(flatten)]
        plan: PlanArgs,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Long packets, as fast as they go.
    Be,
    /// Short ones, at a rising rate.
    Ef,
}

/// What all three have to agree on.
#[derive(Args)]
pub struct PlanArgs {
    /// UDP payload of best-effort packets
    #[arg(long, value_name = "BYTES", value_parser = size, default_value = "768")]
    pub be_length: u64,
    /// UDP payload of expedited packets, another one
    #[arg(long, value_name = "BYTES", value_parser = size, default_value = "64")]
    pub ef_length: u64,
    /// First rate of the expedited sender, of payload
    #[arg(long, value_name = "RATE", value_parser = rate, default_value = "64kb/s")]
    pub from: u64,
    /// Its last rate
    #[arg(long, value_name = "RATE", value_parser = rate, default_value = "1024kb/s")]
    pub to: u64,
    /// What each step adds
    #[arg(long, value_name = "RATE", value_parser = rate, default_value = "64kb/s")]
    pub add: u64,
    /// How long each step is kept
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "60s")]
    pub step_time: u64,
}

impl PlanArgs {
    /// The same as a plan.
    pub fn plan(&self) -> Plan {
        Plan {
            best_effort_bytes: self.be_length as usize,
            expedited_bytes: self.ef_length as usize,
            rates_bps: (self.from, self.to),
            add_bps: self.add,
            step_ns: self.step_time,
        }
    }
}

fn rate(text: &str) -> Result<u64, String> {
    Unit::Bps.parse(text).map_err(|e| e.to_string())
}

fn size(text: &str) -> Result<u64, String> {
    Unit::Bytes.parse(text).map_err(|e| e.to_string())
}

/// ns.
fn time(text: &str) -> Result<u64, String> {
    match Unit::Ns.parse(text) {
        Ok(ns @ 100_000_000..) => Ok(ns),
        Ok(_) => Err("at least 100ms".into()),
        Err(e) => Err(e.to_string()),
    }
}
