// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A crowd of web browsers: what M. Parris, "Class-Based Thresholds", UNC 2001, section A.3.4.1, loads a link with.
//!
//! The study runs Mah's model of 1997 as Christiansen and others (2000) have it, and prints of it no distribution, but what
//! 3000 browsers load a link with: 1.1 MB/s, in proportion to their number. So this is a substitute with the same parts: a browser
//! thinks for an exponential time, then loads a page of a geometric number of objects, the first one alone, then up to
//! `parallel` at once, each over a TCP connection of its own; with the last byte of the last one it thinks again. An object is
//! lognormal, cut at a largest size, and has a header. The defaults were fitted to the load alone.
//!
//! All browsers of a user are one application, which has so many connections: one that is over is free for any of
//! them, the one that is over for longest first, and a browser that finds none waits for the next. So a browser that thinks costs next to
//! nothing. Page n of a browser is drawn from a stream of its own and so is each of its objects, however long they take.
//!
//! What it does not do: no caches, no connection used twice, nobody who gives up, no end of a connection on the wire. A browser
//! begins with thinking, so that the load is a steady one from the first minute on.

use std::collections::VecDeque;
use std::fmt::Write;

use airtab_core::time::SECOND;

use super::udp::exponential;
use super::web::PageTrace;
use super::{Application, Broken, Io, Kind, Progress, Seen, Setting};
use crate::engine::Stream;
use crate::tcp::Algorithm;

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Http {
    /// Browsers of a user.
    pub browsers: u16,
    /// Connections that they have at a time, at most.
    pub connections: u16,
    /// Mean time from a page to the next, ns.
    pub think_ns: u64,
    /// Mean number of a page's objects, millionths.
    pub objects_ppm: u64,
    /// Objects of a page at a time, at most, once the first has come.
    pub parallel: u16,
    /// An object's bytes: median of the distribution.
    pub median_bytes: u32,
    /// Standard deviation of their logarithm, millionths.
    pub sigma_ppm: u32,
    /// Larger ones are cut to that, bytes.
    pub largest_bytes: u32,
    /// Its header, bytes.
    pub header_bytes: u32,
    /// What is sent for it, bytes.
    pub request_bytes: u32,
}

impl Http {
    /// The study's: 1.1 MB/s of 3000 browsers.
    pub const STUDY: Http = Http {
        browsers: 3000,
        connections: 3000,
        think_ns: 43 * SECOND,
        objects_ppm: 3_000_000,
        parallel: 4,
        median_bytes: 1700,
        sigma_ppm: 1_450_000,
        largest_bytes: 200_000,
        header_bytes: 250,
        request_bytes: 350,
    };

    /// Parts of 1.
    const MILLION: f64 = 1e6;

    /// How long somebody thinks, ns, and how many objects the page has that comes then.
    fn page(&self, draws: &mut Stream) -> (u64, u16) {
        let think = libm::round(self.think_ns as f64 * exponential(draws)) as u64;
        let more = 1.0 - Http::MILLION / self.objects_ppm as f64;
        let objects = match more > 0.0 {
            true => 1.0 + libm::floor(libm::log(1.0 - draws.unit()) / libm::log(more)),
            false => 1.0,
        };
        (think, objects.min(f64::from(u16::MAX)) as u16)
    }

    /// Bytes of an object with its header.
    fn object(&self, draws: &mut Stream) -> u32 {
        let sigma = f64::from(self.sigma_ppm) / Http::MILLION;
        let bytes = draws.lognormal(libm::log(self.median_bytes.into()), sigma);
        libm::round(bytes.min(self.largest_bytes.into())).max(1.0) as u32 + self.header_bytes
    }
}

impl Kind for Http {
    type Application = Crowd;
    const PORT: u16 = 80;
    /// Its flows are no bulk: nobody asks how evenly they share.
    const VOLUMES: bool = false;

    fn check(&self) -> Result<(), Broken> {
        Broken::unless(self.browsers > 0, "browsers", "0: at least 1")?;
        Broken::unless(self.connections > 0, "connections", "0: at least 1, or no object comes")?;
        Broken::unless(self.parallel > 0, "parallel", "0: at least 1, or no page is ever whole")?;
        Broken::unless(self.objects_ppm >= 1_000_000, "objects", "a page has at least one object: a mean from 1 on")?;
        Broken::unless(self.median_bytes > 0, "object_bytes", "0 bytes are no object: at least 1")?;
        let said = format!("{} bytes cut most objects: at least object_bytes, {}", self.largest_bytes, self.median_bytes);
        Broken::unless(self.largest_bytes >= self.median_bytes, "object_most", said)?;
        Broken::unless(self.request_bytes > 0, "request", "0 bytes ask for nothing: at least 1")
    }

    fn flows(&self) -> u16 {
        self.connections
    }

    fn congestion(&self, default: Algorithm) -> Option<Algorithm> {
        Some(default)
    }

    fn user(&self, setting: &Setting) -> Crowd {
        let all = u32::from(self.browsers);
        let pages = setting.active_ns / self.think_ns.max(SECOND) + 1;
        let name = format!("app/{}", setting.name());
        Crowd {
            own: *self,
            seed: setting.seed,
            named: name.len(),
            name,
            numbers: (setting.user.wrapping_mul(all), setting.users.wrapping_mul(all)),
            browsers: vec![Browser::default(); all as usize],
            connections: vec![Connection::default(); self.connections.into()],
            free: (0..self.connections).collect(),
            waiting: VecDeque::with_capacity(all as usize),
            done: Vec::with_capacity(setting.room(pages * u64::from(all))),
        }
    }
}

/// One browser: between two pages, or at one.
#[derive(Clone, Copy, Debug, Default)]
struct Browser {
    /// The page's number, and its objects: all, asked for, arrived.
    page: u32,
    objects: u16,
    asked: u16,
    arrived: u16,
    /// It is among those that wait for a connection.
    waits: bool,
    opened_ns: u64,
    requested_ns: u64,
    bytes: u64,
}

impl Browser {
    /// Whether it would ask for one more now.
    fn wants(&self, parallel: u16) -> bool {
        let at_once = if self.arrived == 0 { 1 } else { parallel };
        self.asked < self.objects && self.asked - self.arrived < at_once
    }
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    browser: u16,
    state: State,
    /// Of the object, with its header.
    bytes: u32,
}

/// How far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// All has arrived, or it never began.
    #[default]
    Over,
    /// The request is on its way.
    Asked,
    /// The object is.
    Answered,
}

/// The browsers of one user, and their servers.
#[derive(Debug)]
pub struct Crowd {
    own: Http,
    seed: u64,
    /// Of random streams; its first part is the user's.
    name: String,
    named: usize,
    /// Number of his first browser, and how many all users have.
    numbers: (u32, u32),
    browsers: Vec<Browser>,
    connections: Vec<Connection>,
    /// Connections that are over, the oldest first.
    free: VecDeque<u16>,
    /// Browsers that want one, first come, first served.
    waiting: VecDeque<u16>,
    done: Vec<PageTrace>,
}

impl Crowd {
    /// The stream of a browser's page, or of an object of it.
    fn draws(&mut self, browser: u16, page: u32, object: Option<u16>) -> Stream {
        self.name.truncate(self.named);
        // Into a text that is there already: nothing is allocated, and nothing fails.
        let _ = write!(self.name, "/browser/{browser}/page/{page}");
        if let Some(object) = object {
            let _ = write!(self.name, "/object/{object}");
        }
        Stream::new(self.seed, &self.name)
    }

    /// A browser begins to think before page `page`.
    fn think(&mut self, browser: u16, page: u32, io: &mut Io) {
        let mut draws = self.draws(browser, page, None);
        let (think, objects) = self.own.page(&mut draws);
        self.browsers[usize::from(browser)] = Browser { page, objects, ..Browser::default() };
        io.timer(io.now() + think, browser);
    }

    /// Connections for those that want one, as far as there are any.
    fn serve(&mut self, io: &mut Io) {
        while let (Some(&browser), false) = (self.waiting.front(), self.free.is_empty()) {
            self.waiting.pop_front();
            let at = &mut self.browsers[usize::from(browser)];
            (at.waits, at.asked) = (false, at.asked + 1);
            let (page, number) = (at.page, at.asked - 1);
            let mut draws = self.draws(browser, page, Some(number));
            let bytes = self.own.object(&mut draws);
            self.browsers[usize::from(browser)].bytes += u64::from(bytes);
            if let Some(flow) = self.free.pop_front() {
                self.connections[usize::from(flow)] = Connection { browser, state: State::Asked, bytes };
                io.open(flow, 0, self.own.request_bytes.into());
            }
            self.queue(browser);
        }
    }

    /// A browser waits for a connection, if it wants one.
    fn queue(&mut self, browser: u16) {
        let at = &mut self.browsers[usize::from(browser)];
        if !at.waits && at.wants(self.own.parallel) {
            at.waits = true;
            self.waiting.push_back(browser);
        }
    }

    /// An object of a browser has arrived.
    fn arrived(&mut self, browser: u16, io: &mut Io) {
        let at = &mut self.browsers[usize::from(browser)];
        at.arrived += 1;
        if at.arrived == at.objects {
            let Browser { page, bytes, opened_ns, requested_ns, .. } = *at;
            let number = page.wrapping_mul(self.numbers.1).wrapping_add(self.numbers.0 + u32::from(browser));
            self.done.push(PageTrace { number, bytes, opened_ns, requested_ns, done_ns: io.now() });
            self.think(browser, page.wrapping_add(1), io);
        } else {
            self.queue(browser);
        }
        self.serve(io);
    }
}

impl Application for Crowd {
    fn start(&mut self, io: &mut Io) {
        for browser in 0..self.own.browsers {
            self.think(browser, 0, io);
        }
    }

    /// A browser has thought.
    fn timer(&mut self, _: u64, browser: u16, io: &mut Io) {
        self.browsers[usize::from(browser)].opened_ns = io.now();
        self.queue(browser);
        self.serve(io);
    }

    fn progress(&mut self, flow: u16, at: &Progress, io: &mut Io) {
        let Connection { browser, state, bytes } = self.connections[usize::from(flow)];
        let connection = &mut self.connections[usize::from(flow)];
        match state {
            State::Over => {}
            State::Asked => {
                let of = &mut self.browsers[usize::from(browser)];
                if of.requested_ns == 0 && at.established {
                    of.requested_ns = io.now();
                }
                if at.at_server >= self.own.request_bytes.into() {
                    connection.state = State::Answered;
                    io.write(flow, false, bytes.into());
                }
            }
            State::Answered if at.at_client >= bytes.into() => {
                connection.state = State::Over;
                self.free.push_back(flow);
                self.arrived(browser, io);
            }
            State::Answered => {}
        }
    }

    fn seen(&mut self) -> Seen {
        Seen { pages: std::mem::take(&mut self.done), ..Seen::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of the standard normal distribution below `x`.
    fn phi(x: f64) -> f64 {
        0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
    }

    fn mean(values: impl Iterator<Item = f64>) -> f64 {
        let (n, sum) = values.fold((0.0, 0.0), |(n, sum), x| (n + 1.0, sum + x));
        sum / n
    }

    /// 4804 bytes on the mean with the cut at 200 kB, where there were 4864 without; half of them below the median.
    #[test]
    fn objects_have_the_moments_of_their_distribution() {
        let (own, sigma, median, most) = (Http::STUDY, 1.45, 1700.0_f64, 200_000.0_f64);
        let cut = libm::log(most / median) / sigma;
        let expected =
            median * libm::exp(sigma * sigma / 2.0) * phi(cut - sigma) + most * (1.0 - phi(cut));
        assert!((expected - 4804.0).abs() < 2.0, "{expected}");
        let mut draws = Stream::new(1, "objects");
        let sizes: Vec<f64> = (0..400_000).map(|_| f64::from(own.object(&mut draws) - 250)).collect();
        // A standard error of 0.35 %.
        let drawn = mean(sizes.iter().copied());
        assert!((drawn / expected - 1.0).abs() < 0.012, "{drawn}");
        let below = mean(sizes.iter().map(|bytes| f64::from(u8::from(*bytes < median))));
        assert!((below - 0.5).abs() < 0.004, "{below}");
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        assert_eq!(largest, most, "one in 2000 is cut");
        // 1448 bytes of a segment: 3.99 data frames a connection, 5388 bytes of Ethernet frames with a SYN-ACK of 74.
        let frames = mean(sizes.iter().map(|bytes| ((bytes + 250.0) / 1448.0).ceil()));
        assert!((frames / 3.99 - 1.0).abs() < 0.01, "{frames}");
        let bytes = drawn + 250.0 + 66.0 * frames + 74.0;
        assert!((bytes / 5388.0 - 1.0).abs() < 0.012, "{bytes}");
    }

    #[test]
    fn pages_have_a_geometric_number_of_objects() {
        let (own, mut draws) = (Http::STUDY, Stream::new(1, "pages"));
        let pages: Vec<(u64, u16)> = (0..200_000).map(|_| own.page(&mut draws)).collect();
        let think = mean(pages.iter().map(|(ns, _)| *ns as f64 / 1e9));
        assert!((think / 43.0 - 1.0).abs() < 0.01, "{think}");
        let long = mean(pages.iter().map(|(ns, _)| f64::from(u8::from(*ns > 86 * SECOND))));
        assert!((long - libm::exp(-2.0)).abs() < 0.003, "{long}");
        let objects = mean(pages.iter().map(|(_, n)| f64::from(*n)));
        assert!((objects / 3.0 - 1.0).abs() < 0.01, "{objects}");
        for n in 1..6u16 {
            let share = mean(pages.iter().map(|(_, of)| f64::from(u8::from(*of == n))));
            assert!((share - libm::pow(2.0 / 3.0, f64::from(n) - 1.0) / 3.0).abs() < 0.004, "{n}: {share}");
        }
        let one = Http { objects_ppm: 1_000_000, ..own };
        assert!((0..100).all(|_| one.page(&mut draws).1 == 1));
    }

    #[test]
    fn what_is_no_crowd_is_refused() {
        let good = Http::STUDY;
        assert_eq!(good.check(), Ok(()));
        for (bad, says) in [
            (Http { browsers: 0, ..good }, "browsers: 0: at least 1"),
            (Http { connections: 0, ..good }, "connections: 0: at least 1"),
            (Http { parallel: 0, ..good }, "parallel: 0: at least 1"),
            (Http { objects_ppm: 999_999, ..good }, "objects: a page has at least one"),
            (Http { median_bytes: 0, ..good }, "object_bytes: 0 bytes"),
            (Http { largest_bytes: 1699, ..good }, "object_most: 1699 bytes cut most objects: at least object_bytes, 1700"),
            (Http { request_bytes: 0, ..good }, "request: 0 bytes"),
        ] {
            let said = bad.check().unwrap_err().to_string();
            assert!(said.starts_with(says), "{said}");
        }
    }
}
