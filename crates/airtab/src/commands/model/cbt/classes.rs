// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The classes that are asked about, and what they send: a mix of the study, or the command line's own.
//!
//! What it does not do: whether a queue can keep what is allocated is `airtab_model::cbt::plan`'s to say.

use airtab_model::cbt::study::{LINK, Mix};
use airtab_model::cbt::threshold::Class;
use airtab_model::cbt::{KB, KIB};
use airtab_scenario::reader::instead;

use super::args::Classes;
use super::sheet::{Cell, Column, column};
use super::values::{Allocation, Named};

/// Packet of a class that says nothing of it, bytes.
pub const PACKET: f64 = 1500.0;
/// Combinations of loads.
const MOST: usize = 10_000;

/// A class.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub name: String,
    pub class: Class,
    pub weight: f64,
}

/// Classes, and bytes of the KB in which their rates are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Members {
    pub all: Vec<Member>,
    kb: f64,
}

impl Members {
    /// A mix, its KB having so many bytes.
    pub fn of_mix(mix: &Mix, kb: f64) -> Members {
        let one = |class: &airtab_model::cbt::study::Studied| Member {
            name: class.name.into(),
            class: Class { rate: class.kb * kb, packet: class.packet },
            weight: class.weight,
        };
        Members { all: mix.classes.iter().map(one).collect(), kb }
    }

    /// What was asked about: `usual` if nothing was.
    ///
    /// # Errors
    /// A class that is there twice or nowhere, `rest` or a percentage of no link, more than the link.
    pub fn of(asked: &Classes, link: Option<f64>, usual: &Mix, kb: f64) -> Result<Members, String> {
        let mut members = match (asked.mix, asked.class.is_empty()) {
            (Some(mix), _) => Members::of_mix(mix, kb),
            (None, true) => Members::of_mix(usual, kb),
            (None, false) => {
                let own = Members { all: allocated(&asked.class, link)?, kb: KB };
                own.within(link)?;
                own
            }
        };
        members.pack(&asked.packet)?;
        Ok(members)
    }

    /// Those of a plan, in packets of `full` bytes where they do not say which.
    ///
    /// # Errors
    /// As [`Members::of`], but for more than the link.
    pub fn planned(
        given: &[Named<Allocation>],
        packets: &[Named<u64>],
        link: f64,
        full: u64,
    ) -> Result<Members, String> {
        let mut members = Members { all: allocated(given, Some(link))?, kb: KB };
        members.all.iter_mut().for_each(|member| member.class.packet = full as f64);
        members.pack(packets)?;
        Ok(members)
    }

    fn pack(&mut self, given: &[Named<u64>]) -> Result<(), String> {
        for (i, packet) in placed("--packet", &self.names(), given)? {
            self.all[i].class.packet = *packet as f64;
        }
        Ok(())
    }

    /// More than the link carries is no allocation; the study's are, in KB of 1024 bytes, by a third of a percent.
    fn within(&self, link: Option<f64>) -> Result<(), String> {
        let sum: f64 = self.rates().iter().sum();
        match link {
            Some(link) if sum > link * (1.0 + 1e-9) => Err(format!(
                "--link {}: the classes sum to {}; give a link of at least that, or less to the classes",
                mbps(link),
                mbps(sum)
            )),
            _ => Ok(()),
        }
    }

    pub fn names(&self) -> Vec<&str> {
        self.all.iter().map(|member| member.name.as_str()).collect()
    }

    pub fn classes(&self) -> Vec<Class> {
        self.all.iter().map(|member| member.class).collect()
    }

    pub fn rates(&self) -> Vec<f64> {
        self.all.iter().map(|member| member.class.rate).collect()
    }

    /// Sets weights.
    ///
    /// # Errors
    /// A class that there is not, or is there twice.
    pub fn weigh(&mut self, given: &[Named<f64>]) -> Result<(), String> {
        for (i, weight) in placed("--weight", &self.names(), given)? {
            self.all[i].weight = *weight;
        }
        Ok(())
    }

    /// A column of rates.
    pub fn rate_column(&self, name: &str, heading: &str) -> Column {
        let unit = if self.kb == KIB { "KiB/s" } else { "KB/s" };
        column(name, format!("{heading}\n{unit}"), 1).times(1.0 / self.kb)
    }

    /// Every combination of loads; a class of which nothing is said is busy.
    ///
    /// # Errors
    /// A class that is there twice or nowhere; too many.
    pub fn offered(&self, given: &[Named<Vec<f64>>]) -> Result<Offered, String> {
        let mut lists = vec![vec![f64::INFINITY]; self.all.len()];
        for (i, loads) in placed("--load", &self.names(), given)? {
            lists[i] = loads.clone();
        }
        if lists
            .iter()
            .map(Vec::len)
            .try_fold(1, |n: usize, more| n.checked_mul(more))
            .is_none_or(|n| n > MOST)
        {
            return Err(format!("--load: at most {MOST} combinations; give shorter lists"));
        }
        let varied: Vec<usize> = (0..lists.len()).filter(|&i| lists[i].len() > 1).collect();
        let mut loads = vec![Vec::new()];
        for list in &lists {
            let longer =
                |row: &Vec<f64>| list.iter().map(|load| [&row[..], &[*load]].concat()).collect::<Vec<_>>();
            loads = loads.iter().flat_map(longer).collect();
        }
        let names = varied.iter().map(|&i| self.all[i].name.clone()).collect();
        Ok(Offered { longest: varied.iter().copied().max_by_key(|&i| lists[i].len()), varied, names, loads })
    }
}

/// What classes send.
pub struct Offered {
    /// Classes with several loads.
    varied: Vec<usize>,
    names: Vec<String>,
    /// The one with most.
    longest: Option<usize>,
    /// A load of each class, combination by combination.
    pub loads: Vec<Vec<f64>>,
}

impl Offered {
    /// A column for each class with several loads.
    pub fn columns(&self) -> Vec<Column> {
        let one = |name: &String| {
            column(load_name(name), format!("load of\n{name}, KB/s"), 0).times(1.0 / KB).whole()
        };
        self.names.iter().map(one).collect()
    }

    /// Their cells.
    pub fn cells(&self, loads: &[f64]) -> Vec<Cell> {
        let cell = |load: f64| if load.is_finite() { Cell::Number(load) } else { "busy".into() };
        self.varied.iter().map(|&i| cell(loads[i])).collect()
    }

    /// The column to draw over.
    pub fn over(&self) -> Option<String> {
        let at = self.varied.iter().position(|i| Some(*i) == self.longest)?;
        Some(load_name(&self.names[at]))
    }
}

fn load_name(class: &str) -> String {
    format!("load_{class}_bytes_per_s")
}

/// Rates of classes that are parts of a link.
fn allocated(given: &[Named<Allocation>], link: Option<f64>) -> Result<Vec<Member>, String> {
    once("--class", given)?;
    let of_link = |name: &str, what: &str| {
        link.ok_or_else(|| {
            format!("--class {name}={what}: of what? give --link, such as --link {}", mbps(LINK))
        })
    };
    let (mut rates, mut rest) = (Vec::new(), None);
    for (i, Named { name, value }) in given.iter().enumerate() {
        rates.push(match value {
            Allocation::Rate(rate) => *rate,
            Allocation::Part(part) => part * of_link(name, "a percentage")?,
            Allocation::Peak => {
                return Err(format!("--class {name}=peak: of what? give --from FILE, or a rate"));
            }
            Allocation::Rest => {
                of_link(name, "rest")?;
                if let Some(first) = rest.replace(i) {
                    let first = &given[first].name;
                    return Err(format!(
                        "--class {name}=rest: {first} has the rest; give one of them a rate"
                    ));
                }
                0.0
            }
        });
    }
    if let (Some(i), Some(link)) = (rest, link) {
        let sum: f64 = rates.iter().sum();
        if sum >= link * (1.0 - 1e-9) {
            return Err(format!(
                "--class {}=rest: nothing is left, the others sum to {} of {}; give a link above that, or less to them",
                given[i].name,
                mbps(sum),
                mbps(link)
            ));
        }
        rates[i] = link - sum;
    }
    let one = |(given, rate): (&Named<Allocation>, f64)| Member {
        name: given.name.clone(),
        class: Class { rate, packet: PACKET },
        weight: 1.0 / 256.0,
    };
    Ok(given.iter().zip(rates).map(one).collect())
}

/// No name twice.
pub fn once<T>(option: &str, given: &[Named<T>]) -> Result<(), String> {
    let names: Vec<&str> = given.iter().map(|one| one.name.as_str()).collect();
    match crate::commands::twice(&names) {
        Some(name) => Err(format!("{option} {name}: it is there twice; give it once")),
        None => Ok(()),
    }
}

/// Of which class each value is.
///
/// # Errors
/// A class that there is not, or is there twice.
pub fn placed<'a, T>(
    option: &str,
    names: &[&str],
    given: &'a [Named<T>],
) -> Result<Vec<(usize, &'a T)>, String> {
    once(option, given)?;
    let place = |one: &'a Named<T>| {
        let found = names.iter().position(|name| *name == one.name).map(|i| (i, &one.value));
        found.ok_or_else(|| format!("{option} {0}: no class '{0}'{1}", one.name, instead(&one.name, names)))
    };
    given.iter().map(place).collect()
}

/// Bytes/s for messages.
pub fn mbps(rate: f64) -> String {
    let text = format!("{:.3}", rate * 8.0 / 1e6);
    format!("{}Mb/s", text.trim_end_matches('0').trim_end_matches('.'))
}
