// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The form of a pack: a head, then one record after the other. All numbers are little-endian.
//!
//! | bytes | head of a pack |
//! |---|---|
//! | 8 | `airtabP1` |
//! | 16 | the number of the sources ([`super::sources`]), in ASCII |
//!
//! | bytes | record |
//! |---|---|
//! | 4 | `\xa7run` |
//! | 4 | length of the body |
//! | 16 | what the run is known by ([`RunKey`]) |
//! | 4 | CRC-32C of the body |
//! | 4 | CRC-32C of the 28 bytes above |
//! | ... | body: its length before it was compressed (4 bytes), then JSON of [`Measured`] as one block of LZ4 |
//!
//! A record is found by its head alone, so that an index needs no body. Where a head is damaged, the next whole one
//! ends what is lost. A last record whose body is not all there was being written when its process ended: it is none.
//!
//! What it does not do: no files (`packs`).

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use airtab_scenario::Measured;

use crate::plan::RunKey;

/// Bytes of the head of a pack.
pub(super) const PACK_HEAD: usize = 24;
/// Bytes of the head of a record.
pub(super) const HEAD: usize = 32;
const PACK_MAGIC: &[u8; 8] = b"airtabP1";
const MAGIC: &[u8; 4] = b"\xa7run";
/// Far above any run, before it is compressed.
const MAX_BODY: usize = 64 << 20;

/// The head of a pack of these sources.
pub(super) fn pack_head(sources: &str) -> [u8; PACK_HEAD] {
    let mut head = [0; PACK_HEAD];
    head[..8].copy_from_slice(PACK_MAGIC);
    head[8..].copy_from_slice(sources.as_bytes());
    head
}

/// The number of the sources in the head of a pack; None if it is none of a pack.
pub(super) fn sources_of(head: &[u8]) -> Option<&str> {
    let number = head.strip_prefix(PACK_MAGIC)?;
    let text = str::from_utf8(number).ok()?;
    (text.len() == PACK_HEAD - 8 && text.bytes().all(|b| b.is_ascii_hexdigit())).then_some(text)
}

/// Whether a file that begins so, and whose head says no sources, was to be a pack.
pub(super) fn was_to_be(head: &[u8]) -> bool {
    let name = &PACK_MAGIC[..7];
    head.starts_with(name) || name.starts_with(head)
}

/// The head of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) run: RunKey,
    pub(super) length: u32,
    crc: u32,
}

impl Head {
    pub(super) fn read(bytes: &[u8; HEAD]) -> Option<Head> {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let whole = bytes.starts_with(MAGIC) && word(28) == crc32c::crc32c(&bytes[..28]);
        let run = u128::from_le_bytes(bytes[8..24].try_into().expect("sixteen bytes"));
        whole.then_some(Head { run: RunKey(run), length: word(4), crc: word(24) })
    }

    fn write(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..4].copy_from_slice(MAGIC);
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.run.0.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.crc.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..28]);
        bytes[28..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Bytes of the whole record.
    pub(super) fn record(&self) -> u64 {
        HEAD as u64 + u64::from(self.length)
    }

    /// The run of a body; None if it is damaged.
    pub(super) fn measured(&self, body: &[u8]) -> Option<Measured> {
        if crc32c::crc32c(body) != self.crc {
            return None;
        }
        let (size, block) = body.split_at_checked(4)?;
        let size = u32::from_le_bytes(size.try_into().expect("four bytes")) as usize;
        if size > MAX_BODY {
            return None;
        }
        serde_json::from_slice(&lz4_flex::block::decompress(block, size).ok()?).ok()
    }
}

/// A whole record.
///
/// # Errors
/// The run is larger than any can be, or a figure of it is NaN or infinite.
pub(super) fn record(run: RunKey, measured: &Measured) -> io::Result<Vec<u8>> {
    let figures = measured.apps.iter().chain([&measured.ap]).chain(measured.nodes.iter().map(|(_, of)| of));
    // JSON has no such values: serde_json writes null, which cannot be read back.
    if figures.flat_map(|figures| figures.values()).any(|value| !value.is_finite()) {
        return Err(io::Error::other("a run has a figure that is NaN or infinite"));
    }
    let json = serde_json::to_vec(measured)?;
    if json.len() > MAX_BODY {
        return Err(io::Error::other(format!("a run of {} bytes", json.len())));
    }
    let body = lz4_flex::block::compress_prepend_size(&json);
    let head = Head { run, length: body.len() as u32, crc: crc32c::crc32c(&body) };
    Ok([&head.write()[..], &body].concat())
}

/// What a scan of a pack meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A record, at that byte. Whether its body is right only reading it tells.
    Run(Head, u64),
    /// From that byte on so many that are no record.
    Damaged(u64, u64),
    /// A last record that begins at that byte and is not whole.
    Torn(u64),
}

/// Reads the heads of all records of a pack, from the end of its own head on.
///
/// # Errors
/// Those of `file`.
pub(super) fn scan(file: impl Read + Seek, mut each: impl FnMut(Piece)) -> io::Result<()> {
    let mut file = BufReader::new(file);
    let end = file.seek(SeekFrom::End(0))?;
    let mut at = file.seek(SeekFrom::Start(PACK_HEAD as u64))?;
    let mut head = [0; HEAD];
    while at < end {
        if end - at < HEAD as u64 {
            each(Piece::Torn(at));
            return Ok(());
        }
        file.read_exact(&mut head)?;
        match Head::read(&head) {
            Some(head) if at + head.record() > end => {
                each(Piece::Torn(at));
                return Ok(());
            }
            Some(head) => {
                each(Piece::Run(head, at));
                file.seek_relative(i64::from(head.length))?;
                at += head.record();
            }
            None => {
                let next = next_head(&mut file, at + 1, end)?;
                each(Piece::Damaged(at, next - at));
                file.seek(SeekFrom::Start(next))?;
                at = next;
            }
        }
    }
    Ok(())
}

/// Where the next head of a record begins from `from` on; `end` if none does.
fn next_head(file: &mut BufReader<impl Read + Seek>, from: u64, end: u64) -> io::Result<u64> {
    /// Looked through at a time, and as much as a head more.
    const CHUNK: usize = 1 << 16;
    let mut bytes = Vec::new();
    for start in (from..end).step_by(CHUNK) {
        bytes.clear();
        file.seek(SeekFrom::Start(start))?;
        file.take((CHUNK + HEAD - 1) as u64).read_to_end(&mut bytes)?;
        let mut heads = bytes.array_windows::<HEAD>();
        if let Some(place) = heads.position(|head| head.starts_with(MAGIC) && Head::read(head).is_some()) {
            return Ok(start + place as u64);
        }
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use airtab_quality::web::Page;
    use airtab_scenario::{Figures, Metric, Second};
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    fn figures() -> impl Strategy<Value = Figures> {
        let metrics: Vec<Metric> = Metric::all().collect();
        let values = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
        btree_map(prop::sample::select(metrics), values, 0..40)
    }

    fn measured() -> impl Strategy<Value = Measured> {
        let page = any::<(u32, u64, u64, u64, u64)>().prop_map(Page::from);
        let rate = || 0.0..1e12;
        let second = (any::<u64>(), rate(), rate(), any::<u32>());
        let second = second.prop_map(|(at, sent, got, shown)| Second::from((at, sent, got, Some(shown))));
        let apps = (vec(figures(), 0..4), vec(vec(page, 0..3), 0..4), vec(vec(second, 0..3), 0..4));
        (apps, figures(), vec((".*", figures()), 0..3))
            .prop_map(|((apps, pages, seconds), ap, nodes)| Measured { apps, pages, seconds, ap, nodes })
    }

    /// A pack of runs, and where each begins.
    fn pack(runs: &[Measured]) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = pack_head("0123456789abcdef").to_vec();
        let mut starts = Vec::new();
        for (i, run) in runs.iter().enumerate() {
            starts.push(bytes.len());
            bytes.extend(record(RunKey(i as u128), run).unwrap());
        }
        (bytes, starts)
    }

    fn found(bytes: &[u8]) -> Vec<(u128, Measured)> {
        let mut all = Vec::new();
        scan(Cursor::new(bytes), |piece| {
            if let Piece::Run(head, at) = piece {
                let body = &bytes[at as usize + HEAD..(at + head.record()) as usize];
                all.extend(head.measured(body).map(|run| (head.run.0, run)));
            }
        })
        .unwrap();
        all
    }

    /// How many runs of a pack can be read, and how many bytes of it cannot be used.
    fn scan_bytes(pack: &[u8]) -> (usize, u64) {
        let (mut runs, mut lost) = (0, 0);
        let read = scan(Cursor::new(pack), |piece| match piece {
            Piece::Run(head, at) => {
                let body = at as usize + HEAD..(at + head.record()) as usize;
                match head.measured(&pack[body]) {
                    Some(_) => runs += 1,
                    None => lost += head.record(),
                }
            }
            Piece::Damaged(_, bytes) => lost += bytes,
            Piece::Torn(at) => lost += pack.len() as u64 - at,
        });
        read.expect("memory can be read");
        (runs, lost)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// What is read is what was written, to the last bit.
        #[test]
        fn runs_come_back_as_they_were(runs in vec(measured(), 1..4)) {
            let (bytes, _) = pack(&runs);
            let all: Vec<Measured> = found(&bytes).into_iter().map(|(_, run)| run).collect();
            prop_assert_eq!(all, runs);
        }

        /// A bit that is wrong costs the run it is in, and no other.
        #[test]
        fn a_flipped_bit_costs_one_run(runs in vec(measured(), 3), at in any::<prop::sample::Index>(), bit in 0u32..8) {
            let (mut bytes, starts) = pack(&runs);
            let at = PACK_HEAD + at.index(bytes.len() - PACK_HEAD);
            bytes[at] ^= 1u8 << bit;
            let hit = starts.iter().rposition(|start| *start <= at).unwrap();
            let left: Vec<(u128, Measured)> =
                runs.into_iter().enumerate().filter(|(i, _)| *i != hit).map(|(i, run)| (i as u128, run)).collect();
            prop_assert_eq!(found(&bytes), left);
        }

        /// Of a pack that is cut all runs are there that are whole.
        #[test]
        fn a_cut_costs_what_is_behind_it(runs in vec(measured(), 3), at in any::<prop::sample::Index>()) {
            let (bytes, starts) = pack(&runs);
            let at = PACK_HEAD + at.index(bytes.len() - PACK_HEAD);
            let whole = starts.iter().filter(|start| **start < at).count() - usize::from(!starts.contains(&at) && at > PACK_HEAD);
            let ids: Vec<u128> = found(&bytes[..at]).into_iter().map(|(run, _)| run).collect();
            prop_assert_eq!(ids, (0..whole as u128).collect::<Vec<_>>());
        }

        /// Whatever is in it, nothing panics, and no byte is counted twice.
        #[test]
        fn noise_is_no_run(mut bytes in vec(any::<u8>(), 0..4096), runs in vec(measured(), 1)) {
            bytes.extend(pack(&runs).0);
            let (_, lost) = scan_bytes(&bytes);
            prop_assert!(lost <= bytes.len() as u64);
        }
    }

    #[test]
    fn heads_of_packs() {
        assert_eq!(sources_of(&pack_head("0123456789abcdef")), Some("0123456789abcdef"));
        for wrong in [&b""[..], b"airtabP1", b"airtabP10123456789abcdeg", b"airtabP20123456789abcdef"] {
            assert_eq!(sources_of(wrong), None);
        }
    }

    /// A run of so many applications without figures.
    fn small(apps: usize) -> Measured {
        let apps = vec![Figures::new(); apps];
        Measured { apps, pages: Vec::new(), seconds: Vec::new(), ap: Figures::new(), nodes: Vec::new() }
    }

    /// Wherever a record begins behind bytes that are none, also around the end of what is looked through at a time.
    #[test]
    fn a_record_is_found_behind_any_noise() {
        let record = record(RunKey(7), &small(2)).unwrap();
        let chunk = 1 << 16;
        for noise in [1, HEAD, chunk - HEAD, chunk - 1, chunk, chunk + 1, chunk + 2, 2 * chunk + 1] {
            let begin = pack_head("0123456789abcdef").to_vec();
            // Beginnings of heads that are none.
            let noise: Vec<u8> = MAGIC.iter().copied().cycle().take(noise).collect();
            let bytes = [&begin[..], &noise, &record, &record].concat();
            let mut pieces = Vec::new();
            scan(Cursor::new(&bytes), |piece| pieces.push(piece)).unwrap();
            let [Piece::Damaged(from, lost), Piece::Run(head, at), Piece::Run(again, behind)] = pieces[..]
            else {
                panic!("{} bytes: {pieces:?}", noise.len())
            };
            assert_eq!((from, lost), (PACK_HEAD as u64, noise.len() as u64));
            let first = (PACK_HEAD + noise.len()) as u64;
            assert_eq!((at, behind), (first, first + record.len() as u64));
            assert_eq!((head.run, again.run, head.record()), (RunKey(7), RunKey(7), record.len() as u64));
        }
    }

    /// Less than a head at the end is a record that was not written to its end; a head whose body ends there is whole.
    #[test]
    fn a_torn_record_begins_where_it_does() {
        let one = record(RunKey(1 << 90), &small(3)).unwrap();
        let whole = [&pack_head("0123456789abcdef")[..], &one, &one].concat();
        let second = (PACK_HEAD + one.len()) as u64;
        let pieces = |bytes: &[u8]| {
            let mut all = Vec::new();
            scan(Cursor::new(bytes), |piece| {
                all.push(match piece {
                    Piece::Run(head, at) => (head.run.0, at),
                    Piece::Damaged(at, bytes) => (bytes.into(), at),
                    Piece::Torn(at) => (0, at),
                });
            })
            .unwrap();
            all
        };
        let first = (1 << 90, PACK_HEAD as u64);
        assert_eq!(pieces(&whole), [first, (1 << 90, second)]);
        for kept in [1, HEAD - 1, HEAD, one.len() - 1] {
            assert_eq!(pieces(&whole[..second as usize + kept]), [first, (0, second)], "{kept} bytes");
        }
        assert_eq!(pieces(&whole[..second as usize]), [first]);
        assert_eq!(pieces(&whole[..PACK_HEAD]), []);
    }

    #[test]
    fn files_that_were_to_be_packs() {
        for begins in [&b""[..], b"a", b"airtabP", b"airtabP2", b"airtabP1 and no number"] {
            assert!(was_to_be(begins), "{begins:?}");
        }
        for begins in [&b"noise"[..], b"airtap", b"PACK", b"airtab.", b"irtabP1"] {
            assert!(!was_to_be(begins), "{begins:?}");
        }
    }

    /// JSON has no such numbers: the run could not be read again.
    #[test]
    fn what_is_no_number_is_not_kept() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let figures = || Figures::from([(Metric::GameMos, 3.0), (Metric::Loss, value)]);
            let of_app = Measured { apps: vec![Figures::new(), figures()], ..small(0) };
            let of_ap = Measured { ap: figures(), ..small(1) };
            let of_node =
                Measured { nodes: vec![("n".into(), Figures::new()), ("m".into(), figures())], ..small(1) };
            for run in [of_app, of_ap, of_node] {
                assert!(record(RunKey(1), &run).is_err(), "{value}");
            }
        }
    }
}
