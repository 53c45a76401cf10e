// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A number for the sources of simulations: `SOURCES`.

fn main() {
    airtab_sources::emit(&["src"], true);
}
