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
//! What it does not do: one server, no parallel connections, no think time.

use crate::engine::Stream;
use crate::trace::PageTrace;
use crate::traffic::download::Connection;

/// Server port.
pub const PORT: u16 = 443;
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
        let embedded = (0..objects).map(|_| bytes(up_to(6e6, &mut { object }))).sum();
        let reading = up_to(1e4, &mut |s| s.lognormal(-0.495_204, 2.7731));
        Page { html: bytes(html), objects, embedded, reading_ns: (reading * 1e9) as u64 }
    }
}

/// Whole bytes, at least one.
fn bytes(x: f64) -> u64 {
    libm::round(x).max(1.0) as u64
}

/// A page on its way.
pub(crate) struct Visit {
    page: Page,
    trace: PageTrace,
    /// Responses that the server has started.
    answered: u64,
    asked: u64,
}

impl Visit {
    /// Opens page `number` at `now`; the connection is the caller's to make.
    pub(crate) fn open(page: Page, number: u32, now: u64, connection: &mut Connection) -> Visit {
        connection.client.endpoint.write(REQUEST);
        let bytes = page.html + page.embedded;
        let trace = PageTrace { number, bytes, opened_ns: now, requested_ns: 0, done_ns: 0 };
        Visit { page, trace, answered: 0, asked: 1 }
    }

    /// Looks at both ends after something arrived: whether it is complete.
    pub(crate) fn progress(&mut self, now: u64, connection: &mut Connection) -> Option<PageTrace> {
        let (client, server) = (&mut connection.client.endpoint, &mut connection.server.endpoint);
        if self.trace.requested_ns == 0 && client.established() {
            self.trace.requested_ns = now;
        }
        if self.answered < 2 && server.delivered() >= REQUEST * (self.answered + 1) {
            server.write(if self.answered == 0 { self.page.html } else { self.page.embedded });
            self.answered += 1;
        }
        if self.asked == 1 && self.page.objects > 0 && client.delivered() >= self.page.html {
            client.write(REQUEST);
            self.asked = 2;
        }
        (client.delivered() == self.trace.bytes).then_some(PageTrace { done_ns: now, ..self.trace })
    }

    /// How long its reader will take, ns.
    pub(crate) fn reading_ns(&self) -> u64 {
        self.page.reading_ns
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
    fn a_page_depends_on_its_number_only() {
        assert_eq!(Page::draw(1, "web", 7), Page::draw(1, "web", 7));
        assert_ne!(Page::draw(1, "web", 7), Page::draw(1, "web", 8));
        assert_ne!(Page::draw(1, "web", 7), Page::draw(2, "web", 7));
    }
}
