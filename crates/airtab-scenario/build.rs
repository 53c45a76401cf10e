// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A number for the sources of the figures of a run: `SOURCES`. What reads files is among them, as the one cannot be told
//! from the other; the libraries that read them are not: what they give is in what a run is known by.

fn main() {
    airtab_sources::emit(&["src"], false);
}
