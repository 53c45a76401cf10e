// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Bytes of a capture in one pass, with their offset and in the byte order of the file.
//!
//! A length that the file states allocates no memory: a buffer grows with the bytes that are there.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// Bytes read at once.
const BUFFER: usize = 1 << 16;

/// A file that is read from its beginning to its end.
pub(crate) struct Input<R> {
    file: BufReader<R>,
    offset: u64,
    taken: Vec<u8>,
}

impl<R: Read> Input<R> {
    pub(crate) fn new(file: R) -> Input<R> {
        Input { file: BufReader::with_capacity(BUFFER, file), offset: 0, taken: Vec::new() }
    }

    /// Offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the next `n` bytes, or fewer at the end of the file.
    pub(crate) fn take(&mut self, n: usize) -> io::Result<&[u8]> {
        self.taken.clear();
        let mut taken = std::mem::take(&mut self.taken);
        let read = self.each(n as u64, &mut |bytes| taken.extend_from_slice(bytes));
        self.taken = taken;
        read?;
        Ok(&self.taken)
    }

    /// Skips `n` bytes; false if the file ends before.
    pub(crate) fn skip(&mut self, n: u64) -> io::Result<bool> {
        Ok(self.each(n, &mut |_| {})? == n)
    }

    /// True if all bytes to the end are 0; reads no further than the piece with another byte.
    pub(crate) fn ends_in_zeros(&mut self) -> io::Result<bool> {
        loop {
            let mut zeros = true;
            let read = self.each(BUFFER as u64, &mut |bytes| zeros &= bytes.iter().all(|byte| *byte == 0))?;
            if !zeros || read == 0 {
                return Ok(zeros);
            }
        }
    }

    /// Hands on up to `n` bytes in pieces; returns their number.
    fn each(&mut self, n: u64, each: &mut dyn FnMut(&[u8])) -> io::Result<u64> {
        let mut left = n;
        while left > 0 {
            let there = match self.file.fill_buf() {
                Ok(there) => there,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if there.is_empty() {
                break;
            }
            let step = there.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            each(&there[..step]);
            self.file.consume(step);
            self.offset += step as u64;
            left -= step as u64;
        }
        Ok(n - left)
    }
}

/// A byte order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) big: bool,
}

impl Order {
    /// Two bytes at `at`, which must be there.
    pub(crate) fn u16(self, bytes: &[u8], at: usize) -> u16 {
        let two = [bytes[at], bytes[at + 1]];
        if self.big { u16::from_be_bytes(two) } else { u16::from_le_bytes(two) }
    }

    /// Four bytes at `at`, which must be there.
    pub(crate) fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let (one, two) = (u32::from(self.u16(bytes, at)), u32::from(self.u16(bytes, at + 2)));
        if self.big { one << 16 | two } else { two << 16 | one }
    }

    /// Eight bytes at `at`, which must be there.
    pub(crate) fn u64(self, bytes: &[u8], at: usize) -> u64 {
        let (one, two) = (u64::from(self.u32(bytes, at)), u64::from(self.u32(bytes, at + 4)));
        if self.big { one << 32 | two } else { two << 32 | one }
    }
}
