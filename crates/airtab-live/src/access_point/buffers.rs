// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Where the bytes of packets are while they are under way.

use crate::packet::MTU;

/// Places for the bytes of packets; they are used again and again.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) places: Vec<[u8; MTU]>,
    pub(super) free: Vec<u32>,
}

impl Buffers {
    pub(super) fn keep(&mut self, bytes: &[u8]) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push([0; MTU]);
            self.places.len() as u32 - 1
        });
        self.places[number as usize][..bytes.len()].copy_from_slice(bytes);
        number
    }

    pub(super) fn get(&self, number: u32) -> &[u8; MTU] {
        &self.places[number as usize]
    }

    pub(super) fn get_mut(&mut self, number: u32) -> &mut [u8; MTU] {
        &mut self.places[number as usize]
    }

    pub(super) fn give_back(&mut self, number: u32) {
        self.free.push(number);
    }
}
