// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A histogram of times in little memory.
//!
//! Bins as in G. Tene's HdrHistogram ("A High Dynamic Range Histogram", hdrhistogram.org) with a lowest time of 1 us:
//! equally wide up to the first power of two, and from there on as many in each further octave, so that every time is
//! known to 2 or 3 significant digits. Its quantiles, mean and maximum are those of that library to the last digit, for
//! times up to the highest and beyond (`tests/it/histogram.rs` compares them).
//!
//! The library holds a counter of 8 bytes for every bin that there may be: 156 kB from 1 us to 100 s. Here bins come in
//! blocks that exist from their first time on, a counter has 2 bytes, and the few that need more have an entry in a list.
//! Nothing is allocated before the first time, and after it nothing while times lie in no more blocks than it made room
//! for.
//!
//! What it does not do: no order in time; nothing is ever taken out but all at once.

/// Bins of a block.
const BLOCK: usize = 64;
/// Octaves that the first time makes room for, and by how many the room grows: of 3 digits as from 0 to 32 ms.
const ROOM: usize = 7;
/// Counters that may overflow before their list grows.
const CARRIES: usize = 8;
/// What an overflow of a counter is worth.
const CARRY: u64 = 1 << u16::BITS;
/// log2 of the narrowest bin, ns.
const UNIT_BITS: u32 = 9;

/// Times in ns, of which quantiles, mean and maximum can be told.
#[derive(Clone, Debug)]
pub struct Histogram {
    highest_ns: u64,
    /// log2 of the bins of an octave.
    octave_bits: u32,
    total: u64,
    /// Largest time.
    max_ns: u64,
    /// Number in `blocks` of each block of bins; [`NOWHERE`]: all its bins are empty. Empty before the first time.
    places: Vec<u16>,
    blocks: Vec<[u16; BLOCK]>,
    /// Bins whose counter has overflowed, and how often, in order of bins.
    carries: Vec<(u16, u32)>,
}

const NOWHERE: u16 = u16::MAX;

impl Histogram {
    /// An empty one for times up to `highest_ns`, at least 1 ms, known to `digits` digits, 2 or 3. Times from the next
    /// power of two on are taken for `highest_ns`.
    pub const fn new(highest_ns: u64, digits: u32) -> Histogram {
        // A time of 2 * 10^digits units is still told from the next; an octave is half of that.
        let octave_bits = 10u64.pow(digits).next_power_of_two().ilog2();
        Histogram {
            highest_ns,
            octave_bits,
            total: 0,
            max_ns: 0,
            places: Vec::new(),
            blocks: Vec::new(),
            carries: Vec::new(),
        }
    }

    /// Adds a time.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        let beyond = ns >> self.highest_ns.ilog2() > 1;
        let ns = if beyond { self.highest_ns } else { ns };
        self.max_ns = self.max_ns.max(ns);
        self.total += 1;
        let bin = self.bin(ns);
        // Nearly always its block is there, and its counter does not overflow.
        let place = self.places.get(bin / BLOCK).copied().unwrap_or(NOWHERE);
        match self.blocks.get_mut(usize::from(place)) {
            Some(block) if block[bin % BLOCK] != u16::MAX => block[bin % BLOCK] += 1,
            _ => self.count(bin, 1),
        }
    }

    /// Adds all times of `other`, which has the same highest time and digits.
    pub fn add(&mut self, other: &Histogram) {
        debug_assert_eq!((self.highest_ns, self.octave_bits), (other.highest_ns, other.octave_bits));
        for (bin, count) in other.bins() {
            self.count(bin, count);
        }
        self.total += other.total;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Forgets all times and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.iter_mut().for_each(|block| block.fill(0));
        self.carries.clear();
        (self.total, self.max_ns) = (0, 0);
    }

    /// How many times there are.
    pub fn len(&self) -> u64 {
        self.total
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The upper end of the bin of the largest time, ns; 0 if all are 0.
    pub fn max(&self) -> u64 {
        if self.max_ns == 0 { 0 } else { self.upper(self.bin(self.max_ns)) }
    }

    /// The mean time, ns, as if each lay in the middle of its bin; 0 if there is none.
    pub fn mean(&self) -> f64 {
        let share = |(bin, count)| {
            let (low, width) = self.span(bin);
            (low + width / 2) as f64 * count as f64 / self.total as f64
        };
        self.bins().map(share).fold(0.0, |sum, share| sum + share)
    }

    /// Their standard deviation, ns, as if each lay in the middle of its bin, of all of them as a population; 0 if there
    /// is none.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        let share = |(bin, count)| {
            let (low, width) = self.span(bin);
            ((low + width / 2) as f64 - mean).powi(2) * count as f64 / self.total as f64
        };
        self.bins().map(share).fold(0.0, |sum, share| sum + share).sqrt()
    }

    /// The time, ns, that the share `q` of all did not exceed, 0 to 1: the upper end of its bin, for `q` = 0 the lower one;
    /// 0 if there is none.
    pub fn value_at_quantile(&self, q: f64) -> u64 {
        let least = ((q.min(1.0) * self.total as f64).ceil() as u64).max(1);
        let mut below = 0;
        let found = self.bins().find(|&(_, count)| {
            below += count;
            below >= least
        });
        match found {
            None => 0,
            Some((bin, _)) if q == 0.0 => self.span(bin).0,
            Some((bin, _)) => self.upper(bin),
        }
    }

    /// Bytes of memory that it holds.
    pub fn bytes(&self) -> usize {
        size_of::<Histogram>()
            + self.places.capacity() * size_of::<u16>()
            + self.blocks.capacity() * size_of::<[u16; BLOCK]>()
            + self.carries.capacity() * size_of::<(u16, u32)>()
    }

    /// The bin of a time.
    #[inline]
    fn bin(&self, ns: u64) -> usize {
        let units = ns >> UNIT_BITS;
        // Octaves above the part with bins of one unit, which is two octaves' worth of them.
        let octave = (units >> (self.octave_bits + 1)).checked_ilog2().map_or(0, |bits| bits + 1);
        (octave as usize * (1 << self.octave_bits)) + (units >> octave) as usize
    }

    /// Where a bin begins and how wide it is, ns.
    fn span(&self, bin: usize) -> (u64, u64) {
        let octave = (bin >> self.octave_bits).saturating_sub(1);
        let units = (bin - (octave << self.octave_bits)) as u64;
        let bits = UNIT_BITS + octave as u32;
        (units << bits, 1 << bits)
    }

    /// The last time of a bin, ns.
    fn upper(&self, bin: usize) -> u64 {
        let (low, width) = self.span(bin);
        low + width - 1
    }

    /// Makes room for the first time.
    #[cold]
    fn allocate(&mut self) {
        let octaves = self.highest_ns.ilog2() - (UNIT_BITS + self.octave_bits);
        let blocks = (((octaves + 2) as usize) << self.octave_bits) / BLOCK;
        self.places = vec![NOWHERE; blocks];
        self.blocks.reserve_exact(self.room().min(blocks));
        self.carries.reserve_exact(CARRIES);
    }

    /// [`ROOM`], blocks.
    fn room(&self) -> usize {
        ROOM << self.octave_bits >> BLOCK.ilog2()
    }

    #[inline(never)]
    fn count(&mut self, bin: usize, more: u64) {
        if self.places.is_empty() {
            self.allocate();
        }
        let room = self.room();
        let place = &mut self.places[bin / BLOCK];
        if *place == NOWHERE {
            *place = self.blocks.len() as u16; // there are far fewer than that
            if self.blocks.len() == self.blocks.capacity() {
                self.blocks.reserve_exact(room);
            }
            self.blocks.push([0; BLOCK]);
        }
        let counter = &mut self.blocks[usize::from(*place)][bin % BLOCK];
        let sum = u64::from(*counter) + more;
        *counter = sum as u16; // the rest is carried
        if sum >= CARRY {
            self.carry(bin as u16, (sum / CARRY) as u32);
        }
    }

    fn carry(&mut self, bin: u16, times: u32) {
        match self.carries.binary_search_by_key(&bin, |&(bin, _)| bin) {
            Ok(at) => self.carries[at].1 += times,
            Err(at) => self.carries.insert(at, (bin, times)),
        }
    }

    /// The bins that are not empty and their counts, in order.
    fn bins(&self) -> impl Iterator<Item = (usize, u64)> {
        let mut carries = self.carries.iter().peekable();
        let present = self.places.iter().enumerate().filter(|&(_, &place)| place != NOWHERE);
        let counters = present.flat_map(|(block, &place)| {
            let counters = self.blocks[usize::from(place)].iter().enumerate();
            counters.map(move |(i, &count)| (block * BLOCK + i, count))
        });
        counters.filter_map(move |(bin, count)| {
            let carried = carries.next_if(|&&(of, _)| usize::from(of) == bin).map_or(0, |&(_, times)| times);
            let count = u64::from(count) + u64::from(carried) * CARRY;
            (count > 0).then_some((bin, count))
        })
    }
}
