// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Web response time (CHAP dissertation 2.5, 6.7): from the request of a page to
//! its last byte.
//!
//! Pages differ by orders of magnitude in size, and a faster network completes
//! more of them in the same time: means over different pages say nothing. So
//! what is compared is the pages that all completed ([`common`]).
//!
//! What it does not do: no weights, no percentiles.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::NS_PER_S;
use crate::window::Window;

/// One page that was completed. Serialised as the list of its values, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u64, u64, u64, u64)", into = "(u32, u64, u64, u64, u64)")]
pub struct Page {
    /// Which page: equal for equal pages.
    pub number: u32,
    /// When its connection was opened, ns.
    pub opened_ns: u64,
    /// When it was requested, ns.
    pub requested_ns: u64,
    /// When its last byte arrived, ns.
    pub done_ns: u64,
    /// Its size, bytes.
    pub bytes: u64,
}

impl From<(u32, u64, u64, u64, u64)> for Page {
    fn from((number, opened_ns, requested_ns, done_ns, bytes): (u32, u64, u64, u64, u64)) -> Page {
        Page { number, opened_ns, requested_ns, done_ns, bytes }
    }
}

impl From<Page> for (u32, u64, u64, u64, u64) {
    fn from(page: Page) -> Self {
        (page.number, page.opened_ns, page.requested_ns, page.done_ns, page.bytes)
    }
}

/// Means over some pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// From request to last byte, s.
    pub response: f64,
    /// The same with the handshake before it, s.
    pub with_handshake: f64,
    /// Size, bytes.
    pub bytes: f64,
}

/// The pages requested within the window.
pub fn requested(pages: &[Page], window: Window) -> Vec<Page> {
    pages.iter().filter(|p| window.contains(p.requested_ns)).copied().collect()
}

/// The pages of one list whose numbers are in all of `lists`, in their order in
/// that list; no list need be in the order of numbers.
pub fn common(pages: &[Page], lists: &[Vec<Page>]) -> Vec<Page> {
    let numbers = |list: &Vec<Page>| list.iter().map(|page| page.number).collect::<HashSet<u32>>();
    let lists: Vec<_> = lists.iter().map(numbers).collect();
    let in_all = |page: &&Page| lists.iter().all(|list| list.contains(&page.number));
    pages.iter().filter(in_all).copied().collect()
}

/// Means over pages; None for none.
pub fn times(pages: &[Page]) -> Option<Times> {
    let mean = |f: fn(&Page) -> u64| {
        let sum: u128 = pages.iter().map(|p| u128::from(f(p))).sum();
        sum as f64 / pages.len() as f64
    };
    (!pages.is_empty()).then(|| Times {
        response: mean(|p| p.done_ns - p.requested_ns) / NS_PER_S,
        with_handshake: mean(|p| p.done_ns - p.opened_ns) / NS_PER_S,
        bytes: mean(|p| p.bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Opened 2 ms before its request at `at` ms, complete `took` ms after it.
    fn page(number: u32, at: u64, took: u64) -> Page {
        let requested_ns = at * MS;
        let done_ns = requested_ns + took * MS;
        Page { number, opened_ns: requested_ns - 2 * MS, requested_ns, done_ns, bytes: 1000 * took }
    }

    #[test]
    fn means_with_and_without_handshake() {
        let t = times(&[page(0, 10, 40), page(1, 100, 60)]).unwrap();
        assert_eq!((t.response, t.with_handshake, t.bytes), (0.050, 0.052, 50_000.0));
        assert_eq!(times(&[]), None);
    }

    #[test]
    fn the_request_decides_whether_a_page_counts() {
        let pages = [page(0, 9, 40), page(1, 10, 60), page(2, 19, 1000), page(3, 20, 1)];
        let window = Window::new(10 * MS, 20 * MS).unwrap();
        assert_eq!(requested(&pages, window), pages[1..3], "also if it is done after the window");
    }

    #[test]
    fn only_pages_that_all_completed_are_common() {
        let slow = vec![page(3, 10, 90), page(4, 200, 80)];
        let fast = vec![page(3, 10, 30), page(4, 100, 20), page(5, 150, 5)];
        let lists = [slow.clone(), fast.clone()];
        assert_eq!(common(&slow, &lists), slow);
        assert_eq!(common(&fast, &lists), fast[..2]);
        assert_eq!(common(&fast, std::slice::from_ref(&fast)), fast, "alone, its own");
        assert_eq!(common(&fast, &[fast.clone(), Vec::new()]), [], "one that completed none");
    }

    /// Several users' pages come in the order of their completion, each with numbers of his own.
    #[test]
    fn the_order_of_pages_does_not_matter() {
        let one = vec![page(0, 10, 20), page(2, 40, 20), page(1, 10, 90), page(4, 80, 50), page(3, 130, 9)];
        let other = vec![page(1, 10, 10), page(3, 30, 20), page(0, 10, 80), page(5, 90, 5), page(2, 100, 20)];
        let numbers = |pages: &[Page]| pages.iter().map(|p| p.number).collect::<Vec<_>>();
        let lists = [one.clone(), other.clone()];
        assert_eq!(numbers(&common(&one, &lists)), [0, 2, 1, 3]);
        assert_eq!(numbers(&common(&other, &lists)), [1, 3, 0, 2]);
    }
}
