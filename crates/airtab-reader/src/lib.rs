// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A TOML document read key by key.
//!
//! Every problem is kept with its place (file, line, column, the text itself),
//! and reading goes on, so that one look at a file shows all that is wrong in
//! it. A key that nobody asked for is a problem too.
//!
//! What it does not do: it knows nothing of scenarios.

mod harmless;
mod parsers;
mod record;

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

pub use harmless::harmless;
pub use parsers::{choice, flag, instead, instead_of_many, label, nearest, number, quantity, text, unused};
pub use record::{Entry, Form, Keys};
use record::{Recorder, Step};
use toml::de::{DeTable, DeValue};

/// One thing that is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, as the caller named it.
    pub file: String,
    /// Line, from 1; 0 if the problem is the file as a whole.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong and what is allowed, with the key in front.
    pub message: String,
    /// The line itself; empty if it must not be shown.
    pub text: String,
    /// How many characters of it are meant.
    pub width: usize,
}

impl Problem {
    /// A problem with a file as a whole.
    pub fn of_file(file: &str, message: String) -> Problem {
        Problem { file: file.into(), line: 0, column: 0, message, text: String::new(), width: 0 }
    }

    /// The key that it is about, with its table in front: `duration`, `[wifi] attempts`; None if it is about none.
    pub fn key(&self) -> Option<&str> {
        let (key, _) = self.message.split_once(": ")?;
        let own = match key.strip_prefix('[') {
            Some(_) => key.split_once("] ")?.1,
            None => key,
        };
        let plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        (!own.is_empty() && own.chars().all(plain)).then_some(key)
    }

    /// What was most likely meant, if the message says so: `duration` of "did you mean `duration`?".
    pub fn hint(&self) -> Option<&str> {
        let (_, hint) = self.message.split_once("did you mean `")?;
        hint.split_once('`').map(|(hint, _)| hint)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { file, line, column, message, text, width } = self;
        if *line == 0 {
            return write!(f, "{file}: {message}");
        }
        if text.is_empty() {
            return write!(f, "{file}:{line}:{column}: {message}");
        }
        writeln!(f, "{file}:{line}:{column}: {message}")?;
        let gutter = line.to_string().len() + 2;
        let (text, column, width) = &excerpt(text, *column, *width, COLUMNS - gutter - 3);
        // Tabs stay tabs under the line, and an escape is as wide as it is shown: the mark stands where it should.
        let begin = text.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| at);
        let (before, behind) = text.split_at(begin);
        let indent: String = harmless(before).chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let meant: String = behind.chars().take(*width).collect();
        let escapes = harmless(&meant).chars().count() - meant.chars().count();
        writeln!(f, "  {line} | {}", harmless(text))?;
        write!(f, "{:gutter$} | {indent}{}", "", "^".repeat((*width).max(1) + escapes))
    }
}

/// Columns of a quoted line with its number.
const COLUMNS: usize = 120;
/// Characters of a value that a message repeats.
const QUOTED: usize = 60;

/// The part of a line around the text meant, at most `room` characters, with the column and width of that text in it.
fn excerpt(line: &str, column: usize, width: usize, room: usize) -> (String, usize, usize) {
    let all = line.chars().count();
    if all <= room {
        return (line.into(), column, width);
    }
    let start = column - 1;
    let from = start.saturating_sub(room / 3).min(all - room);
    let cut = |(at, c)| match at {
        0 if from > 0 => '\u{2026}',
        at if at + 1 == room && from + room < all => '\u{2026}',
        _ => c,
    };
    let part = line.chars().skip(from).take(room).enumerate().map(cut).collect();
    (part, column - from, width.min(from + room - start.min(from + room)))
}

/// A message with a long value cut to its first characters.
fn shortened(message: String, value: &str) -> String {
    let value = value.trim_matches(['"', '\'']);
    match value.char_indices().nth(QUOTED) {
        Some((end, _)) if message.contains(value) => {
            message.replace(value, &format!("{}\u{2026}", &value[..end]))
        }
        _ => message,
    }
}

/// A document being read and the problems found so far.
pub struct Document<'a> {
    file: &'a str,
    text: &'a str,
    problems: RefCell<Vec<(usize, Problem)>>,
    warnings: RefCell<Vec<(usize, Problem)>>,
    recorder: Option<Recorder<'a>>,
}

impl<'a> Document<'a> {
    /// `file` is its name in messages.
    pub fn new(file: &'a str, text: &'a str) -> Document<'a> {
        Document { file, text, problems: RefCell::default(), warnings: RefCell::default(), recorder: None }
    }

    /// The text between two byte positions.
    fn slice(&self, span: &Range<usize>) -> &'a str {
        self.text.get(span.clone()).unwrap_or("")
    }

    /// A problem with the file as a whole.
    pub fn problem_of_file(&self, message: String) {
        self.problems.borrow_mut().push((0, Problem::of_file(self.file, message)));
    }

    /// A problem in another file that is named at `at`, bytes.
    fn problem_elsewhere(&self, at: usize, problem: Problem) {
        self.problems.borrow_mut().push((at, problem));
    }

    /// A problem with a part of the text, bytes.
    pub fn problem(&self, span: Range<usize>, message: String) {
        self.problems.borrow_mut().push(self.place(&span, message));
    }

    /// What is not wrong, and most likely not meant, at a part of the text, bytes.
    fn warn(&self, span: &Range<usize>, message: String) {
        self.warnings.borrow_mut().push(self.place(span, message));
    }

    /// A message about a part of the text, and where that begins, bytes.
    fn place(&self, span: &Range<usize>, message: String) -> (usize, Problem) {
        let at = span.start.min(self.text.len());
        let before = &self.text[..self.text.floor_char_boundary(at)];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = self.text[line_start..].lines().next().unwrap_or("");
        let column = before[line_start..].chars().count() + 1;
        let width = self.slice(span).lines().next().unwrap_or("").chars().count();
        let message = shortened(message, self.slice(span));
        let problem = Problem {
            file: self.file.into(),
            line: before.matches('\n').count() + 1,
            column,
            message,
            text: line.trim_end().into(),
            width,
        };
        (at, problem)
    }

    /// Whether nothing was found so far.
    pub fn is_fine(&self) -> bool {
        self.problems.borrow().is_empty()
    }

    /// All problems in the order of the file.
    pub fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|(at, _)| *at);
        problems.into_iter().map(|(_, problem)| problem).collect()
    }
}

/// A value and its place.
#[derive(Clone)]
pub struct Value<'s, 'a> {
    /// As parsed.
    pub value: &'s DeValue<'a>,
    /// Where it stands, bytes.
    pub span: Range<usize>,
    /// As written in the file, without quotes.
    pub written: String,
    /// Where its parser says what it takes.
    forms: Option<&'s RefCell<Vec<Form>>>,
}

impl<'s, 'a> Value<'s, 'a> {
    /// A part of another.
    pub fn part(item: &'s toml::Spanned<DeValue<'a>>, written: String) -> Value<'s, 'a> {
        Value { value: item.get_ref(), span: item.span(), written, forms: None }
    }

    /// Says what a parser takes.
    pub fn takes(&self, form: impl FnOnce() -> Form) {
        if let Some(forms) = self.forms {
            forms.borrow_mut().push(form());
        }
    }

    /// Whether it is this word, one that its parser takes.
    pub fn is(&self, word: &str) -> bool {
        self.takes(|| Form::Words(vec![word.into()]));
        self.value.as_str() == Some(word)
    }
}

/// One table of a document.
pub struct Section<'s, 'a> {
    document: &'s Document<'a>,
    /// As a reader of the file knows it: `[wifi]`, `[[app]]`, or empty for the top.
    name: String,
    table: &'s DeTable<'a>,
    span: Range<usize>,
    asked: RefCell<Vec<&'s str>>,
    /// From the top.
    way: Vec<Step<'s>>,
}

impl<'s, 'a> Section<'s, 'a> {
    /// The document itself.
    pub fn top(document: &'s Document<'a>, table: &'s DeTable<'a>) -> Section<'s, 'a> {
        let asked = RefCell::default();
        let top = Section { document, name: String::new(), table, span: 0..0, asked, way: Vec::new() };
        top.record(|keys| keys.opened += 1);
        top
    }

    /// The value of a key, if it is there.
    pub fn get(&self, key: &'s str) -> Option<Value<'s, 'a>> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        self.record_key(key, |_| ());
        let value = self.table.get(key)?;
        Some(self.value(value.get_ref(), value.span()))
    }

    fn value(&self, value: &'s DeValue<'a>, span: Range<usize>) -> Value<'s, 'a> {
        let written = value.as_str().unwrap_or_else(|| self.document.slice(&span)).into();
        Value { value, span, written, forms: None }
    }

    /// Whether a list has no entries or is not there.
    pub fn lacks(&self, key: &'s str) -> bool {
        self.get(key).is_none_or(|v| v.value.as_array().is_some_and(|list| list.is_empty()))
    }

    /// Whether nothing in the document was found to be wrong so far.
    pub fn is_fine(&self) -> bool {
        self.document.is_fine()
    }

    /// Reads a key that may be missing: None then, and also after a problem.
    pub fn read<T>(&self, key: &'s str, parse: impl Fn(&Value<'s, 'a>) -> Result<T, String>) -> Option<T> {
        if self.is_recorded() {
            let forms = self.record_parser(&parse);
            self.record_key(key, |entry| entry.take(forms));
        }
        let value = self.get(key)?;
        match parse(&value) {
            Ok(read) => Some(read),
            Err(message) => {
                self.problem_at(key, value.span, &message);
                None
            }
        }
    }

    /// Reads a key that must be there.
    pub fn require<T>(&self, key: &'s str, parse: impl Fn(&Value<'s, 'a>) -> Result<T, String>) -> Option<T> {
        if self.table.get(key).is_none() {
            let place = if self.name.is_empty() { "the file" } else { &self.name };
            self.problem(format!("{place} lacks the key `{key}`"));
        }
        self.record_key(key, |entry| entry.required += 1);
        self.read(key, parse)
    }

    /// The elements of a list, as written; or the value itself.
    pub fn items(&self, value: &Value<'s, 'a>) -> Vec<String> {
        let Some(list) = value.value.as_array() else { return vec![value.written.clone()] };
        list.iter().map(|item| self.value(item.get_ref(), item.span()).written).collect()
    }

    /// The table of that key.
    pub fn section(&self, key: &'s str) -> Option<Section<'s, 'a>> {
        let name = match self.name.trim_matches(['[', ']']) {
            "" => format!("[{key}]"),
            parent => format!("[{parent}.{key}]"),
        };
        match self.get(key) {
            Some(value) => self.open(key, name, &value, false),
            None => self.missing(key, name, false),
        }
    }

    /// The tables of a list such as `[[app]]`.
    pub fn sections(&self, key: &'s str) -> Vec<Section<'s, 'a>> {
        let Some(value) = self.get(key) else {
            return self.missing(key, format!("[[{key}]]"), true).into_iter().collect();
        };
        let Some(list) = value.value.as_array() else {
            self.problem_at(
                key,
                value.span,
                &format!("is not a list of tables: write [[{key}]], once for each"),
            );
            return Vec::new();
        };
        list.iter()
            .filter_map(|item| {
                self.open(key, format!("[[{key}]]"), &self.value(item.get_ref(), item.span()), true)
            })
            .collect()
    }

    fn open(&self, key: &'s str, name: String, value: &Value<'s, 'a>, list: bool) -> Option<Section<'s, 'a>> {
        let Some(table) = value.value.as_table() else {
            self.problem_at(key, value.span.clone(), &format!("'{}' is not a table {name}", value.written));
            return None;
        };
        Some(self.inside(key, name, (table, value.span.clone()), list))
    }

    fn inside(
        &self,
        key: &'s str,
        name: String,
        (table, span): (&'s DeTable<'a>, Range<usize>),
        list: bool,
    ) -> Section<'s, 'a> {
        let mut way = self.way.clone();
        way.push((key, list));
        let own = Section { document: self.document, name, table, span, asked: RefCell::default(), way };
        own.record(|keys| keys.opened += 1);
        own
    }

    /// Every key of the table, in alphabetical order.
    pub fn keys(&self) -> impl Iterator<Item = &'s str> {
        self.table.keys().map(|key| key.get_ref().as_ref())
    }

    /// Every key that was asked for, there or not.
    pub fn asked(&self) -> Vec<String> {
        self.asked.borrow().iter().map(|key| (*key).to_string()).collect()
    }

    /// A problem with the whole table.
    pub fn problem(&self, message: String) {
        match self.name.is_empty() {
            true => self.document.problem_of_file(message),
            false => self.document.problem(self.span.clone(), message),
        }
    }

    /// A problem in a file that the value of a key names.
    pub fn problem_elsewhere(&self, key: &str, problem: Problem) {
        let at = self.table.get(key).map_or(self.span.start, |value| value.span().start);
        self.document.problem_elsewhere(at, problem);
    }

    /// A problem with the value of one key.
    pub fn problem_of(&self, key: &str, message: &str) {
        match self.table.get(key) {
            Some(value) => self.problem_at(key, value.span(), message),
            None => self.problem(format!("{} {key}: {message}", self.name).trim().into()),
        }
    }

    fn problem_at(&self, key: &str, span: Range<usize>, message: &str) {
        self.document.problem(span, format!("{} {key}: {message}", self.name).trim().into());
    }

    /// What is allowed as the value of a key, and most likely not meant.
    pub fn warn_of(&self, key: &str, message: &str) {
        let span = self.table.get(key).map_or(self.span.clone(), |value| value.span());
        self.document.warn(&span, format!("{} {key}: {message}", self.name).trim().into());
    }

    /// Reports a key that has no meaning here, if it is there; it is none that messages suggest.
    pub fn refuse(&self, key: &'s str, message: &str) {
        if let Some(value) = self.table.get(key) {
            self.asked.borrow_mut().push(key);
            self.problem_at(key, value.span(), message);
        }
    }

    /// All that the document was warned of so far, in its order.
    pub fn warnings(&self) -> Vec<Problem> {
        let mut warnings = self.document.warnings.borrow().clone();
        warnings.sort_by_key(|(at, _)| *at);
        warnings.into_iter().map(|(_, warning)| warning).collect()
    }

    /// Reports a key that is none of `known`.
    pub fn unknown(&self, key: &'s str, what: &str, known: &[&str]) {
        self.asked.borrow_mut().push(key);
        let span = self.table.get_key_value(key).map_or(self.span.clone(), |(key, _)| key.span());
        self.problem_at(key, span, &format!("{what}{}", instead(key, known)));
    }

    /// A problem with an entry of a list of tables, or with the list where it has no entry of its own.
    pub fn problem_in(&self, key: &str, entry: Option<usize>, message: String) {
        let list = self.table.get(key).and_then(|list| list.get_ref().as_array());
        match entry.and_then(|entry| list?.get(entry)) {
            Some(item) => self.document.problem(item.span(), message),
            None => self.problem(message),
        }
    }

    /// Nobody asks for what is in it, and nothing of it is reported.
    pub fn ignore(&self) {
        self.asked.borrow_mut().extend(self.table.keys().map(|key| -> &str { key.get_ref() }));
    }

    /// Reports every key that nobody asked for.
    pub fn finish(&self) {
        let asked = self.asked.borrow();
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if !asked.contains(&name) {
                self.problem_at(name, key.span(), &format!("no such key{}", instead(name, &asked)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of 120 columns, in each of which the mark is below the value, wherever that is in its line.
    #[test]
    fn a_long_line_is_cut_around_its_mark() {
        for (before, behind) in [(0, 5000), (60, 5000), (2500, 2500), (5000, 60), (5000, 0), (3, 3)] {
            let text = format!("{}WRONG{}", "a".repeat(before), "b".repeat(behind));
            let document = Document::new("x.toml", &text);
            document.problem(before..before + 5, "it is wrong".into());
            let said = document.into_problems()[0].to_string();
            let lines: Vec<&str> = said.lines().collect();
            assert_eq!(lines[0], format!("x.toml:1:{}: it is wrong", before + 1));
            let (line, marks): (Vec<char>, Vec<char>) =
                (lines[1].chars().collect(), lines[2].chars().collect());
            let full = if before + behind > 6 { 120 } else { 6 + 11 };
            assert_eq!(line.len(), full, "{said}");
            let meant: String =
                line.iter().zip(&marks).filter(|(_, mark)| **mark == '^').map(|(c, _)| c).collect();
            assert_eq!(meant, "WRONG", "{said}");
            assert_eq!(line[6] == '\u{2026}', before > 39, "{said}");
            assert_eq!(line[full - 1] == '\u{2026}', behind > 70, "{said}");
        }
    }

    /// A mark behind the end of its line, and one wider than the excerpt.
    #[test]
    fn marks_stay_within_the_columns() {
        let text = "a".repeat(500);
        for (span, marks) in [(500..500, 1), (0..500, 114), (200..500, 76)] {
            let document = Document::new("x.toml", &text);
            document.problem(span, "it is wrong".into());
            let said = document.into_problems()[0].to_string();
            let last = said.lines().last().expect("three lines");
            assert_eq!(last.matches('^').count(), marks, "{said}");
            assert!(said.lines().all(|line| line.chars().count() <= 121), "{said}");
        }
    }

    #[test]
    fn a_long_value_is_repeated_in_part() {
        let text = format!("x = \"{}\"", "9".repeat(61));
        let document = Document::new("x.toml", &text);
        document.problem(4..text.len(), format!("'{}' is outside 1 to 5", "9".repeat(61)));
        document.problem(4..text.len() - 1, format!("'{}' is outside 1 to 5", "9".repeat(61)));
        let said: Vec<String> = document.into_problems().into_iter().map(|problem| problem.message).collect();
        let short = format!("'{}\u{2026}' is outside 1 to 5", "9".repeat(60));
        assert_eq!(said, [short.clone(), short]);
        assert_eq!(shortened("'abc' is wrong".into(), "\"abc\""), "'abc' is wrong");
    }
}
