// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! In its steady state the simulator allocates nothing per event.
#![allow(unsafe_code)] // a global allocator that counts

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use airtab_sim::{AppKind, Simulation};
use common::{S, disciplines, home, other_home, queue};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: hands every call to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// 150 s of game, call and download, and of a UDP stream and a film: half a
/// million exchanges and a seventh of it, no allocation. One station of each has a discipline of its own.
#[test]
fn the_steady_state_allocates_nothing() {
    let mut film = other_home();
    // Under losses now and then a list of TCP's grows.
    film.apps.retain(|app| matches!(app.kind, AppKind::Udp(_) | AppKind::Streaming(_)));
    film.stations[0].uplink = Some(queue("chap", 35));
    let mut home = home();
    home.stations[1].uplink = Some(queue("fq_codel", 35));
    for (scenario, least) in [(home, 300_000), (film, 50_000)] {
        for discipline in disciplines() {
            let mut simulation = Simulation::new(&scenario, &queue(discipline, 35), 1);
            simulation.advance(110 * S); // past the download's first losses
            let (before, packets) = (ALLOCATIONS.load(Ordering::Relaxed), simulation.packets().made);
            simulation.advance(260 * S);
            let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert!(simulation.packets().made - packets > least);
            assert_eq!(allocations, 0, "{discipline}");
        }
    }
}
