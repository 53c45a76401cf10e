// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Commands that this build of the program lacks: each is listed, and says what it would need.
//!
//! What it does not do: none of their options is known here.

/// Modules in place of those of commands: module, options, what they need.
macro_rules! absent {
    ($(#[$lacks:meta] $module:ident: $options:ident, $needs:literal;)*) => { $(
        #[$lacks]
        pub mod $module {
            use std::ffi::OsString;
            use std::process::ExitCode;

            use crate::args::USAGE;
            use crate::output;

            pub mod args {
                pub use super::$options;
            }

            #[doc = concat!("Not in this build of airtab: needs ", $needs)]
            #[derive(clap::Parser)]
            #[command(disable_help_flag = true)]
            pub struct $options {
                #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
                _words: Vec<OsString>,
            }

            /// Says what it needs.
            pub fn $module(_: &$options) -> anyhow::Result<ExitCode> {
                let name = stringify!($module).replace('_', "-");
                output::error(&format!("airtab {name} is not in this build: it needs {}", $needs));
                Ok(ExitCode::from(USAGE))
            }
        }
    )* };
}

absent! {
    #[cfg(not(target_os = "linux"))] airsim: Airsim, "Linux";
    #[cfg(not(target_os = "linux"))] drain: Drain, "Linux";
    #[cfg(not(has_live))] live: Live, "Linux, and to be built with the feature `live` (in a checkout: make build)";
    #[cfg(not(has_probe))] cbr: Cbr, "Linux, and to be built with the feature `probe` (in a checkout: make build)";
    #[cfg(not(has_probe))] equal_access: EqualAccess, "Linux, and to be built with the feature `probe` (in a checkout: make build)";
    #[cfg(not(has_probe))] htbench: Htbench, "Linux, and to be built with the feature `probe` (in a checkout: make build)";
    #[cfg(not(has_probe))] rpm: Rpm, "Linux, and to be built with the feature `probe` (in a checkout: make build)";
    #[cfg(not(has_serve))] serve: Serve, "to be built with the feature `serve` (in a checkout: make build)";
}
