// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The tables of each discipline: parameters, statistics, rows; and values for
//! them. One table feeds scenario files, command line, documentation and, in
//! the kernel, netlink; this is its Rust face.

use std::ffi::{CStr, c_char};

use crate::ffi;
use crate::rules::{Rule, unreached};
use crate::units::Unit;

/// A discipline of the core, not yet running.
#[derive(Clone, Copy)]
pub struct Discipline(pub(crate) &'static ffi::Ops);

// SAFETY: the tables behind it are constants.
unsafe impl Send for Discipline {}
// SAFETY: as above.
unsafe impl Sync for Discipline {}

impl std::fmt::Debug for Discipline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Discipline({})", self.name())
    }
}

impl PartialEq for Discipline {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

/// Every discipline that the core registers, in its order.
pub fn disciplines() -> impl Iterator<Item = Discipline> {
    let first = (&raw const ffi::at_disciplines).cast::<*const ffi::Ops>();
    (0..)
        // SAFETY: at_disciplines ends with NULL, where map_while stops.
        .map_while(move |i| unsafe { (*first.add(i)).as_ref() })
        .map(Discipline)
}

/// One row of a parameter table.
#[derive(Clone, Debug)]
pub struct Param {
    /// ABI number.
    pub id: u16,
    /// Name in every front end.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Unit of its value.
    pub unit: Unit,
    /// Default, smallest and largest value.
    pub default: u64,
    /// See `default`.
    pub min: u64,
    /// See `default`.
    pub max: u64,
    /// Names of the choices, for [`Unit::Choice`].
    pub choices: Vec<&'static str>,
    /// More than 1: a list of up to so many values.
    pub max_len: usize,
    /// Set once: a running discipline cannot change it.
    pub fixed: bool,
}

/// One row of a statistics table.
#[derive(Clone, Debug)]
pub struct Stat {
    /// ABI number.
    pub id: u16,
    /// Name.
    pub name: &'static str,
    /// What it counts.
    pub help: &'static str,
    /// Unit.
    pub unit: Unit,
    /// Never decreases.
    pub counter: bool,
}

impl Discipline {
    /// The discipline of that name.
    pub fn named(name: &str) -> Option<Discipline> {
        let every = disciplines();
        #[cfg(feature = "trial")]
        // SAFETY: constants of the core's tests.
        let every = every.chain(unsafe { [&ffi::at_told_ops, &ffi::at_links_ops] }.map(Discipline));
        every.into_iter().find(|d| d.name() == name)
    }

    /// Its name, such as `chap`.
    pub fn name(self) -> &'static str {
        text(self.0.name)
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        text(self.0.about)
    }

    /// Its parameters.
    pub fn params(self) -> Vec<Param> {
        self.param_entries().map(Param::from_c).collect()
    }

    /// Its statistics, in the order of [`crate::Qdisc::stats`].
    pub fn stats(self) -> Vec<Stat> {
        self.stat_entries().map(Stat::from_c).collect()
    }

    /// The columns of its per-flow table, in the order of [`crate::Qdisc::rows`].
    pub fn row_stats(self) -> Vec<Stat> {
        self.row_stat_entries().map(Stat::from_c).collect()
    }

    fn param_entries(self) -> impl Iterator<Item = &'static ffi::Param> {
        entries(self.0.params, |p| p.name)
    }

    pub(crate) fn stat_entries(self) -> impl Iterator<Item = &'static ffi::Stat> {
        entries(self.0.stats, |s| s.name)
    }

    pub(crate) fn row_stat_entries(self) -> impl Iterator<Item = &'static ffi::Stat> {
        entries(self.0.row_stats, |s| s.name)
    }

    /// The parameter of that name, and its number.
    fn param(self, name: &str) -> Option<(usize, &'static ffi::Param)> {
        self.param_entries().enumerate().find(|(_, p)| text(p.name) == name)
    }
}

impl Param {
    fn from_c(p: &ffi::Param) -> Param {
        let mut choices = Vec::new();
        if !p.choices.is_null() {
            // SAFETY: choices is a NULL-terminated list of string constants.
            while let c = unsafe { *p.choices.add(choices.len()) }
                && !c.is_null()
            {
                choices.push(text(c));
            }
        }
        Param {
            id: p.id,
            name: text(p.name),
            help: text(p.help),
            source: text(p.source),
            unit: Unit::from_c(p.unit),
            default: p.def,
            min: p.min,
            max: p.max,
            choices,
            max_len: usize::from(p.max_len.max(1)),
            fixed: p.flags & 1 != 0,
        }
    }

    /// A value as a front end shows it.
    pub fn format(&self, value: u64) -> String {
        match self.unit {
            Unit::Choice => self.choices[value as usize].into(),
            unit => unit.format(value),
        }
    }

    /// What may be written: range, or names.
    pub fn allowed(&self) -> String {
        match self.unit {
            Unit::Bool => "on or off".into(),
            Unit::Choice => self.choices.join(" or "),
            Unit::Rule => "rules such as udp:6000-6010=1".into(),
            unit => format!("{} to {}", unit.format(self.min), unit.format(self.max)),
        }
    }

    fn parse(&self, value: &str) -> Result<u64, String> {
        if self.unit == Unit::Choice {
            return match self.choices.iter().position(|c| *c == value) {
                Some(i) => Ok(i as u64),
                None => Err(format!("'{value}' is not {}", self.choices.join(" or "))),
            };
        }
        let dimension = matches!(self.unit, Unit::Ns | Unit::Bps);
        if dimension && self.min == 0 && matches!(value, "off" | "0") {
            return Ok(0); // no time needs no unit, nor does no rate
        }
        let number = self.unit.parse(value).map_err(|e| e.to_string())?;
        if number < self.min || number > self.max {
            // A number of percents without their sign.
            let percent = self.unit == Unit::Ppm && (self.min * 100..=self.max * 100).contains(&number);
            let meant = if percent { format!("; did you mean {value}%?") } else { String::new() };
            return Err(format!("'{value}' is outside {}{meant}", self.allowed()));
        }
        Ok(number)
    }
}

impl Stat {
    fn from_c(s: &ffi::Stat) -> Stat {
        Stat {
            id: s.id,
            name: text(s.name),
            help: text(s.help),
            unit: Unit::from_c(s.unit),
            counter: s.counter,
        }
    }
}

/// Values for every parameter of one discipline; always a set that the
/// discipline accepts once [`Params::check`] said so.
#[derive(Clone, Debug)]
pub struct Params {
    discipline: Discipline,
    values: Vec<Vec<u64>>,
}

/// A value that a discipline does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{discipline}: {param}: {message}")]
pub struct ParamError {
    /// The discipline.
    pub discipline: &'static str,
    /// The parameter.
    pub param: String,
    /// What is wrong, what is allowed.
    pub message: String,
}

impl Params {
    /// The defaults.
    pub fn new(discipline: Discipline) -> Params {
        Params { discipline, values: discipline.params().iter().map(|p| vec![p.default]).collect() }
    }

    /// Whose parameters these are.
    pub fn discipline(&self) -> Discipline {
        self.discipline
    }

    /// Sets one parameter from text; lists are separated by commas.
    ///
    /// # Errors
    /// An unknown name (the known ones are listed) or a value of the wrong form
    /// or outside its range. Rules between parameters are for [`Params::check`].
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParamError> {
        let error = |message| ParamError { discipline: self.discipline.name(), param: name.into(), message };
        let Some((i, entry)) = self.discipline.param(name) else {
            let names: Vec<_> = self.discipline.params().iter().map(|p| p.name).collect();
            return Err(error(format!("no such parameter; there are {}", names.join(", "))));
        };
        let param = Param::from_c(entry);
        let parts: Vec<&str> = value.split(',').map(str::trim).collect();
        if parts.len() > param.max_len {
            return Err(error(format!(
                "'{value}' has {} values, at most {} fit",
                parts.len(),
                param.max_len
            )));
        }
        self.values[i] = parts.iter().map(|v| param.parse(v)).collect::<Result<_, _>>().map_err(error)?;
        Ok(())
    }

    /// Sets one parameter to its value in other parameters of the same discipline.
    ///
    /// # Panics
    /// If it is another discipline, or has no such parameter.
    pub fn copy(&mut self, name: &str, from: &Params) {
        assert_eq!(self.discipline, from.discipline, "values of another discipline");
        let i = self.discipline.param(name).expect("a parameter's name").0;
        self.values[i].clone_from(&from.values[i]);
    }

    /// What is set and has no effect: rules that the ones before leave nothing to.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (param, values) in self.discipline.params().iter().zip(&self.values) {
            if param.unit != Unit::Rule {
                continue;
            }
            let rules: Vec<Rule> = values.iter().filter_map(|word| Rule::of(*word)).collect();
            warnings.extend(unreached(&rules).map(|(rule, before)| {
                let (name, of, i) = (param.name, self.discipline.name(), rule + 1);
                format!(
                    "{of}: {name}: rule {i}, '{}', is never reached: rule {}, '{}', takes all that it would; put it \
                     before that one",
                    rules[rule],
                    before + 1,
                    rules[before]
                )
            }));
        }
        warnings
    }

    /// The value or values of one parameter.
    pub fn get(&self, name: &str) -> Option<&[u64]> {
        Some(&self.values[self.discipline.param(name)?.0])
    }

    /// Asks the discipline itself, which also knows rules between parameters.
    ///
    /// # Errors
    /// Names the first parameter that is wrong, and its value beside those of
    /// the other parameters that the rule is about.
    pub fn check(&self) -> Result<(), ParamError> {
        let mut bad = 0u16;
        // SAFETY: with_c passes one entry per row of the table, valid for the call.
        let message = self.with_c(|v| unsafe { ffi::at_check(self.discipline.0, v, &mut bad) });
        if message.is_null() {
            return Ok(());
        }
        let (rule, bad, table) = (text(message), usize::from(bad), self.discipline.params());
        let named =
            |p: &Param| rule.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == p.name);
        let others = (0..table.len()).filter(|i| *i != bad && named(&table[*i]));
        let values: Vec<String> =
            std::iter::once(bad).chain(others).map(|i| self.shown(&table[i], i)).collect();
        Err(ParamError {
            discipline: self.discipline.name(),
            param: table[bad].name.into(),
            message: format!("{rule} ({})", values.join(", ")),
        })
    }

    /// `limit is 35`, for parameter number `i`.
    fn shown(&self, param: &Param, i: usize) -> String {
        let values: Vec<String> = self.values[i].iter().map(|v| param.format(*v)).collect();
        format!("{} is {}", param.name, values.join(","))
    }

    /// The first parameter fixed at the start whose value differs in `other`.
    pub fn fixed_change(&self, other: &Params) -> Option<&'static str> {
        let table = self.discipline.params();
        let differs = |i: &usize| table[*i].fixed && self.values[*i] != other.values[*i];
        (0..table.len()).find(differs).map(|i| table[i].name)
    }

    pub(crate) fn with_c<R>(&self, f: impl FnOnce(*const ffi::Vals) -> R) -> R {
        let vals: Vec<_> =
            self.values.iter().map(|v| ffi::Vals { v: v.as_ptr(), len: v.len() as u8 }).collect();
        f(vals.as_ptr())
    }
}

/// A C table up to the entry without a name.
fn entries<C: 'static>(first: *const C, name: fn(&C) -> *const c_char) -> impl Iterator<Item = &'static C> {
    let all = (0..).map(move |i| {
        // SAFETY: the core's tables are constants and end with an entry that has no name, and no further one is asked for.
        unsafe { &*first.add(i) }
    });
    (!first.is_null()).then_some(all).into_iter().flatten().take_while(move |entry| !name(entry).is_null())
}

pub(crate) fn text(s: *const c_char) -> &'static str {
    // SAFETY: the core's tables and messages are NUL-terminated constants.
    unsafe { CStr::from_ptr(s) }.to_str().expect("the core's texts are ASCII")
}
