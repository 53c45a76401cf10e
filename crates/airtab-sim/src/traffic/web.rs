// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Web pages: the model of Lee and Gupta with the distributions of the CHAP
//! dissertation (6.1.4, table 6.1).
//!
//! A page is one TCP connection (NewReno) and so a new flow: the client connects,
//! sends a 350-byte request, gets the HTML object; if the page has embedded
//! objects, one more request brings all of them in one response (HTTP/1.1,
//! persistent and pipelined). Then the user reads, and opens the next page.
//!
//! Page n of an application is drawn from a stream of its own, so every
//! discipline sees the same pages however long they take. Draws above a maximum
//! are repeated. The response time counts from the request to the last byte.
//!
//! Instead of drawn pages, a user can visit the front page of one site again and
//! again ([`Site`], CHAP dissertation 7.3.2): first all its text, then the rest.
//!
//! What it does not do: one server, no parallel connections, no think time. (A
//! live access point loads the same objects over parallel connections.)

use super::{Application, Io, Kind, Progress, Seen, Setting};
use crate::engine::Stream;
use crate::tcp::Algorithm;
use airtab_core::time::SECOND;

/// One web page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageTrace {
    /// Its number: equal for equal pages under all disciplines.
    pub number: u32,
    /// All its objects together, bytes.
    pub bytes: u64,
    /// When the client began to connect, ns.
    pub opened_ns: u64,
    /// When it sent its request, ns.
    pub requested_ns: u64,
    /// When it had the last byte, ns.
    pub done_ns: u64,
}

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Web {
    /// Which pages.
    pub pages: Pages,
    /// Who loads them; the simulator has a client of its own.
    pub client: Client,
}

/// Size of each request, bytes.
pub const REQUEST: u64 = 350;

/// What one page holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    /// HTML object, bytes.
    pub html: u64,
    /// Embedded objects.
    pub objects: u32,
    /// All embedded objects together, bytes.
    pub embedded: u64,
    /// Time that the user reads it, ns.
    pub reading_ns: u64,
}

impl Page {
    /// Page `number` of application `app` in run `seed`.
    pub fn draw(seed: u64, app: &str, number: u32) -> Page {
        Page::draw_each(seed, app, number, |_| {})
    }

    /// The same; `each` is told the bytes of every embedded object.
    fn draw_each(seed: u64, app: &str, number: u32, mut each: impl FnMut(u64)) -> Page {
        let mut draws = Stream::new(seed, &format!("app/{app}/page/{number}"));
        let mut up_to = |max: f64, draw: &mut dyn FnMut(&mut Stream) -> f64| loop {
            let x = draw(&mut draws);
            if x <= max {
                return x;
            }
        };
        let html = up_to(2e6, &mut |s| s.lognormal(7.90272, 1.7643));
        let objects = libm::round(up_to(300.0, &mut |s| s.gamma(0.141_385, 40.3257))) as u32;
        let object = |s: &mut Stream| s.lognormal(7.51384, 2.17454);
        let embedded = (0..objects).map(|_| bytes(up_to(6e6, &mut { object }))).inspect(|x| each(*x)).sum();
        let reading = up_to(1e4, &mut |s| s.lognormal(-0.495_204, 2.7731));
        Page { html: bytes(html), objects, embedded, reading_ns: (reading * 1e9) as u64 }
    }
}

/// Which pages a user opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Those of the model above.
    Drawn,
    /// The same site again and again.
    Site {
        /// Which one.
        site: Site,
        /// From the last byte of a visit to the next visit, ns.
        reading_ns: u64,
    },
}

/// What a site's front page consists of (CHAP dissertation 7.3.2, table 7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Text objects: the page itself, style sheets, scripts.
    pub text_objects: u32,
    /// All of them together, bytes.
    pub text_bytes: u64,
    /// Images and the like.
    pub other_objects: u32,
    /// All of them together, bytes.
    pub other_bytes: u64,
}

impl Site {
    /// The sites of the study, in 2010. Its KB are taken for 1000 bytes.
    pub const ALL: [Site; 4] = [
        Site::new("google-news", (2, 146), (4, 9)),
        Site::new("yahoo", (6, 45), (48, 277)),
        Site::new("wsj", (19, 97), (132, 652)),
        Site::new("cnn", (33, 190), (103, 952)),
    ];

    const fn new(name: &'static str, text: (u32, u64), other: (u32, u64)) -> Site {
        let (text_objects, other_objects) = (text.0, other.0);
        Site { name, text_objects, text_bytes: text.1 * 1000, other_objects, other_bytes: other.1 * 1000 }
    }
}

/// The objects of one page, bytes each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// Text, the page itself first.
    pub text: Vec<u64>,
    /// What it embeds.
    pub embedded: Vec<u64>,
}

impl Pages {
    /// Page `number` of application `app` in run `seed`. All text of a site is
    /// one object here, as is all that is embedded.
    pub fn page(&self, seed: u64, app: &str, number: u32) -> Page {
        match self {
            Pages::Drawn => Page::draw(seed, app, number),
            Pages::Site { site, reading_ns } => Page {
                html: site.text_bytes,
                objects: site.other_objects,
                embedded: site.other_bytes,
                reading_ns: *reading_ns,
            },
        }
    }

    /// The same page object by object. Those of a site are equal to a byte.
    pub fn objects(&self, seed: u64, app: &str, number: u32) -> Objects {
        match self {
            Pages::Drawn => {
                let mut embedded = Vec::new();
                let page = Page::draw_each(seed, app, number, |bytes| embedded.push(bytes));
                Objects { text: vec![page.html], embedded }
            }
            Pages::Site { site, .. } => Objects {
                text: split(site.text_bytes, site.text_objects),
                embedded: split(site.other_bytes, site.other_objects),
            },
        }
    }
}

/// `total` in `n` equal parts; what is left goes to the first ones, a byte each.
fn split(total: u64, n: u32) -> Vec<u64> {
    let n = u64::from(n);
    (0..n).map(|i| total / n + u64::from(i < total % n)).collect()
}

/// Who loads the pages of a live access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// airtab's own loader: HTTP/1.1 over up to six connections.
    Loader,
    /// A headless Chromium.
    Chromium,
}

impl Client {
    /// Every variant with its name in scenario files.
    pub const NAMES: [(&'static str, Client); 2] =
        [("loader", Client::Loader), ("chromium", Client::Chromium)];
}

/// Whole bytes, at least one.
fn bytes(x: f64) -> u64 {
    libm::round(x).max(1.0) as u64
}

impl Kind for Web {
    type Application = Browser;
    const PORT: u16 = 443;

    /// NewReno, as the CHAP study has it, where downloads have CUBIC.
    fn congestion(&self, default: Algorithm) -> Option<Algorithm> {
        Some(match default {
            Algorithm::Cubic => Algorithm::NewReno,
            other => other,
        })
    }

    fn user(&self, setting: &Setting) -> Browser {
        Browser {
            pages: self.pages,
            seed: setting.seed,
            name: setting.name(),
            numbers: (setting.user, setting.users),
            next: 0,
            visit: None,
            done: Vec::with_capacity(setting.room(setting.active_ns / PAGE_NS + 8)),
        }
    }
}

/// Drawn pages take longer on the mean: room for them all.
const PAGE_NS: u64 = 20 * SECOND;

/// One user's browser, and its servers.
#[derive(Debug)]
pub struct Browser {
    pages: Pages,
    seed: u64,
    name: String,
    /// His own number, and how many users there are: no two have a page of the same number.
    numbers: (u32, u32),
    next: u32,
    visit: Option<Visit>,
    done: Vec<PageTrace>,
}

/// A page on its way.
#[derive(Debug)]
struct Visit {
    page: Page,
    trace: PageTrace,
    /// Responses that the server has started.
    answered: u64,
    asked: u64,
}

impl Application for Browser {
    fn start(&mut self, io: &mut Io) {
        let (user, users) = self.numbers;
        let (page, number) = (self.pages.page(self.seed, &self.name, self.next), self.next * users + user);
        let bytes = page.html + page.embedded;
        let trace = PageTrace { number, bytes, opened_ns: io.now(), requested_ns: 0, done_ns: 0 };
        self.visit = Some(Visit { page, trace, answered: 0, asked: 1 });
        self.next += 1;
        io.open(0, 0, REQUEST);
    }

    /// He has read the page, and opens the next one.
    fn timer(&mut self, _: u64, _: u16, io: &mut Io) {
        self.start(io);
    }

    fn progress(&mut self, flow: u16, at: &Progress, io: &mut Io) {
        let Some(visit) = &mut self.visit else { return };
        if visit.trace.requested_ns == 0 && at.established {
            visit.trace.requested_ns = io.now();
        }
        if visit.answered < 2 && at.at_server >= REQUEST * (visit.answered + 1) {
            io.write(flow, false, if visit.answered == 0 { visit.page.html } else { visit.page.embedded });
            visit.answered += 1;
        }
        if visit.asked == 1 && visit.page.objects > 0 && at.at_client >= visit.page.html {
            io.write(flow, true, REQUEST);
            visit.asked = 2;
        }
        if at.at_client == visit.trace.bytes {
            io.timer(io.now() + visit.page.reading_ns, 0);
            self.done.push(PageTrace { done_ns: io.now(), ..visit.trace });
            self.visit = None;
        }
    }

    fn seen(&mut self) -> Seen {
        Seen { pages: std::mem::take(&mut self.done), ..Seen::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fits' own means and medians (not those of the data they were fitted to).
    #[test]
    fn pages_follow_the_fitted_distributions() {
        let mut pages: Vec<_> = (0..100_000).map(|n| Page::draw(1, "web", n)).collect();
        let n = pages.len() as f64;
        let mean = |f: fn(&Page) -> f64| pages.iter().map(f).sum::<f64>() / n;
        assert!((mean(|p| p.html as f64) / 12_519.0 - 1.0).abs() < 0.03);
        assert!((mean(|p| p.objects.into()) / 5.70 - 1.0).abs() < 0.03);
        assert!((mean(|p| p.reading_ns as f64 / 1e9) / 21.8 - 1.0).abs() < 0.25, "heavy tail");
        let per_object = mean(|p| p.embedded as f64) / mean(|p| p.objects.into());
        assert!((per_object / 18_314.0 - 1.0).abs() < 0.05, "{per_object}");
        let none = pages.iter().filter(|p| p.objects == 0).count() as f64 / n;
        assert!((none - 0.57).abs() < 0.01, "{none} without objects");
        pages.sort_by_key(|p| p.html);
        assert!((pages[pages.len() / 2].html as f64 / 2_705.0 - 1.0).abs() < 0.02);
        pages.sort_by_key(|p| p.reading_ns);
        assert!((pages[pages.len() / 2].reading_ns as f64 / 0.61e9 - 1.0).abs() < 0.03);
    }

    #[test]
    fn the_objects_of_a_page_are_the_page() {
        let sum = |sizes: &[u64]| sizes.iter().sum::<u64>();
        for number in 0..200 {
            let (page, objects) = (Page::draw(1, "web", number), Pages::Drawn.objects(1, "web", number));
            assert_eq!((objects.text.as_slice(), sum(&objects.embedded)), (&[page.html][..], page.embedded));
            assert_eq!(objects.embedded.len() as u32, page.objects);
        }
        let cnn = Pages::Site { site: Site::ALL[3], reading_ns: 7 };
        let (page, objects) = (cnn.page(1, "web", 0), cnn.objects(1, "web", 0));
        assert_eq!((page.html + page.embedded, page.reading_ns), (1_142_000, 7));
        assert_eq!((objects.text.len(), objects.embedded.len()), (33, 103));
        assert_eq!((sum(&objects.text), sum(&objects.embedded)), (page.html, page.embedded));
        assert_eq!((objects.text[18], objects.text[19]), (5758, 5757), "190,000 = 33 x 5757 + 19");
    }

    #[test]
    fn a_page_depends_on_its_number_only() {
        assert_eq!(Page::draw(1, "web", 7), Page::draw(1, "web", 7));
        assert_ne!(Page::draw(1, "web", 7), Page::draw(1, "web", 8));
        assert_ne!(Page::draw(1, "web", 7), Page::draw(2, "web", 7));
    }
}
