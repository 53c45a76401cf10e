// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs an access point by the wall clock: packets between its ports' devices,
//! events at their times.
//!
//! Deadlines are in the medium's time: a packet that is read is put in at the
//! time of reading, what follows from it happens at exact times, and only the
//! handing over can be late. So rates are exact even if the thread wakes late;
//! how late it was is in [`Pace`](crate::Pace).
//!
//! What it does not do: it sleeps between events and does not spin, so how late
//! it wakes is the machine's doing.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use airtab_core::time::SECOND;
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};
use rustix::time::{ClockId, clock_gettime};
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id,
};

use crate::access_point::AccessPoint;
use crate::clock::Clock;
use crate::house::Port;
use crate::pacing::Pacing;
use crate::packet::MTU;
use crate::snapshot::{AppView, Snapshot};
use crate::tun::Tun;

/// Time between snapshots, ns.
pub const INTERVAL_NS: u64 = SECOND;
/// Packets read from one device before the others get their turn.
const BURST: usize = 32;
/// Timers may be so late, ns: as exact as the kernel can.
const SLACK: NonZeroU64 = NonZeroU64::MIN;

/// What is done to an access point while it runs.
pub type Order = Box<dyn FnOnce(&mut AccessPoint) + Send>;

/// The way to a running driver, from any thread.
#[derive(Clone)]
pub struct Remote {
    orders: Sender<Message>,
    bell: Arc<OwnedFd>,
    board: Arc<Board>,
}

enum Message {
    Order(Order),
    Stop,
}

/// What a driver shows.
#[derive(Default)]
struct Board {
    /// None: the driver has ended.
    latest: Mutex<Option<Arc<Snapshot>>>,
    fresh: Condvar,
    apps: Mutex<Vec<AppView>>,
}

impl Remote {
    /// Does something to the access point between two packets, and gives what
    /// came of it; None if the driver has ended.
    pub fn order<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut AccessPoint) -> T + Send + 'static,
    ) -> Option<T> {
        let (answer, answered) = channel();
        let order: Order = Box::new(move |ap| {
            let _ = answer.send(what(ap));
        });
        self.orders.send(Message::Order(order)).ok()?;
        self.ring();
        answered.recv().ok()
    }

    /// Ends the driver.
    pub fn stop(&self) {
        let _ = self.orders.send(Message::Stop);
        self.ring();
    }

    /// Waits for a snapshot after `seen`, however long it takes; None if the
    /// driver has ended.
    pub fn next_snapshot(&self, seen: &Arc<Snapshot>) -> Option<Arc<Snapshot>> {
        let latest = lock(&self.board.latest);
        let none_yet = |latest: &mut Option<Arc<Snapshot>>| {
            latest.as_ref().is_some_and(|latest| latest.now_s == 0.0 || Arc::ptr_eq(latest, seen))
        };
        self.board.fresh.wait_while(latest, none_yet).unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What applications feel, for the next snapshot.
    pub fn show_apps(&self, apps: Vec<AppView>) {
        *lock(&self.board.apps) = apps;
    }

    fn ring(&self) {
        let _ = rustix::io::write(&*self.bell, &1u64.to_ne_bytes());
    }
}

/// A port's device.
struct Wire {
    port: Port,
    /// None: it is gone.
    tun: Option<Tun>,
    /// Packets that found its queue full.
    overflowed: u64,
}

/// An access point, the devices of its ports, and the clock.
pub struct Driver {
    ap: AccessPoint,
    wires: Vec<Wire>,
    clock: Clock,
    epoll: OwnedFd,
    bell: Arc<OwnedFd>,
    orders: Receiver<Message>,
    board: Arc<Board>,
    pacing: Pacing,
    next_snapshot: u64,
}

impl Driver {
    /// A driver and the way to it.
    ///
    /// # Errors
    /// If the kernel has no files left to give.
    pub fn new(ap: AccessPoint, wires: Vec<(Port, Tun)>, clock: Clock) -> io::Result<(Driver, Remote)> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        for (i, (_, tun)) in wires.iter().enumerate() {
            epoll::add(&epoll, tun.as_fd(), EventData::new_u64(i as u64), EventFlags::IN)?;
        }
        let bell = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        epoll::add(&epoll, &bell, EventData::new_u64(BELL), EventFlags::IN)?;
        let (sender, orders) = channel();
        let board = Arc::new(Board::default());
        *lock(&board.latest) = Some(Arc::default());
        let remote = Remote { orders: sender, bell: bell.clone(), board: board.clone() };
        let wires = wires.into_iter().map(|(port, tun)| Wire { port, tun: Some(tun), overflowed: 0 });
        let wires = wires.collect();
        let driver = Driver {
            ap,
            wires,
            clock,
            epoll,
            bell,
            orders,
            board,
            pacing: Pacing::default(),
            next_snapshot: INTERVAL_NS,
        };
        Ok((driver, remote))
    }

    /// Runs until it is told to stop; gives the access point back.
    ///
    /// A station whose device is gone ends; the others go on.
    ///
    /// # Errors
    /// If the servers' device, or the access point's own, is gone.
    pub fn run(mut self) -> io::Result<AccessPoint> {
        let _end = End(self.board.clone());
        rustix::thread::set_current_timer_slack(Some(SLACK))?;
        // Before others on a busy machine; where that is not allowed, as others:
        // the pace will show it.
        let _ = real_time();
        let mut ready = Vec::with_capacity(64);
        loop {
            self.catch_up();
            if self.clock.now() >= self.next_snapshot {
                self.show()?;
            }
            let until = self.ap.next_event().min(self.next_snapshot);
            let wait = until.saturating_sub(self.clock.now());
            let timeout = Timespec { tv_sec: (wait / SECOND) as i64, tv_nsec: (wait % SECOND) as _ };
            ready.clear();
            match epoll::wait(&self.epoll, spare_capacity(&mut ready), Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
            for event in &ready {
                match event.data.u64() {
                    BELL => {
                        if self.obey()? {
                            self.catch_up();
                            return Ok(self.ap);
                        }
                    }
                    i => self.read(i as usize)?,
                }
            }
        }
    }

    /// Lets everything happen that is due, and hands over what has arrived.
    /// Gives the time up to which that is.
    fn catch_up(&mut self) -> u64 {
        let now = self.clock.now();
        self.ap.advance(now);
        while let Some((port, at, bytes)) = self.ap.transmit() {
            let late = self.clock.now().saturating_sub(at);
            self.pacing.handed_over(late);
            // Ports are in the order of `House::ports`.
            let i = match port {
                Port::Internet => 0,
                Port::AccessPoint => 1,
                Port::Station(i) => usize::from(i) + 2,
            };
            if self.wires[i].tun.as_ref().is_none_or(|tun| tun.send(bytes).is_err()) {
                self.ap.unwritten();
            }
        }
        now
    }

    fn read(&mut self, i: usize) -> io::Result<()> {
        // One byte more than fits: what is longer is seen to be.
        let mut buffer = [0; MTU + 1];
        for _ in 0..BURST {
            let Wire { port, tun: Some(tun), .. } = &self.wires[i] else { break };
            let port = *port;
            let bytes = match tun.recv(&mut buffer) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break,
                Err(e) => return self.lose(i, &e),
            };
            let now = self.catch_up();
            self.ap.receive(port, &buffer[..bytes], now);
        }
        Ok(())
    }

    /// A device cannot be read any more: somebody deleted it. Its file would be
    /// ready for ever, so it goes.
    fn lose(&mut self, i: usize, e: &io::Error) -> io::Result<()> {
        let wire = &mut self.wires[i];
        if let Some(tun) = wire.tun.take() {
            epoll::delete(&self.epoll, tun.as_fd())?;
        }
        let why = format!("its device {} is gone ({e})", wire.port.device());
        match wire.port {
            Port::Station(station) => {
                self.ap.advance(self.clock.now());
                self.ap.end_station(station.into(), &why);
                Ok(())
            }
            port => Err(io::Error::other(format!("{}: {why}", self.ap.house().netns(port)))),
        }
    }

    /// Does what was ordered; true if that is to stop.
    fn obey(&mut self) -> io::Result<bool> {
        let mut rings = [0; 8];
        match rustix::io::read(&*self.bell, &mut rings) {
            Ok(_) | Err(rustix::io::Errno::AGAIN) => {}
            Err(e) => return Err(e.into()),
        }
        while let Ok(message) = self.orders.try_recv() {
            match message {
                Message::Order(order) => {
                    self.ap.advance(self.clock.now());
                    order(&mut self.ap);
                }
                Message::Stop => return Ok(true),
            }
        }
        Ok(false)
    }

    fn show(&mut self) -> io::Result<()> {
        let cpu = clock_gettime(ClockId::ThreadCPUTime);
        let cpu_ns = cpu.tv_sec as u64 * SECOND + cpu.tv_nsec as u64;
        for wire in &mut self.wires {
            if let Some(tun) = &wire.tun {
                // Less is shown only when the device is going.
                wire.overflowed = wire.overflowed.max(tun.overflowed()?);
            }
        }
        let overflowed = self.wires.iter().map(|wire| wire.overflowed).sum();
        let mut snapshot = self.ap.snapshot();
        snapshot.pace = self.pacing.take(cpu_ns, snapshot.interval_s, overflowed);
        snapshot.apps.clone_from(&lock(&self.board.apps));
        self.ap.put_paths(&mut snapshot.apps);
        *lock(&self.board.latest) = Some(Arc::new(snapshot));
        self.board.fresh.notify_all();
        self.next_snapshot = self.clock.now() / INTERVAL_NS * INTERVAL_NS + INTERVAL_NS;
        Ok(())
    }
}

/// Tells everybody who waits for a snapshot that the driver has ended, also by
/// an error or a panic.
struct End(Arc<Board>);

impl Drop for End {
    fn drop(&mut self) {
        *lock(&self.0.latest) = None;
        self.0.fresh.notify_all();
    }
}

/// Puts this thread before all that are not real-time threads. It sleeps
/// between events, and the kernel keeps a share of the time for others.
pub(crate) fn real_time() -> Result<(), thread_priority::Error> {
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy)
}

/// Of the bell among the devices.
const BELL: u64 = u64::MAX;

/// A panic elsewhere leaves the value as it was: still good to show.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use airtab_scenario::ScenarioFile;
    use airtab_sim::Scored;

    /// A snapshot has what the applications feel and what their packets met, and the pace; the next one is due at the
    /// next full second.
    #[test]
    fn what_is_shown_has_applications_and_pace() {
        let text = "name = \"x\"\nduration = \"1s\"\n[[station]]\nname = \"tv\"\n\
            [[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"tv\"\n";
        let mut house = House::new(ScenarioFile::parse("x.toml", text).unwrap()).unwrap();
        house.file.scenario.scored = Scored::Down;
        let ap = AccessPoint::new(house, &"fifo".parse().unwrap(), 1).unwrap();
        let (mut driver, remote) = Driver::new(ap, Vec::new(), Clock::start()).unwrap();
        driver.pacing.handed_over(3_000_000);
        remote.show_apps(vec![AppView { name: "a".into(), ..AppView::default() }]);
        while driver.catch_up() == 0 {}
        driver.show().unwrap();
        let seen = remote.next_snapshot(&Arc::default()).unwrap();
        assert_eq!((seen.apps.len(), &*seen.apps[0].name, seen.apps[0].down_alone), (1, "a", true));
        assert!((seen.pace.late_max_s - 0.003).abs() < 1e-9 && seen.pace.behind == 1, "{:?}", seen.pace);
        assert_eq!((driver.next_snapshot, &*seen.house), (SECOND, "x"));
        driver.show().unwrap();
        let seen = remote.next_snapshot(&seen).unwrap();
        assert_eq!(seen.apps.len(), 1, "until it is told anew");
        // Applications that are shown no more are in the next one no more.
        remote.show_apps(Vec::new());
        driver.show().unwrap();
        let next = remote.next_snapshot(&seen).unwrap();
        assert!(next.apps.is_empty() && next.pace.late_p99_s == 0.0 && next.pace.behind == 1);
        drop(End(driver.board.clone()));
        assert!(lock(&driver.board.latest).is_none());
        assert!(remote.next_snapshot(&next).is_none());
    }
}
