// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a reader asks for: its tables, their keys, and what their parsers take. Documents that are read for this
//! ([`Document::recorded`](super::Document::recorded)) tell; nothing here is a list of keys of its own.
//!
//! What it does not do: it makes no schema (`schema`); what is asked for only where something else is said has to be said in one of the documents.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use airtab_core::{Param, Unit};

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
