// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tests of the simulator: cell, mesh, wired links, TCP and applications.

mod access;
mod ampdu;
mod anomaly;
mod applications;
mod attempts;
mod below;
mod cell;
mod class_books;
mod classes;
mod common;
mod dumbbell;
mod duplex;
mod edca_monte_carlo;
mod edca_monte_carlo_queues;
mod emulator;
mod histogram;
mod home;
mod late_aggregates;
mod links;
mod media;
mod mesh;
mod monte_carlo;
mod observe;
mod ofdma;
mod populations;
mod rate_control;
mod senders;
mod server;
mod shaper;
mod study;
mod tcp;
mod tcp_mix;
mod traffic;
mod uplinks;
mod world;
