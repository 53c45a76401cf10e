// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Packets at fixed addresses.
//!
//! The core links packets through pointers, so a packet must not move while it
//! is queued. A [`Pool`] hands out numbered places in chunks that never move;
//! each place remembers whether its packet is in a queue, so that no safe call
//! can free or queue a packet twice. `T` is the host's own plain data.

use std::mem::{MaybeUninit, size_of};
use std::ptr::NonNull;
use std::sync::Arc;

use crate::{Acks, ffi};

/// The host's name of a packet: an index into its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub(crate) u32);

impl Handle {
    /// The index, for tables beside the pool.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a discipline may know of a packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meta {
    /// Length of the IP packet, bytes.
    pub bytes: u32,
    /// Keyed hash of the five-tuple.
    pub flow: u32,
    /// Keyed hash of the host that sent it; 0: not known.
    pub source: u32,
    /// Destination station, or [`crate::GROUP`], or [`crate::NO_STATION`].
    pub sta: u16,
    /// Class of the host's classifier, 0 first, or [`crate::URGENT`].
    pub class: u8,
    /// The sender understands ECN.
    pub ecn: bool,
    /// The TCP header, where there is one to see.
    pub tcp: Option<ffi::Tcp>,
    /// What a classifier sees; None: no IP.
    pub key: Option<ffi::Key>,
}

/// A packet as its host sees it.
pub struct View<'a, T> {
    /// Length of the IP packet, bytes.
    pub bytes: u32,
    /// Keyed hash of the five-tuple.
    pub flow: u32,
    /// Destination station, as in [`Meta::sta`].
    pub sta: u16,
    /// The host's data.
    pub body: &'a T,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Place {
    Free,
    Held,
    Queued,
}

/// The core's part first: the core sees `*mut Pkt`, and `place` is found behind it.
#[repr(C)]
pub(crate) struct Packet<T> {
    pub(crate) head: ffi::Pkt,
    pub(crate) place: Place,
    body: MaybeUninit<T>,
}

const CHUNK: usize = 256;
const _: () = assert!(size_of::<ffi::Pkt>() == 64 + size_of::<*const ()>());

/// A growing set of packets. Grows by chunks and never shrinks, so a host in
/// its steady state allocates nothing.
pub struct Pool<T> {
    chunks: Vec<NonNull<Packet<T>>>,
    free: Vec<u32>,
    identity: Arc<()>,
    acks: Option<Box<dyn Acks<T>>>,
    acks_made: u64,
}

// SAFETY: a pool owns its packets; the pointers inside them are used only by
// calls that borrow the pool mutably.
unsafe impl<T: Send> Send for Pool<T> {}

impl<T: Copy> Pool<T> {
    /// An empty pool.
    pub fn new() -> Pool<T> {
        Pool { chunks: Vec::new(), free: Vec::new(), identity: Arc::new(()), acks: None, acks_made: 0 }
    }

    /// From now on disciplines can have acknowledgements made, and let them go with data.
    pub fn lend_acks(&mut self, acks: impl Acks<T> + 'static) {
        self.acks = Some(Box::new(acks));
    }

    /// A pure acknowledgement of that number like packet `p`, lent to the core; null where none can be made.
    ///
    /// # Safety
    /// `p` is a packet of this pool.
    pub(crate) unsafe fn acknowledge(&mut self, p: *const ffi::Pkt, number: u32) -> *mut ffi::Pkt {
        // SAFETY: the packet is of this pool, so its head is initialised.
        let head = unsafe { &*p };
        let body = *self.body(Handle(head.handle));
        let Some((body, bytes)) = self.acks.as_mut().and_then(|acks| acks.make(&body, number)) else {
            return std::ptr::null_mut();
        };
        let tcp = ffi::Tcp { ack: number, payload: 0, option: 0, ..head.tcp };
        let meta = Meta {
            bytes,
            flow: head.flow,
            source: head.source,
            sta: head.sta,
            class: head.class,
            ecn: false,
            tcp: Some(tcp),
            key: (head.flags & ffi::F_IP != 0).then_some(head.key),
        };
        let made = self.insert(meta, body);
        self.acks_made += 1;
        self.lend(made)
    }

    /// Whether packet `data` says from now on what the acknowledgement `ack` does.
    ///
    /// # Safety
    /// Both are packets of this pool that the core was lent, and not the same.
    pub(crate) unsafe fn merge(&mut self, data: *mut ffi::Pkt, ack: *const ffi::Pkt) -> bool {
        // SAFETY: both are of this pool, so their heads are initialised; the core holds no reference to them.
        let (data, ack) = unsafe { (&mut *data, &*ack) };
        let (handle, other) = (Handle(data.handle), *self.body(Handle(ack.handle)));
        let mut body = *self.body(handle);
        if !self.acks.as_mut().is_some_and(|acks| acks.merge(&mut body, &other)) {
            return false;
        }
        if (ack.tcp.ack.wrapping_sub(data.tcp.ack) as i32) > 0 {
            (data.tcp.ack, data.tcp.window) = (ack.tcp.ack, ack.tcp.window);
        }
        *self.body_mut(handle) = body;
        true
    }

    /// A new packet, held by the host.
    #[inline(always)]
    pub fn insert(&mut self, meta: Meta, body: T) -> Handle {
        let handle = Handle(self.free.pop().unwrap_or_else(|| self.grow()));
        let packet = self.packet(handle).as_ptr();
        let flag = |set, flag| if set { flag } else { 0 };
        let flags = flag(meta.ecn, ffi::F_ECT)
            | flag(meta.tcp.is_some(), ffi::F_TCP)
            | flag(meta.key.is_some(), ffi::F_IP);
        let head = ffi::Pkt {
            next: std::ptr::null_mut(),
            scratch: [0; 4],
            bytes: meta.bytes,
            flow: meta.flow,
            source: meta.source,
            sta: meta.sta,
            class: meta.class,
            flags,
            tcp: meta.tcp.unwrap_or_default(),
            handle: handle.0,
            key: meta.key.unwrap_or_default(),
        };
        // SAFETY: the place is free, so nobody else points to it; writing does
        // not read or drop what was there. Part by part: as one it would be made elsewhere and copied.
        unsafe {
            (&raw mut (*packet).head).write(head);
            (&raw mut (*packet).place).write(Place::Held);
            (&raw mut (*packet).body).write(MaybeUninit::new(body));
        }
        handle
    }

    /// Takes a packet out.
    ///
    /// # Panics
    /// If it is in a queue, or no packet of this pool.
    #[inline]
    pub fn remove(&mut self, handle: Handle) -> T {
        assert!(self.place(handle) == Place::Held, "only a packet that is in no queue can be removed");
        let packet = self.packet(handle).as_ptr();
        self.free.push(handle.0);
        // SAFETY: the place is held, so head and body are initialised and the core has no pointer to it.
        unsafe {
            (*packet).place = Place::Free;
            (*packet).body.assume_init()
        }
    }

    /// The host's data of a packet.
    #[inline]
    pub fn body(&self, handle: Handle) -> &T {
        assert!(self.place(handle) != Place::Free, "no such packet");
        // SAFETY: the place is not free, so its body is initialised; the core never touches bodies.
        unsafe { (*self.packet(handle).as_ptr()).body.assume_init_ref() }
    }

    /// The host's data of a packet, to change.
    #[inline]
    pub fn body_mut(&mut self, handle: Handle) -> &mut T {
        assert!(self.place(handle) != Place::Free, "no such packet");
        // SAFETY: as in body(); the pool is borrowed mutably.
        unsafe { (*self.packet(handle).as_ptr()).body.assume_init_mut() }
    }

    /// What a host asks of a packet again and again, at once.
    #[inline]
    pub fn view(&self, handle: Handle) -> View<'_, T> {
        assert!(self.place(handle) != Place::Free, "no such packet");
        // SAFETY: the place is not free, so its head and body are initialised; the core does not run meanwhile.
        let Packet { head, body, .. } = unsafe { self.packet(handle).as_ref() };
        // SAFETY: as above.
        View { bytes: head.bytes, flow: head.flow, sta: head.sta, body: unsafe { body.assume_init_ref() } }
    }

    /// Length of the IP packet, bytes.
    #[inline]
    pub fn bytes(&self, handle: Handle) -> u32 {
        assert!(self.place(handle) != Place::Free, "no such packet");
        // SAFETY: the place is not free, so its head is initialised.
        unsafe { (*self.packet(handle).as_ptr()).head.bytes }
    }

    /// Keyed hash of its five-tuple.
    #[inline]
    pub fn flow(&self, handle: Handle) -> u32 {
        assert!(self.place(handle) != Place::Free, "no such packet");
        // SAFETY: the place is not free, so its head is initialised.
        unsafe { (*self.packet(handle).as_ptr()).head.flow }
    }

    /// Its station, or [`crate::GROUP`].
    #[inline]
    pub fn sta(&self, handle: Handle) -> u16 {
        assert!(self.place(handle) != Place::Free, "no such packet");
        // SAFETY: the place is not free, so its head is initialised.
        unsafe { (*self.packet(handle).as_ptr()).head.sta }
    }

    /// Its DSCP; 0 where a classifier sees none.
    #[inline]
    pub fn dscp(&self, handle: Handle) -> u8 {
        assert!(self.place(handle) != Place::Free, "no such packet");
        // SAFETY: the place is not free, so its head is initialised; without an IP header it is zero.
        unsafe { (*self.packet(handle).as_ptr()).head.key.dscp }
    }

    /// It goes to another station from now on.
    ///
    /// # Panics
    /// If it is in a queue, or no packet of this pool.
    #[inline]
    pub fn set_sta(&mut self, handle: Handle, sta: u16) {
        assert!(self.place(handle) == Place::Held, "a packet in a queue stays as it is");
        // SAFETY: the place is held, so its head is initialised and the core has no pointer to it.
        unsafe { (*self.packet(handle).as_ptr()).head.sta = sta };
    }

    /// Whether the core marked it "congestion experienced".
    pub fn marked_ce(&self, handle: Handle) -> bool {
        assert!(self.place(handle) != Place::Free, "no such packet");
        // SAFETY: the place is not free, so its head is initialised.
        unsafe { (*self.packet(handle).as_ptr()).head.flags & ffi::F_CE != 0 }
    }

    /// Every packet there is, in queues or not, in the order of their places.
    pub fn handles(&self) -> impl Iterator<Item = Handle> {
        let places = (0..self.chunks.len() * CHUNK).map(|i| Handle(i as u32));
        places.filter(|handle| self.place(*handle) != Place::Free)
    }

    /// How many packets there are.
    pub fn len(&self) -> usize {
        self.chunks.len() * CHUNK - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[cold]
    fn grow(&mut self) -> u32 {
        let first = u32::try_from(self.chunks.len() * CHUNK).expect("fewer than 2^32 packets");
        let chunk: Box<[MaybeUninit<Packet<T>>]> = Box::new_uninit_slice(CHUNK);
        let chunk = NonNull::new(Box::into_raw(chunk).cast::<Packet<T>>()).expect("Box is not null");
        for i in 0..CHUNK {
            // SAFETY: i is inside the chunk; only `place` is written, through a raw pointer.
            unsafe { (&raw mut (*chunk.as_ptr().add(i)).place).write(Place::Free) };
        }
        self.chunks.push(chunk);
        self.free.extend((first + 1..first + CHUNK as u32).rev());
        first
    }
}

impl<T: Copy> Default for Pool<T> {
    fn default() -> Self {
        Pool::new()
    }
}

impl<T> Pool<T> {
    /// Acknowledgements that disciplines have made.
    pub fn acks_made(&self) -> u64 {
        self.acks_made
    }

    pub(crate) fn lends_acks(&self) -> bool {
        self.acks.is_some()
    }

    #[inline]
    fn packet(&self, handle: Handle) -> NonNull<Packet<T>> {
        let index = handle.index();
        let chunk = self.chunks[index / CHUNK];
        // SAFETY: the remainder is inside the chunk.
        unsafe { chunk.add(index % CHUNK) }
    }

    #[inline]
    fn place(&self, handle: Handle) -> Place {
        // SAFETY: grow() initialises every place of a chunk.
        unsafe { (*self.packet(handle).as_ptr()).place }
    }

    /// Marks a held packet as queued and gives its address.
    pub(crate) fn lend(&mut self, handle: Handle) -> *mut ffi::Pkt {
        assert!(self.place(handle) == Place::Held, "a packet can be in one queue only");
        let packet = self.packet(handle).as_ptr();
        // SAFETY: the packet is held, so its head is initialised.
        unsafe { (*packet).place = Place::Queued };
        packet.cast()
    }

    pub(crate) fn identity(&self) -> &Arc<()> {
        &self.identity
    }
}

/// Marks a packet that the core gave back as held again.
///
/// # Safety
/// `packet` came from [`Pool::lend`] and its pool is alive.
pub(crate) unsafe fn give_back(packet: *mut ffi::Pkt) -> Handle {
    let packet = packet.cast::<Packet<()>>();
    // SAFETY: head and place come first in every Packet<T> (repr(C)), whatever T is.
    unsafe {
        (*packet).place = Place::Held;
        Handle((*packet).head.handle)
    }
}

impl<T> Drop for Pool<T> {
    fn drop(&mut self) {
        for chunk in &self.chunks {
            let slice =
                std::ptr::slice_from_raw_parts_mut(chunk.as_ptr().cast::<MaybeUninit<Packet<T>>>(), CHUNK);
            // SAFETY: grow() made the chunk as such a box; T is Copy where a
            // packet can be inserted, so nothing inside wants dropping.
            drop(unsafe { Box::from_raw(slice) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_reused_and_never_move() {
        let mut pool = Pool::new();
        let first = pool.insert(Meta { bytes: 7, ..Meta::default() }, 1u64);
        let address = pool.packet(first);
        let others: Vec<_> = (0..1000).map(|i| pool.insert(Meta::default(), i)).collect();
        assert_eq!(pool.packet(first), address);
        assert_eq!((pool.len(), pool.bytes(first), *pool.body(first)), (1001, 7, 1));
        assert!(pool.handles().eq(std::iter::once(first).chain(others.iter().copied())));
        for handle in others {
            pool.remove(handle);
        }
        assert_eq!(pool.remove(first), 1);
        assert!(pool.is_empty());
        let chunks = pool.chunks.len();
        for i in 0..1001 {
            pool.insert(Meta::default(), i);
        }
        assert_eq!(pool.chunks.len(), chunks, "no growth while places are free");
    }

    /// What the core may see of a packet: each field is its own, the flags too.
    #[test]
    fn a_packet_is_what_it_was_made_of() {
        let mut pool = Pool::new();
        let tcp = ffi::Tcp { seq: 1, ack: 2, payload: 3, window: 4, flags: 5, ..Default::default() };
        let key = ffi::Key { protocol: 6, dscp: 46, sport: 7, dport: 8 };
        for flags in [0, 1, 4, 5, 8, 9, 12, 13] {
            let [ecn, with_tcp, ip] = [1, 4, 8].map(|bit| flags & bit != 0);
            let meta = Meta {
                bytes: 10,
                flow: 11,
                source: 12,
                sta: 13,
                class: 14,
                ecn,
                tcp: with_tcp.then_some(tcp),
                key: ip.then_some(key),
            };
            let packet = pool.insert(meta, 15u8);
            assert_eq!((pool.bytes(packet), pool.flow(packet), pool.sta(packet)), (10, 11, 13));
            pool.set_sta(packet, 17);
            assert_eq!((pool.flow(packet), pool.sta(packet)), (11, 17));
            assert_eq!((*pool.body(packet), pool.marked_ce(packet)), (15, false));
            // SAFETY: the packet is held, so its head is initialised.
            let head = unsafe { &(*pool.packet(packet).as_ptr()).head };
            assert_eq!((head.flags, head.class, head.handle), (flags, 14, packet.0));
            let seen = (head.tcp.seq, head.tcp.ack, head.tcp.payload, head.tcp.window, head.tcp.flags);
            assert_eq!(seen, if with_tcp { (1, 2, 3, 4, 5) } else { (0, 0, 0, 0, 0) });
            assert_eq!(head.key, if ip { key } else { ffi::Key::default() });
            *pool.body_mut(packet) = 16;
            // SAFETY: as above, and nobody else looks at it.
            unsafe { (*pool.packet(packet).as_ptr()).head.flags |= ffi::F_CE };
            assert!(pool.marked_ce(packet));
            assert_eq!((pool.len(), pool.is_empty()), (1, false));
            assert_eq!(pool.remove(packet), 16);
            assert_eq!((pool.len(), pool.is_empty()), (0, true));
        }
    }

    /// More than one chunk: every place is another one, and is given back.
    #[test]
    fn every_place_is_used_once() {
        let mut pool = Pool::new();
        for round in 0..3 {
            let handles: Vec<_> = (0..600u32).map(|i| pool.insert(Meta::default(), i)).collect();
            let mut places: Vec<_> = handles.iter().map(|handle| handle.index()).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!((places.len(), pool.chunks.len()), (600, 3), "round {round}");
            assert!(handles.iter().zip(0..).all(|(handle, i)| *pool.body(*handle) == i));
            for handle in handles {
                pool.remove(handle);
            }
        }
    }

    #[test]
    #[should_panic(expected = "only a packet that is in no queue")]
    fn removing_twice_is_caught() {
        let mut pool = Pool::new();
        let handle = pool.insert(Meta::default(), ());
        pool.remove(handle);
        pool.remove(handle);
    }
}
