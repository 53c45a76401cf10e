// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is taken of web pages by their size (CHAP dissertation 6.10): those up to
//! the median size, or those above it. Only pages that every discipline completed
//! with the same seed are looked at.
//!
//! What it does not do: it compares no disciplines (`judge`).

use airtab_quality::web::{self, Page};

use super::Pages;

impl Pages {
    /// Mean response time in s, one value for each seed; `seeds`: its pages. None where no page is left.
    pub(super) fn of(self, seeds: &[Vec<Page>]) -> Vec<Option<f64>> {
        let Some(median) = median_bytes(seeds) else { return vec![None; seeds.len()] };
        let of_seed = |pages: &Vec<Page>| {
            let wanted = |p: &&Page| (p.bytes <= median) == (self == Pages::Smaller);
            let wanted: Vec<Page> = pages.iter().filter(wanted).copied().collect();
            web::times(&wanted).map(|times| times.response)
        };
        seeds.iter().map(of_seed).collect()
    }
}

/// From the request to the last byte.
pub(super) fn response_ns(page: &Page) -> u64 {
    page.done_ns - page.requested_ns
}

/// The size that half of the pages of all seeds do not exceed; None without pages.
pub(super) fn median_bytes(seeds: &[Vec<Page>]) -> Option<u64> {
    let mut sizes: Vec<u64> = seeds.iter().flatten().map(|p| p.bytes).collect();
    sizes.sort_unstable();
    sizes.get(sizes.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of `bytes`, complete `ms` ms after its request.
    fn page((bytes, ms): (u64, u64)) -> Page {
        Page { number: 0, opened_ns: 0, requested_ns: 1_000_000, done_ns: (1 + ms) * 1_000_000, bytes }
    }

    #[test]
    fn halves_of_the_pages_of_all_seeds() {
        let seeds = [
            vec![(1000, 10), (2000, 30), (9000, 80)].into_iter().map(page).collect(),
            vec![(8000, 50)].into_iter().map(page).collect::<Vec<_>>(),
            vec![],
        ];
        assert_eq!(median_bytes(&seeds), Some(2000));
        assert_eq!(response_ns(&page((1, 30))), 30_000_000, "not from when it was opened");
        assert_eq!(Pages::Smaller.of(&seeds), [Some(0.020), None, None]);
        assert_eq!(Pages::Larger.of(&seeds), [Some(0.080), Some(0.050), None]);
        assert_eq!(Pages::Smaller.of(&[vec![]]), [None]);
    }
}
