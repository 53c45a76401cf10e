// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab rpm`, with their help.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use airtab_probe::rpm::server::PORT;
use airtab_probe::rpm::trust::Fingerprint;
use clap::Parser;

use crate::args::{flent_file, seconds};
use crate::form::Printed;

/// Measure responsiveness while the way is full: round trips a minute (RPM), as phones and laptops show it
///
/// Downloads, then uploads are added until they move no more; meanwhile probes on new connections and on the loaded ones
/// tell how long a round trip takes (draft-ietf-ippm-responsiveness, HTTP/2 over TLS 1.3). Any server with the
/// draft's configuration document will do, such as `airtab rpm --serve`.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab rpm --serve 0.0.0.0                   on one machine; prints what to run on the other:
  airtab rpm 192.0.2.1:4043 --trust 5f0c...    on the other
  airtab rpm example.org                       a server whose certificate the system believes
  airtab rpm example.org --up --duration 10s --json
  airtab rpm example.org --flent mine.flent.gz and then: flent -i mine.flent.gz -p ping_cdf -o mine.png")]
pub struct Rpm {
    /// Server: host, host:port, or the address of its configuration document [port: 443, document: /.well-known/nq]
    #[arg(value_name = "URL|HOST", required_unless_present = "serve", conflicts_with = "serve")]
    pub target: Option<String>,
    /// Only from the server
    #[arg(long, conflicts_with = "serve")]
    pub down: bool,
    /// Only to the server
    #[arg(long, conflicts_with = "serve")]
    pub up: bool,
    /// Longest time for a direction; it ends when it is stable, after 11 s at the soonest
    #[arg(long = "duration", value_name = "TIME", default_value = "20s", value_parser = seconds(4..=120), conflicts_with = "serve")]
    pub seconds: u64,
    /// Believe the server whose certificate has this SHA-256, as `airtab rpm --serve` prints it
    #[arg(long, value_name = "FINGERPRINT", conflicts_with_all = ["serve", "ca"])]
    pub trust: Option<Fingerprint>,
    /// Believe servers whose certificate these authorities have signed, PEM; - for standard input [default: the system's]
    #[arg(long, value_name = "FILE.pem", conflicts_with = "serve")]
    pub ca: Option<PathBuf>,
    /// Be the other end, at this address; without one, for this machine alone
    #[arg(long, value_name = "ADDRESS[:PORT]", num_args = 0..=1, default_missing_value = "127.0.0.1", value_parser = address)]
    pub serve: Option<SocketAddr>,
    /// Also write it for flent, whose plots draw it beside other networks: goodput each way, TCP handshakes as pings
    #[arg(long, value_name = "FILE.flent.gz", value_parser = flent_file(), conflicts_with = "serve")]
    pub flent: Option<PathBuf>,
    #[command(flatten)]
    pub form: Printed,
}

/// An address, with the usual port if it has none.
fn address(text: &str) -> Result<SocketAddr, String> {
    let alone = text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let found = text.parse().ok().or(alone.ok().map(|ip| SocketAddr::new(ip, PORT)));
    found.ok_or_else(|| {
        format!("an address of this machine, as in 192.0.2.1, 192.0.2.1:{PORT} or [::]:{PORT}")
    })
}
