// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The program `airtab`. All of it is in the library of this crate, so that the package for Python brings the same.

use std::process::ExitCode;

fn main() -> ExitCode {
    airtab::main(std::env::args_os())
}
