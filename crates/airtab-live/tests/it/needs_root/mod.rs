// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Real network namespaces, in real time. Each test has `#[ignore = "needs root: ..."]` and fails without root:
//! `cargo test -- --include-ignored` as root. They measure time, so they run one at a time.

mod acks;
mod apps;
mod floods;
mod hardened;
mod live;
mod trial;
