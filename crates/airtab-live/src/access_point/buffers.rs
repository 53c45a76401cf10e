// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Where the bytes of packets are while they are under way: the access point keeps them
//! there, and what disciplines do with acknowledgements reaches them there too.

use std::sync::{Arc, Mutex, MutexGuard};

use airtab_core::{Acks, edit_ack, edit_merge};

use super::admission::Body;
use crate::packet::{MTU, tcp_segment};

/// Places for the bytes of packets; they are used again and again.
#[derive(Default)]
pub(super) struct Places {
    pub(super) all: Vec<[u8; MTU]>,
    pub(super) free: Vec<u32>,
}

impl Places {
    pub(super) fn keep(&mut self, bytes: &[u8]) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push([0; MTU]);
            self.all.len() as u32 - 1
        });
        self.all[number as usize][..bytes.len()].copy_from_slice(bytes);
        number
    }

    pub(super) fn get(&self, number: u32) -> &[u8; MTU] {
        &self.all[number as usize]
    }

    pub(super) fn get_mut(&mut self, number: u32) -> &mut [u8; MTU] {
        &mut self.all[number as usize]
    }

    pub(super) fn give_back(&mut self, number: u32) {
        self.free.push(number);
    }
}

/// The places of one access point. Never held from one call to another, so nobody waits.
#[derive(Clone, Default)]
pub(super) struct Buffers(Arc<Mutex<Places>>);

impl Buffers {
    pub(super) fn lock(&self) -> MutexGuard<'_, Places> {
        self.0.lock().expect("nobody panics with it")
    }
}

impl Acks<Body> for Buffers {
    fn make(&mut self, packet: &Body, number: u32) -> Option<(Body, u32)> {
        let mut places = self.lock();
        let mut bytes = *places.get(packet.buffer);
        let (tcp, end) = tcp_segment(&bytes)?;
        let left = edit_ack(&mut bytes[..end], tcp, number)?;
        let buffer = places.keep(&bytes[..left]);
        Some((Body { buffer, made: true, ..*packet }, left as u32))
    }

    fn merge(&mut self, data: &mut Body, ack: &Body) -> bool {
        let mut places = self.lock();
        let mut other = *places.get(ack.buffer);
        let bytes = places.get_mut(data.buffer);
        let (Some((tcp, end)), Some((at, stop))) = (tcp_segment(bytes), tcp_segment(&other)) else {
            return false;
        };
        edit_merge((&mut bytes[..end], tcp), (&mut other[..stop], at))
    }
}
