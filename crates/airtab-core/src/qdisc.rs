// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One running discipline.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::{c_int, c_void};
use std::mem::size_of;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::ffi;
use crate::params::{Discipline, Params};
use crate::pool::{Handle, Pool, give_back};
use crate::{Heard, Link, Ticket, Tx};

/// What became of an enqueued packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Queued.
    Queued,
    /// Queued, and another packet of its flow was dropped for it.
    Congested,
    /// Dropped.
    Dropped,
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// Queue full, the arriving packet refused.
    Limit,
    /// Memory limit.
    Memory,
    /// Queue full, a queued packet made room.
    Pushout,
    /// By an AQM at dequeue.
    Aqm,
    /// By an AQM at enqueue.
    Early,
    /// Class or flow over its share.
    Class,
    /// The queue was reset.
    Reset,
    /// Merged into another packet.
    Merged,
}

impl Reason {
    /// All reasons, in the core's order.
    pub const ALL: [Reason; ffi::REASONS] = [
        Reason::Limit,
        Reason::Memory,
        Reason::Pushout,
        Reason::Aqm,
        Reason::Early,
        Reason::Class,
        Reason::Reset,
        Reason::Merged,
    ];
}

/// A packet that a discipline gave back; the host removes it from its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The packet, held by the host again.
    pub packet: Handle,
    /// Why.
    pub reason: Reason,
}

/// The counters that every discipline keeps:
/// `taken + made == given + dropped + queued` at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets taken in.
    pub taken: u64,
    /// Packets the discipline made itself.
    pub made: u64,
    /// Packets given out by dequeue and drain.
    pub given: u64,
    /// Packets dropped, by [`Reason`].
    pub dropped: [u64; ffi::REASONS],
    /// Packets in the queue.
    pub queued: u32,
    /// Bytes in the queue.
    pub bytes: u64,
}

impl std::ops::Add for Counters {
    type Output = Counters;

    /// Those of several disciplines.
    fn add(self, other: Counters) -> Counters {
        Counters {
            taken: self.taken + other.taken,
            made: self.made + other.made,
            given: self.given + other.given,
            dropped: std::array::from_fn(|why| self.dropped[why] + other.dropped[why]),
            queued: self.queued + other.queued,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// One running discipline, tied to one [`Pool`].
pub struct Qdisc {
    q: NonNull<ffi::Qdisc>,
    layout: Layout,
    discipline: Discipline,
    pool: Arc<()>,
    params: Params,
    host: NonNull<Host>,
}

/// What the core's callback reaches: a box given up as a pointer, since the
/// core holds its address; freed by Drop.
struct Host {
    dropped: Vec<Dropped>,
    /// The pool of the dequeue that is going on.
    pool: *mut c_void,
}

// SAFETY: a discipline has no tie to a thread; its packets belong to a pool
// that every call which touches them borrows mutably.
unsafe impl Send for Qdisc {}

unsafe extern "C" fn on_drop(q: *mut ffi::Qdisc, p: *mut ffi::Pkt, why: c_int) {
    // SAFETY: the core drops only packets it was lent, during a call that
    // borrows their pool; host is the address of this qdisc's list.
    unsafe {
        let packet = give_back(p);
        (*(*q).host.cast::<Host>()).dropped.push(Dropped { packet, reason: Reason::ALL[why as usize] });
    }
}

/// Of a dequeue from a pool of T.
unsafe extern "C" fn on_ack<T: Copy>(q: *mut ffi::Qdisc, p: *const ffi::Pkt, number: u32) -> *mut ffi::Pkt {
    // SAFETY: the core calls this during a dequeue alone, which has put the address of its pool there and does not
    // touch it meanwhile; p is of that pool.
    unsafe { (*(*(*q).host.cast::<Host>()).pool.cast::<Pool<T>>()).acknowledge(p, number) }
}

/// Of a dequeue from a pool of T.
unsafe extern "C" fn on_merge<T: Copy>(
    q: *mut ffi::Qdisc,
    data: *mut ffi::Pkt,
    ack: *const ffi::Pkt,
) -> bool {
    // SAFETY: as in on_ack(); the core never names one packet twice.
    unsafe { (*(*(*q).host.cast::<Host>()).pool.cast::<Pool<T>>()).merge(data, ack) }
}

impl Qdisc {
    /// Starts a discipline whose packets live in `pool`. `seed` feeds its hash
    /// and its random draws; `now` in ns.
    ///
    /// # Panics
    /// If [`Params::check`] would fail.
    pub fn new<T>(pool: &Pool<T>, params: &Params, seed: u64, now: u64) -> Qdisc {
        Qdisc::on(pool.identity().clone(), params, seed, now)
    }

    /// Another one of the same parameters and pool, empty.
    pub fn like(&self, seed: u64, now: u64) -> Qdisc {
        Qdisc::on(self.pool.clone(), &self.params, seed, now)
    }

    fn on(pool: Arc<()>, params: &Params, seed: u64, now: u64) -> Qdisc {
        params.check().expect("parameters were checked before a discipline is started");
        let discipline = params.discipline();
        // SAFETY: the values are checked and valid for the call.
        let state = params.with_c(|v| unsafe { (discipline.0.state_size)(v) });
        let size = size_of::<ffi::Qdisc>() + usize::try_from(state).expect("state fits into memory");
        // No more than it needs: the core puts its arrays on cache lines of their own wherever the state is, and
        // an allocator that was asked for lines may never use them again once a discipline has gone (glibc's).
        let layout = Layout::from_size_align(size, align_of::<ffi::Qdisc>()).expect("state fits into memory");
        // SAFETY: the size is not zero.
        let memory = unsafe { alloc_zeroed(layout) };
        let Some(q) = NonNull::new(memory.cast::<ffi::Qdisc>()) else { handle_alloc_error(layout) };
        let host = Box::new(Host { dropped: Vec::with_capacity(64), pool: std::ptr::null_mut() });
        let host = NonNull::from(Box::leak(host));
        // SAFETY: the memory is zeroed, large enough and ours; host outlives q.
        unsafe {
            let raw = q.as_ptr();
            (*raw).ops = discipline.0;
            (*raw).drop = Some(on_drop);
            (*raw).host = host.as_ptr().cast::<c_void>();
            params.with_c(|v| (discipline.0.init)(raw, v, seed, now));
        }
        Qdisc { q, layout, discipline, pool, params: params.clone(), host }
    }

    /// Which discipline this is.
    pub fn discipline(&self) -> Discipline {
        self.discipline
    }

    /// What it was started with, or changed to.
    pub fn params(&self) -> &Params {
        &self.params
    }

    fn own<T>(&self, pool: &Pool<T>) {
        assert!(Arc::ptr_eq(&self.pool, pool.identity()), "a discipline works on one pool only");
    }

    /// Queues a held packet. Look at [`Qdisc::dropped`] afterwards: a packet
    /// may have been dropped, this one or another.
    pub fn enqueue<T>(&mut self, pool: &mut Pool<T>, packet: Handle, now: u64) -> Verdict {
        self.own(pool);
        let p = pool.lend(packet);
        // SAFETY: q is initialised and p is lent from its pool.
        match unsafe { (self.discipline.0.enqueue)(self.q.as_ptr(), p, now) } {
            0 => Verdict::Queued,
            1 => Verdict::Congested,
            _ => Verdict::Dropped,
        }
    }

    /// The next packet to send, held by the host again, with the ticket that
    /// [`Qdisc::sent`] wants once it is over.
    pub fn dequeue<T: Copy>(&mut self, pool: &mut Pool<T>, now: u64) -> Option<(Handle, Ticket)> {
        self.own(pool);
        let mut ticket = Ticket::default();
        // SAFETY: q is initialised, its packets' pool is borrowed, and the core reaches that through its host alone.
        let p = unsafe {
            (*self.q.as_ptr()).ack = pool.lends_acks().then_some(on_ack::<T>);
            (*self.q.as_ptr()).merge = pool.lends_acks().then_some(on_merge::<T>);
            (*self.host.as_ptr()).pool = (&raw mut *pool).cast();
            (self.discipline.0.dequeue)(self.q.as_ptr(), &mut ticket, now)
        };
        // SAFETY: what the core gives out it was lent.
        (!p.is_null()).then(|| (unsafe { give_back(p) }, ticket))
    }

    /// The oldest packet, uncharged, to hand over to another discipline.
    pub fn drain<T>(&mut self, pool: &mut Pool<T>) -> Option<Handle> {
        self.own(pool);
        // SAFETY: q is initialised, its packets' pool is borrowed.
        let p = unsafe { (self.discipline.0.drain)(self.q.as_ptr()) };
        // SAFETY: what the core gives out it was lent.
        (!p.is_null()).then(|| unsafe { give_back(p) })
    }

    /// Closes or opens a station: while it is closed its packets are parked, in
    /// their order and in their place in the round. Any number can be closed,
    /// [`GROUP`](crate::GROUP) and [`NO_STATION`](crate::NO_STATION) too; a reset
    /// opens nothing. Takes a look at every packet of the queue.
    pub fn gate<T>(&mut self, pool: &mut Pool<T>, station: u16, open: bool, now: u64) {
        self.own(pool);
        // SAFETY: q is initialised, its packets' pool is borrowed.
        unsafe { (self.discipline.0.gate)(self.q.as_ptr(), station, open, now) }
    }

    /// Changes parameters under traffic.
    ///
    /// # Panics
    /// If [`Params::check`] would fail, the parameters are another
    /// discipline's, or one that is fixed at the start differs
    /// ([`Params::fixed_change`] tells).
    pub fn change<T>(&mut self, pool: &mut Pool<T>, params: &Params, now: u64) {
        self.own(pool);
        assert_eq!(params.discipline(), self.discipline);
        params.check().expect("parameters were checked before a change");
        assert_eq!(self.params.fixed_change(params), None, "this parameter is fixed at the start");
        // SAFETY: q is initialised, the values are checked.
        params.with_c(|v| while unsafe { (self.discipline.0.change)(self.q.as_ptr(), v, now) } {});
        self.params = params.clone();
    }

    /// Drops all packets and forgets all flows.
    pub fn reset<T>(&mut self, pool: &mut Pool<T>, now: u64) {
        self.own(pool);
        // SAFETY: q is initialised, its packets' pool is borrowed.
        unsafe { (self.discipline.0.reset)(self.q.as_ptr(), now) }
    }

    /// Whether packets were dropped since the last look.
    #[inline]
    pub fn has_dropped(&self) -> bool {
        // SAFETY: made in new(), freed in drop(); the core writes to it only
        // during calls that borrow self mutably.
        !unsafe { self.host.as_ref() }.dropped.is_empty()
    }

    /// Takes the packets dropped since the last look, oldest first.
    pub fn dropped(&mut self) -> std::vec::Drain<'_, Dropped> {
        // SAFETY: made in new(), freed in drop(); the core writes to it only
        // during calls that borrow self mutably.
        unsafe { self.host.as_mut() }.dropped.drain(..)
    }

    /// Reports what a transmission really took.
    pub fn sent(&mut self, ticket: &Ticket, tx: &Tx, now: u64) {
        if let Some(sent) = self.discipline.0.sent {
            // SAFETY: q is initialised; both records are valid for the call.
            unsafe { sent(self.q.as_ptr(), ticket, tx, now) }
        }
    }

    /// Reports an uplink frame.
    pub fn heard(&mut self, frame: &Heard, now: u64) {
        if let Some(heard) = self.discipline.0.heard {
            // SAFETY: q is initialised; the record is valid for the call.
            unsafe { heard(self.q.as_ptr(), frame, now) }
        }
    }

    /// Says whether each packet is sent in the access category of its [`Ticket::up`], and reported. At first it is not.
    pub fn set_categories(&mut self, here: bool) {
        if let Some(categories) = self.discipline.0.categories {
            // SAFETY: q is initialised.
            unsafe { categories(self.q.as_ptr(), here) }
        }
    }

    /// Whether [`Qdisc::link`] means anything to it.
    pub fn wants_links(&self) -> bool {
        self.discipline.0.link.is_some()
    }

    /// Reports a station's link.
    pub fn link(&mut self, link: &Link, now: u64) {
        if let Some(f) = self.discipline.0.link {
            // SAFETY: q is initialised; the record is valid for the call.
            unsafe { f(self.q.as_ptr(), link, now) }
        }
    }

    /// When to call [`Qdisc::tick`] and then dequeue, if nothing else happens.
    pub fn wake(&self, now: u64) -> Option<u64> {
        // SAFETY: q is initialised.
        let at = unsafe { (self.discipline.0.wake?)(self.q.as_ptr(), now) };
        (at != u64::MAX).then_some(at)
    }

    /// Lets time pass. May drop packets.
    pub fn tick<T>(&mut self, pool: &mut Pool<T>, now: u64) {
        self.own(pool);
        if let Some(tick) = self.discipline.0.tick {
            // SAFETY: q is initialised, its packets' pool is borrowed.
            unsafe { tick(self.q.as_ptr(), now) }
        }
    }

    /// The counters every discipline keeps.
    pub fn counters(&self) -> Counters {
        // SAFETY: q is initialised.
        let q = unsafe { self.q.as_ref() };
        Counters {
            taken: q.in_,
            made: q.made,
            given: q.out,
            dropped: q.dropped,
            queued: q.qlen,
            bytes: q.bytes,
        }
    }

    /// Packets in the queue.
    pub fn len(&self) -> u32 {
        // SAFETY: q is initialised.
        unsafe { self.q.as_ref() }.qlen
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Packets in the queue that are not given out, since their stations are closed.
    pub fn parked(&self) -> u32 {
        // SAFETY: q is initialised.
        unsafe { self.q.as_ref() }.parked
    }

    /// One value per row of [`Discipline::stats`].
    pub fn stats(&self, now: u64) -> Vec<u64> {
        let mut values = vec![0; self.discipline.stat_entries().count()];
        if let Some(read) = self.discipline.0.read {
            // SAFETY: q is initialised; there is a place for every row.
            unsafe { read(self.q.as_ptr(), values.as_mut_ptr(), now) }
        }
        values
    }

    /// The per-flow table: one value per column of [`Discipline::row_stats`].
    pub fn rows<T>(&self, pool: &Pool<T>, now: u64) -> Vec<Vec<u64>> {
        let mut rows = Vec::new();
        self.for_each_row(pool, now, |row| rows.push(row.to_vec()));
        rows
    }

    /// Shows each row of [`Qdisc::rows`], and allocates for one alone.
    pub fn for_each_row<T>(&self, pool: &Pool<T>, now: u64, mut see: impl FnMut(&[u64])) {
        self.own(pool);
        let Some(row) = self.discipline.0.row else { return };
        let mut columns = vec![0; self.discipline.row_stat_entries().count()];
        let mut cursor = 0;
        loop {
            let mut found = false;
            // SAFETY: q is initialised; there is a place for every column.
            cursor = unsafe { row(self.q.as_ptr(), cursor, columns.as_mut_ptr(), now, &mut found) };
            if cursor == 0 {
                return;
            }
            if found {
                see(&columns);
            }
        }
    }
}

impl Drop for Qdisc {
    fn drop(&mut self) {
        // SAFETY: both allocated in new(), q with this layout; packets are the pool's.
        unsafe {
            dealloc(self.q.as_ptr().cast(), self.layout);
            drop(Box::from_raw(self.host.as_ptr()));
        }
    }
}
