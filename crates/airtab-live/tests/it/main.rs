// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tests of the live access point: in virtual time, and, as root, with network namespaces.

mod access_point;
mod acks;
mod classes;
mod common;
mod ecn;
mod figures;
mod floods;
mod names;
mod needs_root;
mod routes;
