// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What happened, in order, for somebody who takes all of it before the next thing happens.
//!
//! Unlike a ring it never wraps: it begins anew whenever it is empty, so it grows as long as
//! it is never emptied.

/// A queue that is emptied again and again.
#[derive(Debug)]
pub(crate) struct Outbox<T> {
    items: Vec<T>,
    /// The first one that nobody has taken.
    next: usize,
}

impl<T: Copy> Outbox<T> {
    /// Empty, with room for so many.
    pub(crate) fn with_capacity(items: usize) -> Outbox<T> {
        Outbox { items: Vec::with_capacity(items), next: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        if self.is_empty() {
            self.items.clear();
            self.next = 0;
        }
        self.items.push(item);
    }

    /// Takes the first one.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.pop_ref().copied()
    }

    /// Takes the first one, which stays in its place until another one comes.
    #[inline]
    pub(crate) fn pop_ref(&mut self) -> Option<&T> {
        let item = self.items.get(self.next)?;
        self.next += 1;
        Some(item)
    }

    /// How many nobody has taken.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.next
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.next == self.items.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_whenever_it_is_looked_at() {
        let mut outbox = Outbox::with_capacity(4);
        let mut taken = Vec::new();
        for i in 0..1000u32 {
            outbox.push(i);
            // None, some or all of those that wait: never more than three.
            taken.extend((0..i % 4).map_while(|_| outbox.pop()));
            assert_eq!(outbox.is_empty(), taken.len() == i as usize + 1);
        }
        taken.extend(std::iter::from_fn(|| outbox.pop()));
        assert!(taken.into_iter().eq(0..1000) && outbox.pop().is_none());
        assert!(outbox.items.capacity() <= 8, "it begins anew");
    }
}
