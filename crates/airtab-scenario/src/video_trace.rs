// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frame-size traces of encoded videos, as public archives have them.
//!
//! Text, one frame a line, columns separated by spaces or tabs. Three layouts
//! are told apart by where the type of the first frame stands:
//!
//! ```text
//! number type size                        3 columns
//! number type time size [more ...]        MPEG-4 traces of the TKN and ASU archives, as ns-3 reads them
//! number time type size [more ...]        H.264 traces of the ASU archive ("verbose")
//! ```
//! What follows the size (PSNR and the like) is not looked at, but every line
//! has as many columns as the first. Types are I, IDR, P and B. Blank lines
//! and lines that begin with `#` are comments; of these, the archives' own
//! `# Number of Frames: N` must be true. Lines end in LF, CR LF or CR. A last
//! line without an end may be half a line: it passes only with a true number
//! of frames.
//!
//! Archives list frames in the order of coding or in that of display. Frames
//! are put into the order of display: by time where there is one, else by
//! number. That is the order they are sent in.
//!
//! What is wrong is told by its place and by what is allowed, never by a word of
//! the file: who names one need not be somebody who may read it.
//!
//! Sources: headers and columns of the ASU video trace library
//! (trace.eas.asu.edu), the reader of ns-3 (`udp-trace-client`), and that of
//! the INET model `UDPVideoStreamSvrWithTrace`.
//!
//! What it does not do: terse traces (size and quality) have no types and are
//! refused; times only order frames, which are sent at 30 a second; layers of
//! scalable video in which frames are empty are refused.

use airtab_sim::traffic::video::{Frame, FrameKind, Frames};

use crate::reader::Problem;

/// What the size column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeUnit {
    /// Bytes.
    Bytes,
    /// Bits; frames that are no whole bytes are rounded up.
    Bits,
}

impl SizeUnit {
    /// Every variant with its name in scenario files.
    pub const NAMES: [(&'static str, SizeUnit); 2] = [("bytes", SizeUnit::Bytes), ("bits", SizeUnit::Bits)];
}

/// Largest frame, bytes: about what the wired queues hold of one burst.
pub const MAX_FRAME: u64 = 1_000_000;
/// Most frames: ten hours.
pub const MAX_FRAMES: usize = 30 * 36_000;

/// Reads the text of a trace. `file` is its name in messages.
///
/// # Errors
/// The first thing that is wrong, with its place and what is allowed.
pub fn parse(file: &str, text: &str, unit: SizeUnit) -> Result<Frames, Box<Problem>> {
    let whole = |message: String| Box::new(Problem::of_file(file, message));
    let mut announced: Option<(usize, usize)> = None;
    let mut layout: Option<Layout> = None;
    let mut frames: Vec<Read> = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (i, text) in lines(text).enumerate() {
        if let Some(comment) = text.trim_start().strip_prefix('#') {
            let (key, value) = comment.split_once(':').unwrap_or_default();
            let count = key.trim().eq_ignore_ascii_case("number of frames");
            announced = if count { value.trim().parse().ok().map(|n| (i + 1, n)) } else { announced };
            continue;
        }
        let line = Line { file, number: i + 1, text, columns: text.split_whitespace().collect() };
        if line.columns.is_empty() {
            continue;
        }
        if frames.len() == MAX_FRAMES {
            return Err(line.problem(0, format!("more than {MAX_FRAMES} frames")));
        }
        let layout = match layout {
            Some(layout) => layout,
            None => *layout.insert(Layout::of(&line)?),
        };
        frames.push(layout.read(&line, unit)?);
    }
    if let Some((line, _)) = announced.filter(|(_, n)| *n != frames.len()) {
        let found = frames.len();
        return Err(whole(format!(
            "has {found} frames, and line {line} says another number: is it cut short?"
        )));
    }
    if announced.is_none() && !frames.is_empty() && !text.ends_with(['\n', '\r']) {
        return Err(whole("its last line has no end: is it cut short? If it is whole, end that line".into()));
    }
    if !frames.iter().any(|read| read.frame.kind == FrameKind::I) {
        let what = if frames.is_empty() { "no frame" } else { "no I frame: nothing could ever be shown" };
        return Err(whole(format!("has {what}")));
    }
    frames.sort_by(|a, b| a.order.total_cmp(&b.order));
    if let Some([a, b]) = frames.array_windows().find(|[a, b]| a.order == b.order) {
        let what = if layout.is_some_and(|l| l.time.is_some()) { "time" } else { "number" };
        let (first, second) = (a.line, b.line);
        let message =
            format!("lines {first} and {second} have frames of one {what}: their order is not known");
        return Err(whole(message));
    }
    Ok(Frames(frames.into_iter().map(|read| read.frame).collect()))
}

/// A frame with its place in the order of display, and its line.
struct Read {
    order: f64,
    frame: Frame,
    line: usize,
}

/// Lines that end in LF or CR LF; or, in a text without any LF, in CR.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let end = if text.contains('\n') { '\n' } else { '\r' };
    text.split_terminator(end).map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// Which column holds what.
#[derive(Clone, Copy)]
struct Layout {
    columns: usize,
    kind: usize,
    time: Option<usize>,
    size: usize,
}

impl Layout {
    fn of(line: &Line) -> Result<Layout, Box<Problem>> {
        let columns = line.columns.len();
        let is_kind = |i: usize| line.columns.get(i).is_some_and(|text| kind(text).is_some());
        match (is_kind(1), is_kind(2)) {
            (true, _) if columns == 3 => Ok(Layout { columns, kind: 1, time: None, size: 2 }),
            (true, _) if columns > 3 => Ok(Layout { columns, kind: 1, time: Some(2), size: 3 }),
            (false, true) if columns > 3 => Ok(Layout { columns, kind: 2, time: Some(1), size: 3 }),
            _ => Err(line.problem(
                0,
                "no frame: write number, type (I, IDR, P or B) and size; number, type, time and size; or \
                 number, time, type and size (headings need a # in front; traces without types cannot be used)"
                    .into(),
            )),
        }
    }

    fn read(self, line: &Line, unit: SizeUnit) -> Result<Read, Box<Problem>> {
        let found = line.columns.len();
        if found != self.columns {
            let columns = self.columns;
            let message = format!("{found} columns, where the first frame has {columns}: is it cut short?");
            return Err(line.problem(0, message));
        }
        let wrong = |column: usize, what: &str| line.problem(column, format!("is not {what}"));
        let text = |column: usize| line.columns[column];
        let number: u32 = text(0).parse().map_err(|_| wrong(0, "the number of a frame"))?;
        let kind =
            kind(text(self.kind)).ok_or_else(|| wrong(self.kind, "a type of frame: I, IDR, P or B"))?;
        let order = match self.time {
            None => f64::from(number),
            Some(i) => {
                let time = text(i).parse().ok().filter(|t: &f64| t.is_finite() && *t >= 0.0);
                time.ok_or_else(|| wrong(i, "a time: a number, 0 or more"))?
            }
        };
        let (per_byte, name) = match unit {
            SizeUnit::Bytes => (1, "bytes"),
            SizeUnit::Bits => (8, "bits"),
        };
        let most = MAX_FRAME * per_byte;
        let size = text(self.size).parse().ok().filter(|n: &u64| (1..=most).contains(n));
        let size = size.ok_or_else(|| {
            wrong(self.size, &format!("the size of a frame: 1 to {most} {name}, a whole number"))
        })?;
        let frame = Frame { kind, bytes: size.div_ceil(per_byte) as u32 };
        Ok(Read { order, frame, line: line.number })
    }
}

/// One line of a trace.
struct Line<'a> {
    file: &'a str,
    number: usize,
    text: &'a str,
    columns: Vec<&'a str>,
}

impl Line<'_> {
    /// A problem with one of its columns.
    fn problem(&self, column: usize, message: String) -> Box<Problem> {
        let value = self.columns[column];
        // Where in the line that column begins: it is a part of the line.
        let at = value.as_ptr() as usize - self.text.as_ptr() as usize;
        Box::new(Problem {
            file: self.file.into(),
            line: self.number,
            column: self.text[..at].chars().count() + 1,
            message,
            text: String::new(),
            width: 0,
        })
    }
}

fn kind(text: &str) -> Option<FrameKind> {
    match text {
        "I" | "IDR" => Some(FrameKind::I),
        "P" => Some(FrameKind::P),
        "B" => Some(FrameKind::B),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::SizeUnit::{Bits, Bytes};
    use super::*;

    /// `I534 P1542`
    fn read(text: &str, unit: SizeUnit) -> Result<String, String> {
        let Frames(frames) = parse("movie.txt", text, unit).map_err(|e| e.to_string())?;
        let names: Vec<String> = frames.iter().map(|f| format!("{:?}{}", f.kind, f.bytes)).collect();
        Ok(names.join(" "))
    }

    fn message(text: &str) -> String {
        read(text, Bytes).unwrap_err()
    }

    #[test]
    fn three_layouts() {
        let plain = "# a trace\n\n0 I 5000\n1 B 400\n2 P 1500\n";
        assert_eq!(read(plain, Bytes).unwrap(), "I5000 B400 P1500");
        let mpeg4 = "1\tI\t0\t534\n2\tP\t120\t1542\n3\tB\t40\t134\n4\tB\t80\t390\n";
        assert_eq!(read(mpeg4, Bytes).unwrap(), "I534 B134 B390 P1542", "by time: coded order is undone");
        let verbose = "0 0.0000 IDR 172248 38.1 40.2 40.9\r\n1 0.0333 B 801 36.0 39.0 40.0\r\n";
        assert_eq!(read(verbose, Bits).unwrap(), "I21531 B101", "bits, rounded up");
    }

    #[test]
    fn ends_of_lines_and_a_byte_order_mark() {
        for text in ["0 I 900\r1 P 10\r", "0 I 900\r\n1 P 10\r\n", "\u{feff}0 I 900\n1 P 10\n"] {
            assert_eq!(read(text, Bytes).unwrap(), "I900 P10", "{text:?}");
        }
        assert!(message("0 I 900\r1 X 20\r").starts_with("movie.txt:2:3: is not a type"));
    }

    #[test]
    fn numbers_order_frames_without_times() {
        assert_eq!(read("0 I 900\n3 P 30\n1 B 10\n2 B 20\n", Bytes).unwrap(), "I900 B10 B20 P30");
    }

    #[test]
    fn what_a_cut_trace_looks_like() {
        assert_eq!(
            message("0 I 0.0 900 35.1\n1 P 0.1 3"),
            "movie.txt:2:1: 4 columns, where the first frame has 5: is it cut short?"
        );
        assert_eq!(
            message("# Number of Frames: 3\n0 I 900\n1 P 100\n"),
            "movie.txt: has 2 frames, and line 1 says another number: is it cut short?"
        );
        assert_eq!(
            message("# Number of frames : 4\n0 I 900\n1 P 100\n"),
            "movie.txt: has 2 frames, and line 1 says another number: is it cut short?"
        );
        let between = "# Number of Frames: 3\n# by a camera\n#\n0 I 900\n# a cut\n1 P 100\n";
        assert_eq!(
            message(between),
            "movie.txt: has 2 frames, and line 1 says another number: is it cut short?",
            "other comments do not take its place"
        );
        // Half a number is a number; with the header's count it may pass.
        let cut = "0 I 900\n1 P 10";
        let expected = "movie.txt: its last line has no end: is it cut short? If it is whole, end that line";
        assert_eq!(message(cut), expected);
        assert_eq!(read(&format!("# Number of Frames: 2\n{cut}"), Bytes).unwrap(), "I900 P10");
        assert_eq!(message("# nothing else\n"), "movie.txt: has no frame");
        // Cut anywhere, it is refused or still a trace; never a panic.
        let whole = "# Number of Frames: 2\n0 0.0 I 900 35.1\n1 0.033 P 100 35.0\n";
        (0..whole.len()).for_each(|end| drop(parse("cut", &whole[..end], Bytes)));
    }

    #[test]
    fn every_wrong_value_is_told_by_its_place() {
        let first_line = |text: &str| message(&format!("{text}\n")).lines().next().unwrap().to_string();
        for (text, expected) in [
            ("0 I 900\n1 X 20", "movie.txt:2:3: is not a type of frame: I, IDR, P or B"),
            ("0 I 900\n-1 P 20", "movie.txt:2:1: is not the number of a frame"),
            (
                "0 I 900\n1 P 0",
                "movie.txt:2:5: is not the size of a frame: 1 to 1000000 bytes, a whole number",
            ),
            ("0 I 9e9", "movie.txt:1:5: is not the size of a frame: 1 to 1000000 bytes, a whole number"),
            ("0 I 1000001", "movie.txt:1:5: is not the size of a frame: 1 to 1000000 bytes, a whole number"),
            // The quality where the size should be.
            ("0 I 900 35.1", "movie.txt:1:9: is not the size of a frame: 1 to 1000000 bytes, a whole number"),
            ("0 I soon 900", "movie.txt:1:5: is not a time: a number, 0 or more"),
            (
                "0 I 900\n1 P 20\n1 B 20",
                "movie.txt: lines 2 and 3 have frames of one number: their order is not known",
            ),
            ("0 P 900\n1 B 20", "movie.txt: has no I frame: nothing could ever be shown"),
            (
                "# a comment\n0 I 0.5 900\n\n1 P 0.25 20\n2 B 0.5 20",
                "movie.txt: lines 2 and 5 have frames of one time: their order is not known",
            ),
            ("0 I -0.1 900", "movie.txt:1:5: is not a time: a number, 0 or more"),
            ("0 I inf 900", "movie.txt:1:5: is not a time: a number, 0 or more"),
            ("0 0.5 I many", "movie.txt:1:9: is not the size of a frame: 1 to 1000000 bytes, a whole number"),
            ("0 0.5 I 9 1\n1 0.6 X 9 1", "movie.txt:2:7: is not a type of frame: I, IDR, P or B"),
            ("0 0.5 I 9 1\n1 soon P 9 1", "movie.txt:2:3: is not a time: a number, 0 or more"),
        ] {
            assert_eq!(first_line(text), expected, "{text}");
        }
        for headless in ["Frame Type Time Size\n", "900 35.1\n", "0\n", "0 0.0 I\n", "<html>"] {
            assert!(
                message(headless).starts_with("movie.txt:1:1: no frame: write number, type"),
                "{headless}"
            );
        }
        let eight_times = read("0 I 8000001\n", Bits).unwrap_err();
        assert!(eight_times.contains("1 to 8000000 bits"), "{eight_times}");
    }

    /// Whatever is in the file, wherever it stands, no word of it is told.
    #[test]
    fn no_word_of_the_file_is_told() {
        let secrets = ["root:$y$j9T$Kq", "hunter2", "918273645"];
        let wrong = [
            "S",
            "0 S 5",
            "0 0.5 S 5",
            "S I 5",
            "0 I S",
            "0 I 5\nS P 5",
            "0 I 5\n1 S 5",
            "0 I 5\n1 P S",
            "0 I 5\n1 P 5 S",
            "0 I 0.5 5\n1 P S 5",
            "0 I 5\nS\n",
            "# Number of Frames: S\n0 I 5\n",
            "#S\n0 P 5\n",
            "S I 5\nS P 6\n",
            "0 I S 5\n1 P S 5\n",
            "0 I 5\n1 P 5\nS",
            "S:S:S:::\nS\n",
        ];
        let mut refusals = 0;
        for secret in secrets {
            for text in wrong {
                let text = text.replace('S', secret);
                let Err(said) = read(&text, Bytes) else { continue };
                refusals += 1;
                assert!(!said.contains(secret), "{text:?}: {said}");
                assert_eq!(said.lines().count(), 1, "{text:?}: {said}");
            }
        }
        assert!(refusals > 40, "{refusals}");
    }
}
