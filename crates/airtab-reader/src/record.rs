// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a reader asks for: its tables, their keys, and what their parsers take. Documents that are read for this
//! ([`Document::recorded`](super::Document::recorded)) tell; nothing here is a list of keys of its own.
//!
//! What it does not do: it makes no schema (`schema`); what is asked for only where something else is said has to be said in one of the documents.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use airtab_core::{Param, Unit};
use toml::de::{DeTable, DeValue};

use super::{Document, Section, Value};

/// What a parser takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A number with its unit, within a range.
    Quantity(Unit, RangeInclusive<u64>),
    /// A plain number within a range.
    Number(RangeInclusive<f64>),
    /// true or false.
    Flag,
    /// Any text.
    Text,
    /// A text of 1 to so many characters.
    Name(u64),
    /// One of some words.
    Words(Vec<String>),
    /// Two texts, from and to.
    Times,
    /// A number, a text, true or false, or a list of such: a parameter.
    Plain,
    /// A table that another reader takes.
    Table,
}

/// A table: what is asked of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keys {
    /// How often it was opened.
    pub opened: usize,
    /// Its keys.
    pub keys: BTreeMap<String, Entry>,
    /// What keys take that have any name, if there may be such.
    pub others: Option<Vec<Form>>,
}

/// What may be under a key; all of it that says nothing: anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// What its parsers take, one of them.
    pub forms: Vec<Form>,
    /// A parser of it says nothing of what it takes.
    pub unsaid: bool,
    /// How often it had to be there.
    pub required: usize,
    /// As a table.
    pub table: Option<Keys>,
    /// As a list of tables: each of them.
    pub list: Option<Keys>,
    /// What it is, for people.
    pub about: String,
}

impl Form {
    /// What a parameter of a discipline may be written as.
    pub fn of(param: &Param) -> Form {
        match param.unit {
            Unit::Choice if param.max_len == 1 => {
                Form::Words(param.choices.iter().map(|name| (*name).into()).collect())
            }
            _ => Form::Plain,
        }
    }
}

impl Form {
    /// Whether the two differ in a range alone, if at all.
    fn is_like(&self, other: &Form) -> bool {
        match (self, other) {
            (Form::Quantity(unit, _), Form::Quantity(other, _)) => unit == other,
            (Form::Number(_), Form::Number(_)) => true,
            _ => self == other,
        }
    }
}

/// A step from a table to one in it: the key, and whether that is a list of tables.
pub(super) type Step<'s> = (&'s str, bool);

impl Keys {
    /// The table at the end of a way.
    pub(super) fn at(&mut self, way: &[Step]) -> &mut Keys {
        way.iter().fold(self, |keys, (key, list)| {
            let entry = keys.keys.entry((*key).into()).or_default();
            let next = if *list { &mut entry.list } else { &mut entry.table };
            next.get_or_insert_default()
        })
    }

    /// The same of two documents.
    pub fn and(&mut self, other: Keys) {
        self.opened += other.opened;
        if let Some(forms) = other.others {
            add(self.others.get_or_insert_default(), forms);
        }
        for (key, entry) in other.keys {
            self.keys.entry(key).or_default().and(entry);
        }
    }
}

impl Entry {
    fn and(&mut self, other: Entry) {
        add(&mut self.forms, other.forms);
        self.unsaid |= other.unsaid;
        self.required += other.required;
        for (own, other) in [(&mut self.table, other.table), (&mut self.list, other.list)] {
            if let Some(other) = other {
                own.get_or_insert_default().and(other);
            }
        }
        if self.about.is_empty() {
            self.about = other.about;
        }
    }

    /// What one parser of it takes.
    pub(super) fn take(&mut self, forms: Vec<Form>) {
        self.unsaid |= forms.is_empty();
        add(&mut self.forms, forms);
    }
}

/// Ranges of the same sort become one that has both: which holds depends on the rest of the document.
fn add(all: &mut Vec<Form>, forms: Vec<Form>) {
    for form in forms {
        match (&form, all.iter_mut().find(|known| known.is_like(&form))) {
            (Form::Quantity(_, new), Some(Form::Quantity(_, range))) => {
                *range = *range.start().min(new.start())..=*range.end().max(new.end());
            }
            (Form::Number(new), Some(Form::Number(range))) => {
                *range = range.start().min(*new.start())..=range.end().max(*new.end());
            }
            (_, Some(_)) => {}
            (_, None) => all.push(form),
        }
    }
}

/// Of a document that is read to see what is asked for.
pub(super) struct Recorder<'a> {
    pub(super) keys: RefCell<Keys>,
    /// What the parser at work takes.
    pub(super) forms: RefCell<Vec<Form>>,
    /// Tables that are not there are opened: this one.
    pub(super) missing: Option<DeTable<'a>>,
    /// What parsers are given.
    pub(super) blank: DeValue<'a>,
}

impl<'a> Document<'a> {
    /// One that is read to see what is asked for; `missing`: of tables that are not there, too, as if they were there
    /// and empty.
    pub fn recorded(text: &'a str, missing: bool) -> Document<'a> {
        let recorder = Recorder {
            keys: RefCell::default(),
            forms: RefCell::default(),
            missing: missing.then(DeTable::new),
            blank: DeValue::String("".into()),
        };
        Document { recorder: Some(recorder), ..Document::new("", text) }
    }

    /// What was asked for; nothing of a document that was not read for it.
    pub fn into_keys(self) -> Keys {
        self.recorder.map(|recorder| recorder.keys.into_inner()).unwrap_or_default()
    }
}

impl<'s, 'a> Section<'s, 'a> {
    /// Notes what is asked of the table, if the document is read for that.
    pub(super) fn record(&self, note: impl FnOnce(&mut Keys)) {
        if let Some(recorder) = &self.document.recorder {
            note(recorder.keys.borrow_mut().at(&self.way));
        }
    }

    pub(super) fn record_key(&self, key: &str, note: impl FnOnce(&mut Entry)) {
        self.record(|keys| note(keys.keys.entry(key.into()).or_default()));
    }

    /// Notes what the parser of a key takes.
    pub(super) fn record_parser<T>(&self, parse: &impl Fn(&Value<'s, 'a>) -> Result<T, String>) -> Vec<Form> {
        let Some(recorder) = &self.document.recorder else { return Vec::new() };
        recorder.forms.take();
        let forms = Some(&recorder.forms);
        // What it makes of nothing is not of interest.
        let _ = parse(&Value { value: &recorder.blank, span: 0..0, written: String::new(), forms });
        recorder.forms.take()
    }

    /// Whether the document is read to see what is asked for.
    pub fn is_recorded(&self) -> bool {
        self.document.recorder.is_some()
    }

    /// Says what is asked for where no parser is called: a key, and what it is.
    pub fn asks(&self, key: &str, form: Form, about: String) {
        self.record_key(key, |entry| {
            entry.take(vec![form]);
            entry.about = about;
        });
    }

    /// Says that any other key is read by that parser.
    pub fn asks_any<T>(&self, parse: impl Fn(&Value<'s, 'a>) -> Result<T, String>) {
        let forms = self.record_parser(&parse);
        self.record(|keys| keys.others = Some(forms));
    }

    /// A table that is not there, in a document that is read to see what would be asked of it.
    pub(super) fn missing(&self, key: &'s str, name: String, list: bool) -> Option<Section<'s, 'a>> {
        let table = self.document.recorder.as_ref()?.missing.as_ref()?;
        Some(self.inside(key, name, (table, 0..0), list))
    }
}
