//! Events in order of time; events of equal time in the order of their making.
//!
//! A 4-ary heap of plain data: no boxes, no closures, no cancellation (a timer
//! that moved is looked at again when it fires). Once grown, it does not
//! allocate.

/// A queue of events of type `E`.
pub struct EventQueue<E> {
    heap: Vec<Entry<E>>,
    made: u64,
}

#[derive(Clone, Copy)]
struct Entry<E> {
    at: u64,
    order: u64,
    event: E,
}

impl<E: Copy> Entry<E> {
    fn before(&self, other: &Entry<E>) -> bool {
        (self.at, self.order) < (other.at, other.order)
    }
}

const WIDTH: usize = 4;

impl<E: Copy> EventQueue<E> {
    /// An empty queue.
    pub fn new() -> EventQueue<E> {
        EventQueue { heap: Vec::with_capacity(1024), made: 0 }
    }

    /// Adds an event at `at`, ns.
    pub fn push(&mut self, at: u64, event: E) {
        let entry = Entry { at, order: self.made, event };
        self.made += 1;
        let mut hole = self.heap.len();
        self.heap.push(entry);
        while hole > 0 {
            let parent = (hole - 1) / WIDTH;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = entry;
    }

    /// Time of the first event, or [`super::NEVER`].
    pub fn next_at(&self) -> u64 {
        self.heap.first().map_or(super::NEVER, |e| e.at)
    }

    /// Takes the first event.
    pub fn pop(&mut self) -> Option<(u64, E)> {
        let first = *self.heap.first()?;
        let last = self.heap.pop().expect("not empty");
        if !self.heap.is_empty() {
            self.sink(last);
        }
        Some((first.at, first.event))
    }

    /// Puts `entry` where the first one was.
    fn sink(&mut self, entry: Entry<E>) {
        let heap = &mut self.heap[..];
        let mut hole = 0;
        loop {
            let first = hole * WIDTH + 1;
            if first >= heap.len() {
                break;
            }
            let mut best = first;
            for child in first + 1..(first + WIDTH).min(heap.len()) {
                if heap[child].before(&heap[best]) {
                    best = child;
                }
            }
            if !heap[best].before(&entry) {
                break;
            }
            heap[hole] = heap[best];
            hole = best;
        }
        heap[hole] = entry;
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        EventQueue::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_keep_their_order() {
        let mut queue = EventQueue::new();
        for i in 0..1000u32 {
            queue.push(u64::from(i % 7), i);
        }
        let mut popped = Vec::new();
        while let Some(entry) = queue.pop() {
            popped.push(entry);
        }
        let mut sorted: Vec<_> = (0..1000u32).map(|i| (u64::from(i % 7), i)).collect();
        sorted.sort_by_key(|e| e.0); // stable
        assert_eq!(popped, sorted);
        assert_eq!(queue.next_at(), crate::engine::NEVER);
    }
}
